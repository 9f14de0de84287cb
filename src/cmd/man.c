/*
 * man.c - manual pages of the sandbox's commands, printed from their descriptors; whatis and apropos.
 *
 * There is one section, and its pages are of the commands only: what the shell does itself is told by its help.
 */
#include "cmd.h"

struct man {
	bool keyword, whatis, all;
	const char *section;
};

static const struct cmd_opt man_opts[] = {
	CMD_FLAG(struct man, all, 'a', "all", "find all matching manual pages (there is one of each name)"),
	CMD_FLAG(struct man, whatis, 'f', "whatis", "equivalent to whatis"),
	CMD_FLAG(struct man, keyword, 'k', "apropos", "equivalent to apropos"),
	CMD_STRING(struct man, section, 's', "sections", "LIST", "use only these sections (all pages are in section 1)"),
	CMD_STRING(struct man, section, 'S', NULL, "LIST", NULL),
};

static const struct cmd *find(const char *name)
{
	for (size_t i = 0; i < cmd_table_size; i++)
		if (streq(cmd_table[i]->name, name))
			return cmd_table[i];
	return NULL;
}

/* ---- A page ------------------------------------------------------------------------------------------------------ */

/* Every line of the text behind a margin. */
static void put_block(struct u_out *out, const char *text, int margin)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n)
			u_printf(out, "%*s%.*s", margin, "", (int)n, text);
		u_putc(out, '\n');
		text += n + (text[n] != '\0');
	}
}

static void put_synopsis(struct u_out *out, const struct cmd *c)
{
	const char *s = c->synopsis ? c->synopsis : "";

	u_puts(out, "\nSYNOPSIS\n");
	do {
		size_t n = strcspn(s, "\n");

		u_printf(out, "       %s%s%.*s\n", c->name, n ? " " : "", (int)n, s);
		s += n + (s[n] != '\0');
	} while (*s);
}

static void put_option(struct u_out *out, const struct cmd_opt *o)
{
	bool optional = o->kind == CMD_OPT_OPTIONAL || o->optional;

	u_puts(out, "\n       ");
	if (o->digits) {
		u_printf(out, "-%s", o->arg);
	} else {
		if (o->shrt)
			u_printf(out, "-%c%s", o->shrt, o->lng ? ", " : "");
		if (o->lng)
			u_printf(out, "--%s", o->lng);
		if (o->arg)
			u_printf(out, "%s%s%s", !o->lng ? (optional ? "[" : " ") : optional ? "[=" : "=", o->arg, optional ? "]" : "");
	}
	u_putc(out, '\n');
	put_block(out, o->help, 14);
}

static void put_page(struct u_out *out, const struct cmd *c)
{
	u_printf(out, "NAME\n       %s - %s\n", c->name, c->summary ? c->summary : "");
	put_synopsis(out, c);
	if (c->description) {
		u_puts(out, "\nDESCRIPTION\n");
		put_block(out, c->description, 7);
	}
	if (c->nopts)
		u_puts(out, "\nOPTIONS");
	for (size_t i = 0; i < c->nopts; i++)
		if (c->opts[i].help)
			put_option(out, &c->opts[i]);
	if (c->nmissing)
		u_puts(out, "\nNOT SUPPORTED\n");
	for (size_t i = 0; i < c->nmissing; i++)
		u_printf(out, "       %s: %s\n", c->missing[i].option, c->missing[i].why);
	if (c->nexamples)
		u_puts(out, "\nEXAMPLES\n");
	for (size_t i = 0; i < c->nexamples; i++) {
		u_printf(out, "%s       $ %s\n", i ? "\n" : "", c->examples[i].script);
		put_block(out, c->examples[i].output, 7);
	}
}

/* ---- whatis, apropos ----------------------------------------------------------------------------------------------- */

static void put_line(struct u_out *out, const struct cmd *c)
{
	size_t n = strlen(c->name) + 4;

	u_printf(out, "%s (1)%*s - %s\n", c->name, n < 20 ? (int)(20 - n) : 1, "", c->summary ? c->summary : "");
}

