/* fuzz_save.c - a saved sandbox that may be anything, its checksum set right: it is refused, or what it makes works. */
#include <nacre/nacre.h>

#include <stdlib.h>
#include <string.h>

#include "../../src/api/framed.h"

/* A directory for the overlay, the same for all inputs. */
static const char *below(void)
{
	static char dir[] = "/tmp/nacre-fuzz-XXXXXX";
	static bool made;

	if (!made)
		made = mkdtemp(dir) != NULL;
	return dir;
}

static nacre_config *config(void)
{
	nacre_config *cfg = nacre_config_new();

	nacre_config_mount(cfg, NULL, "/m", NACRE_MOUNT_MEMORY);
	nacre_config_mount(cfg, below(), "/w", NACRE_MOUNT_OVERLAY);
	nacre_config_limit(cfg, NACRE_LIMIT_MEMORY, 64 << 20);
	nacre_config_limit(cfg, NACRE_LIMIT_TICKS, 20000000);
	nacre_config_deterministic(cfg, 1, 0);
	return cfg;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *s = malloc(size + FRAMED_HEAD);
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_config *cfg = config();
	nacre_runtime *rt;
	nacre_result *res;
	nacre_sandbox *sb;

	if (!s || nacre_runtime_new(&rt) < 0)
		return 0;
	memcpy(s + FRAMED_HEAD, data, size);
	framed_seal(s, size + FRAMED_HEAD, "NACRESAV", 1);
	if (nacre_load(&sb, rt, cfg, s, size + FRAMED_HEAD) == 0) {
		void *again;
		size_t len;

		req.script = "find / -xdev | wc -l; ls -lR /m /w /workspace; declare -p; declare -f; alias; trap; cat /workspace/* /w/*";
		if (nacre_exec(&res, sb, &req) == 0)
			nacre_result_free(res);
		if (nacre_save(&again, &len, sb) == 0)
			nacre_free(again);
		nacre_sandbox_free(sb);
	}
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	free(s);
	return 0;
}
