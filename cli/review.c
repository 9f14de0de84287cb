/* review.c - what overlays change: shown, written as a patch, committed. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int fail(nacre_runtime *rt)
{
	fflush(stdout);
	fprintf(stderr, "nacre: %s\n", nacre_runtime_error(rt));
	return 1;
}

static FILE *open_out(const char *name)
{
	FILE *f = strcmp(name, "-") == 0 ? stdout : fopen(name, "we");

	if (!f)
		fprintf(stderr, "nacre: %s: %s\n", name, strerror(errno));
	return f;
}

/* 0, or 1 after a message. */
static int close_out(FILE *f, const char *name)
{
	int bad = ferror(f) != 0;

	bad |= (f == stdout ? fflush(f) : fclose(f)) != 0;
	if (bad)
		fprintf(stderr, "nacre: %s: %s\n", name, strerror(errno));
	return bad;
}

/* A path on one line: what is not plain as in $'...'. */
static void put_path(FILE *f, const char *path)
{
	for (const unsigned char *s = (const unsigned char *)path; *s; s++) {
		if (*s == '\\')
			fputs("\\\\", f);
		else if (*s < 0x20 || *s == 0x7f)
			fprintf(f, "\\%03o", *s);
		else
			fputc(*s, f);
	}
}

static int put_changes(nacre_runtime *rt, nacre_sandbox *sb, const char *name)
{
	nacre_changes *changes;
	FILE *f;

	if (nacre_overlay_changes(&changes, sb, NULL) < 0)
		return fail(rt);
	f = open_out(name);
	for (size_t i = 0; f && i < nacre_changes_count(changes); i++) {
		nacre_change c = {.size = sizeof(c)};

		nacre_changes_get(&c, changes, i);
		fprintf(f, "%c%c ", "AMDRPT"[c.kind], c.conflict ? '!' : c.kind == NACRE_CHANGE_RENAMED && c.content ? 'M' : ' ');
		if (c.from) {
			put_path(f, c.from);
			fputs(" -> ", f);
		}
		put_path(f, c.path);
		if (c.kind == NACRE_CHANGE_MODE)
			fprintf(f, " %04o -> %04o", c.old_mode & 07777, c.new_mode & 07777);
		fputc('\n', f);
	}
	nacre_changes_free(changes);
	return f ? close_out(f, name) : 1;
}

static int put_diff(nacre_runtime *rt, nacre_sandbox *sb, const char *name)
{
	size_t len;
	char *text;
	FILE *f;

	if (nacre_overlay_diff(&text, &len, sb, NULL) < 0)
		return fail(rt);
	f = open_out(name);
	if (f)
		fwrite(text, 1, len, f);
	nacre_free(text);
	return f ? close_out(f, name) : 1;
}

int cli_review(nacre_runtime *rt, nacre_sandbox *sb, const struct cli_options *o, int status)
{
	int bad = 0;

	if (o->changes)
		bad |= put_changes(rt, sb, o->changes);
	if (o->diff)
		bad |= put_diff(rt, sb, o->diff);
	if (o->commit && status != 0) {
		fprintf(stderr, "nacre: nothing was committed: the script ended with status %d\n", status);
	} else if (o->commit && !bad) {
		if (nacre_overlay_commit(sb, NULL, 0) < 0)
			bad = fail(rt);
	}
	return status ? status : bad;
}
