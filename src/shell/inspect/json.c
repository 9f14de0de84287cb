/*
 * json.c - the tree as JSON (docs/parse.md).
 */
#include "../../base/utf8.h"
#include "inspect.h"
#include "text.h"

struct writer {
	struct text out;
	bool positions;
};

static void put_cmd(struct writer *w, const struct cmd *c);
static void put_parts(struct writer *w, const struct word *word);
static void put_items(struct writer *w, const struct array_lit *a);

/* ---- Values --------------------------------------------------------------------------- */

static void put_escaped(struct writer *w, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	const char code[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
	const char quoted[2] = {'\\', (char)c};

	if (c == '\n')
		text_add(&w->out, "\\n");
	else if (c == '\t')
		text_add(&w->out, "\\t");
	else if (c < 0x20 || c == 0x7f)
		text_put(&w->out, code, sizeof(code));
	else
		text_put(&w->out, quoted, sizeof(quoted));
}

static void put_string(struct writer *w, struct str s)
{
	size_t i = 0;

	text_add(&w->out, "\"");
	while (i < s.len) {
		unsigned char c = (unsigned char)s.ptr[i];
		unsigned n;

		if (c >= 0x80) {
			bool valid = utf8_decode(s.ptr + i, s.len - i, &n) != UTF8_BAD;

			text_put(&w->out, valid ? s.ptr + i : "\xef\xbf\xbd", valid ? n : 3);
			i += n;
			continue;
		}
		if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
			put_escaped(w, c);
		else
			text_put(&w->out, s.ptr + i, 1);
		i++;
	}
	text_add(&w->out, "\"");
}

/* ,"key": */
static void key(struct writer *w, const char *name)
{
	text_add(&w->out, ",\"");
	text_add(&w->out, name);
	text_add(&w->out, "\":");
}

static void field(struct writer *w, const char *name, struct str value)
{
	key(w, name);
	put_string(w, value);
}

static void flag(struct writer *w, const char *name, bool set)
{
	if (!set)
		return;
	key(w, name);
	text_add(&w->out, "true");
}

static void number(struct writer *w, const char *name, uint32_t v)
{
	key(w, name);
	text_number(&w->out, v);
}

/* {"type":"…" and, when wanted, where it is. */
static void open(struct writer *w, const char *type)
{
	text_add(&w->out, "{\"type\":\"");
	text_add(&w->out, type);
	text_add(&w->out, "\"");
}

static void close(struct writer *w)
{
	text_add(&w->out, "}");
}

static void comma(struct writer *w, uint32_t i)
{
	if (i)
		text_add(&w->out, ",");
}

/* ---- Words ------------------------------------------------------------------------------ */

static void word_fields(struct writer *w, const struct word *word)
{
	field(w, "raw", (struct str){word->raw, word->raw_len});
	if (word->assign && word->assign->array)
		put_items(w, word->assign->array);
	else if (word->flags & WORD_LITERAL)
		field(w, "text", word->text);
	else
		put_parts(w, word);
	flag(w, "glob", word->flags & WORD_GLOB);
}

static void put_word(struct writer *w, const struct word *word)
{
	open(w, "word");
	if (w->positions) {
		number(w, "offset", word->off);
		number(w, "line", word->line);
	}
	word_fields(w, word);
	close(w);
}

static void word_field(struct writer *w, const char *name, const struct word *word)
{
	if (!word)
		return;
	key(w, name);
	put_word(w, word);
}

static void words_field(struct writer *w, const char *name, const struct word *words, uint32_t n)
{
	key(w, name);
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < n; i++) {
		comma(w, i);
		put_word(w, &words[i]);
	}
	text_add(&w->out, "]");
}

static void cmd_field(struct writer *w, const char *name, const struct cmd *c)
{
	if (!c)
		return;
	key(w, name);
	put_cmd(w, c);
}

static void put_param(struct writer *w, const struct param *p)
{
	field(w, "name", p->name);
	if (p->sub)
		field(w, "subscript", p->sub->raw);
	word_field(w, "operand", p->arg);
	if (p->op == PARAM_REPLACE)
		word_field(w, "replacement", p->repl);
}

static void put_comsub(struct writer *w, const struct comsub *c)
{
	cmd_field(w, "body", c->body);
	word_field(w, "file", c->file);
	flag(w, "invalid", c->error != NULL);
}

