/*
 * main.c - a shell from its first word to its last: options, script, exit.
 *
 * Where the script comes from: -c, a file, or standard input (read line by line, so that
 * commands in it can read what follows). The first shell of a run takes the state the last
 * one left and leaves it again when it exits; a kill from inside leaves nothing.
 */
#include "prompt.h"
#include "shell.h"

/* ---- Options --------------------------------------------------------------------------- */

struct start {
	bool c, s, login, noprofile, norc, posix, interactive;
	const char *rcfile;
	uint64_t on, off, shopt_on, shopt_off;
	int argc; /* what is left */
	char **argv;
};

static const char usage_text[] = "Usage:\tbash [GNU long option] [option] ...\n"
                                 "\tbash [GNU long option] [option] script-file ...\n"
                                 "GNU long options:\n"
                                 "\t--debug\n\t--debugger\n\t--dump-po-strings\n\t--dump-"
                                 "strings\n\t--help\n\t--init-file\n\t--login\n"
                                 "\t--noediting\n\t--noprofile\n\t--norc\n\t--posix\n\t--pretty-"
                                 "print\n\t--rcfile\n\t--restricted\n"
                                 "\t--verbose\n\t--version\n"
                                 "Shell options:\n"
                                 "\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n"
                                 "\t-abefhkmnptuvxBCEHPT or -o option\n";

NORETURN static void stop(struct shell *sh, int status)
{
	u_flush(&sh->out);
	if (sh->root)
		shell_leave_session(sh);
	sys_exit(sh->p, status);
}

NORETURN static void usage(struct shell *sh, const char *option, const char *why)
{
	const char *text = u_format(sh->p, "%s: %s: %s\n", sh->st->arg0->s, option, why);

	(void)!u_write_all(sh->p, 2, text, strlen(text));
	(void)!u_write_all(sh->p, 2, usage_text, sizeof usage_text - 1);
	stop(sh, 2);
}

NORETURN static void show_version(struct shell *sh)
{
	u_puts(&sh->out, "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu): the language, "
	                 "as nacre runs it\n");
	stop(sh, 0);
}

NORETURN static void show_help(struct shell *sh)
{
	u_puts(&sh->out, "nacre's shell, of the language of GNU bash, version "
	                 "5.2.15(1)-release-(x86_64-pc-linux-gnu)\n");
	u_puts(&sh->out, usage_text);
	u_puts(&sh->out, "Type `bash -c \"help set\"' for more about shell options.\n"
	                 "Type `bash -c help' for more about shell builtin commands.\n");
	stop(sh, 0);
}

/* A long option; how many arguments it took. */
static int long_option(struct shell *sh, struct start *o, const char *name, const char *next)
{
	if (streq(name, "help"))
		show_help(sh);
	if (streq(name, "version"))
		show_version(sh);
	if (streq(name, "login"))
		o->login = true;
	else if (streq(name, "posix"))
		o->posix = true;
	else if (streq(name, "noprofile"))
		o->noprofile = true;
	else if (streq(name, "norc"))
		o->norc = true;
	else if (streq(name, "verbose"))
		o->on |= SET_VERBOSE;
	else if (streq(name, "rcfile") || streq(name, "init-file")) {
		if (!next)
			usage(sh, u_format(sh->p, "--%s", name), "option requires an argument");
		o->rcfile = next;
		return 1;
	} else if (!streq(name, "noediting") && !streq(name, "debug")) {
		usage(sh, u_format(sh->p, "--%s", name), "invalid option");
	}
	return 0;
}

static void named_option(struct shell *sh, struct start *o, const char *name, bool on, bool shopt)
{
	int i = shopt ? shopt_by_name(str_from(name)) : set_by_name(str_from(name));
	uint64_t bit;

	if (i < 0) {
		const char *text = u_format(sh->p,
		                            shopt ? "%s: %s: invalid shell option name\n"
		                                  : "%s: line 0: bash: %s: invalid option name\n",
		                            sh->st->arg0->s, name);

		(void)!u_write_all(sh->p, 2, text, strlen(text));
		stop(sh, 2);
	}
	bit = (uint64_t)1 << i;
	if (shopt) {
		*(on ? &o->shopt_on : &o->shopt_off) |= bit;
		*(on ? &o->shopt_off : &o->shopt_on) &= ~bit;
	} else {
		*(on ? &o->on : &o->off) |= bit;
		*(on ? &o->off : &o->on) &= ~bit;
	}
}

