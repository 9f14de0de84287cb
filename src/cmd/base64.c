/* base64.c - bytes as letters, six bits each. */
#include "basenc/basenc.h"

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(char *out, const unsigned char *in, size_t n)
{
	for (; n > 0; n--, in += 3, out += 4) {
		unsigned a = in[0], b = in[1], c = in[2];

		out[0] = LETTERS[a >> 2];
		out[1] = LETTERS[(a << 4 | b >> 4) & 63];
		out[2] = LETTERS[(b << 2 | c >> 6) & 63];
		out[3] = LETTERS[c & 63];
	}
}

static void encode_rest(char *out, const unsigned char *in, size_t n)
{
	unsigned char whole[3] = {in[0], n > 1 ? in[1] : 0, 0};

	encode(out, whole, 1);
	if (n == 1)
		out[2] = '=';
	out[3] = '=';
}

/* The place of each ASCII character among the letters, or -1. */
static const signed char VALUES[128] = {
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
	-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 62, -1, -1, -1, 63,
	52, 53, 54, 55, 56, 57, 58, 59, 60, 61, -1, -1, -1, -1, -1, -1,
	-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
	15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, -1, -1, -1, -1, -1,
	-1, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40,
	41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, -1, -1, -1, -1, -1,
};

static int value(unsigned char c)
{
	return c < 128 ? VALUES[c] : -1;
}

static size_t decode_many(unsigned char *out, const unsigned char *in, size_t n, size_t most)
{
	size_t k = 0;

	for (; k < most && n >= 4; k++, n -= 4, in += 4, out += 3) {
		int a, b, c, d;

		if ((in[0] | in[1] | in[2] | in[3]) & 0x80)
			break;
		a = VALUES[in[0]], b = VALUES[in[1]], c = VALUES[in[2]], d = VALUES[in[3]];
		if ((a | b | c | d) < 0)
			break;
		out[0] = (unsigned char)(a << 2 | b >> 4);
		out[1] = (unsigned char)(b << 4 | c >> 2);
		out[2] = (unsigned char)(c << 6 | d);
	}
	return k;
}

static bool is_letter(unsigned char c)
{
	return c == '=' || value(c) >= 0;
}

static bool decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	int v[4] = {-1, -1, -1, -1};

	for (size_t i = 0; i < n; i++)
		v[i] = value(in[i]);
	*got = 0;
	if (v[0] < 0 || v[1] < 0)
		return false;
	out[(*got)++] = (unsigned char)(v[0] << 2 | v[1] >> 4);
	if (n == 4 && in[2] == '=')
		return in[3] == '=';
	if (v[2] < 0)
		return false;
	out[(*got)++] = (unsigned char)(v[1] << 4 | v[2] >> 2);
	if (n == 4 && in[3] == '=')
		return true;
	if (v[3] < 0)
		return false;
	out[(*got)++] = (unsigned char)(v[2] << 6 | v[3]);
	return true;
}

const struct basenc basenc_64 = {3, 4, encode, encode_rest, decode, is_letter, decode_many};

static int base64_main(struct proc *p, const struct cmd_args *a)
{
	return basenc_main(p, a, &basenc_64);
}

static const struct cmd_opt base64_opts[] = {BASENC_OPTS};

static const struct cmd_example base64_examples[] = {
	{"printf hello | base64", "aGVsbG8=\n"},
	{"echo aGVsbG8= | base64 -d", "hello"},
};

const struct cmd cmd_base64 = {
	.name = "base64",
	.summary = "write a file, or standard input, in Base64, or decode it",
	.synopsis = "[OPTION]... [FILE]",
	.description = "Newlines in encoded data are skipped.",
	.opts = base64_opts,
	.nopts = COUNTOF(base64_opts),
	.opts_size = sizeof(struct basenc_options),
	.defaults = basenc_defaults,
	.main = base64_main,
	.examples = base64_examples,
	.nexamples = COUNTOF(base64_examples),
};
