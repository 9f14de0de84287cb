/*
 * od.c - print bytes in other forms: octal, hexadecimal, decimal, floating, as characters.
 *
 * All inputs together are one stream, cut into blocks of one line each. Every form has a
 * number of fields a block; shorter forms are padded so that fields of the same bytes stay
 * below each other.
 */
#include "cmd.h"
#include "../base/digits.h"

enum od_kind { OD_NAMED, OD_CHAR, OD_SIGNED, OD_UNSIGNED, OD_OCTAL, OD_HEX, OD_FLOAT };

struct od_form {
	enum od_kind kind;
	unsigned size;		/* bytes of a field */
	int width;		/* columns of a field, without the blank before it */
	int pad;		/* columns of all blanks of a block */
	bool trailer;		/* z */
};

struct od {
	struct cmd_list types;	/* as -t arguments, in order */
	const char *radix, *skip, *limit, *strings, *width, *endian;
	bool verbose, traditional, modern;

	struct od_form *form;
	size_t nforms;
	size_t lcm, block;	/* bytes */
	int base, digits;	/* of addresses; base 0: none */
	bool swap;
	bool has_limit;
	uint64_t at, left;	/* offset; bytes until the limit */

	/* The input. */
	struct proc *p;
	char *const *file;
	int nfiles, fd;
	bool is_open, opened;	/* one is; one was */
	const char *name;
	const char *ptr, *end;	/* the slice in hand */
	int status;
};

static void add_type(struct proc *p, struct od *o, const char *type)
{
	if (o->types.n == o->types.cap) {
		const char **v;

		o->types.cap = o->types.cap ? o->types.cap * 2 : 8;
		v = u_array(p, o->types.cap, sizeof(*v));
		if (o->types.n)
			memcpy(v, o->types.v, o->types.n * sizeof(*v));
		o->types.v = v;
	}
	o->types.v[o->types.n++] = type;
}

/* The old letters, each short for a type. */
static void opt_letter(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const struct {
		char letter;
		const char *type;
	} old[] = {
		{'a', "a"}, {'b', "o1"}, {'B', "o2"}, {'c', "c"}, {'d', "u2"}, {'D', "u4"}, {'e', "fD"},
		{'f', "fF"}, {'F', "fD"}, {'h', "x2"}, {'H', "x4"}, {'i', "dI"}, {'I', "dL"}, {'l', "dL"},
		{'L', "dL"}, {'o', "o2"}, {'O', "o4"}, {'s', "d2"}, {'x', "x2"}, {'X', "x4"},
	};

	(void)arg;
	for (size_t i = 0; i < COUNTOF(old); i++) {
		if (old[i].letter == o->shrt)
			add_type(p, opts, old[i].type);
	}
}

static void opt_type(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct od *d = opts;

	(void)o;
	d->modern = true;
	add_type(p, d, arg);
}

static void opt_width(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct od *d = opts;

	(void)p;
	(void)o;
	d->modern = true;
	d->width = arg ? arg : "32";
}

static void opt_strings(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct od *d = opts;

	(void)p;
	(void)o;
	d->modern = true;
	d->strings = arg ? arg : "3";
}

static void opt_verbose(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct od *d = opts;

	(void)p;
	(void)o;
	(void)arg;
	d->modern = d->verbose = true;
}

