/*
 * scratch.c - what every piece of the parser leans on: rows under construction, literal
 * text, positions, nesting, errors.
 *
 * Rows (parts of a word, words of a command, commands of a list) grow on one stack of bytes.
 * Builders nest strictly: whatever an inner one pushed it has taken away before the outer
 * one pushes again, so a row is always contiguous when it is taken.
 *
 * The line of a position is that of the last one asked for, or is found by counting newlines
 * from there. Positions move forward, apart from the rare second reading of $((, so the
 * counting is linear in the source and costs nothing where nobody asks.
 */
#include "syntax.h"

/* ---- Scratch ----------------------------------------------------------------- */

/* Room for n bytes behind the `used` ones of a buffer, which is a parser's own at first. */
static char *room_for(struct parser *p, char *buf, size_t used, size_t *cap, size_t n)
{
	do
		*cap *= 2;
	while (*cap - used < n);
	return arena_grow(p->arena, buf, used, *cap);
}

NOINLINE void scratch_grow(struct parser *p, size_t n)
{
	p->scratch = room_for(p, p->scratch, p->scratch_used, &p->scratch_cap, n);
}

void *scratch_take(struct parser *p, size_t mark)
{
	size_t n = p->scratch_used - mark;
	void *row = arena_alloc(p->arena, n);

	if (n)
		memcpy(row, p->scratch + mark, n);
	p->scratch_used = mark;
	return row;
}

/* ---- Literal text and parts -------------------------------------------------- */

void lit_add(struct parser *p, const char *s, size_t n)
{
	if (UNLIKELY(p->lit_cap - p->lit_len < n))
		p->lit = room_for(p, p->lit, p->lit_len, &p->lit_cap, n);
	if (!p->lit_len && !p->lit_start)
		p->lit_start = s;
	if (n)
		memcpy(p->lit + p->lit_len, s, n);
	p->lit_len += n;
	p->lit_end = s + n;
}

struct part *part_push(struct parser *p, unsigned kind, const char *raw, bool quoted)
{
	struct part *part = scratch_push(p, sizeof(*part));

	memset(part, 0, sizeof(*part));
	part->raw = raw;
	part->kind = (uint8_t)kind;
	part->quoted = quoted;
	return part;
}

void part_text(struct parser *p, const char *raw, size_t raw_len, struct str text, unsigned flags)
{
	struct part *part = part_push(p, PART_QUOTED, raw, true);

	part->raw_len = (uint32_t)raw_len;
	part->flags = (uint8_t)flags;
	part->text = text;
}

static bool has_glob(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] == '*' || s[i] == '?' || s[i] == '[')
			return true;
	return false;
}

/* An extglob operator always has its ( in the same literal, or is the last before a quote. */
static bool has_extglob(const char *s, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (s[i] == '(' && strchr("?*+@!", s[i - 1]))
			return true;
	return false;
}

void lit_flush(struct parser *p, bool quoted)
{
	struct part *part;

	if (!p->lit_len) {
		p->lit_start = NULL;
		return;
	}
	part = part_push(p, quoted ? PART_QUOTED : PART_LIT, p->lit_start, quoted);
	part->raw_len = (uint32_t)(p->lit_end - p->lit_start);
	part->text.ptr = arena_strndup(p->arena, p->lit, p->lit_len);
	part->text.len = p->lit_len;
	if (!quoted)
		part->glob = has_glob(p->lit, p->lit_len) || has_extglob(p->lit, p->lit_len);
	p->lit_len = 0;
	p->lit_start = NULL;
}

static void word_literal(struct parser *p, struct word *w)
{
	size_t n = 0;
	char *text;

	if (w->nparts == 1 && w->parts[0].kind != PART_TILDE) {
		w->text = w->parts[0].text;
		return;
	}
	for (uint32_t i = 0; i < w->nparts; i++)
		n += w->parts[i].text.len + (w->parts[i].kind == PART_TILDE);
	text = arena_alloc(p->arena, n + 1);
	w->text = (struct str){text, n};
	for (uint32_t i = 0; i < w->nparts; i++) {
		struct str t = w->parts[i].text;

		if (w->parts[i].kind == PART_TILDE)
			*text++ = '~';
		if (t.len)
			memcpy(text, t.ptr, t.len);
		text += t.len;
	}
	*text = '\0';
}

