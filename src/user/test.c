/* test.c - the conditions of test and [.
 *
 * Up to four arguments are read by their number, as POSIX says; more are an expression of
 * -o, -a, !, parentheses and primaries. Everything is evaluated, so that an error anywhere is
 * reported; the first error is the one told, and ends the evaluation. */
#include "user.h"

#define MAX_DEPTH 200

struct test {
	struct u_test_host *h;
	char *const *v;
	int n, at;
	int depth;
	bool failed;
};

/* ---- Errors ---------------------------------------------------------------------- */

enum problem {
	NEED_ARGUMENT,
	NEED_UNARY,
	NEED_BINARY,
	NEED_CLOSE,
	NEED_INTEGER,
	UNEXPECTED,
	TOO_MANY,
	TOO_DEEP
};

static char *bash_words(struct proc *p, enum problem what, const char *arg)
{
	switch (what) {
	case NEED_ARGUMENT: return u_strdup(p, "argument expected");
	case NEED_UNARY: return u_format(p, "%s: unary operator expected", arg);
	case NEED_BINARY: return u_format(p, "%s: binary operator expected", arg);
	case NEED_INTEGER: return u_format(p, "%s: integer expression expected", arg);
	case UNEXPECTED: return u_format(p, "syntax error: `%s' unexpected", arg);
	case TOO_MANY: return u_strdup(p, "too many arguments");
	case TOO_DEEP: return u_strdup(p, "expression recursion level exceeded");
	case NEED_CLOSE: break;
	}
	return arg ? u_format(p, "`)' expected, found %s", arg) : u_strdup(p, "`)' expected");
}

static char *gnu_words(struct test *t, enum problem what, const char *arg)
{
	struct proc *p = t->h->p;

	switch (what) {
	case NEED_ARGUMENT:
		return u_format(p, "missing argument after %s", u_quote(p, t->v[t->n - 1]));
	case NEED_UNARY: return u_format(p, "%s: unary operator expected", u_quote(p, arg));
	case NEED_BINARY: return u_format(p, "%s: binary operator expected", u_quote(p, arg));
	case NEED_INTEGER: return u_format(p, "invalid integer %s", u_quote(p, arg));
	case UNEXPECTED:
	case TOO_MANY: return u_format(p, "extra argument %s", u_quote(p, arg));
	case TOO_DEEP: return u_strdup(p, "expression recursion level exceeded");
	case NEED_CLOSE: break;
	}
	return arg ? u_format(p, "')' expected, found %s", u_quote(p, arg))
	           : u_strdup(p, "')' expected");
}

static bool fail(struct test *t, enum problem what, const char *arg)
{
	if (!t->failed)
		t->h->warn(t->h, t->h->gnu_style ? gnu_words(t, what, arg)
		                                 : bash_words(t->h->p, what, arg));
	t->failed = true;
	return false;
}

/* ---- Files --------------------------------------------------------------------------- */

static int compare_times(struct sys_time a, struct sys_time b)
{
	if (a.sec != b.sec)
		return a.sec < b.sec ? -1 : 1;
	return a.nsec < b.nsec ? -1 : a.nsec > b.nsec;
}

int u_test_files(struct proc *p, const char *a, const char *op, const char *b)
{
	struct sys_stat sa, sb;
	bool ha = sys_stat(p, a, 0, &sa) == 0, hb = sys_stat(p, b, 0, &sb) == 0;

	if (streq(op, "-ef"))
		return ha && hb && sa.dev == sb.dev && sa.ino == sb.ino;
	if (streq(op, "-nt"))
		return ha && (!hb || compare_times(sa.mtime, sb.mtime) > 0);
	return hb && (!ha || compare_times(sa.mtime, sb.mtime) < 0);
}

static bool has_type(struct proc *p, const char *path, uint32_t type, unsigned flags)
{
	struct sys_stat st;

	return sys_stat(p, path, flags, &st) == 0 && (st.mode & SYS_S_TYPE) == type;
}

static bool mode_bit(struct proc *p, const char *path, uint32_t bit)
{
	struct sys_stat st;

	return sys_stat(p, path, 0, &st) == 0 && (st.mode & bit);
}

