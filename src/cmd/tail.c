/*
 * tail.c - print the last part of files, and follow them as they grow.
 *
 * A regular file is searched backward from its end. From anything else the last part seen so
 * far is kept, and cut down again whenever it has doubled. Following looks at the files
 * once an interval.
 */
#include "cmd.h"

struct tail {
	bool quiet, verbose, zero;
	bool bytes;		/* count bytes, not lines */
	bool from_start;	/* +N: from the N-th on */
	bool forever, by_name, retry;
	uint64_t count;
	int64_t interval;	/* nanoseconds */
	int pid;		/* follow no longer than it lives; 0: none */

	char delim;
	bool printed_header;
	int last_shown;		/* index of the file whose data came last */
};

/* ---- Options ---------------------------------------------------------------------- */

#define TAIL_SUFFIXES "bkKmMGTPEZY0"

static void set_count(struct proc *p, struct tail *t, const char *arg, bool bytes)
{
	t->bytes = bytes;
	t->from_start = arg[0] == '+';
	t->count = u_size_or_die(p, arg + (arg[0] == '-'), TAIL_SUFFIXES,
				 bytes ? "number of bytes" : "number of lines");
}

static void opt_bytes(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	set_count(p, opts, arg, true);
}

static void opt_lines(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	set_count(p, opts, arg, false);
}

static void opt_quiet(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct tail *t = opts;

	(void)p;
	(void)arg;
	t->quiet = o->shrt == 'q' || o->shrt == 0;
	t->verbose = !t->quiet;
}

static const struct u_word follow_words[] = {{"descriptor", 0}, {"name", 1}};

static void opt_follow(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct tail *t = opts;

	t->forever = true;
	t->by_name = o->shrt == 'F' || (arg && u_word_or_die(p, "--follow", arg, follow_words,
							     COUNTOF(follow_words)));
	t->retry |= o->shrt == 'F';
}

static void opt_interval(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct tail *t = opts;
	const char *end;
	double x = num_double(arg, &end);

	(void)o;
	if (end == arg || *end || !(x >= 0))
		u_die(p, 1, 0, "invalid number of seconds: %s", u_quote(p, arg));
	t->interval = x > 1e9 ? INT64_MAX / 2 : (int64_t)(x * 1e9);
}

static void opt_pid(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct tail *t = opts;
	uint64_t pid;

	(void)o;
	if (u_parse_size(arg, "", &pid) < 0 || pid > INT32_MAX)
		u_die(p, 1, 0, "invalid PID: %s", u_quote(p, arg));
	t->pid = (int)pid;
}

static void opt_max_unchanged(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	uint64_t n;

	(void)opts;
	(void)o;
	if (u_parse_size(arg, "", &n) < 0)
		u_die(p, 1, 0, "invalid maximum number of unchanged stats between opens: %s",
		      u_quote(p, arg));
}

static void opt_digit(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)arg;
	u_die(p, 1, 0, "option used in invalid context -- %c", o->shrt);
}

