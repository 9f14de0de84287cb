/*
 * test_syntax.c - the shell parser and printer.
 *
 *	test_syntax [FILE...]	the tests; with files, only: parse, print, parse again, compare
 *
 * syntax_errors.txt and syntax_functions.out are recorded from bash by record_syntax.py.
 */
#include "syntax_dump.h"
#include "../../../src/shell/syntax/print.h"

static int passed, failed;

static void check(bool ok, const char *what, const char *detail)
{
	if (ok) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s\n%s\n", what, detail);
}

/* ---- Memory, files ----------------------------------------------------------- */

static size_t chunks;

static void *source_get(struct arena_source *s, size_t size)
{
	void *chunk = malloc(size);

	(void)s;
	if (!chunk)
		abort();
	chunks++;
	return chunk;
}

static void source_put(struct arena_source *s, void *chunk, size_t size)
{
	(void)s;
	(void)size;
	chunks--;
	free(chunk);
}

static struct arena_source source = {source_get, source_put};

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *text;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	text = malloc(*n + 1);
	if (!text || fread(text, 1, *n, f) != *n)
		abort();
	text[*n] = '\0';
	fclose(f);
	return text;
}

/* A file beside this one; tests run from the root of the tree or from the build folder. */
static char *read_data(const char *name, size_t *n)
{
	static const char *const where[] = {"tests/unit/shell/", "../tests/unit/shell/", ""};
	char path[256];

	for (size_t i = 0; i < COUNTOF(where); i++) {
		char *text;

		snprintf(path, sizeof(path), "%s%s", where[i], name);
		text = read_file(path, n);
		if (text)
			return text;
	}
	check(false, "a data file is missing", name);
	return NULL;
}

/* ---- Whole scripts ----------------------------------------------------------- */

static void dump_script(struct dump *d, struct arena *a, const char *src, size_t n, uint32_t flags)
{
	struct parse_options o = {.flags = flags, .stack_max = 512u << 10};
	struct parser p;
	struct cmd *c;
	enum parse_result r;

	parser_init(&p, a, src, n, &o);
	while ((r = parser_next(&p, &c)) == PARSE_OK) {
		dump_cmd(d, c, false);
		dump_fmt(d, "\n");
	}
	if (r == PARSE_ERROR)
		dump_fmt(d, "error line %u: %.*s\n", p.error.lines[0].line,
		         (int)p.error.lines[0].text.len, p.error.lines[0].text.ptr);
}

/* parse, print, parse: the same tree. */
static void round_trip(const char *src, size_t n, uint32_t flags, const char *name)
{
	struct parse_options o = {.flags = flags, .stack_max = 512u << 10};
	struct arena a;
	struct parser p;
	struct cmd *c;

	arena_init(&a, &source);
	parser_init(&p, &a, src, n, &o);
	while (parser_next(&p, &c) == PARSE_OK) {
		struct dump first = {0}, second = {0};
		struct str text = print_command(&a, c);
		struct parser q;
		struct cmd *back = NULL;
		struct parse_options oq = o;

		dump_cmd(&first, c, false);
		oq.flags = p.flags;
		parser_init(&q, &a, text.ptr, text.len, &oq);
		if (parser_all(&q, &back) != PARSE_OK || !back) {
			dump_fmt(&second, "does not parse: %.*s", (int)q.error.lines[0].text.len,
			         q.error.lines[0].text.ptr);
		} else {
			dump_cmd(&second, back, false);
		}
		if (strcmp(first.text, second.text) != 0) {
			printf("printed:\n%s\ntree:\n%s\nafter:\n%s\n", text.ptr, first.text,
			       second.text);
			check(false, "round trip", name);
		} else {
			passed++;
		}
		free(first.text);
		free(second.text);
	}
	arena_release(&a);
}

/* ---- Trees ------------------------------------------------------------------- */

struct tree_case {
	const char *script, *dump;
};

