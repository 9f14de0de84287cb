/*
 * input.c - the lines sed works on.
 *
 * Lines are copied from slices of the input into the pattern space. Whether a line is the last
 * one is found out by looking on, into the following files if need be, only when somebody asks.
 */
#include "sed.h"

/* The next part of the open file; false at its end. */
/* What R reads begins anew with each separate file. */
static void rewind_readers(struct sed *s)
{
	for (struct sed_reader *r = s->readers; r; r = r->next) {
		if (r->fd > 0)
			sys_close(s->p, r->fd);
		if (r->fd != 0)
			r->fd = -1;
	}
}

static bool fill(struct sed *s)
{
	struct sys_slice slice;
	int64_t n;

	if (s->at != s->end)
		return true;
	if (s->at_eof)
		return false;
	n = u_read_slice(s->p, s->fd, 0, &slice);
	if (n < 0)
		u_die(s->p, 4, (int)n, "read error on %s",
		      s->fd == 0 ? "stdin" : s->open_name);
	if (n == 0) {
		s->at_eof = true;
		return false;
	}
	s->at = slice.ptr;
	s->end = slice.ptr + slice.len;
	return true;
}

static void close_file(struct sed *s)
{
	if (s->fd > 0)
		sys_close(s->p, s->fd);
	s->fd = -1;
	s->at = s->end = NULL;
	if (s->in_place)
		sed_edit_end(s);
}

/* Where the files are separate, so are line numbers, ranges and what was held. */
static void start_over(struct sed *s)
{
	s->line = 0;
	s->hold.b.len = 0;
	s->hold.chomped = true;
	for (size_t i = 0; i < s->ncmd; i++) {
		struct sed_addr *a = &s->cmd[i].a1;

		s->cmd[i].range = a->kind == SED_LINE && a->n == 0 && s->cmd[i].a2.kind ? SED_ACTIVE
											 : SED_INACTIVE;
	}
}

/* Opens the next file that can be read; false when there is none. */
static bool open_next(struct sed *s)
{
	while (s->next_file < s->nfiles) {
		const char *name = s->files[s->next_file++];

		s->at_eof = false;
		if (streq(name, "-") && !s->in_place) {
			s->fd = 0;
			s->gives_back = sys_seek(s->p, 0, 0, SYS_SEEK_CUR) >= 0;
		} else {
			s->fd = sys_open(s->p, name, SYS_O_READ, 0);
			if (s->fd < 0) {
				u_warn(s->p, 0, "can't read %s: %s", name, errno_text(s->fd));
				s->status = 2;
				s->fd = -1;
				continue;
			}
			if (s->in_place && !sed_edit_begin(s, name, s->fd)) {
				sys_close(s->p, s->fd);
				s->fd = -1;
				s->status = 4;
				continue;
			}
		}
		s->open_name = name;
		if (s->separate)
			rewind_readers(s);
		if (s->separate)
			start_over(s);
		return true;
	}
	return false;
}

/* Makes sure that there is something to read; false at the end of all input. */
static bool have_input(struct sed *s)
{
	for (;;) {
		if (s->fd >= 0) {
			if (fill(s))
				return true;
			close_file(s);
		}
		if (!open_next(s))
			return false;
	}
}

bool sed_is_last(struct sed *s)
{
	if (s->fd >= 0 && fill(s))
		return false;
	/* Each file has a last line of its own. */
	return s->separate || !have_input(s);
}

bool sed_read_line(struct sed *s, bool append)
{
	struct u_buf *b = &s->pattern.b;

	if (!have_input(s))
		return false;
	if (append)
		u_buf_putc(b, s->delim);
	else
		b->len = 0;
	s->pattern.chomped = false;
	s->substituted = false;
	do {
		const char *nl = memchr(s->at, s->delim, (size_t)(s->end - s->at));
		const char *stop = nl ? nl : s->end;

		u_buf_put(b, s->at, (size_t)(stop - s->at));
		s->at = stop;
		if (nl) {
			s->at++;
			s->pattern.chomped = true;
			break;
		}
	} while (fill(s));
	s->line++;
	s->line_name = s->open_name;
	return true;
}

void sed_stop_input(struct sed *s)
{
	/* What was read too much of standard input is left to others, where GNU sed could do so. */
	if (s->fd == 0 && s->at != s->end && (s->unbuffered || s->gives_back))
		sys_unread(s->p, 0, (size_t)(s->end - s->at));
	s->at = s->end;
	s->at_eof = true;
	s->next_file = s->nfiles;
}
