/* operands.c - dd's NAME=VALUE operands. */
#include "dd.h"

static const struct u_word convs[] = {
	{"block", CONV_BLOCK},	   {"unblock", CONV_UNBLOCK}, {"lcase", CONV_LCASE},	 {"ucase", CONV_UCASE},
	{"swab", CONV_SWAB},	   {"sync", CONV_SYNC},	      {"noerror", CONV_NOERROR}, {"notrunc", CONV_NOTRUNC},
	{"excl", CONV_EXCL},	   {"nocreat", CONV_NOCREAT}, {"sparse", CONV_SPARSE},	 {"fsync", CONV_NOTHING},
	{"fdatasync", CONV_NOTHING}, {"ascii", CONV_REFUSED}, {"ebcdic", CONV_REFUSED}, {"ibm", CONV_REFUSED},
};

static const struct u_word flags[] = {
	{"append", FLAG_APPEND},	 {"directory", FLAG_DIRECTORY}, {"nofollow", FLAG_NOFOLLOW},
	{"nonblock", FLAG_NONBLOCK},	 {"direct", FLAG_NOTHING},	{"dsync", FLAG_NOTHING},
	{"sync", FLAG_NOTHING},		 {"noatime", FLAG_NOTHING},	{"nocache", FLAG_NOTHING},
	{"noctty", FLAG_NOTHING},	 {"fullblock", FLAG_FULLBLOCK}, {"count_bytes", FLAG_COUNT_BYTES},
	{"skip_bytes", FLAG_SKIP_BYTES}, {"seek_bytes", FLAG_SEEK_BYTES},
};

static unsigned parse_words(struct dd *d, const char *list, const struct u_word *words, size_t nwords, const char *what)
{
	unsigned bits = 0;

	for (const char *s = list;; s++) {
		size_t n = strcspn(s, ","), i = 0;

		while (i < nwords && !(strlen(words[i].name) == n && memcmp(words[i].name, s, n) == 0))
			i++;
		if (i == nwords)
			u_usage(d->p, "invalid %s: %s", what, u_quote_n(d->p, s, n));
		if (words == convs && words[i].value == CONV_REFUSED)
			u_die(d->p, 1, 0, "conv=%s is not supported", words[i].name);
		bits |= (unsigned)words[i].value;
		s += n;
		if (!*s)
			return bits;
	}
}

/* NUMBER[SUFFIX] or products of such: 2x80x18b. A last B means bytes instead of blocks. */
static uint64_t parse_number(struct dd *d, const char *text, bool *in_bytes)
{
	uint64_t product = 1;
	int e = 0;

	for (const char *s = text;; s++) {
		size_t n = strcspn(s + (s[0] == '0' && s[1] == 'x'), "x") + (s[0] == '0' && s[1] == 'x');
		const char *part = u_strndup(d->p, s, n);
		size_t len = strlen(part);
		uint64_t v = 0;

		/* As strtol has it: blanks and a plus sign may come first. */
		while (ascii_space(*part))
			part++;
		part += *part == '+';
		len = strlen(part);
		if (len > 1 && part[len - 1] == 'B' && ascii_digit(part[len - 2]) && in_bytes) {
			*in_bytes = true;
			part = u_strndup(d->p, part, len - 1);
		}
		if (!ascii_digit(*part))
			e = -NACRE_EINVAL;
		else if (!e)
			e = u_parse_size(part, "bcEGkKMPTwYZ0", &v);
		if (!e && __builtin_mul_overflow(product, v, &product))
			e = -NACRE_EOVERFLOW;
		s += n;
		if (!*s)
			break;
	}
	if (!e && product > INT64_MAX)
		e = -NACRE_EOVERFLOW;
	if (e)
		u_die(d->p, 1, e == -NACRE_EOVERFLOW ? e : 0, "invalid number: %s", u_quote(d->p, text));
	return product;
}