static const struct tree_case tree_cases[] = {
        {"echo a \"b c\" 'd' e\\ f", "(cmd \"echo\" \"a\" <'\"b c\"> '\"d\" \"e\"'\" \"\"f\")"},
        {"a=1 b+=$x c[2]=y cmd", "(cmd a=\"1\" b+=${x} c[\"2\" {2}]=\"y\" \"cmd\")"},
        {"a=(1 [x]=2 \"$@\" {3,4})",
         "(cmd a=(array \"1\" [\"x\" {x}]=\"2\" <q${@}> {\"3\",\"4\"}))"},
        {"declare -a a=(1) b=~:~/x c",
         "(cmd \"declare\" \"-a\" decl:a=(array \"1\") decl:b=~\"\"\":\"~\"\"\"/x\" \"c\")"},
        {"x\ny # c\nz", "(cmd \"x\")\n(cmd \"y\")\n(cmd \"z\")"},
        {"a && b || c; d & e",
         "(list (andor (cmd \"a\") && (cmd \"b\") || (cmd \"c\")) (cmd \"d\") & (cmd \"e\"))"},
        {"! a | b |& c", "(pipe! (cmd \"a\") (cmd \"b\" 2>&1) (cmd \"c\"))"},
        {"time -p a", "(pipetime-p (cmd \"a\"))"},
        {"(a; b) >x 2>&1", "(subshell (list (cmd \"a\") (cmd \"b\")) 1>\"x\" 2>&1)"},
        {"{ a\nb\n}", "(group (list (cmd \"a\") (cmd \"b\")))"},
        {"if a; then b; elif c; then d; else e; fi",
         "(if (cmd \"a\") (cmd \"b\") (if (cmd \"c\") (cmd \"d\") (cmd \"e\")))"},
        {"for x in *.c {1..3}; do a; done", "(for x in glob\"*.c\" {1..3..1 w0} (cmd \"a\"))"},
        {"for x; do a; done", "(for x in <q${@}> (cmd \"a\"))"},
        {"for ((i=0;i<9;i++)); do a; done", "(cfor {(= i 0)}{(< i 9)}{(x++ i)} (cmd \"a\"))"},
        {"for ((;;)) { a; }", "(cfor {1}{1}{1} (cmd \"a\"))"},
        {"while a; do b; done <f", "(while (cmd \"a\") (cmd \"b\") 0<\"f\")"},
        {"case $x in a|b) c;; (d*) ;& *) e;;& esac",
         "(case ${x} [ \"a\" \"b\" (cmd \"c\") 0] [ glob\"d*\" _ 1] [ glob\"*\" (cmd \"e\") 2])"},
        {"f() { a; } >x", "(function f (group (cmd \"a\") 1>\"x\"))"},
        {"function f ( a )", "(function f (group (subshell (cmd \"a\"))))"},
        {"coproc n { a; }", "(coproc n (group (cmd \"a\")))"},
        {"coproc a b", "(coproc COPROC (cmd \"a\" \"b\"))"},
        {"[[ -f $x && ( a == b* || ! c -lt 3 ) ]]",
         "(cond (and (-f ${x}) (group (or (== \"a\" glob\"b*\") (not (-lt \"c\" \"3\"))))))"},
        {"[[ $a =~ ^(x|\"y\")+$ ]]", "(cond (=~ ${a} \"^(x|\"<'\"y\">\")+$\"))"},
        {"((a = b[1] + $c, d++))", "(arith {(, (= a (+ b['\"1\" {1}] #0)) (x++ d)) #0=q${c}})"},
        {"echo $((a$i)) $((1+$(b)))",
         "(cmd \"echo\" {text '\"a\"q${i}} {(+ 1 #0) #0=q$((cmd \"b\"))})"},
        {"echo ${a} ${#a} ${a[@]} ${!a} ${!a[@]} ${!a*} $1 ${10} $$ ${#} ${##}",
         "(cmd \"echo\" ${a} ${a len} ${a[@]} ${a indirect} ${a[@] keys} ${a prefix} ${1} ${10} "
         "${$} ${#} ${# len})"},
        {"echo ${a:-b c} ${a+\"b\"} ${a:=} ${a:?x}",
         "(cmd \"echo\" ${a :- \"b c\"} ${a + <'\"b\">} ${a := _} ${a :? \"x\"})"},
        {"echo ${a#b*} ${a%%\"c\"} ${a/x/y} ${a//x} ${a/#x/} ${a/%x/$y}",
         "(cmd \"echo\" ${a # glob\"b*\"} ${a %longest <'\"c\">} ${a / \"x\" \"y\"} ${a /all "
         "\"x\"} "
         "${a /start \"x\" _} ${a /end \"x\" ${y}})"},
        {"echo ${a:1} ${a: -2:b+1} ${a^} ${a,,[x]} ${a@Q}",
         "(cmd \"echo\" ${a slice{1}} ${a slice{(neg 2)}{(+ b 1)}} ${a ^} ${a ,all glob\"[x]\"} "
         "${a @Q})"},
        {"echo \"${a:-'b'\"c\"\\}}\" \"${a#'b'}\"",
         "(cmd \"echo\" <q${a :- '\"'b'c}\"}> <q${a # '\"b\"}>)"},
        {"echo ${} ${a b} ${a:}", "(cmd \"echo\" ${bad} ${bad} ${bad})"},
        {"echo $(a) `b \\`c\\`` <(d) $(<f)",
         "(cmd \"echo\" $((cmd \"a\")) `(cmd \"b\" `(cmd \"c\")))) <((cmd \"d\")) "
         "$(file (cmd 0<\"f\")))"},
        {"echo `if`", "(cmd \"echo\" `error ))"},
        {"echo $((a);(b)) $(((1)))",
         "(cmd \"echo\" $((list (subshell (cmd \"a\")) (subshell (cmd \"b\")))) {1})"},
        {"((a); (b))", "(subshell (list (subshell (cmd \"a\")) (subshell (cmd \"b\"))))"},
        {"echo $'a\\n\\x41\\'' $\"b\"", "(cmd \"echo\" '\"a\\nA'\" <'\"b\">)"},
        {"echo ~ ~/x ~u:y a~ \"~\" ~\"u\" a=~:~",
         "(cmd \"echo\" ~\"\" ~\"\"\"/x\" ~\"u\"\":y\" \"a~\" <'\"~\"> \"~\"<'\"u\"> "
         "\"a=\"~\"\"\":\"~\"\")"},
        {"echo {a,b{c,d}}e {a} {1..5..2} {03..1} {a..c} {x,\"y,z\"} {a..{1,2}}",
         "(cmd \"echo\" {\"a\",\"b\"{\"c\",\"d\"}}\"e\" \"{a}\" {1..5..2 w0} {3..1..-1 w2} "
         "{97..99..1 w0} "
         "{\"x\",<'\"y,z\">} {\"a..\"{\"1\",\"2\"}})"},
        {"a >x 2>>y <z 3<>w >|v &>u &>>t 4>&1 5<&- 6>&7- {n}<m <<<h >&$q",
         "(cmd \"a\" 1>\"x\" 2>>\"y\" 0<\"z\" 3<>\"w\" 1>|\"v\" &>\"u\" &>>\"t\" 4>&1 5>&- 6>&7- "
         "{n}<\"m\" 0<<<\"h\" "
         "1>&${q})"},
        {"cat <<A <<-'B'; c\nx $y\\\nz\nA\n\t$q\n\tB\nd",
         "(list (cmd \"cat\" 0<<'\"x \"q${yz}'\"\\n\" 0<<quoted'\"$q\\n\") (cmd \"c\"))\n(cmd "
         "\"d\")"},
        {"echo \"$(cat <<A\nit's \"\nA\n)\"",
         "(cmd \"echo\" <q$((cmd \"cat\" 0<<'\"it's \"\\n\"))>)"},
        {"cat <<A\n$(if)\nA\nb", "(cmd \"cat\" 0<<q$(error ))\n(cmd \"b\")"},
        {"e\\\ncho a\\\nb \"c\\\nd\" &\\\n& ${x\\\ny}",
         "(andor (cmd \"echo\" \"ab\" <'\"cd\">) && (cmd ${xy}))"},
        {"eval a=(1 2) b=$c", "(cmd \"eval\" \"a=(1 2)\" \"b=\"${c})"},
        {"export a=$b; echo a=$b", "(list (cmd \"export\" decl:a=${b}) (cmd \"echo\" \"a=\"${b}))"},
        {"a=(1 2)x", "(cmd a=\"(1 2)\"\"x\")"},
        {"echo a#b $ $\"\" x$ '' \"\"",
         "(cmd \"echo\" \"a#b\" \"$\" <'\"\"> \"x$\" '\"\" <'\"\">)"},
        {"if () { :; }", "error line 1: syntax error near unexpected token `)'"},
        {"a$x() { :; }", "(function a$x(bad) (group (cmd \":\")))"},
        {"for 1x in a; do b; done", "(for 1x(bad) in \"a\" (cmd \"b\"))"},
        {"\r", "(cmd \"\r\")"},
        {"", ""},
        {"\n\n# only a comment", ""},
};

