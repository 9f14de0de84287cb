/*
 * xz.c - xz, unxz, xzcat, lzma, unlzma and lzcat, as XZ Utils 5.4.
 *
 * Files that cannot be worked on give status 2 when they were only left alone, 1 after an error; the others go on.
 */
#include "../pack/place.h"

enum { COMPRESS = 1, DECOMPRESS, TEST, LIST };
enum { AUTO = 1, XZ, LZMA };

struct xz {
	int mode, format, check;
	bool to_stdout, keep, force, extreme, no_sparse, no_warn, single_stream, robot;
	int quiet, verbose, level;
	bool level_given;
	const char *suffix;
	uint64_t memory;

	struct proc *p;
	int status;
	struct pump q;
	struct place at;
	const char *in_name;
};

/* ---- Options ------------------------------------------------------------------------------------ */

static void set_level(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct xz *x = opts;

	(void)p;
	x->level = arg ? arg[strlen(arg) - 1] - '0' : o->lng[0] == 'f' ? 0 : 9;
	x->level_given = true;
}

static void set_format(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const struct u_word words[] = {{"auto", AUTO}, {"xz", XZ}, {"lzma", LZMA}, {"alone", LZMA}};
	struct xz *x = opts;

	(void)o;
	for (size_t i = 0; i < COUNTOF(words); i++) {
		if (streq(arg, words[i].name)) {
			x->format = words[i].value;
			return;
		}
	}
	u_die(p, 1, 0, "%s: Unknown file format type", arg);
}

static void set_check(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const struct u_word words[] = {
		{"none", CODEC_CHECK_NONE}, {"crc32", CODEC_CHECK_CRC32}, {"crc64", CODEC_CHECK_CRC64}, {"sha256", CODEC_CHECK_SHA256}};
	struct xz *x = opts;

	(void)o;
	for (size_t i = 0; i < COUNTOF(words); i++) {
		if (streq(arg, words[i].name)) {
			x->check = words[i].value;
			return;
		}
	}
	u_die(p, 1, 0, "%s: Unsupported integrity check type", arg);
}

static uint64_t number_or_die(struct proc *p, const char *arg)
{
	uint64_t n;

	if (!ascii_digit((unsigned char)arg[0]))
		u_die(p, 1, 0, "%s: Value is not a non-negative decimal integer", arg);
	if (u_parse_size(arg, "kKMGiB0", &n) < 0)
		u_die(p, 1, 0, "%s: Invalid multiplier suffix", arg);
	return n;
}

/* There is one thread whatever is asked for: the output of xz with one thread is what it would be there too. */
static void set_threads(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	number_or_die(p, arg);
}

static void set_memory(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct xz *x = opts;

	(void)o;
	size_t n = strlen(arg);
	uint64_t percent;

	if (n > 1 && arg[n - 1] == '%') {
		percent = number_or_die(p, u_strndup(p, arg, n - 1));
		if (percent < 1 || percent > 100)
			u_die(p, 1, 0, "Value of the option 'memlimit' must be in the range [1, 100]");
		x->memory = sys_limit(p, SYS_LIMIT_MEMORY) / 100 * percent;
		return;
	}
	x->memory = streq(arg, "max") ? 0 : number_or_die(p, arg);
}

static void show_help(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	(void)arg;
	u_help(p);
}

