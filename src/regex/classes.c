/*
 * classes.c - the classes of bytes that a program tells apart.
 *
 * All bytes begin in one class; every set of the program splits those that have members both
 * in it and out of it. The matchers' tables then have a column a class instead of 256.
 */
#include "program.h"

struct classes {
	uint16_t of[256];
	uint32_t n;
	struct byteset alone; /* each of these is a class of its own */
};

static void tell_apart(struct classes *c, const struct byteset *s)
{
	uint16_t in[257];
	uint32_t n = c->n;

	memset(in, 0xff, sizeof(in));
	/* a class with members in and out of s loses those inside to a new class */
	for (unsigned b = 0; b < 256; b++)
		if (!byteset_has(s, b))
			in[c->of[b]] = 0;
	for (unsigned b = 0; b < 256 && n < 256; b++) {
		unsigned k = c->of[b];

		if (!byteset_has(s, b) || in[k] == 0xffff)
			continue;
		if (in[k] == 0)
			in[k] = (uint16_t)++n;
		c->of[b] = (uint16_t)(in[k] - 1);
	}
	c->n = n;
}

static void renumber(struct classes *c)
{
	uint16_t name[512];
	uint32_t n = 0;

	memset(name, 0xff, sizeof(name));
	for (unsigned b = 0; b < 256; b++) {
		uint16_t *k = &name[c->of[b]];

		if (*k == 0xffff)
			*k = (uint16_t)n++;
		c->of[b] = *k;
	}
	c->n = n;
}

/* The 64 bytes from `base` that lead to different nodes. */
static void tell_apart_targets(struct classes *c, const uint16_t to[64], unsigned base)
{
	struct {
		uint16_t old, to, name; /* the name plus one; 0 where free */
	} slot[128];

	memset(slot, 0, sizeof(slot));
	for (unsigned b = 0; b < 64; b++) {
		uint16_t old = c->of[base + b];
		unsigned i = (old * 31u + to[b] * 7u) & 127;

		while (slot[i].name && (slot[i].old != old || slot[i].to != to[b]))
			i = (i + 1) & 127;
		if (!slot[i].name) {
			slot[i].old = old;
			slot[i].to = to[b];
			slot[i].name = (uint16_t)++c->n;
		}
		c->of[base + b] = (uint16_t)(slot[i].name - 1);
	}
	renumber(c);
}

static void tell_apart_machine(struct classes *c, const struct machine *m)
{
	tell_apart(c, &m->single);
	if (m->nnodes > 16) {
		for (unsigned b = 0x80; b < 0xf5; b++)
			byteset_add(&c->alone, b);
		return;
	}
	tell_apart_targets(c, m->lead, 0xc0);
	for (uint32_t i = 1; i < m->nnodes; i++) {
		struct byteset s = {{0, 0, m->node[i].last, 0}};

		if (m->node[i].more)
			tell_apart_targets(c, m->node[i].more, 0x80);
		else
			tell_apart(c, &s);
	}
}

static uint8_t new_class(struct program *p, uint32_t n, unsigned b)
{
	p->member[n] = (uint8_t)b;
	p->class_ctx[n] = (b == '\n' && p->lines_inside ? CTX_LINE : 0) |
	                  (b < 128 && rune_is_word(b) ? CTX_WORD : 0);
	return (uint8_t)n;
}

/* Numbers without gaps. */
static uint32_t name_classes(struct program *p, const struct classes *c)
{
	uint16_t name[512];
	uint32_t n = 0;

	memset(name, 0xff, sizeof(name));
	for (unsigned b = 0; b < 256; b++) {
		uint16_t *k = &name[c->of[b]], own = 0xffff;

		if (byteset_has(&c->alone, b))
			k = &own;
		if (*k == 0xffff)
			*k = new_class(p, n++, b);
		p->class_of[b] = (uint8_t)*k;
	}
	return n;
}

/* The same where nothing but single bytes is told apart. */
static uint32_t name_alone(struct program *p, const struct byteset *alone)
{
	unsigned other = 0;
	uint32_t n = 0;

	while (other < 256 && byteset_has(alone, other))
		other++;
	if (other < 256)
		memset(p->class_of, new_class(p, n++, other), sizeof(p->class_of));
	for (unsigned b = byteset_next(alone, 0); b < 256; b = byteset_next(alone, b + 1))
		p->class_of[b] = new_class(p, n++, b);
	return n;
}

void program_classes(struct program *p)
{
	struct classes c = {.n = 1};
	struct byteset s = {{0}};

	byteset_add(&c.alone, '\n'); /* both ends of lines */
	byteset_add(&c.alone, 0);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->step[i].op == STEP_BYTE)
			byteset_add(&c.alone, p->step[i].arg);
	for (uint32_t i = 0; i < p->nsets; i++)
		tell_apart(&c, &p->sets[i]);
	for (uint32_t i = 0; i < p->nmachines; i++)
		tell_apart_machine(&c, p->machines[i]);
	if (p->trie) {
		for (unsigned b = 0; b < 256; b++)
			if (p->trie->root[b])
				byteset_add(&c.alone, b);
		for (uint32_t i = 1; i < p->trie->nedges; i++)
			byteset_add(&c.alone, p->trie->edge[i].byte);
	}
	if (p->has_word_asserts) {
		for (unsigned b = 0; b < 128; b++)
			if (rune_is_word(b))
				byteset_add(&s, b);
		tell_apart(&c, &s);
		s = (struct byteset){{0, 0, ~(uint64_t)0, ~(uint64_t)0}};
		tell_apart(&c, &s);
	}
	p->nclasses = c.n == 1 ? name_alone(p, &c.alone) : name_classes(p, &c);
}
