/*
 * sum.h - the short checksums of sum and cksum.
 *
 * Layer     user
 */
#ifndef NACRE_USER_SUM_H
#define NACRE_USER_SUM_H

#include "user.h"

enum u_sum { U_SUM_BSD, U_SUM_SYSV, U_SUM_CRC };

/* Prints checksum, size (in bytes for CRC, else in blocks) and, when `named`, the name of each file; the exit
 * status. */
int u_sum_files(struct proc *p, enum u_sum kind, int n, char *const *files, bool named,
		char end) MAY_SUSPEND;

#endif
