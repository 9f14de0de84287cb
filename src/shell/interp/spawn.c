/*
 * spawn.c - starting children: subshells over a clone of the state, and programs.
 *
 * A subshell gets the state by reference counting and the tree by the frames in that state,
 * so it may outlive its parent. It starts with the parent's descriptors; whatever the role
 * needs (a pipe's end, /dev/null) comes as moves that the kernel applies before it runs.
 */
#include "../syntax/print.h"
#include "interp.h"

/* What a subshell is told; copied into its memory. */
struct boot {
	enum child_role role;
	const struct cmd *cmd;
	uint8_t trace_depth;
	uint8_t trap_mask;
	uint16_t noerr;
	uint32_t loops;
	uint64_t disabled[2];
	bool login;
	bool stdin_given;
	bool async;   /* a job, or a stage of one */
	bool negated; /* a subshell that is all of a pipeline behind `!` */
	/* Of program_aside: the words that follow the boot record, of which the first is the path when there is one. The
	 * shell that waits may be gone before its child looks at them. */
	uint32_t nwords;
	struct aside aside;
};

/* ---- Inside the subshell ------------------------------------------------------------ */

/* Traps that a subshell keeps: DEBUG and RETURN under functrace, ERR under errtrace. */
static bool keeps(const struct shell *sh, unsigned which)
{
	return which == TRAP_ERR
	               ? set_is(sh, SET_ERRTRACE)
	               : which > TRAP_EXIT && which >= TRAP_DEBUG && set_is(sh, SET_FUNCTRACE);
}

static void reset_signals(struct shell *sh, bool async, uint8_t mask)
{
	if (sh->st->traps) {
		const char *kept[TRAP_COUNT] = {NULL};

		for (unsigned i = 0; i < TRAP_COUNT; i++) {
			const struct vstr *v = trap_get(sh->st, i);

			if (!v)
				continue;
			if (keeps(sh, i))
				kept[i] = u_strdup(sh->p, v->s);
			if (i > 0 && i < SYS_NSIG && v->len)
				sys_signal(sh->p, (int)i, SYS_SIG_DEFAULT);
		}
		if (trap_get(sh->st, TRAP_EXIT)) {
			sh->parent_exit = u_strdup(sh->p, trap_get(sh->st, TRAP_EXIT)->s);
			trap_catch_fatal(sh, false);
		}
		sh->trap_mask = mask;
		for (unsigned i = TRAP_DEBUG; i < TRAP_COUNT; i++)
			if (trap_hidden(sh, i))
				trap_set(sh->st, i, NULL);
		sh->trap_mask = 0xff;
		/* `trap` lists what the shell had that this one was made from, until this one sets a trap of its own. */
		traps_show_only(sh->st);
		trap_clear_all(sh->st, true);
		sh->held = 0;
		for (unsigned i = TRAP_DEBUG; i < TRAP_COUNT; i++)
			if (kept[i])
				trap_set(sh->st, i, &(struct str){kept[i], strlen(kept[i])});
	}
	if (async) {
		sys_signal(sh->p, SYS_SIGINT, SYS_SIG_IGNORE);
		sys_signal(sh->p, SYS_SIGQUIT, SYS_SIG_IGNORE);
	}
	trap_changed(sh);
}

/* What a job in the background reads that is given nothing of its own: /dev/null, or the standard input that the
 * compound command around it, the innermost that is redirected, was given; or the pipe that its shell reads. */
static bool gives_stdin(const struct redir *r)
{
	for (; r; r = r->next)
		if (r->fd == 0 && (r->op == REDIR_IN || (r->op >= REDIR_RDWR && r->op <= REDIR_DUP_IN)))
			return true;
	return false;
}

static bool stdin_given(const struct shell *sh)
{
	for (const struct task *t = sh->top; t; t = t->up)
		if (t->kind == TASK_REDIRS)
			return gives_stdin(t->cmd->redirs);
	return sh->stdin_given;
}

