/*
 * literal.c - strings that every match of a pattern contains.
 *
 * For each node, from the leaves up: all the strings it matches, if they are few and
 * short (exact), and a few strings one of which is in every match (need). A sequence joins
 * the exact strings of neighbours into longer ones and keeps the best.
 */
#include "literal.h"

struct literals {
	unsigned n;
	bool has_far; /* a letter has forms beyond ASCII that the strings do not show */
	struct str s[];
};

/* Strings being joined. */
struct run {
	unsigned n;
	bool has_far;
	unsigned char len[FIND_MAX];
	char s[FIND_MAX][FIND_BYTES];
};

static struct literals *keep(struct arena *a, const struct run *r)
{
	struct literals *l = arena_alloc(a, sizeof(*l) + r->n * sizeof(l->s[0]));

	l->n = r->n;
	l->has_far = r->has_far;
	for (unsigned i = 0; i < r->n; i++)
		l->s[i] = (struct str){arena_strndup(a, r->s[i], r->len[i]), r->len[i]};
	return l;
}

static void start(struct run *r)
{
	r->n = 1;
	r->has_far = false;
	r->len[0] = 0;
}

/* Every string of r followed by every one of l; false, r unchanged, when that is too much. */
static bool cross(struct run *r, const struct literals *l)
{
	struct run out;

	if (!l || r->n * l->n > FIND_MAX)
		return false;
	for (unsigned i = 0; i < r->n; i++)
		for (unsigned j = 0; j < l->n; j++)
			if (r->len[i] + l->s[j].len > FIND_BYTES)
				return false;
	r->has_far |= l->has_far;
	if (l->n == 1) { /* in place */
		for (unsigned i = 0; i < r->n; i++) {
			memcpy(r->s[i] + r->len[i], l->s[0].ptr, l->s[0].len);
			r->len[i] = (unsigned char)(r->len[i] + l->s[0].len);
		}
		return true;
	}
	out.n = 0;
	out.has_far = r->has_far;
	for (unsigned i = 0; i < r->n; i++)
		for (unsigned j = 0; j < l->n; j++) {
			memcpy(out.s[out.n], r->s[i], r->len[i]);
			memcpy(out.s[out.n] + r->len[i], l->s[j].ptr, l->s[j].len);
			out.len[out.n++] = (unsigned char)(r->len[i] + l->s[j].len);
		}
	*r = out;
	return true;
}

/* How much looking for the strings helps: rare bytes, few strings. <= 0: not at all. */
static int worth(unsigned n, const struct str *s)
{
	int worst = 10000;

	for (unsigned i = 0; i < n; i++) {
		int w = 0;

		for (size_t j = 0; j < s[i].len; j++)
			w += 260 - (int)byte_frequency((unsigned char)s[i].ptr[j]);
		if (s[i].len < 2)
			w -= 100;
		worst = MIN(worst, w);
	}
	return worst - (int)(n - 1) * 12;
}

static int worth_of(const struct literals *l)
{
	return l ? worth(l->n, l->s) : -1;
}

static int worth_run(const struct run *r)
{
	struct str s[FIND_MAX];

	for (unsigned i = 0; i < r->n; i++)
		s[i] = (struct str){r->s[i], r->len[i]};
	return worth(r->n, s);
}

static struct literals *union_of(struct arena *a, const struct node *first, bool of_exact)
{
	struct literals *l;
	unsigned n = 0;

	for (const struct node *c = first; c; c = c->next) {
		const struct literals *part = of_exact ? c->exact : c->need;

		if (!part || (n += part->n) > FIND_MAX)
			return NULL;
	}
	l = arena_alloc(a, sizeof(*l) + n * sizeof(l->s[0]));
	l->n = 0;
	l->has_far = false;
	for (const struct node *c = first; c; c = c->next) {
		const struct literals *part = of_exact ? c->exact : c->need;

		l->has_far |= part->has_far;
		memcpy(l->s + l->n, part->s, part->n * sizeof(part->s[0]));
		l->n += part->n;
	}
	return l;
}

static void analyse_set(struct arena *a, struct node *n, bool fold)
{
	struct run r = {.n = 0};

	if (n->is_pair && fold) {
		r.n = 1;
		r.has_far = n->kind == NODE_MACHINE;
		r.len[0] = 1;
		r.s[0][0] = (char)n->byte;
	} else {
		if (byteset_count(n->set) > 3)
			return;
		for (unsigned b = 0; b < 256; b++) {
			if (!byteset_has(n->set, b))
				continue;
			if (fold && ascii_alpha((int)b))
				return;
			r.s[r.n][0] = (char)b;
			r.len[r.n++] = 1;
		}
		if (r.n == 0)
			return;
	}
	n->exact = n->need = keep(a, &r);
	n->need_first = true;
}

