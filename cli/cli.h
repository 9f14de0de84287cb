/*
 * cli.h - the parts of the nacre program: options, one run, the REPL, JSON.
 *
 * Layer     cli; include/nacre and the operating system
 * Threads   one; signal handlers only set a flag and cancel the run
 */
#ifndef NACRE_CLI_CLI_H
#define NACRE_CLI_CLI_H

#include <nacre/nacre.h>

struct cli_options {
	nacre_config *config;
	const char *script;	/* -c */
	const char *file;	/* a script file of the host */
	char **args;		/* after the script: $0 with -c, then $1... */
	int64_t timeout_ns;
	uint64_t output_limit;
	bool output_limit_given;
	bool json;
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

/* Steps the run to its end and takes its result. */
nacre_result *cli_drive(nacre_runtime *rt, nacre_run *run);

/* Line by line until end of input; the status to exit with. */
int cli_repl(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o);

/* The whole result as one JSON object and a newline on stdout. */
void cli_print_json(const nacre_result *res);

#endif