/* ( ) as a whole stage or job is this subshell, not one more inside it. */
static void run_body(struct shell *sh, enum child_role role, const struct cmd *cmd, bool negated)
{
	if (cmd && cmd->kind == CMD_SUBSHELL && role != CHILD_COMSUB && role != CHILD_PROCSUB) {
		if (cmd->redirs) {
			sh->st->line = cmd->line;
			if (!redir_apply_all(sh, cmd->redirs, false)) {
				/* What `!` makes of it is a failure still. */
				shell_set_status(sh, !negated);
				return;
			}
			sh->stdin_given |= gives_stdin(cmd->redirs);
		}
		cmd = AST_CONST(cmd_block, cmd)->body;
		sh->only = role == CHILD_SUBSHELL && cmd && cmd->kind == CMD_SIMPLE;
	}
	if (cmd)
		machine_command(sh, cmd);
	else
		shell_set_status(sh, 0);
}

static void run_aside(struct shell *sh, struct boot *boot)
{
	struct aside *a = &boot->aside;
	char *at = (char *)(boot + 1);

	sh->aside = true;
	if (a->found.path) {
		a->found.path = at;
		at += strlen(at) + 1;
	}
	a->argv = u_array(sh->p, boot->nwords + (size_t)1, sizeof *a->argv);
	for (uint32_t i = 0; i < boot->nwords; i++) {
		a->argv[i] = at;
		at += strlen(at) + 1;
	}
	a->argv[boot->nwords] = NULL;
	sh->for_program = true;
	shell_set_status(sh, redir_apply_all(sh, a->cmd->redirs, false) ? a->run(sh, a) : 1);
}

/* The boot record with the words behind it. */
static void *with_words(struct shell *sh, struct boot *boot, size_t *size)
{
	const struct aside *a = &boot->aside;
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	while (a->argv[boot->nwords])
		boot->nwords++;
	u_buf_put(&b, (const char *)boot, sizeof *boot);
	if (a->found.path)
		u_buf_put(&b, a->found.path, strlen(a->found.path) + 1);
	for (uint32_t i = 0; i < boot->nwords; i++)
		u_buf_put(&b, a->argv[i], strlen(a->argv[i]) + 1);
	*size = b.len;
	return b.ptr;
}

static int child_main(struct proc *p, void *arg)
{
	struct boot *boot = arg;
	struct shell_state *st = sys_attached(p);
	struct shell *sh;

	state_adopt(st, p);
	sh = shell_new(p, st);
	sh->child = true;
	sh->login = boot->login;
	sh->trace_depth = boot->trace_depth;
	sh->noerr = boot->noerr;
	sh->disabled[0] = boot->disabled[0];
	sh->disabled[1] = boot->disabled[1];
	if (boot->role == CHILD_COMSUB && set_is(sh, SET_ERREXIT) &&
	    !shopt_is(sh, SHOPT_INHERIT_ERREXIT) && !set_is(sh, SET_POSIX))
		state_set_opts(st, st->opts & ~SET_ERREXIT, st->shopts);
	if (st->traps || boot->async)
		reset_signals(sh, boot->async, boot->trap_mask);
	st->subshell++;
	sh->stdin_given = boot->stdin_given;
	sh->stage = boot->role == CHILD_PIPE && boot->cmd && boot->cmd->kind == CMD_SIMPLE;
	sh->debugged = sh->stage ? boot->cmd : NULL;
	sh->exit_deeper = boot->role != CHILD_COMSUB && boot->role != CHILD_PROCSUB;
	sh->alone = sh->stage || (boot->role == CHILD_ASYNC && boot->cmd && boot->cmd->kind == CMD_SIMPLE);
	if (boot->aside.run) {
		run_aside(sh, boot);
	} else {
		run_body(sh, boot->role, boot->cmd, boot->negated);
	}
	trap_poll(sh); /* a signal that came while its last command ran */
	shell_exit(sh, shell_status(sh));
}

/* ---- Starting ------------------------------------------------------------------------- */

/* $(jobs) and `jobs | cat` tell of the jobs of the shell they are in. */
static bool keeps_jobs(enum child_role role, const struct cmd *cmd)
{
	const struct cmd_simple *c = AST_CONST(cmd_simple, cmd);

	return role == CHILD_COMSUB ||
	       (role == CHILD_PIPE && cmd && cmd->kind == CMD_SIMPLE && c->nwords && str_is(c->words[0].text, "jobs"));
}

