/* test_save.c - a sandbox saved and loaded: files, overlays, the shell's state; damage is found; random sequences of scripts with
 * saving in between go as without. */
#include "harness.h"

#include <sys/stat.h>
#include <unistd.h>

static nacre_sandbox *reload(nacre_sandbox *sb, const nacre_config *cfg)
{
	nacre_sandbox *again = NULL;
	void *data;
	size_t len;

	if (nacre_save(&data, &len, sb) < 0 || nacre_load(&again, rt, cfg, data, len) < 0) {
		printf("%s\n", nacre_runtime_error(rt));
		exit(1);
	}
	nacre_free(data);
	nacre_sandbox_free(sb);
	return again;
}

static void test_state(void)
{
	char *first = NULL;
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;

	CHECK(nacre_config_env(cfg, "GONE", "x") == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb,
		    "x='a b'; export E=1; declare -r R=ro; declare -i I=5; declare -u U=up; a=(1 [5]=five 'x y'); declare -A m=([k]=v [b]=2 [z]=3); "
		    "declare -n ref=x; unset GONE; nothing=; declare undefined; IFS=:; "
		    "f() {\n  echo \"$1 $LINENO\"\n  cat <<E\nhere $x\nE\n  no_such_command\n}\ng() { local y=1; f \"$y\"; }; export -f g; h() { cat <<E; }\nlate\nE\n"
		    "alias ll='ls -l'; shopt -s extglob nullglob; set -u; trap 'echo usr1' USR1; trap '' TERM; mkdir -p d/e; cd d; pushd e >/dev/null; "
		    "hash -p /usr/bin/cat kitty; true | false | true",
		    "", 0));
	for (int i = 0; i < 2; i++) {
		nacre_result *res = exec_script(
			sb, "p=\"${PIPESTATUS[*]}\"; exec 2>&1; IFS=' '; echo \"$x|$E|$R|$I|$U|${!a[*]}|${a[*]}|${m[*]}|$ref|${GONE-unset}|$nothing|$(declare -p undefined)|:|$p\"\n"
			    "f z; g; h; alias; shopt extglob | tr -s '\\t ' ' '; trap; kill -USR1 $$; dirs -l; echo \"$PWD ${DIRSTACK[1]}\"; hash -t kitty\necho $zzz");

		if (i == 0) {
			first = strdup(nacre_result_stdout(res, NULL));
			CHECK(strstr(first, "a b|1|ro|5|UP|0 5 6|1 five x y|") == first && strstr(first, "|a b|unset||declare -- undefined|"));
			CHECK(strstr(first, "line 6: no_such_command") && strstr(first, "late\n") && strstr(first, "/workspace/d/e /workspace/d\n"));
			CHECK(strstr(first, "usr1\n") && strstr(first, "zzz: unbound variable"));
		} else {
			CHECK(strcmp(nacre_result_stdout(res, NULL), first) == 0);
			if (strcmp(nacre_result_stdout(res, NULL), first) != 0)
				printf("before:\n%safter:\n%s", first, nacre_result_stdout(res, NULL));
			free(first);
		}
		nacre_result_free(res);
		CHECK(gives(sb, "IFS=:; true | false | true", "", 0));
		if (i == 0)
			sb = reload(sb, cfg);
	}
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

