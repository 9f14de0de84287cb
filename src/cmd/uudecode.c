/*
 * uudecode.c - files out of what uuencode wrote.
 *
 * What comes before the head and after the end is not looked at; the head says how the rest is written, and the name and
 * mode of the file.
 */
#include "basenc/basenc.h"

#define INPUT_MAX ((size_t)1 << 30)

struct uudecode {
	const char *output;
	bool ignore_chmod;
};

static const struct cmd_opt uudecode_opts[] = {
	CMD_STRING(struct uudecode, output, 'o', "output-file", "FILE", "write to FILE"),
	CMD_FLAG(struct uudecode, ignore_chmod, 'c', "ignore-chmod", "it is no failure that the mode cannot be set"),
};

/* The input, line by line. */
struct source {
	struct proc *p;
	const char *name;
	struct str rest;
};

static bool next_line(struct source *s, struct str *line)
{
	const char *nl;

	if (s->rest.len == 0)
		return false;
	sys_checkpoint(s->p);
	nl = memchr(s->rest.ptr, '\n', s->rest.len);
	*line = (struct str){s->rest.ptr, nl ? (size_t)(nl - s->rest.ptr) : s->rest.len};
	s->rest.ptr += line->len + (nl != NULL);
	s->rest.len -= line->len + (nl != NULL);
	if (line->len > 0 && line->ptr[line->len - 1] == '\r')
		line->len--;
	return true;
}

struct head {
	bool base64;
	uint32_t mode;
	const char *name;
};

static bool take(struct str *s, const char *word)
{
	size_t n = strlen(word);

	if (s->len < n || memcmp(s->ptr, word, n) != 0)
		return false;
	s->ptr += n;
	s->len -= n;
	return true;
}

/* Whole groups and, at the end, what is padded. Bytes in out, which is as long as the letters; -1: not right. */
static int64_t decode_base64(unsigned char *out, struct str s)
{
	int64_t n = 0;

	for (; s.len >= 4; s.ptr += 4, s.len -= 4) {
		size_t got;

		if (!basenc_64.decode(out + n, &got, (const unsigned char *)s.ptr, 4))
			return -1;
		n += (int64_t)got;
	}
	return s.len == 0 ? n : -1;
}

/* The name as it was encoded, or "~/x" below HOME. */
static const char *file_name(struct proc *p, struct str s, bool encoded)
{
	const char *home = u_getenv(p, "HOME");
	char *name = u_strndup(p, s.ptr, s.len);

	if (encoded) {
		int64_t n = decode_base64((unsigned char *)name, s);

		if (n <= 0 || memchr(name, 0, (size_t)n))
			u_die(p, 2, 0, "invalid base64 encoded name: %.*s", (int)MIN(s.len, (size_t)1024), s.ptr);
		name[n] = '\0';
	}
	return name[0] == '~' && name[1] == '/' && home ? u_join(p, home, name + 2) : name;
}

static void find_head(struct source *s, struct head *h)
{
	struct str line;

	while (next_line(s, &line)) {
		bool encoded;
		size_t digits = 0, blanks;

		if (!take(&line, "begin"))
			continue;
		h->base64 = take(&line, "-base64");
		encoded = take(&line, "-encoded");
		blanks = line.len;
		while (take(&line, " "))
			;
		blanks -= line.len;
		for (h->mode = 0; line.len > 0 && *line.ptr >= '0' && *line.ptr <= '7' && digits < 8; line.ptr++, line.len--, digits++)
			h->mode = h->mode * 8 + (uint32_t)(*line.ptr - '0');
		if (blanks == 0 || digits == 0 || !take(&line, " "))
			break;
		while (take(&line, " "))
			;
		if (line.len == 0)
			break;
		h->name = file_name(s->p, line, encoded);
		return;
	}
	u_die(s->p, 2, 0, "%s: Invalid or missing 'begin' line", s->name);
}

static unsigned value(struct str s, size_t i)
{
	/* Blanks at the end of a line get lost on the way. */
	return i < s.len ? ((unsigned char)s.ptr[i] - 32u) & 63 : 0;
}

