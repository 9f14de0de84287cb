/*
 * codec.h - compressing and decompressing streams of bytes: the only door to zlib, bzip2, lzma and zstd.
 *
 * One small interface over four libraries, so that they can be moved elsewhere (into a cage of
 * their own) without any command knowing. All of a library's memory comes from the proc's arena
 * through its allocator hooks: a proc may be killed between two steps and nothing is left behind, and
 * what a hostile stream asks for is charged to the sandbox like everything else.
 *
 *	c = codec_new(p);
 *	r = codec_decode(c, &(struct codec_config){.kind = CODEC_GZIP_RAW});
 *	while ((r = codec_step(c, &io, at_end)) == CODEC_MORE) ... fill io.in, empty io.out
 *	codec_decode(c, ...) again: the memory of the former stream is used again
 *
 * Layer     codec; user, abi and base only
 * Owns      memory in the proc's arena: a codec's blocks are reused, not given back
 * Threads   the fiber of its proc only
 * Suspends  in codec_step (a checkpoint each): the input and output are the caller's own memory or a slice that
 *           stays valid as long as nothing else reads its descriptor
 * Errors    enum codec_result; when memory is spent the proc ends
 */
#ifndef NACRE_CODEC_CODEC_H
#define NACRE_CODEC_CODEC_H

#include "../user/user.h"

enum codec_kind {
	CODEC_DEFLATE,	/* bare deflate data: the inside of gzip and zip */
	CODEC_BZIP2,	/* one stream of .bz2 */
	CODEC_XZ,	/* one stream of .xz */
	CODEC_LZMA,	/* .lzma (LZMA_alone) */
	CODEC_ZSTD,	/* one frame of .zst */
};

enum codec_result {
	CODEC_MORE = 0,		/* wants more input or more room */
	CODEC_END = 1,		/* the stream is complete; what is left of the input does not belong to it */
	CODEC_BAD = -1,		/* the data is damaged */
	CODEC_FORMAT = -2,	/* not of this format at all */
	CODEC_LIMIT = -3,	/* decoding it would need more memory than allowed */
	CODEC_UNSUPPORTED = -4,	/* a variant that is not understood */
	CODEC_CHECK = -5,	/* the data does not match its check sum */
	CODEC_CUT = -6,		/* at_end was given and the stream is not complete */
};

struct codec_config {
	enum codec_kind kind;
	int level;		/* encoding: the format's own scale; out of range is the caller's mistake */
	bool extreme;		/* xz -e */
	int check;		/* xz: enum codec_check; zstd: nonzero adds a check sum */
	int window_log;		/* zstd: the largest window, encoding (0: by the level) and decoding (0: 27) */
	uint64_t size_hint;	/* zstd: the size of what is encoded when known, else 0; written to the frame when is_sized */
	bool is_sized;
	uint64_t memory_limit;	/* xz, lzma: of decoding, 0: CODEC_MEMORY_LIMIT; encoding takes a smaller dictionary then, 0: no limit */
};

enum codec_check { CODEC_CHECK_DEFAULT, CODEC_CHECK_NONE, CODEC_CHECK_CRC32, CODEC_CHECK_CRC64, CODEC_CHECK_SHA256 };

#define CODEC_MEMORY_LIMIT ((uint64_t)256 << 20)
#define CODEC_STACK_SIZE   ((size_t)256 << 10) /* what a program that uses a codec asks for (struct cmd) */

struct codec_io {
	const void *in;
	size_t in_size;
	void *out;
	size_t out_size;
};

struct codec;

/* ---- Life ----------------------------------------------------------------- */

struct codec *codec_new(struct proc *p);

/* Begins a stream; the former one is dropped wherever it was. 0, or CODEC_UNSUPPORTED. */
MUST_USE int codec_encode(struct codec *c, const struct codec_config *config);
MUST_USE int codec_decode(struct codec *c, const struct codec_config *config);

/* ---- Use ------------------------------------------------------------------ */

/* Takes from io->in, puts to io->out, and moves both on; looks at no more than a bounded piece of
 * them at a time. at_end: no input follows what is in io. enum codec_result. */
MUST_USE int codec_step(struct codec *c, struct codec_io *io, bool at_end) MAY_SUSPEND;

/* The check sum of gzip and zip; start with 0. */
uint32_t codec_crc32(uint32_t crc, const void *ptr, size_t n);

#endif
