/* pattern_compile.c - shell patterns from text to elements. */
#include "pattern_parts.h"

#define GROUP_DEPTH_MAX 40

/* ---- Compiling -------------------------------------------------------------------- */

struct compiler {
	struct expander *x;
	struct pattern *pat;
	struct str t;
	size_t at;
	bool failed;
};

static uint32_t pattern_char(struct compiler *c, size_t *at)
{
	unsigned len;
	uint32_t r = char_at(c->pat, c->t, *at, &len);

	*at += len;
	return r;
}

static void set_add(struct compiler *c, struct set *s, uint32_t lo, uint32_t hi)
{
	struct range *r;

	for (uint32_t i = lo; i <= hi && i < 128; i++)
		s->ascii[i / 32] |= 1u << i % 32;
	if (hi < 128)
		return;
	r = u_array(c->x->p, s->nranges + (size_t)1, sizeof(*r));
	if (s->nranges)
		memcpy(r, s->ranges, s->nranges * sizeof(*r));
	r[s->nranges++] = (struct range){lo, hi};
	s->ranges = r;
}

/* POSIX's names of characters, for [.hyphen.]. */
static const struct {
	const char *name;
	uint8_t c;
} symbols[] = {
        {"NUL", 0},
        {"alert", 7},
        {"backspace", 8},
        {"tab", 9},
        {"newline", 10},
        {"vertical-tab", 11},
        {"form-feed", 12},
        {"carriage-return", 13},
        {"space", 32},
        {"exclamation-mark", 33},
        {"quotation-mark", 34},
        {"number-sign", 35},
        {"dollar-sign", 36},
        {"percent-sign", 37},
        {"ampersand", 38},
        {"apostrophe", 39},
        {"left-parenthesis", 40},
        {"right-parenthesis", 41},
        {"asterisk", 42},
        {"plus-sign", 43},
        {"comma", 44},
        {"hyphen", 45},
        {"hyphen-minus", 45},
        {"minus", 45},
        {"dash", 45},
        {"period", 46},
        {"full-stop", 46},
        {"slash", 47},
        {"solidus", 47},
        {"zero", 48},
        {"one", 49},
        {"two", 50},
        {"three", 51},
        {"four", 52},
        {"five", 53},
        {"six", 54},
        {"seven", 55},
        {"eight", 56},
        {"nine", 57},
        {"colon", 58},
        {"semicolon", 59},
        {"less-than-sign", 60},
        {"equals-sign", 61},
        {"greater-than-sign", 62},
        {"question-mark", 63},
        {"commercial-at", 64},
        {"left-square-bracket", 91},
        {"backslash", 92},
        {"reverse-solidus", 92},
        {"right-square-bracket", 93},
        {"circumflex", 94},
        {"circumflex-accent", 94},
        {"underscore", 95},
        {"grave-accent", 96},
        {"left-brace", 123},
        {"left-curly-bracket", 123},
        {"vertical-line", 124},
        {"right-brace", 125},
        {"right-curly-bracket", 125},
        {"tilde", 126},
        {"DEL", 127},
};

static uint32_t symbol(struct str name)
{
	for (size_t i = 0; i < COUNTOF(symbols); i++)
		if (str_is(name, symbols[i].name))
			return symbols[i].c;
	return UINT32_MAX;
}

/* [:name:], [=c=], [.c.] at *at (behind the inner bracket). False when it is none of them. */
static bool set_item(struct compiler *c, struct set *s, size_t *at, uint32_t *single)
{
	char kind = c->t.ptr[*at];
	size_t from = *at + 1, end = from;
	struct str name;
	int k;

	while (end + 1 < c->t.len && !(c->t.ptr[end] == kind && c->t.ptr[end + 1] == ']'))
		end++;
	if (end + 1 >= c->t.len)
		return false;
	name = (struct str){c->t.ptr + from, end - from};
	*at = end + 2;
	*single = UINT32_MAX;
	if (kind != ':') {
		/* One character, or the name of one. */
		if (name.len && char_len(c->pat, c->t, from) == name.len)
			*single = pattern_char(c, &from);
		else if (kind == '.')
			*single = symbol(name);
		return true;
	}
	if (str_is(name, "word")) {
		s->classes |= 1u << UTF8_ALNUM;
		set_add(c, s, '_', '_');
		k = UTF8_ALNUM;
	} else if (str_is(name, "ascii")) {
		set_add(c, s, 0, 127);
		return true;
	} else {
		k = utf8_class_named(name.ptr, name.len);
	}
	if (k < 0)
		return true; /* an unknown class matches nothing */
	if ((c->pat->flags & PATTERN_ICASE) && (k == UTF8_UPPER || k == UTF8_LOWER)) {
		s->exact |= 1u << k;
		return true;
	}
	s->classes |= 1u << k;
	for (uint32_t i = 0; i < 128; i++)
		if (utf8_is(i, (enum utf8_class)k))
			s->ascii[i / 32] |= 1u << i % 32;
	return true;
}

