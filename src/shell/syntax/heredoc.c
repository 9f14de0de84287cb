/*
 * heredoc.c - the bodies of here-documents.
 *
 * A body begins behind the newline that ends the line of its <<, wherever the parser is at
 * that moment, so the lexer calls heredoc_read at each newline it meets while some are due.
 * A body that expands is read by the rules of double quotes, in place; only <<- needs a copy,
 * without the tabs.
 */
#include "syntax.h"

struct pending_heredoc {
	struct pending_heredoc *next;
	struct redir *redir;
};

void heredoc_expect(struct parser *p, struct redir *r)
{
	struct pending_heredoc *h = arena_alloc(p->arena, sizeof(*h));

	*h = (struct pending_heredoc){NULL, r};
	if (p->pending)
		p->pending_last->next = h;
	else
		p->pending = h;
	p->pending_last = h;
	p->npending++;
}

/* The newline that ends the line at `from`, or the limit. Where the body expands, a
 * backslash before a newline makes one line of two. */
static const char *line_end(const struct parser *p, const char *from, bool joins)
{
	const char *at = from;

	for (;;) {
		const char *nl = memchr(at, '\n', (size_t)(p->limit - at)), *back;

		if (!nl)
			return p->limit;
		for (back = nl; joins && back > from && back[-1] == '\\';)
			back--;
		if ((nl - back) % 2 == 0)
			return nl;
		at = nl + 1;
	}
}

static const char *skip_tabs(const struct parser *p, const char *at)
{
	while (at < p->limit && *at == '\t')
		at++;
	return at;
}

/* Behind the delimiter, if the line at `at` begins with it. */
static const char *match_delim(const struct parser *p, const char *at, struct str delim, bool joins)
{
	for (size_t i = 0; i < delim.len; i++) {
		if (delim.ptr[i] == '\n') /* no line can be that */
			return NULL;
		if (joins)
			at = skip_cont(p, at);
		if (at == p->limit || *at != delim.ptr[i])
			return NULL;
		at++;
	}
	return joins ? skip_cont(p, at) : at;
}

/* bash counts the line before the body as the document's. */
static void warn_eof(struct parser *p, const struct redir *r, const char *body, uint32_t line)
{
	uint32_t first = line_of(p, body) - (body > p->src && body[-1] == '\n');
	struct str s[] = {STR("here-document at line "), text_number(p->arena, first),
	                  STR(" delimited by end-of-file (wanted `"), r->delim, STR("')")};

	warn_at(p, line, text_join(p->arena, s, COUNTOF(s)));
}

/* Finds the end of the body that begins at p->at, and moves p->at behind its last line. */
static const char *find_end(struct parser *p, const struct redir *r)
{
	bool joins = !(r->flags & REDIR_QUOTED_DELIM);
	struct str delim = r->delim;
	const char *body = p->at, *at = body;

	while ((r->flags & REDIR_STRIP_TABS) && delim.len && *delim.ptr == '\t') {
		delim.ptr++;
		delim.len--;
	}
	while (at < p->limit) {
		const char *text = r->flags & REDIR_STRIP_TABS ? skip_tabs(p, at) : at;
		const char *end = line_end(p, at, joins);
		const char *behind = match_delim(p, text, delim, joins);

		if (behind && (behind == p->limit || *behind == '\n')) {
			p->at = behind == p->limit ? behind : behind + 1;
			return at;
		}
		/* $(cat <<EOF … EOF): bash lets the parenthesis end the document */
		if (behind && p->comsubs && behind < end &&
		    memchr(behind, ')', (size_t)(end - behind))) {
			warn_eof(p, r, body, line_of(p, behind));
			p->at = behind;
			return at;
		}
		at = end < p->limit ? end + 1 : end;
	}
	p->at = p->limit;
	p->heredoc_eof = true;
	warn_eof(p, r, body, line_of(p, at) - (at > p->src && at[-1] == '\n'));
	return at;
}

/* The text without the tabs its lines begin with, if it is for <<-, and with a newline at its
 * end, also when the input has none. */
static struct str copy_body(struct parser *p, const struct redir *r, const char *from,
                            const char *to)
{
	char *text = arena_alloc(p->arena, (size_t)(to - from) + 2), *at = text;
	const char *limit = p->limit;

	p->limit = to;
	while (from < to) {
		const char *end = line_end(p, from, !(r->flags & REDIR_QUOTED_DELIM));

		if (r->flags & REDIR_STRIP_TABS)
			from = skip_tabs(p, from);
		if (end < to)
			end++;
		if (end > from) {
			memcpy(at, from, (size_t)(end - from));
			at += end - from;
		}
		from = end;
	}
	p->limit = limit;
	if (at > text && at[-1] != '\n')
		*at++ = '\n';
	*at = '\0';
	return (struct str){text, (size_t)(at - text)};
}

