/* test_system.c - the program library's work with the kernel: output, options, lines, walking, running. */
#include "../../../src/user/cmd.h"
#include "../../../src/user/user.h"
#include "../kernel/world.h"

static struct world w;

/* ---- Options: messages and statuses are those of GNU's getopt_long ------------------------------ */

struct sample {
	bool all;
	int level;
	int how;
	const char *name;
	const char *color;
	struct cmd_list list;
};

static const struct cmd_opt sample_opts[] = {
	CMD_FLAG(struct sample, all, 'a', "all", "show all"),
	CMD_COUNT(struct sample, level, 'v', "verbose", "say more"),
	CMD_CHOICE(struct sample, how, 'x', "exact", 1, "one way"),
	CMD_CHOICE(struct sample, how, 'y', "extra", 2, "another"),
	CMD_STRING(struct sample, name, 'n', "name", "NAME", "a name\nthat has two lines"),
	CMD_OPTIONAL(struct sample, color, 'c', "color", "WHEN", "with or without"),
	CMD_LIST(struct sample, list, 'e', "expression", "TEXT", "any number"),
	CMD_FLAG(struct sample, all, 0, "every", NULL),
};

static int sample_main(struct proc *p, const struct cmd_args *a)
{
	const struct sample *o = a->opts;
	struct u_out *out = u_stdout(p);

	u_printf(out, "%d %d %d %s %s", o->all, o->level, o->how, o->name ? o->name : "-", o->color ? o->color : "-");
	for (size_t i = 0; i < o->list.n; i++)
		u_printf(out, " e=%s", o->list.v[i]);
	for (int i = 0; i < a->argc; i++)
		u_printf(out, " [%s]", a->argv[i]);
	u_putc(out, '\n');
	return 0;
}

static const struct cmd_missing sample_missing[] = {{"--frob", "there is nothing to frob"}};
static const struct cmd sample = {
	.name = "sample", .summary = "show options", .synopsis = "[OPTION]... [FILE]...\n--list",
	.opts = sample_opts, .nopts = COUNTOF(sample_opts), .opts_size = sizeof(struct sample), .main = sample_main,
	.missing = sample_missing, .nmissing = 1, .usage_status = 3,
};
static const struct cmd strict = {
	.name = "strict", .summary = "stop early", .synopsis = "[OPTION]... COMMAND [ARG]...", .opts = sample_opts,
	.nopts = COUNTOF(sample_opts), .opts_size = sizeof(struct sample), .main = sample_main, .stop_at_operand = true,
};

