/*
 * tar.c - tar: its options, what they mean together, and the way to the modes.
 *
 * Behaves as GNU tar 1.34: formats, names, messages, statuses (64 for a wrong option, 2 for an error).
 */
#include "tar.h"

/* ---- Options -------------------------------------------------------------------------------- */

static struct tar *self(struct proc *p, void *opts)
{
	struct tar *t = opts;

	t->p = p;
	t->list = u_stdout(p);
	return t;
}

#define CALLBACK(name) static void name(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)

CALLBACK(set_mode)
{
	struct tar *t = self(p, opts);
	int mode = o->value;

	(void)arg;
	if (t->mode && t->mode != mode)
		tar_usage(t, "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option");
	t->mode = mode;
}

CALLBACK(set_program)
{
	struct tar *t = self(p, opts);
	static const char *const programs[] = {"gzip", "bzip2", "xz", "zstd", "lzma", "lzip", "lzop", "compress"};
	const char *program = arg ? arg : programs[o->value];

	if (t->program && !streq(t->program, program))
		tar_usage(t, "Conflicting compression options");
	t->program = program;
}

CALLBACK(set_format)
{
	static const struct u_word words[] = {{"gnu", TAR_GNU}, {"oldgnu", TAR_OLDGNU}, {"pax", TAR_PAX}, {"posix", TAR_PAX}, {"ustar", TAR_USTAR}, {"v7", TAR_V7}};
	struct tar *t = self(p, opts);

	if (!arg) {
		t->format = o->value;
		return;
	}
	for (size_t i = 0; i < COUNTOF(words); i++) {
		if (streq(words[i].name, arg)) {
			t->format = words[i].value;
			return;
		}
	}
	tar_usage(t, "%s: Invalid archive format", arg);
}

CALLBACK(add_dir) { (void)o; names_add_dir(self(p, opts), arg); }
CALLBACK(add_file) { (void)o; names_add(self(p, opts), arg); }
CALLBACK(add_exclude) { (void)o; exclude_add(self(p, opts), arg); }
CALLBACK(add_exclude_file) { (void)o; exclude_read_file(self(p, opts), arg); }
CALLBACK(add_names_file) { (void)o; names_read_file(self(p, opts), arg); }
CALLBACK(add_transform) { (void)o; transform_add(self(p, opts), arg); }

CALLBACK(add_exclude_set)
{
	static const char *const vcs[] = {"CVS", ".cvsignore", "RCS", "SCCS", ".git", ".gitignore", ".gitattributes", ".gitmodules", ".svn", ".arch-ids",
					  "{arch}", "=RELEASE-ID", "=meta-update", "=update", ".bzr", ".bzrignore", ".bzrtags", ".hg", ".hgignore",
					  ".hgrags", "_darcs"};
	static const char *const backups[] = {".#*", "*~", "#*#"};
	struct tar *t = self(p, opts);

	(void)arg;
	for (size_t i = 0; o->value ? i < COUNTOF(vcs) : i < COUNTOF(backups); i++)
		exclude_add(t, o->value ? vcs[i] : backups[i]);
}

/* How names and exclusions after this are matched. */
CALLBACK(set_match)
{
	struct tar *t = self(p, opts);
	unsigned bit = (unsigned)o->value & 0xff;
	bool on = o->value > 0xff;

	(void)arg;
	t->match = on ? t->match | bit : t->match & ~bit;
	t->exclude_match = on ? t->exclude_match | bit : t->exclude_match & ~bit;
	t->match_given = true;
}

static uint64_t number(struct tar *t, const char *arg, const char *what)
{
	uint64_t n;

	if (u_parse_size(arg, NULL, &n) < 0)
		tar_usage(t, "%s: Invalid %s", arg, what);
	return n;
}

CALLBACK(set_strip)
{
	struct tar *t = self(p, opts);

	(void)o;
	t->strip = number(t, arg, "number of elements");
}

CALLBACK(set_blocking)
{
	struct tar *t = self(p, opts);
	uint64_t n;

	if (o->value) {
		if (u_parse_size(arg, "kKMG", &n) < 0 || n == 0 || n > ((uint64_t)1 << 30))
			tar_usage(t, "%s: Invalid record size", arg);
		if (n % TAR_BLOCK)
			tar_usage(t, "Record size must be a multiple of %u.", TAR_BLOCK);
		t->record = n;
		return;
	}
	n = number(t, arg, "blocking factor");
	if (n == 0 || n > (1u << 21))
		tar_usage(t, "%s: Invalid blocking factor", arg);
	t->record = n * TAR_BLOCK;
}

