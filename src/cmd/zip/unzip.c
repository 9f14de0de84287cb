/*
 * unzip.c - unzip, as Info-ZIP's UnZip 6.0.
 *
 * Names from the archive lose a leading slash and "../"; symbolic links are made when everything else is there, so that
 * nothing of the archive can be written through them. There is nobody to ask: a file that would be replaced is not.
 */
#include "unzip.h"

static void worse(struct unzip *u, int status)
{
	if (status > u->status)
		u->status = status;
}

static void note(struct unzip *u, const char *fmt, ...) PRINTF(2, 3);
static void note(struct unzip *u, const char *fmt, ...)
{
	char text[8192];
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	n = fmt_buf_v(text, sizeof(text), fmt, ap);
	va_end(ap);
	u_flush(u->out);
	u_write_all(u->p, 2, text, MIN(n, sizeof(text) - 1));
}

static void tell_missing(struct unzip *u)
{
	for (int i = 0; i < u->nwant; i++) {
		if (u->found[i])
			continue;
		if (u->mode != MODE_LIST && u->mode != MODE_VERBOSE && u->mode != MODE_NAMES)
			note(u, "caution: filename not matched:  %s\n", u->want[i]);
		if (u->status <= PK_WARN)
			u->status = PK_FIND;
	}
}

/* ---- Names on disk ------------------------------------------------------------------------------------- */

/* Where the entry goes; NULL when nothing is left of its name. */
static const char *place(struct unzip *u, const struct zip_entry *e)
{
	const char *name = e->name, *s;
	struct u_buf b;
	bool skipped = false;

	if (u->junk) {
		s = e->is_dir ? NULL : strrchr(name, '/');
		name = e->is_dir ? "" : s ? s + 1 : name;
	}
	if (*name == '/') {
		note(u, "warning:  stripped absolute path spec from %s\n", unzip_shown(u, name));
		worse(u, PK_WARN);
	}
	u_buf_init(&b, u->p, 0);
	while (*(name += strspn(name, "/"))) {
		size_t n = strcspn(name, "/");
		bool dots = (n == 2 && name[0] == '.' && name[1] == '.');

		skipped |= dots;
		if (!dots && !(n == 1 && name[0] == '.')) {
			if (b.len)
				u_buf_putc(&b, '/');
			u_buf_put(&b, name, n);
		}
		name += n;
	}
	if (skipped) {
		note(u, "warning:  skipped \"../\" path component(s) in %s\n", unzip_shown(u, e->name));
		worse(u, PK_WARN);
	}
	if (!b.len)
		return NULL;
	for (size_t i = 0; u->lower && i < b.len; i++)
		b.ptr[i] = (char)ascii_tolower((unsigned char)b.ptr[i]);
	return u->dir ? u_join(u->p, u->dir, b.ptr) : b.ptr;
}

static void make_parents(struct unzip *u, const char *path)
{
	char *part = u_strdup(u->p, path);

	for (char *s = part + strspn(part, "/"); (s = strchr(s, '/')) != NULL; s += strspn(s, "/")) {
		*s = '\0';
		(void)!sys_mkdir(u->p, part, 0777); /* making the file will tell */
		*s = '/';
	}
}

static uint32_t mode_of(const struct zip_entry *e)
{
	uint32_t mode = e->external >> 16;

	if (e->made_by >> 8 != 3 || !mode)
		return e->is_dir ? 0755 : 0644;
	return mode & 0777;
}

static bool is_symlink(const struct zip_entry *e)
{
	return e->made_by >> 8 == 3 && (e->external >> 16 & SYS_S_TYPE) == SYS_S_LINK;
}

static void restore(struct unzip *u, const struct zip_entry *e, const char *path)
{
	(void)!sys_chmod(u->p, path, mode_of(e), SYS_NOFOLLOW);
	(void)!sys_utimes(u->p, path, e->mtime, e->mtime, SYS_NOFOLLOW);
}

/* ---- Extracting ---------------------------------------------------------------------------------------------- */

