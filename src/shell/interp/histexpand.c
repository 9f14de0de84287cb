/*
 * histexpand.c - history expansion: !!, !n, !name, !?text?, ^old^new^, their words and modifiers.
 *
 * One pass over a line. A designator takes an entry, then some of its words, then modifiers
 * change the text. `history -p` asks for it; so does a script that says `set -H`.
 */
#include "interp.h"

struct hist {
	struct shell *sh;
	struct str line;
	size_t at;    /* the next byte of line */
	size_t start; /* of the designator in hand */
	struct u_buf out;
	bool changed, print_only, dquoted;
	struct str found; /* the word the last !?text? was in */
	struct str old, new_text; /* of the last substitution */
	const char *error;
};

static bool fail(struct hist *h, const char *why)
{
	h->error = u_format(h->sh->p, "%.*s: %s", (int)(h->at - h->start), h->line.ptr + h->start,
	                    why);
	return false;
}

static char peek(const struct hist *h, size_t ahead)
{
	return h->at + ahead < h->line.len ? h->line.ptr[h->at + ahead] : '\0';
}

/* ---- Words of an entry --------------------------------------------------------------- */

static size_t operator_length(struct str s, size_t i)
{
	char c = s.ptr[i], d = i + 1 < s.len ? s.ptr[i + 1] : '\0';

	if (c == '(' || c == ')' || c == '\n')
		return 1;
	if (!strchr("<>;&|", c))
		return 0;
	if ((c == '<' || c == '>') && d == '(')
		return 0;
	if (c == '<' && d == '<')
		return i + 2 < s.len && (s.ptr[i + 2] == '<' || s.ptr[i + 2] == '-') ? 3 : 2;
	if (c == d || (d == '&' && (c == '<' || c == '>')) || (c == '&' && d == '>') ||
	    (c == '>' && d == '|'))
		return 2;
	return 1;
}

static size_t word_end(struct str s, size_t i)
{
	char quote = 0;
	int parens = 0;

	for (; i < s.len; i++) {
		char c = s.ptr[i];

		if (c == '\\' && quote != '\'') {
			i++;
			continue;
		}
		if (quote) {
			if (c == quote)
				quote = 0;
			continue;
		}
		if (c == '\'' || c == '"' || c == '`')
			quote = c;
		if (c == '(' && i && strchr("$<>?@*+!", s.ptr[i - 1]))
			parens++;
		else if (c == ')' && parens)
			parens--;
		else if (!parens && strchr(" \t\n;&()|<>", c) &&
		         !((c == '<' || c == '>') && i + 1 < s.len && s.ptr[i + 1] == '('))
			break;
	}
	return MIN(i, s.len);
}

/* Digits directly before < or > are a word of their own with it. */
static size_t digits_operator(struct str s, size_t i)
{
	size_t n = i;

	while (n < s.len && ascii_digit((unsigned char)s.ptr[n]))
		n++;
	if (n == i || n == s.len || (s.ptr[n] != '<' && s.ptr[n] != '>'))
		return 0;
	return n + operator_length(s, n) - i;
}

static size_t split(struct hist *h, struct str s, struct str **out)
{
	struct str *v = u_array(h->sh->p, s.len + 1, sizeof *v);
	size_t n = 0, i = 0;

	while (i < s.len) {
		size_t len;

		if (s.ptr[i] == ' ' || s.ptr[i] == '\t' || s.ptr[i] == '\n') {
			i++;
			continue;
		}
		len = digits_operator(s, i);
		if (!len)
			len = operator_length(s, i);
		if (!len)
			len = word_end(s, i) - i;
		if (!len)
			len = 1;
		v[n++] = (struct str){s.ptr + i, len};
		i += len;
	}
	*out = v;
	return n;
}

/* ---- Which entry --------------------------------------------------------------------- */

static bool entry_by_number(struct hist *h, int64_t n, struct str *out)
{
	struct shell_state *st = h->sh->st;
	int64_t count = (int64_t)history_count(st),
	        i = n < 0 ? count + n : n - (int64_t)st->history_base;

	if (i < 0 || i >= count)
		return fail(h, "event not found");
	*out = history_at(st, (size_t)i, NULL);
	return true;
}

