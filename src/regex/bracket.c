/*
 * bracket.c - the parser's half that reads sets of characters: [...], . and \w.
 *
 * Inside brackets nothing is special but [: [. [= - ] and, in awk, the backslash; the
 * order of the checks is the C library's, so that the same mistakes give the same messages.
 */
#include "../base/utf8.h"
#include "parse.h"

static struct node *runes_node(struct parser *ps, struct runes *s)
{
	struct node *n = tree_runes(ps->tree, s);

	if (!n)
		parse_fail(ps, REGEX_ESIZE);
	return n;
}

struct node *parse_class(struct parser *ps, enum rune_kind kind, bool underscore, bool negate)
{
	struct runes s;

	runes_init(&s, ps->tree->arena, ps->flags & REGEX_UTF8);
	runes_add_kind(&s, kind);
	if (underscore)
		byteset_add(&s.ascii, '_');
	if (negate)
		runes_negate(&s);
	return runes_node(ps, &s);
}

struct node *parse_dot(struct parser *ps)
{
	struct runes s;

	runes_init(&s, ps->tree->arena, ps->flags & REGEX_UTF8);
	runes_negate(&s);
	if (!(ps->syn & SYN_DOT_NEWLINE))
		byteset_remove(&s.ascii, '\n');
	if (ps->syn & SYN_DOT_NOT_NUL)
		byteset_remove(&s.ascii, 0);
	return runes_node(ps, &s);
}

enum element_kind { ELEM_CHAR, ELEM_SYMBOL, ELEM_EQUIV, ELEM_CLASS };

struct element {
	enum element_kind kind;
	int32_t c; /* the character; -1 for bytes that are none */
	const unsigned char *name;
	size_t n;
};

/* What starts at ps->p in a bracket: a special token, or 0 for an ordinary character. */
static unsigned bracket_peek(const struct parser *ps)
{
	const unsigned char *p = ps->p;

	if (*p == '[' && p + 1 < ps->end &&
	    (p[1] == '.' || p[1] == '=' || (p[1] == ':' && ps->syn & SYN_CLASSES)))
		return p[1];
	return *p == ']' || *p == '-' ? *p : 0;
}

/* [.x.] [=x=] [:x:], ps->p after the opening pair. */
static bool bracket_symbol(struct parser *ps, unsigned delim, struct element *e)
{
	e->name = ps->p;
	for (e->n = 0;; e->n++) {
		unsigned char c;

		if (e->n >= 32 || ps->p == ps->end)
			return parse_fail(ps, REGEX_EBRACK);
		c = *ps->p++;
		if (ps->p == ps->end)
			return parse_fail(ps, REGEX_EBRACK);
		if (c == delim && *ps->p == ']')
			break;
	}
	ps->p++;
	e->kind = delim == ':' ? ELEM_CLASS : delim == '=' ? ELEM_EQUIV : ELEM_SYMBOL;
	e->c = e->n == 1 ? *e->name : -1;
	return true;
}

static bool bracket_element(struct parser *ps, struct element *e, bool hyphen_ok)
{
	unsigned special = bracket_peek(ps), len = 1;

	if (special == '.' || special == '=' || special == ':') {
		ps->p += 2;
		return bracket_symbol(ps, special, e);
	}
	e->kind = ELEM_CHAR;
	if (special == '-' && !hyphen_ok) {
		if (ps->p + 1 == ps->end || ps->p[1] != ']')
			return parse_fail(ps, REGEX_ERANGE);
	}
	if (*ps->p == '\\' && ps->syn & SYN_LIST_ESCAPES && ps->p + 1 < ps->end)
		ps->p++;
	e->c = *ps->p;
	if (ps->flags & REGEX_UTF8)
		e->c = rune_decode(ps->p, ps->end, &len);
	ps->p += len;
	return true;
}

