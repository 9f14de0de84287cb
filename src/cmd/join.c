/*
 * join.c - join lines of two sorted files on a common field.
 *
 * Both files are read in step; of the second, all lines with the key in hand are kept, since
 * each line of the first is paired with each of them.
 */
#include "cmd.h"

enum order_check { CHECK_DEFAULT, CHECK_ON, CHECK_OFF };

struct join_field {
	int file;		/* 0: the join field; else 1 or 2 */
	size_t field;		/* from 0 */
};

struct join {
	bool ignore_case, header, zero;
	bool unpaired[2], pairs_off, auto_format;
	int check;
	const char *empty, *tab;
	size_t key[2];		/* from 1; 0: not given */
	struct cmd_list format;

	struct proc *p;
	struct join_field *out;
	size_t nout, out_cap;
	size_t auto_fields[2];
	int sep;		/* -1: blanks; -2: none, the line is one field */
	bool seen_unpairable, failed;
};

static size_t field_number(struct proc *p, const char *s)
{
	uint64_t v;

	if (!ascii_digit(*s) || u_parse_size(s, NULL, &v) == -NACRE_EINVAL || v == 0)
		u_die(p, 1, 0, "invalid field number: %s", u_quote(p, s));
	return (size_t)v;
}

static void set_key(struct proc *p, struct join *j, int f, const char *arg)
{
	size_t n = field_number(p, arg);

	if (j->key[f] && j->key[f] != n)
		u_die(p, 1, 0, "incompatible join fields %zu, %zu", j->key[f], n);
	j->key[f] = n;
}

static void opt_key(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	if (o->shrt != '2')
		set_key(p, opts, 0, arg);
	if (o->shrt != '1')
		set_key(p, opts, 1, arg);
}

static void opt_unpaired(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct join *j = opts;

	if (!streq(arg, "1") && !streq(arg, "2"))
		u_die(p, 1, 0, "invalid field number: %s", u_quote(p, arg));
	j->unpaired[arg[0] - '1'] = true;
	j->pairs_off |= o->shrt == 'v';
}

static void opt_empty(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct join *j = opts;

	(void)o;
	if (j->empty && !streq(j->empty, arg))
		u_die(p, 1, 0, "conflicting empty-field replacement strings");
	j->empty = arg;
}

static const struct cmd_opt join_opts[] = {
	CMD_CALL('a', NULL, "FILENUM", opt_unpaired, "also print unpairable lines from file FILENUM, 1 or 2"),
	CMD_CALL('e', NULL, "STRING", opt_empty, "replace missing (empty) input fields with STRING"),
	CMD_FLAG(struct join, ignore_case, 'i', "ignore-case", "ignore differences in case"),
	CMD_CALL('j', NULL, "FIELD", opt_key, "the same as -1 FIELD -2 FIELD"),
	CMD_LIST(struct join, format, 'o', NULL, "FORMAT", "fields to print: FILENUM.FIELD or 0, separated by\ncommas or blanks; or auto"),
	CMD_STRING(struct join, tab, 't', NULL, "CHAR", "field separator of input and output"),
	CMD_CALL('v', NULL, "FILENUM", opt_unpaired, "like -a, but without joined lines"),
	CMD_CALL('1', NULL, "FIELD", opt_key, "join on this field of file 1"),
	CMD_CALL('2', NULL, "FIELD", opt_key, "join on this field of file 2"),
	CMD_CHOICE(struct join, check, 0, "check-order", CHECK_ON, "check that the input is sorted"),
	CMD_CHOICE(struct join, check, 0, "nocheck-order", CHECK_OFF, "do not check it"),
	CMD_FLAG(struct join, header, 0, "header", "treat the first line of each file as field headers"),
	CMD_FLAG(struct join, zero, 'z', "zero-terminated", "lines end in NUL, not newline"),
};

/* ---- Lines ---------------------------------------------------------------------------------- */

struct row {
	char *text;
	size_t len, cap;
	struct str *field;
	size_t n, fields_cap;
};

struct source {
	struct u_lines lines;
	const char *name;
	struct row **row;	/* those with the same key; [0] is in hand */
	size_t n, cap;
	struct row *spare, *last; /* the line before, for the check of order */
	uint64_t number;
	bool warned;
};

