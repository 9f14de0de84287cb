/* subst.c - the commands s and y. */
#include "sed.h"

/* ---- Case ------------------------------------------------------------------------------- */

struct casing {
	char all;	/* U, L or 0: for all that follows */
	char once;	/* u, l or 0: for the next character */
};

static void put_cased(struct sed *s, char how, const char *ptr, size_t n)
{
	while (n > 0) {
		unsigned len = 1, out;
		uint32_t c = (unsigned char)*ptr;
		char buf[6];

		if (s->utf8 && c >= 0x80)
			c = utf8_decode(ptr, n, &len);
		if (c == UTF8_BAD || (!s->utf8 && c >= 0x80)) {
			u_buf_putc(&s->spare, *ptr);
		} else {
			c = ascii_toupper(how) == 'U' ? utf8_toupper(c) : utf8_tolower(c);
			out = utf8_encode(c, buf);
			u_buf_put(&s->spare, buf, out);
		}
		ptr += len;
		n -= len;
	}
}

static void put_part(struct sed *s, struct casing *k, const char *ptr, size_t n)
{
	unsigned len = 1;

	if (n == 0)
		return;
	if (k->once) {
		if (s->utf8)
			utf8_decode(ptr, n, &len);
		put_cased(s, k->once, ptr, len);
		k->once = 0;
		ptr += len;
		n -= len;
	}
	if (k->all)
		put_cased(s, k->all, ptr, n);
	else
		u_buf_put(&s->spare, ptr, n);
}

static void replace(struct sed *s, const struct sed_subst *u)
{
	struct casing k = {0, 0};

	for (size_t i = 0; i < u->nparts; i++) {
		const struct sed_part *part = &u->parts[i];
		const struct regex_span *m = &s->spans[part->group];

		switch (part->kind) {
		case SED_TEXT: put_part(s, &k, part->text.ptr, part->text.len); break;
		case SED_GROUP:
			if (m->start != REGEX_UNSET)
				put_part(s, &k, s->pattern.b.ptr + m->start, m->end - m->start);
			break;
		case SED_CASE:
			if (part->change == 'u' || part->change == 'l') {
				k.once = part->change;
			} else {
				/* These also end a \u or \l before them: it has to be \L\u. */
				k.all = part->change == 'E' ? 0 : part->change;
				k.once = 0;
			}
			break;
		}
	}
}

/* ---- s ------------------------------------------------------------------------------------- */

/* The bytes of the character at `at`, 0 at the end. */
static size_t char_size(const struct sed *s, size_t at)
{
	unsigned len = 1;

	if (at >= s->pattern.b.len)
		return 0;
	if (s->utf8)
		utf8_decode(s->pattern.b.ptr + at, s->pattern.b.len - at, &len);
	return len;
}

/* Builds the new pattern space in s->spare; true when something was replaced. */
static bool substitute(struct sed *s, const struct sed_subst *u, size_t nspans)
{
	const char *text = s->pattern.b.ptr;
	size_t len = s->pattern.b.len, at = 0, last_end = SIZE_MAX;
	uint64_t count = 0;
	bool done = false, again = false;

	s->spare.len = 0;
	while (at <= len && sed_matches(s, &u->re, at, again ? REGEX_SAME : 0, nspans)) {
		struct regex_span m = s->spans[0];
		size_t skip;

		again = true;
		u_buf_put(&s->spare, text + at, m.start - at);
		/* An empty match right after the last match is none. */
		if (m.start == m.end && m.start == last_end) {
			skip = char_size(s, m.end);
			u_buf_put(&s->spare, text + m.end, skip);
			at = m.end + (skip ? skip : 1);
			continue;
		}
		last_end = m.end;
		if (++count < u->number) {
			u_buf_put(&s->spare, text + m.start, m.end - m.start);
		} else {
			replace(s, u);
			done = true;
			if (!u->global) {
				at = m.end;
				break;
			}
		}
		at = m.end;
		if (m.start == m.end) {
			skip = char_size(s, at);
			u_buf_put(&s->spare, text + at, skip);
			at += skip ? skip : 1;
		}
	}
	if (done && at < len)
		u_buf_put(&s->spare, text + at, len - at);
	return done;
}

void sed_substitute(struct sed *s, const struct sed_subst *u)
{
	const struct sed_regex *re = u->re.re ? &u->re : s->last_regex;
	struct u_buf old;

	if (!u->re.re && re && u->groups > regex_groups(re->re))
		u_die(s->p, 1, 0, "-e expression #1, char 0: invalid reference \\%u on `s' command's RHS",
		      u->groups);
	if (!substitute(s, u, u->groups + 1))
		return;
	old = s->pattern.b;
	s->pattern.b = s->spare;
	s->spare = old;
	s->substituted = true;
	for (int i = 0; i < u->print; i++)
		sed_put_space(s, s->out, s->pattern.b.ptr, s->pattern.b.len, s->pattern.chomped);
	if (u->file)
		sed_put_space(s, u->file, s->pattern.b.ptr, s->pattern.b.len, s->pattern.chomped);
}

/* ---- y -------------------------------------------------------------------------------------- */

static void map_wide(struct sed *s, const struct sed_map *m)
{
	const char *t = s->pattern.b.ptr, *end = t + s->pattern.b.len;
	struct u_buf old;

	s->spare.len = 0;
	while (t < end) {
		const struct sed_pair *hit = NULL;
		unsigned len = 1;

		if (s->utf8)
			utf8_decode(t, (size_t)(end - t), &len);
		for (size_t i = m->npairs; m->wide[(unsigned char)*t] && i-- > 0;) {
			if (m->pairs[i].nfrom == len && memcmp(m->pairs[i].from, t, len) == 0) {
				hit = &m->pairs[i];
				break;
			}
		}
		if (hit)
			u_buf_put(&s->spare, hit->to, hit->nto);
		else if (len == 1)
			u_buf_putc(&s->spare, (char)m->byte[(unsigned char)*t]);
		else
			u_buf_put(&s->spare, t, len);
		t += len;
		sys_checkpoint(s->p);
	}
	old = s->pattern.b;
	s->pattern.b = s->spare;
	s->spare = old;
}

void sed_map_chars(struct sed *s, const struct sed_map *m)
{
	if (m->npairs > 0)
		map_wide(s, m);
	else
		scan_translate(s->pattern.b.ptr, s->pattern.b.ptr, s->pattern.b.len, m->byte);
}
