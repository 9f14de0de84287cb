/* sink.c - output that is at its end with the write: kept in a capture, or in a file of the
 * host's, which takes it without being waited for. */
#include "sink.h"

#define STEP ((size_t)131072) /* to a file at once: then limits and kills are looked at */

void stat_as_pipe(struct sys_stat *out, uint64_t ino)
{
	*out = (struct sys_stat){.dev = 6,
	                         .ino = ino,
	                         .mode = SYS_S_FIFO | 0600,
	                         .nlink = 1,
	                         .uid = 1000,
	                         .gid = 1000,
	                         .blksize = 4096};
}

struct sink {
	struct file file;
	struct runtime *rt;
	uint64_t ino;
	bool keep; /* in the capture */
	int fd;    /* a file of the host's that takes the bytes, or -1 */
	struct capture capture;
};

static int64_t sink_write(struct file *f, const void *buf, size_t n, int64_t at)
{
	struct sink *s = CONTAINER_OF(f, struct sink, file);
	int64_t done = (int64_t)n;

	if (at >= 0)
		return -NACRE_ESPIPE;
	if (s->fd >= 0)
		done = s->rt->port->fd_write(s->rt->port, s->fd, buf, MIN(n, STEP), true);
	if (s->keep && done > 0)
		capture_add(&s->capture, buf, (size_t)done);
	return done;
}

static int sink_stat(struct file *f, struct sys_stat *out)
{
	stat_as_pipe(out, CONTAINER_OF(f, struct sink, file)->ino);
	return 0;
}

static void sink_close(struct file *f)
{
	struct sink *s = CONTAINER_OF(f, struct sink, file);

	capture_release(&s->capture);
	kfree(f->quota, s, sizeof(*s));
}

static const struct file_ops sink_ops = {
        .kind = "capture",
        .write = sink_write,
        .stat = sink_stat,
        .close = sink_close,
};

struct file *sink_new(struct runtime *rt, const struct capture_config *c, bool keep, int fd)
{
	struct sink *s = kalloc(&rt->quota, sizeof(*s));

	if (!s)
		return NULL;
	file_init(&s->file, &sink_ops, SYS_O_WRITE, &rt->quota);
	s->rt = rt;
	s->ino = ++rt->inodes;
	s->keep = keep;
	s->fd = fd;
	capture_init(&s->capture, c, &rt->quota);
	return &s->file;
}

const struct capture *sink_capture(const struct file *f)
{
	return f && f->ops == &sink_ops ? &((const struct sink *)(const void *)f)->capture : NULL;
}
