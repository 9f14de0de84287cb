/* jq_limits.h - what jq's sources are told of its limits (limits.c). */
#ifndef JQ_LIMITS_H
#define JQ_LIMITS_H

void limits_begin(void); /* once a run, before its main */
int limits_nesting(void); /* of JSON: jq's MAX_PARSING_DEPTH */

#endif
