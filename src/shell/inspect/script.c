/*
 * script.c - a whole script to its tree, line by line: an option set in one line holds for the next.
 */
#include "inspect.h"

struct rows {
	struct arena *arena;
	struct list_item *v;
	uint32_t n, cap;
};

static void add(struct rows *r, struct list_item item)
{
	if (r->n == r->cap) {
		uint32_t cap = r->cap ? r->cap * 2 : 16;

		r->v = arena_grow(r->arena, r->v, r->n * sizeof(item), cap * sizeof(item));
		r->cap = cap;
	}
	r->v[r->n++] = item;
}

/* The commands of one line, which may be a list itself. */
static void add_line(struct rows *r, struct cmd *line)
{
	const struct cmd_list *list = AST_CONST(cmd_list, line);

	if (!line)
		return;
	if (line->kind != CMD_LIST) {
		add(r, (struct list_item){SEP_NEWLINE, line});
		return;
	}
	for (uint32_t i = 0; i < list->n; i++)
		add(r, (struct list_item){list->items[i].sep == SEP_END ? (uint8_t)SEP_NEWLINE
		                                                        : list->items[i].sep,
		                          list->items[i].cmd});
}

static struct cmd *join(const struct rows *r, uint32_t end)
{
	struct cmd_list *list;

	if (!r->n)
		return NULL;
	if (r->n == 1 && r->v[0].sep != SEP_AMP)
		return r->v[0].cmd;
	if (r->v[r->n - 1].sep != SEP_AMP)
		r->v[r->n - 1].sep = SEP_END;
	list = arena_zalloc(r->arena, sizeof(*list));
	list->cmd = (struct cmd){.kind = CMD_LIST, .off = r->v[0].cmd->off, .end = end, .line = r->v[0].cmd->line};
	list->n = r->n;
	list->items = r->v;
	return &list->cmd;
}

bool script_parse(struct script *s, struct arena *arena, struct str text, unsigned flags)
{
	struct parser *p = arena_alloc(arena, sizeof(*p));
	const struct parse_options options = {.flags = PARSE_TRIVIA | PARSE_TRACK_OPTIONS | (flags & SCRIPT_POSIX ? PARSE_POSIX : 0)};
	struct rows rows = {.arena = arena};
	enum parse_result r;
	struct cmd *line;

	parser_init(p, arena, text.ptr, text.len, &options);
	while ((r = parser_next(p, &line)) == PARSE_OK)
		add_line(&rows, line);
	*s = (struct script){.src = p->src, .len = (uint32_t)(p->end - p->src), .trivia = p->trivia, .error = p->error};
	if (r != PARSE_END)
		return false;
	s->tree = join(&rows, s->len);
	return true;
}
