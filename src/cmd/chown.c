/* chown.c - change the owner and group of files: chown and chgrp. */
#include "cmd.h"

struct chown {
	bool changes, quiet, verbose, recursive, no_dereference, dereference;
	int follow;		/* of walks: 'H', 'L', 'P' */
	const char *reference, *from;
};

static const struct cmd_opt chown_opts[] = {
	CMD_STRING(struct chown, from, 0, "from", "OWNER:GROUP", "change only what has this owner and/or group now"),
	CMD_FLAG(struct chown, changes, 'c', "changes", "like verbose but report only when a change is made"),
	CMD_FLAG(struct chown, quiet, 'f', "silent", "suppress most error messages"),
	CMD_FLAG(struct chown, quiet, 0, "quiet", NULL),
	CMD_FLAG(struct chown, verbose, 'v', "verbose", "output a diagnostic for every file processed"),
	CMD_FLAG(struct chown, dereference, 0, "dereference", "affect what links point to (the default)"),
	CMD_FLAG(struct chown, no_dereference, 'h', "no-dereference", "affect symbolic links themselves"),
	CMD_STRING(struct chown, reference, 0, "reference", "RFILE", "use RFILE's owner and group"),
	CMD_FLAG(struct chown, recursive, 'R', "recursive", "operate on files and directories recursively"),
	CMD_CHOICE(struct chown, follow, 'H', NULL, 'H', "with -R, follow links given as arguments"),
	CMD_CHOICE(struct chown, follow, 'L', NULL, 'L', "with -R, follow all links to directories"),
	CMD_CHOICE(struct chown, follow, 'P', NULL, 'P', "with -R, follow no links (the default)"),
};

struct change {
	struct proc *p;
	const struct chown *o;
	int64_t uid, gid;	/* -1: as it is */
	int64_t from_uid, from_gid; /* -1: any */
	const char *user, *group;
	bool only_group;	/* chgrp */
	int status;
};

static bool number(const char *s, uint32_t *out)
{
	const char *end;
	bool overflow = false;
	uint64_t v = num_u64(s, &end, 10, &overflow);

	if (!ascii_digit(*s) || *end || overflow || v > UINT32_MAX - 1)
		return false;
	*out = (uint32_t)v;
	return true;
}

static const char *owner_text(struct change *c, const char *user, const char *group)
{
	if (c->only_group || !user)
		return group ? group : user;
	return group ? u_format(c->p, "%s:%s", user, group) : user;
}

static const char *name_of(struct change *c, bool group, uint32_t n)
{
	const char *s = group ? u_group_name(c->p, n) : u_user_name(c->p, n);

	return s ? s : u_format(c->p, "%u", n);
}

static void report(struct change *c, const char *path, const struct sys_stat *st, bool ok)
{
	bool same = (c->uid < 0 || c->uid == st->uid) && (c->gid < 0 || c->gid == st->gid);
	const char *q = u_quote_file(c->p, path), *what = c->uid < 0 && c->gid >= 0 ? "group" : "ownership", *new, *old;

	if (!c->o->verbose && (!c->o->changes || same || !ok))
		return;
	new = owner_text(c, c->uid >= 0 ? c->user : NULL, c->gid >= 0 ? c->group : NULL);
	old = owner_text(c, c->uid >= 0 ? name_of(c, false, st->uid) : NULL, c->gid >= 0 ? name_of(c, true, st->gid) : NULL);
	if (!new)
		u_printf(u_stdout(c->p), "ownership of %s retained\n", q);
	else if (!ok)
		u_printf(u_stdout(c->p), "failed to change %s of %s from %s to %s\n", what, q, old, new);
	else if (same)
		u_printf(u_stdout(c->p), "%s of %s retained as %s\n", what, q, old);
	else
		u_printf(u_stdout(c->p), "changed %s of %s from %s to %s\n", what, q, old, new);
}

static void change_one(struct change *c, const char *path, const struct sys_stat *st, bool link)
{
	bool other = (c->from_uid >= 0 && c->from_uid != st->uid) || (c->from_gid >= 0 && c->from_gid != st->gid);
	int e = other ? 0 : sys_chown(c->p, path, c->uid, c->gid, link ? SYS_NOFOLLOW : 0);

	if (other) {
		struct change kept = *c;

		kept.uid = c->uid >= 0 ? (int64_t)st->uid : -1;
		kept.gid = c->gid >= 0 ? (int64_t)st->gid : -1;
		report(&kept, path, st, true);
		return;
	}
	if (e < 0) {
		if (!c->o->quiet)
			u_warn(c->p, e, "changing %s of %s", c->only_group ? "group" : "ownership", u_quote_file(c->p, path));
		c->status = 1;
	}
	report(c, path, st, e == 0);
}

