/*
 * compound.c - if, for, while, case, select, functions, coproc, ( ), { }, (( )).
 *
 * Each function begins behind its first token. On an error it returns NULL with p->failed
 * set; half-built nodes stay in the arena and are never seen.
 */
#include "syntax.h"

/* ---- Pieces ------------------------------------------------------------------ */

/* do … done or { … } */
static struct cmd *loop_body(struct parser *p)
{
	unsigned kind = token_peek(p);

	if (kind != T_DO && kind != T_LBRACE) {
		fail_token(p);
		return NULL;
	}
	token_take(p);
	return parse_body(p, kind == T_DO ? T_DONE : T_RBRACE);
}

static struct str copy_range(struct parser *p, const char *from, const char *to)
{
	return (struct str){arena_strndup(p->arena, from, (size_t)(to - from)),
	                    (size_t)(to - from)};
}

static void push_tok_word(struct parser *p)
{
	p->tok.word.line = line_of(p, p->tok.start);
	*(struct word *)scratch_push(p, sizeof(struct word)) = p->tok.word;
}

/* ---- for, select ------------------------------------------------------------- */

/* One of the three expressions of for ((…)). NULL for a blank one. */
static struct arith *for_expr(struct parser *p, bool *ok)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;
	struct arith *a;
	struct word *w;

	*ok = scan_quoted(p, QUOTED_FOR);
	if (!*ok)
		return NULL;
	w = word_new(p, raw, mark);
	a = make_arith(p, (struct str){raw, (size_t)(p->at - raw)}, w, w->off);
	return a->blank ? NULL : a;
}

/* What bash says about (( … )) behind for that has not two semicolons. */
static void for_expr_error(struct parser *p, const char *start, const char *text,
                           const char *message)
{
	uint32_t level = 0;
	const char *to = p->at;

	while (to < p->limit && !(*to == ')' && level == 0)) {
		level += *to == '(';
		level -= *to == ')';
		to++;
	}
	if (to == p->limit) {
		fail_eof(p, start, line_of(p, start), ')');
		return;
	}
	fail_at(p, start, line_of(p, to), message);
	fail_more(p, p->error.lines[0].line, "syntax error: `((%s))'",
	          (struct str){text, (size_t)(to - text)});
}

static bool for_exprs(struct parser *p, struct cmd_cfor *c, const char *start)
{
	struct arith **exprs[] = {&c->init, &c->test, &c->step};
	const char *text = p->at, *close;
	bool ok;

	for (unsigned i = 0; i < 3; i++) {
		*exprs[i] = for_expr(p, &ok);
		if (!ok)
			return false;
		if (p->at == p->limit) {
			fail_eof(p, start, line_of(p, start), ')');
			return false;
		}
		if (i < 2 && *p->at != ';') {
			for_expr_error(p, start, text,
			               "syntax error: arithmetic expression required");
			return false;
		}
		if (i == 2 && *p->at == ';') {
			for_expr_error(p, start, text, "syntax error: `;' unexpected");
			return false;
		}
		if (i < 2)
			p->at++;
	}
	c->text = copy_range(p, text, p->at);
	close = skip_cont(p, p->at + 1);
	if (close == p->limit || *close != ')') {
		p->at = close;
		token_peek(p);
		fail_token(p);
		return false;
	}
	p->at = close + 1;
	return true;
}

static struct cmd *parse_cfor(struct parser *p, const char *start)
{
	struct cmd_cfor *c = cmd_new(p, sizeof(*c), CMD_CFOR, start);

	token_drop(p);
	if (!for_exprs(p, c, start))
		return NULL;
	p->last = T_RPAREN;
	p->last_end = p->at;
	p->accept = ACCEPT_DO | ACCEPT_BRACE;
	token_accept(p, T_SEMI);
	skip_newlines(p);
	c->body = loop_body(p);
	return p->failed ? NULL : &c->cmd;
}

