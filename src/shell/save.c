/*
 * save.c - the session's shell as bytes, and back: what one run leaves for the next, on another machine.
 *
 * Two programs, each the first of a run: one takes the session, writes it to its standard output and puts it
 * back; the other makes a state of its standard input and puts that. What is read may be anything: lengths are
 * checked, names judged, functions parsed; nothing of it is run.
 *
 * Records: a letter, then numbers (8 bytes, little-endian) and texts (a number and bytes). A function is kept as it
 * was written, with its line, so that messages name the same lines; its text as the shell prints it says
 * whether it was read rightly (a here-document may end behind it), and is read otherwise.
 */
#include "interp/interp.h"
#include "shell.h"
#include "syntax/print.h"

#define STATE_MAX ((size_t)256 << 20)
#define LINES_MAX 100000u

/* ---- Writing ------------------------------------------------------------------ */

static void put_number(struct u_buf *b, uint64_t v)
{
	char bytes[8];

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (char)(v >> (8 * i));
	u_buf_put(b, bytes, 8);
}

static void put_text(struct u_buf *b, struct str s)
{
	put_number(b, s.len);
	u_buf_put(b, s.ptr, s.len);
}

static struct item **items(struct shell_state *st, const struct table *t, size_t *n)
{
	struct item **v = u_alloc(st->p, (t->n + 1) * sizeof(*v));

	*n = table_items(t, v);
	return v;
}

static void put_var(struct u_buf *b, const struct var *v)
{
	u_buf_putc(b, 'V');
	put_text(b, item_name(&v->head));
	put_number(b, v->flags & (VAR_ATTRS | VAR_SET));
	if (v->flags & VAR_ARRAY) {
		size_t n = v->array ? v->array->n : 0;

		put_number(b, n);
		for (size_t i = 0; i < n; i++) {
			put_number(b, (uint64_t)v->array->e[i].index);
			put_text(b, vstr_str(v->array->e[i].v));
		}
	} else if (v->flags & VAR_ASSOC) {
		size_t n = v->assoc ? v->assoc->n : 0;

		put_number(b, n);
		for (size_t i = 0; i < n; i++) {
			put_text(b, vstr_str(v->assoc->e[i].key));
			put_text(b, vstr_str(v->assoc->e[i].v));
			put_number(b, v->assoc->e[i].seq);
		}
		put_number(b, v->assoc ? v->assoc->buckets : 0);
		put_number(b, v->assoc ? v->assoc->seq : 0);
	} else if (v->flags & VAR_SET) {
		put_text(b, sval_str(&v->s));
	}
}

static void put_functions(struct shell_state *st, struct u_buf *b)
{
	size_t n;
	struct item **v = items(st, &st->funcs, &n);

	for (size_t i = 0; i < n; i++) {
		const struct func *f = (const struct func *)(const void *)v[i];

		u_buf_putc(b, 'F');
		put_text(b, item_name(v[i]));
		put_number(b, f->flags & (VAR_EXPORT | VAR_READONLY | VAR_TRACE));
		put_number(b, f->line);
		put_text(b, f->source ? vstr_str(f->source) : STR(""));
		put_number(b, f->source != NULL);
		put_text(b, (struct str){f->def->source, f->def->source_len});
		put_text(b, print_function(&sys_self(st->p)->arena, f->def));
	}
}

static void put_texts(struct shell_state *st, struct u_buf *b, char what, const struct table *t)
{
	size_t n;
	struct item **v = items(st, t, &n);

	for (size_t i = 0; i < n; i++) {
		const struct item_text *x = (const struct item_text *)(const void *)v[i];

		u_buf_putc(b, what);
		put_text(b, item_name(v[i]));
		put_text(b, vstr_str(x->text));
		put_number(b, x->hits);
	}
}

static void put_lists(struct shell_state *st, struct u_buf *b)
{
	for (size_t i = 0; i < history_count(st); i++) {
		u_buf_putc(b, 'Y');
		put_text(b, history_at(st, i, NULL));
	}
	/* The bottom first, as they are pushed. */
	for (size_t i = dirs_count(st); i-- > 1;) {
		struct str dir;

		u_buf_putc(b, 'D');
		put_text(b, dirs_at(st, i, &dir) ? dir : STR("/"));
	}
	for (unsigned k = 0; k < TRAP_COUNT; k++) {
		const struct vstr *action = trap_get(st, k);

		if (!action)
			continue;
		u_buf_putc(b, 'T');
		put_number(b, k);
		put_text(b, vstr_str(action));
	}
	for (size_t i = 0; st->completions && i < st->completions->n; i++) {
		u_buf_putc(b, 'C');
		put_text(b, vstr_str(st->completions->e[i].key));
		put_text(b, vstr_str(st->completions->e[i].v));
	}
}

