/* value.c - blocks, strings, cells: awk's values and how they turn into each other. */
#include "awk.h"

#include <math.h>

/* ---- Blocks -------------------------------------------------------------------- */

/* Two classes a power of two: 32, 48, 64, 96, 128... */
static unsigned class_of(size_t n, size_t *size)
{
	unsigned top;
	size_t base;

	if (n <= 32) {
		*size = 32;
		return 0;
	}
	top = 63u - (unsigned)__builtin_clzll((unsigned long long)(n - 1));
	base = (size_t)1 << top;
	if (n <= base + base / 2) {
		*size = base + base / 2;
		return (top - 5) * 2 + 1;
	}
	*size = base * 2;
	return (top - 4) * 2;
}

void *block_get(struct awk *a, size_t n)
{
	size_t size;
	unsigned c;
	void *p;

	if (UNLIKELY(n > SIZE_MAX / 4))
		awk_die(a, "memory exhausted");
	c = class_of(n, &size);
	p = a->free_block[c];
	if (p) {
		memcpy(&a->free_block[c], p, sizeof(void *));
		return p;
	}
	return u_alloc(a->p, size);
}

void block_put(struct awk *a, void *p, size_t n)
{
	size_t size;
	unsigned c;

	if (!p)
		return;
	c = class_of(n, &size);
	memcpy(p, &a->free_block[c], sizeof(void *));
	a->free_block[c] = p;
}

struct u_buf *awk_scratch_take(struct awk *a)
{
	struct u_buf *b;

	if (a->scratch_used < AWK_SCRATCH) {
		b = &a->scratch[a->scratch_used++];
		if (!b->ptr)
			u_buf_init(b, a->p, 0);
	} else {
		a->scratch_used++;
		b = u_alloc(a->p, sizeof(*b));
		u_buf_init(b, a->p, 0);
	}
	b->len = 0;
	u_buf_puts(b, "");
	return b;
}

void awk_scratch_give(struct awk *a)
{
	a->scratch_used--;
}

/* ---- Strings ---------------------------------------------------------------------- */

struct astr *astr_room(struct awk *a, size_t n)
{
	size_t want = size_add(n, sizeof(struct astr) + 1), size;
	struct astr *s = block_get(a, want);

	class_of(want, &size);
	s->refs = 1;
	s->cap = (uint32_t)MIN(size - sizeof(struct astr), (size_t)UINT32_MAX);
	s->len = n;
	s->s[n] = '\0';
	return s;
}

struct astr *astr_new(struct awk *a, const char *ptr, size_t n)
{
	struct astr *s = astr_room(a, n);

	if (n)
		memcpy(s->s, ptr, n);
	return s;
}

void astr_put(struct awk *a, struct astr *s)
{
	if (--s->refs == 0)
		block_put(a, s, s->len >= UINT32_MAX - 64 ? s->len + sizeof(*s) + 1 : (size_t)s->cap + sizeof(*s));
}

/* ---- Numbers ------------------------------------------------------------------------ */

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && ascii_space(*s))
		s++;
	return s;
}

/* Decimal only, as gawk reads data: no hexadecimal, "inf" and "nan" only with a sign. */
static const char *scan_number(const char *s, const char *end, double *out)
{
	const char *p = s, *stop;
	uint64_t n = 0;
	int digits = 0;
	bool minus = false;

	if (p < end && (*p == '-' || *p == '+')) {
		minus = *p++ == '-';
		if (end - p >= 3 && ((ascii_tolower(p[0]) == 'i' && ascii_tolower(p[1]) == 'n' && ascii_tolower(p[2]) == 'f') ||
				     (ascii_tolower(p[0]) == 'n' && ascii_tolower(p[1]) == 'a' && ascii_tolower(p[2]) == 'n')) &&
		    (end - p == 3 || !ascii_alnum(p[3]))) {
			*out = ascii_tolower(p[0]) == 'i' ? (minus ? -__builtin_inf() : __builtin_inf()) :
							    (minus ? -__builtin_nan("") : __builtin_nan(""));
			return p + 3;
		}
	}
	while (p < end && ascii_digit(*p) && digits < 18) {
		n = n * 10 + (uint64_t)(*p++ - '0');
		digits++;
	}
	if (digits && digits <= 15 && (p == end || (*p != '.' && *p != 'e' && *p != 'E' && !ascii_digit(*p)))) {
		*out = minus ? -(double)n : (double)n;
		return p;
	}
	if (!digits && !(p < end && *p == '.' && p + 1 < end && ascii_digit(p[1])))
		return s;
	if (digits == 1 && n == 0 && p < end && (*p == 'x' || *p == 'X')) {
		*out = 0;
		return p;
	}
	*out = num_double_n(s, (size_t)(end - s), &stop);
	return stop;
}

bool text_is_number(const char *s, size_t n, double *out)
{
	const char *end = s + n, *p = skip_blanks(s, end), *q;

	if (p == end)
		return false;
	q = scan_number(p, end, out);
	return q != p && skip_blanks(q, end) == end;
}

