/*
 * zstd.c - zstd, unzstd and zstdcat, as zstd 1.5.
 *
 * Unlike the others it keeps its input unless --rm is given, and says on standard error what it did.
 */
#include "../pack/place.h"

enum { COMPRESS = 1, DECOMPRESS, TEST };

struct zstd {
	int mode, level, window_log;
	bool to_stdout, keep, rm, force, recursive, ultra, no_check, no_progress, level_given;
	int quiet, verbose;
	const char *out;

	struct proc *p;
	int status, nfiles, ndone;
	struct pump q;
	struct place at;
	const char *in_name;
	uint64_t sum_in, sum_out;
	int shared_out;		/* of -o with several files; -1: none */
};

static void set_level(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct zstd *z = opts;
	uint64_t n;

	(void)p;
	(void)o;
	z->level = u_parse_size(arg, NULL, &n) == 0 && n < 1000 ? (int)n : 1000;
	z->level_given = true;
}

static NORETURN void incorrect(struct proc *p)
{
	static const char text[] = "Incorrect parameters \nTry 'zstd --help' for more information.\n";

	u_write_all(p, 2, text, sizeof(text) - 1);
	u_exit(p, 1);
}

static void set_fast(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct zstd *z = opts;
	uint64_t n = 1;

	(void)o;
	if (arg && (u_parse_size(arg, NULL, &n) < 0 || n == 0 || n > 100000))
		incorrect(p);
	z->level = -(int)n;
	z->level_given = true;
}

static void set_long(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct zstd *z = opts;
	uint64_t n = 27;

	(void)o;
	if (arg && (u_parse_size(arg, NULL, &n) < 0 || n < 10 || n > 31))
		incorrect(p);
	z->window_log = (int)n;
}

/* There is one thread, whatever is asked for; the frames are the same. */
static void set_threads(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	uint64_t n;

	(void)opts;
	(void)o;
	if (u_parse_size(arg, NULL, &n) < 0)
		incorrect(p);
}

static void show_help(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	(void)arg;
	u_help(p);
}

static const struct cmd_opt zstd_opts[] = {
	CMD_STRING(struct zstd, out, 'o', NULL, "OUTPUT", "write output to a single file, OUTPUT"),
	CMD_FLAG(struct zstd, keep, 'k', "keep", "preserve input files (default)"),
	CMD_FLAG(struct zstd, rm, 0, "rm", "remove input files after success"),
	CMD_DIGITS(set_level, "desired compression level, 1 to 19; default 3"),
	CMD_FLAG(struct zstd, ultra, 0, "ultra", "enable levels beyond 19, up to 22"),
	CMD_CALL_OPTIONAL(0, "fast", "NUM", set_fast, "use to very fast compression levels"),
	CMD_CALL_OPTIONAL(0, "long", "NUM", set_long, "enable long distance matching with window log NUM (27)"),
	CMD_CHOICE(struct zstd, mode, 'z', "compress", COMPRESS, "force compression"),
	CMD_CHOICE(struct zstd, mode, 'd', "decompress", DECOMPRESS, "perform decompression"),
	CMD_CHOICE(struct zstd, mode, 'd', "uncompress", DECOMPRESS, NULL),
	CMD_CHOICE(struct zstd, mode, 't', "test", TEST, "test compressed file integrity"),
	CMD_FLAG(struct zstd, to_stdout, 'c', "stdout", "write to standard output"),
	CMD_FLAG(struct zstd, force, 'f', "force", "disable input and output checks"),
	CMD_FLAG(struct zstd, recursive, 'r', NULL, "operate recursively on directories"),
	CMD_FLAG(struct zstd, no_check, 0, "no-check", "do not write a check sum"),
	CMD_CALL('T', "threads", "NUM", set_threads, "number of threads (there is one)"),
	CMD_FLAG(struct zstd, no_progress, 0, "no-progress", "do not display the progress bar (there is none)"),
	CMD_COUNT(struct zstd, quiet, 'q', "quiet", "suppress warnings; specify twice to suppress errors too"),
	CMD_COUNT(struct zstd, verbose, 'v', "verbose", "enable verbose output"),
	CMD_CALL('h', NULL, NULL, show_help, "display usage and exit"),
	CMD_CALL('H', NULL, NULL, show_help, NULL),
};