/* in words, up to the separator. */
static void for_words(struct parser *p, struct cmd_for *c)
{
	size_t mark = p->scratch_used;

	p->context = LEX_WORDS;
	while (token_peek(p) == T_WORD) {
		push_tok_word(p);
		token_take(p);
	}
	p->context = LEX_NORMAL;
	c->has_in = true;
	c->nwords = (uint32_t)((p->scratch_used - mark) / sizeof(struct word));
	c->words = scratch_take(p, mark);
	if (!token_accept(p, T_SEMI) && !token_accept(p, T_NEWLINE))
		fail_token(p);
}

static struct cmd *parse_for(struct parser *p, unsigned keyword, const char *start)
{
	struct cmd_for *c;
	bool semicolon;

	if (token_peek(p) == T_DLPAREN && keyword == T_FOR)
		return parse_cfor(p, start);
	if (token_peek(p) != T_WORD) {
		fail_token(p);
		return NULL;
	}
	c = cmd_new(p, sizeof(*c), keyword == T_FOR ? CMD_FOR : CMD_SELECT, start);
	c->cmd.line = line_of(p, p->tok.start);
	c->name = copy_range(p, p->tok.start, p->tok.end);
	c->bad_name = !syntax_is_name(c->name);
	token_take(p);
	p->accept = ACCEPT_IN | ACCEPT_DO;
	semicolon = token_accept(p, T_SEMI);
	skip_newlines(p);
	if (!semicolon && token_accept(p, T_IN))
		for_words(p, c);
	skip_newlines(p);
	c->body = loop_body(p);
	return p->failed ? NULL : &c->cmd;
}

/* ---- while, if --------------------------------------------------------------- */

static struct cmd *parse_while(struct parser *p, bool until, const char *start)
{
	struct cmd_while *c = cmd_new(p, sizeof(*c), CMD_WHILE, start);

	c->cmd.flags = until ? WHILE_UNTIL : 0;
	c->test = parse_body(p, T_DO);
	if (!p->failed)
		c->body = parse_body(p, T_DONE);
	return p->failed ? NULL : &c->cmd;
}

/* A body that ends at elif, else or fi. */
static struct cmd *if_body(struct parser *p)
{
	struct cmd *body = parse_list(p, false);

	if (!body)
		fail_token(p);
	return body;
}

static struct cmd *parse_if(struct parser *p, const char *start)
{
	struct cmd_if *c = cmd_new(p, sizeof(*c), CMD_IF, start);
	size_t mark = p->scratch_used;

	do {
		struct if_clause clause;

		clause.test = parse_body(p, T_THEN);
		if (p->failed)
			return NULL;
		clause.body = if_body(p);
		if (p->failed)
			return NULL;
		*(struct if_clause *)scratch_push(p, sizeof(clause)) = clause;
	} while (token_accept(p, T_ELIF));
	c->n = (uint32_t)((p->scratch_used - mark) / sizeof(struct if_clause));
	c->clauses = scratch_take(p, mark);
	if (token_accept(p, T_ELSE))
		c->otherwise = if_body(p);
	if (p->failed || !token_expect(p, T_FI))
		return NULL;
	return &c->cmd;
}

/* ---- case -------------------------------------------------------------------- */

static bool case_patterns(struct parser *p, struct case_item *item)
{
	size_t mark = p->scratch_used;

	token_accept(p, T_LPAREN);
	p->context = LEX_PLAIN;
	for (;;) {
		if (token_peek(p) != T_WORD) {
			fail_token(p);
			return false;
		}
		push_tok_word(p);
		token_take(p);
		if (!token_accept(p, T_PIPE))
			break;
	}
	if (!token_expect(p, T_RPAREN))
		return false;
	p->context = LEX_NORMAL;
	item->npatterns = (uint32_t)((p->scratch_used - mark) / sizeof(struct word));
	item->patterns = scratch_take(p, mark);
	return true;
}

/* The end of an item. False at esac, which ends the last one too. */
static bool case_end(struct parser *p, struct case_item *item)
{
	switch (token_peek(p)) {
	case T_DSEMI: item->end = CASE_BREAK; break;
	case T_SEMIAMP: item->end = CASE_FALL; break;
	case T_DSEMIAMP: item->end = CASE_NEXT; break;
	default: item->end = CASE_BREAK; return false;
	}
	token_take(p);
	return true;
}

