/* fuzz_policy.c - hostile policy files: the reader never crashes, and what it takes makes a sandbox or an error. */
#include <nacre/nacre.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	nacre_config *cfg = nacre_config_new();

	if (cfg && nacre_config_policy(cfg, "p", (const char *)data, size) < 0 && !*nacre_config_error(cfg))
		__builtin_trap();
	nacre_config_free(cfg);
	return 0;
}
