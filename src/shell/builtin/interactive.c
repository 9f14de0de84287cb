/*
 * interactive.c - bind and compgen: what belongs to a line editor.
 *
 * There is no line editor in a sandbox: bind says so, as bash does in a script. compgen, whose
 * output scripts use, lists what there is.
 */
#include "args.h"

int builtin_bind(struct shell *sh, int argc, char **argv)
{
	struct args a;
	int c;

	builtin_error(sh, "warning: line editing not enabled");
	if (argc > 1 && streq(argv[1], "--help"))
		return builtin_usage(sh);
	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "lvpVPsSXf:q:u:m:r:x:")) > 0)
		;
	return c < 0 ? USAGE_STATUS : 0;
}

/* ---- compgen ------------------------------------------------------------------------ */

struct generate {
	struct shell *sh;
	struct str word;
	const char *prefix, *suffix, *filter;
	bool any;
};

/* & in the pattern of -X is the word. */
static struct str filter_of(struct generate *g, const char *f)
{
	struct u_buf b;

	u_buf_init(&b, g->sh->p, EXPAND_WORD_MAX);
	for (; *f; f++) {
		if (*f == '\\' && f[1] == '&')
			u_buf_putc(&b, *++f);
		else if (*f == '&')
			u_buf_put(&b, g->word.ptr, g->word.len);
		else
			u_buf_putc(&b, *f);
	}
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

static void offer(struct generate *g, const char *s)
{
	size_t n = strlen(s);

	if (n < g->word.len || memcmp(s, g->word.ptr, g->word.len) != 0)
		return;
	if (g->filter) {
		bool keep = g->filter[0] == '!';
		const char *f = g->filter + keep;
		bool hit = pattern_match(&g->sh->x, filter_of(g, f), (struct str){s, n},
		                         pattern_flags(g->sh->st));

		if (hit != keep)
			return;
	}
	u_printf(&g->sh->out, "%s%s%s\n", g->prefix, s, g->suffix);
	g->any = true;
}

/* Those with one of the attributes; 0: all. */
static void offer_variables(struct generate *g, uint32_t attributes)
{
	const struct var **v;
	size_t n = state_vars(g->sh->st, &v);

	for (size_t i = 0; i < n; i++)
		if ((v[i]->flags & (VAR_SET | VAR_DYNAMIC)) && (!attributes || (v[i]->flags & attributes)))
			offer(g, v[i]->name);
}

static void offer_functions(struct generate *g)
{
	const struct func **v;
	size_t n = state_funcs(g->sh->st, &v);

	for (size_t i = 0; i < n; i++)
		offer(g, v[i]->name);
}

static void offer_texts(struct generate *g, const struct table *t)
{
	const struct item_text **v;
	size_t n = state_texts(g->sh->st, t, &v);

	for (size_t i = 0; i < n; i++)
		offer(g, v[i]->name);
}

static void offer_builtins(struct generate *g, bool disabled)
{
	for (size_t i = 0; i < builtin_count; i++)
		if (builtin_disabled(g->sh, &builtin_table[i]) == disabled)
			offer(g, builtin_table[i].name);
}

/* The first word of each job. */
static void offer_jobs(struct generate *g, bool running)
{
	struct job *v;
	size_t n = jobs_list(g->sh, &v);

	for (size_t i = 0; i < n; i++)
		if (!running || !v[i].done)
			offer(g, u_strndup(g->sh->p, v[i].text, strcspn(v[i].text, " ")));
}

static void offer_keywords(struct generate *g)
{
	static const char *const words[] = {"if",   "then", "else",     "elif",  "fi",    "case",
	                                    "esac", "for",  "select",   "while", "until", "do",
	                                    "done", "in",   "function", "time",  "{",     "}",
	                                    "!",    "[[",   "]]",       "coproc"};

	for (size_t i = 0; i < COUNTOF(words); i++)
		offer(g, words[i]);
}

static void offer_programs(struct generate *g)
{
	const struct program *p;

	for (size_t i = 0; (p = sys_program_at(g->sh->p, i)) != NULL; i++)
		offer(g, p->name);
}

static void offer_files(struct generate *g, bool dirs)
{
	struct shell *sh = g->sh;
	size_t slash = g->word.len;
	struct sys_dirent e;
	const char *dir;
	int fd;

	while (slash > 0 && g->word.ptr[slash - 1] != '/')
		slash--;
	dir = slash ? u_strndup(sh->p, g->word.ptr, slash) : ".";
	fd = sys_open(sh->p, dir, SYS_O_READ | SYS_O_DIRECTORY | SYS_O_CLOEXEC, 0);
	if (fd < 0)
		return;
	while (sys_readdir(sh->p, fd, &e) > 0) {
		char *path = u_format(sh->p, "%.*s%.*s", (int)slash, g->word.ptr, (int)e.len,
		                      e.name);
		struct sys_stat st;

		if (e.name[0] == '.' && g->word.len == slash)
			continue;
		if (dirs &&
		    (sys_stat(sh->p, path, 0, &st) < 0 || (st.mode & SYS_S_TYPE) != SYS_S_DIR))
			continue;
		offer(g, path);
	}
	sys_close(sh->p, fd);
}

/* Where the word of a -W list that begins at `i` ends: at IFS outside quotes. */
static size_t list_word(struct shell *sh, struct str s, size_t i)
{
	const struct ifs *ifs = &sh->st->ifs;
	char quote = 0;
	int parens = 0;

	for (; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c == '\\' && quote != '\'') {
			i++;
		} else if (quote) {
			if (c == (unsigned char)quote)
				quote = 0;
		} else if (c == '\'' || c == '"' || c == '`') {
			quote = (char)c;
		} else if (c == '(' && (parens || (i && s.ptr[i - 1] == '$'))) {
			parens++;
		} else if (c == ')' && parens) {
			parens--;
		} else if (!parens && (ifs->sep[c / 32] >> c % 32 & 1u)) {
			break;
		}
	}
	return MIN(i, s.len);
}

