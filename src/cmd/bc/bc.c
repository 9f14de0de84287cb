/* bc - an arbitrary precision calculator language. */
#include "bc.h"

#define INPUT_MAX ((size_t)64 << 20)

struct bc_opts {
	bool math, quiet, standard, warn, interactive;
};

static const struct cmd_opt bc_flags[] = {
	CMD_FLAG(struct bc_opts, interactive, 'i', "interactive", "force interactive mode (the same here)"),
	CMD_FLAG(struct bc_opts, math, 'l', "mathlib", "use the predefined math routines"),
	CMD_FLAG(struct bc_opts, quiet, 'q', "quiet", "don't print initial banner (there is none)"),
	CMD_FLAG(struct bc_opts, standard, 's', "standard", "non-standard bc constructs are errors (they are understood)"),
	CMD_FLAG(struct bc_opts, warn, 'w', "warn", "warn about non-standard bc constructs (nothing is said)"),
};

static void set_up(struct bc *b, struct proc *p, const struct bc_opts *o)
{
	const char *width = u_getenv(p, "BC_LINE_LENGTH"), *end;

	b->p = b->pool.p = p;
	b->in_base = b->out_base = 10;
	b->places = o->math ? 20 : 0;
	b->math = o->math;
	b->width = 70;
	if (width && ascii_digit(*width)) {
		b->width = num_u64(width, &end, 10, NULL);
		b->width = b->width == 1 || b->width == 2 ? 70 : b->width;
	}
	b->ibase = bc_name(b, "ibase", 5);
	b->obase = bc_name(b, "obase", 5);
	b->scale = bc_name(b, "scale", 5);
	b->last = bc_name(b, "last", 4);
	b->last_value = num_int(&b->pool, 0);
	u_buf_init(&b->text, p, 0);
}

static int bc_main(struct proc *p, const struct cmd_args *a)
{
	struct bc *b = u_zalloc(p, sizeof(*b));
	struct str text;
	int e;

	set_up(b, p, a->opts);
	for (int i = 0; i < a->argc; i++) {
		int fd = sys_open(p, a->argv[i], SYS_O_READ | SYS_O_CLOEXEC, 0);

		e = fd < 0 ? fd : u_read_all(p, fd, INPUT_MAX, &text);
		if (e < 0) {
			const char *line = u_format(p, "File %s is unavailable.\n", a->argv[i]);

			u_flush(u_stdout(p));
			(void)!u_write_all(p, 2, line, strlen(line));
			return 1;
		}
		bc_run_text(b, a->argv[i], text.ptr, text.len);
		sys_close(p, fd);
	}
	e = u_read_all(p, 0, INPUT_MAX, &text);
	if (e < 0)
		u_die(p, 1, e, "standard input");
	bc_run_text(b, "(standard_in)", text.ptr, text.len);
	return 0;
}

static const struct cmd_example examples[] = {
	{"echo 'scale=3; 1/3; 2^100' | bc", ".333\n1267650600228229401496703205376\n"},
	{"echo 'scale=30; 4*a(1)' | bc -l", "3.141592653589793238462643383276\n"},
};

const struct cmd cmd_bc = {
	.name = "bc",
	.summary = "an arbitrary precision calculator language",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "The input is read as a whole before it runs.",
	.opts = bc_flags,
	.nopts = COUNTOF(bc_flags),
	.opts_size = sizeof(struct bc_opts),
	.stack_size = 16u << 20,
	.main = bc_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
