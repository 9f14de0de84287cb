/* digest.c - digests of files, printed and checked. */
#include "digest.h"

const char digest_description[] =
	"Without FILE, or where FILE is -, standard input is read. A line has the digest, a blank, a\n"
	"blank or * for the mode, and the file name. -c reads such lines, or those of --tag. A name\n"
	"with a backslash or a newline is escaped, and the line then begins with a backslash.";

/* ---- Options ---------------------------------------------------------------------------- */

void digest_check_options(struct proc *p, const struct digest_options *o)
{
	const struct {
		bool given;
		const char *name;
	} only_check[] = {{o->ignore_missing, "ignore-missing"}, {o->status, "status"},
			  {o->warn, "warn"},			 {o->quiet, "quiet"},
			  {o->strict, "strict"}};

	if (o->tag && o->mode == 't')
		u_usage(p, "--tag does not support --text mode");
	if (o->zero && o->check)
		u_usage(p, "the --zero option is not supported when verifying checksums");
	if (o->tag && o->check)
		u_usage(p, "the --tag option is meaningless when verifying checksums");
	if (o->mode && o->check)
		u_usage(p, "the --binary and --text options are meaningless when verifying checksums");
	for (size_t i = 0; i < COUNTOF(only_check); i++) {
		if (only_check[i].given && !o->check)
			u_usage(p, "the --%s option is meaningful only when verifying checksums",
				only_check[i].name);
	}
}

void digest_parse_length(struct proc *p, struct digest_options *o)
{
	uint64_t bits;

	if (!o->length)
		return;
	if (u_parse_size(o->length, "", &bits) == -NACRE_EINVAL)
		u_die(p, 1, 0, "invalid length: %s", u_quote(p, o->length));
	if (bits > 512) {
		u_warn(p, 0, "invalid length: %s", u_quote(p, o->length));
		u_die(p, 1, 0, "maximum digest length for 'BLAKE2b' is 512 bits");
	}
	if (bits % 8) {
		u_warn(p, 0, "invalid length: %s", u_quote(p, o->length));
		u_die(p, 1, 0, "length is not a multiple of 8");
	}
	o->size = (size_t)bits / 8;
}

/* ---- Printing -------------------------------------------------------------------------------- */

static bool needs_escape(const char *name)
{
	return name[strcspn(name, "\\\n\r")] != '\0';
}

static void put_name(struct u_out *out, const char *name, bool escape)
{
	for (; *name; name++) {
		const char *special = escape ? strchr("\\\\\nn\rr", *name) : NULL;

		if (escape && (*name == '\\' || *name == '\n' || *name == '\r')) {
			u_putc(out, '\\');
			u_putc(out, *name == '\\' ? '\\' : special[1]);
		} else {
			u_putc(out, *name);
		}
	}
}

static void put_hex(struct u_out *out, const uint8_t *d, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		u_putc(out, digits[d[i] >> 4]);
		u_putc(out, digits[d[i] & 15]);
	}
}

/* 0, or the error of reading. */
static int digest_fd(struct proc *p, int fd, enum digest_kind kind, size_t size, uint8_t *out)
{
	struct digest d;
	struct sys_slice s;
	int64_t got;

	digest_init(&d, kind, size);
	while ((got = sys_read_slice(p, fd, 0, &s)) > 0)
		digest_update(&d, s.ptr, s.len);
	digest_final(&d, out);
	return (int)got;
}

static void put_line(struct proc *p, const struct digest_options *o, const uint8_t *d, size_t size,
		     const char *name)
{
	struct u_out *out = u_stdout(p);
	bool escape = !o->zero && needs_escape(name);

	if (escape)
		u_putc(out, '\\');
	if (o->tag) {
		u_puts(out, digest_name((enum digest_kind)o->kind));
		if (o->kind == DIGEST_BLAKE2B && size < 64)
			u_printf(out, "-%d", (int)size * 8);
		u_puts(out, " (");
		put_name(out, name, escape);
		u_puts(out, ") = ");
		put_hex(out, d, size);
	} else {
		put_hex(out, d, size);
		u_putc(out, ' ');
		u_putc(out, o->mode == 'b' ? '*' : ' ');
		put_name(out, name, escape);
	}
	u_putc(out, o->zero ? '\0' : '\n');
}

int digest_print(struct proc *p, const struct digest_options *o, int n, char *const *files)
{
	size_t size = o->size ? o->size : digest_size((enum digest_kind)o->kind);
	int status = 0;

	for (int i = 0; i < n; i++) {
		int fd = u_open_operand(p, files[i]), r;
		uint8_t d[DIGEST_MAX];

		if (fd < 0) {
			status = 1;
			continue;
		}
		r = digest_fd(p, fd, (enum digest_kind)o->kind, size, d);
		if (r < 0) {
			u_warn(p, r, "%s", u_quote_if_needed(p, files[i]));
			status = 1;
		} else {
			put_line(p, o, d, size, files[i]);
		}
		u_close_operand(p, fd);
	}
	return status;
}

