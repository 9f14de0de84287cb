/*
 * test_regex.c - the regular expression engine.
 *
 * cases.out holds what the C library does with each pattern and text (record_regex.py); the
 * rest is what tools need beyond it: sets of patterns, words and lines, warnings, whole
 * buffers, and bounds on hostile patterns.
 */
#include "fixture.h"

static int passed, failed;

static void check(bool ok, const char *what, const char *detail)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s: %s\n", what, detail);
}

/* ---- Recorded cases ---------------------------------------------------- */

static const struct {
	const char *name;
	unsigned dialect;
} dialects[] = {
        {"bre", REGEX_BRE},         {"ere", REGEX_ERE},
        {"grep", REGEX_GREP},       {"egrep", REGEX_EGREP},
        {"sed", REGEX_SED_BRE},     {"sed-E", REGEX_SED_ERE},
        {"awk", REGEX_AWK},         {"posix-awk", REGEX_POSIX_AWK},
        {"old-awk", REGEX_OLD_AWK}, {"find", REGEX_FIND},
        {"emacs", REGEX_EMACS},     {"posix-minimal", REGEX_POSIX_MINIMAL},
};

static size_t unescape(char *s)
{
	char *out = s, *begin = s;

	for (; *s; s++) {
		if (*s != '\\') {
			*out++ = *s;
			continue;
		}
		s++;
		*out++ = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s == '0' ? '\0' : *s;
	}
	return (size_t)(out - begin);
}

static unsigned flags_of(const char *f, unsigned *eflags)
{
	unsigned flags = 0;

	*eflags = 0;
	for (; *f; f++) {
		switch (*f) {
		case 'i': flags |= REGEX_ICASE; break;
		case 'u': flags |= REGEX_UTF8; break;
		case 'n': flags |= REGEX_NEWLINE; break;
		case 'm': flags |= REGEX_ANCHORS; break;
		case 'B': *eflags |= REGEX_NOTBOL; break;
		case 'E': *eflags |= REGEX_NOTEOL; break;
		default: break;
		}
	}
	return flags;
}

static void describe(char *out, size_t size, int r, const struct regex_span *spans, unsigned groups)
{
	size_t n = 0;

	if (r <= 0) {
		snprintf(out, size, "%s", r ? "failure" : "none");
		return;
	}
	for (unsigned i = 0; i <= groups && n < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%d,%d", i ? " " : "",
		                      (int)spans[i].start, (int)spans[i].end);
}

static void recorded_case(char *line)
{
	static const unsigned ways[] = {0, REGEX_SLOW, REGEX_NODFA, REGEX_NOLIT};
	char *field[5] = {0}, shown[400], got[400], detail[900];
	unsigned dialect = 0, flags, eflags;
	size_t n, pattern_n;

	snprintf(shown, sizeof(shown), "%.390s", line);
	for (int i = 0; i < 5; i++) {
		char *tab = strchr(line, '\t');

		field[i] = line;
		if (tab)
			*tab = '\0';
		line = tab ? tab + 1 : line + strlen(line);
	}
	for (size_t i = 0; i < COUNTOF(dialects); i++)
		if (strcmp(dialects[i].name, field[0]) == 0)
			dialect = dialects[i].dialect;
	flags = dialect | flags_of(field[1], &eflags);
	pattern_n = unescape(field[2]);
	n = unescape(field[3]);
	for (size_t w = 0; w < COUNTOF(ways); w++) {
		struct regex_span spans[12];
		struct regex_error err;
		struct arena a;
		struct regex *re;

		arena_init(&a, &fixture_source);
		re = regex_compile(&a, field[2], pattern_n, flags | ways[w], &err);
		if (re) {
			struct regex_scratch *s = regex_scratch_new(&a, re, NULL, NULL);
			char *text = fixture_exact(field[3], n);
			int r = regex_search(re, s, text, n, 0, eflags, spans, COUNTOF(spans));
			int e = regex_search(re, s, text, n, 0, eflags, NULL, 0);

			describe(got, sizeof(got), r, spans, regex_groups(re));
			check(e == r, "with and without spans", shown);
			free(text);
		} else {
			snprintf(got, sizeof(got), "%s", err.message);
		}
		if (strcmp(got, field[4]) != 0) {
			snprintf(detail, sizeof(detail), "%s <- recorded, got %s (%#x)", shown, got,
			         ways[w]);
			check(false, "recorded", detail);
		} else {
			passed++;
		}
		arena_release(&a);
	}
}