/* One word of short options; how many arguments it took. */
static int short_options(struct shell *sh, struct start *o, const char *word, char *const *next)
{
	bool on = word[0] == '-';
	int took = 0;

	for (const char *s = word + 1; *s; s++) {
		char letter[2] = {*s, '\0'};
		int i;

		switch (*s) {
		case 'c': o->c = true; continue;
		case 's': o->s = true; continue;
		case 'l': o->login = true; continue;
		case 'i': o->interactive = true; continue;
		case 'D': usage(sh, "-D", "not supported");
		case 'r': usage(sh, "-r", "restricted shells are not supported");
		case 'o':
		case 'O':
			if (!next[took])
				usage(sh, u_format(sh->p, "%c%c", word[0], *s),
				      "option requires an argument");
			named_option(sh, o, next[took++], on, *s == 'O');
			continue;
		default: break;
		}
		i = set_by_letter(*s);
		if (i < 0)
			usage(sh, u_format(sh->p, "%c%s", word[0], letter), "invalid option");
		*(on ? &o->on : &o->off) |= (uint64_t)1 << i;
		*(on ? &o->off : &o->on) &= ~((uint64_t)1 << i);
	}
	return took;
}

static void parse_options(struct shell *sh, struct start *o, int argc, char **argv)
{
	int i = 1;

	for (; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1] == '-' && argv[i][2] != '\0') {
			i += long_option(sh, o, argv[i] + 2, argv[i + 1]);
			continue;
		}
		if ((argv[i][0] != '-' && argv[i][0] != '+') || argv[i][1] == '\0')
			break;
		if (streq(argv[i], "--")) {
			i++;
			break;
		}
		i += short_options(sh, o, argv[i], argv + i + 1);
	}
	if (i < argc && streq(argv[i], "-"))
		i++;
	o->argc = argc - i;
	o->argv = argv + i;
}

/* ---- Scripts ------------------------------------------------------------------------------ */

/* Parses all of a run's script first: a wrong one is not begun. */
static void parse_whole(struct shell *sh, struct task_unit *t)
{
	const struct parse_error *e = &t->parser.error;

	if (unit_parse_all(sh, t))
		return;
	shell_parse_error(sh, e, t->input);
	sys_set_outcome(sh->p, SYS_INVALID,
	                u_format(sh->p, "line %u, column %u, byte %u: %.*s", e->at_line, e->column, e->off,
	                         e->nlines ? (int)e->lines[0].text.len : 0,
	                         e->nlines ? e->lines[0].text.ptr : ""));
	sh->st->status = 2;
	shell_leave_session(sh);
	sys_exit(sh->p, 2);
}

static void run_text(struct shell *sh, struct str text, const char *input, const char *source)
{
	struct task_unit *t = unit_push(sh, UNIT_MAIN, text, input, 1, source);

	if (sh->root)
		parse_whole(sh, t);
	machine_run(sh, NULL);
}

static void run_file(struct shell *sh, const char *path)
{
	struct str text;
	const char *at = path;
	int r = unit_read(sh, path, &text);

	if (r == -NACRE_ENOENT && !strchr(path, '/')) {
		at = lookup_source(sh, path);
		r = at ? unit_read(sh, at, &text) : r;
	}
	if (r < 0) {
		const char *name = sh->st->arg0->s, *what;

		if (r == -NACRE_EISDIR)
			what = u_format(sh->p, "%s: %s: Is a directory\n", path, path);
		else if (r == -NACRE_ENOEXEC)
			what = u_format(sh->p, "%s: %s: cannot execute binary file\n", path, path);
		else
			what = u_format(sh->p, "%s: %s: %s\n", name, path, errno_text(r));
		(void)!u_write_all(sh->p, 2, what, strlen(what));
		shell_exit(sh, r == -NACRE_ENOENT ? 127 : 126);
	}
	state_set_arg0(sh->st, str_from(path));
	run_text(sh, text, path, path);
}

#define LINE_MAX ((size_t)1 << 20)

