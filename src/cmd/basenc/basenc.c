/* basenc.c - the command around base64 and base32. */
#include "basenc.h"

#define GROUPS 1024	/* handled at a time */

void basenc_wrap(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct basenc_options *b = opts;
	uint64_t n;

	(void)o;
	if (u_parse_size(arg, "", &n) == -NACRE_EINVAL)
		u_die(p, 1, 0, "invalid wrap size: %s", u_quote(p, arg));
	b->wrap = n > INT64_MAX ? 0 : (int64_t)n;
}

void basenc_defaults(void *opts)
{
	((struct basenc_options *)opts)->wrap = 76;
}

/* ---- Encoding ----------------------------------------------------------------------------- */

struct encoder {
	struct u_out *out;
	int64_t wrap, column;
};

static void put_wrapped(struct encoder *e, const char *s, size_t n)
{
	while (e->wrap > 0 && n > 0) {
		size_t part = (size_t)MIN((int64_t)n, e->wrap - e->column);

		u_put(e->out, s, part);
		e->column += (int64_t)part;
		s += part;
		n -= part;
		if (e->column == e->wrap) {
			u_putc(e->out, '\n');
			e->column = 0;
		}
	}
	u_put(e->out, s, n);
}

static int64_t encode(struct proc *p, int fd, const struct basenc *b, int64_t wrap)
{
	struct encoder e = {u_stdout(p), wrap, 0};
	char *text = u_alloc(p, GROUPS * b->letters);
	unsigned char held[8];	/* the start of a group */
	size_t nheld = 0;
	struct sys_slice s;
	int64_t got;

	while ((got = sys_read_slice(p, fd, 0, &s)) > 0) {
		const unsigned char *in = (const unsigned char *)s.ptr, *end = in + s.len;

		while (nheld > 0 && nheld < b->bytes && in < end)
			held[nheld++] = *in++;
		if (nheld == b->bytes) {
			b->encode(text, held, 1);
			put_wrapped(&e, text, b->letters);
			nheld = 0;
		}
		while ((size_t)(end - in) >= b->bytes) {
			size_t n = MIN((size_t)(end - in) / b->bytes, (size_t)GROUPS);

			b->encode(text, in, n);
			put_wrapped(&e, text, n * b->letters);
			in += n * b->bytes;
		}
		while (in < end)
			held[nheld++] = *in++;
	}
	if (got == 0 && nheld > 0 && !b->encode_rest)
		u_die(p, 1, 0, "invalid input (length must be multiple of %zu characters)", b->bytes);
	if (got == 0 && nheld > 0) {
		b->encode_rest(text, held, nheld);
		put_wrapped(&e, text, b->letters);
	}
	if (e.column > 0)
		u_putc(e.out, '\n');
	return got;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static void decode_group(struct proc *p, const struct basenc *b, const unsigned char *in, size_t n)
{
	unsigned char bytes[8];
	size_t got;
	bool good = b->decode(bytes, &got, in, n);

	u_put(u_stdout(p), (const char *)bytes, got);
	if (!good)
		u_die(p, 1, 0, "invalid input");
}

static int64_t decode(struct proc *p, int fd, const struct basenc *b, bool ignore_garbage)
{
	unsigned char held[8], *bytes = u_alloc(p, GROUPS * b->bytes);
	size_t nheld = 0;
	struct sys_slice s;
	int64_t got;

	while ((got = sys_read_slice(p, fd, 0, &s)) > 0) {
		const unsigned char *in = (const unsigned char *)s.ptr;

		for (size_t i = 0; i < s.len; i++) {
			unsigned char c;

			if (nheld == 0 && b->decode_many) {
				size_t n = b->decode_many(bytes, in + i, s.len - i, GROUPS);

				u_put(u_stdout(p), (const char *)bytes, n * b->bytes);
				i += n * b->letters;
				if (i >= s.len)
					break;
			}
			c = in[i];
			if (c == '\n' || (ignore_garbage && !b->is_letter(c)))
				continue;
			held[nheld++] = c;
			if (nheld == b->letters) {
				decode_group(p, b, held, nheld);
				nheld = 0;
			}
		}
	}
	if (got == 0 && nheld > 0)
		decode_group(p, b, held, nheld);
	return got;
}

int basenc_main(struct proc *p, const struct cmd_args *a, const struct basenc *b)
{
	const struct basenc_options *o = a->opts;
	char *const *file;
	int64_t r;
	int fd;

	cmd_files(a, &file);
	if (a->argc > 1)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[1]));
	fd = u_open_operand(p, file[0]);
	if (fd < 0)
		return 1;
	r = o->decode ? decode(p, fd, b, o->ignore_garbage) : encode(p, fd, b, o->wrap);
	if (r < 0)
		u_die(p, 1, (int)r, "read error");
	return 0;
}