#define TRY "Try 'sample --help' for more information.\n"
static const struct {
	const char *args[6];
	int status;
	const char *out, *err;
} options[] = {
	{{NULL}, 0, "0 0 0 - -\n", ""},
	{{"-a", "x", "-vv", "y"}, 0, "1 2 0 - - [x] [y]\n", ""},
	{{"-avn", "bob"}, 0, "1 1 0 bob -\n", ""},
	{{"-nbob", "--name=eve", "-c"}, 0, "0 0 0 eve \n", ""},
	{{"-cred", "--color=blue", "-c", "x"}, 0, "0 0 0 -  [x]\n", ""},
	{{"--name", "bob", "--verb", "--", "-a"}, 0, "0 1 0 bob - [-a]\n", ""},
	{{"-x", "-y", "--exact"}, 0, "0 0 1 - -\n", ""},
	{{"-e1", "-e", "2", "--expression=3"}, 0, "0 0 0 - - e=1 e=2 e=3\n", ""},
	{{"-", "-a"}, 0, "1 0 0 - - [-]\n", ""},
	{{"-q"}, 3, "", "sample: invalid option -- 'q'\n" TRY},
	{{"-aq"}, 3, "", "sample: invalid option -- 'q'\n" TRY},
	{{"--quick"}, 3, "", "sample: unrecognized option '--quick'\n" TRY},
	{{"--quick=1"}, 3, "", "sample: unrecognized option '--quick=1'\n" TRY},
	{{"--ex"}, 3, "", "sample: option '--ex' is ambiguous; possibilities: '--exact' '--extra' '--expression'\n" TRY},
	{{"--ver"}, 3, "", "sample: option '--ver' is ambiguous; possibilities: '--verbose' '--version'\n" TRY},
	{{"--all=1"}, 3, "", "sample: option '--all' doesn't allow an argument\n" TRY},
	{{"--al=1"}, 3, "", "sample: option '--all' doesn't allow an argument\n" TRY},
	{{"-n"}, 3, "", "sample: option requires an argument -- 'n'\n" TRY},
	{{"--name"}, 3, "", "sample: option '--name' requires an argument\n" TRY},
	{{"--nam="}, 0, "0 0 0  -\n", ""},
	{{"--vers"}, 0, "sample (nacre) 0.1.0\n", ""},
	{{"--hel"}, 0,
	 "Usage: sample [OPTION]... [FILE]...\n"
	 "  or:  sample --list\n"
	 "Show options.\n"
	 "\n"
	 "  -a, --all                  show all\n"
	 "  -v, --verbose              say more\n"
	 "  -x, --exact                one way\n"
	 "  -y, --extra                another\n"
	 "  -n, --name=NAME            a name\n"
	 "                             that has two lines\n"
	 "  -c, --color[=WHEN]         with or without\n"
	 "  -e, --expression=TEXT      any number\n"
	 "      --help                 display this help and exit\n"
	 "      --version              output version information and exit\n"
	 "\n"
	 "Not supported:\n"
	 "  --frob                     there is nothing to frob\n",
	 ""},
};

static void run_with(const char *program, const char *const *args, struct outcome *o)
{
	char *argv[8] = {(char *)(uintptr_t)program};
	int n = 1;

	for (; n <= 6 && args[n - 1]; n++)
		argv[n] = (char *)(uintptr_t)args[n - 1];
	argv[n] = NULL;
	world_run(&w, program, argv, NULL, o);
}

static void test_options(void)
{
	static const char *const early[] = {"-a", "cmd", "-v", "--help", NULL};
	struct outcome o;

	for (size_t i = 0; i < COUNTOF(options); i++) {
		run_with("sample", options[i].args, &o);
		CHECK_EQ(o.result.status, options[i].status);
		CHECK_STR(o.out, options[i].out);
		CHECK_STR(o.err, options[i].err);
	}
	run_with("strict", early, &o);
	CHECK_STR(o.out, "1 0 0 - - [cmd] [-v] [--help]\n");
}

/* ---- Output ------------------------------------------------------------------------------------- */

static int output(struct proc *p, int argc, char **argv)
{
	struct u_out *o = u_stdout(p);
	size_t total = 0;

	(void)argv;
	/* Every size goes through, in order. */
	for (size_t n = 0; n < 300; n++) {
		char buf[300];

		memset(buf, 'a' + (int)(n % 26), n);
		u_put(o, buf, n);
		total += n;
	}
	u_printf(o, "%zu\n", total);
	if (argc > 1)
		u_die(p, 7, -NACRE_ENOENT, "cannot open %s", u_quote(p, "x y"));
	return 0;
}

/* The first bytes come while the arena stands above a mark that it is reset to before they are written. */
static int late(struct proc *p, int argc, char **argv)
{
	struct arena *a = &sys_self(p)->arena;
	struct u_out *o = u_stdout(p);
	struct arena_mark mark = arena_mark(a);

	(void)argc;
	(void)argv;
	CHECK(!o->buf);
	u_alloc(p, 5000);
	u_putc(o, 'o');
	u_puts(o, "ne\n");
	arena_reset(a, mark);
	memset(u_alloc(p, 70000), 'x', 70000);
	u_puts(o, "two\n");
	return u_flush(o);
}

