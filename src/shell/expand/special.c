/* special.c - variables the shell computes, starts with, or watches.
 *
 * None of them costs anything before it is used: the table of variables does not hold them
 * until somebody assigns, unsets or changes them. */
#include "var.h"
#include "../../user/user.h"

#define SHELL_UID      1000
#define SHELL_HOSTNAME "nacre"
#define SHELL_VERSION  "5.2.15(1)-release"
#define SHELL_PATH     "/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin:."
#define SHELL_MACHINE  "x86_64-pc-linux-gnu"
#define SHELL_LOADABLES                                                                            \
	"/usr/local/lib/bash:/usr/lib/bash:/opt/local/lib/bash:/usr/pkg/lib/bash:/opt/pkg/lib/"    \
	"bash:."
#define DEFAULT_IFS " \t\n"

struct special {
	const char *name;
	uint8_t kind, len;
	uint16_t attrs;
};

static const struct special table[SPECIAL_COUNT] = {{"", SPECIAL_WATCHED, 0, 0},
#define X(id, text, what, bits) {text, what, sizeof(text) - 1, bits},
                                                    SPECIALS(X)
#undef X
};

enum special_kind special_kind(enum special_id id)
{
	return (enum special_kind)table[id].kind;
}
const char *special_name(enum special_id id)
{
	return table[id].name;
}
uint32_t special_attrs(enum special_id id)
{
	return table[id].attrs;
}

enum special_id special_find(const char *name, size_t n)
{
	int lo = 1, hi = n ? SPECIAL_COUNT - 1 : 0;

	while (lo <= hi) {
		int mid = (lo + hi) / 2;
		const struct special *s = &table[mid];
		int c = (unsigned char)name[0] - (unsigned char)s->name[0];

		if (c == 0)
			c = memcmp(name, s->name, MIN(n, (size_t)s->len));

		if (c == 0 && n == s->len)
			return (enum special_id)mid;
		if (c < 0 || (c == 0 && n < s->len))
			hi = mid - 1;
		else
			lo = mid + 1;
	}
	return SPECIAL_NONE;
}

/* ---- Random numbers: bash's own generator, so that RANDOM=n gives its sequence ------- */

static uint32_t random_step(uint32_t last)
{
	uint32_t x = last ? last : 123459876u, h = x / 127773u;
	int32_t t = (int32_t)(16807u * (x - 127773u * h) - 2836u * h);

	return t < 0 ? (uint32_t)t + 0x7fffffffu : (uint32_t)t;
}

/* random_state: the seed, and above it the last value given. */
static int64_t random_next(struct shell_state *st)
{
	uint32_t seed, last, v;

	if (st->subshell && st->random_pid != sys_getpid(st->p)) {
		/* Or all subshells would see the same numbers. */
		sys_random(st->p, &seed, sizeof(seed));
		st->random_state = seed;
		st->random_pid = sys_getpid(st->p);
	}
	seed = (uint32_t)st->random_state;
	last = (uint32_t)(st->random_state >> 32);
	do {
		seed = random_step(seed);
		v = ((seed >> 16) ^ (seed & 65535u)) & 32767u;
	} while (v == last);
	st->random_state = (uint64_t)v << 32 | seed;
	return v;
}

/* ---- Scalars --------------------------------------------------------------------------- */

static struct str number(char buf[VALUE_BUF], int64_t n)
{
	return (struct str){buf, put_i64(buf, n)};
}

static struct str option_list(struct shell_state *st, bool shopt)
{
	struct u_buf b;
	uint64_t bits = shopt ? st->shopts : st->opts;
	int n = shopt ? SHOPT_COUNT : SET_COUNT;

	u_buf_init(&b, st->p, 0);
	u_buf_reserve(&b, 256);
	for (int i = 0; i < n; i++) {
		/* bash's list of shopts is sorted, as its table nearly is. */
		if (!(bits >> i & 1))
			continue;
		if (b.len)
			u_buf_putc(&b, ':');
		u_buf_puts(&b, shopt ? shopt_names[i].name : set_names[i].name);
	}
	return (struct str){b.ptr, b.len};
}

