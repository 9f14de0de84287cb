/* ulimit.c - the limits of the shell and of what it starts. */
#include "args.h"

enum source {
	OWN,      /* a limit that the kernel holds the proc to */
	UNKNOWN,  /* nothing here has it: there is no limit, and none can be set */
	CONSTANT, /* a property of the system */
};

static const struct limit {
	char letter;
	const char *what, *unit;
	enum source source;
	unsigned number; /* OWN: enum sys_rlimit_kind; CONSTANT: the value */
	unsigned scale;
} limits[] = {
        {'R', "real-time non-blocking time", "microseconds, ", UNKNOWN, 0, 1},
        {'c', "core file size", "blocks, ", OWN, SYS_RLIMIT_CORE, 1024},
        {'d', "data seg size", "kbytes, ", OWN, SYS_RLIMIT_DATA, 1024},
        {'e', "scheduling priority", "", CONSTANT, 0, 1},
        {'f', "file size", "blocks, ", OWN, SYS_RLIMIT_FILE_SIZE, 1024},
        {'i', "pending signals", "", UNKNOWN, 0, 1},
        {'l', "max locked memory", "kbytes, ", OWN, SYS_RLIMIT_LOCKED, 1024},
        {'m', "max memory size", "kbytes, ", OWN, SYS_RLIMIT_RESIDENT, 1024},
        {'n', "open files", "", OWN, SYS_RLIMIT_FILES, 1},
        {'p', "pipe size", "512 bytes, ", CONSTANT, 8, 512},
        {'q', "POSIX message queues", "bytes, ", UNKNOWN, 0, 1},
        {'r', "real-time priority", "", CONSTANT, 0, 1},
        {'s', "stack size", "kbytes, ", UNKNOWN, 0, 1024},
        {'t', "cpu time", "seconds, ", OWN, SYS_RLIMIT_CPU, 1},
        {'u', "max user processes", "", OWN, SYS_RLIMIT_PROCS, 1},
        {'v', "virtual memory", "kbytes, ", OWN, SYS_RLIMIT_SPACE, 1024},
        {'x', "file locks", "", UNKNOWN, 0, 1},
};

enum { SOFT = 1, HARD = 2 };

static const struct limit *find(char letter)
{
	for (size_t i = 0; i < COUNTOF(limits); i++)
		if (limits[i].letter == letter)
			return &limits[i];
	return NULL;
}

static struct sys_rlimit get(struct shell *sh, const struct limit *l)
{
	uint64_t n = l->source == CONSTANT ? (uint64_t)l->number * l->scale : SYS_UNLIMITED;

	if (l->source == OWN)
		return sys_rlimit_get(sh->p, (enum sys_rlimit_kind)l->number);
	return (struct sys_rlimit){n, n};
}

/* With set -o posix, files are counted in smaller blocks. */
static unsigned scale_of(struct shell *sh, const struct limit *l)
{
	bool blocks = l->letter == 'c' || l->letter == 'f';

	return blocks && set_is(sh, SET_POSIX) ? 512 : l->scale;
}

static void show(struct shell *sh, const struct limit *l, int which, bool named)
{
	struct sys_rlimit now = get(sh, l);
	uint64_t n = which & SOFT ? now.soft : now.hard;

	if (named)
		u_printf(&sh->out, "%-20s%20s ", l->what, u_format(sh->p, "(%s-%c)", l->unit, l->letter));
	if (n == SYS_UNLIMITED)
		u_puts(&sh->out, "unlimited\n");
	else
		u_printf(&sh->out, "%llu\n", (unsigned long long)(n / scale_of(sh, l)));
}

/* What an argument says: in bytes or whatever the kernel counts. */
static bool parse(struct shell *sh, const struct limit *l, const char *s, struct sys_rlimit now, uint64_t *out)
{
	uint64_t n = 0;

	if (streq(s, "hard") || streq(s, "soft") || streq(s, "unlimited")) {
		*out = *s == 'h' ? now.hard : *s == 's' ? now.soft : SYS_UNLIMITED;
		return true;
	}
	for (const char *at = s; *at && n != SYS_UNLIMITED; at++) {
		if (!ascii_digit((unsigned char)*at)) {
			builtin_error(sh, s[0] == '0' && ascii_tolower((unsigned char)s[1]) == 'x' ? "%s: invalid hex number"
			                                                                          : "%s: invalid number", s);
			return false;
		}
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) || __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
			n = SYS_UNLIMITED; /* not to come back in range */
	}
	if (n == SYS_UNLIMITED || __builtin_mul_overflow(n, (uint64_t)scale_of(sh, l), out)) {
		builtin_error(sh, "%s: limit out of range", s);
		return false;
	}
	return true;
}

static int change(struct shell *sh, const struct limit *l, const char *value, int which)
{
	struct sys_rlimit now = get(sh, l), to = now;
	uint64_t n;
	int r;

	if (!parse(sh, l, value, now, &n))
		return 1;
	if (which & SOFT)
		to.soft = n;
	if (which & HARD)
		to.hard = n;
	if (to.soft == now.soft && to.hard == now.hard)
		return 0;
	r = l->source == OWN        ? sys_rlimit_set(sh->p, (enum sys_rlimit_kind)l->number, to)
	    : l->source == CONSTANT ? -NACRE_EINVAL
	                            : -NACRE_EOPNOTSUPP;
	if (r == 0)
		return 0;
	builtin_error(sh, "%s: cannot modify limit: %s", l->what, errno_text(r));
	return 1;
}

int builtin_ulimit(struct shell *sh, int argc, char **argv)
{
	struct {
		const struct limit *limit;
		const char *value;
	} asked[COUNTOF(limits) * 2];
	const char *letters = "SHac;d;e;f;i;l;m;n;p;q;r;s;t;u;v;x;R;";
	bool all = false;
	struct args a;
	size_t n = 0;
	int c, which = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, letters)) > 0) {
		if (c == 'a') {
			all = true;
		} else if (c == 'S' || c == 'H') {
			which |= c == 'S' ? SOFT : HARD;
		} else if (n < COUNTOF(asked)) {
			asked[n].limit = find((char)c);
			asked[n++].value = a.value;
		}
	}
	if (c < 0)
		return USAGE_STATUS;
	if (n && !asked[n - 1].value && a.i < argc)
		asked[n - 1].value = argv[a.i]; /* behind -- */
	if (all) {
		for (size_t i = 0; i < COUNTOF(limits); i++)
			show(sh, &limits[i], which ? which : SOFT, true);
		return 0;
	}
	if (n == 0) {
		asked[n].limit = find('f');
		asked[n++].value = a.i < argc ? argv[a.i] : NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (!asked[i].value)
			show(sh, asked[i].limit, which ? which : SOFT, n > 1);
		else if (change(sh, asked[i].limit, asked[i].value, which ? which : SOFT | HARD) != 0)
			return 1;
	}
	return 0;
}
