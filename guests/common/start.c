/* What the host calls in every guest: guest_init before it is frozen, guest_main once after. Each
 * guest brings guest_prepare and guest_entry. */
#include <stdlib.h>
#include <unistd.h>

#define EXPORT(name) __attribute__((export_name(#name)))

extern char **__wasilibc_environ; /* wasi-libc asks its host for it only while this is unset */

int guest_prepare(void);		   /* all that every run needs; 0, or an error */
int guest_entry(int argc, char **argv); /* a run; the exit status */

EXPORT(guest_init) int guest_init(void)
{
	return guest_prepare();
}

EXPORT(guest_alloc) void *guest_alloc(size_t n)
{
	return malloc(n);
}

EXPORT(guest_main) int guest_main(int argc, char **argv, char **env, const char *cwd)
{
	__wasilibc_environ = env;
	if (chdir(cwd) < 0)
		return 125;
	exit(guest_entry(argc, argv));
}
