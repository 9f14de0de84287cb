/*
 * parse.h - shell scripts looked at instead of run: their tree, their layout, what they could touch.
 *
 *	nacre_script *s;
 *	if (nacre_parse(&s, text, len, 0) == 0)
 *		for (size_t i = 0; i < nacre_script_touches(s); i++)
 *			nacre_script_touch(&touch, s, i);
 *	nacre_script_free(s);
 *
 * Nothing is run, and no runtime is needed. The grammar is bash's; aliases are not expanded.
 *
 * Threads: a script belongs to one thread at a time; several scripts may be used in several threads.
 * Errors: 0 or a negative code, as in nacre.h.
 */
#ifndef NACRE_PARSE_H
#define NACRE_PARSE_H

#include <nacre/nacre.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nacre_script nacre_script;

enum nacre_parse_flags { NACRE_PARSE_POSIX = 1 /* as under `set -o posix` */ };

/* Parses a whole script (len 0: strlen(text)); the text is copied. -NACRE_EINVAL: it does not parse, and *out tells
 * why (nacre_script_error); other errors leave *out NULL. At most 64 MiB of text, 1 GiB of memory. */
NACRE_API int nacre_parse(nacre_script **out, const char *text, size_t len, unsigned flags);
NACRE_API void nacre_script_free(nacre_script *s);

typedef struct nacre_position {
	size_t size;		/* sizeof(nacre_position), set by the caller */
	uint32_t line, column;	/* from 1; the column in bytes */
	uint32_t offset;	/* bytes from the start of the text */
} nacre_position;
/* What is wrong, in bash's words ("syntax error near unexpected token `fi'"), and where; "" when nothing is. */
NACRE_API const char *nacre_script_error(const nacre_script *s, nacre_position *at);

enum nacre_json_flags { NACRE_JSON_POSITIONS = 1 /* with "offset", "end" and "line" */ };
/* The tree as JSON (docs/parse.md), in memory of nacre's (nacre_free). NULL without memory, and for a script that
 * does not parse. *len without the NUL behind it; may be NULL. */
NACRE_API char *nacre_script_json(nacre_script *s, size_t *len, unsigned flags);

typedef struct nacre_format {
	size_t size;		/* sizeof(nacre_format) */
	unsigned indent;	/* columns a level; 0: a tab */
	bool case_indent;	/* the patterns of a case one level further in */
	bool redirect_space;	/* "> file" */
} nacre_format;
#define NACRE_FORMAT_INIT {sizeof(nacre_format), 0, false, false}
/* The script in one layout: words, here-documents and comments as written, all between them laid out anew. *text is
 * nacre's (nacre_free). What comes out is parsed again and compared: -NACRE_EOPNOTSUPP when it would not mean the same. */
NACRE_API int nacre_script_format(char **text, size_t *len, nacre_script *s, const nacre_format *style);

enum nacre_touch_kind {
	NACRE_TOUCH_COMMAND,	/* a command is run */
	NACRE_TOUCH_READ,	/* a redirection reads a file */
	NACRE_TOUCH_WRITE,	/* a redirection creates or truncates it */
	NACRE_TOUCH_APPEND,
	NACRE_TOUCH_PATH,	/* an argument that is, or looks like, a path */
	NACRE_TOUCH_CODE,	/* text that is run as a script and could not be looked into */
};
enum nacre_touch_flags {
	NACRE_TOUCH_DYNAMIC = 1,	/* known only when it runs: `text` is its source */
	NACRE_TOUCH_BUILTIN = 2,	/* a command of the shell itself */
	NACRE_TOUCH_FUNCTION = 4,	/* the script defines a function of this name */
	NACRE_TOUCH_PATTERN = 8,	/* a glob: any number of paths */
};
typedef struct nacre_touch {
	size_t size;		/* sizeof(nacre_touch), set by the caller */
	enum nacre_touch_kind kind;
	unsigned flags;
	const char *text;	/* lives as long as the script */
	const char *command;	/* whose argument or redirection it is; "" when not known */
	uint32_t line, offset;
} nacre_touch;
/* What the script names, in source order: in functions, branches and substitutions, and behind env, xargs, bash -c and
 * the like. For asking a person; it is no policy: a script can compute what it does not name. */
NACRE_API size_t nacre_script_touches(nacre_script *s);
NACRE_API int nacre_script_touch(nacre_touch *out, nacre_script *s, size_t i);

#ifdef __cplusplus
}
#endif

#endif
