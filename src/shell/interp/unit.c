/*
 * unit.c - running text: scripts, eval, sourced files, the actions of traps.
 *
 * bash reads a command line, runs it, reads the next: an alias or `shopt -s extglob` on one
 * line changes how the next is read, and a syntax error on line 10 leaves lines 1 to 9 run.
 * The unit's tree and source live in the heap, held by a frame of the state, because
 * functions defined in the text and background jobs outlive it.
 *
 * A text that was parsed as a whole beforehand (the script of a run) comes with its tree.
 */
#include "interp.h"

#include "../syntax/feature.h"

static bool find_alias(void *ctx, struct str name, struct str *value)
{
	struct shell *sh = ctx;
	const struct item_text *a = state_alias(sh->st, name);

	if (a)
		*value = vstr_str(a->text);
	return a != NULL;
}

static uint32_t parse_flags(const struct shell *sh)
{
	/* What is refused is read, to be refused by its name. */
	bool extglob = shopt_is(sh, SHOPT_EXTGLOB) || sh->refused & FEATURE_BIT(EXTGLOB);

	return PARSE_RECOVER | (extglob ? PARSE_EXTGLOB : 0u) |
	       (set_is(sh, SET_POSIX) ? PARSE_POSIX : 0u) |
	       (shopt_is(sh, SHOPT_EXPAND_ALIASES) ? PARSE_ALIASES : 0u) |
	       (set_is(sh, SET_BRACEEXPAND) ? 0u : PARSE_NO_BRACES);
}

void unit_parse_options(struct shell *sh, struct parse_options *o)
{
	*o = (struct parse_options){.flags = parse_flags(sh), .alias = find_alias, .alias_ctx = sh,
	                            .stack_max = (uint32_t)stack_room(sh->p, PARSE_STACK_MAX)};
}

/* Where a line of the source begins. */
static const char *line_begin(const struct parser *p, uint32_t off)
{
	const char *at = p->src + MIN(off, (uint32_t)(p->end - p->src));

	while (at > p->src && at[-1] != '\n')
		at--;
	return at;
}

bool unit_allowed(struct shell *sh, struct parser *p, const struct cmd *cmd)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct parse_error *e = &p->error;
	const struct feature_info *f;
	struct feature_place at;
	bool found = feature_find(a, cmd, sh->refused, p->src, p->end, &at);

	arena_reset(a, mark);
	if (!found)
		return true;
	f = &feature_table[at.feature];
	*e = (struct parse_error){.nlines = 1, .off = at.off, .at_line = at.line};
	e->column = at.off + 1 - (uint32_t)(line_begin(p, at.off) - p->src);
	e->lines[0].line = at.line;
	e->lines[0].text = str_from(
	        u_format(sh->p, "%s %s not supported (byte %u)", f->what, f->verb, at.off));
	return false;
}

/* ---- The task ------------------------------------------------------------------ */

struct task_unit *unit_push(struct shell *sh, enum unit_role role, struct str text,
                            const char *input, uint32_t first_line, const char *source)
{
	struct task_unit *t = task_push(sh, TASK_UNIT, NULL, sizeof *t);
	struct parse_options o;
	struct unit *u;

	if (UNLIKELY(sh->spends))
		sys_spend(sh->p, SYS_LIMIT_SOURCE, text.len);
	t->role = (uint8_t)role;
	t->input = input;
	t->depth = frames_depth(sh->st);
	u = unit_new(sh->st, source ? (role == UNIT_MAIN ? FRAME_MAIN : FRAME_SOURCE) : FRAME_UNIT,
	             text);
	if (source)
		sh->st->frame->source = vstr_new(sh->st->heap, source, strlen(source));
	unit_parse_options(sh, &o);
	o.first_line = first_line;
	parser_init(&t->parser, &u->arena, u->text.ptr, u->text.len, &o);
	t->debugged = role == UNIT_SOURCE && UNLIKELY(sh->st->traps != NULL) && trap_put_debug_aside(sh);
	return t;
}

void unit_leave(struct shell *sh, struct task_unit *t)
{
	frames_leave(sh->st, t->depth);
	if (UNLIKELY(t->debugged))
		trap_allow(sh, TRAP_DEBUG);
}