void word_finish(struct parser *p, struct word *w, const char *raw, size_t mark)
{
	memset(w, 0, sizeof(*w));
	w->raw = raw;
	w->raw_len = (uint32_t)(p->at - raw);
	w->off = offset_of(p, raw);
	w->nparts = (uint32_t)((p->scratch_used - mark) / sizeof(struct part));
	w->parts = scratch_take(p, mark);
	w->flags = WORD_LITERAL;
	for (uint32_t i = 0; i < w->nparts; i++) {
		struct part *part = &w->parts[i];

		if (part->quoted)
			w->flags |= WORD_QUOTED;
		if (part->kind == PART_LIT) {
			if (part->glob)
				w->flags |= WORD_GLOB;
			if (part->glob && has_extglob(part->text.ptr, part->text.len))
				w->flags |= WORD_EXTGLOB;
		} else if (part->kind == PART_TILDE) {
			w->flags |= WORD_TILDE;
		} else if (part->kind == PART_BRACE) {
			w->flags |= WORD_BRACE;
		} else if (part->kind != PART_QUOTED) {
			w->flags |= WORD_EXPANDS;
			if (!part->quoted && part->kind != PART_PROCSUB)
				w->flags |= WORD_SPLITS;
		}
	}
	if (w->flags & (WORD_EXPANDS | WORD_BRACE)) {
		w->flags &= ~(uint32_t)WORD_LITERAL;
		return;
	}
	word_literal(p, w);
	if (w->flags & (WORD_GLOB | WORD_TILDE))
		w->flags = (w->flags & ~(uint32_t)WORD_LITERAL) | WORD_RESOLVED;
}

struct word *word_new(struct parser *p, const char *raw, size_t mark)
{
	struct word *w = arena_alloc(p->arena, sizeof(*w));

	word_finish(p, w, raw, mark);
	w->line = line_of(p, raw);
	return w;
}

/* ---- Positions --------------------------------------------------------------- */

const char *skip_cont(const struct parser *p, const char *at)
{
	while (p->limit - at > 1 && at[0] == '\\' && at[1] == '\n')
		at += 2;
	return at;
}

static uint32_t newlines(const char *from, const char *to)
{
	uint32_t n = 0;

	while ((from = memchr(from, '\n', (size_t)(to - from)))) {
		n++;
		from++;
	}
	return n;
}

/* `line` begins at `from`, or before it. */
void line_begin(struct parser *p, const char *from)
{
	const char *nl = from < p->end ? memchr(from, '\n', (size_t)(p->end - from)) : NULL;

	p->line_from = from;
	p->line_to = nl ? nl : p->end;
}

/* Of a position that is not on the line last asked for. */
NOINLINE uint32_t line_search(struct parser *p, const char *at)
{
	if (!in_source(p, at))
		return p->alt_line;
	if (at < p->line_from) {
		p->line -= newlines(at, p->line_from);
		line_begin(p, at);
	}
	while (at > p->line_to) {
		p->line++;
		line_begin(p, p->line_to + 1);
	}
	return p->line;
}

static const char *line_start(const struct parser *p, const char *at)
{
	while (at > p->src && at[-1] != '\n')
		at--;
	return at;
}

/* bash reads one line more before it believes that the input has ended. */
uint32_t eof_line(struct parser *p)
{
	const char *end = in_source(p, p->limit) ? p->limit : p->end;
	uint32_t line = line_of(p, end);

	return end > p->src && end[-1] != '\n' ? line + 1 : line;
}

/* ---- Nesting ----------------------------------------------------------------- */

bool enter(struct parser *p)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (UNLIKELY(p->failed))
		return false;
	if (UNLIKELY(p->depth >= p->opts.depth_max || here < p->stack_low)) {
		fail_at(p, p->at, line_of(p, p->at),
		        "syntax error: constructs are nested too deeply");
		p->error.too_deep = true;
		return false;
	}
	p->depth++;
	return true;
}

/* ---- Errors ------------------------------------------------------------------ */

struct str text_join(struct arena *a, const struct str *s, unsigned n)
{
	size_t len = 0;
	char *text, *at;

	for (unsigned i = 0; i < n; i++)
		len = size_add(len, s[i].len);
	text = at = arena_alloc(a, size_add(len, 1));
	for (unsigned i = 0; i < n; i++) {
		if (s[i].len)
			memcpy(at, s[i].ptr, s[i].len);
		at += s[i].len;
	}
	*at = '\0';
	return (struct str){text, len};
}

struct str text_number(struct arena *a, uint64_t n)
{
	char digits[24];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	return (struct str){arena_strndup(a, digits + i, sizeof(digits) - i), sizeof(digits) - i};
}

