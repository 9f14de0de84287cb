/* nested.c - a command that composes others: it runs a script in the sandbox it was called in. */
#include <nacre/nacre.h>

#include <stdio.h>
#include <string.h>

static void counted(void *payload, nacre_invocation *inv, nacre_result *res)
{
	size_t n;
	const char *text = nacre_result_stdout(res, &n);
	bool ok = nacre_result_ok(res);

	(void)payload;
	nacre_invocation_write(inv, 1, text, n);
	if (!ok)
		nacre_invocation_fail(inv, 1, nacre_outcome_name(nacre_result_outcome(res)));
	nacre_result_free(res);
	if (ok)
		nacre_invocation_complete(inv, 0);
}

/* `tally FILE COLUMN`: how often each value of a column of comma separated values occurs. */
static void tally(nacre_invocation *inv, void *payload)
{
	char file[256], column[256];
	const char *env[] = {file, column, NULL}; /* data, not source: what is in it is never run */
	nacre_nested req = NACRE_NESTED_INIT;

	if (nacre_invocation_argc(inv) != 3) {
		nacre_invocation_fail(inv, 2, "usage: tally FILE COLUMN");
		return;
	}
	snprintf(file, sizeof(file), "FILE=%s", nacre_invocation_arg(inv, 1));
	snprintf(column, sizeof(column), "COLUMN=%s", nacre_invocation_arg(inv, 2));
	req.script = "set -o pipefail; cut -d, -f\"$COLUMN\" -- \"$FILE\" | sort | uniq -c | sort -rn";
	req.env = env;
	req.timeout_ns = 5000000000;
	if (nacre_invocation_run(inv, &req, counted, payload) < 0)
		nacre_invocation_fail(inv, 1, "the script could not be started");
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command cmd = NACRE_COMMAND_INIT;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	nacre_result *res = NULL;

	cmd.name = "tally";
	cmd.summary = "count the values of a column";
	cmd.run = tally;
	if (!cfg || nacre_runtime_new(&rt) < 0)
		return 1;
	if (nacre_config_command(cfg, &cmd) < 0 || nacre_sandbox_new(&sb, rt, cfg) < 0)
		return 1;
	req.script = "printf '%s\\n' 1,red 2,blue 3,red > colours.csv; tally colours.csv 2; tally none 1; echo $?";
	if (nacre_exec(&res, sb, &req) < 0)
		return 1;
	printf("%s%s", nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return 0;
}
