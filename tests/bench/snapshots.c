/* snapshots.c - what snapshots, branches and overlay mounts cost: docs/performance.md. Records, never judges. */
#include <nacre/nacre.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES    100000
#define BRANCHES 1000

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static long resident_kib(void)
{
	long pages = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &pages, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return resident * 4;
}

static void must(int e, nacre_runtime *rt)
{
	if (e < 0) {
		fprintf(stderr, "%s\n", nacre_runtime_error(rt));
		exit(1);
	}
}

/* A tree of FILES files of 10.5 KiB: 1 GiB and a little more. */
static void plant(nacre_sandbox *sb, nacre_runtime *rt)
{
	static char text[10752];
	char path[64];

	memset(text, 'x', sizeof(text));
	for (int i = 0; i < FILES; i++) {
		if (i % 100 == 0) {
			snprintf(path, sizeof(path), "/workspace/d%d", i / 100);
			must(nacre_fs_mkdir(sb, path, 0755), rt);
		}
		snprintf(path, sizeof(path), "/workspace/d%d/f%d", i / 100, i % 100);
		must(nacre_fs_write(sb, path, text, sizeof(text), 0644), rt);
	}
}

static void branches(nacre_runtime *rt, const nacre_snapshot *s)
{
	static nacre_sandbox *b[BRANCHES];
	long before = resident_kib();
	double start = now_us(), made;

	for (int i = 0; i < BRANCHES; i++)
		must(nacre_sandbox_branch(&b[i], s), rt);
	made = now_us();
	printf("branch: %.2f us each\n", (made - start) / BRANCHES);
	for (int i = 0; i < BRANCHES; i++)
		must(nacre_fs_write(b[i], "/workspace/d500/mine", "mine\n", 5, 0644), rt);
	printf("branch's first file: %.2f us each\n%d branches, each with a file: %ld KiB more\n", (now_us() - made) / BRANCHES, BRANCHES,
	       resident_kib() - before);
	for (int i = 0; i < BRANCHES; i++)
		nacre_sandbox_free(b[i]);
}

static void overlay(const char *dir)
{
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *rt;
	nacre_sandbox *sb;
	double start;

	nacre_runtime_new(&rt);
	must(nacre_config_mount(cfg, dir, "/w", NACRE_MOUNT_OVERLAY), rt);
	start = now_us();
	must(nacre_sandbox_new(&sb, rt, cfg), rt);
	printf("overlay over %s: %.1f us for the first sandbox of the configuration\n", dir, now_us() - start);
	nacre_sandbox_free(sb);
	start = now_us();
	must(nacre_sandbox_new(&sb, rt, cfg), rt);
	printf("overlay: %.1f us for another\n", now_us() - start);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
}

int main(int argc, char **argv)
{
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *rt;
	nacre_sandbox *sb;
	nacre_snapshot *s[1000];
	double start, best = 1e9;

	nacre_runtime_new(&rt);
	nacre_config_limit(cfg, NACRE_LIMIT_MEMORY, 0);
	must(nacre_sandbox_new(&sb, rt, cfg), rt);
	plant(sb, rt);
	printf("%d files, %ld MiB resident\n", FILES, resident_kib() / 1024);
	for (int i = 0; i < 1000; i++) {
		double took;

		start = now_us();
		must(nacre_snapshot_new(&s[i], sb), rt);
		took = now_us() - start;
		best = took < best ? took : best;
	}
	printf("snapshot: %.2f us\n", best);
	must(nacre_fs_write(sb, "/workspace/d1/f1", "changed\n", 8, 0644), rt);
	start = now_us();
	must(nacre_snapshot_restore(sb, s[0]), rt);
	printf("restore: %.2f us\n", now_us() - start);
	branches(rt, s[1]);
	for (int i = 0; i < 1000; i++)
		nacre_snapshot_free(s[i]);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	if (argc > 1)
		overlay(argv[1]);
	return 0;
}
