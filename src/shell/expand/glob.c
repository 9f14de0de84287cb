/* glob.c - pathname expansion: patterns against the tree, one component at a time.
 *
 * A list of prefixes is carried from component to component; literal ones are only joined,
 * those with operators list the directories. No recursion, also not for **: its list of
 * directories grows while it is walked. */
#include "build.h"
#include "pattern.h"

struct paths {
	char **v;
	size_t n, cap;
};

static bool add(struct expander *x, struct paths *l, const char *a, size_t na, const char *b,
                size_t nb, const char *c, size_t nc)
{
	char *s = u_alloc(x->p, na + nb + nc + 1);

	if (l->n >= EXPAND_WORDS_MAX * 4)
		return expand_fail(x, EXPAND_FAIL, "pathname expansion: too many names");
	memcpy(s, a, na);
	memcpy(s + na, b, nb);
	memcpy(s + na + nb, c, nc);
	s[na + nb + nc] = '\0';
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;

		l->v = arena_grow(&sys_self(x->p)->arena, l->v, l->cap * sizeof(*l->v),
		                  cap * sizeof(*l->v));
		l->cap = cap;
	}
	l->v[l->n++] = s;
	return true;
}

/* With a look at (: for bash that is a pattern behind +@! with and without extglob, and behind a slash. */
static bool is_magic(struct str s)
{
	bool bracket = false;

	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '\\')
			i++;
		else if (c == '*' || c == '?')
			return true;
		else if (i + 1 < s.len && s.ptr[i + 1] == '(' && memchr("+@!/", c, 4))
			return true;
		else if (c == '[' || c == '/') /* a slash is in no bracket */
			bracket = c == '[';
		else if (c == ']' && bracket)
			return true;
	}
	return false;
}

static struct str unescape(struct expander *x, struct str s)
{
	char *t = u_alloc(x->p, s.len + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\\' && i + 1 < s.len)
			i++;
		t[n++] = s.ptr[i];
	}
	t[n] = '\0';
	return (struct str){t, n};
}

static bool is_dir(struct expander *x, const char *path, bool follow)
{
	struct sys_stat st;

	return sys_stat(x->p, path, follow ? 0 : SYS_NOFOLLOW, &st) >= 0 &&
	       (st.mode & SYS_S_TYPE) == SYS_S_DIR;
}

/* One component being matched. */
struct step {
	struct expander *x;
	const struct pattern *pat; /* NULL: every name (**) */
	bool dots;                 /* names with a leading dot too */
	bool last;
	bool bare;          /* ** behind a pattern: the directory itself comes without its slash */
	bool links;         /* the whole rest is a slash: links to directories count */
	struct str slashes; /* what follows the component */
	struct paths *out;
};

/* Whether a name that is not the last component may have something below it. */
static bool may_enter(const struct sys_dirent *e)
{
	return e->type == 0 || e->type == SYS_S_DIR || e->type == SYS_S_LINK;
}

static bool list_dir(struct step *s, const char *prefix)
{
	size_t np = strlen(prefix);
	struct sys_dirent e;
	bool ok = true;
	int fd = sys_open(s->x->p, np ? prefix : ".", SYS_O_READ | SYS_O_DIRECTORY, 0);

	if (fd < 0)
		return true;
	if (!(s->x->st->shopts & SHOPT_GLOBSKIPDOTS) && s->pat) {
		static const char *const dots[] = {".", ".."};

		for (int i = 0; i < 2 && ok; i++)
			if (pattern_whole(s->x, s->pat, str_from(dots[i])))
				ok = add(s->x, s->out, prefix, np, dots[i], strlen(dots[i]),
				         s->slashes.ptr, s->slashes.len);
	}
	while (ok && sys_readdir(s->x->p, fd, &e) > 0) {
		if (!s->last && !may_enter(&e))
			continue;
		if (e.name[0] == '.' && !s->dots && !s->pat)
			continue;
		if (s->pat && !pattern_whole(s->x, s->pat, (struct str){e.name, e.len}))
			continue;
		ok = add(s->x, s->out, prefix, np, e.name, e.len, s->slashes.ptr, s->slashes.len);
		sys_checkpoint(s->x->p);
	}
	sys_close(s->x->p, fd);
	return ok;
}

