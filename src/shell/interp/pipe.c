/*
 * pipe.c - pipelines, command and process substitution.
 *
 * Every stage is a child. A stage that is nothing but literal words and names a program is
 * started as that program at once; any other is a subshell first. With lastpipe the last
 * stage runs here, as a task, and the others are waited for after it.
 */
#include "interp.h"

/* ---- Stages ----------------------------------------------------------------------- */

/* Starts a literal command that is a program without a subshell in between. -1: it is not one. */
static int start_directly(struct shell *sh, const struct cmd *cmd, const struct sys_fd_move *fds,
                          size_t nfds, bool late)
{
	const struct cmd_simple *c = AST_CONST(cmd_simple, cmd);
	struct found f;
	char **argv;
	int pid;

	if (cmd->kind != CMD_SIMPLE || !(cmd->flags & SIMPLE_PLAIN) || cmd->redirs ||
	    c->nwords == 0 || (sh->st->opts & (SET_XTRACE | SET_NOEXEC | SET_KEYWORD)) || sh->special_traps)
		return -1;
	lookup_command(sh, c->name, c->name_hash, LOOK_ASIDE, &f);
	if (!f.path)
		return -1;
	argv = u_array(sh->p, c->nwords + 1, sizeof *argv);
	for (uint32_t i = 0; i < c->nwords; i++)
		argv[i] = (char *)(uintptr_t)c->words[i].text.ptr;
	argv[c->nwords] = NULL;
	pid = program_spawn(sh, &f, argv, fds, nfds, late);
	return pid < 0 ? -1 : pid;
}

/* A program takes its time to come to what it does; the shell's own commands do not. */
static bool is_program(struct shell *sh, const struct cmd *cmd)
{
	const struct cmd_simple *c = AST_CONST(cmd_simple, cmd);

	return cmd->kind == CMD_SIMPLE && c->name.len && !builtin_find(c->name) && !state_func(sh->st, c->name, c->name_hash);
}

/* find . | sort >list: as with processes of their own, the file is there before find looks. And what a program writes to a
 * stage that reads something else finds nobody there. */
static bool opens_later(struct shell *sh, const struct cmd_pipe *c, uint32_t i)
{
	uint32_t n = i;

	while (++n < c->n)
		for (const struct redir *r = c->cmds[n]->redirs; r; r = r->next) {
			if (r->op == REDIR_OUT || r->op == REDIR_CLOBBER || r->op == REDIR_APPEND || r->op >= REDIR_BOTH)
				return true;
			if ((r->op == REDIR_IN || r->op == REDIR_HEREDOC || r->op == REDIR_HERESTR) && is_program(sh, c->cmds[i]))
				return true;
		}
	return false;
}

/* Starts stage i between the pipe it reads (or -1) and the one it writes ({-1,-1}: none). */
static int start_stage(struct shell *sh, const struct cmd_pipe *c, uint32_t i, int in,
                       const int next[2])
{
	struct sys_fd_move m[6];
	size_t n = 0;
	bool late;
	int pid;

	if (in >= 0)
		m[n++] = (struct sys_fd_move){in, 0};
	if (next[1] >= 0) {
		m[n++] = (struct sys_fd_move){next[1], 1};
		if (c->both && c->both[i])
			m[n++] = (struct sys_fd_move){next[1], 2};
	}
	if (in > 0)
		m[n++] = (struct sys_fd_move){-1, in};
	if (next[0] > 2)
		m[n++] = (struct sys_fd_move){-1, next[0]};
	if (next[1] > 2)
		m[n++] = (struct sys_fd_move){-1, next[1]};
	if (UNLIKELY(sh->special_traps & 1u) && c->cmds[i]->kind == CMD_SIMPLE) {
		sh->st->line = c->cmds[i]->line;
		trap_debug(sh, c->cmds[i]);
	}
	if (c->cmds[i]->kind == CMD_SIMPLE)
		trap_note(sh, c->cmds[i]);
	late = opens_later(sh, c, i);
	pid = sh->starts_job ? -1 : start_directly(sh, c->cmds[i], m, n, late);
	if (pid >= 0)
		return pid;
	return (late ? child_spawn_late : child_spawn)(sh, CHILD_PIPE, c->cmds[i], m, n);
}

