/*
 * assign.c - the value of an assignment: a word that does not split, or an array literal.
 */
#include "syntax.h"

static unsigned extglob(const struct parser *p)
{
	return p->flags & PARSE_EXTGLOB ? PLAIN_EXTGLOB : 0;
}

/* Blanks, newlines, comments between the items. */
static void skip_space(struct parser *p)
{
	while (p->at < p->limit) {
		const char *at = skip_cont(p, p->at);

		if (at != p->at) {
			p->at = at;
		} else if (*at == ' ' || *at == '\t' || *at == '\n') {
			p->at++;
		} else if (*at == '#') {
			skip_comment(p);
		} else {
			return;
		}
	}
}

static bool scan_item(struct parser *p)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;
	struct array_item item = {0};
	enum tilde_rule tildes = TILDE_START;

	if (!scan_plain(p, PLAIN_WORD, PLAIN_ITEM | extglob(p)))
		return false;
	if (p->found) {
		item.sub = p->found->sub;
		item.append = p->found->append;
		raw = p->at;
		tildes = TILDE_COLON;
		if (!scan_plain(p, PLAIN_WORD, extglob(p)))
			return false;
	}
	word_finish(p, &item.value, raw, mark);
	item.value.line = line_of(p, raw);
	if (!item.sub && !(p->flags & PARSE_NO_BRACES))
		word_braces(p, &item.value);
	word_tildes(p, &item.value, item.value.flags & WORD_BRACE ? TILDE_START : tildes);
	if (p->failed)
		return false;
	*(struct array_item *)scratch_push(p, sizeof(item)) = item;
	return true;
}

static bool at_operator(const struct parser *p)
{
	char c = *p->at;

	if (!(CLASS(c) & C_DELIM))
		return false;
	return !((c == '<' || c == '>') && p->at + 1 < p->limit && p->at[1] == '(');
}

struct array_lit *scan_array(struct parser *p, const char *start)
{
	struct array_lit *a = arena_zalloc(p->arena, sizeof(*a));
	size_t mark = p->scratch_used;

	if (!enter(p))
		return NULL;
	for (;;) {
		skip_space(p);
		if (p->at == p->limit) {
			if (!start)
				break;
			fail_eof(p, start, line_of(p, start), ')');
			p->error.in_array = true;
			return NULL;
		}
		if (*p->at == ')' && start) {
			p->at++;
			break;
		}
		if (at_operator(p)) {
			lex_operator(p);
			fail_token(p);
			p->error.in_array = start != NULL;
			return NULL;
		}
		if (!scan_item(p))
			return NULL;
	}
	leave(p);
	a->end = offset_of(p, p->at);
	a->n = (uint32_t)((p->scratch_used - mark) / sizeof(struct array_item));
	a->items = scratch_take(p, mark);
	return a;
}

/* What looks like an array literal but goes on, a=(4*3)/2, is a string. */
static bool goes_on(const struct parser *p)
{
	const char *at = skip_cont(p, p->at);

	return at < p->limit && (!(CLASS(*at) & C_DELIM) || *at == '(');
}

static struct word *string_value(struct parser *p, const char *raw, size_t mark)
{
	lit_add(p, raw, (size_t)(p->at - raw));
	lit_flush(p, false);
	((struct part *)(void *)(p->scratch + mark))->glob = false;
	return scan_plain(p, PLAIN_WORD, extglob(p)) ? word_new(p, raw, mark) : NULL;
}

bool scan_value(struct parser *p, struct assign *a, const char *start)
{
	const char *raw = p->at;
	size_t mark = p->scratch_used;

	a->line = line_of(p, start);
	if (p->at < p->limit && *p->at == '(') {
		p->at++;
		a->array = scan_array(p, start);
		if (!a->array || !goes_on(p))
			return a->array != NULL;
		a->array = NULL;
		a->value = string_value(p, raw, mark);
		return a->value != NULL;
	}
	if (!scan_plain(p, PLAIN_WORD, extglob(p)))
		return false;
	a->value = word_new(p, raw, mark);
	word_tildes(p, a->value, TILDE_COLON);
	return true;
}

struct array_lit *parser_array(struct parser *p)
{
	return scan_array(p, NULL);
}
