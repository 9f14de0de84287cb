/*
 * test_expand.c - the parts expansion stands on, against plain models of them.
 *
 * Tables, arrays and associative arrays get random changes, in a shell and its clones, beside
 * a model that is a row and nothing else; patterns are matched beside a matcher that tries
 * everything; variables go through random scopes beside a stack. Whatever happens, the
 * heap is empty at the end. An argument says how many rounds (400). What scripts see is compared
 * with bash in tests/shell.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../../../src/shell/expand/pattern.h"
#include "../../../src/shell/expand/special.h"

static long failures;
static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond) && failures++ < 20)                                                    \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);                 \
	} while (0)

/* ---- A proc that is only its head: nothing here calls the kernel --------------------------- */

static void *source_get(struct arena_source *s, size_t size)
{
	void *p = malloc(size);

	(void)s;
	if (!p)
		abort();
	return p;
}

static void source_put(struct arena_source *s, void *chunk, size_t size)
{
	(void)s;
	(void)size;
	free(chunk);
}

static struct arena_source source = {source_get, source_put};
static struct proc_user self;
static struct heap heap;
static struct proc *const proc = (struct proc *)(void *)&self;

static void warn(struct expand_host *h, const char *text)
{
	(void)h;
	(void)text;
}

static struct expand_host host = {.warn = warn};

static struct shell_state *new_state(void)
{
	struct shell_state *st = heap_zalloc(&heap, sizeof(*st));

	st->heap = &heap;
	st->p = proc;
	st->opts = set_default();
	st->shopts = shopt_default();
	st->utf8 = true;
	ifs_load(st);
	return st;
}

/* ---- Tables ------------------------------------------------------------------------------------
 */

#define NAMES 200

struct model {
	int value[NAMES]; /* -1: not there */
};

static struct str name_of(unsigned i, char buf[16])
{
	return (struct str){buf, (size_t)snprintf(buf, 16, "v%u", i)};
}

static void check_model(struct shell_state *st, const struct model *m)
{
	unsigned n = 0;

	for (unsigned i = 0; i < NAMES; i++) {
		char buf[16], tmp[VALUE_BUF];
		struct str s;
		bool set = state_get(st, name_of(i, buf), tmp, &s);

		CHECK(set == (m->value[i] >= 0));
		if (set)
			CHECK(atoi(s.ptr) == m->value[i]);
		n += m->value[i] >= 0;
	}
	CHECK(st->vars.n == n);
}

static void test_clones(void)
{
	struct shell_state *st[4] = {new_state()};
	struct model m[4];
	unsigned n = 1;

	memset(m[0].value, -1, sizeof(m[0].value));
	for (int round = 0; round < 2000; round++) {
		unsigned k = below(n), i = below(NAMES);
		char buf[16];

		switch (below(8)) {
		case 0:
			if (n < 4) {
				st[n] = state_clone(st[k]);
				m[n++] = m[k];
			}
			break;
		case 1:
			if (n > 1) {
				state_release(&heap, st[--n]);
			}
			break;
		case 2:
			state_unset(st[k], name_of(i, buf));
			m[k].value[i] = -1;
			break;
		default:
			m[k].value[i] = (int)below(1000000);
			state_set_i64(st[k], name_of(i, buf), m[k].value[i]);
			break;
		}
	}
	for (unsigned k = 0; k < n; k++) {
		check_model(st[k], &m[k]);
		state_release(&heap, st[k]);
	}
	CHECK(heap.live_count == 0);
}

/* Names of one hash: the rows at the bottom of the trie. */
static void test_collisions(void)
{
	struct table t = {0};
	struct item *pin = NULL;

	for (unsigned i = 0; i < 40; i++) {
		struct item_text *it = heap_zalloc(&heap, sizeof(*it) + 8);

		it->head = (struct item){
		        .refs = 1, .hash = 7, .name = it->name, .len = 2, .kind = ITEM_TEXT};
		it->name[0] = (char)('a' + i / 8);
		it->name[1] = (char)('a' + i % 8);
		/* item_put frees by the length of the name. */
		it = heap_realloc(&heap, it, sizeof(*it) + 8, sizeof(*it) + 3);
		it->head.name = it->name;
		pin = &it->head;
		table_put(&heap, &t, &pin);
	}
	CHECK(t.n == 40 && table_find(&t, "ca", 2, 7) && !table_find(&t, "zz", 2, 7));
	for (unsigned i = 0; i < 40; i += 2)
		CHECK(table_remove(&heap, &t, (char[]){(char)('a' + i / 8), (char)('a' + i % 8)}, 2,
		                   7));
	CHECK(t.n == 20);
	table_release(&heap, &t);
	CHECK(heap.live_count == 0);
}

