/* wasi-libc's errno, and its numbers in Linux's. Compiled without posix.h. */
#include <errno.h>
#include <stddef.h>

#include "errno_map.h" /* made by the recipe: wasi_numbers[], linux_texts[] */

int *libc_errno(void)
{
	return &errno;
}

int linux_errno(int wasi)
{
	return wasi > 0 && wasi < (int)(sizeof(wasi_numbers) / sizeof(wasi_numbers[0])) ? wasi_numbers[wasi] : wasi;
}

const char *linux_error(int e)
{
	return e >= 0 && e < (int)(sizeof(linux_texts) / sizeof(linux_texts[0])) ? linux_texts[e] : NULL;
}