double text_num(const char *s, size_t n)
{
	double v = 0;
	const char *end = s + n, *p = skip_blanks(s, end);

	if (p == end || scan_number(p, end, &v) == p)
		return 0;
	return v;
}

size_t num_text(struct awk *a, double n, struct astr *format, char *buf)
{
	if (n == floor(n) && n >= -1e15 && n <= 1e15) {
		return num_put_i64(buf, (int64_t)n);
	}
	if (n != n)
		return fmt_buf(buf, 400, "%s", __builtin_signbit(n) ? "-nan" : "+nan");
	if (n - n != 0)
		return fmt_buf(buf, 400, "%s", n < 0 ? "-inf" : "+inf");
	if (n == floor(n))
		return fmt_buf(buf, 400, "%.0f", n);
	if (format && format->len == 4 && memcmp(format->s, "%.6g", 4) == 0)
		return fmt_buf(buf, 400, "%.6g", n);
	struct u_buf *b = awk_scratch_take(a);
	size_t len;

	put_number(a, b, n, format ? (struct str){format->s, format->len} : STR("%.6g"));
	len = MIN(b->len, (size_t)399);
	memcpy(buf, b->ptr, len);
	awk_scratch_give(a);
	return len;
}

/* ---- Cells ------------------------------------------------------------------------------ */

void cell_copy(struct awk *a, struct cell *to, const struct cell *from)
{
	struct astr *old = to->str;

	if (from->str)
		astr_get(from->str);
	*to = *from;
	if (old)
		astr_put(a, old);
}

double cell_num(struct awk *a, struct cell *c)
{
	(void)a;
	if (c->has_num)
		return c->num;
	if (!c->str)
		return 0;
	c->num = text_num(c->str->s, c->str->len);
	c->has_num = true;
	return c->num;
}

bool cell_is_number(struct awk *a, struct cell *c)
{
	(void)a;
	if (c->type == CELL_INPUT) {
		double n;

		if (text_is_number(c->str->s, c->str->len, &n)) {
			c->type = CELL_STRNUM;
			c->num = n;
			c->has_num = true;
		} else {
			c->type = CELL_STR;
		}
	}
	return c->type != CELL_STR;
}

static struct astr *number_str(struct awk *a, double n, enum special format)
{
	char buf[400];
	struct cell *f = special_cell(a, format);
	size_t len = num_text(a, n, f->str, buf);

	return astr_new(a, buf, len);
}

struct astr *cell_str(struct awk *a, struct cell *c)
{
	if (c->str)
		return c->str;
	if (c->type == CELL_UNSET) {
		c->str = astr_new(a, "", 0);
		return c->str;
	}
	c->str = number_str(a, c->num, V_CONVFMT);
	return c->str;
}

struct astr *cell_output(struct awk *a, struct cell *c)
{
	if (c->type == CELL_NUM)
		return number_str(a, c->num, V_OFMT);
	return astr_get(cell_str(a, c));
}

bool cell_true(struct awk *a, struct cell *c)
{
	if (c->type == CELL_UNSET)
		return false;
	if (cell_is_number(a, c))
		return c->num != 0;
	return c->str->len != 0;
}

int cell_compare(struct awk *a, struct cell *x, struct cell *y)
{
	bool nx = cell_is_number(a, x), ny = cell_is_number(a, y);
	struct astr *s, *t;
	int r;

	if (nx && ny) {
		double m = cell_num(a, x), n = cell_num(a, y);

		if (m != m || n != n)	/* as gawk: NaN is the largest, equal to itself */
			return (m != m) - (n != n);
		return m < n ? -1 : m > n;
	}
	s = cell_str(a, x);
	t = cell_str(a, y);
	r = memcmp(s->s, t->s, MIN(s->len, t->len));
	return r ? r : s->len < t->len ? -1 : s->len > t->len;
}

/* ---- Arithmetic ------------------------------------------------------------------------ */

/* Division of which the divisor is seen in the program is an error in it, as for gawk, which then does not start it. */
static NORETURN void no_division(struct awk *a, const struct node *n)
{
	bool assigns = n->kind != N_BINARY;
	const char *what = n->op == '%' ? (assigns ? " in `%='" : " in `%'") : assigns ? " in `/='" : "";

	if (!assigns && n->b->kind == N_NUM)
		awk_error(a, "division by zero attempted%s", what);
	awk_die(a, "division by zero attempted%s", what);
}

double awk_arithmetic(struct awk *a, const struct node *n, double x, double y)
{
	if (y == 0 && (n->op == '/' || n->op == '%'))
		no_division(a, n);
	switch (n->op) {
	case '+': return x + y;
	case '-': return x - y;
	case '*': return x * y;
	case '/': return x / y;
	case '%': return fmod(x, y);
	default: {
		/* Small integer powers exactly. */
		if (y == floor(y) && fabs(y) <= 1024) {
			double r = 1, base = x;
			int64_t k = (int64_t)fabs(y);

			for (; k; k >>= 1, base *= base)
				if (k & 1)
					r *= base;
			return y < 0 ? 1 / r : r;
		}
		return pow(x, y);
	}
	}
}