static const struct cmd_opt xz_opts[] = {
	CMD_CHOICE(struct xz, mode, 'z', "compress", COMPRESS, "force compression"),
	CMD_CHOICE(struct xz, mode, 'd', "decompress", DECOMPRESS, "force decompression"),
	CMD_CHOICE(struct xz, mode, 'd', "uncompress", DECOMPRESS, NULL),
	CMD_CHOICE(struct xz, mode, 't', "test", TEST, "test compressed file integrity"),
	CMD_FLAG(struct xz, keep, 'k', "keep", "keep (don't delete) input files"),
	CMD_FLAG(struct xz, force, 'f', "force", "force overwrite of output file and (de)compress links"),
	CMD_FLAG(struct xz, to_stdout, 'c', "stdout", "write to standard output and don't delete input files"),
	CMD_FLAG(struct xz, to_stdout, 'c', "to-stdout", NULL),
	CMD_DIGITS(set_level, "compression preset, 0 to 9; default is 6"),
	CMD_CALL(0, "fast", NULL, set_level, NULL),
	CMD_CALL(0, "best", NULL, set_level, NULL),
	CMD_FLAG(struct xz, extreme, 'e', "extreme", "try to improve compression ratio by using more CPU time"),
	CMD_CALL('T', "threads", "NUM", set_threads, "use at most NUM threads (there is one)"),
	CMD_CALL('F', "format", "FMT", set_format, "file format: auto, xz, lzma (alone)"),
	CMD_CALL('C', "check", "CHECK", set_check, "integrity check type: none, crc32, crc64 (default), sha256"),
	CMD_STRING(struct xz, suffix, 'S', "suffix", ".SUF", "use the suffix .SUF on compressed files"),
	CMD_CALL('M', "memlimit", "LIMIT", set_memory, "memory limit of decompression"),
	CMD_CALL(0, "memory", "LIMIT", set_memory, NULL),
	CMD_CALL(0, "memlimit-decompress", "LIMIT", set_memory, NULL),
	CMD_FLAG(struct xz, no_sparse, 0, "no-sparse", "do not create sparse files (none are made)"),
	CMD_FLAG(struct xz, single_stream, 0, "single-stream", "decompress only the first stream, ignore the rest"),
	CMD_FLAG(struct xz, no_warn, 'Q', "no-warn", "make warnings not affect the exit status"),
	CMD_COUNT(struct xz, quiet, 'q', "quiet", "suppress warnings; specify twice to suppress errors too"),
	CMD_COUNT(struct xz, verbose, 'v', "verbose", "be verbose"),
	CMD_CALL('h', NULL, NULL, show_help, "display this short help and exit"),
};

/* ---- Messages -------------------------------------------------------------------------------------- */

static void fail(struct xz *x, const char *text)
{
	if (x->quiet < 2)
		u_warn(x->p, 0, "%s: %s", x->in_name, text);
	x->status = 1;
}

static void skip(struct xz *x, const char *text)
{
	if (x->quiet < 1)
		u_warn(x->p, 0, "%s: %s", x->in_name, text);
	if (!x->no_warn && x->status == 0)
		x->status = 2;
}

/* "1,234 B" or a rounded size in a larger unit. */
static const char *size_text(struct proc *p, uint64_t n)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double v = (double)n;
	size_t u = 0;

	if (n < 10000)
		return u_format(p, "%llu B", (unsigned long long)n);
	do {
		v /= 1024.0;
		u++;
	} while (u < COUNTOF(units) - 1 && v > 9999.9);
	return u_format(p, "%.1f %s", v, units[u]);
}

static void report(struct xz *x)
{
	uint64_t packed = x->mode == COMPRESS ? x->q.out_total : x->q.in_total, plain = x->mode == COMPRESS ? x->q.in_total : x->q.out_total;
	double ratio = plain ? (double)packed / (double)plain : 10.0;
	const char *text;

	if (!x->verbose)
		return;
	text = u_format(x->p, "%s: %s / %s %s\n", x->in_name, size_text(x->p, packed), size_text(x->p, plain),
			ratio > 9.999 ? "> 9.999" : u_format(x->p, "= %.3f", ratio));
	u_write_all(x->p, 2, text, strlen(text));
}

/* ---- Work --------------------------------------------------------------------------------------------- */

/* 0, or what has been said. */
static bool result(struct xz *x, int r)
{
	switch (r) {
	case CODEC_END: return true;
	case PUMP_READ: fail(x, u_format(x->p, "Read error: %s", errno_text(x->q.err))); break;
	case PUMP_WRITE:
		if (x->quiet < 2)
			u_warn(x->p, 0, "%s: Write error: %s", x->q.out == 1 ? "(stdout)" : x->at.out_name, errno_text(x->q.err));
		x->status = 1;
		break;
	case CODEC_CUT:
	case CODEC_MORE: fail(x, "Unexpected end of input"); break;
	case CODEC_FORMAT: fail(x, "File format not recognized"); break;
	case CODEC_LIMIT: fail(x, "Memory usage limit reached"); break;
	case CODEC_UNSUPPORTED: fail(x, "Unsupported options"); break;
	default: fail(x, "Compressed data is corrupt"); break;
	}
	return false;
}