CALLBACK(set_occurrence)
{
	struct tar *t = self(p, opts);

	(void)o;
	t->occurrence = arg ? number(t, arg, "number") : 1;
	if (t->occurrence != 1)
		tar_usage(t, "--occurrence: only the first occurrence can be asked for");
}

CALLBACK(set_checkpoint)
{
	struct tar *t = self(p, opts);

	(void)o;
	t->checkpoint = arg ? number(t, arg, "checkpoint") : 10;
	if (t->checkpoint == 0)
		tar_usage(t, "--checkpoint value is not an integer");
}

CALLBACK(add_action)
{
	static const char *const known[] = {"echo", "dot", ".", "exec=", "sleep=", "echo="};
	struct tar *t = self(p, opts);
	const char **v = u_array(p, t->actions.n + 1, sizeof(*v));
	bool ok = false;

	(void)o;
	for (size_t i = 0; i < COUNTOF(known); i++)
		ok |= i < 3 ? streq(arg, known[i]) : strncmp(arg, known[i], strlen(known[i])) == 0;
	if (!ok)
		tar_fatal(t, 0, "%s: unknown checkpoint action", arg);
	if (t->actions.n)
		memcpy(v, t->actions.v, t->actions.n * sizeof(*v));
	v[t->actions.n] = arg;
	t->actions.v = v;
	t->actions.n++;
	t->checkpoint = t->checkpoint ? t->checkpoint : 10;
}

CALLBACK(set_sort)
{
	static const struct u_word words[] = {{"none", TAR_SORT_NONE}, {"name", TAR_SORT_NAME}, {"inode", TAR_SORT_INODE}};
	struct tar *t = self(p, opts);
	bool ambiguous;

	(void)o;
	if (streq(arg, "inode"))
		tar_fatal(t, 0, "--sort=inode is not supported");
	if (!u_word_find(arg, words, COUNTOF(words), &t->sort, &ambiguous)) {
		u_warn(p, 0, "%s argument %s for '--sort'\nValid arguments are:\n  - 'none'\n  - 'name'\n  - 'inode'",
		       ambiguous ? "ambiguous" : "invalid", u_quote(p, arg));
		u_exit(p, 2);
	}
}

CALLBACK(set_quoting)
{
	struct tar *t = self(p, opts);

	(void)o;
	if (streq(arg, "literal"))
		t->quoting = TAR_QUOTE_LITERAL;
	else if (streq(arg, "escape"))
		t->quoting = TAR_QUOTE_ESCAPE;
	else
		tar_fatal(t, 0, "Unknown quoting style '%s'. Try 'tar --quoting-style=help' to get a list.", arg);
}

CALLBACK(set_warning)
{
	static const struct u_word words[] = {
		{"all", -1}, {"alone-zero-block", TAR_WARN_ALONE_ZERO}, {"bad-dumpdir", 0}, {"cachedir", 0}, {"contiguous-cast", 0},
		{"file-changed", TAR_WARN_CHANGED}, {"file-ignored", TAR_WARN_IGNORED}, {"file-removed", TAR_WARN_CHANGED}, {"file-shrank", TAR_WARN_CHANGED},
		{"file-unchanged", 0}, {"filename-with-nuls", 0}, {"ignore-archive", TAR_WARN_ARCHIVE}, {"ignore-newer", TAR_WARN_NEWER},
		{"new-directory", 0}, {"rename-directory", 0}, {"symlink-cast", 0}, {"timestamp", TAR_WARN_TIMESTAMP}, {"unknown-cast", TAR_WARN_CAST},
		{"unknown-keyword", TAR_WARN_KEYWORD}, {"xdev", 0}, {"decompress-program", 0}, {"existing-file", TAR_WARN_EXISTING}, {"xattr-write", 0},
		{"record-size", 0}, {"failed-read", TAR_WARN_FAILED_READ}, {"none", -2},
	};
	struct tar *t = self(p, opts);
	bool off = strncmp(arg, "no-", 3) == 0;
	int bits = 0;

	(void)o;
	for (size_t i = 0; i < COUNTOF(words); i++) {
		if (!streq(words[i].name, off ? arg + 3 : arg))
			continue;
		bits = words[i].value;
		if (bits == -2)
			bits = -1, off = !off;
		t->silent = off ? t->silent | (unsigned)bits : t->silent & ~(unsigned)bits;
		t->loud = off ? t->loud & ~(unsigned)bits : t->loud | (unsigned)bits;
		return;
	}
	u_warn(p, 0, "invalid argument %s for '--warning'", u_quote(p, arg));
	u_exit(p, 2);
}

