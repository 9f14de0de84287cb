/* free.c - the memory of the sandbox: what may be used and what is. */
#include "cmd.h"

struct free {
	int unit;
	bool human, si, total, wide;
	const char *ignored;
};

static const struct cmd_opt free_opts[] = {
	CMD_CHOICE(struct free, unit, 'b', "bytes", 1, "show output in bytes"),
	CMD_CHOICE(struct free, unit, 'k', "kibi", 2, "show output in kibibytes (default)"),
	CMD_CHOICE(struct free, unit, 'm', "mebi", 3, "show output in mebibytes"),
	CMD_CHOICE(struct free, unit, 'g', "gibi", 4, "show output in gibibytes"),
	CMD_CHOICE(struct free, unit, 0, "kilo", 12, "show output in kilobytes"),
	CMD_CHOICE(struct free, unit, 0, "mega", 13, "show output in megabytes"),
	CMD_CHOICE(struct free, unit, 0, "giga", 14, "show output in gigabytes"),
	CMD_FLAG(struct free, human, 'h', "human", "show human-readable output"),
	CMD_FLAG(struct free, si, 0, "si", "use powers of 1000 not 1024"),
	CMD_FLAG(struct free, total, 't', "total", "show total for RAM + swap"),
	CMD_FLAG(struct free, wide, 'w', "wide", "wide output"),
};

static const char *amount(struct proc *p, const struct free *o, uint64_t n)
{
	static const char units[] = "BKMGTPE";
	uint64_t base = o->si || o->unit > 10 ? 1000 : 1024, unit = 1;
	double v = (double)n;
	int i = 0;

	if (!o->human) {
		for (int k = 1; k < (o->unit ? o->unit % 10 : 2); k++)
			unit *= base;
		return u_format(p, "%llu", (unsigned long long)(n / unit));
	}
	while (v >= (double)base && units[i + 1]) {
		v /= (double)base;
		i++;
	}
	if (i == 0)
		return u_format(p, "%lluB", (unsigned long long)n);
	return u_format(p, v < 10 ? "%.1f%c%s" : "%.0f%c%s", v < 10 ? v : (double)(uint64_t)v, units[i], base == 1024 ? "i" : "");
}

static void put_row(struct proc *p, const char *name, const char *const *v, size_t n)
{
	u_printf(u_stdout(p), "%-8s", name);
	for (size_t i = 0; i < n; i++)
		u_printf(u_stdout(p), "%12s", v[i]);
	u_putc(u_stdout(p), '\n');
}

static int free_main(struct proc *p, const struct cmd_args *a)
{
	const struct free *o = a->opts;
	uint64_t used = sys_usage(p, SYS_LIMIT_MEMORY), limit = sys_limit(p, SYS_LIMIT_MEMORY), left;
	const char *zero = amount(p, o, 0), *v[7];
	size_t n = 0;

	if (a->argc > 0)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[0]));
	if (!limit)
		limit = used; /* not limited, not known */
	left = limit - MIN(used, limit);
	u_puts(u_stdout(p), o->wide ? "               total        used        free      shared     buffers       cache   available\n" :
				      "               total        used        free      shared  buff/cache   available\n");
	v[n++] = amount(p, o, limit);
	v[n++] = amount(p, o, used);
	v[n++] = amount(p, o, left);
	v[n++] = zero;
	v[n++] = zero;
	if (o->wide)
		v[n++] = zero;
	v[n++] = amount(p, o, left);
	put_row(p, "Mem:", v, n);
	put_row(p, "Swap:", (const char *const[]){zero, zero, zero}, 3);
	if (o->total)
		put_row(p, "Total:", v, 3);
	return 0;
}

static const struct cmd_example examples[] = {
	{"free | awk 'END { print $1, $2 }'", "Swap: 0\n"},
};

const struct cmd cmd_free = {
	.name = "free",
	.summary = "display amount of free and used memory in the sandbox",
	.synopsis = "[OPTION]...",
	.description = "The total is the sandbox's budget. There is no swap and nothing is cached.",
	.opts = free_opts,
	.nopts = COUNTOF(free_opts),
	.opts_size = sizeof(struct free),
	.main = free_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
