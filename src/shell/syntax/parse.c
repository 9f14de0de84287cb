/*
 * parse.c - command lines: lists, pipelines, simple commands; and the parser's entry points.
 *
 * Lists, and-or chains and pipelines are rows, not trees: a script of 100,000 lines nests no
 * deeper than one line. Only compound commands and substitutions recurse.
 */
#include "syntax.h"

void *cmd_new(struct parser *p, size_t size, unsigned kind, const char *start)
{
	struct cmd *c = arena_zalloc(p->arena, size);

	c->kind = (uint8_t)kind;
	c->off = offset_of(p, start);
	c->line = line_of(p, start);
	return c;
}

static void cmd_end(struct parser *p, struct cmd *c)
{
	if (p->last_end)
		c->end = offset_of(p, p->last_end);
}

/* ---- Simple commands --------------------------------------------------------- */

/* 1 for builtins whose arguments may be assignments, 2 for those that take array literals. */
static unsigned declares(struct str s)
{
#define IS(lit) (memcmp(s.ptr, lit, sizeof(lit) - 1) == 0)
	switch (s.len) {
	case 3: return IS("let") ? 2 : 0;
	case 4: return IS("eval") ? 2 : 0;
	case 5: return IS("alias") || IS("local");
	case 6: return IS("export");
	case 7: return IS("declare") || IS("typeset");
	case 8: return IS("readonly");
	default: return 0;
	}
#undef IS
}

static void push_word(struct parser *p)
{
	struct word *w;

	p->tok.word.line = line_of(p, p->tok.start);
	w = scratch_push(p, sizeof(*w));
	*w = p->tok.word;
}

/* `shopt -s extglob`, `set -o posix` in a text that is only checked */
static void track_options(struct parser *p, const struct cmd_simple *c)
{
	if (c->nwords < 3)
		return;
	if (str_is(c->name, "set") && str_is(c->words[2].text, "posix")) {
		if (str_is(c->words[1].text, "-o"))
			p->seen |= PARSE_POSIX;
		else if (str_is(c->words[1].text, "+o"))
			p->unseen |= PARSE_POSIX;
	}
	if (!str_is(c->name, "shopt") || !str_is(c->words[1].text, "-s"))
		return;
	for (uint32_t i = 2; i < c->nwords; i++)
		if (str_is(c->words[i].text, "extglob"))
			p->seen |= PARSE_EXTGLOB;
}

static struct cmd *simple_finish(struct parser *p, const char *start, size_t mark,
                                 uint32_t nassigns, uint32_t nwords, struct redir *redirs,
                                 uint32_t line)
{
	struct cmd_simple *c = arena_alloc(p->arena, sizeof(*c));
	char *rows = scratch_take(p, mark);

	*c = (struct cmd_simple){
	        .cmd = {.kind = CMD_SIMPLE, .off = offset_of(p, start), .line = line, .redirs = redirs},
	        .nassigns = nassigns,
	        .nwords = nwords,
	        .assigns = (struct assign *)(void *)rows,
	        .words = (struct word *)(void *)(rows + nassigns * sizeof(struct assign)),
	};
	cmd_end(p, &c->cmd);
	if (nwords && (c->words[0].flags & WORD_LITERAL)) {
		c->name = c->words[0].text;
		c->name_hash = ast_hash(c->name);
		if (declares(c->name) == 1)
			c->cmd.flags |= SIMPLE_DECL;
	}
	if (!nassigns) {
		uint32_t i = 0;

		while (i < nwords &&
		       (c->words[i].flags & (WORD_LITERAL | WORD_ASSIGN)) == WORD_LITERAL)
			i++;
		if (i == nwords)
			c->cmd.flags |= SIMPLE_PLAIN;
	}
	if (p->flags & PARSE_TRACK_OPTIONS)
		track_options(p, c);
	return &c->cmd;
}

/* name ( ) with the name just taken and a ( looked at. */
static struct cmd *function_parens(struct parser *p, size_t mark)
{
	struct word name = *(struct word *)(void *)(p->scratch + mark);

	p->scratch_used = mark;
	p->cmd_word_next = false;
	token_take(p);
	if (!token_expect(p, T_RPAREN))
		return NULL;
	return parse_function_body(p, &name, 0);
}

struct cmd *parse_simple(struct parser *p, const struct word *first, const char *start)
{
	size_t mark = p->scratch_used;
	struct redir *redirs = NULL, **tail = &redirs;
	uint32_t nassigns = 0, nwords = 0, line = 0;

