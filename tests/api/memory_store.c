/* memory_store.c - an object store in memory that counts what it is asked for. */
#include "memory_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"

static void complete(void *op, int64_t result)
{
	nacre_fs_complete(op, result);
}

static int64_t answer(struct store *s, nacre_fs_op *op, int64_t r)
{
	if (!s->later)
		return r;
	answers_ask(complete, op, r);
	return NACRE_FS_PENDING;
}

static void look(struct store *s, const char *key)
{
	s->strayed |= s->only && strncmp(key, s->only, strlen(s->only)) != 0;
}

/* ---- Objects ---------------------------------------------------------------------------- */

static size_t place(const struct store *s, const char *key)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(s->v[mid].key, key) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct object *find(const struct store *s, const char *key)
{
	size_t i = place(s, key);

	return i < s->n && strcmp(s->v[i].key, key) == 0 ? &s->v[i] : NULL;
}

const struct object *store_get(const struct store *s, const char *key)
{
	return find(s, key);
}

bool store_holds(const struct store *s, const char *key, const char *text)
{
	const struct object *o = find(s, key);

	if (!o || o->n != strlen(text) || memcmp(o->data, text, o->n) != 0)
		printf("%s holds %.*s\n", key, o ? (int)o->n : 9, o ? o->data : "(nothing)");
	return o && o->n == strlen(text) && memcmp(o->data, text, o->n) == 0;
}

static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

/* Takes over data (malloc). */
static struct object *replace(struct store *s, const char *key, char *data, size_t n)
{
	struct object *o = find(s, key);
	size_t i = place(s, key);

	if (!o) {
		if (s->n == s->cap) {
			s->cap = s->cap ? s->cap * 2 : 64;
			s->v = must(realloc(s->v, s->cap * sizeof(*s->v)));
		}
		memmove(&s->v[i + 1], &s->v[i], (s->n - i) * sizeof(*s->v));
		s->n++;
		o = &s->v[i];
		*o = (struct object){.key = must(strdup(key))};
	}
	free(o->data);
	o->data = data;
	o->n = n;
	o->version = ++s->versions;
	o->mtime_ns = 1700000000000000000 + (int64_t)s->versions * 1000000000;
	return o;
}

void store_set(struct store *s, const char *key, const void *data, size_t n)
{
	char *copy = must(malloc(n + 1));

	memcpy(copy, data, n);
	replace(s, key, copy, n);
}

void store_fill(struct store *s, const char *key, size_t n)
{
	char *data = must(malloc(n + 1));

	for (size_t i = 0; i < n; i++)
		data[i] = i % 64 == 63 ? '\n' : (char)('a' + (i * 7 + i / 64) % 26);
	replace(s, key, data, n);
}

void store_delete(struct store *s, const char *key)
{
	struct object *o = find(s, key);
	size_t i = place(s, key);

	if (!o)
		return;
	free(o->key);
	free(o->data);
	memmove(o, o + 1, (s->n - i - 1) * sizeof(*o));
	s->n--;
}

static void tell(const struct object *o, nacre_object *out)
{
	out->size = (int64_t)o->n;
	out->mtime_ns = o->mtime_ns;
	snprintf(out->etag, sizeof(out->etag), "\"v%u\"", o->version);
}

/* 0, or why a condition does not hold. */
static int conditions(struct store *s, const struct object *o, const char *if_match, bool new)
{
	nacre_object now = {.size_of = sizeof(now)};

	s->count.conditional += if_match != NULL;
	if (new && o)
		return -EEXIST;
	if (if_match && !o)
		return -ENOENT;
	if (if_match)
		tell(o, &now);
	return if_match && strcmp(now.etag, if_match) != 0 ? -ESTALE : 0;
}

/* ---- Requests ------------------------------------------------------------------------------ */

