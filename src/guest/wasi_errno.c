/* wasi_errno.c - WASI's error numbers, which are its own, and its file types. */
#include "wasi.h"

/* By Linux's number. */
static const uint8_t numbers[] = {
	[NACRE_EPERM] = 63, [NACRE_ENOENT] = 44, [NACRE_ESRCH] = 71, [NACRE_EINTR] = 27, [NACRE_EIO] = 29,
	[NACRE_ENXIO] = 60, [NACRE_E2BIG] = 1, [NACRE_ENOEXEC] = 45, [NACRE_EBADF] = 8, [NACRE_ECHILD] = 12,
	[NACRE_EAGAIN] = 6, [NACRE_ENOMEM] = 48, [NACRE_EACCES] = 2, [NACRE_EFAULT] = 21, [NACRE_EBUSY] = 10,
	[NACRE_EEXIST] = 20, [NACRE_EXDEV] = 75, [NACRE_ENODEV] = 43, [NACRE_ENOTDIR] = 54, [NACRE_EISDIR] = 31,
	[NACRE_EINVAL] = 28, [NACRE_ENFILE] = 41, [NACRE_EMFILE] = 33, [NACRE_ENOTTY] = 59, [NACRE_ETXTBSY] = 74,
	[NACRE_EFBIG] = 22, [NACRE_ENOSPC] = 51, [NACRE_ESPIPE] = 70, [NACRE_EROFS] = 69, [NACRE_EMLINK] = 34,
	[NACRE_EPIPE] = 64, [NACRE_EDOM] = 18, [NACRE_ERANGE] = 68, [NACRE_EDEADLK] = 16, [NACRE_ENAMETOOLONG] = 37,
	[NACRE_ENOLCK] = 46, [NACRE_ENOSYS] = 52, [NACRE_ENOTEMPTY] = 55, [NACRE_ELOOP] = 32, [NACRE_EPROTO] = 65,
	[NACRE_EOVERFLOW] = 61, [NACRE_EILSEQ] = 25, [NACRE_EOPNOTSUPP] = 58, [NACRE_ETIMEDOUT] = 73,
	[NACRE_ECANCELED] = 11, [NACRE_ESTALE] = 72, [NACRE_EDQUOT] = 19,
};

uint32_t wasi_errno(int64_t r)
{
	if (r >= 0)
		return WASI_OK;
	return -r < (int64_t)COUNTOF(numbers) && numbers[-r] ? numbers[-r] : numbers[NACRE_EIO];
}

uint8_t wasi_filetype(uint32_t mode)
{
	switch (mode & SYS_S_TYPE) {
	case SYS_S_BLOCK: return 1;
	case SYS_S_CHAR: return 2;
	case SYS_S_DIR: return 3;
	case SYS_S_FILE: return 4;
	case SYS_S_SOCK: return 6;
	case SYS_S_LINK: return 7;
	default: return 0; /* unknown: a pipe is one */
	}
}

static uint64_t nanoseconds(struct sys_time t)
{
	return t.sec < 0 ? 0 : (uint64_t)t.sec * 1000000000u + (uint64_t)t.nsec;
}

uint32_t wasi_put_stat(struct guest *g, uint32_t to, const struct sys_stat *st)
{
	char *at = guest_at(g, to, 64);

	if (!at)
		return WASI_EFAULT;
	memset(at, 0, 64);
	wasi_put64(at, st->dev);
	wasi_put64(at + 8, st->ino);
	at[16] = (char)wasi_filetype(st->mode);
	wasi_put64(at + 24, st->nlink);
	wasi_put64(at + 32, (uint64_t)st->size);
	wasi_put64(at + 40, nanoseconds(st->atime));
	wasi_put64(at + 48, nanoseconds(st->mtime));
	wasi_put64(at + 56, nanoseconds(st->ctime));
	return WASI_OK;
}
