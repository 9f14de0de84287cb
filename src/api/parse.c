/* parse.c - scripts looked at instead of run. Their memory is an arena of malloc's with a ceiling; what goes
 * beyond it leaves the call by longjmp, and the arena goes back as a whole. */
#include <nacre/parse.h>
#include <setjmp.h>
#include <stdlib.h>

#include "../shell/inspect/inspect.h"
#include "api.h"

#define MEMORY_MAX ((size_t)1 << 30)

struct nacre_script {
	struct arena_source source;
	struct arena arena;
	size_t used;
	jmp_buf out_of_memory;
	struct script script;
	unsigned flags;
	bool parsed, touched;
	char *error;
	nacre_position at;
	const struct touch **touches;
	size_t ntouches;
};

static void *get_chunk(struct arena_source *source, size_t n)
{
	nacre_script *s = CONTAINER_OF(source, nacre_script, source);
	void *m = n > MEMORY_MAX - s->used ? NULL : malloc(n);

	if (!m)
		longjmp(s->out_of_memory, 1);
	s->used += n;
	return m;
}

static void put_chunk(struct arena_source *source, void *chunk, size_t n)
{
	CONTAINER_OF(source, nacre_script, source)->used -= n;
	free(chunk);
}

/* ---- Parsing ------------------------------------------------------------------------- */

static void keep_error(nacre_script *s)
{
	const struct parse_error *e = &s->script.error;
	struct str text = e->nlines ? e->lines[0].text : STR("syntax error");

	s->error = arena_strndup(&s->arena, text.ptr, text.len);
	s->at = (nacre_position){.line = e->at_line, .column = e->column, .offset = e->off};
}

/* Apart from its caller, whose variables the jump would clobber. */
static bool parse_text(nacre_script *s, struct str text)
{
	if (setjmp(s->out_of_memory))
		return false;
	text.ptr = arena_strndup(&s->arena, text.ptr, text.len);
	s->parsed = script_parse(&s->script, &s->arena, text, s->flags);
	if (!s->parsed)
		keep_error(s);
	return true;
}

int nacre_parse(nacre_script **out, const char *text, size_t len, unsigned flags)
{
	nacre_script *s;

	*out = NULL;
	if (!text || (flags & ~(unsigned)NACRE_PARSE_POSIX))
		return -NACRE_EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -NACRE_ENOMEM;
	s->flags = flags & NACRE_PARSE_POSIX ? SCRIPT_POSIX : 0;
	s->source = (struct arena_source){get_chunk, put_chunk};
	arena_init(&s->arena, &s->source);
	if (!parse_text(s, (struct str){text, len ? len : strlen(text)})) {
		nacre_script_free(s);
		return -NACRE_ENOMEM;
	}
	*out = s;
	return s->parsed ? 0 : -NACRE_EINVAL;
}

void nacre_script_free(nacre_script *s)
{
	if (!s)
		return;
	arena_release(&s->arena);
	free(s);
}

const char *nacre_script_error(const nacre_script *s, nacre_position *at)
{
	if (at) {
		at->line = s->at.line;
		at->column = s->at.column;
		at->offset = s->at.offset;
	}
	return s->error ? s->error : "";
}

/* ---- The tree, the layout ---------------------------------------------------------------- */

/* Out of the arena, which is set back to the mark. */
static char *hand_out(nacre_script *s, struct arena_mark mark, struct str text, size_t *len)
{
	char *copy = malloc(text.len + 1);

	if (copy) {
		memcpy(copy, text.ptr, text.len);
		copy[text.len] = '\0';
		if (len)
			*len = text.len;
	}
	arena_reset(&s->arena, mark);
	return copy;
}

char *nacre_script_json(nacre_script *s, size_t *len, unsigned flags)
{
	struct arena_mark mark = arena_mark(&s->arena);

	if (!s->parsed || (flags & ~(unsigned)NACRE_JSON_POSITIONS))
		return NULL;
	if (setjmp(s->out_of_memory)) {
		arena_reset(&s->arena, mark);
		return NULL;
	}
	return hand_out(s, mark, script_json(&s->arena, &s->script, flags & NACRE_JSON_POSITIONS), len);
}

static struct str comment_text(const struct script *s, const struct trivia *t)
{
	struct str text = {s->src + t->off, t->end - t->off};

	while (text.len && (text.ptr[text.len - 1] == ' ' || (text.ptr[text.len - 1] >= '\t' && text.ptr[text.len - 1] <= '\r')))
		text.len--;
	return text;
}

static const struct trivia *next_comment(const struct trivia *t)
{
	while (t && t->redir)
		t = t->next;
	return t;
}

/* None lost, none twice, in order. */
static bool same_comments(const struct script *a, const struct script *b)
{
	const struct trivia *x = next_comment(a->trivia), *y = next_comment(b->trivia);

	while (x && y && str_eq(comment_text(a, x), comment_text(b, y))) {
		x = next_comment(x->next);
		y = next_comment(y->next);
	}
	return !x && !y;
}

/* Whether a text means, and says, what the script does. */
static bool same_script(nacre_script *s, struct str text)
{
	struct script again;

	return script_parse(&again, &s->arena, text, s->flags) && same_comments(&s->script, &again) &&
	       str_eq(script_json(&s->arena, &s->script, false), script_json(&s->arena, &again, false));
}

int nacre_script_format(char **text, size_t *len, nacre_script *s, const nacre_format *style)
{
	struct arena_mark mark = arena_mark(&s->arena);
	struct format_style how = {0};
	struct str laid_out;

	*text = NULL;
	if (!s->parsed || (style && style->indent > 16))
		return -NACRE_EINVAL;
	if (style)
		how = (struct format_style){style->indent, style->case_indent, style->redirect_space};
	if (setjmp(s->out_of_memory)) {
		arena_reset(&s->arena, mark);
		return -NACRE_ENOMEM;
	}
	laid_out = script_format(&s->arena, &s->script, &how);
	if (!same_script(s, laid_out)) {
		arena_reset(&s->arena, mark);
		return -NACRE_EOPNOTSUPP;
	}
	*text = hand_out(s, mark, laid_out, len);
	return *text ? 0 : -NACRE_ENOMEM;
}

/* ---- What it could touch -------------------------------------------------------------------- */

static void find_touches(nacre_script *s)
{
	const struct touch *first = script_touches(&s->arena, &s->script), *t;
	size_t n = 0;

	for (t = first; t; t = t->next)
		n++;
	s->touches = arena_alloc(&s->arena, (n + 1) * sizeof(*s->touches));
	for (t = first; t; t = t->next)
		s->touches[s->ntouches++] = t;
}

size_t nacre_script_touches(nacre_script *s)
{
	if (!s->parsed || s->touched)
		return s->ntouches;
	if (setjmp(s->out_of_memory))
		return s->ntouches = 0;
	find_touches(s);
	s->touched = true;
	return s->ntouches;
}

int nacre_script_touch(nacre_touch *out, nacre_script *s, size_t i)
{
	const struct touch *t;

	if (i >= nacre_script_touches(s) || out->size < sizeof(*out))
		return -NACRE_EINVAL;
	t = s->touches[i];
	if (setjmp(s->out_of_memory))
		return -NACRE_ENOMEM;
	out->kind = (enum nacre_touch_kind)t->kind;
	out->flags = t->flags;
	out->text = arena_strndup(&s->arena, t->text.ptr ? t->text.ptr : "", t->text.len);
	out->command = arena_strndup(&s->arena, t->command.ptr ? t->command.ptr : "", t->command.len);
	out->line = t->line;
	out->offset = t->off;
	return 0;
}
