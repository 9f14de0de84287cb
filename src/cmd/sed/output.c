/* output.c - what sed writes: lines, queued texts, and files edited in place. */
#include "sed.h"

/* ---- Lines ------------------------------------------------------------------------------ */

void sed_put(struct sed_output *o, char delim, const char *ptr, size_t n)
{
	if (UNLIKELY(o->missing_newline)) {
		u_putc(o->out, delim);
		o->missing_newline = false;
	}
	u_put(o->out, ptr, n);
}

void sed_put_space(struct sed *s, struct sed_output *o, const char *ptr, size_t n, bool chomped)
{
	sed_put(o, s->delim, ptr, n);
	if (LIKELY(chomped))
		u_putc(o->out, s->delim);
	else
		o->missing_newline = true;
	if (s->unbuffered)
		u_flush(o->out);
}

/* How l shows a byte. */
static size_t visible(char *out, unsigned char c)
{
	static const char bytes[] = "\\\a\b\f\n\r\t\v", letters[] = "\\abfnrtv";
	const char *named = c ? strchr(bytes, c) : NULL;

	if (named) {
		out[0] = '\\';
		out[1] = letters[named - bytes];
		return 2;
	}
	if (ascii_print(c)) {
		out[0] = (char)c;
		return 1;
	}
	out[0] = '\\';
	for (int i = 3; i > 0; i--, c >>= 3)
		out[i] = (char)('0' + (c & 7));
	return 4;
}

void sed_put_visible(struct sed *s, int64_t width)
{
	const struct u_buf *b = &s->pattern.b;
	struct u_out *out = s->out->out;
	int64_t used = 0;

	sed_put(s->out, s->delim, "", 0);
	for (size_t i = 0; i < b->len; i++) {
		char text[4];
		size_t n = visible(text, (unsigned char)b->ptr[i]);

		/* The backslash at the end of a line takes one column. */
		if (width > 0 && used + (int64_t)n > width - 1) {
			u_putc(out, '\\');
			u_putc(out, s->delim);
			used = 0;
		}
		u_put(out, text, n);
		used += (int64_t)n;
	}
	u_putc(out, '$');
	u_putc(out, s->delim);
}

/* ---- The queue ----------------------------------------------------------------------------- */

void sed_queue(struct sed *s, char kind, struct str text)
{
	if (s->nqueue == s->capqueue) {
		size_t cap = s->capqueue ? s->capqueue * 2 : 8;

		s->queue = arena_grow(&sys_self(s->p)->arena, s->queue, s->capqueue * sizeof(*s->queue),
				      size_mul(cap, sizeof(*s->queue)));
		s->capqueue = cap;
	}
	s->queue[s->nqueue++] = (struct sed_append){kind, text};
}

static void put_file(struct sed *s, const char *name)
{
	int fd = sys_open(s->p, name, SYS_O_READ, 0);
	struct sys_slice slice;

	sed_put(s->out, s->delim, "", 0);
	/* A file that cannot be read is an empty one. */
	if (fd < 0)
		return;
	while (sys_read_slice(s->p, fd, 0, &slice) > 0)
		sed_put(s->out, s->delim, slice.ptr, slice.len);
	sys_close(s->p, fd);
}

void sed_flush_queue(struct sed *s)
{
	size_t at = 0;

	for (size_t i = 0; i < s->nqueue; i++) {
		const struct sed_append *a = &s->queue[i];

		switch (a->kind) {
		case 'a': sed_put(s->out, s->delim, a->text.ptr, a->text.len); break;
		case 'R':
			sed_put(s->out, s->delim, s->queue_text.ptr + at, a->text.len);
			at += a->text.len;
			break;
		default: put_file(s, a->text.ptr); break;
		}
	}
	s->nqueue = 0;
	s->queue_text.len = 0;
}

/* ---- Files of w ------------------------------------------------------------------------------- */

struct sed_output *sed_open_output(struct sed *s, const char *name)
{
	struct sed_output *o = s->outputs;
	int fd;

