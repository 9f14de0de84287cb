/* reach.c - resolving a path for an operation, and the one place where the policy is asked. */
#include "reach.h"

#include "../abi/errno.h"

/* ---- The policy ------------------------------------------------------------ */

static void tell_denied(const struct vfs *v, const char *op, const char *path, unsigned access,
                        size_t rule, int err)
{
	const struct policy_denial d = {
	        .path = path,
	        .operation = op,
	        .access = access & POLICY_WRITE ? POLICY_WRITE : POLICY_READ,
	        .rule = rule,
	        .pattern = v->policy ? policy_pattern(v->policy, rule) : NULL,
	        .err = err,
	};

	if (v->denied)
		v->denied(v->ctx, &d);
}

int policy_check(const struct vfs *v, const char *op, const char *path, size_t len, unsigned access, bool tell)
{
	size_t rule;

	if (!v->policy || !access || !policy_refuses(v->policy, path, len, access, &rule))
		return 0;
	if (tell)
		tell_denied(v, op, path, access, rule, -NACRE_EACCES);
	return -NACRE_EACCES;
}

int check_given(const struct vfs_who *w, const char *op, const char *path, unsigned access,
                bool tell)
{
	struct place p;
	bool plain;
	int err;

	if (!w->vfs->policy || !access)
		return 0;
	err = place_lexical(w, path, &p, &plain);
	if (!err)
		err = policy_check(w->vfs, op, p.path, p.len, access, tell);
	place_release(&p);
	return err;
}

int check_mount(const struct vfs_who *w, const char *op, const struct place *p,
                const struct mount *m)
{
	int err = !m ? 0 : m->read_only ? -NACRE_EROFS : m->fs->sealed;

	if (err)
		tell_denied(w->vfs, op, p->path, POLICY_WRITE, POLICY_RULE_MOUNT, err);
	return err;
}

/* What place_resolve said, told where it is a sealed filesystem's word. */
static int check_sealed(const struct vfs_who *w, const char *op, const struct place *p, int err)
{
	return p->sealed && err == p->fs->sealed ? check_mount(w, op, p, p->mount) : err;
}

const struct mount *parent_mount(const struct vfs_who *w, const struct place *p)
{
	size_t len = p->len;

	while (len > 1 && p->path[--len] != '/')
		;
	return mount_of(w->vfs->mounts, p->path, len);
}

#define READ_LINKS_MAX 10u

/* Where links are guarded: is the way to p one that may be taken? */
static int check_links(const struct vfs_who *w, const char *op, const struct place *p,
                       unsigned how, unsigned access)
{
	bool many = p->found && (p->st.mode & SYS_S_TYPE) == SYS_S_FILE && p->st.nlink > 1 &&
	            !(how & PLACE_PARENT);

	if (!w->vfs->policy || !policy_guards_links(w->vfs->policy))
		return 0;
	if (!(access & POLICY_WRITE))
		return p->links > READ_LINKS_MAX ? -NACRE_ELOOP : 0;
	if (!p->links && !many)
		return 0;
	tell_denied(w->vfs, op, p->path, POLICY_WRITE, POLICY_RULE_LINKS, -NACRE_EACCES);
	return -NACRE_EACCES;
}

/* ---- Reaching -------------------------------------------------------------- */

int reach(const struct vfs_who *w, const char *op, const char *path, unsigned how, unsigned access,
          struct place *p)
{
	int err = place_resolve(w, path, how, p), denied;

	/* Usually both are the same path. Else what was given is judged before what became of it. */
	denied = !err && !p->moved ? 0 : check_given(w, op, path, access, true);
	if (denied)
		return denied;
	if (!err)
		err = policy_check(w->vfs, op, p->path, p->len, access, true);
	return err ? check_sealed(w, op, p, err) : check_links(w, op, p, how, access);
}

int reach_old(const struct vfs_who *w, const char *op, const char *path, unsigned how,
              unsigned access, struct place *p)
{
	int err = reach(w, op, path, how, access, p);

	return err ? err : p->found ? 0 : -NACRE_ENOENT;
}

int reach_new(const struct vfs_who *w, const char *op, const char *path, bool dir, struct place *p)
{
	int err = place_resolve(w, path, PLACE_PARENT | PLACE_CHANGE, p), denied;

	if (!err && (p->found || p->last != PLACE_NORM)) {
		/* That it exists is told to who may read it. */
		err = check_given(w, op, path, POLICY_READ, true);
		if (!err)
			err = policy_check(w->vfs, op, p->path, p->len, POLICY_READ, true);
		return err ? err : -NACRE_EEXIST;
	}
	denied = check_given(w, op, path, POLICY_WRITE, true);
	if (!err && !denied && p->moved)
		denied = policy_check(w->vfs, op, p->path, p->len, POLICY_WRITE, true);
	if (!err && !denied)
		denied = check_links(w, op, p, PLACE_PARENT, POLICY_WRITE);
	if (denied || err)
		return denied ? denied : check_sealed(w, op, p, err);
	if (p->slash && !dir)
		return -NACRE_ENOENT;
	err = check_mount(w, op, p, p->mount);
	return err ? err : p->parent_synthetic ? -NACRE_EACCES : 0;
}

int reach_doomed(const struct vfs_who *w, const char *op, const char *path, struct place *p)
{
	int err = reach(w, op, path, PLACE_PARENT | PLACE_CHANGE, POLICY_WRITE, p);

	if (!err && p->last == PLACE_NORM)
		err = check_mount(w, op, p, parent_mount(w, p));
	return err;
}

int reach_change(const struct vfs_who *w, const char *op, const char *path, unsigned flags,
                 struct place *p)
{
	int err = reach_old(w, op, path, (flags & SYS_NOFOLLOW ? 0 : PLACE_FOLLOW) | PLACE_CHANGE, POLICY_WRITE, p);

	if (!err)
		err = check_mount(w, op, p, p->mount);
	return err ? err : p->synthetic ? -NACRE_EROFS : 0;
}

/* What f->path says when it leads elsewhere by now. */
static int reach_gone(const struct vfs_who *w, const char *op, struct file *f, const struct sys_stat *st, unsigned access, struct place *p)
{
	bool plain;
	int err = place_lexical(w, f->path, p, &plain);

	if (err)
		return err;
	place_locate(w, p);
	p->st = *st;
	p->found = true;
	p->synthetic = false;
	p->links = 0;
	err = policy_check(w->vfs, op, p->path, p->len, access, true);
	if (!err)
		err = check_links(w, op, p, 0, access);
	p->found = false;
	return err;
}

int reach_held(const struct vfs_who *w, const char *op, struct file *f, unsigned access, struct place *p)
{
	struct sys_stat st;
	int err;

	*p = (struct place){.path = p->inside, .quota = w->quota};
	if (!f->path || !f->ops->stat)
		return -NACRE_EOPNOTSUPP;
	err = f->ops->stat(f, &st);
	if (err)
		return err;
	err = reach(w, op, f->path, access & POLICY_WRITE ? PLACE_CHANGE : 0, access, p);
	if (err == -NACRE_EACCES || err == -NACRE_EROFS || err == -NACRE_ENOMEM)
		return err;
	if (err || !p->found || p->st.dev != st.dev || p->st.ino != st.ino) {
		place_release(p);
		err = reach_gone(w, op, f, &st, access, p);
	}
	if (!err && access & POLICY_WRITE)
		err = p->synthetic ? -NACRE_EROFS : check_mount(w, op, p, p->mount);
	return err;
}
