/* dirs.c - pushd, popd, dirs: the directory stack, whose top is the working directory. */
#include "args.h"

/* +N and -N: the entry counted from the left or the right. False after a message. */
static bool entry(struct shell *sh, const char *s, size_t *at)
{
	size_t n = dirs_count(sh->st);
	int64_t k;

	if ((s[0] != '+' && s[0] != '-') || !args_number(s + 1, &k) ||
	    !ascii_digit((unsigned char)s[1]))
		return false;
	if (k < 0 || (uint64_t)k >= n) {
		if (n <= 1)
			builtin_error(sh, "directory stack empty");
		else
			builtin_error(sh, "%s: directory stack index out of range",
			              streq(sh->builtin_name, "dirs") ? s + 1 : s);
		*at = SIZE_MAX;
		return true;
	}
	*at = s[0] == '+' ? (size_t)k : n - 1 - (size_t)k;
	return true;
}

/* The directory, with ~ for the home directory unless `full`. */
static void put(struct shell *sh, size_t i, bool full)
{
	char buf[VALUE_BUF];
	struct str d, home;

	if (!dirs_at(sh->st, i, &d))
		return;
	if (!full && state_get(sh->st, STR("HOME"), buf, &home) && home.len > 1 &&
	    d.len >= home.len && memcmp(d.ptr, home.ptr, home.len) == 0 &&
	    (d.len == home.len || d.ptr[home.len] == '/')) {
		u_putc(&sh->out, '~');
		d.ptr += home.len;
		d.len -= home.len;
	}
	u_put(&sh->out, d.ptr, d.len);
}

void dirs_print(struct shell *sh)
{
	size_t n = dirs_count(sh->st);

	for (size_t i = 0; i < n; i++) {
		put(sh, i, false);
		u_putc(&sh->out, i + 1 < n ? ' ' : '\n');
	}
}

int builtin_dirs(struct shell *sh, int argc, char **argv)
{
	bool full = false, lines = false, numbers = false, one = false;
	size_t at = 0, n;

	for (int i = 1; i < argc; i++) {
		const char *s = argv[i];

		if (entry(sh, s, &at)) {
			if (at == SIZE_MAX)
				return 1;
			one = true;
			continue;
		}
		if (streq(s, "--"))
			continue;
		if (s[0] != '-' || s[1] == '\0') {
			builtin_error(sh, "%s: invalid option", s);
			return builtin_usage(sh);
		}
		for (s++; *s; s++) {
			if (*s == 'c') {
				dirs_clear(sh->st);
				return 0;
			}
			full |= *s == 'l';
			lines |= *s == 'p' || *s == 'v';
			numbers |= *s == 'v';
			if (!strchr("clpv", *s)) {
				builtin_error(sh, "-%c: invalid number", *s);
				return builtin_usage(sh);
			}
		}
	}
	n = dirs_count(sh->st);
	if (one) {
		if (numbers)
			u_printf(&sh->out, "%2zu  ", at);
		put(sh, at, full);
		u_putc(&sh->out, '\n');
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (numbers)
			u_printf(&sh->out, "%2zu  ", i);
		put(sh, i, full);
		u_putc(&sh->out, lines || i + 1 == n ? '\n' : ' ');
	}
	return 0;
}

static int cannot_cd(struct shell *sh, const char *dir, int err)
{
	builtin_error(sh, "%s: %s", dir, errno_text(err));
	return 1;
}

static const char *copy_at(struct shell *sh, size_t i)
{
	struct str d = {"", 0};

	dirs_at(sh->st, i, &d);
	return u_strndup(sh->p, d.ptr, d.len);
}

/* Entry k becomes the top, what was above it goes round to the end. */
static int rotate(struct shell *sh, size_t k, bool no_cd)
{
	size_t n = dirs_count(sh->st);
	const char **v = u_array(sh->p, n, sizeof *v);
	int r;

	for (size_t i = 0; i < n; i++)
		v[i] = copy_at(sh, (i + k) % n);
	if (!no_cd) {
		r = cd_to(sh, v[0], false);
		if (r < 0)
			return cannot_cd(sh, v[0], r);
	}
	dirs_clear(sh->st);
	for (size_t i = n; i-- > 1;)
		dirs_push(sh->st, str_from(v[i]));
	dirs_print(sh);
	return 0;
}

/* pushd alone: the two topmost change places. */
static int exchange(struct shell *sh, bool no_cd)
{
	const char *old = copy_at(sh, 0), *other = copy_at(sh, 1);
	int r = no_cd ? 0 : cd_to(sh, other, false);

	if (r < 0)
		return cannot_cd(sh, other, r);
	dirs_remove(sh->st, 1);
	dirs_push(sh->st, str_from(old));
	dirs_print(sh);
	return 0;
}

int builtin_pushd(struct shell *sh, int argc, char **argv)
{
	bool no_cd = false;
	const char *dir, *old;
	size_t at;
	int i = 1, r;

	if (i < argc && streq(argv[i], "-n")) {
		no_cd = true;
		i++;
	}
	if (i < argc && streq(argv[i], "--"))
		i++;
	if (i == argc) {
		if (dirs_count(sh->st) < 2) {
			builtin_error(sh, "no other directory");
			return 1;
		}
		return exchange(sh, no_cd);
	}
	if (i + 1 < argc) {
		builtin_error(sh, "too many arguments");
		return 1;
	}
	if (entry(sh, argv[i], &at)) {
		if (at == SIZE_MAX)
			return 1;
		return rotate(sh, at, no_cd);
	}
	if (argv[i][0] == '-' && argv[i][1] != '\0') {
		builtin_error(sh, "%s: invalid number", argv[i]);
		return builtin_usage(sh);
	}
	dir = argv[i];
	if (streq(dir, "-")) {
		char buf[VALUE_BUF];
		struct str s;

		if (!state_get(sh->st, STR("OLDPWD"), buf, &s)) {
			builtin_error(sh, "OLDPWD not set");
			return 1;
		}
		dir = u_strndup(sh->p, s.ptr, s.len);
	}
	if (no_cd) {
		dirs_push(sh->st, str_from(dir));
		dirs_print(sh);
		return 0;
	}
	old = copy_at(sh, 0);
	r = cd_to(sh, dir, false);
	if (r < 0)
		return cannot_cd(sh, dir, r);
	dirs_push(sh->st, str_from(old));
	dirs_print(sh);
	return 0;
}

int builtin_popd(struct shell *sh, int argc, char **argv)
{
	bool no_cd = false;
	const char *next;
	size_t at = 0;
	int i = 1, r;

	if (i < argc && streq(argv[i], "-n")) {
		no_cd = true;
		i++;
	}
	if (i < argc && streq(argv[i], "--"))
		i++;
	if (i < argc && !entry(sh, argv[i], &at)) {
		builtin_error(sh, "%s: invalid number", argv[i]);
		return builtin_usage(sh);
	}
	if (at == SIZE_MAX)
		return 1;
	if (dirs_count(sh->st) < 2) {
		builtin_error(sh, "directory stack empty");
		return 1;
	}
	if (at > 0 || no_cd) {
		dirs_remove(sh->st, at ? at : 1);
		dirs_print(sh);
		return 0;
	}
	next = copy_at(sh, 1);
	r = cd_to(sh, next, false);
	if (r < 0)
		return cannot_cd(sh, next, r);
	dirs_remove(sh->st, 1);
	dirs_print(sh);
	return 0;
}
