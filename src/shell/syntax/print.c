/*
 * print.c - commands, in the layout of bash's `declare -f`.
 *
 * Inside a function each command of a list has its line; elsewhere ($(…), the job table) a
 * list goes on in its line. Compound commands have one layout for both. Here-documents are
 * printed behind the operator that follows their command, or at once where none follows.
 *
 * bash's own printer loses a here-document or a ; where several constructs with them meet.
 * There we print what parses.
 */
#include "parser.h"
#include "printer.h"

#define STEP       4u
#define INDENT_MAX 400u /* columns: a long chain of elif must not print its square */

static void put_cmd(struct printer *pr, const struct cmd *c);

static char last_char(const struct printer *pr)
{
	return pr->len ? pr->buf[pr->len - 1] : '\0';
}

static void put_indent(struct printer *pr)
{
	if (pr->flat) {
		if (pr->indent)
			put(pr, " ", 1);
		return;
	}
	for (uint32_t i = 0; i < MIN(pr->indent, INDENT_MAX); i += STEP)
		put(pr, "    ", STEP);
}

static void new_line(struct printer *pr, const char *s)
{
	put(pr, "\n", 1);
	put_indent(pr);
	put_text(pr, s);
}

static void semicolon(struct printer *pr)
{
	if (last_char(pr) != '&' && last_char(pr) != '\n')
		put(pr, ";", 1);
}

/* ---- Simple commands, words -------------------------------------------------- */

static void put_words(struct printer *pr, const struct word *w, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			put(pr, " ", 1);
		put_word(pr, &w[i]);
	}
}

static void put_simple(struct printer *pr, const struct cmd_simple *c, bool both)
{
	for (uint32_t i = 0; i < c->nassigns; i++) {
		if (i)
			put(pr, " ", 1);
		put_assign(pr, &c->assigns[i]);
	}
	if (c->nassigns && c->nwords)
		put(pr, " ", 1);
	/* >x if: a word only because it did not come first, as it does now */
	else if (c->nwords && c->cmd.redirs && syntax_is_reserved(c->name) &&
	         *c->words[0].raw == *c->name.ptr)
		put(pr, "\\", 1);
	put_words(pr, c->words, c->nwords);
	put_redirs(pr, c->cmd.redirs, both, c->nassigns || c->nwords);
}

/* ---- Lists, chains, pipelines ------------------------------------------------ */

/* The ; or newline between two commands of a list. */
static void put_separator(struct printer *pr, unsigned sep)
{
	bool line = pr->comsub && sep == SEP_NEWLINE; /* bash keeps these only in $( ) */

	if (pr->deferred) {
		put_deferred(pr, "");
	} else if (pr->was_heredoc) {
		pr->was_heredoc = false;
		if (!pr->in_function && !line && last_char(pr) != '\n')
			put(pr, ";", 1);
	} else if (pr->in_function || !line) {
		put(pr, line ? "\n" : ";", 1);
	}
	if (pr->in_function || line)
		put(pr, "\n", 1);
	else
		put(pr, " ", 1);
	pr->skip += !pr->in_function;
}

static void put_list(struct printer *pr, const struct cmd_list *c)
{
	pr->connections++;
	for (uint32_t i = 0; i < c->n; i++) {
		bool last = i + 1 == c->n;

		if (i == 0)
			pr->skip++;
		pr->followed = c->items[i].sep == SEP_AMP;
		put_cmd(pr, c->items[i].cmd);
		if (i && pr->deferred && c->items[i].sep != SEP_AMP)
			put_deferred(pr, "");
		if (c->items[i].sep == SEP_AMP) {
			put_deferred(pr, " &");
			if (!last) {
				put(pr, " ", 1);
				pr->skip++;
			}
		} else if (!last) {
			put_separator(pr, c->items[i].sep);
		}
	}
	if (pr->deferred)
		put_deferred(pr, "");
	pr->connections--;
}

static void put_andor(struct printer *pr, const struct cmd_andor *c, bool followed)
{
	pr->connections++;
	for (uint32_t i = 0; i < c->n; i++) {
		if (i)
			put_deferred(pr, c->items[i].op == ANDOR_AND ? " && " : " || ");
		pr->skip++;
		pr->followed = followed || i + 1 < c->n;
		put_cmd(pr, c->items[i].cmd);
		if (i + 1 == c->n && pr->deferred && !followed)
			put_deferred(pr, "");
	}
	pr->connections--;
}

