/* put.c - writing variables: values, elements, attributes.
 *
 * The setters check readonly, find the binding, make it unshared and keep what depends on it
 * right. The case of an ordinary visible scalar is short: one walk down the table. */
#include "../../user/user.h"
#include "var.h"

/* ---- Writing --------------------------------------------------------------------- */

/* declare -u, -l, -c */
static struct str recase(struct shell_state *st, uint32_t flags, struct str s)
{
	struct u_buf b;
	size_t i = 0;

	u_buf_init(&b, st->p, 0);
	u_buf_reserve(&b, s.len);
	while (i < s.len) {
		char enc[6];
		unsigned len = 1;
		uint32_t c = (unsigned char)s.ptr[i];
		bool up = (flags & VAR_UPPER) || ((flags & VAR_CAPITAL) && i == 0);

		if (c >= 0x80 && st->utf8)
			c = utf8_decode(s.ptr + i, s.len - i, &len);
		if (c == UTF8_BAD || (c >= 0x80 && !st->utf8))
			u_buf_put(&b, s.ptr + i, len);
		else
			u_buf_put(&b, enc,
			          utf8_encode(up ? utf8_toupper(c) : utf8_tolower(c), enc));
		i += len;
	}
	return (struct str){b.ptr, b.len};
}

static void written(struct shell_state *st, struct var *v)
{
	v->flags |= VAR_SET;
	if (UNLIKELY(st->opts & SET_ALLEXPORT) && !(v->flags & (VAR_ARRAY | VAR_ASSOC)))
		v->flags |= VAR_EXPORT;
	var_changed(st, &v->head, v->flags);
}

int state_put(struct shell_state *st, struct str name, enum var_where where, struct str value,
              bool append)
{
	struct var *v;

	if (where == VAR_VISIBLE) {
		uint32_t hash = table_hash(name.ptr, name.len);
		struct item **slot = table_slot(st->heap, &st->vars, name.ptr, name.len, hash);

		/* The usual case: an ordinary scalar. */
		if (LIKELY(slot != NULL)) {
			v = var_own_slot(st, slot);
			if (LIKELY((v->flags & ~(uint32_t)(VAR_SET | VAR_EXPORT | VAR_TEMP |
			                                   VAR_TRACE | VAR_INTEGER)) == 0)) {
				if (append)
					sval_append(st->heap, &v->s, value.ptr, value.len);
				else
					sval_set(st->heap, &v->s, value.ptr, value.len);
				written(st, v);
				return VAR_OK;
			}
		}
	}
	if (var_readonly(st, name, where))
		return VAR_E_READONLY;
	v = var_target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL)) {
		if (append && (v->flags & VAR_CAPITAL) && !(v->flags & (VAR_ARRAY | VAR_ASSOC))) {
			struct u_buf b;
			struct str was = sval_str(&v->s);

			u_buf_init(&b, st->p, 0);
			u_buf_put(&b, was.ptr, was.len);
			u_buf_put(&b, value.ptr, value.len);
			value = (struct str){b.ptr, b.len};
			append = false;
		}
		value = recase(st, v->flags, value);
	}
	if (v->flags & VAR_DYNAMIC) {
		special_set(st, (enum special_id)v->head.special, 0, value);
		return VAR_OK;
	}
	if (v->flags & VAR_ARRAY) {
		array_own(st->heap, &v->array);
		array_set(st->heap, &v->array, 0, value.ptr, value.len, append);
	} else if (v->flags & VAR_ASSOC) {
		assoc_own(st->heap, &v->assoc);
		assoc_set(st->heap, &v->assoc, STR("0"), value.ptr, value.len, append);
	} else if (append) {
		sval_append(st->heap, &v->s, value.ptr, value.len);
	} else {
		sval_set(st->heap, &v->s, value.ptr, value.len);
	}
	written(st, v);
	return VAR_OK;
}

int state_set_i64(struct shell_state *st, struct str name, int64_t value)
{
	struct item **slot = table_slot(st->heap, &st->vars, name.ptr, name.len,
	                                table_hash(name.ptr, name.len));
	char buf[24];

	if (LIKELY(slot != NULL)) {
		struct var *v = var_own_slot(st, slot);

		if (LIKELY((v->flags & ~(uint32_t)(VAR_SET | VAR_EXPORT | VAR_TEMP | VAR_TRACE |
		                                   VAR_INTEGER)) == 0)) {
			sval_set_i64(st->heap, &v->s, value);
			written(st, v);
			return VAR_OK;
		}
		if (UNLIKELY(v->flags & VAR_NAMEREF))
			return VAR_E_REF_NAME; /* the caller follows references */
	}
	return state_put(st, name, VAR_VISIBLE, (struct str){buf, put_i64(buf, value)}, false);
}

