/* flow.c - : true false break continue return exit logout: what changes where the shell goes on. */
#include "args.h"

int builtin_true(struct shell *sh, int argc, char **argv)
{
	(void)sh, (void)argc, (void)argv;
	return 0;
}

int builtin_false(struct shell *sh, int argc, char **argv)
{
	(void)sh, (void)argc, (void)argv;
	return 1;
}

/* "too many arguments" gives the whole text up, and a shell started with -c. */
static int too_many(struct shell *sh)
{
	builtin_error(sh, "too many arguments");
	if (sh->st->is_c || sh->child) {
		sh->not_found = false;
		shell_exit(sh, 1);
	}
	sh->flow = FLOW_DISCARD;
	return 1;
}

/* ---- Loops ---------------------------------------------------------------------- */

static int leave_loops(struct shell *sh, int argc, char **argv, enum flow flow)
{
	int64_t n = 1;
	int i = argc > 1 && streq(argv[1], "--") ? 2 : 1;

	if (sh->loops == 0) {
		builtin_error(sh, "only meaningful in a `for', `while', or `until' loop");
		return 0;
	}
	if (i < argc) {
		if (!args_number(argv[i], &n)) {
			builtin_error(sh, "%s: numeric argument required", argv[i]);
			shell_exit(sh, 128);
		}
		if (i + 1 < argc)
			return too_many(sh);
		if (n <= 0) {
			builtin_error(sh, "%s: loop count out of range", argv[i]);
			sh->flow = FLOW_BREAK;
			sh->flow_count = sh->loops;
			return 1;
		}
	}
	sh->flow = (uint8_t)flow;
	sh->flow_count = n > sh->loops ? sh->loops : (uint32_t)n;
	return 0;
}

int builtin_break(struct shell *sh, int argc, char **argv)
{
	return leave_loops(sh, argc, argv, FLOW_BREAK);
}

int builtin_continue(struct shell *sh, int argc, char **argv)
{
	return leave_loops(sh, argc, argv, FLOW_CONTINUE);
}

/* ---- Functions and the shell ------------------------------------------------------ */

/* The status an argument names, or the one there is. -1: too many arguments. */
static int wanted_status(struct shell *sh, int argc, char **argv)
{
	int i = argc > 1 && streq(argv[1], "--") ? 2 : 1;
	int64_t n;

	if (i >= argc)
		return sh->exiting || sh->in_trap || sh->in_signal_trap ? sh->trap_status
		                                                        : sh->st->status;
	if (!args_number(argv[i], &n)) {
		builtin_error(sh, "%s: numeric argument required", argv[i]);
		return 2;
	}
	return i + 1 < argc ? -1 : (int)(n & 255);
}

static bool may_return(const struct shell *sh)
{
	for (const struct frame *f = sh->st->frame; f; f = f->up)
		if (f->kind == FRAME_FUNCTION || f->kind == FRAME_SOURCE)
			return true;
	return false;
}

int builtin_return(struct shell *sh, int argc, char **argv)
{
	int status;

	if (!may_return(sh)) {
		builtin_error(sh, "can only `return' from a function or sourced script");
		return 2;
	}
	status = wanted_status(sh, argc, argv);
	if (status < 0)
		return too_many(sh);
	sh->before_return = sh->st->status;
	sh->flow = FLOW_RETURN;
	return status;
}

int builtin_exit(struct shell *sh, int argc, char **argv)
{
	int status = wanted_status(sh, argc, argv);

	if (status < 0)
		return too_many(sh);
	sh->not_found = false;
	sh->exits_in_place = frame_find(sh->st, FRAME_FUNCTION) != NULL;
	shell_exit(sh, status);
}

int builtin_logout(struct shell *sh, int argc, char **argv)
{
	if (!sh->login) {
		builtin_error(sh, "not login shell: use `exit'");
		return 1;
	}
	return builtin_exit(sh, argc, argv);
}
