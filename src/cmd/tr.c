/*
 * tr.c - translate, squeeze or delete bytes.
 *
 * Both arrays become tables of 256 entries before the first byte is read: what to map to, what
 * to drop, what to squeeze. As in GNU tr a character is a byte in every locale.
 */
#include "tr/tr.h"

struct tr {
	bool complement, delete, squeeze, truncate;

	struct proc *p;
	bool in_first[256];	/* bytes of ARRAY1, complemented when asked */
	bool squeezed[256];
	unsigned char map[256];
	char *buf;
};

#define TR_BUFFER 65536u

static const struct cmd_opt tr_opts[] = {
	CMD_FLAG(struct tr, complement, 'c', "complement", "use all characters that are not in ARRAY1"),
	CMD_FLAG(struct tr, complement, 'C', NULL, "same as -c"),
	CMD_FLAG(struct tr, delete, 'd', "delete", "delete the characters of ARRAY1"),
	CMD_FLAG(struct tr, squeeze, 's', "squeeze-repeats",
		 "replace repeated characters of the last ARRAY\nby a single one"),
	CMD_FLAG(struct tr, truncate, 't', "truncate-set1", "cut ARRAY1 to the length of ARRAY2"),
};

/* ---- Checks ------------------------------------------------------------------------------ */

static NORETURN void refuse(struct tr *t, const char *text)
{
	u_die(t->p, 1, 0, "%s", text);
}

/* A class in the second array stands for case conversion: at the same place in the first there must
 * be one too. Such a pair then counts as one character. */
static void check_case_classes(struct tr *t, struct tr_set *a, struct tr_set *b)
{
	struct tr_walk x = {.set = a}, y = {.set = b};
	int c1 = 0, c2 = 0;

	if (t->complement || !b->has_class)
		return;
	while (c1 >= 0 && c2 >= 0) {
		bool first1, first2;
		int class1, class2;

		sys_checkpoint(t->p);
		c1 = tr_next(&x, &first1, &class1);
		c2 = tr_next(&y, &first2, &class2);
		if (first2 && class2 >= 0 && !(first1 && class1 >= 0))
			refuse(t, "misaligned [:upper:] and/or [:lower:] construct");
		if (class2 >= 0) {
			tr_skip(&x);
			tr_skip(&y);
			a->length -= 25;
			b->length -= 25;
		}
	}
}

/* True when all of the set is one byte. */
static bool is_uniform(const struct tr_set *s)
{
	struct tr_walk w = {.set = s};
	bool first;
	int class, c = tr_next(&w, &first, &class), d;

	for (uint64_t i = 0; i < 512 && (d = tr_next(&w, &first, &class)) >= 0; i++) {
		if (d != c)
			return false;
	}
	return c >= 0;
}

/* The second array is as long as the first: its last byte is repeated. */
static void extend(struct tr *t, const struct tr_set *a, struct tr_set *b)
{
	struct tr_element *last = &b->v[b->n - 1];

	if (last->kind == TR_CLASS)
		refuse(t, "when translating with string1 longer than string2,\n"
			  "the latter string must not end with a character class");
	/* tr_parse left room for one more. */
	b->v[b->n++] = (struct tr_element){.kind = TR_REPEAT,
					   .c = last->kind == TR_RANGE ? last->last : last->c,
					   .count = a->length - b->length};
	b->length = a->length;
}

static void fill_indefinite(struct tr_set *b, uint64_t length)
{
	for (size_t i = 0; i < b->n; i++) {
		struct tr_element *e = &b->v[i];

		if (e->kind == TR_REPEAT && e->count == 0) {
			e->count = length > b->length ? length - b->length : 0;
			b->length += e->count;
			return;
		}
	}
}

static void check(struct tr *t, struct tr_set *a, struct tr_set *b, bool translating)
{
	if (a->indefinite > 0)
		refuse(t, "the [c*] repeat construct may not appear in string1");
	if (!b)
		return;
	if (b->indefinite > 1)
		refuse(t, "only one [c*] repeat construct may appear in string2");
	if (!translating) {
		if (b->indefinite > 0)
			refuse(t, "the [c*] construct may appear in string2 only when translating");
		return;
	}
	fill_indefinite(b, a->length);
	if (b->has_equivalence)
		refuse(t, "[=c=] expressions may not appear in string2 when translating");
	if (b->has_other_class)
		refuse(t, "when translating, the only character classes that may appear in\n"
			  "string2 are 'upper' and 'lower'");
	check_case_classes(t, a, b);
	if (a->length > b->length && !t->truncate) {
		if (b->length == 0)
			refuse(t, "when not truncating set1, string2 must be non-empty");
		extend(t, a, b);
	}
	if (t->complement && a->has_class && !(b->length == a->length && is_uniform(b)))
		refuse(t, "when translating with complemented character classes,\n"
			  "string2 must map all characters in the domain to one");
}

/* ---- Tables ---------------------------------------------------------------------------------- */

static void mark(const struct tr_set *s, bool complement, bool in[256])
{
	struct tr_walk w = {.set = s};
	bool first;
	int class, c;

	memset(in, complement, 256);
	while ((c = tr_next(&w, &first, &class)) >= 0) {
		in[c] = !complement;
		if (s->v[w.i].kind == TR_REPEAT)
			tr_skip(&w);
	}
}

static uint64_t count_marked(const bool in[256])
{
	uint64_t n = 0;

	for (int i = 0; i < 256; i++)
		n += in[i];
	return n;
}

