/*
 * dd - copy a file, converting and formatting according to the operands.
 *
 * With bs= and no conversion a block is written as it was read; otherwise what was read is
 * collected to blocks of obs bytes. Nothing is cached here, so direct, sync and their like ask
 * for what is so anyway.
 */
#include "dd.h"

/* ---- The report --------------------------------------------------------------------------- */

/* 2.1 MB, 20 MiB, 112 kB; one decimal below ten (below a hundred for rates, which are fractions). */
static const char *scaled(struct dd *d, double n, double base, const char *end, double decimals_below)
{
	static const char units[] = "kMGTPEZY";
	const char *binary = base > 1000 ? "i" : "";
	int i = -1;

	while (n >= base && units[i + 1]) {
		n /= base;
		i++;
	}
	if (i < 0 && n < 1 && *end)
		return u_format(d->p, "%.1f kB%s", n / base, end);
	if (i < 0)
		return u_format(d->p, n == (double)(int64_t)n ? "%.0f B%s" : "%.1f B%s", n, end);
	return u_format(d->p, n < decimals_below ? "%.1f %c%sB%s" : "%.0f %c%sB%s", n, i == 0 && base > 1000 ? 'K' : units[i], binary, end);
}

static void report(struct dd *d)
{
	double seconds = (double)(sys_clock(d->p, SYS_CLOCK_MONO) - d->start) / 1e9;
	struct u_buf b;

	if (d->status_level == STATUS_NONE)
		return;
	u_buf_init(&b, d->p, 0);
	u_buf_printf(&b, "%llu+%llu records in\n%llu+%llu records out\n", (unsigned long long)d->full_in, (unsigned long long)d->part_in,
		     (unsigned long long)d->full_out, (unsigned long long)d->part_out);
	if (d->truncated)
		u_buf_printf(&b, "%llu truncated record%s\n", (unsigned long long)d->truncated, d->truncated == 1 ? "" : "s");
	if (d->status_level != STATUS_NOXFER) {
		double n = (double)d->bytes;

		u_buf_printf(&b, d->bytes == 1 ? "%llu byte" : "%llu bytes", (unsigned long long)d->bytes);
		if (d->bytes >= 1024)
			u_buf_printf(&b, " (%s, %s)", scaled(d, n, 1000, "", 9.95), scaled(d, n, 1024, "", 9.95));
		else if (d->bytes >= 1000)
			u_buf_printf(&b, " (%s)", scaled(d, n, 1000, "", 9.95));
		u_buf_printf(&b, " copied, %g s, %s\n", seconds, seconds > 0 ? scaled(d, n / seconds, 1000, "/s", 99.95) : "Infinity B/s");
	}
	u_write_all(d->p, 2, b.ptr, b.len);
}

NORETURN static void quit(struct dd *d, int status)
{
	report(d);
	u_exit(d->p, status);
}

/* ---- Output ------------------------------------------------------------------------------- */

static const char *out_name(struct dd *d)
{
	return u_quote_file(d->p, d->out ? d->out : "standard output");
}

static bool all_zero(const char *s, uint64_t n)
{
	return n > 0 && s[0] == '\0' && memcmp(s, s + 1, n - 1) == 0;
}

static void write_block(struct dd *d, const char *s, uint64_t n)
{
	int64_t e;

	d->skipped_last = false;
	if ((d->conv & CONV_SPARSE) && all_zero(s, n) && sys_seek(d->p, d->out_fd, (int64_t)n, SYS_SEEK_CUR) >= 0) {
		d->skipped_last = true;
		e = (int64_t)n;
	} else {
		e = sys_write(d->p, d->out_fd, s, n);
	}
	if (e < 0) {
		u_warn(d->p, (int)e, "error writing %s", out_name(d));
		quit(d, 1);
	}
	d->bytes += n;
	if (n == d->obs)
		d->full_out++;
	else
		d->part_out++;
}

static void put(struct dd *d, char c)
{
	d->obuf[d->on++] = c;
	if (d->on == d->obs) {
		write_block(d, d->obuf, d->on);
		d->on = 0;
	}
}

