/* test_userfs.c - filesystems of the host's: called at once, completed later from another thread, fast; lazy files; procs that die
 * meanwhile. The conformance runner on every filesystem there is. FS-10. */
#include "harness.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- A filesystem in a table of the test's own ---- */

#define NODES 300

struct node {
	char path[300];		/* "" and not used: free */
	bool used;
	uint32_t mode;
	char *data;
	size_t size;
	int64_t mtime;
	int refs;		/* its name and every handle */
};

struct table {
	struct node *v[NODES];
	bool later;		/* complete in another thread */
	bool fast;
	int handles, aborts, calls;
	pthread_mutex_t lock;
};

static struct node *find(struct table *t, const char *path)
{
	for (int i = 0; i < NODES; i++)
		if (t->v[i] && strcmp(t->v[i]->path, path) == 0)
			return t->v[i];
	return NULL;
}

static void put_node(struct node *n)
{
	if (--n->refs == 0) {
		free(n->data);
		free(n);
	}
}

static void take_out(struct table *t, struct node *n)
{
	for (int i = 0; i < NODES; i++)
		if (t->v[i] == n)
			t->v[i] = NULL;
	put_node(n);
}

/* 0 when the parent is a directory. */
static int parent(struct table *t, const char *path)
{
	char dir[300];
	const char *slash = strrchr(path, '/');
	struct node *n;

	if (!slash)
		return 0;
	snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path), path);
	n = find(t, dir);
	return !n ? -ENOENT : (n->mode & S_IFMT) == S_IFDIR ? 0 : -ENOTDIR;
}

static int add(struct table *t, const char *path, uint32_t mode, struct node **out)
{
	int e = parent(t, path);

	if (e < 0)
		return e;
	if (find(t, path))
		return -EEXIST;
	for (int i = 0; i < NODES; i++)
		if (!t->v[i]) {
			struct node *n = calloc(1, sizeof(*n));

			snprintf(n->path, sizeof(n->path), "%s", path);
			n->mode = mode;
			n->refs = 1;
			t->v[i] = n;
			if (out)
				*out = n;
			return 0;
		}
	return -ENOSPC;
}

static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

static bool has_children(struct table *t, const char *dir)
{
	for (int i = 0; i < NODES; i++)
		if (t->v[i] && below(t->v[i]->path, dir))
			return true;
	return false;
}

/* ---- Completing: now, or in a thread of its own ---- */

struct later {
	nacre_fs_op *op;
	int64_t result;
};

static void *complete(void *arg)
{
	struct later l = *(struct later *)arg;

	free(arg);
	usleep(200);
	nacre_fs_complete(l.op, l.result);
	return NULL;
}

static int64_t answer(struct table *t, nacre_fs_op *op, int64_t result)
{
	struct later *l;
	pthread_t thread;

	t->calls++;
	if (!t->later)
		return result;
	l = malloc(sizeof(*l));
	*l = (struct later){op, result};
	if (pthread_create(&thread, NULL, complete, l) != 0)
		return -EAGAIN;
	pthread_detach(thread);
	return NACRE_FS_PENDING;
}

/* ---- The functions ---- */

static int t_stat(void *payload, nacre_fs_op *op, const char *path, nacre_stat *out)
{
	struct table *t = payload;
	struct node *n = find(t, path);

	if (!*path)
		*out = (nacre_stat){.size_of = sizeof(*out), .mode = S_IFDIR | 0755};
	else if (n)
		*out = (nacre_stat){.size_of = sizeof(*out), .mode = n->mode, .size = (int64_t)n->size, .mtime_ns = n->mtime};
	return (int)answer(t, op, !*path || n ? 0 : parent(t, path) == -ENOTDIR ? -ENOTDIR : -ENOENT);
}

static int t_readdir(void *payload, nacre_fs_op *op, const char *path)
{
	struct table *t = payload;

	for (int i = 0; i < NODES; i++) {
		struct node *n = t->v[i];
		const char *name;

		if (!n || (*path && !below(n->path, path)))
			continue;
		name = n->path + (*path ? strlen(path) + 1 : 0);
		if (!strchr(name, '/'))
			CHECK(nacre_fs_op_add(op, name, n->mode) == 0);
	}
	CHECK(nacre_fs_op_add(op, "..", 0) == -EINVAL && nacre_fs_op_add(op, "a/b", 0) == -EINVAL && nacre_fs_op_add(op, "", 0) == -EINVAL);
	return (int)answer(t, op, 0);
}

static int t_mkdir(void *payload, nacre_fs_op *op, const char *path, unsigned mode)
{
	return (int)answer(payload, op, add(payload, path, S_IFDIR | mode, NULL));
}

