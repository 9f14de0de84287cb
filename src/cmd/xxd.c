/*
 * xxd.c - a hex dump, and back.
 *
 * -r reads what -p and the usual form print: with an address, bytes go to that offset of the output.
 */
#include "cmd.h"

struct xxd {
	bool plain, bits, reverse, upper, include, autoskip, decimal, little;
	const char *cols, *group, *len, *seek, *offset, *name;

	struct proc *p;
	uint64_t at;
};

/* The last of -b, -e, -i and -p counts. */
static void opt_style(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct xxd *x = opts;

	(void)p;
	(void)arg;
	x->bits = o->shrt == 'b';
	x->little = o->shrt == 'e';
	x->include = o->shrt == 'i';
	x->plain = o->shrt == 'p';
}

static const struct cmd_opt xxd_opts[] = {
	CMD_FLAG(struct xxd, autoskip, 'a', NULL, "toggle autoskip: A single '*' replaces nul-lines"),
	CMD_CALL('b', NULL, NULL, opt_style, "binary digit dump"),
	CMD_STRING(struct xxd, cols, 'c', NULL, "COLS", "format COLS octets per line (16; -i 12; -p 30; -b 6)"),
	CMD_FLAG(struct xxd, decimal, 'd', NULL, "show offset in decimal instead of hex"),
	CMD_CALL('e', NULL, NULL, opt_style, "little-endian dump"),
	CMD_STRING(struct xxd, group, 'g', NULL, "BYTES", "number of octets per group (2; -e 4; -b 1)"),
	CMD_CALL('i', NULL, NULL, opt_style, "output in C include file style"),
	CMD_STRING(struct xxd, len, 'l', NULL, "LEN", "stop after LEN octets"),
	CMD_STRING(struct xxd, name, 'n', NULL, "NAME", "set the variable name of -i"),
	CMD_STRING(struct xxd, offset, 'o', NULL, "OFF", "add OFF to the displayed file position"),
	CMD_CALL('p', NULL, NULL, opt_style, "output in plain hex dump style"),
	CMD_FLAG(struct xxd, reverse, 'r', NULL, "reverse: convert a hex dump into binary"),
	CMD_STRING(struct xxd, seek, 's', NULL, "SEEK", "start at SEEK bytes; -SEEK from the end"),
	CMD_FLAG(struct xxd, upper, 'u', NULL, "use upper case hex letters"),
};

/* -ps, -postscript, -plain and the like are words after one dash. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	static const char *const words[][2] = {
		{"-ps", "-p"}, {"-plain", "-p"}, {"-postscript", "-p"}, {"-revert", "-r"}, {"-include", "-i"},
		{"-bits", "-b"}, {"-cols", "-c"}, {"-len", "-l"}, {"-seek", "-s"}, {"-groupsize", "-g"},
		{"-autoskip", "-a"}, {"-uppercase", "-u"}, {"-name", "-n"},
	};

	for (int i = 1; i < *argc; i++) {
		for (size_t k = 0; k < COUNTOF(words); k++) {
			if (streq(argv[i], words[k][0]))
				argv[i] = u_strdup(p, words[k][1]);
		}
	}
	return argv;
}

static uint64_t number(struct proc *p, const char *s, uint64_t otherwise)
{
	const char *end;
	bool overflow = false;
	uint64_t v;

	if (!s)
		return otherwise;
	v = num_u64(s, &end, 0, &overflow);
	if (end == s || *end || overflow)
		u_die(p, 1, 0, "invalid number: %s", s);
	return v;
}

/* ---- Dump ------------------------------------------------------------------------------------ */

static size_t fill(struct xxd *o, int fd, char *buf, size_t n, uint64_t *left)
{
	size_t got = 0;

	n = (size_t)MIN(n, *left);
	while (got < n) {
		int64_t r = sys_read(o->p, fd, buf + got, n - got);

		if (r < 0)
			u_die(o->p, 2, (int)r, "read error");
		if (r == 0)
			break;
		got += (size_t)r;
	}
	*left -= got;
	return got;
}