static void put_plain(struct shell_state *st, struct u_buf *b)
{
	uint8_t one[1] = {st->pipe_one};

	u_buf_putc(b, 'O');
	put_number(b, st->opts);
	put_number(b, st->shopts);
	put_number(b, st->special_off);
	put_number(b, st->random_state);
	put_number(b, (uint64_t)(sys_clock(st->p, SYS_CLOCK_REAL) / 1000000000 - st->seconds_base));
	put_number(b, st->getopts_at);
	put_number(b, st->getopts_ind);
	put_number(b, st->history_base);
	put_number(b, st->history_fresh);
	put_number(b, st->history_lines);
	put_text(b, st->pipestatus ? (struct str){(const char *)st->pipestatus->v, st->pipestatus->n}
	                           : (struct str){(const char *)one, 1});
}

int shell_save_main(struct proc *p, int argc, char **argv)
{
	struct shell_state *st = sys_session_take(p);
	struct u_buf b;
	size_t n;
	struct item **v;
	int status = 0;

	(void)argc;
	(void)argv;
	if (!st)
		return 0;
	state_adopt(st, p);
	if (st->interp) { /* stopped inside: what a next run would find */
		shell_settle(st);
		trap_set(st, TRAP_EXIT, NULL);
	}
	u_buf_init(&b, p, STATE_MAX);
	u_buf_putc(&b, 'W');
	put_text(&b, str_from(sys_getcwd(p)));
	put_plain(st, &b);
	v = items(st, &st->vars, &n);
	for (size_t i = 0; i < n; i++) {
		const struct var *var = (const struct var *)(const void *)v[i];

		if (v[i]->kind == ITEM_VAR && !(var->flags & VAR_DYNAMIC))
			put_var(&b, var);
	}
	put_functions(st, &b);
	put_texts(st, &b, 'A', &st->aliases);
	put_texts(st, &b, 'H', &st->paths);
	put_lists(st, &b);
	u_buf_putc(&b, '.');
	if (u_write_all(p, 1, b.ptr, b.len) < 0)
		status = 1;
	sys_attach(p, NULL, NULL);
	sys_session_put(p, st, state_release);
	return status;
}

/* ---- Reading --------------------------------------------------------------------- */

struct reader {
	const char *at;
	size_t left;
	bool bad;
	uint64_t opts, shopts, special_off; /* set last */
	uint32_t history_base, history_fresh, history_lines;
};

static uint64_t number(struct reader *r)
{
	uint64_t v = 0;

	if (r->bad || r->left < 8) {
		r->bad = true;
		return 0;
	}
	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)(unsigned char)r->at[i] << (8 * i);
	r->at += 8;
	r->left -= 8;
	return v;
}

/* A text; of variables and the like one without NUL. */
static struct str bytes(struct reader *r)
{
	uint64_t n = number(r);
	struct str s = {r->at, (size_t)n};

	if (r->bad || n > r->left) {
		r->bad = true;
		return STR("");
	}
	r->at += n;
	r->left -= (size_t)n;
	return s;
}

static struct str text(struct reader *r)
{
	struct str s = bytes(r);

	if (s.len && memchr(s.ptr, '\0', s.len)) {
		r->bad = true;
		return STR("");
	}
	return s;
}

static void load_array(struct shell_state *st, struct reader *r, struct str name)
{
	uint64_t n = number(r);
	int64_t last = -1;

	for (uint64_t i = 0; i < n && !r->bad; i++) {
		int64_t index = (int64_t)number(r);
		struct str value = text(r);

		r->bad = r->bad || index <= last;
		if (!r->bad)
			(void)state_put_elem(st, name, VAR_GLOBAL, index, value, false);
		last = index;
	}
}

