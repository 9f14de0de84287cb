/* test_overlay.c - fs/overlay: it behaves as the tree it stands for would (random operations on both), lists
 * what was changed, commits exactly that, refuses what is in conflict; no memory: nothing happens. FS-14. */
#include "fixture.h"

#include "../../../src/fs/overlay.h"

static struct world w;
static struct fs *low, *ov, *ref;
static uint64_t rng;

static uint32_t rnd(uint32_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 33) % n;
}

/* ---- One operation on a filesystem ---- */

static int fs_put_text(struct fs *fs, const char *path, unsigned flags, const char *text, int64_t at)
{
	struct file *f;
	int64_t got;
	int err = fs->ops->open(fs, path, flags, 0644, &w.quota, &f);

	if (err)
		return err;
	got = f->ops->write ? f->ops->write(f, text, strlen(text), at) : 0;
	file_put(f);
	return got < 0 ? (int)got : 0;
}

static int64_t fs_get_text(struct fs *fs, const char *path, char *buf, size_t n)
{
	struct file *f;
	int64_t got;
	int err = fs->ops->open(fs, path, SYS_O_READ, 0, &w.quota, &f);

	if (err)
		return err;
	got = f->ops->read ? f->ops->read(f, buf, n, 0) : -NACRE_EISDIR;
	file_put(f);
	return got;
}

static const char *const names[] = {"a", "b", "d", "e", "d/a", "d/b", "d/d", "e/a", "e/d", "d/d/a", "d/d/b", "e/d/a", "q/r", "q"};

static const char *any_path(void)
{
	return names[rnd(COUNTOF(names))];
}

struct step {
	unsigned op, x;
	const char *p, *q;
	char text[40];
};

static int apply(struct fs *fs, const struct step *s)
{
	const struct fs_ops *ops = fs->ops;
	struct sys_time t[2] = {{5, 0}, {(int64_t)s->x, 7}};

	switch (s->op) {
	case 0: return fs_put_text(fs, s->p, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, s->text, 0);
	case 1: return fs_put_text(fs, s->p, SYS_O_WRITE, s->text, s->x % 9);
	case 2: return fs_put_text(fs, s->p, SYS_O_WRITE | SYS_O_CREATE | SYS_O_APPEND, s->text, -1);
	case 3: return ops->mkdir(fs, s->p, 0755);
	case 4: return ops->unlink(fs, s->p);
	case 5: return ops->rmdir(fs, s->p);
	case 6: case 7: case 8: return ops->rename(fs, s->p, s->q, s->x & 1 ? SYS_NOREPLACE : 0);
	case 9: return ops->symlink(fs, s->text, s->p);
	case 10: return ops->chmod(fs, s->p, s->x & 1 ? 0700 : 0644);
	case 11: return ops->truncate(fs, s->p, s->x % 20);
	case 12: return ops->utimes(fs, s->p, t);
	case 13: return ops->link(fs, s->p, s->q);
	default: return fs_put_text(fs, s->p, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL, s->text, 0);
	}
}

static struct step any_step(unsigned ops)
{
	struct step s = {rnd(ops), rnd(1000), any_path(), any_path(), ""};

	snprintf(s.text, sizeof(s.text), "text %u", rnd(1000));
	return s;
}

/* ---- Trees as text ---- */

static char shot[2][60000];

static size_t print_tree(struct fs *fs, const char *path, char *buf, size_t n, size_t cap)
{
	struct sys_dirent e;
	char kids[64][16];
	unsigned k = 0;
	struct file *f;
	int got = fs->ops->open(fs, path, SYS_O_READ | SYS_O_DIRECTORY, 0, &w.quota, &f);

	CHECK_INT(got, 0);
	if (got)
		return n;
	while (k < 64 && (got = f->ops->readdir(f, &e)) > 0)
		snprintf(kids[k++], sizeof(kids[0]), "%.*s", (int)e.len, e.name);
	CHECK_INT(got, 0);
	file_put(f);
	qsort(kids, k, sizeof(kids[0]), (int (*)(const void *, const void *))strcmp);
	for (unsigned i = 0; i < k; i++) {
		char child[300], text[200] = "";
		struct fs_walk walk;
		int64_t len = 0;

		snprintf(child, sizeof(child), "%.200s%s%.15s", path, *path ? "/" : "", kids[i]);
		got = fs->ops->walk(fs, child, &walk);
		if (got) { /* a directory that may not be searched */
			n += (size_t)snprintf(buf + n, cap - n, "%s %s\n", child, errno_name(got));
			continue;
		}
		CHECK_INT(walk.end, FS_WALK_FOUND);
		if ((walk.st.mode & SYS_S_TYPE) == SYS_S_LINK)
			len = fs->ops->readlink(fs, child, text, sizeof(text) - 1);
		else if ((walk.st.mode & SYS_S_TYPE) == SYS_S_FILE)
			len = fs_get_text(fs, child, text, sizeof(text) - 1);
		CHECK(len >= 0);
		if ((walk.st.mode & SYS_S_TYPE) == SYS_S_FILE)
			CHECK_INT(walk.st.size, len);
		text[len < 0 ? 0 : len] = '\0';
		for (int64_t c = 0; c < len; c++)
			text[c] = text[c] ? text[c] : '.';
		n += (size_t)snprintf(buf + n, cap - n, "%s %o %s\n", child,
		                      walk.st.mode | ((walk.st.mode & SYS_S_TYPE) == SYS_S_LINK ? 0777u : 0u), text);
		if ((walk.st.mode & SYS_S_TYPE) == SYS_S_DIR)
			n = print_tree(fs, child, buf, n, cap);
	}
	return n;
}

