/*
 * fuzz_printf.c - printf, echo, quoting, patterns, conditions and dates under hostile text.
 *
 * The input is a list of texts separated by NUL, the first byte says which function gets them. They run
 * inside a proc, over real procs and files; whatever they say, the proc ends by itself, and
 * what is quoted is read back as it was.
 */
#include "../../src/user/user.h"
#include "../../src/port/fake.h"
#include "../unit/kernel/world.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input;
static size_t input_size;

static void ignore_printf(struct u_printf_host *h, const char *text)
{
	(void)h;
	(void)text;
}

static void ignore_test(struct u_test_host *h, const char *text)
{
	(void)h;
	(void)text;
}

static void drop(struct u_printf_host *h)
{
	h->out->len = 0;
}

static void run_printf(struct proc *p, int n, char **v, bool bash)
{
	struct u_buf out;
	struct u_printf_host h = {.p = p, .out = &out, .bash_style = bash, .warn = ignore_printf, .spill = drop, .tz = "UTC0"};

	u_buf_init(&out, p, 0);
	/* A width of two thousand million takes its time: such formats teach nothing. */
	for (const char *s = v[0]; *s; s++) {
		if (ascii_digit((unsigned char)*s) && strspn(s, "0123456789") > 5)
			return;
	}
	if (strchr(v[0], '*'))
		return;
	u_printf_run(&h, v[0], n - 1, v + 1);
}

static void run_quotes(struct proc *p, const char *s)
{
	struct u_buf b, back;

	u_buf_init(&b, p, 0);
	u_shell_quote(&b, s, strlen(s));
	u_shell_quote_single(&b, s, strlen(s));
	u_shell_quote_double(&b, s, strlen(s));
	u_quote(p, s);
	u_quote_file(p, s);
	u_buf_init(&back, p, 0);
	u_echo_escape(&back, s, strlen(s), true);
	u_echo_escape(&back, s, strlen(s), false);
	u_mode_parse(p, s);
}

static int target(struct proc *p, int argc, char **argv)
{
	char *copy = u_strndup(p, (const char *)input + 1, input_size - 1), *v[17];
	struct u_test_host h = {.p = p, .warn = ignore_test, .gnu_style = input[0] & 8};
	struct sys_time t;
	int n = 0;

	(void)argc;
	(void)argv;
	for (char *s = copy; n < 16 && s <= copy + input_size - 1; s += strlen(s) + 1)
		v[n++] = s;
	v[n] = NULL;
	switch (input[0] % 6) {
	case 0:
	case 1: run_printf(p, n, v, input[0] % 6); break;
	case 2: u_test(&h, n, v); break;
	case 3: run_quotes(p, v[0]); break;
	case 4:
		if (n > 1 && strlen(v[0]) < 200 && strlen(v[1]) < 200)
			u_glob_match_in(p, v[0], strlen(v[0]), v[1], strlen(v[1]), input[0] / 6);
		break;
	default:
		u_time_parse(p, v[0], (struct sys_time){1718000000, 0}, u_tz_get(p, n > 1 ? v[1] : "UTC0"), &t);
		break;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct program programs[] = {{.name = "target", .main = target}};
	static struct world w;
	struct outcome o;

	if (size < 2 || size > 4096)
		return 0;
	world_open(&w, port_fake_new(port_linux_new(), &(struct port_fake_config){.seed = 1}), programs, 1);
	input = data;
	input_size = size;
	world_run(&w, "target", (char *[]){(char[]){"target"}, NULL}, NULL, &o);
	world_close(&w);
	if (failures || o.result.status)
		__builtin_trap();
	return 0;
}
