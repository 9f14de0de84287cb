/* value.c - shared strings and indexed arrays.
 *
 * A block's size follows from its cap, so blocks carry no size of their own. Strings grow by
 * half when appended to in place, which makes `s+=x` in a loop linear. */
#include "value.h"

/* ---- Strings ------------------------------------------------------------ */

static size_t vstr_size(uint32_t cap)
{
	return sizeof(struct vstr) + cap + 1;
}

static struct vstr *vstr_room(struct heap *h, size_t n)
{
	/* Beyond VSTR_MAX no source grants the block: the proc ends. */
	size_t size = n > VSTR_MAX ? SIZE_MAX : heap_round(vstr_size((uint32_t)n));
	struct vstr *s = heap_alloc(h, size);

	s->refs = 1;
	s->cap = (uint32_t)(size - sizeof(struct vstr) - 1);
	return s;
}

struct vstr *vstr_new(struct heap *h, const char *ptr, size_t n)
{
	struct vstr *s = vstr_room(h, n);

	if (n)
		memcpy(s->s, ptr, n);
	s->s[n] = '\0';
	s->len = (uint32_t)n;
	return s;
}

void vstr_put(struct heap *h, struct vstr *s)
{
	if (s && --s->refs == 0)
		heap_free(h, s, vstr_size(s->cap));
}

struct vstr *vstr_append(struct heap *h, struct vstr *s, const char *ptr, size_t n)
{
	size_t want = size_add(s->len, n);
	struct vstr *t;

	if (s->refs == 1 && want <= s->cap) {
		memmove(s->s + s->len, ptr, n);
		s->len = (uint32_t)want;
		s->s[want] = '\0';
		return s;
	}
	t = vstr_room(h, want > VSTR_MAX ? want
	                                 : MIN(MAX(want, s->cap + (size_t)s->cap / 2), VSTR_MAX));
	memcpy(t->s, s->s, s->len);
	if (n)
		memcpy(t->s + s->len, ptr, n);
	t->s[want] = '\0';
	t->len = (uint32_t)want;
	vstr_put(h, s);
	return t;
}

static void set_small(union sval *v, const char *ptr, size_t n)
{
	memmove(v->small, ptr, n);
	v->small[n] = '\0';
	v->small[23] = (char)n;
}

static bool is_big(const union sval *v)
{
	return (unsigned char)v->small[23] == SVAL_BIG;
}

static void set_big(union sval *v, struct vstr *s)
{
	v->big = s;
	v->small[23] = (char)SVAL_BIG;
}

void sval_set(struct heap *h, union sval *v, const char *ptr, size_t n)
{
	struct vstr *old = is_big(v) ? v->big : NULL;

	if (n <= SVAL_SMALL) {
		if (n == 0)
			ptr = "";
		set_small(v, ptr, n);
	} else if (old && old->refs == 1 && n <= old->cap && n >= old->cap / 4) {
		memmove(old->s, ptr, n);
		old->s[n] = '\0';
		old->len = (uint32_t)n;
		return;
	} else {
		set_big(v, vstr_new(h, ptr, n));
	}
	vstr_put(h, old);
}

void sval_append(struct heap *h, union sval *v, const char *ptr, size_t n)
{
	struct str was = sval_str(v);
	size_t want = size_add(was.len, n);

	if (n == 0)
		return;
	if (is_big(v)) {
		v->big = vstr_append(h, v->big, ptr, n);
	} else if (want <= SVAL_SMALL) {
		memmove(v->small + was.len, ptr, n);
		v->small[want] = '\0';
		v->small[23] = (char)want;
	} else {
		struct vstr *s = vstr_room(h, MAX(want, (size_t)64));

		memcpy(s->s, was.ptr, was.len);
		memcpy(s->s + was.len, ptr, n);
		s->s[want] = '\0';
		s->len = (uint32_t)want;
		set_big(v, s);
	}
}

