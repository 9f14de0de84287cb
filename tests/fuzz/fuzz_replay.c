/* fuzz_replay.c - the events of a recording may be anything (its head set right): the replay says that it does not go as
 * recorded, or ends; and whatever it does reaches nothing of the host. */
#include <nacre/nacre.h>

#include <stdlib.h>
#include <string.h>

#include "../../src/api/framed.h"

/* The head, the version and an empty note stand before the events, as nacre_recording_take puts them. */
static char *recording(const uint8_t *data, size_t size, size_t *len)
{
	size_t v = strlen(nacre_version()), n = FRAMED_HEAD + 2 + v + 1;
	char *s = malloc(n + size);

	if (!s)
		return NULL;
	memset(s, 0, n);
	s[FRAMED_HEAD] = 1;
	s[FRAMED_HEAD + 1] = (char)(v << 1);
	memcpy(s + FRAMED_HEAD + 2, nacre_version(), v);
	memcpy(s + n, data, size);
	*len = n + size;
	framed_seal(s, *len, "NACRELOG", 1);
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;
	char *s = recording(data, size, &len);
	nacre_runtime *rt;
	nacre_result *res;

	if (s && nacre_runtime_new(&rt) == 0) {
		if (nacre_replay(&res, rt, s, len, NULL, NULL) == 0)
			nacre_result_free(res);
		else if (!*nacre_runtime_error(rt))
			abort();
		nacre_runtime_free(rt);
	}
	free(s);
	return 0;
}
