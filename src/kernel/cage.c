/* cage.c - cages and their images. See cage.h. */
#include "cage.h"

#include "runtime.h"

#define RESERVED (SYS_CAGE_HEAD + ((size_t)8 << 30) + ((size_t)1 << 20))
#define IDLE_MAX 16u /* cages kept ready for the next proc */
#define LARGE    ((uint64_t)256 << 10) /* from this size on cages share an image's pages */
#define KEEP     ((size_t)64 << 10) /* of the zeroes that an image begins with (the guest's stack): wiped, not dropped */

struct cage {
	struct cage *next; /* while idle, or while an image is made in it */
	struct proc *maker; /* who makes it */
	const struct cage_image *image;
	const void *kind;
	char *base;
	uint64_t size; /* of the memory that is accessible */
	uint64_t charged;
};

struct cage_image {
	struct cage_image *next;
	const void *kind;
	uint64_t size;  /* of the memory */
	uint64_t zeros; /* it begins with so many; then `bytes` */
	size_t head;    /* of the head, what is used */
	char *bytes;    /* the head, then the memory from `zeros` on, unless that is in `pages` */
	size_t mapped;
	struct port_image *pages; /* of a large one: what cages share until they write. NULL: they copy */
};

static char *memory(const struct cage *c)
{
	return c->base + SYS_CAGE_HEAD;
}

static size_t pages(const struct cages *all, uint64_t n)
{
	return (size_t)((n + all->port->page_size - 1) & ~(uint64_t)(all->port->page_size - 1));
}

/* ---- Images ---------------------------------------------------------------------- */

static const struct cage_image *image_of(const struct cages *all, const void *kind)
{
	const struct cage_image *i = all->images;

	while (i && i->kind != kind)
		i = i->next;
	return i;
}

/* How many zero bytes it begins with, in whole pages. */
static uint64_t zero_pages(const struct cages *all, const char *p, uint64_t n)
{
	size_t page = all->port->page_size;
	uint64_t k = 0;

	while (k + page <= n) {
		if (p[k] || memcmp(p + k, p + k + 1, page - 1) != 0)
			break;
		k += page;
	}
	return k;
}

static void image_free(struct cages *all, struct cage_image *i, struct quota *q)
{
	if (i->pages)
		all->port->cage_image_free(all->port, i->pages);
	all->port->unmap(all->port, i->bytes, i->mapped);
	kfree(q, i, sizeof(*i));
}

/* Becomes the image of its kind. */
static const struct cage_image *image_new(struct proc *p, size_t head, const char *bytes, uint64_t zeros, uint64_t size)
{
	struct cages *all = &p->rt->cages;
	struct cage_image *i = kzalloc(&p->rt->quota, sizeof(*i));

	if (!i)
		return NULL;
	i->kind = p->cage->kind;
	i->head = head;
	i->size = size;
	i->zeros = zeros;
	if (i->size >= LARGE)
		i->pages = all->port->cage_image(all->port, bytes, (size_t)i->size, (size_t)i->zeros);
	i->mapped = pages(all, i->head + (i->pages ? 0 : i->size - i->zeros));
	i->bytes = all->port->map(all->port, i->mapped, all->port->page_size, PORT_PAGES_ANY);
	if (!i->bytes) {
		if (i->pages)
			all->port->cage_image_free(all->port, i->pages);
		kfree(&p->rt->quota, i, sizeof(*i));
		return NULL;
	}
	memcpy(i->bytes, p->cage->base, i->head);
	if (!i->pages)
		memcpy(i->bytes + i->head, bytes, (size_t)(i->size - i->zeros));
	i->next = all->images;
	all->images = i;
	return i;
}

/* ---- Makers ---------------------------------------------------------------------- */

/* A proc that opens the first cage of a kind makes the image of it. Others who come meanwhile wait: would each make one, each would
 * take the time, and the memory, of all that is in it. Nobody waits for a maker that is stopped. */
static bool is_being_made(const struct cages *all, const void *kind)
{
	for (const struct cage *c = all->making; c; c = c->next)
		if (c->kind == kind && !c->maker->stopped)
			return true;
	return false;
}

static int wait_for_image(struct proc *p, const void *kind)
{
	struct cages *all = &p->rt->cages;
	int r = 0;

	while (r == 0 && !image_of(all, kind) && is_being_made(all, kind)) {
		p->sb->nhost++; /* virtual time must not pass meanwhile */
		r = proc_wait_on(p, &all->made, -1, false);
		p->sb->nhost--;
	}
	return r;
}

