/*
 * patch.c - apply differences to files.
 *
 * A hunk is tried where it says, then ever farther from there, then again with less context. All
 * hunks of a file are applied in memory; the file is written once. Names come from
 * strangers: absolute ones and those with .. are refused.
 */
#include "patch/convert.h"
#include "patch/reject.h"

static const struct cmd_opt patch_opts[] = {
	CMD_STRING(struct patch, strip, 'p', "strip", "NUM", "strip NUM leading components from file names"),
	CMD_STRING(struct patch, fuzz, 'F', "fuzz", "LINES", "set the fuzz factor to LINES for inexact matching (2)"),
	CMD_CHOICE(struct patch, kind, 'u', "unified", PATCH_UNIFIED, "interpret the patch as a unified difference"),
	CMD_CHOICE(struct patch, kind, 'c', "context", PATCH_CONTEXT, "interpret the patch as a context difference"),
	CMD_CHOICE(struct patch, kind, 'n', "normal", PATCH_NORMAL, "interpret the patch as a normal difference"),
	CMD_FLAG(struct patch, forward, 'N', "forward", "ignore patches that appear to be reversed or already applied"),
	CMD_FLAG(struct patch, reverse, 'R', "reverse", "assume patches were created with old and new files swapped"),
	CMD_STRING(struct patch, input, 'i', "input", "PATCHFILE", "read patch from PATCHFILE instead of stdin"),
	CMD_STRING(struct patch, output, 'o', "output", "FILE", "output patched files to FILE"),
	CMD_STRING(struct patch, reject, 'r', "reject-file", "FILE", "output rejects to FILE"),
	CMD_FLAG(struct patch, remove_empty, 'E', "remove-empty-files", "remove output files that are empty after patching"),
	CMD_FLAG(struct patch, force, 'f', "force", "do not look whether a patch was applied already"),
	CMD_FLAG(struct patch, silent, 's', "silent", "work silently unless an error occurs"),
	CMD_FLAG(struct patch, silent, 0, "quiet", NULL),
	CMD_FLAG(struct patch, dry_run, 0, "dry-run", "do not actually change any files; just print what would happen"),
	CMD_FLAG(struct patch, backup, 'b', "backup", "back up the original contents of each file"),
	CMD_FLAG(struct patch, no_backup_mismatch, 0, "no-backup-if-mismatch", "back up mismatches only if otherwise requested"),
	CMD_STRING(struct patch, directory, 'd', "directory", "DIR", "change the working directory to DIR first"),
};

static struct text split(struct proc *p, struct str s)
{
	struct text t = {.v = u_array(p, scan_count(s.ptr, s.len, '\n') + 2, sizeof(*t.v))};

	t.unfinished = s.len > 0 && s.ptr[s.len - 1] != '\n';
	for (size_t at = 0; at < s.len;) {
		const char *nl = memchr(s.ptr + at, '\n', s.len - at);
		size_t n = nl ? (size_t)(nl - s.ptr) - at : s.len - at;

		t.v[t.n++] = (struct str){s.ptr + at, n};
		at += n + 1;
	}
	return t;
}

static bool begins(struct str s, const char *with)
{
	size_t n = strlen(with);

	return s.len >= n && memcmp(s.ptr, with, n) == 0;
}

NORETURN static void malformed(struct patch *o)
{
	u_die(o->p, 2, 0, "**** malformed patch at line %zu: %.*s\n", o->at + 1,
	      o->at < o->n ? (int)MIN(o->line[o->at].len, 1000) : 0, o->at < o->n ? o->line[o->at].ptr : "");
}

/* ---- Names ------------------------------------------------------------------------------------- */

/* The name of a header line, stripped; NULL when it has too few components. */
/* "a name\t" as diff writes names with odd characters; NULL when it does not end. */
static char *quoted_name(struct proc *p, const char *s, const char *end)
{
	static const char letters[] = "abfnrtv\\\"", bytes[] = "\a\b\f\n\r\t\v\\\"";
	struct u_buf b;

	u_buf_init(&b, p, 0);
	u_buf_puts(&b, "");
	for (s++; s < end && *s != '"'; s++) {
		const char *hit;
		unsigned v = 0;

		if (*s != '\\' || s + 1 == end) {
			u_buf_putc(&b, *s);
			continue;
		}
		hit = *++s ? strchr(letters, *s) : NULL;
		if (hit) {
			u_buf_putc(&b, bytes[hit - letters]);
			continue;
		}
		for (int i = 0; i < 3; i++, s++) {
			if (s == end || *s < '0' || *s > '7')
				return NULL;
			v = v * 8 + (unsigned)(*s - '0');
		}
		s--;
		if (v == 0 || v > 255)
			return NULL;
		u_buf_putc(&b, (char)v);
	}
	return s < end ? b.ptr : NULL;
}

