/* cpio.c - cpio: archives of the files whose names come on standard input. Options and main; the rest is in cpio/. */
#include "cpio/cpio.h"

/* ---- What the parts share --------------------------------------------------------------------------- */

void cpio_usage(struct proc *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	u_warn_v(p, 0, fmt, ap);
	va_end(ap);
	u_try_help_as(p, 2);
}

void cpio_error(struct cpio *c, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	u_warn_v(c->p, err, fmt, ap);
	va_end(ap);
	c->status = 2;
}

void cpio_tell(struct cpio *c, const char *name)
{
	const char *text = c->verbose ? u_format(c->p, "%s\n", name) : ".";

	if (c->verbose || c->dots)
		u_write_all(c->p, 2, text, strlen(text));
}

const char *cpio_next_name(struct cpio *c)
{
	struct str line;

	while (u_lines_next(&c->names, &line)) {
		if (line.len > 0)
			return u_strndup(c->p, line.ptr, line.len);
		u_warn(c->p, 0, "blank line ignored");
	}
	if (c->names.err)
		u_die(c->p, 2, c->names.err, "read error");
	return NULL;
}

void cpio_later(struct cpio *c, const struct cpio_member *m)
{
	if (c->nlater == c->later_cap) {
		size_t cap = c->later_cap ? c->later_cap * 2 : 16;

		c->later = arena_grow(&sys_self(c->p)->arena, c->later, c->later_cap * sizeof(*c->later),
				      size_mul(cap, sizeof(*c->later)));
		c->later_cap = cap;
	}
	c->later[c->nlater++] = *m;
}

void cpio_restore(struct cpio *c, const struct cpio_member *m, const char *name)
{
	struct sys_time t = {.sec = m->mtime};
	bool is_link = (m->mode & SYS_S_TYPE) == SYS_S_LINK;
	int r = 0;

	if (!is_link)
		r = sys_chmod(c->p, name, m->mode & 07777, 0);
	if (r >= 0 && c->times)
		r = sys_utimes(c->p, name, t, t, SYS_NOFOLLOW);
	if (r < 0)
		cpio_error(c, r, "%s", name);
}

void cpio_restore_dir(struct cpio *c, const struct cpio_member *m)
{
	if ((m->mode & 0300) == 0300)
		cpio_restore(c, m, m->name);
	else
		cpio_later(c, m);
}

void cpio_parents(struct cpio *c, const char *name)
{
	char *part = u_strdup(c->p, name);

	for (char *s = part + strspn(part, "/"); (s = strchr(s, '/')) != NULL; s += strspn(s, "/")) {
		int r;

		*s = '\0';
		r = sys_mkdir(c->p, part, 0777);
		if (r < 0 && r != -NACRE_EEXIST)
			return; /* making the file itself will say it */
		*s = '/';
	}
}

struct cpio_link *cpio_link_find(struct cpio *c, uint64_t dev, uint64_t ino)
{
	for (struct cpio_link *l = c->links; l; l = l->next) {
		if (l->dev == dev && l->ino == ino && (l->made || c->mode == 'p'))
			return l;
	}
	return NULL;
}

struct cpio_link *cpio_link_add(struct cpio *c, const struct cpio_member *m)
{
	struct cpio_link *l = u_zalloc(c->p, sizeof(*l)), **end = &c->links;

	l->dev = m->dev;
	l->ino = m->ino;
	l->m = *m;
	while (*end)
		end = &(*end)->next;
	*end = l;
	return l;
}

void cpio_from_stat(struct cpio_member *m, const char *name, const struct sys_stat *st)
{
	*m = (struct cpio_member){.name = name, .ino = st->ino, .dev = st->dev, .rdev = st->rdev, .mode = st->mode, .uid = st->uid,
				  .gid = st->gid, .nlink = st->nlink, .mtime = st->mtime.sec, .size = (uint64_t)st->size};
}

/* ---- Options --------------------------------------------------------------------------------------------- */

static void opt_mode(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct cpio *c = opts;

	(void)arg;
	if (o->shrt == 't') {
		c->list = true;
		return;
	}
	if (c->mode)
		cpio_usage(p, "Mode already defined");
	c->mode = o->shrt;
}

static void opt_format(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const char *const names[] = {"bin", "BIN", "odc", "ODC", "newc", "NEWC", "crc", "CRC"};
	struct cpio *c = opts;

	if (o->shrt == 'c') {
		c->format = CPIO_ODC;
		return;
	}
	for (size_t i = 0; i < COUNTOF(names); i++) {
		if (streq(arg, names[i])) {
			c->format = (int)i / 2 + 1;
			return;
		}
	}
	if (streq(arg, "tar") || streq(arg, "ustar") || streq(arg, "TAR") || streq(arg, "USTAR"))
		cpio_usage(p, "format %s is not supported: use tar", arg);
	cpio_usage(p, "invalid archive format `%s'; valid formats are:\ncrc newc odc bin (all-caps also recognized)", arg);
}

