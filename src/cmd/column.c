/*
 * column.c - lists in columns, and tables.
 *
 * All of the input is read first: the widest entry decides. Lines end at a NUL, as those of the original do.
 */
#include "column/column.h"

static const struct cmd_opt column_opts[] = {
	CMD_FLAG(struct column, table, 't', "table", "make a table: fields below each other"),
	CMD_STRING(struct column, separator, 's', "separator", "CHARS", "each of CHARS ends a field; else any white space"),
	CMD_STRING(struct column, between, 'o', "output-separator", "STRING", "put STRING between columns (two spaces)"),
	CMD_STRING(struct column, names, 'N', "table-columns", "NAMES", "the names of the columns, with commas"),
	CMD_STRING(struct column, right, 'R', "table-right", "COLUMNS", "these columns are set to the right"),
	CMD_STRING(struct column, hide, 'H', "table-hide", "COLUMNS", "do not print these columns"),
	CMD_STRING(struct column, order, 'O', "table-order", "COLUMNS", "print these columns first, in this order"),
	CMD_STRING(struct column, limit_arg, 'l', "table-columns-limit", "NUM", "at most NUM fields a line"),
	CMD_FLAG(struct column, no_header, 'd', "table-noheadings", "do not print the names of -N"),
	CMD_FLAG(struct column, header_repeat, 'e', "table-header-repeat", "names on each page: there is one page"),
	CMD_FLAG(struct column, json, 'J', "json", "print the table as JSON; needs -N"),
	CMD_STRING(struct column, table_name, 'n', "table-name", "NAME", "the name of the table in JSON"),
	CMD_FLAG(struct column, keep_empty, 'L', "keep-empty-lines", "keep empty lines"),
	CMD_FLAG(struct column, keep_empty, 0, "table-empty-lines", NULL),
	CMD_STRING(struct column, width_arg, 'c', "output-width", "WIDTH", "the width of a list (COLUMNS, else 80)"),
	CMD_STRING(struct column, width_arg, 0, "columns", "WIDTH", NULL),
	CMD_FLAG(struct column, fill_rows, 'x', "fillrows", "fill rows before columns"),
};

/* ---- Text ------------------------------------------------------------------------------------------ */

size_t column_width(struct str s)
{
	size_t width = 0;

	for (size_t i = 0; i < s.len;) {
		unsigned len;
		uint32_t c = utf8_decode(s.ptr + i, s.len - i, &len);
		int w = c == UTF8_BAD ? 4 : utf8_width(c);

		width += w < 0 ? 0 : (size_t)w;
		i += len;
	}
	return width;
}

void column_put(struct u_out *out, struct str s)
{
	for (size_t i = 0; i < s.len;) {
		unsigned len;

		if (utf8_decode(s.ptr + i, s.len - i, &len) == UTF8_BAD)
			u_printf(out, "\\x%02x", (unsigned char)s.ptr[i]);
		else
			u_put(out, s.ptr + i, len);
		i += len;
	}
}

/* ---- Input ------------------------------------------------------------------------------------------ */

static void grow(struct column *c)
{
	struct arena *a = &sys_self(c->p)->arena;
	size_t cap = c->cap ? c->cap * 2 : 256;

	if (c->table)
		c->row = arena_grow(a, c->row, size_mul(c->cap, sizeof(*c->row)), size_mul(cap, sizeof(*c->row)));
	else
		c->entry = arena_grow(a, c->entry, size_mul(c->cap, sizeof(*c->entry)), size_mul(cap, sizeof(*c->entry)));
	c->cap = cap;
}

static void add_line(struct column *c, struct str line)
{
	const char *nul = memchr(line.ptr, '\0', line.len);
	bool empty = true;

	if (nul)
		line.len = (size_t)(nul - line.ptr);
	for (size_t i = 0; i < line.len && empty; i++)
		empty = ascii_space(line.ptr[i]);
	if (empty && !c->keep_empty)
		return;
	if (empty)
		line.len = 0;
	if (c->n == c->cap)
		grow(c);
	line.ptr = u_strndup(c->p, line.ptr, line.len);
	if (c->table)
		column_add_row(c, line);
	else
		c->entry[c->n++] = line;
}

/* false when the file cannot be opened. */
static bool read_file(struct column *c, const char *path)
{
	int fd = path ? sys_open(c->p, path, SYS_O_READ, 0) : 0;
	struct u_lines r;
	struct str line;

	if (fd < 0) {
		u_warn(c->p, fd, "%s", path);
		return false;
	}
	u_lines_init(&r, c->p, fd, '\n');
	while (u_lines_next(&r, &line))
		add_line(c, line);
	if (r.err)
		u_die(c->p, 1, r.err, "read failed");
	if (path)
		sys_close(c->p, fd);
	return true;
}