/* A file descriptor's number with nothing else: -1 when it is none. */
static int descriptor(const char *s)
{
	const char *end;
	bool over;
	int64_t fd = num_i64(s, &end, 10, &over);

	while (ascii_space((unsigned char)*end))
		end++;
	return end == s || *end || over || fd < 0 || fd > INT32_MAX ? -1 : (int)fd;
}

int u_test_unary(struct proc *p, char op, const char *arg)
{
	struct sys_stat st;

	switch (op) {
	case 'a':
	case 'e': return sys_stat(p, arg, 0, &st) == 0;
	case 'b': return has_type(p, arg, SYS_S_BLOCK, 0);
	case 'c': return has_type(p, arg, SYS_S_CHAR, 0);
	case 'd': return has_type(p, arg, SYS_S_DIR, 0);
	case 'f': return has_type(p, arg, SYS_S_FILE, 0);
	case 'p': return has_type(p, arg, SYS_S_FIFO, 0);
	case 'S': return has_type(p, arg, SYS_S_SOCK, 0);
	case 'h':
	case 'L': return has_type(p, arg, SYS_S_LINK, SYS_NOFOLLOW);
	case 'g': return mode_bit(p, arg, 02000);
	case 'u': return mode_bit(p, arg, 04000);
	case 'k': return mode_bit(p, arg, 01000);
	case 's': return sys_stat(p, arg, 0, &st) == 0 && st.size > 0;
	case 'r': return sys_access(p, arg, SYS_R_OK) == 0;
	case 'w': return sys_access(p, arg, SYS_W_OK) == 0;
	case 'x': return sys_access(p, arg, SYS_X_OK) == 0;
	/* A sandbox has one user: who may look at a file owns it. */
	case 'O':
	case 'G': return sys_stat(p, arg, 0, &st) == 0;
	case 'N': return sys_stat(p, arg, 0, &st) == 0 && compare_times(st.mtime, st.atime) > 0;
	case 't': return descriptor(arg) >= 0 && sys_isatty(p, descriptor(arg));
	case 'n': return *arg != '\0';
	case 'z': return *arg == '\0';
	default: return 0;
	}
}

/* ---- Primaries ---------------------------------------------------------------------------- */

static bool is_op(const char *s, char c)
{
	return s[0] == c && !s[1];
}

static bool looks_unary(const char *s)
{
	return s[0] == '-' && s[1] && !s[2];
}

static bool is_unary(const struct test *t, const char *s)
{
	const char *letters = t->h->gnu_style ? "bcdefghknprstuwxzGLNOS"
	                                      : "abcdefghknoprstuvwxzGLNORS";

	return looks_unary(s) && strchr(letters, s[1]);
}

/* -nt, -ot, -ef */
static bool compares_files(const char *op)
{
	return (op[2] == 't' && (op[1] == 'n' || op[1] == 'o')) || (op[1] == 'e' && op[2] == 'f');
}

static bool is_binary(const struct test *t, const char *s)
{
	switch (s[0]) {
	case '=': return !s[1] || is_op(s + 1, '=');
	case '!': return is_op(s + 1, '=');
	case '<':
	case '>': return !s[1] && !t->h->gnu_style;
	case '-': break;
	default: return false;
	}
	if (!s[1] || !s[2] || s[3])
		return false;
	switch (s[1]) {
	case 'e': return s[2] == 'q' || s[2] == 'f';
	case 'n': return s[2] == 'e' || s[2] == 't';
	case 'l':
	case 'g': return s[2] == 't' || s[2] == 'e';
	case 'o': return s[2] == 't';
	default: return false;
	}
}

static bool unary_value(struct test *t, char op, const char *arg)
{
	struct u_test_host *h = t->h;

	if (op == 'v' && !h->gnu_style)
		return h->is_set && h->is_set(h, arg);
	if (op == 'o' && !h->gnu_style)
		return h->option && h->option(h, arg);
	if (op == 'R' && !h->gnu_style)
		return h->is_ref && h->is_ref(h, arg);
	return u_test_unary(h->p, op, arg);
}

/* A decimal integer with blanks around it: its sign, and its digits without leading zeros. */
struct integer {
	bool negative;
	const char *digits;
	size_t n;
};

