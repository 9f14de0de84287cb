/* test_js.c - JS-06, JS-05: what a host adds to JavaScript: functions, a prelude, an answer to fetch. */
#include "harness.h"

#include <pthread.h>
#include <unistd.h>

/* ---- Functions of the host's ---------------------------------------------------------------------- */

/* Its arguments, as they came. */
static void echo(nacre_invocation *inv, void *payload)
{
	const char *args = nacre_invocation_arg(inv, 1);

	(void)payload;
	nacre_invocation_write(inv, 1, args, strlen(args));
	nacre_invocation_complete(inv, 0);
}

static void constant(nacre_invocation *inv, void *payload)
{
	nacre_invocation_write(inv, 1, payload, strlen(payload));
	nacre_invocation_complete(inv, 0);
}

static void thrower(nacre_invocation *inv, void *payload)
{
	nacre_js_throw(inv, payload, "no such \"row\"\nat all");
}

static void failing(nacre_invocation *inv, void *payload)
{
	(void)payload;
	nacre_invocation_write(inv, 2, "it broke\n", 9);
	nacre_invocation_complete(inv, 7);
}

static void *answer_later(void *arg)
{
	nacre_invocation *inv = arg;

	usleep(2000);
	nacre_invocation_write(inv, 1, "[1,2]", 5);
	nacre_invocation_complete(inv, 0);
	return NULL;
}

static pthread_t thread;

static void later(nacre_invocation *inv, void *payload)
{
	(void)payload;
	if (pthread_create(&thread, NULL, answer_later, inv))
		abort();
}

static nacre_invocation *forgotten;
static int aborts;

static void never(nacre_invocation *inv, void *payload)
{
	(void)payload;
	forgotten = inv;
}

static void stopped(nacre_invocation *inv, void *payload)
{
	(void)payload;
	aborts += inv == forgotten;
}

static void told(void *payload, nacre_invocation *inv, nacre_result *res)
{
	(void)payload;
	nacre_invocation_write(inv, 1, nacre_result_stdout(res, NULL), strlen(nacre_result_stdout(res, NULL)));
	nacre_result_free(res);
	nacre_invocation_complete(inv, 0);
}

static void nested(nacre_invocation *inv, void *payload)
{
	nacre_nested req = NACRE_NESTED_INIT;

	req.script = payload;
	if (nacre_invocation_run(inv, &req, told, NULL) < 0)
		nacre_js_throw(inv, NULL, "cannot run");
}

static nacre_command function(const char *name, void (*run)(nacre_invocation *inv, void *payload), const char *payload)
{
	nacre_command c = NACRE_COMMAND_INIT;

	c.name = name;
	c.run = run;
	c.abort = stopped;
	c.payload = (void *)(uintptr_t)payload;
	return c;
}

static int add(nacre_config *cfg, const char *name, void (*run)(nacre_invocation *inv, void *payload), const char *payload)
{
	const nacre_command c = function(name, run, payload);

	return nacre_config_js_global(cfg, &c);
}

/* ---- Names -------------------------------------------------------------------------------------------- */

static void names(void)
{
	static const char *const bad[] = {"", ".", "a.", ".a", "a..b", "1a", "a-b", "a b", "a.1", "ä", "a$", "__proto__", "a.__proto__", "a.b.c.d.e.f.g.h.i"};
	static const char *const taken[] = {"console", "process.x", "require", "module.a", "Object", "fs", "class", "fetch", "undefined", "globalThis.x", "Intl"};
	static const char *const good[] = {"a", "_", "A1_.b", "a.b.c.d.e.f.g.h", "toString", "constructor.prototype", "db.class", "tools.console", "consoles"};
	nacre_config *cfg = nacre_config_new();

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(add(cfg, bad[i], echo, NULL) == -EINVAL && *nacre_config_error(cfg));
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		CHECK(add(cfg, taken[i], echo, NULL) == -EEXIST && strstr(nacre_config_error(cfg), "JavaScript"));
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		nacre_config_free(cfg);
		cfg = nacre_config_new();
		CHECK(add(cfg, good[i], echo, NULL) == 0);
	}
	nacre_config_free(cfg);
	cfg = nacre_config_new();
	CHECK(add(cfg, "db.query", echo, NULL) == 0);
	CHECK(add(cfg, "db", echo, NULL) == -EEXIST && strstr(nacre_config_error(cfg), "cannot hold 'db.query'"));
	CHECK(add(cfg, "db.query.x", echo, NULL) == -EEXIST);
	CHECK(add(cfg, "db.query", echo, NULL) == -EEXIST);
	CHECK(add(cfg, "db0", echo, NULL) == 0 && add(cfg, "db.put", echo, NULL) == 0);
	CHECK(nacre_config_js_global(cfg, NULL) == -EINVAL && add(cfg, "f", NULL, NULL) == -EINVAL);
	nacre_config_free(cfg);
}