static void split_fields(struct join *j, struct row *r)
{
	const char *s = r->text, *end = s + r->len;

	r->n = 0;
	if (j->sep == -1) {
		while (s < end && (ascii_blank(*s) || *s == '\n'))
			s++;
	}
	if (s == end)
		return;
	for (;;) {
		const char *t = s;

		if (r->n == r->fields_cap) {
			struct str *v = u_array(j->p, r->fields_cap * 2 + 8, sizeof(*v));

			if (r->n)
				memcpy(v, r->field, r->n * sizeof(*v));
			r->field = v;
			r->fields_cap = r->fields_cap * 2 + 8;
		}
		if (j->sep == -1) {
			while (t < end && !ascii_blank(*t) && *t != '\n')
				t++;
		} else if (j->sep >= 0) {
			t = memchr(s, j->sep, (size_t)(end - s));
			if (!t)
				t = end;
		} else {
			t = end;
		}
		r->field[r->n++] = (struct str){s, (size_t)(t - s)};
		if (t == end)
			return;
		s = t + 1;
		if (j->sep == -1) {
			while (s < end && (ascii_blank(*s) || *s == '\n'))
				s++;
			if (s == end)
				return;
		}
	}
}

static int compare(const struct join *j, const struct row *a, size_t ka, const struct row *b, size_t kb)
{
	struct str x = ka < a->n ? a->field[ka] : (struct str){"", 0};
	struct str y = kb < b->n ? b->field[kb] : (struct str){"", 0};
	size_t n = MIN(x.len, y.len);

	if (x.len == 0)
		return y.len == 0 ? 0 : -1;
	if (y.len == 0)
		return 1;
	for (size_t i = 0; i < n; i++) {
		int c = (unsigned char)x.ptr[i], d = (unsigned char)y.ptr[i];

		if (j->ignore_case) {
			c = ascii_toupper(c);
			d = ascii_toupper(d);
		}
		if (c != d)
			return c - d;
	}
	return x.len < y.len ? -1 : x.len > y.len;
}

static void check(struct join *j, int f, struct source *s, const struct row *now)
{
	if (!s->last || j->check == CHECK_OFF || !(j->check == CHECK_ON || j->seen_unpairable) || s->warned)
		return;
	if (compare(j, s->last, j->key[f], now, j->key[f]) <= 0)
		return;
	s->warned = j->failed = true;
	u_warn(j->p, 0, "%s:%llu: is not sorted: %.*s", s->name, (unsigned long long)s->number,
	       (int)MIN(now->len, 10000), now->text);
	if (j->check == CHECK_ON)
		u_exit(j->p, 1);
}

/* Adds a line to those of the source; false at the end. */
static bool get_row(struct join *j, int f, struct source *s)
{
	struct row *r = s->spare;
	struct str line;

	if (!u_lines_next(&s->lines, &line)) {
		if (s->lines.err)
			u_die(j->p, 1, s->lines.err, "%s", s->name);
		return false;
	}
	s->number++;
	sys_checkpoint(j->p);
	if (r)
		s->spare = NULL;
	else
		r = u_zalloc(j->p, sizeof(*r));
	if (r->cap < line.len + 1) {
		r->cap = size_mul(line.len + 32, 2);
		r->text = u_alloc(j->p, r->cap);
	}
	memcpy(r->text, line.ptr, line.len);
	r->len = line.len;
	split_fields(j, r);
	check(j, f, s, r);
	if (s->n == s->cap) {
		struct row **v = u_array(j->p, s->cap * 2 + 8, sizeof(*v));

		if (s->n)
			memcpy(v, s->row, s->n * sizeof(*v));
		s->row = v;
		s->cap = s->cap * 2 + 8;
	}
	s->row[s->n++] = r;
	s->last = r;
	return true;
}

/* ---- Output --------------------------------------------------------------------------------- */

static void put_field(struct join *j, const struct row *r, size_t i)
{
	struct str empty = j->empty ? str_from(j->empty) : (struct str){"", 0};
	struct str s = r && i < r->n && r->field[i].len > 0 ? r->field[i] : empty;

	u_put(u_stdout(j->p), s.ptr, s.len);
}

