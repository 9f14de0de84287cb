/*
 * format.c - a script laid out anew.
 *
 * Words, here-documents, (( )), [[ ]] and comments are copied from the source; blanks, line breaks
 * and indentation between them are made. A compound command written on one line stays on one; in
 * any other every command and keyword has its line, and chains break where they were broken.
 *
 * `at` is how far in the source we are. Comments passed in the middle of a line are printed at its
 * end, all others in front of what follows them.
 */
#include "format.h"

/* ---- Output -------------------------------------------------------------------------- */

static void raw(struct formatter *f, uint32_t from, uint32_t to)
{
	text_put(&f->out, f->src + from, to - from);
}

static void indent(struct formatter *f)
{
	uint32_t n = MIN(f->depth, FORMAT_DEPTH_MAX);

	for (uint32_t i = 0; i < n * MAX(f->style.indent, 1u); i++)
		text_put(&f->out, f->style.indent ? " " : "\t", 1);
	f->line_start = false;
}

void format_text(struct formatter *f, const char *s)
{
	if (f->line_start)
		indent(f);
	text_add(&f->out, s);
}

void format_source(struct formatter *f, uint32_t from, uint32_t to)
{
	if (f->line_start)
		indent(f);
	raw(f, from, to);
	format_reach(f, to);
	/* Comments and here-documents within are printed with it. */
	while (f->comment && f->comment->off < to && f->comment->off >= from)
		f->comment = f->comment->next;
}

void format_reach(struct formatter *f, uint32_t at)
{
	f->at = MAX(f->at, at);
}

/* ---- Comments, here-documents, the end of a line --------------------------------------- */

/* The next comment; those that were skipped with their word are behind us. */
static const struct trivia *comment(struct formatter *f)
{
	while (f->comment && f->comment->redir)
		f->comment = f->comment->next;
	return f->comment;
}

static void put_comment(struct formatter *f, const struct trivia *c)
{
	uint32_t end = c->end;

	while (end > c->off && ascii_space((unsigned char)f->src[end - 1]))
		end--;
	if (f->line_start)
		indent(f);
	raw(f, c->off, end);
	format_reach(f, c->end);
	f->comment = c->next;
}

static uint32_t lines_between(const struct formatter *f, uint32_t from, uint32_t to)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < to; i++)
		n += f->src[i] == '\n';
	return n;
}

static const struct trivia *body_of(const struct formatter *f, const struct redir *r)
{
	const struct trivia *t = f->bodies;

	while (t && t->redir != r)
		t = t->next;
	return t;
}

static void put_bodies(struct formatter *f)
{
	for (uint32_t i = 0; i < f->nwaiting; i++) {
		const struct trivia *t = body_of(f, f->waiting[i]);

		if (!t)
			continue;
		f->bodies = t->next;
		raw(f, t->off, t->end);
		if (t->end > t->off && f->src[t->end - 1] != '\n')
			text_put(&f->out, "\n", 1);
		/* Not the last newline: it ends a line as that of a command does. */
		format_reach(f, t->end > t->off && f->src[t->end - 1] == '\n' ? t->end - 1 : t->end);
	}
	f->nwaiting = 0;
}

void format_newline(struct formatter *f)
{
	const struct trivia *c = comment(f);
	uint32_t reached = f->at;

	if (c && (c->off < reached || !lines_between(f, reached, c->off))) {
		text_put(&f->out, " ", 1);
		put_comment(f, c);
	}
	text_put(&f->out, "\n", 1);
	f->line_start = true;
	put_bodies(f);
	while ((c = comment(f)) && c->off < reached) {
		put_comment(f, c);
		text_put(&f->out, "\n", 1);
		f->line_start = true;
	}
}

/* Many empty lines become one; none is left where a block begins. */
static void put_empty_line(struct formatter *f, uint32_t to)
{
	if (!f->first && lines_between(f, f->at, to) > 1)
		text_put(&f->out, "\n", 1);
	f->first = false;
}

/* The comments in front of what stands at `to`, on lines of their own. */
static void put_comments(struct formatter *f, uint32_t to)
{
	const struct trivia *c;

	while ((c = comment(f)) && c->off < to) {
		put_empty_line(f, c->off);
		put_comment(f, c);
		text_put(&f->out, "\n", 1);
		f->line_start = true;
	}
}

/* ---- Where a keyword is ------------------------------------------------------------------ */

