/* transform.c - ${x^^}, ${x@Q} and their kind; prompt escapes; declare -p's lines. */
#include "build.h"
#include "pattern.h"

/* ---- Upper and lower -------------------------------------------------------------- */

struct str recase_text(struct expander *x, struct str s, enum param_op op, bool all,
                       const struct str *pattern)
{
	const struct pattern *pat = NULL;
	struct u_buf b;
	size_t at = 0;

	if (pattern && pattern->len)
		pat = pattern_compile(x, *pattern, pattern_flags(x->st));
	u_buf_init(&b, x->p, 0);
	u_buf_reserve(&b, s.len);
	while (at < s.len) {
		unsigned len = 1;
		uint32_t c = (unsigned char)s.ptr[at], to;
		char enc[6];

		if (at && !all) {
			u_buf_put(&b, s.ptr + at, s.len - at);
			break;
		}
		if (c >= 0x80)
			c = x->st->utf8 ? utf8_decode(s.ptr + at, s.len - at, &len) : UTF8_BAD;
		if (c == UTF8_BAD ||
		    (pat && !pattern_whole(x, pat, (struct str){s.ptr + at, len}))) {
			u_buf_put(&b, s.ptr + at, len);
		} else {
			to = op == PARAM_UPPER   ? utf8_toupper(c)
			     : op == PARAM_LOWER ? utf8_tolower(c)
			                         : utf8_toupper(c);
			if (op == PARAM_TOGGLE && to == c)
				to = utf8_tolower(c);
			u_buf_put(&b, enc, utf8_encode(to, enc));
		}
		at += len;
		sys_checkpoint(x->p);
	}
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

/* ---- Quoting ------------------------------------------------------------------------- */

struct str quote_text(struct expander *x, struct str s)
{
	struct u_buf b;

	u_buf_init(&b, x->p, 0);
	u_shell_quote_single(&b, s.ptr, s.len);
	return (struct str){b.ptr, b.len};
}

static unsigned digits(struct str s, size_t at, unsigned max, unsigned base, uint32_t *value)
{
	unsigned n = 0;

	*value = 0;
	while (n < max && at + n < s.len) {
		int c = (unsigned char)s.ptr[at + n];
		unsigned d = ascii_digit(c)    ? (unsigned)(c - '0')
		             : ascii_xdigit(c) ? (unsigned)(ascii_tolower(c) - 'a') + 10
		                               : 99;

		if (d >= base)
			break;
		*value = *value * base + d;
		n++;
	}
	return n;
}

struct str ansi_unescape(struct expander *x, struct str s)
{
	static const char from[] = "abeEfnrtv\\'\"?", to[] = "\a\b\033\033\f\n\r\t\v\\'\"?";
	struct u_buf b;

	u_buf_init(&b, x->p, 0);
	u_buf_reserve(&b, s.len);
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i], enc[6];
		const char *hit;
		uint32_t v;
		unsigned n;

		if (c != '\\' || i + 1 >= s.len) {
			u_buf_putc(&b, c);
			continue;
		}
		c = s.ptr[++i];
		hit = memchr(from, c, sizeof(from) - 1);
		if (hit) {
			u_buf_putc(&b, to[hit - from]);
		} else if (c >= '0' && c <= '7') {
			i += digits(s, i, 3, 8, &v) - 1;
			if (!(v & 255))
				break;
			u_buf_putc(&b, (char)v);
		} else if (c == 'x' && (n = digits(s, i + 1, 2, 16, &v))) {
			i += n;
			if (!v)
				break;
			u_buf_putc(&b, (char)v);
		} else if ((c == 'u' || c == 'U') &&
		           (n = digits(s, i + 1, c == 'u' ? 4 : 8, 16, &v))) {
			i += n;
			if (!v)
				break;
			u_buf_put(&b, enc, utf8_encode(v, enc));
		} else if (c == 'c' && i + 1 < s.len) {
			c = s.ptr[++i];
			u_buf_putc(&b,
			           (char)(c == '?' ? 127 : ascii_toupper((unsigned char)c) & 31));
		} else {
			u_buf_putc(&b, '\\');
			u_buf_putc(&b, c);
		}
	}
	return (struct str){b.ptr ? b.ptr : "", b.len};
}