/* Standard input: whole commands, read no further than needed. */
static void run_stdin(struct shell *sh)
{
	struct arena *a = &sys_self(sh->p)->arena;
	uint32_t line = 1;

	for (bool eof = false; !eof;) {
		struct arena_mark mark = arena_mark(a);
		uint32_t lines = 0;
		struct u_buf b;
		char *buf = u_alloc(sh->p, 4096);

		u_buf_init(&b, sh->p, PARSE_SOURCE_MAX);
		for (bool more = false;; more = b.len != 0) {
			if (sh->interactive && (!more || b.ptr[b.len - 1] == '\n'))
				interactive_prompt(sh, more);
			int64_t n = sys_read_until(sh->p, 0, '\n', buf, 4096, -1, NULL);
			struct parse_options o;
			struct parser p;
			struct cmd *cmd;
			enum parse_result r;

			if (n == -NACRE_EINTR) {
				trap_poll(sh);
				continue;
			}
			if (n <= 0) {
				eof = true;
				break;
			}
			u_buf_put(&b, buf, (size_t)n);
			if (buf[n - 1] != '\n')
				continue;
			lines++;
			unit_parse_options(sh, &o);
			o.flags |= PARSE_REPL;
			parser_init(&p, a, b.ptr, b.len, &o);
			while ((r = parser_next(&p, &cmd)) == PARSE_OK)
				sys_checkpoint(sh->p);
			if (r != PARSE_INCOMPLETE)
				break;
		}
		if (b.len) {
			unit_push(sh, UNIT_MAIN, (struct str){b.ptr, b.len}, NULL, line, NULL);
			machine_run(sh, NULL);
		}
		line += lines;
		arena_reset(a, mark);
	}
	if (sh->interactive)
		interactive_end(sh);
}

static void source_if_there(struct shell *sh, const char *path)
{
	struct str text;

	if (unit_read(sh, path, &text) < 0)
		return;
	unit_push(sh, UNIT_SOURCE, text, path, 1, path);
	machine_run(sh, NULL);
}

static void source_rc(struct shell *sh, const char *path)
{
	char buf[VALUE_BUF];
	struct str home;

	if (!path && state_get(sh->st, STR("HOME"), buf, &home))
		path = u_join(sh->p, u_strndup(sh->p, home.ptr, home.len), ".bashrc");
	if (path)
		source_if_there(sh, path);
}

static void startup_files(struct shell *sh, const struct start *o)
{
	char buf[VALUE_BUF];
	struct str s;

	if (o->login && !o->noprofile) {
		static const char *const names[] = {".bash_profile", ".bash_login", ".profile"};
		struct sys_stat st;

		source_if_there(sh, "/etc/profile");
		if (state_get(sh->st, STR("HOME"), buf, &s)) {
			const char *home = u_strndup(sh->p, s.ptr, s.len);

			for (size_t i = 0; i < COUNTOF(names); i++) {
				const char *path = u_join(sh->p, home, names[i]);

				if (sys_stat(sh->p, path, 0, &st) == 0) {
					source_if_there(sh, path);
					break;
				}
			}
		}
	}
	if (o->interactive) {
		interactive_init(sh);
		if (!o->login && !o->norc)
			source_rc(sh, o->rcfile);
		if (!o->c)
			interactive_start(sh);
		return;
	}
	if (!o->posix && !set_is(sh, SET_PRIVILEGED) && state_find(sh->st, STR("BASH_ENV")) &&
	    state_get(sh->st, STR("BASH_ENV"), buf, &s) && s.len) {
		if (expand_string(&sh->x, str_from(u_strndup(sh->p, s.ptr, s.len)), &s) && s.len)
			source_if_there(sh, u_strndup(sh->p, s.ptr, s.len));
		sh->x.error = EXPAND_NONE;
	}
}

/* ---- Start ----------------------------------------------------------------------------------- */

/* The traps of the state, made the proc's. */
static void resume_traps(struct proc *p, struct shell_state *st)
{
	if (!st->traps || !st->traps->set)
		return;
	for (unsigned i = 1; i < SYS_NSIG; i++) {
		const struct vstr *v = trap_get(st, i);

		if (v)
			sys_signal(p, (int)i, v->len ? SYS_SIG_CATCH : SYS_SIG_IGNORE);
	}
}

