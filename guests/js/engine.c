/* engine.c - QuickJS and what needs its insides: traces as Node writes them, what an object is. */
#include <ctype.h>

#include "quickjs.c"

#include "engine.h"

/* ---- Runs -------------------------------------------------------------------------------- */

static struct list_head kept;

static void keep(JSValueConst v)
{
	if (JS_VALUE_HAS_REF_COUNT(v))
		((JSRefCountHeader *)JS_VALUE_GET_PTR(v))->ref_count |= JS_KEPT;
}

/* The strings and numbers that it holds; objects are on the list themselves. */
static void keep_values(JSGCObjectHeader *h)
{
	if (h->gc_obj_type == JS_GC_OBJ_TYPE_FUNCTION_BYTECODE) {
		JSFunctionBytecode *b = (JSFunctionBytecode *)h;

		for (int i = 0; i < b->cpool_count; i++)
			keep(b->cpool[i]);
	}
	if (h->gc_obj_type == JS_GC_OBJ_TYPE_JS_OBJECT) {
		JSObject *p = (JSObject *)h;
		JSShapeProperty *prop = get_shape_prop(p->shape);

		for (int i = 0; i < p->shape->prop_count; i++)
			if (prop[i].atom != JS_ATOM_NULL && !(prop[i].flags & JS_PROP_TMASK))
				keep(p->prop[i].u.value);
	}
}

/* What there is now stays: nobody counts who refers to it (JS_KEPT, patches.py), and the collector does not look at it. Both would
 * write to it, and so to the pages that instances share otherwise. */
void engine_settle(JSRuntime *rt)
{
	struct list_head *el;

	JS_RunGC(rt);
	list_for_each(el, &rt->gc_obj_list) {
		JSGCObjectHeader *h = list_entry(el, JSGCObjectHeader, link);

		h->ref_count |= JS_KEPT;
		keep_values(h);
	}
	for (int i = 0; i < rt->atom_size; i++)
		if (!atom_is_free(rt->atom_array[i]))
			rt->atom_array[i]->header.ref_count |= JS_KEPT;
	kept = rt->gc_obj_list;
	kept.next->prev = kept.prev->next = &kept;
	init_list_head(&rt->gc_obj_list);
	JS_SetGCThreshold(rt, rt->malloc_state.malloc_size + (1u << 20));
}

void engine_resume(JSRuntime *rt, JSContext *ctx, uint64_t seed)
{
	JS_UpdateStackTop(rt);
	ctx->random_state = seed ? seed : 1;
}

/* ---- Strings ------------------------------------------------------------------------------- */

int engine_units(JSContext *ctx, JSValueConst v, struct units *u)
{
	JSString *s;

	u->held = JS_ToString(ctx, v);
	if (JS_IsException(u->held))
		return 0;
	if (JS_VALUE_GET_TAG(u->held) == JS_TAG_STRING_ROPE)
		u->held = js_linearize_string_rope(ctx, u->held);
	if (JS_IsException(u->held))
		return 0;
	s = JS_VALUE_GET_STRING(u->held);
	u->n = s->len;
	u->wide = s->is_wide_char;
	u->at = u->wide ? (const void *)s->u.str16 : (const void *)s->u.str8;
	return 1;
}

JSValue engine_latin1(JSContext *ctx, const uint8_t *s, size_t n)
{
	if (n > JS_STRING_LEN_MAX)
		return JS_ThrowRangeError(ctx, "Invalid string length");
	return n ? js_new_string8_len(ctx, (const char *)s, (int)n) : JS_AtomToString(ctx, JS_ATOM_empty_string);
}

JSValue engine_utf16(JSContext *ctx, const uint16_t *s, size_t n)
{
	if (n > JS_STRING_LEN_MAX)
		return JS_ThrowRangeError(ctx, "Invalid string length");
	return n ? js_new_string16_len(ctx, s, (int)n) : JS_AtomToString(ctx, JS_ATOM_empty_string);
}

/* ---- Traces ---------------------------------------------------------------------------------- */

/* Where the last value was thrown (or does not parse). */
static struct {
	void *value; /* only compared */
	char file[512];
	int line, col;
} place;

static void *pointer_of(JSValueConst v)
{
	return JS_VALUE_HAS_REF_COUNT(v) ? JS_VALUE_GET_PTR(v) : NULL;
}

