/*
 * select.c - the select loop: a numbered menu on stderr, an answer from stdin.
 *
 * The menu is laid out in columns down the page, as wide as COLUMNS allows, like bash's.
 */
#include "interp.h"

#define ANSWER_MAX 65536u

static size_t digits(size_t n)
{
	size_t d = 1;

	while (n >= 10) {
		n /= 10;
		d++;
	}
	return d;
}

static size_t columns_wide(struct shell *sh)
{
	char buf[VALUE_BUF];
	struct str s;
	size_t n = 0;

	if (state_get(sh->st, STR("COLUMNS"), buf, &s) && s.len && s.len < 6)
		for (size_t i = 0; i < s.len && ascii_digit((unsigned char)s.ptr[i]); i++)
			n = n * 10 + (size_t)(s.ptr[i] - '0');
	return n ? n : 80;
}

/* From column `from` to column `to`, with tabs where they fit. */
static void indent(struct u_buf *b, size_t from, size_t to)
{
	while (from < to) {
		if (to / 8 > from / 8) {
			u_buf_putc(b, '\t');
			from += 8 - from % 8;
		} else {
			u_buf_putc(b, ' ');
			from++;
		}
	}
}

static void menu(struct shell *sh, const struct fields *w, struct u_buf *b)
{
	size_t width = 0, number = digits(w->n), cols, rows, total = columns_wide(sh);

	for (size_t i = 0; i < w->n; i++) {
		size_t n = utf8_columns(w->v[i], strlen(w->v[i]));

		width = MAX(width, n);
	}
	width += number + 2 + 2;
	cols = MAX(total / width, 1u);
	rows = (w->n + cols - 1) / cols;
	cols = (w->n + rows - 1) / rows;
	if (rows == 1) {
		rows = cols;
		cols = 1;
	}
	number = digits(rows);
	for (size_t r = 0; r < rows; r++) {
		size_t at = 0;

		for (size_t i = r, col = 0; i < w->n; i += rows, col++) {
			size_t room = col == 0 ? number : digits(w->n);
			size_t used;

			u_buf_printf(b, "%*zu) %s", (int)room, i + 1, w->v[i]);
			used = at + room + 2 + utf8_columns(w->v[i], strlen(w->v[i]));
			if (i + rows < w->n) {
				indent(b, used, at + width);
				at += width;
			}
		}
		u_buf_putc(b, '\n');
	}
}

static void show(struct shell *sh, const struct task_for *f, bool with_menu)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	char buf[VALUE_BUF];
	struct str ps3;
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	if (with_menu)
		menu(sh, &f->words, &b);
	if (state_get(sh->st, STR("PS3"), buf, &ps3))
		u_buf_put(&b, ps3.ptr, ps3.len);
	else
		u_buf_puts(&b, "#? ");
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, b.ptr, b.len);
	arena_reset(a, mark);
}

/* The answer in REPLY and what it chose in the variable: false at the end of input. */
static bool answer(struct shell *sh, struct task_for *f, const struct cmd_for *c, bool *empty)
{
	char *line = u_alloc(sh->p, ANSWER_MAX);
	int64_t n = sys_read_until(sh->p, 0, '\n', line, ANSWER_MAX, -1, NULL);
	const char *end;
	int64_t which;
	struct str value = {"", 0};

	if (n <= 0)
		return false;
	if (line[n - 1] == '\n')
		n--;
	line[n] = '\0';
	while (n > 0 && ascii_blank((unsigned char)line[n - 1]))
		line[--n] = '\0';
	while (ascii_blank((unsigned char)*line)) {
		line++;
		n--;
	}
	*empty = n == 0;
	if (*empty)
		return true;
	state_set(sh->st, STR("REPLY"), (struct str){line, (size_t)n});
	which = num_i64(line, &end, 10, NULL);
	if (*end == '\0' && which >= 1 && (uint64_t)which <= f->words.n)
		value = str_from(f->words.v[which - 1]);
	if (assign_text(&sh->x, c->name, value, VAR_VISIBLE, 0))
		return true;
	sh->x.error = EXPAND_NONE;
	return false;
}

void select_step(struct shell *sh, struct task *head)
{
	struct task_for *f = (struct task_for *)(void *)head;
	const struct cmd_for *c = AST_CONST(cmd_for, head->cmd);
	struct arena *a = &sys_self(sh->p)->arena;
	bool with_menu = f->i == 0, got, empty;

	if (f->words.n == 0) {
		task_pop(sh);
		shell_compound_status(sh, 0);
		return;
	}
	if (f->i == 0 && set_is(sh, SET_XTRACE))
		trace_for(sh, c);
	f->i = 1;
	for (;;) {
		struct arena_mark mark = arena_mark(a);

		show(sh, f, with_menu);
		got = answer(sh, f, c, &empty);
		arena_reset(a, mark);
		if (!got) {
			(void)!u_write_all(sh->p, 1, "\n", 1);
			task_pop(sh);
			shell_compound_status(sh, 1);
			return;
		}
		if (!empty)
			break;
		with_menu = true;
	}
	machine_start(sh, c->body);
}
