/*
 * feature.c - looking through a tree for constructs that a profile leaves out.
 *
 * The tree may be deep (a thousand levels) and chains in it longer still, so nothing here recurses: what is still to be
 * looked at lies in a list. Everything is looked at; the place that stands first in the source is kept.
 */
#include "feature.h"

const struct feature_info feature_table[FEATURE_COUNT] = {
#define FEATURE(id, name, what, verb, example) {name, what, verb, example},
#include "features.def"
#undef FEATURE
};

enum node_kind {
	NODE_CMD,
	NODE_WORD,
	NODE_ASSIGN,
	NODE_SUBSCRIPT,
	NODE_ARITH,
	NODE_COND,
};

struct node {
	enum node_kind kind;
	const void *at;
	uint32_t line;
};

struct search {
	struct arena *arena;
	uint64_t refused;
	const char *src, *end;
	struct feature_place *first;
	bool found;
	uint32_t line; /* of what is being looked at */
	struct node *v;
	size_t n, cap;
};

static void add(struct search *s, enum node_kind kind, const void *at)
{
	if (!at)
		return;
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 64;

		s->v = arena_grow(s->arena, s->v, s->cap * sizeof *s->v, cap * sizeof *s->v);
		s->cap = cap;
	}
	s->v[s->n++] = (struct node){kind, at, s->line};
}

static void uses(struct search *s, enum feature f, uint32_t off)
{
	if (!(s->refused >> f & 1))
		return;
	if (s->found && s->first->off <= off)
		return;
	s->found = true;
	*s->first = (struct feature_place){f, off, s->line};
}

/* What follows a command, after blanks. */
static uint32_t after(const struct search *s, uint32_t off)
{
	while (off < (uint32_t)(s->end - s->src) && ascii_blank((unsigned char)s->src[off]))
		off++;
	return off;
}

static void add_words(struct search *s, const struct word *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		add(s, NODE_WORD, &words[i]);
}

/* ---- Words ------------------------------------------------------------------------------ */

/* Where in the source a part's text begins; what else is known when it is not in the source. */
static uint32_t place_of(const struct search *s, const char *raw, uint32_t otherwise)
{
	return raw >= s->src && raw < s->end ? (uint32_t)(raw - s->src) : otherwise;
}

/* The first active character of a pattern; or the "$" before a quote. */
static const char *active(const struct part *p)
{
	for (uint32_t i = 0; i < p->raw_len; i++)
		if (strchr("*?[", p->raw[i]) ||
		    (i + 1 < p->raw_len && p->raw[i + 1] == '(' && strchr("+@!", p->raw[i])))
			return p->raw + i;
	return p->raw;
}

static void param(struct search *s, const struct param *p, uint32_t off)
{
	bool operates = p->op != PARAM_PLAIN || p->flags & PARAM_INDIRECT;

	switch (p->kind) {
	case PARAM_POSITIONAL: uses(s, FEATURE_POSITIONAL, off); break;
	case PARAM_SPECIAL:
		if (p->special != '?')
			uses(s, strchr("@*#", p->special) ? FEATURE_POSITIONAL : FEATURE_SPECIAL, off);
		break;
	case PARAM_BAD: uses(s, FEATURE_PARAM_OP, off); break;
	default:
		if (str_is(p->name, "_") || str_is(p->name, "LINENO"))
			uses(s, FEATURE_SPECIAL, off);
	}
	if (operates)
		uses(s, FEATURE_PARAM_OP, off);
	if (p->sub)
		uses(s, FEATURE_ARRAY, off);
	add(s, NODE_SUBSCRIPT, p->sub);
	add(s, NODE_WORD, p->arg);
	if (p->op == PARAM_REPLACE) {
		add(s, NODE_WORD, p->repl);
	} else if (p->op == PARAM_SLICE) {
		add(s, NODE_ARITH, p->offset);
		add(s, NODE_ARITH, p->length);
	}
}

static void comsub(struct search *s, const struct comsub *c)
{
	if (c->kind == COMSUB_DOLLAR)
		uses(s, FEATURE_COMSUB, c->off);
	else
		uses(s, c->kind == COMSUB_BACKQUOTE ? FEATURE_BACKQUOTE : FEATURE_PROCSUB, c->off);
	add(s, NODE_CMD, c->body);
	add(s, NODE_WORD, c->file);
}