/* -o is one thing when making an archive and another when reading one. */
CALLBACK(set_o)
{
	(void)o;
	(void)arg;
	self(p, opts)->old_o = true;
}

CALLBACK(set_top_level)
{
	struct tar *t = self(p, opts);

	(void)o;
	t->wants_top_level = true;
	t->one_top_level = arg;
}

CALLBACK(refuse)
{
	struct tar *t = self(p, opts);

	(void)arg;
	tar_fatal(t, 0, "option '%s%s' is not supported", o->lng ? "--" : "-", o->lng ? o->lng : (char[]){o->shrt, '\0'});
}

CALLBACK(vacuous)
{
	(void)p;
	(void)opts;
	(void)o;
	(void)arg;
}

#define MODE(s, l, m, text) {.kind = CMD_OPT_CALL, .shrt = (s), .lng = (l), .call = set_mode, .value = (m), .help = (text)}
#define FLAG(m, s, l, text) CMD_FLAG(struct tar, m, s, l, text)
#define SWITCH(m, l, v, text) CMD_CHOICE(struct tar, m, 0, l, v, text)
#define OLD(v, s, l, text) CMD_CHOICE(struct tar, old_files, s, l, v, text)
#define PROGRAM(s, l, v, text) {.kind = CMD_OPT_CALL, .shrt = (s), .lng = (l), .call = set_program, .value = (v), .help = (text)}
#define FORMAT(l, v) {.kind = CMD_OPT_CALL, .lng = (l), .call = set_format, .value = (v)}
#define MATCH(l, v, text) {.kind = CMD_OPT_CALL, .lng = (l), .call = set_match, .value = (v), .help = (text)}
#define REFUSE(s, l) CMD_CALL(s, l, NULL, refuse, NULL)
#define REFUSE_ARG(s, l) CMD_CALL(s, l, "ARG", refuse, NULL)
/* What it asks for is so in any case: there are no extended attributes, and no tape. */
#define VACUOUS(s, l) CMD_CALL(s, l, NULL, vacuous, NULL)