static void put_byte(struct xxd *o, struct u_out *out, unsigned char c)
{
	const char *digits = o->upper ? "0123456789ABCDEF" : "0123456789abcdef";

	if (o->bits) {
		for (int i = 7; i >= 0; i--)
			u_putc(out, (char)('0' + (c >> i & 1)));
	} else {
		u_putc(out, digits[c >> 4]);
		u_putc(out, digits[c & 15]);
	}
}

static void put_line(struct xxd *o, struct u_out *out, const unsigned char *s, size_t n, size_t cols, size_t group)
{
	size_t digits = o->bits ? 8 : 2;

	u_printf(out, o->decimal ? "%08llu:" : "%08llx:", (unsigned long long)o->at);
	for (size_t i = 0; i < cols; i++) {
		/* In a little-endian group the bytes are shown last first. */
		size_t k = o->little ? i - i % group + (group - 1 - i % group) : i;

		if (group ? i % group == 0 : i == 0)
			u_putc(out, ' ');
		if (k < n) {
			put_byte(o, out, s[k]);
		} else {
			for (size_t d = 0; d < digits; d++)
				u_putc(out, ' ');
		}
	}
	u_puts(out, "  ");
	for (size_t i = 0; i < n; i++)
		u_putc(out, ascii_print(s[i]) ? (char)s[i] : '.');
	u_putc(out, '\n');
}

static void dump(struct xxd *o, int fd, uint64_t left)
{
	struct u_out *out = u_stdout(o->p);
	size_t cols = (size_t)number(o->p, o->cols, o->plain ? 30 : o->bits ? 6 : 16);
	size_t group = (size_t)number(o->p, o->group, o->bits ? 1 : o->little ? 4 : 2), n;
	unsigned nulls = 0;
	char *buf;

	o->bits &= !o->plain;
	if (o->plain && cols == 0)
		cols = 4096;
	if (cols == 0 || cols > 4096 || (!o->plain && cols > 256))
		u_die(o->p, 1, 0, "invalid number of columns (max. 256).");
	if (o->little && (group == 0 || (group & (group - 1)) || group > cols))
		u_die(o->p, 1, 0, "number of octets per group must be a power of 2 with -e.");
	buf = u_alloc(o->p, cols);
	while ((n = fill(o, fd, buf, cols, &left)) > 0) {
		sys_checkpoint_n(o->p, (uint32_t)n);
		if (o->plain) {
			for (size_t i = 0; i < n; i++)
				put_byte(o, out, (unsigned char)buf[i]);
			if (!(o->cols && number(o->p, o->cols, 1) == 0))
				u_putc(out, '\n');
		} else {
			bool zero = o->autoskip;

			for (size_t i = 0; zero && i < n; i++)
				zero = buf[i] == 0;
			nulls = zero && n == cols ? nulls + 1 : 0;
			if (nulls == 2)
				u_puts(out, "*\n");
			if (nulls < 2)
				put_line(o, out, (unsigned char *)buf, n, cols, group);
		}
		o->at += n;
		if (n < cols)
			break;
	}
	if (o->plain && o->cols && number(o->p, o->cols, 1) == 0)
		u_putc(out, '\n');	/* of the one line */
}

