/* session.c - a sandbox kept in a file between runs of the program. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cli_read_saved(const char *name, size_t *len)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *text = NULL;
	size_t n = 0;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode))
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
	else if (fstat(fd, &st) == 0)
		text = malloc((size_t)st.st_size + 1);
	while (text && n < (size_t)st.st_size) {
		ssize_t got = read(fd, text + n, (size_t)st.st_size - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(text);
			text = NULL;
		}
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	*len = n;
	return text;
}

int cli_sandbox(nacre_sandbox **out, nacre_runtime *rt, const struct cli_options *o)
{
	size_t len = 0;
	char *data = NULL;
	int e;

	*out = NULL;
	if (o->session) {
		data = cli_read_saved(o->session, &len);
		if (!data && errno != ENOENT) {
			fprintf(stderr, "nacre: %s: %s\n", o->session, strerror(errno));
			return -1;
		}
	}
	e = data ? nacre_load(out, rt, o->config, data, len) : nacre_sandbox_new(out, rt, o->config);
	if (e < 0 && data)
		fprintf(stderr, "nacre: %s: %s\n", o->session, nacre_runtime_error(rt));
	else if (e < 0)
		fprintf(stderr, "nacre: %s\n", nacre_runtime_error(rt));
	free(data);
	return e;
}

static int write_all(int fd, const char *s, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, s, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -1;
		s += w;
		n -= (size_t)w;
	}
	return fsync(fd);
}

int cli_replace_file(const char *name, const char *data, size_t len)
{
	size_t n = strlen(name) + 8;
	char *temp = malloc(n);
	int fd, bad;

	if (!temp)
		return -1;
	snprintf(temp, n, "%s.XXXXXX", name);
	fd = mkostemp(temp, O_CLOEXEC);
	bad = fd < 0 || write_all(fd, data, len) != 0;
	if (fd >= 0 && close(fd) != 0)
		bad = 1;
	if (!bad && rename(temp, name) != 0)
		bad = 1;
	if (bad && fd >= 0) {
		int e = errno;

		unlink(temp);
		errno = e;
	}
	free(temp);
	return bad ? -1 : 0;
}

int cli_keep(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o, int status)
{
	size_t len;
	void *data;
	int bad = 0;

	if (!o->session)
		return status;
	if (nacre_save(&data, &len, sb) < 0) {
		fprintf(stderr, "nacre: %s\n", nacre_runtime_error(rt));
		return status ? status : 1;
	}
	if (cli_replace_file(o->session, data, len) != 0) {
		fprintf(stderr, "nacre: %s: %s\n", o->session, strerror(errno));
		bad = 1;
	}
	nacre_free(data);
	return status ? status : bad;
}
