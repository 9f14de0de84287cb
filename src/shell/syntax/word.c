/*
 * word.c - text outside double quotes, read into parts.
 *
 * One loop serves every place where quotes and backslashes have their full meaning: command
 * words, the operands of an unquoted ${…}, patterns everywhere, subscripts. The modes differ
 * only in which characters end the text. Characters that may mean something later (globs,
 * braces, tildes) stay in PART_LIT; whatever was quoted becomes PART_QUOTED, so that nobody
 * downstream ever looks at a quote again.
 */
#include "syntax.h"

/* Bytes of the character at `at`: a backslash quotes all of it. */
static size_t char_size(const char *at, const char *limit)
{
	unsigned char c = (unsigned char)*at;
	size_t n = c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;

	if (n > (size_t)(limit - at))
		return 1;
	for (size_t i = 1; i < n; i++)
		if (((unsigned char)at[i] & 0xc0) != 0x80)
			return 1;
	return n;
}

static void scan_escape(struct parser *p)
{
	const char *at = p->at;
	size_t n;

	if (at + 1 == p->limit) {
		lit_flush(p, false);
		part_text(p, at, 1, STR("\\"), PART_ESCAPE);
		p->at++;
		return;
	}
	if (at[1] == '\n') {
		p->at += 2;
		return;
	}
	n = char_size(at + 1, p->limit);
	lit_flush(p, false);
	part_text(p, at, n + 1, (struct str){arena_strndup(p->arena, at + 1, n), n}, PART_ESCAPE);
	p->at += n + 1;
}

static bool name_so_far(const struct parser *p, size_t mark)
{
	return p->scratch_used == mark && syntax_is_name((struct str){p->lit, p->lit_len});
}

static bool begin_value(struct parser *p, size_t mark, const char *start, bool append, size_t skip)
{
	struct assign *a = arena_zalloc(p->arena, sizeof(*a));

	a->name = (struct str){arena_strndup(p->arena, p->lit, p->lit_len), p->lit_len};
	a->append = append;
	a->off = offset_of(p, start);
	p->lit_len = 0;
	p->lit_start = NULL;
	p->scratch_used = mark;
	p->at += skip;
	p->found = a;
	return true;
}

/* At an =. True when the text so far makes it an assignment, which is then in p->found. */
static bool is_assignment(struct parser *p, size_t mark, const char *start)
{
	if (name_so_far(p, mark))
		return begin_value(p, mark, start, false, 1);
	if (p->scratch_used == mark && p->lit_len > 1 && p->lit[p->lit_len - 1] == '+' &&
	    syntax_is_name((struct str){p->lit, p->lit_len - 1})) {
		p->lit_len--;
		return begin_value(p, mark, start, true, 1);
	}
	return false;
}

/* A [ that may begin the subscript of an assignment: where it stands. */
struct bracket {
	const char *raw; /* behind the [ */
	size_t mark;     /* its first part */
	uint32_t depth;  /* 0: not inside */
};

/* Behind the closing ]: true when an = or += follows, with p->found made. */
static bool end_bracket(struct parser *p, struct bracket *b, size_t mark, const char *start)
{
	const char *at = p->at + 1;
	bool append = at + 1 < p->limit && at[0] == '+' && at[1] == '=';
	struct subscript *sub;
	struct word *w;

	if (!append && (at == p->limit || at[0] != '='))
		return false;
	lit_flush(p, false);
	w = word_new(p, b->raw, b->mark);
	sub = make_subscript(p, b->raw, (size_t)(p->at - b->raw), w);
	if (*start != '[') { /* the name is the first part, the [ the second */
		struct part *part = (struct part *)(void *)(p->scratch + mark);

		lit_add(p, part->text.ptr, part->text.len);
	}
	p->at = at;
	begin_value(p, mark, start, append, append ? 2 : 1);
	p->found->sub = sub;
	return true;
}

static bool opens_group(const struct parser *p, unsigned flags)
{
	if (flags & PLAIN_REGEX)
		return true;
	return (flags & PLAIN_EXTGLOB) && p->lit_len && p->lit_end == p->at &&
	       strchr("?*+@!", p->lit[p->lit_len - 1]);
}

static bool ends_mode(enum plain_mode mode, char c)
{
	switch (mode) {
	case PLAIN_OPERAND:
	case PLAIN_SUB:
	case PLAIN_PATTERN: return c == '}';
	case PLAIN_REPLACE: return c == '}' || c == '/';
	default: return false;
	}
}

