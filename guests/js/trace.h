/* What patches.py makes quickjs.c call; all of it is in engine.c, at the end of the same unit. */
static void trace_attach(JSContext *ctx, JSValueConst error, const char *filename, int line, int col, int skip, JSValueConst above);
static void trace_thrown(JSContext *ctx, struct JSStackFrame *sf, JSValueConst value);
static const char *trace_wording(const char *fmt);
static JSValue trace_not_a_function(JSContext *ctx, struct JSStackFrame *sf, JSValueConst f);
static JSValue trace_stack(JSContext *ctx, JSObject *p, JSAtom atom, void *frames);
#define TRACE_STACK 3 /* one more kind of property that is made when it is looked at */
static int trace_json_number(const char *s);
static JSValue trace_class_called(JSContext *ctx, struct JSStackFrame *sf);