static bool compress(struct xz *x)
{
	struct codec_config config = {.kind = x->format == LZMA ? CODEC_LZMA : CODEC_XZ, .level = x->level, .extreme = x->extreme, .check = x->check};
	uint64_t limit = sys_limit(x->p, SYS_LIMIT_MEMORY), used = sys_usage(x->p, SYS_LIMIT_MEMORY);
	int r;

	/* What is left of the budget decides how large the dictionary may be. */
	if (limit)
		config.memory_limit = limit > used ? (limit - used) / 4 * 3 : 1;
	r = codec_encode(x->q.codec, &config);
	if (r == 0)
		r = pump_encode(&x->q);
	if (r == CODEC_END && pump_flush(&x->q) < 0)
		r = PUMP_WRITE;
	return result(x, r);
}

/* Zeros in groups of four may stand between and after streams. false: something else that is no padding. */
static bool skip_padding(struct xz *x, bool *more)
{
	uint64_t n = 0;

	while ((*more = pump_fill(&x->q)) && *x->q.at == 0) {
		x->q.at++;
		x->q.in_total++;
		n++;
	}
	return n % 4 == 0;
}

static const unsigned char xz_magic[6] = {0xfd, '7', 'z', 'X', 'Z', 0};

/* .lzma has no magic: its header must be one that an encoder would make. */
static bool is_lzma(const unsigned char *h)
{
	uint32_t dict = 0, d;
	uint64_t size = 0;

	for (int i = 0; i < 4; i++)
		dict |= (uint32_t)h[1 + i] << (8 * i);
	for (int i = 0; i < 8; i++)
		size |= (uint64_t)h[5 + i] << (8 * i);
	d = dict - 1;
	d |= d >> 2;
	d |= d >> 3;
	d |= d >> 4;
	d |= d >> 8;
	d |= d >> 16;
	return h[0] < 225 && dict && (dict == UINT32_MAX || d + 1 == dict) && (size == UINT64_MAX || size < (uint64_t)1 << 38);
}

/* By its first bytes: XZ, LZMA, or 0. What is in hand may be less than the magic. */
static int guess(struct xz *x)
{
	size_t n;

	if (!pump_fill(&x->q))
		return 0;
	n = MIN((size_t)(x->q.end - x->q.at), sizeof(xz_magic));
	if (memcmp(x->q.at, xz_magic, n) == 0)
		return XZ;
	return x->q.end - x->q.at >= 13 && is_lzma(x->q.at) ? LZMA : 0;
}

static int decode_one(struct xz *x, int format)
{
	struct codec_config config = {.kind = format == LZMA ? CODEC_LZMA : CODEC_XZ, .memory_limit = x->memory};
	int r = codec_decode(x->q.codec, &config);

	return r == 0 ? pump_decode(&x->q) : r;
}

static bool decompress(struct xz *x)
{
	int format = x->format == XZ || x->format == LZMA ? x->format : guess(x), r;
	bool more, is_lone = format == LZMA;

	if (format == 0 || (x->format != LZMA && format == XZ && guess(x) != XZ)) {
		if (x->force && x->to_stdout && x->mode == DECOMPRESS && !x->q.err) {
			r = pump_copy(&x->q);
			return result(x, r < 0 ? r : pump_flush(&x->q) < 0 ? PUMP_WRITE : CODEC_END);
		}
		return result(x, x->q.err ? PUMP_READ : CODEC_FORMAT);
	}
	do {
		r = decode_one(x, format);
		if (r == CODEC_FORMAT && x->q.out_total)
			r = CODEC_BAD;
		if (r == CODEC_END && !is_lone && !x->single_stream && !skip_padding(x, &more))
			r = CODEC_BAD;
		if (r == CODEC_END && is_lone)
			more = false;
		sys_checkpoint(x->p);
	} while (r == CODEC_END && !is_lone && !x->single_stream && more);
	if (r == CODEC_END && is_lone && pump_fill(&x->q))
		r = CODEC_BAD;
	if (x->q.err && r == CODEC_END)
		r = PUMP_READ;
	if (pump_flush(&x->q) < 0)
		r = PUMP_WRITE;
	return result(x, r);
}