static bool entry_by_text(struct hist *h, struct str text, bool anywhere, struct str *out)
{
	struct shell_state *st = h->sh->st;

	for (size_t i = history_count(st); i-- > 0;) {
		struct str s = history_at(st, i, NULL);
		const char *hit = s.len < text.len ? NULL
		                  : anywhere       ? memmem(s.ptr, s.len, text.ptr, text.len)
		                  : memcmp(s.ptr, text.ptr, text.len) == 0 ? s.ptr
		                                                           : NULL;

		if (!hit)
			continue;
		*out = s;
		if (anywhere) {
			struct str *w;
			size_t n = split(h, s, &w);

			for (size_t k = 0; k < n; k++)
				if (hit >= w[k].ptr && hit < w[k].ptr + w[k].len)
					h->found = w[k];
		}
		return true;
	}
	return fail(h, "event not found");
}

static bool ends_name(const struct hist *h, char c)
{
	return c == '\0' || strchr(" \t\n:;&()|<>", c) != NULL || (h->dquoted && c == '"');
}

static bool number(struct hist *h, int64_t *n)
{
	size_t from = h->at;

	*n = 0;
	while (ascii_digit((unsigned char)peek(h, 0)) && *n < 1000000000)
		*n = *n * 10 + (h->line.ptr[h->at++] - '0');
	return h->at > from;
}

/* h->at is behind the !. */
static bool event(struct hist *h, struct str *out)
{
	size_t from = h->at;
	int64_t n;

	if (peek(h, 0) == '!') {
		h->at++;
		return entry_by_number(h, -1, out);
	}
	if (peek(h, 0) == '#') {
		h->at++;
		*out = (struct str){h->out.ptr ? h->out.ptr : "", h->out.len};
		return true;
	}
	if (peek(h, 0) && strchr(":$*%^", peek(h, 0)))
		return entry_by_number(h, -1, out);
	if (peek(h, 0) == '-' && ascii_digit((unsigned char)peek(h, 1))) {
		h->at++;
		(void)number(h, &n);
		return entry_by_number(h, -n, out);
	}
	if (number(h, &n))
		return entry_by_number(h, n, out);
	if (peek(h, 0) == '?') {
		from = ++h->at;
		while (h->at < h->line.len && peek(h, 0) != '?' && peek(h, 0) != '\n')
			h->at++;
		n = (int64_t)(h->at - from);
		if (peek(h, 0) == '?')
			h->at++;
		return entry_by_text(h, (struct str){h->line.ptr + from, (size_t)n}, true, out);
	}
	while (!ends_name(h, peek(h, 0)) && !(h->at > from && strchr("^$*%-", peek(h, 0)) &&
	                                      peek(h, 0) != '-'))
		h->at++;
	return entry_by_text(h, (struct str){h->line.ptr + from, h->at - from}, false, out);
}

/* ---- Which words ----------------------------------------------------------------------- */

/* 0, ^, $ or a number; false when none comes next. */
static bool position(struct hist *h, size_t last, size_t *out)
{
	int64_t n;

	if (peek(h, 0) == '^' || peek(h, 0) == '$') {
		*out = peek(h, 0) == '^' ? 1 : last;
		h->at++;
		return true;
	}
	if (!number(h, &n))
		return false;
	*out = (size_t)n;
	return true;
}

/* The words from..to, with single blanks between them as bash prints them. */
static struct str rows(struct hist *h, const struct str *w, size_t from, size_t to)
{
	struct u_buf b;

	u_buf_init(&b, h->sh->p, PARSE_SOURCE_MAX);
	for (size_t i = from; i <= to; i++) {
		if (i > from)
			u_buf_putc(&b, ' ');
		u_buf_put(&b, w[i].ptr, w[i].len);
	}
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

static bool words(struct hist *h, struct str *s)
{
	bool colon = peek(h, 0) == ':';
	char c = peek(h, colon);
	size_t n, from = 0, to, last;
	struct str *w;

	if (!c || !strchr(colon ? "0123456789^$*-%" : "^$*-%", c))
		return true;
	h->start = h->at;
	h->at += colon;
	n = split(h, *s, &w);
	last = n ? n - 1 : 0;
	if (c == '%') {
		h->at++;
		*s = h->found;
		return s->ptr ? true : fail(h, "bad word specifier");
	}
	if (c == '*') {
		h->at++;
		*s = n > 1 ? rows(h, w, 1, last) : STR("");
		return true;
	}
	if (c != '-')
		(void)position(h, last, &from);
	to = from;
	if (peek(h, 0) == '*') {
		h->at++;
		if (from == last + 1) {
			*s = STR("");
			return true;
		}
		to = last;
	} else if (peek(h, 0) == '-') {
		h->at++;
		if (!position(h, last, &to))
			to = last ? last - 1 : 0;
	}
	if (from > last || to > last || from > to || !n)
		return fail(h, "bad word specifier");
	*s = rows(h, w, from, to);
	return true;
}

/* ---- Modifiers ---------------------------------------------------------------------------- */

static struct str substituted(struct hist *h, struct str s, bool all, bool *hit)
{
	struct u_buf b;
	size_t at = 0;

