/* env.c - the environment as programs ask it. */
#include "state.h"

const char *u_getenv(struct proc *p, const char *name)
{
	char **env = sys_self(p)->env;
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (**env == *name && strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	return NULL;
}

static bool names_utf8(const char *charset)
{
	static const char want[] = "utf8";
	size_t i = 0;

	for (; *charset && *charset != '@'; charset++) {
		if (*charset == '-')
			continue;
		if (i == 4 || ascii_tolower((unsigned char)*charset) != want[i])
			return false;
		i++;
	}
	return i == 4;
}

bool u_utf8(struct proc *p)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < COUNTOF(names); i++) {
		const char *v = u_getenv(p, names[i]), *dot;

		if (!v || !*v)
			continue;
		dot = strchr(v, '.');
		return dot && names_utf8(dot + 1);
	}
	return true;
}
