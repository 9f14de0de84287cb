/* stat - display file or file system status. */
#include "cmd.h"

struct stat_opts {
	bool dereference, file_system, terse;
	const char *format, *printf;
};

static void set_cached(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	(void)opt;
	if (!streq(arg, "default") && !streq(arg, "never") && !streq(arg, "always"))
		u_usage(p, "invalid argument %s for '--cached'\nValid arguments are:\n  - 'default'\n  - 'never'\n  - 'always'",
			u_quote(p, arg));
}

static const struct cmd_opt stat_flags[] = {
	CMD_FLAG(struct stat_opts, dereference, 'L', "dereference", "follow links"),
	CMD_FLAG(struct stat_opts, file_system, 'f', "file-system", "display file system status instead of file status"),
	CMD_CALL(0, "cached", "MODE", set_cached, "specify how to use cached attributes (nothing is cached)"),
	CMD_STRING(struct stat_opts, format, 'c', "format", "FORMAT",
		   "use the specified FORMAT instead of the default;\noutput a newline after each use of FORMAT"),
	CMD_STRING(struct stat_opts, printf, 0, "printf", "FORMAT",
		   "like --format, but interpret backslash escapes,\nand do not output a mandatory trailing newline;\n"
		   "if you want a newline, include \\n in FORMAT"),
	CMD_FLAG(struct stat_opts, terse, 't', "terse", "print the information in terse form"),
};

struct subject {
	struct proc *p;
	const char *path;
	bool plain;		/* %N without quotes, as in the default format */
	struct sys_stat st;
	struct sys_statfs fs;
	const struct u_tz *tz;
};

static const char *kind_of(const struct sys_stat *st)
{
	switch (st->mode & SYS_S_TYPE) {
	case SYS_S_FIFO: return "fifo";
	case SYS_S_CHAR: return "character special file";
	case SYS_S_DIR: return "directory";
	case SYS_S_BLOCK: return "block special file";
	case SYS_S_FILE: return st->size ? "regular file" : "regular empty file";
	case SYS_S_LINK: return "symbolic link";
	case SYS_S_SOCK: return "socket";
	default: return "weird file";
	}
}

static const char *human_time(struct subject *s, struct sys_time t)
{
	struct u_buf b;
	struct u_tm tm;

	u_buf_init(&b, s->p, 0);
	u_time_split(s->tz, t, &tm);
	u_time_format(&b, "%Y-%m-%d %H:%M:%S.%N %z", 23, &tm);
	return b.ptr;
}

static struct sys_time time_of(const struct sys_stat *st, char c)
{
	return ascii_tolower(c) == 'x' ? st->atime : ascii_tolower(c) == 'y' ? st->mtime : ascii_tolower(c) == 'z' ? st->ctime : st->btime;
}

static const char *quoted_name(struct subject *s)
{
	const char *text = s->plain ? s->path : u_quote_file(s->p, s->path);
	char *target;
	int64_t n;

	if ((s->st.mode & SYS_S_TYPE) != SYS_S_LINK)
		return text;
	target = u_alloc(s->p, SYS_PATH_MAX);
	n = sys_readlink(s->p, s->path, target, SYS_PATH_MAX - 1);
	if (n < 0)
		return text;
	target[n] = '\0';
	return u_format(s->p, "%s -> %s", text, s->plain ? target : u_quote_file(s->p, target));
}

/* The mount point a file is on. */
static const char *mount_point(struct subject *s)
{
	struct sys_statfs fs;

	return sys_statfs(s->p, s->path, &fs) == 0 ? u_strdup(s->p, fs.mounted_on) : "?";
}

/* What a directive prints: text (then number is NULL) or a number to be formatted with conv. */
struct value {
	const char *text;
	bool is_number, is_signed;
	uint64_t n;
	char conv;
};

static struct value text_value(const char *s)
{
	return (struct value){.text = s ? s : "UNKNOWN"};
}

static struct value number(uint64_t n, char conv)
{
	return (struct value){.is_number = true, .n = n, .conv = conv};
}

static struct value signed_number(int64_t n)
{
	return (struct value){.is_number = true, .is_signed = true, .n = (uint64_t)n, .conv = 'd'};
}

