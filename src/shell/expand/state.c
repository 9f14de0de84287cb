/* state.c - a shell's state as a whole: made, cloned, released; functions, aliases. */
#include "../syntax/print.h"
#include "var.h"
#include "../../user/user.h"

/* ---- Life cycle ------------------------------------------------------------- */

struct shell_state *state_new(struct proc *p)
{
	struct heap *h = sys_heap(p);
	struct shell_state *st = heap_zalloc(h, sizeof(*st));

	st->heap = h;
	state_adopt(st, p);
	st->opts = set_default();
	st->shopts = shopt_default();
	st->shell_pid = sys_getpid(p);
	st->seconds_base = sys_clock(p, SYS_CLOCK_REAL) / 1000000000;
	st->env_stale = true;
	st->line = 1;
	sys_random(p, &st->random_state, sizeof(st->random_state));
	st->random_state &= UINT32_MAX;
	/* PIPESTATUS is empty before the first command. */
	st->pipestatus = heap_zalloc(h, sizeof(*st->pipestatus));
	st->pipestatus->refs = 1;
	st->history_base = 1;
	ifs_load(st);
	state_import(st);
	return st;
}

struct shell_state *state_clone(struct shell_state *st)
{
	struct shell_state *c = heap_alloc(st->heap, sizeof(*c));

	*c = *st;
	c->pin = NULL;
	c->interp = NULL;
	c->jobs = c->handed = NULL;
	frames_clone(c);
	c->vars = table_clone(&st->vars);
	c->funcs = table_clone(&st->funcs);
	c->aliases = table_clone(&st->aliases);
	c->paths = table_clone(&st->paths);
	c->foreign = table_clone(&st->foreign);
	vstr_get(c->arg0);
	vstr_get(c->command_string);
	vstr_get(c->kept_command);
	if (c->traps)
		c->traps->refs++;
	if (c->shown_traps)
		c->shown_traps->refs++;
	if (c->dirs)
		c->dirs->refs++;
	if (c->history)
		c->history->refs++;
	if (c->completions)
		c->completions->refs++;
	if (c->pipestatus)
		c->pipestatus->refs++;
	if (c->env)
		c->env->refs++;
	sval_copy(st->heap, &c->last_arg, &st->last_arg);
	return c;
}

void state_adopt(struct shell_state *st, struct proc *p)
{
	st->p = p;
	sys_attach(p, st, state_release);
}

static void env_put(struct heap *h, struct env_block *e)
{
	if (e && --e->refs == 0)
		heap_free(h, e, e->size);
}

static void pipestatus_put(struct heap *h, struct pipe_status *s)
{
	if (s && --s->refs == 0)
		heap_free(h, s, sizeof(*s) + s->n);
}

void state_release(struct heap *h, void *state)
{
	struct shell_state *st = state;

	item_put(h, st->pin);
	frames_release(h, st);
	table_release(h, &st->vars);
	table_release(h, &st->funcs);
	table_release(h, &st->aliases);
	table_release(h, &st->paths);
	table_release(h, &st->foreign);
	vstr_put(h, st->jobs);
	vstr_put(h, st->handed);
	vstr_put(h, st->arg0);
	vstr_put(h, st->command_string);
	vstr_put(h, st->kept_command);
	traps_put(h, st->traps);
	traps_put(h, st->shown_traps);
	array_put(h, st->dirs);
	array_put(h, st->history);
	assoc_put(h, st->completions);
	pipestatus_put(h, st->pipestatus);
	env_put(h, st->env);
	sval_drop(h, &st->last_arg);
	heap_free(h, st, sizeof(*st));
}

/* ---- Environment ---------------------------------------------------------------- */

/* What a variable puts into the environment; false: nothing. A computed one is as it is now. */
static bool in_environment(struct shell_state *st, const struct var *v, struct str *value)
{
	char buf[VALUE_BUF];

	if ((v->flags & (VAR_EXPORT | VAR_ARRAY | VAR_ASSOC)) != VAR_EXPORT)
		return false;
	if (v->flags & VAR_DYNAMIC) {
		if (!state_get(st, item_name(&v->head), buf, value))
			return false;
		value->ptr = u_strndup(st->p, value->ptr, value->len);
		return true;
	}
	*value = sval_str(&v->s);
	return (v->flags & VAR_SET) != 0;
}

