/*
 * order.c - sorts an array of lines.
 *
 * Every line carries eight bytes that order as its key does (or as far as they reach): the
 * first bytes of a text, a number mapped to integers. A radix sort on the highest bits in
 * which the prefixes of a stretch differ splits it into smaller ones; small ones are
 * sorted by insertion. Where prefixes are equal, plain text goes on with the next eight
 * bytes; other keys are compared in full by a merge sort, unless the prefix is known to
 * say everything: then the next key, or the whole line, decides in the same way.
 *
 * All of it is stable. Stretches still to do wait on a stack in the arena, so the
 * depth of the data does not become depth of the machine's stack.
 */
#include "sort.h"

#define SMALL 20	/* lines sorted by insertion */
#define MAX_NESTED 6	/* keys handled by prefixes; further ones are left to the merge sort */
#define PACE 10000u	/* ticks of work between two checkpoints */

struct stretch {
	size_t at, n;
	uint32_t depth;		/* bytes of the text key that are known to be equal */
};

struct sorter {
	struct sort *s;
	struct sort_line *tmp;		/* room for as many lines as there are */
	struct sort_line *base;		/* the array tmp belongs to */
	size_t level;			/* the key at hand; nkeys: the whole line */
	bool text;			/* the key at hand is plain text */
	bool reverse, fold;		/* of the key at hand, when it is text */
	struct stretch *todo;
	size_t ntodo, cap;
	size_t ticks;			/* of work done since the last checkpoint */
};

static void sort_level(struct sorter *w, struct sort_line *v, size_t n, size_t level);

/* Others have their turns, however many lines there are, and however long. */
static void work_done(struct sorter *w, size_t ticks)
{
	w->ticks += ticks;
	if (w->ticks >= PACE) {
		sys_checkpoint_n(w->s->p, (uint32_t)MIN(w->ticks, (size_t)UINT32_MAX));
		w->ticks = 0;
	}
}

static void copy_lines(struct sorter *w, struct sort_line *to, const struct sort_line *from, size_t n)
{
	for (size_t at = 0; at < n; at += PACE) {
		size_t part = MIN(n - at, (size_t)PACE);

		memcpy(to + at, from + at, part * sizeof(*to));
		work_done(w, part / 2);
	}
}

/* ---- Prefixes ----------------------------------------------------------------------------- */

/* Where the key at hand ends in the line. */
static size_t key_limit(const struct sorter *w, const struct sort_line *l)
{
	const char *start, *end;

	if (w->level >= w->s->nkeys || w->s->keys[w->level].end_field == SORT_TO_END)
		return l->len;
	sort_find_key(w->s, &w->s->keys[w->level], l->ptr, l->len, &start, &end);
	return (size_t)(end - l->ptr);
}

/* Eight bytes of text, the first one highest. Blocks of input have room to read beyond their end. */
static uint64_t load(const char *p, size_t n)
{
	uint64_t x;

	if (n == 0)
		return 0;
	memcpy(&x, p, 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	x = __builtin_bswap64(x);
#endif
	return n >= 8 ? x : x & ~(UINT64_MAX >> (8 * n));
}

/* Lower case letters made upper case in all eight bytes at once. */
static uint64_t fold_bytes(uint64_t x)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t low = x & ones * 0x7f;
	uint64_t from_a = low + ones * (0x80 - 'a'), after_z = low + ones * (0x7f - 'z');

	return x - ((~x & (from_a ^ after_z) & ones * 0x80) >> 2);
}

static uint64_t text_prefix(const struct sorter *w, const char *p, size_t n)
{
	uint64_t x = load(p, n);

	if (w->fold)
		x = fold_bytes(x);
	return w->reverse ? ~x : x;
}

static void load_text(const struct sorter *w, struct sort_line *l, uint32_t depth)
{
	size_t from = (size_t)l->key + depth, end = key_limit(w, l);

	l->prefix = text_prefix(w, l->ptr + from, end > from ? end - from : 0);
}

/* ---- Small stretches ------------------------------------------------------------------------ */

/* Full comparison of two lines whose prefixes are equal. */
static int compare_rest(struct sorter *w, const struct sort_line *a, const struct sort_line *b,
			uint32_t depth)
{
	size_t skip, na, nb;
	int d;

	work_done(w, 1 + MIN(a->len, b->len) / 64);
	if (w->level < w->s->nkeys)
		return sort_compare(w->s, a, b, w->level);
	skip = (size_t)depth + 8;
	if (a->len > skip && b->len > skip) {
		na = a->len - skip;
		nb = b->len - skip;
		d = memcmp(a->ptr + skip, b->ptr + skip, MIN(na, nb));
		d = d ? d : na < nb ? -1 : na > nb;
	} else {
		d = a->len < b->len ? -1 : a->len > b->len;
	}
	return w->reverse ? -d : d;
}