static void put_pipe(struct printer *pr, const struct cmd_pipe *c, bool followed)
{
	if (c->cmd.flags & PIPE_TIME)
		put_text(pr, c->cmd.flags & PIPE_TIME_POSIX ? "time -p " : "time ");
	if (c->cmd.flags & PIPE_NEGATE)
		put_text(pr, "! ");
	if (!c->n && !c->cmd.flags)
		put_text(pr, "! !");
	if (c->n > 1)
		pr->connections++;
	for (uint32_t i = 0; i < c->n; i++) {
		if (i) {
			put_deferred(pr, " |");
			put(pr, " ", 1);
		}
		pr->skip++;
		pr->both = c->both && c->both[i];
		put_cmd(pr, c->cmds[i]);
		if (i && i + 1 == c->n && pr->deferred && !followed)
			put_deferred(pr, "");
	}
	if (c->n > 1)
		pr->connections--;
}

/* ---- Compound commands ------------------------------------------------------- */

/* A body, one step further in. */
static void put_inner(struct printer *pr, const struct cmd *body)
{
	pr->indent += STEP;
	if (body)
		put_cmd(pr, body);
	put_deferred(pr, "");
	pr->indent -= STEP;
}

/* The test of if or while, which stays in its line. */
static void put_test(struct printer *pr, const struct cmd *test, const char *behind)
{
	pr->skip++;
	put_cmd(pr, test);
	put_deferred(pr, "");
	semicolon(pr);
	put_text(pr, behind);
}

static void put_group(struct printer *pr, const struct cmd_block *c)
{
	put_text(pr, "{ ");
	if (!pr->in_function) {
		pr->skip++;
		put_cmd(pr, c->body);
		put_deferred(pr, "");
		semicolon(pr);
		put(pr, " ", 1);
	} else {
		put(pr, "\n", 1);
		put_inner(pr, c->body);
		put(pr, "\n", 1);
		put_indent(pr);
	}
	put(pr, "}", 1);
}

static void put_subshell(struct printer *pr, const struct cmd_block *c)
{
	put_text(pr, "( ");
	pr->skip++;
	put_cmd(pr, c->body);
	put_deferred(pr, "");
	put_text(pr, " )");
}

/* An elif is printed as an if inside an else. */
static void put_if(struct printer *pr, const struct cmd_if *c)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (i) {
			semicolon(pr);
			new_line(pr, "else\n");
			pr->indent += STEP;
			put_indent(pr);
		}
		put_text(pr, "if ");
		put_test(pr, c->clauses[i].test, " then\n");
		put_inner(pr, c->clauses[i].body);
	}
	if (c->otherwise) {
		semicolon(pr);
		new_line(pr, "else\n");
		put_inner(pr, c->otherwise);
	}
	for (uint32_t i = c->n; i-- > 0;) {
		semicolon(pr);
		new_line(pr, "fi");
		if (i)
			pr->indent -= STEP;
	}
}

static void put_do(struct printer *pr, const struct cmd *body)
{
	new_line(pr, "do\n");
	put_inner(pr, body);
	semicolon(pr);
	new_line(pr, "done");
}

static void put_for(struct printer *pr, const struct cmd_for *c, const char *keyword)
{
	put_text(pr, keyword);
	put_str(pr, c->name);
	put_text(pr, " in ");
	if (c->has_in)
		put_words(pr, c->words, c->nwords);
	else
		put_text(pr, "\"$@\"");
	put(pr, ";", 1);
	put_do(pr, c->body);
}

static void put_for_expr(struct printer *pr, const struct arith *a)
{
	struct str raw;

	if (!a) {
		put(pr, "1", 1);
		return;
	}
	raw = a->raw;
	while (raw.len && ascii_space((unsigned char)*raw.ptr)) {
		raw.ptr++;
		raw.len--;
	}
	put_source(pr, raw, a->word);
}

