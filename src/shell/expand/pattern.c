/* pattern.c - shell patterns: * ? [ ] and the extended ?( *( +( @( !( operators.
 *
 * A pattern becomes a row of elements. Without extended operators every element but * takes
 * one character, so the row is a list of fixed runs between stars, and matching is finding
 * the runs one after the other, from the left or from the right: no backtracking, whatever
 * the pattern. With them, matching works on sets of positions: an element maps the set of
 * places where it may start to the set of places where it may end. That is polynomial for
 * all operators, !( ) included. */
#include "pattern.h"
#include "build.h"

#define GROUP_DEPTH_MAX 40

enum elem_kind {
	E_BYTE,		/* this byte */
	E_CHAR,		/* this character, ignoring case */
	E_ANY,
	E_SET,
	E_STAR,
	E_GROUP,
};

struct range {
	uint32_t lo, hi;
};

struct set {
	uint32_t ascii[4];	/* classes and ranges below 128 */
	bool negate;
	uint32_t classes;	/* bits of enum utf8_class, for the rest */
	uint32_t nranges;
	struct range *ranges;
};

struct seq {
	struct elem *v;
	uint32_t n;
};

struct elem {
	uint8_t kind;
	char op;		/* E_GROUP: ? * + @ ! */
	uint32_t c;
	union {
		struct set *set;
		struct {
			struct seq *alts;
			uint32_t nalts;
		};
	};
};

/* Elements between two stars. */
struct run {
	const struct elem *v;
	uint32_t n;
	const char *text;	/* all E_BYTE: the bytes */
};

struct pattern {
	unsigned flags;
	bool extended;
	struct seq seq;
	struct run *runs;	/* not extended */
	uint32_t nruns;
	struct run only;	/* of plain text */
};

/* ---- Characters ------------------------------------------------------------------ */

/* A byte that is no character, so that it is equal to itself only. */
#define BAD_BYTE 0x110000u

static inline uint32_t char_at(const struct pattern *pat, struct str s, size_t at, unsigned *len)
{
	unsigned char c = (unsigned char)s.ptr[at];
	uint32_t r;

	*len = 1;
	if (LIKELY(c < 0x80) || (pat->flags & PATTERN_BYTES))
		return c;
	r = utf8_decode(s.ptr + at, s.len - at, len);
	return r == UTF8_BAD ? BAD_BYTE + c : r;
}

static inline size_t char_len(const struct pattern *pat, struct str s, size_t at)
{
	unsigned len;

	(void)char_at(pat, s, at, &len);
	return len;
}

/* Length of the character that ends at `at` (> lo). */
static size_t char_len_back(const struct pattern *pat, struct str s, size_t at, size_t lo)
{
	size_t n = 1;

	if ((unsigned char)s.ptr[at - 1] < 0x80 || (pat->flags & PATTERN_BYTES))
		return 1;
	while (n < 4 && at - n > lo && ((unsigned char)s.ptr[at - n] & 0xc0) == 0x80)
		n++;
	return char_len(pat, s, at - n) == n ? n : 1;
}

static uint32_t fold(uint32_t c)
{
	if (c < 0x80)
		return (uint32_t)ascii_tolower((int)c);
	return c < BAD_BYTE ? utf8_tolower(c) : c;
}

static bool set_has_one(const struct set *s, uint32_t c)
{
	if (c < 128)
		return (s->ascii[c / 32] >> c % 32 & 1) != 0;
	for (uint32_t i = 0; i < s->nranges; i++)
		if (c >= s->ranges[i].lo && c <= s->ranges[i].hi)
			return true;
	for (unsigned k = 0; s->classes >> k && c < BAD_BYTE; k++)
		if ((s->classes >> k & 1) && utf8_is(c, (enum utf8_class)k))
			return true;
	return false;
}

static bool set_has(const struct pattern *pat, const struct set *s, uint32_t c)
{
	bool in = set_has_one(s, c);

	if (!in && (pat->flags & PATTERN_ICASE) && c < BAD_BYTE) {
		uint32_t lower = fold(c), upper = c < 0x80 ? (uint32_t)ascii_toupper((int)c) : utf8_toupper(c);

		in = (lower != c && set_has_one(s, lower)) || (upper != c && set_has_one(s, upper));
	}
	return in != s->negate;
}

