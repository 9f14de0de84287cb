/*
 * wc.c - count lines, words, characters, bytes and the longest line.
 *
 * Each slice is counted by the cheapest pass that gives what was asked for: nothing but the
 * size, newlines alone, words by bit masks, or character by character when the text
 * is not ASCII or widths are wanted.
 */
#include "cmd.h"

struct wc {
	bool bytes, chars, lines, words, longest;
	const char *names_from;

	bool utf8;
	int width;
	uint64_t total[5];
	bool failed;
};

enum { LINES, WORDS, CHARS, BYTES, LONGEST };

static const struct cmd_opt wc_opts[] = {
	CMD_FLAG(struct wc, bytes, 'c', "bytes", "print the number of bytes"),
	CMD_FLAG(struct wc, chars, 'm', "chars", "print the number of characters"),
	CMD_FLAG(struct wc, lines, 'l', "lines", "print the number of newlines"),
	CMD_STRING(struct wc, names_from, 0, "files0-from", "F",
		   "count the files whose names, each ended by NUL,\nare in F (- is standard input)"),
	CMD_FLAG(struct wc, longest, 'L', "max-line-length", "print the width of the longest line"),
	CMD_FLAG(struct wc, words, 'w', "words", "print the number of words"),
};

/* ---- Counting one file ----------------------------------------------------------------- */

struct counter {
	const struct wc *w;
	uint64_t n[5];
	uint64_t column;	/* width of the line so far */
	unsigned in_word;	/* scan_words' state */
	char part[4];		/* the start of a character that the next slice completes */
	unsigned nparts;
};

static void end_line(struct counter *c)
{
	c->n[LONGEST] = MAX(c->n[LONGEST], c->column);
	c->column = 0;
}

static void count_control(struct counter *c, char ch)
{
	switch (ch) {
	case '\n': case '\r': case '\f': end_line(c); break;
	case '\t': c->column += 8 - c->column % 8; break;
	case ' ': c->column++; break;
	default: return;
	case '\v': break;
	}
	c->in_word = 0;
}

static void count_wide(struct counter *c, uint32_t ch)
{
	bool nbsp = ch == 0xa0 || ch == 0x2007 || ch == 0x202f || ch == 0x2060;

	c->n[CHARS]++;
	if (!utf8_is(ch, UTF8_PRINT))
		return;
	if (c->w->longest) {
		int width = utf8_width(ch);

		c->column += width > 0 ? (unsigned)width : 0;
	}
	if (nbsp || utf8_is(ch, UTF8_SPACE)) {
		c->in_word = 0;
	} else {
		c->n[WORDS] += !(c->in_word & 1);
		c->in_word = 1;
	}
}

/* ASCII, or any bytes in the C locale. */
static void count_narrow(struct counter *c, const char *s, size_t n)
{
	c->n[CHARS] += n;
	if (!c->w->longest) {
		if (c->w->words)
			c->n[WORDS] += scan_words(s, n, &c->in_word);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)s[i];

		if (ch > 0x20 && ch < 0x7f) {
			c->column++;
			c->n[WORDS] += !(c->in_word & 1);
			c->in_word = 1;
		} else {
			count_control(c, (char)ch);
		}
	}
}

/* True when the n bytes may be the start of a longer character. */
static bool may_go_on(const char *s, size_t n)
{
	unsigned char lead = (unsigned char)s[0];
	char whole[4] = {s[0], (char)0x80, (char)0x80, (char)0x80};
	size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
	unsigned len;

	if (n >= need)
		return false;
	if (n > 1)
		memcpy(whole + 1, s + 1, n - 1);
	else if (lead == 0xe0 || lead == 0xf0)
		whole[1] = lead == 0xe0 ? (char)0xa0 : (char)0x90;
	return utf8_decode(whole, need, &len) != UTF8_BAD;
}

