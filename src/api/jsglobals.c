/* jsglobals.c - the functions that the host adds to JavaScript: sets of them, checked when they are made, never changed. */
#include "api.h"
#include "jsnames.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FUNCTIONS_MAX 1000u
#define NAME_MAX_LEN  128u
#define SEGMENTS_MAX  8u
#define PRELUDE_MAX   ((size_t)1 << 20)

struct js_globals *js_globals_get(struct js_globals *g)
{
	if (g)
		atomic_fetch_add_explicit(&g->refs, 1, memory_order_relaxed);
	return g;
}

void js_globals_put(struct js_globals *g)
{
	if (!g || atomic_fetch_sub_explicit(&g->refs, 1, memory_order_acq_rel) != 1)
		return;
	for (size_t i = 0; i < g->n; i++)
		free(g->v[i].name);
	free(g->v);
	free(g->prelude);
	free(g->offer);
	free(g);
}

/* ---- Names --------------------------------------------------------------------------- */

static int PRINTF(3, 4) fault(char *why, int code, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, API_ERROR_MAX, format, ap);
	va_end(ap);
	return code;
}

static bool is_segment(const char *s, size_t n)
{
	if (!n || ascii_digit(s[0]))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!ascii_alnum(s[i]) && s[i] != '_')
			return false;
	return n != 9 || memcmp(s, "__proto__", 9) != 0;
}

static int check_name(const char *name, char *why)
{
	size_t segments = 0;

	if (!name || !*name || strlen(name) > NAME_MAX_LEN)
		return fault(why, -NACRE_EINVAL, "a function needs a name of 1 to %u bytes", NAME_MAX_LEN);
	for (const char *s = name;; s++) {
		size_t n = strcspn(s, ".");

		if (!is_segment(s, n) || ++segments > SEGMENTS_MAX)
			return fault(why, -NACRE_EINVAL, "'%s' is not a name: at most %u segments of letters, digits and '_', joined by dots", name, SEGMENTS_MAX);
		if (segments == 1 && js_name_is_taken(s, n))
			return fault(why, -NACRE_EEXIST, "'%.*s' is a name of JavaScript's own", (int)n, s);
		s += n;
		if (!*s)
			return 0;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct js_function *)a)->name, ((const struct js_function *)b)->name);
}

/* Sorted: is a name the beginning of another? What begins with "a." need not come right after "a" ("a-" would, but has no
 * such character; digits, letters and '_' sort behind the dot), so neighbours are enough. */
static int check_neighbours(const struct js_globals *g, char *why)
{
	for (size_t i = 1; i < g->n; i++) {
		const char *a = g->v[i - 1].name, *b = g->v[i].name;
		size_t n = strlen(a);

		if (streq(a, b))
			return fault(why, -NACRE_EINVAL, "'%s' is given twice", a);
		if (strncmp(a, b, n) == 0 && b[n] == '.')
			return fault(why, -NACRE_EEXIST, "'%s' is a function and cannot hold '%s'", a, b);
	}
	return 0;
}

/* ---- Sets ------------------------------------------------------------------------------ */

static struct js_globals *set_new(size_t cap)
{
	struct js_globals *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	atomic_init(&g->refs, 1);
	g->v = calloc(cap + 1, sizeof(*g->v));
	if (!g->v) {
		free(g);
		return NULL;
	}
	return g;
}

static bool add(struct js_globals *g, const nacre_command *fn)
{
	struct js_function *f = &g->v[g->n];

	f->name = strdup(fn->name);
	if (!f->name)
		return false;
	f->cmd = *fn;
	f->cmd.name = f->name;
	f->cmd.summary = f->name;
	g->n++;
	return true;
}

static bool is_named(const nacre_command *fns, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (streq(fns[i].name, name))
			return true;
	return false;
}

