/* record.c - $0 and its fields: split when first asked for, put together again when changed. */
#include "awk.h"

static void need_fields(struct awk *a, size_t n)
{
	if (n >= a->fields_cap) {
		size_t cap = a->fields_cap ? a->fields_cap : 32;
		struct field *v;

		while (cap <= n)
			cap *= 2;
		v = block_get(a, cap * sizeof(*v));
		memset(v, 0, cap * sizeof(*v));
		if (a->field) {
			memcpy(v, a->field, a->fields_cap * sizeof(*v));
			block_put(a, a->field, a->fields_cap * sizeof(*v));
		}
		a->field = v;
		a->fields_cap = cap;
	}
}

static void drop_fields(struct awk *a)
{
	for (size_t i = 1; a->split && i <= a->nf; i++)
		if (a->field[i].made) {
			cell_clear(a, &a->field[i].cell);
			a->field[i].made = false;
		}
	a->split = false;
	a->nf = 0;
}

static void drop_text(struct awk *a)
{
	if (a->rec) {
		astr_put(a, a->rec);
		a->rec = NULL;
	}
	if (a->rec_made) {
		cell_clear(a, &a->rec_cell);
		a->rec_made = false;
	}
}

void record_view(struct awk *a, const char *s, size_t n)
{
	drop_fields(a);
	drop_text(a);
	a->rec_ptr = s;
	a->rec_len = n;
	a->rec_valid = true;
}

void record_set(struct awk *a, const char *s, size_t n)
{
	struct astr *t = astr_new(a, s, n);

	record_view(a, t->s, n);
	a->rec = t;
}

void record_own(struct awk *a)
{
	if (!a->rec && a->rec_ptr && a->rec_valid) {
		a->rec = astr_new(a, a->rec_ptr, a->rec_len);
		a->rec_ptr = a->rec->s;
	}
}

static struct str output_separator(struct awk *a)
{
	struct astr *s = cell_str(a, special_cell(a, V_OFS));

	return (struct str){s->s, s->len};
}

/* $0 from the fields. */
static void rebuild(struct awk *a)
{
	struct str ofs = output_separator(a);
	size_t total = 0;
	struct astr *t;
	char *to;

	for (size_t i = 1; i <= a->nf; i++)
		total += field_text(a, i).len + (i > 1 ? ofs.len : 0);
	t = astr_room(a, total);
	to = t->s;
	for (size_t i = 1; i <= a->nf; i++) {
		struct str f = field_text(a, i);

		if (i > 1) {
			memcpy(to, ofs.ptr, ofs.len);
			to += ofs.len;
		}
		if (f.len)
			memcpy(to, f.ptr, f.len);
		/* The fields now lie in the new text. */
		a->field[i].off = (size_t)(to - t->s);
		a->field[i].len = f.len;
		to += f.len;
	}
	drop_text(a);
	a->rec = t;
	a->rec_ptr = t->s;
	a->rec_len = total;
	a->rec_valid = true;
}

struct str record_text(struct awk *a)
{
	if (!a->rec_valid)
		rebuild(a);
	return (struct str){a->rec_ptr, a->rec_len};
}

static void add_field(struct awk *a, void *ctx, const char *s, size_t n, const char *sep, size_t nsep)
{
	(void)ctx;
	(void)sep;
	(void)nsep;
	need_fields(a, a->nf + 1);
	a->nf++;
	a->field[a->nf].off = (size_t)(s - a->rec_ptr);
	a->field[a->nf].len = n;
}

/* FS = " " */
static void split_blanks(struct awk *a, const char *s, size_t n, split_each *each, void *ctx)
{
	const char *end = s + n, *sep = s;

	for (;;) {
		const char *from;

		while (s < end && (*s == ' ' || *s == '\t' || *s == '\n'))
			s++;
		if (s == end)
			return;
		from = s;
		while (s < end && *s != ' ' && *s != '\t' && *s != '\n')
			s++;
		each(a, ctx, from, (size_t)(s - from), sep, (size_t)(from - sep));
		sep = s;
	}
}

static void split_byte(struct awk *a, const char *s, size_t n, char c, split_each *each, void *ctx)
{
	const char *end = s + n, *sep = s;
	size_t nsep = 0;

	for (;;) {
		const char *hit = memchr(s, c, (size_t)(end - s));

		/* In paragraph mode a newline separates as well. */
		each(a, ctx, s, (size_t)((hit ? hit : end) - s), sep, nsep);
		if (!hit)
			return;
		sep = hit;
		nsep = 1;
		s = hit + 1;
	}
}