/* NULL, or what is wrong. */
static const char *decode_lines(struct source *s, struct u_out *out)
{
	struct str line;

	while (next_line(s, &line)) {
		size_t n = value(line, 0);

		if (n == 0)
			return next_line(s, &line) && line.len == 3 && memcmp(line.ptr, "end", 3) == 0 ? NULL : "No `end' line";
		for (size_t i = 1; n > 0; i += 4) {
			unsigned a = value(line, i), b = value(line, i + 1), c = value(line, i + 2), d = value(line, i + 3);
			char group[3] = {(char)(a << 2 | b >> 4), (char)(b << 4 | c >> 2), (char)(c << 6 | d)};
			size_t k = MIN(n, (size_t)3);

			u_put(out, group, k);
			n -= k;
		}
	}
	return "Short file";
}

static const char *decode_base64_lines(struct source *s, struct u_out *out)
{
	struct str line;

	while (next_line(s, &line)) {
		struct arena_mark mark = arena_mark(&sys_self(s->p)->arena);
		unsigned char *bytes;
		int64_t n;

		if (line.len >= 4 && memcmp(line.ptr, "====", 4) == 0)
			return NULL;
		bytes = u_alloc(s->p, line.len + 4);
		n = decode_base64(bytes, line);
		if (n < 0)
			return "invalid input";
		u_put(out, (const char *)bytes, (size_t)n);
		arena_reset(&sys_self(s->p)->arena, mark);
	}
	return "Short file";
}

static void decode(struct proc *p, const struct uudecode *o, struct source *s)
{
	struct u_out file, *out = u_stdout(p);
	const char *wrong;
	struct head h;
	int fd = 1, e;

	find_head(s, &h);
	if (o->output)
		h.name = o->output;
	if (!streq(h.name, "-") && !streq(h.name, "/dev/stdout")) {
		fd = sys_open(p, h.name, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
		if (fd < 0)
			u_die(p, 8, fd, "%s", h.name);
		e = sys_chmod(p, h.name, h.mode & 0777, 0);
		if (e < 0 && !o->ignore_chmod)
			u_die(p, 8, e, "chmod of %s", h.name);
		u_out_init(&file, p, fd, 0);
		out = &file;
	}
	wrong = h.base64 ? decode_base64_lines(s, out) : decode_lines(s, out);
	if (out == &file) {
		e = u_flush(out);
		if (e < 0)
			u_die(p, 8, e, "%s", h.name);
		sys_close(p, fd);
	}
	if (wrong)
		u_die(p, 2, 0, "%s: %s", s->name, wrong);
}

static int uudecode_main(struct proc *p, const struct cmd_args *a)
{
	const struct uudecode *o = a->opts;
	char *const *files;
	int n = cmd_files(a, &files);

	if (o->output && n > 1) {
		u_warn(p, 0, "You cannot specify an output file when processing\nmultiple input files.");
		u_try_help_as(p, 64);
	}
	u_stdout(p);
	for (int i = 0; i < n; i++) {
		bool standard = a->argc == 0;
		int fd = standard ? 0 : sys_open(p, files[i], SYS_O_READ, 0), e = fd;
		struct source s = {.p = p, .name = standard ? "standard input" : files[i]};

		if (fd >= 0)
			e = u_read_all(p, fd, INPUT_MAX, &s.rest);
		if (e < 0)
			u_die(p, 4, e, "%s", s.name);
		decode(p, o, &s);
		u_close_operand(p, fd);
	}
	return 0;
}

static const struct cmd_example uudecode_examples[] = {
	{"echo hello | uuencode greeting | uudecode; cat greeting", "hello\n"},
	{"echo hello | uuencode -m x | uudecode -o -", "hello\n"},
};

const struct cmd cmd_uudecode = {
	.name = "uudecode",
	.summary = "make files of what uuencode wrote",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE, standard input is read. To - or /dev/stdout, standard output is written.",
	.opts = uudecode_opts,
	.nopts = COUNTOF(uudecode_opts),
	.opts_size = sizeof(struct uudecode),
	.main = uudecode_main,
	.examples = uudecode_examples,
	.nexamples = COUNTOF(uudecode_examples),
};
