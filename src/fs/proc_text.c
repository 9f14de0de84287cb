/* proc_text.c - what the files of fs/proc say, in the shape of Linux's. */
#include "proc_text.h"

#define UNLIMITED ((uint64_t)8 << 30) /* what a sandbox without a memory limit is said to have */
#define HZ        100u
#define TICK_NS   10u

/* ---- Text ------------------------------------------------------------------------- */

void proc_add_bytes(struct proc_out *o, const char *s, size_t n)
{
	if (o->err || n == 0)
		return;
	if (o->len + n > o->cap) {
		size_t cap = MAX(o->cap * 2, o->len + n + 512);
		char *more = cap <= PROC_TEXT_MAX ? kalloc(o->quota, cap) : NULL;

		if (!more) {
			o->err = -NACRE_ENOMEM;
			return;
		}
		if (o->len)
			memcpy(more, o->s, o->len);
		kfree(o->quota, o->s, o->cap);
		o->s = more;
		o->cap = cap;
	}
	memcpy(o->s + o->len, s, n);
	o->len += n;
}

void proc_add(struct proc_out *o, const char *s)
{
	proc_add_bytes(o, s, strlen(s));
}

static void add_padded(struct proc_out *o, uint64_t v, size_t width, char pad)
{
	char digits[24];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	for (size_t n = sizeof(digits) - at; n < width; n++)
		proc_add_bytes(o, &pad, 1);
	proc_add_bytes(o, digits + at, sizeof(digits) - at);
}

void proc_add_number(struct proc_out *o, uint64_t v)
{
	add_padded(o, v, 0, ' ');
}

/* Hundredths, as "12.34". */
static void add_hundredths(struct proc_out *o, uint64_t v)
{
	proc_add_number(o, v / 100);
	proc_add(o, ".");
	add_padded(o, v % 100, 2, '0');
}

void proc_out_release(struct proc_out *o)
{
	kfree(o->quota, o->s, o->cap);
	o->s = NULL;
	o->len = o->cap = 0;
}

/* ---- The machine -------------------------------------------------------------------- */

static bool machine(const struct fs_proc_config *c, struct fs_proc_machine *m, struct proc_out *o)
{
	o->err = c->machine(c->ctx, m);
	return !o->err;
}

void proc_cpuinfo(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	(void)c;
	(void)pid;
	proc_add(o, "processor\t: 0\nvendor_id\t: nacre\nmodel name\t: nacre sandbox\nphysical id\t: 0\nsiblings\t: 1\n"
		    "core id\t\t: 0\ncpu cores\t: 1\nflags\t\t:\nbogomips\t: 200.00\n\n");
}

void proc_filesystems(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	(void)c;
	(void)pid;
	proc_add(o, "nodev\tmemfs\nnodev\thostfs\nnodev\toverlayfs\nnodev\tdevfs\nnodev\tproc\n");
}

void proc_loadavg(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct fs_proc_machine m;

	(void)pid;
	if (!machine(c, &m, o))
		return;
	/* There is no history: how many could run now, three times. */
	for (int i = 0; i < 3; i++) {
		add_hundredths(o, (uint64_t)m.running * 100);
		proc_add(o, " ");
	}
	proc_add_number(o, m.running);
	proc_add(o, "/");
	proc_add_number(o, m.procs);
	proc_add(o, " ");
	proc_add_number(o, (uint64_t)c->self(c->ctx));
	proc_add(o, "\n");
}

static void add_kib(struct proc_out *o, const char *name, uint64_t bytes)
{
	proc_add(o, name);
	proc_add(o, ":");
	for (size_t n = strlen(name) + 1; n < 16; n++)
		proc_add(o, " ");
	add_padded(o, bytes / 1024, 8, ' ');
	proc_add(o, " kB\n");
}

void proc_meminfo(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct fs_proc_machine m;
	uint64_t total, left;

	(void)pid;
	if (!machine(c, &m, o))
		return;
	total = m.memory ? m.memory : UNLIMITED;
	left = total > m.memory_used ? total - m.memory_used : 0;
	add_kib(o, "MemTotal", total);
	add_kib(o, "MemFree", left);
	add_kib(o, "MemAvailable", left);
	add_kib(o, "Buffers", 0);
	add_kib(o, "Cached", 0);
	add_kib(o, "SwapCached", 0);
	add_kib(o, "SwapTotal", 0);
	add_kib(o, "SwapFree", 0);
	add_kib(o, "Shmem", 0);
}

