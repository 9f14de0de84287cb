/* print.c - the layouts of ls: long lines, columns, commas, one a line. */
#include "ls.h"

/* ---- Sizes ------------------------------------------------------------------- */

bool ls_parse_block_size(struct ls *o, const char *text)
{
	static const char units[] = "KMGTPE";
	const char *s = text, *u;
	uint64_t n = 0;

	if (streq(text, "human-readable")) {
		o->human = true;
		return true;
	}
	if (streq(text, "si")) {
		o->human = o->si = true;
		return true;
	}
	for (; ascii_digit(*s); s++)
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) || __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return false;
	if (s > text && n == 0)
		return false;
	if (!*s) {
		o->block_size = n;
		return s > text;
	}
	u = strchr(units, ascii_toupper(*s));
	if (!u)
		return false;
	n = s > text ? n : 1;
	for (long i = 0; i <= u - units; i++)
		if (__builtin_mul_overflow(n, streq(s + 1, "B") ? (uint64_t)1000 : (uint64_t)1024, &n))
			return false;
	if (s[1] && !streq(s + 1, "B") && !streq(s + 1, "iB"))
		return false;
	o->block_size = n;
	if (s == text)
		o->block_suffix = streq(s + 1, "B") && *u == 'K' ? "kB" : u_format(o->p, "%c%s", *u, s + 1);
	return true;
}

static const char *size_text(const struct ls *o, uint64_t bytes)
{
	char buf[32];

	if (o->human)
		return u_strdup(o->p, u_human(buf, bytes, o->si ? 1000 : 1024));
	if (o->block_size > 1)
		return u_format(o->p, "%llu%s", (unsigned long long)((bytes + o->block_size - 1) / o->block_size),
				o->block_suffix ? o->block_suffix : "");
	return u_format(o->p, "%llu", (unsigned long long)bytes);
}

static const char *blocks_text(const struct ls *o, const struct sys_stat *st)
{
	uint64_t bytes = (uint64_t)st->blocks * 512, unit = o->block_size && !o->kibibytes ? o->block_size : 1024;
	char buf[32];

	if (o->human)
		return u_strdup(o->p, u_human(buf, bytes, o->si ? 1000 : 1024));
	return u_format(o->p, "%llu%s", (unsigned long long)((bytes + unit - 1) / unit),
			o->block_suffix && !o->kibibytes ? o->block_suffix : "");
}

/* ---- Names --------------------------------------------------------------------- */

/* quote: '"', '\'' or 0 when there are no quotes around it. */
static void put_c_escape(struct u_buf *b, unsigned char c, char quote)
{
	static const char from[] = "\a\b\f\n\r\t\v\\", to[] = "abfnrtv\\";
	const char *hit = c ? strchr(from, c) : NULL;

	if (hit)
		u_buf_printf(b, "\\%c", to[hit - from]);
	else if (c == (unsigned char)quote && quote)
		u_buf_printf(b, "\\%c", c);
	else if (c == ' ' && !quote)
		u_buf_puts(b, "\\ ");
	else if (c < 0x20 || c == 0x7f)
		u_buf_printf(b, "\\%03o", c);
	else
		u_buf_putc(b, (char)c);
}

static const char *c_quote(const struct ls *o, const char *name, char quote)
{
	struct u_buf b;

	u_buf_init(&b, o->p, 0);
	if (quote)
		u_buf_putc(&b, quote);
	for (const char *s = name; *s; s++)
		put_c_escape(&b, (unsigned char)*s, quote);
	if (quote)
		u_buf_putc(&b, quote);
	return b.ptr ? b.ptr : "";
}

static const char *shell_quote(const struct ls *o, const char *name)
{
	struct u_buf b;

	if (o->quoting == LS_Q_SHELL && *name && !strpbrk(name, " \t\n'\"\\$`*?[]=%&|;<>(){}!^") && *name != '#' && *name != '~')
		return name;
	if (strchr(name, '\''))
		return u_quote_if_needed(o->p, name);
	u_buf_init(&b, o->p, 0);
	u_buf_printf(&b, "'%s'", name);
	return b.ptr;
}

#define CONTROLS \
	"\1\2\3\4\5\6\a\b\t\n\v\f\r\016\017\020\021\022\023\024\025\026\027\030\031\032\033\034\035\036\037\177"

