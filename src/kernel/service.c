/* service.c - what the host adds to guests: handed on to the api layer's functions. */
#include "runtime.h"

static const struct sandbox_services *services(const struct proc *p)
{
	return p->sb->config->services;
}

const char *sys_offer(struct proc *p, size_t *n)
{
	*n = 0;
	return services(p) ? services(p)->offer(p->sb, p, n) : "";
}

int sys_ask(struct proc *p, const char *name, const char *text, const void *data, size_t n)
{
	return services(p) ? services(p)->ask(p, name, text, data, n) : -NACRE_ENOENT;
}

const char *sys_answer(struct proc *p, int which, size_t *n)
{
	*n = 0;
	return services(p) ? services(p)->answer(p, which, n) : "";
}