/* A pipe whose ends lie above the standard descriptors, so that moving one never covers another. */
static int high_pipe(struct shell *sh, int fds[2])
{
	int r = sys_pipe(sh->p, fds);

	for (int i = 0; r >= 0 && i < 2; i++) {
		if (fds[i] > 2)
			continue;
		int high = sys_dup(sh->p, fds[i], 3, false);

		if (high < 0)
			return high;
		sys_close(sh->p, fds[i]);
		fds[i] = high;
	}
	return r;
}

/* ---- The whole pipeline --------------------------------------------------------------- */

static void statuses(struct shell *sh, const uint8_t *v, uint32_t n)
{
	int status = v[n - 1];

	if (set_is(sh, SET_PIPEFAIL)) {
		status = 0;
		for (uint32_t i = 0; i < n; i++)
			if (v[i])
				status = v[i];
	}
	state_set_status(sh->st, status);
	state_set_pipestatus(sh->st, v, n);
}

static void wait_stages(struct shell *sh, const int *pids, uint32_t n, uint8_t *v,
                        const struct cmd_pipe *c)
{
	for (uint32_t i = 0; i < n; i++) {
		int status = pids[i] < 0 ? 1
		                         : child_wait(sh, pids[i], i + 1 == c->n ? &c->cmd : NULL);

		v[i] = (uint8_t)status;
	}
}

/* Starts all stages, or all but the last: then *in is what the last has to read. */
static void start_stages(struct shell *sh, const struct cmd_pipe *c, uint32_t n, int *pids, int *in)
{
	*in = -1;
	pipe_admit(sh, c);
	for (uint32_t i = 0; i < n; i++) {
		int next[2] = {-1, -1};

		if (i + 1 < c->n && high_pipe(sh, next) < 0) {
			shell_error(sh, "pipe error: %s", errno_text(NACRE_EMFILE));
			for (; i < n; i++)
				pids[i] = -1;
			break;
		}
		pids[i] = start_stage(sh, c, i, *in, next);
		if (*in >= 0)
			sys_close(sh->p, *in);
		if (next[1] >= 0)
			sys_close(sh->p, next[1]);
		*in = next[0];
	}
}

static void run_stages(struct shell *sh, const struct cmd_pipe *c)
{
	struct arena_mark mark = arena_mark(&sys_self(sh->p)->arena);
	int *pids = u_array(sh->p, c->n, sizeof *pids);
	uint8_t *v = u_alloc(sh->p, c->n);
	int in;

	start_stages(sh, c, c->n, pids, &in);
	if (in >= 0)
		sys_close(sh->p, in);
	wait_stages(sh, pids, c->n, v, c);
	statuses(sh, v, c->n);
	arena_reset(&sys_self(sh->p)->arena, mark);
}

bool pipe_background(struct shell *sh, const struct cmd_pipe *c, int *pids)
{
	bool all = true;
	int in = -1;

	sh->starts_job = true;
	start_stages(sh, c, c->n, pids, &in);
	sh->starts_job = false;
	for (uint32_t i = 0; i < c->n; i++)
		all &= pids[i] >= 0;
	return all;
}

static void negate(struct shell *sh, const struct cmd_pipe *c)
{
	struct pipe_status *keep = sh->st->pipestatus;

	/* Of (( )) and [[ ]] bash notes what `!` makes of them. */
	if (c->n == 1 && (c->cmds[0]->kind == CMD_ARITH || c->cmds[0]->kind == CMD_COND)) {
		state_set_status(sh->st, !sh->st->status);
		return;
	}
	/* PIPESTATUS stays what the commands said. */
	if (keep) {
		sh->st->status = !sh->st->status;
		return;
	}
	uint8_t one = sh->st->pipe_one;

	sh->st->status = !sh->st->status;
	sh->st->pipe_one = one;
}

