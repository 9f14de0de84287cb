/*
 * param.c - ${…}: name, subscript, operator and operands, fully taken apart.
 *
 * What bash would only find wrong when the expansion runs ("bad substitution") becomes a
 * PARAM_BAD that covers the text up to the closing brace.
 */
#include "syntax.h"

static bool at_end(const struct parser *p)
{
	return p->at == p->limit;
}

static char peek(const struct parser *p)
{
	return at_end(p) ? '\0' : *p->at;
}

static char peek_second(const struct parser *p)
{
	return p->limit - p->at > 1 ? p->at[1] : '\0';
}

static bool take(struct parser *p, char c)
{
	p->at = skip_cont(p, p->at);
	if (peek(p) != c || at_end(p))
		return false;
	p->at++;
	return true;
}

/* A run of name characters or digits; a backslash-newline inside it does not count. */
static struct str take_run(struct parser *p, bool digits)
{
	const char *from = p->at;
	struct str run = {from, 0}, both[2];

	while (!at_end(p) && (digits ? ascii_digit(*p->at) : (CLASS(*p->at) & C_NAME) != 0))
		p->at++;
	run.len = (size_t)(p->at - from);
	while (skip_cont(p, p->at) != p->at) {
		p->at = skip_cont(p, p->at);
		from = p->at;
		while (!at_end(p) && (digits ? ascii_digit(*p->at) : (CLASS(*p->at) & C_NAME) != 0))
			p->at++;
		both[0] = run;
		both[1] = (struct str){from, (size_t)(p->at - from)};
		run = text_join(p->arena, both, 2);
	}
	return run;
}

static bool is_special(char c)
{
	return c && strchr("@*#?-$!", c) != NULL;
}

/* $name, $1, $@: everything but the braced form. `at` is behind the dollar. */
static void simple_param(struct parser *p, struct param *param)
{
	char c = peek(p);

	if (ascii_digit(c)) {
		param->name = (struct str){p->at++, 1};
		if (c == '0') {
			param->kind = PARAM_SPECIAL;
			param->special = '0';
		} else {
			param->kind = PARAM_POSITIONAL;
			param->number = (uint32_t)(c - '0');
		}
	} else if (CLASS(c) & C_NAME) {
		param->kind = PARAM_NAME;
		param->name = take_run(p, false);
	} else {
		param->kind = PARAM_SPECIAL;
		param->special = c;
		param->name = (struct str){p->at++, 1};
	}
}

/* The parameter inside braces: any number of digits. False when there is none. */
static bool braced_param(struct parser *p, struct param *param)
{
	char c = peek(p);

	if (ascii_digit(c)) {
		uint64_t n = 0;

		param->name = take_run(p, true);
		for (size_t i = 0; i < param->name.len; i++)
			n = MIN(n * 10 + (uint64_t)(param->name.ptr[i] - '0'),
			        (uint64_t)UINT32_MAX);
		param->number = (uint32_t)n;
		param->kind = n ? PARAM_POSITIONAL : PARAM_SPECIAL;
		param->special = n ? '\0' : '0';
		return true;
	}
	if (!(CLASS(c) & C_NAME) && !is_special(c))
		return false;
	simple_param(p, param);
	return true;
}

static struct word *operand(struct parser *p, bool quoted)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;
	struct word *w;

	if (quoted ? !scan_quoted(p, QUOTED_OPERAND) : !scan_plain(p, PLAIN_OPERAND, 0))
		return NULL;
	w = word_new(p, raw, mark);
	if (!quoted)
		word_tildes(p, w, TILDE_START);
	return w;
}

/* Patterns and replacements: quotes count even inside "…". */
static struct word *pattern(struct parser *p, enum plain_mode mode, bool quoted, bool tilde)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;
	struct word *w;

	/* ${x////-}: the slash behind // begins the pattern. */
	if (mode == PLAIN_REPLACE && peek(p) == '/' && p->at[-1] == '/' && p->at[-2] == '/')
		lit_add(p, p->at++, 1);
	if (!scan_plain(p, mode, quoted ? PLAIN_NO_PROCSUB : 0))
		return NULL;
	w = word_new(p, raw, mark);
	if (tilde)
		word_tildes(p, w, TILDE_START);
	return w;
}

static bool default_op(struct parser *p, struct param *param, bool quoted)
{
	switch (*p->at++) {
	case '-': param->op = PARAM_DEFAULT; break;
	case '=': param->op = PARAM_ASSIGN; break;
	case '?': param->op = PARAM_ERROR; break;
	default: param->op = PARAM_ALTERNATE; break;
	}
	param->arg = operand(p, quoted);
	return true;
}

static bool remove_op(struct parser *p, struct param *param, bool quoted)
{
	char c = *p->at++;

	param->op = c == '#' ? PARAM_REMOVE_PREFIX : PARAM_REMOVE_SUFFIX;
	if (take(p, c))
		param->flags |= PARAM_LONGEST;
	param->arg = pattern(p, PLAIN_PATTERN, quoted, true);
	return true;
}

