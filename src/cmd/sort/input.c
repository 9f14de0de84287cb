/*
 * input.c - files into lines in memory, and the two jobs that need no memory: merging sorted files and
 * checking one.
 */
#include "sort.h"

#define SLACK 16	/* readable bytes after a block: a delimiter, and what order.c may load */

struct block {
	char *ptr;
	size_t len, cap;
};

struct blocks {
	struct block *v;
	size_t n, cap;
};

void sort_need(struct sort *s, size_t n)
{
	uint64_t limit = sys_limit(s->p, SYS_LIMIT_MEMORY);

	if (n > SIZE_MAX / 4 ||
	    (limit && (n > limit || sys_usage(s->p, SYS_LIMIT_MEMORY) > limit - n)))
		u_die(s->p, 2, 0, "memory exhausted");
}

int sort_open(struct sort *s, const char *file)
{
	int fd = streq(file, "-") ? 0 : sys_open(s->p, file, SYS_O_READ, 0);

	if (fd < 0)
		u_die(s->p, 2, fd, "open failed: %s", file);
	return fd;
}

static NORETURN void read_failed(struct sort *s, const char *file, int err)
{
	u_die(s->p, 2, err, "read failed: %s", file);
}

/* ---- Reading everything ------------------------------------------------------------------- */

/* A new block of at least `size` bytes that begins with the unfinished line at the end of the last one. */
static struct block *add_block(struct sort *s, struct blocks *b, size_t size)
{
	struct block *old = b->n ? &b->v[b->n - 1] : NULL, *new;
	const char *tail = NULL;
	size_t carry = 0;

	if (old && old->len > 0 && old->ptr[old->len - 1] != s->delim) {
		tail = memrchr(old->ptr, s->delim, old->len);
		tail = tail ? tail + 1 : old->ptr;
		carry = (size_t)(old->ptr + old->len - tail);
		old->len -= carry;
	}
	if (carry > UINT32_MAX / 2)
		u_die(s->p, 2, 0, "line too long");
	size = MAX(size, 2 * carry);
	sort_need(s, size);
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 8;

		b->v = arena_grow(&sys_self(s->p)->arena, b->v, b->cap * sizeof(*b->v),
				  size_mul(cap, sizeof(*b->v)));
		b->cap = cap;
	}
	new = &b->v[b->n++];
	*new = (struct block){u_alloc(s->p, size + SLACK), carry, size};
	if (carry)
		memcpy(new->ptr, tail, carry);
	return new;
}