static bool file_value(struct subject *s, char c, struct value *v)
{
	const struct sys_stat *st = &s->st;
	char mode[11];

	switch (c) {
	case 'a': *v = number(st->mode & 07777, 'o'); return true;
	case 'A':
		u_mode_string(st->mode, mode);
		*v = text_value(u_strdup(s->p, mode));
		return true;
	case 'b': *v = number((uint64_t)st->blocks, 'u'); return true;
	case 'B': *v = number(512, 'u'); return true;
	case 'C': *v = text_value("?"); return true;
	case 'd': *v = number(st->dev, 'u'); return true;
	case 'D': *v = number(st->dev, 'x'); return true;
	case 'f': *v = number(st->mode, 'x'); return true;
	case 'F': *v = text_value(kind_of(st)); return true;
	case 'g': *v = number(st->gid, 'u'); return true;
	case 'G': *v = text_value(u_group_name(s->p, st->gid)); return true;
	case 'h': *v = number(st->nlink, 'u'); return true;
	case 'i': *v = number(st->ino, 'u'); return true;
	case 'm': *v = text_value(mount_point(s)); return true;
	case 'n': *v = text_value(s->path); return true;
	case 'N': *v = text_value(quoted_name(s)); return true;
	case 'o': *v = number((uint64_t)st->blksize, 'u'); return true;
	case 's': *v = number((uint64_t)st->size, 'u'); return true;
	case 'r': *v = number(st->rdev, 'u'); return true;
	case 'R': *v = number(st->rdev, 'x'); return true;
	case 't': *v = number(st->rdev >> 8 & 0xfff, 'x'); return true;
	case 'T': *v = number((st->rdev & 0xff) | (st->rdev >> 12 & 0xfff00), 'x'); return true;
	case 'u': *v = number(st->uid, 'u'); return true;
	case 'U': *v = text_value(u_user_name(s->p, st->uid)); return true;
	case 'w': *v = text_value(st->btime.sec ? human_time(s, st->btime) : "-"); return true;
	case 'W': *v = signed_number(st->btime.sec); return true;
	case 'x':
	case 'y':
	case 'z': *v = text_value(human_time(s, time_of(st, c))); return true;
	case 'X':
	case 'Y':
	case 'Z': *v = signed_number(time_of(st, c).sec); return true;
	default: return false;
	}
}

static bool fs_value(struct subject *s, char c, struct value *v)
{
	const struct sys_statfs *fs = &s->fs;
	uint64_t block = fs->block_size ? fs->block_size : 4096;

	switch (c) {
	case 'a':
	case 'f': *v = number(fs->bytes_free / block, 'u'); return true;
	case 'b': *v = number(fs->bytes_total / block, 'u'); return true;
	case 'c': *v = number(fs->files_total, 'u'); return true;
	case 'd': *v = number(fs->files_free, 'u'); return true;
	case 'i':
	case 't': *v = number(0, 'x'); return true;
	case 'l': *v = number(255, 'u'); return true;
	case 'n': *v = text_value(s->path); return true;
	case 's':
	case 'S': *v = number(block, 'u'); return true;
	case 'T': *v = text_value(fs->type); return true;
	default: return false;
	}
}

struct spec {
	bool minus, plus, space, alt, zero, quote;
	uint32_t width;
	int precision;		/* -1: none */
};

static const char *parse_spec(const char *s, struct spec *f)
{
	*f = (struct spec){.precision = -1};
	for (;; s++) {
		switch (*s) {
		case '-': f->minus = true; continue;
		case '+': f->plus = true; continue;
		case ' ': f->space = true; continue;
		case '#': f->alt = true; continue;
		case '0': f->zero = true; continue;
		case '\'': f->quote = true; continue;
		default: break;
		}
		break;
	}
	for (; ascii_digit(*s); s++)
		f->width = (uint32_t)MIN((uint64_t)f->width * 10 + (uint64_t)(*s - '0'), (uint64_t)INT32_MAX);
	if (*s == '.')
		for (s++, f->precision = 0; ascii_digit(*s); s++)
			f->precision = (int)MIN((int64_t)f->precision * 10 + (*s - '0'), (int64_t)INT32_MAX);
	return s;
}

