/*
 * test_differential.c - random patterns and texts, beside the C library's own engine.
 *
 *	test_differential [SEED [BATCHES]]
 *
 * Matches must be the same; of the sub-matches one in a thousand may differ (the C library
 * chooses oddly between empty turns of nested repetitions). Anchors and word boundaries stay
 * out of the middle of patterns, where the C library has faults of its own. Each batch runs in a
 *process of its own with a time limit: the C library takes for ever over some short patterns, and
 * sometimes does not survive them; such a batch counts for nothing.
 */
#include <locale.h>
#include <regex.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

struct tally {
	long cases, matches, wrong_pattern, wrong_match, wrong_group;
};

struct source {
	uint64_t seed;
	bool utf8, icase;
	unsigned groups;
	char *out;
	size_t n, cap;
};

static unsigned pick(struct source *g, unsigned n)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(g->seed >> 33) % n;
}

static void put(struct source *g, const char *s)
{
	size_t k = strlen(s);

	if (g->n + k + 1 > g->cap)
		return;
	memcpy(g->out + g->n, s, k + 1);
	g->n += k;
}

static void atom(struct source *g)
{
	static const char *const plain[] = {
	        "a",     "b",           "c",   "a",   "b",           "x",   ".", "[ab]", "[^a]",
	        "[a-c]", "[[:alpha:]]", "\\w", "\\W", "[[:space:]]", "\\s", "A", "\\."};
	static const char *const wide[] = {"\xc3\xa9",    "\xc3\x89",     "[\xc3\xa9\xe6\x97\xa5]",
	                                   "[^\xc3\xa9]", "\xe6\x97\xa5", "s",
	                                   "\xc5\xbf"};

	if (g->utf8 && pick(g, 4) == 0)
		put(g, wide[pick(g, COUNTOF(wide))]);
	else
		put(g, plain[pick(g, COUNTOF(plain))]);
}

static void sequence(struct source *g, int depth)
{
	static const char *const times[] = {"*", "+", "?", "{1,2}", "{2}", "", "", "", "", ""};

	for (unsigned i = 1 + pick(g, 3); i; i--) {
		if (depth > 0 && pick(g, 2) == 0) {
			g->groups++;
			put(g, "(");
			sequence(g, depth - 1);
			if (pick(g, 2)) {
				put(g, "|");
				if (pick(g, 4))
					sequence(g, depth - 1);
			}
			put(g, ")");
		} else {
			atom(g);
		}
		put(g, times[pick(g, COUNTOF(times))]);
	}
}

static void make_pattern(struct source *g)
{
	g->n = 0;
	g->out[0] = '\0';
	g->groups = 0;
	if (pick(g, 8) == 0)
		put(g, "^");
	sequence(g, 2);
	if (pick(g, 8) == 0)
		put(g, "$");
}

static void make_text(struct source *g)
{
	static const char *const plain[] = {"a", "b", "c", "a", "b", "c",
	                                    "x", "-", " ", "A", "_", "."};
	static const char *const wide[] = {"\xc3\xa9", "\xc3\x89", "\xe6\x97\xa5",
	                                   "s",        "S",        "\xc5\xbf"};

	g->n = 0;
	g->out[0] = '\0';
	for (unsigned i = pick(g, 12); i; i--) {
		if (g->utf8 && pick(g, 4) == 0)
			put(g, wide[pick(g, COUNTOF(wide))]);
		else
			put(g, plain[pick(g, COUNTOF(plain))]);
	}
}

static void one_text(struct tally *t, const regex_t *theirs, const struct regex *ours,
                     struct regex_scratch *s, const char *pattern, const char *text)
{
	static long shown;
	regmatch_t m[20];
	struct regex_span spans[20];
	size_t n = strlen(text);
	char *exact = fixture_exact(text, n);
	int r = regex_search(ours, s, exact, n, 0, 0, spans, COUNTOF(spans));
	bool found = regexec(theirs, text, COUNTOF(m), m, 0) == 0;

