/*
 * wasi.h - the functions of WASI (snapshot preview 1) that guests import.
 *
 * Each does what its name says with the sandbox's own calls. Descriptors are the proc's; besides
 * there is WASI_ROOT, the root directory, which guests/common/start.c makes known to the guest's C
 * library. Results are WASI's error numbers. A guest gives addresses in its memory: one that is
 * not there gives EFAULT.
 *
 * Source    WASI snapshot preview 1 (wasi_snapshot_preview1.witx)
 * Layer     guest, private
 * Suspends  as the calls of sys.h behind them
 */
#ifndef NACRE_GUEST_WASI_H
#define NACRE_GUEST_WASI_H

#include "../abi/sys.h"
#include "../base/rom.h"
#include "guest.h"

enum { /* those used by name; all are in wasi_errno */
	WASI_OK = 0,
	WASI_EBADF = 8,
	WASI_EFAULT = 21,
	WASI_EINVAL = 28,
	WASI_ENAMETOOLONG = 37,
	WASI_ENOENT = 44,
	WASI_ENOMEM = 48,
	WASI_ENOSYS = 52,
	WASI_ENOTDIR = 54,
	WASI_ENOTSUP = 58,
	WASI_ENOTCAPABLE = 76,
};

#define WASI_ROOT 0x40000000u /* the preopened directory; also in guests/common/start.c */

/* WASI's number of -NACRE_E...; 0 for what is no error. */
uint32_t wasi_errno(int64_t r);

/* The proc's descriptor, or -1 for the root and for numbers that are none. */
static inline int wasi_fd(uint32_t fd)
{
	return fd < 1u << 20 ? (int)fd : -1;
}

/* The n bytes of a path at `at`, made absolute with the directory `fd`, in `buf` (SYS_PATH_MAX bytes); 0
 * or an error. */
uint32_t wasi_path(struct guest *g, uint32_t fd, uint32_t at, uint32_t n, char *buf);
void wasi_dir_opened(struct guest *g, int fd, const char *path);
void wasi_dir_closed(struct guest *g, int fd);
void wasi_dir_copied(struct guest *g, int fd, int to); /* where it is a directory */

/* While it boots (boot.c): by absolute path. */
const struct rom_node *boot_find(const struct guest *g, const char *path);
int boot_open(struct guest *g, const char *path, unsigned flags);
int boot_stat(struct guest *g, const char *path, struct sys_stat *st);
int boot_readdir(const struct guest *g, const char *path, uint64_t at, struct sys_dirent *e);

/* The proc's descriptor as wasi_fd, but none of those that the first sandbox happens to give. */
static inline int wasi_own_fd(const struct guest *g, uint32_t fd)
{
	return g->booting && fd < 3 ? -1 : wasi_fd(fd);
}

/* struct filestat at `to`. */
uint32_t wasi_put_stat(struct guest *g, uint32_t to, const struct sys_stat *st);
uint8_t wasi_filetype(uint32_t mode);
/* A time to be set: that one, the present one, or (neither) what it is. */
struct sys_time wasi_time(uint64_t ns, bool given, bool now);

