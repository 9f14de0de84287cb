/* fdtab.c - the table that maps a proc's small integers to open files.
 *
 * Slots live inside the struct until more than FDTAB_INLINE are needed; then in one block
 * that doubles up to the sandbox's limit of descriptors. */
#include "fdtab.h"

#include "runtime.h"

#define FDS_DEFAULT   1024u
#define FILES_DEFAULT 4096u

void fdtab_init(struct fdtab *t)
{
	t->limit = UINT32_MAX;
	/* The slots are zero: t lies in a zeroed proc. */
	t->v = t->own;
	t->cap = FDTAB_INLINE;
}

static void table_free(struct fdtab *t, struct sandbox *sb)
{
	if (t->v != t->own)
		kfree(&sb->quota, t->v, t->cap * sizeof(*t->v));
	t->v = t->own;
	t->cap = FDTAB_INLINE;
}

static void slot_clear(struct fd_slot *s, struct sandbox *sb)
{
	struct file *f = s->file;

	fd_slot_forget(s);
	s->file = NULL;
	s->cloexec = false;
	file_drop(f, sb);
	if (UNLIKELY(sb->nlingering))
		runs_look_again(sb);
}

void fdtab_release(struct fdtab *t, struct sandbox *sb)
{
	for (uint32_t i = 0; i < t->end; i++)
		if (t->v[i].file)
			slot_clear(&t->v[i], sb);
	table_free(t, sb);
	t->end = 0;
}

static uint32_t fd_limit(const struct fdtab *t, const struct sandbox *sb)
{
	uint32_t n = sb->config->limits.fds;

	return MIN(t->limit, n ? MIN(n, 65536u) : FDS_DEFAULT);
}

/* Room for slots up to and including `fd`. */
static int grow(struct fdtab *t, uint32_t fd, struct sandbox *sb)
{
	uint32_t cap = t->cap;
	struct fd_slot *v;

	if (fd >= fd_limit(t, sb))
		return -NACRE_EMFILE;
	if (fd < cap)
		return 0;
	while (cap <= fd)
		cap *= 4;
	v = kalloc(&sb->quota, cap * sizeof(*v));
	if (!v)
		return -NACRE_ENOMEM;
	memcpy(v, t->v, t->end * sizeof(*v));
	memset(v + t->end, 0, (cap - t->end) * sizeof(*v));
	table_free(t, sb);
	t->v = v;
	t->cap = cap;
	return 0;
}

int fdtab_copy(struct fdtab *t, const struct fdtab *from, bool exec, struct sandbox *sb)
{
	uint32_t end = from->end;
	int r;

	while (exec && end > 0 && (!from->v[end - 1].file || from->v[end - 1].cloexec))
		end--;
	r = end > FDTAB_INLINE ? grow(t, end - 1, sb) : 0;
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < end; i++) {
		const struct fd_slot *s = &from->v[i];

		if (!s->file || (exec && s->cloexec))
			continue;
		t->v[i].file = file_get(s->file);
		t->v[i].cloexec = s->cloexec;
		t->end = i + 1;
	}
	return 0;
}

int file_count(struct file *f, struct sandbox *sb)
{
	uint32_t limit = sb->config->limits.files ? sb->config->limits.files : FILES_DEFAULT;

	if (f->flags & FILE_COUNTED)
		return 0;
	if (sb->nfiles >= limit)
		return -NACRE_ENFILE;
	sb->nfiles++;
	f->flags |= FILE_COUNTED;
	return 0;
}

void file_drop(struct file *f, struct sandbox *sb)
{
	if (f->refs == 1 && (f->flags & FILE_COUNTED)) {
		f->flags &= ~FILE_COUNTED;
		sb->nfiles--;
	}
	file_put(f);
}

int fdtab_install(struct fdtab *t, struct file *f, uint32_t min, bool cloexec, struct sandbox *sb)
{
	uint32_t fd = min;
	int r;

	while (fd < t->end && t->v[fd].file)
		fd++;
	r = grow(t, fd, sb);
	if (r < 0)
		return r;
	t->v[fd].file = f;
	t->v[fd].cloexec = cloexec;
	t->end = MAX(t->end, fd + 1);
	return (int)fd;
}

int fdtab_install_at(struct fdtab *t, struct file *f, uint32_t fd, bool cloexec, struct sandbox *sb)
{
	int r = grow(t, fd, sb);

	if (r < 0)
		return r == -NACRE_EMFILE ? -NACRE_EBADF : r;
	if (t->v[fd].file)
		slot_clear(&t->v[fd], sb);
	t->v[fd].file = f;
	t->v[fd].cloexec = cloexec;
	t->end = MAX(t->end, fd + 1);
	return (int)fd;
}

int fdtab_close(struct fdtab *t, int fd, struct sandbox *sb)
{
	struct fd_slot *s = fdtab_slot(t, fd);

	if (!s)
		return -NACRE_EBADF;
	slot_clear(s, sb);
	while (t->end > 0 && !t->v[t->end - 1].file)
		t->end--;
	return 0;
}

void fdtab_close_cloexec(struct fdtab *t, struct sandbox *sb)
{
	for (uint32_t i = 0; i < t->end; i++)
		if (t->v[i].file && t->v[i].cloexec)
			slot_clear(&t->v[i], sb);
	while (t->end > 0 && !t->v[t->end - 1].file)
		t->end--;
}