bool pipe_start(struct shell *sh, const struct cmd_pipe *c)
{
	bool timed = (c->cmd.flags & (PIPE_TIME | PIPE_TIME_POSIX)) != 0;
	bool here = c->n <= 1 ||
	            (c->n > 1 && shopt_is(sh, SHOPT_LASTPIPE) && !set_is(sh, SET_MONITOR));
	struct task_pipe *t;
	int in;

	sh->st->line = c->cmd.line;
	if (c->n > 1) {
		trap_poll(sh);
		if (sh->flow != FLOW_NONE)
			return false;
	}
	if (!here && !timed) {
		bool negated = (c->cmd.flags & PIPE_NEGATE) != 0;

		/* No failure in a stage of what is negated ends that stage. */
		sh->noerr += negated;
		run_stages(sh, c);
		sh->noerr -= negated;
		if (negated)
			negate(sh, c);
		else
			machine_check(sh);
		return false;
	}
	t = task_push(sh, TASK_PIPE, &c->cmd, sizeof *t);
	if (timed) {
		t->start_real = sys_clock(sh->p, SYS_CLOCK_MONO);
		t->start_cpu = sys_clock(sh->p, SYS_CLOCK_CPU);
	}
	if ((c->cmd.flags & PIPE_NEGATE) && set_is(sh, SET_ERREXIT))
		sh->noerr++;
	if (c->n > 1 && here) {
		t->pids = u_array(sh->p, c->n, sizeof *t->pids);
		start_stages(sh, c, c->n - 1, t->pids, &in);
		redir_replace(sh, 0, in);
	}
	return true;
}

void pipe_step(struct shell *sh, struct task *head)
{
	struct task_pipe *t = (struct task_pipe *)(void *)head;
	const struct cmd_pipe *c = AST_CONST(cmd_pipe, head->cmd);
	bool negated = (c->cmd.flags & PIPE_NEGATE) != 0;

	if (head->step++ == 0) {
		if (c->n == 0)
			shell_set_status(sh, 0);
		else if (c->n == 1 || t->pids)
			sh->unredirected = NULL, machine_start(sh, c->cmds[c->n - 1]);
		else
			run_stages(sh, c);
		return;
	}
	if (t->pids) {
		uint8_t *v = u_alloc(sh->p, c->n);

		v[c->n - 1] = (uint8_t)shell_status(sh);
		redir_undo(sh, head->undo);
		wait_stages(sh, t->pids, c->n - 1, v, c);
		statuses(sh, v, c->n);
	}
	if (c->cmd.flags & (PIPE_TIME | PIPE_TIME_POSIX))
		time_report(sh, t, (c->cmd.flags & PIPE_TIME_POSIX) != 0);
	/* A compound command that bash could not redirect is not negated either. */
	if (negated && !(c->n == 1 && sh->unredirected == c->cmds[0]))
		negate(sh, c);
	task_pop(sh);
	if (!negated && c->n > 1)
		machine_check(sh);
}

/* ---- Command substitution ---------------------------------------------------------------- */

static void take(struct shell *sh, struct u_buf *out, const struct sys_slice *s)
{
	u_buf_put(out, s->ptr, s->len);
	if (UNLIKELY(sh->x.max && out->len > sh->x.max))
		sys_spend(sh->p, SYS_LIMIT_EXPANSION, out->len);
}

