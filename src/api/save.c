/*
 * save.c - a whole sandbox as bytes, and back.
 *
 * A head (framed.h), then sections: kind, path, length, bytes. Numbers are little-endian.
 */
#include "api.h"
#include "framed.h"

#include <stdlib.h>

#include "../fs/mem_save.h"
#include "../fs/overlay.h"

#define MAGIC	 "NACRESAV"
#define VERSION	 1u
#define SAVE_MAX ((size_t)16 << 30)

enum section { SECTION_ROOT = 1, SECTION_MEMORY, SECTION_OVERLAY, SECTION_SHELL };

struct out {
	char *s;
	size_t len, cap;
};

static int out_put(void *ctx, const void *data, size_t n)
{
	struct out *o = ctx;

	if (n > SAVE_MAX - o->len)
		return -NACRE_EFBIG;
	if (o->len + n > o->cap) {
		size_t cap = MAX(o->cap * 2, o->len + n + 4096);
		char *more = realloc(o->s, cap);

		if (!more)
			return -NACRE_ENOMEM;
		o->s = more;
		o->cap = cap;
	}
	memcpy(o->s + o->len, data, n);
	o->len += n;
	return 0;
}

/* ---- The shell's state, by a program in the sandbox ------------------------------------ */

static int run_program(nacre_sandbox *sb, const struct program *program, const void *in, size_t n, struct out *out, int *status)
{
	struct runtime *rt = sb->rt->kernel;
	struct capture_config capture = {.limit = SAVE_MAX};
	char *argv[] = {(char *)(uintptr_t)program->name, NULL};
	struct run_config c = {.program = program, .argv = argv, .in = in ? stream_input(rt, in, n) : stream_null(rt),
			       .out = stream_capture(rt, &capture), .err = stream_null(rt), .linger = RUN_LINGER_NONE};
	struct capture_info info;
	struct run *run;
	char *text;
	int e;

	if (!c.in || !c.out || !c.err) {
		file_put(c.in);
		file_put(c.out);
		file_put(c.err);
		return -NACRE_ENOMEM;
	}
	e = run_start(sb->kernel, &c, &run);
	if (e < 0)
		return e;
	runtime_drive(rt, run);
	*status = run_result(run)->stop != RUN_STOP_NONE ? 137 : run_result(run)->status;
	capture_info(run_file(run, 1), &info);
	text = (info.head + info.tail) ? malloc((info.head + info.tail)) : NULL;
	if (text)
		capture_copy(run_file(run, 1), text);
	else if ((info.head + info.tail))
		e = -NACRE_ENOMEM;
	if (e == 0 && (info.head + info.tail))
		e = out_put(out, text, (info.head + info.tail));
	free(text);
	run_free(run);
	return e;
}

/* ---- Saving ------------------------------------------------------------------------------- */

static int begin(struct out *o, enum section kind, const char *path, size_t *at)
{
	char head[16];
	int e;

	framed_set(head, kind, 4);
	framed_set(head + 4, strlen(path), 4);
	framed_set(head + 8, 0, 8);
	*at = o->len + 8;
	e = out_put(o, head, sizeof(head));
	return e ? e : out_put(o, path, strlen(path));
}

static void end(struct out *o, size_t at)
{
	size_t path = (size_t)framed_get(o->s + at - 4, 4);

	framed_set(o->s + at, o->len - at - 8 - path, 8);
}

static int save_tree(struct out *o, enum section kind, const char *path, const struct fs *fs)
{
	size_t at;
	int e = begin(o, kind, path, &at);

	if (e == 0)
		e = fs_mem_save(fs, out_put, o);
	if (e == 0)
		end(o, at);
	return e;
}

static int save_all(nacre_sandbox *sb, struct out *o)
{
	const struct plan *plan = sb->plan;
	int status = 0, e = save_tree(o, SECTION_ROOT, "", sandbox_root(sb->kernel));
	size_t at;

	for (size_t i = 0; sb->own && i < plan->nmounts && e == 0; i++) {
		struct fs *fs = sb->own[i];

		if (fs)
			e = fs_is_overlay(fs) ? save_tree(o, SECTION_OVERLAY, plan->mounts[i].at, fs_overlay_above(fs))
					      : save_tree(o, SECTION_MEMORY, plan->mounts[i].at, fs);
	}
	if (e == 0 && sandbox_has_session(sb->kernel)) {
		e = begin(o, SECTION_SHELL, "", &at);
		if (e == 0)
			e = run_program(sb, &registry_save_shell, NULL, 0, o, &status);
		if (e == 0)
			end(o, at);
		e = e ? e : status ? -NACRE_EIO : 0;
	}
	return e;
}

int nacre_save(void **data, size_t *len, nacre_sandbox *sb)
{
	static const char head[FRAMED_HEAD];
	struct out o = {NULL, 0, 0};
	int e;

	*data = NULL;
	*len = 0;
	e = recording_refuses(sb->rt);
	if (e < 0)
		return e;
	if (sb->run)
		return runtime_fail(sb->rt, -NACRE_EBUSY, "a run of this sandbox is in progress");
	e = out_put(&o, head, FRAMED_HEAD);
	if (e == 0)
		e = save_all(sb, &o);
	if (e < 0) {
		free(o.s);
		return runtime_fail(sb->rt, e, "cannot save: %s", errno_text(e));
	}
	framed_seal(o.s, o.len, MAGIC, VERSION);
	*data = o.s;
	*len = o.len;
	sb->rt->error[0] = '\0';
	return 0;
}

