/*
 * time.c - the report of `time`: TIMEFORMAT, or POSIX's three lines.
 */
#include "interp.h"

static void seconds(struct u_buf *b, int64_t ns, int digits, bool minutes)
{
	int64_t ms = (ns + 500000) / 1000000, whole = ms / 1000;

	if (minutes) {
		u_buf_printf(b, "%lldm", (long long)(whole / 60));
		whole %= 60;
	}
	u_buf_printf(b, "%lld", (long long)whole);
	if (digits > 0)
		u_buf_printf(b, ".%0*lld", digits,
		             (long long)(digits == 1   ? ms % 1000 / 100
		                         : digits == 2 ? ms % 1000 / 10
		                                       : ms % 1000));
	if (minutes)
		u_buf_putc(b, 's');
}

static void percent(struct u_buf *b, int64_t cpu, int64_t real)
{
	int64_t p = real > 0 ? cpu * 10000 / real : 0;

	u_buf_printf(b, "%lld.%02lld", (long long)(p / 100), (long long)(p % 100));
}

/* %[p][l]R %[p][l]U %[p][l]S %P %% */
static bool format(struct shell *sh, struct u_buf *b, struct str f, int64_t real, int64_t user,
                   int64_t system)
{
	for (size_t i = 0; i < f.len; i++) {
		int digits = 3;
		bool minutes = false;
		size_t start = i;

		if (f.ptr[i] != '%' || i + 1 == f.len) {
			u_buf_putc(b, f.ptr[i]);
			continue;
		}
		i++;
		if (f.ptr[i] == '%') {
			u_buf_putc(b, '%');
			continue;
		}
		if (f.ptr[i] == 'P') {
			percent(b, user + system, real);
			continue;
		}
		if (ascii_digit((unsigned char)f.ptr[i])) {
			digits = MIN(f.ptr[i] - '0', 3);
			i++;
		}
		if (i < f.len && f.ptr[i] == 'l') {
			minutes = true;
			i++;
		}
		if (i < f.len && (f.ptr[i] == 'R' || f.ptr[i] == 'U' || f.ptr[i] == 'S')) {
			seconds(b,
			        f.ptr[i] == 'R'   ? real
			        : f.ptr[i] == 'U' ? user
			                          : system,
			        digits, minutes);
			continue;
		}
		shell_error(sh, "TIMEFORMAT: `%c': invalid format character",
		            i < f.len ? f.ptr[i] : f.ptr[start]);
		return false;
	}
	return true;
}

void time_report(struct shell *sh, const struct task_pipe *t, bool posix)
{
	int64_t real = sys_clock(sh->p, SYS_CLOCK_MONO) - t->start_real;
	int64_t cpu = sys_clock(sh->p, SYS_CLOCK_CPU) - t->start_cpu;
	char buf[VALUE_BUF];
	struct str f = posix ? STR("real %2R\nuser %2U\nsys %2S")
	                     : STR("\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS");
	struct u_buf b;

	if (!posix && state_get(sh->st, STR("TIMEFORMAT"), buf, &f) && f.len == 0)
		return;
	u_buf_init(&b, sh->p, 0);
	if (!format(sh, &b, f, real, cpu, 0))
		return;
	u_buf_putc(&b, '\n');
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, b.ptr, b.len);
}
