/*
 * iconv.c - text from one charset to another.
 *
 * A file is read whole, as by the original, so it may be written to itself; what was converted before a mistake is
 * written. Characters go by their numbers, whatever the charsets are, and runs of ASCII as they are.
 */
#include "iconv/iconv.h"

#define INPUT_MAX ((size_t)1 << 30)
#define OUTPUT_STEP ((size_t)65536)

struct iconv {
	const char *from, *to, *output;
	bool list, omit, silent, verbose;

	struct proc *p;
	struct iconv_code in, out;
	bool ignore, translit;
	bool ascii;		/* both charsets have ASCII's bytes */
	int fd;			/* of the output; -1: to be opened when something comes */
	struct u_buf buf;
	uint64_t written;	/* of this file */
	bool lossy, unwritten;	/* something of this file was left out; since it could not be written */
};

static void opt_help(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	(void)arg;
	u_help(p);
}

static void opt_usage(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	(void)arg;
	u_puts(u_stdout(p), "Usage: iconv [-lcs?V] [-f NAME] [-t NAME] [-o FILE] [--from-code=NAME]\n"
	       "            [--to-code=NAME] [--list] [--output=FILE] [--silent] [--verbose]\n"
	       "            [--help] [--usage] [--version] [FILE...]\n");
	u_exit(p, 0);
}

static const struct cmd_opt iconv_opts[] = {
	CMD_STRING(struct iconv, from, 'f', "from-code", "NAME", "charset of the input"),
	CMD_STRING(struct iconv, to, 't', "to-code", "NAME", "charset of the output; //TRANSLIT after it: what it lacks is\n"
		   "written with other characters, //IGNORE: is left out"),
	CMD_FLAG(struct iconv, list, 'l', "list", "list the names of charsets"),
	CMD_FLAG(struct iconv, omit, 'c', NULL, "leave out what cannot be converted"),
	CMD_STRING(struct iconv, output, 'o', "output", "FILE", "write to FILE"),
	CMD_FLAG(struct iconv, silent, 's', "silent", "say nothing of warnings (there are none)"),
	CMD_FLAG(struct iconv, verbose, 0, "verbose", "name each file on standard error"),
	CMD_CALL('?', NULL, NULL, opt_help, NULL),
	CMD_CALL(0, "usage", NULL, opt_usage, NULL),
};

/* ---- Charsets by name --------------------------------------------------------------------- */

static bool same_name(const char *name, const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && name[i] && ascii_toupper(s[i]) == name[i])
		i++;
	return i == n && !name[i];
}

/* The charset that a name up to its first "//" means; an empty one is the locale's. */
static const struct iconv_charset *find(struct proc *p, const char *s)
{
	const char *slash = s ? strstr(s, "//") : NULL;
	size_t n = slash ? (size_t)(slash - s) : s ? strlen(s) : 0;

	if (n == 0)
		return &iconv_charsets[u_utf8(p) ? ICONV_UTF8 : ICONV_ASCII];
	for (size_t i = 0; i < iconv_naliases; i++) {
		if (same_name(iconv_aliases[i].name, s, n))
			return &iconv_charsets[iconv_aliases[i].charset];
	}
	return NULL;
}

/* What follows the name: words between slashes or commas; those unknown count for nothing. */
static void read_suffixes(struct iconv *c)
{
	const char *s = c->to ? strstr(c->to, "//") : NULL;

	while (s && *s) {
		size_t n = strcspn(s, "/,");

		c->translit |= same_name("TRANSLIT", s, n);
		c->ignore |= same_name("IGNORE", s, n);
		s += n + (s[n] != '\0');
	}
}

static void choose(struct iconv *c)
{
	const struct iconv_charset *from = find(c->p, c->from), *to = find(c->p, c->to);
	size_t nf = c->from ? strcspn(c->from, "/") : 0, nt = c->to ? strcspn(c->to, "/") : 0;

	if (!from && !to)
		u_die(c->p, 1, 0, "conversions from `%.*s' and to `%.*s' are not supported", (int)MIN(nf, 256), c->from, (int)MIN(nt, 256), c->to);
	if (!from)
		u_die(c->p, 1, 0, "conversion from `%.*s' is not supported", (int)MIN(nf, 256), c->from);
	if (!to)
		u_die(c->p, 1, 0, "conversion to `%.*s' is not supported", (int)MIN(nt, 256), c->to);
	read_suffixes(c);
	iconv_code_init(&c->in, c->p, from, false);
	iconv_code_init(&c->out, c->p, to, true);
	c->ascii = (from->kind <= ICONV_UTF8 || from->kind == ICONV_SINGLE) && (to->kind <= ICONV_UTF8 || to->kind == ICONV_SINGLE);
}

