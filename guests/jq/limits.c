/* limits.c - jq's limits, those of the sandbox's configuration: around what jq and its C library call themselves (the linker's
 * --wrap), each when it is 0 not at all. */
#include "jq_limits.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>

#include "src/compile.h"
#include "src/jq.h"
#include "src/parser.h"

__attribute__((import_module("env"), import_name("limit"))) uint64_t host_limit(uint32_t which);

static uint64_t input, filter, filter_nesting, filter_tokens; /* limits */
static int nesting = 256;
static uint64_t bytes, tokens, depth; /* so far */

static void out_of_memory(void *data)
{
	(void)data;
	fputs("jq: error: memory limit exceeded\n", stderr);
	_Exit(5);
}

void __real_jv_nomem_handler(jv_nomem_handler_f handler, void *data);

/* jq takes its handler away whenever it begins something. */
void __wrap_jv_nomem_handler(jv_nomem_handler_f handler, void *data)
{
	(void)handler, (void)data;
	__real_jv_nomem_handler(out_of_memory, NULL);
}

void limits_begin(void)
{
	input = host_limit(1);
	if (host_limit(2))
		nesting = (int)host_limit(2);
	filter = host_limit(3);
	filter_nesting = host_limit(4);
	filter_tokens = host_limit(5);
	__real_jv_nomem_handler(out_of_memory, NULL);
}

int limits_nesting(void)
{
	return nesting;
}

static void refuse(int status, const char *what, uint64_t limit)
{
	fflush(stdout);
	fprintf(stderr, "jq: error: %s (limit %llu)\n", what, (unsigned long long)limit);
	_Exit(status);
}

/* ---- Input ---------------------------------------------------------------------------- */

__wasi_errno_t __real___wasi_fd_read(__wasi_fd_t fd, const __wasi_iovec_t *v, size_t n, __wasi_size_t *got);

__wasi_errno_t __wrap___wasi_fd_read(__wasi_fd_t fd, const __wasi_iovec_t *v, size_t n, __wasi_size_t *got)
{
	__wasi_errno_t e = __real___wasi_fd_read(fd, v, n, got);

	if (!e && input && (bytes += *got) > input)
		refuse(5, "too many bytes of input", input);
	return e;
}

/* ---- The program ------------------------------------------------------------------------- */

int __real_jq_compile_args(jq_state *jq, const char *program, jv args);

int __wrap_jq_compile_args(jq_state *jq, const char *program, jv args)
{
	if (filter && strlen(program) > filter)
		refuse(3, "the program is too long", filter);
	return __real_jq_compile_args(jq, program, args);
}

int __real_jq_yylex(YYSTYPE *value, YYLTYPE *where, void *scanner);

int __wrap_jq_yylex(YYSTYPE *value, YYLTYPE *where, void *scanner)
{
	int token = __real_jq_yylex(value, where, scanner);

	if (filter_tokens && token > 0 && ++tokens > filter_tokens)
		refuse(3, "the program has too many words", filter_tokens);
	switch (token) {
	case '(':
	case '[':
	case '{':
	case QQSTRING_INTERP_START:
		if (filter_nesting && ++depth > filter_nesting)
			refuse(3, "the program is nested too deeply", filter_nesting);
		break;
	case ')':
	case ']':
	case '}':
	case QQSTRING_INTERP_END:
		depth -= depth > 0;
		break;
	default:
		break;
	}
	return token;
}
