/*
 * log.h - what a run took in, in the order in which it did: the bytes between port/record and port/replay.
 *
 * An event is a byte that says what it is and what belongs to it: numbers in as few bytes as they need, the smaller
 * ones in one, and strings of bytes with their length before them. There are no references and no alignment: an event is
 * understood from the ones before it. docs/decisions/record.md
 *
 *	log_tag(&log, LOG_RANDOM); log_bytes(&log, buf, n);	// writing
 *	if (log_next(&in) == LOG_RANDOM) { log_skip(&in); p = log_take_bytes(&in, &n); ... }
 *
 * Layer     port; base, abi
 * Owns      a writing log owns its bytes; a reading one borrows them
 * Threads   one at a time
 * Suspends  no
 * Errors    a log that would be larger than its ceiling is `full` and takes nothing more; what is read from one that
 *           ends too early or makes no sense is 0, and `bad` is set
 */
#ifndef NACRE_PORT_LOG_H
#define NACRE_PORT_LOG_H

#include "../base/base.h"

enum log_tag {
	LOG_CLOCK_REAL = 1, /* the three in the order of enum port_clock */
	LOG_CLOCK_MONO,
	LOG_CLOCK_CPU,
	LOG_RANDOM,
	LOG_FD_READ,
	LOG_FD_WRITE,
	LOG_FD_IS_FILE,
	LOG_FD_SAME,
	LOG_POLL,
	/* What the host's program did (api/record.c). */
	LOG_SANDBOX = 16,
	LOG_LOAD,
	LOG_START,
	LOG_STEP,
	LOG_WAIT,
	LOG_BLOCK,
	LOG_DRIVE,
	LOG_FINISH,
	LOG_RESULT,
	LOG_CALL,	/* a command of the host's begins, and returns */
	LOG_CALLED,
	LOG_COMPLETE,
	LOG_NESTED,
	LOG_NESTED_DONE,
	LOG_NESTED_TOLD,
	LOG_CANCEL,
	LOG_RESUME,
	LOG_OUTPUT,	/* on_output took some */
	LOG_USERFS,	/* a call of a filesystem of the host's */
	LOG_USERFS_DONE,
	LOG_FILE,	/* nacre_fs_... and nacre_file_..., and what that gave */
	LOG_FILE_DONE,
	LOG_FILES = 64, /* and an enum hostfs_call */
};

/* "the clock", "open"...; for messages. */
const char *log_name(int tag);

struct log {
	unsigned char *v;
	size_t len, cap, max;
	bool full;
};

void log_release(struct log *l);
void log_tag(struct log *l, int tag);
void log_number(struct log *l, int64_t v);
void log_bytes(struct log *l, const void *p, size_t n);
void log_string(struct log *l, const char *s); /* NULL is not "" */

struct log_reader {
	const unsigned char *at, *end;
	uint64_t events;
	bool bad;
};

int log_next(const struct log_reader *r); /* the next event's tag, -1 at the end; nothing is taken */
void log_skip(struct log_reader *r);	/* takes the tag */
int64_t log_take_number(struct log_reader *r);
/* Borrowed; NULL, and *n 0, when it is bad. */
const void *log_take_bytes(struct log_reader *r, size_t *n);
/* A copy (malloc) of a string without NUL bytes; NULL for NULL and when it is bad. */
char *log_take_string(struct log_reader *r);

/* Of what a call was given, so that a replay finds out when it is given something else. */
uint32_t log_digest(uint32_t before, const void *p, size_t n);

#endif
