/* tz.c - time zones: TZif files and POSIX rules.
 *
 * A file gives the moments at which the local time changed, and in its last line a POSIX rule
 * for all moments after. Files come from the sandbox and are not trusted: every count is held
 * against the size, every index against its table. A sandbox usually has no such files: then the
 * zones known here serve, which are right from 1970 on. */
#include "tz.h"
#include "zones_table.h"

#define FILE_MAX 65536u
#define ZONEINFO "/usr/share/zoneinfo/"

enum rule_kind { RULE_NONE, RULE_JULIAN, RULE_DAY, RULE_MONTH };

/* When daylight saving time starts or ends. */
struct rule {
	enum rule_kind kind;
	int day, week, month; /* Mm.w.d; Jn and n use day */
	int32_t time;         /* of day, seconds */
};

struct posix_tz {
	bool set;
	struct tz_info std, dst;
	bool has_dst;
	struct rule start, end;
};

struct u_tz {
	size_t n; /* changes */
	const int64_t *when;
	const uint8_t *which; /* the type after each */
	size_t ntypes;
	const struct tz_info *types;
	struct posix_tz rule;
	bool first; /* the first type is that before the first change */
};

/* ---- POSIX rules ----------------------------------------------------------------------- */

static const char *read_name(const char *s, struct tz_info *z)
{
	const char *start = s;

	if (*s == '<') {
		start = ++s;
		while (ascii_alnum((unsigned char)*s) || *s == '+' || *s == '-')
			s++;
		if (*s != '>' || s - start < 3)
			return NULL;
		z->name = start;
		z->name_len = (size_t)(s - start);
		return s + 1;
	}
	while (ascii_alpha((unsigned char)*s))
		s++;
	if (s - start < 3)
		return NULL;
	z->name = start;
	z->name_len = (size_t)(s - start);
	return s;
}

static const char *read_count(const char *s, int max, int *out)
{
	int v = 0;

	if (!ascii_digit((unsigned char)*s))
		return NULL;
	for (; ascii_digit((unsigned char)*s); s++) {
		v = v * 10 + (*s - '0');
		if (v > max)
			return NULL;
	}
	*out = v;
	return s;
}

/* [+-]hh[:mm[:ss]] */
static const char *read_time(const char *s, int max_hours, int32_t *out)
{
	int sign = *s == '-' ? -1 : 1, h = 0, m = 0, sec = 0;

	if (*s == '-' || *s == '+')
		s++;
	s = read_count(s, max_hours, &h);
	if (s && *s == ':')
		s = read_count(s + 1, 59, &m);
	if (s && *s == ':')
		s = read_count(s + 1, 59, &sec);
	*out = sign * (h * 3600 + m * 60 + sec);
	return s;
}

static const char *read_rule(const char *s, struct rule *r)
{
	r->time = 2 * 3600;
	if (*s == 'M') {
		r->kind = RULE_MONTH;
		s = read_count(s + 1, 12, &r->month);
		s = s && *s == '.' ? read_count(s + 1, 5, &r->week) : NULL;
		s = s && *s == '.' ? read_count(s + 1, 6, &r->day) : NULL;
		if (!s || r->month < 1 || r->week < 1)
			return NULL;
	} else if (*s == 'J') {
		r->kind = RULE_JULIAN;
		s = read_count(s + 1, 365, &r->day);
		if (!s || r->day < 1)
			return NULL;
	} else {
		r->kind = RULE_DAY;
		s = read_count(s, 365, &r->day);
	}
	if (s && *s == '/')
		s = read_time(s + 1, 167, &r->time);
	return s;
}

/* False when the text is no rule; out->std may have a name even then. */
static bool read_posix(const char *s, struct posix_tz *out)
{
	int32_t west;

	*out = (struct posix_tz){.std = {.name = "", .name_len = 0}};
	s = read_name(s, &out->std);
	if (!s || (*s != '+' && *s != '-' && !ascii_digit((unsigned char)*s)))
		return false;
	s = read_time(s, 24, &west);
	if (!s)
		return false;
	out->std.offset = -west;
	out->set = true;
	if (!*s)
		return true;
	out->dst = (struct tz_info){.offset = out->std.offset + 3600, .isdst = 1};
	s = read_name(s, &out->dst);
	if (!s)
		return true;
	out->has_dst = true;
	if (*s && *s != ',') {
		s = read_time(s, 24, &west);
		out->dst.offset = -west;
	}
	if (!s || !*s)
		s = ",M3.2.0,M11.1.0";
	s = *s == ',' ? read_rule(s + 1, &out->start) : NULL;
	s = s && *s == ',' ? read_rule(s + 1, &out->end) : NULL;
	if (!s) {
		read_rule("M3.2.0", &out->start);
		read_rule("M11.1.0", &out->end);
	}
	return true;
}

