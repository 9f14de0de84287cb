/*
 * history.c - history and fc: the list of commands.
 *
 * The list lives in the shell's state, and in a file only when -a, -r, -n or -w say so. Lines come
 * into it under `set -o history` (interp/history.c) or by `history -s`.
 */
#include "args.h"

/* ---- Listing ------------------------------------------------------------------------ */

static void put_entry(struct shell *sh, size_t i, const char *format)
{
	int64_t when;
	struct str s = history_at(sh->st, i, &when);

	u_printf(&sh->out, "%5u  ", sh->st->history_base + (unsigned)i);
	if (format) {
		const struct u_tz *tz = u_tz_get(sh->p, args_zone(sh));
		struct u_buf b;
		struct u_tm tm;

		u_time_split(tz, (struct sys_time){.sec = when}, &tm);
		u_buf_init(&b, sh->p, EXPAND_WORD_MAX);
		u_time_format(&b, format, strlen(format), &tm);
		u_put(&sh->out, b.ptr, b.len);
	}
	u_put(&sh->out, s.ptr, s.len);
	u_putc(&sh->out, '\n');
}

static int list(struct shell *sh, const char *count)
{
	char buf[VALUE_BUF];
	size_t n;
	const char *format = NULL;
	struct str s;
	int64_t want;

	history_stifle(sh->st);
	n = history_count(sh->st);
	want = (int64_t)n;
	if (count && (!args_number(count, &want))) {
		builtin_error(sh, "%s: numeric argument required", count);
		return 1;
	}
	if (state_get(sh->st, STR("HISTTIMEFORMAT"), buf, &s) && s.len)
		format = u_strndup(sh->p, s.ptr, s.len);
	want = want < 0 ? -want : want;
	for (size_t i = want < (int64_t)n ? n - (size_t)want : 0; i < n; i++)
		put_entry(sh, i, format);
	return 0;
}

/* ---- Files ----------------------------------------------------------------------------- */

static const char *file_name(struct shell *sh, const char *given)
{
	char buf[VALUE_BUF];
	struct str s;

	if (given)
		return given;
	return state_get(sh->st, STR("HISTFILE"), buf, &s) && s.len
	               ? u_strndup(sh->p, s.ptr, s.len)
	               : NULL;
}

/* Adds the file's lines from number `skip` on. */
static int read_file(struct shell *sh, const char *path, uint32_t skip)
{
	struct str text;
	int r = unit_read(sh, path, &text);
	uint32_t line = 0;
	size_t from = 0;

	if (r < 0)
		return 1; /* without a message */
	for (size_t i = 0; i <= text.len; i++) {
		if (i < text.len && text.ptr[i] != '\n')
			continue;
		if (i > from && line++ >= skip)
			history_add(sh->st, (struct str){text.ptr + from, i - from});
		from = i + 1;
		sys_checkpoint(sh->p);
	}
	sh->st->history_lines = line;
	return 0;
}

static int write_file(struct shell *sh, const char *path, bool append)
{
	size_t n = history_count(sh->st),
	       from = append ? n - MIN(n, (size_t)sh->st->history_fresh) : 0;
	struct u_buf b;
	int fd;

	if (append && from == n)
		return 0;
	fd = sys_open(sh->p, path,
	              SYS_O_WRITE | SYS_O_CREATE | (append ? SYS_O_APPEND : SYS_O_TRUNC), 0600);
	if (fd < 0) {
		builtin_error(sh, "%s: cannot create: %s", path, errno_text(fd));
		return 1;
	}
	u_buf_init(&b, sh->p, PARSE_SOURCE_MAX);
	for (size_t i = from; i < n; i++) {
		struct str s = history_at(sh->st, i, NULL);

		u_buf_put(&b, s.ptr, s.len);
		u_buf_putc(&b, '\n');
	}
	if (b.len)
		(void)!u_write_all(sh->p, fd, b.ptr, b.len);
	sys_close(sh->p, fd);
	if (append) {
		sh->st->history_lines += (uint32_t)(n - from);
		sh->st->history_fresh = 0;
	}
	return 0;
}

