/*
 * declare.c - declare, typeset, local, export, readonly: variables, their attributes, functions.
 *
 * One engine: an argument is a name with or without a value. The attributes that shape the
 * value go on before it is assigned, readonly goes on after. An array literal comes as a tree
 * beside its argument (sh->decl), so that it is expanded once the variable has its kind.
 */
#include "declare.h"

/* ---- One argument ---------------------------------------------------------------- */

static void fail(struct declare *d, const char *what, int error)
{
	char buf[VALUE_BUF];
	struct str value;

	/* What is wrong is the value the variable has. */
	if (error == VAR_E_REF_NAME && state_get(d->sh->st, str_from(what), buf, &value))
		builtin_error(d->sh, "`%.*s': %s", (int)value.len, value.ptr,
		              var_error_text(error));
	else if (error == VAR_E_SUBSCRIPT)
		builtin_assign_error(d->sh, what, error);
	else
		builtin_error(d->sh, "%s: %s", what, var_error_text(error));
	d->status = 1;
}

static bool settle_errors(struct declare *d, bool ok)
{
	struct expander *x = &d->sh->x;

	if (ok)
		return true;
	d->status = 1;
	if (x->error == EXPAND_ASSIGN)
		x->error = EXPAND_NONE;
	return false;
}

/* The parts of name=value, name+=value, name[sub]=value, name. */
struct target {
	struct str name, sub, value;
	bool has_sub, has_value, append;
};

static bool dissect(const char *s, struct target *t)
{
	size_t n = 0, depth = 0;

	*t = (struct target){0};
	while (name_char(s[n]))
		n++;
	t->name = (struct str){s, n};
	if (n == 0 || !name_start(s[0]))
		return false;
	s += n;
	if (*s == '[') {
		const char *at = s;

		do {
			if (*at == '[')
				depth++;
			else if (*at == ']')
				depth--;
			at++;
		} while (*at && depth);
		if (depth)
			return false;
		t->has_sub = true;
		t->sub = (struct str){s, (size_t)(at - s)};
		s = at;
	}
	if (*s == '+' && s[1] == '=') {
		t->append = true;
		s++;
	}
	if (*s == '=') {
		t->has_value = true;
		t->value = str_from(s + 1);
		return true;
	}
	return *s == '\0';
}

static bool is_compound(struct str v)
{
	return v.len >= 2 && v.ptr[0] == '(' && v.ptr[v.len - 1] == ')';
}

static bool settle_errors(struct declare *d, bool ok);

/* A value for a variable that takes none: then its attributes stay, too. */
static bool is_readonly(const struct declare *d, struct str name)
{
	const struct var *v = d->where == VAR_GLOBAL ? state_find_global(d->sh->st, name) : state_find(d->sh->st, name);

	return v && (v->flags & VAR_READONLY) && !d->export_style && !(v->flags & VAR_NAMEREF) &&
	       (d->where != VAR_LOCAL || is_local_here(d->sh, v));
}

/* export and readonly of a reference that refers to no variable: to nothing yet, or to an element. It gets the value;
 * then there may be a variable. bash complains, and its status does not tell. */
static bool export_reference(struct declare *d, struct target *t, struct str to, struct str *name)
{
	struct shell *sh = d->sh;

	if (t->has_value) {
		sh->x.command = sh->builtin_name;
		settle_errors(d, assign_text(&sh->x, t->name, t->value, d->where, t->append ? ASSIGN_APPEND : 0));
		sh->x.command = NULL;
	}
	t->has_value = false;
	if (str_eq(to, t->name)) {
		const struct var *v = state_find(sh->st, t->name);

		to = v && (v->flags & VAR_SET) ? sval_str(&v->s) : STR("");
	}
	*name = (struct str){u_strndup(sh->p, to.ptr, to.len), to.len};
	if (!name_valid(to))
		builtin_error(sh, "`%s': not a valid identifier", name->ptr);
	return name_valid(to);
}

