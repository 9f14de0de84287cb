/*
 * walk.c - every command of a tree in source order.
 */
#include "walk.h"

static void walk_words(struct walk *w, const struct word *words, uint32_t n);

/* ---- Inside words --------------------------------------------------------------------- */

static void walk_word(struct walk *w, const struct word *word)
{
	if (word)
		walk_words(w, word, 1);
}

static void walk_arith(struct walk *w, const struct arith *a)
{
	if (a)
		walk_word(w, a->word);
}

static void walk_subscript(struct walk *w, const struct subscript *s)
{
	if (s)
		walk_word(w, s->word);
}

static void walk_param(struct walk *w, const struct param *p)
{
	walk_subscript(w, p->sub);
	walk_word(w, p->arg);
	if (p->op == PARAM_REPLACE) {
		walk_word(w, p->repl);
	} else if (p->op == PARAM_SLICE) {
		walk_arith(w, p->offset);
		walk_arith(w, p->length);
	}
}

static void walk_comsub(struct walk *w, const struct comsub *c)
{
	if (c->file) {
		w->file(w, c->file);
		walk_word(w, c->file);
	} else if (c->body) {
		walk_cmd(w, c->body);
	}
}

static void walk_part(struct walk *w, const struct part *p)
{
	switch (p->kind) {
	case PART_PARAM: walk_param(w, p->param); break;
	case PART_COMSUB:
	case PART_PROCSUB: walk_comsub(w, p->comsub); break;
	case PART_ARITH: walk_arith(w, p->arith); break;
	case PART_BRACE:
		if (p->brace->kind == BRACE_LIST)
			walk_words(w, p->brace->alts, p->brace->n);
		break;
	default: break;
	}
}

static void walk_assigns(struct walk *w, const struct assign *a, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		walk_subscript(w, a[i].sub);
		walk_word(w, a[i].array ? NULL : a[i].value);
		for (uint32_t j = 0; a[i].array && j < a[i].array->n; j++) {
			walk_subscript(w, a[i].array->items[j].sub);
			walk_word(w, &a[i].array->items[j].value);
		}
	}
}

static void walk_words(struct walk *w, const struct word *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		/* declare a=(…): the items are only in the assignment */
		if (words[i].assign && words[i].assign->array) {
			walk_assigns(w, words[i].assign, 1);
			continue;
		}
		for (uint32_t j = 0; j < words[i].nparts; j++)
			walk_part(w, &words[i].parts[j]);
	}
}

/* ---- Commands --------------------------------------------------------------------------- */

static void walk_redirs(struct walk *w, const struct cmd *c)
{
	for (const struct redir *r = c->redirs; r; r = r->next) {
		w->redirection(w, r, c);
		walk_subscript(w, r->varsub);
		walk_word(w, r->target);
	}
}

/* Chains lean left, without bound. */
static void walk_cond(struct walk *w, const struct cond *c)
{
	const struct cond **spine, *left;
	size_t n = 0;

	for (left = c; left->kind == COND_AND || left->kind == COND_OR; left = left->a)
		n++;
	spine = arena_alloc(w->arena, n * sizeof(*spine));
	for (left = c, n = 0; left->kind == COND_AND || left->kind == COND_OR; left = left->a)
		spine[n++] = left;
	if (left->a)
		walk_cond(w, left->a);
	walk_word(w, left->left);
	walk_word(w, left->right);
	while (n--)
		walk_cond(w, spine[n]->b);
}

static void walk_case(struct walk *w, const struct cmd_case *c)
{
	walk_word(w, c->word);
	for (uint32_t i = 0; i < c->n; i++) {
		walk_words(w, c->items[i].patterns, c->items[i].npatterns);
		walk_cmd(w, c->items[i].body);
	}
}

static void walk_if(struct walk *w, const struct cmd_if *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		walk_cmd(w, c->clauses[i].test);
		walk_cmd(w, c->clauses[i].body);
	}
	walk_cmd(w, c->otherwise);
}

static void walk_loop(struct walk *w, const struct cmd *c)
{
	if (c->kind == CMD_CFOR) {
		const struct cmd_cfor *f = AST_CONST(cmd_cfor, c);

		walk_arith(w, f->init);
		walk_arith(w, f->test);
		walk_arith(w, f->step);
		walk_cmd(w, f->body);
	} else if (c->kind == CMD_WHILE) {
		walk_cmd(w, AST_CONST(cmd_while, c)->test);
		walk_cmd(w, AST_CONST(cmd_while, c)->body);
	} else {
		walk_words(w, AST_CONST(cmd_for, c)->words, AST_CONST(cmd_for, c)->nwords);
		walk_cmd(w, AST_CONST(cmd_for, c)->body);
	}
}

static void walk_rows(struct walk *w, const struct cmd *c)
{
	if (c->kind == CMD_PIPE)
		for (uint32_t i = 0; i < AST_CONST(cmd_pipe, c)->n; i++)
			walk_cmd(w, AST_CONST(cmd_pipe, c)->cmds[i]);
	else if (c->kind == CMD_ANDOR)
		for (uint32_t i = 0; i < AST_CONST(cmd_andor, c)->n; i++)
			walk_cmd(w, AST_CONST(cmd_andor, c)->items[i].cmd);
	else
		for (uint32_t i = 0; i < AST_CONST(cmd_list, c)->n; i++)
			walk_cmd(w, AST_CONST(cmd_list, c)->items[i].cmd);
}

static void walk_simple(struct walk *w, const struct cmd_simple *c)
{
	walk_assigns(w, c->assigns, c->nassigns);
	w->command(w, c);
	walk_words(w, c->words, c->nwords);
}

void walk_cmd(struct walk *w, const struct cmd *c)
{
	if (!c)
		return;
	switch (c->kind) {
	case CMD_SIMPLE: walk_simple(w, AST_CONST(cmd_simple, c)); break;
	case CMD_PIPE:
	case CMD_ANDOR:
	case CMD_LIST: walk_rows(w, c); break;
	case CMD_SUBSHELL:
	case CMD_GROUP: walk_cmd(w, AST_CONST(cmd_block, c)->body); break;
	case CMD_IF: walk_if(w, AST_CONST(cmd_if, c)); break;
	case CMD_FOR:
	case CMD_SELECT:
	case CMD_CFOR:
	case CMD_WHILE: walk_loop(w, c); break;
	case CMD_CASE: walk_case(w, AST_CONST(cmd_case, c)); break;
	case CMD_FUNCTION:
		if (w->function)
			w->function(w, AST_CONST(cmd_function, c));
		walk_cmd(w, AST_CONST(cmd_function, c)->body);
		break;
	case CMD_COPROC: walk_cmd(w, AST_CONST(cmd_coproc, c)->body); break;
	case CMD_ARITH: walk_arith(w, AST_CONST(cmd_arith, c)->expr); break;
	case CMD_COND: walk_cond(w, AST_CONST(cmd_cond, c)->expr); break;
	default: break;
	}
	walk_redirs(w, c);
}