static void count_utf8(struct counter *c, const char *s, size_t n)
{
	while (n > 0) {
		size_t plain = c->nparts ? 0 : scan_ascii(s, n);
		unsigned len;
		uint32_t ch;

		if (plain > 0) {
			count_narrow(c, s, plain);
			s += plain;
			n -= plain;
			continue;
		}
		if (c->nparts) {
			c->part[c->nparts++] = *s;
			ch = utf8_decode(c->part, c->nparts, &len);
			if (ch == UTF8_BAD && may_go_on(c->part, c->nparts)) {
				s++, n--;
			} else if (ch == UTF8_BAD) {
				c->nparts = 0; /* those bytes were no character; this one starts anew */
			} else {
				c->nparts = 0;
				count_wide(c, ch);
				s++, n--;
			}
			continue;
		}
		ch = utf8_decode(s, n, &len);
		if (ch == UTF8_BAD && n < 4 && may_go_on(s, n)) {
			memcpy(c->part, s, n);
			c->nparts = (unsigned)n;
			return;
		}
		if (ch != UTF8_BAD)
			count_wide(c, ch);
		s += len;
		n -= len;
	}
}

static void count(struct counter *c, const char *s, size_t n)
{
	const struct wc *w = c->w;

	c->n[BYTES] += n;
	if (w->lines)
		c->n[LINES] += scan_count(s, n, '\n');
	if (!w->words && !w->chars && !w->longest)
		return;
	if (w->utf8)
		count_utf8(c, s, n);
	else
		count_narrow(c, s, n);
}