static int list(void *p, nacre_fs_op *op, const char *prefix, bool cut, const char *cursor, unsigned most)
{
	struct store *s = p;
	size_t n = strlen(prefix), page = s->page ? s->page : 1000, told = 0;
	char last[2000] = "";

	look(s, prefix);
	s->count.list++;
	if (most < page)
		page = most;
	for (size_t i = *cursor ? place(s, cursor) : 0; i < s->n; i++) {
		const struct object *o = &s->v[i];
		const char *slash = strncmp(o->key, prefix, n) == 0 && cut ? strchr(o->key + n, '/') : NULL;
		size_t len = slash ? (size_t)(slash + 1 - o->key) : strlen(o->key);
		nacre_object info = {.size_of = sizeof(info)};

		if (strncmp(o->key, prefix, n) != 0 || (slash && strlen(last) == len && strncmp(last, o->key, len) == 0))
			continue;
		if (told == page) {
			nacre_object_op_more(op, o->key);
			break;
		}
		snprintf(last, sizeof(last), "%.*s", (int)len, o->key);
		tell(o, &info);
		nacre_object_op_add(op, last, slash ? NULL : &info);
		told++;
	}
	return (int)answer(s, op, 0);
}

static int head(void *p, nacre_fs_op *op, const char *key, nacre_object *out)
{
	struct store *s = p;
	const struct object *o = find(s, key);

	look(s, key);
	s->count.head++;
	if (o)
		tell(o, out);
	return (int)answer(s, op, o ? 0 : -ENOENT);
}

static int64_t get(void *p, nacre_fs_op *op, const char *key, const char *if_match, int64_t at, void *buf, size_t n)
{
	struct store *s = p;
	const struct object *o = find(s, key);
	int64_t r = o ? conditions(s, o, if_match, false) : -ENOENT;

	look(s, key);
	s->count.get++;
	if (r == 0 && (uint64_t)at < o->n) {
		r = (int64_t)(n < o->n - (size_t)at ? n : o->n - (size_t)at);
		memcpy(buf, o->data + at, (size_t)r);
		s->count.bytes_got += (uint64_t)r;
	}
	return answer(s, op, r);
}

static int put(void *p, nacre_fs_op *op, const char *key, const void *data, size_t n, const char *if_match, bool new, nacre_object *out)
{
	struct store *s = p;
	int r = s->fail_put;

	look(s, key);
	if (new && s->appears && strcmp(s->appears, key) == 0)
		store_set(s, key, "other", 5);
	s->count.put++;
	s->count.put_new += new;
	s->count.bytes_put += n;
	if (r == 0)
		r = conditions(s, find(s, key), if_match, new);
	if (r == 0) {
		store_set(s, key, data, n);
		tell(find(s, key), out);
	}
	return (int)answer(s, op, r);
}

static int copy(void *p, nacre_fs_op *op, const char *from, const char *to, const char *if_match, nacre_object *out)
{
	struct store *s = p;
	const struct object *o = find(s, from);
	int r = o ? conditions(s, o, if_match, false) : -ENOENT;

	look(s, from);
	look(s, to);
	s->count.copy++;
	if (r == 0) {
		char *data = must(malloc(o->n + 1));

		memcpy(data, o->data, o->n);
		tell(replace(s, to, data, o->n), out);
	}
	return (int)answer(s, op, r);
}

static int removed(void *p, nacre_fs_op *op, const char *key)
{
	struct store *s = p;

	look(s, key);
	s->count.removed++;
	store_delete(s, key);
	return (int)answer(s, op, 0);
}

static struct upload **upload_of(struct store *s, const char *key, const char *id)
{
	for (size_t i = 0; i < sizeof(s->uploads) / sizeof(s->uploads[0]); i++) {
		struct upload *u = s->uploads[i];

		if (u && u->id == strtoul(id, NULL, 10) && strcmp(u->key, key) == 0)
			return &s->uploads[i];
	}
	return NULL;
}