static void put_others(struct join *j, const struct row *r, size_t key, size_t limit, char sep)
{
	size_t n = j->auto_format ? limit : r ? r->n : 0;

	for (size_t i = 0; i < n; i++) {
		if (i == key)
			continue;
		u_putc(u_stdout(j->p), sep);
		put_field(j, r, i);
	}
}

static void put_joined(struct join *j, const struct row *a, const struct row *b)
{
	struct u_out *out = u_stdout(j->p);
	char sep = j->sep >= 0 ? (char)j->sep : j->sep == -2 ? '\n' : ' ';

	if (j->nout > 0) {
		for (size_t i = 0; i < j->nout; i++) {
			const struct join_field *f = &j->out[i];

			if (i > 0)
				u_putc(out, sep);
			if (f->file == 0)
				put_field(j, a ? a : b, a ? j->key[0] : j->key[1]);
			else
				put_field(j, f->file == 1 ? a : b, f->field);
		}
	} else {
		put_field(j, a ? a : b, a ? j->key[0] : j->key[1]);
		put_others(j, a, j->key[0], j->auto_fields[0], sep);
		put_others(j, b, j->key[1], j->auto_fields[1], sep);
	}
	u_putc(out, j->zero ? '\0' : '\n');
}

/* ---- Joining -------------------------------------------------------------------------------- */

/* Drops the line in hand and gets the next one. */
static void advance(struct join *j, int f, struct source *s)
{
	s->n = 0;
	get_row(j, f, s);
}

/* Gets all lines with the key of row[0]; true when one with another key is behind them. */
static bool gather(struct join *j, int f, struct source *s)
{
	while (get_row(j, f, s)) {
		if (compare(j, s->row[0], j->key[f], s->row[s->n - 1], j->key[f]) != 0)
			return true;
	}
	return false;
}

static void keep_last(struct source *s, bool more)
{
	if (more) {
		struct row *r = s->row[s->n - 1];

		s->row[s->n - 1] = s->row[0];
		s->row[0] = r;
	}
	s->n = more;
}

static void join(struct join *j, struct source *a, struct source *b)
{
	get_row(j, 0, a);
	get_row(j, 1, b);
	if (j->auto_format) {
		j->auto_fields[0] = a->n ? a->row[0]->n : 0;
		j->auto_fields[1] = b->n ? b->row[0]->n : 0;
	}
	if (j->header && (a->n || b->n)) {
		put_joined(j, a->n ? a->row[0] : NULL, b->n ? b->row[0] : NULL);
		a->last = b->last = NULL;
		if (a->n)
			advance(j, 0, a);
		if (b->n)
			advance(j, 1, b);
	}
	while (a->n && b->n) {
		int d = compare(j, a->row[0], j->key[0], b->row[0], j->key[1]);
		bool more_a, more_b;

		if (d != 0) {
			int f = d > 0;
			struct source *s = f ? b : a;

			if (j->unpaired[f])
				put_joined(j, f ? NULL : s->row[0], f ? s->row[0] : NULL);
			/* The line read next is not looked at for it yet, as in GNU's. */
			advance(j, f, s);
			j->seen_unpairable = true;
			continue;
		}
		more_a = gather(j, 0, a);
		more_b = gather(j, 1, b);
		for (size_t x = 0; !j->pairs_off && x < a->n - more_a; x++) {
			for (size_t y = 0; y < b->n - more_b; y++) {
				sys_checkpoint(j->p);
				put_joined(j, a->row[x], b->row[y]);
			}
		}
		keep_last(a, more_a);
		keep_last(b, more_b);
	}
	for (int f = 0; f < 2; f++) {
		struct source *s = f ? b : a;

		if (s->n > 0 && (f ? a : b)->number > 0)
			j->seen_unpairable = true;
		/* What is left is read on for its order's sake too. */
		while (s->n > 0) {
			if (j->unpaired[f])
				put_joined(j, f ? NULL : s->row[0], f ? s->row[0] : NULL);
			else if (j->check == CHECK_OFF || (s->warned && j->check != CHECK_ON))
				break;
			advance(j, f, s);
		}
	}
}

/* ---- Arguments ------------------------------------------------------------------------------ */

