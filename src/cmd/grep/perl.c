/*
 * perl.c - the part of Perl's regular expressions that are regular expressions.
 *
 * A regular expression of our own engine can say which lines PCRE2 need not see, or even do its work: it is
 * fast, and linear in the text whatever the pattern. It is written over bytes, so that \w and \b mean ASCII as
 * they do there, and with characters beyond ASCII spelled out as their bytes. An assertion at the very start or end
 * of a branch is part of the text that must be there; others are left out, which makes the expression match more.
 * What cannot be written so (back references, recursion, options within the pattern) is left to PCRE2 alone.
 * PCRE2 has looked at the pattern before: here it may be taken as right.
 */
#include "grep.h"

struct perl {
	struct grep *g;
	const char *s, *end;
	struct u_buf *out;
	int depth;
	struct perl_bound b;
	bool failed;
	bool branch;		/* at the start of one, outside of all groups */
	bool split;		/* there are branches outside of all groups */
	bool bare;		/* the last thing takes no quantifier */
};

struct ascii_set {
	bool has[128];
	bool beyond;		/* and all characters that are not ASCII */
	bool wide;		/* some of which are in the set, some are not */
};

#define PERL_DEPTH 100

/* The pattern is another engine's: the end of it is seen at once. */
static void give_up(struct perl *q)
{
	q->failed = true;
	q->s = q->end;
}

/* Whether case folding keeps the character within ASCII: s and k have partners outside. */
static bool folds_alone(const struct perl *q, int c)
{
	return !q->b.icase || !q->g->utf8 || (c < 128 && !strchr("sSkK", c ? c : 1));
}

/* ---- Sets ------------------------------------------------------------------------------- */

/* Any character that is not ASCII, as bytes of valid UTF-8. */
static const char BEYOND[] =
	"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|"
	"\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|"
	"\xf4[\x80-\x8f][\x80-\xbf]{2}";

/* The ASCII part as a bracket expression. */
static void put_bracket(struct perl *q, const struct ascii_set *set, bool bytes)
{
	struct u_buf *b = q->out;

	u_buf_putc(b, '[');
	if (set->has[']'])
		u_buf_putc(b, ']');
	for (int c = 0; c < 128; c++) {
		int last = c;

		if (!set->has[c] || strchr("]^-", c ? c : 1))
			continue;
		while (last + 1 < 128 && set->has[last + 1] && !strchr("]^-", last + 1))
			last++;
		u_buf_putc(b, (char)c);
		if (last > c + 1)
			u_buf_putc(b, '-');
		if (last > c)
			u_buf_putc(b, (char)last);
		c = last;
	}
	if (bytes)
		u_buf_puts(b, "\x80-\xff");
	if (set->has['^'])
		u_buf_putc(b, '^');
	if (set->has['-'])
		u_buf_putc(b, '-');
	u_buf_putc(b, ']');
}

static void put_set(struct perl *q, const struct ascii_set *set)
{
	int n = 0;

	for (int c = 0; c < 128; c++)
		n += set->has[c];
	if (n == 1 && set->has['^'] && !set->beyond) {
		u_buf_puts(q->out, "\\^");
		return;
	}
	if (n == 0)
		give_up(q);
	if (set->beyond && q->g->utf8) {
		u_buf_putc(q->out, '(');
		put_bracket(q, set, false);
		u_buf_printf(q->out, "|%s)", BEYOND);
	} else {
		put_bracket(q, set, set->beyond);
	}
}

static bool is_word(int c)
{
	return ascii_alnum(c) || c == '_';
}

/* \d \w \s and their opposites; false when the letter is none of them. */
static bool add_escape(struct ascii_set *set, char letter)
{
	bool negate = ascii_upper(letter);

	letter = (char)ascii_tolower(letter);
	if (!strchr("dws", letter))
		return false;
	for (int c = 0; c < 128; c++) {
		bool in = letter == 'd' ? ascii_digit(c) : letter == 'w' ? is_word(c) : ascii_space(c);

		/* A newline never is in the text. */
		set->has[c] |= in != negate && c != '\n';
	}
	set->beyond |= negate;
	return true;
}

/* The ASCII character of an escape like \t, \x41 or \.; -1 when it is something else. */
static int escaped_char(struct perl *q)
{
	static const char letters[] = "aefnrt", bytes[] = "\a\033\f\n\r\t";
	unsigned char c = (unsigned char)*q->s;
	const char *named = c ? strchr(letters, c) : NULL;

	if (named) {
		q->s++;
		return bytes[named - letters];
	}
	if (c == 'x' && q->end - q->s >= 3 && ascii_xdigit(q->s[1]) && ascii_xdigit(q->s[2])) {
		char hex[3] = {q->s[1], q->s[2], '\0'};
		uint64_t v = num_u64(hex, &(const char *){NULL}, 16, NULL);

		q->s += 3;
		return v < 128 ? (int)v : -1;
	}
	if (!ascii_punct(c) && c != ' ')
		return -1;
	q->s++;
	return c;
}

