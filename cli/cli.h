/*
 * cli.h - the parts of the nacre program: options, one run, the REPL, JSON.
 *
 * Layer     cli; include/nacre and the operating system
 * Threads   one; signal handlers only set a flag and cancel the run
 */
#ifndef NACRE_CLI_CLI_H
#define NACRE_CLI_CLI_H

#include <nacre/nacre.h>
#include <stdio.h>

struct cli_options {
	nacre_config *config;
	const char *script;	/* -c */
	const char *file;	/* a script file of the host */
	char **args;		/* after the script: $0 with -c, then $1... */
	const char *trace, *audit; /* files to write */
	const char *explain;	/* `nacre explain`: the subject */
	bool prompt;		/* `nacre prompt`: about `file`, or all */
	bool json, text;	/* the result as a whole */
	const char *captured;	/* an option that says something of it */
	const char *session;	/* where the sandbox comes from and goes to */
	const char *changes;	/* where the list of what overlays change goes; "-": standard output */
	const char *diff;	/* and the patch */
	bool commit;
	const char *record;	/* the file that the recording goes to */
};

enum cli_parse { CLI_RUN, CLI_EXIT_OK, CLI_EXIT_USAGE };
/* Reads the command line into o. Prints --help, --version and usage errors itself. */
enum cli_parse cli_options_parse(struct cli_options *o, int argc, char **argv);

/* "500ms", "30s", "1m30s", "2h", "0" (none) -> ns; false if malformed or negative. */
bool cli_parse_duration(const char *s, int64_t *ns);
/* "4194304", "64K", "64KiB", "512M", "1G" -> bytes; false if malformed. */
bool cli_parse_bytes(const char *s, uint64_t *bytes);

/* The run that signals stop: SIGINT and SIGTERM cancel it and are remembered. */
void cli_signals_install(void);
void cli_signals_watch(nacre_run *run);	/* NULL: none */
int cli_signals_taken(void);		/* the last signal since the last call, 0: none */

/* Output passed on until each stream's limit; what is beyond is counted. */
struct cli_pass {
	uint64_t limit;
	uint64_t seen[3];
	bool may_hold;		/* a first message that the text is unfinished is kept in `held` */
	bool tell_status;	/* cli_tell: a status that is not 0 */
	char held[512];
};
ptrdiff_t cli_pass_output(void *payload, int fd, const void *data, size_t len);
/* Writes what is held. */
void cli_pass_release(struct cli_pass *p);
/* The text was not run: the shell wants more lines. */
bool cli_pass_wants_more(const struct cli_pass *p, const nacre_result *res);
/* Timeouts, limits, what was cut: on stderr, unless nobody reads that. pass NULL: nothing was cut. */
void cli_tell(const struct cli_options *o, const nacre_result *res, const struct cli_pass *pass);

/* A whole file into memory of malloc's, NUL-terminated; NULL with errno. */
char *cli_read_file(const char *path, size_t *len);

/* A regular file of any size (malloc); NULL with errno. */
char *cli_read_saved(const char *name, size_t *len);
/* Beside its place and then renamed, so that it is never half written. 0, or -1 with errno. */
int cli_replace_file(const char *name, const char *data, size_t len);
bool cli_write_all(int fd, const char *data, size_t n);

/* The deadline of a run, ns; 0: none. */
int64_t cli_timeout(const struct cli_options *o);

/* `nacre explain`: what the policy says of a path, a URL or a command, line by line; the exit status. */
int cli_explain(nacre_sandbox *sb, const char *subject);

/* Steps the run to its end and takes its result. */
nacre_result *cli_drive(nacre_runtime *rt, nacre_run *run);

/* What the program exits with after that signal, 0: none. */
int cli_status_of(const nacre_result *res, int sig);

/* Line by line until end of input; the status to exit with. */
int cli_repl(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o);

/* The sandbox: new, or that of --session. Negative after a message. */
int cli_sandbox(nacre_sandbox **out, nacre_runtime *rt, const struct cli_options *o);
/* After the run: --session. The status to exit with. */
int cli_keep(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o, int status);
/* After the run: --changes, --diff and --commit. The status to exit with. */
int cli_review(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o, int status);

/* After the run: --record. The status to exit with. */
int cli_record(nacre_runtime *rt, const nacre_sandbox *sb, const struct cli_options *o, int sig, int status);

void cli_json_string(FILE *f, const char *s, size_t n);
/* --trace and --audit: what ran and what was refused, in files of the host. began: real time, ns. False after a message. */
bool cli_write_records(const struct cli_options *o, const nacre_result *res, int64_t began);

/* The whole result as one text for an agent on stdout. */
void cli_print_text(const nacre_result *res);
/* The whole result as one JSON object and a newline on stdout. */
void cli_print_json(const nacre_result *res);

/* `nacre fmt …`, `nacre parse …` and `nacre replay …`; the status to exit with. */
int cli_replay(int argc, char **argv);
int cli_fmt(int argc, char **argv);
int cli_parse_command(int argc, char **argv);

#endif
