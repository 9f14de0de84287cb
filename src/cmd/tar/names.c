/*
 * names.c - which members are meant, and what a member's name may be.
 *
 * Names given (operands, -T) are exact, or begin a path; with --wildcards they are patterns. Exclusions are patterns that
 * may match from any component on. Names of members never begin with "/" nor hold "..", unless -P.
 */
#include "tar.h"

#define LIST_MAX ((size_t)64 << 20)

/* ---- Names given ---------------------------------------------------------------------------- */

static const char *strip_slashes(struct tar *t, const char *text)
{
	size_t n = strlen(text);

	while (n > 1 && text[n - 1] == '/')
		n--;
	return u_strndup(t->p, text, n);
}

void names_add(struct tar *t, const char *text)
{
	struct tar_names *l = &t->names;

	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;

		l->v = arena_grow(&sys_self(t->p)->arena, l->v, l->cap * sizeof(*l->v), size_mul(cap, sizeof(*l->v)));
		l->cap = cap;
	}
	l->v[l->n++] = (struct tar_name){.text = strip_slashes(t, text),
					 .how = t->match_given ? t->match : TAR_MATCH_ANCHORED,
					 .is_pattern = strpbrk(text, "*?[") != NULL,
					 .no_recursion = t->recursion == TAR_OFF,
					 .where = t->here};
}

void names_add_dir(struct tar *t, const char *dir)
{
	t->here = t->here && dir[0] != '/' ? u_join(t->p, t->here, dir) : dir;
}

/* Backslash escapes of a line in a list of names. */
static void unquote(char *s)
{
	static const char from[] = "abfnrtv\\?", to[] = "\a\b\f\n\r\t\v\\\x7f";
	char *out = s;

	while (*s) {
		const char *hit;

		if (*s != '\\' || !s[1]) {
			*out++ = *s++;
		} else if (s[1] >= '0' && s[1] <= '7') {
			int v = 0, n = 0;

			for (s++; n < 3 && *s >= '0' && *s <= '7'; n++)
				v = v * 8 + (*s++ - '0');
			*out++ = (char)v;
		} else if ((hit = strchr(from, s[1])) != NULL) {
			*out++ = to[hit - from];
			s += 2;
		} else {
			*out++ = *s++;
			*out++ = *s++;
		}
	}
	*out = '\0';
}

/* The lines of a file; what is read must be there. */
static struct str read_list(struct tar *t, const char *path, bool is_names)
{
	int fd = streq(path, "-") ? 0 : sys_open(t->p, path, SYS_O_READ | SYS_O_CLOEXEC, 0), r;
	struct str text = {NULL, 0};

	if (fd < 0 && is_names)
		tar_fatal(t, fd, "%s: Cannot stat", tar_quote_colon(t, path));
	if (fd < 0)
		tar_fatal(t, fd, "%s", tar_quote_colon(t, path));
	r = u_read_all(t->p, fd, LIST_MAX, &text);
	if (r < 0)
		tar_fatal(t, r, "%s: Cannot read", tar_quote_colon(t, path));
	if (fd > 0)
		sys_close(t->p, fd);
	return text;
}

/* A line of -T that is an option: -C is the one that is understood. */
static void line_option(struct tar *t, const char *path, char *line, size_t number)
{
	if (strncmp(line, "-C", 2) == 0) {
		char *dir = line + 2 + strspn(line + 2, " \t");

		if (*dir)
			names_add_dir(t, dir);
		else
			tar_error(t, 0, "%s:%zu: unrecognized option", tar_quote_colon(t, path), number);
		return;
	}
	if (strncmp(line, "--add-file=", 11) == 0) {
		names_add(t, line + 11);
		return;
	}
	tar_fatal(t, 0, "%s: option '%s' in a list of files is not supported", tar_quote_colon(t, path), line);
}

void names_read_file(struct tar *t, const char *path)
{
	struct str text = read_list(t, path, true);
	char delim = t->null_names == TAR_ON ? '\0' : '\n';
	size_t number = 0;

	t->has_names_file = true;
	while (text.len) {
		const char *end = memchr(text.ptr, delim, text.len);
		size_t n = end ? (size_t)(end - text.ptr) : text.len;
		char *line = u_strndup(t->p, text.ptr, n);

		sys_checkpoint(t->p);
		n += end != NULL;
		text = (struct str){text.ptr + n, text.len - n};
		number++;
		if (!*line)
			continue;
		if (t->null_names != TAR_ON && t->unquote != TAR_OFF)
			unquote(line);
		if (line[0] == '-' && t->verbatim != TAR_ON && t->null_names != TAR_ON)
			line_option(t, path, line, number);
		else
			names_add(t, line);
	}
}

/* ---- Exclusions ---------------------------------------------------------------------------------- */

void exclude_add(struct tar *t, const char *pattern)
{
	struct tar_pattern *x = u_zalloc(t->p, sizeof(*x));

	*x = (struct tar_pattern){.text = strip_slashes(t, pattern), .how = t->exclude_match};
	if (!t->exclude_end)
		t->exclude_end = &t->exclude;
	*t->exclude_end = x;
	t->exclude_end = &x->next;
}

void exclude_read_file(struct tar *t, const char *path)
{
	struct str text = read_list(t, path, false);

	while (text.len) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t n = end ? (size_t)(end - text.ptr) : text.len;

		sys_checkpoint(t->p);
		if (n)
			exclude_add(t, u_strndup(t->p, text.ptr, n));
		n += end != NULL;
		text = (struct str){text.ptr + n, text.len - n};
	}
}