size_t put_i64(char buf[24], int64_t n)
{
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	char tmp[24];
	size_t i = sizeof(tmp), len = 0;

	do {
		tmp[--i] = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (n < 0)
		buf[len++] = '-';
	memcpy(buf + len, tmp + i, sizeof(tmp) - i);
	len += sizeof(tmp) - i;
	buf[len] = '\0';
	return len;
}

void sval_set_i64(struct heap *h, union sval *v, int64_t n)
{
	struct vstr *old = is_big(v) ? v->big : NULL;

	v->small[23] = (char)put_i64(v->small, n);
	vstr_put(h, old);
}

void sval_copy(struct heap *h, union sval *v, const union sval *from)
{
	(void)h;
	*v = *from;
	if (is_big(v))
		vstr_get(v->big);
}

void sval_drop(struct heap *h, union sval *v)
{
	struct vstr *old = is_big(v) ? v->big : NULL;

	memset(v, 0, sizeof(*v));
	vstr_put(h, old);
}

struct vstr *sval_vstr(struct heap *h, union sval *v)
{
	return is_big(v) ? vstr_get(v->big) : vstr_new(h, v->small, (unsigned char)v->small[23]);
}

/* ---- Indexed arrays ------------------------------------------------------ */

static size_t array_size(uint32_t cap)
{
	return sizeof(struct varray) + (size_t)cap * sizeof(struct array_elem);
}

struct varray *array_new(struct heap *h, uint32_t cap)
{
	size_t size = heap_round(array_size(cap));
	struct varray *a = heap_alloc(h, size);

	a->refs = 1;
	a->n = 0;
	a->pad = 0;
	/* The size must follow from cap again: waste what is not a whole element. */
	a->cap = (uint32_t)((size - sizeof(*a)) / sizeof(struct array_elem));
	return a;
}

static void array_free(struct heap *h, struct varray *a)
{
	heap_free(h, a, array_size(a->cap));
}

void array_put(struct heap *h, struct varray *a)
{
	if (!a || --a->refs)
		return;
	for (uint32_t i = 0; i < a->n; i++)
		vstr_put(h, a->e[i].v);
	array_free(h, a);
}

/* Where index is, or would go. */
static uint32_t array_find(const struct varray *a, int64_t index, bool *found)
{
	uint32_t lo = 0, hi = a->n;

	*found = false;
	if (a->n == 0 || index > a->e[a->n - 1].index)
		return a->n;
	if (index >= a->e[0].index) {
		uint64_t at = (uint64_t)(index - a->e[0].index);

		if (at < a->n && a->e[at].index == index) {
			*found = true;
			return (uint32_t)at;
		}
		/* Indexes rise by at least one, so it cannot be further right than that. */
		if (at < hi)
			hi = (uint32_t)at;
	}
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (a->e[mid].index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	*found = lo < a->n && a->e[lo].index == index;
	return lo;
}

struct vstr *array_at(const struct varray *a, int64_t index)
{
	bool found;
	uint32_t i;

	if (!a)
		return NULL;
	i = array_find(a, index, &found);
	return found ? a->e[i].v : NULL;
}

static struct varray *array_copy(struct heap *h, struct varray *a, uint32_t cap)
{
	struct varray *b = array_new(h, cap);

	memcpy(b->e, a->e, (size_t)a->n * sizeof(b->e[0]));
	b->n = a->n;
	return b;
}

void array_own(struct heap *h, struct varray **a)
{
	struct varray *b;

	if (!*a) {
		*a = array_new(h, 4);
		return;
	}
	if ((*a)->refs == 1)
		return;
	b = array_copy(h, *a, MAX((*a)->n, 4u));
	for (uint32_t i = 0; i < b->n; i++)
		vstr_get(b->e[i].v);
	(*a)->refs--;
	*a = b;
}

static void array_reserve(struct heap *h, struct varray **a)
{
	struct varray *b;

	if ((*a)->n < (*a)->cap)
		return;
	b = array_copy(h, *a, (*a)->cap > UINT32_MAX / 4 ? UINT32_MAX : MAX((*a)->cap * 2, 4u));
	array_free(h, *a);
	*a = b;
}

void array_set(struct heap *h, struct varray **ap, int64_t index, const char *ptr, size_t n,
               bool append)
{
	struct varray *a;
	struct vstr *s;
	bool found;
	uint32_t i = array_find(*ap, index, &found);

	if (found) {
		struct array_elem *e = &(*ap)->e[i];

		if (append) {
			e->v = vstr_append(h, e->v, ptr, n);
		} else if (e->v->refs == 1 && n <= e->v->cap && n >= e->v->cap / 4) {
			memmove(e->v->s, ptr, n);
			e->v->s[n] = '\0';
			e->v->len = (uint32_t)n;
		} else {
			s = vstr_new(h, ptr, n);
			vstr_put(h, e->v);
			e->v = s;
		}
		return;
	}
	array_reserve(h, ap);
	s = vstr_new(h, ptr, n);
	a = *ap;
	memmove(&a->e[i + 1], &a->e[i], (size_t)(a->n - i) * sizeof(a->e[0]));
	a->e[i] = (struct array_elem){index, s};
	a->n++;
}

bool array_unset(struct heap *h, struct varray **ap, int64_t index)
{
	struct varray *a = *ap;
	bool found;
	uint32_t i = array_find(a, index, &found);

	if (!found)
		return false;
	vstr_put(h, a->e[i].v);
	a->n--;
	memmove(&a->e[i], &a->e[i + 1], (size_t)(a->n - i) * sizeof(a->e[0]));
	return true;
}
