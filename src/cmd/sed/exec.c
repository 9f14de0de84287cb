/*
 * exec.c - runs a sed script.
 *
 * A cycle reads a line into the pattern space and runs the commands from the first; at its end the
 * pattern space is printed, and then what a, r and R have put aside.
 */
#include "sed.h"

/* ---- Addresses -------------------------------------------------------------------------- */

bool sed_matches(struct sed *s, const struct sed_regex *re, size_t from, unsigned eflags, size_t nspans)
{
	int r;

	if (!re->re) {
		re = s->last_regex;
		if (!re)
			u_die(s->p, 1, 0, "-e expression #1, char 0: no previous regular expression");
	}
	s->last_regex = re;
	r = regex_search(re->re, re->scratch, s->pattern.b.ptr, s->pattern.b.len, from, eflags, s->spans,
			 nspans);
	if (r < 0)
		u_die(s->p, 4, 0, "%s", regex_failure(r));
	return r > 0;
}

static bool address_matches(struct sed *s, const struct sed_addr *a)
{
	switch (a->kind) {
	case SED_NONE: return true;
	case SED_LINE: return s->line == a->n;
	case SED_STEP: return s->line >= a->n && (s->line - a->n) % a->step == 0;
	case SED_LAST: return sed_is_last(s);
	case SED_REGEX: return sed_matches(s, &a->re, 0, 0, 0);
	default: return false;
	}
}

/* Whether a range begins at this line. Sets where it ends when that is a line. */
static bool range_begins(struct sed *s, struct sed_cmd *c)
{
	uint64_t l = s->line, n = c->a2.n;

	if (c->a1.kind == SED_LINE) {
		/* The line itself may have been passed by n or N. */
		if (c->range == SED_CLOSED || l < c->a1.n)
			return false;
		if (c->a2.kind == SED_LINE && l > n)
			return l == c->a1.n;
	} else if (!address_matches(s, &c->a1)) {
		return false;
	}
	switch (c->a2.kind) {
	case SED_LINE: c->range_end = n; break;
	case SED_PLUS: c->range_end = l + n; break;
	case SED_MULTIPLE: c->range_end = n ? l + n - l % n : l; break;
	default:
		c->range = SED_ACTIVE;
		return true;
	}
	c->range = c->range_end > l ? SED_ACTIVE : SED_CLOSED;
	return true;
}

static bool in_range(struct sed *s, struct sed_cmd *c)
{
	if (c->range != SED_ACTIVE)
		return range_begins(s, c);
	switch (c->a2.kind) {
	case SED_LINE:
	case SED_PLUS:
	case SED_MULTIPLE:
		if (s->line >= c->range_end)
			c->range = SED_CLOSED;
		return s->line <= c->range_end || range_begins(s, c);
	default:
		if (address_matches(s, &c->a2))
			c->range = SED_CLOSED;
		return true;
	}
}

static bool selected(struct sed *s, struct sed_cmd *c)
{
	bool yes = c->a2.kind ? in_range(s, c) : address_matches(s, &c->a1);

	return yes != c->negate;
}

/* ---- Spaces ------------------------------------------------------------------------------- */

static void copy_space(struct sed_space *to, const struct sed_space *from)
{
	to->b.len = 0;
	u_buf_put(&to->b, from->b.ptr, from->b.len);
	to->chomped = from->chomped;
}

static void append_space(struct sed *s, struct sed_space *to, const struct sed_space *from)
{
	u_buf_putc(&to->b, s->delim);
	u_buf_put(&to->b, from->b.ptr, from->b.len);
	to->chomped = from->chomped;
}

static void exchange(struct sed *s)
{
	struct sed_space x = s->pattern;

	s->pattern = s->hold;
	s->hold = x;
}

static void print(struct sed *s, struct sed_output *o)
{
	sed_put_space(s, o, s->pattern.b.ptr, s->pattern.b.len, s->pattern.chomped);
}

/* The pattern space up to its first newline. */
static size_t first_line(const struct sed *s)
{
	const char *nl = memchr(s->pattern.b.ptr, s->delim, s->pattern.b.len);

	return nl ? (size_t)(nl - s->pattern.b.ptr) : s->pattern.b.len;
}

static void print_first(struct sed *s, struct sed_output *o)
{
	size_t n = first_line(s);

	sed_put_space(s, o, s->pattern.b.ptr, n, n < s->pattern.b.len || s->pattern.chomped);
}

/* ---- Commands ------------------------------------------------------------------------------- */

enum next { GO_ON, END_CYCLE, DELETE, RESTART, QUIT };

static void print_text(struct sed *s, struct str text)
{
	/* The last newline is that of the output, NUL under -z. */
	sed_put(s->out, s->delim, text.ptr, text.len - 1);
	u_putc(s->out->out, s->delim);
}

static enum next delete_first(struct sed *s)
{
	struct u_buf *b = &s->pattern.b;
	size_t n = first_line(s);

