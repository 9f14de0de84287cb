/* guest.c - the sqlite3 shell: a run is its own main. .shell and the like run in the sandbox. */
#include "shims.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

extern char **__wasilibc_environ;

int shell_main(int argc, char **argv);

int guest_prepare(void)
{
	return 0;
}

int guest_entry(int argc, char **argv)
{
	/* Nobody waits for a line that is not finished. */
	return shell_main(argc, argv);
}

/* ---- What wasi-libc does not have ------------------------------------------------------------ */

static int spawn(const char *command, const struct host_move *moves, int n)
{
	char *const argv[] = {"sh", "-c", (char *)command, NULL};
	const struct host_spawn how = {.path = "/bin/sh", .argv = argv, .env = __wasilibc_environ, .moves = moves, .nmoves = n};

	return host_spawn(&how);
}

static int wait_for(int pid)
{
	struct host_wait w;

	if (host_wait(pid, 0, &w) < 0)
		return -1;
	return w.signal ? w.signal : w.status << 8;
}

int system(const char *command)
{
	int pid;

	if (!command)
		return 1;
	fflush(NULL);
	pid = spawn(command, NULL, 0);
	return pid < 0 ? 127 << 8 : wait_for(pid);
}

static struct {
	FILE *f;
	int pid;
} opened[8];

FILE *popen(const char *command, const char *mode)
{
	int fds[2], ours = *mode == 'r' ? 0 : 1, k = 0;

	while (k < 8 && opened[k].f)
		k++;
	if (k == 8 || host_pipe(fds) < 0)
		return NULL;
	host_set_cloexec(fds[0], 1);
	host_set_cloexec(fds[1], 1);
	fflush(NULL);
	const struct host_move move = {fds[!ours], !ours};
	opened[k].pid = spawn(command, &move, 1);
	close(fds[!ours]);
	opened[k].f = opened[k].pid < 0 ? NULL : fdopen(fds[ours], mode);
	if (!opened[k].f)
		close(fds[ours]);
	return opened[k].f;
}

int pclose(FILE *f)
{
	for (int k = 0; k < 8; k++)
		if (opened[k].f == f) {
			fclose(f);
			opened[k].f = NULL;
			return wait_for(opened[k].pid);
		}
	errno = ECHILD;
	return -1;
}

/* Only by name, which SQLite does not have here: it is for databases that belong to somebody else. */
int fchown(int fd, uid_t uid, gid_t gid)
{
	(void)fd, (void)uid, (void)gid;
	errno = ENOTSUP;
	return -1;
}

uid_t getuid(void)
{
	return (uid_t)host_id(3);
}

uid_t geteuid(void)
{
	return (uid_t)host_id(3);
}

mode_t umask(mode_t mask)
{
	return (mode_t)host_umask((int)mask);
}
