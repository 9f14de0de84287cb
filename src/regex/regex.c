/*
 * regex.c - compilation of patterns, and the words for what goes wrong.
 *
 * Pattern, tree (parse.c), literals (literal.c), program (program.c). Nothing here changes
 * after; what matching learns is in the scratch.
 */
#include "regex.h"

#include "literal.h"
#include "scratch.h"
#include "syntax.h"

const char *regex_message(enum regex_code code)
{
	switch (code) {
	case REGEX_OK: return "Success";
	case REGEX_ECOLLATE: return "Invalid collation character";
	case REGEX_ECTYPE: return "Invalid character class name";
	case REGEX_EESCAPE: return "Trailing backslash";
	case REGEX_ESUBREG: return "Invalid back reference";
	case REGEX_EBRACK: return "Unmatched [, [^, [:, [., or [=";
	case REGEX_EPAREN: return "Unmatched ( or \\(";
	case REGEX_EBRACE: return "Unmatched \\{";
	case REGEX_BADBR: return "Invalid content of \\{\\}";
	case REGEX_ERANGE: return "Invalid range end";
	case REGEX_BADRPT: return "Invalid preceding regular expression";
	case REGEX_ESIZE: return "Regular expression too big";
	case REGEX_ERPAREN: return "Unmatched ) or \\)";
	case REGEX_BADPAT: return "Invalid regular expression";
	case REGEX_ECLASS: return "character class syntax is [[:space:]], not [:space:]";
	}
	return "Invalid regular expression";
}

const char *regex_failure(int result)
{
	switch (result) {
	case REGEX_TOO_HARD: return "back-references need more steps than allowed";
	case REGEX_TOO_LONG: return "sub-matches need more memory than allowed";
	default: return "Success";
	}
}

/* How many plain strings make a trie worth while: more than a finder takes. */
#define TRIE_FROM (FIND_MAX + 1)

/* True when the pattern has no operator: it is the string it shows. */
static bool is_plain(struct str s, unsigned flags)
{
	static const char special[] = "\\[.*^$+?{}()|\n";

	if (s.len == 0)
		return false;
	if ((flags & REGEX_DIALECT) == REGEX_LITERAL)
		return true;
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] && strchr(special, s.ptr[i]))
			return false;
	return true;
}

static struct node *add_trie(struct tree *t, const struct str *patterns, size_t n, unsigned flags)
{
	struct trie *trie = trie_new(t->arena);
	struct node *node;

	for (size_t i = 0; i < n; i++)
		if (is_plain(patterns[i], flags) &&
		    !trie_add(trie, (const unsigned char *)patterns[i].ptr, patterns[i].len,
		              flags & REGEX_ICASE, flags & REGEX_UTF8))
			return NULL;
	node = tree_node(t, NODE_TRIE);
	node->trie = trie;
	return node;
}

/* All patterns into one tree. */
static bool build_tree(struct tree *t, const struct str *patterns, size_t n, unsigned flags,
                       struct regex_error *err)
{
	struct node_list all = {0};
	size_t plain = 0;
	bool use_trie;

	for (size_t i = 0; i < n; i++)
		plain += is_plain(patterns[i], flags);
	use_trie = plain >= TRIE_FROM;
	for (size_t i = 0; i < n; i++) {
		struct node *node;

		if (use_trie && is_plain(patterns[i], flags))
			continue;
		node = tree_parse(t, patterns[i].ptr, patterns[i].len, flags, i, &err->code);
		if (!node) {
			err->pattern = i;
			return false;
		}
		node_list_add(&all, node);
	}
	if (use_trie) {
		struct node *node = add_trie(t, patterns, n, flags);

		if (!node) {
			err->code = REGEX_ESIZE;
			return false;
		}
		node_list_add(&all, node);
	}
	if (n == 0) { /* matches nothing: a byte of the empty set */
		struct byteset *none = arena_zalloc(t->arena, sizeof(*none));
		struct node *node = tree_node(t, NODE_SET);

		node->set = none;
		node_list_add(&all, node);
	}
	t->root = node_list_wrap(t, &all, NODE_ALT);
	return true;
}

static void wrap(struct tree *t, enum assertion before, enum assertion after)
{
	struct node_list l = {0};

	node_list_add(&l, tree_assert(t, before));
	node_list_add(&l, t->root);
	node_list_add(&l, tree_assert(t, after));
	t->root = node_list_wrap(t, &l, NODE_CAT);
}

static void set_hints(struct regex *re, const struct tree *t, bool is_wrapped)
{
	struct program *p = &re->program;

	if (!(re->flags & (REGEX_SLOW | REGEX_NOLIT)) && !p->odd_start)
		literals_choose(re, t, is_wrapped);
	byteclass_init(&re->first, &p->first);
	re->use_first = !p->is_nullable;
}

static struct regex *compile(struct arena *a, const struct str *patterns, size_t n, unsigned flags,
                             bool one, struct regex_error *err)
{
	struct tree t = {.arena = a};
	struct regex *re;
	bool is_wrapped = flags & (REGEX_WORD | REGEX_LINE);

	err->code = REGEX_OK;
	err->pattern = 0;
	if (!build_tree(&t, patterns, n, flags, err))
		return NULL;
	re = arena_zalloc(a, sizeof(*re));
	re->flags = flags;
	re->groups = t.groups;
	re->warnings = t.warnings;
	re->nwarnings = t.nwarnings;
	if (flags & REGEX_LINE)
		wrap(&t, ASSERT_TEXT_START, ASSERT_TEXT_END);
	else if (flags & REGEX_WORD)
		wrap(&t, ASSERT_NO_WORD_BEFORE, ASSERT_NO_WORD_AFTER);
	literals_analyse(&t, flags);
	if (!program_build(&re->program, &t, flags, one && !(flags & REGEX_NOSUB), &err->code))
		return NULL;
	set_hints(re, &t, is_wrapped);
	if (flags & REGEX_WORD && !(flags & REGEX_LINE) && t.root->is_nullable && !t.has_backrefs) {
		re->bare = compile(a, patterns, n, (flags & ~REGEX_WORD) | REGEX_NOSUB, false, err);
		if (!re->bare)
			return NULL;
	}
	return re;
}

static struct regex *finish(struct regex *re, struct regex_error *err)
{
	err->message = re ? NULL : regex_message(err->code);
	return re;
}

struct regex *regex_compile(struct arena *a, const char *pattern, size_t n, unsigned flags,
                            struct regex_error *err)
{
	struct regex_error own;
	struct str s = {pattern, n};

	err = err ? err : &own;
	return finish(compile(a, &s, 1, flags, true, err), err);
}

struct regex *regex_compile_set(struct arena *a, const struct str *patterns, size_t n,
                                unsigned flags, struct regex_error *err)
{
	struct regex_error own;

	err = err ? err : &own;
	return finish(compile(a, patterns, n, flags | REGEX_NOSUB, false, err), err);
}

unsigned regex_groups(const struct regex *re)
{
	return re->groups;
}

bool regex_may_fail(const struct regex *re)
{
	return re->program.has_backrefs || (re->groups && !(re->flags & REGEX_NOSUB));
}

const struct regex_warning *regex_warnings(const struct regex *re, size_t *n)
{
	*n = re->nwarnings;
	return re->warnings;
}

struct regex_scratch *regex_scratch_new(struct arena *a, const struct regex *re,
                                        void (*checkpoint)(void *ctx), void *ctx)
{
	struct regex_scratch *s = arena_zalloc(a, sizeof(*s));

	s->arena = a;
	s->re = re;
	s->checkpoint = checkpoint;
	s->ctx = ctx;
	return s;
}