static void say_doing(struct unzip *u, const char *what, const char *name, const char *end)
{
	if (u->quiet == 0)
		u_printf(u->out, "%13s%-22s%s", what, unzip_shown(u, name), end);
}

/* Whether what is there may be replaced. */
static bool may_replace(struct unzip *u, const struct zip_entry *e, const char *path)
{
	struct sys_stat st;

	if (sys_stat(u->p, path, SYS_NOFOLLOW, &st) < 0)
		return !u->freshen;
	if ((u->update || u->freshen) && (st.mode & SYS_S_TYPE) == SYS_S_FILE && st.mtime.sec >= e->mtime.sec)
		return false;
	if (u->overwrite == OVERWRITE_NO || u->none_left)
		return false;
	if (u->overwrite == OVERWRITE_ASK) {
		note(u, "replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename:  NULL\n(EOF or read error, treating as \"[N]one\" ...)\n", unzip_shown(u, path));
		u->none_left = true;
		worse(u, PK_WARN);
		return false;
	}
	if ((st.mode & SYS_S_TYPE) == SYS_S_DIR)
		return true; /* opening it will tell */
	(void)!sys_unlink(u->p, path);
	return true;
}

/* What went wrong with the data; the line is begun. */
static void data_failed(struct unzip *u, const struct zip_entry *e, int r, uint32_t crc, int err)
{
	if (r == ZIP_WRITE_FAILED) {
		note(u, "\n%s:  write error (%s).\n", unzip_shown(u, e->name), errno_text(err));
		u->status = PK_DISK;
	} else if (r == CODEC_FORMAT) {
		note(u, "\n  error:  bad zipfile offset (local header sig):  %llu\n", (unsigned long long)(e->offset + u->z.shift));
		worse(u, PK_BADERR);
	} else if (r != CODEC_END) {
		note(u, "\n  error:  invalid compressed data to %s\n", e->method == ZIP_STORED ? "extract" : "inflate");
		worse(u, PK_ERR);
	} else if (crc != e->crc) {
		note(u, " bad CRC %08x  (should be %08x)\n", crc, e->crc);
		worse(u, PK_ERR);
	}
}

/* The target of a symbolic link: its data. NULL when it is none. */
static const char *read_target(struct unzip *u, const struct zip_entry *e)
{
	int fds[2], err, r;
	uint32_t crc;
	char *text;
	int64_t n;

	if (e->size == 0 || e->size >= SYS_PATH_MAX || sys_pipe(u->p, fds) < 0)
		return NULL;
	r = zip_unpack(&u->z, u->codec, e, fds[1], &crc, &err);
	sys_close(u->p, fds[1]);
	text = u_alloc(u->p, (size_t)e->size + 1);
	n = r == CODEC_END && crc == e->crc ? sys_read_until(u->p, fds[0], -1, text, (size_t)e->size, -1, NULL) : -1;
	sys_close(u->p, fds[0]);
	if (n != (int64_t)e->size || memchr(text, 0, (size_t)n))
		return NULL;
	text[n] = '\0';
	return text;
}

static void delay_link(struct unzip *u, const struct zip_entry *e, const char *path)
{
	const char *target = read_target(u, e);
	struct late *l = u_zalloc(u->p, sizeof(*l));

	if (!target) {
		say_doing(u, "linking: ", path, "  ");
		data_failed(u, e, CODEC_BAD, 0, 0);
		return;
	}
	say_doing(u, "linking: ", path, u_format(u->p, "  -> %s \n", unzip_shown(u, target)));
	*l = (struct late){.path = path, .target = target, .e = e};
	*u->links_end = l;
	u->links_end = &l->next;
}

static void extract_dir(struct unzip *u, const struct zip_entry *e, const char *path)
{
	struct late *l;
	int r;

	make_parents(u, path);
	r = sys_mkdir(u->p, path, 0777);
	if (r == -NACRE_EEXIST)
		return;
	if (r < 0) {
		note(u, "checkdir error:  cannot create %s\n                 %s\n                 unable to process %s.\n", unzip_shown(u, path), errno_text(r),
		     unzip_shown(u, e->name));
		worse(u, PK_ERR);
		return;
	}
	if (u->quiet == 0)
		u_printf(u->out, "   creating: %s/\n", unzip_shown(u, path));
	l = u_zalloc(u->p, sizeof(*l));
	*l = (struct late){.next = u->dirs, .path = path, .e = e};
	u->dirs = l;
}

