/* world.c - the program library is tested inside the kernel, on the kernel tests' own world. */
#include "../kernel/world.c"