/* What programs are told: whether there is fetch, the names, nothing, the prelude; each but the last ends in NUL. */
static bool make_offer(struct js_globals *g)
{
	size_t n = 3 + g->prelude_len, at = 2;

	for (size_t i = 0; i < g->n; i++)
		n += strlen(g->v[i].name) + 1;
	g->offer = calloc(n + 1, 1);
	if (!g->offer)
		return false;
	if (!g->n && !g->has_fetch && !g->prelude)
		return true;
	g->offer[0] = g->has_fetch ? '1' : '0';
	for (size_t i = 0; i < g->n; i++) {
		size_t len = strlen(g->v[i].name) + 1;

		memcpy(g->offer + at, g->v[i].name, len);
		at += len;
	}
	at++;
	if (g->prelude)
		memcpy(g->offer + at, g->prelude, g->prelude_len);
	g->offer_len = at + g->prelude_len;
	return true;
}

/* What is not about functions. */
static bool inherit(struct js_globals *g, const struct js_globals *of)
{
	if (!of)
		return true;
	g->has_fetch = of->has_fetch;
	g->fetch = of->fetch;
	if (!of->prelude)
		return true;
	g->prelude = malloc(of->prelude_len + 1);
	if (!g->prelude)
		return false;
	memcpy(g->prelude, of->prelude, of->prelude_len + 1);
	g->prelude_len = of->prelude_len;
	return true;
}

