/*
 * redir.c - redirections.
 */
#include "syntax.h"

static unsigned op_of(unsigned kind)
{
	switch (kind) {
	case T_LESS: return REDIR_IN;
	case T_GREAT: return REDIR_OUT;
	case T_CLOBBER: return REDIR_CLOBBER;
	case T_DGREAT: return REDIR_APPEND;
	case T_LESSGREAT: return REDIR_RDWR;
	case T_DLESS:
	case T_DLESSDASH: return REDIR_HEREDOC;
	case T_TLESS: return REDIR_HERESTR;
	case T_LESSAND: return REDIR_DUP_IN;
	case T_GREATAND: return REDIR_DUP_OUT;
	case T_ANDGREAT: return REDIR_BOTH;
	default: return REDIR_BOTH_APPEND;
	}
}

static int default_fd(unsigned op)
{
	switch (op) {
	case REDIR_IN:
	case REDIR_RDWR:
	case REDIR_HEREDOC:
	case REDIR_HERESTR:
	case REDIR_DUP_IN: return 0;
	default: return 1;
	}
}

/* The number in `s`, or -1. */
static int32_t read_number(struct str s)
{
	int64_t n = 0;

	if (!s.len)
		return -1;
	for (size_t i = 0; i < s.len; i++) {
		if (!ascii_digit(s.ptr[i]))
			return -1;
		n = n * 10 + (s.ptr[i] - '0');
		if (n > INT32_MAX)
			return -1;
	}
	return (int32_t)n;
}

static void resolve_dup(struct redir *r)
{
	const struct word *w = r->target;
	struct str s = w->text;

	if (!(w->flags & WORD_LITERAL))
		return;
	r->from = read_number(s);
	if (r->from >= 0) {
		r->flags |= REDIR_DUP_NUMBER;
		return;
	}
	if (!s.len || s.ptr[s.len - 1] != '-')
		return;
	if (s.len == 1) {
		r->flags |= REDIR_CLOSE;
		return;
	}
	s.len--;
	r->from = read_number(s);
	if (r->from >= 0)
		r->flags |= REDIR_MOVE;
}

/* The delimiter of a here-document: its source without quotes. Nothing in it expands. */
static struct str delimiter(struct parser *p, const struct word *w)
{
	char *text = arena_alloc(p->arena, w->raw_len + 1u), *to = text, quote = '\0';
	const char *end = w->raw + w->raw_len;

	if ((w->flags & WORD_LITERAL) || (w->flags & WORD_RESOLVED))
		return w->text;
	for (const char *at = w->raw; at < end; at++) {
		if (*at == '\\' && quote != '\'' && at + 1 < end) {
			at++;
			if (quote && !strchr("\\\"$`\n", *at))
				*to++ = '\\';
			if (*at != '\n')
				*to++ = *at;
		} else if ((*at == '\'' || *at == '"') && (!quote || quote == *at)) {
			quote = quote ? '\0' : *at;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
	return (struct str){text, (size_t)(to - text)};
}

static void dash_target(struct parser *p, struct redir *r)
{
	struct word *w = arena_zalloc(p->arena, sizeof(*w));
	struct part *part = arena_zalloc(p->arena, sizeof(*part));

	part->raw = p->tok.start;
	part->raw_len = 1;
	part->text = STR("-");
	*w = (struct word){.raw = p->tok.start,
	                   .raw_len = 1,
	                   .flags = WORD_LITERAL,
	                   .parts = part,
	                   .nparts = 1,
	                   .off = offset_of(p, p->tok.start),
	                   .text = STR("-")};
	r->target = w;
}

static bool read_target(struct parser *p, struct redir *r)
{
	uint32_t flags = p->flags;
	unsigned kind;

	if (r->op == REDIR_HERESTR)
		p->flags |= PARSE_NO_BRACES;
	kind = token_peek(p);
	p->flags = flags;
	if (kind == T_DASH) {
		dash_target(p, r);
	} else if (kind == T_WORD) {
		r->target = arena_alloc(p->arena, sizeof(*r->target));
		*r->target = p->tok.word;
		r->target->line = line_of(p, p->tok.start);
	} else {
		fail_token(p);
		return false;
	}
	if (r->op == REDIR_HEREDOC) {
		r->line = line_of(p, p->tok.end - 1);
		if (r->target->flags & WORD_QUOTED)
			r->flags |= REDIR_QUOTED_DELIM;
		r->delim = delimiter(p, r->target);
		r->delim_raw = (struct str){r->target->raw, r->target->raw_len};
		heredoc_expect(p, r);
	} else if (r->op == REDIR_DUP_IN || r->op == REDIR_DUP_OUT) {
		resolve_dup(r);
	}
	token_take(p);
	return true;
}

struct redir **parse_redir(struct parser *p, struct redir **tail)
{
	struct redir *r = arena_zalloc(p->arena, sizeof(*r));
	unsigned kind = token_peek(p);

	r->off = offset_of(p, p->tok.start);
	r->line = line_of(p, p->tok.start);
	r->fd = -1;
	if (kind == T_FD) {
		r->fd = p->tok.fd;
		r->flags |= REDIR_FD_GIVEN;
	} else if (kind == T_FDVAR) {
		r->varname = p->tok.assign.name;
		r->varsub = p->tok.assign.sub;
	}
	if (kind == T_FD || kind == T_FDVAR) {
		token_take(p);
		kind = token_peek(p);
		if (kind < T_LESS || kind > T_ANDDGREAT) {
			fail_token(p);
			return tail;
		}
	}
	r->op = (uint8_t)op_of(kind);
	if (kind == T_DLESSDASH)
		r->flags |= REDIR_STRIP_TABS;
	if (r->fd < 0 && !r->varname.len)
		r->fd = default_fd(r->op);
	token_take(p);
	if (!read_target(p, r))
		return tail;
	*tail = r;
	return &r->next;
}

void parse_redirs(struct parser *p, struct redir **list)
{
	struct redir **tail = list;

	while (!p->failed && token_is_redir(token_peek(p)))
		tail = parse_redir(p, tail);
}