/* ---- Attributes, declarations ------------------------------------------------------------ */

size_t var_attr_letters(uint32_t flags, char buf[16])
{
	static const struct {
		uint32_t flag;
		char letter;
	} order[] = {{VAR_ARRAY, 'a'},    {VAR_ASSOC, 'A'}, {VAR_INTEGER, 'i'}, {VAR_NAMEREF, 'n'},
	             {VAR_READONLY, 'r'}, {VAR_TRACE, 't'}, {VAR_EXPORT, 'x'},  {VAR_CAPITAL, 'c'},
	             {VAR_LOWER, 'l'},    {VAR_UPPER, 'u'}};
	size_t n = 0;

	for (size_t i = 0; i < COUNTOF(order); i++)
		if (flags & order[i].flag)
			buf[n++] = order[i].letter;
	buf[n] = '\0';
	return n;
}

/* A key as declare -p shows it. */
static void put_key(struct u_buf *b, struct str key)
{
	bool plain = key.len > 0;

	for (size_t i = 0; i < key.len && plain; i++)
		plain = name_char(key.ptr[i]) || memchr("%+,-./:@^", key.ptr[i], 9) ||
		        (unsigned char)key.ptr[i] >= 0x80;
	if (plain)
		u_buf_put(b, key.ptr, key.len);
	else
		u_shell_quote_double(b, key.ptr, key.len);
}

static void put_array(struct expander *x, struct str name, bool assoc, struct u_buf *b)
{
	struct varray_view keys;
	struct value v;

	list_of(x, name, &v, &keys);
	u_buf_putc(b, '(');
	for (size_t i = 0; i < v.n; i++) {
		if (i && !assoc)
			u_buf_putc(b, ' ');
		u_buf_putc(b, '[');
		if (assoc)
			put_key(b, keys.v[i]);
		else
			u_buf_put(b, keys.v[i].ptr, keys.v[i].len);
		u_buf_puts(b, "]=");
		u_shell_quote_double(b, v.v[i].ptr, v.v[i].len);
		if (assoc)
			u_buf_putc(b, ' ');
		sys_checkpoint(x->p);
	}
	u_buf_putc(b, ')');
}

/* `set` quotes only what needs it. */
static void put_plain(struct u_buf *b, struct str s)
{
	bool plain = true;

	for (size_t i = 0; i < s.len && plain; i++) {
		unsigned len = 1;

		if ((unsigned char)s.ptr[i] >= 0x80)
			plain = utf8_decode(s.ptr + i, s.len - i, &len) != UTF8_BAD;
		else
			plain = name_char(s.ptr[i]) || memchr("%+,-./:=@#~", s.ptr[i], 11);
		i += len - 1;
	}
	for (size_t i = 0; i + 1 < s.len && plain; i++)
		plain = !(s.ptr[i + 1] == '~' && (s.ptr[i] == ':' || s.ptr[i] == '='));
	if (plain && !(s.len && (s.ptr[0] == '~' || s.ptr[0] == '#')))
		u_buf_put(b, s.ptr, s.len);
	else
		u_shell_quote_single(b, s.ptr, s.len);
}

void var_print_value(struct expander *x, const struct var *v, struct u_buf *out)
{
	struct str name = item_name(&v->head), s;
	char buf[VALUE_BUF];

	if (v->flags & (VAR_ARRAY | VAR_ASSOC))
		put_array(x, name, (v->flags & VAR_ASSOC) != 0, out);
	else if (v->flags & VAR_NAMEREF)
		put_plain(out, sval_str(&v->s));
	else if (state_get(x->st, name, buf, &s))
		put_plain(out, s);
}

