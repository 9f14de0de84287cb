/* list.c - which entries unzip means, and its lists of them. */
#include "unzip.h"

/* Control characters as ^X. */
const char *unzip_shown(struct unzip *u, const char *name)
{
	struct u_buf b;

	if (!*name)
		return "";
	u_buf_init(&b, u->p, 0);
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (c < 32)
			u_buf_printf(&b, "^%c", c + 64);
		else if (c == 127)
			u_buf_puts(&b, "^?");
		else
			u_buf_putc(&b, (char)c);
	}
	return b.ptr;
}

/* ---- Which entries ----------------------------------------------------------------------------- */

bool unzip_wanted(struct unzip *u, const struct zip_entry *e)
{
	unsigned flags = u->icase ? U_GLOB_ICASE : 0;
	size_t n = strlen(e->name);
	bool yes = u->nwant == 0;

	for (int i = 0; i < u->nwant; i++) {
		sys_checkpoint(u->p);
		if (u_glob_match(u->want[i], strlen(u->want[i]), e->name, n, flags))
			yes = u->found[i] = true;
	}
	for (int i = 0; yes && i < u->nskip; i++) {
		if (u_glob_match(u->skip[i], strlen(u->skip[i]), e->name, n, flags))
			yes = false;
	}
	return yes;
}

/* ---- Lists ------------------------------------------------------------------------------------------ */

static const char *date_text(struct unzip *u, const struct zip_entry *e)
{
	struct u_tm tm;

	u_time_split(u_tz_get(u->p, NULL), e->mtime, &tm);
	return u_format(u->p, "%04lld-%02d-%02d %02d:%02d", (long long)tm.year, tm.mon, tm.mday, tm.hour, tm.min);
}

static const char *method_text(struct unzip *u, const struct zip_entry *e)
{
	static const char *const names[] = {"Stored", "Shrunk", "Reduce1", "Reduce2", "Reduce3", "Reduce4", "Implode", "Token", NULL, "Def64#", "ImplDCL",
					    "PKresrv", "BZip2"};

	if (e->method == ZIP_DEFLATED)
		return u_format(u->p, "Defl:%c", "NXFS"[e->flags >> 1 & 3]);
	return e->method < COUNTOF(names) ? names[e->method] : u_format(u->p, "Unk:%03u", e->method);
}

static void list_entry(struct unzip *u, const struct zip_entry *e)
{
	if (u->mode == MODE_NAMES)
		u_printf(u->out, "%s\n", unzip_shown(u, e->name));
	else if (u->mode == MODE_LIST)
		u_printf(u->out, "%9llu  %s   %s\n", (unsigned long long)e->size, date_text(u, e), unzip_shown(u, e->name));
	else
		u_printf(u->out, "%8llu  %-7s%8llu %3d%% %s %08x  %s\n", (unsigned long long)e->size, method_text(u, e), (unsigned long long)e->packed,
			 zip_percent(e->size, e->packed), date_text(u, e), e->crc, unzip_shown(u, e->name));
}

void unzip_list(struct unzip *u)
{
	bool plain = u->mode == MODE_NAMES, verbose = u->mode == MODE_VERBOSE;

	if (!plain && u->quiet < 2)
		u_puts(u->out, verbose ? " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n"
					 "--------  ------  ------- ---- ---------- ----- --------  ----\n"
				       : "  Length      Date    Time    Name\n---------  ---------- -----   ----\n");
	for (size_t i = 0; i < u->z.n; i++) {
		const struct zip_entry *e = &u->z.v[i];

		if (!unzip_wanted(u, e))
			continue;
		list_entry(u, e);
		u->sum_size += e->size;
		u->sum_packed += e->packed;
		u->count++;
	}
	if (plain || u->quiet >= 2)
		return;
	if (verbose)
		u_printf(u->out, "--------          -------  ---                            -------\n%8llu         %8llu %3d%%                            %llu file%s\n",
			 (unsigned long long)u->sum_size, (unsigned long long)u->sum_packed, zip_percent(u->sum_size, u->sum_packed),
			 (unsigned long long)u->count, u->count == 1 ? "" : "s");
	else
		u_printf(u->out, "---------                     -------\n%9llu                     %llu file%s\n", (unsigned long long)u->sum_size,
			 (unsigned long long)u->count, u->count == 1 ? "" : "s");
}