static bool read_integer(struct test *t, const char *s, struct integer *out)
{
	const char *p = s;
	bool over;

	while (ascii_space((unsigned char)*p))
		p++;
	out->negative = *p == '-';
	if (*p == '-' || *p == '+')
		p++;
	out->digits = p;
	while (ascii_digit((unsigned char)*p))
		p++;
	out->n = (size_t)(p - out->digits);
	if (out->n == 0)
		return fail(t, NEED_INTEGER, s);
	while (ascii_space((unsigned char)*p))
		p++;
	if (*p)
		return fail(t, NEED_INTEGER, s);
	/* bash has 64 bits, GNU's test any number of digits. */
	if (out->n > 18 && !t->h->gnu_style) {
		num_i64(s, NULL, 10, &over);
		if (over)
			return fail(t, NEED_INTEGER, s);
	}
	while (out->n > 1 && *out->digits == '0') {
		out->digits++;
		out->n--;
	}
	if (out->n == 1 && *out->digits == '0')
		out->negative = false;
	return true;
}

static bool is_integer(const char *s)
{
	const char *end;
	bool over;

	num_i64(s, &end, 10, &over);
	while (end > s && ascii_space((unsigned char)*end))
		end++;
	return end > s && !*end && !over;
}

/* "-x ARG" at t->at. */
static bool unary(struct test *t)
{
	char op = t->v[t->at][1];
	struct integer number;

	t->at++;
	if (op == 't' && !t->h->gnu_style) {
		/* bash takes the argument only when it is a number. */
		if (t->at >= t->n)
			return u_test_unary(t->h->p, 't', "1");
		if (!is_integer(t->v[t->at]))
			return false;
	}
	if (t->at >= t->n)
		return fail(t, NEED_ARGUMENT, NULL);
	t->at++;
	if (op == 't' && t->h->gnu_style && !read_integer(t, t->v[t->at - 1], &number))
		return false;
	return unary_value(t, op, t->v[t->at - 1]);
}

static int compare_integers(const struct integer *a, const struct integer *b)
{
	int r;

	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	if (a->n != b->n)
		r = a->n < b->n ? -1 : 1;
	else
		r = memcmp(a->digits, b->digits, a->n);
	return a->negative ? -r : r;
}

static bool numbers(struct test *t, const char *a, const char *op, const char *b)
{
	struct integer x, y;
	int c;

	if (!read_integer(t, a, &x) || !read_integer(t, b, &y))
		return false;
	c = compare_integers(&x, &y);
	switch (op[1]) {
	case 'e': return c == 0;
	case 'n': return c != 0;
	case 'l': return op[2] == 't' ? c < 0 : c <= 0;
	default: return op[2] == 't' ? c > 0 : c >= 0;
	}
}

/* "A op B" at t->at. */
static bool binary(struct test *t)
{
	const char *a = t->v[t->at], *op = t->v[t->at + 1], *b = t->v[t->at + 2];

	t->at += 3;
	switch (op[0]) {
	case '=': return streq(a, b);
	case '!': return !streq(a, b);
	case '<': return strcmp(a, b) < 0;
	case '>': return strcmp(a, b) > 0;
	default: break;
	}
	if (compares_files(op))
		return u_test_files(t->h->p, a, op, b);
	return numbers(t, a, op, b);
}

/* ---- Expressions ------------------------------------------------------------------------------
 */

static bool parse_or(struct test *t);
static bool by_count(struct test *t, int n);

/* How many arguments up to the closing parenthesis, as GNU's test counts: more than four do not
 * matter. */
static int group_size(const struct test *t)
{
	for (int n = 1; n < 4; n++) {
		if (t->at + n >= t->n)
			return n;
		if (is_op(t->v[t->at + n], ')'))
			return n;
	}
	return t->at + 4 < t->n && is_op(t->v[t->at + 4], ')') ? 4 : t->n - t->at;
}

static bool parse_group(struct test *t)
{
	bool r;

	t->at++;
	if (t->at >= t->n)
		return fail(t, NEED_ARGUMENT, NULL);
	if (t->h->gnu_style)
		r = by_count(t, group_size(t));
	else
		r = parse_or(t);
	if (t->failed)
		return false;
	if (t->at >= t->n)
		return fail(t, NEED_CLOSE, NULL);
	if (!is_op(t->v[t->at], ')'))
		return fail(t, NEED_CLOSE, t->v[t->at]);
	t->at++;
	return r;
}