static bool bracket_range(struct parser *ps, struct runes *s, const struct element *a,
                          const struct element *b)
{
	int32_t lo = a->c, hi = b->c;

	if (a->kind == ELEM_EQUIV || a->kind == ELEM_CLASS || b->kind == ELEM_EQUIV ||
	    b->kind == ELEM_CLASS)
		return parse_fail(ps, REGEX_ERANGE);
	if (lo < 0 || hi < 0)
		return parse_fail(ps, REGEX_ECOLLATE);
	if (ps->flags & REGEX_ICASE) {
		lo = ps->flags & REGEX_UTF8 ? (int32_t)utf8_toupper((uint32_t)lo)
		                            : ascii_toupper(lo);
		hi = ps->flags & REGEX_UTF8 ? (int32_t)utf8_toupper((uint32_t)hi)
		                            : ascii_toupper(hi);
	}
	if (lo > hi)
		return ps->syn & SYN_RANGE_ORDER ? parse_fail(ps, REGEX_ERANGE) : true;
	runes_add(s, (uint32_t)lo, (uint32_t)hi);
	return true;
}

static bool bracket_add(struct parser *ps, struct runes *s, const struct element *e)
{
	int kind;

	switch (e->kind) {
	case ELEM_CLASS:
		kind = rune_kind_named((const char *)e->name, e->n);
		if (kind < 0)
			return parse_fail(ps, REGEX_ECTYPE);
		if (ps->flags & REGEX_ICASE && (kind == RUNE_UPPER || kind == RUNE_LOWER))
			kind = RUNE_ALPHA;
		runes_add_kind(s, (enum rune_kind)kind);
		return true;
	case ELEM_EQUIV:
	case ELEM_SYMBOL:
		if (e->n != 1)
			return parse_fail(ps, REGEX_ECOLLATE);
		break;
	case ELEM_CHAR: break;
	}
	if (e->c >= 0) {
		uint32_t c = (uint32_t)e->c;

		if (ps->flags & REGEX_ICASE)
			c = ps->flags & REGEX_UTF8 ? utf8_toupper(c)
			                           : (uint32_t)ascii_toupper((int)c);
		runes_add(s, c, c);
	}
	return true;
}

/* [...], ps->p after the [. */
struct node *parse_bracket(struct parser *ps)
{
	struct runes s;
	struct element e, to;
	bool negate = false, first = true, colon, only_chars = true, other = false;

	runes_init(&s, ps->tree->arena, ps->flags & REGEX_UTF8);
	if (ps->p < ps->end && *ps->p == '^') {
		negate = true;
		ps->p++;
		if (ps->flags & REGEX_STOP)
			runes_add(&s, '\n', '\n');
	}
	if (ps->p == ps->end)
		return parse_fail(ps, REGEX_BADPAT), NULL;
	colon = *ps->p == ':';
	for (;; first = false) {
		bool is_range = false;

		if (ps->p == ps->end)
			return parse_fail(ps, REGEX_EBRACK), NULL;
		if (*ps->p == ']' && !first)
			break;
		if (!bracket_element(ps, &e, first))
			return NULL;
		if (e.kind == ELEM_CHAR || e.kind == ELEM_SYMBOL) {
			if (ps->p == ps->end)
				return parse_fail(ps, REGEX_EBRACK), NULL;
			if (*ps->p == '-') {
				if (ps->p + 1 == ps->end)
					return parse_fail(ps, REGEX_EBRACK), NULL;
				is_range = ps->p[1] != ']';
			}
		}
		if (is_range) {
			ps->p++;
			if (!bracket_element(ps, &to, true) || !bracket_range(ps, &s, &e, &to))
				return NULL;
			only_chars = false;
			continue;
		}
		if (!bracket_add(ps, &s, &e))
			return NULL;
		if (e.kind != ELEM_CHAR)
			only_chars = false;
		else if (e.c != ':')
			other = true;
	}
	if (colon && only_chars && other && ps->p[-1] == ':' && ps->syn & SYN_COLON_CHECK)
		ps->bad_colon = true;
	ps->p++;
	if (ps->flags & REGEX_ICASE)
		runes_fold(&s);
	if (negate)
		runes_negate(&s);
	return runes_node(ps, &s);
}