static void put_brace(struct writer *w, const struct brace *b)
{
	if (b->kind == BRACE_LIST)
		words_field(w, "alternatives", b->alts, b->n);
}

static const char *part_type(const struct part *p)
{
	switch (p->kind) {
	case PART_LIT: return "literal";
	case PART_QUOTED: return "quoted";
	case PART_PARAM: return "parameter";
	case PART_COMSUB: return "command_substitution";
	case PART_ARITH: return "arithmetic";
	case PART_PROCSUB: return p->comsub->kind == PROCSUB_IN ? "process_input" : "process_output";
	case PART_TILDE: return "tilde";
	default: return "braces";
	}
}

static void put_part(struct writer *w, const struct part *p)
{
	open(w, part_type(p));
	field(w, "raw", (struct str){p->raw, p->raw_len});
	flag(w, "quoted", p->quoted);
	switch (p->kind) {
	case PART_LIT:
	case PART_QUOTED: field(w, "text", p->text); break;
	case PART_PARAM: put_param(w, p->param); break;
	case PART_COMSUB:
	case PART_PROCSUB: put_comsub(w, p->comsub); break;
	case PART_ARITH: word_field(w, "expression", p->arith->word); break;
	case PART_BRACE: put_brace(w, p->brace); break;
	default: break;
	}
	close(w);
}

static void put_parts(struct writer *w, const struct word *word)
{
	key(w, "parts");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < word->nparts; i++) {
		comma(w, i);
		put_part(w, &word->parts[i]);
	}
	text_add(&w->out, "]");
}

/* ---- Assignments, redirections ------------------------------------------------------------ */

static void put_items(struct writer *w, const struct array_lit *a)
{
	key(w, "items");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < a->n; i++) {
		const struct array_item *item = &a->items[i];

		comma(w, i);
		open(w, "item");
		if (item->sub)
			field(w, "subscript", item->sub->raw);
		flag(w, "append", item->append);
		word_field(w, "value", &item->value);
		close(w);
	}
	text_add(&w->out, "]");
}

static void put_assigns(struct writer *w, const struct assign *a, uint32_t n)
{
	if (!n)
		return;
	key(w, "assignments");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < n; i++) {
		comma(w, i);
		open(w, "assignment");
		field(w, "name", a[i].name);
		if (a[i].sub)
			field(w, "subscript", a[i].sub->raw);
		flag(w, "append", a[i].append);
		if (a[i].array)
			put_items(w, a[i].array);
		else
			word_field(w, "value", a[i].value);
		close(w);
	}
	text_add(&w->out, "]");
}

static const char *const redir_names[] = {
        [REDIR_IN] = "<",       [REDIR_OUT] = ">",     [REDIR_CLOBBER] = ">|", [REDIR_APPEND] = ">>",
        [REDIR_RDWR] = "<>",    [REDIR_HEREDOC] = "<<", [REDIR_HERESTR] = "<<<", [REDIR_DUP_IN] = "<&",
        [REDIR_DUP_OUT] = ">&", [REDIR_BOTH] = "&>",   [REDIR_BOTH_APPEND] = "&>>",
};

static void put_redir(struct writer *w, const struct redir *r)
{
	open(w, "redirection");
	if (w->positions) {
		number(w, "offset", r->off);
		number(w, "line", r->line);
	}
	field(w, "operator", (struct str){redir_names[r->op], strlen(redir_names[r->op])});
	if (r->varname.len)
		field(w, "variable", r->varname);
	else
		number(w, "fd", (uint32_t)r->fd);
	flag(w, "close", r->flags & REDIR_CLOSE);
	flag(w, "move", r->flags & REDIR_MOVE);
	flag(w, "strip_tabs", r->flags & REDIR_STRIP_TABS);
	if (r->flags & (REDIR_DUP_NUMBER | REDIR_MOVE))
		number(w, "from", (uint32_t)r->from);
	if (r->op == REDIR_HEREDOC)
		field(w, "delimiter", r->delim);
	word_field(w, r->op == REDIR_HEREDOC ? "body" : "target", r->flags & REDIR_CLOSE ? NULL : r->target);
	close(w);
}

static void put_redirs(struct writer *w, const struct redir *r)
{
	if (!r)
		return;
	key(w, "redirections");
	text_add(&w->out, "[");
	for (uint32_t i = 0; r; r = r->next, i++) {
		comma(w, i);
		put_redir(w, r);
	}
	text_add(&w->out, "]");
}