static int fill(struct js_globals *g, const struct js_globals *of, enum js_change how, const nacre_command *fns, size_t n, char *why)
{
	int e = 0;

	for (size_t i = 0; of && how != JS_REPLACE && i < of->n; i++) {
		if (how == JS_EXTEND && is_named(fns, n, of->v[i].name))
			return fault(why, -NACRE_EEXIST, "there is '%s' already", of->v[i].name);
		if (!is_named(fns, n, of->v[i].name) && !add(g, &of->v[i].cmd))
			return fault(why, -NACRE_ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < n && e == 0; i++)
		e = add(g, &fns[i]) ? 0 : fault(why, -NACRE_ENOMEM, "out of memory");
	if (e == 0) {
		qsort(g->v, g->n, sizeof(*g->v), by_name);
		e = check_neighbours(g, why);
	}
	return e;
}

int js_globals_change(struct js_globals **out, const struct js_globals *of, enum js_change how, const nacre_command *fns, size_t n, char *why)
{
	struct js_globals *g;
	int e = 0;

	*out = NULL;
	if (n > FUNCTIONS_MAX || (of && of->n + n > FUNCTIONS_MAX))
		return fault(why, -NACRE_EINVAL, "there may be at most %u functions", FUNCTIONS_MAX);
	for (size_t i = 0; i < n && e == 0; i++) {
		if (fns[i].size < sizeof(fns[i]) || !fns[i].run)
			return fault(why, -NACRE_EINVAL, "a function needs its size and a run function");
		e = check_name(fns[i].name, why);
	}
	if (e < 0)
		return e;
	g = set_new(n + (of ? of->n : 0));
	if (!g)
		return fault(why, -NACRE_ENOMEM, "out of memory");
	e = fill(g, of, how, fns, n, why);
	if (e == 0 && (!inherit(g, of) || !make_offer(g)))
		e = fault(why, -NACRE_ENOMEM, "out of memory");
	if (e < 0)
		js_globals_put(g);
	else
		*out = g;
	return e;
}

/* ---- Of a configuration ------------------------------------------------------------------ */

/* Gives the configuration a set that is the caller's. */
static int take(nacre_config *cfg, struct js_globals *g)
{
	struct settings *s = config_writable(cfg);

	if (!s) {
		js_globals_put(g);
		return config_no_memory(cfg);
	}
	js_globals_put(s->js);
	s->js = g;
	return config_done(cfg);
}

int nacre_config_js_global(nacre_config *cfg, const nacre_command *fn)
{
	struct js_globals *g;
	char why[API_ERROR_MAX];
	int e = fn ? js_globals_change(&g, cfg->now->js, JS_EXTEND, fn, 1, why) : fault(why, -NACRE_EINVAL, "a function is needed");

	return e < 0 ? config_fail(cfg, e, "%s", why) : take(cfg, g);
}

/* A copy of the configuration's set, to be changed before anybody sees it; but for the offer. */
static struct js_globals *copy_of(const nacre_config *cfg)
{
	struct js_globals *g;
	char why[API_ERROR_MAX];

	return js_globals_change(&g, cfg->now->js, JS_SET, NULL, 0, why) == 0 ? g : NULL;
}

static int offer_again(nacre_config *cfg, struct js_globals *g)
{
	free(g->offer);
	g->offer = NULL;
	if (make_offer(g))
		return take(cfg, g);
	js_globals_put(g);
	return config_no_memory(cfg);
}

int nacre_config_js_prelude(nacre_config *cfg, const char *text, size_t len)
{
	struct js_globals *g;

	if (text && !len)
		len = strlen(text);
	if (len > PRELUDE_MAX)
		return config_fail(cfg, -NACRE_EFBIG, "a prelude may have at most 1 MiB");
	g = copy_of(cfg);
	if (!g)
		return config_no_memory(cfg);
	free(g->prelude);
	g->prelude = text ? malloc(len + 1) : NULL;
	g->prelude_len = text ? len : 0;
	if (text && !g->prelude) {
		js_globals_put(g);
		return config_no_memory(cfg);
	}
	if (text) {
		memcpy(g->prelude, text, len);
		g->prelude[len] = '\0';
	}
	return offer_again(cfg, g);
}

int nacre_config_js_fetch(nacre_config *cfg, const nacre_command *handler)
{
	struct js_globals *g;

	if (handler && (handler->size < sizeof(*handler) || !handler->run))
		return config_fail(cfg, -NACRE_EINVAL, "a handler needs its size and a run function");
	g = copy_of(cfg);
	if (!g)
		return config_no_memory(cfg);
	g->has_fetch = handler != NULL;
	if (handler) {
		g->fetch = *handler;
		g->fetch.name = g->fetch.summary = "fetch";
	}
	return offer_again(cfg, g);
}

/* ---- Of a sandbox -------------------------------------------------------------------------- */

static int change(nacre_sandbox *sb, enum js_change how, const nacre_command *fns, size_t n)
{
	struct js_globals *g;
	char why[API_ERROR_MAX];
	int e = recording_refuses(sb->rt);

	if (e < 0)
		return e;
	e = n && !fns ? fault(why, -NACRE_EINVAL, "functions are needed") : js_globals_change(&g, sb->js, how, fns, n, why);
	if (e < 0)
		return runtime_fail(sb->rt, e, "%s", why);
	js_globals_put(sb->js);
	sb->js = g;
	sb->rt->error[0] = '\0';
	return 0;
}

int nacre_js_replace(nacre_sandbox *sb, const nacre_command *fns, size_t n)
{
	return change(sb, JS_REPLACE, fns, n);
}

int nacre_js_extend(nacre_sandbox *sb, const nacre_command *fns, size_t n)
{
	return change(sb, JS_EXTEND, fns, n);
}

int nacre_js_set(nacre_sandbox *sb, const nacre_command *fn)
{
	return change(sb, JS_SET, fn, 1);
}

int nacre_js_remove(nacre_sandbox *sb, const char *name)
{
	nacre_command *left = calloc((sb->js ? sb->js->n : 0) + 1, sizeof(*left));
	size_t n = 0;
	int e;

	if (!left)
		return runtime_fail(sb->rt, -NACRE_ENOMEM, "out of memory");
	for (size_t i = 0; sb->js && i < sb->js->n; i++)
		if (!name || !streq(sb->js->v[i].name, name))
			left[n++] = sb->js->v[i].cmd;
	if (!sb->js || n == sb->js->n)
		e = runtime_fail(sb->rt, -NACRE_ENOENT, "there is no '%s'", name ? name : "");
	else
		e = change(sb, JS_REPLACE, left, n);
	free(left);
	return e;
}

const char *nacre_js_name(const nacre_sandbox *sb, size_t i)
{
	return sb->js && i < sb->js->n ? sb->js->v[i].name : NULL;
}
