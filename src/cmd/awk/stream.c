/* stream.c - records in: from files, standard input and commands; text out: to files and commands. */
#include "awk.h"

#define INPUT_FIRST 65536u

/* ---- Buffered input ------------------------------------------------------------ */

/* Reads more behind [from, to); false at the end. The text may move. */
static bool fill(struct awk *a, struct input *in)
{
	int64_t n;

	if (in->eof)
		return false;
	if (in == &a->main)
		record_own(a);
	if (!in->buf) {
		in->buf = block_get(a, INPUT_FIRST);
		in->cap = INPUT_FIRST;
	}
	if (in->from && in->from == in->to)
		in->from = in->to = 0;
	if (in->to == in->cap) {
		if (in->from >= in->cap / 2) {
			memmove(in->buf, in->buf + in->from, in->to - in->from);
		} else {
			char *more = block_get(a, in->cap * 2);

			memcpy(more, in->buf + in->from, in->to - in->from);
			block_put(a, in->buf, in->cap);
			in->buf = more;
			in->cap *= 2;
		}
		in->to -= in->from;
		in->from = 0;
	}
	n = sys_read(a->p, in->fd, in->buf + in->to, in->cap - in->to);
	if (n < 0)
		in->err = (int)n;
	if (n <= 0) {
		in->eof = true;
		return false;
	}
	in->to += (size_t)n;
	return true;
}

static void set_rt(struct awk *a, const char *s, size_t n)
{
	struct cell *rt = special_cell(a, V_RT);

	if (rt->str && rt->str->len == n && (n == 0 || memcmp(rt->str->s, s, n) == 0))
		return;
	cell_set_str(a, rt, astr_new(a, s, n), CELL_STR);
}

static bool by_byte(struct awk *a, struct input *in, char c, struct str *out)
{
	size_t seen = 0;

	for (;;) {
		const char *hit = in->to > in->from + seen ? memchr(in->buf + in->from + seen, c, in->to - in->from - seen) : NULL;

		if (hit) {
			*out = (struct str){in->buf + in->from, (size_t)(hit - (in->buf + in->from))};
			in->from = (size_t)(hit + 1 - in->buf);
			set_rt(a, &c, 1);
			return true;
		}
		seen = in->to - in->from;
		if (!fill(a, in))
			break;
	}
	if (in->from == in->to)
		return false;
	*out = (struct str){in->buf + in->from, in->to - in->from};
	in->from = in->to;
	set_rt(a, "", 0);
	return true;
}

/* RS = "": records are separated by empty lines; those at the start do not count. */
static bool by_paragraph(struct awk *a, struct input *in, struct str *out)
{
	size_t seen = 0;

	for (;;) {
		while (in->from < in->to && in->buf[in->from] == '\n')
			in->from++;
		if (in->from < in->to)
			break;
		if (!fill(a, in))
			return false;
	}
	for (;;) {
		const char *base = in->buf + in->from;
		size_t n = in->to - in->from;
		const char *hit = n > seen ? memmem(base + seen, n - seen, "\n\n", 2) : NULL;

		if (hit) {
			size_t len = (size_t)(hit - base), end = len;

			/* All of the empty lines belong to the separator. */
			for (;;) {
				while (in->from + end < in->to && in->buf[in->from + end] == '\n')
					end++;
				if (in->from + end < in->to || !fill(a, in))
					break;
			}
			set_rt(a, in->buf + in->from + len, end - len);
			*out = (struct str){in->buf + in->from, len};
			in->from += end;
			return true;
		}
		seen = n ? n - 1 : 0;
		if (!fill(a, in)) {
			base = in->buf + in->from;
			n = in->to - in->from;
			in->from = in->to;
			if (n && base[n - 1] == '\n') {
				n--;
				set_rt(a, "\n", 1);
			} else {
				set_rt(a, "", 0);
			}
			*out = (struct str){base, n};
			return true;
		}
	}
}

/* The next separator in what there is; ^ is the start of the input alone. */
static bool record_end(struct awk *a, struct dynamic *d, const struct input *in, struct regex_span *m)
{
	unsigned flags = in->started ? REGEX_NOTBOL : 0;
	int r = regex_search(d->re, d->scratch, in->buf + in->from, in->to - in->from, 0, flags, m, 1);

	if (r < 0)
		awk_die(a, "%s: /%s/", regex_failure(r), d->text->s);
	return r == 1;
}

