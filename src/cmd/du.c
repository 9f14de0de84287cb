/*
 * du.c - how much space files take, summed up per directory.
 *
 * The walk is depth first; one entry per level holds the sums so far. A file with several names is
 * counted once: its device and number are remembered in a table.
 */
#include "cmd.h"

struct du {
	bool all, apparent, bytes, total, dereference, dereference_args, one_fs, separate, zero, inodes, count_links, human, si;
	const char *depth, *threshold, *files0;
	struct cmd_list exclude, exclude_from;
	bool summarize;
	uint64_t block;
	bool suffix;		/* sizes are followed by the block's unit */

	struct proc *p;
	uint64_t max_depth;
	int64_t least;
	char unit[8];
	struct du_seen *seen;
	size_t seen_n, seen_cap;
	uint64_t grand;
	int status;
	int time;		/* 0, or which one is shown: m, a or c */
	const char *time_style;
	struct sys_time newest;	/* of all */
	const struct u_tz *tz;
};

static void opt_block(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct du *d = opts;
	const char *s = arg;
	bool at_1 = s && !ascii_digit(*s);

	(void)p;
	d->human = d->si = d->suffix = false;
	switch (o->shrt) {
	case 'k': d->block = 1024; return;
	case 'm': d->block = 1u << 20; return;
	case 'b': d->block = 1, d->apparent = true; return;
	case 'h': d->human = true; return;
	default: break;
	}
	if (o->lng && streq(o->lng, "si")) {
		d->si = true;
		return;
	}
	if (streq(s, "human-readable")) {
		d->human = true;
	} else if (streq(s, "si")) {
		d->si = true;
	} else {
		if (at_1)
			s = u_format(p, "1%s", arg);
		if (u_parse_size(s, "EGKkMmPTYZ0", &d->block) < 0)
			u_die(p, 1, 0, "invalid %s argument %s", o->shrt ? "-B" : "--block-size", u_quote(p, arg));
		if (d->block == 0)
			u_die(p, 1, 0, "invalid %s argument %s", o->shrt ? "-B" : "--block-size", u_quote(p, arg));
		d->suffix = at_1;
		fmt_buf(d->unit, sizeof(d->unit), "%s", at_1 ? arg : "");
	}
}

static void opt_time(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const struct u_word words[] = {{"atime", 'a'}, {"access", 'a'}, {"use", 'a'}, {"ctime", 'c'}, {"status", 'c'}};

	((struct du *)opts)->time = arg ? u_word_or_die(p, "--time", arg, words, COUNTOF(words)) : 'm';
	(void)o;
}

/* The last of -D, -H, -L and -P counts. */
static void opt_follow(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct du *d = opts;

	(void)p;
	(void)arg;
	d->dereference = o->shrt == 'L';
	d->dereference_args = o->shrt == 'D' || o->shrt == 'H';
}

static const struct cmd_opt du_opts[] = {
	CMD_FLAG(struct du, zero, '0', "null", "end each output line with NUL, not newline"),
	CMD_FLAG(struct du, all, 'a', "all", "write counts for all files, not just directories"),
	CMD_FLAG(struct du, apparent, 0, "apparent-size", "print apparent sizes rather than device usage"),
	CMD_CALL('B', NULL, "SIZE", opt_block, NULL),
	CMD_CALL(0, "block-size", "SIZE", opt_block, "scale sizes by SIZE before printing them (also -B SIZE)"),
	CMD_CALL('b', "bytes", NULL, opt_block, "equivalent to '--apparent-size --block-size=1'"),
	CMD_FLAG(struct du, total, 'c', "total", "produce a grand total"),
	CMD_CALL('D', "dereference-args", NULL, opt_follow, "follow symlinks of the command line only"),
	CMD_CALL('H', NULL, NULL, opt_follow, "equivalent to -D"),
	CMD_STRING(struct du, depth, 'd', "max-depth", "N", "print totals only for N or fewer levels"),
	CMD_STRING(struct du, files0, 0, "files0-from", "F", "summarize the NUL-terminated names in file F"),
	CMD_CALL('h', "human-readable", NULL, opt_block, "print sizes in human readable format (1K, 234M)"),
	CMD_FLAG(struct du, inodes, 0, "inodes", "count files instead of space"),
	CMD_CALL('k', NULL, NULL, opt_block, "like --block-size=1K"),
	CMD_CALL('L', "dereference", NULL, opt_follow, "follow all symbolic links"),
	CMD_FLAG(struct du, count_links, 'l', "count-links", "count sizes many times if hard linked"),
	CMD_CALL('m', NULL, NULL, opt_block, "like --block-size=1M"),
	CMD_CALL('P', "no-dereference", NULL, opt_follow, "don't follow any symbolic links (this is the default)"),
	CMD_FLAG(struct du, separate, 'S', "separate-dirs", "for directories do not include subdirectories"),
	CMD_CALL(0, "si", NULL, opt_block, "like -h, but use powers of 1000"),
	CMD_FLAG(struct du, summarize, 's', "summarize", "display only a total for each argument"),
	CMD_STRING(struct du, threshold, 't', "threshold", "SIZE", "leave out entries smaller than SIZE, or larger\nthan it if SIZE is negative"),
	CMD_CALL_OPTIONAL(0, "time", "WORD", opt_time, "show time of the last modification of any file in the\ndirectory, or "
						       "any of its subdirectories;\nWORD: atime, access, use, ctime or status"),
	CMD_STRING(struct du, time_style, 0, "time-style", "STYLE", "show times using STYLE: full-iso, long-iso, iso or +FORMAT"),
	CMD_LIST(struct du, exclude_from, 'X', "exclude-from", "FILE", "exclude files that match any pattern in FILE"),
	CMD_LIST(struct du, exclude, 0, "exclude", "PATTERN", "exclude files that match PATTERN"),
	CMD_FLAG(struct du, one_fs, 'x', "one-file-system", "skip directories on different file systems"),
};

