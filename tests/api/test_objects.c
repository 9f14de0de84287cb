/* test_objects.c - an object store as a filesystem: what is asked of it, and what is not. FS-13, API-06. */
#include "answers.h"
#include "harness.h"
#include "memory_store.h"

static struct store s;

static nacre_sandbox *mounted(unsigned flags)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(nacre_config_mount_objects(cfg, &s.table, "/s3", flags) == 0);
	CHECK(nacre_config_cwd(cfg, "/s3") == 0);
	sb = sandbox(cfg);
	nacre_config_free(cfg);
	return sb;
}

static void begin(const char *prefix)
{
	store_init(&s);
	s.table.prefix = prefix;
}

static void end(nacre_sandbox *sb)
{
	nacre_sandbox_free(sb);
	CHECK(!s.strayed);
	store_release(&s);
}

static void count_anew(void)
{
	s.count = (struct store_counts){.list = 0};
}

/* ---- What programs expect of a filesystem ------------------------------------------------ */

static void report(void *payload, const char *test, const char *wrong)
{
	(void)payload;
	if (wrong)
		printf("  %s: %s\n", test, wrong);
}

static void test_conformance(bool later, uint64_t part_size, unsigned page)
{
	nacre_sandbox *sb;

	begin("conformance");
	s.only = "conformance/";
	s.table.rename_directories = true;
	s.table.part_size = part_size;
	s.page = page;
	s.later = later;
	CHECK(!later || answers_start(64));
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	CHECK(nacre_fs_conformance(sb, "/s3", 0, report, NULL) == 0);
	CHECK(s.n == 0);
	/* The same by programs, which sleep meanwhile. */
	CHECK(prints(sb, "mkdir -p d/e; seq 100000 > d/e/n; (seq 5 | tac; echo x) | tee d/t | wc -l; sed -i 1d d/t; cp -r d c; mv d/t d/u; sort -u d/u d/u | wc -l;"
			 "diff -r c d; find . | sort | tr '\\n' ' '; rm -r c d; ls",
		     "6\n5\nOnly in c: t\nOnly in d: u\n. ./c ./c/e ./c/e/n ./c/t ./d ./d/e ./d/e/n ./d/u "));
	nacre_sandbox_free(sb);
	if (later)
		answers_stop();
	CHECK(!s.strayed && s.n == 0);
	store_release(&s);
}

/* ---- Reading ------------------------------------------------------------------------------- */

static void change(nacre_invocation *inv, void *payload)
{
	(void)payload;
	store_fill(&s, nacre_invocation_arg(inv, 1), 400000);
	nacre_invocation_complete(inv, 0);
}

/* A sandbox whose scripts can do what another client does: `change KEY`. */
static nacre_sandbox *with_change(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_command c = NACRE_COMMAND_INIT;
	nacre_sandbox *sb;

	c.name = "change";
	c.summary = "writes an object behind the sandbox's back";
	c.run = change;
	CHECK(nacre_config_command(cfg, &c) == 0);
	CHECK(nacre_config_mount_objects(cfg, &s.table, "/s3", NACRE_MOUNT_READ_WRITE) == 0);
	CHECK(nacre_config_cwd(cfg, "/s3") == 0);
	sb = sandbox(cfg);
	nacre_config_free(cfg);
	return sb;
}

static void test_ranges(void)
{
	nacre_sandbox *sb;

	begin(NULL);
	store_fill(&s, "big", 10 << 20);
	sb = mounted(NACRE_MOUNT_READ_ONLY);
	CHECK(prints(sb, "head -n 1 big | wc -c", "64\n"));
	CHECK(s.count.get == 1 && s.count.bytes_got == 65536);
	count_anew();
	CHECK(prints(sb, "wc -c < big", "10485760\n"));
	CHECK(s.count.get == 0 || s.count.bytes_got <= 10 << 20);
	count_anew();
	/* From beginning to end nothing is fetched twice, and in ranges that grow. */
	CHECK(prints(sb, "cat big | cksum", "2064576768 10485760\n"));
	CHECK(s.count.bytes_got == 10 << 20 && s.count.get <= 9 && s.count.conditional == s.count.get);
	count_anew();
	CHECK(prints(sb, "tail -c 100 big | wc -l", "2\n"));
	CHECK(s.count.bytes_got <= 65536 && s.count.get <= 1);
	count_anew();
	CHECK(prints(sb, "dd if=big bs=1 skip=5000000 count=7 status=none | wc -c", "7\n"));
	CHECK(s.count.bytes_got <= 65536 && s.count.get == 1);
	end(sb);
}