static char *plain_name(struct proc *p, const char *s, const char *end)
{
	const char *stop = memchr(s, '\t', (size_t)(end - s));

	if (!stop) {
		/* Without a tab, the name ends before a time stamp's first blank. */
		stop = memchr(s, ' ', (size_t)(end - s));
		if (!stop)
			stop = end;
	}
	while (stop > s && (stop[-1] == '\r' || stop[-1] == ' '))
		stop--;
	return u_strndup(p, s, (size_t)(stop - s));
}

static char *header_name(struct patch *o, struct str l)
{
	const char *s = l.ptr + 4, *end = l.ptr + l.len, *at;
	char *name = s < end && *s == '"' ? quoted_name(o->p, s, end) : NULL;
	uint64_t strip;

	if (!name)
		name = plain_name(o->p, s, end);
	if (streq(name, "/dev/null"))
		return name;
	if (!o->strip)
		return (char *)u_basename(o->p, name);
	strip = num_u64(o->strip, &at, 10, NULL);
	for (; strip > 0; strip--) {
		char *slash = strchr(name, '/');

		if (!slash)
			return NULL;
		name = slash + strspn(slash, "/");
	}
	return *name ? name : NULL;
}

static bool dangerous(const char *s)
{
	if (*s == '/')
		return true;
	for (; s; s = strchr(s, '/')) {
		s += *s == '/';
		if (strncmp(s, "..", 2) == 0 && (s[2] == '/' || !s[2]))
			return true;
	}
	return false;
}

static bool exists(struct patch *o, const char *name)
{
	struct sys_stat st;

	return name && !streq(name, "/dev/null") && sys_stat(o->p, name, 0, &st) == 0;
}

/* Whether a header says that there was no file: by the oldest time there is. */
static bool epoch(struct patch *o, size_t line)
{
	struct str l = o->line[line];

	return memmem(l.ptr, l.len, "\t1970-01-01 00:00:00", 20) != NULL;
}

/* Whether the hunk that comes next has no lines on a side. */
static bool empty_side(struct patch *o, bool new)
{
	struct str l = o->line[o->at];

	return new ? memmem(l.ptr, l.len, " +0,0 @@", 8) != NULL : begins(l, "@@ -0,0 ");
}

static size_t slashes(const char *s)
{
	return scan_count(s, strlen(s), '/');
}

/* The name with fewer directories, a shorter last part, or that is shorter; the first one otherwise. */
static const char *better(struct patch *o, const char *a, const char *b)
{
	size_t x, y;

	if (!a || streq(a, "/dev/null"))
		return b && streq(b, "/dev/null") ? NULL : b;
	if (!b || streq(b, "/dev/null"))
		return a;
	x = slashes(a);
	y = slashes(b);
	if (x == y) {
		x = strlen(u_basename(o->p, a));
		y = strlen(u_basename(o->p, b));
	}
	if (x == y) {
		x = strlen(a);
		y = strlen(b);
	}
	return y < x ? b : a;
}

static const char *choose_name(struct patch *o, const char *a, const char *b, bool creates)
{
	const char *there = better(o, exists(o, a) ? a : NULL, exists(o, b) ? b : NULL);

	return there || !creates ? there : better(o, a, b);
}

/* ---- Reading hunks -------------------------------------------------------------------------------- */

static bool range(const char **s, size_t *at, size_t *n)
{
	const char *end;

	if (!ascii_digit(**s))
		return false;
	*at = (size_t)num_u64(*s, &end, 10, NULL);
	*n = 1;
	if (*end == ',') {
		*s = end + 1;
		if (!ascii_digit(**s))
			return false;
		*n = (size_t)num_u64(*s, &end, 10, NULL);
	}
	*s = end;
	return *at <= SIZE_MAX / 4 && *n <= SIZE_MAX / 4;
}