static void part(struct search *s, const struct part *p, const struct word *w)
{
	uint32_t off = place_of(s, p->raw, w->off);

	switch (p->kind) {
	case PART_LIT:
		if (p->glob)
			uses(s, w->flags & WORD_EXTGLOB ? FEATURE_EXTGLOB : FEATURE_GLOB,
			     place_of(s, active(p), w->off));
		break;
	case PART_QUOTED:
		if (p->flags & PART_ANSI)
			uses(s, FEATURE_ANSI, off);
		break;
	case PART_PARAM: param(s, p->param, place_of(s, p->raw, p->param->off)); break;
	case PART_COMSUB:
	case PART_PROCSUB: comsub(s, p->comsub); break;
	case PART_ARITH:
		uses(s, FEATURE_ARITH, p->arith->off);
		add(s, NODE_ARITH, p->arith);
		break;
	case PART_TILDE: uses(s, FEATURE_TILDE, off); break;
	case PART_BRACE:
		uses(s, FEATURE_BRACE, off);
		for (uint32_t i = 0; p->brace->kind == BRACE_LIST && i < p->brace->n; i++)
			add(s, NODE_WORD, &p->brace->alts[i]);
		break;
	default: break;
	}
	if (p->flags & PART_LOCALE) /* the text begins after its $" */
		uses(s, FEATURE_LOCALE, off - MIN(off, 2u));
}

static void word(struct search *s, const struct word *w)
{
	if (w->line)
		s->line = w->line;
	for (uint32_t i = 0; i < w->nparts; i++)
		part(s, &w->parts[i], w);
	add(s, NODE_ASSIGN, w->assign);
}

static void assign(struct search *s, const struct assign *a)
{
	if (a->append)
		uses(s, FEATURE_APPEND, a->off);
	if (a->sub || a->array)
		uses(s, FEATURE_ARRAY, a->off);
	add(s, NODE_SUBSCRIPT, a->sub);
	add(s, NODE_WORD, a->value);
	for (uint32_t i = 0; a->array && i < a->array->n; i++) {
		add(s, NODE_SUBSCRIPT, a->array->items[i].sub);
		add(s, NODE_WORD, &a->array->items[i].value);
	}
}

static void subscript(struct search *s, const struct subscript *x)
{
	add(s, NODE_WORD, x->word);
	add(s, NODE_ARITH, x->arith);
}

/* All that can be executed in it stands in its word. */
static void arith(struct search *s, const struct arith *a)
{
	add(s, NODE_WORD, a->word);
}

static void cond(struct search *s, const struct cond *c)
{
	add(s, NODE_WORD, c->left);
	add(s, NODE_WORD, c->right);
	add(s, NODE_COND, c->a);
	add(s, NODE_COND, c->b);
}

/* ---- Redirections ------------------------------------------------------------------------- */

static bool is_null_device(const struct word *w)
{
	return w && (w->flags & WORD_LITERAL) && str_is(w->text, "/dev/null");
}

static void output(struct search *s, const struct redir *r)
{
	/* What is only known when it runs is judged then. */
	if (r->target && (r->target->flags & (WORD_LITERAL | WORD_RESOLVED)) && !is_null_device(r->target))
		uses(s, FEATURE_FILE_OUT, r->off);
}

static void redir(struct search *s, const struct redir *r)
{
	s->line = r->line ? r->line : s->line;
	if (r->varname.len || r->fd > 2)
		uses(s, FEATURE_FD, r->off);
	switch (r->op) {
	case REDIR_HEREDOC: uses(s, FEATURE_HEREDOC, r->off); break;
	case REDIR_HERESTR: uses(s, FEATURE_HERESTRING, r->off); break;
	case REDIR_RDWR: uses(s, FEATURE_RDWR, r->off); break;
	case REDIR_DUP_IN: uses(s, FEATURE_DUP, r->off); break;
	case REDIR_DUP_OUT:
		if (!(r->flags & REDIR_DUP_NUMBER) || r->flags & (REDIR_CLOSE | REDIR_MOVE) || r->from < 1 ||
		    r->from > 2)
			uses(s, FEATURE_DUP, r->off);
		break;
	case REDIR_CLOBBER: uses(s, FEATURE_CLOBBER, r->off); output(s, r); break;
	case REDIR_OUT:
	case REDIR_APPEND:
	case REDIR_BOTH:
	case REDIR_BOTH_APPEND: output(s, r); break;
	default: break;
	}
	add(s, NODE_WORD, r->target);
	add(s, NODE_SUBSCRIPT, r->varsub);
}

/* ---- Commands ------------------------------------------------------------------------------ */

static void simple(struct search *s, const struct cmd_simple *c)
{
	static const char *const declare[] = {"declare", "typeset", "export", "local", "readonly", "let"};

	for (size_t i = 0; i < COUNTOF(declare); i++)
		if (c->nwords && str_is(c->name, declare[i]))
			uses(s, FEATURE_DECLARE, c->words[0].off);
	for (uint32_t i = 0; i < c->nassigns; i++)
		add(s, NODE_ASSIGN, &c->assigns[i]);
	add_words(s, c->words, c->nwords);
}

static void pipeline(struct search *s, const struct cmd_pipe *c)
{
	if (c->cmd.flags & PIPE_NEGATE)
		uses(s, FEATURE_NEGATE, c->cmd.off);
	if (c->cmd.flags & (PIPE_TIME | PIPE_TIME_POSIX))
		uses(s, FEATURE_TIME, c->cmd.off);
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->both && c->both[i])
			uses(s, FEATURE_PIPE_BOTH, after(s, c->cmds[i]->end));
		add(s, NODE_CMD, c->cmds[i]);
	}
}

