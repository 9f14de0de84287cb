/*
 * match.c - ${x#p} ${x%p} and ${x/p/r}: what a pattern finds in a text is taken out or replaced.
 */
#include "match.h"

#include "build.h"

struct str match_remove(struct expander *x, const struct pattern *pat, struct str s,
                        const struct param *param)
{
	bool longest = (param->flags & PARAM_LONGEST) != 0;
	struct str lit;
	int64_t at;

	if (pattern_literal(pat, &lit)) {
		if (lit.len > s.len)
			return s;
		if (param->op == PARAM_REMOVE_PREFIX)
			return memcmp(s.ptr, lit.ptr, lit.len) == 0
			               ? (struct str){s.ptr + lit.len, s.len - lit.len}
			               : s;
		return memcmp(s.ptr + s.len - lit.len, lit.ptr, lit.len) == 0
		               ? (struct str){s.ptr, s.len - lit.len}
		               : s;
	}
	if (param->op == PARAM_REMOVE_PREFIX) {
		at = pattern_prefix(x, pat, s, longest);
		return at < 0 ? s : (struct str){s.ptr + at, s.len - (size_t)at};
	}
	at = pattern_suffix(x, pat, s, longest);
	return at < 0 ? s : (struct str){s.ptr, (size_t)at};
}

/* The replacement text; NUL bytes in it stand for the match. */
static void put_replacement(struct u_buf *b, struct str repl, struct str match)
{
	while (repl.len) {
		const char *nul = memchr(repl.ptr, '\0', repl.len);
		size_t n = nul ? (size_t)(nul - repl.ptr) : repl.len;

		u_buf_put(b, repl.ptr, n);
		if (!nul)
			return;
		u_buf_put(b, match.ptr, match.len);
		repl.ptr += n + 1;
		repl.len -= n + 1;
	}
}

bool match_replace(struct expander *x, const struct pattern *pat, struct str *s,
                   struct str repl, const struct param *param, bool empty_end)
{
	struct str in = *s;
	size_t at = 0, end = 0;
	struct u_buf b;
	int64_t hit;

	if (param->flags & PARAM_ANCHOR_START) {
		hit = pattern_prefix(x, pat, in, true);
		end = (size_t)hit;
		hit = hit < 0 ? -1 : 0;
	} else if (param->flags & PARAM_ANCHOR_END) {
		hit = pattern_suffix(x, pat, in, true);
		end = in.len;
		if (!empty_end && hit == (int64_t)in.len)
			return true;
	} else {
		hit = pattern_find(x, pat, in, 0, &end);
	}
	if (hit < 0)
		return true;
	u_buf_init(&b, x->p, 0);
	u_buf_reserve(&b, in.len + repl.len);
	for (;;) {
		struct str match = {in.ptr + hit, end - (size_t)hit};

		u_buf_put(&b, in.ptr + at, (size_t)hit - at);
		put_replacement(&b, repl, match);
		at = end;
		if (b.len > EXPAND_WORD_MAX)
			return expand_fail(x, EXPAND_FAIL,
			                   "expansion too long (limit is %zu bytes)",
			                   EXPAND_WORD_MAX);
		if (!(param->flags & PARAM_ALL) || at >= in.len)
			break;
		if (match.len == 0)
			u_buf_putc(&b, in.ptr[at++]);
		if (at >= in.len || (hit = pattern_find(x, pat, in, at, &end)) < 0)
			break;
		sys_checkpoint(x->p);
	}
	u_buf_put(&b, in.ptr + at, in.len - at);
	*s = (struct str){b.ptr ? b.ptr : "", b.len};
	return true;
}
