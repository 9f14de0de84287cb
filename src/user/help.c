/* help.c - --help, printed from a command's descriptor in GNU's layout. */
#include "state.h"

#define HELP_COLUMN 29

static void put_usage(struct u_out *o, const char *name, const char *synopsis)
{
	bool first = true;

	if (!synopsis || !*synopsis) {
		u_printf(o, "Usage: %s\n", name);
		return;
	}
	while (*synopsis) {
		const char *nl = strchr(synopsis, '\n');
		size_t n = nl ? (size_t)(nl - synopsis) : strlen(synopsis);

		u_printf(o, "%s%s%s%.*s\n", first ? "Usage: " : "  or:  ", name, n ? " " : "",
		         (int)n, synopsis);
		first = false;
		synopsis += n + (nl ? 1 : 0);
	}
}

/* `text` with its further lines indented to the help column; `used` columns are taken on this one.
 */
static void put_text(struct u_out *o, size_t used, const char *text)
{
	if (used >= HELP_COLUMN - 1 && *text) {
		u_putc(o, '\n');
		used = 0;
	}
	while (*text) {
		const char *nl = strchr(text, '\n');
		size_t n = nl ? (size_t)(nl - text) : strlen(text);

		u_printf(o, "%*s%.*s\n", (int)(HELP_COLUMN - used), "", (int)n, text);
		used = 0;
		text += n + (nl ? 1 : 0);
	}
}

static void put_option(struct u_out *o, const struct cmd_opt *opt)
{
	bool optional = opt->kind == CMD_OPT_OPTIONAL || opt->optional;
	char head[160];
	size_t n;

	n = fmt_buf(head, sizeof(head), "  %c%c%s", opt->shrt ? '-' : ' ',
	            opt->shrt ? opt->shrt : ' ',
	            opt->shrt && opt->lng ? ", "
	            : opt->lng            ? "  "
	                                  : "");
	if (opt->digits)
		n = fmt_buf(head, sizeof(head), "  -");
	if (opt->lng)
		n += fmt_buf(head + n, sizeof(head) - n, "--%s", opt->lng);
	if (opt->arg && n < sizeof(head) - 1) {
		const char *open = opt->digits ? ""
		                   : opt->lng  ? (optional ? "[=" : "=")
		                               : (optional ? "[" : " ");

		n += fmt_buf(head + n, sizeof(head) - n, "%s%s%s", open, opt->arg,
		             optional ? "]" : "");
	}
	if (n >= sizeof(head))
		n = sizeof(head) - 1;
	u_puts(o, head);
	put_text(o, n, opt->help);
}

static void put_summary(struct u_out *o, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (!n)
		return;
	u_putc(o, (char)ascii_toupper((unsigned char)text[0]));
	u_puts(o, text + 1);
	u_puts(o, text[n - 1] == '.' ? "\n" : ".\n");
}

static void put_missing(struct u_out *o, const struct cmd *c)
{
	if (!c->nmissing)
		return;
	u_puts(o, "\nNot supported:\n");
	for (size_t i = 0; i < c->nmissing; i++) {
		u_printf(o, "  %s", c->missing[i].option);
		put_text(o, 2 + strlen(c->missing[i].option), c->missing[i].why);
	}
}

static bool has_long(const struct cmd *c, const char *name)
{
	for (size_t i = 0; i < c->nopts; i++) {
		if (c->opts[i].lng && streq(c->opts[i].lng, name))
			return true;
	}
	return false;
}

void u_print_help(struct proc *p, const struct cmd *c)
{
	struct u_out *o = u_stdout(p);

	put_usage(o, u_name(p), c->synopsis);
	put_summary(o, c->summary);
	u_putc(o, '\n');
	for (size_t i = 0; i < c->nopts; i++) {
		if (c->opts[i].help)
			put_option(o, &c->opts[i]);
	}
	if (!has_long(c, "help"))
		put_option(o,
		           &(struct cmd_opt){.lng = "help", .help = "display this help and exit"});
	if (!has_long(c, "version"))
		put_option(o, &(struct cmd_opt){.lng = "version",
		                                .help = "output version information and exit"});
	if (c->description) {
		size_t n = strlen(c->description);

		u_printf(o, "\n%s%s", c->description,
		         n && c->description[n - 1] == '\n' ? "" : "\n");
	}
	put_missing(o, c);
}