static void read_hunk(struct patch *o, struct hunk *h)
{
	const char *s = u_strndup(o->p, o->line[o->at].ptr, o->line[o->at].len) + 4;
	size_t got[2] = {0, 0};
	char last = ' ';
	bool changed = false;

	if (!range(&s, &h->at[0], &h->n[0]) || strncmp(s, " +", 2) != 0)
		malformed(o);
	s += 2;
	if (!range(&s, &h->at[1], &h->n[1]) || strncmp(s, " @@", 3) != 0)
		malformed(o);
	for (int f = 0; f < 2; f++)
		h->side[f] = u_array(o->p, MIN(h->n[f], o->n - o->at) + 1, sizeof(*h->side[f]));
	h->first = ++o->at;
	while (got[0] < h->n[0] || got[1] < h->n[1]) {
		struct str l = o->at < o->n ? o->line[o->at] : (struct str){"", 0}, text;
		char c = l.len > 0 ? l.ptr[0] : ' ';

		if (o->at >= o->n)
			u_die(o->p, 2, 0, "**** unexpected end of file in patch");
		sys_checkpoint(o->p);
		if (c == '\\') {
			h->open[0] |= last != '+';
			h->open[1] |= last != '-';
			o->at++;
			continue;
		}
		text = l.len > 0 ? (struct str){l.ptr + 1, l.len - 1} : l;
		if (c == '\t') {
			c = ' ';
			text = l;
		}
		if (c != ' ' && c != '-' && c != '+')
			malformed(o);
		for (int f = 0; f < 2; f++) {
			if (c != (f == 0 ? '+' : '-')) {
				if (got[f] == h->n[f])
					malformed(o);
				h->side[f][got[f]++] = text;
			}
		}
		if (c == ' ') {
			h->lead += !changed;
			h->tail++;
		} else {
			changed = true;
			h->tail = 0;
		}
		last = c;
		o->at++;
	}
	if (o->at < o->n && begins(o->line[o->at], "\\")) {
		h->open[0] |= last != '+';
		h->open[1] |= last != '-';
		o->at++;
	}
	h->end = o->at;
	if (!changed)
		h->lead = h->tail = 0;
}

/* ---- Applying -------------------------------------------------------------------------------------- */

/* Whether the old side, less `fuzz` lines of context at its ends, is at line i of the text. */
static bool matches(struct patch *o, const struct text *t, const struct hunk *h, int old, size_t i, size_t head,
		    size_t foot)
{
	size_t n = h->n[old];

	sys_checkpoint(o->p);
	if (i > t->n || n - head - foot > t->n - i)
		return false;
	for (size_t k = head; k < n - foot; k++) {
		if (!str_eq(t->v[i + k - head], h->side[old][k]))
			return false;
	}
	return true;
}

/* Where the hunk fits, as an index of the text; false when nowhere. */
static bool locate(struct patch *o, const struct text *t, const struct hunk *h, int old, size_t from, int64_t drift,
		   size_t fuzz, size_t *head, size_t *found)
{
	size_t context = MAX(h->lead, h->tail);
	int64_t lead_cut = (int64_t)fuzz + (int64_t)h->lead - (int64_t)context;
	int64_t tail_cut = (int64_t)fuzz + (int64_t)h->tail - (int64_t)context;
	size_t foot = tail_cut > 0 ? (size_t)tail_cut : 0;
	int64_t guess, size = (int64_t)t->n;
	bool at_start = h->lead < h->tail && h->at[old] <= 1, at_end = h->tail < h->lead;

	*head = lead_cut > 0 ? (size_t)lead_cut : 0;
	guess = (int64_t)h->at[old] - (h->n[old] > 0) + drift + (int64_t)*head;
	/* Less context in front than behind: the hunk stood at the beginning; the other way round, at the end. */
	if (fuzz == 0 && at_start) {
		if (from == 0 && matches(o, t, h, old, 0, *head, foot))
			return *found = 0, true;
		return false;
	}
	if (fuzz == 0 && at_end) {
		int64_t i = size - (int64_t)(h->n[old] - *head - foot);

		if (i >= (int64_t)from && matches(o, t, h, old, (size_t)i, *head, foot))
			return *found = (size_t)i, true;
		return false;
	}
	for (int64_t d = 0; d <= size + guess; d++) {
		if (guess + d >= (int64_t)from && guess + d <= size && matches(o, t, h, old, (size_t)(guess + d), *head, foot))
			return *found = (size_t)(guess + d), true;
		if (d > 0 && guess - d >= (int64_t)from && guess - d <= size &&
		    matches(o, t, h, old, (size_t)(guess - d), *head, foot))
			return *found = (size_t)(guess - d), true;
	}
	return false;
}

