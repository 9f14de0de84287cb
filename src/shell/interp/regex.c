/* regex.c - the regular expressions of =~, compiled once as long as they come again.
 *
 * Each of the few that are remembered lives in an arena of its own, whose chunks are kept blocks of the proc's:
 * no reset takes them back, and they go with the proc. */
#include "interp.h"

#define REMEMBERED 4u

struct compiled {
	struct arena_source source; /* first */
	struct proc *p;
	struct arena arena;
	struct str pattern;
	unsigned flags;
	struct regex *re; /* NULL: nothing is in this place */
	struct regex_scratch *scratch;
};

struct regex_memory {
	struct compiled v[REMEMBERED];
	unsigned next; /* the place that is given up next */
};

static void *chunk_get(struct arena_source *s, size_t n)
{
	return arena_keep(&sys_self(((struct compiled *)s)->p)->arena, n);
}

static void chunk_put(struct arena_source *s, void *chunk, size_t n)
{
	(void)n;
	arena_unkeep(&sys_self(((struct compiled *)s)->p)->arena, chunk);
}

static void checkpoint(void *ctx)
{
	sys_checkpoint((struct proc *)ctx);
}

static struct compiled *place(struct shell *sh)
{
	struct regex_memory *m = sh->regexes;
	struct compiled *c;

	if (!m) {
		m = arena_keep(&sys_self(sh->p)->arena, sizeof *m);
		memset(m, 0, sizeof *m);
		sh->regexes = m;
	}
	c = &m->v[m->next];
	m->next = (m->next + 1) % REMEMBERED;
	if (c->p) {
		c->re = NULL;
		arena_release(&c->arena);
		return c;
	}
	c->source = (struct arena_source){chunk_get, chunk_put};
	c->p = sh->p;
	arena_init(&c->arena, &c->source);
	return c;
}

struct regex *regex_remembered(struct shell *sh, struct str pattern, unsigned flags, struct regex_scratch **scratch)
{
	struct compiled *c;

	for (unsigned i = 0; sh->regexes && i < REMEMBERED; i++) {
		c = &sh->regexes->v[i];
		if (c->re && c->flags == flags && str_eq(c->pattern, pattern)) {
			*scratch = c->scratch;
			return c->re;
		}
	}
	c = place(sh);
	c->pattern = (struct str){arena_strndup(&c->arena, pattern.ptr, pattern.len), pattern.len};
	c->flags = flags;
	c->re = regex_compile(&c->arena, pattern.ptr, pattern.len, flags, NULL);
	if (c->re)
		*scratch = regex_scratch_new(&c->arena, c->re, checkpoint, sh->p);
	c->scratch = *scratch;
	return c->re;
}
