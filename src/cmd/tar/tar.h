/*
 * tar.h - what the files of tar share: options, the archive, the member in hand.
 *
 * A run is: options (options.c) → a mode (create.c, extract.c, list.c, update.c) over the archive's blocks (archive.c),
 * headers (header.c, pax.c) and names (names.c, transform.c). The archive is untrusted: every number in it is
 * bounded before use, and extract.c alone touches files.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_TAR_TAR_H
#define NACRE_CMD_TAR_TAR_H

#include "../cmd.h"

#define TAR_BLOCK      512u
#define TAR_RECORD     10240u
#define TAR_NAME_MAX   ((size_t)64 << 10)	/* of a long name in an archive */
#define TAR_PAX_MAX    ((size_t)4 << 20)	/* of an extended header */

enum tar_mode { TAR_NONE, TAR_APPEND_ARCHIVE, TAR_CREATE, TAR_DIFF, TAR_APPEND, TAR_LIST, TAR_UPDATE, TAR_EXTRACT, TAR_DELETE };
enum tar_format { TAR_DEFAULT, TAR_GNU, TAR_OLDGNU, TAR_PAX, TAR_USTAR, TAR_V7 };
enum tar_old_files {
	TAR_REPLACE, TAR_KEEP_OLD, TAR_SKIP_OLD, TAR_KEEP_NEWER, TAR_OVERWRITE, TAR_UNLINK_FIRST,
};
enum { TAR_ON = 1, TAR_OFF };
enum tar_sort { TAR_SORT_NONE, TAR_SORT_NAME, TAR_SORT_INODE };
enum tar_warning {
	TAR_WARN_ALONE_ZERO = 1, TAR_WARN_CHANGED = 2, TAR_WARN_IGNORED = 4, TAR_WARN_ARCHIVE = 8, TAR_WARN_NEWER = 16, TAR_WARN_TIMESTAMP = 32,
	TAR_WARN_CAST = 64, TAR_WARN_KEYWORD = 128, TAR_WARN_EXISTING = 256, TAR_WARN_FAILED_READ = 512,
};
enum tar_quoting { TAR_QUOTE_ESCAPE, TAR_QUOTE_LITERAL };

/* How a pattern is matched. */
enum tar_match {
	TAR_MATCH_WILD = 1, TAR_MATCH_ANCHORED = 2, TAR_MATCH_ICASE = 4, TAR_MATCH_NO_SLASH = 8 /* wildcards do not match a slash */
};

struct tar_pattern {
	struct tar_pattern *next;
	const char *text;
	unsigned how;		/* enum tar_match */
};

/* A name given: an operand or a line of -T; or a change of directory (dir set). */
struct tar_name {
	const char *text;
	const char *dir;	/* -C: where the names after this are */
	unsigned how;		/* enum tar_match */
	bool found, is_pattern, no_recursion;
	const char *where;	/* the directory it is looked up in, made absolute; NULL: where tar began */
};

struct tar_names {
	struct tar_name *v;
	size_t n, cap;
};

/* A member. */
struct tar_member {
	const char *name;	/* as in the archive, without slashes at the end */
	bool had_slash;
	const char *link;	/* the target of a link, as in the archive */
	char type;		/* the type flag; '0' for plain files of any spelling, '5' for directories */
	uint32_t mode;		/* permission bits */
	uint64_t uid, gid;
	const char *user, *group;	/* "" when not there */
	uint64_t size;		/* bytes of data in the archive */
	uint64_t real_size;	/* of the file: more than size when sparse */
	struct sys_time mtime;
	bool has_nsec;
	uint32_t major, minor;
	uint64_t block;		/* where its header is, in blocks */
	bool is_sparse;
	struct tar_hole *map;	/* data pieces of a sparse file */
	size_t nmap;
	bool map_in_data;	/* GNU.sparse 1.0: the map comes first in the data */
};

struct tar_hole {
	uint64_t at, size;
};

/* ---- The archive: archive.c ----------------------------------------------------------- */

struct tar_archive {
	struct proc *p;
	int fd;
	int child;		/* of the compressing program; 0 none */
	bool writes;
	bool seekable;		/* a plain file: may be sought over */
	uint64_t dev, ino;	/* of the archive file, to leave it out of itself */
	bool has_ino;
	/* reading: rest of the slice in hand */
	const char *at, *end;
	char joined[TAR_BLOCK];
	bool at_end;
	/* writing */
	char *buf;
	size_t n;
	uint64_t blocks;	/* passed so far */
	uint64_t bytes;		/* read or written */
};

