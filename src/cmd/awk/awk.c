/* awk - pattern scanning and processing language. */
#include "awk.h"

struct awk_opts {
	const char *fs;
	struct cmd_list assigns, files, sources;
	bool bytes, posix, traditional, re_interval, optimize, no_optimize, sandbox, lint;
};

static void refuse(struct proc *p, void *opts, const struct cmd_opt *opt, const char *arg)
{
	(void)opts;
	if (opt->shrt == 'i')
		u_die(p, 2, 0, "-i %s is not supported: write to another file and move it", arg);
	if (!opt->lng)
		u_die(p, 2, 0, "option -%c is not supported", opt->shrt);
	u_die(p, 2, 0, "option --%s is not supported", opt->lng);
}

static const struct cmd_opt awk_opts[] = {
	CMD_LIST(struct awk_opts, files, 'f', "file", "PROGFILE", "read the program from PROGFILE; may be given several times"),
	CMD_STRING(struct awk_opts, fs, 'F', "field-separator", "FS", "the value of FS"),
	CMD_LIST(struct awk_opts, assigns, 'v', "assign", "VAR=VAL", "set a variable before anything runs"),
	CMD_LIST(struct awk_opts, sources, 'e', "source", "TEXT", "a part of the program"),
	CMD_FLAG(struct awk_opts, bytes, 'b', "characters-as-bytes", "every byte is a character"),
	CMD_FLAG(struct awk_opts, posix, 'P', "posix", "accepted: extensions stay available"),
	CMD_FLAG(struct awk_opts, traditional, 'c', "traditional", "accepted: extensions stay available"),
	CMD_FLAG(struct awk_opts, re_interval, 'r', "re-interval", "intervals in regular expressions (always on)"),
	CMD_FLAG(struct awk_opts, optimize, 'O', "optimize", "accepted: nothing changes"),
	CMD_FLAG(struct awk_opts, no_optimize, 's', "no-optimize", "accepted: nothing changes"),
	CMD_CALL('i', "include", "FILE", refuse, "(refused)"),
	CMD_CALL('l', "load", "LIB", refuse, "(refused)"),
	CMD_CALL('E', "exec", "FILE", refuse, NULL),
	CMD_CALL_OPTIONAL('L', "lint", "KIND", refuse, NULL),
	CMD_CALL_OPTIONAL('o', "pretty-print", "FILE", refuse, NULL),
	CMD_CALL_OPTIONAL('d', "dump-variables", "FILE", refuse, NULL),
	CMD_CALL_OPTIONAL('D', "debug", "FILE", refuse, NULL),
	CMD_CALL_OPTIONAL('p', "profile", "FILE", refuse, NULL),
	CMD_CALL('n', "non-decimal-data", NULL, refuse, NULL),
	CMD_CALL('M', "bignum", NULL, refuse, "(refused)"),
	CMD_CALL('S', "sandbox", NULL, refuse, "(refused: the whole shell is one)"),
};

static void say(struct awk *a, const char *kind, const char *format, va_list ap)
{
	struct u_buf b;
	char text[2048];

	u_flush(u_stdout(a->p));
	u_buf_init(&b, a->p, 0);
	fmt_buf_v(text, sizeof(text), format, ap);
	u_buf_printf(&b, "%s: ", u_name(a->p));
	if (a->line)
		u_buf_printf(&b, "%s:%u: ", a->source_name, a->line);
	if (a->fnr > 0) {
		struct astr *f = cell_str(a, special_cell(a, V_FILENAME));

		u_buf_printf(&b, "(FILENAME=%s FNR=%lld) ", f->len ? f->s : "-", (long long)a->fnr);
	}
	u_buf_printf(&b, "%s: %s\n", kind, text);
	(void)!u_write_all(a->p, 2, b.ptr, b.len);
}

void awk_warn(struct awk *a, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(a, "warning", format, ap);
	va_end(ap);
}

void awk_error(struct awk *a, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(a, "error", format, ap);
	va_end(ap);
	u_exit(a->p, 1);
}

void awk_die(struct awk *a, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	say(a, "fatal", format, ap);
	va_end(ap);
	u_exit(a->p, 2);
}

bool awk_first_time(struct awk *a, enum awk_warned of, int c)
{
	uint32_t *word = &a->warned[of][(c & 255) / 32], bit = 1u << (c & 31);
	bool first = !(*word & bit);

	*word |= bit;
	return first;
}

