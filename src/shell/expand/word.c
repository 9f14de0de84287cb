/* word.c - the words of a command: their parts in order, and the ways to ask for them. */
#include "build.h"

#define STACK_NEED 4096u /* for one more level of ${x:-…}, measured with room to spare */
#define DEPTH_MAX  1000u

static bool fail_with(struct expander *x, enum expand_error e, bool report, const char *fmt, va_list ap)
{
	struct u_buf b;
	va_list again;
	char text[512];
	size_t n;

	va_copy(again, ap);
	n = fmt_buf_v(text, sizeof(text), fmt, ap);
	u_buf_init(&b, x->p, 0);
	if (n < sizeof(text)) {
		u_buf_puts(&b, text);
	} else {
		u_buf_reserve(&b, n + 1);
		b.len = fmt_buf_v(b.ptr, n + 1, fmt, again);
	}
	va_end(again);
	x->error = e;
	if (report && x->host->report)
		x->host->report(x->host, b.ptr);
	else if (x->host->warn)
		x->host->warn(x->host, b.ptr);
	return false;
}

bool expand_fail(struct expander *x, enum expand_error e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_with(x, e, e == EXPAND_FAIL, fmt, ap);
	va_end(ap);
	return false;
}

bool expand_report(struct expander *x, enum expand_error e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail_with(x, e, true, fmt, ap);
	va_end(ap);
	return false;
}

/* ---- Substitutions ------------------------------------------------------------- */

/* The output of a command, less NULs and last newlines. */
static bool comsub_text(struct expander *x, const struct comsub *c, struct str *out)
{
	struct u_buf b;
	char *nul;

	if (!x->host->comsub)
		return expand_fail(x, EXPAND_FAIL, "command substitution: not available here");
	u_buf_init(&b, x->p, 0);
	x->ran_comsub = true;
	if (!x->host->comsub(x->host, c, &b)) {
		if (x->error == EXPAND_NONE)
			x->error = EXPAND_UNWIND;
		return false;
	}
	nul = b.len ? memchr(b.ptr, '\0', b.len) : NULL;
	if (nul) {
		size_t n = (size_t)(nul - b.ptr);

		if (x->host->warn)
			x->host->warn(x->host,
			              "warning: command substitution: ignored null byte in input");
		for (size_t i = n; i < b.len; i++)
			if (b.ptr[i])
				b.ptr[n++] = b.ptr[i];
		b.len = n;
	}
	while (b.len && b.ptr[b.len - 1] == '\n')
		b.len--;
	if (b.ptr)
		b.ptr[b.len] = '\0';
	*out = (struct str){b.ptr ? b.ptr : "", b.len};
	return true;
}

static bool procsub_text(struct expander *x, const struct comsub *c, struct str *out)
{
	const char *path;

	if (!x->host->procsub)
		return expand_fail(x, EXPAND_FAIL, "process substitution: not available here");
	path = x->host->procsub(x->host, c);
	if (!path) {
		if (x->error == EXPAND_NONE)
			x->error = EXPAND_UNWIND;
		return false;
	}
	*out = str_from(path);
	return true;
}

static bool part_result(struct build *bd, const struct part *part, struct str s)
{
	return part->quoted ? build_text(bd, s, true) : build_split(bd, s);
}

static bool build_part(struct build *bd, const struct part *part, bool operand)
{
	struct expander *x = bd->x;
	struct str s;
	int64_t n;
	char buf[24];

	switch ((enum part_kind)part->kind) {
	case PART_LIT:
		return operand && !part->quoted ? build_split(bd, part->text)
		                                : build_text(bd, part->text, part->quoted);
	case PART_QUOTED: return build_text(bd, part->text, true);
	case PART_PARAM: return build_param(bd, part->param, part, operand);
	case PART_COMSUB: return comsub_text(x, part->comsub, &s) && part_result(bd, part, s);
	case PART_ARITH:
		if (!arith_eval(x, part->arith, &n))
			return false;
		return part_result(bd, part, (struct str){buf, put_i64(buf, n)});
	case PART_PROCSUB: return procsub_text(x, part->comsub, &s) && build_text(bd, s, true);
	case PART_TILDE:
		if (x->no_tilde)
			return build_text(bd, (struct str){part->raw, part->raw_len}, true);
		return tilde_expand(x, part->text, &s) && build_text(bd, s, true);
	case PART_BRACE:
		/* Where braces do not expand the parser leaves text. */
		return build_text(bd, (struct str){part->raw, part->raw_len}, false);
	}
	return false;
}

/* A "…" begins. False: inside of another, as in "${x:-"…"}", which is one for lists. */
static bool build_group(struct build *bd)
{
	if (bd->in_group)
		return false;
	bd->in_group = true;
	bd->splits_joints = false;
	bd->njoints = 0;
	bd->group_len = bd->b.len;
	bd->group_fields = bd->out ? bd->out->n : 0;
	return true;
}