void fail_more(struct parser *p, uint32_t line, const char *text, struct str arg)
{
	struct parse_error *e = &p->error;
	const char *hole = strstr(text, "%s");
	struct str s[3];

	if (e->nlines == PARSE_ERROR_LINES)
		return;
	e->lines[e->nlines].line = line;
	if (hole) {
		s[0] = (struct str){text, (size_t)(hole - text)};
		s[1] = arg;
		s[2] = str_from(hole + 2);
		e->lines[e->nlines].text = text_join(p->arena, s, 3);
	} else {
		e->lines[e->nlines].text = str_from(text);
	}
	e->nlines++;
}

void fail_with(struct parser *p, const char *at, uint32_t line, const char *text, struct str arg)
{
	struct parse_error *e = &p->error;

	if (p->failed)
		return;
	p->failed = true;
	e->nlines = 0;
	e->at_eof = e->too_deep = e->in_array = false;
	e->off = offset_of(p, at);
	e->at_line = line_of(p, at);
	e->column = 1;
	if (in_source(p, at)) {
		e->column = (uint32_t)(at - line_start(p, at)) + 1;
	}
	fail_more(p, line, text, arg);
	p->tok.kind = T_ERROR;
	p->have_tok = true;
}

void fail_at(struct parser *p, const char *at, uint32_t line, const char *text)
{
	fail_with(p, at, line, text, (struct str){NULL, 0});
}

void fail_eof(struct parser *p, const char *opened, uint32_t line, char closer)
{
	if (p->failed)
		return;
	if (p->joinable) {
		p->alias_short = true;
		p->failed = true;
		p->tok.kind = T_ERROR;
		p->have_tok = true;
		return;
	}
	fail_with(p, opened, line, "unexpected EOF while looking for matching `%s'",
	          (struct str){&closer, 1});
	p->error.at_eof = true;
}

void fail_source_line(struct parser *p, const char *at)
{
	const char *from, *to;

	if (!in_source(p, at))
		return;
	from = line_start(p, at);
	to = memchr(at, '\n', (size_t)(p->end - at));
	if (!to)
		to = p->end;
	fail_more(p, p->error.nlines ? p->error.lines[0].line : 1, "`%s'",
	          (struct str){from, (size_t)(to - from)});
}

/* As $'...' where it has characters that do not show: the \r of a file from elsewhere. */
static struct str shown(struct parser *p, struct str s)
{
	static const char from[] = "\a\b\033\f\n\r\t\v\\'", to[] = "abEfnrtv\\'";
	char *out, *at;
	size_t plain = 0;

	while (plain < s.len && (unsigned char)s.ptr[plain] >= ' ' && s.ptr[plain] != 127)
		plain++;
	if (plain == s.len)
		return s;
	out = at = arena_alloc(p->arena, size_mul(s.len, 4) + 3);
	*at++ = '$';
	*at++ = '\'';
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		const char *hit = c ? strchr(from, c) : NULL;

		if (hit) {
			*at++ = '\\';
			*at++ = to[hit - from];
		} else if (c < ' ' || c == 127) {
			*at++ = '\\';
			*at++ = (char)('0' + (c >> 6));
			*at++ = (char)('0' + (c >> 3 & 7));
			*at++ = (char)('0' + (c & 7));
		} else {
			*at++ = (char)c;
		}
	}
	*at++ = '\'';
	return (struct str){out, (size_t)(at - out)};
}

struct str token_text(const struct parser *p)
{
	const struct token *t = &p->tok;

	if (t->kind == T_NEWLINE)
		return STR("newline");
	if (t->kind == T_EOF)
		return STR("EOF");
	return (struct str){t->start, (size_t)(t->end - t->start)};
}

void fail_token(struct parser *p)
{
	const struct token *t = &p->tok;
	const char *at = t->end > t->start ? t->end - 1 : t->start;

	if (p->failed)
		return;
	if (t->kind == T_EOF) {
		if (p->comsubs)
			fail_eof(p, t->start, eof_line(p), ')');
		else
			fail_at(p, t->start, eof_line(p), "syntax error: unexpected end of file");
		p->error.at_eof = true;
		return;
	}
	if (t->kind == T_NEWLINE && at == p->end && at > p->src)
		at--;
	fail_with(p, t->start, line_of(p, at), "syntax error near unexpected token `%s'",
	          shown(p, token_text(p)));
	fail_source_line(p, at);
}

void warn_at(struct parser *p, uint32_t line, struct str text)
{
	struct parse_warning *w = arena_alloc(p->arena, sizeof(*w));

	if (!p->warnings)
		p->warning_tail = &p->warnings;
	*w = (struct parse_warning){.line = line, .text = text};
	*p->warning_tail = w;
	p->warning_tail = &w->next;
}
