/*
 * split.c - cut a file into pieces: by lines, bytes, records of lines or a number of pieces.
 *
 * The input is read in slices and passed on; only -C and -n look ahead. Names of pieces grow by two
 * letters when they run out, unless -a fixed their length.
 */
#include "cmd.h"

enum split_by { SPLIT_NONE, SPLIT_LINES, SPLIT_BYTES, SPLIT_LINE_BYTES, SPLIT_CHUNKS, SPLIT_CHUNK_LINES, SPLIT_ROUND };

struct split {
	int by;
	uint64_t count, chunk;	/* chunk: K of K/N */
	const char *suffix_length, *extra, *filter, *separator;
	const char *start;	/* of numeric suffixes */
	int base;		/* 0: letters; 10, 16 */
	bool elide, verbose, unbuffered;

	struct proc *p;
	const char *input, *prefix;
	int in;
	char sep;
	size_t width;
	bool grows;
	uint64_t next, wide_from;	/* the number of the next piece; the first one of the present width */
	uint64_t first;
	int out, pid;
	bool is_open;
};

static void set_by(struct proc *p, struct split *s, int by)
{
	if (s->by) {
		u_warn(p, 0, "cannot split in more than one way");
		u_try_help(p);
	}
	s->by = by;
}

static uint64_t number(struct proc *p, const char *arg, const char *what)
{
	uint64_t v;
	int e = ascii_digit(*arg) ? u_parse_size(arg, "bEGKkMmPTYZ0", &v) : -NACRE_EINVAL;

	if (e == -NACRE_EINVAL || (e == 0 && v == 0))
		u_die(p, 1, e ? 0 : -NACRE_ERANGE, "invalid %s: %s", what, u_quote(p, arg));
	return e < 0 ? UINT64_MAX : v;
}

static void opt_by(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct split *s = opts;

	set_by(p, s, o->value);
	s->count = number(p, arg, o->value == SPLIT_LINES ? "number of lines" : "number of bytes");
}

static void opt_digits(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct split *s = opts;

	(void)o;
	set_by(p, s, SPLIT_LINES);
	s->count = number(p, arg, "number of lines");
}

/* N, K/N, l/N, l/K/N, r/N, r/K/N */
static void opt_chunks(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct split *s = opts;
	const char *at = arg, *slash;

	(void)o;
	set_by(p, s, SPLIT_CHUNKS);
	if ((at[0] == 'l' || at[0] == 'r') && at[1] == '/') {
		s->by = at[0] == 'l' ? SPLIT_CHUNK_LINES : SPLIT_ROUND;
		at += 2;
	}
	slash = strchr(at, '/');
	if (slash) {
		s->count = number(p, slash + 1, "number of chunks");
		s->chunk = number(p, u_strndup(p, at, (size_t)(slash - at)), "chunk number");
		if (s->chunk > s->count)
			u_die(p, 1, -NACRE_ERANGE, "invalid chunk number: %s", u_quote(p, u_strndup(p, at, (size_t)(slash - at))));
	} else {
		s->count = number(p, at, "number of chunks");
	}
}

static void opt_numeric(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct split *s = opts;

	(void)p;
	s->base = o->value;
	s->start = arg;
}

#define BY(s, l, a, v, text) \
	{.kind = CMD_OPT_CALL, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .value = (v), .call = opt_by}
#define NUMERIC(s, l, a, v, text) \
	{.kind = CMD_OPT_CALL, .shrt = (s), .lng = (l), .arg = (a), .help = (text), .value = (v), .call = opt_numeric, .optional = true}

