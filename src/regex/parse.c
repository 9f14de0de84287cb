/*
 * parse.c - a pattern's text to a tree, for every dialect.
 *
 * The grammar is the one the dialect switches of syntax.h describe, decision by decision
 * as the C library takes them, because users meet the edge cases: a leading `*`, `a**`,
 * `\(^a\)`, `a{,2}`, an unmatched `)`. Open groups are a stack in the arena, not
 * recursion.
 */
#include "parse.h"

#define REPEAT_MAX 32767

bool parse_fail(struct parser *ps, enum regex_code code)
{
	if (!ps->code)
		ps->code = code;
	return false;
}

/* ---- Tokens ------------------------------------------------------------ */

static void escape(const struct parser *ps, struct token *t, unsigned char c)
{
	uint32_t syn = ps->syn;
	bool gnu = !(syn & SYN_NO_GNU);

	t->kind = TOK_CHAR;
	t->c = c;
	switch (c) {
	case '|':
		if (!(syn & (SYN_NO_OPS | SYN_BARE_BAR)))
			t->kind = TOK_BAR;
		break;
	case '+':
	case '?':
		if (!(syn & (SYN_NO_OPS | SYN_BARE_PLUS)))
			t->kind = c == '+' ? TOK_PLUS : TOK_QUESTION;
		break;
	case '(':
	case ')':
		if (!(syn & SYN_BARE_PARENS))
			t->kind = c == '(' ? TOK_OPEN : TOK_CLOSE;
		break;
	case '{':
	case '}':
		if (syn & SYN_BRACES && !(syn & SYN_BARE_BRACES))
			t->kind = c == '{' ? TOK_OPEN_BRACE : TOK_CLOSE_BRACE;
		break;
	case '1':
	case '2':
	case '3':
	case '4':
	case '5':
	case '6':
	case '7':
	case '8':
	case '9':
		if (!(syn & SYN_NO_BACKREFS))
			t->kind = TOK_BACKREF;
		break;
	case 'w':
	case 'W':
		if (gnu)
			t->kind = c == 'w' ? TOK_WORD : TOK_NO_WORD;
		break;
	case 's':
	case 'S':
		if (gnu)
			t->kind = c == 's' ? TOK_SPACE : TOK_NO_SPACE;
		break;
	case '<':
	case '>':
	case 'b':
	case 'B':
	case '`':
	case '\'':
		if (!gnu)
			break;
		t->kind = TOK_ASSERT;
		t->assertion = c == '<'   ? ASSERT_WORD_START
		               : c == '>' ? ASSERT_WORD_END
		               : c == 'b' ? ASSERT_EDGE
		               : c == 'B' ? ASSERT_NO_EDGE
		               : c == '`' ? ASSERT_TEXT_START
		                          : ASSERT_TEXT_END;
		break;
	default: break;
	}
}

/* `$` is an anchor at the end and before what ends a sequence. */
static bool ends_sequence(const struct parser *ps, const unsigned char *p)
{
	uint32_t syn = ps->syn;

	if (p == ps->end)
		return true;
	if (*p == '\\') {
		struct token t;

		if (p + 1 == ps->end)
			return false;
		escape(ps, &t, p[1]);
		return t.kind == TOK_BAR || t.kind == TOK_CLOSE;
	}
	return (*p == '\n' && syn & SYN_NEWLINE_BAR) ||
	       (*p == '|' && syn & SYN_BARE_BAR && !(syn & SYN_NO_OPS)) ||
	       (*p == ')' && syn & SYN_BARE_PARENS);
}