/* One element of one character at `at`: bytes taken, or 0. */
static inline size_t elem_at(const struct pattern *pat, const struct elem *e, struct str s, size_t at)
{
	unsigned len;
	uint32_t c;

	if (at >= s.len)
		return 0;
	if (LIKELY(e->kind == E_BYTE))
		return (unsigned char)s.ptr[at] == e->c;
	c = char_at(pat, s, at, &len);
	if (e->kind == E_ANY)
		return len;
	if (e->kind == E_CHAR)
		return fold(c) == e->c ? len : 0;
	return set_has(pat, e->set, c) ? len : 0;
}

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
		/* A name of one character; bash knows no others in this locale. */
		if (name.len && char_len(c->pat, c->t, from) == name.len)
			*single = pattern_char(c, &from);
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
		if ((c->pat->flags & PATTERN_EXTGLOB) && c->at + 1 < c->t.len && c->t.ptr[c->at + 1] == '(' &&
		    memchr("?*+@!", ch, 5) && group_end(c->t, c->at + 1)) {
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
		    (t.ptr[i] == '\\' && (i + 1 >= t.len || t.ptr[i + 1] == '\\' || !ascii_punct((unsigned char)t.ptr[i + 1]))))
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

/* ---- Runs --------------------------------------------------------------------------- */

#define NONE SIZE_MAX

/* The run at `at`: its end, or NONE. */
static size_t run_at(const struct pattern *pat, const struct run *r, struct str s, size_t at)
{
	if (r->text)
		return s.len - at >= r->n && memcmp(s.ptr + at, r->text, r->n) == 0 ? at + r->n : NONE;
	for (uint32_t i = 0; i < r->n; i++) {
		size_t len = elem_at(pat, &r->v[i], s, at);

		if (!len)
			return NONE;
		at += len;
	}
	return at;
}

/* The run ending at `end`, not beginning before lo: its start, or NONE. */
static size_t run_back(const struct pattern *pat, const struct run *r, struct str s, size_t end, size_t lo)
{
	if (r->text)
		return end - lo >= r->n && memcmp(s.ptr + end - r->n, r->text, r->n) == 0 ? end - r->n : NONE;
	for (uint32_t i = r->n; i-- > 0;) {
		size_t len;

		if (end <= lo)
			return NONE;
		len = r->v[i].kind == E_BYTE ? 1 : char_len_back(pat, s, end, lo);
		if (elem_at(pat, &r->v[i], s, end - len) != len)
			return NONE;
		end -= len;
	}
	return end;
}

/* The leftmost place of the run in [from, limit]: its start, end in *end. */
static size_t run_find(struct expander *x, const struct pattern *pat, const struct run *r, struct str s, size_t from,
		       size_t limit, size_t *end)
{
	if (r->n == 0) {
		*end = from;
		return from;
	}
	if (r->text) {
		const char *hit = memmem(s.ptr + from, limit - from, r->text, r->n);

		if (!hit)
			return NONE;
		*end = (size_t)(hit - s.ptr) + r->n;
		return (size_t)(hit - s.ptr);
	}
	s.len = limit;
	for (size_t at = from; at < limit; at += char_len(pat, s, at)) {
		size_t e = run_at(pat, r, s, at);

		sys_checkpoint(x->p);
		if (e != NONE) {
			*end = e;
			return at;
		}
	}
	return NONE;
}

/* The rightmost place of the run in [lo, hi]: its start, end in *end. */
static size_t run_find_back(struct expander *x, const struct pattern *pat, const struct run *r, struct str s, size_t lo,
			    size_t hi, size_t *end)
{
	size_t at = hi;

	for (;;) {
		size_t start = run_back(pat, r, s, at, lo);

		sys_checkpoint(x->p);
		if (start != NONE) {
			*end = at;
			return start;
		}
		if (at <= lo)
			return NONE;
		at -= char_len_back(pat, s, at, lo);
	}
}

/* Places runs 1 … n-2 from the left, behind `at`. Where the next may begin, or NONE. */
static size_t middle_runs(struct expander *x, const struct pattern *pat, struct str s, size_t at, size_t limit)
{
	for (uint32_t i = 1; i + 1 < pat->nruns; i++)
		if (run_find(x, pat, &pat->runs[i], s, at, limit, &at) == NONE)
			return NONE;
	return at;
}

