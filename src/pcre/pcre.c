/*
 * pcre.c - how PCRE2 is kept within bounds.
 *
 * Memory: every block is of the arena; what the library frees stays there until the arena goes, so
 * nothing is allocated a match but the growing vector of its frames, which HEAP_LIMIT bounds.
 * Time: patterns are compiled with a callout before each of their items. Between two of them the
 * library at most runs once over the text, whose length is bounded; each of them counts as work about as
 * large as the way the match has moved since the last one. MATCH_LIMIT, as in GNU grep, ends
 * those matches that would never end.
 * Stack: compiling recurses with the parentheses and asks at each; matching does not recurse.
 */
#include "pcre.h"
#include "../base/fmt.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define MATCH_LIMIT 10000000u		/* steps back from one start; PCRE2's own default */
#define HEAP_LIMIT  (64u << 10)		/* KiB of frames */
#define NEST_LIMIT  250u		/* parentheses; PCRE2's own default */
#define TEXT_LIMIT  ((size_t)64 << 20)
#define STACK_BASE  ((size_t)48 << 10)	/* of a compilation without parentheses */
#define STACK_LEVEL ((size_t)16 << 10)	/* more than one pair of parentheses can need */

#define TEXT_TOO_LONG (-1000)		/* beside the library's results */

struct pcre {
	struct pcre_host host;
	pcre2_code *code;
	pcre2_match_context *context;
	pcre2_match_data *data;
	size_t behind;		/* see pcre_lookbehind */
	int ngroups;		/* of the last match, with the whole; 0: none was kept */
	size_t len, at;		/* of the text searched; where the last callout was */
};

static void *get(size_t n, void *arena)
{
	return arena_alloc(arena, n);
}

static void put(void *block, void *arena)
{
	(void)block;
	(void)arena;
}

static int at_item(pcre2_callout_block *b, void *data)
{
	struct pcre *re = data;
	size_t at = b->current_position, moved = at > re->at ? at - re->at : re->at - at;

	re->at = at;
	re->host.step(re->host.ctx, (uint32_t)(1 + moved / 16 + re->len / 4096));
	return 0;
}

static int at_parenthesis(uint32_t depth, void *data)
{
	struct pcre *re = data;

	(void)depth;
	return !re->host.stack(re->host.ctx, STACK_LEVEL);
}

/* The pattern as -w and -x want it; *n becomes its length. */
static const char *wrapped(struct arena *a, const char *pattern, size_t *n, unsigned flags)
{
	const char *before = flags & PCRE_LINE ? "^(?:" : "(?<!\\w)(?:", *after = flags & PCRE_LINE ? ")$" : ")(?!\\w)";
	size_t nb = strlen(before), na = strlen(after);
	char *s;

	if (!(flags & (PCRE_LINE | PCRE_WORD)))
		return pattern;
	s = arena_alloc(a, size_add(*n, nb + na));
	memcpy(s, before, nb);
	memcpy(s + nb, pattern, *n);
	memcpy(s + nb + *n, after, na);
	*n += nb + na;
	return s;
}

static pcre2_code *compile(struct pcre *re, pcre2_general_context *memory, const char *pattern, size_t n,
			   unsigned flags, char *message, size_t message_size)
{
	uint32_t options = PCRE2_DOLLAR_ENDONLY | PCRE2_AUTO_CALLOUT;
	pcre2_compile_context *context = pcre2_compile_context_create(memory);
	pcre2_code *code;
	PCRE2_SIZE where;
	int error;

	pcre2_set_parens_nest_limit(context, NEST_LIMIT);
	pcre2_set_compile_recursion_guard(context, at_parenthesis, re);
	options |= flags & PCRE_UTF8 ? PCRE2_UTF | PCRE2_MATCH_INVALID_UTF : 0;
	options |= flags & PCRE_ICASE ? PCRE2_CASELESS : 0;
	options |= flags & PCRE_UCP ? PCRE2_UCP : 0;
	options |= flags & PCRE_LINES ? PCRE2_MULTILINE | PCRE2_ALT_CIRCUMFLEX : 0;
	options |= flags & PCRE_DOTALL ? PCRE2_DOTALL : 0;
	pattern = wrapped(re->host.arena, pattern, &n, flags);
	code = pcre2_compile((PCRE2_SPTR)pattern, n, options, &error, &where, context);
	if (!code && pcre2_get_error_message(error, (PCRE2_UCHAR *)message, message_size) < 0)
		fmt_buf(message, message_size, "invalid pattern");
	return code;
}