static void show_source(struct shell *sh, struct task_unit *t, size_t from, size_t to)
{
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, t->parser.src + from, to - from);
	if (to > from && t->parser.src[to - 1] != '\n')
		(void)!u_write_all(sh->p, 2, "\n", 1);
}

static void warnings(struct shell *sh, struct task_unit *t)
{
	for (struct parse_warning *w = t->parser.warnings; w; w = w->next)
		shell_warn_at(sh, w->line, u_strndup(sh->p, w->text.ptr, w->text.len));
	t->parser.warnings = NULL;
}

static void finish(struct shell *sh, struct task_unit *t)
{
	bool ran = t->ran;
	unsigned role = t->role;

	if (role == UNIT_SOURCE)
		trap_return(sh);
	task_pop(sh);
	/* eval and source are simple commands: one status. */
	if (!ran || role == UNIT_EVAL || role == UNIT_SOURCE)
		shell_set_status(sh, ran ? sh->st->status : 0);
}

static void syntax_error(struct shell *sh, struct task_unit *t)
{
	bool is_main = t->role == UNIT_MAIN;
	int status = t->parser.error.in_array ? 1 : 2; /* an array literal without an end */

	shell_parse_error(sh, &t->parser.error, t->input);
	task_pop(sh);
	shell_set_status(sh, status);
	if (!is_main)
		shell_fatal_posix(sh);
}

/* Goes on with `text` in place of the source from `at` on, whose first line is `line`. */
static void replace_source(struct shell *sh, struct task_unit *t, struct str text, uint32_t line)
{
	struct arena *a = &sh->st->frame->unit->arena;
	struct parse_options o;

	unit_parse_options(sh, &o);
	o.first_line = line;
	parser_init(&t->parser, a, arena_strndup(a, text.ptr, text.len), text.len, &o);
}

/* Past empty lines and comments. */
static const char *skip_idle_lines(const char *s, const char *end)
{
	for (;;) {
		const char *at = s, *nl = memchr(s, '\n', (size_t)(end - s));

		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (!nl || (*at != '\n' && *at != '#'))
			return s;
		s = nl + 1;
	}
}

/* set -H: the line that is read next, with !! and the like expanded. False when it is not to run:
 * it was wrong, or only printed. */
static bool expand_history(struct shell *sh, struct task_unit *t)
{
	const char *begin = t->parser.src + parser_offset(&t->parser);
	const char *src = skip_idle_lines(begin, t->parser.end), *nl;
	size_t n;
	struct str line, out;
	struct u_buf b;
	uint32_t number;
	int r;

	if (!set_is(sh, SET_HISTEXPAND) || src >= t->parser.end)
		return true;
	nl = memchr(src, '\n', (size_t)(t->parser.end - src));
	n = nl ? (size_t)(nl - src) : (size_t)(t->parser.end - src);
	line = (struct str){src, n};
	number = t->parser.opts.first_line;
	for (const char *s = t->parser.src; s < begin; s++)
		number += *s == '\n';
	r = history_expand(sh, line, &out);
	if (r == 0)
		return true;
	sh->st->line = number;
	for (const char *s = begin; s < src; s++)
		sh->st->line += *s == '\n';
	if (r < 0) {
		shell_error(sh, "%.*s", (int)out.len, out.ptr);
	} else {
		u_flush(&sh->out);
		(void)!u_write_all(sh->p, 2, u_format(sh->p, "%.*s\n", (int)out.len, out.ptr),
		                   out.len + 1);
	}
	if (r == 2)
		sh->st->history_noted = history_push(sh, out);
	u_buf_init(&b, sh->p, PARSE_SOURCE_MAX);
	u_buf_put(&b, begin, (size_t)(src - begin));
	if (r == 1)
		u_buf_put(&b, out.ptr, out.len);
	else if (nl)
		n++; /* bash does not count the line */
	u_buf_put(&b, src + n, (size_t)(t->parser.end - src) - n);
	replace_source(sh, t, (struct str){b.ptr ? b.ptr : "", b.len}, number);
	return r == 1;
}

