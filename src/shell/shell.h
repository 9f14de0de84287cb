/*
 * shell.h - the shell as a program: `bash` and `sh`.
 *
 * Layer     shell
 */
#ifndef NACRE_SHELL_SHELL_H
#define NACRE_SHELL_SHELL_H

#include "../base/base.h"

struct proc;

/* The data of the program (struct program.data). The first proc of a run is started with root
 * set: its script is parsed as a whole before anything runs, a wrong one is reported as invalid,
 * and its state is kept for the next run. NULL: an ordinary shell. */
struct shell_config {
	bool root;
	bool is_file, is_stdin; /* of a root: the operand of -c is the text of the file that $0 names; came by standard input */
};

/* The main of `bash` and, by its name, of `sh` (posix mode). */
int shell_main(struct proc *p, int argc, char **argv);

/* Mains of programs that are the first of a run (save.c): the session's shell to standard output, nothing when there is none;
 * and a session made of standard input. Status 0; 1: it cannot be written, or is not what the first one wrote. */
int shell_save_main(struct proc *p, int argc, char **argv);
int shell_load_main(struct proc *p, int argc, char **argv);

/* The names of the shell's builtins, NULL past the end. */
const char *shell_builtin_name(size_t i);

#endif