static bool same_trees(struct fs *a, struct fs *b)
{
	shot[0][0] = shot[1][0] = '\0';
	print_tree(a, "", shot[0], 0, sizeof(shot[0]));
	print_tree(b, "", shot[1], 0, sizeof(shot[1]));
	if (strcmp(shot[0], shot[1]) == 0)
		return true;
	printf("--- got\n%s--- want\n%s", shot[0], shot[1]);
	return false;
}

/* ---- A world: low with an overlay on it, and a plain tree that starts the same ---- */

static void start(uint64_t seed)
{
	struct fs_mem_config config;

	world_init(&w);
	config = world_config(&w, FS_UID);
	rng = seed;
	CHECK_INT(fs_mem_new(w.store, &config, &low), 0);
	for (unsigned k = 0; k < 25; k++) {
		struct step s = any_step(13); /* no links below: writing through one of them parts them */

		s.x |= 1; /* no directory that cannot be searched: nor could it be from above */
		(void)apply(low, &s);
	}
	CHECK_INT(fs_mem_branch(low, w.store, &config, &ref), 0);
	CHECK_INT(fs_overlay_new(low, w.store, &config, &ov), 0);
}

static void end(void)
{
	fs_put(ov);
	fs_put(ref);
	fs_put(low);
	world_end(&w);
}

static const char *op_names[] = {"write", "patch", "append", "mkdir", "unlink", "rmdir", "rename", "rename", "rename",
                                 "symlink", "chmod", "truncate", "utimes", "link", "new"};

static void test_random(void)
{
	for (uint64_t seed = 1; seed <= 1500 && !failures; seed++) {
		struct fs *snap = NULL, *ref_snap = NULL;

		start(seed);
		if (seed % 7 == 0) { /* a change to what is below before anything is taken over: seen */
			struct step s = any_step(3);

			CHECK_INT(apply(low, &s), apply(ref, &s));
		}
		for (unsigned k = 0; k < 40 && !failures; k++) {
			struct step s = any_step(15);
			int want = apply(ref, &s), got = apply(ov, &s);

			if (got != want) {
				printf("seed %llu step %u: %s %s %s: %s, not %s\n", (unsigned long long)seed, k, op_names[s.op],
				       s.p, s.q, errno_name(got), errno_name(want));
				failures++;
			}
			if (k == 15) {
				CHECK_INT(fs_overlay_snapshot(ov, &snap), 0);
				CHECK_INT(fs_mem_snapshot(ref, &ref_snap), 0);
			}
			if (k == 30 && seed % 3 == 0) {
				CHECK_INT(fs_overlay_restore(ov, snap), 0);
				CHECK_INT(fs_mem_restore(ref, ref_snap), 0);
			}
			if (k % 8 == 7 && !same_trees(ov, ref)) {
				printf("seed %llu step %u\n", (unsigned long long)seed, k);
				failures++;
			}
		}
		if (!failures) {
			CHECK_INT(fs_overlay_commit(ov, false), 0);
			CHECK(same_trees(low, ref));
			CHECK(same_trees(ov, ref));
			if (failures)
				printf("commit of seed %llu\n", (unsigned long long)seed);
		}
		fs_put(snap);
		fs_put(ref_snap);
		end();
	}
}

/* ---- The list of changes ---- */

static char told[4000];

static int tell(void *ctx, const struct overlay_change *c)
{
	static const char letters[] = "AMDRPT";
	size_t n = strlen(told);

	(void)ctx;
	snprintf(told + n, sizeof(told) - n, "%c%s%s %s%s%s\n", letters[c->kind], c->content && c->kind == OVERLAY_RENAMED ? "+" : "",
	         c->conflict ? "!" : "", c->from ? c->from : "", c->from ? " > " : "", c->path);
	return 0;
}

