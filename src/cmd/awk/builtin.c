/* builtin.c - awk's functions. */
#include "awk.h"

#include <math.h>

/* ---- Characters ----------------------------------------------------------------------- */

static bool ascii_only(const char *s, size_t n)
{
	uint64_t w;

	for (; n >= 8; s += 8, n -= 8) {
		memcpy(&w, s, 8);
		if (w & 0x8080808080808080ull)
			return false;
	}
	for (; n; n--)
		if (*s++ & 0x80)
			return false;
	return true;
}

static size_t characters(struct awk *a, const char *s, size_t n)
{
	return a->utf8 && !ascii_only(s, n) ? utf8_count(s, n) : n;
}

static void do_substr(struct awk *a, struct node *n, struct cell *out)
{
	struct astr *s = eval_str(a, n->list[0]);
	double from = eval_num(a, n->list[1]), len = n->n > 2 ? eval_num(a, n->list[2]) : __builtin_inf();
	size_t total = characters(a, s->s, s->len), i, k;

	/* As gawk: truncated; a start before the first character is the first. */
	from = trunc(from);
	if (len != __builtin_inf())
		len = trunc(len);
	if (from != from || len != len)
		len = 0;
	if (from < 1)
		from = 1;
	if (len <= 0 || from > (double)total) {
		astr_put(a, s);
		cell_set_str(a, out, astr_new(a, "", 0), CELL_STR);
		return;
	}
	i = (size_t)from - 1;
	k = len > (double)(total - i) ? total - i : (size_t)len;
	if (total == s->len) {
		cell_set_str(a, out, astr_new(a, s->s + i, k), CELL_STR);
	} else {
		size_t b = utf8_offset(s->s, s->len, i), e = utf8_offset(s->s + b, s->len - b, k);

		cell_set_str(a, out, astr_new(a, s->s + b, e), CELL_STR);
	}
	astr_put(a, s);
}

static double do_index(struct awk *a, struct node *n)
{
	struct astr *s = eval_str(a, n->list[0]), *t = eval_str(a, n->list[1]);
	const char *hit = t->len ? memmem(s->s, s->len, t->s, t->len) : s->s;
	double r = hit ? (double)characters(a, s->s, (size_t)(hit - s->s)) + 1 : 0;

	astr_put(a, s);
	astr_put(a, t);
	return r;
}

static void do_case(struct awk *a, struct node *n, struct cell *out, bool upper)
{
	struct astr *s = eval_str(a, n->list[0]);
	struct u_buf *b;

	if (!a->utf8 || ascii_only(s->s, s->len)) {
		struct astr *r = astr_room(a, s->len);

		for (size_t i = 0; i < s->len; i++)
			r->s[i] = (char)(upper ? ascii_toupper((unsigned char)s->s[i]) : ascii_tolower((unsigned char)s->s[i]));
		astr_put(a, s);
		cell_set_str(a, out, r, CELL_STR);
		return;
	}
	b = awk_scratch_take(a);
	for (size_t i = 0; i < s->len;) {
		unsigned len;
		uint32_t c = utf8_decode(s->s + i, s->len - i, &len);
		char t[6];

		if (c == UTF8_BAD)
			u_buf_putc(b, s->s[i]);
		else
			u_buf_put(b, t, utf8_encode(upper ? utf8_toupper(c) : utf8_tolower(c), t));
		i += len;
	}
	astr_put(a, s);
	cell_set_str(a, out, astr_new(a, b->ptr, b->len), CELL_STR);
	awk_scratch_give(a);
}

static double do_length(struct awk *a, struct node *n)
{
	struct cell hold = {0};
	struct str s;
	double r;

	if (n->n == 0) {
		s = record_text(a);
		return (double)characters(a, s.ptr, s.len);
	}
	if (n->list[0]->kind == N_GLOBAL || n->list[0]->kind == N_LOCAL) {
		struct slot *v = slot_deref(n->list[0]->kind == N_LOCAL ? &a->frame[n->list[0]->slot] : &a->global[n->list[0]->slot]);

		if (v->kind == SLOT_ARRAY)
			return (double)v->array->n;
	}
	if (n->list[0]->kind == N_INDEX) {
		struct array *t = node_array(a, n->list[0]->a);
		struct astr *key = n->list[0]->n == 1 ? eval_str(a, n->list[0]->list[0]) : NULL;
		struct element *e = key ? awk_array_find(t, key->s, key->len) : NULL;

		if (key)
			astr_put(a, key);
		if (e && e->sub)
			return (double)e->sub->n;
	}
	s = eval_text(a, n->list[0], &hold);
	r = (double)characters(a, s.ptr, s.len);
	cell_clear(a, &hold);
	return r;
}