/* ---- Lines of a list ----------------------------------------------------------------------------- */

struct entry {
	enum digest_kind kind;
	size_t size;
	uint8_t digest[DIGEST_MAX];
	char *name;
};

struct list {
	struct proc *p;
	const struct digest_options *o;
	const char *name;
	int reversed;		/* lines have no mode character: 1, they have: 0, not known yet: -1 */
	uint64_t misformatted, unreadable, mismatched, formatted;
	bool verified;
};

static int hex_value(char c)
{
	return ascii_digit(c) ? c - '0' : ascii_xdigit(c) ? ascii_tolower(c) - 'a' + 10 : -1;
}

/* The digits at s, which must be followed by `end`s end or a blank; how many bytes, 0: not a digest. */
static size_t take_hex(const char *s, const char *end, struct entry *e)
{
	size_t n = 0;

	while (s + 2 * n + 1 < end && n < DIGEST_MAX && hex_value(s[2 * n]) >= 0 &&
	       hex_value(s[2 * n + 1]) >= 0) {
		e->digest[n] = (uint8_t)(hex_value(s[2 * n]) << 4 | hex_value(s[2 * n + 1]));
		n++;
	}
	if (s + 2 * n < end && hex_value(s[2 * n]) >= 0)
		return 0;
	return n;
}

/* Replaces \\, \n and \r; false when there are other escapes. */
static bool unescape(char *name)
{
	char *out = name;

	for (const char *s = name; *s; s++) {
		if (*s != '\\') {
			*out++ = *s;
			continue;
		}
		s++;
		if (*s == 'n')
			*out++ = '\n';
		else if (*s == 'r')
			*out++ = '\r';
		else if (*s == '\\')
			*out++ = '\\';
		else
			return false;
	}
	*out = '\0';
	return true;
}

static bool size_fits(enum digest_kind k, size_t n, size_t wanted)
{
	if (wanted)
		return n == wanted;
	return k == DIGEST_BLAKE2B ? n > 0 && n <= 64 : n == digest_size(k);
}

/* NAME (FILE) = DIGEST, after the name. */
static bool tagged(struct list *l, const char *s, const char *end, size_t size, struct entry *e)
{
	const char *close;

	s += s < end && *s == ' ';
	if (s == end || *s != '(')
		return false;
	s++;
	close = memrchr(s, ')', (size_t)(end - s));
	if (!close)
		return false;
	e->name = u_strndup(l->p, s, (size_t)(close - s));
	for (s = close + 1; s < end && ascii_blank(*s);)
		s++;
	if (s == end || *s != '=')
		return false;
	for (s++; s < end && ascii_blank(*s);)
		s++;
	e->size = take_hex(s, end, e);
	return s + 2 * e->size == end && size_fits(e->kind, e->size, size);
}

/* Starts the line with the name of a digest that may be in this list? */
static bool take_tag(struct list *l, const char **s, const char *end, size_t *size, struct entry *e)
{
	enum digest_kind best = DIGEST_MD5;
	size_t best_len = 0;

	for (int k = 0; k <= DIGEST_SM3; k++) {
		const char *name = digest_name((enum digest_kind)k);
		size_t n = strlen(name);

		if ((l->o->kind < 0 || l->o->kind == k) && (size_t)(end - *s) > n && n > best_len &&
		    memcmp(*s, name, n) == 0) {
			best = (enum digest_kind)k;
			best_len = n;
		}
	}
	if (best_len == 0)
		return false;
	*s += best_len;
	e->kind = best;
	*size = 0;
	if (best == DIGEST_BLAKE2B && **s == '-') {
		uint64_t bits = num_u64(*s + 1, s, 10, NULL);

		if (bits == 0 || bits > 512 || bits % 8)
			return false;
		*size = (size_t)bits / 8;
	}
	return true;
}

static bool parse_line(struct list *l, struct str line, struct entry *e)
{
	const char *s = line.ptr, *end = s + line.len;
	bool escaped = false;
	size_t size = 0;

	while (s < end && ascii_blank(*s))
		s++;
	if (s < end && *s == '\\') {
		escaped = true;
		s++;
	}
	if (take_tag(l, &s, end, &size, e)) {
		if (!tagged(l, s, end, size, e))
			return false;
	} else {
		if (l->o->kind < 0)
			return false;
		e->kind = (enum digest_kind)l->o->kind;
		e->size = take_hex(s, end, e);
		s += 2 * e->size;
		if (!size_fits(e->kind, e->size, l->o->size) || s == end || !ascii_blank(*s))
			return false;
		s++;
		/* Lines without a mode character are those of BSD's reversed format. */
		if (end - s < 2 || (*s != ' ' && *s != '*')) {
			if (l->reversed == 0)
				return false;
			l->reversed = 1;
		} else if (l->reversed != 1) {
			l->reversed = 0;
			s++;
		}
		if (s == end)
			return false;
		e->name = u_strndup(l->p, s, (size_t)(end - s));
	}
	return !escaped || unescape(e->name);
}

