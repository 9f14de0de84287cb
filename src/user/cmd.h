/*
 * cmd.h - what a command is: a descriptor of plain data and a main.
 *
 * Help text, manual page, completion, /bin and docs/commands are printed from the
 * descriptor; the option parser works from it. One file per command in src/cmd, whose
 * order is fixed: options, helpers bottom-up, main, descriptor last; one line in
 * commands.def registers it.
 *
 *	struct tee { bool append; };
 *	static const struct cmd_opt tee_opts[] = {
 *		CMD_FLAG(struct tee, append, 'a', "append", "append to the given FILEs"),
 *	};
 *	static int tee_main(struct proc *p, const struct cmd_args *a) { const struct tee *o = a->opts; ... }
 *	const struct cmd cmd_tee = { .name = "tee", .summary = "...", .synopsis = "[OPTION]... [FILE]...",
 *		.opts = tee_opts, .nopts = COUNTOF(tee_opts), .opts_size = sizeof(struct tee), .main = tee_main };
 *
 * Layer     user
 */
#ifndef NACRE_USER_CMD_H
#define NACRE_USER_CMD_H

#include "../abi/sys.h"

enum cmd_opt_kind {
	CMD_OPT_FLAG,	/* bool set to true (to .value when .value is not 0: then an int member) */
	CMD_OPT_COUNT,	/* int, one more each time */
	CMD_OPT_STRING,	/* const char *, the argument; the last one counts */
	CMD_OPT_LIST,	/* struct cmd_list, the arguments in order */
	CMD_OPT_OPTIONAL, /* const char *; NULL when not given, "" without an argument (--color, -i[SUFFIX]) */
	CMD_OPT_CALL,	/* .call decides; takes an argument when .arg is not NULL; optional when .optional */
};

struct cmd_list {
	const char **v;
	size_t n, cap;
};

struct cmd_opt {
	enum cmd_opt_kind kind;
	char shrt;		/* 0: none */
	const char *lng;	/* NULL: none */
	const char *arg;	/* the argument's name in the help text; NULL: none */
	const char *help;	/* one line or more ('\n'); NULL: hidden (an alias) */
	uint32_t offset;	/* of the member in the options struct */
	int value;		/* CMD_OPT_FLAG with an int member */
	bool optional;		/* CMD_OPT_CALL: the argument may be missing (then NULL) */
	bool digits;		/* with .shrt '0': any run of digits is this option and its argument (-20) */
	/* A usage error is reported by the function itself (u_usage). */
	void (*call)(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg);
};

#define CMD_FLAG(type, member, s, l, text) \
	{.kind = CMD_OPT_FLAG, .shrt = (s), .lng = (l), .help = (text), .offset = offsetof(type, member)}
/* An int member set to `val`: options of which the last one wins. */
#define CMD_CHOICE(type, member, s, l, val, text) \
	{.kind = CMD_OPT_FLAG, .shrt = (s), .lng = (l), .help = (text), .offset = offsetof(type, member), .value = (val)}
#define CMD_COUNT(type, member, s, l, text) \
	{.kind = CMD_OPT_COUNT, .shrt = (s), .lng = (l), .help = (text), .offset = offsetof(type, member)}
#define CMD_STRING(type, member, s, l, a, text) \
	{.kind = CMD_OPT_STRING, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .offset = offsetof(type, member)}
#define CMD_LIST(type, member, s, l, a, text) \
	{.kind = CMD_OPT_LIST, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .offset = offsetof(type, member)}
#define CMD_OPTIONAL(type, member, s, l, a, text) \
	{.kind = CMD_OPT_OPTIONAL, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .offset = offsetof(type, member)}
#define CMD_CALL(s, l, a, fn, text) {.kind = CMD_OPT_CALL, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .call = (fn)}
#define CMD_CALL_OPTIONAL(s, l, a, fn, text) \
	{.kind = CMD_OPT_CALL, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .call = (fn), .optional = true}

/* -NUM: the digits are the argument. */
#define CMD_DIGITS(fn, text) \
	{.kind = CMD_OPT_CALL, .shrt = '0', .arg = "NUM", .help = (text), .call = (fn), .digits = true}

struct cmd_example {
	const char *script;	/* a shell script */
	const char *output;	/* its exact stdout; run as a test */
};

/* A GNU option that is refused, with the reason; printed by --help. */
struct cmd_missing {
	const char *option;	/* "--compress-program" or "-y" */
	const char *why;
};

struct cmd_args {
	const struct cmd *cmd;
	void *opts;		/* zeroed, then filled by the option parser */
	int argc;		/* operands only (raw commands: all after argv[0]) */
	char **argv;		/* argv[argc] is NULL */
};

struct cmd {
	const char *name;
	const char *summary;	/* "concatenate files and print on the standard output" */
	const char *synopsis;	/* after the name; several lines make several usages */
	const char *description; /* printed by --help after the options; NULL: none */
	const struct cmd_opt *opts;
	size_t nopts;
	size_t opts_size;
	void (*defaults)(void *opts);	/* sets what is not zero before parsing; NULL: nothing */
	/* Rewrites old syntax (head -5, tail +3) before parsing; returns the argv to parse. NULL: none. */
	char **(*rewrite)(struct proc *p, int *argc, char **argv);
	bool raw;		/* no option parsing at all, but for a lone --help or --version */
	bool no_help;		/* with raw: not even that */
	bool stop_at_operand;	/* options end at the first operand (env, xargs, timeout) */
	/* Gets each operand in its place among the options instead of cmd_args (tar: -C counts for what follows). */
	void (*operand)(struct proc *p, void *opts, char *word);
	bool usage_line;	/* a usage error also prints the first usage line, as grep's do */
	bool named_hint;	/* the hint at --help starts with the name, as in diffutils */
	const char *hint;	/* what a usage error ends with instead of "Try 'NAME --help' ..." */
	int usage_status;	/* exit status of a usage error; 0 means 1 */
	size_t stack_size;	/* 0: the usual one; see struct program */
	const char *lost_output; /* what a failed write to standard output is said with; NULL: "write error" */
	int failure_status;	/* of a write error or spent memory; 0 means usage_status */
	int (*main)(struct proc *p, const struct cmd_args *a);
	const struct cmd_example *examples;
	size_t nexamples;
	const struct cmd_missing *missing;
	size_t nmissing;
};

/* The main of every command as a program (struct program.main, with .data = the cmd): parses
 * options, runs cmd->main, flushes stdout and reports a failed write as "NAME: write error: ...". */
int cmd_run(struct proc *p, int argc, char **argv);

extern const struct cmd *const cmd_table[];	/* src/cmd: sorted as commands.def */
extern const size_t cmd_table_size;

#endif
