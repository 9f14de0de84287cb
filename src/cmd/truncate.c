/* truncate - shrink or extend the size of a file. */
#include "cmd.h"

struct truncate {
	bool no_create, io_blocks;
	const char *reference, *size;
};

static const struct cmd_opt truncate_opts[] = {
	CMD_FLAG(struct truncate, no_create, 'c', "no-create", "do not create any files"),
	CMD_FLAG(struct truncate, io_blocks, 'o', "io-blocks", "treat SIZE as number of IO blocks instead of bytes"),
	CMD_STRING(struct truncate, reference, 'r', "reference", "RFILE", "base size on RFILE"),
	CMD_STRING(struct truncate, size, 's', "size", "SIZE", "set or adjust the file size by SIZE bytes"),
};

/* "+10K", "<5", "%512": the operator (0: set) and the number. */
static char parse(struct proc *p, const char *s, int64_t *n)
{
	const char *text = s;
	char op = 0;
	uint64_t v;
	bool minus = false;
	int e;

	s += strspn(s, " \t\n\v\f\r");
	if (*s && strchr("<>/%", *s)) {
		op = *s++;
		s += strspn(s, " \t\n\v\f\r");
	}
	if (*s == '+' || *s == '-') {
		if (op)
			u_usage(p, "multiple relative modifiers specified");
		minus = *s == '-';
		op = *s++;
	}
	e = ascii_digit(*s) ? u_parse_size(s, "EgGkKmMPtTYZ0", &v) : -NACRE_EINVAL;
	if (e == -NACRE_EOVERFLOW || (e == 0 && v > INT64_MAX))
		u_die(p, 1, -NACRE_EOVERFLOW, "Invalid number: %s", u_quote(p, text));
	if (e < 0)
		u_die(p, 1, 0, "Invalid number: %s", u_quote(p, text));
	if ((op == '/' || op == '%') && v == 0)
		u_die(p, 1, 0, "division by zero");
	*n = minus ? -(int64_t)v : (int64_t)v;
	return op;
}

/* The new size, or -1 on overflow. */
static int64_t target(char op, int64_t n, int64_t size)
{
	int64_t r = n;

	switch (op) {
	case '+':
	case '-':
		if (__builtin_add_overflow(size, n, &r))
			return -1;
		return MAX(r, 0);
	case '<': return MIN(size, n);
	case '>': return MAX(size, n);
	case '/': return size / n * n;
	case '%': return __builtin_add_overflow(size, (n - size % n) % n, &r) ? -1 : r;
	default: return n;
	}
}

static int truncate_main(struct proc *p, const struct cmd_args *a)
{
	const struct truncate *o = a->opts;
	int64_t n = 0, base = -1;
	struct sys_stat st;
	char op = '+';
	int status = 0;

	if (!o->reference && !o->size)
		u_usage(p, "you must specify either %s or %s", u_quote(p, "--size"), u_quote(p, "--reference"));
	if (o->size)
		op = parse(p, o->size, &n);
	if (o->reference && o->size && !op)
		u_usage(p, "you must specify a relative %s with %s", u_quote(p, "--size"), u_quote(p, "--reference"));
	if (o->io_blocks && !o->size)
		u_usage(p, "%s was specified but %s was not", u_quote(p, "--io-blocks"), u_quote(p, "--size"));
	if (a->argc == 0)
		u_usage(p, "missing file operand");
	if (o->reference) {
		int e = sys_stat(p, o->reference, 0, &st);

		if (e < 0)
			u_die(p, 1, e, "cannot stat %s", u_quote_file(p, o->reference));
		base = st.size;
	}
	for (int i = 0; i < a->argc; i++) {
		int fd = sys_open(p, a->argv[i], SYS_O_WRITE | (o->no_create ? 0 : SYS_O_CREATE) | SYS_O_NONBLOCK, 0666);
		int64_t by = n, to;
		int e;

		if (fd < 0) {
			if (o->no_create && fd == -NACRE_ENOENT)
				continue;
			u_warn(p, fd, "cannot open %s for writing", u_quote_file(p, a->argv[i]));
			status = 1;
			continue;
		}
		e = sys_fstat(p, fd, &st);
		if (e == 0 && o->io_blocks && __builtin_mul_overflow(by, (int64_t)st.blksize, &by))
			e = -NACRE_EOVERFLOW;
		to = e == 0 ? target(op, by, base >= 0 ? base : st.size) : 0;
		if (e == 0)
			e = to < 0 ? -NACRE_EFBIG : sys_ftruncate(p, fd, to);
		if (e < 0) {
			u_warn(p, e, "failed to truncate %s at %lld bytes", u_quote_file(p, a->argv[i]), (long long)to);
			status = 1;
		}
		sys_close(p, fd);
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"printf 123456 > f; truncate -s 3 f; cat f", "123"},
	{"truncate -s 1K f; stat -c %s f", "1024\n"},
};

const struct cmd cmd_truncate = {
	.name = "truncate",
	.summary = "Shrink or extend the size of each FILE to the specified size",
	.synopsis = "OPTION... FILE...",
	.description = "The SIZE argument is an integer and optional unit (example: 10K is 10*1024).\n"
		       "SIZE may also be prefixed by one of the following modifying characters:\n"
		       "'+' extend by, '-' reduce by, '<' at most, '>' at least,\n"
		       "'/' round down to multiple of, '%' round up to multiple of.",
	.opts = truncate_opts,
	.nopts = COUNTOF(truncate_opts),
	.opts_size = sizeof(struct truncate),
	.main = truncate_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
