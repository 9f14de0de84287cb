/*
 * arith_leaf.c - numbers, and the words of subscripts, in arithmetic.
 */
#include "syntax.h"

static int digit_value(char c, unsigned base)
{
	if (ascii_digit(c))
		return c - '0';
	if (ascii_lower(c))
		return c - 'a' + 10;
	if (ascii_upper(c))
		return base <= 36 ? c - 'A' + 10 : c - 'A' + 36;
	return c == '@' ? 62 : c == '_' ? 63 : -1;
}

bool arith_number(struct str s, int64_t *value, const char **error)
{
	uint64_t n = 0;
	unsigned base = 10;
	size_t i = 0;
	const char *hash = memchr(s.ptr, '#', s.len);

	if (s.len > 1 && s.ptr[0] == '0' && !hash) {
		base = 8;
		i = 1;
		if (s.ptr[1] == 'x' || s.ptr[1] == 'X') {
			base = 16;
			i = 2;
		}
	} else if (hash && s.ptr[0] == '0') {
		*error = "invalid number";
		return false;
	} else if (hash) {
		for (base = 0; s.ptr + i < hash; i++) {
			int d = digit_value(s.ptr[i], 10);

			if (d < 0 || d > 9) {
				*error = "value too great for base";
				return false;
			}
			base = MIN(base * 10 + (unsigned)d, 1000u);
		}
		i++;
		if (base < 2 || base > 64) {
			*error = "invalid arithmetic base";
			return false;
		}
		if (i == s.len) {
			*error = "invalid integer constant";
			return false;
		}
	}
	for (; i < s.len; i++) {
		int d = digit_value(s.ptr[i], base);

		if (s.ptr[i] == '#') {
			*error = "invalid number";
			return false;
		}
		if (d < 0 || (unsigned)d >= base) {
			*error = "value too great for base";
			return false;
		}
		n = n * base + (unsigned)d;
	}
	*value = (int64_t)n;
	return true;
}

struct word *arith_literal(struct arena *arena, struct str s)
{
	struct word *w = arena_zalloc(arena, sizeof(*w));
	struct part *part = arena_zalloc(arena, sizeof(*part));

	part->kind = PART_QUOTED;
	part->quoted = true;
	part->raw = s.ptr;
	part->raw_len = (uint32_t)s.len;
	part->text = (struct str){arena_strndup(arena, s.ptr, s.len), s.len};
	w->raw = s.ptr;
	w->raw_len = (uint32_t)s.len;
	w->parts = part;
	w->nparts = s.len ? 1 : 0;
	w->text = part->text;
	w->flags = WORD_LITERAL | WORD_QUOTED;
	return w;
}

/* A word for text with holes: pieces of text and the parts that belong in the holes. */
struct word *arith_holed(struct arena *arena, struct str s, struct part **exps)
{
	struct word *w = arena_zalloc(arena, sizeof(*w));
	uint32_t n = 0;
	size_t from = 0;

	w->raw = s.ptr;
	w->raw_len = (uint32_t)s.len;
	w->flags = WORD_QUOTED | WORD_EXPANDS;
	for (size_t i = 0; i < s.len; i++)
		n += s.ptr[i] == HOLE;
	w->parts = arena_zalloc(arena, (2 * (size_t)n + 1) * sizeof(*w->parts));
	for (size_t i = 0; i <= s.len; i++) {
		struct str piece = {s.ptr + from, i - from};

		if (i < s.len && s.ptr[i] != HOLE)
			continue;
		if (piece.len)
			w->parts[w->nparts++] = arith_literal(arena, piece)->parts[0];
		if (i < s.len)
			w->parts[w->nparts++] = **exps++;
		from = i + 1;
	}
	return w;
}
