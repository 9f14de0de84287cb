/*
 * expr.c - evaluate an expression given as arguments.
 *
 * A value is a string; where it looks like a whole number it is one, of any size. The
 * levels of precedence are functions, lowest first; what | and & do not need is parsed
 * but not evaluated.
 */
#include "expr/big.h"

struct expr {
	struct proc *p;
	char *const *arg;	/* the next argument; NULL-terminated */
	bool utf8;
};

static const char *eval_or(struct expr *e, bool on);

/* ---- Arguments ----------------------------------------------------------------------------- */

static bool take(struct expr *e, const char *word)
{
	if (!*e->arg || !streq(*e->arg, word))
		return false;
	e->arg++;
	return true;
}

static void need_more(struct expr *e)
{
	if (!*e->arg)
		u_die(e->p, 2, 0, "syntax error: missing argument after %s", u_quote(e->p, e->arg[-1]));
}

static bool is_null(const char *s)
{
	if (!*s)
		return true;
	s += *s == '-';
	return *s && !s[strspn(s, "0")];
}

static const char *number(struct expr *e, int64_t n)
{
	return u_format(e->p, "%lld", (long long)n);
}

/* ---- Strings --------------------------------------------------------------------------------- */

static size_t length(const struct expr *e, const char *s, size_t n)
{
	return e->utf8 ? utf8_count(s, n) : n;
}

static size_t char_size(const struct expr *e, const char *s)
{
	unsigned len = 1;

	if (e->utf8)
		utf8_decode(s, strlen(s), &len);
	return len;
}

static const char *match(struct expr *e, const char *s, const char *pattern)
{
	struct arena *a = &sys_self(e->p)->arena;
	struct regex_error err;
	struct regex_span m[2];
	struct regex *re = regex_compile(a, pattern, strlen(pattern), REGEX_LOOSE_BRE | (e->utf8 ? REGEX_UTF8 : 0),
					 &err);
	int r;

	if (!re)
		u_die(e->p, 2, 0, "%s", err.message);
	r = regex_search(re, regex_scratch_new(a, re, NULL, NULL), s, strlen(s), 0, REGEX_ANCHORED, m, 2);
	if (r < 0)
		u_die(e->p, 3, 0, "%s", regex_failure(r));
	if (regex_groups(re) == 0)
		return number(e, r ? (int64_t)length(e, s, m[0].end) : 0);
	if (r == 0 || m[1].start == REGEX_UNSET)
		return "";
	return u_strndup(e->p, s + m[1].start, m[1].end - m[1].start);
}

/* The position of the first character of s that is in `set`. */
static const char *find_any(struct expr *e, const char *s, const char *set)
{
	int64_t at = 1;

	for (; *s; at++) {
		size_t n = char_size(e, s);

		for (const char *t = set; *t; t += char_size(e, t)) {
			if (char_size(e, t) == n && memcmp(s, t, n) == 0)
				return number(e, at);
		}
		sys_checkpoint(e->p);
		s += n;
	}
	return "0";
}

/* A position or length: negative and huge ones are cut to what makes a difference. */
static bool position(struct expr *e, const char *s, size_t *out)
{
	struct big n;

	if (!big_is_number(s))
		return false;
	n = big_parse(e->p, s);
	if (n.negative || n.n == 0)
		return false;
	*out = n.n > 1 ? SIZE_MAX / 2 : n.v[0];
	return true;
}

static const char *substr(struct expr *e, const char *s, const char *pos, const char *len)
{
	size_t from, n, start, end, size = strlen(s);

	if (!position(e, pos, &from) || !position(e, len, &n))
		return "";
	start = e->utf8 ? utf8_offset(s, size, from - 1) : MIN(from - 1, size);
	end = start + (e->utf8 ? utf8_offset(s + start, size - start, n) : MIN(n, size - start));
	return u_strndup(e->p, s + start, end - start);
}

/* ---- Primaries ----------------------------------------------------------------------------------- */

static const char *eval_primary(struct expr *e, bool on)
{
	const char *v;

	need_more(e);
	if (take(e, "(")) {
		v = eval_or(e, on);
		if (!*e->arg)
			u_die(e->p, 2, 0, "syntax error: expecting ')' after %s", u_quote(e->p, e->arg[-1]));
		if (!take(e, ")"))
			u_die(e->p, 2, 0, "syntax error: expecting ')' instead of %s", u_quote(e->p, *e->arg));
		return v;
	}
	if (take(e, ")"))
		u_die(e->p, 2, 0, "syntax error: unexpected ')'");
	return *e->arg++;
}

static const char *eval_word(struct expr *e, bool on)
{
	const char *a, *b, *c;

	if (!sys_stack(e->p, 4096))
		u_die(e->p, 3, 0, "expression is nested too deeply");
	if (take(e, "+")) {
		need_more(e);
		a = *e->arg++;
	} else if (take(e, "length")) {
		a = eval_word(e, on);
		a = number(e, (int64_t)length(e, a, strlen(a)));
	} else if (take(e, "match")) {
		a = eval_word(e, on);
		b = eval_word(e, on);
		a = on ? match(e, a, b) : a;
	} else if (take(e, "index")) {
		a = eval_word(e, on);
		b = eval_word(e, on);
		a = find_any(e, a, b);
	} else if (take(e, "substr")) {
		a = eval_word(e, on);
		b = eval_word(e, on);
		c = eval_word(e, on);
		a = substr(e, a, b, c);
	} else {
		a = eval_primary(e, on);
	}
	return a;
}

/* ---- Operators ------------------------------------------------------------------------------------- */

static const char *eval_match(struct expr *e, bool on)
{
	const char *v = eval_word(e, on), *w;

	while (take(e, ":")) {
		w = eval_word(e, on);
		if (on)
			v = match(e, v, w);
	}
	return v;
}