bool var_print(struct expander *x, const struct var *v, struct u_buf *out)
{
	struct str name = item_name(&v->head), s;
	char letters[16], buf[VALUE_BUF];
	size_t n = var_attr_letters(v->flags, letters);

	u_buf_puts(out, "declare -");
	u_buf_puts(out, n ? letters : "-");
	u_buf_putc(out, ' ');
	u_buf_put(out, name.ptr, name.len);
	if (v->flags & (VAR_ARRAY | VAR_ASSOC)) {
		if (!(v->flags & (VAR_SET | VAR_DYNAMIC)))
			return true;
		u_buf_putc(out, '=');
		put_array(x, name, (v->flags & VAR_ASSOC) != 0, out);
		return true;
	}
	if (v->flags & VAR_NAMEREF) {
		if (!(v->flags & VAR_SET))
			return true;
		s = sval_str(&v->s);
	} else if (!state_get(x->st, name, buf, &s)) {
		return true;
	}
	u_buf_putc(out, '=');
	u_shell_quote_double(out, s.ptr, s.len);
	return true;
}

/* ---- ${x@…} ---------------------------------------------------------------------------------- */

static bool transform_one(struct expander *x, char op, struct str *s)
{
	switch (op) {
	case 'Q': *s = quote_text(x, *s); return true;
	case 'E': *s = ansi_unescape(x, *s); return true;
	case 'P': return expand_prompt(x, copy_str(x, *s), s);
	case 'U': *s = recase_text(x, *s, PARAM_UPPER, true, NULL); return true;
	case 'u': *s = recase_text(x, *s, PARAM_UPPER, false, NULL); return true;
	case 'L': *s = recase_text(x, *s, PARAM_LOWER, true, NULL); return true;
	case 'K':
	case 'k': *s = quote_text(x, *s); return true;
	default: return true;
	}
}

static bool is_assoc(struct expander *x, struct str name)
{
	const struct var *v = state_find(x->st, name);

	return v && (v->flags & VAR_ASSOC);
}

/* ${a[@]@K}: one string "k 'v'…"; ${a[@]@k}: keys and values as separate words. */
static void transform_pairs(struct expander *x, const struct place *pl, char op, struct value *v)
{
	struct varray_view keys;
	struct u_buf b;
	bool star = v->star;

	list_of(x, pl->name, v, &keys);
	v->star = star;
	if (op == 'k') {
		struct str *all = u_array(x->p, v->n * 2 + 1, sizeof(*all));

		for (size_t i = 0; i < v->n; i++) {
			all[2 * i] = keys.v[i];
			all[2 * i + 1] = v->v[i];
		}
		v->v = all;
		v->n *= 2;
		return;
	}
	if (!v->n)
		return;
	u_buf_init(&b, x->p, 0);
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			u_buf_putc(&b, ' ');
		put_key(&b, keys.v[i]);
		u_buf_putc(&b, ' ');
		u_shell_quote_double(&b, v->v[i].ptr, v->v[i].len);
	}
	if (is_assoc(x, pl->name))
		u_buf_putc(&b, ' ');
	v->v = u_array(x->p, 1, sizeof(*v->v));
	v->v[0] = (struct str){b.ptr ? b.ptr : "", b.len};
	v->n = 1;
}

static const struct var *var_of(struct expander *x, const struct place *pl)
{
	if (pl->kind != PARAM_NAME || pl->by_ref)
		return NULL;
	return pl->global ? place_var(x, pl) : state_materialize(x->st, pl->name);
}

/* ${a[@]@A}: "declare", "-a", "a=(…)"; ${@@A}: "set", "--", "'x'"… One word each where IFS has a
 * blank, as bash has it. */
static void declaration_words(struct expander *x, const struct place *pl, struct value *v)
{
	const struct var *var = var_of(x, pl);
	struct str *words = u_array(x->p, v->n + 3, sizeof(*words));
	size_t n = 0;

	if (pl->kind == PARAM_SPECIAL && v->n) {
		words[n++] = STR("set");
		words[n++] = STR("--");
		for (size_t i = 0; i < v->n; i++)
			words[n++] = quote_text(x, v->v[i]);
	} else if (var && (var->flags & (VAR_ARRAY | VAR_ASSOC))) {
		struct u_buf b;
		char *letters;

		u_buf_init(&b, x->p, 0);
		var_print(x, var, &b);
		/* declare -LETTERS REST */
		letters = b.ptr + sizeof("declare ") - 1;
		words[n++] = STR("declare");
		words[n] = (struct str){letters, (size_t)(strchr(letters, ' ') - letters)};
		words[n + 1] = str_from(letters + words[n].len + 1);
		n += 2;
	}
	v->v = words;
	v->n = n;
	v->glued = 2;
}