/* ---- [[ ]] ------------------------------------------------------------------------------------ */

static void put_cond(struct writer *w, const struct cond *c);

/* a && b && c … leans left: from its leftmost operand on, without recursion. */
static void put_joined(struct writer *w, const struct cond *c)
{
	const struct cond **spine, *at;
	size_t n = 0;

	for (at = c; at->kind == COND_AND || at->kind == COND_OR; at = at->a)
		n++;
	spine = arena_alloc(w->out.arena, n * sizeof(*spine));
	for (at = c, n = 0; at->kind == COND_AND || at->kind == COND_OR; at = at->a)
		spine[n++] = at;
	key(w, "first");
	put_cond(w, at);
	key(w, "rest");
	text_add(&w->out, "[");
	for (size_t i = n; i--;) {
		comma(w, i + 1 < n);
		open(w, spine[i]->kind == COND_AND ? "and" : "or");
		key(w, "operand");
		put_cond(w, spine[i]->b);
		close(w);
	}
	text_add(&w->out, "]");
}

static void put_cond(struct writer *w, const struct cond *c)
{
	static const char *const names[] = {"chain", "chain", "not", "group", "unary", "binary", "word"};

	open(w, names[c->kind]);
	switch (c->kind) {
	case COND_AND:
	case COND_OR: put_joined(w, c); break;
	case COND_NOT:
	case COND_GROUP:
		key(w, "operand");
		put_cond(w, c->a);
		break;
	default:
		if (c->kind != COND_WORD)
			field(w, "operator", c->op_text);
		word_field(w, "left", c->left);
		if (c->kind == COND_BINARY)
			word_field(w, "right", c->right);
		break;
	}
	close(w);
}

/* ---- Commands ----------------------------------------------------------------------------------- */

static void put_pipe(struct writer *w, const struct cmd_pipe *c)
{
	flag(w, "negated", c->cmd.flags & PIPE_NEGATE);
	flag(w, "timed", c->cmd.flags & PIPE_TIME);
	key(w, "commands");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < c->n; i++) {
		comma(w, i);
		put_cmd(w, c->cmds[i]);
	}
	text_add(&w->out, "]");
	if (!c->both)
		return;
	key(w, "with_stderr");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < c->n; i++) {
		comma(w, i);
		text_add(&w->out, c->both[i] ? "true" : "false");
	}
	text_add(&w->out, "]");
}

static void put_row(struct writer *w, const char *name, const char *operator, const struct cmd *c, uint32_t i)
{
	comma(w, i);
	text_add(&w->out, "{\"");
	text_add(&w->out, name);
	text_add(&w->out, "\":\"");
	text_add(&w->out, operator);
	text_add(&w->out, "\"");
	cmd_field(w, "command", c);
	close(w);
}

static void put_andor(struct writer *w, const struct cmd_andor *c)
{
	static const char *const ops[] = {"", "&&", "||"};

	key(w, "items");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < c->n; i++)
		put_row(w, "operator", ops[c->items[i].op], c->items[i].cmd, i);
	text_add(&w->out, "]");
}

static void put_list(struct writer *w, const struct cmd_list *c)
{
	key(w, "items");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < c->n; i++)
		put_row(w, "separator", c->items[i].sep == SEP_AMP ? "&" : ";", c->items[i].cmd, i);
	text_add(&w->out, "]");
}

static void put_if(struct writer *w, const struct cmd_if *c)
{
	key(w, "clauses");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < c->n; i++) {
		comma(w, i);
		open(w, "clause");
		cmd_field(w, "test", c->clauses[i].test);
		cmd_field(w, "body", c->clauses[i].body);
		close(w);
	}
	text_add(&w->out, "]");
	cmd_field(w, "else", c->otherwise);
}

static void put_for(struct writer *w, const struct cmd_for *c)
{
	field(w, "name", c->name);
	if (c->has_in)
		words_field(w, "words", c->words, c->nwords);
	cmd_field(w, "body", c->body);
}

