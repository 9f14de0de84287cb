/*
 * color.c - the colours of ls: GNU's own, changed by LS_COLORS.
 *
 * LS_COLORS is a list of KEY=CODE between colons: two letters for a kind of file, *SUFFIX for the ends of names. What is set last
 * wins. An empty code, and for some kinds 0 or 00, means no colour of its own.
 */
#include "ls.h"

enum kind { K_FI, K_DI, K_LN, K_PI, K_SO, K_BD, K_CD, K_MI, K_OR, K_EX, K_DO, K_SU, K_SG, K_ST, K_OW, K_TW, K_CA, K_MH, K_RS, KINDS };

static const char KEYS[KINDS][3] = {"fi", "di", "ln", "pi", "so", "bd", "cd", "mi", "or", "ex", "do", "su", "sg", "st", "ow", "tw", "ca", "mh", "rs"};

struct suffix {
	struct suffix *next;
	const char *text, *code;
	size_t len;
};

struct ls_colors {
	const char *code[KINDS];
	struct suffix *suffixes;	/* the last one first */
	bool follow_links;		/* ln=target */
};

static void set_defaults(struct ls_colors *c)
{
	static const char *const codes[KINDS] = {"", "01;34", "01;36", "33", "01;35", "01;33", "01;33", NULL, NULL, "01;32",
						 "01;35", "37;41", "30;43", "37;44", "34;42", "30;42", "", NULL, "0"};

	memcpy(c->code, codes, sizeof(codes));
}

/* A key or a code up to the delimiter, its escapes replaced. NULL: malformed. */
static const char *unescaped(struct proc *p, const char **at, char until)
{
	static const char from[] = "abefnrtv?_", to[] = "\a\b\033\f\n\r\t\v\177 ";
	const char *s = *at;
	struct u_buf b;

	u_buf_init(&b, p, 0);
	u_buf_reserve(&b, 1);
	b.ptr[0] = '\0';
	for (; *s && *s != ':' && *s != until; s++) {
		const char *hit;

		if (*s == '^' && s[1] >= '?' && s[1] <= '~') {
			s++;
			u_buf_putc(&b, *s == '?' ? '\177' : (char)(*s & 037));
		} else if (*s != '\\' || !s[1]) {
			u_buf_putc(&b, *s);
		} else if (s[1] >= '0' && s[1] <= '7') {
			int v = 0;

			for (int n = 0; n < 3 && s[1] >= '0' && s[1] <= '7'; n++)
				v = v * 8 + (*++s - '0');
			u_buf_putc(&b, (char)v);
		} else {
			hit = strchr(from, *++s);
			u_buf_putc(&b, hit ? to[hit - from] : *s);
		}
	}
	*at = s;
	return b.ptr;
}

static bool set_kind(struct ls *o, struct ls_colors *c, const char *key, const char *code)
{
	static const char *const others = " lc rc ec no cl ";

	for (int i = 0; i < KINDS; i++) {
		if (streq(KEYS[i], key)) {
			c->follow_links |= i == K_LN && streq(code, "target");
			c->code[i] = code;
			return i != K_RS || streq(code, "0");
		}
	}
	if (strlen(key) == 2 && strstr(others, u_format(o->p, " %s ", key)))
		u_warn(o->p, 0, "LS_COLORS: %s= is not supported", key);
	else
		u_warn(o->p, 0, "unrecognized prefix: %s", u_quote(o->p, key));
	return false;
}

static bool parse(struct ls *o, struct ls_colors *c, const char *s)
{
	while (*s) {
		bool is_suffix = *s == '*';
		const char *key, *code;

		if (*s == ':') {
			s++;
			continue;
		}
		s += is_suffix;
		key = unescaped(o->p, &s, '=');
		if (*s != '=')
			return false;
		s++;
		code = unescaped(o->p, &s, ':');
		if (is_suffix) {
			struct suffix *x = u_zalloc(o->p, sizeof(*x));

			*x = (struct suffix){c->suffixes, key, code, strlen(key)};
			c->suffixes = x;
		} else if (!set_kind(o, c, key, code)) {
			return false;
		}
	}
	return true;
}

