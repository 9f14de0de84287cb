/*
 * crc.h - the checksum of POSIX cksum: CRC-32, most significant bit first.
 *
 * Layer     base
 * Threads   any
 */
#ifndef NACRE_BASE_CRC_H
#define NACRE_BASE_CRC_H

#include "base.h"

struct crc_table {
	uint32_t t[8][256];
};

void crc_init(struct crc_table *table);
/* Adds n bytes to crc (0 at the start). */
uint32_t crc_update(const struct crc_table *table, uint32_t crc, const void *ptr, size_t n);
/* cksum's value: the length is added, and all bits are turned. */
uint32_t crc_final(const struct crc_table *table, uint32_t crc, uint64_t length);

#endif
