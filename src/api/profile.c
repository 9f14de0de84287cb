/* profile.c - named sets of rules: what a profile takes away is data, in one table. */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

#include "../shell/syntax/feature.h"

#define BIT(id) FEATURE_BIT(id)

#define SUBSET_REFUSES                                                                                                     \
	(BIT(GLOB) | BIT(EXTGLOB) | BIT(BRACE) | BIT(TILDE) | BIT(COMSUB) | BIT(BACKQUOTE) | BIT(PROCSUB) | BIT(ARITH) |       \
	 BIT(POSITIONAL) | BIT(SPECIAL) | BIT(PARAM_OP) | BIT(ANSI) | BIT(LOCALE) | BIT(APPEND) | BIT(ARRAY) | BIT(HEREDOC) |  \
	 BIT(HERESTRING) | BIT(RDWR) | BIT(DUP) | BIT(FD) | BIT(CLOBBER) | BIT(PIPE_BOTH) | BIT(BACKGROUND) | BIT(NEGATE) |    \
	 BIT(TIME) | BIT(SUBSHELL) | BIT(GROUP) | BIT(IF) | BIT(LOOP) | BIT(CFOR) | BIT(CASE) | BIT(SELECT) | BIT(FUNCTION) |  \
	 BIT(COPROC) | BIT(ARITH_COMMAND) | BIT(COND))

#define RESTRICTED_REFUSES                                                                                                 \
	(BIT(EXTGLOB) | BIT(BRACE) | BIT(TILDE) | BIT(PROCSUB) | BIT(ARITH) | BIT(POSITIONAL) | BIT(SPECIAL) | BIT(PARAM_OP) | \
	 BIT(APPEND) | BIT(ARRAY) | BIT(HERESTRING) | BIT(RDWR) | BIT(DUP) | BIT(FD) | BIT(CLOBBER) | BIT(PIPE_BOTH) |         \
	 BIT(BACKGROUND) | BIT(TIME) | BIT(CFOR) | BIT(CASE) | BIT(SELECT) | BIT(FUNCTION) | BIT(COPROC) |                     \
	 BIT(ARITH_COMMAND) | BIT(COND) | BIT(DECLARE))

static const struct profile profiles[] = {
	{.name = "default"},
	{.name = "strict-subset", .refused = SUBSET_REFUSES},
	{.name = "restricted",
	 .refused = RESTRICTED_REFUSES | BIT(FILE_OUT),
	 .no_commands = true,
	 .no_paths = true,
	 .no_env = true,
	 .read_only = true,
	 .guard_links = true,
	 .run_clock = true,
	 .source = 5u << 20,
	 .expansion = 1u << 20,
	 .output = 10u << 20},
	{.name = "remediation",
	 .refused = RESTRICTED_REFUSES,
	 .no_commands = true,
	 .no_paths = true,
	 .no_env = true,
	 .guard_links = true,
	 .run_clock = true,
	 .source = 5u << 20,
	 .expansion = 1u << 20,
	 .output = 10u << 20},
};

const struct profile *profile_of(const struct settings *s)
{
	return s->profile ? s->profile : &profiles[0];
}

static void drop_default_env(struct settings *s)
{
	size_t k = 0, n = 0;

	for (; s->env[n]; n++) {
		if (config_is_default_env(s->env[n]))
			free(s->env[n]);
		else
			s->env[k++] = s->env[n];
	}
	while (k < n)
		s->env[k++] = NULL;
}

static void default_limit(struct settings *s, enum nacre_limit which, uint64_t value)
{
	if (value && !(s->limits_given >> which & 1))
		s->limits[which] = value;
}

int nacre_config_profile(nacre_config *cfg, const char *name)
{
	struct settings *s;
	size_t i = 0;

	while (i < COUNTOF(profiles) && !(name && streq(profiles[i].name, name)))
		i++;
	if (i == COUNTOF(profiles))
		return config_fail(cfg, -NACRE_EINVAL, "there is no profile '%s'; there are default, strict-subset, restricted and remediation",
				   name ? name : "");
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	s->profile = &profiles[i];
	s->closed |= profiles[i].no_paths;
	default_limit(s, NACRE_LIMIT_SOURCE, profiles[i].source);
	default_limit(s, NACRE_LIMIT_EXPANSION, profiles[i].expansion);
	default_limit(s, NACRE_LIMIT_OUTPUT, profiles[i].output);
	if (profiles[i].no_env)
		drop_default_env(s);
	if (profiles[i].no_commands && !s->allow && !s->allow_set && !(s->allow = calloc(1, sizeof(*s->allow))))
		return config_no_memory(cfg);
	return config_done(cfg);
}

int nacre_config_refuse_syntax(nacre_config *cfg, const char *feature)
{
	struct settings *s;
	size_t i = 0;

	while (i < FEATURE_COUNT && !(feature && streq(feature_table[i].name, feature)))
		i++;
	if (i == FEATURE_COUNT)
		return config_fail(cfg, -NACRE_EINVAL, "there is no construct called '%s'", feature ? feature : "");
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	s->refused |= (uint64_t)1 << i;
	return config_done(cfg);
}

/* ---- Allowed paths ------------------------------------------------------------------------- */

/* Puts `path` into the variable ALLOWED_PATHS. */
static int tell_path(nacre_config *cfg, const char *path)
{
	static const char name[] = "ALLOWED_PATHS=";
	const char *old = "";
	size_t size;
	char *value;
	int e;

	for (size_t i = 0; cfg->now->env[i]; i++)
		if (strncmp(cfg->now->env[i], name, sizeof(name) - 1) == 0)
			old = cfg->now->env[i] + sizeof(name) - 1;
	size = strlen(old) + strlen(path) + 2;
	value = malloc(size);
	if (!value)
		return config_no_memory(cfg);
	snprintf(value, size, "%s%s%s", old, *old ? ":" : "", path);
	e = nacre_config_env(cfg, "ALLOWED_PATHS", value);
	free(value);
	return e;
}

int nacre_config_allow_path(nacre_config *cfg, const char *path, unsigned flags)
{
	bool first = true;
	int e = nacre_config_mount(cfg, path, path, flags);

	if (e < 0)
		return e;
	for (size_t i = 0; i + 1 < cfg->now->nmounts; i++)
		first &= !cfg->now->mounts[i].optional;
	/* The settings are the config's own since the mount was added. */
	cfg->now->mounts[cfg->now->nmounts - 1].optional = true;
	cfg->now->closed = true;
	e = tell_path(cfg, path);
	if (e == 0 && first && streq(cfg->now->cwd, "/workspace"))
		e = nacre_config_cwd(cfg, path);
	return e;
}
