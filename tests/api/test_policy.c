/* test_policy.c - policies from C: JSON, allowed commands, refusals as events, explanations. */
#include "harness.h"

#include <unistd.h>

static bool refuses(nacre_config *cfg, const char *json, const char *message)
{
	int e = nacre_config_policy(cfg, "p.json", json, strlen(json));
	bool ok = e < 0 && strcmp(nacre_config_error(cfg), message) == 0;

	if (!ok)
		printf("%s\n  gave %d, %s\n", json, e, nacre_config_error(cfg));
	return ok;
}

/* API-05: what is wrong is said at once, with line and key; nothing of it counts. */
static void test_mistakes(void)
{
	nacre_config *cfg = nacre_config_new();
	char deep[200];

	CHECK(refuses(cfg, "{\"env\": {\"SEEN\": \"1\"},\n \"x\": 1}", "p.json:2: x: unknown key"));
	CHECK(refuses(cfg, "{\"limits\": {\n\n\"memory\": -1}}",
		      "p.json:3: limits.memory: a number of bytes is wanted, or a text such as \"64K\", \"512M\" or \"1G\""));
	CHECK(refuses(cfg, "{\"limits\": {\"memory\": 99999999999999999999}}",
		      "p.json:1: limits.memory: a number of bytes is wanted, or a text such as \"64K\", \"512M\" or \"1G\""));
	CHECK(refuses(cfg, "{\"limits\": {\"memory\": \"99999999999G\"}}", "p.json:1: limits.memory: too large"));
	CHECK(refuses(cfg, "{\"limits\": {\"memory\": 5}}", "p.json:1: limits.memory: a sandbox needs at least 1 MiB of memory"));
	CHECK(refuses(cfg, "{\"limits\": {\"wall\": \"5\"}}",
		      "p.json:1: limits.wall: a time is wanted, such as \"500ms\", \"30s\" or \"1m\", or a number of seconds"));
	CHECK(refuses(cfg, "{\"mounts\": [{\"host\": \"/\", \"at\": \"/\"}]}", "p.json:1: mounts[0]: cannot mount over /"));
	CHECK(refuses(cfg, "{\"mounts\": [{\"host\": \"/\", \"at\": \"/a\", \"acess\": \"rw\"}]}", "p.json:1: mounts[0].acess: unknown key"));
	CHECK(refuses(cfg, "{\"mounts\": [{\"host\": \"/\", \"at\": \"/a\", \"access\": \"w\"}]}",
		      "p.json:1: mounts[0]: access is \"ro\", \"rw\" or \"overlay\", not \"w\""));
	CHECK(refuses(cfg, "{\"deny_read\": [\"ok\", \"\"]}", "p.json:1: deny_read[1]: a pattern must not be empty"));
	CHECK(refuses(cfg, "{\"network\": {\"allow\": [\"example.org\"]}}",
		      "p.json:1: network.allow: there is no network in this version of nacre; only an empty list can be honoured"));
	CHECK(refuses(cfg, "{\"network\": {\"allow\": [\"a.*.org\"]}}",
		      "p.json:1: network.allow[0]: 'a.*.org': \"*\" stands for subdomains, at the beginning only"));
	CHECK(refuses(cfg, "{\"network\": {\"allow\": [\"10.0.0.0/33\"]}}",
		      "p.json:1: network.allow[0]: '10.0.0.0/33': the length of a range is a number of bits"));
	CHECK(refuses(cfg, "{\"network\": {\"allow\": [\"::1::\"]}}", "p.json:1: network.allow[0]: '::1::': not an address"));
	CHECK(refuses(cfg, "{\"session\": {\"persist\": 1}}", "p.json:1: session.persist: true or false is wanted, not a number"));
	CHECK(refuses(cfg, "{\"deterministic\": {}}",
		      "p.json:1: deterministic: \"seed\", and \"start\" in seconds since 1970, are whole numbers, 0 or more"));
	/* JSON itself. */
	CHECK(refuses(cfg, "", "p.json:1: a value is missing here"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\",}", "p.json:1: a name in double quotes is missing here"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\", \"cwd\": \"/\"}", "p.json:1: the same name twice"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\"} x", "p.json:1: something follows the end"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\\u0000\"}", "p.json:1: \\u0000 is not allowed"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\\ud800\"}", "p.json:1: half of a surrogate pair"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\\x\"}", "p.json:1: unknown escape in a string"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\t\"}", "p.json:1: a control character in a string"));
	CHECK(refuses(cfg, "{\"cwd\": \"/", "p.json:1: a string without an end"));
	CHECK(refuses(cfg, "{\"cwd\": \"/\xff\"}", "p.json:1: not UTF-8"));
	CHECK(refuses(cfg, "{\"version\": 01}", "p.json:1: a ',' or '}' is missing here"));
	CHECK(refuses(cfg, "{'version': 1}", "p.json:1: a name in double quotes is missing here"));
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	CHECK(refuses(cfg, deep, "p.json:1: nested too deeply"));
	{
		nacre_sandbox *sb = sandbox(cfg);

		CHECK(gives(sb, "echo ${SEEN-unset}", "unset\n", 0));
		nacre_sandbox_free(sb);
	}
	nacre_config_free(cfg);
}

