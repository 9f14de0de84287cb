/* host_crypto.c - digests, by the code that md5sum and its kind use. */
#include "host.h"

#include "base/digest.h"

/* kind (0 MD5, 1 SHA-1, 2..5 SHA-224 to SHA-512, 6 BLAKE2b), then buffer, offset, length of each piece: an ArrayBuffer */
FUNCTION(crypto_digest)
{
	int kind = (int)arg_int(ctx, argc, argv, 0);
	struct digest d;
	uint8_t out[DIGEST_MAX];

	if (kind < 0 || kind > DIGEST_BLAKE2B)
		return JS_ThrowRangeError(ctx, "no such digest");
	digest_init(&d, (enum digest_kind)kind, 0);
	for (int k = 1; k + 2 < argc; k += 3) {
		int64_t n = arg_int(ctx, argc, argv, k + 2);
		const uint8_t *p = host_bytes(ctx, argv[k], arg_int(ctx, argc, argv, k + 1), n);

		if (!p)
			return JS_EXCEPTION;
		digest_update(&d, p, (size_t)n);
	}
	digest_final(&d, out);
	return JS_NewArrayBufferCopy(ctx, out, digest_size((enum digest_kind)kind));
}

#define crypto {JS_CFUNC_DEF("digest", 4, crypto_digest)}
TABLE(crypto);