static void defaults(void *opts)
{
	((struct du *)opts)->block = 1024;
}

/* ---- Files seen ------------------------------------------------------------------------- */

struct du_seen {
	uint64_t dev, ino;
	bool used;
};

static struct du_seen *slot(struct du_seen *v, size_t cap, uint64_t dev, uint64_t ino)
{
	size_t i = (size_t)((ino * UINT64_C(0x9e3779b97f4a7c15) ^ dev) >> 7) & (cap - 1);

	while (v[i].used && !(v[i].dev == dev && v[i].ino == ino))
		i = (i + 1) & (cap - 1);
	return &v[i];
}

/* True when the file was counted before; remembers it otherwise. */
static bool seen(struct du *d, const struct sys_stat *st)
{
	struct du_seen *s;

	if ((d->seen_n + 1) * 4 > d->seen_cap * 3) {
		size_t cap = d->seen_cap ? d->seen_cap * 2 : 64;
		struct du_seen *v = u_zalloc(d->p, size_mul(cap, sizeof(*v)));

		for (size_t i = 0; i < d->seen_cap; i++) {
			if (d->seen[i].used)
				*slot(v, cap, d->seen[i].dev, d->seen[i].ino) = d->seen[i];
		}
		d->seen = v;
		d->seen_cap = cap;
	}
	s = slot(d->seen, d->seen_cap, st->dev, st->ino);
	if (s->used)
		return true;
	*s = (struct du_seen){st->dev, st->ino, true};
	d->seen_n++;
	return false;
}

/* ---- Output ------------------------------------------------------------------------------ */

static void put_time(struct du *d, struct sys_time t)
{
	struct u_buf b;
	struct u_tm tm;

	u_buf_init(&b, d->p, 0);
	u_time_split(d->tz, t, &tm);
	u_time_format(&b, d->time_style, strlen(d->time_style), &tm);
	u_printf(u_stdout(d->p), "\t%s", b.ptr);
}

static void print(struct du *d, uint64_t n, struct sys_time t, const char *name)
{
	struct u_out *out = u_stdout(d->p);
	char buf[32];

	if (d->least > 0 ? n < (uint64_t)d->least : d->least < 0 && n > (uint64_t)-d->least)
		return;
	if (d->human || d->si)
		u_puts(out, u_human(buf, n, d->si ? 1000 : 1024));
	else if (d->inodes)
		u_printf(out, "%llu", (unsigned long long)n);
	else
		u_printf(out, "%llu%s", (unsigned long long)(n / d->block + (n % d->block != 0)), d->suffix ? d->unit : "");
	if (d->time)
		put_time(d, t);
	u_printf(out, "\t%s%c", name, d->zero ? '\0' : '\n');
}

static bool excluded(const struct du *d, const char *path)
{
	for (size_t i = 0; i < d->exclude.n; i++) {
		const char *pattern = d->exclude.v[i];

		/* A pattern matches a whole path or what follows any slash in it. */
		for (const char *s = path; s; s = strchr(s, '/')) {
			s += *s == '/';
			if (u_glob_match(pattern, strlen(pattern), s, strlen(s), 0))
				return true;
		}
	}
	return false;
}

