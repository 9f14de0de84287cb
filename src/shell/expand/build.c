/* build.c - fields out of text, quoted or not: splitting, and where globs are looked for.
 *
 * Splitting happens while text arrives, byte by byte as IFS says, over the whole word: what
 * ended a field is remembered across expansions. Bytes are kept plain; where quoting changes
 * is kept beside them and only looked at when the field has an unquoted glob character. */
#include "build.h"

struct str copy_str(struct expander *x, struct str s)
{
	return (struct str){u_strndup(x->p, s.ptr, s.len), s.len};
}

/* Room for `more` fields and the NULL behind them. */
void fields_grow(struct expander *x, struct fields *f, size_t more)
{
	size_t cap = MAX(f->cap * 2, size_add(f->n, more) + 1);

	f->v = arena_grow(&sys_self(x->p)->arena, f->v, f->cap * sizeof(char *),
	                  size_mul(cap, sizeof(char *)));
	f->cap = cap;
}

void build_init(struct build *bd, struct expander *x, enum build_mode mode, struct fields *out)
{
	memset(bd, 0, sizeof(*bd));
	bd->x = x;
	bd->mode = (uint8_t)mode;
	bd->out = out;
	u_buf_init(&bd->b, x->p, 0);
}

static bool room(struct build *bd, size_t n)
{
	if (UNLIKELY(n > EXPAND_WORD_MAX - bd->b.len))
		return expand_fail(bd->x, EXPAND_FAIL, "expansion too long (limit is %zu bytes)",
		                   EXPAND_WORD_MAX);
	if (UNLIKELY(bd->x->max && n + bd->b.len > bd->x->max))
		sys_spend(bd->x->p, SYS_LIMIT_EXPANSION, n + bd->b.len);
	u_buf_reserve(&bd->b, n);
	return true;
}

static void append(struct build *bd, const char *ptr, size_t n)
{
	memcpy(bd->b.ptr + bd->b.len, ptr, n);
	bd->b.len += n;
	bd->b.ptr[bd->b.len] = '\0';
}

/* Text of the given kind begins where the field ends now. */
static void mark(struct build *bd, bool quoted)
{
	if ((bd->nmarks & 1) == (unsigned)quoted) {
		/* Even entries begin unquoted text: make the row's length fit. */
		if (bd->nmarks == bd->cap_marks) {
			uint32_t cap = bd->cap_marks ? bd->cap_marks * 2 : 8;

			bd->marks = arena_grow(&sys_self(bd->x->p)->arena, bd->marks,
			                       bd->cap_marks * sizeof(*bd->marks),
			                       cap * sizeof(*bd->marks));
			bd->cap_marks = cap;
		}
		bd->marks[bd->nmarks++] = (uint32_t)bd->b.len;
	}
}

static bool glob_char(char c)
{
	return c == '*' || c == '?' || c == '[' || c == '\\';
}

/* What makes a group of the ( behind it. For bash that is so with and without extglob, and of a slash as well: words that
 * failglob and nullglob mind. */
static bool before_group(char c)
{
	return c == '+' || c == '@' || c == '!' || c == '/';
}

static bool has_glob(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (glob_char(s.ptr[i]))
			return true;
		if (s.ptr[i] == '(' && i && before_group(s.ptr[i - 1]))
			return true;
	}
	return false;
}

/* The same of unquoted text that comes behind what is in hand. */
static bool globs_here(const struct build *bd, struct str s)
{
	return has_glob(s) || (*s.ptr == '(' && (bd->nmarks & 1) && bd->b.len && before_group(bd->b.ptr[bd->b.len - 1]));
}

/* ---- Single strings ------------------------------------------------------------ */

/* Backslashes where they change what is meant; before all characters where -x shows them. */
static void pattern_bytes(struct build *bd, struct str s)
{
	bool all = (bd->x->st->opts & SET_XTRACE) != 0;

	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (all ? (c & 0xc0) != 0x80 : ascii_punct(c) && c != '_' && c != '/')
			u_buf_putc(&bd->b, '\\');
		u_buf_putc(&bd->b, s.ptr[i]);
	}
}

static void regex_bytes(struct build *bd, struct str s, bool quoted)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!quoted) {
			if (c == '[' && !bd->in_bracket) {
				size_t j = i + 1;

				/* A ] that comes first is a member. */
				bd->in_bracket = true;
				u_buf_putc(&bd->b, c);
				if (j < s.len && s.ptr[j] == '^')
					u_buf_putc(&bd->b, s.ptr[j++]);
				if (j < s.len && s.ptr[j] == ']')
					u_buf_putc(&bd->b, s.ptr[j++]);
				i = j - 1;
				continue;
			}
			if (c == ']')
				bd->in_bracket = false;
		} else if (!bd->in_bracket && memchr("\\^$.[]|()*+?{}", c, 14)) {
			u_buf_putc(&bd->b, '\\');
		}
		u_buf_putc(&bd->b, c);
	}
}