/* ---- match, split ---------------------------------------------------------------------------- */

static void put_element(struct awk *a, struct array *t, const char *key, size_t nkey, const char *s, size_t n, enum cell_type type)
{
	struct element *e = awk_array_at(a, t, key, nkey);

	cell_set_str(a, &e->value, astr_new(a, s, n), type);
}

static void put_numbered(struct awk *a, struct array *t, uint64_t i, const char *s, size_t n, enum cell_type type)
{
	char key[24];

	put_element(a, t, key, num_put_u64(key, i), s, n, type);
}

static double do_match(struct awk *a, struct node *n)
{
	enum { GROUPS = 64 };
	struct astr *s = eval_str(a, n->list[0]);
	struct dynamic *d = node_regex(a, n->list[1]);
	struct regex_span *m = block_get(a, GROUPS * sizeof(*m));
	unsigned groups = n->n > 2 ? MIN(regex_groups(d->re) + 1, (unsigned)GROUPS) : 1;
	double start = 0, length = -1;

	if (dynamic_match(a, d, s->s, s->len, 0, m, groups)) {
		start = (double)characters(a, s->s, m[0].start) + 1;
		length = (double)characters(a, s->s + m[0].start, m[0].end - m[0].start);
	}
	cell_set_num(a, special_cell(a, V_RSTART), start);
	cell_set_num(a, special_cell(a, V_RLENGTH), length);
	if (n->n > 2) {
		struct array *t = node_array(a, n->list[2]);
		struct astr *sep = cell_str(a, special_cell(a, V_SUBSEP));

		awk_array_clear(a, t);
		for (unsigned i = 0; start > 0 && i < groups; i++) {
			char key[64], num[24];
			size_t k, len;

			if (m[i].start == REGEX_UNSET)
				continue;
			put_numbered(a, t, i, s->s + m[i].start, m[i].end - m[i].start, CELL_INPUT);
			for (int part = 0; part < 2; part++) {
				const char *word = part ? "length" : "start";
				size_t v = part ? characters(a, s->s + m[i].start, m[i].end - m[i].start) : characters(a, s->s, m[i].start) + 1;

				k = num_put_u64(key, i);
				len = MIN(sep->len, (size_t)20);
				memcpy(key + k, sep->s, len);
				k += len;
				memcpy(key + k, word, strlen(word));
				k += strlen(word);
				len = num_put_u64(num, v);
				put_element(a, t, key, k, num, len, CELL_INPUT);
			}
		}
	}
	block_put(a, m, GROUPS * sizeof(*m));
	astr_put(a, s);
	return start;
}

struct split_into {
	struct array *t, *seps;
	uint64_t n;
};

static void split_piece(struct awk *a, void *ctx, const char *s, size_t n, const char *sep, size_t nsep)
{
	struct split_into *to = ctx;

	to->n++;
	put_numbered(a, to->t, to->n, s, n, CELL_INPUT);
	if (to->seps && to->n > 1)
		put_numbered(a, to->seps, to->n - 1, sep, nsep, CELL_STR);
}

static double do_split(struct awk *a, struct node *n)
{
	struct astr *s = eval_str(a, n->list[0]), *fs = NULL;
	struct split_into to = {0};
	struct dynamic *re = NULL;
	struct str sep = STR(" ");
	struct node *by = n->n > 2 ? n->list[2] : NULL;

	while (by && by->kind == N_GROUP && by->a)
		by = by->a;
	if (by && by->kind == N_REGEX) {
		re = node_regex(a, by);
		if (by->value.str->len == 1 && by->value.str->s[0] == ' ') {
			/* / / is one blank, " " is runs of them. */
			re = dynamic_for(a, &by->regex, "[ ]", 3);
		} else if (by->value.str->len == 0) {
			re = NULL; /* every character is a piece */
			sep = STR("");
		}
	} else {
		fs = by ? eval_str(a, by) : astr_get(cell_str(a, special_cell(a, V_FS)));
		sep = (struct str){fs->s, fs->len};
		if (sep.len > 1 || (sep.len == 1 && sep.ptr[0] == '\\'))
			re = dynamic_for(a, by ? &n->regex : &a->fs_regex, sep.len == 1 ? "\\\\" : sep.ptr, sep.len == 1 ? 2 : sep.len);
	}
	to.t = node_array(a, n->list[1]);
	to.seps = n->n > 3 ? node_array(a, n->list[3]) : NULL;
	awk_array_clear(a, to.t);
	if (to.seps)
		awk_array_clear(a, to.seps);
	split_text(a, s->s, s->len, sep, re, split_piece, &to);
	astr_put(a, s);
	if (fs)
		astr_put(a, fs);
	return (double)to.n;
}

