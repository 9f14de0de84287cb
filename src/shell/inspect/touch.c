/*
 * touch.c - what a script could touch: the commands it runs, the files its redirections open, the
 * arguments that look like paths. Nothing is run, so what only becomes known then is told as such.
 */
#include "touch.h"

#define FUNCTION_BUCKETS 4096u
#define NESTED_MAX       8u /* bash -c "bash -c …" */

struct known {
	struct known *next;
	struct str name;
};

struct finder {
	struct walk walk;
	struct arena *arena;
	struct touch *first, **last;
	struct known *functions[FUNCTION_BUCKETS];
	uint32_t off, line; /* of the text that a nested script stands in; line 0: we are not in one */
	unsigned nested;
};

/* ---- Words ------------------------------------------------------------------------------ */

/* Text of a word that needs no expansion but perhaps that of its globs. */
static bool literal(const struct word *w, struct str *text)
{
	*text = w->flags & (WORD_LITERAL | WORD_RESOLVED) ? w->text : (struct str){w->raw, w->raw_len};
	return (w->flags & WORD_LITERAL) || ((w->flags & WORD_RESOLVED) && !(w->flags & WORD_TILDE));
}

static unsigned word_flags(const struct word *w)
{
	struct str text;

	return (literal(w, &text) || (w->flags & WORD_TILDE) ? 0 : TOUCH_DYNAMIC) | (w->flags & WORD_GLOB ? TOUCH_PATTERN : 0);
}

static struct touch *add(struct finder *f, unsigned kind, unsigned flags, struct str text, const struct word *w)
{
	struct touch *t = arena_zalloc(f->arena, sizeof(*t));

	t->kind = (uint8_t)kind;
	t->flags = (uint8_t)flags;
	t->text = text;
	t->off = f->line ? f->off : w->off;
	t->line = f->line ? f->line : w->line;
	*f->last = t;
	f->last = &t->next;
	return t;
}

static void add_word(struct finder *f, unsigned kind, const struct word *w, struct str command)
{
	struct str text;

	literal(w, &text);
	if (w->flags & WORD_TILDE)
		text = (struct str){w->raw, w->raw_len};
	add(f, kind, word_flags(w), text, w)->command = command;
}

/* ---- Commands ------------------------------------------------------------------------------- */

static bool is_builtin(struct str name)
{
	static const char *const names[] = {
#define BUILTIN(name, ...) name,
#include "../builtin/builtins.def"
#undef BUILTIN
	};

	for (size_t i = 0; i < COUNTOF(names); i++)
		if (str_is(name, names[i]))
			return true;
	return false;
}

static struct known **bucket(struct finder *f, struct str name)
{
	return &f->functions[ast_hash(name) % FUNCTION_BUCKETS];
}

static void note_command(struct finder *f, const struct word *w)
{
	struct str text;
	unsigned flags = literal(w, &text) ? 0 : TOUCH_DYNAMIC;

	if (!flags) {
		flags |= is_builtin(text) ? TOUCH_BUILTIN : 0;
		for (const struct known *k = *bucket(f, text); k; k = k->next)
			flags |= str_eq(k->name, text) ? TOUCH_FUNCTION : 0;
	}
	add(f, TOUCH_COMMAND, flags, text, w);
}

/* A script inside of a word: bash -c, eval, trap. */
static void nested_text(struct finder *f, const struct word *w, struct str text, bool known, struct str command)
{
	struct script s;
	uint32_t off = f->off, line = f->line;

	if (!known || f->nested >= NESTED_MAX || !script_parse(&s, f->arena, text, 0)) {
		add(f, TOUCH_CODE, known ? 0 : TOUCH_DYNAMIC, text, w)->command = command;
		return;
	}
	f->off = line ? off : w->off;
	f->line = line ? line : MAX(w->line, 1u);
	f->nested++;
	walk_cmd(&f->walk, s.tree);
	f->nested--;
	f->off = off;
	f->line = line;
}