static void replace_bytes(struct build *bd, struct str s, bool quoted)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (quoted) {
			bd->escape = false;
			u_buf_putc(&bd->b, c);
		} else if (bd->escape && (c == '&' || c == '\\')) {
			bd->escape = false;
			bd->b.ptr[bd->b.len - 1] = c;
		} else if (c == '&') {
			u_buf_putc(&bd->b, '\0');
		} else {
			bd->escape = c == '\\';
			u_buf_putc(&bd->b, c);
		}
	}
}

/* ---- Text ------------------------------------------------------------------------ */

bool build_text(struct build *bd, struct str s, bool quoted)
{
	if (!s.len && !quoted)
		return true;
	switch ((enum build_mode)bd->mode) {
	case BUILD_FIELDS:
		if (!quoted && !bd->may_glob)
			bd->may_glob = globs_here(bd, s);
		mark(bd, quoted);
		/* fall through */
	case BUILD_NOGLOB:
		bd->started = true;
		bd->after_white = false;
		/* fall through */
	case BUILD_TEXT:
		if (!room(bd, s.len))
			return false;
		append(bd, s.ptr, s.len);
		return true;
	case BUILD_PATTERN:
		if (!room(bd, s.len))
			return false;
		if (quoted)
			pattern_bytes(bd, s);
		else
			append(bd, s.ptr, s.len);
		return true;
	case BUILD_REGEX:
		if (!room(bd, s.len))
			return false;
		regex_bytes(bd, s, quoted);
		return true;
	case BUILD_REPLACE:
		if (!room(bd, s.len))
			return false;
		replace_bytes(bd, s, quoted);
		return true;
	}
	return false;
}

/* ---- Fields ---------------------------------------------------------------------- */

/* The field in hand as a pattern: its quoted bytes get backslashes. */
static struct str field_pattern(struct build *bd)
{
	struct u_buf b;
	uint32_t at = 0;

	u_buf_init(&b, bd->x->p, 0);
	u_buf_reserve(&b, bd->b.len * 2);
	for (uint32_t i = 0; i <= bd->nmarks; i++) {
		uint32_t end = i < bd->nmarks ? bd->marks[i] : (uint32_t)bd->b.len;

		/* Before mark i the text is quoted when i is even (and empty before mark 0). */
		if (i & 1) {
			u_buf_put(&b, bd->b.ptr + at, end - at);
		} else {
			for (; at < end; at++) {
				if (ascii_punct((unsigned char)bd->b.ptr[at]) &&
				    bd->b.ptr[at] != '/')
					u_buf_putc(&b, '\\');
				u_buf_putc(&b, bd->b.ptr[at]);
			}
		}
		at = end;
	}
	return (struct str){b.ptr, b.len};
}

static void field_reset(struct build *bd)
{
	bd->b.len = 0;
	bd->nmarks = 0;
	bd->started = false;
	bd->may_glob = false;
}

void late_glob_add(struct expander *x, size_t at, struct str pattern)
{
	struct late_globs *l = x->late;

	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 4;

		l->v = arena_grow(&sys_self(x->p)->arena, l->v, l->cap * sizeof(*l->v),
		                  size_mul(cap, sizeof(*l->v)));
		l->cap = cap;
	}
	l->v[l->n++] = (struct late_glob){at, pattern};
}

bool late_globs_apply(struct expander *x, struct late_globs *late, struct fields *f)
{
	struct fields out = {NULL, 0, 0};
	size_t from = 0;

	if (!late->n)
		return true;
	fields_grow(x, &out, f->n);
	for (size_t i = 0; i <= late->n; i++) {
		size_t to = i < late->n ? late->v[i].at : f->n, n = 0;

		for (; from < to; from++)
			fields_push(x, &out, f->v[from]);
		if (i == late->n)
			break;
		if (!glob_expand(x, late->v[i].pattern, &out, &n))
			return false;
		if (n == 0 && (x->st->shopts & SHOPT_FAILGLOB))
			return expand_fail(x, EXPAND_FAIL, "no match: %s", f->v[from]);
		/* SIZE_MAX: it was no pattern after all. */
		if (n == SIZE_MAX || (n == 0 && !(x->st->shopts & SHOPT_NULLGLOB)))
			fields_push(x, &out, f->v[from]);
		from++;
	}
	*f = out;
	return true;
}