/* The text itself or a directory above the name. */
static bool begins(const char *text, const char *name, bool icase, bool whole)
{
	size_t i;

	for (i = 0; text[i]; i++) {
		if (icase ? ascii_tolower((unsigned char)text[i]) != ascii_tolower((unsigned char)name[i]) : text[i] != name[i])
			return false;
	}
	return !name[i] || (!whole && (name[i] == '/' || (i && text[i - 1] == '/')));
}

static bool match_here(const char *text, unsigned how, const char *name, bool whole)
{
	unsigned flags = (whole ? 0 : U_GLOB_LEADING_DIR) | (how & TAR_MATCH_ICASE ? U_GLOB_ICASE : 0) |
			 (how & TAR_MATCH_NO_SLASH ? U_GLOB_PATHNAME : 0);

	if (!(how & TAR_MATCH_WILD))
		return begins(text, name, how & TAR_MATCH_ICASE, whole);
	return u_glob_match(text, strlen(text), name, strlen(name), flags);
}

static bool match(struct tar *t, const char *text, unsigned how, const char *name, bool whole)
{
	if (match_here(text, how, name, whole))
		return true;
	if (how & TAR_MATCH_ANCHORED)
		return false;
	for (const char *s = name; *s; s++) {
		sys_checkpoint(t->p);
		if (s[0] == '/' && s[1] && s[1] != '/' && match_here(text, how, s + 1, whole))
			return true;
	}
	return false;
}

bool tar_excluded(struct tar *t, const char *name)
{
	for (const struct tar_pattern *x = t->exclude; x; x = x->next) {
		if (match(t, x->text, x->how, name, false))
			return true;
	}
	return false;
}

/* ---- Members wanted ---------------------------------------------------------------------------------- */

void tar_enter(struct tar *t, const char *dir)
{
	int r = sys_chdir(t->p, t->start);

	if (r == 0 && dir)
		r = sys_chdir(t->p, dir);
	if (r < 0)
		tar_fatal(t, r, "%s: Cannot open", tar_quote_colon(t, dir ? dir : t->start));
}

bool names_wanted(struct tar *t, const struct tar_member *m)
{
	if (t->starting) {
		if (!streq(t->starting, m->name))
			return false;
		t->starting = NULL;
	}
	for (size_t i = 0; i < t->names.n; i++) {
		struct tar_name *n = &t->names.v[i];

		sys_checkpoint(t->p);
		if (t->occurrence && n->found && !n->no_recursion && streq(n->text, m->name))
			continue;
		if (match(t, n->text, n->how, m->name, n->no_recursion)) {
			n->found = true;
			if (t->mode == TAR_EXTRACT || t->mode == TAR_DIFF)
				tar_enter(t, n->where);
			return true;
		}
	}
	return t->names.n == 0;
}

bool names_done(struct tar *t)
{
	if (!t->occurrence || !t->names.n)
		return false;
	for (size_t i = 0; i < t->names.n; i++) {
		if (!t->names.v[i].found)
			return false;
	}
	return true;
}

void names_not_found(struct tar *t)
{
	bool told = t->match_given;

	for (size_t i = 0; i < t->names.n; i++) {
		const struct tar_name *n = &t->names.v[i];

		if (n->found)
			continue;
		if (n->is_pattern && !(n->how & TAR_MATCH_WILD) && !told) {
			tar_warn(t, 0, "Pattern matching characters used in file names");
			tar_warn(t, 0, "Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning");
			told = true;
		}
		tar_error(t, 0, "%s: Not found in archive", tar_quote_colon(t, n->text));
	}
}

/* ---- Safe names ------------------------------------------------------------------------------------------ */

static void tell_once(struct tar *t, const char *text)
{
	struct cmd_list *l = &t->told_prefixes;

	for (size_t i = 0; i < l->n; i++) {
		if (streq(l->v[i], text))
			return;
	}
	t->pinned = true;
	if (l->n < 1000) {
		const char **v = u_array(t->p, l->n + 1, sizeof(*v));

		if (l->n)
			memcpy(v, l->v, l->n * sizeof(*v));
		v[l->n] = text;
		l->v = v;
		l->n++;
	}
	tar_warn(t, 0, "%s", text);
}

const char *tar_safe_name(struct tar *t, const char *name, bool is_link)
{
	size_t prefix = 0, at = 0;

	if (t->absolute)
		return *name ? name : ".";
	while (name[at]) {
		size_t n = strcspn(name + at, "/");

		if (n == 2 && name[at] == '.' && name[at + 1] == '.')
			prefix = at + 2;
		at += n;
		at += strspn(name + at, "/");
	}
	prefix += strspn(name + prefix, "/");
	if (prefix)
		tell_once(t, u_format(t->p, "Removing leading `%.*s' from %s", (int)MIN(prefix, (size_t)4096), name,
				      is_link ? "hard link targets" : "member names"));
	if (name[prefix])
		return name + prefix;
	if (!prefix)
		tell_once(t, u_format(t->p, "Substituting `.' for empty %s", is_link ? "hard link target" : "member name"));
	return ".";
}

/* Without its first components; NULL when nothing is left. */
static const char *strip_components(const char *name, uint64_t n)
{
	name += strspn(name, "/");
	for (; n; n--) {
		size_t len = strcspn(name, "/");

		if (!name[len])
			return NULL;
		name += len;
		name += strspn(name, "/");
	}
	return *name ? name : NULL;
}

const char *tar_map_name(struct tar *t, const char *name, char kind)
{
	if (t->transform)
		name = transform_apply(t, name, kind);
	if (kind == 's' || !*name)
		return *name ? name : NULL;
	name = tar_safe_name(t, name, kind == 'h');
	return t->strip ? strip_components(name, t->strip) : name;
}