static bool case_op(struct parser *p, struct param *param, bool quoted)
{
	char c = *p->at++;

	param->op = c == '^' ? PARAM_UPPER : c == ',' ? PARAM_LOWER : PARAM_TOGGLE;
	if (take(p, c))
		param->flags |= PARAM_ALL;
	if (peek(p) != '}')
		param->arg = pattern(p, PLAIN_PATTERN, quoted, false);
	return true;
}

static bool replace_op(struct parser *p, struct param *param, bool quoted)
{
	p->at++;
	param->op = PARAM_REPLACE;
	if (take(p, '/'))
		param->flags |= PARAM_ALL;
	else if (take(p, '#'))
		param->flags |= PARAM_ANCHOR_START;
	else if (take(p, '%'))
		param->flags |= PARAM_ANCHOR_END;
	param->arg = pattern(p, PLAIN_REPLACE, quoted, !(param->flags & (PARAM_ANCHOR_START | PARAM_ANCHOR_END)));
	if (!p->failed && peek(p) == '/') {
		p->at++;
		param->repl = pattern(p, PLAIN_OPERAND, quoted, true);
	}
	return true;
}

static struct arith *slice_part(struct parser *p)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;
	struct word *w;

	if (!scan_quoted(p, QUOTED_SLICE))
		return NULL;
	w = word_new(p, raw, mark);
	return make_arith(p, (struct str){raw, (size_t)(p->at - raw)}, w, w->off);
}

static bool colon_op(struct parser *p, struct param *param, bool quoted)
{
	char c = peek_second(p);

	if (c && strchr("-=?+", c)) {
		p->at++;
		param->flags |= PARAM_COLON;
		return default_op(p, param, quoted);
	}
	p->at++;
	if (c == '}')
		return false;
	param->op = PARAM_SLICE;
	param->offset = slice_part(p);
	if (!p->failed && peek(p) == ':') {
		p->at++;
		param->length = slice_part(p);
	}
	return true;
}

static bool transform_op(struct parser *p, struct param *param)
{
	char c = peek_second(p);

	p->at++;
	param->op = PARAM_TRANSFORM;
	if (c && strchr("UuLQEPAKak", c) && p->limit - p->at > 1 && p->at[1] == '}') {
		p->at++;
		param->special_op = c;
		return true;
	}
	/* A mistake only when there is something to transform. */
	if (c != '}')
		operand(p, false);
	return true;
}

/* What stands between the parameter and the brace. False: nothing bash knows. */
static bool operation(struct parser *p, struct param *param, bool quoted)
{
	p->at = skip_cont(p, p->at);
	switch (peek(p)) {
	case '}': return true;
	case ':': return colon_op(p, param, quoted);
	case '-':
	case '=':
	case '?':
	case '+': return default_op(p, param, quoted);
	case '#':
	case '%': return remove_op(p, param, quoted);
	case '/': return replace_op(p, param, quoted);
	case '^':
	case ',':
	case '~': return case_op(p, param, quoted);
	case '@': return transform_op(p, param);
	default: return false;
	}
}

struct subscript *make_subscript(struct parser *p, const char *raw, size_t len, struct word *w)
{
	struct subscript *sub = arena_zalloc(p->arena, sizeof(*sub));

	sub->off = w->off;
	sub->raw = (struct str){raw, len};
	sub->word = w;
	if (len == 1 && (*raw == '@' || *raw == '*')) {
		sub->kind = *raw == '@' ? SUB_AT : SUB_STAR;
		return sub;
	}
	sub->kind = SUB_WORD;
	sub->arith = make_arith(p, sub->raw, w, w->off);
	return sub;
}

struct subscript *scan_subscript(struct parser *p)
{
	const char *raw = ++p->at;
	size_t mark = p->scratch_used;
	struct word *w;

	if (!scan_plain(p, PLAIN_SUB, PLAIN_QUOTED))
		return NULL;
	w = word_new(p, raw, mark);
	if (peek(p) != ']' || p->at == raw)
		return NULL;
	p->at++;
	return make_subscript(p, raw, (size_t)(p->at - 1 - raw), w);
}

/* ${# behind the #: a length, unless # is the parameter itself. False: wrong. */
static bool length_form(struct parser *p, struct param *param)
{
	const char *at = p->at = skip_cont(p, p->at);

	if (peek(p) == '}' || !braced_param(p, param)) {
		p->at = at;
		param->kind = PARAM_SPECIAL;
		param->special = '#';
		param->name = STR("#");
		return true;
	}
	if (param->kind == PARAM_NAME && peek(p) == '[') {
		param->sub = scan_subscript(p);
		if (!param->sub)
			return false;
	}
	p->at = skip_cont(p, p->at);
	param->op = PARAM_LENGTH;
	if (peek(p) == '}')
		return true;
	if (param->kind != PARAM_SPECIAL)
		return false;
	p->at = at; /* ${#-word}, ${#:-word}, ${#@Q}: an operation on $# */
	*param = (struct param){.kind = PARAM_SPECIAL,
	                        .special = '#',
	                        .flags = PARAM_BRACED,
	                        .off = param->off,
	                        .line = param->line,
	                        .name = STR("#")};
	return true;
}

