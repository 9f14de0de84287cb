/*
 * api.h - the insides of the public objects: settings, plans, runtimes, sandboxes, runs.
 *
 * A nacre_config holds immutable `settings`, shared by reference and copied when changed.
 * The first sandbox of a runtime made from some settings compiles them into a `plan`: the mounts
 * opened, the program table merged, the tree to branch from frozen. Further sandboxes of the same
 * settings share the plan, which is what makes one cost under a kilobyte.
 *
 * Layer     api
 * Owns      settings: atomic references; the rest: the thread of the runtime
 * Errors    0 or -NACRE_E..., with the text set on the config or the runtime
 */
#ifndef NACRE_API_API_H
#define NACRE_API_API_H

#include <nacre/nacre.h>
#include <nacre/objects.h>
#include <stdatomic.h>

#include "../fs/mem.h"
#include "../kernel/kernel.h"
#include "../kernel/stream.h"
#include "../vfs/policy.h"
#include "recording.h"

#define API_ERROR_MAX 512
#define API_DENIALS_MAX 1000

/* ---- Settings ------------------------------------------------------------------ */

struct api_mount {
	char *host, *at;	/* host "": none */
	unsigned flags;
	bool optional;		/* allowed path: skipped when it is not there */
	uint64_t max_bytes, max_files, max_file_size; /* 0: no quota */
	bool is_user;		/* a filesystem of the host's own: */
	nacre_filesystem user;
	bool is_objects;	/* an object store; host is what its keys begin with: */
	nacre_object_store objects;
};

struct api_deny {
	char *pattern;
	unsigned access;
	char id[32];		/* its place in a policy: "deny_read[2]" */
};

struct api_command {
	char *name, *summary;
	nacre_command cmd;	/* name and summary point to the copies */
};

struct settings {
	atomic_uint refs;
	struct api_mount *mounts;
	size_t nmounts;
	struct api_deny *denies;
	size_t ndenies;
	char **env;		/* NAME=value, NULL-terminated */
	char *cwd;
	uint64_t limits[NACRE_LIMIT_COUNT_];
	uint32_t limits_given;	/* bit: which were set */
	enum nacre_keep keep;
	char *spill;		/* directory; NULL: none */
	uint64_t spill_max;
	uint32_t records;
	bool persist, rollback, deterministic;
	uint64_t seed;
	int64_t start_ns;
	struct api_command *commands;
	size_t ncommands;
	char **without;		/* names of commands taken away */
	size_t nwithout;
	char **allow;		/* NULL: every command */
	bool allow_set;		/* ... because somebody said so */
	const struct profile *profile;
	uint64_t refused;	/* constructs, beyond the profile's */
	bool closed;		/* only what is below an allowed path may be reached */
	struct js_globals *js;	/* a reference; NULL: none */
	void (*on_denial)(void *payload, nacre_sandbox *sb, const nacre_denial *d);
	void *denial_payload;
};

/* A profile: what it takes away, as data. */
struct profile {
	const char *name;
	uint64_t refused;	/* constructs of the language */
	bool no_commands;	/* none but those that are listed, builtins included */
	bool no_paths;		/* none but those that are allowed */
	bool no_env;		/* none of the variables that scripts start with by default */
	bool read_only;		/* allowed paths are, whatever is said of them */
	bool guard_links;	/* no writing through links */
	bool run_clock;		/* the time is that of the run's beginning */
	uint64_t source, expansion, output; /* limits, unless others are set; 0: the usual ones */
};

/* "default" when the settings name none. */
const struct profile *profile_of(const struct settings *s);

struct nacre_config {
	struct settings *now;
	char error[API_ERROR_MAX];
};

struct settings *settings_get(struct settings *s);
void settings_put(struct settings *s);

/* The settings to change: the config's own copy. NULL without memory. */
struct settings *config_writable(nacre_config *cfg);
/* What a setter returns. */
int config_fail(nacre_config *cfg, int code, const char *format, ...) PRINTF(3, 4);
int config_done(nacre_config *cfg);
int config_no_memory(nacre_config *cfg);
/* "/a/b": absolute, no empty, "." or ".." component, no slash at the end. */
bool config_is_clean(const char *path);
/* Is that NAME=value one of the variables scripts start with by default? */
bool config_is_default_env(const char *entry);

/* Why an entry of a network list is malformed; NULL when it is not. */
const char *network_fault(const char *entry);

/* ---- The commands of a configuration ---------------------------------------------- */

/* Whether one of nacre's own programs, commands and the shell, has that name; what a program is good for. */
const char *registry_summary(const struct program *p);
bool registry_has(const char *name);
/* The shell as the first program of a run. */
extern const struct program registry_root_shell[NACRE_SCRIPT_STDIN + 1]; /* by nacre_script_kind */
/* The session's shell as bytes, and back (shell.h). */
extern const struct program registry_save_shell, registry_load_shell;