/* ---- Messages -------------------------------------------------------------------------------------- */

/* At `level` 1 errors, 2 what was done. */
static void say(struct zstd *z, int level, const char *fmt, ...) PRINTF(3, 4);
static void say(struct zstd *z, int level, const char *fmt, ...)
{
	char text[4096];
	va_list ap;
	size_t n;

	if (2 - z->quiet + z->verbose < level)
		return;
	va_start(ap, fmt);
	n = fmt_buf_v(text, sizeof(text), fmt, ap);
	va_end(ap);
	u_write_all(z->p, 2, text, MIN(n, sizeof(text) - 1));
}

static const char *size_text(struct proc *p, uint64_t n)
{
	static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
	double v = (double)n;
	size_t u = 0;

	for (; v >= 1024.0 && u < COUNTOF(units) - 1; u++)
		v /= 1024.0;
	return u_format(p, "%6.*f%s", u == 0 || v >= 100 ? 0 : v >= 10 ? 1 : 2, v, units[u]);
}

static void report(struct zstd *z, const char *out)
{
	uint64_t in = z->q.in_total, made = z->q.out_total;

	z->sum_in += in;
	z->sum_out += made;
	z->ndone++;
	if (z->nfiles > 1 || (z->to_stdout && z->mode == COMPRESS))
		return;
	if (z->mode != COMPRESS) {
		if (!z->to_stdout)
			say(z, 2, "%-20s: %llu bytes \n", z->in_name, (unsigned long long)made);
	} else if (in == 0) {
		say(z, 2, "%-20s :  (%s => %s, %s) \n", z->in_name, size_text(z->p, in), size_text(z->p, made), out);
	} else {
		say(z, 2, "%-20s :%6.2f%%   (%s => %s, %s) \n", z->in_name, 100.0 * (double)made / (double)in, size_text(z->p, in), size_text(z->p, made),
		    out);
	}
}

static void put_totals(struct zstd *z)
{
	if (z->nfiles < 2 || z->ndone < 1 || (z->to_stdout && z->mode != TEST))
		return;
	if (z->mode != COMPRESS)
		say(z, 2, "%d files decompressed : %6llu bytes total \n", z->ndone, (unsigned long long)z->sum_out);
	else
		say(z, 2, "%3d files compressed : %.2f%% (%s => %s)\n", z->ndone, z->sum_in ? 100.0 * (double)z->sum_out / (double)z->sum_in : 0.0,
		    size_text(z->p, z->sum_in), size_text(z->p, z->sum_out));
}

/* ---- Work ------------------------------------------------------------------------------------------------ */

static bool failed(struct zstd *z, int r)
{
	switch (r) {
	case CODEC_END: return true;
	case PUMP_READ: say(z, 1, "zstd: %s: Read error: %s \n", z->in_name, errno_text(z->q.err)); break;
	case PUMP_WRITE: say(z, 1, "zstd: error 70 : Write error : cannot write block : %s \n", errno_text(z->q.err)); break;
	case CODEC_CUT:
	case CODEC_MORE: say(z, 1, "%s : Read error (39) : premature end \n", z->in_name); break;
	case CODEC_FORMAT: say(z, 1, "zstd: %s: unsupported format \n", z->in_name); break;
	case CODEC_LIMIT:
		say(z, 1, "%s : Decoding error (36) : Frame requires too much memory for decoding \n", z->in_name);
		break;
	case CODEC_UNSUPPORTED: say(z, 1, "%s : Decoding error (36) : Unsupported frame parameter \n", z->in_name); break;
	case CODEC_CHECK: say(z, 1, "%s : Decoding error (36) : Restored data doesn't match checksum \n", z->in_name); break;
	default: say(z, 1, "%s : Decoding error (36) : Data corruption detected \n", z->in_name); break;
	}
	z->status = 1;
	return false;
}

static bool compress(struct zstd *z, bool is_file)
{
	struct codec_config config = {.kind = CODEC_ZSTD, .level = z->level, .check = !z->no_check, .window_log = z->window_log,
				      .is_sized = is_file, .size_hint = is_file ? (uint64_t)z->at.st.size : 0};
	int r = codec_encode(z->q.codec, &config);

	if (r == 0)
		r = pump_encode(&z->q);
	if (r == CODEC_END && pump_flush(&z->q) < 0)
		r = PUMP_WRITE;
	return failed(z, r);
}

