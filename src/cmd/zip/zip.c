/*
 * zip.c - zip, as Info-ZIP's Zip 3.0: making and changing zip archives.
 *
 * The new archive is written beside the old one and takes its place when it is complete; entries that stay are copied as they are.
 */
#include "zip.h"

/* ---- Which files -------------------------------------------------------------------------------------------- */

static bool matches(struct zip *z, const struct cmd_list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		sys_checkpoint(z->p);
		if (u_glob_match(l->v[i], strlen(l->v[i]), name, strlen(name), 0))
			return true;
	}
	return false;
}

#define BUCKETS 65536u

static uint32_t bucket(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return (h ^ h >> 16) % BUCKETS;
}

static void make_tables(struct zip *z)
{
	z->gone = u_zalloc(z->p, z->old.n + 1);
	z->item_heads = u_zalloc(z->p, BUCKETS * sizeof(*z->item_heads));
	z->replacement = u_zalloc(z->p, (z->old.n + 1) * sizeof(*z->replacement));
	if (!z->old.n)
		return;
	z->old_heads = u_zalloc(z->p, BUCKETS * sizeof(*z->old_heads));
	z->old_next = u_zalloc(z->p, z->old.n * sizeof(*z->old_next));
	for (size_t i = z->old.n; i-- > 0;) {
		uint32_t b = bucket(z->old.v[i].name);

		sys_checkpoint(z->p);
		z->old_next[i] = z->old_heads[b];
		z->old_heads[b] = (uint32_t)i + 1;
	}
}

static const struct zip_entry *find_old(struct zip *z, const char *name, size_t *index)
{
	for (uint32_t i = z->old.n ? z->old_heads[bucket(name)] : 0; i; i = z->old_next[i - 1]) {
		sys_checkpoint(z->p);
		if (streq(z->old.v[i - 1].name, name)) {
			*index = i - 1;
			return &z->old.v[i - 1];
		}
	}
	return NULL;
}

/* The name in the archive: relative, without "../" and "./" in front. */
static const char *entry_name(struct zip *z, const char *path, bool is_dir)
{
	const char *name = z->junk && !is_dir ? u_basename(z->p, path) : path;

	for (;;) {
		name += strspn(name, "/");
		if (strncmp(name, "./", 2) == 0)
			name += 2;
		else if (strncmp(name, "../", 3) == 0)
			name += 3;
		else
			break;
	}
	if (streq(name, ".") || streq(name, "..") || !*name || (z->junk && is_dir))
		return NULL;
	return is_dir ? u_format(z->p, "%s%s", name, name[strlen(name) - 1] == '/' ? "" : "/") : u_strdup(z->p, name);
}

static bool is_asked_for(struct zip *z, const char *name, const struct sys_stat *st, const struct zip_entry *old)
{
	if (matches(z, &z->exclude, name) || (z->include.n && !matches(z, &z->include, name)))
		return false;
	if (z->freshen && !old)
		return false;
	return !((z->update || z->freshen) && old && st->mtime.sec <= old->mtime.sec);
}

static void add_path(struct zip *z, const char *path, const struct sys_stat *st)
{
	bool is_dir = (st->mode & SYS_S_TYPE) == SYS_S_DIR;
	const char *name = entry_name(z, path, is_dir);
	const struct zip_entry *old;
	size_t index = 0;

	if (!name || (is_dir && z->no_dirs) || streq(path, z->path))
		return;
	old = find_old(z, name, &index);
	if (!is_asked_for(z, name, st, old))
		return;
	for (uint32_t i = z->item_heads[bucket(name)]; i; i = z->items[i - 1].next) {
		sys_checkpoint(z->p);
		if (!streq(z->items[i - 1].name, name))
			continue;
		if (!streq(z->items[i - 1].path, path))
			zip_fail(z, ZE_PARMS, "Invalid command arguments (%s)", "cannot repeat names in zip file");
		return;
	}
	if (z->nitems == z->items_cap) {
		size_t cap = z->items_cap ? z->items_cap * 2 : 32;

		z->items = arena_grow(&sys_self(z->p)->arena, z->items, z->items_cap * sizeof(*z->items), size_mul(cap, sizeof(*z->items)));
		z->items_cap = cap;
	}
	z->items[z->nitems++] = (struct item){u_strdup(z->p, path), name, *st, old, z->item_heads[bucket(name)]};
	z->item_heads[bucket(name)] = (uint32_t)z->nitems;
	if (old) {
		z->gone[index] = true;
		z->replacement[index] = (uint32_t)z->nitems;
	}
}

