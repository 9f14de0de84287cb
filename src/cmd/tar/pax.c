/*
 * pax.c - the records of extended headers ("LEN KEY=VALUE\n"), and sparse maps.
 *
 * Records come from the archive: each length is held against what is there, each number against what the
 * field can be. A map's pieces must lie in order inside the file.
 */
#include "tar.h"

#define MAP_MAX ((size_t)1 << 20)

/* ---- Writing -------------------------------------------------------------------------------- */

void pax_put(struct u_buf *b, const char *key, const char *value, size_t n)
{
	char text[24];
	size_t body = 1 + strlen(key) + 1 + n + 1, digits = 1, total;

	for (;;) {
		total = body + digits;
		if (fmt_buf(text, sizeof(text), "%zu", total) == digits)
			break;
		digits++;
	}
	u_buf_printf(b, "%s %s=", text, key);
	u_buf_put(b, value, n);
	u_buf_putc(b, '\n');
}

/* ---- Reading -------------------------------------------------------------------------------- */

static bool digits(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;

	if (!n || n > 19)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!ascii_digit((unsigned char)s[i]))
			return false;
		v = v * 10 + (uint64_t)(s[i] - '0');
	}
	*out = v;
	return v <= INT64_MAX;
}

bool pax_parse(struct tar *t, const char *data, size_t n, struct pax_set *set)
{
	struct pax_record **end = &set->first;

	while (n) {
		const char *space = memchr(data, ' ', MIN(n, (size_t)20)), *equals;
		struct pax_record *r;
		uint64_t len;

		sys_checkpoint(t->p);
		if (!space || !digits(data, (size_t)(space - data), &len)) {
			tar_error(t, 0, "Malformed extended header: missing blank after length");
			return false;
		}
		if (len > n || len < (uint64_t)(space - data) + 3 || data[len - 1] != '\n') {
			tar_error(t, 0, "Malformed extended header: length is out of range");
			return false;
		}
		equals = memchr(space + 1, '=', (size_t)(data + len - 1 - space - 1));
		if (!equals) {
			tar_error(t, 0, "Malformed extended header: missing equal sign");
			return false;
		}
		r = u_zalloc(t->p, sizeof(*r));
		r->key = u_strndup(t->p, space + 1, (size_t)(equals - space - 1));
		r->value = (struct str){equals + 1, (size_t)(data + len - 1 - equals - 1)};
		*end = r;
		end = &r->next;
		data += len;
		n -= (size_t)len;
	}
	return true;
}

static bool read_time(struct str v, struct sys_time *out)
{
	bool minus = v.len && v.ptr[0] == '-';
	const char *dot = memchr(v.ptr, '.', v.len);
	size_t whole = (dot ? (size_t)(dot - v.ptr) : v.len) - minus;
	uint64_t sec;
	int32_t nsec = 0, unit = 100000000;

	if (!digits(v.ptr + minus, whole, &sec))
		return false;
	for (size_t i = whole + minus + 1; dot && i < v.len; i++, unit /= 10) {
		if (!ascii_digit((unsigned char)v.ptr[i]))
			return false;
		nsec += unit * (v.ptr[i] - '0');
	}
	*out = (struct sys_time){minus ? -(int64_t)sec : (int64_t)sec, nsec};
	if (minus && nsec)
		*out = (struct sys_time){-(int64_t)sec - 1, 1000000000 - nsec};
	return true;
}

/* ---- Sparse maps ------------------------------------------------------------------------------ */

void sparse_add(struct tar *t, struct tar_member *m, size_t *cap, uint64_t at, uint64_t size)
{
	struct tar_hole *v = m->map;

	if (m->nmap >= MAP_MAX)
		tar_fatal(t, 0, "%s: invalid sparse archive member", tar_quote_colon(t, m->name));
	if (m->nmap == *cap) {
		size_t more = *cap ? *cap * 2 : 16;

		m->map = arena_grow(&sys_self(t->p)->arena, v, *cap * sizeof(*v), more * sizeof(*v));
		*cap = more;
	}
	m->map[m->nmap++] = (struct tar_hole){at, size};
}

/* Numbers with commas between them: GNU.sparse 0.1. */
static bool read_map_text(struct tar *t, struct tar_member *m, struct str v)
{
	size_t at = 0, cap = 0;
	uint64_t pair[2];

	m->nmap = 0;
	m->map = NULL;
	for (int k = 0; at <= v.len && v.len; k ^= 1) {
		const char *comma = memchr(v.ptr + at, ',', v.len - at);
		size_t n = comma ? (size_t)(comma - v.ptr) - at : v.len - at;

		sys_checkpoint(t->p);
		if (!digits(v.ptr + at, n, &pair[k]))
			return false;
		if (k)
			sparse_add(t, m, &cap, pair[0], pair[1]);
		if (!comma)
			return k == 1;
		at += n + 1;
	}
	return v.len == 0;
}