static void test_recorded(void)
{
	FILE *f = fopen("tests/unit/regex/cases.out", "r");
	char line[4096];

	check(f != NULL, "recorded cases", "tests/unit/regex/cases.out is there");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		recorded_case(line);
	}
	if (f)
		fclose(f);
}

/* ---- What grep needs --------------------------------------------------- */

/* "line line ..." of the matches of -o, or of the matching lines; "error: ..." */
static void grep(char *out, size_t size, unsigned flags, const char *patterns, const char *text,
                 bool only)
{
	struct str set[64];
	size_t nset = 0, n = 0, len = strlen(text), done = 0;
	struct regex_error err;
	struct regex *re;
	struct regex_scratch *s;
	struct arena a;
	char *buf;
	int64_t count = 0, total = 0;
	bool any = false;

	arena_init(&a, &fixture_source);
	for (const char *p = patterns;;) {
		size_t k = strcspn(p, "\n");

		set[nset++] = (struct str){p, k};
		if (!p[k])
			break;
		p += k + 1;
	}
	out[0] = '\0';
	re = regex_compile_set(&a, set, nset, flags, &err);
	if (!re) {
		snprintf(out, size, "error: %s in %d", err.message, (int)err.pattern);
		arena_release(&a);
		return;
	}
	s = regex_scratch_new(&a, re, NULL, NULL);
	buf = fixture_exact(text, len);
	for (size_t at = 0; at < len; at += done) {
		struct regex_span lines[3];
		int64_t got = regex_find_lines(re, s, buf + at, len - at, '\n', lines,
		                               COUNTOF(lines), &done);

		for (int64_t i = 0; i < got; i++) {
			const char *b = buf + at + lines[i].start;
			size_t bn = lines[i].end - lines[i].start, from = 0;
			unsigned eflags = 0;
			struct regex_span m;

			total++;
			if (!only) {
				n += (size_t)snprintf(out + n, size - n, "%s%.*s", any ? "|" : "",
				                      (int)bn, b);
				any = true;
				continue;
			}
			while (from <= bn && regex_search(re, s, b, bn, from, eflags, &m, 1) > 0) {
				eflags = REGEX_SAME;
				from = m.end > m.start ? m.end : m.end + 1;
				if (m.end == m.start)
					continue;
				n += (size_t)snprintf(out + n, size - n, "%s%.*s", any ? "|" : "",
				                      (int)(m.end - m.start), b + m.start);
				any = true;
			}
		}
	}
	count = regex_count_lines(re, s, buf, len, '\n');
	if (count != total)
		snprintf(out + n, size - n, " (counted %d, found %d)", (int)count, (int)total);
	free(buf);
	arena_release(&a);
}

static void expect(unsigned flags, const char *patterns, const char *text, bool only,
                   const char *want)
{
	static const unsigned ways[] = {0, REGEX_SLOW, REGEX_NODFA, REGEX_NOLIT};
	char got[1000], detail[2600];

	for (size_t w = 0; w < COUNTOF(ways); w++) {
		grep(got, sizeof(got), flags | ways[w], patterns, text, only);
		snprintf(detail, sizeof(detail), "%s on %s: %s, not %s", patterns, text, got, want);
		check(strcmp(got, want) == 0, "grep", detail);
	}
}

