/*
 * shred.c - overwrite a file, then remove it if asked to.
 *
 * Every pass writes random bytes, the last one with -z zeros, through the file's descriptor. What lies below may keep
 * older bytes, as a hard disk may: an overlay leaves the host's file as it is.
 */
#include "cmd.h"

#define PASSES 3
#define STEP ((size_t)65536)
#define NAME_TRIES 64

enum { REMOVE_NOT, REMOVE_UNLINK, REMOVE_WIPE, REMOVE_WIPESYNC };

struct shred {
	bool force, verbose, exact, zero;
	const char *source;
	int remove;
	uint64_t passes, size;
	bool sized;

	struct proc *p;
	int random;		/* descriptor of the source, -1: the system's */
	unsigned char *buf;
};

static void opt_number(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct shred *s = opts;

	if (o->shrt == 'n') {
		s->passes = u_size_or_die(p, arg, NULL, "number of passes");
	} else {
		s->size = u_size_or_die(p, arg, "cbBkKMGTPEZY0", "file size");
		s->sized = true;
	}
}

static void opt_remove(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	static const struct u_word how[] = {{"unlink", REMOVE_UNLINK}, {"wipe", REMOVE_WIPE}, {"wipesync", REMOVE_WIPESYNC}};
	struct shred *s = opts;

	(void)o;
	s->remove = arg ? u_word_or_die(p, "--remove", arg, how, COUNTOF(how)) : REMOVE_WIPESYNC;
}

static const struct cmd_opt shred_opts[] = {
	CMD_FLAG(struct shred, force, 'f', "force", "change the mode where the file cannot be written"),
	CMD_CALL('n', "iterations", "N", opt_number, "overwrite N times (3)"),
	CMD_STRING(struct shred, source, 0, "random-source", "FILE", "get random bytes from FILE"),
	CMD_CALL('s', "size", "N", opt_number, "overwrite N bytes (suffixes like K, M, G are taken)"),
	CMD_CALL('u', NULL, NULL, opt_remove, "remove the file afterwards"),
	CMD_CALL_OPTIONAL(0, "remove", "HOW", opt_remove, "the same: unlink, or wipe or wipesync (the default): shorter and shorter\nnames before it goes"),
	CMD_FLAG(struct shred, verbose, 'v', "verbose", "tell about every pass"),
	CMD_FLAG(struct shred, exact, 'x', "exact", "do not round the size up to the next block"),
	CMD_FLAG(struct shred, zero, 'z', "zero", "write zeros at last"),
};

static void defaults(void *opts)
{
	((struct shred *)opts)->passes = PASSES;
}

static void fill(struct shred *s, size_t n, bool zeros)
{
	size_t have = 0;

	if (zeros) {
		memset(s->buf, 0, n);
		return;
	}
	if (s->random < 0) {
		sys_random(s->p, s->buf, n);
		return;
	}
	while (have < n) {
		int64_t got = sys_read(s->p, s->random, s->buf + have, n - have);

		if (got < 0)
			u_die(s->p, 1, (int)got, "%s: read error", u_quote_file(s->p, s->source));
		if (got == 0)
			u_die(s->p, 1, 0, "%s: end of file", u_quote_file(s->p, s->source));
		have += (size_t)got;
	}
}

static bool write_pass(struct shred *s, int fd, const char *name, uint64_t size, bool zeros)
{
	int64_t at = sys_seek(s->p, fd, 0, SYS_SEEK_SET);

	if (at < 0) {
		u_warn(s->p, (int)at, "%s: cannot rewind", name);
		return false;
	}
	for (uint64_t done = 0; done < size;) {
		size_t n = (size_t)MIN(size - done, (uint64_t)STEP);
		int e;

		fill(s, n, zeros);
		e = u_write_all(s->p, fd, (const char *)s->buf, n);
		if (e < 0) {
			u_warn(s->p, e, "%s: error writing at offset %llu", name, (unsigned long long)done);
			return false;
		}
		done += n;
		sys_checkpoint_n(s->p, 256);
	}
	return true;
}

static bool overwrite(struct shred *s, int fd, const char *name)
{
	uint64_t size = s->size, all = s->passes + s->zero;
	struct sys_stat st;
	int e = sys_fstat(s->p, fd, &st);

	if (e < 0) {
		u_warn(s->p, e, "%s: fstat failed", name);
		return false;
	}
	if ((st.mode & SYS_S_TYPE) == SYS_S_FIFO || (st.mode & SYS_S_TYPE) == SYS_S_SOCK) {
		u_warn(s->p, 0, "%s: invalid file type", name);
		return false;
	}
	if (!s->sized) {
		uint64_t block = st.blksize > 0 ? (uint64_t)st.blksize : 512, part = (uint64_t)st.size % block;

		size = (uint64_t)st.size;
		if (!s->exact && part)
			size += block - part;
	}
	for (uint64_t k = 1; size > 0 && k <= all; k++) {
		bool zeros = k > s->passes;

		if (s->verbose)
			u_warn(s->p, 0, "%s: pass %llu/%llu (%s)...", name, (unsigned long long)k, (unsigned long long)all,
			       zeros ? "000000" : "random");
		if (!write_pass(s, fd, name, size, zeros))
			return false;
	}
	return true;
}