/* The size of blocks: nothing depends on it but how many zeros an archive ends with, which is 512 bytes here. */
static void opt_block(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	const char *end;

	(void)opts;
	(void)o;
	if (arg && (num_u64(arg, &end, 10, NULL) != 1 || *end) && (num_u64(arg, &end, 10, NULL) != 512 || *end))
		cpio_usage(p, "blocks of other than 512 bytes are not supported");
	if (!arg)
		cpio_usage(p, "-B is not supported: blocks have 512 bytes");
}

static void opt_pattern_file(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct cpio *c = opts;
	int fd = sys_open(p, arg, SYS_O_READ, 0);
	struct u_lines r;
	struct str line;
	size_t cap = 16;

	(void)o;
	if (fd < 0)
		u_die(p, 2, fd, "%s: Cannot open", arg);
	c->patterns.v = u_array(p, cap, sizeof(*c->patterns.v));
	c->patterns.n = 0;
	for (u_lines_init(&r, p, fd, '\n'); u_lines_next(&r, &line); c->patterns.n++) {
		if (c->patterns.n == cap) {
			c->patterns.v = arena_grow(&sys_self(p)->arena, (void *)c->patterns.v, cap * sizeof(*c->patterns.v),
						   size_mul(cap, 2 * sizeof(*c->patterns.v)));
			cap *= 2;
		}
		c->patterns.v[c->patterns.n] = u_strndup(p, line.ptr, line.len);
	}
	if (r.err)
		u_die(p, 2, r.err, "%s", arg);
	sys_close(p, fd);
}

static void opt_nothing(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)opts;
	(void)o;
	(void)arg;
}

static void opt_usage(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	opt_nothing(p, opts, o, arg);
	u_help(p);
}

static const struct cmd_opt cpio_opts[] = {
	CMD_CALL('o', "create", NULL, opt_mode, "make an archive of the files named on standard input"),
	CMD_CALL('i', "extract", NULL, opt_mode, "extract files from an archive"),
	CMD_CALL('p', "pass-through", NULL, opt_mode, "copy the files named on standard input to a directory"),
	CMD_CALL('t', "list", NULL, opt_mode, "with -i: list the files instead"),
	CMD_CALL('H', "format", "FORMAT", opt_format, "'bin' (the default), 'odc', 'newc' or 'crc'"),
	CMD_CALL('c', NULL, NULL, opt_format, "same as -H odc"),
	CMD_STRING(struct cpio, archive, 'F', "file", "FILE", "the archive, instead of standard input or output"),
	CMD_STRING(struct cpio, archive, 'I', NULL, "FILE", "the same for -i"),
	CMD_STRING(struct cpio, archive, 'O', NULL, "FILE", "the same for -o"),
	CMD_STRING(struct cpio, directory, 'D', "directory", "DIR", "change to DIR first"),
	CMD_FLAG(struct cpio, verbose, 'v', "verbose", "name the files; with -t as ls -l does"),
	CMD_FLAG(struct cpio, dots, 'V', "dot", "print a dot for each file"),
	CMD_FLAG(struct cpio, quiet, 0, "quiet", "do not print the number of blocks"),
	CMD_FLAG(struct cpio, null, '0', "null", "names end in NUL"),
	CMD_FLAG(struct cpio, deref, 'L', "dereference", "copy what symbolic links lead to"),
	CMD_FLAG(struct cpio, reset_times, 'a', "reset-access-time", "set access times back"),
	CMD_FLAG(struct cpio, reproducible, 0, "reproducible", "no device numbers in archives"),
	CMD_FLAG(struct cpio, reproducible, 0, "device-independent", NULL),
	CMD_FLAG(struct cpio, reproducible, 0, "ignore-devno", NULL),
	CMD_FLAG(struct cpio, dirs, 'd', "make-directories", "make directories above files where there are none"),
	CMD_FLAG(struct cpio, times, 'm', "preserve-modification-time", "give files the times they had"),
	CMD_FLAG(struct cpio, unconditional, 'u', "unconditional", "replace files that are newer, too"),
	CMD_FLAG(struct cpio, hard, 'l', "link", "with -p: link files instead of copying them, where possible"),
	CMD_CALL(0, "no-preserve-owner", NULL, opt_nothing, "do not set owners (they are the sandbox's user always)"),
	CMD_FLAG(struct cpio, nonmatching, 'f', "nonmatching", "only files that match none of the patterns"),
	CMD_CALL('E', "pattern-file", "FILE", opt_pattern_file, "more patterns, one a line"),
	CMD_FLAG(struct cpio, to_stdout, 0, "to-stdout", "write the files' data to standard output"),
	CMD_FLAG(struct cpio, numeric, 'n', "numeric-uid-gid", "with -tv: numbers of owners"),
	CMD_FLAG(struct cpio, only_check, 0, "only-verify-crc", "only check the sums of a crc archive"),
	CMD_FLAG(struct cpio, absolute, 0, "absolute-filenames", "names may begin with /"),
	CMD_CALL(0, "no-absolute-filenames", NULL, opt_nothing, "they may not (default)"),
	CMD_CALL(0, "force-local", NULL, opt_nothing, "nothing: archives are local"),
	CMD_CALL(0, "block-size", "N", opt_block, "blocks of N * 512 bytes: 1 only"),
	CMD_CALL('C', "io-size", "N", opt_block, "blocks of N bytes: 512 only"),
	CMD_CALL('B', NULL, NULL, opt_block, NULL),
	CMD_CALL(0, "usage", NULL, opt_usage, NULL),
};