/* One character of C_QUOTE: false on error. */
static bool scan_special(struct parser *p, unsigned flags)
{
	bool quoted = (flags & PLAIN_QUOTED) != 0;

	switch (*p->at) {
	case '\\': scan_escape(p); return true;
	case '\'': lit_flush(p, false); return scan_squote(p);
	case '"': lit_flush(p, false); return scan_dquote(p, false);
	case '`': lit_flush(p, false); return scan_backquote(p, quoted, quoted);
	default:
		if (!dollar_means(p, true)) {
			lit_add(p, p->at++, 1);
			return true;
		}
		lit_flush(p, false);
		return scan_dollar(p, quoted);
	}
}

static bool plain_eof(struct parser *p, const char *start, enum plain_mode mode,
                      const struct bracket *b, uint32_t nest)
{
	const char *at = start > p->src && mode != PLAIN_WORD ? start - 1 : start;

	if (b->depth && mode == PLAIN_WORD)
		fail_eof(p, b->raw, line_of(p, b->raw), ']');
	else if (nest)
		fail_eof(p, start, line_of(p, start), ')');
	else if (mode == PLAIN_SUB)
		fail_eof(p, at, line_of(p, at), ']');
	else if (mode != PLAIN_WORD && mode != PLAIN_TEXT)
		fail_eof(p, at, line_of(p, at), '}');
	else
		lit_flush(p, false);
	p->found = NULL;
	return !p->failed;
}

/* A character of C_DELIM in a command word: true when it belongs to the word. */
static bool delim_belongs(struct parser *p, unsigned flags, uint32_t *nest)
{
	char c = *p->at;

	if (c == '(' && (*nest || opens_group(p, flags))) {
		++*nest;
		return true;
	}
	if (c == ')' && *nest) {
		--*nest;
		return true;
	}
	return *nest || (c == '|' && (flags & PLAIN_REGEX));
}

static bool is_procsub(const struct parser *p, enum plain_mode mode, unsigned flags)
{
	return (*p->at == '<' || *p->at == '>') && p->at + 1 < p->limit && p->at[1] == '(' &&
	       (mode == PLAIN_WORD || mode == PLAIN_OPERAND) &&
	       !(flags & (PLAIN_QUOTED | PLAIN_NO_PROCSUB));
}

bool scan_plain(struct parser *p, enum plain_mode mode, unsigned flags)
{
	const char *start = p->at;
	size_t mark = p->scratch_used;
	struct bracket b = {0};
	uint32_t nest = 0;

	p->found = NULL;
	for (;;) {
		const char *at = p->at;

		while (at < p->limit && !(CLASS(*at) & (C_STOP | C_MARK)))
			at++;
		if (at > p->at)
			lit_add(p, p->at, (size_t)(at - p->at));
		p->at = at;
		if (at == p->limit)
			return plain_eof(p, start, mode, &b, nest);
		if (CLASS(*at) & C_QUOTE) {
			if (!scan_special(p, flags))
				return false;
			continue;
		}
		if (CLASS(*at) & C_DELIM) {
			if (is_procsub(p, mode, flags)) {
				lit_flush(p, false);
				if (!scan_procsub(p))
					return false;
				continue;
			}
			if (mode == PLAIN_WORD && !b.depth && !delim_belongs(p, flags, &nest))
				break;
		} else if (ends_mode(mode, *at)) {
			break;
		} else if (*at == '=' && (flags & PLAIN_ASSIGN) && !b.depth) {
			if (is_assignment(p, mark, start))
				return true;
			flags &= ~(unsigned)PLAIN_ASSIGN;
		} else if (*at == '[') {
			if (b.depth || mode == PLAIN_SUB) {
				b.depth++;
			} else if (((flags & PLAIN_ASSIGN) && name_so_far(p, mark)) ||
			           ((flags & PLAIN_ITEM) && at == start)) {
				lit_flush(p, false);
				lit_add(p, p->at++, 1);
				lit_flush(p, false);
				b = (struct bracket){at + 1, p->scratch_used, 1};
				continue;
			}
		} else if (*at == ']' && mode == PLAIN_SUB && b.depth-- == 0) {
			break;
		} else if (*at == ']' && mode != PLAIN_SUB && b.depth && --b.depth == 0) {
			if (end_bracket(p, &b, mark, start))
				return true;
			flags &= ~(unsigned)(PLAIN_ASSIGN | PLAIN_ITEM);
		}
		lit_add(p, p->at, 1);
		p->at++;
	}
	lit_flush(p, false);
	p->found = NULL;
	return true;
}