/* ---- Walking ----------------------------------------------------------------------------- */

struct level {
	uint64_t own, below;	/* of the directory and its files; of its subdirectories */
	struct sys_time newest;	/* of all of them */
};

static uint64_t size_of(const struct du *d, const struct sys_stat *st)
{
	uint32_t type = st->mode & SYS_S_TYPE;

	if (d->inodes)
		return 1;
	if (d->apparent)
		return type == SYS_S_FILE || type == SYS_S_LINK || type == SYS_S_DIR ? (uint64_t)st->size : 0;
	return (uint64_t)st->blocks * 512;
}

static struct sys_time time_of(const struct du *d, const struct sys_stat *st)
{
	return d->time == 'a' ? st->atime : d->time == 'c' ? st->ctime : st->mtime;
}

static struct sys_time later(struct sys_time a, struct sys_time b)
{
	return a.sec > b.sec || (a.sec == b.sec && a.nsec >= b.nsec) ? a : b;
}

static void du_one(struct du *d, const char *root)
{
	unsigned flags = (d->dereference ? U_WALK_FOLLOW : d->dereference_args ? U_WALK_FOLLOW_ROOT : 0) |
			 (d->one_fs ? U_WALK_ONE_FS : 0);
	struct u_walk *w = u_walk_new(d->p, root, flags);
	struct u_walk_entry e;
	struct level *level = NULL;
	size_t cap = 0;

	while (u_walk_next(w, &e)) {
		size_t depth = (size_t)e.depth;
		uint64_t n;

		sys_checkpoint(d->p);
		if (depth + 2 > cap) {
			struct level *v = u_zalloc(d->p, size_mul(depth * 2 + 16, sizeof(*v)));

			if (cap)
				memcpy(v, level, cap * sizeof(*v));
			level = v;
			cap = depth * 2 + 16;
		}
		switch (e.event) {
		case U_WALK_ERROR:
			u_warn(d->p, e.err, depth == 0 && e.err == -NACRE_ENOENT ? "cannot access %s" : "cannot read directory %s",
			       u_quote_file(d->p, e.path));
			d->status = 1;
			break;
		case U_WALK_CYCLE: break;
		case U_WALK_DIR_PRE:
			if (excluded(d, e.path) || (!d->count_links && seen(d, &e.st))) {
				u_walk_skip(w);
				break;
			}
			level[depth] = (struct level){size_of(d, &e.st), 0, time_of(d, &e.st)};
			break;
		case U_WALK_DIR_POST:
			n = level[depth].own + level[depth].below;
			if (depth > 0) {
				level[depth - 1].below += n;
				level[depth - 1].newest = later(level[depth - 1].newest, level[depth].newest);
			} else {
				d->grand += n;
				d->newest = later(d->newest, level[depth].newest);
			}
			if (depth <= d->max_depth)
				print(d, d->separate ? level[depth].own : n, level[depth].newest, e.path);
			break;
		case U_WALK_FILE:
			if (excluded(d, e.path) || (!d->count_links && (e.st.nlink > 1 || depth == 0) && seen(d, &e.st)))
				break;
			n = size_of(d, &e.st);
			if (depth > 0) {
				level[depth - 1].own += n;
				level[depth - 1].newest = later(level[depth - 1].newest, time_of(d, &e.st));
			} else {
				d->grand += n;
				d->newest = later(d->newest, time_of(d, &e.st));
			}
			if (depth == 0 || (d->all && depth <= d->max_depth))
				print(d, n, time_of(d, &e.st), e.path);
			break;
		}
	}
}

/* ---- Arguments --------------------------------------------------------------------------- */

static void read_excludes(struct du *d)
{
	for (size_t i = 0; i < d->exclude_from.n; i++) {
		int fd = u_open_operand(d->p, d->exclude_from.v[i]);
		struct u_lines r;
		struct str line;

		if (fd < 0)
			u_try_help(d->p);
		u_lines_init(&r, d->p, fd, '\n');
		while (u_lines_next(&r, &line)) {
			const char **v = u_array(d->p, d->exclude.n + 1, sizeof(*v));

			if (line.len == 0)
				continue;
			if (d->exclude.n)
				memcpy(v, d->exclude.v, d->exclude.n * sizeof(*v));
			v[d->exclude.n++] = u_strndup(d->p, line.ptr, line.len);
			d->exclude.v = v;
		}
		u_close_operand(d->p, fd);
	}
}

