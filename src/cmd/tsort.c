/*
 * tsort.c - write items so that each comes after those that must come before it.
 *
 * Items without predecessors are queued in the order of their names, the rest as their last predecessor is
 * written. When only loops are left, one is found by walking backward from an item, named, cut, and all goes on:
 * like GNU's, so that the same loops are named and cut in the same place.
 */
#include "cmd.h"

struct link {
	struct item *next_item;
	struct link *next;
};

struct item {
	const char *name;
	uint32_t hash;
	struct item *bucket;	/* the next item of the same hash bucket */
	uint64_t before;	/* items that must come first and have not been written */
	struct link *after;	/* those that come later; the one read last first */
	struct item *queue;	/* the next in the queue; in the search for a loop the way back */
	bool written;
};

struct tsort {
	struct proc *p;
	struct item **item;	/* in order of names, once all are read */
	size_t n, cap;
	struct item **bucket;
	size_t nbuckets;	/* a power of two */
	struct item *head, *tail; /* of the queue */
	struct item *loop;	/* the item the search has come back to */
	const char *file;
	bool failed;
};

/* ---- Reading --------------------------------------------------------------------------------- */

static void grow(struct tsort *t)
{
	size_t cap = t->cap ? t->cap * 2 : 64;

	t->item = arena_grow(&sys_self(t->p)->arena, t->item, size_mul(t->cap, sizeof(struct item *)),
			     size_mul(cap, sizeof(struct item *)));
	t->cap = cap;
	t->nbuckets = cap * 2;
	t->bucket = u_zalloc(t->p, size_mul(t->nbuckets, sizeof(struct item *)));
	for (size_t i = 0; i < t->n; i++) {
		struct item **b = &t->bucket[t->item[i]->hash & (t->nbuckets - 1)];

		t->item[i]->bucket = *b;
		*b = t->item[i];
	}
}

static struct item *item_named(struct tsort *t, const char *s, size_t n)
{
	uint32_t hash = 2166136261u;
	struct item *i;

	for (size_t k = 0; k < n; k++)
		hash = (hash ^ (unsigned char)s[k]) * 16777619u;
	for (i = t->nbuckets ? t->bucket[hash & (t->nbuckets - 1)] : NULL; i; i = i->bucket) {
		if (i->hash == hash && strlen(i->name) == n && memcmp(i->name, s, n) == 0)
			return i;
	}
	i = u_zalloc(t->p, sizeof(*i));
	i->name = u_strndup(t->p, s, n);
	i->hash = hash;
	if (t->n == t->cap)
		grow(t);
	i->bucket = t->bucket[hash & (t->nbuckets - 1)];
	t->bucket[hash & (t->nbuckets - 1)] = i;
	t->item[t->n++] = i;
	return i;
}

static void relate(struct tsort *t, struct item *first, struct item *second)
{
	struct link *l;

	if (first == second)
		return;
	l = u_alloc(t->p, sizeof(*l));
	*l = (struct link){second, first->after};
	first->after = l;
	second->before++;
}

static void read_pairs(struct tsort *t, int fd)
{
	struct item *first = NULL;
	struct u_lines r;
	struct str line;

	u_lines_init(&r, t->p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		for (size_t i = 0; i < line.len;) {
			size_t start = i;

			if (ascii_blank(line.ptr[i])) {
				i++;
				continue;
			}
			while (i < line.len && !ascii_blank(line.ptr[i]))
				i++;
			if (first) {
				relate(t, first, item_named(t, line.ptr + start, i - start));
				first = NULL;
			} else {
				first = item_named(t, line.ptr + start, i - start);
			}
		}
	}
	if (r.err)
		u_die(t->p, 1, r.err, "%s: read error", u_quote_if_needed(t->p, t->file));
	if (first)
		u_die(t->p, 1, 0, "%s: input contains an odd number of tokens", u_quote_if_needed(t->p, t->file));
}

