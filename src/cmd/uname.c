/*
 * uname.c - what system this is.
 *
 * The system is the sandbox: it looks like Linux to programs, and says honestly in its
 * version whose it is. The node name is that of /etc/hostname.
 */
#include "cmd.h"

#define UNAME_RELEASE "6.1.0-nacre"
#define UNAME_VERSION "#1 nacre"
#if defined(__aarch64__)
#define UNAME_MACHINE "aarch64"
#else
#define UNAME_MACHINE "x86_64"
#endif

struct uname {
	bool all, kernel, node, release, version, machine, processor, platform, system;
};

static const struct cmd_opt uname_opts[] = {
	CMD_FLAG(struct uname, all, 'a', "all", "print all of it in this order,\nbut -p and -i only if known"),
	CMD_FLAG(struct uname, kernel, 's', "kernel-name", "print the kernel name"),
	CMD_FLAG(struct uname, kernel, 0, "sysname", NULL),
	CMD_FLAG(struct uname, node, 'n', "nodename", "print the name of this node"),
	CMD_FLAG(struct uname, release, 'r', "kernel-release", "print the kernel release"),
	CMD_FLAG(struct uname, release, 0, "release", NULL),
	CMD_FLAG(struct uname, version, 'v', "kernel-version", "print the kernel version"),
	CMD_FLAG(struct uname, machine, 'm', "machine", "print the machine's architecture"),
	CMD_FLAG(struct uname, processor, 'p', "processor", "print the type of processor"),
	CMD_FLAG(struct uname, platform, 'i', "hardware-platform", "print the hardware platform"),
	CMD_FLAG(struct uname, system, 'o', "operating-system", "print the operating system"),
};

static const char *node_name(struct proc *p)
{
	int fd = sys_open(p, "/etc/hostname", SYS_O_READ, 0);
	char buf[256];
	int64_t n = fd < 0 ? 0 : sys_read(p, fd, buf, sizeof(buf));
	size_t len = 0;

	while ((int64_t)len < n && buf[len] != '\n')
		len++;
	return len > 0 ? u_strndup(p, buf, len) : "localhost";
}

static int uname_main(struct proc *p, const struct cmd_args *a)
{
	const struct uname *o = a->opts;
	bool none = !(o->all || o->kernel || o->node || o->release || o->version || o->machine ||
		      o->processor || o->platform || o->system);
	const struct {
		bool wanted;
		const char *text;
	} part[] = {
		{none || o->all || o->kernel, "Linux"},
		{o->all || o->node, o->all || o->node ? node_name(p) : NULL},
		{o->all || o->release, UNAME_RELEASE},
		{o->all || o->version, UNAME_VERSION},
		{o->all || o->machine, UNAME_MACHINE},
		{o->processor && !o->all, "unknown"},
		{o->platform && !o->all, "unknown"},
		{o->all || o->system, "GNU/Linux"},
	};
	const char *gap = "";

	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	for (size_t i = 0; i < COUNTOF(part); i++) {
		if (part[i].wanted) {
			u_printf(u_stdout(p), "%s%s", gap, part[i].text);
			gap = " ";
		}
	}
	u_putc(u_stdout(p), '\n');
	return 0;
}

static int arch_main(struct proc *p, const struct cmd_args *a)
{
	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	u_puts(u_stdout(p), UNAME_MACHINE "\n");
	return 0;
}

static const struct cmd_example uname_examples[] = {
	{"uname -so", "Linux GNU/Linux\n"},
};

const struct cmd cmd_uname = {
	.name = "uname",
	.summary = "print what system this is",
	.synopsis = "[OPTION]...",
	.opts = uname_opts,
	.nopts = COUNTOF(uname_opts),
	.opts_size = sizeof(struct uname),
	.main = uname_main,
	.examples = uname_examples,
	.nexamples = COUNTOF(uname_examples),
};

const struct cmd cmd_arch = {
	.name = "arch",
	.summary = "print the machine's architecture",
	.synopsis = "[OPTION]...",
	.main = arch_main,
};