/* The local second of the year's rule, counted from 1970 as if local time were UTC. */
static int64_t rule_moment(const struct rule *r, int64_t year)
{
	int64_t day = tm_days(year, 1), first, wday;

	switch (r->kind) {
	case RULE_JULIAN: day += r->day - 1 + (r->day >= 60 && tm_is_leap(year)); break;
	case RULE_DAY: day += r->day; break;
	default:
		first = tm_days(year, r->month);
		wday = ((first + 4) % 7 + 7) % 7;
		day = first + (r->day - wday + 7) % 7 + (int64_t)(r->week - 1) * 7;
		while (day >= (r->month == 12 ? tm_days(year + 1, 1) : tm_days(year, r->month + 1)))
			day -= 7;
		break;
	}
	return day * DAY + r->time;
}

static struct tz_info posix_at(const struct posix_tz *z, int64_t t)
{
	struct u_tm tm;
	int64_t start, end;
	bool dst;

	if (!z->has_dst)
		return z->std;
	/* The year is that of the standard time; the first and last hours of it never matter. */
	if (!tm_fill(&tm, t, 0, z->std.offset))
		return z->std;
	/* A rule starts with 1970, as in the C library: before, nothing changed. */
	if (tm.year < 1970)
		tm.year = 1970;
	start = rule_moment(&z->start, tm.year) - z->std.offset;
	end = rule_moment(&z->end, tm.year) - z->dst.offset;
	if (start <= end)
		dst = t >= start && t < end;
	else
		dst = t >= start || t < end;
	return dst ? z->dst : z->std;
}

/* ---- Files ------------------------------------------------------------------------------- */

struct header {
	uint32_t isut, isstd, leap, times, types, chars;
};

static uint32_t be32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

static int64_t be64(const char *p)
{
	return (int64_t)((uint64_t)be32(p) << 32 | be32(p + 4));
}

/* The header at `at`, and the size of the data after it; false when they do not lie in the file. */
static bool read_header(struct str f, size_t at, unsigned time_size, struct header *h, size_t *data)
{
	const char *p = f.ptr + at;
	size_t n;

	if (f.len < at || f.len - at < 44 || memcmp(p, "TZif", 4) != 0)
		return false;
	*h = (struct header){be32(p + 20), be32(p + 24), be32(p + 28),
	                     be32(p + 32), be32(p + 36), be32(p + 40)};
	if (h->times > FILE_MAX || h->types > 256 || h->types == 0 || h->chars > FILE_MAX ||
	    h->leap > FILE_MAX || h->isut > FILE_MAX || h->isstd > FILE_MAX)
		return false;
	n = (size_t)h->times * (time_size + 1) + (size_t)h->types * 6 + h->chars +
	    (size_t)h->leap * (time_size + 4) + h->isstd + h->isut;
	*data = n;
	return n <= f.len - at - 44;
}

static bool read_types(struct proc *p, struct u_tz *tz, const struct header *h, const char *at,
                       const char *chars)
{
	struct tz_info *v = u_array(p, h->types, sizeof(*v));

	for (uint32_t i = 0; i < h->types; i++, at += 6) {
		size_t name = (unsigned char)at[5];
		int32_t offset = (int32_t)be32(at);
		const char *end;

		if (name >= h->chars || offset < -100 * 3600 || offset > 100 * 3600)
			return false;
		end = memchr(chars + name, '\0', h->chars - name);
		if (!end)
			return false;
		v[i] = (struct tz_info){offset, at[4] != 0, chars + name,
		                        (size_t)(end - chars) - name};
	}
	tz->ntypes = h->types;
	tz->types = v;
	return true;
}

static bool read_block(struct proc *p, struct u_tz *tz, const struct header *h, const char *at,
                       unsigned time_size)
{
	int64_t *when = u_array(p, (size_t)h->times + 1, sizeof(*when));
	const char *types = at + (size_t)h->times * (time_size + 1);

	for (uint32_t i = 0; i < h->times; i++) {
		const char *t = at + (size_t)i * time_size;

		when[i] = time_size == 8 ? be64(t) : (int32_t)be32(t);
		if (i && when[i] <= when[i - 1])
			return false;
	}
	tz->n = h->times;
	tz->when = when;
	tz->which = (const uint8_t *)at + (size_t)h->times * time_size;
	for (uint32_t i = 0; i < h->times; i++) {
		if (tz->which[i] >= h->types)
			return false;
	}
	return read_types(p, tz, h, types, types + (size_t)h->types * 6);
}