static void put_value(struct subject *s, const struct spec *f, const struct value *v, char c)
{
	struct u_out *o = u_stdout(s->p);
	char digits[80];
	const char *text = v->text;
	size_t n, pad;

	if (v->is_number) {
		const char *prefix = "";
		size_t k;

		if (v->is_signed)
			k = num_put_i64(digits, (int64_t)v->n), digits[k] = '\0';
		else
			fmt_buf(digits, sizeof(digits), v->conv == 'o' ? "%llo" : v->conv == 'x' ? "%llx" : "%llu",
				(unsigned long long)v->n);
		/* A precision on a time adds that many digits of the fraction. */
		if (f->precision > 0 && strchr("WXYZ", c) && c) {
			struct sys_time t = c == 'W' ? s->st.btime : time_of(&s->st, c);
			char frac[16];

			fmt_buf(frac, sizeof(frac), "%09d", (int)t.nsec);
			k = strlen(digits);
			digits[k++] = '.';
			for (int i = 0; i < f->precision && k + 1 < sizeof(digits); i++)
				digits[k++] = i < 9 ? frac[i] : '0';
			digits[k] = '\0';
		}
		if (f->alt && v->conv == 'o')
			prefix = "0";
		if (f->alt && v->conv == 'x' && v->n)
			prefix = "0x";
		if (f->plus && v->is_signed && (int64_t)v->n >= 0)
			prefix = "+";
		text = u_format(s->p, "%s%s", prefix, digits);
	}
	n = strlen(text);
	if (!v->is_number && f->precision >= 0 && (size_t)f->precision < n)
		n = (size_t)f->precision;
	pad = f->width > n ? f->width - n : 0;
	for (size_t i = 0; !f->minus && i < pad; i++)
		u_putc(o, f->zero && v->is_number ? '0' : ' ');
	u_put(o, text, n);
	for (size_t i = 0; f->minus && i < pad; i++)
		u_putc(o, ' ');
}

/* One backslash escape of --printf; s is after the backslash. */
static const char *put_escape(struct subject *s, const char *e)
{
	static const char from[] = "abefnrtv\"\\", to[] = "\a\b\033\f\n\r\t\v\"\\";
	struct u_out *o = u_stdout(s->p);
	const char *hit;

	if (*e >= '0' && *e <= '7') {
		int v = 0;

		for (int i = 0; i < 3 && *e >= '0' && *e <= '7'; i++)
			v = v * 8 + *e++ - '0';
		u_putc(o, (char)v);
		return e;
	}
	if (*e == 'x' && ascii_xdigit(e[1])) {
		int v = 0;

		e++;
		for (int i = 0; i < 2 && ascii_xdigit(*e); i++, e++)
			v = v * 16 + (ascii_digit(*e) ? *e - '0' : ascii_tolower(*e) - 'a' + 10);
		u_putc(o, (char)v);
		return e;
	}
	hit = *e ? strchr(from, *e) : NULL;
	if (hit) {
		u_putc(o, to[hit - from]);
		return e + 1;
	}
	if (!*e) {
		u_warn(s->p, 0, "warning: backslash at end of format");
		u_putc(o, '\\');
		return e;
	}
	u_warn(s->p, 0, "warning: unrecognized escape '\\%c'", *e);
	u_putc(o, *e);
	return e + 1;
}

static void put_format(struct subject *s, const char *format, bool escapes, bool fs)
{
	struct u_out *o = u_stdout(s->p);

	for (const char *f = format; *f;) {
		struct spec spec;
		struct value v;
		const char *e;

		if (*f == '\\' && escapes) {
			f = put_escape(s, f + 1);
			continue;
		}
		if (*f != '%') {
			u_putc(o, *f++);
			continue;
		}
		e = parse_spec(f + 1, &spec);
		if (*e == '%') {
			if (e > f + 1)
				u_die(s->p, 1, 0, "%s: invalid directive", u_quote_n(s->p, f, (size_t)(e - f + 1)));
			u_putc(o, '%');
			f = e + 1;
			continue;
		}
		if (!*e) {
			if (e > f + 1)
				u_die(s->p, 1, 0, "%s: invalid directive", u_quote(s->p, f));
			u_put(o, f, (size_t)(e - f));
			break;
		}
		if (!fs && (*e == 'H' || *e == 'L') && (e[1] == 'd' || e[1] == 'r')) {
			uint64_t dev = e[1] == 'd' ? s->st.dev : s->st.rdev;

			v = number(*e == 'H' ? dev >> 8 & 0xfff : (dev & 0xff) | (dev >> 12 & 0xfff00), 'u');
			put_value(s, &spec, &v, 0);
			f = e + 2;
			continue;
		}
		if (fs ? fs_value(s, *e, &v) : file_value(s, *e, &v))
			put_value(s, &spec, &v, fs ? 0 : *e);
		else
			u_putc(o, '?');
		f = e + 1;
	}
}

