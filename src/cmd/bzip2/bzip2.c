/*
 * bzip2.c - bzip2, bunzip2 and bzcat, as bzip2 1.0.8.
 *
 * The first damaged or missing file decides: damage ends the program with status 2, what is only in the way
 * gives status 1 and the next file goes on.
 */
#include "../pack/place.h"

enum { AUTO, COMPRESS, DECOMPRESS, TEST };

struct bzip2 {
	int mode;
	bool to_stdout, keep, force, quiet, small, license, version;
	int verbose, level;

	struct proc *p;
	int status;
	struct pump q;
	struct place at;
	const char *in_name, *out_name;
	size_t longest;		/* name */
};

static void set_level(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct bzip2 *b = opts;

	(void)p;
	b->level = arg ? arg[strlen(arg) - 1] - '0' : o->lng[0] == 'f' ? 1 : 9;
}

static const struct cmd_opt bzip2_opts[] = {
	CMD_CHOICE(struct bzip2, mode, 'd', "decompress", DECOMPRESS, "force decompression"),
	CMD_CHOICE(struct bzip2, mode, 'z', "compress", COMPRESS, "force compression"),
	CMD_FLAG(struct bzip2, keep, 'k', "keep", "keep (don't delete) input files"),
	CMD_FLAG(struct bzip2, force, 'f', "force", "overwrite existing output files"),
	CMD_CHOICE(struct bzip2, mode, 't', "test", TEST, "test compressed file integrity"),
	CMD_FLAG(struct bzip2, to_stdout, 'c', "stdout", "output to standard out"),
	CMD_FLAG(struct bzip2, quiet, 'q', "quiet", "suppress noncritical error messages"),
	CMD_COUNT(struct bzip2, verbose, 'v', "verbose", "be verbose"),
	CMD_FLAG(struct bzip2, license, 'L', "license", "display software version & license"),
	CMD_FLAG(struct bzip2, version, 'V', NULL, NULL),
	CMD_FLAG(struct bzip2, small, 's', "small", "use less memory (block size 200k)"),
	CMD_DIGITS(set_level, "set block size to 100k .. 900k (-1 .. -9)"),
	CMD_CALL(0, "fast", NULL, set_level, "alias for -1"),
	CMD_CALL(0, "best", NULL, set_level, "alias for -9"),
};

/* ---- Messages --------------------------------------------------------------------------------- */

static void say(struct bzip2 *b, const char *fmt, ...) PRINTF(2, 3);
static void say(struct bzip2 *b, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	n = fmt_buf_v(text, sizeof(text), fmt, ap);
	va_end(ap);
	u_flush(u_stdout(b->p));
	u_write_all(b->p, 2, text, MIN(n, sizeof(text) - 1));
}

static void refuse(struct bzip2 *b, const char *fmt, ...) PRINTF(2, 3);
static void refuse(struct bzip2 *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!b->quiet)
		u_warn_v(b->p, 0, fmt, ap);
	va_end(ap);
	b->status = MAX(b->status, 1);
}

static void put_recovery_hint(struct bzip2 *b)
{
	say(b, "\nYou can use the `bzip2recover' program to attempt to recover\ndata from undamaged sections of corrupted files.\n\n");
}

/* Ends the program after damage in the file in hand. */
static NORETURN void damaged(struct bzip2 *b, const char *what)
{
	say(b, "\n%s: %s\n\tInput file = %s, output file = %s\n", u_name(b->p), what, b->in_name, b->out_name);
	say(b, "\nIt is possible that the compressed file(s) have become corrupted.\nYou can use the -tvv option to test integrity of such files.\n");
	put_recovery_hint(b);
	if (b->at.made)
		say(b, "%s: Deleting output file %s, if it exists.\n", u_name(b->p), b->out_name);
	place_drop(&b->at);
	u_exit(b->p, 2);
}

