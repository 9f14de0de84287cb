/* replay_files.c - what the host did with the sandbox's files while a run was recorded, done again. */
#include "recording.h"

#include <stdlib.h>

#include "api.h"

#define FILES_MAX ((size_t)1 << 20)

static void damaged(nacre_runtime *rt)
{
	port_replay_fail(rt->port, "the recording is damaged");
}

void replay_file_done(nacre_runtime *rt, int64_t result, uint32_t digest)
{
	struct log_reader *in = port_replay_log(rt->port);
	int64_t had, data;

	if (port_replay_fault(rt->port) || !port_replay_expect(rt->port, LOG_FILE_DONE, NULL))
		return;
	had = log_take_number(in);
	data = log_take_number(in);
	if (in->bad)
		damaged(rt);
	else if (had != result || data != digest)
		port_replay_fail(rt->port, "what the host does with the sandbox's files gives something else than in the recorded run");
}

void replay_file_is(nacre_runtime *rt, int64_t number, nacre_file *f)
{
	struct recording *rec = rt->rec;

	if ((size_t)number >= rec->open_files_cap) {
		size_t cap = MAX(rec->open_files_cap * 2, (size_t)number + 16);
		nacre_file **v = cap <= FILES_MAX ? realloc(rec->open_files, cap * sizeof(*v)) : NULL;

		if (!v) {
			damaged(rt);
			return;
		}
		memset(v + rec->open_files_cap, 0, (cap - rec->open_files_cap) * sizeof(*v));
		rec->open_files = v;
		rec->open_files_cap = cap;
	}
	rec->open_files[number] = f;
}

static int nothing(void *payload, const char *name, uint32_t type)
{
	(void)payload, (void)name, (void)type;
	return 0;
}

/* Calls on a file that was opened. */
static void on_file(struct recording *rec, const struct file_call *c, nacre_file *f)
{
	char *buf = NULL;

	switch (c->kind) {
	case FILE_READ_AT:
		buf = malloc(c->n + 1);
		if (buf)
			(void)!nacre_file_read_at(f, buf, c->n, c->at);
		free(buf);
		break;
	case FILE_WRITE_AT: (void)!nacre_file_write_at(f, c->data ? c->data : "", c->n, c->at); break;
	case FILE_SYNC: (void)!nacre_file_sync(f); break;
	default:
		rec->open_files[c->number] = NULL;
		nacre_file_close(f);
		break;
	}
}

static void on_path(nacre_sandbox *sb, const struct file_call *c)
{
	nacre_stat st = {.size_of = sizeof(st)};
	nacre_file *f;
	size_t n;
	char *data;

	switch (c->kind) {
	case FILE_OPEN: (void)!nacre_file_open(&f, sb, c->path, c->flags, c->mode); break; /* replay_file_is has it */
	case FILE_READ:
		if (nacre_fs_read(&data, &n, sb, c->path) == 0)
			nacre_free(data);
		break;
	case FILE_WRITE: (void)!nacre_fs_write(sb, c->path, c->data ? c->data : "", c->n, c->mode); break;
	case FILE_MKDIR: (void)!nacre_fs_mkdir(sb, c->path, c->mode); break;
	case FILE_REMOVE: (void)!nacre_fs_remove(sb, c->path); break;
	case FILE_RENAME: (void)!nacre_fs_rename(sb, c->path, c->to); break;
	case FILE_STAT: (void)!nacre_fs_stat(&st, sb, c->path, c->flags != 0); break;
	default: (void)!nacre_fs_list(sb, c->path, nothing, NULL); break;
	}
}

/* Results are compared where the call ends (recording_file_done). */
void replay_file(nacre_runtime *rt)
{
	struct log_reader *in = port_replay_log(rt->port);
	struct recording *rec = rt->rec;
	struct file_call c;
	bool open;
	nacre_file *f;

	log_take_file_call(in, &c);
	open = c.kind >= FILE_READ_AT && c.kind <= FILE_CLOSE;
	f = open && c.number >= 0 && (size_t)c.number < rec->open_files_cap ? rec->open_files[c.number] : NULL;
	if (in->bad || !rec->sb || (open ? !f : !c.path) || (c.kind == FILE_RENAME && !c.to))
		damaged(rt);
	else if (open)
		on_file(rec, &c, f);
	else
		on_path(rec->sb, &c);
	free((char *)(uintptr_t)c.path);
	free((char *)(uintptr_t)c.to);
}

void replay_files_close(nacre_runtime *rt)
{
	for (size_t i = 0; i < rt->rec->open_files_cap; i++)
		nacre_file_close(rt->rec->open_files[i]);
	rt->rec->open_files_cap = 0;
}
