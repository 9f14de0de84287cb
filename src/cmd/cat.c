/*
 * cat.c - join files.
 *
 * Without options the bytes are moved by reference and never looked at. Otherwise text is
 * taken slice by slice; what has to be remembered from one slice (and file) to the next
 * is in struct cat.
 */
#include "cmd.h"

struct cat {
	bool all, nonblank, ends, number, squeeze, tabs, control, v_ends, v_tabs, unused;

	struct u_out *out;
	uint64_t line;		/* number of the last numbered line */
	bool inside;		/* the line has begun */
	bool blank;		/* the last line was empty */
	bool held_return;	/* a CR is held back: what follows decides how it is shown */
};

static const struct cmd_opt cat_opts[] = {
	CMD_FLAG(struct cat, all, 'A', "show-all", "same as -vET"),
	CMD_FLAG(struct cat, nonblank, 'b', "number-nonblank",
		 "number the output lines that are not empty, whether or not -n is given"),
	CMD_FLAG(struct cat, v_ends, 'e', NULL, "same as -vE"),
	CMD_FLAG(struct cat, ends, 'E', "show-ends", "show a $ where a line ends"),
	CMD_FLAG(struct cat, number, 'n', "number", "number the output lines"),
	CMD_FLAG(struct cat, squeeze, 's', "squeeze-blank", "print one of several empty lines in a row"),
	CMD_FLAG(struct cat, v_tabs, 't', NULL, "same as -vT"),
	CMD_FLAG(struct cat, tabs, 'T', "show-tabs", "show TAB as ^I"),
	CMD_FLAG(struct cat, unused, 'u', NULL, "nothing: output is never held back for long"),
	CMD_FLAG(struct cat, control, 'v', "show-nonprinting",
		 "show control characters as ^X and bytes from 128 up as M-x, except LF and TAB"),
};

/* The visible form of a byte, at most 4 characters; their number. */
static size_t visible(unsigned char c, char *out)
{
	size_t n = 0;

	if (c >= 128) {
		out[n++] = 'M';
		out[n++] = '-';
		c -= 128;
	}
	if (c < 32) {
		out[n++] = '^';
		out[n++] = (char)(c + 64);
	} else if (c == 127) {
		out[n++] = '^';
		out[n++] = '?';
	} else {
		out[n++] = (char)c;
	}
	return n;
}

static void put_number(struct cat *c)
{
	char buf[32];
	size_t n = num_put_u64(buf, ++c->line);

	for (size_t i = n; i < 6; i++)
		u_putc(c->out, ' ');
	buf[n++] = '\t';
	u_put(c->out, buf, n);
}

/* Part of a line, without its newline. */
static void put_text(struct cat *c, const char *s, size_t n)
{
	while (n > 0) {
		const char *tab = c->tabs && !c->control ? memchr(s, '\t', n) : NULL;
		size_t run = c->control ? scan_printable(s, n) : tab ? (size_t)(tab - s) : n;
		char buf[4];

		u_put(c->out, s, run);
		s += run;
		n -= run;
		if (n > 0) {
			if (*s == '\t' && !c->tabs)
				u_putc(c->out, '\t');
			else
				u_put(c->out, buf, visible((unsigned char)*s, buf));
			s++;
			n--;
		}
	}
}

static void put_held_return(struct cat *c, bool at_end_of_line)
{
	if (c->held_return) {
		u_puts(c->out, at_end_of_line ? "^M" : "\r");
		c->held_return = false;
	}
}

static void show(struct cat *c, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s)), *stop = nl ? nl : end;

		if (!c->inside && nl == s) {
			s++;
			if (c->squeeze && c->blank)
				continue;
			c->blank = true;
			if (c->number && !c->nonblank)
				put_number(c);
			u_puts(c->out, c->ends ? "$\n" : "\n");
			continue;
		}
		if (!c->inside) {
			c->inside = true;
			c->blank = false;
			if (c->number)
				put_number(c);
		}
		put_held_return(c, stop == s);
		if (c->ends && !c->control && stop > s && stop[-1] == '\r') {
			put_text(c, s, (size_t)(stop - s) - 1);
			c->held_return = true;
			if (nl)
				put_held_return(c, true);
		} else {
			put_text(c, s, (size_t)(stop - s));
		}
		s = stop;
		if (nl) {
			u_puts(c->out, c->ends ? "$\n" : "\n");
			c->inside = false;
			s++;
		}
	}
}

/* 0 or the error of reading. */
static int64_t show_file(struct proc *p, struct cat *c, int fd)
{
	struct sys_slice s;
	int64_t got;

	while ((got = sys_read_slice(p, fd, 0, &s)) > 0)
		show(c, s.ptr, s.len);
	return got;
}

static int64_t copy_file(struct proc *p, int fd)
{
	bool out_failed = false;
	int64_t got = sys_splice(p, fd, 1, 0, &out_failed);

	if (got < 0 && out_failed)
		u_die(p, 1, (int)got, "write error");
	return got;
}

/* Reading a file that is being appended to by ourselves would never end. */
static bool is_own_output(struct proc *p, int fd)
{
	struct sys_stat st;

	return sys_same_file(p, fd, 1) && sys_fstat(p, fd, &st) == 0 &&
	       (st.mode & SYS_S_TYPE) == SYS_S_FILE && sys_seek(p, fd, 0, SYS_SEEK_CUR) < st.size;
}

static int cat_main(struct proc *p, const struct cmd_args *a)
{
	struct cat *c = a->opts;
	char *const *file;
	int n = cmd_files(a, &file), status = 0;
	bool plain;

	c->control |= c->all | c->v_ends | c->v_tabs;
	c->ends |= c->all | c->v_ends;
	c->tabs |= c->all | c->v_tabs;
	c->number |= c->nonblank;
	c->out = u_stdout(p);
	plain = !(c->control || c->ends || c->tabs || c->number || c->squeeze);
	for (int i = 0; i < n; i++) {
		int fd = u_open_operand(p, file[i]);
		int64_t r;

		if (fd < 0) {
			status = 1;
			continue;
		}
		if (is_own_output(p, fd)) {
			u_warn(p, 0, "%s: input file is output file", file[i]);
			status = 1;
			u_close_operand(p, fd);
			continue;
		}
		r = plain ? copy_file(p, fd) : show_file(p, c, fd);
		if (r < 0) {
			u_warn(p, (int)r, "%s", file[i]);
			status = 1;
		}
		u_close_operand(p, fd);
	}
	put_held_return(c, false);
	return status;
}

static const struct cmd_example cat_examples[] = {
	{"printf 'a\\tb\\n' | cat -A", "a^Ib$\n"},
	{"printf 'x\\n\\n\\ny\\n' | cat -sn", "     1\tx\n     2\t\n     3\ty\n"},
};

const struct cmd cmd_cat = {
	.name = "cat",
	.summary = "write files, or standard input, to standard output one after the other",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, or where FILE is -, standard input is read.",
	.opts = cat_opts,
	.nopts = COUNTOF(cat_opts),
	.opts_size = sizeof(struct cat),
	.main = cat_main,
	.examples = cat_examples,
	.nexamples = COUNTOF(cat_examples),
};