/* Without LS_COLORS and COLORTERM the terminal must be one that is known to have colours. */
static bool colours_wanted(struct proc *p)
{
	static const char *const known[] = {"Eterm", "ansi", "*color*", "con[0-9]*x[0-9]*", "cons25", "console", "cygwin", "*direct*",
					    "dtterm", "gnome", "hurd", "jfbterm", "konsole", "kterm", "linux", "linux-c", "mlterm",
					    "putty", "rxvt*", "screen*", "st", "terminator", "tmux*", "vt100", "xterm*"};
	const char *set = u_getenv(p, "LS_COLORS"), *colour = u_getenv(p, "COLORTERM"), *term = u_getenv(p, "TERM");

	if ((set && *set) || (colour && *colour))
		return true;
	for (size_t i = 0; term && *term && i < COUNTOF(known); i++)
		if (u_glob_match(known[i], strlen(known[i]), term, strlen(term), 0))
			return true;
	return false;
}

void ls_colors_init(struct ls *o)
{
	const char *text = u_getenv(o->p, "LS_COLORS");
	struct ls_colors *c = u_zalloc(o->p, sizeof(*c));

	o->color = o->color && colours_wanted(o->p);
	set_defaults(c);
	o->colors = c;
	if (o->color && text && !parse(o, c, text)) {
		u_warn(o->p, 0, "unparsable value for LS_COLORS environment variable");
		o->color = false;
	}
}

static bool is_coloured(const struct ls_colors *c, enum kind k)
{
	return c->code[k] && c->code[k][0] && !streq(c->code[k], "0") && !streq(c->code[k], "00");
}

static bool ends_with(const char *name, const struct suffix *x)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < x->len; i++) {
		if (n < x->len || ascii_tolower(name[n - x->len + i]) != ascii_tolower(x->text[i]))
			return false;
	}
	return true;
}

static enum kind file_kind(const struct ls_colors *c, uint32_t mode, uint32_t nlink)
{
	if ((mode & 04000) && is_coloured(c, K_SU))
		return K_SU;
	if ((mode & 02000) && is_coloured(c, K_SG))
		return K_SG;
	if ((mode & 0111) && is_coloured(c, K_EX))
		return K_EX;
	return nlink > 1 && is_coloured(c, K_MH) ? K_MH : K_FI;
}

static enum kind dir_kind(const struct ls_colors *c, uint32_t mode)
{
	if ((mode & 01002) == 01002 && is_coloured(c, K_TW))
		return K_TW;
	if ((mode & 0002) && is_coloured(c, K_OW))
		return K_OW;
	return (mode & 01000) && is_coloured(c, K_ST) ? K_ST : K_DI;
}

const char *ls_color_of(const struct ls *o, const char *name, uint32_t mode, uint32_t nlink, bool is_link, uint32_t target)
{
	const struct ls_colors *c = o->colors;
	enum kind k;

	if (is_link && !target && c->code[K_OR])
		k = K_OR;
	else if (is_link && !(c->follow_links && target))
		k = K_LN;
	else
		switch ((is_link ? target : mode) & SYS_S_TYPE) {
		case SYS_S_DIR: k = dir_kind(c, is_link ? target : mode); break;
		case SYS_S_FIFO: k = K_PI; break;
		case SYS_S_SOCK: k = K_SO; break;
		case SYS_S_CHAR: k = K_CD; break;
		case SYS_S_BLOCK: k = K_BD; break;
		default: k = file_kind(c, is_link ? target : mode, nlink); break;
		}
	if (k == K_LN && c->follow_links)
		return NULL;
	for (const struct suffix *x = c->suffixes; k == K_FI && x; x = x->next) {
		if (ends_with(name, x))
			return x->code;
	}
	return c->code[k] && c->code[k][0] ? c->code[k] : NULL;
}

const char *ls_color_of_missing(const struct ls *o)
{
	const char *code = o->colors->code[K_MI] ? o->colors->code[K_MI] : o->colors->code[K_OR];

	return code && code[0] ? code : NULL;
}
