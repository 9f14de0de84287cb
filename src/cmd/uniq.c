/*
 * uniq.c - print one of several equal lines in a row.
 *
 * The first line of the group at hand is looked at where it is in the input block, and copied
 * only when the block is given back.
 */
#include "cmd.h"

enum { GROUP_SEPARATE = 1, GROUP_PREPEND, GROUP_APPEND, GROUP_BOTH, GROUP_NONE };

struct uniq {
	uint64_t skip_fields, skip_chars, check_chars;
	bool count, repeated, unique, icase, zero;
	int all;		/* -D, with the way to separate groups */
	int group;		/* --group */

	struct proc *p;
	struct u_out *out;
	char delim;
	struct str first;	/* first line of the group, without delimiter */
	struct str first_key;
	uint64_t n;		/* lines in the group; 0: no line yet */
	bool printed_group;	/* under -D: a group came before */
	struct u_buf kept;	/* where first is when its block is gone */
};

/* ---- Options ---------------------------------------------------------------------------- */

static uint64_t number(struct proc *p, const char *arg, const char *what)
{
	uint64_t n;

	if (u_parse_size(arg, "", &n) == -NACRE_EINVAL)
		u_die(p, 1, 0, "%s: invalid number of %s", arg, what);
	return n;
}

static void opt_number(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct uniq *u = opts;

	if (o->shrt == 's')
		u->skip_chars = number(p, arg, "bytes to skip");
	else if (o->shrt == 'w')
		u->check_chars = number(p, arg, "bytes to compare");
	else
		u->skip_fields = number(p, arg, "fields to skip");
}

static const struct u_word all_words[] = {
	{"none", GROUP_NONE}, {"prepend", GROUP_PREPEND}, {"separate", GROUP_SEPARATE}};
static const struct u_word group_words[] = {{"prepend", GROUP_PREPEND},
					    {"append", GROUP_APPEND},
					    {"separate", GROUP_SEPARATE},
					    {"both", GROUP_BOTH}};

static void opt_all(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct uniq *u = opts;

	(void)o;
	u->all = arg ? u_word_or_die(p, "--all-repeated", arg, all_words, COUNTOF(all_words)) : GROUP_NONE;
}

static void opt_group(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct uniq *u = opts;

	(void)o;
	u->group = arg ? u_word_or_die(p, "--group", arg, group_words, COUNTOF(group_words))
		       : GROUP_SEPARATE;
}

