/*
 * nacre.h - the C API of nacre: run untrusted shell scripts inside your process.
 *
 * Anything that is not declared in include/nacre is not API.
 *
 *	nacre_config *cfg = nacre_config_new();
 *	nacre_config_mount(cfg, "/srv/data", "/data", NACRE_MOUNT_READ_ONLY);
 *	nacre_runtime *rt; nacre_sandbox *sb; nacre_result *res;
 *	nacre_runtime_new(&rt);
 *	nacre_sandbox_new(&sb, rt, cfg);
 *	nacre_request req = NACRE_REQUEST_INIT;
 *	req.script = "grep -c error /data/app.log";
 *	nacre_exec(&res, sb, &req);
 *	fwrite(nacre_result_stdout(res, NULL), ...);
 *	nacre_result_free(res); nacre_sandbox_free(sb); nacre_runtime_free(rt); nacre_config_free(cfg);
 *
 * Threads: a runtime and everything made from it belong to one thread at a time; several
 * runtimes may live in several threads. Only nacre_run_cancel, nacre_runtime_wake and
 * nacre_invocation_complete may be called from any thread. The library has no global state, starts no thread, forks nothing, prints
 * nothing, installs no signal handler and never exits the process.
 *
 * Errors: functions returning int give 0 or a negative NACRE_E... code (the numbers of
 * errno.h, negated). The text is kept on the object concerned: nacre_config_error,
 * nacre_runtime_error; it is set by every failure and emptied by every success.
 *
 * Strings are UTF-8 or plain bytes and NUL-terminated unless a length is given. Out
 * parameters come first.
 */
#ifndef NACRE_NACRE_H
#define NACRE_NACRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NACRE_API __attribute__((visibility("default")))
#else
#define NACRE_API
#endif

typedef struct nacre_config nacre_config;
typedef struct nacre_runtime nacre_runtime;
typedef struct nacre_sandbox nacre_sandbox;
typedef struct nacre_run nacre_run;
typedef struct nacre_result nacre_result;
typedef struct nacre_invocation nacre_invocation;
typedef struct nacre_file nacre_file;

/* "0.1.0" */
NACRE_API const char *nacre_version(void);

/* "No such file or directory" for -2 (or 2). */
NACRE_API const char *nacre_strerror(int code);

/* ---- Configuration ---------------------------------------------------------- */

/* What sandboxes are made from. May be changed and used again; a sandbox keeps what was set
 * when it was made. NULL without memory. */
NACRE_API nacre_config *nacre_config_new(void);
NACRE_API void nacre_config_free(nacre_config *cfg);
/* The text of the last failed nacre_config_ call, "" after a success. */
NACRE_API const char *nacre_config_error(const nacre_config *cfg);

enum nacre_mount_flags {
	NACRE_MOUNT_READ_ONLY = 0,
	NACRE_MOUNT_READ_WRITE = 1,
	NACRE_MOUNT_OVERLAY = 2,	/* may be written; the host's directory stays as it is until nacre_overlay_commit */
	NACRE_MOUNT_MEMORY = 3,		/* an empty directory in memory; `host` is ignored */
};
/* Shows the host directory `host` at the absolute path `at` of every sandbox. flags is one of the above.
 * Refused: "/", a path given twice, /bin, /usr/bin, /sbin, /dev, /proc. The directory is opened when the sandbox is made.
 * With overlay and memory each sandbox has changes of its own, which count against its memory. */
NACRE_API int nacre_config_mount(nacre_config *cfg, const char *host, const char *at, unsigned flags);

/* ---- Filesystems of the host's own ---- */

/* A file or directory as the host tells of it; see nacre_fs_stat. */
typedef struct nacre_stat {
	size_t size_of;		/* sizeof(nacre_stat), set by who asks */
	uint32_t mode;		/* type and permissions, as in Linux */
	uint64_t ino;
	int64_t size;
	int64_t mtime_ns;
	uint32_t nlink;
} nacre_stat;

/* One call of a filesystem in progress. */
typedef struct nacre_fs_op nacre_fs_op;
/* What a call returns that will be completed later. */
#define NACRE_FS_PENDING (-100000)

/* A filesystem made of the host's functions. Paths are relative to its root, clean ("a/b", "" is the root itself), and no
 * component may be followed as a link. Functions return 0 or a count, or a negative NACRE_E... code; or NACRE_FS_PENDING, and
 * then nacre_fs_complete is called with that, once, from any thread: the proc that asked sleeps meanwhile, and `out` and
 * `buf` remain good. They run on the host's stack, inside nacre_runtime_step, or in a function of the host's that works on
 * files (nacre_fs_read...), which waits. They must not use the sandbox. */
typedef struct nacre_filesystem {
	size_t size;		/* sizeof(nacre_filesystem) */
	void *payload;
	/* mode 0: a regular file, 0644; ino 0: made from the path. A size may be declared for data that are only made when they are read. */
	int (*stat)(void *payload, nacre_fs_op *op, const char *path, nacre_stat *out);
	/* Adds each name with nacre_fs_op_add; in any order, without "." and "..". */
	int (*readdir)(void *payload, nacre_fs_op *op, const char *path);
	int (*mkdir)(void *payload, nacre_fs_op *op, const char *path, unsigned mode);
	int (*rename)(void *payload, nacre_fs_op *op, const char *from, const char *to); /* replaces, as rename(2) */
	int (*unlink)(void *payload, nacre_fs_op *op, const char *path);
	int (*rmdir)(void *payload, nacre_fs_op *op, const char *path);
	/* A regular file; flags are NACRE_OPEN_...: CREATE (with EXCL: it was missing a moment ago) and TRUNC are to be obeyed.
	 * *handle is the host's, for the three calls below and close. */
	int (*open)(void *payload, nacre_fs_op *op, const char *path, unsigned flags, unsigned mode, void **handle);
	int64_t (*read_at)(void *payload, nacre_fs_op *op, void *handle, void *buf, size_t n, int64_t at); /* 0: the end */
	int64_t (*write_at)(void *payload, nacre_fs_op *op, void *handle, const void *buf, size_t n, int64_t at); /* at < 0: at the end */
	int (*truncate)(void *payload, nacre_fs_op *op, void *handle, int64_t size);
	void (*close)(void *payload, void *handle);
	/* Optional, NULL: there are no links (EPERM); modes, times cannot be set (EPERM). */
	int (*symlink)(void *payload, nacre_fs_op *op, const char *target, const char *path);
	int64_t (*readlink)(void *payload, nacre_fs_op *op, const char *path, char *buf, size_t n); /* bytes, no NUL */
	int (*chmod)(void *payload, nacre_fs_op *op, const char *path, unsigned mode);
	int (*utimes)(void *payload, nacre_fs_op *op, const char *path, int64_t atime_ns, int64_t mtime_ns); /* INT64_MIN: as it is */
	/* Optional: nobody waits for a pending call any more; it must still be completed. */
	void (*abort)(void *payload, nacre_fs_op *op);
	/* Optional: true when its functions may be called on the small stack of the proc that asks (16 KiB are free), which is
	 * faster: they then never return NACRE_FS_PENDING, block or call into nacre. Asked once. */
	bool (*is_fast)(void *payload);
} nacre_filesystem;

