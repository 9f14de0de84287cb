/*
 * tree.c - nodes of a parsed pattern.
 */
#include "../base/utf8.h"
#include "tree.h"

struct node *tree_node(struct tree *t, enum node_kind kind)
{
	struct node *n = arena_zalloc(t->arena, sizeof(*n));

	n->kind = (uint8_t)kind;
	if (t->last)
		t->last->made = n;
	else
		t->first = n;
	t->last = n;
	return n;
}

struct node *tree_byte(struct tree *t, unsigned byte)
{
	struct node *n = tree_node(t, NODE_BYTE);

	n->byte = (uint8_t)byte;
	return n;
}

struct node *tree_assert(struct tree *t, enum assertion a)
{
	struct node *n = tree_node(t, NODE_ASSERT);

	n->assert = (uint8_t)a;
	return n;
}

void node_list_add(struct node_list *l, struct node *n)
{
	if (l->tail)
		l->tail->next = n;
	else
		l->head = n;
	l->tail = n;
	l->n++;
}

struct node *node_list_wrap(struct tree *t, struct node_list *l, enum node_kind kind)
{
	struct node *n;

	if (l->n == 1)
		return l->head;
	n = tree_node(t, l->n ? kind : NODE_EMPTY);
	n->child = l->head;
	return n;
}

static struct node *set_node(struct tree *t, const struct byteset *s)
{
	struct byteset *copy;
	struct node *n;
	unsigned count = byteset_count(s), b = 0;

	while (count && !byteset_has(s, b))
		b++;
	if (count == 1)
		return tree_byte(t, b);
	n = tree_node(t, NODE_SET);
	copy = arena_alloc(t->arena, sizeof(*copy));
	*copy = *s;
	n->set = copy;
	if (count == 2 && ascii_upper((int)b) && byteset_has(s, b + 32)) {
		n->is_pair = true;
		n->byte = (uint8_t)(b + 32);
	}
	return n;
}

struct node *tree_runes(struct tree *t, struct runes *s)
{
	struct node *n;

	runes_sort(s);
	if (s->n == 0)
		return set_node(t, &s->ascii);
	n = tree_node(t, NODE_MACHINE);
	n->machine = machine_build(t->arena, s);
	return n->machine ? n : NULL;
}

/* True when some character beyond ASCII has the upper case form c. */
static bool has_far_case(uint32_t c)
{
	for (size_t i = 0; i < rune_ncases; i++) {
		const struct rune_case *r = &rune_cases[i];

		if (c >= r->lo + (uint32_t)r->delta && c <= r->hi + (uint32_t)r->delta)
			return true;
	}
	return false;
}

static struct node *folded(struct tree *t, uint32_t c)
{
	struct runes s;

	runes_init(&s, t->arena, true);
	c = utf8_toupper(c);
	runes_add(&s, c, c);
	runes_fold(&s);
	return tree_runes(t, &s);
}

struct node *tree_char(struct tree *t, const unsigned char *p, const unsigned char *end,
                       unsigned flags, unsigned *len)
{
	int32_t c = *p;
	bool fold = flags & REGEX_ICASE;
	struct byteset both = {{0}};
	struct node_list bytes = {0};

	*len = 1;
	if (c >= 0x80 && flags & REGEX_UTF8)
		c = rune_decode(p, end, len);
	if (c < 0 || (c >= 0x80 && *len == 1))
		return tree_byte(t, *p);
	if (c < 0x80) {
		if (!fold || !ascii_alpha(c))
			return tree_byte(t, *p);
		if (flags & REGEX_UTF8 && has_far_case((uint32_t)ascii_toupper(c))) {
			struct node *n = folded(t, (uint32_t)c);

			if (n) {
				n->is_pair = true;
				n->byte = (uint8_t)ascii_tolower(c);
			}
			return n;
		}
		byteset_add(&both, (unsigned)ascii_toupper(c));
		byteset_add(&both, (unsigned)ascii_tolower(c));
		return set_node(t, &both);
	}
	if (fold && (utf8_toupper((uint32_t)c) != (uint32_t)c || has_far_case((uint32_t)c)))
		return folded(t, (uint32_t)c);
	for (unsigned i = 0; i < *len; i++)
		node_list_add(&bytes, tree_byte(t, p[i]));
	return node_list_wrap(t, &bytes, NODE_CAT);
}