static const char *changes(void)
{
	told[0] = '\0';
	CHECK_INT(fs_overlay_changes(ov, tell, NULL), 0);
	return told;
}

static void start_plain(void)
{
	struct fs_mem_config config;

	world_init(&w);
	config = world_config(&w, FS_UID);
	CHECK_INT(fs_mem_new(w.store, &config, &low), 0);
	CHECK_INT(low->ops->mkdir(low, "src", 0755), 0);
	CHECK_INT(low->ops->mkdir(low, "old", 0755), 0);
	CHECK_INT(fs_put_text(low, "src/a", SYS_O_WRITE | SYS_O_CREATE, "aaa", 0), 0);
	CHECK_INT(fs_put_text(low, "src/b", SYS_O_WRITE | SYS_O_CREATE, "bbb", 0), 0);
	CHECK_INT(fs_put_text(low, "old/c", SYS_O_WRITE | SYS_O_CREATE, "ccc", 0), 0);
	CHECK_INT(fs_put_text(low, "f", SYS_O_WRITE | SYS_O_CREATE, "fff", 0), 0);
	CHECK_INT(fs_mem_branch(low, w.store, &config, &ref), 0);
	CHECK_INT(fs_overlay_new(low, w.store, &config, &ov), 0);
}

static void test_changes(void)
{
	start_plain();
	CHECK_STR(changes(), "");
	CHECK_INT(fs_put_text(ov, "src/a", SYS_O_WRITE | SYS_O_TRUNC, "AAA", 0), 0);
	CHECK_INT(fs_put_text(ov, "new", SYS_O_WRITE | SYS_O_CREATE, "n", 0), 0);
	CHECK_INT(ov->ops->chmod(ov, "f", 0755), 0);
	CHECK_INT(ov->ops->rename(ov, "src/b", "bb", 0), 0);
	CHECK_STR(changes(), "R src/b > bb\nP f\nA new\nM src/a\n");
	CHECK_INT(ov->ops->unlink(ov, "old/c"), 0);
	CHECK_INT(ov->ops->rmdir(ov, "old"), 0);
	CHECK_INT(ov->ops->rename(ov, "src", "lib", 0), 0);
	CHECK_STR(changes(), "R src/b > bb\nP f\nR src > lib\nM lib/a\nA new\nD old\nD old/c\n");
	/* What is the same again is no change. */
	CHECK_INT(ov->ops->rename(ov, "lib", "src", 0), 0);
	CHECK_INT(fs_put_text(ov, "src/a", SYS_O_WRITE | SYS_O_TRUNC, "aaa", 0), 0);
	CHECK_INT(ov->ops->rename(ov, "bb", "src/b", 0), 0);
	CHECK_INT(ov->ops->unlink(ov, "new"), 0);
	CHECK_STR(changes(), "P f\nD old\nD old/c\nT src/a\n");
	CHECK_INT(fs_overlay_discard(ov), 0);
	CHECK_STR(changes(), "");
	CHECK(same_trees(ov, ref));
	end();
}

/* What somebody changes below after it was read, or covered, is not overwritten. */
static void test_conflicts(void)
{
	char text[20];

	start_plain();
	CHECK_INT(fs_get_text(ov, "src/a", text, sizeof(text)), 3);
	CHECK_INT(fs_put_text(low, "src/a", SYS_O_WRITE | SYS_O_TRUNC, "other", 0), 0);
	CHECK_INT(fs_put_text(ov, "src/a", SYS_O_WRITE | SYS_O_TRUNC, "mine", 0), 0);
	CHECK_STR(changes(), "M! src/a\n");
	CHECK_INT(fs_overlay_commit(ov, false), -NACRE_ESTALE);
	CHECK_INT(fs_get_text(low, "src/a", text, sizeof(text)), 5);
	CHECK_INT(fs_overlay_commit(ov, true), 0);
	CHECK_INT(fs_get_text(low, "src/a", text, sizeof(text)), 4);
	/* Made in both. */
	CHECK_INT(fs_put_text(ov, "twice", SYS_O_WRITE | SYS_O_CREATE, "x", 0), 0);
	CHECK_INT(fs_put_text(low, "twice", SYS_O_WRITE | SYS_O_CREATE, "yy", 0), 0);
	CHECK_STR(changes(), "M! twice\n");
	CHECK_INT(fs_overlay_discard(ov), 0);
	/* A file that came into a directory which is removed above. */
	CHECK_INT(ov->ops->unlink(ov, "old/c"), 0);
	CHECK_INT(ov->ops->rmdir(ov, "old"), 0);
	CHECK_INT(fs_put_text(low, "old/late", SYS_O_WRITE | SYS_O_CREATE, "z", 0), 0);
	CHECK_STR(changes(), "D old\nD old/c\nD! old/late\n");
	CHECK_INT(fs_overlay_commit(ov, false), -NACRE_ESTALE);
	CHECK_INT(fs_overlay_discard(ov), 0);
	/* Changed below after it was taken over, gone below. */
	CHECK_INT(ov->ops->chmod(ov, "f", 0600), 0);
	CHECK_INT(fs_put_text(ov, "src/b", SYS_O_WRITE, "B", 0), 0);
	CHECK_INT(fs_put_text(low, "f", SYS_O_WRITE | SYS_O_TRUNC, "changed", 0), 0);
	CHECK_INT(low->ops->unlink(low, "src/b"), 0);
	CHECK_STR(changes(), "P! f\nA! src/b\n");
	end();
}

