/*
 * object_store.c - objects of a store as the files of a sandbox: only what is read is fetched, and nobody's change is overwritten.
 *
 * The store here is a table in memory. A real one would make an HTTP request in each function, sign it, return
 * NACRE_FS_PENDING and call nacre_fs_complete when the answer has come, from any thread.
 */
#include <nacre/objects.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 16 };

static struct object {
	char key[64], *data;
	size_t n;
	unsigned version;
} objects[MAX]; /* in the order of their keys; free ones have none and come last */
static char *parts; /* of the one upload that there is at a time */
static size_t parts_n;

static int by_key(const void *a, const void *b)
{
	const struct object *x = a, *y = b;

	return *x->key && *y->key ? strcmp(x->key, y->key) : (*y->key != 0) - (*x->key != 0);
}

static struct object *find(const char *key)
{
	for (int i = 0; i < MAX; i++)
		if (strcmp(objects[i].key, key) == 0)
			return &objects[i];
	return NULL;
}

static void tell(const struct object *o, nacre_object *out)
{
	out->size = (int64_t)o->n;
	out->mtime_ns = 1700000000000000000;
	snprintf(out->etag, sizeof(out->etag), "\"%u\"", o->version);
}

/* Is it still the version that the sandbox knows? */
static int check(const struct object *o, const char *if_match)
{
	nacre_object now;

	if (!o)
		return -ENOENT;
	tell(o, &now);
	return if_match && strcmp(now.etag, if_match) != 0 ? -ESTALE : 0;
}

static int set(const char *key, char *data, size_t n, nacre_object *out)
{
	static unsigned versions;
	struct object *o = find(key) ? find(key) : find("");

	if (!o || !data || strlen(key) >= sizeof(o->key)) {
		free(data);
		return -ENOSPC;
	}
	free(o->data);
	o->data = data;
	o->n = n;
	o->version = ++versions;
	tell(o, out);
	memcpy(o->key, key, strlen(key) + 1);
	qsort(objects, MAX, sizeof(objects[0]), by_key);
	return 0;
}

static char *copied(const void *data, size_t n)
{
	char *copy = malloc(n + 1);

	if (copy)
		memcpy(copy, data, n);
	return copy;
}

/* ---- The requests ---- */

