/*
 * member.c - the members of a .gz file: header, deflate data, check sum and length (RFC 1952).
 *
 * A file is one member after the other; zeros after the last are padding, anything else garbage.
 */
#include "gzip.h"

enum { FLAG_TEXT = 1, FLAG_HEADER_CRC = 2, FLAG_EXTRA = 4, FLAG_NAME = 8, FLAG_COMMENT = 16, FLAG_ENCRYPTED = 32, FLAG_RESERVED = 0xc0 };

#define STORED_NAME_MAX 4096

static NORETURN void ended_early(struct gzip *g)
{
	pump_flush(&g->q);
	if (g->q.err)
		gzip_abort(g, g->q.err, NULL);
	gzip_abort(g, 0, "unexpected end of file");
}

static unsigned need_byte(struct gzip *g)
{
	int c = pump_byte(&g->q);

	if (c < 0)
		ended_early(g);
	return (unsigned)c;
}

static uint32_t need_word(struct gzip *g, int bytes)
{
	uint32_t v = 0;

	for (int i = 0; i < bytes; i++)
		v |= (uint32_t)need_byte(g) << (8 * i);
	return v;
}

/* A text up to its NUL; kept when it is short enough to be a name. */
static const char *read_text(struct gzip *g, bool keep)
{
	struct u_buf b;
	unsigned c;

	u_buf_init(&b, g->p, STORED_NAME_MAX * 2);
	while ((c = need_byte(g)) != 0) {
		sys_checkpoint(g->p);
		if (keep && b.len < STORED_NAME_MAX)
			u_buf_putc(&b, (char)c);
	}
	return keep && b.len < STORED_NAME_MAX ? b.ptr : NULL;
}

/* After the two magic bytes. */
static enum gzip_member read_rest_of_header(struct gzip *g)
{
	uint64_t before = g->q.in_total - 2;
	unsigned method = need_byte(g), flags;

	if (method != 8) {
		gzip_say(g, "%s: %s: unknown method %u -- not supported\n", u_name(g->p), g->in_name, method);
		g->status = 1;
		return GZIP_ERROR;
	}
	flags = need_byte(g);
	if (flags & FLAG_ENCRYPTED)
		gzip_say(g, "%s: %s is encrypted -- not supported\n", u_name(g->p), g->in_name);
	else if (flags & FLAG_RESERVED)
		gzip_say(g, "%s: %s has flags 0x%x -- not supported\n", u_name(g->p), g->in_name, flags);
	if (flags & (FLAG_ENCRYPTED | FLAG_RESERVED)) {
		g->status = 1;
		return GZIP_ERROR;
	}
	g->stamp = need_word(g, 4);
	need_word(g, 2);
	if (flags & FLAG_EXTRA) {
		for (uint32_t n = need_word(g, 2); n; n--)
			need_byte(g);
	}
	g->stored_name = NULL;
	if (flags & FLAG_NAME)
		g->stored_name = read_text(g, g->part == 0);
	if (flags & FLAG_COMMENT)
		read_text(g, false);
	if (flags & FLAG_HEADER_CRC)
		need_word(g, 2);
	if (g->part++ == 0)
		g->header_size = g->q.in_total - before + 8;
	return GZIP_DEFLATE;
}

/* What follows the last member and does not begin another one. */
static enum gzip_member read_tail(struct gzip *g, int first)
{
	int c = first;

	while (c == 0) {
		sys_checkpoint(g->p);
		c = pump_byte(&g->q);
	}
	if (c < 0 && g->q.err)
		gzip_abort(g, g->q.err, NULL);
	if (c < 0 && !g->verbose)
		return GZIP_NO_MORE;
	if (!g->quiet)
		gzip_say(g, "\n%s: %s: decompression OK, trailing %s ignored\n", u_name(g->p), g->in_name, c < 0 ? "zero bytes" : "garbage");
	if (g->status == 0)
		g->status = 2;
	return GZIP_NO_MORE;
}

static enum gzip_member not_gzip(struct gzip *g, int first, int second)
{
	char magic[2] = {(char)first, (char)second};