/* One end of a range; false at a class, which has none. */
static uint32_t set_char(struct compiler *c, struct set *s, size_t *at)
{
	uint32_t single;
	char ch = c->t.ptr[*at];

	if (ch == '[' && *at + 1 < c->t.len && memchr(":=.", c->t.ptr[*at + 1], 3)) {
		size_t in = *at + 1;

		if (set_item(c, s, &in, &single)) {
			*at = in;
			return single;
		}
	}
	if (ch == '\\' && *at + 1 < c->t.len)
		(*at)++;
	return pattern_char(c, at);
}

/* The bracket expression at c->at. False: not closed, the [ is plain. */
static bool compile_set(struct compiler *c, struct elem *e)
{
	struct set *s = u_zalloc(c->x->p, sizeof(*s));
	size_t at = c->at + 1;
	bool first = true;

	if (at < c->t.len && (c->t.ptr[at] == '!' || c->t.ptr[at] == '^')) {
		s->negate = true;
		at++;
	}
	for (;; first = false) {
		uint32_t lo, hi;

		if (at >= c->t.len)
			return false;
		if (c->t.ptr[at] == ']' && !first)
			break;
		lo = hi = set_char(c, s, &at);
		if (at + 1 < c->t.len && c->t.ptr[at] == '-' && c->t.ptr[at + 1] != ']') {
			at++;
			hi = set_char(c, s, &at);
		}
		if (lo != UINT32_MAX && hi != UINT32_MAX && lo <= hi)
			set_add(c, s, lo, hi);
	}
	c->at = at + 1;
	*e = (struct elem){.kind = E_SET, .set = s};
	return true;
}

static struct seq compile_seq(struct compiler *c, unsigned depth);

/* Where the group that opens at `at` (its parenthesis) is closed; 0: nowhere. */
static size_t group_end(struct str t, size_t at)
{
	unsigned depth = 0;

	for (size_t i = at; i < t.len; i++) {
		if (t.ptr[i] == '\\') {
			i++;
		} else if (t.ptr[i] == '[') {
			/* Step over a set, if it is one: its parentheses do not count. */
			size_t j = i + 1;

			if (j < t.len && (t.ptr[j] == '!' || t.ptr[j] == '^'))
				j++;
			if (j < t.len && t.ptr[j] == ']')
				j++;
			while (j < t.len && t.ptr[j] != ']') {
				if (t.ptr[j] == '\\')
					j++;
				else if (t.ptr[j] == '[' && j + 1 < t.len && t.ptr[j + 1] == ':') {
					const char *end = memmem(t.ptr + j, t.len - j, ":]", 2);

					if (end)
						j = (size_t)(end - t.ptr) + 1;
				}
				j++;
			}
			if (j < t.len)
				i = j;
		} else if (t.ptr[i] == '(') {
			depth++;
		} else if (t.ptr[i] == ')' && --depth == 0) {
			return i;
		}
	}
	return 0;
}

static void compile_group(struct compiler *c, struct elem *e, unsigned depth)
{
	struct seq *alts = NULL;
	uint32_t n = 0, cap = 0;

	*e = (struct elem){.kind = E_GROUP, .op = c->t.ptr[c->at]};
	c->at += 2;
	c->pat->extended = true;
	if (depth >= GROUP_DEPTH_MAX) {
		c->failed = true;
		c->at = c->t.len;
		return;
	}
	for (;;) {
		if (n == cap) {
			struct seq *more = u_array(c->x->p, cap = cap ? cap * 2 : 4, sizeof(*more));

			if (n)
				memcpy(more, alts, n * sizeof(*more));
			alts = more;
		}
		alts[n++] = compile_seq(c, depth + 1);
		if (c->at >= c->t.len || c->t.ptr[c->at] == ')')
			break;
		c->at++; /* | */
	}
	c->at++;
	e->alts = alts;
	e->nalts = n;
}

/* Up to the end, or inside a group to its | or ). */
static struct seq compile_seq(struct compiler *c, unsigned depth)
{
	struct seq seq = {NULL, 0};
	size_t cap = 0;