static int start(struct shell *sh, enum child_role role, const struct cmd *cmd,
                 const struct sys_fd_move *fds, size_t nfds, bool late, const struct aside *aside)
{
	struct boot boot = {.role = role,
	                    .async = role == CHILD_ASYNC || sh->starts_job,
	                    .cmd = cmd,
	                    .trace_depth = sh->trace_depth,
	                    .trap_mask = sh->trap_mask,
	                    .noerr = sh->noerr,
	                    .loops = sh->loops,
	                    .login = sh->login,
	                    .disabled = {sh->disabled[0], sh->disabled[1]}};
	struct sys_spawn s = {.entry = child_main,
	                      .arg = &boot,
	                      .arg_size = sizeof boot,
	                      .fds = fds,
	                      .nfds = nfds,
	                      .late = late,
	                      .pgid = role == CHILD_ASYNC && set_is(sh, SET_MONITOR) ? -1 : 0,
	                      .state_release = state_release};
	int pid;

	if (aside) {
		boot.aside = *aside;
		s.arg = with_words(sh, &boot, &s.arg_size);
	}
	if (role == CHILD_COMSUB || role == CHILD_PROCSUB)
		boot.trace_depth++;
	if (role == CHILD_SUBSHELL && cmd && sh->top && sh->top->kind == TASK_PIPE)
		boot.negated = (sh->top->cmd->flags & PIPE_NEGATE) != 0;
	for (size_t i = 0; role == CHILD_PIPE && i < nfds; i++)
		boot.stdin_given |= fds[i].to == 0;
	/* bash runs no ERR trap for a simple command in the background. */
	if (role == CHILD_ASYNC && cmd && cmd->kind == CMD_SIMPLE)
		boot.noerr++;
	/* Those that nobody waits for by name must not pile up. */
	if (role == CHILD_PROCSUB || boot.async || sh->st->jobs)
		jobs_poll(sh);
	/* Either allocation may be the end of this proc: the first one's block is the state's until the second is there. */
	if (sh->st->jobs && keeps_jobs(role, cmd))
		sh->st->handed = vstr_new(sh->st->heap, sh->st->jobs->s, sh->st->jobs->len);
	s.state = state_clone(sh->st);
	((struct shell_state *)s.state)->jobs = sh->st->handed;
	sh->st->handed = NULL;
	pid = sys_spawn(sh->p, &s);
	if (pid < 0) {
		shell_error(sh, "fork: %s", errno_text(pid));
		shell_set_status(sh, 254);
	}
	return pid;
}

int child_spawn(struct shell *sh, enum child_role role, const struct cmd *cmd,
                const struct sys_fd_move *fds, size_t nfds)
{
	return start(sh, role, cmd, fds, nfds, false, NULL);
}

int child_spawn_late(struct shell *sh, enum child_role role, const struct cmd *cmd,
                     const struct sys_fd_move *fds, size_t nfds)
{
	return start(sh, role, cmd, fds, nfds, true, NULL);
}

int program_aside(struct shell *sh, const struct aside *aside)
{
	int pid = start(sh, CHILD_SUBSHELL, NULL, NULL, 0, false, aside);

	return pid < 0 ? shell_status(sh) : child_wait(sh, pid, aside->cmd);
}

const char *program_variable(struct shell *sh, const struct found *f)
{
	size_t n = strlen(f->path) + 1;
	char *v;

	if (sys_profile(sh->p)->closed)
		return NULL;
	v = u_zalloc(sh->p, n + 2);
	memcpy(v, "_=", 2);
	memcpy(v + 2, f->path, n);
	return v;
}

/* A file without #! that is text is a script for the shell itself. */
static int program_script(struct shell *sh, const struct found *f, char **argv, char **env, const char *env_last,
                          const struct sys_fd_move *fds, size_t nfds, bool replace)
{
	const struct program *bash = sys_program(sh->p, "bash");
	struct str text;
	size_t n = 0;
	char **v;
	int r = unit_read(sh, f->path, &text);

	if (r < 0 || !bash)
		return r < 0 ? r : -NACRE_ENOEXEC;
	while (argv[n])
		n++;
	v = u_array(sh->p, n + 2, sizeof *v);
	v[0] = u_strdup(sh->p, "bash");
	v[1] = u_strdup(sh->p, f->path);
	for (size_t i = 1; i <= n; i++)
		v[i + 1] = argv[i];
	if (replace)
		return sys_exec_program(sh->p, bash, v, env, env_last);

	struct sys_spawn s = {
	        .program = bash, .argv = v, .env = env, .env_last = env_last, .fds = fds, .nfds = nfds};

	return sys_spawn(sh->p, &s);
}

