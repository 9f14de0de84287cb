/*
 * policy.c - deny patterns: each is a small automaton over the components of a path.
 *
 * A state is a position in the pattern's components; the set of states is a bit set, which is
 * why a pattern has at most MAX_PARTS of them. A pattern that does not start with "/" has an
 * implicit "**" in front. The end position reached anywhere on the way means: this, or something
 * above it, is matched.
 *
 * Most questions are about names in a directory that was asked about not long ago. What the patterns
 * could match there is kept as two sets of characters: a name that neither begins with one of
 * the first nor ends with one of the second is matched by none.
 */
#include "policy.h"

#include "../abi/errno.h"

#define MAX_PARTS   62u
#define MAX_PATTERN 4096u

enum part_kind {
	PART_LITERAL,
	PART_GLOB, /* has a "*" */
	PART_DEEP, /* "**" */
};

struct part {
	const char *s;
	uint32_t len;
	enum part_kind kind;
};

struct rule {
	unsigned access;
	uint32_t nparts;
	size_t size;      /* of this block */
	const char *text; /* as given */
	struct part parts[];
};

/* What patterns that concern an access could match in a directory. */
struct recent {
	bool known;
	bool filters; /* the sets below tell what cannot be matched */
	uint32_t len;
	unsigned char bits[256]; /* by character: BEGINS, ENDS */
	char dir[248]; /* 512 bytes in all: places in the table are found by shifting */
};

enum { BEGINS = 1, ENDS = 2 };

#define RECENT 8u

struct root {
	uint32_t len;
	unsigned access;
	char path[];
};

struct policy {
	uint32_t refs;
	bool closed, guards_links;
	uint32_t nroots;
	struct root **roots; /* nroots of them, each a block of its own */
	struct recent recent[3][RECENT]; /* by access, and by a hash of the directory */
	uint32_t n, cap;
	struct quota *quota;
	struct rule **rules;
};

/* ---- Life cycle --------------------------------------------------------------------- */

struct policy *policy_new(struct quota *q)
{
	struct policy *p = kzalloc(q, sizeof(*p));

	if (p) {
		p->refs = 1;
		p->quota = q;
	}
	return p;
}

struct policy *policy_get(struct policy *p)
{
	p->refs++;
	return p;
}

void policy_put(struct policy *p)
{
	if (!p || --p->refs > 0)
		return;
	for (uint32_t i = 0; i < p->n; i++)
		kfree(p->quota, p->rules[i], p->rules[i]->size);
	kfree(p->quota, p->rules, p->cap * sizeof(struct rule *));
	for (uint32_t i = 0; i < p->nroots; i++)
		kfree(p->quota, p->roots[i], sizeof(struct root) + p->roots[i]->len + 1);
	kfree(p->quota, p->roots, p->nroots * sizeof(struct root *));
	kfree(p->quota, p, sizeof(*p));
}

static bool reserve(struct policy *p)
{
	uint32_t cap = p->cap ? p->cap * 2 : 8;
	struct rule **v;

	if (p->n < p->cap)
		return true;
	v = kalloc(p->quota, cap * sizeof(struct rule *));
	if (!v)
		return false;
	if (p->n)
		memcpy(v, p->rules, p->n * sizeof(struct rule *));
	kfree(p->quota, p->rules, p->cap * sizeof(struct rule *));
	p->rules = v;
	p->cap = cap;
	return true;
}

/* ---- Patterns ------------------------------------------------------------------------- */

static const char *part_fault(const char *s, size_t n)
{
	if (n == 0)
		return "a pattern has no empty component";
	if ((n == 1 && s[0] == '.') || (n == 2 && s[0] == '.' && s[1] == '.'))
		return "a pattern has no \".\" or \"..\" component";
	for (size_t i = 0; n > 2 && i + 1 < n; i++)
		if (s[i] == '*' && s[i + 1] == '*')
			return "\"**\" must be a whole component";
	return NULL;
}

