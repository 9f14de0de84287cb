/* lex.c - awk's words: names, numbers, strings, regular expressions, operators; newlines are tokens. */
#include "lex.h"

static const struct {
	const char *name;
	int token, builtin;
} words[] = {
	{"BEGIN", T_BEGIN, 0}, {"END", T_END, 0}, {"BEGINFILE", T_BEGINFILE, 0}, {"ENDFILE", T_ENDFILE, 0}, {"function", T_FUNCTION, 0},
	{"func", T_FUNCTION, 0}, {"if", T_IF, 0}, {"else", T_ELSE, 0}, {"while", T_WHILE, 0}, {"for", T_FOR, 0}, {"do", T_DO, 0},
	{"break", T_BREAK, 0}, {"continue", T_CONTINUE, 0}, {"next", T_NEXT, 0}, {"nextfile", T_NEXTFILE, 0}, {"exit", T_EXIT, 0},
	{"return", T_RETURN, 0}, {"delete", T_DELETE, 0}, {"in", T_IN, 0}, {"getline", T_GETLINE, 0}, {"print", T_PRINT, 0},
	{"printf", T_PRINTF, 0}, {"switch", T_SWITCH, 0}, {"case", T_CASE, 0}, {"default", T_DEFAULT, 0},
	{"length", T_BUILTIN, B_LENGTH}, {"substr", T_BUILTIN, B_SUBSTR}, {"index", T_BUILTIN, B_INDEX}, {"split", T_BUILTIN, B_SPLIT},
	{"sub", T_BUILTIN, B_SUB}, {"gsub", T_BUILTIN, B_GSUB}, {"gensub", T_BUILTIN, B_GENSUB}, {"match", T_BUILTIN, B_MATCH},
	{"sprintf", T_BUILTIN, B_SPRINTF}, {"sin", T_BUILTIN, B_SIN}, {"cos", T_BUILTIN, B_COS}, {"atan2", T_BUILTIN, B_ATAN2},
	{"exp", T_BUILTIN, B_EXP}, {"log", T_BUILTIN, B_LOG}, {"sqrt", T_BUILTIN, B_SQRT}, {"int", T_BUILTIN, B_INT}, {"rand", T_BUILTIN, B_RAND},
	{"srand", T_BUILTIN, B_SRAND}, {"tolower", T_BUILTIN, B_TOLOWER}, {"toupper", T_BUILTIN, B_TOUPPER}, {"system", T_BUILTIN, B_SYSTEM},
	{"close", T_BUILTIN, B_CLOSE}, {"fflush", T_BUILTIN, B_FFLUSH}, {"strftime", T_BUILTIN, B_STRFTIME}, {"systime", T_BUILTIN, B_SYSTIME},
	{"mktime", T_BUILTIN, B_MKTIME}, {"strtonum", T_BUILTIN, B_STRTONUM}, {"and", T_BUILTIN, B_AND}, {"or", T_BUILTIN, B_OR},
	{"xor", T_BUILTIN, B_XOR}, {"lshift", T_BUILTIN, B_LSHIFT}, {"rshift", T_BUILTIN, B_RSHIFT}, {"compl", T_BUILTIN, B_COMPL},
	{"asort", T_BUILTIN, B_ASORT}, {"asorti", T_BUILTIN, B_ASORTI}, {"patsplit", T_BUILTIN, B_PATSPLIT}, {"typeof", T_BUILTIN, B_TYPEOF},
	{"isarray", T_BUILTIN, B_ISARRAY},
};

/* ---- Errors -------------------------------------------------------------------------- */

NORETURN void lex_fail(struct lexer *l, const char *text)
{
	struct awk *a = l->a;
	const char *at = l->tok == T_EOF ? l->end : l->lexeme, *from = at, *to = at;
	struct u_buf b;

	while (from > l->start && from[-1] != '\n')
		from--;
	while (to < l->end && *to != '\n')
		to++;
	u_buf_init(&b, a->p, 0);
	u_buf_printf(&b, "%s: %s:%u: ", u_name(a->p), l->name, l->line);
	u_buf_put(&b, from, (size_t)(to - from));
	u_buf_printf(&b, "\n%s: %s:%u: ", u_name(a->p), l->name, l->line);
	for (const char *s = from; s < at; s++)
		u_buf_putc(&b, *s == '\t' ? '\t' : ' ');
	u_buf_printf(&b, "^ %s\n", text);
	u_flush(u_stdout(a->p));
	(void)!u_write_all(a->p, 2, b.ptr, b.len);
	u_exit(a->p, 1);
}

NORETURN void lex_refuse(struct lexer *l, const char *text)
{
	u_die(l->a->p, 1, 0, "%s:%u: %s", l->name, l->line, text);
}

NORETURN void lex_wrong(struct lexer *l, const char *text)
{
	l->a->line = l->line;
	awk_error(l->a, "%s", text);
}

