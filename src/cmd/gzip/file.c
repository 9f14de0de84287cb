/*
 * file.c - one operand of gzip: which names it reads and writes, what is refused, what is said.
 */
#include "gzip.h"

#define OUT_NAME_MAX 4096

/* ---- Names ----------------------------------------------------------------------- */

/* Where a known suffix begins in the name, NULL when it has none. */
static const char *find_suffix(struct gzip *g, const char *name)
{
	const char *known[] = {g->suffix, ".gz", ".z", ".taz", ".tgz", "-gz", "-z", "_z"};
	size_t n = strlen(name);

	for (size_t i = 0; i < COUNTOF(known); i++) {
		size_t len = strlen(known[i]), k = 0;

		if (n <= len || name[n - len - 1] == '/')
			continue;
		while (k < len && (i == 0 ? known[i][k] == name[n - len + k]
					  : known[i][k] == (char)ascii_tolower((unsigned char)name[n - len + k])))
			k++;
		if (k == len)
			return name + n - len;
	}
	return NULL;
}

/* The name to write to; NULL when the file is to be left alone (said). */
static const char *output_name(struct gzip *g)
{
	const char *suffix = find_suffix(g, g->in_name);

	if (!g->decompress) {
		if (!suffix)
			return u_format(g->p, "%s%s", g->in_name, g->suffix);
		if (g->verbose || (!g->recursive && !g->quiet))
			gzip_say(g, "%s: %s already has %s suffix -- unchanged\n", u_name(g->p), g->in_name, suffix);
		return NULL;
	}
	if (suffix) {
		size_t n = (size_t)(suffix - g->in_name);
		bool tar = (strlen(suffix) == 4 && ascii_tolower((unsigned char)suffix[1]) == 't') && !streq(suffix, g->suffix);

		return u_format(g->p, "%.*s%s", (int)n, g->in_name, tar ? ".tar" : "");
	}
	if (!g->recursive && (g->list || g->test))
		return g->in_name;
	if (g->verbose || !g->recursive)
		gzip_warn(g, "%s: %s: unknown suffix -- ignored\n", u_name(g->p), g->in_name);
	return NULL;
}

/* -N: the name from the header, in the directory of the file. */
static const char *stored_output_name(struct gzip *g, const char *name)
{
	const char *base = g->stored_name ? u_basename(g->p, g->stored_name) : NULL;
	const char *slash = strrchr(g->in_name, '/');

	if (g->name != GZIP_NAME_KEEP || !base)
		return name;
	if (!g->list && (!*base || streq(base, ".") || streq(base, "..") || streq(base, "/")))
		return name;
	return u_format(g->p, "%.*s%s", slash ? (int)(slash + 1 - g->in_name) : 0, g->in_name, base);
}

/* ---- The input -------------------------------------------------------------------- */

static int open_named(struct gzip *g, const char *path)
{
	bool in_place = !g->to_stdout && !g->list && !g->test;
	unsigned flags = SYS_O_READ | SYS_O_CLOEXEC | (g->force || (g->to_stdout && !g->list) ? 0 : SYS_O_NOFOLLOW) |
			 (in_place ? SYS_O_NONBLOCK : 0);

	g->in_name = path;
	return sys_open(g->p, path, flags, 0);
}

/* Opens the operand, trying the usual suffixes when decompressing. -1 after a message. */
static int open_input(struct gzip *g, const char *path)
{
	const char *tries[] = {g->suffix, ".gz", ".z", "-z", ".Z"};
	int fd = open_named(g, path), r;

	if (fd == -NACRE_ENOENT && g->decompress && !find_suffix(g, path)) {
		for (size_t i = 0; fd == -NACRE_ENOENT && i < COUNTOF(tries); i++)
			fd = open_named(g, u_format(g->p, "%s%s", path, tries[i]));
		if (fd == -NACRE_ENOENT)
			g->in_name = u_format(g->p, "%s%s", path, tries[0]);
	}
	r = fd < 0 ? fd : sys_fstat(g->p, fd, &g->st);
	if (r < 0) {
		u_warn(g->p, r, "%s", g->in_name);
		g->status = 1;
		return -1;
	}
	g->is_file = (g->st.mode & SYS_S_TYPE) == SYS_S_FILE;
	return fd;
}

