/* config.c - nacre_config: settings that are checked as they are given. */
#include "api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int config_fail(nacre_config *cfg, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(cfg->error, sizeof(cfg->error), format, ap);
	va_end(ap);
	return code;
}

int config_done(nacre_config *cfg)
{
	cfg->error[0] = '\0';
	return 0;
}

int config_no_memory(nacre_config *cfg)
{
	return config_fail(cfg, -NACRE_ENOMEM, "out of memory");
}

/* ---- Settings --------------------------------------------------------------------- */

static void free_strings(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

static void settings_free(struct settings *s)
{
	for (size_t i = 0; i < s->nmounts; i++) {
		free(s->mounts[i].host);
		free(s->mounts[i].at);
	}
	for (size_t i = 0; i < s->ndenies; i++)
		free(s->denies[i].pattern);
	for (size_t i = 0; i < s->ncommands; i++) {
		free(s->commands[i].name);
		free(s->commands[i].summary);
	}
	free(s->mounts);
	free(s->denies);
	free(s->commands);
	free_strings(s->env);
	free_strings(s->without);
	free_strings(s->allow);
	free(s->cwd);
	free(s->spill);
	js_globals_put(s->js);
	free(s);
}

struct settings *settings_get(struct settings *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void settings_put(struct settings *s)
{
	if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
		settings_free(s);
}

/* A copy of `*v` (n elements of `size` bytes) with room for one more. */
static void *copied(const void *v, size_t n, size_t size)
{
	char *p = calloc(n + 2, size);

	if (p && n)
		memcpy(p, v, n * size);
	return p;
}

static char **copied_strings(char **v, size_t n)
{
	char **p = calloc(n + 2, sizeof(*p));

	for (size_t i = 0; p && i < n; i++)
		if (!(p[i] = strdup(v[i]))) {
			free_strings(p);
			return NULL;
		}
	return p;
}

static size_t count(char **v)
{
	size_t n = 0;

	while (v && v[n])
		n++;
	return n;
}

/* Everything with its own strings, and one free place at the end of each list. */
static struct settings *settings_copy(const struct settings *from)
{
	struct settings *s = malloc(sizeof(*s));
	bool ok;

	if (!s)
		return NULL;
	*s = *from;
	atomic_init(&s->refs, 1);
	s->mounts = copied(from->mounts, from->nmounts, sizeof(*s->mounts));
	s->denies = copied(from->denies, from->ndenies, sizeof(*s->denies));
	s->commands = copied(from->commands, from->ncommands, sizeof(*s->commands));
	s->env = copied_strings(from->env, count(from->env));
	s->without = copied_strings(from->without, from->nwithout);
	s->allow = from->allow ? copied_strings(from->allow, count(from->allow)) : NULL;
	s->cwd = strdup(from->cwd);
	s->spill = from->spill ? strdup(from->spill) : NULL;
	s->js = js_globals_get(from->js);
	ok = s->mounts && s->denies && s->commands && s->env && s->without && s->cwd && !s->allow == !from->allow &&
	     !s->spill == !from->spill;
	for (size_t i = 0; s->mounts && i < s->nmounts; i++) {
		s->mounts[i].host = strdup(from->mounts[i].host);
		s->mounts[i].at = strdup(from->mounts[i].at);
		ok = ok && s->mounts[i].host && s->mounts[i].at;
	}
	for (size_t i = 0; s->denies && i < s->ndenies; i++) {
		s->denies[i].pattern = strdup(from->denies[i].pattern);
		ok = ok && s->denies[i].pattern;
	}
	for (size_t i = 0; s->commands && i < s->ncommands; i++) {
		struct api_command *c = &s->commands[i];

		c->name = strdup(from->commands[i].name);
		c->summary = strdup(from->commands[i].summary);
		c->cmd.name = c->name;
		c->cmd.summary = c->summary;
		ok = ok && c->name && c->summary;
	}
	if (!ok) {
		s->nmounts = s->mounts ? s->nmounts : 0;
		s->ndenies = s->denies ? s->ndenies : 0;
		s->ncommands = s->commands ? s->ncommands : 0;
		settings_free(s);
		return NULL;
	}
	return s;
}

/* The settings to change: the config's own, or a copy that becomes its own. */
struct settings *config_writable(nacre_config *cfg)
{
	struct settings *s = settings_copy(cfg->now);

	if (s) {
		settings_put(cfg->now);
		cfg->now = s;
	}
	return s;
}

/* ---- Life --------------------------------------------------------------------------- */

static const char *const default_env[] = {
	"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/user", "USER=user", "LOGNAME=user", "SHELL=/bin/bash",
	"LANG=C.UTF-8", "TERM=dumb", "TMPDIR=/tmp", "HOSTNAME=nacre",
};

bool config_is_default_env(const char *entry)
{
	for (size_t i = 0; i < COUNTOF(default_env); i++)
		if (streq(default_env[i], entry))
			return true;
	return false;
}

nacre_config *nacre_config_new(void)
{
	static const struct settings none = {.persist = true, .cwd = (char *)(uintptr_t) "/workspace"};
	nacre_config *cfg = calloc(1, sizeof(*cfg));
	struct settings *s = cfg ? settings_copy(&none) : NULL;

	if (!s) {
		free(cfg);
		return NULL;
	}
	cfg->now = s;
	s->limits[NACRE_LIMIT_WALL_NS] = (uint64_t)30 * 1000000000;
	s->limits[NACRE_LIMIT_MEMORY] = (uint64_t)512 << 20;
	s->limits[NACRE_LIMIT_PROCS] = 1024;
	s->limits[NACRE_LIMIT_FILES] = 1024;
	s->limits[NACRE_LIMIT_OUTPUT] = (uint64_t)4 << 20;
	s->limits[NACRE_LIMIT_TIMEOUT_STATUS] = 124;
	free_strings(s->env);
	s->env = calloc(COUNTOF(default_env) + 1, sizeof(*s->env));
	for (size_t i = 0; s->env && i < COUNTOF(default_env); i++)
		if (!(s->env[i] = strdup(default_env[i]))) {
			nacre_config_free(cfg);
			return NULL;
		}
	if (!s->env) {
		nacre_config_free(cfg);
		return NULL;
	}
	return cfg;
}

void nacre_config_free(nacre_config *cfg)
{
	if (!cfg)
		return;
	settings_put(cfg->now);
	free(cfg);
}

const char *nacre_config_error(const nacre_config *cfg)
{
	return cfg->error;
}

/* ---- Setting ------------------------------------------------------------------------- */

/* "/a/b": absolute, no empty, "." or ".." component, no slash at the end. */
bool config_is_clean(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *s = path; *s;) {
		size_t n = strcspn(++s, "/");

		if (n == 0 || (n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
			return false;
		s += n;
	}
	return true;
}

static void *memory_get(struct memory *m, size_t n)
{
	(void)m;
	return malloc(n);
}

static void memory_put(struct memory *m, void *p, size_t n)
{
	(void)m;
	(void)n;
	free(p);
}

/* Why a deny pattern is malformed, NULL when it is not: what a policy says of it. */
static const char *pattern_fault(const char *pattern)
{
	struct memory memory = {memory_get, memory_put};
	struct quota q = {.memory = &memory};
	struct policy *policy = policy_new(&q);
	const char *why = NULL;
	int e = policy ? policy_deny(policy, pattern, POLICY_READ, &why) : -NACRE_ENOMEM;

	if (policy)
		policy_put(policy);
	return e == 0 ? NULL : e == -NACRE_ENOMEM || !why ? "out of memory" : why;
}

int nacre_config_deny(nacre_config *cfg, const char *pattern, unsigned access)
{
	static const char *const names[] = {"", "deny_read", "deny_write", "deny"};
	struct settings *s;
	size_t before = 0;
	const char *why = pattern_fault(pattern ? pattern : "");

	if (why)
		return config_fail(cfg, -NACRE_EINVAL, "%s", why);
	if (!access || access > (NACRE_ACCESS_READ | NACRE_ACCESS_WRITE))
		return config_fail(cfg, -NACRE_EINVAL, "unknown access");
	s = config_writable(cfg);
	if (!s || !(s->denies[s->ndenies].pattern = strdup(pattern)))
		return config_no_memory(cfg);
	for (size_t i = 0; i < s->ndenies; i++)
		before += s->denies[i].access == access;
	snprintf(s->denies[s->ndenies].id, sizeof(s->denies->id), "%s[%zu]", names[access], before);
	s->denies[s->ndenies++].access = access;
	return config_done(cfg);
}

int nacre_config_on_denial(nacre_config *cfg, void (*on_denial)(void *payload, nacre_sandbox *sb, const nacre_denial *d),
			   void *payload)
{
	struct settings *s = config_writable(cfg);

	if (!s)
		return config_no_memory(cfg);
	s->on_denial = on_denial;
	s->denial_payload = payload;
	return config_done(cfg);
}

int nacre_config_clear_env(nacre_config *cfg)
{
	struct settings *s = config_writable(cfg);

	if (!s)
		return config_no_memory(cfg);
	for (size_t i = 0; s->env[i]; i++) {
		free(s->env[i]);
		s->env[i] = NULL;
	}
	return config_done(cfg);
}

int nacre_config_env(nacre_config *cfg, const char *name, const char *value)
{
	size_t len = name ? strlen(name) : 0, n, at;
	struct settings *s;
	char *text = NULL;

	if (!len || strchr(name, '='))
		return config_fail(cfg, -NACRE_EINVAL, "a variable's name is not empty and has no '='");
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	n = count(s->env);
	for (at = 0; at < n; at++)
		if (strncmp(s->env[at], name, len) == 0 && s->env[at][len] == '=')
			break;
	if (value) {
		text = malloc(len + strlen(value) + 2);
		if (!text)
			return config_no_memory(cfg);
		memcpy(text, name, len);
		text[len] = '=';
		strcpy(text + len + 1, value);
	}
	if (at < n) {
		free(s->env[at]);
		s->env[at] = text ? text : s->env[n - 1];
		if (!text)
			s->env[n - 1] = NULL;
	} else {
		s->env[n] = text;
	}
	return config_done(cfg);
}

int nacre_config_cwd(nacre_config *cfg, const char *path)
{
	struct settings *s;
	char *copy;

	if (!path || (!config_is_clean(path) && !streq(path, "/")))
		return config_fail(cfg, -NACRE_EINVAL, "the directory must be an absolute path without . or .. and without a slash at its end");
	s = config_writable(cfg);
	copy = strdup(path);
	if (!s || !copy) {
		free(copy);
		return config_no_memory(cfg);
	}
	free(s->cwd);
	s->cwd = copy;
	return config_done(cfg);
}

int nacre_config_limit(nacre_config *cfg, enum nacre_limit which, uint64_t value)
{
	struct settings *s;

	if ((unsigned)which >= NACRE_LIMIT_COUNT_)
		return config_fail(cfg, -NACRE_EINVAL, "unknown limit");
	if (which == NACRE_LIMIT_OUTPUT && value == 0)
		return config_fail(cfg, -NACRE_EINVAL, "the output limit must be above 0");
	if (which == NACRE_LIMIT_TIMEOUT_STATUS && (value == 0 || value > 255))
		return config_fail(cfg, -NACRE_EINVAL, "an exit status is between 1 and 255");
	if ((which == NACRE_LIMIT_PROCS || which == NACRE_LIMIT_FILES) && value > 1000000)
		return config_fail(cfg, -NACRE_EINVAL, "at most 1000000");
	if (which == NACRE_LIMIT_FILES && value && value < 3)
		return config_fail(cfg, -NACRE_EINVAL, "a process needs at least 3 open files: its input, its output and its errors");
	if (which == NACRE_LIMIT_MEMORY && value && value < ((uint64_t)1 << 20))
		return config_fail(cfg, -NACRE_EINVAL, "a sandbox needs at least 1 MiB of memory");
	if (which == NACRE_LIMIT_JQ_NESTING && value > 10000)
		return config_fail(cfg, -NACRE_EINVAL, "JSON may be nested at most 10000 deep");
	if (which == NACRE_LIMIT_WALL_NS && value > INT64_MAX)
		return config_fail(cfg, -NACRE_EINVAL, "the time is too long");
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	s->limits[which] = value;
	s->limits_given |= 1u << which;
	return config_done(cfg);
}

uint64_t nacre_config_limit_get(const nacre_config *cfg, enum nacre_limit which, bool *given)
{
	bool known = (unsigned)which < NACRE_LIMIT_COUNT_;

	if (given)
		*given = known && (cfg->now->limits_given >> which & 1);
	return known ? cfg->now->limits[which] : 0;
}

int nacre_config_keep(nacre_config *cfg, enum nacre_keep keep)
{
	struct settings *s;

	if ((unsigned)keep > NACRE_KEEP_BOTH)
		return config_fail(cfg, -NACRE_EINVAL, "unknown part to keep");
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	s->keep = keep;
	return config_done(cfg);
}

int nacre_config_records(nacre_config *cfg, uint32_t most)
{
	struct settings *s;

	if (most > 100000)
		return config_fail(cfg, -NACRE_EINVAL, "at most 100000");
	s = config_writable(cfg);
	if (!s)
		return config_no_memory(cfg);
	s->records = most;
	return config_done(cfg);
}

int nacre_config_spill(nacre_config *cfg, const char *dir, uint64_t max)
{
	char *copy = dir ? strdup(dir) : NULL;
	struct settings *s;

	if (dir && (!*dir || !max)) {
		free(copy);
		return config_fail(cfg, -NACRE_EINVAL, "a directory and a size above 0 are needed");
	}
	s = config_writable(cfg);
	if (!s || (dir && !copy)) {
		free(copy);
		return config_no_memory(cfg);
	}
	free(s->spill);
	s->spill = copy;
	s->spill_max = max;
	return config_done(cfg);
}

int nacre_config_persist(nacre_config *cfg, bool persist)
{
	struct settings *s = config_writable(cfg);

	if (!s)
		return config_no_memory(cfg);
	s->persist = persist;
	return config_done(cfg);
}

int nacre_config_rollback(nacre_config *cfg, bool rollback)
{
	struct settings *s = config_writable(cfg);

	if (!s)
		return config_no_memory(cfg);
	s->rollback = rollback;
	return config_done(cfg);
}

int nacre_config_deterministic(nacre_config *cfg, uint64_t seed, int64_t start_ns)
{
	struct settings *s = config_writable(cfg);

	if (!s)
		return config_no_memory(cfg);
	s->deterministic = true;
	s->seed = seed;
	s->start_ns = start_ns;
	return config_done(cfg);
}