static void add_operand(struct zip *z, const char *path)
{
	struct u_walk *w;
	struct u_walk_entry e;
	struct sys_stat st = {.mode = SYS_S_FIFO | 0600};

	if (streq(path, "-")) {
		int64_t now = sys_clock(z->p, SYS_CLOCK_REAL) / 1000000000;

		st.mtime.sec = st.atime.sec = now;
		add_path(z, path, &st);
		return;
	}
	if (sys_stat(z->p, path, z->symlinks ? SYS_NOFOLLOW : 0, &st) < 0) {
		zip_warn(z, "name not matched: ", path);
		return;
	}
	w = u_walk_new(z->p, path, z->symlinks ? 0 : U_WALK_FOLLOW);
	while (u_walk_next(w, &e)) {
		if (e.event == U_WALK_DIR_PRE || e.event == U_WALK_FILE) {
			if ((e.st.mode & SYS_S_TYPE) == SYS_S_LINK && !z->symlinks)
				zip_warn(z, "name not matched: ", e.path); /* a link to nowhere */
			else
				add_path(z, e.path, &e.st);
		}
		if (e.event == U_WALK_DIR_PRE && !z->recursive)
			u_walk_skip(w);
	}
}

/* -@: names on standard input. */
static void read_names(struct zip *z)
{
	struct u_lines r;
	struct str line;

	u_lines_init(&r, z->p, 0, '\n');
	while (u_lines_next(&r, &line)) {
		if (line.len)
			add_operand(z, u_strndup(z->p, line.ptr, line.len));
	}
}

static void mark_deleted(struct zip *z)
{
	for (int i = 0; i < z->n; i++) {
		struct cmd_list one = {(const char **)(uintptr_t)&z->operands[i], 1, 1};
		bool any = false;

		for (size_t k = 0; k < z->old.n; k++) {
			if (!matches(z, &one, z->old.v[k].name) || matches(z, &z->exclude, z->old.v[k].name))
				continue;
			z->gone[k] = any = true;
			z->nitems++;
		}
		if (!any)
			zip_warn(z, "name not matched: ", z->operands[i]);
	}
}

/* ---- Options --------------------------------------------------------------------------------------------------- */

static NORETURN void bad_option(struct zip *z, const char *kind, const char *name)
{
	zip_fail(z, ZE_PARMS, "Invalid command arguments (%s not supported)", u_format(z->p, "%s option '%s'", kind, name));
}

static void list_add(struct zip *z, struct cmd_list *l, const char *v)
{
	const char **w = u_array(z->p, l->n + 1, sizeof(*w));

	if (l->n)
		memcpy(w, l->v, l->n * sizeof(*w));
	w[l->n] = v;
	*l = (struct cmd_list){w, l->n + 1, l->n + 1};
}

static bool one_letter(struct zip *z, char c)
{
	switch (c) {
	case 'r': z->recursive = true; break;
	case 'q': z->quiet = true; break;
	case 'j': z->junk = true; break;
	case 'u': z->update = true; break;
	case 'f': z->freshen = true; break;
	case 'd': z->delete = true; break;
	case 'm': z->move = true; break;
	case 'y': z->symlinks = true; break;
	case '@': z->names_from_stdin = true; break;
	case 'v': z->verbose = true; break;
	case 'X': z->no_extra = true; break;
	case 'D': z->no_dirs = true; break;
	default:
		if (!ascii_digit((unsigned char)c))
			return false;
		z->level = c - '0';
		z->level_given = true;
		break;
	}
	return true;
}

