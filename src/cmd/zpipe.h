/*
 * zpipe.h - running another command between two descriptors: what zgrep, zdiff and zless are made of.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_ZPIPE_H
#define NACRE_CMD_ZPIPE_H

#include "cmd.h"

/* Runs the command with these descriptors as 0, 1 and, unless negative, 5; its pid. */
static inline int zpipe_start(struct proc *p, const char *name, char **argv, int in, int out, int fifth)
{
	int status, pid;
	const char *path = u_find_program(p, name, &status);
	struct sys_fd_move moves[] = {{in, 0}, {out, 1}, {fifth, 5}};

	if (!path)
		u_die(p, 2, status == 126 ? -NACRE_EACCES : -NACRE_ENOENT, "%s", name);
	pid = sys_spawn(p, &(struct sys_spawn){.path = path, .argv = argv, .fds = moves, .nfds = fifth < 0 ? 2 : 3});
	if (pid < 0)
		u_die(p, 2, pid, "%s", name);
	return pid;
}

/* Its status, as a shell shows it. */
static inline int zpipe_wait(struct proc *p, int pid)
{
	struct sys_wait w;
	int r;

	do {
		r = sys_wait(p, pid, 0, &w);
	} while (r == -NACRE_EINTR);
	return r < 0 ? 2 : w.signal ? 128 + w.signal : w.status;
}

/* Starts "gzip -cdfq -- FILE" with a pipe to read from in *fd; its pid. */
static inline int zpipe_unpack(struct proc *p, const char *file, int *fd)
{
	char *argv[] = {u_strdup(p, "gzip"), u_strdup(p, "-cdfq"), u_strdup(p, "--"), u_strdup(p, file), NULL};
	int fds[2], pid;

	if (sys_pipe(p, fds) < 0)
		u_die(p, 2, -NACRE_EMFILE, "cannot make a pipe");
	sys_set_cloexec(p, fds[0], true);
	sys_set_cloexec(p, fds[1], true);
	u_flush(u_stdout(p));
	pid = zpipe_start(p, "gzip", argv, 0, fds[1], -1);
	sys_close(p, fds[1]);
	*fd = fds[0];
	return pid;
}

/* Whether gzip did its work; a reader that stopped early ends it by SIGPIPE, which is no failure. */
static inline bool zpipe_good(int status)
{
	return status == 0 || status == 2 || status == 128 + SYS_SIGPIPE;
}

#endif
