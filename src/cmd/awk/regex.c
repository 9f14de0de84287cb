/* regex.c - awk's regular expressions: compiled once when constant, kept while the text stays when not. */
#include "awk.h"

static void *chunk_get(struct arena_source *s, size_t n);
static void chunk_put(struct arena_source *s, void *p, size_t n);

/* Arenas of dynamic expressions draw on awk's blocks, so that a changing expression costs nothing lasting. */
struct block_source {
	struct arena_source source;
	struct awk *a;
};

static void *chunk_get(struct arena_source *s, size_t n)
{
	return block_get(CONTAINER_OF(s, struct block_source, source)->a, n);
}

static void chunk_put(struct arena_source *s, void *p, size_t n)
{
	block_put(CONTAINER_OF(s, struct block_source, source)->a, p, n);
}

static void checkpoint(void *ctx)
{
	sys_checkpoint(ctx);
}

char awk_byte_escape(const char **at, const char *end)
{
	const char *s = *at;
	int v = 0;

	if (*s == 'x') {
		s++;
		for (int i = 0; i < 2 && s < end && ascii_xdigit(*s); i++, s++)
			v = v * 16 + (ascii_digit(*s) ? *s - '0' : ascii_tolower(*s) - 'a' + 10);
	} else {
		for (int i = 0; i < 3 && s < end && *s >= '0' && *s <= '7'; i++, s++)
			v = v * 8 + *s - '0';
	}
	*at = s;
	return (char)v;
}

/* The escapes that are awk's own are replaced; the rest is the engine's. What an octal escape stands for is as special
 * as the character itself. */
static void put_unescaped(struct awk *a, struct u_buf *b, const char *s, size_t n)
{
	static const char from[] = "abfnrtvy", to[] = "\a\b\f\n\r\t\v";
	const char *end = s + n;

	while (s < end) {
		const char *hit;
		int c;

		if (*s != '\\' || s + 1 == end) {
			u_buf_putc(b, *s++);
			continue;
		}
		c = (unsigned char)*++s;
		hit = c ? strchr(from, c) : NULL;
		if (c == 'y') {
			u_buf_puts(b, "\\b");
		} else if (hit) {
			u_buf_putc(b, to[hit - from]);
		} else if ((c >= '0' && c <= '7') || (c == 'x' && s + 1 < end && ascii_xdigit(s[1]))) {
			u_buf_putc(b, awk_byte_escape(&s, end));
			continue;
		} else if (c == '8' || c == '9') {
			if (awk_first_time(a, AWK_WARNED_REGEX, c))
				awk_warn(a, "regexp escape sequence `\\%c' treated as plain `%c'", c, c);
			u_buf_putc(b, (char)c);
		} else {
			if (!strchr("()|*+?.^$\\[]/-<>`'BywWsS{}", c) && awk_first_time(a, AWK_WARNED_REGEX, c))
				awk_warn(a, "regexp escape sequence `\\%c' is not a known regexp operator", c);
			if (c != '/' && c != '"')
				u_buf_putc(b, '\\');
			u_buf_putc(b, (char)c);
		}
		s++;
	}
}

static unsigned flags_now(struct awk *a)
{
	return REGEX_AWK | (a->utf8 ? REGEX_UTF8 : 0) | (cell_true(a, special_cell(a, V_IGNORECASE)) ? REGEX_ICASE : 0);
}

struct dynamic *dynamic_for(struct awk *a, struct dynamic **cache, const char *s, size_t n)
{
	struct dynamic *d = *cache;
	unsigned flags = flags_now(a);
	struct regex_error err;

	if (d && d->flags == flags && d->text->len == n && memcmp(d->text->s, s, n) == 0)
		return d;
	if (!d) {
		struct block_source *src = u_alloc(a->p, sizeof(*src));

		*src = (struct block_source){{chunk_get, chunk_put}, a};
		d = u_zalloc(a->p, sizeof(*d));
		arena_init(&d->arena, &src->source);
		*cache = d;
	} else {
		arena_release(&d->arena);
		astr_put(a, d->text);
	}
	d->text = astr_new(a, s, n);
	d->flags = flags;
	struct u_buf *b = awk_scratch_take(a);

	put_unescaped(a, b, s, n);
	d->re = regex_compile(&d->arena, b->ptr, b->len, flags, &err);
	awk_scratch_give(a);
	if (!d->re && a->parsing)
		awk_error(a, "%s: /%.*s/", err.message, (int)MIN(n, (size_t)1000), s);
	if (!d->re)
		awk_die(a, "invalid regexp: %s: /%.*s/", err.message, (int)MIN(n, (size_t)1000), s);
	d->scratch = regex_scratch_new(&d->arena, d->re, checkpoint, a->p);
	return d;
}

struct dynamic *node_regex(struct awk *a, struct node *n)
{
	struct cell hold = {0};
	struct dynamic *d;
	struct str s;

	while (n->kind == N_GROUP && n->a)
		n = n->a;
	if (n->kind == N_REGEX) {
		if (LIKELY(n->regex && n->regex->flags == flags_now(a)))
			return n->regex;
		return dynamic_for(a, &n->regex, n->value.str->s, n->value.str->len);
	}
	s = eval_text(a, n, &hold);
	d = dynamic_for(a, &n->regex, s.ptr, s.len);
	cell_clear(a, &hold);
	return d;
}

bool dynamic_match(struct awk *a, struct dynamic *d, const char *s, size_t n, size_t from, struct regex_span *spans, size_t nspans)
{
	int r = regex_search(d->re, d->scratch, s, n, from, from ? REGEX_SAME : 0, spans, nspans);

	if (r < 0)
		awk_die(a, "%s: /%s/", regex_failure(r), d->text->s);
	return r == 1;
}
