/* print.c - what rg writes: lines with what is in front of them, matches alone or replaced, counts and names. */
#include "rg.h"

/* ---- Small parts --------------------------------------------------------------------------------- */

static void put_colored(struct rg *g, const char *color, const char *text, size_t n)
{
	if (g->colored)
		u_puts(g->out, color);
	u_put(g->out, text, n);
	if (g->colored)
		u_puts(g->out, "\033[0m");
}

void rg_print_path(struct rg *g, const char *path)
{
	const char *color = "\033[0m\033[35m";

	if (!g->path_separator) {
		put_colored(g, color, path, strlen(path));
		return;
	}
	for (; *path; path++)
		u_put(g->out, *path == '/' ? g->path_separator : path, 1);
}

static void put_number(struct rg *g, const char *color, uint64_t n, const char *sep)
{
	char text[24];

	put_colored(g, color, text, fmt_buf(text, sizeof(text), "%llu", (unsigned long long)n));
	u_puts(g->out, sep);
}

/* The number of the line that begins at `at`. */
static uint64_t line_number(struct rg_search *s, const char *at)
{
	if (at > s->counted) {
		s->lines += scan_count(s->counted, (size_t)(at - s->counted), '\n');
		s->counted = at;
	}
	return s->lines + 1;
}

/* ---- Groups of lines ------------------------------------------------------------------------------- */

/* What comes before a run of lines: the name above a file's first, a separator after a gap. */
static void begin_run(struct rg_search *s)
{
	struct rg *g = s->g;
	bool context = (g->before > 0 || g->after > 0) && !g->passthru;

	if (!s->headed) {
		s->headed = true;
		s->gap = false;
		if (g->printed && g->heading)
			u_putc(g->out, '\n');
		else if (g->printed && context && g->separator)
			u_printf(g->out, "%s\n", g->separator);
		if (g->heading && g->with_name) {
			rg_print_path(g, s->path);
			u_putc(g->out, g->null_after ? '\0' : '\n');
		}
		g->printed = true;
	} else if (s->gap && context && g->separator) {
		u_printf(g->out, "%s\n", g->separator);
	}
	s->gap = false;
}

/* Path, number, column (0: none) and offset before a line that begins at `at`. */
static void put_prefix(struct rg_search *s, const char *at, uint64_t number, size_t column, uint64_t offset, bool selected)
{
	struct rg *g = s->g;
	const char *sep = selected ? g->field_match : g->field_context;

	(void)at;
	if (g->with_name && !g->heading) {
		rg_print_path(g, s->path);
		if (g->null_after)
			u_putc(g->out, '\0');
		else
			u_puts(g->out, sep);
	}
	if (g->line_number == RG_ON)
		put_number(g, "\033[0m\033[32m", number, sep);
	if (g->column && column > 0)
		put_number(g, "\033[0m", column, sep);
	if (g->byte_offset)
		put_number(g, "\033[0m", offset, sep);
}

/* ---- Lines ---------------------------------------------------------------------------------------------- */

static struct str trimmed(const struct rg *g, struct str line)
{
	while (g->trim && line.len > 0 && (ascii_blank(*line.ptr) || strchr("\v\f\r", *line.ptr))) {
		line.ptr++;
		line.len--;
	}
	return line;
}

/* True when a line is longer than --max-columns: what is said instead of it was printed. */
static bool put_omitted(struct rg_search *s, struct str line, bool selected, uint64_t matches)
{
	struct rg *g = s->g;
	bool counts = selected && (g->colored || g->column || g->replace || g->only || g->vimgrep);

	if (g->max_columns <= 0 || line.len <= (size_t)g->max_columns)
		return false;
	if (g->preview) {
		size_t n = 0, chars = 0;

		for (unsigned len; n < line.len && chars < (size_t)g->max_columns; chars++, n += len)
			utf8_decode(line.ptr + n, line.len - n, &len);
		u_put(g->out, line.ptr, n);
		u_puts(g->out, " [... omitted end of long line]");
	} else if (!selected) {
		u_puts(g->out, "[Omitted long context line]");
	} else if (counts && !g->only) {
		u_printf(g->out, "[Omitted long line with %llu matches]", (unsigned long long)matches);
	} else {
		u_puts(g->out, "[Omitted long matching line]");
	}
	u_putc(g->out, '\n');
	return true;
}

