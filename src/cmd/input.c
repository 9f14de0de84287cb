/* input.c - the operands of a filter as one stream of bytes. */
#include "input.h"

void input_init_files(struct input *in, struct proc *p, char *const *file, int n)
{
	*in = (struct input){.p = p, .file = file, .nfiles = n};
}

void input_init(struct input *in, struct proc *p, const struct cmd_args *a)
{
	char *const *file;
	int n = cmd_files(a, &file);

	input_init_files(in, p, file, n);
}

bool input_open(struct input *in)
{
	while (in->nfiles > 0) {
		in->name = *in->file++;
		in->nfiles--;
		in->fd = in->dash_is_file && streq(in->name, "-") ? sys_open(in->p, "-", SYS_O_READ, 0)
								  : u_open_operand(in->p, in->name);
		if (in->fd >= 0) {
			in->is_open = true;
			in->opened++;
			return true;
		}
		if (in->dash_is_file && streq(in->name, "-"))
			u_warn(in->p, in->fd, "%s", in->name);
		in->status = 1;
	}
	return false;
}

bool input_more_here(struct input *in)
{
	struct sys_slice s;
	int64_t got = in->is_open ? u_read_slice(in->p, in->fd, 0, &s) : 0;

	if (got > 0) {
		in->at = s.ptr;
		in->end = s.ptr + s.len;
		sys_checkpoint_n(in->p, (uint32_t)MIN(s.len, (size_t)1 << 20));
		return true;
	}
	if (got < 0) {
		if (in->complaint)
			u_warn(in->p, 0, "%s", in->complaint);
		else
			u_warn(in->p, (int)got, "%s", u_quote_if_needed(in->p, in->name));
		in->status = 1;
	}
	if (in->is_open)
		u_close_operand(in->p, in->fd);
	in->is_open = false;
	in->at = in->end = NULL;
	return false;
}

bool input_more(struct input *in)
{
	do {
		if (in->is_open && input_more_here(in))
			return true;
	} while (input_open(in));
	return false;
}

size_t input_read(struct input *in, char *buf, size_t n)
{
	size_t got = 0;

	while (got < n && (in->at < in->end || input_more(in))) {
		size_t k = MIN((size_t)(in->end - in->at), n - got);

		memcpy(buf + got, in->at, k);
		got += k;
		in->at += k;
	}
	return got;
}
