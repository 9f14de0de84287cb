/*
 * codec.c - streams, and the memory under them.
 *
 * Blocks given to a library are kept in a list by the codec. A block the library frees, and all
 * blocks when a new stream begins, wait there to be used again for requests of about their size; so
 * a thousand streams one after the other need no more memory than the largest, though the arena
 * itself takes nothing back.
 */
#include "ops.h"

/* Of input a step looks at before a checkpoint: xz -9 needs a microsecond for a byte, and others wait that long for their turn. */
#define PIECE_ENCODE ((size_t)16 << 10)
#define PIECE_DECODE ((size_t)128 << 10)
#define PIECE_OUT ((size_t)256 << 10)

struct block {
	struct block *next;
	size_t size;
	bool is_free;
};

#define HEAD ((sizeof(struct block) + 15) & ~(size_t)15)

struct codec {
	struct proc *p;
	const struct codec_ops *ops;
	void *state;
	bool encodes;
	struct block *blocks;
};

static const struct codec_ops *const kinds[] = {
	[CODEC_DEFLATE] = &codec_deflate, [CODEC_BZIP2] = &codec_bzip2, [CODEC_XZ] = &codec_xz,
	[CODEC_LZMA] = &codec_lzma,	  [CODEC_ZSTD] = &codec_zstd,
};

/* ---- Memory --------------------------------------------------------------- */

void *codec_take(struct codec *c, size_t n)
{
	struct block *best = NULL;

	for (struct block *b = c->blocks; b; b = b->next) {
		if (b->is_free && b->size >= n && (b->size / 2 <= n || b->size < 4096) && (!best || b->size < best->size))
			best = b;
	}
	if (!best) {
		best = u_alloc(c->p, size_add(n, HEAD));
		best->size = n;
		best->next = c->blocks;
		c->blocks = best;
	}
	best->is_free = false;
	return (char *)best + HEAD;
}

void codec_drop(struct codec *c, void *ptr)
{
	(void)c;
	if (ptr)
		((struct block *)(void *)((char *)ptr - HEAD))->is_free = true;
}

/* ---- Streams -------------------------------------------------------------- */

struct codec *codec_new(struct proc *p)
{
	struct codec *c = u_zalloc(p, sizeof(*c));

	c->p = p;
	return c;
}

static int begin(struct codec *c, const struct codec_config *config, bool encodes)
{
	for (struct block *b = c->blocks; b; b = b->next)
		b->is_free = true;
	if (!sys_stack(c->p, CODEC_STACK_SIZE / 2))
		u_die(c->p, u_failure_status(c->p), 0, "memory exhausted");
	c->ops = kinds[config->kind];
	c->encodes = encodes;
	c->state = encodes ? c->ops->encode(c, config) : c->ops->decode(c, config);
	return c->state ? 0 : CODEC_UNSUPPORTED;
}

int codec_encode(struct codec *c, const struct codec_config *config)
{
	return begin(c, config, true);
}

int codec_decode(struct codec *c, const struct codec_config *config)
{
	return begin(c, config, false);
}

int codec_step(struct codec *c, struct codec_io *io, bool at_end)
{
	struct codec_io piece = *io;
	size_t in, out;
	int r;

	piece.in_size = MIN(piece.in_size, c->encodes ? PIECE_ENCODE : PIECE_DECODE);
	piece.out_size = MIN(piece.out_size, PIECE_OUT);
	at_end = at_end && piece.in_size == io->in_size;
	r = (c->encodes ? c->ops->encode_step : c->ops->decode_step)(c->state, &piece, at_end);
	in = (size_t)((const char *)piece.in - (const char *)io->in);
	out = (size_t)((char *)piece.out - (char *)io->out);
	*io = (struct codec_io){piece.in, io->in_size - in, piece.out, io->out_size - out};
	/* Encoding costs about a unit a byte, decoding a fraction of one. */
	sys_checkpoint_n(c->p, (uint32_t)(c->encodes ? in * 2 + out : in + out / 4) + 1);
	if (r == CODEC_MORE && at_end && !c->encodes && in == 0 && out == 0 && io->out_size)
		return CODEC_CUT;
	return r;
}