/* ---- Checking ---------------------------------------------------------------------------------------- */

static void put_result(struct list *l, const struct entry *e, const char *text)
{
	struct u_out *out = u_stdout(l->p);
	bool escape = strchr(e->name, '\n') != NULL;

	if (escape)
		u_putc(out, '\\');
	put_name(out, e->name, escape);
	u_printf(out, ": %s\n", text);
}

static void check_entry(struct list *l, const struct entry *e)
{
	const struct digest_options *o = l->o;
	int fd = streq(e->name, "-") ? 0 : sys_open(l->p, e->name, SYS_O_READ, 0), r = fd;
	uint8_t d[DIGEST_MAX];

	if (fd >= 0) {
		r = digest_fd(l->p, fd, e->kind, e->size, d);
		u_close_operand(l->p, fd);
	}
	if (r == -NACRE_ENOENT && o->ignore_missing)
		return;
	if (r < 0) {
		u_warn(l->p, r, "%s", u_quote_if_needed(l->p, e->name));
		l->unreadable++;
		if (!o->status)
			put_result(l, e, "FAILED open or read");
		return;
	}
	if (memcmp(d, e->digest, e->size) == 0) {
		l->verified = true;
		if (!o->status && !o->quiet)
			put_result(l, e, "OK");
	} else {
		l->mismatched++;
		if (!o->status)
			put_result(l, e, "FAILED");
	}
}

static void warn_count(struct list *l, uint64_t n, const char *one, const char *many)
{
	if (n > 0 && !l->o->status)
		u_warn(l->p, 0, "WARNING: %llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* True when everything in the list is as it should be. */
static bool finish(struct list *l)
{
	if (l->formatted == 0) {
		u_warn(l->p, 0, "%s: no properly formatted checksum lines found", l->name);
		return false;
	}
	warn_count(l, l->misformatted, "line is improperly formatted", "lines are improperly formatted");
	warn_count(l, l->unreadable, "listed file could not be read", "listed files could not be read");
	warn_count(l, l->mismatched, "computed checksum did NOT match", "computed checksums did NOT match");
	if (l->o->ignore_missing && !l->verified)
		u_warn(l->p, 0, "%s: no file was verified", l->name);
	return l->mismatched == 0 && l->unreadable == 0 && (l->verified || !l->o->ignore_missing) &&
	       !(l->o->strict && l->misformatted);
}

static bool check_list(struct proc *p, const struct digest_options *o, const char *path)
{
	struct list l = {.p = p, .o = o, .reversed = -1};
	int last = o->kind;	/* what the last good line was of */
	int fd = u_open_operand(p, path);
	struct u_lines r;
	struct str line;

	if (fd < 0)
		return false;
	l.name = fd == 0 ? "'standard input'" : u_quote_if_needed(p, path);
	u_lines_init(&r, p, fd, '\n');
	for (uint64_t n = 1; u_lines_next(&r, &line); n++) {
		struct entry e;

		if (line.len > 0 && line.ptr[0] == '#')
			continue;
		if (line.len > 0 && line.ptr[line.len - 1] == '\r')
			line.len--;
		if (line.len == 0)
			continue;
		if (parse_line(&l, line, &e)) {
			last = (int)e.kind;
			l.formatted++;
			check_entry(&l, &e);
			continue;
		}
		l.misformatted++;
		if (o->warn)
			u_warn(p, 0, "%s: %llu: improperly formatted %s checksum line", l.name,
			       (unsigned long long)n,
			       last < 0 ? "CRC" : digest_name((enum digest_kind)last));
	}
	u_close_operand(p, fd);
	if (r.err) {
		u_warn(p, 0, "%s: read error", l.name);
		return false;
	}
	return finish(&l);
}

int digest_check(struct proc *p, const struct digest_options *o, int n, char *const *files)
{
	int status = 0;

	for (int i = 0; i < n; i++) {
		if (!check_list(p, o, files[i]))
			status = 1;
	}
	return status;
}

int digest_main(struct proc *p, const struct cmd_args *a, enum digest_kind kind)
{
	struct digest_options *o = a->opts;
	char *const *files;
	int n = cmd_files(a, &files);

	o->kind = (int)kind;
	digest_parse_length(p, o);
	digest_check_options(p, o);
	return o->check ? digest_check(p, o, n, files) : digest_print(p, o, n, files);
}