bool build_parts(struct build *bd, const struct part *parts, uint32_t n, bool operand)
{
	bool was_started = false, opened = false;
	size_t nfields = 0, len = 0;

	if (bd->x->depth >= DEPTH_MAX || !sys_stack(bd->x->p, STACK_NEED))
		return expand_fail(bd->x, EXPAND_FAIL, "expansion nested too deeply");
	bd->x->depth++;
	for (uint32_t i = 0; i < n; i++) {
		const struct part *part = &parts[i];

		if (part->flags & PART_DQ_FIRST) {
			was_started = bd->started;
			nfields = bd->out ? bd->out->n : 0;
			len = bd->b.len;
			bd->empty_list = false;
			opened = build_group(bd);
		}
		if (!build_part(bd, part, operand)) {
			bd->x->depth--;
			return false;
		}
		/* "$@" without parameters is nothing at all, whatever else is empty in the quotes.
		 */
		if ((part->flags & PART_DQ_LAST) && bd->empty_list && bd->b.len == len &&
		    (!bd->out || bd->out->n == nfields))
			bd->started = was_started;
		if ((part->flags & PART_DQ_LAST) && opened)
			bd->in_group = opened = false;
	}
	bd->x->depth--;
	return true;
}

/* ---- Tildes ------------------------------------------------------------------------ */

static bool home_of(struct expander *x, struct str user, struct str *out)
{
	int fd = sys_open(x->p, "/etc/passwd", SYS_O_READ, 0);
	struct str text;
	size_t at = 0;
	int r;

	if (fd < 0)
		return false;
	r = u_read_all(x->p, fd, 1 << 20, &text);
	sys_close(x->p, fd);
	while (r >= 0 && at < text.len) {
		const char *line = text.ptr + at, *nl = memchr(line, '\n', text.len - at);
		size_t n = nl ? (size_t)(nl - line) : text.len - at;

		at += n + 1;
		if (n <= user.len || memcmp(line, user.ptr, user.len) != 0 || line[user.len] != ':')
			continue;
		for (int field = 0; field < 5 && line; field++) {
			line = memchr(line, ':', (size_t)(text.ptr + at - 1 - line));
			line = line ? line + 1 : NULL;
		}
		if (!line)
			return false;
		nl = memchr(line, ':', (size_t)(text.ptr + at - 1 - line));
		n = nl ? (size_t)(nl - line) : (size_t)(text.ptr + at - 1 - line);
		*out = copy_str(x, (struct str){line, n});
		return true;
	}
	return false;
}

bool tilde_expand(struct expander *x, struct str text, struct str *out)
{
	char buf[VALUE_BUF], *raw;
	bool down = text.len && text.ptr[0] == '-';
	size_t digits = text.len && (text.ptr[0] == '+' || down) ? 1 : 0, n = 0;

	if (text.len == 0) {
		if (state_get(x->st, STR("HOME"), buf, out)) {
			*out = copy_str(x, *out);
			return true;
		}
		if (home_of(x, STR("root"), out))
			return true;
		*out = STR("/");
		return true;
	}
	if (str_is(text, "+") || str_is(text, "-")) {
		if (state_get(x->st, down ? STR("OLDPWD") : STR("PWD"), buf, out)) {
			*out = copy_str(x, *out);
			return true;
		}
	} else if (digits < text.len && ascii_digit((unsigned char)text.ptr[digits])) {
		size_t i = digits;

		while (i < text.len && ascii_digit((unsigned char)text.ptr[i]) && n < 100000)
			n = n * 10 + (size_t)(text.ptr[i++] - '0');
		if (i == text.len && n < dirs_count(x->st) &&
		    dirs_at(x->st, down ? dirs_count(x->st) - 1 - n : n, out)) {
			*out = copy_str(x, *out);
			return true;
		}
	} else if (home_of(x, text, out)) {
		return true;
	}
	raw = u_alloc(x->p, text.len + 2);
	raw[0] = '~';
	memcpy(raw + 1, text.ptr, text.len);
	raw[text.len + 1] = '\0';
	*out = (struct str){raw, text.len + 1};
	return true;
}

/* ---- Words to fields -------------------------------------------------------------------- */

static bool row_fields(struct expander *x, const struct part *parts, uint32_t n, struct fields *out)
{
	struct build bd;

	build_init(&bd, x, BUILD_FIELDS, out);
	return build_parts(&bd, parts, n, false) && build_end(&bd);
}

