/* id.c - numbers and names of the user and group. */
#include "identity.h"

struct id {
	bool user, group, groups, name, real, zero, ignored;
};

static const struct cmd_opt id_opts[] = {
	CMD_FLAG(struct id, ignored, 'a', NULL, "ignore, for compatibility with other versions"),
	CMD_FLAG(struct id, group, 'g', "group", "print only the effective group ID"),
	CMD_FLAG(struct id, groups, 'G', "groups", "print all group IDs"),
	CMD_FLAG(struct id, name, 'n', "name", "print a name instead of a number, for -ugG"),
	CMD_FLAG(struct id, real, 'r', "real", "print the real ID instead of the effective ID, with -ugG"),
	CMD_FLAG(struct id, user, 'u', "user", "print only the effective user ID"),
	CMD_FLAG(struct id, zero, 'z', "zero", "delimit entries with NUL characters, not whitespace;\nnot permitted in default format"),
};

static void put_one(struct proc *p, uint32_t n, const char *name, bool named)
{
	if (named && name)
		u_puts(u_stdout(p), name);
	else
		u_printf(u_stdout(p), "%u", n);
}

static void put_both(struct proc *p, const char *what, uint32_t n, const char *name)
{
	u_printf(u_stdout(p), "%s=%u", what, n);
	if (name)
		u_printf(u_stdout(p), "(%s)", name);
}

static bool print(struct proc *p, const struct id *o, uint32_t uid, uint32_t gid)
{
	const char *user = u_user_name(p, uid), *group = u_group_name(p, gid);
	char end = o->zero ? '\0' : '\n';

	if (o->user) {
		put_one(p, uid, user, o->name);
	} else if (o->group || o->groups) {
		put_one(p, gid, group, o->name);
	} else {
		put_both(p, "uid", uid, user);
		put_both(p, " gid", gid, group);
		put_both(p, " groups", gid, group);
	}
	u_putc(u_stdout(p), end);
	return true;
}

static int id_main(struct proc *p, const struct cmd_args *a)
{
	const struct id *o = a->opts;
	bool one = o->user || o->group || o->groups;
	uint32_t uid, gid;
	int status = 0;

	if (o->user + o->group + o->groups > 1)
		u_die(p, 1, 0, "cannot print \"only\" of more than one choice");
	if (!one && (o->name || o->real))
		u_die(p, 1, 0, "cannot print only names or real IDs in default format");
	if (!one && o->zero)
		u_die(p, 1, 0, "option --zero not permitted in default format");
	identity_get(p, &uid, &gid);
	if (a->argc == 0)
		print(p, o, uid, gid);
	for (int i = 0; i < a->argc; i++) {
		const char *name = a->argv[i], *end;
		bool overflow = false;

		if (!u_user_id(p, name, &uid)) {
			uint64_t n = num_u64(name, &end, 10, &overflow);

			if (!ascii_digit(*name) || *end || overflow || n > UINT32_MAX || !u_user_name(p, (uint32_t)n)) {
				u_warn(p, 0, "%s: no such user", u_quote(p, name));
				status = 1;
				continue;
			}
			uid = (uint32_t)n;
		}
		print(p, o, uid, identity_group_of(p, uid));
	}
	return status;
}

const struct cmd cmd_id = {
	.name = "id",
	.summary = "print user and group information for each specified USER, or for the current user",
	.synopsis = "[OPTION]... [USER]...",
	.description = "A user of the sandbox is in one group.",
	.opts = id_opts,
	.nopts = COUNTOF(id_opts),
	.opts_size = sizeof(struct id),
	.main = id_main,
};
