/*
 * subst.c - $(…), `…`, <(…) and $((…)).
 *
 * A command substitution is parsed by the grammar itself, in place, and ends where the
 * grammar meets its parenthesis: that is what makes `case` patterns and quotes inside it
 * harmless. Backquotes must be unescaped first, so their text is parsed apart, at once.
 *
 * $(( may begin an expression or a subshell in a command substitution. It is read as an
 * expression; if the parentheses do not come out even at )), it was the other thing and is
 * read again. Places where that happened are remembered (not_arith), because an enclosing
 * $(( that fails in its turn would double the work at each level.
 */
#include "syntax.h"

/* ---- Reading a nested command ------------------------------------------------ */

struct lex_state {
	bool have_tok, cmd_word_next, alias_next;
	uint8_t decl_args, last, context, accept;
	uint32_t npending;
	const char *last_end;
	struct pending_heredoc *pending, *pending_last;
};

static void state_save(struct parser *p)
{
	struct lex_state *s = scratch_push(p, sizeof(*s));

	*s = (struct lex_state){p->have_tok, p->cmd_word_next, p->alias_next,  p->decl_args,
	                        p->last,     p->context,       p->accept,      p->npending,
	                        p->last_end, p->pending,       p->pending_last};
	p->have_tok = p->cmd_word_next = p->alias_next = false;
	p->decl_args = 0;
	p->last = T_START;
	p->context = LEX_NORMAL;
	p->accept = 0;
	p->npending = 0;
	p->pending = NULL;
}

static void state_restore(struct parser *p)
{
	const struct lex_state *s;

	p->scratch_used -= sizeof(*s);
	s = (const struct lex_state *)(const void *)(p->scratch + p->scratch_used);
	p->have_tok = s->have_tok;
	p->cmd_word_next = s->cmd_word_next;
	p->decl_args = s->decl_args;
	p->alias_next = s->alias_next;
	p->last = s->last;
	p->context = s->context;
	p->accept = s->accept;
	p->npending = s->npending;
	p->last_end = s->last_end;
	p->pending = s->pending;
	p->pending_last = s->pending_last;
}

/* $(< file) and nothing else */
static struct word *only_input(const struct cmd *body)
{
	const struct redir *r = body ? body->redirs : NULL;

	if (!r || r->next || body->kind != CMD_SIMPLE || r->op != REDIR_IN || r->fd != 0 ||
	    r->varname.len)
		return NULL;
	if (AST_CONST(cmd_simple, body)->nwords || AST_CONST(cmd_simple, body)->nassigns)
		return NULL;
	return r->target;
}

struct comsub *comsub_body(struct parser *p, unsigned kind, const char *start)
{
	struct comsub *c;
	const char *end;

	if (!enter(p))
		return NULL;
	c = arena_zalloc(p->arena, sizeof(*c));
	c->kind = (uint8_t)kind;
	c->off = offset_of(p, start);
	c->line = line_of(p, start);
	state_save(p);
	p->comsubs++;
	c->body = parse_list(p, false);
	if (!p->failed && token_peek(p) != T_RPAREN)
		fail_token(p);
	if (p->failed)
		return NULL;
	end = p->tok.end;
	heredoc_drop(p);
	p->comsubs--;
	state_restore(p);
	leave(p);
	p->at = end;
	if (kind == COMSUB_DOLLAR)
		c->file = only_input(c->body);
	return c;
}

static bool comsub_part(struct parser *p, const char *start, unsigned kind, bool quoted)
{
	struct comsub *c = comsub_body(p, kind, start);
	struct part *part;

	if (!c)
		return false;
	part = part_push(p, kind >= PROCSUB_IN ? PART_PROCSUB : PART_COMSUB, start, quoted);
	part->raw_len = (uint32_t)(p->at - start);
	part->comsub = c;
	return true;
}

bool scan_procsub(struct parser *p)
{
	const char *start = p->at;

	p->at += 2;
	return comsub_part(p, start, *start == '<' ? PROCSUB_IN : PROCSUB_OUT, false);
}

/* ---- Arithmetic, or not ------------------------------------------------------ */

