/* crc32.c - the CRC-32 of files, as zip and gzip have it. */
#include "cmd.h"
#include "../codec/codec.h"

static int sum(struct proc *p, int fd, uint32_t *crc)
{
	struct sys_slice s;
	int64_t n;

	*crc = 0;
	while ((n = sys_read_slice(p, fd, 0, &s)) > 0)
		*crc = codec_crc32(*crc, s.ptr, s.len);
	return (int)n;
}

/* A name may have the sum in it: eight hexadecimal digits between others. */
static void compare(struct u_out *out, const char *name, const char *hex)
{
	for (const char *s = name; *s; s++) {
		size_t n = strspn(s + 1, "0123456789abcdefABCDEF");
		bool same = true;

		if (ascii_xdigit(*s) || n < 8 || n != 8 || !s[9])
			continue;
		for (int i = 0; i < 8; i++)
			same &= ascii_tolower(s[1 + i]) == hex[i];
		if (same)
			u_puts(out, "\tOK");
		else
			u_printf(out, "\tBAD %s != %.8s", hex, s + 1);
		return;
	}
}

static int crc32_main(struct proc *p, const struct cmd_args *a)
{
	struct u_out *out = u_stdout(p);

	for (int i = 0; i < a->argc; i++) {
		const char *name = a->argv[i];
		int fd = sys_open(p, name, SYS_O_READ, 0), r = fd;
		struct sys_stat st;
		uint32_t crc;
		char hex[16];

		if (fd >= 0 && sys_fstat(p, fd, &st) == 0 && (st.mode & SYS_S_TYPE) == SYS_S_DIR) {
			u_warn(p, 0, "%s: Is a directory", name);
			sys_close(p, fd);
			continue;
		}
		if (fd >= 0) {
			r = sum(p, fd, &crc);
			sys_close(p, fd);
		}
		if (r < 0) {
			u_warn(p, r, fd < 0 ? "Cannot open %s" : "Cannot read %s", name);
			continue;
		}
		fmt_buf(hex, sizeof(hex), "%08x", crc);
		u_puts(out, hex);
		if (a->argc > 1)
			u_printf(out, "\t%s", name);
		compare(out, name, hex);
		u_putc(out, '\n');
	}
	return 0;
}

static const struct cmd_example crc32_examples[] = {
	{"printf hello > f; crc32 f", "3610a686\n"},
};

const struct cmd cmd_crc32 = {
	.name = "crc32",
	.summary = "print the CRC-32 of each FILE",
	.synopsis = "FILE...",
	.description = "Where a name holds eight hexadecimal digits, they are compared: OK or BAD. The status is 0 always.",
	.main = crc32_main,
	.examples = crc32_examples,
	.nexamples = COUNTOF(crc32_examples),
};