static bool field_end(struct build *bd)
{
	struct expander *x = bd->x;

	if (bd->may_glob && bd->mode == BUILD_FIELDS && !(x->st->opts & SET_NOGLOB))
		late_glob_add(x, bd->out->n, field_pattern(bd));
	fields_push(x, bd->out, u_strndup(x->p, bd->b.len ? bd->b.ptr : "", bd->b.len));
	field_reset(bd);
	return true;
}

static bool in_set(const uint32_t set[8], unsigned char c)
{
	return (set[c / 32] >> c % 32 & 1) != 0;
}

/* Length of the character of IFS at s; 0: none. */
static unsigned separator(const struct shell_state *st, struct str s, size_t at)
{
	unsigned char c = (unsigned char)s.ptr[at];
	char buf[VALUE_BUF];
	struct str ifs;
	unsigned len;

	if (LIKELY(c < 0x80 || !st->ifs.multibyte))
		return in_set(st->ifs.sep, c);
	if (!st->utf8)
		return in_set(st->ifs.sep, c);
	/* A character of several bytes, compared whole. */
	if (utf8_decode(s.ptr + at, s.len - at, &len) == UTF8_BAD)
		return 0;
	if (!state_get((struct shell_state *)(uintptr_t)(const void *)st, STR("IFS"), buf, &ifs))
		return 0;
	for (size_t i = 0; i + len <= ifs.len; i++)
		if (memcmp(ifs.ptr + i, s.ptr + at, len) == 0)
			return len;
	return 0;
}

static bool plain_run(struct build *bd, struct str s)
{
	if (!room(bd, s.len))
		return false;
	if (bd->mode == BUILD_FIELDS) {
		if (!bd->may_glob)
			bd->may_glob = globs_here(bd, s);
		mark(bd, false);
	}
	append(bd, s.ptr, s.len);
	bd->started = true;
	bd->after_white = false;
	return true;
}

bool build_split(struct build *bd, struct str s)
{
	const struct ifs *ifs = &bd->x->st->ifs;
	size_t at = 0;

	if (build_single(bd))
		return build_text(bd, s, false);
	while (at < s.len) {
		size_t from = at;
		unsigned sep = 0;

		while (at < s.len && !(sep = separator(bd->x->st, s, at)))
			at++;
		if (at > from && !plain_run(bd, (struct str){s.ptr + from, at - from}))
			return false;
		if (at >= s.len)
			break;
		if (in_set(ifs->white, (unsigned char)s.ptr[at])) {
			if (bd->started) {
				if (!field_end(bd))
					return false;
				bd->after_white = true;
			}
		} else if (bd->started) {
			if (!field_end(bd))
				return false;
			bd->after_white = false;
		} else if (bd->after_white) {
			bd->after_white = false;
		} else {
			fields_push(bd->x, bd->out, u_strndup(bd->x->p, "", 0));
		}
		at += sep;
		sys_checkpoint(bd->x->p);
	}
	return true;
}

bool build_break(struct build *bd)
{
	bd->after_white = false;
	return bd->started ? field_end(bd) : true;
}

bool build_end(struct build *bd)
{
	if (build_single(bd))
		return true;
	return bd->started ? field_end(bd) : true;
}

/* ---- read ------------------------------------------------------------------------------ */

void split_read(struct expander *x, struct str text, const char *esc, size_t max,
                struct fields *out)
{
	const struct ifs *ifs = &x->st->ifs;
	size_t at = 0, end = text.len, n = 0;
	bool (*const in)(const uint32_t[8], unsigned char) = in_set;

#define WHITE(i) (!(esc && esc[i]) && in(ifs->white, (unsigned char)text.ptr[i]))
#define SEP(i)   (esc && esc[i] ? 0 : separator(x->st, text, i))
	while (at < end && WHITE(at))
		at++;
	while (at < end && n < max) {
		size_t from = at, stop;

		if (n + 1 == max) {
			size_t k;

			for (stop = from; stop < end && !SEP(stop);)
				stop++;
			for (k = stop; k < end && WHITE(k);)
				k++;
			if (k < end && SEP(k))
				k += SEP(k);
			while (k < end && WHITE(k))
				k++;
			/* One word is all there is; or the rest, less its blanks, escaped or not. */
			if (k >= end)
				end = stop;
			else
				while (in(ifs->white, (unsigned char)text.ptr[end - 1]))
					end--;
			fields_push(x, out, u_strndup(x->p, text.ptr + from, end - from));
			return;
		}
		while (at < end && !SEP(at))
			at++;
		fields_push(x, out, u_strndup(x->p, text.ptr + from, at - from));
		n++;
		while (at < end && WHITE(at))
			at++;
		if (at < end && SEP(at)) {
			at += SEP(at);
			while (at < end && WHITE(at))
				at++;
		}
		sys_checkpoint(x->p);
	}
#undef WHITE
#undef SEP
}
