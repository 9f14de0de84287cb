/*
 * pattern.c - the regular expressions of ripgrep, written as Perl's.
 *
 * They are alike but not the same: what only Perl has (looking around, going back to a group, possessive quantifiers) is no
 * pattern here, and some things have other meanings. So the pattern is read once by the rules of ripgrep and written out
 * again: quantifiers of quantifiers get a group, named POSIX classes are ASCII, a brace is always a quantifier.
 * With -P nothing of this is done.
 */
#include "rg.h"

#define NEST_MAX 200
#define PATTERN_MAX ((size_t)1 << 20)

struct rust {
	struct rg *g;
	const char *start, *s, *end;
	struct u_buf *out;
	size_t atom;		/* where in `out` the last item begins; SIZE_MAX: there is none to be repeated */
	bool spaced;		/* (?x) */
	int depth;
	bool literal, upper;	/* for -S: some were seen */
	struct {
		size_t at;		/* where the group begins in `out` */
		const char *opened;
		bool spaced;
	} group[NEST_MAX];
};

/* ---- Messages ------------------------------------------------------------------------------------ */

static NORETURN void wrong(const struct rust *q, const char *from, const char *to, const char *message)
{
	struct rg *g = q->g;
	bool looking = strstr(message, "not supported") && !strstr(message, "here");
	struct u_buf marks;

	u_buf_init(&marks, g->p, 0);
	for (const char *s = q->start; s < from; s++) {
		if (((unsigned char)*s & 0xc0) != 0x80)
			u_buf_putc(&marks, ' ');
	}
	for (const char *s = from; s < MAX(to, from + 1); s++) {
		if (s >= q->end || ((unsigned char)*s & 0xc0) != 0x80)
			u_buf_putc(&marks, '^');
	}
	rg_die(g, "regex parse error:\n    %.*s\n    %s\nerror: %s%s", (int)(q->end - q->start), q->start, marks.ptr, message,
	       looking ? "\n\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around." : "");
}

static NORETURN void no_newlines(struct rust *q)
{
	rg_die(q->g, "the literal '\"\\n\"' is not allowed in a regex\n\n"
		     "Consider enabling multiline mode with the --multiline flag (or -U for short).\n"
		     "When multiline mode is enabled, new line characters can be matched.");
}

/* ---- Characters ------------------------------------------------------------------------------------ */

static void saw(struct rust *q, uint32_t c)
{
	q->literal = true;
	q->upper |= utf8_is(c, UTF8_UPPER);
	if (c == '\n' && !q->g->multiline)
		no_newlines(q);
}

static void put_char(struct rust *q, uint32_t c)
{
	char bytes[6];

	if (c < 128 && (ascii_alnum((int)c) || c == '_' || c == ' '))
		u_buf_putc(q->out, (char)c);
	else if (c < 128 && ascii_print((int)c))
		u_buf_printf(q->out, "\\%c", (int)c);
	else if (c < 128)
		u_buf_printf(q->out, "\\x%02x", c);
	else
		u_buf_put(q->out, bytes, utf8_encode(c, bytes));
}

static uint32_t next_char(struct rust *q)
{
	unsigned len;
	uint32_t c = utf8_decode(q->s, (size_t)(q->end - q->s), &len);

	if (c == UTF8_BAD)
		rg_die(q->g, "invalid UTF-8 in the pattern is not supported here");
	q->s += len;
	return c;
}

/* \xHH, \x{H...}, \uHHHH, \UHHHHHHHH: q->s is after the letter. */
static uint32_t hexadecimal(struct rust *q, const char *from, char letter)
{
	size_t want = letter == 'x' ? 2 : letter == 'u' ? 4 : 8, n = 0;
	bool braced = q->s < q->end && *q->s == '{';
	uint32_t c = 0;

	q->s += braced;
	while (q->s < q->end && ascii_xdigit(*q->s) && (braced ? n < 8 : n < want)) {
		c = c * 16 + (uint32_t)(ascii_digit(*q->s) ? *q->s - '0' : ascii_tolower(*q->s) - 'a' + 10);
		q->s++;
		n++;
	}
	if (braced ? q->s >= q->end || *q->s != '}' || n == 0 : n < want)
		wrong(q, MIN(q->s, q->end), q->s, "invalid hexadecimal digit");
	q->s += braced;
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		wrong(q, from, q->s, "hexadecimal literal is not a Unicode scalar value");
	return c;
}