void history_load(struct shell *sh)
{
	const char *path = file_name(sh, NULL);

	if (path && !sh->st->history_fresh) {
		(void)read_file(sh, path, 0);
		sh->st->history_fresh = 0;
	}
}

void history_save(struct shell *sh)
{
	const char *path = file_name(sh, NULL);

	if (path && sh->st->history_fresh && !sh->child)
		(void)write_file(sh, path, sh->st->history_lines || shopt_is(sh, SHOPT_HISTAPPEND));
}

/* ---- Deleting ----------------------------------------------------------------------------- */

/* A number as -d takes it, to a place in the list; -1 when it is none of it. */
static int64_t place_of_number(struct shell *sh, const char *s)
{
	int64_t n, count = (int64_t)history_count(sh->st);

	if (!args_number(s, &n))
		return -1;
	n = n < 0 ? count + n : n - (int64_t)sh->st->history_base;
	return n >= 0 && n < count ? n : -1;
}

static int out_of_range(struct shell *sh, const char *s)
{
	builtin_error(sh, "%s: history position out of range", s);
	return 1;
}

static int delete(struct shell *sh, const char *range)
{
	const char *dash = range[0] ? strchr(range + 1, '-') : NULL;
	const char *first = dash ? u_strndup(sh->p, range, (size_t)(dash - range)) : range;
	int64_t from = place_of_number(sh, first), to;

	if (from < 0)
		return out_of_range(sh, dash ? first : range);
	to = dash ? place_of_number(sh, dash + 1) : from;
	if (to < 0)
		return out_of_range(sh, dash + 1);
	if (to < from)
		return out_of_range(sh, range);
	for (; to >= from; to--)
		history_remove(sh->st, (size_t)to);
	return 0;
}

/* ---- history --------------------------------------------------------------------------------- */

static int print_expanded(struct shell *sh, int argc, char **argv, int i)
{
	int status = 0;

	history_take_back(sh);
	for (; i < argc; i++) {
		struct str s;

		if (history_expand(sh, str_from(argv[i]), &s) < 0) {
			builtin_error(sh, "%s: history expansion failed", argv[i]);
			status = 1;
			continue;
		}
		u_put(&sh->out, s.ptr, s.len);
		u_putc(&sh->out, '\n');
	}
	return status;
}

static int store(struct shell *sh, int argc, char **argv, int i)
{
	struct u_buf b;

	history_take_back(sh);
	if (i >= argc)
		return 0;
	u_buf_init(&b, sh->p, PARSE_SOURCE_MAX);
	for (int k = i; k < argc; k++) {
		if (k > i)
			u_buf_putc(&b, ' ');
		u_buf_puts(&b, argv[k]);
	}
	history_push(sh, (struct str){b.ptr ? b.ptr : "", b.len});
	return 0;
}

int builtin_history(struct shell *sh, int argc, char **argv)
{
	bool clear = false, print = false, add = false;
	const char *range = NULL, *path;
	int file = 0, nfile = 0, c;
	struct args a;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "acd:npsrw")) > 0) {
		clear |= c == 'c';
		print |= c == 'p';
		add |= c == 's';
		if (c == 'd')
			range = a.value;
		if (strchr("anrw", c)) {
			nfile += file != c;
			file = c;
		}
	}
	if (c < 0)
		return USAGE_STATUS;
	if (nfile > 1) {
		builtin_error(sh, "cannot use more than one of -anrw");
		return 1;
	}
	if (clear) {
		history_clear(sh->st);
		sh->st->history_noted = false;
		if (a.i >= argc && !file && !range)
			return 0;
	}
	if (print)
		return print_expanded(sh, argc, argv, a.i);
	if (add)
		return store(sh, argc, argv, a.i);
	if (range)
		return delete(sh, range);
	if (!file && a.i + 1 < argc) {
		builtin_error(sh, "too many arguments");
		return 1;
	}
	if (!file)
		return list(sh, argv[a.i]);
	path = file_name(sh, argv[a.i]);
	if (!path)
		return 1;
	if (file == 'a' || file == 'w')
		return write_file(sh, path, file == 'a');
	return read_file(sh, path, file == 'n' ? sh->st->history_lines : 0);
}

