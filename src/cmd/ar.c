/*
 * ar.c - ar: archives of files one after the other, as libraries are.
 *
 * An archive is read whole, changed in memory and written again. Names of more than 15 bytes are in a member of their own,
 * "//", as GNU has it; #1/N of BSD is understood. No index of symbols is made: nothing links here. Names are not trusted:
 * what is extracted is a plain file in the working directory.
 */
#include "cmd.h"

#define AR_MAGIC "!<arch>\n"
#define AR_MAX ((size_t)1 << 30)
#define AR_HEADER 60u

struct member {
	const char *name;
	struct str data;
	int64_t mtime;
	uint32_t uid, gid, mode;
	uint64_t at;		/* where its header is */
};

struct ar {
	struct proc *p;
	char op;
	bool verbose, create, dates, newer, after, before, offsets, times, truncate;
	const char *where;	/* of a, b, i: the member before or after which new ones go */
	uint64_t count;		/* N: which of several of a name; 0 none */
	const char *output;
	const char *path;
	struct member *v;
	size_t n, cap;
	bool is_new, failed;
};

/* ---- Reading ------------------------------------------------------------------------------------- */

static NORETURN void damaged(struct ar *a)
{
	u_die(a->p, 1, 0, "%s: file format not recognized", a->path);
}

static struct member *add(struct ar *a, size_t at)
{
	if (a->n == a->cap) {
		size_t cap = a->cap ? a->cap * 2 : 16;

		a->v = arena_grow(&sys_self(a->p)->arena, a->v, a->cap * sizeof(*a->v), size_mul(cap, sizeof(*a->v)));
		a->cap = cap;
	}
	memmove(a->v + at + 1, a->v + at, (a->n - at) * sizeof(*a->v));
	a->n++;
	a->v[at] = (struct member){.name = ""};
	return &a->v[at];
}

/* A number in a field of the header, blanks after it. */
static uint64_t field(const char *s, size_t n, int base)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && s[i] >= '0' && s[i] < '0' + base; i++)
		v = v * (uint64_t)base + (uint64_t)(s[i] - '0');
	return v;
}

/* The name of a member whose header is at h; data loses the name where it begins with it. */
static const char *member_name(struct ar *a, const char *h, struct str table, struct str *data)
{
	size_t n = 16;

	if (h[0] == '#' && h[1] == '1' && h[2] == '/') {
		size_t len = (size_t)field(h + 3, 13, 10);

		if (len > data->len)
			damaged(a);
		h = data->ptr;
		data->ptr += len;
		data->len -= len;
		return u_strndup(a->p, h, strnlen(h, len));
	}
	if (h[0] == '/' && ascii_digit(h[1])) {
		size_t at = (size_t)field(h + 1, 15, 10);

		if (at >= table.len)
			damaged(a);
		h = table.ptr + at;
		for (n = 0; at + n < table.len && h[n] != '\n';)
			n++;
	}
	while (n > 0 && h[n - 1] == ' ')
		n--;
	n -= n > 0 && h[n - 1] == '/';
	return u_strndup(a->p, h, n);
}

static void parse(struct ar *a, struct str all)
{
	struct str table = {"", 0};
	size_t at = strlen(AR_MAGIC);

	if (all.len < at || memcmp(all.ptr, AR_MAGIC, at) != 0)
		damaged(a);
	while (at + AR_HEADER <= all.len) {
		const char *h = all.ptr + at;
		uint64_t size = field(h + 48, 10, 10);
		struct str data = {h + AR_HEADER, (size_t)size};

		if (h[58] != '`' || h[59] != '\n' || size > all.len - at - AR_HEADER)
			damaged(a);
		if (h[0] == '/' && h[1] == '/') {
			table = data;
		} else if (!(h[0] == '/' && (h[1] == ' ' || memcmp(h, "/SYM64/", 7) == 0)) && memcmp(h, "__.SYMDEF", 9) != 0) {
			struct member *m = add(a, a->n);

			m->name = member_name(a, h, table, &data);
			m->data = data;
			m->mtime = (int64_t)field(h + 16, 12, 10);
			m->uid = (uint32_t)field(h + 28, 6, 10);
			m->gid = (uint32_t)field(h + 34, 6, 10);
			m->mode = (uint32_t)field(h + 40, 8, 8);
			m->at = at;
		}
		at += AR_HEADER + (size_t)size + (size & 1);
		sys_checkpoint(a->p);
	}
	if (at < all.len)
		damaged(a);
}

static struct str read_file(struct ar *a, const char *path, struct sys_stat *st, int *err)
{
	struct str all = {"", 0};
	int fd = sys_open(a->p, path, SYS_O_READ, 0);