static void test_grep(void)
{
	/* these follow GNU grep 3.8 */
	expect(REGEX_GREP, "foo\nbar", "a foo\nbaz\nbar b\n", false, "a foo|bar b");
	expect(REGEX_GREP, "foo\nfoobar", "xfoobarx\n", true, "foobar");
	expect(REGEX_LITERAL, "a.c\n*", "abc\na.c\nx*\n", false, "a.c|x*");
	expect(REGEX_LITERAL, "", "a\n\nb", false, "a||b");
	expect(REGEX_GREP, "x\n\\(", "x\n", false, "error: Unmatched ( or \\( in 1");
	expect(REGEX_GREP, "\\(a\\)\\1\n\\(b\\)\\1", "ab\naa\nbb\n", false, "aa|bb");
	expect(REGEX_GREP | REGEX_WORD, "foo", "foobar\nfoo bar\nbar_foo\nxfoo foo\n", false,
	       "foo bar|xfoo foo");
	expect(REGEX_EGREP | REGEX_WORD, "a|ab|abc", "xab ab abcd abc\n", true, "ab|abc");
	expect(REGEX_EGREP | REGEX_WORD, "ab?c?", "abcx abx ax a\n", true, "a");
	expect(REGEX_EGREP | REGEX_WORD, "", "ab\n \n\nab cd\na-- \n", false, " ||a-- ");
	expect(REGEX_EGREP | REGEX_WORD, "-*", "-a\nab\n a\n-\n", false, "-a| a|-");
	expect(REGEX_EGREP | REGEX_WORD | REGEX_UTF8, "-*", "-a\nab\n a\n-\n", false, " a|-");
	expect(REGEX_EGREP | REGEX_WORD, "-*", "-a\nab\n a\n-\n", true, "-");
	expect(REGEX_EGREP | REGEX_LINE, "a|ab", "a\nab\nabc\nxa\n", false, "a|ab");
	expect(REGEX_EGREP | REGEX_LINE, "a*", "\na\nb\n", false, "|a");
	expect(REGEX_EGREP, "^", "a\n\nb\n", false, "a||b");
	expect(REGEX_EGREP, "^$", "a\n\nb\n", false, "");
	expect(REGEX_EGREP, "b*", "abba\n", true, "bb");
	expect(REGEX_EGREP, "a", "b\nca", false, "ca");
	expect(REGEX_EGREP, "a$", "a\nab\nba", false, "a|ba");
	expect(REGEX_EGREP, "[^x]", "x\n\nxx\nxyx\n", false, "xyx");
	expect(REGEX_EGREP | REGEX_UTF8 | REGEX_ICASE, "session",
	       "SESSION\nse\xc5\xbfsion\nsesion\n", false, "SESSION|se\xc5\xbfsion");
	expect(REGEX_EGREP | REGEX_UTF8 | REGEX_WORD, "caf", "caf\xc3\xa9\ncaf \xc3\xa9\n", false,
	       "caf \xc3\xa9");
	expect(REGEX_EGREP | REGEX_UTF8, ".", "\xff\n\xc3\xa9\n", true, "\xc3\xa9");
	expect(REGEX_EGREP | REGEX_UTF8, "\\bx", "\xc3\xa9x x\n", true, "x");
	expect(REGEX_EGREP, "(a|ab)(c|bcd)", "abcd\n", true, "abcd");
}

/* -w where the pattern may be empty, recorded from GNU grep 3.8 with LC_ALL=C: a line may be wanted
 * of which -o has nothing to show. */
static void test_empty_words(void)
{
	static const char text[] = "\x81Hy\n\x81\nHy\n-\n-a\na-\na\n\n \x81" "a \n";
	static const struct {
		const char *patterns, *lines, *matches;
	} cases[] = {
	        {"*\xd4\n\n\x81\n", "\x81Hy|\x81|-|-a|a-|| \x81" "a ", "\x81"},
	        {"\n\x81", "\x81Hy|\x81|-|-a|a-|| \x81" "a ", "\x81"},
	        {"", "\x81Hy|\x81|-|-a|a-|| \x81" "a ", ""},
	        {"\x81*", "\x81Hy|\x81|-|-a|a-|| \x81" "a ", "\x81"},
	        {"(-|)", "\x81Hy|\x81|-|-a|a-|| \x81" "a ", "-"},
	        {"-*|a", "\x81Hy|\x81|-|-a|a-|a|| \x81" "a ", "-|a|a|a|a"},
	        {"a?\n-", "\x81Hy|\x81|-|-a|a-|a|| \x81" "a ", "-|a|a|a|a"},
	        {"\n\n", "\x81Hy|\x81|-|-a|a-|| \x81" "a ", ""},
	        {"-*\n\xd4", "\x81Hy|\x81|-|-a|a-|| \x81" "a ", "-"},
	        {"(a|)(-|)", "\x81Hy|\x81|-|-a|a-|a|| \x81" "a ", "-|a|a-|a|a"},
	        {"^\n-", "\x81Hy|\x81|-|-a|| \x81" "a ", "-"},
	};

	for (size_t i = 0; i < 2 * COUNTOF(cases); i++) { /* the same with and without -i */
		unsigned flags = REGEX_EGREP | REGEX_WORD | (i % 2 ? REGEX_ICASE : 0);

		expect(flags, cases[i / 2].patterns, text, false, cases[i / 2].lines);
		expect(flags, cases[i / 2].patterns, text, true, cases[i / 2].matches);
	}
}