/* Mounts it; the table is copied. flags: NACRE_MOUNT_READ_ONLY or READ_WRITE. The functions that change something may be NULL
 * when it is read-only. It must work until every runtime with a sandbox of the configuration is gone. */
NACRE_API int nacre_config_mount_fs(nacre_config *cfg, const nacre_filesystem *fs, const char *at, unsigned flags);
/* Inside readdir: one name. type is the type bits of a mode, 0: not known. The name is copied. -NACRE_ENOMEM. */
NACRE_API int nacre_fs_op_add(nacre_fs_op *op, const char *name, uint32_t type);
/* Completes a call that was NACRE_FS_PENDING. From any thread; op is gone after. */
NACRE_API void nacre_fs_complete(nacre_fs_op *op, int64_t result);

/* Bounds what the mount at `at` may hold, which must not be read-only; 0: no bound. Beyond max_bytes (of all files
 * together) and max_files (directories too) what would make it more fails with ENOSPC, beyond max_file_size with EFBIG.
 * -NACRE_ENOENT: there is no such mount (yet); -NACRE_EINVAL: it is read-only. */
NACRE_API int nacre_config_mount_quota(nacre_config *cfg, const char *at, uint64_t max_bytes, uint64_t max_files,
				       uint64_t max_file_size);

enum nacre_access { NACRE_ACCESS_READ = 1, NACRE_ACCESS_WRITE = 2 };
/* Refuses reading and/or writing what `pattern` matches, and all below it: "*" within a
 * component, "**" as a component; not starting with "/" it matches at any depth. */
NACRE_API int nacre_config_deny(nacre_config *cfg, const char *pattern, unsigned access);

/* Sets everything that a policy file can say (docs/policy.md): JSON, `len` bytes at `text`. `name` stands
 * before the line in messages: "FILE:12: limits.memory: too large". All of it counts, or nothing does. */
NACRE_API int nacre_config_policy(nacre_config *cfg, const char *name, const char *text, size_t len);

/* Takes over a named set of rules: "default"; "strict-subset", a small language without surprises; "restricted", a
 * shell in which nothing is allowed that was not asked for, for looking only; "remediation", the same with redirection
 * to files (docs/policy.md). What it says replaces the defaults, not what was set before. */
NACRE_API int nacre_config_profile(nacre_config *cfg, const char *name);
/* Refuses a construct of the shell's language, by its name (docs/policy.md). */
NACRE_API int nacre_config_refuse_syntax(nacre_config *cfg, const char *feature);
/* Shows the host directory `path` at its own path, and allows it; nothing but such paths may be reached from then
 * on (with the commands in /bin, and /dev/null). One that is not there is skipped with a warning. */
NACRE_API int nacre_config_allow_path(nacre_config *cfg, const char *path, unsigned flags);
/* Every command may be run, whatever lists were given. */
NACRE_API int nacre_config_allow_all_commands(nacre_config *cfg);

/* Only these commands may be run (NULL-terminated names, "rshell:NAME" meaning NAME): programs, and the builtins
 * of the same names. An empty list allows none. Called again: those that all lists have. */
NACRE_API int nacre_config_allow_commands(nacre_config *cfg, const char *const *names);

/* One refusal of the policy. Strings live as long as the result, or during the callback. */
typedef struct nacre_denial {
	size_t size;
	const char *command;	/* the command that asked; "": the host */
	const char *operation;	/* "open", "rename"...; "run": path is the name of a command */
	const char *path;
	const char *rule;	/* the pattern; the mount point for a read-only mount */
	unsigned access;
	const char *rule_id;	/* "deny_read[2]", "mount", "commands": the rule's place in the policy */
	int error;		/* -NACRE_EACCES, -NACRE_EROFS */
	int pid;		/* the proc that asked; 0: the host */
	int64_t time_ns;	/* since 1970, on the sandbox's clock */
} nacre_denial;
/* Called for every refusal, on the host's stack: in nacre_runtime_step, nacre_exec or nacre_run_finish. */
NACRE_API int nacre_config_on_denial(nacre_config *cfg, void (*on_denial)(void *payload, nacre_sandbox *sb, const nacre_denial *d),
				     void *payload);

/* Empties the environment that scripts start with. */
NACRE_API int nacre_config_clear_env(nacre_config *cfg);
/* The environment scripts start with; value NULL removes one of the defaults. */
NACRE_API int nacre_config_env(nacre_config *cfg, const char *name, const char *value);
/* Default "/workspace". */
NACRE_API int nacre_config_cwd(nacre_config *cfg, const char *path);

