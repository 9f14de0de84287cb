/* run.c - finding and running other programs. */
#include "user.h"

static bool is_runnable(struct proc *p, const char *path, int *status)
{
	struct sys_stat st;
	int r = sys_stat(p, path, 0, &st);

	if (r == 0 && (st.mode & SYS_S_TYPE) != SYS_S_DIR) {
		if (sys_access(p, path, SYS_X_OK) == 0)
			return true;
		*status = 126;
	} else if (r == -NACRE_EACCES) {
		*status = 126;
	}
	return false;
}

const char *u_find_program(struct proc *p, const char *name, int *status)
{
	const char *path = u_getenv(p, "PATH");
	struct sys_stat st;
	int r;

	*status = 127;
	if (strchr(name, '/')) {
		r = sys_stat(p, name, 0, &st);
		if (r == 0)
			return name; /* what is wrong with it, running it will say */
		if (r != -NACRE_ENOENT && r != -NACRE_ENOTDIR)
			*status = 126;
		return NULL;
	}
	if (!*name)
		return NULL;
	for (path = path ? path : "/bin:/usr/bin";; path++) {
		size_t n = strcspn(path, ":");
		char *full = n ? u_join(p, u_strndup(p, path, n), name) : u_join(p, ".", name);

		if (is_runnable(p, full, status)) {
			*status = 0;
			return full;
		}
		path += n;
		if (!*path)
			break;
	}
	(void)sys_command_refused(p, name); /* for the record: it is not there in any case */
	return NULL;
}

static int spawn(struct proc *p, const char *path, char *const *argv, int null_fd)
{
	struct sys_fd_move move = {null_fd, 0};
	struct sys_spawn s = {
	        .path = path, .argv = argv, .fds = &move, .nfds = null_fd >= 0 ? 1 : 0};

	return sys_spawn(p, &s);
}

/* A file that is no program and has no #! line is a script for sh, as execvp has it. */
static int spawn_script(struct proc *p, const char *path, char *const *argv, int null_fd)
{
	size_t n = 0;
	char **v;

	while (argv[n])
		n++;
	v = u_array(p, size_add(n, 3), sizeof(*v));
	v[0] = u_strdup(p, "/bin/sh");
	v[1] = u_strdup(p, path);
	for (size_t i = 1; i <= n; i++)
		v[i + 1] = argv[i];
	if (n == 0)
		v[2] = NULL;
	return spawn(p, v[0], v, null_fd);
}

int u_start(struct proc *p, char *const *argv, bool stdin_null, int *err)
{
	int status, pid, null_fd = -1;
	const char *path = argv[0] ? u_find_program(p, argv[0], &status) : NULL;

	*err = 0;
	if (!path) {
		*err = argv[0] && status == 126 ? -NACRE_EACCES : -NACRE_ENOENT;
		return -1;
	}
	if (stdin_null)
		null_fd = sys_open(p, "/dev/null", SYS_O_READ | SYS_O_CLOEXEC, 0);
	u_flush(u_stdout(p));
	pid = spawn(p, path, argv, null_fd);
	if (pid == -NACRE_ENOEXEC)
		pid = spawn_script(p, path, argv, null_fd);
	if (null_fd >= 0)
		sys_close(p, null_fd);
	if (pid < 0) {
		*err = pid;
		return -1;
	}
	return pid;
}

int u_run(struct proc *p, char *const *argv, bool stdin_null, int *err)
{
	struct sys_wait w;
	int pid = u_start(p, argv, stdin_null, err), r;

	if (pid < 0)
		return *err == -NACRE_ENOENT ? 127 : 126;
	do {
		r = sys_wait(p, pid, 0, &w);
	} while (r == -NACRE_EINTR);
	if (r < 0) {
		*err = r;
		return 126;
	}
	return w.signal ? 128 + w.signal : w.status;
}