/* ---- Scopes
 * --------------------------------------------------------------------------------------- */

#define DEPTH 6

static void test_scopes(void)
{
	struct shell_state *st = new_state(), *clone = NULL;
	/* value[level][name]: -2 not local to it, -1 local and unset */
	int value[DEPTH][4], top = 0;

	for (int i = 0; i < 4; i++)
		value[0][i] = -2;
	for (int round = 0; round < 300; round++) {
		unsigned i = below(4);
		char buf[16];
		struct str name = name_of(i, buf);
		int level = top;

		while (level > 0 && value[level][i] == -2)
			level--;
		switch (below(6)) {
		case 0:
			if (top + 1 < DEPTH) {
				frame_push(st, FRAME_FUNCTION, NULL);
				top++;
				for (int k = 0; k < 4; k++)
					value[top][k] = -2;
			}
			break;
		case 1:
			if (top) {
				frame_pop(st);
				top--;
			}
			break;
		case 2:
			if (top && value[top][i] == -2 &&
			    state_declare(st, name, VAR_LOCAL, 0, 0, NULL) == VAR_OK)
				value[top][i] = -1;
			break;
		case 3:
			state_unset(st, name);
			/* Local to this function: stays, unset. To a caller: gone, the one below
			 * shows. */
			value[level][i] = level && level == top ? -1 : -2;
			break;
		case 4:
			state_release(&heap, clone ? clone : state_clone(st));
			clone = state_clone(st);
			break;
		default:
			value[level][i] = (int)below(100000);
			state_set_i64(st, name, value[level][i]);
			break;
		}
		for (unsigned k = 0; k < 4; k++) {
			char tmp[VALUE_BUF];
			struct str s;
			bool set = state_get(st, name_of(k, buf), tmp, &s);

			level = top;
			while (level > 0 && value[level][k] == -2)
				level--;
			CHECK(set == (value[level][k] >= 0));
			if (set)
				CHECK(atoi(s.ptr) == value[level][k]);
		}
	}
	if (clone)
		state_release(&heap, clone);
	state_release(&heap, st);
	CHECK(heap.live_count == 0);
}

/* ---- Arrays
 * ------------------------------------------------------------------------------------------- */

static void test_arrays(void)
{
	struct varray *a = NULL, *shared = NULL;
	int model[64];

	memset(model, -1, sizeof(model));
	for (int round = 0; round < 500; round++) {
		unsigned i = below(64);
		char buf[24];

		array_own(&heap, &a);
		if (below(4) == 0) {
			CHECK(array_unset(&heap, &a, i) == (model[i] >= 0));
			model[i] = -1;
		} else if (below(50) == 0) {
			array_put(&heap, shared);
			shared = a;
			a->refs++;
		} else {
			model[i] = (int)below(1000);
			array_set(&heap, &a, i, buf,
			          (size_t)snprintf(buf, sizeof(buf), "%d", model[i]), false);
		}
	}
	for (unsigned i = 0, n = 0; i < 64; i++) {
		struct vstr *v = array_at(a, i);

		CHECK((v != NULL) == (model[i] >= 0));
		if (v) {
			CHECK(atoi(v->s) == model[i]);
			CHECK(a->e[n++].index == i);
		}
	}
	array_put(&heap, shared);
	array_put(&heap, a);
	CHECK(heap.live_count == 0);
}

/* bash's table of chains, as it is: what decides the order of keys. */
struct link {
	struct link *next;
	char key[16];
	uint32_t hash;
};

static struct link **grown(struct link **old, unsigned n)
{
	struct link **v = calloc(n * 4u, sizeof(*v));

	for (unsigned b = 0; b < n; b++)
		while (old[b]) {
			struct link *l = old[b];

			old[b] = l->next;
			l->next = v[l->hash & (n * 4 - 1)];
			v[l->hash & (n * 4 - 1)] = l;
		}
	free(old);
	return v;
}