enum nacre_limit {
	NACRE_LIMIT_WALL_NS,	/* of one run; default 30 s, 0: none */
	NACRE_LIMIT_MEMORY,	/* bytes of one sandbox, files in memory included; default 512 MiB, 0: none */
	NACRE_LIMIT_PROCS,	/* procs alive at once; default 1024, 0: none */
	NACRE_LIMIT_FILES,	/* open files of one proc, 4 times as many of a sandbox; default 1024, also for 0; at least 3 */
	NACRE_LIMIT_OUTPUT,	/* captured bytes of each of stdout and stderr; default 4 MiB, at least 1 */
	NACRE_LIMIT_TIMEOUT_STATUS, /* exit status of a run that was timed out; default 124 */
	NACRE_LIMIT_TICKS,	/* work of one run, about 10 ns each, repeatable; default 0: none */
	NACRE_LIMIT_PIPE,	/* bytes of one run through pipes; default 0: none */
	NACRE_LIMIT_FILE_SIZE,	/* bytes of one file that is written; default 0: none */
	NACRE_LIMIT_SOURCE,	/* bytes of one text read as commands; default 0: 64 MiB */
	NACRE_LIMIT_EXPANSION,	/* bytes of one word put together, of one $( ); default 0: 1 GiB */
	NACRE_LIMIT_LOOPS,	/* turns of all loops of one run; default 0: none */
	NACRE_LIMIT_COMMANDS,	/* simple commands of one run; default 0: none */
	NACRE_LIMIT_NESTING,	/* function calls inside one another; default 0: 100000 */
	NACRE_LIMIT_OUTPUT_TOTAL, /* bytes to stdout and stderr, after which the run is ended; default 0: none */
	NACRE_LIMIT_GUEST_MEMORY, /* bytes of one engine's memory (python3, js, jq, sqlite3); default 0: the sandbox's */
	NACRE_LIMIT_JQ_INPUT,	/* bytes that one jq reads; default 0: none */
	NACRE_LIMIT_JQ_NESTING,	/* JSON inside JSON; default 0: 256, as jq has it; at most 10000 */
	NACRE_LIMIT_JQ_FILTER,	/* bytes of its program; default 0: none */
	NACRE_LIMIT_JQ_FILTER_NESTING, /* brackets inside one another in it; default 0: none but the stack's */
	NACRE_LIMIT_JQ_FILTER_TOKENS, /* words and signs in it, those of modules too; default 0: none */
	NACRE_LIMIT_COUNT_
};
NACRE_API int nacre_config_limit(nacre_config *cfg, enum nacre_limit which, uint64_t value);
/* What a limit is; *given (may be NULL): whether it was set. */
NACRE_API uint64_t nacre_config_limit_get(const nacre_config *cfg, enum nacre_limit which, bool *given);

enum nacre_keep { NACRE_KEEP_HEAD, NACRE_KEEP_TAIL, NACRE_KEEP_BOTH };
/* Which part of an output beyond NACRE_LIMIT_OUTPUT is kept; default NACRE_KEEP_HEAD. */
NACRE_API int nacre_config_keep(nacre_config *cfg, enum nacre_keep keep);

/* An output beyond NACRE_LIMIT_OUTPUT is also written to a new file in the host directory `dir`, at most `max` bytes of
 * it: nacre_result_spill. dir NULL: no longer. Where nothing can be written, nacre_sandbox_new fails. */
NACRE_API int nacre_config_spill(nacre_config *cfg, const char *dir, uint64_t max);

/* How many ended programs of a run are recorded one by one (nacre_result_command); default 0, at most 100000. */
NACRE_API int nacre_config_records(nacre_config *cfg, uint32_t most);

/* Whether cwd, variables, functions and options stay from one run to the next (default true). */
NACRE_API int nacre_config_persist(nacre_config *cfg, bool persist);

/* Whether a run that is stopped (deadline, cancel, a limit) leaves cwd, variables, functions and options as they
 * were before it. Default false: they stay as they were when it was stopped, but for a run that ran out of memory,
 * which leaves none. Files are never rolled back. */
NACRE_API int nacre_config_rollback(nacre_config *cfg, bool rollback);

/* Makes time, randomness and process ids a function of `seed`: the clock starts at
 * start_ns (since 1970) and moves with the work done. */
NACRE_API int nacre_config_deterministic(nacre_config *cfg, uint64_t seed, int64_t start_ns);

/* A command written in the host's language. */
typedef struct nacre_command {
	size_t size;		/* sizeof(nacre_command) */
	const char *name;	/* [A-Za-z0-9][A-Za-z0-9_.-]*, not one nacre has */
	const char *summary;	/* one line, for `help` and --help; must not be empty */
	/* Called on the host's stack, inside nacre_runtime_step, when the command has been started and all of
	 * its standard input has been read. Ends the command with nacre_invocation_complete, here or later. */
	void (*run)(nacre_invocation *inv, void *payload);
	/* The run was stopped (deadline, cancel) before completion: the invocation may still be
	 * used, but nothing of it is seen; it must still be completed. NULL: not wanted. */
	void (*abort)(nacre_invocation *inv, void *payload);
	void *payload;
	bool reads_stdin;	/* false: its standard input is not touched */
} nacre_command;
#define NACRE_COMMAND_INIT {sizeof(nacre_command), NULL, NULL, NULL, NULL, NULL, false}

NACRE_API int nacre_config_command(nacre_config *cfg, const nacre_command *cmd);
/* Takes a built-in command away (from /bin too). */
NACRE_API int nacre_config_without_command(nacre_config *cfg, const char *name);

/* Valid until nacre_invocation_complete. */
NACRE_API int nacre_invocation_argc(const nacre_invocation *inv);
NACRE_API const char *nacre_invocation_arg(const nacre_invocation *inv, int i); /* 0: the name */
NACRE_API const char *nacre_invocation_dir(const nacre_invocation *inv);
NACRE_API const char *nacre_invocation_env(const nacre_invocation *inv, const char *name); /* or NULL */
NACRE_API const char *nacre_invocation_stdin(const nacre_invocation *inv, size_t *len);
/* Copies the bytes; they are written when the command completes. fd 1 or 2. */
NACRE_API int nacre_invocation_write(nacre_invocation *inv, int fd, const void *data, size_t len);
/* The i-th NAME=value it was given, NULL past the end. */
NACRE_API const char *nacre_invocation_env_at(const nacre_invocation *inv, size_t i);
/* `path` made absolute against the command's directory, for nacre_fs_...; memory of nacre's (nacre_free). */
NACRE_API char *nacre_invocation_path(const nacre_invocation *inv, const char *path);
/* The sandbox it runs in, for nacre_fs_... on the runtime's thread; NULL once the run was stopped. */
NACRE_API nacre_sandbox *nacre_invocation_sandbox(const nacre_invocation *inv);
/* Whether the run was stopped. From any thread. */
NACRE_API bool nacre_invocation_aborted(const nacre_invocation *inv);
/* Nanoseconds until the run's deadline; -1: it has none; 0: it is over. The runtime's thread. */
NACRE_API int64_t nacre_invocation_remaining(const nacre_invocation *inv);
/* Writes "NAME: message" to stderr, and completes. */
NACRE_API void nacre_invocation_fail(nacre_invocation *inv, int status, const char *message);