static void put_all(struct dd *d, const char *s, uint64_t n)
{
	while (n) {
		uint64_t k = MIN(n, d->obs - d->on);

		memcpy(d->obuf + d->on, s, k);
		d->on += k;
		s += k;
		n -= k;
		if (d->on == d->obs) {
			write_block(d, d->obuf, d->on);
			d->on = 0;
		}
	}
}

static void put_spaces(struct dd *d, uint64_t n)
{
	for (; n; n--) {
		put(d, ' ');
		sys_checkpoint(d->p);
	}
}

/* Lines to records of cbs bytes. */
static void put_blocked(struct dd *d, const char *s, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (s[i] == '\n') {
			if (d->column < d->cbs)
				put_spaces(d, d->cbs - d->column);
			d->column = 0;
		} else {
			if (d->column == d->cbs)
				d->truncated++;
			else if (d->column < d->cbs)
				put(d, s[i]);
			d->column++;
		}
		sys_checkpoint(d->p);
	}
}

/* Records of cbs bytes to lines without their trailing blanks. */
static void put_unblocked(struct dd *d, const char *s, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (d->column++ >= d->cbs) {
			d->column = d->spaces = 0;
			put(d, '\n');
			i--;
		} else if (s[i] == ' ') {
			d->spaces++;
		} else {
			put_spaces(d, d->spaces);
			d->spaces = 0;
			put(d, s[i]);
		}
		sys_checkpoint(d->p);
	}
}

/* ---- Input -------------------------------------------------------------------------------- */

/* Swaps pairs of bytes; one that has no partner yet waits for the next block (ibuf has room for it before s). */
static uint64_t swap_bytes(struct dd *d, char **at, uint64_t n)
{
	char *s = *at;

	if (d->odd >= 0) {
		*--s = (char)d->odd;
		n++;
		d->odd = -1;
	}
	if (n % 2)
		d->odd = (unsigned char)s[--n];
	for (uint64_t i = 0; i + 1 < n; i += 2) {
		char c = s[i];

		s[i] = s[i + 1];
		s[i + 1] = c;
	}
	*at = s;
	return n;
}

static void convert(struct dd *d, char *s, uint64_t n)
{
	if (d->conv & (CONV_LCASE | CONV_UCASE)) {
		for (uint64_t i = 0; i < n; i++)
			s[i] = (char)(d->conv & CONV_LCASE ? ascii_tolower((unsigned char)s[i]) : ascii_toupper((unsigned char)s[i]));
	}
	if (d->conv & CONV_SWAB)
		n = swap_bytes(d, &s, n);
	if (d->conv & CONV_BLOCK)
		put_blocked(d, s, n);
	else if (d->conv & CONV_UNBLOCK)
		put_unblocked(d, s, n);
	else
		put_all(d, s, n);
}

static int64_t read_block(struct dd *d, char *s, uint64_t n)
{
	uint64_t have = 0;

	do {
		int64_t got = sys_read(d->p, d->in_fd, s + have, n - have);

		if (got < 0)
			return have ? (int64_t)have : got;
		have += (uint64_t)got;
		if (got == 0)
			break;
	} while ((d->iflag & FLAG_FULLBLOCK) && have < n);
	return (int64_t)have;
}

static void end_records(struct dd *d)
{
	if (d->odd >= 0) {
		char c = (char)d->odd;

		put_all(d, &c, 1);
	}
	if ((d->conv & CONV_BLOCK) && d->column > 0 && d->column < d->cbs)
		put_spaces(d, d->cbs - d->column);
	if ((d->conv & CONV_UNBLOCK) && d->column > 0)
		put(d, '\n');
	if (d->on)
		write_block(d, d->obuf, d->on);
	d->on = 0;
}