static void making(struct proc *p, struct cage *c)
{
	struct cages *all = &p->rt->cages;

	c->maker = p;
	c->next = all->making;
	all->making = c;
}

/* Made, or given up. */
static void made(struct cages *all, struct cage *c)
{
	struct cage **at = &all->making;

	if (!c->maker)
		return;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	c->next = NULL;
	c->maker = NULL;
	waitq_wake(&all->made);
}

void cage_maker_stopped(struct proc *p)
{
	if (p->cage && p->cage->maker)
		waitq_wake(&p->rt->cages.made);
}

/* ---- Cages ------------------------------------------------------------------------ */

static void cage_free(struct cages *all, struct cage *c, struct quota *q)
{
	all->port->cage_release(all->port, c->base, RESERVED);
	kfree(q, c, sizeof(*c));
}

static struct cage *cage_new(struct proc *p, const void *kind, void (*fault)(void *base))
{
	struct cages *all = &p->rt->cages;
	struct cage *c = kzalloc(&p->rt->quota, sizeof(*c));

	if (!c)
		return NULL;
	c->kind = kind;
	c->base = all->port->cage_reserve(all->port, RESERVED, fault);
	if (!c->base) {
		kfree(&p->rt->quota, c, sizeof(*c));
		return NULL;
	}
	if (all->port->cage_access(all->port, c->base, SYS_CAGE_HEAD, true) < 0) {
		cage_free(all, c, &p->rt->quota);
		return NULL;
	}
	return c;
}

/* A page at a time: most are as they were, and reading is cheaper than writing. */
static void restore(char *to, const char *from, uint64_t n, size_t page)
{
	for (uint64_t at = 0; at < n; at += page) {
		size_t k = (size_t)MIN(n - at, (uint64_t)page);

		if (memcmp(to + at, from + at, k) != 0)
			memcpy(to + at, from + at, k);
	}
}

static bool fill(struct cages *all, struct cage *c, const struct cage_image *i)
{
	int err;

	if (c->size && all->port->cage_access(all->port, memory(c), (size_t)c->size, false) < 0)
		return false;
	err = i->pages ? all->port->cage_show(all->port, memory(c), i->pages, false)
		       : all->port->cage_access(all->port, memory(c), (size_t)i->size, true);

	if (err < 0)
		return false;
	memcpy(c->base, i->bytes, i->head);
	if (!i->pages)
		memcpy(memory(c) + i->zeros, i->bytes + i->head, (size_t)(i->size - i->zeros));
	c->size = i->size;
	c->image = i;
	return true;
}

/* As it was frozen. False: it cannot be made so, and is of no more use. */
static bool rewind_cage(struct cages *all, struct cage *c)
{
	const struct cage_image *i = c->image;
	uint64_t keep = MIN(i->zeros, (uint64_t)KEEP), drop = i->zeros - keep;

	if (c->size > i->size &&
	    all->port->cage_access(all->port, memory(c) + i->size, (size_t)(c->size - i->size),
	                           false) < 0)
		return false;
	c->size = i->size;
	if (i->pages) {
		memcpy(c->base, i->bytes, i->head);
		return all->port->cage_show(all->port, memory(c), i->pages, true) == 0;
	}
	if (drop)
		all->port->discard(all->port, memory(c), (size_t)drop);
	memset(memory(c) + drop, 0, (size_t)keep);
	restore(memory(c) + i->zeros, i->bytes + i->head, i->size - i->zeros,
	        all->port->page_size);
	memcpy(c->base, i->bytes, i->head);
	return true;
}

static struct cage *idle_take(struct cages *all, const void *kind)
{
	for (struct cage **at = &all->idle; *at; at = &(*at)->next) {
		struct cage *c = *at;

		if (c->kind != kind)
			continue;
		*at = c->next;
		all->nidle--;
		return c;
	}
	return NULL;
}

static bool charge(struct proc *p, struct cage *c, uint64_t n)
{
	if (!rlimit_memory(p, n) || !quota_charge(&p->sb->quota, n))
		return false;
	c->charged += n;
	p->memory += n;
	p->memory_peak = MAX(p->memory_peak, p->memory);
	p->run->cage_memory += n;
	p->run->result.cage_peak = MAX(p->run->result.cage_peak, p->run->cage_memory);
	return true;
}