static void test_pin(void)
{
	nacre_sandbox *sb;

	begin(NULL);
	store_fill(&s, "f", 300000);
	sb = with_change();
	/* Opened is one version: the next range of it is not there any more. */
	CHECK(prints(sb, "exec 3< f; head -c 10 <&3 > /dev/null; change f; cat <&3 2>&1 > /dev/null; exec 3<&-; wc -c < f", "cat: -: Input/output error\n400000\n"));
	/* What was written to it is not put over what somebody else wrote. */
	CHECK(prints(sb, "exec 3>> f; echo x >&3; change f; exec 3>&- 2>&1; echo $?; wc -c < f", "bash: line 1: write error: Input/output error\n1\n400000\n"));
	CHECK(prints(sb, "{ echo a; change f; } 2>&1 > f; echo $?", "bash: line 1: write error: Input/output error\n1\n"));
	CHECK(prints(sb, "(echo a; change f) > f 2>/dev/null; echo $?; wc -c < f", "1\n400000\n"));
	end(sb);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static uint64_t peak(nacre_sandbox *sb)
{
	nacre_usage u = {.size = sizeof(u)};

	CHECK(nacre_sandbox_usage(&u, sb) == 0);
	return u.memory_peak;
}

static void test_creating(void)
{
	nacre_sandbox *sb;

	begin("a/b/");
	s.only = "a/b/";
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	CHECK(prints(sb, "echo one > f; cat f; ls; [ -s f ] && echo some", "one\nf\nsome\n"));
	CHECK(store_holds(&s, "a/b/f", "one\n") && s.count.put == 2 && s.count.put_new == 1);
	count_anew();
	CHECK(prints(sb, ": > f; : > g; cat f g", ""));
	CHECK(store_holds(&s, "a/b/f", "") && store_holds(&s, "a/b/g", "") && s.count.put == 2 && s.count.put_new == 1);
	/* Somebody else makes it in between: noclobber loses, the other way goes on with what there is. */
	s.appears = "a/b/n";
	CHECK(prints(sb, "set -C; { echo mine > n; } 2>/dev/null; echo $?; cat n; set +C", "1\nother"));
	CHECK(store_holds(&s, "a/b/n", "other"));
	s.appears = "a/b/m";
	CHECK(prints(sb, "echo mine > m; cat m", "mine\n"));
	s.appears = NULL;
	/* What cannot be put is an error of the program that wrote it. */
	CHECK(prints(sb, ": > p; : > q; seq 3 > r", ""));
	s.fail_put = -EACCES;
	CHECK(prints(sb, "cat r > p; echo $?; cp r q; echo $?; tee q < r > /dev/null; echo $?; awk '{ print > \"q\" }' r; echo $?; echo x > q; echo $?; "
			 "exec 5> q; echo y >&5; exec 5>&-; echo $?; sed -i s/1/2/ r; echo $?; f() { echo z; }; f > q; echo $?; { f; } >> q; echo $?",
		     "1\n1\n1\n1\n1\n1\n4\n1\n1\n"));
	CHECK(store_holds(&s, "a/b/p", "") && store_holds(&s, "a/b/q", "") && store_holds(&s, "a/b/r", "1\n2\n3\n"));
	s.fail_put = 0;
	end(sb);
}

static void test_parts(void)
{
	nacre_sandbox *sb;

	begin(NULL);
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	CHECK(prints(sb, "head -c 20M /dev/zero > big; wc -c < big", "20971520\n"));
	/* In memory there are no more than one part and a copy of it on its way. */
	CHECK(s.count.begun == 1 && s.count.parts == 3 && s.count.completed == 1 && s.count.put == 1 && s.count.largest_part == 8 << 20);
	CHECK(s.count.bytes_put == 20 << 20 && store_get(&s, "big")->n == 20 << 20 && peak(sb) < 20 << 20);
	count_anew();
	CHECK(prints(sb, "cat big > copy; cmp big copy && echo same", "same\n"));
	CHECK(s.count.parts == 3 && s.count.completed == 1);
	/* Reading what is being uploaded, and writing elsewhere in it, completes it first. */
	count_anew();
	CHECK(prints(sb, "exec 3<> u; head -c 9M /dev/zero >&3; tail -c 3 u | wc -c; echo end >&3; exec 3>&-; wc -c < u; tail -n 1 u | tr -d '\\0'",
		     "3\n9437188\nend\n"));
	CHECK(s.count.completed == 1 && s.count.bytes_got >= 9 << 20);
	CHECK(prints(sb, "{ head -c 9M /dev/zero; } > w; printf X | dd of=w bs=1 seek=5 conv=notrunc status=none; head -c 7 w | od -An -c", "  \\0  \\0  \\0  \\0  \\0   X  \\0\n"));
	end(sb);
}

static void test_rewriting(void)
{
	nacre_sandbox *sb;

	begin(NULL);
	store_fill(&s, "f", 1 << 20);
	store_fill(&s, "large", (32 << 20) + 1);
	store_fill(&s, "fits", (32 << 20) - 4);
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	CHECK(prints(sb, "echo x >> f; tail -n 1 f; wc -c < f", "x\n1048578\n"));
	CHECK(s.count.put == 1 && s.count.bytes_put == (1 << 20) + 2 && s.count.get >= 1);
	count_anew();
	CHECK(prints(sb, "{ echo x >> large; } 2>&1; truncate -s 5 large 2>&1; echo 123 >> fits; { echo 1234 >> fits; } 2>&1",
		     "bash: line 1: echo: write error: File too large\ntruncate: failed to truncate 'large' at 5 bytes: File too large\n"
		     "bash: line 1: echo: write error: File too large\n"));
	CHECK(s.count.put == 1 && store_get(&s, "large")->n == (32 << 20) + 1 && store_get(&s, "fits")->n == 32 << 20);
	/* Written anew it may be of any size. */
	CHECK(prints(sb, "echo y > large; cat large", "y\n"));
	nacre_sandbox_free(sb);
	s.table.rewrite_any = true;
	store_fill(&s, "large", 40 << 20);
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	CHECK(prints(sb, "echo x >> large; wc -c < large", "41943042\n"));
	end(sb);
}

static void stop(void *run)
{
	if (s.count.parts == 2)
		nacre_run_cancel(*(nacre_run **)run);
}

/* API-06: a run that is cancelled leaves nothing half done behind, and what was done stays. */
static void test_cancel(void)
{
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb;
	nacre_result *res;
	nacre_run *run;

	begin(NULL);
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	s.on_part = stop;
	s.on_part_arg = &run;
	req.script = "echo kept > before; cat /dev/zero > big";
	CHECK(nacre_run_start(&run, sb, &req) == 0);
	while (!nacre_run_done(run))
		if (nacre_runtime_step(rt) == NACRE_STEP_WAIT && !nacre_run_done(run))
			nacre_runtime_block(rt, -1);
	res = nacre_run_finish(run);
	CHECK(nacre_result_outcome(res) == NACRE_CANCELED);
	nacre_result_free(res);
	CHECK(s.count.begun == 1 && s.count.completed == 0 && s.count.aborted == 1 && s.count.parts == 2);
	CHECK(store_holds(&s, "before", "kept\n") && store_holds(&s, "big", ""));
	CHECK(prints(sb, "cat before; wc -c < big", "kept\n0\n"));
	end(sb);
}

/* ---- Names ------------------------------------------------------------------------------------- */

static void test_directories(void)
{
	nacre_sandbox *sb;

	begin(NULL);
	store_set(&s, "d/e/one", "1", 1);
	store_set(&s, "d/two", "2", 1);
	store_set(&s, "plain", "3", 1);
	/* Names that are none. */
	store_set(&s, "w//x", "", 0);
	store_set(&s, "w/../x", "", 0);
	store_set(&s, "w/./x", "", 0);
	store_set(&s, "../x", "", 0);
	store_set(&s, "/x", "", 0);
	store_set(&s, "both", "file", 4);
	store_set(&s, "both/x", "", 0);
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	CHECK(prints(sb, "find . | sort | tr '\\n' ' '; cat both; ls w", ". ./both ./d ./d/e ./d/e/one ./d/two ./plain ./w file"));
	CHECK(prints(sb, "cd d/e; cat ../two one; cat none/x plain/x 2>&1; ls -d ../../plain/x 2>&1", "21cat: none/x: No such file or directory\ncat: plain/x: No such file or directory\nls: cannot access '../../plain/x': Not a directory\n"));
	/* Renaming a directory is not done unless it was asked for: mv copies, and removes. */
	count_anew();
	CHECK(prints(sb, "cd /s3; mv d g; find g | sort | tr '\\n' ' '; ls d 2>&1", "g g/e g/e/one g/two ls: cannot access 'd': No such file or directory\n"));
	CHECK(s.count.copy == 0);
	/* Without an object of its own a directory is there as long as something is in it, and then as long as somebody may want to use it. */
	CHECK(prints(sb, "rm both; rm g/e/one; ls g; echo again > g/e/one; rm -r g; ls; mkdir m; rmdir m; rmdir plain 2>&1; mkdir plain 2>&1",
		     "e\ntwo\nboth\nplain\nw\nrmdir: failed to remove 'plain': Not a directory\nmkdir: cannot create directory 'plain': File exists\n"));
	CHECK(s.count.copy == 0);
	nacre_sandbox_free(sb);
	s.table.rename_directories = true;
	store_set(&s, "d/e/one", "1", 1);
	store_set(&s, "d/two", "2", 1);
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	count_anew();
	CHECK(prints(sb, "exec 3>> d/two; echo x >&3; mv d g; find g | sort | tr '\\n' ' '; cat g/two; echo y >&3; exec 3>&-; cat g/two; ls d 2>&1",
		     "g g/e g/e/one g/two 2x\n2x\ny\nls: cannot access 'd': No such file or directory\n"));
	CHECK(s.count.copy == 2 && s.count.removed == 2);
	end(sb);
}

static void test_prefix(void)
{
	nacre_sandbox *sb;

	begin("team/a");
	s.only = "team/a/";
	store_set(&s, "team/a", "the name itself", 15);
	store_set(&s, "team/a/x", "mine", 4);
	store_set(&s, "team/ab", "secret", 6);
	store_set(&s, "team/ab/x", "secret", 6);
	store_set(&s, "team/a-/x", "secret", 6);
	store_set(&s, "other", "secret", 6);
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	CHECK(prints(sb, "find / -path /proc -prune -o -path '*s3*' -print; cat x ../s3/x /s3b 2>&1; cat ../ab/x /s3/../team/ab '/s3/ ../ab' 2>/dev/null; echo $?; ls /s3/..//s3",
		     "/s3\n/s3/x\nminemine" "cat: /s3b: No such file or directory\n1\nx\n"));
	CHECK(prints(sb, "mv x ../y; rm -rf /s3/* 2>&1; ls", ""));
	CHECK(store_holds(&s, "team/ab", "secret") && store_holds(&s, "team/ab/x", "secret") && store_holds(&s, "team/a-/x", "secret") && s.n == 5);
	end(sb);
}

/* Is the script refused, by an event of the mount's and without a request but the questions of its commands, none when !asks? */
static void refused(nacre_sandbox *sb, const char *script, const char *why, bool asks)
{
	nacre_result *res;
	nacre_denial d = {.size = sizeof(d)};
	char subshell[400];
	bool ok;

	count_anew();
	snprintf(subshell, sizeof(subshell), "(%s)", script);
	res = exec_script(sb, subshell);
	ok = nacre_result_exit_code(res) != 0 && strstr(nacre_result_stderr(res, NULL), why);
	ok = ok && store_requests(&s) == (asks ? s.count.list + s.count.head + s.count.get : 0);
	ok = ok && nacre_result_denial(&d, res, 0) == 0 && strcmp(d.rule_id, "mount") == 0 && strcmp(d.rule, "/s3") == 0;
	CHECK(ok);
	if (!ok)
		printf("  %s: %u requests, %s: %s", script, store_requests(&s), d.rule_id ? d.rule_id : "no event", nacre_result_stderr(res, NULL));
	nacre_result_free(res);
}

static void test_read_only(void)
{
	static const char *const writes[] = {
		"echo x > f", "echo x >> f", "echo x > new", "echo x >> none/new", "echo x 1<> f", "echo x > d/../f", "echo x > d/./../none/../f",
		"echo x > //s3/f", "echo x > d", "truncate -s 0 f", "mkdir n", "rmdir d", "rmdir d/.", "touch f", "touch new", "mkfifo p",
		"tee f < /dev/null", "cd /tmp; ln -s /s3 l; mkdir l/n",
		"sed w/s3/x <<< text", "awk 'BEGIN { print > \"/s3/x\" }'", "cd /tmp; echo x > x; cat x > /s3/x", "sort -o f /dev/null"};
	static const char *const asking[] = {"rm f", "mv f g", "mv f /tmp/g", "cp f g", "ln f g", "ln -s f g", "chmod 600 f", "rm -r d", "cp f d/g", "sed -i s/x/y/ f",
					     "tar xf /tmp/t", "mkdir -p d/n", "mkdir -p n/m", "install f g", "split - /s3/x <<< text", "cd d; echo x > ../f", "set -C; echo x > new"};
	/* What a program asks of the system itself, each without a request. */
	static const char *const calls[] = {"unlink('/s3/f')", "rmdir('/s3/d')", "mkdir('/s3/n')", "rename('/s3/f', '/s3/g')", "rename('/s3/f', '/tmp/g')",
					    "rename('/tmp/mine', '/s3/g')", "link('/s3/f', '/s3/g')", "symlink('x', '/s3/l')", "chmod('/s3/f', 0o600)", "utime('/s3/f')",
					    "truncate('/s3/f', 0)", "open('/s3/f', os.O_WRONLY)", "open('/s3/f', os.O_RDWR)", "open('/s3/n', os.O_RDONLY | os.O_CREAT | os.O_EXCL)",
					    "open('/s3/f', os.O_RDWR | os.O_TRUNC)"};
	nacre_sandbox *sb;
	char script[300];

	for (int how = 0; how < 3; how++) {
		const char *why = how ? "Read-only file system" : "Permission denied";
		int e = how ? -EROFS : -EACCES;

		begin(NULL);
		store_set(&s, "f", "text", 4);
		store_set(&s, "d/", "", 0);
		s.table.read_only = how != 1;
		s.table.put = NULL;
		sb = mounted(how ? NACRE_MOUNT_READ_ONLY : NACRE_MOUNT_READ_WRITE);
		CHECK(prints(sb, "cd /tmp; touch mine; mkdir d; touch d/x; tar cf t d; cd /s3", ""));
		for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
			refused(sb, writes[i], why, false);
		for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
			refused(sb, asking[i], why, true);
		for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
			snprintf(script, sizeof(script), "cd /tmp; python3 -Ic \"import os; os.%s\"", calls[i]);
			refused(sb, script, why, false);
		}
		count_anew();
		CHECK(nacre_fs_write(sb, "/s3/f", "x", 1, 0644) == e && nacre_fs_write(sb, "/s3/new", "x", 1, 0644) == e && nacre_fs_mkdir(sb, "/s3/n", 0755) == e);
		CHECK(nacre_fs_rename(sb, "/s3/f", "/s3/g") == e && nacre_fs_remove(sb, "/s3/f") == e && nacre_fs_remove(sb, "/s3/d") == e);
		CHECK(store_requests(&s) == 0);
		/* Reading goes on, and what only passes through is not refused. */
		CHECK(prints(sb, "{ echo x > f; } 2>/dev/null; cat f; echo y > d/../../tmp/y; cat ../tmp/y; echo z 2> /dev/null > /s3/../tmp/z; mkdir -p d && echo there",
			     "texty\nthere\n"));
		end(sb);
	}
}

