/*
 * search.c - which lines of a file grep selects.
 *
 * The file comes in blocks of whole lines. The regular expressions are asked for the next
 * lines that match, so that they can look at a whole block at once; what lies between two
 * such lines is one run of lines that do not match. Every run is then either selected or
 * not (-v swaps them), and is printed, kept for context, or skipped.
 */
#include "grep.h"

/* ---- Lines and numbers -------------------------------------------------------------------- */

/* The number of the line at `at`; never asked backward within a block. */
static uint64_t line_number(struct grep_search *s, const char *at)
{
	if (!s->g->line_number)
		return 0;
	if (at > s->counted) {
		s->lines += scan_count(s->counted, (size_t)(at - s->counted), s->g->delim);
		s->counted = at;
	}
	return s->lines + 1;
}

static struct str line_at(const struct grep_search *s, const char *at, const char *end)
{
	const char *nl = memchr(at, s->g->delim, (size_t)(end - at));

	return (struct str){at, (size_t)((nl ? nl + 1 : end) - at)};
}

static uint64_t count_lines(const struct grep *g, const char *at, const char *end)
{
	uint64_t n = scan_count(at, (size_t)(end - at), g->delim);

	return n + (end > at && end[-1] != g->delim);
}

static void print_at(struct grep_search *s, struct str line, bool selected)
{
	/* A line that is no text ends the context, as in GNU grep. */
	if (!grep_print_line(s, line, selected, line_number(s, line.ptr),
			     s->base + (uint64_t)(line.ptr - s->block)))
		s->cut_context = true;
	s->shown = line.ptr + line.len;
	s->adjacent = true;
}

/* ---- Context -------------------------------------------------------------------------------- */

/* Prints the last `want` of the lines saved from former blocks. */
static void print_saved(struct grep_search *s, uint64_t want)
{
	char delim = s->g->delim;
	uint64_t left, n = scan_count(s->saved.ptr, s->saved.len, delim);
	size_t at = n > want ? scan_after(s->saved.ptr, s->saved.len, delim, n - want, &left) : 0;
	uint64_t first = 0;

	if (s->g->line_number)
		first = line_number(s, s->block) - MIN(n, want);
	while (at < s->saved.len) {
		struct str line = line_at(s, s->saved.ptr + at, s->saved.ptr + s->saved.len);

		grep_print_line(s, line, false, first++, s->base - s->saved.len + at);
		at += line.len;
	}
}

/* The lines before `at` that belong to its context, and the separator before them. */
static void print_before(struct grep_search *s, const char *at)
{
	struct grep *g = s->g;
	uint64_t want = g->before > 0 ? (uint64_t)g->before : 0, left = want + 1, saved = 0;
	const char *from = at;
	bool follows;

	if (at == s->shown && s->adjacent)
		return;
	if (want > 0) {
		from = s->shown + scan_after_last(s->shown, (size_t)(at - s->shown), g->delim,
						  want + 1, &left);
		if (left > 1 && s->shown == s->block && !s->adjacent)
			saved = MIN(left - 1, scan_count(s->saved.ptr, s->saved.len, g->delim));
	}
	if (saved > 0)
		follows = s->saved_follows && saved == scan_count(s->saved.ptr, s->saved.len, g->delim);
	else
		follows = s->adjacent && from == s->shown;
	if ((g->before >= 0 || g->after >= 0) && g->printed && !follows)
		grep_print_separator(g);
	if (saved > 0)
		print_saved(s, saved);
	while (from < at) {
		struct str line = line_at(s, from, at);

		print_at(s, line, false);
		from += line.len;
	}
}

/* Keeps the last lines in `saved` that may become leading context. */
static void trim_saved(struct grep_search *s)
{
	uint64_t left;
	size_t at = scan_after_last(s->saved.ptr, s->saved.len, s->g->delim,
				    (uint64_t)s->g->before + 1, &left);

	if (left > 0)
		return;
	memmove(s->saved.ptr, s->saved.ptr + at, s->saved.len - at);
	s->saved.len -= at;
	s->saved_follows = false;
}

