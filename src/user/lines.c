/* lines.c - reading line by line, in place.
 *
 * The reader holds one slice of the file. A line that lies in it is handed out where it
 * is; one that spans slices is joined in a buffer that is reused for the next such line. */
#include "state.h"

#define MAX_LINE ((size_t)1 << 30)

#define READ_LEAST ((size_t)4096)
#define READ_MOST  ((size_t)1 << 20) /* by one call, which nothing interrupts */

void u_lines_init(struct u_lines *r, struct proc *p, int fd, char delim)
{
	*r = (struct u_lines){.p = p, .fd = fd, .delim = delim, .max_line = MAX_LINE};
}

/* The next slice; false at the end or on an error. */
static bool fill(struct u_lines *r)
{
	struct sys_slice s;
	int64_t n;

	if (r->eof)
		return false;
	n = u_read_slice(r->p, r->fd, 0, &s);
	if (n <= 0) {
		r->eof = true;
		r->err = n < 0 ? (int)n : 0;
		r->at = r->end = NULL;
		return false;
	}
	r->at = s.ptr;
	r->end = s.ptr + s.len;
	return true;
}

static void join(struct u_lines *r, const char *ptr, size_t n)
{
	if (!r->join.p)
		u_buf_init(&r->join, r->p, 0);
	if (n > r->max_line - MIN(r->join.len, r->max_line))
		u_die(r->p, 2, 0, "line too long");
	u_buf_put(&r->join, ptr, n);
}

/* The line starts in the slice in hand and does not end there. */
static struct str join_line(struct u_lines *r)
{
	const char *nl;

	r->join.len = 0;
	join(r, r->at, (size_t)(r->end - r->at));
	while (fill(r)) {
		nl = memchr(r->at, r->delim, (size_t)(r->end - r->at));
		if (nl) {
			join(r, r->at, (size_t)(nl - r->at));
			r->at = nl + 1;
			return (struct str){r->join.ptr, r->join.len};
		}
		join(r, r->at, (size_t)(r->end - r->at));
	}
	r->ended = false;
	return (struct str){r->join.ptr, r->join.len};
}

bool u_lines_next(struct u_lines *r, struct str *line)
{
	const char *nl;

	if (r->at == r->end && !fill(r))
		return false;
	r->ended = true;
	nl = memchr(r->at, r->delim, (size_t)(r->end - r->at));
	if (LIKELY(nl != NULL)) {
		*line = (struct str){r->at, (size_t)(nl - r->at)};
		r->at = nl + 1;
	} else {
		*line = join_line(r);
	}
	sys_checkpoint(r->p);
	return true;
}

bool u_lines_block(struct u_lines *r, struct str *block)
{
	const char *last;
	size_t n;

	if (r->at == r->end && !fill(r))
		return false;
	r->ended = true;
	n = (size_t)(r->end - r->at);
	last = memrchr(r->at, r->delim, n);
	if (last) {
		*block = (struct str){r->at, (size_t)(last + 1 - r->at)};
		r->at = last + 1;
	} else {
		*block = join_line(r);
		if (r->ended) {
			u_buf_putc(&r->join, r->delim);
			*block = (struct str){r->join.ptr, r->join.len};
		}
	}
	sys_checkpoint_n(r->p, (uint32_t)MIN(1 + n / 256, (size_t)UINT32_MAX / 2));
	return true;
}

void u_lines_stop(struct u_lines *r)
{
	if (r->at != r->end)
		sys_unread(r->p, r->fd, (size_t)(r->end - r->at));
	r->at = r->end = NULL;
	r->eof = true;
}

int u_open_operand(struct proc *p, const char *path)
{
	int fd;

	if (streq(path, "-"))
		return 0;
	fd = sys_open(p, path, SYS_O_READ, 0);
	if (fd < 0)
		u_warn(p, fd, "%s", u_quote_if_needed(p, path));
	return fd;
}

void u_close_operand(struct proc *p, int fd)
{
	if (fd > 0)
		sys_close(p, fd);
}

int u_read_all(struct proc *p, int fd, size_t max, struct str *out)
{
	struct sys_stat st;
	struct u_buf b;
	int64_t n;

	u_buf_init(&b, p, 0);
	/* Of a file it is known how much will come; that it grows meanwhile must do no harm. */
	if (sys_fstat(p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE && st.size > 0 && (uint64_t)st.size <= max)
		u_buf_reserve(&b, (size_t)st.size + 1);
	do {
		if (b.cap - b.len <= 1)
			u_buf_reserve(&b, READ_LEAST);
		n = sys_read(p, fd, b.ptr + b.len, MIN(b.cap - b.len - 1, READ_MOST));
		if (n < 0)
			return (int)n;
		b.len += (size_t)n;
		if (b.len > max)
			return -NACRE_EFBIG;
	} while (n > 0);
	b.ptr[b.len] = '\0';
	*out = (struct str){b.ptr, b.len};
	return 0;
}