/* One end of a range, or a member; -1: a class escape was added. */
static int member(struct perl *q, struct ascii_set *set)
{
	int c = (unsigned char)*q->s++;

	if (c == '[' && q->s < q->end && strchr(":.=", *q->s)) {
		const char *close = memmem(q->s, (size_t)(q->end - q->s), ":]", 2);
		int class = *q->s == ':' && close ? utf8_class_named(q->s + 1, (size_t)(close - q->s - 1)) : -1;

		if (class < 0) {
			give_up(q);
			return -1;
		}
		for (int k = 0; k < 128; k++)
			set->has[k] |= k != '\n' && utf8_is((uint32_t)k, (enum utf8_class)class);
		set->wide |= q->g->unicode;
		q->s = close + 2;
		return -1;
	}
	if (c == '\\' && q->s < q->end) {
		if (add_escape(set, *q->s)) {
			set->wide |= q->g->unicode;
			q->s++;
			return -1;
		}
		c = escaped_char(q);
	}
	if (c < 0 || c >= 128) {
		give_up(q);
		return -1;
	}
	return c;
}

static void bracket(struct perl *q)
{
	struct ascii_set set = {.beyond = false};
	bool negate = q->s < q->end && *q->s == '^', first = true;

	q->s += negate;
	for (; q->s < q->end && (*q->s != ']' || first); first = false) {
		int a = member(q, &set), b = a;

		if (a < 0)
			continue;
		if (q->end - q->s >= 2 && *q->s == '-' && q->s[1] != ']') {
			q->s++;
			b = member(q, &set);
			if (b < a)
				give_up(q);
		}
		for (; a <= b; a++)
			set.has[a] = true;
	}
	if (q->failed)
		return;
	q->s++;
	for (int c = 'a'; c <= 'z' && q->b.icase; c++) {
		if (!folds_alone(q, c) && (set.has[c] || set.has[c - 32])) {
			give_up(q);
			return;
		}
		set.has[c] = set.has[c - 32] = set.has[c] || set.has[c - 32];
	}
	if (negate) {
		for (int c = 0; c < 128; c++)
			set.has[c] = !set.has[c] && c != '\n';
		set.beyond = !set.beyond;
	}
	set.beyond |= set.wide;
	q->b.exact &= !set.wide; /* of ASCII they are the same all the same */
	put_set(q, &set);
}

/* ---- Pieces -------------------------------------------------------------------------------- */

static void put_literal(struct perl *q, int c)
{
	if (strchr(".[]()*+?{}|^$\\", c ? c : 1))
		u_buf_putc(q->out, '\\');
	u_buf_putc(q->out, (char)c);
}

/* \Q...\E */
static void quoted(struct perl *q)
{
	for (q->s++; q->s < q->end; q->s++) {
		if (q->s[0] == '\\' && q->end - q->s >= 2 && q->s[1] == 'E') {
			q->s += 2;
			return;
		}
		if ((unsigned char)*q->s >= 128 || !folds_alone(q, *q->s)) {
			give_up(q);
			return;
		}
		put_literal(q, *q->s);
	}
}

static void escape(struct perl *q)
{
	struct ascii_set set = {.beyond = false};
	int c;

	switch (*q->s) {
	case 'A':
	case 'z':
	case 'Z':
		u_buf_putc(q->out, *q->s++ == 'A' ? '^' : '$');
		q->bare = true;
		return;
	case 'K':
		q->s++;
		q->bare = true;
		return;
	case 'Q': quoted(q); return;
	default: break;
	}
	/* A boundary of Unicode's words may be none of ASCII's, and the other way round. */
	if (q->g->unicode && (*q->s == 'b' || *q->s == 'B')) {
		q->s++;
		q->bare = true;
		q->b.exact = q->b.ascii = false;
		return;
	}
	/* \B would also match between the bytes of a character. */
	if (*q->s == 'b' || (*q->s == 'B' && !q->g->utf8)) {
		u_buf_putc(q->out, '\\');
		u_buf_putc(q->out, *q->s++);
		q->bare = true;
		return;
	}
	if (add_escape(&set, *q->s)) {
		q->s++;
		/* As grep 3.8 has it: outside of brackets \D, \W and \S are ASCII, too. */
		set.beyond &= !q->g->utf8;
		set.beyond |= q->g->unicode;
		q->b.exact &= !q->g->unicode;
		put_set(q, &set);
		return;
	}
	c = escaped_char(q);
	if (c < 0 || !folds_alone(q, c))
		give_up(q);
	else
		put_literal(q, c);
}