/* When only the size is wanted a regular file needs no reading. */
static bool count_by_size(struct proc *p, int fd, struct counter *c)
{
	const struct wc *w = c->w;
	struct sys_stat st;
	int64_t at;

	if (w->lines || w->words || (w->chars && w->utf8) || w->longest)
		return false;
	at = sys_seek(p, fd, 0, SYS_SEEK_CUR);
	if (at < 0 || sys_fstat(p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE ||
	    st.size <= 0 || sys_seek(p, fd, MAX(at, st.size), SYS_SEEK_SET) < 0)
		return false;
	c->n[BYTES] = c->n[CHARS] = at < st.size ? (uint64_t)(st.size - at) : 0;
	return true;
}

/* ---- Output ----------------------------------------------------------------------------- */

static void print_counts(struct proc *p, const struct wc *w, const uint64_t *n, const char *name)
{
	const bool wanted[] = {w->lines, w->words, w->chars, w->bytes, w->longest};
	struct u_out *out = u_stdout(p);
	const char *gap = "";

	for (int i = 0; i < 5; i++) {
		if (wanted[i]) {
			u_printf(out, "%s%*llu", gap, w->width, (unsigned long long)n[i]);
			gap = " ";
		}
	}
	if (name)
		u_printf(out, " %s", strchr(name, '\n') ? u_quote_if_needed(p, name) : name);
	u_putc(out, '\n');
}

static void count_file(struct proc *p, struct wc *w, const char *path, bool named)
{
	struct counter c = {.w = w};
	int fd;
	struct sys_slice s;
	int64_t got = 0;

	if (!*path) {
		u_warn(p, 0, "invalid zero-length file name");
		w->failed = true;
		return;
	}
	fd = u_open_operand(p, path);
	if (fd < 0) {
		w->failed = true;
		return;
	}
	if (!count_by_size(p, fd, &c)) {
		while ((got = sys_read_slice(p, fd, 0, &s)) > 0)
			count(&c, s.ptr, s.len);
	}
	end_line(&c);
	if (got < 0) {
		u_warn(p, (int)got, "%s", path);
		w->failed = true;
	}
	print_counts(p, w, c.n, named ? path : NULL);
	for (int i = 0; i < LONGEST; i++)
		w->total[i] += c.n[i];
	w->total[LONGEST] = MAX(w->total[LONGEST], c.n[LONGEST]);
	u_close_operand(p, fd);
}

/* The width of all numbers: as wide as the sum of the sizes, at least 7 where one of the files has none. */
static int column_width(struct proc *p, const struct wc *w, int n, char *const *file)
{
	int wanted = w->bytes + w->chars + w->lines + w->words + w->longest, width = 1, least = 1;
	uint64_t sum = 0;

	if (n == 0 || (n == 1 && wanted == 1))
		return 1;
	for (int i = 0; i < n; i++) {
		struct sys_stat st;
		int r = streq(file[i], "-") ? sys_fstat(p, 0, &st) : sys_stat(p, file[i], 0, &st);

		if (r < 0)
			continue;
		if ((st.mode & SYS_S_TYPE) == SYS_S_FILE)
			sum += (uint64_t)st.size;
		else
			least = 7;
	}
	for (; sum >= 10; sum /= 10)
		width++;
	return MAX(width, least);
}

/* ---- --files0-from ------------------------------------------------------------------------ */

static void count_name(struct proc *p, struct wc *w, const char *name, int n)
{
	if (streq(name, "-") && streq(w->names_from, "-")) {
		u_warn(p, 0, "when reading file names from stdin, no file name of %s allowed",
		       u_quote_file(p, "-"));
		w->failed = true;
	} else if (!*name) {
		u_warn(p, 0, "%s:%d: invalid zero-length file name",
		       u_quote_if_needed(p, w->names_from), n);
		w->failed = true;
	} else {
		count_file(p, w, name, true);
	}
}

#define WC_LIST_MAX (10u << 20)

/* A list in a regular file is read first, so that the numbers can be aligned. Returns how many
 * names there were, or -1 when the list has to be taken as it comes. */
static int count_known(struct proc *p, struct wc *w, int fd)
{
	struct sys_stat st;
	struct str list;
	char **name;
	int n = 0;

	if (sys_fstat(p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE ||
	    st.size > (int64_t)WC_LIST_MAX || u_read_all(p, fd, WC_LIST_MAX, &list) < 0)
		return -1;
	name = u_array(p, scan_count(list.ptr, list.len, '\0') + 1, sizeof(*name));
	for (const char *s = list.ptr, *end = s + list.len; s < end;) {
		size_t len = strnlen(s, (size_t)(end - s));

		name[n++] = u_strndup(p, s, len);
		s += len + 1;
	}
	w->width = column_width(p, w, n, name);
	for (int i = 0; i < n; i++)
		count_name(p, w, name[i], i + 1);
	return n;
}

static int count_listed(struct proc *p, struct wc *w)
{
	int fd = streq(w->names_from, "-") ? 0 : sys_open(p, w->names_from, SYS_O_READ, 0), n;
	struct u_lines r;
	struct str line;

	if (fd < 0)
		u_die(p, 1, fd, "cannot open %s for reading", u_quote_file(p, w->names_from));
	n = count_known(p, w, fd);
	if (n >= 0)
		return n;
	n = 0;
	w->width = 1;
	u_lines_init(&r, p, fd, '\0');
	while (u_lines_next(&r, &line))
		count_name(p, w, u_strndup(p, line.ptr, line.len), ++n);
	if (r.err) {
		u_warn(p, r.err, "%s: read error", u_quote_if_needed(p, w->names_from));
		w->failed = true;
	}
	return n;
}

static int wc_main(struct proc *p, const struct cmd_args *a)
{
	struct wc *w = a->opts;
	char *const *file;
	int n;

	w->utf8 = u_utf8(p);
	if (!w->bytes && !w->chars && !w->lines && !w->words && !w->longest)
		w->lines = w->words = w->bytes = true;
	if (w->names_from && a->argc > 0)
		u_usage(p, "extra operand %s\nfile operands cannot be combined with --files0-from",
			u_quote_file(p, a->argv[0]));
	if (w->names_from) {
		n = count_listed(p, w);
	} else {
		n = cmd_files(a, &file);
		w->width = column_width(p, w, n, file);
		for (int i = 0; i < n; i++)
			count_file(p, w, file[i], a->argc > 0);
	}
	if (n > 1)
		print_counts(p, w, w->total, "total");
	return w->failed;
}

static const struct cmd_example wc_examples[] = {
	{"printf 'one two\\nthree\\n' | wc -lw", "      2       3\n"},
	{"printf 'one two\\nthree\\n' | wc -L", "7\n"},
};

const struct cmd cmd_wc = {
	.name = "wc",
	.summary = "count lines, words and bytes of each file, and of all together",
	.synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
	.description =
		"Without FILE, or where FILE is -, standard input is read. Counts are printed in\n"
		"the order lines, words, characters, bytes, longest line.",
	.opts = wc_opts,
	.nopts = COUNTOF(wc_opts),
	.opts_size = sizeof(struct wc),
	.main = wc_main,
	.examples = wc_examples,
	.nexamples = COUNTOF(wc_examples),
};