	if (first) {
		*(struct word *)scratch_push(p, sizeof(*first)) = *first;
		nwords = 1;
		p->decl_args = (uint8_t)declares(first->text);
		line = first->line;
	}
	p->cmd_word_next = !first;
	for (;;) {
		unsigned kind = token_peek(p);

		if (nwords == 1 && !line) { /* where the look-ahead has come to, as in bash */
			line = line_of(p, kind == T_NEWLINE || kind == T_EOF ? p->last_end
			                                                     : p->tok.end - 1);
			if (kind == T_LPAREN && !nassigns && !redirs)
				return function_parens(p, mark);
		}
		if (kind == T_WORD) {
			push_word(p);
			if (!nwords++) {
				p->cmd_word_next = false;
				p->decl_args = (uint8_t)declares(p->tok.word.text);
			}
			token_take(p);
		} else if (kind == T_ASSIGN) {
			struct assign *a = scratch_push(p, sizeof(*a));

			*a = p->tok.assign;
			if (!line)
				line = line_of(p, p->tok.end - 1);
			nassigns++;
			token_take(p);
		} else if (token_is_redir(kind)) {
			tail = parse_redir(p, tail);
			if (!line && !nwords && !p->failed)
				line = line_of(p, p->last_end - 1);
		} else {
			break;
		}
	}
	p->cmd_word_next = false;
	p->decl_args = 0;
	if (p->failed)
		return NULL;
	return simple_finish(p, start, mark, nassigns, nwords, redirs, line);
}

/* ---- Pipelines, chains, lists ------------------------------------------------ */

struct cmd *parse_command(struct parser *p)
{
	unsigned kind = token_peek(p);
	struct cmd *c;

	if (kind == T_WORD || kind == T_ASSIGN || token_is_redir(kind))
		return parse_simple(p, NULL, p->tok.start);
	c = parse_compound(p);
	if (!c) {
		fail_token(p);
		return NULL;
	}
	if (c->kind != CMD_FUNCTION && c->kind != CMD_COPROC)
		parse_redirs(p, &c->redirs);
	cmd_end(p, c);
	return c;
}

/* ! and time before a pipeline. */
static unsigned pipe_flags(struct parser *p)
{
	unsigned flags = 0;

	for (;;) {
		switch (token_peek(p)) {
		case T_BANG:
			flags ^= PIPE_NEGATE;
			flags |= 128;
			break;
		case T_TIME:
			flags |= PIPE_TIME | 128;
			token_take(p);
			p->accept = ACCEPT_TIMEOPT;
			if (token_peek(p) == T_TIMEOPT) {
				flags |= PIPE_TIME_POSIX;
				token_take(p);
				p->accept = ACCEPT_TIMEOPT;
			}
			if (token_peek(p) == T_TIMEIGN) { /* bash takes it for -p */
				flags |= PIPE_TIME_POSIX;
				token_take(p);
			}
			continue;
		default: return flags;
		}
		token_take(p);
	}
}

static struct cmd *pipe_finish(struct parser *p, const char *start, size_t mark, unsigned flags,
                               bool both)
{
	size_t n = (p->scratch_used - mark) / (2 * sizeof(void *));
	struct cmd_pipe *c = cmd_new(p, sizeof(*c), CMD_PIPE, start);
	const uintptr_t *pairs;

	c->cmd.flags = (uint8_t)(flags & ~128u);
	c->n = (uint32_t)n;
	c->cmds = arena_alloc(p->arena, n * sizeof(*c->cmds));
	if (both)
		c->both = arena_alloc(p->arena, n * sizeof(*c->both));
	pairs = n ? (const uintptr_t *)(const void *)(p->scratch + mark) : NULL;
	for (size_t i = 0; i < n; i++) {
		c->cmds[i] = (struct cmd *)pairs[2 * i];
		if (both)
			c->both[i] = pairs[2 * i + 1] != 0;
	}
	p->scratch_used = mark;
	cmd_end(p, &c->cmd);
	return &c->cmd;
}

static bool ends_pipeline(unsigned kind)
{
	return kind == T_SEMI || kind == T_NEWLINE || kind == T_EOF;
}

static struct cmd *parse_pipeline(struct parser *p)
{
	size_t mark = p->scratch_used;
	const char *start;
	unsigned flags, kind;
	struct cmd *c;
	bool both = false;

