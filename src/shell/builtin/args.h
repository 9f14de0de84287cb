/*
 * args.h - what builtins share: their options, numbers, usage errors.
 *
 * Layer     shell/builtin
 */
#ifndef NACRE_SHELL_BUILTIN_ARGS_H
#define NACRE_SHELL_BUILTIN_ARGS_H

#include "../interp/interp.h"

enum { USAGE_STATUS = 2 };

/* Options as bash's builtins take them: grouped letters, "--" ends them. In `letters` a colon
 * means an argument, a semicolon one that may be absent; a leading '+' allows +x too (a->on tells). */
struct args {
	struct shell *sh;
	int argc;
	char **argv;
	int i;             /* the first operand, once args_next gave 0 */
	const char *at;    /* rest of the group in hand */
	const char *value; /* the argument of the option just given */
	bool on;           /* -x, not +x */
};
void args_init(struct args *a, struct shell *sh, int argc, char **argv);
/* The next option letter, 0 when there is none left, -1 after an error was printed (status 2). */
int args_next(struct args *a, const char *letters);

/* "NAME: usage: NAME ..." on stderr; 2. */
int builtin_usage(struct shell *sh);
/* For builtins without options: -1 when there was one (printed), else where operands begin. */
int args_none(struct shell *sh, int argc, char **argv);

/* A whole decimal number, blanks around it allowed. */
bool args_number(const char *s, int64_t *out);

/* Assigns to a name or name[subscript] that an argument gave: false after a message. */
bool args_assign(struct shell *sh, const char *target, struct str value);

/* The time zone in force: $TZ where it is exported, else none. */
const char *args_zone(struct shell *sh);

/* misc.c: what `help NAME` prints on sh->out; brief: one line; usage: the first line only. */
void help_print(struct shell *sh, const struct builtin *b, bool brief, bool usage);

/* type.c: what a name means, on sh->out. False when it means nothing. */
enum type_style { TYPE_LONG, TYPE_COMMAND_V, TYPE_WORD, TYPE_PATH };
bool type_describe(struct shell *sh, const char *name, enum type_style style);

/* jobs.c: the numbered list of all signals. */
void signals_list(struct shell *sh);

/* declare.c: `set` without arguments, and `declare` likewise: every variable as name=value. */
void declare_list_all(struct shell *sh);
void declare_print_function(struct shell *sh, const struct func *f);

/* cd.c: changes the directory, PWD and OLDPWD; prints errors as the builtin's. */
int cd_to(struct shell *sh, const char *dir, bool physical);

/* complete.c: the number of a -o option of complete; -1 after a message. */
int complete_option(struct shell *sh, const char *name);

/* dirs.c: prints the stack as `dirs` does. */
void dirs_print(struct shell *sh);

/* The functions of the builtins, named as in builtins.def. */
#define BUILTIN(name, fn, flags, usage, summary) int fn(struct shell *sh, int argc, char **argv);
#include "builtins.def"
#undef BUILTIN

/* jobs.c: says that job_find found none, or several; the status. */
int no_such_job(struct shell *sh, const char *spec, int found);

#endif
