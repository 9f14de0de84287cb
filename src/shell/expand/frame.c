/* frame.c - the call stack of a shell: frames, positional parameters, parsed units.
 *
 * Frames form a list, innermost first, shared between a shell and its subshells: a clone is
 * one reference on the top. Who changes a frame first makes the frames from the top down to
 * it its own (frame_own_to); most often that is the top one alone and it is unshared. */
#include "var.h"

/* ---- Units --------------------------------------------------------------- */

#define UNIT_FIRST 1024u /* bytes of tree in the unit's own block */

static void *unit_source_get(struct arena_source *s, size_t size)
{
	return heap_alloc(CONTAINER_OF(s, struct unit, source)->heap, size);
}

static void unit_source_put(struct arena_source *s, void *chunk, size_t size)
{
	heap_free(CONTAINER_OF(s, struct unit, source)->heap, chunk, size);
}

static size_t unit_head(void)
{
	return (sizeof(struct unit) + 15) & ~(size_t)15;
}

void unit_put(struct heap *h, struct unit *u)
{
	if (!u || --u->refs)
		return;
	arena_release(&u->arena);
	heap_free(h, u, unit_head() + UNIT_FIRST);
}

struct unit *unit_new(struct shell_state *st, enum frame_kind kind, struct str text)
{
	struct frame *f = frame_push(st, kind, NULL);
	struct unit *u = heap_alloc(st->heap, unit_head() + UNIT_FIRST);

	*u = (struct unit){
	        .refs = 1, .heap = st->heap, .source = {unit_source_get, unit_source_put}};
	arena_init_with(&u->arena, &u->source, (char *)u + unit_head(), UNIT_FIRST);
	f->unit = u;
	u->text = (struct str){arena_strndup(&u->arena, text.ptr, text.len), text.len};
	return u;
}

/* ---- Parameters ------------------------------------------------------------- */

static void params_put(struct heap *h, struct params *p)
{
	if (p && --p->refs == 0)
		heap_free(h, p, p->size);
}

void params_set(struct shell_state *st, char *const *v, size_t n, bool keep)
{
	struct params *b = NULL;
	struct frame *f;

	if (n) {
		size_t size = size_add(sizeof(*b), size_mul(n, sizeof(struct str)));
		char *at;

		for (size_t i = 0; i < n; i++)
			size = size_add(size, strlen(v[i]) + 1);
		b = heap_alloc(st->heap, n > UINT32_MAX ? SIZE_MAX : size);
		b->refs = 1;
		b->n = (uint32_t)n;
		b->size = size;
		at = (char *)(b->v + n);
		for (size_t i = 0; i < n; i++) {
			size_t len = strlen(v[i]);

			memcpy(at, v[i], len + 1);
			b->v[i] = (struct str){at, len};
			at += len + 1;
		}
	}
	f = st->frame;
	if (keep && f && !f->has_params) {
		/* The frame was pushed for this: it is ours alone. */
		f->params = st->params;
		f->has_params = true;
	} else {
		params_put(st->heap, st->params.params);
	}
	st->params = (struct params_view){b, 0, (uint32_t)n};
}

/* ---- Frames -------------------------------------------------------------------- */

struct frame *frame_push(struct shell_state *st, enum frame_kind kind, const struct func *func)
{
	struct frame *up = st->frame;
	struct frame *f = heap_alloc(st->heap, sizeof(*f));

	*f = (struct frame){.refs = 1,
	                    .kind = (uint8_t)kind,
	                    .up = up,
	                    .call_line = st->line,
	                    .command = st->command};
	f->is_scope = kind == FRAME_FUNCTION || kind == FRAME_TEMPENV;
	/* The VAR=x before a function call are in the function's own scope. */
	f->level = (up ? up->level : 0) +
	           (f->is_scope && !(kind == FRAME_FUNCTION && up && up->kind == FRAME_TEMPENV));
	f->depth = (up ? up->depth : 0) + 1;
	f->nfuncs = (up ? up->nfuncs : 0) + (kind == FRAME_FUNCTION ? 1 : 0);
	if (func) {
		struct item *it = (struct item *)(uintptr_t)(const void *)&func->head;

		f->func = (struct func *)(void *)item_get(it);
		f->unit = unit_get(func->unit);
	}
	st->frame = f;
	return f;
}

static void frame_free(struct heap *h, struct frame *f)
{
	for (uint32_t i = 0; i < f->nsaved; i++)
		item_put(h, f->saved[i]);
	heap_free(h, f->saved, (size_t)f->cap_saved * sizeof(struct item *));
	unit_put(h, f->unit);
	if (f->func)
		item_put(h, &f->func->head);
	vstr_put(h, f->source);
	if (f->has_params)
		params_put(h, f->params.params);
	heap_free(h, f, sizeof(*f));
}

/* Drops one reference on f and, as far as that was the last, on those below. */
static void frames_put(struct heap *h, struct frame *f)
{
	while (f && --f->refs == 0) {
		struct frame *up = f->up;

		frame_free(h, f);
		f = up;
	}
}

/* A copy of *link in its place. */
static struct frame *own_link(struct shell_state *st, struct frame **link)
{
	struct frame *f = *link, *c;
	struct item **saved = NULL;