/* ---- Escapes ------------------------------------------------------------------------------------------ */

static bool same_word(const char *a, const char *b)
{
	while (*a && ascii_tolower(*a) == ascii_tolower(*b)) {
		a++;
		b++;
	}
	return !*a && !*b;
}

/* \p{Name}, \pN: in Perl's words. */
static void property(struct rust *q, const char *from, bool negated)
{
	static const char *const longer[][2] = {
		{"letter", "L"}, {"uppercase_letter", "Lu"}, {"lowercase_letter", "Ll"}, {"mark", "M"}, {"number", "N"},
		{"decimal_number", "Nd"}, {"punctuation", "P"}, {"symbol", "S"}, {"separator", "Z"}, {"other", "C"},
		{"control", "Cc"}, {"math_symbol", "Sm"}, {"currency_symbol", "Sc"}, {"space_separator", "Zs"},
		{"titlecase_letter", "Lt"}, {"modifier_letter", "Lm"}, {"other_letter", "Lo"}, {"letter_number", "Nl"},
		{"connector_punctuation", "Pc"}, {"dash_punctuation", "Pd"},
	};
	const char *name = q->s, *stop = q->s + 1;
	struct u_buf b;

	if (q->s < q->end && *q->s == '{') {
		name = q->s + 1;
		stop = memchr(name, '}', (size_t)(q->end - name));
		if (!stop)
			wrong(q, from, q->end, "unclosed Unicode property");
		q->s = stop + 1;
	} else if (q->s < q->end) {
		q->s++;
	} else {
		wrong(q, from, q->end, "incomplete escape sequence, reached end of pattern prematurely");
	}
	if (name < stop && *name == '^') {
		name++;
		negated = !negated;
	}
	u_buf_init(&b, q->g->p, 0);
	u_buf_put(&b, name, (size_t)(stop - name));
	for (size_t i = 0; i < COUNTOF(longer); i++) {
		if (b.len == strlen(longer[i][0]) && same_word(b.ptr, longer[i][0])) {
			b.len = 0;
			u_buf_puts(&b, longer[i][1]);
		}
	}
	u_buf_printf(q->out, "\\%c{%s}", negated ? 'P' : 'p', b.ptr);
}

/* The character that an escape stands for; false when it is a class or an assertion. q->s is after the letter. */
static bool escaped_char(struct rust *q, const char *from, char letter, uint32_t *c)
{
	static const char letters[] = "aftnrv", chars[] = "\a\f\t\n\r\v";
	const char *named = strchr(letters, letter);

	if (letter == 'x' || letter == 'u' || letter == 'U')
		*c = hexadecimal(q, from, letter);
	else if (named && letter)
		*c = (unsigned char)chars[named - letters];
	else if (ascii_punct(letter) || letter == ' ')
		*c = (unsigned char)letter;
	else
		return false;
	return true;
}

static void escape(struct rust *q)
{
	const char *from = q->s++;
	uint32_t c;
	char letter;

	if (q->s >= q->end)
		wrong(q, from, q->end, "incomplete escape sequence, reached end of pattern prematurely");
	letter = *q->s++;
	if (escaped_char(q, from, letter, &c)) {
		saw(q, c);
		put_char(q, c);
	} else if (strchr("dDsSwW", letter)) {
		u_buf_printf(q->out, "\\%c", letter);
	} else if (letter == 'p' || letter == 'P') {
		property(q, from, letter == 'P');
	} else if (strchr("bBAz", letter)) {
		u_buf_printf(q->out, "\\%c", letter);
	} else if (ascii_digit(letter)) {
		wrong(q, from, q->s, "backreferences are not supported");
	} else {
		wrong(q, from, q->s, "unrecognized escape sequence");
	}
}

