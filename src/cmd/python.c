/*
 * python.c - python3 and python: CPython, in a cage.
 *
 * Most runs start from the image of an interpreter that is up already. What can only be chosen before
 * that (-O, -X, PYTHONHASHSEED and the like) makes it a cold one, which starts as `python3` does.
 */
#include "../guest/guest.h"
#include "cmd.h"

/* Does the image fit the command line? The options that CPython can take later; -c ends them. */
static bool options_fit(const struct cmd_args *a)
{
	for (int i = 0; i < a->argc && a->argv[i][0] == '-' && a->argv[i][1]; i++)
		for (const char *s = a->argv[i] + 1; *s; s++) {
			if (*s == 'c')
				return true;
			if (!strchr("uBqsEPIi", *s))
				return false;
		}
	return true;
}

static bool environment_fits(struct proc *p)
{
	static const char *const later[] = {"PYTHONPATH=", "PYTHONUNBUFFERED=", "PYTHONDONTWRITEBYTECODE="};

	for (char **e = sys_self(p)->env; e && *e; e++) {
		bool fits = strncmp(*e, "PYTHON", 6) != 0;

		for (size_t i = 0; i < COUNTOF(later); i++)
			fits |= strncmp(*e, later[i], strlen(later[i])) == 0;
		if (!fits)
			return false;
	}
	return true;
}

static int python_main(struct proc *p, const struct cmd_args *a)
{
	return guest_command(p, a, &guest_code_python, !options_fit(a) || !environment_fits(p));
}

#define PYTHON(command)                                                                            \
	{                                                                                          \
		.name = command,                                                                   \
		.summary = "run a Python program",                                                 \
		.synopsis = "[OPTION]... [-c CMD | -m MOD | FILE | -] [ARG]...",                   \
		.description = "CPython 3.13 with its standard library, zlib and SQLite.",         \
		.raw = true, .no_help = true, .stack_size = 16u << 20, .main = python_main,        \
	}

const struct cmd cmd_python = PYTHON("python");
const struct cmd cmd_python3 = PYTHON("python3");
