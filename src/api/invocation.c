/* invocation.c - commands of the host: a proc that waits while the host's function works.
 *
 * What the host sees of the command (arguments, environment, standard input) and what it
 * writes are kept in an invocation, which the proc and the host hold together: whichever lets go last
 * frees it, so a killed proc and a slow host cannot harm each other. */
#include "api.h"

#include <stdlib.h>

#include "../kernel/hostcall.h"
#include "../user/user.h"

#define INVOCATION_OUTPUT_MAX ((size_t)64 << 20)
#define INVOCATION_INPUT_MAX ((size_t)256 << 20)

static void free_strings(char **v)
{
	for (size_t i = 0; v && v[i]; i++)
		free(v[i]);
	free(v);
}

void invocation_put(nacre_invocation *inv)
{
	if (atomic_fetch_sub_explicit(&inv->refs, 1, memory_order_acq_rel) != 1)
		return;
	free_strings(inv->argv);
	free_strings(inv->env);
	free(inv->dir);
	free(inv->input);
	js_globals_put(inv->js);
	free(inv->out[0].ptr);
	free(inv->out[1].ptr);
	free(inv);
}

/* The proc's reference goes when it ends, however it ends. */
static void released(struct heap *h, void *state)
{
	(void)h;
	invocation_put(state);
}

static void started(struct hostcall *c, void *arg)
{
	nacre_invocation *inv = arg;

	inv->call = c;
	inv->sb = sandbox_user(run_sandbox(hostcall_run(c)));
	inv->rt = inv->sb->rt;
	recording_call(inv);
}

static void aborted(struct hostcall *c, void *arg)
{
	nacre_invocation *inv = arg;

	(void)c;
	atomic_store(&inv->aborted, true);
	nested_abort(inv, inv->sb);
	if (inv->cmd->abort)
		inv->cmd->abort(inv, inv->cmd->payload);
}

static void dropped(void *arg)
{
	invocation_put(arg);
}

static char **copy_strings(char **v)
{
	size_t n = 0;
	char **out;

	while (v && v[n])
		n++;
	out = calloc(n + 1, sizeof(*out));
	for (size_t i = 0; out && i < n; i++)
		if (!(out[i] = strdup(v[i]))) {
			free_strings(out);
			return NULL;
		}
	return out;
}

nacre_invocation *invocation_new(struct proc *p, int argc, char **argv, const nacre_command *cmd)
{
	nacre_invocation *inv = calloc(1, sizeof(*inv));

	if (!inv)
		return NULL;
	atomic_init(&inv->refs, 1);
	inv->cmd = cmd;
	inv->argc = argc;
	inv->argv = copy_strings(argv);
	inv->env = copy_strings(sys_self(p)->env);
	inv->dir = strdup(sys_getcwd(p));
	if (!inv->argv || !inv->env || !inv->dir) {
		invocation_put(inv);
		return NULL;
	}
	return inv;
}

int64_t invocation_call(struct proc *p, nacre_invocation *inv)
{
	atomic_fetch_add_explicit(&inv->refs, 1, memory_order_relaxed);
	return hostcall(p, started, aborted, dropped, inv);
}

int invocation_main(struct proc *p, int argc, char **argv)
{
	const struct api_command *c = sys_program_data(p);
	nacre_invocation *inv;
	int64_t status;

	if (argc == 2 && streq(argv[1], "--help")) {
		const char *text = u_format(p, "%s - %s\n", c->name, c->summary);

		return u_write_all(p, 1, text, strlen(text)) < 0;
	}
	inv = invocation_new(p, argc, argv, &c->cmd);
	if (!inv)
		u_die(p, 125, -NACRE_ENOMEM, "cannot start");
	sys_attach(p, inv, released);
	if (c->cmd.reads_stdin) {
		struct str text;
		int e = u_read_all(p, 0, INVOCATION_INPUT_MAX, &text);

		if (e < 0)
			u_die(p, 125, e, "cannot read standard input");
		inv->input = malloc(text.len + 1);
		if (!inv->input)
			u_die(p, 125, -NACRE_ENOMEM, "cannot read standard input");
		if (text.len)
			memcpy(inv->input, text.ptr, text.len);
		inv->input[text.len] = '\0';
		inv->input_len = text.len;
	}
	status = invocation_call(p, inv);
	if (status < 0)
		u_die(p, 125, (int)status, "cannot call the host");
	for (int i = 0; i < 2; i++)
		if (inv->out[i].len && u_write_all(p, i + 1, inv->out[i].ptr, inv->out[i].len) < 0)
			status = status ? status : 1;
	return (int)(status & 255);
}