static int in_file(const char *file)
{
	return file[0] == '/';
}

static int column(const char *file, int line, int col)
{
	int wrapper = (int)sizeof(WRAPPER) - 1;

	return in_file(file) && line == 1 && col > wrapper ? col - wrapper : col;
}

static void place_set(JSValueConst v, const char *file, int line, int col)
{
	place.value = pointer_of(v);
	snprintf(place.file, sizeof(place.file), "%s", file);
	place.line = line;
	place.col = column(file, line, col);
}

static int is_ours(const char *file)
{
	return strncmp(file, "node:internal/", 14) == 0;
}

static JSFunctionBytecode *bytecode_of(JSStackFrame *sf)
{
	JSObject *p;

	if (JS_VALUE_GET_TAG(sf->cur_func) != JS_TAG_OBJECT)
		return NULL;
	p = JS_VALUE_GET_OBJ(sf->cur_func);
	return js_class_has_bytecode(p->class_id) ? p->u.func.function_bytecode : NULL;
}

static void trace_thrown(JSContext *ctx, JSStackFrame *sf, JSValueConst value)
{
	JSFunctionBytecode *b = bytecode_of(sf);
	const char *file;
	int line, col;

	if (!b || !b->has_debug)
		return;
	file = JS_AtomToCString(ctx, b->debug.filename);
	if (!file)
		return;
	if (strncmp(file, "node:", 5) != 0) {
		line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, &col);
		place_set(value, file, line, col);
	}
	JS_FreeCString(ctx, file);
}

/* A string that the object or what it inherits from has as a plain property; NULL. No code of anybody's runs. */
static const char *plain_string(JSContext *ctx, JSObject *p, const char *name)
{
	JSAtom atom = JS_NewAtom(ctx, name);
	const char *s = NULL;

	for (int hops = 0; p && hops < 100; hops++, p = p->shape->proto) {
		JSProperty *pr;
		JSShapeProperty *prs = find_own_property(&pr, p, atom);

		if (!prs)
			continue;
		if ((prs->flags & JS_PROP_TMASK) == JS_PROP_NORMAL && JS_IsString(pr->u.value))
			s = JS_ToCString(ctx, pr->u.value);
		break;
	}
	JS_FreeAtom(ctx, atom);
	return s;
}

/* The value of a stack property that is looked at for the first time: "Name: message" as it is by now, and the frames. */
static JSValue trace_stack(JSContext *ctx, JSObject *p, JSAtom atom, void *frames)
{
	const char *name = plain_string(ctx, p, "name"), *message = plain_string(ctx, p, "message");
	JSValue text;
	DynBuf out;

	(void)atom;
	js_dbuf_init(ctx, &out);
	dbuf_putstr(&out, name ? name : "Error");
	if (message && *message) {
		if (!name || *name)
			dbuf_putstr(&out, ": ");
		dbuf_putstr(&out, message);
	}
	dbuf_putstr(&out, frames);
	text = dbuf_error(&out) ? JS_NewString(ctx, "") : JS_NewStringLen(ctx, (char *)out.buf, out.size);
	dbuf_free(&out);
	JS_FreeCString(ctx, name);
	JS_FreeCString(ctx, message);
	return text;
}

/* The text of the script or module that runs as a whole: its own function has none. */
static struct {
	char *file, *text;
	size_t n;
} whole[16];
static unsigned nwhole;

void engine_remember(JSContext *ctx, const char *file, const char *text, size_t n)
{
	unsigned i = nwhole++ % (sizeof(whole) / sizeof(whole[0]));

	js_free(ctx, whole[i].file);
	js_free(ctx, whole[i].text);
	whole[i].file = js_strdup(ctx, file);
	whole[i].text = js_strndup(ctx, text, n);
	whole[i].n = n;
	if (!whole[i].file || !whole[i].text) { /* only looks */
		JS_FreeValue(ctx, JS_GetException(ctx));
		js_free(ctx, whole[i].file);
		js_free(ctx, whole[i].text);
		whole[i].file = whole[i].text = NULL;
	}
}

static const char *whole_text(JSContext *ctx, JSAtom name, size_t *n)
{
	const char *file = JS_AtomToCString(ctx, name), *text = NULL;

	for (unsigned i = 0; file && !text && i < sizeof(whole) / sizeof(whole[0]); i++)
		if (whole[i].file && strcmp(whole[i].file, file) == 0) {
			text = whole[i].text;
			*n = whole[i].n;
		}
	JS_FreeCString(ctx, file);
	return text;
}

