/* pump.c - moving bytes through a codec. */
#include "pump.h"

#define SLICE ((size_t)128 << 10)

void pump_init(struct pump *q, struct proc *p, struct codec *codec, size_t room)
{
	*q = (struct pump){.p = p, .codec = codec, .in = -1, .out = -1, .cap = room, .buf = u_alloc(p, room)};
}

void pump_open(struct pump *q, int in, int out)
{
	q->in = in;
	q->out = out;
	q->err = 0;
	q->at_end = false;
	q->at = q->end = NULL;
	q->in_total = q->out_total = 0;
	q->crc = 0;
	q->n = 0;
}

/* ---- Input ------------------------------------------------------------------ */

bool pump_fill(struct pump *q)
{
	struct sys_slice s;
	int64_t got;

	if (q->at < q->end)
		return true;
	if (q->at_end)
		return false;
	got = sys_read_slice(q->p, q->in, SLICE, &s);
	if (got <= 0) {
		q->err = (int)got;
		q->at_end = true;
		return false;
	}
	q->at = (const unsigned char *)s.ptr;
	q->end = q->at + s.len;
	return true;
}

int pump_byte(struct pump *q)
{
	if (!pump_fill(q))
		return -1;
	q->in_total++;
	return *q->at++;
}

bool pump_take(struct pump *q, void *buf, size_t n)
{
	char *to = buf;

	while (n) {
		size_t part;

		if (!pump_fill(q))
			return false;
		part = MIN(n, (size_t)(q->end - q->at));
		memcpy(to, q->at, part);
		q->at += part;
		q->in_total += part;
		to += part;
		n -= part;
	}
	return true;
}

/* ---- Output ----------------------------------------------------------------- */

int pump_flush(struct pump *q)
{
	size_t n = q->n;
	int r;

	q->n = 0;
	if (!n || q->out < 0)
		return 0;
	r = u_write_all(q->p, q->out, q->buf, n);
	if (r < 0) {
		q->err = r;
		return PUMP_WRITE;
	}
	return 0;
}

int pump_put(struct pump *q, const void *ptr, size_t n)
{
	const char *from = ptr;

	q->out_total += n;
	while (n) {
		size_t part = MIN(n, q->cap - q->n);

		memcpy(q->buf + q->n, from, part);
		q->n += part;
		from += part;
		n -= part;
		if (q->n == q->cap && pump_flush(q) < 0)
			return PUMP_WRITE;
	}
	return 0;
}

int pump_copy(struct pump *q)
{
	while (pump_fill(q)) {
		size_t n = (size_t)(q->end - q->at);

		if (pump_put(q, q->at, n) < 0)
			return PUMP_WRITE;
		q->in_total += n;
		q->at = q->end;
	}
	return q->err ? PUMP_READ : 0;
}

/* ---- Through the codec -------------------------------------------------------- */

/* One step; what was taken and given is counted. */
static int step(struct pump *q, bool encodes)
{
	char *fresh = q->buf + q->n;
	const unsigned char *from = q->at;
	struct codec_io io = {q->at, (size_t)(q->end - q->at), fresh, q->cap - q->n};
	int r = codec_step(q->codec, &io, q->at_end);
	size_t in, out;

	q->at = io.in;
	in = q->at ? (size_t)(q->at - from) : 0;
	out = (size_t)((char *)io.out - fresh);
	q->n += out;
	q->in_total += in;
	q->out_total += out;
	if (q->want_crc)
		q->crc = encodes ? codec_crc32(q->crc, from, in) : codec_crc32(q->crc, fresh, out);
	return r;
}

static int run(struct pump *q, bool encodes)
{
	for (;;) {
		int r;

		if (q->at == q->end && !pump_fill(q) && q->err)
			return PUMP_READ;
		r = step(q, encodes);
		if (r != CODEC_MORE)
			return r;
		if (q->n == q->cap && pump_flush(q) < 0)
			return PUMP_WRITE;
		if (q->out_max && q->out_total > q->out_max)
			return CODEC_LIMIT;
	}
}

int pump_encode(struct pump *q)
{
	return run(q, true);
}

int pump_decode(struct pump *q)
{
	return run(q, false);
}