	while (c->at < c->t.len) {
		char ch = c->t.ptr[c->at];
		struct elem e = {.kind = E_BYTE};

		if (depth && (ch == '|' || ch == ')'))
			break;
		if ((c->pat->flags & PATTERN_EXTGLOB) && c->at + 1 < c->t.len &&
		    c->t.ptr[c->at + 1] == '(' && memchr("?*+@!", ch, 5) &&
		    group_end(c->t, c->at + 1)) {
			compile_group(c, &e, depth);
		} else if (ch == '*') {
			e.kind = E_STAR;
			c->at++;
			if (seq.n && seq.v[seq.n - 1].kind == E_STAR)
				continue;
		} else if (ch == '?') {
			e.kind = E_ANY;
			c->at++;
		} else if (ch == '[' && compile_set(c, &e)) {
			/* done */
		} else {
			size_t was;

			if (ch == '\\' && c->at + 1 < c->t.len)
				c->at++;
			was = c->at;
			e.c = (unsigned char)c->t.ptr[c->at++];
			if (c->pat->flags & PATTERN_ICASE) {
				uint32_t cp = pattern_char(c, &was);

				c->at = was;
				e.c = fold(cp);
				e.kind = E_CHAR;
			}
		}
		if (seq.n == cap) {
			struct elem *more;

			cap = cap ? cap * 2 : MIN(c->t.len, (size_t)16);
			more = u_array(c->x->p, cap, sizeof(*more));
			if (seq.n)
				memcpy(more, seq.v, seq.n * sizeof(*more));
			seq.v = more;
		}
		seq.v[seq.n++] = e;
	}
	return seq;
}

static void cut_runs(struct expander *x, struct pattern *pat)
{
	uint32_t n = 1, from = 0;

	for (uint32_t i = 0; i < pat->seq.n; i++)
		n += pat->seq.v[i].kind == E_STAR;
	pat->runs = u_array(x->p, n, sizeof(*pat->runs));
	for (uint32_t i = 0; i <= pat->seq.n; i++) {
		struct run *r = &pat->runs[pat->nruns];
		char *text;
		bool plain = true;

		if (i < pat->seq.n && pat->seq.v[i].kind != E_STAR)
			continue;
		*r = (struct run){.v = pat->seq.v + from, .n = i - from};
		for (uint32_t k = 0; k < r->n; k++)
			plain = plain && r->v[k].kind == E_BYTE;
		if (plain) {
			text = u_alloc(x->p, r->n + (size_t)1);
			for (uint32_t k = 0; k < r->n; k++)
				text[k] = (char)r->v[k].c;
			text[r->n] = '\0';
			r->text = text;
		}
		pat->nruns++;
		from = i + 1;
	}
}

/* Plain text, which most patterns are: one run and no elements. */
static bool compile_plain(struct expander *x, struct pattern *pat, struct str t)
{
	char *text;

	if (pat->flags & PATTERN_ICASE)
		return false;
	for (size_t i = 0; i < t.len; i++)
		if (t.ptr[i] == '*' || t.ptr[i] == '?' || t.ptr[i] == '[' || t.ptr[i] == '(' ||
		    (t.ptr[i] == '\\' && (i + 1 >= t.len || t.ptr[i + 1] == '\\' ||
		                          !ascii_punct((unsigned char)t.ptr[i + 1]))))
			return false;
		else if (t.ptr[i] == '\\')
			i++;
	text = u_alloc(x->p, t.len + 1);
	pat->runs = &pat->only;
	pat->nruns = 1;
	for (size_t i = 0; i < t.len; i++) {
		if (t.ptr[i] == '\\')
			i++;
		text[pat->only.n++] = t.ptr[i];
	}
	text[pat->only.n] = '\0';
	pat->only.text = text;
	return true;
}

const struct pattern *pattern_compile(struct expander *x, struct str text, unsigned flags)
{
	struct pattern *pat = u_zalloc(x->p, sizeof(*pat));
	struct compiler c = {.x = x, .pat = pat};

	if (text.len > UINT32_MAX / 2) {
		expand_fail(x, EXPAND_FAIL, "pattern too long");
		return NULL;
	}
	pat->flags = flags;
	if (compile_plain(x, pat, text))
		return pat;
	c.t = copy_str(x, text);
	pat->seq = compile_seq(&c, 0);
	if (c.failed) {
		expand_fail(x, EXPAND_FAIL, "pattern too deeply nested");
		return NULL;
	}
	if (!pat->extended)
		cut_runs(x, pat);
	return pat;
}

bool pattern_literal(const struct pattern *pat, struct str *text)
{
	if (pat->extended || pat->nruns != 1 || !pat->runs[0].text)
		return false;
	*text = (struct str){pat->runs[0].text, pat->runs[0].n};
	return true;
}