	u_buf_init(&b, h->sh->p, PARSE_SOURCE_MAX);
	while (at < s.len && h->old.len) {
		const char *m = memmem(s.ptr + at, s.len - at, h->old.ptr, h->old.len);

		if (!m)
			break;
		*hit = true;
		u_buf_put(&b, s.ptr + at, (size_t)(m - s.ptr) - at);
		for (size_t i = 0; i < h->new_text.len; i++) {
			char c = h->new_text.ptr[i];

			if (c == '&')
				u_buf_put(&b, h->old.ptr, h->old.len);
			else if (c == '\\' && i + 1 < h->new_text.len &&
			         h->new_text.ptr[i + 1] == '&')
				u_buf_putc(&b, h->new_text.ptr[++i]);
			else
				u_buf_putc(&b, c);
		}
		at = (size_t)(m - s.ptr) + h->old.len;
		if (!all)
			break;
		sys_checkpoint(h->sh->p);
	}
	u_buf_put(&b, s.ptr + at, s.len - at);
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

static struct str each_word(struct hist *h, struct str s, bool *hit)
{
	struct str *w;
	size_t n = split(h, s, &w), at = 0;
	struct u_buf b;

	u_buf_init(&b, h->sh->p, PARSE_SOURCE_MAX);
	for (size_t i = 0; i < n; i++) {
		size_t from = (size_t)(w[i].ptr - s.ptr);
		struct str r = substituted(h, w[i], false, hit);

		u_buf_put(&b, s.ptr + at, from - at);
		u_buf_put(&b, r.ptr, r.len);
		at = from + w[i].len;
	}
	u_buf_put(&b, s.ptr + at, s.len - at);
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

/* One half of s/old/new/: up to `delim`, which a backslash makes ordinary. */
static struct str half(struct hist *h, char delim)
{
	struct u_buf b;

	u_buf_init(&b, h->sh->p, PARSE_SOURCE_MAX);
	while (h->at < h->line.len && peek(h, 0) != delim && peek(h, 0) != '\n') {
		if (peek(h, 0) == '\\' && peek(h, 1) == delim)
			h->at++;
		u_buf_putc(&b, h->line.ptr[h->at++]);
	}
	if (peek(h, 0) == delim)
		h->at++;
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

static bool substitution(struct hist *h, struct str *s, bool all, bool each)
{
	bool again = peek(h, 0) == '&', hit = false;

	h->at++;
	if (!again) {
		char delim = peek(h, 0);
		struct str old;

		if (!delim)
			return fail(h, "substitution failed");
		h->at++;
		old = half(h, delim);
		if (old.len)
			h->old = old;
		h->new_text = half(h, delim);
	}
	if (!h->old.ptr)
		return fail(h, "no previous substitution");
	*s = each ? each_word(h, *s, &hit) : substituted(h, *s, all, &hit);
	return hit ? true : fail(h, "substitution failed");
}

static struct str quoted(struct hist *h, struct str s, bool each)
{
	struct u_buf b;