static void add_format(struct join *j, const char *word)
{
	struct join_field f = {0, 0};

	if (word[0] == '0' && !word[1]) {
		f.file = 0;
	} else if ((word[0] == '1' || word[0] == '2') && word[1] == '.') {
		f.file = word[0] - '0';
		f.field = field_number(j->p, word + 2) - 1;
	} else if (word[0] == '0' || ((word[0] == '1' || word[0] == '2') && word[1] != '.')) {
		u_die(j->p, 1, 0, "invalid field specifier: %s", u_quote(j->p, word));
	} else {
		u_die(j->p, 1, 0, "invalid file number in field spec: %s", u_quote(j->p, word));
	}
	if (j->nout == j->out_cap) {
		struct join_field *v = u_array(j->p, j->out_cap * 2 + 8, sizeof(*v));

		if (j->nout)
			memcpy(v, j->out, j->nout * sizeof(*v));
		j->out = v;
		j->out_cap = j->out_cap * 2 + 8;
	}
	j->out[j->nout++] = f;
}

static bool looks_like_format(const char *s)
{
	return (s[0] == '0' && (!s[1] || strchr(", ", s[1]))) || ((s[0] == '1' || s[0] == '2') && s[1] == '.' && ascii_digit(s[2]));
}

static int join_main(struct proc *p, const struct cmd_args *a)
{
	struct join *j = a->opts;
	struct source *s[2];
	char **file = a->argv;
	int n = a->argc;

	j->p = p;
	j->sep = -1;
	if (j->tab) {
		if (!j->tab[0])
			j->sep = -2;
		else if (streq(j->tab, "\\0"))
			j->sep = 0;
		else if (j->tab[1])
			u_die(p, 1, 0, "multi-character tab %s", u_quote(p, j->tab));
		else
			j->sep = (unsigned char)j->tab[0];
	}
	for (size_t i = 0; i < j->format.n; i++) {
		const char *at = j->format.v[i];

		if (streq(at, "auto")) {
			j->auto_format = true;
			continue;
		}
		while (*at) {
			size_t len = strcspn(at, ", \t");

			add_format(j, u_strndup(p, at, len));
			at += len + (at[len] != '\0');
		}
	}
	/* The old form: -o 1.1 2.2 FILE FILE. */
	while (n > 2 && j->nout > 0 && looks_like_format(file[0])) {
		add_format(j, file[0]);
		file++;
		n--;
	}
	if (n == 0)
		u_usage(p, "missing operand");
	if (n == 1)
		u_usage(p, "missing operand after %s", u_quote(p, file[0]));
	if (n > 2)
		u_usage(p, "extra operand %s", u_quote(p, file[2]));
	if (streq(file[0], "-") && streq(file[1], "-"))
		u_die(p, 1, 0, "both files cannot be standard input");
	for (int f = 0; f < 2; f++) {
		int fd = u_open_operand(p, file[f]);

		if (fd < 0)
			return 1;
		s[f] = u_zalloc(p, sizeof(*s[f]));
		s[f]->name = file[f];
		u_lines_init(&s[f]->lines, p, fd, j->zero ? '\0' : '\n');
		j->key[f] = j->key[f] ? j->key[f] - 1 : 0;
	}
	join(j, s[0], s[1]);
	if (j->failed)
		u_die(p, 1, 0, "input is not in sorted order");
	return 0;
}

static const struct cmd_example join_examples[] = {
	{"printf '%s\\n' '1 a' '2 b' > x; printf '%s\\n' '1 c' '3 d' > y; join x y", "1 a c\n"},
	{"printf '%s\\n' 1,a 2,b > x; printf '%s\\n' 1,c 3,d > y; join -t, -a1 x y", "1,a,c\n2,b\n"},
};

const struct cmd cmd_join = {
	.name = "join",
	.summary = "join lines of two files on a common field",
	.synopsis = "[OPTION]... FILE1 FILE2",
	.description =
		"For each pair of input lines with identical join fields, writes a line to\n"
		"standard output. The default join field is the first, delimited by blanks.\n"
		"FILE1 and FILE2 must be sorted on the join fields; one of them may be -.",
	.opts = join_opts,
	.nopts = COUNTOF(join_opts),
	.opts_size = sizeof(struct join),
	.main = join_main,
	.examples = join_examples,
	.nexamples = COUNTOF(join_examples),
};