/* ---- Output -------------------------------------------------------------------------------- */

static void write_out(struct iconv *c)
{
	int err;

	if (c->buf.len == 0)
		return;
	if (c->fd < 0) {
		c->fd = sys_open(c->p, c->output, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
		if (c->fd < 0)
			u_die(c->p, 1, c->fd, "cannot open output file");
	}
	err = u_write_all(c->p, c->fd, c->buf.ptr, c->buf.len);
	if (err < 0)
		u_die(c->p, 1, err, "conversion stopped due to problem in writing the output");
	c->written += c->buf.len;
	c->buf.len = 0;
}

static void put(struct iconv *c, const void *s, size_t n)
{
	u_buf_put(&c->buf, s, n);
	if (c->buf.len >= OUTPUT_STEP)
		write_out(c);
}

/* What is put in place of a character: the first of its lists that can be written whole, else a question mark. */
static bool put_like(struct iconv *c, uint32_t ch)
{
	unsigned char b[ICONV_LONGEST];
	size_t low = 0, high = iconv_ntranslits, n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (iconv_translits[mid].character < ch)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < iconv_ntranslits && iconv_translits[low].character == ch; low++) {
		const uint16_t *text = iconv_translit_text + iconv_translits[low].at;
		size_t len = iconv_translits[low].len, i = 0;

		while (i < len && iconv_write(&c->out, text[i], b) > 0)
			i++;
		if (i < len)
			continue;
		for (i = 0; i < len; i++) {
			n = iconv_write(&c->out, text[i], b);
			put(c, b, n);
		}
		return true;
	}
	n = iconv_write(&c->out, '?', b);
	put(c, b, n);
	return n > 0;
}

/* False: the character cannot be written. */
static bool put_char(struct iconv *c, uint32_t ch)
{
	unsigned char b[ICONV_LONGEST];
	size_t n = iconv_write(&c->out, ch, b);

	if (n == 0)
		return c->translit && put_like(c, ch);
	put(c, b, n);
	return true;
}

/* ---- Conversion ---------------------------------------------------------------------------- */

/* Something that cannot be read, or written, at byte `at`: the end, or it is left out. */
static void refuse(struct iconv *c, size_t at)
{
	c->lossy = true;
	if (c->omit || c->ignore)
		return;
	write_out(c);
	u_die(c->p, 1, 0, "illegal input sequence at position %zu", at);
}

/* Of UCS-4 the library does not tell that something was left out. */
static void refuse_bytes(struct iconv *c, size_t at)
{
	enum iconv_kind k = c->in.set->kind;

	if (!c->ignore || (k != ICONV_UCS4 && k != ICONV_UCS4LE && k != ICONV_UCS4BE))
		refuse(c, at);
}

static void write_or_refuse(struct iconv *c, uint32_t ch, size_t at)
{
	if (put_char(c, ch))
		return;
	c->unwritten = true;
	refuse(c, at);
}

/* The character `held` waits for a mark, 0: none does. What is read at `at` is one, or both are by themselves. */
static void hold(struct iconv *c, uint32_t *held, uint32_t ch, size_t at)
{
	uint32_t whole = *held ? iconv_join(c->in.set, *held, ch) : 0;

	if (whole) {
		*held = whole;
		return;
	}
	if (*held)
		write_or_refuse(c, *held, at);
	*held = iconv_waits(c->in.set, ch) ? ch : 0;
	if (!*held)
		write_or_refuse(c, ch, at);
}

