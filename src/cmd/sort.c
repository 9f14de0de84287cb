/*
 * sort.c - sort lines: the options, and which of its jobs is to be done.
 *
 * Input is held in memory (never in temporary files); sort/order.c sorts it.
 */
#include "sort/sort.h"

/* ---- Keys ------------------------------------------------------------------------------- */

static bool set_order(struct sort_key *k, char c, bool start, bool end)
{
	switch (c) {
	case 'b':
		k->skip_start |= start;
		k->skip_end |= end;
		break;
	case 'd': k->dictionary = true; break;
	case 'f': k->fold = true; break;
	case 'g': k->general = true; break;
	case 'h': k->human = true; break;
	case 'i': k->printing = !k->dictionary; break;
	case 'M': k->month = true; break;
	case 'n': k->numeric = true; break;
	case 'R': k->random = true; break;
	case 'r': k->reverse = true; break;
	case 'V': k->version = true; break;
	default: return false;
	}
	return true;
}

static const char *set_orders(struct sort_key *k, const char *s, bool start, bool end)
{
	while (*s && set_order(k, *s, start, end))
		s++;
	return s;
}

static bool has_order(const struct sort_key *k)
{
	return k->skip_start || k->skip_end || k->reverse || k->fold || !sort_key_is_text(k);
}

static NORETURN void bad_key(struct proc *p, const char *spec, const char *why)
{
	u_die(p, 2, 0, "%s: invalid field specification %s", why, u_quote(p, spec));
}

/* A count that may be too large to matter; `what` names it in messages, NULL allows something else at s. */
static const char *parse_count(struct proc *p, const char *s, uint64_t *n, const char *what)
{
	const char *end;
	bool over = false;

	if (!ascii_digit(*s)) {
		if (what)
			u_die(p, 2, 0, "%s: invalid count at start of %s", what, u_quote(p, s));
		return NULL;
	}
	*n = num_u64(s, &end, 10, &over);
	if (over || *n == SORT_TO_END)
		*n = SORT_TO_END - 1;
	return end;
}

static void add_key(struct proc *p, struct sort *s, const struct sort_key *k)
{
	/* Doubles at every power of two. */
	if ((s->nkeys & (s->nkeys - 1)) == 0) {
		size_t cap = s->nkeys ? s->nkeys * 2 : 1;

		s->keys = arena_grow(&sys_self(p)->arena, s->keys, s->nkeys * sizeof(*k),
				     size_mul(cap, sizeof(*k)));
	}
	s->keys[s->nkeys++] = *k;
}

/* F[.C][OPTS][,F[.C][OPTS]] */
static void opt_key(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct sort_key k = {.end_field = SORT_TO_END};
	const char *s;

	(void)o;
	s = parse_count(p, arg, &k.field, "invalid number at field start");
	if (k.field-- == 0)
		bad_key(p, arg, "field number is zero");
	if (*s == '.') {
		s = parse_count(p, s + 1, &k.column, "invalid number after '.'");
		if (k.column-- == 0)
			bad_key(p, arg, "character offset is zero");
	}
	s = set_orders(&k, s, true, false);
	if (*s == ',') {
		s = parse_count(p, s + 1, &k.end_field, "invalid number after ','");
		if (k.end_field-- == 0)
			bad_key(p, arg, "field number is zero");
		if (*s == '.')
			s = parse_count(p, s + 1, &k.end_column, "invalid number after '.'");
		s = set_orders(&k, s, false, true);
	}
	if (*s)
		bad_key(p, arg, "stray character in field spec");
	add_key(p, opts, &k);
}

/* ---- Options ----------------------------------------------------------------------------- */

static void opt_order(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)arg;
	set_order(&((struct sort *)opts)->global, o->shrt, true, true);
}