/* A bare $x or "$x", by far the most common expansion. 1: done, 0: not that simple, -1: failed. */
static int quick(struct expander *x, const struct word *w, struct fields *out)
{
	const struct part *part = w->parts;
	const struct param *param;
	char buf[VALUE_BUF];
	struct str s;

	if (w->nparts != 1)
		return 0;
	if (part->kind == PART_ARITH && x->st->ifs.is_default && part->arith->tree) {
		char *digits;
		int64_t n;

		if (!arith_eval(x, part->arith, &n))
			return -1;
		digits = u_alloc(x->p, 24);
		put_i64(digits, n);
		fields_push(x, out, digits);
		return 1;
	}
	if (part->kind == PART_LIT && part->text.len == 1 &&
	    (*part->text.ptr == '[' || *part->text.ptr == ']')) {
		/* The command [ and its end look like patterns and never are. */
		fields_push(x, out, (char *)(uintptr_t)(*part->text.ptr == '[' ? "[" : "]"));
		return 1;
	}
	if (part->kind != PART_PARAM)
		return 0;
	param = part->param;
	if (param->op != PARAM_PLAIN || param->sub || (param->flags & PARAM_INDIRECT))
		return 0;
	if (param->kind == PARAM_POSITIONAL) {
		if (param->number == 0 || param->number > params_count(x->st))
			return 0;
		s = params_at(x->st, param->number);
	} else if (param->kind != PARAM_NAME || !state_get(x->st, param->name, buf, &s)) {
		return 0;
	}
	if (!part->quoted) {
		const uint32_t *sep = x->st->ifs.sep;

		if (s.len == 0)
			return 1;
		for (size_t i = 0; i < s.len; i++) {
			unsigned char c = (unsigned char)s.ptr[i];

			if ((sep[c / 32] >> c % 32 & 1) || c == '*' || c == '?' || c == '[' ||
			    c == '\\' || c == '(')
				return 0;
		}
	}
	fields_push(x, out, u_strndup(x->p, s.ptr, s.len));
	return 1;
}

/* {1..100000} alone: no parts in between. */
static bool brace_numbers(struct expander *x, const struct brace *b, struct fields *out)
{
	int64_t i = b->from;
	size_t n = 0;

	for (;;) {
		char *s = u_alloc(x->p, 24 + (size_t)b->width);

		if (n++ >= EXPAND_WORDS_MAX)
			return expand_fail(x, EXPAND_FAIL,
			                   "brace expansion: too many words (limit is %zu)",
			                   EXPAND_WORDS_MAX);
		brace_number(s, i, b->width);
		fields_push(x, out, s);
		sys_checkpoint(x->p);
		if (__builtin_add_overflow(i, b->step, &i) || (b->step > 0 ? i > b->to : i < b->to))
			return true;
	}
}

static bool brace_fields(struct expander *x, const struct word *w, struct fields *out)
{
	struct part_row *rows;
	size_t n;

	if (w->nparts == 1 && w->parts->brace->kind == BRACE_INT)
		return brace_numbers(x, w->parts->brace, out);
	if (!brace_expand(x, w, &rows, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!row_fields(x, rows[i].v, rows[i].n, out))
			return false;
		sys_checkpoint(x->p);
	}
	return true;
}

/* An argument name=value of declare and the like: not split, not globbed. */
static bool assign_field(struct expander *x, const struct word *w, struct fields *out)
{
	const struct assign *a = w->assign;
	struct u_buf b;
	struct str value;

	if (a->array)
		return expand_fail(x, EXPAND_FAIL, "%.*s: cannot assign list to array member",
		                   (int)a->name.len, a->name.ptr);
	u_buf_init(&b, x->p, 0);
	u_buf_put(&b, a->name.ptr, a->name.len);
	if (a->sub) {
		u_buf_putc(&b, '[');
		u_buf_put(&b, a->sub->raw.ptr, a->sub->raw.len);
		u_buf_putc(&b, ']');
	}
	u_buf_puts(&b, a->append ? "+=" : "=");
	if (!expand_joined(x, a->value, JOIN_VALUE, &value))
		return false;
	u_buf_put(&b, value.ptr, value.len);
	fields_push(x, out, b.ptr);
	return true;
}

static bool fields_of(struct expander *x, const struct word *words, size_t n, struct fields *out)
{
	if (!out->cap)
		fields_grow(x, out, MAX(n, (size_t)3));
	for (size_t i = 0; i < n; i++) {
		const struct word *w = &words[i];
		int done;

		if (LIKELY(w->flags & WORD_LITERAL)) {
			fields_push(x, out, (char *)(uintptr_t)(const void *)w->text.ptr);
			continue;
		}
		done = quick(x, w, out);
		if (done > 0)
			continue;
		if (UNLIKELY(done < 0))
			return false;
		if (w->assign) {
			if (!assign_field(x, w, out))
				return false;
		} else if (w->flags & WORD_BRACE) {
			if (!brace_fields(x, w, out))
				return false;
		} else if (!row_fields(x, w->parts, w->nparts, out)) {
			return false;
		}
		if (UNLIKELY(out->n > EXPAND_WORDS_MAX * 4))
			return expand_fail(x, EXPAND_FAIL, "too many words (limit is %zu)",
			                   EXPAND_WORDS_MAX * 4);
	}
	return true;
}