/* A script run by a command, in the sandbox it runs in. It has the same files, policy and commands, and a session of its
 * own that is forgotten: of the environment only HOME is inherited, stdin is empty, output is captured. */
typedef struct nacre_nested {
	size_t size;
	const char *script;
	size_t script_len;	/* 0: strlen(script) */
	const char *dir;	/* NULL: the command's; relative to that */
	const char *const *env;	/* NAME=value, NULL-terminated; PWD and OLDPWD are left out; NULL: none */
	int64_t timeout_ns;	/* 0: the caller's deadline alone; that always holds */
	uint64_t output_limit;	/* bytes of each stream; 0, or more than the sandbox's: the sandbox's */
} nacre_nested;
#define NACRE_NESTED_INIT {sizeof(nacre_nested), NULL, 0, NULL, NULL, 0, 0}
/* Starts it; `done` is called with the result (the callee's, to free) on the host's stack: in a later step, or at once
 * when it cannot run: "invalid request" for what makes no sense, "denied" for a directory that policy refuses and at the
 * ninth level. The invocation must not be completed before. -NACRE_ESRCH when the command's run was stopped. */
NACRE_API int nacre_invocation_run(nacre_invocation *inv, const nacre_nested *req,
				   void (*done)(void *payload, nacre_invocation *inv, nacre_result *res), void *payload);

/* The command ends with this exit status. Frees the invocation. From any thread. */
NACRE_API void nacre_invocation_complete(nacre_invocation *inv, int status);

/* ---- What the host adds to JavaScript ---- */

/* Functions of the host's that programs of `js` find as globals. One is told as a command is: of nacre_command, `name` is what
 * programs call it, in segments joined by dots ("db.query": at most 8 of [A-Za-z_][A-Za-z0-9_]*, 128 bytes in all); run, abort and
 * payload are as for a command; summary and reads_stdin are ignored. A call is an invocation: nacre_invocation_arg(inv, 1) is the array
 * of its arguments as JSON; what is written to fd 1 is its result as JSON ("": undefined). It ends with nacre_invocation_complete(inv, 0),
 * or nacre_js_throw; any other status throws an Error with what was written to fd 2. The program waits meanwhile.
 * Refused with -NACRE_EEXIST: a name that JavaScript or Node has (the first segment), a function that is also the beginning of another's
 * name; -NACRE_EINVAL: a name that is none, or one twice in a list.
 *
 * Those of a configuration are what its sandboxes begin with. */
NACRE_API int nacre_config_js_global(nacre_config *cfg, const nacre_command *fn);
/* JavaScript (`len` bytes; 0: strlen) that is run in each program before it: with the globals above, before CommonJS's are there
 * (require, module...). What it puts into globalThis the program finds. NULL: none. An error in it ends the program. */
NACRE_API int nacre_config_js_prelude(nacre_config *cfg, const char *text, size_t len);
/* Answers `fetch`, which fails without: nacre_invocation_arg(inv, 1) is an object {url, method, headers: [[name, value]...]} as JSON, the
 * body is nacre_invocation_stdin. The answer's head is told with nacre_fetch_respond, its body written to fd 1 (at most 32 MiB), then
 * nacre_invocation_complete(inv, 0). nacre_js_throw, or another status: fetch is rejected, with that as its cause. NULL: no longer. */
NACRE_API int nacre_config_js_fetch(nacre_config *cfg, const nacre_command *handler);
/* Ends a call: the program gets an Error with this message, and this `code` unless it is NULL. From any thread. */
NACRE_API void nacre_js_throw(nacre_invocation *inv, const char *code, const char *message);
/* status 200 to 599; headers: "Name: value" each, NULL-terminated, or NULL. -NACRE_EINVAL. */
NACRE_API int nacre_fetch_respond(nacre_invocation *inv, int status, const char *const *headers);

/* The functions of one sandbox, changed between runs or while one is in progress: each program has those that were there when it
 * began. A list is taken over as a whole or, when something is wrong with it (the text is nacre_runtime_error's), not at all. All on
 * the runtime's thread. */
NACRE_API int nacre_js_replace(nacre_sandbox *sb, const nacre_command *fns, size_t n); /* these and no others */
NACRE_API int nacre_js_extend(nacre_sandbox *sb, const nacre_command *fns, size_t n); /* these besides; -NACRE_EEXIST for one that is there */
NACRE_API int nacre_js_set(nacre_sandbox *sb, const nacre_command *fn); /* this one, new or instead of the one of that name */
NACRE_API int nacre_js_remove(nacre_sandbox *sb, const char *name); /* -NACRE_ENOENT */
/* Their names, sorted; NULL past the end. Good until the next change. */
NACRE_API const char *nacre_js_name(const nacre_sandbox *sb, size_t i);

/* ---- Runtime and sandboxes ---------------------------------------------------- */

/* Drives any number of sandboxes in one thread. */
NACRE_API int nacre_runtime_new(nacre_runtime **out);
/* All of its sandboxes must have been freed. */
NACRE_API void nacre_runtime_free(nacre_runtime *rt);
/* How many sandboxes of the runtime may have engines of a kind ("js", "jq", "python", "sqlite3") running at one time; default 0: any
 * number. A program of another sandbox waits before it starts; one whose sandbox has such an engine already never does, so a pipeline of many
 * cannot wait for itself. -NACRE_EINVAL: there is no such kind. */
NACRE_API int nacre_runtime_guests(nacre_runtime *rt, const char *kind, uint32_t most);
NACRE_API const char *nacre_runtime_error(const nacre_runtime *rt);

/* Fails when a mount's directory cannot be opened, with a text that names it. */
NACRE_API int nacre_sandbox_new(nacre_sandbox **out, nacre_runtime *rt, const nacre_config *cfg);
/* What was left out when it was made: the i-th warning, NULL past the end. */
NACRE_API const char *nacre_sandbox_warning(const nacre_sandbox *sb, size_t i);
/* Stops what still runs in it. */
NACRE_API void nacre_sandbox_free(nacre_sandbox *sb);

