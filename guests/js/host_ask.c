/* host_ask.c - what the host of the sandbox adds to programs: functions, fetch, a prelude. */
#include "host.h"

#ifdef __wasm__
HOST(offer) int host_offer(char *to, size_t n);
HOST(ask) int host_ask(const char *name, const char *text, const void *data, size_t n, uint32_t lengths[2]);
HOST(answer) int host_answer(int which, void *to, size_t n);
#else
int host_offer(char *to, size_t n);
int host_ask(const char *name, const char *text, const void *data, size_t n, uint32_t lengths[2]);
int host_answer(int which, void *to, size_t n);
#endif

/* Its text, '' when there is nothing. */
FUNCTION(ask_offer)
{
	char none, *text;
	int n = host_offer(&none, 0);
	JSValue v;

	if (n <= 0)
		return JS_NewString(ctx, "");
	text = js_malloc(ctx, (size_t)n);
	if (!text)
		return JS_EXCEPTION;
	host_offer(text, (size_t)n);
	v = JS_NewStringLen(ctx, text, (size_t)n);
	js_free(ctx, text);
	return v;
}

static JSValue answer(JSContext *ctx, int which, uint32_t n)
{
	uint8_t *bytes = js_malloc(ctx, n ? n : 1);

	if (!bytes)
		return JS_EXCEPTION;
	host_answer(which, bytes, n);
	return host_buffer(ctx, bytes, n);
}

/* name, text, bytes (an ArrayBuffer, from, how many): [status, bytes, bytes]; a negative number: not asked */
FUNCTION(ask_ask)
{
	const char *name = JS_ToCString(ctx, argv[0]), *text = JS_ToCString(ctx, argv[1]);
	int64_t n = arg_int(ctx, argc, argv, 4);
	const uint8_t *bytes = n ? host_bytes(ctx, argv[2], arg_int(ctx, argc, argv, 3), n) : (const uint8_t *)"";
	uint32_t lengths[2];
	JSValue v = JS_EXCEPTION;
	int r;

	if (name && text && bytes) {
		r = host_ask(name, text, bytes, (size_t)n, lengths);
		if (r < 0) {
			v = JS_NewInt32(ctx, r);
		} else {
			JSValue out = answer(ctx, 1, lengths[0]), err = answer(ctx, 2, lengths[1]);

			if (JS_IsException(out) || JS_IsException(err))
				return JS_EXCEPTION;
			v = JS_NewArray(ctx);
			JS_SetPropertyUint32(ctx, v, 0, JS_NewInt32(ctx, r));
			JS_SetPropertyUint32(ctx, v, 1, out);
			JS_SetPropertyUint32(ctx, v, 2, err);
		}
	}
	JS_FreeCString(ctx, name);
	JS_FreeCString(ctx, text);
	return v;
}

#define ask                                  \
	{                                    \
		JS_CFUNC_DEF("offer", 0, ask_offer), \
		JS_CFUNC_DEF("ask", 5, ask_ask), \
	}
TABLE(ask);
