/* test_parse.c - scripts that are looked at instead of run: tree, layout, touches, mistakes. */
#include "harness.h"

#include <nacre/parse.h>

static nacre_script *parsed(const char *text)
{
	nacre_script *s = NULL;

	CHECK(nacre_parse(&s, text, 0, 0) == 0 && s);
	return s;
}

static void test_mistakes(void)
{
	nacre_script *s = NULL;
	nacre_position at = {.size = sizeof(at)};
	char *text;

	CHECK(nacre_parse(&s, "echo a\nif x; fi\n", 0, 0) == -EINVAL && s);
	CHECK(strcmp(nacre_script_error(s, &at), "syntax error near unexpected token `fi'") == 0);
	CHECK(at.line == 2 && at.column == 7 && at.offset == 13);
	CHECK(!nacre_script_json(s, NULL, 0));
	CHECK(nacre_script_format(&text, NULL, s, NULL) == -EINVAL && !text);
	CHECK(nacre_script_touches(s) == 0);
	nacre_script_free(s);
	CHECK(nacre_parse(&s, NULL, 0, 0) == -EINVAL && !s);
	CHECK(nacre_parse(&s, "x", 0, 1u << 20) == -EINVAL && !s);
	nacre_script_free(NULL);
	s = parsed("echo");
	CHECK(strcmp(nacre_script_error(s, NULL), "") == 0);
	nacre_script_free(s);
}

static void check_json(const char *script, const char *want)
{
	nacre_script *s = parsed(script);
	size_t len = 0;
	char *json = nacre_script_json(s, &len, 0);

	CHECK(json && strcmp(json, want) == 0 && len == strlen(want));
	if (json && strcmp(json, want) != 0)
		printf("  %s\n", json);
	nacre_free(json);
	nacre_script_free(s);
}

static void test_json(void)
{
	nacre_script *s;
	char *json;

	check_json("", "null");
	check_json("# only a comment\n", "null");
	check_json("a=1 cmd \"b c\" >f",
		   "{\"type\":\"simple\",\"assignments\":[{\"type\":\"assignment\",\"name\":\"a\",\"value\":{\"type\":\"word\",\"raw\":\"1\",\"text\":\"1\"}}],"
		   "\"words\":[{\"type\":\"word\",\"raw\":\"cmd\",\"text\":\"cmd\"},{\"type\":\"word\",\"raw\":\"\\\"b c\\\"\",\"text\":\"b c\"}],"
		   "\"redirections\":[{\"type\":\"redirection\",\"operator\":\">\",\"fd\":1,\"target\":{\"type\":\"word\",\"raw\":\"f\",\"text\":\"f\"}}]}");
	check_json("a | b &",
		   "{\"type\":\"list\",\"items\":[{\"separator\":\"&\",\"command\":{\"type\":\"pipeline\",\"commands\":["
		   "{\"type\":\"simple\",\"words\":[{\"type\":\"word\",\"raw\":\"a\",\"text\":\"a\"}]},"
		   "{\"type\":\"simple\",\"words\":[{\"type\":\"word\",\"raw\":\"b\",\"text\":\"b\"}]}]}}]}");
	check_json("echo $(x)\xff",
		   "{\"type\":\"simple\",\"words\":[{\"type\":\"word\",\"raw\":\"echo\",\"text\":\"echo\"},{\"type\":\"word\",\"raw\":\"$(x)\xef\xbf\xbd\","
		   "\"parts\":[{\"type\":\"command_substitution\",\"raw\":\"$(x)\",\"body\":{\"type\":\"simple\",\"words\":[{\"type\":\"word\",\"raw\":\"x\","
		   "\"text\":\"x\"}]}},{\"type\":\"literal\",\"raw\":\"\xef\xbf\xbd\",\"text\":\"\xef\xbf\xbd\"}]}]}");
	s = parsed("\n  x");
	json = nacre_script_json(s, NULL, NACRE_JSON_POSITIONS);
	CHECK(json && strncmp(json, "{\"type\":\"simple\",\"offset\":3,\"end\":4,\"line\":2,", 44) == 0);
	nacre_free(json);
	nacre_script_free(s);
}

struct expected {
	enum nacre_touch_kind kind;
	unsigned flags;
	uint32_t line;
	const char *text, *command;
};

