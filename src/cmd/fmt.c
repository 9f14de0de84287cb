/*
 * fmt.c - fill paragraphs: the options, and how paragraphs are read.
 *
 * A paragraph is a run of lines with the same prefix and, after the first, the same indentation.
 */
#include "fmt/fmt.h"

static void opt_digits(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)o;
	u_usage(p, "invalid option -- %c; -WIDTH is recognized only when it is the first\noption; use -w N instead", *arg);
}

static const struct cmd_opt fmt_opts[] = {
	CMD_FLAG(struct fmt, crown, 'c', "crown-margin", "keep the indentation of the first two lines"),
	CMD_STRING(struct fmt, prefix_arg, 'p', "prefix", "STRING", "fill only lines that begin with STRING"),
	CMD_FLAG(struct fmt, split, 's', "split-only", "split long lines, do not join short ones"),
	CMD_FLAG(struct fmt, tagged, 't', "tagged-paragraph", "the first line is indented otherwise than the second"),
	CMD_FLAG(struct fmt, uniform, 'u', "uniform-spacing", "one space between words, two after sentences"),
	CMD_STRING(struct fmt, width_arg, 'w', "width", "WIDTH", "lines of at most WIDTH columns (75)"),
	CMD_STRING(struct fmt, goal_arg, 'g', "goal", "WIDTH", "lines of about WIDTH columns (93% of the width)"),
	CMD_DIGITS(opt_digits, "as the first argument: same as -w NUM"),
};

/* -WIDTH as the first argument becomes -w WIDTH. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	if (*argc > 1 && argv[1][0] == '-' && ascii_digit(argv[1][1]))
		argv[1] = u_format(p, "-w%s", argv[1] + 1);
	return argv;
}

/* ---- Lines into words ----------------------------------------------------------------------------------------- */

/* Skips blanks from c on; the character after them. */
static int skip_blanks(struct fmt *f, int c)
{
	for (;; c = input_byte(&f->in)) {
		if (c == ' ') {
			f->column++;
		} else if (c == '\t') {
			f->tabs = true;
			f->column = (f->column / 8 + 1) * 8;
		} else {
			return c;
		}
		if (f->column > INT32_MAX / 4)
			u_die(f->p, 1, 0, "line too long");
	}
}

/* Goes over the prefix of a line and the blanks after it. */
static int read_prefix(struct fmt *f)
{
	int c;

	f->column = 0;
	c = skip_blanks(f, input_byte(&f->in));
	if (f->prefix_len == 0) {
		f->next_indent = MIN(f->prefix_lead, f->column);
		return c;
	}
	f->next_indent = f->column;
	for (int i = 0; i < f->prefix_len; i++) {
		if (c != (unsigned char)f->prefix[i])
			return c;
		f->column++;
		c = input_byte(&f->in);
	}
	return skip_blanks(f, c);
}

/* Whether the line that comes belongs to the paragraph in hand, as far as its start tells. */
static bool goes_on(const struct fmt *f, int c)
{
	return f->next_indent == f->prefix_indent && f->column >= f->next_indent + f->prefix_full && c != '\n' && c >= 0;
}

static void set_other_indent(struct fmt *f, bool more)
{
	if (f->split || !(f->crown || f->tagged))
		f->other_indent = f->first_indent;
	else if (f->crown)
		f->other_indent = more ? f->column : f->first_indent;
	else if (more && f->column != f->first_indent)
		f->other_indent = f->column;
	else if (f->other_indent == f->first_indent)
		f->other_indent = f->first_indent == 0 ? 3 : 0;
}

/* Makes room: writes what is there, but for the part after a good place to stop. */
static void flush(struct fmt *f)
{
	int end;
	ptrdiff_t shift;

	set_other_indent(f, true);
	if (f->n == 0) {	/* all one word */
		u_put(f->out, f->text, (size_t)f->nbytes);
		f->nbytes = 0;
		return;
	}
	fmt_break(f);
	end = fmt_good_end(f);
	fmt_write(f, end);
	shift = f->word[end].text - f->text;
	memmove(f->text, f->word[end].text, (size_t)(f->nbytes - shift));
	f->nbytes -= (int)shift;
	for (int i = end; i <= f->n; i++) {
		f->word[i - end] = f->word[i];
		f->word[i - end].text -= shift;
	}
	f->n -= end;
}

static void look_at_ends(struct fmt_word *w)
{
	const char *last = w->text + w->len - 1;

	w->paren = *w->text && strchr("(['`\"", *w->text);
	w->punct = ascii_punct((unsigned char)*last);
	while (last > w->text && *last && strchr(")]'\"", *last))
		last--;
	w->period = *last && strchr(".?!", *last);
}

/* Reads a line, of which c is the first character, into words; what the next one starts with. */
static int read_line(struct fmt *f, int c)
{
	do {
		struct fmt_word *w = &f->word[f->n];
		int start;

		w->text = f->text + f->nbytes;
		do {
			if (f->nbytes == FMT_BYTES) {
				flush(f);
				w = &f->word[f->n];
				if (f->n == 0 && f->nbytes == 0)
					w->text = f->text;
			}
			f->text[f->nbytes++] = (char)c;
			c = input_byte(&f->in);
		} while (c >= 0 && !ascii_space(c));
		w->len = (int)(f->text + f->nbytes - w->text);
		f->column += w->len;
		look_at_ends(w);
		start = f->column;
		c = skip_blanks(f, c);
		w->space = f->column - start;
		w->final = c < 0 || (w->period && (c == '\n' || w->space > 1));
		if (c == '\n' || c < 0 || f->uniform)
			w->space = w->final ? 2 : 1;
		if (f->n == FMT_WORDS - 2)
			flush(f);
		f->n++;
		sys_checkpoint(f->p);
	} while (c != '\n' && c >= 0);
	return read_prefix(f);
}

