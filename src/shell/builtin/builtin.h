/*
 * builtin.h - the table of builtins: name, function, kind, usage line.
 *
 * builtins.def has one line a builtin, sorted by name; the functions are in the files of
 * this folder. A builtin gets its arguments as a program does and the shell beside them; it
 * writes to sh->out, which is flushed after it, and returns its status.
 *
 * Layer     shell/builtin; this header alone is seen by interp
 * Owns      nothing
 */
#ifndef NACRE_SHELL_BUILTIN_BUILTIN_H
#define NACRE_SHELL_BUILTIN_BUILTIN_H

#include "../../base/base.h"

struct shell;

enum builtin_flag {
	BUILTIN_SPECIAL = 1, /* one of POSIX's special builtins */
	BUILTIN_DECL = 2,    /* takes assignments as arguments: declare, local, export... */
	BUILTIN_RUNS = 4,    /* pushes tasks: eval, source */
	BUILTIN_PREFIX = 8,  /* command and builtin: may stand before another name */
	BUILTIN_EXEC = 16,   /* exec: its redirections may stay */
	BUILTIN_PLAIN = 32,  /* --help is an argument as any other */
};

struct builtin {
	const char *name;
	int (*run)(struct shell *sh, int argc, char **argv) MAY_SUSPEND; /* argv[0] is its name */
	unsigned flags;                                                  /* enum builtin_flag */
	const char *usage;   /* what follows the name in a usage line */
	const char *summary; /* for `help` */
};

extern const struct builtin builtin_table[]; /* sorted by name */
extern const size_t builtin_count;

/* Runs it, or prints its help when that is what the first argument asks for. Its status. */
int builtin_call(struct shell *sh, const struct builtin *b, int argc, char **argv) MAY_SUSPEND;

const struct builtin *builtin_find(struct str name); /* NULL: none of that name */

#endif
