/*
 * syntax_dump.h - a tree of the shell parser as text, for tests.
 *
 * Two trees with the same dump run the same. What bash's printed form changes without
 * changing the meaning is dumped alike: elif and an if in an else, `for x` and `for x in
 * "$@"`, a lone [[ word ]] and -n word, a |& b and a 2>&1 | b, $'…' and '…', ; and newline.
 * Positions are left out.
 */
#ifndef TESTS_UNIT_SHELL_SYNTAX_DUMP_H
#define TESTS_UNIT_SHELL_SYNTAX_DUMP_H

#include "../../../src/shell/syntax/arith.h"
#include "../../../src/shell/syntax/parser.h"
#include <stdio.h>
#include <stdlib.h>

struct dump {
	char *text;
	size_t len, cap;
};

static void dump_cmd(struct dump *d, const struct cmd *c, bool both);
static void dump_word(struct dump *d, const struct word *w);
static void dump_arith(struct dump *d, const struct arith *a);

static void dump_bytes(struct dump *d, const char *s, size_t n)
{
	if (d->cap - d->len < n + 1) {
		d->cap = (d->cap + n + 256) * 2;
		d->text = realloc(d->text, d->cap);
		if (!d->text)
			abort();
	}
	memcpy(d->text + d->len, s, n);
	d->len += n;
	d->text[d->len] = '\0';
}

PRINTF(2, 3)
static void dump_fmt(struct dump *d, const char *fmt, ...)
{
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	dump_bytes(d, line, MIN((size_t)n, sizeof(line) - 1));
}

static void dump_str(struct dump *d, struct str s)
{
	dump_bytes(d, "\"", 1);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\n')
			dump_bytes(d, "\\n", 2);
		else
			dump_bytes(d, s.ptr + i, 1);
	}
	dump_bytes(d, "\"", 1);
}

static void dump_sub(struct dump *d, const struct subscript *s)
{
	if (!s)
		return;
	if (s->kind != SUB_WORD) {
		dump_fmt(d, "[%s]", s->kind == SUB_AT ? "@" : "*");
		return;
	}
	dump_fmt(d, "[");
	dump_word(d, s->word);
	dump_fmt(d, " ");
	dump_arith(d, s->arith);
	dump_fmt(d, "]");
}

static void dump_node(struct dump *d, const struct arith_node *n)
{
	static const char *const names[] = {
	        "num", "var", "exp", "neg", "pos", "!", "~",  "++x", "--x", "x++", "x--",
	        "**",  "*",   "/",   "%",   "+",   "-", "<<", ">>",  "<",   "<=",  ">",
	        ">=",  "==",  "!=",  "&",   "^",   "|", "&&", "||",  ",",   "?",   "=",
	};

	if (!n) {
		dump_fmt(d, "()");
		return;
	}
	switch (n->op) {
	case AR_NUM: dump_fmt(d, "%lld", (long long)n->value); return;
	case AR_EXPAND: dump_fmt(d, "#%u", n->slot); return;
	case AR_VAR:
		dump_fmt(d, "%.*s", (int)n->name.len, n->name.ptr);
		dump_sub(d, n->sub);
		return;
	default: break;
	}
	dump_fmt(d, "(%s", names[n->op]);
	if (n->op == AR_ASSIGN && n->assign_op)
		dump_fmt(d, "%s", names[n->assign_op]);
	for (int i = 0; i < 3; i++) {
		const struct arith_node *k = i == 0 ? n->a : i == 1 ? n->b : n->c;

		if (!k)
			break;
		dump_fmt(d, " ");
		dump_node(d, k);
	}
	dump_fmt(d, ")");
}

static void dump_arith(struct dump *d, const struct arith *a)
{
	if (!a || a->blank) {
		dump_fmt(d, "{}");
	} else if (a->error) {
		dump_fmt(d, "{error %s ", a->error);
		dump_str(d, a->error_token);
		dump_fmt(d, "}");
	} else if (!a->tree) {
		dump_fmt(d, "{text ");
		dump_word(d, a->word);
		dump_fmt(d, "}");
	} else {
		dump_fmt(d, "{");
		dump_node(d, a->tree);
		for (uint32_t i = 0; i < a->nexps; i++) {
			struct word w = {.parts = a->exps[i], .nparts = 1};

			dump_fmt(d, " #%u=", i);
			dump_word(d, &w);
		}
		dump_fmt(d, "}");
	}
}