static double do_patsplit(struct awk *a, struct node *n)
{
	struct astr *s = eval_str(a, n->list[0]);
	struct astr *fpat = cell_str(a, special_cell(a, V_FPAT));
	struct dynamic *d = n->n > 2 ? node_regex(a, n->list[2]) :
				       dynamic_for(a, &n->regex, fpat->len ? fpat->s : "[^[:space:]]+", fpat->len ? fpat->len : 13);
	struct array *t = node_array(a, n->list[1]), *seps = n->n > 3 ? node_array(a, n->list[3]) : NULL;
	struct regex_span m;
	size_t at = 0, from = 0;
	uint64_t count = 0;

	awk_array_clear(a, t);
	if (seps)
		awk_array_clear(a, seps);
	while (at <= s->len && dynamic_match(a, d, s->s, s->len, at, &m, 1)) {
		if (m.end == m.start) {
			at = m.end + 1;
			continue;
		}
		if (seps)
			put_numbered(a, seps, count, s->s + from, m.start - from, CELL_STR);
		put_numbered(a, t, ++count, s->s + m.start, m.end - m.start, CELL_INPUT);
		at = from = m.end;
	}
	if (seps)
		put_numbered(a, seps, count, s->s + from, s->len - from, CELL_STR);
	astr_put(a, s);
	return (double)count;
}

/* ---- sub, gsub, gensub --------------------------------------------------------------------------- */

static double do_sub(struct awk *a, struct node *n, bool all)
{
	struct astr *repl, *text;
	struct dynamic *d;
	struct u_buf *b;
	uint64_t done;

	repl = eval_str(a, n->list[1]);
	if (n->n > 2) {
		text = eval_str(a, n->list[2]);
	} else {
		struct str s = record_text(a);

		text = astr_new(a, s.ptr, s.len);
	}
	d = node_regex(a, n->list[0]);
	b = awk_scratch_take(a);
	done = awk_substitute(a, d, b, (struct str){text->s, text->len}, (struct str){repl->s, repl->len}, all ? 0 : 1, false);
	if (done) {
		struct cell c = {0};

		cell_set_str(a, &c, astr_new(a, b->ptr, b->len), CELL_STR);
		if (n->n <= 2) {
			c.type = CELL_INPUT;
			field_assign(a, 0, &c);
		} else {
			struct node *t = n->list[2];

			while (t->kind == N_GROUP && t->a)
				t = t->a;
			if (t->kind == N_GLOBAL || t->kind == N_LOCAL || t->kind == N_FIELD || t->kind == N_INDEX)
				assign(a, t, &c);
			else
				cell_clear(a, &c);	/* a value, no variable: nothing keeps it */
		}
	}
	awk_scratch_give(a);
	astr_put(a, repl);
	astr_put(a, text);
	return (double)done;
}

static void do_gensub(struct awk *a, struct node *n, struct cell *out)
{
	struct astr *repl = eval_str(a, n->list[1]), *how = eval_str(a, n->list[2]), *text;
	struct dynamic *d;
	struct u_buf *b;
	uint64_t which = 1;

	if (n->n > 3) {
		text = eval_str(a, n->list[3]);
	} else {
		struct str s = record_text(a);

		text = astr_new(a, s.ptr, s.len);
	}
	if (how->len && (how->s[0] == 'g' || how->s[0] == 'G')) {
		which = 0;
	} else {
		double v = text_num(how->s, how->len);

		if (v < 1)
			awk_warn(a, "gensub: third argument `%s' treated as 1", how->s);
		which = v < 1 ? 1 : v > 1e15 ? (uint64_t)1e15 : (uint64_t)v;
	}
	d = node_regex(a, n->list[0]);
	b = awk_scratch_take(a);
	awk_substitute(a, d, b, (struct str){text->s, text->len}, (struct str){repl->s, repl->len}, which, true);
	cell_set_str(a, out, astr_new(a, b->ptr, b->len), CELL_STR);
	awk_scratch_give(a);
	astr_put(a, repl);
	astr_put(a, how);
	astr_put(a, text);
}

