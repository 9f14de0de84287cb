/*
 * touch.h - what touch.c and touch_inner.c share; nobody else includes it.
 *
 * Layer     shell/inspect, private
 */
#ifndef NACRE_SHELL_INSPECT_TOUCH_H
#define NACRE_SHELL_INSPECT_TOUCH_H

#include "inspect.h"
#include "text.h"
#include "walk.h"

/* Which of the words begins the command that env, xargs, timeout … run; 0: none. */
uint32_t touch_inner_command(const struct word *words, uint32_t n);

/* Which of the words of bash -c … is the script; 0: none. */
uint32_t touch_script_operand(const struct word *words, uint32_t n);

#endif