static void copy(struct dd *d)
{
	bool direct = d->bs && !(d->conv & (CONV_BLOCK | CONV_UNBLOCK | CONV_LCASE | CONV_UCASE | CONV_SWAB));
	uint64_t blocks = d->count.in_bytes ? d->count.n / d->ibs : d->count.n;
	uint64_t rest = d->count.in_bytes ? d->count.n % d->ibs : 0;

	for (;;) {
		bool last = d->count.given && d->full_in + d->part_in >= blocks;
		uint64_t want = last ? rest : d->ibs;
		int64_t got;

		if (last && (!rest || d->full_in + d->part_in > blocks))
			break;
		got = read_block(d, d->ibuf, want);
		if (got == 0)
			break;
		if (got < 0) {
			u_warn(d->p, (int)got, "error reading %s", u_quote_file(d->p, d->in ? d->in : "standard input"));
			d->status = 1;
			if (!(d->conv & CONV_NOERROR))
				break;
			report(d);
			/* What cannot be read is left out. */
			if (sys_seek(d->p, d->in_fd, (int64_t)want, SYS_SEEK_CUR) < 0)
				break;
			if (!(d->conv & CONV_SYNC))
				continue;
			got = 0;
		}
		if ((uint64_t)got == d->ibs)
			d->full_in++;
		else
			d->part_in++;
		if ((d->conv & CONV_SYNC) && (uint64_t)got < d->ibs) {
			memset(d->ibuf + got, d->conv & (CONV_BLOCK | CONV_UNBLOCK) ? ' ' : '\0', d->ibs - (uint64_t)got);
			got = (int64_t)d->ibs;
		}
		if (direct)
			write_block(d, d->ibuf, (uint64_t)got);
		else
			convert(d, d->ibuf, (uint64_t)got);
	}
	end_records(d);
}

/* ---- Opening and finding the place -------------------------------------------------------- */

static uint64_t offset_of(struct dd *d, const struct amount *a, uint64_t block)
{
	uint64_t n = a->n;

	if (!a->in_bytes && (__builtin_mul_overflow(n, block, &n) || n > INT64_MAX))
		u_die(d->p, 1, 0, "offset too large: cannot truncate to a length of seek=%llu (%llu-byte) blocks", (unsigned long long)a->n,
		      (unsigned long long)block);
	return n;
}