static const struct cmd_opt tail_opts[] = {
	CMD_CALL('c', "bytes", "[+]NUM", opt_bytes,
		 "print the last NUM bytes; with '+', from byte NUM on"),
	CMD_CALL_OPTIONAL(0, "follow", "{name|descriptor}", opt_follow,
			  "go on printing what is appended to the files;\n"
			  "without argument the descriptor is followed"),
	CMD_CALL('f', NULL, NULL, opt_follow, "same as --follow=descriptor"),
	CMD_CALL('F', NULL, NULL, opt_follow, "same as --follow=name --retry"),
	CMD_CALL('n', "lines", "[+]NUM", opt_lines,
		 "print the last NUM lines instead of 10;\nwith '+', from line NUM on"),
	CMD_CALL(0, "max-unchanged-stats", "N", opt_max_unchanged,
		 "checked, and without effect: a followed name is\nlooked up each interval"),
	CMD_CALL(0, "pid", "PID", opt_pid, "with -f, end after process PID has ended"),
	CMD_CALL('q', "quiet", NULL, opt_quiet, "print no headers with file names"),
	CMD_CALL(0, "silent", NULL, opt_quiet, NULL),
	CMD_FLAG(struct tail, retry, 0, "retry", "with -f, go on trying to open a missing file"),
	CMD_CALL('s', "sleep-interval", "N", opt_interval, "with -f, look every N seconds (1.0)"),
	CMD_CALL('v', "verbose", NULL, opt_quiet, "print headers even for one file"),
	CMD_FLAG(struct tail, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
	CMD_CALL('0', NULL, NULL, opt_digit, NULL), CMD_CALL('1', NULL, NULL, opt_digit, NULL),
	CMD_CALL('2', NULL, NULL, opt_digit, NULL), CMD_CALL('3', NULL, NULL, opt_digit, NULL),
	CMD_CALL('4', NULL, NULL, opt_digit, NULL), CMD_CALL('5', NULL, NULL, opt_digit, NULL),
	CMD_CALL('6', NULL, NULL, opt_digit, NULL), CMD_CALL('7', NULL, NULL, opt_digit, NULL),
	CMD_CALL('8', NULL, NULL, opt_digit, NULL), CMD_CALL('9', NULL, NULL, opt_digit, NULL),
};

static void defaults(void *opts)
{
	struct tail *t = opts;

	t->count = 10;
	t->interval = 1000000000;
}

/* The old form: [+-][NUM][bcl][f] as first argument, with at most one file after it. "-c" and
 * "-f" alone are ordinary options. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	const char *s;
	size_t digits;
	char unit = 'n', **out;
	uint64_t scale = 1;
	int n = 0, c = *argc;

	if (c < 2 || (argv[1][0] != '-' && argv[1][0] != '+'))
		return argv;
	if (!(c == 2 || (c == 3 && !(argv[2][0] == '-' && argv[2][1])) ||
	      (c <= 4 && streq(argv[2], "--"))))
		return argv;
	s = argv[1] + 1;
	digits = strspn(s, "0123456789");
	if (argv[1][0] == '-' && !digits && (!argv[1][1] || !strchr("bl", argv[1][1])))
		return argv;
	s += digits;
	if (*s == 'b')
		scale = 512;
	if (*s == 'b' || *s == 'c')
		unit = 'c';
	if (*s && strchr("bcl", *s))
		s++;
	if (s[0] == 'f' ? s[1] != '\0' : s[0] != '\0')
		return argv;
	out = u_array(p, (size_t)c + 4, sizeof(*out));
	out[n++] = argv[0];
	if (*s == 'f')
		out[n++] = u_strdup(p, "-f");
	out[n++] = u_format(p, "-%c", unit);
	out[n++] = u_format(p, "%s%.*s%s", argv[1][0] == '+' ? "+" : "", digits ? (int)digits : 2,
			    digits ? argv[1] + 1 : "10", scale == 512 ? "b" : "");
	for (int i = 2; i < c; i++)
		out[n++] = argv[i];
	out[n] = NULL;
	*argc = n;
	return out;
}

/* ---- The last part, once ------------------------------------------------------------ */

/* At most what stdio would hold back until the end. */
static bool few_left(struct proc *p, int fd)
{
	struct sys_stat st;
	int64_t at = sys_seek(p, fd, 0, SYS_SEEK_CUR);

	return at >= 0 && sys_fstat(p, fd, &st) == 0 && st.size - at <= 4096;
}

static int64_t copy_rest(struct proc *p, int fd)
{
	bool out_failed = false;
	int64_t r;

	u_flush(u_stdout(p));
	r = sys_splice(p, fd, 1, 0, &out_failed);
	if (out_failed && r < 0) {
		u_output_told(p);
		if (few_left(p, fd))
			u_die(p, 1, (int)r, "write error");
		u_die(p, 1, (int)r, "error writing %s", u_quote(p, "standard output"));
	}
	return r;
}

/* What follows the first count - 1 bytes or lines. */
static int64_t from_start(struct proc *p, int fd, const struct tail *t)
{
	uint64_t skip = t->count ? t->count - 1 : 0;
	struct sys_slice s;

	if (t->bytes)
		skip -= u_seek_on(p, fd, skip);
	while (skip > 0) {
		int64_t got = sys_read_slice(p, fd, 0, &s);
		size_t used;

		if (got <= 0)
			return got;
		if (t->bytes) {
			used = (size_t)MIN(skip, s.len);
			skip -= used;
		} else {
			used = scan_after(s.ptr, s.len, t->delim, skip, &skip);
		}
		if (used < s.len)
			sys_unread(p, fd, s.len - used);
	}
	return copy_rest(p, fd);
}

/* Where the last part of buf starts: after the (count+1)-th last delimiter, the one that ends the buffer
 * counting; *left is how many delimiters were missing for that. */
static size_t start_of_last(const struct tail *t, const char *buf, size_t n, uint64_t *left)
{
	if (t->bytes) {
		*left = n >= t->count ? 0 : 1;
		return n >= t->count ? n - (size_t)t->count : 0;
	}
	if (t->count == 0 || n == 0) {
		*left = t->count != 0;
		return n;
	}
	return scan_after_last(buf, n, t->delim, size_add(t->count, buf[n - 1] == t->delim), left);
}

#define TAIL_KEEP (256u << 10)

static int64_t last_of_stream(struct proc *p, int fd, const struct tail *t)
{
	struct sys_slice s;
	struct u_buf b;
	size_t limit = TAIL_KEEP;
	uint64_t left;
	int64_t got;

	u_buf_init(&b, p, 0);
	while ((got = sys_read_slice(p, fd, 0, &s)) > 0) {
		size_t start = start_of_last(t, s.ptr, s.len, &left);

		/* What was kept is of no use when the slice holds enough, even should the
		 * next slice show that its last line went on: then one fewer is needed. */
		if (left == 0 && (t->bytes || start > 0)) {
			b.len = 0;
			/* The line in front, in case the last one is completed by a bare delimiter. */
			u_buf_put(&b, s.ptr + start, s.len - start);
			continue;
		}
		u_buf_put(&b, s.ptr, s.len);
		if (b.len > limit) {
			start = start_of_last(t, b.ptr, b.len, &left);
			memmove(b.ptr, b.ptr + start, b.len - start);
			b.len -= start;
			limit = MAX(TAIL_KEEP, 2 * b.len);
		}
	}
	if (got == 0) {
		size_t start = start_of_last(t, b.ptr, b.len, &left);

		u_put(u_stdout(p), b.ptr + start, b.len - start);
	}
	return got;
}

/* Finds the last part backward from the end and leaves fd there. false: not such a file. */
static bool seek_last(struct proc *p, int fd, const struct tail *t)
{
	struct sys_stat st;
	int64_t start = sys_seek(p, fd, 0, SYS_SEEK_CUR), at;
	uint64_t left = t->count;
	size_t block = 16384;
	bool last = true;
	char *buf;

	if (start < 0 || sys_fstat(p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE ||
	    st.size <= start)
		return false;
	if (t->bytes || t->count == 0) {
		at = (uint64_t)(st.size - start) > left ? st.size - (int64_t)left : start;
		return sys_seek(p, fd, at, SYS_SEEK_SET) >= 0;
	}
	buf = u_alloc(p, block);
	for (at = st.size; at > start && left > 0;) {
		size_t want = (size_t)MIN((int64_t)block, at - start), hit;

		if (sys_pread(p, fd, buf, want, at - (int64_t)want) != (int64_t)want)
			return false;
		if (last && buf[want - 1] == t->delim)
			left++;
		last = false;
		hit = scan_after_last(buf, want, t->delim, left, &left);
		at -= (int64_t)want;
		if (left == 0)
			at += (int64_t)hit;
	}
	return sys_seek(p, fd, at, SYS_SEEK_SET) >= 0;
}

static int64_t last_part(struct proc *p, int fd, const struct tail *t)
{
	if (t->from_start)
		return from_start(p, fd, t);
	if (seek_last(p, fd, t))
		return copy_rest(p, fd);
	return last_of_stream(p, fd, t);
}

/* ---- Files ---------------------------------------------------------------------------- */

struct followed {
	const char *path, *name; /* name: as in headers and messages */
	int fd;			/* -1: not open now */
	int err;		/* why it is not open, as last reported */
	uint64_t dev, ino;
	int64_t size;
	bool ignore;		/* not followed (any longer) */
};

static void header(struct proc *p, struct tail *t, const struct followed *f, int i)
{
	u_printf(u_stdout(p), "%s==> %s <==\n", t->printed_header ? "\n" : "", f->name);
	t->printed_header = true;
	t->last_shown = i;
}

static void remember(struct proc *p, struct followed *f)
{
	struct sys_stat st;

	f->size = sys_seek(p, f->fd, 0, SYS_SEEK_CUR);
	if (sys_fstat(p, f->fd, &st) == 0) {
		f->dev = st.dev;
		f->ino = st.ino;
	}
}

static bool tail_file(struct proc *p, struct tail *t, struct followed *f, int i, bool headers)
{
	int64_t r;

	f->fd = streq(f->path, "-") ? 0 : sys_open(p, f->path, SYS_O_READ, 0);
	if (f->fd < 0) {
		f->err = f->fd;
		f->ignore = !t->retry;
		u_warn(p, f->fd, "cannot open %s for reading", u_quote_file(p, f->name));
		return false;
	}
	if (headers)
		header(p, t, f, i);
	r = last_part(p, f->fd, t);
	if (r < 0) {
		u_warn(p, (int)r, "error reading %s", u_quote_file(p, f->name));
		f->ignore = true;
		if (t->forever && r == -NACRE_EISDIR)
			u_warn(p, 0, "%s: cannot follow end of this type of file%s", f->name,
			       t->retry ? "" : "; giving up on this name");
	} else if (t->forever) {
		remember(p, f);
		/* The end of a pipe is final. */
		f->ignore = f->size < 0;
	}
	if (!t->forever || f->ignore) {
		u_close_operand(p, f->fd);
		f->fd = -1;
	}
	return r >= 0;
}

/* ---- Following -------------------------------------------------------------------------- */

/* Looks the name up again; says what became of it. */
static void look_up(struct proc *p, struct tail *t, struct followed *f)
{
	struct sys_stat st;
	int fd = sys_open(p, f->path, SYS_O_READ, 0);

	if (fd < 0) {
		if (f->fd >= 0)
			u_warn(p, fd, "%s has become inaccessible", u_quote_file(p, f->name));
		else if (fd != f->err)
			u_warn(p, fd, "%s", f->name);
		if (f->fd >= 0) {
			sys_close(p, f->fd);
			f->fd = -1;
			f->ignore = !t->retry;
		}
		f->err = fd;
		return;
	}
	if (sys_fstat(p, fd, &st) < 0 || (f->fd >= 0 && st.dev == f->dev && st.ino == f->ino)) {
		sys_close(p, fd);
		return;
	}
	if (f->fd < 0) {
		u_warn(p, 0, "%s has appeared;  following new file", u_quote_file(p, f->name));
	} else {
		u_warn(p, 0, "%s has been replaced;  following new file", u_quote_file(p, f->name));
		sys_close(p, f->fd);
	}
	f->fd = fd;
	f->err = 0;
	f->size = 0;
	f->dev = st.dev;
	f->ino = st.ino;
}

/* Prints what was appended since the last look. */
static void show_new(struct proc *p, struct tail *t, struct followed *f, int i, bool headers)
{
	struct sys_stat st;
	int64_t r;

	if (f->fd < 0 || sys_fstat(p, f->fd, &st) < 0 || st.size == f->size)
		return;
	if (st.size < f->size) {
		u_warn(p, 0, "%s: file truncated", f->name);
		f->size = sys_seek(p, f->fd, 0, SYS_SEEK_SET);
		if (st.size == 0)
			return;
	}
	if (headers && t->last_shown != i)
		header(p, t, f, i);
	r = copy_rest(p, f->fd);
	if (r < 0) {
		u_warn(p, (int)r, "error reading %s", u_quote_file(p, f->name));
		f->ignore = true;
	}
	f->size = sys_seek(p, f->fd, 0, SYS_SEEK_CUR);
}

static void follow(struct proc *p, struct tail *t, struct followed *f, int n, bool headers)
{
	for (;;) {
		bool dead = t->pid && sys_kill(p, t->pid, 0) < 0;
		int live = 0;

		for (int i = 0; i < n; i++) {
			if (f[i].ignore)
				continue;
			if (f[i].fd != 0 && (t->by_name || f[i].fd < 0))
				look_up(p, t, &f[i]);
			show_new(p, t, &f[i], i, headers);
			live += !f[i].ignore;
		}
		u_flush(u_stdout(p));
		if (live == 0)
			u_die(p, 1, 0, "no files remaining");
		if (dead)
			return;
		if (sys_sleep(p, t->interval) < 0)
			return;
	}
}

static int tail_main(struct proc *p, const struct cmd_args *a)
{
	struct tail *t = a->opts;
	struct followed *f;
	char *const *file;
	int n = cmd_files(a, &file), status = 0, live = 0;
	bool headers = t->verbose || (!t->quiet && n > 1);

	t->delim = t->zero ? '\0' : '\n';
	f = u_zalloc(p, size_mul(sizeof(*f), (size_t)n));
	if (t->retry && !t->forever)
		u_warn(p, 0, "warning: --retry ignored; --retry is useful only when following");
	else if (t->retry && !t->by_name)
		u_warn(p, 0, "warning: --retry only effective for the initial open");
	if (t->pid && !t->forever)
		u_warn(p, 0, "warning: PID ignored; --pid=PID is useful only when following");
	for (int i = 0; i < n; i++) {
		f[i].path = file[i];
		f[i].name = streq(file[i], "-") ? "standard input" : file[i];
		if (t->forever && t->by_name && f[i].name != file[i])
			u_die(p, 1, 0, "cannot follow %s by name", u_quote(p, "-"));
	}
	if (t->count == 0 && !t->from_start && !t->forever)
		return 0;
	for (int i = 0; i < n; i++) {
		if (!tail_file(p, t, &f[i], i, headers))
			status = 1;
		live += !f[i].ignore;
	}
	if (t->forever && (live > 0 || status))
		follow(p, t, f, n, headers);
	u_end_of_copy(p);
	return status;
}

static const struct cmd_example tail_examples[] = {
	{"seq 100 | tail -n 2", "99\n100\n"},
	{"seq 5 | tail -n +4", "4\n5\n"},
	{"printf abcdef | tail -c 3", "def"},
};

const struct cmd cmd_tail = {
	.name = "tail",
	.summary = "print the last 10 lines of each file",
	.synopsis = "[OPTION]... [FILE]...",
	.description =
		"Without FILE, or where FILE is -, standard input is read. Several files are\n"
		"each preceded by a header with the name. NUM may end in b (512), kB (1000),\n"
		"K (1024), MB, M, GB, G and so on.",
	.opts = tail_opts,
	.nopts = COUNTOF(tail_opts),
	.opts_size = sizeof(struct tail),
	.defaults = defaults,
	.rewrite = rewrite,
	.main = tail_main,
	.examples = tail_examples,
	.nexamples = COUNTOF(tail_examples),
};
