/*
 * comm.c - compare two sorted files line by line, in three columns.
 *
 * Both files are read in step. Whether they are sorted is checked as soon as one of them has
 * a line the other lacks, as long as nothing asked for silence.
 */
#include "cmd.h"

enum order_check { CHECK_DEFAULT, CHECK_ON, CHECK_OFF };

struct comm {
	bool no[3];
	bool total, zero;
	int check;
	struct cmd_list delimiter;
};

static const struct cmd_opt comm_opts[] = {
	CMD_FLAG(struct comm, no[0], '1', NULL, "leave out lines only in FILE1"),
	CMD_FLAG(struct comm, no[1], '2', NULL, "leave out lines only in FILE2"),
	CMD_FLAG(struct comm, no[2], '3', NULL, "leave out lines in both files"),
	CMD_CHOICE(struct comm, check, 0, "check-order", CHECK_ON, "check that the files are sorted"),
	CMD_CHOICE(struct comm, check, 0, "nocheck-order", CHECK_OFF, "do not check it"),
	CMD_LIST(struct comm, delimiter, 0, "output-delimiter", "STR", "put STR between columns"),
	CMD_FLAG(struct comm, total, 0, "total", "print a summary at the end"),
	CMD_FLAG(struct comm, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
};

struct comm_file {
	struct u_lines lines;
	const char *name;
	struct u_buf kept[2];	/* this line and the one before, in turn */
	int now;
	bool more, has_last, warned;
};

struct comm_run {
	struct proc *p;
	const struct comm *o;
	struct comm_file f[2];
	struct str delimiter;
	bool seen_unpairable, failed;
	uint64_t total[3];
};

static int compare(const struct u_buf *a, const struct u_buf *b)
{
	size_t n = MIN(a->len, b->len);
	int d = n ? memcmp(a->ptr, b->ptr, n) : 0;

	return d ? d : a->len < b->len ? -1 : a->len > b->len;
}

static void check(struct comm_run *r, int i)
{
	struct comm_file *f = &r->f[i];

	if (r->o->check == CHECK_OFF || f->warned || !f->has_last)
		return;
	if (r->o->check == CHECK_DEFAULT && !r->seen_unpairable)
		return;
	if (compare(&f->kept[1 - f->now], &f->kept[f->now]) <= 0)
		return;
	f->warned = r->failed = true;
	u_warn(r->p, 0, "file %d is not in sorted order", i + 1);
	if (r->o->check == CHECK_ON)
		u_exit(r->p, 1);
}

static void next(struct comm_run *r, int i)
{
	struct comm_file *f = &r->f[i];
	bool had = f->more;
	struct str line;

	if (!u_lines_next(&f->lines, &line)) {
		if (f->lines.err)
			u_die(r->p, 1, f->lines.err, "%s", u_quote_if_needed(r->p, f->name));
		/* The last pair is looked at when the file ends: only then may the other have shown a
		 * line of its own. */
		if (had)
			check(r, i);
		f->more = false;
		return;
	}
	f->has_last = had;
	f->now = 1 - f->now;
	f->kept[f->now].len = 0;
	u_buf_put(&f->kept[f->now], line.ptr, line.len);
	f->more = true;
	check(r, i);
}

static void print(struct comm_run *r, const struct u_buf *line, int column)
{
	struct u_out *out = u_stdout(r->p);

	r->total[column]++;
	if (r->o->no[column])
		return;
	for (int i = 0; i < column; i++) {
		if (!r->o->no[i])
			u_put(out, r->delimiter.ptr, r->delimiter.len);
	}
	u_put(out, line->ptr, line->len);
	u_putc(out, r->o->zero ? '\0' : '\n');
}

static void print_total(struct comm_run *r)
{
	struct u_out *out = u_stdout(r->p);

	for (int i = 0; i < 3; i++) {
		u_printf(out, "%llu", (unsigned long long)r->total[i]);
		u_put(out, r->delimiter.ptr, r->delimiter.len);
	}
	u_printf(out, "total%c", r->o->zero ? '\0' : '\n');
}

static int comm_main(struct proc *p, const struct cmd_args *a)
{
	const struct comm *o = a->opts;
	struct comm_run *r = u_zalloc(p, sizeof(*r));

	for (size_t i = 1; i < o->delimiter.n; i++) {
		if (!streq(o->delimiter.v[0], o->delimiter.v[i]))
			u_die(p, 1, 0, "multiple output delimiters specified");
	}
	if (a->argc == 0)
		u_usage(p, "missing operand");
	if (a->argc == 1)
		u_usage(p, "missing operand after %s", u_quote(p, a->argv[0]));
	if (a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	r->p = p;
	r->o = o;
	r->delimiter = STR("\t");
	if (o->delimiter.n > 0) {
		const char *s = o->delimiter.v[0];

		r->delimiter = *s ? str_from(s) : (struct str){"", 1};
	}
	for (int i = 0; i < 2; i++) {
		struct comm_file *f = &r->f[i];
		int fd = u_open_operand(p, a->argv[i]);

		if (fd < 0)
			return 1;
		f->name = a->argv[i];
		u_lines_init(&f->lines, p, fd, o->zero ? '\0' : '\n');
		u_buf_init(&f->kept[0], p, 0);
		u_buf_init(&f->kept[1], p, 0);
		next(r, i);
	}
	while (r->f[0].more || r->f[1].more) {
		const struct u_buf *x = &r->f[0].kept[r->f[0].now], *y = &r->f[1].kept[r->f[1].now];
		int d = !r->f[0].more ? 1 : !r->f[1].more ? -1 : compare(x, y);

		sys_checkpoint(p);
		if (d != 0)
			r->seen_unpairable = true;
		print(r, d <= 0 ? x : y, d == 0 ? 2 : d > 0);
		if (d <= 0)
			next(r, 0);
		if (d >= 0)
			next(r, 1);
	}
	if (o->total)
		print_total(r);
	if (r->failed)
		u_die(p, 1, 0, "input is not in sorted order");
	return 0;
}

static const struct cmd_example comm_examples[] = {
	{"printf '%s\\n' a b > x; printf '%s\\n' b c > y; comm x y", "a\n\t\tb\n\tc\n"},
	{"printf '%s\\n' a b > x; printf '%s\\n' b c > y; comm -12 x y", "b\n"},
};

const struct cmd cmd_comm = {
	.name = "comm",
	.summary = "compare two sorted files line by line",
	.synopsis = "[OPTION]... FILE1 FILE2",
	.description =
		"Prints three columns: lines only in FILE1, lines only in FILE2, lines in both.\n"
		"One of the files may be -: standard input. Lines compare byte by byte.",
	.opts = comm_opts,
	.nopts = COUNTOF(comm_opts),
	.opts_size = sizeof(struct comm),
	.main = comm_main,
	.examples = comm_examples,
	.nexamples = COUNTOF(comm_examples),
};
