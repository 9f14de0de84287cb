/* js.c - JavaScript, also called node: QuickJS with Node's modules (guests/js), in a cage. */
#include "../guest/guest.h"
#include "cmd.h"

static int js_main(struct proc *p, const struct cmd_args *a)
{
	return guest_command(p, a, &guest_code_js, false);
}

#define JS(command)                                                                              \
	{                                                                                        \
		.name = command,                                                                 \
		.summary = "run JavaScript",                                                     \
		.synopsis = "[OPTION]... [FILE | -e CODE | -] [ARG]...",                         \
		.description = "QuickJS 2025-04-26 with the modules of Node 20.",                \
		.raw = true, .no_help = true, .stack_size = 16u << 20, .main = js_main,          \
	}

const struct cmd cmd_js = JS("js");
const struct cmd cmd_node = JS("node");