static bool holds(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (; *text; text++) {
		size_t k = 0;

		while (k < n && ascii_tolower((unsigned char)text[k]) == ascii_tolower((unsigned char)word[k]))
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static int search(struct proc *p, const struct cmd_args *a, bool whole)
{
	int status = 0;

	if (a->argc == 0) {
		u_warn(p, 0, whole ? "what manual page do you want?" : "what word do you want?");
		return 1;
	}
	for (int i = 0; i < a->argc; i++) {
		bool any = false;

		for (size_t k = 0; k < cmd_table_size; k++) {
			const struct cmd *c = cmd_table[k];

			if (whole ? !streq(c->name, a->argv[i]) : !holds(c->name, a->argv[i]) && !holds(c->summary ? c->summary : "", a->argv[i]))
				continue;
			put_line(u_stdout(p), c);
			any = true;
		}
		if (any)
			continue;
		u_flush(u_stdout(p));
		const char *text = u_format(p, "%s: nothing appropriate.\n", a->argv[i]);

		(void)u_write_all(p, 2, text, strlen(text));
		status = 16;
	}
	return status;
}

/* ---- Beginning ------------------------------------------------------------------------------------------------------- */

static bool is_section(const char *s)
{
	return ascii_digit(s[0]) && (!s[1] || (ascii_alpha((unsigned char)s[1]) && !s[2]));
}

static void no_page(struct proc *p, const char *name, const char *section)
{
	const char *text = section ? u_format(p, "No manual entry for %s in section %s\n", name, section) :
				     u_format(p, "No manual entry for %s\n", name);

	u_flush(u_stdout(p));
	(void)u_write_all(p, 2, text, strlen(text));
}

static int man_main(struct proc *p, const struct cmd_args *a)
{
	const struct man *o = a->opts;
	const char *section = o->section;
	int status = 0, n = 0;

	if (o->keyword || o->whatis)
		return search(p, a, o->whatis);
	for (int i = 0; i < a->argc; i++) {
		const struct cmd *c;

		if (i == 0 && a->argc > 1 && is_section(a->argv[i])) {
			section = a->argv[i];
			continue;
		}
		c = section && section[0] != '1' ? NULL : find(a->argv[i]);
		if (!c) {
			no_page(p, a->argv[i], section);
			status = 16;
		} else {
			if (n++)
				u_putc(u_stdout(p), '\n');
			put_page(u_stdout(p), c);
		}
	}
	if (a->argc == 0) {
		u_puts(u_stdout(p), "What manual page do you want?\nFor example, try 'man man'.\n");
		return 1;
	}
	return status;
}

static int whatis_main(struct proc *p, const struct cmd_args *a)
{
	return search(p, a, true);
}

static int apropos_main(struct proc *p, const struct cmd_args *a)
{
	return search(p, a, false);
}

static const struct cmd_example man_examples[] = {
	{"whatis tac", "tac (1)              - print each file with its lines in reverse order\n"},
};

const struct cmd cmd_man = {
	.name = "man",
	.summary = "print the manual page of a command",
	.synopsis = "[OPTION]... [SECTION] NAME...\n-k WORD...\n-f NAME...",
	.description = "Pages are printed from what commands say of themselves; the shell's own commands are told by \"help NAME\".",
	.opts = man_opts,
	.nopts = COUNTOF(man_opts),
	.opts_size = sizeof(struct man),
	.main = man_main,
	.examples = man_examples,
	.nexamples = COUNTOF(man_examples),
};

const struct cmd cmd_whatis = {
	.name = "whatis",
	.summary = "print the one-line descriptions of commands",
	.synopsis = "NAME...",
	.main = whatis_main,
};

const struct cmd cmd_apropos = {
	.name = "apropos",
	.summary = "search the names and descriptions of commands",
	.synopsis = "WORD...",
	.main = apropos_main,
};
