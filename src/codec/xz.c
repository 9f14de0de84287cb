/* xz.c - streams of .xz and .lzma, by liblzma. */
#include <lzma.h>
#include "ops.h"

struct xz {
	lzma_stream z;
	lzma_allocator hooks;
};

static void *take(void *c, size_t n, size_t size)
{
	return codec_take(c, size_mul(n, size));
}

static void drop(void *c, void *block)
{
	codec_drop(c, block);
}

static struct xz *stream_new(struct codec *c)
{
	struct xz *x = memset(codec_take(c, sizeof(*x)), 0, sizeof(*x));

	x->hooks = (lzma_allocator){take, drop, c};
	x->z.allocator = &x->hooks;
	return x;
}

static uint32_t preset(const struct codec_config *config)
{
	return (uint32_t)config->level | (config->extreme ? LZMA_PRESET_EXTREME : 0);
}

/* The preset's options, with a dictionary small enough for the memory there is. */
static bool options(const struct codec_config *config, lzma_options_lzma *o, const lzma_filter *filters)
{
	if (lzma_lzma_preset(o, preset(config)))
		return false;
	while (config->memory_limit && o->dict_size > LZMA_DICT_SIZE_MIN && lzma_raw_encoder_memusage(filters) > config->memory_limit)
		o->dict_size /= 2;
	return true;
}

static void *encode(struct codec *c, const struct codec_config *config)
{
	static const lzma_check checks[] = {LZMA_CHECK_CRC64, LZMA_CHECK_NONE, LZMA_CHECK_CRC32, LZMA_CHECK_CRC64, LZMA_CHECK_SHA256};
	struct xz *x = stream_new(c);
	lzma_options_lzma o;
	lzma_filter filters[] = {{.id = LZMA_FILTER_LZMA2, .options = &o}, {.id = LZMA_VLI_UNKNOWN}};

	if (!options(config, &o, filters))
		return NULL;
	return lzma_stream_encoder(&x->z, filters, checks[config->check]) == LZMA_OK ? x : NULL;
}

static void *encode_alone(struct codec *c, const struct codec_config *config)
{
	struct xz *x = stream_new(c);
	lzma_options_lzma o;
	lzma_filter filters[] = {{.id = LZMA_FILTER_LZMA1, .options = &o}, {.id = LZMA_VLI_UNKNOWN}};

	if (!options(config, &o, filters))
		return NULL;
	return lzma_alone_encoder(&x->z, &o) == LZMA_OK ? x : NULL;
}

static uint64_t limit(const struct codec_config *config)
{
	return config->memory_limit ? config->memory_limit : CODEC_MEMORY_LIMIT;
}

static void *decode(struct codec *c, const struct codec_config *config)
{
	struct xz *x = stream_new(c);

	return lzma_stream_decoder(&x->z, limit(config), 0) == LZMA_OK ? x : NULL;
}

static void *decode_alone(struct codec *c, const struct codec_config *config)
{
	struct xz *x = stream_new(c);

	return lzma_alone_decoder(&x->z, limit(config)) == LZMA_OK ? x : NULL;
}

static int result(lzma_ret r)
{
	switch (r) {
	case LZMA_OK:
	case LZMA_BUF_ERROR: return CODEC_MORE;
	case LZMA_STREAM_END: return CODEC_END;
	case LZMA_FORMAT_ERROR: return CODEC_FORMAT;
	case LZMA_MEMLIMIT_ERROR: return CODEC_LIMIT;
	case LZMA_OPTIONS_ERROR:
	case LZMA_UNSUPPORTED_CHECK: return CODEC_UNSUPPORTED;
	default: return CODEC_BAD;
	}
}

static int step(void *state, struct codec_io *io, bool at_end)
{
	lzma_stream *z = &((struct xz *)state)->z;
	lzma_ret r;

	z->next_in = io->in;
	z->avail_in = io->in_size;
	z->next_out = io->out;
	z->avail_out = io->out_size;
	r = lzma_code(z, at_end ? LZMA_FINISH : LZMA_RUN);
	*io = (struct codec_io){z->next_in, z->avail_in, z->next_out, z->avail_out};
	return result(r);
}

const struct codec_ops codec_xz = {encode, decode, step, step};
const struct codec_ops codec_lzma = {encode_alone, decode_alone, step, step};