static void insertion(struct sorter *w, struct sort_line *v, size_t n, uint32_t depth)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_line x = v[i];
		size_t j = i;

		while (j > 0 && (x.prefix < v[j - 1].prefix ||
				 (x.prefix == v[j - 1].prefix &&
				  compare_rest(w, &x, &v[j - 1], depth) < 0))) {
			v[j] = v[j - 1];
			j--;
		}
		v[j] = x;
	}
}

/* ---- Merge sort by full comparison ---------------------------------------------------------- */

/* Compared in full, which a number or a version may make long. */
static int compare(struct sorter *w, const struct sort_line *a, const struct sort_line *b)
{
	work_done(w, 8 + (a->len + b->len) / 64);
	return sort_compare(w->s, a, b, w->level);
}

static void merge_runs(struct sorter *w, struct sort_line *v, struct sort_line *t, size_t mid, size_t n)
{
	size_t i = 0, j = mid, k = 0;

	if (compare(w, &v[mid - 1], &v[mid]) <= 0)
		return;
	copy_lines(w, t, v, mid);
	while (i < mid && j < n)
		v[k++] = compare(w, &t[i], &v[j]) <= 0 ? t[i++] : v[j++];
	copy_lines(w, v + k, t + i, mid - i);
}

static void merge_sort(struct sorter *w, struct sort_line *v, size_t n)
{
	struct sort_line *t = w->tmp + (v - w->base);
	const size_t run = 8;

	for (size_t at = 0; at < n; at += run) {
		size_t m = MIN(run, n - at);

		for (size_t i = 1; i < m; i++) {
			struct sort_line x = v[at + i];
			size_t j = i;

			for (; j > 0 && compare(w, &x, &v[at + j - 1]) < 0; j--)
				v[at + j] = v[at + j - 1];
			v[at + j] = x;
		}
	}
	for (size_t width = run; width < n; width *= 2) {
		for (size_t at = 0; n - at > width; at += MIN(2 * width, n - at)) {
			size_t m = MIN(2 * width, n - at);

			merge_runs(w, v + at, t, width, m);
		}
	}
}

/* ---- Radix ------------------------------------------------------------------------------------- */

static void push(struct sorter *w, size_t at, size_t n, uint32_t depth)
{
	if (n < 2)
		return;
	if (w->ntodo == w->cap) {
		size_t cap = w->cap * 2;

		w->todo = arena_grow(&sys_self(w->s->p)->arena, w->todo, w->cap * sizeof(*w->todo),
				     size_mul(cap, sizeof(*w->todo)));
		w->cap = cap;
	}
	w->todo[w->ntodo++] = (struct stretch){at, n, depth};
}

/* Distributes a stretch by the eight highest bits in which its prefixes differ. */
static void split(struct sorter *w, struct sort_line *v, struct stretch st, uint64_t differ)
{
	int top = 63 - __builtin_clzll(differ), shift = top >= 7 ? top - 7 : 0;
	size_t *count = w->s->count, sum = st.at;
	struct sort_line *a = v + st.at, *t = w->tmp + (v - w->base);

	memset(count, 0, sizeof(w->s->count));
	for (size_t i = 0; i < st.n; i++)
		count[a[i].prefix >> shift & 255]++;
	for (size_t i = 0; i < 256; i++) {
		size_t n = count[i];

		count[i] = sum;
		push(w, sum, n, st.depth);
		sum += n;
	}
	for (size_t i = 0; i < st.n;) {
		size_t from = i, end = MIN(st.n, i + PACE);

		for (; i < end; i++)
			t[count[a[i].prefix >> shift & 255]++] = a[i];
		work_done(w, end - from);
	}
	copy_lines(w, a, t + st.at, st.n);
}

/* Text that is equal so far: lines whose key ends here order by length, then come the longer
 * ones; the other way round in reverse. Each group stays in the order it has. */
static void go_deeper(struct sorter *w, struct sort_line *v, struct stretch st)
{
	struct sort_line *a = v + st.at, *t = w->tmp + (v - w->base) + st.at;
	size_t n[10] = {0}, at[10], sum = 0;

	for (size_t i = 0; i < st.n; i++) {
		size_t from = (size_t)a[i].key + st.depth, end = key_limit(w, &a[i]);
		size_t left = end > from ? end - from : 0, group = MIN(left, 9u);

		work_done(w, 1);
		/* Kept for the second turn, as what is equal is not needed any more. */
		a[i].prefix = w->reverse ? 9 - group : group;
		n[a[i].prefix]++;
	}
	for (size_t g = 0; g < 10; g++) {
		at[g] = sum;
		sum += n[g];
	}
	if (n[w->reverse ? 0 : 9] < st.n) {
		for (size_t i = 0; i < st.n; i++)
			t[at[a[i].prefix]++] = a[i];
		copy_lines(w, a, t, st.n);
	}
	sum = 0;
	for (size_t g = 0; g < 10; g++) {
		size_t first = st.at + sum;

		sum += n[g];
		if (n[g] < 2)
			continue;
		if (g == (w->reverse ? 0 : 9)) {
			for (size_t i = 0; i < n[g]; i++)
				load_text(w, &v[first + i], st.depth + 8);
			push(w, first, n[g], st.depth + 8);
		} else if (w->level < w->s->nkeys) {
			sort_level(w, v + first, n[g], w->level + 1);
		}
	}
}