/* The state that the last run left, made ready for this proc; NULL when there is none. */
static struct shell_state *resume(struct proc *p)
{
	struct shell_state *st = sys_session_take(p);

	if (!st)
		return NULL;
	state_adopt(st, p);
	if (st->interp) { /* its shell was stopped, or gave way to a program: its EXIT trap is over, too */
		shell_settle(st);
		trap_set(st, TRAP_EXIT, NULL);
		state_set(st, STR("PWD"), state_cwd(st)); /* it may have been elsewhere */
	}
	if (!sys_session_keep(p))
		sys_session_former(p, state_clone(st), state_release);
	st->shell_pid = sys_getpid(p);
	st->line = 1;
	st->subshell = 0;
	resume_traps(p, st);
	return st;
}

/* A run that was given a directory of its own: $PWD is the session's again when it ends. */
static void start_elsewhere(struct shell *sh, bool resumed)
{
	const char *home = sys_session_cwd(sh->p);
	char buf[VALUE_BUF];
	struct str s;

	if (!home)
		return;
	s = str_from(home);
	if (resumed)
		(void)state_get(sh->st, STR("PWD"), buf, &s);
	sh->session_pwd = u_strndup(sh->p, s.ptr, s.len);
	if (resumed)
		state_set(sh->st, STR("PWD"), str_from(sys_getcwd(sh->p)));
}

/* Functions that another shell exported: BASH_FUNC_name%%=() { ... }. */
static void import_functions(struct shell *sh)
{
	char *const *env = sys_self(sh->p)->env;

	for (size_t i = 0; env && env[i]; i++) {
		const char *name = env[i] + 10, *eq;
		struct parse_options o;
		struct parser p;
		struct unit *u;
		struct cmd *cmd;
		char *text;

		if (env[i][0] != 'B' || strncmp(env[i], "BASH_FUNC_", 10) != 0)
			continue;
		eq = strstr(name, "%%=() {");
		if (!eq)
			continue;
		text = u_format(sh->p, "%.*s %s", (int)(eq - name), name, eq + 3);
		u = unit_new(sh->st, FRAME_UNIT, str_from(text));
		unit_parse_options(sh, &o);
		parser_init(&p, &u->arena, u->text.ptr, u->text.len, &o);
		if (parser_next(&p, &cmd) == PARSE_OK && cmd && cmd->kind == CMD_FUNCTION &&
		    parser_offset(&p) >= u->text.len) {
			const struct cmd_function *f = AST_CONST(cmd_function, cmd);

			if (state_define(sh->st, f, u, NULL) == VAR_OK)
				state_func_flags(sh->st, f->name, VAR_EXPORT, 0);
		}
		frame_pop(sh->st);
	}
}

/* SHELLOPTS and BASHOPTS that another shell exported: names with colons between them. */
static void import_options(struct shell *sh)
{
	char *const *env = sys_self(sh->p)->env;
	uint64_t opts = sh->st->opts, shopts = sh->st->shopts;

	for (size_t i = 0; env && env[i]; i++) {
		bool set = strncmp(env[i], "SHELLOPTS=", 10) == 0;
		const char *at = env[i] + 9;

		if (!set && strncmp(env[i], "BASHOPTS=", 9) != 0)
			continue;
		for (at += set; *at;) {
			size_t n = strcspn(at, ":");
			int k = set ? set_by_name((struct str){at, n})
			            : shopt_by_name((struct str){at, n});

			if (k >= 0)
				*(set ? &opts : &shopts) |= (uint64_t)1 << k;
			at += n + (at[n] == ':');
		}
	}
	if (opts != sh->st->opts || shopts != sh->st->shopts)
		state_set_opts(sh->st, opts, shopts);
}

static const char *base_name(const char *s)
{
	const char *slash = strrchr(s, '/');

	return slash ? slash + 1 : s;
}

static void apply(struct shell *sh, const struct start *o)
{
	struct shell_state *st = sh->st;
	uint64_t opts = (st->opts | o->on) & ~o->off,
	         shopts = (st->shopts | o->shopt_on) & ~o->shopt_off;

	if (o->posix)
		opts |= SET_POSIX;
	if (o->login)
		shopts |= SHOPT_LOGIN_SHELL;
	if (opts != st->opts || shopts != st->shopts)
		state_set_opts(st, opts, shopts);
	sh->login = o->login;
	sh->interactive = o->interactive;
	/* Scripts, and the files that they read first, tell by them that nobody is asked. */
	if (!sh->root && !sh->interactive) {
		(void)state_unset(st, STR("PS1"));
		(void)state_unset(st, STR("PS2"));
	}
}

