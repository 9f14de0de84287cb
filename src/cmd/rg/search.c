/*
 * search.c - which lines of a file are selected.
 *
 * A file is read in blocks of whole lines; it is held in memory as a whole only where lines before a selected one are to be
 * printed or a match may span lines. A block is cut into runs that match and runs that do not, and print.c is told.
 * Invariant: s->shown is the end of what was printed of the block, or its start.
 *
 * Binary data: a file with a NUL in its first 64 KiB is left out, or, when it was named, only said to match; one with a
 * NUL further on is searched up to there.
 */
#include "rg.h"

#define LOOK_FOR_NUL 65536
#define WHOLE_MAX ((size_t)1 << 30)

/* ---- Matches --------------------------------------------------------------------------------- */

static bool find(struct rg_search *s, struct str text, size_t from, bool first, struct regex_span *m)
{
	struct grep *g = &s->g->match;
	struct pcre_match found;
	int r;

	if (!g->many_lines)
		return grep_match(&s->m, text, from, first, m);
	r = pcre_search(g->perl, text.ptr, text.len, from, false, &found);
	if (r < 0)
		rg_die(s->g, "%s: PCRE2: error matching: %s", s->path, pcre_failure(r));
	*m = (struct regex_span){found.start, found.end};
	return r > 0;
}

static size_t after_char(struct str text, size_t at)
{
	unsigned len = 1;

	if (at < text.len)
		utf8_decode(text.ptr + at, text.len - at, &len);
	return at + len;
}

bool rg_next_match(struct rg_search *s, struct str text, size_t *from, size_t to, size_t *last, struct regex_span *m)
{
	while (*from <= to && find(s, text, *from, *last == SIZE_MAX, m)) {
		bool empty = m->start == m->end;

		sys_checkpoint(s->g->p);
		if (m->start > to || (m->start == to && to > 0 && s->g->multiline && text.ptr[to - 1] == '\n'))
			return false;
		/* There is no place behind a last line that has no end. */
		if (empty && m->start == text.len && text.ptr + text.len == s->end && text.len > 0 && text.ptr[text.len - 1] != '\n')
			return false;
		*from = empty ? after_char(text, m->end) : m->end;
		if (empty && m->start == *last)
			continue;
		*last = m->end;
		return true;
	}
	return false;
}

/* The lines that matches are in, those of several lines as one; as grep_match_lines. */
static size_t multiline_runs(struct rg_search *s, struct str text, size_t max, size_t *done)
{
	struct regex_span m, *run = s->g->match.spans;
	size_t n = 0, from = 0, last = SIZE_MAX;
	bool took_newline = false;

	*done = text.len;
	while (rg_next_match(s, text, &from, text.len, &last, &m)) {
		const char *start = m.start ? memrchr(text.ptr, '\n', m.start) : NULL;
		size_t a = start ? (size_t)(start - text.ptr) + 1 : 0, stop = m.end > m.start ? m.end - 1 : m.end;
		const char *nl = stop < text.len ? memchr(text.ptr + stop, '\n', text.len - stop) : NULL;
		size_t b = nl ? (size_t)(nl - text.ptr) : text.len;

		/* A match that took its line's end with it joins that line to the next. */
		if (n > 0 && a <= run[n - 1].end + took_newline) {
			run[n - 1].end = MAX(run[n - 1].end, b);
			took_newline = m.end > run[n - 1].end;
			continue;
		}
		took_newline = m.end > b;
		if (n == max) {
			*done = a;
			break;
		}
		run[n++] = (struct regex_span){a, b};
	}
	return n;
}

static uint64_t count_matches(struct rg_search *s, const char *at, const char *end)
{
	struct str text = {at, (size_t)(end - at)};
	size_t from = 0, to = text.len, last = SIZE_MAX;
	struct regex_span m;
	uint64_t n = 0;

	if (s->g->multiline) {
		from = (size_t)(at - s->block);
		to = (size_t)(end - s->block);
		text = (struct str){s->block, (size_t)(s->end - s->block)};
	} else if (text.len > 0 && end[-1] == '\n') {
		text.len--;
		to--;
	}
	while (rg_next_match(s, text, &from, to, &last, &m))
		n++;
	return n;
}

/* ---- Context ------------------------------------------------------------------------------------- */

