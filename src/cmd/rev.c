/* rev.c - the characters of each line in reverse. */
#include "cmd.h"

struct rev {
	bool help;
};

static const struct cmd_opt rev_opts[] = {
	CMD_FLAG(struct rev, help, 'h', NULL, "same as --help"),
};

/* Bytes that are no characters are reversed one by one. */
static void reverse(struct u_buf *b, struct str line, bool utf8)
{
	size_t at = line.len;

	b->len = 0;
	u_buf_reserve(b, line.len);
	b->len = line.len;
	for (size_t i = 0; i < line.len;) {
		unsigned len = 1;

		if (utf8 && (line.ptr[i] & 0x80))
			utf8_decode(line.ptr + i, line.len - i, &len);
		at -= len;
		memcpy(b->ptr + at, line.ptr + i, len);
		i += len;
	}
}

static int rev_main(struct proc *p, const struct cmd_args *a)
{
	const struct rev *o = a->opts;
	bool utf8 = u_utf8(p);
	char *const *file;
	int n = cmd_files(a, &file), status = 0;
	struct u_buf b, cut;

	if (o->help)
		u_help(p);
	u_buf_init(&b, p, 0);
	u_buf_init(&cut, p, 0);
	for (int i = 0; i < n; i++) {
		/* "-" is a file like any other here. */
		int fd = a->argc ? sys_open(p, file[i], SYS_O_READ, 0) : 0;
		uint64_t count = 0;
		struct u_lines r;
		struct str line;

		if (fd < 0) {
			u_warn(p, fd, "cannot open %s", file[i]);
			status = 1;
			continue;
		}
		u_lines_init(&r, p, fd, '\n');
		for (; u_lines_next(&r, &line); count++) {
			const char *nul = memchr(line.ptr, '\0', line.len);

			/* As util-linux has it: what follows a NUL is lost, and the next line is read behind what was before. */
			if (nul || cut.len > 0) {
				u_buf_put(&cut, line.ptr, nul ? (size_t)(nul - line.ptr) : line.len);
				if (nul)
					continue;
				line = (struct str){cut.ptr, cut.len};
			}
			reverse(&b, line, utf8);
			u_put(u_stdout(p), b.ptr, b.len);
			if (r.ended)
				u_putc(u_stdout(p), '\n');
			cut.len = 0;
		}
		reverse(&b, (struct str){cut.ptr, cut.len}, utf8);
		u_put(u_stdout(p), b.ptr, b.len);
		cut.len = 0;
		if (r.err) {
			u_warn(p, r.err, "%s: %llu", a->argc ? file[i] : "stdin", (unsigned long long)count);
			status = 1;
		}
		u_close_operand(p, fd);
	}
	return status;
}

static const struct cmd_example rev_examples[] = {
	{"echo hello | rev", "olleh\n"},
};

const struct cmd cmd_rev = {
	.name = "rev",
	.summary = "print the characters of each line in reverse",
	.synopsis = "[options] [file ...]",
	.opts = rev_opts,
	.nopts = COUNTOF(rev_opts),
	.opts_size = sizeof(struct rev),
	.main = rev_main,
	.examples = rev_examples,
	.nexamples = COUNTOF(rev_examples),
};