static int closed(struct proc *p, int argc, char **argv)
{
	(void)argc;
	CHECK_EQ(sys_close(p, 1), 0);
	sys_self(p)->name = "sample";
	return cmd_run(p, 1, argv);
}

static void test_output(void)
{
	static const char *const fail[] = {"x", NULL}, *const none[] = {NULL};
	struct outcome o;

	run_with("output", none, &o);
	CHECK_EQ(o.result.status, 0);
	run_with("output", fail, &o);
	CHECK_EQ(o.result.status, 7);
	CHECK_STR(o.err, "output: cannot open 'x y': No such file or directory\n");
	run_with("late", none, &o);
	CHECK_STR(o.out, "one\ntwo\n");
	run_with("closed", none, &o);
	CHECK_STR(o.err, "sample: write error: Bad file descriptor\n");
	CHECK_EQ(o.result.status, 3);
}

/* ---- Lines --------------------------------------------------------------------------------------- */

static void put_file(struct proc *p, const char *path, const char *text, size_t n)
{
	int fd = sys_open(p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0644);

	CHECK(fd >= 0);
	CHECK_EQ(u_write_all(p, fd, text, n), 0);
	sys_close(p, fd);
}

struct piece {
	const char *text;
	size_t n, size;		/* written `size` bytes at a time */
};

static int feeder(struct proc *p, void *arg)
{
	const struct piece *f = arg;

	for (size_t i = 0; i < f->n; i += f->size) {
		if (sys_write(p, 1, f->text + i, MIN(f->size, f->n - i)) < 0)
			return 1;
		CHECK_EQ(sys_sleep(p, 0), 0);
	}
	return 0;
}

/* A descriptor that gives the text in pieces. */
static int feed(struct proc *p, const char *text, size_t n, size_t size)
{
	struct piece f = {text, n, size};
	struct sys_fd_move m[3];
	int a[2];

	CHECK_EQ(sys_pipe(p, a), 0);
	m[0] = (struct sys_fd_move){a[1], 1};
	m[1] = (struct sys_fd_move){-1, a[0]};
	m[2] = (struct sys_fd_move){-1, a[1]};
	CHECK(sys_spawn(p, &(struct sys_spawn){.entry = feeder, .arg = &f, .arg_size = sizeof(f), .fds = m, .nfds = 3}) > 0);
	sys_close(p, a[1]);
	return a[0];
}

static void reap(struct proc *p)
{
	struct sys_wait st;

	while (sys_wait(p, -1, 0, &st) > 0)
		;
}

static const char sample_text[] = "one\n\nthree is longer than the others\n\n\nsix\0with NUL\nlast without end";

static void check_lines(struct proc *p, size_t size, bool blocks)
{
	int fd = feed(p, sample_text, sizeof(sample_text) - 1, size);
	struct u_lines r;
	struct u_buf got;
	struct str s;
	size_t n = 0;

	u_lines_init(&r, p, fd, '\n');
	u_buf_init(&got, p, 0);
	while (blocks ? u_lines_block(&r, &s) : u_lines_next(&r, &s)) {
		u_buf_put(&got, s.ptr, s.len);
		if (r.ended && !blocks)
			u_buf_putc(&got, '\n');
		if (blocks)
			CHECK(s.len && (s.ptr[s.len - 1] == '\n' || got.len == sizeof(sample_text) - 1));
		n++;
	}
	CHECK_EQ(r.err, 0);
	CHECK(!r.ended);
	CHECK_EQ(got.len, sizeof(sample_text) - 1);
	CHECK(memcmp(got.ptr, sample_text, got.len) == 0);
	CHECK(blocks || n == 7);
	sys_close(p, fd);
	reap(p);
}