/* ${! behind the !. */
static bool indirect_form(struct parser *p, struct param *param)
{
	char c = peek(p), second = peek_second(p);

	if (c == '}' || (c && strchr(":-", c) && second != '}') || (c && strchr("=+%/^,~", c)) || (c == '#' && !second)) {
		param->kind = PARAM_SPECIAL;
		param->special = '!';
		param->name = STR("!");
		return true;
	}
	param->flags |= PARAM_INDIRECT;
	if (!braced_param(p, param) || param->special == '!')
		return false;
	c = peek(p);
	second = peek_second(p);
	if (param->kind == PARAM_NAME && (c == '*' || c == '@') && second == '}') {
		p->at++;
		param->op = PARAM_PREFIX;
		param->flags = (uint8_t)(PARAM_BRACED | (c == '@' ? PARAM_AT : 0));
	}
	return true;
}

static bool subscript_form(struct parser *p, struct param *param)
{
	if (param->kind != PARAM_NAME || peek(p) != '[' || param->op != PARAM_PLAIN)
		return true;
	param->sub = scan_subscript(p);
	if (!param->sub)
		return false;
	if ((param->flags & PARAM_INDIRECT) && param->sub->kind != SUB_WORD && peek(p) == '}') {
		param->op = PARAM_KEYS;
		param->flags = PARAM_BRACED;
	}
	return true;
}

static bool whole_form(struct parser *p, struct param *param, bool quoted)
{
	p->at = skip_cont(p, p->at);
	if (peek(p) == '#' && !at_end(p)) {
		p->at++;
		if (!length_form(p, param))
			return false;
		/* ${#/} is nothing, ${#//} an operation on $#. */
		if (param->op != PARAM_LENGTH && peek(p) && strchr("/%+=", peek(p)) && peek_second(p) == '}')
			return false;
		return param->op == PARAM_LENGTH || operation(p, param, quoted);
	}
	if (peek(p) == '!') {
		p->at++;
		if (!indirect_form(p, param))
			return false;
	} else if (!braced_param(p, param)) {
		return false;
	}
	return subscript_form(p, param) &&
	       (param->op != PARAM_PLAIN || operation(p, param, quoted));
}

struct param *scan_braced(struct parser *p, bool quoted)
{
	const char *brace = p->at - 1;
	struct param *param = arena_zalloc(p->arena, sizeof(*param));
	size_t mark = p->scratch_used;

	if (!enter(p))
		return NULL;
	param->flags = PARAM_BRACED;
	param->off = offset_of(p, brace);
	param->line = line_of(p, brace);
	if ((!whole_form(p, param, quoted) || peek(p) != '}') && !p->failed) {
		param->kind = PARAM_BAD;
		param->op = PARAM_PLAIN;
		if (peek(p) != '}')
			operand(p, quoted);
	}
	leave(p);
	p->scratch_used = mark;
	if (p->failed)
		return NULL;
	if (at_end(p)) {
		fail_eof(p, brace, param->line, '}');
		return NULL;
	}
	p->at++;
	return param;
}

/* ---- Without braces ---------------------------------------------------------- */

bool dollar_means(const struct parser *p, bool outside)
{
	const char *at = skip_cont(p, p->at + 1);
	char c = at < p->limit ? *at : '\0';

	if (c == '\'' || c == '"')
		return outside;
	return c == '(' || c == '{' || c == '[' || (CLASS(c) & C_NAME) || is_special(c);
}

static bool plain_param(struct parser *p, const char *start, bool quoted)
{
	struct param *param = arena_zalloc(p->arena, sizeof(*param));
	struct part *part;

	param->off = offset_of(p, start);
	param->line = line_of(p, start);
	simple_param(p, param);
	part = part_push(p, PART_PARAM, start, quoted);
	part->raw_len = (uint32_t)(p->at - start);
	part->param = param;
	return true;
}

static bool braced(struct parser *p, const char *start, bool quoted)
{
	struct param *param;
	struct part *part;

	p->at++;
	param = scan_braced(p, quoted);
	if (!param)
		return false;
	part = part_push(p, PART_PARAM, start, quoted);
	part->raw_len = (uint32_t)(p->at - start);
	part->param = param;
	return true;
}

bool scan_dollar(struct parser *p, bool quoted)
{
	const char *start = p->at;

	p->at = skip_cont(p, start + 1);
	switch (*p->at) {
	case '(':
	case '[': return scan_substitution(p, start, quoted);
	case '{': return braced(p, start, quoted);
	case '\'': p->at = start; return scan_ansi(p);
	case '"': return scan_dquote(p, true);
	default: return plain_param(p, start, quoted);
	}
}

struct subscript *parser_subscript(struct parser *p)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;
	struct word *w;

	if (!scan_plain(p, PLAIN_TEXT, PLAIN_QUOTED))
		return NULL;
	w = word_new(p, raw, mark);
	return make_subscript(p, raw, (size_t)(p->at - raw), w);
}