/* The text of a function at a place of its file, up to *end; NULL when it is not in it. */
static const char *source_at(JSFunctionBytecode *b, int line, int col, JSContext *ctx, const char **begin, const char **end)
{
	int start_col = 1, start = 1;
	const char *s;
	size_t n;

	if (!b || !b->has_debug)
		return NULL;
	if (b->debug.source) {
		start = find_line_num(ctx, b, -1, &start_col);
		s = b->debug.source;
		n = (size_t)b->debug.source_len;
	} else {
		s = whole_text(ctx, b->debug.filename, &n);
	}
	if (!s)
		return NULL;
	*begin = s;
	*end = s + n;
	for (; start < line && s < *end; s++)
		if (*s == '\n') {
			start++;
			start_col = 1;
		}
	for (; start_col < col && s < *end && *s != '\n'; start_col++)
		do
			s++;
		while (s < *end && (*s & 0xc0) == 0x80);
	return start == line && start_col == col && s < *end ? s : NULL;
}

static int in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '#' || (c & 0x80);
}

/* QuickJS has the place of a call at its parenthesis, of a property at its dot; others have it at the name or at `new`. */
static int place_of_name(JSContext *ctx, JSFunctionBytecode *b, int line, int col)
{
	const char *begin, *end, *s = source_at(b, line, col, ctx, &begin, &end), *name, *t;

	if (!s)
		return col;
	if (*s == '.' && s + 1 < end && in_name(s[1]))
		return col + 1;
	if (*s != '(')
		return col;
	for (name = s; name > begin && in_name(name[-1]); name--)
		;
	if (name == s)
		return col;
	for (t = name; t > begin && (in_name(t[-1]) || t[-1] == '.'); t--)
		;
	if (t - begin >= 4 && memcmp(t - 4, "new ", 4) == 0 && (t - 4 == begin || !in_name(t[-5])))
		name = t - 4;
	return col - (int)(s - name);
}

static int is_class(const JSFunctionBytecode *b)
{
	return b->byte_code_len > 0 && b->byte_code_buf[0] == OP_check_ctor;
}

/* That of a derived class which has written none. */
static int is_default_constructor(const JSFunctionBytecode *b)
{
	return b->is_derived_class_constructor && memchr(b->byte_code_buf, OP_init_ctor, b->byte_code_len < 8 ? (size_t)b->byte_code_len : 8);
}

/* Is it the library that calls this function of the engine's? */
static int called_by_us(JSContext *ctx, JSStackFrame *sf)
{
	JSFunctionBytecode *b = sf->prev_frame ? bytecode_of(sf->prev_frame) : NULL;
	const char *file = b && b->has_debug ? JS_AtomToCString(ctx, b->debug.filename) : NULL;
	int ours = !sf->prev_frame || (file && strncmp(file, "node:", 5) == 0);

	JS_FreeCString(ctx, file);
	return ours;
}

/* One line; 0 for what is not shown. */
static int put_frame(JSContext *ctx, DynBuf *out, JSStackFrame *sf, JSValueConst error, int *first)
{
	JSFunctionBytecode *b = bytecode_of(sf);
	const char *name = get_func_name(ctx, sf->cur_func), *file = NULL;
	int line = 0, col = 0, start_col = 0, start;

	if (b && b->has_debug)
		file = JS_AtomToCString(ctx, b->debug.filename);
	if (!file || is_ours(file) || is_default_constructor(b)) {
		int shown = !b && name && *name && !called_by_us(ctx, sf);

		if (shown)
			dbuf_printf(out, "\n    at %s (<anonymous>)", name);
		JS_FreeCString(ctx, file);
		JS_FreeCString(ctx, name);
		return shown;
	}
	line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, &col);
	col = place_of_name(ctx, b, line, col);
	start = find_line_num(ctx, b, -1, &start_col);
	if (*first && strncmp(file, "node:", 5) != 0) {
		if (place.value != pointer_of(error))
			place_set(error, file, line, col);
		*first = 0;
	}
	if (in_file(file) && start == 1 && start_col <= 2 && (!name || !*name)) /* the wrapper */
		dbuf_printf(out, "\n    at Object.<anonymous> (%s:%d:%d)", file, line, column(file, line, col));
	else if (name && *name && strcmp(name, "<eval>") != 0)
		dbuf_printf(out, "\n    at %s%s (%s:%d:%d)", is_class(b) ? "new " : "", name, file, line, column(file, line, col));
	else
		dbuf_printf(out, "\n    at %s:%d:%d", file, line, column(file, line, col));
	JS_FreeCString(ctx, file);
	JS_FreeCString(ctx, name);
	return 1;
}