static NORETURN void io_failed(struct bzip2 *b)
{
	say(b, "%s: I/O or other error, bailing out.  Possible reason follows.\n%s: %s\n\tInput file = %s, output file = %s\n", u_name(b->p),
	    u_name(b->p), errno_text(b->q.err), b->in_name, b->out_name);
	place_drop(&b->at);
	u_exit(b->p, 1);
}

/* "  NAME: ", filled up to the longest name. */
static void put_name(struct bzip2 *b)
{
	size_t n = strlen(b->in_name);

	say(b, "  %s: %*s", b->in_name, (int)(n < b->longest ? b->longest - n : 0), "");
}

/* ---- Work ---------------------------------------------------------------------------------------- */

static void compress(struct bzip2 *b)
{
	struct codec_config config = {.kind = CODEC_BZIP2, .level = b->level};
	int r = codec_encode(b->q.codec, &config);

	if (r == 0)
		r = pump_encode(&b->q);
	if (r != CODEC_END || pump_flush(&b->q) < 0)
		io_failed(b);
}

/* All streams of the file. false: not a bzip2 file (nothing has been read but its beginning). */
static bool decompress(struct bzip2 *b, bool *garbage)
{
	struct codec_config config = {.kind = CODEC_BZIP2};
	bool test = b->mode == TEST;

	*garbage = false;
	for (bool first = true;; first = false) {
		uint64_t before = b->q.in_total;
		int r;

		if (!first && !pump_fill(&b->q))
			break;
		r = codec_decode(b->q.codec, &config);
		if (r == 0)
			r = pump_decode(&b->q);
		if (r == PUMP_READ || r == PUMP_WRITE)
			io_failed(b);
		if (r == CODEC_FORMAT && (first || b->q.in_total - before <= 4)) {
			*garbage = !first;
			if (first)
				return false;
			break;
		}
		if (r == CODEC_CUT || r == CODEC_MORE)
			b->status = 100; /* ends early */
		else if (r != CODEC_END)
			b->status = 101; /* damaged */
		if (r != CODEC_END) {
			if (!test)
				pump_flush(&b->q);
			return true;
		}
		sys_checkpoint(b->p);
	}
	if (b->q.err || pump_flush(&b->q) < 0)
		io_failed(b);
	return true;
}

static void put_ratio(struct bzip2 *b)
{
	double in = (double)b->q.in_total, out = (double)b->q.out_total;

	if (b->q.in_total == 0)
		say(b, " no data compressed.\n");
	else
		say(b, "%6.3f:1, %6.3f bits/byte, %5.2f%% saved, %llu in, %llu out.\n", in / out, 8.0 * out / in, 100.0 * (1.0 - out / in),
		    (unsigned long long)b->q.in_total, (unsigned long long)b->q.out_total);
}

/* The bytes already taken (at most 4) are known: 'B', 'Z', 'h' and a digit may have been among them. */
static void copy_as_is(struct bzip2 *b, int in)
{
	int r;

	pump_open(&b->q, in, 1);
	if (sys_seek(b->p, in, 0, SYS_SEEK_SET) < 0)
		damaged(b, "not a bzip2 file, and it cannot be read again.");
	r = pump_copy(&b->q);
	if (r < 0 || pump_flush(&b->q) < 0)
		io_failed(b);
}

static void test_failed(struct bzip2 *b, const char *what)
{
	if (b->verbose)
		say(b, "%s\n", what);
	else
		say(b, "%s: %s: %s\n", u_name(b->p), b->in_name, what);
	b->status = 2;
}

