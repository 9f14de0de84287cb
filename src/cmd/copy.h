/*
 * copy.h - what cp, mv and install share: copying one file or tree onto a name.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_COPY_H
#define NACRE_CMD_COPY_H

#include "cmd.h"

/* A level of a tree takes about 2 KiB of it. What a path can name is no deeper than 2,048; only what is used counts. */
#define COPY_STACK_SIZE ((size_t)16 << 20)

enum copy_follow { COPY_FOLLOW_DEFAULT, COPY_FOLLOW_NONE, COPY_FOLLOW_ROOTS, COPY_FOLLOW_ALL };
enum copy_clobber { COPY_CLOBBER, COPY_NO_CLOBBER, COPY_ASK, COPY_UPDATE };
enum copy_backup { COPY_BACKUP_NONE, COPY_BACKUP_SIMPLE, COPY_BACKUP_NUMBERED, COPY_BACKUP_EXISTING };

enum copy_preserve {
	COPY_MODE = 1u << 0,
	COPY_OWNER = 1u << 1,
	COPY_TIMES = 1u << 2,
	COPY_LINKS = 1u << 3,
};

struct copy {
	struct proc *p;
	bool replacing;		/* ln: asks with another word */
	bool moving;		/* mv across filesystems: messages and preservation differ */
	bool recursive, force, verbose, remove_destination, hard_link, symbolic_link, attributes_only, one_fs;
	bool strip_slashes, no_target_directory;
	int follow;		/* enum copy_follow */
	int clobber;		/* enum copy_clobber */
	int backup;		/* enum copy_backup */
	const char *suffix;	/* of backups */
	unsigned preserve;	/* enum copy_preserve */
	bool may_lose;		/* attributes that cannot be kept are said, and are no failure (mv) */
	bool plain_mode;	/* --no-preserve=mode: new files get the usual one */
	/* Hard links seen, for COPY_LINKS: where each inode went. */
	struct copy_link *links;
	size_t nlinks, links_cap;
	int status;
};

/* Copies `from` to the name `to` (not into it). Messages as GNU cp. */
/* Both are the same entry of the same directory. */
bool copy_same_name(struct proc *p, const char *a, const char *b) MAY_SUSPEND;
void copy_file(struct copy *c, const char *from, const char *to, bool is_root) MAY_SUSPEND;

/* Whether `to` may be replaced, by -n -i -u; and makes the backup. st: of `to`. */
bool copy_may_replace(struct copy *c, const char *to, const struct sys_stat *from_st, const struct sys_stat *st) MAY_SUSPEND;
/* Renames `to` away; the backup's name or NULL. */
const char *copy_backup(struct copy *c, const char *to) MAY_SUSPEND;
/* Parses the --backup argument (NULL: by VERSION_CONTROL); dies on a bad one. */
int copy_backup_kind(struct proc *p, const char *arg);

/* The operands as GNU reads them: the target directory (NULL: two names) and the sources.
 * Dies with GNU's messages. `verb` words nothing yet; t: -t DIR; T: -T. */
struct copy_operands {
	int n;
	char **from;
	const char *dir;	/* the sources go into it */
	const char *to;		/* or the one source becomes this */
};
void copy_operands(struct proc *p, const struct cmd_args *a, const char *t, bool T, struct copy_operands *out) MAY_SUSPEND;

#endif
