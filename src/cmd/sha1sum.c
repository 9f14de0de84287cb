/* sha1sum.c - SHA1 digests of files. */
#include "digest/digest.h"

static const struct cmd_opt sha1sum_opts[] = {DIGEST_OPTS(struct digest_options)};

static int sha1sum_main(struct proc *p, const struct cmd_args *a)
{
	return digest_main(p, a, DIGEST_SHA1);
}

static const struct cmd_example sha1sum_examples[] = {
	{"printf abc | sha1sum", "a9993e364706816aba3e25717850c26c9cd0d89d  -\n"},
};

const struct cmd cmd_sha1sum = {
	.name = "sha1sum",
	.summary = "print or check SHA1 digests (160 bits)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = sha1sum_opts,
	.nopts = COUNTOF(sha1sum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = sha1sum_main,
	.examples = sha1sum_examples,
	.nexamples = COUNTOF(sha1sum_examples),
};