/* A file that is open for reading shows what is written meanwhile. */
static void test_open_files(void)
{
	char text[20] = "";
	struct file *f, *d;
	struct sys_dirent e;
	struct fs *snap;

	start_plain();
	CHECK_INT(ov->ops->open(ov, "f", SYS_O_READ, 0, &w.quota, &f), 0);
	CHECK_INT(fs_put_text(ov, "f", SYS_O_WRITE | SYS_O_APPEND, "more", -1), 0);
	CHECK_INT(f->ops->read(f, text, sizeof(text), 0), 7);
	CHECK(memcmp(text, "fffmore", 7) == 0);
	CHECK_INT(fs_overlay_snapshot(ov, &snap), 0);
	file_put(f);
	CHECK_INT(ov->ops->open(ov, "src/a", SYS_O_READ, 0, &w.quota, &f), 0);
	CHECK_INT(ov->ops->unlink(ov, "src/a"), 0);
	CHECK_INT(f->ops->read(f, text, sizeof(text), 0), 3);
	file_put(f);
	/* A directory lists what was there when the listing began, once. */
	CHECK_INT(ov->ops->open(ov, "src", SYS_O_READ | SYS_O_DIRECTORY, 0, &w.quota, &d), 0);
	CHECK_INT(d->ops->readdir(d, &e), 1);
	CHECK_INT(fs_put_text(ov, "src/b", SYS_O_WRITE, "B", 0), 0);
	CHECK_INT(d->ops->readdir(d, &e), 0);
	file_put(d);
	/* FS-14: what is not there any more after going back is stale. */
	CHECK_INT(ov->ops->open(ov, "src/new", SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0600, &w.quota, &f), 0);
	CHECK_INT(fs_overlay_restore(ov, snap), 0);
	CHECK_INT(f->ops->read(f, text, sizeof(text), 0), -NACRE_ESTALE);
	CHECK_INT(f->ops->write(f, "x", 1, 0), -NACRE_ESTALE);
	file_put(f);
	CHECK_STR(changes(), "M f\n");
	fs_put(snap);
	end();
}

/* No memory anywhere: the operation fails, nothing has changed. */
static void test_no_memory(void)
{
	for (uint64_t seed = 1; seed <= 60 && !failures; seed++) {
		start(seed);
		for (unsigned k = 0; k < 12 && !failures; k++) {
			struct step s = any_step(15);
			int want = apply(ref, &s);

			for (uint64_t at = 1;; at++) {
				int got;

				w.counted.fail_at = w.counted.gets + at;
				got = apply(ov, &s);
				if (w.counted.gets < w.counted.fail_at || got == want) {
					w.counted.fail_at = 0;
					CHECK_INT(got, want);
					break;
				}
				w.counted.fail_at = 0;
				if (got != -NACRE_ENOSPC && got != -NACRE_ENOMEM) {
					printf("seed %llu: %s %s %s: %s\n", (unsigned long long)seed, op_names[s.op], s.p, s.q,
					       errno_name(got));
					failures++;
					break;
				}
				if (s.op <= 2 || s.op == 14)
					break; /* made or emptied, then not written: as anywhere */
			}
			if (s.op <= 2 || s.op == 14) {
				struct step again = s;

				again.op = 0;
				CHECK_INT(apply(ov, &again), apply(ref, &again));
			}
			CHECK(same_trees(ov, ref));
		}
		end();
	}
}

int main(void)
{
	test_random();
	test_changes();
	test_conflicts();
	test_open_files();
	test_no_memory();
	return finish("overlay");
}