/* Reads a token. `caret` says that ^ is an anchor here in any dialect. */
static void advance(struct parser *ps, bool caret)
{
	struct token *t = &ps->tok;
	uint32_t syn = ps->syn;
	unsigned char c;

	t->at = ps->p;
	t->kind = TOK_END;
	t->c = 0;
	if (ps->p == ps->end)
		return;
	c = *ps->p++;
	t->c = c;
	t->kind = TOK_CHAR;
	switch (c) {
	case '\\':
		if (ps->p == ps->end) {
			t->kind = TOK_BACKSLASH;
			return;
		}
		t->at = ps->p++;
		escape(ps, t, *t->at);
		break;
	case '\n':
		if (syn & SYN_NEWLINE_BAR)
			t->kind = TOK_BAR;
		break;
	case '|':
		if (syn & SYN_BARE_BAR && !(syn & SYN_NO_OPS))
			t->kind = TOK_BAR;
		break;
	case '*': t->kind = TOK_STAR; break;
	case '+':
	case '?':
		if (syn & SYN_BARE_PLUS && !(syn & SYN_NO_OPS))
			t->kind = c == '+' ? TOK_PLUS : TOK_QUESTION;
		break;
	case '{':
	case '}':
		if (syn & SYN_BRACES && syn & SYN_BARE_BRACES)
			t->kind = c == '{' ? TOK_OPEN_BRACE : TOK_CLOSE_BRACE;
		break;
	case '(':
	case ')':
		if (syn & SYN_BARE_PARENS)
			t->kind = c == '(' ? TOK_OPEN : TOK_CLOSE;
		break;
	case '[': t->kind = TOK_BRACKET; break;
	case '.': t->kind = TOK_DOT; break;
	case '^':
		if (!(syn & SYN_ANCHOR_ANYWHERE) && !caret && t->at != ps->begin &&
		    !(syn & SYN_NEWLINE_BAR && t->at[-1] == '\n'))
			break;
		t->kind = TOK_ASSERT;
		t->assertion = ASSERT_LINE_START;
		break;
	case '$':
		if (!(syn & SYN_ANCHOR_ANYWHERE) && !ends_sequence(ps, ps->p))
			break;
		t->kind = TOK_ASSERT;
		t->assertion = ASSERT_LINE_END;
		break;
	default: break;
	}
}

/* ---- Repetition -------------------------------------------------------- */

/* The number in an interval: -1 none, -2 not a number; the token after it is current. */
static int number(struct parser *ps)
{
	int n = -1;

	for (;;) {
		advance(ps, false);
		if (ps->tok.kind == TOK_END)
			return -2;
		if (ps->tok.kind == TOK_CLOSE_BRACE || ps->tok.c == ',')
			return n;
		if (ps->tok.kind != TOK_CHAR || !ascii_digit(ps->tok.c) || n == -2)
			n = -2;
		else
			n = MIN(REPEAT_MAX + 1, (n < 0 ? 0 : n * 10) + ps->tok.c - '0');
	}
}

/* After an opening brace. *literal: it opens no interval and stands for itself. */
static bool interval(struct parser *ps, int *min, int *max, bool *literal)
{
	const unsigned char *after = ps->p;
	struct token brace = ps->tok;

	*literal = false;
	*max = 0;
	*min = number(ps);
	if (*min == -1) {
		if (ps->tok.kind != TOK_CHAR || ps->tok.c != ',')
			return parse_fail(ps, REGEX_BADBR);
		*min = 0;
	}
	if (*min != -2) {
		if (ps->tok.kind == TOK_CLOSE_BRACE)
			*max = *min;
		else if (ps->tok.kind == TOK_CHAR && ps->tok.c == ',')
			*max = number(ps);
		else
			*max = -2;
	}
	if (*min == -2 || *max == -2) {
		if (!(ps->syn & SYN_BAD_BRACE_LITERAL))
			return parse_fail(ps, ps->tok.kind == TOK_END ? REGEX_EBRACE : REGEX_BADBR);
		ps->p = after;
		ps->tok = brace;
		ps->tok.kind = TOK_CHAR;
		*literal = true;
		return true;
	}
	if ((*max != -1 && *min > *max) || ps->tok.kind != TOK_CLOSE_BRACE)
		return parse_fail(ps, REGEX_BADBR);
	if (MAX(*min, *max) > REPEAT_MAX)
		return parse_fail(ps, REGEX_ESIZE);
	return true;
}

static struct node *repeat(struct parser *ps, struct node *elem, int min, int max)
{
	struct node *r;

	if (elem->kind == NODE_EMPTY)
		return elem;
	if (min == 0 && max == 0)
		return tree_node(ps->tree, NODE_EMPTY);
	if (min == 1 && max == 1)
		return elem;
	/* x** and the like: one loop does */
	if (elem->kind == NODE_REPEAT && elem->max == -1 && elem->min <= 1 && min <= 1 &&
	    (max == -1 || max == 1)) {
		elem->min = MIN(elem->min, min);
		return elem;
	}
	r = tree_node(ps->tree, NODE_REPEAT);
	r->child = elem;
	r->min = min;
	r->max = max;
	return r;
}

