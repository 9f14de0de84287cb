/* fiber.c - a context that can be switched to.
 *
 * `*left` names the context that was left last: whoever arrives tells AddressSanitizer where
 * it came from, and learns the bounds of the host's stack when it came from there. */
#include "fiber.h"

#if HAVE_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if HAVE_TSAN
#include <sanitizer/tsan_interface.h>
#endif

void fiber_init_host(struct fiber *f)
{
	*f = (struct fiber){.is_host = true};
#if HAVE_TSAN
	f->thread = __tsan_get_current_fiber();
#endif
}

void fiber_init(struct fiber *f, struct stack *k, void *top, void (*entry)(void *arg), void *arg)
{
	*f = (struct fiber){
		.sp = context_make(top, entry, arg), .bottom = k->base, .size = k->size};
#if HAVE_TSAN
	f->thread = __tsan_create_fiber(0);
#endif
}

void fiber_release(struct fiber *f)
{
#if HAVE_TSAN
	if (f->thread)
		__tsan_destroy_fiber(f->thread);
	f->thread = NULL;
#endif
	f->sp = NULL;
}

static inline void arrived(struct fiber *self, struct fiber *from)
{
#if HAVE_ASAN
	const void *bottom;
	size_t size;

	__sanitizer_finish_switch_fiber(self ? self->fake : NULL, &bottom, &size);
	if (from->is_host) {
		from->bottom = bottom;
		from->size = size;
	}
#else
	(void)self;
	(void)from;
#endif
}

void fiber_entered(struct fiber *from)
{
	arrived(NULL, from);
}

void fiber_switch(struct fiber *from, struct fiber *to, struct fiber **left)
{
	*left = from;
#if HAVE_TSAN
	__tsan_switch_to_fiber(to->thread, 0);
#endif
#if HAVE_ASAN
	__sanitizer_start_switch_fiber(&from->fake, to->bottom, to->size);
#endif
	context_switch(&from->sp, to->sp);
	arrived(from, *left);
}

void fiber_end(struct fiber *from, struct fiber *to, struct fiber **left)
{
	*left = from;
#if HAVE_TSAN
	__tsan_switch_to_fiber(to->thread, 0);
#endif
#if HAVE_ASAN
	__sanitizer_start_switch_fiber(NULL, to->bottom, to->size); /* NULL: the other stack goes */
#endif
	context_switch(&from->sp, to->sp);
	KERNEL_BUG();
}
