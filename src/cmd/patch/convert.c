/*
 * convert.c - context and normal differences as unified ones.
 *
 * The lines of a context hunk come twice, as they were and as they are; what did not change may be in one of the
 * two only. A normal hunk has no context at all. Names are not part of normal differences: their header has none.
 */
#include "convert.h"

struct convert {
	struct proc *p;
	struct str *line;	/* the patch */
	size_t n, at;
	struct str *out;
	size_t nout, cap;
};

static void put(struct convert *c, struct str s)
{
	if (c->nout == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 256;

		c->out = arena_grow(&sys_self(c->p)->arena, c->out, size_mul(c->cap, sizeof(*c->out)),
				    size_mul(cap, sizeof(*c->out)));
		c->cap = cap;
	}
	c->out[c->nout++] = s;
}

static void put_text(struct convert *c, const char *s)
{
	put(c, str_from(s));
}

/* The text after the first `skip` bytes, with a mark in front. */
static void put_marked(struct convert *c, char mark, struct str s, size_t skip)
{
	size_t n = s.len > skip ? s.len - skip : 0;
	char *copy = u_alloc(c->p, n + 1);

	copy[0] = mark;
	if (n)
		memcpy(copy + 1, s.ptr + skip, n);
	put(c, (struct str){copy, n + 1});
}

static bool begins(struct str s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && memcmp(s.ptr, with, n) == 0;
}

static struct str here(const struct convert *c)
{
	return c->at < c->n ? c->line[c->at] : (struct str){"", 0};
}

NORETURN static void malformed(struct convert *c)
{
	struct str l = here(c);

	u_die(c->p, 2, 0, "**** malformed patch at line %zu: %.*s\n", c->at + 1, (int)MIN(l.len, 1000), l.ptr);
}

/* FIRST[,LAST] at *s: *n lines from *first. */
static bool range(struct str *s, size_t *first, size_t *n)
{
	size_t v[2] = {0, 0};
	int k = 0;

	for (; s->len > 0 && (ascii_digit(*s->ptr) || (*s->ptr == ',' && k == 0)); s->ptr++, s->len--) {
		if (*s->ptr == ',')
			k = 1;
		else if (v[k] < SIZE_MAX / 100)
			v[k] = v[k] * 10 + (size_t)(*s->ptr - '0');
	}
	*first = v[0];
	*n = k == 0 ? v[0] > 0 : v[1] >= v[0] ? v[1] - v[0] + 1 : 0;
	return true;
}

/* ---- Normal ------------------------------------------------------------------------------------------------------ */

/* 1,3c2 and the like. */
static bool is_normal(struct str s, size_t at[2], size_t n[2], char *how)
{
	if (s.len == 0 || !ascii_digit(*s.ptr) || !range(&s, &at[0], &n[0]))
		return false;
	if (s.len < 2 || !strchr("acd", *s.ptr) || !ascii_digit(s.ptr[1]))
		return false;
	*how = *s.ptr;
	s.ptr++;
	s.len--;
	return range(&s, &at[1], &n[1]) && (s.len == 0 || (s.len == 1 && *s.ptr == '\r'));
}

static void take_side(struct convert *c, size_t n, const char *with, char mark)
{
	for (size_t i = 0; i < n; i++, c->at++) {
		if (!begins(here(c), with))
			malformed(c);
		put_marked(c, mark, here(c), 2);
		sys_checkpoint(c->p);
	}
	if (begins(here(c), "\\"))
		put(c, c->line[c->at++]);
}

static void normal_hunk(struct convert *c)
{
	size_t at[2], n[2];
	char how;

	is_normal(here(c), at, n, &how);
	if (how == 'a')
		n[0] = 0;
	if (how == 'd')
		n[1] = 0;
	put_text(c, u_format(c->p, "@@ -%zu,%zu +%zu,%zu @@", at[0], n[0], at[1], n[1]));
	c->at++;
	take_side(c, n[0], "< ", '-');
	if (how == 'c') {
		if (!begins(here(c), "---"))
			malformed(c);
		c->at++;
	}
	take_side(c, n[1], "> ", '+');
}

/* ---- Context ------------------------------------------------------------------------------------------------------- */

struct section {
	size_t at, n;		/* as its header says */
	size_t first, end;	/* its lines */
	bool open;		/* followed by "\ No newline at end of file" */
};

