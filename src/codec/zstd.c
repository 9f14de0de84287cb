/* zstd.c - frames of .zst, by libzstd. */
#define ZSTD_STATIC_LINKING_ONLY /* for the allocator hooks */
#include <zstd.h>
#include <zstd_errors.h>
#include "ops.h"

#define WINDOW_LOG_MAX 27 /* 128 MiB: what the zstd program takes by default */

struct zstd {
	ZSTD_CCtx *c;
	ZSTD_DCtx *d;
	bool begun;	/* a byte of the frame was seen */
};

static void *take(void *c, size_t n)
{
	return codec_take(c, n);
}

static void drop(void *c, void *block)
{
	codec_drop(c, block);
}

static struct zstd *stream_new(struct codec *c)
{
	struct zstd *z = codec_take(c, sizeof(*z));

	return memset(z, 0, sizeof(*z));
}

static bool set(ZSTD_CCtx *c, ZSTD_cParameter what, int value)
{
	return !ZSTD_isError(ZSTD_CCtx_setParameter(c, what, value));
}

static void *encode(struct codec *c, const struct codec_config *config)
{
	struct zstd *z = stream_new(c);

	z->c = ZSTD_createCCtx_advanced((ZSTD_customMem){take, drop, c});
	if (!z->c || !set(z->c, ZSTD_c_compressionLevel, config->level) || !set(z->c, ZSTD_c_checksumFlag, config->check != 0))
		return NULL;
	if (config->window_log &&
	    (!set(z->c, ZSTD_c_windowLog, config->window_log) || !set(z->c, ZSTD_c_enableLongDistanceMatching, 1)))
		return NULL;
	if (config->is_sized)
		ZSTD_CCtx_setPledgedSrcSize(z->c, config->size_hint);
	return z;
}

static void *decode(struct codec *c, const struct codec_config *config)
{
	struct zstd *z = stream_new(c);

	z->d = ZSTD_createDCtx_advanced((ZSTD_customMem){take, drop, c});
	if (!z->d)
		return NULL;
	if (ZSTD_isError(ZSTD_DCtx_setParameter(z->d, ZSTD_d_windowLogMax, config->window_log ? config->window_log : WINDOW_LOG_MAX)))
		return NULL;
	return z;
}

static void move_on(struct codec_io *io, const ZSTD_inBuffer *in, const ZSTD_outBuffer *out)
{
	*io = (struct codec_io){(const char *)in->src + in->pos, in->size - in->pos, (char *)out->dst + out->pos, out->size - out->pos};
}

static int encode_step(void *state, struct codec_io *io, bool at_end)
{
	struct zstd *z = state;
	ZSTD_inBuffer in = {io->in, io->in_size, 0};
	ZSTD_outBuffer out = {io->out, io->out_size, 0};
	size_t r = ZSTD_compressStream2(z->c, &out, &in, at_end ? ZSTD_e_end : ZSTD_e_continue);

	move_on(io, &in, &out);
	if (ZSTD_isError(r))
		return CODEC_BAD;
	return at_end && r == 0 ? CODEC_END : CODEC_MORE;
}

static int result(size_t r, bool begun)
{
	switch (ZSTD_getErrorCode(r)) {
	case ZSTD_error_prefix_unknown: return begun ? CODEC_BAD : CODEC_FORMAT;
	case ZSTD_error_version_unsupported:
	case ZSTD_error_frameParameter_unsupported:
	case ZSTD_error_dictionary_wrong: return CODEC_UNSUPPORTED;
	case ZSTD_error_frameParameter_windowTooLarge: return CODEC_LIMIT;
	case ZSTD_error_checksum_wrong: return CODEC_CHECK;
	default: return CODEC_BAD;
	}
}

static int decode_step(void *state, struct codec_io *io, bool at_end)
{
	struct zstd *z = state;
	ZSTD_inBuffer in = {io->in, io->in_size, 0};
	ZSTD_outBuffer out = {io->out, io->out_size, 0};
	size_t r = ZSTD_decompressStream(z->d, &out, &in);

	(void)at_end;
	move_on(io, &in, &out);
	if (ZSTD_isError(r))
		return result(r, z->begun);
	z->begun |= in.pos > 0;
	return r == 0 && z->begun ? CODEC_END : CODEC_MORE;
}

const struct codec_ops codec_zstd = {encode, decode, encode_step, decode_step};
