/*
 * fake.h - a port for tests: time that stands still unless moved, chance from a seed, and
 * calls that fail when told to. Memory, descriptors and waking up are another port's.
 *
 *	port = port_fake_new(port_linux_new(), &(struct port_fake_config){.seed = 1, .fail_at = 7});
 *	... as any port ...
 *	port->free(port);	// frees the other one too
 *
 * Layer     port
 */
#ifndef NACRE_PORT_FAKE_H
#define NACRE_PORT_FAKE_H

#include "port.h"

struct port_fake_config {
	int64_t start_ns;	/* of both clocks */
	int64_t step_ns;	/* by which looking at a clock moves it */
	uint64_t seed;
	uint64_t fail_at;	/* the Nth call that can fail does (1: the next); 0: none */
};

/* Takes `real` over. NULL without memory (then `real` is freed). Waiting with no descriptor ready
 * moves the clock to the end of the wait at once. */
struct port *port_fake_new(struct port *real, const struct port_fake_config *config);
/* Calls that could have failed so far. */
uint64_t port_fake_calls(const struct port *fake);
void port_fake_advance(struct port *fake, int64_t ns);

#endif
