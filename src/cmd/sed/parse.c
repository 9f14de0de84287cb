/*
 * parse.c - sed scripts to commands.
 *
 * Read character by character, as positions in messages count what has been read. Blocks
 * and labels are resolved when everything has been read.
 */
#include "sed.h"

struct sed_block {
	struct sed_block *outer;
	size_t cmd;		/* its { */
	const char *file;	/* where it stands, for the message that it is not closed */
	unsigned expression, line;
};

/* ---- Characters and errors -------------------------------------------------------------- */

int sed_next(struct sed_parser *q)
{
	if (q->cur == q->end)
		return SED_EOF;
	if (*q->cur == '\n')
		q->line++;
	return (unsigned char)*q->cur++;
}

void sed_back(struct sed_parser *q, int c)
{
	if (c == SED_EOF)
		return;
	if (c == '\n')
		q->line--;
	q->cur--;
}

static NORETURN void bad_at(struct sed_parser *q, const char *file, unsigned expression, unsigned line,
			    size_t position, const char *text)
{
	if (file)
		u_die(q->p, 1, 0, "file %s line %u: %s", file, line, text);
	u_die(q->p, 1, 0, "-e expression #%u, char %zu: %s", expression, position, text);
}

void sed_bad(struct sed_parser *q, const char *fmt, ...)
{
	char buf[256];
	va_list ap;

	va_start(ap, fmt);
	fmt_buf_v(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	bad_at(q, q->file, q->expression, q->line, (size_t)(q->cur - q->base), buf);
}

static int next_nonblank(struct sed_parser *q)
{
	int c;

	do
		c = sed_next(q);
	while (c == ' ' || c == '\t');
	return c;
}

static void end_of_command(struct sed_parser *q)
{
	int c = next_nonblank(q);

	if (c == '}' || c == '#')
		sed_back(q, c);
	else if (c != SED_EOF && c != '\n' && c != ';')
		sed_bad(q, "extra characters after command");
}

/* The number that starts with the digit c; 0 when it is none. Huge ones are cut to what is never reached. */
static uint64_t number(struct sed_parser *q, int c)
{
	uint64_t n = 0;

	for (; ascii_digit(c); c = sed_next(q)) {
		if (n < UINT64_MAX / 16)
			n = n * 10 + (uint64_t)(c - '0');
	}
	sed_back(q, c);
	return n;
}

static struct str word_copy(struct sed_parser *q, const char *s, size_t n)
{
	return (struct str){u_strndup(q->p, s, n), n};
}

/* A label ends at blanks, a semicolon, a brace or a comment. */
static struct str label(struct sed_parser *q)
{
	const char *start;
	int c = next_nonblank(q);

	sed_back(q, c);
	start = q->cur;
	while (q->cur < q->end && !ascii_space((unsigned char)*q->cur) && !memchr(";}#", *q->cur, 3))
		q->cur++;
	return word_copy(q, start, (size_t)(q->cur - start));
}

/* The rest of the line. */
static struct str file_name(struct sed_parser *q)
{
	const char *start, *nl;
	int c = next_nonblank(q);

	sed_back(q, c);
	start = q->cur;
	nl = memchr(start, '\n', (size_t)(q->end - start));
	q->cur = nl ? nl : q->end;
	if (q->cur == start)
		sed_bad(q, "missing filename in r/R/w/W commands");
	return word_copy(q, start, (size_t)(q->cur - start));
}

/* ---- Addresses ------------------------------------------------------------------------------ */

static bool regex_address(struct sed_parser *q, char delim, struct sed_addr *a)
{
	unsigned flags = 0;
	struct u_buf b;

	u_buf_init(&b, q->p, 0);
	if (!sed_delimited(q, delim, true, &b))
		sed_bad(q, "unterminated address regex");
	for (;;) {
		int c = next_nonblank(q);

		if (c == 'I') {
			flags |= REGEX_ICASE;
		} else if (c == 'M') {
			flags |= REGEX_NEWLINE;
		} else {
			sed_back(q, c);
			break;
		}
	}
	a->kind = SED_REGEX;
	sed_compile_regex(q, b.ptr, b.len, flags, &a->re);
	return true;
}

/* The address that starts with c; false (and c is not taken back) when there is none. */
static bool address(struct sed_parser *q, int c, struct sed_addr *a)
{
	memset(a, 0, sizeof(*a));
	if (c == '/')
		return regex_address(q, '/', a);
	if (c == '\\') {
		c = sed_next(q);
		if (c == SED_EOF)
			sed_bad(q, "unterminated address regex");
		return regex_address(q, (char)c, a);
	}
	if (c == '$') {
		a->kind = SED_LAST;
		return true;
	}
	if (c == '+' || c == '~') {
		a->kind = c == '+' ? SED_PLUS : SED_MULTIPLE;
		a->n = number(q, next_nonblank(q));
		return true;
	}
	if (!ascii_digit(c))
		return false;
	a->n = number(q, c);
	a->kind = SED_LINE;
	c = next_nonblank(q);
	if (c == '~') {
		a->step = number(q, next_nonblank(q));
		/* Every 0th line after the first is the first alone. */
		if (a->step > 0)
			a->kind = SED_STEP;
	} else {
		sed_back(q, c);
	}
	return true;
}

/* Both addresses and the ! after them; returns the first character of the command. */
static int addresses(struct sed_parser *q, int c, struct sed_cmd *cmd)
{
	if (address(q, c, &cmd->a1)) {
		if (cmd->a1.kind == SED_PLUS || cmd->a1.kind == SED_MULTIPLE)
			sed_bad(q, "invalid usage of +N or ~N as first address");
		c = next_nonblank(q);
		if (c == ',') {
			if (!address(q, next_nonblank(q), &cmd->a2))
				sed_bad(q, "unexpected `,'");
			c = next_nonblank(q);
		}
		if (cmd->a1.kind == SED_LINE && cmd->a1.n == 0 && cmd->a2.kind != SED_REGEX)
			sed_bad(q, "invalid usage of line address 0");
		if (cmd->a1.kind == SED_LINE && cmd->a1.n == 0)
			cmd->range = SED_ACTIVE;
	}
	if (c == '!') {
		cmd->negate = true;
		c = next_nonblank(q);
		if (c == '!')
			sed_bad(q, "multiple `!'s");
	}
	return c;
}

/* ---- Commands ---------------------------------------------------------------------------------- */

static void subst_flags(struct sed_parser *q, struct sed_subst *u, unsigned *flags)
{
	for (;;) {
		int c = sed_next(q);

		switch (c) {
		case 'i': case 'I': *flags |= REGEX_ICASE; break;
		case 'm': case 'M': *flags |= REGEX_NEWLINE; break;
		case 'e': sed_bad(q, "the `e' option to `s' is not supported");
		case 'p':
			if (u->print++)
				sed_bad(q, "multiple `p' options to `s' command");
			break;
		case 'g':
			if (u->global)
				sed_bad(q, "multiple `g' options to `s' command");
			u->global = true;
			break;
		case 'w':
			if (q->s->sandbox)
				sed_bad(q, "e/r/w commands disabled in sandbox mode");
			u->file = sed_open_output(q->s, file_name(q).ptr);
			return;
		case ' ': case '\t': case '\r': break;
		case '}': case '#': sed_back(q, c); return;
		case '\n': case ';': case SED_EOF: return;
		default:
			if (!ascii_digit(c))
				sed_bad(q, "unknown option to `s'");
			if (u->number)
				sed_bad(q, "multiple number options to `s' command");
			u->number = number(q, c);
			if (u->number == 0)
				sed_bad(q, "number option to `s' command may not be zero");
		}
	}
}

static void subst(struct sed_parser *q, struct sed_cmd *cmd)
{
	struct sed_subst *u = u_zalloc(q->p, sizeof(*u));
	struct u_buf pattern, replacement;
	unsigned flags = 0;
	int delim = sed_next(q);

	u_buf_init(&pattern, q->p, 0);
	u_buf_init(&replacement, q->p, 0);
	if (delim == SED_EOF || delim == '\n' || !sed_delimited(q, (char)delim, true, &pattern) ||
	    !sed_delimited(q, (char)delim, false, &replacement))
		sed_bad(q, "unterminated `s' command");
	sed_parse_replacement(q, replacement.ptr, replacement.len, u);
	subst_flags(q, u, &flags);
	if (u->number == 0)
		u->number = 1;
	sed_compile_regex(q, pattern.ptr, pattern.len, flags, &u->re);
	if (u->re.re && u->groups > regex_groups(u->re.re))
		sed_bad(q, "invalid reference \\%u on `s' command's RHS", u->groups);
	cmd->subst = u;
}

static void transliterate(struct sed_parser *q, struct sed_cmd *cmd)
{
	struct u_buf from, to;
	int delim = sed_next(q);

	u_buf_init(&from, q->p, 0);
	u_buf_init(&to, q->p, 0);
	if (delim == SED_EOF || delim == '\n' || !sed_delimited(q, (char)delim, false, &from) ||
	    !sed_delimited(q, (char)delim, false, &to))
		sed_bad(q, "unterminated `y' command");
	cmd->map = sed_parse_map(q, &from, &to);
	end_of_command(q);
}

/* The text of a, i or c, which may be on the line of the command or on those after it. */
static void text_command(struct sed_parser *q)
{
	int c = next_nonblank(q);

	if (c == SED_EOF)
		sed_bad(q, "expected \\ after `a', `c' or `i'");
	u_buf_init(&q->text, q->p, 0);
	if (c == '\\') {
		c = sed_next(q);
		if (c == SED_EOF) {
			q->wants_text = true;
			return;
		}
		/* What follows on the same line begins with a character that means itself. */
		if (c != '\n' && c != '\\') {
			u_buf_putc(&q->text, (char)c);
		} else if (c == '\\') {
			sed_back(q, c);
		}
	} else {
		sed_back(q, c);
	}
	q->wants_text = sed_read_text(q, &q->text);
}

static void set_text(struct sed_parser *q)
{
	struct sed_cmd *cmd = &q->s->cmd[q->s->ncmd - 1];

	cmd->text = (struct str){q->text.ptr, q->text.len};
}

static struct sed_reader *reader(struct sed *s, const char *name)
{
	struct sed_reader *r = s->readers;

	while (r && !streq(r->name, name))
		r = r->next;
	if (!r) {
		r = u_zalloc(s->p, sizeof(*r));
		r->name = name;
		r->fd = -1;
		r->next = s->readers;
		s->readers = r;
	}
	return r;
}

static void open_block(struct sed_parser *q)
{
	struct sed_block *b = u_alloc(q->p, sizeof(*b));

	*b = (struct sed_block){q->blocks, q->s->ncmd - 1, q->file, q->expression, q->line};
	q->blocks = b;
}

static void close_block(struct sed_parser *q, const struct sed_cmd *cmd)
{
	if (!q->blocks)
		sed_bad(q, "unexpected `}'");
	if (cmd->a1.kind)
		sed_bad(q, "`}' doesn't want any addresses");
	q->s->cmd[q->blocks->cmd].jump = q->s->ncmd - 1;
	q->blocks = q->blocks->outer;
	end_of_command(q);
}

static void version(struct sed_parser *q)
{
	struct str v = label(q);
	const char *s = v.ptr, *end;
	int64_t want = 0, part;

	for (int i = 0; i < 3 && v.len; i++) {
		part = num_i64(s, &end, 10, NULL);
		if (end == s)
			sed_bad(q, "expected newer version of sed");
		want = want * 1000 + MIN(part, 999);
		s = *end == '.' ? end + 1 : end;
		if (*end == '\0' && i < 2) {
			for (i++; i < 3; i++)
				want *= 1000;
		}
	}
	if (want > 4009000)
		sed_bad(q, "expected newer version of sed");
	end_of_command(q);
}

/* A # comment; a script whose first two characters are "#n" means -n. */
static void comment(struct sed_parser *q, const struct sed_cmd *cmd)
{
	const char *nl;

	if (cmd->a1.kind)
		sed_bad(q, "comments don't accept any addresses");
	if (q->first && q->cur == q->base + 1 && q->cur < q->end && *q->cur == 'n')
		q->s->quiet = true;
	nl = memchr(q->cur, '\n', (size_t)(q->end - q->cur));
	q->cur = nl ? nl : q->end;
}

static void optional_number(struct sed_parser *q, struct sed_cmd *cmd)
{
	int c = next_nonblank(q);

	cmd->number = -1;
	if (ascii_digit(c)) {
		uint64_t n = number(q, c);

		cmd->number = (int64_t)MIN(n, (uint64_t)INT32_MAX);
	} else {
		sed_back(q, c);
	}
	end_of_command(q);
}

static void file_command(struct sed_parser *q, struct sed_cmd *cmd)
{
	if (q->s->sandbox)
		sed_bad(q, "e/r/w commands disabled in sandbox mode");
	cmd->text = file_name(q);
	if (cmd->name == 'w' || cmd->name == 'W')
		cmd->file = sed_open_output(q->s, cmd->text.ptr);
	else if (cmd->name == 'R')
		cmd->reader = reader(q->s, cmd->text.ptr);
}

static void command(struct sed_parser *q, int c, struct sed_cmd *cmd)
{
	cmd->name = (char)c;
	switch (c) {
	case SED_EOF: sed_bad(q, "missing command");
	case '{': open_block(q); break;
	case '}': close_block(q, cmd); break;
	case 'e': sed_bad(q, "the `e' command is not supported");
	case 'a': case 'i': case 'c':
		text_command(q);
		set_text(q);
		break;
	case ':':
		if (cmd->a1.kind)
			sed_bad(q, ": doesn't want any addresses");
		cmd->text = label(q);
		if (cmd->text.len == 0)
			sed_bad(q, "\":\" lacks a label");
		break;
	case 'b': case 't': case 'T': cmd->text = label(q); break;
	case 'q': case 'Q':
		if (cmd->a2.kind)
			sed_bad(q, "command only uses one address");
		optional_number(q, cmd);
		break;
	case 'l': optional_number(q, cmd); break;
	case 'r': case 'R': case 'w': case 'W': file_command(q, cmd); break;
	case 's': subst(q, cmd); break;
	case 'y': transliterate(q, cmd); break;
	case 'v': version(q); break;
	case '=': case 'd': case 'D': case 'F': case 'g': case 'G': case 'h': case 'H':
	case 'n': case 'N': case 'p': case 'P': case 'x': case 'z': end_of_command(q); break;
	default: sed_bad(q, "unknown command: `%c'", c);
	}
}

static struct sed_cmd *new_command(struct sed *s)
{
	if (s->ncmd == s->capcmd) {
		size_t cap = s->capcmd ? s->capcmd * 2 : 8;

		s->cmd = arena_grow(&sys_self(s->p)->arena, s->cmd, s->capcmd * sizeof(*s->cmd),
				    size_mul(cap, sizeof(*s->cmd)));
		s->capcmd = cap;
	}
	return memset(&s->cmd[s->ncmd++], 0, sizeof(struct sed_cmd));
}

static void commands(struct sed_parser *q)
{
	for (;;) {
		struct sed_cmd *cmd;
		int c;

		do
			c = sed_next(q);
		while (c == ';' || (c != SED_EOF && ascii_space(c)));
		if (c == SED_EOF)
			return;
		cmd = new_command(q->s);
		c = addresses(q, c, cmd);
		if (c == '#') {
			comment(q, cmd);
			q->s->ncmd--;
			continue;
		}
		command(q, c, cmd);
	}
}

/* ---- Scripts -------------------------------------------------------------------------------------- */

struct sed_parser *sed_parser_new(struct sed *s)
{
	struct sed_parser *q = u_zalloc(s->p, sizeof(*q));

	q->s = s;
	q->p = s->p;
	q->first = true;
	return q;
}

void sed_parse_text(struct sed_parser *q, const char *text, size_t n, const char *file)
{
	q->base = q->cur = text;
	q->end = text + n;
	q->file = file;
	q->line = 1;
	if (!file)
		q->expression++;
	if (q->wants_text) {
		q->wants_text = sed_read_text(q, &q->text);
		set_text(q);
	}
	commands(q);
	q->first = false;
}

static size_t find_label(const struct sed *s, struct str name)
{
	for (size_t i = s->ncmd; i-- > 0;) {
		if (s->cmd[i].name == ':' && str_eq(s->cmd[i].text, name))
			return i;
	}
	u_die(s->p, 4, 0, "can't find label for jump to `%s'", name.ptr);
}

void sed_parse_end(struct sed_parser *q)
{
	struct sed *s = q->s;

	if (q->blocks)
		bad_at(q, q->blocks->file, q->blocks->expression, q->blocks->line, 0, "unmatched `{'");
	for (size_t i = 0; i < s->ncmd; i++) {
		struct sed_cmd *c = &s->cmd[i];

		if (c->name == 'b' || c->name == 't' || c->name == 'T')
			c->jump = c->text.len ? find_label(s, c->text) : s->ncmd;
	}
}