static struct str real_time(struct shell_state *st, char buf[VALUE_BUF])
{
	int64_t ns = sys_clock(st->p, SYS_CLOCK_REAL);
	int64_t us = ns / 1000 % 1000000;
	size_t n = put_i64(buf, ns / 1000000000);

	buf[n++] = '.';
	for (int64_t unit = 100000; unit; unit /= 10)
		buf[n++] = (char)('0' + us / unit % 10);
	buf[n] = '\0';
	return (struct str){buf, n};
}

static int64_t seconds(struct shell_state *st)
{
	return sys_clock(st->p, SYS_CLOCK_REAL) / 1000000000 - st->seconds_base;
}

static const char *default_text(enum special_id id)
{
	switch (id) {
	case SPECIAL_BASH: return "/bin/bash";
	case SPECIAL_BASH_LOADABLES_PATH: return SHELL_LOADABLES;
	case SPECIAL_BASH_VERSION: return SHELL_VERSION;
	case SPECIAL_HOSTNAME: return SHELL_HOSTNAME;
	case SPECIAL_HOSTTYPE: return "x86_64";
	case SPECIAL_IFS: return DEFAULT_IFS;
	case SPECIAL_MACHTYPE: return SHELL_MACHINE;
	case SPECIAL_OPTERR:
	case SPECIAL_OPTIND: return "1";
	case SPECIAL_OSTYPE: return "linux-gnu";
	case SPECIAL_PATH: return SHELL_PATH;
	case SPECIAL_PS4: return "+ ";
	case SPECIAL_SHELL: return "/bin/bash";
	case SPECIAL_TERM: return "dumb";
	default: return NULL;
	}
}

bool special_get(struct shell_state *st, enum special_id id, char buf[VALUE_BUF], struct str *out)
{
	const char *text = default_text(id);
	uint32_t r;

	if (text) {
		*out = str_from(text);
		return true;
	}
	switch (id) {
	case SPECIAL_BASHOPTS: *out = option_list(st, true); return true;
	case SPECIAL_SHELLOPTS: *out = option_list(st, false); return true;
	case SPECIAL_BASHPID: *out = number(buf, sys_getpid(st->p)); return true;
	case SPECIAL_PPID: *out = number(buf, sys_getppid(st->p)); return true;
	case SPECIAL_UID:
	case SPECIAL_EUID: *out = number(buf, SHELL_UID); return true;
	case SPECIAL_BASH_ARGV0: *out = st->arg0 ? vstr_str(st->arg0) : STR("bash"); return true;
	case SPECIAL_BASH_COMMAND: *out = st->command; return st->command.ptr != NULL;
	case SPECIAL_BASH_EXECUTION_STRING:
		if (!st->command_string)
			return false;
		*out = vstr_str(st->command_string);
		return true;
	case SPECIAL_BASH_SUBSHELL: *out = number(buf, st->subshell); return true;
	case SPECIAL_EPOCHREALTIME: *out = real_time(st, buf); return true;
	case SPECIAL_EPOCHSECONDS:
		*out = number(buf, sys_clock(st->p, SYS_CLOCK_REAL) / 1000000000);
		return true;
	case SPECIAL_HISTCMD: *out = number(buf, 0); return true;
	case SPECIAL_LINENO: *out = number(buf, st->line); return true;
	case SPECIAL_RANDOM: *out = number(buf, random_next(st)); return true;
	case SPECIAL_SECONDS: *out = number(buf, seconds(st)); return true;
	case SPECIAL_SRANDOM:
		sys_random(st->p, &r, sizeof(r));
		*out = number(buf, r);
		return true;
	case SPECIAL_UNDERSCORE: *out = sval_str(&st->last_arg); return true;
	default: return false;
	}
}

static int64_t text_i64(struct str s)
{
	const char *end;

	return num_i64(s.len ? s.ptr : "0", &end, 10, NULL);
}

static void set_pipestatus_elem(struct shell_state *st, int64_t index, struct str value)
{
	size_t n = st->pipestatus ? st->pipestatus->n : 1;
	uint8_t *v;

	if (index < 0 || index > 65535)
		return;
	v = u_zalloc(st->p, MAX(n, (size_t)index + 1));
	memcpy(v, st->pipestatus ? st->pipestatus->v : &st->pipe_one, n);
	v[index] = (uint8_t)text_i64(value);
	state_set_pipestatus(st, v, MAX(n, (size_t)index + 1));
}