static const char *short_of(const char *name)
{
	static const char *const table[][2] = {
		{"recurse-paths", "r"}, {"quiet", "q"}, {"junk-paths", "j"}, {"update", "u"}, {"freshen", "f"}, {"delete", "d"}, {"move", "m"},
		{"symlinks", "y"}, {"names-stdin", "@"}, {"verbose", "v"}, {"strip-extra", "X"}, {"no-dir-entries", "D"},
		{"exclude", "x"}, {"include", "i"}, {"no-extra", "X"},
	};

	for (size_t i = 0; i < COUNTOF(table); i++) {
		if (streq(table[i][0], name))
			return table[i][1];
	}
	return NULL;
}

static void read_words(struct zip *z, int argc, char **argv)
{
	struct cmd_list *list = NULL;
	bool options = true;

	z->operands = u_array(z->p, (size_t)argc + 1, sizeof(*z->operands));
	for (int i = 0; i < argc; i++) {
		const char *s = argv[i];

		if (options && streq(s, "--")) {
			options = false;
			list = NULL;
			continue;
		}
		if (!options || s[0] != '-' || !s[1]) {
			if (list && streq(s, "@"))
				list = NULL;
			else if (list)
				list_add(z, list, s);
			else if (!z->path)
				z->path = s;
			else
				z->operands[z->n++] = argv[i];
			continue;
		}
		list = NULL;
		if (s[1] == '-') {
			const char *letter = short_of(s + 2);

			if (!letter)
				bad_option(z, "long", s + 2);
			s = u_format(z->p, "-%s", letter);
		}
		for (s++; *s; s++) {
			if (*s == 'x' || *s == 'i') {
				list = *s == 'x' ? &z->exclude : &z->include;
				if (s[1]) {
					list_add(z, list, s + 1);
					list = NULL;
				}
				break;
			}
			if (!one_letter(z, *s))
				bad_option(z, "short", (char[]){*s, '\0'});
		}
	}
}

/* ---- Main -------------------------------------------------------------------------------------------------------- */

