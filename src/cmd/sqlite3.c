/* sqlite3.c - sqlite3, the shell of SQLite 3.46.1, in a cage. */
#include "../guest/guest.h"
#include "cmd.h"

static int sqlite3_main(struct proc *p, const struct cmd_args *a)
{
	return guest_command(p, a, &guest_code_sqlite3, false);
}

const struct cmd cmd_sqlite3 = {
	.name = "sqlite3",
	.summary = "query SQLite databases",
	.synopsis = "[OPTION]... [FILE [SQL]...]",
	.description = "The shell of SQLite 3.46.1, with JSON, FTS5 and R-trees.",
	.raw = true,
	.no_help = true,
	.stack_size = 16u << 20,
	.main = sqlite3_main,
};
