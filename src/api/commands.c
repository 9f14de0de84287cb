/* commands.c - nacre_config: which commands there are: nacre's own, the host's, those that policy allows. */
#include "api.h"

#include <stdlib.h>

/* Words the shell handles itself: a command of that name could never be called. */
static bool is_shell_word(const char *name)
{
	static const char *const words[] = {
		"alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen", "complete", "compopt", "continue",
		"coproc", "declare", "dirs", "disown", "do", "done", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "fc",
		"fg", "fi", "for", "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout",
		"mapfile", "popd", "pushd", "read", "readarray", "readonly", "return", "select", "set", "shift", "shopt", "source", "suspend",
		"then", "time", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while",
	};

	for (size_t i = 0; i < COUNTOF(words); i++)
		if (streq(words[i], name))
			return true;
	return false;
}

int nacre_config_command(nacre_config *cfg, const nacre_command *cmd)
{
	struct api_command *c;
	struct settings *s;

	if (!cmd || cmd->size < sizeof(*cmd) || !cmd->run)
		return config_fail(cfg, -NACRE_EINVAL, "a command needs its size and a run function");
	if (!cmd->name || !ascii_alnum(cmd->name[0]) ||
	    cmd->name[strspn(cmd->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-")])
		return config_fail(cfg, -NACRE_EINVAL, "a command's name is letters, digits, '_', '.' and '-', a letter or digit first");
	if (!cmd->summary || !*cmd->summary)
		return config_fail(cfg, -NACRE_EINVAL, "command %s needs a summary", cmd->name);
	if (registry_has(cmd->name) || is_shell_word(cmd->name))
		return config_fail(cfg, -NACRE_EEXIST, "%s is a command of nacre's own", cmd->name);
	for (size_t i = 0; i < cfg->now->ncommands; i++)
		if (streq(cfg->now->commands[i].name, cmd->name))
			return config_fail(cfg, -NACRE_EEXIST, "there is a command %s already", cmd->name);
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	c = &s->commands[s->ncommands];
	*c = (struct api_command){strdup(cmd->name), strdup(cmd->summary), *cmd};
	c->cmd.name = c->name;
	c->cmd.summary = c->summary;
	s->ncommands++;
	return c->name && c->summary ? config_done(cfg) : config_no_memory(cfg);
}

static bool is_command_name(const char *name)
{
	return name[0] && !strpbrk(name, "/:= \t\n");
}

/* Those of `names` that the list so far has, too. */
static char **intersection(char **former, const char *const *names)
{
	size_t n = 0, k = 0;
	char **v;

	while (names[n])
		n++;
	v = calloc(n + 1, sizeof(*v));
	for (size_t i = 0; v && i < n; i++) {
		const char *name = strncmp(names[i], "rshell:", 7) == 0 ? names[i] + 7 : names[i];
		bool in = !former;

		for (size_t j = 0; former && former[j]; j++)
			in |= streq(former[j], name);
		if (in && !(v[k++] = strdup(name))) {
			for (size_t j = 0; j < k; j++)
				free(v[j]);
			free(v);
			return NULL;
		}
	}
	return v;
}

int nacre_config_allow_all_commands(nacre_config *cfg)
{
	struct settings *s = config_writable(cfg);

	if (!s)
		return config_no_memory(cfg);
	for (size_t i = 0; s->allow && s->allow[i]; i++)
		free(s->allow[i]);
	free(s->allow);
	s->allow = NULL;
	s->allow_set = true;
	return config_done(cfg);
}

int nacre_config_allow_commands(nacre_config *cfg, const char *const *names)
{
	struct settings *s;
	char **v, **former;

	for (size_t i = 0; names && names[i]; i++) {
		const char *colon = strchr(names[i], ':'), *name = colon ? colon + 1 : names[i];

		if (colon && (colon - names[i] != 6 || strncmp(names[i], "rshell", 6) != 0))
			return config_fail(cfg, -NACRE_EINVAL, "'%s': the only namespace is \"rshell:\"", names[i]);
		if (!is_command_name(name))
			return config_fail(cfg, -NACRE_EINVAL, "'%s' is not a command's name", names[i]);
	}
	if (!names)
		return config_fail(cfg, -NACRE_EINVAL, "a list of commands is needed");
	s = config_writable(cfg);
	v = s ? intersection(s->allow_set ? s->allow : NULL, names) : NULL;
	if (!v)
		return config_no_memory(cfg);
	former = s->allow;
	s->allow = v;
	s->allow_set = true;
	for (size_t i = 0; former && former[i]; i++)
		free(former[i]);
	free(former);
	return config_done(cfg);
}

int nacre_config_without_command(nacre_config *cfg, const char *name)
{
	struct settings *s;

	if (!name || !registry_has(name))
		return config_fail(cfg, -NACRE_ENOENT, "there is no command %s", name ? name : "");
	s = config_writable(cfg);
	if (!s || !(s->without[s->nwithout] = strdup(name)))
		return config_no_memory(cfg);
	s->nwithout++;
	return config_done(cfg);
}

const char *nacre_config_command_name(const nacre_config *cfg, size_t i, const char **summary)
{
	size_t n;
	struct program *v = registry_table(cfg->now, &n);
	const char *name = v && i < n ? v[i].name : NULL;

	if (name && summary)
		*summary = registry_summary(&v[i]);
	free(v);
	return name;
}
