/*
 * machine.c - the loop that steps tasks, and what unwinds them.
 *
 * A task's step function does the next piece of its construct and returns; it may have
 * pushed tasks above itself, which then run to their end before it is stepped again. The
 * exit status of what ran last is the shell's $?. When sh->flow is set, tasks are asked
 * from the newest downwards whether it concerns them (`catches`); those it does not concern
 * are popped, which undoes what they did.
 */
#include "interp.h"

/* ---- Push and pop -------------------------------------------------------- */

void *task_push_from(struct shell *sh, enum task_kind kind, const struct cmd *cmd, size_t size,
                     struct arena_mark mark, struct redir_undo *undo)
{
	struct task *t = u_alloc(sh->p, size);

	/* A parser clears itself. */
	memset(t, 0, kind == TASK_UNIT ? offsetof(struct task_unit, parser) : size);
	t->up = sh->top;
	t->cmd = cmd;
	t->mark = mark;
	t->undo = undo;
	t->kind = (uint8_t)kind;
	t->trace_depth = sh->trace_depth;
	t->noerr = sh->noerr;
	t->loops = sh->loops;
	sh->top = t;
	return t;
}

void *task_push(struct shell *sh, enum task_kind kind, const struct cmd *cmd, size_t size)
{
	return task_push_from(sh, kind, cmd, size, arena_mark(&sys_self(sh->p)->arena), sh->undo);
}

/* The text that held the last command may go with the frames left here; traps still want to show it. */
static void leave_text(struct shell *sh, struct task *t)
{
	bool keep = UNLIKELY(sh->st->traps != NULL) && !trap_running(sh);
	struct str text = keep ? trap_command_text(sh) : STR("");

	sh->noted = NULL;
	if (t->kind == TASK_CALL)
		call_leave(sh, (struct task_call *)(void *)t);
	else
		unit_leave(sh, (struct task_unit *)(void *)t);
	if (keep && text.ptr)
		state_keep_command(sh->st, text);
}

void task_pop(struct shell *sh)
{
	struct task *t = sh->top;

	if (t->kind == TASK_CALL || t->kind == TASK_UNIT)
		leave_text(sh, t);
	if (sh->undo != t->undo && !redir_undo(sh, t->undo) && shell_status(sh) == 0)
		shell_set_status(sh, 1);
	sh->top = t->up;
	sh->trace_depth = t->trace_depth;
	sh->noerr = t->noerr;
	sh->loops = t->loops;
	arena_reset(&sys_self(sh->p)->arena, t->mark);
}

/* ---- Flow ---------------------------------------------------------------- */

/* Does the flow end at this task? Then the task goes on with its next step, or is popped as done.
 */
static bool catches(struct shell *sh, struct task *f)
{
	switch (f->kind) {
	case TASK_WHILE:
	case TASK_FOR:
	case TASK_CFOR:
	case TASK_SELECT:
		if (sh->flow != FLOW_BREAK && sh->flow != FLOW_CONTINUE)
			return false;
		if (sh->flow_count > 1) {
			sh->flow_count--;
			return false;
		}
		if (sh->flow == FLOW_BREAK)
			task_pop(sh);
		sh->flow = FLOW_NONE;
		return true;
	case TASK_CALL: return call_catches(sh, (struct task_call *)(void *)f);
	case TASK_UNIT: return unit_catches(sh, (struct task_unit *)(void *)f);
	default: return false;
	}
}

typedef void step_fn(struct shell *sh, struct task *f);

static step_fn *const steps[TASK_NKINDS] = {
        [TASK_LIST] = list_step,     [TASK_ANDOR] = andor_step, [TASK_PIPE] = pipe_step,
        [TASK_IF] = if_step,         [TASK_WHILE] = while_step, [TASK_FOR] = for_step,
        [TASK_CFOR] = cfor_step,     [TASK_CASE] = case_step,   [TASK_SELECT] = select_step,
        [TASK_REDIRS] = redirs_step, [TASK_CALL] = call_step,   [TASK_UNIT] = unit_step,
};

void machine_run(struct shell *sh, struct task *base)
{
	while (sh->top != base) {
		struct task *f = sh->top;

		sys_checkpoint(sh->p);
		if (UNLIKELY(sh->flow != FLOW_NONE)) {
			if (!catches(sh, f))
				task_pop(sh);
			continue;
		}
		steps[f->kind](sh, f);
	}
}

void machine_command(struct shell *sh, const struct cmd *cmd)
{
	struct task *base = sh->top;

	if (cmd && machine_start(sh, cmd))
		machine_run(sh, base);
}

/* ---- Dispatch ------------------------------------------------------------ */

bool machine_start(struct shell *sh, const struct cmd *cmd)
{
	if (cmd->kind == CMD_SIMPLE)
		return simple_start(sh, AST_CONST(cmd_simple, cmd));
	if (UNLIKELY(set_is(sh, SET_NOEXEC)) && cmd->kind != CMD_ERROR)
		return false;
	if (cmd->redirs && cmd->kind != CMD_FUNCTION && cmd->kind != CMD_SUBSHELL &&
	    cmd->kind != CMD_COPROC) {
		task_push(sh, TASK_REDIRS, cmd, sizeof(struct task));
		return true;
	}
	return machine_start_inner(sh, cmd);
}