static int lines(struct proc *p, int argc, char **argv)
{
	struct u_lines r;
	struct str s;
	char rest[16];
	int fd;

	(void)argc;
	(void)argv;
	for (size_t size = 1; size < 80; size++) {
		check_lines(p, size, false);
		check_lines(p, size, true);
	}
	/* What was not used is there for the next reader: of a file and of a pipe. */
	put_file(p, "f", "a\nb\nc\n", 6);
	fd = sys_open(p, "f", SYS_O_READ, 0);
	u_lines_init(&r, p, fd, '\n');
	CHECK(u_lines_next(&r, &s) && str_is(s, "a"));
	u_lines_stop(&r);
	CHECK_EQ(sys_read(p, fd, rest, sizeof(rest)), 4);
	CHECK(memcmp(rest, "b\nc\n", 4) == 0);
	sys_close(p, fd);
	fd = feed(p, "a\nb\nc\n", 6, 6);
	u_lines_init(&r, p, fd, '\n');
	CHECK(u_lines_next(&r, &s) && str_is(s, "a"));
	u_lines_stop(&r);
	CHECK_EQ(sys_read(p, fd, rest, sizeof(rest)), 4);
	reap(p);
	/* A folder opens and does not read. */
	fd = u_open_operand(p, "/");
	CHECK(fd >= 0);
	u_lines_init(&r, p, fd, '\n');
	CHECK(!u_lines_next(&r, &s));
	CHECK_EQ(r.err, -NACRE_EISDIR);
	u_close_operand(p, fd);
	CHECK_EQ(u_open_operand(p, "no such"), -NACRE_ENOENT);
	return 0;
}

static int long_line(struct proc *p, int argc, char **argv)
{
	struct u_lines r;
	struct str s;

	(void)argc;
	(void)argv;
	u_lines_init(&r, p, feed(p, sample_text, sizeof(sample_text) - 1, 2), '\n');
	r.max_line = 20;
	while (u_lines_next(&r, &s))
		;
	return 0;
}

