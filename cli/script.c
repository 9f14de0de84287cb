/* script.c - nacre fmt and nacre parse: scripts looked at instead of run. */
#include <errno.h>
#include <fcntl.h>
#include <nacre/parse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

#define SCRIPT_MAX ((size_t)64 << 20)

/* ---- Reading ------------------------------------------------------------------------ */

static char *read_stream(FILE *f, size_t *len)
{
	size_t cap = 65536, n = 0;
	char *text = malloc(cap);

	while (text) {
		n += fread(text + n, 1, cap - n, f);
		if (ferror(f)) {
			free(text);
			return NULL;
		}
		if (n < cap) {
			text[n] = '\0';
			*len = n;
			return text;
		}
		if (cap > SCRIPT_MAX) {
			free(text);
			errno = EFBIG;
			return NULL;
		}
		cap *= 2;
		char *more = realloc(text, cap);

		if (!more)
			free(text);
		text = more;
	}
	return NULL;
}

/* The text of a file or, for "-", of standard input; says what went wrong. */
static char *read_script(const char *name, size_t *len)
{
	bool standard = strcmp(name, "-") == 0;
	FILE *f = standard ? stdin : fopen(name, "re");
	char *text = f ? read_stream(f, len) : NULL;

	if (!text)
		fprintf(stderr, "nacre: %s: %s\n", standard ? "standard input" : name, strerror(errno));
	if (f && !standard)
		fclose(f);
	return text;
}

/* A script that parses, or NULL and a message. */
static nacre_script *parse_script(const char *name, const char *text, size_t len)
{
	nacre_script *s = NULL;
	nacre_position at = {.size = sizeof(at)};
	int e = len ? nacre_parse(&s, text, len, 0) : nacre_parse(&s, "", 0, 0);

	if (e == 0)
		return s;
	if (s) {
		const char *error = nacre_script_error(s, &at);

		fprintf(stderr, "%s:%u:%u: %s\n", strcmp(name, "-") == 0 ? "standard input" : name, at.line, at.column, error);
	} else {
		fprintf(stderr, "nacre: %s: %s\n", name, nacre_strerror(e));
	}
	nacre_script_free(s);
	return NULL;
}

/* ---- nacre fmt ------------------------------------------------------------------------- */

struct fmt {
	nacre_format style;
	bool list, write, diff;
	int status;
};

static const char fmt_usage[] =
	"Usage: nacre fmt [OPTION]... [FILE]...\n"
	"Lay shell scripts out anew: standard input, or each FILE, to standard output.\n"
	"\n"
	"  -w, --write             write the result back to FILE\n"
	"  -l, --list              print the names of files whose layout differs\n"
	"  -d, --diff              print the differences; status 1 when there are any\n"
	"  -i, --indent N          indent by N columns; 0, the default: by a tab\n"
	"      --case-indent       indent the patterns of a case, too\n"
	"      --space-redirects   write \"> file\" instead of \">file\"\n"
	"  -h, --help              print this text\n";

/* The new text beside the file, renamed over it: nobody sees half of it. */
static bool replace_file(const char *name, const char *text, size_t len)
{
	size_t n = strlen(name) + 16;
	char *temporary = malloc(n);
	struct stat st;
	int fd = -1;
	bool ok = false;

	if (temporary && stat(name, &st) == 0) {
		snprintf(temporary, n, "%s.XXXXXX", name);
		fd = mkstemp(temporary);
	}
	if (fd >= 0) {
		FILE *f = fdopen(fd, "w");

		ok = f && fwrite(text, 1, len, f) == len;
		ok = fchmod(fd, st.st_mode & 07777) == 0 && ok;
		ok = (f ? fclose(f) : close(fd)) == 0 && ok && rename(temporary, name) == 0;
		if (!ok)
			unlink(temporary);
	}
	if (!ok)
		fprintf(stderr, "nacre: %s: %s\n", name, strerror(errno));
	free(temporary);
	return ok;
}

static const char *line_end(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	return nl ? nl + 1 : end;
}

