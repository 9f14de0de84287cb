/* overlay_review.c - let a script loose on a directory, look at what it did, then keep it or not. */
#include <nacre/nacre.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static nacre_runtime *rt;

static void must(int e)
{
	if (e < 0) {
		fprintf(stderr, "%s\n", nacre_runtime_error(rt));
		exit(1);
	}
}

static void run(nacre_sandbox *sb, const char *script)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;

	req.script = script;
	must(nacre_exec(&res, sb, &req));
	fputs(nacre_result_stdout(res, NULL), stdout);
	nacre_result_free(res);
}

static void show_file(const char *dir, const char *name)
{
	char path[200], line[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	printf("on the host %s %s\n", name, f && fgets(line, sizeof(line), f) ? strtok(line, "\n") : "is not there");
	if (f)
		fclose(f);
}

/* The judgement: nothing may be deleted. */
static bool acceptable(nacre_sandbox *sb)
{
	nacre_changes *changes;
	bool fine = true;

	must(nacre_overlay_changes(&changes, sb, "/work"));
	for (size_t i = 0; i < nacre_changes_count(changes); i++) {
		nacre_change c = {.size = sizeof(c)};

		nacre_changes_get(&c, changes, i);
		printf("%c %s%s%s\n", "AMDRPT"[c.kind], c.from ? c.from : "", c.from ? " -> " : "", c.path);
		fine = fine && c.kind != NACRE_CHANGE_DELETED && !c.conflict;
	}
	nacre_changes_free(changes);
	return fine;
}

int main(void)
{
	static const char *const scripts[] = {"cd /work; sed -i s/one/1/ notes; rm -r src", "cd /work; sed -i s/one/1/ notes; mv src lib"};
	char dir[] = "/tmp/nacre-example-XXXXXX", path[200];
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	char *patch;
	FILE *f;

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/src", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/notes", dir);
	f = fopen(path, "w");
	if (!f || fputs("one\ntwo\n", f) < 0 || fclose(f) != 0)
		return 1;

	must(nacre_runtime_new(&rt));
	must(nacre_config_mount(cfg, dir, "/work", NACRE_MOUNT_OVERLAY));
	must(nacre_sandbox_new(&sb, rt, cfg));
	for (int i = 0; i < 2; i++) {
		run(sb, scripts[i]);
		if (acceptable(sb)) {
			must(nacre_overlay_diff(&patch, &(size_t){0}, sb, "/work"));
			fputs(patch, stdout);
			nacre_free(patch);
			must(nacre_overlay_commit(sb, "/work", 0));
			puts("committed");
		} else {
			must(nacre_overlay_discard(sb, "/work"));
			puts("discarded");
		}
		show_file(dir, "notes");
	}

	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	return system(path) == 0 ? 0 : 1;
}