static int store_list(void *payload, nacre_fs_op *op, const char *prefix, bool cut, const char *cursor, unsigned most)
{
	size_t n = strlen(prefix);

	(void)payload, (void)cursor, (void)most; /* one page holds everything */
	printf("  LIST %s\n", prefix);
	for (int i = 0; i < MAX && *objects[i].key; i++) {
		const struct object *o = &objects[i];
		const char *slash = strncmp(o->key, prefix, n) == 0 && cut ? strchr(o->key + n, '/') : NULL;
		char key[64];
		nacre_object info = {.size_of = sizeof(info)};

		if (strncmp(o->key, prefix, n) != 0)
			continue;
		snprintf(key, sizeof(key), "%.*s", slash ? (int)(slash + 1 - o->key) : (int)strlen(o->key), o->key);
		tell(o, &info);
		if (nacre_object_op_add(op, key, slash ? NULL : &info) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int store_head(void *payload, nacre_fs_op *op, const char *key, nacre_object *out)
{
	const struct object *o = find(key);

	(void)payload, (void)op;
	printf("  HEAD %s\n", key);
	if (o)
		tell(o, out);
	return o ? 0 : -ENOENT;
}

static int64_t store_get(void *payload, nacre_fs_op *op, const char *key, const char *if_match, int64_t at, void *buf, size_t n)
{
	const struct object *o = find(key);
	int e = check(o, if_match);

	(void)payload, (void)op;
	printf("  GET %s, %zu bytes from %lld on\n", key, n, (long long)at);
	if (e < 0 || (uint64_t)at >= o->n)
		return e;
	n = n < o->n - (size_t)at ? n : o->n - (size_t)at;
	memcpy(buf, o->data + at, n);
	return (int64_t)n;
}

static int store_put(void *payload, nacre_fs_op *op, const char *key, const void *data, size_t n, const char *if_match, bool must_be_new,
		     nacre_object *out)
{
	int e = must_be_new ? (find(key) ? -EEXIST : 0) : if_match ? check(find(key), if_match) : 0;

	(void)payload, (void)op;
	printf("  PUT %s, %zu bytes%s%s\n", key, n, must_be_new ? ", if there is none" : if_match ? ", if it still is " : "", if_match ? if_match : "");
	return e < 0 ? e : set(key, copied(data, n), n, out);
}

static int store_copy(void *payload, nacre_fs_op *op, const char *from, const char *to, const char *if_match, nacre_object *out)
{
	const struct object *o = find(from);
	int e = check(o, if_match);

	(void)payload, (void)op;
	printf("  COPY %s to %s\n", from, to);
	return e < 0 ? e : set(to, copied(o->data, o->n), o->n, out);
}

static int store_remove(void *payload, nacre_fs_op *op, const char *key)
{
	struct object *o = find(key);

	(void)payload, (void)op;
	printf("  DELETE %s\n", key);
	if (o) {
		free(o->data);
		*o = (struct object){.data = NULL};
		qsort(objects, MAX, sizeof(objects[0]), by_key);
	}
	return 0;
}

static int store_begin(void *payload, nacre_fs_op *op, const char *key, char *id)
{
	(void)payload, (void)op;
	printf("  UPLOAD %s\n", key);
	snprintf(id, NACRE_UPLOAD_MAX, "upload-1");
	parts_n = 0;
	return 0;
}

static int store_part(void *payload, nacre_fs_op *op, const char *key, const char *id, unsigned number, const void *data, size_t n,
		      nacre_object *out)
{
	char *more = realloc(parts, parts_n + n);

	(void)payload, (void)op, (void)key, (void)id;
	printf("  PART %u, %zu bytes\n", number, n);
	if (!more)
		return -ENOMEM;
	parts = more;
	memcpy(parts + parts_n, data, n);
	parts_n += n;
	snprintf(out->etag, sizeof(out->etag), "\"part %u\"", number);
	return 0;
}

static int store_complete(void *payload, nacre_fs_op *op, const char *key, const char *id, const char *const *etags, unsigned n,
			  const char *if_match, nacre_object *out)
{
	int e = if_match ? check(find(key), if_match) : 0;
	char *data = parts;

	(void)payload, (void)op, (void)id, (void)etags;
	printf("  COMPLETE %s, %u parts\n", key, n);
	if (e < 0)
		return e;
	parts = NULL;
	return set(key, data, parts_n, out);
}

static void store_abort(void *payload, const char *key, const char *id)
{
	(void)payload, (void)id;
	printf("  ABORT %s\n", key);
	parts_n = 0;
}

/* ---- What a script sees of it ---- */

static void show(nacre_sandbox *sb, const char *script)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;
	char *text;
	size_t len;

	req.script = script;
	printf("$ %s\n", script);
	if (nacre_exec(&res, sb, &req) < 0)
		return;
	if (nacre_result_render(&text, &len, res) == 0) {
		fputs(text, stdout);
		nacre_free(text);
	}
	nacre_result_free(res);
}

int main(void)
{
	const nacre_object_store store = {
		.size = sizeof(store), .prefix = "team/", .part_size = 1 << 20, .list_ttl_ns = 1000000000, .list = store_list, .head = store_head,
		.get = store_get, .put = store_put, .copy = store_copy, .remove = store_remove, .upload_begin = store_begin,
		.upload_part = store_part, .upload_complete = store_complete, .upload_abort = store_abort,
	};
	nacre_config *cfg = nacre_config_new();
	nacre_object made;
	nacre_runtime *rt;
	nacre_sandbox *sb;
	char *log = malloc(1 << 20);

	if (!cfg || !log || nacre_runtime_new(&rt) < 0)
		return 1;
	for (size_t i = 0; i < 1 << 20; i++)
		log[i] = i % 32 == 31 ? '\n' : (char)('a' + i / 32 % 26);
	set("team/logs/today", log, 1 << 20, &made);
	set("team/readme", copied("hello\n", 6), 6, &made);
	set("teams-private", copied("secret\n", 7), 7, &made);
	if (nacre_config_mount_objects(cfg, &store, "/data", NACRE_MOUNT_READ_WRITE) < 0 || nacre_config_cwd(cfg, "/data") < 0 ||
	    nacre_sandbox_new(&sb, rt, cfg) < 0) {
		fprintf(stderr, "%s%s\n", nacre_config_error(cfg), nacre_runtime_error(rt));
		return 1;
	}
	show(sb, "ls -F");
	show(sb, "head -n 2 logs/today");
	show(sb, "echo world >> readme; cat readme");
	show(sb, "cat logs/today logs/today logs/today > big; wc -c < big");
	/* What somebody else writes is seen by who opens it next. */
	set("team/readme", copied("theirs\n", 7), 7, &made);
	show(sb, "cat readme");
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	for (int i = 0; i < MAX; i++)
		free(objects[i].data);
	free(parts);
	return 0;
}