struct tar {
	/* options */
	int mode, format, old_files, sort, quoting;
	const char *file, *program;
	const char *mtime_text, *newer_text, *newer_mtime_text, *mode_text, *owner_text, *group_text, *label, *one_top_level, *to_command;
	bool auto_compress, no_auto_compress, absolute, to_stdout, same_permissions, no_same_permissions, same_owner,
		no_same_owner, touch, dereference, hard_dereference, numeric_owner, one_fs, remove_files, ignore_zeros,
		ignore_failed_read, full_time, utc, block_number, totals, keep_dir_link, clamp_mtime,
		newer_mtime_only, show_transformed, recursive_unlink, old_o, ignore_command_error, check_links, wants_top_level, no_seek,
		show_omitted, has_names_file;
	int null_names, verbatim, unquote, recursion, overwrite_dir; /* TAR_ON, TAR_OFF, or 0: as usual */
	unsigned silent, loud;	/* enum tar_warning: turned off, turned on */
	int verbose;
	uint64_t strip, occurrence, record;
	unsigned match;		/* enum tar_match of names given; */
	bool match_given;
	unsigned exclude_match;	/* and of exclusions */
	const char *starting;
	struct tar_pattern *exclude, **exclude_end;
	struct tar_names names;
	struct tar_transform *transform, **transform_end;
	uint64_t checkpoint;	/* every so many records; 0 never */
	struct cmd_list actions;

	/* the run */
	struct proc *p;
	struct tar_archive ar;
	struct u_out *list;	/* where -v and -t go */
	struct u_out errors;
	int status;
	bool is_root;
	const struct u_tz *tz;
	const char *start;	/* the directory tar was called in */
	const char *here;	/* the current directory, relative to start or absolute; NULL: start */
	struct sys_time now;
	struct sys_time newer;
	struct sys_time fixed_mtime;
	bool has_newer, has_mtime;
	const struct u_mode *mode_change;
	int64_t owner, group;	/* -1: the file's */
	const char *owner_name, *group_name;
	struct cmd_list told_prefixes;	/* "Removing leading" said once each */
	size_t owner_width;	/* of the column in -tv */
	int umask;
	struct tar_link *links;
	size_t nlinks, links_cap;
	struct known **known;	/* -u: what the archive has */
	uint64_t end_block;	/* where its members end */
	struct tar_delayed *delayed;
	struct tar_dir *dirs;
	uint64_t checkpoint_count;
	bool checkpoint_dots;
	struct pax_set *global;	/* of 'g' headers */
	void (*finish)(struct tar *t);	/* what has to be done even when tar gives up */
	bool pinned;		/* something made for this member outlives it */
};

/* ---- message.c ------------------------------------------------------------------------------- */

/* A usage error: the message, the hint, status 2. */
NORETURN void tar_usage(struct tar *t, const char *fmt, ...) PRINTF(2, 3);
/* "tar: TEXT[: Strerror]" and status 2 at the end. */
void tar_error(struct tar *t, int err, const char *fmt, ...) PRINTF(3, 4) MAY_SUSPEND;
void tar_warn(struct tar *t, int err, const char *fmt, ...) PRINTF(3, 4) MAY_SUSPEND;
/* The same, then "Error is not recoverable: exiting now". */
NORETURN void tar_fatal(struct tar *t, int err, const char *fmt, ...) PRINTF(3, 4);
NORETURN void tar_quit(struct tar *t);
/* A name as it is shown: escaped; in messages a colon is escaped too. */
const char *tar_quote(struct tar *t, const char *name);
const char *tar_quote_colon(struct tar *t, const char *name);

/* ---- settle.c ------------------------------------------------------------------------------------------------------ */

/* Checks what was given, fills in the rest. */
void tar_settle(struct tar *t) MAY_SUSPEND;

/* ---- archive.c ------------------------------------------------------------------------------- */

void archive_open_read(struct tar *t) MAY_SUSPEND;
void archive_open_write(struct tar *t) MAY_SUSPEND;
/* For -r -u -A --delete: read and write at once. */
void archive_open_update(struct tar *t) MAY_SUSPEND;
/* The next block, NULL at the end of the file; good until the next call. */
const char *archive_block(struct tar *t) MAY_SUSPEND;
/* Up to `max` bytes of data in one piece; the caller counts blocks by archive_data_end. 0 at the end of the file. */
size_t archive_data(struct tar *t, uint64_t max, const char **ptr) MAY_SUSPEND;
/* Skips what pads `size` bytes of data to whole blocks, and counts their blocks. */
void archive_data_end(struct tar *t, uint64_t size) MAY_SUSPEND;
/* Skips size bytes of data and their padding. */
void archive_skip(struct tar *t, uint64_t size) MAY_SUSPEND;
void archive_put(struct tar *t, const void *ptr, size_t n) MAY_SUSPEND;
void archive_pad(struct tar *t) MAY_SUSPEND;		/* to a whole block */
void archive_close_read(struct tar *t) MAY_SUSPEND;
void archive_close_write(struct tar *t) MAY_SUSPEND;	/* with the two zero blocks */
NORETURN void archive_cut(struct tar *t);		/* "Unexpected EOF in archive" */
void tar_checkpoint(struct tar *t) MAY_SUSPEND;