/* ---- fc ------------------------------------------------------------------------------------- */

struct fc {
	struct shell *sh;
	int64_t count, last; /* entries; the newest one before this command */
	bool list, numbers, reverse;
};

enum { FC_INVALID = -1, FC_NOT_FOUND = -2, FC_RANGE = -3 };

/* Where first or last of fc points: a place, or one of the above. */
static int64_t fc_place(struct fc *f, const char *s)
{
	int64_t n;

	if (args_number(s, &n)) {
		if (n < 0)
			return MAX(f->last + 1 + n, (int64_t)0);
		if (n == 0)
			return *s != '-' ? f->last : f->list ? f->count - 1 : FC_INVALID;
		n -= (int64_t)f->sh->st->history_base;
		return n < 0 || n > f->last ? FC_RANGE : n;
	}
	for (int64_t i = f->last; i >= 0; i--) {
		struct str e = history_at(f->sh->st, (size_t)i, NULL);

		if (e.len >= strlen(s) && memcmp(e.ptr, s, strlen(s)) == 0)
			return i;
	}
	return FC_NOT_FOUND;
}

static int fc_error(struct shell *sh, int64_t what)
{
	builtin_error(sh, what == FC_NOT_FOUND ? "no command found"
	                                       : "history specification out of range");
	return 1;
}

static void fc_print(struct fc *f, int64_t from, int64_t to)
{
	struct shell *sh = f->sh;

	for (int64_t k = from; k <= to; k++) {
		size_t i = (size_t)(f->reverse ? to - (k - from) : k);
		struct str s = history_at(sh->st, i, NULL);

		if (f->numbers)
			u_printf(&sh->out, "%u", sh->st->history_base + (unsigned)i);
		u_puts(&sh->out, "\t ");
		u_put(&sh->out, s.ptr, s.len);
		u_putc(&sh->out, '\n');
	}
}

/* Runs a text as if it had been typed: it is shown and becomes an entry. */
static void run_shown(struct shell *sh, struct str s)
{
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, u_format(sh->p, "%.*s\n", (int)s.len, s.ptr), s.len + 1);
	history_push(sh, s);
	unit_push(sh, UNIT_EVAL, s, "fc", sh->st->line, NULL);
}

/* fc -s [old=new]... [command] */
static int fc_again(struct fc *f, int argc, char **argv, int i)
{
	struct shell *sh = f->sh;
	struct str s;
	int64_t at;
	int from = i;

	while (i < argc && strchr(argv[i], '='))
		i++;
	at = f->count == 0 ? FC_NOT_FOUND : i < argc ? fc_place(f, argv[i]) : f->last;
	if (at < 0)
		return fc_error(sh, FC_NOT_FOUND);
	s = history_at(sh->st, (size_t)at, NULL);
	s = (struct str){u_strndup(sh->p, s.ptr, s.len), s.len};
	for (; from < i; from++) {
		const char *eq = strchr(argv[from], '=');
		struct str old = {argv[from], (size_t)(eq - argv[from])};
		struct u_buf b;
		size_t k = 0;

		u_buf_init(&b, sh->p, PARSE_SOURCE_MAX);
		while (k < s.len) {
			if (old.len && s.len - k >= old.len &&
			    memcmp(s.ptr + k, old.ptr, old.len) == 0) {
				u_buf_puts(&b, eq + 1);
				k += old.len;
			} else {
				u_buf_putc(&b, s.ptr[k++]);
			}
		}
		s = (struct str){b.ptr ? b.ptr : "", b.len};
	}
	history_take_back(sh);
	run_shown(sh, s);
	return 0;
}