/* Every name that a program sees is refused. */
static void all_names(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg);
	nacre_result *res = exec_script(sb, "js -e 'for (let o = globalThis; o && o !== Object.prototype; o = Object.getPrototypeOf(o)) for (const k of Object.getOwnPropertyNames(o)) "
					    "if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(k)) console.log(k)'");
	char *text = strdup(nacre_result_stdout(res, NULL)), *at = text;
	int n = 0;

	for (char *name; (name = strsep(&at, "\n")) != NULL && *name; n++)
		if (add(cfg, name, echo, NULL) != -EEXIST) {
			printf("not refused: %s\n", name);
			CHECK(false);
		}
	CHECK(n > 100);
	free(text);
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Calls ---------------------------------------------------------------------------------------------- */

static void calls(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(add(cfg, "echo", echo, NULL) == 0 && add(cfg, "db.query", constant, "{\"rows\":[[1,\"\xc3\xa4\"],null]}") == 0);
	CHECK(add(cfg, "db.nothing", constant, "") == 0 && add(cfg, "db.broken", constant, "{") == 0 && add(cfg, "db.row", thrower, "ENOROW") == 0);
	CHECK(add(cfg, "db.plain", thrower, NULL) == 0 && add(cfg, "failing", failing, NULL) == 0 && add(cfg, "later", later, NULL) == 0);
	CHECK(add(cfg, "a.b.c.never", never, NULL) == 0 && add(cfg, "sh", nested, "echo 41 > n; cat n; pwd > w") == 0);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_WALL_NS, 20000000000) == 0);
	sb = sandbox(cfg);
	CHECK(prints(sb, "js -e 'console.log(JSON.stringify(echo(1, \"x\\u0000\\n\", null, [{a: 1.5}], undefined, {u: undefined, d: new Date(0)})), echo().length)'",
		     "[1,\"x\\u0000\\n\",null,[{\"a\":1.5}],null,{\"d\":\"1970-01-01T00:00:00.000Z\"}] 0\n"));
	CHECK(prints(sb, "echo 'console.log(db.query(\"select\").rows[0][1], typeof db.nothing(), db.query.name)' > p.js; js p.js; js p.js | cat; echo 'import \"./p.js\"' > m.mjs; js m.mjs",
		     "\xc3\xa4 undefined query\n\xc3\xa4 undefined query\n\xc3\xa4 undefined query\n"));
	CHECK(prints(sb, "js -e 'for (const f of [db.row, db.plain, failing, db.broken]) try { f(); } catch (e) { console.log(e instanceof Error, e.code, JSON.stringify(e.message)); }'",
		     "true ENOROW \"no such \\\"row\\\"\\nat all\"\ntrue undefined \"no such \\\"row\\\"\\nat all\"\ntrue undefined \"it broke\"\n"
		     "true undefined \"db.broken: what the host answered is not JSON\"\n"));
	CHECK(prints(sb, "js -e 'try { echo(1n) } catch (e) { console.log(e.name) } const o = {}; o.o = o; try { echo(o) } catch (e) { console.log(e.name) }'", "TypeError\nTypeError\n"));
	CHECK(prints(sb, "js -e 'console.log(later()[1])'; echo $?", "2\n0\n"));
	pthread_join(thread, NULL);
	CHECK(prints(sb, "cd /tmp; js -e 'console.log(sh() + 1)'; cat n w", "42\n41\n/tmp\n"));
	CHECK(gives(sb, "js -e 'db.row()' 2>&1 | grep -c 'Error: no such\\|ENOROW'; js -e 'db.row()' 2>/dev/null", "2\n", 1));
	/* What it began with does not outlive a program, nor is it anybody else's. */
	CHECK(prints(sb, "js -e 'db.query = 1; delete globalThis.echo'; js -p 'typeof db.query + typeof echo'; js -p 'Object.keys(db).sort().join()'",
		     "functionfunction\nbroken,nothing,plain,query,row\n"));
	/* A program that is killed while the host works. */
	CHECK(prints(sb, "timeout 0.2 js -e 'a.b.c.never()'; echo $?", "124\n"));
	CHECK(aborts == 1 && forgotten && nacre_invocation_aborted(forgotten));
	if (forgotten)
		nacre_invocation_complete(forgotten, 0);
	CHECK(prints(sb, "for i in 1 2 3 4 5; do js -e 'for (let i = 0; i < 200; i++) if (echo(i)[0] !== i) throw 1; console.log(\"ok\")' & done; wait", "ok\nok\nok\nok\nok\n"));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

