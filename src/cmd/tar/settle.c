/* settle.c - what the options of tar mean together. */
#include "tar.h"

/* With -v: how a date was understood, when it was not written out. */
static void tell_date(struct tar *t, const char *option, const char *text, struct sys_time when)
{
	struct u_buf b;
	struct u_tm tm;

	if (!t->verbose)
		return;
	u_buf_init(&b, t->p, 0);
	u_time_split(t->tz, when, &tm);
	u_time_format(&b, "%Y-%m-%d %H:%M:%S", 17, &tm);
	if (!streq(b.ptr, text))
		tar_warn(t, 0, "Option %s: Treating date '%s' as %s", option, text, b.ptr);
}

/* A date, or a file whose time is meant. */
static struct sys_time date_or_file(struct tar *t, const char *option, const char *text)
{
	struct sys_time when;
	struct sys_stat st;
	int r;

	if (text[0] == '/' || text[0] == '.') {
		r = sys_stat(t->p, text, 0, &st);
		if (r < 0)
			tar_fatal(t, r, "%s: Cannot stat", tar_quote_colon(t, text));
		return st.mtime;
	}
	if (!u_time_parse(t->p, text, t->now, u_tz_get(t->p, NULL), &when))
		tar_fatal(t, 0, "unknown date format %s", u_quote(t->p, text));
	tell_date(t, option, text, when);
	return when;
}

/* "NAME", "NAME:ID", ":ID" or a number. */
static void settle_owner(struct tar *t, const char *text, bool is_group, int64_t *id, const char **name)
{
	const char *colon, *digits = text;
	uint64_t n;
	uint32_t known;

	if (!text)
		return;
	colon = strchr(text, ':');
	*name = colon ? u_strndup(t->p, text, (size_t)(colon - text)) : text;
	digits = colon ? colon + 1 : text;
	if (u_parse_size(digits, NULL, &n) == 0 && n < INT64_MAX) {
		*id = (int64_t)n;
		if (!colon) {
			const char *s = is_group ? u_group_name(t->p, (uint32_t)n) : u_user_name(t->p, (uint32_t)n);

			*name = s ? s : "";
		}
		return;
	}
	if (colon)
		tar_fatal(t, 0, "%s: Invalid owner or group ID", digits);
	if (is_group ? u_group_id(t->p, text, &known) : u_user_id(t->p, text, &known))
		*id = known;
}

static void settle_user(struct tar *t)
{
	struct sys_stat st = {.uid = 1};
	int fd = sys_memfile(t->p, "", 0);

	if (fd >= 0) {
		if (sys_fstat(t->p, fd, &st) < 0)
			st.uid = 1;
		sys_close(t->p, fd);
	}
	t->is_root = st.uid == 0;
	if (t->is_root && !t->no_same_permissions)
		t->same_permissions = true;
	if (t->is_root && !t->no_same_owner)
		t->same_owner = true;
	t->umask = (int)sys_umask(t->p, -1);
}

static void settle_output(struct tar *t)
{
	bool archive_is_stdout = t->mode == TAR_CREATE && (!t->file || streq(t->file, "-"));

	t->list = u_stdout(t->p);
	if (archive_is_stdout || t->to_stdout || t->to_command) {
		u_out_init(&t->errors, t->p, 2, 0);
		t->list = &t->errors;
	}
	if (t->mode == TAR_LIST)
		t->verbose++;
}

void tar_settle(struct tar *t)
{
	struct proc *p = t->p;
	int64_t now = sys_clock(p, SYS_CLOCK_REAL);

	t->list = u_stdout(p);
	if (!t->mode)
		tar_usage(t, "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
	if (t->mode == TAR_CREATE && !t->names.n && !t->has_names_file)
		tar_usage(t, "Cowardly refusing to create an empty archive");
	t->start = u_strdup(p, sys_getcwd(p));
	t->now = (struct sys_time){now / 1000000000, (int32_t)(now % 1000000000)};
	t->tz = u_tz_get(p, t->utc ? "UTC0" : NULL);
	if (t->old_o && t->mode == TAR_CREATE)
		t->format = TAR_V7;
	t->no_same_owner |= t->old_o;
	t->format = t->format ? t->format : TAR_GNU;
	settle_user(t);
	settle_output(t);
	settle_owner(t, t->owner_text, false, &t->owner, &t->owner_name);
	settle_owner(t, t->group_text, true, &t->group, &t->group_name);
	t->has_mtime = t->mtime_text != NULL;
	if (t->has_mtime)
		t->fixed_mtime = date_or_file(t, "--mtime", t->mtime_text);
	t->newer_mtime_only = t->newer_mtime_text != NULL;
	t->has_newer = t->newer_text || t->newer_mtime_text;
	if (t->has_newer)
		t->newer = date_or_file(t, t->newer_mtime_text ? "--newer-mtime" : "--newer", t->newer_mtime_text ? t->newer_mtime_text : t->newer_text);
	if (t->mode_text) {
		t->mode_change = u_mode_parse(p, t->mode_text);
		if (!t->mode_change)
			tar_fatal(t, 0, "Invalid mode given on option");
	}
	if (t->no_auto_compress)
		t->auto_compress = false;
}
