/* custom_command.c - a command written in C, used in a pipeline beside the others. */
#include <nacre/nacre.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* `shout [MARK]`: its standard input in capitals, a mark at the end of each line. */
static void shout(nacre_invocation *inv, void *payload)
{
	const char *mark = nacre_invocation_argc(inv) > 1 ? nacre_invocation_arg(inv, 1) : "!";
	size_t n;
	const char *text = nacre_invocation_stdin(inv, &n);

	(void)payload;
	if (nacre_invocation_argc(inv) > 2) {
		nacre_invocation_fail(inv, 2, "too many arguments");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		char c = (char)toupper((unsigned char)text[i]);

		if (c == '\n')
			nacre_invocation_write(inv, 1, mark, strlen(mark));
		nacre_invocation_write(inv, 1, &c, 1);
	}
	nacre_invocation_complete(inv, 0);
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command cmd = NACRE_COMMAND_INIT;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	nacre_result *res = NULL;

	cmd.name = "shout";
	cmd.summary = "print standard input in capitals";
	cmd.run = shout;
	cmd.reads_stdin = true;
	if (!cfg || nacre_runtime_new(&rt) < 0)
		return 1;
	if (nacre_config_command(cfg, &cmd) < 0 || nacre_sandbox_new(&sb, rt, cfg) < 0) {
		fprintf(stderr, "%s%s\n", nacre_config_error(cfg), nacre_runtime_error(rt));
		return 1;
	}
	req.script = "printf 'b\\na\\n' | sort | shout '?' > f; cat f; which shout; shout a b c; echo $?";
	if (nacre_exec(&res, sb, &req) < 0)
		return 1;
	printf("%s%s", nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return 0;
}
