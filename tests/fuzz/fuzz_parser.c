/*
 * fuzz_parser.c - any bytes as a shell script: parse, print, parse again.
 *
 * The first byte chooses the options. What parsed must print, and what was printed must
 * parse. Memory is bounded: a text that wants more than the limit is not pursued.
 */
#include "../../src/shell/syntax/parser.h"
#include "../../src/shell/syntax/print.h"
#include <setjmp.h>
#include <stdlib.h>

#define LIMIT ((size_t)256 << 20)

struct bounded {
	struct arena_source source;
	size_t used;
	jmp_buf out;
};

static void *source_get(struct arena_source *s, size_t size)
{
	struct bounded *b = CONTAINER_OF(s, struct bounded, source);
	void *chunk;

	if (size > LIMIT - b->used)
		longjmp(b->out, 1);
	chunk = malloc(size);
	if (!chunk)
		longjmp(b->out, 1);
	b->used += size;
	return chunk;
}

static void source_put(struct arena_source *s, void *chunk, size_t size)
{
	CONTAINER_OF(s, struct bounded, source)->used -= size;
	free(chunk);
}

static bool alias_lookup(void *ctx, struct str name, struct str *value)
{
	(void)ctx;
	if (name.len != 1)
		return false;
	switch (name.ptr[0]) {
	case 'a': *value = STR("b "); return true;
	case 'b': *value = STR("echo \"x"); return true;
	case 'c': *value = STR("if true; then $(a"); return true;
	case 'd': *value = STR("d <<E\n"); return true;
	default: return false;
	}
}

static void print_all(struct arena *a, const struct cmd *c, const struct parse_options *o)
{
	struct str text = print_command(a, c);
	struct parser q;
	struct cmd *back;

	if (o->flags & PARSE_ALIASES)
		return;
	/* As bash prints `(!` and a newline: it does not read that again either. */
	if (memmem(text.ptr, text.len, "! )", 3) || memmem(text.ptr, text.len, "!  )", 4))
		return;
	parser_init(&q, a, text.ptr, text.len, o);
	/* Layout may nest one level more, and so be refused. */
	if (parser_all(&q, &back) == PARSE_ERROR && !q.error.too_deep)
		abort();
	if (c->kind == CMD_FUNCTION)
		print_function(a, AST_CONST(cmd_function, c));
}

static void one(struct bounded *b, struct arena *a, const uint8_t *data, size_t size)
{
	struct parse_options o = {.alias = alias_lookup, .stack_max = 128u << 10};
	struct parser p;
	struct cmd *c;

	o.flags = data[0] & (PARSE_EXTGLOB | PARSE_POSIX | PARSE_ALIASES | PARSE_REPL |
	                     PARSE_NO_BRACES | PARSE_TRACK_OPTIONS);
	arena_init(a, &b->source);
	if (setjmp(b->out))
		return;
	parser_init(&p, a, (const char *)data + 1, size - 1, &o);
	while (parser_next(&p, &c) == PARSE_OK) {
		struct parse_options same = o;

		same.flags = p.flags & ~(uint32_t)PARSE_REPL;
		if (!p.warnings) /* of a document whose delimiter no line can be */
			print_all(a, c, &same);
	}
	parser_init(&p, a, (const char *)data + 1, size - 1, &o);
	parser_dquoted(&p);
	parser_init(&p, a, (const char *)data + 1, size - 1, &o);
	parser_array(&p);
	parser_init(&p, a, (const char *)data + 1, size - 1, &o);
	parser_subscript(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bounded b = {.source = {source_get, source_put}};
	struct arena a;

	if (!size)
		return 0;
	one(&b, &a, data, size);
	arena_release(&a);
	return 0;
}