static void read_footer(struct proc *p, struct u_tz *tz, const char *at, const char *end)
{
	const char *nl;

	if (at >= end || *at != '\n')
		return;
	at++;
	nl = memchr(at, '\n', (size_t)(end - at));
	if (nl && nl > at)
		read_posix(u_strndup(p, at, (size_t)(nl - at)), &tz->rule);
}

static bool read_tzif(struct proc *p, struct str f, struct u_tz *tz)
{
	struct header h;
	size_t data, at = 0;

	if (!read_header(f, 0, 4, &h, &data))
		return false;
	if (f.ptr[4] < '2')
		return read_block(p, tz, &h, f.ptr + 44, 4);
	at = 44 + data;
	if (!read_header(f, at, 8, &h, &data) || !read_block(p, tz, &h, f.ptr + at + 44, 8))
		return false;
	read_footer(p, tz, f.ptr + at + 44 + data, f.ptr + f.len);
	return true;
}

static bool load(struct proc *p, const char *path, struct u_tz *tz)
{
	int fd = sys_open(p, path, SYS_O_READ | SYS_O_CLOEXEC, 0), r;
	struct str f;

	if (fd < 0)
		return false;
	r = u_read_all(p, fd, FILE_MAX, &f);
	sys_close(p, fd);
	if (r == 0 && read_tzif(p, f, tz))
		return true;
	*tz = (struct u_tz){0};
	return false;
}

/* ---- Zones known without a file ------------------------------------------------------------- */

static const struct zone_row *find_row(const char *name)
{
	size_t lo = 0, hi = zone_names_count;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(zone_names[mid].name, name);

		if (c == 0)
			return &zone_rows[zone_names[mid].row];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

static bool load_known(struct proc *p, const char *name, struct u_tz *tz)
{
	const struct zone_row *row = find_row(name);
	struct tz_info *types;
	int64_t *when;

	if (!row)
		return false;
	types = u_array(p, row->kinds_n, sizeof(*types));
	for (size_t i = 0; i < row->kinds_n; i++) {
		const struct zone_kind *k = &zone_kinds[zone_row_kinds[row->kinds + i]];

		types[i] = (struct tz_info){k->offset, k->isdst, k->name, strlen(k->name)};
	}
	when = u_array(p, (size_t)row->n + 1, sizeof(*when));
	for (size_t i = 0; i < row->n; i++)
		when[i] = zone_when[row->when + i];
	*tz = (struct u_tz){.n = row->n,
	                    .when = when,
	                    .which = &zone_which[row->when],
	                    .ntypes = row->kinds_n,
	                    .types = types,
	                    .first = true};
	read_posix(zone_rules[row->rule], &tz->rule);
	return true;
}

static const struct u_tz UTC = {.rule = {.set = true, .std = {.name = "UTC", .name_len = 3}}};

const struct u_tz *u_tz_get(struct proc *p, const char *spec)
{
	struct u_tz *tz = u_zalloc(p, sizeof(*tz));

	if (!spec)
		spec = u_getenv(p, "TZ");
	if (!spec)
		return load(p, "/etc/localtime", tz) ? tz : &UTC;
	if (*spec == ':')
		spec++;
	if (!*spec || streq(spec, "UTC0"))
		return &UTC;
	if (load(p, *spec == '/' ? spec : u_join(p, ZONEINFO, spec), tz))
		return tz;
	if (load_known(p, spec, tz))
		return tz;
	/* Like the C library: what starts like a rule but is none keeps its name and means UTC. */
	read_posix(u_strdup(p, spec), &tz->rule);
	tz->rule.set = true;
	return tz;
}

struct tz_info tz_at(const struct u_tz *tz, int64_t t)
{
	size_t lo = 0, hi = tz->n;

	if (tz->ntypes == 0)
		return posix_at(&tz->rule, t);
	if (hi && t >= tz->when[hi - 1])
		return tz->rule.set ? posix_at(&tz->rule, t) : tz->types[tz->which[hi - 1]];
	if (!hi)
		return tz->rule.set ? posix_at(&tz->rule, t) : tz->types[0];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tz->when[mid] <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* Before the first change: the first type that is not daylight saving time. */
	if (lo == 0) {
		for (size_t i = 0; i < tz->ntypes && !tz->first; i++) {
			if (!tz->types[i].isdst)
				return tz->types[i];
		}
		return tz->types[0];
	}
	return tz->types[tz->which[lo - 1]];
}
