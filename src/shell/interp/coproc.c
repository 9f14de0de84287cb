/* coproc.c - coprocesses: their start, and what their end takes away. */
#include "interp.h"

void coproc_ended(struct shell *sh)
{
	const char *name = sh->coproc_name;
	struct str target;

	sh->coproc_pid = 0;
	for (int i = 0; i < 2; i++)
		sys_close(sh->p, sh->coproc_fds[i]);
	if (state_resolve(sh->st, str_from(name), &target) == VAR_OK && name_valid(target))
		state_unset(sh->st, target);
	state_unset(sh->st, str_from(u_format(sh->p, "%s_PID", name)));
}

void coproc_start(struct shell *sh, const struct cmd_coproc *c)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	int pid = -1, fd;
	char num[24], *name;
	struct str target;

	sh->st->line = c->cmd.line;
	if (!name_valid(c->name)) {
		shell_error(sh, "`%.*s': not a valid identifier", (int)c->name.len, c->name.ptr);
		shell_set_status(sh, 1);
		return;
	}
	if (sys_pipe(sh->p, in) < 0 || sys_pipe(sh->p, out) < 0) {
		shell_error(sh, "cannot make pipe: %s", errno_text(NACRE_EMFILE));
		shell_set_status(sh, 1);
		return;
	}
	/* in: what the coprocess reads; out: what it writes. */
	struct sys_fd_move moves[] = {{in[0], 0},  {out[1], 1},  {-1, in[0]},
	                              {-1, in[1]}, {-1, out[0]}, {-1, out[1]}};

	pid = child_spawn(sh, CHILD_COPROC, c->body, moves, COUNTOF(moves));
	sys_close(sh->p, in[0]);
	sys_close(sh->p, out[1]);
	if (pid < 0) {
		sys_close(sh->p, in[1]);
		sys_close(sh->p, out[0]);
		return;
	}
	for (int i = 0; i < 2; i++) {
		int *from = i == 0 ? &out[0] : &in[1];

		for (fd = i == 0 ? 63 : 60; fd > 9 && sys_fd_flags(sh->p, fd) >= 0; fd--)
			;
		if (fd > 9 && sys_dup2(sh->p, *from, fd) >= 0) {
			sys_close(sh->p, *from);
			*from = fd;
		}
		sys_set_cloexec(sh->p, *from, true);
	}
	name = arena_keep(&sys_self(sh->p)->arena, c->name.len + 1);
	memcpy(name, c->name.ptr, c->name.len);
	name[c->name.len] = '\0';
	if (state_resolve(sh->st, c->name, &target) != VAR_OK || !name_valid(target))
		target = c->name;
	sh->coproc_pid = pid;
	sh->coproc_name = name;
	sh->coproc_fds[0] = out[0];
	sh->coproc_fds[1] = in[1];
	target.ptr = u_strndup(sh->p, target.ptr, target.len);
	state_clear_array(sh->st, target, VAR_VISIBLE);
	state_put_elem(sh->st, target, VAR_VISIBLE, 0, (struct str){num, num_put_i64(num, out[0])},
	               false);
	state_put_elem(sh->st, target, VAR_VISIBLE, 1, (struct str){num, num_put_i64(num, in[1])},
	               false);
	state_set_i64(sh->st, str_from(u_format(sh->p, "%s_PID", name)), pid);
	sh->st->last_bg = pid;
	job_add(sh, pid, c->body);
	shell_set_status(sh, 0);
}