/* What is not replaced by its compressed form. */
static bool is_fit(struct gzip *g)
{
	const char *name = u_name(g->p);

	if (!g->is_file)
		gzip_warn(g, "%s: %s is not a directory or a regular file - ignored\n", name, g->in_name);
	else if (g->st.mode & 04000)
		gzip_warn(g, "%s: %s is set-user-ID on execution - ignored\n", name, g->in_name);
	else if (g->st.mode & 02000)
		gzip_warn(g, "%s: %s is set-group-ID on execution - ignored\n", name, g->in_name);
	else if (!g->force && g->st.mode & 01000)
		gzip_warn(g, "%s: %s has the sticky bit set - file ignored\n", name, g->in_name);
	else if (!g->force && g->st.nlink > 1)
		gzip_warn(g, "%s: %s has %u other link%s -- file ignored\n", name, g->in_name, g->st.nlink - 1, g->st.nlink > 2 ? "s" : "");
	else
		return true;
	return false;
}

/* ---- The output ------------------------------------------------------------------- */

static bool make_output(struct gzip *g, int *fd)
{
	unsigned flags = SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_CLOEXEC;

	*fd = sys_open(g->p, g->out_name, flags, 0600);
	if (*fd == -NACRE_EEXIST && !g->force) {
		gzip_warn(g, "%s: %s already exists;\tnot overwritten\n", u_name(g->p), g->out_name);
		return false;
	}
	if (*fd == -NACRE_EEXIST) {
		int r = sys_unlink(g->p, g->out_name);

		*fd = r < 0 ? r : sys_open(g->p, g->out_name, flags, 0600);
	}
	if (*fd < 0) {
		u_warn(g->p, *fd, "%s", g->out_name);
		g->status = 1;
		return false;
	}
	g->made_output = true;
	return true;
}

static void copy_attributes(struct gzip *g)
{
	struct sys_time mtime = g->st.mtime;
	int r;

	if (g->decompress && g->name == GZIP_NAME_KEEP && g->stamp) {
		mtime = (struct sys_time){g->stamp, 0};
		if (g->verbose && mtime.sec != g->st.mtime.sec)
			gzip_say(g, "%s: time stamp restored\n", g->out_name);
	}
	r = sys_chown(g->p, g->out_name, g->st.uid, g->st.gid, SYS_NOFOLLOW);
	(void)r; /* as far as it goes: owner first, then the mode, whose bits a change of owner clears */
	r = sys_chmod(g->p, g->out_name, g->st.mode & 0777, SYS_NOFOLLOW);
	if (r == 0)
		r = sys_utimes(g->p, g->out_name, g->st.atime, mtime, SYS_NOFOLLOW);
	if (r < 0 && !g->quiet)
		u_warn(g->p, r, "%s", g->out_name);
}

/* ---- Saying what was done ----------------------------------------------------------- */

/* How much smaller `small` is than `big`, "%5.1f%%". */
static const char *ratio(struct gzip *g, uint64_t big, int64_t saved)
{
	return u_format(g->p, "%5.1f%%", big ? 100.0 * (double)saved / (double)big : 0.0);
}

static const char *ratio_of(struct gzip *g)
{
	uint64_t plain = g->decompress ? g->q.out_total : g->q.in_total;
	uint64_t packed = g->decompress ? g->q.in_total : g->q.out_total;

	return ratio(g, plain, (int64_t)(plain - (packed - g->header_size)));
}

static void report(struct gzip *g, bool to_file)
{
	if (g->test) {
		gzip_say(g, " OK\n");
		return;
	}
	if (!streq(g->in_name, "stdin"))
		gzip_say(g, "%s -- %s %s\n", ratio_of(g), to_file && g->keep ? "created" : "replaced with", g->out_name);
	else if (!g->decompress)
		gzip_say(g, "%s\n", ratio_of(g));
}

/* ---- -l ------------------------------------------------------------------------------- */

static void list_head(struct gzip *g)
{
	if (g->listed++ || g->quiet)
		return;
	if (g->verbose)
		u_puts(u_stdout(g->p), "method  crc     date  time  ");
	u_puts(u_stdout(g->p), "         compressed        uncompressed  ratio uncompressed_name\n");
}

static void list_line(struct gzip *g)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct u_out *o = u_stdout(g->p);
	struct u_tm tm;

	list_head(g);
	if (g->verbose) {
		int64_t when = g->name == GZIP_NAME_KEEP && g->stamp ? g->stamp : g->is_file ? g->st.mtime.sec : 0;

		u_time_split(u_tz_get(g->p, NULL), (struct sys_time){when, 0}, &tm);
		u_printf(o, "defla %08x %.3s %2d %02d:%02d ", g->stored_crc, months + 3 * (tm.mon - 1), tm.mday, tm.hour, tm.min);
	}
	u_printf(o, "%19llu %19llu %s %s\n", (unsigned long long)g->q.in_total, (unsigned long long)g->q.out_total, ratio_of(g), g->out_name);
	g->sum_in += g->q.in_total;
	g->sum_out += g->q.out_total;
}

