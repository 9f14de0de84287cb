/* size.c - sizes in and out of text. */
#include "state.h"

struct unit {
	char letter;
	int power; /* of 1024 or 1000; 0: `fixed` */
	uint64_t fixed;
};

static const struct unit UNITS[] = {
        {'b', 0, 512}, {'B', 0, 1024}, {'c', 0, 1}, {'w', 0, 2}, {'k', 1, 0}, {'K', 1, 0},
        {'m', 2, 0},   {'M', 2, 0},    {'g', 3, 0}, {'G', 3, 0}, {'t', 4, 0}, {'T', 4, 0},
        {'P', 5, 0},   {'E', 6, 0},    {'Z', 7, 0}, {'Y', 8, 0},
};

static const struct unit *unit_named(char c)
{
	for (size_t i = 0; i < COUNTOF(UNITS); i++) {
		if (UNITS[i].letter == c)
			return &UNITS[i];
	}
	return NULL;
}

static bool multiply(uint64_t *v, const struct unit *u, uint64_t base)
{
	bool over = false;

	if (!u->power)
		return __builtin_mul_overflow(*v, u->fixed, v);
	for (int i = 0; i < u->power; i++)
		over |= __builtin_mul_overflow(*v, base, v);
	return over;
}

/* The suffix at s multiplies *v; -NACRE_EINVAL when it is none of those allowed. */
static int apply_suffix(const char *s, const char *suffixes, uint64_t *v, bool *over)
{
	const struct unit *u;
	uint64_t base = 1024;
	size_t used = 1;

	if (!suffixes || !strchr(suffixes, *s))
		return -NACRE_EINVAL;
	u = unit_named(*s);
	if (!u)
		return -NACRE_EINVAL;
	if (u->power && strchr(suffixes, '0')) {
		if (s[1] == 'i' && s[2] == 'B') {
			used = 3;
		} else if (s[1] == 'B' || s[1] == 'D') {
			base = 1000;
			used = 2;
		}
	}
	if (s[used])
		return -NACRE_EINVAL;
	*over |= multiply(v, u, base);
	return 0;
}

int u_parse_size(const char *s, const char *suffixes, uint64_t *out)
{
	const char *p = s, *end;
	bool over = false;
	int r = 0;

	while (ascii_space((unsigned char)*p))
		p++;
	if (*p == '-')
		return -NACRE_EINVAL;
	*out = num_u64(s, &end, 10, &over);
	if (end == s) {
		/* A lone suffix stands for one of it. */
		if (!*s || !suffixes || !strchr(suffixes, *s))
			return -NACRE_EINVAL;
		*out = 1;
	}
	if (*end)
		r = apply_suffix(end, suffixes, out, &over);
	if (r)
		return r;
	if (over) {
		*out = UINT64_MAX;
		return -NACRE_EOVERFLOW;
	}
	return 0;
}

uint64_t u_size_or_die(struct proc *p, const char *s, const char *suffixes, const char *what)
{
	uint64_t v;
	int r = u_parse_size(s, suffixes, &v);

	if (r)
		u_die(p, u_usage_status(p), r == -NACRE_EOVERFLOW ? r : 0, "invalid %s: %s", what,
		      u_quote(p, s));
	return v;
}

const char *u_human(char *buf, uint64_t n, int base)
{
	const char *units = base == 1000 ? "kMGTPE" : "KMGTPE";
	uint64_t b = (uint64_t)base, unit = 1;

	if (n < b) {
		buf[num_put_u64(buf, n)] = '\0';
		return buf;
	}
	for (size_t i = 0; units[i]; i++) {
		uint64_t whole, rest, tenths;

		unit *= b;
		whole = n / unit;
		rest = n % unit;
		if (whole >= b && units[i + 1])
			continue;
		/* Rounded up, as ls and du do: to tenths below 10, else to a whole. rest * 10 <
		 * 2^64. */
		tenths = (rest * 10 + unit - 1) / unit;
		if (whole < 10 && whole * 10 + tenths < 100) {
			fmt_buf(buf, 32, "%d.%d%c", (int)(whole + tenths / 10), (int)(tenths % 10),
			        units[i]);
			return buf;
		}
		whole += rest ? 1 : 0;
		if (whole == b && units[i + 1]) {
			fmt_buf(buf, 32, "1.0%c", units[i + 1]);
			return buf;
		}
		fmt_buf(buf, 32, "%llu%c", (unsigned long long)whole, units[i]);
		return buf;
	}
	return buf;
}
