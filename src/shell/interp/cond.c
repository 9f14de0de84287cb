/*
 * cond.c - [[ ... ]].
 *
 * The tree is walked with the native stack: the parser bounds its depth. Results are 1, 0 or
 * -1 for an error that was printed (status 2, as a malformed regular expression gives) and
 * -2 for one that unwinds.
 */
#include "interp.h"

enum { COND_ERROR = -1, COND_UNWIND = -2 };

static char *text_of(struct shell *sh, const struct word *w, struct str *s)
{
	if (!expand_text(&sh->x, w, s))
		return NULL;
	return u_strndup(sh->p, s->ptr, s->len);
}

/* ---- Operators --------------------------------------------------------------------- */

static int unary(struct shell *sh, const struct cond *c, bool negated)
{
	struct str s;
	char *arg = text_of(sh, c->left, &s);
	char op[3] = {'-', (char)c->op, '\0'};
	bool r;

	if (!arg)
		return COND_UNWIND;
	if (UNLIKELY(set_is(sh, SET_XTRACE)))
		trace_cond(sh, op, arg, NULL, negated);
	switch ((char)c->op) {
	case 'v': r = is_set_text(&sh->x, str_from(arg)); return sh->x.error ? COND_UNWIND : r;
	case 'o': {
		int n = set_by_name(str_from(arg));

		return n >= 0 && ((sh->st->opts >> n) & 1u);
	}
	case 'R': {
		const struct var *v = state_find(sh->st, str_from(arg));

		return v && (v->flags & VAR_NAMEREF) && (v->flags & VAR_SET);
	}
	default: return u_test_unary(sh->p, (char)c->op, arg);
	}
}

static int compare_numbers(struct shell *sh, const struct cond *c, bool negated)
{
	struct str a, b;
	int64_t x, y;
	bool ok;

	if (!text_of(sh, c->left, &a) || !text_of(sh, c->right, &b))
		return COND_UNWIND;
	if (UNLIKELY(set_is(sh, SET_XTRACE)))
		trace_cond(sh, u_strndup(sh->p, c->op_text.ptr, c->op_text.len),
		           u_strndup(sh->p, a.ptr, a.len), u_strndup(sh->p, b.ptr, b.len), negated);
	sh->x.arith_prefix = "[[";
	ok = arith_text(&sh->x, a, &x) && arith_text(&sh->x, b, &y);
	sh->x.arith_prefix = NULL;
	if (!ok) {
		if (sh->x.error == EXPAND_EXIT || sh->x.error == EXPAND_UNWIND)
			return COND_UNWIND;
		sh->x.error = EXPAND_NONE;
		return 0;
	}
	switch ((enum cond_op)c->op) {
	case COND_EQ: return x == y;
	case COND_NE: return x != y;
	case COND_LT: return x < y;
	case COND_LE: return x <= y;
	case COND_GT: return x > y;
	default: return x >= y;
	}
}

#define GROUPS_MAX 255u

static void set_rematch(struct shell *sh, const char *s, const struct regex_span *m, size_t n)
{
	struct str name = STR("BASH_REMATCH");

	state_clear_array(sh->st, name, VAR_VISIBLE);
	for (size_t i = 0; i < n; i++) {
		struct str v = {"", 0};

		if (m[i].start != REGEX_UNSET)
			v = (struct str){s + m[i].start, m[i].end - m[i].start};
		state_put_elem(sh->st, name, VAR_VISIBLE, (int64_t)i, v, false);
	}
}

/* A malformed pattern is status 2 without a message, as in bash. */
static int match_regex(struct shell *sh, const struct cond *c, bool negated)
{
	unsigned flags = REGEX_ERE | (sh->st->utf8 ? REGEX_UTF8 : 0u) |
	                 (shopt_is(sh, SHOPT_NOCASEMATCH) ? REGEX_ICASE : 0u);
	struct regex_scratch *scratch = NULL;
	struct str s, pattern;
	char *subject = text_of(sh, c->left, &s);
	struct regex_span *m;
	struct regex *re;
	size_t n;
	int r;

	if (!subject || !expand_regex(&sh->x, c->right, &pattern))
		return COND_UNWIND;
	if (UNLIKELY(set_is(sh, SET_XTRACE)))
		trace_cond(sh, "=~", subject, u_strndup(sh->p, pattern.ptr, pattern.len), negated);
	re = regex_remembered(sh, pattern, flags, &scratch);
	if (!re)
		return COND_ERROR;
	n = MIN(regex_groups(re), GROUPS_MAX) + 1;
	m = u_array(sh->p, n, sizeof *m);
	sys_checkpoint_n(sh->p, (uint32_t)MIN(s.len, (size_t)1 << 24) * 4 + 1); /* its own checkpoints are for long texts */
	r = regex_search(re, scratch, subject, s.len, 0, 0, m, n);
	if (r < 0) {
		shell_error(sh, "[[: %s", regex_failure(r));
		return COND_ERROR;
	}
	set_rematch(sh, subject, m, r ? n : 0);
	return r;
}