static void put_case(struct writer *w, const struct cmd_case *c)
{
	static const char *const ends[] = {";;", ";&", ";;&"};

	word_field(w, "word", c->word);
	key(w, "items");
	text_add(&w->out, "[");
	for (uint32_t i = 0; i < c->n; i++) {
		const struct case_item *item = &c->items[i];

		comma(w, i);
		open(w, "case_item");
		words_field(w, "patterns", item->patterns, item->npatterns);
		cmd_field(w, "body", item->body);
		field(w, "end", (struct str){ends[item->end], strlen(ends[item->end])});
		close(w);
	}
	text_add(&w->out, "]");
}

static const char *cmd_type(const struct cmd *c)
{
	static const char *const names[] = {
	        [CMD_SIMPLE] = "simple",   [CMD_PIPE] = "pipeline",  [CMD_ANDOR] = "and_or",       [CMD_LIST] = "list",
	        [CMD_SUBSHELL] = "subshell", [CMD_GROUP] = "group",  [CMD_IF] = "if",              [CMD_FOR] = "for",
	        [CMD_CFOR] = "arithmetic_for", [CMD_WHILE] = "while", [CMD_CASE] = "case",         [CMD_SELECT] = "select",
	        [CMD_FUNCTION] = "function", [CMD_COPROC] = "coproc", [CMD_ARITH] = "arithmetic_command", [CMD_COND] = "test",
	        [CMD_ERROR] = "error",
	};

	return c->kind == CMD_WHILE && (c->flags & WHILE_UNTIL) ? "until" : names[c->kind];
}

static void put_loop(struct writer *w, const struct cmd *c)
{
	if (c->kind == CMD_CFOR) {
		field(w, "header", AST_CONST(cmd_cfor, c)->text);
		cmd_field(w, "body", AST_CONST(cmd_cfor, c)->body);
	} else {
		cmd_field(w, "test", AST_CONST(cmd_while, c)->test);
		cmd_field(w, "body", AST_CONST(cmd_while, c)->body);
	}
}

static void put_kind(struct writer *w, const struct cmd *c)
{
	switch (c->kind) {
	case CMD_SIMPLE:
		put_assigns(w, AST_CONST(cmd_simple, c)->assigns, AST_CONST(cmd_simple, c)->nassigns);
		words_field(w, "words", AST_CONST(cmd_simple, c)->words, AST_CONST(cmd_simple, c)->nwords);
		break;
	case CMD_PIPE: put_pipe(w, AST_CONST(cmd_pipe, c)); break;
	case CMD_ANDOR: put_andor(w, AST_CONST(cmd_andor, c)); break;
	case CMD_LIST: put_list(w, AST_CONST(cmd_list, c)); break;
	case CMD_SUBSHELL:
	case CMD_GROUP: cmd_field(w, "body", AST_CONST(cmd_block, c)->body); break;
	case CMD_IF: put_if(w, AST_CONST(cmd_if, c)); break;
	case CMD_FOR:
	case CMD_SELECT: put_for(w, AST_CONST(cmd_for, c)); break;
	case CMD_CFOR:
	case CMD_WHILE: put_loop(w, c); break;
	case CMD_CASE: put_case(w, AST_CONST(cmd_case, c)); break;
	case CMD_FUNCTION:
		field(w, "name", AST_CONST(cmd_function, c)->name);
		cmd_field(w, "body", AST_CONST(cmd_function, c)->body);
		break;
	case CMD_COPROC:
		field(w, "name", AST_CONST(cmd_coproc, c)->name);
		cmd_field(w, "body", AST_CONST(cmd_coproc, c)->body);
		break;
	case CMD_ARITH:
		field(w, "text", AST_CONST(cmd_arith, c)->raw);
		word_field(w, "expression", AST_CONST(cmd_arith, c)->expr->word);
		break;
	default:
		key(w, "expression");
		put_cond(w, AST_CONST(cmd_cond, c)->expr);
		break;
	}
}

static void put_cmd(struct writer *w, const struct cmd *c)
{
	open(w, cmd_type(c));
	if (w->positions) {
		number(w, "offset", c->off);
		number(w, "end", c->end);
		number(w, "line", c->line);
	}
	put_kind(w, c);
	put_redirs(w, c->redirs);
	close(w);
}

struct str script_json(struct arena *arena, const struct script *s, bool positions)
{
	struct writer w = {.out = {.arena = arena}, .positions = positions};

	if (s->tree)
		put_cmd(&w, s->tree);
	else
		text_add(&w.out, "null");
	return text_take(&w.out);
}