/* Variables of this run alone lie above those of the session, as those before a command do. */
static void take_run_env(struct shell_state *st)
{
	char *const *v = sys_run_env(st->p);

	if (!v)
		return;
	frame_push(st, FRAME_TEMPENV, NULL);
	for (; *v; v++) {
		const char *eq = strchr(*v, '=');
		struct str name = {*v, eq ? (size_t)(eq - *v) : 0};

		if (syntax_is_name(name))
			(void)state_put(st, name, VAR_TEMPENV, str_from(eq + 1), false);
	}
}

/* Programs see the variables they were given, none of the shell's. */
static void hide_own_variables(struct shell_state *st)
{
	static const char *const names[] = {"SHLVL", "PWD", "OLDPWD"};

	for (size_t i = 0; i < COUNTOF(names); i++)
		state_declare(st, str_from(names[i]), VAR_VISIBLE, 0, VAR_EXPORT, NULL);
}

/* $_ to begin with: as what the shell was started. */
static struct str own_path(struct proc *p, const char *name)
{
	char *const *env = sys_self(p)->env;

	for (size_t i = 0; env && env[i]; i++)
		if (env[i][0] == '_' && env[i][1] == '=')
			return str_from(env[i] + 2);
	return str_from(name);
}

int shell_main(struct proc *p, int argc, char **argv)
{
	const struct shell_config *config = sys_program_data(p);
	bool root = config && config->root, resumed;
	struct shell_state *st = root ? resume(p) : NULL;
	struct start o = {0};
	struct shell *sh;
	const char *name = argc > 0 ? argv[0] : "bash", *base;

	resumed = st != NULL;
	if (!st) {
		st = state_new(p);
		if (sys_profile(p)->closed)
			hide_own_variables(st);
		if (root)
			(void)sys_session_keep(p);
	}
	if (*name == '-') {
		o.login = true;
		name++;
	}
	state_set_arg0(st, str_from(argc > 0 ? argv[0] : name));
	state_set_last_arg(st, root ? str_from(name) : own_path(p, name));
	sh = shell_new(p, st);
	sh->root = root;
	if (root) {
		start_elsewhere(sh, resumed);
		take_run_env(st);
	}
	base = base_name(name);
	o.posix = streq(base, "sh");
	parse_options(sh, &o, argc, argv);
	if (!root)
		import_options(sh);
	apply(sh, &o);
	if (!sh->refused)
		import_functions(sh);
	if (o.c) {
		const char *script = o.argc > 0 ? o.argv[0] : NULL;

		if (!script) {
			const char *text = u_format(p, "%s: -c: option requires an argument\n",
			                            name);

			(void)!u_write_all(p, 2, text, strlen(text));
			stop(sh, 2);
		}
		st->is_stdin = root && config->is_stdin;
		st->is_c = !st->is_stdin && !(root && config->is_file);
		if (o.argc > 1)
			state_set_arg0(st, str_from(o.argv[1]));
		params_set(st, o.argv + MIN(o.argc, 2), o.argc > 2 ? (size_t)o.argc - 2 : 0, false);
		state_set_command_string(st, st->is_c ? str_from(script) : (struct str){NULL, 0});
		startup_files(sh, &o);
		if (root && config->is_file)
			run_text(sh, str_from(script), o.argv[1], o.argv[1]);
		else
			run_text(sh, str_from(script), st->is_c ? "-c" : NULL, NULL);
	} else if (o.argc > 0 && !o.s) {
		params_set(st, o.argv + 1, (size_t)o.argc - 1, false);
		startup_files(sh, &o);
		run_file(sh, o.argv[0]);
	} else {
		st->is_stdin = true;
		params_set(st, o.argv, (size_t)o.argc, false);
		startup_files(sh, &o);
		run_stdin(sh);
	}
	trap_poll(sh);
	shell_exit(sh, shell_status(sh));
}

const char *shell_builtin_name(size_t i)
{
	return i < builtin_count ? builtin_table[i].name : NULL;
}
