/*
 * archive.c - the archive as a run of blocks: opening, reading, writing, and the program that compresses it.
 *
 * A compressed archive goes through another program of the sandbox (gzip, xz, what -I names) and a pipe, as in
 * GNU tar. Blocks are handed out in place where they lie whole in a slice.
 */
#include "tar.h"

#define BUFFER ((size_t)64 << 10)

/* ---- Compressing programs --------------------------------------------------------------- */

struct magic {
	const char *bytes;
	size_t n;
	const char *program, *option;
};

static const struct magic magics[] = {
	{"\x1f\x8b", 2, "gzip", "-z"},		{"\x1f\x9d", 2, "compress", "-Z"}, {"BZh", 3, "bzip2", "-j"},
	{"\xfd" "7zXZ", 5, "xz", "-J"},		{"\x5d\0\0", 3, "lzma", "--lzma"},  {"LZIP", 4, "lzip", "--lzip"},
	{"\x28\xb5\x2f\xfd", 4, "zstd", "--zstd"}, {"\x89LZO", 4, "lzop", "--lzop"},
};

static const char *program_by_name(const char *file)
{
	static const char *const table[][2] = {
		{".gz", "gzip"},   {".tgz", "gzip"},   {".taz", "gzip"},   {".Z", "compress"}, {".taZ", "compress"}, {".bz2", "bzip2"}, {".tz2", "bzip2"},
		{".tbz2", "bzip2"}, {".tbz", "bzip2"}, {".xz", "xz"},	  {".txz", "xz"},     {".lz", "lzip"},      {".lzma", "lzma"}, {".tlz", "lzma"},
		{".zst", "zstd"},  {".tzst", "zstd"},  {".lzo", "lzop"},
	};
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < COUNTOF(table); i++) {
		if (streq(dot, table[i][0]))
			return table[i][1];
	}
	return NULL;
}

/* The words of the program's command line, with room for one more. */
static char **split_words(struct proc *p, const char *text, size_t *n)
{
	char **v = u_array(p, strlen(text) / 2 + 3, sizeof(*v));

	*n = 0;
	while (*(text += strspn(text, " \t\n"))) {
		size_t len = strcspn(text, " \t\n");

		v[(*n)++] = u_strndup(p, text, len);
		text += len;
	}
	v[*n] = NULL;
	return v;
}

static NORETURN void cannot_exec(struct tar *t, const char *name, int err)
{
	struct proc *p = t->p;
	const char *self = u_name(p);

	sys_self(p)->name = u_format(p, "%s (child)", self);
	u_warn(p, err, "%s: Cannot exec", name);
	u_warn(p, 0, "Error is not recoverable: exiting now");
	sys_self(p)->name = self;
	tar_fatal(t, 0, "Child returned status 2");
}

/* Puts the program between the archive file and ourselves: t->ar.fd becomes our end of the pipe. */
static void start_program(struct tar *t, bool writes)
{
	struct tar_archive *a = &t->ar;
	struct proc *p = t->p;
	size_t n;
	char **argv = split_words(p, t->program, &n);
	int fds[2], r, status, pid;
	const char *path = n ? u_find_program(p, argv[0], &status) : NULL;

	if (!path)
		cannot_exec(t, n ? argv[0] : "", n && status == 126 ? -NACRE_EACCES : -NACRE_ENOENT);
	if (!writes)
		argv[n++] = (char *)(uintptr_t)"-d";
	argv[n] = NULL;
	r = sys_pipe(p, fds);
	if (r < 0)
		tar_fatal(t, r, "Cannot create a pipe");
	sys_set_cloexec(p, fds[0], true);
	sys_set_cloexec(p, fds[1], true);
	u_flush(t->list);
	pid = sys_spawn(p, &(struct sys_spawn){
		.path = path, .argv = argv, .nfds = 2,
		.fds = (struct sys_fd_move[]){{writes ? fds[0] : a->fd, 0}, {writes ? a->fd : fds[1], 1}}});
	if (pid < 0)
		cannot_exec(t, argv[0], pid);
	sys_close(p, writes ? fds[0] : fds[1]);
	if (a->fd > 2)
		sys_close(p, a->fd);
	a->fd = writes ? fds[1] : fds[0];
	a->child = pid;
}