/* A word of a mount table: blanks and backslashes in octal. */
static void add_escaped(struct proc_out *o, const char *s)
{
	for (; *s; s++) {
		char code[5] = {'\\', (char)('0' + ((unsigned char)*s >> 6)), (char)('0' + (*s >> 3 & 7)), (char)('0' + (*s & 7)), '\0'};

		if (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\\')
			proc_add(o, code);
		else
			proc_add_bytes(o, s, 1);
	}
}

void proc_mounts(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct sys_statfs st;

	(void)pid;
	for (size_t i = 0; !o->err && c->mount_at(c->ctx, i, &st) == 0; i++) {
		add_escaped(o, st.source);
		proc_add(o, " ");
		add_escaped(o, st.mounted_on);
		proc_add(o, " ");
		proc_add(o, st.type);
		proc_add(o, st.read_only ? " ro 0 0\n" : " rw 0 0\n");
	}
}

void proc_stat(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct fs_proc_machine m;
	uint64_t used;

	(void)pid;
	if (!machine(c, &m, o))
		return;
	used = m.ticks * TICK_NS / (1000000000 / HZ);
	for (int i = 0; i < 2; i++) {
		proc_add(o, i ? "cpu0 " : "cpu  ");
		proc_add_number(o, used);
		proc_add(o, " 0 0 ");
		proc_add_number(o, (uint64_t)MAX(m.uptime_ns / (1000000000 / HZ) - (int64_t)used, 0));
		proc_add(o, " 0 0 0 0 0 0\n");
	}
	proc_add(o, "btime ");
	proc_add_number(o, (uint64_t)MAX(m.boot_sec, 0));
	proc_add(o, "\nprocesses ");
	proc_add_number(o, m.procs_started);
	proc_add(o, "\nprocs_running ");
	proc_add_number(o, m.running);
	proc_add(o, "\nprocs_blocked 0\n");
}

void proc_uptime(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct fs_proc_machine m;
	uint64_t up, used;

	(void)pid;
	if (!machine(c, &m, o))
		return;
	up = (uint64_t)MAX(m.uptime_ns, 0) / 10000000;
	used = m.ticks * TICK_NS / 10000000;
	add_hundredths(o, up);
	proc_add(o, " ");
	add_hundredths(o, up > used ? up - used : 0);
	proc_add(o, "\n");
}

void proc_version(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	(void)c;
	(void)pid;
	proc_add(o, "Linux version 6.1.0-nacre (nacre) #1 nacre\n");
}

/* ---- A proc --------------------------------------------------------------------------- */

static void add_strings(const struct fs_proc_config *c, int pid, enum fs_proc_text which, struct proc_out *o)
{
	char part[1024];
	int64_t got = 1;

	while (got > 0 && !o->err) {
		got = c->text(c->ctx, pid, which, o->len, part, sizeof(part));
		if (got > 0)
			proc_add_bytes(o, part, (size_t)got);
	}
	if (got < 0)
		o->err = (int)got;
}

void proc_cmdline(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	add_strings(c, pid, FS_PROC_CMDLINE, o);
}

void proc_environ(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	add_strings(c, pid, FS_PROC_ENVIRON, o);
}

static bool proc_info(const struct fs_proc_config *c, int pid, struct sys_procinfo *info, struct proc_out *o)
{
	o->err = c->proc(c->ctx, pid, info);
	return !o->err;
}

void proc_comm(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct sys_procinfo info;

	if (!proc_info(c, pid, &info, o))
		return;
	proc_add_bytes(o, info.name, MIN(strlen(info.name), (size_t)15));
	proc_add(o, "\n");
}

/* The 52 numbers of Linux; 0 where there is nothing to say. */
void proc_pid_stat(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct sys_procinfo info;

	if (!proc_info(c, pid, &info, o))
		return;
	proc_add_number(o, (uint64_t)pid);
	proc_add(o, " (");
	proc_add_bytes(o, info.name, MIN(strlen(info.name), (size_t)15));
	proc_add(o, ") ");
	proc_add_bytes(o, &info.state, 1);
	for (int i = 4; i <= 52; i++) {
		proc_add(o, " ");
		proc_add_number(o, i == 4    ? (uint64_t)info.ppid
				   : i == 5  ? (uint64_t)info.pgid
				   : i == 6  ? (uint64_t)info.pgid
				   : i == 14 ? info.ticks * TICK_NS / (1000000000 / HZ)
				   : i == 18 ? 20
				   : i == 20 ? 1
				   : i == 23 ? info.memory
				   : i == 24 ? info.memory / 4096
					     : 0);
	}
	proc_add(o, "\n");
}

void proc_statm(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct sys_procinfo info;

	if (!proc_info(c, pid, &info, o))
		return;
	proc_add_number(o, info.memory / 4096);
	proc_add(o, " ");
	proc_add_number(o, info.memory / 4096);
	proc_add(o, " 0 0 0 0 0\n");
}

static const char *state_name(char state)
{
	switch (state) {
	case 'R': return "R (running)";
	case 'S': return "S (sleeping)";
	case 'T': return "T (stopped)";
	default: return "Z (zombie)";
	}
}

static void add_field(struct proc_out *o, const char *name, uint64_t v, const char *unit)
{
	proc_add(o, name);
	proc_add(o, ":\t");
	add_padded(o, v, *unit ? 8 : 0, ' ');
	proc_add(o, unit);
	proc_add(o, "\n");
}

void proc_status(const struct fs_proc_config *c, int pid, struct proc_out *o)
{
	struct sys_procinfo info;

	if (!proc_info(c, pid, &info, o))
		return;
	proc_add(o, "Name:\t");
	proc_add_bytes(o, info.name, MIN(strlen(info.name), (size_t)15));
	proc_add(o, "\nState:\t");
	proc_add(o, state_name(info.state));
	proc_add(o, "\n");
	add_field(o, "Tgid", (uint64_t)pid, "");
	add_field(o, "Pid", (uint64_t)pid, "");
	add_field(o, "PPid", (uint64_t)info.ppid, "");
	add_field(o, "TracerPid", 0, "");
	proc_add(o, "Uid:\t1000\t1000\t1000\t1000\nGid:\t1000\t1000\t1000\t1000\n");
	add_field(o, "VmSize", info.memory / 1024, " kB");
	add_field(o, "VmRSS", info.memory / 1024, " kB");
	add_field(o, "Threads", 1, "");
}
