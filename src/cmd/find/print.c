/* print.c - find's -printf and -ls. */
#include "find.h"

static char type_letter(uint32_t mode)
{
	switch (mode & SYS_S_TYPE) {
	case SYS_S_FIFO: return 'p';
	case SYS_S_CHAR: return 'c';
	case SYS_S_DIR: return 'd';
	case SYS_S_BLOCK: return 'b';
	case SYS_S_FILE: return 'f';
	case SYS_S_LINK: return 'l';
	case SYS_S_SOCK: return 's';
	default: return 'U';
	}
}

/* Reads a backslash escape after the backslash; the character, or -1 for \c. */
static int escape(const char **s)
{
	int c = (unsigned char)*(*s)++;

	switch (c) {
	case 'a': return '\a';
	case 'b': return '\b';
	case 'f': return '\f';
	case 'n': return '\n';
	case 'r': return '\r';
	case 't': return '\t';
	case 'v': return '\v';
	case '\\': return '\\';
	case 'c': return -1;
	default: break;
	}
	if (c >= '0' && c <= '7') {
		int v = c - '0';

		for (int i = 0; i < 2 && **s >= '0' && **s <= '7'; i++)
			v = v * 8 + *(*s)++ - '0';
		return v & 255;
	}
	return -2;
}

static struct sys_time time_of(struct find *f, char letter)
{
	const struct sys_stat *st = &f->e->st;
	int l = ascii_tolower((unsigned char)letter);

	return l == 'a' ? st->atime : l == 'c' ? st->ctime : l == 'b' ? st->btime : st->mtime;
}

/* %a %c %t: the date as ctime, with the fraction find shows. */
static void put_ctime(struct find *f, struct u_buf *b, struct sys_time t)
{
	struct u_tm tm;

	u_time_split(f->tz, t, &tm);
	u_time_format(b, "%a %b %e %H:%M:%S.%N0 %Y", 24, &tm);
}

/* %Ak %Ck %Tk %Bk. Seconds carry ten digits of fraction, as in GNU find. */
static void put_time(struct find *f, struct u_buf *b, struct sys_time t, char k)
{
	const char *format;
	char one[3] = {'%', k, '\0'};
	struct u_tm tm;

	u_time_split(f->tz, t, &tm);
	switch (k) {
	case '@': u_buf_printf(b, "%lld.%09d0", (long long)t.sec, (int)t.nsec); return;
	case 'S': format = "%S.%N0"; break;
	case 'T':
	case 'X': format = "%H:%M:%S.%N0"; break;
	case '+': format = "%Y-%m-%d+%H:%M:%S.%N0"; break;
	case 'c': format = "%a %b %e %H:%M:%S %Y"; break;
	case 'r': format = "%I:%M:%S.%N0 %p"; break;
	default:
		/* What strftime does not know stays as it is. */
		if (k == '%' || !strchr("aAbBCdDeFgGhHIjklmMnpPRstuUVwWxyYzZ", k)) {
			u_buf_puts(b, k == '%' ? "%" : one);
			return;
		}
		format = one;
		break;
	}
	u_time_format(b, format, strlen(format), &tm);
}

static void put_dirname(struct find *f, struct u_buf *b)
{
	const char *path = f->e->path;
	size_t n = strlen(path);

	/* Trailing slashes belong to the last name. */
	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n == 1 && path[0] == '/' && path[1])
		n = strlen(path);
	while (n && path[n - 1] != '/')
		n--;
	if (n == 0)
		u_buf_puts(b, ".");
	else
		u_buf_put(b, path, n - 1);
}

static void put_below(struct find *f, struct u_buf *b)
{
	const char *s = f->e->path + f->root_len;

	u_buf_puts(b, *s == '/' ? s + 1 : s);
}

/* The last name with one trailing slash if it has any. */
static void put_basename(struct find *f, struct u_buf *b)
{
	size_t n = strlen(f->e->path);

	u_buf_puts(b, u_basename(f->p, f->e->path));
	if (n > 1 && f->e->path[n - 1] == '/' && b->ptr[b->len - 1] != '/')
		u_buf_putc(b, '/');
}

static void put_link(struct find *f, struct u_buf *b)
{
	int64_t n;

	if ((f->e->st.mode & SYS_S_TYPE) != SYS_S_LINK)
		return;
	u_buf_reserve(b, SYS_PATH_MAX);
	n = sys_readlink(f->p, f->e->path, b->ptr + b->len, SYS_PATH_MAX);
	if (n > 0) {
		b->len += (size_t)n;
		b->ptr[b->len] = '\0';
	}
}

static char target_letter(struct find *f)
{
	struct sys_stat st;
	int e;

	if ((f->e->st.mode & SYS_S_TYPE) != SYS_S_LINK)
		return type_letter(f->e->st.mode);
	e = sys_stat(f->p, f->e->path, 0, &st);
	return e == 0 ? type_letter(st.mode) : e == -NACRE_ENOENT || e == -NACRE_ENOTDIR ? 'N' : e == -NACRE_ELOOP ? 'L' : '?';
}

