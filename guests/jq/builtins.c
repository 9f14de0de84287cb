/* jq's builtins, parsed before the guest is frozen. jq parses the text of its builtins at each
 * start; here that is done once, and the first program of a run takes the result. */
#define builtins_bind fresh_builtins_bind
#include "src/builtin.c"
#undef builtins_bind

static block prepared;
static int have_prepared;

/* What builtins_bind does before it looks at the program. 0, or the number of errors. */
int prepare_builtins(jq_state *jq)
{
	struct locfile *src = locfile_init(jq, "<builtin>", jq_builtins, sizeof(jq_builtins) - 1);
	int errors = jq_parse_library(src, &prepared);

	locfile_free(src);
	if (errors)
		return errors;
	prepared = bind_bytecoded_builtins(prepared);
	prepared = gen_cbinding(function_list, sizeof(function_list) / sizeof(function_list[0]), prepared);
	prepared = gen_builtin_list(prepared);
	have_prepared = 1;
	return 0;
}

int builtins_bind(jq_state *jq, block *program)
{
	if (!have_prepared)
		return fresh_builtins_bind(jq, program);
	have_prepared = 0;
	*program = block_bind_referenced(prepared, *program, OP_IS_CALL_PSEUDO);
	return 0;
}