	while (o && !streq(o->name, name))
		o = o->next;
	if (o)
		return o;
	o = u_zalloc(s->p, sizeof(*o));
	o->name = name;
	o->next = s->outputs;
	s->outputs = o;
	o->out = &o->own;
	if (streq(name, "/dev/stdout")) {
		o->out = u_stdout(s->p);
		return o;
	}
	if (streq(name, "/dev/stderr")) {
		u_out_init(&o->own, s->p, 2, 512);
		return o;
	}
	fd = sys_open(s->p, name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
	if (fd < 0)
		u_die(s->p, 4, 0, "couldn't open file %s: %s", name, errno_text(fd));
	u_out_init(&o->own, s->p, fd, 0);
	return o;
}

static void flush_or_die(struct sed *s, struct u_out *o, const char *name)
{
	if (u_flush(o) >= 0)
		return;
	u_output_told(s->p);
	u_die(s->p, 4, o->err, "couldn't flush %s", name);
}

void sed_finish(struct sed *s)
{
	if (s->fd >= 0 && s->in_place)
		sed_edit_end(s);
	for (struct sed_output *o = s->outputs; o; o = o->next) {
		if (o->out == &o->own)
			flush_or_die(s, o->out, o->name);
	}
	flush_or_die(s, u_stdout(s->p), "stdout");
}

/* ---- In place ------------------------------------------------------------------------------------ */

/* The file a link leads to in the end. */
static const char *follow(struct sed *s, const char *path)
{
	char *buf = u_alloc(s->p, SYS_PATH_MAX);

	return sys_realpath(s->p, path, 2, buf, SYS_PATH_MAX) < 0 ? path : buf;
}

/* A new file next to the one that is edited. */
static int temporary(struct sed *s, const char *path, char **name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	int fd = -NACRE_EEXIST;

	for (int i = 0; i < 100 && fd == -NACRE_EEXIST; i++) {
		unsigned char random[6];
		char tail[7] = "";

		sys_random(s->p, random, sizeof(random));
		for (int k = 0; k < 6; k++)
			tail[k] = letters[random[k] % (sizeof(letters) - 1)];
		*name = u_join(s->p, u_dirname(s->p, path), u_format(s->p, "sed%s", tail));
		fd = sys_open(s->p, *name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL, 0600);
	}
	return fd;
}

bool sed_edit_begin(struct sed *s, const char *path, int fd)
{
	struct sys_stat st;
	char *name;
	int out;

	if (sys_fstat(s->p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE) {
		u_warn(s->p, 0, "couldn't edit %s: not a regular file", path);
		return false;
	}
	if (s->follow_links)
		path = follow(s, path);
	out = temporary(s, path, &name);
	if (out < 0)
		u_die(s->p, 4, 0, "couldn't open temporary file %s: %s", name, errno_text(out));
	(void)!sys_chmod(s->p, name, st.mode & 07777, 0);
	s->edited.name = path;
	s->edited.missing_newline = false;
	s->edited_name = name;
	s->edited_fd = out;
	if (!s->edited.out) {
		s->edited.out = &s->edited.own;
		u_out_init(&s->edited.own, s->p, out, 0);
	}
	s->edited.own.fd = out;
	s->out = &s->edited;
	return true;
}

/* The name of the backup: the suffix is appended, or the name put where it has a star. */
static const char *backup_name(struct sed *s, const char *path)
{
	const char *base = u_basename(s->p, path);
	struct u_buf b;

	u_buf_init(&b, s->p, 0);
	if (strchr(s->suffix, '*')) {
		for (const char *t = s->suffix; *t; t++) {
			if (*t == '*')
				u_buf_puts(&b, base);
			else
				u_buf_putc(&b, *t);
		}
	} else {
		u_buf_printf(&b, "%s%s", base, s->suffix);
	}
	return strchr(b.ptr, '/') ? b.ptr : u_join(s->p, u_dirname(s->p, path), b.ptr);
}

void sed_edit_end(struct sed *s)
{
	const char *path = s->edited.name;
	int r;

	if (!s->edited_name)
		return;
	flush_or_die(s, s->edited.out, s->edited_name);
	sys_close(s->p, s->edited_fd);
	if (*s->suffix) {
		const char *backup = backup_name(s, path);

		r = sys_rename(s->p, path, backup, 0);
		if (r < 0)
			u_die(s->p, 4, 0, "cannot rename %s: %s", path, errno_text(r));
	}
	r = sys_rename(s->p, s->edited_name, path, 0);
	if (r < 0)
		u_die(s->p, 4, 0, "cannot rename %s: %s", s->edited_name, errno_text(r));
	s->edited_name = NULL;
	s->out = &s->standard;
}
