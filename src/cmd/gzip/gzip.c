/*
 * gzip.c - gzip, gunzip and zcat: options, and how they end.
 *
 * The data is deflated by the codec layer; headers, members, names and messages are here and follow
 * gzip 1.12, whose way of failing is part of what scripts see: damage in one file ends the program.
 */
#include "gzip.h"

static void set_level(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct gzip *g = opts;

	(void)p;
	g->level = arg ? arg[strlen(arg) - 1] - '0' : o->lng[0] == 'f' ? 1 : 9;
	if (g->level == 0)
		u_usage(p, "invalid option -- '0'");
}

static void ignore_bits(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	if (arg[strspn(arg, "0123456789")])
		u_usage(p, "-b operand is not an integer");
}

static void show_help(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	(void)arg;
	u_help(p);
}

static const struct cmd_opt gzip_opts[] = {
	CMD_FLAG(struct gzip, ascii, 'a', "ascii", NULL),
	CMD_FLAG(struct gzip, to_stdout, 'c', "stdout", "write on standard output, keep original files unchanged"),
	CMD_FLAG(struct gzip, to_stdout, 'c', "to-stdout", NULL),
	CMD_FLAG(struct gzip, decompress, 'd', "decompress", "decompress"),
	CMD_FLAG(struct gzip, decompress, 'd', "uncompress", NULL),
	CMD_FLAG(struct gzip, force, 'f', "force", "force overwrite of output file and compress links"),
	CMD_FLAG(struct gzip, keep, 'k', "keep", "keep (don't delete) input files"),
	CMD_FLAG(struct gzip, list, 'l', "list", "list compressed file contents"),
	CMD_FLAG(struct gzip, license, 'L', "license", "display software license"),
	CMD_CHOICE(struct gzip, name, 'n', "no-name", GZIP_NAME_DROP, "do not save or restore the original name and timestamp"),
	CMD_CHOICE(struct gzip, name, 'N', "name", GZIP_NAME_KEEP, "save or restore the original name and timestamp"),
	CMD_FLAG(struct gzip, quiet, 'q', "quiet", "suppress all warnings"),
	CMD_FLAG(struct gzip, quiet, 'q', "silent", NULL),
	CMD_FLAG(struct gzip, recursive, 'r', "recursive", "operate recursively on directories"),
	CMD_STRING(struct gzip, suffix, 'S', "suffix", "SUF", "use suffix SUF on compressed files"),
	CMD_FLAG(struct gzip, synchronous, 0, "synchronous", "write to storage before it ends (it always does here)"),
	CMD_FLAG(struct gzip, test, 't', "test", "test compressed file integrity"),
	CMD_FLAG(struct gzip, verbose, 'v', "verbose", "verbose mode"),
	CMD_CALL(0, "fast", NULL, set_level, "compress faster (-1)"),
	CMD_CALL(0, "best", NULL, set_level, "compress better (-9)"),
	CMD_DIGITS(set_level, "how hard to compress, 1 to 9"),
	CMD_CALL('h', NULL, NULL, show_help, "give this help"),
	CMD_CALL('b', "bits", "BITS", ignore_bits, NULL),
};

/* ---- Messages ----------------------------------------------------------------------- */

static void say_v(struct gzip *g, const char *fmt, va_list ap)
{
	char text[8192];
	size_t n = fmt_buf_v(text, sizeof(text), fmt, ap);

	u_flush(u_stdout(g->p));
	u_write_all(g->p, 2, text, MIN(n, sizeof(text) - 1));
}

void gzip_say(struct gzip *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say_v(g, fmt, ap);
	va_end(ap);
}

void gzip_warn(struct gzip *g, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!g->quiet)
		say_v(g, fmt, ap);
	va_end(ap);
	if (g->status == 0)
		g->status = 2;
}

void gzip_abort(struct gzip *g, int err, const char *text)
{
	const char *subject = err && text ? text : g->in_name, *what = err ? errno_text(err) : text;

	if (err || *text)
		gzip_say(g, "\n%s: %s: %s\n", u_name(g->p), subject, what);
	if (g->made_output) {
		int r = sys_unlink(g->p, g->out_name);

		(void)r; /* it may be gone already */
	}
	u_exit(g->p, 1);
}

/* ---- Main ----------------------------------------------------------------------------- */