static void put_owner(struct find *f, struct u_buf *b, bool user)
{
	uint32_t id = user ? f->e->st.uid : f->e->st.gid;
	const char *name = user ? u_user_name(f->p, id) : u_group_name(f->p, id);

	if (name)
		u_buf_puts(b, name);
	else
		u_buf_printf(b, "%u", id);
}

static const char directives[] = "abcdDfFgGhHiklmMnpPsStuUyYABCTZ%";

/* One directive's text. */
static void put_directive(struct find *f, struct u_buf *b, char c, char k, bool alt)
{
	const struct sys_stat *st = &f->e->st;
	char mode[11];

	switch (c) {
	case 'a':
	case 'c':
	case 't': put_ctime(f, b, time_of(f, c)); break;
	case 'A':
	case 'B':
	case 'C':
	case 'T': put_time(f, b, time_of(f, c), k); break;
	case 'b': u_buf_printf(b, "%lld", (long long)st->blocks); break;
	case 'd': u_buf_printf(b, "%d", f->e->depth); break;
	case 'D': u_buf_printf(b, "%llu", (unsigned long long)st->dev); break;
	case 'f': put_basename(f, b); break;
	case 'F': {
		struct sys_statfs sf;

		u_buf_puts(b, sys_statfs(f->p, f->e->path, &sf) == 0 ? sf.type : "unknown");
		break;
	}
	case 'g': put_owner(f, b, false); break;
	case 'G': u_buf_printf(b, "%u", st->gid); break;
	case 'h': put_dirname(f, b); break;
	case 'H': u_buf_put(b, f->e->path, f->root_len); break;
	case 'i': u_buf_printf(b, "%llu", (unsigned long long)st->ino); break;
	case 'k': u_buf_printf(b, "%lld", (long long)((st->blocks + 1) / 2)); break;
	case 'l': put_link(f, b); break;
	case 'm': u_buf_printf(b, alt && (st->mode & 07777) ? "0%o" : "%o", st->mode & 07777); break;
	case 'M':
		u_mode_string(st->mode, mode);
		u_buf_puts(b, mode);
		break;
	case 'n': u_buf_printf(b, "%u", st->nlink); break;
	case 'p': u_buf_puts(b, f->e->path); break;
	case 'P': put_below(f, b); break;
	case 's': u_buf_printf(b, "%lld", (long long)st->size); break;
	case 'S': {
		char text[48];

		if (st->size)
			fmt_buf(text, sizeof(text), "%g", 512.0 * (double)st->blocks / (double)st->size);
		else
			fmt_buf(text, sizeof(text), "%d", st->blocks ? 0 : 1);
		u_buf_puts(b, text);
		break;
	}
	case 'u': put_owner(f, b, true); break;
	case 'U': u_buf_printf(b, "%u", st->uid); break;
	case 'y': u_buf_putc(b, type_letter(st->mode)); break;
	case 'Y': u_buf_putc(b, target_letter(f)); break;
	case 'Z':
		u_warn(f->p, 0, "getfilecon failed: %s: No data available", u_quote(f->p, f->e->path));
		f->status = 1;
		break;
	default: break;
	}
}

/* Skips flags, width and precision after a %. */
static const char *skip_flags(const char *s)
{
	while (*s && strchr("-+ 0#", *s))
		s++;
	while (ascii_digit(*s))
		s++;
	if (*s == '.')
		for (s++; ascii_digit(*s); s++)
			;
	return s;
}

void find_format_check(struct find *f, const char *format)
{
	for (const char *s = format; *s; s++) {
		const char *e;

		if (*s == '\\') {
			if (!s[1]) {
				u_warn(f->p, 0, "warning: escape `\\' followed by nothing at all");
				return;
			}
			e = s + 1;
			if (escape(&e) == -2)
				u_warn(f->p, 0, "warning: unrecognized escape `\\%c'", s[1]);
			s++;
			continue;
		}
		if (*s != '%')
			continue;
		e = skip_flags(s + 1);
		if (!*e && e == s + 1)
			u_die(f->p, 1, 0, "error: %% at end of format string");
		if (!*e || strchr("{[(", *e))
			u_die(f->p, 1, 0, "error: the format directive `%%%c' is reserved for future use", *e);
		if (!strchr(directives, *e))
			u_warn(f->p, 0, "warning: unrecognized format directive `%%%c'", *e);
		if (strchr("ABCT", *e)) {
			if (!e[1]) {
				u_warn(f->p, 0, "warning: format directive `%%%c' should be followed by another character", *e);
				return;
			}
			e++;
		}
		s = e;
	}
}

enum number_kind { TEXT, UNSIGNED, SIGNED };