static void convert(struct iconv *c, const unsigned char *s, size_t n)
{
	uint32_t held = 0;
	size_t at = iconv_read_mark(&c->in, s, n);
	unsigned char mark[ICONV_LONGEST];
	size_t bytes = iconv_write_mark(&c->out, mark);
	bool begun = bytes == 0;

	while (at < n) {
		uint32_t ch;
		size_t used, run = c->ascii && !held ? scan_ascii((const char *)s + at, n - at) : 0;
		enum iconv_result r;

		/* The character before a mark is held back, so the last of a run is not taken with it. */
		if (c->in.set->pairs)
			run -= run > 0;
		if (run > 0) {
			put(c, s + at, run);
			at += run;
			sys_checkpoint_n(c->p, (uint32_t)MIN(run / 64 + 1, (size_t)1 << 20));
			continue;
		}
		sys_checkpoint(c->p);
		r = iconv_read(&c->in, s + at, n - at, &ch, &used);
		if (r == ICONV_DONE && !begun) {
			put(c, mark, bytes);
			begun = true;
		}
		if (r == ICONV_CUT)
			break;
		if (r == ICONV_ILLEGAL) {
			refuse_bytes(c, at);
		} else if (c->in.set->pairs) {
			hold(c, &held, ch, at);
		} else {
			write_or_refuse(c, ch, at);
		}
		at += used;
	}
	/* With a mistake to tell of, what is held is lost, in the original as here. */
	if (held && (!c->lossy || c->omit))
		write_or_refuse(c, held, at);
	write_out(c);
	if (c->lossy && !c->omit && (c->unwritten || at == n))
		u_die(c->p, 1, 0, "illegal input sequence at position %zu", at);
	if (at < n)
		u_die(c->p, 1, 0, "incomplete character or shift sequence at end of buffer");
}

/* 0, or the status. */
static int convert_file(struct iconv *c, const char *name)
{
	bool standard = streq(name, "-");
	int fd = standard ? 0 : sys_open(c->p, name, SYS_O_READ, 0), e;
	struct str text = {"", 0};

	if (c->verbose) {
		const char *line = u_format(c->p, "%s:\n", name);

		if (u_write_all(c->p, 2, line, strlen(line)) < 0)
			u_die(c->p, 1, 0, "write error");
	}
	if (fd < 0) {
		u_warn(c->p, fd, "cannot open input file `%s'", name);
		return 1;
	}
	e = u_read_all(c->p, fd, INPUT_MAX, &text);
	if (e < 0)
		u_die(c->p, 1, e, "error while reading the input");
	u_close_operand(c->p, fd);
	c->written = 0;
	c->lossy = c->unwritten = false;
	convert(c, (const unsigned char *)text.ptr, text.len);
	return c->lossy && c->written == 0;
}

static int list_names(struct proc *p)
{
	for (size_t i = 0; i < iconv_naliases; i++)
		u_printf(u_stdout(p), "%s//\n", iconv_aliases[i].name);
	return 0;
}

static int iconv_main(struct proc *p, const struct cmd_args *a)
{
	struct iconv *c = a->opts;
	char *const *files;
	int n = cmd_files(a, &files), status = 0;

	c->p = p;
	if (c->list)
		return list_names(p);
	choose(c);
	c->fd = c->output && !streq(c->output, "-") ? -1 : 1;
	u_buf_init(&c->buf, p, 0);
	for (int i = 0; i < n; i++)
		status |= convert_file(c, files[i]);
	return status;
}

static const struct cmd_example iconv_examples[] = {
	{"printf 'caf\\351\\n' | iconv -f ISO-8859-1 -t UTF-8", "café\n"},
	{"printf 'café — 5 €\\n' | iconv -f UTF-8 -t ASCII//TRANSLIT", "cafe - 5 EUR\n"},
};

const struct cmd cmd_iconv = {
	.name = "iconv",
	.summary = "convert text from one charset to another",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without -f or -t that side is in the charset of the locale.",
	.opts = iconv_opts,
	.nopts = COUNTOF(iconv_opts),
	.opts_size = sizeof(struct iconv),
	.usage_status = 64,
	.failure_status = 1,
	.hint = "Try `iconv --help' or `iconv --usage' for more information.",
	.main = iconv_main,
	.examples = iconv_examples,
	.nexamples = COUNTOF(iconv_examples),
};