static const struct cmd_opt od_opts[] = {
	CMD_STRING(struct od, radix, 'A', "address-radix", "RADIX",
		   "how offsets are printed: d, o, x or n (not at all)"),
	CMD_STRING(struct od, endian, 0, "endian", "{big|little}", "byte order of the input"),
	CMD_STRING(struct od, skip, 'j', "skip-bytes", "BYTES", "skip BYTES of the input first"),
	CMD_STRING(struct od, limit, 'N', "read-bytes", "BYTES", "use at most BYTES of the input"),
	CMD_CALL('S', NULL, "BYTES", opt_strings, NULL),
	CMD_CALL_OPTIONAL(0, "strings", "BYTES", opt_strings,
			  "print strings of at least BYTES (3) characters\nthat end in NUL (short: -S BYTES)"),
	CMD_CALL('t', "format", "TYPE", opt_type,
		 "a, c, d, f, o, u or x, a size in bytes or one of\nC S I L F D, and z to show characters at the end"),
	CMD_CALL('v', "output-duplicates", NULL, opt_verbose, "print repeated lines instead of *"),
	CMD_CALL_OPTIONAL('w', "width", "BYTES", opt_width, "bytes a line; 32 without BYTES"),
	CMD_FLAG(struct od, traditional, 0, "traditional", "take operands in the old form"),
	CMD_CALL('a', NULL, NULL, opt_letter, "same as -t a"),
	CMD_CALL('b', NULL, NULL, opt_letter, "same as -t o1"),
	CMD_CALL('c', NULL, NULL, opt_letter, "same as -t c"),
	CMD_CALL('d', NULL, NULL, opt_letter, "same as -t u2"),
	CMD_CALL('f', NULL, NULL, opt_letter, "same as -t fF"),
	CMD_CALL('i', NULL, NULL, opt_letter, "same as -t dI"),
	CMD_CALL('l', NULL, NULL, opt_letter, "same as -t dL"),
	CMD_CALL('o', NULL, NULL, opt_letter, "same as -t o2"),
	CMD_CALL('s', NULL, NULL, opt_letter, "same as -t d2"),
	CMD_CALL('x', NULL, NULL, opt_letter, "same as -t x2"),
	CMD_CALL('B', NULL, NULL, opt_letter, NULL), CMD_CALL('D', NULL, NULL, opt_letter, NULL),
	CMD_CALL('e', NULL, NULL, opt_letter, NULL), CMD_CALL('F', NULL, NULL, opt_letter, NULL),
	CMD_CALL('h', NULL, NULL, opt_letter, NULL), CMD_CALL('H', NULL, NULL, opt_letter, NULL),
	CMD_CALL('I', NULL, NULL, opt_letter, NULL), CMD_CALL('L', NULL, NULL, opt_letter, NULL),
	CMD_CALL('O', NULL, NULL, opt_letter, NULL), CMD_CALL('X', NULL, NULL, opt_letter, NULL),
};

/* ---- Arguments -------------------------------------------------------------------- */

/* A number of bytes: decimal, 0octal or 0xhex, and a multiplier. */
static uint64_t byte_count(struct proc *p, const char *s, const char *option)
{
	const char *end;
	bool overflow = false;
	uint64_t n = ascii_digit(*s) ? num_u64(s, &end, 0, &overflow) : 0;
	uint64_t out;
	int e;

	if (!ascii_digit(*s))
		u_die(p, 1, 0, "invalid %s argument %s", option, u_quote(p, s));
	if (overflow)
		u_die(p, 1, 0, "%s argument %s too large", option, u_quote(p, s));
	e = u_parse_size(u_format(p, "%llu%s", (unsigned long long)n, end), "bEGKkMmPTYZ0", &out);
	if (e == -NACRE_EOVERFLOW || (e == 0 && out > INT64_MAX))
		u_die(p, 1, 0, "%s argument %s too large", option, u_quote(p, s));
	if (e < 0)
		u_die(p, 1, 0, "invalid suffix in %s argument %s", option, u_quote(p, s));
	return out;
}

static int field_width(enum od_kind kind, unsigned size)
{
	static const uint8_t octal[] = {0, 3, 6, 8, 11, 14, 16, 19, 22};
	static const uint8_t sign[] = {1, 4, 6, 8, 11, 13, 16, 18, 20};
	static const uint8_t plain[] = {0, 3, 5, 8, 10, 13, 15, 17, 20};

	switch (kind) {
	case OD_OCTAL: return octal[size];
	case OD_SIGNED: return sign[size];
	case OD_UNSIGNED: return plain[size];
	case OD_HEX: return (int)size * 2;
	case OD_FLOAT: return size == 4 ? 15 : size == 8 ? 24 : 29;
	default: return 3;
	}
}

/* The size after a type letter: digits, or a C type's letter. */
static const char *type_size(struct proc *p, const char *s, const char *whole, struct od_form *f)
{
	static const char letters[] = "CSIL";
	static const uint8_t sizes[] = {1, 2, 4, 8};
	bool is_float = f->kind == OD_FLOAT;
	const char *hit = *s && !is_float ? strchr(letters, *s) : NULL;

	f->size = is_float ? 8 : 4;
	if (hit) {
		f->size = sizes[hit - letters];
		s++;
	} else if (is_float && (*s == 'F' || *s == 'D' || *s == 'L')) {
		f->size = *s == 'F' ? 4 : *s == 'D' ? 8 : 16;
		s++;
	} else if (ascii_digit(*s)) {
		bool overflow = false;
		uint64_t n = num_u64(s, &s, 10, &overflow);

		if (overflow)
			u_die(p, 1, 0, "invalid type string %s", u_quote(p, whole));
		if (is_float ? n != 4 && n != 8 && n != 16 : n != 1 && n != 2 && n != 4 && n != 8)
			u_die(p, 1, 0, "invalid type string %s;\nthis system doesn't provide a %llu-byte %s type",
			      u_quote(p, whole), (unsigned long long)n, is_float ? "floating point" : "integral");
		f->size = (unsigned)n;
	}
	return s;
}