static struct str without_newline(struct str line)
{
	if (line.len > 0 && line.ptr[line.len - 1] == '\n')
		line.len--;
	return line;
}

void rg_print_context(struct rg_search *s, const char *at, const char *end)
{
	struct rg *g = s->g;

	begin_run(s);
	while (at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at)), *next = nl ? nl + 1 : end;
		struct str line = trimmed(g, without_newline((struct str){at, (size_t)(next - at)}));
		uint64_t number = g->line_number == RG_ON ? line_number(s, at) : 0;

		put_prefix(s, at, number, 0, s->base + (uint64_t)(at - s->block), false);
		if (!put_omitted(s, line, false, 0)) {
			u_put(g->out, line.ptr, line.len);
			u_putc(g->out, '\n');
		}
		at = next;
	}
	s->shown = end;
}

/* ---- Matches ------------------------------------------------------------------------------------------------ */

/* $1, $name, ${name}, $$ of --replace. */
static void put_replacement(struct rg_search *s, struct u_buf *b, const char *text)
{
	struct pcre *re = s->g->match.perl;

	for (const char *r = s->g->replace; *r;) {
		bool braced = r[0] == '$' && r[1] == '{';
		const char *name = r + 1 + braced;
		size_t n = 0, i;
		struct pcre_match m;

		if (r[0] == '$' && r[1] == '$') {
			u_buf_putc(b, '$');
			r += 2;
			continue;
		}
		while (r[0] == '$' && (ascii_alnum(name[n]) || name[n] == '_'))
			n++;
		if (r[0] != '$' || n == 0 || (braced && name[n] != '}')) {
			u_buf_putc(b, *r++);
			continue;
		}
		i = strspn(name, "0123456789") >= n ? num_u64(name, &(const char *){NULL}, 10, NULL)
						    : pcre_group_named(re, name, n);
		if ((i > 0 || strspn(name, "0123456789") >= n) && pcre_group(re, i, &m))
			u_buf_put(b, text + m.start, m.end - m.start);
		r = name + n + braced;
	}
}

struct region {
	struct str text;	/* what is matched against */
	size_t from, to;	/* the part of it that is printed */
	const char *base;	/* text.ptr */
};

static struct region region_of(const struct rg_search *s, const char *at, const char *end)
{
	struct region r = {.text = {at, (size_t)(end - at)}};

	if (s->g->multiline) {
		r.text = (struct str){s->block, (size_t)(s->end - s->block)};
		r.from = (size_t)(at - s->block);
	} else {
		r.text = without_newline(r.text);
	}
	r.to = r.from + without_newline((struct str){at, (size_t)(end - at)}).len;
	return r;
}

/* One match alone, or what replaces it, a line for each of its lines. */
static void put_only(struct rg_search *s, const struct region *r, const struct regex_span *m)
{
	struct rg *g = s->g;
	struct str text = {r->text.ptr + m->start, m->end - m->start};
	const char *at = text.ptr, *nl = m->start ? memrchr(r->text.ptr, '\n', m->start) : NULL;
	size_t column = (size_t)(at - (nl ? nl + 1 : r->text.ptr)) + 1;
	uint64_t number = g->line_number == RG_ON ? line_number(s, at - (column - 1)) : 0;
	uint64_t offset = s->base + (uint64_t)(at - s->block);

	if (g->replace) {
		g->replaced.len = 0;
		put_replacement(s, &g->replaced, r->text.ptr);
		text = (struct str){g->replaced.ptr, g->replaced.len};
	}
	for (bool more = true; more; number++) {
		const char *end = memchr(text.ptr, '\n', text.len);
		struct str line = {text.ptr, end ? (size_t)(end - text.ptr) : text.len};

		more = end && (size_t)(end + 1 - text.ptr) < text.len;
		/* A match that is a line's end has nothing to show. */
		if (end && line.len == 0) {
			text.len -= (size_t)(end + 1 - text.ptr);
			text.ptr = end + 1;
			continue;
		}
		put_prefix(s, at, number, column, offset, true);
		line = trimmed(g, line);
		if (!put_omitted(s, line, true, 1)) {
			put_colored(g, "\033[0m\033[1m\033[31m", line.ptr, line.len);
			u_putc(g->out, '\n');
		}
		if (more) {
			text.len -= (size_t)(end + 1 - text.ptr);
			text.ptr = end + 1;
		}
	}
}