static void test_trees(void)
{
	for (size_t i = 0; i < COUNTOF(tree_cases); i++) {
		const struct tree_case *t = &tree_cases[i];
		struct dump d = {0};
		struct arena a;

		arena_init(&a, &source);
		dump_bytes(&d, "", 0);
		dump_script(&d, &a, t->script, strlen(t->script), 0);
		if (d.len && d.text[d.len - 1] == '\n')
			d.text[d.len - 1] = '\0';
		if (strcmp(d.text, t->dump) != 0) {
			printf("want: %s\ngot:  %s\n", t->dump, d.text);
			check(false, "tree", t->script);
		} else {
			passed++;
		}
		free(d.text);
		arena_release(&a);
		round_trip(t->script, strlen(t->script), 0, t->script);
	}
}

/* ---- Recorded from bash ------------------------------------------------------ */

/* "#### name", script, "==== bash", lines; "==== nacre" instead where we say otherwise. */
static void error_case(char *block)
{
	char *script = strchr(block, '\n'), *want = strstr(block, "\n==== ");
	struct parse_options o = {.stack_max = 512u << 10};
	struct dump d = {0};
	struct parser p;
	struct arena a;
	struct cmd *c;
	enum parse_result r;

	if (!script || !want || want < script)
		return;
	*script++ = '\0';
	if (want >= script)
		*want = '\0';
	else
		script = (char *)"";
	want = strchr(want + 1, '\n') + 1;
	arena_init(&a, &source);
	parser_init(&p, &a, script, strlen(script), &o);
	while ((r = parser_next(&p, &c)) == PARSE_OK)
		;
	dump_bytes(&d, "", 0);
	for (const struct parse_warning *w = p.warnings; w; w = w->next)
		dump_fmt(&d, "line %u: warning: %.*s\n", w->line, (int)w->text.len, w->text.ptr);
	if (r == PARSE_ERROR)
		for (uint32_t i = 0; i < p.error.nlines; i++)
			dump_fmt(&d, "line %u: %.*s\n", p.error.lines[i].line,
			         (int)p.error.lines[i].text.len, p.error.lines[i].text.ptr);
	if (strcmp(d.text, want) != 0) {
		printf("script:\n%s\nwant:\n%sgot:\n%s", script, want, d.text);
		check(false, "error message", block);
	} else {
		passed++;
	}
	free(d.text);
	arena_release(&a);
}