static const char default_head[] = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n";
static const char default_tail[] = "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n"
				   "Access: %x\nModify: %y\nChange: %z\n Birth: %w\n";

static int stat_main(struct proc *p, const struct cmd_args *a)
{
	const struct stat_opts *o = a->opts;
	struct subject s = {.p = p, .tz = u_tz_get(p, NULL)};
	int status = 0;

	if (a->argc == 0)
		u_usage(p, "missing operand");
	for (int i = 0; i < a->argc; i++) {
		struct arena_mark mark = arena_mark(&sys_self(p)->arena);
		int e;

		s.path = a->argv[i];
		if (streq(s.path, "-") && !o->file_system) {
			e = sys_fstat(p, 0, &s.st);
		} else if (o->file_system) {
			e = sys_statfs(p, s.path, &s.fs);
		} else {
			e = sys_stat(p, s.path, o->dereference ? 0 : SYS_NOFOLLOW, &s.st);
		}
		if (e < 0) {
			if (o->file_system)
				u_warn(p, e, "cannot read file system information for %s", u_quote_file(p, s.path));
			else if (streq(s.path, "-"))
				u_warn(p, e, "cannot stat standard input");
			else
				u_warn(p, e, "cannot statx %s", u_quote_file(p, s.path));
			status = 1;
			continue;
		}
		if (o->printf) {
			put_format(&s, o->printf, true, o->file_system);
		} else if (o->format) {
			put_format(&s, o->format, false, o->file_system);
			u_putc(u_stdout(p), '\n');
		} else if (o->file_system) {
			put_format(&s,
				   o->terse ? "%n %i %l %t %s %S %b %f %a %c %d\n" :
					      "  File: \"%n\"\n    ID: %-8i Namelen: %-7l Type: %T\n"
					      "Block size: %-10s Fundamental block size: %S\n"
					      "Blocks: Total: %-10b Free: %-10f Available: %a\nInodes: Total: %-10c Free: %d\n",
				   false, true);
		} else if (o->terse) {
			put_format(&s, "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n", false, false);
		} else {
			uint32_t type = s.st.mode & SYS_S_TYPE;

			s.plain = true;
			put_format(&s, default_head, false, false);
			s.plain = false;
			put_format(&s,
				   type == SYS_S_CHAR || type == SYS_S_BLOCK ?
					   "Device: %Hd,%Ld\tInode: %-10i  Links: %-5h Device type: %Hr,%Lr\n" :
					   "Device: %Hd,%Ld\tInode: %-10i  Links: %h\n",
				   false, false);
			put_format(&s, default_tail, false, false);
		}
		arena_reset(&sys_self(p)->arena, mark);
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"printf 12345 > f; stat -c '%n %s %F' f", "f 5 regular file\n"},
	{"mkdir -m 700 d; stat --printf '%a %A\\n' d", "700 drwx------\n"},
};

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "Display file or file system status.",
	.synopsis = "[OPTION]... FILE...",
	.description = "File formats: %a %A %b %B %C %d %D %Hd %Ld %f %F %g %G %h %i %m %n %N %o %s %r %R %Hr %Lr\n"
		       "  %t %T %u %U %w %W %x %X %y %Y %z %Z\n"
		       "File system formats: %a %b %c %d %f %i %l %n %s %S %t %T",
	.opts = stat_flags,
	.nopts = COUNTOF(stat_flags),
	.opts_size = sizeof(struct stat_opts),
	.main = stat_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
