/* buf.c - byte buffers that grow in the arena, and formatted strings. */
#include "state.h"

#define FIRST 64u

void u_buf_init(struct u_buf *b, struct proc *p, size_t max)
{
	*b = (struct u_buf){.p = p, .max = max ? max : SIZE_MAX / 4};
	b->ptr = u_alloc(p, FIRST);
	b->cap = FIRST;
	b->ptr[0] = '\0';
}

void u_buf_reserve(struct u_buf *b, size_t more)
{
	size_t need = size_add(size_add(b->len, more), 1);
	size_t cap = b->cap;

	if (need <= cap)
		return;
	if (need > size_add(b->max, 1))
		u_die(b->p, u_failure_status(b->p), 0, "memory exhausted");
	while (cap < need)
		cap = cap < SIZE_MAX / 4 ? cap * 2 : need;
	if (cap > size_add(b->max, 1))
		cap = size_add(b->max, 1);
	b->ptr = arena_grow(&sys_self(b->p)->arena, b->ptr, b->cap, cap);
	b->cap = cap;
}

void u_buf_put(struct u_buf *b, const char *ptr, size_t n)
{
	if (b->cap - b->len <= n)
		u_buf_reserve(b, n);
	if (n)
		memcpy(b->ptr + b->len, ptr, n);
	b->len += n;
	b->ptr[b->len] = '\0';
}

void u_buf_puts(struct u_buf *b, const char *s)
{
	u_buf_put(b, s, strlen(s));
}

static void sink_put(struct fmt_sink *s, const char *ptr, size_t n)
{
	u_buf_put(CONTAINER_OF(s, struct u_buf_sink, sink)->b, ptr, n);
}

struct u_buf_sink u_buf_sink(struct u_buf *b)
{
	return (struct u_buf_sink){{sink_put}, b};
}

void u_buf_printf(struct u_buf *b, const char *fmt, ...)
{
	struct u_buf_sink s = u_buf_sink(b);
	va_list ap;

	va_start(ap, fmt);
	fmt_v(&s.sink, fmt, ap);
	va_end(ap);
}

char *u_format(struct proc *p, const char *fmt, ...)
{
	struct u_buf b;
	struct u_buf_sink s = u_buf_sink(&b);
	va_list ap;

	u_buf_init(&b, p, 0);
	va_start(ap, fmt);
	fmt_v(&s.sink, fmt, ap);
	va_end(ap);
	return b.ptr;
}