static inline void wasi_put32(void *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

static inline void wasi_put64(void *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
}

static inline uint32_t wasi_get32(const void *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint64_t wasi_get64(const void *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

/* ---- Imports --------------------------------------------------------------------------- */

typedef uint32_t u32;
typedef uint64_t u64;

u32 guest_wasi_args_get(struct guest *g, u32 argv, u32 buf);
u32 guest_wasi_args_sizes_get(struct guest *g, u32 count, u32 size);
u32 guest_wasi_environ_get(struct guest *g, u32 env, u32 buf);
u32 guest_wasi_environ_sizes_get(struct guest *g, u32 count, u32 size);
u32 guest_wasi_clock_res_get(struct guest *g, u32 id, u32 to);
u32 guest_wasi_clock_time_get(struct guest *g, u32 id, u64 precision, u32 to);
u32 guest_wasi_random_get(struct guest *g, u32 to, u32 n);
u32 guest_wasi_sched_yield(struct guest *g);
void guest_wasi_proc_exit(struct guest *g, u32 status);
u32 guest_wasi_proc_raise(struct guest *g, u32 sig);
u32 guest_wasi_poll_oneoff(struct guest *g, u32 in, u32 out, u32 n, u32 count);

u32 guest_wasi_fd_advise(struct guest *g, u32 fd, u64 at, u64 n, u32 advice);
u32 guest_wasi_fd_allocate(struct guest *g, u32 fd, u64 at, u64 n);
u32 guest_wasi_fd_close(struct guest *g, u32 fd);
u32 guest_wasi_fd_datasync(struct guest *g, u32 fd);
u32 guest_wasi_fd_sync(struct guest *g, u32 fd);
u32 guest_wasi_fd_fdstat_get(struct guest *g, u32 fd, u32 to);
u32 guest_wasi_fd_fdstat_set_flags(struct guest *g, u32 fd, u32 flags);
u32 guest_wasi_fd_fdstat_set_rights(struct guest *g, u32 fd, u64 base, u64 inheriting);
u32 guest_wasi_fd_filestat_get(struct guest *g, u32 fd, u32 to);
u32 guest_wasi_fd_filestat_set_size(struct guest *g, u32 fd, u64 size);
u32 guest_wasi_fd_filestat_set_times(struct guest *g, u32 fd, u64 atime, u64 mtime, u32 flags);
u32 guest_wasi_fd_pread(struct guest *g, u32 fd, u32 iovs, u32 n, u64 at, u32 count);
u32 guest_wasi_fd_pwrite(struct guest *g, u32 fd, u32 iovs, u32 n, u64 at, u32 count);
u32 guest_wasi_fd_read(struct guest *g, u32 fd, u32 iovs, u32 n, u32 count);
u32 guest_wasi_fd_write(struct guest *g, u32 fd, u32 iovs, u32 n, u32 count);
u32 guest_wasi_fd_readdir(struct guest *g, u32 fd, u32 buf, u32 size, u64 cookie, u32 used);
u32 guest_wasi_fd_renumber(struct guest *g, u32 fd, u32 to);
u32 guest_wasi_fd_seek(struct guest *g, u32 fd, u64 offset, u32 whence, u32 to);
u32 guest_wasi_fd_tell(struct guest *g, u32 fd, u32 to);
u32 guest_wasi_fd_prestat_get(struct guest *g, u32 fd, u32 to);
u32 guest_wasi_fd_prestat_dir_name(struct guest *g, u32 fd, u32 to, u32 n);

u32 guest_wasi_path_open(struct guest *g, u32 dir, u32 lookup, u32 path, u32 n, u32 how, u64 rights, u64 inheriting,
			 u32 flags, u32 to);
u32 guest_wasi_path_create_directory(struct guest *g, u32 dir, u32 path, u32 n);
u32 guest_wasi_path_remove_directory(struct guest *g, u32 dir, u32 path, u32 n);
u32 guest_wasi_path_unlink_file(struct guest *g, u32 dir, u32 path, u32 n);
u32 guest_wasi_path_filestat_get(struct guest *g, u32 dir, u32 flags, u32 path, u32 n, u32 to);
u32 guest_wasi_path_filestat_set_times(struct guest *g, u32 dir, u32 lookup, u32 path, u32 n, u64 atime, u64 mtime,
				       u32 flags);
u32 guest_wasi_path_link(struct guest *g, u32 dir, u32 lookup, u32 path, u32 n, u32 to_dir, u32 to, u32 to_n);
u32 guest_wasi_path_rename(struct guest *g, u32 dir, u32 path, u32 n, u32 to_dir, u32 to, u32 to_n);
u32 guest_wasi_path_symlink(struct guest *g, u32 target, u32 target_n, u32 dir, u32 path, u32 n);
u32 guest_wasi_path_readlink(struct guest *g, u32 dir, u32 path, u32 n, u32 buf, u32 size, u32 used);

#endif
