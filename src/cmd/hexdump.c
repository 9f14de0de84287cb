/*
 * hexdump.c - print bytes by format strings: the options, and the blocks of the input.
 *
 * All operands are one stream. A block that equals the one before it is not printed: a * stands for all of
 * its kind.
 */
#include "hexdump/hexdump.h"
#include "input.h"

/* ---- Options ----------------------------------------------------------------------------------- */

static void add_format(struct proc *p, struct hexdump *h, const char *text)
{
	h->p = p;
	hex_add_format(h, text);
}

static void opt_letter(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const struct {
		char letter;
		const char *format;
	} forms[] = {
		{'b', "\"%07.7_ax \" 16/1 \"%03o \" \"\\n\""},
		{'c', "\"%07.7_ax \" 16/1 \"%3_c \" \"\\n\""},
		{'d', "\"%07.7_ax \" 8/2 \"  %05u \" \"\\n\""},
		{'o', "\"%07.7_ax \" 8/2 \" %06o \" \"\\n\""},
		{'x', "\"%07.7_ax \" 8/2 \"   %04x \" \"\\n\""},
	};

	(void)arg;
	if (o->shrt == 'C') {
		add_format(p, opts, "\"%08.8_Ax\n\"");
		add_format(p, opts, "\"%08.8_ax  \" 8/1 \"%02x \" \"  \" 8/1 \"%02x \" ");
		add_format(p, opts, "\"  |\" 16/1 \"%_p\" \"|\\n\"");
		return;
	}
	add_format(p, opts, "\"%07.7_Ax\n\"");
	for (size_t i = 0; i < COUNTOF(forms); i++) {
		if (forms[i].letter == o->shrt)
			add_format(p, opts, forms[i].format);
	}
}

static void opt_format(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)o;
	add_format(p, opts, arg);
}

static void opt_file(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	int fd = sys_open(p, arg, SYS_O_READ, 0);
	struct u_lines r;
	struct str line;

	(void)o;
	if (fd < 0)
		u_die(p, 1, fd, "can't read %s", arg);
	u_lines_init(&r, p, fd, '\n');
	while (u_lines_next(&r, &line)) {
		while (line.len > 0 && ascii_space(line.ptr[0])) {
			line.ptr++;
			line.len--;
		}
		if (line.len > 0 && line.ptr[0] != '#')
			add_format(p, opts, u_strndup(p, line.ptr, line.len));
	}
	sys_close(p, fd);
}

static const struct cmd_opt hexdump_opts[] = {
	CMD_CALL('b', "one-byte-octal", NULL, opt_letter, "one byte at a time, octal"),
	CMD_CALL('c', "one-byte-char", NULL, opt_letter, "one byte at a time, as characters"),
	CMD_CALL('C', "canonical", NULL, opt_letter, "hexadecimal and characters side by side"),
	CMD_CALL('d', "two-bytes-decimal", NULL, opt_letter, "two bytes at a time, decimal"),
	CMD_CALL('o', "two-bytes-octal", NULL, opt_letter, "two bytes at a time, octal"),
	CMD_CALL('x', "two-bytes-hex", NULL, opt_letter, "two bytes at a time, hexadecimal"),
	CMD_CALL('e', "format", "FORMAT", opt_format, "print by FORMAT"),
	CMD_CALL('f', "format-file", "FILE", opt_file, "print by the formats in FILE, one a line"),
	CMD_STRING(struct hexdump, length_arg, 'n', "length", "LENGTH", "use only LENGTH bytes of the input"),
	CMD_STRING(struct hexdump, skip_arg, 's', "skip", "OFFSET", "skip OFFSET bytes of the input first"),
	CMD_FLAG(struct hexdump, verbose, 'v', "no-squeezing", "print repeated blocks instead of *"),
};

/* A size as util-linux takes it: 0x1F, 017, 12, with K, KiB (1024), KB (1000) and so on. */
static uint64_t size_arg(struct proc *p, const char *s, const char *what)
{
	const char *end;
	bool over = false;
	uint64_t n = ascii_digit(*s) ? num_u64(s, &end, 0, &over) : 0, out = 0;

	if (!ascii_digit(*s))
		u_die(p, 1, -NACRE_EINVAL, "failed to parse %s: %s", what, u_quote(p, s));
	if (over || u_parse_size(u_format(p, "%llu%s", (unsigned long long)n, end), "KMGTPEZY0", &out) < 0)
		u_die(p, 1, over ? -NACRE_ERANGE : -NACRE_EINVAL, "failed to parse %s: %s", what, u_quote(p, s));
	return out;
}

/* ---- Blocks --------------------------------------------------------------------------------------- */

