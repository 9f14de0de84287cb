/* fifo.c - named pipes: opening waits for the other side.
 *
 * Who waits for a peer watches the count of opens, not of open ends: a peer that came and
 * went meanwhile has been there. */
#include "fifo.h"

#include "pipe.h"

struct fifo {
	struct fifo *next, **prev;
	struct sandbox *sb;
	uint64_t dev, ino;
	struct pipe *pipe;
	uint64_t read_opens, write_opens;
	struct waitq opened;
};

void fifo_forget(struct fifo *f)
{
	*f->prev = f->next;
	if (f->next)
		f->next->prev = f->prev;
	kfree(&f->sb->quota, f, sizeof(*f));
}

void fifo_place(const struct fifo *f, uint64_t *dev, uint64_t *ino)
{
	*dev = f->dev;
	*ino = f->ino;
}

static struct fifo *find(struct sandbox *sb, uint64_t dev, uint64_t ino)
{
	struct fifo *f = sb->fifos;

	while (f && (f->dev != dev || f->ino != ino))
		f = f->next;
	return f;
}

static struct fifo *make(struct sandbox *sb, uint64_t dev, uint64_t ino)
{
	struct fifo *f = kzalloc(&sb->quota, sizeof(*f));

	if (!f)
		return NULL;
	f->pipe = pipe_new_bare(sb->rt, &sb->quota);
	if (!f->pipe) {
		kfree(&sb->quota, f, sizeof(*f));
		return NULL;
	}
	f->pipe->fifo = f;
	f->sb = sb;
	f->dev = dev;
	f->ino = ino;
	f->next = sb->fifos;
	f->prev = &sb->fifos;
	if (f->next)
		f->next->prev = &f->next;
	sb->fifos = f;
	return f;
}

static int wait_for_peer(struct proc *p, struct fifo *f, unsigned flags)
{
	const uint64_t *peer = flags & SYS_O_READ ? &f->write_opens : &f->read_opens;
	uint64_t before = *peer;
	uint32_t there = flags & SYS_O_READ ? f->pipe->nwriters : f->pipe->nreaders;
	int r;

	if (there)
		return 0;
	while (*peer == before) {
		r = proc_wait_on(p, &f->opened, -1, true);
		if (r < 0)
			return r;
	}
	return 0;
}

int fifo_open(struct proc *p, uint64_t dev, uint64_t ino, unsigned flags, struct file **out)
{
	struct sandbox *sb = p->sb;
	struct fifo *f = find(sb, dev, ino);
	unsigned way = flags & (SYS_O_READ | SYS_O_WRITE);
	struct file *end;
	int r;

	if ((flags & SYS_O_NONBLOCK) && way == SYS_O_WRITE && (!f || !f->pipe->nreaders))
		return -NACRE_ENXIO;
	if (!f)
		f = make(sb, dev, ino);
	if (!f)
		return -NACRE_ENOMEM;
	end = pipe_end_new(f->pipe, flags);
	if (!end) {
		if (!f->pipe->nreaders && !f->pipe->nwriters)
			pipe_free_bare(f->pipe);
		return -NACRE_ENOMEM;
	}
	if (way & SYS_O_READ)
		f->read_opens++;
	if (way & SYS_O_WRITE)
		f->write_opens++;
	waitq_wake(&f->opened);
	if (way != (SYS_O_READ | SYS_O_WRITE) && !(flags & SYS_O_NONBLOCK)) {
		r = wait_for_peer(p, f, way);
		if (r < 0) {
			file_put(end);
			return r;
		}
	}
	*out = end;
	return 0;
}