/* ---- Names ------------------------------------------------------------------------------------------------ */

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), k = strlen(suffix);

	return n > k && streq(name + n - k, suffix) && name[n - k - 1] != '/';
}

/* NULL: left alone (said). */
static const char *output_name(struct xz *x, const char *name)
{
	static const char *const known[][2] = {{".xz", ""}, {".txz", ".tar"}, {".lzma", ""}, {".tlz", ".tar"}};
	const char *usual = x->format == LZMA ? ".lzma" : ".xz";
	size_t n = strlen(name);

	if (x->mode == COMPRESS) {
		for (size_t i = x->format == LZMA ? 2 : 0; i < (x->format == LZMA ? 4u : 2u); i++) {
			if (ends(name, known[i][0])) {
				skip(x, u_format(x->p, "File already has `%s' suffix, skipping", known[i][0]));
				return NULL;
			}
		}
		if (x->suffix && ends(name, x->suffix)) {
			skip(x, u_format(x->p, "File already has `%s' suffix, skipping", x->suffix));
			return NULL;
		}
		return u_format(x->p, "%s%s", name, x->suffix ? x->suffix : usual);
	}
	if (x->suffix && ends(name, x->suffix))
		return u_strndup(x->p, name, n - strlen(x->suffix));
	for (size_t i = 0; i < COUNTOF(known); i++) {
		if (ends(name, known[i][0]))
			return u_format(x->p, "%.*s%s", (int)(n - strlen(known[i][0])), name, known[i][1]);
	}
	skip(x, "Filename has an unknown suffix, skipping");
	return NULL;
}

static bool is_fit(struct xz *x, bool to_file)
{
	uint32_t type = x->at.st.mode & SYS_S_TYPE;

	if (type == SYS_S_DIR)
		skip(x, "Is a directory, skipping");
	else if (to_file && type != SYS_S_FILE)
		skip(x, "Not a regular file, skipping");
	else if (to_file && !x->force && x->at.st.mode & 06000)
		skip(x, "File has setuid or setgid bit set, skipping");
	else if (to_file && !x->force && x->at.st.mode & 01000)
		skip(x, "File has sticky bit set, skipping");
	else if (to_file && !x->force && !x->keep && x->at.st.nlink > 1)
		skip(x, "Input file has more than one hard link, skipping");
	else
		return true;
	return false;
}

static bool run(struct xz *x, int in, int out)
{
	bool ok;

	pump_open(&x->q, in, x->mode == TEST ? -1 : out);
	ok = x->mode == COMPRESS ? compress(x) : decompress(x);
	if (ok)
		report(x);
	return ok;
}

