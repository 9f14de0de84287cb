/*
 * life.c - a shell object: made in its proc, left at exit or for a program.
 *
 * The first shell of a run leaves its state for the next run (the session); others drop it with
 * their proc. When the host stops the run, the kernel leaves it, as it stands. The EXIT trap runs where the shell stood: nothing is unwound before it.
 */
#include "interp.h"

/* ---- A shell object --------------------------------------------------------------- */

static void warn(struct expand_host *h, const char *text)
{
	shell_error(CONTAINER_OF(h, struct shell, host), "%s", text);
}

static void report(struct expand_host *h, const char *text)
{
	shell_report(CONTAINER_OF(h, struct shell, host), "%s", text);
}

struct shell *shell_new(struct proc *p, struct shell_state *st)
{
	struct shell *sh = u_alloc(p, sizeof *sh);

	memset(sh, 0, offsetof(struct shell, out_buf));
	(void)u_stdout_sized(p, 1); /* the library's own state, before any mark is taken */
	sh->p = p;
	sh->st = st;
	sh->refused = sys_profile(p)->refused;
	sh->spends = sys_limit(p, SYS_LIMIT_LOOPS) || sys_limit(p, SYS_LIMIT_COMMANDS) ||
	             sys_limit(p, SYS_LIMIT_SOURCE);
	sh->host = (struct expand_host){.comsub = comsub_run, .procsub = procsub_run, .warn = warn, .report = report};
	sh->x = (struct expander){.p = p, .st = st, .host = &sh->host};
	sh->x.max = sys_limit(p, SYS_LIMIT_EXPANSION);
	sh->out = (struct u_out){.p = p, .fd = 1, .buf = sh->out_buf, .cap = OUT_BUFFER};
	sh->path_seen = st->path_changed;
	sh->trap_mask = 0xff;
	st->interp = sh;
	if (st->traps)
		trap_changed(sh);
	return sh;
}

/* ---- Leaving ------------------------------------------------------------------------ */

void shell_settle(struct shell_state *st)
{
	frames_leave(st, 0);
	st->interp = NULL;
	st->status = 0;
	vstr_put(st->heap, st->jobs);
	st->jobs = NULL;
}

void shell_leave_session(struct shell *sh)
{
	struct shell_state *st = sh->st;

	shell_settle(st);
	if (sh->session_pwd)
		state_set(st, STR("PWD"), str_from(sh->session_pwd));
	sys_attach(sh->p, NULL, NULL);
	sys_session_put(sh->p, st, state_release);
}

void shell_exit(struct shell *sh, int status)
{
	bool not_found = sh->not_found;

	/* The status is what it was before the trap, unless the trap itself exits. */
	status &= 255;
	state_set_status(sh->st, status);
	if (!sh->exiting) {
		sh->exiting = 1;
		if (!sh->child && !sh->exits_in_place && trap_get(sh->st, TRAP_EXIT))
			redir_undo(sh, NULL);
		trap_exit(sh);
	}
	u_flush(&sh->out);
	if (UNLIKELY(set_is(sh, SET_HISTORY)))
		history_save(sh);
	if (sh->root) {
		if (not_found && status == 127)
			sys_set_outcome(sh->p, SYS_NOT_FOUND, NULL);
		shell_leave_session(sh);
	}
	sys_exit(sh->p, status);
}

void shell_before_exec(struct shell *sh)
{
	if (!sh->root)
		return;
	sys_attach(sh->p, NULL, NULL);
	sys_session_put(sh->p, sh->st, state_release);
}

void shell_after_exec(struct shell *sh)
{
	if (sh->root && sys_session_take(sh->p) == sh->st)
		state_adopt(sh->st, sh->p);
}

void shell_fatal_posix(struct shell *sh)
{
	if (set_is(sh, SET_POSIX) && !sh->interactive)
		shell_exit(sh, sh->st->status ? sh->st->status : 1);
}
