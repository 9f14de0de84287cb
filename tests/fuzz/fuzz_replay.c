/* fuzz_replay.c - the events of a recording may be anything (its head set right): the replay says that it does not go as
 * recorded, or ends; and whatever it does reaches nothing of the host. */
#include <nacre/nacre.h>

#include <stdlib.h>
#include <string.h>

#define HEAD 32

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

/* The head, the version and an empty note stand before the events, as nacre_recording_take puts them. */
static unsigned char *recording(const uint8_t *data, size_t size, size_t *len)
{
	size_t v = strlen(nacre_version()), n = HEAD + 2 + v + 1;
	unsigned char *s = malloc(n + size);

	if (!s)
		return NULL;
	memset(s, 0, n);
	memcpy(s, "NACRELOG\1", 9);
	s[HEAD] = 1;
	s[HEAD + 1] = (unsigned char)(v << 1);
	memcpy(s + HEAD + 2, nacre_version(), v);
	memcpy(s + n, data, size);
	*len = n + size;
	set_number(s + 16, *len);
	set_number(s + 24, checksum(s + HEAD, *len - HEAD));
	return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len;
	unsigned char *s = recording(data, size, &len);
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
