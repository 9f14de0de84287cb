/*
 * compound.c - lists, conditions and loops: the steps of their tasks.
 *
 * The last part of a construct is started in place of the construct's task, so that a
 * recursion at the end of a function's body costs as little as it can.
 */
#include "interp.h"

/* ---- Lists ---------------------------------------------------------------- */

void list_step(struct shell *sh, struct task *f)
{
	struct task_seq *s = (struct task_seq *)(void *)f;
	const struct cmd_list *c = AST_CONST(cmd_list, f->cmd);

	while (s->i < c->n) {
		const struct list_item *it = &c->items[s->i++];

		if (it->sep == SEP_AMP) {
			background_start(sh, it->cmd);
		} else if (s->i == c->n) {
			task_pop(sh);
			machine_start(sh, it->cmd);
			return;
		} else if (machine_start(sh, it->cmd)) {
			return;
		}
		if (sh->flow != FLOW_NONE)
			return;
	}
	task_pop(sh);
}

/* `&&` and `||`: only the last command of the row may end the shell under set -e. */
void andor_step(struct shell *sh, struct task *f)
{
	struct task_seq *s = (struct task_seq *)(void *)f;
	const struct cmd_andor *c = AST_CONST(cmd_andor, f->cmd);

	while (s->i < c->n) {
		const struct andor_item *it = &c->items[s->i++];

		if (it->op == ANDOR_AND  ? shell_status(sh) != 0
		    : it->op == ANDOR_OR ? shell_status(sh) == 0
		                         : false)
			continue;
		if (s->i == c->n) {
			task_pop(sh);
			machine_start(sh, it->cmd);
			return;
		}
		sh->noerr = f->noerr + 1;
		if (machine_start(sh, it->cmd) || sh->flow != FLOW_NONE)
			return;
	}
	task_pop(sh);
}

/* ---- Conditions ------------------------------------------------------------ */

enum { IF_TEST, IF_DECIDE };

void if_step(struct shell *sh, struct task *f)
{
	struct task_seq *s = (struct task_seq *)(void *)f;
	const struct cmd_if *c = AST_CONST(cmd_if, f->cmd);
	const struct cmd *next = NULL;

	for (;;) {
		if (f->step == IF_TEST) {
			f->step = IF_DECIDE;
			sh->noerr = f->noerr + 1;
			if (machine_start(sh, c->clauses[s->i].test) || sh->flow != FLOW_NONE)
				return;
		}
		if (shell_status(sh) == 0) {
			next = c->clauses[s->i].body;
			break;
		}
		if (++s->i == c->n) {
			next = c->otherwise;
			break;
		}
		f->step = IF_TEST;
	}
	task_pop(sh);
	if (next)
		machine_start(sh, next);
	else
		shell_compound_status(sh, 0);
}

bool case_start(struct shell *sh, const struct cmd_case *c)
{
	struct task_case *f;

	sh->st->line = c->cmd.line;
	if (trap_debug(sh, &c->cmd))
		return false;
	f = task_push(sh, TASK_CASE, &c->cmd, sizeof *f);
	if (UNLIKELY(set_is(sh, SET_XTRACE)))
		trace_case(sh, c);
	if (!expand_text(&sh->x, c->word, &f->value)) {
		task_pop(sh);
		machine_expand_failed(sh);
		return false;
	}
	return true;
}

/* 1, 0, or -1 when a pattern could not be expanded. */
static int case_matches(struct shell *sh, const struct task_case *f, const struct case_item *it)
{
	unsigned flags = pattern_flags(sh->st);

	for (uint32_t i = 0; i < it->npatterns; i++) {
		const struct word *w = &it->patterns[i];
		struct str pattern;

		if ((w->flags & (WORD_LITERAL | WORD_QUOTED)) == WORD_LITERAL &&
		    !(flags & PATTERN_ICASE)) {
			if (str_eq(w->text, f->value))
				return 1;
			if (!memchr(w->text.ptr, '\\', w->text.len))
				continue;
		}
		if (!expand_pattern(&sh->x, w, &pattern))
			return -1;
		if (pattern_match(&sh->x, pattern, f->value, flags))
			return 1;
	}
	return 0;
}