static void test_assoc(unsigned keys)
{
	struct vassoc *a = NULL;
	unsigned buckets = 1024, n = 0;
	struct link **chains = calloc(buckets, sizeof(*chains)), *l, **at;
	uint32_t *order;

	for (unsigned i = 0; i < keys * 2; i++) {
		char key[16];
		struct str s = {key, (size_t)snprintf(key, sizeof(key), "%x\xc3", below(keys))};
		uint32_t h = 2166136261u;

		for (size_t k = 0; k < s.len; k++)
			h = h * 16777619u ^ (uint32_t)(int)(signed char)key[k];
		assoc_own(&heap, &a);
		at = &chains[h & (buckets - 1)];
		while (*at && strcmp((*at)->key, key) != 0)
			at = &(*at)->next;
		if (below(5) == 0) {
			CHECK(assoc_unset(&heap, &a, s) == (*at != NULL));
			l = *at;
			if (l) {
				*at = l->next;
				free(l);
				n--;
			}
			continue;
		}
		assoc_set(&heap, &a, s, key, s.len, false);
		if (*at)
			continue;
		if (n >= buckets * 2) {
			chains = grown(chains, buckets);
			buckets *= 4;
		}
		l = calloc(1, sizeof(*l));
		strcpy(l->key, key);
		l->hash = h;
		l->next = chains[h & (buckets - 1)];
		chains[h & (buckets - 1)] = l;
		n++;
	}
	CHECK(a->n == n);
	order = malloc((n + 1) * sizeof(*order));
	assoc_order(a, order);
	n = 0;
	for (unsigned b = 0; b < buckets; b++)
		while ((l = chains[b]) != NULL) {
			CHECK(n < a->n && strcmp(a->e[order[n]].key->s, l->key) == 0);
			n++;
			chains[b] = l->next;
			free(l);
		}
	free(order);
	free(chains);
	assoc_put(&heap, a);
	CHECK(heap.live_count == 0);
}

/* ---- Patterns
 * --------------------------------------------------------------------------------------------- */

/* Every way to match, tried: p[0..np) at s[at..n), continued by the patterns in `rest`. */
struct rest {
	const char *p;
	size_t np;
	const struct rest *next;
};

static bool tries(const char *p, size_t np, const char *s, size_t at, size_t n,
                  const struct rest *rest);

static bool goes_on(const char *s, size_t at, size_t n, const struct rest *rest)
{
	return rest ? tries(rest->p, rest->np, s, at, n, rest->next) : at == n;
}

static size_t closes(const char *p, size_t np, size_t open)
{
	unsigned depth = 0;

	for (size_t i = open; i < np; i++)
		if (p[i] == '(')
			depth++;
		else if (p[i] == ')' && --depth == 0)
			return i;
	return 0;
}

static size_t bar(const char *p, size_t from, size_t end)
{
	unsigned depth = 0;

	for (; from < end; from++)
		if (p[from] == '(')
			depth++;
		else if (p[from] == ')')
			depth--;
		else if (p[from] == '|' && !depth)
			break;
	return from;
}

static bool tries_group(const char *p, size_t np, const char *s, size_t at, size_t n,
                        const struct rest *rest)
{
	size_t end = closes(p, np, 1);
	struct rest after = {p + end + 1, np - end - 1, rest}, again = {p, np, rest};
	char op = p[0];

	if (op == '!') {
		for (size_t to = at; to <= n; to++) {
			bool any = false;

			for (size_t from = 2; from <= end; from = bar(p, from, end) + 1)
				any = any ||
				      tries(p + from, bar(p, from, end) - from, s, at, to, NULL);
			if (!any && goes_on(s, to, n, &after))
				return true;
		}
		return false;
	}
	if ((op == '?' || op == '*') && goes_on(s, at, n, &after))
		return true;
	for (size_t from = 2; from <= end; from = bar(p, from, end) + 1) {
		size_t len = bar(p, from, end) - from;

		if (tries(p + from, len, s, at, n, &after))
			return true;
		if (op == '*' || op == '+')
			for (size_t to = at + 1; to <= n; to++)
				if (tries(p + from, len, s, at, to, NULL) &&
				    tries_group(p, np, s, to, n, again.next))
					return true;
	}
	return false;
}

