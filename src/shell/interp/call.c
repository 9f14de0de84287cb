/*
 * call.c - calls: functions, and builtins that run text.
 *
 * A call is a task over a frame of the state. The frame holds what bash's FUNCNAME and
 * BASH_LINENO show, local variables and parameters; leaving the task leaves every frame
 * above the one it found.
 */
#include "interp.h"

#define NEST_MAX 100000u /* calls inside one another, whatever FUNCNEST says */

uint32_t frames_depth(const struct shell_state *st)
{
	return st->frame ? st->frame->depth : 0;
}

void frames_leave(struct shell_state *st, uint32_t depth)
{
	while (st->frame && st->frame->depth > depth)
		frame_pop(st);
}

void function_define(struct shell *sh, const struct cmd_function *c)
{
	const struct frame *f = sh->st->frame;
	struct vstr *source = NULL;
	int err;

	sh->st->line = c->cmd.line;
	for (size_t i = 0; i < c->name.len; i++)
		if (strchr("$`'\"\\", c->name.ptr[i])) {
			shell_error(sh, "`%.*s': not a valid identifier", (int)c->name.len,
			            c->name.ptr);
			shell_set_status(sh, 1);
			machine_check(sh);
			return;
		}
	while (f && !f->unit)
		f = f->up;
	for (const struct frame *g = sh->st->frame; g; g = g->up) {
		if (g->kind == FRAME_FUNCTION && g->func) {
			source = g->func->source;
			break;
		}
		if ((g->kind == FRAME_SOURCE || g->kind == FRAME_MAIN)) {
			source = g->source;
			break;
		}
	}
	if (set_is(sh, SET_POSIX)) {
		const struct builtin *b = builtin_find(c->name);

		if (b && (b->flags & BUILTIN_SPECIAL)) {
			shell_error(sh, "`%.*s': is a special builtin", (int)c->name.len,
			            c->name.ptr);
			shell_set_status(sh, 2);
			shell_fatal_posix(sh);
			return;
		}
	}
	err = state_define(sh->st, c, f ? f->unit : NULL, source);
	if (err) {
		shell_error(sh, "%.*s: readonly function", (int)c->name.len, c->name.ptr);
		shell_set_status(sh, 1);
		machine_check(sh);
		return;
	}
	shell_compound_status(sh, 0);
}

/* ---- Calls ---------------------------------------------------------------------------- */

static uint32_t nest_limit(struct shell *sh)
{
	uint64_t given = sys_limit(sh->p, SYS_LIMIT_DEPTH);
	const uint32_t most = given && given < NEST_MAX ? (uint32_t)given : NEST_MAX;
	char buf[VALUE_BUF];
	struct str s;

	if (LIKELY(sh->st->nfuncs_max == 0))
		return most;
	if (state_get(sh->st, STR("FUNCNEST"), buf, &s) && s.len && s.len < 10) {
		uint32_t n = 0;

		for (size_t i = 0; i < s.len; i++) {
			if (!ascii_digit((unsigned char)s.ptr[i]))
				return most;
			n = n * 10 + (uint32_t)(s.ptr[i] - '0');
		}
		if (n > 0)
			return MIN(n, most);
	}
	return most;
}

void function_call(struct shell *sh, struct task_call *t, const struct func *f, char **argv,
                   size_t n)
{
	uint32_t limit = nest_limit(sh), now = 0;

	if (sh->st->frame)
		now = sh->st->frame->nfuncs;
	if (now >= limit) {
		shell_error(sh, "%s: maximum function nesting level exceeded (%u)", f->name, limit);
		shell_set_status(sh, 1);
		sh->flow = FLOW_DISCARD;
		return;
	}
	t->def = f->def;
	t->trap_mask = sh->trap_mask;
	t->getopts_at = sh->st->getopts_at;
	t->getopts_ind = sh->st->getopts_ind;
	frame_push(sh->st, FRAME_FUNCTION, f);
	params_set(sh->st, argv, n, true);
	sh->loops = 0;
	if (UNLIKELY(sh->st->traps != NULL))
		trap_call(sh, f);
}

void call_step(struct shell *sh, struct task *head)
{
	struct task_call *t = (struct task_call *)(void *)head;
	const struct cmd_function *def = t->def;
	bool had_error = t->had_error;

	if (def && head->step == 0) {
		head->step = 1;
		if (sh->special_traps) {
			sh->st->line = def->cmd.line;
			if (trap_debug(sh, NULL)) /* $BASH_COMMAND is the call */
				return;
		}
		machine_start(sh, def->body);
		return;
	}
	if (def)
		trap_return(sh);
	task_pop(sh);
	shell_set_status(sh, sh->st->status); /* a call is a simple command: PIPESTATUS is its one */
	trap_check_call(sh, had_error);
}

bool call_catches(struct shell *sh, struct task_call *t)
{
	bool had_error = t->had_error;

	if (sh->flow != FLOW_RETURN || !t->def)
		return false;
	sh->flow = FLOW_NONE;
	trap_returned(sh);
	task_pop(sh);
	shell_set_status(sh, sh->st->status); /* a call is a simple command: PIPESTATUS is its one */
	trap_check_call(sh, had_error);
	return true;
}

/* The function has an OPTIND of its own: the caller's scan goes on where it was. */
static bool has_own_optind(const struct shell *sh)
{
	const struct frame *f = frame_find(sh->st, FRAME_FUNCTION);
	const struct var *v;

	for (uint32_t i = 0; f && i < f->nsaved; i++) {
		if (!str_is(item_name(f->saved[i]), "OPTIND"))
			continue;
		v = state_find(sh->st, STR("OPTIND"));
		return v && v->level == f->level;
	}
	return false;
}

void call_leave(struct shell *sh, struct task_call *t)
{
	bool own_optind = t->def && has_own_optind(sh);

	frames_leave(sh->st, t->depth);
	if (own_optind) {
		sh->st->getopts_at = t->getopts_at;
		sh->st->getopts_ind = t->getopts_ind;
	}
	if (t->def) {
		sh->trap_mask = t->trap_mask;
		if (UNLIKELY(sh->st->traps != NULL))
			trap_changed(sh);
	}
	sh->st->line = t->line;
	if (t->last_arg)
		state_set_last_arg(sh->st, str_from(t->last_arg));
}
