/*
 * pump.h - moving a descriptor's bytes through a codec into another: the heart of gzip, xz and friends.
 *
 * Input is taken by reference, slice by slice; whoever reads a header takes single bytes from the same place.
 * Output is collected in a buffer and written when that is full.
 *
 *	pump_init(&q, p, codec, room);
 *	pump_open(&q, in, out);             // for each file; out -1: counted only
 *	... pump_byte(&q) ...               // a header
 *	codec_decode(q.codec, &config); r = pump_run(&q, &config);
 *	pump_flush(&q);
 *
 * Layer     cmd
 * Errors    enum codec_result and the two of pump.h; q.err has the -E
 */
#ifndef NACRE_CMD_PACK_PUMP_H
#define NACRE_CMD_PACK_PUMP_H

#include "../cmd.h"
#include "../../codec/codec.h"

enum pump_result { PUMP_READ = -100, PUMP_WRITE = -101 };

struct pump {
	struct proc *p;
	struct codec *codec;
	int in, out;
	int err;			/* of the last read or write */
	bool at_end;			/* the input has no more */
	const unsigned char *at, *end;	/* rest of the slice in hand */
	uint64_t in_total, out_total;	/* bytes taken, bytes given (also those not yet written) */
	uint32_t crc;			/* of the plain side, when wanted */
	bool want_crc;
	uint64_t out_max;		/* decoding ends with CODEC_LIMIT beyond; 0: no bound */
	char *buf;
	size_t n, cap;
};

void pump_init(struct pump *q, struct proc *p, struct codec *codec, size_t room);
void pump_open(struct pump *q, int in, int out);

/* Makes sure that a byte is in hand; false at the end (or with q->err). */
bool pump_fill(struct pump *q) MAY_SUSPEND;
/* The next byte, -1 at the end. */
int pump_byte(struct pump *q) MAY_SUSPEND;
/* `n` bytes into buf; false when there are fewer. */
bool pump_take(struct pump *q, void *buf, size_t n) MAY_SUSPEND;

/* Output without the codec. 0 or PUMP_WRITE. */
int pump_put(struct pump *q, const void *ptr, size_t n) MAY_SUSPEND;
int pump_flush(struct pump *q) MAY_SUSPEND;
/* The rest of the input as it is. 0, PUMP_READ or PUMP_WRITE. */
int pump_copy(struct pump *q) MAY_SUSPEND;

/* Through the codec, which has begun its stream. CODEC_END, or what went wrong. */
int pump_encode(struct pump *q) MAY_SUSPEND;
int pump_decode(struct pump *q) MAY_SUSPEND;

#endif
