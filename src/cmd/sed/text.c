/* text.c - the texts in sed scripts: regular expressions, replacements, lines to print. */
#include "sed.h"

/* ---- Delimiters --------------------------------------------------------------------------- */

/* A bracket expression after its "[": copied whole, as a delimiter in it is an ordinary character. */
static bool copy_bracket(struct sed_parser *q, struct u_buf *out)
{
	int c = sed_next(q), mark;

	u_buf_putc(out, '[');
	if (c == '^') {
		u_buf_putc(out, '^');
		c = sed_next(q);
	}
	if (c == ']') {
		u_buf_putc(out, ']');
		c = sed_next(q);
	}
	for (; c != ']'; c = sed_next(q)) {
		if (c == SED_EOF || c == '\n') {
			sed_back(q, c);
			return false;
		}
		u_buf_putc(out, (char)c);
		if (c != '[')
			continue;
		mark = sed_next(q);
		sed_back(q, mark);
		if (mark != '.' && mark != ':' && mark != '=')
			continue;
		u_buf_putc(out, (char)sed_next(q));
		while ((c = sed_next(q)) != SED_EOF && c != '\n') {
			u_buf_putc(out, (char)c);
			if (c == mark && q->cur < q->end && *q->cur == ']')
				break;
		}
		if (c == SED_EOF || c == '\n') {
			sed_back(q, c);
			return false;
		}
		u_buf_putc(out, (char)sed_next(q));
	}
	u_buf_putc(out, ']');
	return true;
}

bool sed_delimited(struct sed_parser *q, char delim, bool regex, struct u_buf *out)
{
	int c;

	while ((c = sed_next(q)) != SED_EOF) {
		if ((char)c == delim)
			return true;
		if (c == '\n') {
			sed_back(q, c);
			return false;
		}
		if (c == '[' && regex) {
			if (!copy_bracket(q, out))
				return false;
			continue;
		}
		if (c == '\\') {
			c = sed_next(q);
			if (c == SED_EOF)
				return false;
			if ((char)c != delim ? c != '\n' : c == '&' && !regex)
				u_buf_putc(out, '\\');
			else if (c == 'n' && regex)
				c = '\n';
		}
		u_buf_putc(out, (char)c);
	}
	return false;
}

/* ---- Escapes ----------------------------------------------------------------------------------- */

/* Up to `most` digits of the base at *s. */
static bool digits(const char **s, const char *end, int base, int most, unsigned char *out)
{
	unsigned v = 0;
	int n = 0;

	for (; n < most && *s < end; n++, (*s)++) {
		int c = ascii_tolower((unsigned char)**s), d;

		d = ascii_digit(c) ? c - '0' : ascii_xdigit(c) ? c - 'a' + 10 : 99;
		if (d >= base)
			break;
		v = v * (unsigned)base + (unsigned)d;
	}
	*out = (unsigned char)v;
	return n > 0;
}

/* The escape whose letter is at *s, after the backslash, when it stands for a byte: 1, and *s is after it. 0 when
 * it is none of those. */
static int byte_escape(struct sed_parser *q, const char **s, const char *end, unsigned char *out)
{
	static const char letters[] = "afnrtv", bytes[] = "\a\f\n\r\t\v";
	const char *t = *s, *named;

	if (t == end)
		return 0;
	named = *t ? strchr(letters, *t) : NULL;
	if (named) {
		*out = (unsigned char)bytes[named - letters];
		*s = t + 1;
		return 1;
	}
	switch (*t++) {
	case 'd':
		if (!digits(&t, end, 10, 3, out))
			return 0;
		break;
	case 'o':
		if (!digits(&t, end, 8, 3, out))
			return 0;
		break;
	case 'x':
		if (!digits(&t, end, 16, 2, out))
			return 0;
		break;
	case 'c':
		if (t == end)
			return 0;
		*out = (unsigned char)(ascii_toupper((unsigned char)*t) ^ 0x40);
		if (*t++ == '\\') {
			if (t == end || *t != '\\')
				sed_bad(q, "recursive escaping after \\c not allowed");
			t++;
		}
		break;
	default: return 0;
	}
	*s = t;
	return 1;
}

/* ---- Regular expressions ------------------------------------------------------------------------ */

/* Replaces the escapes that stand for bytes, which the regular expressions themselves do not know. */
static void unescape_regex(struct sed_parser *q, const char *s, size_t n, struct u_buf *out)
{
	const char *end = s + n;

	while (s < end) {
		unsigned char c;

		if (*s != '\\') {
			u_buf_putc(out, *s++);
			continue;
		}
		s++;
		if (byte_escape(q, &s, end, &c)) {
			if (c == '\\')
				u_buf_putc(out, '\\');
			u_buf_putc(out, (char)c);
			continue;
		}
		u_buf_putc(out, '\\');
		/* Two backslashes are a pair: the second begins no escape. */
		if (s < end)
			u_buf_putc(out, *s++);
	}
}

static void checkpoint(void *ctx)
{
	sys_checkpoint_n(ctx, 4096);
}

void sed_compile_regex(struct sed_parser *q, const char *text, size_t n, unsigned flags,
		       struct sed_regex *re)
{
	struct arena *a = &sys_self(q->p)->arena;
	struct regex_error err;
	struct u_buf b;