static void each_block(char *text, void (*fn)(char *))
{
	char *at = strncmp(text, "#### ", 5) == 0 ? text : strstr(text, "\n#### ");

	while (at) {
		char *next = strstr(at + 1, "\n#### ");

		if (next)
			next[1] = '\0';
		fn(at == text ? at : at + 1);
		if (next)
			next[1] = '#';
		at = next;
	}
}

static void test_errors(void)
{
	size_t n;
	char *text = read_data("syntax_errors.txt", &n);

	if (text)
		each_block(text, error_case);
	free(text);
}

static void test_functions(void)
{
	size_t n, m;
	char *text = read_data("syntax_functions.sh", &n),
	     *want = read_data("syntax_functions.out", &m);
	struct parse_options o = {.flags = PARSE_EXTGLOB};
	struct dump d = {0};
	struct parser p;
	struct arena a;
	struct cmd *c;

	if (!text || !want)
		return;
	arena_init(&a, &source);
	parser_init(&p, &a, text, n, &o);
	while (parser_next(&p, &c) == PARSE_OK) {
		struct str s;

		if (c->kind != CMD_FUNCTION)
			continue;
		s = print_function(&a, AST(cmd_function, c));
		dump_bytes(&d, s.ptr, s.len);
		dump_bytes(&d, "\n", 1);
	}
	check(!p.failed, "functions parse", "");
	if (strcmp(d.text, want) != 0) {
		size_t i = 0;

		while (d.text[i] == want[i])
			i++;
		while (i && d.text[i - 1] != '\n')
			i--;
		printf("want: %.300s\ngot: %.300s\n", want + i, d.text + i);
		check(false, "declare -f", "");
	} else {
		passed++;
	}
	arena_release(&a);
	round_trip(text, n, PARSE_EXTGLOB, "syntax_functions.sh");
	free(d.text);
	free(text);
	free(want);
}