/* One hunk of diff -u from the first to the last line that differ. */
static void print_diff(const char *name, const char *a, size_t an, const char *b, size_t bn)
{
	const char *ae = a + an, *be = b + bn, *at = a, *bt = b;
	unsigned long line = 1, na = 0, nb = 0;

	while (at < ae && bt < be && line_end(at, ae) - at == line_end(bt, be) - bt &&
	       memcmp(at, bt, (size_t)(line_end(at, ae) - at)) == 0) {
		at = line_end(at, ae);
		bt = line_end(bt, be);
		line++;
	}
	while (ae > at && be > bt && ae[-1] == be[-1]) {
		ae--;
		be--;
	}
	ae = line_end(ae, a + an);
	be = line_end(be, b + bn);
	for (const char *p = at; p < ae; p = line_end(p, ae))
		na++;
	for (const char *p = bt; p < be; p = line_end(p, be))
		nb++;
	printf("--- %s\n+++ %s\n@@ -%lu,%lu +%lu,%lu @@\n", name, name, na ? line : line - 1, na, nb ? line : line - 1, nb);
	for (const char *p = at; p < ae; p = line_end(p, ae))
		printf("-%.*s%s", (int)(line_end(p, ae) - p), p, line_end(p, ae)[-1] == '\n' ? "" : "\n\\ No newline at end of file\n");
	for (const char *p = bt; p < be; p = line_end(p, be))
		printf("+%.*s%s", (int)(line_end(p, be) - p), p, line_end(p, be)[-1] == '\n' ? "" : "\n\\ No newline at end of file\n");
}

static void fmt_result(struct fmt *f, const char *name, const char *text, size_t len, const char *new, size_t new_len)
{
	bool differs = len != new_len || memcmp(text, new, len) != 0;

	if (f->list && differs)
		puts(name);
	if (f->diff && differs) {
		print_diff(name, text, len, new, new_len);
		f->status = f->status ? f->status : 1;
	}
	if (f->write && differs && !replace_file(name, new, new_len))
		f->status = 2;
	if (!f->list && !f->diff && !f->write)
		fwrite(new, 1, new_len, stdout);
}

static void fmt_file(struct fmt *f, const char *name)
{
	size_t len = 0, new_len = 0;
	char *text = read_script(name, &len), *new = NULL;
	nacre_script *s = text ? parse_script(name, text, len) : NULL;
	int e = s ? nacre_script_format(&new, &new_len, s, &f->style) : 0;

	if (e == -EOPNOTSUPP)
		fprintf(stderr, "nacre: %s: cannot be laid out without changing what it means; left as it is\n", name);
	else if (e < 0)
		fprintf(stderr, "nacre: %s: %s\n", name, nacre_strerror(e));
	if (new)
		fmt_result(f, name, text, len, new, new_len);
	else
		f->status = 2;
	nacre_free(new);
	nacre_script_free(s);
	free(text);
}

/* ---- nacre parse ---------------------------------------------------------------------------- */

static const char parse_usage[] =
	"Usage: nacre parse [OPTION]... [FILE]\n"
	"Parse a shell script without running it: FILE, or standard input.\n"
	"\n"
	"      --json              print its tree\n"
	"      --touches           print what it could touch: a line each with line number, kind\n"
	"                          (command, read, write, append, path, code), what is known of\n"
	"                          it (builtin, function, dynamic, pattern; or -), and its name\n"
	"  -h, --help              print this text\n"
	"\n"
	"Without an option nothing is printed. Status 2: it does not parse.\n";

static void print_flags(unsigned flags)
{
	static const char *const names[] = {"dynamic", "builtin", "function", "pattern"};
	bool some = false;

	for (unsigned i = 0; i < 4; i++)
		if (flags & 1u << i)
			printf("%s%s", some ? "," : "", names[i]), some = true;
	if (!some)
		putchar('-');
}

/* Tabs and newlines in a name as \t and \n: a line is one entry. */
static void print_name(const char *s)
{
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", stdout);
		else if (*s == '\t')
			fputs("\\t", stdout);
		else if (*s == '\\')
			fputs("\\\\", stdout);
		else
			putchar(*s);
	}
	putchar('\n');
}