static void dump_param(struct dump *d, const struct param *p)
{
	static const char *const ops[] = {
	        "",  "len",   "-", "=", "?", "+", "#",      "%",
	        "/", "slice", "^", ",", "~", "@", "prefix", "keys",
	};

	if (p->kind == PARAM_BAD) {
		dump_fmt(d, "${bad}");
		return;
	}
	dump_fmt(d, "${");
	if (p->kind == PARAM_SPECIAL)
		dump_fmt(d, "%c", p->special);
	else if (p->kind == PARAM_POSITIONAL)
		dump_fmt(d, "%u", p->number);
	else
		dump_fmt(d, "%.*s", (int)p->name.len, p->name.ptr);
	dump_sub(d, p->sub);
	if (p->flags & PARAM_INDIRECT)
		dump_fmt(d, " indirect");
	if (p->op)
		dump_fmt(d, " %s%s%s%s%s%s%s", p->flags & PARAM_COLON ? ":" : "", ops[p->op],
		         p->flags & PARAM_LONGEST ? "longest" : "",
		         p->flags & PARAM_ALL ? "all" : "",
		         p->flags & PARAM_ANCHOR_START ? "start" : "",
		         p->flags & PARAM_ANCHOR_END ? "end" : "", p->flags & PARAM_AT ? "@" : "");
	if (p->special_op)
		dump_fmt(d, "%c", p->special_op);
	if (p->arg) {
		dump_fmt(d, " ");
		dump_word(d, p->arg);
	}
	if (p->op == PARAM_REPLACE && p->repl) {
		dump_fmt(d, " ");
		dump_word(d, p->repl);
	}
	if (p->op == PARAM_SLICE) {
		dump_arith(d, p->offset);
		if (p->length)
			dump_arith(d, p->length);
	}
	dump_fmt(d, "}");
}

static void dump_brace(struct dump *d, const struct brace *b)
{
	if (b->kind != BRACE_LIST) {
		dump_fmt(d, "{%lld..%lld..%lld w%u}", (long long)b->from, (long long)b->to,
		         (long long)b->step, b->width);
		return;
	}
	dump_fmt(d, "{");
	for (uint32_t i = 0; i < b->n; i++) {
		if (i)
			dump_fmt(d, ",");
		dump_word(d, &b->alts[i]);
	}
	dump_fmt(d, "}");
}

static void dump_comsub(struct dump *d, const struct comsub *c)
{
	static const char *const open[] = {"$(", "`", "<(", ">("};

	dump_fmt(d, "%s", open[c->kind]);
	if (c->error)
		dump_fmt(d, "error ");
	if (c->file)
		dump_fmt(d, "file ");
	if (c->body)
		dump_cmd(d, c->body, false);
	dump_fmt(d, ")");
}

static bool plain_quoted(const struct part *p)
{
	return p->kind == PART_QUOTED && !(p->flags & (PART_DQ_FIRST | PART_DQ_LAST));
}

/* Pieces quoted in different ways side by side are one. Returns how many. */
static uint32_t dump_quoted(struct dump *d, const struct part *p, uint32_t n)
{
	struct dump text = {0};
	uint32_t i;

	for (i = 0; i < n && plain_quoted(&p[i]); i++)
		dump_bytes(&text, p[i].text.ptr, p[i].text.len);
	dump_fmt(d, "'");
	dump_str(d, (struct str){text.text, text.len});
	free(text.text);
	return i;
}

static void dump_part(struct dump *d, const struct part *p)
{
	if (p->flags & PART_DQ_FIRST)
		dump_fmt(d, "<");
	if (p->quoted && p->kind != PART_QUOTED)
		dump_fmt(d, "q");
	switch (p->kind) {
	case PART_LIT:
		dump_fmt(d, p->glob ? "glob" : "");
		dump_str(d, p->text);
		break;
	case PART_QUOTED:
		dump_fmt(d, "'");
		dump_str(d, p->text);
		break;
	case PART_PARAM: dump_param(d, p->param); break;
	case PART_COMSUB:
	case PART_PROCSUB: dump_comsub(d, p->comsub); break;
	case PART_ARITH: dump_arith(d, p->arith); break;
	case PART_TILDE:
		dump_fmt(d, "~");
		dump_str(d, p->text);
		break;
	default: dump_brace(d, p->brace); break;
	}
	if (p->flags & PART_DQ_LAST)
		dump_fmt(d, ">");
}

static void dump_array(struct dump *d, const struct array_lit *a)
{
	dump_fmt(d, "(array");
	for (uint32_t i = 0; i < a->n; i++) {
		dump_fmt(d, " ");
		dump_sub(d, a->items[i].sub);
		if (a->items[i].sub)
			dump_fmt(d, a->items[i].append ? "+=" : "=");
		dump_word(d, &a->items[i].value);
	}
	dump_fmt(d, ")");
}

static void dump_assign(struct dump *d, const struct assign *a)
{
	dump_fmt(d, "%.*s", (int)a->name.len, a->name.ptr);
	dump_sub(d, a->sub);
	dump_fmt(d, a->append ? "+=" : "=");
	if (a->array)
		dump_array(d, a->array);
	else
		dump_word(d, a->value);
}