/* {n}, {n,} or {n,m} at q->s, after the brace; false when the brace is an ordinary character. PCRE2 repeats
 * more often than we do. */
static bool braces(struct perl *q)
{
	const char *t = q->s;
	size_t digits = strspn(t, "0123456789");

	if (digits == 0)
		return false;
	if (digits > 4)
		give_up(q);
	t += digits;
	if (*t == ',') {
		t++;
		digits = strspn(t, "0123456789");
		if (digits > 4)
			give_up(q);
		t += digits;
	}
	if (q->failed || *t != '}')
		return false;
	u_buf_putc(q->out, '{');
	u_buf_put(q->out, q->s, (size_t)(t + 1 - q->s));
	q->s = t + 1;
	return true;
}

/* A quantifier that begins with c. Greedy or not makes no difference to what is matched at all. */
static void quantifier(struct perl *q, char c, bool bare)
{
	if (c == '{') {
		if (!braces(q)) {
			put_literal(q, '{');
			return;
		}
	} else {
		u_buf_putc(q->out, c);
	}
	if (bare)
		give_up(q);
	else if (q->s < q->end && (*q->s == '?' || *q->s == '+'))
		q->b.ascii &= q->b.exact &= *q->s++ == '?'; /* what gives nothing back may fail where this matches */
}

/* After the parenthesis that closes the group whose inside starts at s. */
static const char *after_group(const struct perl *q, const char *s)
{
	int depth = 1;

	for (; s < q->end; s++) {
		if (*s == '\\' && q->end - s >= 2) {
			s++;
		} else if (*s == '[') {
			/* A ] may be the first member. */
			s += q->end - s >= 2 && s[1] == '^';
			s += q->end - s >= 2 && s[1] == ']';
			for (s++; s < q->end && *s != ']'; s++)
				s += *s == '\\';
		} else if (*s == '(') {
			depth++;
		} else if (*s == ')' && --depth == 0) {
			return s + 1;
		}
	}
	return q->end;
}

static bool starts(const struct perl *q, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(q->end - q->s) >= n && memcmp(q->s, with, n) == 0;
}

static void piece(struct perl *q);

/* A line must have a match of [s, end), the inside of an assertion that is left out. */
static void also(struct perl *q, const char *s, const char *end)
{
	struct perl sub = {.g = q->g, .s = s, .end = end};
	struct u_buf b;

	if (q->b.nalso == PERL_ALSO || s >= end)
		return;
	u_buf_init(&b, q->g->p, 0);
	sub.out = &b;
	sub.b.icase = q->b.icase;
	while (sub.s < sub.end)
		piece(&sub);
	if (!sub.failed && b.len > 0)
		q->b.also[q->b.nalso++] = (struct str){b.ptr, b.len};
}

/* An assertion, of which `n` bytes say what kind: kept as text that must be there, or left out. */
static void assertion(struct perl *q, size_t n, bool keep)
{
	const char *after = after_group(q, q->s + n);

	/* Whether an assertion ends where a set or a quotation seems to is not looked into. */
	if (memmem(q->s, (size_t)(after - q->s), "\\Q", 2) || memmem(q->s, (size_t)(after - q->s), "[:", 2)) {
		give_up(q);
		return;
	}
	q->bare = true;
	q->b.around = true;
	if (keep) {
		q->s += n;
		q->depth++;
		u_buf_putc(q->out, '(');
	} else {
		if (q->depth == 0 && q->s[n - 1] == '=')
			also(q, q->s + n, after - 1);
		q->s = after;
		q->b.exact = q->b.ascii = false;
	}
}

/* What follows "(?". */
static void special_group(struct perl *q, bool branch)
{
	bool top = q->depth == 0;
	const char *after = after_group(q, q->s);

	if (starts(q, "?="))
		assertion(q, 2, top && (after == q->end || *after == '|'));
	else if (starts(q, "?<="))
		q->b.behind = true, assertion(q, 3, top && branch);
	else if (starts(q, "?!"))
		assertion(q, 2, false);
	else if (starts(q, "?<!"))
		assertion(q, 3, false);
	else
		give_up(q);
}

