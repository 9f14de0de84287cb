/* errno.c - texts and names of the kernel's error numbers, from the one list errno.def. */
#include "errno.h"

const char *errno_text(int e)
{
	switch (e < 0 ? -e : e) {
	case 0: return "Success";
#define NACRE_ERR(name, number, text) \
	case number: return text;
#include "errno.def"
#undef NACRE_ERR
	default: return "Unknown error";
	}
}

const char *errno_name(int e)
{
	switch (e < 0 ? -e : e) {
#define NACRE_ERR(name, number, text) \
	case number: return #name;
#include "errno.def"
#undef NACRE_ERR
	default: return "EUNKNOWN";
	}
}