/* ---- Sets ----------------------------------------------------------------------------------------------- */

/* [:name:] within a set, which is ASCII. False when it is none. */
static bool named_class(struct rust *q)
{
	static const char *const sets[][3] = {
		{"alnum", "0-9A-Za-z", "\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x{10ffff}"},
		{"alpha", "A-Za-z", "\\x00-\\x40\\x5b-\\x60\\x7b-\\x{10ffff}"},
		{"ascii", "\\x00-\\x7f", "\\x{80}-\\x{10ffff}"},
		{"blank", "\\t\\x20", "\\x00-\\x08\\x0a-\\x1f\\x21-\\x{10ffff}"},
		{"cntrl", "\\x00-\\x1f\\x7f", "\\x20-\\x7e\\x{80}-\\x{10ffff}"},
		{"digit", "0-9", "\\x00-\\x2f\\x3a-\\x{10ffff}"},
		{"graph", "\\x21-\\x7e", "\\x00-\\x20\\x7f-\\x{10ffff}"},
		{"lower", "a-z", "\\x00-\\x60\\x7b-\\x{10ffff}"},
		{"print", "\\x20-\\x7e", "\\x00-\\x1f\\x7f-\\x{10ffff}"},
		{"punct", "\\x21-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7e",
		 "\\x00-\\x20\\x30-\\x39A-Za-z\\x7f-\\x{10ffff}"},
		{"space", "\\t-\\r\\x20", "\\x00-\\x08\\x0e-\\x1f\\x21-\\x{10ffff}"},
		{"upper", "A-Z", "\\x00-\\x40\\x5b-\\x{10ffff}"},
		{"word", "0-9A-Za-z_", "\\x00-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x{10ffff}"},
		{"xdigit", "0-9A-Fa-f", "\\x00-\\x2f\\x3a-\\x40\\x47-\\x60\\x67-\\x{10ffff}"},
	};
	const char *name = q->s + 2, *close;
	bool negated;

	if (q->end - q->s < 4 || q->s[1] != ':')
		return false;
	close = memmem(name, (size_t)(q->end - name), ":]", 2);
	if (!close)
		return false;
	negated = *name == '^';
	name += negated;
	for (size_t i = 0; i < COUNTOF(sets); i++) {
		if ((size_t)(close - name) == strlen(sets[i][0]) && memcmp(name, sets[i][0], (size_t)(close - name)) == 0) {
			u_buf_puts(q->out, sets[i][1 + negated]);
			q->s = close + 2;
			return true;
		}
	}
	return false;
}

/* A member of a set, or one end of a range; false when it was a class. */
static bool member(struct rust *q, uint32_t *c)
{
	const char *from = q->s;
	char letter;

	if (*q->s != '\\') {
		*c = next_char(q);
		return true;
	}
	q->s++;
	if (q->s >= q->end)
		wrong(q, from, q->end, "incomplete escape sequence, reached end of pattern prematurely");
	letter = *q->s++;
	if (escaped_char(q, from, letter, c))
		return true;
	if (strchr("dDsSwW", letter))
		u_buf_printf(q->out, "\\%c", letter);
	else if (letter == 'p' || letter == 'P')
		property(q, from, letter == 'P');
	else
		wrong(q, from, q->s, strchr("bBAz", letter) ? "invalid escape sequence found in character class"
							    : "unrecognized escape sequence");
	return false;
}

static void skip_spaces(struct rust *q);