static const struct u_word sort_words[] = {
	{"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'},
	{"numeric", 'n'},	  {"random", 'R'},	  {"version", 'V'},
};

static void opt_sort(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	int c = u_word_or_die(p, "--sort", arg, sort_words, COUNTOF(sort_words));

	(void)o;
	set_order(&((struct sort *)opts)->global, (char)c, true, true);
}

static const struct u_word check_words[] = {{"quiet", 'C'}, {"silent", 'C'}, {"diagnose-first", 'c'}};

static void opt_check(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct sort *s = opts;
	int c = arg ? u_word_or_die(p, "--check", arg, check_words, COUNTOF(check_words))
		    : o->shrt == 'C' ? 'C' : 'c';

	if (s->check && s->check != c)
		u_die(p, 2, 0, "options '-cC' are incompatible");
	s->check = c;
}

static void opt_output(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct sort *s = opts;

	(void)o;
	if (s->output && !streq(s->output, arg))
		u_die(p, 2, 0, "multiple output files specified");
	s->output = arg;
}

static void opt_random_source(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct sort *s = opts;

	(void)o;
	if (s->random_source && !streq(s->random_source, arg))
		u_die(p, 2, 0, "multiple random sources specified");
	s->random_source = arg;
}

static void opt_tab(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct sort *s = opts;
	int tab = (unsigned char)arg[0];

	(void)o;
	if (!*arg)
		u_die(p, 2, 0, "empty tab");
	if (arg[1]) {
		if (!streq(arg, "\\0"))
			u_die(p, 2, 0, "multi-character tab %s", u_quote(p, arg));
		tab = '\0';
	}
	if (s->tab_given && s->tab != tab)
		u_die(p, 2, 0, "incompatible tabs");
	s->tab = tab;
	s->tab_given = true;
}

static const char *option_name(struct proc *p, const struct cmd_opt *o)
{
	return o->shrt ? u_format(p, "-%c", o->shrt) : u_format(p, "--%s", o->lng);
}

/* Sizes of buffers are checked and otherwise without meaning here. */
static void opt_size(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	size_t digits = strspn(arg, "0123456789"), n = strlen(arg);

	(void)opts;
	if (digits == 0)
		u_die(p, 2, 0, "invalid %s argument %s", option_name(p, o), u_quote(p, arg));
	if (n > digits + 1 || (n == digits + 1 && !strchr("%bEGgKkMmPTtYZ", arg[digits])))
		u_die(p, 2, 0, "invalid suffix in %s argument %s", option_name(p, o), u_quote(p, arg));
}

static void opt_parallel(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	uint64_t n;

	(void)opts;
	(void)o;
	if (u_parse_size(arg, "", &n) == -NACRE_EINVAL)
		u_die(p, 2, 0, "invalid --parallel argument %s", u_quote(p, arg));
	if (n == 0)
		u_die(p, 2, 0, "number in parallel must be nonzero");
}

static void opt_batch(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	uint64_t n;

	(void)opts;
	(void)o;
	if (u_parse_size(arg, "", &n) == -NACRE_EINVAL) {
		u_die(p, 2, 0, "invalid --batch-size argument %s", u_quote(p, arg));
	} else if (n < 2) {
		u_warn(p, 0, "invalid --batch-size argument %s", u_quote(p, arg));
		u_die(p, 2, 0, "minimum --batch-size argument is '2'");
	}
}

static void opt_directory(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)p;
	(void)opts;
	(void)o;
	(void)arg;
}

/* The old way to give keys, +F[.C][OPTS] [-F[.C][OPTS]], both counted from 0. */
static bool old_position(struct proc *p, const char *s, bool end, struct u_buf *b)
{
	uint64_t field, column = 0;
	const char *at = parse_count(p, s, &field, NULL);

	if (!at)
		return false;
	if (*at == '.')
		at = parse_count(p, at + 1, &column, NULL);
	if (!at || at[strspn(at, "bdfghiMnRrV")])
		return false;
	/* An end before the first column of a field is the end of the field before. */
	if (end && column == 0)
		u_buf_printf(b, ",%llu%s", (unsigned long long)field, at);
	else
		u_buf_printf(b, "%s%llu.%llu%s", end ? "," : "", (unsigned long long)field + 1,
			     (unsigned long long)column + !end, at);
	return true;
}

static char **rewrite(struct proc *p, int *argc, char **argv)
{
	char **out = u_array(p, (size_t)*argc + 1, sizeof(*out));
	int n = 0;

	for (int i = 0; i < *argc; i++) {
		struct u_buf b;

		if (i > 0 && streq(argv[i], "--")) {
			while (i < *argc)
				out[n++] = argv[i++];
			break;
		}
		u_buf_init(&b, p, 0);
		u_buf_puts(&b, "-k");
		if (i > 0 && argv[i][0] == '+' && old_position(p, argv[i] + 1, false, &b)) {
			if (i + 1 < *argc && argv[i + 1][0] == '-' && ascii_digit(argv[i + 1][1]) &&
			    old_position(p, argv[i + 1] + 1, true, &b))
				i++;
			out[n++] = b.ptr;
		} else {
			out[n++] = argv[i];
		}
	}
	out[n] = NULL;
	*argc = n;
	return out;
}

