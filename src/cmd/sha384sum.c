/* sha384sum.c - SHA384 digests of files. */
#include "digest/digest.h"

static const struct cmd_opt sha384sum_opts[] = {DIGEST_OPTS(struct digest_options)};

static int sha384sum_main(struct proc *p, const struct cmd_args *a)
{
	return digest_main(p, a, DIGEST_SHA384);
}

static const struct cmd_example sha384sum_examples[] = {
	{"printf abc | sha384sum",
	 "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
	 "8086072ba1e7cc2358baeca134c825a7  -\n"},
};

const struct cmd cmd_sha384sum = {
	.name = "sha384sum",
	.summary = "print or check SHA384 digests (384 bits)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = sha384sum_opts,
	.nopts = COUNTOF(sha384sum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = sha384sum_main,
	.examples = sha384sum_examples,
	.nexamples = COUNTOF(sha384sum_examples),
};