static void extract_file(struct unzip *u, const struct zip_entry *e, const char *path)
{
	int fd, r, err = 0;
	uint32_t crc = 0;

	if (!may_replace(u, e, path))
		return;
	make_parents(u, path);
	if (is_symlink(e)) {
		delay_link(u, e, path);
		return;
	}
	fd = sys_open(u->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_NOFOLLOW | SYS_O_CLOEXEC, 0666);
	if (fd < 0) {
		note(u, "error:  cannot create %s\n        %s\n", unzip_shown(u, path), errno_text(fd));
		worse(u, PK_DISK);
		return;
	}
	say_doing(u, e->method == ZIP_STORED ? "extracting: " : "inflating: ", path, "  ");
	r = zip_unpack(&u->z, u->codec, e, fd, &crc, &err);
	sys_close(u->p, fd);
	if (r != CODEC_END || crc != e->crc)
		data_failed(u, e, r, crc, err);
	else if (u->quiet == 0)
		u_putc(u->out, '\n');
	restore(u, e, path);
}

/* false: the entry cannot be read at all (said). */
static bool is_readable(struct unzip *u, const struct zip_entry *e)
{
	if (e->flags & ZIP_ENCRYPTED) {
		note(u, "   skipping: %-22s  unable to get password\n", unzip_shown(u, e->name));
		worse(u, PK_PASSWORD);
		return false;
	}
	if (e->method == ZIP_STORED || e->method == ZIP_DEFLATED || e->method == ZIP_BZIP2)
		return true;
	note(u, "   skipping: %-22s  unsupported compression method %u\n", unzip_shown(u, e->name), e->method);
	worse(u, PK_UNSUP);
	return false;
}

static void test_entry(struct unzip *u, const struct zip_entry *e)
{
	uint32_t crc = 0;
	int r, err = 0;

	say_doing(u, "testing: ", e->name, "  ");
	r = zip_unpack(&u->z, u->codec, e, -1, &crc, &err);
	if (r != CODEC_END || crc != e->crc)
		data_failed(u, e, r, crc, err);
	else if (u->quiet == 0)
		u_puts(u->out, " OK\n");
}

static void pipe_entry(struct unzip *u, const struct zip_entry *e)
{
	uint32_t crc = 0;
	int r, err = 0;

	if (e->is_dir)
		return;
	if (u->mode == MODE_CONSOLE)
		say_doing(u, e->method == ZIP_STORED ? "extracting: " : "inflating: ", e->name, "  \n");
	u_flush(u->out);
	r = zip_unpack(&u->z, u->codec, e, 1, &crc, &err);
	if (u->mode == MODE_CONSOLE && u->quiet == 0)
		u_putc(u->out, '\n');
	if (r != CODEC_END || crc != e->crc)
		data_failed(u, e, r, crc, err);
}

static void finish(struct unzip *u)
{
	if (u->links && u->quiet == 0)
		u_puts(u->out, "finishing deferred symbolic links:\n");
	for (struct late *l = u->links; l; l = l->next) {
		int r = sys_symlink(u->p, l->target, l->path);

		if (u->quiet == 0)
			u_printf(u->out, "  %-22s -> %s\n", unzip_shown(u, l->path), unzip_shown(u, l->target));
		if (r < 0) {
			note(u, "symlink error: %s\n", errno_text(r));
			worse(u, PK_WARN);
		}
	}
	for (struct late *l = u->dirs; l; l = l->next)
		restore(u, l->e, l->path);
}