static const struct cmd_opt tar_opts[] = {
	MODE('A', "catenate", TAR_APPEND_ARCHIVE, "append tar files to an archive"),
	MODE('A', "concatenate", TAR_APPEND_ARCHIVE, NULL),
	MODE('c', "create", TAR_CREATE, "create a new archive"),
	MODE(0, "delete", TAR_DELETE, "delete from the archive"),
	MODE('d', "diff", TAR_DIFF, "find differences between archive and file system"),
	MODE('d', "compare", TAR_DIFF, NULL),
	MODE('r', "append", TAR_APPEND, "append files to the end of an archive"),
	MODE('t', "list", TAR_LIST, "list the contents of an archive"),
	MODE('u', "update", TAR_UPDATE, "only append files newer than copy in archive"),
	MODE('x', "extract", TAR_EXTRACT, "extract files from an archive"),
	MODE('x', "get", TAR_EXTRACT, NULL),
	CMD_STRING(struct tar, file, 'f', "file", "ARCHIVE", "use archive file ARCHIVE; - is standard input or output"),
	CMD_CALL('C', "directory", "DIR", add_dir, "change to directory DIR"),
	CMD_CALL(0, "add-file", "FILE", add_file, "add FILE even if its name begins with a dash"),
	CMD_CALL('T', "files-from", "FILE", add_names_file, "get names to extract or create from FILE"),
	SWITCH(null_names, "null", TAR_ON, "-T reads null-terminated names"),
	SWITCH(null_names, "no-null", TAR_OFF, NULL),
	SWITCH(verbatim, "verbatim-files-from", TAR_ON, "-T reads names only, no options"),
	SWITCH(verbatim, "no-verbatim-files-from", TAR_OFF, NULL),
	SWITCH(unquote, "no-unquote", TAR_OFF, "do not unquote names read with -T"),
	SWITCH(unquote, "unquote", TAR_ON, NULL),
	CMD_CALL(0, "exclude", "PATTERN", add_exclude, "exclude files, given as a PATTERN"),
	CMD_CALL('X', "exclude-from", "FILE", add_exclude_file, "exclude patterns listed in FILE"),
	{.kind = CMD_OPT_CALL, .lng = "exclude-vcs", .call = add_exclude_set, .value = 1, .help = "exclude version control system directories"},
	{.kind = CMD_OPT_CALL, .lng = "exclude-backups", .call = add_exclude_set, .value = 0, .help = "exclude backup and lock files"},
	SWITCH(recursion, "no-recursion", TAR_OFF, "avoid descending automatically in directories"),
	SWITCH(recursion, "recursion", TAR_ON, NULL),
	MATCH("wildcards", TAR_MATCH_WILD | 0x100, "use wildcards in names"),
	MATCH("no-wildcards", TAR_MATCH_WILD, "verbatim string matching"),
	MATCH("anchored", TAR_MATCH_ANCHORED | 0x100, "patterns match file name start"),
	MATCH("no-anchored", TAR_MATCH_ANCHORED, "patterns match after any '/'"),
	MATCH("ignore-case", TAR_MATCH_ICASE | 0x100, "ignore case"),
	MATCH("no-ignore-case", TAR_MATCH_ICASE, "case sensitive matching"),
	MATCH("no-wildcards-match-slash", TAR_MATCH_NO_SLASH | 0x100, "wildcards do not match '/'"),
	MATCH("wildcards-match-slash", TAR_MATCH_NO_SLASH, NULL),
	PROGRAM('z', "gzip", 0, "filter the archive through gzip"),
	PROGRAM('z', "gunzip", 0, NULL),
	PROGRAM('z', "ungzip", 0, NULL),
	PROGRAM('j', "bzip2", 1, "filter the archive through bzip2"),
	PROGRAM('J', "xz", 2, "filter the archive through xz"),
	PROGRAM(0, "zstd", 3, "filter the archive through zstd"),
	PROGRAM(0, "lzma", 4, "filter the archive through lzma"),
	PROGRAM(0, "lzip", 5, NULL),
	PROGRAM(0, "lzop", 6, NULL),
	PROGRAM('Z', "compress", 7, NULL),
	PROGRAM('Z', "uncompress", 7, NULL),
	CMD_CALL('I', "use-compress-program", "PROG", set_program, "filter through PROG (must accept -d)"),
	FLAG(auto_compress, 'a', "auto-compress", "use archive suffix to determine the compression program"),
	FLAG(no_auto_compress, 0, "no-auto-compress", NULL),
	FLAG(absolute, 'P', "absolute-names", "don't strip leading '/'s from file names"),
	CMD_CALL(0, "strip-components", "NUMBER", set_strip, "strip NUMBER leading components from file names on extraction"),
	CMD_CALL(0, "transform", "EXPRESSION", add_transform, "use sed replace EXPRESSION to transform file names"),
	CMD_CALL(0, "xform", "EXPRESSION", add_transform, NULL),
	CMD_COUNT(struct tar, verbose, 'v', "verbose", "verbosely list files processed"),
	FLAG(to_stdout, 'O', "to-stdout", "extract files to standard output"),
	CMD_STRING(struct tar, to_command, 0, "to-command", "COMMAND", "pipe extracted files to another program"),
	FLAG(ignore_command_error, 0, "ignore-command-error", "ignore exit codes of children"),
	VACUOUS(0, "no-ignore-command-error"),
	OLD(TAR_KEEP_OLD, 'k', "keep-old-files", "don't replace existing files, treat them as errors"),
	OLD(TAR_SKIP_OLD, 0, "skip-old-files", "don't replace existing files, silently skip over them"),
	OLD(TAR_KEEP_NEWER, 0, "keep-newer-files", "don't replace existing files that are newer"),
	OLD(TAR_OVERWRITE, 0, "overwrite", "overwrite existing files"),
	OLD(TAR_UNLINK_FIRST, 'U', "unlink-first", "remove each file prior to extracting over it"),
	SWITCH(overwrite_dir, "no-overwrite-dir", TAR_OFF, "preserve metadata of existing directories"),
	SWITCH(overwrite_dir, "overwrite-dir", TAR_ON, NULL),
	FLAG(recursive_unlink, 0, "recursive-unlink", "empty hierarchies prior to extracting directory"),
	FLAG(keep_dir_link, 0, "keep-directory-symlink", "preserve existing symlinks to directories"),
	CMD_CALL_OPTIONAL(0, "one-top-level", "DIR", set_top_level, "create a subdirectory for what is extracted"),
	FLAG(same_permissions, 'p', "preserve-permissions", "extract information about file permissions"),
	FLAG(same_permissions, 'p', "same-permissions", NULL),
	FLAG(no_same_permissions, 0, "no-same-permissions", "apply the user's umask"),
	FLAG(same_owner, 0, "same-owner", "try extracting files with the same ownership"),
	FLAG(no_same_owner, 0, "no-same-owner", "extract files as yourself"),
	CMD_CALL('o', NULL, NULL, set_o, "when extracting: --no-same-owner; when creating: --format=v7"),
	FLAG(touch, 'm', "touch", "don't extract file modified time"),
	VACUOUS(0, "delay-directory-restore"),
	VACUOUS(0, "no-delay-directory-restore"),
	FLAG(numeric_owner, 0, "numeric-owner", "always use numbers for user and group names"),
	CMD_STRING(struct tar, owner_text, 0, "owner", "NAME", "force NAME[:UID] as owner for added files"),
	CMD_STRING(struct tar, group_text, 0, "group", "NAME", "force NAME[:GID] as group for added files"),
	CMD_STRING(struct tar, mode_text, 0, "mode", "CHANGES", "force (symbolic) mode CHANGES for added files"),
	CMD_STRING(struct tar, mtime_text, 0, "mtime", "DATE-OR-FILE", "set mtime for added files"),
	FLAG(clamp_mtime, 0, "clamp-mtime", "only set time when the file is more recent"),
	CMD_CALL(0, "sort", "ORDER", set_sort, "directory sorting order: none, name or inode"),
	CMD_CALL('H', "format", "FORMAT", set_format, "create archive of the given format: gnu, oldgnu, pax, posix, ustar, v7"),
	FORMAT("old-archive", TAR_V7), FORMAT("portability", TAR_V7), FORMAT("posix", TAR_PAX),
	CMD_STRING(struct tar, label, 'V', "label", "TEXT", "create archive with volume name TEXT"),
	CMD_STRING(struct tar, newer_text, 'N', "newer", "DATE-OR-FILE", "only store files newer than DATE-OR-FILE"),
	CMD_STRING(struct tar, newer_text, 'N', "after-date", "DATE-OR-FILE", NULL),
	CMD_STRING(struct tar, newer_mtime_text, 0, "newer-mtime", "DATE", "compare date and time when data changed only"),
	FLAG(dereference, 'h', "dereference", "follow symlinks; archive and dump the files they point to"),
	FLAG(hard_dereference, 0, "hard-dereference", "follow hard links; archive and dump the files they refer to"),
	FLAG(one_fs, 0, "one-file-system", "stay in local file system when creating archive"),
	FLAG(remove_files, 0, "remove-files", "remove files after adding them to the archive"),
	FLAG(ignore_failed_read, 0, "ignore-failed-read", "do not exit with nonzero on unreadable files"),
	FLAG(ignore_zeros, 'i', "ignore-zeros", "ignore zeroed blocks in archive (means EOF)"),
	FLAG(check_links, 'l', "check-links", "print a message if not all links are dumped"),
	CMD_STRING(struct tar, starting, 'K', "starting-file", "MEMBER-NAME", "begin at member MEMBER-NAME when reading the archive"),
	CMD_CALL_OPTIONAL(0, "occurrence", "NUMBER", set_occurrence, "process only the first occurrence of each file"),
	CMD_CALL('b', "blocking-factor", "BLOCKS", set_blocking, "BLOCKS x 512 bytes per record"),
	{.kind = CMD_OPT_CALL, .lng = "record-size", .arg = "NUMBER", .call = set_blocking, .value = 1, .help = "NUMBER of bytes per record, multiple of 512"},
	VACUOUS('B', "read-full-records"), VACUOUS('n', "seek"), FLAG(no_seek, 0, "no-seek", NULL),
	FLAG(full_time, 0, "full-time", "print file time to its full resolution"),
	FLAG(utc, 0, "utc", "print file modification times in UTC"),
	FLAG(block_number, 'R', "block-number", "show block number within archive with each message"),
	FLAG(totals, 0, "totals", "print total bytes after processing the archive"),
	FLAG(show_transformed, 0, "show-transformed-names", "show names after transformation"),
	FLAG(show_transformed, 0, "show-stored-names", NULL),
	FLAG(show_omitted, 0, "show-omitted-dirs", NULL),
	CMD_CALL_OPTIONAL(0, "checkpoint", "NUMBER", set_checkpoint, "display progress messages every NUMBERth record (default 10)"),
	CMD_CALL(0, "checkpoint-action", "ACTION", add_action, "execute ACTION on each checkpoint: echo, echo=TEXT, dot, exec=COMMAND, sleep=SECONDS"),
	CMD_CALL(0, "warning", "KEYWORD", set_warning, "warning control"),
	CMD_CALL(0, "quoting-style", "STYLE", set_quoting, "how names are quoted: escape or literal"),
	VACUOUS(0, "no-check-device"), VACUOUS(0, "check-device"), VACUOUS(0, "xattrs"), VACUOUS(0, "no-xattrs"), VACUOUS(0, "acls"),
	VACUOUS(0, "no-acls"), VACUOUS(0, "selinux"), VACUOUS(0, "no-selinux"), VACUOUS(0, "restrict"), VACUOUS('s', "preserve-order"),
	VACUOUS(0, "same-order"), VACUOUS(0, "force-local"),
	CMD_CALL(0, "xattrs-include", "MASK", vacuous, NULL), CMD_CALL(0, "xattrs-exclude", "MASK", vacuous, NULL),
	REFUSE('S', "sparse"), REFUSE('W', "verify"), REFUSE('w', "interactive"), REFUSE(0, "confirmation"), REFUSE('G', "incremental"),
	REFUSE_ARG('g', "listed-incremental"), REFUSE('M', "multi-volume"), REFUSE_ARG('L', "tape-length"), REFUSE_ARG('F', "info-script"),
	REFUSE_ARG(0, "new-volume-script"), REFUSE_ARG(0, "volno-file"), REFUSE(0, "test-label"), REFUSE_ARG(0, "owner-map"), REFUSE_ARG(0, "group-map"),
	CMD_CALL_OPTIONAL(0, "backup", "CONTROL", refuse, NULL), REFUSE_ARG(0, "suffix"), REFUSE_ARG(0, "pax-option"), REFUSE_ARG(0, "index-file"),
	REFUSE_ARG(0, "exclude-ignore"), REFUSE_ARG(0, "exclude-ignore-recursive"), REFUSE_ARG(0, "exclude-tag"), REFUSE_ARG(0, "exclude-tag-all"),
	REFUSE_ARG(0, "exclude-tag-under"), REFUSE(0, "exclude-caches"), REFUSE(0, "exclude-caches-all"), REFUSE(0, "exclude-caches-under"),
	REFUSE(0, "exclude-vcs-ignores"), REFUSE_ARG(0, "rsh-command"), REFUSE_ARG(0, "rmt-command"), REFUSE_ARG(0, "level"),
	CMD_CALL_OPTIONAL(0, "atime-preserve", "METHOD", refuse, NULL), REFUSE_ARG(0, "hole-detection"), REFUSE_ARG(0, "sparse-version"),
	REFUSE_ARG(0, "quote-chars"), REFUSE_ARG(0, "no-quote-chars"), REFUSE(0, "show-defaults"), REFUSE(0, "usage"),
};