static void parse_type(struct proc *p, struct od *o, const char *whole, size_t *cap)
{
	static const char letters[] = "acduoxf";
	const char *s = whole;

	while (*s) {
		const char *hit = strchr(letters, *s);
		struct od_form f = {.size = 1};

		if (!hit)
			u_die(p, 1, 0, "invalid character '%c' in type string %s", *s, u_quote(p, whole));
		f.kind = (enum od_kind)(hit - letters);
		s++;
		if (f.kind >= OD_SIGNED)
			s = type_size(p, s, whole, &f);
		if (*s == 'z') {
			f.trailer = true;
			s++;
		}
		f.width = field_width(f.kind, f.size);
		if (o->nforms == *cap) {
			struct od_form *v = u_array(p, *cap * 2, sizeof(*v));

			memcpy(v, o->form, o->nforms * sizeof(*v));
			o->form = v;
			*cap *= 2;
		}
		o->form[o->nforms++] = f;
	}
}

static void choose_radix(struct proc *p, struct od *o)
{
	switch (o->radix ? o->radix[0] : 'o') {
	case 'o': o->base = 8, o->digits = 7; break;
	case 'd': o->base = 10, o->digits = 7; break;
	case 'x': o->base = 16, o->digits = 6; break;
	case 'n': o->base = 0, o->digits = 0; break;
	default:
		u_die(p, 1, 0, "invalid output address radix '%c'; it must be one character from [doxn]",
		      o->radix[0]);
	}
}

static void lay_out(struct proc *p, struct od *o)
{
	int widest = 0;

	o->lcm = 1;
	for (size_t i = 0; i < o->nforms; i++)
		o->lcm = MAX(o->lcm, o->form[i].size); /* all are powers of two */
	o->block = o->lcm * MAX(16 / o->lcm, 1);
	if (o->width) {
		uint64_t w = byte_count(p, o->width, "-w");

		if (w == 0 || w % o->lcm) {
			u_warn(p, 0, "warning: invalid width %llu; using %llu instead", (unsigned long long)w,
			       (unsigned long long)o->lcm);
			w = o->lcm;
		}
		if (w > 1u << 24)
			u_die(p, 1, 0, "memory exhausted");
		o->block = (size_t)w;
	}
	for (size_t i = 0; i < o->nforms; i++) {
		const struct od_form *f = &o->form[i];

		widest = MAX(widest, (f->width + 1) * (int)(o->block / f->size));
	}
	for (size_t i = 0; i < o->nforms; i++) {
		struct od_form *f = &o->form[i];

		f->pad = widest - f->width * (int)(o->block / f->size);
	}
}

/* The old form of an offset: [+]OCTAL or 0xHEX; b: blocks. (GNU takes no decimal point there.) */
static bool old_offset(const char *s, uint64_t *out)
{
	const char *end, *stop;
	bool overflow = false;
	int base;
	uint64_t n;

	if (*s == '+')
		s++;
	if (!ascii_digit(*s))
		return false;
	base = s[0] == '0' && (s[1] == 'x' || s[1] == 'X') ? 16 : 8;
	n = num_u64(s, &end, base, &overflow);
	stop = end;
	if (*stop == 'b' || *stop == 'B') {
		overflow |= n > UINT64_MAX / 512;
		n *= 512;
		stop++;
	}
	*out = n;
	return end != s && !*stop && !overflow;
}

/* ---- Input ------------------------------------------------------------------------- */

