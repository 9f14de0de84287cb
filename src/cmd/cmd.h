/* cmd.h - the one include of a command file. Layer: cmd; user, regex, and base/abi through them. */
#ifndef NACRE_CMD_CMD_H
#define NACRE_CMD_CMD_H

#include "../user/user.h"
#include "../regex/regex.h"

#endif
