/*
 * harness.h - what the tests of the public API share: checks, a runtime, one-line runs.
 *
 * Layer     tests/api: include/nacre only
 */
#ifndef NACRE_TESTS_API_HARNESS_H
#define NACRE_TESTS_API_HARNESS_H

#include <nacre/nacre.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;
static nacre_runtime *rt;

#define CHECK(ok) check((ok), #ok, __FILE__, __LINE__)

static inline void check(bool ok, const char *what, const char *file, int line)
{
	if (ok) {
		passed++;
	} else {
		failed++;
		printf("FAIL %s:%d: %s (%s)\n", file, line, what, rt ? nacre_runtime_error(rt) : "");
	}
}

static inline int summary(void)
{
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}

/* A directory of the test's own on the host. */
static inline void remove_tree(const char *dir)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	CHECK(system(command) == 0);
}

static inline nacre_sandbox *sandbox(const nacre_config *cfg)
{
	nacre_sandbox *sb = NULL;

	if (nacre_sandbox_new(&sb, rt, cfg) < 0) {
		printf("sandbox: %s\n", nacre_runtime_error(rt));
		exit(1);
	}
	return sb;
}

static inline nacre_result *exec_script(nacre_sandbox *sb, const char *script)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res = NULL;

	req.script = script;
	if (nacre_exec(&res, sb, &req) < 0) {
		printf("exec: %s\n", nacre_runtime_error(rt));
		exit(1);
	}
	return res;
}

/* The script's stdout is exactly `out`, whatever its status. */
static inline bool prints(nacre_sandbox *sb, const char *script, const char *out)
{
	nacre_result *res = exec_script(sb, script);
	bool ok = strcmp(nacre_result_stdout(res, NULL), out) == 0;

	if (!ok)
		printf("%s\n  gave %s%s\n", script, nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
	nacre_result_free(res);
	return ok;
}

/* The script's stdout is exactly `out` and its status `status`. */
static inline bool gives(nacre_sandbox *sb, const char *script, const char *out, int status)
{
	nacre_result *res = exec_script(sb, script);
	bool ok = strcmp(nacre_result_stdout(res, NULL), out) == 0 && nacre_result_exit_code(res) == status;

	if (!ok)
		printf("%s\n  gave %d, %s%s\n", script, nacre_result_exit_code(res), nacre_result_stdout(res, NULL),
		       nacre_result_stderr(res, NULL));
	nacre_result_free(res);
	return ok;
}

#endif