/* A line with its matches coloured. */
static void put_marked(struct rg_search *s, const struct region *r, struct str line)
{
	struct rg *g = s->g;
	size_t a = (size_t)(line.ptr - r->text.ptr), end = a + line.len, at = a, from = r->from, last = SIZE_MAX;
	struct regex_span m;

	while (g->colored && !g->invert && rg_next_match(s, r->text, &from, end, &last, &m)) {
		size_t x = MAX(m.start, at), y = MIN(m.end, end);

		if (y <= x)
			continue;
		u_put(g->out, r->text.ptr + at, x - at);
		put_colored(g, "\033[0m\033[1m\033[31m", r->text.ptr + x, y - x);
		at = y;
	}
	u_put(g->out, r->text.ptr + at, end - at);
	u_putc(g->out, '\n');
}

/* The matches of a region: their number, and the place of the first. */
static uint64_t look_at_matches(struct rg_search *s, const struct region *r, size_t *first)
{
	size_t from = r->from, last = SIZE_MAX;
	struct regex_span m;
	uint64_t n = 0;

	while (rg_next_match(s, r->text, &from, r->to, &last, &m)) {
		if (n++ == 0)
			*first = m.start;
	}
	return n;
}

/* The region's lines, each with what is in front of it. `text` is the region or what became of it. */
static void put_lines(struct rg_search *s, const struct region *r, struct str text, size_t column, uint64_t matches)
{
	struct rg *g = s->g;
	const char *start = r->text.ptr + r->from;
	uint64_t number = g->line_number == RG_ON ? line_number(s, start) : 0;
	uint64_t offset = s->base + (uint64_t)(start - s->block);

	for (bool more = true; more; number++) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		struct str whole = {text.ptr, nl ? (size_t)(nl - text.ptr) : text.len}, line = trimmed(g, whole);

		more = nl != NULL;
		put_prefix(s, start, number, column, offset, true);
		if (put_omitted(s, whole, true, matches)) {
		} else if (g->replace) {
			u_put(g->out, line.ptr, line.len);
			u_putc(g->out, '\n');
		} else {
			put_marked(s, r, line);
		}
		offset += whole.len + 1;
		if (more) {
			text.len -= (size_t)(nl + 1 - text.ptr);
			text.ptr = nl + 1;
		}
	}
}

static struct str replaced_region(struct rg_search *s, const struct region *r)
{
	struct rg *g = s->g;
	size_t from = r->from, at = r->from, last = SIZE_MAX;
	struct regex_span m;

	g->replaced.len = 0;
	while (rg_next_match(s, r->text, &from, r->to, &last, &m)) {
		u_buf_put(&g->replaced, r->text.ptr + at, m.start - at);
		put_replacement(s, &g->replaced, r->text.ptr);
		at = m.end;
	}
	if (at < r->to)
		u_buf_put(&g->replaced, r->text.ptr + at, r->to - at);
	return without_newline((struct str){g->replaced.ptr, g->replaced.len});
}

