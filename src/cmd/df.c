/* df - report file system space usage of the sandbox's mounts. */
#include "cmd.h"

enum df_field { F_SOURCE, F_FSTYPE, F_ITOTAL, F_IUSED, F_IAVAIL, F_IPCENT, F_SIZE, F_USED, F_AVAIL, F_PCENT, F_FILE, F_TARGET, F_COUNT };

struct df {
	struct proc *p;
	bool all, inodes, posix, print_type, local, total, human, si, suffix, output, nothing;
	uint64_t block;
	char unit[8];
	struct cmd_list types, not_types;
	enum df_field field[F_COUNT];
	size_t nfields;
	const char **cell;	/* nrows * nfields */
	size_t nrows, cap;
	uint64_t sum[6];	/* size, used, avail; files, used, free */
	int status;
};

static const struct {
	const char *name, *title;
	size_t width;
	bool left;
} fields[F_COUNT] = {
	[F_SOURCE] = {"source", "Filesystem", 14, true}, [F_FSTYPE] = {"fstype", "Type", 4, true},
	[F_ITOTAL] = {"itotal", "Inodes", 5, false},	 [F_IUSED] = {"iused", "IUsed", 5, false},
	[F_IAVAIL] = {"iavail", "IFree", 5, false},	 [F_IPCENT] = {"ipcent", "IUse%", 4, false},
	[F_SIZE] = {"size", NULL, 5, false},		 [F_USED] = {"used", "Used", 5, false},
	[F_AVAIL] = {"avail", "Available", 5, false},	 [F_PCENT] = {"pcent", "Use%", 4, false},
	[F_FILE] = {"file", "File", 0, true},		 [F_TARGET] = {"target", "Mounted on", 0, true},
};

static void set_block(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct df *d = opts;
	bool at_1 = arg && !ascii_digit(*arg);

	d->human = d->si = d->suffix = false;
	d->block = o->shrt == 'm' ? 1u << 20 : 1024;
	if (o->shrt == 'h' || (arg && streq(arg, "human-readable")))
		d->human = true;
	else if (o->shrt == 'H' || (arg && streq(arg, "si")) || (o->lng && streq(o->lng, "si")))
		d->si = true;
	else if (arg) {
		if (u_parse_size(at_1 ? u_format(p, "1%s", arg) : arg, "EGkKMmPTYZ0", &d->block) < 0 || d->block == 0)
			u_die(p, 1, 0, "invalid %s argument %s", o->shrt ? "-B" : "--block-size", u_quote_file(p, arg));
		d->suffix = at_1;
		fmt_buf(d->unit, sizeof(d->unit), "%s", at_1 ? arg : "");
	}
}

static void add_field(struct df *d, enum df_field f)
{
	d->field[d->nfields++] = f;
}

static void set_output(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct df *d = opts;

	(void)o;
	d->output = true;
	for (const char *s = arg; s && *s; s += *s == ',') {
		size_t n = strcspn(s, ","), i = 0;

		while (i < F_COUNT && !(strlen(fields[i].name) == n && memcmp(fields[i].name, s, n) == 0))
			i++;
		if (i == F_COUNT)
			u_usage(p, "option --output: field %s unknown", u_quote_n(p, s, n));
		for (size_t k = 0; k < d->nfields; k++) {
			if (d->field[k] == i)
				u_usage(p, "option --output: field %s used more than once", u_quote_n(p, s, n));
		}
		add_field(d, (enum df_field)i);
		s += n;
	}
}

static const struct cmd_opt df_opts[] = {
	CMD_FLAG(struct df, all, 'a', "all", "include pseudo, duplicate, inaccessible file systems"),
	CMD_CALL('B', "block-size", "SIZE", set_block, "scale sizes by SIZE before printing them; e.g.,\n'-BM' prints sizes in units of "
						       "1,048,576 bytes"),
	CMD_CALL('h', "human-readable", NULL, set_block, "print sizes in powers of 1024 (e.g., 1023M)"),
	CMD_CALL('H', "si", NULL, set_block, "print sizes in powers of 1000 (e.g., 1.1G)"),
	CMD_FLAG(struct df, inodes, 'i', "inodes", "list inode information instead of block usage"),
	CMD_CALL('k', NULL, NULL, set_block, "like --block-size=1K"),
	CMD_CALL('m', NULL, NULL, set_block, NULL),
	CMD_FLAG(struct df, local, 'l', "local", "limit listing to local file systems (all are)"),
	CMD_FLAG(struct df, nothing, 0, "no-sync", "do not invoke sync before getting usage info (default)"),
	CMD_CALL_OPTIONAL(0, "output", "FIELD_LIST", set_output, "use the output format defined by FIELD_LIST, or\nprint all fields if "
								 "FIELD_LIST is omitted"),
	CMD_FLAG(struct df, posix, 'P', "portability", "use the POSIX output format"),
	CMD_FLAG(struct df, nothing, 0, "sync", "invoke sync before getting usage info (nothing waits)"),
	CMD_FLAG(struct df, total, 0, "total", "elide all entries insignificant to available space,\nand produce a grand total"),
	CMD_LIST(struct df, types, 't', "type", "TYPE", "limit listing to file systems of type TYPE"),
	CMD_FLAG(struct df, print_type, 'T', "print-type", "print file system type"),
	CMD_LIST(struct df, not_types, 'x', "exclude-type", "TYPE", "limit listing to file systems not of type TYPE"),
	CMD_FLAG(struct df, nothing, 'v', NULL, "(ignored)"),
};

