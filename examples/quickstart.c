/* quickstart.c - a policy, a sandbox, a script, its result. */
#include <nacre/nacre.h>

#include <stdio.h>
#include <string.h>

static const char policy[] =
	"{\"env\": {\"NAME\": \"world\"},\n"
	" \"deny\": [\"/etc/passwd\"],\n"
	" \"limits\": {\"wall\": \"10s\", \"memory\": \"64M\"}}";

static void show_refusals(const nacre_result *res)
{
	for (size_t i = 0; i < nacre_result_denials(res); i++) {
		nacre_denial d = {.size = sizeof(d)};

		if (nacre_result_denial(&d, res, i) == 0)
			printf("refused: %s may not %s %s (%s)\n", d.command, d.operation, d.path, d.rule_id);
	}
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	nacre_result *res = NULL;
	int status = 1;

	if (!cfg || nacre_runtime_new(&rt) < 0)
		return 1;
	if (nacre_config_policy(cfg, "policy", policy, strlen(policy)) < 0) {
		fprintf(stderr, "%s\n", nacre_config_error(cfg));
		goto out;
	}
	req.script = "echo \"hello, $NAME\"; seq 10 | awk '{ s += $1 } END { print s }'; cat /etc/passwd";
	if (nacre_sandbox_new(&sb, rt, cfg) < 0 || nacre_exec(&res, sb, &req) < 0) {
		fprintf(stderr, "%s\n", nacre_runtime_error(rt));
		goto out;
	}
	printf("%s%s", nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
	show_refusals(res);
	printf("%s, exit code %d\n", nacre_outcome_name(nacre_result_outcome(res)), nacre_result_exit_code(res));
	status = 0;
out:
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return status;
}