/* `declare ref` of a name reference that is visible here is about what it refers to. False: all is said and done. */
static bool follow(struct declare *d, struct target *t, uint32_t *on, struct str *name)
{
	struct shell *sh = d->sh;
	const struct var *v = d->where == VAR_GLOBAL ? state_find_global(sh->st, t->name)
	                                             : state_find(sh->st, t->name);
	struct str to, base, sub;

	*name = t->name;
	if (((d->on | d->off) & VAR_NAMEREF) || !v || !(v->flags & VAR_NAMEREF))
		return true;
	if (d->where == VAR_LOCAL && !is_local_here(sh, v))
		return true;
	if (d->where == VAR_GLOBAL && v->level == 0 && state_find(sh->st, t->name) != v)
		return true;
	if (state_resolve(sh->st, t->name, &to) != VAR_OK)
		return true;
	if (name_valid(to) && !str_eq(to, t->name)) {
		*name = (struct str){u_strndup(sh->p, to.ptr, to.len), to.len};
		return true;
	}
	if (d->export_style)
		return export_reference(d, t, to, name);
	if (t->has_sub || !name_split(to, &base, &sub))
		return true;
	/* declare -i r, where r is a[1]: the array. */
	*name = (struct str){u_strndup(sh->p, base.ptr, base.len), base.len};
	t->sub = str_from(u_format(sh->p, "[%.*s]", (int)sub.len, sub.ptr));
	t->has_sub = t->has_value;
	v = state_find(sh->st, *name);
	if (!v || !(v->flags & VAR_ASSOC))
		*on |= VAR_ARRAY;
	return true;
}

static bool refuse(struct declare *d, const char *fmt, struct str what)
{
	builtin_error(d->sh, fmt, u_strndup(d->sh->p, what.ptr, what.len));
	d->status = 1;
	return false;
}

/* declare -n r=x: looked at before there is an r. */
static bool may_refer(struct declare *d, const struct target *t)
{
	struct shell *sh = d->sh;
	struct str base = t->value, sub;
	bool element;

	if (t->has_sub)
		return refuse(d, "%s: reference variable cannot be an array",
		              (struct str){t->name.ptr, t->name.len + t->sub.len});
	if (!t->has_value || t->append)
		return true;
	if (!t->value.len)
		return refuse(d, "`%s': not a valid identifier", t->value);
	element = !name_valid(t->value);
	if (element && !(name_split(t->value, &base, &sub) && name_valid(base)))
		return refuse(d, "`%s': invalid variable name for name reference", t->value);
	if (!str_eq(base, t->name))
		return true;
	if (!frame_find(sh->st, FRAME_FUNCTION))
		return refuse(d, "%s: nameref variable self references not allowed", t->name);
	builtin_error(sh, "warning: %.*s: circular name reference", (int)t->name.len, t->name.ptr);
	if (element)
		shell_error(sh, "warning: %.*s: circular name reference", (int)t->name.len, t->name.ptr);
	return true;
}

static void function_attributes(struct declare *d, const char *name)
{
	struct str s = str_from(name);
	uint32_t bits = VAR_EXPORT | VAR_READONLY | VAR_TRACE;

	if (d->export_style && (d->on & VAR_EXPORT) && (strchr(name, '=') || strchr(name, '/'))) {
		builtin_error(d->sh, "%s: cannot export", name);
		d->status = 1;
		return;
	}

	if (!state_func(d->sh->st, s, ast_hash(s))) {
		if (d->export_style)
			builtin_error(d->sh, "%s: not a function", name);
		d->status = 1;
		return;
	}
	if (d->off & VAR_READONLY) {
		builtin_error(d->sh, "%s: readonly function", name);
		d->status = 1;
		return;
	}
	if (state_func_flags(d->sh->st, s, d->on & bits, d->off & bits))
		d->status = 1;
}

static void value(struct declare *d, const struct target *t, struct str name,
                  const struct assign *tree)
{
	struct shell *sh = d->sh;
	unsigned flags = t->append ? ASSIGN_APPEND : 0;
	const struct var *v;
	bool ok;

	if (d->on & VAR_NAMEREF)
		flags |= ASSIGN_NOREF;
	if (tree) {
		if (settle_errors(d, assign_tree(&sh->x, tree, d->where, flags)) &&
		    UNLIKELY(set_is(sh, SET_XTRACE)))
			trace_array_value(sh, name, t->append, tree->array->n);
		return;
	}
	if (UNLIKELY(set_is(sh, SET_XTRACE)) && d->export_style)
		trace_value(sh, name, t->append, t->value);
	v = state_find(sh->st, name);
	if (!t->has_sub && is_compound(t->value) && v && (v->flags & (VAR_ARRAY | VAR_ASSOC))) {
		settle_errors(d, assign_compound(&sh->x, name, t->value, d->where, flags));
		return;
	}
	if (t->has_sub)
		name = str_from(u_format(sh->p, "%.*s%.*s", (int)name.len, name.ptr,
		                         (int)t->sub.len, t->sub.ptr));
	ok = assign_text(&sh->x, name, t->value, d->where, flags);
	settle_errors(d, ok);
}

