/* jscall.c - a JavaScript program calls a function of the host's: the invocation of a command, made by sys_ask.
 *
 * The proc holds the set of functions that it was offered and its last call, until it ends. */
#include "api.h"

#include <stdio.h>
#include <stdlib.h>

struct caller {
	struct js_globals *js;
	nacre_invocation *inv;	/* the last one, for its answer */
};

static void released(struct heap *h, void *state)
{
	struct caller *c = state;

	(void)h;
	if (c->inv)
		invocation_put(c->inv);
	js_globals_put(c->js);
	free(c);
}

static const char *offer(struct sandbox *kernel, struct proc *p, size_t *n)
{
	const nacre_sandbox *sb = sandbox_user(kernel);
	struct caller *c = sys_attached(p);

	if (!c && sb->js && sb->js->offer_len) {
		c = calloc(1, sizeof(*c));
		if (c) {
			c->js = js_globals_get(sb->js);
			sys_attach(p, c, released);
		}
	}
	*n = c ? c->js->offer_len : 0;
	return c ? c->js->offer : "";
}

static const nacre_command *function_of(const struct js_globals *js, const char *name)
{
	if (streq(name, "fetch"))
		return js->has_fetch ? &js->fetch : NULL;
	for (size_t i = 0; i < js->n; i++)
		if (streq(js->v[i].name, name))
			return &js->v[i].cmd;
	return NULL;
}

static int ask(struct proc *p, const char *name, const char *text, const void *data, size_t n)
{
	struct caller *c = sys_attached(p);
	const nacre_command *cmd = c ? function_of(c->js, name) : NULL;
	char *argv[] = {(char *)(uintptr_t)name, (char *)(uintptr_t)text, NULL};
	nacre_invocation *inv;

	if (!cmd)
		return -NACRE_ENOENT;
	if (c->inv)
		invocation_put(c->inv);
	c->inv = inv = invocation_new(p, 2, argv, cmd);
	if (!inv)
		return -NACRE_ENOMEM;
	inv->js = js_globals_get(c->js);
	inv->input = malloc(n + 1);
	if (!inv->input)
		return -NACRE_ENOMEM;
	if (n)
		memcpy(inv->input, data, n);
	inv->input[n] = '\0';
	inv->input_len = n;
	return (int)invocation_call(p, inv);
}

static const char *answer(struct proc *p, int which, size_t *n)
{
	const struct caller *c = sys_attached(p);
	const struct invocation_text *t = c && c->inv && (which == 1 || which == 2) ? &c->inv->out[which - 1] : NULL;

	*n = t ? t->len : 0;
	return t && t->len ? t->ptr : "";
}

const struct sandbox_services js_services = {offer, ask, answer};

/* ---- What the host says ----------------------------------------------------------------------- */

/* On what is standard error of a command: a NUL, the code, a NUL, the message. Without the first NUL it is a message alone. */
void nacre_js_throw(nacre_invocation *inv, const char *code, const char *message)
{
	inv->out[1].len = 0;
	nacre_invocation_write(inv, 2, "", 1);
	nacre_invocation_write(inv, 2, code ? code : "", (code ? strlen(code) : 0) + 1);
	nacre_invocation_write(inv, 2, message ? message : "", message ? strlen(message) : 0);
	nacre_invocation_complete(inv, 1);
}

/* There, too: the status, and the headers, a line each. */
int nacre_fetch_respond(nacre_invocation *inv, int status, const char *const *headers)
{
	char text[16];
	int e;

	if (status < 200 || status > 599)
		return -NACRE_EINVAL;
	for (size_t i = 0; headers && headers[i]; i++)
		if (!strchr(headers[i], ':') || headers[i][0] == ':' || strpbrk(headers[i], "\r\n"))
			return -NACRE_EINVAL;
	inv->out[1].len = 0;
	snprintf(text, sizeof(text), "%d", status);
	e = nacre_invocation_write(inv, 2, text, strlen(text));
	for (size_t i = 0; headers && headers[i] && e == 0; i++) {
		e = nacre_invocation_write(inv, 2, "\n", 1);
		if (e == 0)
			e = nacre_invocation_write(inv, 2, headers[i], strlen(headers[i]));
	}
	return e;
}