/* **: the prefix and every directory below it, or with `last` every file too. */
static bool globstar(struct step *s, const char *prefix)
{
	struct paths dirs = {NULL, 0, 0};
	bool only_dirs = !s->last;

	if (!add(s->x, &dirs, prefix, strlen(prefix), "", 0, "", 0))
		return false;
	for (size_t i = 0; i < dirs.n; i++) {
		struct paths found = {NULL, 0, 0};
		struct step one = {.x = s->x,
		                   .dots = s->dots,
		                   .last = true,
		                   .slashes = STR(""),
		                   .out = &found};

		if (only_dirs || (i == 0 && dirs.v[0][0])) {
			size_t n = strlen(dirs.v[i]);

			while (s->bare && n > 1 && dirs.v[i][n - 1] == '/')
				n--;
			if (i || only_dirs || is_dir(s->x, dirs.v[0], true))
				if (!add(s->x, s->out, dirs.v[i], n, "", 0, "", 0))
					return false;
		}
		if (!list_dir(&one, dirs.v[i]))
			return false;
		for (size_t k = 0; k < found.n; k++) {
			size_t n = strlen(found.v[k]);

			if (!only_dirs && !add(s->x, s->out, found.v[k], n, "", 0, "", 0))
				return false;
			/* Links to directories are names, not ways down. */
			if (is_dir(s->x, found.v[k], false) &&
			    !add(s->x, &dirs, found.v[k], n, "/", 1, "", 0))
				return false;
			if (s->links && is_dir(s->x, found.v[k], true) &&
			    !is_dir(s->x, found.v[k], false) &&
			    !add(s->x, s->out, found.v[k], n, "/", 1, "", 0))
				return false;
		}
	}
	return true;
}

static bool literal_step(struct step *s, struct str text, const struct paths *in)
{
	struct str name = unescape(s->x, text);
	struct sys_stat st;

	for (size_t i = 0; i < in->n; i++) {
		size_t np = strlen(in->v[i]);

		if (s->last && !name.len) {
			/* pattern/ : directories only. */
			if (is_dir(s->x, in->v[i], true) &&
			    !add(s->x, s->out, in->v[i], np, "", 0, "", 0))
				return false;
			continue;
		}
		if (!add(s->x, s->out, in->v[i], np, name.ptr, name.len, s->slashes.ptr,
		         s->slashes.len))
			return false;
		if (s->last && sys_stat(s->x->p, s->out->v[s->out->n - 1], SYS_NOFOLLOW, &st) < 0)
			s->out->n--;
	}
	return true;
}

static bool magic_step(struct step *s, struct str text, const struct paths *in)
{
	unsigned flags = (pattern_flags(s->x->st) & ~(unsigned)PATTERN_ICASE) |
	                 (s->dots ? 0u : PATTERN_PERIOD);

	if (s->x->st->shopts & SHOPT_NOCASEGLOB)
		flags |= PATTERN_ICASE;
	s->pat = pattern_compile(s->x, text, flags);
	if (!s->pat)
		return false;
	for (size_t i = 0; i < in->n; i++)
		if (!list_dir(s, in->v[i]))
			return false;
	return true;
}

/* ---- Order, and what is left out ------------------------------------------------------ */

static void sift(char **v, size_t root, size_t n)
{
	for (;;) {
		size_t child = root * 2 + 1;
		char *t;

		if (child >= n)
			return;
		if (child + 1 < n && strcmp(v[child], v[child + 1]) < 0)
			child++;
		if (strcmp(v[root], v[child]) >= 0)
			return;
		t = v[root];
		v[root] = v[child];
		v[child] = t;
		root = child;
	}
}

static void sort(struct expander *x, char **v, size_t n)
{
	size_t i = 1;

	while (i < n && strcmp(v[i - 1], v[i]) <= 0)
		i++;
	if (i >= n)
		return; /* as a memory file system gives them */
	for (i = n / 2; i-- > 0;)
		sift(v, i, n);
	for (; n > 1; n--) {
		char *t = v[0];

		v[0] = v[n - 1];
		v[n - 1] = t;
		sift(v, 0, n - 1);
		sys_checkpoint(x->p);
	}
}

/* GLOBIGNORE: patterns with colons between them, whose operators do not match a slash. */
struct ignore {
	const struct pattern *
	        *v; /* of the components of one pattern after the other; NULL ends a pattern */
	size_t n;
};

static bool ignore_one(struct expander *x, const struct pattern *const *comps, const char *path)
{
	for (;; comps++) {
		const char *slash = strchr(path, '/');
		struct str name = {path, slash ? (size_t)(slash - path) : strlen(path)};

		if (!*comps || !pattern_whole(x, *comps, name))
			return false;
		if (!slash)
			return !comps[1];
		path = slash + 1;
	}
}

static bool ignored(struct expander *x, const struct ignore *ig, const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;

	if (ig->n && (streq(base, ".") || streq(base, "..")))
		return true;
	for (size_t i = 0; i < ig->n; i++) {
		if (ignore_one(x, &ig->v[i], path))
			return true;
		while (ig->v[i])
			i++;
	}
	return false;
}