static const struct cmd_opt split_opts[] = {
	CMD_STRING(struct split, suffix_length, 'a', "suffix-length", "N", "generate suffixes of length N (2)"),
	CMD_STRING(struct split, extra, 0, "additional-suffix", "SUFFIX", "append an additional SUFFIX to file names"),
	BY('b', "bytes", "SIZE", SPLIT_BYTES, "put SIZE bytes per output file"),
	BY('C', "line-bytes", "SIZE", SPLIT_LINE_BYTES, "put at most SIZE bytes of records per output file"),
	NUMERIC('d', NULL, NULL, 10, "use numeric suffixes starting at 0, not alphabetic"),
	NUMERIC(0, "numeric-suffixes", "FROM", 10, "same as -d, but allow setting the start value"),
	NUMERIC('x', NULL, NULL, 16, "use hex suffixes starting at 0, not alphabetic"),
	NUMERIC(0, "hex-suffixes", "FROM", 16, "same as -x, but allow setting the start value"),
	CMD_FLAG(struct split, elide, 'e', "elide-empty-files", "do not generate empty output files with '-n'"),
	CMD_STRING(struct split, filter, 0, "filter", "COMMAND", "write to shell COMMAND; file name is $FILE"),
	BY('l', "lines", "NUMBER", SPLIT_LINES, "put NUMBER lines/records per output file"),
	CMD_CALL('n', "number", "CHUNKS", opt_chunks, "generate CHUNKS output files: N, K/N, l/N, l/K/N,\nr/N or r/K/N"),
	CMD_STRING(struct split, separator, 't', "separator", "SEP", "use SEP instead of newline as the record separator"),
	CMD_FLAG(struct split, unbuffered, 'u', "unbuffered", "copy input to output at once with '-n r/...'"),
	CMD_FLAG(struct split, verbose, 0, "verbose", "print a diagnostic just before each file is opened"),
	CMD_DIGITS(opt_digits, NULL),
};

/* ---- Pieces ------------------------------------------------------------------------------ */

/* How many names there are of w characters that do not begin with the last digit (those lead to longer ones). */
static uint64_t room(unsigned base, size_t w, bool grows)
{
	uint64_t n = grows ? base - 1 : base;

	for (size_t i = 1; i < w; i++) {
		if (__builtin_mul_overflow(n, base, &n))
			return UINT64_MAX;
	}
	return n;
}

static const char *piece_name(struct split *s)
{
	unsigned base = s->base ? (unsigned)s->base : 26;
	const char *digits = s->base ? "0123456789abcdef" : "abcdefghijklmnopqrstuvwxyz";
	uint64_t n = s->next++ - s->wide_from + s->first;
	struct u_buf b;
	size_t lead, at;

	/* The width grows by two: one more last digit in front, one more place. */
	while (s->grows && n >= room(base, s->width - (s->width - 2) / 2, true)) {
		uint64_t r = room(base, s->width - (s->width - 2) / 2, true);

		n -= r;
		s->wide_from += r - s->first;
		s->first = 0;
		s->width += 2;
	}
	lead = s->grows ? (s->width - 2) / 2 : 0;
	if (!s->grows && n >= room(base, s->width, false))
		u_die(s->p, 1, 0, "output file suffixes exhausted");
	u_buf_init(&b, s->p, 0);
	u_buf_puts(&b, s->prefix);
	at = b.len;
	for (size_t i = 0; i < s->width; i++)
		u_buf_putc(&b, i < lead ? digits[base - 1] : digits[0]);
	for (size_t i = s->width; i > lead && n > 0; i--) {
		b.ptr[at + i - 1] = digits[n % base];
		n /= base;
	}
	if (s->extra)
		u_buf_puts(&b, s->extra);
	return b.ptr;
}

static void close_piece(struct split *s)
{
	if (!s->is_open)
		return;
	s->is_open = false;
	sys_close(s->p, s->out);
	if (s->filter) {
		struct sys_wait w;

		if (sys_wait(s->p, s->pid, 0, &w) > 0 && (w.signal ? w.signal != SYS_SIGPIPE : w.status != 0)) {
			if (w.signal)
				u_die(s->p, 1, 0, "with FILE=%s, signal %d from command: %s", "?", w.signal, s->filter);
			u_die(s->p, w.status, 0, "with FILE=%s, exit %d from command: %s",
			      u_getenv(s->p, "FILE"), w.status, s->filter);
		}
	}
}