/* The merged, sorted table for these settings (malloc; free with free). NULL without memory. */
struct program *registry_table(const struct settings *s, size_t *n);
/* The names that the settings' list of allowed commands leaves out: the same, with names only. */
struct program *registry_refused(const struct settings *s, size_t *n);

/* main of a custom command; its program's data is the struct api_command. */
int invocation_main(struct proc *p, int argc, char **argv);

/* ---- Plans --------------------------------------------------------------------------- */

struct plan {
	struct plan *next;
	uint32_t refs;
	struct settings *settings;
	nacre_runtime *rt;
	struct program *programs, *refused_v;
	struct program_table table, refused;
	struct sys_profile profile;
	char **warnings;	/* NULL-terminated */
	struct fs *bin, *dev, *proc, *tree;
	struct mount *mounts;	/* with references; of those that each sandbox has for itself (nown) what is below, or NULL */
	const struct api_mount **of; /* the setting behind each of them, NULL for nacre's own */
	size_t nmounts, nown;
	struct mount_table *points; /* where all of them are; what the sandboxes have when none is their own */
	struct sandbox_config config;
};

/* The plan of these settings, made when there is none. */
MUST_USE int plan_get(nacre_runtime *rt, struct settings *s, struct plan **out);
void plan_put(struct plan *plan);

/* Opens the mounts of the settings (mounts.c). */
MUST_USE int plan_mounts(struct plan *plan, struct quota *q);
/* "skipping '/x': No such file or directory"; false without memory. */
bool plan_warn(struct plan *plan, const char *path, int e);
/* Bytes and files of the tree and of the mounts that count. */
void mounts_usage(const nacre_sandbox *sb, uint64_t *bytes, uint64_t *files);
/* A filesystem of the host's own (userfs.c); the table is copied. */
MUST_USE int userfs_new(nacre_runtime *rt, const nacre_filesystem *table, struct fs **out);
/* An object store (objects.c); the table and its prefix are copied. */
MUST_USE int objects_new(nacre_runtime *rt, const nacre_object_store *store, bool read_only, struct fs **out);
/* Gives a sandbox its own mounts, as branches of the snapshots `from` unless it is NULL. */
MUST_USE int sandbox_mounts(nacre_sandbox *sb, struct fs *const *from);
/* A sandbox of the plan (a reference is taken): as it is at first, or with the files of snapshots. */
MUST_USE int sandbox_of_plan(nacre_sandbox **out, nacre_runtime *rt, struct plan *plan, struct fs *root,
			     struct fs *const *own);
MUST_USE int sandbox_of_settings(nacre_sandbox **out, nacre_runtime *rt, struct settings *s);
/* What mounts in memory are made with. */
struct fs_mem_config sandbox_mem_config(nacre_sandbox *sb);

/* ---- Runtime ------------------------------------------------------------------------- */

struct nacre_runtime {
	struct port *port;
	struct runtime *kernel;
	struct mem_store *store;
	struct plan *plans;	/* all live ones */
	struct plan *last;	/* a reference on the one used last */
	uint32_t nsandboxes;
	struct denial *events, **events_end; /* for on_denial, not yet delivered */
	size_t nevents;
	bool stepping;		/* callbacks of the host may be running */
	struct recording *rec;	/* a run is recorded, or replayed; NULL: neither */
	char error[API_ERROR_MAX];
};

/* With a port that becomes the runtime's, also on failure; NULL: -NACRE_ENOMEM. */
MUST_USE int runtime_of_port(nacre_runtime **out, struct port *port);
/* Sets the error text; returns code. */
int runtime_fail(nacre_runtime *rt, int code, const char *format, ...) PRINTF(3, 4);

/* ---- Sandboxes and runs ----------------------------------------------------------------- */

struct nacre_sandbox {
	nacre_runtime *rt;
	struct plan *plan;
	struct sandbox *kernel;
	struct fs **own;	/* by plan->mounts, borrowed from the mount table; NULL where it is shared. NULL: none are its own */
	nacre_run *run;		/* the last one started, while any is not finished; earlier ones are done */
	struct nested *nested;	/* those that its commands have started */
	uint64_t started, runs;	/* runs: those finished */
	struct js_globals *js;	/* a reference; NULL: none */
};

struct denial {			/* one block with its strings */
	struct denial *next;
	nacre_sandbox *sb;	/* of an event */
	nacre_denial d;
};

