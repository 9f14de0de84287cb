/*
 * zdiff.c - zdiff, zcmp: diff and cmp of what compressed files hold; zless, zmore: the same for reading.
 *
 * A compressed file goes through gzip into a pipe, which diff reads as "-" or, the first of two, as /dev/fd/5.
 */
#include "zpipe.h"

/* FILE.gz and the like: the length without the ending; 0 when it has none. */
static size_t bare_length(const char *path)
{
	static const char *const endings[] = {".gz", "-gz", ".Z", "-Z", "-z", ".z"};
	size_t n = strlen(path);

	for (size_t i = 0; i < COUNTOF(endings); i++) {
		size_t k = strlen(endings[i]);

		if (n > k && streq(path + n - k, endings[i]))
			return n - k;
	}
	return 0;
}

/* What a lone FILE.gz is compared with. */
static const char *partner(struct proc *p, const char *path)
{
	size_t n = bare_length(path);

	if (n == 0)
		u_die(p, 2, 0, "%s: unknown compressed file extension", path);
	return u_strndup(p, path, n);
}

/* Runs `name` with its options on two files; its status. */
static int compare(struct proc *p, const char *name, char **options, int noptions, const char *one, const char *two)
{
	char **argv = u_array(p, (size_t)noptions + 4, sizeof(*argv));
	bool unpack_one = bare_length(one), unpack_two = bare_length(two);
	int pid[2] = {-1, -1}, fd[2] = {0, -1}, status, n = 0;

	argv[n++] = u_strdup(p, name);
	for (int i = 0; i < noptions; i++)
		argv[n++] = options[i];
	if (unpack_one)
		pid[0] = zpipe_unpack(p, one, &fd[0]);
	if (unpack_two)
		pid[1] = zpipe_unpack(p, two, &fd[1]);
	argv[n++] = u_strdup(p, !unpack_one ? one : unpack_two ? "/dev/fd/5" : "-");
	argv[n++] = u_strdup(p, unpack_two ? "-" : two);
	argv[n] = NULL;
	status = zpipe_wait(p, unpack_two ? zpipe_start(p, name, argv, fd[1], 1, unpack_one ? fd[0] : -1)
					  : zpipe_start(p, name, argv, fd[0], 1, -1));
	for (int i = 0; i < 2; i++) {
		if (pid[i] < 0)
			continue;
		sys_close(p, fd[i]);
		if (!zpipe_good(zpipe_wait(p, pid[i])))
			status = 2;
	}
	return status;
}

static int run(struct proc *p, const struct cmd_args *a, const char *name)
{
	char **file = a->argv;
	int options = 0, n;

	while (*file && (*file)[0] == '-' && (*file)[1] && !streq(*file, "--"))
		file++, options++;
	if (*file && streq(*file, "--"))
		file++;
	n = a->argc - (int)(file - a->argv);
	if (n != 1 && n != 2)
		u_usage(p, "one or two files are wanted");
	return compare(p, name, a->argv, options, file[0], n == 1 ? partner(p, file[0]) : file[1]);
}

static int zdiff_main(struct proc *p, const struct cmd_args *a)
{
	return run(p, a, "diff");
}

static int zcmp_main(struct proc *p, const struct cmd_args *a)
{
	return run(p, a, "cmp");
}

/* ---- zless, zmore ------------------------------------------------------------------------------------------------ */

/* The options of less and more that are about a screen; those that would change the text are refused. */
static void check_options(struct proc *p, const struct cmd_args *a, const char *screen)
{
	for (int i = 0; i < a->argc; i++) {
		const char *s = a->argv[i];

		if (s[0] != '-' || !s[1])
			continue;
		if (s[1] == '-')
			u_usage(p, "unrecognized option %s", u_quote(p, s));
		for (s++; *s; s++)
			if (!strchr(screen, *s))
				u_usage(p, "invalid option -- '%c'", *s);
	}
}

static int page(struct proc *p, const struct cmd_args *a, bool headings, const char *screen)
{
	int status = 0, files = 0;

	check_options(p, a, screen);
	for (int i = 0; i < a->argc; i++)
		files += a->argv[i][0] != '-' || !a->argv[i][1];
	for (int i = 0; i < a->argc || (files == 0 && i == a->argc); i++) {
		const char *file = i < a->argc ? a->argv[i] : "-";
		char *argv[] = {u_strdup(p, "gzip"), u_strdup(p, "-cdfq"), u_strdup(p, "--"), u_strdup(p, file), NULL};

		/* The options are for a screen. */
		if (file[0] == '-' && file[1])
			continue;
		if (headings && files > 1)
			u_printf(u_stdout(p), "------> %s <------\n", file);
		u_flush(u_stdout(p));
		if (!zpipe_good(zpipe_wait(p, zpipe_start(p, "gzip", argv, 0, 1, -1))))
			status = 1;
	}
	return status;
}

static int zless_main(struct proc *p, const struct cmd_args *a)
{
	return page(p, a, false, "RrSXFEefiIqMm");
}

static int zmore_main(struct proc *p, const struct cmd_args *a)
{
	return page(p, a, true, "dflcpue");
}

static const struct cmd_example zdiff_examples[] = {
	{"printf 'a\\nb\\n' | gzip > x.gz; printf 'a\\nc\\n' > y; zdiff x.gz y", "2c2\n< b\n---\n> c\n"},
};

const struct cmd cmd_zdiff = {
	.name = "zdiff",
	.summary = "compare what compressed files hold, line by line",
	.synopsis = "[OPTION]... FILE1 [FILE2]",
	.description = "Options, which come first, are those of diff. Without FILE2, FILE.gz is compared with FILE.",
	.raw = true,
	.usage_status = 2,
	.main = zdiff_main,
	.examples = zdiff_examples,
	.nexamples = COUNTOF(zdiff_examples),
};

const struct cmd cmd_zcmp = {
	.name = "zcmp",
	.summary = "compare what compressed files hold, byte by byte",
	.synopsis = "[OPTION]... FILE1 [FILE2]",
	.description = "Options, which come first, are those of cmp. Without FILE2, FILE.gz is compared with FILE.",
	.raw = true,
	.usage_status = 2,
	.main = zcmp_main,
};

const struct cmd cmd_zless = {
	.name = "zless",
	.summary = "print files, unpacked where they are compressed",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "There is no terminal in a sandbox: options about screens change nothing, others are refused.",
	.raw = true,
	.main = zless_main,
};

const struct cmd cmd_zmore = {
	.name = "zmore",
	.summary = "print files, unpacked where they are compressed",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "There is no terminal in a sandbox: options about screens change nothing, others are refused.",
	.raw = true,
	.main = zmore_main,
};
