/* sum.c - the short checksums of sum and cksum. */
#include "sum.h"
#include "../base/crc.h"
#include "../base/scan.h"

struct sum {
	enum u_sum kind;
	struct crc_table *table;
	uint32_t value;
	uint64_t size;
};

static void add(struct sum *s, const char *ptr, size_t n)
{
	const unsigned char *p = (const unsigned char *)ptr;

	s->size += n;
	switch (s->kind) {
	case U_SUM_BSD:
		for (size_t i = 0; i < n; i++)
			s->value = ((s->value >> 1 | (s->value & 1) << 15) + p[i]) & 0xffff;
		break;
	case U_SUM_SYSV: s->value += (uint32_t)scan_sum(ptr, n); break;
	case U_SUM_CRC: s->value = crc_update(s->table, s->value, ptr, n); break;
	}
}

static void print(struct proc *p, const struct sum *s, const char *name, char end)
{
	struct u_out *out = u_stdout(p);
	uint32_t r;

	switch (s->kind) {
	case U_SUM_BSD:
		u_printf(out, "%05u %5llu", s->value, (unsigned long long)(s->size / 1024 + (s->size % 1024 > 0)));
		break;
	case U_SUM_SYSV:
		r = (s->value & 0xffff) + (s->value >> 16);
		u_printf(out, "%u %llu", (r & 0xffff) + (r >> 16),
			 (unsigned long long)(s->size / 512 + (s->size % 512 > 0)));
		break;
	case U_SUM_CRC:
		u_printf(out, "%u %llu", crc_final(s->table, s->value, s->size), (unsigned long long)s->size);
		break;
	}
	if (name)
		u_printf(out, " %s", name);
	u_putc(out, end);
}

int u_sum_files(struct proc *p, enum u_sum kind, int n, char *const *files, bool named, char end)
{
	struct crc_table *table = NULL;
	int status = 0;

	if (kind == U_SUM_CRC) {
		table = u_alloc(p, sizeof(*table));
		crc_init(table);
	}
	for (int i = 0; i < n; i++) {
		struct sum s = {.kind = kind, .table = table};
		int fd = u_open_operand(p, files[i]);
		struct sys_slice slice;
		int64_t got;

		if (fd < 0) {
			status = 1;
			continue;
		}
		while ((got = sys_read_slice(p, fd, 0, &slice)) > 0)
			add(&s, slice.ptr, slice.len);
		if (got < 0) {
			u_warn(p, (int)got, "%s", u_quote_if_needed(p, files[i]));
			status = 1;
		} else {
			print(p, &s, named ? files[i] : NULL, end);
		}
		u_close_operand(p, fd);
	}
	return status;
}
