/*
 * file - determine the type of files.
 *
 * What kinds there are is nacre's own, smaller table; for them the words are those of file 5.44.
 */
#include "file.h"

struct file_opts {
	bool brief, mime_type, mime_encoding, extension, dereference, special, no_pad, raw, strict, ignored, listed;
	int zeros;
	const char *separator;
	const char *decompress;
};

struct judge {
	struct proc *p;
	const struct file_opts *o;
	const char *separator;
	size_t width;
	int status;
};

static void set_mime(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct file_opts *o = opts;

	(void)p;
	(void)opt;
	(void)arg;
	o->mime_type = o->mime_encoding = true;
}

static void set_links(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)p;
	(void)arg;
	((struct file_opts *)opts)->dereference = opt->shrt == 'L';
}

static void list_files(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg);
static void refuse(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg);

static const struct cmd_opt file_flags[] = {
	CMD_FLAG(struct file_opts, brief, 'b', "brief", "do not prepend filenames to output lines"),
	CMD_CALL('f', "files-from", "FILE", list_files, "read the filenames to be examined from FILE"),
	CMD_STRING(struct file_opts, separator, 'F', "separator", "STRING", "use string as separator instead of ':'"),
	CMD_CALL('i', "mime", NULL, set_mime, "output MIME type strings (--mime-type and\n--mime-encoding)"),
	CMD_FLAG(struct file_opts, extension, 0, "extension", "output a slash-separated list of extensions"),
	CMD_FLAG(struct file_opts, mime_type, 0, "mime-type", "output the MIME type"),
	CMD_FLAG(struct file_opts, mime_encoding, 0, "mime-encoding", "output the MIME encoding"),
	CMD_CALL('L', "dereference", NULL, set_links, "follow symlinks"),
	CMD_CALL('h', "no-dereference", NULL, set_links, "don't follow symlinks (default)"),
	CMD_FLAG(struct file_opts, strict, 'E', NULL, "a file that cannot be looked at is an error"),
	CMD_FLAG(struct file_opts, ignored, 'n', "no-buffer", "do not buffer output (nothing waits here)"),
	CMD_FLAG(struct file_opts, no_pad, 'N', "no-pad", "do not pad output"),
	CMD_COUNT(struct file_opts, zeros, '0', "print0", "terminate filenames with ASCII NUL"),
	CMD_FLAG(struct file_opts, ignored, 'p', "preserve-date", "preserve access times on files (reading keeps them)"),
	CMD_FLAG(struct file_opts, raw, 'r', "raw", "don't translate unprintable chars to \\ooo"),
	CMD_FLAG(struct file_opts, special, 's', "special-files", "treat special (block/char devices) files as\nordinary ones"),
	CMD_FLAG(struct file_opts, ignored, 'S', "no-sandbox", "disable system call sandboxing (there is no other here)"),
	CMD_CALL('z', "uncompress", NULL, refuse, NULL),
	CMD_CALL('Z', "uncompress-noreport", NULL, refuse, NULL),
	CMD_CALL('k', "keep-going", NULL, refuse, NULL),
	CMD_CALL('m', "magic-file", "LIST", refuse, NULL),
	CMD_CALL('e', "exclude", "TEST", refuse, NULL),
	CMD_CALL('P', "parameter", "PARAM", refuse, NULL),
	CMD_CALL('l', "list", NULL, refuse, NULL),
	CMD_CALL('C', "compile", NULL, refuse, NULL),
	CMD_CALL('c', "checking-printout", NULL, refuse, NULL),
	CMD_CALL('d', "debug", NULL, refuse, NULL),
	CMD_CALL(0, "apple", NULL, refuse, NULL),
};

static void refuse(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	(void)arg;
	if (opt->shrt)
		u_die(p, 1, 0, "-%c is not supported", opt->shrt);
	u_die(p, 1, 0, "--%s is not supported", opt->lng);
}

/* ---- Judging ------------------------------------------------------------------------------ */

static void put_kind(struct judge *j, const struct file_kind *k, const char *charset, const char *full)
{
	struct u_out *o = u_stdout(j->p);

	if (j->o->extension)
		u_puts(o, k->extensions ? k->extensions : "???");
	else if (j->o->mime_type)
		u_puts(o, k->mime);
	else if (!j->o->mime_encoding)
		u_puts(o, full ? full : k->text);
	if (j->o->mime_encoding && !j->o->extension && charset)
		u_printf(o, "%s%s", j->o->mime_type ? "; charset=" : "", charset);
}

