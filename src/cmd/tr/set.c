/* set.c - the arrays of tr: [:class:], [=c=], [c*n], ranges and escapes. */
#include "tr.h"

struct text {
	struct proc *p;
	unsigned char *c;
	bool *escaped;		/* c[i] was written with a backslash: it means itself */
	size_t n;
};

/* ---- Escapes -------------------------------------------------------------------------------- */

static void add(struct text *t, unsigned c, bool escaped)
{
	t->c[t->n] = (unsigned char)c;
	t->escaped[t->n++] = escaped;
}

/* Up to three octal digits; those that would go beyond a byte leave the last one out. */
static const char *octal(struct text *t, const char *s)
{
	unsigned v = 0;
	int n = 0;

	for (; n < 3 && *s >= '0' && *s <= '7'; n++, s++) {
		if (n == 2 && v * 8 + (unsigned)(*s - '0') > 255) {
			u_warn(t->p, 0,
			       "warning: the ambiguous octal escape \\%.3s is being\n"
			       "\tinterpreted as the 2-byte sequence \\0%.2s, %c",
			       s - 2, s - 2, *s);
			break;
		}
		v = v * 8 + (unsigned)(*s - '0');
	}
	add(t, v, true);
	return s;
}

static void unescape(struct text *t, const char *s)
{
	static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";

	while (*s) {
		const char *letter;

		if (*s != '\\') {
			add(t, (unsigned char)*s++, false);
			continue;
		}
		s++;
		if (!*s) {
			u_warn(t->p, 0, "warning: an unescaped backslash at end of string is not portable");
			add(t, '\\', false);
			break;
		}
		if (*s >= '0' && *s <= '7') {
			s = octal(t, s);
			continue;
		}
		letter = strchr(letters, *s);
		add(t, letter ? (unsigned char)bytes[letter - letters] : (unsigned char)*s, true);
		s++;
	}
}

/* ---- Elements -------------------------------------------------------------------------------- */

static bool is(const struct text *t, size_t i, char c)
{
	return i < t->n && t->c[i] == (unsigned char)c && !t->escaped[i];
}

/* Text as messages show it: bytes that do not print as octal escapes. */
static const char *printable(const struct text *t, size_t from, size_t n)
{
	static const char bytes[] = "\\\a\b\f\n\r\t\v", letters[] = "\\abfnrtv";
	struct u_buf b;

	u_buf_init(&b, t->p, 0);
	for (size_t i = from; i < from + n; i++) {
		const char *named = t->c[i] ? strchr(bytes, t->c[i]) : NULL;

		if (named)
			u_buf_printf(&b, "\\%c", letters[named - bytes]);
		else if (ascii_print(t->c[i]))
			u_buf_putc(&b, (char)t->c[i]);
		else
			u_buf_printf(&b, "\\%03o", t->c[i]);
	}
	return b.ptr;
}

/* The same of an end of a range, for which GNU knows no letters. */
static const char *printable_end(const struct text *t, size_t i)
{
	return u_format(t->p, ascii_print(t->c[i]) ? "%c" : "\\%03o", t->c[i]);
}

/* [c*], [c*n] at i: sets *e and returns the index after it, or 0 when it is none. */
static size_t repeat(const struct text *t, size_t i, struct tr_element *e)
{
	size_t end = i + 3;
	uint64_t n = 0, base;
	bool bad = false;

	if (i + 1 >= t->n || !is(t, i + 2, '*'))
		return 0;
	while (end < t->n && !is(t, end, ']'))
		end++;
	if (end >= t->n)
		return 0;
	base = t->c[i + 3] == '0' ? 8 : 10;
	for (size_t k = i + 3; k < end; k++) {
		unsigned d = (unsigned)t->c[k] - '0';

		bad |= d >= base || __builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, d, &n);
	}
	if (bad)
		u_die(t->p, 1, 0, "invalid repeat count %s in [c*n] construct",
		      u_quote(t->p, printable(t, i + 3, end - i - 3)));
	*e = (struct tr_element){.kind = TR_REPEAT, .c = t->c[i + 1], .count = n};
	return end + 1;
}

/* [:x*...] could also be a repetition of ':'. */
static bool looks_like_repeat(const struct text *t, size_t i)
{
	if (!is(t, i, '*'))
		return false;
	for (i++; i < t->n && !t->escaped[i] && ascii_digit(t->c[i]); i++)
		continue;
	return is(t, i, ']');
}