static void set_text(struct awk *a, enum special v, const char *s, size_t n, enum cell_type type)
{
	cell_set_str(a, special_cell(a, v), astr_new(a, s, n), type);
}

static void assign_option(struct awk *a, const char *s)
{
	size_t n = 0;
	struct cell c = {0};
	uint32_t slot;

	while (ascii_alnum(s[n]) || s[n] == '_')
		n++;
	if (!strchr(s, '=')) {
		u_warn(a->p, 0, "`%s' argument to `-v' not in `var=value' form", s);
		u_try_help(a->p);
	}
	if (n == 0 || ascii_digit(s[0]) || s[n] != '=') {
		n = (size_t)(strchr(s, '=') - s);
		u_die(a->p, 2, 0, "fatal: `%.*s' is not a legal variable name", (int)n, s);
	}
	slot = awk_global(a, s, n);
	cell_set_str(a, &c, awk_unescape(a, s + n + 1, strlen(s + n + 1)), CELL_INPUT);
	cell_clear(a, &a->global[slot].cell);
	a->global[slot].cell = c;
	if (slot < V_NSPECIAL && slot != V_NF)
		special_changed(a, slot);
}

static void set_array(struct awk *a, enum special v)
{
	a->global[v].kind = SLOT_ARRAY;
	a->global[v].array = awk_array_new(a);
}

static void put_element(struct awk *a, enum special v, const char *key, size_t nkey, const char *s)
{
	struct element *e = awk_array_at(a, a->global[v].array, key, nkey);

	cell_set_str(a, &e->value, astr_new(a, s, strlen(s)), CELL_INPUT);
}

static void set_up(struct awk *a)
{
	static const char *const names[V_NSPECIAL] = {
		[V_NF] = "NF", [V_NR] = "NR", [V_FNR] = "FNR", [V_FS] = "FS", [V_OFS] = "OFS", [V_ORS] = "ORS", [V_RS] = "RS", [V_RT] = "RT",
		[V_FILENAME] = "FILENAME", [V_SUBSEP] = "SUBSEP", [V_RSTART] = "RSTART", [V_RLENGTH] = "RLENGTH", [V_CONVFMT] = "CONVFMT",
		[V_OFMT] = "OFMT", [V_ENVIRON] = "ENVIRON", [V_ARGC] = "ARGC", [V_ARGV] = "ARGV", [V_ERRNO] = "ERRNO",
		[V_IGNORECASE] = "IGNORECASE", [V_FPAT] = "FPAT", [V_FIELDWIDTHS] = "FIELDWIDTHS", [V_PROCINFO] = "PROCINFO",
	};
	static const struct {
		enum special v;
		const char *text;
	} texts[] = {{V_FS, " "}, {V_OFS, " "}, {V_ORS, "\n"}, {V_RS, "\n"}, {V_RT, ""}, {V_FILENAME, ""}, {V_SUBSEP, "\034"},
		     {V_CONVFMT, "%.6g"}, {V_OFMT, "%.6g"}, {V_ERRNO, ""}, {V_FPAT, ""}, {V_FIELDWIDTHS, ""}};

	for (unsigned i = 0; i < V_NSPECIAL; i++)
		awk_global(a, names[i], strlen(names[i]));
	for (size_t i = 0; i < COUNTOF(texts); i++)
		set_text(a, texts[i].v, texts[i].text, strlen(texts[i].text), CELL_STR);
	cell_set_num(a, special_cell(a, V_NF), 0);
	cell_set_num(a, special_cell(a, V_NR), 0);
	cell_set_num(a, special_cell(a, V_FNR), 0);
	cell_set_num(a, special_cell(a, V_RSTART), 0);
	cell_set_num(a, special_cell(a, V_RLENGTH), -1);
	cell_set_num(a, special_cell(a, V_IGNORECASE), 0);
	set_array(a, V_ENVIRON);
	set_array(a, V_ARGV);
	set_array(a, V_PROCINFO);
	for (char **e = sys_self(a->p)->env; *e; e++) {
		const char *eq = strchr(*e, '=');

		if (eq)
			put_element(a, V_ENVIRON, *e, (size_t)(eq - *e), eq + 1);
	}
	put_element(a, V_PROCINFO, "version", 7, "5.2.1");
	put_element(a, V_PROCINFO, "FS", 2, "FS");
}

static void set_fs(struct awk *a, const char *fs)
{
	cell_set_str(a, special_cell(a, V_FS), streq(fs, "\\") ? astr_new(a, fs, 1) : awk_unescape(a, fs, strlen(fs)), CELL_STR);
}

