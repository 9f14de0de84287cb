/*
 * stack.h - what a guest imports to look after its own recursion.
 *
 * An engine that checks its stack before it goes deeper knows only the part of it that lies in
 * its memory. It asks here about the other one, and stops with an error of its own well before
 * guest_stack would have to end it.
 *
 * Layer     guest, private
 */
#ifndef NACRE_GUEST_STACK_H
#define NACRE_GUEST_STACK_H

#include "code.h"

/* 1: it had better not go deeper. */
uint32_t guest_env_stack_low(struct guest *g);

#endif