static struct cmd *parse_case(struct parser *p, const char *start)
{
	struct cmd_case *c = cmd_new(p, sizeof(*c), CMD_CASE, start);
	size_t mark;

	p->context = LEX_PLAIN;
	if (token_peek(p) != T_WORD) {
		fail_token(p);
		return NULL;
	}
	p->context = LEX_NORMAL;
	c->word = arena_alloc(p->arena, sizeof(*c->word));
	*c->word = p->tok.word;
	c->word->line = line_of(p, p->tok.start);
	token_take(p);
	p->accept = ACCEPT_IN;
	skip_newlines(p);
	if (!token_expect(p, T_IN))
		return NULL;
	mark = p->scratch_used;
	for (;;) {
		struct case_item item = {0};

		p->context = LEX_CASE;
		skip_newlines(p);
		if (token_peek(p) == T_ESAC)
			break;
		if (!case_patterns(p, &item))
			return NULL;
		item.body = parse_list(p, false);
		if (p->failed)
			return NULL;
		*(struct case_item *)scratch_push(p, sizeof(item)) = item;
		if (!case_end(p, (struct case_item *)(void *)(p->scratch + p->scratch_used -
		                                              sizeof(item))))
			break;
	}
	p->context = LEX_NORMAL;
	if (!token_expect(p, T_ESAC))
		return NULL;
	c->n = (uint32_t)((p->scratch_used - mark) / sizeof(struct case_item));
	c->items = scratch_take(p, mark);
	return &c->cmd;
}

/* ---- Functions and coprocesses ----------------------------------------------- */

static bool has_dollar(const struct word *w)
{
	return memchr(w->raw, '$', w->raw_len) != NULL || memchr(w->raw, '`', w->raw_len) != NULL;
}

/* Behind the name and its parentheses. */
static struct cmd *function_rest(struct parser *p, struct cmd_function *f, struct cmd *body)
{
	if (!body) {
		unsigned kind;

		skip_newlines(p);
		kind = token_peek(p);
		if (kind != T_FUNCTION && kind != T_COPROC)
			body = parse_compound(p);
		if (!body) {
			fail_token(p);
			return NULL;
		}
	}
	parse_redirs(p, &body->redirs);
	if (p->failed)
		return NULL;
	body->end = offset_of(p, p->last_end);
	f->body = body;
	f->cmd.end = body->end;
	if (p->last_end > f->source && (uintptr_t)f->source >= (uintptr_t)p->src &&
	    (uintptr_t)p->last_end <= (uintptr_t)p->end)
		f->source_len = (uint32_t)(p->last_end - f->source);
	return &f->cmd;
}

static struct cmd_function *function_new(struct parser *p, const struct word *name,
                                         const char *start, unsigned flags)
{
	struct cmd_function *f = cmd_new(p, sizeof(*f), CMD_FUNCTION, start);

	if ((name->flags & WORD_QUOTED) || has_dollar(name) ||
	    ((p->flags & PARSE_POSIX) && !syntax_is_name((struct str){name->raw, name->raw_len})))
		flags |= FUNCTION_BAD_NAME;
	f->cmd.flags = (uint8_t)flags;
	f->name = copy_range(p, name->raw, name->raw + name->raw_len);
	f->source = start;
	return f;
}

struct cmd *parse_function_body(struct parser *p, const struct word *name, unsigned flags)
{
	return function_rest(p, function_new(p, name, name->raw, flags), NULL);
}

static struct cmd *parse_function(struct parser *p, const char *start)
{
	struct cmd_function *f;
	struct cmd_block *block;

