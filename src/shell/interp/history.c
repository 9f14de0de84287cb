/*
 * history.c - under `set -o history`, the lines that are read become entries of the history.
 *
 * A command of several lines is one entry (shopt cmdhist): its lines are joined by "; ", or by a
 * blank where a semicolon would be wrong, or stay lines inside quotes and here-documents.
 * HISTCONTROL and HISTIGNORE say what is left out.
 */
#include "interp.h"

/* ---- What is left out ------------------------------------------------------------- */

/* Is `word` among the words of HISTCONTROL? */
static bool control_has(struct shell *sh, const char *word)
{
	char buf[VALUE_BUF];
	struct str s;
	size_t n = strlen(word), from = 0;

	if (!state_get(sh->st, STR("HISTCONTROL"), buf, &s))
		return false;
	for (size_t i = 0; i <= s.len; i++) {
		if (i < s.len && s.ptr[i] != ':')
			continue;
		if (i - from == n && memcmp(s.ptr + from, word, n) == 0)
			return true;
		from = i + 1;
	}
	return false;
}

static struct str newest(struct shell *sh)
{
	size_t n = history_count(sh->st);

	return n ? history_at(sh->st, n - 1, NULL) : STR("");
}

/* A pattern of HISTIGNORE; & in it is the newest entry. */
static bool ignored_by(struct shell *sh, struct str pattern, struct str line)
{
	struct u_buf b;

	u_buf_init(&b, sh->p, EXPAND_WORD_MAX);
	for (size_t i = 0; i < pattern.len; i++) {
		struct str last = newest(sh);

		if (pattern.ptr[i] == '\\' && i + 1 < pattern.len && pattern.ptr[i + 1] == '&') {
			u_buf_putc(&b, pattern.ptr[++i]);
		} else if (pattern.ptr[i] == '&') {
			u_buf_put(&b, last.ptr, last.len);
		} else {
			u_buf_putc(&b, pattern.ptr[i]);
		}
	}
	return pattern_match(&sh->x, (struct str){b.ptr ? b.ptr : "", b.len}, line,
	                     pattern_flags(sh->st));
}

static bool ignored(struct shell *sh, struct str line)
{
	char buf[VALUE_BUF];
	struct str s;
	size_t from = 0;

	if (!state_get(sh->st, STR("HISTIGNORE"), buf, &s) || !s.len)
		return false;
	s = (struct str){u_strndup(sh->p, s.ptr, s.len), s.len};
	for (size_t i = 0; i <= s.len; i++) {
		if (i < s.len && s.ptr[i] == '\\' && i + 1 < s.len) {
			i++;
			continue;
		}
		if (i < s.len && s.ptr[i] != ':')
			continue;
		if (ignored_by(sh, (struct str){s.ptr + from, i - from}, line))
			return true;
		from = i + 1;
	}
	return false;
}

bool history_push(struct shell *sh, struct str line)
{
	bool both = control_has(sh, "ignoreboth");

	if ((both || control_has(sh, "ignorespace")) && line.len && line.ptr[0] == ' ')
		return false;
	if ((both || control_has(sh, "ignoredups")) && history_count(sh->st) &&
	    str_eq(line, newest(sh)))
		return false;
	if (ignored(sh, line))
		return false;
	if (control_has(sh, "erasedups"))
		for (size_t i = history_count(sh->st); i-- > 0;)
			if (str_eq(history_at(sh->st, i, NULL), line))
				history_remove(sh->st, i);
	history_add(sh->st, line);
	return true;
}

/* ---- How lines are joined ------------------------------------------------------------ */

/* Where a text stands at its end: what its next line is to be joined with. */
struct scan {
	char quote;      /* the quote it is inside, or 0 */
	bool heredoc;    /* inside a here-document, or about to be */
	bool array;      /* inside name=( */
	char last;       /* the last character that is no blank */
	size_t word;     /* where the last word starts */
	struct str stop; /* the here-document's end */
	bool strip;
};

static void here_delimiter(struct scan *s, struct str t, size_t i)
{
	size_t from;

	s->strip = i < t.len && t.ptr[i] == '-';
	i += s->strip;
	while (i < t.len && (t.ptr[i] == ' ' || t.ptr[i] == '\t'))
		i++;
	if (i < t.len && strchr("'\"\\", t.ptr[i]))
		i++;
	for (from = i; i < t.len && !strchr(" \t\n;|&<>()'\"", t.ptr[i]); i++)
		;
	s->stop = (struct str){t.ptr + from, i - from};
}

/* One line of a here-document: its end, or past it. */
static size_t here_line(struct scan *s, struct str t, size_t i)
{
	const char *nl = memchr(t.ptr + i, '\n', t.len - i);
	size_t end = nl ? (size_t)(nl - t.ptr) : t.len;

	while (s->strip && i < end && t.ptr[i] == '\t')
		i++;
	if (end - i == s->stop.len && memcmp(t.ptr + i, s->stop.ptr, s->stop.len) == 0)
		s->heredoc = false;
	return end;
}

