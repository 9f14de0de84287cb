/*
 * world.h - what the kernel's tests stand on: a runtime, a small tree, sandboxes, runs.
 *
 * A test's programs are C functions over sys_*; each test is a function; main runs them all
 * or those named in its arguments. Nothing here measures time.
 */
#ifndef TEST_KERNEL_WORLD_H
#define TEST_KERNEL_WORLD_H

#include <stdio.h>
#include <stdlib.h>

#include "../../../src/fs/bin.h"
#include "../../../src/fs/mem.h"
#include "../../../src/kernel/hostcall.h"
#include "../../../src/kernel/kernel.h"
#include "../../../src/kernel/stream.h"
#include "../../../src/vfs/mount.h"

extern int failures;

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			failures++; \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
		} \
	} while (0)

#define CHECK_EQ(a, b) \
	do { \
		long long a_ = (long long)(a), b_ = (long long)(b); \
		if (a_ != b_) { \
			failures++; \
			fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #a, a_, b_); \
		} \
	} while (0)

#define CHECK_STR(a, b) \
	do { \
		const char *a_ = (a), *b_ = (b); \
		if (strcmp(a_, b_) != 0) { \
			failures++; \
			fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #a, a_, b_); \
		} \
	} while (0)

struct world {
	struct port *port;
	struct runtime *rt;
	struct mem_store *store;
	struct fs *base, *bin;
	struct mount_table *mounts;
	struct program_table table;
	struct sandbox_config config;
	struct runtime_stats empty;	/* with nothing going on */
};

/* programs: sorted by name. port NULL: the real one. */
void world_open(struct world *w, struct port *port, const struct program *programs, size_t n);
/* Checks that everything has been given back. */
void world_close(struct world *w);
/* The counts are as they were at the start (sandboxes aside). */
void world_at_rest(struct world *w);

struct sandbox *world_sandbox(struct world *w);
/* Gives the sandbox its tree (done by world_sandbox). */
int world_tree(struct world *w, struct sandbox *sb);

struct outcome {
	struct run_result result;
	char out[4096], err[4096];	/* captured; NUL-terminated */
	size_t out_len, err_len;
};

/* Starts `program` with captured output; c may preset limits (streams are overwritten when NULL). */
struct run *world_start(struct sandbox *sb, const char *program, char *const *argv, const struct run_config *c);
/* Steps until it is done, collects and frees it. */
void world_finish(struct run *run, struct outcome *o);
/* Both; a fresh sandbox, which is freed. */
void world_run(struct world *w, const char *program, char *const *argv, const struct run_config *c, struct outcome *o);
void world_step_until_done(struct run *run);

/* For programs. */
int say(struct proc *p, int fd, const char *text);
#define ARGV(...) ((char *const *)(const char *[]){__VA_ARGS__, NULL})

struct test {
	const char *name;
	void (*run)(void);
};
int run_tests(const struct test *t, size_t n, int argc, char **argv);

#endif