/* Equal prefixes of a key that is no plain text. */
static void settle(struct sorter *w, struct sort_line *v, struct stretch st)
{
	const struct sort_key *k = &w->s->keys[w->level];
	const char *start, *end;
	bool exact;

	sort_find_key(w->s, k, v[st.at].ptr, v[st.at].len, &start, &end);
	sort_prefix(w->s, k, start, end, &exact);
	if (exact && w->level < MAX_NESTED)
		sort_level(w, v + st.at, st.n, w->level + 1);
	else
		merge_sort(w, v + st.at, st.n);
}

/* Works off the stretches pushed since ntodo was `floor`. */
static void work(struct sorter *w, struct sort_line *v, size_t floor)
{
	while (w->ntodo > floor) {
		struct stretch st = w->todo[--w->ntodo];
		struct sort_line *a = v + st.at;
		uint64_t differ = 0;

		work_done(w, MIN(st.n, (size_t)SMALL));
		if (st.n <= SMALL) {
			insertion(w, a, st.n, st.depth);
			continue;
		}
		for (size_t i = 1; i < st.n; i++)
			differ |= a[i].prefix ^ a[0].prefix;
		if (differ)
			split(w, v, st, differ);
		else if (w->text)
			go_deeper(w, v, st);
		else
			settle(w, v, st);
	}
}

/* ---- Levels ------------------------------------------------------------------------------------- */

/* Fills in the prefixes for the key of the level. */
static void prepare(struct sorter *w, struct sort_line *v, size_t n)
{
	struct sort *s = w->s;

	const struct sort_key *k = w->level < s->nkeys ? &s->keys[w->level] : NULL;

	for (size_t i = 0, ticks = 0; i < n; i++) {
		const char *start = v[i].ptr, *end = start + v[i].len;
		bool exact;

		if (k)
			sort_find_key(s, k, v[i].ptr, v[i].len, &start, &end);
		v[i].key = (uint32_t)(start - v[i].ptr);
		v[i].prefix = w->text ? text_prefix(w, start, (size_t)(end - start))
				      : sort_prefix(s, k, start, end, &exact);
		ticks += 4 + (k ? v[i].len / 64 : 0);
		if (ticks >= PACE || i + 1 == n) {
			work_done(w, ticks);
			ticks = 0;
		}
	}
}

static bool in_order(struct sorter *w, const struct sort_line *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (v[i].prefix < v[i - 1].prefix ||
		    (v[i].prefix == v[i - 1].prefix && compare_rest(w, &v[i - 1], &v[i], 0) > 0))
			return false;
	}
	return true;
}

/* Sorts lines that are equal by the keys before `level`. Nested calls are as many as there are keys, at most
 * MAX_NESTED; each works on a stretch that its caller has taken off the stack. */
static void sort_level(struct sorter *w, struct sort_line *v, size_t n, size_t level)
{
	struct sorter outer = *w;
	struct sort *s = w->s;
	size_t floor = w->ntodo;

	if (level >= s->nkeys && s->nkeys > 0 && (s->stable || s->unique))
		return;
	w->level = level;
	if (level >= MAX_NESTED && level < s->nkeys) {
		merge_sort(w, v, n);
	} else {
		w->text = level >= s->nkeys || sort_key_is_text(&s->keys[level]);
		w->reverse = w->text && (level >= s->nkeys ? s->global.reverse : s->keys[level].reverse);
		w->fold = level < s->nkeys && s->keys[level].fold;
		prepare(w, v, n);
		if (!in_order(w, v, n)) {
			push(w, 0, n, 0);
			work(w, v, floor);
		}
	}
	w->level = outer.level;
	w->text = outer.text;
	w->reverse = outer.reverse;
	w->fold = outer.fold;
}

void sort_lines(struct sort *s, struct sort_line *lines, size_t n)
{
	struct sorter w = {.s = s, .base = lines, .cap = 512};

	if (n < 2)
		return;
	if (n > 8)
		sort_need(s, size_mul(n, sizeof(*lines)));
	w.tmp = u_array(s->p, n, sizeof(*lines));
	w.todo = u_array(s->p, w.cap, sizeof(*w.todo));
	sort_level(&w, lines, n, 0);
}
