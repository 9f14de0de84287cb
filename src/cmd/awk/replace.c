/* replace.c - what sub, gsub and gensub put in the place of matches. */
#include "awk.h"

/* sub, gsub: of the backslashes right before an & each pair is one; an odd one makes the & literal. */
static void put_replacement(struct u_buf *b, struct str r, const char *s, const struct regex_span *m)
{
	for (size_t i = 0; i < r.len; i++) {
		size_t n = 0;

		while (i + n < r.len && r.ptr[i + n] == '\\')
			n++;
		if (i + n == r.len || r.ptr[i + n] != '&') {
			u_buf_put(b, r.ptr + i, MIN(n + 1, r.len - i));
		} else {
			u_buf_put(b, r.ptr + i, n / 2);
			if (n % 2)
				u_buf_putc(b, '&');
			else
				u_buf_put(b, s + m[0].start, m[0].end - m[0].start);
		}
		i += n;
	}
}

/* gensub: \0 to \9 are groups, and a backslash makes what follows literal. */
static void put_groups(struct u_buf *b, struct str r, const char *s, const struct regex_span *m)
{
	for (size_t i = 0; i < r.len; i++) {
		char c = r.ptr[i], d = i + 1 < r.len ? r.ptr[i + 1] : '\0';

		if (c == '\\' && ascii_digit(d)) {
			const struct regex_span *g = &m[d - '0'];

			if (g->start != REGEX_UNSET)
				u_buf_put(b, s + g->start, g->end - g->start);
			i++;
		} else if (c == '\\' && i + 1 < r.len && (d == '&' || d == '\\')) {
			u_buf_putc(b, d);
			i++;
		} else if (c == '&') {
			u_buf_put(b, s + m[0].start, m[0].end - m[0].start);
		} else {
			u_buf_putc(b, c);
		}
	}
}

uint64_t awk_substitute(struct awk *a, struct dynamic *d, struct u_buf *b, struct str s, struct str repl, uint64_t which, bool groups)
{
	struct regex_span m[10];
	size_t at = 0, copied = 0;
	uint64_t seen = 0, done = 0;
	bool after_match = false;

	for (size_t i = 0; i < COUNTOF(m); i++)
		m[i] = (struct regex_span){REGEX_UNSET, REGEX_UNSET};
	while (at <= s.len && dynamic_match(a, d, s.ptr, s.len, at, m, groups ? COUNTOF(m) : 1)) {
		bool empty = m[0].end == m[0].start;

		sys_checkpoint(a->p);
		/* An empty match right after a match does not count. */
		if (!(empty && after_match && m[0].start == at)) {
			seen++;
			if (!which || seen == which) {
				u_buf_put(b, s.ptr + copied, m[0].start - copied);
				(groups ? put_groups : put_replacement)(b, repl, s.ptr, m);
				copied = m[0].end;
				done++;
				if (which)
					break;
			}
		}
		after_match = !empty;
		if (empty) {
			unsigned len = 1;

			if (m[0].end < s.len && a->utf8)
				utf8_decode(s.ptr + m[0].end, s.len - m[0].end, &len);
			at = m[0].end + len;
			after_match = false;
		} else {
			at = m[0].end;
		}
	}
	u_buf_put(b, s.ptr + copied, s.len - copied);
	return done;
}
