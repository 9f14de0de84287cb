/*
 * recording.h - a run that is written down, and one that is done again from what was written.
 *
 * A recording runtime has a port that logs what comes in from the machine (port/record.h). What comes in from the host's
 * program is logged here, between: what it asked of the runtime (a sandbox, a run, steps), and what its callbacks gave
 * (commands, filesystems, output). Calls that come from other threads (completions, a cancel) are kept until the runtime's
 * own thread passes the port's gate, where they are logged and done: so the log has one order, and a replay that follows it
 * does what was done.
 *
 *	recording_mark(rt, LOG_STEP);			// in each entry point that does something
 *	if (recording_keeps(rt, &inv->news)) return;	// in those that any thread may call
 *
 * Layer     api
 * Owns      struct recording: the runtime's
 * Threads   the runtime's own, but for recording_keeps and the two flags
 * Errors    a log that is too large is noticed at the end; a replay that differs fails (port_replay_fail)
 */
#ifndef NACRE_API_RECORDING_H
#define NACRE_API_RECORDING_H

#include <stdatomic.h>

#include "../port/record.h"

#define RECORDING_MAX ((size_t)256 << 20) /* unless another ceiling is asked for */

struct settings;
struct nacre_runtime;
struct nacre_sandbox;
struct nacre_run;
struct nacre_result;
struct nacre_invocation;
struct nacre_fs_op;
struct nacre_nested;
struct nacre_request;
struct nacre_config;
struct nacre_file;
struct nacre_object_store;

/* A call of the host's on the sandbox's files (files.c); what a kind does not have is 0. */
enum file_call_kind {
	FILE_OPEN, FILE_READ_AT, FILE_WRITE_AT, FILE_SYNC, FILE_CLOSE, FILE_READ, FILE_WRITE, FILE_MKDIR, FILE_REMOVE, FILE_RENAME, FILE_STAT,
	FILE_LIST, FILE_KINDS,
};
struct file_call {
	enum file_call_kind kind;
	int64_t number;		/* of the open file, in order of opening */
	const char *path, *to;
	unsigned flags, mode;
	int64_t at;
	const void *data;
	size_t n;
};

enum recording_mode {
	RECORDING_NOW,
	RECORDING_OVER,	/* it has been recorded; what came from other threads goes on passing the gate */
	REPLAYING,
};

/* Something that came from another thread. */
struct news {
	struct news *next;
	bool is_fs;	/* of a filesystem, else of a command */
	int64_t result;
};

struct recording {
	enum recording_mode mode;
	struct nacre_sandbox *sb;
	_Atomic(struct nacre_run *) run; /* while it is in progress */
	bool begun;		/* there has been one */
	_Atomic(struct news *) news;
	atomic_bool cancel, resume;
	int64_t calls, ops, files; /* numbers given so far */
	int closed;		/* in a callback that may not use the sandbox */
	/* A replay's: what is under way, by number; and the host that wants the output. */
	struct nacre_invocation **invocations;
	struct nacre_fs_op **fs_ops;
	struct nacre_file **open_files;
	size_t invocations_cap, fs_ops_cap, open_files_cap;
	ptrdiff_t (*output)(void *payload, int fd, const void *data, size_t n);
	void *payload;
};

/* ---- What the entry points of the API tell (recording.c) ---- */

bool recording_now(const struct nacre_runtime *rt);
bool recording_replays(const struct nacre_runtime *rt);
void recording_mark(struct nacre_runtime *rt, int tag);
void recording_mark_number(struct nacre_runtime *rt, int tag, int64_t n);
/* -NACRE_EBUSY, with the text set, for what a recording does not know; 0 when nothing is recorded. */
MUST_USE int recording_refuses(struct nacre_runtime *rt);
/* A sandbox is made, from saved bytes unless data is NULL. -NACRE_EBUSY for a second one. */
MUST_USE int recording_sandbox(struct nacre_runtime *rt, const struct settings *s, const void *data, size_t len);
void recording_has_sandbox(struct nacre_runtime *rt, struct nacre_sandbox *sb);
MUST_USE int recording_start(struct nacre_runtime *rt, const struct nacre_request *req);
void recording_started(struct nacre_run *run);
void recording_finished(struct nacre_runtime *rt, const struct nacre_result *res);
/* on_output, told or asked of the log. */
int64_t recording_output(struct nacre_run *run, int fd, const void *data, size_t n);
/* The command's function, likewise; what a nested run's end is told to. */
void recording_call(struct nacre_invocation *inv);
void recording_nested(struct nacre_invocation *inv, const struct nacre_nested *req);
void recording_tell(struct nacre_invocation *inv, struct nacre_result *res,
                    void (*done)(void *payload, struct nacre_invocation *inv, struct nacre_result *res), void *payload);