static int open_input(struct xz *x, const char *name, bool follow)
{
	struct sys_stat st;
	int in;

	if (!follow && sys_stat(x->p, name, SYS_NOFOLLOW, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_LINK) {
		skip(x, "Is a symbolic link, skipping");
		return -1;
	}
	in = place_open(&x->at, name, follow);
	if (in < 0)
		fail(x, errno_text(in));
	return in;
}

static void treat(struct xz *x, const char *name)
{
	bool to_file = !x->to_stdout && x->mode != TEST;
	int in, out = 1;

	if (streq(name, "-")) {
		x->in_name = "(stdin)";
		run(x, 0, 1);
		return;
	}
	x->in_name = name;
	x->at.p = x->p;
	in = open_input(x, name, x->force || x->keep || !to_file);
	if (in < 0)
		return;
	x->at.out_name = NULL;
	if (is_fit(x, to_file) && (!to_file || (x->at.out_name = output_name(x, name)) != NULL)) {
		if (to_file)
			out = place_make(&x->at, x->force);
		if (out < 0) {
			if (x->quiet < 2)
				u_warn(x->p, out, "%s", x->at.out_name);
			x->status = 1;
		} else if (!run(x, in, out)) {
			place_drop(&x->at);
		} else if (to_file) {
			place_finish(&x->at, x->keep);
		}
		if (to_file && out >= 0)
			sys_close(x->p, out);
	}
	sys_close(x->p, in);
}

/* ---- Main ----------------------------------------------------------------------------------------------------- */

static int start(struct proc *p, const struct cmd_args *a, int mode, int format)
{
	static char *const standard_input[] = {(char *)"-"};
	struct xz *x = a->opts;
	char *const *file = a->argc ? a->argv : standard_input;

	x->p = p;
	x->mode = x->mode ? x->mode : mode;
	x->format = x->format ? x->format : format;
	x->keep |= x->to_stdout;
	if (x->suffix && (!*x->suffix || strchr(x->suffix, '/')))
		u_die(p, 1, 0, "%s: Invalid filename suffix", x->suffix);
	pump_init(&x->q, p, codec_new(p), (size_t)64 << 10);
	for (int i = 0; i < (a->argc ? a->argc : 1); i++)
		treat(x, file[i]);
	return x->status;
}

static int xz_main(struct proc *p, const struct cmd_args *a) { return start(p, a, COMPRESS, AUTO); }
static int unxz_main(struct proc *p, const struct cmd_args *a) { return start(p, a, DECOMPRESS, AUTO); }
static int lzma_main(struct proc *p, const struct cmd_args *a) { return start(p, a, COMPRESS, LZMA); }
static int unlzma_main(struct proc *p, const struct cmd_args *a) { return start(p, a, DECOMPRESS, LZMA); }

static int xzcat_main(struct proc *p, const struct cmd_args *a)
{
	((struct xz *)a->opts)->to_stdout = true;
	return start(p, a, DECOMPRESS, AUTO);
}

static int lzcat_main(struct proc *p, const struct cmd_args *a)
{
	((struct xz *)a->opts)->to_stdout = true;
	return start(p, a, DECOMPRESS, LZMA);
}

static void defaults(void *opts)
{
	((struct xz *)opts)->level = 6;
}

static const struct cmd_example xz_examples[] = {
	{"echo hello > f; xz f; ls; xzcat f.xz", "f.xz\nhello\n"},
	{"seq 1000 | xz -9 | xz -dc | tail -n 1", "1000\n"},
};

static const struct cmd_missing xz_missing[] = {
	{"-l, --list, --robot", "use xz -tv, which says the sizes"},
	{"--lzma2, --lzma1, --x86, --delta, ...", "filter chains of one's own"},
	{"--block-size, --block-list, --files", "refused"},
};

#define XZ_COMMON                                                                                                                        \
	.synopsis = "[OPTION]... [FILE]...", .opts = xz_opts, .nopts = COUNTOF(xz_opts), .opts_size = sizeof(struct xz), .defaults = defaults, \
	.stack_size = CODEC_STACK_SIZE, .missing = xz_missing, .nmissing = COUNTOF(xz_missing)

const struct cmd cmd_xz = {
	.name = "xz",
	.summary = "compress or decompress files in the .xz format",
	.hint = "xz: Try `xz --help' for more information.",
	.main = xz_main,
	.examples = xz_examples,
	.nexamples = COUNTOF(xz_examples),
	XZ_COMMON,
};

const struct cmd cmd_unxz = {
	.name = "unxz",
	.summary = "decompress .xz files",
	.hint = "unxz: Try `unxz --help' for more information.",
	.main = unxz_main,
	XZ_COMMON,
};

const struct cmd cmd_xzcat = {
	.name = "xzcat",
	.summary = "decompress .xz files to standard output",
	.hint = "xzcat: Try `xzcat --help' for more information.",
	.main = xzcat_main,
	XZ_COMMON,
};

const struct cmd cmd_lzma = {
	.name = "lzma",
	.summary = "compress files in the .lzma format",
	.hint = "lzma: Try `lzma --help' for more information.",
	.main = lzma_main,
	XZ_COMMON,
};

const struct cmd cmd_unlzma = {
	.name = "unlzma",
	.summary = "decompress .lzma files",
	.hint = "unlzma: Try `unlzma --help' for more information.",
	.main = unlzma_main,
	XZ_COMMON,
};

const struct cmd cmd_lzcat = {
	.name = "lzcat",
	.summary = "decompress .lzma files to standard output",
	.hint = "lzcat: Try `lzcat --help' for more information.",
	.main = lzcat_main,
	XZ_COMMON,
};