/* Pads `text` as printf's %s (numbers right-justified alike; 0 pads them). */
static void put_padded(struct u_out *o, struct str text, const char *flags, enum number_kind number)
{
	bool left = false, zero = false;
	char sign = 0;
	uint64_t width = 0, precision = UINT64_MAX, digits, total;
	size_t n = text.len;

	for (; *flags && strchr("-+ 0#", *flags); flags++) {
		left |= *flags == '-';
		zero |= *flags == '0';
		if (number == SIGNED && (*flags == '+' || (*flags == ' ' && !sign)))
			sign = *flags;
	}
	for (; ascii_digit(*flags); flags++)
		width = MIN(width * 10 + (uint64_t)(*flags - '0'), (uint64_t)INT32_MAX);
	if (*flags == '.')
		for (flags++, precision = 0; ascii_digit(*flags); flags++)
			precision = MIN(precision * 10 + (uint64_t)(*flags - '0'), (uint64_t)INT32_MAX);
	if (!number && precision < n)
		n = (size_t)precision;
	digits = number && precision != UINT64_MAX ? MAX(precision, n) : n;
	if (number && zero && !left && precision == UINT64_MAX)
		digits = MAX(digits, width - MIN(width, (uint64_t)(sign != 0)));
	total = digits + (sign != 0);
	for (uint64_t i = total; !left && i < width; i++)
		u_putc(o, ' ');
	if (sign)
		u_putc(o, sign);
	for (uint64_t i = n; i < digits; i++)
		u_putc(o, '0');
	u_put(o, text.ptr, n);
	for (uint64_t i = total; left && i < width; i++)
		u_putc(o, ' ');
}

void find_printf(struct find *f, struct u_out *o, const char *format)
{
	struct arena_mark mark = arena_mark(&sys_self(f->p)->arena);
	struct u_buf b;

	u_buf_init(&b, f->p, 0);
	for (const char *s = format; *s;) {
		const char *flags, *e;
		char k = 0;

		if (*s == '\\' && s[1]) {
			int c;

			e = s + 1;
			c = escape(&e);
			if (c == -1) {
				u_flush(o);
				break;
			}
			if (c == -2)
				u_put(o, s, (size_t)(e - s));
			else
				u_putc(o, (char)c);
			s = e;
			continue;
		}
		if (*s != '%') {
			u_putc(o, *s++);
			continue;
		}
		flags = s + 1;
		e = skip_flags(flags);
		if (*e == '%') {
			u_putc(o, '%');
			s = e + 1;
			continue;
		}
		if (!strchr(directives, *e)) {
			u_put(o, s, (size_t)(e - s + 1));
			s = e + 1;
			continue;
		}
		if (strchr("ABCT", *e) && !(k = e[1])) {
			u_puts(o, s);
			break;
		}
		b.len = 0;
		u_buf_puts(&b, "");
		put_directive(f, &b, *e, k, memchr(flags, '#', (size_t)(e - flags)) != NULL);
		put_padded(o, (struct str){b.ptr, b.len}, flags, *e == 'd' || *e == 'S' ? SIGNED : *e == 'm' ? UNSIGNED : TEXT);
		s = e + (k ? 2 : 1);
	}
	arena_reset(&sys_self(f->p)->arena, mark);
}

/* -ls: a name with what is not plain ASCII escaped. */
static void put_name(struct u_out *o, const char *s)
{
	static const char from[] = "\\\n\b\r\t\f\"", to[] = "\\nbrtf\"";

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		const char *hit = strchr(from, c);

		if (hit)
			u_printf(o, "\\%c", to[hit - from]);
		else if (c == ' ')
			u_puts(o, "\\ ");
		else if (c > ' ' && c < 127)
			u_putc(o, (char)c);
		else
			u_printf(o, "\\%03o", c);
	}
}

void find_ls(struct find *f, struct u_out *o)
{
	struct arena_mark mark = arena_mark(&sys_self(f->p)->arena);
	const struct sys_stat *st = &f->e->st;
	int64_t age = f->now.sec - st->mtime.sec;
	const char *format = age > 31556952 / 2 || age < -3600 ? "%b %e  %Y" : "%b %e %H:%M";
	struct u_buf owner, group, when, link;
	char mode[11];
	struct u_tm tm;

	u_buf_init(&owner, f->p, 0);
	u_buf_init(&group, f->p, 0);
	u_buf_init(&when, f->p, 0);
	u_buf_init(&link, f->p, 0);
	put_owner(f, &owner, true);
	put_owner(f, &group, false);
	u_time_split(f->tz, st->mtime, &tm);
	u_time_format(&when, format, strlen(format), &tm);
	u_mode_string(st->mode, mode);
	u_printf(o, "%9llu %6lld %s %3u %-8s %-8s ", (unsigned long long)st->ino, (long long)((st->blocks + 1) / 2), mode,
		 st->nlink, owner.ptr, group.ptr);
	if ((st->mode & SYS_S_TYPE) == SYS_S_CHAR || (st->mode & SYS_S_TYPE) == SYS_S_BLOCK)
		u_printf(o, "%3u, %3u", (unsigned)(st->rdev >> 8 & 0xfff), (unsigned)(st->rdev & 0xff));
	else
		u_printf(o, "%8lld", (long long)st->size);
	u_printf(o, " %s ", when.ptr);
	put_name(o, f->e->path);
	put_link(f, &link);
	if (link.len) {
		u_puts(o, " -> ");
		put_name(o, link.ptr);
	}
	u_putc(o, '\n');
	arena_reset(&sys_self(f->p)->arena, mark);
}