static void map_pairs(struct tr *t, const struct tr_set *a, const struct tr_set *b)
{
	struct tr_walk x = {.set = a}, y = {.set = b};

	for (;;) {
		bool first;
		int class1, class2, c1 = tr_next(&x, &first, &class1), c2 = tr_next(&y, &first, &class2);

		sys_checkpoint(t->p);
		if (c1 < 0 || c2 < 0)
			return;
		if (class1 >= 0 && class2 >= 0 && class1 != class2) {
			for (int c = 0; c < 256; c++) {
				if (tr_in_class(class1, (unsigned char)c))
					t->map[c] = (unsigned char)(c ^ 0x20);
			}
		} else {
			t->map[c1] = (unsigned char)c2;
		}
		if (class2 >= 0) {
			tr_skip(&x);
			tr_skip(&y);
		}
	}
}

static void make_map(struct tr *t, const struct tr_set *a, const struct tr_set *b)
{
	struct tr_walk y = {.set = b};

	for (int c = 0; c < 256; c++)
		t->map[c] = (unsigned char)c;
	if (!t->complement) {
		map_pairs(t, a, b);
		return;
	}
	for (int c = 0; c < 256; c++) {
		bool first;
		int class, to;

		if (!t->in_first[c])
			continue;
		to = tr_next(&y, &first, &class);
		if (to < 0)
			return;
		t->map[c] = (unsigned char)to;
	}
}

/* ---- The work ------------------------------------------------------------------------------------ */

static size_t delete_bytes(const struct tr *t, char *out, const char *s, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		out[k] = s[i];
		k += !t->in_first[(unsigned char)s[i]];
	}
	return k;
}

/* *last: the byte before s when it is squeezed, else -1. In place is fine. */
static size_t squeeze_bytes(const struct tr *t, char *out, const char *s, size_t n, int *last)
{
	size_t k = 0;
	int prev = *last;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		out[k] = (char)c;
		k += c != prev;
		prev = t->squeezed[c] ? c : -1;
	}
	*last = prev;
	return k;
}

static int run(struct tr *t, bool translate)
{
	struct u_out *out = u_stdout(t->p);
	struct sys_slice s;
	int last = -1;
	int64_t got;

	while ((got = u_read_slice(t->p, 0, TR_BUFFER, &s)) > 0) {
		const char *from = s.ptr;
		size_t n = s.len;

		if (t->delete) {
			n = delete_bytes(t, t->buf, from, n);
			from = t->buf;
		}
		if (translate) {
			scan_translate(t->buf, from, n, t->map);
			from = t->buf;
		}
		if (t->squeeze) {
			n = squeeze_bytes(t, t->buf, from, n, &last);
			from = t->buf;
		}
		u_put(out, from, n);
	}
	if (got < 0)
		u_die(t->p, 1, (int)got, "read error");
	return 0;
}

static void check_operands(struct tr *t, const struct cmd_args *a)
{
	int least = 1 + (t->delete == t->squeeze), most = 1 + (t->delete <= t->squeeze);

	if (a->argc < least) {
		if (a->argc == 0)
			u_usage(t->p, "missing operand");
		u_usage(t->p, "missing operand after %s\n%s", u_quote(t->p, a->argv[a->argc - 1]),
			t->squeeze ? "Two strings must be given when both deleting and squeezing repeats."
				   : "Two strings must be given when translating.");
	}
	if (a->argc > most) {
		const char *extra = u_quote(t->p, a->argv[most]);

		if (a->argc == 2)
			u_usage(t->p, "extra operand %s\nOnly one string may be given when deleting "
				      "without squeezing repeats.", extra);
		u_usage(t->p, "extra operand %s", extra);
	}
}

static int tr_main(struct proc *p, const struct cmd_args *a)
{
	struct tr *t = a->opts;
	bool translating = a->argc == 2 && !t->delete;
	struct tr_set one, two;

	t->p = p;
	check_operands(t, a);
	tr_parse(p, a->argv[0], &one);
	if (a->argc == 2)
		tr_parse(p, a->argv[1], &two);
	mark(&one, t->complement, t->in_first);
	if (t->complement)
		one.length = count_marked(t->in_first);
	check(t, &one, a->argc == 2 ? &two : NULL, translating);
	if (translating)
		make_map(t, &one, &two);
	if (t->squeeze && a->argc == 2)
		mark(&two, false, t->squeezed);
	else if (t->squeeze)
		memcpy(t->squeezed, t->in_first, sizeof(t->squeezed));
	t->buf = u_alloc(p, TR_BUFFER);
	return run(t, translating);
}

static const struct cmd_example tr_examples[] = {
	{"echo hello | tr a-z A-Z", "HELLO\n"},
	{"printf 'a  b\\r\\n' | tr -d '\\r' | tr -s ' '", "a b\n"},
	{"printf 'id=42;' | tr -cd 0-9", "42"},
};

const struct cmd cmd_tr = {
	.name = "tr",
	.summary = "translate, squeeze or delete characters from standard input",
	.synopsis = "[OPTION]... STRING1 [STRING2]",
	.description =
		"The strings stand for arrays of characters, ARRAY1 and ARRAY2: characters, the\n"
		"escapes \\\\ \\a \\b \\f \\n \\r \\t \\v \\NNN, ranges a-z, classes [:alpha:], [=c=], and in\n"
		"ARRAY2 [c*n] for n times c or [c*] for as many as needed. Characters are single\n"
		"bytes in every locale.",
	.opts = tr_opts,
	.nopts = COUNTOF(tr_opts),
	.opts_size = sizeof(struct tr),
	.stop_at_operand = true,
	.main = tr_main,
	.examples = tr_examples,
	.nexamples = COUNTOF(tr_examples),
};
