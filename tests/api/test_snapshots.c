/* test_snapshots.c - snapshots, branches, going back, differences; quotas of host mounts. FS-14, FS-09. */
#include "harness.h"

#include <sys/stat.h>
#include <unistd.h>

static char base[] = "/tmp/nacre-snap-XXXXXX";

/* "A /a/b M /c " */
static const char *diff(const nacre_snapshot *a, const nacre_snapshot *b)
{
	static char text[2000];
	nacre_changes *changes;
	size_t n = 0;

	text[0] = '\0';
	if (nacre_snapshot_diff(&changes, a, b) < 0)
		return nacre_runtime_error(rt);
	for (size_t i = 0; i < nacre_changes_count(changes); i++) {
		nacre_change c = {.size = sizeof(c)};

		nacre_changes_get(&c, changes, i);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%c%s %s%s%s ", "AMDRPT"[c.kind], c.kind == NACRE_CHANGE_RENAMED && c.content ? "M" : "",
				      c.from ? c.from : "", c.from ? ">" : "", c.path);
	}
	nacre_changes_free(changes);
	return text;
}

static bool is(const char *got, const char *want)
{
	if (strcmp(got, want) != 0)
		printf("got  %s\nwant %s\n", got, want);
	return strcmp(got, want) == 0;
}

/* What one script does between two snapshots, and the way back. `setup` is done before, or NULL. */
static void moved(const nacre_config *cfg, const char *setup, const char *script, const char *want, const char *back)
{
	nacre_snapshot *one, *two;
	nacre_sandbox *sb;

	CHECK(nacre_sandbox_new(&sb, rt, cfg) == 0);
	CHECK(prints(sb, "cd /workspace; echo a > a; echo b > b; mkdir -p d/e/g; echo x > d/x; echo y > d/e/y; echo z > d/e/g/z; ln -s a l; cp -r d /m/; echo m > /m/m", ""));
	CHECK(!setup || prints(sb, setup, ""));
	CHECK(nacre_snapshot_new(&one, sb) == 0);
	CHECK(prints(sb, script, ""));
	CHECK(nacre_snapshot_new(&two, sb) == 0);
	if (!is(diff(one, two), want) || !is(diff(two, one), back))
		printf("after %s; %s\n", setup ? setup : "", script);
	CHECK(is(diff(one, two), want));
	CHECK(is(diff(two, one), back));
	nacre_snapshot_free(one);
	nacre_snapshot_free(two);
	nacre_sandbox_free(sb);
}

