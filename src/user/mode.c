/* mode.c - file modes as text: "drwxr-xr-x", and chmod's little language.
 *
 * A parsed mode is a list of changes applied in order. Octal is one change that sets
 * everything, except that set-id bits of a directory stay unless five digits name them. */
#include "user.h"

#define ALL    07777u
#define SET_ID 06000u

enum value_kind { VALUE_PLAIN, VALUE_COPY, VALUE_X_IF_ANY };

struct change {
	char op;
	enum value_kind kind;
	uint32_t who; /* the bits that may change; 0: no letter was given, the umask decides */
	uint32_t value;
	uint32_t
	        mentioned; /* the bits named: a directory's set-id bits change only when they are */
};

struct u_mode {
	size_t n;
	struct change v[];
};

void u_mode_string(uint32_t mode, char *buf)
{
	static const char types[16][2] = {"?", "p", "c", "?", "d", "?", "b", "?",
	                                  "-", "?", "l", "?", "s", "?", "?", "?"};
	static const char letters[] = "rwxrwxrwx";

	buf[0] = types[(mode & SYS_S_TYPE) >> 12][0];
	for (int i = 0; i < 9; i++)
		buf[i + 1] = mode & (0400u >> i) ? letters[i] : '-';
	if (mode & 04000)
		buf[3] = mode & 0100 ? 's' : 'S';
	if (mode & 02000)
		buf[6] = mode & 0010 ? 's' : 'S';
	if (mode & 01000)
		buf[9] = mode & 0001 ? 't' : 'T';
	buf[10] = '\0';
}

/* Octal digits at *s; false when there are none or too many. */
static bool read_octal(const char **s, struct change *c)
{
	const char *start = *s;
	uint32_t v = 0;

	while (**s >= '0' && **s <= '7') {
		v = v * 8 + (uint32_t)(**s - '0');
		(*s)++;
		if (v > ALL)
			return false;
	}
	if (*s == start)
		return false;
	c->value = v;
	c->mentioned = *s - start < 5 ? (v & (SET_ID | 01000)) | 0777 : ALL;
	return true;
}

static const char *read_who(const char *s, uint32_t *who)
{
	for (;; s++) {
		switch (*s) {
		case 'u': *who |= 04700; break;
		case 'g': *who |= 02070; break;
		case 'o': *who |= 01007; break;
		case 'a': *who |= ALL; break;
		default: return s;
		}
	}
}

static const char *read_letters(const char *s, struct change *c)
{
	for (;; s++) {
		switch (*s) {
		case 'r': c->value |= 0444; break;
		case 'w': c->value |= 0222; break;
		case 'x': c->value |= 0111; break;
		case 'X': c->kind = VALUE_X_IF_ANY; break;
		case 's': c->value |= SET_ID; break;
		case 't': c->value |= 01000; break;
		default: return s;
		}
	}
}

/* What follows an operator. */
static const char *read_value(const char *s, struct change *c)
{
	if (ascii_digit((unsigned char)*s)) {
		if (c->who || !read_octal(&s, c) || (*s && *s != ','))
			return NULL;
		c->who = c->mentioned = ALL;
		return s;
	}
	if (*s == 'u' || *s == 'g' || *s == 'o') {
		c->kind = VALUE_COPY;
		c->value = *s == 'u' ? 0700 : *s == 'g' ? 0070 : 0007;
		s++;
	} else {
		s = read_letters(s, c);
	}
	c->mentioned = c->who ? c->who & c->value : c->value;
	return s;
}

const struct u_mode *u_mode_parse(struct proc *p, const char *s)
{
	/* Each change takes at least one character. */
	struct u_mode *m = u_zalloc(
	        p, size_add(sizeof(*m), size_mul(strlen(s) + 1, sizeof(struct change))));

	if (ascii_digit((unsigned char)*s)) {
		m->v[0] = (struct change){.op = '=', .who = ALL};
		m->n = 1;
		return read_octal(&s, &m->v[0]) && !*s ? m : NULL;
	}
	for (;; s++) {
		uint32_t who = 0;

		s = read_who(s, &who);
		do {
			struct change *c = &m->v[m->n++];

			if (*s != '+' && *s != '-' && *s != '=')
				return NULL;
			*c = (struct change){.op = *s, .who = who};
			s = read_value(s + 1, c);
			if (!s)
				return NULL;
		} while (*s == '+' || *s == '-' || *s == '=');
		if (!*s)
			return m;
		if (*s != ',')
			return NULL;
	}
}

static uint32_t copied(uint32_t mode, uint32_t from)
{
	uint32_t v = mode & from;

	return (v & 0444 ? 0444u : 0) | (v & 0222 ? 0222u : 0) | (v & 0111 ? 0111u : 0);
}

uint32_t u_mode_apply(const struct u_mode *m, uint32_t old, bool is_dir, uint32_t umask)
{
	uint32_t mode = old & ALL;

	for (size_t i = 0; i < m->n; i++) {
		const struct change *c = &m->v[i];
		uint32_t keep = is_dir ? SET_ID & ~c->mentioned : 0, value = c->value;

		if (c->kind == VALUE_COPY)
			value = copied(mode, c->value);
		else if (c->kind == VALUE_X_IF_ANY && (is_dir || (mode & 0111)))
			value |= 0111;
		value &= (c->who ? c->who : ~umask) & ~keep;
		if (c->op == '+')
			mode |= value;
		else if (c->op == '-')
			mode &= ~value;
		else
			mode = (mode & ((c->who ? ~c->who : 0) | keep)) | value;
	}
	return mode & ALL;
}