/* The run ends: is it the best of the sequence so far? */
static void offer(struct arena *a, struct node *n, const struct run *r, bool first, int *best)
{
	int w = worth_run(r);

	if (w > *best) {
		*best = w;
		n->need = keep(a, r);
		n->need_first = first;
	}
}

static void analyse_cat(struct arena *a, struct node *n)
{
	struct run r;
	bool exact = true, first = true; /* the run starts where the sequence does */
	int best = 0;

	n->is_nullable = true;
	start(&r);
	for (struct node *c = n->child; c; c = c->next) {
		n->is_nullable &= c->is_nullable;
		if (c->kind == NODE_ASSERT) {
			exact = false;
			continue;
		}
		if (cross(&r, c->exact))
			continue;
		exact = false;
		offer(a, n, &r, first, &best);
		if (worth_of(c->need) > best) {
			best = worth_of(c->need);
			n->need = c->need;
			n->need_first = c->need_first && first && r.n == 1 && r.len[0] == 0;
		}
		first = false;
		start(&r);
		cross(&r, c->exact);
	}
	offer(a, n, &r, first, &best);
	if (exact) {
		n->exact = n->need = keep(a, &r);
		n->need_first = true;
	}
}

static void analyse_repeat(struct arena *a, struct node *n)
{
	struct run r;

	n->is_nullable = n->min == 0 || n->child->is_nullable;
	if (n->min == 0)
		return;
	n->need = n->child->need;
	n->need_first = n->child->need_first;
	if (n->min != n->max || n->min > (int32_t)FIND_BYTES)
		return;
	start(&r);
	for (int32_t i = 0; i < n->min; i++)
		if (!cross(&r, n->child->exact))
			return;
	n->exact = n->need = keep(a, &r);
	n->need_first = true;
}

static void analyse_alt(struct arena *a, struct node *n)
{
	n->need_first = true;
	for (struct node *c = n->child; c; c = c->next) {
		n->is_nullable |= c->is_nullable;
		n->need_first &= c->need_first;
	}
	n->exact = union_of(a, n->child, true);
	n->need = n->exact ? n->exact : union_of(a, n->child, false);
	if (n->exact)
		n->need_first = true;
}

void literals_analyse(struct tree *t, unsigned flags)
{
	struct arena *a = t->arena;
	bool fold = flags & REGEX_ICASE;

	for (struct node *n = t->first; n; n = n->made) {
		switch ((enum node_kind)n->kind) {
		case NODE_EMPTY:
		case NODE_ASSERT:
		case NODE_BACKREF: n->is_nullable = true; break;
		case NODE_BYTE:
			n->exact = n->need = arena_alloc(a, sizeof(*n->exact) + sizeof(struct str));
			n->exact->n = 1;
			n->exact->has_far = false;
			n->exact->s[0] = (struct str){(const char *)&n->byte, 1};
			n->need_first = true;
			break;
		case NODE_SET: analyse_set(a, n, fold); break;
		case NODE_MACHINE:
			if (n->is_pair)
				analyse_set(a, n, fold);
			break;
		case NODE_TRIE: break;
		case NODE_CAT: analyse_cat(a, n); break;
		case NODE_ALT: analyse_alt(a, n); break;
		case NODE_REPEAT: analyse_repeat(a, n); break;
		case NODE_GROUP:
			n->exact = n->child->exact;
			n->need = n->child->need;
			n->need_first = n->child->need_first;
			n->is_nullable = n->child->is_nullable;
			break;
		}
	}
}

/* The first bytes of the forms beyond ASCII. */
static void choose_far(struct regex *re, const struct tree *t)
{
	struct byteset s = {{0}};

	for (const struct node *n = t->first; n; n = n->made)
		for (unsigned i = 0; n->kind == NODE_MACHINE && n->is_pair && i < 64; i++)
			if (n->machine->lead[i])
				byteset_add(&s, 0xc0 + i);
	byteclass_init(&re->far, &s);
	re->has_far = true;
}

void literals_choose(struct regex *re, const struct tree *t, bool is_wrapped)
{
	const struct node *root = t->root;
	const struct literals *l = root->need;
	bool all = l && root->exact == l && !is_wrapped;

	if (!l)
		return;
	for (unsigned i = 0; i < l->n; i++)
		if (l->s[i].len == 0)
			return;
	if (!all && worth_of(l) < 60)
		return;
	finder_init(&re->find, l->s, l->n, re->flags & REGEX_ICASE);
	re->has_literals = true;
	re->literals_are_all = all;
	re->literals_come_first = root->need_first;
	if (l->has_far)
		choose_far(re, t);
}
