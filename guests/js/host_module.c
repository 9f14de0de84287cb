/* host_module.c - source text becomes functions and modules; jobs and rejections. */
#include "host.h"

#include <stdio.h>

static JSValue loader;	 /* {normalize(base, name), load(name), meta(object, name)} */
static JSValue rejected; /* called with promise, reason, whether it is handled by now */
static JSValue exports;	 /* of modules that are not source text, by name */

/* ---- Scripts ------------------------------------------------------------------------------ */

/* text, name of the file: what it evaluates to */
FUNCTION(module_script)
{
	size_t n;
	const char *s = JS_ToCStringLen(ctx, &n, argv[0]), *name = JS_ToCString(ctx, argv[1]);
	JSValue v = JS_EXCEPTION;

	if (s && name) {
		engine_remember(ctx, name, s, n);
		v = JS_Eval(ctx, s, n, name, JS_EVAL_TYPE_GLOBAL);
	}
	JS_FreeCString(ctx, s);
	JS_FreeCString(ctx, name);
	return v;
}

/* text, name of the file: the function of a CommonJS module */
FUNCTION(module_wrap)
{
	size_t n, begin = sizeof(WRAPPER) - 1, end = sizeof(WRAPPER_END) - 1;
	const char *s = JS_ToCStringLen(ctx, &n, argv[0]), *name = JS_ToCString(ctx, argv[1]);
	char *whole = s && name ? js_malloc(ctx, n + begin + end + 1) : NULL;
	JSValue v = JS_EXCEPTION;

	if (whole) {
		memcpy(whole, WRAPPER, begin);
		memcpy(whole + begin, s, n);
		if (n >= 2 && s[0] == '#' && s[1] == '!')
			memcpy(whole + begin, "//", 2);
		memcpy(whole + begin + n, WRAPPER_END, end + 1);
		v = JS_Eval(ctx, whole, n + begin + end, name, JS_EVAL_TYPE_GLOBAL);
	}
	js_free(ctx, whole);
	JS_FreeCString(ctx, s);
	JS_FreeCString(ctx, name);
	return v;
}

/* ---- Modules -------------------------------------------------------------------------------- */

static JSValue hook(JSContext *ctx, const char *name, JSValueConst a, JSValueConst b)
{
	JSValue f = JS_GetPropertyStr(ctx, loader, name), v;
	JSValueConst args[2] = {a, b};

	v = JS_Call(ctx, f, loader, 2, args);
	JS_FreeValue(ctx, f);
	return v;
}

static char *normalize(JSContext *ctx, const char *base, const char *name, void *opaque)
{
	JSValue b = JS_NewString(ctx, base), n = JS_NewString(ctx, name), v = hook(ctx, "normalize", b, n);
	const char *s = JS_IsException(v) ? NULL : JS_ToCString(ctx, v);
	char *copy = s ? js_strdup(ctx, s) : NULL;

	(void)opaque;
	JS_FreeCString(ctx, s);
	JS_FreeValue(ctx, v);
	JS_FreeValue(ctx, b);
	JS_FreeValue(ctx, n);
	return copy;
}

