/*
 * special.h - variables the shell itself knows: computed ones, defaults, ones it watches.
 *
 * Private to this folder.
 *
 * Layer     shell/expand
 */
#ifndef NACRE_SHELL_EXPAND_SPECIAL_H
#define NACRE_SHELL_EXPAND_SPECIAL_H

#include "state.h"

/* Sorted by name. id, name, kind, attributes. */
#define SPECIALS(X)                                                                                \
	X(BASH, "BASH", SPECIAL_DEFAULT, 0)                                                        \
	X(BASHOPTS, "BASHOPTS", SPECIAL_SCALAR, VAR_READONLY)                                      \
	X(BASHPID, "BASHPID", SPECIAL_SCALAR, VAR_INTEGER)                                         \
	X(BASH_ALIASES, "BASH_ALIASES", SPECIAL_MAP, 0)                                            \
	X(BASH_ARGC, "BASH_ARGC", SPECIAL_LIST, 0)                                                 \
	X(BASH_ARGV, "BASH_ARGV", SPECIAL_LIST, 0)                                                 \
	X(BASH_ARGV0, "BASH_ARGV0", SPECIAL_SCALAR, 0)                                             \
	X(BASH_CMDS, "BASH_CMDS", SPECIAL_MAP, 0)                                                  \
	X(BASH_COMMAND, "BASH_COMMAND", SPECIAL_SCALAR, 0)                                         \
	X(BASH_EXECUTION_STRING, "BASH_EXECUTION_STRING", SPECIAL_DEFAULT, 0)                      \
	X(BASH_LINENO, "BASH_LINENO", SPECIAL_LIST, 0)                                             \
	X(BASH_LOADABLES_PATH, "BASH_LOADABLES_PATH", SPECIAL_DEFAULT, 0)                          \
	X(BASH_SOURCE, "BASH_SOURCE", SPECIAL_LIST, 0)                                             \
	X(BASH_SUBSHELL, "BASH_SUBSHELL", SPECIAL_SCALAR, 0)                                       \
	X(BASH_VERSINFO, "BASH_VERSINFO", SPECIAL_LIST, VAR_READONLY)                              \
	X(BASH_VERSION, "BASH_VERSION", SPECIAL_DEFAULT, 0)                                        \
	X(DIRSTACK, "DIRSTACK", SPECIAL_LIST, 0)                                                   \
	X(EPOCHREALTIME, "EPOCHREALTIME", SPECIAL_SCALAR, 0)                                       \
	X(EPOCHSECONDS, "EPOCHSECONDS", SPECIAL_SCALAR, 0)                                         \
	X(EUID, "EUID", SPECIAL_SCALAR, VAR_READONLY | VAR_INTEGER)                                \
	X(FUNCNAME, "FUNCNAME", SPECIAL_LIST, 0)                                                   \
	X(FUNCNEST, "FUNCNEST", SPECIAL_WATCHED, 0)                                                \
	X(GLOBIGNORE, "GLOBIGNORE", SPECIAL_WATCHED, 0)                                            \
	X(GROUPS, "GROUPS", SPECIAL_LIST, 0)                                                       \
	X(HISTCMD, "HISTCMD", SPECIAL_SCALAR, VAR_INTEGER)                                         \
	X(HOSTNAME, "HOSTNAME", SPECIAL_DEFAULT, 0)                                                \
	X(HOSTTYPE, "HOSTTYPE", SPECIAL_DEFAULT, 0)                                                \
	X(IFS, "IFS", SPECIAL_DEFAULT, 0)                                                          \
	X(LANG, "LANG", SPECIAL_WATCHED, 0)                                                        \
	X(LC_ALL, "LC_ALL", SPECIAL_WATCHED, 0)                                                    \
	X(LC_CTYPE, "LC_CTYPE", SPECIAL_WATCHED, 0)                                                \
	X(LINENO, "LINENO", SPECIAL_SCALAR, 0)                                                     \
	X(MACHTYPE, "MACHTYPE", SPECIAL_DEFAULT, 0)                                                \
	X(OPTERR, "OPTERR", SPECIAL_DEFAULT, 0)                                                    \
	X(OPTIND, "OPTIND", SPECIAL_DEFAULT, VAR_INTEGER)                                          \
	X(OSTYPE, "OSTYPE", SPECIAL_DEFAULT, 0)                                                    \
	X(PATH, "PATH", SPECIAL_DEFAULT, 0)                                                        \
	X(PIPESTATUS, "PIPESTATUS", SPECIAL_LIST, 0)                                               \
	X(POSIXLY_CORRECT, "POSIXLY_CORRECT", SPECIAL_WATCHED, 0)                                  \
	X(PPID, "PPID", SPECIAL_SCALAR, VAR_READONLY | VAR_INTEGER)                                \
	X(PS4, "PS4", SPECIAL_DEFAULT, 0)                                                          \
	X(RANDOM, "RANDOM", SPECIAL_SCALAR, VAR_INTEGER)                                           \
	X(SECONDS, "SECONDS", SPECIAL_SCALAR, VAR_INTEGER)                                         \
	X(SHELL, "SHELL", SPECIAL_DEFAULT, 0)                                                      \
	X(SHELLOPTS, "SHELLOPTS", SPECIAL_SCALAR, VAR_READONLY)                                    \
	X(SRANDOM, "SRANDOM", SPECIAL_SCALAR, VAR_INTEGER)                                         \
	X(TERM, "TERM", SPECIAL_DEFAULT, 0)                                                        \
	X(UID, "UID", SPECIAL_SCALAR, VAR_READONLY | VAR_INTEGER)                                  \
	X(UNDERSCORE, "_", SPECIAL_SCALAR, 0)

enum special_kind {
	SPECIAL_SCALAR,  /* computed at each access */
	SPECIAL_LIST,    /* computed indexed array */
	SPECIAL_MAP,     /* computed associative array */
	SPECIAL_DEFAULT, /* an ordinary variable that starts with a value */
	SPECIAL_WATCHED, /* an ordinary variable whose change means something */
};

enum special_id {
	SPECIAL_NONE,
#define X(id, name, kind, attrs) SPECIAL_##id,
	SPECIALS(X)
#undef X
	        SPECIAL_COUNT,
};

enum special_id special_find(const char *name, size_t n);
enum special_kind special_kind(enum special_id id);
const char *special_name(enum special_id id);
uint32_t special_attrs(enum special_id id);
/* False once it was unset: it is an ordinary name then. */
static inline bool special_alive(const struct shell_state *st, enum special_id id)
{
	return id != SPECIAL_NONE && !(st->special_off >> id & 1);
}
static inline bool special_computed(enum special_id id)
{
	return id != SPECIAL_NONE && special_kind(id) <= SPECIAL_MAP;
}

/* The text of a scalar or a default. False: no value now. */
bool special_get(struct shell_state *st, enum special_id id, char buf[VALUE_BUF], struct str *out);
/* An assignment to a computed scalar, or to element `index` of a computed list. */
void special_set(struct shell_state *st, enum special_id id, int64_t index, struct str value);
/* The binding of a name the shell watches has changed or gone. */
void special_hook(struct shell_state *st, enum special_id id);

void ifs_load(struct shell_state *st);
/* import.c: a new state's variables, from the environment of its proc. */
void state_import(struct shell_state *st);

#endif
