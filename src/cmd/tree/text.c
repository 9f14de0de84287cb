/* text.c - tree's lines: indentation, what -p and friends show, names. */
#include "tree.h"

void tree_size(struct tree *t, struct u_buf *b, uint64_t size)
{
	const char *units = t->o->si ? "BkMGTPEZY" : "BKMGTPEZY";
	uint64_t unit = t->o->si ? 1000 : 1024;
	int i;

	if (!t->o->human && !t->o->si) {
		u_buf_printf(b, " %11llu", (unsigned long long)size);
		return;
	}
	for (i = size < unit ? 0 : 1; size >= unit * unit; i++)
		size /= unit;
	if (i == 0)
		u_buf_printf(b, " %4llu", (unsigned long long)size);
	else
		u_buf_printf(b, size / unit >= 10 ? " %3.0f%c" : " %3.1f%c", (double)size / (double)unit, units[i]);
}

const char *tree_date(struct tree *t, const struct tree_node *n)
{
	struct sys_time when = t->o->sort == TREE_CTIME ? n->lst.ctime : n->lst.mtime;
	const char *format = t->o->time_format;
	struct u_buf b;
	struct u_tm tm;

	if (!format)
		format = when.sec > t->now || t->now - when.sec > 180 * 86400 ? "%b %e  %Y" : "%b %e %H:%M";
	u_buf_init(&b, t->p, 0);
	u_time_split(t->tz, when, &tm);
	u_time_format(&b, format, strlen(format), &tm);
	return b.ptr;
}

static void put_owner(struct u_buf *b, const char *name, uint32_t id)
{
	if (name)
		u_buf_printf(b, " %-8.32s", name);
	else
		u_buf_printf(b, " %-8u", id);
}

const char *tree_meta(struct tree *t, const struct tree_node *n)
{
	struct u_buf b;
	char mode[11];

	u_buf_init(&b, t->p, 0);
	u_buf_puts(&b, "");
	if (t->o->inodes)
		u_buf_printf(&b, " %7llu", (unsigned long long)n->lst.ino);
	if (t->o->device)
		u_buf_printf(&b, " %3llu", (unsigned long long)n->lst.dev);
	if (t->o->protections) {
		u_mode_string(n->lst.mode, mode);
		u_buf_printf(&b, " %s", mode);
	}
	if (t->o->user)
		put_owner(&b, u_user_name(t->p, n->lst.uid), n->lst.uid);
	if (t->o->group)
		put_owner(&b, u_group_name(t->p, n->lst.gid), n->lst.gid);
	if (t->o->size)
		tree_size(t, &b, n->size);
	if (t->o->date)
		u_buf_printf(&b, " %s", tree_date(t, n));
	return b.len ? u_format(t->p, "[%s]  ", b.ptr + 1) : "";
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Without UTF-8 a name is escaped as for a shell. */
static void put_plain(struct tree *t, const char *s)
{
	static const char from[] = "\a\b\f\n\r\t\v\\", to[] = "abfnrtv\\";
	struct u_out *o = t->out;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		const char *hit = strchr(from, c);

		if (hit)
			u_printf(o, "\\%c", to[hit - from]);
		else if (c == (t->o->quote ? '"' : ' '))
			u_printf(o, "\\%c", c);
		else if (t->o->raw_names || (c >= ' ' && c < 127))
			u_putc(o, (char)c);
		else if (t->o->question)
			u_putc(o, '?');
		else
			u_printf(o, "\\%03o", c);
	}
}

static void put_name(struct tree *t, const char *s)
{
	struct u_out *o = t->out;
	const char *plain = u_utf8(t->p) ? "" : s;

	if (t->o->quote)
		u_putc(o, '"');
	put_plain(t, plain);
	while (*s && !*plain) {
		unsigned n = 1;
		uint32_t c = utf8_decode(s, strlen(s), &n);

		if (t->o->raw_names || (n > 1 && utf8_is(c, UTF8_PRINT)) || (c >= ' ' && c < 127)) {
			if (t->o->quote && c == '"')
				u_putc(o, '\\');
			u_put(o, s, n);
			s += n;
		} else {
			if (t->o->question)
				u_putc(o, '?');
			else
				u_printf(o, "\\%03o", (unsigned char)*s);
			s++;
		}
	}
	if (t->o->quote)
		u_putc(o, '"');
}

