/*
 * parse.c - a pattern's text to a tree, for every dialect.
 *
 * The grammar is the one the dialect switches of syntax.h describe, decision by decision
 * as the C library takes them, because users meet the edge cases: a leading `*`, `a**`,
 * `\(^a\)`, `a{,2}`, an unmatched `)`. Open groups are a stack in the arena, not
 * recursion.
 */
#include "syntax.h"
#include "tree.h"

#define REPEAT_MAX 32767

enum token_kind {
	TOK_END,
	TOK_CHAR,
	TOK_BAR,
	TOK_STAR,
	TOK_PLUS,
	TOK_QUESTION,
	TOK_OPEN_BRACE,
	TOK_CLOSE_BRACE,
	TOK_OPEN,
	TOK_CLOSE,
	TOK_BRACKET,
	TOK_DOT,
	TOK_ASSERT,
	TOK_BACKREF,
	TOK_WORD,
	TOK_NO_WORD,
	TOK_SPACE,
	TOK_NO_SPACE,
	TOK_BACKSLASH
};

struct token {
	enum token_kind kind;
	unsigned char c;	  /* the byte, the escaped one after a backslash */
	enum assertion assertion; /* of TOK_ASSERT */
	const unsigned char *at;  /* where the character itself is */
};

/* An open group, or the whole pattern. */
struct level {
	struct level *up;
	struct node_list alts; /* alternatives that are complete */
	struct node_list cat;  /* the sequence being read */
	uint32_t group;
	/* Groups that back-references may name: on entry, and from the alternatives before. */
	uint32_t entry, before;
};

struct parser {
	struct tree *tree;
	const unsigned char *begin, *p, *end;
	unsigned flags;
	uint32_t syn;
	struct token tok;
	struct level *level;
	unsigned depth;
	uint32_t base;	    /* groups of the patterns before this one */
	uint32_t completed; /* bits of this pattern's groups 1-9 that are closed */
	size_t number;	    /* of the pattern */
	bool at_start;	    /* as grep's warnings see it */
	bool bad_colon;
	enum regex_code code;
};

static bool fail(struct parser *ps, enum regex_code code)
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
	case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		if (!(syn & SYN_NO_BACKREFS))
			t->kind = TOK_BACKREF;
		break;
	case 'w': case 'W':
		if (gnu)
			t->kind = c == 'w' ? TOK_WORD : TOK_NO_WORD;
		break;
	case 's': case 'S':
		if (gnu)
			t->kind = c == 's' ? TOK_SPACE : TOK_NO_SPACE;
		break;
	case '<': case '>': case 'b': case 'B': case '`': case '\'':
		if (!gnu)
			break;
		t->kind = TOK_ASSERT;
		t->assertion = c == '<'	  ? ASSERT_WORD_START
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

/* ---- Sets of characters ------------------------------------------------ */

static struct node *runes_node(struct parser *ps, struct runes *s)
{
	struct node *n = tree_runes(ps->tree, s);

	if (!n)
		fail(ps, REGEX_ESIZE);
	return n;
}

static struct node *class_node(struct parser *ps, enum rune_kind kind, bool underscore, bool negate)
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

static struct node *dot(struct parser *ps)
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
			return fail(ps, REGEX_EBRACK);
		c = *ps->p++;
		if (ps->p == ps->end)
			return fail(ps, REGEX_EBRACK);
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
			return fail(ps, REGEX_ERANGE);
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
		return fail(ps, REGEX_ERANGE);
	if (lo < 0 || hi < 0)
		return fail(ps, REGEX_ECOLLATE);
	if (ps->flags & REGEX_ICASE) {
		lo = ps->flags & REGEX_UTF8 ? (int32_t)rune_upper((uint32_t)lo) : ascii_toupper(lo);
		hi = ps->flags & REGEX_UTF8 ? (int32_t)rune_upper((uint32_t)hi) : ascii_toupper(hi);
	}
	if (lo > hi)
		return ps->syn & SYN_RANGE_ORDER ? fail(ps, REGEX_ERANGE) : true;
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
			return fail(ps, REGEX_ECTYPE);
		if (ps->flags & REGEX_ICASE && (kind == RUNE_UPPER || kind == RUNE_LOWER))
			kind = RUNE_ALPHA;
		runes_add_kind(s, (enum rune_kind)kind);
		return true;
	case ELEM_EQUIV:
	case ELEM_SYMBOL:
		if (e->n != 1)
			return fail(ps, REGEX_ECOLLATE);
		break;
	case ELEM_CHAR: break;
	}
	if (e->c >= 0) {
		uint32_t c = (uint32_t)e->c;

		if (ps->flags & REGEX_ICASE)
			c = ps->flags & REGEX_UTF8 ? rune_upper(c) : (uint32_t)ascii_toupper((int)c);
		runes_add(s, c, c);
	}
	return true;
}