/* Keeps of the block what may become leading context of a line in the next one. */
static void save_context(struct grep_search *s)
{
	struct grep *g = s->g;
	size_t n = (size_t)(s->end - s->shown), at;
	uint64_t left;

	if (g->before > 0 && n > 0) {
		if (s->shown > s->block || s->adjacent) {
			s->saved.len = 0;
			s->saved_follows = true;
		}
		/* More than enough lines are not even copied. */
		at = scan_after_last(s->shown, n, g->delim, (uint64_t)g->before + 1, &left);
		if (left == 0) {
			s->saved.len = 0;
			s->saved_follows = false;
		}
		u_buf_put(&s->saved, s->shown + at, n - at);
		trim_saved(s);
	}
	if (n > 0)
		s->adjacent = false;
}

/* ---- Runs ------------------------------------------------------------------------------------- */

static void check_max(struct grep_search *s)
{
	if (s->g->max >= 0 && s->selected >= (uint64_t)s->g->max)
		s->done = true;
}

static void count_run(struct grep_search *s, const char *at, const char *end)
{
	struct grep *g = s->g;
	uint64_t n = count_lines(g, at, end);

	if (g->max >= 0 && n > (uint64_t)g->max - s->selected) {
		uint64_t left, want = (uint64_t)g->max - s->selected;

		end = at + scan_after(at, (size_t)(end - at), g->delim, want, &left);
		n = want;
	}
	s->selected += n;
	s->after_selected = s->base + (uint64_t)(end - s->block);
	check_max(s);
}

/* Lines of text can go out as they are unless one of them is no text. */
static bool may_go_plain(const struct grep *g, const char *at, const char *end)
{
	return grep_prints_plain(g) && (!g->utf8 || g->binary == BINARY_TEXT ||
					scan_ascii(at, (size_t)(end - at)) == (size_t)(end - at));
}

static void select_run(struct grep_search *s, const char *at, const char *end)
{
	struct grep *g = s->g;

	if (at == end)
		return;
	if (g->stop_at_first || (s->has_nul && !g->count)) {
		g->printed |= !g->stop_at_first; /* as GNU has it: a separator comes before what follows */
		s->selected++;
		s->done = true;
		return;
	}
	if (g->count) {
		count_run(s, at, end);
		return;
	}
	print_before(s, at);
	s->cut_context = false;
	if (g->max < 0 && may_go_plain(g, at, end)) {
		u_put(g->out, at, (size_t)(end - at));
		if (end[-1] != g->delim)
			u_putc(g->out, g->delim);
		s->selected++; /* that there are some is all that matters */
		s->shown = end;
		s->adjacent = g->printed = true;
	} else {
		while (at < end && !s->done) {
			struct str line = line_at(s, at, end);

			print_at(s, line, true);
			at += line.len;
			s->selected++;
			check_max(s);
		}
		s->after_selected = s->base + (uint64_t)(at - s->block);
	}
	s->after_left = g->after > 0 && !s->cut_context ? g->after : 0;
}

/* Lines that are not selected: trailing context first. */
static void skip_run(struct grep_search *s, const char *at, const char *end)
{
	s->cut_context = false;
	while (at < end && s->after_left > 0) {
		struct str line = line_at(s, at, end);

		print_at(s, line, false);
		at += line.len;
		s->after_left = s->cut_context ? 0 : s->after_left - 1;
	}
}

static void take_run(struct grep_search *s, const char *at, const char *end, bool matches)
{
	bool stopped = s->done;

	if (stopped || matches == s->g->invert)
		skip_run(s, at, end);
	else
		select_run(s, at, end);
	/* The limit was reached within the run: the rest of it can only be context. */
	if (!stopped && s->done && s->after_left > 0 && s->shown >= at && s->shown < end)
		skip_run(s, s->shown, end);
}

static void search_block(struct grep_search *s)
{
	struct grep *g = s->g;
	const char *at = s->block;
	size_t most = g->stop_at_first && !g->invert ? 1 : GREP_SPANS;

	if (g->count && !g->invert && g->max < 0) {
		s->selected += grep_match_count(s, (struct str){at, (size_t)(s->end - at)});
		return;
	}
	while (at < s->end && (!s->done || s->after_left > 0)) {
		const char *from = at;
		size_t done = 0, n = 0;

		if (s->done)
			done = (size_t)(s->end - at);
		else
			n = grep_match_lines(s, (struct str){at, (size_t)(s->end - at)}, most, &done);
		for (size_t i = 0; i < n; i++) {
			const char *start = from + g->spans[i].start, *end = from + g->spans[i].end;

			end += end < s->end; /* the delimiter */
			take_run(s, at, start, false);
			take_run(s, start, end, true);
			at = end;
		}
		take_run(s, at, from + done, false);
		at = from + done;
	}
}

