/* sort.c - the order of ls. */
#include "ls.h"

static int by_name(const struct ls_entry *a, const struct ls_entry *b)
{
	return strcmp(a->name, b->name);
}

static struct sys_time time_of(const struct ls *o, const struct ls_entry *e)
{
	return o->time == LS_ATIME ? e->st.atime : o->time == LS_CTIME ? e->st.ctime : o->time == LS_BTIME ? e->st.btime : e->st.mtime;
}

static const char *extension(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot : "";
}

static bool is_dir(const struct ls_entry *e)
{
	return (e->st.mode & SYS_S_TYPE) == SYS_S_DIR || (e->link_mode & SYS_S_TYPE) == SYS_S_DIR;
}

static int compare(const struct ls *o, const struct ls_entry *a, const struct ls_entry *b)
{
	int r = 0;

	if (o->group_first && is_dir(a) != is_dir(b))
		return is_dir(a) ? -1 : 1;
	switch (o->sort) {
	case LS_SORT_TIME: {
		struct sys_time x = time_of(o, a), y = time_of(o, b);

		r = x.sec != y.sec ? (x.sec < y.sec ? 1 : -1) : (x.nsec < y.nsec) - (x.nsec > y.nsec);
		break;
	}
	case LS_SORT_SIZE: r = (a->st.size < b->st.size) - (a->st.size > b->st.size); break;
	case LS_SORT_EXTENSION: r = strcmp(extension(a->name), extension(b->name)); break;
	case LS_SORT_VERSION: r = u_version_compare(a->name, strlen(a->name), b->name, strlen(b->name)); break;
	case LS_SORT_WIDTH: r = (a->width > b->width) - (a->width < b->width); break;
	default: break;
	}
	if (r == 0)
		r = by_name(a, b);
	return o->reverse ? -r : r;
}

/* Bottom-up merge sort: stable, no recursion. */
void ls_order(const struct ls *o, struct ls_entry **v, size_t n)
{
	struct ls_entry **from = v, **to;

	if (o->sort == LS_SORT_NONE || n < 2)
		return;
	to = u_array(o->p, n, sizeof(*v));
	for (size_t run = 1; run < n; run *= 2) {
		struct ls_entry **swap = from;

		for (size_t lo = 0; lo < n; lo += 2 * run) {
			size_t mid = MIN(lo + run, n), hi = MIN(lo + 2 * run, n), i = lo, j = mid;

			for (size_t k = lo; k < hi; k++)
				to[k] = i < mid && (j >= hi || compare(o, from[i], from[j]) <= 0) ? from[i++] : from[j++];
			sys_checkpoint_n(o->p, (uint32_t)MIN(hi - lo, (size_t)1 << 20));
		}
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}