/* [...], ps->p after the [. */
static struct node *bracket(struct parser *ps)
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
		return fail(ps, REGEX_BADPAT), NULL;
	colon = *ps->p == ':';
	for (;; first = false) {
		bool is_range = false;

		if (ps->p == ps->end)
			return fail(ps, REGEX_EBRACK), NULL;
		if (*ps->p == ']' && !first)
			break;
		if (!bracket_element(ps, &e, first))
			return NULL;
		if (e.kind == ELEM_CHAR || e.kind == ELEM_SYMBOL) {
			if (ps->p == ps->end)
				return fail(ps, REGEX_EBRACK), NULL;
			if (*ps->p == '-') {
				if (ps->p + 1 == ps->end)
					return fail(ps, REGEX_EBRACK), NULL;
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
			return fail(ps, REGEX_BADBR);
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
			return fail(ps, ps->tok.kind == TOK_END ? REGEX_EBRACE : REGEX_BADBR);
		ps->p = after;
		ps->tok = brace;
		ps->tok.kind = TOK_CHAR;
		*literal = true;
		return true;
	}
	if ((*max != -1 && *min > *max) || ps->tok.kind != TOK_CLOSE_BRACE)
		return fail(ps, REGEX_BADBR);
	if (MAX(*min, *max) > REPEAT_MAX)
		return fail(ps, REGEX_ESIZE);
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
			return fail(ps, REGEX_BADRPT), NULL;
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
		return fail(ps, REGEX_BADRPT);
	if (ps->syn & SYN_OPS_MUST_FOLLOW && !(ps->syn & SYN_ONE_REPEAT))
		return fail(ps, REGEX_BADRPT);
	if (!(ps->syn & SYN_OPS_ANYWHERE))
		return false;
	if (ps->at_start)
		warn(ps, kind == TOK_STAR	? "* at start of expression"
			 : kind == TOK_PLUS	? "+ at start of expression"
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
		fail(ps, REGEX_ESIZE);
	return n;
}

static struct node *backref(struct parser *ps)
{
	unsigned k = ps->tok.c - '0';
	struct node *n;

	if (!(ps->completed & 1u << k))
		return fail(ps, REGEX_ESUBREG), NULL;
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

	while (ps->tok.kind == TOK_STAR || ps->tok.kind == TOK_PLUS || ps->tok.kind == TOK_QUESTION ||
	       ps->tok.kind == TOK_OPEN_BRACE) {
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
			return fail(ps, REGEX_ERPAREN);
		n = literal(ps);
		break;
	case TOK_BRACKET: n = bracket(ps); break;
	case TOK_DOT: n = dot(ps); break;
	case TOK_WORD: n = class_node(ps, RUNE_ALNUM, true, false); break;
	case TOK_NO_WORD: n = class_node(ps, RUNE_ALNUM, true, true); break;
	case TOK_SPACE: n = class_node(ps, RUNE_SPACE, false, false); break;
	case TOK_NO_SPACE: n = class_node(ps, RUNE_SPACE, false, true); break;
	case TOK_BACKREF: n = backref(ps); break;
	case TOK_BACKSLASH: return fail(ps, REGEX_EESCAPE);
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
		return fail(ps, REGEX_EPAREN), NULL;
	n = close_level(ps);
	return ps->bad_colon ? (fail(ps, REGEX_ECLASS), NULL) : n;
}

static struct node *parse_literal(struct parser *ps)
{
	struct node_list all = {0};

	while (ps->p < ps->end) {
		unsigned len;
		struct node *n = tree_char(ps->tree, ps->p, ps->end, ps->flags, &len);

		if (!n)
			return fail(ps, REGEX_ESIZE), NULL;
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
