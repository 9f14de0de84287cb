/* table.c - column -t: fields below each other, or as JSON. */
#include "column.h"

#define MOST_COLUMNS 100000u

/* ---- Rows ------------------------------------------------------------------------------------- */

static void need_columns(struct column *c, size_t n)
{
	if (n > MOST_COLUMNS)
		u_die(c->p, 1, 0, "too many columns");
	if (n <= c->ncolumns)
		return;
	if (c->json)
		u_die(c->p, 1, 0, "line %zu: for JSON the name of the column %zu is required", c->n + 2, c->ncolumns + 1);
	c->column = arena_grow(&sys_self(c->p)->arena, c->column, size_mul(c->ncolumns, sizeof(*c->column)),
			       size_mul(n, sizeof(*c->column)));
	memset(c->column + c->ncolumns, 0, (n - c->ncolumns) * sizeof(*c->column));
	c->ncolumns = n;
}

static bool separates(const struct column *c, char ch)
{
	return c->separator ? *c->separator && strchr(c->separator, ch) : ch == ' ' || ch == '\t';
}

/* The next field of *line, which is cut; false when there is none. */
static bool next_field(const struct column *c, struct str *line, bool *ended, bool last, struct str *field)
{
	size_t n = 0;

	while (!c->separator && line->len > 0 && separates(c, *line->ptr)) {
		line->ptr++;
		line->len--;
	}
	if (*ended || (!c->separator && line->len == 0))
		return false;
	while (n < line->len && (last || !separates(c, line->ptr[n])))
		n++;
	*field = (struct str){line->ptr, n};
	*ended = n == line->len;
	n += !*ended;
	line->ptr += n;
	line->len -= n;
	return true;
}

void column_add_row(struct column *c, struct str line)
{
	struct str *cell = NULL, field;
	size_t n = 0, cap = 0;
	bool ended = false;

	while (next_field(c, &line, &ended, c->limit && n + 1 == c->limit, &field)) {
		if (n == cap) {
			size_t more = cap ? cap * 2 : 8;

			cell = arena_grow(&sys_self(c->p)->arena, cell, cap * sizeof(*cell), size_mul(more, sizeof(*cell)));
			cap = more;
		}
		cell[n++] = field;
		sys_checkpoint(c->p);
	}
	need_columns(c, n);
	for (size_t i = 0; i < n; i++)
		c->column[i].width = MAX(c->column[i].width, column_width(cell[i]));
	c->row[c->n++] = (struct column_row){cell, n};
}

/* ---- Columns by name --------------------------------------------------------------------------- */

static struct str next_word(const char **s)
{
	size_t n = strcspn(*s, ",");
	struct str word = {*s, n};

	*s += n + ((*s)[n] == ',');
	return word;
}

void column_start_table(struct column *c)
{
	bool json = c->json;

	c->json = false;
	for (const char *s = c->names; s && *s;) {
		struct str name = next_word(&s);

		need_columns(c, c->ncolumns + 1);
		c->column[c->ncolumns - 1].name = name;
		c->column[c->ncolumns - 1].width = column_width(name);
	}
	c->json = json;
}

static bool same_name(struct str a, struct str b)
{
	for (size_t i = 0; i < a.len && a.len == b.len; i++) {
		if (ascii_tolower(a.ptr[i]) != ascii_tolower(b.ptr[i]))
			return false;
	}
	return a.len == b.len;
}

/* The column called `word`: its number or its name. SIZE_MAX for a number beyond all columns. */
static size_t find_column(struct column *c, struct str word)
{
	const char *text = u_strndup(c->p, word.ptr, word.len), *end;
	uint64_t n;

	for (size_t i = 0; i < c->ncolumns; i++) {
		if (c->column[i].name.ptr && same_name(c->column[i].name, word))
			return i;
	}
	n = ascii_digit(*text) ? num_u64(text, &end, 10, NULL) : 0;
	if (!ascii_digit(*text) || *end)
		u_die(c->p, 1, 0, "undefined column name '%s'", text);
	return n > 0 && n <= c->ncolumns ? (size_t)n - 1 : SIZE_MAX;
}

/* Sets a flag of each column in the list; "0" means all. */
static void flag_columns(struct column *c, const char *list, bool hide)
{
	bool all = list && streq(list, "0");

	for (size_t i = 0; all && i < c->ncolumns; i++)
		*(hide ? &c->column[i].hidden : &c->column[i].right) = true;
	while (!all && list && *list) {
		size_t i = find_column(c, next_word(&list));

		if (i != SIZE_MAX)
			*(hide ? &c->column[i].hidden : &c->column[i].right) = true;
	}
}