static void test_lines(void)
{
	struct outcome o;

	world_run(&w, "lines", ARGV("lines"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_STR(o.err, "lines: 'no such': No such file or directory\n");
	world_run(&w, "long", ARGV("long"), NULL, &o);
	CHECK_EQ(o.result.status, 2);
	CHECK_STR(o.err, "long: line too long\n");
}

/* ---- Walking ----------------------------------------------------------------------------------------- */

static char *walked(struct proc *p, const char *root, unsigned flags, const char *skip)
{
	static const char letters[] = "FdDEC";
	struct u_walk *walk = u_walk_new(p, root, flags);
	struct u_walk_entry e;
	struct u_buf b;

	u_buf_init(&b, p, 0);
	while (u_walk_next(walk, &e)) {
		u_buf_printf(&b, "%c%d:%s ", letters[e.event], e.depth, e.path);
		CHECK(strcmp(e.name, u_basename(p, e.path)) == 0 || e.depth == 0);
		if (e.event == U_WALK_DIR_PRE && streq(e.name, skip))
			u_walk_skip(walk);
	}
	return b.ptr;
}

static int walking(struct proc *p, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	CHECK_EQ(sys_mkdir(p, "t", 0755), 0);
	CHECK_EQ(sys_mkdir(p, "t/b", 0755), 0);
	CHECK_EQ(sys_mkdir(p, "t/b/c", 0755), 0);
	put_file(p, "t/a", "x", 1);
	put_file(p, "t/b/c/f", "x", 1);
	put_file(p, "t/z", "x", 1);
	CHECK_EQ(sys_symlink(p, "../b", "t/b/loop"), 0);
	CHECK_EQ(sys_symlink(p, "nowhere", "t/dangling"), 0);
	CHECK_STR(walked(p, "t", U_WALK_SORTED, ""),
		  "d0:t F1:t/a d1:t/b d2:t/b/c F3:t/b/c/f D2:t/b/c F2:t/b/loop D1:t/b F1:t/dangling F1:t/z D0:t ");
	CHECK_STR(walked(p, "t/", U_WALK_SORTED | U_WALK_NO_STAT, "b"), "d0:t/ F1:t/a d1:t/b F1:t/dangling F1:t/z D0:t/ ");
	CHECK_STR(walked(p, "t", U_WALK_SORTED | U_WALK_FOLLOW, ""),
		  "d0:t F1:t/a d1:t/b d2:t/b/c F3:t/b/c/f D2:t/b/c C2:t/b/loop D1:t/b F1:t/dangling F1:t/z D0:t ");
	CHECK_STR(walked(p, "t/b/loop", U_WALK_SORTED, ""), "F0:t/b/loop ");
	CHECK_STR(walked(p, "t/b/loop", U_WALK_SORTED | U_WALK_FOLLOW_ROOT, ""),
		  "d0:t/b/loop d1:t/b/loop/c F2:t/b/loop/c/f D1:t/b/loop/c F1:t/b/loop/loop D0:t/b/loop ");
	CHECK_STR(walked(p, "t/a", 0, ""), "F0:t/a ");
	CHECK_STR(walked(p, "nothing", 0, ""), "E0:nothing ");
	CHECK_STR(walked(p, "t", U_WALK_SORTED, "t"), "d0:t ");
	return 0;
}

static void test_walk(void)
{
	struct outcome o;

	world_run(&w, "walking", ARGV("walking"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_STR(o.err, "");
}

/* ---- Running ------------------------------------------------------------------------------------------- */

static int seven(struct proc *p, int argc, char **argv)
{
	char c;

	if (argc > 1 && streq(argv[1], "read"))
		return (int)sys_read(p, 0, &c, 1) + 40;
	if (argc > 1)
		return sys_kill(p, sys_getpid(p), SYS_SIGTERM);
	return 7;
}

static int running(struct proc *p, int argc, char **argv)
{
	char *plain[] = {(char[]){"seven"}, NULL}, *read[] = {(char[]){"seven"}, (char[]){"read"}, NULL};
	char *die[] = {(char[]){"seven"}, (char[]){"die"}, NULL}, *none[] = {(char[]){"nothing"}, NULL};
	char *plain_file[] = {(char[]){"./plain"}, NULL};
	int err, status;

	(void)argc;
	(void)argv;
	CHECK_EQ(u_run(p, plain, false, &err), 7);
	CHECK_EQ(err, 0);
	CHECK_EQ(u_run(p, read, true, &err), 40);
	CHECK_EQ(u_run(p, die, false, &err), 128 + SYS_SIGTERM);
	CHECK_EQ(u_run(p, none, false, &err), 127);
	CHECK_EQ(err, -NACRE_ENOENT);
	put_file(p, "plain", "x", 1);
	CHECK_EQ(u_run(p, plain_file, false, &err), 126);
	CHECK_EQ(err, -NACRE_EACCES);
	CHECK_STR(u_find_program(p, "seven", &status), "/usr/bin/seven");
	CHECK(!u_find_program(p, "", &status));
	return 0;
}

static void test_run(void)
{
	struct outcome o;

	world_run(&w, "running", ARGV("running"), NULL, &o);
	CHECK_EQ(o.result.status, 0);
	CHECK_STR(o.err, "");
}

/* ---- Main ------------------------------------------------------------------------------------------------- */

static const struct program programs[] = {
	{.name = "closed", .main = closed, .data = &sample},
	{.name = "lines", .main = lines},
	{.name = "long", .main = long_line},
	{.name = "late", .main = late},
	{.name = "output", .main = output},
	{.name = "running", .main = running},
	{.name = "sample", .main = cmd_run, .data = &sample},
	{.name = "seven", .main = seven},
	{.name = "strict", .main = cmd_run, .data = &strict},
	{.name = "walking", .main = walking},
};

static const struct test all[] = {
	{"options", test_options}, {"output", test_output}, {"lines", test_lines}, {"walk", test_walk}, {"run", test_run},
};

int main(int argc, char **argv)
{
	int r;

	world_open(&w, NULL, programs, COUNTOF(programs));
	r = run_tests(all, COUNTOF(all), argc, argv);
	world_close(&w);
	return r || failures;
}