struct nacre_run {
	nacre_sandbox *sb;
	nacre_run *earlier;	/* of the same sandbox: done and not finished */
	nacre_run *top;		/* of a nested one: the run it is inside of; else itself */
	unsigned depth, sequence; /* sequence: of the top one: the last number given */
	char id[48];
	uint64_t output_limit;
	struct run *kernel;
	const void *payload;
	ptrdiff_t (*on_output)(void *payload, int fd, const void *data, size_t len);
	struct run_stream {
		nacre_run *run;
		int fd;
	} streams[3];
	int timeout_status;
	uint64_t read_at[3];	/* nacre_run_read: by fd */
	bool captured[3];
	int64_t timeout_ns;	/* 0: none */
	struct denial *denials, **denials_end;
	size_t ndenials;
	uint64_t denials_dropped;
};

struct nacre_result {		/* one block with the strings behind it */
	char id[48];
	enum nacre_outcome outcome;
	int exit_code;
	char *error;
	const char *reason;
	char *text[3];		/* by fd; NUL-terminated */
	size_t len[3];
	uint64_t dropped[3];
	char *spill[3];		/* malloc; NULL: none */
	nacre_metrics metrics;
	struct denial *denials;
	size_t ndenials;
	uint64_t denials_dropped;
	struct run_record *records; /* malloc */
	uint64_t *pipes;	/* malloc */
	size_t npipes;
	uint64_t pipes_dropped;
	int signal;
	int64_t timeout_ns;
	size_t nrecords;
	uint64_t records_dropped;
};

/* on_output can take more. Runs to the end, waiting where it must. */
void run_resume(nacre_run *run);
void run_drive(nacre_run *run);
/* Keeps a refusal with the run, and for on_denial (plan's sandbox_config.denied). */
void run_denied(void *ctx, const struct refusal *r);
/* Calls on_denial for what was refused since; forgets what is not to be told any more. */
void denials_deliver(nacre_runtime *rt);
void denials_forget(nacre_runtime *rt, const nacre_sandbox *sb);
/* Which rule of the settings a refusal names. */
const char *denial_rule_id(const struct settings *s, const struct policy_denial *d);
const char *denial_rule(const struct settings *s, const struct policy_denial *d);
/* A result of something that did not run. */
nacre_result *result_of(enum nacre_outcome outcome, int code, const char *message);
/* A stream of the run that is captured. */
struct file *run_capture(nacre_run *run);
/* Steps until nothing that is nested in `run` (NULL: in anything) is left of the sandbox. */
void nested_stop(nacre_sandbox *sb, const nacre_run *run);
/* Stops what this command has started. */
void nested_abort(const nacre_invocation *inv, nacre_sandbox *sb);

/* ---- Commands of the host ---------------------------------------------------------------------- */

struct nacre_invocation {
	atomic_uint refs;
	atomic_bool aborted;
	const nacre_command *cmd;
	struct js_globals *js;	/* a call of JavaScript's: what cmd is in, a reference; else NULL */
	struct hostcall *call;
	nacre_sandbox *sb;
	nacre_runtime *rt;
	int64_t number;		/* in a recording */
	struct news news;
	int argc;
	char **argv, **env;
	char *dir;
	char *input;
	size_t input_len;
	struct invocation_text {
		char *ptr;
		size_t len, cap;
	} out[2];
};

void invocation_put(nacre_invocation *inv);
/* Of a proc that runs, with one reference, the proc's: argv is copied. NULL without memory. */
nacre_invocation *invocation_new(struct proc *p, int argc, char **argv, const nacre_command *cmd);
/* Asks the host and waits: the status or an error. */
MUST_USE int64_t invocation_call(struct proc *p, nacre_invocation *inv) MAY_SUSPEND;

/* ---- What the host adds to JavaScript (jsglobals.c, jscall.c) ------------------------------------ */

/* An immutable set of functions, a prelude and a handler for fetch. Shared by reference: a program keeps what it began with. */
struct js_function {
	char *name;
	nacre_command cmd;	/* name points to the copy */
};
struct js_globals {
	atomic_uint refs;
	struct js_function *v;	/* sorted by name */
	size_t n;
	char *prelude;		/* NULL: none */
	size_t prelude_len;
	bool has_fetch;
	nacre_command fetch;
	char *offer;		/* what programs are told (jsglobals.c) */
	size_t offer_len;	/* 0: nothing */
};
struct js_globals *js_globals_get(struct js_globals *g);
void js_globals_put(struct js_globals *g);
/* The set `of` (NULL: the empty one) with other functions; an error and why (API_ERROR_MAX bytes) otherwise. */
enum js_change { JS_REPLACE, JS_EXTEND, JS_SET };
MUST_USE int js_globals_change(struct js_globals **out, const struct js_globals *of, enum js_change how, const nacre_command *fns, size_t n,
			       char *why);
extern const struct sandbox_services js_services;

/* Writes n bytes to a new file in the settings' spill directory; its path, malloc, or NULL. */
char *spill_write(nacre_runtime *rt, const struct settings *s, int fd, const char *text, size_t n);
/* The result of a run that is over; NULL without memory. */
nacre_result *result_new(nacre_run *run);
void denials_free(struct denial *d);

#endif