/* Makes a slice of the input available; false at the end of all. */
static bool refill(struct od *o)
{
	while (o->ptr == o->end) {
		struct sys_slice s;
		int64_t got;

		if (o->has_limit && o->left == 0)
			return false;
		if (!o->is_open) {
			if (o->nfiles == 0)
				return false;
			o->name = *o->file++;
			o->nfiles--;
			o->fd = streq(o->name, "-") ? 0 : sys_open(o->p, o->name, SYS_O_READ, 0);
			if (o->fd < 0) {
				u_warn(o->p, o->fd, "%s", u_quote_if_needed(o->p, o->name));
				o->status = 1;
				continue;
			}
			o->is_open = o->opened = true;
		}
		got = sys_read_slice(o->p, o->fd, o->has_limit ? (size_t)MIN(o->left, 1u << 20) : 0, &s);
		if (got <= 0) {
			if (got < 0) {
				u_warn(o->p, (int)got, "%s", streq(o->name, "-") ? "standard input"
									    : u_quote_if_needed(o->p, o->name));
				o->status = 1;
			}
			u_close_operand(o->p, o->fd);
			o->is_open = false;
			continue;
		}
		o->ptr = s.ptr;
		o->end = s.ptr + s.len;
		if (o->has_limit)
			o->left -= s.len;
	}
	return true;
}

static size_t read_block(struct od *o, char *buf, size_t n)
{
	size_t got = 0;

	while (got < n && refill(o)) {
		size_t k = MIN((size_t)(o->end - o->ptr), n - got);

		memcpy(buf + got, o->ptr, k);
		got += k;
		o->ptr += k;
	}
	return got;
}

static void skip(struct proc *p, struct od *o, uint64_t n)
{
	bool limited = o->has_limit;

	o->has_limit = false;
	o->at = n;
	while (n > 0 && refill(o)) {
		uint64_t k = MIN((uint64_t)(o->end - o->ptr), n);

		o->ptr += k;
		n -= k;
		n -= o->ptr == o->end ? u_seek_on(p, o->fd, n) : 0;
	}
	o->has_limit = limited;
	if (n > 0 && o->status == 0)
		u_die(p, 1, 0, "cannot skip past end of combined input");
	if (limited && o->ptr < o->end) {
		/* What was read beyond the limit is another reader's. */
		size_t held = (size_t)(o->end - o->ptr), use = (size_t)MIN(o->left, held);

		sys_unread(p, o->fd, held - use);
		o->end = o->ptr + use;
		o->left -= use;
	}
}

/* ---- Output ------------------------------------------------------------------------- */

static void blanks(struct u_out *out, int n)
{
	while (n-- > 0)
		u_putc(out, ' ');
}

static void address(struct u_out *out, const struct od *o, char end)
{
	switch (o->base) {
	case 8: u_printf(out, "%07llo", (unsigned long long)o->at); break;
	case 10: u_printf(out, "%07llu", (unsigned long long)o->at); break;
	case 16: u_printf(out, "%06llx", (unsigned long long)o->at); break;
	default: break;
	}
	if (end && o->base)
		u_putc(out, end);
}

/* The digits of v in front of `end`; where they begin. */
static char *put_digits(char *end, uint64_t v, unsigned base, int least)
{
	do {
		*--end = "0123456789abcdef"[v % base];
		v /= base;
		least--;
	} while (v > 0 || least > 0);
	return end;
}

/* The shortest decimal form that reads back as the same number. */
static size_t float_text(char *buf, size_t n, long double x, unsigned size)
{
	int digits = size == 4 ? 6 : size == 8 ? 15 : 18;
	long double a = x < 0 ? -x : x;

	if (a != 0 && a < (size == 4 ? (long double)FLT_MIN : size == 8 ? (long double)DBL_MIN : LDBL_MIN))
		digits = 1;
	for (;; digits++) {
		size_t len = fmt_buf(buf, n, "%.*Lg", digits, x);
		bool same = size == 4 ? (float)num_double(buf, NULL) == (float)x
				      : size == 8 ? num_double(buf, NULL) == (double)x : num_ldouble(buf, NULL) == x;

		if (same || digits >= 21 || x != x)
			return len;
	}
}

static size_t char_text(char *buf, unsigned char c)
{
	static const char escape[] = "\0\a\b\t\n\v\f\r", letter[] = "0abtnvfr";
	const char *hit = memchr(escape, c, 8);

	if (hit) {
		buf[0] = '\\';
		buf[1] = letter[hit - escape];
		return 2;
	}
	if (ascii_print(c)) {
		buf[0] = (char)c;
		return 1;
	}
	put_digits(buf + 3, c, 8, 3);
	return 3;
}

static size_t name_text(char *buf, unsigned char c)
{
	static const char names[][4] = {
		"nul", "soh", "stx", "etx", "eot", "enq", "ack", "bel", "bs", "ht", "nl", "vt", "ff",
		"cr", "so", "si", "dle", "dc1", "dc2", "dc3", "dc4", "nak", "syn", "etb", "can", "em",
		"sub", "esc", "fs", "gs", "rs", "us", "sp",
	};

	c &= 0x7f;
	if (c > ' ' && c < 0x7f) {
		buf[0] = (char)c;
		return 1;
	}
	memcpy(buf, c == 0x7f ? "del" : names[c], 3);
	return strnlen(buf, 3);
}