/* More literals than the quick filter takes, found as one would one by one. */
static void test_many_literals(void)
{
	char patterns[64 * 8] = "", text[4000] = "", want[4000] = "";

	for (int i = 0; i < 60; i++)
		sprintf(patterns + strlen(patterns), "%sw%dx", i ? "\n" : "", i * 7);
	for (int i = 0; i < 200; i++) {
		sprintf(text + strlen(text), "-w%dx-\n", i);
		if (i % 7 == 0)
			sprintf(want + strlen(want), "%sw%dx", i ? "|" : "", i);
	}
	expect(REGEX_LITERAL, patterns, text, true, want);
	expect(REGEX_GREP, patterns, text, true, want);
	expect(REGEX_LITERAL | REGEX_ICASE | REGEX_UTF8, patterns, text, true, want);
}

static void test_warnings(void)
{
	static const struct {
		const char *pattern, *want;
	} cases[] = {
	        {"*a", "* at start of expression"},
	        {"a|+b", "+ at start of expression"},
	        {"(?:x)", "? at start of expression"},
	        {"^{1}b", "{...} at start of expression"},
	        {"a$*", NULL},
	        {"(a)*", NULL},
	        {"x", NULL},
	};

	for (size_t i = 0; i < COUNTOF(cases); i++) {
		struct arena a;
		struct regex *re;
		const struct regex_warning *w;
		size_t n;

		arena_init(&a, &fixture_source);
		re = regex_compile(&a, cases[i].pattern, strlen(cases[i].pattern),
		                   REGEX_EGREP | REGEX_WARN, NULL);
		w = re ? regex_warnings(re, &n) : NULL;
		check(re && n == (cases[i].want ? 1 : 0) &&
		              (!n || strcmp(w[0].text, cases[i].want) == 0),
		      "warning", cases[i].pattern);
		arena_release(&a);
	}
}

static void test_colon(void)
{
	static const struct {
		const char *pattern;
		bool wrong;
	} cases[] = {
	        {"[:space:]", true}, {"[^:alpha:]x", true},  {"[:a:]", true}, {"[::a:]", true},
	        {"[:[x:]", true},    {"[[:space:]]", false}, {"[:a]", false}, {"[::]", false},
	        {"[x:a:]", false},   {"[:a-z:]", false},
	};

	for (size_t i = 0; i < COUNTOF(cases); i++) {
		struct arena a;
		struct regex_error err = {0};
		struct regex *re;

		arena_init(&a, &fixture_source);
		re = regex_compile(&a, cases[i].pattern, strlen(cases[i].pattern), REGEX_GREP,
		                   &err);
		check(cases[i].wrong ? !re && err.code == REGEX_ECLASS : re != NULL, "colons",
		      cases[i].pattern);
		arena_release(&a);
	}
}

/* ---- Bounds ------------------------------------------------------------ */

static void count_calls(void *ctx)
{
	++*(long *)ctx;
}

static char *repeated(const char *s, size_t n)
{
	size_t len = strlen(s);
	char *p = malloc(len * n + 1);

	if (!p)
		abort();
	for (size_t i = 0; i < n; i++)
		memcpy(p + i * len, s, len);
	p[len * n] = '\0';
	return p;
}

static int search(const char *pattern, size_t n, unsigned flags, const char *text, long *calls)
{
	struct arena a;
	struct regex_error err;
	struct regex *re;
	struct regex_span spans[10];
	int r;

	arena_init(&a, &fixture_source);
	re = regex_compile(&a, pattern, n, flags, &err);
	r = re ? regex_search(re, regex_scratch_new(&a, re, count_calls, calls), text, strlen(text),
	                      0, 0, spans, COUNTOF(spans))
	       : -100 - (int)err.code;
	arena_release(&a);
	return r;
}