/* The end of the longest or shortest match whose first run ended at `at`. */
static size_t runs_after(struct expander *x, const struct pattern *pat, struct str s, size_t at, bool longest)
{
	const struct run *last = &pat->runs[pat->nruns - 1];
	size_t end;

	if (pat->nruns == 1)
		return at;
	at = middle_runs(x, pat, s, at, s.len);
	if (at == NONE)
		return NONE;
	if (last->n == 0)
		return longest ? s.len : at;
	if (longest)
		return run_find_back(x, pat, last, s, at, s.len, &end) == NONE ? NONE : end;
	return run_find(x, pat, last, s, at, s.len, &end) == NONE ? NONE : end;
}

static size_t runs_prefix(struct expander *x, const struct pattern *pat, struct str s, size_t from, bool longest)
{
	size_t at = run_at(pat, &pat->runs[0], s, from);

	return at == NONE ? NONE : runs_after(x, pat, s, at, longest);
}

static size_t runs_suffix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	size_t end, at = run_back(pat, &pat->runs[pat->nruns - 1], s, s.len, 0);

	if (at == NONE || pat->nruns == 1)
		return at;
	for (uint32_t i = pat->nruns - 1; i-- > 1;) {
		at = run_find_back(x, pat, &pat->runs[i], s, 0, at, &end);
		if (at == NONE)
			return NONE;
	}
	if (pat->runs[0].n == 0)
		return longest ? 0 : at;
	if (longest)
		return run_find(x, pat, &pat->runs[0], s, 0, at, &end);
	return run_find_back(x, pat, &pat->runs[0], s, 0, at, &end);
}

static bool runs_whole(struct expander *x, const struct pattern *pat, struct str s)
{
	size_t at = run_at(pat, &pat->runs[0], s, 0), end;

	if (at == NONE)
		return false;
	if (pat->nruns == 1)
		return at == s.len;
	end = run_back(pat, &pat->runs[pat->nruns - 1], s, s.len, at);
	if (end == NONE)
		return false;
	return pat->nruns == 2 || middle_runs(x, pat, s, at, end) != NONE;
}

/* ---- Sets of positions ---------------------------------------------------------------- */

/* Bits lo … hi may be set; lo > hi: none. */
struct places {
	uint64_t *w;
	size_t lo, hi;
};

struct matcher {
	struct expander *x;
	const struct pattern *pat;
	struct str s;
	uint64_t **spare;	/* cleared rows */
	size_t nspare, cap;
};

static struct places places_new(struct matcher *m)
{
	struct places p = {NULL, 1, 0};

	if (m->nspare)
		p.w = m->spare[--m->nspare];
	else
		p.w = u_zalloc(m->x->p, (m->s.len / 64 + 1) * sizeof(uint64_t));
	return p;
}

static void places_free(struct matcher *m, struct places *p)
{
	if (p->lo <= p->hi)
		memset(p->w + p->lo / 64, 0, (p->hi / 64 - p->lo / 64 + 1) * sizeof(uint64_t));
	if (m->nspare == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 16;
		uint64_t **v = u_array(m->x->p, cap, sizeof(*v));

		if (m->nspare)
			memcpy(v, m->spare, m->nspare * sizeof(*v));
		m->spare = v;
		m->cap = cap;
	}
	m->spare[m->nspare++] = p->w;
}

static void places_add(struct places *p, size_t at)
{
	p->w[at / 64] |= (uint64_t)1 << at % 64;
	if (p->lo > p->hi) {
		p->lo = p->hi = at;
		return;
	}
	p->lo = MIN(p->lo, at);
	p->hi = MAX(p->hi, at);
}

static bool places_has(const struct places *p, size_t at)
{
	return (p->w[at / 64] >> at % 64 & 1) != 0;
}

/* The first place at or after `from`, or NONE. */
static size_t places_next(const struct places *p, size_t from)
{
	size_t i;
	uint64_t w;

	if (p->lo > p->hi || from > p->hi)
		return NONE;
	if (from < p->lo)
		from = p->lo;
	i = from / 64;
	w = p->w[i] & (~(uint64_t)0 << from % 64);
	while (!w) {
		if (++i > p->hi / 64)
			return NONE;
		w = p->w[i];
	}
	return i * 64 + (size_t)__builtin_ctzll(w);
}