static void test_listing(void)
{
	char key[40];
	nacre_sandbox *sb;

	begin(NULL);
	for (int i = 0; i < 50; i++) {
		snprintf(key, sizeof(key), "d/%02d", i);
		store_fill(&s, key, (size_t)i);
	}
	sb = mounted(NACRE_MOUNT_READ_ONLY);
	CHECK(prints(sb, "ls -l d | awk '{ n += $5 } END { print NR, n }'", "51 1225\n"));
	CHECK(s.count.head >= 50);
	nacre_sandbox_free(sb);
	s.table.list_ttl_ns = INT64_C(3600000000000);
	s.page = 7;
	sb = mounted(NACRE_MOUNT_READ_WRITE);
	count_anew();
	CHECK(prints(sb, "ls -l d | awk '{ n += $5 } END { print NR, n }'", "51 1225\n"));
	CHECK(s.count.head <= 2 && s.count.list >= 8);
	/* What the sandbox itself changes it sees at once. */
	CHECK(prints(sb, "ls d | wc -l; echo 12345678 > d/00; rm d/01; ls -l d | awk '{ n += $5 } END { print NR, n }'; wc -c < d/00", "50\n50 1233\n9\n"));
	end(sb);
}

/* ---- Recording ------------------------------------------------------------------------------------ */

