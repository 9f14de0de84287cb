/*
 * proc_text.h - what the files of fs/proc say.
 *
 * Layer     fs; private to fs/proc*.c
 */
#ifndef NACRE_FS_PROC_TEXT_H
#define NACRE_FS_PROC_TEXT_H

#include "proc.h"

#define PROC_TEXT_MAX ((size_t)4 << 20)

struct proc_fs {
	struct fs fs;
	struct quota *quota;
	struct fs_proc_config config;
};

/* A text under way. */
struct proc_out {
	struct quota *quota;
	char *s;
	size_t len, cap;
	int err; /* -NACRE_ENOMEM: nothing is added any more; or why there is no text */
};
void proc_add(struct proc_out *o, const char *s);
void proc_add_bytes(struct proc_out *o, const char *s, size_t n);
void proc_add_number(struct proc_out *o, uint64_t v);
void proc_out_release(struct proc_out *o);

typedef void (*proc_writer)(const struct fs_proc_config *c, int pid, struct proc_out *o);

enum proc_kind { PROC_FILE, PROC_DIR, PROC_LINK, PROC_REFUSED };
struct proc_node {
	const char *name;
	enum proc_kind kind;
	proc_writer write;
};

/* One for each file; pid 0 at the top. */
void proc_cpuinfo(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_filesystems(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_loadavg(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_meminfo(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_mounts(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_stat(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_uptime(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_version(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_cmdline(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_comm(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_environ(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_pid_stat(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_statm(const struct fs_proc_config *c, int pid, struct proc_out *o);
void proc_status(const struct fs_proc_config *c, int pid, struct proc_out *o);

#endif
