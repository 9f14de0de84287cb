/* hostname.c - the name of the sandbox: that of /etc/hostname. */
#include "cmd.h"

struct hostname {
	bool brief, fqdn, domain;
};

static const struct cmd_opt hostname_opts[] = {
	CMD_FLAG(struct hostname, domain, 'd', "domain", "DNS domain name"),
	CMD_FLAG(struct hostname, fqdn, 'f', "fqdn", "long host name"),
	CMD_FLAG(struct hostname, fqdn, 0, "long", NULL),
	CMD_FLAG(struct hostname, brief, 's', "short", "short host name"),
};

static int hostname_main(struct proc *p, const struct cmd_args *a)
{
	const struct hostname *o = a->opts;
	int fd = sys_open(p, "/etc/hostname", SYS_O_READ, 0);
	char buf[256], *name = NULL;
	int64_t n = fd < 0 ? 0 : sys_read(p, fd, buf, sizeof(buf) - 1);

	if (a->argc > 0)
		u_die(p, 1, 0, "you must be root to change the host name");
	if (n > 0) {
		buf[n] = '\0';
		buf[strcspn(buf, " \t\n")] = '\0';
		name = buf;
	}
	if (!name || !*name)
		name = u_strdup(p, "localhost");
	if (o->domain) {
		const char *dot = strchr(name, '.');

		if (dot)
			u_printf(u_stdout(p), "%s\n", dot + 1);
		return 0;
	}
	if (o->brief)
		name[strcspn(name, ".")] = '\0';
	u_printf(u_stdout(p), "%s\n", name);
	return 0;
}

static const struct cmd_missing hostname_missing[] = {
	{"-i", "a sandbox has no network addresses"},
	{"-I", "a sandbox has no network addresses"},
	{"-F", "the name cannot be changed"},
};

const struct cmd cmd_hostname = {
	.name = "hostname",
	.summary = "show the system's host name",
	.synopsis = "[-dfs]",
	.opts = hostname_opts,
	.nopts = COUNTOF(hostname_opts),
	.opts_size = sizeof(struct hostname),
	.main = hostname_main,
	.missing = hostname_missing,
	.nmissing = COUNTOF(hostname_missing),
};