/* Decompression of an open file, and what is said of it. false after a failure. */
static bool decode_file(struct bzip2 *b, int in)
{
	bool garbage, ok, test = b->mode == TEST;
	int before = b->status;

	if (b->verbose)
		put_name(b);
	ok = decompress(b, &garbage);
	if (garbage && !b->quiet)
		say(b, b->verbose ? "%.0s%.0strailing garbage after EOF ignored\n" : "\n%s: %s: trailing garbage after EOF ignored\n", u_name(b->p), b->in_name);
	if (!ok && !test && b->force && b->to_stdout) {
		copy_as_is(b, in);
		ok = true;
	}
	if (b->status >= 100) {
		bool cut = b->status == 100;

		b->status = before;
		if (!test)
			damaged(b, cut ? "Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  *Possible* reason follows." : "Data integrity error when decompressing.");
		test_failed(b, cut ? "file ends unexpectedly" : "data integrity (CRC) error in data");
		return false;
	}
	if (!ok && test)
		test_failed(b, "bad magic number (file not created by bzip2)");
	else if (!ok && b->verbose)
		say(b, "not a bzip2 file.\n");
	else if (!ok)
		u_warn(b->p, 0, "%s is not a bzip2 file.", b->in_name);
	else if (b->verbose)
		say(b, test ? "ok\n" : "done\n");
	if (!ok)
		b->status = 2;
	return ok;
}

static bool run_file(struct bzip2 *b, int in, int out)
{
	pump_open(&b->q, in, b->mode == TEST ? -1 : out);
	if (b->mode != COMPRESS)
		return decode_file(b, in);
	if (b->verbose)
		put_name(b);
	compress(b);
	if (b->verbose)
		put_ratio(b);
	return true;
}

/* ---- Names ---------------------------------------------------------------------------------------- */

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return n >= k && streq(name + n - k, suffix);
}

static const char *output_name(struct bzip2 *b, const char *name)
{
	static const char *const suffixes[][2] = {{".bz2", ""}, {".bz", ""}, {".tbz2", ".tar"}, {".tbz", ".tar"}};

	if (b->mode == COMPRESS)
		return u_format(b->p, "%s.bz2", name);
	for (size_t i = 0; i < COUNTOF(suffixes); i++) {
		if (ends(name, suffixes[i][0]))
			return u_format(b->p, "%.*s%s", (int)(strlen(name) - strlen(suffixes[i][0])), name, suffixes[i][1]);
	}
	return u_format(b->p, "%s.out", name);
}

/* What is not replaced. */
static bool is_fit(struct bzip2 *b, const char *name)
{
	struct sys_stat st;

	if ((b->at.st.mode & SYS_S_TYPE) == SYS_S_DIR) {
		refuse(b, "Input file %s is a directory.", name);
		return false;
	}
	if (b->to_stdout || b->mode == TEST)
		return true;
	if (!b->force && (b->at.st.mode & SYS_S_TYPE) != SYS_S_FILE) {
		refuse(b, "Input file %s is not a normal file.", name);
		return false;
	}
	if (b->mode == DECOMPRESS && ends(b->out_name, ".out") && !ends(name, ".out") && !b->quiet)
		u_warn(b->p, 0, "Can't guess original name for %s -- using %s", name, b->out_name);
	if (!b->force && sys_stat(b->p, b->out_name, SYS_NOFOLLOW, &st) == 0) {
		u_warn(b->p, 0, "Output file %s already exists.", b->out_name);
		b->status = MAX(b->status, 1);
		return false;
	}
	if (!b->force && b->at.st.nlink > 1) {
		u_warn(b->p, 0, "Input file %s has %u other link%s.", name, b->at.st.nlink - 1, b->at.st.nlink > 2 ? "s" : "");
		b->status = MAX(b->status, 1);
		return false;
	}
	return true;
}