void case_step(struct shell *sh, struct task *head)
{
	struct task_case *f = (struct task_case *)(void *)head;
	const struct cmd_case *c = AST_CONST(cmd_case, head->cmd);

	if (head->step == 0) {
		/* No pattern has matched yet, or none since a `;;&`. */
		for (; f->i < c->n; f->i++) {
			int r = case_matches(sh, f, &c->items[f->i]);

			if (r < 0) {
				task_pop(sh);
				machine_expand_failed(sh);
				return;
			}
			if (r > 0)
				break;
		}
	}
	if (f->i == c->n) {
		bool ran = f->ran;

		task_pop(sh);
		if (!ran)
			shell_compound_status(sh, 0);
		return;
	}

	const struct case_item *it = &c->items[f->i++];

	f->ran = true;
	head->step = it->end == CASE_FALL;
	if (it->end == CASE_BREAK || f->i == c->n)
		task_pop(sh);
	if (it->body)
		machine_start(sh, it->body);
	else
		shell_compound_status(sh, 0);
}

/* ---- Loops ------------------------------------------------------------------ */

/* A loop goes round once more. */
static void turn(struct shell *sh)
{
	if (UNLIKELY(sh->spends))
		sys_spend(sh->p, SYS_LIMIT_LOOPS, 1);
}

enum { LOOP_TEST, LOOP_DECIDE, LOOP_BODY };

void while_step(struct shell *sh, struct task *f)
{
	struct task_seq *s = (struct task_seq *)(void *)f;
	const struct cmd_while *c = AST_CONST(cmd_while, f->cmd);
	bool until = (c->cmd.flags & WHILE_UNTIL) != 0;

	for (;;) {
		sys_checkpoint(sh->p);
		if (f->step == LOOP_BODY) {
			s->status = shell_status(sh);
			f->step = LOOP_TEST;
		}
		if (f->step == LOOP_TEST) {
			turn(sh);
			trap_poll(sh);
			f->step = LOOP_DECIDE;
			sh->noerr = f->noerr + 1;
			if (machine_start(sh, c->test))
				return;
			if (sh->flow != FLOW_NONE) {
				f->step = LOOP_TEST;
				return;
			}
		}
		if ((shell_status(sh) == 0) == until) {
			int status = s->status;

			task_pop(sh);
			shell_compound_status(sh, status);
			return;
		}
		f->step = LOOP_BODY;
		sh->noerr = f->noerr;
		if (machine_start(sh, c->body) || sh->flow != FLOW_NONE)
			return;
	}
}

static void positional(struct shell *sh, struct fields *f)
{
	size_t n = params_count(sh->st);

	f->v = u_array(sh->p, n + 1, sizeof *f->v);
	f->n = f->cap = n;
	for (size_t i = 0; i < n; i++) {
		struct str s = params_at(sh->st, i + 1);

		f->v[i] = u_strndup(sh->p, s.ptr, s.len);
	}
	f->v[n] = NULL;
}

bool for_start(struct shell *sh, const struct cmd_for *c, enum task_kind kind)
{
	struct task_for *f;

	sh->st->line = c->cmd.line;
	if (c->bad_name) {
		shell_error(sh, "`%.*s': not a valid identifier", (int)c->name.len, c->name.ptr);
		shell_set_status(sh, 1);
		shell_fatal_posix(sh);
		machine_check(sh);
		return false;
	}
	f = task_push(sh, kind, &c->cmd, sizeof *f);
	if (!c->has_in)
		positional(sh, &f->words);
	else if (!expand_words(&sh->x, c->words, c->nwords, &f->words)) {
		task_pop(sh);
		machine_expand_failed(sh);
		return false;
	}
	sh->loops++;
	return true;
}

/* A readonly variable ends the loop, not the script. A name reference is bound anew. */
static bool loop_var(struct shell *sh, struct str name, const char *value)
{
	const struct var *v = state_find(sh->st, name);
	bool ref = v && (v->flags & VAR_NAMEREF);

	if (assign_text(&sh->x, name, str_from(value), VAR_VISIBLE, ref ? ASSIGN_NOREF : 0))
		return true;
	sh->x.error = EXPAND_NONE;
	shell_set_status(sh, 1);
	shell_fatal_posix(sh);
	return false;
}

void for_step(struct shell *sh, struct task *head)
{
	struct task_for *f = (struct task_for *)(void *)head;
	const struct cmd_for *c = AST_CONST(cmd_for, head->cmd);

	if (f->i == 0 && f->words.n == 0)
		shell_compound_status(sh, 0);
	while (f->i < f->words.n) {
		sys_checkpoint(sh->p);
		turn(sh);
		trap_poll(sh);
		sh->st->line = c->cmd.line;
		if (UNLIKELY(set_is(sh, SET_XTRACE)))
			trace_for(sh, c);
		if (trap_debug(sh, &c->cmd)) {
			f->i++;
			continue;
		}
		if (!loop_var(sh, c->name, f->words.v[f->i++])) {
			task_pop(sh);
			return;
		}
		if (machine_start(sh, c->body) || sh->flow != FLOW_NONE)
			return;
	}
	task_pop(sh);
}

