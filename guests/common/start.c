/* What the host calls in every guest: guest_init before it is frozen, guest_main once after. Each
 * guest brings guest_prepare and guest_entry. */
#include <stdlib.h>
#include <unistd.h>
#include <wasi/libc.h>

#define EXPORT(name) __attribute__((export_name(#name)))

#define ROOT 0x40000000 /* the descriptor that stands for /: far from those that a program sees */

extern char **__wasilibc_environ; /* wasi-libc asks its host for it only while this is unset */

int guest_prepare(void);		   /* all that every run needs; 0, or an error */
int guest_entry(int argc, char **argv); /* a run; the exit status */

static int have_root;

static int root(void)
{
	if (!have_root && __wasilibc_register_preopened_fd(ROOT, "/") < 0)
		return -1;
	have_root = 1;
	return 0;
}

EXPORT(guest_init) int guest_init(void)
{
	return root() < 0 ? -1 : guest_prepare();
}

EXPORT(guest_alloc) void *guest_alloc(size_t n)
{
	return malloc(n);
}

EXPORT(guest_main) int guest_main(int argc, char **argv, char **env, const char *cwd)
{
	__wasilibc_environ = env;
	if (root() < 0 || chdir(cwd) < 0)
		return 125;
	exit(guest_entry(argc, argv));
}