static uint64_t parse_size(struct dd *d, const char *text)
{
	uint64_t n = parse_number(d, text, NULL);

	if (n == 0)
		u_die(d->p, 1, 0, "invalid number: %s", u_quote(d->p, text));
	return n;
}

static void parse_status(struct dd *d, const char *text)
{
	static const char *const names[] = {"", "noxfer", "none", "progress"};

	for (size_t i = 1; i < COUNTOF(names); i++) {
		if (streq(text, names[i])) {
			d->status_level = (int)i;
			return;
		}
	}
	u_usage(d->p, "invalid status level: %s", u_quote(d->p, text));
}

static void parse_amount(struct dd *d, struct amount *a, const char *text)
{
	a->in_bytes = false;
	a->n = parse_number(d, text, &a->in_bytes);
	a->given = true;
}

void dd_operand(struct dd *d, const char *operand)
{
	size_t n = strcspn(operand, "=");
	const char *value = operand + n + 1, *name = u_strndup(d->p, operand, n);

	if (!operand[n])
		u_usage(d->p, "unrecognized operand %s", u_quote(d->p, operand));
	if (streq(name, "if"))
		d->in = value;
	else if (streq(name, "of"))
		d->out = value;
	else if (streq(name, "conv"))
		d->conv |= parse_words(d, value, convs, COUNTOF(convs), "conversion");
	else if (streq(name, "iflag"))
		d->iflag |= parse_words(d, value, flags, COUNTOF(flags) - 1, "input flag");
	else if (streq(name, "oflag"))
		d->oflag |= parse_words(d, value, flags, COUNTOF(flags), "output flag");
	else if (streq(name, "status"))
		parse_status(d, value);
	else if (streq(name, "bs"))
		d->bs = parse_size(d, value);
	else if (streq(name, "ibs"))
		d->ibs = parse_size(d, value);
	else if (streq(name, "obs"))
		d->obs = parse_size(d, value);
	else if (streq(name, "cbs"))
		d->cbs = parse_size(d, value);
	else if (streq(name, "count"))
		parse_amount(d, &d->count, value);
	else if (streq(name, "skip") || streq(name, "iseek"))
		parse_amount(d, &d->skip, value);
	else if (streq(name, "seek") || streq(name, "oseek"))
		parse_amount(d, &d->seek, value);
	else
		u_usage(d->p, "unrecognized operand %s", u_quote(d->p, operand));
}

void dd_check(struct dd *d)
{
	if ((d->oflag & (FLAG_FULLBLOCK | FLAG_COUNT_BYTES | FLAG_SKIP_BYTES)) != 0)
		u_usage(d->p, "invalid output flag: %s",
			d->oflag & FLAG_FULLBLOCK ? "'fullblock'" : d->oflag & FLAG_COUNT_BYTES ? "'count_bytes'" : "'skip_bytes'");
	d->count.in_bytes |= (d->iflag & FLAG_COUNT_BYTES) != 0;
	d->skip.in_bytes |= (d->iflag & FLAG_SKIP_BYTES) != 0;
	d->seek.in_bytes |= (d->oflag & FLAG_SEEK_BYTES) != 0;
	if (!d->cbs)
		d->conv &= ~(unsigned)(CONV_BLOCK | CONV_UNBLOCK);
	if ((d->conv & CONV_BLOCK) && (d->conv & CONV_UNBLOCK))
		u_die(d->p, 1, 0, "cannot combine any two of {ascii,ebcdic,ibm}, {block,unblock}");
	if ((d->conv & CONV_LCASE) && (d->conv & CONV_UCASE))
		u_die(d->p, 1, 0, "cannot combine lcase and ucase");
	if ((d->conv & CONV_EXCL) && (d->conv & CONV_NOCREAT))
		u_die(d->p, 1, 0, "cannot combine excl and nocreat");
	if (d->bs)
		d->ibs = d->obs = d->bs;
	d->ibs = d->ibs ? d->ibs : 512;
	d->obs = d->obs ? d->obs : 512;
}