static void nested_words(struct finder *f, const struct word *w, uint32_t n, struct str command)
{
	struct text joined = {.arena = f->arena};
	bool known = true;

	for (uint32_t i = 0; i < n; i++) {
		struct str text;

		known &= literal(&w[i], &text);
		if (i)
			text_put(&joined, " ", 1);
		text_put(&joined, text.ptr, text.len);
	}
	if (n)
		nested_text(f, w, text_take(&joined), known, command);
}

/* ---- Arguments -------------------------------------------------------------------------------- */

static bool looks_like_path(const struct word *w)
{
	struct str raw = {w->raw, w->raw_len};

	if (w->flags & WORD_TILDE)
		return true;
	if (str_is(raw, ".") || str_is(raw, ".."))
		return true;
	for (uint32_t i = 0; i < w->nparts; i++)
		if ((w->parts[i].kind == PART_LIT || w->parts[i].kind == PART_QUOTED) && memchr(w->parts[i].text.ptr, '/', w->parts[i].text.len))
			return true;
	return false;
}

/* The path in --file=/a/b, if=/a/b: what is behind the =. */
static struct str path_in(struct str text)
{
	const char *eq = memchr(text.ptr, '=', text.len), *slash = memchr(text.ptr, '/', text.len);

	if (eq && slash && eq < slash)
		return (struct str){eq + 1, text.len - (size_t)(eq + 1 - text.ptr)};
	return text;
}

static void note_argument(struct finder *f, const struct word *w, bool operand, struct str command)
{
	struct str text;
	bool option = w->raw_len > 1 && *w->raw == '-';

	literal(w, &text);
	if (looks_like_path(w)) {
		if (w->flags & WORD_TILDE)
			text = (struct str){w->raw, w->raw_len};
		add(f, TOUCH_PATH, word_flags(w), path_in(text), w)->command = command;
	} else if (operand && !option && text.len) {
		add_word(f, TOUCH_PATH, w, command);
	}
}

/* Operands of these are files whatever they look like; so many at first are none. */
static int operands_skipped(struct str name)
{
	static const char *const none[] = {
	        "cat", "rm", "cp", "mv", "ln", "ls", "mkdir", "rmdir", "touch", "head",
	        "tail", "wc", "sort", "uniq", "cut", "tac", "rev", "nl", "od", "xxd",
	        "stat", "du", "file", "md5sum", "sha1sum", "sha256sum", "sha512sum", "tee", "cd", "pushd",
	        "source", ".", "diff", "cmp", "comm", "join", "paste", "split", "fold", "fmt",
	        "gzip", "gunzip", "zcat", "xz", "unxz", "bzip2", "bunzip2", "zstd", "zip", "unzip",
	        "truncate", "readlink", "realpath", "shred", "mkfifo", "unlink", "install", "bash", "sh", "python",
	        "python3", "node", "js", "sqlite3",
	};
	static const char *const one[] = {
	        "chmod", "chown", "chgrp", "grep", "egrep", "fgrep", "zgrep", "rg", "sed", "awk",
	        "gawk", "jq",
	};

	for (size_t i = 0; i < COUNTOF(none); i++)
		if (str_is(name, none[i]))
			return 0;
	for (size_t i = 0; i < COUNTOF(one); i++)
		if (str_is(name, one[i]))
			return 1;
	return -1;
}

static void note_arguments(struct finder *f, const struct word *words, uint32_t n, struct str command)
{
	int skip = operands_skipped(command);
	bool list = skip >= 0;

	for (uint32_t i = 0; i < n; i++) {
		bool option = words[i].raw_len > 1 && *words[i].raw == '-';
		struct str text;

		literal(&words[i], &text);
		/* With -e or -f the first operand is a file as well; -c's is a program. */
		if (list && skip == 1 && (str_is(text, "-e") || str_is(text, "-f")))
			skip = 0, i++;
		else if (list && skip > 0 && !option)
			skip--, note_argument(f, &words[i], false, command);
		else
			note_argument(f, &words[i], list, command);
	}
}

static void command_words(struct finder *f, const struct word *words, uint32_t n);