typedef struct nacre_usage {
	size_t size;		/* sizeof(nacre_usage), set by the caller */
	uint64_t memory;	/* bytes charged now */
	uint64_t memory_peak;
	uint32_t procs;		/* alive */
	uint32_t files;		/* open */
	uint64_t runs;		/* finished */
	uint64_t commands;	/* procs ever started */
	uint64_t fs_bytes, fs_files; /* in its tree, and in mounts that count (nacre_mount_usage) */
} nacre_usage;
NACRE_API int nacre_sandbox_usage(nacre_usage *out, const nacre_sandbox *sb);

/* What the policy would say, without doing anything: `subject` is a URL (has "://"), a path (has "/") or a
 * command. `each` is called for every operation that could be meant ("read", "write", "run", "connect"), with
 * error 0 where it is allowed. The result: 0 when all are, else the first refusal's code. */
typedef struct nacre_decision {
	size_t size;
	const char *operation;
	const char *subject;	/* a path: resolved */
	int error;		/* 0, -NACRE_EACCES, -NACRE_EROFS, or why it cannot be told */
	const char *rule_id, *rule; /* which rule refuses; "" when none does */
} nacre_decision;
NACRE_API int nacre_explain(nacre_sandbox *sb, const char *subject, void (*each)(void *payload, const nacre_decision *d),
			    void *payload);

/* ---- Running scripts ------------------------------------------------------------ */

/* As what a script is run: what $-, BASH_SOURCE, BASH_EXECUTION_STRING and messages say. */
enum nacre_script_kind {
	NACRE_SCRIPT_COMMAND,	/* bash -c TEXT */
	NACRE_SCRIPT_FILE,	/* bash NAME: the text is that of a file of the host, which the request's name names */
	NACRE_SCRIPT_STDIN,	/* bash < FILE; the script does not read itself: standard input is what the request says */
};

typedef struct nacre_request {
	size_t size;		/* sizeof(nacre_request) */
	const char *script;	/* its text; exactly one of script and file */
	size_t script_len;	/* 0: strlen(script) */
	const char *file;	/* path of a script inside the sandbox */
	const char *name;	/* $0; NULL: "bash", or the file */
	const char *const *args; /* $1...; NULL-terminated; NULL: none */
	const char *const *env;	/* NAME=VALUE for this run only, also with a session; NULL-terminated; NULL: none */
	const char *cwd;	/* for this run, absolute and without . or ..; NULL: the session's */

	const void *stdin_data;	/* kept by the caller until the run is done */
	size_t stdin_len;
	int stdin_fd;		/* a host descriptor to read, -1: stdin_data. Never closed. */

	/* Output as it is produced, instead of capture. Returns the bytes taken; fewer than len: the
	 * rest is offered again after nacre_run_resume; negative: the stream is closed (EPIPE). */
	ptrdiff_t (*on_output)(void *payload, int fd, const void *data, size_t len);
	void *payload;
	bool also_capture;	/* capture as well as stream */
	int stdout_fd, stderr_fd; /* host descriptors to write instead, -1: not. Never closed. */

	int64_t timeout_ns;	/* 0: the configuration's; < 0: none */
	enum nacre_script_kind kind; /* of script */
} nacre_request;
#define NACRE_REQUEST_INIT \
	{sizeof(nacre_request), NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0, -1, NULL, NULL, false, -1, -1, 0, NACRE_SCRIPT_COMMAND}

/* Runs a script to its end (blocking; other sandboxes of the runtime make progress too). From inside a command or
 * another callback of the runtime nothing runs: the outcome is NACRE_UNSUPPORTED (nacre_invocation_run is meant for that). A run of
 * the sandbox in progress is driven to its end first. On 0 *out is set, whatever became of the script; else no run took place. */
NACRE_API int nacre_exec(nacre_result **out, nacre_sandbox *sb, const nacre_request *req);

/* The same in steps, for an event loop. One run at a time per sandbox: -NACRE_EBUSY. */
NACRE_API int nacre_run_start(nacre_run **out, nacre_sandbox *sb, const nacre_request *req);
NACRE_API bool nacre_run_done(const nacre_run *run);
/* After done. The result is the caller's; the run is freed. Called before done, stops the run first. */
NACRE_API nacre_result *nacre_run_finish(nacre_run *run);
enum nacre_run_state { NACRE_RUN_RUNNING, NACRE_RUN_COMPLETED, NACRE_RUN_KILLED };
typedef struct nacre_status {
	size_t size;		/* sizeof(nacre_status), set by the caller */
	enum nacre_run_state state; /* killed: by a cancel, a deadline or a limit */
	int exit_code;		/* -1 while it runs */
	int signal;		/* that ended it; 0: none, or not yet */
	uint64_t denials;	/* refusals of the policy so far */
	uint64_t ticks;		/* work done so far */
} nacre_status;
/* How it stands with a run, before nacre_run_finish. -NACRE_EINVAL: size is not set. */
NACRE_API int nacre_run_status(nacre_status *out, const nacre_run *run);
/* What has come to the capture of fd 1 or 2 since the last call: at most n bytes into buf, how many is returned, 0: nothing new.
 * *lost (may be NULL) grows by the bytes before them that the capture has not kept. The result has all of it, as without.
 * -NACRE_EINVAL when that output is not captured. */
NACRE_API int64_t nacre_run_read(nacre_run *run, int fd, void *buf, size_t n, uint64_t *lost);
/* Stops the run soon (outcome NACRE_CANCELED). From any thread, while the run is not finished. */
NACRE_API void nacre_run_cancel(nacre_run *run);
/* The on_output callback that took less than it was offered can take more. */
NACRE_API void nacre_run_resume(nacre_run *run);

enum nacre_step {
	NACRE_STEP_MORE,	/* there is more to do at once: step again */
	NACRE_STEP_WAIT,	/* nothing to do before what nacre_runtime_wait tells */
	NACRE_STEP_IDLE,	/* no run is in progress */
};
/* Does some work of all runs of the runtime, without blocking, for about a millisecond. Runs may be done after any step, whatever
 * it says: look before waiting. */
NACRE_API enum nacre_step nacre_runtime_step(nacre_runtime *rt);

enum nacre_poll_events { NACRE_POLL_READ = 1, NACRE_POLL_WRITE = 2 };
typedef struct nacre_pollfd {
	int fd;
	unsigned events;
} nacre_pollfd;
/* What the runtime waits for: at most `n` descriptors into fds (their number is returned; 0 is
 * common), and *timeout_ns until the next timer (-1: none). One of the descriptors is the
 * runtime's own wake-up, when another thread may have to wake it. */
