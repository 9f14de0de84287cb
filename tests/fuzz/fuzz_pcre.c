/*
 * fuzz_pcre.c - any Perl pattern, any text: it ends, and spans lie in the text.
 *
 * The input is a byte of flags, the pattern, a zero byte, the text. A match that takes too long is left the
 * way a killed proc leaves it.
 */
#include <setjmp.h>

#include "../../src/pcre/pcre.h"
#include "../unit/regex/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct budget {
	uint64_t left;
	jmp_buf end;
};

static void step(void *ctx, uint32_t n)
{
	struct budget *b = ctx;

	if (b->left < n)
		longjmp(b->end, 1);
	b->left -= n;
}

static bool stack(void *ctx, size_t need)
{
	(void)ctx;
	return need <= PCRE_STACK;
}

static void search(struct pcre *re, const char *text, size_t n)
{
	struct pcre_match m;
	size_t from = 0;

	while (from <= n && pcre_search(re, text, n, from, false, &m) > 0) {
		if (m.start > m.end || m.end > n || m.end < from)
			abort();
		from = m.end > from ? m.end : from + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct budget b;
	const char *pattern = (const char *)data + 1, *text;
	static struct arena a;
	static char *copy;
	struct pcre_host host = {&a, step, stack, &b};
	struct pcre *re;
	char message[128];
	size_t n;

	if (size < 2 || size > 4096 || !(text = memchr(pattern, 0, size - 1)))
		return 0;
	n = size - (size_t)(text + 1 - (const char *)data);
	copy = fixture_exact(text + 1, n);
	arena_init(&a, &fixture_source);
	b.left = 1000000;
	re = pcre_compile(&host, pattern, (size_t)(text - pattern), data[0] & 15, message, sizeof(message));
	if (re && !setjmp(b.end))
		search(re, copy, n);
	if (!re && !message[0])
		abort();
	arena_release(&a);
	free(copy);
	return 0;
}