	p->context = LEX_WORDS;
	if (token_peek(p) != T_WORD) {
		fail_token(p);
		return NULL;
	}
	p->context = LEX_NORMAL;
	f = function_new(p, &p->tok.word, start, FUNCTION_KEYWORD);
	token_take(p);
	p->accept = ACCEPT_COMPOUND;
	if (token_peek(p) != T_LPAREN)
		return function_rest(p, f, NULL);
	start = p->tok.start;
	token_take(p);
	if (token_accept(p, T_RPAREN))
		return function_rest(p, f, NULL);
	block = cmd_new(p, sizeof(*block), CMD_SUBSHELL, start); /* function f ( list ) */
	block->body = parse_body(p, T_RPAREN);
	return p->failed ? NULL : function_rest(p, f, &block->cmd);
}

static struct cmd *coproc_body(struct parser *p)
{
	unsigned kind = token_peek(p);
	struct cmd *body = kind == T_FUNCTION || kind == T_COPROC ? NULL : parse_compound(p);

	if (body)
		parse_redirs(p, &body->redirs);
	return body;
}

static struct cmd *parse_coproc(struct parser *p, const char *start)
{
	struct cmd_coproc *c = cmd_new(p, sizeof(*c), CMD_COPROC, start);
	struct word *first;

	c->name = STR("COPROC");
	c->body = coproc_body(p);
	if (!c->body && !p->failed && token_peek(p) == T_WORD) {
		const char *at = p->tok.start;

		first = arena_alloc(p->arena, sizeof(*first));
		*first = p->tok.word;
		first->line = line_of(p, at);
		token_take(p);
		p->accept = ACCEPT_COMPOUND;
		c->body = coproc_body(p);
		if (c->body) {
			c->named = true;
			c->name = copy_range(p, first->raw, first->raw + first->raw_len);
		} else if (!p->failed) {
			c->body = parse_simple(p, first, at);
		}
	} else if (!c->body && !p->failed) {
		if (token_peek(p) != T_ASSIGN && !token_is_redir(token_peek(p)))
			fail_token(p);
		else
			c->body = parse_simple(p, NULL, p->tok.start);
	}
	if (p->failed)
		return NULL;
	c->cmd.end = offset_of(p, p->last_end);
	return &c->cmd;
}

/* ---- Blocks and the choice --------------------------------------------------- */

static struct cmd *parse_block(struct parser *p, unsigned kind, unsigned closer, const char *start)
{
	struct cmd_block *c = cmd_new(p, sizeof(*c), kind, start);

	c->body = parse_body(p, closer);
	return p->failed ? NULL : &c->cmd;
}

static struct cmd *parse_arith(struct parser *p, const char *start)
{
	struct cmd_arith *c = cmd_new(p, sizeof(*c), CMD_ARITH, start);
	struct word *w = arena_alloc(p->arena, sizeof(*w));

	*w = p->tok.word;
	c->cmd.line = line_of(p, p->tok.end - 1);
	c->expr = make_arith(p, (struct str){w->raw, w->raw_len}, w, w->off);
	c->raw = (struct str){w->raw, w->raw_len};
	token_take(p);
	p->last = T_RPAREN;
	return &c->cmd;
}

struct cmd *parse_compound(struct parser *p)
{
	unsigned kind = token_peek(p);
	const char *start = p->tok.start;

	switch (kind) {
	case T_DLPAREN: return parse_arith(p, start);
	case T_LPAREN:
	case T_LBRACE:
	case T_IF:
	case T_FOR:
	case T_SELECT:
	case T_WHILE:
	case T_UNTIL:
	case T_CASE:
	case T_FUNCTION:
	case T_COPROC:
	case T_COND: token_take(p); break;
	default: return NULL;
	}
	switch (kind) {
	case T_LPAREN: return parse_block(p, CMD_SUBSHELL, T_RPAREN, start);
	case T_LBRACE: return parse_block(p, CMD_GROUP, T_RBRACE, start);
	case T_IF: return parse_if(p, start);
	case T_FOR:
	case T_SELECT: return parse_for(p, kind, start);
	case T_WHILE:
	case T_UNTIL: return parse_while(p, kind == T_UNTIL, start);
	case T_CASE: return parse_case(p, start);
	case T_FUNCTION: return parse_function(p, start);
	case T_COPROC: return parse_coproc(p, start);
	default: return parse_cond(p, start);
	}
}
