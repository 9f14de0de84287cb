/*
 * tee.c - copy standard input to files and to standard output.
 *
 * What is read is passed on by reference. An output that fails is reported and dropped; a broken pipe ends tee
 * silently, as it would end any filter, unless a mode for errors was chosen.
 */
#include "cmd.h"

enum { ERRORS_WARN = 1, ERRORS_WARN_NOPIPE, ERRORS_EXIT, ERRORS_EXIT_NOPIPE };

struct tee {
	bool append, ignore_interrupts;
	int errors;
};

struct output {
	int fd;
	const char *name;
};

static const struct u_word error_words[] = {{"warn", ERRORS_WARN},
					    {"warn-nopipe", ERRORS_WARN_NOPIPE},
					    {"exit", ERRORS_EXIT},
					    {"exit-nopipe", ERRORS_EXIT_NOPIPE}};

static void opt_errors(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct tee *t = opts;

	(void)o;
	t->errors = arg ? u_word_or_die(p, "--output-error", arg, error_words, COUNTOF(error_words))
			: ERRORS_WARN_NOPIPE;
}

static const struct cmd_opt tee_opts[] = {
	CMD_FLAG(struct tee, append, 'a', "append", "append to the FILEs instead of overwriting them"),
	CMD_FLAG(struct tee, ignore_interrupts, 'i', "ignore-interrupts", "ignore interrupt signals"),
	CMD_CALL('p', NULL, NULL, opt_errors, "same as --output-error=warn-nopipe"),
	CMD_CALL_OPTIONAL(0, "output-error", "MODE", opt_errors,
			  "what to do when an output fails: 'warn' about it,\n"
			  "'warn-nopipe' not for pipes, 'exit', 'exit-nopipe'"),
};

/* Reports a failed output; true when tee goes on without it. */
static void report(struct proc *p, const struct tee *t, const struct output *o, int err)
{
	bool silent = err == -NACRE_EPIPE &&
		      (t->errors == ERRORS_WARN_NOPIPE || t->errors == ERRORS_EXIT_NOPIPE);

	if (silent)
		return;
	u_warn(p, err, "%s", o->name);
	if (t->errors == ERRORS_EXIT || t->errors == ERRORS_EXIT_NOPIPE)
		u_exit(p, 1);
}

static int tee_main(struct proc *p, const struct cmd_args *a)
{
	const struct tee *t = a->opts;
	struct output *out = u_array(p, (size_t)a->argc + 1, sizeof(*out));
	unsigned how = SYS_O_WRITE | SYS_O_CREATE | (t->append ? SYS_O_APPEND : SYS_O_TRUNC);
	int n = 0, status = 0;
	struct sys_slice s;
	int64_t got;

	if (t->ignore_interrupts)
		sys_signal(p, SYS_SIGINT, SYS_SIG_IGNORE);
	if (t->errors)
		sys_signal(p, SYS_SIGPIPE, SYS_SIG_IGNORE);
	out[n++] = (struct output){1, "'standard output'"};
	for (int i = 0; i < a->argc; i++) {
		int fd = sys_open(p, a->argv[i], how, 0666);

		if (fd < 0) {
			report(p, t, &(struct output){fd, u_quote_if_needed(p, a->argv[i])}, fd);
			status = 1;
			continue;
		}
		out[n++] = (struct output){fd, u_quote_if_needed(p, a->argv[i])};
	}
	while (n > 0 && (got = sys_read_slice(p, 0, 0, &s)) != 0) {
		if (got < 0) {
			u_warn(p, (int)got, "read error");
			return 1;
		}
		for (int i = 0; i < n; i++) {
			int64_t r = sys_write_slice(p, out[i].fd, 0, s.ptr, s.len);

			if (r >= 0)
				continue;
			report(p, t, &out[i], (int)r);
			status |= !(r == -NACRE_EPIPE && (t->errors == ERRORS_WARN_NOPIPE ||
							  t->errors == ERRORS_EXIT_NOPIPE));
			memmove(&out[i], &out[i + 1], (size_t)(n - i - 1) * sizeof(*out));
			n--;
			i--;
		}
	}
	return status;
}

static const struct cmd_example tee_examples[] = {
	{"echo hi | tee f; cat f", "hi\nhi\n"},
};

const struct cmd cmd_tee = {
	.name = "tee",
	.summary = "copy standard input to each FILE, and to standard output",
	.synopsis = "[OPTION]... [FILE]...",
	.opts = tee_opts,
	.nopts = COUNTOF(tee_opts),
	.opts_size = sizeof(struct tee),
	.main = tee_main,
	.examples = tee_examples,
	.nexamples = COUNTOF(tee_examples),
};
