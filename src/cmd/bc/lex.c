/* lex.c - bc's words. */
#include "bc.h"

static const char *const keywords[] = {"auto", "break", "continue", "define", "else", "for", "halt", "if", "ibase", "last", "length",
				       "obase", "print", "quit", "read", "return", "scale", "sqrt", "void", "while", "limits", "warranty"};

bool bc_is_word(const struct bc *b, const char *w)
{
	return b->token == T_KEYWORD && strlen(w) == b->word_len && memcmp(w, b->word, b->word_len) == 0;
}

static void skip_blanks(struct bc *b)
{
	for (;;) {
		while (b->s < b->end && (*b->s == ' ' || *b->s == '\t' || *b->s == '\r'))
			b->s++;
		if (b->s + 1 < b->end && b->s[0] == '\\' && b->s[1] == '\n') {
			b->s += 2;
			b->line++;
		} else if (b->s + 1 < b->end && b->s[0] == '/' && b->s[1] == '*') {
			for (b->s += 2; b->s < b->end && !(b->s[0] == '*' && b->s + 1 < b->end && b->s[1] == '/'); b->s++)
				b->line += *b->s == '\n';
			b->s = MIN(b->s + 2, b->end);
		} else if (b->s < b->end && *b->s == '#') {
			while (b->s < b->end && *b->s != '\n')
				b->s++;
		} else {
			return;
		}
	}
}

static bool number_char(char c)
{
	return ascii_digit(c) || (c >= 'A' && c <= 'Z') || c == '.';
}

/* Digits go on after a backslash at the end of a line. */
static void read_number(struct bc *b)
{
	struct u_buf t;
	bool point = false;

	u_buf_init(&t, b->p, 0);
	for (; b->s < b->end; b->s++) {
		if (b->s + 1 < b->end && b->s[0] == '\\' && b->s[1] == '\n') {
			b->s++;
			b->line++;
			continue;
		}
		if (!number_char(*b->s) || (*b->s == '.' && point))
			break;
		point |= *b->s == '.';
		u_buf_putc(&t, *b->s);
	}
	b->word = t.ptr;
	b->word_len = t.len;
	b->token = t.len == 1 && point ? T_KEYWORD : T_NUMBER;
	if (b->token == T_KEYWORD) {
		b->word = "last";
		b->word_len = 4;
	}
}

static void read_name(struct bc *b)
{
	b->word = b->s;
	while (b->s < b->end && ((*b->s >= 'a' && *b->s <= 'z') || ascii_digit(*b->s) || *b->s == '_'))
		b->s++;
	b->word_len = (size_t)(b->s - b->word);
	b->token = T_NAME;
	for (size_t i = 0; i < COUNTOF(keywords); i++) {
		if (strlen(keywords[i]) == b->word_len && memcmp(keywords[i], b->word, b->word_len) == 0)
			b->token = T_KEYWORD;
	}
}

static void read_operator(struct bc *b)
{
	char c = *b->s++, d = b->s < b->end ? *b->s : '\0';

	b->token = (unsigned char)c;
	b->word = b->s - 1;
	if (strchr("+-*/%^", c) && d == '=') {
		b->token = T_ASSIGN;
		b->s++;
	} else if ((c == '+' || c == '-') && d == c) {
		b->token = T_STEP;
		b->s++;
	} else if (c == '=' || c == '<' || c == '>' || c == '!') {
		if (d == '=') {
			b->token = c == '=' ? T_EQ : c == '<' ? T_LE : c == '>' ? T_GE : T_NE;
			b->s++;
		} else if (c == '=') {
			b->token = T_ASSIGN;
		}
	} else if ((c == '&' || c == '|') && d == c) {
		b->token = c == '&' ? T_AND : T_OR;
		b->s++;
	}
}

void bc_next(struct bc *b)
{
	sys_checkpoint(b->p);
	skip_blanks(b);
	if (b->s >= b->end) {
		b->token = T_END;
		return;
	}
	if (*b->s == '\n') {
		b->s++;
		b->token = '\n';
	} else if (*b->s == '"') {
		b->word = ++b->s;
		while (b->s < b->end && *b->s != '"')
			b->line += *b->s++ == '\n';
		b->word_len = (size_t)(b->s - b->word);
		b->s += b->s < b->end;
		b->token = T_STRING;
	} else if (number_char(*b->s)) {
		read_number(b);
	} else if (*b->s >= 'a' && *b->s <= 'z') {
		read_name(b);
	} else {
		read_operator(b);
	}
}
