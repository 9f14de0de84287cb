/* md5sum.c - MD5 digests of files. */
#include "digest/digest.h"

static const struct cmd_opt md5sum_opts[] = {DIGEST_OPTS(struct digest_options)};

static int md5sum_main(struct proc *p, const struct cmd_args *a)
{
	return digest_main(p, a, DIGEST_MD5);
}

static const struct cmd_example md5sum_examples[] = {
	{"printf abc | md5sum", "900150983cd24fb0d6963f7d28e17f72  -\n"},
};

const struct cmd cmd_md5sum = {
	.name = "md5sum",
	.summary = "print or check MD5 digests (128 bits)",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = md5sum_opts,
	.nopts = COUNTOF(md5sum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = md5sum_main,
	.examples = md5sum_examples,
	.nexamples = COUNTOF(md5sum_examples),
};
