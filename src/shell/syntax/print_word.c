/*
 * print_word.c - words, assignments, quoted strings.
 *
 * A word is printed from its source text. The parser kept where each part stood, so the walk
 * copies what lies between the parts that print differently: $(…) and <(…), which are laid
 * out anew, $'…', which becomes '…', and $"…", which becomes "…". Backslash-newlines vanish.
 */
#include "printer.h"

/* Copies source text from `cursor`; moves along. */
struct walk {
	struct printer *pr;
	const char *cursor, *end;
};

static void walk_parts(struct walk *k, const struct word *w, bool inside);

void put(struct printer *pr, const char *s, size_t n)
{
	if (pr->cap - pr->len < n) {
		size_t cap = pr->cap ? pr->cap : 256;

		while (cap - pr->len < n)
			cap = size_mul(cap, 2);
		pr->buf = arena_grow(pr->arena, pr->buf, pr->len, cap);
		pr->cap = cap;
	}
	if (n)
		memcpy(pr->buf + pr->len, s, n);
	pr->len += n;
}

void put_str(struct printer *pr, struct str s)
{
	put(pr, s.ptr, s.len);
}

void put_text(struct printer *pr, const char *s)
{
	put(pr, s, strlen(s));
}

void put_quoted(struct printer *pr, struct str s)
{
	if (str_is(s, "'")) {
		put(pr, "\\'", 2);
		return;
	}
	put(pr, "'", 1);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\'')
			put(pr, "'\\''", 4);
		else
			put(pr, s.ptr + i, 1);
	}
	put(pr, "'", 1);
}

/* Source text up to `to`, without backslash-newlines. */
static void copy_until(struct walk *k, const char *to)
{
	const char *from = k->cursor, *at = from;

	if (to <= from)
		return;
	while (at < to) {
		if (*at != '\\' || at + 1 == to) {
			at++;
		} else if (at[1] == '\n') {
			put(k->pr, from, (size_t)(at - from));
			at += 2;
			from = at;
		} else {
			at += 2;
		}
	}
	put(k->pr, from, (size_t)(at - from));
	k->cursor = to;
}

static void copy_verbatim(struct walk *k, const struct part *part)
{
	copy_until(k, part->raw);
	put(k->pr, part->raw, part->raw_len);
	k->cursor = part->raw + part->raw_len;
}

static void put_comsub(struct walk *k, const struct part *part)
{
	const struct comsub *c = part->comsub;
	struct printer *pr = k->pr;
	size_t at;

	if (c->kind == COMSUB_BACKQUOTE) {
		copy_verbatim(k, part);
		return;
	}
	copy_until(k, part->raw);
	put(pr, c->kind == PROCSUB_IN ? "<(" : c->kind == PROCSUB_OUT ? ">(" : "$(", 2);
	at = pr->len;
	put_nested(pr, c->body);
	/* no new $((…)) */
	if (c->kind == COMSUB_DOLLAR && pr->len > at && pr->buf[at] == '(' &&
	    (part->raw[2] != '(' || pr->buf[pr->len - 1] == ')')) {
		put(pr, " ", 1);
		memmove(pr->buf + at + 1, pr->buf + at, pr->len - at - 1);
		pr->buf[at] = ' ';
	}
	put(pr, ")", 1);
	k->cursor = part->raw + part->raw_len;
}

static void walk_word(struct walk *k, const struct word *w, bool inside)
{
	if (w)
		walk_parts(k, w, inside);
}

static void walk_param(struct walk *k, const struct part *part, bool inside)
{
	const struct param *p = part->param;
	bool quoted = inside || part->quoted;

	if (p->kind == PARAM_BAD) {
		copy_verbatim(k, part);
		return;
	}
	if (p->sub)
		walk_word(k, p->sub->word, quoted);
	if (p->op == PARAM_SLICE) {
		walk_word(k, p->offset->word, true);
		if (p->length)
			walk_word(k, p->length->word, true);
		return;
	}
	walk_word(k, p->arg, quoted && p->op >= PARAM_DEFAULT && p->op <= PARAM_ALTERNATE);
	if (p->op == PARAM_REPLACE)
		walk_word(k, p->repl, false);
}

static void walk_text(struct walk *k, const struct part *part, bool inside)
{
	if ((part->flags & PART_ANSI) && !inside) {
		copy_until(k, part->raw);
		put_quoted(k->pr, part->text);
		k->cursor = part->raw + part->raw_len;
	} else if (part->flags & (PART_SQ | PART_ANSI)) {
		copy_verbatim(k, part);
	}
}

/* $" becomes ". */
static void drop_dollar(struct walk *k, const struct part *part)
{
	const char *quote = part->raw;

	while (quote > k->cursor && quote[-1] != '"')
		quote--;
	if (quote - 2 < k->cursor || quote[-2] != '$')
		return;
	copy_until(k, quote - 2);
	k->cursor = quote - 1;
}

static void walk_parts(struct walk *k, const struct word *w, bool inside)
{
	for (uint32_t i = 0; i < w->nparts; i++) {
		const struct part *part = &w->parts[i];

		if ((part->flags & PART_LOCALE) && (part->flags & PART_DQ_FIRST))
			drop_dollar(k, part);
		switch (part->kind) {
		case PART_QUOTED: walk_text(k, part, inside); break;
		case PART_PARAM: walk_param(k, part, inside); break;
		case PART_COMSUB:
		case PART_PROCSUB: put_comsub(k, part); break;
		case PART_ARITH: walk_word(k, part->arith->word, true); break;
		case PART_BRACE:
			for (uint32_t j = 0; j < part->brace->n; j++)
				walk_parts(k, &part->brace->alts[j], inside);
			break;
		default: break;
		}
	}
}

void put_source(struct printer *pr, struct str raw, const struct word *w)
{
	struct walk k = {pr, raw.ptr, raw.ptr + raw.len};

	if (w)
		walk_parts(&k, w, false);
	copy_until(&k, k.end);
}

void put_word(struct printer *pr, const struct word *w)
{
	if (w->assign && w->assign->array)
		put_assign(pr, w->assign);
	else
		put_source(pr, (struct str){w->raw, w->raw_len}, w);
}

static void put_subscript(struct printer *pr, const struct subscript *sub)
{
	if (!sub)
		return;
	put(pr, "[", 1);
	put_source(pr, sub->raw, sub->word);
	put(pr, "]", 1);
}

void put_assign(struct printer *pr, const struct assign *a)
{
	put_str(pr, a->name);
	put_subscript(pr, a->sub);
	put_text(pr, a->append ? "+=" : "=");
	if (!a->array) {
		put_word(pr, a->value);
		return;
	}
	put(pr, "(", 1);
	for (uint32_t i = 0; i < a->array->n; i++) {
		const struct array_item *item = &a->array->items[i];

		if (i)
			put(pr, " ", 1);
		if (item->sub) {
			put_subscript(pr, item->sub);
			put_text(pr, item->append ? "+=" : "=");
		}
		put_word(pr, &item->value);
	}
	put(pr, ")", 1);
}
