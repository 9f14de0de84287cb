/* print.c - how grep writes lines, names, numbers and colours. */
#include "grep.h"

static void color_start(struct grep *g, const char *c)
{
	if (*c)
		u_printf(g->out, g->colors.no_erase ? "\33[%sm" : "\33[%sm\33[K", c);
}

static void color_end(struct grep *g, const char *c)
{
	if (*c)
		u_puts(g->out, g->colors.no_erase ? "\33[m" : "\33[m\33[K");
}

static void put_colored(struct grep *g, const char *color, const char *s, size_t n)
{
	color_start(g, color);
	u_put(g->out, s, n);
	color_end(g, color);
}

static void put_sep(struct grep *g, char sep)
{
	put_colored(g, g->colors.separator, &sep, 1);
}

static void put_offset(struct grep_search *s, const char *color, uint64_t n)
{
	char buf[24];
	int len = (int)num_put_u64(buf, n);

	color_start(s->g, color);
	for (int i = len; i < s->offset_width; i++)
		u_putc(s->g->out, ' ');
	u_put(s->g->out, buf, (size_t)len);
	color_end(s->g, color);
}

void grep_print_separator(struct grep *g)
{
	if (!g->separator)
		return;
	put_colored(g, g->colors.separator, g->separator, strlen(g->separator));
	u_putc(g->out, '\n');
}

void grep_print_name(struct grep *g, const char *name, char sep)
{
	put_colored(g, g->colors.name, name, strlen(name));
	if (g->null_after)
		u_putc(g->out, '\0');
	else
		put_sep(g, sep);
}

void grep_print_listed(struct grep *g, const char *name)
{
	put_colored(g, g->colors.name, name, strlen(name));
	u_putc(g->out, g->null_after ? '\0' : '\n');
}

void grep_print_count(struct grep_search *s)
{
	struct grep *g = s->g;

	if (g->with_name)
		grep_print_name(g, s->name, ':');
	u_printf(g->out, "%llu\n", (unsigned long long)s->selected);
}

static bool valid_utf8(const char *s, size_t n)
{
	while (n > 0) {
		size_t plain = scan_ascii(s, n);
		unsigned len;

		s += plain;
		n -= plain;
		if (n == 0)
			break;
		if (utf8_decode(s, n, &len) == UTF8_BAD)
			return false;
		s += len;
		n -= len;
	}
	return true;
}

/* What stands before a line, or before a part of it. false when the text must not be shown, because it is
 * no text. */
static bool print_head(struct grep_search *s, struct str text, char sep, uint64_t number,
		       uint64_t offset)
{
	struct grep *g = s->g;

	if (g->utf8 && g->binary != BINARY_TEXT && !valid_utf8(text.ptr, text.len)) {
		s->bad_text = true;
		return false;
	}
	if (g->with_name)
		grep_print_name(g, s->name, sep);
	if (g->line_number) {
		put_offset(s, g->colors.line, number);
		put_sep(g, sep);
	}
	if (g->byte_offset) {
		put_offset(s, g->colors.byte, offset);
		put_sep(g, sep);
	}
	if (g->initial_tab && (g->with_name || g->line_number || g->byte_offset) && text.len > 0)
		u_putc(g->out, '\t');
	return true;
}

/* The next non-empty match at `from` or later. */
static bool next_match(struct grep_search *s, struct str text, size_t from, bool first, struct regex_span *m)
{
	for (;;) {
		unsigned len = 1;

		if (!grep_match(s, text, from, first, m))
			return false;
		if (m->end > m->start)
			return true;
		if (m->end >= text.len)
			return false;
		if (s->g->utf8)
			utf8_decode(text.ptr + m->end, text.len - m->end, &len);
		from = m->end + len;
		first = false;
	}
}

/* -o: each match on a line of its own. */
static void print_matches(struct grep_search *s, struct str text, char sep, const char *color,
			  uint64_t number, uint64_t offset)
{
	struct grep *g = s->g;
	struct regex_span m;
	bool first = true;

	for (size_t from = 0; from < text.len && next_match(s, text, from, first, &m); from = m.end) {
		struct str part = {text.ptr + m.start, m.end - m.start};

		first = false;
		if (!print_head(s, part, sep, number, offset + m.start))
			continue;
		put_colored(g, color, part.ptr, part.len);
		u_putc(g->out, g->delim);
	}
}