static void set_dir(struct shell_state *st, int64_t index, struct str value)
{
	if (index < 1 || index >= (int64_t)dirs_count(st))
		return;
	array_own(st->heap, &st->dirs);
	array_set(st->heap, &st->dirs, st->dirs->e[st->dirs->n - index].index, value.ptr, value.len,
	          false);
}

void special_set(struct shell_state *st, enum special_id id, int64_t index, struct str value)
{
	switch (id) {
	case SPECIAL_RANDOM:
		st->random_state = (uint32_t)text_i64(value);
		st->random_pid = sys_getpid(st->p);
		break;
	case SPECIAL_SECONDS:
		st->seconds_base = sys_clock(st->p, SYS_CLOCK_REAL) / 1000000000 - text_i64(value);
		break;
	case SPECIAL_LINENO: st->line = (uint32_t)text_i64(value); break;
	case SPECIAL_BASH_ARGV0: state_set_arg0(st, value); break;
	case SPECIAL_BASH_SUBSHELL: st->subshell = (uint32_t)text_i64(value); break;
	case SPECIAL_UNDERSCORE: state_set_last_arg(st, value); break;
	case SPECIAL_PIPESTATUS: set_pipestatus_elem(st, index, value); break;
	case SPECIAL_DIRSTACK: set_dir(st, index, value); break;
	default: break; /* bash ignores assignments to the others too */
	}
}

/* ---- Lists ------------------------------------------------------------------------------- */

enum stack_row { ROW_FUNCNAME, ROW_SOURCE, ROW_LINENO };

static struct str frame_source(const struct frame *f)
{
	if (f->kind == FRAME_FUNCTION)
		return f->func->source ? vstr_str(f->func->source) : STR("environment");
	return f->source ? vstr_str(f->source) : STR("environment");
}

/* FUNCNAME, BASH_SOURCE and BASH_LINENO: functions and sourced files, innermost first, then the
 * main script. */
static void stack_list(struct shell_state *st, enum stack_row row, struct varray_view *out)
{
	size_t n = 0;

	for (const struct frame *f = st->frame; f; f = f->up)
		n++;
	out->v = u_array(st->p, n + 1, sizeof(*out->v));
	n = 0;
	/* Only while a function runs is there a FUNCNAME at all. */
	if (row == ROW_FUNCNAME && !(st->frame && st->frame->nfuncs))
		return;

	for (const struct frame *f = st->frame; f; f = f->up) {
		bool main_script = f->kind == FRAME_MAIN && f->source;

		if (f->kind != FRAME_FUNCTION && f->kind != FRAME_SOURCE && !main_script)
			continue;
		if (row == ROW_FUNCNAME) {
			out->v[n++] = f->kind == FRAME_FUNCTION ? item_name(&f->func->head)
			              : main_script             ? STR("main")
			                                        : STR("source");
		} else if (row == ROW_SOURCE) {
			out->v[n++] = frame_source(f);
		} else {
			char *buf = u_alloc(st->p, 24);

			out->v[n++] = (struct str){buf,
			                           put_i64(buf, main_script ? 0 : f->call_line)};
		}
	}
	out->n = n;
}

static void list_pipestatus(struct shell_state *st, struct varray_view *out)
{
	size_t n = st->pipestatus ? st->pipestatus->n : 1;
	const uint8_t *v = st->pipestatus ? st->pipestatus->v : &st->pipe_one;

	out->v = u_array(st->p, n, sizeof(*out->v));
	out->n = n;
	for (size_t i = 0; i < n; i++) {
		char *buf = u_alloc(st->p, 24);

		out->v[i] = (struct str){buf, put_i64(buf, v[i])};
	}
}

static void list_texts(struct shell_state *st, const char *const *texts, size_t n,
                       struct varray_view *out)
{
	out->v = u_array(st->p, n + 1, sizeof(*out->v));
	out->n = n;
	for (size_t i = 0; i < n; i++)
		out->v[i] = str_from(texts[i]);
}