static void test_files(const char *dir)
{
	nacre_config *cfg = nacre_config_new();
	nacre_sandbox *sb;
	char path[200];
	FILE *f;
	static const char look[] =
		"cd /workspace; truncate -r huge nothing; tail -c 3 huge; cmp -n 9 -i 4000000000000:0 huge <(printf 'far\\0\\0\\0\\0\\0\\0') && echo same; "
		"find . | sort; stat -c '%a %s %h %Y %F' * | sort; cat b hard link 2>&1; du -k sparse | cut -f1; od -An -tx1 -j 99990 sparse | head -n 2; "
		"cat /w/old /w/new /m/x; ls -A /w; echo etc >> /etc/hosts 2>&1 || true; ls -ld /tmp | cut -c1-10; test -p fifo && echo fifo; cat \"$(printf 'n\\nl\\377')\"";

	snprintf(path, sizeof(path), "%s/old", dir);
	f = fopen(path, "w");
	CHECK(f && fputs("old\n", f) >= 0 && fclose(f) == 0);
	snprintf(path, sizeof(path), "%s/gone", dir);
	f = fopen(path, "w");
	CHECK(f && fclose(f) == 0);
	CHECK(nacre_config_mount(cfg, dir, "/w", NACRE_MOUNT_OVERLAY) == 0);
	CHECK(nacre_config_mount(cfg, NULL, "/m", NACRE_MOUNT_MEMORY) == 0);
	sb = sandbox(cfg);
	CHECK(gives(sb, "echo b > b; ln b hard; ln -s b link; mkdir -p d/d2; chmod 1750 d; touch -d @1234567 b; mkfifo fifo; truncate -s 100000 sparse; "
			"printf end >> sparse; truncate -s 7E huge; printf far | dd of=huge bs=1 seek=4000000000000 conv=notrunc status=none; printf end >> huge; echo q > \"$(printf 'n\\nl\\377')\"; echo more >> /w/old; echo new > /w/new; rm /w/gone; echo x > /m/x; seq 30000 > d/d2/n", "", 0));
	for (int i = 0; i < 3; i++) {
		nacre_result *res = exec_script(sb, look), *again;

		sb = reload(sb, cfg);
		again = exec_script(sb, look);
		CHECK(strlen(nacre_result_stdout(res, NULL)) > 300 && strcmp(nacre_result_stdout(res, NULL), nacre_result_stdout(again, NULL)) == 0);
		if (strcmp(nacre_result_stdout(res, NULL), nacre_result_stdout(again, NULL)) != 0)
			printf("before:\n%safter:\n%s", nacre_result_stdout(res, NULL), nacre_result_stdout(again, NULL));
		nacre_result_free(res);
		nacre_result_free(again);
	}
	/* What the overlay knows of what is below came with it. */
	f = fopen(path, "w");
	CHECK(f && fputs("back\n", f) >= 0 && fclose(f) == 0);
	CHECK(nacre_overlay_commit(sb, NULL, 0) == -ESTALE && strstr(nacre_runtime_error(rt), "gone"));
	CHECK(nacre_overlay_commit(sb, NULL, NACRE_COMMIT_FORCE) == 0);
	CHECK(access(path, F_OK) != 0);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
}

/* The checksum of a changed file set right, as somebody would who means harm. */
static void set_right(unsigned char *s, size_t len)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ (len - 32);
	size_t n = len - 32;

	for (const unsigned char *p = s + 32; n > 0;) {
		size_t part = n < 8 ? n : 8;
		uint64_t v = 0;

		for (size_t i = 0; i < part; i++)
			v |= (uint64_t)p[i] << (8 * i);
		h = (h ^ v) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
		p += part;
		n -= part;
	}
	for (int i = 0; i < 8; i++) {
		s[16 + i] = (unsigned char)((uint64_t)len >> (8 * i));
		s[24 + i] = (unsigned char)(h >> (8 * i));
	}
}

static void test_damage(void)
{
	nacre_config *cfg = nacre_config_new(), *small = nacre_config_new();
	nacre_sandbox *sb = sandbox(cfg), *got;
	uint32_t rng = 1;
	size_t len;
	void *data;
	unsigned char *copy;

	CHECK(gives(sb, "a=(1 2 3); declare -A m=([a]=b); f() { echo f; }; alias x=y; mkdir d; echo text > d/t; ln d/t h; ln -s d l", "", 0));
	CHECK(nacre_save(&data, &len, sb) == 0);
	copy = malloc(len);
	for (size_t cut = 0; cut < len; cut += 1 + len / 400)
		CHECK(nacre_load(&got, rt, cfg, data, cut) == -EINVAL && !got);
	for (int i = 0; i < 600; i++) {
		size_t at = (rng = rng * 1664525u + 1013904223u) % len;
		int e;

		memcpy(copy, data, len);
		copy[at] ^= (unsigned char)(1 + i % 255);
		CHECK(nacre_load(&got, rt, cfg, copy, len) == -EINVAL);
		/* With the right checksum it is refused or a sandbox like any other. */
		if (at < 32)
			continue;
		set_right(copy, len);
		e = nacre_load(&got, rt, cfg, copy, len);
		CHECK(e == 0 || e == -EINVAL || e == -ENOSPC || e == -EIO || e == -ENOENT);
		if (e == 0) {
			CHECK(gives(got, "set +eu 2>/dev/null; find / -maxdepth 2 > /dev/null 2>&1; declare -p > /dev/null 2>&1; true", "", 0) || true);
			nacre_sandbox_free(got);
		}
		if (i % 3 == 0 && at > 40) { /* cut, with everything else right */
			memcpy(copy, data, at);
			set_right(copy, at);
			e = nacre_load(&got, rt, cfg, copy, at);
			CHECK(e == -EINVAL || e == 0 || e == -ENOENT);
			if (e == 0)
				nacre_sandbox_free(got);
		}
	}
	CHECK(nacre_config_limit(small, NACRE_LIMIT_MEMORY, 1 << 20) == 0);
	CHECK(gives(sb, "head -c 3M /dev/urandom > big", "", 0));
	nacre_free(data);
	CHECK(nacre_save(&data, &len, sb) == 0 && len > (3 << 20));
	CHECK(nacre_load(&got, rt, small, data, len) == -ENOSPC);
	nacre_free(data);
	free(copy);
	nacre_sandbox_free(sb);
	nacre_config_free(cfg);
	nacre_config_free(small);
}