/* Behind blanks, newlines, comments and a lonely ; from where we are. */
static uint32_t next_token(const struct formatter *f)
{
	uint32_t i = f->at;

	for (; i < f->len; i++) {
		char c = f->src[i];

		if (c == '#')
			while (i + 1 < f->len && f->src[i + 1] != '\n')
				i++;
		else if (c == '\\' && i + 1 < f->len && f->src[i + 1] == '\n')
			i++;
		else if (c == ';' && !(i + 1 < f->len && (f->src[i + 1] == ';' || f->src[i + 1] == '&')))
			continue;
		else if (c != ' ' && c != '\t' && c != '\n')
			break;
	}
	return i;
}

/* Its offset; `otherwise` when something else is next. */
static uint32_t find(const struct formatter *f, const char *keyword, uint32_t otherwise)
{
	uint32_t i = next_token(f);
	size_t n = strlen(keyword);

	return f->len - i >= n && memcmp(f->src + i, keyword, n) == 0 ? i : otherwise;
}

/* Prints it, and goes behind it where the source has it. */
static void keyword(struct formatter *f, const char *text)
{
	uint32_t at = find(f, text, UINT32_MAX);

	format_text(f, text);
	if (at != UINT32_MAX)
		format_reach(f, at + (uint32_t)strlen(text));
}

/* ---- Lists ---------------------------------------------------------------------------------- */

static bool one_line(const struct formatter *f, const struct cmd *c)
{
	return c && lines_between(f, c->off, MIN(c->end, f->len)) == 0;
}

static uint32_t list_length(const struct cmd *c)
{
	return c->kind == CMD_LIST ? AST_CONST(cmd_list, c)->n : 1;
}

static struct list_item list_at(struct cmd *c, uint32_t i)
{
	return c->kind == CMD_LIST ? AST(cmd_list, c)->items[i] : (struct list_item){SEP_END, c};
}

/* True when the last command was sent to the background: no ; may follow. */
static bool inline_list(struct formatter *f, struct cmd *c)
{
	bool amp = false;

	for (uint32_t i = 0; i < list_length(c); i++) {
		struct list_item item = list_at(c, i);

		if (i)
			format_text(f, amp ? " " : "; ");
		format_cmd(f, item.cmd);
		amp = item.sep == SEP_AMP;
		if (amp) {
			format_text(f, " ");
			keyword(f, "&");
		}
	}
	return amp;
}

/* Each command on a line, the last one with its newline. */
void format_list(struct formatter *f, struct cmd *c)
{
	for (uint32_t i = 0; i < list_length(c); i++) {
		struct list_item item = list_at(c, i);

		put_comments(f, item.cmd->off);
		put_empty_line(f, item.cmd->off);
		format_cmd(f, item.cmd);
		if (item.sep == SEP_AMP) {
			format_text(f, " ");
			keyword(f, "&");
		}
		format_newline(f);
	}
}

/* A body on lines of its own, one step in, up to the keyword that ends it. */
static void block(struct formatter *f, struct cmd *body, const char *closer)
{
	format_newline(f);
	f->depth++;
	f->first = true;
	if (body)
		format_list(f, body);
	put_comments(f, find(f, closer, f->at));
	f->first = false;
	f->depth--;
}

static void body_before(struct formatter *f, struct cmd *body, const char *closer, bool flat)
{
	if (!flat) {
		block(f, body, closer);
		return;
	}
	format_text(f, " ");
	format_text(f, inline_list(f, body) ? " " : "; ");
}

static void closing(struct formatter *f, struct cmd *body, const char *closer, bool flat)
{
	body_before(f, body, closer, flat);
	keyword(f, closer);
}

/* ---- Compound commands ------------------------------------------------------------------------- */

/* What is tested, with its `then` or `do`. */
static void test(struct formatter *f, struct cmd *c, const char *behind)
{
	closing(f, c, behind, c->kind != CMD_LIST || one_line(f, c));
}

static void put_if(struct formatter *f, struct cmd_if *c, bool flat)
{
	for (uint32_t i = 0; i < c->n; i++) {
		bool last = i + 1 == c->n;

		keyword(f, i ? "elif" : "if");
		test(f, c->clauses[i].test, "then");
		if (!last) {
			body_before(f, c->clauses[i].body, "elif", flat);
			continue;
		}
		closing(f, c->clauses[i].body, c->otherwise ? "else" : "fi", flat);
	}
	if (c->otherwise)
		closing(f, c->otherwise, "fi", flat);
}

static void put_loop(struct formatter *f, struct cmd *body, bool flat)
{
	keyword(f, "do");
	closing(f, body, "done", flat);
}