static void read_section(struct convert *c, struct section *s, const char *head, const char *marks)
{
	struct str l = here(c);

	if (!begins(l, head) || l.len < 5 || !ascii_digit(l.ptr[4]))
		malformed(c);
	l.ptr += 4;
	l.len -= 4;
	range(&l, &s->at, &s->n);
	s->first = ++c->at;
	while (c->at < c->n && c->at - s->first < s->n && here(c).len > 1 && strchr(marks, here(c).ptr[0]) &&
	       here(c).ptr[1] == ' ')
		c->at++;
	s->end = c->at;
	s->open = begins(here(c), "\\");
	c->at += s->open;
}

static bool is_mark(const struct convert *c, size_t i, const struct section *s, char mark)
{
	return i < s->end && (c->line[i].ptr[0] == mark || c->line[i].ptr[0] == '!');
}

static void put_open(struct convert *c, bool open)
{
	if (open)
		put_text(c, "\\ No newline at end of file");
}

/* Puts the two sections together. Where one is left out, its lines are the unchanged ones of the other. */
static void context_hunk(struct convert *c)
{
	struct section old, new;
	size_t i, k, header, n[2] = {0, 0};

	c->at++;
	read_section(c, &old, "*** ", " -!");
	read_section(c, &new, "--- ", " +!");
	header = c->nout;
	put_text(c, "");
	i = old.first;
	k = new.first;
	while (i < old.end || k < new.end) {
		sys_checkpoint(c->p);
		if (is_mark(c, i, &old, '-')) {
			put_marked(c, '-', c->line[i++], 2);
			n[0]++;
			put_open(c, old.open && i == old.end);
		} else if (is_mark(c, k, &new, '+')) {
			put_marked(c, '+', c->line[k++], 2);
			n[1]++;
			put_open(c, new.open && k == new.end);
		} else {
			bool in_old = i < old.end, in_new = k < new.end;

			put_marked(c, ' ', c->line[in_old ? i : k], 2);
			i += in_old;
			k += in_new;
			n[0]++;
			n[1]++;
			put_open(c, (old.open && in_old && i == old.end) || (new.open && in_new && k == new.end));
		}
	}
	/* A single number is one line, or none after it. */
	if ((n[0] != old.n && !(n[0] == 0 && old.n == 1)) || (n[1] != new.n && !(n[1] == 0 && new.n == 1)))
		malformed(c);
	c->out[header] = str_from(u_format(c->p, "@@ -%zu,%zu +%zu,%zu @@", old.at, n[0], new.at, n[1]));
}

static bool is_context(const struct convert *c, size_t at)
{
	return at + 2 < c->n && begins(c->line[at], "*** ") && begins(c->line[at + 1], "--- ") &&
	       begins(c->line[at + 2], "***************");
}

static void context_file(struct convert *c)
{
	put_marked(c, '-', c->line[c->at], 1);
	put_marked(c, '+', c->line[c->at + 1], 1);
	for (size_t i = 1; i <= 2; i++) {
		char *s = u_strndup(c->p, c->out[c->nout - i].ptr, c->out[c->nout - i].len);

		memset(s, i == 1 ? '+' : '-', 3);
		c->out[c->nout - i].ptr = s;
	}
	c->at += 2;
	while (begins(here(c), "***************"))
		context_hunk(c);
}

/* ---- All ------------------------------------------------------------------------------------------------------------ */

void patch_make_unified(struct proc *p, struct str **line, size_t *n, unsigned kinds)
{
	struct convert c = {.p = p, .line = *line, .n = *n};
	bool other = false, headed = false;
	size_t at[2], count[2];
	char how;

	for (size_t i = 0; i + 2 < c.n; i++)
		other |= is_context(&c, i) || (begins(c.line[i], "--- ") && begins(c.line[i + 1], "+++ "));
	while (c.at < c.n) {
		sys_checkpoint(p);
		if (kinds & PATCH_CONTEXT && is_context(&c, c.at)) {
			context_file(&c);
		} else if (kinds & PATCH_NORMAL && !other && is_normal(here(&c), at, count, &how)) {
			if (!headed) {
				put_text(&c, "--- \t");
				put_text(&c, "+++ \t");
			}
			headed = true;
			normal_hunk(&c);
		} else {
			put(&c, c.line[c.at++]);
			headed = false;
		}
	}
	*line = c.out;
	*n = c.nout;
}
