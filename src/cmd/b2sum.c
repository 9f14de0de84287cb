/* b2sum.c - BLAKE2b digests of files. */
#include "digest/digest.h"

static const struct cmd_opt b2sum_opts[] = {DIGEST_OPTS(struct digest_options),
					    CMD_STRING(struct digest_options, length, 'l', "length", "BITS",
						       "print BITS bits of the digest, a multiple of 8")};

static int b2sum_main(struct proc *p, const struct cmd_args *a)
{
	return digest_main(p, a, DIGEST_BLAKE2B);
}

static const struct cmd_example b2sum_examples[] = {
	{"printf abc | b2sum",
	 "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
	 "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923  -\n"},
};

const struct cmd cmd_b2sum = {
	.name = "b2sum",
	.summary = "print or check BLAKE2b digests (512 bits)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = b2sum_opts,
	.nopts = COUNTOF(b2sum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = b2sum_main,
	.examples = b2sum_examples,
	.nexamples = COUNTOF(b2sum_examples),
};
