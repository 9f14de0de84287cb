/* cd.c - cd and pwd: the working directory as the shell names it (through links, unless -P). */
#include "args.h"

/* `dir` made absolute against the shell's cwd, with . and .. taken out by text. */
static char *logical(struct shell *sh, const char *dir)
{
	struct str cwd = state_cwd(sh->st);
	size_t n = strlen(dir);
	char *path = u_alloc(sh->p, cwd.len + n + 3);
	char *out = path;
	const char *s;
	char *whole;

	whole = dir[0] == '/' ? u_strdup(sh->p, dir)
	                      : u_format(sh->p, "%.*s/%s", (int)cwd.len, cwd.ptr, dir);
	for (s = whole; *s;) {
		size_t len;

		while (*s == '/')
			s++;
		len = strcspn(s, "/");
		if (len == 0)
			break;
		if (len == 1 && s[0] == '.') {
			/* nothing */
		} else if (len == 2 && s[0] == '.' && s[1] == '.') {
			while (out > path && *--out != '/')
				;
		} else {
			*out++ = '/';
			memcpy(out, s, len);
			out += len;
		}
		s += len;
	}
	if (out == path)
		*out++ = '/';
	*out = '\0';
	return path;
}

static void set_exported(struct shell *sh, const char *name, struct str value)
{
	args_assign(sh, name, value);
}

/* 0 when dir exists. What lies above a cwd that is gone is told by its text. */
static int leads_somewhere(struct shell *sh, const char *dir)
{
	struct sys_stat st;
	int r = sys_stat(sh->p, dir, 0, &st);
	size_t n = 0;

	if (r == 0 || sys_stat(sh->p, ".", 0, &st) == 0)
		return r;
	while (strncmp(dir + n, "../", 3) == 0)
		n += 3;
	if (streq(dir + n, ".."))
		n += 2;
	if (!n)
		return r;
	return sys_stat(sh->p, u_format(sh->p, "%s/%s", logical(sh, u_strndup(sh->p, dir, n)), dir + n), 0, &st);
}

int cd_to(struct shell *sh, const char *dir, bool physical)
{
	struct str old = state_cwd(sh->st);
	char *path = physical ? NULL : logical(sh, dir);
	int r;

	old = (struct str){u_strndup(sh->p, old.ptr, old.len), old.len};
	if (path) {
		/* a/.. must not hide that a is missing */
		r = strstr(dir, "..") ? leads_somewhere(sh, dir) : 0;
		if (r == 0)
			r = sys_chdir(sh->p, path);
		if (r < 0 && sys_chdir(sh->p, dir) == 0) {
			r = 0;
			path = NULL;
		}
	} else {
		r = sys_chdir(sh->p, dir);
	}
	if (r < 0)
		return r;
	set_exported(sh, "OLDPWD", old);
	set_exported(sh, "PWD", str_from(path ? path : u_strdup(sh->p, sys_getcwd(sh->p))));
	return 0;
}

/* A relative name is looked for in CDPATH first; then the new directory is told. */
static bool by_cdpath(struct shell *sh, const char *dir, bool physical)
{
	char buf[VALUE_BUF];
	struct str path;
	const char *s;

	if (dir[0] == '/' || (dir[0] == '.' && (dir[1] == '\0' || dir[1] == '/')) ||
	    (dir[0] == '.' && dir[1] == '.' && (dir[2] == '\0' || dir[2] == '/')))
		return false;
	if (!state_get(sh->st, STR("CDPATH"), buf, &path) || path.len == 0)
		return false;
	s = u_strndup(sh->p, path.ptr, path.len);
	for (;;) {
		size_t n = strcspn(s, ":");
		const char *full = n ? u_format(sh->p, "%.*s/%s", (int)n, s, dir) : dir;

		if (cd_to(sh, full, physical) == 0) {
			struct str cwd = state_cwd(sh->st);

			if (n) {
				u_put(&sh->out, cwd.ptr, cwd.len);
				u_putc(&sh->out, '\n');
			}
			return true;
		}
		if (s[n] == '\0')
			return false;
		s += n + 1;
	}
}

int builtin_cd(struct shell *sh, int argc, char **argv)
{
	bool physical = set_is(sh, SET_PHYSICAL), tell = false;
	char buf[VALUE_BUF];
	const char *dir;
	struct args a;
	struct str s;
	int c, r;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "LPe@")) > 0) {
		if (c == 'L')
			physical = false;
		if (c == 'P')
			physical = true;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (a.i + 1 < argc) {
		builtin_error(sh, "too many arguments");
		return 1;
	}
	if (a.i == argc || streq(argv[a.i], "-")) {
		const char *from = a.i == argc ? "HOME" : "OLDPWD";

		if (!state_get(sh->st, str_from(from), buf, &s)) {
			builtin_error(sh, "%s not set", from);
			return 1;
		}
		dir = u_strndup(sh->p, s.ptr, s.len);
		tell = a.i < argc;
	} else {
		dir = argv[a.i];
	}
	if (*dir == '\0')
		return 0;
	if (by_cdpath(sh, dir, physical))
		return 0;
	r = cd_to(sh, dir, physical);
	if (r < 0 && shopt_is(sh, SHOPT_CDABLE_VARS) && state_get(sh->st, str_from(dir), buf, &s)) {
		dir = u_strndup(sh->p, s.ptr, s.len);
		r = cd_to(sh, dir, physical);
		tell = r == 0;
	}
	if (r < 0) {
		builtin_error(sh, "%s: %s", dir, errno_text(r));
		return 1;
	}
	if (tell) {
		s = state_cwd(sh->st);
		u_put(&sh->out, s.ptr, s.len);
		u_putc(&sh->out, '\n');
	}
	return 0;
}

int builtin_pwd(struct shell *sh, int argc, char **argv)
{
	bool physical = set_is(sh, SET_PHYSICAL);
	struct args a;
	struct str s;
	int c;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "LP")) > 0)
		physical = c == 'P';
	if (c < 0)
		return USAGE_STATUS;
	s = physical ? str_from(sys_getcwd(sh->p)) : state_cwd(sh->st);
	u_put(&sh->out, s.ptr, s.len);
	u_putc(&sh->out, '\n');
	return 0;
}
