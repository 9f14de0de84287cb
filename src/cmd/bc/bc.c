/* bc - an arbitrary precision calculator language. */
#include "bc.h"
#include "feed.h"

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

/* ---- Standard input ----------------------------------------------------------------------- */

/* Where in a text a scanner of characters is. */
struct place {
	bool string, escaped;
	char comment;	/* '*' in one with slashes, '#' to the end of the line */
	char before;
	int depth;	/* of braces and parentheses */
	enum { HEAD_NONE, HEAD_WORD, HEAD_PARENS, HEAD_BODY } head; /* of an if, while, for or define whose body is to come */
	char word[8];
	size_t word_len;
};

/* A word has ended. */
static void note_word(struct place *at)
{
	static const char *const heads[] = {"if", "while", "for", "define"};

	at->word[MIN(at->word_len, sizeof(at->word) - 1)] = '\0';
	for (size_t i = 0; i < COUNTOF(heads); i++)
		if (streq(at->word, heads[i]))
			at->head = HEAD_WORD;
	if (streq(at->word, "else"))
		at->head = HEAD_BODY;
	at->word_len = 0;
}

static void note(struct place *at, char c)
{
	if (at->head == HEAD_BODY && !ascii_space((unsigned char)c) && c != '\\')
		at->head = HEAD_NONE;
	if (c == '(' && at->head == HEAD_WORD)
		at->head = HEAD_PARENS;
	at->depth += c == '{' || c == '(';
	at->depth -= (c == '}' || c == ')') && at->depth > 0;
	if (c == ')' && at->head == HEAD_PARENS && at->depth == 0)
		at->head = HEAD_BODY;
}

static bool line_ends(void *state, char c)
{
	struct place *at = state;
	char before = at->before;

	at->before = c;
	if (at->string || at->comment == '*') {
		at->string &= c != '"';
		if (at->comment && before == '*' && c == '/')
			at->comment = at->before = '\0';
		return false;
	}
	if (at->comment && c != '\n')
		return false;
	at->comment = '\0';
	if (ascii_alnum((unsigned char)c) || c == '_') {
		if (at->head == HEAD_BODY)
			at->head = HEAD_NONE;
		if (at->word_len + 1 < sizeof(at->word))
			at->word[at->word_len] = c;
		at->word_len++;
		return false;
	}
	if (at->word_len)
		note_word(at);
	if (c == '"')
		at->string = true;
	else if (c == '#')
		at->comment = '#';
	else if (before == '/' && c == '*')
		at->comment = '*', at->before = '\0';
	note(at, c);
	return c == '\n' && before != '\\' && at->depth == 0 && at->head == HEAD_NONE;
}

static void run_input(struct bc *b)
{
	struct place at = {0};
	struct feed f;
	struct str text;

	feed_init(&f, b->p, 0, INPUT_MAX, line_ends, &at);
	b->feed = &f;
	b->line = 1;
	while (feed_next(&f, &text))
		bc_run_text(b, "(standard_in)", text.ptr, text.len);
	if (f.err)
		u_die(b->p, 1, f.err, "standard input");
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
		b->line = 1;
		bc_run_text(b, a->argv[i], text.ptr, text.len);
		sys_close(p, fd);
	}
	run_input(b);
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
	.description = "A line of standard input is answered before the next one is waited for.",
	.opts = bc_flags,
	.nopts = COUNTOF(bc_flags),
	.opts_size = sizeof(struct bc_opts),
	.stack_size = 16u << 20,
	.main = bc_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