static void test_replay(bool later)
{
	nacre_config *cfg = nacre_config_new();
	nacre_runtime *recorded = NULL;
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_result *res, *again;
	nacre_sandbox *sb;
	void *data;
	size_t len;

	begin("p");
	s.later = later;
	s.page = 3;
	s.table.part_size = 65536;
	store_fill(&s, "p/in", 200000);
	store_set(&s, "p/d/x", "x", 1);
	CHECK(!later || answers_start(64));
	CHECK(nacre_config_mount_objects(cfg, &s.table, "/s3", NACRE_MOUNT_READ_WRITE) == 0);
	CHECK(nacre_config_cwd(cfg, "/s3") == 0);
	CHECK(nacre_runtime_new_recording(&recorded, 0) == 0);
	CHECK(nacre_sandbox_new(&sb, recorded, cfg) == 0);
	req.script = "ls -lR; cat in in > out; cksum out; echo more >> in; tail -n 2 in; mv d/x y; rm -r d; echo z > in; find .";
	CHECK(nacre_exec(&res, sb, &req) == 0 && nacre_result_ok(res) && *nacre_result_stderr(res, NULL) == 0);
	CHECK(nacre_recording_take(&data, &len, recorded, NULL, 0) == 0);
	nacre_sandbox_free(sb);
	nacre_runtime_free(recorded);
	nacre_config_free(cfg);
	if (later)
		answers_stop();
	count_anew();
	CHECK(nacre_replay(&again, rt, data, len, NULL, NULL) == 0 && strcmp(nacre_result_stdout(res, NULL), nacre_result_stdout(again, NULL)) == 0);
	CHECK(store_requests(&s) == 0);
	nacre_result_free(again);
	nacre_result_free(res);
	nacre_free(data);
	store_release(&s);
}

