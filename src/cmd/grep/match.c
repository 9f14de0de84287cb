/*
 * match.c - what the patterns match: one front for the two engines.
 *
 * All patterns become one expression of our own engine (regex/), but for -P, whose single pattern goes to
 * PCRE2 (pcre/). Before it a regular expression is asked, if there is one: where it finds nothing, PCRE2 would not
 * either; where both match the same lines, PCRE2 is asked only for the part that is to be shown, and only where
 * the first match starts.
 */
#include "grep.h"

static void checkpoint(void *ctx)
{
	sys_checkpoint_n(ctx, 4096);
}

/* ---- Compilation -------------------------------------------------------------------------- */

static struct str *split_patterns(struct grep *g, size_t *n)
{
	const char *s = g->keys.ptr, *end = s + g->keys.len;
	struct str *v = u_array(g->p, scan_count(s, g->keys.len, '\n') + 1, sizeof(*v));

	*n = 0;
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		v[(*n)++] = (struct str){s, (size_t)(nl - s)};
		s = nl + 1;
	}
	return v;
}

static void step(void *ctx, uint32_t n)
{
	sys_checkpoint_n(ctx, n);
}

static bool stack(void *ctx, size_t need)
{
	return sys_stack(ctx, need);
}

/* Compiles the pattern of -P. False when there is no bound for it; else *v and *flags are those of the bound. */
static bool compile_perl(struct grep *g, struct str *v, unsigned *flags)
{
	struct pcre_host host = {&sys_self(g->p)->arena, step, stack, g->p};
	unsigned options = (g->utf8 ? PCRE_UTF8 : 0) | (g->icase ? PCRE_ICASE : 0) |
			   (g->line ? PCRE_LINE : g->word ? PCRE_WORD : 0);
	struct str narrow = g->unicode ? *v : grep_perl_narrow(g, *v);
	char message[256];
	struct u_buf b;

	options |= (g->unicode ? PCRE_UCP : 0) | (g->groups ? PCRE_GROUPS : 0) | (g->many_lines ? PCRE_LINES : 0) |
		   (g->dot_all ? PCRE_DOTALL : 0);
	g->perl = pcre_compile(&host, narrow.ptr, narrow.len, options, message, sizeof(message));
	if (!g->perl)
		u_die(g->p, 2, 0, "%s", message);
	u_buf_init(&b, g->p, 0);
	if (g->many_lines || !grep_perl_translate(g, v->ptr, v->len, &b, &g->bound))
		return false;
	*v = (struct str){b.ptr, b.len};
	*flags |= REGEX_EGREP | (g->bound.icase ? REGEX_ICASE : 0);
	if (g->line && !g->bound.around)
		*flags |= REGEX_LINE;
	else if (g->line || g->word)
		g->bound.exact = g->bound.ascii = false;
	return true;
}

static unsigned flags_of(const struct grep *g)
{
	unsigned flags = REGEX_WARN | (g->dialect ? (unsigned)g->dialect - 1 : REGEX_GREP);

	flags |= (g->utf8 ? REGEX_UTF8 : 0) | (g->icase ? REGEX_ICASE : 0);
	return flags | (g->line ? REGEX_LINE : g->word ? REGEX_WORD : 0);
}

void grep_compile(struct grep *g)
{
	struct arena *a = &sys_self(g->p)->arena;
	unsigned flags = REGEX_NOSUB;
	const struct regex_warning *w;
	struct regex_error err;
	size_t n;
	struct str *v = split_patterns(g, &n);

	g->spans = u_array(g->p, GREP_SPANS, sizeof(*g->spans));
	if (g->dialect == GREP_PERL) {
		if (n > 1)
			u_die(g->p, 2, 0, "the -P option only supports a single pattern");
		if (n == 1 && !compile_perl(g, v, &flags))
			return;
	} else {
		flags |= flags_of(g);
	}
	g->re = n == 1 ? regex_compile(a, v[0].ptr, v[0].len, flags, &err)
		       : regex_compile_set(a, v, n, flags, &err);
	if (!g->re && g->perl)
		return;
	if (!g->re)
		u_die(g->p, 2, 0, "%s", err.message);
	w = regex_warnings(g->re, &n);
	for (size_t i = 0; i < n; i++)
		u_warn(g->p, 0, "warning: %s", w[i].text);
	g->scratch = regex_scratch_new(a, g->re, checkpoint, g->p);
	for (size_t i = 0; g->perl && i < g->bound.nalso; i++) {
		struct str s = g->bound.also[i];

		g->also[i] = regex_compile(a, s.ptr, s.len, REGEX_NOSUB | REGEX_EGREP | (flags & REGEX_ICASE), &err);
		if (g->also[i])
			g->also_scratch[i] = regex_scratch_new(a, g->also[i], checkpoint, g->p);
	}
}