static int trace_limit(JSContext *ctx)
{
	JSValue f = JS_GetPropertyStr(ctx, ctx->class_proto[JS_CLASS_ERROR], "constructor"), v = JS_GetPropertyStr(ctx, f, "stackTraceLimit");
	int n = 10;

	if (JS_IsNumber(v))
		JS_ToInt32Sat(ctx, &n, v);
	JS_FreeValue(ctx, v);
	JS_FreeValue(ctx, f);
	return n < 0 ? 0 : n > 200 ? 200 : n;
}

static void trace_attach(JSContext *ctx, JSValueConst error, const char *filename, int line, int col, int skip, JSValueConst above)
{
	JSRuntime *rt = ctx->rt;
	JSValue pending = rt->current_exception;
	int limit, first = 1, hidden = !JS_IsUndefined(above);
	JSProperty *pr;
	DynBuf out;

	if (JS_VALUE_GET_TAG(error) != JS_TAG_OBJECT)
		return;
	rt->current_exception = JS_UNINITIALIZED;
	js_dbuf_init(ctx, &out);
	limit = trace_limit(ctx);
	if (filename) {
		place_set(error, filename, line, col);
		first = 0;
	}
	for (JSStackFrame *sf = rt->current_stack_frame; sf && limit > 0; sf = sf->prev_frame) {
		if (skip) {
			skip = 0;
			continue;
		}
		if (hidden) {
			hidden = !js_same_value(ctx, sf->cur_func, above);
			continue;
		}
		limit -= put_frame(ctx, &out, sf, error, &first);
	}
	dbuf_putc(&out, '\0');
	if (find_own_property(&pr, JS_VALUE_GET_OBJ(error), JS_ATOM_stack))
		JS_DeleteProperty(ctx, error, JS_ATOM_stack, 0);
	/* Made to text when somebody looks at it: by then the error may have got its name. */
	if (dbuf_error(&out) || find_own_property(&pr, JS_VALUE_GET_OBJ(error), JS_ATOM_stack) ||
	    JS_DefineAutoInitProperty(ctx, error, JS_ATOM_stack, TRACE_STACK, out.buf, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE) <= 0)
		dbuf_free(&out);
	JS_FreeValue(ctx, rt->current_exception);
	rt->current_exception = pending;
}

/* ---- Words --------------------------------------------------------------------------------------- */

