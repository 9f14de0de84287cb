/*
 * fuzz_script.c - SEC-05: a whole run: hostile scripts in a sandbox with small limits.
 *
 * Whatever the script is, the run ends within its limits and with an outcome, the sandbox runs another one after it, and
 * both give back what they held.
 */
#include <nacre/nacre.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static nacre_runtime *rt;
static nacre_config *cfg;

static nacre_config *config(void)
{
	nacre_config *c = nacre_config_new();

	nacre_config_limit(c, NACRE_LIMIT_TICKS, 500000);
	nacre_config_limit(c, NACRE_LIMIT_MEMORY, 16 << 20);
	nacre_config_limit(c, NACRE_LIMIT_PROCS, 40);
	nacre_config_limit(c, NACRE_LIMIT_FILES, 60);
	nacre_config_limit(c, NACRE_LIMIT_OUTPUT, 65536);
	nacre_config_deterministic(c, 1, 0);
	return c;
}

static void ends(nacre_sandbox *sb, const char *script)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res = NULL;
	size_t out, err;

	req.script = script;
	/* Refused as a whole (a NUL byte, too long) or run to an end. */
	if (nacre_exec(&res, sb, &req) < 0)
		return;
	nacre_result_stdout(res, &out);
	nacre_result_stderr(res, &err);
	if (out > 65536 || err > 65536 + 4096 || nacre_result_exit_code(res) < 0 || nacre_result_exit_code(res) > 255)
		abort();
	nacre_result_free(res);
}

static void finish(void)
{
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *script = malloc(size + 1);
	nacre_sandbox *sb;

	if (!rt) {
		cfg = config();
		if (nacre_runtime_new(&rt) < 0 || atexit(finish))
			abort();
	}
	if (!script || nacre_sandbox_new(&sb, rt, cfg) < 0)
		abort();
	memcpy(script, data, size);
	script[size] = '\0';
	ends(sb, script);
	ends(sb, "echo ok; jobs; declare -p; ls -laR . | head -n 50");
	nacre_sandbox_free(sb);
	free(script);
	return 0;
}
