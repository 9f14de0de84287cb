/*
 * fdtab.h - the table that maps a proc's small integers to open files.
 *
 * Everything a proc holds outside its arena is in a slot of this table: emptying it gives
 * everything back, which lets the reaper end a proc without running any of its code.
 *
 * A slot also keeps what was last read through it: the slice handed out by sys_read_slice
 * stays valid until the next read, and sys_unread can give its end back.
 *
 * Layer     kernel; vfs, base, abi
 * Owns      one reference on the file and on the slice in each used slot
 * Threads   the runtime's own
 * Errors    a slot number or -NACRE_EMFILE, -NACRE_ENFILE, -NACRE_ENOMEM, -NACRE_EBADF
 */
#ifndef NACRE_KERNEL_FDTAB_H
#define NACRE_KERNEL_FDTAB_H

#include "../vfs/file.h"

struct sandbox;

/* In file->flags: counted among the sandbox's open files. */
#define FILE_COUNTED (1u << 31)

struct fd_slot {
	struct file *file;	/* NULL: free */
	struct slice held;	/* handed out by the last read */
	uint32_t last;		/* length of the last read: what may be unread */
	bool cloexec;
};

#define FDTAB_INLINE 6	/* the standard ones, and what a pipeline needs beside them */

struct fdtab {
	struct fd_slot *v;
	uint32_t cap;
	uint32_t end;		/* one past the highest used slot */
	uint32_t limit;		/* the proc's own; UINT32_MAX: only the sandbox's */
	struct fd_slot own[FDTAB_INLINE];
};

/* t is all zeroes. */
void fdtab_init(struct fdtab *t);
void fdtab_release(struct fdtab *t, struct sandbox *sb);

/* Copies the used slots (those with cloexec not when `exec`), with references. t is empty. */
MUST_USE int fdtab_copy(struct fdtab *t, const struct fdtab *from, bool exec, struct sandbox *sb);

/* Puts `f` into the lowest free slot >= min; takes the reference on success only. */
MUST_USE int fdtab_install(struct fdtab *t, struct file *f, uint32_t min, bool cloexec, struct sandbox *sb);
/* Puts it into slot `fd`, closing what is there. */
MUST_USE int fdtab_install_at(struct fdtab *t, struct file *f, uint32_t fd, bool cloexec, struct sandbox *sb);

/* Counts `f` among the sandbox's open files. -NACRE_ENFILE at the limit. */
MUST_USE int file_count(struct file *f, struct sandbox *sb);
/* Drops a reference, and with the last one the count. */
void file_drop(struct file *f, struct sandbox *sb);

int fdtab_close(struct fdtab *t, int fd, struct sandbox *sb);
void fdtab_close_cloexec(struct fdtab *t, struct sandbox *sb);

/* The slot, NULL when it is not open. Good until the table changes. */
static inline struct fd_slot *fdtab_slot(const struct fdtab *t, int fd)
{
	if (UNLIKELY((uint32_t)fd >= t->end || !t->v[fd].file))
		return NULL;
	return &t->v[fd];
}

/* What was handed out by the last read is not needed any more. */
static inline void fd_slot_forget(struct fd_slot *s)
{
	if (s->held.buf)
		buf_put(s->held.buf);
	s->held = (struct slice){0};
	s->last = 0;
}

#endif