/* A module of source text, not run yet; *m is the engine's. */
static JSValue compile(JSContext *ctx, const char *text, size_t n, const char *name, JSModuleDef **m)
{
	JSValue v, meta, url, r;

	engine_remember(ctx, name, text, n);
	v = JS_Eval(ctx, text, n, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	if (JS_IsException(v))
		return v;
	*m = JS_VALUE_GET_PTR(v);
	meta = JS_GetImportMeta(ctx, *m);
	url = JS_NewString(ctx, name);
	r = hook(ctx, "meta", meta, url);
	JS_FreeValue(ctx, url);
	JS_FreeValue(ctx, meta);
	if (JS_IsException(r)) {
		JS_FreeValue(ctx, v);
		return r;
	}
	JS_FreeValue(ctx, r);
	return v;
}

static int fill(JSContext *ctx, JSModuleDef *m)
{
	JSAtom name = JS_GetModuleName(ctx, m);
	JSValue all = JS_GetProperty(ctx, exports, name), names = JS_GetPropertyStr(ctx, all, "names"), values = JS_GetPropertyStr(ctx, all, "values");
	int r = 0;

	JS_FreeAtom(ctx, name);
	for (uint32_t i = 0; r == 0; i++) {
		JSValue k = JS_GetPropertyUint32(ctx, names, i);
		const char *s = JS_IsString(k) ? JS_ToCString(ctx, k) : NULL;

		JS_FreeValue(ctx, k);
		if (!s)
			break;
		r = JS_SetModuleExport(ctx, m, s, JS_GetPropertyUint32(ctx, values, i));
		JS_FreeCString(ctx, s);
	}
	JS_FreeValue(ctx, names);
	JS_FreeValue(ctx, values);
	JS_FreeValue(ctx, all);
	return r;
}

static JSModuleDef *of_values(JSContext *ctx, const char *name, JSValueConst v)
{
	JSModuleDef *m = JS_NewCModule(ctx, name, fill);
	JSValue names;

	if (!m)
		return NULL;
	JS_SetPropertyStr(ctx, exports, name, JS_DupValue(ctx, v));
	names = JS_GetPropertyStr(ctx, v, "names");
	for (uint32_t i = 0;; i++) {
		JSValue k = JS_GetPropertyUint32(ctx, names, i);
		const char *s = JS_IsString(k) ? JS_ToCString(ctx, k) : NULL;

		JS_FreeValue(ctx, k);
		if (!s)
			break;
		JS_AddModuleExport(ctx, m, s);
		JS_FreeCString(ctx, s);
	}
	JS_FreeValue(ctx, names);
	return m;
}

static JSModuleDef *load(JSContext *ctx, const char *name, void *opaque)
{
	JSValue n = JS_NewString(ctx, name), v = hook(ctx, "load", n, JS_UNDEFINED), text, module;
	JSModuleDef *m = NULL;
	const char *s;
	size_t size;

	(void)opaque;
	JS_FreeValue(ctx, n);
	if (JS_IsException(v))
		return NULL;
	text = JS_GetPropertyStr(ctx, v, "text");
	if (JS_IsString(text)) {
		s = JS_ToCStringLen(ctx, &size, text);
		module = s ? compile(ctx, s, size, name, &m) : JS_EXCEPTION;
		JS_FreeCString(ctx, s);
		if (JS_IsException(module))
			m = NULL;
		else
			JS_FreeValue(ctx, module);
	} else {
		m = of_values(ctx, name, v);
	}
	JS_FreeValue(ctx, text);
	JS_FreeValue(ctx, v);
	return m;
}

/* text, url: [promise of its end, its namespace] */
FUNCTION(module_run)
{
	size_t n;
	const char *s = JS_ToCStringLen(ctx, &n, argv[0]), *name = JS_ToCString(ctx, argv[1]);
	JSModuleDef *m = NULL;
	JSValue v = s && name ? compile(ctx, s, n, name, &m) : JS_EXCEPTION, promise, list;

	JS_FreeCString(ctx, s);
	JS_FreeCString(ctx, name);
	if (JS_IsException(v))
		return v;
	promise = JS_EvalFunction(ctx, v);
	if (JS_IsException(promise))
		return promise;
	list = JS_NewArray(ctx);
	JS_SetPropertyUint32(ctx, list, 0, promise);
	JS_SetPropertyUint32(ctx, list, 1, JS_GetModuleNamespace(ctx, m));
	return list;
}

/* What import(name) gives to the file `base`. */
FUNCTION(module_import)
{
	const char *base = JS_ToCString(ctx, argv[0]), *name = JS_ToCString(ctx, argv[1]);
	JSValue v = base && name ? JS_LoadModule(ctx, base, name) : JS_EXCEPTION;

	JS_FreeCString(ctx, base);
	JS_FreeCString(ctx, name);
	return v;
}

FUNCTION(module_loader)
{
	loader = JS_DupValue(ctx, argv[0]);
	exports = JS_NewObjectProto(ctx, JS_NULL);
	JS_SetModuleLoaderFunc(JS_GetRuntime(ctx), normalize, load, NULL);
	return JS_UNDEFINED;
}

/* ---- Jobs ---------------------------------------------------------------------------------------- */

/* All that are there and come; false when there was none. */
FUNCTION(module_jobs)
{
	JSContext *of;
	int r, any = 0;

	while ((r = JS_ExecutePendingJob(JS_GetRuntime(ctx), &of)) > 0)
		any = 1;
	if (r < 0)
		return JS_Throw(ctx, JS_GetException(of));
	return JS_NewBool(ctx, any);
}

static void on_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, JS_BOOL handled, void *opaque)
{
	JSValueConst args[3] = {promise, reason, handled ? JS_TRUE : JS_FALSE};

	(void)opaque;
	JS_FreeValue(ctx, JS_Call(ctx, rejected, JS_UNDEFINED, 3, args));
}

FUNCTION(module_rejections)
{
	rejected = JS_DupValue(ctx, argv[0]);
	JS_SetHostPromiseRejectionTracker(JS_GetRuntime(ctx), on_rejection, NULL);
	return JS_UNDEFINED;
}

static JSValue microtask(JSContext *ctx, int argc, JSValueConst *argv)
{
	(void)argc;
	return JS_Call(ctx, argv[0], JS_UNDEFINED, argc - 1, argv + 1);
}

FUNCTION(module_enqueue)
{
	return JS_EnqueueJob(ctx, microtask, argc, argv) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

#define module                                                 \
	{                                                      \
		JS_CFUNC_DEF("script", 2, module_script),       \
		JS_CFUNC_DEF("wrap", 2, module_wrap),           \
		JS_CFUNC_DEF("runModule", 2, module_run),       \
		JS_CFUNC_DEF("importModule", 2, module_import), \
		JS_CFUNC_DEF("setLoader", 1, module_loader),    \
		JS_CFUNC_DEF("jobs", 0, module_jobs),           \
		JS_CFUNC_DEF("onRejection", 1, module_rejections), \
		JS_CFUNC_DEF("enqueue", 1, module_enqueue),     \
	}
TABLE(module);
