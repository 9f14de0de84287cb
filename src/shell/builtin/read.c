/*
 * read.c - read: a line, or so many characters, into variables.
 *
 * Nothing beyond what was asked for is taken from the descriptor, so that the next command
 * finds the rest. The text is collected with one mark a byte for those a backslash protected,
 * which is what splitting at IFS needs to know.
 */
#include "args.h"

#define READ_MAX ((size_t)1 << 30)

struct reading {
	struct shell *sh;
	int fd;
	int delim; /* -1: none (-N) */
	bool raw;
	int64_t chars;    /* wanted: -n, -N; -1: no limit */
	int64_t deadline; /* of the monotonic clock; -1: none */
	struct u_buf text, marks;
	bool escaped_any;
	bool timed_out, eof;
	int err;
	int interrupted; /* a trap's signal */
};

/* ---- Bytes ----------------------------------------------------------------------- */

static int64_t time_left(struct reading *r)
{
	int64_t left;

	if (r->deadline < 0)
		return -1;
	left = r->deadline - sys_clock(r->sh->p, SYS_CLOCK_MONO);
	return left > 0 ? left : 0;
}

static void keep(struct reading *r, char c, bool escaped)
{
	if (c == '\0')
		return;
	u_buf_putc(&r->text, c);
	if (escaped && !r->escaped_any) {
		r->escaped_any = true;
		u_buf_reserve(&r->marks, r->text.len);
		memset(r->marks.ptr, 0, r->text.len - 1);
		r->marks.len = r->text.len - 1;
	}
	if (r->escaped_any)
		u_buf_putc(&r->marks, (char)escaped);
}

/* Up to n bytes into buf: 0 at the end, < 0 when nothing more is to be done (r tells why). */
static int64_t fetch(struct reading *r, char *buf, size_t n)
{
	for (;;) {
		size_t got = 0;
		int64_t k = sys_read_until(r->sh->p, r->fd, r->delim, buf, n, time_left(r), &got);

		if (k == -NACRE_ETIMEDOUT) {
			r->timed_out = true;
			return (int64_t)got;
		}
		if (k == -NACRE_EINTR) {
			r->sh->last_signal = 0;
			trap_poll_slow(r->sh);
			if (r->sh->last_signal && r->deadline >= 0) {
				r->interrupted = r->sh->last_signal;
				return (int64_t)got;
			}
			if (got)
				return (int64_t)got;
			continue;
		}
		if (k < 0) {
			r->err = (int)k;
			return -1;
		}
		if (k == 0)
			r->eof = true;
		return k;
	}
}

static int64_t room(const struct reading *r, size_t cap)
{
	int64_t have;

	if (r->chars < 0)
		return (int64_t)cap;
	have = (int64_t)(r->sh->st->utf8 ? utf8_count(r->text.ptr, r->text.len) : r->text.len);
	return MIN(r->chars - have, (int64_t)cap);
}

/* The last character is not all there yet: its missing bytes. */
static size_t missing_bytes(const struct reading *r)
{
	size_t n = r->text.len, back = 0, want;

	if (r->chars < 0 || !r->sh->st->utf8 || n == 0)
		return 0;
	while (back < 3 && back < n && ((unsigned char)r->text.ptr[n - 1 - back] & 0xc0) == 0x80)
		back++;
	if (back >= n)
		return 0;
	unsigned char c = (unsigned char)r->text.ptr[n - 1 - back];

	want = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
	return want > back ? want - back : 0;
}

/* Collects until the delimiter, the count, the end or the time. */
static void collect(struct reading *r)
{
	char *buf = u_alloc(r->sh->p, 1024);
	bool escape = false;

	u_buf_init(&r->text, r->sh->p, READ_MAX);
	u_buf_init(&r->marks, r->sh->p, READ_MAX);
	u_buf_reserve(&r->text, 128);
	for (;;) {
		int64_t want = room(r, 1024), n;

		if (want <= 0) {
			want = (int64_t)missing_bytes(r);
			if (want == 0)
				return;
		}
		n = fetch(r, buf, (size_t)want);
		for (int64_t i = 0; i < n; i++) {
			bool last = i + 1 == n && r->delim >= 0 && buf[i] == (char)r->delim;

			if (!r->raw && escape) {
				escape = false;
				if (buf[i] != '\n')
					keep(r, buf[i], true);
				continue;
			}
			if (!r->raw && buf[i] == '\\') {
				escape = true;
				continue;
			}
			if (last)
				return;
			keep(r, buf[i], false);
		}
		if (n <= 0 || r->timed_out || r->eof || r->err || r->interrupted)
			return;
	}
}

/* ---- Variables ---------------------------------------------------------------------- */

static bool put(struct shell *sh, const char *name, struct str v)
{
	return args_assign(sh, name, v);
}

static int into_array(struct reading *r, const char *name)
{
	struct shell *sh = r->sh;
	struct fields f = {0};
	struct str target;
	const struct var *v;
	int e;

	if (!name_valid(str_from(name))) {
		builtin_error(sh, "`%s': not a valid identifier", name);
		return 1;
	}
	if (state_resolve(sh->st, str_from(name), &target) || !name_valid(target))
		target = str_from(name);
	v = state_find(sh->st, target);
	if (v && (v->flags & VAR_ASSOC)) {
		builtin_error(sh, "%s: cannot convert associative to indexed array", name);
		return 1;
	}
	split_read(&sh->x, (struct str){r->text.ptr, r->text.len},
	           r->escaped_any ? r->marks.ptr : NULL, SIZE_MAX, &f);
	e = state_clear_array(sh->st, target, VAR_VISIBLE);
	for (size_t i = 0; !e && i < f.n; i++)
		e = state_put_elem(sh->st, target, VAR_VISIBLE, (int64_t)i, str_from(f.v[i]),
		                   false);
	if (e)
		builtin_assign_error(sh, name, e);
	return e ? 1 : 0;
}

