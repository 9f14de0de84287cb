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
    # What is wrong with a regular expression, in Node's words, and which one it is.
    ('quickjs.c', '                JS_FreeCString(ctx, str);\n                return JS_ThrowSyntaxError(ctx, "invalid regular expression flags");',
     '                JS_ThrowSyntaxError(ctx, "Invalid flags supplied to RegExp constructor \'%s\'", str);\n                JS_FreeCString(ctx, str);\n                return JS_EXCEPTION;'),
    ('quickjs.c', '/* create a string containing the RegExp bytecode */', '''static void regexp_error(JSContext *ctx, JSValueConst pattern, JSValueConst flags, const char *why)
{
    static const char *const words[][2] = {
        {"expecting ')'", "Unterminated group"}, {"extraneous characters at the end", "Unmatched ')'"}, {"unexpected end", "Unterminated character class"},
        {"nothing to repeat", "Nothing to repeat"}, {"syntax error", "Lone quantifier brackets"}, {"invalid repetition count", "numbers out of order in {} quantifier"},
        {"duplicate group name", "Duplicate capture group name"}, {"invalid group name", "Invalid capture group name"}, {"invalid group", "Invalid group"},
        {"invalid class range", "Range out of order in character class"}, {"group name not defined", "Invalid named capture referenced"},
        {"expecting group name", "Invalid named reference"}, {"invalid escape sequence in regular expression", "Invalid Unicode escape"},
        {"unknown unicode property name", "Invalid property name"}, {"unknown unicode property value", "Invalid property name"},
        {"unknown unicode general category", "Invalid property name"}, {"unknown unicode script", "Invalid property name"},
        {"back reference out of range in regular expression", "Invalid escape"}, {"invalid decimal escape in regular expression", "Invalid decimal escape"},
        {"stack overflow", "Regular expression too large"}, {"too many captures", "Too many captures"},
    };
    const char *source = JS_ToCString(ctx, pattern), *letters = JS_IsUndefined(flags) ? NULL : JS_ToCString(ctx, flags);
    size_t n = source ? strlen(source) : 0;

    for (size_t i = 0; i < countof(words); i++)
        if (strcmp(words[i][0], why) == 0) {
            why = words[i][1];
            break;
        }
    if (strcmp(why, "Unterminated character class") == 0 && n && source[n - 1] == '\\\\')
        why = "\\\\ at end of pattern";
    JS_ThrowSyntaxError(ctx, "Invalid regular expression: /%s/%s: %s", source ? source : "", letters ? letters : "", why);
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, letters);
}

/* create a string containing the RegExp bytecode */'''),
    ('quickjs.c', '        JS_ThrowSyntaxError(ctx, "%s", error_msg);\n        return JS_EXCEPTION;\n    }\n\n    ret = js_new_string8_len(ctx, (const char *)re_bytecode_buf', '        regexp_error(ctx, pattern, flags, error_msg);\n        return JS_EXCEPTION;\n    }\n\n    ret = js_new_string8_len(ctx, (const char *)re_bytecode_buf'),
    ('quickjs.c', 'js_parse_error(s, "unexpected end of regexp");', 'js_parse_error(s, "Invalid regular expression: missing /");'),
    ('quickjs.c', 'JS_ThrowTypeError(ctx, "regexp must have the \'g\' flag");', 'JS_ThrowTypeError(ctx, "String.prototype.%s called with a non-global RegExp argument", method);'),
    ('quickjs.c', 'static int check_regexp_g_flag(JSContext *ctx, JSValueConst regexp)', 'static int check_regexp_g_flag(JSContext *ctx, JSValueConst regexp, const char *method)'),
    ('quickjs.c', 'if (check_regexp_g_flag(ctx, regexp) < 0) {', 'if (check_regexp_g_flag(ctx, regexp, "matchAll") < 0) {'),
    ('quickjs.c', 'if (check_regexp_g_flag(ctx, searchValue) < 0)', 'if (check_regexp_g_flag(ctx, searchValue, "replaceAll") < 0)'),
    # What is there before the freeze stays (engine_settle): its count of references has JS_KEPT in it and is not written to.
    ('quickjs.h', 'typedef struct JSRefCountHeader {', '#define JS_KEPT (1 << 29)\ntypedef struct JSRefCountHeader {'),
    ('quickjs.h', '        if (--p->ref_count <= 0) {\n            __JS_FreeValue(ctx, v);', '        if (p->ref_count < JS_KEPT && --p->ref_count <= 0) {\n            __JS_FreeValue(ctx, v);'),
    ('quickjs.h', '        if (--p->ref_count <= 0) {\n            __JS_FreeValueRT(rt, v);', '        if (p->ref_count < JS_KEPT && --p->ref_count <= 0) {\n            __JS_FreeValueRT(rt, v);'),
    *[('quickjs.h', f'JS_DupValue{rt}v)\n{{\n    if (JS_VALUE_HAS_REF_COUNT(v)) {{\n        JSRefCountHeader *p = (JSRefCountHeader *)JS_VALUE_GET_PTR(v);\n        p->ref_count++;',
       f'JS_DupValue{rt}v)\n{{\n    if (JS_VALUE_HAS_REF_COUNT(v)) {{\n        JSRefCountHeader *p = (JSRefCountHeader *)JS_VALUE_GET_PTR(v);\n        if (p->ref_count < JS_KEPT)\n            p->ref_count++;')
      for rt in ('(JSContext *ctx, JSValueConst ', 'RT(JSRuntime *rt, JSValueConst ')],
    ('quickjs.c', '    if (!__JS_AtomIsConst(v)) {\n        p = rt->atom_array[v];\n        p->header.ref_count++;', '    if (!__JS_AtomIsConst(v)) {\n        p = rt->atom_array[v];\n        if (p->header.ref_count < JS_KEPT)\n            p->header.ref_count++;'),
    ('quickjs.c', '        rt = ctx->rt;\n        p = rt->atom_array[v];\n        p->header.ref_count++;', '        rt = ctx->rt;\n        p = rt->atom_array[v];\n        if (p->header.ref_count < JS_KEPT)\n            p->header.ref_count++;'),
    ('quickjs.c', '            memcmp(p->u.str8, str, len) == 0) {\n            if (!__JS_AtomIsConst(i))', '            memcmp(p->u.str8, str, len) == 0) {\n            if (!__JS_AtomIsConst(i) && p->header.ref_count < JS_KEPT)'),
    ('quickjs.c', '                js_string_memcmp(p, 0, str, 0, len) == 0) {\n                if (!__JS_AtomIsConst(i))', '                js_string_memcmp(p, 0, str, 0, len) == 0) {\n                if (!__JS_AtomIsConst(i) && p->header.ref_count < JS_KEPT)'),
    ('quickjs.c', '    if (--p->header.ref_count > 0)\n        return;\n    JS_FreeAtomStruct(rt, p);', '    if (p->header.ref_count >= JS_KEPT || --p->header.ref_count > 0)\n        return;\n    JS_FreeAtomStruct(rt, p);'),
    ('quickjs.c', 'static JSShape *js_dup_shape(JSShape *sh)\n{\n    sh->header.ref_count++;', 'static JSShape *js_dup_shape(JSShape *sh)\n{\n    if (sh->header.ref_count < JS_KEPT)\n        sh->header.ref_count++;'),
    ('quickjs.c', '    if (unlikely(--sh->header.ref_count <= 0)) {', '    if (sh->header.ref_count < JS_KEPT && unlikely(--sh->header.ref_count <= 0)) {'),
    ('quickjs.c', 'static inline void js_free_string(JSRuntime *rt, JSString *str)\n{\n    if (--str->header.ref_count <= 0) {', 'static inline void js_free_string(JSRuntime *rt, JSString *str)\n{\n    if (str->header.ref_count < JS_KEPT && --str->header.ref_count <= 0) {'),
    ('quickjs.c', '        if (--var_ref->header.ref_count == 0) {', '        if (var_ref->header.ref_count < JS_KEPT && --var_ref->header.ref_count == 0) {'),
    ('quickjs.c', '    assert(p->ref_count > 0);\n    p->ref_count--;\n    if (p->ref_count == 0 && p->mark == 1) {', '    if (p->ref_count >= JS_KEPT)\n        return;\n    p->ref_count--;\n    if (p->ref_count == 0 && p->mark == 1) {'),
    ('quickjs.c', '{\n    p->ref_count++;\n    if (p->ref_count == 1) {', '{\n    if (p->ref_count >= JS_KEPT)\n        return;\n    p->ref_count++;\n    if (p->ref_count == 1) {'),
    ('quickjs.c', 'static void gc_scan_incref_child2(JSRuntime *rt, JSGCObjectHeader *p)\n{\n    p->ref_count++;', 'static void gc_scan_incref_child2(JSRuntime *rt, JSGCObjectHeader *p)\n{\n    if (p->ref_count < JS_KEPT)\n        p->ref_count++;'),
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