	*err = fd;
	if (fd < 0)
		return all;
	*err = sys_fstat(a->p, fd, st);
	if (*err >= 0)
		*err = u_read_all(a->p, fd, AR_MAX, &all);
	sys_close(a->p, fd);
	return all;
}

static void load(struct ar *a)
{
	bool makes = a->op == 'r' || a->op == 'q';
	struct sys_stat st;
	int err;
	struct str all = read_file(a, a->path, &st, &err);

	if (err == -NACRE_ENOENT && makes) {
		a->is_new = true;
		if (!a->create)
			u_warn(a->p, 0, "creating %s", a->path);
		return;
	}
	if (err < 0)
		u_die(a->p, 9, err, "%s", a->path);
	if (all.len > 0 || !makes)
		parse(a, all);
}

/* ---- Writing ------------------------------------------------------------------------------------------ */

static void put_header(struct u_buf *b, const char *name, const struct member *m, bool real)
{
	u_buf_printf(b, "%-16s%-12lld%-6u%-6u%-8o%-10llu`\n", name, (long long)m->mtime, m->uid % 1000000, m->gid % 1000000,
		     real ? m->mode : m->mode & 07777, (unsigned long long)m->data.len);
}

static void put_data(struct u_buf *b, struct str data)
{
	u_buf_put(b, data.ptr, data.len);
	if (data.len & 1)
		u_buf_putc(b, '\n');
}