static int do_rename(struct table *t, const char *from, const char *to)
{
	struct node *a = find(t, from), *b = find(t, to);
	bool dir;

	if (!a)
		return -ENOENT;
	if (a == b)
		return 0;
	dir = (a->mode & S_IFMT) == S_IFDIR;
	if (parent(t, to) < 0)
		return parent(t, to);
	if (b && dir != ((b->mode & S_IFMT) == S_IFDIR))
		return dir ? -ENOTDIR : -EISDIR;
	if (b && has_children(t, to))
		return -ENOTEMPTY;
	if (b)
		take_out(t, b);
	for (int i = 0; dir && i < NODES; i++)
		if (t->v[i] && below(t->v[i]->path, from)) {
			char path[300];

			snprintf(path, sizeof(path), "%.100s%.190s", to, t->v[i]->path + strlen(from));
			memcpy(t->v[i]->path, path, sizeof(path));
		}
	snprintf(a->path, sizeof(a->path), "%s", to);
	return 0;
}

static int t_rename(void *payload, nacre_fs_op *op, const char *from, const char *to)
{
	return (int)answer(payload, op, do_rename(payload, from, to));
}

static int t_unlink(void *payload, nacre_fs_op *op, const char *path)
{
	struct node *n = find(payload, path);
	int e = !n ? -ENOENT : (n->mode & S_IFMT) == S_IFDIR ? -EISDIR : 0;

	if (e == 0)
		take_out(payload, n);
	return (int)answer(payload, op, e);
}

static int t_rmdir(void *payload, nacre_fs_op *op, const char *path)
{
	struct node *n = find(payload, path);
	int e = !n ? -ENOENT : (n->mode & S_IFMT) != S_IFDIR ? -ENOTDIR : has_children(payload, path) ? -ENOTEMPTY : 0;

	if (e == 0)
		take_out(payload, n);
	return (int)answer(payload, op, e);
}

static int t_open(void *payload, nacre_fs_op *op, const char *path, unsigned flags, unsigned mode, void **handle)
{
	struct table *t = payload;
	struct node *n = find(t, path);
	int e = 0;

	if (!n && (flags & NACRE_OPEN_CREATE))
		e = add(t, path, S_IFREG | mode, &n);
	else if (!n)
		e = -ENOENT;
	if (e == 0) {
		if (flags & NACRE_OPEN_TRUNC)
			n->size = 0;
		n->refs++;
		t->handles++;
		*handle = n;
	}
	return (int)answer(t, op, e);
}

static int64_t t_read(void *payload, nacre_fs_op *op, void *handle, void *buf, size_t n, int64_t at)
{
	struct node *node = handle;

	n = at >= (int64_t)node->size ? 0 : n < node->size - (size_t)at ? n : node->size - (size_t)at;
	if (n)
		memcpy(buf, node->data + at, n);
	return answer(payload, op, (int64_t)n);
}

static int resize(struct node *n, size_t size)
{
	char *data = realloc(n->data, size + 1);

	if (!data)
		return -ENOSPC;
	if (size > n->size)
		memset(data + n->size, 0, size - n->size);
	n->data = data;
	n->size = size;
	return 0;
}

static int64_t t_write(void *payload, nacre_fs_op *op, void *handle, const void *buf, size_t n, int64_t at)
{
	struct node *node = handle;
	size_t from = at < 0 ? node->size : (size_t)at;
	int e = from + n > node->size ? resize(node, from + n) : 0;

	if (e == 0)
		memcpy(node->data + from, buf, n);
	return answer(payload, op, e < 0 ? e : (int64_t)n);
}

static int t_truncate(void *payload, nacre_fs_op *op, void *handle, int64_t size)
{
	return (int)answer(payload, op, resize(handle, (size_t)size));
}

static void t_close(void *payload, void *handle)
{
	((struct table *)payload)->handles--;
	put_node(handle);
}

static int t_symlink(void *payload, nacre_fs_op *op, const char *target, const char *path)
{
	struct node *n;
	int e = add(payload, path, S_IFLNK | 0777, &n);

	if (e == 0 && (e = resize(n, strlen(target))) == 0)
		memcpy(n->data, target, n->size);
	return (int)answer(payload, op, e);
}

static int64_t t_readlink(void *payload, nacre_fs_op *op, const char *path, char *buf, size_t n)
{
	struct node *node = find(payload, path);

	n = node && n > node->size ? node->size : n;
	if (node && (node->mode & S_IFMT) == S_IFLNK)
		memcpy(buf, node->data, n);
	return answer(payload, op, !node ? -ENOENT : (node->mode & S_IFMT) != S_IFLNK ? -EINVAL : (int64_t)n);
}

