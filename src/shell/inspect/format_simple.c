/*
 * format_simple.c - assignments, words and redirections in the order in which they were written.
 */
#include "format.h"

/* ---- One of them -------------------------------------------------------------------- */

static bool breaks(const struct formatter *f, uint32_t to)
{
	return to > f->at && memchr(f->src + f->at, '\n', to - f->at);
}

/* What stands between two elements of one command. */
static void separate(struct formatter *f, uint32_t to)
{
	if (breaks(f, to)) {
		if (!f->continued)
			f->depth++;
		f->continued = true;
		text_add(&f->out, " \\\n");
		f->line_start = true;
	} else {
		format_text(f, " ");
	}
}

void format_element(struct formatter *f, uint32_t from, uint32_t to)
{
	separate(f, from);
	format_source(f, from, to);
}

static uint32_t assign_end(const struct formatter *f, const struct assign *a)
{
	return a->array ? a->array->end : (uint32_t)(a->value->raw - f->src) + a->value->raw_len;
}

/* ---- Redirections --------------------------------------------------------------------- */

static const char *operator_of(const struct redir *r)
{
	switch (r->op) {
	case REDIR_IN: return "<";
	case REDIR_OUT: return ">";
	case REDIR_CLOBBER: return ">|";
	case REDIR_APPEND: return ">>";
	case REDIR_RDWR: return "<>";
	case REDIR_HEREDOC: return r->flags & REDIR_STRIP_TABS ? "<<-" : "<<";
	case REDIR_HERESTR: return "<<<";
	case REDIR_DUP_IN: return "<&";
	case REDIR_DUP_OUT: return ">&";
	case REDIR_BOTH: return "&>";
	default: return "&>>";
	}
}

static void put_fd(struct formatter *f, const struct redir *r)
{
	if (r->varname.len) {
		text_add(&f->out, "{");
		text_put(&f->out, r->varname.ptr, r->varname.len);
		if (r->varsub) {
			text_add(&f->out, "[");
			text_put(&f->out, r->varsub->raw.ptr, r->varsub->raw.len);
			text_add(&f->out, "]");
		}
		text_add(&f->out, "}");
	} else if (r->flags & REDIR_FD_GIVEN) {
		text_number(&f->out, (uint32_t)r->fd);
	}
}

static void wait_for_body(struct formatter *f, const struct redir *r)
{
	if (f->nwaiting == f->cap_waiting) {
		uint32_t cap = f->cap_waiting ? f->cap_waiting * 2 : 4;

		f->waiting = arena_grow(f->out.arena, f->waiting, f->nwaiting * sizeof(*f->waiting), cap * sizeof(*f->waiting));
		f->cap_waiting = cap;
	}
	f->waiting[f->nwaiting++] = r;
}

/* A target that would become part of the operator keeps its distance. */
static void keep_distance(struct formatter *f, const struct redir *r, char target)
{
	bool wide = f->style.redirect_space && r->op != REDIR_DUP_IN && r->op != REDIR_DUP_OUT && r->op != REDIR_HEREDOC;

	if (wide || strchr("<>&(|-", target))
		text_add(&f->out, " ");
}

static void put_redir(struct formatter *f, const struct redir *r)
{
	format_text(f, "");
	put_fd(f, r);
	text_add(&f->out, operator_of(r));
	format_reach(f, r->off);
	if (r->flags & REDIR_CLOSE) {
		text_add(&f->out, "-");
	} else if (r->flags & (REDIR_DUP_NUMBER | REDIR_MOVE)) {
		text_number(&f->out, (uint32_t)r->from);
		text_add(&f->out, r->flags & REDIR_MOVE ? "-" : "");
	} else if (r->op == REDIR_HEREDOC) {
		keep_distance(f, r, *r->delim_raw.ptr);
		text_put(&f->out, r->delim_raw.ptr, r->delim_raw.len);
		format_reach(f, (uint32_t)(r->delim_raw.ptr - f->src) + (uint32_t)r->delim_raw.len);
		wait_for_body(f, r);
	} else {
		uint32_t from = r->target->off;

		keep_distance(f, r, f->src[from]);
		format_source(f, from, from + r->target->raw_len);
	}
}

void format_redirs(struct formatter *f, const struct redir *r)
{
	for (; r; r = r->next) {
		separate(f, r->off);
		put_redir(f, r);
	}
	f->depth -= f->continued;
	f->continued = false;
}

/* ---- Simple commands -------------------------------------------------------------------- */

/* The next of a command's three rows, by its place in the source. */
struct rows {
	const struct cmd_simple *c;
	uint32_t assign, word;
	const struct redir *redir;
	bool some; /* were printed */
};

static bool put_next(struct formatter *f, struct rows *r)
{
	uint32_t a = r->assign < r->c->nassigns ? r->c->assigns[r->assign].off : UINT32_MAX;
	uint32_t w = r->word < r->c->nwords ? r->c->words[r->word].off : UINT32_MAX;
	uint32_t d = r->redir ? r->redir->off : UINT32_MAX;

	if (a == UINT32_MAX && w == UINT32_MAX && d == UINT32_MAX)
		return false;
	if (r->some)
		separate(f, MIN(a, MIN(w, d)));
	r->some = true;
	if (a < w && a < d) {
		format_source(f, a, assign_end(f, &r->c->assigns[r->assign++]));
	} else if (w < d) {
		format_source(f, w, w + r->c->words[r->word++].raw_len);
	} else {
		put_redir(f, r->redir);
		r->redir = r->redir->next;
	}
	return true;
}

void format_simple(struct formatter *f, struct cmd_simple *c)
{
	struct rows r = {.c = c, .redir = c->cmd.redirs};
	bool outer = f->continued;

	f->continued = false;
	format_reach(f, c->cmd.off);
	while (put_next(f, &r))
		;
	f->depth -= f->continued;
	f->continued = outer;
}
