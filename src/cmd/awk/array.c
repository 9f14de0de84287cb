/* array.c - associative arrays: hash tables that remember the order of creation. */
#include "awk.h"

#include "../../base/hash.h"

#define BUCKETS_FIRST 16u

struct array *awk_array_new(struct awk *a)
{
	struct array *t = block_get(a, sizeof(*t));

	*t = (struct array){0};
	return t;
}

struct element *awk_array_find(const struct array *t, const char *key, size_t n)
{
	uint64_t h;

	if (!t->n)
		return NULL;
	h = hash_bytes(key, n);
	for (struct element *e = t->bucket[h & t->mask]; e; e = e->next)
		if (e->hash == h && e->len == n && memcmp(e->key, key, n) == 0)
			return e;
	return NULL;
}

static void grow(struct awk *a, struct array *t)
{
	size_t n = t->bucket ? (t->mask + 1) * 2 : BUCKETS_FIRST;
	struct element **v = block_get(a, n * sizeof(*v));

	memset(v, 0, n * sizeof(*v));
	if (t->bucket)
		block_put(a, t->bucket, (t->mask + 1) * sizeof(*v));
	t->bucket = v;
	t->mask = n - 1;
	for (struct element *e = t->first; e; e = e->after) {
		e->next = v[e->hash & t->mask];
		v[e->hash & t->mask] = e;
	}
}

struct element *awk_array_at(struct awk *a, struct array *t, const char *key, size_t n)
{
	uint64_t h = hash_bytes(key, n);
	struct element *e;

	if (t->n)
		for (e = t->bucket[h & t->mask]; e; e = e->next)
			if (e->hash == h && e->len == n && memcmp(e->key, key, n) == 0)
				return e;
	if (!t->bucket || t->n > t->mask)
		grow(a, t);
	if (n > UINT32_MAX)
		awk_die(a, "subscript too long");
	e = block_get(a, sizeof(*e) + n + 1);
	*e = (struct element){.hash = h, .len = (uint32_t)n, .before = t->last};
	memcpy(e->key, key, n);
	e->key[n] = '\0';
	e->next = t->bucket[h & t->mask];
	t->bucket[h & t->mask] = e;
	if (t->last)
		t->last->after = e;
	else
		t->first = e;
	t->last = e;
	t->n++;
	return e;
}

static void free_element(struct awk *a, struct element *e)
{
	cell_clear(a, &e->value);
	if (e->sub) {
		awk_deeper(a);
		awk_array_clear(a, e->sub);
		block_put(a, e->sub, sizeof(*e->sub));
	}
	block_put(a, e, sizeof(*e) + e->len + 1);
}

void awk_array_delete(struct awk *a, struct array *t, const char *key, size_t n)
{
	struct element *e = awk_array_find(t, key, n), **at;

	if (!e)
		return;
	for (at = &t->bucket[e->hash & t->mask]; *at != e; at = &(*at)->next)
		;
	*at = e->next;
	if (e->before)
		e->before->after = e->after;
	else
		t->first = e->after;
	if (e->after)
		e->after->before = e->before;
	else
		t->last = e->before;
	t->n--;
	free_element(a, e);
}

void awk_array_clear(struct awk *a, struct array *t)
{
	for (struct element *e = t->first, *after; e; e = after) {
		after = e->after;
		free_element(a, e);
		sys_checkpoint(a->p);
	}
	if (t->bucket)
		block_put(a, t->bucket, (t->mask + 1) * sizeof(*t->bucket));
	*t = (struct array){0};
}

/* ---- Orders of for (k in t) -------------------------------------------------------- */

enum order { ORDER_NONE, ORDER_INDEX_STR, ORDER_INDEX_NUM, ORDER_VALUE_STR, ORDER_VALUE_NUM, ORDER_VALUE_TYPE };

static enum order order_named(struct awk *a, const char *s, bool *down)
{
	static const struct {
		const char *name;
		enum order order;
	} names[] = {{"@unsorted", ORDER_NONE},	     {"@ind_str_", ORDER_INDEX_STR}, {"@ind_num_", ORDER_INDEX_NUM},
		     {"@val_str_", ORDER_VALUE_STR}, {"@val_num_", ORDER_VALUE_NUM}, {"@val_type_", ORDER_VALUE_TYPE}};

