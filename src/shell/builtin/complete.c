/*
 * complete.c - complete and compopt: the table of completion rules.
 *
 * No line editor ever asks for them, but scripts set them up, print them and take them back. A
 * rule is kept as the text `complete -p` prints, behind the bits of its -o options as two hex
 * digits; the table lists in the order of bash's own.
 */
#include "../expand/value.h"
#include "args.h"

#define BASH_BUCKETS 512u

/* What bash calls the rules of -D, -E, -I. */
static const struct {
	char letter;
	const char *key;
} specials[] = {{'D', "_DefaultCmD_"}, {'E', "_EmptycmD_"}, {'I', "_InitialWorD_"}};

static const char *const option_names[] = {"bashdefault", "default", "dirnames", "filenames",
                                           "noquote",     "nosort",  "nospace",  "plusdirs"};

/* In the order they are printed in; a letter when there is one. */
static const struct {
	char letter;
	const char *name;
} actions[] = {{'a', "alias"},   {'b', "builtin"}, {'c', "command"},  {'d', "directory"},
               {'e', "export"},  {'f', "file"},    {'g', "group"},    {'j', "job"},
               {'k', "keyword"}, {'s', "service"}, {'u', "user"},     {'v', "variable"},
               {0, "arrayvar"},  {0, "binding"},   {0, "disabled"},   {0, "enabled"},
               {0, "function"},  {0, "helptopic"}, {0, "hostname"},   {0, "running"},
               {0, "setopt"},    {0, "shopt"},     {0, "signal"},     {0, "stopped"}};

/* ---- The table ----------------------------------------------------------------------- */

static void put(struct shell *sh, const char *key, unsigned options, const char *rest)
{
	struct shell_state *st = sh->st;
	const char *text = u_format(sh->p, "%02x%s", options, rest);

	if (!st->completions) {
		assoc_own(st->heap, &st->completions);
		st->completions->buckets = BASH_BUCKETS;
	}
	assoc_own(st->heap, &st->completions);
	assoc_set(st->heap, &st->completions, str_from(key), text, strlen(text), false);
}

