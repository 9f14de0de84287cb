/*
 * javascript.c - what a host adds to JavaScript: functions that are globals, a prelude, an answer to fetch.
 *
 * A function gets its arguments as JSON and gives its result as JSON. A real one would ask its database here and complete the
 * invocation later, from any thread; the program waits meanwhile.
 */
#include <nacre/nacre.h>

#include <stdio.h>
#include <string.h>

/* db.city(NAME) */
static void city(nacre_invocation *inv, void *payload)
{
	const char *args = nacre_invocation_arg(inv, 1); /* ["ada"] */

	(void)payload;
	if (strcmp(args, "[\"ada\"]") != 0) {
		nacre_js_throw(inv, "ENOROW", "there is nobody of that name");
		return;
	}
	nacre_invocation_write(inv, 1, "{\"city\":\"London\",\"since\":1815}", 30);
	nacre_invocation_complete(inv, 0);
}

/* Nothing but this address can be fetched. */
static void fetched(nacre_invocation *inv, void *payload)
{
	static const char *const headers[] = {"content-type: application/json", NULL};
	static const char body[] = "{\"rain\":false}";

	(void)payload;
	if (!strstr(nacre_invocation_arg(inv, 1), "\"url\":\"https://weather.example/london\"")) {
		nacre_js_throw(inv, "EACCES", "not in the allow list");
		return;
	}
	nacre_fetch_respond(inv, 200, headers);
	nacre_invocation_write(inv, 1, body, strlen(body));
	nacre_invocation_complete(inv, 0);
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command function = NACRE_COMMAND_INIT, handler = NACRE_COMMAND_INIT;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	nacre_result *res = NULL;

	function.name = "db.city";
	function.run = city;
	handler.run = fetched;
	if (!cfg || nacre_runtime_new(&rt) < 0)
		return 1;
	if (nacre_config_js_global(cfg, &function) < 0 || nacre_config_js_fetch(cfg, &handler) < 0 ||
	    nacre_config_js_prelude(cfg, "globalThis.capital = (s) => s[0].toUpperCase() + s.slice(1);", 0) < 0 || nacre_sandbox_new(&sb, rt, cfg) < 0) {
		fprintf(stderr, "%s%s\n", nacre_config_error(cfg), nacre_runtime_error(rt));
		return 1;
	}
	req.script = "js -e 'console.log(capital(\"ada\"), db.city(\"ada\").city); try { db.city(\"bob\") } catch (e) { console.log(e.code, e.message) }'\n"
		     "js --input-type=module -e 'const r = await fetch(\"https://weather.example/london\"); console.log(r.status, (await r.json()).rain);"
		     " await fetch(\"https://elsewhere.example/\").catch((e) => console.log(e.message, e.cause.code))'";
	if (nacre_exec(&res, sb, &req) < 0)
		return 1;
	printf("%s%s", nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return 0;
}