/* -W: the list is split at IFS, then every word is expanded. */
static void offer_words(struct generate *g, const char *list)
{
	struct shell *sh = g->sh;
	struct str s = str_from(list);
	uint64_t opts = sh->st->opts;

	sh->st->opts |= SET_NOGLOB;
	for (size_t i = 0; i < s.len;) {
		size_t end = list_word(sh, s, i);
		struct fields f = {0};
		struct parser p;
		struct word *w;

		if (end > i) {
			struct parse_options o = {.stack_max = (uint32_t)stack_room(sh->p, PARSE_STACK_MAX)};

			parser_init(&p, &sys_self(sh->p)->arena, s.ptr + i, end - i, &o);
			w = parser_word(&p);
			if (w && expand_words(&sh->x, w, 1, &f))
				for (size_t k = 0; k < f.n; k++)
					offer(g, f.v[k]);
			sh->x.error = EXPAND_NONE;
		}
		i = end + 1;
	}
	sh->st->opts = opts;
}

static void offer_globs(struct generate *g, const char *pattern)
{
	struct fields f = {0};

	if (glob_text(&g->sh->x, str_from(pattern), &f))
		for (size_t i = 0; i < f.n; i++)
			offer(g, f.v[i]);
	g->sh->x.error = EXPAND_NONE;
}

/* Runs `name compgen WORD ""`. */
static void call(struct generate *g, const char *name)
{
	struct shell *sh = g->sh;
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	u_buf_printf(&b, "%s compgen ", name);
	u_shell_quote_single(&b, g->word.ptr, g->word.len);
	u_buf_puts(&b, " ''");
	u_flush(&sh->out);
	unit_run(sh, UNIT_EVAL, (struct str){b.ptr, b.len}, "compgen", sh->st->line, NULL);
	g->any = true;
}

/* The function leaves its answers in COMPREPLY. */
static void offer_function(struct generate *g, const char *name)
{
	struct shell *sh = g->sh;
	struct varray_view v;
	struct str word = g->word;

	state_clear_array(sh->st, STR("COMP_WORDS"), VAR_VISIBLE);
	state_set(sh->st, STR("COMP_CWORD"), STR("-1"));
	state_set(sh->st, STR("COMP_LINE"), (struct str){"", 0});
	state_set(sh->st, STR("COMP_POINT"), STR("0"));
	if (!state_func(sh->st, str_from(name), ast_hash(str_from(name)))) {
		shell_error(sh, "completion: function `%s' not found", name);
		return;
	}
	call(g, name);
	g->any = false;
	g->word = (struct str){"", 0};
	if (array_values(&sh->x, STR("COMPREPLY"), &v, NULL))
		for (size_t i = 0; i < v.n; i++)
			offer(g, u_strndup(sh->p, v.v[i].ptr, v.v[i].len));
	g->word = word;
	state_unset(sh->st, STR("COMPREPLY"));
}