/* Counts the components; the fault of the pattern, NULL when it is good. */
static const char *check(const char *pattern, uint32_t *nparts)
{
	size_t n = strlen(pattern);
	const char *s = pattern + (pattern[0] == '/');

	*nparts = 0;
	if (n == 0)
		return "a pattern must not be empty";
	if (n > MAX_PATTERN)
		return "the pattern is too long";
	if (strpbrk(pattern, "?[]\\"))
		return "only \"*\" and \"**\" are special; ? [ ] and \\ are not allowed";
	while (*s) {
		size_t len = strcspn(s, "/");
		const char *fault = part_fault(s, len);

		if (fault)
			return fault;
		if (++*nparts >= MAX_PARTS)
			return "the pattern has too many components";
		s += len;
		s += *s == '/';
	}
	return NULL;
}

static enum part_kind kind_of(const char *s, size_t n)
{
	if (n == 2 && s[0] == '*' && s[1] == '*')
		return PART_DEEP;
	return memchr(s, '*', n) ? PART_GLOB : PART_LITERAL;
}

int policy_deny(struct policy *p, const char *pattern, unsigned access, const char **why)
{
	bool anywhere = pattern[0] != '/' && kind_of(pattern, strcspn(pattern, "/")) != PART_DEEP; /* else it says so itself */
	size_t len = strlen(pattern), size;
	uint32_t n;
	struct rule *r;
	const char *s;
	char *text;

	*why = check(pattern, &n);
	if (*why)
		return -NACRE_EINVAL;
	if (!reserve(p))
		return -NACRE_ENOMEM;
	size = sizeof(*r) + (n + anywhere) * sizeof(struct part) + len + 1;
	r = kalloc(p->quota, size);
	if (!r)
		return -NACRE_ENOMEM;
	text = (char *)&r->parts[n + anywhere];
	memcpy(text, pattern, len + 1);
	*r = (struct rule){.access = access, .size = size, .text = text};
	if (anywhere)
		r->parts[r->nparts++] = (struct part){"**", 2, PART_DEEP};
	for (s = text + (text[0] == '/'); *s;) {
		size_t part = strcspn(s, "/");

		r->parts[r->nparts++] = (struct part){s, (uint32_t)part, kind_of(s, part)};
		s += part;
		s += *s == '/';
	}
	p->rules[p->n++] = r;
	memset(p->recent, 0, sizeof(p->recent));
	return 0;
}

int policy_allow(struct policy *p, const char *path, unsigned access)
{
	size_t len = streq(path, "/") ? 0 : strlen(path);
	struct root *r = kalloc(p->quota, sizeof(*r) + len + 1);
	struct root **v = kalloc(p->quota, (p->nroots + 1) * sizeof(*v));

	if (!r || !v) {
		kfree(p->quota, r, sizeof(*r) + len + 1);
		kfree(p->quota, v, (p->nroots + 1) * sizeof(*v));
		return -NACRE_ENOMEM;
	}
	r->len = (uint32_t)len;
	r->access = access;
	memcpy(r->path, path, len);
	r->path[len] = '\0';
	if (p->nroots)
		memcpy(v, p->roots, p->nroots * sizeof(*v));
	v[p->nroots] = r;
	kfree(p->quota, p->roots, p->nroots * sizeof(*v));
	p->roots = v;
	p->nroots++;
	p->closed = true;
	return 0;
}

void policy_close(struct policy *p)
{
	p->closed = true;
}

void policy_guard_links(struct policy *p)
{
	p->guards_links = true;
}

bool policy_guards_links(const struct policy *p)
{
	return p->guards_links;
}

const char *policy_pattern(const struct policy *p, size_t rule)
{
	if (rule == POLICY_RULE_LINKS)
		return "symlinks are not supported as write targets";
	if (rule >= p->n)
		return "";
	return p->rules[rule]->text;
}

/* ---- Matching -------------------------------------------------------------------------- */

