/* cmp.c - compare two files byte by byte. */
#include "cmd.h"

struct cmp {
	bool print_bytes, verbose, silent;
	const char *limit, *ignore;
};

static const struct cmd_opt cmp_opts[] = {
	CMD_FLAG(struct cmp, print_bytes, 'b', "print-bytes", "print differing bytes"),
	CMD_STRING(struct cmp, ignore, 'i', "ignore-initial", "SKIP[:SKIP2]",
		   "skip the first SKIP bytes of both inputs,\nSKIP2 of the second"),
	CMD_FLAG(struct cmp, verbose, 'l', "verbose", "print byte numbers and differing byte values"),
	CMD_STRING(struct cmp, limit, 'n', "bytes", "LIMIT", "compare at most LIMIT bytes"),
	CMD_FLAG(struct cmp, silent, 's', "quiet", "print nothing"),
	CMD_FLAG(struct cmp, silent, 0, "silent", NULL),
};

struct cmp_file {
	const char *name;
	int fd;
	const char *ptr, *end;
};

static uint64_t number(struct proc *p, const char *s, const char *option)
{
	uint64_t v;

	if (!ascii_digit(*s) || u_parse_size(s, "kKMGTPEZY0", &v) == -NACRE_EINVAL)
		u_usage(p, "invalid --%s value %s", option, u_quote(p, s));
	return v;
}

/* How many bytes are in hand, 0 at the end. */
static size_t fill(struct proc *p, struct cmp_file *f)
{
	struct sys_slice s;
	int64_t got;

	if (f->ptr < f->end)
		return (size_t)(f->end - f->ptr);
	got = sys_read_slice(p, f->fd, 0, &s);
	if (got < 0)
		u_die(p, 2, (int)got, "%s", f->name);
	f->ptr = s.ptr;
	f->end = s.ptr + got;
	return (size_t)got;
}

static void skip(struct proc *p, struct cmp_file *f, uint64_t n)
{
	n -= u_seek_on(p, f->fd, n);
	while (n > 0 && fill(p, f) > 0) {
		uint64_t k = MIN((uint64_t)(f->end - f->ptr), n);

		f->ptr += k;
		n -= k;
	}
}

/* A byte as cat -t would show it. */
static const char *byte_text(char *buf, unsigned char c)
{
	size_t n = 0;

	if (c >= 128) {
		buf[n++] = 'M';
		buf[n++] = '-';
		c = (unsigned char)(c - 128);
	}
	if (c < 32 || c == 127) {
		buf[n++] = '^';
		c ^= 64;
	}
	buf[n++] = (char)c;
	buf[n] = '\0';
	return buf;
}

static int width_of(uint64_t n)
{
	int w = 1;

	while (n >= 10) {
		n /= 10;
		w++;
	}
	return w;
}

static void say_differ(struct proc *p, const struct cmp *o, const struct cmp_file *f, uint64_t byte,
		       uint64_t line, unsigned char x, unsigned char y)
{
	char a[8], b[8];

	if (o->print_bytes)
		u_printf(u_stdout(p), "%s %s differ: byte %llu, line %llu is %3o %s %3o %s\n", f[0].name, f[1].name,
			 (unsigned long long)byte, (unsigned long long)line, x, byte_text(a, x), y, byte_text(b, y));
	else
		u_printf(u_stdout(p), "%s %s differ: byte %llu, line %llu\n", f[0].name, f[1].name,
			 (unsigned long long)byte, (unsigned long long)line);
}

static void say_byte(struct proc *p, const struct cmp *o, int width, uint64_t byte, unsigned char x,
		     unsigned char y)
{
	char a[8], b[8];

	if (o->print_bytes)
		u_printf(u_stdout(p), "%*llu %3o %-4s %3o %s\n", width, (unsigned long long)byte, x,
			 byte_text(a, x), y, byte_text(b, y));
	else
		u_printf(u_stdout(p), "%*llu %3o %3o\n", width, (unsigned long long)byte, x, y);
}

static void say_eof(struct proc *p, const struct cmp *o, const struct cmp_file *f, uint64_t bytes,
		    uint64_t lines, bool mid_line)
{
	if (o->silent)
		return;
	if (bytes == 0)
		u_warn(p, 0, "EOF on %s which is empty", f->name);
	else if (o->verbose)
		u_warn(p, 0, "EOF on %s after byte %llu", f->name, (unsigned long long)bytes);
	else if (mid_line)
		u_warn(p, 0, "EOF on %s after byte %llu, in line %llu", f->name,
		       (unsigned long long)bytes, (unsigned long long)lines + 1);
	else
		u_warn(p, 0, "EOF on %s after byte %llu, line %llu", f->name,
		       (unsigned long long)bytes, (unsigned long long)lines);
}