static void work(struct unzip *u)
{
	for (size_t i = 0; i < u->z.n; i++) {
		const struct zip_entry *e = &u->z.v[i];
		const char *path;

		if (!unzip_wanted(u, e) || !is_readable(u, e))
			continue;
		if (u->mode == MODE_TEST) {
			test_entry(u, e);
		} else if (u->mode == MODE_PIPE || u->mode == MODE_CONSOLE) {
			pipe_entry(u, e);
		} else {
			path = place(u, e);
			if (path && e->is_dir)
				extract_dir(u, e, path);
			else if (path)
				extract_file(u, e, path);
		}
		if (u->status == PK_DISK)
			break;
	}
	finish(u);
	u_flush(u->out);
	if (u->mode == MODE_TEST && u->status == 0)
		u_printf(u->out, "No errors detected in compressed data of %s.\n", u->z.path);
	else if (u->mode == MODE_TEST)
		u_printf(u->out, "At least one error was detected in %s.\n", u->z.path);
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

static NORETURN void bad_usage(struct proc *p, const char *fmt, const char *what)
{
	u_warn(p, 0, fmt, what);
	u_try_help_as(p, PK_PARAM);
}

static void one_letter(struct unzip *u, char c)
{
	switch (c) {
	case 'l': u->mode = MODE_LIST; break;
	case 'v': u->mode = MODE_VERBOSE; break;
	case 't': u->mode = MODE_TEST; break;
	case 'p': u->mode = MODE_PIPE; u->quiet = 2; break;
	case 'c': u->mode = MODE_CONSOLE; break;
	case 'z': u->mode = MODE_COMMENT; break;
	case '1': u->mode = MODE_NAMES; break;
	case 'Z': u->mode = MODE_NAMES; break;
	case 'q': u->quiet++; break;
	case 'o': u->overwrite = OVERWRITE_YES; break;
	case 'n': u->overwrite = OVERWRITE_NO; break;
	case 'j': u->junk = true; break;
	case 'u': u->update = true; break;
	case 'f': u->freshen = true; break;
	case 'C': u->icase = true; break;
	case 'L': u->lower = true; break;
	case 'X':
	case 'K':
	case 'D':
	case ':':
	case 'U': bad_usage(u->p, "option -%s is not supported", (char[]){c, '\0'});
	default: bad_usage(u->p, "invalid option -- %s", (char[]){c, '\0'});
	}
}

/* The words: options, the archive, names, then -x NAMES and -d DIR. */
static void read_words(struct unzip *u, int argc, char **argv)
{
	int i = 0;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (argv[i][1] == 'd') {
			u->dir = argv[i][2] ? argv[i] + 2 : i + 1 < argc ? argv[++i] : NULL;
			continue;
		}
		if (streq(argv[i], "-Z"))
			bad_usage(u->p, "%s alone (zipinfo's list) is not supported; -Z1 is", "-Z");
		for (const char *s = argv[i] + 1; *s; s++)
			one_letter(u, *s);
	}
	if (i == argc)
		bad_usage(u->p, "no archive given%s", "");
	u->z.path = argv[i++];
	u->want = argv + i;
	for (; i < argc; i++) {
		if (streq(argv[i], "-x")) {
			u->skip = argv + i + 1;
			while (i + 1 < argc && argv[i + 1][0] != '-')
				i++, u->nskip++;
		} else if (argv[i][0] == '-' && argv[i][1] == 'd') {
			u->dir = argv[i][2] ? argv[i] + 2 : i + 1 < argc ? argv[++i] : NULL;
		} else if (!u->skip && !u->dir) {
			u->nwant++;
		} else {
			bad_usage(u->p, "%s: names go before -x and -d", argv[i]);
		}
	}
	u->found = u_zalloc(u->p, (size_t)u->nwant + 1);
}

/* ---- Main ---------------------------------------------------------------------------------------------------------- */

static void open_archive(struct unzip *u)
{
	const char *name = u->z.path, *tries[] = {name, u_format(u->p, "%s.zip", name), u_format(u->p, "%s.ZIP", name)};

	u->z.fd = -1;
	for (size_t i = 0; u->z.fd < 0 && i < COUNTOF(tries); i++) {
		u->z.fd = sys_open(u->p, tries[i], SYS_O_READ | SYS_O_CLOEXEC, 0);
		u->z.path = tries[i];
	}
	if (u->z.fd < 0) {
		note(u, "%s:  cannot find or open %s, %s.zip or %s.ZIP.\n", u->mode == MODE_NAMES ? "zipinfo" : "unzip", name, name, name);
		u_exit(u->p, PK_NOZIP);
	}
}

