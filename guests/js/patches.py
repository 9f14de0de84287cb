"""What is changed in QuickJS's sources before they are compiled: (file, old, new), each found exactly once.

Bounds: the stack check asks the host as well. Looks: errors read as Node's do, their traces are made by
trace.h, a thrown value is remembered with its place. Language: import attributes are accepted.
"""

CHANGES = [
    # The shadow stack says nothing about the real one.
    ('quickjs.c', '    return unlikely(sp < rt->stack_limit);', '    return unlikely(sp < rt->stack_limit || guest_stack_low());'),
    ('quickjs.c', 'static inline uintptr_t js_get_stack_pointer(void)\n{\n    return (uintptr_t)',
     '__attribute__((import_module("env"), import_name("stack_low"))) int guest_stack_low(void);\n'
     'static inline uintptr_t js_get_stack_pointer(void)\n{\n    return (uintptr_t)'),
    ('quickjs.c', '    return JS_ThrowInternalError(ctx, "stack overflow");', '    return JS_ThrowRangeError(ctx, "Maximum call stack size exceeded");'),
    # An error that says so must fit when memory has run out; else null is thrown in its place.
    ('quickjs.c', '''        rt->in_out_of_memory = TRUE;
        JS_ThrowInternalError(ctx, "out of memory");
''', '''        size_t limit = rt->malloc_state.malloc_limit;
        rt->in_out_of_memory = TRUE;
        if (limit < (size_t)-1 - 65536)
            rt->malloc_state.malloc_limit = limit + 65536;
        JS_ThrowInternalError(ctx, "out of memory");
        /* The first time that room stays, for who handles the error. */
        static int spent;
        if (spent)
            rt->malloc_state.malloc_limit = limit;
        spent = 1;
'''),
    # Of two differences wasi-libc knows none, and what is rejected by Promise.any has a message.
    ('quickjs.c', 'static int getTimezoneOffset(int64_t time)\n{\n    time_t ti;\n    int res;\n',
     'int js_zone_offset(int64_t seconds);\nstatic int getTimezoneOffset(int64_t time)\n{\n    time_t ti;\n    int res;\n    if (1)\n        return -js_zone_offset(time / 1000) / 60;\n'),
    ('quickjs.c', '            error = js_aggregate_error_constructor(ctx, values);\n            if (JS_IsException(error))\n                return JS_EXCEPTION;\n            ret =',
     '            error = js_aggregate_error_constructor(ctx, values);\n            if (JS_IsException(error))\n                return JS_EXCEPTION;\n'
     '            JS_DefinePropertyValue(ctx, error, JS_ATOM_message, JS_NewString(ctx, "All promises were rejected"), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);\n'
     '            ret ='),
    # No threads.
    ('quickjs.c', '#if !defined(EMSCRIPTEN)\n#define CONFIG_ATOMICS', '#if 0\n#define CONFIG_ATOMICS'),
    ('quickjs.c', '/* dump object free */', 'size_t malloc_usable_size(void *);\n/* dump object free */'),
    ('dtoa.c', '#include <setjmp.h>', ''),
    # Traces.
    ('quickjs.c', 'static void js_autoinit_free(JSRuntime *rt, JSProperty *pr)\n{', '#include "trace.h"\nstatic void js_autoinit_free(JSRuntime *rt, JSProperty *pr)\n{'),
    ('quickjs.c', '''static void build_backtrace(JSContext *ctx, JSValueConst error_obj,
                            const char *filename, int line_num, int col_num,
                            int backtrace_flags)
{''', '''static void build_backtrace(JSContext *ctx, JSValueConst error_obj,
                            const char *filename, int line_num, int col_num,
                            int backtrace_flags)
{
    trace_attach(ctx, error_obj, filename, line_num, col_num, !!(backtrace_flags & JS_BACKTRACE_FLAG_SKIP_FIRST_LEVEL), JS_UNDEFINED);
    return;'''),
    ('quickjs.c', '            JS_Throw(ctx, *--sp);\n            goto exception;',
     '            sf->cur_pc = pc;\n            trace_thrown(ctx, sf, sp[-1]);\n            JS_Throw(ctx, *--sp);\n            goto exception;'),
    ('quickjs.c', '    vsnprintf(buf, sizeof(buf), fmt, ap);\n    obj = JS_NewObjectProtoClass(ctx, ctx->native_error_proto[error_num],',
     '    vsnprintf(buf, sizeof(buf), trace_wording(fmt), ap);\n    obj = JS_NewObjectProtoClass(ctx, ctx->native_error_proto[error_num],'),
    ('quickjs.c', '            return JS_ThrowTypeError(caller_ctx, "not a function");', '            return trace_not_a_function(caller_ctx, rt->current_stack_frame, func_obj);'),
    # import ... with { type: 'json' }: the loader goes by the name.
    ('quickjs.c', '''    if (next_token(s)) {
        JS_FreeAtom(s->ctx, module_name);
        return JS_ATOM_NULL;
    }
    return module_name;
}''', '''    if (next_token(s) || js_skip_attributes(s)) {
        JS_FreeAtom(s->ctx, module_name);
        return JS_ATOM_NULL;
    }
    return module_name;
}'''),
    ('quickjs.c', 'static __exception JSAtom js_parse_from_clause(JSParseState *s)\n{', '''static __exception int js_skip_attributes(JSParseState *s)
{
    if (s->token.val != TOK_WITH)
        return 0;
    if (next_token(s) || js_parse_expect(s, '{'))
        return -1;
    while (s->token.val != '}') {
        if ((s->token.val != TOK_IDENT && s->token.val != TOK_STRING) || next_token(s) || js_parse_expect(s, ':'))
            return js_parse_error(s, "Unexpected token in import attributes");
        if (s->token.val != TOK_STRING)
            return js_parse_error(s, "Import attribute value must be a string");
        if (next_token(s) || (s->token.val == ',' ? next_token(s) : 0))
            return -1;
    }
    return next_token(s);
}

static __exception JSAtom js_parse_from_clause(JSParseState *s)
{'''),
    ('quickjs.c', '''            if (js_parse_assign_expr(s))
                return -1;
            if (js_parse_expect(s, ')'))
                return -1;
            emit_op(s, OP_import);''', '''            if (js_parse_assign_expr(s))
                return -1;
            if (s->token.val == ',') {
                if (next_token(s))
                    return -1;
                if (s->token.val != ')') {
                    if (js_parse_assign_expr(s))
                        return -1;
                    emit_op(s, OP_drop);
                    if (s->token.val == ',' && next_token(s))
                        return -1;
                }
            }
            if (js_parse_expect(s, ')'))
                return -1;
            emit_op(s, OP_import);'''),
    # The stack property of an error is made when it is looked at.
    ('quickjs.c', 'static JSAutoInitFunc *js_autoinit_func_table[] = {', 'static JSAutoInitFunc *js_autoinit_func_table[4] = {\n    [TRACE_STACK] = trace_stack, [0] ='),
    ('quickjs.c', '    JS_FreeContext(js_autoinit_get_realm(pr));\n', '    if (js_autoinit_get_id(pr) == TRACE_STACK)\n        js_free_rt(rt, pr->u.init.opaque);\n    JS_FreeContext(js_autoinit_get_realm(pr));\n'),
    ('quickjs.c', 'static JSContext *js_autoinit_get_realm(JSProperty *pr)\n{', 'static JSAutoInitIDEnum js_autoinit_get_id(JSProperty *pr);\nstatic JSContext *js_autoinit_get_realm(JSProperty *pr)\n{'),
    # Messages of the parser.
    ('quickjs.c', """        return js_parse_error(s, "expecting '%c'", ';');""", '        return trace_unexpected(s);'),
    ('quickjs.c', """        return js_parse_error(s, "unexpected token in expression: '%.*s'",
                              (int)(s->buf_ptr - s->token.ptr), s->token.ptr);""", '        return trace_unexpected(s);'),
    ('quickjs.c', '''static int js_parse_expect(JSParseState *s, int tok)
{
    if (s->token.val != tok) {
''', '''static int trace_unexpected(JSParseState *s);
static int js_parse_expect(JSParseState *s, int tok)
{
    if (s->token.val != tok) {
        return trace_unexpected(s);
'''),
    ('quickjs.c', '                flags = ATOD_ACCEPT_BIN_OCT;\n                radix = 0;\n            }', '                flags = ATOD_ACCEPT_BIN_OCT;\n                radix = 0;\n            }\n'
     '            if (!s->ext_json && !trace_json_number((const char *)p)) {\n                js_parse_error(s, "invalid number");\n                goto fail;\n            }'),
    ('quickjs.c', """JS_ThrowTypeError(ctx, "class constructors must be invoked with 'new'");""", "trace_class_called(ctx, sf);"),
]
