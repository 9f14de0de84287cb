/*
 * simple.c - simple commands: expand, assign, redirect, find, run.
 *
 * The order is bash's: words are expanded first, then redirections are done, then the
 * assignments before the command (for a command of its own they are permanent). What a name
 * means: a function, a builtin, a program.
 */
#include "interp.h"

/* One command under way, on the native stack until it runs or becomes a task. */
struct invoke {
	const struct cmd_simple *c;
	const struct cmd *written; /* the command as it stands in the script */
	struct arena_mark mark;
	struct redir_undo *undo;
	struct fields args;
	uint32_t depth; /* frames of the state outside */
};

/* ---- Leaving -------------------------------------------------------------------- */

/* False: a redirection could not be ended as it should (redir_undo). */
static bool leave(struct shell *sh, const struct invoke *v)
{
	bool ok = true;

	if (v->c->nassigns)
		frames_leave(sh->st, v->depth);
	if (sh->undo != v->undo)
		ok = redir_undo(sh, v->undo);
	arena_reset(&sys_self(sh->p)->arena, v->mark);
	return ok;
}

/* The command ends here with `status`. */
static bool done(struct shell *sh, const struct invoke *v, int status)
{
	if (UNLIKELY(!leave(sh, v)) && status == 0)
		status = 1;
	shell_set_status(sh, status);
	if (sh->flow == FLOW_NONE)
		machine_check(sh);
	return false;
}

/* A stage or job that is one simple command: a mistake among its words comes so early that the shell it was made from is
 * still at work in bash, with its EXIT trap. */
static void fail_alone(struct shell *sh)
{
	if (sh->parent_exit)
		trap_set(sh->st, TRAP_EXIT, &(struct str){sh->parent_exit, strlen(sh->parent_exit)});
}

static bool failed_expansion(struct shell *sh, const struct invoke *v)
{
	if (UNLIKELY(sh->alone) && !sh->top)
		fail_alone(sh);
	machine_expand_failed(sh);
	leave(sh, v);
	return false;
}

/* ---- Words ----------------------------------------------------------------------- */

static void plain_words(struct shell *sh, struct invoke *v)
{
	size_t n = v->c->nwords;

	v->args.v = u_array(sh->p, n + 1, sizeof *v->args.v);
	v->args.n = v->args.cap = n;
	for (size_t i = 0; i < n; i++)
		v->args.v[i] = (char *)(uintptr_t)v->c->words[i].text.ptr;
	v->args.v[n] = NULL;
}

/* The arguments of declare and its kin: a=(...) goes along as a tree, beside the argument "a". */
static bool decl_words(struct shell *sh, struct invoke *v)
{
	const struct assign **decl = NULL;
	size_t cap = 0;

	for (uint32_t i = 0; i < v->c->nwords; i++) {
		const struct word *w = &v->c->words[i];

		if ((w->flags & WORD_ASSIGN) && w->assign && w->assign->array) {
			size_t at = v->args.n, want = at + v->c->nwords - i + 1;

			if (at >= cap) {
				const struct assign **more = u_array(sh->p, want, sizeof *more);

				memset(more, 0, want * sizeof *more);
				if (cap)
					memcpy(more, decl, cap * sizeof *more);
				decl = more;
				cap = want;
			}
			decl[at] = w->assign;
			fields_push(&sh->x, &v->args, u_strndup(sh->p, w->raw, w->raw_len));
		} else if (!expand_words(&sh->x, w, 1, &v->args)) {
			return false;
		}
	}
	if (decl) {
		const struct assign **all = u_array(sh->p, v->args.n + 1, sizeof *all);

		memset(all, 0, (v->args.n + 1) * sizeof *all);
		memcpy(all, decl, MIN(cap, v->args.n) * sizeof *all);
		decl = all;
	}
	sh->decl = decl;
	return true;
}

static bool words(struct shell *sh, struct invoke *v)
{
	const struct cmd_simple *c = v->c;

	v->args = (struct fields){0};
	sh->decl = NULL;
	if (c->cmd.flags & SIMPLE_PLAIN) {
		plain_words(sh, v);
		return true;
	}
	if (c->nwords == 0)
		return true;
	if (UNLIKELY(c->cmd.flags & SIMPLE_DECL))
		return decl_words(sh, v);
	return expand_words(&sh->x, c->words, c->nwords, &v->args);
}