static int run(struct proc *p, const struct cmd_args *a)
{
	struct gzip *g = a->opts;
	static char *const standard_input[] = {(char *)"-"};
	char *const *file = a->argc ? a->argv : standard_input;
	int n = a->argc ? a->argc : 1;

	g->p = p;
	if (g->license) {
		u_puts(u_stdout(p), "This program is part of nacre and under the Apache License, Version 2.0.\n");
		return 0;
	}
	if (g->ascii && !g->quiet)
		gzip_say(g, "%s: option --ascii ignored on this system\n", u_name(p));
	if (g->suffix && (!*g->suffix || strlen(g->suffix) > 30))
		u_die(p, 1, 0, "invalid suffix '%s'", g->suffix);
	g->suffix = g->suffix ? g->suffix : ".gz";
	g->level = g->level ? g->level : 6;
	g->decompress |= g->list || g->test;
	if (g->name == GZIP_NAME_AUTO)
		g->name = g->decompress ? GZIP_NAME_DROP : GZIP_NAME_KEEP;
	/* 32 KiB when decompressing: what was not complete when damage shows is not given out, as in GNU. */
	pump_init(&g->q, p, codec_new(p), g->decompress ? (size_t)32 << 10 : (size_t)64 << 10);
	for (int i = 0; i < n; i++)
		gzip_operand(g, file[i]);
	if (g->list && n > 1)
		gzip_list_totals(g);
	return g->status;
}

/* $GZIP may say how to compress and how much to talk, no more. */
static void check_environment_word(struct proc *p, const char *word)
{
	static const char *const fit[] = {"--best", "--fast", "--name", "--no-name", "--quiet", "--silent", "--verbose"};
	size_t n;

	if (word[0] != '-' || !word[1])
		u_usage(p, "%s: non-option in GZIP environment variable", word);
	for (size_t i = 0; i < COUNTOF(fit); i++) {
		if (streq(word, fit[i]))
			return;
	}
	n = 1 + strspn(word + 1, "123456789nNqv");
	if (word[1] == '-')
		u_usage(p, "%s: option not valid in GZIP environment variable", word);
	if (word[n])
		u_usage(p, "-%c: option not valid in GZIP environment variable", word[n]);
}

/* The words of $GZIP go before the arguments. */
static char **with_environment(struct proc *p, int *argc, char **argv)
{
	const char *text = u_getenv(p, "GZIP");
	char **v;
	int n = 1;

	sys_self(p)->name = "gzip";
	if (!text || !text[strspn(text, " \t")])
		return argv;
	v = u_array(p, strlen(text) / 2 + (size_t)*argc + 2, sizeof(*v));
	v[0] = argv[0];
	while (*(text += strspn(text, " \t"))) {
		size_t len = strcspn(text, " \t");

		v[n] = u_strndup(p, text, len);
		check_environment_word(p, v[n]);
		n++;
		text += len;
	}
	u_warn(p, 0, "warning: GZIP environment variable is deprecated; use an alias or script");
	for (int i = 1; i <= *argc; i++)
		v[n + i - 1] = argv[i];
	*argc += n - 1;
	return v;
}

static int gzip_main(struct proc *p, const struct cmd_args *a)
{
	return run(p, a);
}

static int gunzip_main(struct proc *p, const struct cmd_args *a)
{
	((struct gzip *)a->opts)->decompress = true;
	return run(p, a);
}

static int zcat_main(struct proc *p, const struct cmd_args *a)
{
	((struct gzip *)a->opts)->to_stdout = true;
	return gunzip_main(p, a);
}

static const struct cmd_example gzip_examples[] = {
	{"echo hello > f; gzip f; ls; zcat f.gz", "f.gz\nhello\n"},
	{"seq 1000 | gzip | gzip -dc | tail -n 1", "1000\n"},
};

static const struct cmd_missing gzip_missing[] = {
	{"--rsyncable", "the deflate library has no such mode"},
};

#define GZIP_COMMON                                                                                   \
	.opts = gzip_opts, .nopts = COUNTOF(gzip_opts), .opts_size = sizeof(struct gzip), .hint = "Try `gzip --help' for more information.", \
	.rewrite = with_environment, .stack_size = CODEC_STACK_SIZE, .missing = gzip_missing, .nmissing = COUNTOF(gzip_missing)

const struct cmd cmd_gzip = {
	.name = "gzip",
	.summary = "compress or uncompress files (by default, compress files in-place)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "With no FILE, or when FILE is -, read standard input.",
	.main = gzip_main,
	.examples = gzip_examples,
	.nexamples = COUNTOF(gzip_examples),
	GZIP_COMMON,
};

const struct cmd cmd_gunzip = {
	.name = "gunzip",
	.summary = "uncompress files in-place",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "The same as gzip -d.",
	.main = gunzip_main,
	GZIP_COMMON,
};

const struct cmd cmd_zcat = {
	.name = "zcat",
	.summary = "uncompress files to standard output",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "The same as gzip -cd.",
	.main = zcat_main,
	GZIP_COMMON,
};
