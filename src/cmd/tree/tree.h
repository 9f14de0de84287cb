/*
 * tree.h - the parts of tree: reading directories (load.c), the lines of text (text.c), JSON and XML (data.c).
 *
 * A directory is read when its turn comes and its memory given back after it, but for --prune and --du,
 * which must know all that is below before they print a line.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_TREE_TREE_H
#define NACRE_CMD_TREE_TREE_H

#include "../cmd.h"

#define TREE_DEPTH_MAX 4096

enum tree_format { TREE_TEXT, TREE_JSON, TREE_XML };
enum tree_sort { TREE_NAME = 1, TREE_VERSION, TREE_SIZE, TREE_MTIME, TREE_CTIME, TREE_UNSORTED };
enum tree_lines { TREE_UTF8 = 1, TREE_ASCII, TREE_ANSI, TREE_CP437 };

struct tree_opts {
	bool all, dirs_only, follow, full_path, one_fs, prune, no_report, raw_names, question, quote, protections, user, group, size,
		human, si, du, date, classify, inodes, device, reverse, dirs_first, files_first, no_indent, color, no_color,
		ignore_case, match_dirs, meta_first;
	int sort, lines, format;
	struct cmd_list include, exclude;
	const char *level, *limit, *output, *time_format, *charset;
};

struct tree_node {
	const char *name;
	const char *link;	/* of a link: its target */
	struct sys_stat lst;	/* the entry itself */
	struct sys_stat st;	/* what it leads to; mode 0 when it leads nowhere */
	bool is_dir;		/* leads to a directory */
	bool open;		/* its entries are listed */
	bool loop;		/* a link to a directory that is listed above */
	bool failed;		/* the directory cannot be read */
	uint64_t over;		/* more entries than --filelimit: how many */
	uint64_t size;		/* shown; with --du the sum of all below */
	struct tree_node *v;	/* the entries, once loaded */
	size_t n;
	bool loaded;
};

struct tree_seen {
	uint64_t dev, ino;
	bool used;
};

struct tree {
	struct proc *p;
	struct tree_opts *o;
	struct u_out *out;
	const struct u_tz *tz;
	int64_t now;
	uint64_t max_depth, limit;
	struct u_buf path;	/* of the directory at hand */
	struct u_buf indent;	/* the lines left of it */
	struct tree_node *above[TREE_DEPTH_MAX]; /* the directories being listed */
	size_t depth;
	struct tree_seen *seen;	/* with -l: the directories listed so far */
	size_t nseen, seen_cap;
	uint64_t dirs, files, bytes;
	int status;
};

/* A starting point: false when it cannot be looked at. */
bool tree_root(struct tree *t, const char *path, struct tree_node *root) MAY_SUSPEND;
/* Reads the entries of a directory whose path is in t->path; with --prune and --du all below as well. */
void tree_load(struct tree *t, struct tree_node *dir) MAY_SUSPEND;

/* "[drwxr-xr-x root        4096]  ", empty without such options. */
const char *tree_meta(struct tree *t, const struct tree_node *n) MAY_SUSPEND;
const char *tree_date(struct tree *t, const struct tree_node *n);
/* A size as -s, -h or --si ask for it, with a leading blank. */
void tree_size(struct tree *t, struct u_buf *b, uint64_t size);
void tree_text_line(struct tree *t, struct tree_node *n, bool is_root, bool last) MAY_SUSPEND;
void tree_text_report(struct tree *t);

/* The opening and the closing part of a node in JSON or XML; `more`: a sibling follows. */
void tree_data_open(struct tree *t, struct tree_node *n, bool has_entries) MAY_SUSPEND;
void tree_data_close(struct tree *t, struct tree_node *n, bool has_entries, bool more);
void tree_data_start(struct tree *t);
void tree_data_end(struct tree *t);

#endif