static void dump_word(struct dump *d, const struct word *w)
{
	if ((w->flags & WORD_ASSIGN) && w->assign) {
		dump_fmt(d, "decl:");
		dump_assign(d, w->assign);
		return;
	}
	if (!w->nparts)
		dump_fmt(d, "_");
	for (uint32_t i = 0; i < w->nparts;) {
		if (plain_quoted(&w->parts[i]))
			i += dump_quoted(d, &w->parts[i], w->nparts - i);
		else
			dump_part(d, &w->parts[i++]);
	}
}

static void dump_redir(struct dump *d, const struct redir *r)
{
	static const char *const ops[] = {"<",   ">",  ">|", ">>", "<>", "<<",
	                                  "<<<", "<&", ">&", "&>", "&>>"};

	dump_fmt(d, " ");
	if (r->varname.len) {
		dump_fmt(d, "{%.*s", (int)r->varname.len, r->varname.ptr);
		dump_sub(d, r->varsub);
		dump_fmt(d, "}");
	} else if (r->op != REDIR_BOTH && r->op != REDIR_BOTH_APPEND) {
		dump_fmt(d, "%d", r->fd);
	}
	if (r->flags & REDIR_CLOSE) {
		dump_fmt(d, ">&-");
		return;
	}
	dump_fmt(d, "%s", ops[r->op]);
	if (r->flags & (REDIR_MOVE | REDIR_DUP_NUMBER)) {
		dump_fmt(d, "%d%s", r->from, r->flags & REDIR_MOVE ? "-" : "");
		return;
	}
	if (r->flags & REDIR_QUOTED_DELIM)
		dump_fmt(d, "quoted");
	dump_word(d, r->target);
}

static void dump_redirs(struct dump *d, const struct cmd *c, bool both)
{
	for (const struct redir *r = c->redirs; r; r = r->next)
		dump_redir(d, r);
	if (both)
		dump_fmt(d, " 2>&1");
}

static void dump_words(struct dump *d, const struct word *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		dump_fmt(d, " ");
		dump_word(d, &w[i]);
	}
}

static void dump_cond(struct dump *d, const struct cond *c)
{
	switch (c->kind) {
	case COND_AND:
	case COND_OR:
		dump_fmt(d, c->kind == COND_AND ? "(and " : "(or ");
		dump_cond(d, c->a);
		dump_fmt(d, " ");
		dump_cond(d, c->b);
		break;
	case COND_NOT:
		if (c->a->kind == COND_NOT) {
			dump_cond(d, c->a->a);
			return;
		}
		dump_fmt(d, "(not ");
		dump_cond(d, c->a);
		break;
	case COND_GROUP:
		dump_fmt(d, "(group ");
		dump_cond(d, c->a);
		break;
	case COND_WORD:
		dump_fmt(d, "(-n ");
		dump_word(d, c->left);
		break;
	default:
		dump_fmt(d, "(%.*s ", (int)c->op_text.len, c->op_text.ptr);
		dump_word(d, c->left);
		if (c->right) {
			dump_fmt(d, " ");
			dump_word(d, c->right);
		}
		break;
	}
	dump_fmt(d, ")");
}

static void dump_opt(struct dump *d, const struct cmd *c)
{
	dump_fmt(d, " ");
	if (c)
		dump_cmd(d, c, false);
	else
		dump_fmt(d, "_");
}

static void dump_if(struct dump *d, const struct cmd_if *c, uint32_t i)
{
	dump_fmt(d, "if");
	dump_opt(d, c->clauses[i].test);
	dump_opt(d, c->clauses[i].body);
	if (i + 1 < c->n) {
		dump_fmt(d, " (");
		dump_if(d, c, i + 1);
		dump_fmt(d, ")");
	} else if (c->otherwise) {
		dump_opt(d, c->otherwise);
	}
}

static void dump_for_expr(struct dump *d, const struct arith *a)
{
	if (a)
		dump_arith(d, a);
	else
		dump_fmt(d, "{1}");
}

