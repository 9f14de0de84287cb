/*
 * uuencode.c - bytes as lines of letters that survive the mail.
 *
 * uuencode(5): a head with the mode and the name, lines of 45 bytes with their number in front, an end; or, with -m,
 * the letters of Base64.
 */
#include "basenc/basenc.h"

#define LINE_BYTES 45u

struct uuencode {
	bool base64, encode_name;
};

static const struct cmd_opt uuencode_opts[] = {
	CMD_FLAG(struct uuencode, base64, 'm', "base64", "write Base64"),
	CMD_FLAG(struct uuencode, encode_name, 'e', "encode-file-name", "write the name in Base64, too"),
};

static char letter(unsigned v)
{
	return v & 63 ? (char)(' ' + (v & 63)) : '`';
}

/* A line of n bytes; those missing of its last group are 0. */
static size_t encode_line(char *out, const unsigned char *in, size_t n)
{
	size_t k = 0;

	out[k++] = letter((unsigned)n);
	for (size_t i = 0; i < n; i += 3) {
		unsigned a = in[i], b = i + 1 < n ? in[i + 1] : 0, c = i + 2 < n ? in[i + 2] : 0;

		out[k++] = letter(a >> 2);
		out[k++] = letter(a << 4 | b >> 4);
		out[k++] = letter(b << 2 | c >> 6);
		out[k++] = letter(c);
	}
	out[k++] = '\n';
	return k;
}

static size_t encode_base64(char *out, const unsigned char *in, size_t n)
{
	size_t groups = n / 3, k = groups * 4;

	basenc_64.encode(out, in, groups);
	if (n % 3) {
		basenc_64.encode_rest(out + k, in + groups * 3, n % 3);
		k += 4;
	}
	return k;
}

/* Fewer bytes than wanted only at the end; -E. */
static int64_t read_full(struct proc *p, int fd, unsigned char *buf, size_t want)
{
	size_t n = 0;

	while (n < want) {
		int64_t got = sys_read(p, fd, buf + n, want - n);

		if (got < 0)
			return got;
		if (got == 0)
			break;
		n += (size_t)got;
	}
	return (int64_t)n;
}

static int encode(struct proc *p, const struct uuencode *o, int fd, const char *name)
{
	struct u_out *out = u_stdout(p);
	size_t size = LINE_BYTES * 256;
	unsigned char *in = u_alloc(p, size);
	char line[LINE_BYTES / 3 * 4 + 2];
	int64_t got;

	while ((got = read_full(p, fd, in, size)) > 0) {
		for (size_t at = 0; at < (size_t)got; at += LINE_BYTES) {
			size_t n = MIN((size_t)got - at, (size_t)LINE_BYTES);

			if (o->base64) {
				u_put(out, line, encode_base64(line, in + at, n));
				u_putc(out, '\n');
			} else {
				u_put(out, line, encode_line(line, in + at, n));
			}
		}
		sys_checkpoint_n(p, (uint32_t)got / 16);
	}
	if (got < 0)
		u_die(p, 1, (int)got, "%s", name);
	u_puts(out, o->base64 ? "====\n" : "`\nend\n");
	return 0;
}

static int uuencode_main(struct proc *p, const struct cmd_args *a)
{
	const struct uuencode *o = a->opts;
	const char *name;
	uint32_t mode;
	struct sys_stat st;
	int fd = 0, e = 0;

	if (a->argc < 1 || a->argc > 2)
		u_try_help_as(p, 64);
	name = a->argv[a->argc - 1];
	mode = 0666 & ~sys_umask(p, -1);
	if (a->argc == 2) {
		fd = sys_open(p, a->argv[0], SYS_O_READ, 0);
		e = fd < 0 ? fd : sys_fstat(p, fd, &st);
		if (e < 0)
			u_die(p, 1, e, "%s", a->argv[0]);
		mode = st.mode;
	}
	u_printf(u_stdout(p), "begin%s%s %03o ", o->base64 ? "-base64" : "", o->encode_name ? "-encoded" : "", mode & 0777);
	if (o->encode_name) {
		char *b = u_alloc(p, strlen(name) / 3 * 4 + 8);

		u_put(u_stdout(p), b, encode_base64(b, (const unsigned char *)name, strlen(name)));
	} else {
		u_puts(u_stdout(p), name);
	}
	u_putc(u_stdout(p), '\n');
	return encode(p, o, fd, a->argc == 2 ? a->argv[0] : "standard input");
}

static const struct cmd_example uuencode_examples[] = {
	{"echo hello | uuencode greeting | sed 's/ [0-7]* / MODE /'", "begin MODE greeting\n&:&5L;&\\*\n`\nend\n"},
	{"echo hello | uuencode -m greeting | sed 1d", "aGVsbG8K\n====\n"},
};

const struct cmd cmd_uuencode = {
	.name = "uuencode",
	.summary = "write a file, or standard input, as lines of letters",
	.synopsis = "[OPTION]... [FILE] NAME",
	.description = "NAME is the file that uudecode is to make.",
	.opts = uuencode_opts,
	.nopts = COUNTOF(uuencode_opts),
	.opts_size = sizeof(struct uuencode),
	.main = uuencode_main,
	.examples = uuencode_examples,
	.nexamples = COUNTOF(uuencode_examples),
};
