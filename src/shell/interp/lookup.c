/*
 * lookup.c - what a command name means: function, builtin, or program by PATH.
 *
 * Programs of the sandbox stand in /bin and /usr/bin; when the search along PATH comes to
 * one of these, the table of programs answers at once and the program is started without
 * walking a path. Other directories are looked at as files. What was found is remembered
 * (`hash`) until PATH is assigned.
 */
#include "interp.h"

/* ---- PATH ------------------------------------------------------------------------ */

#define STANDARD_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static struct str path_value(struct shell *sh, unsigned flags)
{
	char buf[VALUE_BUF];
	struct str s;

	if (flags & LOOK_DEFAULT_PATH)
		return STR(STANDARD_PATH);
	if (state_get(sh->st, STR("PATH"), buf, &s))
		return s.ptr == buf ? str_from(u_strndup(sh->p, s.ptr, s.len)) : s;
	return STR("");
}

static bool is_bin(struct str dir)
{
	return str_is(dir, "/usr/bin") || str_is(dir, "/bin");
}

/* The next directory of a PATH; an empty one is ".". */
static bool next_dir(struct str *path, struct str *dir)
{
	const char *colon;

	if (!path->ptr)
		return false;
	colon = memchr(path->ptr, ':', path->len);
	dir->ptr = path->ptr;
	dir->len = colon ? (size_t)(colon - path->ptr) : path->len;
	if (colon) {
		path->len -= dir->len + 1;
		path->ptr = colon + 1;
	} else {
		path->ptr = NULL;
	}
	if (dir->len == 0)
		*dir = STR(".");
	return true;
}

static char *join(struct shell *sh, struct str dir, const char *name)
{
	size_t n = strlen(name);
	char *s = u_alloc(sh->p, dir.len + n + 2);
	char *at = s;

	memcpy(at, dir.ptr, dir.len);
	at += dir.len;
	if (at[-1] != '/')
		*at++ = '/';
	memcpy(at, name, n + 1);
	return s;
}

/* 0: may be run; else why not. */
static int runnable(struct shell *sh, const char *path)
{
	struct sys_stat st;
	int r = sys_stat(sh->p, path, 0, &st);

	if (r < 0)
		return r;
	if ((st.mode & SYS_S_TYPE) == SYS_S_DIR)
		return -NACRE_EISDIR;
	return sys_access(sh->p, path, SYS_X_OK);
}

const struct program *lookup_program_of(struct shell *sh, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (slash && is_bin((struct str){path, (size_t)(slash - path)}))
		return sys_program(sh->p, slash + 1);
	return NULL;
}

/* One directory's answer: the path, or NULL. A file that may not be run is kept in *poor. */
static const char *try_dir(struct shell *sh, struct str dir, const char *name, const char **poor)
{
	const char *path;
	int r;

	if (is_bin(dir) && sys_program(sh->p, name))
		return join(sh, dir, name);
	path = join(sh, dir, name);
	r = runnable(sh, path);
	if (r == 0)
		return path;
	if (r == -NACRE_EACCES && !*poor)
		*poor = path;
	return NULL;
}

const char *lookup_path(struct shell *sh, const char *name, unsigned flags, int *err)
{
	struct str path = path_value(sh, flags), dir;
	const char *poor = NULL, *hit;

	*err = -NACRE_ENOENT;
	if (name[0] == '\0')
		return NULL;
	while (next_dir(&path, &dir)) {
		hit = try_dir(sh, dir, name, &poor);
		if (hit) {
			*err = 0;
			return hit;
		}
	}
	if (poor)
		*err = -NACRE_EACCES;
	return poor;
}

size_t lookup_path_all(struct shell *sh, const char *name, const char ***out)
{
	struct str path = path_value(sh, 0), dir;
	const char *poor = NULL, *hit;
	size_t n = 0, cap = 0;
	const char **v = NULL;

	while (next_dir(&path, &dir)) {
		hit = try_dir(sh, dir, name, &poor);
		if (!hit)
			continue;
		if (n == cap) {
			v = arena_grow(&sys_self(sh->p)->arena, v, cap * sizeof *v,
			               (cap + 8) * sizeof *v);
			cap += 8;
		}
		v[n++] = hit;
	}
	*out = v;
	return n;
}