	for (size_t i = 0; i < COUNTOF(names); i++) {
		size_t n = strlen(names[i].name);

		if (strncmp(s, names[i].name, n) != 0)
			continue;
		if (i == 0 && !s[n])
			return ORDER_NONE;
		*down = streq(s + n, "desc");
		if (*down || streq(s + n, "asc"))
			return names[i].order;
	}
	awk_die(a, "PROCINFO[\"sorted_in\"]: `%s' is not an order nacre knows (a comparison function is not supported)", s);
}

static int compare(struct awk *a, enum order o, struct element *x, struct element *y)
{
	struct cell cx = {0}, cy = {0};
	double m, n;
	int r;

	switch (o) {
	case ORDER_VALUE_STR:
		if (x->sub || y->sub)
			return (x->sub != NULL) - (y->sub != NULL);
		cx = (struct cell){.type = CELL_STR, .str = cell_str(a, &x->value)};
		cy = (struct cell){.type = CELL_STR, .str = cell_str(a, &y->value)};
		r = cell_compare(a, &cx, &cy);
		break;
	case ORDER_VALUE_NUM:
		m = x->sub ? __builtin_inf() : cell_num(a, &x->value);
		n = y->sub ? __builtin_inf() : cell_num(a, &y->value);
		r = (m > n) - (m < n);
		break;
	case ORDER_VALUE_TYPE:
		if (x->sub || y->sub)
			return (x->sub != NULL) - (y->sub != NULL);
		r = !cell_is_number(a, &x->value) - !cell_is_number(a, &y->value);
		if (r == 0)
			r = cell_compare(a, &x->value, &y->value);
		break;
	case ORDER_INDEX_NUM:
		m = text_num(x->key, x->len);
		n = text_num(y->key, y->len);
		r = (m > n) - (m < n);
		break;
	default: r = 0; break;
	}
	if (r == 0) {
		r = memcmp(x->key, y->key, MIN(x->len, y->len));
		r = r ? r : x->len < y->len ? -1 : x->len > y->len;
	}
	return r;
}

/* Bottom-up merge sort. */
static void sort(struct awk *a, enum order o, bool down, struct element **v, size_t n)
{
	struct element **from = v, **tmp = block_get(a, n * sizeof(*v)), **to = tmp;

	for (size_t run = 1; run < n; run *= 2) {
		struct element **swap = from;

		for (size_t lo = 0; lo < n; lo += 2 * run) {
			size_t mid = MIN(lo + run, n), hi = MIN(lo + 2 * run, n), i = lo, j = mid;

			for (size_t k = lo; k < hi; k++) {
				bool left = i < mid && (j >= hi || (down ? compare(a, o, from[i], from[j]) >= 0 : compare(a, o, from[i], from[j]) <= 0));

				to[k] = left ? from[i++] : from[j++];
			}
			sys_checkpoint_n(a->p, (uint32_t)MIN(hi - lo, (size_t)1 << 20));
		}
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	block_put(a, tmp, n * sizeof(*v));
}

struct astr **awk_array_keys(struct awk *a, struct array *t, size_t *n)
{
	struct slot *info = &a->global[V_PROCINFO];
	struct element *how = info->kind == SLOT_ARRAY ? awk_array_find(info->array, "sorted_in", 9) : NULL;
	struct element **v = block_get(a, (t->n + 1) * sizeof(*v));
	struct astr **keys = block_get(a, (t->n + 1) * sizeof(*keys));
	enum order o = ORDER_NONE;
	bool down = false;
	size_t k = 0;

	for (struct element *e = t->first; e; e = e->after)
		v[k++] = e;
	if (how)
		o = order_named(a, cell_str(a, &how->value)->s, &down);
	if (o != ORDER_NONE && k > 1)
		sort(a, o, down, v, k);
	for (size_t i = 0; i < k; i++)
		keys[i] = astr_new(a, v[i]->key, v[i]->len);
	block_put(a, v, (t->n + 1) * sizeof(*v));
	*n = k;
	return keys;
}
