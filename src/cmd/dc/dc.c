/* dc - an arbitrary precision calculator in reverse Polish notation, with bc's numbers. */
#include "../bc/feed.h"
#include "dc.h"

#define INPUT_MAX ((size_t)64 << 20)
#define NEST_MAX 10000

struct dc_opts {
	struct cmd_list scripts;
	bool any;
};

static void add_script(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg);

static const struct cmd_opt dc_flags[] = {
	CMD_CALL('e', "expression", "EXPR", add_script, "evaluate expression"),
	CMD_CALL('f', "file", "FILE", add_script, "evaluate contents of file"),
};

/* ---- Running a text ------------------------------------------------------------------------- */

static void run(struct dc *d, const char *s, size_t n, int depth);

static void run_item(struct dc *d, struct item x, int depth)
{
	if (x.num) {
		dc_push(d, x);
		return;
	}
	if (depth >= NEST_MAX || !sys_stack(d->p, 4096)) {
		dc_complain(d, "recursion too deep");
		return;
	}
	run(d, x.text, x.len, depth + 1);
	if (d->quit > 0)
		d->quit--;
}

/* <r and its kin: the top is compared with what is below it. The item to run, if any. */
static bool condition(struct dc *d, char op, bool negate, unsigned char r, struct item *out)
{
	struct num *top, *under;
	int c;
	struct level *v;

	if (!dc_numbers(d, 2))
		return false;
	top = d->stack[d->n - 1].num;
	under = d->stack[d->n - 2].num;
	d->n -= 2;
	c = num_compare(&d->pool, top, under);
	num_free(&d->pool, top);
	num_free(&d->pool, under);
	if ((op == '<' ? c < 0 : op == '>' ? c > 0 : c == 0) == negate)
		return false;
	v = dc_register(d, r, false);
	*out = v ? dc_copy(d, v->item) : (struct item){.num = num_int(&d->pool, 0)};
	return true;
}

static size_t number(struct dc *d, const char *s, size_t n)
{
	struct u_buf t;
	size_t i = 0;
	bool minus = s[0] == '_', point = false;
	struct num *x;

	u_buf_init(&t, d->p, 0);
	for (i = minus; i < n; i++) {
		if (s[i] == '.' && point)
			break;
		point |= s[i] == '.';
		if (!ascii_digit(s[i]) && s[i] != '.' && !(s[i] >= 'A' && s[i] <= 'F'))
			break;
		u_buf_putc(&t, s[i]);
	}
	x = t.len ? num_parse(&d->pool, t.ptr, t.len, d->in_base) : num_int(&d->pool, 0);
	x->minus = minus && !num_is_zero(x);
	dc_push_num(d, x);
	return i;
}

static size_t string(struct dc *d, const char *s, size_t n)
{
	size_t i = 1;

	for (int open = 1; i < n; i++) {
		open += (s[i] == '[') - (s[i] == ']');
		if (open == 0)
			break;
		sys_checkpoint(d->p);
	}
	dc_push(d, (struct item){.text = u_strndup(d->p, s + 1, i - 1), .len = i - 1});
	return MIN(i + 1, n);
}

static void print_top(struct dc *d, char op)
{
	struct item x;

	if (!dc_need(d, 1))
		return;
	x = d->stack[d->n - 1];
	if (op == 'P' && x.num)
		dc_put_bytes(d, x.num);
	else
		dc_put(d, x);
	if (op == 'p') {
		u_putc(u_stdout(d->p), '\n');
		return;
	}
	dc_drop(d, x);
	d->n--;
}

static void simple(struct dc *d, char c)
{
	struct item x;

	switch (c) {
	case 'f':
		for (size_t i = d->n; i-- > 0;) {
			dc_put(d, d->stack[i]);
			u_putc(u_stdout(d->p), '\n');
		}
		break;
	case 'c':
		while (d->n > 0)
			dc_drop(d, d->stack[--d->n]);
		break;
	case 'd':
		if (dc_need(d, 1))
			dc_push(d, dc_copy(d, d->stack[d->n - 1]));
		break;
	case 'r':
		if (!dc_need(d, 2))
			break;
		x = d->stack[d->n - 1];
		d->stack[d->n - 1] = d->stack[d->n - 2];
		d->stack[d->n - 2] = x;
		break;
	case 'z': dc_push_num(d, num_int(&d->pool, (int64_t)d->n)); break;
	case 'I': dc_push_num(d, num_int(&d->pool, d->in_base)); break;
	case 'O': dc_push_num(d, num_int(&d->pool, d->out_base)); break;
	case 'K': dc_push_num(d, num_int(&d->pool, d->places)); break;
	case 'Q':
		if (dc_numbers(d, 1)) {
			bool fits;
			struct num *q = d->stack[--d->n].num;
			int64_t v = num_to_int(&d->pool, q, &fits);

			num_free(&d->pool, q);
			if (v < 1)
				dc_complain(d, "Q command requires a number >= 1");
			else
				d->quit = (int)MIN(v, (int64_t)NEST_MAX);
		}
		break;
	default: dc_complain(d, u_format(d->p, "'%c' (0%03o) unimplemented", c, (unsigned char)c)); break;
	}
}

static void command(struct dc *d, char c)
{
	if (strchr("+-*/%~^", c))
		dc_binary(d, c);
	else if (strchr("pnP", c))
		print_top(d, c);
	else if (strchr("kio", c))
		dc_set_parameter(d, c);
	else if (strchr("ZX", c))
		dc_measure(d, c);
	else if (c == '|')
		dc_modular_power(d);
	else if (c == 'v')
		dc_root(d);
	else if (c == 'R')
		dc_rotate(d);
	else if (c == 'a')
		dc_to_character(d);
	else
		simple(d, c);
}