static void wait_program(struct tar *t)
{
	struct sys_wait w;
	int r;

	if (!t->ar.child)
		return;
	sys_close(t->p, t->ar.fd);
	do {
		r = sys_wait(t->p, t->ar.child, 0, &w);
	} while (r == -NACRE_EINTR);
	t->ar.child = 0;
	if (r < 0)
		return;
	if (w.signal)
		tar_fatal(t, 0, "Child died with signal %d", w.signal);
	if (w.status)
		tar_fatal(t, 0, "Child returned status %d", w.status);
}

/* ---- Opening -------------------------------------------------------------------------------- */

static const char *file_name(struct tar *t)
{
	const char *f = t->file ? t->file : u_getenv(t->p, "TAPE");

	return f ? f : "-";
}

static void open_file(struct tar *t, unsigned flags)
{
	const char *name = file_name(t), *colon = strchr(name, ':'), *slash = strchr(name, '/');
	struct sys_stat st;

	t->ar.p = t->p;
	if (colon && colon > name && (!slash || slash > colon))
		tar_fatal(t, -NACRE_ENOSYS, "%s: Cannot open: no remote archives here", tar_quote_colon(t, name));
	if (streq(name, "-"))
		t->ar.fd = flags & SYS_O_WRITE ? 1 : 0;
	else
		t->ar.fd = sys_open(t->p, name, flags | SYS_O_CLOEXEC, 0666);
	if (t->ar.fd < 0)
		tar_fatal(t, t->ar.fd, "%s: Cannot open", tar_quote_colon(t, name));
	if (sys_fstat(t->p, t->ar.fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_FILE) {
		t->ar.dev = st.dev;
		t->ar.ino = st.ino;
		t->ar.has_ino = true;
		t->ar.seekable = !t->no_seek && sys_seek(t->p, t->ar.fd, 0, SYS_SEEK_CUR) >= 0;
	}
}

static NORETURN void cannot_read(struct tar *t, int err)
{
	tar_error(t, err, "%s: Cannot read", tar_quote_colon(t, file_name(t)));
	if (t->ar.bytes == 0)
		tar_error(t, 0, "At beginning of tape, quitting now");
	tar_quit(t);
}

/* Which program would open the archive, seen from its first bytes; NULL when it is none. */
static const struct magic *look(struct tar *t)
{
	struct sys_slice s;
	int64_t got = sys_read_slice(t->p, t->ar.fd, TAR_BLOCK, &s);
	const struct magic *found = NULL;

	if (got < 0)
		cannot_read(t, (int)got);
	if (got == TAR_BLOCK && tar_checksum_ok(s.ptr))
		got = -got;
	for (size_t i = 0; i < COUNTOF(magics) && !found; i++) {
		if (got >= (int64_t)magics[i].n && memcmp(s.ptr, magics[i].bytes, magics[i].n) == 0)
			found = &magics[i];
	}
	if (got && sys_unread(t->p, t->ar.fd, (size_t)(got < 0 ? -got : got)) < 0)
		tar_fatal(t, 0, "Cannot go back to the beginning of the archive");
	return found;
}

void archive_open_read(struct tar *t)
{
	const struct magic *m;

	open_file(t, SYS_O_READ);
	m = t->program ? NULL : look(t);
	if (m && t->ar.fd == 0)
		tar_fatal(t, 0, "Archive is compressed. Use %s option", m->option);
	if (m)
		t->program = m->program;
	if (t->program && streq(t->program, "lzma"))
		t->program = "xz"; /* reads both of its formats: --lzma may have meant either */
	if (t->program) {
		start_program(t, false);
		t->ar.seekable = false;
	}
}

void archive_open_write(struct tar *t)
{
	if (t->auto_compress && !t->program)
		t->program = program_by_name(file_name(t));
	open_file(t, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC);
	t->ar.writes = true;
	t->ar.buf = u_alloc(t->p, BUFFER);
	if (t->ar.fd == 1 && sys_isatty(t->p, 1))
		tar_fatal(t, 0, "Refusing to write archive contents to terminal (missing -f option?)");
	if (t->program)
		start_program(t, true);
}

void archive_open_update(struct tar *t)
{
	if (streq(file_name(t), "-"))
		tar_usage(t, "Options '-Aru' are incompatible with '-f -'");
	if (t->program)
		tar_usage(t, "Cannot update compressed archives");
	open_file(t, SYS_O_READ | SYS_O_WRITE | (t->mode == TAR_DELETE ? 0 : SYS_O_CREATE));
	t->ar.buf = u_alloc(t->p, BUFFER);
	if (look(t))
		tar_fatal(t, 0, "Cannot update compressed archives");
}

/* ---- Checkpoints ------------------------------------------------------------------------------- */

static void run_action(struct tar *t, const char *action)
{
	const char *arg = strchr(action, '=');
	size_t n = arg ? (size_t)(arg - action) : strlen(action);
	int err;

	if (n == 4 && strncmp(action, "exec", 4) == 0) {
		u_run(t->p, (char *[]){(char *)(uintptr_t)"/bin/sh", (char *)(uintptr_t)"-c", u_strdup(t->p, arg + 1), NULL}, false, &err);
	} else if (n == 5 && strncmp(action, "sleep", 5) == 0) {
		uint64_t s = 0;

		if (u_parse_size(arg + 1, NULL, &s) == 0 && s < 1000000)
			(void)!sys_sleep(t->p, (int64_t)s * 1000000000);
	} else if (streq(action, "dot") || streq(action, ".")) {
		u_putc(t->list, '.');
		t->checkpoint_dots = true;
	} else if (arg && n == 4) {
		u_warn(t->p, 0, "%s", arg + 1);
	} else {
		u_warn(t->p, 0, "%s checkpoint %llu", t->ar.writes ? "Write" : "Read", (unsigned long long)t->checkpoint_count);
	}
}

void tar_checkpoint(struct tar *t)
{
	if (!t->checkpoint || ++t->checkpoint_count % t->checkpoint)
		return;
	for (size_t i = 0; i < t->actions.n; i++)
		run_action(t, t->actions.v[i]);
	if (t->actions.n == 0)
		run_action(t, "echo");
}

static void count(struct tar *t, uint64_t blocks)
{
	/* A record counts when it is written whole, or when its first block is read. */
	uint64_t per = TAR_RECORD / TAR_BLOCK, extra = t->ar.writes ? 0 : per - 1, before = (t->ar.blocks + extra) / per;

	t->ar.blocks += blocks;
	for (uint64_t n = (t->ar.blocks + extra) / per - before; t->checkpoint && n; n--)
		tar_checkpoint(t);
}

/* ---- Reading ------------------------------------------------------------------------------------- */

static bool fill(struct tar *t)
{
	struct tar_archive *a = &t->ar;
	struct sys_slice s;
	int64_t got;

	if (a->at < a->end)
		return true;
	if (a->at_end)
		return false;
	got = sys_read_slice(t->p, a->fd, 0, &s);
	if (got < 0)
		cannot_read(t, (int)got);
	if (got == 0) {
		a->at_end = true;
		return false;
	}
	a->at = s.ptr;
	a->end = s.ptr + s.len;
	a->bytes += s.len;
	return true;
}

const char *archive_block(struct tar *t)
{
	struct tar_archive *a = &t->ar;
	size_t n = 0;

	if (!fill(t))
		return NULL;
	count(t, 1);
	if (a->end - a->at >= (ptrdiff_t)TAR_BLOCK) {
		a->at += TAR_BLOCK;
		return a->at - TAR_BLOCK;
	}
	while (n < TAR_BLOCK && fill(t)) {
		size_t part = MIN(TAR_BLOCK - n, (size_t)(a->end - a->at));

		memcpy(a->joined + n, a->at, part);
		a->at += part;
		n += part;
	}
	return n == TAR_BLOCK ? a->joined : NULL;
}

size_t archive_data(struct tar *t, uint64_t max, const char **ptr)
{
	struct tar_archive *a = &t->ar;
	size_t n;

	if (!fill(t))
		return 0;
	n = (size_t)MIN(max, (uint64_t)(a->end - a->at));
	*ptr = a->at;
	a->at += n;
	return n;
}

/* Moves on without looking, over what the file has. */
static uint64_t seek_over(struct tar *t, uint64_t n)
{
	struct sys_stat st;
	int64_t here = sys_seek(t->p, t->ar.fd, 0, SYS_SEEK_CUR);
	uint64_t left;

	if (here < 0 || sys_fstat(t->p, t->ar.fd, &st) < 0 || st.size <= here)
		return 0;
	left = (uint64_t)(st.size - here);
	n = MIN(n, left);
	if (sys_seek(t->p, t->ar.fd, (int64_t)n, SYS_SEEK_CUR) < 0)
		return 0;
	t->ar.bytes += n;
	return n;
}

static void skip_bytes(struct tar *t, uint64_t n)
{
	const char *ptr;

	while (n) {
		size_t got = archive_data(t, n, &ptr);

		if (!got)
			archive_cut(t);
		n -= got;
		if (n > TAR_RECORD && t->ar.seekable && t->ar.at == t->ar.end)
			n -= seek_over(t, n);
	}
}

void archive_data_end(struct tar *t, uint64_t size)
{
	uint64_t odd = size % TAR_BLOCK;

	count(t, size / TAR_BLOCK + (odd != 0));
	if (odd)
		skip_bytes(t, TAR_BLOCK - odd);
}

void archive_skip(struct tar *t, uint64_t size)
{
	skip_bytes(t, size);
	archive_data_end(t, size);
}

void archive_cut(struct tar *t)
{
	tar_fatal(t, 0, "Unexpected EOF in archive");
}

void archive_close_read(struct tar *t)
{
	const char *ptr;

	/* The program would be killed by a closed pipe: it may finish. */
	while (t->ar.child && archive_data(t, UINT64_MAX, &ptr))
		continue;
	wait_program(t);
}

/* ---- Writing ---------------------------------------------------------------------------------------- */

static void write_out(struct tar *t, const char *ptr, size_t n)
{
	int r = u_write_all(t->p, t->ar.fd, ptr, n);

	if (r < 0)
		tar_fatal(t, r, "%s: Cannot write", tar_quote_colon(t, file_name(t)));
}

static void flush(struct tar *t)
{
	write_out(t, t->ar.buf, t->ar.n);
	t->ar.n = 0;
}

void archive_put(struct tar *t, const void *ptr, size_t n)
{
	struct tar_archive *a = &t->ar;
	uint64_t before = a->bytes / TAR_BLOCK;
	const char *from = ptr;

	a->bytes += n;
	while (n) {
		size_t part = MIN(n, BUFFER - a->n);

		if (a->n == 0 && n >= BUFFER) {
			write_out(t, from, n);
			break;
		}
		memcpy(a->buf + a->n, from, part);
		a->n += part;
		from += part;
		n -= part;
		if (a->n == BUFFER)
			flush(t);
	}
	count(t, a->bytes / TAR_BLOCK - before);
}

void archive_pad(struct tar *t)
{
	static const char zero[TAR_BLOCK];
	size_t odd = (size_t)(t->ar.bytes % TAR_BLOCK);

	if (odd)
		archive_put(t, zero, TAR_BLOCK - odd);
}

void archive_close_write(struct tar *t)
{
	static const char zero[TAR_BLOCK];
	uint64_t record = t->record ? t->record : TAR_RECORD;

	archive_put(t, zero, TAR_BLOCK);
	do {
		archive_put(t, zero, TAR_BLOCK);
	} while (t->ar.bytes % record);
	flush(t);
	wait_program(t);
}
