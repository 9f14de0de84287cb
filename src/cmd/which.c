/* which.c - where a command would be found. */
#include "cmd.h"

static bool is_program(struct proc *p, const char *path)
{
	struct sys_stat st;

	return sys_stat(p, path, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE &&
	       sys_access(p, path, SYS_X_OK) == 0;
}

/* Prints where the program is, first or all; false when it is nowhere. */
static bool find(struct proc *p, const char *name, bool all)
{
	const char *path = u_getenv(p, "PATH");
	bool found = false;

	if (strchr(name, '/')) {
		if (is_program(p, name))
			u_printf(u_stdout(p), "%s\n", name);
		return is_program(p, name);
	}
	/* An empty element is the working directory. */
	while (path) {
		size_t n = strcspn(path, ":");
		const char *file = n ? u_format(p, "%.*s/%s", (int)n, path, name) : u_format(p, "./%s", name);

		if (is_program(p, file)) {
			u_printf(u_stdout(p), "%s\n", file);
			found = true;
			if (!all)
				break;
		}
		path = path[n] ? path + n + 1 : NULL;
	}
	return found;
}

static int which_main(struct proc *p, const struct cmd_args *a)
{
	bool all = false, missing = a->argc == 0;
	int i = 0;

	for (; i < a->argc && a->argv[i][0] == '-' && a->argv[i][1]; i++) {
		if (streq(a->argv[i], "--")) {
			i++;
			break;
		}
		for (const char *s = a->argv[i] + 1; *s; s++) {
			if (*s != 'a') {
				struct u_buf b;

				u_buf_init(&b, p, 0);
				u_buf_printf(&b, "Illegal option -%c\n", *s);
				u_write_all(p, 2, b.ptr, b.len);
				u_puts(u_stdout(p), "Usage: /usr/bin/which [-a] args\n");
				return 2;
			}
			all = true;
		}
	}
	missing |= i == a->argc;
	for (; i < a->argc; i++)
		missing |= !find(p, a->argv[i], all);
	return missing;
}

static const struct cmd_example which_examples[] = {
	{"which nothing-of-that-name || echo none", "none\n"},
};

const struct cmd cmd_which = {
	.name = "which",
	.summary = "print the path of each program, as PATH finds it",
	.synopsis = "[-a] args",
	.description = "  -a    print all of them, not only the first",
	.raw = true,
	.main = which_main,
	.examples = which_examples,
	.nexamples = COUNTOF(which_examples),
};
