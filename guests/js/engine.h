/*
 * engine.h - what the host's side of the JavaScript guest asks of QuickJS beyond quickjs.h.
 *
 * engine.c is one unit with quickjs.c, so it can look where the public header does not let others.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

/* Before a run: the stack is another one, chance begins anew. */
/* Before the freeze, last. */
void engine_settle(JSRuntime *rt);
void engine_resume(JSRuntime *rt, JSContext *ctx, uint64_t seed);

/* The characters of a string, which `v` keeps alive; false for what is no string. */
struct units {
	const void *at;
	size_t n;
	int wide; /* 16 bits each, else 8 (Latin-1) */
	JSValue held;
};
int engine_units(JSContext *ctx, JSValueConst v, struct units *u);
JSValue engine_latin1(JSContext *ctx, const uint8_t *s, size_t n);
JSValue engine_utf16(JSContext *ctx, const uint16_t *s, size_t n);

/* Keeps the text of a script or module for the places in traces. */
void engine_remember(JSContext *ctx, const char *file, const char *text, size_t n);

extern const JSCFunctionListEntry engine_functions[];
extern const int engine_nfunctions;

/* What the text of a CommonJS file is put into: traces give columns as in the file. */
#define WRAPPER "(function (exports, require, module, __filename, __dirname) {"
#define WRAPPER_END "\n})"

#endif