/* ---- header.c, pax.c --------------------------------------------------------------------------- */

enum tar_read { TAR_MEMBER, TAR_ZERO, TAR_BAD, TAR_END };

/* A number field of a header: octal, or base 256. false when it is no number or too large. */
bool tar_number(const char *field, size_t n, uint64_t *out);
bool tar_signed_number(const char *field, size_t n, int64_t *out);
/* Whether the check sum is right. */
bool tar_checksum_ok(const char *block);
bool tar_is_zero(const char *block);

/* The next member with all its extended headers: what -t, -x, -d, -r go through. Complains and skips as GNU. */
bool tar_next_member(struct tar *t, struct tar_member *m) MAY_SUSPEND;
/* A member's header, written in the format of the run. m->name is what is to be stored. false after an error. */
bool tar_write_header(struct tar *t, const struct tar_member *m) MAY_SUSPEND;

struct pax_record {
	struct pax_record *next;
	const char *key;
	struct str value;
};
struct pax_set {
	struct pax_record *first;
};
/* Reads the records of an extended header. false when it is malformed (said). */
bool pax_parse(struct tar *t, const char *data, size_t n, struct pax_set *set);
/* What the records say goes into the member. */
void pax_apply(struct tar *t, const struct pax_set *set, struct tar_member *m);
/* Appends "LEN KEY=VALUE\n". */
void pax_put(struct u_buf *b, const char *key, const char *value, size_t n);

/* The map at the start of a GNU.sparse 1.0 member's data is read; m->size is what is left. */
void sparse_read_map(struct tar *t, struct tar_member *m) MAY_SUSPEND;
void sparse_add(struct tar *t, struct tar_member *m, size_t *cap, uint64_t at, uint64_t size);

/* ---- names.c, transform.c ------------------------------------------------------------------------ */

void names_add(struct tar *t, const char *text);
void names_add_dir(struct tar *t, const char *dir);
void names_read_file(struct tar *t, const char *path) MAY_SUSPEND;
void exclude_add(struct tar *t, const char *pattern);
void exclude_read_file(struct tar *t, const char *path) MAY_SUSPEND;
bool tar_excluded(struct tar *t, const char *name);
/* Whether the member is asked for; its directory is entered. */
bool names_wanted(struct tar *t, const struct tar_member *m) MAY_SUSPEND;
void names_not_found(struct tar *t) MAY_SUSPEND;
/* True when nothing more can be asked for (--occurrence). */
bool names_done(struct tar *t);
void tar_enter(struct tar *t, const char *dir) MAY_SUSPEND;
/* The name without what must not lead it ("/", "../"); says what was removed. Never empty. */
const char *tar_safe_name(struct tar *t, const char *name, bool is_link) MAY_SUSPEND;
/* Strip and transform; NULL when nothing is left of it. kind: 'r' member, 'h' hard link, 's' symbolic link. */
const char *tar_map_name(struct tar *t, const char *name, char kind) MAY_SUSPEND;
void transform_add(struct tar *t, const char *expression);
const char *transform_apply(struct tar *t, const char *name, char kind) MAY_SUSPEND;

/* ---- The modes ------------------------------------------------------------------------------------- */

void tar_list(struct tar *t) MAY_SUSPEND;
void tar_extract(struct tar *t) MAY_SUSPEND;
/* restore.c: owner, mode and times of what was made; symbolic links that wait for the end. */
void restore_file(struct tar *t, const struct tar_member *m, const char *name, bool is_link) MAY_SUSPEND;
void restore_dir_later(struct tar *t, const struct tar_member *m, const char *name);
bool restore_symlink(struct tar *t, const struct tar_member *m, const char *name, const char *target, int *err) MAY_SUSPEND;
/* A hard link to a link that waits becomes one too. */
void restore_note_link(struct tar *t, const char *from, const char *to) MAY_SUSPEND;
void restore_finish(struct tar *t) MAY_SUSPEND;
void tar_create(struct tar *t) MAY_SUSPEND;
void tar_update(struct tar *t) MAY_SUSPEND;		/* -r -u -A */
void tar_delete(struct tar *t) MAY_SUSPEND;
void tar_diff(struct tar *t) MAY_SUSPEND;

/* Asked for, and not excluded. */
bool tar_is_meant(struct tar *t, const struct tar_member *m) MAY_SUSPEND;
/* One line of -t or -v. */
void tar_print(struct tar *t, const struct tar_member *m) MAY_SUSPEND;
/* Puts the named files into the archive (create, append, update). */
void tar_dump_names(struct tar *t, bool (*wanted)(struct tar *t, const char *name, const struct sys_stat *st)) MAY_SUSPEND;

#endif