/* Counts up in zeros, digits and letters: the next name of the length; false after the last. */
static bool next_name(char *name, size_t n)
{
	static const char set[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.";

	while (n-- > 0) {
		const char *at = strchr(set, name[n]);

		if (at && at[1]) {
			name[n] = at[1];
			return true;
		}
		name[n] = set[0];
	}
	return false;
}

/* Shorter and shorter names, so that the last one tells nothing. The path it has at last. */
static char *wipe_name(struct shred *s, char *path)
{
	const char *base = u_basename(s->p, path);
	size_t n = strlen(base), dir = strlen(path) - n;
	char *now = path;

	for (size_t len = n; len > 0; len--) {
		char *to = u_format(s->p, "%.*s%.*s", (int)dir, path, (int)len, path + dir);
		int e;

		memset(to + dir, '0', len);
		for (int tries = 0; (e = sys_rename(s->p, now, to, SYS_NOREPLACE)) == -NACRE_EEXIST && tries < NAME_TRIES && next_name(to + dir, len); tries++)
			;
		if (e < 0)
			continue;
		if (s->verbose)
			u_warn(s->p, 0, "%s: renamed to %s", now, to);
		now = to;
	}
	return now;
}

static bool remove_file(struct shred *s, const char *name)
{
	char *path = u_strdup(s->p, name);
	int e;

	if (s->verbose)
		u_warn(s->p, 0, "%s: removing", name);
	if (s->remove != REMOVE_UNLINK)
		path = wipe_name(s, path);
	e = sys_unlink(s->p, path);
	if (e < 0)
		u_warn(s->p, e, "%s: failed to remove", name);
	else if (s->verbose)
		u_warn(s->p, 0, "%s: removed", name);
	return e == 0;
}

static bool shred(struct shred *s, const char *operand)
{
	const char *name = u_quote_if_needed(s->p, operand);
	struct sys_stat st;
	bool ok;
	int fd;

	if (streq(operand, "-"))
		return overwrite(s, 1, name);
	fd = sys_open(s->p, operand, SYS_O_WRITE | SYS_O_READ, 0);
	if (fd == -NACRE_EACCES && s->force && sys_stat(s->p, operand, 0, &st) == 0 && sys_chmod(s->p, operand, (st.mode & 07777) | 0200, 0) == 0)
		fd = sys_open(s->p, operand, SYS_O_WRITE | SYS_O_READ, 0);
	if (fd < 0) {
		u_warn(s->p, fd, "%s: failed to open for writing", name);
		return false;
	}
	ok = overwrite(s, fd, name);
	if (ok && s->remove) {
		int e = sys_truncate(s->p, operand, 0);

		if (e < 0)
			u_warn(s->p, e, "%s: error truncating", name);
		ok = e == 0;
	}
	sys_close(s->p, fd);
	return ok && (!s->remove || remove_file(s, operand));
}

static int shred_main(struct proc *p, const struct cmd_args *a)
{
	struct shred *s = a->opts;
	int status = 0;

	s->p = p;
	if (a->argc == 0)
		u_usage(p, "missing file operand");
	s->random = -1;
	if (s->source) {
		s->random = sys_open(p, s->source, SYS_O_READ, 0);
		if (s->random < 0)
			u_die(p, 1, s->random, "%s", u_quote_if_needed(p, s->source));
	}
	s->buf = u_alloc(p, STEP);
	for (int i = 0; i < a->argc; i++)
		status |= !shred(s, a->argv[i]);
	return status;
}

static const struct cmd_example shred_examples[] = {
	{"echo secret > f; shred -n 0 -z -x f; od -An -c f", "  \\0  \\0  \\0  \\0  \\0  \\0  \\0\n"},
	{"echo secret > f; shred -u f; ls", ""},
};

const struct cmd cmd_shred = {
	.name = "shred",
	.summary = "overwrite files, and remove them",
	.synopsis = "[OPTION]... FILE...",
	.description =
		"If FILE is -, standard output is overwritten.\n"
		"In a sandbox nothing tells where bytes once were: files in memory are gone with the memory, a file of the host is\n"
		"overwritten in place, and below an overlay the host's file stays as it is.",
	.opts = shred_opts,
	.nopts = COUNTOF(shred_opts),
	.opts_size = sizeof(struct shred),
	.defaults = defaults,
	.main = shred_main,
	.examples = shred_examples,
	.nexamples = COUNTOF(shred_examples),
};