static const struct cmd_opt uniq_opts[] = {
	CMD_FLAG(struct uniq, count, 'c', "count", "print before each line how many of it there were"),
	CMD_FLAG(struct uniq, repeated, 'd', "repeated", "print only repeated lines, one of each group"),
	CMD_CALL('D', NULL, NULL, opt_all, "print all repeated lines"),
	CMD_CALL_OPTIONAL(0, "all-repeated", "METHOD", opt_all,
			  "the same, groups separated by an empty line:\n"
			  "METHOD is none (default), prepend or separate"),
	CMD_CALL('f', "skip-fields", "N", opt_number, "do not compare the first N fields"),
	CMD_CALL_OPTIONAL(0, "group", "METHOD", opt_group,
			  "print all lines, groups separated by an empty line:\n"
			  "METHOD is separate (default), prepend, append or both"),
	CMD_FLAG(struct uniq, icase, 'i', "ignore-case", "upper and lower case are the same"),
	CMD_CALL('s', "skip-chars", "N", opt_number, "do not compare the first N characters"),
	CMD_FLAG(struct uniq, unique, 'u', "unique", "print only lines that are not repeated"),
	CMD_FLAG(struct uniq, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
	CMD_CALL('w', "check-chars", "N", opt_number, "compare at most N characters"),
	CMD_DIGITS(opt_number, "same as -f NUM"),
};

static void defaults(void *opts)
{
	((struct uniq *)opts)->check_chars = UINT64_MAX;
}

/* +N is an old form of -s N. */
static char **rewrite(struct proc *p, int *argc, char **argv)
{
	char **out = u_array(p, (size_t)*argc + 1, sizeof(*out));
	bool options = true;

	for (int i = 0; i <= *argc; i++) {
		const char *s = argv[i];

		options &= i == *argc || !streq(s, "--");
		if (i > 0 && i < *argc && options && s[0] == '+' && s[1] &&
		    !s[1 + strspn(s + 1, "0123456789")])
			out[i] = u_format(p, "-s%s", s + 1);
		else
			out[i] = argv[i];
	}
	return out;
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* The part of the line that is compared. */
static struct str key_of(const struct uniq *u, struct str line)
{
	size_t i = 0;

	for (uint64_t k = u->skip_fields; k > 0 && i < line.len; k--) {
		while (i < line.len && (ascii_blank(line.ptr[i]) || line.ptr[i] == '\n'))
			i++;
		while (i < line.len && !ascii_blank(line.ptr[i]) && line.ptr[i] != '\n')
			i++;
	}
	i += (size_t)MIN(u->skip_chars, line.len - i);
	return (struct str){line.ptr + i, (size_t)MIN(u->check_chars, line.len - i)};
}

static bool same(const struct uniq *u, struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	if (!u->icase)
		return memcmp(a.ptr, b.ptr, a.len) == 0;
	for (size_t i = 0; i < a.len; i++) {
		if (ascii_toupper((unsigned char)a.ptr[i]) != ascii_toupper((unsigned char)b.ptr[i]))
			return false;
	}
	return true;
}

static void put_line(struct uniq *u, struct str line)
{
	if (u->count) {
		char buf[24];
		size_t n = num_put_u64(buf, u->n);

		for (size_t i = n; i < 7; i++)
			u_putc(u->out, ' ');
		buf[n++] = ' ';
		u_put(u->out, buf, n);
	}
	u_put(u->out, line.ptr, line.len);
	u_putc(u->out, u->delim);
}

/* ---- Groups --------------------------------------------------------------------------------- */

static void end_group(struct uniq *u)
{
	if (u->n == 0 || u->all || u->group)
		return;
	if (u->n == 1 ? !u->repeated : !u->unique)
		put_line(u, u->first);
}

static void start_group(struct uniq *u, struct str line, struct str key)
{
	bool first = u->n == 0;

	end_group(u);
	u->first = line;
	u->first_key = key;
	u->n = 1;
	if (u->group) {
		if (u->group == GROUP_PREPEND || u->group == GROUP_BOTH || !first)
			u_putc(u->out, u->delim);
		put_line(u, line);
	}
}

static void add_to_group(struct uniq *u, struct str line, struct str key)
{
	u->n++;
	if (u->group)
		put_line(u, line);
	if (!u->all)
		return;
	if (u->n == 2) {
		if (u->all == GROUP_PREPEND || (u->all == GROUP_SEPARATE && u->printed_group))
			u_putc(u->out, u->delim);
		u->printed_group = true;
	}
	/* -u leaves out one line of each group: the last one. */
	if (u->unique || u->n == 2)
		put_line(u, u->first);
	if (u->unique) {
		u->first = line;
		u->first_key = key;
	} else {
		put_line(u, line);
	}
}

/* The block is about to go: what is remembered of it is copied. */
static void keep_first(struct uniq *u, struct str block)
{
	size_t key_at = (size_t)(u->first_key.ptr - u->first.ptr);

	if (u->n == 0 || u->first.ptr < block.ptr || u->first.ptr > block.ptr + block.len)
		return;
	u->kept.len = 0;
	u_buf_put(&u->kept, u->first.ptr, u->first.len);
	u->first.ptr = u->kept.ptr;
	u->first_key.ptr = u->kept.ptr + key_at;
}

static int read_lines(struct uniq *u, int fd)
{
	bool whole = !u->skip_fields && !u->skip_chars && u->check_chars == UINT64_MAX;
	struct u_lines r;
	struct str block;

	u_lines_init(&r, u->p, fd, u->delim);
	while (u_lines_block(&r, &block)) {
		const char *s = block.ptr, *end = s + block.len;

		while (s < end) {
			const char *nl = memchr(s, u->delim, (size_t)(end - s));
			struct str line = {s, (size_t)((nl ? nl : end) - s)}, key = line;

			if (!whole)
				key = key_of(u, line);
			if (u->n > 0 && same(u, u->first_key, key))
				add_to_group(u, line, key);
			else
				start_group(u, line, key);
			s = nl ? nl + 1 : end;
		}
		keep_first(u, block);
	}
	end_group(u);
	if (u->n > 0 && (u->group == GROUP_APPEND || u->group == GROUP_BOTH))
		u_putc(u->out, u->delim);
	return r.err;
}

static int uniq_main(struct proc *p, const struct cmd_args *a)
{
	struct uniq *u = a->opts;
	const char *in = a->argc > 0 ? a->argv[0] : "-";
	struct u_out file;
	int fd;

	u->p = p;
	u->delim = u->zero ? '\0' : '\n';
	if (a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	if (u->group && (u->count || u->repeated || u->unique || u->all))
		u_usage(p, "--group is mutually exclusive with -c/-d/-D/-u");
	if (u->all && u->count)
		u_usage(p, "printing all duplicated lines and repeat counts is meaningless");
	fd = u_open_operand(p, in);
	if (fd < 0)
		return 1;
	u->out = u_stdout(p);
	if (a->argc == 2 && !streq(a->argv[1], "-")) {
		int out = sys_open(p, a->argv[1], SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);

		if (out < 0)
			u_die(p, 1, out, "%s", a->argv[1]);
		u_out_init(&file, p, out, 0);
		u->out = &file;
	}
	u_buf_init(&u->kept, p, 0);
	if (read_lines(u, fd) < 0)
		u_die(p, 1, 0, "error reading %s", u_quote(p, in));
	if (u_flush(u->out) < 0)
		u_exit(p, 1); /* which says it */
	return 0;
}

static const struct cmd_example uniq_examples[] = {
	{"printf 'a\\na\\nb\\na\\n' | uniq", "a\nb\na\n"},
	{"printf 'a\\na\\nb\\n' | uniq -c", "      2 a\n      1 b\n"},
	{"printf 'a\\na\\nb\\n' | uniq -u", "b\n"},
};

const struct cmd cmd_uniq = {
	.name = "uniq",
	.summary = "print one of several equal lines that follow each other",
	.synopsis = "[OPTION]... [INPUT [OUTPUT]]",
	.description =
		"Equal lines are found only where they are adjacent; sort the input first, or use\n"
		"sort -u. A field is a run of blanks and then other characters. Fields are skipped\n"
		"before characters.",
	.opts = uniq_opts,
	.nopts = COUNTOF(uniq_opts),
	.opts_size = sizeof(struct uniq),
	.defaults = defaults,
	.rewrite = rewrite,
	.main = uniq_main,
	.examples = uniq_examples,
	.nexamples = COUNTOF(uniq_examples),
};