/* Many at once, each with requests under way. */
static void test_many(void)
{
	enum { N = 50 };
	nacre_request req = NACRE_REQUEST_INIT;
	nacre_sandbox *sb[N];
	nacre_run *run[N];
	size_t right = 0;

	begin(NULL);
	s.later = true;
	s.table.part_size = 65536;
	store_fill(&s, "in", 300000);
	CHECK(answers_start(256));
	req.script = "cksum < in > $N; (cat $N; cat $N) | sort -u >> log.$N; cat log.$N; head -c 200000 in > big.$N; cksum < big.$N; for f in 1 2 3; do echo $f >> l.$N; "
		     "done; cat l.$N | tr -d '\\n'; rm $N big.$N l.$N log.$N";
	for (size_t i = 0; i < N; i++) {
		char name[20];
		const char *env[] = {name, NULL};

		snprintf(name, sizeof(name), "N=f%zu", i);
		req.env = env;
		sb[i] = mounted(NACRE_MOUNT_READ_WRITE);
		CHECK(nacre_run_start(&run[i], sb[i], &req) == 0);
	}
	for (size_t done = 0; done < N;) {
		enum nacre_step step = nacre_runtime_step(rt);

		while (done < N && nacre_run_done(run[done]))
			done++;
		if (step == NACRE_STEP_WAIT && done < N)
			nacre_runtime_block(rt, -1);
	}
	for (size_t i = 0; i < N; i++) {
		nacre_result *res = nacre_run_finish(run[i]);

		right += strcmp(nacre_result_stdout(res, NULL), "2983245001 300000\n2981012094 200000\n123") == 0;
		if (right != i + 1)
			printf("%zu: ", i), printf("%s%s", nacre_result_stdout(res, NULL), nacre_result_stderr(res, NULL));
		nacre_result_free(res);
		nacre_sandbox_free(sb[i]);
	}
	answers_stop();
	CHECK(right == N && s.n == 1);
	store_release(&s);
}