static bool tries(const char *p, size_t np, const char *s, size_t at, size_t n,
                  const struct rest *rest)
{
	if (!np)
		return goes_on(s, at, n, rest);
	if (np > 1 && p[1] == '(' && strchr("?*+@!", p[0]))
		return tries_group(p, np, s, at, n, rest);
	if (*p == '*') {
		for (size_t to = at; to <= n; to++)
			if (tries(p + 1, np - 1, s, to, n, rest))
				return true;
		return false;
	}
	if (at >= n)
		return false;
	if (*p == '[') {
		/* Only [ab] and [!ab] are made here. */
		bool no = p[1] == '!', in = s[at] == p[1 + no] || s[at] == p[2 + no];
		size_t len = 4 + (size_t)no;

		return in != no && tries(p + len, np - len, s, at + 1, n, rest);
	}
	return (*p == '?' || *p == s[at]) && tries(p + 1, np - 1, s, at + 1, n, rest);
}

static size_t make_pattern(char *p, size_t max, unsigned depth)
{
	size_t n = 0;

	for (unsigned i = below(depth ? 3 : 5); i-- > 0 && n + 24 < max;) {
		switch (below(depth < 2 ? 8 : 6)) {
		case 0: p[n++] = '*'; break;
		case 1: p[n++] = '?'; break;
		case 2:
			n += (size_t)sprintf(p + n, "[%s%c%c]", below(2) ? "!" : "",
			                     'a' + (int)below(3), 'a' + (int)below(3));
			break;
		case 6:
		case 7:
			p[n++] = "?*+@!"[below(5)];
			p[n++] = '(';
			n += make_pattern(p + n, max - n - 8, depth + 1);
			if (below(2)) {
				p[n++] = '|';
				n += make_pattern(p + n, max - n - 4, depth + 1);
			}
			p[n++] = ')';
			break;
		default: p[n++] = (char)('a' + below(3)); break;
		}
		/* * and ? before ( would be something else. */
		if (n && strchr("*?", p[n - 1]))
			p[n++] = 'a';
	}
	return n;
}

static void test_patterns(void)
{
	struct shell_state *st = new_state();
	struct expander x = {.p = proc, .st = st, .host = &host};
	char p[200], s[12];
	struct str pattern, text;
	const struct pattern *pat;
	size_t end = 0, n = below(9);
	int64_t shortest = -1, longest = -1, at;

	pattern = (struct str){p, make_pattern(p, sizeof(p) - 30, 0)};
	for (size_t i = 0; i < n; i++)
		s[i] = (char)('a' + below(3));
	s[n] = '\0';
	text = (struct str){s, n};
	pat = pattern_compile(&x, pattern, PATTERN_EXTGLOB);
	CHECK(pattern_whole(&x, pat, text) == tries(p, pattern.len, s, 0, n, NULL));
	for (size_t k = 0; k <= n; k++)
		if (tries(p, pattern.len, s, 0, k, NULL)) {
			shortest = shortest < 0 ? (int64_t)k : shortest;
			longest = (int64_t)k;
		}
	CHECK(pattern_prefix(&x, pat, text, false) == shortest);
	CHECK(pattern_prefix(&x, pat, text, true) == longest);
	shortest = longest = -1;
	for (size_t k = 0; k <= n; k++)
		if (tries(p, pattern.len, s, k, n, NULL)) {
			longest = longest < 0 ? (int64_t)k : longest;
			shortest = (int64_t)k;
		}
	CHECK(pattern_suffix(&x, pat, text, false) == shortest);
	CHECK(pattern_suffix(&x, pat, text, true) == longest);
	longest = -1;
	at = pattern_find(&x, pat, text, 0, &end);
	for (size_t k = 0; k <= n && longest < 0; k++)
		for (size_t to = n + 1; to-- > k && longest < 0;)
			if (tries(p, pattern.len, s, k, to, NULL)) {
				longest = (int64_t)k;
				CHECK(at == (int64_t)k && end == to);
			}
	CHECK(at == longest);
	if (failures && failures < 3)
		fprintf(stderr, "pattern %.*s text %s\n", (int)pattern.len, p, s);
	state_release(&heap, st);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 400;

	heap_init(&heap, &source);
	arena_init(&self.arena, &source);
	test_collisions();
	for (int i = 0; i < rounds && failures < 20; i++) {
		self.fuel = INT32_MAX;
		if (i % 20 == 0) {
			test_clones();
			test_assoc(i % 100 == 0 ? 6000 : 60);
		}
		test_scopes();
		test_arrays();
		for (int k = 0; k < 20; k++)
			test_patterns();
		arena_release(&self.arena);
	}
	heap_release(&heap);
	printf("expand: %s\n", failures ? "FAILED" : "ok");
	return failures != 0;
}
