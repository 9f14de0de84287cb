/*
 * cage.h - cages: where guests run, and the images they start from. Internal.
 *
 * A cage is 8 GiB of addresses, of which the guest's memory is accessible. A guest is
 * initialised once; its memory then is frozen as the image of its kind, and every later cage
 * of that kind starts as a copy; of a large image, the copy is of those pages that it writes to. A cage
 * that a proc has left goes back to its image at once (only pages that differ are copied, or the image's pages
 * are mapped anew; what was grown loses content and protection) and waits for the next.
 *
 * Layer     kernel
 * Owns      images and idle cages, until cages_release
 * Threads   the runtime's own
 * Errors    -NACRE_ENOMEM
 */
#ifndef NACRE_KERNEL_CAGE_H
#define NACRE_KERNEL_CAGE_H

#include "../abi/sys.h"
#include "../port/port.h"
#include "wait.h"

struct cage;
struct cage_image;

struct cages {
	struct port *port;
	struct cage_image *images;
	struct cage *idle;
	uint32_t nidle;
	struct cage *making; /* in which an image is made */
	struct waitq made;   /* procs that wait for one */
};

void cages_release(struct cages *c);
/* The proc has ended, or runs another program. */
void cage_give_back(struct proc *p);
/* Who waits for an image that it makes does not any more. */
void cage_maker_stopped(struct proc *p);

#endif