/* "*" alone is special. */
static bool glob(const char *p, size_t pn, const char *s, size_t sn)
{
	size_t pi = 0, si = 0, star = SIZE_MAX, mark = 0;

	while (si < sn) {
		if (pi < pn && p[pi] == '*') {
			star = pi++;
			mark = si;
		} else if (pi < pn && p[pi] == s[si]) {
			pi++;
			si++;
		} else if (star != SIZE_MAX) {
			pi = star + 1;
			si = ++mark;
		} else {
			return false;
		}
	}
	while (pi < pn && p[pi] == '*')
		pi++;
	return pi == pn;
}

static bool part_matches(const struct part *part, const char *s, size_t n)
{
	if (part->kind == PART_LITERAL)
		return part->len == n && memcmp(part->s, s, n) == 0;
	return glob(part->s, part->len, s, n);
}

/* Adds what is reached without a component: over every "**". */
static uint64_t close_over(const struct rule *r, uint64_t set)
{
	for (uint32_t i = 0; i < r->nparts; i++)
		if ((set >> i & 1) && r->parts[i].kind == PART_DEEP)
			set |= (uint64_t)1 << (i + 1);
	return set;
}

static uint64_t step(const struct rule *r, uint64_t set, const char *s, size_t n)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < r->nparts; i++) {
		if (!(set >> i & 1))
			continue;
		if (r->parts[i].kind == PART_DEEP)
			next |= (uint64_t)1 << i;
		else if (part_matches(&r->parts[i], s, n))
			next |= (uint64_t)1 << (i + 1);
	}
	return close_over(r, next);
}

/* The states after `path`; only the end state when it or something above it is matched. */
static uint64_t run(const struct rule *r, const char *path)
{
	const uint64_t end = (uint64_t)1 << r->nparts;
	uint64_t set = close_over(r, 1);

	for (;;) {
		size_t n;

		if (set & end)
			return end;
		while (*path == '/')
			path++;
		if (!*path || !set)
			return set;
		n = strcspn(path, "/");
		set = step(r, set, path, n);
		path += n;
	}
}

/* ---- The directory asked about last ------------------------------------------------------- */

/* Adds what names a rule in these states would match; false when that cannot be said. */
static bool add_rule(struct recent *d, const struct rule *r, uint64_t set)
{
	const uint64_t end = (uint64_t)1 << r->nparts;

	if (set & end)
		return false;
	for (uint32_t i = 0; i < r->nparts; i++) {
		const struct part *part = &r->parts[i];

		if (!(set >> i & 1) || part->kind == PART_DEEP ||
		    !(close_over(r, (uint64_t)1 << (i + 1)) & end))
			continue;
		if (part->s[0] != '*')
			d->bits[(unsigned char)part->s[0]] |= BEGINS;
		else if (part->s[part->len - 1] != '*')
			d->bits[(unsigned char)part->s[part->len - 1]] |= ENDS;
		else
			return false;
	}
	return true;
}

/* As part_matches, of a name that most often does not: its first or last character tells. */
static bool is_name(const struct part *part, const char *s, size_t n)
{
	if (part->s[0] != '*' ? part->s[0] != s[0] : part->s[part->len - 1] != '*' && part->s[part->len - 1] != s[n - 1])
		return false;
	return part_matches(part, s, n);
}

/* The states of a rule after a directory; most often its text tells that they are those of "/". */
static uint64_t states_at(const struct rule *r, const char *dir)
{
	const bool deep = r->nparts && r->parts[0].kind == PART_DEEP;
	const struct part *first = r->nparts > deep ? &r->parts[deep] : NULL;

	if (!first || first->kind == PART_DEEP)
		return run(r, dir);
	if (!*dir)
		return close_over(r, 1);
	for (const char *at = dir + 1;; at++) {
		const char *end = strchrnul(at, '/');

		if (is_name(first, at, (size_t)(end - at)))
			return run(r, dir);
		if (!deep)
			return 0;
		if (!*end)
			return close_over(r, 1);
		at = end;
	}
}