/* ---- Sorting arrays --------------------------------------------------------------------------------- */

static void do_asort(struct awk *a, struct node *n, bool indices, struct cell *out)
{
	struct array *from = node_array(a, n->list[0]), *to = n->n > 1 ? node_array(a, n->list[1]) : from;
	size_t count = from->n, size = (count + 1) * sizeof(struct cell);
	struct cell *v = block_get(a, size), *tmp = block_get(a, size), *x = v, *y = tmp;
	size_t k = 0;

	memset(v, 0, size);
	memset(tmp, 0, size);
	for (struct element *e = from->first; e; e = e->after, k++) {
		if (indices)
			cell_set_str(a, &v[k], astr_new(a, e->key, e->len), CELL_STR);
		else
			cell_copy(a, &v[k], &e->value);
		cell_is_number(a, &v[k]);
	}
	/* Numbers before strings, each in its order. */
	for (size_t run = 1; run < count; run *= 2) {
		struct cell *swap = x;

		for (size_t lo = 0; lo < count; lo += 2 * run) {
			size_t mid = MIN(lo + run, count), hi = MIN(lo + 2 * run, count), i = lo, j = mid;

			for (size_t o = lo; o < hi; o++) {
				bool left = i < mid;

				if (i < mid && j < hi) {
					bool ni = x[i].type != CELL_STR, nj = x[j].type != CELL_STR;

					left = ni != nj ? ni : cell_compare(a, &x[i], &x[j]) <= 0;
				}
				y[o] = left ? x[i++] : x[j++];
			}
			sys_checkpoint_n(a->p, (uint32_t)MIN(hi - lo, (size_t)1 << 20));
		}
		x = y;
		y = swap;
	}
	awk_array_clear(a, to);
	for (k = 0; k < count; k++) {
		char key[24];
		struct element *e = awk_array_at(a, to, key, num_put_u64(key, k + 1));

		e->value = x[k];
	}
	block_put(a, v, size);
	block_put(a, tmp, size);
	cell_set_num(a, out, (double)count);
}

/* ---- Time --------------------------------------------------------------------------------------------- */

static void do_strftime(struct awk *a, struct node *n, struct cell *out)
{
	struct astr *format = n->n > 0 ? eval_str(a, n->list[0]) : astr_new(a, "%a %b %e %H:%M:%S %Z %Y", 23);
	double t = n->n > 1 ? eval_num(a, n->list[1]) : (double)(sys_clock(a->p, SYS_CLOCK_REAL) / 1000000000);
	bool utc = n->n > 2 && eval_true(a, n->list[2]);
	struct u_buf *b = awk_scratch_take(a);
	struct u_tm tm;

	u_time_split(u_tz_get(a->p, utc ? "UTC0" : NULL), (struct sys_time){(int64_t)floor(t), 0}, &tm);
	u_time_format(b, format->s, format->len, &tm);
	cell_set_str(a, out, astr_new(a, b->ptr, b->len), CELL_STR);
	awk_scratch_give(a);
	astr_put(a, format);
}

