/* policyfile.c - a policy written as JSON, made into settings; docs/policy.md is its schema.
 *
 * Each key has one line in a table: its name and the function that takes its value. All of it is set on a
 * copy of the configuration, which replaces the configuration only when nothing was wrong. */
#include "json.h"

#include "api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct reading {
	nacre_config cfg;	/* the copy */
	const char *file;
	char key[160];		/* where we are: "mounts[2].host" */
	char *error;		/* API_ERROR_MAX bytes */
};

struct key {
	const char *name;
	int (*take)(struct reading *r, const struct json *v);
};

static int PRINTF(3, 4) wrong(struct reading *r, const struct json *v, const char *format, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof(what), format, ap);
	va_end(ap);
	snprintf(r->error, API_ERROR_MAX, "%s:%u: %s%s%s", r->file, v->line, r->key, *r->key ? ": " : "", what);
	return -NACRE_EINVAL;
}

/* What a setter of the configuration found. */
static int set(struct reading *r, const struct json *v, int result)
{
	if (result == -NACRE_ENOMEM) {
		snprintf(r->error, API_ERROR_MAX, "out of memory");
		return result;
	}
	return result < 0 ? wrong(r, v, "%s", r->cfg.error) : 0;
}

static int want(struct reading *r, const struct json *v, enum json_kind kind)
{
	return v->kind == kind ? 0 : wrong(r, v, "%s is wanted, not %s", json_kind_name(kind), json_kind_name(v->kind));
}

/* ---- Going down ------------------------------------------------------------------------- */

static size_t enter(struct reading *r, const char *name, size_t index)
{
	size_t n = strlen(r->key);

	if (name)
		snprintf(r->key + n, sizeof(r->key) - n, "%s%s", n ? "." : "", name);
	else
		snprintf(r->key + n, sizeof(r->key) - n, "[%zu]", index);
	return n;
}

static int each_item(struct reading *r, const struct json *v, int (*take)(struct reading *r, const struct json *v))
{
	int e = want(r, v, JSON_ARRAY);
	size_t i = 0;

	for (const struct json *m = v->first; m && e == 0; m = m->next) {
		size_t n = enter(r, NULL, i++);

		e = take(r, m);
		r->key[n] = '\0';
	}
	return e;
}

static int each_key(struct reading *r, const struct json *v, const struct key *keys, size_t nkeys)
{
	int e = want(r, v, JSON_OBJECT);

	for (const struct json *m = v->first; m && e == 0; m = m->next) {
		size_t n = enter(r, m->name, 0), i = 0;

		while (i < nkeys && !streq(keys[i].name, m->name))
			i++;
		e = i < nkeys ? keys[i].take(r, m) : wrong(r, m, "unknown key");
		r->key[n] = '\0';
	}
	return e;
}

static int take_bool(struct reading *r, const struct json *v, bool *out)
{
	if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
		return wrong(r, v, "true or false is wanted, not %s", json_kind_name(v->kind));
	*out = v->kind == JSON_TRUE;
	return 0;
}

/* A member of an object; *out stays when it is not there. */
static int member(struct reading *r, const struct json *object, const char *name,
		  int (*take)(struct reading *r, const struct json *v, void *out), void *out)
{
	const struct json *v = json_get(object, name);
	size_t n = v ? enter(r, name, 0) : 0;
	int e = v ? take(r, v, out) : 0;

	if (v)
		r->key[n] = '\0';
	return e;
}

static int take_text(struct reading *r, const struct json *v, void *out)
{
	*(const char **)out = v->text;
	return want(r, v, JSON_STRING);
}

