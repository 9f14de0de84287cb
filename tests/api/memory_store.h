/*
 * memory_store.h - an object store in memory that counts what it is asked for, for tests.
 *
 * It does what S3 does as far as nacre_object_store says: ETags that change with every version, conditions, ranges, listings in
 * pages, uploads in parts. `later`: every answer comes from the thread of answers.h.
 *
 * Layer     tests/api: include/nacre only
 */
#ifndef NACRE_TESTS_API_MEMORY_STORE_H
#define NACRE_TESTS_API_MEMORY_STORE_H

#include <nacre/objects.h>

struct object {
	char *key, *data;
	size_t n;
	unsigned version;
	int64_t mtime_ns;
};

struct upload {
	char *key;
	unsigned id;
	struct {
		char *data;
		size_t n;
	} part[64];
	unsigned nparts;
};

struct store_counts {
	unsigned list, head, get, put, put_new, copy, removed, begun, parts, completed, aborted, conditional;
	uint64_t bytes_got, bytes_put, largest_part;
};

struct store {
	nacre_object_store table;
	struct object *v;	/* sorted by key */
	size_t n, cap;
	struct upload *uploads[64];
	unsigned versions, ids;
	unsigned page;		/* keys a listing gives at once; 0: 1000 */
	bool later;
	const char *only;	/* what every key must begin with */
	bool strayed;		/* one did not */
	struct store_counts count;
	int fail_put;		/* -E of the next puts */
	const char *appears;	/* a key that somebody else makes just before it is put as a new one */
	void (*on_part)(void *arg); /* each time a part has come */
	void *on_part_arg;
};

void store_init(struct store *s);
void store_release(struct store *s);
/* What another client does. */
void store_set(struct store *s, const char *key, const void *data, size_t n);
void store_fill(struct store *s, const char *key, size_t n); /* with something */
void store_delete(struct store *s, const char *key);
const struct object *store_get(const struct store *s, const char *key);
bool store_holds(const struct store *s, const char *key, const char *text);
unsigned store_requests(const struct store *s);

#endif