static bool offer_action(struct generate *g, const char *name)
{
	if (streq(name, "alias"))
		offer_texts(g, &g->sh->st->aliases);
	else if (streq(name, "builtin") || streq(name, "enabled"))
		offer_builtins(g, false);
	else if (streq(name, "helptopic")) {
		offer_builtins(g, false);
		offer_keywords(g);
	} else if (streq(name, "user"))
		offer(g, "root");
	else if (streq(name, "command")) {
		offer_texts(g, &g->sh->st->aliases);
		offer_functions(g);
		offer_builtins(g, false);
		offer_keywords(g);
		offer_programs(g);
	} else if (streq(name, "directory"))
		offer_files(g, true);
	else if (streq(name, "export"))
		offer_variables(g, VAR_EXPORT);
	else if (streq(name, "file"))
		offer_files(g, false);
	else if (streq(name, "function"))
		offer_functions(g);
	else if (streq(name, "keyword"))
		offer_keywords(g);
	else if (streq(name, "setopt"))
		for (size_t i = 0; i < SET_COUNT; i++)
			offer(g, set_names[i].name);
	else if (streq(name, "shopt"))
		for (size_t i = 0; i < SHOPT_COUNT; i++)
			offer(g, shopt_names[i].name);
	else if (streq(name, "variable"))
		offer_variables(g, 0);
	else if (streq(name, "arrayvar"))
		offer_variables(g, VAR_ARRAY | VAR_ASSOC);
	else if (streq(name, "group"))
		offer(g, "root");
	else if (streq(name, "job") || streq(name, "running"))
		offer_jobs(g, streq(name, "running"));
	else if (streq(name, "disabled"))
		offer_builtins(g, true);
	else if (streq(name, "binding") || streq(name, "hostname") || streq(name, "service") ||
	         streq(name, "stopped"))
		return true; /* there are none here */
	else if (streq(name, "signal"))
		for (int i = 1; i < SYS_NSIG; i++) {
			const char *s = signal_name(i);

			if (s)
				offer(g, u_format(g->sh->p, "SIG%s", s));
		}
	else
		return false;
	return true;
}

static const char *action_of(int letter)
{
	switch (letter) {
	case 'a': return "alias";
	case 'b': return "builtin";
	case 'c': return "command";
	case 'd': return "directory";
	case 'e': return "export";
	case 'f': return "file";
	case 'g': return "group";
	case 'j': return "job";
	case 'k': return "keyword";
	case 's': return "service";
	case 'u': return "user";
	case 'v': return "variable";
	default: return NULL;
	}
}

int builtin_compgen(struct shell *sh, int argc, char **argv)
{
	struct generate g = {.sh = sh, .prefix = "", .suffix = ""};
	const char *actions[32], *list = NULL, *function = NULL, *command = NULL, *globs = NULL;
	struct args a;
	size_t n = 0;
	int c;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "abcdefgjksuvo:A:G:W:F:C:X:P:S:")) > 0) {
		switch (c) {
		case 'A':
			if (n < COUNTOF(actions))
				actions[n++] = a.value;
			break;
		case 'W': list = a.value; break;
		case 'X': g.filter = a.value; break;
		case 'P': g.prefix = a.value; break;
		case 'S': g.suffix = a.value; break;
		case 'o':
			if (complete_option(sh, a.value) < 0)
				return USAGE_STATUS;
			break;
		case 'F': function = a.value; break;
		case 'C': command = a.value; break;
		case 'G': globs = a.value; break;
		default:
			if (action_of(c) && n < COUNTOF(actions))
				actions[n++] = action_of(c);
			break;
		}
	}
	if (c < 0)
		return USAGE_STATUS;
	g.word = a.i < argc ? str_from(argv[a.i]) : STR("");
	for (size_t i = 0; i < n; i++)
		if (!offer_action(&g, actions[i])) {
			builtin_error(sh, "%s: invalid action name", actions[i]);
			return USAGE_STATUS;
		}
	if (globs)
		offer_globs(&g, globs);
	if (list)
		offer_words(&g, list);
	if (function || command)
		builtin_error(sh, "warning: -%c option may not work as you expect",
		              function ? 'F' : 'C');
	if (function)
		offer_function(&g, function);
	if (command)
		call(&g, command);
	return g.any ? 0 : 1;
}
