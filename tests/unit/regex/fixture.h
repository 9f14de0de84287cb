/* fixture.h - memory and a short-hand for the tests of the regular expression engine. */
#ifndef NACRE_TESTS_REGEX_FIXTURE_H
#define NACRE_TESTS_REGEX_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>

#include "../../../src/regex/regex.h"

static void *fixture_get(struct arena_source *s, size_t size)
{
	void *chunk = malloc(size);

	(void)s;
	if (!chunk)
		abort();
	return chunk;
}

static void fixture_put(struct arena_source *s, void *chunk, size_t size)
{
	(void)s;
	(void)size;
	free(chunk);
}

static struct arena_source fixture_source UNUSED = {fixture_get, fixture_put};

/* A copy of exactly n bytes, so that a sanitizer sees a read beyond. */
static inline char *fixture_exact(const char *s, size_t n)
{
	char *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, s, n);
	return copy;
}

#endif
