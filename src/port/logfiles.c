/* logfiles.c - the calls of hostfs.h in a log: what they were given, as a digest, and what came of them. */
#include "hostfs.h"
#include "record.h"

#define ERROR_MIN (-4200)	/* below the last of errno.def */
#define TIME_MAX ((int64_t)1 << 55)

uint32_t log_files_digest(const struct hostfs_op *op)
{
	const int64_t numbers[] = {op->fd, op->flags, op->mode, op->uid, op->gid, op->at, (int64_t)op->n};
	uint32_t h = log_digest((uint32_t)op->call, numbers, sizeof(numbers));

	if (op->path)
		h = log_digest(h, op->path, strlen(op->path));
	if (op->to)
		h = log_digest(h, op->to, strlen(op->to));
	for (int i = 0; op->times && i < 2; i++) {
		const int64_t t[] = {op->times[i].sec, op->times[i].nsec};

		h = log_digest(h, t, sizeof(t));
	}
	return op->in ? log_digest(h, op->in, op->n) : h;
}

/* A walk only looks at what it found. */
static bool looks(const struct hostfs_op *op)
{
	return op->call == HOSTFS_STAT || op->call == HOSTFS_FSTAT || (op->call == HOSTFS_WALK && op->end == HOSTFS_FOUND);
}

static bool reads(enum hostfs_call c)
{
	return c == HOSTFS_PREAD || c == HOSTFS_READLINK || c == HOSTFS_READDIR;
}

/* ---- struct sys_stat ---------------------------------------------------------------- */

#define STAT_NUMBERS 18

static void stat_numbers(const struct sys_stat *st, int64_t v[STAT_NUMBERS])
{
	const int64_t all[STAT_NUMBERS] = {
		(int64_t)st->dev, (int64_t)st->ino, st->mode, st->nlink, st->uid, st->gid, (int64_t)st->rdev, st->size, st->blocks, st->blksize,
		st->atime.sec, st->atime.nsec, st->mtime.sec, st->mtime.nsec, st->ctime.sec, st->ctime.nsec, st->btime.sec, st->btime.nsec};

	memcpy(v, all, sizeof(all));
}

static struct sys_time take_time(struct log_reader *in)
{
	struct sys_time t = {log_take_number(in), 0};
	int64_t nsec = log_take_number(in);

	if (t.sec > TIME_MAX || t.sec < -TIME_MAX || nsec < 0 || nsec > 999999999)
		in->bad = true;
	t.nsec = in->bad ? 0 : (int32_t)nsec;
	return t;
}

static void take_stat(struct log_reader *in, struct sys_stat *st)
{
	struct sys_stat got = {.dev = (uint64_t)log_take_number(in)};

	got.ino = (uint64_t)log_take_number(in);
	got.mode = (uint32_t)log_take_number(in);
	got.nlink = (uint32_t)log_take_number(in);
	got.uid = (uint32_t)log_take_number(in);
	got.gid = (uint32_t)log_take_number(in);
	got.rdev = (uint64_t)log_take_number(in);
	got.size = log_take_number(in);
	got.blocks = log_take_number(in);
	got.blksize = (int32_t)log_take_number(in);
	got.atime = take_time(in);
	got.mtime = take_time(in);
	got.ctime = take_time(in);
	got.btime = take_time(in);
	if (got.size < 0 || got.blocks < 0 || got.blksize <= 0)
		in->bad = true;
	if (!in->bad)
		*st = got;
}

/* ---- Results ------------------------------------------------------------------------ */

void log_files_result(struct log *l, const struct hostfs_op *op, int64_t r)
{
	int64_t v[STAT_NUMBERS];

	log_number(l, r);
	if (r < 0)
		return;
	if (op->call == HOSTFS_WALK) {
		log_number(l, op->end);
		log_number(l, (int64_t)op->from);
		log_number(l, (int64_t)op->till);
	}
	if (looks(op)) {
		stat_numbers(op->st, v);
		for (int i = 0; i < STAT_NUMBERS; i++)
			log_number(l, v[i]);
	} else if (reads(op->call)) {
		log_bytes(l, op->out, (size_t)r);
	} else if (op->call == HOSTFS_OPEN) {
		log_number(l, op->type);
	} else if (op->call == HOSTFS_APPEND || op->call == HOSTFS_DATA) {
		log_number(l, op->ends_at);
	} else if (op->call == HOSTFS_STATFS) {
		log_number(l, op->fs->block_size);
		log_number(l, (int64_t)op->fs->bytes_total);
		log_number(l, (int64_t)op->fs->bytes_free);
		log_number(l, (int64_t)op->fs->files_total);
		log_number(l, (int64_t)op->fs->files_free);
	}
}

static void take_walk(struct log_reader *in, struct hostfs_op *op)
{
	int64_t end = log_take_number(in), from = log_take_number(in), till = log_take_number(in);

	if (end < HOSTFS_FOUND || end > HOSTFS_NOTDIR || from < 0 || from > till || till > (int64_t)strlen(op->path))
		in->bad = true;
	op->end = in->bad ? HOSTFS_MISSING : (enum hostfs_end)end;
	op->from = in->bad ? 0 : (size_t)from;
	op->till = in->bad ? 0 : (size_t)till;
}

static void take_content(struct log_reader *in, struct hostfs_op *op, int64_t r)
{
	size_t n;
	const void *p = log_take_bytes(in, &n);

	if (!p || n != (size_t)r || n > op->n)
		in->bad = true;
	else if (n)
		memcpy(op->out, p, n);
}

static void take_statfs(struct log_reader *in, struct sys_statfs *fs)
{
	fs->block_size = (uint32_t)log_take_number(in);
	fs->bytes_total = (uint64_t)log_take_number(in);
	fs->bytes_free = (uint64_t)log_take_number(in);
	fs->files_total = (uint64_t)log_take_number(in);
	fs->files_free = (uint64_t)log_take_number(in);
}

int64_t log_files_take(struct log_reader *in, struct hostfs_op *op)
{
	int64_t r = log_take_number(in);
	bool counts = reads(op->call) || op->call == HOSTFS_PWRITE || op->call == HOSTFS_APPEND;
	bool opens = op->call == HOSTFS_ROOT || op->call == HOSTFS_OPEN;

	/* The others give 0. */
	if (r < ERROR_MIN || r > (counts ? (int64_t)op->n : opens ? INT32_MAX : 0))
		in->bad = true;
	if (in->bad || r < 0)
		return in->bad ? -NACRE_EIO : r;
	if (op->call == HOSTFS_WALK)
		take_walk(in, op);
	if (looks(op))
		take_stat(in, op->st);
	else if (reads(op->call))
		take_content(in, op, r);
	else if (op->call == HOSTFS_STATFS)
		take_statfs(in, op->fs);
	else if (op->call == HOSTFS_APPEND || op->call == HOSTFS_DATA)
		op->ends_at = log_take_number(in);
	else if (op->call == HOSTFS_OPEN)
		op->type = (uint32_t)log_take_number(in);
	if ((op->call == HOSTFS_OPEN && op->type != SYS_S_DIR && op->type != SYS_S_FILE) || op->ends_at < 0)
		in->bad = true;
	return in->bad ? -NACRE_EIO : r;
}