NACRE_API int nacre_runtime_wait(nacre_runtime *rt, nacre_pollfd *fds, size_t n, int64_t *timeout_ns);
/* Blocks until there is something to do, at most max_ns (< 0: no bound). */
NACRE_API int nacre_runtime_block(nacre_runtime *rt, int64_t max_ns);
/* Makes a thread blocked in nacre_runtime_block or a poll on its wake-up return. Any thread. */
NACRE_API void nacre_runtime_wake(nacre_runtime *rt);

/* ---- Results ---------------------------------------------------------------------- */

enum nacre_outcome {
	NACRE_COMPLETED,	/* the script ran to its end, whatever its status */
	NACRE_NOT_FOUND,	/* it ended because its last command does not exist; 127 */
	NACRE_DENIED,		/* refused before it started; 126 */
	NACRE_TIMED_OUT,	/* 124, or NACRE_LIMIT_TIMEOUT_STATUS */
	NACRE_CANCELED,		/* 130 */
	NACRE_INVALID,		/* it does not parse; 2; nothing ran */
	NACRE_LIMITED,		/* stopped by a budget (see nacre_result_reason); 137 */
	NACRE_INTERNAL,		/* a fault of nacre; 125 */
	NACRE_UNSUPPORTED,	/* 126 */
};
/* "completed", "command not found", "denied", "timed out", "canceled", "invalid request",
 * "limit exceeded", "internal error", "unsupported". */
NACRE_API const char *nacre_outcome_name(enum nacre_outcome o);

NACRE_API void nacre_result_free(nacre_result *res);
/* "3" for the third run of a sandbox; "3.2", "3.3"... for those its commands started. */
NACRE_API const char *nacre_result_id(const nacre_result *res);
NACRE_API enum nacre_outcome nacre_result_outcome(const nacre_result *res);
NACRE_API int nacre_result_exit_code(const nacre_result *res);
/* Completed with status 0; stopped from outside (timed out or canceled). */
NACRE_API bool nacre_result_ok(const nacre_result *res);
NACRE_API bool nacre_result_stopped(const nacre_result *res);
/* For NACRE_INVALID and NACRE_INTERNAL what went wrong; "" otherwise: a script that fails, is
 * refused something or reaches a limit is no error of its host's. */
NACRE_API const char *nacre_result_error(const nacre_result *res);
/* The same, and for NACRE_LIMITED, NACRE_DENIED and NACRE_UNSUPPORTED what happened; "" otherwise. */
NACRE_API const char *nacre_result_message(const nacre_result *res);
/* "", or which budget: "memory", "processes", "output"... */
NACRE_API const char *nacre_result_reason(const nacre_result *res);
/* The signal that ended the run's shell, or stopped the run; 0: none. The deadline that it had, ns; 0: none. */
NACRE_API int nacre_result_signal(const nacre_result *res);
NACRE_API int64_t nacre_result_timeout_ns(const nacre_result *res);
/* NUL-terminated; *len without the NUL (len may be NULL). */
NACRE_API const char *nacre_result_stdout(const nacre_result *res, size_t *len);
NACRE_API const char *nacre_result_stderr(const nacre_result *res, size_t *len);
/* Bytes that were produced and are not in the capture. fd 1 or 2. */
NACRE_API uint64_t nacre_result_dropped(const nacre_result *res, int fd);
NACRE_API bool nacre_result_truncated(const nacre_result *res); /* any of them */

/* The file of the host that holds what was too much for the capture of fd 1 or 2; NULL: none was needed, or it could
 * not be written. */
NACRE_API const char *nacre_result_spill(const nacre_result *res, int fd);
/* The result as one text for an agent: stdout, stderr under "[stderr]", what was cut, what stopped it, what was refused,
 * the exit code. Memory of nacre's (nacre_free), NUL-terminated. */
NACRE_API int nacre_result_render(char **text, size_t *len, const nacre_result *res);

typedef struct nacre_metrics {
	size_t size;		/* sizeof(nacre_metrics), set by the caller */
	int64_t wall_ns;
	uint64_t ticks;		/* work done: deterministic, about 10 ns each */
	uint64_t memory_peak;	/* bytes */
	uint64_t commands;	/* procs started */
	uint64_t pipe_bytes;	/* through all pipes */
	uint64_t guest_memory_peak; /* bytes of all guests (python3, js, jq...) at one time; in memory_peak, too */
} nacre_metrics;
NACRE_API int nacre_result_metrics(nacre_metrics *out, const nacre_result *res);

/* A program that ran and ended, in the order in which they ended. */
typedef struct nacre_command_record {
	size_t size;		/* sizeof(nacre_command_record), set by the caller */
	const char *name;	/* lives as long as the result */
	int pid;
	int exit_code;		/* 128 + signal when one ended it */
	int signal;		/* 0: none */
	int64_t start_ns, wall_ns; /* start: since the run's */
	uint64_t ticks, memory_peak;
	uint64_t written;	/* bytes, to anything */
} nacre_command_record;
NACRE_API size_t nacre_result_commands(const nacre_result *res);
NACRE_API int nacre_result_command(nacre_command_record *out, const nacre_result *res, size_t i);
/* How many there were beyond those that are recorded. */
NACRE_API uint64_t nacre_result_commands_dropped(const nacre_result *res);

/* With nacre_config_records: the bytes that went through each pipe, in the order in which they were made (a pipeline's from left to
 * right; those of $( ) are among them); as many as programs are recorded, more are counted. 0 past the end. */
NACRE_API size_t nacre_result_pipes(const nacre_result *res);
NACRE_API uint64_t nacre_result_pipe(const nacre_result *res, size_t i);
NACRE_API uint64_t nacre_result_pipes_dropped(const nacre_result *res);

/* The refusals of the policy; at most 1000 are kept. */
NACRE_API size_t nacre_result_denials(const nacre_result *res);
/* How many there were beyond those that are kept. */
NACRE_API uint64_t nacre_result_denials_dropped(const nacre_result *res);
NACRE_API int nacre_result_denial(nacre_denial *out, const nacre_result *res, size_t i);

/* ---- The sandbox's files, from the host ---------------------------------------------- */

