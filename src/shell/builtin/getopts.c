/*
 * getopts.c - getopts: one option a call, the position in OPTIND and in the state.
 */
#include "args.h"

struct scan {
	struct shell *sh;
	const char *letters, *name;
	bool silent, quiet;
	char **v; /* v[0] is the first argument to look at */
	uint32_t n;
	uint32_t ind; /* OPTIND */
};

static int finish(struct scan *s, const char *value, struct str optarg, bool has_arg, int status)
{
	struct shell *sh = s->sh;
	uint32_t at = sh->st->getopts_at;
	char num[24];

	/* An assignment to OPTIND starts the scan anew: this one does not mean that. */
	state_set(sh->st, STR("OPTIND"), (struct str){num, num_put_i64(num, s->ind)});
	sh->st->getopts_ind = s->ind;
	sh->st->getopts_at = at;
	if (has_arg)
		state_set(sh->st, STR("OPTARG"), optarg);
	else
		state_unset(sh->st, STR("OPTARG"));
	if (!args_assign(sh, s->name, str_from(value)))
		return 1;
	return status;
}

static void complain(struct scan *s, const char *what, char c)
{
	struct shell *sh = s->sh;
	const char *text;

	if (s->quiet)
		return;
	text = u_format(sh->p, "%s: %s -- %c\n", sh->st->arg0 ? sh->st->arg0->s : "bash", what, c);
	u_flush(&sh->out);
	(void)!u_write_all(sh->p, 2, text, strlen(text));
}

static int one(struct scan *s)
{
	struct shell_state *st = s->sh->st;
	uint32_t at = st->getopts_at;
	const char *word = s->ind <= s->n ? s->v[s->ind - 1] : NULL, *hit;
	char name[2] = {0};

	if (s->ind > s->n) {
		s->ind = s->n + 1;
		st->getopts_at = 0;
		return finish(s, "?", STR(""), false, 1);
	}
	if (at == 0) {
		if (!word || word[0] != '-' || word[1] == '\0')
			return finish(s, "?", STR(""), false, 1);
		if (streq(word, "--")) {
			s->ind++;
			return finish(s, "?", STR(""), false, 1);
		}
		at = 1;
	}
	if (!word || at >= strlen(word)) {
		st->getopts_at = 0;
		return finish(s, "?", STR(""), false, 1);
	}
	name[0] = word[at++];
	hit = name[0] == ':' ? NULL : strchr(s->letters, name[0]);
	if (word[at] == '\0') {
		s->ind++;
		at = 0;
	}
	st->getopts_at = at;
	if (!hit) {
		if (!s->silent)
			complain(s, "illegal option", name[0]);
		return finish(s, "?", (struct str){name, 1}, s->silent, 0);
	}
	if (hit[1] != ':')
		return finish(s, name, STR(""), false, 0);
	st->getopts_at = 0;
	if (at) {
		s->ind++;
		return finish(s, name, str_from(word + at), true, 0);
	}
	if (s->ind <= s->n) {
		s->ind++;
		return finish(s, name, str_from(s->v[s->ind - 2]), true, 0);
	}
	if (s->silent)
		return finish(s, ":", (struct str){name, 1}, true, 0);
	complain(s, "option requires an argument", name[0]);
	return finish(s, "?", STR(""), false, 0);
}

int builtin_getopts(struct shell *sh, int argc, char **argv)
{
	struct scan s = {.sh = sh};
	char buf[VALUE_BUF];
	struct str v;
	int64_t ind = 1;
	int i = args_none(sh, argc, argv);

	if (i < 0)
		return USAGE_STATUS;
	if (argc - i < 2)
		return builtin_usage(sh);
	s.letters = argv[i];
	s.name = argv[i + 1];
	if (*s.letters == ':') {
		s.silent = true;
		s.letters++;
	}
	if (state_get(sh->st, STR("OPTERR"), buf, &v) && str_is(v, "0"))
		s.quiet = true;
	if (state_get(sh->st, STR("OPTIND"), buf, &v)) {
		ind = num_i64(u_strndup(sh->p, v.ptr, v.len), &(const char *){NULL}, 10, NULL);
		if (ind < 1 || ind > INT32_MAX)
			ind = 1;
	}
	s.ind = (uint32_t)ind;
	if (s.ind != sh->st->getopts_ind)
		sh->st->getopts_at = 0;
	if (argc - i > 2) {
		s.v = argv + i + 2;
		s.n = (uint32_t)(argc - i - 2);
	} else {
		s.n = (uint32_t)params_count(sh->st);
		s.v = u_array(sh->p, s.n + 1, sizeof *s.v);
		for (uint32_t k = 0; k < s.n; k++) {
			struct str p = params_at(sh->st, k + 1);

			s.v[k] = u_strndup(sh->p, p.ptr, p.len);
		}
	}
	return one(&s);
}