static void save(struct ar *a)
{
	struct u_buf b, names;
	int fd, r;

	u_buf_init(&b, a->p, 0);
	u_buf_init(&names, a->p, AR_MAX);
	u_buf_puts(&b, AR_MAGIC);
	for (size_t i = 0; i < a->n; i++) {
		if (strlen(a->v[i].name) > 15)
			u_buf_printf(&names, "%s/\n", a->v[i].name);
	}
	if (names.len & 1)
		u_buf_putc(&names, '\n');
	if (names.len > 0)
		u_buf_printf(&b, "%-48s%-10zu`\n", "//", names.len);
	u_buf_put(&b, names.ptr, names.len);
	for (size_t i = 0, at = 0; i < a->n; i++) {
		struct member *m = &a->v[i];
		bool is_long = strlen(m->name) > 15;

		put_header(&b, is_long ? u_format(a->p, "/%zu", at) : u_format(a->p, "%s/", m->name), m, a->times);
		put_data(&b, m->data);
		at += is_long ? strlen(m->name) + 2 : 0;
	}
	fd = sys_open(a->p, a->path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
	r = fd < 0 ? fd : u_write_all(a->p, fd, b.ptr, b.len);
	if (r < 0)
		u_die(a->p, 1, r, "%s", a->path);
	sys_close(a->p, fd);
}

/* ---- Members by name -------------------------------------------------------------------------------------- */

static const char *short_name(const struct ar *a, const char *path)
{
	return u_basename(a->p, path);
}

/* The member of that name (the count-th of them), or n. */
static size_t find(const struct ar *a, const char *name)
{
	uint64_t left = a->count ? a->count : 1;

	for (size_t i = 0; i < a->n; i++) {
		if (streq(a->v[i].name, name) && --left == 0)
			return i;
	}
	return a->n;
}

static size_t place_of_new(struct ar *a)
{
	size_t at = a->where ? find(a, short_name(a, a->where)) : a->n;

	return at < a->n && a->after ? at + 1 : at;
}

static bool fill(struct ar *a, const char *path, struct member *m, struct sys_stat *st)
{
	int err;
	const char *name = short_name(a, path);

	m->data = read_file(a, path, st, &err);
	if (err < 0) {
		u_warn(a->p, err, "%s", path);
		a->failed = true;
		return false;
	}
	m->name = a->truncate && strlen(name) > 15 ? u_strndup(a->p, name, 15) : name;
	m->mode = a->times ? st->mode : 0644;
	m->mtime = a->times ? st->mtime.sec : 0;
	m->uid = a->times ? st->uid : 0;
	m->gid = a->times ? st->gid : 0;
	return true;
}

static void drop(struct ar *a, size_t at)
{
	memmove(a->v + at, a->v + at + 1, (a->n - at - 1) * sizeof(*a->v));
	a->n--;
}

/* ---- What is done --------------------------------------------------------------------------------------------- */

static void insert_files(struct ar *a, char **files, int n)
{
	for (int i = 0; i < n; i++) {
		struct member m = {.name = ""};
		struct sys_stat st;
		size_t at;

		if (!fill(a, files[i], &m, &st))
			u_exit(a->p, 1);
		at = a->op == 'r' ? find(a, m.name) : a->n;
		if (at < a->n && a->newer && a->times && st.mtime.sec <= a->v[at].mtime)
			continue;
		if (a->verbose)
			u_printf(u_stdout(a->p), "%c - %s\n", at < a->n ? 'r' : 'a', files[i]);
		/* Where a place was given, it is everyone's. */
		if (at < a->n && a->where) {
			drop(a, at);
			at = a->n;
		}
		if (at == a->n) {
			at = place_of_new(a);
			add(a, at);
		}
		a->v[at] = m;
	}
	save(a);
}

static void delete_members(struct ar *a, char **names, int n)
{
	for (int i = 0; i < n; i++) {
		size_t at = find(a, short_name(a, names[i]));

		if (at < a->n) {
			if (a->verbose)
				u_printf(u_stdout(a->p), "d - %s\n", a->v[at].name);
			drop(a, at);
		} else if (a->verbose) {
			u_printf(u_stdout(a->p), "No member named `%s'\n", names[i]);
		}
	}
	save(a);
}

static void move_members(struct ar *a, char **names, int n)
{
	for (int i = 0; i < n; i++) {
		size_t at = find(a, short_name(a, names[i]));
		struct member m;

		if (at == a->n)
			u_die(a->p, 1, 0, "no entry %s in archive %s!", names[i], a->path);
		if (a->verbose)
			u_printf(u_stdout(a->p), "m - %s\n", a->v[at].name);
		m = a->v[at];
		drop(a, at);
		at = place_of_new(a);
		*add(a, at) = m;
	}
	save(a);
}

static void list_member(struct ar *a, const struct member *m)
{
	struct u_out *out = u_stdout(a->p);

	if (a->verbose) {
		char mode[12];
		struct u_buf b;
		struct u_tm tm;

		u_mode_string(m->mode, mode);
		u_time_split(u_tz_get(a->p, NULL), (struct sys_time){.sec = m->mtime}, &tm);
		u_buf_init(&b, a->p, 0);
		u_time_format(&b, "%b %e %H:%M %Y", 14, &tm);
		u_printf(out, "%s %u/%u %6llu %s ", mode + 1, m->uid, m->gid, (unsigned long long)m->data.len, b.ptr);
	}
	u_puts(out, m->name);
	if (a->offsets)
		u_printf(out, " 0x%llx", (unsigned long long)m->at + AR_HEADER);
	u_putc(out, '\n');
}

static void print_member(struct ar *a, const struct member *m)
{
	if (a->verbose)
		u_printf(u_stdout(a->p), "\n<%s>\n\n", m->name);
	u_put(u_stdout(a->p), m->data.ptr, m->data.len);
}

static void extract_member(struct ar *a, const struct member *m)
{
	const char *name = u_basename(a->p, m->name);
	int fd, r;

	if (name[0] == '\0' || streq(name, ".") || streq(name, "..") || streq(name, "/")) {
		u_warn(a->p, 0, "illegal output pathname for archive member: %s", m->name);
		a->failed = true;
		return;
	}
	if (!streq(name, m->name))
		u_warn(a->p, 0, "illegal output pathname for archive member: %s, using '%s' instead", m->name, name);
	if (a->verbose)
		u_printf(u_stdout(a->p), "x - %s\n", m->name);
	if (a->output)
		name = u_join(a->p, a->output, name);
	/* A link in the way is not followed. */
	r = sys_unlink(a->p, name);
	fd = sys_open(a->p, name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_NOFOLLOW, 0600);
	r = fd < 0 ? fd : u_write_all(a->p, fd, m->data.ptr, m->data.len);
	if (r < 0)
		u_die(a->p, 1, r, "%s", name);
	sys_close(a->p, fd);
	r = sys_chmod(a->p, name, m->mode & 0777, 0);
	if (r >= 0 && a->dates)
		r = sys_utimes(a->p, name, (struct sys_time){.sec = m->mtime}, (struct sys_time){.sec = m->mtime}, 0);
	if (r < 0)
		u_warn(a->p, r, "%s", name);
}

static void say(struct ar *a, const char *text)
{
	u_flush(u_stdout(a->p));
	u_write_all(a->p, 2, text, strlen(text));
}

static void each_member(struct ar *a, char **names, int n, void (*act)(struct ar *, const struct member *))
{
	for (size_t i = 0; n == 0 && i < a->n; i++)
		act(a, &a->v[i]);
	for (int i = 0; i < n; i++) {
		bool found = false;
		const char *name = short_name(a, names[i]);

		for (size_t k = 0; k < a->n; k++) {
			if (!streq(a->v[k].name, name) || (a->count && find(a, name) != k))
				continue;
			act(a, &a->v[k]);
			found = true;
			break;
		}
		if (!found)
			say(a, u_format(a->p, "no entry %s in archive\n", names[i]));
	}
}

/* ---- The command line ------------------------------------------------------------------------------------------- */

static void letters(struct ar *a, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case 'd': case 'm': case 'p': case 'q': case 'r': case 't': case 'x':
			if (a->op)
				u_die(a->p, 1, 0, "two different operation options specified");
			a->op = *s;
			break;
		case 's':
			if (!a->op && !s[1])
				a->op = 's';
			break;
		case 'a': a->after = true; break;
		case 'b':
		case 'i': a->before = true; break;
		case 'c': a->create = true; break;
		case 'D': a->times = false; break;
		case 'U': a->times = true; break;
		case 'f': a->truncate = true; break;
		case 'o': a->dates = true; break;
		case 'O': a->offsets = true; break;
		case 'u': a->newer = true; break;
		case 'v': a->verbose = true; break;
		case 'S': break;	/* no index is made anyway */
		case 'N': a->count = 1; break;
		case 'P': case 'T': case 'M': case 'l': case 'V': u_usage(a->p, "option -%c is not supported", *s);
		default: u_usage(a->p, "invalid option -- '%c'", *s);
		}
	}
}