bool state_dynamic_array(struct shell_state *st, struct str name, struct varray_view *out)
{
	static const char *const version[] = {"5", "2", "15", "1", "release", SHELL_MACHINE};
	static const char *const groups[] = {"1000"};
	const struct var *v;
	enum special_id id;

	if (ascii_lower(name.ptr[0]))
		return false;
	id = special_find(name.ptr, name.len);
	if (!special_alive(st, id) || special_kind(id) != SPECIAL_LIST)
		return false;
	v = state_find(st, name);
	if (v && !(v->flags & VAR_DYNAMIC))
		return false;
	*out = (struct varray_view){NULL, 0};
	switch (id) {
	case SPECIAL_FUNCNAME: stack_list(st, ROW_FUNCNAME, out); break;
	case SPECIAL_BASH_SOURCE: stack_list(st, ROW_SOURCE, out); break;
	case SPECIAL_BASH_LINENO: stack_list(st, ROW_LINENO, out); break;
	case SPECIAL_PIPESTATUS: list_pipestatus(st, out); break;
	case SPECIAL_BASH_VERSINFO: list_texts(st, version, COUNTOF(version), out); break;
	case SPECIAL_GROUPS: list_texts(st, groups, COUNTOF(groups), out); break;
	case SPECIAL_DIRSTACK:
		out->n = dirs_count(st);
		out->v = u_array(st->p, out->n, sizeof(*out->v));
		for (size_t i = 0; i < out->n; i++)
			dirs_at(st, i, &out->v[i]);
		break;
	default: break; /* BASH_ARGC, BASH_ARGV: empty without extdebug */
	}
	return true;
}

/* ---- Watched names ----------------------------------------------------------------------------
 */

void ifs_load(struct shell_state *st)
{
	struct ifs *ifs = &st->ifs;
	char buf[VALUE_BUF];
	struct str s;
	unsigned len = 1;

	memset(ifs, 0, sizeof(*ifs));
	if (!state_get(st, STR("IFS"), buf, &s)) {
		s = STR(DEFAULT_IFS);
		ifs->is_default = true;
	}
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		ifs->sep[c / 32] |= 1u << c % 32;
		if (c == ' ' || c == '\t' || c == '\n')
			ifs->white[c / 32] |= 1u << c % 32;
		if (c >= 0x80)
			ifs->multibyte = true;
	}
	if (str_is(s, DEFAULT_IFS))
		ifs->is_default = true;
	if (s.len) {
		if (ifs->multibyte && st->utf8)
			(void)utf8_decode(s.ptr, s.len, &len);
		memcpy(ifs->first, s.ptr, len);
		ifs->first_len = (uint8_t)len;
	}
}

static bool locale_is_utf8(struct shell_state *st)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	char buf[VALUE_BUF];
	struct str s;

	for (size_t i = 0; i < COUNTOF(names); i++) {
		if (!state_get(st, str_from(names[i]), buf, &s) || s.len == 0)
			continue;
		return !str_is(s, "C") && !str_is(s, "POSIX");
	}
	return true;
}

void special_hook(struct shell_state *st, enum special_id id)
{
	char buf[VALUE_BUF];
	struct str s;

	switch (id) {
	case SPECIAL_IFS: ifs_load(st); break;
	case SPECIAL_PATH: st->path_changed++; break;
	case SPECIAL_OPTIND: st->getopts_at = 0; break;
	case SPECIAL_LC_ALL:
	case SPECIAL_LC_CTYPE:
	case SPECIAL_LANG: st->utf8 = locale_is_utf8(st); break;
	case SPECIAL_POSIXLY_CORRECT:
		if (state_get(st, STR("POSIXLY_CORRECT"), buf, &s))
			state_set_opts(st, st->opts | SET_POSIX, st->shopts);
		else
			state_set_opts(st, st->opts & ~SET_POSIX, st->shopts);
		break;
	case SPECIAL_GLOBIGNORE:
		if (state_get(st, STR("GLOBIGNORE"), buf, &s) && s.len)
			st->shopts |= SHOPT_DOTGLOB;
		else
			st->shopts &= ~SHOPT_DOTGLOB;
		break;
	case SPECIAL_FUNCNEST: {
		int64_t n = state_get(st, STR("FUNCNEST"), buf, &s) ? text_i64(s) : 0;

		st->nfuncs_max = n > 0 && n < INT32_MAX ? (uint32_t)n : 0;
		break;
	}
	default: break;
	}
}