/* The kind of bytes, with the words for text put after it. */
static void judge_bytes(struct judge *j, const char *s, size_t n, bool regular, uint64_t size)
{
	struct file_text t = n ? file_encoding(s, n) : (struct file_text){.charset = "binary"};
	struct file_kind k = {0};
	struct u_buf full;

	u_buf_init(&full, j->p, 0);
	if (n == 0)
		k = (struct file_kind){"empty", "inode/x-empty", NULL, FILE_TAIL_NONE};
	else if (n == 1)
		k = (struct file_kind){"very short file (no magic)", "application/octet-stream", NULL, FILE_TAIL_NONE};
	else if (!file_binary(j->p, s, n, regular, size, &k) && t.name && !t.utf16 && !file_json(j->p, s, n, &k) &&
		 !file_csv(j->p, s, n, &k))
		file_source(j->p, s + t.start, n - t.start, &k);
	if (n == 1)
		t.charset = "binary";
	if (!k.text && !t.name)
		k = (struct file_kind){"data", "application/octet-stream", NULL, FILE_TAIL_NONE};
	u_buf_puts(&full, k.text ? k.text : "");
	if (t.name && (!k.text || k.tail != FILE_TAIL_NONE)) {
		u_buf_printf(&full, "%s%s text%s", k.text ? ", " : "", t.name, k.tail == FILE_TAIL_EXECUTABLE ? " executable" : "");
		file_lines(&full, &t, s, MIN(n, (size_t)FILE_BYTES_MAX));
	}
	if (!k.mime)
		k.mime = "text/plain";
	put_kind(j, &k, t.charset, full.ptr);
}

static void judge_content(struct judge *j, const char *path, int fd, bool regular, uint64_t size)
{
	struct u_buf b;
	int64_t got = 1;

	u_buf_init(&b, j->p, 0);
	while (b.len < FILE_BYTES_MAX && got > 0) {
		u_buf_reserve(&b, 65536);
		got = sys_read(j->p, fd, b.ptr + b.len, MIN((size_t)65536, FILE_BYTES_MAX - b.len));
		b.len += got > 0 ? (size_t)got : 0;
	}
	if (got < 0 && b.len == 0) {
		u_printf(u_stdout(j->p), "cannot read `%s' (%s)", path, errno_text((int)got));
		j->status = 1;
		return;
	}
	b.ptr[b.len] = '\0';
	judge_bytes(j, b.ptr, b.len, regular, size);
}

/* A file that is no regular one; false when it is to be read. */
static bool judge_special(struct judge *j, const char *path, const struct sys_stat *st)
{
	struct file_kind k = {.mime = "inode/x-unknown"};
	const char *charset = "binary", *sticky = st->mode & 01000 ? "sticky, " : "", *set = st->mode & 04000 ? "setuid, " : "",
		   *setg = st->mode & 02000 ? "setgid, " : "";
	struct sys_stat to;

	switch (st->mode & SYS_S_TYPE) {
	case SYS_S_DIR:
		k.text = u_format(j->p, "%s%s%sdirectory", set, setg, sticky);
		k.mime = "inode/directory";
		break;
	case SYS_S_LINK: {
		char *target = u_alloc(j->p, SYS_PATH_MAX);
		int64_t n = sys_readlink(j->p, path, target, SYS_PATH_MAX - 1);

		target[MAX(n, 0)] = '\0';
		k.mime = "inode/symlink";
		if (sys_stat(j->p, path, 0, &to) < 0) {
			k.text = u_format(j->p, "broken symbolic link to %s", target);
			charset = NULL;
		} else {
			k.text = u_format(j->p, "symbolic link to %s", target);
		}
		break;
	}
	case SYS_S_FIFO:
		k.text = "fifo (named pipe)";
		k.mime = "inode/fifo";
		break;
	case SYS_S_SOCK:
		k.text = "socket";
		k.mime = "inode/socket";
		break;
	case SYS_S_CHAR:
	case SYS_S_BLOCK: {
		bool is_char = (st->mode & SYS_S_TYPE) == SYS_S_CHAR;

		if (j->o->special)
			return false;
		k.text = u_format(j->p, "%s special (%u/%u)", is_char ? "character" : "block", (unsigned)(st->rdev >> 8 & 0xfff),
				  (unsigned)((st->rdev & 0xff) | (st->rdev >> 12 & 0xfff00)));
		k.mime = is_char ? "inode/chardevice" : "inode/blockdevice";
		break;
	}
	default: return false;
	}
	put_kind(j, &k, charset, NULL);
	return true;
}

static void put_name(struct judge *j, const char *path)
{
	struct u_out *o = u_stdout(j->p);
	size_t columns = utf8_columns(path, strlen(path));

	if (j->o->brief)
		return;
	for (const char *s = path; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (j->o->raw || (c >= ' ' && c != 127))
			u_putc(o, *s);
		else
			u_printf(o, "\\%03o", c);
	}
	if (j->o->zeros)
		u_putc(o, '\0');
	if (j->o->zeros > 1)
		return;
	u_puts(o, j->separator);
	u_putc(o, ' ');
	for (size_t i = columns; !j->o->no_pad && i < j->width; i++)
		u_putc(o, ' ');
}

