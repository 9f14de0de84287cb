/* big.c - whole numbers of any size. */
#include "big.h"

#define BASE 1000000000u

__extension__ typedef unsigned __int128 wide;

bool big_is_number(const char *s)
{
	s += *s == '-';
	return *s && !s[strspn(s, "0123456789")];
}

static void trim(struct big *a)
{
	while (a->n > 0 && a->v[a->n - 1] == 0)
		a->n--;
	if (a->n == 0)
		a->negative = false;
}

static struct big make(struct proc *p, size_t n)
{
	return (struct big){false, n, u_zalloc(p, size_mul(n + 1, sizeof(uint32_t)))};
}

struct big big_parse(struct proc *p, const char *s)
{
	bool negative = *s == '-';
	size_t len = strlen(s += negative);
	struct big a = make(p, len / 9 + 1);

	for (size_t i = 0; i < a.n; i++) {
		size_t end = len - MIN(len, i * 9), start = end - MIN(end, 9u);

		for (size_t k = start; k < end; k++)
			a.v[i] = a.v[i] * 10 + (uint32_t)(s[k] - '0');
	}
	a.negative = negative;
	trim(&a);
	return a;
}

const char *big_text(struct proc *p, const struct big *a)
{
	struct u_buf b;

	u_buf_init(&b, p, 0);
	if (a->negative)
		u_buf_putc(&b, '-');
	if (a->n == 0)
		u_buf_putc(&b, '0');
	for (size_t i = a->n; i-- > 0;)
		u_buf_printf(&b, i + 1 == a->n ? "%u" : "%09u", a->v[i]);
	return b.ptr;
}

static int compare_sizes(const struct big *a, const struct big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (size_t i = a->n; i-- > 0;) {
		if (a->v[i] != b->v[i])
			return a->v[i] < b->v[i] ? -1 : 1;
	}
	return 0;
}

int big_compare(const struct big *a, const struct big *b)
{
	if (a->negative != b->negative)
		return a->negative ? -1 : 1;
	return a->negative ? compare_sizes(b, a) : compare_sizes(a, b);
}

static struct big add_sizes(struct proc *p, const struct big *a, const struct big *b)
{
	struct big r = make(p, MAX(a->n, b->n) + 1);
	uint32_t carry = 0;

	for (size_t i = 0; i < r.n; i++) {
		uint32_t x = carry + (i < a->n ? a->v[i] : 0) + (i < b->n ? b->v[i] : 0);

		carry = x >= BASE;
		r.v[i] = carry ? x - BASE : x;
	}
	return r;
}

/* a is not the smaller one. */
static struct big subtract_sizes(struct proc *p, const struct big *a, const struct big *b)
{
	struct big r = make(p, a->n);
	uint32_t borrow = 0;

	for (size_t i = 0; i < a->n; i++) {
		uint32_t y = borrow + (i < b->n ? b->v[i] : 0);

		borrow = a->v[i] < y;
		r.v[i] = borrow ? a->v[i] + BASE - y : a->v[i] - y;
	}
	return r;
}

struct big big_add(struct proc *p, const struct big *a, const struct big *b)
{
	struct big r;

	if (a->negative == b->negative) {
		r = add_sizes(p, a, b);
		r.negative = a->negative;
	} else if (compare_sizes(a, b) >= 0) {
		r = subtract_sizes(p, a, b);
		r.negative = a->negative;
	} else {
		r = subtract_sizes(p, b, a);
		r.negative = b->negative;
	}
	trim(&r);
	return r;
}

struct big big_subtract(struct proc *p, const struct big *a, const struct big *b)
{
	struct big minus = *b;

	minus.negative = b->n > 0 && !b->negative;
	return big_add(p, a, &minus);
}

struct big big_multiply(struct proc *p, const struct big *a, const struct big *b)
{
	struct big r = make(p, a->n + b->n);

	for (size_t i = 0; i < a->n; i++) {
		uint64_t carry = 0;

		for (size_t j = 0; j < b->n || carry; j++) {
			uint64_t x = carry + r.v[i + j] + (uint64_t)a->v[i] * (j < b->n ? b->v[j] : 0);

			r.v[i + j] = (uint32_t)(x % BASE);
			carry = x / BASE;
		}
		sys_checkpoint_n(p, (uint32_t)MIN(b->n, 1u << 20));
	}
	r.negative = a->negative != b->negative;
	trim(&r);
	return r;
}

/* r = r * BASE + limb */
static void shift_in(struct big *r, uint32_t limb)
{
	memmove(r->v + 1, r->v, r->n * sizeof(*r->v));
	r->v[0] = limb;
	r->n++;
	trim(r);
}

/* How many times |b| goes into r, which is less than |b| * BASE; that much is taken from r. The
 * estimate from the leading limbs is never too small and at most 2 too large after b was scaled; here it is
 * corrected by adding b back. */
static uint32_t take_times(struct big *r, const struct big *b)
{
	wide top = 0;
	uint64_t lead = b->v[b->n - 1], q, carry = 0;
	int64_t borrow = 0;

	if (r->n < b->n)
		return 0;
	for (size_t i = r->n; i-- > b->n - MIN(b->n, 2u);)
		top = top * BASE + r->v[i];
	if (b->n >= 2)
		lead = lead * BASE + b->v[b->n - 2];
	q = (uint64_t)(top / lead);
	for (size_t i = 0; i < r->n; i++) {
		uint64_t x = carry + q * (i < b->n ? b->v[i] : 0);
		int64_t d = (int64_t)r->v[i] - (int64_t)(x % BASE) + borrow;

		carry = x / BASE;
		borrow = d < 0 ? -1 : 0;
		r->v[i] = (uint32_t)(d < 0 ? d + BASE : d);
	}
	/* Too much was taken: the value is negative, modulo BASE^n. */
	for (borrow -= (int64_t)carry; borrow < 0; q--) {
		uint32_t c = 0;

		for (size_t i = 0; i < r->n; i++) {
			uint32_t x = r->v[i] + (i < b->n ? b->v[i] : 0) + c;

			c = x >= BASE;
			r->v[i] = c ? x - BASE : x;
		}
		borrow += c;
	}
	trim(r);
	return (uint32_t)q;
}

void big_divide(struct proc *p, const struct big *a, const struct big *b, struct big *quotient,
		struct big *remainder)
{
	struct big q = make(p, a->n), r = make(p, b->n + 2);

	r.n = 0;
	for (size_t i = a->n; i-- > 0;) {
		shift_in(&r, a->v[i]);
		q.v[i] = take_times(&r, b);
		sys_checkpoint_n(p, (uint32_t)MIN(b->n, 1u << 20));
	}
	q.negative = a->negative != b->negative;
	r.negative = a->negative;
	trim(&q);
	trim(&r);
	*quotient = q;
	*remainder = r;
}
