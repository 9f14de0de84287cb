/*
 * cut.c - print selected bytes or fields of lines.
 *
 * The list is a few sorted ranges; a line is walked once, delimiter by delimiter, only as
 * far as its last wanted field. Bytes are cut slice by slice, however long a line is.
 */
#include "cmd.h"
#include "../user/ranges.h"

struct cut {
	const char *list;
	bool fields, set_list, only_delimited, complement, zero, whole_chars;
	const char *delimiter, *out_delimiter;

	char delim, eol;
	const char *between;	/* put between two parts of a line, or NULL for nothing */
	size_t between_len;
	const struct u_range *r;
	size_t nr;
	struct u_out *out;
};

static void opt_list(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct cut *c = opts;

	if (c->set_list)
		u_usage(p, "only one list may be specified");
	c->set_list = true;
	c->list = arg;
	c->fields = o->shrt == 'f';
}

static void opt_delimiter(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct cut *c = opts;

	(void)o;
	if (arg[0] && arg[1])
		u_usage(p, "the delimiter must be a single character");
	c->delimiter = arg;
}

static const struct cmd_opt cut_opts[] = {
	CMD_CALL('b', "bytes", "LIST", opt_list, "print only these bytes"),
	CMD_CALL('c', "characters", "LIST", opt_list, "print only these characters (single bytes)"),
	CMD_CALL('d', "delimiter", "DELIM", opt_delimiter, "fields end in DELIM instead of TAB"),
	CMD_CALL('f', "fields", "LIST", opt_list,
		 "print only these fields, and lines without\nany delimiter unless -s is given"),
	CMD_FLAG(struct cut, whole_chars, 'n', NULL, "nothing, for compatibility"),
	CMD_FLAG(struct cut, complement, 0, "complement", "print what the list does not select"),
	CMD_FLAG(struct cut, only_delimited, 's', "only-delimited",
		 "print no lines that have no delimiter"),
	CMD_STRING(struct cut, out_delimiter, 0, "output-delimiter", "STRING",
		   "put STRING between selected parts"),
	CMD_FLAG(struct cut, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
};

/* ---- Bytes ---------------------------------------------------------------------------- */

static int64_t cut_bytes(struct proc *p, struct cut *c, int fd)
{
	uint64_t at = 1;	/* position in the line of the next byte */
	size_t i = 0;		/* the range we are in or before */
	bool any = false, inside = false;
	struct sys_slice s;
	int64_t got;

	while ((got = u_read_slice(p, fd, 0, &s)) > 0) {
		const char *t = s.ptr, *end = s.ptr + s.len;

		while (t < end) {
			const char *nl = memchr(t, c->eol, (size_t)(end - t));
			size_t n = (size_t)((nl ? nl : end) - t);

			for (; i < c->nr && c->r[i].lo < at + n; i++) {
				uint64_t lo = MAX(c->r[i].lo, at), hi = MIN(c->r[i].hi, at + n - 1);

				if (c->between && any && lo == c->r[i].lo)
					u_put(c->out, c->between, c->between_len);
				any = true;
				u_put(c->out, t + (lo - at), (size_t)(hi - lo + 1));
				if (c->r[i].hi > hi)
					break; /* goes on in the next slice */
			}
			at += n;
			inside = true;
			t += n;
			if (nl) {
				u_putc(c->out, c->eol);
				at = 1;
				i = 0;
				any = inside = false;
				t++;
			}
		}
	}
	if (inside)
		u_putc(c->out, c->eol);
	return got;
}

/* ---- Fields ----------------------------------------------------------------------------- */

/* The end of field `to`, where field `at` starts at s; *last is the field reached, which is less when
 * the line ends before. */
static const char *field_end(const struct cut *c, const char *s, const char *end, uint64_t at,
			     uint64_t to, uint64_t *last)
{
	for (;; at++) {
		const char *d = memchr(s, c->delim, (size_t)(end - s));

		if (!d || at == to) {
			*last = at;
			return d ? d : end;
		}
		s = d + 1;
	}
}

static void put_field_range(struct cut *c, const char *s, const char *e)
{
	if (c->between_len == 1 && c->between[0] == c->delim) {
		u_put(c->out, s, (size_t)(e - s));
		return;
	}
	for (;;) {
		const char *d = memchr(s, c->delim, (size_t)(e - s));

		u_put(c->out, s, (size_t)((d ? d : e) - s));
		if (!d)
			return;
		u_put(c->out, c->between, c->between_len);
		s = d + 1;
	}
}

static void cut_line(struct cut *c, const char *s, const char *end)
{
	uint64_t at = 1; /* the field that starts at s */
	bool any = false;

	for (size_t i = 0; i < c->nr; i++) {
		uint64_t lo = c->r[i].lo, hi = c->r[i].hi;
		const char *e;

		if (lo > at) {
			e = field_end(c, s, end, at, lo - 1, &at);
			if (e == end)
				break;
			s = e + 1;
			at++;
		}
		if (any)
			u_put(c->out, c->between, c->between_len);
		any = true;
		if (hi == UINT64_MAX) {
			put_field_range(c, s, end);
			break;
		}
		e = field_end(c, s, end, at, hi, &at);
		put_field_range(c, s, e);
		if (e == end)
			break;
		s = e + 1;
		at++;
	}
	u_putc(c->out, c->eol);
}

/* The same for the usual case of one single field. */
static void cut_one(struct cut *c, const char *s, const char *end)
{
	for (uint64_t k = c->r[0].lo; k > 1; k--) {
		const char *d = memchr(s, c->delim, (size_t)(end - s));

		if (!d) {
			s = end;
			break;
		}
		s = d + 1;
	}
	if (s < end) {
		const char *d = memchr(s, c->delim, (size_t)(end - s));

		u_put(c->out, s, (size_t)((d ? d : end) - s));
	}
	u_putc(c->out, c->eol);
}

static int64_t cut_fields(struct proc *p, struct cut *c, int fd)
{
	bool one = c->nr == 1 && c->r[0].lo == c->r[0].hi;
	struct u_lines r;
	struct str block;

	u_lines_init(&r, p, fd, c->eol);
	while (u_lines_block(&r, &block)) {
		const char *s = block.ptr, *end = s + block.len;

		while (s < end) {
			const char *nl = memchr(s, c->eol, (size_t)(end - s)), *e = nl ? nl : end;

			if (!memchr(s, c->delim, (size_t)(e - s))) {
				if (!c->only_delimited) {
					u_put(c->out, s, (size_t)(e - s));
					u_putc(c->out, c->eol);
				}
			} else if (one) {
				cut_one(c, s, e);
			} else {
				cut_line(c, s, e);
			}
			s = e + 1;
		}
	}
	return r.err;
}

/* Lines as the fields of one record, when the delimiter is what ends lines. A single line is a
 * record without delimiter when nothing ends it. */
static int64_t cut_lines(struct proc *p, struct cut *c, int fd)
{
	struct u_lines r;
	struct str line;
	uint64_t at = 0;
	size_t i = 0;
	bool any = false;

	u_lines_init(&r, p, fd, c->eol);
	while (u_lines_next(&r, &line)) {
		at++;
		while (i < c->nr && c->r[i].hi < at)
			i++;
		if (at == 1 && !r.ended) {
			if (c->only_delimited)
				return r.err;
		} else if (i == c->nr || c->r[i].lo > at) {
			continue;
		}
		if (any)
			u_put(c->out, c->between, c->between_len);
		u_put(c->out, line.ptr, line.len);
		any = true;
	}
	if (any || at > 1 || (at == 1 && !c->only_delimited))
		u_putc(c->out, c->eol);
	return r.err;
}

static int cut_main(struct proc *p, const struct cmd_args *a)
{
	struct cut *c = a->opts;
	char *const *file;
	int n = cmd_files(a, &file), status = 0;
	struct u_range *r;

	if (!c->set_list)
		u_usage(p, "you must specify a list of bytes, characters, or fields");
	if (!c->fields && c->delimiter)
		u_usage(p, "an input delimiter may be specified only when operating on fields");
	if (!c->fields && c->only_delimited)
		u_usage(p, "suppressing non-delimited lines makes sense\n"
			   "\tonly when operating on fields");
	r = u_ranges_parse(p, c->list, c->fields ? 0 : U_RANGES_BYTES, &c->nr);
	c->r = c->complement ? u_ranges_complement(p, r, &c->nr) : r;
	c->delim = c->delimiter ? c->delimiter[0] : '\t';
	c->eol = c->zero ? '\0' : '\n';
	c->out = u_stdout(p);
	if (c->out_delimiter) {
		c->between = c->out_delimiter;
		/* An empty string stands for a NUL byte, as elsewhere in cut. */
		c->between_len = *c->out_delimiter ? strlen(c->out_delimiter) : 1;
	} else if (c->fields) {
		c->between = &c->delim;
		c->between_len = 1;
	}
	for (int i = 0; i < n; i++) {
		int fd = u_open_operand(p, file[i]);
		int64_t e;

		if (fd < 0) {
			status = 1;
			continue;
		}
		if (!c->fields)
			e = cut_bytes(p, c, fd);
		else
			e = c->delim == c->eol ? cut_lines(p, c, fd) : cut_fields(p, c, fd);
		if (e < 0) {
			u_warn(p, (int)e, "%s", file[i]);
			status = 1;
		}
		u_close_operand(p, fd);
	}
	return status;
}

static const struct cmd_example cut_examples[] = {
	{"echo 'a:b:c:d' | cut -d: -f2,4", "b:d\n"},
	{"echo 'a:b:c:d' | cut -d: -f2- --output-delimiter=' '", "b c d\n"},
	{"echo abcdef | cut -c2-3,5", "bce\n"},
};

const struct cmd cmd_cut = {
	.name = "cut",
	.summary = "print selected parts of each line",
	.synopsis = "OPTION... [FILE]...",
	.description =
		"Exactly one of -b, -c and -f is needed. A LIST is one or more ranges with commas\n"
		"between them: N, N- (to the end), N-M or -M (from the first). The parts come\n"
		"in the order of the input, each once.",
	.opts = cut_opts,
	.nopts = COUNTOF(cut_opts),
	.opts_size = sizeof(struct cut),
	.main = cut_main,
	.examples = cut_examples,
	.nexamples = COUNTOF(cut_examples),
};