static void corpus_case(char *block)
{
	char *script = strchr(block, '\n');

	if (!script)
		return;
	*script = '\0';
	round_trip(script + 1, strlen(script + 1), PARSE_EXTGLOB, block);
	*script = '\n';
}

static void test_corpus(void)
{
	size_t n;
	char *text = read_data("syntax_corpus.txt", &n);

	if (text)
		each_block(text, corpus_case);
	free(text);
}

/* ---- The interface ----------------------------------------------------------- */

static enum parse_result parse_text(struct arena *a, struct parser *p, const char *text, size_t n,
                                    uint32_t flags, struct cmd **c)
{
	struct parse_options o = {.flags = flags};

	parser_init(p, a, text, n, &o);
	return parser_next(p, c);
}

static void test_incomplete(void)
{
	static const char *const more[] = {
	        "if a",       "echo \"x", "a |",       "a &&",           "f() {",
	        "cat <<E\nx", "$(a",      "case x in", "for x in a; do", "a \\\nb '",
	        "[[ a &&",    "${x",      "((1",       "x=(1",           "{ a;"};
	static const char *const done[] = {"a", "a;", "if a; then b; fi", "cat <<E\nE\n",
	                                   "",  "# c"};
	static const char *const wrong[] = {")", "a ;;", "if ; then", "fi"};
	struct arena a;
	struct parser p;
	struct cmd *c;

	arena_init(&a, &source);
	for (size_t i = 0; i < COUNTOF(more); i++)
		check(parse_text(&a, &p, more[i], strlen(more[i]), PARSE_REPL, &c) ==
		              PARSE_INCOMPLETE,
		      "incomplete", more[i]);
	for (size_t i = 0; i < COUNTOF(done); i++)
		check(parse_text(&a, &p, done[i], strlen(done[i]), PARSE_REPL, &c) <= PARSE_END,
		      "complete", done[i]);
	for (size_t i = 0; i < COUNTOF(wrong); i++)
		check(parse_text(&a, &p, wrong[i], strlen(wrong[i]), PARSE_REPL, &c) == PARSE_ERROR,
		      "wrong", wrong[i]);
	arena_release(&a);
}

