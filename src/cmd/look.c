/*
 * look.c - print the lines of a sorted file that begin with a string.
 *
 * The first of them is found by halving, as the original does: what it prints of a file that is not sorted
 * is the same, too.
 */
#include "cmd.h"

#define LOOK_WORDS "/usr/share/dict/words"
#define LOOK_OTHER "/usr/share/dict/web2"
#define LOOK_MAX ((size_t)256 << 20)

struct look {
	bool other, alphanum, fold;
	const char *terminate;

	struct proc *p;
	char *key;	/* as it is compared */
	size_t nkey;
};

static const struct cmd_opt look_opts[] = {
	CMD_FLAG(struct look, other, 'a', "alternative", "use the alternative dictionary"),
	CMD_FLAG(struct look, alphanum, 'd', "alphanum", "compare only blanks and alphanumeric characters"),
	CMD_FLAG(struct look, fold, 'f', "ignore-case", "upper and lower case are the same"),
	CMD_STRING(struct look, terminate, 't', "terminate", "CHAR", "compare STRING up to and including CHAR only"),
};

/* The order of the key and the start of a line: < 0 when the line comes before the key, 0 when it begins with it. */
static int compare(const struct look *k, const char *s, const char *end)
{
	size_t i = 0;

	while (i < k->nkey && s < end && *s != '\n') {
		unsigned char c = (unsigned char)*s++, key = (unsigned char)k->key[i];

		if (k->alphanum && !ascii_alnum(c) && !ascii_space(c))
			continue;
		if (k->fold)
			c = (unsigned char)ascii_tolower(c);
		if (c != key)
			return c < key ? -1 : 1;
		i++;
	}
	return i == k->nkey ? 0 : -1;
}

static const char *after_newline(const char *s, const char *end)
{
	const char *nl = s < end ? memchr(s, '\n', (size_t)(end - s)) : NULL;

	return nl ? nl + 1 : end;
}

static bool print_matches(struct look *k, struct str text)
{
	const char *front = text.ptr, *end = text.ptr + text.len, *back = end;
	const char *s = after_newline(front + (back - front) / 2, back);
	bool any = false;

	while (s < back && back > front) {
		if (compare(k, s, back) < 0)
			front = s;
		else
			back = s;
		s = after_newline(front + (back - front) / 2, back);
	}
	while (front < end && compare(k, front, end) < 0) {
		front = after_newline(front, end);
		sys_checkpoint(k->p);
	}
	for (; front < end && compare(k, front, end) == 0; any = true) {
		const char *next = after_newline(front, end);

		u_put(u_stdout(k->p), front, (size_t)(next - front));
		front = next;
	}
	return any;
}

static void make_key(struct look *k, const char *s)
{
	const char *stop = k->terminate ? strchr(s, k->terminate[0]) : NULL;
	size_t n = stop && *stop ? (size_t)(stop + 1 - s) : strlen(s);

	k->key = u_alloc(k->p, n + 1);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if (k->alphanum && !ascii_alnum(c) && !ascii_space(c))
			continue;
		k->key[k->nkey++] = (char)(k->fold ? ascii_tolower(c) : c);
	}
}

static int look_main(struct proc *p, const struct cmd_args *a)
{
	struct look *k = a->opts;
	const char *file = k->other ? LOOK_OTHER : LOOK_WORDS;
	struct str text;
	int fd, r;

	k->p = p;
	if (a->argc == 0)
		u_usage(p, "bad usage");
	if (a->argc > 2)
		u_usage(p, "bad usage");
	if (a->argc == 2)
		file = a->argv[1];
	else
		k->alphanum = k->fold = true;
	make_key(k, a->argv[0]);
	fd = r = sys_open(p, file, SYS_O_READ, 0);
	if (fd >= 0)
		r = u_read_all(p, fd, LOOK_MAX, &text);
	if (r < 0)
		u_die(p, 1, r, "%s", file);
	/* The original maps the file, which cannot be done with an empty one. */
	if (text.len == 0)
		u_die(p, 1, -NACRE_EINVAL, "%s", file);
	return !print_matches(k, text);
}

static const struct cmd_example look_examples[] = {
	{"printf 'apple\\nbanana\\nbandit\\ncherry\\n' > words; look ban words", "banana\nbandit\n"},
};

const struct cmd cmd_look = {
	.name = "look",
	.summary = "print the lines of a sorted FILE that begin with STRING",
	.synopsis = "[OPTION]... STRING [FILE]",
	.description = "Without FILE, " LOOK_WORDS " is read, with -d and -f.",
	.opts = look_opts,
	.nopts = COUNTOF(look_opts),
	.opts_size = sizeof(struct look),
	.main = look_main,
	.examples = look_examples,
	.nexamples = COUNTOF(look_examples),
};