static void read_directory(struct unzip *u)
{
	const char *path = u->z.path;
	bool lists = u->mode == MODE_LIST || u->mode == MODE_VERBOSE;
	int r;

	u->z.p = u->p;
	r = zip_read_directory(&u->z);
	if (u->mode != MODE_NAMES && u->mode != MODE_PIPE && (u->quiet == 0 || (r != ZIP_OK && !lists)) && !(u->mode == MODE_TEST && u->quiet))
		u_printf(u->out, "Archive:  %s\n", path);
	if (u->z.comment.len && u->quiet == 0 && u->mode != MODE_NAMES && u->mode != MODE_PIPE && r == ZIP_OK)
		u_printf(u->out, "%.*s\n", (int)u->z.comment.len, u->z.comment.ptr);
	switch (r) {
	case ZIP_OK: return;
	case ZIP_NO_DIRECTORY:
		note(u,
		     "  End-of-central-directory signature not found.  Either this file is not\n"
		     "  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n"
		     "  latter case the central directory and zipfile comment will be found on\n"
		     "  the last disk(s) of this archive.\n"
		     "unzip:  cannot find zipfile directory in one of %s or\n        %s.zip, and cannot find %s.ZIP, period.\n",
		     path, path, path);
		u_exit(u->p, PK_NOZIP);
	case ZIP_OVERLAP:
		note(u, "error: invalid zip file with overlapped components (possible zip bomb)\n");
		u_exit(u->p, PK_BOMB);
	case ZIP_TOO_BIG:
		note(u, "error [%s]:  the directory is too large\n", path);
		u_exit(u->p, PK_BADERR);
	default:
		note(u, "error [%s]:  start of central directory not found;\n  zipfile corrupt.\n", path);
		u_exit(u->p, PK_BADERR);
	}
}

static int unzip_main(struct proc *p, const struct cmd_args *a)
{
	struct unzip *u = u_zalloc(p, sizeof(*u));

	u->p = p;
	u->out = u_stdout(p);
	u->links_end = &u->links;
	read_words(u, a->argc, a->argv);
	open_archive(u);
	read_directory(u);
	u->codec = codec_new(p);
	if (u->mode == MODE_LIST || u->mode == MODE_VERBOSE || u->mode == MODE_NAMES)
		unzip_list(u);
	else if (u->mode != MODE_COMMENT)
		work(u);
	u_flush(u->out);
	tell_missing(u);
	return u->status;
}

static const struct cmd_example unzip_examples[] = {
	{"echo hi > f; zip -q a.zip f; rm f; unzip -q a.zip; cat f", "hi\n"},
	{"echo hi > f; zip -q a.zip f; unzip -p a.zip f", "hi\n"},
};

const struct cmd cmd_unzip = {
	.name = "unzip",
	.summary = "list, test and extract files of a zip archive",
	.synopsis = "[-opts] file[.zip] [list] [-x xlist] [-d exdir]",
	.description = "  -p  extract files to pipe, no messages     -l  list files (short format)\n"
		       "  -f  freshen existing files, create none    -t  test compressed archive data\n"
		       "  -u  update files, create if necessary      -z  display archive comment only\n"
		       "  -v  list verbosely                         -c  extract files to standard output\n"
		       "  -x  exclude files that follow (in xlist)   -d  extract files into exdir\n"
		       "  -n  never overwrite existing files         -q  quiet mode (-qq => quieter)\n"
		       "  -o  overwrite files WITHOUT prompting      -j  junk paths (do not make directories)\n"
		       "  -C  match filenames case-insensitively     -L  make names lowercase\n"
		       "  -Z1 list names only",
	.raw = true,
	.usage_status = PK_PARAM,
	.stack_size = CODEC_STACK_SIZE,
	.main = unzip_main,
	.examples = unzip_examples,
	.nexamples = COUNTOF(unzip_examples),
};
