/* who.c - who is logged in, and users: nobody is, as on a container. */
#include "cmd.h"

struct who {
	bool all, boot, dead, heading, ips, login, lookup, mine, process, count, runlevel, brief, clock, message, users;
};

static const struct cmd_opt who_opts[] = {
	CMD_FLAG(struct who, all, 'a', "all", "same as -b -d --login -p -r -t -T -u"),
	CMD_FLAG(struct who, boot, 'b', "boot", "time of last system boot (not known)"),
	CMD_FLAG(struct who, dead, 'd', "dead", "print dead processes"),
	CMD_FLAG(struct who, heading, 'H', "heading", "print line of column headings"),
	CMD_FLAG(struct who, ips, 0, "ips", "print ips instead of hostnames"),
	CMD_FLAG(struct who, login, 'l', "login", "print system login processes"),
	CMD_FLAG(struct who, lookup, 0, "lookup", "attempt to canonicalize hostnames via DNS"),
	CMD_FLAG(struct who, mine, 'm', NULL, "only hostname and user associated with stdin"),
	CMD_FLAG(struct who, process, 'p', "process", "print active processes spawned by init"),
	CMD_FLAG(struct who, count, 'q', "count", "all login names and number of users logged on"),
	CMD_FLAG(struct who, runlevel, 'r', "runlevel", "print current runlevel"),
	CMD_FLAG(struct who, brief, 's', "short", "print only name, line, and time (default)"),
	CMD_FLAG(struct who, clock, 't', "time", "print last system clock change"),
	CMD_FLAG(struct who, message, 'T', "mesg", "add user's message status as +, - or ?"),
	CMD_FLAG(struct who, users, 'u', "users", "list users logged in"),
};

static int who_main(struct proc *p, const struct cmd_args *a)
{
	const struct who *o = a->opts;

	if (a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	if (o->count)
		u_puts(u_stdout(p), "\n# users=0\n");
	else if (o->heading)
		u_printf(u_stdout(p), "NAME    %s LINE         TIME        %s%s\n", o->message || o->all ? " " : "",
			 o->users || o->all ? "     IDLE          PID COMMENT" : "     COMMENT", o->all ? "  EXIT" : "");
	return 0;
}

static int users_main(struct proc *p, const struct cmd_args *a)
{
	if (a->argc > 1)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[1]));
	return 0;
}

static const struct cmd_example who_examples[] = {
	{"who -q", "\n# users=0\n"},
};

const struct cmd cmd_who = {
	.name = "who",
	.summary = "print information about users who are currently logged in",
	.synopsis = "[OPTION]... [ FILE | ARG1 ARG2 ]",
	.description = "Nobody logs in to a sandbox.",
	.opts = who_opts,
	.nopts = COUNTOF(who_opts),
	.opts_size = sizeof(struct who),
	.main = who_main,
	.examples = who_examples,
	.nexamples = COUNTOF(who_examples),
};

const struct cmd cmd_users = {
	.name = "users",
	.summary = "print the user names of users currently logged in to the current host",
	.synopsis = "[OPTION]... [FILE]",
	.description = "Nobody logs in to a sandbox.",
	.main = users_main,
};
