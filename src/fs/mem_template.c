/*
 * mem_template.c - the tree that sandboxes start from: what a probing program expects of Linux.
 *
 * Nothing in it pretends to be another system: os-release and the like say nacre.
 */
#include "mem_tree.h"

enum owner { ROOT, USER };

struct item {
	const char *path;
	uint32_t mode; /* with its type */
	enum owner owner;
	const char *text; /* of a file or link; "%h" is the host's name, "%u" the user's */
};

static const struct item items[] = {
        {"dev", SYS_S_DIR | 0755, ROOT, NULL},
        {"etc", SYS_S_DIR | 0755, ROOT, NULL},
        {"home", SYS_S_DIR | 0755, ROOT, NULL},
        {"home/%u", SYS_S_DIR | 0755, USER, NULL},
        {"media", SYS_S_DIR | 0755, ROOT, NULL},
        {"mnt", SYS_S_DIR | 0755, ROOT, NULL},
        {"opt", SYS_S_DIR | 0755, ROOT, NULL},
        {"proc", SYS_S_DIR | 0555, ROOT, NULL},
        {"root", SYS_S_DIR | 0700, ROOT, NULL},
        {"run", SYS_S_DIR | 0755, ROOT, NULL},
        {"srv", SYS_S_DIR | 0755, ROOT, NULL},
        {"tmp", SYS_S_DIR | 01777, ROOT, NULL},
        {"usr", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/bin", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/include", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/lib", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/local", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/local/bin", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/local/lib", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/local/share", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/sbin", SYS_S_DIR | 0755, ROOT, NULL},
        {"usr/share", SYS_S_DIR | 0755, ROOT, NULL},
        {"var", SYS_S_DIR | 0755, ROOT, NULL},
        {"var/cache", SYS_S_DIR | 0755, ROOT, NULL},
        {"var/lib", SYS_S_DIR | 0755, ROOT, NULL},
        {"var/log", SYS_S_DIR | 0755, ROOT, NULL},
        {"var/tmp", SYS_S_DIR | 01777, ROOT, NULL},
        {"workspace", SYS_S_DIR | 0755, USER, NULL},
        {"bin", SYS_S_LINK, ROOT, "usr/bin"},
        {"lib", SYS_S_LINK, ROOT, "usr/lib"},
        {"sbin", SYS_S_LINK, ROOT, "usr/sbin"},
        {"var/run", SYS_S_LINK, ROOT, "/run"},
        {"etc/group", SYS_S_FILE | 0644, ROOT, "root:x:0:\nnogroup:x:65534:\n%u:x:1000:\n"},
        {"etc/hostname", SYS_S_FILE | 0644, ROOT, "%h\n"},
        {"etc/hosts", SYS_S_FILE | 0644, ROOT, "127.0.0.1\tlocalhost\n127.0.1.1\t%h\n"},
        {"etc/os-release", SYS_S_FILE | 0644, ROOT,
         "PRETTY_NAME=\"nacre sandbox\"\nNAME=\"nacre\"\nID=nacre\n"},
        {"etc/passwd", SYS_S_FILE | 0644, ROOT,
         "root:x:0:0:root:/root:/bin/bash\n"
         "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
         "%u:x:1000:1000:%u:/home/%u:/bin/bash\n"},
        {"etc/profile", SYS_S_FILE | 0644, ROOT,
         "# Read by login shells.\n"
         "PATH=/usr/local/bin:/usr/bin:/bin\n"
         "export PATH\n"},
        {"etc/shells", SYS_S_FILE | 0644, ROOT, "/bin/sh\n/bin/bash\n/usr/bin/sh\n/usr/bin/bash\n"},
};

/* What is being built. */
struct build {
	struct fs *fs;
	struct quota *quota;
	const char *host, *user;
};

/* `s` with its % words replaced, into out (n bytes with the NUL); false when it does not fit. */
static bool expand(const struct build *b, const char *s, char *out, size_t n)
{
	for (; *s; s++) {
		const char *word = NULL;
		size_t len = 1;

		if (*s == '%')
			word = s[1] == 'h' ? b->host : b->user;
		if (word)
			len = strlen(word);
		if (len >= n)
			return false;
		memcpy(out, word ? word : s, len);
		out += len;
		n -= len;
		s += word ? 1 : 0;
	}
	*out = '\0';
	return true;
}

static int write_file(const struct build *b, const char *path, unsigned mode, const char *text)
{
	size_t n = strlen(text);
	struct file *f;
	int64_t got;
	int err = b->fs->ops->open(b->fs, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL, mode,
	                           b->quota, &f);

	if (err)
		return err;
	got = f->ops->write(f, text, n, 0);
	file_put(f);
	return got < 0 ? (int)got : (size_t)got < n ? -NACRE_ENOSPC : 0;
}

static int add(const struct build *b, const struct item *item)
{
	const struct fs_ops *ops = b->fs->ops;
	char path[128], text[512];
	int err = -NACRE_ENAMETOOLONG;

	if (!expand(b, item->path, path, sizeof(path)) ||
	    !expand(b, item->text ? item->text : "", text, sizeof(text)))
		return err;
	switch (item->mode & SYS_S_TYPE) {
	case SYS_S_DIR: err = ops->mkdir(b->fs, path, item->mode & 07777); break;
	case SYS_S_LINK: err = ops->symlink(b->fs, text, path); break;
	default: err = write_file(b, path, item->mode & 07777, text); break;
	}
	if (!err && item->owner == USER)
		err = ops->chown(b->fs, path, FS_UID, FS_GID);
	return err;
}

int fs_mem_default_tree(struct mem_store *s, const struct fs_mem_config *config,
                        const struct fs_mem_template *t, struct fs **out)
{
	struct fs_mem_config as_root = *config;
	struct build b = {.quota = config->quota,
	                  .host = t && t->hostname ? t->hostname : "nacre",
	                  .user = t && t->user ? t->user : "user"};
	int err;

	as_root.uid = as_root.gid = 0;
	err = fs_mem_new(s, &as_root, &b.fs);
	if (err)
		return err;
	for (size_t i = 0; i < COUNTOF(items) && !err; i++)
		err = add(&b, &items[i]);
	if (err) {
		fs_put(b.fs);
		return err;
	}
	*out = b.fs;
	return 0;
}

int fs_mem_default_template(struct mem_store *s, const struct fs_mem_config *config,
                            const struct fs_mem_template *t, struct fs **out)
{
	struct fs *fs;
	int err = fs_mem_default_tree(s, config, t, &fs);

	if (!err)
		err = fs_mem_freeze(fs);
	if (!err)
		*out = fs;
	return err;
}