static void put_cfor(struct printer *pr, const struct cmd_cfor *c)
{
	put_text(pr, "for ((");
	put_for_expr(pr, c->init);
	put_text(pr, "; ");
	put_for_expr(pr, c->test);
	put_text(pr, "; ");
	put_for_expr(pr, c->step);
	put_text(pr, "))");
	put_do(pr, c->body);
}

static void put_while(struct printer *pr, const struct cmd_while *c)
{
	put_text(pr, c->cmd.flags & WHILE_UNTIL ? "until " : "while ");
	put_test(pr, c->test, " do\n");
	put_inner(pr, c->body);
	semicolon(pr);
	new_line(pr, "done");
}

static void put_case(struct printer *pr, const struct cmd_case *c)
{
	static const char *const ends[] = {";;", ";&", ";;&"};

	put_text(pr, "case ");
	put_word(pr, c->word);
	put_text(pr, " in ");
	pr->indent += STEP;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct case_item *item = &c->items[i];

		new_line(pr, "");
		for (uint32_t j = 0; j < item->npatterns; j++) {
			if (j)
				put_text(pr, " | ");
			else if (str_is((struct str){item->patterns[0].raw,
			                             item->patterns[0].raw_len},
			                "esac"))
				put(pr, "(", 1);
			put_word(pr, &item->patterns[j]);
		}
		put_text(pr, ")\n");
		put_inner(pr, item->body);
		new_line(pr, ends[item->end]);
	}
	pr->indent -= STEP;
	new_line(pr, "esac");
}

/* ---- [[ ]] ------------------------------------------------------------------- */

static bool joins(const struct cond *c)
{
	return c->kind == COND_AND || c->kind == COND_OR;
}

static void put_cond(struct printer *pr, const struct cond *c);

/* a && b && c … leans left: from its leftmost operand on, without recursion. */
static void put_joined(struct printer *pr, const struct cond *c)
{
	const struct cond **spine, *at;
	size_t n = 0;

	for (at = c; joins(at); at = at->a)
		n++;
	spine = arena_alloc(pr->arena, n * sizeof(*spine));
	for (at = c, n = 0; joins(at); at = at->a)
		spine[n++] = at;
	put_cond(pr, at);
	while (n--) {
		put_text(pr, spine[n]->kind == COND_AND ? " && " : " || ");
		put_cond(pr, spine[n]->b);
	}
}

static void put_cond(struct printer *pr, const struct cond *c)
{
	switch (c->kind) {
	case COND_AND:
	case COND_OR: put_joined(pr, c); break;
	case COND_NOT:
		if (c->a->kind == COND_NOT) { /* ! ! is nothing */
			put_cond(pr, c->a->a);
			break;
		}
		put_text(pr, "! ");
		put_cond(pr, c->a);
		break;
	case COND_GROUP:
		put_text(pr, "( ");
		put_cond(pr, c->a);
		put_text(pr, " )");
		break;
	case COND_WORD:
		put_text(pr, "-n ");
		put_word(pr, c->left);
		break;
	case COND_UNARY:
		put_str(pr, c->op_text);
		put(pr, " ", 1);
		put_word(pr, c->left);
		break;
	default:
		put_word(pr, c->left);
		put(pr, " ", 1);
		put_str(pr, c->op_text);
		put(pr, " ", 1);
		put_word(pr, c->right);
		break;
	}
}

/* ---- Functions --------------------------------------------------------------- */

/* The lines from { to }, with the redirections of a body in braces behind it. */
static void put_function_body(struct printer *pr, const struct cmd *body)
{
	bool group = body->kind == CMD_GROUP;

	put_indent(pr);
	put_text(pr, pr->flat && !pr->in_function ? "{ " : "{ \n");
	pr->in_function++;
	put_inner(pr, group ? AST_CONST(cmd_block, body)->body : body);
	pr->in_function--;
	new_line(pr, "}");
	if (group && body->redirs)
		put_redirs(pr, body->redirs, false, true);
}

static void put_function(struct printer *pr, const struct cmd_function *f)
{
	put_text(pr, "function ");
	put_str(pr, f->name);
	put_text(pr, " () \n");
	put_function_body(pr, f->body);
}