/* "tar cvf FILE": letters without a dash, whose arguments follow in their order. */
static char **tar_rewrite(struct proc *p, int *argc, char **argv)
{
	const char *letters = *argc > 1 && argv[1][0] != '-' ? argv[1] : "";
	size_t n = strlen(letters);
	char **v;
	int out = 1, in = 2;

	if (!n)
		return argv;
	v = u_array(p, n * 2 + (size_t)*argc + 1, sizeof(*v));
	v[0] = argv[0];
	for (size_t i = 0; i < n; i++) {
		v[out++] = u_format(p, "-%c", letters[i]);
		if (!strchr("bCfFgHIKLNTVX", letters[i]))
			continue;
		if (in >= *argc) {
			u_warn(p, 0, "Old option '%c' requires an argument.", letters[i]);
			u_try_help_as(p, 2);
		}
		v[out++] = argv[in++];
	}
	while (in < *argc)
		v[out++] = argv[in++];
	v[out] = NULL;
	*argc = out;
	return v;
}

/* ---- Main -------------------------------------------------------------------------------------- */

static void put_totals(struct tar *t)
{
	char human[32];

	if (!t->totals)
		return;
	u_flush(t->list);
	u_write_all(t->p, 2, "", 0);
	sys_self(t->p)->name = u_format(t->p, "Total bytes %s", t->ar.writes ? "written" : "read");
	u_warn(t->p, 0, "%llu (%siB)", (unsigned long long)t->ar.bytes, u_human(human, t->ar.bytes, 1024));
	sys_self(t->p)->name = "tar";
}

