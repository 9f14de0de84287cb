/* type.c - type, hash, enable: what names mean, and where programs are. */
#include "args.h"

/* ---- type ------------------------------------------------------------------------- */

static void tell_alias(struct shell *sh, const char *name, const struct item_text *a,
                       enum type_style style)
{
	struct u_buf b;

	if (style == TYPE_WORD) {
		u_puts(&sh->out, "alias\n");
	} else if (style == TYPE_LONG) {
		u_printf(&sh->out, "%s is aliased to `%s'\n", name, a->text->s);
	} else if (style == TYPE_COMMAND_V) {
		u_buf_init(&b, sh->p, 0);
		u_shell_quote_single(&b, a->text->s, a->text->len);
		u_printf(&sh->out, "alias %s=", name);
		u_put(&sh->out, b.ptr, b.len);
		u_putc(&sh->out, '\n');
	}
}

static void tell(struct shell *sh, const char *name, enum type_style style, const char *word,
                 const char *text)
{
	switch (style) {
	case TYPE_WORD: u_printf(&sh->out, "%s\n", word); break;
	case TYPE_LONG: u_printf(&sh->out, "%s is %s\n", name, text); break;
	case TYPE_COMMAND_V: u_printf(&sh->out, "%s\n", name); break;
	default: break;
	}
}

static void tell_file(struct shell *sh, const char *name, const char *path, enum type_style style,
                      bool hashed)
{
	if (style == TYPE_WORD)
		u_puts(&sh->out, "file\n");
	else if (style == TYPE_LONG && hashed)
		u_printf(&sh->out, "%s is hashed (%s)\n", name, path);
	else if (style == TYPE_LONG)
		u_printf(&sh->out, "%s is %s\n", name, path);
	else
		u_printf(&sh->out, "%s\n", path);
}

struct type {
	bool all, no_functions, force_path;
	enum type_style style;
};

/* A path is what TYPE_PATH wants; the other kinds only keep it from being looked for. */
static bool not_a_file(struct shell *sh, const char *name, const struct type *t, bool *found)
{
	struct str s = str_from(name);
	const struct item_text *a = shopt_is(sh, SHOPT_EXPAND_ALIASES) ? state_alias(sh->st, s)
	                                                               : NULL;
	const struct func *f = t->no_functions ? NULL : state_func(sh->st, s, ast_hash(s));
	const struct builtin *b = builtin_find(s);

	if (a) {
		tell_alias(sh, name, a, t->style);
		*found = true;
		if (!t->all)
			return true;
	}
	if (syntax_is_reserved(s)) {
		tell(sh, name, t->style, "keyword", "a shell keyword");
		*found = true;
		if (!t->all)
			return true;
	}
	if (f) {
		tell(sh, name, t->style, "function", "a function");
		if (t->style == TYPE_LONG)
			declare_print_function(sh, f);
		*found = true;
		if (!t->all)
			return true;
	}
	if (b && !builtin_disabled(sh, b)) {
		tell(sh, name, t->style, "builtin",
		     set_is(sh, SET_POSIX) && (b->flags & BUILTIN_SPECIAL)
		             ? "a special shell builtin"
		             : "a shell builtin");
		*found = true;
		if (!t->all)
			return true;
	}
	return false;
}

static bool describe(struct shell *sh, const char *name, const struct type *t)
{
	bool found = false;
	const char **v;
	size_t n;

	if (!t->force_path && not_a_file(sh, name, t, &found))
		return true;
	if (strchr(name, '/')) {
		struct sys_stat st;

		if (sys_stat(sh->p, name, 0, &st) == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR &&
		    sys_access(sh->p, name, SYS_X_OK) == 0) {
			tell_file(sh, name, name, t->style, false);
			return true;
		}
		return found;
	}
	if (!t->all) {
		struct item *h = table_find(&sh->st->paths, name, strlen(name),
		                            table_hash(name, strlen(name)));
		int err;
		const char *path;

		if (h) {
			tell_file(sh, name, ((struct item_text *)(void *)h)->text->s, t->style,
			          true);
			return true;
		}
		path = lookup_path(sh, name, 0, &err);
		if (path) {
			tell_file(sh, name, path, t->style, false);
			return true;
		}
		return found;
	}
	n = lookup_path_all(sh, name, &v);
	for (size_t i = 0; i < n; i++)
		tell_file(sh, name, v[i], t->style, false);
	return found || n;
}

bool type_describe(struct shell *sh, const char *name, enum type_style style)
{
	struct type t = {.style = style};

	return describe(sh, name, &t);
}

int builtin_type(struct shell *sh, int argc, char **argv)
{
	struct type t = {.style = TYPE_LONG};
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "afptP")) > 0) {
		t.all |= c == 'a';
		t.no_functions |= c == 'f';
		if (c == 't')
			t.style = TYPE_WORD;
		if (c == 'p' || c == 'P')
			t.style = TYPE_PATH;
		t.force_path |= c == 'P';
	}
	if (c < 0)
		return USAGE_STATUS;
	for (; a.i < argc; a.i++) {
		if (describe(sh, argv[a.i], &t))
			continue;
		status = 1;
		if (t.style == TYPE_LONG)
			builtin_error(sh, "%s: not found", argv[a.i]);
	}
	return status;
}

