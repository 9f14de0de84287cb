/* basenc.c - bytes as letters in one of eight ways. */
#include "basenc/basenc.h"

struct basenc_any {
	struct basenc_options common;
	int type;		/* enum type */
};

enum type { BASE_NONE, BASE_64, BASE_64_URL, BASE_32, BASE_32_HEX, BASE_16, BASE_2_MSB, BASE_2_LSB, BASE_Z85 };

/* ---- Other letters for base64 and base32 ---------------------------------------------------------------- */

static void swap_letters(char *s, size_t n, const char *from, const char *to)
{
	for (size_t i = 0; i < n; i++) {
		const char *hit = s[i] ? strchr(from, s[i]) : NULL;

		if (hit)
			s[i] = to[hit - from];
	}
}

static void url_encode(char *out, const unsigned char *in, size_t n)
{
	basenc_64.encode(out, in, n);
	swap_letters(out, n * 4, "+/", "-_");
}

static void url_encode_rest(char *out, const unsigned char *in, size_t n)
{
	basenc_64.encode_rest(out, in, n);
	swap_letters(out, 4, "+/", "-_");
}

static bool url_is_letter(unsigned char c)
{
	return c == '-' || c == '_' || (basenc_64.is_letter(c) && c != '+' && c != '/');
}

static bool url_decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	char plain[4];

	for (size_t i = 0; i < n; i++)
		plain[i] = url_is_letter(in[i]) ? (char)in[i] : '!';
	swap_letters(plain, n, "-_", "+/");
	return basenc_64.decode(out, got, (const unsigned char *)plain, n);
}

static const char PLAIN32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", HEX32[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";

static void hex32_encode(char *out, const unsigned char *in, size_t n)
{
	basenc_32.encode(out, in, n);
	swap_letters(out, n * 8, PLAIN32, HEX32);
}

static void hex32_encode_rest(char *out, const unsigned char *in, size_t n)
{
	basenc_32.encode_rest(out, in, n);
	swap_letters(out, 8, PLAIN32, HEX32);
}

static bool hex32_is_letter(unsigned char c)
{
	return c == '=' || (c && strchr(HEX32, c));
}

static bool hex32_decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	char plain[8];

	for (size_t i = 0; i < n; i++)
		plain[i] = hex32_is_letter(in[i]) ? (char)in[i] : '!';
	swap_letters(plain, n, HEX32, PLAIN32);
	return basenc_32.decode(out, got, (const unsigned char *)plain, n);
}

/* ---- Base16, base2 ----------------------------------------------------------------------------------------- */

static void hex_encode(char *out, const unsigned char *in, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = "0123456789ABCDEF"[in[i] >> 4];
		out[2 * i + 1] = "0123456789ABCDEF"[in[i] & 15];
	}
}

static bool hex_is_letter(unsigned char c)
{
	return ascii_digit(c) || (c >= 'A' && c <= 'F');
}

static bool hex_decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	unsigned v = 0;

	*got = 0;
	for (size_t i = 0; i < n; i++) {
		if (!hex_is_letter(in[i]))
			return false;
		v = v * 16 + (unsigned)(ascii_digit(in[i]) ? in[i] - '0' : in[i] - 'A' + 10);
	}
	if (n < 2)
		return false;
	*out = (unsigned char)v;
	*got = 1;
	return true;
}

static void msb_encode(char *out, const unsigned char *in, size_t n)
{
	for (size_t i = 0; i < n * 8; i++)
		out[i] = (char)('0' + (in[i / 8] >> (7 - i % 8) & 1));
}

static void lsb_encode(char *out, const unsigned char *in, size_t n)
{
	for (size_t i = 0; i < n * 8; i++)
		out[i] = (char)('0' + (in[i / 8] >> i % 8 & 1));
}

static bool bit_is_letter(unsigned char c)
{
	return c == '0' || c == '1';
}

static bool bits_decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n, bool msb)
{
	unsigned v = 0;

	*got = 0;
	for (size_t i = 0; i < n; i++) {
		if (!bit_is_letter(in[i]))
			return false;
		v |= (unsigned)(in[i] - '0') << (msb ? 7 - i : i);
	}
	if (n < 8)
		return false;
	*out = (unsigned char)v;
	*got = 1;
	return true;
}

