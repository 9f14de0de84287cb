/*
 * quoted.c - text with the quoting rules of double quotes, read into parts.
 *
 * "…" itself, operands inside it, here-document bodies and arithmetic all share the rules: $
 * and ` expand, a backslash quotes only a few characters, nothing splits. They differ in what
 * ends them and in the meaning of quote characters.
 *
 * A single quote inside "${x:-…}" is odd: it is kept as text and what it encloses expands,
 * yet a } between two of them does not end the operand, and a " there pairs with none.
 * `guarded` is the end of such a pair.
 */
#include "syntax.h"

/* Characters besides " \ ` $ that a mode looks at. */
static const char *const mode_chars[] = {
        [QUOTED_DQ] = "",       [QUOTED_OPERAND] = "}'",     [QUOTED_BODY] = "",
        [QUOTED_ARITH] = "()'", [QUOTED_SLICE] = ":}?()[]'", [QUOTED_BRACKET] = "[]'",
        [QUOTED_FOR] = "()';",
};

struct nesting {
	uint32_t depth;   /* of ( or [ */
	uint32_t ternary; /* ? still waiting for its : */
	const char *guarded;
};

static void scan_backslash(struct parser *p, enum quoted_mode mode)
{
	const char *at = p->at;
	char c;

	if (at + 1 == p->limit) {
		lit_add(p, at, 1);
		p->at++;
		return;
	}
	c = at[1];
	p->at += 2;
	if (c == '\n')
		return;
	if (c == '$' || c == '`' || c == '\\' || (c == '"' && mode != QUOTED_BODY) ||
	    (c == '}' && mode == QUOTED_OPERAND))
		lit_add(p, at + 1, 1);
	else
		lit_add(p, at, 2);
}

/* A " inside an operand or an expression: only toggles. */
static bool scan_inner_dquote(struct parser *p)
{
	const char *open = p->at++;

	if (!enter(p) || !scan_quoted(p, QUOTED_DQ))
		return false;
	leave(p);
	if (p->at == p->limit) {
		fail_eof(p, open, line_of(p, open), '"');
		return false;
	}
	p->at++;
	return true;
}

/* A ' in an operand or an expression. */
static bool scan_inner_squote(struct parser *p, enum quoted_mode mode, struct nesting *n)
{
	const char *close;

	if (mode == QUOTED_OPERAND && (p->flags & PARSE_POSIX))
		n->guarded = p->at;
	if (n->guarded && p->at <= n->guarded) {
		lit_add(p, p->at++, 1);
		return true;
	}
	close = memchr(p->at + 1, '\'', (size_t)(p->limit - p->at - 1));
	if (!close) {
		fail_eof(p, p->at, line_of(p, p->at), '\'');
		return false;
	}
	if (mode == QUOTED_OPERAND) {
		n->guarded = close;
		lit_add(p, p->at++, 1);
		return true;
	}
	lit_add(p, p->at, (size_t)(close + 1 - p->at));
	p->at = close + 1;
	return true;
}

/* One of the mode's own characters: true when it ends the text. */
static bool ends_here(struct parser *p, enum quoted_mode mode, struct nesting *n)
{
	switch (*p->at) {
	case '}': return !(mode == QUOTED_OPERAND && n->guarded && p->at < n->guarded);
	case '(':
	case '[': n->depth++; return false;
	case ')':
	case ']':
		if (!n->depth)
			return mode != QUOTED_SLICE;
		n->depth--;
		return false;
	case ';': return !n->depth;
	case '?': n->ternary++; return false;
	case ':':
		if (n->depth)
			return false;
		if (!n->ternary)
			return true;
		n->ternary--;
		return false;
	default: return false;
	}
}

bool scan_quoted(struct parser *p, enum quoted_mode mode)
{
	struct nesting n = {0};
	const char *chars = mode_chars[mode];

	for (;;) {
		const char *at = p->at;

		if (!*chars)
			while (at < p->limit && !(CLASS(*at) & C_DQ))
				at++;
		else
			while (at < p->limit && !(CLASS(*at) & C_DQ) && !strchr(chars, *at))
				at++;
		if (at > p->at)
			lit_add(p, p->at, (size_t)(at - p->at));
		p->at = at;
		if (at == p->limit)
			break;
		if (*at == '\\') {
			scan_backslash(p, mode);
		} else if (*at == '"') {
			if (mode == QUOTED_DQ)
				break;
			if (mode == QUOTED_BODY)
				lit_add(p, p->at++, 1);
			else if (n.guarded && p->at < n.guarded)
				p->at++;
			else if (!scan_inner_dquote(p))
				return false;
		} else if (*at == '`') {
			lit_flush(p, true);
			if (!scan_backquote(p, true, mode != QUOTED_BODY))
				return false;
		} else if (*at == '$') {
			if (!dollar_means(p, mode == QUOTED_OPERAND)) {
				lit_add(p, p->at++, 1);
				continue;
			}
			lit_flush(p, true);
			if (!scan_dollar(p, true))
				return false;
		} else if (*at == '\'') {
			if (!scan_inner_squote(p, mode, &n))
				return false;
		} else if (ends_here(p, mode, &n)) {
			break;
		} else {
			lit_add(p, p->at++, 1);
		}
	}
	lit_flush(p, true);
	return true;
}

bool scan_dquote(struct parser *p, bool locale)
{
	const char *open = p->at++;
	size_t mark = p->scratch_used, n;
	struct part *parts;

	if (!enter(p) || !scan_quoted(p, QUOTED_DQ))
		return false;
	leave(p);
	if (p->at == p->limit) {
		fail_eof(p, open, line_of(p, open), '"');
		return false;
	}
	if (p->scratch_used == mark)
		part_text(p, p->at, 0, STR(""), 0);
	p->at++;
	n = (p->scratch_used - mark) / sizeof(*parts);
	parts = (struct part *)(void *)(p->scratch + mark);
	parts[0].flags |= PART_DQ_FIRST;
	parts[n - 1].flags |= PART_DQ_LAST;
	for (size_t i = 0; locale && i < n; i++)
		parts[i].flags |= PART_LOCALE;
	return true;
}

struct word *parser_dquoted(struct parser *p)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;

	if (!scan_quoted(p, QUOTED_BODY))
		return NULL;
	return word_new(p, raw, mark);
}
