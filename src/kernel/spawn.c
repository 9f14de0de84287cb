/* spawn.c - sys_spawn and sys_exec: from a path to a program, from a program to a proc.
 *
 * A path names a file of fs/bin, which knows its program, or a script whose first line
 * "#!INTERPRETER [ARG]" leads on to one, at most INTERP_MAX times. Everything that can fail is
 * done before the child is made ready, or before the old program is given up. */
#include "runtime.h"

#define INTERP_MAX  4u
#define INTERP_LINE 256u                /* bytes of the first line that count */
#define ARGS_MAX    ((size_t)2 << 20)   /* of arguments and environment together */
#define ARG_MAX     ((size_t)128 << 10) /* of one string */

/* The strings that go before the arguments: interpreters and their arguments, innermost last,
 * then the script. */
struct image {
	const struct program *program;
	size_t n;
	char *prefix[2 * INTERP_MAX + 1];
	char *line[INTERP_MAX]; /* what they point into; INTERP_LINE bytes each */
};

static struct vfs_who who_of(struct proc *p)
{
	return (struct vfs_who){&p->sb->vfs, p->cwd->path, p->umask, &p->sb->quota};
}

static const struct program *find(const struct program_table *t, const char *name)
{
	size_t low = 0, high = t ? t->n : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = strcmp(name, t->v[mid].name);

		if (order == 0)
			return &t->v[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static const struct program *program_named(struct sandbox *sb, const char *name)
{
	return find(sb->config->programs, name);
}

const struct program *sys_program(struct proc *p, const char *name)
{
	return program_named(p->sb, name);
}

bool sys_command_refused(struct proc *p, const char *name)
{
	if (LIKELY(!find(p->sb->config->refused, name)))
		return false;
	sandbox_refused_command(p->sb, name);
	return true;
}

const struct program *sys_program_at(struct proc *p, size_t i)
{
	const struct program_table *t = p->sb->config->programs;

	return t && i < t->n ? &t->v[i] : NULL;
}

const void *sys_program_data(struct proc *p)
{
	return p->program->data;
}

/* ---- What a path runs --------------------------------------------------------------- */

static void image_release(struct proc *p, struct image *m)
{
	for (size_t i = 0; i < INTERP_MAX; i++)
		kfree(&p->sb->quota, m->line[i], INTERP_LINE);
}

/* Opens `path` for running; its program, or the first bytes of a file that is none. */
static int open_image(struct proc *p, const char *path, const struct program **program, char *line,
                      size_t *len)
{
	struct vfs_who w = who_of(p);
	struct sys_stat st;
	struct file *f;
	int64_t n;
	int r = vfs_open(&w, path, SYS_O_READ, 0, &f);

	*program = NULL;
	*len = 0;
	if (r < 0)
		return r == -NACRE_ENXIO ? -NACRE_EACCES : r;
	/* One walk is enough for the usual case: what is in fs/bin may always be run. */
	if (p->sb->config->program_of)
		*program = p->sb->config->program_of(f);
	if (*program)
		goto out;
	r = f->ops->stat ? f->ops->stat(f, &st) : -NACRE_EACCES;
	if (r == 0 && ((st.mode & SYS_S_TYPE) != SYS_S_FILE || !f->ops->read))
		r = -NACRE_EACCES;
	if (r == 0)
		r = vfs_access(&w, path, SYS_X_OK);
	if (r < 0)
		goto out;
	n = f->ops->read(f, line, INTERP_LINE - 1, 0);
	r = n < 0 ? (int)n : 0;
	*len = n > 0 ? (size_t)n : 0;
out:
	file_put(f);
	return r;
}

/* Cuts "#!  interp  arg  \n" into its two strings; false when it is not such a line. */
static bool cut_interp(char *line, size_t len, char **interp, char **arg)
{
	char *end, *at = line + 2;

	if (len < 2 || line[0] != '#' || line[1] != '!')
		return false;
	end = memchr(line, '\n', len);
	if (!end)
		end = line + len;
	while (end > at && ascii_blank(end[-1]))
		end--;
	*end = '\0';
	while (ascii_blank(*at))
		at++;
	if (!*at)
		return false;
	*interp = at;
	while (*at && !ascii_blank(*at))
		at++;
	*arg = NULL;
	if (*at) {
		*at++ = '\0';
		while (ascii_blank(*at))
			at++;
		*arg = at;
	}
	return true;
}

/* A directory in which scripts written elsewhere expect the usual interpreters. */
static const struct program *usual_program(struct sandbox *sb, const char *path)
{
	static const char *const dirs[] = {"/bin/", "/usr/bin/", "/usr/local/bin/"};

	for (size_t i = 0; i < COUNTOF(dirs); i++) {
		size_t n = strlen(dirs[i]);

		if (strncmp(path, dirs[i], n) == 0 && !strchr(path + n, '/'))
			return program_named(sb, path + n);
	}
	return NULL;
}

static void put_before(struct image *m, char *s)
{
	memmove(m->prefix + 1, m->prefix, m->n * sizeof(*m->prefix));
	m->prefix[0] = s;
	m->n++;
}

static int find_image(struct proc *p, const char *path, struct image *m)
{
	size_t level = 0, len;
	char last[INTERP_LINE];
	int r;

	*m = (struct image){0};
	for (;; level++) {
		char *line = level < INTERP_MAX ? kalloc(&p->sb->quota, INTERP_LINE) : last;
		char *interp, *arg;

		if (!line)
			return -NACRE_ENOMEM;
		if (line != last)
			m->line[level] = line;
		r = open_image(p, path, &m->program, line, &len);
		if (r == -NACRE_ENOENT && level)
			m->program = usual_program(p->sb, path);
		if (m->program)
			return 0;
		if (r < 0)
			return r;
		if (level == INTERP_MAX)
			return -NACRE_ELOOP;
		if (!cut_interp(line, len, &interp, &arg))
			return -NACRE_ENOEXEC;
		if (!level)
			put_before(m, NULL); /* the script's own path: set by the caller */
		if (arg)
			put_before(m, arg);
		put_before(m, interp);
		path = interp;
	}
}

/* Counts the strings of v; -NACRE_E2BIG when there is too much. */
static int check_size(char *const *v, size_t *total)
{
	for (; v && *v; v++) {
		size_t n = strnlen(*v, ARG_MAX);

		if (n == ARG_MAX)
			return -NACRE_E2BIG;
		*total += n + 1 + sizeof(char *);
		if (*total > ARGS_MAX)
			return -NACRE_E2BIG;
	}
	return 0;
}

/* A reference on the environment of what p starts; `env` NULL: its own. `last`: see struct sys_spawn. `total`: of the arguments. */
static int prepare_env(struct proc *p, char *const *env, const char *last, size_t total, struct env **out)
{
	struct env *e = !env && p->u.env == p->env->v ? env_get(p->env)
	                                              : sandbox_last_env(p->sb, env ? env : p->u.env);
	int r;

	if (!e) {
		r = check_size(env, &total);
		if (r < 0)
			return r;
		e = sandbox_new_env(p->sb, env ? env : p->u.env);
	}
	*out = e;
	if (e && last) {
		r = check_size((char *[]){(char *)(uintptr_t)last, NULL}, &total);
		*out = r < 0 ? NULL : env_with(&p->sb->quota, e, last);
		env_put(e, &p->sb->quota);
		if (r < 0)
			return r;
	}
	return *out ? 0 : -NACRE_ENOMEM;
}

/* Program, arguments and environment of `program`, or when it is NULL of what is at `path`;
 * released by next_release. */
static int prepare(struct proc *p, const struct program *program, const char *path, char *const *argv, char *const *env,
                   const char *env_last, struct next_program *next)
{
	static char *const nothing[] = {NULL};
	struct image m = {.program = program};
	char *own[2 * INTERP_MAX + 1];
	size_t total = 0;
	int r = check_size(argv, &total);

	*next = (struct next_program){0};
	if (r == 0)
		r = prepare_env(p, env, env_last, total, &next->env);
	if (r == 0 && !program)
		r = find_image(p, path, &m);
	if (r < 0)
		goto out;
	for (size_t i = 0; i < m.n; i++)
		own[i] = m.prefix[i];
	if (m.n)
		memcpy(&own[m.n - 1], &path,
		       sizeof(char *)); /* const is the caller's promise only */
	next->program = m.program;
	r = next_args(p, own, m.n, argv ? argv : nothing, next);
out:
	image_release(p, &m);
	if (r < 0)
		next_release(p, next);
	return r;
}

/* ---- Spawn -------------------------------------------------------------------------- */

static int move_fds(struct proc *p, struct proc *child, const struct sys_spawn *s)
{
	for (size_t i = 0; i < s->nfds; i++) {
		const struct sys_fd_move *m = &s->fds[i];
		struct fd_slot *slot;
		int r;

		if (m->to < 0)
			return -NACRE_EBADF;
		if (m->from < 0) {
			fdtab_close(&child->fds, m->to, p->sb);
			continue;
		}
		slot = fdtab_slot(&p->fds, m->from);
		if (!slot)
			return -NACRE_EBADF;
		r = fdtab_install_at(&child->fds, file_get(slot->file), (uint32_t)m->to, false,
		                     p->sb);
		if (r < 0) {
			file_put(slot->file);
			return r;
		}
	}
	return 0;
}

static int setup_entry(struct proc *p, struct proc *child, const struct sys_spawn *s)
{
	int r;

	child->program = p->program;
	child->entry = s->entry;
	child->arg = proc_reserve(child, s->arg_size);
	if (!child->arg)
		return -NACRE_ENOMEM;
	if (s->arg_size)
		memcpy(child->arg, s->arg, s->arg_size);
	r = prepare_env(p, s->env, s->env_last, 0, &child->env);
	if (r < 0)
		return r;
	child->u.env = child->env->v;
	if (s->argv)
		return proc_set_argv(child, s->argv) ? 0 : -NACRE_ENOMEM;
	return proc_set_argv(child, (char *[]){p->comm, NULL}) ? 0 : -NACRE_ENOMEM;
}

static int spawn(struct proc *p, const struct sys_spawn *s)
{
	struct next_program next = {0};
	struct proc *child;
	size_t stack;
	int r;

	if (!s->entry) {
		r = prepare(p, s->program, s->path, s->argv, s->env, s->env_last, &next);
		if (r < 0)
			return r;
		stack = next.program->stack_size;
	} else {
		stack = s->stack_size ? s->stack_size : p->stack_size;
	}
	r = !rlimit_procs(p) ? -NACRE_EAGAIN : proc_new(p->sb, p->run, s->detached ? NULL : p, stack,
	             s->entry ? STACK_ARENA_SHELL : STACK_ARENA, &child);
	if (r < 0)
		goto no_child;
	if (s->detached) {
		child->umask = p->umask;
		child->pgid = p->pgid;
		child->ppid = p->pid;
	}
	child->cwd = p->cwd;
	child->cwd->refs++;
	child->sig_ignored = p->sig_ignored;
	if (s->pgid)
		child->pgid = s->pgid < 0 ? child->pid : s->pgid;
	r = fdtab_copy(&child->fds, &p->fds, !s->entry, p->sb);
	if (r == 0 && s->nfds)
		r = move_fds(p, child, s);
	if (r < 0)
		goto abandon;
	rlimits_inherit(child, p);
	if (s->entry) {
		child->sig_caught = p->sig_caught;
		r = setup_entry(p, child, s);
		if (r < 0)
			goto abandon;
	} else {
		proc_adopt(child, &next);
		run_record_begin(child);
	}
	child->state_attached = s->state;
	child->state_release = s->state_release;
	child->late = s->late;
	sched_ready(child);
	return child->pid;

abandon:
	proc_abandon(child);
no_child:
	next_release(p, &next);
	return r;
}

int sys_spawn(struct proc *p, const struct sys_spawn *s)
{
	int r;

	/* The child's state is ours from here on, also when the caller does not come in alive. */
	p->u.fuel -= SYSCALL_FUEL;
	r = UNLIKELY(p->u.fuel < 0) && !proc_enter_alive(p) ? -NACRE_EKILLED : spawn(p, s);
	if (r < 0 && s->state_release)
		s->state_release(p->sb->heap, s->state);
	return (int)proc_leave(p, r);
}

/* ---- Exec --------------------------------------------------------------------------- */

static int exec(struct proc *p, const struct program *program, const char *path, char *const *argv,
                char *const *env, const char *env_last)
{
	struct next_program next;
	int r;

	proc_enter(p);
	r = prepare(p, program, path, argv, env, env_last, &next);
	if (r == 0) {
		proc_last_words(p, 0, true);
		r = next_stack(p, &next);
		if (r < 0 || p->killed)
			next_release(p, &next);
	}
	if (r < 0 || p->killed)
		return (int)proc_leave(p, r);

	fdtab_close_cloexec(&p->fds, p->sb);
	if (p->state_release)
		p->state_release(p->sb->heap, p->state_attached);
	p->state_attached = NULL;
	p->state_release = NULL;
	p->sig_caught = 0;
	p->sig_pending = 0;
	p->stack_size = next.program->stack_size;
	p->next_program = next;
	run_record_begin(p);
	proc_exec(p);
}

int sys_exec(struct proc *p, const char *path, char *const *argv, char *const *env, const char *env_last)
{
	return exec(p, NULL, path, argv, env, env_last);
}

int sys_exec_program(struct proc *p, const struct program *program, char *const *argv, char *const *env, const char *env_last)
{
	return exec(p, program, NULL, argv, env, env_last);
}