static void bracket(struct rust *q)
{
	const char *open = q->s++;
	bool first = true;

	u_buf_putc(q->out, '[');
	if (q->s < q->end && *q->s == '^') {
		u_buf_putc(q->out, '^');
		q->s++;
	}
	for (;; first = false) {
		const char *from;
		uint32_t a, b;

		skip_spaces(q);
		if (q->s >= q->end)
			wrong(q, open, MIN(open + 1, q->end), "unclosed character class");
		if (*q->s == ']' && !first)
			break;
		if (*q->s == '[') {
			if (!named_class(q))
				rg_die(q->g, "a set within a set, as in %.*s, is not supported here", (int)(q->end - open), open);
			continue;
		}
		if (q->end - q->s >= 2 && q->s[0] == q->s[1] && strchr("&~-", *q->s) && !first)
			rg_die(q->g, "'%.2s' between sets is not supported here", q->s);
		from = q->s;
		if (!member(q, &a))
			continue;
		b = a;
		if (q->end - q->s >= 2 && *q->s == '-' && q->s[1] != ']' && q->s[1] != '-') {
			q->s++;
			if (!member(q, &b))
				wrong(q, from, q->s, "invalid range boundary, must be a literal");
			if (b < a)
				wrong(q, from, q->s, "invalid character class range, the start must be <= the end");
		}
		q->literal = true;
		q->upper |= utf8_is(a, UTF8_UPPER) || utf8_is(b, UTF8_UPPER);
		put_char(q, a);
		if (b != a) {
			u_buf_putc(q->out, '-');
			put_char(q, b);
		}
	}
	q->s++;
	u_buf_putc(q->out, ']');
}

/* ---- Groups ------------------------------------------------------------------------------------------------ */

/* Flags after "(?": up to ) or :. */
static void flags(struct rust *q, const char *from, bool *spaced)
{
	bool negated = false;

	u_buf_puts(q->out, "(?");
	for (; q->s < q->end && *q->s != ')' && *q->s != ':'; q->s++) {
		switch (*q->s) {
		case '-':
			negated = true;
			u_buf_putc(q->out, '-');
			break;
		case 'i': case 's': case 'U': u_buf_putc(q->out, *q->s); break;
		case 'm': u_buf_putc(q->out, 'm'); break;
		case 'x': *spaced = !negated; break;
		case 'u':
			if (negated)
				rg_die(q->g, "(?-u) is not supported here: characters are Unicode's");
			break;
		default: wrong(q, q->s, q->s + 1, "unrecognized flag");
		}
	}
	if (q->s >= q->end)
		wrong(q, from, from + 1, "unclosed group");
}

static void open_group(struct rust *q)
{
	const char *from = q->s++;
	size_t left = (size_t)(q->end - q->s);
	bool spaced = q->spaced;

	if (q->depth == NEST_MAX)
		rg_die(q->g, "groups are nested too deeply");
	q->group[q->depth].at = q->out->len;
	q->group[q->depth].opened = from;
	q->group[q->depth].spaced = q->spaced;
	q->atom = SIZE_MAX;
	if (left >= 3 && memcmp(q->s, "?P<", 3) == 0) {
		const char *close = memchr(q->s, '>', left);

		if (!close)
			wrong(q, q->end, q->end, "unclosed capture group name");
		u_buf_printf(q->out, "(?P<%.*s>", (int)(close - q->s - 3), q->s + 3);
		q->s = close + 1;
	} else if (left >= 2 && (q->s[0] == '?') && (strchr("=!", q->s[1]) || q->s[1] == '<')) {
		wrong(q, from, q->s + (q->s[1] == '<' ? 3 : 2), "look-around, including look-ahead and look-behind, is not supported");
	} else if (left >= 1 && *q->s == '?') {
		q->s++;
		flags(q, from, &spaced);
		if (*q->s++ == ')') {
			u_buf_putc(q->out, ')');
			q->spaced = spaced;
			return;
		}
		u_buf_putc(q->out, ':');
	} else {
		u_buf_putc(q->out, '(');
	}
	q->depth++;
	q->spaced = spaced;
}

static void close_group(struct rust *q)
{
	if (q->depth == 0)
		wrong(q, q->s, q->s + 1, "unopened group");
	q->s++;
	q->depth--;
	u_buf_putc(q->out, ')');
	q->atom = q->group[q->depth].at;
	q->spaced = q->group[q->depth].spaced;
}

/* ---- Quantifiers ---------------------------------------------------------------------------------------------- */