char **state_environ(struct shell_state *st)
{
	struct env_block *e, *old = st->env;
	struct item **vars, **funcs, **foreign;
	size_t nvars, nfuncs, nforeign, n = 0, size = 0;
	bool computed = false;
	struct str *values, *texts;
	char *at;

	if (old && !st->env_stale)
		return old->v;
	vars = u_array(st->p, st->vars.n + (size_t)1, sizeof(*vars));
	nvars = table_items(&st->vars, vars);
	values = u_array(st->p, nvars + 1, sizeof(*values));
	funcs = u_array(st->p, st->funcs.n + (size_t)1, sizeof(*funcs));
	nfuncs = table_items(&st->funcs, funcs);
	texts = u_array(st->p, nfuncs + 1, sizeof(*texts));
	for (size_t i = 0; i < nvars; i++) {
		if (!in_environment(st, as_var(vars[i]), &values[i])) {
			values[i].ptr = NULL;
			continue;
		}
		computed |= (as_var(vars[i])->flags & VAR_DYNAMIC) != 0;
		size = size_add(size, vars[i]->len + 2 + values[i].len);
		n++;
	}
	for (size_t i = 0; i < nfuncs; i++) {
		const struct func *f = (const struct func *)(void *)funcs[i];

		if (f->flags & VAR_EXPORT) {
			texts[i] = print_exported(&sys_self(st->p)->arena, f->def);
			size = size_add(size, funcs[i]->len + sizeof("BASH_FUNC_%%=") + texts[i].len);
			n++;
		}
	}
	foreign = u_array(st->p, st->foreign.n + (size_t)1, sizeof(*foreign));
	nforeign = table_items(&st->foreign, foreign);
	for (size_t i = 0; i < nforeign; i++, n++)
		size = size_add(size, foreign[i]->len + 2 + ((const struct item_text *)(void *)foreign[i])->text->len);
	size = size_add(size, sizeof(*e) + (n + 1) * sizeof(char *));
	e = heap_alloc(st->heap, size);
	e->refs = 1;
	e->size = size;
	at = (char *)(e->v + n + 1);
	n = 0;
	for (size_t i = 0; i < nvars; i++) {
		if (!values[i].ptr)
			continue;
		e->v[n++] = at;
		at = (char *)memcpy(at, vars[i]->name, vars[i]->len) + vars[i]->len;
		*at++ = '=';
		at = (char *)memcpy(at, values[i].ptr, values[i].len) + values[i].len;
		*at++ = '\0';
	}
	for (size_t i = 0; i < nfuncs; i++) {
		const struct func *f = (const struct func *)(void *)funcs[i];

		if (!(f->flags & VAR_EXPORT))
			continue;
		e->v[n++] = at;
		at = stpcpy(at, "BASH_FUNC_");
		at = (char *)memcpy(at, funcs[i]->name, funcs[i]->len) + funcs[i]->len;
		at = stpcpy(at, "%%=");
		at = (char *)memcpy(at, texts[i].ptr, texts[i].len) + texts[i].len;
		*at++ = '\0';
	}
	for (size_t i = 0; i < nforeign; i++) {
		const struct vstr *text = ((const struct item_text *)(void *)foreign[i])->text;

		e->v[n++] = at;
		at = (char *)memcpy(at, foreign[i]->name, foreign[i]->len) + foreign[i]->len;
		*at++ = '=';
		at = (char *)memcpy(at, text->s, text->len) + text->len;
		*at++ = '\0';
	}
	e->v[n] = NULL;
	st->env = e;
	st->env_stale = computed;
	env_put(st->heap, old);
	return e->v;
}

/* ---- Functions --------------------------------------------------------------------- */

const struct func *state_func(const struct shell_state *st, struct str name, uint32_t hash)
{
	return (const struct func *)(void *)table_find(&st->funcs, name.ptr, name.len, hash);
}

static struct func *func_own(struct shell_state *st, struct str name)
{
	struct item **slot = table_slot(st->heap, &st->funcs, name.ptr, name.len,
	                                table_hash(name.ptr, name.len));
	struct func *f, *c;

	if (!slot)
		return NULL;
	f = (struct func *)(void *)*slot;
	if (f->head.refs == 1)
		return f;
	c = heap_alloc(st->heap, sizeof(*c) + f->head.len + 1);
	memcpy(c, f, sizeof(*c) + f->head.len + 1);
	c->head.refs = 1;
	c->head.name = c->name;
	unit_get(c->unit);
	vstr_get(c->source);
	*slot = &c->head;
	f->head.refs--;
	return c;
}

int state_define(struct shell_state *st, const struct cmd_function *def, struct unit *unit,
                 struct vstr *source)
{
	struct str name = def->name;
	uint32_t hash = table_hash(name.ptr, name.len);
	const struct func *old = state_func(st, name, hash);
	struct func *f;

