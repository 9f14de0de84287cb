/*
 * wrap.h - a port in front of another one: whatever is not replaced goes on to it.
 *
 * Layer     port; private to src/port
 * Owns      the port behind
 */
#ifndef NACRE_PORT_WRAP_H
#define NACRE_PORT_WRAP_H

#include "hostfs.h"
#include "port.h"

struct wrap {
	struct port port;	/* first: what is handed out */
	struct port *real;
};

static inline struct wrap *wrap_of(struct port *t)
{
	return CONTAINER_OF(t, struct wrap, port);
}

/* Fills w in: every call goes on to `real`. `free` is the caller's to set. */
void wrap_init(struct wrap *w, struct port *real);

#endif
