/* stream.c - output of a script passed on as it comes, and what is said about it afterwards. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t w = write(fd, data, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0 && errno == EAGAIN) {
			struct pollfd pfd = {.fd = fd, .events = POLLOUT};

			poll(&pfd, 1, 100);
			continue;
		}
		if (w < 0)
			return false;
		data += w;
		n -= (size_t)w;
	}
	return true;
}

/* Whether the shell refused the text for its end: more lines are wanted. */
static bool is_unfinished(const char *s)
{
	return strncmp(s, "bash: -c: line", 14) == 0 && (strstr(s, "unexpected end of file") || strstr(s, "unexpected EOF"));
}

/* With p->may_hold, the shell's word that the text is unfinished is kept: it may be read on. */
static bool hold(struct cli_pass *p, int fd, const char *data, size_t n)
{
	if (!p->may_hold || fd != 2 || n >= sizeof(p->held))
		return false;
	memcpy(p->held, data, n);
	p->held[n] = '\0';
	p->may_hold = false;
	if (is_unfinished(p->held))
		return true;
	p->held[0] = '\0';
	return false;
}

static bool pass(struct cli_pass *p, int fd, const char *data, size_t len)
{
	uint64_t room = p->seen[fd] < p->limit ? p->limit - p->seen[fd] : 0;

	p->seen[fd] += len;
	return cli_write_all(fd, data, len < room ? len : (size_t)room);
}

ptrdiff_t cli_pass_output(void *payload, int fd, const void *data, size_t len)
{
	struct cli_pass *p = payload;

	if (hold(p, fd, data, len))
		return (ptrdiff_t)len;
	cli_pass_release(p);
	return pass(p, fd, data, len) ? (ptrdiff_t)len : -1;
}

void cli_pass_release(struct cli_pass *p)
{
	p->may_hold = false;
	if (*p->held)
		(void)pass(p, STDERR_FILENO, p->held, strlen(p->held));
	p->held[0] = '\0';
}

bool cli_pass_wants_more(const struct cli_pass *p, const nacre_result *res)
{
	return nacre_result_outcome(res) == NACRE_INVALID && *p->held;
}

/*
 * A full pipe that nobody reads must not hold a killed run past its deadline: its exit status says it then.
 * A run that ended by itself waits: that its output was cut stands in the message alone.
 */
static bool has_room(const nacre_result *res)
{
	struct pollfd room = {.fd = STDERR_FILENO, .events = POLLOUT};

	return nacre_result_outcome(res) == NACRE_COMPLETED || poll(&room, 1, 100) != 0;
}

void cli_tell(const struct cli_options *o, const nacre_result *res, const struct cli_pass *pass)
{
	if (!has_room(res))
		return;
	if (nacre_result_outcome(res) == NACRE_TIMED_OUT)
		fprintf(stderr, "nacre: execution timed out after %gs\n", (double)cli_timeout(o) / 1e9);
	else if (nacre_result_outcome(res) == NACRE_LIMITED)
		fprintf(stderr, "nacre: limit exceeded: %s\n", nacre_result_message(res));
	else if (nacre_result_outcome(res) == NACRE_INTERNAL)
		fprintf(stderr, "nacre: internal error: %s\n", nacre_result_error(res));
	for (int fd = 1; pass && fd <= 2; fd++)
		if (pass->seen[fd] > pass->limit)
			fprintf(stderr, "nacre: %s truncated: %llu bytes dropped (see --output-limit)\n",
				fd == 1 ? "stdout" : "stderr", (unsigned long long)(pass->seen[fd] - pass->limit));
	if (pass && pass->tell_status && nacre_result_exit_code(res))
		fprintf(stderr, "(exit code %d)\n", nacre_result_exit_code(res));
}