static void list(struct search *s, const struct cmd_list *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->items[i].sep == SEP_AMP)
			uses(s, FEATURE_BACKGROUND, after(s, c->items[i].cmd->end));
		add(s, NODE_CMD, c->items[i].cmd);
	}
}

static void loop(struct search *s, const struct cmd_for *c)
{
	uses(s, c->cmd.kind == CMD_SELECT ? FEATURE_SELECT : FEATURE_LOOP, c->cmd.off);
	if (!c->has_in)
		uses(s, FEATURE_POSITIONAL, c->cmd.off);
	add_words(s, c->words, c->nwords);
	add(s, NODE_CMD, c->body);
}

static void choice(struct search *s, const struct cmd_case *c)
{
	uses(s, FEATURE_CASE, c->cmd.off);
	add(s, NODE_WORD, c->word);
	for (uint32_t i = 0; i < c->n; i++) {
		add_words(s, c->items[i].patterns, c->items[i].npatterns);
		add(s, NODE_CMD, c->items[i].body);
	}
}

static void condition(struct search *s, const struct cmd_if *c)
{
	uses(s, FEATURE_IF, c->cmd.off);
	for (uint32_t i = 0; i < c->n; i++) {
		add(s, NODE_CMD, c->clauses[i].test);
		add(s, NODE_CMD, c->clauses[i].body);
	}
	add(s, NODE_CMD, c->otherwise);
}

static void counting(struct search *s, const struct cmd_cfor *c)
{
	uses(s, FEATURE_CFOR, c->cmd.off);
	add(s, NODE_ARITH, c->init);
	add(s, NODE_ARITH, c->test);
	add(s, NODE_ARITH, c->step);
	add(s, NODE_CMD, c->body);
}

static void command(struct search *s, const struct cmd *c)
{
	s->line = c->line ? c->line : s->line;
	for (const struct redir *r = c->redirs; r; r = r->next)
		redir(s, r);
	switch (c->kind) {
	case CMD_SIMPLE: simple(s, AST_CONST(cmd_simple, c)); break;
	case CMD_PIPE: pipeline(s, AST_CONST(cmd_pipe, c)); break;
	case CMD_ANDOR:
		for (uint32_t i = 0; i < AST_CONST(cmd_andor, c)->n; i++)
			add(s, NODE_CMD, AST_CONST(cmd_andor, c)->items[i].cmd);
		break;
	case CMD_LIST: list(s, AST_CONST(cmd_list, c)); break;
	case CMD_SUBSHELL:
	case CMD_GROUP:
		uses(s, c->kind == CMD_GROUP ? FEATURE_GROUP : FEATURE_SUBSHELL, c->off);
		add(s, NODE_CMD, AST_CONST(cmd_block, c)->body);
		break;
	case CMD_IF: condition(s, AST_CONST(cmd_if, c)); break;
	case CMD_FOR:
	case CMD_SELECT: loop(s, AST_CONST(cmd_for, c)); break;
	case CMD_CFOR: counting(s, AST_CONST(cmd_cfor, c)); break;
	case CMD_WHILE:
		uses(s, FEATURE_LOOP, c->off);
		add(s, NODE_CMD, AST_CONST(cmd_while, c)->test);
		add(s, NODE_CMD, AST_CONST(cmd_while, c)->body);
		break;
	case CMD_CASE: choice(s, AST_CONST(cmd_case, c)); break;
	case CMD_FUNCTION:
		uses(s, FEATURE_FUNCTION, c->off);
		add(s, NODE_CMD, AST_CONST(cmd_function, c)->body);
		break;
	case CMD_COPROC:
		uses(s, FEATURE_COPROC, c->off);
		add(s, NODE_CMD, AST_CONST(cmd_coproc, c)->body);
		break;
	case CMD_ARITH:
		uses(s, FEATURE_ARITH_COMMAND, c->off);
		add(s, NODE_ARITH, AST_CONST(cmd_arith, c)->expr);
		break;
	case CMD_COND:
		uses(s, FEATURE_COND, c->off);
		add(s, NODE_COND, AST_CONST(cmd_cond, c)->expr);
		break;
	default: break;
	}
}

bool feature_find(struct arena *arena, const struct cmd *cmd, uint64_t refused, const char *src,
                  const char *end, struct feature_place *first)
{
	struct search s = {.arena = arena, .refused = refused, .src = src, .end = end, .first = first};

	add(&s, NODE_CMD, cmd);
	while (s.n) {
		const struct node n = s.v[--s.n];

		s.line = n.line;
		switch (n.kind) {
		case NODE_CMD: command(&s, n.at); break;
		case NODE_WORD: word(&s, n.at); break;
		case NODE_ASSIGN: assign(&s, n.at); break;
		case NODE_SUBSCRIPT: subscript(&s, n.at); break;
		case NODE_ARITH: arith(&s, n.at); break;
		case NODE_COND: cond(&s, n.at); break;
		default: break;
		}
	}
	return s.found;
}
