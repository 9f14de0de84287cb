/*
 * brace.c - marks {a,b}, {1..9} and ~ in the parts of a word.
 *
 * Braces are matched as bash does, over the characters that stand unquoted: from a {, the
 * first } on the same level that comes after a comma or a "..". A } before any of these
 * belongs to the text. That search starts anew at each {, so a word full of them would cost
 * the square of its length: the work is bounded and a word beyond it is refused.
 *
 * Only the structure is found here. How many words come of it is the expander's affair.
 */
#include "syntax.h"

#define BRACE_WORK_MAX (1u << 22)

/* One character of interest. */
struct mark {
	uint32_t part, at; /* which part, which byte of its text */
	char c;            /* { } , or . for two dots */
};

struct marks {
	struct mark *m;
	uint32_t n;
	uint32_t work;
};

static struct part *parts_at(struct parser *p, size_t mark)
{
	return (struct part *)(void *)(p->scratch + mark);
}

static void find_marks(struct parser *p, const struct word *w, struct marks *marks)
{
	size_t mark = p->scratch_used;

	for (uint32_t k = 0; k < w->nparts; k++) {
		const struct part *part = &w->parts[k];

		if (part->kind != PART_LIT)
			continue;
		for (uint32_t i = 0; i < part->text.len; i++) {
			char c = part->text.ptr[i];
			struct mark *m;

			if (c != '{' && c != '}' && c != ',' && c != '.')
				continue;
			if (c == '.' && (i + 1 == part->text.len || part->text.ptr[i + 1] != '.'))
				continue;
			m = scratch_push(p, sizeof(*m));
			*m = (struct mark){k, i, c};
		}
	}
	marks->n = (uint32_t)((p->scratch_used - mark) / sizeof(struct mark));
	marks->m = scratch_take(p, mark);
	marks->work = 0;
}

/* Index of the } that closes the { at `open`, or `end`. */
static uint32_t find_close(struct marks *marks, uint32_t open, uint32_t end, uint32_t *commas,
                           bool *list)
{
	uint32_t level = 0, i;

	*commas = 0;
	*list = false;
	for (i = open + 1; i < end; i++) {
		char c = marks->m[i].c;

		if (c == '{') {
			level++;
		} else if (c == '}') {
			if (level)
				level--;
			else if (*commas)
				break;
		} else if (c == ',') {
			*list = true;
			if (!level)
				++*commas;
		} else if (!level) {
			++*commas;
		}
	}
	marks->work += i - open;
	return i;
}

/* ---- Text between marks ------------------------------------------------------ */

static void push_slice(struct parser *p, const struct part *part, uint32_t from, uint32_t to)
{
	struct part *copy;
	bool whole = from == 0 && to == part->text.len;

	if (from >= to)
		return;
	copy = part_push(p, PART_LIT, part->raw, false);
	*copy = *part;
	if (whole)
		return;
	copy->text = (struct str){arena_strndup(p->arena, part->text.ptr + from, to - from),
	                          to - from};
	copy->glob = memchr(copy->text.ptr, '*', copy->text.len) ||
	             memchr(copy->text.ptr, '?', copy->text.len) ||
	             memchr(copy->text.ptr, '[', copy->text.len) ||
	             (part->glob && memchr(copy->text.ptr, '(', copy->text.len));
	if (part->raw_len == part->text.len) {
		copy->raw += from;
		copy->raw_len = to - from;
	}
}

/* A place in the word. */
struct place {
	uint32_t part, at;
};

static void push_text(struct parser *p, const struct word *w, struct place from, struct place to)
{
	for (uint32_t k = from.part; k < w->nparts && k <= to.part; k++) {
		const struct part *part = &w->parts[k];
		uint32_t a = k == from.part ? from.at : 0;

		if (part->kind == PART_LIT && k == to.part) {
			push_slice(p, part, a, to.at);
		} else if (k == to.part) {
			return;
		} else if (part->kind == PART_LIT) {
			push_slice(p, part, a, (uint32_t)part->text.len);
		} else {
			*part_push(p, part->kind, part->raw, part->quoted) = *part;
		}
	}
}

/* ---- Sequences --------------------------------------------------------------- */

static bool read_int(struct str s, int64_t *value)
{
	size_t i = 0;
	bool minus = false;
	uint64_t n = 0;

	if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
		minus = s.ptr[i++] == '-';
	if (i == s.len)
		return false;
	for (; i < s.len; i++) {
		if (!ascii_digit(s.ptr[i]) || __builtin_mul_overflow(n, 10u, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(s.ptr[i] - '0'), &n))
			return false;
	}
	if (n > (uint64_t)INT64_MAX + minus)
		return false;
	*value = minus ? (int64_t)(0 - n) : (int64_t)n;
	return true;
}

static bool zero_padded(struct str s)
{
	return (s.len > 1 && s.ptr[0] == '0') || (s.len > 2 && s.ptr[0] == '-' && s.ptr[1] == '0');
}

static size_t find_dots(struct str s)
{
	for (size_t i = 0; i + 1 < s.len; i++)
		if (s.ptr[i] == '.' && s.ptr[i + 1] == '.')
			return i;
	return s.len;
}