/* Control characters become question marks (-q). */
static const char *hide(const struct ls *o, const char *name)
{
	char *s;

	if (!o->hide_control || !name[strcspn(name, CONTROLS)])
		return name;
	s = u_strdup(o->p, name);
	for (char *c = s; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return s;
}

const char *ls_quote(const struct ls *o, const char *name)
{
	switch (o->quoting) {
	case LS_Q_SHELL_ESCAPE: return u_quote_if_needed(o->p, name);
	case LS_Q_SHELL_ESCAPE_ALWAYS: return u_quote_file(o->p, name);
	case LS_Q_SHELL:
	case LS_Q_SHELL_ALWAYS: return hide(o, shell_quote(o, name));
	case LS_Q_C: return c_quote(o, name, '"');
	case LS_Q_C_MAYBE: return name[strcspn(name, "\"" CONTROLS)] ? c_quote(o, name, '"') : name;
	case LS_Q_LOCALE: return c_quote(o, name, '\'');
	case LS_Q_ESCAPE: return c_quote(o, name, 0);
	default: return hide(o, name);
	}
}

static char indicator(const struct ls *o, uint32_t mode)
{
	if (o->indicator == LS_IND_NONE)
		return 0;
	switch (mode & SYS_S_TYPE) {
	case SYS_S_DIR: return '/';
	case SYS_S_LINK: return o->indicator >= LS_IND_FILE_TYPE ? '@' : 0;
	case SYS_S_FIFO: return o->indicator >= LS_IND_FILE_TYPE ? '|' : 0;
	case SYS_S_SOCK: return o->indicator >= LS_IND_FILE_TYPE ? '=' : 0;
	case SYS_S_FILE: return o->indicator == LS_IND_CLASSIFY && (mode & 0111) ? '*' : 0;
	default: return 0;
	}
}

static void put_coloured(struct ls *o, const char *code, const char *text)
{
	struct u_out *out = u_stdout(o->p);

	if (code && !o->color_used) {
		u_puts(out, "\033[0m");
		o->color_used = true;
	}
	if (code)
		u_printf(out, "\033[%sm%s\033[0m", code, text);
	else
		u_puts(out, text);
}

static void put_name(struct ls *o, const struct ls_entry *e)
{
	char ind = indicator(o, e->st.mode);

	bool is_link = (e->st.mode & SYS_S_TYPE) == SYS_S_LINK;

	put_coloured(o, o->color && e->have_stat ? ls_color_of(o, e->name, e->st.mode, e->st.nlink, is_link, e->link_mode) : NULL, e->shown);
	if (ind && !(o->format == LS_LONG && e->link))
		u_putc(u_stdout(o->p), ind);
}

/* ---- Long format ------------------------------------------------------------------ */

static const char *owner(struct ls *o, uint32_t id, bool user)
{
	const char **last = user ? &o->last_user : &o->last_group;
	uint32_t *last_id = user ? &o->last_uid : &o->last_gid;

	if (*last && *last_id == id)
		return *last;
	*last = o->numeric ? NULL : user ? u_user_name(o->p, id) : u_group_name(o->p, id);
	if (!*last)
		*last = u_format(o->p, "%u", id);
	*last_id = id;
	return *last;
}

static struct sys_time time_of(const struct ls *o, const struct ls_entry *e)
{
	return o->time == LS_ATIME ? e->st.atime : o->time == LS_CTIME ? e->st.ctime : o->time == LS_BTIME ? e->st.btime : e->st.mtime;
}

static const char *date_text(const struct ls *o, const struct ls_entry *e)
{
	struct sys_time t = time_of(o, e);
	bool recent = t.sec <= o->now && t.sec > o->now - 31556952 / 2;
	const char *format = recent ? o->recent_format : o->old_format;
	struct u_buf b;
	struct u_tm tm;

	if (!e->have_stat)
		return "?";
	u_buf_init(&b, o->p, 0);
	u_time_split(o->tz, t, &tm);
	u_time_format(&b, format, strlen(format), &tm);
	return b.ptr;
}

struct widths {
	size_t inode, blocks, links, user, group, size, date;
	size_t major, minor;
};

struct row {
	const char *inode, *blocks, *links, *user, *group, *size, *date;
	const char *major, *minor;
};

static bool is_device(const struct ls_entry *e)
{
	return (e->st.mode & SYS_S_TYPE) == SYS_S_CHAR || (e->st.mode & SYS_S_TYPE) == SYS_S_BLOCK;
}

static void make_row(struct ls *o, const struct ls_entry *e, struct row *r, struct widths *w)
{
	bool ok = e->have_stat;

	*r = (struct row){"", "", "?", "?", "?", "?", "?", "", ""};
	if (o->inode)
		r->inode = ok ? u_format(o->p, "%llu", (unsigned long long)e->st.ino) : "?";
	if (o->blocks)
		r->blocks = ok ? blocks_text(o, &e->st) : "?";
	if (ok) {
		r->links = u_format(o->p, "%u", e->st.nlink);
		r->user = owner(o, e->st.uid, true);
		r->group = owner(o, e->st.gid, false);
		r->size = size_text(o, (uint64_t)e->st.size);
		r->date = date_text(o, e);
		if (is_device(e)) {
			r->major = u_format(o->p, "%u", (unsigned)(e->st.rdev >> 8 & 0xfff));
			r->minor = u_format(o->p, "%u", (unsigned)((e->st.rdev & 0xff) | (e->st.rdev >> 12 & 0xfff00)));
			w->major = MAX(w->major, strlen(r->major));
			w->minor = MAX(w->minor, strlen(r->minor));
			r->size = "";
		}
	}
	w->inode = MAX(w->inode, strlen(r->inode));
	w->blocks = MAX(w->blocks, strlen(r->blocks));
	w->links = MAX(w->links, strlen(r->links));
	w->user = MAX(w->user, utf8_columns(r->user, strlen(r->user)));
	w->group = MAX(w->group, utf8_columns(r->group, strlen(r->group)));
	w->size = MAX(w->size, strlen(r->size));
	w->date = MAX(w->date, strlen(r->date));
}

static void put_row(struct ls *o, const struct ls_entry *e, const struct row *r, const struct widths *w)
{
	struct u_out *out = u_stdout(o->p);
	char mode[11] = "??????????";

	if (e->have_stat)
		u_mode_string(e->st.mode, mode);
	else
		mode[0] = e->st.mode ? ((e->st.mode & SYS_S_TYPE) == SYS_S_DIR ? 'd' : (e->st.mode & SYS_S_TYPE) == SYS_S_LINK ? 'l' : '-') : '?';
	if (o->inode)
		u_printf(out, "%*s ", (int)w->inode, r->inode);
	if (o->blocks)
		u_printf(out, "%*s ", (int)w->blocks, r->blocks);
	u_printf(out, "%s %*s ", mode, (int)w->links, r->links);
	if (!o->no_owner)
		u_printf(out, "%-*s ", (int)w->user, r->user);
	if (!o->no_group)
		u_printf(out, "%-*s ", (int)w->group, r->group);
	if (o->author)
		u_printf(out, "%-*s ", (int)w->user, r->user);
	if (o->context)
		u_puts(out, "? ");
	if (*r->major) {
		size_t room = w->size > w->major + 2 + w->minor ? w->size - w->minor - 2 : w->major;

		u_printf(out, "%*s, %*s ", (int)room, r->major, (int)w->minor, r->minor);
	} else {
		size_t room = w->major ? MAX(w->size, w->major + 2 + w->minor) : w->size;

		u_printf(out, "%*s ", (int)room, r->size);
	}
	u_printf(out, "%*s ", (int)w->date, r->date);
	put_name(o, e);
	if (e->link) {
		const char *code = e->link_mode ? ls_color_of(o, e->link, e->link_mode, 1, false, 0) : ls_color_of_missing(o);

		u_puts(out, " -> ");
		put_coloured(o, o->color ? code : NULL, ls_quote(o, e->link));
		if (e->link_mode && indicator(o, e->link_mode))
			u_putc(out, indicator(o, e->link_mode));
	}
	u_putc(out, o->zero ? '\0' : '\n');
}

static void print_long(struct ls *o, struct ls_entry **v, size_t n)
{
	struct row *rows = u_array(o->p, n, sizeof(*rows));
	struct widths w = {0};

	for (size_t i = 0; i < o->nbeside; i++) {
		struct row unused;

		make_row(o, o->beside[i], &unused, &w);
	}
	w.date = 0;
	for (size_t i = 0; i < n; i++)
		make_row(o, v[i], &rows[i], &w);
	for (size_t i = 0; i < n; i++)
		put_row(o, v[i], &rows[i], &w);
}

/* ---- Columns --------------------------------------------------------------------------- */

struct prefix_widths {
	size_t inode, blocks;
};

/* What goes before the name: inode and blocks. Padded to w unless the layout is -m. */
static size_t put_short(struct ls *o, const struct ls_entry *e, const struct prefix_widths *w, bool print)
{
	struct u_out *out = u_stdout(o->p);
	size_t n = 0;

	if (o->inode) {
		const char *s = e->have_stat ? u_format(o->p, "%llu", (unsigned long long)e->st.ino) : "?";
		size_t k = MAX(w->inode, strlen(s));

		if (print)
			u_printf(out, "%*s ", (int)w->inode, s);
		n += k + 1;
	}
	if (o->blocks) {
		const char *s = e->have_stat ? blocks_text(o, &e->st) : "?";
		size_t k = MAX(w->blocks, strlen(s));

		if (print)
			u_printf(out, "%*s ", (int)w->blocks, s);
		n += k + 1;
	}
	if (o->context) {
		if (print)
			u_puts(out, "? ");
		n += 2;
	}
	if (print)
		put_name(o, e);
	return n + e->width + (indicator(o, e->st.mode) ? 1 : 0);
}

static void pad(struct ls *o, size_t from, size_t to)
{
	struct u_out *out = u_stdout(o->p);

	while (from < to) {
		if (o->tab && to / o->tab > (from + 1) / o->tab) {
			u_putc(out, '\t');
			from += o->tab - from % o->tab;
		} else {
			u_putc(out, ' ');
			from++;
		}
	}
}

static void print_columns(struct ls *o, struct ls_entry **v, size_t n, const struct prefix_widths *w)
{
	bool across = o->format == LS_ACROSS;
	size_t *len = u_array(o->p, n, sizeof(*len)), *col = u_array(o->p, n, sizeof(*col));
	size_t cols = 1, rows, max_cols = o->width / 3 + (o->width % 3 != 0);

	for (size_t i = 0; i < n; i++)
		len[i] = put_short(o, v[i], w, false);
	/* The most columns that fit; each is two wider than its longest name, but for the last. */
	for (size_t c = MIN(n, MAX(max_cols, 1)); c > 1; c--) {
		size_t r = (n + c - 1) / c, total = 0, used = across ? c : (n + r - 1) / r;
		bool grew = false;

		if (used != c)
			continue;
		for (size_t k = 0; k < c; k++)
			col[k] = 3;
		for (size_t i = 0; i < n; i++) {
			size_t k = across ? i % c : i / r;

			col[k] = MAX(col[k], len[i] + (k == c - 1 ? 0 : 2));
			grew |= col[k] > 3;
		}
		for (size_t k = 0; k < c; k++)
			total += col[k];
		sys_checkpoint_n(o->p, (uint32_t)MIN(n, (size_t)1 << 20));
		/* As GNU: columns of the least width fit whatever the line. */
		if (!grew || total < o->width) {
			cols = c;
			break;
		}
	}
	if (cols == 1)
		col[0] = 0;
	rows = (n + cols - 1) / cols;
	for (size_t r = 0; r < rows; r++) {
		size_t at = 0;

		for (size_t k = 0; k < cols; k++) {
			size_t i = across ? r * cols + k : k * rows + r;
			size_t next = across ? i + 1 : i + rows;
			bool last = k == cols - 1 || next >= n;

			if (i >= n)
				break;
			put_short(o, v[i], w, true);
			if (!last)
				pad(o, at + len[i], at + col[k]);
			at += col[k];
			if (last)
				break;
		}
		u_putc(u_stdout(o->p), o->zero ? '\0' : '\n');
	}
}

/* With `separator` after each but the last, in lines as long as may be. */
static void print_separated(struct ls *o, struct ls_entry **v, size_t n, char separator)
{
	const struct prefix_widths none = {0};
	struct u_out *out = u_stdout(o->p);
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = put_short(o, v[i], &none, false);

		if (i) {
			u_putc(out, separator);
			if (!o->width || at + k + 2 < o->width) {
				u_putc(out, ' ');
				at += 2;
			} else {
				u_putc(out, '\n');
				at = 0;
			}
		}
		put_short(o, v[i], &none, true);
		at += k;
	}
	if (n)
		u_putc(out, '\n');
}