static bool alias_lookup(void *ctx, struct str name, struct str *value)
{
	static const char *const aliases[][2] = {
	        {"ll", "ls -l"},     {"e", "echo "}, {"loop", "loop x"}, {"q", "echo \"a"},
	        {"iff", "if true;"}, {"a", "b"},     {"b", "a"},         {"two", "x; y"},
	        {"sub", "echo $(d"}, {"d", "D"},
	};

	(void)ctx;
	for (size_t i = 0; i < COUNTOF(aliases); i++)
		if (str_is(name, aliases[i][0])) {
			*value = str_from(aliases[i][1]);
			return true;
		}
	return false;
}

static void test_aliases(void)
{
	static const struct tree_case cases[] = {
	        {"ll x", "(cmd \"ls\" \"-l\" \"x\")\n"},
	        {"e ll; x ll", "(list (cmd \"echo\" \"ls\" \"-l\") (cmd \"x\" \"ll\"))\n"},
	        {"loop", "(cmd \"loop\" \"x\")\n"},
	        {"a", "(cmd \"a\")\n"},
	        {"\\ll \"ll\"", "(cmd '\"l\"\"l\" <'\"ll\">)\n"},
	        {"q b\" c", "(cmd \"echo\" <'\"a b\"> \"c\")\n"},
	        {"iff then z; fi", "(if (cmd \"true\") (cmd \"z\"))\n"},
	        {"two z", "(list (cmd \"x\") (cmd \"y\" \"z\"))\n"},
	        {"v=1 ll", "(cmd v=\"1\" \"ls\" \"-l\")\n"},
	        {"sub c) d\nll",
	         "(cmd \"echo\" $((cmd \"D\" \"c\")) \"d\")\n(cmd \"ls\" \"-l\")\n"},
	        {"q", "error line 1: unexpected EOF while looking for matching `\"'\n"},
	};
	struct parse_options o = {.flags = PARSE_ALIASES, .alias = alias_lookup};

	for (size_t i = 0; i < COUNTOF(cases); i++) {
		struct dump d = {0};
		struct parser p;
		struct arena a;
		struct cmd *c;
		enum parse_result r;

		arena_init(&a, &source);
		parser_init(&p, &a, cases[i].script, strlen(cases[i].script), &o);
		while ((r = parser_next(&p, &c)) == PARSE_OK) {
			dump_cmd(&d, c, false);
			dump_fmt(&d, "\n");
		}
		if (r == PARSE_ERROR)
			dump_fmt(&d, "error line %u: %.*s\n", p.error.lines[0].line,
			         (int)p.error.lines[0].text.len, p.error.lines[0].text.ptr);
		if (strcmp(d.text, cases[i].dump) != 0)
			printf("want: %sgot:  %s", cases[i].dump, d.text);
		check(strcmp(d.text, cases[i].dump) == 0, "alias", cases[i].script);
		free(d.text);
		arena_release(&a);
	}
}

/* A deep text is refused, a little nesting is not, and neither touches much stack. */
static void test_depth(void)
{
	static const char *const open[] = {
	        "(",       "{ ",     "$(",   "echo $(",  "\"$(",          "${a:-",  "\"${a:-",
	        "if ",     "while ", "((",   "$((",      "[[ ( ",         "! ",     "<(",
	        "a=(",     "{a,",    "${a[", "$[",       "case a in a) ", "f() { ", "`",
	        "coproc ", "time ",  "-a[",  "x=${y/$(", "[[ ! ",         "$((-(",  "a[a[",
	        "-{"};
	enum { MANY = 100000 };

	for (size_t i = 0; i < COUNTOF(open); i++) {
		size_t n = strlen(open[i]), k = MANY / n;
		char *text = malloc(k * n + 1);
		struct arena a;
		struct parser p;
		struct cmd *c;

		for (size_t j = 0; j < k; j++)
			memcpy(text + j * n, open[i], n);
		arena_init(&a, &source);
		while (parse_text(&a, &p, text, k * n, 0, &c) == PARSE_OK && 0)
			;
		check(p.failed || c, "deep nesting ends", open[i]);
		arena_release(&a);
		free(text);
	}
	{
		struct parse_options o = {.stack_max = 512u << 10}; /* sanitizers need more */
		char text[4096] = "";
		struct arena a;
		struct parser p;
		struct cmd *c;

		for (int i = 0; i < 30; i++)
			strcat(text, "( { if a; then ");
		strcat(text, "b");
		for (int i = 0; i < 30; i++)
			strcat(text, "; fi; } )");
		arena_init(&a, &source);
		parser_init(&p, &a, text, strlen(text), &o);
		check(parser_next(&p, &c) == PARSE_OK, "90 levels", "");
		arena_release(&a);
	}
}

