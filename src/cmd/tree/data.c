/* data.c - tree's JSON and XML. */
#include "tree.h"

static const char *kind(uint32_t mode)
{
	switch (mode & SYS_S_TYPE) {
	case SYS_S_DIR: return "directory";
	case SYS_S_LINK: return "link";
	case SYS_S_FIFO: return "fifo";
	case SYS_S_SOCK: return "socket";
	case SYS_S_CHAR: return "char";
	case SYS_S_BLOCK: return "block";
	default: return "file";
	}
}

static void put_json(struct u_out *o, const char *s)
{
	static const char from[] = "\b\f\n\r\t\"\\", to[] = "bfnrt\"\\";

	for (; *s; s++) {
		const char *hit = strchr(from, *s);

		if (hit)
			u_printf(o, "\\%c", to[hit - from]);
		else if ((unsigned char)*s < ' ')
			u_printf(o, "\\u%04x", (unsigned char)*s);
		else
			u_putc(o, *s);
	}
}

static void put_xml(struct u_out *o, const char *s)
{
	for (; *s; s++) {
		switch (*s) {
		case '<': u_puts(o, "&lt;"); break;
		case '>': u_puts(o, "&gt;"); break;
		case '&': u_puts(o, "&amp;"); break;
		case '"': u_puts(o, "&quot;"); break;
		default: u_putc(o, *s); break;
		}
	}
}

/* One more property: text, or a number as it stands. */
static void property(struct tree *t, const char *name, const char *value, bool number)
{
	bool json = t->o->format == TREE_JSON;

	u_printf(t->out, json ? ",\"%s\":%s" : " %s=\"%s", name, json && !number ? "\"" : "");
	if (json)
		put_json(t->out, value);
	else
		put_xml(t->out, value);
	if (!json || !number)
		u_putc(t->out, '"');
}

static void put_meta(struct tree *t, const struct tree_node *n)
{
	char mode[11];
	const char *name;

	if (t->o->inodes)
		property(t, "inode", u_format(t->p, "%llu", (unsigned long long)n->lst.ino), true);
	if (t->o->device)
		property(t, "dev", u_format(t->p, "%llu", (unsigned long long)n->lst.dev), true);
	if (t->o->protections) {
		u_mode_string(n->lst.mode, mode);
		property(t, "mode", u_format(t->p, "%04o", n->lst.mode & 07777), false);
		property(t, "prot", mode, false);
	}
	if (t->o->user) {
		name = u_user_name(t->p, n->lst.uid);
		property(t, "user", name ? name : u_format(t->p, "%u", n->lst.uid), false);
	}
	if (t->o->group) {
		name = u_group_name(t->p, n->lst.gid);
		property(t, "group", name ? name : u_format(t->p, "%u", n->lst.gid), false);
	}
	if (t->o->size)
		property(t, "size", u_format(t->p, "%llu", (unsigned long long)n->size), true);
	if (t->o->date)
		property(t, "time", tree_date(t, n), false);
}

static void put_indent(struct tree *t)
{
	for (size_t i = 0; !t->o->no_indent && i < t->depth + 1; i++)
		u_puts(t->out, "  ");
}

void tree_data_open(struct tree *t, struct tree_node *n, bool has_entries)
{
	const char *name = t->o->full_path ? t->path.ptr : n->name;

	put_indent(t);
	if (t->o->format == TREE_JSON)
		u_printf(t->out, "{\"type\":\"%s\"", kind(n->lst.mode));
	else
		u_printf(t->out, "<%s", kind(n->lst.mode));
	property(t, "name", name, false);
	if (n->link && t->depth)
		property(t, "target", n->link, false);
	put_meta(t, n);
	if (t->o->format == TREE_XML)
		u_putc(t->out, '>');
	if (n->loop)
		u_puts(t->out, t->o->format == TREE_JSON ? "}{\"error\": \"recursive, not followed\"}\n" :
							   "<error>recursive, not followed</error>");
	else if (t->o->format == TREE_JSON && (has_entries || n->failed))
		u_puts(t->out, ",\"contents\":[");
	if (n->failed)
		u_puts(t->out, t->o->format == TREE_JSON ? "{\"error\": \"error opening dir\"}" : "<error>error opening dir</error>");
	if (has_entries || n->failed)
		u_putc(t->out, '\n');
}

void tree_data_close(struct tree *t, struct tree_node *n, bool has_entries, bool more)
{
	if (has_entries || n->failed)
		put_indent(t);
	if (t->o->format == TREE_XML)
		u_printf(t->out, "</%s>\n", kind(n->lst.mode));
	else if (n->loop)
		u_printf(t->out, "%s\n", more ? "," : "");
	else
		u_printf(t->out, "%s%s\n", has_entries || n->failed ? "]}" : "}", more ? "," : "");
}

void tree_data_start(struct tree *t)
{
	u_puts(t->out, t->o->format == TREE_JSON ? "[\n" : "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<tree>\n");
}

void tree_data_end(struct tree *t)
{
	if (t->o->format == TREE_JSON) {
		if (!t->o->no_report) {
			u_puts(t->out, ",\n  {\"type\":\"report\"");
			if (t->o->du)
				u_printf(t->out, ",\"size\":%llu", (unsigned long long)t->bytes);
			u_printf(t->out, ",\"directories\":%llu", (unsigned long long)t->dirs);
			if (!t->o->dirs_only)
				u_printf(t->out, ",\"files\":%llu", (unsigned long long)t->files);
			u_puts(t->out, "}");
		}
		u_puts(t->out, "\n]\n");
		return;
	}
	if (!t->o->no_report) {
		u_puts(t->out, "  <report>\n");
		if (t->o->du)
			u_printf(t->out, "    <size>%llu</size>\n", (unsigned long long)t->bytes);
		u_printf(t->out, "    <directories>%llu</directories>\n", (unsigned long long)t->dirs);
		if (!t->o->dirs_only)
			u_printf(t->out, "    <files>%llu</files>\n", (unsigned long long)t->files);
		u_puts(t->out, "  </report>\n");
	}
	u_puts(t->out, "</tree>\n");
}
