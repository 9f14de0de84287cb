/* eval.c - eval, source, exec, command, builtin: running other commands. */
#include "args.h"

int builtin_eval(struct shell *sh, int argc, char **argv)
{
	struct u_buf b;
	int i = args_none(sh, argc, argv);

	if (i < 0)
		return USAGE_STATUS;
	if (i == argc)
		return 0;
	u_buf_init(&b, sh->p, 0);
	for (; i < argc; i++) {
		u_buf_puts(&b, argv[i]);
		if (i + 1 < argc)
			u_buf_putc(&b, ' ');
	}
	if (sh->trace_depth < TRACE_DEPTH_MAX)
		sh->trace_depth++;
	shell_tolerate(sh);
	unit_push(sh, UNIT_EVAL, (struct str){b.ptr, b.len}, "eval", sh->st->line, NULL);
	return 0;
}

/* ---- source ------------------------------------------------------------------------ */

static int cannot_source(struct shell *sh, const char *path, int err)
{
	if (err == -NACRE_EISDIR)
		builtin_error(sh, "%s: is a directory", path);
	else if (err == -NACRE_ENOEXEC)
		builtin_error(sh, "%s: cannot execute binary file", path);
	else
		shell_error(sh, "%s: %s", path, errno_text(err));
	return 1;
}

int builtin_source(struct shell *sh, int argc, char **argv)
{
	struct str text;
	const char *path;
	int i = args_none(sh, argc, argv), r;

	if (i < 0)
		return USAGE_STATUS;
	if (i >= argc) {
		builtin_error(sh, "filename argument required");
		return builtin_usage(sh);
	}
	path = argv[i];
	if (!strchr(path, '/')) {
		const char *found = shopt_is(sh, SHOPT_SOURCEPATH) ? lookup_source(sh, path) : NULL;

		if (!found && set_is(sh, SET_POSIX)) {
			builtin_error(sh, "%s: file not found", path);
			shell_fatal_posix(sh);
			return 1;
		}
		path = found ? found : path;
	}
	r = unit_read(sh, path, &text);
	if (r < 0) {
		r = cannot_source(sh, path, r);
		shell_set_status(sh, r);
		shell_fatal_posix(sh);
		return r;
	}
	if (sh->trace_depth < TRACE_DEPTH_MAX)
		sh->trace_depth++;
	shell_tolerate(sh);
	unit_push(sh, UNIT_SOURCE, text, path, 1, path);
	if (i + 1 < argc)
		params_set(sh->st, argv + i + 1, (size_t)(argc - i - 1), true);
	return 0;
}

/* ---- exec ---------------------------------------------------------------------------- */

/* bash gives the file that takes its place from the root on. */
static const char *whole_path(struct shell *sh, const char *path)
{
	struct str cwd = state_cwd(sh->st);

	if (path[0] == '/' || !cwd.len || cwd.ptr[0] != '/')
		return path;
	if (path[0] == '.' && path[1] == '/')
		path += 2;
	return u_join(sh->p, u_strndup(sh->p, cwd.ptr, cwd.len), path);
}

static int cannot_exec(struct shell *sh, const char *name, const struct found *f, int err)
{
	struct sys_stat st;

	if (!f->path) {
		shell_error(sh, "exec: %s: not found", name);
		return 127;
	}
	if (sys_stat(sh->p, f->path, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR) {
		shell_error(sh, "%s: Is a directory", f->path);
		shell_error(sh, "exec: %s: cannot execute: Is a directory", f->path);
		return 126;
	}
	shell_error(sh, "%s: %s", f->path, errno_text(err));
	if (err == -NACRE_ENOENT)
		return 127;
	shell_error(sh, "exec: %s: cannot execute: %s", f->path, errno_text(err));
	return 126;
}

int builtin_exec(struct shell *sh, int argc, char **argv)
{
	struct args a;
	struct found f;
	const char *as = NULL;
	bool clean = false, login = false;
	char *none[1] = {NULL}, **args;
	int c, err;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "cla:")) > 0) {
		if (c == 'a')
			as = a.value;
		clean |= c == 'c';
		login |= c == 'l';
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i >= argc)
		return 0;
	lookup_command(sh, str_from(argv[a.i]), 0, LOOK_NO_FUNCTION | LOOK_NO_BUILTIN, &f);
	args = u_array(sh->p, (size_t)(argc - a.i + 1), sizeof *args);
	memcpy(args, argv + a.i, (size_t)(argc - a.i + 1) * sizeof *args);
	if (as)
		args[0] = u_strdup(sh->p, as);
	if (login)
		args[0] = u_format(sh->p, "-%s", args[0]);
	if (f.path) {
		f.path = whole_path(sh, f.path);
		shell_before_exec(sh);
		err = program_exec(sh, &f, args, clean ? none : state_environ(sh->st), NULL);
		shell_after_exec(sh);
	} else {
		err = f.err;
	}
	c = cannot_exec(sh, argv[a.i], &f, err);
	if (!sh->child && (shopt_is(sh, SHOPT_EXECFAIL) || sh->interactive))
		return c;
	shell_exit(sh, c);
}

/* ---- command, builtin ------------------------------------------------------------------ */

/* Only reached with -v, -V or nothing: running a command is simple.c's matter. */
int builtin_command(struct shell *sh, int argc, char **argv)
{
	struct args a;
	bool brief = false, verbose = false;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "pvV")) > 0) {
		brief |= c == 'v';
		verbose |= c == 'V';
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i >= argc)
		return 0;
	if (!brief && !verbose)
		return 0;
	status = 1;
	for (; a.i < argc; a.i++) {
		if (type_describe(sh, argv[a.i], verbose ? TYPE_LONG : TYPE_COMMAND_V))
			status = 0;
		else if (verbose)
			shell_error(sh, "command: %s: not found", argv[a.i]);
	}
	return status;
}

int builtin_builtin(struct shell *sh, int argc, char **argv)
{
	int i = args_none(sh, argc, argv);

	if (i < 0)
		return USAGE_STATUS;
	if (i >= argc)
		return 0;
	builtin_error(sh, "%s: not a shell builtin", argv[i]);
	return 1;
}
