/* compile.c - the patterns of rg, made ready for grep's front of the two engines. */
#include "rg.h"

static void put_quoted(struct u_buf *b, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (strchr("\\.+*?()|[]{}^$#&-~", s.ptr[i]) && s.ptr[i])
			u_buf_putc(b, '\\');
		u_buf_putc(b, s.ptr[i]);
	}
}

/* All patterns as alternatives. */
static struct str joined(struct rg *g)
{
	const char *s = g->keys.ptr, *end = s + g->keys.len;
	bool first = true;
	struct u_buf b;

	u_buf_init(&b, g->p, 0);
	u_buf_reserve(&b, 1);
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (!first)
			u_buf_putc(&b, '|');
		first = false;
		if (g->fixed)
			put_quoted(&b, (struct str){s, (size_t)(nl - s)});
		else
			u_buf_put(&b, s, (size_t)(nl - s));
		s = nl + 1;
	}
	return (struct str){b.ptr, b.len};
}

/* For -P the case of letters is looked at roughly: what follows a backslash does not count. */
static struct rg_letters look_at_letters(struct str pattern)
{
	struct rg_letters l = {false, false};

	for (size_t i = 0; i < pattern.len; i++) {
		if (pattern.ptr[i] == '\\') {
			i++;
			continue;
		}
		l.any |= ascii_alnum(pattern.ptr[i]);
		l.upper |= ascii_upper(pattern.ptr[i]);
	}
	return l;
}

void rg_compile(struct rg *g)
{
	struct str pattern = joined(g);
	struct grep *m = &g->match;
	struct rg_letters letters;
	struct u_buf out;

	u_buf_init(&out, g->p, 0);
	u_buf_reserve(&out, 1);
	if (g->perl) {
		u_buf_put(&out, pattern.ptr, pattern.len);
		letters = look_at_letters(pattern);
	} else {
		letters = rg_translate(g, pattern, &out);
	}
	grep_defaults(m);
	m->p = g->p;
	m->out = g->out;
	m->utf8 = true;
	m->unicode = true;
	m->groups = g->replace != NULL;
	m->many_lines = g->multiline;
	m->dot_all = g->multiline && g->dotall;
	m->delim = '\n';
	m->dialect = GREP_PERL;
	m->icase = g->letter_case == RG_CASE_IGNORE || (g->letter_case == RG_CASE_SMART && letters.any && !letters.upper);
	m->word = g->word && !g->line;
	m->line = g->line;
	u_buf_init(&m->keys, g->p, 0);
	/* grep takes what is between newlines for patterns. */
	if (memchr(out.ptr, '\n', out.len))
		rg_die(g, "a newline in a pattern of -P is not supported here; write \\n");
	u_buf_put(&m->keys, out.ptr, out.len);
	u_buf_putc(&m->keys, '\n');
	grep_compile(m);
}
