/* sha224sum.c - SHA224 digests of files. */
#include "digest/digest.h"

static const struct cmd_opt sha224sum_opts[] = {DIGEST_OPTS(struct digest_options)};

static int sha224sum_main(struct proc *p, const struct cmd_args *a)
{
	return digest_main(p, a, DIGEST_SHA224);
}

static const struct cmd_example sha224sum_examples[] = {
	{"printf abc | sha224sum",
	 "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7  -\n"},
};

const struct cmd cmd_sha224sum = {
	.name = "sha224sum",
	.summary = "print or check SHA224 digests (224 bits)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = sha224sum_opts,
	.nopts = COUNTOF(sha224sum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = sha224sum_main,
	.examples = sha224sum_examples,
	.nexamples = COUNTOF(sha224sum_examples),
};