/* Paths are absolute or below /workspace; policy and limits hold as for scripts. */
NACRE_API int nacre_file_open(nacre_file **out, nacre_sandbox *sb, const char *path, unsigned flags, unsigned mode);
enum nacre_open_flags {
	NACRE_OPEN_READ = 1, NACRE_OPEN_WRITE = 2, NACRE_OPEN_APPEND = 4, NACRE_OPEN_CREATE = 8, NACRE_OPEN_EXCL = 16,
	NACRE_OPEN_TRUNC = 32,
};
NACRE_API int64_t nacre_file_read_at(nacre_file *f, void *buf, size_t n, int64_t at);
NACRE_API int64_t nacre_file_write_at(nacre_file *f, const void *buf, size_t n, int64_t at);
/* Writes out what the filesystem still keeps of the file (an object store does): 0, or why it could not. Closing does it, too, and
 * says nothing. */
NACRE_API int nacre_file_sync(nacre_file *f);
NACRE_API void nacre_file_close(nacre_file *f);

/* The whole file into memory of nacre's (nacre_free); NUL-terminated. */
NACRE_API int nacre_fs_read(char **data, size_t *len, nacre_sandbox *sb, const char *path);
/* Creates or replaces; the parent must exist. */
NACRE_API int nacre_fs_write(nacre_sandbox *sb, const char *path, const void *data, size_t len, unsigned mode);
NACRE_API int nacre_fs_mkdir(nacre_sandbox *sb, const char *path, unsigned mode);
NACRE_API int nacre_fs_remove(nacre_sandbox *sb, const char *path); /* a file or an empty directory */
NACRE_API int nacre_fs_rename(nacre_sandbox *sb, const char *from, const char *to);
NACRE_API int nacre_fs_stat(nacre_stat *out, nacre_sandbox *sb, const char *path, bool follow);
/* Names one by one, sorted; a non-zero result of `each` ends the listing and is returned. */
NACRE_API int nacre_fs_list(nacre_sandbox *sb, const char *path, int (*each)(void *payload, const char *name, uint32_t type),
			    void *payload);
NACRE_API void nacre_free(void *p);

/* What the files of a mount with a quota, an overlay's changes or a mount in memory use now. -NACRE_ENOENT: no such mount;
 * -NACRE_EINVAL: a host directory without a quota, of which nothing is counted. A host directory is counted when it is
 * opened and then by what is done through it, for all sandboxes of the configuration together. */
NACRE_API int nacre_mount_usage(uint64_t *bytes, uint64_t *files, nacre_sandbox *sb, const char *at);
/* Counts a host directory anew, after others changed it; or takes the host's word. Only with a quota: -NACRE_EINVAL. */
NACRE_API int nacre_mount_refresh(nacre_sandbox *sb, const char *at);
NACRE_API int nacre_mount_set_usage(nacre_sandbox *sb, const char *at, uint64_t bytes, uint64_t files);

/* ---- Does a filesystem do what programs expect of one? ---- */

enum nacre_fs_features { NACRE_FS_SYMLINKS = 1, NACRE_FS_MODES = 2, NACRE_FS_TIMES = 4, NACRE_FS_HARD_LINKS = 8, NACRE_FS_ALL = 15 };
/* Tries what is mounted at `at`, an empty directory that may be written, through the sandbox's tree: open modes, reading and
 * writing anywhere, growing and cutting, renaming over, removing what is open, listings, errors, and random operations
 * against a model; of the optional things those in `features`. report (may be NULL) is told each test and what is wrong, NULL:
 * nothing. The number of failures, or a negative code when it could not be tried. The directory is left empty. */
NACRE_API int nacre_fs_conformance(nacre_sandbox *sb, const char *at, unsigned features,
				   void (*report)(void *payload, const char *test, const char *wrong), void *payload);

/* ---- Snapshots and branches ------------------------------------------------------------- */

/* The files of a sandbox as they are now: its tree, its mounts in memory, the changes of its overlays. Taking one, going
 * back to one and branching cost the same whatever the size. Host directories that are mounted to be written are not
 * part of it, nor is the shell's state. The snapshot is the caller's; it may outlive the sandbox, not the runtime.
 * All on the runtime's thread; -NACRE_EBUSY while a run of the sandbox is in progress. */
typedef struct nacre_snapshot nacre_snapshot;
NACRE_API int nacre_snapshot_new(nacre_snapshot **out, nacre_sandbox *sb);
NACRE_API void nacre_snapshot_free(nacre_snapshot *s);
/* The sandbox's files become what they were, of the sandbox itself or of another of the same configuration (else
 * -NACRE_EINVAL). Open nacre_files of what is not there any more give -NACRE_ESTALE. */
NACRE_API int nacre_snapshot_restore(nacre_sandbox *sb, const nacre_snapshot *s);
/* A new sandbox of the same configuration with these files, which are shared until written and are not charged to it. */
NACRE_API int nacre_sandbox_branch(nacre_sandbox **out, const nacre_snapshot *s);

/* ---- Saving a sandbox ---------------------------------------------------------------- */

/* All of the sandbox that is in memory, as bytes: its files, its mounts in memory, what its overlays change, and the shell's
 * state (directory, variables, functions, options, traps, aliases...). Memory of nacre's (nacre_free). What is mounted from
 * the host, open files and running procs are not part of it. -NACRE_EBUSY while a run is in progress. */
NACRE_API int nacre_save(void **data, size_t *len, nacre_sandbox *sb);
/* A new sandbox that goes on where the saved one was, here or on another machine. The configuration says what is mounted; mounts
 * in memory and overlays find what was saved of those at the same paths. data may be anything: -NACRE_EINVAL, and no
 * sandbox, when it is damaged or newer; -NACRE_ENOSPC: it does not fit; -NACRE_ENOENT: what was changed in a mount has no mount now. */
NACRE_API int nacre_load(nacre_sandbox **out, nacre_runtime *rt, const nacre_config *cfg, const void *data, size_t len);

/* ---- Recording a run and doing it again ------------------------------------------------ */

