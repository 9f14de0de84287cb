/*
 * overlay.h - overlays of a sandbox, and texts compared line by line.
 *
 * Layer     api; private to src/api
 * Owns      what it allocates with malloc
 */
#ifndef NACRE_API_OVERLAY_H
#define NACRE_API_OVERLAY_H

#include "../fs/overlay.h"
#include "api.h"

struct nacre_changes {
	nacre_change *v;
	size_t n;
};

/* A list under way; paths that are added lie below `at`. */
struct changes_list {
	nacre_changes *all;
	const char *at;
	size_t cap;
};
/* Adds one; the strings are copied. -NACRE_ENOMEM. */
int changes_add(struct changes_list *l, const nacre_change *c);
void changes_sort(nacre_changes *all);
/* For fs_overlay_changes; ctx is a changes_list. */
int changes_add_overlay(void *ctx, const struct overlay_change *c);

/* Renames among what is deleted and added (moves.c): each change is added with the file's number and, of what was added, with
 * the mode that the same file had before (0: it was not there) and whether it had another content; in the end settled. */
struct moves {
	struct changes_list *out;
	struct move *v;
	size_t n, cap;
};
MUST_USE int moves_add(struct moves *m, const nacre_change *c, uint64_t file, uint32_t was_mode, bool content);
MUST_USE int moves_settle(struct moves *m);
void moves_release(struct moves *m);

/* What is otherwise in overlay b than in overlay a, both over the same filesystem (overlay_compare.c). */
MUST_USE int overlays_compare(struct changes_list *out, struct fs *a, struct fs *b, struct quota *q);

struct api_overlay {
	struct fs *fs, *below;
	const char *at;
};

/* The next overlay from mount number *i on that is at `at` (NULL: anywhere): 1; 0 past the last; -E, the text set:
 * a run is in progress, or there is none at `at`. */
MUST_USE int overlay_next(nacre_sandbox *sb, const char *at, size_t *i, struct api_overlay *out);

/* ---- Text that grows (linediff.c) ---- */

#define API_TEXT_MAX ((size_t)256 << 20)

struct api_text {
	char *s;	/* malloc; NUL-terminated once anything was added */
	size_t len, cap;
	int err;	/* -NACRE_ENOMEM, EFBIG; nothing is added any more */
};
void api_text_add(struct api_text *t, const char *s, size_t n);
void api_text_str(struct api_text *t, const char *s);
void api_text_format(struct api_text *t, const char *format, ...) PRINTF(2, 3);

/* Adds the hunks that turn a into b, with three lines around each. */
void linediff(struct api_text *out, const char *a, size_t an, const char *b, size_t bn);

#endif