	free(exact);
	t->cases++;
	if (found != (r == 1) || (found && ((size_t)m[0].rm_so != spans[0].start ||
	                                    (size_t)m[0].rm_eo != spans[0].end))) {
		t->wrong_match++;
		if (shown++ < 5)
			printf("%s on %s: %d,%d there, %d,%d here\n", pattern, text,
			       found ? m[0].rm_so : -1, found ? m[0].rm_eo : -1,
			       r == 1 ? (int)spans[0].start : -1, r == 1 ? (int)spans[0].end : -1);
		return;
	}
	if (!found)
		return;
	t->matches++;
	for (size_t i = 1; i <= regex_groups(ours) && i < COUNTOF(m); i++)
		if ((int)spans[i].start != m[i].rm_so || (int)spans[i].end != m[i].rm_eo) {
			t->wrong_group++;
			break;
		}
}

static void one_pattern(struct tally *t, struct source *g, struct source *text)
{
	unsigned flags = REGEX_ERE | (g->utf8 ? REGEX_UTF8 : 0) | (g->icase ? REGEX_ICASE : 0);
	regex_t theirs;
	struct regex *ours;
	struct arena a;
	bool ok;

	make_pattern(g);
	if (g->groups > 9 || g->n > 60)
		return;
	arena_init(&a, &fixture_source);
	ok = regcomp(&theirs, g->out, REG_EXTENDED | (g->icase ? REG_ICASE : 0)) == 0;
	ours = regex_compile(&a, g->out, g->n, flags, NULL);
	if (ok != (ours != NULL)) {
		t->wrong_pattern++;
		printf("%s: %s there\n", g->out, ok ? "fine" : "wrong");
	}
	if (ok && ours) {
		struct regex_scratch *s = regex_scratch_new(&a, ours, NULL, NULL);

		for (int i = 0; i < 6; i++) {
			text->seed = g->seed + (uint64_t)i;
			make_text(text);
			one_text(t, &theirs, ours, s, g->out, text->out);
		}
	}
	if (ok)
		regfree(&theirs);
	arena_release(&a);
}

static void batch(struct tally *t, uint64_t seed)
{
	char pattern[256], words[256];
	struct source g = {.seed = seed,
	                   .utf8 = seed & 1,
	                   .icase = seed & 2,
	                   .out = pattern,
	                   .cap = sizeof(pattern)};
	struct source text = {.utf8 = g.utf8, .out = words, .cap = sizeof(words)};

	if (!setlocale(LC_ALL, g.utf8 ? "C.UTF-8" : "C"))
		return;
	for (int i = 0; i < 150; i++)
		one_pattern(t, &g, &text);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	int batches = argc > 2 ? atoi(argv[2]) : 60, lost = 0;
	struct tally sum = {0};
	bool ok;

	for (int i = 0; i < batches; i++) {
		struct tally t = {0};
		int fd[2];
		pid_t child;

		if (pipe(fd) != 0)
			return 2;
		fflush(stdout);
		child = fork();
		if (child == 0) {
			alarm(20);
			batch(&t, (seed + (uint64_t)i) * 4 + (uint64_t)i % 4);
			fflush(stdout);
			_exit(write(fd[1], &t, sizeof(t)) != sizeof(t));
		}
		close(fd[1]);
		if (read(fd[0], &t, sizeof(t)) != sizeof(t)) {
			memset(&t, 0, sizeof(t));
			lost++;
		}
		close(fd[0]);
		waitpid(child, NULL, 0);
		sum.cases += t.cases;
		sum.matches += t.matches;
		sum.wrong_pattern += t.wrong_pattern;
		sum.wrong_match += t.wrong_match;
		sum.wrong_group += t.wrong_group;
	}
	printf("%ld cases, %ld matches; differ: %ld patterns, %ld matches, %ld groups; %d of %d "
	       "batches lost\n",
	       sum.cases, sum.matches, sum.wrong_pattern, sum.wrong_match, sum.wrong_group, lost,
	       batches);
	ok = sum.wrong_pattern == 0 && sum.wrong_match == 0 &&
	     sum.wrong_group * 1000 <= sum.matches && lost <= batches / 2;
	printf("%d passed, %d failed\n", ok, !ok);
	return !ok;
}