static NOINLINE void look_at(struct policy *p, struct recent *d, const char *dir, size_t len,
                    unsigned access)
{
	memcpy(d->dir, dir, len);
	d->dir[len] = '\0';
	d->len = (uint32_t)len;
	d->known = d->filters = true;
	memset(d->bits, 0, sizeof(d->bits));
	for (uint32_t i = 0; i < p->n && d->filters; i++)
		if (p->rules[i]->access & access)
			d->filters = add_rule(d, p->rules[i], states_at(p->rules[i], d->dir));
}

static unsigned slot(const char *dir, size_t len)
{
	return ((unsigned)len * 3 + (unsigned char)dir[len - (len > 0)]) % RECENT;
}

/* True when no pattern matches the path; false: nothing is known. */
static bool surely_unmatched(struct policy *p, const char *path, size_t n, unsigned access)
{
	const char *slash = memrchr(path, '/', n);
	size_t len = slash ? (size_t)(slash - path) : 0;
	struct recent *d = &p->recent[access - 1][slot(path, len)];

	if (UNLIKELY(!slash || !slash[1] || len >= sizeof(d->dir)))
		return false;
	if (UNLIKELY(!d->known || d->len != len || memcmp(d->dir, path, len) != 0))
		look_at(p, d, path, len, access);
	return d->filters && !(d->bits[(unsigned char)slash[1]] & BEGINS) && !(d->bits[(unsigned char)path[n - 1]] & ENDS);
}

static bool is_below(const char *path, const char *dir, size_t len)
{
	return strncmp(path, dir, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The longest root above a path says how it may be reached. */
static bool roots_refuse(const struct policy *p, const char *path, unsigned access)
{
	const struct root *best = NULL;

	if (!p->closed)
		return false;
	for (uint32_t i = 0; i < p->nroots; i++)
		if (is_below(path, p->roots[i]->path, p->roots[i]->len) &&
		    (!best || p->roots[i]->len > best->len))
			best = p->roots[i];
	return !best || (best->access & access) != access;
}

/* What must match a component before the end can be reached; NULL: nothing must. */
static const struct part *needed(const struct rule *r)
{
	for (uint32_t i = r->nparts; i > 0; i--)
		if (r->parts[i - 1].kind != PART_DEEP)
			return &r->parts[i - 1];
	return NULL;
}

/* False when the rule cannot match the path: none of its names is what the rule needs. */
static bool may_match(const struct rule *r, const char *path)
{
	const struct part *part = needed(r);

	while (part && *path) {
		const char *end = strchrnul(path + 1, '/');

		if (is_name(part, path + 1, (size_t)(end - path - 1)))
			return true;
		path = end;
	}
	return !part;
}

static NOINLINE bool patterns_refuse(const struct policy *p, const char *path, unsigned access,
                                     size_t *rule)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct rule *r = p->rules[i];

		if ((r->access & access) && may_match(r, path) && run(r, path) == (uint64_t)1 << r->nparts) {
			*rule = i;
			return true;
		}
	}
	return false;
}

bool policy_refuses(const struct policy *p, const char *path, size_t len, unsigned access, size_t *rule)
{
	if (p->n && !surely_unmatched((struct policy *)(uintptr_t)p, path, len, access) &&
	    patterns_refuse(p, path, access, rule))
		return true;
	if (LIKELY(!p->closed))
		return false;
	*rule = POLICY_RULE_ROOTS;
	return roots_refuse(p, path, access);
}

bool policy_refuses_below(const struct policy *p, const char *path, unsigned access, size_t *rule)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if ((p->rules[i]->access & access) && run(p->rules[i], path)) {
			*rule = i;
			return true;
		}
	}
	*rule = POLICY_RULE_ROOTS;
	for (uint32_t i = 0; i < p->nroots; i++)
		if ((p->roots[i]->access & access) != access &&
		    is_below(p->roots[i]->path, path, streq(path, "/") ? 0 : strlen(path)))
			return true;
	return roots_refuse(p, path, access);
}