/* The start of the k-th line before `at`. */
static const char *lines_before(const struct rg_search *s, const char *at, int64_t k)
{
	while (k-- > 0 && at > s->shown) {
		const char *nl = at - 1 > s->shown ? memrchr(s->shown, '\n', (size_t)(at - 1 - s->shown)) : NULL;

		at = nl ? nl + 1 : s->shown;
	}
	return at;
}

static const char *line_end(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	return nl ? nl + 1 : end;
}

static void show_before(struct rg_search *s, const char *at)
{
	struct rg *g = s->g;
	const char *from = g->passthru ? s->shown : lines_before(s, at, g->before);

	s->gap |= from > s->shown;
	if (from < at)
		rg_print_context(s, from, at);
}

/* ---- Runs -------------------------------------------------------------------------------------------- */

static bool stops_at_binary(struct rg_search *s, const char *at)
{
	uint64_t where = s->base + (uint64_t)(at - s->block);

	return s->nul >= 0 && s->binary == RG_BINARY_CONVERT && s->g->mode == RG_LINES &&
	       (s->nul < LOOK_FOR_NUL || where >= (uint64_t)s->nul);
}

/* Lines of binary data are not printed, neither selected ones nor context: the search ends before the first. */
static void stop(struct rg_search *s)
{
	s->done = s->stopped = true;
	s->after_left = 0;
}

/* One selected run that is not cut any further. */
static void select_one(struct rg_search *s, const char *at, const char *end)
{
	struct rg *g = s->g;

	if (stops_at_binary(s, at)) {
		/* Even a line before it would be too much. */
		s->selected += !(g->before > 0 && at > s->shown);
		stop(s);
		return;
	}
	s->selected++;
	if (g->quiet || g->mode == RG_WITH || g->mode == RG_WITHOUT) {
		s->done = true;
		return;
	}
	if ((g->mode == RG_COUNT_MATCHES || (g->mode == RG_COUNT && g->multiline)) && !g->invert)
		s->matches += count_matches(s, at, end);
	else
		s->matches++;
	if (g->mode == RG_LINES) {
		show_before(s, at);
		rg_print_selected(s, at, end);
		s->after_left = g->passthru ? INT64_MAX : MAX(g->after, (int64_t)0);
	}
	if (g->max >= 0 && s->selected >= (uint64_t)g->max) {
		s->done = true;
		s->stopped = g->passthru;
	}
}

static void skip_run(struct rg_search *s, const char *at, const char *end)
{
	const char *from = at;
	bool shows = (s->g->passthru && s->g->mode == RG_LINES) || s->after_left > 0;

	if (shows && at < end && stops_at_binary(s, at)) {
		stop(s);
		return;
	}
	if (s->g->passthru && s->g->mode == RG_LINES) {
		if (at < end)
			rg_print_context(s, at, end);
		return;
	}
	for (; at < end && s->after_left > 0; s->after_left--)
		at = line_end(at, end);
	if (at > from)
		rg_print_context(s, from, at);
}

/* Lines that match beyond --max-count are printed as such where they are context of the last. */
static void select_after_last(struct rg_search *s, const char *at, const char *end)
{
	if (s->g->passthru) {
		skip_run(s, at, end);
		return;
	}
	for (const char *next; at < end && s->after_left > 0; s->after_left--, at = next) {
		next = line_end(at, end);
		rg_print_selected(s, at, next);
	}
}

static void take_run(struct rg_search *s, const char *at, const char *end, bool matches)
{
	struct rg *g = s->g;

	if (at == end)
		return;
	if (matches == g->invert) {
		skip_run(s, at, end);
		return;
	}
	if (s->stopped)
		return;
	if (s->done) {
		select_after_last(s, at, end);
		return;
	}
	if (!g->invert) {
		select_one(s, at, end);
		return;
	}
	while (at < end && !s->done) {
		const char *next = line_end(at, end);

		select_one(s, at, next);
		at = next;
	}
	if (at < end)
		select_after_last(s, at, end);
}

static void search_block(struct rg_search *s)
{
	struct rg *g = s->g;
	const char *at = s->block;
	size_t most = g->quiet || g->max > 0 ? 1 : GREP_SPANS;

	if (g->mode == RG_COUNT && !g->invert && !g->multiline && g->max < 0 && !g->quiet) {
		s->selected += grep_match_count(&s->m, (struct str){at, (size_t)(s->end - at)});
		return;
	}
	while (at < s->end && !s->stopped && (!s->done || s->after_left > 0 || g->passthru)) {
		struct str text = {at, (size_t)(s->end - at)};
		const char *from = at;
		size_t done = text.len, n = 0;

		if (!s->done || s->after_left > 0)
			n = g->multiline ? multiline_runs(s, text, most, &done) : grep_match_lines(&s->m, text, most, &done);
		for (size_t i = 0; i < n; i++) {
			const char *start = from + g->match.spans[i].start, *end = from + g->match.spans[i].end;

			end += end < s->end;
			take_run(s, at, start, false);
			take_run(s, start, end, true);
			at = end;
		}
		take_run(s, at, from + done, false);
		at = from + done;
	}
}