static const char *color_of(uint32_t mode, bool broken)
{
	if (broken)
		return "40;31;01";
	switch (mode & SYS_S_TYPE) {
	case SYS_S_DIR: return "01;34";
	case SYS_S_LINK: return "01;36";
	case SYS_S_FIFO: return "40;33";
	case SYS_S_SOCK: return "01;35";
	case SYS_S_BLOCK:
	case SYS_S_CHAR: return "40;33;01";
	default: return mode & 0111 && mode ? "01;32" : "00";
	}
}

static void put_colored(struct tree *t, const char *name, uint32_t mode, bool broken)
{
	if (t->o->color)
		u_printf(t->out, "\033[%sm", color_of(mode, broken));
	put_name(t, name);
	if (t->o->color)
		u_puts(t->out, "\033[0m");
}

static void put_class(struct tree *t, uint32_t mode)
{
	char c = 0;

	if (!t->o->classify || t->o->dirs_only)
		return;
	switch (mode & SYS_S_TYPE) {
	case SYS_S_DIR: c = '/'; break;
	case SYS_S_SOCK: c = '='; break;
	case SYS_S_FIFO: c = '|'; break;
	case SYS_S_FILE: c = mode & 0111 ? '*' : 0; break;
	default: break;
	}
	if (c)
		u_putc(t->out, c);
}

static void put_remarks(struct tree *t, const struct tree_node *n)
{
	if (n->loop)
		u_puts(t->out, "  [recursive, not followed]");
	else if (n->failed)
		u_puts(t->out, "  [error opening dir]");
	else if (n->over)
		u_printf(t->out, "  [%llu entries exceeds filelimit, not opening dir]", (unsigned long long)n->over);
}

/* ---- Lines -------------------------------------------------------------------------------- */

static const char *branch(const struct tree *t, bool last)
{
	switch (t->o->lines) {
	case TREE_ASCII: return last ? "`-- " : "|-- ";
	case TREE_ANSI: return last ? "mqq \033(B" : "tqq \033(B";
	case TREE_CP437: return last ? "\300\304\304 " : "\303\304\304 ";
	default: return last ? "\u2514\u2500\u2500 " : "\u251c\u2500\u2500 ";
	}
}

void tree_text_line(struct tree *t, struct tree_node *n, bool is_root, bool last)
{
	const char *meta = tree_meta(t, n);

	if (t->o->meta_first)
		u_puts(t->out, meta);
	if (!is_root && !t->o->no_indent) {
		if (t->o->lines == TREE_ANSI)
			u_puts(t->out, "\033(0");
		u_put(t->out, t->indent.ptr, t->indent.len);
		u_puts(t->out, branch(t, last));
	}
	if (!t->o->meta_first)
		u_puts(t->out, meta);
	put_colored(t, t->o->full_path ? t->path.ptr : n->name, n->lst.mode, n->link && !n->st.mode);
	put_class(t, n->lst.mode);
	if (n->link && !is_root) {
		u_puts(t->out, " -> ");
		put_colored(t, n->link, n->st.mode, false);
		put_class(t, n->st.mode);
	}
	put_remarks(t, n);
	u_putc(t->out, '\n');
}

void tree_text_report(struct tree *t)
{
	u_putc(t->out, '\n');
	if (t->o->du) {
		struct u_buf b;

		u_buf_init(&b, t->p, 0);
		tree_size(t, &b, t->bytes);
		u_printf(t->out, "%s%s used in ", b.ptr, t->o->human || t->o->si ? "" : " bytes");
	}
	u_printf(t->out, "%llu director%s", (unsigned long long)t->dirs, t->dirs == 1 ? "y" : "ies");
	if (!t->o->dirs_only)
		u_printf(t->out, ", %llu file%s", (unsigned long long)t->files, t->files == 1 ? "" : "s");
	u_putc(t->out, '\n');
}