/* The repetitions after elem; NULL on an error. */
static struct node *repeats(struct parser *ps, struct node *elem)
{
	for (;;) {
		int min = 0, max = -1;
		bool literal;

		switch (ps->tok.kind) {
		case TOK_STAR: break;
		case TOK_PLUS: min = 1; break;
		case TOK_QUESTION: max = 1; break;
		case TOK_OPEN_BRACE:
			if (!interval(ps, &min, &max, &literal))
				return NULL;
			if (literal)
				return elem;
			break;
		default: return elem;
		}
		advance(ps, false);
		elem = repeat(ps, elem, min, max);
		if (ps->syn & SYN_ONE_REPEAT &&
		    (ps->tok.kind == TOK_STAR || ps->tok.kind == TOK_OPEN_BRACE))
			return parse_fail(ps, REGEX_BADRPT), NULL;
	}
}

/* ---- Sequences, alternatives, groups ------------------------------------ */

static void open_level(struct parser *ps, uint32_t group)
{
	struct level *l = arena_zalloc(ps->tree->arena, sizeof(*l));

	l->up = ps->level;
	l->group = group;
	l->entry = ps->completed;
	ps->level = l;
}

static void append(struct parser *ps, struct node *n)
{
	if (n->kind != NODE_EMPTY)
		node_list_add(&ps->level->cat, n);
}

static void end_sequence(struct parser *ps)
{
	struct level *l = ps->level;

	node_list_add(&l->alts, node_list_wrap(ps->tree, &l->cat, NODE_CAT));
	l->cat = (struct node_list){0};
}

/* At a bar: the next alternative may not refer to the groups of this one. */
static void next_alternative(struct parser *ps)
{
	struct level *l = ps->level;

	end_sequence(ps);
	l->before |= ps->completed;
	ps->completed = l->entry;
	advance(ps, true);
}

/* The innermost level's node; the level is left. */
static struct node *close_level(struct parser *ps)
{
	struct level *l = ps->level;
	struct node *n, *g;

	end_sequence(ps);
	ps->completed |= l->before;
	n = node_list_wrap(ps->tree, &l->alts, NODE_ALT);
	ps->level = l->up;
	if (!l->up)
		return n;
	if (l->group - ps->base <= 9)
		ps->completed |= 1u << (l->group - ps->base);
	g = tree_node(ps->tree, NODE_GROUP);
	g->child = n;
	g->group = l->group;
	return g;
}

static void warn(struct parser *ps, const char *text)
{
	struct tree *t = ps->tree;

	if (!(ps->flags & REGEX_WARN) || !(ps->syn & SYN_WARN_LEADING))
		return;
	if (t->nwarnings == t->warnings_cap) {
		size_t cap = t->warnings_cap ? t->warnings_cap * 2 : 4;

		t->warnings = arena_grow(t->arena, t->warnings, t->nwarnings * sizeof(*t->warnings),
		                         cap * sizeof(*t->warnings));
		t->warnings_cap = cap;
	}
	t->warnings[t->nwarnings++] = (struct regex_warning){text, ps->number};
}

/* A repetition with nothing before it: skipped, wrong or literal. True when skipped. */
static bool skip_repeat(struct parser *ps)
{
	enum token_kind kind = ps->tok.kind;

	if (kind == TOK_OPEN_BRACE && ps->syn & SYN_ONE_REPEAT)
		return parse_fail(ps, REGEX_BADRPT);
	if (ps->syn & SYN_OPS_MUST_FOLLOW && !(ps->syn & SYN_ONE_REPEAT))
		return parse_fail(ps, REGEX_BADRPT);
	if (!(ps->syn & SYN_OPS_ANYWHERE))
		return false;
	if (ps->at_start)
		warn(ps, kind == TOK_STAR       ? "* at start of expression"
		         : kind == TOK_PLUS     ? "+ at start of expression"
		         : kind == TOK_QUESTION ? "? at start of expression"
		                                : "{...} at start of expression");
	advance(ps, false);
	return true;
}

static struct node *literal(struct parser *ps)
{
	unsigned len;
	struct node *n = tree_char(ps->tree, ps->tok.at, ps->end, ps->flags, &len);

	ps->p = ps->tok.at + len;
	if (!n)
		parse_fail(ps, REGEX_ESIZE);
	return n;
}

static struct node *backref(struct parser *ps)
{
	unsigned k = ps->tok.c - '0';
	struct node *n;

	if (!(ps->completed & 1u << k))
		return parse_fail(ps, REGEX_ESUBREG), NULL;
	n = tree_node(ps->tree, NODE_BACKREF);
	n->group = ps->base + k;
	ps->tree->has_backrefs = true;
	return n;
}