static void split_characters(struct awk *a, const char *s, size_t n, split_each *each, void *ctx)
{
	while (n) {
		unsigned k = 1;

		if (a->utf8)
			utf8_decode(s, n, &k);
		each(a, ctx, s, k, s, 0);
		s += k;
		n -= k;
	}
}

static void split_regex(struct awk *a, const char *s, size_t n, struct dynamic *re, split_each *each, void *ctx)
{
	struct regex_span m;
	size_t from = 0, at = 0;
	const char *sep = s;
	size_t nsep = 0;

	while (at <= n && dynamic_match(a, re, s, n, at, &m, 1)) {
		if (m.end == m.start) {	/* an empty match separates nothing */
			at = m.end + 1;
			continue;
		}
		each(a, ctx, s + from, m.start - from, sep, nsep);
		sep = s + m.start;
		nsep = m.end - m.start;
		from = at = m.end;
		sys_checkpoint(a->p);
	}
	each(a, ctx, s + from, n - from, sep, nsep);
}

void split_text(struct awk *a, const char *s, size_t n, struct str fs, struct dynamic *re, split_each *each, void *ctx)
{
	if (n == 0)
		return;
	if (re)
		split_regex(a, s, n, re, each, ctx);
	else if (fs.len == 1 && fs.ptr[0] == ' ')
		split_blanks(a, s, n, each, ctx);
	else if (fs.len == 0)
		split_characters(a, s, n, each, ctx);
	else
		split_byte(a, s, n, fs.ptr[0], each, ctx);
}

/* FIELDWIDTHS: numbers (skip:width too), and * for the rest. */
static bool split_widths(struct awk *a, struct str rec)
{
	struct astr *w = cell_str(a, special_cell(a, V_FIELDWIDTHS));
	const char *p = w->s, *end = rec.ptr + rec.len, *s = rec.ptr;

	if (!w->len)
		return false;
	while (*p && s < end) {
		const char *next;
		uint64_t k;
		const char *from;

		while (ascii_space(*p))
			p++;
		if (!*p)
			break;
		if (*p == '*') {
			add_field(a, NULL, s, (size_t)(end - s), NULL, 0);
			break;
		}
		k = num_u64(p, &next, 10, NULL);
		if (next == p)
			awk_die(a, "invalid FIELDWIDTHS value, near `%s'", p);
		if (*next == ':') {
			s += MIN((size_t)k, (size_t)(end - s));
			p = next + 1;
			k = num_u64(p, &next, 10, NULL);
		}
		p = next;
		from = s;
		for (; k && s < end; k--) {
			unsigned len = 1;

			if (a->utf8)
				utf8_decode(s, (size_t)(end - s), &len);
			s += len;
		}
		add_field(a, NULL, from, (size_t)(s - from), NULL, 0);
	}
	return true;
}

/* FPAT: the fields are what it matches. */
static bool split_pattern(struct awk *a, struct str rec)
{
	struct astr *pat = cell_str(a, special_cell(a, V_FPAT));
	struct dynamic *d;
	struct regex_span m;
	size_t at = 0, last = SIZE_MAX;

	if (!pat->len)
		return false;
	d = dynamic_for(a, &a->fpat_regex, pat->s, pat->len);
	while (at <= rec.len && dynamic_match(a, d, rec.ptr, rec.len, at, &m, 1)) {
		if (m.end == m.start && m.start == last) {	/* empty right after a field */
			at = m.end + 1;
			last = SIZE_MAX;
			continue;
		}
		add_field(a, NULL, rec.ptr + m.start, m.end - m.start, NULL, 0);
		last = m.end;
		at = m.end > m.start ? m.end : m.end + 1;
		if (m.end > m.start) {
			/* What follows a field is a separator: one character at least. */
			if (at < rec.len && !dynamic_match(a, d, rec.ptr, rec.len, at, &m, 1))
				break;
			if (at == rec.len)
				break;
			if (m.start == at && m.end > m.start)
				continue;
			at++;
			last = SIZE_MAX;
		}
	}
	return true;
}