static void judge_file(struct judge *j, const char *given)
{
	struct arena_mark mark = arena_mark(&sys_self(j->p)->arena);
	bool standard_input = streq(given, "-");
	const char *path = standard_input ? "/dev/stdin" : given;
	struct sys_stat st;
	int fd = 0, e = standard_input ? sys_fstat(j->p, 0, &st) : sys_stat(j->p, path, j->o->dereference ? 0 : SYS_NOFOLLOW, &st);

	if (*path)
		put_name(j, path);
	if (e < 0 && j->o->strict) {
		u_printf(u_stdout(j->p), "ERROR: cannot stat `%s' (%s)", path, errno_text(e));
		j->status = 1;
	} else if (e < 0) {
		u_printf(u_stdout(j->p), "cannot open `%s' (%s)", path, errno_text(e));
	} else if (standard_input || !judge_special(j, path, &st)) {
		if (!standard_input)
			fd = sys_open(j->p, path, SYS_O_READ | SYS_O_CLOEXEC, 0);
		if (fd < 0 && fd == -NACRE_EACCES)
			u_puts(u_stdout(j->p), "regular file, no read permission");
		else if (fd < 0)
			u_printf(u_stdout(j->p), "cannot open `%s' (%s)", path, errno_text(fd));
		else
			judge_content(j, path, fd, (st.mode & SYS_S_TYPE) == SYS_S_FILE, (uint64_t)st.size);
		if (fd > 0)
			sys_close(j->p, fd);
	}
	u_putc(u_stdout(j->p), j->o->zeros > 1 ? '\0' : '\n');
	arena_reset(&sys_self(j->p)->arena, mark);
}

static void start(struct judge *j, struct proc *p, const struct file_opts *o)
{
	*j = (struct judge){.p = p, .o = o, .separator = o->separator ? o->separator : ":"};
	u_stdout(p);
}

/* -f: the names are judged where the option stands, padded among themselves. */
static void list_files(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	int fd = streq(arg, "-") ? 0 : sys_open(p, arg, SYS_O_READ | SYS_O_CLOEXEC, 0);
	struct judge j;
	struct str text, rest, line;

	(void)opt;
	start(&j, p, opts);
	if (fd < 0)
		u_die(p, 1, 0, "Cannot open `%s' (%s)", arg, errno_text(fd));
	fd = u_read_all(p, fd, (size_t)64 << 20, &text);
	if (fd < 0)
		u_die(p, 1, fd, "%s", arg);
	for (int pass = 0; pass < 2; pass++) {
		for (rest = text; rest.len;) {
			const char *nl = memchr(rest.ptr, '\n', rest.len);

			line = (struct str){rest.ptr, nl ? (size_t)(nl - rest.ptr) : rest.len};
			if (pass)
				judge_file(&j, u_strndup(p, line.ptr, line.len));
			else
				j.width = MAX(j.width, utf8_columns(line.ptr, line.len));
			line.len += nl != NULL;
			rest = (struct str){rest.ptr + line.len, rest.len - line.len};
		}
	}
	((struct file_opts *)opts)->listed = true;
}

static int file_main(struct proc *p, const struct cmd_args *a)
{
	const struct file_opts *o = a->opts;
	struct judge j;

	start(&j, p, o);
	if (a->argc == 0 && !o->listed)
		u_try_help(p);
	for (int i = 0; i < a->argc; i++)
		j.width = MAX(j.width, streq(a->argv[i], "-") ? 10 : utf8_columns(a->argv[i], strlen(a->argv[i])));
	for (int i = 0; i < a->argc; i++)
		judge_file(&j, a->argv[i]);
	return j.status;
}

static const struct cmd_example examples[] = {
	{"echo hi > f; mkdir d; file f d", "f: ASCII text\nd: directory\n"},
	{"printf '{\"a\": 1}\\n' > f; file -bi f", "application/json; charset=us-ascii\n"},
};

static const struct cmd_missing missing[] = {
	{"-z, -Z", "looking inside compressed files"},
	{"-k, -l, -m, -C, -c, -d, -e, -P", "magic files: the kinds known are built in"},
	{"--apple", "creator codes"},
};

const struct cmd cmd_file = {
	.name = "file",
	.summary = "determine type of FILEs",
	.synopsis = "[OPTION...] [FILE...]",
	.opts = file_flags,
	.nopts = COUNTOF(file_flags),
	.opts_size = sizeof(struct file_opts),
	.main = file_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
