/* ranges.c - lists of numbers such as "1,3-5,8-". */
#include "ranges.h"

static const char *from_one(unsigned flags)
{
	return flags & U_RANGES_BYTES ? "byte/character positions are numbered from 1"
				      : "fields are numbered from 1";
}

/* Reads the digits at s; the number and where they end. */
static const char *number(struct proc *p, const char *s, unsigned flags, uint64_t *out)
{
	size_t n = strspn(s, "0123456789");
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++) {
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v) || v == UINT64_MAX)
			u_usage(p, "%s %s is too large",
				flags & U_RANGES_BYTES ? "byte/character offset" : "field number",
				u_quote_n(p, s, n));
	}
	*out = v;
	return s + n;
}

/* One element up to a comma, a blank or the end. */
static const char *element(struct proc *p, const char *s, unsigned flags, struct u_range *r)
{
	bool bytes = flags & U_RANGES_BYTES, left = false, right = false, dash = false;
	uint64_t a = 0, b = 0;

	for (; *s && *s != ',' && !ascii_blank(*s);) {
		if (*s == '-') {
			if (dash)
				u_usage(p, "%s", bytes ? "invalid byte or character range"
						       : "invalid field range");
			dash = true;
			s++;
			if (left && a == 0)
				u_usage(p, "%s", from_one(flags));
		} else if (ascii_digit(*s)) {
			s = number(p, s, flags, dash ? &b : &a);
			if (dash)
				right = true;
			else
				left = true;
		} else {
			u_usage(p, "invalid %s %s", bytes ? "byte/character position" : "field value",
				u_quote(p, s));
		}
	}
	if (!dash) {
		if (a == 0)
			u_usage(p, "%s", from_one(flags));
		*r = (struct u_range){a, a};
		return s;
	}
	if (!left && !right && !(flags & U_RANGES_ALL_DASH))
		u_usage(p, "invalid range with no endpoint: -");
	*r = (struct u_range){left ? a : 1, right ? b : UINT64_MAX};
	if (r->hi < r->lo)
		u_usage(p, "invalid decreasing range");
	return s;
}

/* A heap sort: the list may be long and hostile. */
static void sift(struct u_range *r, size_t i, size_t n)
{
	struct u_range x = r[i];

	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && r[kid + 1].lo > r[kid].lo)
			kid++;
		if (r[kid].lo <= x.lo)
			break;
		r[i] = r[kid];
	}
	r[i] = x;
}

static void sort(struct u_range *r, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(r, i, n);
	for (size_t i = n; i-- > 1;) {
		struct u_range x = r[0];

		r[0] = r[i];
		r[i] = x;
		sift(r, 0, i);
	}
}

struct u_range *u_ranges_parse(struct proc *p, const char *list, unsigned flags, size_t *n)
{
	size_t cap = 1, count = 0, kept = 0;
	struct u_range *r;

	for (const char *s = list; *s; s++)
		cap += *s == ',' || ascii_blank(*s);
	r = u_array(p, cap, sizeof(*r));
	for (const char *s = list;; s++) {
		s = element(p, s, flags, &r[count++]);
		if (!*s)
			break;
	}
	sort(r, count);
	for (size_t i = 1; i < count; i++) {
		if (r[i].lo <= r[kept].hi)
			r[kept].hi = MAX(r[kept].hi, r[i].hi);
		else
			r[++kept] = r[i];
	}
	*n = kept + 1;
	return r;
}

struct u_range *u_ranges_complement(struct proc *p, const struct u_range *r, size_t *n)
{
	struct u_range *out = u_array(p, *n + 1, sizeof(*out));
	uint64_t next = 1;
	size_t count = 0;

	for (size_t i = 0; i < *n; i++) {
		if (r[i].lo > next)
			out[count++] = (struct u_range){next, r[i].lo - 1};
		if (r[i].hi == UINT64_MAX) {
			*n = count;
			return out;
		}
		next = r[i].hi + 1;
	}
	out[count++] = (struct u_range){next, UINT64_MAX};
	*n = count;
	return out;
}