static void dump_include(struct xxd *o, int fd, uint64_t left, const char *path)
{
	struct u_out *out = u_stdout(o->p);
	size_t cols = (size_t)number(o->p, o->cols, 12), n;
	const char *name = o->name ? o->name : path;
	uint64_t total = 0;
	char *id = name ? u_strdup(o->p, name) : NULL, buf[256];

	for (char *s = id; s && *s; s++) {
		if (!ascii_alnum((unsigned char)*s))
			*s = '_';
	}
	if (id)
		u_printf(out, "unsigned char %s%s[] = {\n", ascii_digit(id[0]) ? "__" : "", id);
	while ((n = fill(o, fd, buf, sizeof(buf), &left)) > 0) {
		for (size_t i = 0; i < n; i++, total++) {
			u_puts(out, total == 0 ? "  " : total % MAX(cols, 1) ? ", " : ",\n  ");
			u_printf(out, o->upper ? "0X%02X" : "0x%02x", (unsigned char)buf[i]);
		}
	}
	if (total)
		u_putc(out, '\n');
	if (id)
		u_printf(out, "};\nunsigned int %s%s_len = %llu;\n", ascii_digit(id[0]) ? "__" : "", id,
			 (unsigned long long)total);
}

/* ---- Back ------------------------------------------------------------------------------------ */

static int digit(char c)
{
	return ascii_digit(c) ? c - '0' : ascii_xdigit(c) ? ascii_tolower(c) - 'a' + 10 : -1;
}

static void seek_out(struct xxd *o, uint64_t to)
{
	struct u_out *out = u_stdout(o->p);

	if (to == o->at)
		return;
	u_flush(out);
	if (to <= INT64_MAX && sys_seek(o->p, 1, (int64_t)to, SYS_SEEK_SET) >= 0) {
		o->at = to;
		return;
	}
	if (to < o->at)
		u_die(o->p, 5, 0, "Sorry, cannot seek backwards.");
	for (; o->at < to && !out->err; o->at++) {
		sys_checkpoint(o->p);
		u_putc(out, '\0');
	}
}

/* What has been read of a dump: the last three digits (-1: something else), and where in a line we are. */
struct reading {
	int last[3];		/* the newest first */
	size_t done;		/* bytes of the line; the number of columns: the address is being read */
	uint64_t address;
	bool garbage;		/* what is no digit is skipped, until one comes */
};

/* One byte of a dump; false when the rest of the line is none of it. */
static bool back_byte(struct xxd *o, struct reading *r, char c, uint64_t offset, size_t cols)
{
	int d = digit(c);

	r->last[2] = r->last[1];
	r->last[1] = r->last[0];
	r->last[0] = d;
	if (d < 0 && r->garbage)
		return true;
	r->garbage = false;
	if (!o->plain && r->done >= cols) {
		if (d >= 0)
			r->address = r->address << 4 | (unsigned)d;
		else
			r->done = 0;
		return true;
	}
	if (r->last[1] >= 0 && d >= 0) {
		if (!o->plain)
			seek_out(o, r->address + offset);
		u_putc(u_stdout(o->p), (char)(r->last[1] << 4 | d));
		o->at++;
		r->address++;
		r->last[0] = -1;
		return o->plain || ++r->done < cols;
	}
	return d >= 0 || r->last[1] >= 0 || r->last[2] >= 0;
}

static void back_line(struct xxd *o, struct reading *r, struct str line, bool ended, uint64_t offset, size_t cols)
{
	bool more = true;

	for (size_t i = 0; i < line.len && more; i++) {
		if (line.ptr[i] != '\r' && !(o->plain && ascii_blank(line.ptr[i])))
			more = back_byte(o, r, line.ptr[i], offset, cols);
	}
	if (more && !o->plain && !r->garbage && r->done >= cols) {
		/* An address alone: the data are on the next line. */
		if (ended)
			back_byte(o, r, '\n', offset, cols);
		return;
	}
	if (more && ended && !o->plain)
		back_byte(o, r, '\n', offset, cols);
	r->garbage |= !more || !o->plain;
	if (!o->plain) {
		r->address = 0;
		r->done = cols;
	}
}

static void back(struct xxd *o, int fd)
{
	struct u_lines r;
	struct str line;
	uint64_t offset = number(o->p, o->seek, 0);
	size_t cols = (size_t)number(o->p, o->cols, o->bits ? 6 : 16);
	struct reading state = {{-1, -1, -1}, cols, 0, true};

	u_lines_init(&r, o->p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		sys_checkpoint(o->p);
		back_line(o, &state, line, r.ended, offset, cols);
	}
}