static void open_both(struct dd *d)
{
	unsigned how = SYS_O_WRITE | (d->conv & CONV_NOCREAT ? 0 : SYS_O_CREATE) | (d->conv & CONV_EXCL ? SYS_O_EXCL : 0) |
		       (d->conv & CONV_NOTRUNC || d->seek.n ? 0 : SYS_O_TRUNC) | (d->oflag & FLAG_APPEND ? SYS_O_APPEND : 0) |
		       (d->oflag & FLAG_NOFOLLOW ? SYS_O_NOFOLLOW : 0) | (d->oflag & FLAG_DIRECTORY ? SYS_O_DIRECTORY : 0);
	struct sys_stat st;
	int e;

	d->out_fd = 1;
	if (d->in) {
		d->in_fd = sys_open(d->p, d->in,
				    SYS_O_READ | (d->iflag & FLAG_NOFOLLOW ? SYS_O_NOFOLLOW : 0) |
					    (d->iflag & FLAG_DIRECTORY ? SYS_O_DIRECTORY : 0) | (d->iflag & FLAG_NONBLOCK ? SYS_O_NONBLOCK : 0), 0);
		if (d->in_fd < 0)
			u_die(d->p, 1, d->in_fd, "failed to open %s", u_quote_file(d->p, d->in));
	}
	if (!d->out)
		return;
	d->out_fd = sys_open(d->p, d->out, how, 0666);
	if (d->out_fd < 0)
		u_die(d->p, 1, d->out_fd, "failed to open %s", u_quote_file(d->p, d->out));
	if (d->seek.n && !(d->conv & CONV_NOTRUNC)) {
		uint64_t at = offset_of(d, &d->seek, d->obs);

		e = sys_ftruncate(d->p, d->out_fd, (int64_t)at);
		if (e < 0 && sys_fstat(d->p, d->out_fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE)
			u_die(d->p, 1, e, "failed to truncate to %llu bytes in output file %s", (unsigned long long)at, out_name(d));
	}
}

static void skip_input(struct dd *d)
{
	uint64_t n = offset_of(d, &d->skip, d->ibs);
	struct sys_stat st;

	if (!n)
		return;
	if (sys_fstat(d->p, d->in_fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE) {
		int64_t at = sys_seek(d->p, d->in_fd, 0, SYS_SEEK_CUR);

		if (at >= 0 && sys_seek(d->p, d->in_fd, (int64_t)MIN(n, (uint64_t)INT64_MAX - (uint64_t)at), SYS_SEEK_CUR) >= 0) {
			if (n > (uint64_t)MAX(st.size - at, 0) && d->status_level != STATUS_NONE)
				u_warn(d->p, 0, "%s: cannot skip to specified offset", u_quote_if_needed(d->p, d->in ? d->in : "standard input"));
			return;
		}
	}
	while (n) {
		int64_t got = read_block(d, d->ibuf, MIN(n, d->ibs));

		if (got <= 0) {
			if (d->status_level != STATUS_NONE)
				u_warn(d->p, 0, "%s: cannot skip to specified offset", u_quote_if_needed(d->p, d->in ? d->in : "standard input"));
			return;
		}
		n -= (uint64_t)got;
	}
}

static void seek_output(struct dd *d)
{
	uint64_t n = offset_of(d, &d->seek, d->obs);
	int64_t e = n ? sys_seek(d->p, d->out_fd, (int64_t)n, SYS_SEEK_CUR) : 0;

	if (e >= 0)
		return;
	u_warn(d->p, (int)e, "%s: cannot seek", out_name(d));
	quit(d, 1);
}

static int dd_main(struct proc *p, const struct cmd_args *a)
{
	struct dd *d = u_zalloc(p, sizeof(*d));
	int i = 0;

	d->p = p;
	d->odd = -1;
	for (; i < a->argc; i++)
		dd_operand(d, a->argv[i]);
	dd_check(d);
	open_both(d);
	d->ibuf = u_alloc(p, size_add(d->ibs, 1));
	d->ibuf++;
	d->obuf = u_alloc(p, d->obs);
	d->start = sys_clock(p, SYS_CLOCK_MONO);
	skip_input(d);
	seek_output(d);
	copy(d);
	if (d->skipped_last) {
		int64_t at = sys_seek(p, d->out_fd, 0, SYS_SEEK_CUR);

		if (at >= 0 && sys_ftruncate(p, d->out_fd, at) < 0)
			u_die(p, 1, 0, "failed to truncate to %lld bytes in output file %s", (long long)at, out_name(d));
	}
	quit(d, d->status);
}

static const struct cmd_example examples[] = {
	{"printf abcdef | dd bs=2 skip=1 count=1 status=none; echo", "cd\n"},
	{"printf abc | dd conv=ucase status=none; echo", "ABC\n"},
};

static const struct cmd_missing missing[] = {
	{"conv=ascii, ebcdic, ibm", "EBCDIC"},
};

const struct cmd cmd_dd = {
	.name = "dd",
	.summary = "copy a file, converting and formatting according to the operands",
	.synopsis = "[OPERAND]...\nOPTION",
	.description =
		"  bs=BYTES        read and write up to BYTES bytes at a time (default: 512)\n"
		"  cbs=BYTES       convert BYTES bytes at a time\n"
		"  conv=CONVS      convert the file as per the comma separated symbol list\n"
		"  count=N         copy only N input blocks\n"
		"  ibs=BYTES       read up to BYTES bytes at a time (default: 512)\n"
		"  if=FILE         read from FILE instead of stdin\n"
		"  iflag=FLAGS     read as per the comma separated symbol list\n"
		"  obs=BYTES       write BYTES bytes at a time (default: 512)\n"
		"  of=FILE         write to FILE instead of stdout\n"
		"  oflag=FLAGS     write as per the comma separated symbol list\n"
		"  seek=N          (or oseek=N) skip N obs-sized output blocks\n"
		"  skip=N          (or iseek=N) skip N ibs-sized input blocks\n"
		"  status=LEVEL    what to print to stderr: 'none', 'noxfer' or 'progress' (the default here)\n"
		"N and BYTES may have the suffixes c=1, w=2, b=512, kB=1000, K=1024 and so on; xM multiplies;\n"
		"a last B in N counts bytes.\n"
		"CONVS: block unblock lcase ucase sparse swab sync excl nocreat notrunc noerror fdatasync fsync\n"
		"FLAGS: append direct directory dsync sync fullblock nonblock noatime nocache noctty nofollow\n"
		"       count_bytes skip_bytes seek_bytes",
	.main = dd_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