/* The archive's name (with .zip when it has no suffix), and what is in it. */
static void open_old(struct zip *z)
{
	const char *base;
	struct sys_stat st;
	int r;

	z->old.p = z->p;
	z->old.fd = -1;
	if (!z->path || streq(z->path, "-")) {
		z->to_stdout = true;
		z->path = "-";
		return;
	}
	base = u_basename(z->p, z->path);
	if (!strchr(base, '.') && sys_stat(z->p, z->path, 0, &st) < 0)
		z->path = u_format(z->p, "%s.zip", z->path);
	z->old.fd = sys_open(z->p, z->path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	if (z->old.fd < 0)
		return;
	z->old.path = z->path;
	r = zip_read_directory(&z->old);
	if (r != ZIP_OK)
		zip_fail(z, ZE_FORM, "Zip file structure invalid (%s)", z->path);
}

static void open_new(struct zip *z)
{
	unsigned char rnd[6];
	char name[16];

	if (z->to_stdout) {
		z->out = 1;
		return;
	}
	sys_random(z->p, rnd, sizeof(rnd));
	for (int i = 0; i < 6; i++)
		name[i] = (char)('a' + rnd[i] % 26);
	name[6] = '\0';
	z->temp = u_join(z->p, u_dirname(z->p, z->path), u_format(z->p, "zi%s", name));
	z->out = sys_open(z->p, z->temp, SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL | SYS_O_CLOEXEC, 0666);
	if (z->out < 0) {
		z->temp = NULL;
		zip_fail(z, ZE_CREAT, "Could not create output file (%s)", z->path);
	}
}

static void write_archive(struct zip *z)
{
	int r;

	open_new(z);
	u_buf_init(&z->directory, z->p, (size_t)256 << 20);
	/* What is replaced keeps its place among the others. */
	for (size_t i = 0; i < z->old.n; i++) {
		if (!z->gone[i])
			zip_keep_entry(z, &z->old.v[i]);
		else if (z->delete)
			zip_say(z, "deleting: %s\n", z->old.v[i].name);
		if (z->replacement[i])
			zip_add_item(z, &z->items[z->replacement[i] - 1]);
	}
	for (size_t i = 0; !z->delete && i < z->nitems; i++) {
		if (!z->items[i].old)
			zip_add_item(z, &z->items[i]);
	}
	zip_put_end(z);
	if (z->to_stdout)
		return;
	sys_close(z->p, z->out);
	if (z->entries == 0)
		zip_warn(z, "zip file empty", "");
	r = sys_rename(z->p, z->temp, z->path, 0);
	if (r < 0)
		zip_fail(z, ZE_CREAT, "Could not create output file (%s)", z->path);
	z->temp = NULL;
}

/* -m: files that went in are removed, directories when they are empty. */
static void remove_moved(struct zip *z)
{
	for (size_t i = z->nitems; z->move && i-- > 0;) {
		if ((z->items[i].st.mode & SYS_S_TYPE) == SYS_S_DIR)
			(void)!sys_rmdir(z->p, z->items[i].path);
		else
			(void)!sys_unlink(z->p, z->items[i].path);
	}
}

static int zip_main(struct proc *p, const struct cmd_args *a)
{
	struct zip *z = u_zalloc(p, sizeof(*z));

	z->p = p;
	z->level = 6;
	if (a->argc == 0)
		u_help(p);
	read_words(z, a->argc, a->argv);
	open_old(z);
	z->codec = codec_new(p);
	z->in_buf = u_alloc(p, BUFFER);
	z->out_buf = u_alloc(p, BUFFER);
	make_tables(z);
	if (z->delete)
		mark_deleted(z);
	for (int i = 0; i < z->n && !z->delete; i++)
		add_operand(z, z->operands[i]);
	if (z->names_from_stdin)
		read_names(z);
	if (z->freshen && z->n == 0) {
		for (size_t i = 0; i < z->old.n; i++)
			add_operand(z, z->old.v[i].name);
	}
	if (z->nitems == 0 && (z->update || z->freshen) && z->old.n)
		return ZE_NONE;
	if (z->nitems == 0 && (z->include.n || z->exclude.n)) {
		zip_warn(z, "zip file empty", "");
		return 0;
	}
	if (z->nitems == 0)
		zip_fail(z, ZE_NONE, "Nothing to do! (%s)", z->path);
	write_archive(z);
	if (z->verbose && !z->delete)
		zip_say(z, "total bytes=%llu, compressed=%llu -> %d%% savings\n", (unsigned long long)z->sum_size, (unsigned long long)z->sum_packed,
		    zip_percent(z->sum_size, z->sum_packed));
	if (z->status == 0)
		remove_moved(z);
	return z->status;
}

static const struct cmd_example zip_examples[] = {
	{"echo hi > f; zip a.zip f; unzip -Z1 a.zip", "  adding: f (stored 0%)\nf\n"},
	{"mkdir d; seq 100 > d/n; zip -qr - d > a.zip; unzip -p a.zip d/n | tail -n 1", "100\n"},
};

static const struct cmd_missing zip_missing[] = {
	{"-e, -P", "encryption"},
	{"-o, -T, -s, -F, -A, -t, -tt, -n, -R, -sf, -FS, -O", "refused"},
	{"Zip64", "archives and files of 4 GiB and more are read, not written"},
};

const struct cmd cmd_zip = {
	.name = "zip",
	.summary = "package and compress (archive) files",
	.synopsis = "[-options] [zipfile list] [-xi list]",
	.description = "  -f   freshen: only changed files  -u   update: only changed or new files\n"
		       "  -d   delete entries in zipfile    -m   move into zipfile (delete OS files)\n"
		       "  -r   recurse into directories     -j   junk (don't record) directory names\n"
		       "  -0   store only                   -1   compress faster\n"
		       "  -9   compress better              -q   quiet operation\n"
		       "  -v   verbose operation            -D   do not add directory entries\n"
		       "  -x   exclude the following names  -i   include only the following names\n"
		       "  -y   store symbolic links as the link instead of the referenced file\n"
		       "  -X   exclude extra file attributes -@   read names from stdin\n"
		       "The default zipfile, or '-', is standard output.",
	.raw = true,
	.usage_status = ZE_PARMS,
	.stack_size = CODEC_STACK_SIZE,
	.main = zip_main,
	.examples = zip_examples,
	.nexamples = COUNTOF(zip_examples),
	.missing = zip_missing,
	.nmissing = COUNTOF(zip_missing),
};