static void declare_one(struct declare *d, char *arg, const struct assign *tree)
{
	struct shell *sh = d->sh;
	uint32_t on = d->on & ~VAR_READONLY, off = d->off;
	struct target t;
	struct str name;
	bool stays;
	int r;

	if (tree) {
		t = (struct target){.name = tree->name, .has_value = true, .append = tree->append};
		if (!(on & VAR_ASSOC))
			on |= VAR_ARRAY;
	} else if (!dissect(arg, &t)) {
		builtin_error(sh, "`%s': not a valid identifier", arg);
		d->status = 1;
		return;
	}
	if (t.has_sub && d->export_style) {
		builtin_error(sh, "`%s': not a valid identifier", arg);
		d->status = 1;
		return;
	}
	if (t.has_sub && !(on & VAR_ASSOC))
		on |= VAR_ARRAY;
	/* readonly -a without a value makes no array. */
	if (d->export_style && !t.has_value)
		on &= ~(uint32_t)(VAR_ARRAY | VAR_ASSOC);
	if (t.has_value && is_readonly(d, t.name)) {
		if (tree)
			shell_report(sh, "%.*s: readonly variable", (int)t.name.len, t.name.ptr);
		else
			fail(d, u_strndup(sh->p, t.name.ptr, t.name.len), VAR_E_READONLY);
		d->status = 1;
		if (tree)
			sh->x.error = EXPAND_FAIL;
		return;
	}
	/* declare -na: an array, unless it is one already, which is a mistake. */
	if ((on & VAR_NAMEREF) && (on & (VAR_ARRAY | VAR_ASSOC)) && !t.has_sub) {
		const struct var *v = state_find(sh->st, t.name);

		if (!v || !(v->flags & (VAR_ARRAY | VAR_ASSOC)))
			on &= ~(uint32_t)VAR_NAMEREF;
	}
	if ((d->on & VAR_NAMEREF) && (on & VAR_NAMEREF) && !may_refer(d, &t))
		return;
	if (!follow(d, &t, &on, &name))
		return;
	/* An array that is already of the other kind keeps it under a literal. */
	if ((on & VAR_ARRAY) && !(d->on & VAR_ARRAY)) {
		const struct var *v = state_find(sh->st, name);

		if (v && (v->flags & VAR_ASSOC) && (d->where != VAR_LOCAL || is_local_here(sh, v)))
			on &= ~(uint32_t)VAR_ARRAY;
	}
	/* A local variable is exported when the one it hides is. */
	if (d->where == VAR_LOCAL && !(off & VAR_EXPORT)) {
		const struct var *v = state_find(sh->st, name);

		if (v && (v->flags & VAR_EXPORT) && !is_local_here(sh, v))
			on |= VAR_EXPORT;
	}
	/* +n with a value: it goes where the reference leads. */
	if (t.has_value && (off & VAR_NAMEREF)) {
		const struct var *v = state_find(sh->st, name);

		if (v && (v->flags & VAR_NAMEREF)) {
			value(d, &t, name, tree);
			t.has_value = false;
		}
	}
	stays = (d->on & (VAR_EXPORT | VAR_READONLY)) && d->where != VAR_GLOBAL && state_is_temp(sh->st, name);
	r = state_declare(sh->st, name, d->where, on, off, NULL);
	if (r) {
		fail(d, u_strndup(sh->p, name.ptr, name.len), r);
		return;
	}
	if (t.has_value) {
		int before = d->status;

		d->status = 0;
		value(d, &t, name, tree);
		if (d->status)
			return;
		d->status = before;
	}
	if (UNLIKELY(stays))
		state_outlast(sh->st, name);
	if (d->on & VAR_READONLY)
		state_declare(sh->st, name, d->where, VAR_READONLY, 0, NULL);
}

/* ---- The builtins ------------------------------------------------------------------ */

