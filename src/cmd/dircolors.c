/*
 * dircolors - colours for ls: from a file of lines "KEYWORD CODE" to LS_COLORS.
 *
 * Lines after TERM and COLORTERM lines count only when one of these patterns fits the terminal.
 */
#include "cmd.h"

struct dircolors {
	int shell;		/* 1: sh, 2: csh */
	bool database, shown;
};

static const struct cmd_opt dircolors_opts[] = {
	CMD_CHOICE(struct dircolors, shell, 'b', "sh", 1, "output Bourne shell code to set LS_COLORS"),
	CMD_CHOICE(struct dircolors, shell, 0, "bourne-shell", 1, NULL),
	CMD_CHOICE(struct dircolors, shell, 'c', "csh", 2, "output C shell code to set LS_COLORS"),
	CMD_CHOICE(struct dircolors, shell, 0, "c-shell", 2, NULL),
	CMD_FLAG(struct dircolors, database, 'p', "print-database", "output the default colours as a file for dircolors"),
	CMD_FLAG(struct dircolors, shown, 0, "print-ls-colors", "output fully escaped colours for display"),
};

/* ---- The default colours -------------------------------------------------------------------------------------- */

static const char *const kinds[][2] = {
	{"RESET", "0"},		{"DIR", "01;34"},    {"LINK", "01;36"},	    {"MULTIHARDLINK", "00"}, {"FIFO", "40;33"},
	{"SOCK", "01;35"},	{"DOOR", "01;35"},   {"BLK", "40;33;01"},   {"CHR", "40;33;01"},     {"ORPHAN", "40;31;01"},
	{"MISSING", "00"},	{"SETUID", "37;41"}, {"SETGID", "30;43"},   {"CAPABILITY", "00"},    {"STICKY_OTHER_WRITABLE", "30;42"},
	{"OTHER_WRITABLE", "34;42"}, {"STICKY", "37;44"}, {"EXEC", "01;32"},
};

static const struct {
	const char *code, *endings; /* each behind a blank */
} groups[] = {
	{"01;31", " .tar .tgz .arc .arj .taz .lha .lz4 .lzh .lzma .tlz .txz .tzo .t7z .zip .z .dz .gz .lrz .lz .lzo .xz .zst .tzst .bz2 .bz"
		  " .tbz .tbz2 .tz .deb .rpm .jar .war .ear .sar .rar .alz .ace .zoo .cpio .7z .rz .cab .wim .swm .dwm .esd"},
	{"01;35", " .avif .jpg .jpeg .mjpg .mjpeg .gif .bmp .pbm .pgm .ppm .tga .xbm .xpm .tif .tiff .png .svg .svgz .mng .pcx .mov .mpg"
		  " .mpeg .m2v .mkv .webm .webp .ogm .mp4 .m4v .mp4v .vob .qt .nuv .wmv .asf .rm .rmvb .flc .avi .fli .flv .gl .dl .xcf"
		  " .xwd .yuv .cgm .emf .ogv .ogx"},
	{"00;36", " .aac .au .flac .m4a .mid .midi .mka .mp3 .mpc .ogg .ra .wav .oga .opus .spx .xspf"},
	{"00;90", " *~ *# .bak .old .orig .part .rej .swp .tmp .dpkg-dist .dpkg-old .ucf-dist .ucf-new .ucf-old .rpmnew .rpmorig .rpmsave"},
};

static char *default_database(struct proc *p)
{
	struct u_buf b;

	u_buf_init(&b, p, 0);
	u_buf_puts(&b, "# Colours of ls. After TERM and COLORTERM lines the others count for these terminals alone.\n");
	u_buf_puts(&b, "COLORTERM ?*\nTERM Eterm\nTERM ansi\nTERM *color*\nTERM con[0-9]*x[0-9]*\nTERM cons25\nTERM console\nTERM cygwin\n"
		       "TERM *direct*\nTERM dtterm\nTERM gnome\nTERM hurd\nTERM jfbterm\nTERM konsole\nTERM kterm\nTERM linux\nTERM linux-c\n"
		       "TERM mlterm\nTERM putty\nTERM rxvt*\nTERM screen*\nTERM st\nTERM terminator\nTERM tmux*\nTERM vt100\nTERM xterm*\n");
	for (size_t i = 0; i < COUNTOF(kinds); i++)
		u_buf_printf(&b, "%s %s\n", kinds[i][0], kinds[i][1]);
	for (size_t i = 0; i < COUNTOF(groups); i++) {
		for (const char *s = groups[i].endings; *s;) {
			size_t n = strcspn(++s, " ");

			u_buf_printf(&b, "%.*s %s\n", (int)n, s, groups[i].code);
			s += n;
		}
	}
	return b.ptr;
}

