/* sha256sum.c - SHA256 digests of files. */
#include "digest/digest.h"

static const struct cmd_opt sha256sum_opts[] = {DIGEST_OPTS(struct digest_options)};

static int sha256sum_main(struct proc *p, const struct cmd_args *a)
{
	return digest_main(p, a, DIGEST_SHA256);
}

static const struct cmd_example sha256sum_examples[] = {
	{"printf abc | sha256sum",
	 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n"},
};

const struct cmd cmd_sha256sum = {
	.name = "sha256sum",
	.summary = "print or check SHA256 digests (256 bits)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = sha256sum_opts,
	.nopts = COUNTOF(sha256sum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = sha256sum_main,
	.examples = sha256sum_examples,
	.nexamples = COUNTOF(sha256sum_examples),
};
