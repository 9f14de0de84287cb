/* test_text.c - the program library's words: quoting, sizes, modes, patterns, conditions, printf, echo.
 *
 * Tables of input and output; every expectation was taken from the GNU tool or the bash it
 * imitates, never from this library. */
#include "../../../src/user/user.h"
#include "../kernel/world.h"

#define CHECK_AT(table, i, got, want) \
	do { \
		const char *g_ = (got), *w_ = (want); \
		if (strcmp(g_, w_) != 0) { \
			failures++; \
			fprintf(stderr, "%s[%zu]: got \"%s\", want \"%s\"\n", #table, (i), g_, w_); \
		} \
	} while (0)

/* ---- Quoting ------------------------------------------------------------------------- */

static const struct {
	const char *text, *sentence, *file, *bare, *shell, *single, *twice;
} quotes[] = {
	{"abc", "'abc'", "'abc'", "abc", "abc", "'abc'", "\"abc\""},
	{"", "''", "''", "''", "''", "''", "\"\""},
	{"a b", "'a b'", "'a b'", "'a b'", "a\\ b", "'a b'", "\"a b\""},
	{"it's", "'it\\'s'", "\"it's\"", "\"it's\"", "it\\'s", "'it'\\''s'", "\"it's\""},
	{"a\nb", "'a\\nb'", "'a'$'\\n''b'", "'a'$'\\n''b'", "$'a\\nb'", "$'a\\nb'", "$'a\\nb'"},
	{"$x'y", "'$x\\'y'", "'$x'\\''y'", "'$x'\\''y'", "\\$x\\'y", "'$x'\\''y'", "\"\\$x'y\""},
	{"\xff", "'\\377'", "''$'\\377'", "''$'\\377'", "$'\\377'", "$'\\377'", "$'\\377'"},
	{"\xc3\xa9", "'\xc3\xa9'", "'\xc3\xa9'", "\xc3\xa9", "\xc3\xa9", "'\xc3\xa9'", "\"\xc3\xa9\""},
	{"{", "'{'", "'{'", "'{'", "\\{", "'{'", "\"{\""},
	{"a{", "'a{'", "'a{'", "a{", "a\\{", "'a{'", "\"a{\""},
	{"~a", "'~a'", "'~a'", "'~a'", "\\~a", "'~a'", "\"~a\""},
	{"a=~", "'a=~'", "'a=~'", "'a=~'", "a=\\~", "'a=~'", "\"a=~\""},
	{"a\\b", "'a\\\\b'", "'a\\b'", "'a\\b'", "a\\\\b", "'a\\b'", "\"a\\\\b\""},
	{"\033", "'\\033'", "''$'\\033'", "''$'\\033'", "$'\\E'", "$'\\E'", "$'\\E'"},
	{"'", "'\\''", "\"'\"", "\"'\"", "\\'", "\\'", "\"'\""},
};

static void test_quotes(struct proc *p)
{
	for (size_t i = 0; i < COUNTOF(quotes); i++) {
		const char *s = quotes[i].text;
		struct u_buf b;

		CHECK_AT(quotes, i, u_quote(p, s), quotes[i].sentence);
		CHECK_AT(quotes, i, u_quote_file(p, s), quotes[i].file);
		CHECK_AT(quotes, i, u_quote_if_needed(p, s), quotes[i].bare);
		u_buf_init(&b, p, 0);
		u_shell_quote(&b, s, strlen(s));
		CHECK_AT(quotes, i, b.ptr, quotes[i].shell);
		u_buf_init(&b, p, 0);
		u_shell_quote_single(&b, s, strlen(s));
		CHECK_AT(quotes, i, b.ptr, quotes[i].single);
		u_buf_init(&b, p, 0);
		u_shell_quote_double(&b, s, strlen(s));
		CHECK_AT(quotes, i, b.ptr, quotes[i].twice);
	}
}

/* ---- Sizes and modes --------------------------------------------------------------------- */

static const struct {
	const char *text, *suffixes;
	int result;
	uint64_t value;
} sizes[] = {
	{"0", NULL, 0, 0}, {"12", NULL, 0, 12}, {"1k", NULL, -NACRE_EINVAL, 0}, {"1k", "bkKM0", 0, 1024},
	{"1kB", "bkKM0", 0, 1000}, {"1KiB", "bkKM0", 0, 1024}, {"2b", "bkKM0", 0, 1024}, {"1M", "bkKM0", 0, 1048576},
	{"1MB", "kM", -NACRE_EINVAL, 0}, {"k", "bkKM0", 0, 1024}, {"", "k", -NACRE_EINVAL, 0}, {"x", "k", -NACRE_EINVAL, 0},
	{"-1", "k", -NACRE_EINVAL, 0}, {"+1", "k", 0, 1}, {" 7", "k", 0, 7}, {"1kx", "bkKM0", -NACRE_EINVAL, 0},
	{"18446744073709551615", NULL, 0, UINT64_MAX}, {"18446744073709551616", NULL, -NACRE_EOVERFLOW, UINT64_MAX},
	{"16E", "E", -NACRE_EOVERFLOW, UINT64_MAX}, {"15E", "E", 0, (uint64_t)15 << 60}, {"99Y", "Y", -NACRE_EOVERFLOW, UINT64_MAX},
};

static const struct {
	uint64_t n;
	const char *binary, *decimal;
} human[] = {
	{0, "0", "0"}, {999, "999", "999"}, {1000, "1000", "1.0k"}, {1023, "1023", "1.1k"}, {1024, "1.0K", "1.1k"},
	{1025, "1.1K", "1.1k"}, {10188, "10K", "11k"}, {10189, "10K", "11k"}, {10240, "10K", "11k"}, {10241, "11K", "11k"},
	{1048575, "1.0M", "1.1M"}, {1047552, "1023K", "1.1M"}, {1047553, "1.0M", "1.1M"}, {999999, "977K", "1.0M"},
	{UINT64_MAX, "16E", "19E"},
};

static const struct {
	const char *mode;
	uint32_t old;
	bool dir;
	uint32_t mask, result;
} modes[] = {
	{"644", 0777, false, 022, 0644}, {"755", 06000, true, 022, 06755}, {"00755", 06000, true, 022, 0755},
	{"0755", 06000, false, 022, 0755}, {"u+x", 0644, false, 022, 0744}, {"+x", 0600, false, 077, 0700},
	{"a+x", 0600, false, 077, 0711}, {"g=u", 0741, false, 022, 0771}, {"o=g-w,u-r", 0764, false, 022, 0364},
	{"a+X", 0644, false, 022, 0644}, {"a+X", 0644, true, 022, 0755}, {"a+X", 0744, false, 022, 0755},
	{"u+s,+t", 0755, false, 022, 05755}, {"=", 0777, false, 022, 0}, {"go=", 0777, false, 022, 0700},
	{"=rw", 0, false, 022, 0644}, {"u=rwx,g+w-r", 0640, false, 022, 0720}, {"g-s", 02755, true, 022, 0755},
	{"a=rx", 06755, true, 022, 06555}, {"+644", 0, false, 077, 0644},
};
static const char *const bad_modes[] = {"", "8", "789", "u", "x", "u+q", "u=rw,", "77777", "u=644", "+644x", "ug"};

static void test_numbers(struct proc *p)
{
	char buf[32];

	for (size_t i = 0; i < COUNTOF(sizes); i++) {
		uint64_t v = 0;

		CHECK_EQ(u_parse_size(sizes[i].text, sizes[i].suffixes, &v), sizes[i].result);
		if (sizes[i].result != -NACRE_EINVAL)
			CHECK(v == sizes[i].value);
	}
	for (size_t i = 0; i < COUNTOF(human); i++) {
		CHECK_AT(human, i, u_human(buf, human[i].n, 1024), human[i].binary);
		CHECK_AT(human, i, u_human(buf, human[i].n, 1000), human[i].decimal);
	}
	for (size_t i = 0; i < COUNTOF(modes); i++) {
		const struct u_mode *m = u_mode_parse(p, modes[i].mode);

		CHECK(m != NULL);
		if (m)
			CHECK_EQ(u_mode_apply(m, modes[i].old, modes[i].dir, modes[i].mask), modes[i].result);
	}
	for (size_t i = 0; i < COUNTOF(bad_modes); i++)
		CHECK(u_mode_parse(p, bad_modes[i]) == NULL);
	u_mode_string(0104755, buf);
	CHECK_STR(buf, "-rwsr-xr-x");
	u_mode_string(0041776, buf);
	CHECK_STR(buf, "drwxrwxrwT");
	u_mode_string(0120777, buf);
	CHECK_STR(buf, "lrwxrwxrwx");
}

/* ---- Paths ---------------------------------------------------------------------------------- */

static void test_paths(struct proc *p)
{
	static const char *const v[][3] = {
		{"/usr/lib", "lib", "/usr"}, {"/usr/", "usr", "/"}, {"usr", "usr", "."}, {"/", "/", "/"}, {"//", "/", "/"},
		{"", "", "."}, {"a//b//", "b", "a"}, {".", ".", "."}, {"..", "..", "."},
	};
	static const char *const upwards[] = {"..", "../", "/..", "a/..", "a/../b", "../a", "//..//", "a//../", "./..", "a/b/..", "/a/../"};
	static const char *const inside[] = {"", "/", ".", "...", "a..", "..a", "a/..b", "a../b", ". .", ".../a", "./.", "a/.b/", "/.a/...", ".. "};

	for (size_t i = 0; i < COUNTOF(v); i++) {
		CHECK_AT(paths, i, u_basename(p, v[i][0]), v[i][1]);
		CHECK_AT(paths, i, u_dirname(p, v[i][0]), v[i][2]);
	}
	CHECK_STR(u_join(p, "a", "b"), "a/b");
	CHECK_STR(u_join(p, "a/", "/b"), "a/b");
	CHECK_STR(u_join(p, "/", "b"), "/b");
	CHECK_STR(u_join(p, "", "b"), "b");
	for (size_t i = 0; i < COUNTOF(upwards); i++)
		CHECK(u_has_dot_dot(upwards[i]));
	for (size_t i = 0; i < COUNTOF(inside); i++)
		CHECK(!u_has_dot_dot(inside[i]));
}

/* ---- Patterns --------------------------------------------------------------------------------- */

static const struct {
	const char *pattern, *text;
	unsigned flags;
	bool match;
} globs[] = {
	{"*", "", 0, true}, {"a*c", "abc", 0, true}, {"a*c", "abcd", 0, false}, {"?", "\xc3\xa9", 0, true},
	{"?", "\xc3\xa9", U_GLOB_BYTES, false}, {"??", "\xc3\xa9", U_GLOB_BYTES, true}, {"?", "\xff", 0, true},
	{"[a-c]", "b", 0, true}, {"[!a-c]", "b", 0, false}, {"[^a-c]", "d", 0, true}, {"[]a]", "]", 0, true},
	{"[!]]", "]", 0, false}, {"[a", "[a", 0, true}, {"[[:alpha:]_]*", "_x", 0, true}, {"[[:digit:]]", "x", 0, false},
	{"[[:upper:]]", "a", U_GLOB_ICASE, false}, {"[A-C]", "b", U_GLOB_ICASE, true}, {"ABC", "abc", U_GLOB_ICASE, true},
	{"\\*", "*", 0, true}, {"\\*", "a", 0, false}, {"\\*", "\\x", U_GLOB_NOESCAPE, true}, {"[\\]]", "]", 0, true},
	{"*", "a/b", 0, true}, {"*", "a/b", U_GLOB_PATHNAME, false}, {"a/*", "a/b", U_GLOB_PATHNAME, true},
	{"a?b", "a/b", U_GLOB_PATHNAME, false}, {"a[/]b", "a/b", U_GLOB_PATHNAME, false}, {"*/b", "x/y/b", U_GLOB_PATHNAME, false},
	{"*", ".a", U_GLOB_PERIOD, false}, {".*", ".a", U_GLOB_PERIOD, true}, {"[.]a", ".a", U_GLOB_PERIOD, false},
	{"*.a", "x.a", U_GLOB_PERIOD, true}, {"a", "a/b", U_GLOB_LEADING_DIR, true}, {"*a", "xa/b", U_GLOB_LEADING_DIR, true},
	{"@(a|b)c", "bc", U_GLOB_EXTENDED, true}, {"?(a)b", "b", U_GLOB_EXTENDED, true}, {"+(a|bc)", "abca", U_GLOB_EXTENDED, true},
	{"*(a)b", "aaab", U_GLOB_EXTENDED, true}, {"!(a|b)", "a", U_GLOB_EXTENDED, false}, {"!(a|b)", "ab", U_GLOB_EXTENDED, true},
	{"!(*.c)", "x.c", U_GLOB_EXTENDED, false}, {"*.!(c|h)", "x.cc", U_GLOB_EXTENDED, true}, {"!(a)", "", U_GLOB_EXTENDED, true},
	{"@(a|@(b|c)d)", "cd", U_GLOB_EXTENDED, true}, {"a@(b", "a@(b", U_GLOB_EXTENDED, true}, {"@(a\\|b)", "a|b", U_GLOB_EXTENDED, true},
	{"!(foo)", ".foo", U_GLOB_EXTENDED | U_GLOB_PERIOD, false},
};

static void test_globs(struct proc *p)
{
	struct u_buf text, pattern;

	for (size_t i = 0; i < COUNTOF(globs); i++) {
		const char *g = globs[i].pattern, *s = globs[i].text;
		bool r = u_glob_match_in(p, g, strlen(g), s, strlen(s), globs[i].flags);

		if (r != globs[i].match) {
			failures++;
			fprintf(stderr, "glob %s against %s: %d\n", g, s, r);
		}
	}
	/* Patterns that make a backtracking matcher run for ever. */
	u_buf_init(&text, p, 0);
	u_buf_init(&pattern, p, 0);
	for (int i = 0; i < 1000; i++)
		u_buf_putc(&text, 'a');
	for (int i = 0; i < 100; i++)
		u_buf_puts(&pattern, "*a");
	u_buf_puts(&pattern, "*b");
	CHECK(!u_glob_match(pattern.ptr, pattern.len, text.ptr, text.len, 0));
	CHECK(!u_glob_match_in(p, "*(*(a)*(a))b", 12, text.ptr, text.len, U_GLOB_EXTENDED));
	CHECK(!u_glob_match_in(p, "+(+(+(+(a))))b", 14, text.ptr, text.len, U_GLOB_EXTENDED));
	CHECK(u_glob_match_in(p, "*(a|aa|aaa)", 11, text.ptr, text.len, U_GLOB_EXTENDED));
	u_buf_init(&pattern, p, 0);
	for (int i = 0; i < 5000; i++)
		u_buf_puts(&pattern, "@(");
	u_buf_putc(&pattern, 'a');
	for (int i = 0; i < 5000; i++)
		u_buf_putc(&pattern, ')');
	CHECK(!u_glob_match_in(p, pattern.ptr, pattern.len, "a", 1, U_GLOB_EXTENDED));
}

/* ---- test ----------------------------------------------------------------------------------------- */

static const struct {
	const char *args;	/* apart by spaces; "_" stands for the empty argument */
	const char *bash, *gnu;	/* a digit, or "2 message" */
} tests[] = {
	{"a", "0", "0"}, {"_", "1", "1"}, {"! a", "1", "1"}, {"-n a", "0", "0"}, {"-z _", "0", "0"}, {"a = a", "0", "0"},
	{"a == b", "1", "1"}, {"a != b", "0", "0"}, {"1 -lt 2", "0", "0"}, {"010 -eq 10", "0", "0"}, {"-1 -gt -2", "0", "0"},
	{"x -eq 1", "2 x: integer expression expected", "2 invalid integer 'x'"},
	{"99999999999999999999 -gt 1", "2 99999999999999999999: integer expression expected", "0"},
	{"a b", "2 a: unary operator expected", "2 missing argument after 'b'"},
	{"-q b", "2 -q: unary operator expected", "2 '-q': unary operator expected"},
	{"a b c", "2 b: binary operator expected", "2 'b': binary operator expected"},
	{"a = b c", "2 too many arguments", "2 extra argument 'c'"},
	{"a = a -a b = b", "0", "0"}, {"a = b -o b = b", "0", "0"}, {"( a = a )", "0", "0"}, {"! ( a = a )", "1", "1"},
	{"( a", "2 (: unary operator expected", "2 missing argument after 'a'"},
	{"-d /", "0", "0"}, {"-f /", "1", "1"}, {"-e /nowhere", "1", "1"}, {"/ -ef /.", "0", "0"}, {"a -a _", "1", "1"},
	{"a -o _", "0", "0"}, {"! ! a", "0", "0"}, {"-t x", "1", "2 invalid integer 'x'"},
	{"a < b", "0", "2 '<': binary operator expected"}, {"= = =", "0", "0"}, {"-a -a -a", "0", "2 '-a': unary operator expected"},
};

static char *told;
static void note(struct u_test_host *h, const char *text)
{
	told = u_strdup(h->p, text);
}

static char *test_outcome(struct proc *p, const char *args, bool gnu)
{
	char *copy = u_strdup(p, args), *argv[16];
	struct u_test_host h = {.p = p, .warn = note, .gnu_style = gnu};
	int argc = 0, r;

	for (char *s = copy; s;) {
		char *space = strchr(s, ' ');

		if (space)
			*space++ = '\0';
		argv[argc++] = streq(s, "_") ? u_strdup(p, "") : s;
		s = space;
	}
	argv[argc] = NULL;
	told = NULL;
	r = u_test(&h, argc, argv);
	return told ? u_format(p, "%d %s", r, told) : u_format(p, "%d", r);
}

static void test_conditions(struct proc *p)
{
	for (size_t i = 0; i < COUNTOF(tests); i++) {
		CHECK_AT(tests, i, test_outcome(p, tests[i].args, false), tests[i].bash);
		CHECK_AT(tests, i, test_outcome(p, tests[i].args, true), tests[i].gnu);
	}
}

/* ---- echo and printf ---------------------------------------------------------------------------------- */

static const struct {
	const char *text, *bash, *gnu;
} echos[] = {
	{"a\\tb\\n", "a\tb\n", "a\tb\n"}, {"\\101|\\0101|\\x41|\\x4g", "\\101|A|A|\004g", "A|A|A|\004g"},
	{"\\e\\E\\q\\", "\033\033\\q\\", "\033\\E\\q\\"}, {"\\u00e9\\u|", "\xc3\xa9\\u|", "\\u00e9\\u|"},
	{"a\\cb", "a", "a"}, {"\\\\n", "\\n", "\\n"}, {"\\x", "\\x", "\\x"},
};

static const struct {
	const char *args[6];
	const char *bash;	/* output, "|status" and "|message" for each message */
	const char *gnu;
} printfs[] = {
	{{"%d %s\n", "1", "a", "2"}, "1 a\n2 \n|0", "1 a\n2 \n|0"},
	{{"%5.2f|%-5d|%05d|%+d|%x|%o|%e", "3.14159", "1", "2", "3", "255"}, " 3.14|1    |00002|+3|ff|0|0.000000e+00|0",
	 " 3.14|1    |00002|+3|ff|0|0.000000e+00|0"},
	{{"%d", "x"}, "0|1|x: invalid number", "0|1|'x': expected a numeric value"},
	{{"%d", "12x"}, "12|1|12x: invalid number", "12|1|'12x': value not completely converted"},
	{{"%d", "08"}, "0|1|08: invalid octal number", "0|1|'08': value not completely converted"},
	{{"%d", "'a"}, "97|0", "97|0"},
	{{"%d", "99999999999999999999"}, "9223372036854775807|0|warning: 99999999999999999999: Numerical result out of range",
	 "9223372036854775807|1|'99999999999999999999': Numerical result out of range"},
	{{"%y"}, "|1|`y': invalid format character", "|1|%y: invalid conversion specification"},
	{{"ab%"}, "ab|1|`%': missing format character", "ab|1|%: invalid conversion specification"},
	{{"x", "1"}, "x|0", "x|0|warning: ignoring excess arguments, starting with '1'"},
	{{"%b|%b", "a\\tb", "c\\cd"}, "a\tb|c|0", "a\tb|c|0"},
	{{"%q|%q", "a b", ""}, "a\\ b|''|0", "'a b'|''|0"},
	{{"%c%c", "xyz", "1"}, "x1|0", "x1|0"},
	{{"%.3s|%5s|%-5s|", "abcdef", "a", "b"}, "abc|    a|b    ||0", "abc|    a|b    ||0"},
	{{"%*d|%-*d|%.*f", "5", "1", "5", "2", NULL}, "    1|2    |0|0", "    1|2    |0|0"},
	{{"\\x41\\101\\0101\\u00e9\\\"\\e"}, "AA\0101\xc3\xa9\"\033|0", "AA\0101\xc3\xa9\"\033|0"},
	{{"a\\cb"}, "a\\cb|0", "a|0"},
	{{"%(%Y-%m-%d %H:%M:%S)T", "86400"}, "1970-01-02 00:00:00|0", NULL},
	{{"%a %g %G %A", "1", "1e10", "1e-10", "0.5"}, "0x8p-3 1e+10 1E-10 0X8P-4|0", "0x8p-3 1e+10 1E-10 0X8P-4|0"},
	{{"%s %s|", "1", "2", "3"}, "1 2|3 ||0", "1 2|3 ||0"},
};

static struct u_buf messages;
static void complain(struct u_printf_host *h, const char *text)
{
	(void)h;
	u_buf_printf(&messages, "|%s", text);
}

static char *printf_outcome(struct proc *p, const char *const *args, bool bash)
{
	struct u_buf out;
	struct u_printf_host h = {.p = p, .out = &out, .bash_style = bash, .warn = complain, .tz = "UTC0"};
	char *argv[8];
	int argc = 0, r;

	for (; argc < 5 && args[argc + 1]; argc++)
		argv[argc] = u_strdup(p, args[argc + 1]);
	argv[argc] = NULL;
	u_buf_init(&out, p, 0);
	u_buf_init(&messages, p, 0);
	r = u_printf_run(&h, args[0], argc, argv);
	return u_format(p, "%s|%d%s", out.ptr, r, messages.ptr);
}

static void test_printf(struct proc *p)
{
	for (size_t i = 0; i < COUNTOF(echos); i++) {
		struct u_buf b;

		u_buf_init(&b, p, 0);
		u_echo_escape(&b, echos[i].text, strlen(echos[i].text), true);
		CHECK_AT(echos, i, b.ptr, echos[i].bash);
		u_buf_init(&b, p, 0);
		u_echo_escape(&b, echos[i].text, strlen(echos[i].text), false);
		CHECK_AT(echos, i, b.ptr, echos[i].gnu);
	}
	for (size_t i = 0; i < COUNTOF(printfs); i++) {
		if (printfs[i].bash)
			CHECK_AT(printfs, i, printf_outcome(p, printfs[i].args, true), printfs[i].bash);
		if (printfs[i].gnu)
			CHECK_AT(printfs, i, printf_outcome(p, printfs[i].args, false), printfs[i].gnu);
	}
}

/* A width far larger than memory goes out in pieces. */
static int64_t spilled;
static void count(struct u_printf_host *h)
{
	spilled += (int64_t)h->out->len;
	h->out->len = 0;
}

static void test_width(struct proc *p)
{
	struct u_buf out;
	struct u_printf_host h = {.p = p, .out = &out, .bash_style = true, .warn = complain, .spill = count};
	char *argv[] = {u_strdup(p, "1"), NULL};

	u_buf_init(&out, p, 1 << 20);
	CHECK_EQ(u_printf_run(&h, "%100000000d", 1, argv), 0);
	CHECK_EQ(spilled + (int64_t)out.len, 100000000);
}

/* ---- Running them inside a proc ------------------------------------------------------------------------- */

static int text(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	test_quotes(p);
	test_numbers(p);
	test_paths(p);
	test_globs(p);
	test_conditions(p);
	test_printf(p);
	test_width(p);
	return 0;
}

static const struct program programs[] = {{.name = "text", .main = text}};

static void test_all(void)
{
	struct world w;
	struct outcome o;

	world_open(&w, NULL, programs, COUNTOF(programs));
	world_run(&w, "text", ARGV("text"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_STR(o.err, "");
	world_close(&w);
}

static const struct test all[] = {{"text", test_all}};

int main(int argc, char **argv)
{
	return run_tests(all, COUNTOF(all), argc, argv);
}