/* The chosen lines go through an editor and are run then. */
static int fc_edit(struct fc *f, int64_t from, int64_t to, const char *editor)
{
	struct shell *sh = f->sh;
	const char *path = u_format(sh->p, "/tmp/bash-fc.%d", sys_getpid(sh->p)), *command;
	struct str text;
	struct u_buf b;
	int fd;

	u_buf_init(&b, sh->p, PARSE_SOURCE_MAX);
	for (int64_t k = from; k <= to; k++) {
		struct str s = history_at(
		        sh->st, (size_t)(f->reverse ? to - (k - from) : k), NULL);

		u_buf_put(&b, s.ptr, s.len);
		u_buf_putc(&b, '\n');
	}
	fd = sys_open(sh->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0600);
	if (fd < 0) {
		builtin_error(sh, "%s: cannot open temp file: %s", path, errno_text(fd));
		return 1;
	}
	if (b.len)
		(void)!u_write_all(sh->p, fd, b.ptr, b.len);
	sys_close(sh->p, fd);
	history_take_back(sh);
	command = u_format(sh->p, "%s %s", editor, path);
	unit_run(sh, UNIT_EVAL, str_from(command), "fc", sh->st->line, NULL);
	fd = shell_status(sh) || sh->flow ? -1 : unit_read(sh, path, &text);
	(void)!sys_unlink(sh->p, path);
	if (fd < 0)
		return 1;
	while (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	run_shown(sh, text);
	return 0;
}

static const char *editor_of(struct shell *sh)
{
	static const char *const names[] = {"FCEDIT", "EDITOR"};
	char buf[VALUE_BUF];
	struct str s;

	for (size_t i = 0; i < COUNTOF(names); i++)
		if (state_get(sh->st, str_from(names[i]), buf, &s) && s.len)
			return u_strndup(sh->p, s.ptr, s.len);
	return "ed";
}

int builtin_fc(struct shell *sh, int argc, char **argv)
{
	struct fc f = {.sh = sh, .numbers = true};
	bool noted = sh->st->history_noted && set_is(sh, SET_HISTORY), again = false;
	const char *editor = NULL;
	int64_t from, to;
	struct args a;
	int c;

	args_init(&a, sh, argc, argv);
	while (!(a.i < argc && (!a.at || !*a.at) && argv[a.i][0] == '-' &&
	         ascii_digit((unsigned char)argv[a.i][1])) &&
	       (c = args_next(&a, "e:lnrs")) != 0) {
		if (c < 0)
			return USAGE_STATUS;
		f.list |= c == 'l';
		f.numbers &= c != 'n';
		f.reverse |= c == 'r';
		again |= c == 's';
		if (c == 'e')
			editor = a.value;
	}
	history_stifle(sh->st);
	f.count = (int64_t)history_count(sh->st);
	f.last = MAX(f.count - 1 - noted, (int64_t)0);
	if (again || (editor && streq(editor, "-")))
		return fc_again(&f, argc, argv, a.i);
	if (f.count == 0)
		return 0;
	from = a.i < argc ? fc_place(&f, argv[a.i]) : f.list ? MAX(f.last - 15, (int64_t)0) : f.last;
	to = a.i + 1 < argc ? fc_place(&f, argv[a.i + 1])
	     : f.list && from <= f.last ? f.last : from;
	/* POSIX: the oldest and the newest stand in for what is out of range. */
	if (from == FC_RANGE)
		from = 0;
	if (to == FC_RANGE)
		to = f.last;
	if (from < 0 || to < 0)
		return fc_error(sh, MIN(from, to));
	if (from > to) {
		int64_t t = from;

		from = to;
		to = t;
		f.reverse = true;
	}
	if (!f.list)
		return fc_edit(&f, from, to, editor ? editor : editor_of(sh));
	fc_print(&f, from, to);
	return 0;
}
