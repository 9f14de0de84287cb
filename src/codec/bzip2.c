/* bzip2.c - streams of .bz2, by libbz2. */
#include <bzlib.h>
#include "ops.h"

static void *take(void *c, int n, int size)
{
	return codec_take(c, size_mul((size_t)n, (size_t)size));
}

static void drop(void *c, void *block)
{
	codec_drop(c, block);
}

static bz_stream *stream_new(struct codec *c)
{
	bz_stream *z = memset(codec_take(c, sizeof(*z)), 0, sizeof(*z));

	z->bzalloc = take;
	z->bzfree = drop;
	z->opaque = c;
	return z;
}

static void *encode(struct codec *c, const struct codec_config *config)
{
	bz_stream *z = stream_new(c);

	return BZ2_bzCompressInit(z, config->level, 0, 0) == BZ_OK ? z : NULL;
}

static void *decode(struct codec *c, const struct codec_config *config)
{
	bz_stream *z = stream_new(c);

	(void)config;
	return BZ2_bzDecompressInit(z, 0, 0) == BZ_OK ? z : NULL;
}

static void lend(bz_stream *z, const struct codec_io *io)
{
	z->next_in = (char *)(uintptr_t)io->in;
	z->avail_in = (unsigned)io->in_size;
	z->next_out = io->out;
	z->avail_out = (unsigned)io->out_size;
}

static void take_back(const bz_stream *z, struct codec_io *io)
{
	*io = (struct codec_io){z->next_in, z->avail_in, z->next_out, z->avail_out};
}

static int encode_step(void *state, struct codec_io *io, bool at_end)
{
	bz_stream *z = state;
	int r;

	if (!at_end && !io->in_size)
		return CODEC_MORE;
	lend(z, io);
	r = BZ2_bzCompress(z, at_end ? BZ_FINISH : BZ_RUN);
	take_back(z, io);
	return r == BZ_STREAM_END ? CODEC_END : r >= 0 ? CODEC_MORE : CODEC_BAD;
}

static int decode_step(void *state, struct codec_io *io, bool at_end)
{
	bz_stream *z = state;
	int r;

	(void)at_end;
	lend(z, io);
	r = BZ2_bzDecompress(z);
	take_back(z, io);
	if (r == BZ_DATA_ERROR_MAGIC)
		return CODEC_FORMAT;
	return r == BZ_STREAM_END ? CODEC_END : r == BZ_OK ? CODEC_MORE : CODEC_BAD;
}

const struct codec_ops codec_bzip2 = {encode, decode, encode_step, decode_step};
