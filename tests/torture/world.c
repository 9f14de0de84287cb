/* world.c - the unit tests' world, linked into these programs too. */
#include "../unit/kernel/world.c"