/* Told when the line is come to; with set -e bash ends at the first words of it. */
static void refused_line(struct shell *sh, const struct cmd_error *c)
{
	struct parse_error e = *c->error;
	const struct task *t = sh->top;
	bool unit = t && t->kind == TASK_UNIT;

	if (set_is(sh, SET_ERREXIT))
		e.nlines = MIN(e.nlines, 1u);
	shell_parse_error(sh, &e, unit ? ((const struct task_unit *)(const void *)t)->input : NULL);
	shell_set_status(sh, set_is(sh, SET_ERREXIT)                        ? 2
	                     : set_is(sh, SET_POSIX) && sh->st->is_c ? 127
	                                                             : 1);
	if (!sh->interactive && (set_is(sh, SET_ERREXIT) || set_is(sh, SET_POSIX)))
		shell_exit(sh, shell_status(sh));
	sh->flow = FLOW_DISCARD;
}

bool machine_start_inner(struct shell *sh, const struct cmd *cmd)
{
	switch ((enum cmd_kind)cmd->kind) {
	case CMD_SIMPLE: return simple_start(sh, AST_CONST(cmd_simple, cmd));
	case CMD_LIST: task_push(sh, TASK_LIST, cmd, sizeof(struct task_seq)); return true;
	case CMD_ANDOR: task_push(sh, TASK_ANDOR, cmd, sizeof(struct task_seq)); return true;
	case CMD_PIPE: return pipe_start(sh, AST_CONST(cmd_pipe, cmd));
	case CMD_SUBSHELL: subshell_run(sh, cmd); return false;
	case CMD_GROUP: return machine_start(sh, AST_CONST(cmd_block, cmd)->body);
	case CMD_IF: task_push(sh, TASK_IF, cmd, sizeof(struct task_seq)); return true;
	case CMD_WHILE:
		task_push(sh, TASK_WHILE, cmd, sizeof(struct task_seq));
		sh->loops++;
		return true;
	case CMD_FOR: return for_start(sh, AST_CONST(cmd_for, cmd), TASK_FOR);
	case CMD_SELECT: return for_start(sh, AST_CONST(cmd_for, cmd), TASK_SELECT);
	case CMD_CFOR: return cfor_start(sh, AST_CONST(cmd_cfor, cmd));
	case CMD_CASE: return case_start(sh, AST_CONST(cmd_case, cmd));
	case CMD_FUNCTION: function_define(sh, AST_CONST(cmd_function, cmd)); return false;
	case CMD_COPROC: coproc_start(sh, AST_CONST(cmd_coproc, cmd)); return false;
	case CMD_ARITH: arith_command(sh, AST_CONST(cmd_arith, cmd)); return false;
	case CMD_COND: cond_command(sh, AST_CONST(cmd_cond, cmd)); return false;
	case CMD_ERROR: refused_line(sh, AST_CONST(cmd_error, cmd)); return false;
	}
	return false;
}

/* ---- Failure ------------------------------------------------------------- */

void machine_check_failed(struct shell *sh)
{
	const struct task *t = sh->top;

	if (sh->flow != FLOW_NONE)
		return;
	while (t && t->kind == TASK_REDIRS)
		t = t->up;
	/* What `!` turns round has not failed. */
	if (t && t->kind == TASK_PIPE && (t->cmd->flags & PIPE_NEGATE))
		return;
	/* The shell that waits for the pipeline runs the ERR trap, not the stage. */
	if (!sh->stage || sh->top)
		trap_error(sh);
	if (set_is(sh, SET_ERREXIT) && sh->flow == FLOW_NONE)
		shell_exit(sh, shell_status(sh));
}

void machine_expand_failed(struct shell *sh)
{
	enum expand_error e = sh->x.error;

	sh->x.error = EXPAND_NONE;
	switch (e) {
	case EXPAND_EXIT:
		shell_set_status(sh,
		                 (sh->child && !sh->aside && !(sh->alone && !sh->top && sh->st->subshell == 1)) || !sh->st->is_c || set_is(sh, SET_ERREXIT) ? 1 : 127);
		sh->exits_in_place |= shell_ends_at_mistake(sh);
		if (!sh->interactive)
			shell_exit(sh, shell_status(sh));
		sh->flow = FLOW_DISCARD;
		return;
	case EXPAND_UNWIND:
		if (sh->flow == FLOW_NONE)
			sh->flow = FLOW_DISCARD;
		return;
	case EXPAND_ARITH:
	case EXPAND_TOP:
		shell_set_status(sh, 1);
		if (!sh->interactive &&
		    (set_is(sh, SET_POSIX) || (e == EXPAND_TOP && sh->st->is_c)))
			shell_exit(sh, 1);
		sh->flow = FLOW_DISCARD;
		return;
	default:
		shell_set_status(sh, 1);
		if (set_is(sh, SET_POSIX) && !sh->interactive)
			shell_exit(sh, 1);
		if (set_is(sh, SET_ERREXIT) && sh->noerr == 0)
			shell_exit(sh, 1);
		sh->flow = FLOW_DISCARD;
		return;
	}
}
