/* ops.h - what one library gives to codec.c. Layer: codec. */
#ifndef NACRE_CODEC_OPS_H
#define NACRE_CODEC_OPS_H

#include "codec.h"

struct codec_ops {
	/* Begins a stream; the memory comes from codec_take. Returns its state; NULL: not supported. */
	void *(*encode)(struct codec *c, const struct codec_config *config);
	void *(*decode)(struct codec *c, const struct codec_config *config);
	int (*encode_step)(void *state, struct codec_io *io, bool at_end);
	int (*decode_step)(void *state, struct codec_io *io, bool at_end);
	/* Nothing is ended: codec.c takes all memory back at the next stream. */
};

extern const struct codec_ops codec_deflate, codec_bzip2, codec_xz, codec_lzma, codec_zstd;

/* Memory for a library: zeroed never, NULL never, aligned to 16. */
void *codec_take(struct codec *c, size_t n);
void codec_drop(struct codec *c, void *block);

#endif
