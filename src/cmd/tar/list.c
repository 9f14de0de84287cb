/* list.c - tar -t, and the lines that -v prints, in GNU's layout. */
#include "tar.h"

/* ---- A line ------------------------------------------------------------------------------- */

static uint32_t type_bits(char type)
{
	switch (type) {
	case '2': return SYS_S_LINK;
	case '3': return SYS_S_CHAR;
	case '4': return SYS_S_BLOCK;
	case '5':
	case 'D': return SYS_S_DIR;
	case '6': return SYS_S_FIFO;
	default: return SYS_S_FILE;
	}
}

static void mode_text(const struct tar_member *m, char *text)
{
	u_mode_string(m->mode | type_bits(m->type), text);
	if (m->type == '1')
		text[0] = 'h';
	else if (m->type == 'V')
		text[0] = 'V';
	else if (m->type == 'M')
		text[0] = 'M';
}

static const char *size_text(struct tar *t, const struct tar_member *m)
{
	if (m->type == '3' || m->type == '4')
		return u_format(t->p, "%u,%u", m->major, m->minor);
	return u_format(t->p, "%llu", (unsigned long long)(m->type == '1' || m->type == '2' ? 0 : m->real_size));
}

static const char *time_text(struct tar *t, struct sys_time when)
{
	struct u_buf b;
	struct u_tm tm;
	const char *format = t->full_time ? (when.nsec ? "%Y-%m-%d %H:%M:%S.%N" : "%Y-%m-%d %H:%M:%S") : "%Y-%m-%d %H:%M";

	u_buf_init(&b, t->p, 0);
	u_time_split(t->tz, when, &tm);
	u_time_format(&b, format, strlen(format), &tm);
	while (t->full_time && when.nsec && b.len && b.ptr[b.len - 1] == '0')
		b.ptr[--b.len] = '\0';
	return b.ptr;
}

static const char *owner_text(struct tar *t, const char *name, uint64_t id)
{
	return *name && !t->numeric_owner ? name : u_format(t->p, "%llu", (unsigned long long)id);
}

void tar_print(struct tar *t, const struct tar_member *m)
{
	const char *name = tar_quote(t, u_format(t->p, "%s%s", m->name, m->type == '5' && !streq(m->name, "/") ? "/" : ""));
	const char *user, *group, *size;
	char mode[12];
	size_t used;

	if (t->block_number)
		u_printf(t->list, "block %llu: ", (unsigned long long)m->block);
	if (t->verbose < 2) {
		u_printf(t->list, "%s\n", name);
		return;
	}
	user = owner_text(t, m->user, m->uid);
	group = owner_text(t, m->group, m->gid);
	size = size_text(t, m);
	used = strlen(user) + 1 + strlen(group) + 1 + strlen(size);
	t->owner_width = MAX(t->owner_width, used);
	mode_text(m, mode);
	u_printf(t->list, "%s %s/%s %*s %s %s", mode, user, group, (int)(t->owner_width - used + strlen(size)), size, time_text(t, m->mtime), name);
	if (m->type == '2')
		u_printf(t->list, " -> %s", tar_quote(t, m->link));
	else if (m->type == '1')
		u_printf(t->list, " link to %s", tar_quote(t, m->link));
	else if (m->type == 'V')
		u_puts(t->list, "--Volume Header--");
	else if (m->type == 'M')
		u_puts(t->list, "--Continued at byte 0--");
	else if (!strchr("034567SVMD", m->type))
		u_printf(t->list, " unknown file type %s", tar_quote(t, (char[]){m->type, '\0'}));
	u_putc(t->list, '\n');
}

/* ---- The mode ------------------------------------------------------------------------------- */

static bool is_too_old(struct tar *t, const struct tar_member *m)
{
	return t->has_newer && m->mtime.sec < t->newer.sec;
}

bool tar_is_meant(struct tar *t, const struct tar_member *m)
{
	return names_wanted(t, m) && !is_too_old(t, m) && !tar_excluded(t, m->name);
}

static void list_member(struct tar *t, struct tar_member *m)
{
	const char *name = tar_map_name(t, m->name, 'r');

	if (m->type == '1')
		tar_map_name(t, m->link, 'h');
	if (t->show_transformed)
		m->name = name ? name : "";
	tar_print(t, m);
}

void tar_list(struct tar *t)
{
	struct arena *a = &sys_self(t->p)->arena;
	struct arena_mark mark = arena_mark(a);
	struct tar_member m;

	archive_open_read(t);
	mark = arena_mark(a);
	while (!names_done(t) && tar_next_member(t, &m)) {
		uint64_t size = m.size;

		if (tar_is_meant(t, &m))
			list_member(t, &m);
		archive_skip(t, size);
		if (t->pinned || t->transform)
			mark = arena_mark(a);
		else
			arena_reset(a, mark);
		t->pinned = false;
	}
	u_flush(t->list);
	archive_close_read(t);
	names_not_found(t);
}