static void find_exec(struct finder *f, const struct word *words, uint32_t n)
{
	for (uint32_t i = 0; i + 1 < n; i++) {
		struct str text;

		literal(&words[i], &text);
		if (str_is(text, "-exec") || str_is(text, "-execdir") || str_is(text, "-ok") || str_is(text, "-okdir"))
			command_words(f, &words[i + 1], n - i - 1);
	}
}

/* A command with its arguments: also one that another command runs. */
static void command_words(struct finder *f, const struct word *words, uint32_t n)
{
	struct str name;
	uint32_t inner;

	if (!n)
		return;
	note_command(f, words);
	if (!literal(words, &name)) {
		note_arguments(f, words + 1, n - 1, name);
		return;
	}
	if (str_is(name, "eval")) {
		nested_words(f, words + 1, n - 1, name);
	} else if (str_is(name, "trap") && n > 2) {
		nested_words(f, words + 1, 1, name);
	} else if ((inner = touch_script_operand(words, n)) > 0) {
		nested_words(f, &words[inner], 1, name);
		note_arguments(f, &words[inner + 1], n - inner - 1, STR(""));
	} else if ((inner = touch_inner_command(words, n)) > 0) {
		note_arguments(f, words + 1, inner - 1, name);
		command_words(f, &words[inner], n - inner);
	} else {
		note_arguments(f, words + 1, n - 1, name);
		if (str_is(name, "find"))
			find_exec(f, words + 1, n - 1);
	}
}

/* ---- What the walk meets ---------------------------------------------------------------------- */

#define FINDER(w) ((struct finder *)(void *)(w))

static void on_command(struct walk *w, const struct cmd_simple *c)
{
	command_words(FINDER(w), c->words, c->nwords);
}

static void on_redirection(struct walk *w, const struct redir *r, const struct cmd *of)
{
	struct finder *f = FINDER(w);
	struct str command = of->kind == CMD_SIMPLE ? AST_CONST(cmd_simple, of)->name : STR("");
	bool number = r->flags & (REDIR_DUP_NUMBER | REDIR_MOVE | REDIR_CLOSE);

	/* < <(…): what is read is a pipe of the shell's own */
	if (r->target && r->target->nparts == 1 && r->target->parts[0].kind == PART_PROCSUB)
		return;
	switch (r->op) {
	case REDIR_IN: add_word(f, TOUCH_READ, r->target, command); break;
	case REDIR_APPEND:
	case REDIR_BOTH_APPEND: add_word(f, TOUCH_APPEND, r->target, command); break;
	case REDIR_HEREDOC:
	case REDIR_HERESTR:
	case REDIR_DUP_IN: break;
	case REDIR_DUP_OUT:
		if (!number)
			add_word(f, TOUCH_WRITE, r->target, command);
		break;
	case REDIR_RDWR: 
		add_word(f, TOUCH_READ, r->target, command);
		add_word(f, TOUCH_WRITE, r->target, command);
		break;
	default: add_word(f, TOUCH_WRITE, r->target, command); break;
	}
}

static void on_file(struct walk *w, const struct word *name)
{
	add_word(FINDER(w), TOUCH_READ, name, STR(""));
}

static void on_function(struct walk *w, const struct cmd_function *c)
{
	struct finder *f = FINDER(w);
	struct known *k = arena_alloc(f->arena, sizeof(*k)), **at = bucket(f, c->name);

	*k = (struct known){*at, c->name};
	*at = k;
}

static void no_command(struct walk *w, const struct cmd_simple *c)
{
	(void)w;
	(void)c;
}

static void no_redirection(struct walk *w, const struct redir *r, const struct cmd *of)
{
	(void)w;
	(void)r;
	(void)of;
}

static void no_file(struct walk *w, const struct word *name)
{
	(void)w;
	(void)name;
}

const struct touch *script_touches(struct arena *arena, const struct script *s)
{
	struct finder *f = arena_zalloc(arena, sizeof(*f));

	f->arena = arena;
	f->last = &f->first;
	f->walk = (struct walk){arena, no_command, on_function, no_redirection, no_file};
	walk_cmd(&f->walk, s->tree);
	f->walk = (struct walk){arena, on_command, NULL, on_redirection, on_file};
	walk_cmd(&f->walk, s->tree);
	return f->first;
}
