/*
 * digest.h - what md5sum, sha1sum, ... b2sum and cksum share: printing digests of files, and checking lists of
 * them.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_DIGEST_DIGEST_H
#define NACRE_CMD_DIGEST_DIGEST_H

#include "../cmd.h"
#include "../../base/digest.h"

struct digest_options {
	int mode;		/* 'b' or 't', 0: not given */
	bool check, tag, zero, untagged;
	bool ignore_missing, quiet, status, strict, warn;
	const char *length;	/* -l: bits of a BLAKE2b digest */
	const char *algorithm;	/* cksum -a */

	size_t size;		/* bytes of the digest, 0: the usual */
	int kind;		/* enum digest_kind; -1: any (cksum -c) */
};

#define DIGEST_OPTS(type) \
	CMD_CHOICE(type, mode, 'b', "binary", 'b', "print a * before file names"), \
	CMD_FLAG(type, check, 'c', "check", "read digests from the FILEs and check them"), \
	CMD_FLAG(type, tag, 0, "tag", "print lines in the style of BSD: NAME (FILE) = DIGEST"), \
	CMD_CHOICE(type, mode, 't', "text", 't', "print a blank before file names (default)"), \
	CMD_FLAG(type, zero, 'z', "zero", "end lines with NUL, and do not escape file names"), \
	CMD_FLAG(type, ignore_missing, 0, "ignore-missing", "with -c, say nothing about missing files"), \
	CMD_FLAG(type, quiet, 0, "quiet", "with -c, do not print OK for each file"), \
	CMD_FLAG(type, status, 0, "status", "with -c, print nothing; the status tells"), \
	CMD_FLAG(type, strict, 0, "strict", "with -c, lines that are no digests are an error"), \
	CMD_FLAG(type, warn, 'w', "warn", "with -c, warn about lines that are no digests")

/* The command as a whole, for the options of one kind of digest. */
int digest_main(struct proc *p, const struct cmd_args *a, enum digest_kind kind);

/* Its parts, for cksum. */
void digest_check_options(struct proc *p, const struct digest_options *o);
void digest_parse_length(struct proc *p, struct digest_options *o);
int digest_print(struct proc *p, const struct digest_options *o, int n, char *const *files);
int digest_check(struct proc *p, const struct digest_options *o, int n, char *const *files);

extern const char digest_description[];

#endif
