/* sha512sum.c - SHA512 digests of files. */
#include "digest/digest.h"

static const struct cmd_opt sha512sum_opts[] = {DIGEST_OPTS(struct digest_options)};

static int sha512sum_main(struct proc *p, const struct cmd_args *a)
{
	return digest_main(p, a, DIGEST_SHA512);
}

static const struct cmd_example sha512sum_examples[] = {
	{"printf abc | sha512sum",
	 "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
	 "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f  -\n"},
};

const struct cmd cmd_sha512sum = {
	.name = "sha512sum",
	.summary = "print or check SHA512 digests (512 bits)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = sha512sum_opts,
	.nopts = COUNTOF(sha512sum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = sha512sum_main,
	.examples = sha512sum_examples,
	.nexamples = COUNTOF(sha512sum_examples),
};