static uint32_t attribute(int c)
{
	switch (c) {
	case 'a': return VAR_ARRAY;
	case 'A': return VAR_ASSOC;
	case 'i': return VAR_INTEGER;
	case 'l': return VAR_LOWER;
	case 'u': return VAR_UPPER;
	case 'c': return VAR_CAPITAL;
	case 'n': return VAR_NAMEREF;
	case 'r': return VAR_READONLY;
	case 't': return VAR_TRACE;
	case 'x': return VAR_EXPORT;
	default: return 0;
	}
}

static int operands(struct declare *d, struct args *a)
{
	struct shell *sh = d->sh;
	const struct assign **decl = sh->decl;
	const char *command = sh->x.command;

	/* export and readonly do not name themselves when an assignment fails, but for numbers. */
	sh->x.command = d->export_style ? NULL : sh->builtin_name;
	sh->x.arith_prefix = d->export_style ? sh->builtin_name : NULL;
	for (; a->i < a->argc; a->i++) {
		const struct assign *tree = decl ? decl[a->i] : NULL;

		if (d->functions && !((d->on | d->off) & (VAR_EXPORT | VAR_READONLY | VAR_TRACE)))
			declare_named(d, a->argv[a->i]);
		else if (d->functions)
			function_attributes(d, a->argv[a->i]);
		else if (d->print && !d->export_style)
			declare_named(d, a->argv[a->i]);
		else
			declare_one(d, a->argv[a->i], tree);
		if (sh->x.error) {
			sh->x.command = command;
			sh->x.arith_prefix = NULL;
			machine_expand_failed(sh);
			return 1;
		}
	}
	sh->x.command = command;
	sh->x.arith_prefix = NULL;
	return d->status;
}

static int declare(struct shell *sh, int argc, char **argv, bool local)
{
	struct declare d = {.sh = sh, .local = local};
	struct args a;
	int c;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "+aAfFgiIlcnprtux")) > 0) {
		uint32_t bit = attribute(c);

		if (bit) {
			*(a.on ? &d.on : &d.off) |= bit;
			continue;
		}
		d.print |= c == 'p';
		d.functions |= c == 'f' || c == 'F';
		d.names_only |= c == 'F';
		d.global |= c == 'g';
		d.inherit |= c == 'I';
	}
	if (c < 0)
		return USAGE_STATUS;
	if ((d.on & VAR_UPPER) && (d.on & VAR_LOWER))
		d.on &= ~(uint32_t)(VAR_UPPER | VAR_LOWER);
	if (a.i >= argc)
		return declare_list(&d);
	if (local && streq(argv[a.i], "-")) {
		struct frame *f = frame_own(sh->st);

		f->has_opts = true;
		f->opts = sh->st->opts;
		a.i++;
	}
	d.where = VAR_VISIBLE;
	if (d.global)
		d.where = VAR_GLOBAL;
	else if (frame_find(sh->st, FRAME_FUNCTION))
		d.where = VAR_LOCAL;
	return operands(&d, &a);
}

int builtin_declare(struct shell *sh, int argc, char **argv)
{
	return declare(sh, argc, argv, false);
}

int builtin_local(struct shell *sh, int argc, char **argv)
{
	if (!frame_find(sh->st, FRAME_FUNCTION)) {
		builtin_error(sh, "can only be used in a function");
		return 1;
	}
	return declare(sh, argc, argv, true);
}

static int export_like(struct shell *sh, int argc, char **argv, uint32_t bit, const char *letters)
{
	struct declare d = {.sh = sh, .export_style = true, .where = VAR_VISIBLE, .on = bit};
	struct args a;
	int c;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, letters)) > 0) {
		if (c == 'n') {
			d.on &= ~bit;
			d.off |= bit;
		}
		d.functions |= c == 'f';
		d.print |= c == 'p';
		d.on |= c == 'a' || c == 'A' ? attribute(c) : 0;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i >= argc) {
		d.on |= bit;
		d.print = true;
		return declare_list(&d);
	}
	return operands(&d, &a);
}

int builtin_export(struct shell *sh, int argc, char **argv)
{
	return export_like(sh, argc, argv, VAR_EXPORT, "fnp");
}

int builtin_readonly(struct shell *sh, int argc, char **argv)
{
	return export_like(sh, argc, argv, VAR_READONLY, "aAfp");
}