static bool msb_decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	return bits_decode(out, got, in, n, true);
}

static bool lsb_decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	return bits_decode(out, got, in, n, false);
}

/* ---- Z85 -------------------------------------------------------------------------------------------------------- */

static const char Z85[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

static void z85_encode(char *out, const unsigned char *in, size_t n)
{
	for (; n > 0; n--, in += 4, out += 5) {
		uint32_t v = (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];

		for (int i = 4; i >= 0; i--, v /= 85)
			out[i] = Z85[v % 85];
	}
}

static bool z85_is_letter(unsigned char c)
{
	return c && strchr(Z85, c);
}

static bool z85_decode(unsigned char *out, size_t *got, const unsigned char *in, size_t n)
{
	uint64_t v = 0;

	*got = 0;
	for (size_t i = 0; i < n; i++) {
		if (!z85_is_letter(in[i]))
			return false;
		v = v * 85 + (uint64_t)(strchr(Z85, in[i]) - Z85);
	}
	if (n < 5 || v > UINT32_MAX)
		return false;
	for (int i = 3; i >= 0; i--, v >>= 8)
		out[i] = (unsigned char)v;
	*got = 4;
	return true;
}

/* ---- The command ----------------------------------------------------------------------------------------------- */

static const struct basenc encodings[] = {
	[BASE_64_URL] = {3, 4, url_encode, url_encode_rest, url_decode, url_is_letter, NULL},
	[BASE_32_HEX] = {5, 8, hex32_encode, hex32_encode_rest, hex32_decode, hex32_is_letter, NULL},
	[BASE_16] = {1, 2, hex_encode, NULL, hex_decode, hex_is_letter, NULL},
	[BASE_2_MSB] = {1, 8, msb_encode, NULL, msb_decode, bit_is_letter, NULL},
	[BASE_2_LSB] = {1, 8, lsb_encode, NULL, lsb_decode, bit_is_letter, NULL},
	[BASE_Z85] = {4, 5, z85_encode, NULL, z85_decode, z85_is_letter, NULL},
};

static const struct cmd_opt basenc_opts[] = {
	CMD_CHOICE(struct basenc_any, type, 0, "base64", BASE_64, "as base64"),
	CMD_CHOICE(struct basenc_any, type, 0, "base64url", BASE_64_URL, "base64 with - and _, for URLs and file names"),
	CMD_CHOICE(struct basenc_any, type, 0, "base32", BASE_32, "as base32"),
	CMD_CHOICE(struct basenc_any, type, 0, "base32hex", BASE_32_HEX, "base32 with the letters 0-9 and A-V"),
	CMD_CHOICE(struct basenc_any, type, 0, "base16", BASE_16, "hexadecimal"),
	CMD_CHOICE(struct basenc_any, type, 0, "base2msbf", BASE_2_MSB, "bits, the highest of each byte first"),
	CMD_CHOICE(struct basenc_any, type, 0, "base2lsbf", BASE_2_LSB, "bits, the lowest of each byte first"),
	CMD_CHOICE(struct basenc_any, type, 0, "z85", BASE_Z85, "Z85: five letters for four bytes"),
	BASENC_OPTS,
};

static int basenc_any_main(struct proc *p, const struct cmd_args *a)
{
	const struct basenc_any *o = a->opts;

	if (o->type == BASE_NONE)
		u_usage(p, "missing encoding type");
	return basenc_main(p, a, o->type == BASE_64 ? &basenc_64 : o->type == BASE_32 ? &basenc_32 : &encodings[o->type]);
}

static const struct cmd_example basenc_examples[] = {
	{"printf hello | basenc --base16", "68656C6C6F\n"},
	{"printf '\\377\\376' | basenc --base64url", "__4=\n"},
};

const struct cmd cmd_basenc = {
	.name = "basenc",
	.summary = "write a file, or standard input, in one of several encodings, or decode it",
	.synopsis = "[OPTION]... [FILE]",
	.description = "Newlines in encoded data are skipped.",
	.opts = basenc_opts,
	.nopts = COUNTOF(basenc_opts),
	.opts_size = sizeof(struct basenc_any),
	.defaults = basenc_defaults,
	.main = basenc_any_main,
	.examples = basenc_examples,
	.nexamples = COUNTOF(basenc_examples),
};