static void opt_refused(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	(void)opts;
	(void)arg;
	u_die(p, 2, 0, "--%s is not supported", o->lng);
}

static const struct cmd_opt sort_opts[] = {
	CMD_CALL('b', "ignore-leading-blanks", NULL, opt_order, "blanks at the start of keys do not count"),
	CMD_CALL('d', "dictionary-order", NULL, opt_order, "only blanks, letters and digits count"),
	CMD_CALL('f', "ignore-case", NULL, opt_order, "lower case letters count as upper case"),
	CMD_CALL('g', "general-numeric-sort", NULL, opt_order, "by value as a floating point number"),
	CMD_CALL('i', "ignore-nonprinting", NULL, opt_order, "only printable characters count"),
	CMD_CALL('M', "month-sort", NULL, opt_order, "by month: unknown < JAN < ... < DEC"),
	CMD_CALL('h', "human-numeric-sort", NULL, opt_order, "by size: 900, 2K, 1G"),
	CMD_CALL('n', "numeric-sort", NULL, opt_order, "by value as a decimal number"),
	CMD_CALL('R', "random-sort", NULL, opt_order, "shuffle, with equal keys together"),
	CMD_CALL(0, "random-source", "FILE", opt_random_source, "take random bytes from FILE"),
	CMD_CALL('r', "reverse", NULL, opt_order, "reverse the order"),
	CMD_CALL(0, "sort", "WORD", opt_sort,
		 "general-numeric -g, human-numeric -h, month -M,\nnumeric -n, random -R, version -V"),
	CMD_CALL('V', "version-sort", NULL, opt_order, "by version numbers within the text"),
	CMD_CALL(0, "batch-size", "NMERGE", opt_batch, "no effect: any number of files is merged at once"),
	CMD_CALL_OPTIONAL(0, "check", "WORD", opt_check,
			  "only check whether the input is sorted;\n"
			  "quiet or silent: without a message"),
	CMD_CALL('c', NULL, NULL, opt_check, "same as --check"),
	CMD_CALL('C', NULL, NULL, opt_check, "same as --check=quiet"),
	CMD_STRING(struct sort, names_from, 0, "files0-from", "F",
		   "sort the files whose names, each ended by NUL,\nare in F (- is standard input)"),
	CMD_CALL('k', "key", "KEYDEF", opt_key, "sort by a part of the line, see below"),
	CMD_FLAG(struct sort, merge, 'm', "merge", "merge files that are sorted already"),
	CMD_CALL('o', "output", "FILE", opt_output, "write to FILE, which may be one of the inputs"),
	CMD_FLAG(struct sort, stable, 's', "stable", "lines with equal keys stay in their order"),
	CMD_CALL('S', NULL, "SIZE", opt_size, "no effect: memory is used as it is needed"),
	CMD_CALL(0, "buffer-size", "SIZE", opt_size, "same as -S"),
	CMD_CALL('t', "field-separator", "SEP", opt_tab, "fields are separated by SEP"),
	CMD_CALL(0, "compress-program", "PROG", opt_refused, NULL),
	CMD_CALL(0, "debug", NULL, opt_refused, NULL),
	CMD_CALL('T', "temporary-directory", "DIR", opt_directory, "no effect: there are no temporary files"),
	CMD_CALL(0, "parallel", "N", opt_parallel, "no effect: one sort runs at a time"),
	CMD_FLAG(struct sort, unique, 'u', "unique",
		 "print only the first of lines with equal keys;\nwith -c, lines must not be equal"),
	CMD_FLAG(struct sort, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
};

static void defaults(void *opts)
{
	struct sort *s = opts;

	s->tab = -1;
	s->global.end_field = SORT_TO_END;
}

/* ---- Making sense of it ----------------------------------------------------------------------- */

static void check_compatible(struct proc *p, const struct sort_key *k)
{
	const struct {
		char letter;
		bool on;
	} v[] = {{'d', k->dictionary}, {'f', k->fold},	  {'g', k->general}, {'h', k->human}, {'i', k->printing},
		 {'M', k->month},      {'n', k->numeric}, {'R', k->random},  {'V', k->version}};
	char letters[COUNTOF(v) + 1];
	size_t n = 0;

	if (k->numeric + k->general + k->human + k->month +
		    (k->version | k->random | k->dictionary | k->printing) < 2)
		return;
	for (size_t i = 0; i < COUNTOF(v); i++) {
		if (v[i].on)
			letters[n++] = v[i].letter;
	}
	letters[n] = '\0';
	u_die(p, 2, 0, "options '-%s' are incompatible", letters);
}

/* Keys without letters of their own get the global ones; without keys the line is the one key. */
static void complete_keys(struct sort *s)
{
	bool all_reversed;

	for (size_t i = 0; i < s->nkeys; i++) {
		struct sort_key *k = &s->keys[i], own = *k;

		if (has_order(k))
			continue;
		*k = s->global;
		k->field = own.field;
		k->column = own.column;
		k->end_field = own.end_field;
		k->end_column = own.end_column;
	}
	if (s->nkeys == 0 && (s->global.skip_start || s->global.fold || !sort_key_is_text(&s->global)))
		add_key(s->p, s, &s->global);
	all_reversed = s->nkeys > 0 || s->global.reverse;
	for (size_t i = 0; i < s->nkeys; i++) {
		check_compatible(s->p, &s->keys[i]);
		all_reversed &= s->keys[i].reverse;
	}
	/* The whole line decides last. */
	if (!(s->stable || s->unique))
		all_reversed &= s->global.reverse;
	s->flipped = all_reversed && !s->merge && !s->check;
	if (s->flipped) {
		s->global.reverse = false;
		for (size_t i = 0; i < s->nkeys; i++)
			s->keys[i].reverse = false;
	}
}

static void set_salt(struct sort *s)
{
	bool random = false;
	int fd;
	size_t n = 0;

	for (size_t i = 0; i < s->nkeys; i++)
		random |= s->keys[i].random;
	if (!random)
		return;
	if (!s->random_source) {
		sys_random(s->p, s->salt, sizeof(s->salt));
		return;
	}
	fd = sort_open(s, s->random_source);
	while (n < sizeof(s->salt)) {
		int64_t got = sys_read(s->p, fd, s->salt + n, sizeof(s->salt) - n);

		if (got < 0)
			u_die(s->p, 2, (int)got, "%s: read error", u_quote(s->p, s->random_source));
		if (got == 0)
			u_die(s->p, 2, 0, "%s: end of file", u_quote(s->p, s->random_source));
		n += (size_t)got;
	}
}

static int names_from_file(struct sort *s, char ***files)
{
	int fd = sort_open(s, s->names_from), n = 0;
	const char *list = u_quote_if_needed(s->p, s->names_from);
	struct str text;
	char **v;
	int r = u_read_all(s->p, fd, 64u << 20, &text);

	if (r < 0)
		u_die(s->p, 2, r, "%s: read error", list);
	v = u_array(s->p, scan_count(text.ptr, text.len, '\0') + 2, sizeof(*v));
	for (const char *t = text.ptr, *end = t + text.len; t < end;) {
		size_t len = strnlen(t, (size_t)(end - t));

		v[n] = u_strndup(s->p, t, len);
		if (streq(v[n], "-") && streq(s->names_from, "-"))
			u_die(s->p, 2, 0, "when reading file names from stdin, no file name of %s allowed",
			      u_quote(s->p, "-"));
		n++;
		if (len == 0)
			u_die(s->p, 2, 0, "%s:%d: invalid zero-length file name", list, n);
		t += len + 1;
	}
	if (n == 0)
		u_die(s->p, 2, 0, "no input from %s", u_quote(s->p, s->names_from));
	*files = v;
	return n;
}

/* ---- Output ------------------------------------------------------------------------------------- */

static void write_sorted(struct sort *s, const struct sort_line *v, size_t n, struct u_out *out)
{
	const struct sort_line *last = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct sort_line *l = s->flipped ? &v[n - 1 - i] : &v[i];

		if (s->unique && last && sort_compare_keys(s, last, l, 0) == 0)
			continue;
		last = l;
		u_put(out, l->ptr, (size_t)l->len + 1);
	}
}