int nacre_invocation_argc(const nacre_invocation *inv)
{
	return inv->argc;
}

const char *nacre_invocation_arg(const nacre_invocation *inv, int i)
{
	return i >= 0 && i < inv->argc ? inv->argv[i] : NULL;
}

const char *nacre_invocation_dir(const nacre_invocation *inv)
{
	return inv->dir;
}

const char *nacre_invocation_env(const nacre_invocation *inv, const char *name)
{
	size_t n = strlen(name);

	for (char **e = inv->env; *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e + n + 1;
	return NULL;
}

const char *nacre_invocation_stdin(const nacre_invocation *inv, size_t *len)
{
	if (len)
		*len = inv->input_len;
	return inv->input ? inv->input : "";
}

int nacre_invocation_write(nacre_invocation *inv, int fd, const void *data, size_t len)
{
	struct invocation_text *t;

	if (fd != 1 && fd != 2)
		return -NACRE_EBADF;
	t = &inv->out[fd - 1];
	if (len > INVOCATION_OUTPUT_MAX - t->len)
		return -NACRE_EFBIG;
	if (t->len + len > t->cap) {
		size_t cap = MAX(t->cap * 2, t->len + len);
		char *more = realloc(t->ptr, cap);

		if (!more)
			return -NACRE_ENOMEM;
		t->ptr = more;
		t->cap = cap;
	}
	if (len)
		memcpy(t->ptr + t->len, data, len);
	t->len += len;
	return 0;
}

const char *nacre_invocation_env_at(const nacre_invocation *inv, size_t i)
{
	size_t n = 0;

	while (inv->env[n])
		n++;
	return i < n ? inv->env[i] : NULL;
}

char *nacre_invocation_path(const nacre_invocation *inv, const char *path)
{
	size_t n = strlen(inv->dir), m = strlen(path);
	char *full = malloc(n + m + 2);

	if (!full)
		return NULL;
	if (path[0] == '/')
		return memcpy(full, path, m + 1);
	memcpy(full, inv->dir, n);
	if (n > 1)
		full[n++] = '/';
	memcpy(full + n, path, m + 1);
	return full;
}

nacre_sandbox *nacre_invocation_sandbox(const nacre_invocation *inv)
{
	return nacre_invocation_aborted(inv) ? NULL : inv->sb;
}

bool nacre_invocation_aborted(const nacre_invocation *inv)
{
	return atomic_load(&inv->aborted);
}

int64_t nacre_invocation_remaining(const nacre_invocation *inv)
{
	struct run *run = nacre_invocation_aborted(inv) ? NULL : hostcall_run(inv->call);

	return run ? run_remaining(run) : 0;
}

void nacre_invocation_fail(nacre_invocation *inv, int status, const char *message)
{
	nacre_invocation_write(inv, 2, inv->argv[0], strlen(inv->argv[0]));
	nacre_invocation_write(inv, 2, ": ", 2);
	nacre_invocation_write(inv, 2, message, strlen(message));
	nacre_invocation_write(inv, 2, "\n", 1);
	nacre_invocation_complete(inv, status);
}

void nacre_invocation_complete(nacre_invocation *inv, int status)
{
	inv->news.result = status & 255;
	if (!recording_keeps(inv->rt, &inv->news))
		invocation_completed(inv, status);
}

void invocation_completed(nacre_invocation *inv, int status)
{
	struct hostcall *c = inv->call;

	hostcall_complete(c, status & 255);
	invocation_put(inv);
}