const char *lookup_source(struct shell *sh, const char *name)
{
	struct str path = path_value(sh, 0), dir;

	while (next_dir(&path, &dir)) {
		const char *file = join(sh, dir, name);
		struct sys_stat st;

		if (sys_stat(sh->p, file, 0, &st) == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR)
			return file;
	}
	return NULL;
}

/* ---- Names -------------------------------------------------------------------------- */

static void found_at(struct shell *sh, struct found *f, const char *path)
{
	f->path = path;
	f->program = lookup_program_of(sh, path);
}

/* How often a remembered path was used: a count that subshells may share. */
static struct item_text *remembered(struct shell *sh, struct str name)
{
	if (sh->path_seen != sh->st->path_changed) {
		state_clear_texts(sh->st, &sh->st->paths);
		sh->path_seen = sh->st->path_changed;
	}
	return (struct item_text *)(void *)table_find(&sh->st->paths, name.ptr, name.len,
	                                              table_hash(name.ptr, name.len));
}

static void lookup_program(struct shell *sh, struct str name, unsigned flags, struct found *f)
{
	struct item_text *t;
	const char *path;

	if (memchr(name.ptr, '/', name.len)) {
		found_at(sh, f, name.ptr);
		return;
	}
	if (name.len == 0) {
		f->err = -NACRE_ENOENT;
		return;
	}
	if (!(flags & (LOOK_DEFAULT_PATH | LOOK_NO_HASH))) {
		t = remembered(sh, name);
		if (t) {
			t->hits += !(flags & LOOK_ASIDE);
			found_at(sh, f, t->text->s);
			return;
		}
	}
	path = lookup_path(sh, name.ptr, flags, &f->err);
	if (!path)
		return;
	found_at(sh, f, path);
	if (f->err == 0 && set_is(sh, SET_HASHALL) &&
	    !(flags & (LOOK_DEFAULT_PATH | LOOK_NO_HASH | LOOK_ASIDE))) {
		state_set_text(sh->st, &sh->st->paths, name, str_from(path));
		t = remembered(sh, name);
		if (t)
			t->hits++;
	}
}

bool builtin_disabled(const struct shell *sh, const struct builtin *b)
{
	size_t i = (size_t)(b - builtin_table);

	return (sh->disabled[i / 64] >> (i % 64)) & 1u;
}

/* The builtin of that name, remembered by the hash of the name. */
static const struct builtin *known_builtin(struct shell *sh, struct str name, uint32_t hash)
{
	const struct builtin **slot = &sh->builtins[hash % COUNTOF(sh->builtins)];

	if (!*slot || !str_is(name, (*slot)->name)) {
		const struct builtin *b = builtin_find(name);

		if (!b)
			return NULL;
		*slot = b;
	}
	return *slot;
}

void lookup_command(struct shell *sh, struct str name, uint32_t hash, unsigned flags,
                    struct found *f)
{
	const struct builtin *b;

	*f = (struct found){0};
	if (!(flags & LOOK_NO_FUNCTION) && sh->st->funcs.n) {
		f->func = state_func(sh->st, name, hash);
		if (f->func && UNLIKELY(set_is(sh, SET_POSIX))) {
			b = builtin_find(name);
			if (b && (b->flags & BUILTIN_SPECIAL) && !builtin_disabled(sh, b)) {
				f->func = NULL;
				f->builtin = b;
			}
		}
		if (f->func || f->builtin)
			return;
	}
	if (!(flags & LOOK_NO_BUILTIN)) {
		b = known_builtin(sh, name, hash);
		if (b && !builtin_disabled(sh, b)) {
			f->builtin = b;
			return;
		}
	}
	if (!(flags & LOOK_NO_PROGRAM))
		lookup_program(sh, name, flags, f);
}