static void test_renames(const nacre_config *cfg)
{
	static const char *const cases[][3] = {
		{"mv a c", "R /workspace/a>/workspace/c ", "R /workspace/c>/workspace/a "},
		{"mv a c; echo more >> c", "RM /workspace/a>/workspace/c ", "RM /workspace/c>/workspace/a "},
		{"mv a d/e/; mv l k; chmod 600 d/e/a", "R /workspace/a>/workspace/d/e/a R /workspace/l>/workspace/k ",
		 "R /workspace/d/e/a>/workspace/a R /workspace/k>/workspace/l "},
		{"mv d c", "R /workspace/d>/workspace/c ", "R /workspace/c>/workspace/d "},
		{"mv d c; echo more >> c/e/y; rm c/x; echo n > c/e/g/n; chmod 700 c/e/g",
		 "R /workspace/d>/workspace/c P /workspace/c/e/g A /workspace/c/e/g/n M /workspace/c/e/y D /workspace/c/x ",
		 "R /workspace/c>/workspace/d P /workspace/d/e/g D /workspace/d/e/g/n M /workspace/d/e/y A /workspace/d/x "},
		{"mv d/e f; mv d c", "R /workspace/d>/workspace/c R /workspace/d/e>/workspace/f ", "R /workspace/c>/workspace/d R /workspace/f>/workspace/d/e "},
		{"mv d/e/g/z d/z; mv d c", "R /workspace/d>/workspace/c R /workspace/d/e/g/z>/workspace/c/z ",
		 "R /workspace/c>/workspace/d R /workspace/c/z>/workspace/d/e/g/z "},
		{"mv a t; mv b a; mv t b", "M /workspace/a M /workspace/b ", "M /workspace/a M /workspace/b "},
		{"ln a c", "A /workspace/c ", "D /workspace/c "},
		{"ln a c; rm a", "R /workspace/a>/workspace/c ", "R /workspace/c>/workspace/a "},
		{"ln a c; ln a e; rm a", "R /workspace/a>/workspace/c A /workspace/e ", "R /workspace/c>/workspace/a D /workspace/e "},
		{"cp a c; rm a", "D /workspace/a A /workspace/c ", "A /workspace/a D /workspace/c "},
		{"rm a; mkdir a; mv b a", "D /workspace/a A /workspace/a R /workspace/b>/workspace/a/b ", "D /workspace/a A /workspace/a R /workspace/a/b>/workspace/b "},
		{"mv /m/m /m/d/e/g; mv /m/d /m/c", "R /m/d>/m/c R /m/m>/m/c/e/g/m ", "R /m/c>/m/d R /m/c/e/g/m>/m/m "},
		{"mv /m/m c", "D /m/m A /workspace/c ", "A /m/m D /workspace/c "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		moved(cfg, NULL, cases[i][0], cases[i][1], cases[i][2]);
}

/* The same within an overlay, of what is on the host, of what the sandbox made, and of what it had moved before. */
static void test_overlay_renames(const nacre_config *cfg)
{
	static const char *const cases[][4] = {
		{NULL, "mv a c", "R /w/tree/a>/w/tree/c ", "R /w/tree/c>/w/tree/a "},
		{NULL, "mv a c; echo more >> c", "RM /w/tree/a>/w/tree/c ", "RM /w/tree/c>/w/tree/a "},
		{NULL, "mv a d/e/; mv l k; chmod 600 d/e/a", "R /w/tree/a>/w/tree/d/e/a R /w/tree/l>/w/tree/k ", "R /w/tree/d/e/a>/w/tree/a R /w/tree/k>/w/tree/l "},
		{NULL, "mv d c", "R /w/tree/d>/w/tree/c ", "R /w/tree/c>/w/tree/d "},
		{NULL, "mv d c; echo more >> c/e/y; rm c/x; echo n > c/e/g/n; chmod 700 c/e/g",
		 "R /w/tree/d>/w/tree/c P /w/tree/c/e/g A /w/tree/c/e/g/n M /w/tree/c/e/y D /w/tree/c/x ",
		 "R /w/tree/c>/w/tree/d P /w/tree/d/e/g D /w/tree/d/e/g/n M /w/tree/d/e/y A /w/tree/d/x "},
		{NULL, "mv d/e f; mv d c", "R /w/tree/d>/w/tree/c R /w/tree/d/e>/w/tree/f ", "R /w/tree/c>/w/tree/d R /w/tree/f>/w/tree/d/e "},
		{NULL, "mv d/e/g/z d/z; mv d c", "R /w/tree/d>/w/tree/c R /w/tree/d/e/g/z>/w/tree/c/z ", "R /w/tree/c>/w/tree/d R /w/tree/c/z>/w/tree/d/e/g/z "},
		{NULL, "mv a t; mv b a; mv t b", "M /w/tree/a M /w/tree/b ", "M /w/tree/a M /w/tree/b "},
		{NULL, "mv b a", "M /w/tree/a D /w/tree/b ", "M /w/tree/a A /w/tree/b "},
		{NULL, "ln a c", "A /w/tree/c ", "D /w/tree/c "},
		{NULL, "ln a c; rm a", "R /w/tree/a>/w/tree/c ", "R /w/tree/c>/w/tree/a "},
		{NULL, "cp a c; rm a", "D /w/tree/a A /w/tree/c ", "A /w/tree/a D /w/tree/c "},
		{NULL, "rm a; mkdir a; mv b a", "D /w/tree/a A /w/tree/a R /w/tree/b>/w/tree/a/b ", "D /w/tree/a A /w/tree/a R /w/tree/a/b>/w/tree/b "},
		{NULL, "mv a /workspace/c", "D /w/tree/a A /workspace/c ", "A /w/tree/a D /workspace/c "},
		{NULL, "chmod 700 d", "P /w/tree/d ", "P /w/tree/d "},
		{NULL, "touch a; chmod 644 a d/x", "", ""},
		{"echo n > n; mkdir -p q/r; echo s > q/r/s", "mv n o", "R /w/tree/n>/w/tree/o ", "R /w/tree/o>/w/tree/n "},
		{"echo n > n; mkdir -p q/r; echo s > q/r/s", "mv q p; echo t > p/r/t", "R /w/tree/q>/w/tree/p A /w/tree/p/r/t ", "R /w/tree/p>/w/tree/q D /w/tree/q/r/t "},
		{"echo n > n", "rm n; echo n > o", "D /w/tree/n A /w/tree/o ", "A /w/tree/n D /w/tree/o "},
		{"mv d c", "mv c e", "R /w/tree/c>/w/tree/e ", "R /w/tree/e>/w/tree/c "},
		{"mv d c", "mv c d", "R /w/tree/c>/w/tree/d ", "R /w/tree/d>/w/tree/c "},
		{"mv d c", "mv c/x y; rm c/e/y", "D /w/tree/c/e/y R /w/tree/c/x>/w/tree/y ", "A /w/tree/c/e/y R /w/tree/y>/w/tree/c/x "},
		{"mv d c", "rm -r c", "D /w/tree/c D /w/tree/c/e D /w/tree/c/e/g D /w/tree/c/e/g/z D /w/tree/c/e/y D /w/tree/c/x ",
		 "A /w/tree/c A /w/tree/c/e A /w/tree/c/e/g A /w/tree/c/e/g/z A /w/tree/c/e/y A /w/tree/c/x "},
		{"mv a c; echo more >> c", "mv c e", "R /w/tree/c>/w/tree/e ", "R /w/tree/e>/w/tree/c "},
		{"echo more >> a", "mv a e; echo again >> e", "RM /w/tree/a>/w/tree/e ", "RM /w/tree/e>/w/tree/a "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char setup[200], script[200];

		snprintf(setup, sizeof(setup), "cd /w/tree; %s", cases[i][0] ? cases[i][0] : ":");
		snprintf(script, sizeof(script), "cd /w/tree; %s", cases[i][1]);
		moved(cfg, setup, script, cases[i][2], cases[i][3]);
	}
}

static void test_snapshots(const nacre_config *cfg)
{
	nacre_snapshot *one, *two, *three, *four;
	nacre_sandbox *sb, *branch;
	nacre_file *f;
	char c;

	CHECK(nacre_sandbox_new(&sb, rt, cfg) == 0);
	CHECK(prints(sb, "cd /workspace; seq 100000 > n; echo a > a; mkdir d; echo x > d/x; echo u >> /w/under; echo m > /m/m", ""));
	CHECK(nacre_snapshot_new(&one, sb) == 0);
	CHECK(prints(sb, "rm a; echo y > d/y; chmod 600 d/x; sed -i 5d n; echo v >> /w/under; rm /w/gone; echo m2 > /m/m; ln -s a l", ""));
	CHECK(nacre_file_open(&f, sb, "/workspace/d/y", NACRE_OPEN_READ, 0) == 0);
	CHECK(nacre_snapshot_new(&two, sb) == 0);
	CHECK(is(diff(one, two), "M /m/m D /w/gone M /w/under D /workspace/a P /workspace/d/x A /workspace/d/y A /workspace/l M /workspace/n "));
	CHECK(is(diff(two, one), "M /m/m A /w/gone M /w/under A /workspace/a P /workspace/d/x D /workspace/d/y D /workspace/l M /workspace/n "));
	CHECK(is(diff(two, two), ""));
	/* Files of exabytes without data are no more work than others. */
	CHECK(nacre_sandbox_branch(&branch, two) == 0);
	CHECK(prints(branch, "truncate -s 7E /workspace/n; truncate -s 7E /workspace/a; echo end >> /workspace/a", ""));
	CHECK(nacre_snapshot_new(&three, branch) == 0);
	CHECK(prints(branch, "touch /workspace/n; echo end | dd of=/workspace/a bs=1 conv=notrunc status=none seek=9000000", ""));
	CHECK(nacre_snapshot_new(&four, branch) == 0);
	CHECK(is(diff(two, three), "A /workspace/a M /workspace/n "));
	CHECK(is(diff(three, four), "M /workspace/a "));
	nacre_snapshot_free(three);
	nacre_snapshot_free(four);
	nacre_sandbox_free(branch);
	CHECK(nacre_snapshot_restore(sb, one) == 0);
	/* FS-14: what is not there any more is stale. */
	CHECK(nacre_file_read_at(f, &c, 1, 0) == -ESTALE);
	nacre_file_close(f);
	CHECK(prints(sb, "cd /workspace; echo *; wc -l < n; cat a /w/under /m/m; stat -c %a d/x; ls /w", "a d n\n100000\na\nbase\nu\nm\n644\ngone\nunder\n"));
	CHECK(nacre_sandbox_branch(&branch, two) == 0);
	CHECK(prints(branch, "cd /workspace; echo *; wc -l < n; cat /w/under /m/m; ls /w; echo mine > a", "d l n\n99999\nbase\nu\nv\nm2\nunder\n"));
	CHECK(prints(sb, "cat /workspace/a", "a\n"));
	nacre_sandbox_free(sb);
	CHECK(nacre_snapshot_restore(branch, one) == 0);
	CHECK(prints(branch, "cat /workspace/a", "a\n"));
	nacre_snapshot_free(one);
	nacre_snapshot_free(two);
	CHECK(prints(branch, "cat /workspace/a; echo z >> /workspace/n; tail -n1 /workspace/n", "a\nz\n"));
	nacre_sandbox_free(branch);
}

/* What branches share costs nobody; what they write, and what they write over it, costs them. */
static void test_charges(const nacre_config *cfg)
{
	nacre_usage u = {.size = sizeof(u)};
	nacre_snapshot *s;
	nacre_sandbox *sb, *b[100];

	CHECK(nacre_sandbox_new(&sb, rt, cfg) == 0);
	CHECK(prints(sb, "head -c 12M /dev/zero > /workspace/big", ""));
	CHECK(nacre_snapshot_new(&s, sb) == 0);
	for (int i = 0; i < 100; i++) {
		CHECK(nacre_sandbox_branch(&b[i], s) == 0);
		CHECK(prints(b[i], "echo $(wc -c < /workspace/big) > /workspace/one; cat /workspace/one", "12582912\n"));
		CHECK(nacre_sandbox_usage(&u, b[i]) == 0 && u.memory < 32768);
	}
	/* The budget is 16 MiB: neither written over in place nor removed and written anew it holds 24. */
	CHECK(prints(b[0], "cd /workspace; dd if=/dev/urandom of=big bs=1M count=12 conv=notrunc 2>/dev/null; echo $?; : > big; "
			  "head -c 12M /dev/urandom > c 2>/dev/null && echo fits; head -c 12M /dev/urandom > d 2>/dev/null || echo no", "0\nfits\nno\n"));
	CHECK(prints(b[1], "cd /workspace; rm big; head -c 15M /dev/urandom > c 2>/dev/null && echo fits; head -c 12M /dev/urandom > d 2>/dev/null || echo no",
		    "fits\nno\n"));
	for (int i = 0; i < 100; i++)
		nacre_sandbox_free(b[i]);
	nacre_snapshot_free(s);
	nacre_sandbox_free(sb);
}

static void test_host_quota(void)
{
	nacre_config *cfg = nacre_config_new();
	uint64_t bytes = 0, files = 0;
	nacre_sandbox *a, *b;

	CHECK(nacre_config_mount(cfg, base, "/q", NACRE_MOUNT_READ_WRITE) == 0);
	CHECK(nacre_config_mount(cfg, base, "/free", NACRE_MOUNT_READ_WRITE) == 0);
	CHECK(nacre_config_mount_quota(cfg, "/q", 10000, 6, 8000) == 0);
	CHECK(nacre_sandbox_new(&a, rt, cfg) == 0);
	CHECK(nacre_sandbox_new(&b, rt, cfg) == 0);
	CHECK(nacre_mount_usage(&bytes, &files, a, "/q") == 0 && bytes == 10 && files == 2);
	CHECK(nacre_mount_usage(&bytes, &files, a, "/free") == -EINVAL);
	CHECK(nacre_mount_usage(&bytes, &files, a, "/none") == -ENOENT);
	CHECK(prints(a, "cd /q; cat /dev/zero 2>&1 > big; stat -c %s big; cp big big2 2>&1; stat -c %s big2; echo x > big2 2>&1; rm big; echo fits > big3; cat big3; truncate -s 9000 big3 2>&1",
		    "cat: write error: File too large\n8000\ncp: error writing 'big2': No space left on device\n1990\nfits\ntruncate: failed to truncate 'big3' at 9000 bytes: File too large\n"));
	CHECK(nacre_mount_usage(&bytes, &files, b, "/q") == 0 && bytes == 17 && files == 4);
	CHECK(prints(b, "cd /q; mkdir d; mkdir d/e; mkdir d/f 2>&1; ln -s a s 2>&1; mv big2 d; rmdir d/e; : > d/g; dd if=/dev/zero of=d/g bs=100 seek=79 count=3 2>&1 | head -n1; wc -c < d/g; df --output=size,itotal,iavail -B1 . | tail -n1 | tr -s ' '",
		    "mkdir: cannot create directory 'd/f': No space left on device\nln: failed to create symbolic link 's': No space left on device\ndd: error writing 'd/g': File too large\n8000\n 10000 6 0\n"));
	CHECK(prints(a, "rm -r /free/d", ""));
	CHECK(nacre_mount_usage(&bytes, &files, a, "/q") == 0 && files == 6);
	CHECK(nacre_mount_refresh(a, "/q") == 0);
	CHECK(nacre_mount_usage(&bytes, &files, a, "/q") == 0 && bytes == 15 && files == 3);
	CHECK(nacre_mount_set_usage(a, "/q", 9999, 3) == 0);
	CHECK(prints(a, "{ echo ab > /q/t; } 2>&1", "bash: line 1: echo: write error: No space left on device\n"));
	CHECK(nacre_mount_set_usage(a, "/free", 1, 1) == -EINVAL);
	nacre_sandbox_free(a);
	nacre_sandbox_free(b);
	nacre_config_free(cfg);
}

int main(void)
{
	nacre_config *cfg = nacre_config_new();
	char path[100];
	FILE *f;

	CHECK(mkdtemp(base) != NULL);
	snprintf(path, sizeof(path), "%s/under", base);
	f = fopen(path, "w");
	CHECK(f && fputs("base\n", f) >= 0 && fclose(f) == 0);
	snprintf(path, sizeof(path), "%s/gone", base);
	f = fopen(path, "w");
	CHECK(f && fputs("gone\n", f) >= 0 && fclose(f) == 0);
	CHECK(nacre_runtime_new(&rt) == 0);
	CHECK(nacre_config_mount(cfg, base, "/w", NACRE_MOUNT_OVERLAY) == 0);
	CHECK(nacre_config_mount(cfg, NULL, "/m", NACRE_MOUNT_MEMORY) == 0);
	test_snapshots(cfg);
	test_renames(cfg);
	CHECK(nacre_config_limit(cfg, NACRE_LIMIT_MEMORY, 16 << 20) == 0);
	test_charges(cfg);
	test_host_quota();
	snprintf(path, sizeof(path), "%s/tree", base);
	CHECK(mkdir(path, 0755) == 0 && chdir(path) == 0);
	CHECK(system("echo a > a; echo b > b; mkdir -p d/e/g; echo x > d/x; echo y > d/e/y; echo z > d/e/g/z; ln -s a l") == 0);
	CHECK(chdir("/") == 0);
	test_overlay_renames(cfg);
	remove_tree(base);
	nacre_runtime_free(rt);
	nacre_config_free(cfg);
	return summary();
}
