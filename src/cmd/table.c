/* table.c - all commands, from commands.def; cmd_table is sorted by that file's names. */
#include "cmd.h"

#define NACRE_CMD(name) extern const struct cmd cmd_##name;
#include "commands.def"
#undef NACRE_CMD

const struct cmd *const cmd_table[] = {
#define NACRE_CMD(name) &cmd_##name,
#include "commands.def"
#undef NACRE_CMD
};

const size_t cmd_table_size = COUNTOF(cmd_table);