	if (g->force && g->to_stdout && !g->list && !g->test) {
		pump_put(&g->q, magic, (size_t)(first >= 0) + (second >= 0));
		return GZIP_STORED;
	}
	if (first < 0 || (first == 0x1f && second < 0))
		ended_early(g);
	if (first == 0x1f && (second == 0x9d || second == 0x1e || second == 0xa0))
		gzip_say(g, "%s: %s: old compression method 0x%02x -- not supported\n", u_name(g->p), g->in_name, (unsigned)second);
	else
		gzip_say(g, "\n%s: %s: not in gzip format\n", u_name(g->p), g->in_name);
	g->status = 1;
	return GZIP_ERROR;
}

enum gzip_member gzip_read_header(struct gzip *g)
{
	bool verbatim = g->force && g->to_stdout && !g->list && !g->test;
	int first = pump_byte(&g->q), second;

	if (g->q.err)
		gzip_abort(g, g->q.err, NULL);
	if (first < 0 && g->part > 0)
		return GZIP_NO_MORE;
	second = first < 0 || (g->part > 0 && first == 0 && !verbatim) ? -1 : pump_byte(&g->q);
	if (first == 0x1f && second == 0x8b)
		return read_rest_of_header(g);
	if (g->part > 0 && !verbatim)
		return read_tail(g, first);
	return not_gzip(g, first, second);
}

int gzip_read_member(struct gzip *g)
{
	struct codec_config config = {.kind = CODEC_DEFLATE};
	int bad = 0, r;

	g->q.crc = 0;
	g->q.want_crc = true;
	g->q.out_total = 0;
	r = codec_decode(g->q.codec, &config);
	if (r == 0)
		r = pump_decode(&g->q);
	if (r == CODEC_CUT || r == PUMP_READ)
		ended_early(g);
	if (r == PUMP_WRITE)
		return r;
	if (r != CODEC_END)
		gzip_abort(g, 0, "invalid compressed data--format violated");
	g->stored_crc = need_word(g, 4);
	if (g->stored_crc != g->q.crc)
		bad |= 1;
	if (need_word(g, 4) != (uint32_t)g->q.out_total)
		bad |= 2;
	if (bad & 1)
		gzip_say(g, "\n%s: %s: invalid compressed data--crc error\n", u_name(g->p), g->in_name);
	if (bad & 2)
		gzip_say(g, "\n%s: %s: invalid compressed data--length error\n", u_name(g->p), g->in_name);
	return bad != 0;
}

void gzip_write_member(struct gzip *g)
{
	struct codec_config config = {.kind = CODEC_DEFLATE, .level = g->level};
	bool has_name = g->name != GZIP_NAME_DROP && !streq(g->in_name, "stdin");
	bool has_time = g->name != GZIP_NAME_DROP && g->is_file && g->st.mtime.sec > 0 && g->st.mtime.sec <= UINT32_MAX;
	uint32_t stamp = has_time ? (uint32_t)g->st.mtime.sec : 0;
	unsigned char head[10] = {0x1f, 0x8b, 8, has_name ? FLAG_NAME : 0}, tail[8];
	const char *name = u_basename(g->p, g->in_name);
	int r;

	for (int i = 0; i < 4; i++)
		head[4 + i] = (unsigned char)(stamp >> (8 * i));
	head[8] = g->level == 9 ? 2 : g->level == 1 ? 4 : 0;
	head[9] = 3; /* Unix */
	pump_put(&g->q, head, sizeof(head));
	if (has_name)
		pump_put(&g->q, name, strlen(name) + 1);
	g->header_size = g->q.out_total + 8;
	g->q.crc = 0;
	g->q.want_crc = true;
	r = codec_encode(g->q.codec, &config);
	if (r == 0)
		r = pump_encode(&g->q);
	if (r == PUMP_READ || (r != CODEC_END && r != PUMP_WRITE))
		gzip_abort(g, g->q.err, r == PUMP_READ ? NULL : "internal error");
	for (int i = 0; i < 4; i++) {
		tail[i] = (unsigned char)(g->q.crc >> (8 * i));
		tail[4 + i] = (unsigned char)(g->q.in_total >> (8 * i));
	}
	if (r == CODEC_END)
		pump_put(&g->q, tail, sizeof(tail));
}
