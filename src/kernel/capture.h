/*
 * capture.h - bytes kept up to a ceiling: the beginning, the end, or both; the rest counted. Internal.
 *
 *	capture_init(&c, &config, quota); capture_add(&c, buf, n); ... capture_release(&c);
 *
 * Layer     kernel
 * Owns      its buffers
 * Errors    without memory bytes are dropped, and counted as dropped
 */
#ifndef NACRE_KERNEL_CAPTURE_H
#define NACRE_KERNEL_CAPTURE_H

#include "stream.h"

struct capture {
	struct quota *quota;
	uint64_t total;
	char *head;		/* grows up to head_limit */
	size_t head_len, head_cap, head_limit;
	char *tail;		/* grows up to tail_limit, then a ring */
	size_t tail_len, tail_cap, tail_limit, tail_at;	/* tail_at: where the ring begins */
};

void capture_init(struct capture *c, const struct capture_config *config, struct quota *q);
void capture_release(struct capture *c);
void capture_add(struct capture *c, const char *buf, size_t n);
/* As capture_read (stream.h). */
size_t capture_from(const struct capture *c, uint64_t *at, char *to, size_t n, uint64_t *lost);

#endif
