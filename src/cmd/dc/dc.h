/*
 * dc.h - dc's stack and registers (stack.c), which its commands (dc.c) work on.
 *
 * Layer     cmd
 */
#ifndef NACRE_CMD_DC_DC_H
#define NACRE_CMD_DC_DC_H

#include "../bc/num.h"

#define STACK_MAX (1u << 22)

/* A number, or a string when text is not NULL. */
struct item {
	struct num *num;
	const char *text;
	size_t len;
};

struct level {
	struct item item;
	struct num **array;
	uint32_t array_n;
	struct level *below;
};

struct dc {
	struct num_pool pool;
	struct proc *p;
	struct item *stack;
	size_t n, cap;
	struct level *reg[256];
	uint32_t places, in_base, out_base;
	uint64_t column, width;
	struct u_buf text;
	int quit;		/* levels of macros still to leave */
};

void dc_complain(struct dc *d, const char *text);
void dc_push(struct dc *d, struct item x);
void dc_push_num(struct dc *d, struct num *x);
bool dc_need(struct dc *d, size_t n);
void dc_drop(struct dc *d, struct item x);
struct item dc_copy(struct dc *d, struct item x);
bool dc_numbers(struct dc *d, size_t n);
void dc_put(struct dc *d, struct item x);
void dc_put_bytes(struct dc *d, const struct num *x);
void dc_binary(struct dc *d, char op);
void dc_modular_power(struct dc *d);
void dc_root(struct dc *d);
void dc_measure(struct dc *d, char op);
void dc_to_character(struct dc *d);
void dc_set_parameter(struct dc *d, char op);
void dc_rotate(struct dc *d);
struct level *dc_register(struct dc *d, unsigned char r, bool make);
void dc_use_register(struct dc *d, char op, unsigned char r);
void dc_use_array(struct dc *d, char op, unsigned char r);

#endif