static void dump_compound(struct dump *d, const struct cmd *c)
{
	switch (c->kind) {
	case CMD_SUBSHELL:
	case CMD_GROUP:
		dump_fmt(d, c->kind == CMD_GROUP ? "group" : "subshell");
		dump_opt(d, AST_CONST(cmd_block, c)->body);
		break;
	case CMD_IF: dump_if(d, AST_CONST(cmd_if, c), 0); break;
	case CMD_FOR:
	case CMD_SELECT: {
		const struct cmd_for *f = AST_CONST(cmd_for, c);

		dump_fmt(d, "%s %.*s%s in", c->kind == CMD_FOR ? "for" : "select", (int)f->name.len,
		         f->name.ptr, f->bad_name ? "(bad)" : "");
		if (f->has_in)
			dump_words(d, f->words, f->nwords);
		else
			dump_fmt(d, " <q${@}>");
		dump_opt(d, f->body);
		break;
	}
	case CMD_CFOR: {
		const struct cmd_cfor *f = AST_CONST(cmd_cfor, c);

		dump_fmt(d, "cfor ");
		dump_for_expr(d, f->init);
		dump_for_expr(d, f->test);
		dump_for_expr(d, f->step);
		dump_opt(d, f->body);
		break;
	}
	case CMD_WHILE:
		dump_fmt(d, c->flags & WHILE_UNTIL ? "until" : "while");
		dump_opt(d, AST_CONST(cmd_while, c)->test);
		dump_opt(d, AST_CONST(cmd_while, c)->body);
		break;
	case CMD_CASE: {
		const struct cmd_case *k = AST_CONST(cmd_case, c);

		dump_fmt(d, "case ");
		dump_word(d, k->word);
		for (uint32_t i = 0; i < k->n; i++) {
			dump_fmt(d, " [");
			dump_words(d, k->items[i].patterns, k->items[i].npatterns);
			dump_opt(d, k->items[i].body);
			dump_fmt(d, " %d]", k->items[i].end);
		}
		break;
	}
	case CMD_FUNCTION:
		dump_fmt(d, "function %.*s%s", (int)AST_CONST(cmd_function, c)->name.len,
		         AST_CONST(cmd_function, c)->name.ptr,
		         c->flags & FUNCTION_BAD_NAME ? "(bad)" : "");
		/* ( x ) as a body is printed as { ( x ) } */
		if (AST_CONST(cmd_function, c)->body->kind != CMD_GROUP)
			dump_fmt(d, " (group");
		dump_opt(d, AST_CONST(cmd_function, c)->body);
		if (AST_CONST(cmd_function, c)->body->kind != CMD_GROUP)
			dump_fmt(d, ")");
		break;
	case CMD_COPROC:
		dump_fmt(d, "coproc %.*s", (int)AST_CONST(cmd_coproc, c)->name.len,
		         AST_CONST(cmd_coproc, c)->name.ptr);
		dump_opt(d, AST_CONST(cmd_coproc, c)->body);
		break;
	case CMD_ARITH:
		dump_fmt(d, "arith ");
		dump_arith(d, AST_CONST(cmd_arith, c)->expr);
		break;
	default:
		dump_fmt(d, "cond ");
		dump_cond(d, AST_CONST(cmd_cond, c)->expr);
		break;
	}
}

static void dump_list(struct dump *d, const struct cmd_list *c)
{
	dump_fmt(d, "list");
	for (uint32_t i = 0; i < c->n; i++) {
		dump_opt(d, c->items[i].cmd);
		if (c->items[i].sep == SEP_AMP)
			dump_fmt(d, " &");
	}
}

static void dump_row(struct dump *d, const struct cmd *c, bool both)
{
	if (c->kind == CMD_PIPE) {
		const struct cmd_pipe *p = AST_CONST(cmd_pipe, c);

		dump_fmt(d, "pipe%s%s%s", c->flags & PIPE_NEGATE ? "!" : "",
		         c->flags & PIPE_TIME ? "time" : "",
		         c->flags & PIPE_TIME_POSIX ? "-p" : "");
		for (uint32_t i = 0; i < p->n; i++) {
			dump_fmt(d, " ");
			dump_cmd(d, p->cmds[i], p->both && p->both[i]);
		}
	} else if (c->kind == CMD_ANDOR) {
		const struct cmd_andor *a = AST_CONST(cmd_andor, c);

		dump_fmt(d, "andor");
		for (uint32_t i = 0; i < a->n; i++) {
			if (i)
				dump_fmt(d, a->items[i].op == ANDOR_AND ? " &&" : " ||");
			dump_opt(d, a->items[i].cmd);
		}
	} else if (c->kind == CMD_LIST) {
		dump_list(d, AST_CONST(cmd_list, c));
	} else {
		dump_compound(d, c);
		dump_redirs(d, c, both);
	}
}

static void dump_cmd(struct dump *d, const struct cmd *c, bool both)
{
	dump_fmt(d, "(");
	if (c->kind == CMD_SIMPLE) {
		const struct cmd_simple *s = AST_CONST(cmd_simple, c);

		dump_fmt(d, "cmd");
		for (uint32_t i = 0; i < s->nassigns; i++) {
			dump_fmt(d, " ");
			dump_assign(d, &s->assigns[i]);
		}
		dump_words(d, s->words, s->nwords);
		dump_redirs(d, c, both);
	} else {
		dump_row(d, c, both);
	}
	dump_fmt(d, ")");
}

#endif