/* Turns v into an indexed or associative array, its value becoming element 0. */
static int make_array(struct shell_state *st, struct var *v, uint32_t kind)
{
	struct var *built;
	struct str was;

	if (v->flags & kind)
		return VAR_OK;
	if (v->flags & VAR_ARRAY)
		return VAR_E_ARRAY_TO_ASSOC;
	if (v->flags & VAR_ASSOC)
		return VAR_E_ASSOC_TO_ARRAY;
	if (!(v->flags & VAR_SET)) {
		v->flags |= kind;
		v->array = NULL;
		return VAR_OK;
	}
	/* Built in a variable of its own that hangs in st->pin. */
	was = sval_str(&v->s);
	built = var_new(st, item_name(&v->head), v->head.hash);
	built->flags = kind;
	if (kind == VAR_ARRAY) {
		built->array = array_new(st->heap, 4);
		array_set(st->heap, &built->array, 0, was.ptr, was.len, false);
	} else {
		built->assoc = assoc_new(st->heap, 4);
		assoc_set(st->heap, &built->assoc, STR("0"), was.ptr, was.len, false);
	}
	sval_drop(st->heap, &v->s);
	v->flags |= kind;
	if (kind == VAR_ARRAY)
		v->array = built->array;
	else
		v->assoc = built->assoc;
	built->flags = 0;
	memset(&built->s, 0, sizeof(built->s));
	item_put(st->heap, st->pin);
	st->pin = NULL;
	return VAR_OK;
}

int state_put_elem(struct shell_state *st, struct str name, enum var_where where, int64_t index,
                   struct str value, bool append)
{
	struct var *v;
	int r;

	if (var_readonly(st, name, where))
		return VAR_E_READONLY;
	v = var_target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & VAR_DYNAMIC) {
		special_set(st, (enum special_id)v->head.special, index, value);
		return VAR_OK;
	}
	r = make_array(st, v, VAR_ARRAY);
	if (r != VAR_OK)
		return r;
	if (index < 0)
		index += array_end(v->array);
	if (index < 0)
		return VAR_E_SUBSCRIPT;
	if (v->flags & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL))
		value = recase(st, v->flags, value);
	array_own(st->heap, &v->array);
	array_set(st->heap, &v->array, index, value.ptr, value.len, append);
	written(st, v);
	return VAR_OK;
}

int state_put_key(struct shell_state *st, struct str name, enum var_where where, struct str key,
                  struct str value, bool append)
{
	struct var *v;
	int r;

	if (var_readonly(st, name, where))
		return VAR_E_READONLY;
	v = var_target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & VAR_DYNAMIC) {
		if (v->head.special == SPECIAL_BASH_ALIASES)
			state_set_text(st, &st->aliases, key, value);
		else if (v->head.special == SPECIAL_BASH_CMDS)
			state_set_text(st, &st->paths, key, value);
		return VAR_OK;
	}
	r = make_array(st, v, VAR_ASSOC);
	if (r != VAR_OK)
		return r;
	if (v->flags & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL))
		value = recase(st, v->flags, value);
	assoc_own(st->heap, &v->assoc);
	assoc_set(st->heap, &v->assoc, key, value.ptr, value.len, append);
	written(st, v);
	return VAR_OK;
}

int state_clear_array(struct shell_state *st, struct str name, enum var_where where)
{
	struct var *v;
	uint32_t kind;

	if (var_readonly(st, name, where))
		return VAR_E_READONLY;
	v = var_target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (v->flags & VAR_DYNAMIC)
		return VAR_OK;
	kind = v->flags & VAR_ASSOC ? VAR_ASSOC : VAR_ARRAY;
	var_drop_value(st->heap, v);
	v->flags |= kind;
	written(st, v);
	return VAR_OK;
}

int state_declare(struct shell_state *st, struct str name, enum var_where where, uint32_t on,
                  uint32_t off, const struct var **out)
{
	uint32_t was;
	struct var *v;

	/* Attributes of a readonly variable may be added to, also those of arrays; it may not be hidden. */
	if (((off & VAR_READONLY) || where == VAR_LOCAL) && var_readonly(st, name, where))
		return VAR_E_READONLY;
	v = var_target(st, name, where);
	if (!v)
		return VAR_E_NOT_LOCAL;
	if (out)
		*out = v;
	was = v->flags;
	if ((on & VAR_NAMEREF) && (was & (VAR_ARRAY | VAR_ASSOC)))
		return VAR_E_REF_ARRAY;
	if ((off & was & VAR_NAMEREF) && (was & VAR_READONLY))
		return VAR_E_READONLY;
	if ((on & VAR_NAMEREF) && (was & VAR_SET) && !(was & VAR_DYNAMIC)) {
		struct str to = sval_str(&v->s), base, sub;

		if (to.len && !name_valid(to) && !name_split(to, &base, &sub))
			return VAR_E_REF_NAME;
	}
	if ((off & (VAR_ARRAY | VAR_ASSOC)) & was)
		return VAR_E_DESTROY;
	if (on & (VAR_ARRAY | VAR_ASSOC)) {
		int r = make_array(st, v, on & VAR_ASSOC ? VAR_ASSOC : VAR_ARRAY);

		if (r != VAR_OK)
			return r;
	}
	if (on & (VAR_LOWER | VAR_UPPER | VAR_CAPITAL))
		v->flags &= ~(uint32_t)(VAR_LOWER | VAR_UPPER | VAR_CAPITAL);
	v->flags |= on & VAR_ATTRS & ~(uint32_t)(VAR_ARRAY | VAR_ASSOC);
	v->flags &= ~(off & (uint32_t)VAR_ATTRS);
	if ((was | v->flags) & VAR_EXPORT)
		st->env_stale = true;
	return VAR_OK;
}
