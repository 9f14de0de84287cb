/*
 * alias.c - aliases.
 *
 * An alias is read from a buffer of its own, and the rest of the source after it. A construct
 * that begins in the alias and runs past its end makes the two one text: the token is begun
 * again on a copy of what is left of both.
 */
#include "syntax.h"

#define ALIAS_BYTES_MAX (64u << 20) /* copied for such texts in one parse */

struct alias_frame {
	struct alias_frame *outer;
	const char *at, *limit; /* where reading goes on after it */
	struct str name;
	uint32_t alt_off, alt_line; /* as they were outside */
	bool ends_blank;
};

void alias_pop(struct parser *p)
{
	const struct alias_frame *f = p->frame;

	p->frame = f->outer;
	p->at = f->at;
	p->limit = f->limit;
	p->alt_off = f->alt_off;
	p->alt_line = f->alt_line;
	if (f->ends_blank)
		p->alias_next = true;
}

static bool being_expanded(const struct parser *p, struct str name)
{
	for (const struct alias_frame *f = p->frame; f; f = f->outer)
		if (str_eq(f->name, name))
			return true;
	return false;
}

static void alias_push(struct parser *p, struct str name, struct str value, const char *start)
{
	struct alias_frame *f = arena_alloc(p->arena, sizeof(*f));

	*f = (struct alias_frame){p->frame,
	                          p->at,
	                          p->limit,
	                          name,
	                          p->alt_off,
	                          p->alt_line,
	                          value.len && ascii_blank(value.ptr[value.len - 1])};
	p->alt_off = offset_of(p, start);
	p->alt_line = line_of(p, start);
	p->frame = f;
	p->at = arena_strndup(p->arena, value.ptr, value.len);
	p->limit = p->at + value.len;
}

/* True when the word was an alias, which is then what is read next. */
bool alias_try(struct parser *p, struct str name, const char *start)
{
	bool command = lex_reserved_ok(p) || p->cmd_word_next;
	struct str value;

	if (!(p->flags & PARSE_ALIASES) || !p->opts.alias || p->context != LEX_NORMAL ||
	    (!command && !p->alias_next) || being_expanded(p, name) ||
	    ((p->flags & PARSE_POSIX) && lex_reserved_ok(p) && syntax_is_reserved(name)) ||
	    !p->opts.alias(p->opts.alias_ctx, name, &value))
		return false;
	p->alias_bytes += value.len;
	if (p->alias_bytes > ALIAS_BYTES_MAX) {
		fail_at(p, start, line_of(p, start), "alias: expansion is too long");
		return false;
	}
	alias_push(p, name, value, start);
	return true;
}

/* Makes the rest of the alias, from `at` on, and the text after it one buffer. Behind that
 * is what was behind the text: the outer alias's own end, or nothing. */
static void alias_join(struct parser *p, const char *at)
{
	const struct alias_frame *f = p->frame;
	size_t n = (size_t)(p->limit - at), rest = (size_t)(f->limit - f->at);
	struct alias_frame *joined;
	char *text;

	p->alias_bytes += n + rest;
	if (p->alias_bytes > ALIAS_BYTES_MAX) {
		fail_at(p, f->at, line_of(p, f->at), "alias: expansion is too long");
		return;
	}
	text = arena_alloc(p->arena, n + rest + 1);
	memcpy(text, at, n);
	memcpy(text + n, f->at, rest);
	p->at = text;
	p->limit = text + n + rest;
	joined = arena_alloc(p->arena, sizeof(*joined));
	*joined = f->outer ? *f->outer : *f;
	/* Its one token that is left holds no name; what follows is the text's, and may use the alias again. */
	joined->name = STR("");
	if (!f->outer) {
		joined->at = joined->limit = p->limit;
		joined->ends_blank = false;
	}
	p->frame = joined;
}

struct lex_undo {
	size_t scratch_used;
	uint32_t comsubs, depth, npending;
	uint8_t decl_args, last, context, accept;
	bool cmd_word_next;
	struct pending_heredoc *pending, *pending_last;
	struct alias_frame *frame;
	const char *at, *limit;
	uint32_t alt_off, alt_line;
};

static void lex_save(const struct parser *p, struct lex_undo *u)
{
	*u = (struct lex_undo){
	        .scratch_used = p->scratch_used,
	        .comsubs = p->comsubs,
	        .depth = p->depth,
	        .npending = p->npending,
	        .decl_args = p->decl_args,
	        .last = p->last,
	        .context = p->context,
	        .accept = p->accept,
	        .cmd_word_next = p->cmd_word_next,
	        .pending = p->pending,
	        .pending_last = p->pending_last,
	        .frame = p->frame,
	        .at = p->at,
	        .limit = p->limit,
	        .alt_off = p->alt_off,
	        .alt_line = p->alt_line,
	};
}

static void lex_undo(struct parser *p, const struct lex_undo *u)
{
	p->failed = p->alias_short = false;
	p->scratch_used = u->scratch_used;
	p->comsubs = u->comsubs;
	p->depth = u->depth;
	p->npending = u->npending;
	p->decl_args = u->decl_args;
	p->last = u->last;
	p->context = u->context;
	p->accept = u->accept;
	p->cmd_word_next = u->cmd_word_next;
	p->pending = u->pending;
	p->pending_last = u->pending_last;
	p->lit_len = 0;
	p->lit_start = NULL;
	p->frame = u->frame;
	p->at = u->at;
	p->limit = u->limit;
	p->alt_off = u->alt_off;
	p->alt_line = u->alt_line;
}

/* As lex_one, for a token that begins in an alias: begun again when it does not end there.
 * Not so inside $( ), where the word around it would then be in two buffers: that word is
 * begun again if it can be, or else the alias is wrong. */
NOINLINE unsigned lex_in_alias(struct parser *p)
{
	bool outer = p->joinable, nested = p->comsubs > 0;

	for (;;) {
		struct lex_undo u;
		unsigned kind;

		lex_save(p, &u);
		if (!nested)
			p->joinable = u.frame->at != u.frame->limit || u.frame->outer;
		kind = lex_one(p);
		if (kind == T_KINDS || p->failed || (p->frame == u.frame && p->limit == u.limit)) {
			if (!p->alias_short || nested) {
				p->joinable = outer;
				return kind;
			}
		} else if (nested || !p->joinable) {
			p->joinable = outer;
			fail_eof(p, u.at, line_of(p, u.at), ')');
			return T_ERROR;
		}
		p->joinable = outer;
		lex_undo(p, &u);
		alias_join(p, u.at);
		if (p->failed)
			return T_ERROR;
	}
}