static uint64_t load(const unsigned char *s, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)s[i] << (8 * i);
	return v;
}

static long double load_float(const unsigned char *s, unsigned size)
{
	long double l = 0;
	double d;
	float f;

	if (size == 4) {
		memcpy(&f, s, sizeof(f));
		return (long double)f;
	}
	if (size == 8) {
		memcpy(&d, s, sizeof(d));
		return (long double)d;
	}
	memcpy(&l, s, MIN(sizeof(l), 16));
	return l;
}

/* The text of one field, somewhere in buf. */
static const char *field_text(char *buf, size_t n, const struct od *o, const struct od_form *f,
			      const unsigned char *s, size_t *len)
{
	unsigned char turned[16];
	char *end = buf + n, *at;
	uint64_t v;

	if (o->swap && f->size > 1) {
		for (unsigned i = 0; i < f->size; i++)
			turned[i] = s[f->size - 1 - i];
		s = turned;
	}
	at = buf;
	switch (f->kind) {
	case OD_NAMED: *len = name_text(buf, *s); return buf;
	case OD_CHAR: *len = char_text(buf, *s); return buf;
	case OD_FLOAT: *len = float_text(buf, n, load_float(s, f->size), f->size); return buf;
	case OD_HEX: at = put_digits(end, load(s, f->size), 16, f->width); break;
	case OD_OCTAL: at = put_digits(end, load(s, f->size), 8, f->width); break;
	case OD_UNSIGNED: at = put_digits(end, load(s, f->size), 10, 1); break;
	case OD_SIGNED:
		v = load(s, f->size);
		if (v >> (8 * f->size - 1)) {
			at = put_digits(end, f->size == 8 ? 0 - v : (UINT64_C(1) << (8 * f->size)) - v, 10, 1);
			*--at = '-';
		} else {
			at = put_digits(end, v, 10, 1);
		}
		break;
	}
	*len = (size_t)(end - at);
	return at;
}

static void print_form(struct u_out *out, const struct od *o, const struct od_form *f,
		       const unsigned char *s, size_t n)
{
	int fields = (int)(o->block / f->size), blank = (int)((o->block - n) / f->size);
	int left = f->pad;
	char buf[64];

	for (int i = fields; i > blank; i--) {
		int next = (int)((int64_t)f->pad * (i - 1) / fields);
		size_t len;
		const char *t = field_text(buf, sizeof(buf), o, f, s, &len);

		blanks(out, left - next + f->width - (int)len);
		u_put(out, t, len);
		left = next;
		s += f->size;
	}
	if (f->trailer) {
		s -= (size_t)(fields - blank) * f->size;
		blanks(out, blank * f->width + (int)((int64_t)f->pad * blank / fields));
		u_puts(out, "  >");
		for (size_t i = 0; i < n; i++)
			u_putc(out, ascii_print(s[i]) ? (char)s[i] : '.');
		u_putc(out, '<');
	}
	u_putc(out, '\n');
}

static void dump(struct proc *p, struct od *o)
{
	struct u_out *out = u_stdout(p);
	char *now = u_zalloc(p, o->block), *last = u_zalloc(p, o->block);
	bool first = true, starred = false;
	size_t n;

	while ((n = read_block(o, now, o->block)) > 0) {
		char *t = now;

		sys_checkpoint_n(p, (uint32_t)n);
		if (!o->verbose && !first && n == o->block && memcmp(now, last, n) == 0) {
			if (!starred)
				u_puts(out, "*\n");
			starred = true;
		} else {
			starred = false;
			if (n < o->block)
				memset(now + n, 0, o->block - n);
			for (size_t i = 0; i < o->nforms; i++) {
				if (i == 0)
					address(out, o, 0);
				else
					blanks(out, o->digits);
				print_form(out, o, &o->form[i], (unsigned char *)now, n);
			}
		}
		first = false;
		o->at += n;
		now = last;
		last = t;
		if (n < o->block)
			break;
	}
	/* Of files that all could not be opened nothing was dumped. */
	if (o->opened || (o->has_limit && o->left == 0))
		address(out, o, '\n');
}