/* "from..to" or "from..to..step" */
static bool read_sequence(struct str s, struct brace *b)
{
	size_t dots = find_dots(s);
	struct str from = {s.ptr, dots}, to, step;
	int64_t by = 1;

	if (dots == s.len)
		return false;
	to = (struct str){s.ptr + dots + 2, s.len - dots - 2};
	dots = find_dots(to);
	if (dots < to.len) {
		step = (struct str){to.ptr + dots + 2, to.len - dots - 2};
		to.len = dots;
		if (!read_int(step, &by))
			return false;
	}
	if (from.len == 1 && to.len == 1 && ascii_alpha(from.ptr[0]) && ascii_alpha(to.ptr[0])) {
		b->kind = BRACE_CHAR;
		b->from = (unsigned char)from.ptr[0];
		b->to = (unsigned char)to.ptr[0];
	} else if (read_int(from, &b->from) && read_int(to, &b->to)) {
		b->kind = BRACE_INT;
		if (zero_padded(from) || zero_padded(to))
			b->width = (uint8_t)MIN(MAX(from.len, to.len), (size_t)255);
	} else {
		return false;
	}
	if (by == 0)
		by = 1;
	if (by == INT64_MIN)
		by = INT64_MAX;
	if ((b->from <= b->to) != (by > 0))
		by = -by;
	b->step = by;
	return true;
}

/* ---- Building ---------------------------------------------------------------- */

static void build(struct parser *p, const struct word *w, struct marks *marks, uint32_t i,
                  uint32_t end, struct place from, struct place to);

static struct place behind(const struct mark *m)
{
	return (struct place){m->part, m->at + 1};
}

static struct place at_mark(const struct mark *m)
{
	return (struct place){m->part, m->at};
}

static void build_alternative(struct parser *p, const struct word *w, struct marks *marks,
                              uint32_t i, uint32_t end, struct place from, struct place to,
                              struct word *alt)
{
	size_t mark = p->scratch_used;

	build(p, w, marks, i, end, from, to);
	word_finish(p, alt, w->raw, mark);
	alt->raw_len = 0;
	alt->off = w->off;
	alt->line = w->line;
}

static void build_list(struct parser *p, const struct word *w, struct marks *marks, uint32_t open,
                       uint32_t close, struct brace *b)
{
	uint32_t level = 0, first = open + 1;
	struct place from = behind(&marks->m[open]);
	size_t mark = p->scratch_used;

	for (uint32_t i = open + 1; i <= close; i++) {
		char c = marks->m[i].c;
		struct word alt;

		if (i < close) {
			if (c == '{')
				level++;
			else if (c == '}' && level)
				level--;
			if (c != ',' || level)
				continue;
		}
		build_alternative(p, w, marks, first, i, from, at_mark(&marks->m[i]), &alt);
		*(struct word *)scratch_push(p, sizeof(alt)) = alt;
		from = behind(&marks->m[i]);
		first = i + 1;
	}
	b->kind = BRACE_LIST;
	b->n = (uint32_t)((p->scratch_used - mark) / sizeof(struct word));
	b->alts = scratch_take(p, mark);
}

/* The brace from marks `open` to `close`, or NULL when it is none. */
static struct brace *build_brace(struct parser *p, const struct word *w, struct marks *marks,
                                 uint32_t open, uint32_t close, bool list)
{
	const struct mark *a = &marks->m[open], *z = &marks->m[close];
	struct brace b = {0}, *made;

	if (list) {
		build_list(p, w, marks, open, close, &b);
	} else {
		struct str s = w->parts[a->part].text;

		if (a->part != z->part)
			return NULL;
		s = (struct str){s.ptr + a->at + 1, z->at - a->at - 1};
		if (!read_sequence(s, &b))
			return NULL;
	}
	made = arena_alloc(p->arena, sizeof(*made));
	*made = b;
	return made;
}

/* Pushes the parts of the text from `from` to `to`, whose marks are i..end. */
static void build(struct parser *p, const struct word *w, struct marks *marks, uint32_t i,
                  uint32_t end, struct place from, struct place to)
{
	if (!enter(p))
		return;
	for (; i < end && !p->failed; i++) {
		uint32_t commas, close;
		struct brace *b;
		bool list;

		if (marks->m[i].c != '{')
			continue;
		if (i == 0 && !marks->m[0].part && !marks->m[0].at && marks->n > 1 &&
		    marks->m[1].c == '}' && !marks->m[1].part && marks->m[1].at == 1)
			continue;
		close = find_close(marks, i, end, &commas, &list);
		if (marks->work > BRACE_WORK_MAX) {
			fail_at(p, w->raw, line_of(p, w->raw),
			        "brace expansion: the word is too complex");
			return;
		}
		if (close == end)
			continue;
		push_text(p, w, from, at_mark(&marks->m[i]));
		from = at_mark(&marks->m[i]);
		b = build_brace(p, w, marks, i, close, list);
		if (!b)
			continue;
		part_push(p, PART_BRACE, w->parts[from.part].raw, false)->brace = b;
		from = behind(&marks->m[close]);
		i = close;
	}
	if (!p->failed)
		push_text(p, w, from, to);
	leave(p);
}