static int t_chmod(void *payload, nacre_fs_op *op, const char *path, unsigned mode)
{
	struct node *n = find(payload, path);

	if (n)
		n->mode = (n->mode & S_IFMT) | mode;
	return (int)answer(payload, op, n ? 0 : -ENOENT);
}

static int t_utimes(void *payload, nacre_fs_op *op, const char *path, int64_t atime, int64_t mtime)
{
	struct node *n = find(payload, path);

	(void)atime;
	if (n && mtime != INT64_MIN)
		n->mtime = mtime;
	return (int)answer(payload, op, n ? 0 : -ENOENT);
}

static void t_abort(void *payload, nacre_fs_op *op)
{
	(void)op;
	((struct table *)payload)->aborts++;
}

static bool t_fast(void *payload)
{
	return ((struct table *)payload)->fast;
}

static nacre_filesystem table_fs(struct table *t)
{
	return (nacre_filesystem){sizeof(nacre_filesystem), t, t_stat, t_readdir, t_mkdir, t_rename, t_unlink, t_rmdir, t_open, t_read, t_write,
				  t_truncate, t_close, t_symlink, t_readlink, t_chmod, t_utimes, t_abort, t_fast};
}

static void table_empty(struct table *t)
{
	for (int i = 0; i < NODES; i++)
		if (t->v[i])
			take_out(t, t->v[i]);
}

/* ---- Conformance ---- */

static unsigned tests_run;

static void report(void *payload, const char *test, const char *wrong)
{
	tests_run++;
	if (wrong)
		printf("%s: %s: %s\n", (const char *)payload, test, wrong);
}

static void conforms(nacre_sandbox *sb, const char *at, unsigned features)
{
	tests_run = 0;
	CHECK(nacre_fs_conformance(sb, at, features, report, (void *)(uintptr_t)at) == 0);
	CHECK(tests_run >= 9);
}

static void test_conformance(const char *dir)
{
	static struct table now, later, fast = {.fast = true};
	nacre_config *cfg = nacre_config_new();
	nacre_filesystem fs;
	nacre_sandbox *sb;
	char path[2][200];

	later.later = true;
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "%s/%d", dir, i);
		CHECK(mkdir(path[i], 0755) == 0);
	}
	CHECK(nacre_config_mount(cfg, path[0], "/host", NACRE_MOUNT_READ_WRITE) == 0);
	CHECK(nacre_config_mount(cfg, path[0], "/bounded", NACRE_MOUNT_READ_WRITE) == 0);
	CHECK(nacre_config_mount_quota(cfg, "/bounded", 1 << 24, 1000, 1 << 23) == 0);
	CHECK(nacre_config_mount(cfg, path[1], "/overlay", NACRE_MOUNT_OVERLAY) == 0);
	CHECK(nacre_config_mount(cfg, NULL, "/memory", NACRE_MOUNT_MEMORY) == 0);
	fs = table_fs(&now);
	CHECK(nacre_config_mount_fs(cfg, &fs, "/now", NACRE_MOUNT_READ_WRITE) == 0);
	fs = table_fs(&later);
	CHECK(nacre_config_mount_fs(cfg, &fs, "/later", NACRE_MOUNT_READ_WRITE) == 0);
	fs = table_fs(&fast);
	CHECK(nacre_config_mount_fs(cfg, &fs, "/fast", NACRE_MOUNT_READ_WRITE) == 0);
	sb = sandbox(cfg);
	CHECK(nacre_fs_mkdir(sb, "/workspace/t", 0755) == 0);
	conforms(sb, "/workspace/t", NACRE_FS_ALL);
	conforms(sb, "/memory", NACRE_FS_ALL);
	conforms(sb, "/host", NACRE_FS_ALL);
	conforms(sb, "/bounded", NACRE_FS_ALL);
	conforms(sb, "/overlay", NACRE_FS_ALL);
	conforms(sb, "/now", NACRE_FS_ALL & ~(unsigned)NACRE_FS_HARD_LINKS);
	conforms(sb, "/later", NACRE_FS_ALL & ~(unsigned)NACRE_FS_HARD_LINKS);
	conforms(sb, "/fast", NACRE_FS_ALL & ~(unsigned)NACRE_FS_HARD_LINKS);
	/* It finds what is wrong. */
	CHECK(nacre_fs_conformance(sb, "/now", NACRE_FS_HARD_LINKS, NULL, NULL) > 0);
	CHECK(nacre_fs_conformance(sb, "/none", 0, NULL, NULL) == -ENOENT);
	CHECK(nacre_fs_conformance(sb, "/usr/bin", 0, NULL, NULL) > 10);
	CHECK(now.handles == 0 && later.handles == 0 && fast.handles == 0);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
	table_empty(&now);
	table_empty(&later);
	table_empty(&fast);
}

