/*
 * linux_cage.h - the cage functions of struct port (port.h), on Linux.
 *
 * Layer     port, private
 * Threads   any
 */
#ifndef NACRE_PORT_LINUX_CAGE_H
#define NACRE_PORT_LINUX_CAGE_H

#include "port.h"

void *linux_cage_reserve(struct port *t, size_t size, void (*fault)(void *base));
void linux_cage_release(struct port *t, void *base, size_t size);
int linux_cage_access(struct port *t, void *at, size_t size, bool on);
struct port_image *linux_cage_image(struct port *t, const void *bytes, size_t size, size_t zeros);
void linux_cage_image_free(struct port *t, struct port_image *i);
int linux_cage_show(struct port *t, void *at, struct port_image *i, bool again);

#endif