static void treat(struct bzip2 *b, const char *name)
{
	static const char *const packed[] = {".bz2", ".bz", ".tbz2", ".tbz"};
	bool to_file = !b->to_stdout && b->mode != TEST, follow = b->force || !to_file;
	int in, out = 1;

	b->at.p = b->p;
	b->in_name = name;
	b->out_name = b->at.out_name = to_file ? output_name(b, name) : "(stdout)";
	in = place_open(&b->at, name, follow);
	if (in == -NACRE_ELOOP && !follow) {
		refuse(b, "Input file %s is not a normal file.", name);
		return;
	}
	if (in < 0) {
		u_warn(b->p, 0, "Can't open input file %s: %s.", name, errno_text(in));
		b->status = MAX(b->status, 1);
		return;
	}
	for (size_t i = 0; i < COUNTOF(packed) && b->mode == COMPRESS; i++) {
		if (ends(name, packed[i])) {
			refuse(b, "Input file %s already has %s suffix.", name, packed[i]);
			sys_close(b->p, in);
			return;
		}
	}
	if (!is_fit(b, name)) {
		sys_close(b->p, in);
		return;
	}
	if (to_file) {
		out = place_make(&b->at, b->force);
		if (out < 0) {
			u_warn(b->p, 0, "Can't create output file %s: %s.", b->out_name, errno_text(out));
			b->status = MAX(b->status, 1);
			sys_close(b->p, in);
			return;
		}
	}
	if (!run_file(b, in, out))
		place_drop(&b->at);
	else if (to_file)
		place_finish(&b->at, b->keep);
	sys_close(b->p, in);
	if (to_file)
		sys_close(b->p, out);
}

/* ---- Main ------------------------------------------------------------------------------------------ */

static int run(struct proc *p, const struct cmd_args *a, int mode)
{
	struct bzip2 *b = a->opts;
	bool any = false;

	b->p = p;
	b->mode = b->mode ? b->mode : mode;
	if (b->license || b->version) {
		u_puts(u_stdout(p), "bzip2 (nacre), a block-sorting file compressor.\n");
		return 0;
	}
	b->level = b->level ? b->level : b->small ? 2 : 9;
	pump_init(&b->q, p, codec_new(p), b->mode == COMPRESS ? (size_t)64 << 10 : 5000);
	b->at.p = p;
	b->longest = strlen("(stdin)");
	for (int i = 0; i < a->argc; i++) {
		if (streq(a->argv[i], "-"))
			continue; /* a flag without letters */
		any = true;
		b->longest = MAX(b->longest, MIN(strlen(a->argv[i]), (size_t)1000));
	}
	if (!any) {
		b->in_name = "(stdin)";
		b->out_name = "(stdout)";
		run_file(b, 0, 1);
	}
	for (int i = 0; i < a->argc; i++) {
		if (!streq(a->argv[i], "-"))
			treat(b, a->argv[i]);
	}
	if (b->status == 2 && b->mode == TEST)
		put_recovery_hint(b);
	return b->status;
}

static int bzip2_main(struct proc *p, const struct cmd_args *a)
{
	return run(p, a, COMPRESS);
}

static int bunzip2_main(struct proc *p, const struct cmd_args *a)
{
	return run(p, a, DECOMPRESS);
}

static int bzcat_main(struct proc *p, const struct cmd_args *a)
{
	((struct bzip2 *)a->opts)->to_stdout = true;
	return run(p, a, DECOMPRESS);
}

static const struct cmd_example bzip2_examples[] = {
	{"echo hello > f; bzip2 f; ls; bzcat f.bz2", "f.bz2\nhello\n"},
	{"seq 1000 | bzip2 | bunzip2 | tail -n 1", "1000\n"},
};

#define BZIP2_COMMON                                                                       \
	.opts = bzip2_opts, .nopts = COUNTOF(bzip2_opts), .opts_size = sizeof(struct bzip2), \
	.stack_size = CODEC_STACK_SIZE

const struct cmd cmd_bzip2 = {
	.name = "bzip2",
	.summary = "a block-sorting file compressor",
	.synopsis = "[flags and input files in any order]",
	.main = bzip2_main,
	.examples = bzip2_examples,
	.nexamples = COUNTOF(bzip2_examples),
	BZIP2_COMMON,
};

const struct cmd cmd_bunzip2 = {
	.name = "bunzip2",
	.summary = "decompress .bz2 files",
	.synopsis = "[flags and input files in any order]",
	.main = bunzip2_main,
	BZIP2_COMMON,
};

const struct cmd cmd_bzcat = {
	.name = "bzcat",
	.summary = "decompress .bz2 files to standard output",
	.synopsis = "[flags and input files in any order]",
	.main = bzcat_main,
	BZIP2_COMMON,
};