/* ---- Scripts ---- */

static void test_scripts(void)
{
	static struct table v[3];
	static const char script[] =
		"cd /u; mkdir -p a/b; seq 1000 > a/n; cp -r a c; mv a/n a/b/; rm -r c/b; find . | sort; wc -l < a/b/n; tail -n 2 a/b/n; "
		"sed -i 5d a/b/n; wc -l a/b/n; ln -s a/b/n l; head -n1 l; chmod 600 a/b/n; stat -c '%a %s %F' a/b/n; cat none; mkdir a; "
		"ln a/b/n h; mv a /tmp/; ls; cat /tmp/a/b/n | md5sum; echo x > l; cat l; tar cf - . | tar tf -; rm -r *; rmdir /u; ls -A";
	for (int i = 0; i < 3; i++) {
		nacre_config *cfg = nacre_config_new();
		nacre_filesystem fs = table_fs(&v[i]);
		nacre_sandbox *sb;
		nacre_result *res, *plain;

		v[i].later = i == 1;
		v[i].fast = i == 2;
		CHECK(nacre_config_mount_fs(cfg, &fs, "/u", NACRE_MOUNT_READ_WRITE) == 0);
		CHECK(nacre_config_mount(cfg, NULL, "/m", NACRE_MOUNT_MEMORY) == 0);
		sb = sandbox(cfg);
		res = exec_script(sb, script);
		/* As in memory, but for links and where it is. */
		plain = exec_script(sb, "rm -rf /tmp/a; cd /m; mkdir -p a/b; seq 1000 > a/n; cp -r a c; mv a/n a/b/; rm -r c/b; find . | sort; wc -l < a/b/n; tail -n 2 a/b/n; "
			"sed -i 5d a/b/n; wc -l a/b/n; ln -s a/b/n l; head -n1 l; chmod 600 a/b/n; stat -c '%a %s %F' a/b/n; cat none; mkdir a; "
			"mv a /tmp/; ls; cat /tmp/a/b/n | md5sum; echo x > l; cat l; tar cf - . | tar tf -; rm -r *; ls -A");
		if (strcmp(nacre_result_stdout(res, NULL), nacre_result_stdout(plain, NULL)) != 0)
			printf("got\n%swant\n%s%s", nacre_result_stdout(res, NULL), nacre_result_stdout(plain, NULL), nacre_result_stderr(res, NULL));
		CHECK(strcmp(nacre_result_stdout(res, NULL), nacre_result_stdout(plain, NULL)) == 0);
		CHECK(strstr(nacre_result_stderr(res, NULL), "Operation not permitted"));
		nacre_result_free(res);
		nacre_result_free(plain);
		CHECK(v[i].handles == 0 && v[i].calls > 50);
		nacre_sandbox_free(sb);
		nacre_config_free(cfg);
		table_empty(&v[i]);
	}
}

/* ---- Procs that die while the host works ---- */

static nacre_fs_op *stuck;

static int64_t never(void *payload, nacre_fs_op *op, void *handle, void *buf, size_t n, int64_t at)
{
	(void)payload;
	(void)handle;
	(void)buf;
	(void)n;
	(void)at;
	stuck = op;
	return NACRE_FS_PENDING;
}

static int open_never(void *payload, nacre_fs_op *op, const char *path, unsigned flags, unsigned mode, void **handle)
{
	if (strcmp(path, "slow") != 0)
		return t_open(payload, op, path, flags, mode, handle);
	t_open(payload, op, path, flags, mode, handle);
	stuck = op;
	return NACRE_FS_PENDING;
}