	re->re = NULL;
	if (n == 0) {
		if (flags)
			sed_bad(q, "cannot specify modifiers on empty regexp");
		return;
	}
	u_buf_init(&b, q->p, 0);
	unescape_regex(q, text, n, &b);
	/* Lines end in NUL under -z, and so do those that M is about. */
	if (q->s->null_data)
		flags &= ~(unsigned)REGEX_ANCHORS;
	flags |= q->s->extended ? REGEX_SED_ERE : REGEX_SED_BRE;
	flags |= q->s->utf8 ? REGEX_UTF8 : 0;
	re->re = regex_compile(a, b.ptr, b.len, flags, &err);
	if (!re->re)
		sed_bad(q, "%s", err.message);
	re->scratch = regex_scratch_new(a, re->re, checkpoint, q->p);
}

/* ---- Replacements --------------------------------------------------------------------------------- */

static void add_part(struct sed_subst *u, struct sed_part part)
{
	if (part.kind == SED_TEXT && part.text.len == 0)
		return;
	u->parts[u->nparts++] = part;
}

void sed_parse_replacement(struct sed_parser *q, const char *s, size_t n, struct sed_subst *u)
{
	const char *end = s + n;
	char *text = u_alloc(q->p, n + 1), *start = text, *at = text;

	u->parts = u_array(q->p, 2 * n + 2, sizeof(*u->parts));
	while (s < end) {
		struct sed_part part = {.kind = SED_GROUP};
		unsigned char c;

		if (*s == '\\' && s + 1 < end) {
			s++;
			if (byte_escape(q, &s, end, &c)) {
				*at++ = (char)c;
				continue;
			}
			if (ascii_digit(*s)) {
				part.group = (unsigned)(*s - '0');
			} else if (strchr("ULEul", *s)) {
				part.kind = SED_CASE;
				part.change = *s;
			} else {
				*at++ = *s++;
				continue;
			}
		} else if (*s != '&') {
			*at++ = *s++;
			continue;
		}
		s++;
		add_part(u, (struct sed_part){.kind = SED_TEXT, .text = {start, (size_t)(at - start)}});
		start = at;
		add_part(u, part);
		if (part.kind == SED_GROUP)
			u->groups = MAX(u->groups, part.group);
	}
	add_part(u, (struct sed_part){.kind = SED_TEXT, .text = {start, (size_t)(at - start)}});
}

/* ---- y ----------------------------------------------------------------------------------------------- */

/* The characters of one side, each as bytes in out[i] with lengths in len[i]. */
static size_t map_chars(struct sed_parser *q, const struct u_buf *b, char (*out)[4], uint8_t *len)
{
	const char *s = b->ptr, *end = s + b->len;
	size_t n = 0;

	for (; s < end; n++) {
		unsigned size = 1;
		unsigned char c;

		if (*s == '\\' && s + 1 < end) {
			s++;
			if (byte_escape(q, &s, end, &c)) {
				out[n][0] = (char)c;
				len[n] = 1;
				continue;
			}
		}
		if (q->s->utf8)
			utf8_decode(s, (size_t)(end - s), &size);
		memcpy(out[n], s, size);
		len[n] = (uint8_t)size;
		s += size;
	}
	return n;
}

struct sed_map *sed_parse_map(struct sed_parser *q, const struct u_buf *from, const struct u_buf *to)
{
	struct sed_map *m = u_zalloc(q->p, sizeof(*m));
	char(*a)[4] = u_array(q->p, from->len + 1, 4), (*b)[4] = u_array(q->p, to->len + 1, 4);
	uint8_t *na = u_alloc(q->p, from->len + 1), *nb = u_alloc(q->p, to->len + 1);
	size_t n = map_chars(q, from, a, na);

	if (map_chars(q, to, b, nb) != n)
		sed_bad(q, "strings for `y' command are different lengths");
	for (int c = 0; c < 256; c++)
		m->byte[c] = (unsigned char)c;
	m->pairs = u_array(q->p, n + 1, sizeof(*m->pairs));
	/* Of a character that is there twice the first counts. */
	for (size_t i = n; i-- > 0;) {
		unsigned char first = (unsigned char)a[i][0];

		if (na[i] == 1 && nb[i] == 1) {
			m->byte[first] = (unsigned char)b[i][0];
			continue;
		}
		m->wide[first] = true;
		memcpy(m->pairs[m->npairs].from, a[i], 4);
		memcpy(m->pairs[m->npairs].to, b[i], 4);
		m->pairs[m->npairs].nfrom = na[i];
		m->pairs[m->npairs++].nto = nb[i];
	}
	return m;
}

/* ---- Text of a, i, c ------------------------------------------------------------------------------------ */

bool sed_read_text(struct sed_parser *q, struct u_buf *out)
{
	while (q->cur < q->end) {
		unsigned char c;

		if (*q->cur == '\n') {
			sed_next(q);
			break;
		}
		if (*q->cur != '\\') {
			u_buf_putc(out, (char)sed_next(q));
			continue;
		}
		q->cur++;
		if (q->cur == q->end) {
			/* The line goes on in the next -e. */
			u_buf_putc(out, '\n');
			return true;
		}
		if (byte_escape(q, &q->cur, q->end, &c))
			u_buf_putc(out, (char)c);
		else
			u_buf_putc(out, (char)sed_next(q));
	}
	u_buf_putc(out, '\n');
	return false;
}