/* ---- Lists ------------------------------------------------------------------------------------------- */

/* Tabs from column *at to column `to`. */
static void put_tabs(struct column *c, size_t *at, size_t to)
{
	for (size_t next; (next = (*at + 8) / 8 * 8) <= to; *at = next)
		u_putc(c->out, '\t');
}

static void print_list(struct column *c)
{
	size_t widest = 0, across, down;

	for (size_t i = 0; i < c->n; i++)
		widest = MAX(widest, column_width(c->entry[i]));
	widest = (widest + 8) / 8 * 8;
	across = widest >= c->screen ? 1 : MAX((size_t)c->screen / widest, 1);
	down = c->n / across + (c->n % across != 0);
	for (size_t row = 0; row < down; row++) {
		size_t at = 0;

		for (size_t col = 0; col < across; col++) {
			size_t i = c->fill_rows ? row * across + col : col * down + row;

			if (i >= c->n)
				break;
			put_tabs(c, &at, col * widest);
			column_put(c->out, c->entry[i]);
			at += column_width(c->entry[i]);
			sys_checkpoint(c->p);
		}
		u_putc(c->out, '\n');
	}
}

static uint64_t number(struct column *c, const char *s, const char *what)
{
	uint64_t n = 0;

	if (!ascii_digit(*s) || u_parse_size(s, "", &n) < 0 || n > UINT32_MAX)
		u_die(c->p, 1, 0, "%s: '%s'", what, s);
	return n;
}

static void check_options(struct column *c)
{
	const char *columns = u_getenv(c->p, "COLUMNS"), *end;

	c->screen = columns && ascii_digit(*columns) ? num_u64(columns, &end, 10, NULL) : 0;
	c->screen = c->screen ? c->screen : 80;
	if (c->width_arg)
		c->screen = number(c, c->width_arg, "invalid columns argument");
	if (c->limit_arg) {
		c->limit = number(c, c->limit_arg, "invalid columns limit argument");
		if (c->limit == 0)
			u_die(c->p, 1, 0, "columns limit must be greater than zero");
	}
	if ((c->table || c->json) && c->fill_rows)
		u_die(c->p, 1, 0, "mutually exclusive arguments: --%s --fillrows", c->json ? "json" : "table");
	c->table |= c->json;
	if (!c->table && (c->names || c->hide || c->right || c->order || c->table_name || c->limit_arg))
		u_die(c->p, 1, 0, "option --table required for all --table-*");
	if (c->json && !c->names)
		u_die(c->p, 1, 0, "option --table-columns required for --json");
}

static int column_main(struct proc *p, const struct cmd_args *a)
{
	struct column *c = a->opts;
	int status = 0;

	c->p = p;
	c->out = u_stdout(p);
	check_options(c);
	if (c->table)
		column_start_table(c);
	if (a->argc == 0)
		read_file(c, NULL);
	for (int i = 0; i < a->argc; i++)
		status |= !read_file(c, a->argv[i]);
	if (c->table)
		column_print_table(c);
	else
		print_list(c);
	return status;
}

static const struct cmd_example column_examples[] = {
	{"printf 'name age\\nann 7\\nbartholomew 12\\n' | column -t", "name         age\nann          7\nbartholomew  12\n"},
	{"printf 'a:b\\nc:\\n' | column -t -s: -o' | '", "a | b\nc | \n"},
};

static const struct cmd_missing column_missing[] = {
	{"-E, --table-noextreme", "columns are as wide as their widest field"},
	{"-T, --table-truncate", "columns are as wide as their widest field"},
	{"-W, --table-wrap", "columns are as wide as their widest field"},
	{"-r, --tree", "trees are not drawn"},
	{"-i, --tree-id", "trees are not drawn"},
	{"-p, --tree-parent", "trees are not drawn"},
};

const struct cmd cmd_column = {
	.name = "column",
	.summary = "make columns of lists, or a table of lines",
	.synopsis = "[OPTION]... [FILE]...",
	.description = "Without FILE standard input is read. COLUMNS are names or numbers, with commas; 0 means all.",
	.opts = column_opts,
	.nopts = COUNTOF(column_opts),
	.opts_size = sizeof(struct column),
	.main = column_main,
	.examples = column_examples,
	.nexamples = COUNTOF(column_examples),
	.missing = column_missing,
	.nmissing = COUNTOF(column_missing),
};