static void put_lines(struct u_buf *b, const struct str *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		u_buf_put(b, v[i].ptr, v[i].len);
		u_buf_putc(b, '\n');
	}
}

static void say(struct patch *o, bool always, const char *text)
{
	if (!o->silent || always)
		u_puts(u_stdout(o->p), text);
}

/* Applies all hunks that follow. False: the patch was applied before, and is skipped. */
static bool apply(struct patch *o, const struct text *t, struct result *r, const char *a, const char *b, uint64_t max_fuzz)
{
	size_t done = 0; /* lines of the text copied or replaced */
	int64_t drift = 0, shift = 0;
	int old = o->reverse, new = !old;
	bool open = t->unfinished;

	while (o->at < o->n && begins(o->line[o->at], "@@ -")) {
		struct hunk h = {0};
		size_t at = 0, head = 0, foot, fuzz, unused;
		bool found = false, reversed = false;

		read_hunk(o, &h);
		r->hunks++;
		for (fuzz = 0; fuzz <= MIN(max_fuzz, MAX(h.lead, h.tail)); fuzz++) {
			found = locate(o, t, &h, old, done, drift, fuzz, &head, &at);
			if (found)
				break;
			reversed = r->hunks == 1 && !o->force && locate(o, t, &h, new, 0, 0, fuzz, &unused, &at);
			if (reversed)
				break;
		}
		if (reversed) {
			say(o, true, o->reverse ? "Unreversed patch detected!  " : "Reversed (or previously applied) patch detected!  ");
			say(o, true, o->forward ? "Skipping patch.\n" : o->reverse ? "Ignore -R? [n] \nApply anyway? [n] \n" :
				     "Assume -R? [n] \nApply anyway? [n] \n");
			if (!o->forward)
				say(o, false, "Skipping patch.\n");
			patch_reject(o, r, &h, a, b);
			while (o->at < o->n && begins(o->line[o->at], "@@ -")) {
				struct hunk rest = {0};

				read_hunk(o, &rest);
				r->hunks++;
				patch_reject(o, r, &rest, a, b);
			}
			return false;
		}
		if (!found) {
			if (!o->silent)
				u_printf(u_stdout(o->p), "Hunk #%zu FAILED at %lld%s.\n", r->hunks,
					 (long long)h.at[old] + (h.n[old] == 0) + shift, patch_other_endings(o, t, &h) ? " (different line endings)" : "");
			patch_reject(o, r, &h, a, b);
			continue;
		}
		foot = fuzz + h.tail > MAX(h.lead, h.tail) ? fuzz + h.tail - MAX(h.lead, h.tail) : 0;
		{
			int64_t want = (int64_t)h.at[old] - (h.n[old] > 0) + (int64_t)head, off = (int64_t)at - want;

			if (fuzz > 0 || off != 0) {
				r->mismatch = true;
				if (!o->silent) {
					struct u_out *out = u_stdout(o->p);

					u_printf(out, "Hunk #%zu succeeded at %lld", r->hunks, (long long)at - (long long)head + 1 + shift);
					if (fuzz)
						u_printf(out, " with fuzz %zu", fuzz);
					if (off)
						u_printf(out, " (offset %lld line%s)", (long long)off, off == 1 || off == -1 ? "" : "s");
					u_puts(out, ".\n");
				}
			}
			drift = off;
		}
		put_lines(&r->out, t->v + done, at - done);
		put_lines(&r->out, h.side[new] + head, h.n[new] - head - foot);
		done = at + h.n[old] - head - foot;
		shift += (int64_t)h.n[new] - (int64_t)h.n[old];
		if (done == t->n && foot == 0)
			open = h.open[new];
	}
	put_lines(&r->out, t->v + done, t->n - done);
	if (open && r->out.len > 0)
		r->out.ptr[--r->out.len] = '\0';
	return true;
}

/* ---- Files ------------------------------------------------------------------------------------------- */

static void write_file(struct patch *o, const char *path, const char *ptr, size_t n, unsigned mode)
{
	int fd = sys_open(o->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, mode), e;

	if (fd < 0)
		u_die(o->p, 2, fd, "**** Can't create file %s ", path);
	e = u_write_all(o->p, fd, ptr, n);
	sys_close(o->p, fd);
	if (e < 0)
		u_die(o->p, 2, e, "**** write error ");
}