static void upload_free(struct upload **u)
{
	for (unsigned i = 0; i < (*u)->nparts; i++)
		free((*u)->part[i].data);
	free((*u)->key);
	free(*u);
	*u = NULL;
}

static int begin(void *p, nacre_fs_op *op, const char *key, char *id)
{
	struct store *s = p;
	int r = -ENOMEM;

	look(s, key);
	s->count.begun++;
	for (size_t i = 0; i < sizeof(s->uploads) / sizeof(s->uploads[0]) && r < 0; i++) {
		if (s->uploads[i])
			continue;
		s->uploads[i] = must(calloc(1, sizeof(struct upload)));
		s->uploads[i]->key = must(strdup(key));
		s->uploads[i]->id = ++s->ids;
		snprintf(id, NACRE_UPLOAD_MAX, "%u", s->ids);
		r = 0;
	}
	return (int)answer(s, op, r);
}

static int part(void *p, nacre_fs_op *op, const char *key, const char *id, unsigned number, const void *data, size_t n, nacre_object *out)
{
	struct store *s = p;
	struct upload **u = upload_of(s, key, id);

	look(s, key);
	s->count.parts++;
	s->count.bytes_put += n;
	s->count.largest_part = n > s->count.largest_part ? n : s->count.largest_part;
	if (!u || number != (*u)->nparts + 1 || number > 64)
		return (int)answer(s, op, -EINVAL);
	(*u)->part[number - 1].data = must(malloc(n + 1));
	(*u)->part[number - 1].n = n;
	memcpy((*u)->part[number - 1].data, data, n);
	(*u)->nparts = number;
	snprintf(out->etag, sizeof(out->etag), "\"p%s.%u\"", id, number);
	if (s->on_part)
		s->on_part(s->on_part_arg);
	return (int)answer(s, op, 0);
}

static int completed(void *p, nacre_fs_op *op, const char *key, const char *id, const char *const *etags, unsigned n, const char *if_match,
		     nacre_object *out)
{
	struct store *s = p;
	struct upload **u = upload_of(s, key, id);
	int r = u && n == (*u)->nparts ? conditions(s, find(s, key), if_match, false) : -EINVAL;
	size_t size = 0, at = 0;
	char *data, want[40];

	look(s, key);
	s->count.completed++;
	for (unsigned i = 0; r == 0 && i < n; i++) {
		snprintf(want, sizeof(want), "\"p%s.%u\"", id, i + 1);
		r = strcmp(etags[i], want) == 0 ? 0 : -EINVAL;
		size += (*u)->part[i].n;
	}
	if (r < 0)
		return (int)answer(s, op, r);
	data = must(malloc(size + 1));
	for (unsigned i = 0; i < n; at += (*u)->part[i++].n)
		memcpy(data + at, (*u)->part[i].data, (*u)->part[i].n);
	tell(replace(s, key, data, size), out);
	upload_free(u);
	return (int)answer(s, op, 0);
}

static void aborted(void *p, const char *key, const char *id)
{
	struct store *s = p;
	struct upload **u = upload_of(s, key, id);

	look(s, key);
	s->count.aborted++;
	if (u)
		upload_free(u);
}

unsigned store_requests(const struct store *s)
{
	const struct store_counts *c = &s->count;

	return c->list + c->head + c->get + c->put + c->copy + c->removed + c->begun + c->parts + c->completed + c->aborted;
}

void store_init(struct store *s)
{
	*s = (struct store){.table = {.size = sizeof(s->table), .payload = s, .list = list, .head = head, .get = get, .put = put, .copy = copy,
				      .remove = removed, .upload_begin = begin, .upload_part = part, .upload_complete = completed,
				      .upload_abort = aborted}};
}

void store_release(struct store *s)
{
	for (size_t i = 0; i < sizeof(s->uploads) / sizeof(s->uploads[0]); i++)
		if (s->uploads[i])
			upload_free(&s->uploads[i]);
	while (s->n)
		store_delete(s, s->v[s->n - 1].key);
	free(s->v);
}