static void test_values(void)
{
	static const char json[] =
		"{\"version\": 1, \"clear_env\": true, \"env\": {\"A\": \"\\u00e9\\ud83d\\ude00\\\"\\\\\\/\", \"PATH\": \"/bin\"}, \"cwd\": \"/tmp\",\n"
		" \"limits\": {\"wall\": \"2m\", \"memory\": \"64MiB\", \"output\": 5, \"processes\": 50}, \"keep\": \"tail\",\n"
		" \"session\": {\"persist\": false}, \"deterministic\": {\"seed\": 3, \"start\": 86400},\n"
		" \"deny_write\": [\"/tmp/kept\"], \"without_commands\": [\"awk\"],\n"
		" \"mounts\": [{\"host\": \"/etc\", \"at\": \"/o\", \"access\": \"overlay\"}]}";
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	bool given;

	CHECK(nacre_config_policy(cfg, NULL, json, strlen(json)) == 0);
	CHECK(strcmp(nacre_config_error(cfg), "") == 0);
	CHECK(nacre_config_limit_get(cfg, NACRE_LIMIT_WALL_NS, &given) == UINT64_C(120000000000) && given);
	CHECK(nacre_config_limit_get(cfg, NACRE_LIMIT_MEMORY, NULL) == 64u << 20);
	CHECK(nacre_config_limit_get(cfg, NACRE_LIMIT_FILES, &given) == 1024 && !given);
	sb = sandbox(cfg);
	CHECK(gives(sb, "echo 123456789", "6789\n", 0));
	CHECK(gives(sb, "echo \"$A\" > f; wc -c < f", "10\n", 0));
	CHECK(gives(sb, "pwd", "/tmp\n", 0));
	CHECK(gives(sb, "x=1; date +%s | cut -c1-4", "8640\n", 0));
	CHECK(gives(sb, "echo $x", "\n", 0));
	CHECK(gives(sb, "awk 1", "", 127));
	CHECK(gives(sb, "(: > kept) 2>&-; ls kept 2>&-", "", 2));
	CHECK(gives(sb, "touch /o/passwd-new && ls /o/passwd-new", "-new\n", 0) && access("/etc/passwd-new", F_OK) != 0);
	CHECK(gives(sb, "env | cut -d= -f1 | grep -cx USER", "0\n", 1));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* OUT-16, EXT-09: a list allows nothing beyond itself; two lists intersect; an empty one allows nothing. */
static void test_commands(void)
{
	static const char *const few[] = {"cat", "rshell:ls", "echo", "xargs", NULL}, *const other[] = {"ls", "echo", "wc", NULL},
				*const bad[] = {"other:ls", NULL}, *const colons[] = {"rshell:a:b", NULL},
				*const empty[] = {"rshell:", NULL}, *const none[] = {NULL};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	nacre_result *res;
	nacre_denial d = {0};
	const char *name;

	CHECK(nacre_config_allow_commands(cfg, bad) == -EINVAL && strstr(nacre_config_error(cfg), "namespace"));
	CHECK(nacre_config_allow_commands(cfg, colons) == -EINVAL);
	CHECK(nacre_config_allow_commands(cfg, empty) == -EINVAL);
	CHECK(nacre_config_allow_commands(cfg, NULL) == -EINVAL);
	CHECK(nacre_config_allow_commands(cfg, few) == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "echo a > f; cat f; ls f; cd /; x=1; [[ $x = 1 ]] && echo yes", "a\nf\nyes\n", 0));
	res = exec_script(sb, "wc -l f; nosuch");
	CHECK(strcmp(nacre_result_stderr(res, NULL), "bash: line 1: wc: command not allowed\nbash: line 1: nosuch: command not found\n") == 0);
	CHECK(nacre_result_exit_code(res) == 127 && nacre_result_denials(res) == 1);
	d.size = sizeof(d);
	CHECK(nacre_result_denial(&d, res, 0) == 0 && strcmp(d.operation, "run") == 0 && strcmp(d.path, "wc") == 0 &&
	      strcmp(d.rule_id, "commands") == 0 && d.error == -EACCES && d.pid > 0 && d.time_ns > 0);
	nacre_result_free(res);
	/* EXT-08: nor through others. */
	CHECK(gives(sb, "echo f | xargs wc -l 2>&-", "", 127));
	CHECK(gives(sb, "command -v wc; type -t wc; builtin printf x; printf x; test 1; [ 1 ]; /bin/wc; exec wc", "", 127));
	CHECK(gives(sb, "enable printf; printf x; f() { wc; }; f; $(echo wc); \"w\"c; eval wc; . /dev/stdin <<< wc", "", 127));
	nacre_sandbox_free(sb);
	CHECK(nacre_config_allow_commands(cfg, other) == 0);
	for (size_t i = 0; (name = nacre_config_command_name(cfg, i, NULL)) != NULL; i++)
		CHECK(strcmp(name, i ? "ls" : "echo") == 0);
	CHECK(nacre_config_allow_commands(cfg, none) == 0);
	CHECK(nacre_config_command_name(cfg, 0, NULL) == NULL);
	sb = sandbox(cfg);
	CHECK(gives(sb, "echo a", "", 127));
	CHECK(gives(sb, "x=5; echo $x > f; : $((x += 1)); exit $x", "", 6));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Events ------------------------------------------------------------------------------ */

static char told[4096];

static void on_denial(void *payload, nacre_sandbox *sb, const nacre_denial *d)
{
	size_t n = strlen(told);

	CHECK(payload == told && sb != NULL && d->time_ns > 0);
	snprintf(told + n, sizeof(told) - n, "%s %s %s %s %u %d;", d->command, d->operation, d->path, d->rule_id, d->access, -d->error);
}

/* FS-04, OUT-09: each refusal is an event, in the result and by callback. */
static void test_events(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_denial d = {0};
	nacre_sandbox *sb;
	nacre_result *res;

	CHECK(nacre_config_mount(cfg, "/etc", "/ro", NACRE_MOUNT_READ_ONLY) == 0);
	CHECK(nacre_config_deny(cfg, "secret", NACRE_ACCESS_READ | NACRE_ACCESS_WRITE) == 0);
	CHECK(nacre_config_deny(cfg, "/workspace/a", NACRE_ACCESS_WRITE) == 0);
	CHECK(nacre_config_deny(cfg, "**/b", NACRE_ACCESS_WRITE) == 0);
	CHECK(nacre_config_on_denial(cfg, on_denial, told) == 0);
	sb = sandbox(cfg);
	res = exec_script(sb, "cat secret; echo x > a; mv c b 2>&-; touch b; : > /ro/new; ln -s secret l; cat l");
	CHECK(nacre_result_denials(res) == 6);
	CHECK(strcmp(told, "cat open /workspace/secret deny[0] 1 13;bash open /workspace/a deny_write[0] 2 13;"
			   "touch open /workspace/b deny_write[1] 2 13;touch utimes /workspace/b deny_write[1] 2 13;bash open /ro/new mount 2 30;"
			   "cat open /workspace/secret deny[0] 1 13;") == 0);
	d.size = sizeof(d);
	CHECK(nacre_result_denial(&d, res, 4) == 0 && strcmp(d.rule, "/ro") == 0 && d.error == -EROFS);
	CHECK(nacre_result_denial(&d, res, 2) == 0 && strcmp(d.rule, "**/b") == 0);
	CHECK(nacre_result_denials_dropped(res) == 0);
	nacre_result_free(res);
	told[0] = '\0';
	CHECK(nacre_fs_write(sb, "/workspace/secret", "x", 1, 0600) == -EACCES);
	nacre_runtime_step(rt);
	CHECK(strcmp(told, " open /workspace/secret deny[0] 2 13;") == 0);
	nacre_fs_write(sb, "/workspace/secret", "x", 1, 0600); /* never told: the sandbox is gone */
	nacre_sandbox_free(sb);
	sb = sandbox(cfg);
	told[0] = '\0';
	res = exec_script(sb, "for i in {1..1200}; do : < secret; done 2>&-");
	CHECK(nacre_result_denials(res) == 1000 && nacre_result_denials_dropped(res) == 200);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Explaining ----------------------------------------------------------------------------- */

static void collect(void *payload, const nacre_decision *d)
{
	size_t n = strlen(payload);

	CHECK(d->size == sizeof(*d));
	snprintf((char *)payload + n, 1000 - n, "%s %s %d %s %s;", d->operation, d->subject, -d->error, d->rule_id, d->rule);
}

static bool explains(nacre_sandbox *sb, const char *subject, const char *want, int code)
{
	char text[1000] = "";
	bool ok = nacre_explain(sb, subject, collect, text) == code && strcmp(text, want) == 0;

	if (!ok)
		printf("%s: %s\n", subject, text);
	return ok;
}

static void test_explain(void)
{
	static const char *const few[] = {"cat", "ln", NULL};
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(nacre_config_mount(cfg, "/etc", "/ro", NACRE_MOUNT_READ_ONLY) == 0);
	CHECK(nacre_config_deny(cfg, "secret", NACRE_ACCESS_READ) == 0);
	CHECK(nacre_config_allow_commands(cfg, few) == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "ln -s secret l; ln -s /ro/passwd p", "", 0));
	CHECK(explains(sb, "/workspace/secret/x", "read /workspace/secret/x 13 deny_read[0] secret;write /workspace/secret/x 2  ;", -EACCES));
	CHECK(explains(sb, "./l", "read /workspace/secret 13 deny_read[0] secret;write /workspace/secret 0  ;", -EACCES));
	CHECK(explains(sb, "./p", "read /ro/passwd 0  ;write /ro/passwd 30 mount /ro;", -EROFS));
	CHECK(explains(sb, "/tmp/new", "read /tmp/new 2  ;write /tmp/new 0  ;", -ENOENT));
	CHECK(explains(sb, "cat", "run cat 0  ;", 0));
	CHECK(explains(sb, "wc", "run wc 13 commands ;", -EACCES));
	CHECK(explains(sb, "nosuch", "run nosuch 2  ;", -ENOENT));
	CHECK(explains(sb, "http://a.b/", "connect http://a.b/ 13 network ;", -EACCES));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	test_mistakes();
	test_values();
	test_commands();
	test_events();
	test_explain();
	nacre_runtime_free(rt);
	return summary();
}
