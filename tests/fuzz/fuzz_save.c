/* fuzz_save.c - a saved sandbox that may be anything, its checksum set right: it is refused, or what it makes works. */
#include <nacre/nacre.h>

#include <stdlib.h>
#include <string.h>

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

static void set_number(unsigned char *at, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		at[i] = (unsigned char)(v >> (8 * i));
}

static uint64_t checksum(const unsigned char *s, size_t n)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ n;

	while (n > 0) {
		size_t part = n < 8 ? n : 8;
		uint64_t v = 0;

		for (size_t i = 0; i < part; i++)
			v |= (uint64_t)s[i] << (8 * i);
		h = (h ^ v) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		s += part;
		n -= part;
	}
	return h;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *s = malloc(size + 32);
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_config *cfg = config();
	nacre_runtime *rt;
	nacre_result *res;
	nacre_sandbox *sb;

	if (!s || nacre_runtime_new(&rt) < 0)
		return 0;
	memset(s, 0, 32);
	memcpy(s, "NACRESAV\1", 9);
	memcpy(s + 32, data, size);
	set_number(s + 16, size + 32);
	set_number(s + 24, checksum(s + 32, size));
	if (nacre_load(&sb, rt, cfg, s, size + 32) == 0) {
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