static void put_for(struct formatter *f, struct cmd_for *c, const char *word, bool flat)
{
	keyword(f, word);
	format_text(f, " ");
	text_put(&f->out, c->name.ptr, c->name.len);
	if (c->has_in) {
		format_text(f, " in");
		for (uint32_t i = 0; i < c->nwords; i++)
			format_element(f, c->words[i].off, c->words[i].off + c->words[i].raw_len);
		f->depth -= f->continued;
		f->continued = false;
	}
	format_text(f, "; ");
	/* `for x { …; }` is as old as it is undocumented. */
	put_loop(f, c->body, flat && find(f, "{", UINT32_MAX) == UINT32_MAX);
}

static void put_cfor(struct formatter *f, struct cmd_cfor *c, bool flat)
{
	keyword(f, "for");
	format_text(f, " ");
	keyword(f, "((");
	format_source(f, f->at, f->at + (uint32_t)c->text.len);
	keyword(f, "))");
	format_text(f, "; ");
	put_loop(f, c->body, flat);
}

static void put_while(struct formatter *f, struct cmd_while *c, bool flat)
{
	keyword(f, c->cmd.flags & WHILE_UNTIL ? "until" : "while");
	test(f, c->test, "do");
	closing(f, c->body, "done", flat);
}

static void put_block(struct formatter *f, struct cmd_block *c, bool flat)
{
	bool group = c->cmd.kind == CMD_GROUP;

	keyword(f, group ? "{" : "(");
	if (!flat || group) {
		body_before(f, c->body, group ? "}" : ")", flat);
	} else {
		/* (( would be arithmetic */
		if (f->src[next_token(f)] == '(')
			format_text(f, " ");
		inline_list(f, c->body);
	}
	keyword(f, group ? "}" : ")");
}

static void put_case_item(struct formatter *f, struct case_item *item, bool flat)
{
	static const char *const ends[] = {";;", ";&", ";;&"};

	for (uint32_t j = 0; j < item->npatterns; j++) {
		const struct word *w = &item->patterns[j];

		if (j)
			format_text(f, " | ");
		else if (w->raw_len == 4 && memcmp(w->raw, "esac", 4) == 0)
			format_text(f, "(");
		format_source(f, w->off, w->off + w->raw_len);
	}
	keyword(f, ")");
	if (flat && item->body) {
		format_text(f, " ");
		format_text(f, inline_list(f, item->body) ? " " : " ");
	} else if (!flat) {
		block(f, item->body, ends[item->end]);
		f->depth++;
	} else {
		format_text(f, " ");
	}
	keyword(f, ends[item->end]);
	if (!flat)
		f->depth--;
}

/* Whether an item's patterns, commands and ;; are on one line. */
static bool flat_item(const struct formatter *f, const struct case_item *item)
{
	struct formatter at = *f;

	if (!item->body)
		return true;
	at.at = item->body->end;
	return lines_between(f, item->patterns[0].off, MIN(find(&at, ";", item->body->end), f->len)) == 0;
}

static void put_case(struct formatter *f, struct cmd_case *c, bool flat)
{
	uint32_t to;

	keyword(f, "case");
	format_text(f, " ");
	format_source(f, c->word->off, c->word->off + c->word->raw_len);
	format_text(f, " ");
	keyword(f, "in");
	f->depth += f->style.case_indent;
	f->first = true;
	for (uint32_t i = 0; i < c->n; i++) {
		to = c->items[i].patterns[0].off;
		if (!flat) {
			format_newline(f);
			put_comments(f, to);
			put_empty_line(f, to);
		} else {
			format_text(f, " ");
		}
		format_reach(f, to);
		put_case_item(f, &c->items[i], flat || flat_item(f, &c->items[i]));
	}
	if (!flat) {
		format_newline(f);
		put_comments(f, find(f, "esac", f->at));
	} else {
		format_text(f, " ");
	}
	f->depth -= f->style.case_indent;
	f->first = false;
	keyword(f, "esac");
}

static void put_function(struct formatter *f, struct cmd_function *c)
{
	uint32_t from, to;

	if (c->cmd.flags & FUNCTION_KEYWORD) {
		keyword(f, "function");
		format_text(f, " ");
	}
	from = to = next_token(f);
	while (to < c->body->off && f->src[to] != '(' && !ascii_space((unsigned char)f->src[to]))
		to++;
	format_source(f, from, to);
	if (find(f, "(", UINT32_MAX) < c->body->off) {
		keyword(f, "(");
		keyword(f, ")");
	}
	format_text(f, " ");
	format_cmd(f, c->body);
}