static const char *trace_wording(const char *fmt)
{
	static const char *const words[][2] = {
		{"'%s' is not defined", "%s is not defined"},
		{"%s is not initialized", "Cannot access '%s' before initialization"},
		{"cannot read property '%s' of undefined", "Cannot read properties of undefined (reading '%s')"},
		{"cannot read property '%s' of null", "Cannot read properties of null (reading '%s')"},
		{"cannot set property '%s' of undefined", "Cannot set properties of undefined (setting '%s')"},
		{"cannot set property '%s' of null", "Cannot set properties of null (setting '%s')"},
		{"redeclaration of '%s'", "Identifier '%s' has already been declared"},
		{"invalid redefinition of lexical identifier", "Identifier has already been declared"},
		{"'%s' is read-only", "Assignment to constant variable."},
		{"cannot convert to object", "Cannot convert undefined or null to object"},
		{"invalid array length", "Invalid array length"},
		{"invalid string length", "Invalid string length"},
		{"string too long", "Invalid string length"},
		{"not a symbol", "not a symbol"},
		{"value is not iterable", "object is not iterable (cannot read property Symbol(Symbol.iterator))"},
		{"must be called with new", "Constructor requires 'new'"},
		{"empty array", "Reduce of empty array with no initial value"},
		{"expecting hex digit", "URI malformed"},
		{"malformed UTF-8", "URI malformed"},
		{"cannot convert symbol to string", "Cannot convert a Symbol value to a string"},
		{"cannot convert symbol to number", "Cannot convert a Symbol value to a number"},
		{"cannot read property of null", "object null is not iterable (cannot read property Symbol(Symbol.iterator))"},
		{"invalid repeat count", "Invalid count value"},
		{"not a constructor", "value is not a constructor"},
		{"unexpected token in expression: '%.*s'", "Unexpected token '%.*s'"},
		{"unexpected token: '%.*s'", "Unexpected token '%.*s'"},
		{"unexpected end of string", "Invalid or unexpected token"},
		{"unexpected character", "Invalid or unexpected token"},
		{"expecting '%c'", "Unexpected token, expected '%c'"},
		{"missing initializer for const variable", "Missing initializer in const declaration"},
		{"return not in a function", "Illegal return statement"},
		{"circular reference", "Converting circular structure to JSON"},
		{"Could not find export '%s' in module '%s'", "The requested module '%2$s' does not provide an export named '%1$s'"},
		{"cannot convert bigint to number", "Cannot mix BigInt and other types, use explicit conversions"},
		{"bigint are forbidden in JSON.stringify", "Do not know how to serialize a BigInt"},
		{"object is not extensible", "Cannot add property, object is not extensible"},
		{"stack overflow", "Maximum call stack size exceeded"},
		{"invalid date", "Invalid time value"},
		{"Date value is NaN", "Invalid time value"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(fmt, words[i][0]) == 0)
			return words[i][1];
	return fmt;
}

/* Is what begins here a number of JSON's? QuickJS takes 1. and -01 as well. */
static int trace_json_number(const char *s)
{
	s += *s == '-';
	if (*s == '0')
		s++;
	else
		while (isdigit((unsigned char)*s))
			s++;
	if (isdigit((unsigned char)*s))
		return 0;
	if (*s == '.') {
		if (!isdigit((unsigned char)s[1]))
			return 0;
		for (s++; isdigit((unsigned char)*s); s++)
			;
	}
	if (*s == 'e' || *s == 'E') {
		s += s[1] == '+' || s[1] == '-' ? 2 : 1;
		return isdigit((unsigned char)*s) != 0;
	}
	return 1;
}

static int trace_unexpected(JSParseState *s)
{
	int n = (int)(s->buf_ptr - s->token.ptr);

	switch (s->token.val) {
	case TOK_EOF: return js_parse_error(s, "Unexpected end of input");
	case TOK_IDENT: return js_parse_error(s, "Unexpected identifier '%.*s'", n, s->token.ptr);
	case TOK_NUMBER: return js_parse_error(s, "Unexpected number");
	case TOK_STRING: return js_parse_error(s, "Unexpected string");
	case TOK_TEMPLATE: return js_parse_error(s, "Unexpected template string");
	default: return js_parse_error(s, "Unexpected token '%.*s'", n, s->token.ptr);
	}
}

/* The text of what is called, from the source before the place of the call; empty when it is not plain to see. */
static void callee(JSContext *ctx, JSStackFrame *sf, char *to, size_t size)
{
	JSFunctionBytecode *b = sf ? bytecode_of(sf) : NULL;
	const char *begin, *end, *s, *from;
	int line, col;

	*to = '\0';
	if (!b || !b->has_debug)
		return;
	line = find_line_num(ctx, b, sf->cur_pc - b->byte_code_buf - 1, &col);
	s = source_at(b, line, col, ctx, &begin, &end);
	if (!s)
		return;
	for (from = s; s > begin && (in_name(s[-1]) || s[-1] == '.'); s--)
		;
	if (from > s && (size_t)(from - s) < size && *s != '.' && !isdigit((unsigned char)*s)) {
		memcpy(to, s, (size_t)(from - s));
		to[from - s] = '\0';
	}
}

static JSValue trace_not_a_function(JSContext *ctx, JSStackFrame *sf, JSValueConst f)
{
	char name[120];

	(void)f;
	callee(ctx, sf, name, sizeof(name));
	return JS_ThrowTypeError(ctx, "%s is not a function", *name ? name : "value");
}

static JSValue trace_class_called(JSContext *ctx, JSStackFrame *sf)
{
	const char *name = get_func_name(ctx, sf->cur_func);

	JS_ThrowTypeError(ctx, "Class constructor %s cannot be invoked without 'new'", name ? name : "");
	JS_FreeCString(ctx, name);
	return JS_EXCEPTION;
}

/* ---- What an object is ------------------------------------------------------------------------------ */

static JSValue class_of(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	static const char *const names[JS_CLASS_INIT_COUNT] = {
		[JS_CLASS_ARRAY] = "Array", [JS_CLASS_ERROR] = "Error", [JS_CLASS_NUMBER] = "Number", [JS_CLASS_STRING] = "String",
		[JS_CLASS_BOOLEAN] = "Boolean", [JS_CLASS_SYMBOL] = "Symbol", [JS_CLASS_ARGUMENTS] = "Arguments",
		[JS_CLASS_MAPPED_ARGUMENTS] = "Arguments", [JS_CLASS_DATE] = "Date", [JS_CLASS_MODULE_NS] = "Module",
		[JS_CLASS_REGEXP] = "RegExp", [JS_CLASS_ARRAY_BUFFER] = "ArrayBuffer", [JS_CLASS_SHARED_ARRAY_BUFFER] = "SharedArrayBuffer",
		[JS_CLASS_DATAVIEW] = "DataView", [JS_CLASS_BIG_INT] = "BigInt", [JS_CLASS_MAP] = "Map", [JS_CLASS_SET] = "Set",
		[JS_CLASS_WEAKMAP] = "WeakMap", [JS_CLASS_WEAKSET] = "WeakSet", [JS_CLASS_MAP_ITERATOR] = "Map Iterator",
		[JS_CLASS_SET_ITERATOR] = "Set Iterator", [JS_CLASS_GENERATOR] = "Generator", [JS_CLASS_PROXY] = "Proxy",
		[JS_CLASS_PROMISE] = "Promise", [JS_CLASS_ASYNC_GENERATOR] = "AsyncGenerator", [JS_CLASS_WEAK_REF] = "WeakRef",
		[JS_CLASS_GENERATOR_FUNCTION] = "GeneratorFunction", [JS_CLASS_ASYNC_FUNCTION] = "AsyncFunction",
		[JS_CLASS_ASYNC_GENERATOR_FUNCTION] = "AsyncGeneratorFunction", [JS_CLASS_BYTECODE_FUNCTION] = "Function",
		[JS_CLASS_C_FUNCTION] = "Function", [JS_CLASS_BOUND_FUNCTION] = "Function", [JS_CLASS_C_FUNCTION_DATA] = "Function",
	};
	unsigned id;

	(void)this_val, (void)argc;
	if (JS_VALUE_GET_TAG(argv[0]) != JS_TAG_OBJECT)
		return JS_NewString(ctx, "");
	id = JS_VALUE_GET_OBJ(argv[0])->class_id;
	if (id >= JS_CLASS_UINT8C_ARRAY && id <= JS_CLASS_FLOAT64_ARRAY)
		return JS_NewString(ctx, "TypedArray");
	return JS_NewString(ctx, id < JS_CLASS_INIT_COUNT && names[id] ? names[id] : "Object");
}

static JSValue pair(JSContext *ctx, JSValue a, JSValue b)
{
	JSValue v = JS_NewArray(ctx);

	JS_SetPropertyUint32(ctx, v, 0, a);
	JS_SetPropertyUint32(ctx, v, 1, b);
	return v;
}

/* [state, result]: 0 pending, 1 fulfilled, 2 rejected */
static JSValue promise_details(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	return pair(ctx, JS_NewInt32(ctx, JS_PromiseState(ctx, argv[0])), JS_PromiseResult(ctx, argv[0]));
}

/* [target, handler]; undefined for what is no proxy. */
static JSValue proxy_details(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	JSProxyData *d = JS_GetOpaque(argv[0], JS_CLASS_PROXY);

	(void)this_val, (void)argc;
	return d ? pair(ctx, JS_DupValue(ctx, d->is_revoked ? JS_NULL : d->target), JS_DupValue(ctx, d->is_revoked ? JS_NULL : d->handler)) : JS_UNDEFINED;
}

/* What is left of a Map's or Set's iterator, without moving it: [[key, value]...] and its kind (0 keys, 1 values, 2 entries). */
static JSValue iterator_details(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	JSMapIteratorData *it = JS_GetOpaque(argv[0], JS_CLASS_MAP_ITERATOR);
	JSValue list = JS_NewArray(ctx);
	uint32_t n = 0;

	(void)this_val, (void)argc;
	if (!it)
		it = JS_GetOpaque(argv[0], JS_CLASS_SET_ITERATOR);
	if (it && !JS_IsUndefined(it->obj)) {
		JSMapState *s = JS_VALUE_GET_OBJ(it->obj)->u.map_state;
		struct list_head *el = it->cur_record ? it->cur_record->link.next : s->records.next;

		for (; el != &s->records; el = el->next) {
			JSMapRecord *r = list_entry(el, JSMapRecord, link);

			if (!r->empty)
				JS_SetPropertyUint32(ctx, list, n++, pair(ctx, JS_DupValue(ctx, r->key), JS_DupValue(ctx, r->value)));
		}
	}
	return pair(ctx, list, JS_NewInt32(ctx, it ? (int)it->kind : 0));
}

/* [file, line, column] where this value was thrown; undefined when not known. */
static JSValue thrown_at(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	JSValue v;

	(void)this_val, (void)argc;
	if (!place.line || place.value != pointer_of(argv[0]))
		return JS_UNDEFINED;
	v = pair(ctx, JS_NewString(ctx, place.file), JS_NewInt32(ctx, place.line));
	JS_SetPropertyUint32(ctx, v, 2, JS_NewInt32(ctx, place.col));
	return v;
}

static JSValue capture_trace(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val;
	if (JS_VALUE_GET_TAG(argv[0]) != JS_TAG_OBJECT)
		return JS_ThrowTypeError(ctx, "Invalid argument");
	trace_attach(ctx, argv[0], NULL, 0, 0, 1, argc > 1 ? argv[1] : JS_UNDEFINED);
	return JS_UNDEFINED;
}

static JSValue function_source(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	JSObject *p;

	(void)this_val, (void)argc;
	if (JS_VALUE_GET_TAG(argv[0]) != JS_TAG_OBJECT)
		return JS_UNDEFINED;
	p = JS_VALUE_GET_OBJ(argv[0]);
	if (!js_class_has_bytecode(p->class_id) || !p->u.func.function_bytecode->debug.source)
		return JS_UNDEFINED;
	return JS_NewStringLen(ctx, p->u.func.function_bytecode->debug.source, (size_t)p->u.func.function_bytecode->debug.source_len);
}

static JSValue memory_usage(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	int64_t used = (int64_t)ctx->rt->malloc_state.malloc_size, whole = used;

	(void)this_val, (void)argc, (void)argv;
#ifdef __wasm__
	whole = (int64_t)__builtin_wasm_memory_size(0) * 65536;
#endif
	return pair(ctx, JS_NewInt64(ctx, used), JS_NewInt64(ctx, whole));
}

static JSValue memory_limit(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	int64_t n;

	(void)this_val, (void)argc;
	if (JS_ToInt64(ctx, &n, argv[0]))
		return JS_EXCEPTION;
	JS_SetMemoryLimit(ctx->rt, n < 0 || n > UINT32_MAX ? (size_t)-1 : (size_t)n);
	return JS_UNDEFINED;
}

static JSValue collect(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc, (void)argv;
	JS_RunGC(ctx->rt);
	return JS_UNDEFINED;
}

static JSValue detach(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
	(void)this_val, (void)argc;
	JS_DetachArrayBuffer(ctx, argv[0]);
	return JS_UNDEFINED;
}

const JSCFunctionListEntry engine_functions[] = {
	JS_CFUNC_DEF("classOf", 1, class_of),
	JS_CFUNC_DEF("promiseDetails", 1, promise_details),
	JS_CFUNC_DEF("proxyDetails", 1, proxy_details),
	JS_CFUNC_DEF("iteratorDetails", 1, iterator_details),
	JS_CFUNC_DEF("thrownAt", 1, thrown_at),
	JS_CFUNC_DEF("captureStackTrace", 2, capture_trace),
	JS_CFUNC_DEF("functionSource", 1, function_source),
	JS_CFUNC_DEF("memoryUsage", 0, memory_usage),
	JS_CFUNC_DEF("memoryLimit", 1, memory_limit),
	JS_CFUNC_DEF("collect", 0, collect),
	JS_CFUNC_DEF("detach", 1, detach),
};
const int engine_nfunctions = sizeof(engine_functions) / sizeof(engine_functions[0]);