void unit_step(struct shell *sh, struct task *head)
{
	struct task_unit *t = (struct task_unit *)(void *)head;
	struct cmd *cmd = NULL;
	enum parse_result r;
	size_t from;

	trap_poll(sh);
	if (t->role == UNIT_MAIN)
		jobs_notify(sh);
	if (t->lines) {
		cmd = *t->lines++;
		if (!cmd) {
			finish(sh, t);
			return;
		}
		t->ran = true;
		machine_start(sh, cmd);
		return;
	}
	t->parser.flags = parse_flags(sh) | (t->parser.flags & PARSE_REPL);
	if (UNLIKELY(set_is(sh, SET_HISTORY)) && t->role == UNIT_MAIN && !expand_history(sh, t))
		return;
	from = parser_offset(&t->parser);
	r = parser_next(&t->parser, &cmd);
	if (UNLIKELY(set_is(sh, SET_HISTORY)) && t->role == UNIT_MAIN && r == PARSE_OK)
		history_note(sh, (struct str){t->parser.src + from,
		                              parser_offset(&t->parser) - from});
	if (UNLIKELY(set_is(sh, SET_VERBOSE)) && t->role != UNIT_TRAP)
		show_source(sh, t, from, parser_offset(&t->parser));
	if (UNLIKELY(t->parser.warnings != NULL))
		warnings(sh, t);
	switch (r) {
	case PARSE_OK:
		if (UNLIKELY(sh->refused && cmd && !unit_allowed(sh, &t->parser, cmd))) {
			syntax_error(sh, t);
			return;
		}
		t->ran = true;
		if (cmd)
			machine_start(sh, cmd);
		return;
	case PARSE_END: finish(sh, t); return;
	default: syntax_error(sh, t); return;
	}
}

bool unit_catches(struct shell *sh, struct task_unit *t)
{
	if (sh->flow == FLOW_DISCARD) {
		/* A subshell ends with the error; others go on with the next line. */
		if (sh->child && t->role != UNIT_MAIN)
			return false;
		sh->flow = FLOW_NONE;
		if (t->parser.failed)
			task_pop(sh);
		return true;
	}
	if (sh->flow == FLOW_RETURN && t->role == UNIT_SOURCE) {
		sh->flow = FLOW_NONE;
		trap_returned(sh);
		task_pop(sh);
		return true;
	}
	return false;
}

void unit_run(struct shell *sh, enum unit_role role, struct str text, const char *input,
              uint32_t first_line, const struct str *command)
{
	struct task *base = sh->top;

	if (sh->nested >= 32) {
		shell_error(sh, "%s: maximum nesting level exceeded", input);
		shell_set_status(sh, 1);
		return;
	}
	sh->nested++;
	unit_push(sh, role, text, input, first_line, NULL);
	if (command)
		sh->st->command = (struct str){
		        arena_strndup(&sh->st->frame->unit->arena, command->ptr, command->len),
		        command->len};
	machine_run(sh, base);
	sh->nested--;
}

/* `set -` or `set +` with a letter that changes how text is read; -o history. */
static bool sets_letter(struct str s, char sign)
{
	const char *at = s.ptr, *end = s.ptr + s.len;

	while ((at = memchr(at, sign, (size_t)(end - at))) != NULL) {
		at++;
		if (end - at > 10 && (memcmp(at, "o history", 9) == 0 || memcmp(at, "so history", 10) == 0))
			return true;
		if (at - s.ptr < 5 || memcmp(at - 5, "set ", 4) != 0)
			continue;
		for (; at < end && ascii_alpha((unsigned char)*at); at++)
			if (*at == 'v' || *at == 'B' || *at == 'n' || *at == 'H')
				return true;
	}
	return false;
}

/* Whether one of the names, in each of which `letter` is at `at`, is in the text. */
struct rare {
	const char *name;
	uint8_t len, at;
};

static bool has_name(struct str s, char letter, const struct rare *v, size_t n)
{
	const char *hit = s.ptr, *end = s.ptr + s.len;

	for (; (hit = memchr(hit, letter, (size_t)(end - hit))) != NULL; hit++)
		for (size_t i = 0; i < n; i++)
			if (hit - s.ptr >= v[i].at && end - hit >= v[i].len - v[i].at &&
			    memcmp(hit - v[i].at, v[i].name, v[i].len) == 0)
				return true;
	return false;
}

