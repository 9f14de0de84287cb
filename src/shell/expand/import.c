/* import.c - what a shell takes from the environment it is started in, and the level and directories that follow. */
#include "var.h"
#include "../../user/user.h"

/* SHELLOPTS and BASHOPTS of the environment switch options on. */
static void import_options(struct shell_state *st, struct str list, bool shopt)
{
	size_t at = 0;

	while (at < list.len) {
		const char *colon = memchr(list.ptr + at, ':', list.len - at);
		size_t n = colon ? (size_t)(colon - (list.ptr + at)) : list.len - at;
		struct str name = {list.ptr + at, n};
		int i = shopt ? shopt_by_name(name) : set_by_name(name);

		if (i >= 0 && shopt)
			st->shopts |= (uint64_t)1 << i;
		else if (i >= 0)
			st->opts |= (uint64_t)1 << i;
		at += n + 1;
	}
}

static void import_env(struct shell_state *st)
{
	char *const *env = sys_self(st->p)->env;

	for (size_t i = 0; env && env[i]; i++) {
		const char *eq = strchr(env[i], '=');
		struct str name, value;
		enum special_id id;

		if (!eq)
			continue;
		name = (struct str){env[i], (size_t)(eq - env[i])};
		value = str_from(eq + 1);
		if (!name_valid(name)) {
			if (name.len && !(name.len > 2 && memcmp(eq - 2, "%%", 2) == 0))
				state_set_text(st, &st->foreign, name, value);
			continue;
		}
		id = ascii_lower(name.ptr[0]) ? SPECIAL_NONE : special_find(name.ptr, name.len);
		if (id == SPECIAL_SHELLOPTS || id == SPECIAL_BASHOPTS) {
			import_options(st, value, id == SPECIAL_BASHOPTS);
			continue;
		}
		if (id == SPECIAL_SECONDS)
			(void)state_put(st, name, VAR_VISIBLE, value, false);
		if (id == SPECIAL_IFS || id == SPECIAL_OPTIND || id == SPECIAL_OPTERR ||
		    id == SPECIAL_UNDERSCORE || id == SPECIAL_BASH || id == SPECIAL_BASH_VERSION ||
		    id == SPECIAL_BASH_EXECUTION_STRING ||
		    special_computed(id))
			continue;
		if (state_put(st, name, VAR_VISIBLE, value, false) == VAR_OK)
			state_declare(st, name, VAR_VISIBLE, VAR_EXPORT, 0, NULL);
	}
}

static void init_level(struct shell_state *st)
{
	char buf[VALUE_BUF];
	struct str s;
	bool overflow = false;
	int64_t level = 0;

	if (state_get(st, STR("SHLVL"), buf, &s)) {
		const char *end;

		level = num_i64(s.ptr, &end, 10, &overflow);
		if (*end || overflow)
			level = 0;
	}
	level = level >= 999 ? 1 : level < -1 ? 0 : level + 1;
	state_set_i64(st, STR("SHLVL"), level);
	state_declare(st, STR("SHLVL"), VAR_VISIBLE, VAR_EXPORT, 0, NULL);
}

/* What is no directory was not left by another shell. */
static bool is_directory(struct shell_state *st, struct str path)
{
	struct sys_stat s;

	return sys_stat(st->p, u_strndup(st->p, path.ptr, path.len), 0, &s) == 0 &&
	       (s.mode & SYS_S_TYPE) == SYS_S_DIR;
}

static void init_cwd(struct shell_state *st)
{
	char buf[VALUE_BUF];
	struct str old;

	state_set(st, STR("PWD"), state_cwd(st));
	state_declare(st, STR("PWD"), VAR_VISIBLE, VAR_EXPORT, 0, NULL);
	if (state_get(st, STR("OLDPWD"), buf, &old) && !is_directory(st, old))
		(void)state_unset(st, STR("OLDPWD"));
	if (!state_find(st, STR("OLDPWD")))
		state_declare(st, STR("OLDPWD"), VAR_VISIBLE, VAR_EXPORT, 0, NULL);
}

void state_import(struct shell_state *st)
{
	import_env(st);
	special_hook(st, SPECIAL_LC_ALL); /* whether text is UTF-8 */
	init_level(st);
	init_cwd(st);
}
