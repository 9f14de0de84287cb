/* repl.c - the interactive prompt: line editing, history and completion where libedit is there.
 *
 * Each line (continued while the shell grammar wants more) is one run of the persistent
 * session; its output is shown as it comes, up to the output limit. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if HAVE_LIBEDIT
#include <editline/readline.h>
#endif

/* What completion looks at: libedit's callbacks take no payload. */
static const struct cli_options *repl_options;
static nacre_sandbox *repl_sandbox;

#if HAVE_LIBEDIT
struct names {
	char **v;
	size_t n, cap;
	const char *prefix, *dir;
};

static int add_name(struct names *l, const char *text)
{
	if (l->n == l->cap) {
		char **v = realloc(l->v, (l->cap ? l->cap * 2 : 64) * sizeof(*v));

		if (!v)
			return -1;
		l->v = v;
		l->cap = l->cap ? l->cap * 2 : 64;
	}
	l->v[l->n] = strdup(text);
	return l->v[l->n++] ? 0 : -1;
}

static int each_file(void *payload, const char *name, uint32_t type)
{
	struct names *l = payload;
	char text[4096];

	if (strncmp(name, l->prefix, strlen(l->prefix)) != 0)
		return 0;
	snprintf(text, sizeof(text), "%s%s%s", l->dir, name, (type & 0170000) == 0040000 ? "/" : "");
	return add_name(l, text);
}

static struct names found;

static char *next_match(const char *text, int state)
{
	static size_t at;

	(void)text;
	if (state == 0)
		at = 0;
	return at < found.n ? found.v[at++] : NULL;
}

static char **complete(const char *text, int start, int end)
{
	char dir[4096];
	const char *slash = strrchr(text, '/');

	(void)end;
	free(found.v);
	found = (struct names){0};
	if (start == 0 && !slash) {
		const char *name;

		for (size_t i = 0; (name = nacre_config_command_name(repl_options->config, i, NULL)) != NULL; i++)
			if (strncmp(name, text, strlen(text)) == 0)
				add_name(&found, name);
	} else {
		snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - text + 1) : 0, text);
		found.dir = dir;
		found.prefix = slash ? slash + 1 : text;
		nacre_fs_list(repl_sandbox, *dir ? dir : ".", each_file, &found);
		rl_completion_append_character = found.n == 1 && found.v[0][strlen(found.v[0]) - 1] == '/' ? '\0' : ' ';
	}
	rl_attempted_completion_over = 1;
	return found.n ? rl_completion_matches(text, next_match) : NULL;
}
#endif

static char *read_line(const char *prompt)
{
#if HAVE_LIBEDIT
	char *line = readline(prompt);

	return line;
#else
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	fputs(prompt, stdout);
	fflush(stdout);
	n = getline(&line, &cap, stdin);
	if (n < 0) {
		free(line);
		return NULL;
	}
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	return line;
#endif
}

static nacre_result *run_line(nacre_runtime *rt, nacre_sandbox *sb, const char *text, struct cli_pass *pass)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_run *run;

	req.script = text;
	req.on_output = cli_pass_output;
	req.payload = pass;
	if (nacre_run_start(&run, sb, &req) < 0) {
		fprintf(stderr, "nacre: %s\n", nacre_runtime_error(rt));
		return NULL;
	}
	return cli_drive(rt, run);
}

/* Runs what has been typed so far; false when it is not finished. */
static bool run_text(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o, const char *text, int *status)
{
	struct cli_pass pass = {.limit = nacre_config_limit_get(o->config, NACRE_LIMIT_OUTPUT, NULL), .may_hold = true,
				.tell_status = true};
	nacre_result *res = run_line(rt, sb, text, &pass);
	bool more = res && cli_pass_wants_more(&pass, res);

	if (res && !more) {
		cli_pass_release(&pass);
		cli_tell(o, res, &pass);
		*status = nacre_result_exit_code(res);
	}
	nacre_result_free(res);
	return !more;
}

int cli_repl(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o)
{
	char *text = NULL;
	int status = 0;

	repl_options = o;
	repl_sandbox = sb;
	printf("nacre %s: a sandboxed shell; exit or Ctrl-D leaves\n", nacre_version());
	fflush(stdout);
#if HAVE_LIBEDIT
	rl_initialize();
	rl_attempted_completion_function = complete;
	using_history();
	stifle_history(1000);
#endif
	for (;;) {
		char *line = read_line(text ? "> " : "nacre$ ");

		if (cli_signals_taken() == 15) {
			free(line);
			status = 143;
			break;
		}
		if (!line)
			break;
		if (text) {
			size_t n = strlen(text), k = strlen(line);
			char *joined = realloc(text, n + k + 2);

			if (!joined) {
				free(line);
				break;
			}
			text = joined;
			text[n] = '\n';
			memcpy(text + n + 1, line, k + 1);
			free(line);
		} else {
			text = line;
		}
		if (strspn(text, " \t\n") == strlen(text)) {
			free(text);
			text = NULL;
			continue;
		}
		if (!run_text(rt, sb, o, text, &status))
			continue;
#if HAVE_LIBEDIT
		add_history(text);
#endif
		cli_signals_taken();
		if (strcmp(text, "exit") == 0 || strncmp(text, "exit ", 5) == 0)
			break;
		free(text);
		text = NULL;
	}
	free(text);
	putchar('\n');
	return status;
}