static void load_assoc(struct shell_state *st, struct reader *r, struct str name)
{
	uint64_t n = number(r), buckets, seq;
	const char *start = r->at;
	size_t left = r->left;
	const struct var *v;

	for (uint64_t i = 0; i < n && !r->bad; i++) {
		struct str key = text(r), value = text(r);

		(void)number(r);
		if (!r->bad)
			(void)state_put_key(st, name, VAR_GLOBAL, key, value, false);
	}
	buckets = number(r);
	seq = number(r);
	v = state_find(st, name);
	if (r->bad || !v || !(v->flags & VAR_ASSOC) || !v->assoc || v->assoc->n != n)
		return;
	/* The order in which keys are listed is that of their numbers. */
	*r = (struct reader){start, left, false, r->opts, r->shopts, r->special_off, r->history_base, r->history_fresh, r->history_lines};
	for (uint64_t i = 0; i < n; i++) {
		(void)text(r);
		(void)text(r);
		v->assoc->e[i].seq = (uint32_t)number(r);
	}
	(void)number(r);
	(void)number(r);
	v->assoc->seq = (uint32_t)seq;
	for (uint64_t k = v->assoc->buckets; k && k <= UINT32_MAX; k *= 2)
		if (k == buckets)
			v->assoc->buckets = (uint32_t)k;
}

static void load_var(struct shell_state *st, struct reader *r)
{
	struct str name = text(r);
	uint64_t flags = number(r);
	uint32_t shape = (uint32_t)flags & (VAR_ARRAY | VAR_ASSOC);

	if (r->bad || !name_valid(name) || flags & ~(uint64_t)(VAR_ATTRS | VAR_SET) || shape == (VAR_ARRAY | VAR_ASSOC)) {
		r->bad = true;
		return;
	}
	if (shape) {
		(void)state_declare(st, name, VAR_GLOBAL, shape, 0, NULL);
		if (flags & VAR_SET)
			(void)state_clear_array(st, name, VAR_GLOBAL);
		if (shape == VAR_ARRAY)
			load_array(st, r, name);
		else
			load_assoc(st, r, name);
	} else if (flags & VAR_SET) {
		struct str value = text(r);

		if (!r->bad)
			(void)state_put(st, name, VAR_GLOBAL, value, false);
	}
	if (!r->bad)
		(void)state_declare(st, name, VAR_GLOBAL, (uint32_t)flags & VAR_ATTRS, 0, NULL);
}

/* One definition and nothing else; NULL otherwise. The unit is the top frame's. */
static const struct cmd_function *parse_definition(struct shell *sh, struct str source, struct unit **u)
{
	struct parse_options o;
	struct parser parser;
	struct cmd *cmd;

	*u = unit_new(sh->st, FRAME_UNIT, source);
	unit_parse_options(sh, &o);
	parser_init(&parser, &(*u)->arena, (*u)->text.ptr, (*u)->text.len, &o);
	if (parser_next(&parser, &cmd) != PARSE_OK || !cmd || cmd->kind != CMD_FUNCTION || parser_offset(&parser) < (*u)->text.len)
		return NULL;
	return AST_CONST(cmd_function, cmd);
}

/* The text with so many lines before it. */
static struct str on_line(struct shell *sh, struct str source, uint64_t line)
{
	struct u_buf b;