static void start_filter(struct split *s, const char *name)
{
	char *argv[] = {(char *)"sh", (char *)"-c", (char *)s->filter, NULL};
	char **env = sys_self(s->p)->env, **v;
	int fds[2], status, e = sys_pipe(s->p, fds);
	struct sys_fd_move moves[1];
	struct sys_spawn sp = {.path = u_find_program(s->p, "sh", &status), .argv = argv};
	size_t n = 0, kept = 0;

	if (e < 0)
		u_die(s->p, 1, e, "failed to create pipe");
	while (env && env[n])
		n++;
	v = u_array(s->p, n + 2, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		if (strncmp(env[i], "FILE=", 5) != 0)
			v[kept++] = env[i];
	}
	v[kept++] = u_format(s->p, "FILE=%s", name);
	v[kept] = NULL;
	sys_self(s->p)->env = v;
	moves[0] = (struct sys_fd_move){fds[0], 0};
	sys_set_cloexec(s->p, fds[0], true);
	sys_set_cloexec(s->p, fds[1], true);
	sp.fds = moves;
	sp.nfds = 1;
	s->pid = sp.path ? sys_spawn(s->p, &sp) : -NACRE_ENOENT;
	if (s->pid < 0)
		u_die(s->p, 1, s->pid, "failed to run command: \"%s -c %s\"", "sh", s->filter);
	sys_close(s->p, fds[0]);
	s->out = fds[1];
}