static void test_hostile(void)
{
	long calls = 0;
	char *as = repeated("a", 100000), *deep, *close;
	const size_t depth = 20000;

	check(search("(x{1000}){1000}", 15, REGEX_ERE, "x", &calls) == -100 - REGEX_ESIZE,
	      "too big", "nested");
	check(search("(((x{100}){100}){100}){100}", 27, REGEX_ERE, "x", &calls) ==
	              -100 - REGEX_ESIZE,
	      "too big", "more nested");
	check(search("x{32768}", 8, REGEX_ERE, "x", &calls) == -100 - REGEX_ESIZE, "too big",
	      "one");
	check(search("(a*)*b", 6, REGEX_ERE, as, &calls) == 0, "linear", "(a*)*b");
	check(search("(a|a)*(a|a)*(a|a)*b", 19, REGEX_ERE, as, &calls) == 0, "linear", "(a|a)*b");
	check(search("(a?){50}a{50}", 13, REGEX_ERE, as, &calls) == 1, "linear", "(a?){50}a{50}");
	check(search("(.*)(.*)(.*)(.*)x?", 18, REGEX_ERE, as, &calls) == 1, "linear",
	      "(.*)(.*)(.*)(.*)");
	calls = 0;
	check(search("a*b", 3, REGEX_ERE, as, &calls) == 0 && calls > 0, "checkpoint", "is called");
	calls = 0;
	check(search("(a*)(a*)(a*)(a*)\\1\\2\\3\\4b", 25, REGEX_ERE, as, &calls) == 0 ||
	              search("(a*)(a*)(a*)(a*)\\1\\2\\3\\4[bc]", 28, REGEX_ERE, as, &calls) ==
	                      REGEX_TOO_HARD,
	      "budget", "back-references");
	/* depth is no recursion: a stack would not last */
	deep = repeated("(", depth);
	close = repeated(")", depth);
	deep = realloc(deep, 2 * depth + 2);
	strcat(deep, "a");
	strcat(deep, close);
	check(search(deep, strlen(deep), REGEX_ERE, "xa", &calls) == 1, "depth", "20000 groups");
	free(close);
	free(deep);
	deep = repeated("a?", 2000);
	check(search(deep, strlen(deep), REGEX_ERE, "aaa", &calls) == 1, "length", "2000 options");
	free(deep);
	deep = repeated("[[:alpha:]]{1,60}", 4);
	check(search(deep, strlen(deep), REGEX_ERE | REGEX_UTF8, "aaa\xc3\xa9", &calls) == 1,
	      "length", "classes");
	free(deep);
	free(as);
}

/* Enough states to fill the cache many times, over a buffer that all the ways share. */
static void test_big_buffers(void)
{
	static const char *const patterns[] = {
	        "(a|b)*a(a|b){14}c",
	        "^(ab|ba)*$",
	        "[ab]{3}c|bb$",
	        "a{20}|b{20}",
	        "\\<ab+a\\>",
	        "ab.*c.*ba",
	        "c",
	        "abba",
	        "(a+b)\\1c",
	        "x",
	        "^c",
	        "c$",
	        "a\\b",
	};
	size_t n = 200000;
	char *text = malloc(n);
	uint64_t seed = 7;

	if (!text)
		abort();
	for (size_t i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		text[i] = "aabbabababaabbbac \n"[(seed >> 33) % 19];
	}
	for (size_t k = 0; k < COUNTOF(patterns); k++) {
		static const unsigned ways[] = {0, REGEX_NOLIT, REGEX_UTF8,
		                                REGEX_UTF8 | REGEX_NODFA};
		int64_t count[COUNTOF(ways)], listed = 0;

		for (size_t w = 0; w < COUNTOF(ways); w++) {
			struct arena a;
			struct regex *re;
			struct regex_scratch *s;

			arena_init(&a, &fixture_source);
			re = regex_compile(&a, patterns[k], strlen(patterns[k]),
			                   REGEX_EGREP | ways[w], NULL);
			s = regex_scratch_new(&a, re, NULL, NULL);
			count[w] = regex_count_lines(re, s, text, n, '\n');
			if (w == 0) {
				size_t at = 0, done;

				while (at < n) {
					struct regex_span lines[200];

					listed += regex_find_lines(re, s, text + at, n - at, '\n',
					                           lines, COUNTOF(lines), &done);
					at += done;
				}
				check(listed == count[0], "listed and counted", patterns[k]);
			}
			check(count[w] == count[0], "all ways count the same", patterns[k]);
			arena_release(&a);
		}
	}
	free(text);
}

int main(void)
{
	test_recorded();
	test_grep();
	test_empty_words();
	test_many_literals();
	test_warnings();
	test_colon();
	test_hostile();
	test_big_buffers();
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