static void test_killed(void)
{
	static struct table t;
	nacre_config *cfg = nacre_config_new();
	nacre_filesystem fs = table_fs(&t);
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb;
	nacre_result *res;

	add(&t, "f", S_IFREG | 0644, NULL);
	add(&t, "slow", S_IFREG | 0644, NULL);
	fs.read_at = never;
	fs.open = open_never;
	CHECK(nacre_config_mount_fs(cfg, &fs, "/u", NACRE_MOUNT_READ_WRITE) == 0);
	sb = sandbox(cfg);
	req.timeout_ns = 30000000;
	for (int i = 0; i < 2; i++) {
		req.script = i ? "cat /u/slow" : "cat /u/f";
		stuck = NULL;
		CHECK(nacre_exec(&res, sb, &req) == 0 && nacre_result_outcome(res) == NACRE_TIMED_OUT);
		nacre_result_free(res);
		CHECK(nacre_runtime_step(rt) != NACRE_STEP_MORE || true);
		CHECK(stuck && t.aborts == i + 1);
		/* Long after: what was opened is closed again. */
		nacre_fs_complete(stuck, 0);
		nacre_runtime_step(rt);
		CHECK(t.handles == 0);
	}
	/* A background proc and its pipe partner go on; others run meanwhile. */
	CHECK(gives(sb, "(cat /u/f & sleep 0.01; kill $!; wait $! 2>/dev/null; echo $?); echo on", "143\non\n", 0));
	nacre_fs_complete(stuck, 0);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
	table_empty(&t);
}

/* ---- A file that says how long it is and is made when it is read ---- */

static int lazy_stat(void *payload, nacre_fs_op *op, const char *path, nacre_stat *out)
{
	(void)payload;
	(void)op;
	if (*path && strcmp(path, "squares") != 0)
		return -ENOENT;
	*out = (nacre_stat){.size_of = sizeof(*out), .mode = *path ? S_IFREG | 0444 : S_IFDIR | 0555, .size = *path ? 10000000000 : 0};
	return 0;
}

static int lazy_list(void *payload, nacre_fs_op *op, const char *path)
{
	(void)payload;
	(void)path;
	return nacre_fs_op_add(op, "squares", S_IFREG);
}

static int lazy_open(void *payload, nacre_fs_op *op, const char *path, unsigned flags, unsigned mode, void **handle)
{
	(void)payload;
	(void)op;
	(void)path;
	(void)flags;
	(void)mode;
	*handle = NULL;
	return 0;
}

/* Lines of ten bytes each. */
static int64_t lazy_read(void *payload, nacre_fs_op *op, void *handle, void *buf, size_t n, int64_t at)
{
	char line[32];

	(void)op;
	(void)handle;
	if (at >= 10000000000)
		return 0;
	snprintf(line, sizeof(line), "%09lld\n", (long long)(at / 10));
	n = n > 10 - (size_t)(at % 10) ? 10 - (size_t)(at % 10) : n;
	memcpy(buf, line + at % 10, n);
	*(int64_t *)payload += (int64_t)n;
	return (int64_t)n;
}

static void lazy_close(void *payload, void *handle)
{
	(void)payload;
	(void)handle;
}

static void test_lazy(void)
{
	int64_t made = 0;
	nacre_config *cfg = nacre_config_new();
	nacre_filesystem fs = {.size = sizeof(fs), .payload = &made, .stat = lazy_stat, .readdir = lazy_list, .open = lazy_open, .read_at = lazy_read,
			       .close = lazy_close};
	nacre_sandbox *sb;

	CHECK(nacre_config_mount_fs(cfg, &fs, "/lazy", NACRE_MOUNT_READ_WRITE) == -EINVAL);
	CHECK(nacre_config_mount_fs(cfg, &fs, "/lazy", NACRE_MOUNT_READ_ONLY) == 0);
	CHECK(nacre_config_mount_fs(cfg, &fs, "/lazy", NACRE_MOUNT_READ_ONLY) == -EEXIST);
	fs.size = 8;
	CHECK(nacre_config_mount_fs(cfg, &fs, "/b", NACRE_MOUNT_READ_ONLY) == -EINVAL);
	sb = sandbox(cfg);
	CHECK(gives(sb, "ls -s --block-size=1 /lazy | tail -n 1; stat -c %s /lazy/squares; head -n 2 /lazy/squares; tail -c 10 /lazy/squares; dd if=/lazy/squares bs=10 skip=500 count=1 2>/dev/null",
		    "10000000000 squares\n10000000000\n000000000\n000000001\n999999999\n000000500\n", 0));
	CHECK(made < 1000000);
	CHECK(gives(sb, "echo x 2>/dev/null > /lazy/n || echo no; rm -f /lazy/squares 2>&1", "no\nrm: cannot remove '/lazy/squares': Read-only file system\n", 1));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

int main(void)
{
	char dir[] = "/tmp/nacre-userfs-XXXXXX";

	CHECK(mkdtemp(dir) != NULL);
	CHECK(nacre_runtime_new(&rt) == 0);
	test_conformance(dir);
	test_scripts();
	test_killed();
	test_lazy();
	remove_tree(dir);
	nacre_runtime_free(rt);
	return summary();
}