static void run(struct tar *t)
{
	switch (t->mode) {
	case TAR_LIST: tar_list(t); break;
	case TAR_EXTRACT: tar_extract(t); break;
	case TAR_CREATE: tar_create(t); break;
	case TAR_DIFF: tar_diff(t); break;
	case TAR_DELETE: tar_delete(t); break;
	default: tar_update(t); break;
	}
}

static int tar_main(struct proc *p, const struct cmd_args *a)
{
	struct tar *t = a->opts;

	t->p = p;
	tar_settle(t);
	run(t);
	put_totals(t);
	u_flush(t->list);
	if (t->status == 2)
		u_warn(p, 0, "Exiting with failure status due to previous errors");
	return t->status;
}

static void tar_operand(struct proc *p, void *opts, char *word)
{
	struct tar *t = opts;

	t->p = p;
	names_add(t, word);
}

static void tar_defaults(void *opts)
{
	struct tar *t = opts;

	t->owner_width = 19;
	t->owner = t->group = -1;
	t->exclude_match = TAR_MATCH_WILD;
	t->match = TAR_MATCH_ANCHORED;
}

static const struct cmd_example tar_examples[] = {
	{"mkdir d; echo hi > d/f; tar -czf d.tgz d; rm -r d; tar -xzf d.tgz; cat d/f", "hi\n"},
	{"mkdir d; touch d/a d/b; tar -cf - d | tar -tf -", "d/\nd/a\nd/b\n"},
	{"mkdir -p a/b; echo x > a/b/c; tar -cf t.tar a; mkdir o; tar -xf t.tar -C o --strip-components=2; ls o", "c\n"},
};