static void defaults(void *opts)
{
	((struct df *)opts)->block = 1024;
}

/* ---- Rows --------------------------------------------------------------------------------- */

static const char *amount(struct df *d, uint64_t n, uint64_t unit)
{
	char buf[32];

	if (d->human || d->si)
		return u_strdup(d->p, u_human(buf, n, d->si ? 1000 : 1024));
	return u_format(d->p, "%llu%s", (unsigned long long)(n / unit + (n % unit != 0)), d->suffix && unit > 1 ? d->unit : "");
}

static const char *percent(struct df *d, uint64_t used, uint64_t avail)
{
	long double all = (long double)used + avail;
	uint64_t n;

	if (all <= 0)
		return "-";
	n = (uint64_t)((long double)used * 100 / all);
	return u_format(d->p, "%llu%%", (unsigned long long)(n + ((long double)n * all < (long double)used * 100)));
}

static const char *cell_of(struct df *d, enum df_field f, const char *source, const char *type, const char *file, const char *target,
			   const uint64_t v[6])
{
	switch (f) {
	case F_SOURCE: return source;
	case F_FSTYPE: return type;
	case F_ITOTAL: return amount(d, v[3], 1);
	case F_IUSED: return amount(d, v[4], 1);
	case F_IAVAIL: return amount(d, v[5], 1);
	case F_IPCENT: return percent(d, v[4], v[5]);
	case F_SIZE: return amount(d, v[0], d->block);
	case F_USED: return amount(d, v[1], d->block);
	case F_AVAIL: return amount(d, v[2], d->block);
	case F_PCENT: return percent(d, v[1], v[2]);
	case F_FILE: return file;
	default: return target;
	}
}

static const char **new_row(struct df *d)
{
	if (d->nrows == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 16;

		d->cell = arena_grow(&sys_self(d->p)->arena, d->cell, d->cap * d->nfields * sizeof(char *), cap * d->nfields * sizeof(char *));
		d->cap = cap;
	}
	return d->cell + d->nrows++ * d->nfields;
}

static void add_row(struct df *d, const char *source, const char *type, const char *file, const char *target, const uint64_t v[6])
{
	const char **row = new_row(d);

	for (size_t i = 0; i < d->nfields; i++)
		row[i] = cell_of(d, d->field[i], source, type, file, target, v);
}

static const char *title(struct df *d, enum df_field f)
{
	bool scaled = d->human || d->si;
	char buf[32];
	const char *unit;

	if (f == F_AVAIL && (scaled || d->output))
		return "Avail";
	if (f == F_PCENT && d->posix && !scaled)
		return "Capacity";
	if (f != F_SIZE)
		return fields[f].title;
	if (scaled)
		return "Size";
	if (d->posix)
		return u_format(d->p, "%llu-blocks", (unsigned long long)d->block);
	if (d->block % 1024 == 0) {
		unit = u_human(buf, d->block, 1024);
		/* 1.0M is 1M when it is whole. */
		return u_format(d->p, "%.*s%c-blocks", (int)strcspn(unit, ".KMGTPE"), unit, unit[strlen(unit) - 1]);
	}
	if (d->block % 1000 == 0) {
		unit = u_human(buf, d->block, 1000);
		return u_format(d->p, "%.*s%cB-blocks", (int)strcspn(unit, ".kMGTPE"), unit, unit[strlen(unit) - 1]);
	}
	return u_format(d->p, "%lluB-blocks", (unsigned long long)d->block);
}

static bool listed(const struct cmd_list *l, const char *type)
{
	for (size_t i = 0; i < l->n; i++) {
		if (streq(l->v[i], type))
			return true;
	}
	return false;
}

