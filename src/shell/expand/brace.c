/* brace.c - the rows of parts a word with braces stands for.
 *
 * The leftmost brace varies slowest. Parts are copied flat (32-byte heads, not what they
 * point to), so a row can be expanded like any word. */
#include "build.h"

struct rows {
	struct part_row *v;
	size_t n, cap;
	size_t parts;	/* in all rows */
};

static bool row_add(struct expander *x, struct rows *r, const struct part *v, uint32_t n)
{
	if (r->n >= EXPAND_WORDS_MAX || r->parts + n > EXPAND_WORDS_MAX * 4)
		return expand_fail(x, EXPAND_FAIL, "brace expansion: too many words (limit is %zu)", EXPAND_WORDS_MAX);
	if (r->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 8;

		r->v = arena_grow(&sys_self(x->p)->arena, r->v, r->cap * sizeof(*r->v), cap * sizeof(*r->v));
		r->cap = cap;
	}
	r->v[r->n++] = (struct part_row){v, n};
	r->parts += n;
	return true;
}

static struct part text_part(struct expander *x, const char *ptr, size_t n)
{
	struct part p;

	memset(&p, 0, sizeof(p));
	p.kind = PART_LIT;
	p.text = copy_str(x, (struct str){ptr, n});
	p.raw = p.text.ptr;
	p.raw_len = (uint32_t)n;
	return p;
}

/* {1..9} with the zeros its width asks for. */
static struct part int_part(struct expander *x, int64_t value, unsigned width)
{
	char digits[24], buf[300];
	size_t n = put_i64(digits, value), len = 0, skip = value < 0 ? 1 : 0;

	if (skip)
		buf[len++] = '-';
	while (len + (n - skip) < width)
		buf[len++] = '0';
	memcpy(buf + len, digits + skip, n - skip);
	return text_part(x, buf, len + n - skip);
}

static struct part char_part(struct expander *x, int64_t value)
{
	char c = (char)value;
	struct part p = text_part(x, &c, 1);

	/* A backslash that comes out of {Z..a} quotes nothing and vanishes, as in bash. */
	if (c == '\\')
		p.text.len = 0;
	p.glob = c == '[' || c == '*' || c == '?';
	return p;
}

static bool expand_row(struct expander *x, struct rows *r, const struct part *v, uint32_t n);

/* pre (npre parts), one alternative, and what follows, as a new row that may have more braces. */
static bool alternative(struct expander *x, struct rows *r, const struct part *v, uint32_t n, uint32_t at,
			const struct part *alt, uint32_t nalt)
{
	uint32_t total = n - 1 + nalt;
	struct part *row = u_array(x->p, total + (size_t)1, sizeof(*row));

	memcpy(row, v, at * sizeof(*row));
	if (nalt)
		memcpy(row + at, alt, nalt * sizeof(*row));
	memcpy(row + at + nalt, v + at + 1, (n - at - 1) * sizeof(*row));
	return expand_row(x, r, row, total);
}

static bool sequence(struct expander *x, struct rows *r, const struct part *v, uint32_t n, uint32_t at)
{
	const struct brace *b = v[at].brace;
	int64_t i = b->from, next;

	for (;;) {
		struct part p = b->kind == BRACE_INT ? int_part(x, i, b->width) : char_part(x, i);

		if (!alternative(x, r, v, n, at, &p, 1))
			return false;
		sys_checkpoint(x->p);
		if (__builtin_add_overflow(i, b->step, &next) || (b->step > 0 ? next > b->to : next < b->to))
			return true;
		i = next;
	}
}

static bool expand_row(struct expander *x, struct rows *r, const struct part *v, uint32_t n)
{
	uint32_t at = 0;
	const struct brace *b;

	if (!sys_stack(x->p, 2048))
		return expand_fail(x, EXPAND_FAIL, "brace expansion nested too deeply");
	while (at < n && v[at].kind != PART_BRACE)
		at++;
	if (at == n)
		return row_add(x, r, v, n);
	b = v[at].brace;
	if (b->kind != BRACE_LIST)
		return sequence(x, r, v, n, at);
	for (uint32_t i = 0; i < b->n; i++)
		if (!alternative(x, r, v, n, at, b->alts[i].parts, b->alts[i].nparts))
			return false;
	return true;
}

bool brace_expand(struct expander *x, const struct word *w, struct part_row **rows, size_t *n)
{
	struct rows r = {NULL, 0, 0, 0};

	if (!expand_row(x, &r, w->parts, w->nparts))
		return false;
	*rows = r.v;
	*n = r.n;
	return true;
}