static bool by_regex(struct awk *a, struct input *in, struct astr *rs, struct str *out)
{
	struct dynamic *d = dynamic_for(a, &a->rs_regex, rs->s, rs->len);

	for (;;) {
		struct regex_span m;
		const char *base = in->buf + in->from;
		size_t n = in->to - in->from;

		/* A match that ends where the data ends so far could grow. */
		if (n && record_end(a, d, in, &m) && m.end > m.start && (m.end < n || in->eof)) {
			*out = (struct str){base, m.start};
			set_rt(a, base + m.start, m.end - m.start);
			in->from += m.end;
			return true;
		}
		if (fill(a, in))
			continue;
		base = in->buf + in->from;
		n = in->to - in->from;
		if (!n)
			return false;
		if (record_end(a, d, in, &m) && m.end > m.start) {
			*out = (struct str){base, m.start};
			set_rt(a, base + m.start, m.end - m.start);
			in->from += m.end;
			return true;
		}
		*out = (struct str){base, n};
		in->from = in->to;
		set_rt(a, "", 0);
		return true;
	}
}

bool input_record(struct awk *a, struct input *in, struct str *out)
{
	struct astr *rs = cell_str(a, special_cell(a, V_RS));

	bool got = rs->len == 1 ? by_byte(a, in, rs->s[0], out) : rs->len == 0 ? by_paragraph(a, in, out) : by_regex(a, in, rs, out);

	in->started = true;
	return got;
}

/* ---- The main input: the files of ARGV ------------------------------------------------- */

static struct astr *argument(struct awk *a, int i)
{
	struct slot *argv = &a->global[V_ARGV];
	struct element *e;
	char key[24];
	size_t n = num_put_i64(key, i);

	e = argv->kind == SLOT_ARRAY ? awk_array_find(argv->array, key, n) : NULL;
	return e ? cell_str(a, &e->value) : NULL;
}

/* NAME=VALUE as an operand: done when its turn comes. */
static bool assignment(struct awk *a, const char *s)
{
	size_t n = 0;
	struct cell c = {0};
	uint32_t slot;

	if (!ascii_alpha(s[0]) && s[0] != '_')
		return false;
	while (ascii_alnum(s[n]) || s[n] == '_')
		n++;
	if (s[n] != '=')
		return false;
	slot = awk_global(a, s, n);
	cell_set_str(a, &c, awk_unescape(a, s + n + 1, strlen(s + n + 1)), CELL_INPUT);
	if (a->global[slot].kind == SLOT_ARRAY)
		awk_die(a, "cannot use array `%s' as a variable", a->global_name[slot]);
	special_changes(a, slot);
	cell_clear(a, &a->global[slot].cell);
	a->global[slot].cell = c;
	special_changed(a, slot);
	return true;
}

/* FLOW_NEXTFILE when one of them wants no more of the file. */
static enum flow run_file_rules(struct awk *a, int kind)
{
	uint8_t was = a->rule_kind;
	enum flow f = FLOW_NORMAL;

	a->rule_kind = (uint8_t)kind;
	for (size_t i = 0; i < a->nrules && f != FLOW_NEXTFILE; i++)
		if ((int)a->rule[i].kind == kind && !a->exiting) {
			f = run(a, a->rule[i].body);
			if (f == FLOW_EXIT)
				a->exiting = true;
		}
	a->rule_kind = was;
	return f;
}

static bool has_rule(const struct awk *a, int kind)
{
	for (size_t i = 0; i < a->nrules; i++)
		if ((int)a->rule[i].kind == kind)
			return true;
	return false;
}

static void set_filename(struct awk *a, const char *name)
{
	cell_set_str(a, special_cell(a, V_FILENAME), astr_new(a, name, strlen(name)), CELL_INPUT);
}

/* Whether the file is to be read: BEGINFILE may pass it over. */
static bool open_input(struct awk *a, int fd)
{
	char *buf = a->main.buf;
	size_t cap = a->main.cap;

	record_own(a);
	a->main = (struct input){.fd = fd, .buf = buf, .cap = cap};
	a->main_open = true;
	a->fnr = 0;
	cell_set_str(a, special_cell(a, V_ERRNO), astr_new(a, "", 0), CELL_STR);
	if (run_file_rules(a, RULE_BEGINFILE) != FLOW_NEXTFILE || a->exiting)
		return true;
	main_close(a);
	return false;
}

/* A file that cannot be read is fatal, unless BEGINFILE saw why in ERRNO and went on. */
static void open_failed(struct awk *a, const char *name, int e)
{
	const char *text = errno_text(e);

	set_filename(a, name);
	a->fnr = 0;
	cell_set_str(a, special_cell(a, V_ERRNO), astr_new(a, text, strlen(text)), CELL_STR);
	if (has_rule(a, RULE_BEGINFILE) && run_file_rules(a, RULE_BEGINFILE) == FLOW_NEXTFILE)
		return;
	if (!a->exiting)
		awk_die(a, "cannot open file `%s' for reading: %s", name, text);
}

