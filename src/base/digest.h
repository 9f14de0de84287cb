/*
 * digest.h - MD5, SHA-1, SHA-2, SM3 and BLAKE2b over a stream of bytes.
 *
 *	digest_init(&d, DIGEST_SHA256, 0);
 *	digest_update(&d, ptr, n);   // any number of times
 *	digest_final(&d, out);       // digest_size() bytes
 *
 * Layer     base
 * Threads   any; one digest by one
 */
#ifndef NACRE_BASE_DIGEST_H
#define NACRE_BASE_DIGEST_H

#include "base.h"

enum digest_kind {
	DIGEST_MD5,
	DIGEST_SHA1,
	DIGEST_SHA224,
	DIGEST_SHA256,
	DIGEST_SHA384,
	DIGEST_SHA512,
	DIGEST_BLAKE2B,
	DIGEST_SM3,
};
#define DIGEST_MAX 64 /* bytes of the longest result */

struct digest {
	enum digest_kind kind;
	size_t size;		/* of the result */
	uint64_t total;		/* bytes so far */
	uint64_t done;		/* of those, in blocks that are finished (BLAKE2b) */
	size_t held;		/* bytes in buf */
	uint8_t buf[128];
	union {
		uint32_t w[8];
		uint64_t q[8];
	} h;
	bool asked_cpu, has_sha;
};

const char *digest_name(enum digest_kind k);	/* "SHA256" */
size_t digest_size(enum digest_kind k);		/* bytes of its (longest) result */

/* size: of the result, for BLAKE2b 1 to 64 bytes; 0 means the usual one. */
void digest_init(struct digest *d, enum digest_kind k, size_t size);
void digest_update(struct digest *d, const void *ptr, size_t n);
void digest_final(struct digest *d, uint8_t *out);

#endif