static void from_list(struct du *d)
{
	int fd = streq(d->files0, "-") ? 0 : sys_open(d->p, d->files0, SYS_O_READ, 0);
	struct u_lines r;
	struct str line;
	uint64_t number = 0;

	if (fd < 0)
		u_die(d->p, 1, fd, "cannot open %s for reading", u_quote_file(d->p, d->files0));
	u_lines_init(&r, d->p, fd, '\0');
	while (u_lines_next(&r, &line)) {
		number++;
		if (line.len == 0) {
			u_warn(d->p, 0, "%s:%llu: invalid zero-length file name", d->files0, (unsigned long long)number);
			d->status = 1;
			continue;
		}
		du_one(d, u_strndup(d->p, line.ptr, line.len));
	}
}

static void set_time_style(struct du *d)
{
	static const struct u_word words[] = {{"full-iso", 0}, {"long-iso", 1}, {"iso", 2}};
	static const char *const formats[] = {"%Y-%m-%d %H:%M:%S.%N %z", "%Y-%m-%d %H:%M", "%Y-%m-%d"};
	const char *style = d->time_style ? d->time_style : u_getenv(d->p, "TIME_STYLE");

	d->tz = u_tz_get(d->p, NULL);
	if (style && *style == '+')
		d->time_style = style + 1;
	else
		d->time_style = formats[d->time_style ? u_word_or_die(d->p, "time style", style, words, COUNTOF(words)) : 1];
}

static int du_main(struct proc *p, const struct cmd_args *a)
{
	struct du *d = a->opts;

	d->p = p;
	if (d->inodes && d->apparent)
		u_warn(p, 0, "warning: options --apparent-size and -b are ineffective with --inodes");
	d->max_depth = UINT64_MAX;
	set_time_style(d);
	if (d->depth) {
		if (!ascii_digit(d->depth[0]) || u_parse_size(d->depth, NULL, &d->max_depth) < 0) {
			u_warn(p, 0, "invalid maximum depth %s", u_quote(p, d->depth));
			u_try_help(p);
		}
		if (d->summarize && d->max_depth == 0)
			u_warn(p, 0, "warning: summarizing is the same as using --max-depth=0");
		else if (d->summarize)
			u_usage(p, "warning: summarizing conflicts with --max-depth=%s", d->depth);
	}
	if (d->all && d->summarize) {
		u_warn(p, 0, "cannot both summarize and show all entries");
		u_try_help(p);
	}
	if (d->summarize)
		d->max_depth = 0;
	if (d->threshold) {
		bool minus = d->threshold[0] == '-';
		uint64_t v;

		if (u_parse_size(d->threshold + minus, "kKmMGTPEZY0", &v) < 0 || v > INT64_MAX)
			u_die(p, 1, 0, "invalid -t argument %s", u_quote(p, d->threshold));
		if (minus && v == 0)
			u_die(p, 1, 0, "invalid -t argument '-0'");
		d->least = minus ? -(int64_t)v : (int64_t)v;
	}
	read_excludes(d);
	if (d->files0) {
		static const char text[] = "file operands cannot be combined with --files0-from\n";

		if (a->argc > 0) {
			u_warn(p, 0, "extra operand %s", u_quote(p, a->argv[0]));
			(void)!sys_write(p, 2, text, sizeof(text) - 1);
			u_try_help(p);
		}
		from_list(d);
	} else if (a->argc == 0) {
		du_one(d, ".");
	}
	for (int i = 0; i < a->argc; i++)
		du_one(d, a->argv[i]);
	if (d->total)
		print(d, d->grand, d->newest, "total");
	return d->status;
}

static const struct cmd_example du_examples[] = {
	{"mkdir d; printf 12345 > d/f; du -b d/f", "5\td/f\n"},
};

const struct cmd cmd_du = {
	.name = "du",
	.summary = "summarize device usage of the set of FILEs, recursively for directories",
	.synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
	.description =
		"SIZE is a number and optional unit: K, M, G, T, P, E (powers of 1024) or\n"
		"KB, MB, ... (powers of 1000). Without FILE, the working directory is summed up.",
	.opts = du_opts,
	.nopts = COUNTOF(du_opts),
	.opts_size = sizeof(struct du),
	.defaults = defaults,
	.main = du_main,
	.examples = du_examples,
	.nexamples = COUNTOF(du_examples),
};