/* Text with its matches in `color`, the rest in `line_color`. */
static void print_colored(struct grep_search *s, struct str text, const char *color, const char *line_color)
{
	struct grep *g = s->g;
	struct regex_span m;
	size_t from = 0;
	bool first = true;

	while (*color && from < text.len && next_match(s, text, from, first, &m)) {
		first = false;
		if (m.start > from)
			put_colored(g, line_color, text.ptr + from, m.start - from);
		put_colored(g, color, text.ptr + m.start, m.end - m.start);
		from = m.end;
	}
	if (from < text.len)
		put_colored(g, line_color, text.ptr + from, text.len - from);
}

bool grep_print_line(struct grep_search *s, struct str line, bool selected, uint64_t number,
		     uint64_t offset)
{
	struct grep *g = s->g;
	const struct grep_colors *c = &g->colors;
	char sep = selected ? ':' : '-';
	bool matching = selected != g->invert;
	struct str text = line;
	bool ended = line.len > 0 && line.ptr[line.len - 1] == g->delim;

	text.len -= ended;
	g->printed = true;
	if (g->only) {
		if (matching && selected)
			print_matches(s, text, sep, c->selected_match, number, offset);
		return true;
	}
	if (!print_head(s, text, sep, number, offset))
		return false;
	if (!g->colored) {
		u_put(g->out, text.ptr, text.len);
	} else {
		bool as_selected = selected != (g->invert && c->reverse);

		print_colored(s, text, matching ? (selected ? c->selected_match : c->context_match) : "",
			      as_selected ? c->selected_line : c->context_line);
	}
	u_putc(g->out, g->delim);
	if (g->line_buffered)
		u_flush(g->out);
	return true;
}

bool grep_prints_plain(const struct grep *g)
{
	return !g->with_name && !g->line_number && !g->byte_offset && !g->only && !g->colored &&
	       !g->line_buffered;
}

/* ---- GREP_COLORS ------------------------------------------------------------------------ */

static const struct {
	char name[3];
	uint32_t offset;
} color_names[] = {
	{"sl", offsetof(struct grep_colors, selected_line)},
	{"cx", offsetof(struct grep_colors, context_line)},
	{"ms", offsetof(struct grep_colors, selected_match)},
	{"mc", offsetof(struct grep_colors, context_match)},
	{"fn", offsetof(struct grep_colors, name)},
	{"ln", offsetof(struct grep_colors, line)},
	{"bn", offsetof(struct grep_colors, byte)},
	{"se", offsetof(struct grep_colors, separator)},
};

static void set_color(struct grep_colors *c, const char *name, const char *value)
{
	if (streq(name, "rv"))
		c->reverse = true;
	else if (streq(name, "ne"))
		c->no_erase = true;
	if (!value)
		return;
	if (streq(name, "mt"))
		c->selected_match = c->context_match = value;
	for (size_t i = 0; i < COUNTOF(color_names); i++) {
		if (streq(name, color_names[i].name))
			memcpy((char *)c + color_names[i].offset, &value, sizeof(value));
	}
}

/* name=value or name, separated by colons; a value is digits and semicolons. */
static void parse_colors(struct grep *g, char *s)
{
	while (s && *s) {
		char *next = strchr(s, ':'), *value;

		if (next)
			*next++ = '\0';
		value = strchr(s, '=');
		if (value) {
			*value++ = '\0';
			if (value[strspn(value, "0123456789;")])
				return;
		}
		set_color(&g->colors, s, value);
		s = next;
	}
}

void grep_colors_init(struct grep *g)
{
	struct grep_colors *c = &g->colors;
	const char *env;

	*c = (struct grep_colors){"", "", "", "", "", "", "", "", false, false};
	if (!g->colored)
		return;
	*c = (struct grep_colors){"01;31", "01;31", "", "", "35", "32", "32", "36", false, false};
	env = u_getenv(g->p, "GREP_COLORS");
	if (env)
		parse_colors(g, u_strdup(g->p, env));
}
