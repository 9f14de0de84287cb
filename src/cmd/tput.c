/*
 * tput.c - tput, clear, reset: what a terminal wants to hear.
 *
 * There is no terminal in a sandbox, but scripts colour their output; two kinds of terminal are known: those of the
 * xterm family, and dumb. In a capability \1 and \2 stand for the parameters, \3 and \4 for one more than them.
 */
#include "cmd.h"

struct tput {
	const char *term;
	bool standard_input, keep_scrollback, version;
};

static const struct cmd_opt tput_opts[] = {
	CMD_FLAG(struct tput, standard_input, 'S', NULL, "read commands from standard input"),
	CMD_STRING(struct tput, term, 'T', NULL, "TERM", "use this instead of $TERM"),
	CMD_FLAG(struct tput, version, 'V', NULL, "print the version"),
	CMD_FLAG(struct tput, keep_scrollback, 'x', NULL, "do not try to clear scrollback"),
};

enum terminal { TERM_XTERM, TERM_XTERM_256, TERM_DUMB };

struct capability {
	const char *name, *text;
	int parameters;
	bool dumb;		/* a dumb terminal has it too */
};

static const struct capability strings[] = {
	{"bel", "\a", 0, true},	 {"blink", "\033[5m", 0, false},     {"bold", "\033[1m", 0, false},
	{"civis", "\033[?25l", 0, false}, {"cnorm", "\033[?12l\033[?25h", 0, false}, {"cr", "\r", 0, true},
	{"cub", "\033[\1D", 1, false},	 {"cub1", "\b", 0, false},	     {"cud", "\033[\1B", 1, false},
	{"cud1", "\n", 0, true},	 {"cuf", "\033[\1C", 1, false},	     {"cuf1", "\033[C", 0, false},
	{"cup", "\033[\3;\4H", 2, false}, {"cuu", "\033[\1A", 1, false},     {"cuu1", "\033[A", 0, false},
	{"dch", "\033[\1P", 1, false},	 {"dch1", "\033[P", 0, false},	     {"dim", "\033[2m", 0, false},
	{"dl", "\033[\1M", 1, false},	 {"dl1", "\033[M", 0, false},	     {"ech", "\033[\1X", 1, false},
	{"ed", "\033[J", 0, false},	 {"el", "\033[K", 0, false},	     {"el1", "\033[1K", 0, false},
	{"home", "\033[H", 0, false},	 {"hpa", "\033[\3G", 1, false},	     {"ich", "\033[\1@", 1, false},
	{"il", "\033[\1L", 1, false},	 {"il1", "\033[L", 0, false},	     {"ind", "\n", 0, true},
	{"invis", "\033[8m", 0, false},	 {"op", "\033[39;49m", 0, false},    {"rc", "\0338", 0, false},
	{"rev", "\033[7m", 0, false},	 {"ritm", "\033[23m", 0, false},     {"rmcup", "\033[?1049l\033[23;0;0t", 0, false},
	{"rmso", "\033[27m", 0, false},	 {"rmul", "\033[24m", 0, false},     {"sc", "\0337", 0, false},
	{"sgr0", "\033(B\033[m", 0, false}, {"sitm", "\033[3m", 0, false},   {"smcup", "\033[?1049h\033[22;0;0t", 0, false},
	{"smso", "\033[7m", 0, false},	 {"smul", "\033[4m", 0, false},	     {"vpa", "\033[\3d", 1, false},
};

static enum terminal terminal_of(struct proc *p, const char *name)
{
	if (strncmp(name, "xterm", 5) == 0)
		return strstr(name, "256color") ? TERM_XTERM_256 : TERM_XTERM;
	if (streq(name, "dumb"))
		return TERM_DUMB;
	u_die(p, 3, 0, "unknown terminal \"%s\"", name);
}

static void put_capability(struct u_out *out, const char *text, const int64_t *v)
{
	for (; *text; text++) {
		if (*text >= 1 && *text <= 4)
			u_printf(out, "%lld", (long long)(v[(*text - 1) % 2] + (*text > 2)));
		else
			u_putc(out, *text);
	}
}

