/*
 * test_pcre.c - PCRE2 behind its front: results, and the bounds on hostile patterns.
 *
 * What patterns match is recorded in tests/cmd/grep_perl.test; here is what a host of the library
 * relies on: memory from the arena, steps that are reported, stack that is asked for.
 */
#include <setjmp.h>

#include "../../../src/pcre/pcre.h"
#include "../regex/fixture.h"

static int passed, failed;

static void check(bool ok, const char *what)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s\n", what);
}

struct fixture {
	struct arena arena;
	struct pcre_host host;
	uint64_t work, budget;	/* `budget` 0: none */
	size_t stack_left, stack_least;
	jmp_buf end;
	char message[128];
};

static void step(void *ctx, uint32_t n)
{
	struct fixture *f = ctx;

	f->work += n;
	if (f->budget && f->work > f->budget)
		longjmp(f->end, 1);
}

static bool stack(void *ctx, size_t need)
{
	struct fixture *f = ctx;

	if (need > f->stack_least)
		f->stack_least = need;
	return need <= f->stack_left;
}

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	arena_init(&f->arena, &fixture_source);
	f->host = (struct pcre_host){&f->arena, step, stack, f};
	f->stack_left = PCRE_STACK;
}

static struct pcre *compiled(struct fixture *f, const char *pattern, unsigned flags)
{
	return pcre_compile(&f->host, pattern, strlen(pattern), flags, f->message, sizeof(f->message));
}

static void test_results(void)
{
	struct fixture f;
	struct pcre_match m;
	struct pcre *re;

	begin(&f);
	re = compiled(&f, "(?<=a)b+c", PCRE_UTF8);
	check(re && pcre_search(re, "xabbcabc", 8, 0, false, &m) == 1 && m.end == 5, "a match");
	check(re && pcre_search(re, "xabbcabc", 8, 5, false, &m) == 1 && m.start == 6 && m.end == 8, "a match further on");
	check(re && pcre_search(re, "bc", 2, 0, false, &m) == 0, "no match");
	check(re && pcre_lookbehind(re) == 1, "how far it looks back");
	re = compiled(&f, "(?<=abc|de)x|\\by", PCRE_UTF8);
	check(re && pcre_lookbehind(re) == 3, "how far at most");
	re = compiled(&f, "x|y", PCRE_LINE);
	check(re && pcre_search(re, "xy", 2, 0, false, &m) == 0, "whole lines");
	re = compiled(&f, "x|y", PCRE_WORD | PCRE_ICASE);
	check(re && pcre_search(re, "xy Y", 4, 0, false, &m) == 1 && m.start == 3, "whole words");
	re = compiled(&f, "\\w.", PCRE_UTF8);
	check(re && pcre_search(re, "\xff" "a\xff\xc3" "b\xc3\xa9", 8, 0, false, &m) == 1 && m.start == 4 && m.end == 7,
	      "bytes that are no text match nothing");
	arena_release(&f.arena);
}

static void test_errors(void)
{
	char deep[600];
	struct fixture f;

	begin(&f);
	check(!compiled(&f, "a(", 0) && strcmp(f.message, "missing closing parenthesis") == 0, "a wrong pattern");
	memset(deep, '(', 251);
	memset(deep + 251, ')', 251);
	deep[502] = '\0';
	check(!compiled(&f, deep, 0) && strstr(f.message, "too deeply"), "too many parentheses");
	memset(deep, '(', 200);
	memset(deep + 200, ')', 200);
	deep[400] = '\0';
	check(compiled(&f, deep, 0) != NULL, "as many as PCRE2 allows");
	f.stack_left = f.stack_least - 1;
	check(!compiled(&f, "(a)", 0), "without stack nothing is compiled");
	f.stack_left = f.stack_least;
	check(compiled(&f, "(a)", 0) != NULL, "with stack it is");
	arena_release(&f.arena);
}

static void test_bounds(void)
{
	enum { LONG = 400000 };
	char *text = malloc(LONG);
	struct pcre_match m;
	struct fixture f;
	struct pcre *re;
	int r;

	memset(text, 'a', LONG);
	begin(&f);
	re = compiled(&f, "^(a+)+$", 0);
	text[30] = 'b';
	r = re ? pcre_search(re, text, 31, 0, false, &m) : 0;
	check(r < 0 && strcmp(pcre_failure(r), "exceeded PCRE's backtracking limit") == 0, "steps back are limited");
	check(f.work > 1000000, "and reported as work");
	text[30] = 'a';

	/* Each start runs over the whole text and fails: quadratic, and no step back is counted. */
	re = compiled(&f, "(?=[^x]*+)(?!a)", 0);
	f.work = 0;
	f.budget = 10000000;
	if (!setjmp(f.end)) {
		if (re)
			(void)pcre_search(re, text, LONG, 0, false, &m);
		check(false, "work between steps back is reported");
	} else {
		check(true, "work between steps back is reported");
	}
	f.budget = 0;

	re = compiled(&f, "(a|b)*(?=c)", 0);
	r = re ? pcre_search(re, text, LONG, 0, false, &m) : 0;
	check(r < 0 && strcmp(pcre_failure(r), "exceeded PCRE's heap limit") == 0, "memory is limited");
	r = re ? pcre_search(re, text, ((size_t)64 << 20) + 1, 0, false, &m) : 0;
	check(r < 0 && strcmp(pcre_failure(r), "line too long for -P") == 0, "so is the text");
	arena_release(&f.arena);
	free(text);
}

int main(void)
{
	test_results();
	test_errors();
	test_bounds();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
