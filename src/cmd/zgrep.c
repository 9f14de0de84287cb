/*
 * zgrep.c - zgrep, zegrep, zfgrep: grep in compressed files.
 *
 * Each file goes through `gzip -cdfq` into a grep of its own; the options are grep's, passed on as they are.
 */
#include "zpipe.h"

struct zgrep {
	struct proc *p;
	char **argv;		/* of grep: its options and the pattern */
	int n;
	char **files;
	int nfiles;
	bool names, no_names, lists, quiet;
};

/* grep's status for one file. */
static int one_file(struct zgrep *z, const char *file)
{
	struct proc *p = z->p;
	bool is_stdin = streq(file, "-");
	char **argv = u_array(p, (size_t)z->n + 4, sizeof(*argv));
	int fd, n = 0, from, to, status, unpacked;

	argv[n++] = z->argv[0];
	if (!is_stdin)
		argv[n++] = u_format(p, "--label=%s", file);
	if (!z->no_names && (z->names || z->nfiles > 1))
		argv[n++] = u_strdup(p, "-H");
	for (int i = 1; i <= z->n; i++)
		argv[n++] = z->argv[i];
	argv[n] = NULL;
	from = zpipe_unpack(p, file, &fd);
	to = zpipe_start(p, "grep", argv, fd, 1, -1);
	sys_close(p, fd);
	status = zpipe_wait(p, to);
	unpacked = zpipe_wait(p, from);
	if (!zpipe_good(unpacked))
		return 2;
	return status;
}

/* ---- The words -------------------------------------------------------------------------------- */

static NORETURN void unsupported(struct proc *p, const char *option)
{
	u_warn(p, 0, "%s: option not supported", option);
	u_exit(p, 2);
}

static void look_at_letters(struct zgrep *z, const char *s, bool *takes_next, bool *has_pattern)
{
	for (; *s; s++) {
		switch (*s) {
		case 'H': z->names = true; break;
		case 'h': z->no_names = true; break;
		case 'l':
		case 'L': z->lists = true; break;
		case 'r':
		case 'R':
		case 'd':
		case 'D':
		case 'z':
		case 'Z': unsupported(z->p, u_format(z->p, "-%c", *s));
		case 'e':
		case 'f': *has_pattern = true; /* fall through */
		case 'A':
		case 'B':
		case 'C':
		case 'm': *takes_next = s[1] == '\0'; return;
		default: break;
		}
	}
}

static void look_at_long(struct zgrep *z, const char *s, bool *takes_next, bool *has_pattern)
{
	static const char *const with_argument[] = {"--regexp", "--file", "--after-context", "--before-context", "--context", "--max-count"};
	static const char *const refused[] = {"--recursive", "--dereference-recursive", "--directories", "--devices", "--null", "--include", "--exclude",
					      "--null-data", "--exclude-from", "--exclude-dir"};
	size_t n = strcspn(s, "=");

	for (size_t i = 0; i < COUNTOF(refused); i++) {
		if (strlen(refused[i]) == n && strncmp(s, refused[i], n) == 0)
			unsupported(z->p, refused[i]);
	}
	if (strncmp(s, "--regexp", 8) == 0 || strncmp(s, "--file=", 7) == 0 || streq(s, "--file"))
		*has_pattern = true;
	z->names |= streq(s, "--with-filename");
	z->no_names |= streq(s, "--no-filename");
	for (size_t i = 0; i < COUNTOF(with_argument); i++)
		*takes_next |= streq(s, with_argument[i]);
}

static void read_words(struct zgrep *z, int argc, char **argv)
{
	bool has_pattern = false, options = true, takes_next = false;

	z->files = u_array(z->p, (size_t)argc + 2, sizeof(*z->files));
	for (int i = 0; i < argc; i++) {
		char *s = argv[i];

		if (takes_next) {
			z->argv[++z->n] = s;
			takes_next = false;
		} else if (options && streq(s, "--")) {
			options = false;
		} else if (options && s[0] == '-' && s[1]) {
			if (s[1] == '-')
				look_at_long(z, s, &takes_next, &has_pattern);
			else
				look_at_letters(z, s + 1, &takes_next, &has_pattern);
			z->argv[++z->n] = s;
		} else {
			z->files[z->nfiles++] = s;
		}
	}
	if (has_pattern)
		return;
	if (z->nfiles == 0)
		u_die(z->p, 2, 0, "missing pattern; try `%s --help' for help", u_name(z->p));
	z->argv[++z->n] = u_strdup(z->p, "-e");
	z->argv[++z->n] = z->files[0];
	z->files++;
	z->nfiles--;
}

static int run(struct proc *p, const struct cmd_args *a, const char *syntax)
{
	struct zgrep z = {.p = p};
	int result = 1;

	z.argv = u_array(p, (size_t)a->argc * 2 + 8, sizeof(*z.argv));
	z.argv[0] = u_strdup(p, "grep");
	if (syntax)
		z.argv[++z.n] = u_strdup(p, syntax);
	read_words(&z, a->argc, a->argv);
	if (z.nfiles == 0)
		z.files[z.nfiles++] = u_strdup(p, "-");
	if (z.lists)
		z.names = false;
	for (int i = 0; i < z.nfiles; i++) {
		int status = one_file(&z, z.files[i]);

		if (status > 1)
			result = 2;
		else if (status == 0 && result == 1)
			result = 0;
	}
	return result;
}

static int zgrep_main(struct proc *p, const struct cmd_args *a) { return run(p, a, NULL); }
static int zegrep_main(struct proc *p, const struct cmd_args *a) { return run(p, a, "-E"); }
static int zfgrep_main(struct proc *p, const struct cmd_args *a) { return run(p, a, "-F"); }

static const struct cmd_example zgrep_examples[] = {
	{"printf 'a\\nb\\n' | gzip > f.gz; zgrep -n b f.gz", "2:b\n"},
};

#define ZGREP_COMMON .synopsis = "[OPTION]... [-e] PATTERN [FILE]...", .raw = true, .usage_status = 2

const struct cmd cmd_zgrep = {
	.name = "zgrep",
	.summary = "look for instances of PATTERN in the input FILEs, using their uncompressed contents if they are compressed",
	.description = "Options are the same as for 'grep'.",
	.main = zgrep_main,
	.examples = zgrep_examples,
	.nexamples = COUNTOF(zgrep_examples),
	ZGREP_COMMON,
};

const struct cmd cmd_zegrep = {
	.name = "zegrep",
	.summary = "as zgrep -E",
	.main = zegrep_main,
	ZGREP_COMMON,
};

const struct cmd cmd_zfgrep = {
	.name = "zfgrep",
	.summary = "as zgrep -F",
	.main = zfgrep_main,
	ZGREP_COMMON,
};