int sys_cage_open(struct proc *p, const void *kind, void (*fault)(void *base), struct sys_cage *out)
{
	struct cages *all = &p->rt->cages;
	const struct cage_image *image;
	struct cage *c;
	int r;

	if (p->cage)
		return -NACRE_EBUSY;
	proc_enter(p);
	r = wait_for_image(p, kind);
	if (proc_leave(p, r) < 0)
		return r;
	image = image_of(all, kind);
	c = idle_take(all, kind);
	if (!c) {
		c = cage_new(p, kind, fault);
		if (c && image && !fill(all, c, image)) {
			cage_free(all, c, &p->rt->quota);
			c = NULL;
		}
	}
	if (!c)
		return -NACRE_EAGAIN;
	p->cage = c;
	if (!charge(p, c, c->size)) {
		cage_give_back(p);
		return -NACRE_ENOMEM;
	}
	if (!c->image)
		making(p, c);
	*out = (struct sys_cage){c->base, c->size, c->image != NULL};
	return 0;
}

bool sys_cage_frozen(struct proc *p, const void *kind)
{
	return image_of(&p->rt->cages, kind) != NULL;
}

int sys_cage_grow(struct proc *p, uint64_t size)
{
	struct cages *all = &p->rt->cages;
	struct cage *c = p->cage;

	if (!c || size < c->size || size > (uint64_t)4 << 30 || size % all->port->page_size)
		return -NACRE_EINVAL;
	if (size == c->size)
		return 0;
	if (!charge(p, c, size - c->size))
		return -NACRE_ENOMEM;
	/* On failure the charge stays until the cage is given back. */
	if (all->port->cage_access(all->port, memory(c) + c->size, (size_t)(size - c->size), true) < 0)
		return -NACRE_ENOMEM;
	c->size = size;
	return 0;
}

/* ---- Freezing -------------------------------------------------------------------- */

/* Of the proc's cage, with a memory of `zeros` zeroes and what is at bytes. It becomes the image of its kind; of two that were made
 * at the same time, the first one counts. The cage itself starts from that as every other does: of a large one it shares the pages. */
static int freeze(struct proc *p, size_t head, const char *bytes, uint64_t zeros, uint64_t size)
{
	struct cages *all = &p->rt->cages;
	struct cage *c = p->cage;
	const struct cage_image *i = image_of(all, c->kind);

	if (!i)
		i = image_new(p, head, bytes, zeros, size);
	if (!i || (i->size > size && !charge(p, c, i->size - size)))
		return -NACRE_ENOMEM;
	made(all, c);
	return fill(all, c, i) ? 0 : -NACRE_ENOMEM;
}

int sys_cage_freeze(struct proc *p, size_t head)
{
	struct cage *c = p->cage;
	uint64_t zeros;

	if (!c || c->image)
		return -NACRE_EINVAL;
	zeros = zero_pages(&p->rt->cages, memory(c), c->size);
	return freeze(p, head, memory(c) + zeros, zeros, c->size);
}

int sys_cage_freeze_as(struct proc *p, size_t head, const char *bytes, uint64_t zeros, uint64_t size)
{
	struct cage *c = p->cage;

	if (!c || c->image || c->size || zeros > size || size > (uint64_t)4 << 30 || size % p->rt->cages.port->page_size || zeros % p->rt->cages.port->page_size)
		return -NACRE_EINVAL;
	if (!charge(p, c, size))
		return -NACRE_ENOMEM;
	return freeze(p, head, bytes, zeros, size);
}

/* ---- The end --------------------------------------------------------------------- */

void cage_give_back(struct proc *p)
{
	struct cages *all = &p->rt->cages;
	struct cage *c = p->cage;

	if (!c)
		return;
	p->cage = NULL;
	made(all, c);
	p->memory -= c->charged;
	p->run->cage_memory -= c->charged;
	quota_refund(&p->sb->quota, c->charged);
	c->charged = 0;
	if (!c->image || all->nidle >= IDLE_MAX || !rewind_cage(all, c)) {
		cage_free(all, c, &p->rt->quota);
		return;
	}
	c->next = all->idle;
	all->idle = c;
	all->nidle++;
}

void cages_release(struct cages *all)
{
	struct runtime *rt = CONTAINER_OF(all, struct runtime, cages);

	while (all->idle) {
		struct cage *c = all->idle;

		all->idle = c->next;
		cage_free(all, c, &rt->quota);
	}
	while (all->images) {
		struct cage_image *i = all->images;

		all->images = i->next;
		image_free(all, i, &rt->quota);
	}
}