/* ---- Assignments ------------------------------------------------------------------- */

/* Traced assignments expand the value here, so that the line shows what was assigned. */
static bool traced(struct shell *sh, const struct assign *a, enum var_where where, unsigned flags)
{
	struct str target = a->name, value;

	if (a->array) {
		trace_array(sh, a);
		return assign_tree(&sh->x, a, where, flags);
	}
	if (!expand_joined(&sh->x, a->value, JOIN_VALUE, &value))
		return false;
	value = (struct str){u_strndup(sh->p, value.ptr, value.len), value.len};
	if (a->sub)
		target = str_from(u_format(sh->p, "%.*s[%.*s]", (int)a->name.len, a->name.ptr,
		                           (int)a->sub->raw.len, a->sub->raw.ptr));
	trace_value(sh, target, a->append, value);
	return assign_expanded(&sh->x, a, value, where, flags);
}

bool simple_assign(struct shell *sh, const struct assign *a, enum var_where where)
{
	unsigned flags = a->append ? ASSIGN_APPEND : 0;

	if (UNLIKELY(set_is(sh, SET_XTRACE)))
		return traced(sh, a, where, flags);
	return assign_tree(&sh->x, a, where, flags);
}

/* A statement of assignments only: they are permanent, and the status is that of the last
 * command substitution. */
static bool only_assignments(struct shell *sh, struct invoke *v)
{
	const struct cmd_simple *c = v->c;
	int status;

	state_set_last_arg(sh->st, (struct str){"", 0});
	for (uint32_t i = 0; i < c->nassigns; i++) {
		if (!simple_assign(sh, &c->assigns[i], VAR_VISIBLE))
			return failed_expansion(sh, v);
	}
	status = sh->x.ran_comsub ? sh->st->status : 0;
	if (c->cmd.redirs) {
		sh->x.ran_comsub = false;
		if (!redir_apply_all(sh, c->cmd.redirs, true)) {
			if (sh->flow != FLOW_NONE) {
				leave(sh, v);
				return false;
			}
			return done(sh, v, 1);
		}
		if (sh->x.ran_comsub)
			status = sh->st->status;
	}
	return done(sh, v, status);
}

static struct str literal_text(struct shell *sh, const struct assign *a)
{
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	array_literal_put(&b, a->array);
	return (struct str){b.ptr, b.len};
}

/* `x=1 export x`: the builtin makes the assignment last. */
static bool outlasts(struct shell *sh, const struct assign *a, const struct fields *args)
{
	if (!streq(args->v[0], "export") && !streq(args->v[0], "readonly"))
		return false;
	for (size_t i = 1; i < args->n; i++)
		if (str_is(a->name, args->v[i]))
			return !state_func(sh->st, str_from(args->v[0]), table_hash(args->v[0], strlen(args->v[0])));
	return false;
}

/* The assignments before a command, into a frame of their own: they are in its environment. A
 * readonly one is complained about and left out, as bash does. */
static bool temporary(struct shell *sh, const struct cmd_simple *c, const struct fields *args)
{
	const char *name = args->v[0];
	enum var_where where = VAR_TEMPENV;

	if (UNLIKELY(set_is(sh, SET_POSIX))) {
		const struct builtin *b = builtin_find(str_from(name));

		if (b && (b->flags & BUILTIN_SPECIAL))
			where = VAR_VISIBLE;
	}
	if (where == VAR_TEMPENV)
		frame_push(sh->st, FRAME_TEMPENV, NULL);
	for (uint32_t i = 0; i < c->nassigns; i++) {
		const struct assign *a = &c->assigns[i];

		if (a->sub) {
			shell_error(sh, "`%.*s[%.*s]': not a valid identifier", (int)a->name.len, a->name.ptr,
			            (int)a->sub->raw.len, a->sub->raw.ptr);
			continue;
		}
		/* The environment holds no arrays: a literal is the text it is written as. */
		if (a->array ? !assign_text(&sh->x, a->name, literal_text(sh, a), where, 0)
		             : !simple_assign(sh, a, outlasts(sh, a, args) ? VAR_VISIBLE : where)) {
			if (sh->x.error != EXPAND_ASSIGN)
				return false;
			sh->x.error = EXPAND_NONE;
			if (set_is(sh, SET_ERREXIT) && sh->noerr == 0)
				shell_exit(sh, 1);
			if (set_is(sh, SET_POSIX)) {
				shell_set_status(sh, 1);
				shell_fatal_posix(sh);
			}
		}
	}
	return true;
}

