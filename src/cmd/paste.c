/*
 * paste.c - join lines side by side.
 *
 * The delimiters between files that have ended are only printed when a later file still has a
 * line, so they wait in `pending` until that is known.
 */
#include "cmd.h"

struct paste {
	const char *delims;
	bool serial, zero;

	struct proc *p;
	struct u_out *out;
	char *list;		/* delimiters, one a place */
	bool *none;		/* place i stands for no character */
	size_t nlist;
	char eol;
	int status;
};

static const struct cmd_opt paste_opts[] = {
	CMD_STRING(struct paste, delims, 'd', "delimiters", "LIST", "use the characters of LIST in turn, not TABs"),
	CMD_FLAG(struct paste, serial, 's', "serial", "join the lines of each file, one file after the other"),
	CMD_FLAG(struct paste, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
};

static void parse_delims(struct paste *s)
{
	static const char letters[] = "bfnrtv\\", bytes[] = "\b\f\n\r\t\v\\";
	const char *d = s->delims && *s->delims ? s->delims : s->delims ? "\\0" : "\t";
	size_t n = strlen(d);

	s->list = u_alloc(s->p, n);
	s->none = u_zalloc(s->p, n);
	for (const char *t = d; *t; t++) {
		const char *named;

		s->list[s->nlist] = *t;
		if (*t == '\\') {
			t++;
			if (!*t)
				u_die(s->p, 1, 0, "delimiter list ends with an unescaped backslash: %s", d);
			named = strchr(letters, *t);
			s->list[s->nlist] = named ? bytes[named - letters] : *t;
			s->none[s->nlist] = *t == '0';
		}
		s->nlist++;
	}
}

static void put_delim(struct paste *s, size_t i)
{
	if (!s->none[i % s->nlist])
		u_putc(s->out, s->list[i % s->nlist]);
}

/* ---- One file after the other ------------------------------------------------------------ */

static void paste_serial(struct paste *s, const char *path)
{
	int fd = u_open_operand(s->p, path);
	struct u_lines r;
	struct str line;
	size_t n = 0;

	if (fd < 0) {
		s->status = 1;
		return;
	}
	u_lines_init(&r, s->p, fd, s->eol);
	while (u_lines_next(&r, &line)) {
		if (n > 0)
			put_delim(s, n - 1);
		u_put(s->out, line.ptr, line.len);
		n++;
	}
	u_putc(s->out, s->eol);
	if (r.err) {
		u_warn(s->p, r.err, "%s", path);
		s->status = 1;
	}
	u_close_operand(s->p, fd);
}

/* ---- Side by side -------------------------------------------------------------------------- */

struct column {
	struct u_lines own, *r;	/* r: own, or that of an earlier "-" */
	const char *path;
	bool open;
};

static struct column *open_columns(struct paste *s, int n, char *const *file)
{
	struct column *c = u_zalloc(s->p, size_mul((size_t)n, sizeof(*c)));
	struct u_lines *standard = NULL;

	for (int i = 0; i < n; i++) {
		int fd = u_open_operand(s->p, file[i]);

		if (fd < 0)
			u_exit(s->p, 1);
		c[i].path = file[i];
		c[i].open = true;
		c[i].r = &c[i].own;
		if (fd == 0 && standard) {
			c[i].r = standard;
			continue;
		}
		u_lines_init(&c[i].own, s->p, fd, s->eol);
		if (fd == 0)
			standard = c[i].r;
	}
	return c;
}

/* One line of each file; false when all have ended. */
static bool paste_row(struct paste *s, struct column *c, int n)
{
	bool any = false;
	int pending = 0; /* files that have ended, since the last that had not */

	for (int i = 0; i < n; i++) {
		struct str line;

		if (c[i].open && !u_lines_next(c[i].r, &line)) {
			c[i].open = false;
			if (c[i].r->err) {
				u_warn(s->p, c[i].r->err, "%s", c[i].path);
				c[i].r->err = 0;
				s->status = 1;
			}
		}
		if (!c[i].open) {
			pending++;
			continue;
		}
		for (int k = i - pending; k < i; k++) {
			if (k > 0)
				put_delim(s, (size_t)k - 1);
		}
		if (i > 0)
			put_delim(s, (size_t)i - 1);
		pending = 0;
		u_put(s->out, line.ptr, line.len);
		any = true;
	}
	if (!any)
		return false;
	for (int k = n - pending; k < n; k++) {
		if (k > 0)
			put_delim(s, (size_t)k - 1);
	}
	u_putc(s->out, s->eol);
	return true;
}

static int paste_main(struct proc *p, const struct cmd_args *a)
{
	struct paste *s = a->opts;
	char *const *file;
	int n = cmd_files(a, &file);

	s->p = p;
	s->out = u_stdout(p);
	s->eol = s->zero ? '\0' : '\n';
	parse_delims(s);
	if (s->serial) {
		for (int i = 0; i < n; i++)
			paste_serial(s, file[i]);
	} else {
		struct column *c = open_columns(s, n, file);

		while (paste_row(s, c, n))
			continue;
	}
	return s->status;
}

static const struct cmd_example paste_examples[] = {
	{"seq 4 | paste -sd+", "1+2+3+4\n"},
	{"seq 4 | paste -d, - -", "1,2\n3,4\n"},
};

const struct cmd cmd_paste = {
	.name = "paste",
	.summary = "print the n-th lines of all files side by side, with TABs between them",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, or where FILE is -, standard input is read; several - take turns. LIST may\n"
		       "have the escapes \\b \\f \\n \\r \\t \\v \\\\ and \\0 for no character.",
	.opts = paste_opts,
	.nopts = COUNTOF(paste_opts),
	.opts_size = sizeof(struct paste),
	.main = paste_main,
	.examples = paste_examples,
	.nexamples = COUNTOF(paste_examples),
};