/* Behind the bracket expression at `at`, or behind its bracket when it is none. */
static size_t skip_set(struct str s, size_t at)
{
	size_t i = at + 1;

	if (i < s.len && (s.ptr[i] == '!' || s.ptr[i] == '^'))
		i++;
	if (i < s.len && s.ptr[i] == ']')
		i++;
	while (i < s.len && s.ptr[i] != ']') {
		if (s.ptr[i] == '[' && i + 1 < s.len && s.ptr[i + 1] == ':') {
			const char *end = memmem(s.ptr + i + 2, s.len - i - 2, ":]", 2);

			if (end)
				i = (size_t)(end - s.ptr) + 1;
		}
		i++;
	}
	return i < s.len ? i + 1 : at + 1;
}

static bool ignore_list(struct expander *x, struct ignore *ig)
{
	char buf[VALUE_BUF];
	struct str s;
	size_t from = 0, i = 0;

	if (!state_get(x->st, STR("GLOBIGNORE"), buf, &s) || !s.len)
		return true;
	s = copy_str(x, s);
	ig->v = u_array(x->p, s.len * 2 + 2, sizeof(*ig->v));
	for (;;) {
		char c = i < s.len ? s.ptr[i] : ':';

		if (c == '\\' && i + 1 < s.len) {
			i += 2;
			continue;
		}
		if (c == '[') {
			i = skip_set(s, i);
			continue;
		}
		if (c == ':' || c == '/') {
			struct str t = {s.ptr + from, MIN(i, s.len) - from};

			ig->v[ig->n] = pattern_compile(x, t, pattern_flags(x->st));
			if (!ig->v[ig->n++])
				return false;
			if (c == ':')
				ig->v[ig->n++] = NULL;
			from = i + 1;
		}
		if (i++ >= s.len)
			return true;
	}
}

/* Behind a row of ** components that are followed by another: they are as one. */
static size_t skip_globstars(struct str pattern, size_t at)
{
	for (;;) {
		size_t end = at + 2;

		if (end >= pattern.len || memcmp(pattern.ptr + at, "**/", 3) != 0)
			return at;
		while (end < pattern.len && pattern.ptr[end] == '/')
			end++;
		if (pattern.len - end < 2 || memcmp(pattern.ptr + end, "**", 2) != 0 ||
		    (pattern.len - end > 2 && pattern.ptr[end + 2] != '/'))
			return at;
		at = end;
	}
}

/* ---- Entry -------------------------------------------------------------------------------- */

bool glob_expand(struct expander *x, struct str pattern, struct fields *out, size_t *n)
{
	struct paths in = {NULL, 0, 0}, got;
	struct ignore ignore = {NULL, 0};
	bool stars = (x->st->shopts & SHOPT_GLOBSTAR) != 0, magic = false;
	size_t at = 0;

	*n = 0;
	if (!is_magic(pattern)) {
		*n = SIZE_MAX;
		return true;
	}
	while (at < pattern.len && pattern.ptr[at] == '/')
		at++;
	add(x, &in, pattern.ptr, at, "", 0, "", 0);
	while (at <= pattern.len && in.n) {
		size_t end = at, slashes;
		struct step s = {.x = x, .dots = (x->st->shopts & SHOPT_DOTGLOB) != 0, .out = &got};
		struct str text;
		bool ok = true;

		got = (struct paths){NULL, 0, 0};
		if (stars)
			end = skip_globstars(pattern, at);
		magic |= end != at;
		at = end;
		while (end < pattern.len && pattern.ptr[end] != '/')
			end += pattern.ptr[end] == '\\' && end + 1 < pattern.len ? 2 : 1;
		end = MIN(end, pattern.len);
		slashes = end;
		while (slashes < pattern.len && pattern.ptr[slashes] == '/')
			slashes++;
		text = (struct str){pattern.ptr + at, end - at};
		s.slashes = (struct str){pattern.ptr + end, slashes - end};
		s.last = slashes == end;
		s.links = slashes == pattern.len && !s.last;
		s.bare = magic && s.last;
		magic |= is_magic(text);
		if (str_is(text, "**") && stars) {
			for (size_t i = 0; i < in.n && ok; i++)
				ok = globstar(&s, in.v[i]);
		} else if (is_magic(text)) {
			ok = magic_step(&s, text, &in);
		} else {
			ok = literal_step(&s, text, &in);
		}
		if (!ok)
			return false;
		in = got;
		if (s.last)
			break;
		at = slashes;
	}
	/* The list of a ** without a prefix has the empty one in it. */
	sort(x, in.v, in.n);
	if (!ignore_list(x, &ignore))
		return false;
	for (size_t i = 0; i < in.n; i++) {
		if (!in.v[i][0] || ignored(x, &ignore, in.v[i]))
			continue;
		fields_push(x, out, in.v[i]);
		++*n;
	}
	return true;
}

bool glob_text(struct expander *x, struct str pattern, struct fields *out)
{
	size_t n;

	return glob_expand(x, pattern, out, &n);
}
