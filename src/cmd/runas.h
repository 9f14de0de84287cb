/*
 * runas.h - ending as another command: what nice and nohup do at last.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_RUNAS_H
#define NACRE_CMD_RUNAS_H

#include "cmd.h"

/* Replaces the proc by argv; comes back only when it cannot be run, with the -E. */
static inline int runas(struct proc *p, char **argv)
{
	int status, e;
	const char *path = u_find_program(p, argv[0], &status);
	char **script;
	size_t n = 0;

	if (!path)
		return status == 126 ? -NACRE_EACCES : -NACRE_ENOENT;
	u_flush(u_stdout(p));
	e = sys_exec(p, path, argv, sys_self(p)->env, NULL);
	if (e != -NACRE_ENOEXEC)
		return e;
	/* A file that is no program and has no #! line is a script for sh, as execvp has it. */
	while (argv[n])
		n++;
	script = u_array(p, size_add(n, 2), sizeof(*script));
	script[0] = u_strdup(p, "/bin/sh");
	script[1] = u_strdup(p, path);
	for (size_t i = 1; i <= n; i++)
		script[i + 1] = argv[i];
	return sys_exec(p, script[0], script, sys_self(p)->env, NULL);
}

#endif