static void put_coproc(struct formatter *f, struct cmd_coproc *c)
{
	keyword(f, "coproc");
	format_text(f, " ");
	if (c->named) {
		text_put(&f->out, c->name.ptr, c->name.len);
		format_text(f, " ");
	}
	format_cmd(f, c->body);
}

/* (( )) and [[ ]]: from the first to the last byte as written. */
static void put_verbatim(struct formatter *f, const struct cmd *c, const char *closer)
{
	uint32_t end = c->redirs ? MIN(c->redirs->off, c->end) : c->end;

	while (end > c->off + 2 && memcmp(f->src + end - 2, closer, 2) != 0)
		end--;
	format_source(f, c->off, end);
}

static void put_kind(struct formatter *f, struct cmd *c)
{
	bool flat = one_line(f, c);

	switch (c->kind) {
	case CMD_SUBSHELL:
	case CMD_GROUP: put_block(f, AST(cmd_block, c), flat); break;
	case CMD_IF: put_if(f, AST(cmd_if, c), flat); break;
	case CMD_FOR: put_for(f, AST(cmd_for, c), "for", flat); break;
	case CMD_SELECT: put_for(f, AST(cmd_for, c), "select", flat); break;
	case CMD_CFOR: put_cfor(f, AST(cmd_cfor, c), flat); break;
	case CMD_WHILE: put_while(f, AST(cmd_while, c), flat); break;
	case CMD_CASE: put_case(f, AST(cmd_case, c), flat); break;
	case CMD_FUNCTION: put_function(f, AST(cmd_function, c)); break;
	case CMD_COPROC: put_coproc(f, AST(cmd_coproc, c)); break;
	case CMD_ARITH: put_verbatim(f, c, "))"); break;
	default: put_verbatim(f, c, "]]"); break;
	}
}

/* ---- Chains ---------------------------------------------------------------------------------------- */

/* An operator and the command behind it, on the next line where the source has it there. */
static void chained(struct formatter *f, const char *op, struct cmd *c, bool *deeper)
{
	bool breaks = lines_between(f, f->at, c->off) > 0;

	format_text(f, " ");
	keyword(f, op);
	if (breaks) {
		if (!*deeper)
			f->depth++;
		*deeper = true;
		format_newline(f);
		f->first = true;
		put_comments(f, c->off);
		f->first = false;
	} else {
		format_text(f, " ");
	}
	format_cmd(f, c);
}

static void put_pipe(struct formatter *f, struct cmd_pipe *c)
{
	bool deeper = false;

	if (c->cmd.flags & PIPE_TIME)
		format_text(f, c->cmd.flags & PIPE_TIME_POSIX ? "time -p" : "time");
	if (c->cmd.flags & PIPE_NEGATE)
		format_text(f, c->cmd.flags & PIPE_TIME ? " !" : "!");
	if (!c->n && !c->cmd.flags)
		format_text(f, "! !");
	for (uint32_t i = 0; i < c->n; i++) {
		if (i) {
			chained(f, c->both && c->both[i - 1] ? "|&" : "|", c->cmds[i], &deeper);
			continue;
		}
		if (c->cmd.flags)
			format_text(f, " ");
		format_reach(f, c->cmds[i]->off);
		format_cmd(f, c->cmds[i]);
	}
	f->depth -= deeper;
}

static void put_andor(struct formatter *f, struct cmd_andor *c)
{
	bool deeper = false;

	format_cmd(f, c->items[0].cmd);
	for (uint32_t i = 1; i < c->n; i++)
		chained(f, c->items[i].op == ANDOR_AND ? "&&" : "||", c->items[i].cmd, &deeper);
	f->depth -= deeper;
}

void format_cmd(struct formatter *f, struct cmd *c)
{
	switch (c->kind) {
	case CMD_SIMPLE: format_simple(f, AST(cmd_simple, c)); return;
	case CMD_PIPE: put_pipe(f, AST(cmd_pipe, c)); break;
	case CMD_ANDOR: put_andor(f, AST(cmd_andor, c)); break;
	case CMD_LIST: inline_list(f, c); break;
	default:
		format_reach(f, c->off);
		put_kind(f, c);
		format_redirs(f, c->redirs);
		break;
	}
	format_reach(f, c->end);
}

struct str script_format(struct arena *arena, const struct script *s, const struct format_style *style)
{
	struct formatter *f = arena_zalloc(arena, sizeof(*f));

	f->out.arena = arena;
	f->src = s->src;
	f->len = s->len;
	f->comment = f->bodies = s->trivia;
	f->style = *style;
	f->line_start = f->first = true;
	if (s->tree)
		format_list(f, s->tree);
	put_comments(f, f->len);
	return text_take(&f->out);
}