/* After a declaration with array literals: its line, in which they are only names. */
static void trace_decl(struct shell *sh, struct invoke *v)
{
	for (size_t i = 0; i < v->args.n; i++)
		if (sh->decl[i])
			v->args.v[i] = u_strndup(sh->p, sh->decl[i]->name.ptr,
			                         sh->decl[i]->name.len);
	trace_words(sh, v->args.v, v->args.n);
}

/* ---- Kinds of commands ---------------------------------------------------------------- */

static bool redirect_failed(struct shell *sh, struct invoke *v, const struct builtin *b)
{
	if (sh->flow != FLOW_NONE) {
		leave(sh, v);
		return false;
	}
	shell_set_status(sh, 1);
	if (b && (b->flags & BUILTIN_SPECIAL))
		shell_fatal_posix(sh);
	return done(sh, v, 1);
}

/* Functions, and builtins that run text: a task remembers what to put back. */
static bool run_task(struct shell *sh, struct invoke *v, const struct found *f)
{
	const struct cmd_simple *c = v->c;
	struct task_call *t;
	int status;

	t = task_push_from(sh, TASK_CALL, &c->cmd, sizeof *t, v->mark, v->undo);
	t->depth = v->depth;
	t->line = sh->st->line;
	t->had_error = trap_has_error(sh);
	t->last_arg = v->args.v[v->args.n - 1];
	if (c->cmd.redirs && !redir_apply_all(sh, c->cmd.redirs, true)) {
		task_pop(sh);
		if (sh->flow != FLOW_NONE)
			return false;
		shell_set_status(sh, 1);
		if (f->builtin && (f->builtin->flags & BUILTIN_SPECIAL))
			shell_fatal_posix(sh);
		machine_check(sh);
		return false;
	}
	if (f->func) {
		function_call(sh, t, f->func, v->args.v + 1, v->args.n - 1);
		return true;
	}
	sh->builtin_name = v->args.v[0];
	status = builtin_call(sh, f->builtin, (int)v->args.n, v->args.v);
	u_flush(&sh->out);
	if (sh->top == &t->t)
		shell_set_status(sh, status);
	return true;
}

static void write_errors(struct shell *sh, int *status)
{
	if (sh->out.n)
		u_flush(&sh->out);
	if (LIKELY(sh->out.err == 0))
		return;
	builtin_error(sh, "write error: %s", errno_text(sh->out.err));
	sh->out.err = 0;
	*status = 1;
}

static bool run_builtin(struct shell *sh, struct invoke *v, const struct builtin *b)
{
	const struct cmd_simple *c = v->c;
	const char *name = sh->builtin_name;
	int status;

	if (c->cmd.redirs && !redir_apply_all(sh, c->cmd.redirs, true))
		return redirect_failed(sh, v, b);
	sh->builtin_name = v->args.v[0];
	status = builtin_call(sh, b, (int)v->args.n, v->args.v);
	write_errors(sh, &status);
	sh->builtin_name = name;
	if (UNLIKELY(sh->decl != NULL) && set_is(sh, SET_XTRACE))
		trace_decl(sh, v);
	if ((b->flags & BUILTIN_EXEC) && status == 0 && c->cmd.redirs && !redir_forget(sh, v->undo))
		status = 1;
	if (UNLIKELY(sh->decl != NULL) && sh->decl[v->args.n - 1])
		state_set_last_arg(sh->st, sh->decl[v->args.n - 1]->name);
	else
		state_set_last_arg(sh->st, str_from(v->args.v[v->args.n - 1]));
	return done(sh, v, status);
}