int program_spawn(struct shell *sh, const struct found *f, char **argv,
                  const struct sys_fd_move *fds, size_t nfds, bool late)
{
	struct sys_spawn s = {.program = f->program,
	                      .path = f->path,
	                      .argv = argv,
	                      .env = state_environ(sh->st),
	                      .env_last = program_variable(sh, f),
	                      .fds = fds,
	                      .nfds = nfds,
	                      .late = late};
	int pid;

	pid = sys_spawn(sh->p, &s);
	if (pid == -NACRE_ENOEXEC)
		return program_script(sh, f, argv, state_environ(sh->st), s.env_last, fds, nfds, false);
	return pid;
}

int program_exec(struct shell *sh, const struct found *f, char **argv, char **env, const char *env_last)
{
	int r;

	u_flush(&sh->out);
	r = f->program ? sys_exec_program(sh->p, f->program, argv, env, env_last)
	               : sys_exec(sh->p, f->path, argv, env, env_last);
	if (r == -NACRE_ENOEXEC)
		return program_script(sh, f, argv, env, env_last, NULL, 0, true);
	return r;
}

/* The first line's interpreter, when a script names one. */
static bool names_interpreter(struct shell *sh, const char *path)
{
	char b[2];
	int fd = sys_open(sh->p, path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	bool yes;

	if (fd < 0)
		return false;
	yes = sys_read(sh->p, fd, b, 2) == 2 && b[0] == '#' && b[1] == '!';
	sys_close(sh->p, fd);
	return yes;
}

/* A second line for the frequent names that are not here. */
static void advise(struct shell *sh, const char *name)
{
	const char *advice = u_absent(name), *text;

	if (!advice)
		return;
	text = u_format(sh->p, "nacre: %s: %s\n", name, advice);
	(void)!u_write_all(sh->p, 2, text, strlen(text));
}

/* A name, or a path into /bin, that the policy refuses. */
static bool is_refused(struct shell *sh, const char *name)
{
	static const char *const dirs[] = {"/bin/", "/usr/bin/"};

	for (size_t i = 0; i < COUNTOF(dirs); i++)
		if (strncmp(name, dirs[i], strlen(dirs[i])) == 0)
			name += strlen(dirs[i]);
	return !strchr(name, '/') && sys_command_refused(sh->p, name);
}

int program_failed(struct shell *sh, const char *name, const struct found *f, int err)
{
	struct sys_stat st;

	if ((!f->path || err == -NACRE_ENOENT) && is_refused(sh, name)) {
		shell_error(sh, "%s: command not allowed", name);
		return 127;
	}
	if (!f->path) {
		char buf[VALUE_BUF];
		struct str path;

		if (name[0] && (!state_get(sh->st, STR("PATH"), buf, &path) || path.len == 0))
			shell_error(sh, "%s: %s", name, errno_text(NACRE_ENOENT));
		else
			shell_error(sh, "%s: command not found", name);
		advise(sh, name);
		return 127;
	}
	if (sys_stat(sh->p, f->path, 0, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR) {
		shell_error(sh, "%s: %s", f->path, errno_text(NACRE_EISDIR));
		return 126;
	}
	switch (-err) {
	case NACRE_ENOENT:
		if (names_interpreter(sh, f->path))
			shell_error(sh, "%s: cannot execute: required file not found", f->path);
		else
			shell_error(sh, "%s: %s", f->path, errno_text(err));
		return 127;
	case NACRE_ENOEXEC:
		shell_error(sh, "%s: cannot execute binary file: %s", f->path, errno_text(err));
		return 126;
	case NACRE_EAGAIN: shell_error(sh, "fork: %s", errno_text(err)); return 254;
	default: shell_error(sh, "%s: %s", f->path, errno_text(err)); return 126;
	}
}

/* ---- Waiting ------------------------------------------------------------------------------ */

/* bash tells of a child that a signal ended: with its command, or (for SIGTERM, and for signals
 * that this shell traps) in one word. */
void child_report(struct shell *sh, const struct sys_wait *w, const struct cmd *cmd)
{
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	const char *text = signal_text(w->signal);
	const char *line;
	struct str s;

	if (!w->signal || w->signal == SYS_SIGINT || w->signal == SYS_SIGPIPE)
		return;
	if (!text)
		text = u_format(sh->p, "Unknown signal %d", w->signal);
	if (w->signal == SYS_SIGTERM || ((sh->trapped >> w->signal) & 1u)) {
		line = u_format(sh->p, "%s\n", text);
		u_flush(&sh->out);
		(void)!u_write_all(sh->p, 2, line, strlen(line));
	} else {
		s = print_command(a, cmd);
		shell_error(sh, "%5d %-24s%.*s", w->pid, text, (int)s.len, s.ptr);
	}
	arena_reset(a, mark);
}

int child_end(struct shell *sh, int pid, struct sys_wait *w)
{
	struct job j;
	int r;

	while ((r = sys_wait(sh->p, pid, 0, w)) == -NACRE_EINTR)
		trap_interrupted(sh);
	if (r < 0) {
		*w = (struct sys_wait){0};
		/* Taken in before, by somebody who waited for any child. */
		if (!job_by_pid(sh, pid, &j))
			return 127;
		job_forget(sh, pid);
		return j.signal ? 128 + j.signal : j.status;
	}
	jobs_notify(sh);
	return w->signal ? 128 + w->signal : w->status;
}

int child_wait(struct shell *sh, int pid, const struct cmd *cmd)
{
	struct sys_wait w;
	int status = child_end(sh, pid, &w);

	if (cmd)
		child_report(sh, &w, cmd);
	return status;
}

void subshell_run(struct shell *sh, const struct cmd *cmd)
{
	int pid;

	trap_poll(sh);
	if (sh->flow != FLOW_NONE)
		return;
	trap_note(sh, cmd);
	sh->st->line = cmd->line;
	pid = child_spawn(sh, CHILD_SUBSHELL, cmd, NULL, 0);
	if (pid >= 0)
		shell_set_status(sh, child_wait(sh, pid, cmd));
	machine_check(sh);
}

/* ---- Background ------------------------------------------------------------------------------ */

/* The DEBUG trap runs here, before the child is made: for simple commands, alone or in a pipeline. */
static void debug_stages(struct shell *sh, const struct cmd *cmd)
{
	const struct cmd_pipe *pipe = AST_CONST(cmd_pipe, cmd);

	if (LIKELY(!(sh->special_traps & 1u)))
		return;
	if (cmd->kind == CMD_SIMPLE) {
		sh->st->line = cmd->line;
		trap_debug(sh, cmd);
	}
	for (uint32_t i = 0; cmd->kind == CMD_PIPE && i < pipe->n; i++)
		if (pipe->cmds[i]->kind == CMD_SIMPLE)
			trap_debug(sh, pipe->cmds[i]);
}

/* a | b &: its stages are children as they are in the foreground; with set -m they have to be a group of their own, in
 * which one proc starts them. */
static bool has_own_stages(const struct shell *sh, const struct cmd *cmd)
{
	return cmd->kind == CMD_PIPE && AST_CONST(cmd_pipe, cmd)->n > 1 && !(cmd->flags & ~(unsigned)PIPE_NEGATE) &&
	       !set_is(sh, SET_MONITOR);
}

/* The first reads what the shell reads, as in bash; a single command would get /dev/null. What `!` makes of it nobody is
 * told. */
static void background_stages(struct shell *sh, const struct cmd_pipe *c)
{
	int *pids = u_array(sh->p, c->n, sizeof *pids);

	if (!pipe_background(sh, c, pids))
		return;
	sh->st->last_bg = pids[c->n - 1];
	job_add_pipe(sh, pids, c);
	shell_set_status(sh, 0);
}

void background_start(struct shell *sh, const struct cmd *cmd)
{
	struct sys_fd_move moves[1];
	size_t n = 0;
	int null = -1, pid;

	if (has_own_stages(sh, cmd)) {
		background_stages(sh, AST_CONST(cmd_pipe, cmd));
		return;
	}
	debug_stages(sh, cmd);
	if (!set_is(sh, SET_MONITOR) && !stdin_given(sh)) {
		null = sys_open(sh->p, "/dev/null", SYS_O_READ | SYS_O_CLOEXEC, 0);
		if (null >= 0)
			moves[n++] = (struct sys_fd_move){.from = null, .to = 0};
	}
	pid = child_spawn(sh, CHILD_ASYNC, cmd, moves, n);
	if (null >= 0)
		sys_close(sh->p, null);
	if (pid < 0)
		return;
	sh->st->last_bg = pid;
	job_add(sh, pid, cmd);
	shell_set_status(sh, 0);
}