/* A decimal line of the map; takes further blocks as needed. */
static bool map_line(struct tar *t, struct tar_member *m, const char **b, size_t *at, uint64_t *out)
{
	char text[24];
	size_t n = 0;

	for (;;) {
		char c;

		if (*at == TAR_BLOCK) {
			if (m->size < TAR_BLOCK)
				return false;
			*b = archive_block(t);
			if (!*b)
				archive_cut(t);
			m->size -= TAR_BLOCK;
			*at = 0;
		}
		c = (*b)[(*at)++];
		if (c == '\n')
			return digits(text, n, out);
		if (n == sizeof(text))
			return false;
		text[n++] = c;
	}
}

void sparse_read_map(struct tar *t, struct tar_member *m)
{
	const char *b = NULL;
	size_t at = TAR_BLOCK, cap = 0;
	uint64_t n, offset, size;

	m->nmap = 0;
	if (!map_line(t, m, &b, &at, &n) || n > MAP_MAX)
		tar_fatal(t, 0, "%s: malformed sparse archive member", tar_quote_colon(t, m->name));
	for (; n; n--) {
		if (!map_line(t, m, &b, &at, &offset) || !map_line(t, m, &b, &at, &size))
			tar_fatal(t, 0, "%s: malformed sparse archive member", tar_quote_colon(t, m->name));
		sparse_add(t, m, &cap, offset, size);
	}
}

/* ---- Into the member --------------------------------------------------------------------------- */

static bool apply_sparse(struct tar *t, struct tar_member *m, const char *key, struct str v, size_t *cap)
{
	uint64_t n;

	if (streq(key, "name")) {
		m->name = u_strndup(t->p, v.ptr, v.len);
		return true;
	}
	if (streq(key, "map")) {
		m->is_sparse = true;
		return read_map_text(t, m, v);
	}
	if (!digits(v.ptr, v.len, &n))
		return false;
	if (streq(key, "major"))
		m->map_in_data = m->is_sparse = n == 1;
	else if (streq(key, "size") || streq(key, "realsize"))
		m->real_size = n;
	else if (streq(key, "offset"))
		sparse_add(t, m, cap, n, 0);
	else if (streq(key, "numbytes") && m->nmap)
		m->map[m->nmap - 1].size = n;
	else if (streq(key, "numblocks"))
		m->is_sparse = true;
	return true;
}

static bool apply_number(struct tar_member *m, const char *key, struct str v, bool *known)
{
	uint64_t n;

	*known = true;
	if (streq(key, "mtime"))
		return m->has_nsec = read_time(v, &m->mtime);
	if (streq(key, "size")) {
		if (!digits(v.ptr, v.len, &n))
			return false;
		if (m->type < '1' || m->type > '6') {
			m->size = n;
			if (!m->is_sparse)
				m->real_size = n;
		}
		return true;
	}
	if (streq(key, "uid"))
		return digits(v.ptr, v.len, &m->uid);
	if (streq(key, "gid"))
		return digits(v.ptr, v.len, &m->gid);
	*known = false;
	return true;
}

static bool apply_text(struct tar *t, struct tar_member *m, const char *key, struct str v)
{
	const char **to = streq(key, "path")       ? &m->name
			  : streq(key, "linkpath") ? &m->link
			  : streq(key, "uname")    ? &m->user
			  : streq(key, "gname")    ? &m->group
						   : NULL;

	if (to)
		*to = u_strndup(t->p, v.ptr, strnlen(v.ptr, v.len));
	return to || streq(key, "atime") || streq(key, "ctime") || streq(key, "comment") || streq(key, "charset") ||
	       streq(key, "hdrcharset") || strncmp(key, "SCHILY.", 7) == 0 || strncmp(key, "RHT.", 4) == 0;
}

void pax_apply(struct tar *t, const struct pax_set *set, struct tar_member *m)
{
	size_t cap = 0;

	for (const struct pax_record *r = set->first; r; r = r->next) {
		bool known = false, ok;

		sys_checkpoint(t->p);
		if (strncmp(r->key, "GNU.sparse.", 11) == 0) {
			ok = apply_sparse(t, m, r->key + 11, r->value, &cap);
			known = true;
		} else {
			ok = apply_number(m, r->key, r->value, &known);
		}
		if (!ok)
			tar_error(t, 0, "Malformed extended header: invalid %s=%.*s", r->key, (int)MIN(r->value.len, (size_t)200), r->value.ptr);
		else if (!known && !apply_text(t, m, r->key, r->value) && !(t->silent & TAR_WARN_KEYWORD))
			tar_warn(t, 0, "Ignoring unknown extended header keyword '%s'", r->key);
	}
}