/* ---- hash -------------------------------------------------------------------------- */

static int list_hashed(struct shell *sh, bool reusable)
{
	const struct item_text **v;
	size_t n = state_texts(sh->st, &sh->st->paths, &v);

	if (n == 0 && !reusable) {
		if (!set_is(sh, SET_POSIX))
			u_printf(&sh->out, "%s: hash table empty\n", sh->builtin_name);
		return 0;
	}
	if (!reusable)
		u_puts(&sh->out, "hits\tcommand\n");
	for (size_t i = 0; i < n; i++) {
		if (reusable)
			u_printf(&sh->out, "builtin hash -p %s %s\n", v[i]->text->s, v[i]->name);
		else
			u_printf(&sh->out, "%4u\t%s\n", v[i]->hits, v[i]->text->s);
	}
	return 0;
}

static int hash_one(struct shell *sh, const char *name)
{
	struct str s = str_from(name);
	const char *path;
	int err;

	if (strchr(name, '/') || builtin_find(s) || state_func(sh->st, s, ast_hash(s)))
		return 0;
	path = lookup_path(sh, name, 0, &err);
	if (!path || err) {
		builtin_error(sh, "%s: not found", name);
		return 1;
	}
	state_set_text(sh->st, &sh->st->paths, s, str_from(path));
	return 0;
}

int builtin_hash(struct shell *sh, int argc, char **argv)
{
	bool forget = false, drop = false, tell_paths = false, reusable = false;
	const char *path = NULL;
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "dlp:rt")) > 0) {
		drop |= c == 'd';
		reusable |= c == 'l';
		forget |= c == 'r';
		tell_paths |= c == 't';
		if (c == 'p')
			path = a.value;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (!set_is(sh, SET_HASHALL)) {
		builtin_error(sh, "hashing disabled");
		return 1;
	}
	if (forget)
		state_clear_texts(sh->st, &sh->st->paths);
	if (a.i >= argc) {
		if (tell_paths) {
			builtin_error(sh, "-t: option requires an argument");
			return 1;
		}
		return forget ? 0 : list_hashed(sh, reusable);
	}
	for (int first = a.i; a.i < argc; a.i++) {
		struct str s = str_from(argv[a.i]);
		struct item *h = table_find(&sh->st->paths, s.ptr, s.len, table_hash(s.ptr, s.len));

		if (path) {
			state_set_text(sh->st, &sh->st->paths, s, str_from(path));
		} else if (tell_paths || drop) {
			if (!h) {
				builtin_error(sh, "%s: not found", argv[a.i]);
				status = 1;
			} else if (drop) {
				state_unset_text(sh->st, &sh->st->paths, s);
			} else if (reusable) {
				u_printf(&sh->out, "builtin hash -p %s %s\n",
				         ((struct item_text *)(void *)h)->text->s, argv[a.i]);
			} else if (argc - first > 1) {
				u_printf(&sh->out, "%s\t%s\n", argv[a.i],
				         ((struct item_text *)(void *)h)->text->s);
			} else {
				u_printf(&sh->out, "%s\n",
				         ((struct item_text *)(void *)h)->text->s);
			}
		} else {
			status |= hash_one(sh, argv[a.i]);
		}
	}
	return status;
}

/* ---- enable --------------------------------------------------------------------------- */

int builtin_enable(struct shell *sh, int argc, char **argv)
{
	bool all = false, off = false, special = false;
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "adnpsf:")) > 0) {
		all |= c == 'a';
		off |= c == 'n';
		special |= c == 's';
		if (c == 'f' || c == 'd') {
			builtin_error(sh, "dynamic loading not available");
			return 1;
		}
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i >= argc) {
		for (size_t i = 0; i < builtin_count; i++) {
			const struct builtin *b = &builtin_table[i];
			bool disabled = builtin_disabled(sh, b);

			if (special && !(b->flags & BUILTIN_SPECIAL))
				continue;
			if (all || disabled == off)
				u_printf(&sh->out, "enable %s%s\n", disabled ? "-n " : "", b->name);
		}
		return 0;
	}
	for (; a.i < argc; a.i++) {
		const struct builtin *b = builtin_find(str_from(argv[a.i]));
		size_t i;

		if (!b) {
			builtin_error(sh, "%s: not a shell builtin", argv[a.i]);
			status = 1;
			continue;
		}
		i = (size_t)(b - builtin_table);
		if (off)
			sh->disabled[i / 64] |= (uint64_t)1 << (i % 64);
		else
			sh->disabled[i / 64] &= ~((uint64_t)1 << (i % 64));
	}
	return status;
}
