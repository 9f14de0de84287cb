/*
 * record.h - ports that write down what comes in, and that give it again.
 *
 * Everything nondeterministic comes to a runtime through its port: the clocks, chance, what is read from descriptors and
 * from the host's files, when a wait ends. A recording port passes every call on and logs its result; a replaying port takes
 * the results from the log and asks the machine for nothing but memory. What the host's program does by itself (starting
 * runs, stepping, completing calls) is logged between, by api/record.c, into the same log: its order is that of one thread.
 *
 *	port = port_record_new(port_linux_new(), max);
 *	... a runtime with it; log_tag(port_record_log(port), ...) ...
 *	port = port_replay_new(port_linux_new(), bytes, n);
 *	... the same again; port_replay_fault(port) ...
 *
 * Layer     port
 * Owns      the port behind; a recording port its log; a replaying one borrows the bytes
 * Threads   as the port behind
 * Suspends  no
 * Errors    a replay that is asked for something else than the log has: from then on every call gives a harmless
 *           answer, and port_replay_fault says what happened
 */
#ifndef NACRE_PORT_RECORD_H
#define NACRE_PORT_RECORD_H

#include "log.h"
#include "port.h"

/* `gate` (may be NULL) is called where news from other threads may come in: before each look at a clock, after each wait. */
struct port_gate {
	void (*pass)(void *ctx);
	void *ctx;
};

/* Takes `real` over, also on failure: NULL without memory. */
struct port *port_record_new(struct port *real, size_t max);
struct log *port_record_log(struct port *t);
void port_record_gate(struct port *t, struct port_gate gate);
/* From now on everything passes unseen. */
void port_record_stop(struct port *t);

struct port_replay_host {
	void (*stop)(void *ctx);	/* the replay has failed: what runs is to be stopped */
	/* What the recorded run wrote to a descriptor of its host. */
	void (*output)(void *ctx, int fd, const void *data, size_t n);
	void *ctx;
};
struct port *port_replay_new(struct port *real, const void *log, size_t n);
struct log_reader *port_replay_log(struct port *t);
void port_replay_gate(struct port *t, struct port_gate gate);
void port_replay_host(struct port *t, struct port_replay_host host);
/* Takes the event's tag when it is that one; else the replay has failed. */
bool port_replay_expect(struct port *t, int tag, const char *detail);
/* The replay has failed: with that text, unless it already had. */
void port_replay_fail(struct port *t, const char *format, ...) PRINTF(2, 3);
/* The end has been reached: what is asked from now on is nobody's business. */
void port_replay_stop(struct port *t);
/* NULL: not yet. */
const char *port_replay_fault(const struct port *t);

/* ---- For the two ports: the calls of hostfs.h in a log (logfiles.c) ---- */

struct hostfs_op;
uint32_t log_files_digest(const struct hostfs_op *op);
void log_files_result(struct log *l, const struct hostfs_op *op, int64_t r);
/* The result, with op's filled in; bad when it cannot be one of such a call. */
int64_t log_files_take(struct log_reader *in, struct hostfs_op *op);

#endif
