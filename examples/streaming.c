/* streaming.c - output as it is produced, with back-pressure: a consumer that takes little at a time. */
#include <nacre/nacre.h>

#include <stdio.h>

struct consumer {
	size_t total, calls;
	size_t room;	/* what may be taken before the next resume */
};

static ptrdiff_t take(void *payload, int fd, const void *data, size_t len)
{
	struct consumer *c = payload;
	size_t n = len < c->room ? len : c->room;

	(void)data;
	if (fd == 1)
		c->total += n;
	c->calls++;
	c->room -= n;
	return (ptrdiff_t)n;	/* less than len: the script waits until nacre_run_resume */
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_request req = NACRE_REQUEST_INIT;
	struct consumer c = {.room = 1000};
	nacre_runtime *rt = NULL;
	nacre_sandbox *sb = NULL;
	nacre_run *run;
	nacre_result *res;

	if (!cfg || nacre_runtime_new(&rt) < 0 || nacre_sandbox_new(&sb, rt, cfg) < 0)
		return 1;
	req.script = "yes line | head -n 20000";
	req.on_output = take;
	req.payload = &c;
	if (nacre_run_start(&run, sb, &req) < 0)
		return 1;
	while (!nacre_run_done(run)) {
		if (nacre_runtime_step(rt) == NACRE_STEP_MORE)
			continue;
		if (!c.room) {	/* here something slow would happen with what was taken */
			c.room = 30000;
			nacre_run_resume(run);
		} else if (!nacre_run_done(run)) {
			nacre_runtime_block(rt, 10000000);
		}
	}
	res = nacre_run_finish(run);
	printf("%zu bytes, in pieces: %s, exit code %d\n", c.total, c.calls > 3 ? "yes" : "no", nacre_result_exit_code(res));
	nacre_result_free(res);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return 0;
}