static void declaration(struct expander *x, const struct place *pl, struct value *v,
                        struct u_buf *b)
{
	const struct var *var = var_of(x, pl);
	char letters[16];

	if (!var)
		return;
	if (var_attr_letters(var->flags, letters)) {
		u_buf_puts(b, "declare -");
		u_buf_puts(b, letters);
		u_buf_putc(b, ' ');
		u_buf_put(b, pl->name.ptr, pl->name.len);
		if (!v->set)
			return;
	} else if (v->set) {
		u_buf_put(b, pl->name.ptr, pl->name.len);
	} else {
		return;
	}
	u_buf_putc(b, '=');
	u_shell_quote_single(b, v->s.ptr, v->s.len);
}

bool transform(struct expander *x, const struct place *pl, char op, struct value *v,
               struct str *out)
{
	struct u_buf b;
	struct str *mapped;

	if (op == 'a') {
		const struct var *var = var_of(x, pl);
		char *letters = u_alloc(x->p, 16);
		struct str text = {letters, var ? var_attr_letters(var->flags, letters) : 0};

		*out = text;
		v->v = u_array(x->p, v->n + 1, sizeof(*v->v));
		for (size_t i = 0; v->list && i < v->n; i++)
			v->v[i] = text;
		return true;
	}
	if (op == 'A' && v->list) {
		declaration_words(x, pl, v);
		return true;
	}
	if (op == 'A') {
		u_buf_init(&b, x->p, 0);
		declaration(x, pl, v, &b);
		*out = (struct str){b.ptr ? b.ptr : "", b.len};
		return true;
	}
	if (v->list && (op == 'K' || op == 'k') && pl->kind == PARAM_NAME) {
		transform_pairs(x, pl, op, v);
		return true;
	}
	if (!v->list) {
		*out = v->s;
		return v->set ? transform_one(x, op, out) : true;
	}
	mapped = u_array(x->p, v->n + 1, sizeof(*mapped));
	for (size_t i = 0; i < v->n; i++) {
		mapped[i] = copy_str(x, v->v[i]);
		if (!transform_one(x, op, &mapped[i]))
			return false;
	}
	v->v = mapped;
	return true;
}

/* ---- Prompts ------------------------------------------------------------------------------------
 */

static void prompt_time(struct expander *x, struct u_buf *b, const char *format, size_t n)
{
	struct u_tm tm;
	int64_t ns = sys_clock(x->p, SYS_CLOCK_REAL);
	struct sys_time t = {ns / 1000000000, (int32_t)(ns % 1000000000)};

	u_time_split(u_tz_get(x->p, NULL), t, &tm);
	u_time_format(b, format, n, &tm);
}

static void prompt_dir(struct expander *x, struct u_buf *b, bool last)
{
	struct str cwd = state_cwd(x->st), home;
	char buf[VALUE_BUF];

	if (state_get(x->st, STR("HOME"), buf, &home) && home.len > 1 && cwd.len >= home.len &&
	    memcmp(cwd.ptr, home.ptr, home.len) == 0 &&
	    (cwd.len == home.len || cwd.ptr[home.len] == '/')) {
		if (cwd.len == home.len || !last) {
			u_buf_putc(b, '~');
			u_buf_put(b, cwd.ptr + home.len, cwd.len - home.len);
			return;
		}
	}
	if (last && cwd.len > 1) {
		const char *slash = memrchr(cwd.ptr, '/', cwd.len);

		if (slash) {
			cwd.len -= (size_t)(slash + 1 - cwd.ptr);
			cwd.ptr = slash + 1;
		}
	}
	u_buf_put(b, cwd.ptr, cwd.len);
}

