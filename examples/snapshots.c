/* snapshots.c - prepare a workspace once, try several things in branches of it, keep the one that works. */
#include <nacre/nacre.h>

#include <stdio.h>
#include <stdlib.h>

static nacre_runtime *rt;

static void must(int e)
{
	if (e < 0) {
		fprintf(stderr, "%s\n", nacre_runtime_error(rt));
		exit(1);
	}
}

/* Runs a script; its exit status. What it prints is shown. */
static int run(nacre_sandbox *sb, const char *script)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res;
	int status;

	req.script = script;
	must(nacre_exec(&res, sb, &req));
	fputs(nacre_result_stdout(res, NULL), stdout);
	status = nacre_result_exit_code(res);
	nacre_result_free(res);
	return status;
}

int main(void)
{
	static const char *const tries[] = {"sed -i s/2/two/ list", "sed -i /2/d list", "sort -r -o list list"};
	nacre_config *cfg = nacre_config_new();
	nacre_snapshot *prepared, *done;
	nacre_changes *changes;
	nacre_sandbox *sb, *branch;

	must(nacre_runtime_new(&rt));
	must(nacre_sandbox_new(&sb, rt, cfg));
	run(sb, "seq 3 > list; mkdir -p big/tree; seq 100000 > big/tree/numbers");
	must(nacre_snapshot_new(&prepared, sb));

	for (int i = 0; i < 3; i++) {
		must(nacre_sandbox_branch(&branch, prepared));
		run(branch, tries[i]);
		if (run(branch, "[ \"$(head -n 1 list)\" = 3 ]") == 0) {
			printf("try %d works:\n", i + 1);
			must(nacre_snapshot_new(&done, branch));
			must(nacre_snapshot_restore(sb, done));
			must(nacre_snapshot_diff(&changes, prepared, done));
			for (size_t k = 0; k < nacre_changes_count(changes); k++) {
				nacre_change c = {.size = sizeof(c)};

				nacre_changes_get(&c, changes, k);
				printf("%c %s\n", "AMDRPT"[c.kind], c.path);
			}
			nacre_changes_free(changes);
			nacre_snapshot_free(done);
		}
		nacre_sandbox_free(branch);
	}
	run(sb, "cat list; wc -l < big/tree/numbers");

	nacre_snapshot_free(prepared);
	nacre_sandbox_free(sb);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return 0;
}