/* ---- Files -------------------------------------------------------------------------------------- */

static int decimal_width(uint64_t n)
{
	int w = 1;

	for (; n >= 10; n /= 10)
		w++;
	return w;
}

/* The block with NULs made line ends, for binary data. */
static void zap_nuls(struct grep_search *s)
{
	s->zapped.len = 0;
	u_buf_put(&s->zapped, s->block, (size_t)(s->end - s->block));
	for (char *t = s->zapped.ptr, *end = t + s->zapped.len; (t = memchr(t, 0, (size_t)(end - t)));)
		*t++ = '\n';
	s->block = s->zapped.ptr;
	s->end = s->block + s->zapped.len;
}

/* False when the file is not to be looked at any further. */
static bool look_for_nuls(struct grep_search *s)
{
	struct grep *g = s->g;

	if (g->binary == BINARY_TEXT || g->delim != '\n')
		return true;
	if (!s->has_nul && memchr(s->block, 0, (size_t)(s->end - s->block))) {
		if (g->binary == BINARY_SKIP)
			return false;
		s->has_nul = true;
		s->selected_before_nul = s->selected;
	}
	if (s->has_nul)
		zap_nuls(s);
	return true;
}

/* Leaves standard input after the last selected line, where a limit ended the search. */
static void give_back(struct grep_search *s, int fd, int64_t start)
{
	if (fd == 0 && start >= 0 && s->done && s->g->max >= 0 &&
	    s->selected >= (uint64_t)s->g->max)
		(void)!sys_seek(s->g->p, fd, start + (int64_t)s->after_selected, SYS_SEEK_SET);
}

static void report(struct grep_search *s)
{
	struct grep *g = s->g;
	bool nul_hit = s->has_nul && s->selected > s->selected_before_nul;

	if (g->count)
		grep_print_count(s);
	if (g->list != LIST_NONE && (s->selected > 0) == (g->list == LIST_MATCHING))
		grep_print_listed(g, s->name);
	if (!g->quiet && !g->count && g->list == LIST_NONE && (nul_hit || s->bad_text) &&
	    g->binary == BINARY_SUMMARY)
		u_warn(g->p, 0, "%s: binary file matches", s->name);
	if (g->line_buffered)
		u_flush(g->out);
}

bool grep_search_fd(struct grep *g, int fd, const char *name)
{
	struct grep_search s = {.g = g, .name = name};
	struct u_lines r;
	struct str block;
	struct sys_stat st;
	int64_t start = sys_seek(g->p, fd, 0, SYS_SEEK_CUR);

	if (g->initial_tab) {
		bool sized = sys_fstat(g->p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE;

		s.offset_width = sized ? decimal_width((uint64_t)st.size) : 19;
	}
	if (!g->joined.p) {
		u_buf_init(&g->joined, g->p, 0);
		u_buf_init(&g->saved, g->p, 0);
		u_buf_init(&g->zapped, g->p, 0);
	}
	s.saved = g->saved;
	s.zapped = g->zapped;
	s.saved.len = 0;
	u_lines_init(&r, g->p, fd, g->delim);
	r.join = g->joined;
	while (!(s.done && s.after_left == 0) && u_lines_block(&r, &block)) {
		s.block = s.counted = s.shown = block.ptr;
		s.end = block.ptr + block.len;
		if (!look_for_nuls(&s)) {
			s.selected = 0;
			break;
		}
		s.counted = s.shown = s.block;
		search_block(&s);
		if (g->line_number)
			line_number(&s, s.end);
		save_context(&s);
		s.base += block.len;
	}
	give_back(&s, fd, start);
	g->saved = s.saved;
	g->zapped = s.zapped;
	g->joined = r.join;
	if (r.err) {
		if (r.err == -NACRE_EISDIR && g->dirs == DIRS_SKIP)
			return false;
		if (!g->no_messages)
			u_warn(g->p, r.err, "%s", name);
		g->failed = true;
		/* What was found before the error has been printed; a summary is still due. */
	}
	report(&s);
	return s.selected > 0;
}