/* [:class:] or [=c=] at i; the index after it, or 0 when it is none. */
static size_t bracket(const struct text *t, size_t i, struct tr_element *e)
{
	bool class = is(t, i + 1, ':');
	char mark = class ? ':' : '=';
	size_t end = i + 2, len;

	while (end < t->n && !(is(t, end, mark) && is(t, end + 1, ']')))
		end++;
	if (end + 1 >= t->n)
		return 0;
	len = end - (i + 2);
	if (len == 0) {
		if (class)
			u_die(t->p, 1, 0, "missing character class name '[::]'");
		u_die(t->p, 1, 0, "missing equivalence class character '[==]'");
	}
	if (class) {
		int k = utf8_class_named((const char *)t->c + i + 2, len);

		if (k < 0) {
			if (looks_like_repeat(t, i + 2))
				return 0;
			u_die(t->p, 1, 0, "invalid character class %s",
			      u_quote(t->p, printable(t, i + 2, len)));
		}
		*e = (struct tr_element){.kind = TR_CLASS, .class = k};
	} else {
		if (len != 1) {
			if (looks_like_repeat(t, i + 2))
				return 0;
			u_die(t->p, 1, 0, "%s: equivalence class operand must be a single character",
			      printable(t, i + 2, len));
		}
		*e = (struct tr_element){.kind = TR_EQUIVALENCE, .c = t->c[i + 2]};
	}
	return end + 2;
}

static size_t element(const struct text *t, size_t i, struct tr_element *e)
{
	size_t end = 0;

	if (is(t, i, '[')) {
		if (is(t, i + 1, ':') || is(t, i + 1, '='))
			end = bracket(t, i, e);
		if (end == 0)
			end = repeat(t, i, e);
		if (end > 0)
			return end;
	}
	if (is(t, i + 1, '-') && i + 2 < t->n) {
		if (t->c[i] > t->c[i + 2])
			u_die(t->p, 1, 0, "range-endpoints of '%s-%s' are in reverse collating sequence order",
			      printable_end(t, i), printable_end(t, i + 2));
		*e = (struct tr_element){.kind = TR_RANGE, .c = t->c[i], .last = t->c[i + 2]};
		return i + 3;
	}
	*e = (struct tr_element){.kind = TR_CHAR, .c = t->c[i]};
	return i + 1;
}

bool tr_in_class(int class, unsigned char c)
{
	return c < 128 && utf8_is(c, (enum utf8_class)class);
}

static uint64_t length_of(const struct tr_element *e)
{
	uint64_t n = 0;

	switch (e->kind) {
	case TR_RANGE: return (uint64_t)e->last - e->c + 1;
	case TR_REPEAT: return e->count;
	case TR_CLASS:
		for (int c = 0; c < 256; c++)
			n += tr_in_class(e->class, (unsigned char)c);
		return n;
	default: return 1;
	}
}

void tr_parse(struct proc *p, const char *s, struct tr_set *set)
{
	size_t room = strlen(s) + 1;
	struct text t = {p, u_alloc(p, room), u_alloc(p, room), 0};

	unescape(&t, s);
	memset(set, 0, sizeof(*set));
	set->v = u_array(p, t.n + 1, sizeof(*set->v));
	for (size_t i = 0; i < t.n;) {
		struct tr_element *e = &set->v[set->n++];

		i = element(&t, i, e);
		set->has_class |= e->kind == TR_CLASS;
		set->has_other_class |= e->kind == TR_CLASS && e->class != UTF8_UPPER && e->class != UTF8_LOWER;
		set->has_equivalence |= e->kind == TR_EQUIVALENCE;
		set->indefinite += e->kind == TR_REPEAT && e->count == 0;
		if (__builtin_add_overflow(set->length, length_of(e), &set->length) ||
		    set->length >= UINT64_MAX / 2)
			u_die(p, 1, 0, "too many characters in set");
	}
}

/* ---- Walking ------------------------------------------------------------------------------------ */

void tr_skip(struct tr_walk *w)
{
	w->i++;
	w->done = 0;
	w->next = 0;
}

int tr_next(struct tr_walk *w, bool *is_first, int *class)
{
	*class = -1;
	for (; w->i < w->set->n; tr_skip(w)) {
		const struct tr_element *e = &w->set->v[w->i];

		if (w->done >= length_of(e))
			continue;
		*is_first = w->done == 0;
		w->done++;
		if (e->kind == TR_RANGE)
			return (int)(e->c + w->done - 1);
		if (e->kind != TR_CLASS)
			return e->c;
		while (!tr_in_class(e->class, (unsigned char)w->next))
			w->next++;
		if (e->class == UTF8_UPPER || e->class == UTF8_LOWER)
			*class = e->class;
		return w->next++;
	}
	*is_first = true;
	return -1;
}
