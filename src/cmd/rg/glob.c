/*
 * glob.c - the patterns of ignore files and of -g, as gitignore(5) has them.
 *
 * A pattern is cut at its slashes; "**" as a part stands for any number of directories. {a,b} makes a pattern of each
 * alternative. Matching walks both lists of parts and goes back to the last "**" only, so it is quadratic at worst.
 */
#include "rg.h"

#define ALTERNATIVES 512	/* one pattern may have */
#define PARTS 256

static void add_part(struct rg *g, struct rg_glob *b, const char *s, size_t n)
{
	(void)g;
	b->part[b->nparts++] = (struct str){s, n};
}

/* The parts of one pattern without braces. anchored: there was a slash in it. */
static void add_plain(struct rg *g, struct rg_globs *l, struct rg_glob b, const char *s, size_t n, bool anchored)
{
	size_t slashes = scan_count(s, n, '/');

	if (slashes + 4 > PARTS)
		rg_die(g, "error parsing glob: too many directories");
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 8;

		l->v = arena_grow(&sys_self(g->p)->arena, l->v, l->cap * sizeof(*l->v), size_mul(cap, sizeof(*l->v)));
		l->cap = cap;
	}
	b.part = u_array(g->p, slashes + 4, sizeof(*b.part));
	if (!anchored)
		add_part(g, &b, "**", 2);
	for (const char *end = s + n;;) {
		const char *slash = memchr(s, '/', (size_t)(end - s)), *stop = slash ? slash : end;

		if (stop > s)
			add_part(g, &b, s, (size_t)(stop - s));
		if (!slash)
			break;
		s = slash + 1;
	}
	/* What ends in a slash and two stars is below, not the directory itself. */
	if (b.nparts > 0 && str_is(b.part[b.nparts - 1], "**"))
		add_part(g, &b, "*", 1);
	l->positive += !b.negated;
	l->v[l->n++] = b;
}

/* The end of the brace group that begins at s, or NULL. */
static const char *brace_end(const char *s, const char *end)
{
	int depth = 0;

	for (; s < end; s++) {
		if (*s == '\\' && s + 1 < end)
			s++;
		else if (*s == '{')
			depth++;
		else if (*s == '}' && --depth == 0)
			return s;
	}
	return NULL;
}

struct pending {
	struct str *v;
	size_t n;
};

/* The alternatives of the first group, each with what is before and after it, are put in the place of the pattern. */
static void expand(struct rg *g, struct pending *todo, struct str text, const char *open, const char *close)
{
	const char *at = open + 1;
	int depth = 0;

	for (const char *s = open + 1; s <= close; s++) {
		if (*s == '\\' && s < close) {
			s++;
		} else if (*s == '{') {
			depth++;
		} else if (*s == '}' && s < close) {
			depth--;
		} else if ((*s == ',' && depth == 0) || s == close) {
			size_t head = (size_t)(open - text.ptr), tail = (size_t)(text.ptr + text.len - close - 1);
			char *made = u_alloc(g->p, head + (size_t)(s - at) + tail + 1);

			if (todo->n == ALTERNATIVES)
				rg_die(g, "error parsing glob '%.*s': too many alternatives", (int)text.len, text.ptr);
			memcpy(made, text.ptr, head);
			memcpy(made + head, at, (size_t)(s - at));
			memcpy(made + head + (s - at), close + 1, tail);
			todo->v[todo->n++] = (struct str){made, head + (size_t)(s - at) + tail};
			at = s + 1;
		}
	}
}

static const char *find_brace(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\')
			i++;
		else if (text.ptr[i] == '{')
			return text.ptr + i;
	}
	return NULL;
}

static void add_braces(struct rg *g, struct rg_globs *l, struct rg_glob b, struct str text, bool anchored)
{
	struct pending todo = {u_array(g->p, ALTERNATIVES, sizeof(*todo.v)), 0};
	size_t made = 0;

	todo.v[todo.n++] = text;
	while (todo.n > 0) {
		struct str s = todo.v[--todo.n];
		const char *open = find_brace(s), *close = open ? brace_end(open, s.ptr + s.len) : NULL;

		if (++made > 4 * ALTERNATIVES)
			rg_die(g, "error parsing glob '%.*s': too many alternatives", (int)text.len, text.ptr);
		if (close)
			expand(g, &todo, s, open, close);
		else
			add_plain(g, l, b, s.ptr, s.len, anchored);
	}
}

void rg_glob_add(struct rg *g, struct rg_globs *l, const char *line, size_t n, bool icase)
{
	struct rg_glob b = {.icase = icase};
	struct str text;
	bool anchored;
	char *copy;

	if (n > 0 && line[n - 1] == '\r')
		n--;
	while (n > 0 && (line[n - 1] == ' ' || line[n - 1] == '\t') && !(n > 1 && line[n - 2] == '\\'))
		n--;
	if (n == 0 || line[0] == '#')
		return;
	if (line[0] == '!') {
		b.negated = true;
		line++;
		n--;
	} else if (n > 1 && line[0] == '\\' && (line[1] == '!' || line[1] == '#')) {
		line++;
		n--;
	}
	if (n > 0 && line[n - 1] == '/') {
		b.dir_only = true;
		n--;
	}
	if (n == 0)
		return;
	anchored = memchr(line, '/', n) != NULL;
	copy = u_strndup(g->p, line, n);
	text = (struct str){copy, n};
	if (find_brace(text))
		add_braces(g, l, b, text, anchored);
	else
		add_plain(g, l, b, copy, n, anchored);
}

static bool part_matches(const struct rg_glob *b, struct str pattern, struct str name)
{
	return u_glob_match(pattern.ptr, pattern.len, name.ptr, name.len, b->icase ? U_GLOB_ICASE : 0);
}

static bool matches(const struct rg_glob *b, const struct str *name, size_t n)
{
	size_t i = 0, k = 0, star = SIZE_MAX, from = 0;

	while (k < n) {
		if (i < b->nparts && str_is(b->part[i], "**")) {
			star = ++i;
			from = k;
		} else if (i < b->nparts && part_matches(b, b->part[i], name[k])) {
			i++;
			k++;
		} else if (star != SIZE_MAX) {
			i = star;
			k = ++from;
		} else {
			return false;
		}
	}
	while (i < b->nparts && str_is(b->part[i], "**"))
		i++;
	return i == b->nparts;
}

int rg_globs_match(const struct rg_globs *l, const char *path, bool is_dir)
{
	struct str name[PARTS];
	size_t n = 0;

	if (l->n == 0)
		return 0;
	for (const char *s = path; *s;) {
		size_t len = strcspn(s, "/");

		if (len > 0 && n < PARTS)
			name[n++] = (struct str){s, len};
		s += len + (s[len] == '/');
	}
	for (size_t i = l->n; i-- > 0;) {
		const struct rg_glob *b = &l->v[i];

		if ((!b->dir_only || is_dir) && matches(b, name, n))
			return b->negated ? -1 : 1;
	}
	return 0;
}