/* All frames. */
static bool decompress(struct zstd *z)
{
	struct codec_config config = {.kind = CODEC_ZSTD, .window_log = z->window_log};
	bool first = true;
	int r = CODEC_END;

	if (!pump_fill(&z->q)) {
		if (z->q.err)
			return failed(z, PUMP_READ);
		say(z, 1, "zstd: %s: unexpected end of file \n", z->in_name);
		z->status = 1;
		return false;
	}
	if (*z->q.at != 0x28 && (*z->q.at & 0xf0) != 0x50 && z->force && z->to_stdout)
		r = pump_copy(&z->q) < 0 ? PUMP_WRITE : CODEC_END;
	for (; r == CODEC_END && pump_fill(&z->q); first = false) {
		r = codec_decode(z->q.codec, &config);
		if (r == 0)
			r = pump_decode(&z->q);
		sys_checkpoint(z->p);
	}
	if (z->q.err && r == CODEC_END)
		r = PUMP_READ;
	if (pump_flush(&z->q) < 0)
		r = PUMP_WRITE;
	(void)first;
	return failed(z, r);
}

static const char *output_name(struct zstd *z, const char *name)
{
	size_t n = strlen(name);

	if (z->mode == COMPRESS)
		return u_format(z->p, "%s.zst", name);
	if (n > 4 && streq(name + n - 4, ".zst"))
		return u_strndup(z->p, name, n - 4);
	if (n > 5 && streq(name + n - 5, ".tzst"))
		return u_format(z->p, "%.*s.tar", (int)n - 5, name);
	say(z, 1,
	    "zstd: %s: unknown suffix (.zst/.tzst expected). Can't derive the output file name. Specify it with -o dstFileName. Ignoring.\n", name);
	z->status = 1;
	return NULL;
}

/* The output's descriptor; -1 after a message. */
static int make_output(struct zstd *z)
{
	int fd = place_make(&z->at, z->force);

	if (fd == -NACRE_EEXIST) {
		say(z, 1, "zstd: %s already exists; %s", z->at.out_name, z->quiet ? "not overwritten  \n" : "overwrite (y/n) ? Not overwritten  \n \n");
		fd = -1;
	} else if (fd < 0) {
		say(z, 1, "zstd: %s: %s \n", z->at.out_name, errno_text(fd));
	}
	if (fd < 0)
		z->status = 1;
	return fd;
}

static bool run(struct zstd *z, int in, int out, bool is_file)
{
	pump_open(&z->q, in, z->mode == TEST ? -1 : out);
	return z->mode == COMPRESS ? compress(z, is_file) : decompress(z);
}

static void work(struct zstd *z, int in)
{
	bool is_file = (z->at.st.mode & SYS_S_TYPE) == SYS_S_FILE, own = false;
	int out = 1;

	z->at.out_name = z->mode == TEST ? "" : z->to_stdout ? "/*stdout*\\" : z->out ? z->out : output_name(z, z->in_name);
	if (!z->at.out_name)
		return;
	if (z->shared_out >= 0) {
		out = z->shared_out;
	} else if (z->mode != TEST && !z->to_stdout) {
		own = true;
		out = make_output(z);
		if (out < 0)
			return;
	}
	if (run(z, in, out, is_file)) {
		report(z, z->at.out_name);
		if (own)
			place_finish(&z->at, !z->rm);
	} else {
		place_drop(&z->at);
	}
	if (own)
		sys_close(z->p, out);
}

static void treat(struct zstd *z, const char *name);

static void treat_dir(struct zstd *z, const char *name)
{
	struct u_walk *w = u_walk_new(z->p, name, U_WALK_SORTED);
	struct u_walk_entry e;

	while (u_walk_next(w, &e)) {
		if (e.event == U_WALK_FILE)
			treat(z, u_strdup(z->p, e.path));
	}
}