static int compare(struct proc *p, const struct cmp *o, struct cmp_file *f, uint64_t left, int width)
{
	uint64_t byte = 0, lines = 0;
	int status = 0;
	char last = '\n';

	while (left > 0) {
		size_t x = fill(p, &f[0]), y = fill(p, &f[1]), n = (size_t)MIN(MIN(x, y), left), same = 0;

		if (x == 0 && y == 0)
			break;
		if (n == 0) {
			say_eof(p, o, x == 0 ? &f[0] : &f[1], byte, lines, last != '\n');
			return 1;
		}
		sys_checkpoint_n(p, (uint32_t)MIN(n / 8, UINT32_MAX));
		if (memcmp(f[0].ptr, f[1].ptr, n) == 0) {
			same = n;
		} else {
			while (f[0].ptr[same] == f[1].ptr[same])
				same++;
		}
		lines += scan_count(f[0].ptr, same, '\n');
		byte += same;
		left -= same;
		if (same > 0)
			last = f[0].ptr[same - 1];
		f[0].ptr += same;
		f[1].ptr += same;
		if (same < n) {
			unsigned char a = (unsigned char)*f[0].ptr++, b = (unsigned char)*f[1].ptr++;

			byte++;
			left--;
			status = 1;
			last = (char)a;
			if (o->silent)
				return 1;
			if (!o->verbose) {
				say_differ(p, o, f, byte, lines + 1, a, b);
				return 1;
			}
			say_byte(p, o, width, byte, a, b);
			lines += a == '\n';
		}
	}
	return status;
}

static bool regular_size(struct proc *p, int fd, uint64_t skip_bytes, uint64_t *size)
{
	struct sys_stat st;

	if (sys_fstat(p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE)
		return false;
	*size = (uint64_t)st.size > skip_bytes ? (uint64_t)st.size - skip_bytes : 0;
	return true;
}

static int cmp_main(struct proc *p, const struct cmd_args *a)
{
	const struct cmp *o = a->opts;
	struct cmp_file f[2] = {{.name = "-"}, {.name = "-"}};
	uint64_t skips[2] = {0, 0}, limit = UINT64_MAX, size[2], longest = UINT64_MAX;
	int width;

	if (o->verbose && o->silent)
		u_usage(p, "options -l and -s are incompatible");
	if (a->argc == 0)
		u_usage(p, "missing operand after %s", u_quote(p, u_name(p)));
	if (a->argc > 4)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[4]));
	if (o->ignore) {
		const char *colon = strchr(o->ignore, ':');

		skips[0] = number(p, colon ? u_strndup(p, o->ignore, (size_t)(colon - o->ignore)) : o->ignore,
				  "ignore-initial");
		skips[1] = colon ? number(p, colon + 1, "ignore-initial") : skips[0];
	}
	if (o->limit)
		limit = number(p, o->limit, "bytes");
	for (int i = 0; i < 2; i++) {
		if (i < a->argc)
			f[i].name = a->argv[i];
		if (i + 2 < a->argc)
			skips[i] = number(p, a->argv[i + 2], "ignore-initial");
	}
	for (int i = 0; i < 2; i++) {
		f[i].fd = streq(f[i].name, "-") ? 0 : sys_open(p, f[i].name, SYS_O_READ, 0);
		if (f[i].fd < 0) {
			if (!o->silent || f[i].fd != -NACRE_ENOENT)
				u_warn(p, f[i].fd, "%s", f[i].name);
			return 2;
		}
	}
	if (skips[0] == skips[1] && sys_same_file(p, f[0].fd, f[1].fd))
		return 0;
	for (int i = 0; i < 2; i++) {
		if (!regular_size(p, f[i].fd, skips[i], &size[i]))
			size[i] = UINT64_MAX;
		longest = MIN(longest, size[i]);
	}
	/* Sizes alone tell when nobody asks where. */
	if (o->silent && size[0] != size[1] && size[0] != UINT64_MAX && size[1] != UINT64_MAX && longest < limit)
		return 1;
	width = width_of(MIN(longest, MIN(limit, (uint64_t)INT64_MAX)));
	for (int i = 0; i < 2; i++)
		skip(p, &f[i], skips[i]);
	return compare(p, o, f, limit, width);
}

static const struct cmd_example cmp_examples[] = {
	{"echo abc > x; echo abd > y; cmp x y", "x y differ: byte 3, line 1\n"},
	{"echo abc > x; echo xbc > y; cmp -l x y", "1 141 170\n"},
};

const struct cmd cmd_cmp = {
	.name = "cmp",
	.summary = "compare two files byte by byte",
	.synopsis = "[OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]",
	.description =
		"The status is 0 when the files are the same, 1 when they differ, 2 in trouble.\n"
		"Where FILE is - or missing, standard input is read. SKIP values may end in\n"
		"kB (1000), K (1024), MB, M and so on.",
	.opts = cmp_opts,
	.nopts = COUNTOF(cmp_opts),
	.opts_size = sizeof(struct cmp),
	.usage_status = 2,
	.named_hint = true,
	.lost_output = "standard output",
	.main = cmp_main,
	.examples = cmp_examples,
	.nexamples = COUNTOF(cmp_examples),
};