/* A script that never names an option which changes how text is read may be read at once. */
static bool reading_may_change(struct str s)
{
	static const struct rare x[] = {
	        {"expand_aliases", 14, 1}, {"extglob", 7, 1}, {"posix", 5, 4}, {"braceexpand", 11, 6}};
	static const struct rare v[] = {{"verbose", 7, 0}};

	return has_name(s, 'x', x, COUNTOF(x)) || has_name(s, 'v', v, COUNTOF(v)) ||
	       sets_letter(s, '-') || sets_letter(s, '+');
}

/* A first reading of what may change while it runs: false with p->error set. */
static NOINLINE bool check_all(struct shell *sh, struct parser *p)
{
	struct str text = {p->src, (size_t)(p->end - p->src)};
	struct parse_options o;
	struct parser check;
	struct cmd *cmd;
	enum parse_result r;

	unit_parse_options(sh, &o);
	o.flags |= PARSE_TRACK_OPTIONS;
	parser_init(&check, &sys_self(sh->p)->arena, text.ptr, text.len, &o);
	while ((r = parser_next(&check, &cmd)) == PARSE_OK) {
		sys_checkpoint(sh->p);
		if (sh->refused && cmd && !unit_allowed(sh, &check, cmd)) {
			p->error = check.error;
			return false;
		}
	}
	/* Aliases change what parses: only reading line by line can tell. */
	if (r == PARSE_END || memmem(text.ptr, text.len, "expand_aliases", 14))
		return true;
	p->error = check.error;
	return false;
}

bool unit_parse_all(struct shell *sh, struct task_unit *t)
{
	struct arena *a = &sh->st->frame->unit->arena;
	struct parser *p = &t->parser;
	struct str text = {p->src, (size_t)(p->end - p->src)};
	struct cmd **lines, *cmd;
	size_t n = 0, cap = 4;
	enum parse_result r;

	if (reading_may_change(text))
		return check_all(sh, p);
	lines = arena_alloc(a, cap * sizeof *lines);
	while ((r = parser_next(p, &cmd)) == PARSE_OK) {
		sys_checkpoint(sh->p);
		if (n + 1 >= cap) {
			lines = arena_grow(a, lines, cap * sizeof *lines, cap * 2 * sizeof *lines);
			cap *= 2;
		}
		if (cmd && sh->refused && !unit_allowed(sh, p, cmd))
			return false;
		if (cmd)
			lines[n++] = cmd;
	}
	if (r != PARSE_END)
		return false;
	if (p->warnings) {
		/* They belong before the line they are about: read it again in time. */
		struct parse_options o;

		unit_parse_options(sh, &o);
		parser_init(p, a, text.ptr, text.len, &o);
		return true;
	}
	lines[n] = NULL;
	t->lines = lines;
	return true;
}

/* ---- Reading files ---------------------------------------------------------------- */

#define SNIFF 80

/* bash's own test: a NUL in the first line makes a file a binary one, or that it is one of a machine. */
static bool is_binary(struct str s)
{
	size_t n = MIN(s.len, (size_t)SNIFF);

	if (n >= 4 && memcmp(s.ptr, "\177ELF", 4) == 0)
		return true;
	for (size_t i = 0; i < n; i++) {
		if (s.ptr[i] == '\n')
			return false;
		if (s.ptr[i] == '\0')
			return true;
	}
	return false;
}

int unit_read(struct shell *sh, const char *path, struct str *out)
{
	struct sys_stat st;
	int fd, r;

	fd = sys_open(sh->p, path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	if (fd < 0)
		return fd;
	r = sys_fstat(sh->p, fd, &st);
	if (r == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR)
		r = -NACRE_EISDIR;
	if (r == 0)
		r = u_read_all(sh->p, fd, PARSE_SOURCE_MAX, out);
	sys_close(sh->p, fd);
	if (r >= 0 && is_binary(*out))
		return -NACRE_ENOEXEC;
	return r < 0 ? r : 0;
}