	if (old && (old->flags & VAR_READONLY))
		return VAR_E_READONLY;
	f = heap_alloc(st->heap, sizeof(*f) + name.len + 1);
	*f = (struct func){.head = {.refs = 1,
	                            .hash = hash,
	                            .name = f->name,
	                            .len = (uint32_t)name.len,
	                            .kind = ITEM_FUNC},
	                   .line = def->cmd.line,
	                   .def = def};
	memcpy(f->name, name.ptr, name.len);
	f->name[name.len] = '\0';
	f->unit = unit_get(unit);
	f->source = vstr_get(source);
	f->flags = old ? old->flags & VAR_EXPORT : 0;
	if (f->flags & VAR_EXPORT)
		st->env_stale = true;
	if (st->opts & SET_ALLEXPORT) {
		f->flags |= VAR_EXPORT;
		st->env_stale = true;
	}
	st->pin = &f->head;
	table_put(st->heap, &st->funcs, &st->pin);
	return VAR_OK;
}

int state_undefine(struct shell_state *st, struct str name)
{
	uint32_t hash = table_hash(name.ptr, name.len);
	const struct func *f = state_func(st, name, hash);

	if (!f)
		return VAR_E_NOT_SET;
	if (f->flags & VAR_READONLY)
		return VAR_E_READONLY;
	if (f->flags & VAR_EXPORT)
		st->env_stale = true;
	table_remove(st->heap, &st->funcs, name.ptr, name.len, hash);
	return VAR_OK;
}

int state_func_flags(struct shell_state *st, struct str name, uint32_t on, uint32_t off)
{
	struct func *f = func_own(st, name);

	if (!f)
		return VAR_E_NOT_SET;
	if ((f->flags & VAR_READONLY) && (off & VAR_READONLY))
		return VAR_E_READONLY;
	f->flags = (f->flags | on) & ~off;
	st->env_stale = true;
	return VAR_OK;
}

static size_t sorted(struct shell_state *st, const struct table *t, struct item ***out)
{
	size_t n;

	*out = u_array(st->p, t->n + (size_t)1, sizeof(struct item *));
	n = table_items(t, *out);
	items_sort(*out, n);
	(*out)[n] = NULL;
	return n;
}

size_t state_funcs(struct shell_state *st, const struct func ***out)
{
	struct item **v;
	size_t n = sorted(st, &st->funcs, &v);

	*out = (const struct func **)(void *)v;
	return n;
}

/* ---- Aliases and hashed paths --------------------------------------------------------- */

const struct item_text *state_alias(const struct shell_state *st, struct str name)
{
	return (const struct item_text *)(void *)table_find(&st->aliases, name.ptr, name.len,
	                                                    table_hash(name.ptr, name.len));
}

void state_set_text(struct shell_state *st, struct table *t, struct str name, struct str text)
{
	struct item_text *it = heap_alloc(st->heap, sizeof(*it) + name.len + 1);

	*it = (struct item_text){.head = {.refs = 1,
	                                  .hash = table_hash(name.ptr, name.len),
	                                  .name = it->name,
	                                  .len = (uint32_t)name.len,
	                                  .kind = ITEM_TEXT}};
	memcpy(it->name, name.ptr, name.len);
	it->name[name.len] = '\0';
	st->pin = &it->head;
	it->text = vstr_new(st->heap, text.ptr, text.len);
	table_put(st->heap, t, &st->pin);
}

bool state_unset_text(struct shell_state *st, struct table *t, struct str name)
{
	return table_remove(st->heap, t, name.ptr, name.len, table_hash(name.ptr, name.len));
}

void state_clear_texts(struct shell_state *st, struct table *t)
{
	table_release(st->heap, t);
}

size_t state_texts(struct shell_state *st, const struct table *t, const struct item_text ***out)
{
	struct item **v;
	size_t n = sorted(st, t, &v);

	*out = (const struct item_text **)(void *)v;
	return n;
}

/* ---- The rest ---------------------------------------------------------------------------- */

void state_set_last_arg(struct shell_state *st, struct str s)
{
	sval_set(st->heap, &st->last_arg, s.ptr, s.len);
}

static void set_vstr(struct shell_state *st, struct vstr **at, struct str s)
{
	struct vstr *old = *at;

	*at = vstr_new(st->heap, s.ptr, s.len);
	vstr_put(st->heap, old);
}

void state_set_arg0(struct shell_state *st, struct str s)
{
	set_vstr(st, &st->arg0, s);
}
void state_keep_command(struct shell_state *st, struct str s)
{
	set_vstr(st, &st->kept_command, s);
	st->command = vstr_str(st->kept_command);
}

