/* dir.c - dir and vdir: ls with other defaults. */
#include "ls.h"

static void dir_defaults(void *opts)
{
	struct ls *o = opts;

	o->format = LS_COLUMNS;
	o->quoting = LS_Q_ESCAPE;
}

static void vdir_defaults(void *opts)
{
	struct ls *o = opts;

	o->format = LS_LONG;
	o->quoting = LS_Q_ESCAPE;
}

const struct cmd cmd_dir = {
	.name = "dir",
	.summary = "list directory contents in columns (the same as ls -C -b)",
	.synopsis = "[OPTION]... [FILE]...",
	.opts = ls_opts,
	.nopts = LS_NOPTS,
	.opts_size = sizeof(struct ls),
	.defaults = dir_defaults,
	.usage_status = 2,
	.main = ls_main,
};

const struct cmd cmd_vdir = {
	.name = "vdir",
	.summary = "list directory contents verbosely (the same as ls -l -b)",
	.synopsis = "[OPTION]... [FILE]...",
	.opts = ls_opts,
	.nopts = LS_NOPTS,
	.opts_size = sizeof(struct ls),
	.defaults = vdir_defaults,
	.usage_status = 2,
	.main = ls_main,
};