/* ---- Files ----------------------------------------------------------------------------------------------- */

/* Looks for a NUL in the block; false when nothing of it is to be searched. */
static bool look_for_nul(struct rg_search *s)
{
	const char *nul;

	if (s->binary == RG_BINARY_NONE || s->nul >= 0)
		return true;
	nul = memchr(s->block, '\0', (size_t)(s->end - s->block));
	if (!nul)
		return true;
	s->nul = (int64_t)(s->base + (uint64_t)(nul - s->block));
	if (s->binary == RG_BINARY_CONVERT)
		return true;
	if (s->nul >= LOOK_FOR_NUL) {
		const char *line = memrchr(s->block, '\n', (size_t)(nul - s->block));

		s->end = line ? line + 1 : s->block;
	}
	return s->nul >= LOOK_FOR_NUL;
}

/* In binary data that came through a buffer NULs end lines, too, as ripgrep has it. */
static void zap_nuls(struct rg_search *s)
{
	struct u_buf *b = &s->g->match.zapped;
	size_t n = (size_t)(s->end - s->block);

	if (!b->p)
		u_buf_init(b, s->g->p, 0);
	b->len = 0;
	u_buf_put(b, s->block, n);
	for (char *t = b->ptr, *end = t + n; (t = memchr(t, '\0', (size_t)(end - t))) != NULL;)
		*t++ = '\n';
	s->block = s->counted = s->shown = b->ptr;
	s->end = b->ptr + n;
}

static void search_one_block(struct rg_search *s, struct str block)
{
	s->block = s->counted = s->shown = block.ptr;
	s->end = block.ptr + block.len;
	if (!look_for_nul(s)) {
		s->done = true;
		return;
	}
	if (s->nul >= 0 && s->binary == RG_BINARY_CONVERT && s->g->zaps)
		zap_nuls(s);
	search_block(s);
	if (s->g->line_number == RG_ON)
		s->lines += scan_count(s->counted, (size_t)(s->end - s->counted), '\n');
	s->gap |= s->shown < s->end;
	s->base += block.len;
	if (s->nul >= 0 && s->binary == RG_BINARY_QUIT)
		s->done = true;
}

static int read_whole(struct rg_search *s, int fd)
{
	struct rg *g = s->g;
	struct u_buf *b = &g->whole;
	int64_t n;

	if (!b->p)
		u_buf_init(b, g->p, WHOLE_MAX);
	b->len = 0;
	do {
		u_buf_reserve(b, 65536);
		n = sys_read(g->p, fd, b->ptr + b->len, b->cap - b->len - 1);
		b->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	b->ptr[b->len] = '\0';
	return n < 0 ? (int)n : 0;
}

void rg_search_fd(struct rg *g, int fd, const char *shown, bool named)
{
	struct rg_search s = {.g = g, .path = shown, .nul = -1, .binary = g->binary};
	struct u_lines r = {.err = 0};
	struct str block;

	s.m.g = &g->match;
	s.m.name = shown;
	if (named && s.binary == RG_BINARY_QUIT)
		s.binary = RG_BINARY_CONVERT;
	if (g->before > 0 || g->multiline) {
		r.err = read_whole(&s, fd);
		if (!r.err && g->whole.len > 0)
			search_one_block(&s, (struct str){g->whole.ptr, g->whole.len});
	} else {
		if (!g->match.joined.p)
			u_buf_init(&g->match.joined, g->p, 0);
		u_lines_init(&r, g->p, fd, '\n');
		r.join = g->match.joined;
		while (!s.stopped && !(s.done && s.after_left == 0 && !g->passthru) && u_lines_block(&r, &block))
			search_one_block(&s, block);
		g->match.joined = r.join;
	}
	if (r.err)
		rg_complain(g, r.err, shown);
	else
		rg_print_summary(&s);
	if (g->matched && g->quiet)
		u_exit(g->p, 0);
}