static void places_join(struct places *to, const struct places *from)
{
	for (size_t at = places_next(from, 0); at != NONE; at = places_next(from, at + 1))
		places_add(to, at);
}

static struct places seq_run(struct matcher *m, const struct seq *seq, const struct places *in);

static void alts_run(struct matcher *m, const struct elem *e, const struct places *in, struct places *out)
{
	for (uint32_t i = 0; i < e->nalts; i++) {
		struct places r = seq_run(m, &e->alts[i], in);

		places_join(out, &r);
		places_free(m, &r);
	}
}

/* Every alternative is one character: repetition is a scan. */
static bool single_alts(const struct elem *e)
{
	for (uint32_t i = 0; i < e->nalts; i++)
		if (e->alts[i].n != 1 || e->alts[i].v[0].kind == E_STAR || e->alts[i].v[0].kind == E_GROUP)
			return false;
	return true;
}

static void repeat_single(struct matcher *m, const struct elem *e, struct places *all)
{
	for (size_t at = places_next(all, 0); at != NONE; at = places_next(all, at + 1)) {
		sys_checkpoint(m->x->p);
		for (uint32_t i = 0; i < e->nalts; i++) {
			size_t len = elem_at(m->pat, &e->alts[i].v[0], m->s, at);

			if (len)
				places_add(all, at + len);
		}
	}
}

/* `all` grows by whatever further repetitions reach. */
static void repeat(struct matcher *m, const struct elem *e, struct places *all)
{
	struct places edge;

	if (single_alts(e)) {
		repeat_single(m, e, all);
		return;
	}
	edge = places_new(m);
	places_join(&edge, all);
	while (edge.lo <= edge.hi) {
		struct places got = places_new(m), fresh = places_new(m);

		sys_checkpoint(m->x->p);
		alts_run(m, e, &edge, &got);
		for (size_t at = places_next(&got, 0); at != NONE; at = places_next(&got, at + 1))
			if (!places_has(all, at)) {
				places_add(&fresh, at);
				places_add(all, at);
			}
		places_free(m, &got);
		places_free(m, &edge);
		edge = fresh;
	}
	places_free(m, &edge);
}

static void group_not(struct matcher *m, const struct elem *e, const struct places *in, struct places *out)
{
	for (size_t at = places_next(in, 0); at != NONE; at = places_next(in, at + 1)) {
		struct places one = places_new(m), no = places_new(m);

		places_add(&one, at);
		alts_run(m, e, &one, &no);
		for (size_t to = at;; to += char_len(m->pat, m->s, to)) {
			sys_checkpoint(m->x->p);
			if (!places_has(&no, to))
				places_add(out, to);
			if (to >= m->s.len)
				break;
		}
		places_free(m, &one);
		places_free(m, &no);
	}
}

static void elem_run(struct matcher *m, const struct elem *e, const struct places *in, struct places *out)
{
	size_t at = places_next(in, 0);

	if (e->kind == E_STAR) {
		for (; at != NONE; at += char_len(m->pat, m->s, at)) {
			places_add(out, at);
			if (at >= m->s.len)
				break;
		}
	} else if (e->kind == E_GROUP) {
		if (e->op == '!') {
			group_not(m, e, in, out);
			return;
		}
		if (e->op == '?' || e->op == '*')
			places_join(out, in);
		if (e->op != '*')
			alts_run(m, e, in, out);
		if (e->op == '*' || e->op == '+')
			repeat(m, e, out);
	} else {
		for (; at != NONE; at = places_next(in, at + 1)) {
			size_t len = elem_at(m->pat, e, m->s, at);

			if (len)
				places_add(out, at + len);
		}
	}
}

static struct places seq_run(struct matcher *m, const struct seq *seq, const struct places *in)
{
	struct places cur = places_new(m);

	places_join(&cur, in);
	for (uint32_t i = 0; i < seq->n && cur.lo <= cur.hi; i++) {
		struct places next = places_new(m);

		sys_checkpoint_n(m->x->p, 1 + (uint32_t)MIN((cur.hi - cur.lo) / 8, (size_t)1000));
		elem_run(m, &seq->v[i], &cur, &next);
		places_free(m, &cur);
		cur = next;
	}
	return cur;
}

/* Where matches that begin at `from` end. */
static struct places ends_from(struct matcher *m, size_t from)
{
	struct places start = places_new(m), ends;

