/* cmd.h - the one include of a command file. Layer: cmd; user, regex, and base/abi through them. */
#ifndef NACRE_CMD_CMD_H
#define NACRE_CMD_CMD_H

#include "../user/user.h"
#include "../user/words.h"
#include "../user/cmd.h"
#include "../regex/regex.h"
#include "../base/scan.h"

/* The files a filter reads: its operands, or "-" alone when there are none. */
static inline int cmd_files(const struct cmd_args *a, char *const **files)
{
	static char *const standard_input[] = {(char *)"-", NULL};

	if (a->argc > 0) {
		*files = a->argv;
		return a->argc;
	}
	*files = standard_input;
	return 1;
}

#endif
