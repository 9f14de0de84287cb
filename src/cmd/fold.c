/*
 * fold.c - wrap lines to a width.
 *
 * Like GNU's, it counts bytes (not characters) unless they are tabs, backspaces or carriage
 * returns, which move the column.
 */
#include "cmd.h"

struct fold {
	bool bytes, spaces;
	const char *width;
};

static const struct cmd_opt fold_opts[] = {
	CMD_FLAG(struct fold, bytes, 'b', "bytes", "count bytes rather than columns"),
	CMD_FLAG(struct fold, spaces, 's', "spaces", "break at spaces"),
	CMD_STRING(struct fold, width, 'w', "width", "WIDTH", "use WIDTH columns instead of 80"),
};

/* The old form -NUM becomes -w NUM. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	for (int i = 1; i < *argc && !streq(argv[i], "--"); i++) {
		if (argv[i][0] == '-' && ascii_digit(argv[i][1]))
			argv[i] = u_format(p, "-w%s", argv[i] + 1);
		else if (streq(argv[i], "-w") || streq(argv[i], "--width"))
			i++;
	}
	return argv;
}

static size_t advance(const struct fold *o, size_t column, char c)
{
	if (!o->bytes && c == '\b')
		return column > 0 ? column - 1 : 0;
	if (!o->bytes && c == '\r')
		return 0;
	if (!o->bytes && c == '\t')
		return column + 8 - column % 8;
	return column + 1;
}

static void fold_line(struct proc *p, const struct fold *o, struct str line, size_t width)
{
	struct u_out *out = u_stdout(p);
	size_t start = 0, column = 0;

	for (size_t i = 0; i < line.len;) {
		size_t next = advance(o, column, line.ptr[i]), cut = i;

		if (next <= width || i == start) {
			column = next;
			i++;
			continue;
		}
		sys_checkpoint(p);
		if (o->spaces) {
			while (cut > start && !ascii_blank(line.ptr[cut - 1]))
				cut--;
			if (cut == start)
				cut = i;
		}
		u_put(out, line.ptr + start, cut - start);
		u_putc(out, '\n');
		start = cut;
		column = 0;
		for (size_t k = cut; k < i; k++)
			column = advance(o, column, line.ptr[k]);
	}
	u_put(out, line.ptr + start, line.len - start);
}

static int fold_main(struct proc *p, const struct cmd_args *a)
{
	const struct fold *o = a->opts;
	uint64_t width = 80;
	char *const *file;
	int n = cmd_files(a, &file), status = 0;

	if (o->width && (!ascii_digit(o->width[0]) || u_parse_size(o->width, NULL, &width) == -NACRE_EINVAL || width == 0))
		u_die(p, 1, width == 0 ? -NACRE_ERANGE : 0, "invalid number of columns: %s", u_quote(p, o->width));
	for (int i = 0; i < n; i++) {
		int fd = u_open_operand(p, file[i]);
		struct u_lines r;
		struct str line;

		if (fd < 0) {
			status = 1;
			continue;
		}
		u_lines_init(&r, p, fd, '\n');
		while (u_lines_next(&r, &line)) {
			fold_line(p, o, line, (size_t)width);
			if (r.ended)
				u_putc(u_stdout(p), '\n');
		}
		if (r.err) {
			u_warn(p, r.err, "%s", u_quote_if_needed(p, file[i]));
			status = 1;
		}
		u_close_operand(p, fd);
	}
	return status;
}

static const struct cmd_example fold_examples[] = {
	{"echo abcdefgh | fold -w 3", "abc\ndef\ngh\n"},
	{"echo one two three | fold -s -w 8", "one two \nthree\n"},
};

const struct cmd cmd_fold = {
	.name = "fold",
	.summary = "wrap input lines in each FILE, writing to standard output",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, or when FILE is -, standard input is read.",
	.opts = fold_opts,
	.nopts = COUNTOF(fold_opts),
	.opts_size = sizeof(struct fold),
	.rewrite = rewrite,
	.main = fold_main,
	.examples = fold_examples,
	.nexamples = COUNTOF(fold_examples),
};