static const char *get(struct shell *sh, const char *key, unsigned *options)
{
	struct vstr *v = assoc_at(sh->st->completions, str_from(key));

	*options = 0;
	if (!v)
		return NULL;
	for (int i = 0; i < 2; i++) {
		char c = v->s[i];

		*options = *options * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return v->s + 2;
}

static int no_rule(struct shell *sh, const char *key)
{
	builtin_error(sh, "%s: no completion specification", key);
	return 1;
}

static void print_name(struct shell *sh, const char *key)
{
	for (size_t i = 0; i < COUNTOF(specials); i++)
		if (streq(key, specials[i].key)) {
			u_printf(&sh->out, "-%c\n", specials[i].letter);
			return;
		}
	u_printf(&sh->out, "%s\n", key);
}

static int print_one(struct shell *sh, const char *key)
{
	unsigned options;
	const char *rest = get(sh, key, &options);

	if (!rest)
		return no_rule(sh, key);
	u_puts(&sh->out, "complete ");
	for (size_t i = 0; i < COUNTOF(option_names); i++)
		if (options & 1u << i)
			u_printf(&sh->out, "-o %s ", option_names[i]);
	u_puts(&sh->out, rest);
	print_name(sh, key);
	return 0;
}

static int print_all(struct shell *sh)
{
	const struct vassoc *a = sh->st->completions;
	uint32_t *order;

	if (!a || !a->n)
		return 0;
	order = u_array(sh->p, a->n, sizeof *order);
	assoc_order(a, order);
	for (uint32_t i = 0; i < a->n; i++)
		(void)print_one(sh, a->e[order[i]].key->s);
	return 0;
}

static int drop(struct shell *sh, const char *key)
{
	if (!assoc_at(sh->st->completions, str_from(key)))
		return no_rule(sh, key);
	assoc_own(sh->st->heap, &sh->st->completions);
	assoc_unset(sh->st->heap, &sh->st->completions, str_from(key));
	return 0;
}

/* ---- Options ------------------------------------------------------------------------------ */

struct rule {
	struct shell *sh;
	unsigned options;
	uint32_t actions;
	const char *globs, *words, *prefix, *suffix, *filter, *command, *function;
	bool any; /* something that shapes a rule was given */
};

int complete_option(struct shell *sh, const char *name)
{
	for (size_t i = 0; i < COUNTOF(option_names); i++)
		if (streq(name, option_names[i]))
			return (int)i;
	builtin_error(sh, "%s: invalid option name", name);
	return -1;
}

static bool add_action(struct rule *r, const char *name)
{
	for (size_t i = 0; i < COUNTOF(actions); i++)
		if (streq(name, actions[i].name)) {
			r->actions |= 1u << i;
			return true;
		}
	builtin_error(r->sh, "%s: invalid action name", name);
	return false;
}

static bool add_letter(struct rule *r, int letter)
{
	for (size_t i = 0; i < COUNTOF(actions); i++)
		if (letter == actions[i].letter)
			r->actions |= 1u << i;
	return true;
}

static bool rule_option(struct rule *r, int c, const char *value)
{
	int i;

	r->any = true;
	switch (c) {
	case 'o':
		i = complete_option(r->sh, value);
		if (i >= 0)
			r->options |= 1u << i;
		return i >= 0;
	case 'A': return add_action(r, value);
	case 'G': r->globs = value; return true;
	case 'W': r->words = value; return true;
	case 'P': r->prefix = value; return true;
	case 'S': r->suffix = value; return true;
	case 'X': r->filter = value; return true;
	case 'C': r->command = value; return true;
	case 'F':
		if (strpbrk(value, " \t\n()<>;&|") || !*value) {
			builtin_error(r->sh, "`%s': not a valid identifier", value);
			return false;
		}
		r->function = value;
		return true;
	default: return add_letter(r, c);
	}
}

static void quoted(struct u_buf *b, const char *option, const char *value)
{
	if (!value)
		return;
	u_buf_printf(b, "%s ", option);
	u_shell_quote_single(b, value, strlen(value));
	u_buf_putc(b, ' ');
}

/* All but the -o options and the name, as it is printed. */
static const char *rule_text(const struct rule *r)
{
	struct u_buf b;

	u_buf_init(&b, r->sh->p, EXPAND_WORD_MAX);
	for (size_t i = 0; i < COUNTOF(actions); i++) {
		if (!(r->actions & 1u << i))
			continue;
		if (actions[i].letter)
			u_buf_printf(&b, "-%c ", actions[i].letter);
		else
			u_buf_printf(&b, "-A %s ", actions[i].name);
	}
	quoted(&b, "-G", r->globs);
	quoted(&b, "-W", r->words);
	quoted(&b, "-P", r->prefix);
	quoted(&b, "-S", r->suffix);
	quoted(&b, "-X", r->filter);
	quoted(&b, "-C", r->command);
	if (r->function)
		u_buf_printf(&b, "-F %s ", r->function);
	return u_strndup(r->sh->p, b.ptr ? b.ptr : "", b.len);
}

/* ---- complete -------------------------------------------------------------------------------- */

struct request {
	bool print, remove;
	const char *special; /* of -D, -E, -I: in place of names */
};

static const char *special_of(int c)
{
	for (size_t i = 0; i < COUNTOF(specials); i++)
		if (c == specials[i].letter)
			return specials[i].key;
	return NULL;
}

static int on_each(struct rule *r, const struct request *q, const char *text, const char *key)
{
	if (q->remove)
		return drop(r->sh, key);
	if (q->print)
		return print_one(r->sh, key);
	put(r->sh, key, r->options, text);
	return 0;
}

int builtin_complete(struct shell *sh, int argc, char **argv)
{
	struct rule r = {.sh = sh};
	struct request q = {0};
	struct args a;
	int c, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "abcdefgjksuvprDEIo:A:G:W:F:C:X:P:S:")) > 0) {
		q.print |= c == 'p';
		q.remove |= c == 'r';
		if (special_of(c))
			q.special = special_of(c);
		else if (c != 'p' && c != 'r' && !rule_option(&r, c, a.value))
			return USAGE_STATUS;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (q.special)
		return on_each(&r, &q, rule_text(&r), q.special);
	if (a.i >= argc) {
		if (q.remove) {
			assoc_put(sh->st->heap, sh->st->completions);
			sh->st->completions = NULL;
			return 0;
		}
		return q.print || !r.any ? print_all(sh) : builtin_usage(sh);
	}
	for (; a.i < argc; a.i++)
		if (on_each(&r, &q, rule_text(&r), argv[a.i]))
			status = 1;
	return status;
}

/* ---- compopt ------------------------------------------------------------------------------------ */

static int change(struct shell *sh, const char *key, unsigned on, unsigned off)
{
	unsigned options;
	const char *rest = get(sh, key, &options);

	if (!rest)
		return no_rule(sh, key);
	if (on | off) {
		put(sh, key, (options | on) & ~off, rest);
		return 0;
	}
	u_puts(&sh->out, "compopt ");
	for (size_t i = 0; i < COUNTOF(option_names); i++)
		u_printf(&sh->out, "%co %s ", options & 1u << i ? '-' : '+', option_names[i]);
	print_name(sh, key);
	return 0;
}

int builtin_compopt(struct shell *sh, int argc, char **argv)
{
	const char *special = NULL;
	unsigned on = 0, off = 0;
	struct args a;
	int c, i, status = 0;

	args_init(&a, sh, argc, argv);
	while ((c = args_next(&a, "+o:DEI")) > 0) {
		if (special_of(c)) {
			special = special_of(c);
			continue;
		}
		i = complete_option(sh, a.value);
		if (i < 0)
			return USAGE_STATUS;
		*(a.on ? &on : &off) |= 1u << i;
	}
	if (c < 0)
		return USAGE_STATUS;
	if (special)
		return change(sh, special, on, off);
	if (a.i >= argc) {
		builtin_error(sh, "not currently executing completion function");
		return 1;
	}
	for (; a.i < argc; a.i++)
		if (change(sh, argv[a.i], on, off))
			status = 1;
	return status;
}