/* ---- Paragraphs ------------------------------------------------------------------------------------------------- */

/* A line that is not to be filled, from c on; the character that ends it. */
static int copy_line(struct fmt *f, int c)
{
	f->out_column = 0;
	if (f->column > f->next_indent || (c != '\n' && c >= 0)) {
		fmt_blanks(f, f->next_indent);
		for (int i = 0; f->out_column != f->column && i < f->prefix_len; i++) {
			u_putc(f->out, f->prefix[i]);
			f->out_column++;
		}
		if (c != '\n' && c >= 0)
			fmt_blanks(f, f->column - f->out_column);
		if (c < 0 && f->column >= f->next_indent + f->prefix_len)
			u_putc(f->out, '\n');
	}
	for (; c != '\n' && c >= 0; c = input_byte(&f->in))
		u_putc(f->out, (char)c);
	return c;
}

static bool read_paragraph(struct fmt *f)
{
	int c = f->next_char;

	f->last_len = 0;
	while (c == '\n' || c < 0 || f->next_indent < f->prefix_lead || f->column < f->next_indent + f->prefix_full) {
		c = copy_line(f, c);
		if (c < 0) {
			f->next_char = c;
			return false;
		}
		u_putc(f->out, '\n');
		c = read_prefix(f);
	}
	f->prefix_indent = f->next_indent;
	f->first_indent = f->column;
	f->n = f->nbytes = 0;
	c = read_line(f, c);
	set_other_indent(f, goes_on(f, c));
	if (!f->split && !(f->tagged && !f->crown && f->column == f->first_indent)) {
		bool first = f->crown || f->tagged;

		for (; goes_on(f, c) && (first || f->column == f->other_indent); first = false)
			c = read_line(f, c);
	}
	f->word[f->n - 1].period = f->word[f->n - 1].final = true;
	f->next_char = c;
	return true;
}

static int parse_width(struct fmt *f, const char *arg, int most)
{
	uint64_t n = 0;
	int e = ascii_digit(*arg) ? u_parse_size(arg, "", &n) : -NACRE_EINVAL;

	if (e < 0 || n > (uint64_t)most)
		u_die(f->p, 1, e == -NACRE_EOVERFLOW ? -NACRE_EOVERFLOW : e ? 0 : -NACRE_ERANGE, "invalid width: %s",
		      u_quote(f->p, arg));
	return (int)n;
}

static void prepare(struct fmt *f)
{
	const char *s = f->prefix_arg ? f->prefix_arg : "";

	f->width = f->width_arg ? parse_width(f, f->width_arg, FMT_BYTES / 2) : 75;
	f->goal = f->width * 187 / 200;
	if (f->goal_arg) {
		f->goal = parse_width(f, f->goal_arg, f->width);
		if (!f->width_arg)
			f->width = f->goal + 10;
	}
	f->prefix_lead = (int)strspn(s, " ");
	f->prefix = s + f->prefix_lead;
	f->prefix_full = f->prefix_len = (int)MIN(strlen(f->prefix), (size_t)INT32_MAX / 4);
	while (f->prefix_len > 0 && f->prefix[f->prefix_len - 1] == ' ')
		f->prefix_len--;
}

static int fmt_main(struct proc *p, const struct cmd_args *a)
{
	struct fmt *f = a->opts;
	char *const *file;
	int n = cmd_files(a, &file), status = 0;

	f->p = p;
	f->out = u_stdout(p);
	prepare(f);
	for (int i = 0; i < n; i++) {
		int fd = streq(file[i], "-") ? 0 : sys_open(p, file[i], SYS_O_READ, 0);

		if (fd < 0) {
			u_warn(p, fd, "cannot open %s for reading", u_quote(p, file[i]));
			status = 1;
			continue;
		}
		f->in = (struct input){.p = p, .fd = fd, .is_open = true, .complaint = "read error"};
		f->tabs = false;
		f->other_indent = 0;
		f->next_char = read_prefix(f);
		while (read_paragraph(f)) {
			fmt_break(f);
			fmt_write(f, f->n);
		}
		status |= f->in.status;
	}
	return status;
}

static const struct cmd_example fmt_examples[] = {
	{"printf 'one two three\\nfour five six\\n' | fmt -w 12", "one two\nthree four\nfive six\n"},
};

const struct cmd cmd_fmt = {
	.name = "fmt",
	.summary = "fill and join the lines of paragraphs to a width",
	.synopsis = "[-WIDTH] [OPTION]... [FILE]...",
	.description = "Without FILE, or where FILE is -, standard input is read. -WIDTH, as the first argument, is the\n"
		       "same as -w WIDTH.",
	.opts = fmt_opts,
	.nopts = COUNTOF(fmt_opts),
	.opts_size = sizeof(struct fmt),
	.rewrite = rewrite,
	.main = fmt_main,
	.examples = fmt_examples,
	.nexamples = COUNTOF(fmt_examples),
};
