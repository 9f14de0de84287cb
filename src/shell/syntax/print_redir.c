/*
 * print_redir.c - redirections, and the bodies of here-documents where they may stand.
 */
#include "printer.h"

/* ---- Here-documents ---------------------------------------------------------- */

static void put_bodies(struct printer *pr, const struct deferred *d)
{
	put(pr, "\n", 1);
	for (; d; d = d->next) {
		const struct redir *r = d->redir;
		struct str raw = {r->target->raw, r->target->raw_len};

		if (r->flags & REDIR_QUOTED_DELIM)
			put_str(pr, raw);
		else
			put_source(pr, raw, NULL);
		put_str(pr, r->delim);
		put(pr, "\n", 1);
	}
	pr->was_heredoc = true;
}

/* Prints `op`, then the bodies that wait for the end of the line. */
void put_deferred(struct printer *pr, const char *op)
{
	const struct deferred *d = pr->deferred;

	put_text(pr, op);
	if (!d)
		return;
	pr->deferred = NULL;
	put_bodies(pr, d);
	if (*op)
		put(pr, " ", 1);
}

static void defer(struct printer *pr, struct deferred *d)
{
	if (!pr->deferred)
		pr->deferred_tail = &pr->deferred;
	*pr->deferred_tail = d;
	pr->deferred_tail = &d->next;
}

/* ---- Redirections ------------------------------------------------------------ */

static void put_number(struct printer *pr, int32_t n)
{
	char digits[16];
	size_t i = sizeof(digits);
	uint32_t v = (uint32_t)n;

	do {
		digits[--i] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	put(pr, digits + i, sizeof(digits) - i);
}

/* What stands before the operator; the number `usual` is not written. */
static void put_fd(struct printer *pr, const struct redir *r, int32_t usual)
{
	if (r->varname.len) {
		put(pr, "{", 1);
		put_str(pr, r->varname);
		if (r->varsub) {
			put(pr, "[", 1);
			put_str(pr, r->varsub->raw);
			put(pr, "]", 1);
		}
		put(pr, "}", 1);
	} else if (r->fd != usual) {
		put_number(pr, r->fd);
	}
}

static void put_dup(struct printer *pr, const struct redir *r)
{
	bool out = r->op == REDIR_DUP_OUT;

	if (r->flags & REDIR_CLOSE) {
		put_fd(pr, r, -1);
		put_text(pr, ">&-");
		return;
	}
	if (r->flags & (REDIR_DUP_NUMBER | REDIR_MOVE)) {
		put_fd(pr, r, -1);
		put_text(pr, out ? ">&" : "<&");
		put_number(pr, r->from);
		if (r->flags & REDIR_MOVE)
			put(pr, "-", 1);
		return;
	}
	put_fd(pr, r, out ? 1 : 0);
	put_text(pr, out ? ">&" : "<&");
	put_word(pr, r->target);
}

static void put_redir(struct printer *pr, const struct redir *r)
{
	static const char *const ops[] = {
	        [REDIR_IN] = "< ",      [REDIR_OUT] = "> ",           [REDIR_CLOBBER] = ">| ",
	        [REDIR_APPEND] = ">> ", [REDIR_RDWR] = "<> ",         [REDIR_HERESTR] = "<<< ",
	        [REDIR_BOTH] = "&> ",   [REDIR_BOTH_APPEND] = "&>> ",
	};

	switch (r->op) {
	case REDIR_DUP_IN:
	case REDIR_DUP_OUT: put_dup(pr, r); return;
	case REDIR_HEREDOC:
		put_fd(pr, r, 0);
		put_text(pr, r->flags & REDIR_STRIP_TABS ? "<<-" : "<<");
		if (r->flags & REDIR_QUOTED_DELIM)
			put_quoted(pr, r->delim);
		else
			put_str(pr, r->delim);
		return;
	case REDIR_IN:
	case REDIR_HERESTR: put_fd(pr, r, 0); break;
	case REDIR_RDWR: put_fd(pr, r, -1); break;
	case REDIR_BOTH:
	case REDIR_BOTH_APPEND: break;
	default: put_fd(pr, r, 1); break;
	}
	put_text(pr, ops[r->op]);
	put_word(pr, r->target);
}

/* The redirections of a command, then 2>&1 for one before |&. */
void put_redirs(struct printer *pr, const struct redir *r, bool both, bool space)
{
	struct deferred *bodies = NULL, **tail = &bodies;

	if (!r && !both)
		return;
	pr->was_heredoc = false;
	for (; r; r = r->next) {
		if (space)
			put(pr, " ", 1);
		space = true;
		put_redir(pr, r);
		if (r->op == REDIR_HEREDOC) {
			struct deferred *d = arena_alloc(pr->arena, sizeof(*d));

			*d = (struct deferred){NULL, r};
			*tail = d;
			tail = &d->next;
		}
	}
	if (both)
		put_text(pr, space ? " 2>&1" : "2>&1");
	if (!bodies)
		return;
	if (pr->connections)
		while (bodies) {
			struct deferred *d = bodies;

			bodies = d->next;
			d->next = NULL;
			defer(pr, d);
		}
	else
		put_bodies(pr, bodies);
}
