/*
 * errno.h - error numbers of the kernel, as constants: NACRE_ENOENT and so on.
 *
 * System calls return 0 or a positive result, or the negative of one of these.
 *
 * Layer     abi
 */
#ifndef NACRE_ABI_ERRNO_H
#define NACRE_ABI_ERRNO_H

enum nacre_errno {
#define NACRE_ERR(name, number, text) NACRE_##name = (number),
#include "errno.def"
#undef NACRE_ERR
};

/* The text of error `e` (sign ignored), as GNU programs print it; "Unknown error N" has no
 * storage here, so an unknown number gives "Unknown error". */
const char *errno_text(int e);

/* Its name, "ENOENT"; "EUNKNOWN" for an unknown number. */
const char *errno_name(int e);

#endif