static void open_piece(struct split *s)
{
	const char *name;
	struct sys_stat a, b;

	close_piece(s);
	name = piece_name(s);
	if (s->verbose)
		u_printf(u_stdout(s->p), s->filter ? "executing with FILE=%s\n" : "creating file %s\n", u_quote_file(s->p, name));
	u_flush(u_stdout(s->p));
	if (s->filter) {
		start_filter(s, name);
	} else {
		if (sys_stat(s->p, name, 0, &a) == 0 && sys_fstat(s->p, s->in, &b) == 0 && a.ino == b.ino && a.dev == b.dev)
			u_die(s->p, 1, 0, "%s would overwrite input; aborting", u_quote(s->p, name));
		s->out = sys_open(s->p, name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
		if (s->out < 0)
			u_die(s->p, 1, s->out, "%s", name);
	}
	s->is_open = true;
}

static void put(struct split *s, const char *ptr, size_t n)
{
	int64_t r;

	if (n == 0)
		return;
	if (!s->is_open)
		open_piece(s);
	r = sys_write(s->p, s->out, ptr, n);
	if (r < 0 && !(s->filter && r == -NACRE_EPIPE))
		u_die(s->p, 1, (int)r, "write error");
}

static size_t slice(struct split *s, struct sys_slice *out)
{
	int64_t got = sys_read_slice(s->p, s->in, 0, out);

	if (got < 0)
		u_die(s->p, 1, (int)got, "%s", s->input);
	return (size_t)got;
}

/* ---- Ways to cut --------------------------------------------------------------------------- */

static void by_lines(struct split *s)
{
	struct sys_slice in;
	uint64_t left = s->count;

	while (slice(s, &in) > 0) {
		const char *at = in.ptr, *end = at + in.len;

		while (at < end) {
			uint64_t missing;
			size_t n = scan_after(at, (size_t)(end - at), s->sep, left, &missing);

			sys_checkpoint(s->p);
			put(s, at, n);
			at += n;
			left = missing;
			if (left == 0) {
				close_piece(s);
				left = s->count;
			}
		}
	}
}

static void by_bytes(struct split *s)
{
	struct sys_slice in;
	uint64_t left = s->count;

	while (slice(s, &in) > 0) {
		for (size_t at = 0; at < in.len;) {
			size_t n = (size_t)MIN(left, in.len - at);

			put(s, in.ptr + at, n);
			at += n;
			left -= n;
			if (left == 0) {
				close_piece(s);
				left = s->count;
			}
		}
	}
}

/* As many whole lines as fit; a line longer than that is cut. */
static void by_line_bytes(struct split *s)
{
	struct u_lines r;
	struct str line;
	uint64_t used = 0;

	u_lines_init(&r, s->p, s->in, s->sep);
	while (u_lines_next(&r, &line)) {
		uint64_t n = line.len + r.ended;

		sys_checkpoint(s->p);
		if (used > 0 && used + n > s->count) {
			close_piece(s);
			used = 0;
		}
		while (n > s->count) {
			size_t k = (size_t)MIN(s->count, line.len);

			put(s, line.ptr, k);
			if (k < s->count)
				break;
			close_piece(s);
			line.ptr += k;
			line.len -= k;
			n -= k;
		}
		put(s, line.ptr, line.len);
		if (r.ended)
			put(s, &s->sep, 1);
		used += n;
	}
}

static void put_chunk(struct split *s, uint64_t k, const char *ptr, size_t n)
{
	if (s->chunk) {
		if (k == s->chunk)
			u_put(u_stdout(s->p), ptr, n);
		return;
	}
	if (n == 0 && s->elide)
		return;
	open_piece(s);
	put(s, ptr, n);
	close_piece(s);
}

static void by_chunks(struct split *s)
{
	struct str all;
	int e = u_read_all(s->p, s->in, (size_t)1 << 32, &all);
	uint64_t size;
	size_t at = 0;

	if (e < 0)
		u_die(s->p, 1, e, "%s", s->input);
	size = MAX(all.len / s->count, 1);
	for (uint64_t k = 1; k <= s->count; k++) {
		size_t end = k == s->count || k > all.len / size ? all.len : (size_t)(size * k);

		sys_checkpoint(s->p);
		if (s->by == SPLIT_CHUNK_LINES && end < all.len) {
			/* The line that holds the last byte belongs to this piece. */
			const char *nl = end > 0 && end > at ? memchr(all.ptr + end - 1, s->sep, all.len - end + 1) : NULL;

			end = end <= at ? at : nl ? (size_t)(nl - all.ptr) + 1 : all.len;
		}
		put_chunk(s, k, all.ptr + at, end - at);
		at = end;
	}
}

static void by_turns(struct split *s)
{
	struct u_lines r;
	struct str line;
	struct u_buf *piece;
	uint64_t k = 0;

	if (s->count > 1u << 20)
		u_die(s->p, 1, 0, "memory exhausted");
	piece = u_array(s->p, s->chunk ? 1 : (size_t)s->count, sizeof(*piece));
	for (uint64_t i = 0; i < (s->chunk ? 1 : s->count); i++)
		u_buf_init(&piece[i], s->p, 0);
	u_lines_init(&r, s->p, s->in, s->sep);
	while (u_lines_next(&r, &line)) {
		sys_checkpoint(s->p);
		if (!s->chunk) {
			u_buf_put(&piece[k], line.ptr, line.len);
			if (r.ended)
				u_buf_putc(&piece[k], s->sep);
		} else if (k + 1 == s->chunk) {
			u_put(u_stdout(s->p), line.ptr, line.len);
			if (r.ended)
				u_putc(u_stdout(s->p), s->sep);
		}
		k = (k + 1) % s->count;
	}
	for (k = 0; k < s->count && !s->chunk; k++)
		put_chunk(s, k + 1, piece[k].ptr, piece[k].len);
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static void choose_width(struct split *s)
{
	unsigned base = s->base ? (unsigned)s->base : 26;
	uint64_t need = s->by >= SPLIT_CHUNKS && !s->chunk ? s->count : 0, v = 0;
	size_t least = 0;

	if (s->start) {
		const char *end;
		bool overflow = false;

		s->first = num_u64(s->start, &end, s->base, &overflow);
		if (!ascii_xdigit((unsigned char)*s->start) || *end || overflow) {
			u_warn(s->p, 0, "%s: invalid start value for numerical suffix", u_quote(s->p, s->start));
			u_try_help(s->p);
		}
	}
	if (s->suffix_length && (!ascii_digit(s->suffix_length[0]) || u_parse_size(s->suffix_length, NULL, &v) < 0 || v > 255))
		u_die(s->p, 1, 0, "invalid suffix length: %s", u_quote(s->p, s->suffix_length));
	if (need > 0) {
		uint64_t n = need - 1 + (s->first < need ? s->first : 0);

		for (least = 1; n >= base; n /= base)
			least++;
	}
	s->width = v ? (size_t)v : MAX(2, least);
	if (v && least > v)
		u_die(s->p, 1, 0, "the suffix length needs to be at least %zu", least);
	if (s->start && !v)
		s->width = MAX(s->width, strlen(s->start));
	s->grows = !v && !s->start && need == 0;
	s->wide_from = 0;
}

static int split_main(struct proc *p, const struct cmd_args *a)
{
	struct split *s = a->opts;

	s->p = p;
	s->input = a->argc > 0 ? a->argv[0] : "-";
	s->prefix = a->argc > 1 ? a->argv[1] : "x";
	if (a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	if (!s->by) {
		s->by = SPLIT_LINES;
		s->count = 1000;
	}
	s->sep = '\n';
	if (s->separator) {
		if (!s->separator[0])
			u_die(p, 1, 0, "empty record separator");
		if (streq(s->separator, "\\0"))
			s->sep = '\0';
		else if (s->separator[1])
			u_die(p, 1, 0, "multi-character separator %s", u_quote(p, s->separator));
		else
			s->sep = s->separator[0];
	}
	if (s->extra && strchr(s->extra, '/')) {
		u_warn(p, 0, "invalid suffix %s, contains directory separator", u_quote(p, s->extra));
		u_try_help(p);
	}
	if (s->filter && s->chunk) {
		u_warn(p, 0, "--filter does not process a chunk extracted to stdout");
		u_try_help(p);
	}
	choose_width(s);
	s->in = streq(s->input, "-") ? 0 : sys_open(p, s->input, SYS_O_READ, 0);
	if (s->in < 0)
		u_die(p, 1, s->in, "cannot open %s for reading", u_quote_file(p, s->input));
	sys_set_cloexec(p, s->in, s->in > 0);
	if (s->filter)
		sys_signal(p, SYS_SIGPIPE, SYS_SIG_CATCH);
	switch (s->by) {
	case SPLIT_BYTES: by_bytes(s); break;
	case SPLIT_LINE_BYTES: by_line_bytes(s); break;
	case SPLIT_CHUNKS:
	case SPLIT_CHUNK_LINES: by_chunks(s); break;
	case SPLIT_ROUND: by_turns(s); break;
	default: by_lines(s); break;
	}
	close_piece(s);
	return 0;
}

static const struct cmd_example split_examples[] = {
	{"seq 5 | split -l 2; head x*", "==> xaa <==\n1\n2\n\n==> xab <==\n3\n4\n\n==> xac <==\n5\n"},
	{"printf abcdef | split -b 4 -d - p; cat p01", "ef"},
};

const struct cmd cmd_split = {
	.name = "split",
	.summary = "split a file into pieces",
	.synopsis = "[OPTION]... [FILE [PREFIX]]",
	.description =
		"Output pieces of FILE to PREFIXaa, PREFIXab, ...; the default size is 1000\n"
		"lines and the default PREFIX is 'x'. Without FILE, or when FILE is -, standard\n"
		"input is read. SIZE may end in K, M, G (powers of 1024), KB, MB (of 1000) and so on.",
	.opts = split_opts,
	.nopts = COUNTOF(split_opts),
	.opts_size = sizeof(struct split),
	.main = split_main,
	.examples = split_examples,
	.nexamples = COUNTOF(split_examples),
};