static void put_coproc(struct printer *pr, const struct cmd_coproc *c)
{
	put_text(pr, "coproc ");
	if (c->named || c->body->kind != CMD_SIMPLE) {
		put_str(pr, c->name);
		put(pr, " ", 1);
	}
	pr->skip++;
	put_cmd(pr, c->body);
}

/* ---- The choice -------------------------------------------------------------- */

static void put_kind(struct printer *pr, const struct cmd *c)
{
	switch (c->kind) {
	case CMD_SUBSHELL: put_subshell(pr, AST_CONST(cmd_block, c)); break;
	case CMD_GROUP: put_group(pr, AST_CONST(cmd_block, c)); break;
	case CMD_IF: put_if(pr, AST_CONST(cmd_if, c)); break;
	case CMD_FOR: put_for(pr, AST_CONST(cmd_for, c), "for "); break;
	case CMD_SELECT: put_for(pr, AST_CONST(cmd_for, c), "select "); break;
	case CMD_CFOR: put_cfor(pr, AST_CONST(cmd_cfor, c)); break;
	case CMD_WHILE: put_while(pr, AST_CONST(cmd_while, c)); break;
	case CMD_CASE: put_case(pr, AST_CONST(cmd_case, c)); break;
	case CMD_ARITH:
		put_text(pr, "((");
		put_source(pr, AST_CONST(cmd_arith, c)->raw, AST_CONST(cmd_arith, c)->expr->word);
		put_text(pr, "))");
		break;
	case CMD_COND:
		put_text(pr, "[[ ");
		put_cond(pr, AST_CONST(cmd_cond, c)->expr);
		put_text(pr, " ]]");
		break;
	default: break;
	}
}

static void put_cmd(struct printer *pr, const struct cmd *c)
{
	bool both = pr->both, followed = pr->followed;

	pr->both = pr->followed = false;
	if (pr->skip)
		pr->skip--;
	else
		put_indent(pr);
	switch (c->kind) {
	case CMD_SIMPLE: put_simple(pr, AST_CONST(cmd_simple, c), both); return;
	case CMD_PIPE: put_pipe(pr, AST_CONST(cmd_pipe, c), followed); return;
	case CMD_ANDOR: put_andor(pr, AST_CONST(cmd_andor, c), followed); return;
	case CMD_LIST: put_list(pr, AST_CONST(cmd_list, c)); return;
	case CMD_FUNCTION: put_function(pr, AST_CONST(cmd_function, c)); break;
	case CMD_COPROC: put_coproc(pr, AST_CONST(cmd_coproc, c)); break;
	default: put_kind(pr, c); break;
	}
	put_redirs(pr, c->redirs, both, true);
}

void put_nested(struct printer *pr, const struct cmd *body)
{
	struct printer inner = {
	        .arena = pr->arena, .buf = pr->buf, .len = pr->len, .cap = pr->cap, .comsub = true};

	if (!body)
		return;
	put_cmd(&inner, body);
	put_deferred(&inner, "");
	pr->buf = inner.buf;
	pr->len = inner.len;
	pr->cap = inner.cap;
}

/* ---- Entry points ------------------------------------------------------------ */

static struct str finish(struct printer *pr)
{
	put(pr, "", 1);
	return (struct str){pr->buf, pr->len - 1};
}

struct str print_function(struct arena *arena, const struct cmd_function *f)
{
	struct printer pr = {.arena = arena};

	put_str(&pr, f->name);
	put_text(&pr, " () \n");
	put_function_body(&pr, f->body);
	return finish(&pr);
}

struct str print_exported(struct arena *arena, const struct cmd_function *f)
{
	struct printer pr = {.arena = arena, .flat = true};

	put_text(&pr, "() ");
	put_function_body(&pr, f->body);
	return finish(&pr);
}

struct str print_command(struct arena *arena, const struct cmd *cmd)
{
	struct printer pr = {.arena = arena};

	if (cmd)
		put_cmd(&pr, cmd);
	put_deferred(&pr, "");
	return finish(&pr);
}

struct str print_word(struct arena *arena, const struct word *w)
{
	struct printer pr = {.arena = arena};

	put_word(&pr, w);
	return finish(&pr);
}

struct str print_quoted(struct arena *arena, struct str s)
{
	struct printer pr = {.arena = arena};

	put_quoted(&pr, s);
	return finish(&pr);
}