struct pcre *pcre_compile(const struct pcre_host *host, const char *pattern, size_t n, unsigned flags,
			  char *message, size_t message_size)
{
	struct pcre *re = arena_zalloc(host->arena, sizeof(*re));
	pcre2_general_context *memory = pcre2_general_context_create(get, put, host->arena);

	uint32_t behind;

	re->host = *host;
	if (!host->stack(host->ctx, STACK_BASE)) {
		fmt_buf(message, message_size, "pattern is nested too deeply");
		return NULL;
	}
	re->code = compile(re, memory, pattern, n, flags, message, message_size);
	if (!re->code)
		return NULL;
	re->behind = pcre2_pattern_info(re->code, PCRE2_INFO_MAXLOOKBEHIND, &behind) == 0 ? behind : SIZE_MAX;
	re->context = pcre2_match_context_create(memory);
	pcre2_set_match_limit(re->context, MATCH_LIMIT);
	pcre2_set_heap_limit(re->context, HEAP_LIMIT);
	pcre2_set_callout(re->context, at_item, re);
	re->data = flags & PCRE_GROUPS ? pcre2_match_data_create_from_pattern(re->code, memory)
				       : pcre2_match_data_create(1, memory);
	return re;
}

int pcre_search(struct pcre *re, const char *buf, size_t len, size_t from, bool anchored, struct pcre_match *m)
{
	const PCRE2_SIZE *span;
	int r;

	if (len > TEXT_LIMIT)
		return TEXT_TOO_LONG;
	re->len = len;
	re->at = from;
	r = pcre2_match(re->code, (PCRE2_SPTR)buf, len, from, anchored ? PCRE2_ANCHORED : 0, re->data, re->context);
	re->ngroups = r > 0 ? r : 0;
	if (r == PCRE2_ERROR_NOMATCH)
		return 0;
	if (r < 0)
		return r;
	/* A \K within an assertion may leave the start behind the end. */
	span = pcre2_get_ovector_pointer(re->data);
	m->start = MIN(span[0], span[1]);
	m->end = span[1];
	return 1;
}

bool pcre_group(const struct pcre *re, size_t i, struct pcre_match *m)
{
	const PCRE2_SIZE *span = pcre2_get_ovector_pointer(re->data) + 2 * i;

	if (i >= (size_t)re->ngroups || span[0] == PCRE2_UNSET)
		return false;
	m->start = MIN(span[0], span[1]);
	m->end = span[1];
	return true;
}

size_t pcre_group_named(const struct pcre *re, const char *name, size_t n)
{
	char text[64];
	int r;

	if (n >= sizeof(text))
		return 0;
	memcpy(text, name, n);
	text[n] = '\0';
	r = pcre2_substring_number_from_name(re->code, (PCRE2_SPTR)text);
	return r > 0 ? (size_t)r : 0;
}

size_t pcre_lookbehind(const struct pcre *re)
{
	return re->behind;
}

const char *pcre_failure(int result)
{
	switch (result) {
	case TEXT_TOO_LONG: return "line too long for -P";
	case PCRE2_ERROR_MATCHLIMIT: return "exceeded PCRE's backtracking limit";
	case PCRE2_ERROR_DEPTHLIMIT: return "exceeded PCRE's nested backtracking limit";
	case PCRE2_ERROR_HEAPLIMIT: return "exceeded PCRE's heap limit";
	case PCRE2_ERROR_RECURSELOOP: return "PCRE detected recurse loop";
	case PCRE2_ERROR_NOMEMORY: return "memory exhausted";
	default: return "internal PCRE error";
	}
}
