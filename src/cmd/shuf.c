/*
 * shuf.c - random permutations: of lines, of arguments, of numbers.
 *
 * A permutation of a large range of which few are wanted is not made as a whole: only the
 * places that were swapped are remembered, in a table.
 */
#include "cmd.h"

struct shuf {
	bool echo, zero, repeat;
	const char *range, *count, *output, *source;
};

static const struct cmd_opt shuf_opts[] = {
	CMD_FLAG(struct shuf, echo, 'e', "echo", "treat each ARG as an input line"),
	CMD_STRING(struct shuf, range, 'i', "input-range", "LO-HI", "treat each number LO through HI as an input line"),
	CMD_STRING(struct shuf, count, 'n', "head-count", "COUNT", "output at most COUNT lines"),
	CMD_STRING(struct shuf, output, 'o', "output", "FILE", "write result to FILE instead of standard output"),
	CMD_STRING(struct shuf, source, 0, "random-source", "FILE", "get random bytes from FILE"),
	CMD_FLAG(struct shuf, repeat, 'r', "repeat", "output lines can be repeated"),
	CMD_FLAG(struct shuf, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
};

/* Random numbers as GNU makes them of bytes, so that the same --random-source gives the same order. */
struct chance {
	struct proc *p;
	int fd;			/* -1: the system's */
	const char *name;
	unsigned char buf[256];
	size_t at, n;
	uint64_t left, max;	/* a number in [0, max] not used up yet */
};

static unsigned char next_byte(struct chance *c)
{
	if (c->at == c->n) {
		int64_t got = sizeof(c->buf);

		if (c->fd < 0)
			sys_random(c->p, c->buf, sizeof(c->buf));
		else
			got = sys_read(c->p, c->fd, c->buf, sizeof(c->buf));
		if (got < 0)
			u_die(c->p, 1, (int)got, "%s: read error", u_quote_file(c->p, c->name));
		if (got == 0)
			u_die(c->p, 1, 0, "%s: end of file", u_quote_file(c->p, c->name));
		c->at = 0;
		c->n = (size_t)got;
	}
	return c->buf[c->at++];
}

/* A number in [0, top], each as likely as another. */
static uint64_t choose(struct chance *c, uint64_t top)
{
	uint64_t number = c->left, max = c->max, choices = top + 1;

	for (;;) {
		uint64_t excess, used, last;

		while (max < top) {
			number = number << 8 | next_byte(c);
			max = max << 8 | 0xff;
		}
		if (max == top) {
			c->left = c->max = 0;
			return number;
		}
		excess = max - top;
		used = excess % choices;
		last = max - used;
		if (number <= last) {
			c->left = number / choices;
			c->max = excess / choices;
			return number % choices;
		}
		number -= last + 1;
		max = used - 1;
	}
}

struct lines {
	struct str *v;
	uint64_t n;
	bool numbers;
	uint64_t lo;
};

/* ---- A permutation, sparse ------------------------------------------------------------------ */

struct swapped {
	struct {
		uint64_t key, value; /* key + 1; 0: free */
	} *v;
	size_t n, cap;
};

static size_t find(const struct swapped *t, uint64_t key)
{
	size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (t->cap - 1);

	while (t->v[i].key && t->v[i].key != key + 1)
		i = (i + 1) & (t->cap - 1);
	return i;
}

static uint64_t get(const struct swapped *t, uint64_t key)
{
	size_t i = find(t, key);

	return t->v[i].key ? t->v[i].value : key;
}

static void set(struct proc *p, struct swapped *t, uint64_t key, uint64_t value)
{
	size_t i;

	if ((t->n + 1) * 4 > t->cap * 3) {
		struct swapped big = {.cap = t->cap * 2};

		big.v = u_zalloc(p, size_mul(big.cap, sizeof(*big.v)));
		for (i = 0; i < t->cap; i++) {
			if (t->v[i].key)
				big.v[find(&big, t->v[i].key - 1)] = t->v[i];
		}
		big.n = t->n;
		*t = big;
	}
	i = find(t, key);
	t->n += t->v[i].key == 0;
	t->v[i].key = key + 1;
	t->v[i].value = value;
}

/* ---- Output ---------------------------------------------------------------------------------- */

static void put_line(struct u_out *out, const struct lines *l, uint64_t i, char end)
{
	if (l->numbers)
		u_printf(out, "%llu", (unsigned long long)(l->lo + i));
	else
		u_put(out, l->v[i].ptr, l->v[i].len);
	u_putc(out, end);
}

static void shuffle(struct chance *c, struct u_out *out, const struct lines *l, uint64_t count, char end)
{
	struct swapped t = {.cap = 64};

	t.v = u_zalloc(c->p, t.cap * sizeof(*t.v));
	for (uint64_t i = 0; i < count; i++) {
		uint64_t j = i + choose(c, l->n - 1 - i), x = get(&t, i), y = get(&t, j);

		sys_checkpoint(c->p);
		set(c->p, &t, j, x);
		put_line(out, l, y, end);
	}
}

static struct lines read_lines(struct proc *p, const char *path, char delim)
{
	struct lines l = {0};
	int fd = u_open_operand(p, path), e;
	struct str all;
	size_t count;

	if (fd < 0)
		u_exit(p, 1);
	e = u_read_all(p, fd, SIZE_MAX / 4, &all);
	if (e < 0)
		u_die(p, 1, e, "read error");
	count = scan_count(all.ptr, all.len, delim) + 1;
	l.v = u_array(p, count, sizeof(*l.v));
	for (size_t at = 0; at < all.len;) {
		const char *end = memchr(all.ptr + at, delim, all.len - at);
		size_t n = end ? (size_t)(end - all.ptr) - at : all.len - at;

		l.v[l.n++] = (struct str){all.ptr + at, n};
		at += n + 1;
	}
	return l;
}

static struct lines parse_range(struct proc *p, const char *s)
{
	const char *end, *stop;
	bool overflow = false;
	uint64_t lo, hi = 0;

	lo = num_u64(s, &end, 10, &overflow);
	stop = end;
	if (ascii_digit(*s) && *end == '-' && ascii_digit(end[1]))
		hi = num_u64(end + 1, &stop, 10, &overflow);
	if (!ascii_digit(*s) || *end != '-' || stop == end || *stop || overflow)
		u_die(p, 1, overflow ? -NACRE_EOVERFLOW : 0, "invalid input range: %s",
		      u_quote(p, strchr(s, '-') && *end != '-' ? u_strndup(p, s, strcspn(s, "-")) : *end != '-' ? s : end + 1));
	if (lo > hi + 1 || (hi == UINT64_MAX && lo == 0))
		u_die(p, 1, 0, "invalid input range: %s", u_quote(p, s));
	return (struct lines){.numbers = true, .lo = lo, .n = hi - lo + 1};
}

static int shuf_main(struct proc *p, const struct cmd_args *a)
{
	const struct shuf *o = a->opts;
	struct lines l;
	uint64_t count = UINT64_MAX;
	char end = o->zero ? '\0' : '\n';
	struct u_out file, *out = u_stdout(p);
	struct chance *c = u_zalloc(p, sizeof(*c));

	if (o->count && (!ascii_digit(o->count[0]) || u_parse_size(o->count, NULL, &count) == -NACRE_EINVAL))
		u_die(p, 1, 0, "invalid line count: %s", u_quote(p, o->count));
	if (o->echo && o->range) {
		u_warn(p, 0, "cannot combine -e and -i options");
		u_try_help(p);
	}
	if (a->argc > (o->range ? 0 : 1) && !o->echo)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[o->range ? 0 : 1]));
	c->p = p;
	c->fd = -1;
	c->name = o->source;
	if (o->source) {
		c->fd = sys_open(p, o->source, SYS_O_READ, 0);
		if (c->fd < 0)
			u_die(p, 1, c->fd, "%s", o->source);
	}
	if (o->range) {
		l = parse_range(p, o->range);
	} else if (o->echo) {
		l = (struct lines){.n = (uint64_t)a->argc};
		l.v = u_array(p, (size_t)a->argc + 1, sizeof(*l.v));
		for (int i = 0; i < a->argc; i++)
			l.v[i] = str_from(a->argv[i]);
	} else {
		l = read_lines(p, a->argc ? a->argv[0] : "-", end);
	}
	if (o->output) {
		int fd = sys_open(p, o->output, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);

		if (fd < 0)
			u_die(p, 1, fd, "%s", o->output);
		u_out_init(&file, p, fd, 0);
		out = &file;
	}
	if (o->repeat) {
		if (l.n == 0 && count > 0)
			u_die(p, 1, 0, "no lines to repeat");
		for (uint64_t i = 0; i < count && !out->err; i++) {
			put_line(out, &l, choose(c, l.n - 1), end);
			sys_checkpoint(p);
		}
	} else {
		shuffle(c, out, &l, MIN(count, l.n), end);
	}
	if (o->output && u_flush(out) < 0)
		u_die(p, 1, out->err, "write error");
	return 0;
}

static const struct cmd_example shuf_examples[] = {
	{"shuf -i 1-10 | sort -n | tail -n 1", "10\n"},
	{"shuf -e x", "x\n"},
};

const struct cmd cmd_shuf = {
	.name = "shuf",
	.summary = "generate random permutations",
	.synopsis = "[OPTION]... [FILE]\n-e [OPTION]... [ARG]...\n-i LO-HI [OPTION]...",
	.description = "Without FILE, or when FILE is -, standard input is read.",
	.opts = shuf_opts,
	.nopts = COUNTOF(shuf_opts),
	.opts_size = sizeof(struct shuf),
	.main = shuf_main,
	.examples = shuf_examples,
	.nexamples = COUNTOF(shuf_examples),
};