void gzip_list_totals(struct gzip *g)
{
	struct u_out *o = u_stdout(g->p);

	if (g->quiet || !g->sum_in || !g->sum_out)
		return;
	if (g->verbose)
		u_puts(o, "                            ");
	u_printf(o, "%19llu %19llu %s (totals)\n", (unsigned long long)g->sum_in, (unsigned long long)g->sum_out,
		 ratio(g, g->sum_out, (int64_t)(g->sum_out - (g->sum_in - g->header_size))));
}

/* ---- Working ---------------------------------------------------------------------------- */

/* All members. 0, 1 after a damaged one, or PUMP_WRITE. */
static int decompress(struct gzip *g, enum gzip_member member)
{
	int r = 0;

	while (member == GZIP_DEFLATE) {
		r = gzip_read_member(g);
		if (r)
			return r;
		member = gzip_read_header(g);
		sys_checkpoint(g->p);
	}
	return member == GZIP_STORED ? pump_copy(&g->q) : member == GZIP_ERROR;
}

static int work(struct gzip *g, enum gzip_member member)
{
	int r = 0;

	if (g->decompress)
		r = decompress(g, member);
	else
		gzip_write_member(g);
	if (g->q.err == 0)
		pump_flush(&g->q);
	if (r == PUMP_READ || g->q.err)
		gzip_abort(g, g->q.err, r == PUMP_READ ? NULL : g->out_name);
	return r;
}

/* The input is open; `fd` of the output is -1 when nothing is written. */
static void treat(struct gzip *g, int in, bool to_file)
{
	enum gzip_member member = GZIP_DEFLATE;
	bool named = !streq(g->in_name, "stdin");
	int out = g->list || g->test ? -1 : 1, r;

	pump_open(&g->q, in, out);
	g->part = 0;
	g->made_output = false;
	g->stamp = 0;
	g->stored_name = NULL;
	g->out_name = named && (to_file || g->list || g->test) ? output_name(g) : "stdout";
	if (!g->out_name)
		return;
	if (g->decompress) {
		member = gzip_read_header(g);
		if (member == GZIP_ERROR)
			return;
		g->out_name = to_file || g->list ? stored_output_name(g, g->out_name) : g->out_name;
	}
	if (to_file && !make_output(g, &g->q.out))
		return;
	if (g->verbose && named && !g->list)
		gzip_say(g, "%s:\t", g->in_name);
	r = work(g, member);
	if (to_file)
		sys_close(g->p, g->q.out);
	if (r) {
		g->status = 1;
		if (!g->test)
			gzip_abort(g, 0, "");
		return;
	}
	if (to_file) {
		copy_attributes(g);
		g->made_output = false;
		r = g->keep ? 0 : sys_unlink(g->p, g->in_name);
		if (r < 0)
			u_warn(g->p, r, "%s", g->in_name);
	}
	if (g->list)
		list_line(g);
	else if (g->verbose)
		report(g, to_file);
}

/* -r: everything below. */
static void treat_dir(struct gzip *g, const char *path)
{
	struct u_walk *w = u_walk_new(g->p, path, U_WALK_SORTED);
	struct u_walk_entry e;

	while (u_walk_next(w, &e)) {
		if (e.event == U_WALK_ERROR) {
			u_warn(g->p, e.err, "%s", e.path);
			g->status = 1;
		} else if (e.event == U_WALK_FILE) {
			gzip_operand(g, u_strdup(g->p, e.path));
		}
	}
}

void gzip_operand(struct gzip *g, const char *path)
{
	bool to_file = !g->to_stdout && !g->list && !g->test;
	int fd;

	if (streq(path, "-")) {
		g->in_name = "stdin";
		g->is_file = sys_fstat(g->p, 0, &g->st) == 0 && (g->st.mode & SYS_S_TYPE) == SYS_S_FILE;
		treat(g, 0, false);
		return;
	}
	fd = open_input(g, path);
	if (fd < 0)
		return;
	if ((g->st.mode & SYS_S_TYPE) == SYS_S_DIR) {
		sys_close(g->p, fd);
		if (g->recursive)
			treat_dir(g, g->in_name);
		else
			gzip_warn(g, "%s: %s is a directory -- ignored\n", u_name(g->p), g->in_name);
		return;
	}
	if (!to_file || is_fit(g))
		treat(g, fd, to_file);
	sys_close(g->p, fd);
}