	u_buf_init(&b, sh->p, STATE_MAX);
	for (uint64_t i = 1; i < line && line <= LINES_MAX; i++)
		u_buf_putc(&b, '\n');
	u_buf_put(&b, source.ptr, source.len);
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

static void load_function(struct shell *sh, struct reader *r)
{
	struct str name = text(r);
	uint64_t flags = number(r), line = number(r);
	struct str file = text(r);
	bool has_file = number(r) != 0;
	struct str source = text(r), printed = text(r), again;
	const struct cmd_function *f;
	struct vstr *from = NULL;
	struct unit *u;

	if (r->bad || flags & ~(uint64_t)(VAR_EXPORT | VAR_READONLY | VAR_TRACE)) {
		r->bad = true;
		return;
	}
	f = parse_definition(sh, on_line(sh, source, line), &u);
	if (f) {
		again = print_function(&sys_self(sh->p)->arena, f);
		if (!str_eq(again, printed))
			f = NULL;
	}
	if (!f) {
		frame_pop(sh->st);
		f = parse_definition(sh, on_line(sh, printed, line), &u);
	}
	if (f && str_eq(f->name, name)) {
		if (has_file)
			from = vstr_new(sh->st->heap, file.ptr, file.len);
		if (state_define(sh->st, f, u, from) == VAR_OK)
			(void)state_func_flags(sh->st, name, (uint32_t)flags, 0);
		vstr_put(sh->st->heap, from);
	} else {
		r->bad = true;
	}
	frame_pop(sh->st);
}

static void load_text(struct shell_state *st, struct reader *r, struct table *t)
{
	struct str name = text(r), value = text(r);
	uint64_t hits = number(r);
	struct item *it;

	if (r->bad || name.len == 0) {
		r->bad = true;
		return;
	}
	state_set_text(st, t, name, value);
	it = table_find(t, name.ptr, name.len, table_hash(name.ptr, name.len));
	if (it)
		((struct item_text *)(void *)it)->hits = (uint32_t)hits;
}

static void load_plain(struct shell_state *st, struct reader *r)
{
	struct str pipes;

	r->opts = number(r);
	r->shopts = number(r);
	r->special_off = number(r);
	st->random_state = number(r) & UINT32_MAX;
	st->seconds_base = sys_clock(st->p, SYS_CLOCK_REAL) / 1000000000 - (int64_t)(number(r) & INT32_MAX);
	st->getopts_at = (uint32_t)(number(r) & 0xffff);
	st->getopts_ind = (uint32_t)number(r);
	r->history_base = (uint32_t)number(r);
	r->history_fresh = (uint32_t)number(r);
	r->history_lines = (uint32_t)number(r);
	pipes = bytes(r);
	if (!r->bad && pipes.len <= 65536)
		state_set_pipestatus(st, (const uint8_t *)pipes.ptr, pipes.len);
	st->pipe_one = pipes.len == 1 ? (uint8_t)pipes.ptr[0] : 0;
}

static void load_trap(struct shell_state *st, struct reader *r)
{
	uint64_t which = number(r);
	struct str action = text(r);

	if (r->bad || which >= TRAP_COUNT || which == TRAP_EXIT)
		r->bad = true;
	else
		trap_set(st, (unsigned)which, &action);
}

/* One record; false at the end. */
static bool load_record(struct shell *sh, struct reader *r)
{
	struct shell_state *st = sh->st;
	struct str s, value;

	if (r->left == 0) {
		r->bad = true;
		return false;
	}
	r->left--;
	switch (*r->at++) {
	case 'W':
		s = text(r);
		/* Gone meanwhile: where the configuration says. */
		if (!r->bad && s.len && s.len < SYS_PATH_MAX && sys_chdir(sh->p, u_strndup(sh->p, s.ptr, s.len)) < 0)
			(void)0;
		break;
	case 'O': load_plain(st, r); break;
	case 'V': load_var(st, r); break;
	case 'F': load_function(sh, r); break;
	case 'A': load_text(st, r, &st->aliases); break;
	case 'H': load_text(st, r, &st->paths); break;
	case 'Y':
		s = text(r);
		if (!r->bad)
			history_add(st, s);
		break;
	case 'D':
		s = text(r);
		if (!r->bad && s.len)
			dirs_push(st, s);
		break;
	case 'T': load_trap(st, r); break;
	case 'C':
		s = text(r);
		value = text(r);
		if (!r->bad) {
			assoc_own(st->heap, &st->completions);
			if (!st->completions->buckets)
				st->completions->buckets = 1024;
			assoc_set(st->heap, &st->completions, s, value.ptr, value.len, false);
		}
		break;
	case '.': return false;
	default: r->bad = true;
	}
	return !r->bad;
}

static void forget_variables(struct shell_state *st)
{
	size_t n;
	struct item **v = items(st, &st->vars, &n);

	for (size_t i = 0; i < n; i++) {
		struct str name = item_name(v[i]);

		(void)state_unset(st, (struct str){u_strndup(st->p, name.ptr, name.len), name.len});
	}
}

int shell_load_main(struct proc *p, int argc, char **argv)
{
	struct shell_state *st = state_new(p);
	struct shell *sh = shell_new(p, st);
	struct reader r = {.history_base = 1};
	struct str all;

	(void)argc;
	(void)argv;
	if (u_read_all(p, 0, STATE_MAX, &all) < 0)
		return 2;
	r.at = all.ptr;
	r.left = all.len;
	r.opts = st->opts;
	r.shopts = st->shopts;
	forget_variables(st);
	while (load_record(sh, &r))
		;
	if (r.bad || r.left)
		return 1;
	state_set_opts(st, r.opts, r.shopts);
	st->special_off = r.special_off;
	st->history_base = r.history_base;
	st->history_fresh = (uint32_t)MIN((size_t)r.history_fresh, history_count(st));
	st->history_lines = r.history_lines;
	shell_settle(st);
	sys_attach(p, NULL, NULL);
	sys_session_put(p, st, state_release);
	return 0;
}
