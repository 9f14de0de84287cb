/*
 * prompt.h - what an interactive shell (-i) does besides: variables, prompts, PROMPT_COMMAND.
 *
 *	interactive_start(sh);          // before the first line, behind the rc file
 *	interactive_prompt(sh, false);  // before a command; true: before a further line of it
 *	interactive_end(sh);            // at the end of the input
 *
 * Layer     shell
 * Owns      nothing
 */
#ifndef NACRE_SHELL_PROMPT_H
#define NACRE_SHELL_PROMPT_H

#include "interp/interp.h"

/* The variables and options -i sets, before the rc file. */
void interactive_init(struct shell *sh);
void interactive_start(struct shell *sh);
void interactive_prompt(struct shell *sh, bool more);
void interactive_end(struct shell *sh);

#endif
