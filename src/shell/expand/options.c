/* options.c - the tables of `set` and `shopt`, and $-. */
#include "state.h"

const struct option_name set_names[SET_COUNT] = {
#define X(id, name, letter, on) {name, letter, on},
        SET_OPTIONS(X)
#undef X
};

const struct option_name shopt_names[SHOPT_COUNT] = {
#define X(id, name, on) {name, 0, on},
        SHOPT_OPTIONS(X)
#undef X
};

uint64_t set_default(void)
{
	uint64_t bits = 0;

#define X(id, name, letter, on) bits |= (on) ? SET_##id : 0;
	SET_OPTIONS(X)
#undef X
	return bits;
}

uint64_t shopt_default(void)
{
	uint64_t bits = 0;

#define X(id, name, on) bits |= (on) ? SHOPT_##id : 0;
	SHOPT_OPTIONS(X)
#undef X
	return bits;
}

static int by_name(const struct option_name *v, int n, struct str name)
{
	for (int i = 0; i < n; i++)
		if (str_is(name, v[i].name))
			return i;
	return -1;
}

int set_by_name(struct str name)
{
	return by_name(set_names, SET_COUNT, name);
}
int shopt_by_name(struct str name)
{
	return by_name(shopt_names, SHOPT_COUNT, name);
}

int set_by_letter(char letter)
{
	for (int i = 0; i < SET_COUNT; i++)
		if (letter && set_names[i].letter == letter)
			return i;
	return -1;
}

size_t state_flags_text(const struct shell_state *st, char buf[40])
{
	static const char order[] = "abefhkmnptuvxBCEHPT";
	size_t n = 0;

	for (const char *c = order; *c; c++) {
		int i = set_by_letter(*c);

		if (i >= 0 && (st->opts >> i & 1))
			buf[n++] = *c;
		if (*c == 'h' && st->is_interactive)
			buf[n++] = 'i';
	}
	if (st->is_c)
		buf[n++] = 'c';
	if (st->is_stdin)
		buf[n++] = 's';
	buf[n] = '\0';
	return n;
}