/* {n}, {n,}, {n,m} at q->s into b. */
static void counted(struct rust *q, struct u_buf *b)
{
	const char *from = q->s++, *digits;

	u_buf_putc(b, '{');
	for (int part = 0; part < 2; part++) {
		digits = q->s;
		while (q->s < q->end && ascii_digit(*q->s))
			u_buf_putc(b, *q->s++);
		if (q->s - digits > 5)
			wrong(q, digits, q->s, "decimal literal invalid");
		if (q->s >= q->end)
			wrong(q, from, q->end, "unclosed counted repetition");
		if (q->s == digits && (part == 0 || *q->s != '}'))
			wrong(q, q->s, q->s + 1, "repetition quantifier expects a valid decimal");
		if (*q->s != ',' || part == 1)
			break;
		u_buf_putc(b, *q->s++);
	}
	if (q->s >= q->end || *q->s != '}')
		wrong(q, from, MIN(q->s + 1, q->end), "unclosed counted repetition");
	q->s++;
	u_buf_putc(b, '}');
}

/* Puts what is in `out` from the last item on into a group, so that it can be repeated once more. */
static void group_atom(struct rust *q)
{
	struct u_buf b;

	u_buf_init(&b, q->g->p, 0);
	u_buf_put(&b, q->out->ptr + q->atom, q->out->len - q->atom);
	q->out->len = q->atom;
	u_buf_printf(q->out, "(?:%s)", b.ptr);
}

static void quantifier(struct rust *q, bool repeated)
{
	struct u_buf b;

	if (q->atom == SIZE_MAX)
		wrong(q, q->s, q->s + 1, "repetition operator missing expression");
	if (repeated)
		group_atom(q);
	u_buf_init(&b, q->g->p, 0);
	if (*q->s == '{')
		counted(q, &b);
	else
		u_buf_putc(&b, *q->s++);
	if (q->s < q->end && *q->s == '?')
		u_buf_putc(&b, *q->s++);
	u_buf_put(q->out, b.ptr, b.len);
}

/* ---- The pattern -------------------------------------------------------------------------------------------------- */

/* Under (?x) blanks and comments are nothing. */
static void skip_spaces(struct rust *q)
{
	while (q->spaced && q->s < q->end) {
		if (*q->s == '#') {
			const char *nl = memchr(q->s, '\n', (size_t)(q->end - q->s));

			q->s = nl ? nl + 1 : q->end;
		} else if (ascii_space(*q->s)) {
			q->s++;
		} else {
			return;
		}
	}
}

static void translate(struct rust *q)
{
	bool repeated = false;

	q->atom = SIZE_MAX;
	for (skip_spaces(q); q->s < q->end; skip_spaces(q)) {
		size_t at = q->out->len;

		if (q->out->len > PATTERN_MAX)
			rg_die(q->g, "the pattern is too long");
		if (strchr("*+?{", *q->s) && *q->s) {
			quantifier(q, repeated);
			repeated = true;
			continue;
		}
		repeated = false;
		if (*q->s == '(') {
			open_group(q);
			continue;
		}
		if (*q->s == ')') {
			close_group(q);
			continue;
		}
		if (*q->s == '|') {
			u_buf_putc(q->out, *q->s++);
			q->atom = SIZE_MAX;
			continue;
		}
		q->atom = at;
		if (*q->s == '\\') {
			escape(q);
		} else if (*q->s == '[') {
			bracket(q);
		} else if (strchr(".^$", *q->s) && *q->s) {
			u_buf_putc(q->out, *q->s++);
		} else {
			uint32_t c = next_char(q);

			saw(q, c);
			put_char(q, c);
		}
	}
	if (q->depth > 0)
		wrong(q, q->group[q->depth - 1].opened, q->group[q->depth - 1].opened + 1, "unclosed group");
}

struct rg_letters rg_translate(struct rg *g, struct str pattern, struct u_buf *out)
{
	struct rust *q = u_zalloc(g->p, sizeof(*q));

	q->g = g;
	q->start = q->s = pattern.ptr;
	q->end = pattern.ptr + pattern.len;
	q->out = out;
	translate(q);
	return (struct rg_letters){q->literal, q->upper};
}
