/*
 * convert.h - other kinds of differences as unified ones, so that one reader is enough.
 *
 * Layer     cmd
 * Errors    a difference that breaks off or has the wrong lines ends the program as patch does
 */
#ifndef NACRE_CMD_PATCH_CONVERT_H
#define NACRE_CMD_PATCH_CONVERT_H

#include "../cmd.h"

enum patch_kinds { PATCH_UNIFIED = 1, PATCH_CONTEXT = 2, PATCH_NORMAL = 4 };

/* The lines of a patch with all context and normal differences made unified. `kinds` are those looked for; normal
 * ones, which have no header, only where there is no other. */
void patch_make_unified(struct proc *p, struct str **line, size_t *n, unsigned kinds);

#endif