/* ---- Loading --------------------------------------------------------------------------------- */

static int load_root(nacre_sandbox *sb, const char *data, size_t n)
{
	struct fs_mem_config mem = sandbox_mem_config(sb);
	struct fs *root;
	int e = fs_mem_new(sb->rt->store, &mem, &root);

	if (e < 0)
		return e;
	e = fs_mem_load(root, data, n);
	if (e < 0)
		fs_put(root);
	else
		sandbox_set_root(sb->kernel, root);
	return e;
}

/* What was saved of a mount that is not there: nothing is lost where nothing was in it, else it is refused, as whoever saves the
 * sandbox again would not have it any more. */
static int load_homeless(nacre_sandbox *sb, enum section kind, const char *path, size_t path_len, const char *data, size_t n)
{
	struct fs_mem_config mem = sandbox_mem_config(sb);
	struct fs_mem_usage usage = {0, 0, 0};
	struct fs *tree, *over = NULL;
	int e = fs_mem_new(sb->rt->store, &mem, &tree);

	if (e < 0)
		return e;
	if (kind == SECTION_OVERLAY)
		e = fs_overlay_new(tree, sb->rt->store, &mem, &over);
	if (e == 0)
		e = fs_mem_load(over ? fs_overlay_above(over) : tree, data, n);
	if (e == 0)
		fs_mem_usage(over ? fs_overlay_above(over) : tree, &usage);
	if (over)
		fs_put(over);
	fs_put(tree);
	if (e < 0 || usage.files == 0)
		return e;
	return runtime_fail(sb->rt, -NACRE_ENOENT, "the saved sandbox has files in %.*s, where there is no %s now", (int)path_len, path,
			    kind == SECTION_OVERLAY ? "overlay" : "mount in memory");
}

static int load_mount(nacre_sandbox *sb, enum section kind, const char *path, size_t path_len, const char *data, size_t n)
{
	const struct plan *plan = sb->plan;

	for (size_t i = 0; sb->own && i < plan->nmounts; i++) {
		struct fs *fs = sb->own[i];

		if (!fs || strlen(plan->mounts[i].at) != path_len || memcmp(plan->mounts[i].at, path, path_len) != 0)
			continue;
		if (fs_is_overlay(fs) != (kind == SECTION_OVERLAY))
			break;
		return fs_mem_load(fs_is_overlay(fs) ? fs_overlay_above(fs) : fs, data, n);
	}
	return load_homeless(sb, kind, path, path_len, data, n);
}

static int load_shell(nacre_sandbox *sb, const char *data, size_t n)
{
	struct out nothing = {NULL, 0, 0};
	int status = 0, e = run_program(sb, &registry_load_shell, data, n, &nothing, &status);

	free(nothing.s);
	return e ? e : status == 137 ? -NACRE_ENOSPC : status ? -NACRE_EINVAL : 0;
}

static int load_sections(nacre_sandbox *sb, const char *at, size_t left)
{
	unsigned seen = 0;
	int e = 0;

	while (left > 0 && e == 0) {
		uint64_t kind, path, n;

		if (left < 16)
			return -NACRE_EINVAL;
		kind = framed_get(at, 4);
		path = framed_get(at + 4, 4);
		n = framed_get(at + 8, 8);
		at += 16;
		left -= 16;
		if (path > SYS_PATH_MAX || path > left || n > left - path)
			return -NACRE_EINVAL;
		if (kind == SECTION_ROOT && !seen)
			e = load_root(sb, at + path, (size_t)n);
		else if ((kind == SECTION_MEMORY || kind == SECTION_OVERLAY) && seen)
			e = load_mount(sb, (enum section)kind, at, (size_t)path, at + path, (size_t)n);
		else if (kind == SECTION_SHELL && seen)
			e = load_shell(sb, at + path, (size_t)n);
		else
			e = -NACRE_EINVAL;
		seen++;
		at += path + n;
		left -= (size_t)(path + n);
	}
	return e ? e : seen ? 0 : -NACRE_EINVAL;
}

int nacre_load(nacre_sandbox **out, nacre_runtime *rt, const nacre_config *cfg, const void *data, size_t len)
{
	const char *s = data;
	nacre_sandbox *sb;
	int e;

	*out = NULL;
	switch (framed_check(s, len, MAGIC, VERSION)) {
	case FRAMED_SOUND: break;
	case FRAMED_OTHER: return runtime_fail(rt, -NACRE_EINVAL, "this is not a saved sandbox");
	case FRAMED_VERSION:
		return runtime_fail(rt, -NACRE_EINVAL, "the saved sandbox is of version %u, which this nacre does not know",
				    (unsigned)framed_get(s + 8, 4));
	default: return runtime_fail(rt, -NACRE_EINVAL, "the saved sandbox is damaged");
	}
	e = recording_sandbox(rt, cfg->now, data, len);
	if (e == 0)
		e = sandbox_of_settings(&sb, rt, cfg->now);
	if (e < 0)
		return e;
	e = load_sections(sb, s + FRAMED_HEAD, len - FRAMED_HEAD);
	if (e == -NACRE_ENOENT) { /* told already */
		nacre_sandbox_free(sb);
		return e;
	}
	if (e < 0) {
		nacre_sandbox_free(sb);
		return runtime_fail(rt, e, e == -NACRE_ENOSPC ? "the saved sandbox does not fit: %s" : "the saved sandbox cannot be used: %s",
				    errno_text(e));
	}
	*out = sb;
	rt->error[0] = '\0';
	return 0;
}
