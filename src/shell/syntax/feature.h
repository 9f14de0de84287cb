/*
 * feature.h - does a parsed command use a construct that the profile leaves out?
 *
 * A profile is a set of bits, one a construct (features.def). The parser knows nothing of them: it reads the whole
 * language, and what it has read is looked through here before any of it runs.
 *
 *	if (feature_find(arena, cmd, refused, src, end, &at))
 *		... feature_table[at.feature].what, at.off ...
 *
 * Layer     shell/syntax
 * Owns      nothing; works in the arena given
 */
#ifndef NACRE_SHELL_SYNTAX_FEATURE_H
#define NACRE_SHELL_SYNTAX_FEATURE_H

#include "../../base/arena.h"
#include "ast.h"

enum feature {
#define FEATURE(id, name, what, verb, example) FEATURE_##id,
#include "features.def"
#undef FEATURE
	FEATURE_COUNT
};

#define FEATURE_BIT(id) ((uint64_t)1 << FEATURE_##id)

struct feature_info {
	const char *name;    /* in policies */
	const char *what;    /* in messages: "arrays" */
	const char *verb;    /* "are" */
	const char *example; /* for help */
};

extern const struct feature_info feature_table[FEATURE_COUNT];

struct feature_place {
	enum feature feature;
	uint32_t off, line;
};

/* True, with the first place, when `cmd` uses one of `refused`. Its source is [src, end). */
bool feature_find(struct arena *arena, const struct cmd *cmd, uint64_t refused, const char *src,
                  const char *end, struct feature_place *first);

#endif
