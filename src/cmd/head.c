/*
 * head.c - print the first part of files.
 *
 * Slices are passed on by reference and what was read too much is given back, so that
 * `(head -n1; cat)` works on pipes as well. "All but the last N" holds back as many bytes
 * or lines as may still turn out to be the last ones.
 */
#include "cmd.h"

struct head {
	bool quiet, verbose, zero;
	bool bytes;		/* count bytes, not lines */
	bool but_last;		/* all but the last `count` */
	uint64_t count;

	char delim;
	bool printed_header;
};

#define HEAD_SUFFIXES "bkKmMGTPEZY0"

static void set_count(struct proc *p, struct head *h, const char *arg, bool bytes)
{
	h->bytes = bytes;
	h->but_last = arg[0] == '-';
	h->count = u_size_or_die(p, arg + h->but_last, HEAD_SUFFIXES,
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
	struct head *h = opts;

	(void)p;
	(void)arg;
	h->quiet = o->shrt == 'q' || o->shrt == 0;
	h->verbose = !h->quiet;
}

/* A digit that is not part of the first argument. */
static void opt_digit(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)arg;
	u_usage(p, "invalid trailing option -- %c", o->shrt);
}

static const struct cmd_opt head_opts[] = {
	CMD_CALL('c', "bytes", "[-]NUM", opt_bytes,
		 "print the first NUM bytes of each file; with '-',\nall but the last NUM bytes"),
	CMD_CALL('n', "lines", "[-]NUM", opt_lines,
		 "print the first NUM lines instead of 10; with '-',\nall but the last NUM lines"),
	CMD_CALL('q', "quiet", NULL, opt_quiet, "print no headers with file names"),
	CMD_CALL(0, "silent", NULL, opt_quiet, NULL),
	CMD_CALL('v', "verbose", NULL, opt_quiet, "print headers even for one file"),
	CMD_FLAG(struct head, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
	CMD_CALL('0', NULL, NULL, opt_digit, NULL), CMD_CALL('1', NULL, NULL, opt_digit, NULL),
	CMD_CALL('2', NULL, NULL, opt_digit, NULL), CMD_CALL('3', NULL, NULL, opt_digit, NULL),
	CMD_CALL('4', NULL, NULL, opt_digit, NULL), CMD_CALL('5', NULL, NULL, opt_digit, NULL),
	CMD_CALL('6', NULL, NULL, opt_digit, NULL), CMD_CALL('7', NULL, NULL, opt_digit, NULL),
	CMD_CALL('8', NULL, NULL, opt_digit, NULL), CMD_CALL('9', NULL, NULL, opt_digit, NULL),
};

static void defaults(void *opts)
{
	struct head *h = opts;

	h->count = 10;
}

/* The old form, first argument only: -NUM[bkm][clqvz]... becomes -n NUM and so on. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	const char *s;
	size_t digits;
	char unit = 0, suffix = 0;
	char **out;
	int n = 0;

	if (*argc < 2 || argv[1][0] != '-' || !ascii_digit(argv[1][1]))
		return argv;
	s = argv[1] + 1;
	digits = strspn(s, "0123456789");
	out = u_array(p, (size_t)*argc + strlen(s) + 4, sizeof(*out));
	out[n++] = argv[0];
	for (const char *t = s + digits; *t; t++) {
		switch (*t) {
		case 'c': unit = 'c', suffix = 0; break;
		case 'b': case 'k': case 'm': unit = 'c', suffix = *t; break;
		case 'l': unit = 'n'; break;
		case 'q': out[n++] = u_strdup(p, "-q"); break;
		case 'v': out[n++] = u_strdup(p, "-v"); break;
		case 'z': out[n++] = u_strdup(p, "-z"); break;
		default: u_usage(p, "invalid trailing option -- %c", *t);
		}
	}
	out[n++] = u_format(p, "-%c", unit ? unit : 'n');
	out[n++] = suffix ? u_format(p, "%.*s%c", (int)digits, s, suffix) : u_strndup(p, s, digits);
	for (int i = 2; i < *argc; i++)
		out[n++] = argv[i];
	out[n] = NULL;
	*argc = n;
	return out;
}

/* What was to be written of n bytes; stdio tells of more than it holds back in other words. */
static void write_or_die(struct proc *p, int64_t r, uint64_t n)
{
	if (r >= 0)
		return;
	u_output_told(p);
	if (n > 4096)
		u_die(p, 1, (int)r, "error writing %s", u_quote(p, "standard output"));
	u_die(p, 1, (int)r, "write error");
}

/* ---- From the front -------------------------------------------------------------- */

static int64_t first_bytes(struct proc *p, int fd, uint64_t n)
{
	bool out_failed = false;
	int64_t r;

	if (n == 0)
		return 0;
	r = sys_splice(p, fd, 1, n, &out_failed);
	if (out_failed)
		write_or_die(p, r, n);
	return r;
}

static int64_t first_lines(struct proc *p, int fd, char delim, uint64_t n)
{
	struct sys_slice s;
	int64_t got;

	while (n > 0) {
		size_t used;

		/* A few lines rarely need more than the first part of a large file. */
		got = sys_read_slice(p, fd, n <= 64 ? 16384 : 0, &s);
		if (got <= 0)
			return got;
		used = scan_after(s.ptr, s.len, delim, n, &n);
		write_or_die(p, sys_write_slice(p, 1, fd, s.ptr, used), used);
		if (n == 0)
			sys_unread(p, fd, s.len - used);
	}
	return 0;
}

/* ---- All but the last ------------------------------------------------------------- */

/* Bytes held back, in hold.ptr[start..hold.len). */
struct held {
	struct u_buf hold;
	size_t start;
};

static void hold_more(struct held *h, const char *s, size_t n)
{
	if (h->start > 0 && h->start >= h->hold.len - h->start) {
		memmove(h->hold.ptr, h->hold.ptr + h->start, h->hold.len - h->start);
		h->hold.len -= h->start;
		h->start = 0;
	}
	u_buf_put(&h->hold, s, n);
}

static void release_held(struct proc *p, struct held *h, size_t n)
{
	u_put(u_stdout(p), h->hold.ptr + h->start, n);
	h->start += n;
}

static int64_t but_last_bytes(struct proc *p, int fd, uint64_t n)
{
	struct held h = {.start = 0};
	struct sys_slice s;
	int64_t got;

	u_buf_init(&h.hold, p, 0);
	while ((got = sys_read_slice(p, fd, 0, &s)) > 0) {
		size_t kept = h.hold.len - h.start;
		uint64_t out = s.len + kept > n ? s.len + kept - n : 0;
		size_t old = (size_t)MIN(out, kept);

		release_held(p, &h, old);
		u_put(u_stdout(p), s.ptr, (size_t)out - old);
		hold_more(&h, s.ptr + (out - old), s.len - (size_t)(out - old));
	}
	return got;
}

/* The k-th last line of what is held, and all after it, stay; an unfinished line counts. */
static int64_t but_last_lines(struct proc *p, int fd, char delim, uint64_t n)
{
	struct held h = {.start = 0};
	struct sys_slice s;
	uint64_t lines = 0; /* delimiters held */
	int64_t got;

	u_buf_init(&h.hold, p, 0);
	while ((got = sys_read_slice(p, fd, 0, &s)) > 0) {
		uint64_t left;

		hold_more(&h, s.ptr, s.len);
		lines += scan_count(s.ptr, s.len, delim);
		/* One more line may follow the last delimiter, so n of them stay for sure. */
		if (lines > n) {
			size_t out = scan_after(h.hold.ptr + h.start, h.hold.len - h.start, delim,
						lines - n, &left);

			release_held(p, &h, out);
			lines = n;
		}
	}
	if (got == 0 && n > 0 && lines == n && h.hold.len > h.start &&
	    h.hold.ptr[h.hold.len - 1] != delim) {
		uint64_t left;

		release_held(p, &h,
			     scan_after(h.hold.ptr + h.start, h.hold.len - h.start, delim, 1, &left));
	}
	if (got == 0 && n == 0)
		release_held(p, &h, h.hold.len - h.start);
	return got;
}

/* A regular file's end can be looked at first; then nothing needs to be held. The position up
 * to which to print, or -1 when the file cannot do that. */
static int64_t end_of_all_but(struct proc *p, int fd, const struct head *h, int64_t *start)
{
	struct sys_stat st;
	int64_t at, size;
	uint64_t left = h->count;
	size_t block = 65536;
	bool last = true;
	char *buf;

	if (sys_fstat(p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE || st.size == 0)
		return -1;
	*start = sys_seek(p, fd, 0, SYS_SEEK_CUR);
	size = st.size;
	if (*start < 0 || *start >= size)
		return -1;
	if (h->bytes)
		return (uint64_t)(size - *start) > left ? size - (int64_t)left : *start;
	if (left == 0)
		return size;
	buf = u_alloc(p, block);
	for (at = size; at > *start;) {
		size_t want = (size_t)MIN((int64_t)block, at - *start);
		int64_t got = sys_pread(p, fd, buf, want, at - (int64_t)want);
		size_t hit;

		if (got != (int64_t)want)
			return -1;
		if (last && buf[want - 1] == h->delim)
			left++;
		last = false;
		hit = scan_after_last(buf, want, h->delim, left, &left);
		at -= (int64_t)want;
		if (left == 0)
			return at + (int64_t)hit;
	}
	return *start;
}

static int64_t but_last(struct proc *p, int fd, const struct head *h)
{
	int64_t start, end = end_of_all_but(p, fd, h, &start);

	if (end >= 0)
		return first_bytes(p, fd, (uint64_t)(end - start));
	return h->bytes ? but_last_bytes(p, fd, h->count) : but_last_lines(p, fd, h->delim, h->count);
}

static bool head_file(struct proc *p, struct head *h, const char *path, bool header)
{
	bool is_stdin = streq(path, "-");
	int fd = is_stdin ? 0 : sys_open(p, path, SYS_O_READ, 0);
	const char *name = is_stdin ? "standard input" : path;
	int64_t r;

	if (fd < 0) {
		u_warn(p, fd, "cannot open %s for reading", u_quote_file(p, name));
		return false;
	}
	if (header) {
		u_printf(u_stdout(p), "%s==> %s <==\n", h->printed_header ? "\n" : "", name);
		h->printed_header = true;
		u_flush(u_stdout(p));
	}
	if (h->but_last)
		r = but_last(p, fd, h);
	else
		r = h->bytes ? first_bytes(p, fd, h->count) : first_lines(p, fd, h->delim, h->count);
	if (r < 0)
		u_warn(p, (int)r, "error reading %s", u_quote_file(p, name));
	u_flush(u_stdout(p));
	u_close_operand(p, fd);
	return r >= 0;
}

static int head_main(struct proc *p, const struct cmd_args *a)
{
	struct head *h = a->opts;
	char *const *file;
	int n = cmd_files(a, &file), status = 0;

	h->delim = h->zero ? '\0' : '\n';
	for (int i = 0; i < n; i++) {
		if (!head_file(p, h, file[i], h->verbose || (!h->quiet && n > 1)))
			status = 1;
	}
	u_end_of_copy(p);
	return status;
}

static const struct cmd_example head_examples[] = {
	{"seq 100 | head -n 2", "1\n2\n"},
	{"seq 5 | head -n -3", "1\n2\n"},
	{"printf abcdef | head -c 3", "abc"},
};

const struct cmd cmd_head = {
	.name = "head",
	.summary = "print the first 10 lines of each file",
	.synopsis = "[OPTION]... [FILE]...",
	.description =
		"Without FILE, or where FILE is -, standard input is read. Several files are\n"
		"each preceded by a header with the name. NUM may end in b (512), kB (1000),\n"
		"K (1024), MB, M, GB, G and so on.",
	.opts = head_opts,
	.nopts = COUNTOF(head_opts),
	.opts_size = sizeof(struct head),
	.defaults = defaults,
	.rewrite = rewrite,
	.main = head_main,
	.examples = head_examples,
	.nexamples = COUNTOF(head_examples),
};
