/*
 * program.h - what the kernel knows of a program: a name and a main.
 *
 * The api layer hands the kernel one sorted table; /bin and /usr/bin are made from it,
 * and sys_spawn and sys_exec find programs by path through it.
 *
 * Layer     abi
 */
#ifndef NACRE_ABI_PROGRAM_H
#define NACRE_ABI_PROGRAM_H

#include "../base/base.h"

struct proc;

struct program {
	const char *name;	/* as in /bin */
	/* Runs on the proc's fiber; the result is the exit status (0-255). argv[argc] is NULL.
	 * argv and the environment are the proc's own. */
	int (*main)(struct proc *p, int argc, char **argv);
	const void *data;	/* the program's own: sys_program_data */
	size_t stack_size;	/* 0: 64 KiB; a power of two up to 16 MiB (see sys_stack) */
};

struct program_table {
	const struct program *v;	/* sorted by name (byte order) */
	size_t n;
};

#endif
