/* deflate.c - bare deflate streams and the CRC of gzip, by zlib. */
#define ZLIB_CONST
#include <zlib.h>
#include "ops.h"

static void *take(void *c, unsigned n, unsigned size)
{
	return codec_take(c, size_mul(n, size));
}

static void drop(void *c, void *block)
{
	codec_drop(c, block);
}

static z_stream *stream_new(struct codec *c)
{
	z_stream *z = memset(codec_take(c, sizeof(*z)), 0, sizeof(*z));

	z->zalloc = take;
	z->zfree = drop;
	z->opaque = c;
	return z;
}

static void *encode(struct codec *c, const struct codec_config *config)
{
	z_stream *z = stream_new(c);

	return deflateInit2(z, config->level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK ? z : NULL;
}

static void *decode(struct codec *c, const struct codec_config *config)
{
	z_stream *z = stream_new(c);

	(void)config;
	return inflateInit2(z, -MAX_WBITS) == Z_OK ? z : NULL;
}

static void lend(z_stream *z, const struct codec_io *io)
{
	z->next_in = (const Bytef *)io->in;
	z->avail_in = (uInt)io->in_size;
	z->next_out = io->out;
	z->avail_out = (uInt)io->out_size;
}

static void take_back(const z_stream *z, struct codec_io *io)
{
	*io = (struct codec_io){z->next_in, z->avail_in, z->next_out, z->avail_out};
}

static int encode_step(void *state, struct codec_io *io, bool at_end)
{
	z_stream *z = state;
	int r;

	lend(z, io);
	r = deflate(z, at_end ? Z_FINISH : Z_NO_FLUSH);
	take_back(z, io);
	return r == Z_STREAM_END ? CODEC_END : r == Z_OK || r == Z_BUF_ERROR ? CODEC_MORE : CODEC_BAD;
}

static int decode_step(void *state, struct codec_io *io, bool at_end)
{
	z_stream *z = state;
	int r;

	(void)at_end;
	lend(z, io);
	r = inflate(z, Z_NO_FLUSH);
	take_back(z, io);
	return r == Z_STREAM_END ? CODEC_END : r == Z_OK || r == Z_BUF_ERROR ? CODEC_MORE : CODEC_BAD;
}

const struct codec_ops codec_deflate = {encode, decode, encode_step, decode_step};

uint32_t codec_crc32(uint32_t crc, const void *ptr, size_t n)
{
	return (uint32_t)crc32_z(crc, ptr, n);
}