	token_peek(p);
	start = p->tok.start;
	flags = pipe_flags(p);
	if ((flags & 128) && ends_pipeline(token_peek(p)))
		return pipe_finish(p, start, mark, flags, false);
	c = parse_command(p);
	kind = token_peek(p);
	if (kind != T_PIPE && kind != T_PIPEAMP && !(flags & ~128u))
		return p->failed ? NULL : c;
	for (;;) {
		uintptr_t *pair;

		if (p->failed)
			return NULL;
		kind = token_peek(p);
		pair = scratch_push(p, 2 * sizeof(*pair));
		pair[0] = (uintptr_t)c;
		pair[1] = kind == T_PIPEAMP;
		both |= kind == T_PIPEAMP;
		if (kind != T_PIPE && kind != T_PIPEAMP)
			return pipe_finish(p, start, mark, flags, both);
		token_take(p);
		skip_newlines(p);
		c = parse_command(p);
	}
}

static struct cmd *parse_andor(struct parser *p)
{
	size_t mark = p->scratch_used;
	struct andor_item item = {ANDOR_FIRST, NULL};
	struct cmd_andor *c;
	const char *start;
	unsigned kind;

	token_peek(p);
	start = p->tok.start;
	item.cmd = parse_pipeline(p);
	kind = token_peek(p);
	if (kind != T_ANDAND && kind != T_OROR)
		return p->failed ? NULL : item.cmd;
	for (;;) {
		*(struct andor_item *)scratch_push(p, sizeof(item)) = item;
		if (kind != T_ANDAND && kind != T_OROR)
			break;
		token_take(p);
		item.op = kind == T_ANDAND ? ANDOR_AND : ANDOR_OR;
		skip_newlines(p);
		item.cmd = parse_pipeline(p);
		if (p->failed)
			return NULL;
		kind = token_peek(p);
	}
	c = cmd_new(p, sizeof(*c), CMD_ANDOR, start);
	c->n = (uint32_t)((p->scratch_used - mark) / sizeof(item));
	c->items = scratch_take(p, mark);
	cmd_end(p, &c->cmd);
	return &c->cmd;
}

/* The separator behind a command, taken. SEP_END when the list ends here. */
static unsigned take_separator(struct parser *p, bool top)
{
	switch (token_peek(p)) {
	case T_SEMI: token_take(p); return SEP_SEMI;
	case T_AMP: token_take(p); return SEP_AMP;
	case T_NEWLINE:
		if (top)
			return SEP_END;
		token_take(p);
		return SEP_NEWLINE;
	default: return SEP_END;
	}
}

struct cmd *parse_list(struct parser *p, bool top)
{
	size_t mark = p->scratch_used;
	struct list_item item = {SEP_END, NULL};
	struct cmd_list *c;
	const char *start = NULL;

	if (!enter(p))
		return NULL;
	if (!top)
		skip_newlines(p);
	while (token_traits[token_peek(p)] & TRAIT_BEGINS) {
		if (!start)
			start = p->tok.start;
		item.cmd = parse_andor(p);
		if (p->failed)
			return NULL;
		item.sep = (uint8_t)take_separator(p, top);
		*(struct list_item *)scratch_push(p, sizeof(item)) = item;
		if (item.sep == SEP_END)
			break;
		if (!top)
			skip_newlines(p);
	}
	leave(p);
	if (p->failed || p->scratch_used == mark)
		return NULL;
	if (p->scratch_used - mark == sizeof(item) && item.sep != SEP_AMP) {
		p->scratch_used = mark;
		return item.cmd;
	}
	c = cmd_new(p, sizeof(*c), CMD_LIST, start);
	c->n = (uint32_t)((p->scratch_used - mark) / sizeof(item));
	c->items = scratch_take(p, mark);
	cmd_end(p, &c->cmd);
	return &c->cmd;
}

struct cmd *parse_body(struct parser *p, unsigned closer)
{
	struct cmd *body = parse_list(p, false);

	if (!body)
		fail_token(p);
	else
		token_expect(p, closer);
	return p->failed ? NULL : body;
}

/* ---- Entry points ------------------------------------------------------------ */

/* Drops NUL bytes, of which a script has none unless somebody wants to know what happens. */
static const char *without_nuls(struct arena *arena, const char *src, size_t n, size_t *nuls)
{
	char *copy, *to;

	*nuls = 0;
	if (!n || !memchr(src, '\0', n))
		return src;
	copy = to = arena_alloc(arena, n);
	for (size_t i = 0; i < n; i++)
		if (src[i])
			*to++ = src[i];
	*nuls = n - (size_t)(to - copy);
	return copy;
}

