/* param_map.c - ${x#p} ${x%p} ${x/p/r} ${x^p} ${x,p}: operators that make another string of each. */
#include "build.h"
#include "match.h"

struct mapping {
	const struct param *param;
	const struct pattern *pat;
	struct str pattern, repl;
	bool begins_ext; /* with @( +( or !( */
};

static bool map_one(struct expander *x, const struct mapping *m, struct str *s)
{
	switch ((enum param_op)m->param->op) {
	case PARAM_REMOVE_PREFIX:
	case PARAM_REMOVE_SUFFIX: *s = match_remove(x, m->pat, *s, m->param); return true;
	case PARAM_REPLACE:
		/* In bash only a pattern that begins with * is found in nothing, and *@(…) and its like not at the end. */
		if (!s->len && m->pattern.len && *m->pattern.ptr != '*' &&
		    !(m->param->flags & PARAM_ANCHOR_END))
			return true;
		return match_replace(x, m->pat, s, m->repl, m->param,
		                     !m->begins_ext || (!s->len && *m->pattern.ptr == '!'));
	default:
		*s = recase_text(x, *s, (enum param_op)m->param->op,
		                 (m->param->flags & PARAM_ALL) != 0,
		                 m->param->arg ? &m->pattern : NULL);
		return true;
	}
}

static bool is_literal(const struct word *w)
{
	return !w || (w->flags & WORD_LITERAL);
}

/* Prefixes and suffixes are not taken from an empty string either. */
static bool has_nothing(const struct value *v, int op)
{
	if (v->list)
		return v->n == 0 || ((op == PARAM_REMOVE_PREFIX || op == PARAM_REMOVE_SUFFIX) && v->n == 1 && !v->v[0].len);
	return !v->set || ((op == PARAM_REMOVE_PREFIX || op == PARAM_REMOVE_SUFFIX) && !v->s.len);
}

/* Operators that turn each string into another. */
bool param_map(struct build *bd, const struct param *param, const struct place *pl,
                         bool quoted)
{
	struct expander *x = bd->x;
	struct mapping m = {.param = param};
	struct param tied;
	struct value v;
	unsigned flags;
	bool changes;

	/* Of nothing the operands are not looked at. */
	if (!is_literal(param->arg) || (param->op == PARAM_REPLACE && !is_literal(param->repl))) {
		if (!place_get(x, pl, &v))
			return false;
		if (!v.set && !v.list && (x->st->opts & SET_NOUNSET))
			return unbound(x, pl);
		if (has_nothing(&v, param->op))
			return emit_value(bd, &v, quoted);
	}
	if (!expand_pattern(x, param->arg, &m.pattern))
		return false;
	if (param->op == PARAM_REPLACE && m.pattern.len && !(param->flags & (PARAM_ALL | PARAM_ANCHOR_START | PARAM_ANCHOR_END)) &&
	    (*m.pattern.ptr == '#' || *m.pattern.ptr == '%')) {
		/* What a parameter begins with ties the pattern, too. */
		tied = *param;
		tied.flags |= *m.pattern.ptr == '#' ? PARAM_ANCHOR_START : PARAM_ANCHOR_END;
		m.param = param = &tied;
		m.pattern.ptr++;
		m.pattern.len--;
	}
	if (param->op == PARAM_REPLACE && param->repl &&
	    !expand_single(x, param->repl,
	                   x->st->shopts & SHOPT_PATSUB_REPLACEMENT ? BUILD_REPLACE : BUILD_TEXT,
	                   &m.repl))
		return false;
	m.begins_ext = (x->st->shopts & SHOPT_EXTGLOB) && m.pattern.len > 1 && m.pattern.ptr[1] == '(' &&
	               memchr("@+!", m.pattern.ptr[0], 3);
	/* An empty pattern changes nothing, unless it is tied to an end. */
	changes = m.pattern.len || (param->flags & (PARAM_ANCHOR_START | PARAM_ANCHOR_END)) ||
	          param->op >= PARAM_UPPER;
	flags = pattern_flags(x->st);
	if (param->op != PARAM_REPLACE)
		flags &= ~(unsigned)PATTERN_ICASE; /* nocasematch is for case, [[ and replacing */
	if (changes && !(m.pat = pattern_compile(x, m.pattern, flags)))
		return false;
	if (!place_get(x, pl, &v))
		return false;
	if (!v.set && !v.list && (x->st->opts & SET_NOUNSET))
		return unbound(x, pl);
	if (changes && (param->op == PARAM_REMOVE_PREFIX || param->op == PARAM_REMOVE_SUFFIX))
		v.changed = LIST_CHANGED;
	else if (changes || param->op == PARAM_REPLACE)
		v.changed = LIST_TAKEN;
	if (!changes)
		return emit_value(bd, &v, quoted);
	if (!v.list)
		return (!v.set || map_one(x, &m, &v.s)) && emit_value(bd, &v, quoted);
	if (v.n) {
		struct str *mapped = u_array(x->p, v.n, sizeof(*mapped));

		for (size_t i = 0; i < v.n; i++) {
			mapped[i] = v.v[i];
			if (!map_one(x, &m, &mapped[i]))
				return false;
		}
		v.v = mapped;
	}
	return emit_value(bd, &v, quoted);
}
