/*
 * tac.c - print files backward, record by record.
 *
 * A regular file with the usual separator is read in blocks from its end; of a line that spans blocks the parts
 * found so far are kept. Everything else is read into memory first.
 */
#include "cmd.h"

struct tac {
	bool before, regex;
	const char *separator;

	struct proc *p;
	struct u_out *out;
	size_t sep_len;
	struct regex *re;
	struct regex_scratch *scratch;
};

static const struct cmd_opt tac_opts[] = {
	CMD_FLAG(struct tac, before, 'b', "before", "the separator stands before each record, not after it"),
	CMD_FLAG(struct tac, regex, 'r', "regex", "the separator is a regular expression"),
	CMD_STRING(struct tac, separator, 's', "separator", "STRING", "records are separated by STRING, not newline"),
};

static void checkpoint(void *ctx)
{
	sys_checkpoint_n(ctx, 4096);
}

/* ---- In memory ----------------------------------------------------------------------------- */

/* The last separator that ends at `end` or before; false when there is none. */
static bool last_separator(struct tac *t, const char *s, size_t end, struct regex_span *m)
{
	if (!t->regex) {
		while (end >= t->sep_len) {
			const char *hit = memrchr(s, t->separator[0], end - t->sep_len + 1);

			sys_checkpoint(t->p);
			if (!hit)
				return false;
			m->start = (size_t)(hit - s);
			m->end = m->start + t->sep_len;
			if (memcmp(hit, t->separator, t->sep_len) == 0)
				return true;
			end = m->end - 1;
		}
		return false;
	}
	for (size_t at = end; at-- > 0;) {
		int r = regex_search(t->re, t->scratch, s, end, at, REGEX_ANCHORED, m, 1);

		sys_checkpoint(t->p);
		if (r < 0)
			u_die(t->p, 1, 0, "%s", regex_failure(r));
		if (r > 0)
			return true;
	}
	return false;
}

static void backward(struct tac *t, const char *s, size_t n)
{
	size_t tail = n, end = n; /* what is printed starts before tail; separators are sought before end */
	struct regex_span m;
	bool first = true;

	while (last_separator(t, s, end, &m)) {
		if (t->before) {
			u_put(t->out, s + m.start, tail - m.start);
			tail = m.start;
		} else {
			/* A separator at the very end belongs to the last record. */
			if (!first || m.end != tail)
				u_put(t->out, s + m.end, tail - m.end);
			tail = m.end;
		}
		first = false;
		end = m.start;
		if (m.end == m.start && end > 0)
			end--;
	}
	u_put(t->out, s, tail);
}

/* ---- From the end of a file ------------------------------------------------------------------ */

#define TAC_BLOCK 65536

/* Prints buf[from..n) and then the line that goes on in what was kept. */
static void put_joined(struct tac *t, const char *buf, size_t from, size_t n, struct u_buf *kept)
{
	u_put(t->out, buf + from, n - from);
	/* Kept backward, part by part: see keep. */
	for (size_t end = kept->len; end > 0;) {
		size_t len;

		memcpy(&len, kept->ptr + end - sizeof(len), sizeof(len));
		end -= sizeof(len) + len;
		u_put(t->out, kept->ptr + end, len);
	}
	kept->len = 0;
}

static void keep(struct u_buf *kept, const char *s, size_t n)
{
	if (n == 0)
		return;
	u_buf_put(kept, s, n);
	u_buf_put(kept, (const char *)&n, sizeof(n));
}

/* false when the file cannot be read that way; nothing was printed then. */
static bool backward_file(struct tac *t, int fd, int64_t *err)
{
	struct sys_stat st;
	int64_t at;
	struct u_buf kept;
	char *buf;

	if (sys_fstat(t->p, fd, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_FILE || st.size <= 0)
		return false;
	buf = u_alloc(t->p, TAC_BLOCK);
	u_buf_init(&kept, t->p, 0);
	for (at = st.size; at > 0;) {
		size_t n = (size_t)MIN((int64_t)TAC_BLOCK, at), tail = n;
		int64_t got = sys_pread(t->p, fd, buf, n, at - (int64_t)n);

		if (got != (int64_t)n) {
			*err = got < 0 ? got : -NACRE_EIO;
			return true;
		}
		/* The separator at the end of the file ends the last line. */
		for (size_t end = at == st.size ? n - 1 : n;;) {
			const char *hit = memrchr(buf, t->separator[0], end);

			if (!hit)
				break;
			end = (size_t)(hit - buf);
			put_joined(t, buf, end + 1, tail, &kept);
			tail = end + 1;
		}
		keep(&kept, buf, tail);
		at -= (int64_t)n;
	}
	put_joined(t, buf, 0, 0, &kept);
	return true;
}

static bool tac_file(struct tac *t, const char *path)
{
	bool is_stdin = streq(path, "-");
	int fd = is_stdin ? 0 : sys_open(t->p, path, SYS_O_READ, 0);
	struct str text;
	int64_t r = 0;

	if (fd < 0) {
		u_warn(t->p, fd, "failed to open %s for reading", u_quote_file(t->p, path));
		return false;
	}
	/* What can be read from its end is read to its start, wherever it stood. */
	if (t->regex || t->before || t->sep_len != 1 || !backward_file(t, fd, &r)) {
		(void)!sys_seek(t->p, fd, 0, SYS_SEEK_SET);
		r = u_read_all(t->p, fd, SIZE_MAX / 4, &text);
		if (r == 0)
			backward(t, text.ptr, text.len);
	}
	if (r < 0) {
		/* GNU tac seeks in a directory before it reads. */
		u_warn(t->p, r == -NACRE_EISDIR ? NACRE_EINVAL : (int)r, "%s: read error",
		       is_stdin ? "standard input" : u_quote_if_needed(t->p, path));
	}
	u_close_operand(t->p, fd);
	return r >= 0;
}

static int tac_main(struct proc *p, const struct cmd_args *a)
{
	struct tac *t = a->opts;
	struct arena *arena = &sys_self(p)->arena;
	char *const *file;
	int n = cmd_files(a, &file), status = 0;
	struct regex_error err;

	t->p = p;
	t->out = u_stdout(p);
	if (!t->separator)
		t->separator = "\n";
	/* An empty string is a NUL. */
	t->sep_len = MAX(strlen(t->separator), 1u);
	if (t->regex) {
		if (!*t->separator)
			u_die(p, 1, 0, "separator cannot be empty");
		t->re = regex_compile(arena, t->separator, t->sep_len,
				      REGEX_EMACS | REGEX_ANCHORS | (u_utf8(p) ? REGEX_UTF8 : 0), &err);
		if (!t->re)
			u_die(p, 1, 0, "%s", err.message);
		t->scratch = regex_scratch_new(arena, t->re, checkpoint, p);
	}
	for (int i = 0; i < n; i++) {
		if (!tac_file(t, file[i]))
			status = 1;
	}
	return status;
}

static const struct cmd_example tac_examples[] = {
	{"seq 3 | tac", "3\n2\n1\n"},
	{"printf 'a,b,c,' | tac -s,", "c,b,a,"},
};

const struct cmd cmd_tac = {
	.name = "tac",
	.summary = "print each file with its lines in reverse order",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, or where FILE is -, standard input is read.",
	.opts = tac_opts,
	.nopts = COUNTOF(tac_opts),
	.opts_size = sizeof(struct tac),
	.main = tac_main,
	.examples = tac_examples,
	.nexamples = COUNTOF(tac_examples),
};
