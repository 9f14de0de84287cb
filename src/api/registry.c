/* registry.c - which programs there are: the commands, the shell, and a configuration's own. */
#include "api.h"

#include <stdlib.h>

#include "../shell/shell.h"
#include "../user/cmd.h"

static const struct shell_config root_shell[] = {
	[NACRE_SCRIPT_COMMAND] = {.root = true},
	[NACRE_SCRIPT_FILE] = {.root = true, .is_file = true},
	[NACRE_SCRIPT_STDIN] = {.root = true, .is_stdin = true},
};

const struct program registry_root_shell[] = {
	[NACRE_SCRIPT_COMMAND] = {.name = "bash", .main = shell_main, .data = &root_shell[NACRE_SCRIPT_COMMAND]},
	[NACRE_SCRIPT_FILE] = {.name = "bash", .main = shell_main, .data = &root_shell[NACRE_SCRIPT_FILE]},
	[NACRE_SCRIPT_STDIN] = {.name = "bash", .main = shell_main, .data = &root_shell[NACRE_SCRIPT_STDIN]},
};

const struct program registry_save_shell = {.name = "save", .main = shell_save_main};
const struct program registry_load_shell = {.name = "load", .main = shell_load_main};

static const struct program shells[] = {{.name = "bash", .main = shell_main},
					{.name = "sh", .main = shell_main}};

/* The next one in the order of names, of the commands and the shells: both tables are in it (tests/api/test_commands.c
 * sees that they are). A command is made a program on the fly: a table of programs would be writable data. */
struct position {
	size_t shell, cmd;
};

static bool next(struct position *at, struct program *p)
{
	const struct program *shell = at->shell < COUNTOF(shells) ? &shells[at->shell] : NULL;
	const struct cmd *cmd = at->cmd < cmd_table_size ? cmd_table[at->cmd] : NULL;

	if (shell && (!cmd || strcmp(shell->name, cmd->name) < 0)) {
		*p = *shell;
		at->shell++;
		return true;
	}
	if (!cmd)
		return false;
	*p = (struct program){.name = cmd->name, .main = cmd_run, .data = cmd, .stack_size = cmd->stack_size};
	at->cmd++;
	return true;
}

const char *registry_summary(const struct program *p)
{
	if (p->main == shell_main)
		return "the shell";
	if (p->main == invocation_main)
		return ((const struct api_command *)p->data)->summary;
	return ((const struct cmd *)p->data)->summary;
}

bool registry_has(const char *name)
{
	for (size_t i = 0; i < COUNTOF(shells); i++)
		if (streq(shells[i].name, name))
			return true;
	for (size_t i = 0; i < cmd_table_size; i++)
		if (streq(cmd_table[i]->name, name))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct program *)a)->name, ((const struct program *)b)->name);
}

static bool is_in(char *const *v, const char *name)
{
	for (size_t i = 0; v && v[i]; i++)
		if (streq(v[i], name))
			return true;
	return false;
}

/* Every program of these settings, whether allowed or not. */
static struct program *all(const struct settings *s, size_t *n)
{
	struct program *v = calloc(cmd_table_size + COUNTOF(shells) + s->ncommands + 1, sizeof(*v)), p;
	struct position at = {0, 0};

	*n = 0;
	while (v && next(&at, &p))
		if (!is_in(s->without, p.name))
			v[(*n)++] = p;
	for (size_t i = 0; v && i < s->ncommands; i++)
		v[(*n)++] = (struct program){.name = s->commands[i].name, .main = invocation_main, .data = &s->commands[i]};
	if (v && s->ncommands)
		qsort(v, *n, sizeof(*v), by_name);
	return v;
}

/* Those of them that the list of allowed commands has, or those that it has not. */
static struct program *filtered(const struct settings *s, bool allowed, size_t *n)
{
	struct program *v = allowed || s->allow ? all(s, n) : calloc(1, sizeof(*v));
	size_t k = 0;

	if (!allowed && !s->allow)
		*n = 0;

	for (size_t i = 0; v && i < *n; i++)
		if ((!s->allow || is_in(s->allow, v[i].name)) == allowed)
			v[k++] = v[i];
	*n = k;
	return v;
}

struct program *registry_table(const struct settings *s, size_t *n)
{
	return filtered(s, true, n);
}

/* Builtins that only direct the shell are always there. */
static bool is_control(const char *name)
{
	static const char *const names[] = {":", "break", "continue", "exit", "help"};

	for (size_t i = 0; i < COUNTOF(names); i++)
		if (streq(names[i], name))
			return true;
	return false;
}

/* Builtins that are the shell's alone and not listed. */
static size_t add_builtins(const struct settings *s, struct program *v, size_t n)
{
	const char *name;

	for (size_t i = 0; (name = shell_builtin_name(i)) != NULL; i++)
		if (!registry_has(name) && !is_in(s->allow, name) && !is_control(name))
			v[n++] = (struct program){.name = name};
	return n;
}

struct program *registry_refused(const struct settings *s, size_t *n)
{
	struct program *v = filtered(s, false, n), *more;
	size_t nbuiltins = 0;

	if (!v || !s->allow || !profile_of(s)->no_commands)
		return v;
	while (shell_builtin_name(nbuiltins))
		nbuiltins++;
	more = realloc(v, (*n + nbuiltins + 1) * sizeof(*v));
	if (!more) {
		free(v);
		return NULL;
	}
	*n = add_builtins(s, more, *n);
	qsort(more, *n, sizeof(*more), by_name);
	return more;
}