void record_split(struct awk *a)
{
	struct str rec, fs;
	struct astr *f;

	if (a->split)
		return;
	rec = record_text(a);
	a->split = true;
	a->nf = 0;
	if (rec.len == 0)
		return;
	if (split_widths(a, rec) || split_pattern(a, rec))
		return;
	f = cell_str(a, special_cell(a, V_FS));
	fs = (struct str){f->s, f->len};
	if (cell_str(a, special_cell(a, V_RS))->len == 0 && fs.len == 1 && fs.ptr[0] != ' ') {
		/* Paragraphs: a newline separates fields as well as a single character does. */
		struct u_buf *b = awk_scratch_take(a);
		struct dynamic *d;

		u_buf_printf(b, "[%s%c]|\n", fs.ptr[0] == '^' || fs.ptr[0] == '\\' ? "\\" : "", fs.ptr[0]);
		d = dynamic_for(a, &a->fs_regex, b->ptr, b->len);
		awk_scratch_give(a);
		split_text(a, rec.ptr, rec.len, fs, d, add_field, NULL);
		return;
	}
	split_text(a, rec.ptr, rec.len, fs,
		   fs.len > 1 ? dynamic_for(a, &a->fs_regex, fs.ptr, fs.len) :
		   fs.len == 1 && fs.ptr[0] == '\\' ? dynamic_for(a, &a->fs_regex, "\\\\", 2) : NULL,
		   add_field, NULL);
}

size_t field_count(struct awk *a)
{
	record_split(a);
	return a->nf;
}

struct str field_text(struct awk *a, size_t i)
{
	struct field *f;

	if (i == 0)
		return record_text(a);
	record_split(a);
	if (i > a->nf)
		return STR("");
	f = &a->field[i];
	if (f->made) {
		struct astr *s = cell_str(a, &f->cell);

		return (struct str){s->s, s->len};
	}
	return (struct str){a->rec_ptr + f->off, f->len};
}

void field_get(struct awk *a, size_t i, struct cell *out)
{
	struct field *f;

	if (i == 0) {
		if (!a->rec_made || !a->rec_valid) {
			(void)record_text(a);
			record_own(a);
			cell_set_str(a, &a->rec_cell, astr_get(a->rec), CELL_INPUT);
			a->rec_made = true;
		}
		cell_copy(a, out, &a->rec_cell);
		return;
	}
	record_split(a);
	if (i > a->nf) {	/* as gawk: an empty string, not an unset value */
		cell_set_str(a, out, astr_new(a, "", 0), CELL_INPUT);
		return;
	}
	f = &a->field[i];
	if (!f->made) {
		f->cell = (struct cell){0};
		cell_set_str(a, &f->cell, astr_new(a, a->rec_ptr + f->off, f->len), CELL_INPUT);
		f->made = true;
	}
	cell_copy(a, out, &f->cell);
}

/* Every field gets a value of its own, because the text is about to go. */
static void own_fields(struct awk *a)
{
	struct cell c = {0};

	for (size_t i = 1; i <= a->nf; i++)
		if (!a->field[i].made) {
			field_get(a, i, &c);
			cell_clear(a, &c);
		}
}

void record_set_nf(struct awk *a, double want)
{
	size_t n;

	record_split(a);
	if (want < 0)
		awk_die(a, "NF set to negative value");
	if (want > 10000000)
		awk_die(a, "NF set to a value too large");
	n = (size_t)want;
	own_fields(a);
	need_fields(a, n);
	for (size_t i = n + 1; i <= a->nf; i++) {
		cell_clear(a, &a->field[i].cell);
		a->field[i].made = false;
	}
	for (size_t i = a->nf + 1; i <= n; i++) {
		a->field[i].cell = (struct cell){0};
		a->field[i].made = true;
	}
	a->nf = n;
	a->rec_valid = false;
}

void field_assign(struct awk *a, size_t i, struct cell *c)
{
	if (i == 0) {
		struct astr *s = astr_get(cell_str(a, c));

		record_view(a, s->s, s->len);
		a->rec = s;
		a->rec_cell = *c;
		a->rec_made = true;
		if (a->rec_cell.type == CELL_NUM || a->rec_cell.type == CELL_UNSET)
			a->rec_cell.type = a->rec_cell.type == CELL_NUM ? CELL_NUM : CELL_INPUT;
		*c = (struct cell){0};
		return;
	}
	record_split(a);
	if (i > a->nf)
		record_set_nf(a, (double)i);
	else
		own_fields(a);
	cell_clear(a, &a->field[i].cell);
	a->field[i].cell = *c;
	a->field[i].made = true;
	*c = (struct cell){0};
	a->rec_valid = false;
}
