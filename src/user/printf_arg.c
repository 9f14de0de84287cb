/* printf_arg.c - printf's arguments as numbers, and what is said about those that are none. */
#include "printf.h"

const char *printf_next(struct printf_run *r)
{
	if (r->at >= r->argc)
		return NULL;
	return r->argv[r->at++];
}

/* 'c or "c: the character's number. False when the argument has not that shape. */
static bool char_value(struct printf_run *r, const char *s, int64_t *v)
{
	size_t n;
	unsigned len;
	uint32_t c;

	if (*s != '\'' && *s != '"')
		return false;
	if (!s[1]) {
		*v = 0;
		return r->h->bash_style;
	}
	n = strlen(s + 1);
	c = u_utf8(r->h->p) ? utf8_decode(s + 1, n, &len) : UTF8_BAD;
	if (c == UTF8_BAD) {
		c = (unsigned char)s[1];
		len = 1;
	}
	*v = c;
	if (!r->h->bash_style && n > len && !u_getenv(r->h->p, "POSIXLY_CORRECT"))
		printf_warn(
		        r,
		        "warning: %s: character(s) following character constant have been ignored",
		        s + 1 + len);
	return true;
}

static void bad_number(struct printf_run *r, const char *s, const char *end)
{
	r->status = 1;
	if (!r->h->bash_style)
		printf_warn(r, "%s: %s", u_quote(r->h->p, s),
		            end == s ? "expected a numeric value"
		                     : "value not completely converted");
	else if (s[0] == '0' && ascii_digit((unsigned char)s[1]))
		printf_warn(r, "%s: invalid octal number", s);
	else if (s[0] == '0' && s[1] == 'x')
		printf_warn(r, "%s: invalid hex number", s);
	else
		printf_warn(r, "%s: invalid number", s);
}

static void out_of_range(struct printf_run *r, const char *s)
{
	if (r->h->bash_style) {
		printf_warn(r, "warning: %s: %s", s, errno_text(NACRE_ERANGE));
		return;
	}
	r->status = 1;
	printf_warn(r, "%s: %s", u_quote(r->h->p, s), errno_text(NACRE_ERANGE));
}

static void check_number(struct printf_run *r, const char *s, const char *end, bool over)
{
	bool bad = *end || (r->h->bash_style && end == s && *s);

	/* GNU looks at the range first, bash at the shape. */
	if (over && (!r->h->bash_style || !bad))
		out_of_range(r, s);
	else if (bad)
		bad_number(r, s, end);
}

int64_t printf_signed(struct printf_run *r)
{
	const char *s = printf_next(r), *end;
	int64_t v = 0;
	bool over;

	if (!s || char_value(r, s, &v))
		return v;
	v = num_i64(s, &end, 0, &over);
	check_number(r, s, end, over);
	return v;
}

uint64_t printf_unsigned(struct printf_run *r)
{
	const char *s = printf_next(r), *end;
	int64_t c = 0;
	uint64_t v;
	bool over;

	if (!s || char_value(r, s, &c))
		return (uint64_t)c;
	v = num_u64(s, &end, 0, &over);
	check_number(r, s, end, over);
	return v;
}

/* Whether the text of a number that became `v` says something else: infinite or too small to be
 * told. */
static bool float_range(const char *s, long double v)
{
	long double a = v < 0 ? -v : v;

	while (ascii_space((unsigned char)*s))
		s++;
	if (*s == '-' || *s == '+')
		s++;
	if (a > LDBL_MAX)
		return !ascii_alpha((unsigned char)*s);
	if (a >= LDBL_MIN || a != a)
		return false;
	if (s[0] == '0' && (s[1] | 32) == 'x') {
		for (s += 2; ascii_xdigit((unsigned char)*s) || *s == '.'; s++) {
			if (*s != '0' && *s != '.')
				return true;
		}
		return false;
	}
	for (; ascii_digit((unsigned char)*s) || *s == '.'; s++) {
		if (*s != '0' && *s != '.')
			return true;
	}
	return false;
}

long double printf_float(struct printf_run *r)
{
	const char *s = printf_next(r), *end;
	long double v;
	int64_t c = 0;

	if (!s || char_value(r, s, &c))
		return (long double)c;
	v = num_ldouble(s, &end);
	check_number(r, s, end, end != s && float_range(s, v));
	return v;
}

bool printf_star(struct printf_run *r, int *out, bool precision)
{
	const char *s = r->at < r->argc ? r->argv[r->at] : NULL;
	int64_t v = printf_signed(r);

	if (v >= INT32_MIN && v <= INT32_MAX) {
		*out = (int)v;
		return true;
	}
	if (!r->h->bash_style && precision && v < 0) {
		*out = -1;
		return true;
	}
	if (!r->h->bash_style) {
		printf_warn(r, "invalid %s: %s", precision ? "precision" : "field width",
		            u_quote(r->h->p, s ? s : ""));
		r->status = 1;
		return false;
	}
	/* bash names the argument after it. */
	if (r->at < r->argc)
		out_of_range(r, r->argv[r->at]);
	*out = v < 0 ? INT32_MIN : INT32_MAX;
	return true;
}
