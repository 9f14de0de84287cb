/* words.c - arguments that are one of a few words. */
#include "words.h"

bool u_word_find(const char *arg, const struct u_word *words, size_t n, int *value, bool *ambiguous)
{
	size_t len = strlen(arg);
	bool found = false;

	*ambiguous = false;
	for (size_t i = 0; i < n; i++) {
		if (strncmp(words[i].name, arg, len) != 0)
			continue;
		if (!words[i].name[len]) {
			*value = words[i].value;
			*ambiguous = false;
			return true;
		}
		if (found && words[i].value != *value)
			*ambiguous = true;
		if (!found)
			*value = words[i].value;
		found = true;
	}
	return found && !*ambiguous;
}

int u_word_or_die(struct proc *p, const char *option, const char *arg, const struct u_word *words,
		  size_t n)
{
	bool ambiguous;
	struct u_buf b;
	int value;

	if (u_word_find(arg, words, n, &value, &ambiguous))
		return value;
	u_buf_init(&b, p, 0);
	for (size_t i = 0; i < n; i++) {
		bool more = i > 0 && words[i].value == words[i - 1].value;

		u_buf_printf(&b, "%s%s", more ? ", " : "\n  - ", u_quote(p, words[i].name));
	}
	u_warn(p, 0, "%s argument %s for %s\nValid arguments are:%s",
	       ambiguous ? "ambiguous" : "invalid", u_quote(p, arg), u_quote(p, option), b.ptr);
	u_try_help_as(p, 1);
}
