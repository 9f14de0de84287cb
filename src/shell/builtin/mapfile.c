/* mapfile.c - mapfile, also called readarray: lines into an indexed array. */
#include "args.h"

#define QUANTUM 5000

struct mapfile {
	struct shell *sh;
	int fd;
	char delim;
	int64_t count, origin, skip, quantum;
	bool strip, has_origin;
	const char *callback;
	struct str name;
};

static bool number(struct shell *sh, const char *s, int64_t min, const char *what, int64_t *out)
{
	if (args_number(s, out) && *out >= min && *out <= INT32_MAX)
		return true;
	builtin_error(sh, "%s: %s", s, what);
	return false;
}

static int parse(struct mapfile *m, struct args *a)
{
	struct shell *sh = m->sh;
	int64_t n;
	int c;

	while ((c = args_next(a, "d:u:n:O:tC:c:s:")) > 0) {
		bool ok = true;

		switch (c) {
		case 'd': m->delim = *a->value; break;
		case 'u':
			ok = number(sh, a->value, 0, "invalid file descriptor specification", &n);
			if (ok && sys_fd_flags(sh->p, (int)n) < 0) {
				builtin_error(sh, "%d: invalid file descriptor: %s", (int)n,
				              errno_text(NACRE_EBADF));
				return 1;
			}
			m->fd = (int)n;
			break;
		case 'n': ok = number(sh, a->value, 0, "invalid line count", &m->count); break;
		case 'O':
			ok = number(sh, a->value, 0, "invalid array origin", &m->origin);
			m->has_origin = true;
			break;
		case 't': m->strip = true; break;
		case 'C': m->callback = a->value; break;
		case 'c':
			ok = number(sh, a->value, 1, "invalid callback quantum", &m->quantum);
			break;
		case 's': ok = number(sh, a->value, 0, "invalid line count", &m->skip); break;
		default: break;
		}
		if (!ok)
			return 1;
	}
	return c < 0 ? USAGE_STATUS : 0;
}

/* The callback is a command to which the index and the line are added. */
static void call_back(struct mapfile *m, int64_t index, struct str line)
{
	struct shell *sh = m->sh;
	struct u_buf b;

	u_buf_init(&b, sh->p, 0);
	u_buf_printf(&b, "%s %lld ", m->callback, (long long)index);
	u_shell_quote_single(&b, line.ptr, line.len);
	u_flush(&sh->out);
	unit_run(sh, UNIT_EVAL, (struct str){b.ptr, b.len}, "mapfile", sh->st->line, NULL);
}

static int lines(struct mapfile *m)
{
	struct shell *sh = m->sh;
	const char *name = u_strndup(sh->p, m->name.ptr, m->name.len);
	struct u_lines r;
	struct str line;
	int64_t seen = 0, stored = 0;
	int e;

	u_lines_init(&r, sh->p, m->fd, m->delim);
	while ((m->count == 0 || stored < m->count) && u_lines_next(&r, &line)) {
		struct str text = line;

		if (seen++ < m->skip)
			continue;
		/* The delimiter is kept unless -t; NUL ends a string anyway. */
		if (!m->strip && r.ended && m->delim) {
			char *s = u_alloc(sh->p, line.len + 2);

			memcpy(s, line.ptr, line.len);
			s[line.len] = m->delim;
			text = (struct str){s, line.len + 1};
		}
		stored++;
		if (m->callback && stored % m->quantum == 0) {
			call_back(m, m->origin + stored - 1, text);
			if (sh->flow != FLOW_NONE)
				break;
		}
		e = state_put_elem(sh->st, str_from(name), VAR_VISIBLE, m->origin + stored - 1,
		                   text, false);
		if (e) {
			builtin_assign_error(sh, name, e);
			u_lines_stop(&r);
			return 1;
		}
	}
	/* A failed read ends the input without a word, as in bash. */
	u_lines_stop(&r);
	return 0;
}

int builtin_mapfile(struct shell *sh, int argc, char **argv)
{
	struct mapfile m = {.sh = sh, .delim = '\n', .quantum = QUANTUM};
	const struct var *v;
	struct args a;
	int status;

	args_init(&a, sh, argc, argv);
	status = parse(&m, &a);
	if (status)
		return status;
	m.name = a.i < argc ? str_from(argv[a.i]) : STR("MAPFILE");
	if (m.name.len == 0) {
		builtin_error(sh, "empty array variable name");
		return 1;
	}
	if (!name_valid(m.name)) {
		builtin_error(sh, "`%s': not a valid identifier", m.name.ptr);
		return 1;
	}
	if (state_resolve(sh->st, m.name, &m.name) || !name_valid(m.name))
		m.name = a.i < argc ? str_from(argv[a.i]) : STR("MAPFILE");
	v = state_find(sh->st, m.name);
	if (v && (v->flags & VAR_ASSOC)) {
		builtin_error(sh, "%.*s: not an indexed array", (int)m.name.len, m.name.ptr);
		return 1;
	}
	if (!m.has_origin) {
		status = state_clear_array(sh->st, m.name, VAR_VISIBLE);
		if (status) {
			builtin_assign_error(sh, u_strndup(sh->p, m.name.ptr, m.name.len), status);
			return 1;
		}
	}
	return lines(&m);
}