void state_set_command_string(struct shell_state *st, struct str s)
{
	vstr_put(st->heap, st->command_string);
	st->command_string = s.ptr ? vstr_new(st->heap, s.ptr, s.len) : NULL;
}

void state_set_pipestatus(struct shell_state *st, const uint8_t *v, size_t n)
{
	struct pipe_status *old = st->pipestatus, *s;

	if (n == 1) {
		st->pipe_one = v[0];
		st->pipestatus = NULL;
		pipestatus_put(st->heap, old);
		return;
	}
	s = heap_alloc(st->heap, size_add(sizeof(*s), n));
	s->refs = 1;
	s->n = (uint32_t)n;
	memcpy(s->v, v, n);
	st->pipestatus = s;
	pipestatus_put(st->heap, old);
}

void state_set_opts(struct shell_state *st, uint64_t opts, uint64_t shopts)
{
	const struct var *v;

	if ((opts ^ st->opts) & SET_POSIX) {
		st->opts = opts;
		if (opts & SET_POSIX)
			shopts |= SHOPT_EXPAND_ALIASES | SHOPT_INHERIT_ERREXIT |
			          SHOPT_SHIFT_VERBOSE;
	}
	st->opts = opts;
	st->shopts = shopts;
	v = state_find(st, STR("SHELLOPTS"));
	if (v && (v->flags & VAR_EXPORT))
		st->env_stale = true;
}

/* ---- Directory stack ------------------------------------------------------------------------- */

/* st->dirs holds the entries below the cwd, the deepest one first. */
size_t dirs_count(const struct shell_state *st)
{
	return 1 + (st->dirs ? st->dirs->n : (size_t)0);
}

bool dirs_at(struct shell_state *st, size_t i, struct str *out)
{
	if (i == 0) {
		*out = state_cwd(st);
		return true;
	}
	if (i >= dirs_count(st))
		return false;
	*out = vstr_str(st->dirs->e[st->dirs->n - i].v);
	return true;
}

void dirs_push(struct shell_state *st, struct str dir)
{
	array_own(st->heap, &st->dirs);
	array_set(st->heap, &st->dirs, array_end(st->dirs), dir.ptr, dir.len, false);
}

bool dirs_remove(struct shell_state *st, size_t i)
{
	if (i == 0 || i >= dirs_count(st))
		return false;
	array_own(st->heap, &st->dirs);
	return array_unset(st->heap, &st->dirs, st->dirs->e[st->dirs->n - i].index);
}

void dirs_clear(struct shell_state *st)
{
	struct varray *old = st->dirs;

	st->dirs = NULL;
	array_put(st->heap, old);
}

struct str state_cwd(struct shell_state *st)
{
	struct str real = str_from(sys_getcwd(st->p)), pwd;
	struct sys_stat a, b;
	char buf[VALUE_BUF];

	if (!state_get(st, STR("PWD"), buf, &pwd) || pwd.len == 0 || pwd.ptr[0] != '/' ||
	    str_eq(pwd, real))
		return real;
	/* Right as long as it names the same directory. */
	pwd.ptr = u_strndup(st->p, pwd.ptr, pwd.len);
	if (sys_stat(st->p, pwd.ptr, 0, &a) < 0 || sys_stat(st->p, ".", 0, &b) < 0 ||
	    a.dev != b.dev || a.ino != b.ino)
		return str_from(sys_getcwd(st->p));
	return pwd;
}

/* ---- Names
 * --------------------------------------------------------------------------------------- */

bool name_valid(struct str s)
{
	if (s.len == 0 || !name_start(s.ptr[0]))
		return false;
	for (size_t i = 1; i < s.len; i++)
		if (!name_char(s.ptr[i]))
			return false;
	return true;
}

bool name_split(struct str s, struct str *name, struct str *sub)
{
	size_t n = 0, depth = 0;

	while (n < s.len && name_char(s.ptr[n]))
		n++;
	*name = (struct str){s.ptr, n};
	if (!name_valid(*name) || n + 2 >= s.len || s.ptr[n] != '[' || s.ptr[s.len - 1] != ']')
		return false;
	for (size_t i = n; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '\\' && i + 1 < s.len) {
			i++;
		} else if (c == '\'' || c == '"') {
			const char *end = memchr(s.ptr + i + 1, c, s.len - i - 1);

			if (end)
				i = (size_t)(end - s.ptr);
		} else if (c == '[') {
			depth++;
		} else if (c == ']' && --depth == 0 && i + 1 < s.len) {
			return false;
		}
	}
	*sub = (struct str){s.ptr + n + 1, s.len - n - 2};
	return depth == 0;
}