/* An expression of (( )): false with its message printed; the script goes on. Under -x it is shown once its expansions are
 * done, which are not done again for its value; that of a for loop without the blanks in front. */
static bool arith_value(struct shell *sh, const struct arith *a, bool trim, int64_t *value)
{
	struct str text = a->text;
	bool trace = set_is(sh, SET_XTRACE), ok = true;

	sh->x.arith_prefix = "((";
	if (UNLIKELY(trace)) {
		if (a->word)
			ok = expand_text(&sh->x, a->word, &text);
		text = (struct str){u_strndup(sh->p, text.ptr, text.len), text.len};
		while (trim && text.len && ascii_blank((unsigned char)*text.ptr))
			text = (struct str){text.ptr + 1, text.len - 1};
		if (ok)
			trace_arith(sh, text);
	}
	ok = ok && (trace ? arith_text(&sh->x, text, value) : arith_eval(&sh->x, a, value));
	sh->x.arith_prefix = NULL;
	if (!ok) {
		if (sh->x.error == EXPAND_EXIT || sh->x.error == EXPAND_UNWIND || sh->x.error == EXPAND_TOP)
			machine_expand_failed(sh);
		sh->x.error = EXPAND_NONE;
	}
	return ok;
}

void arith_command(struct shell *sh, const struct cmd_arith *c)
{
	struct arena_mark mark = arena_mark(&sys_self(sh->p)->arena);
	struct redir_undo *undo = sh->undo;
	int64_t v = 0;
	bool ok;

	sh->st->line = c->cmd.line;
	trap_poll(sh);
	trap_note(sh, &c->cmd);
	if (sh->flow != FLOW_NONE || trap_debug(sh, &c->cmd))
		return;
	ok = arith_value(sh, c->expr, false, &v);
	redir_undo(sh, undo);
	arena_reset(&sys_self(sh->p)->arena, mark);
	if (sh->flow != FLOW_NONE)
		return;
	shell_set_status(sh, ok && v != 0 ? 0 : 1);
	machine_check(sh);
}

/* One of the three expressions: false when it was an error. */
static bool cfor_eval(struct shell *sh, const struct arith *a, int64_t *value)
{
	*value = 1;
	if (!a || a->blank)
		return true;
	if (trap_debug(sh, NULL))
		return true;
	return arith_value(sh, a, true, value);
}

bool cfor_start(struct shell *sh, const struct cmd_cfor *c)
{
	int64_t v;

	sh->st->line = c->cmd.line;
	if (!cfor_eval(sh, c->init, &v)) {
		shell_set_status(sh, 1);
		machine_check(sh);
		return false;
	}
	task_push(sh, TASK_CFOR, &c->cmd, sizeof(struct task_seq));
	sh->loops++;
	return true;
}

void cfor_step(struct shell *sh, struct task *f)
{
	struct task_seq *s = (struct task_seq *)(void *)f;
	const struct cmd_cfor *c = AST_CONST(cmd_cfor, f->cmd);
	int64_t v;

	for (;;) {
		sys_checkpoint(sh->p);
		turn(sh);
		trap_poll(sh);
		if (f->step == LOOP_BODY) {
			s->status = shell_status(sh);
			sh->st->line = c->cmd.line;
			if (!cfor_eval(sh, c->step, &v))
				break;
		}
		f->step = LOOP_BODY;
		sh->st->line = c->cmd.line;
		if (!cfor_eval(sh, c->test, &v))
			break;
		if (v == 0) {
			int status = s->status;

			task_pop(sh);
			shell_compound_status(sh, status);
			return;
		}
		if (machine_start(sh, c->body) || sh->flow != FLOW_NONE)
			return;
	}
	task_pop(sh);
	shell_set_status(sh, 1);
}

/* ---- Redirections around a compound command --------------------------------- */

void redirs_step(struct shell *sh, struct task *t)
{
	if (t->step++ != 0) {
		task_pop(sh);
		return;
	}
	sh->st->line = t->cmd->line;
	if (!redir_apply_all(sh, t->cmd->redirs, true)) {
		sh->unredirected = t->cmd;
		task_pop(sh);
		shell_set_status(sh, 1);
		if (sh->flow == FLOW_NONE)
			machine_check(sh);
		return;
	}
	machine_start_inner(sh, t->cmd);
}