	if (n == b->len)
		return DELETE;
	b->len -= n + 1;
	memmove(b->ptr, b->ptr + n + 1, b->len);
	return RESTART;
}

static enum next change(struct sed *s, const struct sed_cmd *c)
{
	/* Of a range only the last line prints the text; with ! there is no last line. */
	if ((!c->a2.kind || c->negate || c->range != SED_ACTIVE) && c->text.len)
		print_text(s, c->text);
	return DELETE;
}

static enum next next_line(struct sed *s)
{
	if (sed_is_last(s))
		return END_CYCLE;
	if (!s->quiet)
		print(s, s->out);
	sed_flush_queue(s);
	return sed_read_line(s, false) ? GO_ON : QUIT;
}

static void line_number(struct sed *s)
{
	char buf[24];

	sed_put(s->out, s->delim, buf, num_put_u64(buf, s->line));
	u_putc(s->out->out, s->delim);
}

static void queue_line(struct sed *s, struct sed_reader *r)
{
	struct str line;
	size_t at = s->queue_text.len;

	if (r->fd == -1) {
		r->fd = streq(r->name, "/dev/stdin") ? 0 : sys_open(s->p, r->name, SYS_O_READ, 0);
		if (r->fd >= 0)
			u_lines_init(&r->lines, s->p, r->fd, s->delim);
	}
	/* A file that cannot be read is an empty one. */
	if (r->fd < 0 || !u_lines_next(&r->lines, &line))
		return;
	u_buf_put(&s->queue_text, line.ptr, line.len);
	if (r->lines.ended)
		u_buf_putc(&s->queue_text, s->delim);
	sed_queue(s, 'R', (struct str){NULL, s->queue_text.len - at});
}

/* Runs one command that was selected; *pc is the one after it. */
static enum next run(struct sed *s, struct sed_cmd *c, size_t *pc)
{
	struct sed_space *pat = &s->pattern;

	switch (c->name) {
	case '=': line_number(s); break;
	case 'a': case 'r': sed_queue(s, c->name, c->text); break;
	case 'b': *pc = c->jump; break;
	case 'c': return change(s, c);
	case 'd': return DELETE;
	case 'D': return delete_first(s);
	case 'F':
		sed_put(s->out, s->delim, s->line_name, strlen(s->line_name));
		u_putc(s->out->out, s->delim);
		break;
	case 'g': copy_space(pat, &s->hold); break;
	case 'G': append_space(s, pat, &s->hold); break;
	case 'h': copy_space(&s->hold, pat); break;
	case 'H': append_space(s, &s->hold, pat); break;
	case 'i':
		if (c->text.len)
			print_text(s, c->text);
		break;
	case 'l': sed_put_visible(s, c->number >= 0 ? c->number : s->line_length); break;
	case 'n': return next_line(s);
	case 'N':
		if (sed_is_last(s))
			return u_getenv(s->p, "POSIXLY_CORRECT") ? DELETE : END_CYCLE;
		sed_flush_queue(s);
		sed_read_line(s, true);
		break;
	case 'p': print(s, s->out); break;
	case 'P': print_first(s, s->out); break;
	case 'q':
	case 'Q':
		s->status = c->number >= 0 ? (int)(c->number & 255) : s->status;
		sed_stop_input(s);
		s->quits = c->name == 'q';
		return s->quits ? END_CYCLE : QUIT;
	case 'R': queue_line(s, c->reader); break;
	case 's': sed_substitute(s, c->subst); break;
	case 't':
		if (s->substituted)
			*pc = c->jump;
		s->substituted = false;
		break;
	case 'T':
		if (!s->substituted)
			*pc = c->jump;
		s->substituted = false;
		break;
	case 'w': print(s, c->file); break;
	case 'W': print_first(s, c->file); break;
	case 'x': exchange(s); break;
	case 'y': sed_map_chars(s, c->map); break;
	case 'z': pat->b.len = 0; break;
	default: break; /* { } : v */
	}
	return GO_ON;
}

static enum next run_script(struct sed *s)
{
	for (size_t pc = 0; pc < s->ncmd;) {
		struct sed_cmd *c = &s->cmd[pc++];
		enum next n;

		sys_checkpoint(s->p);
		if (!selected(s, c)) {
			if (c->name == '{')
				pc = c->jump;
			continue;
		}
		n = run(s, c, &pc);
		if (n != GO_ON)
			return n;
	}
	return END_CYCLE;
}

int sed_run(struct sed *s)
{
	bool have = sed_read_line(s, false);

	while (have) {
		enum next n = run_script(s);

		if (n == END_CYCLE && !s->quiet)
			print(s, s->out);
		if (n != QUIT)
			sed_flush_queue(s);
		/* q, unlike the end of the input, ends a line that had no newline. */
		if (s->quits)
			sed_put(s->out, s->delim, "", 0);
		if (s->unbuffered)
			u_flush(s->out->out);
		have = n != QUIT && (n == RESTART || sed_read_line(s, false));
	}
	sed_finish(s);
	return s->status;
}
