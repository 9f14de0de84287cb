/* jq: its builtins are parsed before it is frozen; a run is its own main. */
#include "jq.h"
#include "jq_limits.h"

int jq_main(int argc, char **argv);
int prepare_builtins(jq_state *jq);

int guest_prepare(void)
{
	jq_state *jq = jq_init();

	return jq ? prepare_builtins(jq) : 1;
}

int guest_entry(int argc, char **argv)
{
	limits_begin();
	return jq_main(argc, argv);
}

/* jq asks for its test suite by name; it is not built in. */
int jq_testsuite(jv lib_dirs, int verbose, int argc, char *argv[])
{
	(void)lib_dirs, (void)verbose, (void)argc, (void)argv;
	return 2;
}