/* A callback in which the sandbox's files are not to be used begins (+1), ends (-1). */
void recording_close(struct nacre_runtime *rt, int by);
/* Before a call on the sandbox's files: -NACRE_EBUSY with the text set, in such a callback. After it: what it gave, n bytes of it. */
MUST_USE int recording_file(struct nacre_runtime *rt, const struct file_call *c);
int64_t recording_file_done(struct nacre_runtime *rt, int64_t result, const void *data, size_t n);
/* The number of a file that was opened. */
int64_t recording_file_number(struct nacre_runtime *rt, struct nacre_file *f);
/* The host's function of a filesystem, likewise. */
int64_t recording_fs(struct nacre_fs_op *op, int64_t (*perform)(struct nacre_fs_op *op));

/* ANY_THREAD: true when the news will be done at the gate. */
bool recording_keeps(struct nacre_runtime *rt, struct news *n);
bool recording_keeps_cancel(struct nacre_run *run);
bool recording_keeps_resume(struct nacre_run *run);
/* The gate; ctx is the nacre_runtime. */
void recording_pass(void *ctx);
void recording_release(struct nacre_runtime *rt);

/* What the gate does, by those who keep it otherwise (invocation.c, userfs_call.c). */
void invocation_completed(struct nacre_invocation *inv, int status);
void userfs_completed(struct nacre_fs_op *op, int64_t result);

/* ---- The same from a log (replay.c) ---- */

void replay_pass(struct nacre_runtime *rt);
int64_t replay_output(struct nacre_run *run, int fd, const void *data, size_t n);
void replay_call(struct nacre_invocation *inv);
void replay_told(struct nacre_invocation *inv, struct nacre_result *res);
int64_t replay_fs(struct nacre_fs_op *op);
void replay_file_done(struct nacre_runtime *rt, int64_t result, uint32_t digest);
void replay_file_is(struct nacre_runtime *rt, int64_t number, struct nacre_file *f);
/* The next call on files, done again (replay_files.c). */
void replay_file(struct nacre_runtime *rt);
void replay_files_close(struct nacre_runtime *rt);

/* ---- Mounts of the host's own (recording_hosts.c) ---- */

int hosts_mount_fs(struct nacre_config *cfg, const char *at, unsigned flags, bool fast);
void hosts_take_store(struct log_reader *in, const char *prefix, struct nacre_object_store *s);

/* ---- Parts of a log (recording_log.c) ---- */

void log_settings(struct log *l, const struct settings *s);
/* -NACRE_EINVAL with the text in cfg. */
MUST_USE int log_take_settings(struct log_reader *in, struct nacre_config *cfg);
void log_file_call(struct log *l, const struct file_call *c);
/* Paths are malloc, the data borrowed. */
void log_take_file_call(struct log_reader *in, struct file_call *c);
void log_strings(struct log *l, const char *const *v);	/* NULL is none */
char **log_take_strings(struct log_reader *in);		/* malloc; NULL for none and when it is bad */
void log_strings_free(char **v);
void log_request(struct log *l, const struct nacre_request *req);
/* To be released; strings are malloc, the data for stdin is borrowed. */
void log_take_request(struct log_reader *in, struct nacre_request *req);
void log_request_release(struct nacre_request *req);
uint32_t log_invocation_digest(const struct nacre_invocation *inv);
uint32_t log_fs_digest(const struct nacre_fs_op *op);
void log_fs_result(struct log *l, const struct nacre_fs_op *op, int64_t r);
int64_t log_take_fs_result(struct log_reader *in, struct nacre_fs_op *op);
struct log_result {
	int64_t outcome, status, out_len, err_len, out, err;
};
void log_result_of(struct log_result *out, const struct nacre_result *res);

#endif
