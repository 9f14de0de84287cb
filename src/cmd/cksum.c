/* cksum.c - POSIX checksums of files, and digests of any kind. */
#include "digest/digest.h"
#include "../user/sum.h"

enum { CKSUM_BSD = 100, CKSUM_SYSV, CKSUM_CRC };

static const struct u_word algorithm_words[] = {
	{"bsd", CKSUM_BSD},	   {"sysv", CKSUM_SYSV},     {"crc", CKSUM_CRC},
	{"md5", DIGEST_MD5},	   {"sha1", DIGEST_SHA1},    {"sha224", DIGEST_SHA224},
	{"sha256", DIGEST_SHA256}, {"sha384", DIGEST_SHA384}, {"sha512", DIGEST_SHA512},
	{"blake2b", DIGEST_BLAKE2B}, {"sm3", DIGEST_SM3},
};

static const struct cmd_opt cksum_opts[] = {
	CMD_STRING(struct digest_options, algorithm, 'a', "algorithm", "TYPE",
		   "bsd, sysv, crc (default), md5, sha1, sha224, sha256,\nsha384, sha512, blake2b or sm3"),
	CMD_STRING(struct digest_options, length, 'l', "length", "BITS",
		   "print BITS bits of a blake2b digest, a multiple of 8"),
	CMD_FLAG(struct digest_options, untagged, 0, "untagged", "print lines as md5sum and others do"),
	DIGEST_OPTS(struct digest_options),
};

static int cksum_main(struct proc *p, const struct cmd_args *a)
{
	struct digest_options *o = a->opts;
	char *const *files;
	int n = cmd_files(a, &files), kind = CKSUM_CRC;

	if (o->algorithm)
		kind = u_word_or_die(p, "--algorithm", o->algorithm, algorithm_words,
				     COUNTOF(algorithm_words));
	o->kind = kind;
	if (o->length && kind != DIGEST_BLAKE2B)
		u_die(p, 1, 0, "--length is only supported with --algorithm=blake2b");
	digest_parse_length(p, o);
	if (kind >= CKSUM_BSD && o->check) {
		if (o->algorithm)
			u_die(p, 1, 0, "--check is not supported with --algorithm={bsd,sysv,crc}");
		o->kind = -1; /* each line says what it is */
	}
	digest_check_options(p, o);
	if (o->check)
		return digest_check(p, o, n, files);
	if (kind >= CKSUM_BSD)
		return u_sum_files(p, kind == CKSUM_BSD	   ? U_SUM_BSD
				      : kind == CKSUM_SYSV ? U_SUM_SYSV
							   : U_SUM_CRC,
				   n, files, a->argc > 0, o->zero ? '\0' : '\n');
	o->tag = !o->untagged;
	return digest_print(p, o, n, files);
}

static const struct cmd_example cksum_examples[] = {
	{"printf abc | cksum", "1219131554 3\n"},
	{"printf abc | cksum -a md5", "MD5 (-) = 900150983cd24fb0d6963f7d28e17f72\n"},
};

static const struct cmd_missing cksum_missing[] = {
	{"--debug", "there is only one implementation to name"},
};

const struct cmd cmd_cksum = {
	.name = "cksum",
	.summary = "print the CRC checksum and the number of bytes of each file, or print and check digests",
	.synopsis = "[OPTION]... [FILE]...",
	.description = digest_description,
	.opts = cksum_opts,
	.nopts = COUNTOF(cksum_opts),
	.opts_size = sizeof(struct digest_options),
	.main = cksum_main,
	.examples = cksum_examples,
	.nexamples = COUNTOF(cksum_examples),
	.missing = cksum_missing,
	.nmissing = COUNTOF(cksum_missing),
};