static void change_tree(struct change *c, const char *root)
{
	unsigned flags = c->o->follow == 'L' ? U_WALK_FOLLOW : c->o->follow == 'H' ? U_WALK_FOLLOW_ROOT : 0;
	struct u_walk *w = u_walk_new(c->p, root, flags);
	struct u_walk_entry e;

	while (u_walk_next(w, &e)) {
		if (e.event == U_WALK_ERROR) {
			if (!c->o->quiet)
				u_warn(c->p, e.err, e.depth ? "cannot read directory %s" : "cannot access %s", u_quote_file(c->p, e.path));
			c->status = 1;
		} else if (e.event == U_WALK_FILE || e.event == U_WALK_DIR_POST) {
			change_one(c, e.path, &e.st, true);
		}
	}
}

/* USER, USER:GROUP, USER:, :GROUP; for chgrp GROUP. */
static void parse_owner(struct change *c, const char *spec)
{
	const char *colon = c->only_group ? NULL : strchr(spec, ':');
	const char *user = c->only_group ? "" : u_strndup(c->p, spec, colon ? (size_t)(colon - spec) : strlen(spec));
	const char *group = c->only_group ? spec : colon ? colon + 1 : "";
	uint32_t n;

	if (*user) {
		if (!u_user_id(c->p, user, &n) && !number(user, &n))
			u_die(c->p, 1, 0, "invalid user: %s", u_quote(c->p, spec));
		c->uid = n;
		c->user = user;
	}
	if (*group) {
		if (!u_group_id(c->p, group, &n) && !number(group, &n))
			u_die(c->p, 1, 0, "invalid group: %s", u_quote(c->p, spec));
		c->gid = n;
		c->group = group;
	} else if (colon && *user) {
		/* USER: means the user's own group, which has the user's number here. */
		c->gid = c->uid;
		c->group = name_of(c, true, (uint32_t)c->gid);
	}
}

static int change_main(struct proc *p, const struct cmd_args *a, bool only_group)
{
	struct change c = {.p = p, .o = a->opts, .uid = -1, .gid = -1, .from_uid = -1, .from_gid = -1, .only_group = only_group};
	int first = c.o->reference ? 0 : 1;
	struct sys_stat st;

	if (a->argc <= first) {
		if (a->argc == 0)
			u_usage(p, "missing operand");
		u_usage(p, "missing operand after %s", u_quote(p, a->argv[a->argc - 1]));
	}
	if (c.o->from && !only_group) {
		parse_owner(&c, c.o->from);
		c.from_uid = c.uid;
		c.from_gid = c.gid;
		c.uid = c.gid = -1;
		c.user = c.group = NULL;
	}
	if (c.o->reference) {
		int e = sys_stat(p, c.o->reference, 0, &st);

		if (e < 0)
			u_die(p, 1, e, "failed to get attributes of %s", u_quote_file(p, c.o->reference));
		c.gid = st.gid;
		c.group = name_of(&c, true, st.gid);
		if (!only_group) {
			c.uid = st.uid;
			c.user = name_of(&c, false, st.uid);
		}
	} else {
		parse_owner(&c, a->argv[0]);
	}
	for (int i = first; i < a->argc; i++) {
		bool link = c.o->no_dereference;
		int e;

		if (c.o->recursive) {
			change_tree(&c, a->argv[i]);
			continue;
		}
		e = sys_stat(p, a->argv[i], link ? SYS_NOFOLLOW : 0, &st);
		if (e < 0) {
			if (!c.o->quiet)
				u_warn(p, e, "cannot access %s", u_quote_file(p, a->argv[i]));
			c.status = 1;
		} else {
			change_one(&c, a->argv[i], &st, link);
		}
	}
	return c.status;
}

static int chown_main(struct proc *p, const struct cmd_args *a)
{
	return change_main(p, a, false);
}

static int chgrp_main(struct proc *p, const struct cmd_args *a)
{
	return change_main(p, a, true);
}

const struct cmd cmd_chown = {
	.name = "chown",
	.summary = "change the owner and/or group of each FILE",
	.synopsis = "[OPTION]... [OWNER][:[GROUP]] FILE...\n[OPTION]... --reference=RFILE FILE...",
	.opts = chown_opts,
	.nopts = COUNTOF(chown_opts),
	.opts_size = sizeof(struct chown),
	.main = chown_main,
};

const struct cmd cmd_chgrp = {
	.name = "chgrp",
	.summary = "change the group of each FILE to GROUP",
	.synopsis = "[OPTION]... GROUP FILE...\n[OPTION]... --reference=RFILE FILE...",
	.opts = chown_opts + 1, /* without --from */
	.nopts = COUNTOF(chown_opts) - 1,
	.opts_size = sizeof(struct chown),
	.main = chgrp_main,
};