static void make_parents(struct patch *o, const char *path)
{
	char *s = u_strdup(o->p, path);

	for (char *t = strchr(s, '/'); t; t = strchr(t + 1, '/')) {
		*t = '\0';
		(void)!sys_mkdir(o->p, s, 0777);
		*t = '/';
	}
}

static void patch_file(struct patch *o, const char *operand, uint64_t fuzz)
{
	size_t start = o->at;
	char *a = header_name(o, o->line[o->at]), *b = header_name(o, o->line[o->at + 1]);
	char *from = o->reverse ? b : a, *to = o->reverse ? a : b;
	bool creates = from && streq(from, "/dev/null"), deletes = to && streq(to, "/dev/null");
	const char *name = operand;
	struct str old = {"", 0};
	struct text t;
	struct result r = {0};
	struct sys_stat st = {.mode = 0100666};
	bool applied;

	o->at += 2;
	creates |= from && epoch(o, start + o->reverse) && empty_side(o, o->reverse);
	deletes |= to && epoch(o, start + !o->reverse) && empty_side(o, !o->reverse);
	if (!name)
		name = choose_name(o, a, b, creates);
	if (name && !operand && dangerous(name)) {
		u_printf(u_stdout(o->p), "Ignoring potentially dangerous file name %s\n", name);
		name = NULL;
	}
	if (!name || (!creates && !exists(o, name))) {
		u_printf(u_stdout(o->p), "can't find file to patch at input line %zu\n", o->at + 1);
		if (!o->strip)
			u_puts(u_stdout(o->p), "Perhaps you should have used the -p or --strip option?\n");
		else
			u_puts(u_stdout(o->p), "Perhaps you used the wrong -p or --strip option?\n");
		u_puts(u_stdout(o->p), "The text leading up to this was:\n--------------------------\n");
		for (size_t i = start; i < o->at; i++)
			u_printf(u_stdout(o->p), "|%.*s\n", (int)MIN(o->line[i].len, 4096), o->line[i].ptr);
		u_puts(u_stdout(o->p), "--------------------------\n");
		u_puts(u_stdout(o->p), "No file to patch.  Skipping patch.\n");
		while (o->at < o->n && begins(o->line[o->at], "@@ -")) {
			struct hunk h = {0};

			read_hunk(o, &h);
			r.hunks++;
		}
		u_printf(u_stdout(o->p), "%zu out of %zu hunk%s ignored\n", r.hunks, r.hunks, r.hunks == 1 ? "" : "s");
		o->status = 1;
		return;
	}
	if (!o->silent)
		u_printf(u_stdout(o->p), o->output ? (o->dry_run ? "checking file %s (read from %s)\n" : "patching file %s (read from %s)\n") : o->dry_run ? "checking file %s\n" : "patching file %s\n",
			 u_quote_if_needed(o->p, o->output ? o->output : name), u_quote_if_needed(o->p, name));
	if (exists(o, name)) {
		int fd = sys_open(o->p, name, SYS_O_READ, 0), e = fd;

		if (fd >= 0) {
			e = sys_fstat(o->p, fd, &st);
			e = e < 0 ? e : u_read_all(o->p, fd, (size_t)1 << 30, &old);
			sys_close(o->p, fd);
		}
		if (e < 0)
			u_die(o->p, 2, e, "**** Can't open file %s ", name);
	}
	t = split(o->p, old);
	u_buf_init(&r.out, o->p, 0);
	u_buf_init(&r.rejects, o->p, 0);
	u_buf_puts(&r.out, "");
	applied = apply(o, &t, &r, from ? from : name, to ? to : name, fuzz);
	if (r.failed) {
		const char *rej = o->reject ? o->reject : u_format(o->p, "%s.rej", o->output ? o->output : name);

		u_printf(u_stdout(o->p), "%zu out of %zu hunk%s %s", r.failed, r.hunks, r.hunks == 1 ? "" : "s",
			 applied ? "FAILED" : "ignored");
		if (!o->dry_run && !streq(rej, "-")) {
			u_printf(u_stdout(o->p), " -- saving rejects to file %s", rej);
			write_file(o, rej, r.rejects.ptr, r.rejects.len, 0666);
		}
		u_putc(u_stdout(o->p), '\n');
		o->status = 1;
	}
	if (o->dry_run || !applied)
		return;
	if (exists(o, name) && !o->output && (o->backup || ((r.mismatch || r.failed) && !o->no_backup_mismatch)))
		write_file(o, u_format(o->p, "%s.orig", name), old.ptr, old.len, st.mode & 0777);
	if (r.out.len == 0 && (deletes || o->remove_empty) && !r.failed && !o->output) {
		int e = sys_unlink(o->p, name);

		if (e < 0)
			u_die(o->p, 2, e, "**** Can't remove file %s ", name);
		/* So do directories that are empty now. */
		for (char *dir = u_strdup(o->p, name), *slash; (slash = strrchr(dir, '/')) != NULL && slash > dir;) {
			*slash = '\0';
			if (sys_rmdir(o->p, dir) < 0)
				break;
		}
		return;
	}
	if (creates && !operand)
		make_parents(o, name);
	write_file(o, o->output ? o->output : name, r.out.ptr, r.out.len, st.mode & 0777);
}

