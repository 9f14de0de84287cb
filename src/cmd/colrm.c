/*
 * colrm.c - takes columns out of lines.
 *
 * Columns are those of a terminal: a tab goes to the next stop of eight, a backspace one back, a wide character takes two.
 * A character that is cut in half leaves a blank.
 */
#include "cmd.h"

struct line {
	const char *s;
	size_t n, at;
	uint64_t column;
	bool utf8;
};

/* The next character: its bytes, the column after it in l->column; 0 at the end. */
static size_t next(struct line *l, const char **ptr)
{
	unsigned len = 1;
	uint32_t c;
	int w;

	if (l->at == l->n)
		return 0;
	*ptr = l->s + l->at;
	c = l->utf8 ? utf8_decode(*ptr, l->n - l->at, &len) : (unsigned char)**ptr;
	l->at += len;
	if (c == '\t') {
		l->column = (l->column + 8) & ~(uint64_t)7;
	} else if (c == '\b') {
		l->column -= l->column > 0;
	} else {
		/* A byte that is no character is a column of its own. */
		w = c == UTF8_BAD || (!l->utf8 && c >= 0x80) ? 1 : utf8_width(c);
		l->column += (uint64_t)MAX(w, 0);
	}
	return len;
}

static void blanks(struct u_out *out, uint64_t from, uint64_t to)
{
	for (; from < to; from++) {
		u_putc(out, ' ');
		sys_checkpoint(out->p);
	}
}

/* Columns `first` to `last` go; first 0: none, last 0: all after first. */
static void cut(struct u_out *out, struct line *l, uint64_t first, uint64_t last)
{
	const char *c;
	uint64_t before;
	size_t n;

	for (;;) {
		before = l->column;
		n = next(l, &c);
		if (n == 0)
			return;
		if (first && l->column >= first)
			break;
		u_put(out, c, n);
	}
	/* What the character that reaches `first` leaves of its columns. */
	blanks(out, before + 1, first);
	while (!last || l->column < last) {
		if (next(l, &c) == 0)
			return;
	}
	before = l->column;
	n = next(l, &c);
	if (n == 0)
		return;
	blanks(out, last, before);
	for (; n > 0; n = next(l, &c))
		u_put(out, c, n);
}

static uint64_t column(struct proc *p, const char *s, const char *which)
{
	uint64_t v = 0;
	size_t i = s[0] == '+';

	for (; ascii_digit(s[i]); i++) {
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			u_die(p, 1, -NACRE_ERANGE, "%s argument: '%s'", which, s);
	}
	if (s[i] || !ascii_digit(s[i - (i > 0)]))
		u_die(p, 1, 0, "%s argument: '%s'", which, s);
	return v;
}

static int colrm_main(struct proc *p, const struct cmd_args *a)
{
	uint64_t first = a->argc > 0 ? column(p, a->argv[0], "first") : 0;
	uint64_t last = a->argc > 1 ? column(p, a->argv[1], "second") : 0;
	struct u_out *out = u_stdout(p);
	struct u_lines r;
	struct str s;

	u_lines_init(&r, p, 0, '\n');
	while (u_lines_next(&r, &s)) {
		struct line l = {.s = s.ptr, .n = s.len, .utf8 = u_utf8(p)};

		cut(out, &l, first, last);
		sys_checkpoint_n(p, (uint32_t)MIN(s.len / 16 + 1, (size_t)1 << 20));
		if (r.ended)
			u_putc(out, '\n');
	}
	return 0;
}

static const struct cmd_example colrm_examples[] = {
	{"echo abcdef | colrm 3 4", "abef\n"},
	{"echo abcdef | colrm 3", "ab\n"},
};

const struct cmd cmd_colrm = {
	.name = "colrm",
	.summary = "take columns out of the lines of standard input",
	.synopsis = "[FIRST [LAST]]",
	.description = "Columns are counted from 1. Without LAST all from FIRST on go.",
	.main = colrm_main,
	.examples = colrm_examples,
	.nexamples = COUNTOF(colrm_examples),
};