bool expand_words_late(struct expander *x, const struct word *words, size_t n, struct fields *out,
                       struct late_globs *late)
{
	struct late_globs *outer = x->late;
	bool ok;

	x->late = late;
	ok = fields_of(x, words, n, out);
	x->late = outer;
	return ok;
}

bool expand_words(struct expander *x, const struct word *words, size_t n, struct fields *out)
{
	struct late_globs late = {NULL, 0, 0};

	return expand_words_late(x, words, n, out, &late) && late_globs_apply(x, &late, out);
}

/* ---- Single strings ------------------------------------------------------------------------ */

static bool single(struct expander *x, const struct word *w, enum build_mode mode, enum expand_join join,
                   struct str *out)
{
	struct build bd;

	*out = STR("");
	if (!w || !w->nparts)
		return true;
	build_init(&bd, x, mode, NULL);
	bd.join = (uint8_t)join;
	if (!build_parts(&bd, w->parts, w->nparts, false))
		return false;
	if (bd.b.ptr)
		*out = (struct str){bd.b.ptr, bd.b.len};
	return true;
}

bool expand_single(struct expander *x, const struct word *w, enum build_mode mode, struct str *out)
{
	return single(x, w, mode, JOIN_PLAIN, out);
}

bool expand_text(struct expander *x, const struct word *w, struct str *out)
{
	return expand_joined(x, w, JOIN_PLAIN, out);
}

bool expand_joined(struct expander *x, const struct word *w, enum expand_join join, struct str *out)
{
	const struct part *part;
	char buf[VALUE_BUF];

	if (!w || !w->nparts) {
		*out = STR("");
		return true;
	}
	if (w->flags & WORD_LITERAL) {
		*out = w->text;
		return true;
	}
	part = w->parts;
	if (w->nparts == 1) {
		const struct param *param = part->kind == PART_PARAM ? part->param : NULL;
		int64_t n;

		if (part->kind == PART_ARITH) {
			char *digits;

			if (!arith_eval(x, part->arith, &n))
				return false;
			digits = u_alloc(x->p, 24);
			*out = (struct str){digits, put_i64(digits, n)};
			return true;
		}
		if (part->kind == PART_COMSUB)
			return comsub_text(x, part->comsub, out);
		if (param && param->kind == PARAM_NAME && param->op == PARAM_PLAIN && !param->sub &&
		    !(param->flags & PARAM_INDIRECT) && state_get(x->st, param->name, buf, out)) {
			*out = copy_str(x, *out);
			return true;
		}
	}
	return single(x, w, BUILD_TEXT, join, out);
}

bool expand_pattern(struct expander *x, const struct word *w, struct str *out)
{
	/* Literal text is in no need of quoting only if nothing in it could be taken for an
	 * operator. */
	if (w && (w->flags & WORD_LITERAL) && !(w->flags & WORD_QUOTED)) {
		*out = w->text;
		return true;
	}
	return expand_single(x, w, BUILD_PATTERN, out);
}

bool expand_regex(struct expander *x, const struct word *w, struct str *out)
{
	return expand_single(x, w, BUILD_REGEX, out);
}

bool expand_target(struct expander *x, const struct word *w, struct str *out)
{
	struct fields f = {NULL, 0, 0};

	if (w->flags & WORD_LITERAL) {
		*out = w->text;
		return true;
	}
	if (!expand_words(x, w, 1, &f))
		return false;
	if (f.n != 1)
		return expand_fail(x, EXPAND_ASSIGN, "%.*s: ambiguous redirect", (int)w->raw_len,
		                   w->raw);
	*out = str_from(f.v[0]);
	return true;
}

bool expand_string(struct expander *x, struct str text, struct str *out)
{
	struct parser *parser;
	struct parse_options o = {.flags = 0};
	struct word *w;

	if (!text.len || (!memchr(text.ptr, '$', text.len) && !memchr(text.ptr, '`', text.len) &&
	                  !memchr(text.ptr, '\\', text.len))) {
		*out = text;
		return true;
	}
	parser = u_alloc(x->p, sizeof(*parser));
	text = copy_str(x, text);
	o.stack_max = (uint32_t)stack_room(x->p, PARSE_STACK_MAX);
	parser_init(parser, &sys_self(x->p)->arena, text.ptr, text.len, &o);
	w = parser_dquoted(parser);
	if (!w)
		return expand_fail(x, EXPAND_FAIL, "%.*s",
		                   parser->error.nlines ? (int)parser->error.lines[0].text.len : 0,
		                   parser->error.nlines ? parser->error.lines[0].text.ptr : "");
	return expand_single(x, w, BUILD_TEXT, out);
}