static void add(struct df *d, const struct sys_statfs *fs, const char *file)
{
	uint64_t used = fs->bytes_total - MIN(fs->bytes_free, fs->bytes_total);
	uint64_t fused = fs->files_total - MIN(fs->files_free, fs->files_total);
	uint64_t v[6] = {fs->bytes_total, used, fs->bytes_free, fs->files_total, fused, fs->files_free};

	if ((d->types.n && !listed(&d->types, fs->type)) || listed(&d->not_types, fs->type))
		return;
	for (size_t i = 0; i < 6; i++)
		d->sum[i] += v[i];
	add_row(d, u_strdup(d->p, *fs->source ? fs->source : fs->type), u_strdup(d->p, fs->type), file ? file : "-",
		u_strdup(d->p, fs->mounted_on), v);
}

/* ---- The table ---------------------------------------------------------------------------- */

static void print(struct df *d)
{
	struct u_out *o = u_stdout(d->p);
	size_t width[F_COUNT];

	for (size_t c = 0; c < d->nfields; c++) {
		width[c] = fields[d->field[c]].width;
		for (size_t r = 0; r < d->nrows; r++)
			width[c] = MAX(width[c], utf8_columns(d->cell[r * d->nfields + c], strlen(d->cell[r * d->nfields + c])));
	}
	for (size_t r = 0; r < d->nrows; r++) {
		for (size_t c = 0; c < d->nfields; c++) {
			const char *text = d->cell[r * d->nfields + c];
			bool left = fields[d->field[c]].left, last = c + 1 == d->nfields;
			size_t pad = width[c] - utf8_columns(text, strlen(text));

			if (c)
				u_putc(o, ' ');
			u_printf(o, "%*s%s%*s", left ? 0 : (int)pad, "", text, left && !last ? (int)pad : 0, "");
		}
		u_putc(o, '\n');
	}
}

static void choose_fields(struct df *d)
{
	static const enum df_field space[] = {F_SIZE, F_USED, F_AVAIL, F_PCENT, F_TARGET}, files[] = {F_ITOTAL, F_IUSED, F_IAVAIL, F_IPCENT, F_TARGET};
	const enum df_field *rest = d->inodes ? files : space;

	if (d->output) {
		const char *other = d->inodes ? "-i" : d->posix ? "-P" : d->print_type ? "-T" : NULL;

		if (other)
			u_usage(d->p, "options %s and --output are mutually exclusive", other);
		/* All of them, in the order of the table. */
		for (size_t i = 0, n = d->nfields; n == 0 && i < F_COUNT; i++)
			add_field(d, (enum df_field)i);
		return;
	}
	add_field(d, F_SOURCE);
	if (d->print_type)
		add_field(d, F_FSTYPE);
	for (size_t i = 0; i < COUNTOF(space); i++)
		add_field(d, rest[i]);
}

static void add_mounts(struct df *d)
{
	struct sys_statfs fs;

	for (size_t i = 0; sys_mount_at(d->p, i, &fs) >= 0; i++) {
		if (d->all || fs.bytes_total)
			add(d, &fs, NULL);
	}
}

static int df_main(struct proc *p, const struct cmd_args *a)
{
	struct df *d = a->opts;
	struct sys_statfs fs;
	const char **head;

	d->p = p;
	choose_fields(d);
	head = new_row(d);
	for (size_t i = 0; i < d->nfields; i++)
		head[i] = title(d, d->field[i]);
	if (a->argc == 0)
		add_mounts(d);
	for (int i = 0; i < a->argc; i++) {
		int e = sys_statfs(p, a->argv[i], &fs);

		if (e < 0) {
			u_warn(p, e, "%s", *a->argv[i] ? u_quote_if_needed(p, a->argv[i]) : "''");
			d->status = 1;
		} else {
			add(d, &fs, a->argv[i]);
		}
	}
	if (d->nrows == 1) {
		if (!d->status)
			u_die(p, 1, 0, "no file systems processed");
		return d->status;
	}
	if (d->total)
		add_row(d, "total", "-", "-", "-", d->sum);
	print(d);
	return d->status;
}

static const struct cmd_example examples[] = {
	{"df --output=target /tmp", "Mounted on\n/\n"},
};

const struct cmd cmd_df = {
	.name = "df",
	.summary = "show information about the file system on which each FILE resides, or all file systems by default",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "FIELD_LIST is a comma-separated list of columns: 'source', 'fstype', 'itotal', 'iused',\n"
		       "'iavail', 'ipcent', 'size', 'used', 'avail', 'pcent', 'file' and 'target'.",
	.opts = df_opts,
	.nopts = COUNTOF(df_opts),
	.opts_size = sizeof(struct df),
	.defaults = defaults,
	.main = df_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
