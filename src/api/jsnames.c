/* jsnames.c - the names that a JavaScript program has already. See jsnames.h. */
#include "jsnames.h"

/* tests/api/test_js.c holds it against what a program sees. */
static const char names[] =
	/* the language */
	"arguments await break case catch class const continue debugger default delete do else enum export extends false finally "
	"for function if implements import in instanceof interface let new null package private protected public return static "
	"super switch this throw true try typeof var void while with yield "
	/* globals */
	"AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean "
	"BroadcastChannel Buffer ByteLengthQueuingStrategy CountQueuingStrategy CustomEvent DOMException DataView Date Error "
	"EvalError Event EventTarget File FinalizationRegistry Float32Array Float64Array FormData Function Headers Infinity "
	"Int16Array Int32Array Int8Array InternalError Intl Iterator JSON Map Math MessageChannel MessageEvent MessagePort NaN "
	"Number Object Promise Proxy RangeError ReadableStream ReferenceError Reflect RegExp Request Response Set "
	"SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder TransformStream TypeError URIError URL "
	"URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly WebSocket "
	"WritableStream __dirname __filename assert async_hooks atob btoa buffer child_process clearImmediate clearInterval "
	"clearTimeout cluster console constants crypto decodeURI decodeURIComponent dgram diagnostics_channel dns encodeURI "
	"encodeURIComponent escape eval events exports fetch fs gc global globalThis http http2 https inspector isFinite isNaN "
	"module navigator net os parseFloat parseInt path perf_hooks performance process punycode querystring queueMicrotask "
	"readline require setImmediate setInterval setTimeout stream string_decoder structuredClone sys timers tls tty undefined "
	"unescape url util v8 vm worker_threads zlib ";

bool js_name_is_taken(const char *s, size_t n)
{
	for (const char *at = names; *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (strcspn(at, " ") == n && memcmp(at, s, n) == 0)
			return true;
	}
	return false;
}
