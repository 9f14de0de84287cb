/* denial.c - refusals of the policy: kept with the run they happened in, told to the host, asked for beforehand.
 *
 * A refusal comes up inside a system call, on a fiber. It is copied there; the host's callback is called
 * later, from a step, where no program's frames are below it. */
#include "api.h"

#include <stdlib.h>

#define EVENTS_MAX 10000u /* waiting for on_denial; more are dropped */

void denials_free(struct denial *d)
{
	while (d) {
		struct denial *next = d->next;

		free(d);
		d = next;
	}
}

/* ---- Rules -------------------------------------------------------------------------------- */

const char *denial_rule_id(const struct settings *s, const struct policy_denial *d)
{
	if (d->rule < s->ndenies)
		return s->denies[d->rule].id;
	if (d->rule == POLICY_RULE_ROOTS)
		return "allowed_paths";
	if (d->rule == POLICY_RULE_LINKS)
		return "links";
	return d->rule == POLICY_RULE_MOUNT ? "mount" : "commands";
}

/* The mount that a path is in. */
static const char *mount_point(const struct settings *s, const char *path)
{
	const char *best = "";

	for (size_t i = 0; i < s->nmounts; i++) {
		size_t n = strlen(s->mounts[i].at);

		if (strncmp(s->mounts[i].at, path, n) == 0 && (path[n] == '/' || !path[n]) && n > strlen(best))
			best = s->mounts[i].at;
	}
	return best;
}

const char *denial_rule(const struct settings *s, const struct policy_denial *d)
{
	if (d->rule == POLICY_RULE_MOUNT)
		return mount_point(s, d->path);
	return d->pattern ? d->pattern : "";
}

/* ---- Keeping -------------------------------------------------------------------------------- */

static char *put(char **at, const char *s)
{
	size_t n = strlen(s) + 1;
	char *to = memcpy(*at, s, n);

	*at += n;
	return to;
}

static struct denial *copy(const struct refusal *r, nacre_sandbox *sb)
{
	const struct settings *s = sb->plan->settings;
	const struct policy_denial *w = r->what;
	const char *command = r->command ? r->command : "", *rule = denial_rule(s, w), *id = denial_rule_id(s, w);
	struct denial *n = malloc(sizeof(*n) + strlen(command) + strlen(w->operation) + strlen(w->path) + strlen(rule) +
				  strlen(id) + 5);
	char *at = (char *)(n + 1);

	if (!n)
		return NULL;
	*n = (struct denial){.sb = sb, .d = {.size = sizeof(n->d), .access = (unsigned)w->access, .error = w->err,
					     .pid = r->pid, .time_ns = r->time_ns}};
	n->d.command = put(&at, command);
	n->d.operation = put(&at, w->operation);
	n->d.path = put(&at, w->path);
	n->d.rule = put(&at, rule);
	n->d.rule_id = put(&at, id);
	return n;
}

void run_denied(void *ctx, const struct refusal *r)
{
	nacre_sandbox *sb = sandbox_user(r->sb);
	nacre_run *run = r->run ? run_ctx(r->run) : NULL;
	nacre_runtime *rt = sb->rt;
	struct denial *n;

	(void)ctx;
	if (sb->plan->settings->on_denial && rt->nevents < EVENTS_MAX && (n = copy(r, sb))) {
		*(rt->nevents ? rt->events_end : &rt->events) = n;
		rt->events_end = &n->next;
		rt->nevents++;
	}
	if (!run)
		return;
	n = run->ndenials < API_DENIALS_MAX ? copy(r, sb) : NULL;
	if (!n) {
		run->denials_dropped++;
		return;
	}
	*run->denials_end = n;
	run->denials_end = &n->next;
	run->ndenials++;
}

/* ---- Telling -------------------------------------------------------------------------------- */

void denials_deliver(nacre_runtime *rt)
{
	while (rt->events) {
		struct denial *n = rt->events;
		const struct settings *s = n->sb->plan->settings;

		rt->events = n->next;
		rt->nevents--;
		recording_close(rt, 1);
		s->on_denial(s->denial_payload, n->sb, &n->d);
		recording_close(rt, -1);
		free(n);
	}
}

void denials_forget(nacre_runtime *rt, const nacre_sandbox *sb)
{
	struct denial **at = &rt->events;

	while (*at) {
		struct denial *n = *at;

		if (n->sb != sb) {
			at = &n->next;
			continue;
		}
		*at = n->next;
		rt->nevents--;
		free(n);
	}
	rt->events_end = at;
}

/* ---- Explaining ------------------------------------------------------------------------------- */

struct explanation {
	const nacre_sandbox *sb;
	nacre_decision decision;
	char path[SYS_PATH_MAX];
	void (*each)(void *payload, const nacre_decision *d);
	void *payload;
	int first;
};

static void tell(struct explanation *x)
{
	if (x->decision.error && !x->first)
		x->first = x->decision.error;
	x->each(x->payload, &x->decision);
}

static void refused(void *ctx, const struct policy_denial *d)
{
	struct explanation *x = ctx;
	const struct settings *s = x->sb->plan->settings;
	size_t n = MIN(strlen(d->path), sizeof(x->path) - 1);

	memcpy(x->path, d->path, n);
	x->path[n] = '\0';
	x->decision.rule_id = denial_rule_id(s, d);
	x->decision.rule = denial_rule(s, d);
}

static void explain_path(struct explanation *x, const char *path)
{
	struct vfs_who who;
	struct vfs vfs;

	sandbox_who(x->sb->kernel, &who);
	vfs = *who.vfs;
	vfs.denied = refused;
	vfs.ctx = x;
	who.vfs = &vfs;
	for (unsigned access = POLICY_READ; access <= POLICY_WRITE; access <<= 1) {
		x->decision = (nacre_decision){sizeof(x->decision), access == POLICY_READ ? "read" : "write", x->path, 0, "", ""};
		x->decision.error = vfs_explain(&who, path, access, x->path, sizeof(x->path));
		tell(x);
	}
}

static void explain_command(struct explanation *x, const char *name)
{
	const struct plan *plan = x->sb->plan;
	bool found = false, refuses = false;

	for (size_t i = 0; i < plan->table.n; i++)
		found |= streq(plan->table.v[i].name, name);
	for (size_t i = 0; i < plan->refused.n; i++)
		refuses |= streq(plan->refused.v[i].name, name);
	x->decision = (nacre_decision){sizeof(x->decision), "run", name, 0, "", ""};
	if (refuses) {
		x->decision.error = -NACRE_EACCES;
		x->decision.rule_id = "commands";
	} else if (!found) {
		x->decision.error = -NACRE_ENOENT;
	}
	tell(x);
}

int nacre_explain(nacre_sandbox *sb, const char *subject, void (*each)(void *payload, const nacre_decision *d), void *payload)
{
	struct explanation *x = calloc(1, sizeof(*x));
	int first;

	if (!x)
		return runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
	first = recording_refuses(sb->rt);
	if (first < 0) {
		free(x);
		return first;
	}
	*x = (struct explanation){.sb = sb, .each = each, .payload = payload};
	if (strstr(subject, "://")) {
		x->decision = (nacre_decision){sizeof(x->decision), "connect", subject, -NACRE_EACCES, "network", ""};
		tell(x);
	} else if (strchr(subject, '/')) {
		explain_path(x, subject);
	} else {
		explain_command(x, subject);
	}
	first = x->first;
	free(x);
	sb->rt->error[0] = '\0';
	return first;
}
