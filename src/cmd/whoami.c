/* whoami.c - the name of the user. */
#include "identity.h"

static int whoami_main(struct proc *p, const struct cmd_args *a)
{
	const char *name;
	uint32_t uid, gid;

	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	identity_get(p, &uid, &gid);
	name = u_user_name(p, uid);
	if (!name)
		u_die(p, 1, 0, "cannot find name for user ID %u", uid);
	u_printf(u_stdout(p), "%s\n", name);
	return 0;
}

const struct cmd cmd_whoami = {
	.name = "whoami",
	.summary = "print the user name associated with the current effective user ID",
	.synopsis = "[OPTION]...",
	.main = whoami_main,
};
