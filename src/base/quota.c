/* quota.c - counted memory. */
#include "quota.h"

bool quota_charge(struct quota *q, uint64_t n)
{
	if (UNLIKELY(q->limit && (n > q->limit || q->used > q->limit - n))) {
		q->refused++;
		return false;
	}
	q->used += n;
	if (q->used > q->peak)
		q->peak = q->used;
	return true;
}

void quota_refund(struct quota *q, uint64_t n)
{
	q->used -= n;
}

void *kalloc(struct quota *q, size_t n)
{
	void *p;

	if (UNLIKELY(!quota_charge(q, n)))
		return NULL;
	p = q->memory->get(q->memory, n);
	if (UNLIKELY(!p))
		quota_refund(q, n);
	else
		q->live++;
	return p;
}

void *kzalloc(struct quota *q, size_t n)
{
	void *p = kalloc(q, n);

	return p ? memset(p, 0, n) : NULL;
}

void kfree(struct quota *q, void *p, size_t n)
{
	if (!p)
		return;
	q->live--;
	quota_refund(q, n);
	q->memory->put(q->memory, p, n);
}