/* Index of the first remembered place that is not before `at`. */
static uint32_t remembered_index(const struct parser *p, uintptr_t at)
{
	uint32_t low = 0, high = p->nnot_arith;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (p->not_arith[mid] < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool arith_remembered(const struct parser *p, const char *at)
{
	uint32_t i = remembered_index(p, (uintptr_t)at);

	return i < p->nnot_arith && p->not_arith[i] == (uintptr_t)at;
}

void arith_remember(struct parser *p, const char *at)
{
	uint32_t i = remembered_index(p, (uintptr_t)at);

	if (p->nnot_arith == p->cap_not_arith) {
		uint32_t cap = p->cap_not_arith ? p->cap_not_arith * 2 : 16;

		p->not_arith = arena_grow(p->arena, p->not_arith,
		                          p->nnot_arith * sizeof(*p->not_arith),
		                          cap * sizeof(*p->not_arith));
		p->cap_not_arith = cap;
	}
	memmove(p->not_arith + i + 1, p->not_arith + i,
	        (p->nnot_arith - i) * sizeof(*p->not_arith));
	p->not_arith[i] = (uintptr_t)at;
	p->nnot_arith++;
}

static void arith_part(struct parser *p, const char *start, const char *text, size_t mark,
                       bool quoted)
{
	struct word *w = word_new(p, text, mark);
	struct arith *a = make_arith(p, (struct str){text, (size_t)(p->at - text)}, w,
	                             offset_of(p, start));
	struct part *part = part_push(p, PART_ARITH, start, quoted);

	part->arith = a;
}

/* $(( with `p->at` behind it. 1: read as an expression, 0: it is none, -1: error. */
static int try_arith(struct parser *p, const char *start, bool quoted)
{
	const char *text = p->at;
	size_t mark = p->scratch_used;
	const char *close;

	if (arith_remembered(p, start))
		return 0;
	if (!enter(p) || !scan_quoted(p, QUOTED_ARITH))
		return -1;
	leave(p);
	if (p->at == p->limit) {
		fail_eof(p, start, line_of(p, start), ')');
		return -1;
	}
	close = skip_cont(p, p->at + 1);
	if (close == p->limit || *close != ')') {
		p->scratch_used = mark;
		arith_remember(p, start);
		return 0;
	}
	arith_part(p, start, text, mark, quoted);
	p->at = close + 1;
	((struct part *)(void *)(p->scratch + p->scratch_used - sizeof(struct part)))->raw_len =
	        (uint32_t)(p->at - start);
	return 1;
}

static bool bracket_arith(struct parser *p, const char *start, bool quoted)
{
	const char *text = ++p->at;
	size_t mark = p->scratch_used;

	if (!enter(p) || !scan_quoted(p, QUOTED_BRACKET))
		return false;
	leave(p);
	if (p->at == p->limit) {
		fail_eof(p, start, line_of(p, start), ']');
		return false;
	}
	arith_part(p, start, text, mark, quoted);
	p->at++;
	((struct part *)(void *)(p->scratch + p->scratch_used - sizeof(struct part)))->raw_len =
	        (uint32_t)(p->at - start);
	return true;
}

bool scan_substitution(struct parser *p, const char *start, bool quoted)
{
	const char *inside;
	bool double_paren = false;

	if (*p->at == '[')
		return bracket_arith(p, start, quoted);
	inside = ++p->at;
	p->at = skip_cont(p, inside);
	if (p->at < p->limit && *p->at == '(') {
		int r;

		p->at++;
		r = try_arith(p, start, quoted);
		if (r)
			return r > 0;
		double_paren = true;
	}
	p->at = inside;
	if (comsub_part(p, start, COMSUB_DOLLAR, quoted))
		return true;
	if (double_paren && p->error.at_eof && !p->alias_short) /* as bash counts for $(( */
		p->error.lines[0].line = line_of(p, start);
	return false;
}

/* ---- Backquotes -------------------------------------------------------------- */

/* The text up to the closing backquote without the backslashes that protected it. */
static bool backquote_text(struct parser *p, bool quoted, struct str *text)
{
	const char *at = p->at + 1, *from = at;
	char *to;

	while (at < p->limit && *at != '`')
		at += *at == '\\' && p->limit - at > 1 ? 2 : 1;
	if (at >= p->limit) {
		fail_eof(p, p->at, line_of(p, p->at), '`');
		return false;
	}
	text->ptr = to = arena_alloc(p->arena, (size_t)(at - from) + 1);
	for (; from < at; from++) {
		/* Lines are joined here, whatever quotes are around them. */
		if (*from == '\\' && from + 1 < at && from[1] == '\n') {
			from++;
			continue;
		}
		if (*from == '\\' && from + 1 < at &&
		    (from[1] == '`' || from[1] == '\\' || from[1] == '$' ||
		     (quoted && from[1] == '"')))
			from++;
		*to++ = *from;
	}
	*to = '\0';
	text->len = (size_t)(to - text->ptr);
	p->at = at;
	return true;
}

/* Parses the text with the child parser, which works on our scratch space meanwhile. */
static void backquote_parse(struct parser *p, struct comsub *c)
{
	struct parse_options o = p->opts;
	struct parser *q = p->child;
	struct parser *grandchild;

	if (!q) {
		q = p->child = arena_alloc(p->arena, sizeof(*q));
		q->child = NULL;
	}
	grandchild = q->child;
	o.flags = p->flags & ~(uint32_t)PARSE_REPL;
	o.first_line = line_of(p, p->at);
	parser_init(q, p->arena, c->text.ptr, c->text.len, &o);
	q->child = grandchild;
	q->fixed = true;
	q->fixed_off = c->off;
	q->depth = p->depth;
	q->stack_low = p->stack_low;
	q->scratch = p->scratch;
	q->scratch_used = p->scratch_used;
	q->scratch_cap = p->scratch_cap;
	q->lit = p->lit;
	q->lit_cap = p->lit_cap;
	if (parser_all(q, &c->body) == PARSE_ERROR) {
		struct parse_error *e = arena_alloc(p->arena, sizeof(*e));

		*e = q->error;
		c->body = NULL;
		c->error = e;
	}
	p->scratch = q->scratch;
	p->scratch_cap = q->scratch_cap;
	p->lit = q->lit;
	p->lit_cap = q->lit_cap;
	for (struct parse_warning *w = q->warnings; w; w = w->next)
		warn_at(p, w->line, w->text);
}

bool scan_backquote(struct parser *p, bool quoted, bool dquoted)
{
	const char *start = p->at;
	struct comsub *c = arena_zalloc(p->arena, sizeof(*c));
	struct part *part;

	c->kind = COMSUB_BACKQUOTE;
	c->off = offset_of(p, start);
	c->line = line_of(p, start);
	if (!enter(p) || !backquote_text(p, dquoted, &c->text))
		return false;
	backquote_parse(p, c);
	leave(p);
	p->at++;
	part = part_push(p, PART_COMSUB, start, quoted);
	part->raw_len = (uint32_t)(p->at - start);
	part->comsub = c;
	return true;
}
