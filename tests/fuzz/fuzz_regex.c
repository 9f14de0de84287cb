/*
 * fuzz_regex.c - any pattern, any text: all ways to search agree, and nothing is read outside.
 *
 * The input is two bytes of flags, the pattern, a zero byte, the text. The automata, the
 * simulation and the searches over whole buffers must give the same answer, spans must lie in
 * the text and each other's bounds.
 */
#include "../../src/regex/scratch.h"
#include "../unit/regex/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

struct outcome {
	int r;
	struct regex_span spans[10];
};

static void search_all(const struct regex *re, struct regex_scratch *s, const char *text, size_t n,
                       unsigned eflags, struct outcome out[4], size_t *count)
{
	size_t from = 0;

	for (*count = 0; *count < 4 && from <= n; ++*count) {
		struct outcome *o = &out[*count];

		memset(o, 0, sizeof(*o));
		o->r = regex_search(re, s, text, n, from, eflags | (from ? REGEX_SAME : 0),
		                    o->spans, COUNTOF(o->spans));
		if (o->r <= 0)
			break;
		must(o->spans[0].start >= from && o->spans[0].start <= o->spans[0].end &&
		     o->spans[0].end <= n);
		for (size_t i = 1; i < COUNTOF(o->spans); i++) {
			const struct regex_span *g = &o->spans[i];

			must((g->start == REGEX_UNSET) == (g->end == REGEX_UNSET));
			must(g->start == REGEX_UNSET || (g->start <= g->end && g->end <= n));
		}
		from = o->spans[0].end > from ? o->spans[0].end : from + 1;
	}
}

/* Whether there is a match at all: as the slow way says, and as the search for the match itself says
 * (`found`), but for the one case regex.h tells. */
static void compare_answers(struct regex *const re[2], struct regex_scratch *const s[2],
                            const char *text, size_t n, unsigned eflags, bool found)
{
	int fast = regex_search(re[0], s[0], text, n, 0, eflags, NULL, 0);
	int slow = regex_search(re[1], s[1], text, n, 0, eflags, NULL, 0);

	must(fast == slow);
	must(fast == found || (fast == 1 && re[0]->bare && !(re[0]->flags & REGEX_UTF8)));
}

static void compare_searches(struct regex *const re[2], struct regex_scratch *const s[2],
                             const char *text, size_t n, unsigned eflags)
{
	struct outcome fast[4], slow[4];
	size_t nfast, nslow;

	search_all(re[0], s[0], text, n, eflags, fast, &nfast);
	search_all(re[1], s[1], text, n, eflags, slow, &nslow);
	if (regex_may_fail(re[0]))
		return;
	must(nfast == nslow);
	for (size_t i = 0; i < nfast; i++)
		must(memcmp(&fast[i], &slow[i], sizeof(fast[i])) == 0);
	compare_answers(re, s, text, n, eflags, nfast > 0);
}

static void compare_lines(struct regex *const re[2], struct regex_scratch *const s[2],
                          const char *text, size_t n)
{
	int64_t fast = regex_count_lines(re[0], s[0], text, n, '\n'), slow = 0, listed = 0;
	size_t at = 0, done;

	if (fast < 0)
		return;
	for (size_t p = 0; p < n;) {
		const char *nl = memchr(text + p, '\n', n - p);
		size_t end = nl ? (size_t)(nl - text) : n;
		int r = regex_search(re[1], s[1], text + p, end - p, 0, 0, NULL, 0);

		if (r < 0)
			return;
		slow += r;
		p = end + 1;
	}
	must(fast == slow);
	while (at < n) {
		struct regex_span lines[70];
		int64_t got = regex_find_lines(re[0], s[0], text + at, n - at, '\n', lines,
		                               COUNTOF(lines), &done);

		if (got < 0)
			return;
		must(done > 0 && done <= n - at);
		listed += got;
		at += done;
	}
	must(listed == fast);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct regex *re[2];
	struct regex_scratch *s[2];
	struct regex_error err;
	struct arena a;
	unsigned flags, eflags;
	const char *pattern, *text;
	char *copy;
	size_t n;

	if (size < 3 || size > 4096)
		return 0;
	flags = (data[0] % REGEX_DIALECTS) | (data[1] & 1 ? REGEX_ICASE : 0) |
	        (data[1] & 2 ? REGEX_UTF8 : 0) | (data[1] & 4 ? REGEX_ANCHORS : 0) |
	        (data[1] & 8 ? REGEX_STOP : 0) | (data[1] & 16 ? REGEX_WORD : 0) |
	        (data[1] & 32 ? REGEX_LINE : 0) | REGEX_WARN;
	eflags = data[1] & 64 ? REGEX_NOTBOL : data[1] & 128 ? REGEX_NOTEOL : 0;
	pattern = (const char *)data + 2;
	text = memchr(pattern, 0, size - 2);
	if (!text || text - pattern > 200)
		return 0;
	n = size - (size_t)(text + 1 - (const char *)data);
	copy = fixture_exact(text + 1, n);
	arena_init(&a, &fixture_source);
	re[0] = regex_compile(&a, pattern, (size_t)(text - pattern), flags, &err);
	must(!re[0] == (err.code != REGEX_OK));
	if (re[0]) {
		re[1] = regex_compile(&a, pattern, (size_t)(text - pattern), flags | REGEX_SLOW,
		                      &err);
		must(re[1] != NULL);
		for (int i = 0; i < 2; i++)
			s[i] = regex_scratch_new(&a, re[i], NULL, NULL);
		compare_searches(re, s, copy, n, eflags);
		compare_lines(re, s, copy, n);
	} else {
		must(err.message && err.message == regex_message(err.code));
	}
	arena_release(&a);
	free(copy);
	return 0;
}