	if (f->refs == 1)
		return f;
	c = heap_alloc(st->heap, sizeof(*c));
	*c = *f;
	c->refs = 1;
	c->saved = NULL;
	c->nsaved = c->cap_saved = 0;
	unit_get(c->unit);
	if (c->func)
		item_get(&c->func->head);
	vstr_get(c->source);
	if (c->has_params && c->params.params)
		c->params.params->refs++;
	if (c->up)
		c->up->refs++;
	*link = c;
	f->refs--;
	if (f->nsaved) {
		saved = heap_alloc(st->heap, (size_t)f->nsaved * sizeof(struct item *));
		for (uint32_t i = 0; i < f->nsaved; i++)
			saved[i] = item_get(f->saved[i]);
		c->saved = saved;
		c->nsaved = c->cap_saved = f->nsaved;
	}
	return c;
}

struct frame *frame_own_to(struct shell_state *st, struct frame *f)
{
	struct frame **link = &st->frame;

	for (;;) {
		bool last = *link == f;
		struct frame *own = own_link(st, link);

		if (last)
			return own;
		link = &own->up;
	}
}

struct frame *frame_own(struct shell_state *st)
{
	return own_link(st, &st->frame);
}

struct frame *frame_find(const struct shell_state *st, enum frame_kind kind)
{
	struct frame *f = st->frame;

	if (kind == FRAME_FUNCTION && (!f || !f->nfuncs))
		return NULL;
	while (f && f->kind != kind)
		f = f->up;
	return f;
}

/* What a function has exported of the VAR=x before its call is the caller's now. */
static void outlast(struct shell_state *st, const struct var *v)
{
	struct str name = item_name(&v->head);

	if (state_put(st, name, VAR_VISIBLE, sval_str(&v->s), false) == VAR_OK)
		(void)state_declare(st, name, VAR_VISIBLE, v->flags & (VAR_EXPORT | VAR_READONLY), 0, NULL);
}

/* Puts what f remembers back into the table, newest first. */
static void restore(struct shell_state *st, struct frame *f)
{
	while (f->hidden && f->nsaved)
		item_put(st->heap, f->saved[--f->nsaved]);
	while (f->nsaved) {
		struct item *it = f->saved[--f->nsaved];
		struct item *now = table_find(&st->vars, it->name, it->len, it->hash);
		uint32_t flags = now ? as_var(now)->flags : 0;
		bool stays = UNLIKELY(flags & VAR_OUTLASTS) && (flags & VAR_SET) && !(flags & (VAR_ARRAY | VAR_ASSOC));
		struct item note = {.special = it->special};

		if (stays)
			now = item_get(now);
		st->pin = it;
		if (now)
			note.special |= now->special;
		if (it->kind == ITEM_VAR) {
			flags |= as_var(it)->flags;
			table_put(st->heap, &st->vars, &st->pin);
		} else {
			table_remove(st->heap, &st->vars, it->name, it->len, it->hash);
			item_put(st->heap, it);
			st->pin = NULL;
		}
		var_changed(st, &note, flags);
		if (stays) {
			outlast(st, as_var(now));
			item_put(st->heap, now);
		}
	}
}

void frame_hide(struct shell_state *st)
{
	struct frame *f = frame_own(st);

	for (uint32_t i = 0; i < f->nsaved; i++) {
		struct item *it = f->saved[i];
		struct item *now = table_find(&st->vars, it->name, it->len, it->hash);
		uint32_t flags = now ? as_var(now)->flags : 0;
		struct item note = {.special = it->special};

		if (now)
			note.special |= now->special;
		f->saved[i] = now ? item_get(now) : absent_new(st, item_name(it), it->hash);
		if (it->kind == ITEM_VAR) {
			flags |= as_var(it)->flags;
			st->pin = it;
			table_put(st->heap, &st->vars, &st->pin);
		} else {
			table_remove(st->heap, &st->vars, it->name, it->len, it->hash);
			item_put(st->heap, it);
		}
		var_changed(st, &note, flags);
	}
	f->hidden = !f->hidden;
}

void frame_pop(struct shell_state *st)
{
	struct frame *f = st->frame;
	struct frame *up;

	if (f->nsaved) {
		f = frame_own(st);
		restore(st, f);
	}
	if (f->has_params) {
		struct params *old = st->params.params;

		if (f->params.params)
			f->params.params->refs++;
		st->params = f->params;
		params_put(st->heap, old);
	}
	if (f->has_opts)
		state_set_opts(st, f->opts, st->shopts);
	st->command = f->command;
	up = f->up;
	if (up)
		up->refs++;
	st->frame = up;
	frames_put(st->heap, f);
}

/* ---- Life cycle (the parts the stacks need) -------------------------------------- */

void frames_release(struct heap *h, struct shell_state *st)
{
	frames_put(h, st->frame);
	st->frame = NULL;
	params_put(h, st->params.params);
	st->params = (struct params_view){0};
}

void frames_clone(struct shell_state *st)
{
	if (st->frame)
		st->frame->refs++;
	if (st->params.params)
		st->params.params->refs++;
}