/* Merge sort: there may be many items, in any order. */
static void sort_items(struct tsort *t)
{
	struct item **from = t->item, **to = u_array(t->p, t->n + 1, sizeof(*to));

	for (size_t width = 1; width < t->n; width *= 2) {
		struct item **swap = from;

		for (size_t lo = 0; lo < t->n; lo += 2 * width) {
			size_t mid = MIN(lo + width, t->n), hi = MIN(lo + 2 * width, t->n), a = lo, b = mid;

			for (size_t k = lo; k < hi; k++) {
				bool left = a < mid && (b == hi || strcmp(from[a]->name, from[b]->name) <= 0);

				to[k] = from[left ? a++ : b++];
				sys_checkpoint(t->p);
			}
		}
		from = to;
		to = swap;
	}
	t->item = from;
}

/* ---- Writing ---------------------------------------------------------------------------------- */

static void enqueue(struct tsort *t, struct item *i)
{
	if (t->head)
		t->tail->queue = i;
	else
		t->head = i;
	t->tail = i;
}

/* Writes what is free and all that becomes free; how many items. */
static size_t write_free(struct tsort *t)
{
	size_t n = 0;

	t->head = t->tail = NULL;
	for (size_t i = 0; i < t->n; i++) {
		if (t->item[i]->before == 0 && !t->item[i]->written)
			enqueue(t, t->item[i]);
	}
	for (; t->head; t->head = t->head->queue) {
		u_puts(u_stdout(t->p), t->head->name);
		u_putc(u_stdout(t->p), '\n');
		t->head->written = true;
		n++;
		for (struct link *l = t->head->after; l; l = l->next) {
			sys_checkpoint(t->p);
			if (--l->next_item->before == 0)
				enqueue(t, l->next_item);
		}
	}
	return n;
}

/* The loop that ends in the link `*cut` of `last` is named and cut there. */
static void cut_loop(struct tsort *t, struct item *last, struct link **cut)
{
	bool named = false;

	while (t->loop) {
		struct item *i = t->loop;

		if (!named)
			u_warn(t->p, 0, "%s", i->name);
		if (!named && i == last) {
			(*cut)->next_item->before--;
			*cut = (*cut)->next;
			named = true;
		}
		t->loop = i->queue;
		i->queue = NULL;
	}
}

/* One item of the walk: it may lead to the item the search has come back to. True when a loop was cut. */
static bool look_for_loop(struct tsort *t, struct item *i)
{
	if (i->before == 0 || i->written)
		return false;
	if (!t->loop) {
		t->loop = i;
		return false;
	}
	for (struct link **l = &i->after; *l; l = &(*l)->next) {
		sys_checkpoint(t->p);
		if ((*l)->next_item != t->loop)
			continue;
		if (i->queue) {
			cut_loop(t, i, l);
			return true;
		}
		i->queue = t->loop;
		t->loop = i;
		return false;
	}
	return false;
}

static void break_loop(struct tsort *t)
{
	u_warn(t->p, 0, "%s: input contains a loop:", u_quote_if_needed(t->p, t->file));
	t->failed = true;
	for (size_t i = 0; i < t->n; i++)
		t->item[i]->queue = NULL;
	t->loop = NULL;
	do {
		for (size_t i = 0; i < t->n && !look_for_loop(t, t->item[i]); i++)
			sys_checkpoint(t->p);
	} while (t->loop);
}

static int tsort_main(struct proc *p, const struct cmd_args *a)
{
	struct tsort t = {.p = p};
	size_t left;
	int fd;

	if (a->argc > 1)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[1]));
	t.file = a->argc ? a->argv[0] : "-";
	fd = u_open_operand(p, t.file);
	if (fd < 0)
		return 1;
	read_pairs(&t, fd);
	sort_items(&t);
	for (left = t.n; left > 0;) {
		left -= write_free(&t);
		if (left > 0)
			break_loop(&t);
	}
	return t.failed;
}

static const struct cmd_example tsort_examples[] = {
	{"printf 'shirt tie\\ntie jacket\\ntrousers jacket\\n' | tsort", "shirt\ntrousers\ntie\njacket\n"},
};

const struct cmd cmd_tsort = {
	.name = "tsort",
	.summary = "write a list of items in an order that agrees with the pairs in FILE",
	.synopsis = "[OPTION] [FILE]",
	.description = "FILE is a list of pairs of words: the first comes before the second. Without FILE, or when\n"
		       "FILE is -, standard input is read.",
	.main = tsort_main,
	.examples = tsort_examples,
	.nexamples = COUNTOF(tsort_examples),
};