static void prompt_host(struct expander *x, struct u_buf *b, bool whole)
{
	char buf[VALUE_BUF];
	struct str host;
	const char *dot;

	if (!state_get(x->st, STR("HOSTNAME"), buf, &host))
		return;
	dot = memchr(host.ptr, '.', host.len);
	u_buf_put(b, host.ptr, dot && !whole ? (size_t)(dot - host.ptr) : host.len);
}

static void prompt_var(struct expander *x, struct u_buf *b, const char *name, const char *otherwise)
{
	char buf[VALUE_BUF];
	struct str s;

	if (!state_get(x->st, str_from(name), buf, &s))
		s = str_from(otherwise);
	u_buf_put(b, s.ptr, s.len);
}

/* One escape at s[*at] (behind the backslash). */
static void prompt_escape(struct expander *x, struct str s, size_t *at, struct u_buf *b)
{
	char c = s.ptr[*at];
	uint32_t v;

	switch (c) {
	case 'a': u_buf_putc(b, '\a'); break;
	case 'e': u_buf_putc(b, '\033'); break;
	case 'n': u_buf_putc(b, '\n'); break;
	case 'r': u_buf_putc(b, '\r'); break;
	case '\\': u_buf_putc(b, '\\'); break;
	case '[':
	case ']': break;
	case '$': u_buf_putc(b, '#'); break; /* uid 0 */
	case 'd': prompt_time(x, b, "%a %b %d", 8); break;
	case 't': prompt_time(x, b, "%H:%M:%S", 8); break;
	case 'T': prompt_time(x, b, "%I:%M:%S", 8); break;
	case '@': prompt_time(x, b, "%I:%M %p", 8); break;
	case 'A': prompt_time(x, b, "%H:%M", 5); break;
	case 'D': {
		const char *end = *at + 1 < s.len && s.ptr[*at + 1] == '{'
		                          ? memchr(s.ptr + *at, '}', s.len - *at)
		                          : NULL;

		if (end) {
			size_t n = (size_t)(end - (s.ptr + *at + 2));

			prompt_time(x, b, n ? s.ptr + *at + 2 : "%X", n ? n : 2);
			*at = (size_t)(end - s.ptr);
		} else {
			u_buf_puts(b, "\\D");
		}
		break;
	}
	case 'h': prompt_host(x, b, false); break;
	case 'H': prompt_host(x, b, true); break;
	case 'u': prompt_var(x, b, "USER", "root"); break;
	case 'w': prompt_dir(x, b, false); break;
	case 'W': prompt_dir(x, b, true); break;
	case 's': {
		struct str name = x->st->arg0 ? vstr_str(x->st->arg0) : STR("bash");
		const char *slash = memrchr(name.ptr, '/', name.len);

		u_buf_puts(b, slash ? slash + 1 : name.ptr);
		break;
	}
	case 'v': u_buf_puts(b, "5.2"); break;
	case 'V': u_buf_puts(b, "5.2.15"); break;
	case 'j': u_buf_putc(b, '0'); break;
	case 'l': u_buf_puts(b, "tty"); break;
	case '!':
	case '#': u_buf_putc(b, '1'); break;
	default:
		if (c >= '0' && c <= '7') {
			*at += digits(s, *at, 3, 8, &v) - 1;
			u_buf_putc(b, (char)v);
		} else {
			u_buf_putc(b, '\\');
			u_buf_putc(b, c);
		}
		break;
	}
}

bool expand_prompt(struct expander *x, struct str text, struct str *out)
{
	struct u_buf b;

	u_buf_init(&b, x->p, 0);
	u_buf_reserve(&b, text.len);
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\\' && i + 1 < text.len) {
			i++;
			prompt_escape(x, text, &i, &b);
		} else {
			u_buf_putc(&b, text.ptr[i]);
		}
	}
	*out = (struct str){b.ptr ? b.ptr : "", b.len};
	return x->st->shopts & SHOPT_PROMPTVARS ? expand_string(x, *out, out) : true;
}
