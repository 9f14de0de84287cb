/* tabs.c - lists of tab stops. */
#include "tabs.h"

void tabs_add(struct proc *p, struct tabs *t, uint64_t stop)
{
	if (t->n == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 16;

		t->stop = arena_grow(&sys_self(p)->arena, t->stop, size_mul(t->cap, sizeof(*t->stop)),
				     size_mul(cap, sizeof(*t->stop)));
		t->cap = cap;
	}
	t->stop[t->n++] = stop;
}

static bool add(struct proc *p, struct tabs *t, uint64_t n, char prefix)
{
	uint64_t *last = prefix == '/' ? &t->extend : &t->increment;

	if (!prefix) {
		tabs_add(p, t, n);
		return true;
	}
	if (*last) {
		u_warn(p, 0, "'%c' specifier only allowed with the last value", prefix);
		return false;
	}
	*last = n;
	return true;
}

void tabs_parse(struct proc *p, struct tabs *t, const char *list)
{
	bool good = true, pending = false;
	char prefix = 0;
	uint64_t n = 0;

	for (const char *s = list; *s && good; s++) {
		if (*s == ',' || ascii_blank(*s)) {
			if (pending)
				good = add(p, t, n, prefix);
			pending = false;
		} else if (*s == '/' || *s == '+') {
			if (pending) {
				u_warn(p, 0, "'%c' specifier not at start of number: %s", *s, u_quote(p, s));
				good = false;
			}
			prefix = *s;
		} else if (ascii_digit(*s)) {
			size_t digits = strspn(s, "0123456789");
			bool over = false;

			n = num_u64(s, &(const char *){NULL}, 10, &over);
			pending = true;
			if (over)
				u_warn(p, 0, "tab stop is too large %s", u_quote_n(p, s, digits));
			good = !over;
			s += digits - 1;
		} else {
			u_warn(p, 0, "tab size contains invalid character(s): %s", u_quote(p, s));
			good = false;
		}
	}
	if (good && pending)
		good = add(p, t, n, prefix);
	if (!good)
		u_exit(p, 1);
}

void tabs_finish(struct proc *p, struct tabs *t)
{
	uint64_t last = 0;

	for (size_t i = 0; i < t->n; i++) {
		if (t->stop[i] == 0)
			u_die(p, 1, 0, "tab size cannot be 0");
		if (t->stop[i] <= last)
			u_die(p, 1, 0, "tab sizes must be ascending");
		last = t->stop[i];
	}
	if (t->extend && t->increment)
		u_die(p, 1, 0, "'/' specifier is mutually exclusive with '+'");
	if (t->n == 0)
		t->every = t->extend ? t->extend : t->increment ? t->increment : 8;
	else if (t->n == 1 && !t->extend && !t->increment)
		t->every = t->stop[0];
}

uint64_t tabs_next(const struct tabs *t, uint64_t column, size_t *index)
{
	uint64_t step = t->every, from = 0;

	if (!step) {
		while (*index < t->n && t->stop[*index] <= column)
			++*index;
		if (*index < t->n)
			return t->stop[*index];
		step = t->extend;
		if (!step && t->increment) {
			step = t->increment;
			from = t->stop[t->n - 1];
		}
	}
	return step ? column + (step - (column - from) % step) : UINT64_MAX;
}
