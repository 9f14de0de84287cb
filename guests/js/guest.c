/* guest.c - the JavaScript guest: the library is evaluated before it is frozen; a run is its `run`. */
#include "host.h"

#include "../common/settle.h"

#include <stdio.h>
#include <unistd.h>

/* Name, 0, length (4 bytes), text, 0; an empty name at the end. */
static const unsigned char library[] = {
#embed "library.bin"
};

#define STACK (14u << 20) /* of the 16 MiB that recipe.py gives */

extern char **__wasilibc_environ;

static JSRuntime *rt;
static JSContext *ctx;
static JSValue run;

/* The entry at *at: its name, its text; moves on. False at the end. */
static int next_file(size_t *at, const char **name, const char **text, size_t *n)
{
	uint32_t size;

	*name = (const char *)library + *at;
	if (!**name)
		return 0;
	*at += strlen(*name) + 1;
	memcpy(&size, library + *at, 4);
	*text = (const char *)library + *at + 4;
	*n = size;
	*at += 4 + size + 1;
	return 1;
}

static JSValue function_of(const char *name, const char *source, size_t size)
{
	static const char head[] = "(function (exports, require, module, host) {", tail[] = "\n})";
	size_t n = sizeof(head) - 1 + size + sizeof(tail) - 1;
	char file[128], *text = js_malloc(ctx, n + 1);
	JSValue v;

	if (!text)
		return JS_EXCEPTION;
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + sizeof(head) - 1, source, size);
	memcpy(text + sizeof(head) - 1 + size, tail, sizeof(tail));
	snprintf(file, sizeof(file), "node:%s", name);
	JS_SetStripInfo(rt, JS_STRIP_SOURCE);
	v = JS_Eval(ctx, text, n, file, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT);
	JS_SetStripInfo(rt, 0);
	js_free(ctx, text);
	return v;
}

/* The function of a file of the library: called with (exports, require, module, host). */
FUNCTION(host_library)
{
	const char *wanted = JS_ToCString(ctx, argv[0]), *name, *text;
	JSValue v = JS_UNDEFINED;
	size_t at = 0, n;

	if (!wanted)
		return JS_EXCEPTION;
	while (next_file(&at, &name, &text, &n))
		if (strcmp(name, wanted) == 0) {
			v = function_of(name, text, n);
			break;
		}
	JS_FreeCString(ctx, wanted);
	return v;
}

FUNCTION(host_library_names)
{
	JSValue v = JS_NewArray(ctx);
	const char *name, *text;
	size_t at = 0, n;

	for (uint32_t i = 0; next_file(&at, &name, &text, &n); i++)
		JS_SetPropertyUint32(ctx, v, i, JS_NewString(ctx, name));
	return v;
}

static const JSCFunctionListEntry own_functions[] = {
	JS_CFUNC_DEF("library", 1, host_library),
	JS_CFUNC_DEF("libraryNames", 0, host_library_names),
};

/* What cannot be told by the library: it is what fails. */
static int report(void)
{
	JSValue e = JS_GetException(ctx);
	JSValue stack = JS_GetPropertyStr(ctx, e, "stack");
	const char *s = JS_ToCString(ctx, e), *t = JS_ToCString(ctx, stack);

	fprintf(stderr, "js: %s\n%s\n", s ? s : "out of memory", t ? t : "");
	return 70;
}

int guest_prepare(void)
{
	JSValue host, main, name;

	rt = JS_NewRuntime();
	ctx = rt ? JS_NewContext(rt) : NULL;
	if (!ctx)
		return 1;
	JS_SetMaxStackSize(rt, STACK);
	host = JS_NewObject(ctx);
	JS_SetPropertyFunctionList(ctx, host, own_functions, sizeof(own_functions) / sizeof(own_functions[0]));
	JS_SetPropertyFunctionList(ctx, host, engine_functions, engine_nfunctions);
#define ADD(what) JS_SetPropertyFunctionList(ctx, host, host_##what##_functions, host_n##what);
	TABLES(ADD)
	name = JS_NewString(ctx, "internal/bootstrap");
	main = host_library(ctx, JS_UNDEFINED, 1, &name);
	JS_FreeValue(ctx, name);
	if (!JS_IsException(main))
		run = JS_Call(ctx, main, JS_UNDEFINED, 4, (JSValueConst[]){JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED, host});
	if (JS_IsException(main) || JS_IsException(run))
		return report();
	engine_settle(rt);
	settle_heap();
	return 0;
}

static JSValue list_of(char **v)
{
	JSValue list = JS_NewArray(ctx);

	for (uint32_t i = 0; v && v[i]; i++)
		JS_SetPropertyUint32(ctx, list, i, JS_NewString(ctx, v[i]));
	return list;
}

int guest_entry(int argc, char **argv)
{
	JSValue args[2], v;
	uint64_t seed = 0;
	int32_t status = 0;

	(void)argc;
	getentropy(&seed, sizeof(seed));
	engine_resume(rt, ctx, seed);
	args[0] = list_of(argv);
	args[1] = list_of(__wasilibc_environ);
	v = JS_Call(ctx, run, JS_UNDEFINED, 2, args);
	if (JS_IsException(v))
		return report();
	JS_ToInt32(ctx, &status, v);
	/* Nothing is freed: the cage goes back as it is. */
	_Exit(status);
}