/* One element with its repetitions, or the opening of a group, or what is skipped.
 * False on an error. */
static bool expression(struct parser *ps)
{
	struct node *n = NULL;

	while (ps->tok.kind == TOK_STAR || ps->tok.kind == TOK_PLUS ||
	       ps->tok.kind == TOK_QUESTION || ps->tok.kind == TOK_OPEN_BRACE) {
		if (!skip_repeat(ps))
			break;
		/* nothing was to be repeated: what follows is an element, come what may */
		if (ps->tok.kind == TOK_BAR || ps->tok.kind == TOK_END)
			return true;
	}
	if (ps->code)
		return false;
	switch (ps->tok.kind) {
	case TOK_OPEN:
		open_level(ps, ++ps->tree->groups);
		ps->depth++;
		ps->at_start = true;
		advance(ps, true);
		return true;
	case TOK_ASSERT: /* takes no repetition */
		append(ps, tree_assert(ps->tree, ps->tok.assertion));
		advance(ps, false);
		return true;
	case TOK_CLOSE:
		if (!(ps->syn & SYN_CLOSE_LITERAL))
			return parse_fail(ps, REGEX_ERPAREN);
		n = literal(ps);
		break;
	case TOK_BRACKET: n = parse_bracket(ps); break;
	case TOK_DOT: n = parse_dot(ps); break;
	case TOK_WORD: n = parse_class(ps, RUNE_ALNUM, true, false); break;
	case TOK_NO_WORD: n = parse_class(ps, RUNE_ALNUM, true, true); break;
	case TOK_SPACE: n = parse_class(ps, RUNE_SPACE, false, false); break;
	case TOK_NO_SPACE: n = parse_class(ps, RUNE_SPACE, false, true); break;
	case TOK_BACKREF: n = backref(ps); break;
	case TOK_BACKSLASH: return parse_fail(ps, REGEX_EESCAPE);
	case TOK_BAR:
	case TOK_END: return true;
	case TOK_CHAR:
	case TOK_STAR:
	case TOK_PLUS:
	case TOK_QUESTION:
	case TOK_OPEN_BRACE:
	case TOK_CLOSE_BRACE: n = literal(ps); break;
	}
	if (!n)
		return false;
	ps->at_start = false;
	advance(ps, false);
	n = repeats(ps, n);
	if (!n)
		return false;
	append(ps, n);
	return true;
}

static struct node *parse(struct parser *ps)
{
	struct node *n;

	open_level(ps, 0);
	advance(ps, true);
	for (;;) {
		if (ps->tok.kind == TOK_BAR) {
			next_alternative(ps);
			ps->at_start = true;
		} else if (ps->tok.kind == TOK_CLOSE && ps->depth) {
			ps->depth--;
			n = close_level(ps);
			ps->at_start = false;
			advance(ps, false);
			n = repeats(ps, n);
			if (!n)
				return NULL;
			append(ps, n);
		} else if (ps->tok.kind == TOK_END) {
			break;
		} else if (!expression(ps)) {
			return NULL;
		}
	}
	if (ps->depth)
		return parse_fail(ps, REGEX_EPAREN), NULL;
	n = close_level(ps);
	return ps->bad_colon ? (parse_fail(ps, REGEX_ECLASS), NULL) : n;
}

static struct node *parse_literal(struct parser *ps)
{
	struct node_list all = {0};

	while (ps->p < ps->end) {
		unsigned len;
		struct node *n = tree_char(ps->tree, ps->p, ps->end, ps->flags, &len);

		if (!n)
			return parse_fail(ps, REGEX_ESIZE), NULL;
		node_list_add(&all, n);
		ps->p += len;
	}
	return node_list_wrap(ps->tree, &all, NODE_CAT);
}

struct node *tree_parse(struct tree *t, const char *pattern, size_t n, unsigned flags,
                        size_t number, enum regex_code *code)
{
	struct parser ps = {
	        .tree = t,
	        .begin = (const unsigned char *)pattern,
	        .p = (const unsigned char *)pattern,
	        .end = (const unsigned char *)pattern + n,
	        .flags = flags,
	        .syn = syntax_of(flags),
	        .base = t->groups,
	        .number = number,
	        .at_start = true,
	};
	struct node *r = (flags & REGEX_DIALECT) == REGEX_LITERAL ? parse_literal(&ps) : parse(&ps);

	*code = ps.code;
	return ps.code ? NULL : r;
}
