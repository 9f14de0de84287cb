/*
 * touch_inner.c - commands that run a command given as their arguments.
 */
#include "touch.h"

struct runner {
	char name[8];
	char valued[12];  /* letters of the options that take the next word */
	uint8_t operands; /* before the command */
};

static const struct runner runners[] = {
        {"env", "uSC", 0},  {"nice", "n", 0},      {"nohup", "", 0},  {"timeout", "ks", 1}, {"xargs", "IdEnPLsa", 0},
        {"stdbuf", "ioe", 0}, {"setsid", "", 0},   {"exec", "a", 0},  {"builtin", "", 0},   {"command", "", 0},
        {"time", "fo", 0},  {"sudo", "ugpChDRT", 0}, {"busybox", "", 0},
};

static struct str text_of(const struct word *w)
{
	return w->flags & (WORD_LITERAL | WORD_RESOLVED) ? w->text : (struct str){w->raw, w->raw_len};
}

static const struct runner *find(struct str name)
{
	for (size_t i = 0; i < COUNTOF(runners); i++)
		if (str_is(name, runners[i].name))
			return &runners[i];
	return NULL;
}

static bool is_assignment(struct str s)
{
	const char *eq = memchr(s.ptr, '=', s.len);

	return eq && eq > s.ptr;
}

uint32_t touch_inner_command(const struct word *words, uint32_t n)
{
	const struct runner *r = find(text_of(words));
	uint32_t i = 1, operands = r ? r->operands : 0;

	if (!r)
		return 0;
	for (; i < n; i++) {
		struct str s = text_of(&words[i]);

		if (str_is(s, "--"))
			continue;
		if (s.len > 1 && *s.ptr == '-') {
			/* command -v only looks */
			if (str_is(text_of(words), "command") && (str_is(s, "-v") || str_is(s, "-V")))
				return 0;
			i += s.len == 2 && strchr(r->valued, s.ptr[1]) ? 1 : 0;
			continue;
		}
		if (operands) {
			operands--;
			continue;
		}
		if (str_is(text_of(words), "env") && is_assignment(s))
			continue;
		return i;
	}
	return 0;
}

uint32_t touch_script_operand(const struct word *words, uint32_t n)
{
	struct str name = text_of(words);
	bool wanted = false;
	const char *slash = name.len ? memrchr(name.ptr, '/', name.len) : NULL;

	if (slash)
		name = (struct str){slash + 1, name.len - (size_t)(slash + 1 - name.ptr)};
	if (!str_is(name, "bash") && !str_is(name, "sh") && !str_is(name, "dash") && !str_is(name, "nacre"))
		return 0;
	for (uint32_t i = 1; i < n; i++) {
		struct str s = text_of(&words[i]);

		if (s.len < 2 || (*s.ptr != '-' && *s.ptr != '+'))
			return wanted ? i : 0;
		if (s.ptr[1] == '-')
			continue;
		wanted |= *s.ptr == '-' && memchr(s.ptr, 'c', s.len) != NULL;
		i += s.ptr[s.len - 1] == 'o' || s.ptr[s.len - 1] == 'O';
	}
	return 0;
}
