/* trap.c - the trap builtin. */
#include "../syntax/print.h"
#include "args.h"

static void print(struct shell *sh, unsigned which)
{
	const struct vstr *v = trap_shown(sh->st, which);
	const char *name = signal_name((int)which);
	struct str s;

	if (!v || !name || trap_hidden(sh, which))
		return;
	s = print_quoted(&sys_self(sh->p)->arena, str_from(v->s));
	u_puts(&sh->out, "trap -- ");
	u_put(&sh->out, s.ptr, s.len);
	u_printf(&sh->out, " %s%s\n", which > 0 && which < SYS_NSIG ? "SIG" : "", name);
}

static void print_all(struct shell *sh)
{
	for (unsigned i = 0; i < TRAP_COUNT; i++)
		print(sh, i);
}

static void change(struct shell *sh, unsigned which, const struct str *action)
{
	struct proc *p = sh->p;

	if (!action && trap_hidden(sh, which))
		return;
	trap_set(sh->st, which, action);
	if (which == TRAP_EXIT)
		trap_catch_fatal(sh, action && action->len);
	if (which > 0 && which < SYS_NSIG)
		sys_signal(p, (int)which,
		           !action       ? ((sh->trapped & 1) && trap_is_fatal((int)which)
		                                    ? SYS_SIG_CATCH
		                                    : SYS_SIG_DEFAULT)
		           : action->len ? SYS_SIG_CATCH
		                         : SYS_SIG_IGNORE);
	trap_now_set(sh, which);
}

static bool all_digits(const char *s)
{
	const char *at = s;

	while (ascii_digit((unsigned char)*at))
		at++;
	return at > s && *at == '\0';
}

int builtin_trap(struct shell *sh, int argc, char **argv)
{
	bool show = false;
	struct str action, *what = NULL;
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "lp")) > 0) {
		if (c == 'l') {
			signals_list(sh);
			return 0;
		}
		show = true;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (!show && a.i < argc)
		traps_show_own(sh->st);
	if (a.i >= argc) {
		print_all(sh);
		return 0;
	}
	if (!show) {
		/* `trap SIGNAL` and `trap N SIGNAL...` reset; so does "-". */
		bool reset = (a.i + 1 == argc && signal_by_name(argv[a.i], true) >= 0) ||
		             all_digits(argv[a.i]);

		if (!reset) {
			if (a.i + 1 == argc) {
				if (signal_by_name(argv[a.i], true) < 0 && !streq(argv[a.i], "-")) {
					builtin_usage(sh);
					return USAGE_STATUS;
				}
				return builtin_usage(sh);
			}
			action = str_from(argv[a.i]);
			if (!streq(argv[a.i], "-"))
				what = &action;
			a.i++;
		}
	}
	for (; a.i < argc; a.i++) {
		int sig = signal_by_name(argv[a.i], true);

		if (sig < 0) {
			builtin_error(sh, "%s: invalid signal specification", argv[a.i]);
			status = 1;
		} else if (show) {
			print(sh, (unsigned)sig);
		} else {
			change(sh, (unsigned)sig, what);
		}
	}
	return status;
}