/* ---- Quotes that hold no expansions ------------------------------------------ */

bool scan_squote(struct parser *p)
{
	const char *from = p->at + 1;
	const char *to = memchr(from, '\'', (size_t)(p->limit - from));
	size_t n;

	if (!to) {
		fail_eof(p, p->at, line_of(p, p->at), '\'');
		return false;
	}
	n = (size_t)(to - from);
	part_text(p, p->at, n + 2, (struct str){arena_strndup(p->arena, from, n), n}, PART_SQ);
	p->at = to + 1;
	return true;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | (c >> 18 & 7));
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

static uint32_t read_digits(const char **at, const char *end, unsigned base, unsigned max)
{
	uint32_t n = 0;

	while (max-- && *at < end) {
		int c = ascii_tolower((unsigned char)**at);
		unsigned d = ascii_digit(c)    ? (unsigned)(c - '0')
		             : ascii_xdigit(c) ? (unsigned)(c - 'a' + 10)
		                               : 99;

		if (d >= base)
			break;
		n = n * base + d;
		++*at;
	}
	return n;
}

/* \xHH \uHHHH and the like, `at` behind the letter: false when no digit follows. */
static bool decode_hex(char **to, const char **at, const char *end, char letter)
{
	bool braces = letter == 'x' && *at < end && **at == '{';
	const char *from = *at + braces;
	const char *digits = from;
	uint32_t n = read_digits(&digits, end, 16,
	                         letter == 'u'   ? 4
	                         : letter == 'U' ? 8
	                         : braces        ? 64
	                                         : 2);

	if (digits == from)
		return false;
	if (braces && digits < end && *digits == '}')
		digits++;
	*at = digits;
	if (letter == 'x')
		*(*to)++ = (char)n;
	else
		*to = put_utf8(*to, n);
	return true;
}

/* Decodes what follows a backslash. */
static char *decode_escape(char *to, const char **at, const char *end)
{
	static const char from[] = "abeEfnrtv\\'\"?";
	static const char into[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	char c = *(*at)++;
	const char *known = strchr(from, c);

	if (known) {
		*to++ = into[known - from];
	} else if (c >= '0' && c <= '7') {
		--*at;
		*to++ = (char)read_digits(at, end, 8, 3);
	} else if (c == 'c' && *at < end) {
		char k = *(*at)++;

		if (k == '\\' && *at < end && **at == '\\')
			++*at;
		*to++ = k == '?' ? 127 : (char)(ascii_toupper((unsigned char)k) & 0x1f);
	} else if ((c != 'x' && c != 'u' && c != 'U') || !decode_hex(&to, at, end, c)) {
		*to++ = '\\';
		*to++ = c;
	}
	return to;
}

bool scan_ansi(struct parser *p)
{
	const char *raw = p->at, *from = raw + 2, *end = from, *at;
	char *text, *to;

	while (end < p->limit && *end != '\'')
		end += *end == '\\' && end + 1 < p->limit ? 2 : 1;
	if (end >= p->limit) {
		fail_eof(p, raw, line_of(p, raw), '\'');
		return false;
	}
	/* No escape is longer decoded than written, but \u with one digit: 3 bytes from 3. */
	text = to = arena_alloc(p->arena, (size_t)(end - from) + 8);
	at = from;
	while (at < end) {
		char *was = to;

		if (*at != '\\') {
			*to++ = *at++;
			continue;
		}
		at++;
		to = decode_escape(to, &at, end);
		if (to > was && !*was && to == was + 1) { /* a NUL ends the string */
			to = was;
			break;
		}
	}
	*to = '\0';
	part_text(p, raw, (size_t)(end + 1 - raw), (struct str){text, (size_t)(to - text)},
	          PART_ANSI);
	p->at = end + 1;
	return true;
}

/* ---- Words of run-time text -------------------------------------------------- */

struct word *parser_word(struct parser *p)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;
	struct word *w;

	if (!scan_plain(p, PLAIN_TEXT, p->flags & PARSE_EXTGLOB ? PLAIN_EXTGLOB : 0))
		return NULL;
	w = word_new(p, raw, mark);
	word_tildes(p, w, TILDE_START);
	return w;
}
