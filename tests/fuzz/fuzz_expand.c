/*
 * fuzz_expand.c - words, assignments, arithmetic and patterns of hostile scripts, expanded.
 *
 * The input is a script. Its simple commands are expanded inside a proc, their assignments made,
 * its (( )) evaluated, its functions defined and called by name; commands themselves are not run.
 * Whatever the script says, the proc ends by itself, within its memory, and the shell's state gives
 * everything back.
 */
#include "../../src/shell/expand/expand.h"
#include "../../src/shell/syntax/parser.h"
#include "../../src/port/fake.h"
#include "../unit/kernel/world.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input;
static size_t input_size;

struct walk {
	struct expander x;
	unsigned depth, steps;
};

static void ignore(struct expand_host *h, const char *text)
{
	(void)h;
	(void)text;
}

static bool echo_source(struct expand_host *h, const struct comsub *c, struct u_buf *out)
{
	(void)h;
	u_buf_put(out, c->text.ptr ? c->text.ptr : "1", c->text.ptr ? c->text.len : 1);
	return true;
}

static void run(struct walk *w, const struct cmd *c);

static void call(struct walk *w, const struct fields *f)
{
	struct shell_state *st = w->x.st;
	const struct func *func = state_func(st, str_from(f->v[0]),
	                                     table_hash(f->v[0], strlen(f->v[0])));

	if (streq(f->v[0], "set")) {
		params_set(st, f->v + 1, f->n - 1, false);
	} else if (streq(f->v[0], "unset")) {
		for (size_t i = 1; i < f->n; i++)
			unset_text(&w->x, str_from(f->v[i]), 0);
	} else if (streq(f->v[0], "local")) {
		for (size_t i = 1; i < f->n; i++)
			if (name_valid(str_from(f->v[i])))
				state_declare(st, str_from(f->v[i]), VAR_LOCAL, 0, 0, NULL);
	} else if (streq(f->v[0], "shopt")) {
		int n = f->n > 1 ? shopt_by_name(str_from(f->v[1])) : -1;

		if (n >= 0)
			state_set_opts(st, st->opts, st->shopts ^ (uint64_t)1 << n);
	} else if (streq(f->v[0], "declare") && f->n > 2 && name_valid(str_from(f->v[2]))) {
		static const uint32_t flags[] = {VAR_ARRAY,   VAR_ASSOC, VAR_INTEGER,
		                                 VAR_NAMEREF, VAR_UPPER, VAR_EXPORT};
		const struct var *v;

		if (state_declare(st, str_from(f->v[2]), VAR_VISIBLE,
		                  flags[(unsigned char)f->v[1][0] % COUNTOF(flags)], 0,
		                  &v) == VAR_OK) {
			struct u_buf b;

			u_buf_init(&b, w->x.p, 0);
			var_print(&w->x, v, &b);
		}
	} else if (streq(f->v[0], "read") && f->n > 1) {
		struct fields out = {NULL, 0, 0};

		split_read(&w->x, str_from(f->v[1]), NULL, f->n, &out);
	} else if (func && w->depth < 20) {
		w->depth++;
		frame_push(st, FRAME_FUNCTION, func);
		params_set(st, f->v + 1, f->n - 1, true);
		run(w, func->def->body);
		frame_pop(st);
		w->depth--;
	}
	state_environ(st);
}

static void simple(struct walk *w, const struct cmd_simple *s)
{
	struct fields f = {NULL, 0, 0};
	bool temp;

	if (!expand_words(&w->x, s->words, s->nwords, &f))
		return;
	temp = f.n && s->nassigns;
	if (temp)
		frame_push(w->x.st, FRAME_TEMPENV, NULL);
	for (uint32_t i = 0; i < s->nassigns; i++)
		assign_tree(&w->x, &s->assigns[i], temp ? VAR_TEMPENV : VAR_VISIBLE, 0);
	if (f.n)
		call(w, &f);
	if (temp)
		frame_pop(w->x.st);
}

static void run(struct walk *w, const struct cmd *c)
{
	int64_t n;

	if (!c || w->steps++ > 2000)
		return;
	w->x.error = EXPAND_NONE;
	switch ((enum cmd_kind)c->kind) {
	case CMD_SIMPLE: simple(w, AST_CONST(cmd_simple, c)); break;
	case CMD_ARITH: arith_eval(&w->x, AST_CONST(cmd_arith, c)->expr, &n); break;
	case CMD_GROUP: run(w, AST_CONST(cmd_block, c)->body); break;
	case CMD_LIST:
		for (uint32_t i = 0; i < AST_CONST(cmd_list, c)->n; i++)
			run(w, AST_CONST(cmd_list, c)->items[i].cmd);
		break;
	case CMD_FUNCTION:
		state_define(w->x.st, AST_CONST(cmd_function, c), w->x.st->frame->unit, NULL);
		break;
	case CMD_CASE: {
		const struct cmd_case *k = AST_CONST(cmd_case, c);
		struct str value, pattern;

		for (uint32_t i = 0; expand_text(&w->x, k->word, &value) && i < k->n; i++)
			for (uint32_t j = 0; j < k->items[i].npatterns; j++)
				if (expand_pattern(&w->x, &k->items[i].patterns[j], &pattern))
					pattern_match(&w->x, pattern, value, PATTERN_EXTGLOB);
		break;
	}
	default: break;
	}
}

static int target(struct proc *p, int argc, char **argv)
{
	struct expand_host host = {.comsub = echo_source, .warn = ignore};
	struct shell_state *st = state_new(p), *clone;
	struct walk *w = u_zalloc(p, sizeof(*w));
	struct parser *parser = u_alloc(p, sizeof(*parser));
	struct parse_options o = {.flags = PARSE_EXTGLOB};
	struct unit *u = unit_new(st, FRAME_MAIN, (struct str){(const char *)input, input_size});
	struct cmd *c;

	(void)argc;
	(void)argv;
	w->x = (struct expander){.p = p, .st = st, .host = &host};
	st->shopts |= SHOPT_EXTGLOB;
	parser_init(parser, &u->arena, u->text.ptr, u->text.len, &o);
	while (parser_next(parser, &c) == PARSE_OK) {
		struct arena_mark m = arena_mark(&sys_self(p)->arena);

		/* A clone in between makes every write one on something shared. */
		clone = state_clone(st);
		run(w, c);
		state_release(sys_heap(p), clone);
		arena_reset(&sys_self(p)->arena, m);
	}
	sys_attach(p, NULL, NULL);
	state_release(sys_heap(p), st);
	return sys_heap(p)->live_count != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct program programs[] = {{.name = "target", .main = target}};
	struct world w;
	struct outcome o;

	if (size < 1 || size > 2048)
		return 0;
	input = data;
	input_size = size;
	world_open(&w, port_fake_new(port_linux_new(), &(struct port_fake_config){.seed = 1}), programs, 1);
	world_run(&w, "target", ARGV("target"), NULL, &o);
	world_close(&w);
	if (failures || (o.result.status && o.result.status != 137))
		__builtin_trap();
	return 0;
}
