/* assign_list.c - assignments to whole arrays: name=(word [key]=value …).
 *
 * All words are expanded before the array changes, so that a=("${a[@]}" x) sees the old a. */
#include "build.h"
#include "special.h"

struct item_value {
	bool has_sub, append;
	const struct subscript *sub;
	struct str key, value, raw;
	struct str written; /* of an associative array: the value as the script has it */
};

struct items {
	struct item_value *v;
	size_t n, cap;
};

static struct item_value *item_add(struct expander *x, struct items *l)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;

		l->v = arena_grow(&sys_self(x->p)->arena, l->v, l->cap * sizeof(*l->v),
		                  size_mul(cap, sizeof(*l->v)));
		l->cap = cap;
	}
	memset(&l->v[l->n], 0, sizeof(l->v[0]));
	return &l->v[l->n++];
}

/* [key]=value */
static bool expand_subscripted(struct expander *x, const struct array_item *it, struct str name,
                               bool assoc, bool keep, struct item_value *out)
{
	*out = (struct item_value){.has_sub = true,
	                           .append = it->append,
	                           .raw = it->sub->raw,
	                           .written = {it->value.raw, it->value.raw_len}};
	if (assoc) {
		if (!expand_text(x, it->sub->word, &out->key))
			return false;
	} else if (it->sub->kind != SUB_WORD) {
		return expand_report(x, EXPAND_ASSIGN, "[%.*s]=%.*s: bad array subscript",
		                     (int)it->sub->raw.len, it->sub->raw.ptr, (int)it->value.raw_len,
		                     it->value.raw);
	}
	/* An index is evaluated when its turn comes to be assigned, after all values. */
	out->sub = it->sub;
	if (!expand_joined(x, &it->value, JOIN_ELEMENT, &out->value))
		return false;
	if (assoc && it->append && !keep) {
		/* bash fills a new table and still adds to what the old one has. */
		const struct var *v = state_find(x->st, name);
		struct vstr *was =
		        v && !(v->flags & VAR_DYNAMIC) ? assoc_at(v->assoc, out->key) : NULL;

		if (was)
			out->value = str_from(u_format(x->p, "%s%s", was->s, out->value.ptr));
		out->append = false;
	}
	return true;
}

static bool expand_key(struct expander *x, const struct word *w, struct str *out)
{
	if (UNLIKELY(w->flags & WORD_BRACE)) {
		const struct subscript *sub = parse_subscript(x, (struct str){w->raw, w->raw_len});

		if (!sub)
			return expand_fail(x, EXPAND_FAIL, "bad array subscript");
		w = sub->word;
	}
	return expand_joined(x, w, JOIN_ELEMENT, out);
}

/* A word of an associative array is one key or value: no braces, no splitting, no names of files. */
static bool expand_keys(struct expander *x, const struct array_lit *lit, struct str name, bool keep, struct items *out)
{
	for (uint32_t i = 0; i < lit->n; i++) {
		const struct array_item *it = &lit->items[i];
		struct item_value made = {.written = {it->value.raw, it->value.raw_len}};

		if (!(it->sub ? expand_subscripted(x, it, name, true, keep, &made) : expand_key(x, &it->value, &made.value)))
			return false;
		*item_add(x, out) = made;
		sys_checkpoint(x->p);
	}
	return true;
}

/* Patterns last: x=(*.txt $(touch new.txt)) has the new file, too. */
static bool expand_items(struct expander *x, const struct array_lit *lit, struct str name, struct items *out)
{
	struct {
		struct item_value made;
		struct fields f;
		struct late_globs late;
	} *v = u_zalloc(x->p, size_mul(lit->n + (size_t)1, sizeof(*v)));

	for (uint32_t i = 0; i < lit->n; i++) {
		const struct array_item *it = &lit->items[i];

		if (!(it->sub ? expand_subscripted(x, it, name, false, false, &v[i].made)
		              : expand_words_late(x, &it->value, 1, &v[i].f, &v[i].late)))
			return false;
		sys_checkpoint(x->p);
	}
	for (uint32_t i = 0; i < lit->n; i++) {
		if (lit->items[i].sub) {
			*item_add(x, out) = v[i].made;
			continue;
		}
		if (!late_globs_apply(x, &v[i].late, &v[i].f))
			return false;
		for (size_t k = 0; k < v[i].f.n; k++)
			item_add(x, out)->value = str_from(v[i].f.v[k]);
		sys_checkpoint(x->p);
	}
	return true;
}

