/*
 * declare.h - what declare and its kin have been told; what declare.c and declare_print.c share.
 *
 * Layer     shell/builtin
 * Owns      nothing
 */
#ifndef NACRE_SHELL_BUILTIN_DECLARE_H
#define NACRE_SHELL_BUILTIN_DECLARE_H

#include "args.h"

struct declare {
	struct shell *sh;
	uint32_t on, off;
	bool print, functions, names_only, global, local, inherit;
	bool export_style; /* export and readonly: no scope of their own */
	enum var_where where;
	int status;
};

bool is_local_here(const struct shell *sh, const struct var *v);
/* Without operands. */
int declare_list(struct declare *d);
/* declare -p NAME, declare -f NAME */
void declare_named(struct declare *d, const char *name);

#endif