static void skip(struct hexdump *h, struct input *in, uint64_t n)
{
	while (n > 0 && (in->at < in->end || input_more(in))) {
		uint64_t k = MIN((uint64_t)(in->end - in->at), n);

		in->at += k;
		n -= k;
		h->address += k;
		if (in->at == in->end) {
			k = u_seek_on(h->p, in->fd, n);
			n -= k;
			h->address += k;
		}
	}
}

static void dump(struct hexdump *h, struct input *in, uint64_t left)
{
	char *now = u_zalloc(h->p, h->block + 1), *last = u_zalloc(h->p, h->block + 1);
	bool first = true, starred = false;

	for (;;) {
		size_t want = (size_t)MIN((uint64_t)h->block, left), got = input_read(in, now, want);
		char *t = now;

		left -= got;
		if (got == 0)
			return;
		if (!h->verbose && !first && got == h->block && memcmp(now, last, got) == 0) {
			if (!starred)
				u_puts(h->out, "*\n");
			starred = true;
		} else {
			starred = false;
			if (got < h->block) {
				memset(now + got, 0, h->block - got);
				h->ended = true;
				h->end_address = h->address + got;
			}
			hex_print_block(h, now);
		}
		first = false;
		h->address += h->block;
		now = last;
		last = t;
		if (h->ended)
			return;
	}
}

static int hexdump_main(struct proc *p, const struct cmd_args *a)
{
	static char *const standard_input[] = {(char *)"-", NULL};
	struct hexdump *h = a->opts;
	uint64_t left, n;
	struct input in;

	h->p = p;
	h->out = u_stdout(p);
	left = h->length_arg ? size_arg(p, h->length_arg, "length") : UINT64_MAX;
	n = h->skip_arg ? size_arg(p, h->skip_arg, "offset") : 0;
	if (!h->first) {
		add_format(p, h, "\"%07.7_Ax\n\"");
		add_format(p, h, "\"%07.7_ax \" 8/2 \"%04x \" \"\\n\"");
	}
	hex_finish_formats(h);
	input_init_files(&in, p, a->argc ? a->argv : standard_input, MAX(a->argc, 1));
	in.dash_is_file = a->argc > 0;
	if (h->block == 0)
		return 0;
	skip(h, &in, n);
	dump(h, &in, left);
	if (in.opened == 0 && left > 0)
		u_die(p, 1, 0, "all input file arguments failed");
	hex_print_end(h);
	return in.status;
}

static const struct cmd_example hexdump_examples[] = {
	{"printf 'hello, world\\n' | hexdump -C",
	 "00000000  68 65 6c 6c 6f 2c 20 77  6f 72 6c 64 0a           |hello, world.|\n0000000d\n"},
	{"printf abcd | hexdump -ve '1/1 \"%02x\"'", "61626364"},
};

static const struct cmd_missing hexdump_missing[] = {
	{"-L, --color", "nothing is coloured; %_L is not known"},
};

const struct cmd cmd_hexdump = {
	.name = "hexdump",
	.summary = "print bytes in hexadecimal, decimal, octal or as characters",
	.synopsis = "[OPTION]... [FILE]...",
	.description =
		"Without FILE standard input is read. FORMAT is a list of COUNT/SIZE \"TEXT\": TEXT is printed\n"
		"COUNT times, each for SIZE bytes, with conversions as of printf and %_a[dox] (the offset),\n"
		"%_A[dox] (the offset at the end), %_c %_p %_u (characters).",
	.opts = hexdump_opts,
	.nopts = COUNTOF(hexdump_opts),
	.opts_size = sizeof(struct hexdump),
	.main = hexdump_main,
	.examples = hexdump_examples,
	.nexamples = COUNTOF(hexdump_examples),
	.missing = hexdump_missing,
	.nmissing = COUNTOF(hexdump_missing),
};

static char **as_canonical(struct proc *p, int *argc, char **argv)
{
	char **out = u_array(p, (size_t)*argc + 2, sizeof(*out));

	out[0] = argv[0];
	out[1] = u_strdup(p, "-C");
	for (int i = 1; i <= *argc; i++)
		out[i + 1] = argv[i];
	++*argc;
	return out;
}

const struct cmd cmd_hd = {
	.name = "hd",
	.summary = "print bytes in hexadecimal and as characters, as hexdump -C",
	.synopsis = "[OPTION]... [FILE]...",
	.opts = hexdump_opts,
	.nopts = COUNTOF(hexdump_opts),
	.opts_size = sizeof(struct hexdump),
	.rewrite = as_canonical,
	.main = hexdump_main,
	.missing = hexdump_missing,
	.nmissing = COUNTOF(hexdump_missing),
};