void ls_print(struct ls *o, struct ls_entry **v, size_t n, bool total)
{
	struct u_out *out = u_stdout(o->p);
	struct prefix_widths w = {0};

	if (total && (o->format == LS_LONG || o->blocks)) {
		struct sys_stat sum = {0};

		for (size_t i = 0; i < n; i++)
			if (v[i]->have_stat)
				sum.blocks += v[i]->st.blocks;
		u_printf(out, "total %s%c", blocks_text(o, &sum), o->zero ? '\0' : '\n');
	}
	for (size_t i = 0; i < n + o->nbeside && o->format != LS_LONG; i++) {
		const struct ls_entry *e = i < n ? v[i] : o->beside[i - n];

		if (o->inode)
			w.inode = MAX(w.inode, strlen(u_format(o->p, "%llu", (unsigned long long)e->st.ino)));
		if (o->blocks)
			w.blocks = MAX(w.blocks, strlen(blocks_text(o, &e->st)));
	}
	switch (o->format) {
	case LS_LONG: print_long(o, v, n); break;
	case LS_COLUMNS:
	case LS_ACROSS:
		if (n && o->width)
			print_columns(o, v, n, &w);
		else
			print_separated(o, v, n, ' ');
		break;
	case LS_COMMAS: print_separated(o, v, n, ','); break;
	default:
		for (size_t i = 0; i < n; i++) {
			put_short(o, v[i], &w, true);
			u_putc(out, o->zero ? '\0' : '\n');
		}
		break;
	}
}