static struct u_out *open_output(struct sort *s, struct u_out *file)
{
	int fd;

	if (!s->output)
		return u_stdout(s->p);
	fd = sys_open(s->p, s->output, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
	if (fd < 0)
		u_die(s->p, 2, fd, "open failed: %s", s->output);
	u_out_init(file, s->p, fd, 0);
	return file;
}

static void close_output(struct sort *s, struct u_out *out)
{
	if (u_flush(out) >= 0)
		return;
	u_output_told(s->p);
	u_die(s->p, 2, out->err, "write failed: %s",
	      u_quote(s->p, s->output ? s->output : "standard output"));
}

/* What cannot be read or written is found out before any work is done. */
static void check_files(struct sort *s, int n, char *const *files)
{
	for (int i = 0; i < n; i++) {
		int r = streq(files[i], "-") ? 0 : sys_access(s->p, files[i], SYS_R_OK);

		if (r < 0)
			u_die(s->p, 2, r, "cannot read: %s", u_quote_if_needed(s->p, files[i]));
	}
	if (s->output) {
		int fd = sys_open(s->p, s->output, SYS_O_WRITE | SYS_O_CREATE, 0666);

		if (fd < 0)
			u_die(s->p, 2, fd, "open failed: %s", s->output);
		sys_close(s->p, fd);
	}
}

/* The output of a merge may be one of its inputs: it is opened when all has been read. */
static void merge(struct sort *s, int n, char *const *files)
{
	struct u_out file, *out;
	struct u_buf held;

	if (!s->output) {
		sort_merge(s, n, files, u_stdout(s->p), NULL);
		close_output(s, u_stdout(s->p));
		return;
	}
	u_buf_init(&held, s->p, 0);
	sort_merge(s, n, files, NULL, &held);
	out = open_output(s, &file);
	u_put(out, held.ptr, held.len);
	close_output(s, out);
}

static int sort_main(struct proc *p, const struct cmd_args *a)
{
	struct sort *s = a->opts;
	char *const *files;
	char **listed;
	int n = cmd_files(a, &files);
	struct sort_line *lines;
	struct u_out file, *out;
	size_t count;

	s->p = p;
	s->utf8 = u_utf8(p);
	s->delim = s->zero ? '\0' : '\n';
	if (s->names_from) {
		if (a->argc > 0)
			u_usage(p, "extra operand %s\nfile operands cannot be combined with --files0-from",
				u_quote_file(p, a->argv[0]));
		n = names_from_file(s, &listed);
		files = listed;
	}
	complete_keys(s);
	u_buf_init(&s->number, p, 0);
	set_salt(s);
	if (s->check) {
		if (n > 1)
			u_die(p, 2, 0, "extra operand %s not allowed with -%c", u_quote_file(p, files[1]),
			      s->check);
		if (s->output)
			u_die(p, 2, 0, "options '-%co' are incompatible", s->check);
		return sort_check(s, files[0]);
	}
	check_files(s, n, files);
	if (s->merge) {
		merge(s, n, files);
		return 0;
	}
	lines = sort_read(s, n, files, &count);
	sort_lines(s, lines, count);
	out = open_output(s, &file);
	write_sorted(s, lines, count, out);
	close_output(s, out);
	return 0;
}

static const struct cmd_example sort_examples[] = {
	{"printf '10\\n9\\n2\\n' | sort -n", "2\n9\n10\n"},
	{"printf 'b 1\\na 2\\n' | sort -k2,2nr", "a 2\nb 1\n"},
	{"printf 'x\\ny\\nx\\n' | sort -u", "x\ny\n"},
};

static const struct cmd_missing sort_missing[] = {
	{"--compress-program", "there are no temporary files to compress"},
	{"--debug", "keys are not marked in the output"},
};

const struct cmd cmd_sort = {
	.name = "sort",
	.summary = "write the lines of all files together, sorted",
	.synopsis = "[OPTION]... [FILE]...\n[OPTION]... --files0-from=F",
	.description =
		"Without FILE, or where FILE is -, standard input is read. KEYDEF is\n"
		"F[.C][OPTS][,F[.C][OPTS]]: the key starts in field F at character C and ends in the\n"
		"second field (at its end without C), or at the end of the line. Fields and\n"
		"characters are counted from 1; OPTS are letters of [bdfgiMhnRrV]. Without -t a field\n"
		"begins with the blanks before it. Lines whose keys are equal compare as a whole.\n"
		"Bytes compare by value in every locale.",
	.opts = sort_opts,
	.nopts = COUNTOF(sort_opts),
	.opts_size = sizeof(struct sort),
	.defaults = defaults,
	.rewrite = rewrite,
	.usage_status = 2,
	.main = sort_main,
	.examples = sort_examples,
	.nexamples = COUNTOF(sort_examples),
	.missing = sort_missing,
	.nmissing = COUNTOF(sort_missing),
};