static bool parse_term(struct test *t)
{
	bool negate = false, r;

	while (t->at < t->n && is_op(t->v[t->at], '!')) {
		negate = !negate;
		t->at++;
	}
	if (t->at >= t->n)
		return fail(t, NEED_ARGUMENT, NULL);
	if (is_op(t->v[t->at], '('))
		r = parse_group(t);
	else if (t->at + 3 <= t->n && is_binary(t, t->v[t->at + 1]))
		r = binary(t);
	else if (looks_unary(t->v[t->at]) && t->h->gnu_style)
		r = is_unary(t, t->v[t->at]) ? unary(t) : fail(t, NEED_UNARY, t->v[t->at]);
	else if (t->at + 2 <= t->n && is_unary(t, t->v[t->at]))
		r = unary(t);
	else
		r = *t->v[t->at++] != '\0';
	return r != negate;
}

static bool is_word(const struct test *t, const char *word)
{
	return !t->failed && t->at < t->n && streq(t->v[t->at], word);
}

static bool parse_and(struct test *t)
{
	bool r = parse_term(t);

	while (is_word(t, "-a")) {
		bool right;

		t->at++;
		right = parse_term(t);
		r = r && right;
	}
	return r;
}

static bool parse_or(struct test *t)
{
	bool r = false, right;

	if (++t->depth > MAX_DEPTH)
		return fail(t, TOO_DEEP, NULL);
	r = parse_and(t);
	while (is_word(t, "-o")) {
		t->at++;
		right = parse_and(t);
		r = r || right;
	}
	t->depth--;
	return r;
}

static bool expression(struct test *t)
{
	if (t->at >= t->n)
		return fail(t, NEED_ARGUMENT, NULL);
	return parse_or(t);
}

/* ---- By the number of arguments
 * ------------------------------------------------------------------ */

static bool one(struct test *t)
{
	return *t->v[t->at++] != '\0';
}

static bool two(struct test *t)
{
	const char *a = t->v[t->at];

	if (is_op(a, '!')) {
		t->at++;
		return !one(t);
	}
	if (is_unary(t, a)) {
		int end = t->at + 2;
		bool r = unary(t);

		t->at = end; /* also when -t did not take its argument */
		return r;
	}
	if (t->h->gnu_style && !looks_unary(a))
		return fail(t, NEED_ARGUMENT, NULL);
	return fail(t, NEED_UNARY, a);
}

static bool three(struct test *t)
{
	const char *a = t->v[t->at], *op = t->v[t->at + 1], *b = t->v[t->at + 2];

	if (is_binary(t, op))
		return binary(t);
	if (!t->h->gnu_style && (streq(op, "-a") || streq(op, "-o"))) {
		t->at += 3;
		return op[1] == 'a' ? *a && *b : *a || *b;
	}
	if (is_op(a, '!')) {
		t->at++;
		return !two(t);
	}
	if (is_op(a, '(') && is_op(b, ')')) {
		t->at += 3;
		return *op != '\0';
	}
	if (t->h->gnu_style && (streq(op, "-a") || streq(op, "-o")))
		return expression(t);
	return fail(t, NEED_BINARY, op);
}

static bool four(struct test *t)
{
	bool r;

	if (is_op(t->v[t->at], '!')) {
		t->at++;
		return !three(t);
	}
	if (is_op(t->v[t->at], '(') && is_op(t->v[t->at + 3], ')')) {
		t->at++;
		r = two(t);
		t->at++;
		return r;
	}
	return expression(t);
}

static bool by_count(struct test *t, int n)
{
	switch (n) {
	case 1: return one(t);
	case 2: return two(t);
	case 3: return three(t);
	case 4: return four(t);
	default: return expression(t);
	}
}

int u_test(struct u_test_host *h, int argc, char *const *argv)
{
	struct test t = {.h = h, .v = argv, .n = argc};
	bool r;

	if (argc == 0)
		return 1;
	r = by_count(&t, argc);
	if (!t.failed && t.at < t.n)
		fail(&t, *t.v[t.at] == '-' ? UNEXPECTED : TOO_MANY, t.v[t.at]);
	return t.failed ? 2 : !r;
}