static const struct cmd_missing tar_missing[] = {
	{"-g, --listed-incremental, -G, --incremental", "incremental archives"},
	{"-M, --multi-volume, -L, -F, --volno-file", "archives over several volumes"},
	{"-S, --sparse", "making sparse members (they are read)"},
	{"--sort=inode", "an order that means nothing here"},
	{"-W, --verify; -w, --interactive", "there is no tape and nobody to ask"},
	{"--test-label, --owner-map, --group-map, --backup, --pax-option, --index-file, --exclude-ignore, --exclude-tag", "refused"},
	{"--rsh-command, --rmt-command, HOST:FILE", "remote archives"},
};

const struct cmd cmd_tar = {
	.name = "tar",
	.summary = "save many files together in one archive, and restore them from it",
	.synopsis = "[OPTION...] [FILE]...",
	.description = "Examples:\n"
		       "  tar -cf archive.tar foo bar  # Create archive.tar from files foo and bar.\n"
		       "  tar -tvf archive.tar         # List all files in archive.tar verbosely.\n"
		       "  tar -xf archive.tar          # Extract all files from archive.tar.",
	.opts = tar_opts,
	.nopts = COUNTOF(tar_opts),
	.opts_size = sizeof(struct tar),
	.defaults = tar_defaults,
	.rewrite = tar_rewrite,
	.operand = tar_operand,
	.hint = "Try 'tar --help' or 'tar --usage' for more information.",
	.usage_status = 64,
	.failure_status = 2,
	.main = tar_main,
	.examples = tar_examples,
	.nexamples = COUNTOF(tar_examples),
	.missing = tar_missing,
	.nmissing = COUNTOF(tar_missing),
};