/* What is wrong with a word of an associative array; it is left out. A declaration has quoted its words before. */
static void refuse_word(struct expander *x, struct str name, const struct item_value *it)
{
	struct str said = it->written;
	struct u_buf b;

	if (x->command) {
		u_buf_init(&b, x->p, 0);
		u_shell_quote_single(&b, said.ptr, said.len);
		said = (struct str){b.ptr, b.len};
	}
	(void)expand_report(x, EXPAND_NONE, "%.*s: %.*s: must use subscript when assigning associative array", (int)name.len, name.ptr,
	                    (int)said.len, said.ptr);
}

static void refuse_key(struct expander *x, const struct item_value *it)
{
	if (!it->has_sub)
		(void)expand_report(x, EXPAND_NONE, "%.*s: bad array subscript", (int)it->written.len, it->written.ptr);
	else if (x->command)
		(void)expand_report(x, EXPAND_NONE, "['']='%.*s': bad array subscript", (int)it->value.len, it->value.ptr);
	else
		(void)expand_report(x, EXPAND_NONE, "[%.*s]%s=%.*s: bad array subscript", (int)it->raw.len, it->raw.ptr,
		                    it->append ? "+" : "", (int)it->written.len, it->written.ptr);
}

static bool put_assoc(struct expander *x, struct str name, const struct items *l,
                      enum var_where where)
{
	struct place pl = {.kind = PARAM_NAME,
	                   .sub = SUB_WORD,
	                   .name = name,
	                   .text = name,
	                   .assoc = true,
	                   .global = where == VAR_GLOBAL};
	bool pairs = l->n && !l->v[0].has_sub;

	for (size_t i = 0; i < l->n; i++) {
		const struct item_value *it = &l->v[i];

		if (pairs) {
			/* m=(key value …) */
			pl.key = it->value;
			i++;
			if (!pl.key.len) {
				refuse_key(x, it);
				continue;
			}
			if (!assign_place(x, &pl, i < l->n ? l->v[i].value : STR(""), where, 0))
				return false;
			continue;
		}
		if (!it->has_sub) {
			refuse_word(x, name, it);
			continue;
		}
		if (!it->key.len) {
			refuse_key(x, it);
			continue;
		}
		pl.key = it->key;
		if (!assign_place(x, &pl, it->value, where, it->append ? ASSIGN_APPEND : 0))
			return false;
		sys_checkpoint(x->p);
	}
	return true;
}

/* [] and ["$empty"], where looking costs nothing and changes nothing. */
static bool is_blank(struct expander *x, const struct subscript *sub)
{
	const struct word *w = sub->word;
	struct str text;

	for (uint32_t i = 0; w && i < w->nparts; i++) {
		const struct part *part = &w->parts[i];

		if ((part->kind == PART_LIT || part->kind == PART_QUOTED) && !part->text.len)
			continue;
		if (part->kind != PART_PARAM || part->param->op != PARAM_PLAIN || part->param->sub)
			return false;
	}
	return !w || (expand_text(x, w, &text) && !text.len);
}

static void refuse_index(struct expander *x, const struct item_value *it)
{
	struct str raw = is_blank(x, it->sub) ? STR("") : it->raw;

	(void)expand_report(x, EXPAND_NONE, "[%.*s]=%.*s: bad array subscript", (int)raw.len, raw.ptr, (int)it->value.len,
	                    it->value.ptr);
}