/* Nothing comes after this command in this subshell: it may become the program. */
static bool is_last(const struct shell *sh)
{
	return sh->child && !sh->top && sh->nested == 0 && sh->trapped == 0 &&
	       !trap_get(sh->st, TRAP_EXIT) && (sh->only || !trap_get(sh->st, TRAP_ERR)) &&
	       !trap_get(sh->st, TRAP_DEBUG);
}

/* *w: how it ended, of which something may be said yet. */
static int run_program(struct shell *sh, const struct found *f, char **argv, struct sys_wait *w)
{
	int pid, err;

	*w = (struct sys_wait){0};
	if (!f->path)
		return program_failed(sh, argv[0], f, f->err);
	if (is_last(sh)) {
		err = program_exec(sh, f, argv, state_environ(sh->st), program_variable(sh, f));
		return program_failed(sh, argv[0], f, err);
	}
	pid = program_spawn(sh, f, argv, NULL, 0, false);
	if (pid < 0)
		return program_failed(sh, argv[0], f, pid);
	return child_end(sh, pid, w);
}

/* ---- Redirections with effects ---- */

static bool part_acts(const struct shell *sh, const struct part *part);

static bool word_acts(const struct shell *sh, const struct word *w)
{
	for (uint32_t i = 0; w && i < w->nparts; i++)
		if (part_acts(sh, &w->parts[i]))
			return true;
	return false;
}

/* Expansions that may change a variable, or end the shell that makes them. */
static bool part_acts(const struct shell *sh, const struct part *part)
{
	const struct param *param = part->kind == PART_PARAM ? part->param : NULL;

	if (part->kind == PART_ARITH)
		return true;
	if (!param)
		return false;
	return set_is(sh, SET_NOUNSET) || param->sub || param->offset || param->op == PARAM_ASSIGN ||
	       param->op == PARAM_ERROR || word_acts(sh, param->arg) || word_acts(sh, param->repl);
}

static bool redirs_act(const struct shell *sh, const struct redir *r)
{
	for (; r; r = r->next)
		if (r->varname.len == 0 && word_acts(sh, r->target))
			return true;
	return false;
}

static int run_aside(struct shell *sh, const struct aside *a)
{
	struct sys_wait w;
	int status = run_program(sh, &a->found, a->argv, &w);

	child_report(sh, &w, a->cmd);
	return status;
}

static bool start_program(struct shell *sh, struct invoke *v, const struct found *f)
{
	const struct cmd_simple *c = v->c;
	bool found = f->path != NULL, redirected = true;
	struct sys_wait w = {0};
	int status;

	if (UNLIKELY(redirs_act(sh, c->cmd.redirs))) {
		status = program_aside(sh, &(struct aside){&c->cmd, *f, v->args.v, run_aside});
	} else if (c->cmd.redirs) {
		sh->for_program = true;
		redirected = redir_apply_all(sh, c->cmd.redirs, true);
		sh->for_program = false;
		if (!redirected)
			return redirect_failed(sh, v, NULL);
		status = run_program(sh, f, v->args.v, &w);
	} else {
		status = run_program(sh, f, v->args.v, &w);
	}
	state_set_last_arg(sh->st, str_from(v->args.v[v->args.n - 1]));
	if (UNLIKELY(!leave(sh, v)) && status == 0)
		status = 1;
	/* In the shell's own standard error, not the command's; v->c may be gone. */
	child_report(sh, &w, v->written);
	sh->not_found = !found && status == 127;
	shell_set_status(sh, status);
	machine_check(sh);
	return false;
}

/* ---- All together ------------------------------------------------------------------------ */

/* `command` and `builtin` before a name: skipped here when they only direct the look-up, so
 * that what follows runs as it would by itself. False: leave it to the builtin. */