static int only(struct reading *r, const struct json *object, const char *const *names)
{
	for (const struct json *m = object->first; m; m = m->next) {
		size_t i = 0;

		while (names[i] && !streq(names[i], m->name))
			i++;
		if (!names[i]) {
			enter(r, m->name, 0);
			return wrong(r, m, "unknown key");
		}
	}
	return 0;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* 4096, "64K", "512MiB", "1G". */
static int take_size(struct reading *r, const struct json *v, void *out)
{
	static const char letters[] = "KMG";
	const char *s = v->text, *hit;
	uint64_t n = 0;

	if (json_u64(v, out))
		return 0;
	if (v->kind != JSON_STRING || !ascii_digit((unsigned char)*s))
		return wrong(r, v, "a number of bytes is wanted, or a text such as \"64K\", \"512M\" or \"1G\"");
	for (; ascii_digit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) || __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return wrong(r, v, "too large");
	hit = *s ? strchr(letters, ascii_toupper((unsigned char)*s)) : NULL;
	if (hit) {
		unsigned shift = 10 * (unsigned)(hit - letters + 1);

		if (n > UINT64_MAX >> shift)
			return wrong(r, v, "too large");
		n <<= shift;
		s++;
		s += strncmp(s, "iB", 2) == 0 ? 2 : *s == 'B';
	}
	if (*s)
		return wrong(r, v, "a number of bytes is wanted, or a text such as \"64K\", \"512M\" or \"1G\"");
	*(uint64_t *)out = n;
	return 0;
}

/* "500ms", "30s", "1m", "2h"; a number: seconds. */
static int take_time(struct reading *r, const struct json *v, void *out)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ms", 1000000}, {"s", 1000000000}, {"m", 60000000000u}, {"h", 3600000000000u}};
	const char *s = v->text;
	uint64_t n = 0, ns = 0;
	bool number = json_u64(v, &n);

	if (!number && (v->kind != JSON_STRING || !ascii_digit((unsigned char)*s)))
		return wrong(r, v, "a time is wanted, such as \"500ms\", \"30s\" or \"1m\", or a number of seconds");
	if (number) {
		ns = 1000000000;
	} else {
		for (; ascii_digit((unsigned char)*s); s++)
			if (__builtin_mul_overflow(n, (uint64_t)10, &n) || __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
				return wrong(r, v, "too long");
		for (size_t i = 0; i < COUNTOF(units); i++)
			if (streq(units[i].name, s))
				ns = units[i].ns;
		if (!ns && !(n == 0 && !*s))
			return wrong(r, v, "a time is wanted, such as \"500ms\", \"30s\" or \"1m\", or a number of seconds");
	}
	return __builtin_mul_overflow(n, ns, (uint64_t *)out) ? wrong(r, v, "too long") : 0;
}

/* A time of work, in the ticks that are counted. */
static int take_ticks(struct reading *r, const struct json *v, void *out)
{
	int e = take_time(r, v, out);

	*(uint64_t *)out /= 10;
	return e;
}

static int take_count(struct reading *r, const struct json *v, void *out)
{
	return json_u64(v, out) ? 0 : wrong(r, v, "a whole number is wanted, 0 or more");
}

/* ---- The keys -------------------------------------------------------------------------------- */

static int take_version(struct reading *r, const struct json *v)
{
	uint64_t n;

	return json_u64(v, &n) && n == 1 ? 0 : wrong(r, v, "this nacre reads version 1");
}

static int take_mount(struct reading *r, const struct json *v)
{
	static const char *const kinds[] = {[NACRE_MOUNT_READ_ONLY] = "ro", [NACRE_MOUNT_READ_WRITE] = "rw",
					    [NACRE_MOUNT_OVERLAY] = "overlay"};
	static const char *const names[] = {"host", "at", "access", "max_bytes", "max_files", "max_file_size", NULL};
	uint64_t max[3] = {0, 0, 0};
	const char *host = NULL, *at = NULL, *access = "ro";
	int e = want(r, v, JSON_OBJECT);

	if (e == 0)
		e = only(r, v, names);
	if (e == 0)
		e = member(r, v, "host", take_text, &host);
	if (e == 0)
		e = member(r, v, "at", take_text, &at);
	if (e == 0)
		e = member(r, v, "access", take_text, &access);
	for (unsigned i = 0; i < 3 && e == 0; i++)
		e = member(r, v, names[3 + i], take_size, &max[i]);
	if (e < 0)
		return e;
	if (!host || !at)
		return wrong(r, v, "a mount needs \"host\" and \"at\"");
	for (unsigned i = 0; i < COUNTOF(kinds); i++)
		if (streq(access, kinds[i])) {
			e = set(r, v, nacre_config_mount(&r->cfg, host, at, i));
			return e < 0 || !(max[0] || max[1] || max[2]) ?
				       e :
				       set(r, v, nacre_config_mount_quota(&r->cfg, at, max[0], max[1], max[2]));
		}
	return wrong(r, v, "access is \"ro\", \"rw\" or \"overlay\", not \"%s\"", access);
}

static int take_profile(struct reading *r, const struct json *v)
{
	int e = want(r, v, JSON_STRING);

	return e < 0 ? e : set(r, v, nacre_config_profile(&r->cfg, v->text));
}

static int refuse_one(struct reading *r, const struct json *v)
{
	int e = want(r, v, JSON_STRING);

	return e < 0 ? e : set(r, v, nacre_config_refuse_syntax(&r->cfg, v->text));
}

static int take_refuse_syntax(struct reading *r, const struct json *v)
{
	return each_item(r, v, refuse_one);
}

/* "/srv/data", "/srv/data:ro", "/srv/data:rw". */
static int allow_one(struct reading *r, const struct json *v)
{
	char path[SYS_PATH_MAX];
	unsigned flags = NACRE_MOUNT_READ_ONLY;
	size_t n;
	int e = want(r, v, JSON_STRING);

	if (e < 0)
		return e;
	n = strlen(v->text);
	if (n >= sizeof(path))
		return wrong(r, v, "the path is too long");
	memcpy(path, v->text, n + 1);
	if (n > 3 && (streq(path + n - 3, ":ro") || streq(path + n - 3, ":rw"))) {
		flags = path[n - 1] == 'w' ? NACRE_MOUNT_READ_WRITE : NACRE_MOUNT_READ_ONLY;
		path[n - 3] = '\0';
	}
	return set(r, v, nacre_config_allow_path(&r->cfg, path, flags));
}

static int take_allowed_paths(struct reading *r, const struct json *v)
{
	return each_item(r, v, allow_one);
}

static int take_mounts(struct reading *r, const struct json *v)
{
	return each_item(r, v, take_mount);
}

static int deny(struct reading *r, const struct json *v, unsigned access)
{
	int e = want(r, v, JSON_STRING);

	return e < 0 ? e : set(r, v, nacre_config_deny(&r->cfg, v->text, access));
}

static int deny_one(struct reading *r, const struct json *v)
{
	return deny(r, v, NACRE_ACCESS_READ | NACRE_ACCESS_WRITE);
}

static int deny_read_one(struct reading *r, const struct json *v)
{
	return deny(r, v, NACRE_ACCESS_READ);
}

static int deny_write_one(struct reading *r, const struct json *v)
{
	return deny(r, v, NACRE_ACCESS_WRITE);
}

static int take_deny(struct reading *r, const struct json *v)
{
	return each_item(r, v, deny_one);
}

static int take_deny_read(struct reading *r, const struct json *v)
{
	return each_item(r, v, deny_read_one);
}

static int take_deny_write(struct reading *r, const struct json *v)
{
	return each_item(r, v, deny_write_one);
}

/* The strings of an array, NULL-terminated; they stay the document's. */
static int strings(struct reading *r, const struct json *v, const char ***out)
{
	size_t n = 0, i = 0;
	int e = want(r, v, JSON_ARRAY);

	*out = NULL;
	for (const struct json *m = v->first; m; m = m->next)
		n++;
	if (e == 0 && !(*out = calloc(n + 1, sizeof(**out))))
		e = set(r, v, -NACRE_ENOMEM);
	for (const struct json *m = v->first; m && e == 0; m = m->next, i++) {
		size_t at = enter(r, NULL, i);

		e = want(r, m, JSON_STRING);
		(*out)[i] = m->text;
		if (e == 0)
			r->key[at] = '\0';
	}
	return e;
}

static int take_commands(struct reading *r, const struct json *v)
{
	const char **names;
	int e = strings(r, v, &names);

	if (e == 0)
		e = set(r, v, nacre_config_allow_commands(&r->cfg, names));
	free(names);
	return e;
}

static int remove_one(struct reading *r, const struct json *v)
{
	int e = want(r, v, JSON_STRING);

	return e < 0 ? e : set(r, v, nacre_config_without_command(&r->cfg, v->text));
}

static int take_without_commands(struct reading *r, const struct json *v)
{
	return each_item(r, v, remove_one);
}

static int take_env(struct reading *r, const struct json *v)
{
	int e = want(r, v, JSON_OBJECT);

	for (const struct json *m = v->first; m && e == 0; m = m->next) {
		size_t n = enter(r, m->name, 0);

		e = m->kind == JSON_NULL ? 0 : want(r, m, JSON_STRING);
		if (e == 0)
			e = set(r, m, nacre_config_env(&r->cfg, m->name, m->text));
		r->key[n] = '\0';
	}
	return e;
}

static int take_clear_env(struct reading *r, const struct json *v)
{
	bool clear = false;
	int e = take_bool(r, v, &clear);

	return e < 0 || !clear ? e : set(r, v, nacre_config_clear_env(&r->cfg));
}

static int take_cwd(struct reading *r, const struct json *v)
{
	int e = want(r, v, JSON_STRING);

	return e < 0 ? e : set(r, v, nacre_config_cwd(&r->cfg, v->text));
}

static int take_destination(struct reading *r, const struct json *v)
{
	int e = want(r, v, JSON_STRING);
	const char *why = e == 0 ? network_fault(v->text) : NULL;

	return why ? wrong(r, v, "'%s': %s", v->text, why) : e;
}

static int take_network_allow(struct reading *r, const struct json *v)
{
	int e = each_item(r, v, take_destination);

	return e == 0 && v->first ? wrong(r, v, "there is no network in this version of nacre; only an empty list can be honoured") : e;
}

static int take_network(struct reading *r, const struct json *v)
{
	static const struct key keys[] = {{"allow", take_network_allow}};

	return each_key(r, v, keys, COUNTOF(keys));
}

static int take_limits(struct reading *r, const struct json *v)
{
	static const struct {
		const char *name;
		enum nacre_limit which;
		int (*take)(struct reading *r, const struct json *v, void *out);
	} limits[] = {
		{"wall", NACRE_LIMIT_WALL_NS, take_time},
		{"cpu", NACRE_LIMIT_TICKS, take_ticks},
		{"memory", NACRE_LIMIT_MEMORY, take_size},
		{"processes", NACRE_LIMIT_PROCS, take_count},
		{"open_files", NACRE_LIMIT_FILES, take_count},
		{"output", NACRE_LIMIT_OUTPUT, take_size},
		{"output_total", NACRE_LIMIT_OUTPUT_TOTAL, take_size},
		{"pipe", NACRE_LIMIT_PIPE, take_size},
		{"file_size", NACRE_LIMIT_FILE_SIZE, take_size},
		{"source", NACRE_LIMIT_SOURCE, take_size},
		{"expansion", NACRE_LIMIT_EXPANSION, take_size},
		{"loops", NACRE_LIMIT_LOOPS, take_count},
		{"commands", NACRE_LIMIT_COMMANDS, take_count},
		{"nesting", NACRE_LIMIT_NESTING, take_count},
		{"timeout_status", NACRE_LIMIT_TIMEOUT_STATUS, take_count},
		{"guest_memory", NACRE_LIMIT_GUEST_MEMORY, take_size}, {"jq_input", NACRE_LIMIT_JQ_INPUT, take_size},
		{"jq_nesting", NACRE_LIMIT_JQ_NESTING, take_count}, {"jq_filter", NACRE_LIMIT_JQ_FILTER, take_size}, {"jq_filter_nesting", NACRE_LIMIT_JQ_FILTER_NESTING, take_count}, {"jq_filter_tokens", NACRE_LIMIT_JQ_FILTER_TOKENS, take_count},
	};
	int e = want(r, v, JSON_OBJECT);

	for (const struct json *m = v->first; m && e == 0; m = m->next) {
		size_t n = enter(r, m->name, 0), i = 0;
		uint64_t value = 0;

		while (i < COUNTOF(limits) && !streq(limits[i].name, m->name))
			i++;
		e = i < COUNTOF(limits) ? limits[i].take(r, m, &value) : wrong(r, m, "unknown key");
		if (e == 0)
			e = set(r, m, nacre_config_limit(&r->cfg, limits[i].which, value));
		r->key[n] = '\0';
	}
	return e;
}

static int take_keep(struct reading *r, const struct json *v)
{
	static const char *const names[] = {[NACRE_KEEP_HEAD] = "head", [NACRE_KEEP_TAIL] = "tail", [NACRE_KEEP_BOTH] = "both"};
	int e = want(r, v, JSON_STRING);

	for (size_t i = 0; e == 0 && i < COUNTOF(names); i++)
		if (streq(names[i], v->text))
			return set(r, v, nacre_config_keep(&r->cfg, (enum nacre_keep)i));
	return e < 0 ? e : wrong(r, v, "\"head\", \"tail\" or \"both\" is wanted, not \"%s\"", v->text);
}

static int take_spill(struct reading *r, const struct json *v)
{
	static const char *const names[] = {"directory", "max", NULL};
	const char *dir = NULL;
	uint64_t max = (uint64_t)64 << 20;
	const struct json *size;
	int e = want(r, v, JSON_OBJECT);

	if (e == 0)
		e = only(r, v, names);
	if (e == 0)
		e = member(r, v, "directory", take_text, &dir);
	size = e == 0 ? json_get(v, "max") : NULL;
	if (size)
		e = take_size(r, size, &max);
	if (e < 0)
		return e;
	return dir ? set(r, v, nacre_config_spill(&r->cfg, dir, max)) : wrong(r, v, "\"directory\" is needed");
}

static int take_persist(struct reading *r, const struct json *v)
{
	bool on = false;
	int e = take_bool(r, v, &on);

	return e < 0 ? e : set(r, v, nacre_config_persist(&r->cfg, on));
}

static int take_rollback(struct reading *r, const struct json *v)
{
	bool on = false;
	int e = take_bool(r, v, &on);

	return e < 0 ? e : set(r, v, nacre_config_rollback(&r->cfg, on));
}

static int take_session(struct reading *r, const struct json *v)
{
	static const struct key keys[] = {{"persist", take_persist}, {"rollback", take_rollback}};

	return each_key(r, v, keys, COUNTOF(keys));
}

static int take_deterministic(struct reading *r, const struct json *v)
{
	static const char *const names[] = {"seed", "start", NULL};
	const struct json *seed, *start;
	uint64_t n = 0, at = 0;
	int e = want(r, v, JSON_OBJECT);

	if (e == 0)
		e = only(r, v, names);
	if (e < 0)
		return e;
	seed = json_get(v, "seed");
	start = json_get(v, "start");
	if (!seed || !json_u64(seed, &n) || (start && (!json_u64(start, &at) || at > INT64_MAX / 1000000000)))
		return wrong(r, v, "\"seed\", and \"start\" in seconds since 1970, are whole numbers, 0 or more");
	return set(r, v, nacre_config_deterministic(&r->cfg, n, (int64_t)at * 1000000000));
}

static int take_document(struct reading *r, const struct json *doc)
{
	static const struct key keys[] = {
		{"version", take_version},
		{"profile", take_profile},
		{"refuse_syntax", take_refuse_syntax},
		{"allowed_paths", take_allowed_paths},
		{"mounts", take_mounts},
		{"deny", take_deny},
		{"deny_read", take_deny_read},
		{"deny_write", take_deny_write},
		{"commands", take_commands},
		{"without_commands", take_without_commands},
		{"clear_env", take_clear_env},
		{"env", take_env},
		{"cwd", take_cwd},
		{"network", take_network},
		{"limits", take_limits},
		{"keep", take_keep},
		{"spill", take_spill},
		{"session", take_session},
		{"deterministic", take_deterministic},
	};

	return each_key(r, doc, keys, COUNTOF(keys));
}

int nacre_config_policy(nacre_config *cfg, const char *name, const char *text, size_t len)
{
	struct reading r = {.cfg = {.now = settings_get(cfg->now)}, .file = name ? name : "policy", .error = cfg->error};
	struct json_fault fault;
	struct json *doc = text ? json_read(text, len, &fault) : NULL;
	int e;

	cfg->error[0] = '\0';
	if (!text) {
		e = config_fail(cfg, -NACRE_EINVAL, "a policy needs its text");
	} else if (!doc) {
		e = config_fail(cfg, -NACRE_EINVAL, "%s:%u: %s", r.file, fault.line, fault.why);
	} else {
		e = take_document(&r, doc);
	}
	json_free(doc);
	if (e == 0) {
		struct settings *former = cfg->now;

		cfg->now = r.cfg.now;
		r.cfg.now = former;
	}
	settings_put(r.cfg.now);
	return e;
}
