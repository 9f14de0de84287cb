/*
 * zones_table.h - the generated tables behind tz.c.
 *
 * Layer     user; for tz.c and zones_table.c only
 */
#ifndef NACRE_USER_ZONES_TABLE_H
#define NACRE_USER_ZONES_TABLE_H

#include "../base/base.h"

struct zone_name {
	const char *name;
	uint16_t row;
};

struct zone_row {
	uint16_t when, n; /* its changes in zone_when and zone_which */
	uint16_t kinds,
	        kinds_n; /* its kinds in zone_row_kinds; the first holds before the first change */
	uint16_t rule;   /* what holds after the last change: in zone_rules */
};

struct zone_kind {
	int32_t offset; /* seconds east */
	uint8_t isdst;
	char name[8];
};

extern const struct zone_name zone_names[]; /* sorted */
extern const size_t zone_names_count;
extern const struct zone_row zone_rows[];
extern const struct zone_kind zone_kinds[];
extern const uint16_t zone_row_kinds[];
extern const char *const zone_rules[];
extern const uint32_t zone_when[]; /* seconds since 1970 */
extern const uint8_t zone_which[]; /* among the zone's own kinds */

#endif
