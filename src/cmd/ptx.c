/*
 * ptx.c - ptx: a permuted index of the words of files, each in its context.
 *
 * The input is held in memory; contexts are what a regular expression separates (sentences, or lines with references).
 * Every word that counts is an occurrence: its place, and how far its context reaches. Sorted, each makes a line of
 * four fields around the gap in its middle: tail and before on the left, keyafter and head on the right, where tail
 * and head are what did not fit on the other side (ptx/layout.c).
 */
#include "ptx/ptx.h"

#define TEXT_MAX ((size_t)256 << 20)

static void opt_format(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct ptx *x = opts;

	if (o->shrt) {
		x->format = o->shrt == 'O' ? PTX_ROFF : PTX_TEX;
		return;
	}
	if (*arg && strncmp("roff", arg, strlen(arg)) == 0)
		x->format = PTX_ROFF;
	else if (*arg && strncmp("tex", arg, strlen(arg)) == 0)
		x->format = PTX_TEX;
	else
		u_usage(p, "invalid argument %s for '--format'\nValid arguments are:\n  - 'roff'\n  - 'tex'", u_quote(p, arg));
}

static void opt_number(struct proc *p, void *opts, const struct cmd_opt *o, const char *arg)
{
	struct ptx *x = opts;
	uint64_t n;

	if (!ascii_digit(*arg) || u_parse_size(arg, "", &n) < 0 || n == 0 || n > INT32_MAX)
		u_die(p, 1, 0, o->shrt == 'g' ? "invalid gap width: %s" : "invalid line width: %s", u_quote(p, arg));
	*(o->shrt == 'g' ? &x->gap : &x->width) = (int)n;
}

static const struct cmd_opt ptx_opts[] = {
	CMD_FLAG(struct ptx, automatic, 'A', "auto-reference", "output automatically generated references"),
	CMD_FLAG(struct ptx, traditional, 'G', "traditional", "behave more like System V 'ptx'"),
	CMD_STRING(struct ptx, mark, 'F', "flag-truncation", "STRING", "use STRING for flagging line truncations.\nThe default is '/'"),
	CMD_STRING(struct ptx, macro, 'M', "macro-name", "STRING", "macro name to use instead of 'xx'"),
	CMD_CALL(0, "format", "FORMAT", opt_format, "generate output as roff or tex directives"),
	CMD_CALL('O', NULL, NULL, opt_format, "the same as --format=roff"),
	CMD_CALL('T', NULL, NULL, opt_format, "the same as --format=tex"),
	CMD_FLAG(struct ptx, right, 'R', "right-side-refs", "put references at right, not counted in -w"),
	CMD_STRING(struct ptx, sentence, 'S', "sentence-regexp", "REGEXP", "for end of lines or end of sentences"),
	CMD_STRING(struct ptx, word, 'W', "word-regexp", "REGEXP", "use REGEXP to match each keyword"),
	CMD_STRING(struct ptx, breaks, 'b', "break-file", "FILE", "word break characters in this FILE"),
	CMD_FLAG(struct ptx, fold, 'f', "ignore-case", "fold lower case to upper case for sorting"),
	CMD_CALL('g', "gap-size", "NUMBER", opt_number, "gap size in columns between output fields"),
	CMD_STRING(struct ptx, ignore, 'i', "ignore-file", "FILE", "read ignore word list from FILE"),
	CMD_STRING(struct ptx, only, 'o', "only-file", "FILE", "read only word list from this FILE"),
	CMD_FLAG(struct ptx, references, 'r', "references", "first field of each line is a reference"),
	CMD_FLAG(struct ptx, typeset, 't', "typeset-mode", "for typesetting; the width stays 72, as in GNU coreutils 9.1"),
	CMD_CALL('w', "width", "NUMBER", opt_number, "output width in columns, reference excluded"),
};