/* How much to ask memory for at once: what the file still holds, when that is known. */
static size_t likely_size(struct sort *s, int fd, size_t so_far)
{
	struct sys_stat st;
	int64_t at = sys_seek(s->p, fd, 0, SYS_SEEK_CUR);

	if (at >= 0 && sys_fstat(s->p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE &&
	    st.size > at)
		return (size_t)(st.size - at) + 1;
	return MIN(MAX(so_far, 4096u), 4u << 20);
}

static void read_file(struct sort *s, struct blocks *b, const char *file, size_t *total)
{
	int fd = sort_open(s, file);
	struct block *last = b->n ? &b->v[b->n - 1] : NULL;
	int64_t got;

	if (!last || last->cap - last->len < 2048)
		last = add_block(s, b, likely_size(s, fd, *total));
	while ((got = sys_read(s->p, fd, last->ptr + last->len, last->cap - last->len)) > 0) {
		last->len += (size_t)got;
		*total += (size_t)got;
		if (last->cap == last->len)
			last = add_block(s, b, likely_size(s, fd, *total));
	}
	if (got < 0)
		read_failed(s, file, (int)got);
	/* The slack has room for the one that is missing. */
	if (last->len > 0 && last->ptr[last->len - 1] != s->delim)
		last->ptr[last->len++] = s->delim;
	u_close_operand(s->p, fd);
}

struct sort_line *sort_read(struct sort *s, int n, char *const *files, size_t *count)
{
	struct blocks b = {NULL, 0, 0};
	struct sort_line *lines, *at;
	size_t total = 0, nlines = 0;

	for (int i = 0; i < n; i++)
		read_file(s, &b, files[i], &total);
	for (size_t i = 0; i < b.n; i++)
		nlines += scan_count(b.v[i].ptr, b.v[i].len, s->delim);
	sort_need(s, size_mul(nlines, sizeof(*lines)));
	lines = u_array(s->p, nlines, sizeof(*lines));
	/* Reversed when everything is: equal lines then come out in their order again. */
	at = s->flipped ? lines + nlines : lines;
	for (size_t i = 0; i < b.n; i++) {
		const char *t = b.v[i].ptr, *end = t + b.v[i].len;

		while (t < end) {
			const char *nl = memchr(t, s->delim, (size_t)(end - t));
			struct sort_line *l = s->flipped ? --at : at++;

			if ((uint64_t)(nl - t) > UINT32_MAX / 2)
				u_die(s->p, 2, 0, "line too long");
			*l = (struct sort_line){.ptr = t, .len = (uint32_t)(nl - t)};
			t = nl + 1;
		}
		sys_checkpoint_n(s->p, (uint32_t)MIN(b.v[i].len / 32 + 1, 1u << 24));
	}
	*count = nlines;
	return lines;
}

/* ---- Merging -------------------------------------------------------------------------------- */

struct source {
	struct u_lines r;
	struct sort_line line;
	const char *file;
	int fd;
	int order;		/* of the file on the command line */
};

static bool next_line(struct sort *s, struct source *q)
{
	struct str line;

	if (!u_lines_next(&q->r, &line)) {
		if (q->r.err)
			read_failed(s, q->file, q->r.err);
		u_close_operand(s->p, q->fd);
		return false;
	}
	if (line.len > UINT32_MAX / 2)
		u_die(s->p, 2, 0, "line too long");
	q->line = (struct sort_line){.ptr = line.ptr, .len = (uint32_t)line.len};
	return true;
}

static bool before(struct sort *s, const struct source *a, const struct source *b)
{
	int d = sort_compare(s, &a->line, &b->line, 0);

	return d ? d < 0 : a->order < b->order;
}

/* Puts heap[i] in its place below; the least line is on top. */
static void sift(struct sort *s, struct source **heap, size_t n, size_t i)
{
	struct source *x = heap[i];

	for (size_t kid; (kid = 2 * i + 1) < n; i = kid) {
		if (kid + 1 < n && before(s, heap[kid + 1], heap[kid]))
			kid++;
		if (!before(s, heap[kid], x))
			break;
		heap[i] = heap[kid];
	}
	heap[i] = x;
}

/* Under -u: the line equals the one written last. */
static bool repeats(struct sort *s, const struct sort_line *l, struct u_buf *last, bool *any)
{
	struct sort_line old = {.ptr = last->ptr, .len = (uint32_t)last->len};

	if (!s->unique)
		return false;
	if (*any && sort_compare_keys(s, &old, l, 0) == 0)
		return true;
	last->len = 0;
	u_buf_put(last, l->ptr, l->len);
	*any = true;
	return false;
}

void sort_merge(struct sort *s, int n, char *const *files, struct u_out *out, struct u_buf *held)
{
	struct source *v = u_zalloc(s->p, size_mul((size_t)n, sizeof(*v)));
	struct source **heap = u_array(s->p, (size_t)n, sizeof(struct source *));
	struct u_buf last;
	size_t live = 0;
	bool any = false;

	u_buf_init(&last, s->p, 0);
	for (int i = 0; i < n; i++) {
		v[i].file = files[i];
		v[i].order = i;
		v[i].fd = sort_open(s, files[i]);
		u_lines_init(&v[i].r, s->p, v[i].fd, s->delim);
		if (next_line(s, &v[i]))
			heap[live++] = &v[i];
	}
	for (size_t i = live / 2; i-- > 0;)
		sift(s, heap, live, i);
	while (live > 0) {
		const struct sort_line *l = &heap[0]->line;

		if (!repeats(s, l, &last, &any)) {
			if (out) {
				u_put(out, l->ptr, l->len);
				u_putc(out, s->delim);
			} else {
				u_buf_put(held, l->ptr, l->len);
				u_buf_putc(held, s->delim);
			}
		}
		if (!next_line(s, heap[0]))
			heap[0] = heap[--live];
		if (live > 0)
			sift(s, heap, live, 0);
	}
}

/* ---- Checking ---------------------------------------------------------------------------------- */

/* The line as it is, whatever bytes it has. */
static void say_disorder(struct sort *s, const char *file, uint64_t n, struct str line)
{
	struct u_buf b;

	u_buf_init(&b, s->p, 0);
	u_buf_printf(&b, "%s: %s:%llu: disorder: ", u_name(s->p), file, (unsigned long long)n);
	u_buf_put(&b, line.ptr, line.len);
	u_buf_putc(&b, s->delim);
	u_write_all(s->p, 2, b.ptr, b.len);
}

int sort_check(struct sort *s, const char *file)
{
	int fd = sort_open(s, file);
	struct u_buf last;
	struct u_lines r;
	struct str line;

	u_buf_init(&last, s->p, 0);
	u_lines_init(&r, s->p, fd, s->delim);
	for (uint64_t n = 1; u_lines_next(&r, &line); n++) {
		struct sort_line old = {.ptr = last.ptr, .len = (uint32_t)last.len};
		struct sort_line now = {.ptr = line.ptr, .len = (uint32_t)line.len};

		if (n > 1 && sort_compare(s, &old, &now, 0) >= (s->unique ? 0 : 1)) {
			if (s->check == 'c')
				say_disorder(s, file, n, line);
			return 1;
		}
		last.len = 0;
		u_buf_put(&last, line.ptr, line.len);
	}
	if (r.err)
		read_failed(s, file, r.err);
	return 0;
}