static bool skip_prefix(struct invoke *v, const struct builtin *b, unsigned *look)
{
	bool command = b->name[0] == 'c';
	size_t at = 1;

	while (at < v->args.n && v->args.v[at][0] == '-' && v->args.v[at][1] != '\0') {
		if (streq(v->args.v[at], "--")) {
			at++;
			break;
		}
		if (!command || !streq(v->args.v[at], "-p"))
			return false;
		*look |= LOOK_DEFAULT_PATH;
		at++;
	}
	if (at >= v->args.n)
		return false;
	*look |= LOOK_NO_FUNCTION | (command ? 0u : (unsigned)LOOK_NO_PROGRAM);
	v->args.v += at;
	v->args.n -= at;
	return true;
}

/* command_not_found_handle, in a subshell of its own as in bash: here the function itself is
 * called in the place of the command. */
static bool handle_not_found(struct shell *sh, struct invoke *v, struct found *f)
{
	struct str name = STR("command_not_found_handle");
	const struct func *h;
	char **argv;

	if (strchr(v->args.v[0], '/'))
		return false;
	h = state_func(sh->st, name, ast_hash(name));
	if (!h)
		return false;
	argv = u_array(sh->p, v->args.n + 2, sizeof *argv);
	argv[0] = u_strdup(sh->p, name.ptr);
	memcpy(argv + 1, v->args.v, (v->args.n + 1) * sizeof *argv);
	v->args.v = argv;
	v->args.n++;
	*f = (struct found){.func = h};
	return true;
}

static bool dispatch(struct shell *sh, struct invoke *v)
{
	const struct cmd_simple *c = v->c;
	struct str name = str_from(v->args.v[0]);
	uint32_t hash = c->name.len && c->name.ptr == name.ptr ? c->name_hash : ast_hash(name);
	struct found f;
	unsigned look = 0;

	lookup_command(sh, name, hash, 0, &f);
	while (f.builtin && (f.builtin->flags & BUILTIN_PREFIX) &&
	       skip_prefix(v, f.builtin, &look)) {
		name = str_from(v->args.v[0]);
		lookup_command(sh, name, ast_hash(name), look, &f);
		if (!f.builtin && (look & LOOK_NO_PROGRAM)) {
			shell_error(sh, "builtin: %s: not a shell builtin", name.ptr);
			return done(sh, v, 1);
		}
	}
	if (f.func || (f.builtin && (f.builtin->flags & BUILTIN_RUNS)))
		return run_task(sh, v, &f);
	if (f.builtin) {
		uint16_t noerr = sh->noerr;
		bool goes_on;

		if (look && !(look & LOOK_NO_PROGRAM))
			shell_tolerate(sh); /* behind `command` */
		goes_on = run_builtin(sh, v, f.builtin);
		sh->noerr = noerr;
		return goes_on;
	}
	if (!f.path && handle_not_found(sh, v, &f))
		return run_task(sh, v, &f);
	return start_program(sh, v, &f);
}

bool simple_start(struct shell *sh, const struct cmd_simple *c)
{
	struct invoke v;

	v.c = c;
	v.written = &c->cmd;
	v.mark = arena_mark(&sys_self(sh->p)->arena);
	v.undo = sh->undo;
	v.depth = frames_depth(sh->st);
	sh->st->line = c->cmd.line;
	sh->not_found = false;
	trap_poll(sh);
	if (UNLIKELY(sh->spends))
		sys_spend(sh->p, SYS_LIMIT_COMMANDS, 1);
	trap_note(sh, &c->cmd);
	if (UNLIKELY(sh->debugged == &c->cmd))
		sh->debugged = NULL;
	else if (trap_debug(sh, NULL))
		return false;
	if (sh->flow != FLOW_NONE)
		return false;
	if (UNLIKELY(set_is(sh, SET_NOEXEC)))
		return false;
	if (UNLIKELY(set_is(sh, SET_KEYWORD)) && c->nwords > 1)
		v.c = c = keywords_apart(sh, c);
	sh->x.ran_comsub = false;
	if (!words(sh, &v))
		return failed_expansion(sh, &v);
	if (v.args.n == 0)
		return only_assignments(sh, &v);
	if (c->nassigns && !temporary(sh, c, &v.args))
		return failed_expansion(sh, &v);
	if (UNLIKELY(set_is(sh, SET_XTRACE)) && !sh->decl)
		trace_words(sh, v.args.v, v.args.n);
	return dispatch(sh, &v);
}
