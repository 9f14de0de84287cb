/* rules.c - the outermost of awk's grammar: rules and functions, and what their names and parameters may be. */
#include "lex.h"

static bool is_special(struct awk *a, struct str name)
{
	for (uint32_t i = 0; i < V_NSPECIAL; i++)
		if (a->global_len[i] == name.len && memcmp(a->global_name[i], name.ptr, name.len) == 0)
			return true;
	return false;
}

/* The parameter that was read is none that may not be one. */
static void check_parameter(struct lexer *l, const struct function *f, const struct str *params)
{
	struct awk *a = l->a;
	struct str name = params[l->nparams - 1];

	if (name.len == f->len && memcmp(name.ptr, f->name, f->len) == 0)
		lex_wrong(l, u_format(a->p, "function `%s': cannot use function name as parameter name", f->name));
	if (is_special(a, name))
		lex_wrong(l, u_format(a->p, "function `%s': cannot use special variable `%.*s' as a function parameter", f->name, (int)name.len, name.ptr));
	for (uint32_t i = 0; i + 1 < l->nparams; i++)
		if (str_eq(params[i], name))
			lex_wrong(l, u_format(a->p, "function `%s': parameter #%u, `%.*s', duplicates parameter #%u", f->name, l->nparams, (int)name.len,
					  name.ptr, i + 1));
}

static void function_definition(struct lexer *l)
{
	struct awk *a = l->a;
	struct str params[256];
	uint32_t f;

	lex_next(l);
	if (l->tok == T_BUILTIN)
		lex_fail(l, u_format(a->p, "`%.*s' is a built-in function, it cannot be redefined", (int)l->text.len, l->text.ptr));
	if (l->tok != T_NAME && l->tok != T_FUNC_NAME)
		lex_error(l);
	f = parse_function_name(l, l->text);
	if (a->function[f].defined)
		lex_wrong(l, u_format(a->p, "function name `%s' previously defined", a->function[f].name));
	a->function[f].defined = true;
	lex_next(l);
	lex_expect(l, TC('('));
	l->nparams = 0;
	lex_skip_newlines(l);
	while (l->tok == T_NAME) {
		if (l->nparams == COUNTOF(params))
			lex_fail(l, "too many parameters");
		params[l->nparams++] = l->text;
		check_parameter(l, &a->function[f], params);
		lex_next(l);
		lex_skip_newlines(l);
		if (!lex_accept(l, TC(',')))
			break;
		lex_skip_newlines(l);
	}
	lex_expect(l, TC(')'));
	lex_skip_newlines(l);
	l->param = params;
	l->in_function = true;
	a->function[f].nparams = l->nparams;
	struct node *b = parse_block(l);

	a->function[f].body = b;
	l->in_function = false;
	l->nparams = 0;
	l->param = NULL;
}

static void rule(struct lexer *l)
{
	struct awk *a = l->a;
	struct rule r = {.kind = RULE_PATTERN};

	switch (l->tok) {
	case T_BEGIN: r.kind = RULE_BEGIN; break;
	case T_END: r.kind = RULE_END; break;
	case T_BEGINFILE: r.kind = RULE_BEGINFILE; break;
	case T_ENDFILE: r.kind = RULE_ENDFILE; break;
	default: break;
	}
	l->rule_kind = (uint8_t)r.kind;
	if (r.kind != RULE_PATTERN) {
		lex_next(l);
		if (l->tok != TC('{'))
			lex_refuse(l, u_format(a->p, "%s blocks must have an action part", awk_rule_name(l->rule_kind)));
	} else if (l->tok != TC('{')) {
		r.pattern = parse_expression(l);
		if (lex_accept(l, TC(','))) {
			lex_skip_newlines(l);
			r.kind = RULE_RANGE;
			r.to = parse_expression(l);
		}
	}
	if (l->tok == TC('{'))
		r.body = parse_block(l);
	if (a->nrules == a->rules_cap) {
		size_t cap = a->rules_cap ? a->rules_cap * 2 : 16;

		a->rule = arena_grow(&sys_self(a->p)->arena, a->rule, a->rules_cap * sizeof(*a->rule), cap * sizeof(*a->rule));
		a->rules_cap = cap;
	}
	a->rule[a->nrules++] = r;
}

void awk_parse(struct awk *a, const char *text, size_t n, const char *name)
{
	struct lexer l = {.a = a, .s = text, .start = text, .end = text + n, .name = name, .line = 1};

	a->parsing = true;
	lex_next(&l);
	for (;;) {
		while (l.tok == T_NEWLINE || l.tok == TC(';'))
			lex_next(&l);
		if (l.tok == T_EOF)
			break;
		if (l.tok == T_FUNCTION)
			function_definition(&l);
		else
			rule(&l);
		if (l.tok != T_NEWLINE && l.tok != TC(';') && l.tok != T_EOF && l.s > text && l.tok != TC('}') &&
		    (l.tok == TC(')') || l.tok == TC(']')))
			lex_error(&l);
	}
	a->parsing = false;
	a->line = 0;
}

void awk_parse_done(struct awk *a)
{
	for (uint32_t i = 0; i < a->nfunctions; i++)
		for (uint32_t v = V_NSPECIAL; a->function[i].defined && v < a->nglobals; v++)
			if (a->global_len[v] == a->function[i].len && memcmp(a->global_name[v], a->function[i].name, a->global_len[v]) == 0)
				awk_error(a, "function name `%s' previously defined", a->function[i].name);
}