static bool read_file(struct shell *sh, const struct word *file, struct u_buf *out)
{
	struct str target;
	struct sys_slice s;
	const char *path;
	int fd;
	int64_t n;

	if (!expand_target(&sh->x, file, &target))
		return false;
	path = u_strndup(sh->p, target.ptr, target.len);
	fd = sys_open(sh->p, path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	if (fd < 0) {
		shell_error(sh, "%s: %s", path, errno_text(fd));
		shell_set_status(sh, 1);
		return true;
	}
	while ((n = sys_read_slice(sh->p, fd, 0, &s)) > 0)
		take(sh, out, &s);
	sys_close(sh->p, fd);
	if (n < 0)
		shell_error(sh, "%s: %s", path, errno_text((int)n));
	shell_set_status(sh, n < 0);
	return true;
}

/* `< file` between backquotes means the file's content, too. */
static const struct word *only_file(const struct comsub *c)
{
	const struct cmd_simple *s;

	if (c->file || !c->body || c->body->kind != CMD_SIMPLE)
		return c->file;
	s = AST_CONST(cmd_simple, c->body);
	if (s->nwords || s->nassigns || !s->cmd.redirs || s->cmd.redirs->next ||
	    s->cmd.redirs->op != REDIR_IN || s->cmd.redirs->fd != 0)
		return NULL;
	return s->cmd.redirs->target;
}

/* A here-document that does not parse: its command does not run; that is all for a program, whose redirections are made in
 * its own process, and the end of the whole command for what the shell does itself. */
static bool wrong_document(struct shell *sh, const struct comsub *c)
{
	const struct parse_error *e = c->error;
	struct str said = e->nlines ? e->lines[0].text : STR("");

	if (said.len > 2 && memcmp(said.ptr + said.len - 3, "`}'", 3) == 0)
		return expand_fail(&sh->x, EXPAND_FAIL, "%.*s: bad substitution", (int)c->text.len, c->text.ptr);
	shell_parse_error(sh, e, "command substitution");
	if (!sh->for_program && shell_ends_at_mistake(sh))
		shell_exit(sh, 2);
	sh->x.error = sh->for_program ? EXPAND_ASSIGN : EXPAND_ARITH;
	return false;
}

bool comsub_run(struct expand_host *h, const struct comsub *c, struct u_buf *out)
{
	struct shell *sh = CONTAINER_OF(h, struct shell, host);
	struct sys_slice s;
	int fds[2], pid;
	int64_t n;

	if (c->error) {
		if (c->kind == COMSUB_DOLLAR)
			return wrong_document(sh, c);
		shell_parse_error(sh, c->error, "command substitution");
		shell_set_status(sh, 2);
		return true;
	}
	if (only_file(c))
		return read_file(sh, only_file(c), out);
	if (!c->body) {
		shell_set_status(sh, 0);
		return true;
	}
	if (high_pipe(sh, fds) < 0) {
		shell_error(sh, "cannot make pipe for command substitution: %s",
		            errno_text(NACRE_EMFILE));
		shell_set_status(sh, 1);
		return true;
	}
	struct sys_fd_move m[] = {{fds[1], 1}, {-1, fds[0]}, {-1, fds[1]}};

	pid = child_spawn(sh, CHILD_COMSUB, c->body, m, COUNTOF(m));
	sys_close(sh->p, fds[1]);
	if (pid < 0) {
		sys_close(sh->p, fds[0]);
		return true;
	}
	while ((n = sys_read_slice(sh->p, fds[0], 0, &s)) > 0 || n == -NACRE_EINTR)
		if (n > 0)
			take(sh, out, &s);
	sys_close(sh->p, fds[0]);
	/* $PIPESTATUS stays that of the command before. */
	sh->st->status = child_wait(sh, pid, NULL);
	return true;
}

/* ---- Process substitution ------------------------------------------------------------------ */

#define PROCSUB_FD 63

const char *procsub_run(struct expand_host *h, const struct comsub *c)
{
	struct shell *sh = CONTAINER_OF(h, struct shell, host);
	bool reads = c->kind == PROCSUB_IN; /* we read what the command writes */
	int fds[2], pid, fd;

	for (fd = PROCSUB_FD; fd > 9 && sys_fd_flags(sh->p, fd) >= 0; fd--)
		;
	if (fd <= 9)
		for (fd = PROCSUB_FD + 1; fd < 1000 && sys_fd_flags(sh->p, fd) >= 0; fd++)
			;
	if (high_pipe(sh, fds) < 0) {
		shell_error(sh, "cannot make pipe for process substitution: %s",
		            errno_text(NACRE_EMFILE));
		return NULL;
	}
	struct sys_fd_move m[] = {
	        {reads ? fds[1] : fds[0], reads ? 1 : 0}, {-1, fds[0]}, {-1, fds[1]}};

	pid = child_spawn(sh, CHILD_PROCSUB, c->body, m, COUNTOF(m));
	sys_close(sh->p, reads ? fds[1] : fds[0]);
	if (pid < 0 || sys_dup2(sh->p, reads ? fds[0] : fds[1], fd) < 0) {
		sys_close(sh->p, reads ? fds[0] : fds[1]);
		return NULL;
	}
	sys_close(sh->p, reads ? fds[0] : fds[1]);
	redir_close_later(sh, fd);
	sh->st->last_bg = pid;
	job_add(sh, pid, NULL);
	return u_format(sh->p, "/dev/fd/%d", fd);
}