static int patch_main(struct proc *p, const struct cmd_args *a)
{
	struct patch *o = a->opts;
	const char *input = o->input ? o->input : a->argc > 1 ? a->argv[1] : "-";
	uint64_t fuzz = 2, v;
	int fd, e;
	struct str all;
	struct text t;
	bool any = false;

	o->p = p;
	if (a->argc > 2)
		u_usage(p, "%s: extra operand", a->argv[2]);
	if (o->strip && (!ascii_digit(o->strip[0]) || u_parse_size(o->strip, NULL, &v) < 0))
		u_die(p, 2, 0, "**** strip count %s is not a number", o->strip);
	if (o->fuzz && (!ascii_digit(o->fuzz[0]) || u_parse_size(o->fuzz, NULL, &fuzz) < 0))
		u_die(p, 2, 0, "**** fuzz factor %s is not a number", o->fuzz);
	fd = streq(input, "-") ? 0 : sys_open(p, input, SYS_O_READ, 0);
	if (fd < 0)
		u_die(p, 2, fd, "**** Can't open patch file %s ", input);
	e = u_read_all(p, fd, (size_t)1 << 30, &all);
	if (e < 0)
		u_die(p, 2, e, "**** read error ");
	if (o->directory && (e = sys_chdir(p, o->directory)) < 0)
		u_die(p, 2, e, "**** Can't change to directory %s ", o->directory);
	t = split(p, all);
	o->line = t.v;
	o->n = t.n;
	patch_make_unified(p, &o->line, &o->n, o->kind ? (unsigned)o->kind : PATCH_UNIFIED | PATCH_CONTEXT | PATCH_NORMAL);
	while (o->at < o->n) {
		struct str l = o->line[o->at];

		sys_checkpoint(p);
		if (begins(l, "--- ") && o->at + 2 < o->n && begins(o->line[o->at + 1], "+++ ") && begins(o->line[o->at + 2], "@@ -")) {
			any = true;
			patch_file(o, a->argc > 0 ? a->argv[0] : NULL, fuzz);
			continue;
		}
		if (begins(l, "GIT binary patch") || begins(l, "rename from ") || begins(l, "copy from "))
			u_die(p, 2, 0, "**** only differences of text can be applied; line %zu is something else", o->at + 1);
		o->at++;
	}
	if (!any && all.len > 0)
		u_die(p, 2, 0, "**** Only garbage was found in the patch input.");
	return o->status;
}

static const struct cmd_example patch_examples[] = {
	{"seq 3 > f; printf '%s\\n' '--- f' '+++ f' '@@ -1,3 +1,3 @@' ' 1' '-2' '+two' ' 3' | patch; cat f",
	 "patching file f\n1\ntwo\n3\n"},
};

static const struct cmd_missing patch_missing[] = {
	{"-e", "ed scripts are not run"},
	{"-l", "white space must match"},
	{"-t", "nothing is assumed about reversed patches: use -R or -N"},
};

const struct cmd cmd_patch = {
	.name = "patch",
	.summary = "apply a diff to files",
	.synopsis = "[OPTION]... [ORIGFILE [PATCHFILE]]",
	.description =
		"Nothing is asked: a patch that seems reversed or has no file is skipped. The status is\n"
		"0 when all hunks were applied, 1 when some were not, 2 in trouble.",
	.opts = patch_opts,
	.nopts = COUNTOF(patch_opts),
	.opts_size = sizeof(struct patch),
	.usage_status = 2,
	.named_hint = true,
	.main = patch_main,
	.examples = patch_examples,
	.nexamples = COUNTOF(patch_examples),
	.missing = patch_missing,
	.nmissing = COUNTOF(patch_missing),
};