/* ---- Beginning ----------------------------------------------------------------------------------- */

/* N from the beginning, +N or +-N from where the descriptor is, -N from the end. */
static void skip(struct xxd *o, int fd)
{
	const char *s = o->seek;
	bool relative = *s == '+', back = s[relative] == '-';
	uint64_t n = number(o->p, s + relative + back, 0);
	int64_t by = (int64_t)MIN(n, (uint64_t)INT64_MAX), at;
	char buf[512];

	at = sys_seek(o->p, fd, back ? -by : by, relative ? SYS_SEEK_CUR : back ? SYS_SEEK_END : SYS_SEEK_SET);
	if (at < 0 && back)
		u_die(o->p, 4, 0, "Sorry, cannot seek.");
	o->at = at < 0 ? n : (uint64_t)at;
	if (at >= 0)
		return;
	while (n > 0) {
		int64_t got = sys_read(o->p, fd, buf, (size_t)MIN(n, sizeof(buf)));

		if (got <= 0)
			u_die(o->p, 4, 0, "Sorry, cannot seek.");
		n -= (uint64_t)got;
	}
}

static int xxd_main(struct proc *p, const struct cmd_args *a)
{
	struct xxd *o = a->opts;
	uint64_t left = UINT64_MAX;
	int fd = 0;

	o->p = p;
	if (a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	if (a->argc > 0 && !streq(a->argv[0], "-")) {
		fd = sys_open(p, a->argv[0], SYS_O_READ, 0);
		if (fd < 0)
			u_die(p, 2, fd, "%s", a->argv[0]);
	}
	if (a->argc > 1 && !streq(a->argv[1], "-")) {
		int to = sys_open(p, a->argv[1], SYS_O_WRITE | SYS_O_CREATE | (o->reverse ? 0 : SYS_O_TRUNC), 0666);

		if (to < 0)
			u_die(p, 3, to, "%s", a->argv[1]);
		if (sys_dup2(p, to, 1) < 0)
			u_die(p, 3, 0, "cannot write %s", a->argv[1]);
	}
	if (o->reverse && (o->bits || o->little || o->include))
		u_die(p, 255, 0, "Sorry, cannot revert this type of hexdump");
	if (o->reverse) {
		back(o, fd);
		return 0;
	}
	if (o->seek)
		skip(o, fd);
	if (o->len)
		left = number(p, o->len, 0);
	o->at += number(p, o->offset, 0);
	if (o->include)
		dump_include(o, fd, left, a->argc > 0 && !streq(a->argv[0], "-") ? a->argv[0] : NULL);
	else
		dump(o, fd, left);
	return 0;
}

static const struct cmd_example xxd_examples[] = {
	{"printf hello | xxd", "00000000: 6865 6c6c 6f                             hello\n"},
	{"printf hello | xxd -p", "68656c6c6f\n"},
	{"echo 68656c6c6f0a | xxd -r -p", "hello\n"},
};

static const struct cmd_missing xxd_missing[] = {
	{"-E", "text is ASCII"},
	{"-C", "names are taken as they are"},
};

const struct cmd cmd_xxd = {
	.name = "xxd",
	.summary = "make a hex dump or do the reverse",
	.synopsis = "[OPTION]... [INFILE [OUTFILE]]\n-r [-s OFF] [-c COLS] [-p] [INFILE [OUTFILE]]",
	.opts = xxd_opts,
	.nopts = COUNTOF(xxd_opts),
	.opts_size = sizeof(struct xxd),
	.rewrite = rewrite,
	.main = xxd_main,
	.examples = xxd_examples,
	.nexamples = COUNTOF(xxd_examples),
	.missing = xxd_missing,
	.nmissing = COUNTOF(xxd_missing),
};