/* The next file; false when there is none. */
static bool next_file(struct awk *a)
{
	for (;;) {
		double argc = cell_num(a, special_cell(a, V_ARGC));
		struct astr *name;
		int fd;

		if (a->arg >= argc) {
			if (a->used_args)
				return false;
			a->used_args = true;
			set_filename(a, "");
			return open_input(a, 0);
		}
		name = argument(a, a->arg++);
		if (!name || name->len == 0)
			continue;
		if (assignment(a, name->s))
			continue;
		a->used_args = true;
		fd = streq(name->s, "-") || streq(name->s, "/dev/stdin") ? 0 : sys_open(a->p, name->s, SYS_O_READ | SYS_O_CLOEXEC, 0);
		if (fd >= 0 && fd != 0) {
			struct sys_stat st;

			if (sys_fstat(a->p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR) {
				awk_warn(a, "command line argument `%s' is a directory: skipped", name->s);
				sys_close(a->p, fd);
				continue;
			}
		}
		if (fd < 0) {
			open_failed(a, name->s, fd);
			if (a->exiting)
				return false;
			continue;
		}
		set_filename(a, name->s);
		if (open_input(a, fd))
			return true;
	}
}

void main_close(struct awk *a)
{
	if (!a->main_open)
		return;
	a->main_open = false;
	run_file_rules(a, RULE_ENDFILE);
	record_own(a);
	if (a->main.fd > 0)
		sys_close(a->p, a->main.fd);
}

bool main_record(struct awk *a, struct str *out)
{
	while (!a->main_done && !a->exiting) {
		if (!a->main_open && !next_file(a)) {
			a->main_done = true;
			return false;
		}
		if (a->exiting)
			return false;
		if (a->main_open && input_record(a, &a->main, out)) {
			a->nr++;
			a->fnr++;
			cell_set_num(a, special_cell(a, V_NR), (double)a->nr);
			cell_set_num(a, special_cell(a, V_FNR), (double)a->fnr);
			return true;
		}
		if (a->main.err) {
			struct astr *f = cell_str(a, special_cell(a, V_FILENAME));

			awk_warn(a, "error reading input file `%s': %s", f->len ? f->s : "-", errno_text(a->main.err));
			a->status = 2;
			a->main.err = 0;
		}
		main_close(a);
	}
	return false;
}

/* ---- Other files and commands ------------------------------------------------------------- */

static int start_command(struct awk *a, const char *command, int fd, int as)
{
	char *argv[] = {u_strdup(a->p, "sh"), u_strdup(a->p, "-c"), u_strdup(a->p, command), NULL};
	struct sys_fd_move move = {fd, as};
	struct sys_spawn s = {.program = sys_program(a->p, "sh"), .argv = argv, .fds = &move, .nfds = fd >= 0 ? 1u : 0u};
	int pid;

	if (!s.program)
		awk_die(a, "there is no shell to run `%s'", command);
	pid = sys_spawn(a->p, &s);
	if (pid < 0)
		awk_die(a, "cannot run `%s': %s", command, errno_text(pid));
	return pid;
}

static int wait_status(struct awk *a, int pid)
{
	struct sys_wait w;
	int r;

	do
		r = sys_wait(a->p, pid, 0, &w);
	while (r == -NACRE_EINTR);
	return r < 0 ? -1 : w.signal ? 256 + w.signal : w.status;
}

int run_command(struct awk *a, const char *command)
{
	struct arena_mark mark = arena_mark(&sys_self(a->p)->arena);
	int status;

	streams_flush(a);
	status = wait_status(a, start_command(a, command, -1, 0));
	arena_reset(&sys_self(a->p)->arena, mark);
	return status;
}

static int special_fd(const char *name, bool writing)
{
	if (!writing && (streq(name, "/dev/stdin") || streq(name, "-") || streq(name, "/dev/fd/0")))
		return 0;
	if (writing && (streq(name, "/dev/stdout") || streq(name, "-") || streq(name, "/dev/fd/1")))
		return 1;
	return writing && (streq(name, "/dev/stderr") || streq(name, "/dev/fd/2")) ? 2 : -1;
}

static struct stream *add_stream(struct awk *a, struct astr *name, enum stream_kind kind, int fd, int pid)
{
	struct stream *s = block_get(a, sizeof(*s));

	*s = (struct stream){.next = a->streams, .name = astr_get(name), .kind = kind, .pid = pid, .in = {.fd = fd}};
	if (kind >= STREAM_WRITE && fd == 1) {
		s->out = u_stdout(a->p);
	} else if (kind >= STREAM_WRITE) {
		s->own = (struct u_out){.p = a->p, .fd = fd, .buf = block_get(a, 8192), .cap = 8192};
		if (fd == 2)
			s->own.cap = 1;
		s->out = &s->own;
	}
	a->streams = s;
	return s;
}

static struct stream *open_command(struct awk *a, struct astr *name, enum stream_kind kind)
{
	struct arena_mark mark = arena_mark(&sys_self(a->p)->arena);
	bool reading = kind == STREAM_READ_CMD;
	int fds[2], pid, e = sys_pipe(a->p, fds);

	if (e < 0)
		awk_die(a, "cannot open pipe `%s': %s", name->s, errno_text(e));
	sys_set_cloexec(a->p, fds[0], true);
	sys_set_cloexec(a->p, fds[1], true);
	streams_flush(a);
	pid = start_command(a, name->s, reading ? fds[1] : fds[0], reading ? 1 : 0);
	sys_close(a->p, reading ? fds[1] : fds[0]);
	arena_reset(&sys_self(a->p)->arena, mark);
	return add_stream(a, name, kind, reading ? fds[0] : fds[1], pid);
}

struct stream *stream_open(struct awk *a, struct astr *name, enum stream_kind kind)
{
	bool writing = kind >= STREAM_WRITE;
	int fd;

	for (struct stream *s = a->streams; s; s = s->next)
		if (s->name->len == name->len && memcmp(s->name->s, name->s, name->len) == 0 &&
		    (s->kind == kind || (writing && s->kind >= STREAM_WRITE && (s->kind == STREAM_WRITE_CMD) == (kind == STREAM_WRITE_CMD))))
			return s;
	if (name->len == 0)
		awk_die(a, "expression for `%s' redirection has null string value",
			kind == STREAM_READ ? "<" : kind == STREAM_READ_CMD ? "|" : kind == STREAM_WRITE ? ">" : kind == STREAM_APPEND ? ">>" : "|");
	if (kind == STREAM_READ_CMD || kind == STREAM_WRITE_CMD)
		return open_command(a, name, kind);
	fd = special_fd(name->s, writing);
	if (fd < 0)
		fd = sys_open(a->p, name->s,
			      SYS_O_CLOEXEC | (writing ? SYS_O_WRITE | SYS_O_CREATE | (kind == STREAM_APPEND ? SYS_O_APPEND : SYS_O_TRUNC) : SYS_O_READ),
			      0666);
	if (fd < 0 && !writing) {
		const char *text = errno_text(fd);

		cell_set_str(a, special_cell(a, V_ERRNO), astr_new(a, text, strlen(text)), CELL_STR);
		return NULL;
	}
	if (fd < 0)
		awk_die(a, "cannot redirect to `%s': %s", name->s, errno_text(fd));
	return add_stream(a, name, kind, fd, 0);
}

static int close_one(struct awk *a, struct stream *s)
{
	int status = 0, e;

	if (s->kind >= STREAM_WRITE) {
		e = u_flush(s->out);
		if (e < 0 && e != -NACRE_EPIPE)
			awk_warn(a, "error writing `%s': %s", s->name->s, errno_text(e));
		if (s->out == &s->own)
			block_put(a, s->own.buf, 8192);
	} else {
		block_put(a, s->in.buf, s->in.cap);
	}
	if (s->in.fd > 2)
		sys_close(a->p, s->in.fd);
	if (s->pid) {
		status = wait_status(a, s->pid);
	}
	astr_put(a, s->name);
	block_put(a, s, sizeof(*s));
	return status;
}

int stream_close(struct awk *a, struct str name)
{
	int status = -1;

	for (struct stream **at = &a->streams; *at;) {
		struct stream *s = *at;

		if (s->name->len == name.len && memcmp(s->name->s, name.ptr, name.len) == 0) {
			*at = s->next;
			status = close_one(a, s);
		} else {
			at = &s->next;
		}
	}
	return status;
}

void streams_flush(struct awk *a)
{
	u_flush(u_stdout(a->p));
	for (struct stream *s = a->streams; s; s = s->next)
		if (s->kind >= STREAM_WRITE)
			u_flush(s->out);
}

void streams_close_all(struct awk *a)
{
	/* What is left in the commands' pipes comes before what is left of standard output, as gawk has it. */
	while (a->streams) {
		struct stream *s = a->streams;

		a->streams = s->next;
		close_one(a, s);
	}
	u_flush(u_stdout(a->p));
}
