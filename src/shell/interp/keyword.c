/*
 * keyword.c - set -k: what looks like an assignment among the arguments is one, before the command.
 *
 * The parser takes such words for arguments, as most scripts want them. Here their text is read again as a command of its
 * own, and a copy of the command is made that has them where assignments are.
 */
#include "../syntax/parser.h"
#include "interp.h"

/* name=, name+= or name[ at the front, without quotes. */
static bool looks_like_one(const struct word *w)
{
	uint32_t n = 0;

	if (!w->raw_len || !name_start(w->raw[0]))
		return false;
	while (n < w->raw_len && name_char(w->raw[n]))
		n++;
	if (n < w->raw_len && w->raw[n] == '+')
		n++;
	return n < w->raw_len && (w->raw[n] == '=' || w->raw[n] == '[');
}

static bool read_again(struct shell *sh, const struct word *w, struct assign *out)
{
	struct parse_options o = {.flags = shopt_is(sh, SHOPT_EXTGLOB) ? PARSE_EXTGLOB : 0};
	struct parser *p;
	const struct cmd_simple *c;
	struct cmd *cmd;

	if (!looks_like_one(w))
		return false;
	if (w->assign) {
		*out = *w->assign;
		return true;
	}
	p = u_alloc(sh->p, sizeof *p);
	parser_init(p, &sys_self(sh->p)->arena, u_strndup(sh->p, w->raw, w->raw_len), w->raw_len, &o);
	if (parser_next(p, &cmd) != PARSE_OK || !cmd || cmd->kind != CMD_SIMPLE)
		return false;
	c = AST_CONST(cmd_simple, cmd);
	if (c->nassigns != 1 || c->nwords || cmd->redirs || parser_offset(p) != w->raw_len)
		return false;
	*out = c->assigns[0];
	return true;
}

const struct cmd_simple *keywords_apart(struct shell *sh, const struct cmd_simple *c)
{
	struct cmd_simple *copy = u_alloc(sh->p, sizeof *copy);
	struct assign *assigns = u_array(sh->p, c->nassigns + (size_t)c->nwords, sizeof *assigns);
	struct word *words = u_array(sh->p, c->nwords, sizeof *words);

	*copy = *c;
	copy->assigns = assigns;
	copy->words = words;
	copy->nwords = 0;
	if (c->nassigns)
		memcpy(assigns, c->assigns, c->nassigns * sizeof *assigns);
	for (uint32_t i = 0; i < c->nwords; i++) {
		if (i && read_again(sh, &c->words[i], &assigns[copy->nassigns]))
			copy->nassigns++;
		else
			words[copy->nwords++] = c->words[i];
	}
	return copy;
}
