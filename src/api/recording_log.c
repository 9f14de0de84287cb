/* recording_log.c - the larger parts of a log: settings, requests, calls on files, results. */
#include "recording.h"

#include <stdlib.h>

#include "api.h"

#define STRINGS_MAX 100000

/* ---- Lists of strings -------------------------------------------------------------------- */

void log_strings(struct log *l, const char *const *v)
{
	int64_t n = v ? 0 : -1;

	while (v && v[n])
		n++;
	log_number(l, n);
	for (int64_t i = 0; i < n; i++)
		log_string(l, v[i]);
}

void log_strings_free(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

char **log_take_strings(struct log_reader *in)
{
	int64_t n = log_take_number(in);
	char **v;

	if (in->bad || n < 0)
		return NULL;
	v = n <= MIN((int64_t)STRINGS_MAX, in->end - in->at) ? calloc((size_t)n + 1, sizeof(*v)) : NULL;
	in->bad |= !v;
	for (int64_t i = 0; i < n && !in->bad; i++) {
		v[i] = log_take_string(in);
		in->bad |= !v[i];
	}
	if (!in->bad)
		return v;
	log_strings_free(v);
	return NULL;
}

/* ---- Settings ---------------------------------------------------------------------------- */

static void log_mount(struct log *l, const struct api_mount *m)
{
	log_string(l, m->host);
	log_string(l, m->at);
	log_number(l, m->flags);
	log_number(l, (m->optional ? 1 : 0) | (m->is_user ? 2 : 0) |
			      (m->is_user && m->user.is_fast && m->user.is_fast(m->user.payload) ? 4 : 0) | (m->is_objects ? 8 : 0));
	if (m->is_objects) {
		log_number(l, (int64_t)m->objects.part_size);
		log_number(l, (int64_t)m->objects.rewrite_max);
		log_number(l, (m->objects.rewrite_any ? 1 : 0) | (m->objects.rename_directories ? 2 : 0) | (m->objects.read_only ? 4 : 0));
		log_number(l, m->objects.list_ttl_ns);
	}
	log_number(l, (int64_t)m->max_bytes);
	log_number(l, (int64_t)m->max_files);
	log_number(l, (int64_t)m->max_file_size);
}

static void log_scalars(struct log *l, const struct settings *s)
{
	log_string(l, profile_of(s)->name);
	for (int i = 0; i < NACRE_LIMIT_COUNT_; i++)
		log_number(l, (int64_t)s->limits[i]);
	log_number(l, s->limits_given);
	log_number(l, s->keep);
	log_string(l, s->spill);
	log_number(l, (int64_t)s->spill_max);
	log_number(l, s->records);
	log_number(l, (s->persist ? 1 : 0) | (s->rollback ? 2 : 0) | (s->deterministic ? 4 : 0) | (s->closed ? 8 : 0));
	log_number(l, (int64_t)s->seed);
	log_number(l, s->start_ns);
	log_number(l, (int64_t)s->refused);
}

static void log_js(struct log *l, const struct js_globals *js)
{
	log_number(l, js ? (int64_t)js->n : 0);
	for (size_t i = 0; js && i < js->n; i++)
		log_string(l, js->v[i].name);
	log_number(l, js && js->has_fetch);
	log_number(l, js && js->prelude);
	log_bytes(l, js && js->prelude ? js->prelude : "", js ? js->prelude_len : 0);
}

void log_settings(struct log *l, const struct settings *s)
{
	log_scalars(l, s);
	log_strings(l, (const char *const *)s->env);
	log_string(l, s->cwd);
	log_strings(l, (const char *const *)s->without);
	log_strings(l, (const char *const *)s->allow);
	log_number(l, (int64_t)s->nmounts);
	for (size_t i = 0; i < s->nmounts; i++)
		log_mount(l, &s->mounts[i]);
	log_number(l, (int64_t)s->ndenies);
	for (size_t i = 0; i < s->ndenies; i++) {
		log_string(l, s->denies[i].pattern);
		log_number(l, s->denies[i].access);
		log_string(l, s->denies[i].id);
	}
	log_number(l, (int64_t)s->ncommands);
	for (size_t i = 0; i < s->ncommands; i++) {
		log_string(l, s->commands[i].name);
		log_string(l, s->commands[i].summary);
		log_number(l, s->commands[i].cmd.reads_stdin);
	}
	log_js(l, s->js);
}

/* ---- Settings from a log: through the functions that check them ---- */

/* Its own functions are never called (recording_call). */
static void none_run(nacre_invocation *inv, void *p)
{
	(void)inv, (void)p;
}

static int take_mount(struct log_reader *in, nacre_config *cfg)
{
	char *host = log_take_string(in), *at = log_take_string(in);
	int64_t flags = log_take_number(in), kind = log_take_number(in);
	nacre_object_store store = {.size = 0};
	uint64_t bytes, files, size;
	int e = -NACRE_EINVAL;

	if (kind & 8)
		hosts_take_store(in, host, &store);
	bytes = (uint64_t)log_take_number(in);
	files = (uint64_t)log_take_number(in);
	size = (uint64_t)log_take_number(in);
	if (!in->bad && host && at && flags >= 0 && flags <= NACRE_MOUNT_MEMORY)
		e = kind & 8 ? nacre_config_mount_objects(cfg, &store, at, (unsigned)flags) :
		    kind & 2 ? hosts_mount_fs(cfg, at, (unsigned)flags, (kind & 4) != 0) : nacre_config_mount(cfg, host, at, (unsigned)flags);
	if (e == 0)
		cfg->now->mounts[cfg->now->nmounts - 1].optional = kind & 1;
	if (e == 0 && (bytes || files || size))
		e = nacre_config_mount_quota(cfg, at, bytes, files, size);
	free(host);
	free(at);
	return e;
}

static int take_deny(struct log_reader *in, nacre_config *cfg)
{
	char *pattern = log_take_string(in);
	int64_t access = log_take_number(in);
	char *id = log_take_string(in);
	int e = !in->bad && pattern && id && access > 0 && access < 4 ? nacre_config_deny(cfg, pattern, (unsigned)access) : -NACRE_EINVAL;

	if (e == 0 && strlen(id) < sizeof(cfg->now->denies->id))
		memcpy(cfg->now->denies[cfg->now->ndenies - 1].id, id, strlen(id) + 1);
	free(pattern);
	free(id);
	return e;
}

static int take_command(struct log_reader *in, nacre_config *cfg)
{
	nacre_command c = NACRE_COMMAND_INIT;
	char *name = log_take_string(in), *summary = log_take_string(in);
	int e = -NACRE_EINVAL;

	c.reads_stdin = log_take_number(in) != 0;
	c.name = name;
	c.summary = summary;
	c.run = none_run;
	if (!in->bad && name && summary)
		e = nacre_config_command(cfg, &c);
	free(name);
	free(summary);
	return e;
}

static int take_js_function(struct log_reader *in, nacre_config *cfg)
{
	nacre_command c = NACRE_COMMAND_INIT;
	char *name = log_take_string(in);
	int e;

	c.name = name;
	c.run = none_run;
	e = in->bad ? -NACRE_EINVAL : nacre_config_js_global(cfg, &c);
	free(name);
	return e;
}

static int take_js(struct log_reader *in, nacre_config *cfg)
{
	nacre_command fetch = NACRE_COMMAND_INIT;
	int64_t has_fetch = log_take_number(in), has_prelude = log_take_number(in);
	size_t n;
	const char *prelude = log_take_bytes(in, &n);
	int e = in->bad || !prelude ? -NACRE_EINVAL : 0;

	fetch.run = none_run;
	if (e == 0 && has_fetch)
		e = nacre_config_js_fetch(cfg, &fetch);
	if (e == 0 && has_prelude)
		e = nacre_config_js_prelude(cfg, n ? prelude : "", n);
	return e;
}

static int take_each(struct log_reader *in, nacre_config *cfg, int (*take)(struct log_reader *in, nacre_config *cfg))
{
	int64_t n = log_take_number(in);
	int e = in->bad || n < 0 || n > STRINGS_MAX ? -NACRE_EINVAL : 0;

	for (int64_t i = 0; i < n && e == 0; i++)
		e = take(in, cfg);
	return e;
}

static int take_env(struct log_reader *in, nacre_config *cfg)
{
	char **v = log_take_strings(in);
	int e = v ? nacre_config_clear_env(cfg) : -NACRE_EINVAL;

	for (size_t i = 0; e == 0 && v[i]; i++) {
		char *eq = strchr(v[i], '=');

		if (!eq)
			e = -NACRE_EINVAL;
		else
			*eq = '\0';
		if (eq)
			e = nacre_config_env(cfg, v[i], eq + 1);
	}
	log_strings_free(v);
	return e;
}

static int take_limits(struct log_reader *in, nacre_config *cfg)
{
	int e = 0;

	for (int i = 0; i < NACRE_LIMIT_COUNT_ && e == 0; i++)
		e = nacre_config_limit(cfg, (enum nacre_limit)i, (uint64_t)log_take_number(in));
	cfg->now->limits_given = (uint32_t)log_take_number(in);
	return e;
}

static int take_scalars(struct log_reader *in, nacre_config *cfg)
{
	char *profile = log_take_string(in), *spill;
	int e = profile ? nacre_config_profile(cfg, profile) : -NACRE_EINVAL;
	int64_t keep, records, flags;

	free(profile);
	if (e == 0)
		e = take_limits(in, cfg);
	keep = log_take_number(in);
	spill = log_take_string(in);
	if (e == 0)
		e = keep < 0 || keep > NACRE_KEEP_BOTH ? -NACRE_EINVAL : nacre_config_keep(cfg, (enum nacre_keep)keep);
	if (e == 0)
		e = nacre_config_spill(cfg, spill, (uint64_t)log_take_number(in));
	free(spill);
	records = log_take_number(in);
	if (e == 0)
		e = records < 0 || records > 100000 ? -NACRE_EINVAL : nacre_config_records(cfg, (uint32_t)records);
	if (e < 0 || in->bad)
		return e < 0 ? e : -NACRE_EINVAL;
	flags = log_take_number(in);
	cfg->now->persist = flags & 1;
	cfg->now->rollback = flags & 2;
	cfg->now->deterministic = flags & 4;
	cfg->now->closed = flags & 8;
	cfg->now->seed = (uint64_t)log_take_number(in);
	cfg->now->start_ns = log_take_number(in);
	cfg->now->refused = (uint64_t)log_take_number(in);
	if (cfg->now->start_ns > (int64_t)1 << 61 || cfg->now->start_ns < -((int64_t)1 << 61))
		in->bad = true;
	return in->bad ? -NACRE_EINVAL : 0;
}

static int take_names(struct log_reader *in, nacre_config *cfg)
{
	char **without = log_take_strings(in), **allow = log_take_strings(in);
	int e = in->bad ? -NACRE_EINVAL : 0;

	for (size_t i = 0; without && without[i] && e == 0; i++)
		e = nacre_config_without_command(cfg, without[i]);
	if (e == 0 && allow)
		e = nacre_config_allow_commands(cfg, (const char *const *)allow);
	else if (e == 0)
		e = nacre_config_allow_all_commands(cfg);
	log_strings_free(without);
	log_strings_free(allow);
	return e;
}

int log_take_settings(struct log_reader *in, nacre_config *cfg)
{
	int e = take_scalars(in, cfg);
	char *cwd = NULL;

	if (e == 0)
		e = take_env(in, cfg);
	if (e == 0)
		cwd = log_take_string(in);
	if (e == 0)
		e = nacre_config_cwd(cfg, cwd);
	free(cwd);
	if (e == 0)
		e = take_names(in, cfg);
	if (e == 0)
		e = take_each(in, cfg, take_mount);
	if (e == 0)
		e = take_each(in, cfg, take_deny);
	if (e == 0)
		e = take_each(in, cfg, take_command);
	if (e == 0)
		e = take_each(in, cfg, take_js_function);
	if (e == 0)
		e = take_js(in, cfg);
	return e == 0 && in->bad ? -NACRE_EINVAL : e;
}

/* ---- Requests ---------------------------------------------------------------------------- */

static void log_optional(struct log *l, const void *p, size_t n)
{
	log_tag(l, p != NULL);
	if (p)
		log_bytes(l, p, n);
}

void log_request(struct log *l, const nacre_request *req)
{
	log_optional(l, req->script, req->script ? req->script_len ? req->script_len : strlen(req->script) : 0);
	log_string(l, req->file);
	log_string(l, req->name);
	log_strings(l, req->args);
	log_strings(l, req->env);
	log_string(l, req->cwd);
	log_optional(l, req->stdin_data, req->stdin_len);
	log_number(l, req->stdin_fd);
	log_number(l, req->stdout_fd);
	log_number(l, req->stderr_fd);
	log_number(l, (req->on_output ? 1 : 0) | (req->also_capture ? 2 : 0) | (int64_t)req->kind << 2);
	log_number(l, req->timeout_ns);
}

static const void *take_optional(struct log_reader *in, size_t *n)
{
	bool there = log_next(in) == 1;

	*n = 0;
	if (log_next(in) < 0)
		in->bad = true;
	else
		in->at++;
	return there ? log_take_bytes(in, n) : NULL;
}

static int take_fd(struct log_reader *in)
{
	int64_t fd = log_take_number(in);

	if (fd < -1 || fd > INT32_MAX)
		in->bad = true;
	return in->bad ? -1 : (int)fd;
}

static ptrdiff_t never_asked(void *payload, int fd, const void *data, size_t n)
{
	(void)payload, (void)fd, (void)data;
	return (ptrdiff_t)n;
}

void log_take_request(struct log_reader *in, nacre_request *req)
{
	static const nacre_request none = NACRE_REQUEST_INIT;
	const char *script;
	char *copy = NULL;
	int64_t flags;
	size_t n;

	*req = none;
	script = take_optional(in, &n);
	if (script && (copy = malloc(n + 1)) != NULL) {
		memcpy(copy, script, n);
		copy[n] = '\0';
	}
	in->bad |= script && !copy;
	req->script = copy;
	req->script_len = n;
	req->file = log_take_string(in);
	req->name = log_take_string(in);
	req->args = (const char *const *)log_take_strings(in);
	req->env = (const char *const *)log_take_strings(in);
	req->cwd = log_take_string(in);
	req->stdin_data = take_optional(in, &req->stdin_len);
	req->stdin_fd = take_fd(in);
	req->stdout_fd = take_fd(in);
	req->stderr_fd = take_fd(in);
	flags = log_take_number(in);
	req->on_output = flags & 1 ? never_asked : NULL; /* recording_output */
	req->also_capture = flags & 2;
	req->kind = (enum nacre_script_kind)(flags >> 2 & 3); /* start() refuses what is none */
	req->timeout_ns = log_take_number(in);
}

void log_request_release(nacre_request *req)
{
	free((void *)(uintptr_t)req->script);
	free((void *)(uintptr_t)req->file);
	free((void *)(uintptr_t)req->name);
	free((void *)(uintptr_t)req->cwd);
	log_strings_free((char **)(uintptr_t)req->args);
	log_strings_free((char **)(uintptr_t)req->env);
}

/* ---- Calls on files ---------------------------------------------------------------------- */

void log_file_call(struct log *l, const struct file_call *c)
{
	log_number(l, (int64_t)c->kind);
	log_number(l, c->number);
	log_string(l, c->path);
	log_string(l, c->to);
	log_number(l, c->flags);
	log_number(l, c->mode);
	log_number(l, c->at);
	log_number(l, (int64_t)c->n);
	log_bytes(l, c->data, c->data ? c->n : 0);
}

void log_take_file_call(struct log_reader *in, struct file_call *c)
{
	int64_t kind = log_take_number(in), n;
	size_t len;

	*c = (struct file_call){.kind = (enum file_call_kind)kind};
	c->number = log_take_number(in);
	c->path = log_take_string(in);
	c->to = log_take_string(in);
	c->flags = (unsigned)log_take_number(in);
	c->mode = (unsigned)log_take_number(in);
	c->at = log_take_number(in);
	n = log_take_number(in);
	c->data = log_take_bytes(in, &len);
	c->n = (size_t)n;
	if (kind < 0 || kind >= FILE_KINDS || n < 0 || n > INT32_MAX || (kind != FILE_READ_AT && len != (size_t)n))
		in->bad = true;
}

/* ---- Results ----------------------------------------------------------------------------- */

void log_result_of(struct log_result *out, const nacre_result *res)
{
	size_t out_len, err_len;
	const char *text = nacre_result_stdout(res, &out_len), *errors = nacre_result_stderr(res, &err_len);

	*out = (struct log_result){.outcome = nacre_result_outcome(res),
				   .status = nacre_result_exit_code(res),
				   .out_len = (int64_t)out_len,
				   .err_len = (int64_t)err_len,
				   .out = log_digest(0, text, out_len),
				   .err = log_digest(0, errors, err_len)};
}