/* ---- Matching -------------------------------------------------------------------------------- */

static bool perl_search(struct grep_search *s, struct str text, size_t from, bool anchored, struct regex_span *m)
{
	struct pcre_match match;
	int r = pcre_search(s->g->perl, text.ptr, text.len, from, anchored, &match);

	if (r < 0)
		u_die(s->g->p, 2, 0, "%s: %s", s->name, pcre_failure(r));
	if (r > 0)
		*m = (struct regex_span){match.start, match.end};
	return r > 0;
}

static bool regex_match(struct grep *g, struct str text, size_t from, bool first, struct regex_span *m)
{
	int r = regex_search(g->re, g->scratch, text.ptr, text.len, from, first ? 0 : REGEX_SAME, m, 1);

	if (r < 0)
		u_die(g->p, 2, 0, "%s", regex_failure(r));
	return r > 0;
}

/* The first place that a look back from `from` may reach. */
static size_t looked_back(const struct grep *g, struct str text, size_t from)
{
	for (size_t n = pcre_lookbehind(g->perl); n > 0 && from > 0; n--) {
		from--;
		while (g->utf8 && from > 0 && (text.ptr[from] & 0xc0) == 0x80)
			from--;
	}
	return from;
}

bool grep_match(struct grep_search *s, struct str text, size_t from, bool first, struct regex_span *m)
{
	struct grep *g = s->g;

	if (!g->perl)
		return regex_match(g, text, from, first, m);
	if (g->re) {
		/* What is looked back at may lie before `from`. */
		size_t start = g->bound.behind ? looked_back(g, text, from) : from;

		if (!regex_match(g, text, start, first, m))
			return false;
		from = MAX(from, m->start);
		if (g->bound.exact && !g->bound.behind && perl_search(s, text, from, true, m))
			return true;
	}
	return perl_search(s, text, from, false, m);
}

static int64_t checked(struct grep *g, int64_t r)
{
	if (r < 0)
		u_die(g->p, 2, 0, "%s", regex_failure((int)r));
	return r;
}

static size_t regex_lines(struct grep *g, struct str text, size_t max, size_t *done)
{
	return (size_t)checked(g, regex_find_lines(g->re, g->scratch, text.ptr, text.len, g->delim, g->spans, max, done));
}

/* Whether the line has all else that it must have. */
static bool has_also(struct grep *g, struct str line)
{
	for (size_t i = 0; i < g->bound.nalso; i++) {
		if (g->also[i] && regex_search(g->also[i], g->also_scratch[i], line.ptr, line.len, 0, 0, NULL, 0) == 0)
			return false;
	}
	return true;
}

/* Of the lines that the bound lets pass, those that match. */
static size_t bounded_lines(struct grep_search *s, struct str text, size_t max, size_t *done)
{
	struct grep *g = s->g;
	size_t n = regex_lines(g, text, max, done), kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct regex_span at = g->spans[i], m;
		struct str line = {text.ptr + at.start, at.end - at.start};

		if (g->bound.ascii && scan_ascii(line.ptr, line.len) == line.len)
			g->spans[kept++] = at;
		else if (has_also(g, line) && perl_search(s, line, 0, false, &m))
			g->spans[kept++] = at;
	}
	return kept;
}

static size_t perl_lines(struct grep_search *s, struct str text, size_t max, size_t *done)
{
	struct grep *g = s->g;
	size_t n = 0;

	for (*done = 0; *done < text.len && n < max;) {
		const char *at = text.ptr + *done, *nl = memchr(at, g->delim, text.len - *done);
		struct str line = {at, nl ? (size_t)(nl - at) : text.len - *done};
		struct regex_span m;

		sys_checkpoint_n(g->p, (uint32_t)(1 + line.len / 16));
		if (perl_search(s, line, 0, false, &m))
			g->spans[n++] = (struct regex_span){*done, *done + line.len};
		*done += line.len + (nl ? 1 : 0);
	}
	return n;
}

size_t grep_match_lines(struct grep_search *s, struct str text, size_t max, size_t *done)
{
	struct grep *g = s->g;

	if (!g->perl || (g->re && g->bound.exact))
		return regex_lines(g, text, max, done);
	return g->re ? bounded_lines(s, text, max, done) : perl_lines(s, text, max, done);
}

uint64_t grep_match_count(struct grep_search *s, struct str text)
{
	struct grep *g = s->g;
	uint64_t n = 0;

	if (!g->perl || (g->re && (g->bound.exact || (g->bound.ascii && scan_ascii(text.ptr, text.len) == text.len))))
		return (uint64_t)checked(g, regex_count_lines(g->re, g->scratch, text.ptr, text.len, g->delim));
	while (text.len > 0) {
		size_t done;

		n += grep_match_lines(s, text, GREP_SPANS, &done);
		text.ptr += done;
		text.len -= done;
	}
	return n;
}
