/*
 * policy.h - what may be read and written: deny patterns, judged on resolved paths.
 *
 * A pattern is a path with "*" inside a component and "**" as a component; not starting
 * with "/" it matches at any depth. It covers the whole subtree below what it matches. The
 * characters ? [ ] \ and an empty pattern are refused when it is made (acceptance FS-04).
 *
 * Layer     vfs; base, abi
 * Threads   one runtime's; what is said never changes once it is made
 */
#ifndef NACRE_VFS_POLICY_H
#define NACRE_VFS_POLICY_H

#include "../abi/sys.h"
#include "../base/quota.h"

enum policy_access { POLICY_READ = 1, POLICY_WRITE = 2 };

struct policy_denial {
	const char *path;      /* resolved, absolute */
	const char *operation; /* "open", "rename"... */
	enum policy_access access;
	size_t rule; /* index of the pattern */
	const char *pattern;
	int err; /* -NACRE_EACCES or -NACRE_EROFS */
};

struct policy;

MUST_USE struct policy *policy_new(struct quota *q);
void policy_put(struct policy *p);
struct policy *policy_get(struct policy *p);
/* 0; -NACRE_EINVAL with *why (a constant text) when the pattern is malformed; -NACRE_ENOMEM. */
MUST_USE int policy_deny(struct policy *p, const char *pattern, unsigned access, const char **why);

/* Roots: once there is one, or policy_close was called, only what is below a root may be reached; the longest
 * root above a path says how. `path` is absolute and clean. */
MUST_USE int policy_allow(struct policy *p, const char *path, unsigned access);
void policy_close(struct policy *p);
/* Writing refuses every link on the way and files with several names; reading follows at most 10 links. */
void policy_guard_links(struct policy *p);
bool policy_guards_links(const struct policy *p);

/* Rules that are no patterns. */
#define POLICY_RULE_ROOTS (SIZE_MAX - 1)
#define POLICY_RULE_LINKS (SIZE_MAX - 2)
#define POLICY_RULE_MOUNT (SIZE_MAX - 3)

/* True when access to `path` (absolute, clean, `len` bytes long) is refused; *rule the pattern's index, or POLICY_RULE_... */
bool policy_refuses(const struct policy *p, const char *path, size_t len, unsigned access, size_t *rule);
/* True when anything below `path` could be refused: rename and recursive removal of a
 * directory ask this. */
bool policy_refuses_below(const struct policy *p, const char *path, unsigned access, size_t *rule);
const char *policy_pattern(const struct policy *p, size_t rule);

#endif