NORETURN void lex_error(struct lexer *l)
{
	if (l->tok == T_EOF) {
		l->s = l->end;
		lex_fail(l, "unexpected newline or end of string");
	}
	lex_fail(l, l->tok == T_NEWLINE ? "unexpected newline or end of string" : "syntax error");
}

/* ---- Lexer ------------------------------------------------------------------------------ */

/* One escape after a backslash, in a string, in -v's value and in an operand's; s moves on. */
static void escape(struct awk *a, struct u_buf *b, const char **at, const char *end)
{
	static const char from[] = "abfnrtv\\\"", to[] = "\a\b\f\n\r\t\v\\\"";
	const char *s = *at, *hit;
	int c = (unsigned char)*s++;

	if (c == '\n') {
		*at = s;
		return;
	}
	if (c == '\r' && s < end && *s == '\n') {
		*at = s + 1;
		return;
	}
	hit = c ? strchr(from, c) : NULL;
	if (hit) {
		u_buf_putc(b, to[hit - from]);
	} else if ((c >= '0' && c <= '7') || (c == 'x' && s < end && ascii_xdigit(*s))) {
		s--;
		u_buf_putc(b, awk_byte_escape(&s, end));
	} else {
		if (c == 'x')
			awk_warn(a, "no hex digits in `\\x' escape sequence");
		else if (awk_first_time(a, AWK_WARNED_STRING, c))
			awk_warn(a, "escape sequence `\\%c' treated as plain `%c'", c, c);
		u_buf_putc(b, (char)c);
	}
	*at = s;
}

struct astr *awk_unescape(struct awk *a, const char *s, size_t n)
{
	const char *end = s + n;
	struct u_buf b;

	u_buf_init(&b, a->p, 0);
	u_buf_puts(&b, "");
	while (s < end) {
		if (*s == '\\' && s + 1 < end) {
			s++;
			escape(a, &b, &s, end);
		} else if (*s == '\\') {
			s++;	/* nothing is left for it to escape */
		} else {
			u_buf_putc(&b, *s++);
		}
	}
	return astr_new(a, b.ptr, b.len);
}

static void lex_string(struct lexer *l)
{
	struct u_buf b;

	u_buf_init(&b, l->a->p, 0);
	u_buf_puts(&b, "");
	for (;;) {
		if (l->s >= l->end || *l->s == '\n')
			lex_fail(l, "unterminated string");
		if (*l->s == '"')
			break;
		if (*l->s == '\\' && l->s + 1 < l->end) {
			l->s++;
			if (*l->s == '\n')
				l->line++;
			l->a->line = l->line;
			escape(l->a, &b, &l->s, l->end);
		} else {
			u_buf_putc(&b, *l->s++);
		}
	}
	l->s++;
	l->text = (struct str){b.ptr, b.len};
	l->tok = T_STRING;
}

/* After the opening slash was read as a division: the expression up to the closing one. */
void lex_regex(struct lexer *l)
{
	bool in_bracket = false;
	struct u_buf b;

	l->lexeme = l->s;
	u_buf_init(&b, l->a->p, 0);
	u_buf_puts(&b, "");
	for (;;) {
		if (l->s >= l->end || *l->s == '\n')
			lex_fail(l, "unterminated regexp");
		if (*l->s == '/' && !in_bracket)
			break;
		if (*l->s == '\\' && l->s + 1 < l->end) {
			/* Its escapes are those of the engine, or replaced when it is compiled (regex.c). */
			l->s++;
			if (*l->s == '\n') {
				l->line++;
				l->s++;
				continue;
			}
			if (*l->s != '/')
				u_buf_putc(&b, '\\');
			u_buf_putc(&b, *l->s++);
			continue;
		}
		if (*l->s == '[' && !in_bracket) {
			in_bracket = true;
			u_buf_putc(&b, *l->s++);
			if (l->s < l->end && *l->s == '^')
				u_buf_putc(&b, *l->s++);
			if (l->s < l->end && *l->s == ']')
				u_buf_putc(&b, *l->s++);
			continue;
		}
		if (in_bracket && *l->s == '[' && l->s + 1 < l->end && l->s[1] == ':') {
			const char *close = memmem(l->s, (size_t)(l->end - l->s), ":]", 2);

			if (close && !memchr(l->s, '\n', (size_t)(close - l->s))) {
				u_buf_put(&b, l->s, (size_t)(close + 2 - l->s));
				l->s = close + 2;
				continue;
			}
		}
		if (*l->s == ']')
			in_bracket = false;
		u_buf_putc(&b, *l->s++);
	}
	l->s++;
	l->text = (struct str){b.ptr, b.len};
}

static void lex_word(struct lexer *l)
{
	const char *from = l->s;
	size_t n;

	while (l->s < l->end && (ascii_alnum(*l->s) || *l->s == '_'))
		l->s++;
	n = (size_t)(l->s - from);
	l->text = (struct str){from, n};
	for (size_t i = 0; i < COUNTOF(words); i++)
		if (strlen(words[i].name) == n && memcmp(words[i].name, from, n) == 0) {
			l->tok = words[i].token;
			l->builtin = words[i].builtin;
			return;
		}
	l->tok = l->s < l->end && *l->s == '(' ? T_FUNC_NAME : T_NAME;
}