	u_buf_init(&b, h->sh->p, PARSE_SOURCE_MAX);
	if (!each) {
		u_shell_quote_single(&b, s.ptr, s.len);
		return (struct str){b.ptr, b.len};
	}
	for (size_t i = 0; i < s.len; i++) {
		size_t from = i;

		while (i < s.len && !ascii_space((unsigned char)s.ptr[i]))
			i++;
		if (i > from)
			u_shell_quote_single(&b, s.ptr + from, i - from);
		if (i < s.len)
			u_buf_putc(&b, s.ptr[i]);
	}
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

static void path_part(struct str *s, char which)
{
	const char *slash = memrchr(s->ptr, '/', s->len);
	size_t from = slash ? (size_t)(slash - s->ptr) + 1 : 0;
	const char *dot = memrchr(s->ptr + from, '.', s->len - from);

	if (which == 't' && slash)
		*s = (struct str){s->ptr + from, s->len - from};
	else if (which == 'h' && slash)
		s->len = from - 1;
	else if (which == 'r' && dot)
		s->len = (size_t)(dot - s->ptr);
	else if (which == 'e')
		*s = dot ? (struct str){dot, (size_t)(s->ptr + s->len - dot)} : STR("");
}

static bool modifiers(struct hist *h, struct str *s)
{
	while (peek(h, 0) == ':') {
		bool all = false, each = false;
		char c;

		h->start = h->at++;
		while (peek(h, 0) == 'g' || peek(h, 0) == 'a' || peek(h, 0) == 'G') {
			all |= peek(h, 0) != 'G';
			each |= peek(h, 0) == 'G';
			h->at++;
		}
		c = peek(h, 0);
		if (c == 's' || c == '&') {
			if (!substitution(h, s, all, each))
				return false;
			continue;
		}
		h->start = h->at++;
		if (c == 'p')
			h->print_only = true;
		else if (c == 'q' || c == 'x')
			*s = quoted(h, *s, c == 'x');
		else if (c && strchr("thre", c))
			path_part(s, c);
		else
			return fail(h, "unrecognized history modifier");
	}
	return true;
}

/* ---- A line --------------------------------------------------------------------------------- */

static bool designator(struct hist *h)
{
	struct str s;

	h->changed = true;
	if (!event(h, &s))
		return false;
	s = (struct str){u_strndup(h->sh->p, s.ptr, s.len), s.len};
	if (!words(h, &s) || !modifiers(h, &s))
		return false;
	u_buf_put(&h->out, s.ptr, s.len);
	return true;
}

/* Whether the ! at h->at begins a designator. */
static bool begins(const struct hist *h)
{
	char next = peek(h, 1), before = h->at ? h->line.ptr[h->at - 1] : '\0';

	if (next == '\0' || strchr(" \t\n\r=", next) || (next == '"' && h->dquoted))
		return false;
	if (next == '(' && shopt_is(h->sh, SHOPT_EXTGLOB))
		return false;
	return before != '[' && before != '$' && !(before == '{' && h->at > 1 &&
	                                            h->line.ptr[h->at - 2] == '$');
}

static bool quick(struct hist *h)
{
	struct str s;

	h->changed = true;
	h->at = 1;
	h->old = half(h, '^');
	h->new_text = half(h, '^');
	if (!entry_by_number(h, -1, &s))
		return false;
	bool hit = false;

	s = substituted(h, s, false, &hit);
	if (!hit) {
		h->error = u_format(h->sh->p, ":s%.*s: substitution failed", (int)h->at,
		                    h->line.ptr);
		return false;
	}
	if (!modifiers(h, &s))
		return false;
	u_buf_put(&h->out, s.ptr, s.len);
	return true;
}

static bool expand_line(struct hist *h)
{
	bool squoted = false;

	if (h->line.len > 1 && h->line.ptr[0] == '^' && !quick(h))
		return false;
	while (h->at < h->line.len) {
		char c = h->line.ptr[h->at];

		if (c == '\\' && !squoted && h->at + 1 < h->line.len) {
			u_buf_put(&h->out, h->line.ptr + h->at, 2);
			h->at += 2;
			continue;
		}
		if (c == '\'' && !h->dquoted)
			squoted = !squoted;
		else if (c == '"' && !squoted)
			h->dquoted = !h->dquoted;
		if (c == '!' && !squoted && begins(h)) {
			h->start = h->at++;
			if (!designator(h))
				return false;
			continue;
		}
		u_buf_putc(&h->out, c);
		h->at++;
	}
	return true;
}

int history_expand(struct shell *sh, struct str line, struct str *out)
{
	struct hist h = {.sh = sh, .line = line};

	u_buf_init(&h.out, sh->p, PARSE_SOURCE_MAX);
	if (!expand_line(&h)) {
		*out = str_from(h.error);
		return -1;
	}
	*out = h.changed ? (struct str){h.out.ptr ? h.out.ptr : "", h.out.len} : line;
	return h.print_only ? 2 : h.changed;
}