static int compare_strings(struct shell *sh, const struct cond *c, bool negated)
{
	struct str a, b;
	char *left = text_of(sh, c->left, &a);
	bool equal = c->op == COND_STR_EQ;
	int r;

	if (!left)
		return COND_UNWIND;
	if (c->op == COND_STR_LT || c->op == COND_STR_GT) {
		char *right = text_of(sh, c->right, &b);

		if (!right)
			return COND_UNWIND;
		if (UNLIKELY(set_is(sh, SET_XTRACE)))
			trace_cond(sh, c->op == COND_STR_LT ? "<" : ">", left, right, negated);
		r = strcmp(left, right);
		return c->op == COND_STR_LT ? r < 0 : r > 0;
	}
	if (!expand_pattern(&sh->x, c->right, &b))
		return COND_UNWIND;
	if (UNLIKELY(set_is(sh, SET_XTRACE)))
		trace_cond(sh, u_strndup(sh->p, c->op_text.ptr, c->op_text.len), left,
		           u_strndup(sh->p, b.ptr, b.len), negated);
	/* Extended patterns are always on here. */
	r = pattern_match(&sh->x, b, (struct str){left, a.len},
	                  pattern_flags(sh->st) | PATTERN_EXTGLOB);
	return equal ? r : !r;
}

static int compare_files(struct shell *sh, const struct cond *c, bool negated)
{
	struct str a, b;
	char *left = text_of(sh, c->left, &a);
	char *right = left ? text_of(sh, c->right, &b) : NULL;
	const char *op = c->op == COND_NT ? "-nt" : c->op == COND_OT ? "-ot" : "-ef";

	if (!right)
		return COND_UNWIND;
	if (UNLIKELY(set_is(sh, SET_XTRACE)))
		trace_cond(sh, op, left, right, negated);
	return u_test_files(sh->p, left, op, right);
}

/* ---- The tree ------------------------------------------------------------------------- */

static int eval(struct shell *sh, const struct cond *c, bool negated);

static bool joins(const struct cond *c)
{
	return c->kind == COND_AND || c->kind == COND_OR;
}

/* a && b || c ... is a tree that leans to the left, as deep as the row is long: from its lowest leaf upwards. */
static int eval_row(struct shell *sh, const struct cond *c)
{
	const struct cond *few[8], **row = few, *at;
	uint32_t n = 0;
	int r;

	for (at = c; joins(at); at = at->a)
		n++;
	if (n > COUNTOF(few))
		row = arena_alloc(&sys_self(sh->p)->arena, n * sizeof(struct cond *));
	for (at = c, n = 0; joins(at); at = at->a)
		row[n++] = at;
	r = eval(sh, at, false);
	while (n-- > 0)
		if (r == (row[n]->kind == COND_AND))
			r = eval(sh, row[n]->b, false);
	return r;
}

static int eval(struct shell *sh, const struct cond *c, bool negated)
{
	int r;

	if (UNLIKELY(!sys_stack(sh->p, 4096))) {
		shell_error(sh, "[[: the expression is nested too deeply");
		return COND_ERROR;
	}
	switch ((enum cond_kind)c->kind) {
	case COND_AND:
	case COND_OR: return eval_row(sh, c);
	case COND_NOT: r = eval(sh, c->a, true); return r < 0 ? r : !r;
	case COND_GROUP: return eval(sh, c->a, false);
	case COND_WORD: {
		struct str s;
		char *arg = text_of(sh, c->left, &s);

		if (!arg)
			return COND_UNWIND;
		if (UNLIKELY(set_is(sh, SET_XTRACE)))
			trace_cond(sh, "-n", arg, NULL, negated);
		return s.len != 0;
	}
	case COND_UNARY: return unary(sh, c, negated);
	case COND_BINARY:
		if (c->op == COND_REGEX)
			return match_regex(sh, c, negated);
		if (c->op <= COND_STR_GT)
			return compare_strings(sh, c, negated);
		if (c->op >= COND_NT)
			return compare_files(sh, c, negated);
		return compare_numbers(sh, c, negated);
	}
	return COND_ERROR;
}

void cond_command(struct shell *sh, const struct cmd_cond *c)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct redir_undo *undo = sh->undo;
	int r;

	sh->st->line = c->cmd.line;
	trap_poll(sh);
	trap_note(sh, &c->cmd);
	if (sh->flow != FLOW_NONE || trap_debug(sh, &c->cmd))
		return;
	r = eval(sh, c->expr, false);
	if (r == COND_UNWIND) {
		machine_expand_failed(sh);
	} else {
		shell_set_status(sh, r < 0 ? 2 : !r);
	}
	if (sh->undo != undo)
		redir_undo(sh, undo);
	arena_reset(a, mark);
	if (sh->flow == FLOW_NONE)
		machine_check(sh);
}