static void put_colour(struct u_out *out, enum terminal term, bool back, int64_t n)
{
	if (term != TERM_XTERM_256 || n < 8)
		u_printf(out, "\033[%d%lldm", back ? 4 : 3, (long long)n);
	else if (n < 16)
		u_printf(out, "\033[%d%lldm", back ? 10 : 9, (long long)(n - 8));
	else
		u_printf(out, "\033[%d;5;%lldm", back ? 48 : 38, (long long)n);
}

/* cols, lines, colors and the like; whether it is one. */
static bool put_number(struct proc *p, const char *name, enum terminal term)
{
	const char *set = streq(name, "cols") ? u_getenv(p, "COLUMNS") : streq(name, "lines") ? u_getenv(p, "LINES") : NULL;
	int n;

	if (streq(name, "cols"))
		n = 80;
	else if (streq(name, "lines"))
		n = 24;
	else if (streq(name, "colors"))
		n = term == TERM_XTERM_256 ? 256 : term == TERM_XTERM ? 8 : -1;
	else if (streq(name, "it"))
		n = term == TERM_DUMB ? -1 : 8;
	else
		return false;
	if (set && *set && !set[strspn(set, "0123456789")])
		u_printf(u_stdout(p), "%s\n", set);
	else
		u_printf(u_stdout(p), "%d\n", n);
	return true;
}

static int flag_status(const char *name, enum terminal term)
{
	if (streq(name, "am"))
		return 0;
	if (streq(name, "bce") || streq(name, "km") || streq(name, "xenl") || streq(name, "mir") || streq(name, "msgr"))
		return term == TERM_DUMB;
	return -1;
}

static int clear_screen(struct proc *p, enum terminal term, bool keep_scrollback)
{
	if (term == TERM_DUMB)
		return 2;
	u_puts(u_stdout(p), keep_scrollback ? "\033[H\033[2J" : "\033[H\033[2J\033[3J");
	return 0;
}

static int capability(struct proc *p, const struct tput *o, enum terminal term, int argc, char *const *argv)
{
	const struct capability *c = NULL;
	int64_t v[2] = {0, 0};
	int status;

	if (streq(argv[0], "clear"))
		return clear_screen(p, term, o->keep_scrollback);
	if (streq(argv[0], "init") || streq(argv[0], "reset"))
		u_die(p, 10, -NACRE_ENXIO, "terminal attributes");
	if (streq(argv[0], "longname")) {
		u_puts(u_stdout(p), term == TERM_DUMB ? "80-column dumb tty" : term == TERM_XTERM_256 ? "xterm with 256 colors" :
				    "xterm terminal emulator (X Window System)");
		return 0;
	}
	if (put_number(p, argv[0], term))
		return 0;
	status = flag_status(argv[0], term);
	if (status >= 0)
		return status;
	for (int i = 1; i < argc && i <= 2; i++)
		v[i - 1] = num_i64(argv[i], NULL, 10, NULL);
	if (streq(argv[0], "setaf") || streq(argv[0], "setab")) {
		if (term == TERM_DUMB)
			return 1;
		if (argc < 2)
			u_die(p, 2, 0, "%s: a parameter is missing", argv[0]);
		put_colour(u_stdout(p), term, argv[0][4] == 'b', v[0]);
		return 0;
	}
	for (size_t i = 0; i < COUNTOF(strings) && !c; i++)
		c = streq(strings[i].name, argv[0]) ? &strings[i] : NULL;
	if (!c)
		u_die(p, 4, 0, "unknown terminfo capability '%s'", argv[0]);
	if (term == TERM_DUMB && !c->dumb)
		return 1;
	if (argc - 1 < c->parameters)
		u_die(p, 2, 0, "%s: a parameter is missing", argv[0]);
	put_capability(u_stdout(p), c->text, v);
	return 0;
}