static bool may_have_braces(const struct word *w)
{
	for (uint32_t k = 0; k < w->nparts; k++)
		if (w->parts[k].kind == PART_LIT &&
		    memchr(w->parts[k].text.ptr, '{', w->parts[k].text.len))
			return true;
	return false;
}

static void replace_parts(struct parser *p, struct word *w, size_t mark)
{
	struct word made;
	const char *at = p->at;

	word_finish(p, &made, w->raw, mark);
	p->at = at;
	w->parts = made.parts;
	w->nparts = made.nparts;
	w->text = made.text;
	w->flags = made.flags | (w->flags & (WORD_ASSIGN | WORD_QUOTED));
}

void word_braces(struct parser *p, struct word *w)
{
	struct place from = {0, 0}, to = {w->nparts, 0};
	size_t mark = p->scratch_used;
	struct marks marks;
	bool found = false;

	if (!may_have_braces(w))
		return;
	find_marks(p, w, &marks);
	build(p, w, &marks, 0, marks.n, from, to);
	if (p->failed)
		return;
	for (size_t i = mark; i < p->scratch_used; i += sizeof(struct part))
		if (parts_at(p, i)->kind == PART_BRACE)
			found = true;
	if (!found) {
		p->scratch_used = mark;
		return;
	}
	if (parts_at(p, mark)->kind == PART_BRACE && parts_at(p, mark)->brace->kind == BRACE_LIST) {
		struct brace *b = parts_at(p, mark)->brace;

		for (uint32_t i = 0; i < b->n; i++)
			word_tildes(p, &b->alts[i], TILDE_START);
	}
	replace_parts(p, w, mark);
}

/* ---- Tildes ------------------------------------------------------------------ */

/* Length of the tilde's name in text[i..], or -1 when quotes or an expansion cut it off. */
static ptrdiff_t tilde_size(const struct word *w, uint32_t k, size_t i)
{
	struct str t = w->parts[k].text;
	size_t n = i + 1;

	while (n < t.len && t.ptr[n] != '/' && t.ptr[n] != ':')
		n++;
	if (n == t.len && k + 1 < w->nparts)
		return -1;
	return (ptrdiff_t)(n - i - 1);
}

/* Where the value begins in a word like name=value, else 0. */
static size_t value_start(struct str t)
{
	const char *eq = memchr(t.ptr, '=', t.len);
	size_t n = eq ? (size_t)(eq - t.ptr) : 0;

	if (!eq)
		return 0;
	if (n && t.ptr[n - 1] == '+')
		n--;
	return syntax_is_name((struct str){t.ptr, n}) ? (size_t)(eq - t.ptr) + 1 : 0;
}

static bool tilde_here(struct str t, size_t i, bool first, enum tilde_rule rule, size_t value)
{
	if (first && i == 0)
		return true;
	if (rule == TILDE_COLON)
		return i && t.ptr[i - 1] == ':';
	if (rule == TILDE_WORD && value && i >= value)
		return t.ptr[i - 1] == ':' || (first && i == value);
	return false;
}

static void split_tildes(struct parser *p, const struct word *w, enum tilde_rule rule)
{
	size_t value = w->nparts && rule == TILDE_WORD && w->parts[0].kind == PART_LIT
	                       ? value_start(w->parts[0].text)
	                       : 0;

	for (uint32_t k = 0; k < w->nparts; k++) {
		const struct part *part = &w->parts[k];
		uint32_t from = 0;

		if (part->kind != PART_LIT) {
			*part_push(p, part->kind, part->raw, part->quoted) = *part;
			continue;
		}
		for (uint32_t i = 0; i < part->text.len; i++) {
			ptrdiff_t n;
			struct part *tilde;

			if (part->text.ptr[i] != '~' ||
			    !tilde_here(part->text, i, k == 0, rule, k ? value != 0 : value))
				continue;
			n = tilde_size(w, k, i);
			if (n < 0)
				continue;
			push_slice(p, part, from, i);
			tilde = part_push(p, PART_TILDE, part->raw + i, false);
			tilde->raw_len = (uint32_t)n + 1;
			tilde->text = (struct str){
			        arena_strndup(p->arena, part->text.ptr + i + 1, (size_t)n),
			        (size_t)n};
			from = i + 1 + (uint32_t)n;
			i = from - 1;
		}
		push_slice(p, part, from, (uint32_t)part->text.len);
	}
}

void word_tildes(struct parser *p, struct word *w, enum tilde_rule rule)
{
	size_t mark = p->scratch_used;
	bool found = false;

	if (rule == TILDE_NONE || p->failed)
		return;
	for (uint32_t k = 0; k < w->nparts; k++)
		if (w->parts[k].kind == PART_LIT &&
		    memchr(w->parts[k].text.ptr, '~', w->parts[k].text.len))
			found = true;
	if (!found)
		return;
	split_tildes(p, w, rule);
	replace_parts(p, w, mark);
}
