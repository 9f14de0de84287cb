/*
 * prompt.c - what an interactive shell (-i) does besides.
 *
 * There is no terminal and no line editor: commands come from standard input, prompts go to
 * standard error, the history is read from $HISTFILE and written there at the end.
 */
#include "prompt.h"

static void provide(struct shell *sh, struct str name, struct str value)
{
	char buf[VALUE_BUF];
	struct str s;

	if (!state_get(sh->st, name, buf, &s))
		state_set(sh->st, name, value);
}

void interactive_init(struct shell *sh)
{
	struct shell_state *st = sh->st;
	char buf[VALUE_BUF];
	struct str home;

	st->is_interactive = true;
	state_set_opts(st, st->opts | SET_HISTORY | SET_HISTEXPAND | SET_EMACS,
	               st->shopts | SHOPT_EXPAND_ALIASES);
	provide(sh, STR("PS1"), STR("\\s-\\v\\$ "));
	provide(sh, STR("PS2"), STR("> "));
	if (state_get(st, STR("HOME"), buf, &home))
		provide(sh, STR("HISTFILE"),
		            str_from(u_format(sh->p, "%.*s/.bash_history", (int)home.len,
		                              home.ptr)));
}

void interactive_start(struct shell *sh)
{
	provide(sh, STR("HISTSIZE"), STR("500"));
	provide(sh, STR("HISTFILESIZE"), STR("500"));
	history_load(sh);
}

static void run_prompt_command(struct shell *sh)
{
	int status = shell_status(sh);
	struct varray_view v;

	if (!array_values(&sh->x, STR("PROMPT_COMMAND"), &v, NULL))
		return;
	for (size_t i = 0; i < v.n; i++) {
		if (!v.v[i].len)
			continue;
		unit_run(sh, UNIT_EVAL, v.v[i], "PROMPT_COMMAND", sh->st->line, NULL);
		shell_set_status(sh, status);
	}
}

void interactive_prompt(struct shell *sh, bool more)
{
	char buf[VALUE_BUF];
	struct str s, text;

	if (!more)
		run_prompt_command(sh);
	u_flush(&sh->out);
	if (!state_get(sh->st, more ? STR("PS2") : STR("PS1"), buf, &s) || !s.len)
		return;
	if (expand_prompt(&sh->x, s, &text))
		(void)!u_write_all(sh->p, 2, text.ptr, text.len);
	sh->x.error = EXPAND_NONE;
}

void interactive_end(struct shell *sh)
{
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, "exit\n", 5);
}