static void group(struct perl *q, bool branch)
{
	const char *name = starts(q, "?<") ? q->s + 2 : starts(q, "?P<") ? q->s + 3 : NULL;

	if (name && name < q->end && (ascii_alpha(*name) || *name == '_')) {
		while (name < q->end && *name != '>')
			name++;
		q->s = MIN(name + 1, q->end);
	} else if (starts(q, "?:")) {
		q->s += 2;
	} else if (starts(q, "?>")) {
		q->s += 2;
		q->b.exact = q->b.ascii = false;
	} else if (starts(q, "?")) {
		special_group(q, branch);
		return;
	}
	if (++q->depth > PERL_DEPTH || starts(q, "*")) {
		give_up(q);
		return;
	}
	u_buf_putc(q->out, '(');
	q->bare = true;
}

static void piece(struct perl *q)
{
	struct ascii_set any = {.beyond = true};
	unsigned char c = (unsigned char)*q->s++;
	unsigned len = 1;
	bool bare = q->bare, branch = q->branch;

	q->bare = q->branch = false;
	switch (c) {
	case '\\': escape(q); break;
	case '[': bracket(q); break;
	case '(': group(q, branch); break;
	case ')':
		q->depth--;
		u_buf_putc(q->out, ')');
		break;
	case '|':
	case '^':
	case '$':
		u_buf_putc(q->out, (char)c);
		q->bare = true;
		q->branch = c == '|' && q->depth == 0;
		q->split |= q->branch;
		break;
	case '*': case '+': case '?': case '{': quantifier(q, (char)c, bare); break;
	case '.':
		for (int k = 0; k < 128; k++)
			any.has[k] = k != '\n';
		put_set(q, &any);
		break;
	default:
		if (!folds_alone(q, c)) {
			give_up(q);
			break;
		}
		if (c < 128) {
			put_literal(q, c);
			break;
		}
		/* The bytes of a character stay together under a quantifier. */
		if (q->g->utf8)
			utf8_decode(q->s - 1, (size_t)(q->end - q->s) + 1, &len);
		u_buf_putc(q->out, '(');
		u_buf_put(q->out, q->s - 1, len);
		u_buf_putc(q->out, ')');
		q->s += len - 1;
		break;
	}
}

/* After the set that starts at s, with its bracket. */
static const char *after_set(const char *s, const char *end)
{
	s++;
	s += s < end && *s == '^';
	s += s < end && *s == ']';
	for (; s < end && *s != ']'; s++) {
		const char *close = *s == '[' && s + 1 < end && strchr(":.=", s[1]) ? memmem(s, (size_t)(end - s), ":]", 2) : NULL;

		if (*s == '\\' && s + 1 < end)
			s++;
		else if (close)
			s = close + 1;
	}
	return MIN(s + 1, end);
}

struct str grep_perl_narrow(struct grep *g, struct str pattern)
{
	const char *s = pattern.ptr, *end = s + pattern.len;
	struct u_buf b;

	if (!g->utf8 || memmem(s, pattern.len, "(*UCP", 5))
		return pattern;
	u_buf_init(&b, g->p, 0);
	while (s < end) {
		const char *next = s + 1;

		if (*s == '[') {
			next = after_set(s, end);
		} else if (end - s > 3 && memcmp(s, "(?#", 3) == 0) {
			next = memchr(s, ')', (size_t)(end - s));
			next = next ? next : end;
		} else if (*s == '\\' && next < end) {
			next++;
			if (s[1] == 'Q') {
				next = memmem(s, (size_t)(end - s), "\\E", 2);
				next = next ? next : end;
			} else if (s[1] == 'W' || s[1] == 'D' || s[1] == 'S') {
				u_buf_printf(&b, "(?-i:[^\\%c\\x{80}-\\x{10ffff}])", ascii_tolower(s[1]));
				s = next;
			}
		}
		u_buf_put(&b, s, (size_t)(next - s));
		s = next;
	}
	return (struct str){b.ptr, b.len};
}

bool grep_perl_translate(struct grep *g, const char *pattern, size_t n, struct u_buf *out, struct perl_bound *b)
{
	struct perl q = {.g = g, .s = pattern, .end = pattern + n, .out = out, .branch = true};

	q.b = (struct perl_bound){.exact = true, .ascii = true, .icase = g->icase};
	/* A set knows no newline; and some look like options of the whole pattern. */
	if (g->null_data || starts(&q, "(*"))
		return false;
	if (starts(&q, "(?i)")) {
		q.s += 4;
		q.b.icase = true;
	}
	while (q.s < q.end)
		piece(&q);
	if (q.split)
		q.b.nalso = 0;
	*b = q.b;
	return !q.failed;
}