static void treat(struct zstd *z, const char *name)
{
	struct sys_stat st;
	int in;

	z->in_name = name;
	z->at.p = z->p;
	if (streq(name, "-")) {
		z->in_name = "/*stdin*\\";
		z->at.st.mode = 0;
		work(z, 0);
		return;
	}
	if (!z->force && sys_stat(z->p, name, SYS_NOFOLLOW, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_LINK) {
		say(z, 1, "Warning : %s is a symbolic link, ignoring \n", name);
		z->status = 1;
		return;
	}
	if (sys_stat(z->p, name, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR) {
		if (z->recursive) {
			treat_dir(z, name);
			return;
		}
		say(z, 1, "zstd: %s is a directory -- ignored \n", name);
		z->status = 1;
		return;
	}
	in = place_open(&z->at, name, true);
	if (in < 0) {
		say(z, 1, "zstd: can't stat %s : %s -- ignored \n", name, errno_text(in));
		z->status = 1;
		return;
	}
	work(z, in);
	sys_close(z->p, in);
}

/* ---- Main --------------------------------------------------------------------------------------------------- */

static void settle(struct zstd *z)
{
	int max = z->ultra ? 22 : 19;

	if (!z->level_given || z->level == 0)
		z->level = 3;
	if (z->level > max) {
		say(z, 2, "Warning : compression level higher than max, reduced to %d \n", max);
		z->level = max;
	}
	z->shared_out = -1;
	if (z->out && streq(z->out, "-"))
		z->to_stdout = true;
}

static int start(struct proc *p, const struct cmd_args *a, int mode)
{
	static char *const standard_input[] = {(char *)"-"};
	struct zstd *z = a->opts;
	char *const *file = a->argc ? a->argv : standard_input;

	z->p = p;
	z->mode = z->mode ? z->mode : mode;
	settle(z);
	if (!a->argc && !z->out)
		z->to_stdout = true;
	z->nfiles = a->argc ? a->argc : 1;
	pump_init(&z->q, p, codec_new(p), (size_t)128 << 10);
	if (z->out && z->nfiles > 1 && !z->to_stdout && z->mode != TEST) {
		z->at.p = p;
		z->at.out_name = z->out;
		z->shared_out = make_output(z);
		if (z->shared_out < 0)
			return 1;
	}
	for (int i = 0; i < z->nfiles; i++)
		treat(z, file[i]);
	put_totals(z);
	return z->status;
}

static int zstd_main(struct proc *p, const struct cmd_args *a) { return start(p, a, COMPRESS); }
static int unzstd_main(struct proc *p, const struct cmd_args *a) { return start(p, a, DECOMPRESS); }

static int zstdcat_main(struct proc *p, const struct cmd_args *a)
{
	struct zstd *z = a->opts;

	z->to_stdout = z->force = true;
	return start(p, a, DECOMPRESS);
}

static const struct cmd_example zstd_examples[] = {
	{"echo hello > f; zstd -q --rm f; ls; zstdcat f.zst", "f.zst\nhello\n"},
	{"seq 1000 | zstd -19 | zstd -d | tail -n 1", "1000\n"},
};

static const struct cmd_missing zstd_missing[] = {
	{"-l, -b, --train, -D, -M, --patch-from", "lists, benchmarks and dictionaries"},
	{"--format=gzip|xz|lz4", "only .zst is read and written"},
};

#define ZSTD_COMMON                                                                                                              \
	.synopsis = "[OPTIONS...] [INPUT... | -] [-o OUTPUT]", .opts = zstd_opts, .nopts = COUNTOF(zstd_opts),                     \
	.opts_size = sizeof(struct zstd), .stack_size = CODEC_STACK_SIZE, .missing = zstd_missing, .nmissing = COUNTOF(zstd_missing)

const struct cmd cmd_zstd = {
	.name = "zstd",
	.summary = "compress or decompress files in the .zst format",
	.main = zstd_main,
	.examples = zstd_examples,
	.nexamples = COUNTOF(zstd_examples),
	ZSTD_COMMON,
};

const struct cmd cmd_unzstd = {
	.name = "unzstd",
	.summary = "decompress .zst files",
	.main = unzstd_main,
	ZSTD_COMMON,
};

const struct cmd cmd_zstdcat = {
	.name = "zstdcat",
	.summary = "decompress .zst files to standard output",
	.main = zstdcat_main,
	ZSTD_COMMON,
};
