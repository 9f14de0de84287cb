/*
 * unexpand.c - spaces become tabs.
 *
 * Blanks are held back until it is known whether they reach a tab stop: then one tab takes their place. A
 * lone space right before a stop is only replaced when more blanks follow it. Like GNU's, it counts bytes.
 */
#include "expand/tabs.h"
#include "input.h"

struct unexpand {
	struct tabs tabs;
	bool all, first_only;

	struct u_out *out;
	uint64_t column;
	size_t index;		/* of the tab stop */
	uint64_t held;		/* blanks held back: a tab when held_tab, then spaces */
	bool held_tab;
	bool lone;		/* the first of them was alone before a tab stop */
	bool after_blank;
	bool verbatim;		/* the rest of the line stays as it is */
};

static void opt_tabs(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct unexpand *u = opts;

	u->all = true;
	(void)o;
	tabs_parse(p, &u->tabs, arg);
}

/* The old form -N,M: no -a. */
static void opt_digits(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct unexpand *u = opts;
	bool over = false;

	(void)o;
	if (arg)
		tabs_add(p, &u->tabs, num_u64(arg, &(const char *){NULL}, 10, &over));
	if (over)
		u_die(p, 1, 0, "tab stop value is too large");
}

static const struct cmd_opt unexpand_opts[] = {
	CMD_FLAG(struct unexpand, all, 'a', "all", "convert all blanks, not only those at the start of lines"),
	CMD_FLAG(struct unexpand, first_only, 0, "first-only", "convert only blanks at the start of lines (undoes -a)"),
	CMD_CALL('t', "tabs", "LIST", opt_tabs,
		 "tab stops: one number N for every N columns, or several;\n"
		 "the last one may be /N for multiples of N after the others\n"
		 "or +N for every N columns after the last (turns on -a)"),
	CMD_DIGITS(opt_digits, "a tab stop, without -a; more of them after commas"),
	CMD_CALL(',', NULL, NULL, opt_digits, NULL),
};

static void put_held(struct proc *p, struct unexpand *u)
{
	if (u->held > 1 && u->lone)
		u->held_tab = true;
	for (uint64_t i = 0; i < u->held; i++) {
		u_putc(u->out, i == 0 && u->held_tab ? '\t' : ' ');
		sys_checkpoint(p);
	}
	u->held = 0;
	u->held_tab = u->lone = false;
}

static void hold(struct unexpand *u)
{
	if (u->held++ == 0)
		u->held_tab = false;
}

/* A blank; true when it was held back, else *c is what to print after those that were. */
static bool take_blank(struct proc *p, struct unexpand *u, char *c)
{
	uint64_t next = tabs_next(&u->tabs, u->column, &u->index);

	if (next == UINT64_MAX) {
		u->verbatim = true;
		return false;
	}
	if (next < u->column)
		u_die(p, 1, 0, "input line is too long");
	if (*c == '\t') {
		u->column = next;
		u->held_tab |= u->held > 0;
	} else {
		u->column++;
		if (!(u->after_blank && u->column == next)) {
			u->lone |= u->column == next;
			hold(u);
			u->after_blank = true;
			return true;
		}
		u->held_tab = true;
		*c = '\t';
	}
	/* The tab stands for all of them but a lone space before the former stop. */
	u->held = u->lone;
	return false;
}

static void put_byte(struct proc *p, struct unexpand *u, char c)
{
	bool blank = ascii_blank(c);

	if (!u->verbatim) {
		if (blank) {
			if (take_blank(p, u, &c))
				return;
		} else if (c == '\b') {
			u->column -= u->column > 0;
			u->index -= u->index > 0;
		} else {
			u->column++;
		}
		put_held(p, u);
		u->after_blank = blank;
		u->verbatim |= !u->all && !blank;
	}
	u_putc(u->out, c);
	if (c == '\n') {
		u->column = 0;
		u->index = 0;
		u->after_blank = true;
		u->verbatim = false;
	}
}

static int unexpand_main(struct proc *p, const struct cmd_args *a)
{
	struct unexpand *u = a->opts;
	struct input in;

	u->out = u_stdout(p);
	u->all &= !u->first_only;
	u->after_blank = true;
	tabs_finish(p, &u->tabs);
	input_init(&in, p, a);
	while (in.at < in.end || input_more(&in))
		put_byte(p, u, *in.at++);
	put_held(p, u);
	return in.status;
}

static const struct cmd_example unexpand_examples[] = {
	{"printf '        a       b\\n' | unexpand -a | od -An -c", "  \\t   a  \\t   b  \\n\n"},
};

const struct cmd cmd_unexpand = {
	.name = "unexpand",
	.summary = "convert blanks in each FILE to tabs, writing to standard output",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, or when FILE is -, standard input is read.",
	.opts = unexpand_opts,
	.nopts = COUNTOF(unexpand_opts),
	.opts_size = sizeof(struct unexpand),
	.main = unexpand_main,
	.examples = unexpand_examples,
	.nexamples = COUNTOF(unexpand_examples),
};
