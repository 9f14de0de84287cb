/*
 * custom_filesystem.c - a filesystem whose files are made when they are read: /db/users/NAME from a table of the program's.
 *
 * Nothing is stored anywhere: `stat` declares sizes, `read_at` makes text. A real one would return NACRE_FS_PENDING from
 * its functions, ask its database, and call nacre_fs_complete when the answer has come, from any thread.
 */
#include <nacre/nacre.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct user {
	const char *name, *city;
	int age;
} users[] = {{"ada", "London", 36}, {"grace", "New York", 85}, {"linus", "Portland", 55}};
#define USERS (sizeof(users) / sizeof(users[0]))

static const struct user *find(const char *path)
{
	if (strncmp(path, "users/", 6) == 0)
		for (size_t i = 0; i < USERS; i++)
			if (strcmp(path + 6, users[i].name) == 0)
				return &users[i];
	return NULL;
}

static size_t text_of(const struct user *u, char *buf, size_t n)
{
	return (size_t)snprintf(buf, n, "name: %s\nage: %d\ncity: %s\n", u->name, u->age, u->city);
}

static int db_stat(void *payload, nacre_fs_op *op, const char *path, nacre_stat *out)
{
	const struct user *u = find(path);
	char text[200];

	(void)payload;
	(void)op;
	if (u)
		*out = (nacre_stat){.size_of = sizeof(*out), .mode = 0100444, .size = (int64_t)text_of(u, text, sizeof(text))};
	else if (!*path || strcmp(path, "users") == 0)
		*out = (nacre_stat){.size_of = sizeof(*out), .mode = 0040555};
	else
		return -ENOENT;
	return 0;
}

static int db_readdir(void *payload, nacre_fs_op *op, const char *path)
{
	(void)payload;
	if (!*path)
		return nacre_fs_op_add(op, "users", 0040000);
	for (size_t i = 0; i < USERS; i++)
		if (nacre_fs_op_add(op, users[i].name, 0100000) < 0)
			return -ENOMEM;
	return 0;
}

static int db_open(void *payload, nacre_fs_op *op, const char *path, unsigned flags, unsigned mode, void **handle)
{
	(void)payload;
	(void)op;
	(void)flags;
	(void)mode;
	*handle = (void *)(uintptr_t)find(path);
	return *handle ? 0 : -ENOENT;
}

static int64_t db_read(void *payload, nacre_fs_op *op, void *handle, void *buf, size_t n, int64_t at)
{
	char text[200];
	size_t len = text_of(handle, text, sizeof(text));

	(void)payload;
	(void)op;
	if ((size_t)at >= len)
		return 0;
	n = n < len - (size_t)at ? n : len - (size_t)at;
	memcpy(buf, text + at, n);
	return (int64_t)n;
}

static void db_close(void *payload, void *handle)
{
	(void)payload;
	(void)handle;
}

int main(void)
{
	nacre_filesystem db = {.size = sizeof(db), .stat = db_stat, .readdir = db_readdir, .open = db_open, .read_at = db_read, .close = db_close};
	nacre_config *cfg = nacre_config_new();
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt;
	nacre_sandbox *sb;
	nacre_result *res;

	req.script = "cd /db; find . -type f; grep -l 'age: [5-9]' users/*; sort -t: -k2 users/ada | head -n 1; cp users/ada /tmp; wc -c < /tmp/ada; "
		     "echo x > users/new || echo 'it is read-only'";
	if (nacre_runtime_new(&rt) < 0 || nacre_config_mount_fs(cfg, &db, "/db", NACRE_MOUNT_READ_ONLY) < 0 ||
	    nacre_sandbox_new(&sb, rt, cfg) < 0 || nacre_exec(&res, sb, &req) < 0)
		return 1;
	fputs(nacre_result_stdout(res, NULL), stdout);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return 0;
}
