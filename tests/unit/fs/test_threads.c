/* test_threads.c - a frozen tree and host directories used by several threads at once (for TSan).
 */
#include "fixture.h"

#include <pthread.h>
#include <unistd.h>

#define THREADS 4

static struct fs *template, *host;

static struct sys_time no_time(void *ctx)
{
	(void)ctx;
	return (struct sys_time){1, 2};
}

static int write_text(struct vfs_who *who, const char *path, const char *text)
{
	struct file *f;
	int64_t n;

	if (vfs_open(who, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_APPEND, 0666, &f))
		return 1;
	n = f->ops->write(f, text, strlen(text), -1);
	file_put(f);
	return n != (int64_t)strlen(text);
}

/* Reads a shared file by slices, which it keeps for a while. */
static int read_shared(struct vfs_who *who, const char *path, int64_t want)
{
	struct slice s[4] = {{0}};
	struct file *f;
	int64_t n, sum = 0;

	if (vfs_open(who, path, SYS_O_READ, 0, &f))
		return 1;
	for (int i = 0; (n = f->ops->read_slice(f, 1000, &s[i % 4])) > 0; i++) {
		sum += n;
		slice_release(&s[(i + 1) % 4]);
	}
	for (int i = 0; i < 4; i++)
		slice_release(&s[i]);
	file_put(f);
	return sum != want;
}

static int one_sandbox(struct counted *c, struct mem_store *store)
{
	struct quota q = {.memory = &c->memory};
	struct fs_mem_config config = {.quota = &q, .now = no_time, .uid = FS_UID, .gid = FS_GID};
	struct vfs vfs = {0};
	struct vfs_who who = {.vfs = &vfs, .cwd = "/workspace", .umask = 022, .quota = &q};
	struct sys_stat st;
	char link[64];
	int bad = 0;

	if (fs_mem_branch(template, store, &config, &vfs.root))
		return 1;
	bad |= read_shared(&who, "/tmp/shared", 100000);
	bad |= write_text(&who, "/tmp/shared", "appended by one");
	bad |= read_shared(&who, "/tmp/shared", 100015);
	bad |= write_text(&who, "new", "x") | vfs_mkdir(&who, "d", 0777) |
	       vfs_rename(&who, "new", "d/new", 0);
	bad |= vfs_readlink(&who, "/bin", link, sizeof(link)) != 7;
	bad |= vfs_stat(&who, "/etc/passwd", 0, &st);
	bad |= host->ops->walk(host, "f", &(struct fs_walk){0});
	fs_put(vfs.root);
	return bad | (q.used != 0);
}

static void *work(void *arg)
{
	struct counted c = {.memory = {counted_get, counted_put}};
	struct mem_store *store = mem_store_new(&c.memory);
	int *bad = arg;

	for (int i = 0; i < 200; i++)
		*bad |= one_sandbox(&c, store);
	mem_store_free(store);
	*bad |= c.live != 0;
	return NULL;
}

int main(void)
{
	static char data[100000];
	char dir[] = "/tmp/nacre-threads-XXXXXX", path[64];
	struct world w;
	struct fs_mem_config config;
	pthread_t threads[THREADS];
	int bad[THREADS] = {0};
	struct file *f;

	world_init(&w);
	config = world_config(&w, 0);
	CHECK_INT(fs_mem_default_tree(w.store, &config, NULL, &template), 0);
	w.vfs.root = template;
	CHECK_INT(vfs_open(&w.who, "/tmp/shared", SYS_O_WRITE | SYS_O_CREATE, 0666, &f), 0);
	CHECK_INT(f->ops->write(f, data, sizeof(data), -1), sizeof(data));
	file_put(f);
	CHECK_INT(vfs_chown(&w.who, "/tmp/shared", FS_UID, FS_GID, 0), 0);
	CHECK_INT(fs_mem_freeze(template), 0);
	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/f", dir);
	fclose(fopen(path, "w"));
	CHECK_INT(fs_host_new(host_port(), &w.quota, dir, FS_HOST_READ_ONLY, &host), 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, &bad[i]) == 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK_INT(bad[i], 0);
	}
	fs_put(host);
	unlink(path);
	rmdir(dir);
	world_end(&w);
	return finish("threads");
}
