/* feed.c - a program's text from standard input, as it comes. */
#include "feed.h"

void feed_init(struct feed *f, struct proc *p, int fd, size_t max, bool (*ends)(void *state, char c), void *state)
{
	*f = (struct feed){.p = p, .fd = fd, .ends = ends, .state = state};
	u_buf_init(&f->b, p, max);
}

static bool read_more(struct feed *f)
{
	struct sys_slice s;
	int64_t n;

	if (f->eof)
		return false;
	u_flush(u_stdout(f->p));
	n = sys_read_slice(f->p, f->fd, 0, &s);
	if (n <= 0) {
		f->eof = true;
		f->err = n < 0 ? (int)n : 0;
		return false;
	}
	u_buf_put(&f->b, s.ptr, s.len);
	return true;
}

/* The first n bytes; they are given away for good. */
static struct str cut(struct feed *f, size_t n)
{
	struct str s = {u_strndup(f->p, f->b.ptr ? f->b.ptr : "", n), n};

	memmove(f->b.ptr, f->b.ptr + n, f->b.len - n);
	f->b.len -= n;
	f->seen -= MIN(n, f->seen);
	return s;
}

bool feed_next(struct feed *f, struct str *out)
{
	for (;;) {
		size_t whole = 0;

		for (; f->seen < f->b.len; f->seen++)
			if (f->ends(f->state, f->b.ptr[f->seen]))
				whole = f->seen + 1;
		if (whole) {
			*out = cut(f, whole);
			return true;
		}
		if (read_more(f))
			continue;
		if (!f->b.len)
			return false;
		*out = cut(f, f->b.len);
		return true;
	}
}

bool feed_line(struct feed *f, struct str *out)
{
	for (;;) {
		const char *nl = f->b.len ? memchr(f->b.ptr, '\n', f->b.len) : NULL;

		if (nl) {
			*out = cut(f, (size_t)(nl - f->b.ptr) + 1);
			return true;
		}
		if (read_more(f))
			continue;
		if (!f->b.len)
			return false;
		*out = cut(f, f->b.len);
		return true;
	}
}