static bool next_is(struct lexer *l, char c)
{
	if (l->s < l->end && *l->s == c) {
		l->s++;
		return true;
	}
	return false;
}

static void lex_operator(struct lexer *l)
{
	int c = (unsigned char)*l->s++;

	l->tok = TC(c);
	switch (c) {
	case '+': l->tok = next_is(l, '+') ? T_INC : next_is(l, '=') ? T_ADD_ASSIGN : l->tok; break;
	case '-': l->tok = next_is(l, '-') ? T_DEC : next_is(l, '=') ? T_SUB_ASSIGN : l->tok; break;
	case '*':
		if (next_is(l, '*'))
			l->tok = next_is(l, '=') ? T_POW_ASSIGN : T_POW;
		else if (next_is(l, '='))
			l->tok = T_MUL_ASSIGN;
		break;
	case '/': l->tok = next_is(l, '=') ? T_DIV_ASSIGN : l->tok; break;
	case '%': l->tok = next_is(l, '=') ? T_MOD_ASSIGN : l->tok; break;
	case '^': l->tok = next_is(l, '=') ? T_POW_ASSIGN : T_POW; break;
	case '=': l->tok = next_is(l, '=') ? T_EQ : l->tok; break;
	case '<': l->tok = next_is(l, '=') ? T_LE : l->tok; break;
	case '>': l->tok = next_is(l, '=') ? T_GE : next_is(l, '>') ? T_APPEND : l->tok; break;
	case '!': l->tok = next_is(l, '=') ? T_NE : next_is(l, '~') ? T_NO_MATCH : l->tok; break;
	case '&':
		if (!next_is(l, '&'))
			lex_error(l);
		l->tok = T_AND;
		break;
	case '|': l->tok = next_is(l, '|') ? T_OR : next_is(l, '&') ? T_PIPE_AND : l->tok; break;
	case '~': case '?': case ':': case ',': case ';': case '(': case ')': case '{': case '}': case '[': case ']': case '$': break;
	default: lex_fail(l, u_format(l->a->p, "invalid char '%c' in expression", c));
	}
}

/* 017: all digits octal, and nothing that makes it a decimal. */
static bool octal(struct lexer *l)
{
	const char *s = l->s;
	uint64_t v = 0;

	while (s < l->end && *s >= '0' && *s <= '7')
		v = v * 8 + (uint64_t)(*s++ - '0');
	if (s < l->end && (ascii_digit(*s) || *s == '.' || *s == 'e' || *s == 'E'))
		return false;
	l->number = (double)v;
	l->s = s;
	return true;
}

void lex_next(struct lexer *l)
{
	l->newline_before = false;
	for (;;) {
		if (l->s >= l->end) {
			l->tok = T_EOF;
			return;
		}
		if (*l->s == ' ' || *l->s == '\t' || *l->s == '\r') {
			l->s++;
			l->newline_before = true;
		} else if (*l->s == '\\' && l->s + 1 < l->end && l->s[1] == '\n') {
			l->s += 2;
			l->line++;
		} else if (*l->s == '\\' && l->s + 2 < l->end && l->s[1] == '\r' && l->s[2] == '\n') {
			l->s += 3;
			l->line++;
		} else if (*l->s == '#') {
			while (l->s < l->end && *l->s != '\n')
				l->s++;
		} else {
			break;
		}
	}
	sys_checkpoint(l->a->p);
	l->lexeme = l->s;
	if (*l->s == '\n') {
		l->s++;
		l->line++;
		l->tok = T_NEWLINE;
	} else if (*l->s == '"') {
		l->s++;
		lex_string(l);
	} else if (ascii_digit(*l->s) || (*l->s == '.' && l->s + 1 < l->end && ascii_digit(l->s[1]))) {
		const char *stop;

		if (*l->s == '0' && l->s + 2 < l->end && (l->s[1] == 'x' || l->s[1] == 'X') && ascii_xdigit(l->s[2])) {
			uint64_t v = 0;

			for (l->s += 2; l->s < l->end && ascii_xdigit(*l->s); l->s++)
				v = v * 16 + (uint64_t)(ascii_digit(*l->s) ? *l->s - '0' : ascii_tolower(*l->s) - 'a' + 10);
			l->number = (double)v;
		} else if (*l->s == '0' && l->s + 1 < l->end && l->s[1] >= '0' && l->s[1] <= '7' && octal(l)) {
			;
		} else {
			l->number = num_double_n(l->s, (size_t)(l->end - l->s), &stop);
			l->s = stop;
		}
		l->tok = T_NUMBER;
	} else if (ascii_alpha(*l->s) || *l->s == '_') {
		lex_word(l);
	} else if (*l->s == '@') {
		lex_fail(l, "@-directives and indirect calls are not supported");
	} else {
		lex_operator(l);
	}
}