static void print_touches(nacre_script *s)
{
	static const char *const kinds[] = {"command", "read", "write", "append", "path", "code"};

	for (size_t i = 0; i < nacre_script_touches(s); i++) {
		nacre_touch t = {.size = sizeof(t)};

		if (nacre_script_touch(&t, s, i) < 0)
			break;
		printf("%u\t%s\t", t.line, kinds[t.kind]);
		print_flags(t.flags);
		putchar('\t');
		print_name(t.text);
	}
}

static int parse_file(const char *name, bool json, bool touches)
{
	size_t len = 0;
	char *text = read_script(name, &len), *tree;
	nacre_script *s = text ? parse_script(name, text, len) : NULL;
	int status = s ? 0 : 2;

	if (s && json) {
		tree = nacre_script_json(s, NULL, NACRE_JSON_POSITIONS);
		if (tree)
			puts(tree);
		else
			fprintf(stderr, "nacre: out of memory\n"), status = 2;
		nacre_free(tree);
	}
	if (s && touches)
		print_touches(s);
	nacre_script_free(s);
	free(text);
	return status;
}

/* ---- Options --------------------------------------------------------------------------------- */

static int usage_error(const char *command, const char *text, const char *arg)
{
	fprintf(stderr, "nacre %s: %s '%s'\nTry 'nacre %s --help' for more information.\n", command, text, arg, command);
	return 2;
}

static bool is(const char *arg, const char *brief, const char *full)
{
	return (*brief && strcmp(arg, brief) == 0) || strcmp(arg, full) == 0;
}

static bool read_indent(const char *value, unsigned *indent)
{
	char *end;
	unsigned long n = value ? strtoul(value, &end, 10) : 0;

	*indent = (unsigned)n;
	return value && *value >= '0' && *value <= '9' && !*end && n <= 16;
}

/* The options of one of the two commands. */
struct options {
	const char *command, *usage;
	struct {
		const char *brief, *full;
		bool *on;
	} flags[8];
	unsigned *indent; /* of -i; NULL: there is no such option */
};

/* The place of the first operand; 0: the help was asked for and printed; < 0: minus a status. */
static int read_options(const struct options *o, int argc, char **argv)
{
	int i = 2;

	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		size_t k = 0;

		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		if (is(argv[i], "-h", "--help")) {
			fputs(o->usage, stdout);
			return 0;
		}
		if (o->indent && is(argv[i], "-i", "--indent")) {
			if (!read_indent(argv[++i], o->indent))
				return -usage_error(o->command, "invalid indentation", argv[i] ? argv[i] : "");
			continue;
		}
		while (o->flags[k].on && !is(argv[i], o->flags[k].brief, o->flags[k].full))
			k++;
		if (!o->flags[k].on)
			return -usage_error(o->command, "unrecognized option", argv[i]);
		*o->flags[k].on = true;
	}
	return i;
}

int cli_fmt(int argc, char **argv)
{
	struct fmt f = {.style = NACRE_FORMAT_INIT};
	bool case_indent = false, space = false;
	const struct options o = {"fmt", fmt_usage,
				  {{"-w", "--write", &f.write},
				   {"-l", "--list", &f.list},
				   {"-d", "--diff", &f.diff},
				   {"", "--case-indent", &case_indent},
				   {"", "--space-redirects", &space}},
				  &f.style.indent};
	int i = read_options(&o, argc, argv);

	if (i <= 0)
		return -i;
	f.style.case_indent = case_indent;
	f.style.redirect_space = space;
	if (f.write && i == argc)
		return usage_error("fmt", "standard input cannot be written to", "-w");
	if (i == argc)
		fmt_file(&f, "-");
	for (; i < argc; i++)
		fmt_file(&f, argv[i]);
	return f.status;
}

int cli_parse_command(int argc, char **argv)
{
	bool json = false, touches = false;
	const struct options o = {"parse", parse_usage, {{"", "--json", &json}, {"", "--touches", &touches}}, NULL};
	int i = read_options(&o, argc, argv);

	if (i <= 0)
		return -i;
	if (i + 1 < argc)
		return usage_error("parse", "extra operand", argv[i + 1]);
	return parse_file(i < argc ? argv[i] : "-", json, touches);
}
