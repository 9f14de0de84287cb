/*
 * fuzz_format.c - any bytes as a shell script that is looked at: its tree, its layout, its touches.
 *
 * What was laid out parses, and laid out again stays as it is. A few texts are refused (a backslash at the
 * very end): none may come out with another meaning.
 */
#include <errno.h>
#include <nacre/parse.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void again(const char *text, size_t len, unsigned flags, const nacre_format *style)
{
	nacre_script *s;
	char *text2;
	size_t len2;

	if (nacre_parse(&s, text, len, flags) != 0 || nacre_script_format(&text2, &len2, s, style) != 0)
		abort();
	if (len != len2 || memcmp(text, text2, len) != 0)
		abort();
	nacre_free(text2);
	nacre_script_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	nacre_format style = NACRE_FORMAT_INIT;
	unsigned flags = size ? data[0] & NACRE_PARSE_POSIX : 0;
	nacre_script *s = NULL;
	char *text;
	size_t len;
	int e;

	if (size < 2 || size > 4096)
		return 0;
	style.indent = data[0] >> 5;
	style.case_indent = data[0] & 2;
	style.redirect_space = data[0] & 4;
	if (nacre_parse(&s, (const char *)data + 1, size - 1, flags) == 0) {
		nacre_free(nacre_script_json(s, NULL, NACRE_JSON_POSITIONS));
		for (size_t i = nacre_script_touches(s); i--;) {
			nacre_touch t = {.size = sizeof(t)};

			if (nacre_script_touch(&t, s, i) != 0)
				abort();
		}
		e = nacre_script_format(&text, &len, s, &style);
		if (e == 0 && len)
			again(text, len, flags, &style);
		else if (e != 0 && e != -ENOMEM && e != -EOPNOTSUPP)
			abort();
		nacre_free(text);
	}
	nacre_script_free(s);
	return 0;
}