/* ---- Main --------------------------------------------------------------------------------------------------- */

static void open_archive(struct cpio *c)
{
	bool writes = c->mode == 'o';
	int fd = writes;

	if (c->archive) {
		fd = sys_open(c->p, c->archive, writes ? SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC : SYS_O_READ, 0666);
		if (fd < 0)
			u_die(c->p, 2, fd, "Cannot open %s", c->archive);
	}
	c->fd = fd;
	if (writes) {
		c->out = u_zalloc(c->p, sizeof(*c->out));
		u_out_init(c->out, c->p, fd, 0);
	}
}

static void check(struct cpio *c, int argc)
{
	if (c->list && !c->mode)
		c->mode = 'i';
	if (!c->mode)
		cpio_usage(c->p, "You must specify one of -oipt options.");
	if (c->mode == 'o' && argc > 0)
		cpio_usage(c->p, "Too many arguments");
	if (c->mode == 'p' && argc != 1)
		cpio_usage(c->p, argc ? "Too many arguments" : "Not enough arguments");
	if (c->dots && c->verbose)
		cpio_usage(c->p, "both -v and -V given");
	if (!c->format)
		c->format = CPIO_BIN;
}

static int cpio_main(struct proc *p, const struct cmd_args *a)
{
	struct cpio *c = a->opts;
	uint64_t blocks;
	int r;

	c->p = p;
	check(c, a->argc);
	if (c->mode != 'p')
		open_archive(c);
	if (c->directory && (r = sys_chdir(p, c->directory)) < 0)
		u_die(p, 2, r, "cannot change to directory `%s'", c->directory);
	if (c->mode == 'i') {
		c->pattern = a->argv;
		c->npatterns = a->argc;
		cpio_in(c);
	} else {
		u_lines_init(&c->names, p, 0, c->null ? '\0' : '\n');
		if (c->mode == 'o')
			cpio_out(c);
		else
			cpio_pass(c, a->argv[0]);
	}
	u_flush(u_stdout(p));
	if (c->dots)
		u_write_all(p, 2, "\n", 1);
	blocks = c->bytes / 512;
	if (!c->quiet) {
		const char *text = u_format(p, "%llu block%s\n", (unsigned long long)blocks, blocks == 1 ? "" : "s");

		u_write_all(p, 2, text, strlen(text));
	}
	return c->status;
}

static const struct cmd_example cpio_examples[] = {
	{"mkdir d; echo hi > d/f; find d | cpio -o -H newc --quiet > a.cpio; cpio -it --quiet < a.cpio", "d\nd/f\n"},
};

static const struct cmd_missing cpio_missing[] = {
	{"-A, --append", "make a new archive"},
	{"-b, -s, -S, --swap", "of other machines' halfwords"},
	{"-r, --rename; -M, --message", "there is nobody to ask"},
	{"-R, --owner", "the owner is the sandbox's user"},
	{"-W, --warning; --sparse; --renumber-inodes; --rsh-command", ""},
	{"-H tar, ustar, hpbin, hpodc", "use tar"},
};

const struct cmd cmd_cpio = {
	.name = "cpio",
	.summary = "copy files to and from archives, by lists of names",
	.synopsis = "-o [OPTION]... < NAMES > ARCHIVE\n-i [OPTION]... [PATTERN]... < ARCHIVE\n-p [OPTION]... DIRECTORY < NAMES",
	.description =
		"What is extracted stays below the working directory: names lose a leading / and must not hold\n"
		"\"..\", and symbolic links are made last.",
	.opts = cpio_opts,
	.nopts = COUNTOF(cpio_opts),
	.opts_size = sizeof(struct cpio),
	.hint = "Try 'cpio --help' or 'cpio --usage' for more information.",
	.usage_status = 64,
	.failure_status = 2,
	.main = cpio_main,
	.examples = cpio_examples,
	.nexamples = COUNTOF(cpio_examples),
	.missing = cpio_missing,
	.nmissing = COUNTOF(cpio_missing),
};