void parser_init(struct parser *p, struct arena *arena, const char *src, size_t n,
                 const struct parse_options *options)
{
	memset(p, 0, offsetof(struct parser, own_scratch));
	p->arena = arena;
	p->scratch = p->own_scratch;
	p->scratch_cap = sizeof(p->own_scratch);
	p->lit = p->own_lit;
	p->lit_cap = sizeof(p->own_lit);
	if (options)
		p->opts = *options;
	if (!p->opts.first_line)
		p->opts.first_line = 1;
	if (!p->opts.depth_max)
		p->opts.depth_max = PARSE_DEPTH_MAX;
	if (!p->opts.stack_max)
		p->opts.stack_max = PARSE_STACK_MAX;
	p->flags = p->opts.flags;
	if (n > PARSE_SOURCE_MAX) {
		p->src = p->at = p->end = p->limit = p->line_from = p->line_to = "";
		p->line = p->opts.first_line;
		fail_at(p, p->at, p->line, "syntax error: the script is too long");
		return;
	}
	p->src = without_nuls(arena, n ? src : "", n, &p->nuls);
	p->at = p->src;
	p->end = p->limit = p->src + n - p->nuls;
	p->line = p->opts.first_line;
	line_begin(p, p->src);
	p->last = T_START;
	p->stack_low = (uintptr_t)__builtin_frame_address(0) - p->opts.stack_max;
}

/* The stack below us is measured from here, not from where the parser was made. */
static void begin(struct parser *p)
{
	if (!p->fixed)
		p->stack_low = (uintptr_t)__builtin_frame_address(0) - p->opts.stack_max;
	p->seen = p->unseen = 0;
	if (p->last == T_NEWLINE)
		p->last = T_START;
}

static enum parse_result failure(struct parser *p)
{
	if (p->error.at_eof && (p->flags & PARSE_REPL))
		return PARSE_INCOMPLETE;
	return PARSE_ERROR;
}

/* bash drops the rest of a line with a mistake in an array literal, and reads on. */
static bool recover(struct parser *p, struct cmd **out)
{
	const char *at = p->src + p->error.off, *nl;
	struct parse_error *e;
	struct cmd_error *c;

	if (!p->error.in_array || p->error.at_eof || !(p->flags & PARSE_RECOVER) || p->fixed)
		return false;
	e = arena_alloc(p->arena, sizeof(*e));
	*e = p->error;
	nl = memchr(at, '\n', (size_t)(p->end - at));
	p->at = nl ? nl + 1 : p->end;
	p->limit = p->end;
	p->failed = p->have_tok = p->newline_at_end = p->cmd_word_next = p->alias_next = false;
	p->joinable = p->alias_short = false;
	p->decl_args = p->context = p->accept = 0;
	p->comsubs = p->depth = p->npending = 0;
	p->frame = NULL;
	p->pending = p->pending_last = NULL;
	p->scratch_used = p->lit_len = 0;
	p->lit_start = NULL;
	p->last = T_START;
	c = cmd_new(p, sizeof(*c), CMD_ERROR, at);
	c->error = e;
	*out = &c->cmd;
	return true;
}

static enum parse_result next(struct parser *p, struct cmd **out, bool top)
{
	unsigned kind;

	*out = NULL;
	if (p->failed)
		return failure(p);
	begin(p);
	skip_newlines(p);
	kind = token_peek(p);
	if (kind == T_EOF)
		return PARSE_END;
	*out = parse_list(p, top);
	if (!p->failed) {
		kind = token_peek(p);
		if (kind == T_NEWLINE)
			token_take(p);
		else if (kind != T_EOF || !*out)
			fail_token(p);
	}
	if (p->failed) {
		*out = NULL;
		return top && recover(p, out) ? PARSE_OK : failure(p);
	}
	p->flags = (p->flags | p->seen) & ~p->unseen;
	if (p->heredoc_eof && (p->flags & PARSE_REPL))
		return PARSE_INCOMPLETE;
	return PARSE_OK;
}

enum parse_result parser_next(struct parser *p, struct cmd **out)
{
	return next(p, out, true);
}

enum parse_result parser_all(struct parser *p, struct cmd **out)
{
	enum parse_result r = next(p, out, false);

	if (r == PARSE_OK && token_peek(p) != T_EOF) {
		fail_token(p);
		*out = NULL;
		return failure(p);
	}
	return r;
}

size_t parser_offset(const struct parser *p)
{
	const char *at = p->have_tok ? p->tok.start : p->at;

	return offset_of(p, at);
}
