/* The calls that are made by number: getrandom, which has no other name in CPython. */
#define SYS_getrandom	    318
#define syscall(n, ...) posix_getrandom(__VA_ARGS__)
