/*
 * strings.c - print the runs of printable characters in files.
 *
 * A run is held back until it is long enough, then passed on as it comes. Characters of 2 and 4 bytes may
 * begin at any byte: after one that is none the search goes on a byte further.
 */
#include "input.h"

struct strings {
	bool all, names, whitespace;
	const char *least, *radix, *encoding, *separator;

	struct proc *p;
	struct u_out *out;
	struct input in;
	size_t min;
	char base;		/* o, d, x; 0: no offsets */
	unsigned width;		/* bytes of a character */
	bool big;		/* the high byte first */
	bool eight;		/* bytes above 127 count */

	/* The file */
	unsigned char window[4];
	unsigned held;		/* bytes in window */
	uint64_t at;		/* offset of window[0] */
	char *run;		/* the start of a run: fewer than min characters */
	size_t nrun;
	uint64_t start;		/* of the run */
	bool open;		/* its start has been printed */
};

static void opt_octal(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)o;
	(void)arg;
	((struct strings *)opts)->radix = "o";
}

static void opt_digits(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)o;
	((struct strings *)opts)->least = arg;
}

static const struct cmd_opt strings_opts[] = {
	CMD_FLAG(struct strings, all, 'a', "all", "look at whole files (they always are)"),
	CMD_FLAG(struct strings, names, 'f', "print-file-name", "print the name of the file before each string"),
	CMD_STRING(struct strings, least, 'n', "bytes", "NUMBER", "print strings of at least NUMBER characters (4)"),
	CMD_DIGITS(opt_digits, "same as -n NUM"),
	CMD_STRING(struct strings, radix, 't', "radix", "{o,d,x}", "print where each string is, in base 8, 10 or 16"),
	CMD_CALL('o', NULL, NULL, opt_octal, "same as --radix=o"),
	CMD_FLAG(struct strings, whitespace, 'w', "include-all-whitespace", "all white space is part of strings"),
	CMD_STRING(struct strings, encoding, 'e', "encoding", "{s,S,b,l,B,L}",
		   "s: 7-bit characters, S: 8-bit, b and l: 16-bit big\nand little endian, B and L: 32-bit"),
	CMD_STRING(struct strings, separator, 's', "output-separator", "STRING", "put STRING, not a newline, after each"),
};

static bool is_text(const struct strings *s, uint32_t c)
{
	return c <= 255 && (c == '\t' || ascii_print((int)c) || (s->whitespace && ascii_space((int)c)) ||
			    (s->eight && c > 127));
}

static uint32_t window_char(const struct strings *s)
{
	uint32_t c = 0;

	for (unsigned i = 0; i < s->width; i++)
		c |= (uint32_t)s->window[i] << 8 * (s->big ? s->width - 1 - i : i);
	return c;
}

static void put_start(struct strings *s)
{
	if (s->names)
		u_printf(s->out, "%s: ", s->in.name);
	switch (s->base) {
	case 'o': u_printf(s->out, "%7llo ", (unsigned long long)s->start); break;
	case 'd': u_printf(s->out, "%7llu ", (unsigned long long)s->start); break;
	case 'x': u_printf(s->out, "%7llx ", (unsigned long long)s->start); break;
	default: break;
	}
	u_put(s->out, s->run, s->nrun);
	s->open = true;
}

static void end_run(struct strings *s)
{
	if (s->open)
		u_puts(s->out, s->separator ? s->separator : "\n");
	s->open = false;
	s->nrun = 0;
}

static void take_char(struct strings *s, char c)
{
	if (s->open) {
		u_putc(s->out, c);
		return;
	}
	if (s->nrun == 0)
		s->start = s->at;
	s->run[s->nrun++] = c;
	if (s->nrun == s->min)
		put_start(s);
}

/* A byte of the file: in windows of one character. */
static void take_byte(struct strings *s, unsigned char byte)
{
	unsigned drop = 1;
	uint32_t c;

	s->window[s->held++] = byte;
	if (s->held < s->width)
		return;
	c = window_char(s);
	if (is_text(s, c)) {
		take_char(s, (char)c);
		drop = s->width;
	} else {
		end_run(s);
	}
	s->held -= drop;
	s->at += drop;
	memmove(s->window, s->window + drop, s->held);
}

static void do_file(struct strings *s)
{
	s->held = 0;
	s->at = 0;
	while (input_more_here(&s->in)) {
		while (s->in.at < s->in.end)
			take_byte(s, (unsigned char)*s->in.at++);
	}
	end_run(s);
}

static void parse(struct strings *s)
{
	static const char encodings[] = "sSblBL";
	const char *e = s->encoding ? s->encoding : "s", *hit = *e && !e[1] ? strchr(encodings, *e) : NULL, *end;
	uint64_t n = s->least ? num_u64(s->least, &end, 0, NULL) : 4;

	if (s->least && (!ascii_digit(*s->least) || *end))
		u_die(s->p, 1, 0, "invalid integer argument %s", s->least);
	if (n < 1)
		u_die(s->p, 1, 0, "invalid minimum string length %s", s->least);
	if (n > 1u << 24)
		u_die(s->p, 1, 0, "minimum string length %s is too big", s->least);
	if (!hit || (s->radix && (!s->radix[0] || s->radix[1] || !strchr("odx", s->radix[0]))))
		u_usage(s->p, "invalid argument %s", u_quote(s->p, hit ? s->radix : e));
	s->min = (size_t)n;
	s->base = s->radix ? s->radix[0] : 0;
	s->eight = *e == 'S';
	s->big = ascii_lower(*e) ? *e == 'b' : *e == 'B';
	s->width = *e == 'b' || *e == 'l' ? 2 : *e == 'B' || *e == 'L' ? 4 : 1;
}

static int strings_main(struct proc *p, const struct cmd_args *a)
{
	struct strings *s = a->opts;

	s->p = p;
	s->out = u_stdout(p);
	parse(s);
	s->run = u_alloc(p, s->min);
	if (a->argc == 0) {
		s->in = (struct input){.p = p, .is_open = true, .name = "{standard input}"};
		do_file(s);
		return s->in.status;
	}
	for (int i = 0; i < a->argc; i++) {
		int fd = sys_open(p, a->argv[i], SYS_O_READ, 0);
		int status = s->in.status;

		if (fd == -NACRE_ENOENT)
			u_warn(p, 0, "%s: No such file", u_quote(p, a->argv[i]));
		else if (fd < 0)
			u_warn(p, fd, "%s", a->argv[i]);
		s->in = (struct input){.p = p, .fd = fd, .is_open = fd >= 0, .name = a->argv[i],
				       .status = fd < 0 ? 1 : status};
		do_file(s);
	}
	return s->in.status;
}

static const struct cmd_example strings_examples[] = {
	{"printf 'ab\\0hello\\0\\377world\\n' | strings -t d", "      3 hello\n     10 world\n"},
};

static const struct cmd_missing strings_missing[] = {
	{"-d, --data", "object files are not taken apart"},
	{"-T, --target", "object files are not taken apart"},
	{"-U, --unicode", "strings are of single bytes"},
};

const struct cmd cmd_strings = {
	.name = "strings",
	.summary = "print the printable strings in each FILE",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE standard input is read.",
	.opts = strings_opts,
	.nopts = COUNTOF(strings_opts),
	.opts_size = sizeof(struct strings),
	.main = strings_main,
	.examples = strings_examples,
	.nexamples = COUNTOF(strings_examples),
	.missing = strings_missing,
	.nmissing = COUNTOF(strings_missing),
};