/* -S: a capability a line. */
static int from_input(struct proc *p, const struct tput *o, enum terminal term)
{
	struct u_lines r;
	struct str line;
	int status = 0;

	u_lines_init(&r, p, 0, '\n');
	while (u_lines_next(&r, &line)) {
		char *argv[4], *s = u_strndup(p, line.ptr, line.len);
		int n = 0;

		while (n < 3 && *s) {
			while (ascii_blank(*s))
				s++;
			if (!*s)
				break;
			argv[n++] = s;
			while (*s && !ascii_blank(*s))
				s++;
			if (*s)
				*s++ = '\0';
		}
		argv[n] = NULL;
		if (n)
			status |= capability(p, o, term, n, argv);
	}
	return status;
}

static int tput_main(struct proc *p, const struct cmd_args *a)
{
	const struct tput *o = a->opts;
	const char *name = o->term ? o->term : u_getenv(p, "TERM");

	if (o->version)
		u_version(p);
	if (a->argc == 0 && !o->standard_input)
		u_usage(p, "a capability is missing");
	if (!name || !*name)
		u_die(p, 2, 0, "No value for $TERM and no -T specified");
	if (o->standard_input)
		return from_input(p, o, terminal_of(p, name));
	return capability(p, o, terminal_of(p, name), a->argc, a->argv);
}

static int clear_main(struct proc *p, const struct cmd_args *a)
{
	const struct tput *o = a->opts;
	const char *name = o->term ? o->term : u_getenv(p, "TERM"), *text;

	if (o->version)
		u_version(p);
	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	if (name && *name && strncmp(name, "xterm", 5) != 0 && !streq(name, "dumb"))
		text = u_format(p, "'%s': unknown terminal type.\n", name);
	else if (!name || !*name)
		text = "TERM environment variable not set.\n";
	else
		return clear_screen(p, terminal_of(p, name), o->keep_scrollback) ? 1 : 0;
	(void)u_write_all(p, 2, text, strlen(text));
	return 1;
}

static int reset_main(struct proc *p, const struct cmd_args *a)
{
	(void)a;
	u_die(p, 1, -NACRE_ENXIO, "terminal attributes");
}

static const struct cmd_example tput_examples[] = {
	{"tput -T dumb cols", "80\n"},
	{"tput -T xterm setaf 1 | od -An -c", "  033   [   3   1   m\n"},
};

const struct cmd cmd_tput = {
	.name = "tput",
	.summary = "print what a terminal of the type $TERM wants to hear",
	.synopsis = "[OPTION]... [CAPABILITY [PARAMETER]...]",
	.description = "Terminals of the xterm family and dumb ones are known. CAPABILITY is clear or one of terminfo's names:\n"
		       "bold, sgr0, setaf N, setab N, smul, rev, cup ROW COLUMN, cols, lines, colors...",
	.opts = tput_opts,
	.nopts = COUNTOF(tput_opts),
	.opts_size = sizeof(struct tput),
	.stop_at_operand = true,
	.usage_status = 2,
	.main = tput_main,
	.examples = tput_examples,
	.nexamples = COUNTOF(tput_examples),
};

static const struct cmd_opt clear_opts[] = {
	CMD_STRING(struct tput, term, 'T', NULL, "TERM", "use this instead of $TERM"),
	CMD_FLAG(struct tput, version, 'V', NULL, "print the version"),
	CMD_FLAG(struct tput, keep_scrollback, 'x', NULL, "do not try to clear scrollback"),
};

const struct cmd cmd_clear = {
	.name = "clear",
	.summary = "print what clears a terminal of the type $TERM",
	.synopsis = "[OPTION]...",
	.opts = clear_opts,
	.nopts = COUNTOF(clear_opts),
	.opts_size = sizeof(struct tput),
	.main = clear_main,
};

const struct cmd cmd_reset = {
	.name = "reset",
	.summary = "bring a terminal to its senses; there is none in a sandbox, so it always fails",
	.synopsis = "[TERMINAL]",
	.main = reset_main,
};