static void prelude(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	char *big = malloc((2u << 20) + 1);

	memset(big, ' ', 2u << 20);
	big[2u << 20] = '\0';
	CHECK(nacre_config_js_prelude(cfg, big, 0) == -EFBIG);
	free(big);
	CHECK(add(cfg, "host.name", constant, "\"h\"") == 0);
	CHECK(nacre_config_js_prelude(cfg, "globalThis.seen = [typeof require, typeof module, typeof __filename, typeof fs, typeof console, host.name()].join();\nconst own = 5;", 0) == 0);
	sb = sandbox(cfg);
	CHECK(prints(sb, "js -p 'seen + own + typeof require'; echo 'console.log(seen, own)' > f.js; js f.js; cp f.js f.mjs; js f.mjs; echo 'console.log(own)' | js -",
		     "undefined,undefined,undefined,undefined,object,h5function\nundefined,undefined,undefined,undefined,object,h 5\nundefined,undefined,undefined,undefined,object,h 5\n5\n"));
	CHECK(prints(sb, "js --check f.js; echo $?; js --version", "0\nv20.20.2\n"));
	nacre_sandbox_free(sb);
	CHECK(nacre_config_js_prelude(cfg, "\n\nthrow new RangeError('not today')", 0) == 0);
	sb = sandbox(cfg);
	CHECK(prints(sb, "js -e 'console.log(1)' 2>e; echo $?; grep -c 'prelude]:3' e; grep -c 'RangeError: not today' e", "1\n2\n1\n"));
	nacre_sandbox_free(sb);
	CHECK(nacre_config_js_prelude(cfg, NULL, 0) == 0);
	sb = sandbox(cfg);
	CHECK(prints(sb, "js -p 'typeof seen'", "undefined\n"));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Of one sandbox ------------------------------------------------------------------------------------------ */

static nacre_sandbox *changed;

/* A command: the functions become what it is given. */
static void swap(nacre_invocation *inv, void *payload)
{
	nacre_command v[8];
	int n = nacre_invocation_argc(inv) - 1;

	(void)payload;
	for (int i = 0; i < n; i++)
		v[i] = function(nacre_invocation_arg(inv, i + 1), echo, NULL);
	nacre_invocation_complete(inv, nacre_js_replace(changed, v, (size_t)n) < 0);
}

static void changes(void)
{
	const nacre_command a = function("a", echo, NULL), b = function("b.c", constant, "1"), b2 = function("b.c", constant, "2"), bad = function("b", echo, NULL);
	const nacre_command both[] = {a, b}, clash[] = {function("z", echo, NULL), bad}, twice[] = {a, a};
	nacre_command cmd = function("swap", swap, NULL);
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb, *other;

	cmd.summary = "changes what JavaScript finds";
	CHECK(nacre_config_command(cfg, &cmd) == 0 && add(cfg, "first", echo, NULL) == 0);
	sb = changed = sandbox(cfg);
	other = sandbox(cfg);
	CHECK(strcmp(nacre_js_name(sb, 0), "first") == 0 && !nacre_js_name(sb, 1));
	CHECK(nacre_js_extend(sb, both, 2) == 0 && nacre_js_extend(sb, &a, 1) == -EEXIST);
	CHECK(strcmp(nacre_js_name(sb, 0), "a") == 0 && strcmp(nacre_js_name(sb, 1), "b.c") == 0 && strcmp(nacre_js_name(sb, 2), "first") == 0 && !nacre_js_name(sb, 3));
	/* All or nothing. */
	CHECK(nacre_js_extend(sb, clash, 2) == -EEXIST && strstr(nacre_runtime_error(rt), "cannot hold"));
	CHECK(nacre_js_replace(sb, clash, 2) == 0 && nacre_js_replace(sb, twice, 2) == -EINVAL && nacre_js_name(sb, 1) && strcmp(nacre_js_name(sb, 1), "z") == 0);
	CHECK(nacre_js_replace(sb, both, 2) == 0 && nacre_js_set(sb, &bad) == -EEXIST && nacre_js_set(sb, &b2) == 0);
	CHECK(prints(sb, "js -p 'b.c()'; js -p 'typeof first'", "2\nundefined\n"));
	CHECK(nacre_js_remove(sb, "b.c") == 0 && nacre_js_remove(sb, "b.c") == -ENOENT && nacre_js_remove(sb, NULL) == -ENOENT);
	CHECK(prints(sb, "js -p 'typeof b + typeof a'", "undefinedfunction\n"));
	CHECK(prints(other, "js -p 'typeof first + typeof a'", "functionundefined\n"));
	/* A program has what was there when it began, though the script goes on; the next one has what is there then. */
	CHECK(nacre_js_replace(sb, &a, 1) == 0);
	CHECK(prints(sb, "js -p 'typeof a + typeof n'; swap n; js -p 'typeof a + typeof n'; "
			 "js -e 'child_process.execSync(\"swap later\"); console.log(typeof n, n(1)[0], typeof later); console.log(child_process.execSync(\"js -p \\\"typeof n + typeof later\\\"\").toString().trim())'",
		     "functionundefined\nundefinedfunction\nfunction 1 undefined\nundefinedfunction\n"));
	CHECK(prints(sb, "swap; js -p 'typeof a + typeof n'; js -e 'try { fetch } catch {} console.log(1)'", "undefinedundefined\n1\n"));
	CHECK(nacre_js_replace(sb, NULL, 0) == 0 && !nacre_js_name(sb, 0));
	nacre_sandbox_free(other);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- fetch ------------------------------------------------------------------------------------------------------ */

static void web(nacre_invocation *inv, void *payload)
{
	const char *const headers[] = {"Content-Type: text/plain", "X-A: 1", "X-A: 2", NULL}, *const evil[] = {"A: b\r\nC: d", NULL};
	const char *request = nacre_invocation_arg(inv, 1);
	size_t n;
	const char *body = nacre_invocation_stdin(inv, &n);

	(void)payload;
	CHECK(nacre_fetch_respond(inv, 99, NULL) == -EINVAL && nacre_fetch_respond(inv, 200, evil) == -EINVAL);
	if (strstr(request, "h/refused")) {
		nacre_js_throw(inv, "ECONNREFUSED", "not allowed");
	} else if (strstr(request, "h/huge")) {
		static char zeros[1 << 20];

		for (int i = 0; i < 33; i++)
			nacre_invocation_write(inv, 1, zeros, sizeof(zeros));
		nacre_invocation_complete(inv, 0);
	} else if (strstr(request, "h/empty")) {
		nacre_fetch_respond(inv, 204, NULL);
		nacre_invocation_complete(inv, 0);
	} else if (strstr(request, "h/plain")) {
		nacre_invocation_write(inv, 1, "plain", 5);
		nacre_invocation_complete(inv, 0);
	} else {
		nacre_fetch_respond(inv, strstr(request, "h/missing") ? 404 : 201, headers);
		nacre_invocation_write(inv, 1, request, strlen(request));
		nacre_invocation_write(inv, 1, "\n", 1);
		nacre_invocation_write(inv, 1, body, n);
		nacre_invocation_complete(inv, 0);
	}
}

static void fetching(void)
{
	nacre_command handler = function("ignored", web, NULL);
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(nacre_config_js_fetch(cfg, &handler) == 0);
	sb = sandbox(cfg);
	CHECK(prints(sb, "js --input-type=module -e 'const r = await fetch(\"http://h/p?q=1#f\", {method: \"post\", headers: {\"X-K\": \"v\"}, body: JSON.stringify({a: 1})}); "
			 "console.log(r.status, r.ok, r.statusText, r.url, r.headers.get(\"content-type\"), r.headers.get(\"x-a\"), r.bodyUsed); console.log(await r.text(), r.bodyUsed)'",
		     "201 true Created http://h/p?q=1 text/plain 1, 2 false\n"
		     "{\"url\":\"http://h/p?q=1\",\"method\":\"POST\",\"headers\":[[\"content-type\",\"text/plain;charset=UTF-8\"],[\"x-k\",\"v\"]]}\n{\"a\":1} true\n"));
	CHECK(prints(sb, "js --input-type=module -e 'const r = await fetch(\"http://h/missing\"); console.log(r.status, r.ok); const e = await fetch(\"http://h/empty\"); console.log(e.status, e.body, (await e.text()).length); "
			 "console.log(await (await fetch(\"http://h/plain\")).text()); const p = await fetch(new Request(\"http://h/plain\")); for await (const c of p.body) console.log(c.length)'",
		     "404 false\n204 null 0\nplain\n5\n"));
	CHECK(prints(sb, "js --input-type=module -e 'for (const u of [\"http://h/refused\", \"http://h/huge\"]) try { await fetch(u) } catch (e) { console.log(e.name, e.message, e.cause.code, e.cause.message) } "
			 "try { await fetch(\"http://h/\", {body: \"x\"}) } catch (e) { console.log(e.message) } try { await fetch(\"http://h/\", {signal: AbortSignal.abort()}) } catch (e) { console.log(e.name) }'",
		     "TypeError fetch failed ECONNREFUSED not allowed\nTypeError fetch failed ERR_RESPONSE_TOO_LARGE the response is larger than 32 MiB\n"
		     "Request with GET/HEAD method cannot have body.\nAbortError\n"));
	CHECK(prints(sb, "js --input-type=module -e 'const f = new FormData(); f.set(\"a\", \"1\"); f.set(\"b\", new Blob([\"text\"], {type: \"text/x\"}), \"n.txt\"); "
			 "console.log((await (await fetch(\"http://h/\", {method: \"PUT\", body: f})).text()).replace(/----formdata-[-0-9a-f]+/g, \"B\").replaceAll(\"\\r\\n\", \"|\")); "
			 "console.log((await (await fetch(\"http://h/\", {method: \"PUT\", body: new Uint8Array([0, 255, 10])})).arrayBuffer()).byteLength)'",
		     "{\"url\":\"http://h/\",\"method\":\"PUT\",\"headers\":[[\"content-type\",\"multipart/form-data; boundary=B\"]]}\n"
		     "--B|Content-Disposition: form-data; name=\"a\"||1|--B|Content-Disposition: form-data; name=\"b\"; filename=\"n.txt\"|Content-Type: text/x||text|--B|\n51\n"));
	nacre_sandbox_free(sb);
	CHECK(nacre_config_js_fetch(cfg, NULL) == 0);
	sb = sandbox(cfg);
	CHECK(prints(sb, "js -e 'fetch(\"http://h/\").catch((e) => console.log(e.cause.code))'", "ENETUNREACH\n"));
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* ---- Recorded and done again --------------------------------------------------------------------------------------- */

static void replays(void)
{
	nacre_runtime *rec = NULL, *again = NULL;
	nacre_command handler = function("ignored", web, NULL);
	nacre_config *cfg = nacre_config_new();
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb = NULL;
	nacre_result *res = NULL, *copy = NULL;
	void *data = NULL;
	size_t len;

	CHECK(add(cfg, "db.query", echo, NULL) == 0 && add(cfg, "db.row", thrower, "E1") == 0 && nacre_config_js_fetch(cfg, &handler) == 0);
	CHECK(nacre_config_js_prelude(cfg, "globalThis.x = db.query(6)[0]", 0) == 0);
	CHECK(nacre_runtime_new_recording(&rec, 0) == 0 && nacre_sandbox_new(&sb, rec, cfg) == 0);
	CHECK(nacre_js_remove(sb, "db.row") == -EBUSY);
	req.script = "js -e 'try { db.row() } catch (e) { console.log(x, e.code) } fetch(\"http://h/plain\").then((r) => r.text()).then(console.log)'";
	CHECK(nacre_exec(&res, sb, &req) == 0 && strcmp(nacre_result_stdout(res, NULL), "6 E1\nplain\n") == 0);
	CHECK(nacre_recording_take(&data, &len, rec, NULL, 0) == 0);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rec);
	nacre_config_free(cfg);
	CHECK(nacre_runtime_new(&again) == 0 && nacre_replay(&copy, again, data, len, NULL, NULL) == 0);
	CHECK(copy && strcmp(nacre_result_stdout(copy, NULL), "6 E1\nplain\n") == 0);
	nacre_result_free(copy);
	nacre_result_free(res);
	nacre_runtime_free(again);
	nacre_free(data);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	names();
	all_names();
	calls();
	prelude();
	changes();
	fetching();
	replays();
	nacre_runtime_free(rt);
	return summary();
}