static bool put_indexed(struct expander *x, struct str name, const struct items *l, int64_t next,
                        enum var_where where)
{
	struct place pl = {
	        .kind = PARAM_NAME, .sub = SUB_WORD, .name = name, .text = name, .global = where == VAR_GLOBAL};

	for (size_t i = 0; i < l->n; i++) {
		const struct item_value *it = &l->v[i];

		pl.index = next;
		if (it->has_sub) {
			struct place sub = pl;

			if (is_blank(x, it->sub)) {
				refuse_index(x, it);
				continue;
			}
			if (!place_subscript(x, &sub, it->sub))
				return false;
			pl.index = sub.index;
		}
		if (pl.index < 0) {
			const struct var *v = place_var(x, &pl);

			pl.index += v && (v->flags & VAR_ARRAY) && !(v->flags & VAR_DYNAMIC)
			                    ? array_end(v->array)
			                    : 0;
			if (pl.index < 0) {
				refuse_index(x, it);
				pl.index = next;
				continue;
			}
		}
		if (!assign_place(x, &pl, it->value, where, it->append ? ASSIGN_APPEND : 0))
			return false;
		next = pl.index + 1;
		sys_checkpoint(x->p);
	}
	return true;
}

bool assign_list(struct expander *x, struct str name, const struct array_lit *lit,
                        enum var_where where, unsigned flags)
{
	const struct var *v;
	struct items items = {NULL, 0, 0};
	bool assoc, expanded, append = (flags & ASSIGN_APPEND) != 0;
	int64_t next = 0;
	int r;

	if (!(flags & ASSIGN_NOREF)) {
		struct str to;

		bool circular = state_resolve(x->st, name, &to) != VAR_OK;

		if (circular)
			to = name;
		if (!name_valid(to))
			return assign_bad_name(x, to, flags);
		name = str_eq(to, name) ? name : copy_str(x, to);
		v = state_find(x->st, name);
		for (unsigned i = 0; circular && i < (v->level ? 2u : 1u); i++)
			x->host->warn(x->host, u_format(x->p, "warning: %.*s: circular name reference",
			                                (int)name.len, name.ptr));
		if (circular && v->level && where == VAR_VISIBLE) {
			where = VAR_GLOBAL;
		} else if (v && (v->flags & VAR_NAMEREF)) {
			if (!circular)
				x->host->warn(x->host,
				              u_format(x->p, "warning: %.*s: removing nameref attribute",
				                       (int)name.len, name.ptr));
			state_declare(x->st, name, where, 0, VAR_NAMEREF, NULL);
		}
	}
	v = state_find(x->st, name);
	if (where == VAR_GLOBAL)
		v = state_find_global(x->st, name);
	assoc = v && (where != VAR_TEMPENV || v->level == 0) && (v->flags & VAR_ASSOC);
	if (!v && (str_is(name, "BASH_ALIASES") || str_is(name, "BASH_CMDS")))
		assoc = true;
	x->no_tilde = assoc;
	expanded = assoc ? expand_keys(x, lit, name, append, &items) : expand_items(x, lit, name, &items);
	x->no_tilde = false;
	if (!expanded)
		return false;
	if (append) {
		r = state_declare(x->st, name, where, assoc ? VAR_ASSOC : VAR_ARRAY, 0, &v);
		if (r == VAR_OK && (v->flags & VAR_READONLY))
			r = VAR_E_READONLY;
		if (r == VAR_OK && !assoc && !(v->flags & VAR_DYNAMIC))
			next = array_end(v->array);
		if (r == VAR_OK && !(v->flags & (VAR_SET | VAR_DYNAMIC)))
			r = state_clear_array(x->st, name, where);
	} else {
		r = state_clear_array(x->st, name, where);
	}
	if (r != VAR_OK)
		return assign_fail(x, name, r, flags);
	return assoc ? put_assoc(x, name, &items, where)
	             : put_indexed(x, name, &items, next, where);
}
