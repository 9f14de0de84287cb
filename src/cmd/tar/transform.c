/* transform.c - --transform: names rewritten by sed's s command. */
#include "tar.h"

#define NAME_MAX_OUT ((size_t)1 << 20)

enum piece_kind { PIECE_TEXT, PIECE_GROUP, PIECE_CASE };

struct piece {
	struct piece *next;
	int kind;
	const char *text;	/* PIECE_TEXT */
	size_t n;
	int group;		/* PIECE_GROUP */
	char how;		/* PIECE_CASE: L U l u E */
};

struct tar_transform {
	struct tar_transform *next;
	struct regex *re;
	struct regex_scratch *scratch;
	struct piece *pieces;
	bool global;
	uint64_t nth;		/* the first match that counts; 1 */
	bool members, hard_links, symlinks;
};

static void checkpoint(void *p)
{
	sys_checkpoint(p);
}

static NORETURN void invalid(struct tar *t, const char *what)
{
	tar_usage(t, "Invalid transform expression%s%s", *what ? ": " : "", what);
}

/* The end of a part of the expression: the delimiter not escaped. */
static const char *part_end(struct tar *t, const char *s, char delim)
{
	for (; *s && *s != delim; s++) {
		if (*s == '\\' && s[1])
			s++;
	}
	if (!*s)
		invalid(t, "");
	return s;
}

static struct piece *piece_add(struct tar *t, struct piece ***end, int kind)
{
	struct piece *p = u_zalloc(t->p, sizeof(*p));

	p->kind = kind;
	**end = p;
	*end = &p->next;
	return p;
}

static void text_add(struct tar *t, struct piece ***end, const char *s, size_t n)
{
	struct piece *p;

	if (!n)
		return;
	p = piece_add(t, end, PIECE_TEXT);
	p->text = s;
	p->n = n;
}

static void parse_replacement(struct tar *t, struct tar_transform *x, const char *s, size_t n)
{
	static const char escapes[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	struct piece **end = &x->pieces;
	const char *stop = s + n, *from = s, *hit;

	for (; s < stop; s++) {
		if (*s == '&') {
			text_add(t, &end, from, (size_t)(s - from));
			piece_add(t, &end, PIECE_GROUP);
			from = s + 1;
			continue;
		}
		if (*s != '\\' || s + 1 >= stop)
			continue;
		text_add(t, &end, from, (size_t)(s - from));
		s++;
		from = s + 1;
		if (ascii_digit((unsigned char)*s)) {
			int group = *s - '0';

			if ((unsigned)group > regex_groups(x->re))
				invalid(t, "invalid reference in the replacement");
			piece_add(t, &end, PIECE_GROUP)->group = group;
		} else if (strchr("LUluE", *s)) {
			piece_add(t, &end, PIECE_CASE)->how = *s;
		} else if ((hit = strchr(escapes, *s)) != NULL) {
			text_add(t, &end, values + (hit - escapes), 1);
		} else {
			from = s;
		}
	}
	text_add(t, &end, from, (size_t)(s - from));
}

/* The flags; returns where the expression ends. */
static const char *parse_flags(struct tar *t, const char *s, struct tar_transform *x, unsigned *flags)
{
	for (; *s && *s != ';'; s++) {
		switch (*s) {
		case 'g': x->global = true; break;
		case 'i': *flags |= REGEX_ICASE; break;
		case 'x': *flags = (*flags & ~REGEX_DIALECT) | REGEX_SED_ERE; break;
		case 'r': x->members = true; break;
		case 'R': x->members = false; break;
		case 'h': x->hard_links = true; break;
		case 'H': x->hard_links = false; break;
		case 's': x->symlinks = true; break;
		case 'S': x->symlinks = false; break;
		default:
			if (!ascii_digit((unsigned char)*s))
				invalid(t, u_format(t->p, "unknown flag '%c'", *s));
			for (x->nth = 0; ascii_digit((unsigned char)*s); s++)
				x->nth = MIN(x->nth * 10 + (uint64_t)(*s - '0'), (uint64_t)1 << 32);
			s--;
			break;
		}
	}
	return *s == ';' ? s + 1 : s;
}

static const char *transform_one(struct tar *t, const char *s)
{
	struct arena *a = &sys_self(t->p)->arena;
	struct tar_transform *x = u_zalloc(t->p, sizeof(*x));
	unsigned flags = REGEX_SED_BRE | (u_utf8(t->p) ? REGEX_UTF8 : 0);
	struct regex_error err;
	const char *pattern, *replacement, *after;
	char delim;

	if (s[0] == 'f' && strncmp(s, "flags=", 6) == 0)
		invalid(t, "flags= is not supported");
	if (s[0] != 's' || !s[1])
		invalid(t, "");
	delim = s[1];
	pattern = s + 2;
	replacement = part_end(t, pattern, delim) + 1;
	after = part_end(t, replacement, delim) + 1;
	*x = (struct tar_transform){.nth = 1, .members = true, .hard_links = true, .symlinks = true};
	s = parse_flags(t, after, x, &flags);
	x->re = regex_compile(a, pattern, (size_t)(replacement - 1 - pattern), flags, &err);
	if (!x->re)
		invalid(t, err.message);
	x->scratch = regex_scratch_new(a, x->re, checkpoint, t->p);
	parse_replacement(t, x, replacement, (size_t)(after - 1 - replacement));
	if (!t->transform_end)
		t->transform_end = &t->transform;
	*t->transform_end = x;
	t->transform_end = &x->next;
	return s;
}

void transform_add(struct tar *t, const char *expression)
{
	do {
		expression = transform_one(t, expression);
	} while (*expression);
}

/* ---- Applying -------------------------------------------------------------------------------------- */

struct writer {
	struct u_buf out;
	char run, once;		/* case conversion in force: L or U; l or u for the next character */
};

static void put_cased(struct writer *w, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		char how = w->once ? (char)ascii_toupper((unsigned char)w->once) : w->run;

		w->once = 0;
		u_buf_putc(&w->out, (char)(how == 'L' ? ascii_tolower(c) : how == 'U' ? ascii_toupper(c) : c));
	}
}