static void defaults(void *opts)
{
	struct ptx *x = opts;

	x->gap = 3;
	x->mark = "/";
	x->macro = "xx";
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

static struct str read_file(struct proc *p, const char *path)
{
	int fd = u_open_operand(p, path), e;
	struct str s;

	if (fd < 0)
		u_exit(p, 1);
	e = u_read_all(p, fd, TEXT_MAX, &s);
	if (e < 0)
		u_die(p, 1, e, "%s", path);
	u_close_operand(p, fd);
	return s;
}

/* \n, \t, \x41, \101 and the like of an argument. */
static const char *unescaped(struct proc *p, const char *s)
{
	struct u_buf b;

	if (!s)
		return NULL;
	u_buf_init(&b, p, 0);
	u_buf_puts(&b, "");
	for (; *s; s++) {
		static const char letters[] = "abfnrtv", bytes[] = "\a\b\f\n\r\t\v";
		const char *hit = *s == '\\' && s[1] ? strchr(letters, s[1]) : NULL;
		unsigned v = 0;
		int n = 0;

		if (hit) {
			u_buf_putc(&b, bytes[hit - letters]);
			s++;
		} else if (*s == '\\' && s[1] == 'x') {
			for (s += 2; n < 3 && ascii_xdigit((unsigned char)*s); n++, s++)
				v = v * 16 + (unsigned)(ascii_digit(*s) ? *s - '0' : (ascii_tolower((unsigned char)*s) - 'a' + 10));
			u_buf_putc(&b, (char)v);
			s--;
		} else if (*s == '\\' && s[1] == '0') {
			for (s++; n < 3 && *s >= '0' && *s <= '7'; n++, s++)
				v = v * 8 + (unsigned)(*s - '0');
			u_buf_putc(&b, (char)v);
			s--;
		} else {
			u_buf_putc(&b, *s);
		}
	}
	return b.ptr;
}

static struct ptx_regex compile(struct ptx *x, const char *pattern)
{
	struct arena *a = &sys_self(x->p)->arena;
	struct regex_error err;
	struct ptx_regex r;

	r.re = regex_compile(a, pattern, strlen(pattern), REGEX_EMACS | REGEX_ANCHORS | REGEX_NOSUB | (x->fold ? REGEX_ICASE : 0), &err);
	if (!r.re)
		u_die(x->p, 1, 0, "%s (for regexp %s)", err.message, u_quote(x->p, pattern));
	r.scratch = regex_scratch_new(a, r.re, NULL, NULL);
	return r;
}

/* ---- Words ------------------------------------------------------------------------------------------------------- */

static void word_bytes(struct ptx *x)
{
	if (x->breaks) {
		struct str s = read_file(x->p, x->breaks);

		memset(x->in_word, 1, sizeof(x->in_word));
		for (size_t i = 0; i < s.len; i++)
			x->in_word[(unsigned char)s.ptr[i]] = false;
		if (x->traditional)
			x->in_word[' '] = x->in_word['\t'] = x->in_word['\n'] = false;
		return;
	}
	for (int c = 0; c < 256; c++)
		x->in_word[c] = x->traditional ? c != ' ' && c != '\t' && c != '\n' : ascii_alpha((unsigned char)c);
}

static int compare_text(const struct ptx *x, const char *a, size_t na, const char *b, size_t nb)
{
	for (size_t i = 0; i < na && i < nb; i++) {
		int c = (unsigned char)a[i], d = (unsigned char)b[i];

		if (x->fold) {
			c = ascii_toupper((unsigned char)c);
			d = ascii_toupper((unsigned char)d);
		}
		if (c != d)
			return c < d ? -1 : 1;
	}
	return na < nb ? -1 : na > nb;
}

static void add_word(struct ptx *x, struct ptx_words *w, struct str word)
{
	if ((w->n & (w->n - 1)) == 0)
		w->v = arena_grow(&sys_self(x->p)->arena, w->v, w->n * sizeof(*w->v), MAX(w->n * 2, (size_t)1) * sizeof(*w->v));
	w->v[w->n++] = word;
}

/* The lines of a file, sorted by insertion into halves: lists are short. */
static void read_words(struct ptx *x, struct ptx_words *w, const char *path)
{
	struct str s = read_file(x->p, path);

	for (size_t at = 0; at < s.len;) {
		const char *nl = memchr(s.ptr + at, '\n', s.len - at);
		size_t n = nl ? (size_t)(nl - s.ptr) - at : s.len - at;

		if (n)
			add_word(x, w, (struct str){s.ptr + at, n});
		at += n + 1;
	}
	for (size_t i = 1; i < w->n; i++) {
		struct str word = w->v[i];
		size_t low = 0, high = i;

		while (low < high) {
			size_t mid = low + (high - low) / 2;

			if (compare_text(x, w->v[mid].ptr, w->v[mid].len, word.ptr, word.len) <= 0)
				low = mid + 1;
			else
				high = mid;
		}
		memmove(&w->v[low + 1], &w->v[low], (i - low) * sizeof(word));
		w->v[low] = word;
		sys_checkpoint_n(x->p, (uint32_t)MIN(i - low + 1, (size_t)100000));
	}
}

static bool listed(const struct ptx *x, const struct ptx_words *w, const char *s, size_t n)
{
	size_t low = 0, high = w->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int r = compare_text(x, w->v[mid].ptr, w->v[mid].len, s, n);

		if (r == 0)
			return true;
		if (r < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/* ---- Occurrences --------------------------------------------------------------------------------------------------- */

static void add_occurrence(struct ptx *x, struct ptx_occurrence o)
{
	if ((x->noccurrences & (x->noccurrences - 1)) == 0)
		x->occurrence = arena_grow(&sys_self(x->p)->arena, x->occurrence, size_mul(x->noccurrences, sizeof(o)),
					   size_mul(MAX(x->noccurrences * 2, (size_t)1), sizeof(o)));
	x->occurrence[x->noccurrences++] = o;
}

static bool search(struct ptx *x, struct ptx_regex *r, const char *from, const char *end, struct regex_span *m)
{
	int got = regex_search(r->re, r->scratch, from, (size_t)(end - from), 0, 0, m, 1);

	if (got < 0)
		u_die(x->p, 1, 0, "%s", regex_failure(got));
	return got == 1;
}

/* The next word from *at on; false at the end. */
static bool next_word(struct ptx *x, const char **at, const char *end, const char **word, size_t *n)
{
	const char *s = *at;
	struct regex_span m;

	if (x->word) {
		if (s >= end || !search(x, &x->word_regex, s, end, &m))
			return false;
		*word = s + m.start;
		*n = m.end - m.start;
		*at = *word + MAX(*n, (size_t)1);
		return true;
	}
	while (s < end && !x->in_word[(unsigned char)*s])
		s++;
	if (s == end)
		return false;
	*word = s;
	while (s < end && x->in_word[(unsigned char)*s])
		s++;
	*n = (size_t)(s - *word);
	*at = s;
	return true;
}

/* Where lines and their references begin, up to a place in the text. */
struct lines {
	const char *scan, *start;
	size_t reference;	/* length */
	uint64_t count;
};

static void scan_reference(const struct ptx_text *t, struct lines *l)
{
	l->start = l->scan;
	while (l->scan < t->end && !ascii_space((unsigned char)*l->scan))
		l->scan++;
	l->reference = (size_t)(l->scan - l->start);
}

static void scan_to(const struct ptx *x, const struct ptx_text *t, struct lines *l, const char *to)
{
	while (l->scan < to) {
		if (*l->scan++ != '\n')
			continue;
		l->count++;
		l->start = l->scan;
		if (x->references)
			scan_reference(t, l);
	}
}

static void one_context(struct ptx *x, const struct ptx_text *t, struct lines *l, const char *start, const char *end)
{
	const char *at, *word;
	size_t n;

	/* A reference is no part of its context, though its words count for the longest one. */
	for (at = start; x->references && at < end && !ascii_space((unsigned char)*at);)
		at++;
	for (const char *s = start; x->references && next_word(x, &s, at, &word, &n);)
		x->longest = MAX(x->longest, n);
	for (int part = 0; x->references && part < 2; part++) {
		while (start < end && (ascii_space((unsigned char)*start) != 0) == (part == 1))
			start++;
	}
	at = start;
	while (next_word(x, &at, end, &word, &n)) {
		struct ptx_occurrence o = {.text = t, .key = word, .size = n, .left = word - start, .right = end - word};

		sys_checkpoint_n(x->p, (uint32_t)MIN(n + 1, (size_t)100000));
		if (n == 0)
			continue;
		x->longest = MAX(x->longest, n);
		if (x->references) {
			scan_to(x, t, l, word);
			if (l->scan > word)
				continue;
			o.reference = (struct str){l->start, l->reference};
		}
		if ((x->ignore && listed(x, &x->ignored, word, n)) || (x->only && !listed(x, &x->wanted, word, n)))
			continue;
		if (x->automatic) {
			const char *text;

			scan_to(x, t, l, word);
			text = u_format(x->p, "%s:%llu", t->name, (unsigned long long)l->count + 1);
			o.reference = (struct str){text, strlen(text)};
		}
		x->reference_width = MAX(x->reference_width, (int)MIN(o.reference.len, (size_t)INT32_MAX / 4));
		add_occurrence(x, o);
	}
}

static void find_occurrences(struct ptx *x, const struct ptx_text *t)
{
	struct lines l = {.scan = t->start, .start = t->start};

	if (x->references) {
		scan_reference(t, &l);
		while (l.scan < t->end && ascii_space((unsigned char)*l.scan))
			l.scan++;
	}
	for (const char *at = t->start, *next; at < t->end; at = next) {
		const char *end;
		struct regex_span m;

		next = t->end;
		if (*x->sentence && search(x, &x->sentence_regex, at, t->end, &m)) {
			if (m.end == m.start)
				u_die(x->p, 1, 0, "error: regular expression has a match of length zero: %s", u_quote(x->p, x->sentence));
			next = at + m.end;
		}
		end = next;
		while (end > at && ascii_space((unsigned char)end[-1]))
			end--;
		one_context(x, t, &l, at, end);
	}
}

/* ---- Sorting --------------------------------------------------------------------------------------------------------- */

static int compare(const struct ptx *x, const struct ptx_occurrence *a, const struct ptx_occurrence *b)
{
	int r = compare_text(x, a->key, a->size, b->key, b->size);

	return r ? r : a->order < b->order ? -1 : a->order > b->order;
}

static void sort(struct ptx *x)
{
	size_t n = x->noccurrences;
	struct ptx_occurrence *from = x->occurrence, *to = u_array(x->p, n + 1, sizeof(*to)), *swap;

	for (size_t i = 0; i < n; i++)
		from[i].order = i;
	for (size_t run = 1; run < n; run *= 2) {
		for (size_t at = 0; at < n; at += 2 * run) {
			size_t i = at, mid = MIN(at + run, n), j = mid, end = MIN(at + 2 * run, n);

			for (size_t k = at; k < end; k++)
				to[k] = i < mid && (j == end || compare(x, &from[i], &from[j]) <= 0) ? from[i++] : from[j++];
			sys_checkpoint_n(x->p, (uint32_t)MIN(end - at, (size_t)100000));
		}
		swap = from;
		from = to;
		to = swap;
	}
	x->occurrence = from;
}

/* ---- Beginning --------------------------------------------------------------------------------------------------------- */

static void prepare(struct ptx *x)
{
	x->mark = unescaped(x->p, x->mark);
	x->word = unescaped(x->p, x->word);
	x->sentence = x->sentence ? unescaped(x->p, x->sentence) :
		      x->traditional || x->references ? "\n" : "[.?!][]\"')}]*\\($\\|\t\\|  \\)[ \t\n]*";
	if (x->word && !*x->word)
		x->word = NULL;
	if (x->breaks)
		x->word = NULL;
	if (*x->sentence)
		x->sentence_regex = compile(x, x->sentence);
	if (x->word)
		x->word_regex = compile(x, x->word);
	word_bytes(x);
	if (x->ignore)
		read_words(x, &x->ignored, x->ignore);
	if (x->only)
		read_words(x, &x->wanted, x->only);
	if (x->traditional && x->format == PTX_DUMB)
		x->format = PTX_ROFF;
	if (x->width == 0)
		x->width = 72;
}

static int ptx_main(struct proc *p, const struct cmd_args *a)
{
	static char *const standard_input[] = {(char *)"-", NULL};
	struct ptx *x = a->opts;
	char *const *file = a->argc ? a->argv : standard_input;

	x->p = p;
	prepare(x);
	if (x->traditional && a->argc > 2)
		u_usage(p, "extra operand %s", u_quote(p, a->argv[2]));
	if (x->traditional && a->argc == 2)
		u_die(p, 1, 0, "an output file as second operand is not supported");
	for (; *file; file++) {
		struct str s = read_file(p, *file);
		struct ptx_text *t = u_zalloc(p, sizeof(*t));

		*t = (struct ptx_text){streq(*file, "-") ? "" : *file, s.ptr, s.ptr + s.len};
		find_occurrences(x, t);
	}
	sort(x);
	ptx_print(x);
	return 0;
}

static const struct cmd_example examples[] = {
	{"echo 'to be or not' | ptx -w 30", "             to   be or not\n           to be   or not\n          be or   not\n                  to be or not\n"},
};

const struct cmd cmd_ptx = {
	.name = "ptx",
	.summary = "output a permuted index, including context, of the words in the input files",
	.synopsis = "[OPTION]... [INPUT]...\n-G [OPTION]... [INPUT]",
	.description = "With no FILE, or when FILE is -, read standard input.",
	.opts = ptx_opts,
	.nopts = COUNTOF(ptx_opts),
	.opts_size = sizeof(struct ptx),
	.defaults = defaults,
	.main = ptx_main,
	.examples = examples,
	.nexamples = COUNTOF(examples),
};