static void test_config(void)
{
	nacre_config *cfg = nacre_config_new();
	nacre_object_store t;

	begin(NULL);
	CHECK(nacre_config_mount_objects(cfg, NULL, "/s3", 0) == -EINVAL);
	t = s.table;
	t.size = 8;
	CHECK(nacre_config_mount_objects(cfg, &t, "/s3", 0) == -EINVAL && strstr(nacre_config_error(cfg), "size"));
	t = s.table;
	t.get = NULL;
	CHECK(nacre_config_mount_objects(cfg, &t, "/s3", 0) == -EINVAL);
	t = s.table;
	t.upload_abort = NULL;
	CHECK(nacre_config_mount_objects(cfg, &t, "/s3", NACRE_MOUNT_READ_WRITE) == -EINVAL);
	CHECK(nacre_config_mount_objects(cfg, &t, "/s3", NACRE_MOUNT_OVERLAY) == -EINVAL);
	CHECK(nacre_config_mount_objects(cfg, &t, "/", 0) == -EINVAL);
	CHECK(nacre_config_mount_objects(cfg, &t, "/s3", 0) == 0);
	CHECK(nacre_config_mount_objects(cfg, &t, "/s3", 0) == -EEXIST);
	nacre_config_free(cfg);
	store_release(&s);
}

int main(void)
{
	if (nacre_runtime_new(&rt) < 0)
		return 1;
	test_conformance(false, 0, 0);
	test_conformance(false, 65536, 2);
	test_conformance(true, 65536, 3);
	test_ranges();
	test_pin();
	test_creating();
	test_parts();
	test_rewriting();
	test_cancel();
	test_directories();
	test_prefix();
	test_read_only();
	test_listing();
	test_replay(false);
	test_replay(true);
	test_many();
	test_config();
	nacre_runtime_free(rt);
	return summary();
}