/* ---- Reading --------------------------------------------------------------------------------------------------- */

struct reading {
	struct proc *p;
	const char *name, *term, *colorterm;
	uint64_t line;
	enum { EVERYWHERE, NO_TERM, THIS_TERM, AFTER_TERM } state;
	bool failed, shown;
	struct u_buf out;
};

static const char *const keywords[][2] = {
	{"NORMAL", "no"}, {"NORM", "no"}, {"FILE", "fi"}, {"RESET", "rs"}, {"DIR", "di"}, {"LNK", "ln"}, {"LINK", "ln"}, {"SYMLINK", "ln"},
	{"ORPHAN", "or"}, {"MISSING", "mi"}, {"FIFO", "pi"}, {"PIPE", "pi"}, {"SOCK", "so"}, {"BLK", "bd"}, {"BLOCK", "bd"}, {"CHR", "cd"},
	{"CHAR", "cd"}, {"DOOR", "do"}, {"EXEC", "ex"}, {"LEFT", "lc"}, {"LEFTCODE", "lc"}, {"RIGHT", "rc"}, {"RIGHTCODE", "rc"}, {"END", "ec"},
	{"ENDCODE", "ec"}, {"SUID", "su"}, {"SETUID", "su"}, {"SGID", "sg"}, {"SETGID", "sg"}, {"STICKY", "st"}, {"OTHER_WRITABLE", "ow"},
	{"OWR", "ow"}, {"STICKY_OTHER_WRITABLE", "tw"}, {"OWT", "tw"}, {"CAPABILITY", "ca"}, {"MULTIHARDLINK", "mh"}, {"CLRTOEOL", "cl"},
};

static bool same_word(struct str s, const char *word)
{
	if (s.len != strlen(word))
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (ascii_toupper((unsigned char)s.ptr[i]) != (unsigned char)word[i])
			return false;
	return true;
}

static void put_quoted(struct u_buf *b, struct str s)
{
	bool escape = true;

	for (size_t i = 0; i < s.len; i++) {
		switch (s.ptr[i]) {
		case '\'':
			u_buf_puts(b, "'\\'");
			escape = true;
			break;
		case '\\':
		case '^': escape = !escape; break;
		case ':':
		case '=':
			if (escape)
				u_buf_putc(b, '\\');
			escape = true;
			break;
		default: escape = true; break;
		}
		u_buf_putc(b, s.ptr[i]);
	}
}

static void put_entry(struct reading *r, const char *star, struct str item, struct str code)
{
	if (r->shown) {
		u_buf_printf(&r->out, "\033[%.*sm%s%.*s\t%.*s\033[0m\n", (int)code.len, code.ptr, star, (int)item.len, item.ptr, (int)code.len,
			     code.ptr);
		return;
	}
	u_buf_puts(&r->out, star);
	put_quoted(&r->out, item);
	u_buf_putc(&r->out, '=');
	put_quoted(&r->out, code);
	u_buf_putc(&r->out, ':');
}

static void put_keyword(struct reading *r, struct str word, struct str code)
{
	if (same_word(word, "OPTIONS") || same_word(word, "COLOR") || same_word(word, "EIGHTBIT"))
		return;
	for (size_t i = 0; i < COUNTOF(keywords); i++) {
		if (same_word(word, keywords[i][0])) {
			put_entry(r, "", (struct str){keywords[i][1], 2}, code);
			return;
		}
	}
	if (r->state == AFTER_TERM) {
		u_warn(r->p, 0, "%s:%llu: unrecognized keyword %.*s", r->name, (unsigned long long)r->line, (int)word.len, word.ptr);
		r->failed = true;
	}
}