static void check_touches(const char *script, const struct expected *want, size_t n)
{
	nacre_script *s = parsed(script);

	CHECK(nacre_script_touches(s) == n);
	for (size_t i = 0; i < nacre_script_touches(s); i++) {
		nacre_touch t = {.size = sizeof(t)};
		bool same;

		CHECK(nacre_script_touch(&t, s, i) == 0);
		same = i < n && t.kind == want[i].kind && t.flags == want[i].flags && t.line == want[i].line &&
		       strcmp(t.text, want[i].text) == 0 && strcmp(t.command, want[i].command) == 0;
		CHECK(same);
		if (!same)
			printf("  %zu: %d %u %u '%s' of '%s'\n", i, (int)t.kind, t.flags, t.line, t.text, t.command);
	}
	nacre_script_free(s);
}

#define TOUCHES(script, ...) \
	check_touches(script, (const struct expected[]){__VA_ARGS__}, sizeof((const struct expected[]){__VA_ARGS__}) / sizeof(struct expected))
#define COMMAND(line, name)	{NACRE_TOUCH_COMMAND, 0, line, name, ""}
#define BUILTIN(line, name)	{NACRE_TOUCH_COMMAND, NACRE_TOUCH_BUILTIN, line, name, ""}
#define PATH(line, text, of)	{NACRE_TOUCH_PATH, 0, line, text, of}

static void test_touches(void)
{
	TOUCHES("rm -rf /a b", COMMAND(1, "rm"), PATH(1, "/a", "rm"), PATH(1, "b", "rm"));
	TOUCHES("x <in >out 2>>log &>both", COMMAND(1, "x"), {NACRE_TOUCH_READ, 0, 1, "in", "x"}, {NACRE_TOUCH_WRITE, 0, 1, "out", "x"},
		{NACRE_TOUCH_APPEND, 0, 1, "log", "x"}, {NACRE_TOUCH_WRITE, 0, 1, "both", "x"});
	TOUCHES("x 2>&1 <&3 3>&- <<<w <<E\nE\n", COMMAND(1, "x"));
	TOUCHES("f() { y; }\nf $x", COMMAND(1, "y"), {NACRE_TOUCH_COMMAND, NACRE_TOUCH_FUNCTION, 2, "f", ""});
	TOUCHES("\"$x\" /p/*.c", {NACRE_TOUCH_COMMAND, NACRE_TOUCH_DYNAMIC, 1, "\"$x\"", ""},
		{NACRE_TOUCH_PATH, NACRE_TOUCH_PATTERN, 1, "/p/*.c", "\"$x\""});
	TOUCHES("echo \"$(cat ~/f)\"", BUILTIN(1, "echo"), COMMAND(1, "cat"),
		PATH(1, "~/f", "cat"));
	TOUCHES("env -u A B=1 timeout -k 1 5 ls d", COMMAND(1, "env"), COMMAND(1, "timeout"), COMMAND(1, "ls"), PATH(1, "d", "ls"));
	TOUCHES("find /d -exec rm {} +", COMMAND(1, "find"), PATH(1, "/d", "find"), COMMAND(1, "rm"),
		{NACRE_TOUCH_PATH, 0, 1, "{}", "rm"}, {NACRE_TOUCH_PATH, 0, 1, "+", "rm"});
	TOUCHES("bash -ec 'a\nb /c'", COMMAND(1, "bash"), COMMAND(1, "a"), COMMAND(1, "b"), PATH(1, "/c", "b"));
	TOUCHES("eval x y; eval \"$z\"; trap 'rm t' EXIT", BUILTIN(1, "eval"), COMMAND(1, "x"), BUILTIN(1, "eval"),
		{NACRE_TOUCH_CODE, NACRE_TOUCH_DYNAMIC, 1, "\"$z\"", "eval"}, BUILTIN(1, "trap"), COMMAND(1, "rm"), PATH(1, "t", "rm"));
	TOUCHES("grep -r pat dir --include=*.c", COMMAND(1, "grep"), PATH(1, "dir", "grep"));
	TOUCHES("dd if=/dev/zero of=$o", COMMAND(1, "dd"), PATH(1, "/dev/zero", "dd"));
	TOUCHES("a=(1 $(p)) local b=$(q)\n[[ -e $(r) && x || $(s) ]]\n((t=$(u)))", COMMAND(1, "p"), BUILTIN(1, "local"), COMMAND(1, "q"),
		COMMAND(2, "r"), COMMAND(2, "s"), COMMAND(3, "u"));
	TOUCHES("case $(a) in $(b)) c;; esac; for i in $(d); do e; done; while f; do g; done >h", COMMAND(1, "a"), COMMAND(1, "b"), COMMAND(1, "c"),
		COMMAND(1, "d"), COMMAND(1, "e"), COMMAND(1, "f"), COMMAND(1, "g"), {NACRE_TOUCH_WRITE, 0, 1, "h", ""});
	TOUCHES("x=$(<f)", {NACRE_TOUCH_READ, 0, 1, "f", ""});
	TOUCHES("command -v git", BUILTIN(1, "command"));
	TOUCHES("cat <<E\n$(q)\nE", COMMAND(1, "cat"), COMMAND(2, "q"));
}

