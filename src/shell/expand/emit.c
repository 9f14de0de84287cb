/* emit.c - handing the value of a parameter to the word: one string, or a list of them.
 *
 * Elements of "${a[*]}" are joined by the first character of IFS. Of a list that an operator has
 * changed, and of keys and names, bash joins them too; but when the same "…" has a list of the
 * kind "$@" in it, before or after, its result is split again at the joints. So joints are
 * remembered until that list comes or the quotes end. */
#include "build.h"

bool emit_text(struct build *bd, struct str s, bool quoted)
{
	return quoted ? build_text(bd, s, true) : build_split(bd, s);
}

/* What stands between element i - 1 and i. */
static struct str joint(const struct build *bd, const struct value *v, size_t i)
{
	const struct ifs *ifs = &bd->x->st->ifs;

	return i <= v->glued ? STR(" ") : (struct str){ifs->first, ifs->first_len};
}

/* In one string. */
static struct str single_joint(const struct build *bd, const struct value *v, size_t i, bool quoted)
{
	struct str sep = joint(bd, v, i);
	bool ifs = v->star;

	switch ((enum expand_join)bd->join) {
	case JOIN_PLAIN: break;
	case JOIN_VALUE:
		if (!v->star)
			ifs = v->changed && (quoted || v->changed != LIST_TAKEN);
		break;
	case JOIN_ELEMENT: ifs = true; break;
	case JOIN_DOCUMENT:
		if (v->changed ? v->changed != LIST_NAMES : v->special)
			ifs = false;
		break;
	}
	return ifs && (v->star || sep.len) ? sep : STR(" ");
}

/* ---- Joints -------------------------------------------------------------------- */

/* Splits at a joint; blanks that come first in the quotes are no separator. With an empty IFS only
 * glued elements have one, which splits all the same. */
static bool split_joint(struct build *bd, struct str sep)
{
	if (!bd->x->st->ifs.first_len)
		return build_break(bd);
	if (sep.len && bd->b.len == bd->group_len && bd->out->n == bd->group_fields &&
	    (bd->x->st->ifs.white[(unsigned char)*sep.ptr / 32] >> (unsigned char)*sep.ptr % 32 & 1))
		return true;
	return build_split(bd, sep);
}

static void remember_joint(struct build *bd, struct str sep)
{
	if (bd->njoints == bd->cap_joints) {
		uint32_t cap = bd->cap_joints ? bd->cap_joints * 2 : 8;

		bd->joints = arena_grow(&sys_self(bd->x->p)->arena, bd->joints,
		                        bd->cap_joints * sizeof(*bd->joints),
		                        cap * sizeof(*bd->joints));
		bd->cap_joints = cap;
	}
	bd->joints[bd->njoints++] = (struct joint){(uint32_t)bd->b.len, (uint32_t)sep.len};
}

/* A "$@" has come: the joints before it are split after all. */
static bool split_joints(struct build *bd)
{
	uint32_t n = bd->njoints;
	struct str text;
	size_t base;

	bd->splits_joints = true;
	bd->njoints = 0;
	if (!n)
		return true;
	base = bd->joints[0].at;
	text = copy_str(bd->x, (struct str){bd->b.ptr + base, bd->b.len - base});
	bd->b.len = base;
	for (uint32_t i = 0; i < n; i++) {
		size_t at = bd->joints[i].at - base, from = at + bd->joints[i].len;
		size_t end = i + 1 < n ? bd->joints[i + 1].at - base : text.len;

		if (!split_joint(bd, (struct str){text.ptr + at, bd->joints[i].len}) ||
		    (end > from &&
		     !build_text(bd, (struct str){text.ptr + from, end - from}, true)))
			return false;
	}
	return true;
}

/* ---- Lists --------------------------------------------------------------------- */

static bool emit_joined(struct build *bd, const struct value *v, bool quoted)
{
	bool fields = quoted && v->changed && !build_single(bd);

	if (quoted && !build_text(bd, STR(""), true))
		return false;
	for (size_t i = 0; i < v->n; i++) {
		struct str sep = build_single(bd) ? single_joint(bd, v, i, quoted) : joint(bd, v, i);

		if (i && sep.len) {
			if (fields && bd->splits_joints) {
				if (!split_joint(bd, sep))
					return false;
			} else {
				if (fields)
					remember_joint(bd, sep);
				if (!build_text(bd, sep, quoted))
					return false;
			}
		}
		if ((v->v[i].len || !fields) && !build_text(bd, v->v[i], quoted))
			return false;
		sys_checkpoint(bd->x->p);
	}
	return true;
}

static bool emit_list(struct build *bd, const struct value *v, bool quoted)
{
	if (build_single(bd) || (quoted && v->star))
		return emit_joined(bd, v, quoted);
	if (v->n == 0)
		bd->empty_list = true;
	if (quoted && !split_joints(bd))
		return false;
	for (size_t i = 0; i < v->n; i++) {
		struct str sep = joint(bd, v, i);
		bool broken = (quoted && i > v->glued) || !bd->x->st->ifs.first_len;

		/* Unquoted, the elements count as joined by the first character of IFS and split
		 * again: that is how IFS=: keeps empty ones and IFS=' ' does not. */
		if (i && !(broken ? build_break(bd) : build_split(bd, sep)))
			return false;
		if (!emit_text(bd, v->v[i], quoted))
			return false;
		sys_checkpoint(bd->x->p);
	}
	return true;
}

bool emit_value(struct build *bd, const struct value *v, bool quoted)
{
	return v->list ? emit_list(bd, v, quoted) : emit_text(bd, v->s, quoted);
}

bool emit_no_elements(struct build *bd, bool quoted)
{
	bd->empty_list = true;
	return !quoted || build_single(bd) || split_joints(bd);
}
