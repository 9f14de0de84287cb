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
		if (i + 1 < argc) {
			builtin_error(sh, "too many arguments");
			sh->flow = FLOW_BREAK;
			sh->flow_count = sh->loops;
			return 1;
		}
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

/* The status an argument names: false when it is none (printed, *status 2) or there are too many. */
static bool wanted_status(struct shell *sh, int argc, char **argv, int *status, bool *too_many)
{
	int64_t n;
	int i = argc > 1 && streq(argv[1], "--") ? 2 : 1;

	*too_many = false;
	*status = sh->nested && sh->top ? sh->st->status : sh->st->status;
	if (i >= argc) {
		if (sh->exiting == 1 || sh->in_trap || sh->in_signal_trap)
			*status = sh->trap_status;
		return true;
	}
	if (!args_number(argv[i], &n)) {
		builtin_error(sh, "%s: numeric argument required", argv[i]);
		*status = 2;
		return true;
	}
	if (i + 1 < argc) {
		builtin_error(sh, "too many arguments");
		*too_many = true;
		return false;
	}
	*status = (int)(n & 255);
	return true;
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
	bool too_many;
	int status;

	if (!may_return(sh)) {
		builtin_error(sh, "can only `return' from a function or sourced script");
		return 2;
	}
	if (!wanted_status(sh, argc, argv, &status, &too_many)) {
		sh->flow = FLOW_DISCARD;
		return 1;
	}
	sh->flow = FLOW_RETURN;
	return status;
}

int builtin_exit(struct shell *sh, int argc, char **argv)
{
	bool too_many;
	int status;

	if (!wanted_status(sh, argc, argv, &status, &too_many)) {
		sh->flow = FLOW_DISCARD;
		return 1;
	}
	sh->not_found = false;
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