static void read_program(struct awk *a, const char *path)
{
	struct str text;
	int fd = streq(path, "-") ? 0 : sys_open(a->p, path, SYS_O_READ | SYS_O_CLOEXEC, 0);
	int e = fd < 0 ? fd : u_read_all(a->p, fd, (size_t)64 << 20, &text);

	if (e < 0)
		u_die(a->p, 2, 0, "fatal: cannot open source file `%s' for reading: %s", path, errno_text(e));
	if (fd > 0)
		sys_close(a->p, fd);
	a->source_name = path;
	awk_parse(a, text.ptr, text.len, path);
}

static int awk_main(struct proc *p, const struct cmd_args *args)
{
	const struct awk_opts *o = args->opts;
	struct awk *a = u_zalloc(p, sizeof(*a));
	int first = 0;

	a->p = p;
	a->utf8 = u_utf8(p) && !o->bytes;
	a->source_name = "cmd. line";
	a->random = 0x853c49e6748fea9bull;
	a->last_seed = 1;
	set_up(a);
	if (o->fs)
		set_fs(a, o->fs);
	for (size_t i = 0; i < o->assigns.n; i++)
		assign_option(a, o->assigns.v[i]);
	for (size_t i = 0; i < o->sources.n; i++)
		awk_parse(a, o->sources.v[i], strlen(o->sources.v[i]), "cmd. line");
	for (size_t i = 0; i < o->files.n; i++)
		read_program(a, o->files.v[i]);
	if (!o->files.n && !o->sources.n) {
		if (args->argc == 0)
			u_usage(p, "no program was given");
		awk_parse(a, args->argv[0], strlen(args->argv[0]), "cmd. line");
		first = 1;
	}
	awk_parse_done(a);
	put_element(a, V_ARGV, "0", 1, args->cmd->name);
	for (int i = first; i < args->argc; i++) {
		char key[24];

		put_element(a, V_ARGV, key, num_put_i64(key, i - first + 1), args->argv[i]);
	}
	cell_set_num(a, special_cell(a, V_ARGC), args->argc - first + 1);
	a->arg = 1;
	return awk_main_loop(a);
}

static const struct cmd_example examples[] = {
	{"printf 'a 1\\nb 2\\n' | awk '{ s += $2 } END { print NR, s }'", "2 3\n"},
	{"echo a:b:c | awk -F: -v OFS=- '{ $2 = \"x\"; print }'", "a-x-c\n"},
	{"printf 'x\\ny\\nx\\n' | awk '!seen[$0]++'", "x\ny\n"},
};

static const struct cmd_missing missing[] = {
	{"-i, --include (inplace)", "write to another file and move it"},
	{"-l, --load", "extensions are host code"},
	{"-E, --exec", "-f FILE reads a program as well"},
	{"-L, --lint", "programs are not judged"},
	{"-o, --pretty-print, -p, --profile", "programs are not printed"},
	{"-d, --dump-variables, -D, --debug", "there is no debugger"},
	{"-n, --non-decimal-data", "strtonum() reads such numbers"},
	{"-M, --bignum", "numbers are doubles"},
	{"|& coprocesses, @include, @f() indirect calls", "not done"},
};

const struct cmd cmd_awk = {
	.name = "awk",
	.summary = "pattern scanning and processing language",
	.synopsis = "[OPTION]... 'PROGRAM' [FILE]...\n[OPTION]... -f PROGFILE [FILE]...",
	.opts = awk_opts,
	.nopts = COUNTOF(awk_opts),
	.opts_size = sizeof(struct awk_opts),
	.stop_at_operand = true,
	.usage_status = 1,
	.stack_size = 16u << 20, /* functions call themselves */
	.main = awk_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
	.missing = missing,
	.nmissing = COUNTOF(missing),
};

const struct cmd cmd_gawk = {
	.name = "gawk",
	.summary = "pattern scanning and processing language (the same as awk)",
	.synopsis = "[OPTION]... 'PROGRAM' [FILE]...\n[OPTION]... -f PROGFILE [FILE]...",
	.opts = awk_opts,
	.nopts = COUNTOF(awk_opts),
	.opts_size = sizeof(struct awk_opts),
	.stop_at_operand = true,
	.usage_status = 1,
	.stack_size = 16u << 20, /* functions call themselves */
	.main = awk_main,
	.missing = missing,
	.nmissing = COUNTOF(missing),
};