	places_add(&start, from);
	ends = seq_run(m, &m->pat->seq, &start);
	places_free(m, &start);
	return ends;
}

static size_t places_last(const struct places *p)
{
	size_t at = NONE;

	if (p->lo <= p->hi)
		for (at = p->hi; !places_has(p, at);)
			at--;
	return at;
}

static size_t ext_prefix(struct matcher *m, size_t from, bool longest)
{
	struct places ends = ends_from(m, from);
	size_t at = longest ? places_last(&ends) : places_next(&ends, 0);

	places_free(m, &ends);
	return at;
}

static bool ext_ends(struct matcher *m, size_t from)
{
	struct places ends = ends_from(m, from);
	bool yes = places_has(&ends, m->s.len);

	places_free(m, &ends);
	return yes;
}

static size_t ext_suffix(struct matcher *m, bool longest)
{
	size_t at = longest ? 0 : m->s.len;

	for (;;) {
		if (ext_ends(m, at))
			return at;
		if (longest) {
			if (at >= m->s.len)
				return NONE;
			at += char_len(m->pat, m->s, at);
		} else {
			if (at == 0)
				return NONE;
			at -= char_len_back(m->pat, m->s, at, 0);
		}
	}
}

/* ---- Entries ------------------------------------------------------------------------------ */

/* A leading dot needs a dot in the pattern. */
static bool dot_ok(const struct seq *seq)
{
	const struct elem *e = seq->v;

	if (!seq->n)
		return false;
	if (e->kind == E_BYTE || e->kind == E_CHAR)
		return e->c == '.';
	if (e->kind == E_GROUP && e->op != '!')
		for (uint32_t i = 0; i < e->nalts; i++)
			if (dot_ok(&e->alts[i]))
				return true;
	return false;
}

bool pattern_whole(struct expander *x, const struct pattern *pat, struct str s)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	if ((pat->flags & PATTERN_PERIOD) && s.len && s.ptr[0] == '.' && pat->runs != &pat->only &&
	    !dot_ok(&pat->seq))
		return false;
	return pat->extended ? ext_ends(&m, 0) : runs_whole(x, pat, s);
}

int64_t pattern_prefix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	return (int64_t)(pat->extended ? ext_prefix(&m, 0, longest) : runs_prefix(x, pat, s, 0, longest));
}

int64_t pattern_suffix(struct expander *x, const struct pattern *pat, struct str s, bool longest)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	return (int64_t)(pat->extended ? ext_suffix(&m, longest) : runs_suffix(x, pat, s, longest));
}

int64_t pattern_find(struct expander *x, const struct pattern *pat, struct str s, size_t from, size_t *end)
{
	struct matcher m = {.x = x, .pat = pat, .s = s};

	if (!pat->extended) {
		size_t at, start = run_find(x, pat, &pat->runs[0], s, from, s.len, &at);

		if (start == NONE)
			return -1;
		/* If the rest is not to be found behind this place, it is not behind a later one. */
		*end = runs_after(x, pat, s, at, true);
		return *end == NONE ? -1 : (int64_t)start;
	}
	for (size_t at = from;; at += char_len(pat, s, at)) {
		size_t e = ext_prefix(&m, at, true);

		if (e != NONE) {
			*end = e;
			return (int64_t)at;
		}
		if (at >= s.len)
			return -1;
	}
}

unsigned pattern_flags(const struct shell_state *st)
{
	return (st->shopts & SHOPT_EXTGLOB ? PATTERN_EXTGLOB : 0u) | (st->shopts & SHOPT_NOCASEMATCH ? PATTERN_ICASE : 0u) |
	       (st->utf8 ? 0u : PATTERN_BYTES);
}

bool pattern_match(struct expander *x, struct str pattern, struct str s, unsigned flags)
{
	const struct pattern *pat;

	/* Most patterns of case are plain words. */
	if (!(flags & PATTERN_ICASE)) {
		size_t i = 0;

		while (i < pattern.len && !memchr("*?[\\+@!(", pattern.ptr[i], 8))
			i++;
		if (i == pattern.len)
			return str_eq(pattern, s);
		if (pattern.len == 1 && pattern.ptr[0] == '*')
			return true;
	}
	pat = pattern_compile(x, pattern, flags);
	return pat && pattern_whole(x, pat, s);
}