static void put_vimgrep(struct rg_search *s, const struct region *r)
{
	struct rg *g = s->g;
	size_t from = r->from, last = SIZE_MAX;
	struct regex_span m;

	while (rg_next_match(s, r->text, &from, r->to, &last, &m)) {
		const char *nl = m.start ? memrchr(r->text.ptr, '\n', m.start) : NULL;
		size_t a = nl ? (size_t)(nl - r->text.ptr) + 1 : 0;
		const char *line = r->text.ptr + a, *end = memchr(line, '\n', r->text.len - a);
		struct str shown;

		put_prefix(s, line, line_number(s, line), m.start - a + 1,
			   s->base + (uint64_t)(line - s->block) + (m.start - a), true);
		shown = trimmed(g, (struct str){line, end ? (size_t)(end - line) : r->text.len - a});
		u_put(g->out, shown.ptr, shown.len);
		u_putc(g->out, '\n');
	}
}

void rg_print_selected(struct rg_search *s, const char *at, const char *end)
{
	struct rg *g = s->g;
	struct region r = region_of(s, at, end);
	size_t from = r.from, last = SIZE_MAX, first = r.from;
	uint64_t matches = 0;
	struct regex_span m;

	begin_run(s);
	if (!g->replaced.p)
		u_buf_init(&g->replaced, g->p, 0);
	if (g->only && !g->invert) {
		while (rg_next_match(s, r.text, &from, r.to, &last, &m))
			put_only(s, &r, &m);
	} else if (g->vimgrep && !g->invert) {
		put_vimgrep(s, &r);
	} else {
		struct str text = {r.text.ptr + r.from, r.to - r.from};

		if (!g->invert && (g->column || g->max_columns > 0))
			matches = look_at_matches(s, &r, &first);
		if (g->replace && !g->invert)
			text = replaced_region(s, &r);
		put_lines(s, &r, text, g->invert ? 0 : first - r.from + 1, matches);
	}
	s->shown = end;
}

/* ---- At the end of a file ------------------------------------------------------------------------------------- */

static void print_count(struct rg_search *s, uint64_t n)
{
	struct rg *g = s->g;

	if (n == 0 && !g->zeros)
		return;
	if (g->with_name) {
		rg_print_path(g, s->path);
		u_puts(g->out, g->null_after ? "" : g->field_match);
		if (g->null_after)
			u_putc(g->out, '\0');
	}
	u_printf(g->out, "%llu\n", (unsigned long long)n);
}

static void print_binary(struct rg_search *s)
{
	struct rg *g = s->g;

	g->printed = true;
	if (g->with_name) {
		rg_print_path(g, s->path);
		u_puts(g->out, ": ");
	}
	u_printf(g->out, s->binary == RG_BINARY_QUIT ? "WARNING: stopped searching binary file after match (found \"\\0\" byte "
						       "around offset %lld)\n"
						     : "binary file matches (found \"\\0\" byte around offset %lld)\n",
		 (long long)s->nul);
}

void rg_print_summary(struct rg_search *s)
{
	struct rg *g = s->g;

	/* What may be missing is not summed up. */
	if (s->nul >= 0 && s->binary == RG_BINARY_QUIT && g->mode != RG_LINES && g->mode != RG_WITH) {
		g->matched |= g->mode == RG_WITHOUT;
		return;
	}
	g->matched |= (s->selected > 0) == (g->mode != RG_WITHOUT);
	if (g->quiet)
		return;
	switch (g->mode) {
	case RG_COUNT:
	case RG_COUNT_MATCHES: print_count(s, g->mode == RG_COUNT && !g->multiline ? s->selected : s->matches); break;
	case RG_WITH:
	case RG_WITHOUT:
		if ((s->selected > 0) == (g->mode == RG_WITH)) {
			rg_print_path(g, s->path);
			u_putc(g->out, g->null_after ? '\0' : '\n');
		}
		break;
	case RG_LINES:
		if (s->nul >= 0 && s->selected > 0)
			print_binary(s);
		break;
	default: break;
	}
}