static void put_string_char(struct u_out *out, char c)
{
	static const char escape[] = "\a\b\f\n\r\t\v", letter[] = "abfnrtv";
	const char *hit = memchr(escape, c, 7);

	if (hit) {
		u_putc(out, '\\');
		u_putc(out, letter[hit - escape]);
	} else {
		u_putc(out, c);
	}
}

static void dump_strings(struct proc *p, struct od *o, uint64_t least)
{
	struct u_out *out = u_stdout(p);
	struct u_buf b;
	uint64_t start = o->at, at = o->at;

	u_buf_init(&b, p, 0);
	while (refill(o)) {
		for (; o->ptr < o->end; o->ptr++) {
			char c = *o->ptr;

			at++;
			if (ascii_print((unsigned char)c)) {
				u_buf_putc(&b, c);
				continue;
			}
			if (c == '\0' && b.len >= least) {
				o->at = start;
				address(out, o, ' ');
				for (size_t i = 0; i < b.len; i++)
					put_string_char(out, b.ptr[i]);
				u_putc(out, '\n');
			}
			b.len = 0;
			start = at;
		}
		sys_checkpoint(p);
	}
}

static int od_main(struct proc *p, const struct cmd_args *a)
{
	struct od *o = a->opts;
	size_t cap = 8;
	uint64_t offset = 0;
	int n = a->argc;

	o->p = p;
	choose_radix(p, o);
	if (o->skip)
		offset = byte_count(p, o->skip, "-j");
	if (o->limit) {
		o->left = byte_count(p, o->limit, "-N");
		o->has_limit = true;
	}
	o->form = u_array(p, cap, sizeof(*o->form));
	for (size_t i = 0; i < o->types.n; i++)
		parse_type(p, o, o->types.v[i], &cap);
	if (o->endian) {
		if (!*o->endian || (strncmp("big", o->endian, strlen(o->endian)) != 0 &&
				    strncmp("little", o->endian, strlen(o->endian)) != 0)) {
			static const struct u_word words[] = {{"little", 0}, {"big", 1}};

			o->swap = u_word_or_die(p, "--endian", o->endian, words, COUNTOF(words)) == 1;
		}
		o->swap = o->endian[0] == 'b';
	}
	if (o->strings && o->types.n > 0)
		u_die(p, 1, 0, "no type may be specified when dumping strings");
	if (o->nforms == 0)
		parse_type(p, o, "oS", &cap);
	lay_out(p, o);

	if (!(o->modern || o->radix || o->skip || o->limit) || o->traditional) {
		uint64_t old;

		if (n == 1 && (o->traditional || a->argv[0][0] == '+') && old_offset(a->argv[0], &old)) {
			offset = old;
			n = 0;
		} else if (n == 2 && (o->traditional || a->argv[1][0] == '+' || ascii_digit(a->argv[1][0])) &&
			   old_offset(a->argv[1], &old)) {
			offset = old;
			n = 1;
		}
		if (o->traditional && n > 1) {
			u_warn(p, 0, "extra operand %s", u_quote(p, a->argv[1]));
			u_warn(p, 0, "compatibility mode supports at most one file");
			u_try_help(p);
		}
	}
	o->nfiles = n > 0 ? n : cmd_files(&(struct cmd_args){.argc = 0}, &o->file);
	if (n > 0)
		o->file = a->argv;
	if (offset > 0)
		skip(p, o, offset);
	if (o->strings)
		dump_strings(p, o, byte_count(p, o->strings, "-S"));
	else
		dump(p, o);
	return o->status;
}

static const struct cmd_example od_examples[] = {
	{"printf 'a\\n' | od -c", "0000000   a  \\n\n0000002\n"},
	{"printf ABC | od -An -tx1", " 41 42 43\n"},
};

const struct cmd cmd_od = {
	.name = "od",
	.summary = "print the bytes of files as octal and other numbers, or as characters",
	.synopsis = "[OPTION]... [FILE]...\n[-abcdfilosx]... [FILE] [[+]OFFSET[b]]",
	.description =
		"Without FILE, or where FILE is -, standard input is read. All files make one\n"
		"stream. Without a type, two-byte words are printed in octal. BYTES may be\n"
		"0x hexadecimal or 0 octal and end in b (512), K (1024), KB (1000), M and so on.",
	.opts = od_opts,
	.nopts = COUNTOF(od_opts),
	.opts_size = sizeof(struct od),
	.main = od_main,
	.examples = od_examples,
	.nexamples = COUNTOF(od_examples),
};
