/* globext.c - shell patterns with groups: ?(a|b) *(a|b) +(a|b) @(a|b) !(a|b).
 *
 * Backtracking is exponential on such patterns, so this works on sets: every element of the
 * pattern turns the set of positions reached in the text into the next set. A set is a bit for
 * each position. *(..) and +(..) repeat until nothing new is reached; !(..) asks for each
 * position which ends its alternatives reach and takes the others. */
#include "glob.h"

#define MAX_DEPTH 64

struct matcher {
	struct proc *p;
	const char *s;
	size_t ns;
	size_t words; /* of a set */
	unsigned flags;
	unsigned depth;
};

static uint64_t *set_new(struct matcher *m)
{
	return u_zalloc(m->p, m->words * sizeof(uint64_t));
}

static bool has(const uint64_t *set, size_t i)
{
	return set[i / 64] >> (i % 64) & 1;
}

static void add(uint64_t *set, size_t i)
{
	set[i / 64] |= (uint64_t)1 << (i % 64);
}

static void drop(uint64_t *set, size_t i)
{
	set[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static bool is_empty(const struct matcher *m, const uint64_t *set)
{
	for (size_t i = 0; i < m->words; i++) {
		if (set[i])
			return false;
	}
	return true;
}

static void unite(const struct matcher *m, uint64_t *to, const uint64_t *from)
{
	for (size_t i = 0; i < m->words; i++)
		to[i] |= from[i];
}

static bool is_slash(const struct matcher *m, size_t i)
{
	return (m->flags & U_GLOB_PATHNAME) && m->s[i] == '/';
}

/* The length of the group's text after "x(" at p up to its ')' ; SIZE_MAX when it does not end. */
static size_t group_length(const char *p, size_t np, unsigned flags)
{
	unsigned depth = 1;

	for (size_t i = 2; i < np; i++) {
		bool in;
		size_t n;

		if (p[i] == '\\' && !(flags & U_GLOB_NOESCAPE)) {
			i++;
		} else if (p[i] == '[') {
			n = u_glob_bracket(p + i, np - i, 0, flags, &in);
			i += n ? n - 1 : 0;
		} else if (p[i] == '(') {
			depth++;
		} else if (p[i] == ')' && --depth == 0) {
			return i - 2;
		}
	}
	return SIZE_MAX;
}

/* The length of the first alternative of the n bytes at p. */
static size_t alternative_length(const char *p, size_t n, unsigned flags)
{
	unsigned depth = 0;

	for (size_t i = 0; i < n; i++) {
		bool in;
		size_t k;

		if (p[i] == '\\' && !(flags & U_GLOB_NOESCAPE)) {
			i++;
		} else if (p[i] == '[') {
			k = u_glob_bracket(p + i, n - i, 0, flags, &in);
			i += k ? k - 1 : 0;
		} else if (p[i] == '(') {
			depth++;
		} else if (p[i] == ')' && depth) {
			depth--;
		} else if (p[i] == '|' && !depth) {
			return i;
		}
	}
	return n;
}

static void run(struct matcher *m, const char *p, size_t np, uint64_t *set);

/* `out` gets the ends of all alternatives in p[0..n) from the positions of `in`. */
static void run_alternatives(struct matcher *m, const char *p, size_t n, const uint64_t *in,
                             uint64_t *out)
{
	struct arena_mark mark = arena_mark(&sys_self(m->p)->arena);
	uint64_t *set = set_new(m);

	for (;;) {
		size_t k = alternative_length(p, n, m->flags);

		memcpy(set, in, m->words * sizeof(*set));
		run(m, p, k, set);
		unite(m, out, set);
		if (k == n)
			break;
		p += k + 1;
		n -= k + 1;
	}
	arena_reset(&sys_self(m->p)->arena, mark);
}

/* Adds what one turn after another reaches, until nothing new comes. */
static void run_closure(struct matcher *m, const char *p, size_t n, uint64_t *set)
{
	uint64_t *fresh = set_new(m), *next = set_new(m);

	memcpy(fresh, set, m->words * sizeof(*set));
	while (!is_empty(m, fresh)) {
		memset(next, 0, m->words * sizeof(*next));
		run_alternatives(m, p, n, fresh, next);
		for (size_t i = 0; i < m->words; i++) {
			fresh[i] = next[i] & ~set[i];
			set[i] |= next[i];
		}
	}
}

static void run_not(struct matcher *m, const char *p, size_t n, uint64_t *set)
{
	uint64_t *out = set_new(m), *one = set_new(m), *ends = set_new(m);
	unsigned len;

	for (size_t i = 0; i <= m->ns; i++) {
		if (!has(set, i))
			continue;
		memset(one, 0, m->words * sizeof(*one));
		memset(ends, 0, m->words * sizeof(*ends));
		add(one, i);
		run_alternatives(m, p, n, one, ends);
		for (size_t j = i;; j += len) {
			if (!has(ends, j))
				add(out, j);
			if (j == m->ns || is_slash(m, j) || glob_hidden(m->s, j, m->flags))
				break;
			glob_char(m->s + j, m->ns - j, m->flags, &len);
		}
	}
	memcpy(set, out, m->words * sizeof(*set));
}

static void run_group(struct matcher *m, char op, const char *p, size_t n, uint64_t *set)
{
	struct arena_mark mark = arena_mark(&sys_self(m->p)->arena);
	uint64_t *out = set_new(m);

	switch (op) {
	case '?':
	case '@':
	case '+':
		run_alternatives(m, p, n, set, out);
		if (op == '+')
			run_closure(m, p, n, out);
		if (op == '?')
			unite(m, set, out);
		else
			memcpy(set, out, m->words * sizeof(*set));
		break;
	case '*': run_closure(m, p, n, set); break;
	default: run_not(m, p, n, set); break;
	}
	arena_reset(&sys_self(m->p)->arena, mark);
}

static void run_star(struct matcher *m, uint64_t *set)
{
	unsigned len;

	for (size_t i = 0; i < m->ns; i++) {
		if (!has(set, i) || is_slash(m, i) || glob_hidden(m->s, i, m->flags))
			continue;
		glob_char(m->s + i, m->ns - i, m->flags, &len);
		add(set, i + len);
	}
}

/* One element other than * and groups; its length in the pattern. */
static size_t run_one(struct matcher *m, const char *p, size_t np, uint64_t *set)
{
	bool ok;
	size_t used = glob_one(p, np, 0, false, m->flags, &ok);
	unsigned len;

	for (size_t i = m->ns + 1; i-- > 0;) {
		if (i % 64 == 63 && !set[i / 64]) {
			i -= 63;
			continue;
		}
		if (!has(set, i))
			continue;
		drop(set, i);
		if (i == m->ns)
			continue;
		glob_one(p, np, glob_char(m->s + i, m->ns - i, m->flags, &len),
		         glob_hidden(m->s, i, m->flags), m->flags, &ok);
		if (ok)
			add(set, i + len);
	}
	return used;
}

static bool is_group(const char *p, size_t np)
{
	return np > 2 && p[1] == '(' && strchr("?*+@!", p[0]) && p[0];
}

/* Turns `set`, where the text is before the pattern, into where it is after. */
static void run(struct matcher *m, const char *p, size_t np, uint64_t *set)
{
	if (++m->depth > MAX_DEPTH)
		memset(set, 0, m->words * sizeof(*set));
	for (size_t i = 0; i < np && !is_empty(m, set);) {
		size_t n;

		sys_checkpoint_n(m->p, (uint32_t)MIN(m->words + 1, (size_t)1 << 20));
		if (is_group(p + i, np - i) &&
		    (n = group_length(p + i, np - i, m->flags)) != SIZE_MAX) {
			run_group(m, p[i], p + i + 2, n, set);
			i += n + 3;
		} else if (p[i] == '*') {
			run_star(m, set);
			i++;
		} else {
			i += run_one(m, p + i, np - i, set);
		}
	}
	m->depth--;
}

static bool has_group(const char *p, size_t np)
{
	for (size_t i = 0; i + 2 < np; i++) {
		if (is_group(p + i, np - i))
			return true;
	}
	return false;
}

bool u_glob_match_in(struct proc *p, const char *pattern, size_t np, const char *s, size_t ns,
                     unsigned flags)
{
	struct matcher m = {.p = p, .s = s, .ns = ns, .words = ns / 64 + 1, .flags = flags};
	struct arena_mark mark;
	uint64_t *set;
	bool found;

	if (!(flags & U_GLOB_EXTENDED) || !has_group(pattern, np))
		return u_glob_match(pattern, np, s, ns, flags);
	mark = arena_mark(&sys_self(p)->arena);
	set = set_new(&m);
	add(set, 0);
	run(&m, pattern, np, set);
	found = has(set, ns);
	for (size_t i = 0; (flags & U_GLOB_LEADING_DIR) && i < ns && !found; i++)
		found = has(set, i) && s[i] == '/';
	arena_reset(&sys_self(p)->arena, mark);
	return found;
}