/* A runtime that writes down all that one run takes in: time, chance, what is read of the host's files and descriptors, output that is
 * taken later, what commands and filesystems of the host give, cancels. It has one sandbox (nacre_sandbox_new or nacre_load; a
 * second one, and what else changes it, is refused with -NACRE_EBUSY) and records its first run (so is a second one, until the
 * recording has ended with nacre_run_finish or nacre_exec). Commands of the host may start nested runs; they, and the host
 * itself, may use the sandbox's files (nacre_fs_..., nacre_file_...), which is recorded; on_output, on_denial and
 * filesystems of the host's may not while it records. max_bytes bounds the recording, which is kept in memory; 0: 256 MiB. A larger one is no
 * error of the run, but nacre_recording_take's. -NACRE_ENOMEM. */
NACRE_API int nacre_runtime_new_recording(nacre_runtime **out, uint64_t max_bytes);
/* The recording, once the run has ended (else -NACRE_EBUSY): memory of nacre's (nacre_free). It holds all the run read, secrets
 * too. `note`: bytes of the host's own, kept with it; may be NULL with 0. -NACRE_EINVAL: rt does not record; -NACRE_EFBIG: it
 * would be larger than max_bytes. On the runtime's thread, any number of times. */
NACRE_API int nacre_recording_take(void **data, size_t *len, nacre_runtime *rt, const void *note, size_t note_len);
/* The note in a recording; borrowed from `data`. -NACRE_EINVAL when it is none, damaged, or another version's; text in rt. */
NACRE_API int nacre_recording_note(const void **note, size_t *note_len, nacre_runtime *rt, const void *data, size_t len);
/* Does the recorded run again, without anything of the host: no file, descriptor, clock or callback of its is used, and nothing
 * waits. The result (the caller's) is the recorded one's to the byte, metrics included; on_output (may be NULL; its result is
 * ignored) is given what the run handed to its host: what it wrote to descriptors and to its own on_output. data may be
 * anything: -NACRE_EINVAL when it is no recording, damaged, or made by another version of nacre; -NACRE_EPROTO as soon as
 * the run asks for something else than the recorded one did, or ends otherwise; the text (nacre_runtime_error of rt, which is not used
 * otherwise) says at which event, and what. Calls of on_output have been made by then. */
NACRE_API int nacre_replay(nacre_result **out, nacre_runtime *rt, const void *data, size_t len,
			   ptrdiff_t (*on_output)(void *payload, int fd, const void *data, size_t len), void *payload);

/* ---- What overlays change ------------------------------------------------------------- */

/* `at` is the mount point of an overlay of this sandbox, NULL for all of them. Everything here needs that no run of
 * the sandbox is in progress (-NACRE_EBUSY); -NACRE_EINVAL when there is no overlay at `at`. All belong to the
 * runtime's thread. The text of a failure is nacre_runtime_error's. */

enum nacre_change_kind {
	NACRE_CHANGE_ADDED,
	NACRE_CHANGE_MODIFIED,	/* other content */
	NACRE_CHANGE_DELETED,
	NACRE_CHANGE_RENAMED,	/* see `content` */
	NACRE_CHANGE_MODE,	/* other permissions only */
	NACRE_CHANGE_TOUCHED,	/* another time of modification only */
};
typedef struct nacre_change {
	size_t size;		/* sizeof(nacre_change), set by the caller */
	enum nacre_change_kind kind;
	const char *path;	/* in the sandbox, absolute; of something deleted, where it was */
	const char *from;	/* of a rename: the former path; else NULL */
	uint32_t old_mode, new_mode; /* type and permissions as in Linux; 0 where there is no such file */
	bool content;		/* of a rename: the content changed too */
	bool conflict;		/* the host's file is not any more what it was when the sandbox read or first changed it */
} nacre_change;
typedef struct nacre_changes nacre_changes;

/* The list of changes, sorted by path; the caller's, to be freed. What became the same again is not in it. */
NACRE_API int nacre_overlay_changes(nacre_changes **out, nacre_sandbox *sb, const char *at);
NACRE_API size_t nacre_changes_count(const nacre_changes *changes);
/* -NACRE_ERANGE past the end. Strings live as long as the list. */
NACRE_API int nacre_changes_get(nacre_change *out, const nacre_changes *changes, size_t i);
NACRE_API void nacre_changes_free(nacre_changes *changes);

/* What changed from one snapshot to another of sandboxes of one configuration (else -NACRE_EINVAL). A file that moved within one
 * tree is told as renamed; what moved with its directory, only where it changed besides. Overlays are compared with each other,
 * not with the host's directory: what neither changes is not told, whatever became of it on the host. */
NACRE_API int nacre_snapshot_diff(nacre_changes **out, const nacre_snapshot *from, const nacre_snapshot *to);

/* The changes as a unified diff with git's extended headers, which `git apply` and `patch -p1` take; paths are relative to
 * the mount point. Directories have no place in one. NUL-terminated memory of nacre's (nacre_free). -NACRE_EFBIG
 * beyond 256 MiB. */
NACRE_API int nacre_overlay_diff(char **text, size_t *len, nacre_sandbox *sb, const char *at);

enum nacre_commit_flags { NACRE_COMMIT_FORCE = 1 };
/* Makes the host's directory what the sandbox sees; the overlay has no changes then. Each file is replaced as a
 * whole by a rename. -NACRE_ESTALE, with nothing done, when a change is in conflict, unless forced. Another error
 * may come in the middle: the changes remain, and committing again goes on. */
NACRE_API int nacre_overlay_commit(nacre_sandbox *sb, const char *at, unsigned flags);
/* Drops every change. */
NACRE_API int nacre_overlay_discard(nacre_sandbox *sb, const char *at);

/* What a model should be told of such sandboxes, as text for a prompt: of one subject by its name ("overview", "shell", "commands",
 * "files", "session"...; an empty text where there is nothing to say of it), or of all when chunk is NULL. Made from the
 * configuration: what was taken away or refused is not promised. NUL-terminated memory of nacre's (nacre_free); len may be NULL.
 * -NACRE_EINVAL: there is no such subject. */
NACRE_API int nacre_config_prompt(char **text, size_t *len, nacre_config *cfg, const char *chunk);
/* The subjects' names, in their order; NULL past the end. */
NACRE_API const char *nacre_prompt_chunk(size_t i);

/* The commands a sandbox of this configuration has: name and summary, sorted; NULL past the end. */
NACRE_API const char *nacre_config_command_name(const nacre_config *cfg, size_t i, const char **summary);

#ifdef __cplusplus
}
#endif

#endif
