/* declare_print.c - what declare and its kin print: variables, functions, all of them or by name. */
#include "../syntax/print.h"
#include "declare.h"

void declare_print_function(struct shell *sh, const struct func *f)
{
	struct str s = print_function(&sys_self(sh->p)->arena, f->def);

	u_put(&sh->out, s.ptr, s.len);
	u_putc(&sh->out, '\n');
}

static void print_variable(struct shell *sh, const struct var *v)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	var_print(&sh->x, v, &b);
	u_buf_putc(&b, '\n');
	u_put(&sh->out, b.ptr, b.len);
	arena_reset(a, mark);
}

/* In posix mode `export -p` and `readonly -p` write lines of their own kind: export x="1", readonly -a a=(...). */
static void print_posix(struct shell *sh, const struct var *v)
{
	struct u_buf b;
	const char *at, *end;

	u_buf_init(&b, sh->p, 0);
	var_print(&sh->x, v, &b);
	u_buf_putc(&b, '\n');
	at = b.ptr + strlen("declare -");
	end = memchr(at, ' ', b.len - (size_t)(at - b.ptr));
	u_puts(&sh->out, sh->builtin_name);
	for (; at < end; at++)
		if (*at == 'a' || *at == 'A')
			u_printf(&sh->out, " -%c", *at);
	u_put(&sh->out, end, b.len - (size_t)(end - b.ptr));
}

static void print_functions(struct declare *d)
{
	const struct func **v;
	size_t n = state_funcs(d->sh->st, &v);

	for (size_t i = 0; i < n; i++) {
		bool exported = (v[i]->flags & VAR_EXPORT) != 0,
		     ro = (v[i]->flags & VAR_READONLY) != 0;

		if ((d->on & VAR_EXPORT && !exported) || (d->on & VAR_READONLY && !ro))
			continue;
		if (!d->names_only)
			declare_print_function(d->sh, v[i]);
		if (d->names_only || d->export_style || exported || ro)
			u_printf(&d->sh->out, "declare -f%s%s%s %s\n", ro ? "r" : "",
			         v[i]->flags & VAR_TRACE ? "t" : "", exported ? "x" : "",
			         v[i]->name);
	}
}

void declare_list_all(struct shell *sh)
{
	const struct var **v;
	const struct func **f;
	size_t n = state_vars(sh->st, &v);

	for (size_t i = 0; i < n; i++) {
		struct arena *a = &sys_self(sh->p)->arena;
		struct arena_mark mark = arena_mark(a);
		struct u_buf b;

		if (!(v[i]->flags & VAR_SET))
			continue;
		u_buf_init(&b, sh->p, 0);
		u_buf_printf(&b, "%s=", v[i]->name);
		var_print_value(&sh->x, v[i], &b);
		u_buf_putc(&b, '\n');
		u_put(&sh->out, b.ptr, b.len);
		arena_reset(a, mark);
	}
	if (set_is(sh, SET_POSIX))
		return;
	n = state_funcs(sh->st, &f);
	for (size_t i = 0; i < n; i++)
		declare_print_function(sh, f[i]);
}

bool is_local_here(const struct shell *sh, const struct var *v)
{
	const struct frame *f = frame_find(sh->st, FRAME_FUNCTION);

	return f && v->level == f->level;
}

int declare_list(struct declare *d)
{
	const struct var **v;
	uint32_t want = d->on & VAR_ATTRS;
	size_t n;

	if (d->functions) {
		print_functions(d);
		return 0;
	}
	if (!want && !d->print && !d->local) {
		declare_list_all(d->sh);
		return 0;
	}
	n = state_vars(d->sh->st, &v);
	for (size_t i = 0; i < n; i++) {
		if (d->local && !is_local_here(d->sh, v[i]))
			continue;
		if ((v[i]->flags & want) != want)
			continue;
		if (d->export_style && set_is(d->sh, SET_POSIX))
			print_posix(d->sh, v[i]);
		else
			print_variable(d->sh, v[i]);
	}
	return 0;
}

void declare_named(struct declare *d, const char *name)
{
	struct shell *sh = d->sh;
	const struct var *v;
	const struct func *f;

	if (d->functions) {
		f = state_func(sh->st, str_from(name), ast_hash(str_from(name)));
		if (f && d->names_only && !d->print && shopt_is(sh, SHOPT_EXTDEBUG))
			u_printf(&sh->out, "%s %u %s\n", name, f->line,
			         f->source ? f->source->s : "main");
		else if (f && d->names_only)
			u_printf(&sh->out, d->print ? "declare -f %s\n" : "%s\n", name);
		else if (f)
			declare_print_function(sh, f);
		else if (d->print)
			builtin_error(sh, "%s: not found", name);
		if (!f)
			d->status = 1;
		return;
	}
	v = state_materialize(sh->st, str_from(name));
	if (!v) {
		builtin_error(sh, "%s: not found", name);
		d->status = 1;
		return;
	}
	print_variable(sh, v);
}