static void scan_text(struct scan *s, struct str t)
{
	bool pending = false, blank = true;

	*s = (struct scan){0};
	for (size_t i = 0; i < t.len; i++) {
		char c = t.ptr[i];

		if (s->heredoc) {
			i = here_line(s, t, i);
			continue;
		}
		if (s->quote) {
			if (c == '\\' && s->quote != '\'')
				i++;
			else if (c == s->quote)
				s->quote = 0;
			s->last = c;
			continue;
		}
		if (c == '\n' && pending) {
			s->heredoc = true;
			pending = false;
		}
		if (c == ' ' || c == '\t' || c == '\n') {
			blank = true;
			continue;
		}
		if (blank)
			s->word = i;
		if (c == '<' && t.len - i > 2 && t.ptr[i + 1] == '<' && t.ptr[i + 2] != '<') {
			pending = true;
			here_delimiter(s, t, i + 2);
			i++;
		}
		if (c == '\'' || c == '"' || c == '`')
			s->quote = c;
		if (c == '\\')
			i++;
		if (c == '(' && s->last == '=' && !blank)
			s->array = true;
		if (c == ')')
			s->array = false;
		blank = false;
		s->last = c;
	}
	s->heredoc |= pending;
}

static bool takes_no_semicolon(const struct scan *s, struct str t)
{
	static const char *const words[] = {"case", "do",    "else",  "if", "then",
	                                    "until", "while", "in", "elif"};
	size_t n = t.len;

	if (s->last && strchr("{();&|", s->last) && s->last != ')')
		return true;
	while (n > s->word && ascii_space((unsigned char)t.ptr[n - 1]))
		n--;
	if (n - s->word >= 2 && memcmp(t.ptr + n - 2, "()", 2) == 0)
		return true;
	for (size_t i = 0; i < COUNTOF(words); i++)
		if (n - s->word == strlen(words[i]) &&
		    memcmp(t.ptr + s->word, words[i], n - s->word) == 0)
			return true;
	return false;
}

static const char *joint(struct str t)
{
	struct scan s;

	scan_text(&s, t);
	if (s.quote || s.heredoc)
		return "\n";
	if (s.array || takes_no_semicolon(&s, t))
		return " ";
	return "; ";
}

/* The lines of one command as one entry. */
static struct str joined(struct shell *sh, struct str t)
{
	struct u_buf b;
	size_t at = 0;

	u_buf_init(&b, sh->p, PARSE_SOURCE_MAX);
	while (at < t.len) {
		const char *nl = memchr(t.ptr + at, '\n', t.len - at);
		size_t end = nl ? (size_t)(nl - t.ptr) : t.len;

		if (b.len && b.ptr[b.len - 1] == '\\' && !shopt_is(sh, SHOPT_LITHIST))
			b.len--;
		else if (b.len)
			u_buf_puts(&b, shopt_is(sh, SHOPT_LITHIST)
			                       ? "\n"
			                       : joint((struct str){b.ptr, b.len}));
		u_buf_put(&b, t.ptr + at, end - at);
		at = end + 1;
		sys_checkpoint(sh->p);
	}
	if (b.len) {
		struct scan s;

		/* Behind a here-document bash has an empty line. */
		scan_text(&s, (struct str){b.ptr, b.len});
		if (s.stop.ptr && !s.heredoc)
			u_buf_putc(&b, '\n');
	}
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

/* ---- Reading -------------------------------------------------------------------------- */

void history_note(struct shell *sh, struct str text)
{
	struct arena_mark mark = arena_mark(&sys_self(sh->p)->arena);

	sh->st->history_noted = false;
	while (text.len) {
		const char *nl = memchr(text.ptr, '\n', text.len);
		size_t n = nl ? (size_t)(nl - text.ptr) : text.len, i = 0;

		while (i < n && (text.ptr[i] == ' ' || text.ptr[i] == '\t'))
			i++;
		if (i < n && text.ptr[i] != '#')
			break;
		if (i < n)
			sh->st->history_noted = history_push(sh, (struct str){text.ptr, n});
		text.ptr += MIN(n + 1, text.len);
		text.len -= MIN(n + 1, text.len);
	}
	while (text.len && text.ptr[text.len - 1] == '\n')
		text.len--;
	if (text.len)
		sh->st->history_noted = history_push(sh, joined(sh, text));
	arena_reset(&sys_self(sh->p)->arena, mark);
}

/* The line that runs takes itself out: history -s, history -p, fc. */
void history_take_back(struct shell *sh)
{
	if (!sh->st->history_noted || !set_is(sh, SET_HISTORY))
		return;
	sh->st->history_noted = false;
	history_remove(sh->st, history_count(sh->st) - 1);
}