static const char *arithmetic(struct expr *e, char op, const char *v, const char *w)
{
	struct proc *p = e->p;
	struct big a, b, q, r;

	if (!big_is_number(v) || !big_is_number(w))
		u_die(p, 2, 0, "non-integer argument");
	a = big_parse(p, v);
	b = big_parse(p, w);
	switch (op) {
	case '+': r = big_add(p, &a, &b); break;
	case '-': r = big_subtract(p, &a, &b); break;
	case '*': r = big_multiply(p, &a, &b); break;
	default:
		if (b.n == 0)
			u_die(p, 2, 0, "division by zero");
		big_divide(p, &a, &b, &q, &r);
		if (op == '/')
			r = q;
		break;
	}
	return big_text(p, &r);
}

static char take_operator(struct expr *e, const char *letters)
{
	const char *s = *e->arg;

	if (!s || !s[0] || s[1] || !strchr(letters, s[0]))
		return 0;
	e->arg++;
	return s[0];
}

static const char *eval_product(struct expr *e, bool on)
{
	const char *v = eval_match(e, on), *w;
	char op;

	while ((op = take_operator(e, "*/%"))) {
		w = eval_match(e, on);
		if (on)
			v = arithmetic(e, op, v, w);
	}
	return v;
}

static const char *eval_sum(struct expr *e, bool on)
{
	const char *v = eval_product(e, on), *w;
	char op;

	while ((op = take_operator(e, "+-"))) {
		w = eval_product(e, on);
		if (on)
			v = arithmetic(e, op, v, w);
	}
	return v;
}

static int compare(struct expr *e, const char *v, const char *w)
{
	struct big a, b;

	if (!big_is_number(v) || !big_is_number(w))
		return strcmp(v, w);
	a = big_parse(e->p, v);
	b = big_parse(e->p, w);
	return big_compare(&a, &b);
}

enum relation { NONE, LESS, LESS_EQUAL, EQUAL, NOT_EQUAL, GREATER_EQUAL, GREATER };

static enum relation take_relation(struct expr *e)
{
	static const struct {
		char name[3];
		enum relation r;
	} v[] = {{"<", LESS},	    {"<=", LESS_EQUAL},	   {"=", EQUAL},  {"==", EQUAL},
		 {"!=", NOT_EQUAL}, {">=", GREATER_EQUAL}, {">", GREATER}};

	for (size_t i = 0; i < COUNTOF(v); i++) {
		if (take(e, v[i].name))
			return v[i].r;
	}
	return NONE;
}

static const char *eval_relation(struct expr *e, bool on)
{
	const char *v = eval_sum(e, on), *w;
	enum relation r;

	while ((r = take_relation(e)) != NONE) {
		int d;

		w = eval_sum(e, on);
		if (!on)
			continue;
		d = compare(e, v, w);
		v = (r == LESS && d < 0) || (r == LESS_EQUAL && d <= 0) || (r == EQUAL && d == 0) ||
				    (r == NOT_EQUAL && d != 0) || (r == GREATER_EQUAL && d >= 0) ||
				    (r == GREATER && d > 0)
			    ? "1"
			    : "0";
	}
	return v;
}

static const char *eval_and(struct expr *e, bool on)
{
	const char *v = eval_relation(e, on), *w;

	while (take(e, "&")) {
		w = eval_relation(e, on && !is_null(v));
		if (is_null(v) || is_null(w))
			v = "0";
	}
	return v;
}

static const char *eval_or(struct expr *e, bool on)
{
	const char *v = eval_and(e, on), *w;

	while (take(e, "|")) {
		w = eval_and(e, on && is_null(v));
		if (is_null(v))
			v = is_null(w) ? "0" : w;
	}
	return v;
}

static int expr_main(struct proc *p, const struct cmd_args *a)
{
	struct expr e = {.p = p, .arg = a->argv, .utf8 = u_utf8(p)};
	const char *v;

	take(&e, "--");
	if (!*e.arg)
		u_usage(p, "missing operand");
	v = eval_or(&e, true);
	if (*e.arg)
		u_die(p, 2, 0, "syntax error: unexpected argument %s", u_quote(p, *e.arg));
	u_printf(u_stdout(p), "%s\n", v);
	return is_null(v);
}

static const struct cmd_example expr_examples[] = {
	{"expr 7 / 2 + 1", "4\n"},
	{"expr file.txt : '\\(.*\\)\\.txt'", "file\n"},
	{"expr length hello", "5\n"},
};

const struct cmd cmd_expr = {
	.name = "expr",
	.summary = "print the value of an expression",
	.synopsis = "EXPRESSION\nOPTION",
	.description =
		"By rising precedence, A and B being expressions:\n"
		"  A | B                A unless it is empty or 0, else B\n"
		"  A & B                A unless one of them is empty or 0, else 0\n"
		"  A < B, <= = != >= >  1 or 0; numbers compare as such, else strings\n"
		"  A + B, A - B\n"
		"  A * B, A / B, A % B\n"
		"  STRING : REGEX       the text of \\(...\\), or how much matches from the start\n"
		"  match STRING REGEX, substr STRING POS LENGTH, index STRING CHARS, length STRING\n"
		"  + WORD, ( A )        WORD as it is; grouping\n"
		"Numbers may be of any size. The status is 0, or 1 when the value is empty or 0, 2 when the\n"
		"expression is wrong.",
	.raw = true,
	.stack_size = 1u << 20, /* parentheses in parentheses */
	.usage_status = 2,
	.failure_status = 3,
	.main = expr_main,
	.examples = expr_examples,
	.nexamples = COUNTOF(expr_examples),
};
