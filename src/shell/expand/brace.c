/* brace.c - the rows of parts a word with braces stands for.
 *
 * The leftmost brace varies slowest. Parts are copied flat (32-byte heads, not what they
 * point to), so a row can be expanded like any word. */
#include "build.h"

struct rows {
	struct part_row *v;
	size_t n, cap;
	size_t parts; /* in all rows */
};

/* bash expands braces before it looks at anything else: in {$a,b}_c the row $a_c has the variable
 * a_c, and ~{a,b} has tildes. */
static void join_name(struct expander *x, struct part *v, uint32_t n)
{
	struct str old = v->param->name;
	struct param *param;
	struct u_buf b;

	u_buf_init(&b, x->p, 0);
	u_buf_put(&b, old.ptr, old.len);
	for (uint32_t i = 1; i < n && v[i].kind == PART_LIT && !v[i].quoted; i++) {
		size_t k = 0;

		while (k < v[i].text.len && name_char(v[i].text.ptr[k]))
			k++;
		u_buf_put(&b, v[i].text.ptr, k);
		v[i].text.ptr += k;
		v[i].text.len -= k;
		if (v[i].text.len)
			break;
	}
	if (b.len == old.len)
		return;
	param = u_alloc(x->p, sizeof(*param));
	*param = *v->param;
	param->name = (struct str){b.ptr, b.len};
	v->param = param;
}

/* Makes the text in front of the first slash a tilde part, if it is all plain. */
static void join_tilde(struct expander *x, struct part *v, uint32_t n)
{
	struct u_buf b;
	uint32_t i = 0;
	size_t cut = 0;

	u_buf_init(&b, x->p, 0);
	for (; i < n; i++) {
		const char *slash;

		if (v[i].kind != PART_LIT || v[i].quoted)
			return;
		slash = memchr(v[i].text.ptr, '/', v[i].text.len);
		cut = slash ? (size_t)(slash - v[i].text.ptr) : v[i].text.len;
		u_buf_put(&b, v[i].text.ptr, cut);
		if (slash)
			break;
	}
	if (i == 0)
		return; /* with a slash in the same piece the parser has seen it */
	for (uint32_t k = 1; k < n && k < i; k++)
		v[k].text.len = 0;
	if (i < n) {
		v[i].text.ptr += cut;
		v[i].text.len -= cut;
	}
	v[0].kind = PART_TILDE;
	v[0].text = (struct str){b.ptr + 1, b.len - 1};
}

static void row_join(struct expander *x, struct part *v, uint32_t n)
{
	for (uint32_t i = 0; i + 1 < n; i++)
		if (v[i].kind == PART_PARAM && !v[i].quoted && v[i].param->kind == PARAM_NAME &&
		    !(v[i].param->flags & PARAM_BRACED) && v[i].param->op == PARAM_PLAIN)
			join_name(x, &v[i], n - i);
	if (n && v[0].kind == PART_LIT && v[0].text.len && v[0].text.ptr[0] == '~')
		join_tilde(x, v, n);
}

static bool row_add(struct expander *x, struct rows *r, struct part *v, uint32_t n)
{
	row_join(x, v, n);
	if (r->n >= EXPAND_WORDS_MAX || r->parts + n > EXPAND_WORDS_MAX * 4)
		return expand_fail(x, EXPAND_FAIL, "brace expansion: too many words (limit is %zu)",
		                   EXPAND_WORDS_MAX);
	if (r->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 8;

		r->v = arena_grow(&sys_self(x->p)->arena, r->v, r->cap * sizeof(*r->v),
		                  cap * sizeof(*r->v));
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
size_t brace_number(char *buf, int64_t value, unsigned width)
{
	char digits[24];
	size_t n = put_i64(digits, value), len = 0, skip = value < 0 ? 1 : 0;

	if (skip)
		buf[len++] = '-';
	while (len + (n - skip) < width)
		buf[len++] = '0';
	memcpy(buf + len, digits + skip, n - skip + 1);
	return len + n - skip;
}

static struct part int_part(struct expander *x, int64_t value, unsigned width)
{
	char buf[300];

	return text_part(x, buf, brace_number(buf, value, width));
}

static struct part char_part(struct expander *x, int64_t value)
{
	char c = (char)value;
	struct part p = text_part(x, &c, 1);

	/* A backslash that comes out of {Z..a} quotes nothing: an empty word, as in bash. */
	if (c == '\\') {
		p.text.len = 0;
		p.kind = PART_QUOTED;
		p.quoted = true;
	}
	p.glob = c == '[' || c == '*' || c == '?';
	return p;
}

static bool expand_row(struct expander *x, struct rows *r, struct part *v, uint32_t n);

/* pre (npre parts), one alternative, and what follows, as a new row that may have more braces. */
static bool alternative(struct expander *x, struct rows *r, const struct part *v, uint32_t n,
                        uint32_t at, const struct part *alt, uint32_t nalt)
{
	uint32_t total = n - 1 + nalt;
	struct part *row = u_array(x->p, total + (size_t)1, sizeof(*row));

	memcpy(row, v, at * sizeof(*row));
	if (nalt)
		memcpy(row + at, alt, nalt * sizeof(*row));
	memcpy(row + at + nalt, v + at + 1, (n - at - 1) * sizeof(*row));
	return expand_row(x, r, row, total);
}

static bool sequence(struct expander *x, struct rows *r, const struct part *v, uint32_t n,
                     uint32_t at)
{
	const struct brace *b = v[at].brace;
	int64_t i = b->from, next;

	for (;;) {
		struct part p = b->kind == BRACE_INT ? int_part(x, i, b->width) : char_part(x, i);

		if (!alternative(x, r, v, n, at, &p, 1))
			return false;
		sys_checkpoint(x->p);
		if (__builtin_add_overflow(i, b->step, &next) ||
		    (b->step > 0 ? next > b->to : next < b->to))
			return true;
		i = next;
	}
}

static bool expand_row(struct expander *x, struct rows *r, struct part *v, uint32_t n)
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

	if (!expand_row(x, &r, w->parts /* has a brace: not stored */, w->nparts))
		return false;
	*rows = r.v;
	*n = r.n;
	return true;
}