/* ---- Random sequences: one sandbox is saved and loaded now and then, the other never ---- */

static const char *const steps[] = {
	"x=$((x + 1)); echo $x", "echo $x $y ${a[@]} ${!m[@]}", "a+=(e$x)", "a=(); unset y", "declare -A m; m[k$x]=v; echo ${m[@]} ${!m[@]}", "y=$(seq $x)",
	"mkdir -p d$((x % 3)); cd d$((x % 3))", "cd ..; pwd", "cd /workspace; find . | sort | head -n 20", "echo $x >> log; wc -l < log", "f() { echo f$x; }; f",
	"f 2>&1; type f 2>&1 | head -n 3", "alias q$((x % 2))=\"echo al$x\"; alias", "shopt -s extglob; shopt -p extglob; set +o | grep -c on", "set -f; set +f; echo *",
	"trap \"echo t$x\" USR1; kill -USR1 $$", "mv log log2 2>/dev/null; cp log2 log 2>/dev/null; cat log* 2>/dev/null | tail -n 2", "rm -rf d1; ls -A",
	"export V=$x; env | grep ^V; readonly R$x=$x; declare -p | grep -c ' R'", "pushd /tmp > /dev/null; dirs; popd > /dev/null", "ln -sf log l; ln -f log hl 2>/dev/null; stat -c '%h %F' log l 2>/dev/null",
	"false | true; echo ${PIPESTATUS[@]}", "false", "echo $? ${PIPESTATUS[@]}", "declare -i n=x+2; n+=1; echo $n", "IFS=,; p='a,b'; set -- $p; echo $#; unset IFS", "local z 2>&1; echo ${FUNCNAME[@]} $BASH_SUBSHELL",
	"hash -r; cat /dev/null; hash 2>&1 | wc -l", "while getopts ab: o -a -b 1; do echo $o; done; OPTIND=1", "echo ${x@A} ${a[@]@K}", "umask; ulimit -n >/dev/null; echo $SHLVL $OPTIND",
};

static void test_random(unsigned sequences)
{
	for (unsigned seed = 1; seed <= sequences && !failed; seed++) {
		nacre_config *cfg = nacre_config_new();
		nacre_sandbox *a, *b;
		uint32_t rng = seed;

		nacre_config_deterministic(cfg, 7, 1700000000000000000);
		a = sandbox(cfg);
		b = sandbox(cfg);
		for (int i = 0; i < 12; i++) {
			const char *script = steps[(rng = rng * 1664525u + 1013904223u) / 65536 % (sizeof(steps) / sizeof(steps[0]))];
			nacre_result *x = exec_script(a, script), *y = exec_script(b, script);
			bool same = strcmp(nacre_result_stdout(x, NULL), nacre_result_stdout(y, NULL)) == 0 &&
				    strcmp(nacre_result_stderr(x, NULL), nacre_result_stderr(y, NULL)) == 0 &&
				    nacre_result_exit_code(x) == nacre_result_exit_code(y);

			CHECK(same);
			if (!same)
				printf("sequence %u, step %d: %s\nsaved: %s%s\nnot: %s%s\n", seed, i, script, nacre_result_stdout(y, NULL),
				       nacre_result_stderr(y, NULL), nacre_result_stdout(x, NULL), nacre_result_stderr(x, NULL));
			nacre_result_free(x);
			nacre_result_free(y);
			if (rng / 256 % 3 == 0)
				b = reload(b, cfg);
		}
		nacre_sandbox_free(a);
		nacre_sandbox_free(b);
		nacre_config_free(cfg);
	}
}

int main(void)
{
	const char *sequences = getenv("SAVE_SEQUENCES");
	char dir[] = "/tmp/nacre-save-XXXXXX";

	CHECK(mkdtemp(dir) != NULL);
	CHECK(nacre_runtime_new(&rt) == 0);
	test_state();
	test_files(dir);
	test_damage();
	test_random(sequences ? (unsigned)atoi(sequences) : 150);
	remove_tree(dir);
	nacre_runtime_free(rt);
	return summary();
}