static void run(struct dc *d, const char *s, size_t n, int depth)
{
	for (size_t i = 0; i < n && !d->quit;) {
		char c = s[i];
		struct item x = {0};
		bool go = false;

		sys_checkpoint(d->p);
		if (ascii_digit(c) || c == '.' || c == '_' || (c >= 'A' && c <= 'F')) {
			i += number(d, s + i, n - i);
			continue;
		}
		if (c == '[') {
			i += string(d, s + i, n - i);
			continue;
		}
		i++;
		if (ascii_space(c) || c == '\0')
			continue;
		if (c == '#') {
			while (i < n && s[i] != '\n')
				i++;
		} else if (strchr("slSL:;", c)) {
			unsigned char r = i < n ? (unsigned char)s[i++] : 0;

			if (!r)
				dc_complain(d, "unexpected EOS");
			else if (c == ':' || c == ';')
				dc_use_array(d, c, r);
			else
				dc_use_register(d, c, r);
		} else if (c == '<' || c == '>' || c == '=') {
			go = condition(d, c, false, i < n ? (unsigned char)s[i] : 0, &x);
			i += i < n;
		} else if (c == '!' && i < n && strchr("<>=", s[i])) {
			go = condition(d, s[i], true, i + 1 < n ? (unsigned char)s[i + 1] : 0, &x);
			i = MIN(i + 2, n);
		} else if (c == 'x') {
			if (dc_need(d, 1)) {
				x = d->stack[--d->n];
				go = true;
			}
		} else if (c == 'q') {
			if (depth < 2)
				u_exit(d->p, 0);
			d->quit = 2;
		} else if (c == '?' || c == '!') {
			dc_complain(d, u_format(d->p, "'%c' is not supported", c));
		} else {
			command(d, c);
		}
		if (go && i >= n && !x.num && depth > 0) {
			/* The last thing a macro does is run another: that takes its place. */
			s = x.text;
			n = x.len;
			i = 0;
		} else if (go) {
			run_item(d, x, depth);
		}
	}
}

/* ---- Main ----------------------------------------------------------------------------------- */

static const char *read_file(struct proc *p, const char *path)
{
	int fd = streq(path, "-") ? 0 : sys_open(p, path, SYS_O_READ | SYS_O_CLOEXEC, 0), e;
	struct str text;

	if (fd < 0 || (e = u_read_all(p, fd, INPUT_MAX, &text)) < 0)
		return NULL;
	return u_strndup(p, text.ptr, text.len);
}

static void add_script(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	struct dc_opts *o = opts;
	const char *text = opt->shrt == 'e' ? arg : read_file(p, arg);

	if (!text)
		u_die(p, 1, 0, "Could not open file %s", arg);
	o->scripts.v = arena_grow(&sys_self(p)->arena, o->scripts.v, o->scripts.n * sizeof(char *), (o->scripts.n + 1) * sizeof(char *));
	o->scripts.v[o->scripts.n++] = text;
}

/* A line runs when no string is open in it. */
struct place {
	size_t depth;
	bool comment;
};

static bool line_ends(void *state, char c)
{
	struct place *at = state;

	if (c == '\n') {
		at->comment = false;
		return at->depth == 0;
	}
	if (at->comment)
		return false;
	if (c == '#' && at->depth == 0)
		at->comment = true;
	at->depth += c == '[';
	at->depth -= c == ']' && at->depth > 0;
	return false;
}

static void run_input(struct dc *d)
{
	struct place at = {0};
	struct feed f;
	struct str text;

	feed_init(&f, d->p, 0, INPUT_MAX, line_ends, &at);
	while (!d->quit && feed_next(&f, &text))
		run(d, text.ptr, text.len, 0);
}

static int dc_main(struct proc *p, const struct cmd_args *a)
{
	struct dc_opts *o = a->opts;
	struct dc *d = u_zalloc(p, sizeof(*d));
	const char *width = u_getenv(p, "DC_LINE_LENGTH"), *end;

	d->p = d->pool.p = p;
	d->in_base = d->out_base = 10;
	d->width = 70;
	if (width && ascii_digit(*width))
		d->width = num_u64(width, &end, 10, NULL);
	u_buf_init(&d->text, p, 0);
	for (size_t i = 0; i < o->scripts.n; i++, d->quit = 0)
		run(d, o->scripts.v[i], strlen(o->scripts.v[i]), 0);
	for (int i = 0; i < a->argc; i++, d->quit = 0) {
		const char *text = read_file(p, a->argv[i]);

		if (text) {
			run(d, text, strlen(text), 0);
		} else {
			dc_complain(d, u_format(p, "Could not open file %s", a->argv[i]));
		}
	}
	if (o->scripts.n == 0 && a->argc == 0)
		run_input(d);
	return 0;
}

static const struct cmd_example examples[] = {
	{"dc -e '3 4+p 2 100^p'", "7\n1267650600228229401496703205376\n"},
};

static const struct cmd_missing missing[] = {
	{"?, !COMMAND", "reading from a terminal and running commands"},
};

const struct cmd cmd_dc = {
	.name = "dc",
	.summary = "an arbitrary precision reverse Polish notation calculator",
	.synopsis = "[OPTION] [FILE ...]",
	.opts = dc_flags,
	.nopts = COUNTOF(dc_flags),
	.opts_size = sizeof(struct dc_opts),
	.stack_size = 16u << 20,
	.main = dc_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