static void one_line(struct reading *r, struct str l)
{
	const char *s = l.ptr, *end = s + l.len;
	struct str word, code;

	while (s < end && ascii_space((unsigned char)*s))
		s++;
	if (s == end || *s == '#')
		return;
	word.ptr = s;
	while (s < end && !ascii_space((unsigned char)*s))
		s++;
	word.len = (size_t)(s - word.ptr);
	while (s < end && ascii_space((unsigned char)*s))
		s++;
	code.ptr = s;
	while (s < end && *s != '#')
		s++;
	while (s > code.ptr && ascii_space((unsigned char)s[-1]))
		s--;
	code.len = (size_t)(s - code.ptr);
	if (code.len == 0) {
		u_warn(r->p, 0, "%s:%llu: invalid line;  missing second token", r->name, (unsigned long long)r->line);
		r->failed = true;
		return;
	}
	if (same_word(word, "TERM") || same_word(word, "COLORTERM")) {
		const char *have = same_word(word, "TERM") ? r->term : r->colorterm;

		if (r->state != THIS_TERM)
			r->state = u_glob_match(code.ptr, code.len, have, strlen(have), 0) ? THIS_TERM : NO_TERM;
		return;
	}
	if (r->state == THIS_TERM)
		r->state = AFTER_TERM;
	if (r->state == NO_TERM)
		return;
	if (word.ptr[0] == '.')
		put_entry(r, "*", word, code);
	else if (word.ptr[0] == '*')
		put_entry(r, "", word, code);
	else
		put_keyword(r, word, code);
}

static void from_text(struct reading *r, const char *s)
{
	while (*s) {
		size_t n = strcspn(s, "\n");

		r->line++;
		one_line(r, (struct str){s, n});
		s += n + (s[n] != '\0');
	}
}

static void from_file(struct reading *r, const char *path)
{
	int fd = u_open_operand(r->p, path);
	struct u_lines lines;
	struct str l;

	if (fd < 0) {
		r->failed = true;
		return;
	}
	u_lines_init(&lines, r->p, fd, '\n');
	while (u_lines_next(&lines, &l)) {
		r->line++;
		one_line(r, l);
	}
	if (lines.err) {
		u_warn(r->p, lines.err, "%s", path);
		r->failed = true;
	}
}

/* ---- Beginning ------------------------------------------------------------------------------------------------------ */

/* The language of $SHELL. */
static int shell_of(struct proc *p)
{
	const char *shell = u_getenv(p, "SHELL");

	if (!shell || !*shell)
		u_die(p, 1, 0, "no SHELL environment variable, and no shell type option given");
	shell = u_basename(p, shell);
	return streq(shell, "csh") || streq(shell, "tcsh") ? 2 : 1;
}

static const char *or_none(const char *s)
{
	return s && *s ? s : "none";
}

static int dircolors_main(struct proc *p, const struct cmd_args *a)
{
	const struct dircolors *o = a->opts;
	struct reading r = {.p = p, .shown = o->shown, .term = or_none(u_getenv(p, "TERM")), .colorterm = u_getenv(p, "COLORTERM")};
	int shell;

	if ((o->database || o->shown) && o->shell)
		u_usage(p, "the options to output non shell syntax,\nand to select a shell syntax are mutually exclusive");
	if (o->database && o->shown)
		u_usage(p, "options --print-database and --print-ls-colors are mutually exclusive");
	if (o->database && a->argc > 0)
		u_usage(p, "extra operand %s\nfile operands cannot be combined with --print-database (-p)", u_quote(p, a->argv[0]));
	if (a->argc > 1)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[1]));
	if (o->database) {
		u_puts(u_stdout(p), default_database(p));
		return 0;
	}
	shell = o->shown ? 0 : o->shell ? o->shell : shell_of(p);
	if (!r.colorterm)
		r.colorterm = "";
	u_buf_init(&r.out, p, (size_t)16 << 20);
	u_buf_puts(&r.out, "");
	r.name = a->argc ? a->argv[0] : "";
	if (a->argc)
		from_file(&r, a->argv[0]);
	else
		from_text(&r, default_database(p));
	if (r.failed)
		return 1;
	if (shell == 0)
		u_puts(u_stdout(p), r.out.ptr);
	else
		u_printf(u_stdout(p), shell == 1 ? "LS_COLORS='%s';\nexport LS_COLORS\n" : "setenv LS_COLORS '%s'\n", r.out.ptr);
	return 0;
}

static const struct cmd_example examples[] = {
	{"printf 'DIR 01;34\\n.gz 31\\n' | dircolors -b -", "LS_COLORS='di=01;34:*.gz=31:';\nexport LS_COLORS\n"},
};

const struct cmd cmd_dircolors = {
	.name = "dircolors",
	.summary = "output commands to set the LS_COLORS environment variable",
	.synopsis = "[OPTION]... [FILE]",
	.description = "If FILE is specified, read it to determine which colors to use for which file types and extensions.\n"
		       "Otherwise, a precompiled database is used.",
	.opts = dircolors_opts,
	.nopts = COUNTOF(dircolors_opts),
	.opts_size = sizeof(struct dircolors),
	.main = dircolors_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