/* "YYYY MM DD HH MM SS [DST]" */
static double do_mktime(struct awk *a, struct node *n)
{
	struct astr *s = eval_str(a, n->list[0]);
	bool utc = n->n > 1 && eval_true(a, n->list[1]);
	int64_t v[7] = {0, 0, 0, 0, 0, 0, -1};
	const char *p = s->s, *end;
	int k = 0;
	struct u_tm tm = {0};

	for (; k < 7; k++) {
		bool overflow;

		v[k] = num_i64(p, &end, 10, &overflow);
		if (end == p || overflow || v[k] > 1000000000 || v[k] < -1000000000)
			break;
		p = end;
	}
	astr_put(a, s);
	if (k < 6)
		return -1;
	tm.year = v[0];
	tm.mon = (int)v[1];
	tm.mday = (int)v[2];
	tm.hour = (int)v[3];
	tm.min = (int)v[4];
	tm.sec = (int)v[5];
	tm.isdst = k > 6 ? (int)v[6] : -1;
	return (double)u_time_join(u_tz_get(a->p, utc ? "UTC0" : NULL), &tm).sec;
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static double next_random(struct awk *a)
{
	uint64_t x = a->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	a->random = x;
	return (double)((x * 0x2545F4914F6CDD1Dull) >> 11) / 9007199254740992.0;
}

static double do_srand(struct awk *a, struct node *n)
{
	double was = a->last_seed;

	a->last_seed = n->n ? eval_num(a, n->list[0]) : (double)(sys_clock(a->p, SYS_CLOCK_REAL) / 1000000000);
	memcpy(&a->random, &a->last_seed, sizeof(a->random));
	a->random = (a->random ^ 0x9E3779B97F4A7C15ull) * 0xff51afd7ed558ccdull;
	a->random |= 1;
	for (int i = 0; i < 8; i++)
		next_random(a);
	return was;
}

static double do_strtonum(struct awk *a, struct node *n)
{
	struct cell c = {0};
	double r;

	eval(a, n->list[0], &c);
	if (cell_is_number(a, &c)) {
		r = cell_num(a, &c);
	} else {
		struct astr *s = cell_str(a, &c);
		const char *p = s->s, *end;
		bool minus = false;

		while (ascii_space(*p))
			p++;
		if (*p == '-' || *p == '+')
			minus = *p++ == '-';
		if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X'))
			r = (double)num_u64(p + 2, &end, 16, NULL);
		else if (p[0] == '0' && p[1] >= '0' && p[1] <= '7' && p[strspn(p, "01234567")] != '.' && p[strspn(p, "01234567")] != '8' &&
			 p[strspn(p, "01234567")] != '9')
			r = (double)num_u64(p, &end, 8, NULL);
		else
			r = text_num(p, s->len - (size_t)(p - s->s));
		r = minus ? -r : r;
	}
	cell_clear(a, &c);
	return r;
}

static double do_bits(struct awk *a, struct node *n)
{
	double first = eval_num(a, n->list[0]);
	uint64_t v = 0;

	for (uint32_t i = 0; i < n->n; i++) {
		double x = i ? eval_num(a, n->list[i]) : first;

		if (x < 0)
			awk_die(a, "%s: argument %u negative value %g is not allowed",
				n->op == B_AND ? "and" : n->op == B_OR ? "or" : n->op == B_XOR ? "xor" : n->op == B_COMPL ? "compl" : n->op == B_LSHIFT ? "lshift" : "rshift",
				i + 1, x);
		if (x >= 18446744073709551616.0)
			x = 18446744073709549568.0;
		if (i == 0) {
			v = (uint64_t)x;
			continue;
		}
		switch (n->op) {
		case B_AND: v &= (uint64_t)x; break;
		case B_OR: v |= (uint64_t)x; break;
		case B_XOR: v ^= (uint64_t)x; break;
		case B_LSHIFT: v = x < 64 ? v << (uint64_t)x : 0; break;
		default: v = x < 64 ? v >> (uint64_t)x : 0; break;
		}
	}
	if (n->op == B_COMPL)
		v = ~v & (((uint64_t)1 << 53) - 1);
	return (double)v;
}

static const char *type_name(struct awk *a, struct node *n)
{
	struct cell c = {0};
	const char *name;

	while (n->kind == N_GROUP && n->a)
		n = n->a;
	if (n->kind == N_REGEX)
		return "regexp";
	if (n->kind == N_GLOBAL || n->kind == N_LOCAL) {
		struct slot *s = slot_deref(n->kind == N_LOCAL ? &a->frame[n->slot] : &a->global[n->slot]);

		if (s->kind == SLOT_ARRAY)
			return "array";
		if (s->cell.type == CELL_UNSET && !(n->kind == N_GLOBAL && n->slot == V_NF))
			return "untyped";
	}
	if (n->kind == N_INDEX) {
		struct array *t = node_array(a, n->a);
		struct astr *key = eval_str(a, n->list[0]);
		struct element *e = awk_array_find(t, key->s, key->len);

		astr_put(a, key);
		if (e && e->sub)
			return "array";
	}
	eval(a, n, &c);
	cell_is_number(a, &c);
	name = c.type == CELL_NUM ? "number" : c.type == CELL_STRNUM ? "strnum" : c.type == CELL_UNSET ? "unassigned" : "string";
	cell_clear(a, &c);
	return name;
}

static double do_close(struct awk *a, struct node *n)
{
	struct astr *name = eval_str(a, n->list[0]);
	double r = stream_close(a, (struct str){name->s, name->len});

	astr_put(a, name);
	return r;
}

static double do_fflush(struct awk *a, struct node *n)
{
	if (n->n) {
		struct astr *name = eval_str(a, n->list[0]);
		bool found = name->len == 0;

		for (struct stream *s = a->streams; s; s = s->next)
			if (s->name->len == name->len && memcmp(s->name->s, name->s, name->len) == 0 && s->kind >= STREAM_WRITE) {
				u_flush(s->out);
				found = true;
			}
		astr_put(a, name);
		if (!found)
			return -1;
		if (name->len)
			return 0;
	}
	streams_flush(a);
	return 0;
}

void call_builtin(struct awk *a, struct node *n, struct cell *out)
{
	double x;

	switch (n->op) {
	case B_LENGTH: x = do_length(a, n); break;
	case B_SUBSTR: do_substr(a, n, out); return;
	case B_INDEX: x = do_index(a, n); break;
	case B_SPLIT: x = do_split(a, n); break;
	case B_PATSPLIT: x = do_patsplit(a, n); break;
	case B_SUB:
	case B_GSUB: x = do_sub(a, n, n->op == B_GSUB); break;
	case B_GENSUB: do_gensub(a, n, out); return;
	case B_MATCH: x = do_match(a, n); break;
	case B_SPRINTF: {
		struct astr *format = eval_str(a, n->list[0]);
		struct u_buf *b = awk_scratch_take(a);

		awk_format(a, b, (struct str){format->s, format->len}, n->list + 1, n->n - 1);
		astr_put(a, format);
		cell_set_str(a, out, astr_new(a, b->ptr, b->len), CELL_STR);
		awk_scratch_give(a);
		return;
	}
	case B_SIN: x = sin(eval_num(a, n->list[0])); break;
	case B_COS: x = cos(eval_num(a, n->list[0])); break;
	case B_ATAN2: {
		double y = eval_num(a, n->list[0]);

		x = atan2(y, eval_num(a, n->list[1]));
		break;
	}
	case B_EXP: x = exp(eval_num(a, n->list[0])); break;
	case B_LOG:
		x = eval_num(a, n->list[0]);
		if (x < 0)
			awk_warn(a, "log: received negative argument %g", x);
		x = log(x);
		break;
	case B_SQRT:
		x = eval_num(a, n->list[0]);
		if (x < 0)
			awk_warn(a, "sqrt: called with negative argument %g", x);
		x = sqrt(x);
		break;
	case B_INT: x = trunc(eval_num(a, n->list[0])); break;
	case B_RAND: x = next_random(a); break;
	case B_SRAND: x = do_srand(a, n); break;
	case B_TOLOWER:
	case B_TOUPPER: do_case(a, n, out, n->op == B_TOUPPER); return;
	case B_SYSTEM: {
		struct astr *cmd = eval_str(a, n->list[0]);

		x = run_command(a, cmd->s);
		astr_put(a, cmd);
		break;
	}
	case B_CLOSE: x = do_close(a, n); break;
	case B_FFLUSH: x = do_fflush(a, n); break;
	case B_STRFTIME: do_strftime(a, n, out); return;
	case B_SYSTIME: x = (double)(sys_clock(a->p, SYS_CLOCK_REAL) / 1000000000); break;
	case B_MKTIME: x = do_mktime(a, n); break;
	case B_STRTONUM: x = do_strtonum(a, n); break;
	case B_AND:
	case B_OR:
	case B_XOR:
	case B_LSHIFT:
	case B_RSHIFT:
	case B_COMPL: x = do_bits(a, n); break;
	case B_ASORT:
	case B_ASORTI: do_asort(a, n, n->op == B_ASORTI, out); return;
	case B_TYPEOF: {
		const char *name = type_name(a, n->list[0]);

		cell_set_str(a, out, astr_new(a, name, strlen(name)), CELL_STR);
		return;
	}
	default: x = streq(type_name(a, n->list[0]), "array"); break;
	}
	cell_set_num(a, out, x);
}
