/* base32.c - bytes as letters, five bits each. */
#include "basenc/basenc.h"

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

static void encode(char *out, const unsigned char *in, size_t n)
{
	for (; n > 0; n--, in += 5, out += 8) {
		uint64_t x = 0;

#pragma GCC unroll 5
		for (int i = 0; i < 5; i++)
			x = x << 8 | in[i];
#pragma GCC unroll 8
		for (int i = 0; i < 8; i++)
			out[i] = LETTERS[x >> (35 - 5 * i) & 31];
	}
}

/* How many letters n bytes need. */
static const unsigned char NEEDED[5] = {0, 2, 4, 5, 7};

static void encode_rest(char *out, const unsigned char *in, size_t n)
{
	unsigned char whole[5] = {0};

	memcpy(whole, in, n);
	encode(out, whole, 1);
	memset(out + NEEDED[n], '=', 8u - NEEDED[n]);
}

static int value(unsigned char c)
{
	return ascii_upper(c) ? c - 'A' : c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

static bool is_letter(unsigned char c)
{
	return c == '=' || value(c) >= 0;
}

static bool decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	uint64_t x = 0;
	size_t letters = 0;

	*got = 0;
	if (n < 8)
		return false;
	for (size_t i = 0; i < 8; i++) {
		int v = value(in[i]);

		if (v >= 0 && letters == i)
			letters++;
		x = x << 5 | (unsigned)(v < 0 ? 0 : v);
	}
	while (*got < 5 && (*got == 4 ? 8u : NEEDED[*got + 1]) <= letters) {
		out[*got] = (unsigned char)(x >> (32 - 8 * *got));
		(*got)++;
	}
	if (letters == 8)
		return true;
	/* Just the letters that are needed, and then the pad. */
	if (*got == 0 || letters != NEEDED[*got])
		return false;
	for (size_t i = letters; i < 8; i++) {
		if (in[i] != '=')
			return false;
	}
	return true;
}

const struct basenc basenc_32 = {5, 8, encode, encode_rest, decode, is_letter, NULL};

static int base32_main(struct proc *p, const struct cmd_args *a)
{
	return basenc_main(p, a, &basenc_32);
}

static const struct cmd_opt base32_opts[] = {BASENC_OPTS};

static const struct cmd_example base32_examples[] = {
	{"printf hello | base32", "NBSWY3DP\n"},
	{"echo NBSWY3DP | base32 -d", "hello"},
};

const struct cmd cmd_base32 = {
	.name = "base32",
	.summary = "write a file, or standard input, in Base32, or decode it",
	.synopsis = "[OPTION]... [FILE]",
	.description = "Newlines in encoded data are skipped.",
	.opts = base32_opts,
	.nopts = COUNTOF(base32_opts),
	.opts_size = sizeof(struct basenc_options),
	.defaults = basenc_defaults,
	.main = base32_main,
	.examples = base32_examples,
	.nexamples = COUNTOF(base32_examples),
};