/* Columns named in -O first, the others after them. */
static void place_columns(struct column *c)
{
	bool *placed = u_zalloc(c->p, c->ncolumns + 1);
	size_t n = 0;

	c->place = u_array(c->p, c->ncolumns + 1, sizeof(*c->place));
	for (const char *s = c->order; s && *s;) {
		size_t i = find_column(c, next_word(&s));

		if (i == SIZE_MAX || placed[i])
			continue;
		placed[i] = true;
		c->place[n++] = i;
	}
	for (size_t i = 0; i < c->ncolumns; i++) {
		if (!placed[i])
			c->place[n++] = i;
	}
}

/* ---- Printing ------------------------------------------------------------------------------------ */

static void put_blanks(struct u_out *out, size_t n)
{
	u_printf(out, "%*s", (int)MIN(n, (size_t)INT32_MAX), "");
}

static void print_row(struct column *c, const struct column_row *row, bool header)
{
	size_t last = SIZE_MAX;

	for (size_t k = 0; k < c->ncolumns; k++) {
		if (!c->column[c->place[k]].hidden)
			last = k;
	}
	for (size_t k = 0; last != SIZE_MAX && k <= last; k++) {
		size_t i = c->place[k];
		const struct column_info *col = &c->column[i];
		struct str s = header ? col->name : i < row->n ? row->cell[i] : (struct str){"", 0};
		size_t pad = col->width - MIN(col->width, column_width(s));

		sys_checkpoint(c->p);
		if (col->hidden)
			continue;
		if (col->right)
			put_blanks(c->out, pad);
		column_put(c->out, s);
		if (!col->right && k < last)
			put_blanks(c->out, pad);
		if (k < last)
			u_puts(c->out, c->between ? c->between : "  ");
	}
	u_putc(c->out, '\n');
}

static void put_json_string(struct column *c, struct str s, bool lower)
{
	static const char bytes[] = "\b\f\n\r\t", letters[] = "bfnrt";

	u_putc(c->out, '"');
	for (size_t i = 0; i < s.len; i++) {
		unsigned char ch = (unsigned char)s.ptr[i];
		const char *hit = memchr(bytes, ch, 5);
		unsigned len = 1;

		if (ch == '"' || ch == '\\')
			u_printf(c->out, "\\%c", ch);
		else if (hit)
			u_printf(c->out, "\\%c", letters[hit - bytes]);
		else if (ch < 0x20)
			u_printf(c->out, "\\u%04x", ch);
		else if (ch >= 0x80 && utf8_decode(s.ptr + i, s.len - i, &len) == UTF8_BAD)
			u_printf(c->out, "\\\\x%02x", ch);
		else if (lower && len == 1)
			u_putc(c->out, (char)ascii_tolower(ch));
		else
			u_put(c->out, s.ptr + i, len);
		i += len - 1;
	}
	u_putc(c->out, '"');
}

static void print_json(struct column *c)
{
	u_puts(c->out, "{\n   ");
	put_json_string(c, str_from(c->table_name ? c->table_name : "table"), false);
	u_puts(c->out, ": [\n      ");
	for (size_t r = 0; r < c->n; r++) {
		bool first = true;

		u_puts(c->out, r ? ",{\n" : "{\n");
		for (size_t k = 0; k < c->ncolumns; k++) {
			size_t i = c->place[k];

			if (c->column[i].hidden)
				continue;
			u_puts(c->out, first ? "         " : ",\n         ");
			first = false;
			put_json_string(c, c->column[i].name, true);
			u_puts(c->out, ": ");
			if (i < c->row[r].n && c->row[r].cell[i].len > 0)
				put_json_string(c, c->row[r].cell[i], false);
			else
				u_puts(c->out, "null");
		}
		u_puts(c->out, "\n      }");
	}
	u_puts(c->out, "\n   ]\n}\n");
}

void column_print_table(struct column *c)
{
	if (c->n == 0 || c->ncolumns == 0)
		return;
	flag_columns(c, c->right, false);
	flag_columns(c, c->hide, true);
	place_columns(c);
	if (c->json) {
		print_json(c);
		return;
	}
	if (c->names && !c->no_header)
		print_row(c, NULL, true);
	for (size_t r = 0; r < c->n; r++)
		print_row(c, &c->row[r], false);
}