static int into_names(struct reading *r, char **names, int n)
{
	struct fields f = {0};
	struct str text = {r->text.ptr ? r->text.ptr : "", r->text.len};

	if (n == 0)
		return put(r->sh, "REPLY", text) ? 0 : 1;
	split_read(&r->sh->x, text, r->escaped_any ? r->marks.ptr : NULL, (size_t)n, &f);
	for (int i = 0; i < n; i++)
		if (!put(r->sh, names[i], (size_t)i < f.n ? str_from(f.v[i]) : (struct str){"", 0}))
			return 1;
	return 0;
}

/* -N: the characters as they are, to the first name. */
static int into_exact(struct reading *r, char **names, int n)
{
	struct str text = {r->text.ptr ? r->text.ptr : "", r->text.len};

	if (!put(r->sh, n ? names[0] : "REPLY", text))
		return 1;
	for (int i = 1; i < n; i++)
		if (!put(r->sh, names[i], (struct str){"", 0}))
			return 1;
	return 0;
}

/* ---- Options ------------------------------------------------------------------------- */

/* Seconds with an optional fraction, in nanoseconds. */
static bool parse_timeout(const char *s, int64_t *ns)
{
	int64_t whole = 0, frac = 0, unit = 100000000;

	if (*s == '\0')
		return false;
	for (; ascii_digit((unsigned char)*s); s++)
		if (whole < 1000000000)
			whole = whole * 10 + (*s - '0');
	if (*s == '.')
		for (s++; ascii_digit((unsigned char)*s); s++) {
			frac += (*s - '0') * unit;
			unit /= 10;
		}
	*ns = whole * 1000000000 + frac;
	return *s == '\0';
}

struct read_opts {
	const char *array, *prompt;
	int64_t timeout; /* -1: none */
	bool exact;
};

static int parse(struct reading *r, struct read_opts *o, struct args *a)
{
	struct shell *sh = r->sh;
	int64_t n;
	int c;

	while ((c = args_next(a, "ersa:d:i:n:p:t:u:N:")) > 0) {
		switch (c) {
		case 'r': r->raw = true; break;
		case 'a': o->array = a->value; break;
		case 'd': r->delim = (unsigned char)*a->value; break;
		case 'n':
		case 'N':
			if (!args_number(a->value, &n) || n < 0 || n > INT32_MAX) {
				builtin_error(sh, "%s: invalid number", a->value);
				return 1;
			}
			r->chars = n;
			o->exact = c == 'N';
			break;
		case 'p': o->prompt = a->value; break;
		case 't':
			if (!parse_timeout(a->value, &o->timeout)) {
				builtin_error(sh, "%s: invalid timeout specification", a->value);
				return 1;
			}
			break;
		case 'u':
			if (!args_number(a->value, &n) || n < 0 || n > INT32_MAX) {
				builtin_error(sh, "%s: invalid file descriptor specification",
				              a->value);
				return 1;
			}
			if (sys_fd_flags(sh->p, (int)n) < 0) {
				builtin_error(sh, "%d: invalid file descriptor: %s", (int)n,
				              errno_text(NACRE_EBADF));
				return 1;
			}
			r->fd = (int)n;
			break;
		default: break;
		}
	}
	if (o->exact)
		r->delim = -1;
	return c < 0 ? USAGE_STATUS : 0;
}

int builtin_read(struct shell *sh, int argc, char **argv)
{
	struct reading r = {.sh = sh, .delim = '\n', .chars = -1, .deadline = -1};
	struct read_opts o = {.timeout = -1};
	struct args a;
	char **names;
	int status, n;

	args_init(&a, sh, argc, argv);
	status = parse(&r, &o, &a);
	if (status)
		return status;
	names = argv + a.i;
	n = argc - a.i;
	for (int i = 0; i < n && !o.array; i++) {
		struct str base, sub;

		if (!name_valid(str_from(names[i])) &&
		    !name_split(str_from(names[i]), &base, &sub)) {
			builtin_error(sh, "`%s': not a valid identifier", names[i]);
			return 1;
		}
	}
	if (o.timeout == 0) {
		struct sys_poll poll = {.fd = r.fd, .want_read = true};

		return sys_poll(sh->p, &poll, 1, 0) > 0 ? 0 : 1;
	}
	if (o.prompt && sys_isatty(sh->p, r.fd))
		(void)!u_write_all(sh->p, 2, o.prompt, strlen(o.prompt));
	if (o.timeout > 0)
		r.deadline = sys_clock(sh->p, SYS_CLOCK_MONO) + o.timeout;
	collect(&r);
	if (r.err) {
		builtin_error(sh, "read error: %d: %s", r.fd, errno_text(r.err));
		return 1;
	}
	status = r.timed_out     ? 128 + SYS_SIGALRM
	         : r.interrupted ? 128 + r.interrupted
	         : r.eof         ? 1
	                         : 0;
	if (o.array)
		n = into_array(&r, o.array);
	else if (o.exact)
		n = into_exact(&r, names, n);
	else
		n = into_names(&r, names, n);
	return n ? n : status;
}