static void run(struct ar *a, char **files, int n)
{
	if (a->newer && !a->times)
		u_warn(a->p, 0, "`u' modifier ignored since `D' is the default (see `U')");
	load(a);
	switch (a->op) {
	case 'r':
	case 'q': insert_files(a, files, n); break;
	case 'd': delete_members(a, files, n); break;
	case 'm': move_members(a, files, n); break;
	case 't': each_member(a, files, n, list_member); break;
	case 'p': each_member(a, files, n, print_member); break;
	case 'x': each_member(a, files, n, extract_member); break;
	default: break;
	}
}

static int ar_main(struct proc *p, const struct cmd_args *args)
{
	struct ar a = {.p = p};
	char **word = u_array(p, (size_t)args->argc + 1, sizeof(*word));
	int n = 0, k = 0;
	bool given = false;

	for (int i = 0; i < args->argc; i++) {
		char *s = args->argv[i];

		if (strncmp(s, "--output=", 9) == 0) {
			a.output = s + 9;
		} else if (s[0] == '-' && s[1] == '-' && s[2]) {
			u_usage(p, "unrecognized option '%s'", s);
		} else if (s[0] == '-' && s[1] && n == 0) {
			letters(&a, s + 1);
			given = true;
		} else if (!given) {
			letters(&a, s);
			given = true;
		} else {
			word[n++] = s;
		}
	}
	if (!a.op)
		u_usage(p, "no operation specified");
	if ((a.after || a.before) && k < n)
		a.where = word[k++];
	if (a.count && a.op != 'x' && a.op != 'd')
		u_die(p, 1, 0, "`N' is only meaningful with the `x' and `d' options.");
	if (a.count) {
		const char *end;

		a.count = k < n ? num_u64(word[k], &end, 10, NULL) : 0;
		if (k == n || *end || !a.count)
			u_die(p, 1, 0, "Value for `N' must be positive.");
		k++;
	}
	if (k == n)
		u_usage(p, "no archive specified");
	a.path = word[k++];
	run(&a, word + k, n - k);
	return a.failed;
}

static const struct cmd_example ar_examples[] = {
	{"echo one > a; echo two > b; ar rc x.a a b; ar t x.a; ar p x.a b", "a\nb\ntwo\n"},
};

static const struct cmd_missing ar_missing[] = {
	{"-P, -M, -T, --thin, -l, -V, --plugin, --target, @FILE", ""},
	{"s", "there is no index of symbols: nothing links in the sandbox. The letter is taken, the archive stays as it is"},
};

const struct cmd cmd_ar = {
	.name = "ar",
	.summary = "make, change and extract from archives of files",
	.synopsis = "[-]{d|m|p|q|r|t|x}[abcDfiNoOSsuUv] [--output=DIR] [MEMBER] [COUNT] ARCHIVE [FILE]...",
	.description =
		"  d  delete FILEs             p  print FILEs to standard output\n"
		"  m  move FILEs to the end    q  append FILEs\n"
		"  r  replace or add FILEs     t  list the members      x  extract FILEs\n"
		"  a, b, i  put FILEs after or before MEMBER    c  say nothing about a new archive\n"
		"  D  no times, owners, modes (default)   U  as the files have them   o  x: with their times\n"
		"  f  cut names to 15 bytes    N  the COUNT-th member of a name   O  t: with offsets\n"
		"  u  r: only newer files (with U)    v  say what is done",
	.raw = true,
	.main = ar_main,
	.examples = ar_examples,
	.nexamples = COUNTOF(ar_examples),
	.missing = ar_missing,
	.nmissing = COUNTOF(ar_missing),
};