static struct word *literal_body(struct parser *p, struct str body)
{
	size_t mark = p->scratch_used;

	if (body.len)
		part_text(p, body.ptr, body.len,
		          (struct str){arena_strndup(p->arena, body.ptr, body.len), body.len}, 0);
	return word_new(p, body.ptr, mark);
}

/* A body that does not parse is wrong only when it is expanded, so one part says so. */
static struct word *wrong_body(struct parser *p, struct str body, size_t mark)
{
	struct parse_error *e = arena_alloc(p->arena, sizeof(*e));
	struct comsub *c = arena_zalloc(p->arena, sizeof(*c));
	struct part *part;
	struct word *w;

	*e = p->error;
	memset(&p->error, 0, sizeof(p->error));
	p->failed = false;
	p->lit_len = 0;
	p->lit_start = NULL;
	p->scratch_used = mark;
	c->kind = COMSUB_DOLLAR;
	c->off = offset_of(p, body.ptr);
	c->line = line_of(p, body.ptr);
	c->error = e;
	c->text = body;
	p->at = body.ptr + body.len;
	part = part_push(p, PART_COMSUB, body.ptr, true);
	part->raw_len = (uint32_t)body.len;
	part->comsub = c;
	w = word_new(p, body.ptr, mark);
	return w;
}

static struct word *expanding_body(struct parser *p, struct str body)
{
	struct {
		const char *at, *limit, *last_end;
		size_t mark;
		uint32_t comsubs, depth;
		uint8_t last, context, accept, decl_args;
		bool cmd_word_next, joinable;
		struct alias_frame *frame;
	} was = {p->at,   p->limit,   p->last_end, p->scratch_used, p->comsubs,       p->depth,
	         p->last, p->context, p->accept,   p->decl_args,    p->cmd_word_next, p->joinable,
	         p->frame};
	struct word *w;

	p->at = body.ptr;
	p->limit = body.ptr + body.len;
	p->joinable = false;
	p->frame = NULL; /* the body ends where it ends, also inside an alias */
	if (scan_quoted(p, QUOTED_BODY)) {
		w = word_new(p, body.ptr, was.mark);
	} else {
		if (p->error.too_deep)
			return NULL;
		w = wrong_body(p, body, was.mark);
		p->last_end = was.last_end;
		p->comsubs = was.comsubs;
		p->depth = was.depth;
		p->last = was.last;
		p->context = was.context;
		p->accept = was.accept;
		p->decl_args = was.decl_args;
		p->cmd_word_next = was.cmd_word_next;
		p->pending = NULL;
		p->npending = 0;
	}
	p->at = was.at;
	p->limit = was.limit;
	p->frame = was.frame;
	p->joinable = was.joinable;
	return w;
}

static void read_body(struct parser *p, struct redir *r)
{
	uint32_t alt_off = p->alt_off, alt_line = p->alt_line;
	bool quoted = r->flags & REDIR_QUOTED_DELIM;
	const char *from = p->at, *to = find_end(p, r);
	struct str body = {from, (size_t)(to - from)};

	if (UNLIKELY(p->flags & PARSE_TRIVIA))
		keep_trivia(p, from, r);
	if ((r->flags & REDIR_STRIP_TABS) || (body.len && to[-1] != '\n')) {
		p->alt_off = offset_of(p, from);
		p->alt_line = line_of(p, from);
		body = copy_body(p, r, from, to);
	}
	r->target = quoted ? literal_body(p, body) : expanding_body(p, body);
	if (r->target)
		r->target->raw_len = (uint32_t)body.len;
	p->alt_off = alt_off;
	p->alt_line = alt_line;
}

void heredoc_read(struct parser *p)
{
	struct pending_heredoc *h = p->pending;

	p->pending = NULL;
	p->npending = 0;
	for (; h && !p->failed; h = h->next)
		read_body(p, h->redir);
}

void heredoc_drop(struct parser *p)
{
	struct str s[] = {STR("command substitution: "), text_number(p->arena, p->npending),
	                  STR(" unterminated here-document"), p->npending > 1 ? STR("s") : STR("")};

	if (!p->npending)
		return;
	warn_at(p, line_of(p, p->at), text_join(p->arena, s, COUNTOF(s)));
	for (struct pending_heredoc *h = p->pending; h; h = h->next) {
		h->redir->target = literal_body(p, STR(""));
		h->redir->target->raw_len = 0;
	}
	p->pending = NULL;
	p->npending = 0;
}
