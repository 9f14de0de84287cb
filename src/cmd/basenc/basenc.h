/*
 * basenc.h - what base64 and base32 share: the command around a way to write bytes as letters.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_BASENC_BASENC_H
#define NACRE_CMD_BASENC_BASENC_H

#include "../cmd.h"

struct basenc_options {
	bool decode, ignore_garbage;
	int64_t wrap;		/* columns; 0: one line */
};

/* An encoding in groups: `bytes` bytes are `letters` letters. */
struct basenc {
	size_t bytes, letters;
	/* n groups of bytes; the rest of the input at its end, n bytes (0 < n < bytes), padded; NULL: there must be none. */
	void (*encode)(char *out, const unsigned char *in, size_t n);
	void (*encode_rest)(char *out, const unsigned char *in, size_t n);
	/* One group of n letters (n < letters at the end of the input): the bytes that can be had go to out, their number to
	 * *got. false when the group is not right. */
	bool (*decode)(unsigned char *out, size_t *got, const unsigned char *in, size_t n);
	bool (*is_letter)(unsigned char c);	/* the pad counts */
	/* Decodes whole groups without anything special from the front of n letters, at most `most` of them; how many. */
	size_t (*decode_many)(unsigned char *out, const unsigned char *in, size_t n, size_t most);
};

extern const struct basenc basenc_32, basenc_64;

void basenc_wrap(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg);
void basenc_defaults(void *opts);
int basenc_main(struct proc *p, const struct cmd_args *a, const struct basenc *b);

#define BASENC_OPTS \
	CMD_FLAG(struct basenc_options, decode, 'd', "decode", "decode data"), \
	CMD_FLAG(struct basenc_options, ignore_garbage, 'i', "ignore-garbage", \
		 "with -d, skip bytes that are no letters"), \
	CMD_CALL('w', "wrap", "COLS", basenc_wrap, "break lines after COLS letters (76), never when 0")

#endif