static void check_format(const char *script, const char *want, const nacre_format *style)
{
	nacre_script *s = parsed(script);
	size_t len = 0;
	char *text = NULL;

	CHECK(nacre_script_format(&text, &len, s, style) == 0);
	CHECK(text && strcmp(text, want) == 0 && len == strlen(want));
	if (text && strcmp(text, want) != 0)
		printf("--- got\n%s--- wanted\n%s", text, want);
	nacre_free(text);
	nacre_script_free(s);
}

static void test_format(void)
{
	nacre_format style = NACRE_FORMAT_INIT;

	check_format("", "", NULL);
	check_format("\n\n# a\n\n\n\n# b\n\n", "# a\n\n# b\n", NULL);
	check_format("a  ;b", "a\nb\n", NULL);
	check_format("if a;then b;fi # c", "if a; then b; fi # c\n", NULL);
	check_format("if a\nthen # t\n  b;c\nelse d\nfi>f", "if a; then # t\n\tb\n\tc\nelse\n\td\nfi >f\n", NULL);
	check_format("x=1   y <<E | z # c\n b\nE\nw", "x=1 y <<E | z # c\n b\nE\nw\n", NULL);
	check_format("a &&\n# why\nb||c \\\n d", "a &&\n\t# why\n\tb || c \\\n\t\td\n", NULL);
	check_format("case x in\n(a|b) c;;\nd)\ne\n# last\nesac", "case x in\na | b) c ;;\nd)\n\te\n\t;;\n# last\nesac\n", NULL);
	check_format("f()\n{\n a >b  <<<c\n}", "f() {\n\ta >b <<<c\n}\n", NULL);
	check_format("( (a) ; b )&c", "( (a); b) &\nc\n", NULL);
	style.indent = 2;
	style.case_indent = style.redirect_space = true;
	check_format("while a;do\ncase x in\ny) z >b 2>&1\n;;\nesac;done", "while a; do\n  case x in\n    y)\n      z > b 2>&1\n      ;;\n  esac\ndone\n",
		     &style);
	style.indent = 17;
	{
		nacre_script *s = parsed("x");
		char *text;

		CHECK(nacre_script_format(&text, NULL, s, &style) == -EINVAL && !text);
		nacre_script_free(s);
	}
}

/* Deep, long and wide: bounded by the parser, walked without recursion where it leans. */
static void test_hostile(void)
{
	size_t n = 200000;
	char *text = malloc(n * 8 + 64), *at = text;
	nacre_script *s = NULL;
	char *out = NULL;

	at += sprintf(at, "[[ a");
	for (size_t i = 0; i < n; i++)
		at += sprintf(at, " && $x");
	sprintf(at, " ]]");
	CHECK(nacre_parse(&s, text, 0, 0) == 0);
	nacre_free(nacre_script_json(s, NULL, 0));
	CHECK(nacre_script_touches(s) == 0);
	CHECK(nacre_script_format(&out, NULL, s, NULL) == 0);
	nacre_free(out);
	nacre_script_free(s);
	memset(text, '(', 5000);
	text[5000] = '\0';
	CHECK(nacre_parse(&s, text, 0, 0) == -EINVAL);
	nacre_script_free(s);
	free(text);
}

int main(void)
{
	test_mistakes();
	test_json();
	test_touches();
	test_format();
	test_hostile();
	return summary();
}