static void test_rest(void)
{
	struct arena a;
	struct parser p;
	struct cmd *c;
	struct subscript *sub;
	struct array_lit *array;
	struct word *w;
	struct arith *expr;

	arena_init(&a, &source);
	check(parse_text(&a, &p, "ec\0ho a\0", 8, 0, &c) == PARSE_OK && p.nuls == 2 &&
	              str_is(AST(cmd_simple, c)->name, "echo"),
	      "NUL bytes are dropped", "");
	check(parse_text(&a, &p, "a\n\n  b )", 8, 0, &c) == PARSE_OK && c->line == 1, "line", "1");
	check(parser_next(&p, &c) == PARSE_ERROR && p.error.at_line == 3 && p.error.column == 5 &&
	              p.error.off == 7,
	      "where an error is", "");
	check(parser_next(&p, &c) == PARSE_ERROR, "an error stays", "");
	check(parse_text(&a, &p, "shopt -s extglob\necho @(a|b)\n", 28, PARSE_TRACK_OPTIONS, &c) ==
	                      PARSE_OK &&
	              parser_next(&p, &c) == PARSE_OK,
	      "extglob followed", "");
	check(parse_text(&a, &p, "echo @(a|b)", 11, 0, &c) == PARSE_ERROR, "extglob off", "");
	parser_init(&p, &a, "i + 1", 5, NULL);
	sub = parser_subscript(&p);
	check(sub && sub->kind == SUB_WORD && sub->arith->tree && sub->arith->tree->op == AR_ADD,
	      "subscript", "");
	parser_init(&p, &a, "@", 1, NULL);
	sub = parser_subscript(&p);
	check(sub && sub->kind == SUB_AT, "subscript", "@");
	parser_init(&p, &a, " 1 [2]=x\n\"y\" ", 13, NULL);
	array = parser_array(&p);
	check(array && array->n == 3 && array->items[1].sub, "array", "");
	parser_init(&p, &a, "a $b \"c\"", 8, NULL);
	w = parser_dquoted(&p);
	check(w && w->nparts == 3 && w->parts[1].kind == PART_PARAM, "dquoted", "");
	parser_init(&p, &a, "a b'c'", 6, NULL);
	w = parser_word(&p);
	check(w && (w->flags & WORD_LITERAL) && str_is(w->text, "a bc"), "word", "");
	expr = arith_parse(&a, STR("1 + 08"), 16384);
	check(expr->error && str_is(expr->error_token, "08"), "arith error", "08");
	expr = arith_parse(&a, STR(" "), 16384);
	check(expr->blank && !expr->tree, "arith blank", "");
	check(syntax_is_name(STR("_a1")) && !syntax_is_name(STR("1a")) && !syntax_is_name(STR("")),
	      "names", "");
	check(syntax_is_reserved(STR("[[")) && !syntax_is_reserved(STR("echo")), "reserved", "");
	arena_release(&a);
	check(chunks == 0, "arenas gave everything back", "");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t n;
		char *text = read_file(argv[i], &n);

		if (!text)
			return 1;
		round_trip(text, n, PARSE_EXTGLOB, argv[i]);
		free(text);
	}
	if (argc == 1) {
		test_trees();
		test_errors();
		test_functions();
		test_corpus();
		test_incomplete();
		test_aliases();
		test_depth();
		test_rest();
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
