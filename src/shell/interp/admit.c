/*
 * admit.c - a pipeline whose words cannot fit is refused before any of its stages opens a file.
 *
 * Stages expand their words each for itself, at the same time, so that one of them may have opened its files when
 * another turns out to be too large. What can be said beforehand without running anything is said beforehand: text
 * as it stands, and plain parameters between quotes. It is the least that a word will be; whatever has effects or is not
 * known yet counts nothing.
 */
#include "interp.h"

/* How long the value of "$x" is now; 0 where that is not certain. */
static size_t value_length(const struct shell *sh, const struct param *p)
{
	char buf[VALUE_BUF];
	const struct var *v;
	struct str value;

	if (p->kind != PARAM_NAME || p->op != PARAM_PLAIN || p->sub || (p->flags & ~PARAM_BRACED))
		return 0;
	v = state_find(sh->st, p->name);
	if (!v || !(v->flags & VAR_SET) || (v->flags & (VAR_DYNAMIC | VAR_NAMEREF | VAR_ARRAY | VAR_ASSOC)))
		return 0;
	return state_get(sh->st, p->name, buf, &value) ? value.len : 0;
}

/* The least that the longest field of the word will be. */
static size_t least(const struct shell *sh, const struct word *w)
{
	size_t longest = 0, n = 0;

	for (uint32_t i = 0; i < w->nparts; i++) {
		const struct part *p = &w->parts[i];

		if (p->kind == PART_LIT || p->kind == PART_QUOTED)
			n = size_add(n, p->text.len);
		else if (p->kind == PART_PARAM && p->quoted)
			n = size_add(n, value_length(sh, p->param));
		longest = MAX(longest, n);
		/* A field may end in what is not quoted, and in "$@". */
		if (p->kind == PART_BRACE || (p->kind > PART_QUOTED && (!p->quoted || (p->kind == PART_PARAM && p->param->kind != PARAM_NAME))) ||
		    (p->kind == PART_PARAM && p->param->sub))
			n = 0;
	}
	return longest;
}

static void admit_word(struct shell *sh, const struct word *w)
{
	size_t n = w ? least(sh, w) : 0;

	if (UNLIKELY(n > sh->x.max))
		sys_spend(sh->p, SYS_LIMIT_EXPANSION, n);
}

void pipe_admit(struct shell *sh, const struct cmd_pipe *c)
{
	if (LIKELY(!sh->x.max))
		return;
	for (uint32_t i = 0; i < c->n; i++) {
		const struct cmd_simple *s = c->cmds[i]->kind == CMD_SIMPLE ? AST_CONST(cmd_simple, c->cmds[i]) : NULL;

		for (uint32_t k = 0; s && k < s->nwords; k++)
			admit_word(sh, &s->words[k]);
		for (uint32_t k = 0; s && k < s->nassigns; k++)
			admit_word(sh, s->assigns[k].value);
		for (const struct redir *r = c->cmds[i]->redirs; r; r = r->next)
			admit_word(sh, r->target);
	}
}