static void put_replacement(struct writer *w, const struct tar_transform *x, const char *name, const struct regex_span *spans)
{
	for (const struct piece *q = x->pieces; q; q = q->next) {
		if (q->kind == PIECE_TEXT)
			put_cased(w, q->text, q->n);
		else if (q->kind == PIECE_GROUP && spans[q->group].start != REGEX_UNSET)
			put_cased(w, name + spans[q->group].start, spans[q->group].end - spans[q->group].start);
		else if (q->kind == PIECE_CASE && (q->how == 'l' || q->how == 'u'))
			w->once = q->how;
		else if (q->kind == PIECE_CASE)
			w->run = q->how == 'E' ? 0 : q->how;
	}
	w->run = w->once = 0;
}

static const char *apply_one(struct tar *t, const struct tar_transform *x, const char *name)
{
	struct regex_span spans[10];
	size_t len = strlen(name), at = 0, from = 0;
	struct writer w = {.run = 0};
	uint64_t n = 0;

	u_buf_init(&w.out, t->p, NAME_MAX_OUT);
	while (at <= len) {
		int r = regex_search(x->re, x->scratch, name, len, at, 0, spans, COUNTOF(spans));

		sys_checkpoint(t->p);
		if (r < 0)
			tar_fatal(t, 0, "%s", regex_failure(r));
		if (r == 0)
			break;
		if (++n >= x->nth) {
			u_buf_put(&w.out, name + from, spans[0].start - from);
			put_replacement(&w, x, name, spans);
			from = spans[0].end;
			if (!x->global)
				break;
		}
		at = spans[0].end > spans[0].start ? spans[0].end : spans[0].end + 1;
	}
	u_buf_put(&w.out, name + from, len - from);
	return w.out.ptr;
}

const char *transform_apply(struct tar *t, const char *name, char kind)
{
	for (const struct tar_transform *x = t->transform; x; x = x->next) {
		if (kind == 'r' ? x->members : kind == 'h' ? x->hard_links : x->symlinks)
			name = apply_one(t, x, name);
	}
	return name;
}
