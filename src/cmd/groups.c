/* groups.c - the groups a user is in: one, in a sandbox. */
#include "identity.h"

static void put_group(struct proc *p, const char *user, uint32_t gid)
{
	const char *name = u_group_name(p, gid);

	if (user)
		u_printf(u_stdout(p), "%s : ", user);
	if (name)
		u_printf(u_stdout(p), "%s\n", name);
	else
		u_printf(u_stdout(p), "%u\n", gid);
}

static int groups_main(struct proc *p, const struct cmd_args *a)
{
	uint32_t uid, gid;
	int status = 0;

	identity_get(p, &uid, &gid);
	if (a->argc == 0)
		put_group(p, NULL, gid);
	for (int i = 0; i < a->argc; i++) {
		if (u_user_id(p, a->argv[i], &uid)) {
			put_group(p, a->argv[i], identity_group_of(p, uid));
		} else {
			u_warn(p, 0, "%s: no such user", u_quote(p, a->argv[i]));
			status = 1;
		}
	}
	return status;
}

static const struct cmd_example examples[] = {
	{"test \"$(groups)\" = \"$(id -gn)\" && echo same", "same\n"},
};

const struct cmd cmd_groups = {
	.name = "groups",
	.summary = "print group memberships for each USERNAME or, if no USERNAME is specified, for the current process",
	.synopsis = "[OPTION]... [USERNAME]...",
	.main = groups_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
