/* options.c - the command line of nacre. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORDS 10000 /* commands that are told of one by one */

static const char usage[] =
	"Usage: nacre [OPTION]... [-c SCRIPT [NAME [ARG]...] | FILE [ARG]...]\n"
	"   or: nacre explain [OPTION]... PATH|URL|COMMAND\n"
	"   or: nacre fmt|parse [OPTION]... [FILE]...\n"
	"   or: nacre replay FILE\n"
	"   or: nacre prompt [OPTION]... [SUBJECT]\n"
	"Run a shell script in a sandbox inside this process.\n"
	"\n"
	"  -c, --command SCRIPT      run SCRIPT; NAME is its $0, the ARGs its $1 and so on\n"
	"      --mount HOST:PATH[:ro|:rw|:overlay]\n"
	"                            show the directory HOST at PATH (rw when not said); an overlay\n"
	"                            can be written, and HOST stays as it is until --commit. Behind :rw and\n"
	"                            :overlay what it may hold: ,bytes=1G ,files=1000 ,file-size=64M\n"
	"      --changes FILE        in the end write the list of what overlays change to FILE (- for\n"
	"                            standard output): A added, M modified, D deleted, R renamed,\n"
	"                            P permissions, T time; ! when HOST has changed too\n"
	"      --diff FILE           the same as a patch, for git apply and patch -p1\n"
	"      --commit              when the script succeeds, make HOST what the overlay shows;\n"
	"                            refused when a file has changed on HOST meanwhile\n"
	"      --session FILE        go on with the sandbox that FILE holds, when there is one, and keep it\n"
	"                            there in the end: files in memory, overlays, the shell's state\n"
	"      --cwd PATH            start in PATH instead of /workspace\n"
	"      --env NAME=VALUE      set an environment variable of the script\n"
	"      --policy FILE             set what the JSON file says (docs/policy.md); options after it\n"
	"                            override it\n"
	"      --profile NAME            rules by name: default, strict-subset, restricted, remediation\n"
	"      --mode read-only|remediation\n"
	"                            the restricted profile: looking only, or redirection to files too\n"
	"  -p, --allowed-paths PATH[:ro|:rw][,...]\n"
	"                            show host directories at their own paths; nothing else is there\n"
	"      --allowed-commands rshell:NAME[,...]\n"
	"                            only these commands may be run\n"
	"      --allow-all-commands  all commands may be run\n"
	"      --deny-path PATTERN   refuse reading and writing what PATTERN matches: * within a\n"
	"                            name, ** for any names; without a leading / at any depth\n"
	"      --timeout TIME        stop after TIME: 500ms, 30s, 1m; 0 for none (default 30s)\n"
	"      --memory SIZE         memory of the sandbox: 512M, 1G; 0 for none (default 512M)\n"
	"      --max-procs N         processes at once (default 1024)\n"
	"      --output-limit SIZE   bytes of each output stream; the rest is dropped and counted\n"
	"                            (default 4M with --json and in the REPL; none otherwise)\n"
	"      --keep head|tail|both     which part of an output beyond its limit is kept (default head;\n"
	"                            with --json and --text)\n"
	"      --spill DIR               output beyond the limit also goes to a file in DIR, at most 64M\n"
	"                            (with --json and --text)\n"
	"      --text                    print the whole result as one text, with what stopped it and\n"
	"                            what was refused\n"
	"      --trace FILE              write what ran, and when, for chrome://tracing or Perfetto\n"
	"      --audit FILE              append what ran and what was refused, a JSON object a line\n"
	"      --json                print the whole result as one JSON object\n"
	"\n"
	"explain says what the options and the policy would allow, and which rule refuses; a\n"
	"word without / is a command. prompt prints what a model should be told of such a sandbox.\n"
	"\n"
	"  -h, --help                print this text\n"
	"  -v, --version             print the version\n"
	"\n"
	"Without -c and FILE the script is read from standard input; on a terminal a prompt is\n"
	"shown. Nothing of the host is reachable but what is mounted.\n"
	"\n"
	"The exit status is the script's; 124 when it was timed out, 130 and 143 when SIGINT or\n"
	"SIGTERM stopped it, 137 when it hit a budget, 2 when it does not parse.\n";

static enum cli_parse bad(const char *format, const char *a, const char *b)
{
	fputs("nacre: ", stderr);
	fprintf(stderr, format, a, b);
	fputs("\nTry 'nacre --help' for more information.\n", stderr);
	return CLI_EXIT_USAGE;
}

bool cli_parse_duration(const char *s, int64_t *ns)
{
	double total = 0;

	if (strcmp(s, "0") == 0) {
		*ns = 0;
		return true;
	}
	if (!*s)
		return false;
	while (*s) {
		static const struct {
			const char *name;
			double ns;
		} units[] = {{"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
		double value = 0, scale = 1;
		bool digits = false, found = false;

		for (; *s >= '0' && *s <= '9'; s++, digits = true)
			value = value * 10 + (*s - '0');
		if (*s == '.')
			for (s++; *s >= '0' && *s <= '9'; s++, digits = true)
				value += (*s - '0') * (scale /= 10);
		if (!digits)
			return false;
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !found; i++) {
			size_t n = strlen(units[i].name);

			if (strncmp(s, units[i].name, n) == 0) {
				total += value * units[i].ns;
				s += n;
				found = true;
			}
		}
		if (!found || total > 9e18)
			return false;
	}
	*ns = (int64_t)total;
	return total >= 1;
}

bool cli_parse_bytes(const char *s, uint64_t *bytes)
{
	uint64_t v = 0;
	unsigned shift = 0;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	switch (*s) {
	case 'k': case 'K': shift = 10; break;
	case 'm': case 'M': shift = 20; break;
	case 'g': case 'G': shift = 30; break;
	default: break;
	}
	if (shift) {
		s++;
		if (s[0] == 'i' && s[1] == 'B')
			s += 2;
		else if (*s == 'B')
			s++;
	}
	if (*s || v > UINT64_MAX >> shift)
		return false;
	*bytes = v << shift;
	return true;
}

/* "bytes=1M,files=100,file-size=64K"; cut apart. */
static bool parse_quota(char *s, uint64_t quota[3])
{
	static const char *const names[] = {"bytes=", "files=", "file-size="};

	while (s) {
		char *comma = strchr(s, ',');
		unsigned i = 0;

		if (comma)
			*comma = '\0';
		while (i < 3 && strncmp(s, names[i], strlen(names[i])) != 0)
			i++;
		if (i == 3 || quota[i] || !cli_parse_bytes(s + strlen(names[i]), &quota[i]) || !quota[i])
			return false;
		s = comma ? comma + 1 : NULL;
	}
	return true;
}

/* ":ro", ":rw" or ":overlay" at the end of `s`, with ",bytes=..." behind it or without: cut off. */
static bool take_access(char *s, unsigned *flags, uint64_t quota[3])
{
	static const struct {
		const char *name;
		unsigned flags;
	} known[] = {{"ro", NACRE_MOUNT_READ_ONLY}, {"rw", NACRE_MOUNT_READ_WRITE}, {"overlay", NACRE_MOUNT_OVERLAY}};
	char *last = strrchr(s, ':');
	size_t n = last ? strcspn(last + 1, ",") : 0;

	for (size_t i = 0; last && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].name) != n || strncmp(last + 1, known[i].name, n) != 0)
			continue;
		*flags = known[i].flags;
		*last = '\0';
		return !last[1 + n] || parse_quota(last + 2 + n, quota);
	}
	return true;
}

/* HOST:PATH[:ACCESS[,QUOTA...]]; HOST may hold colons, PATH may not. */
static enum cli_parse add_mount(struct cli_options *o, const char *arg)
{
	char *copy = strdup(arg), *colon;
	unsigned flags = NACRE_MOUNT_READ_WRITE;
	uint64_t quota[3] = {0, 0, 0};
	enum cli_parse r = CLI_RUN;

	if (!copy)
		return bad("out of memory%s%s", "", "");
	if (!take_access(copy, &flags, quota)) {
		free(copy);
		return bad("invalid mount '%s': a quota is bytes=SIZE, files=NUMBER or file-size=SIZE, above 0, each once%s", arg, "");
	}
	colon = strrchr(copy, ':');
	if (!colon || colon == copy || colon[1] != '/') {
		r = bad("invalid mount '%s': it must be HOST:PATH, HOST:PATH:ro, HOST:PATH:rw or HOST:PATH:overlay with an absolute PATH%s", arg,
			"");
	} else {
		*colon = '\0';
		if (nacre_config_mount(o->config, copy, colon + 1, flags) < 0 ||
		    ((quota[0] || quota[1] || quota[2]) && nacre_config_mount_quota(o->config, colon + 1, quota[0], quota[1], quota[2]) < 0))
			r = bad("invalid mount '%s': %s", arg, nacre_config_error(o->config));
	}
	free(copy);
	return r;
}

static enum cli_parse add_env(struct cli_options *o, const char *arg)
{
	const char *eq = strchr(arg, '=');
	char *name = eq ? strndup(arg, (size_t)(eq - arg)) : NULL;
	enum cli_parse r = CLI_RUN;

	if (!eq)
		return bad("invalid variable '%s': it must be NAME=VALUE%s", arg, "");
	if (!name || nacre_config_env(o->config, name, eq + 1) < 0)
		r = bad("invalid variable '%s': %s", arg, name ? nacre_config_error(o->config) : "out of memory");
	free(name);
	return r;
}

static enum cli_parse read_policy(struct cli_options *o, const char *path)
{
	size_t len;
	char *text = cli_read_file(path, &len);
	enum cli_parse r = CLI_RUN;

	if (!text)
		return bad("%s: %s", path, strerror(errno));
	if (nacre_config_policy(o->config, path, text, len) < 0) {
		fprintf(stderr, "nacre: %s\n", nacre_config_error(o->config));
		r = CLI_EXIT_USAGE;
	}
	free(text);
	return r;
}

/* Calls `take` with each of the entries between commas. */
static enum cli_parse each_entry(struct cli_options *o, const char *list,
				 enum cli_parse (*take)(struct cli_options *o, char *entry))
{
	char *copy = strdup(list), *at = copy;
	enum cli_parse r = copy ? CLI_RUN : bad("out of memory%s%s", "", "");

	while (at && r == CLI_RUN) {
		char *comma = strchr(at, ',');

		if (comma)
			*comma = '\0';
		r = take(o, at);
		at = comma ? comma + 1 : NULL;
	}
	free(copy);
	return r;
}

static enum cli_parse allow_path(struct cli_options *o, char *path)
{
	size_t n = strlen(path);
	unsigned flags = NACRE_MOUNT_READ_ONLY;

	if (n > 3 && (strcmp(path + n - 3, ":ro") == 0 || strcmp(path + n - 3, ":rw") == 0)) {
		flags = path[n - 1] == 'w' ? NACRE_MOUNT_READ_WRITE : NACRE_MOUNT_READ_ONLY;
		path[n - 3] = '\0';
	}
	if (nacre_config_allow_path(o->config, path, flags) < 0)
		return bad("invalid path '%s': %s", path, nacre_config_error(o->config));
	return CLI_RUN;
}

/* One list of names, each with its namespace. */
static enum cli_parse allow_commands(struct cli_options *o, const char *list)
{
	size_t n = 1, k = 0;
	char *copy = strdup(list), **v;
	enum cli_parse r = CLI_RUN;

	for (const char *s = list; *s; s++)
		n += *s == ',';
	v = calloc(n + 1, sizeof(*v));
	if (!copy || !v)
		r = bad("out of memory%s%s", "", "");
	for (char *at = copy; at && r == CLI_RUN;) {
		char *comma = strchr(at, ',');

		if (comma)
			*comma = '\0';
		if (!strchr(at, ':'))
			r = bad("invalid command '%s': it must be rshell:NAME%s", at, "");
		v[k++] = at;
		at = comma ? comma + 1 : NULL;
	}
	if (r == CLI_RUN && nacre_config_allow_commands(o->config, (const char *const *)v) < 0)
		r = bad("%s%s", nacre_config_error(o->config), "");
	free(v);
	free(copy);
	return r;
}

static enum cli_parse set_option(struct cli_options *o, const char *name, const char *arg)
{
	uint64_t n;

	if (strcmp(name, "command") == 0) {
		o->script = arg;
	} else if (strcmp(name, "mount") == 0) {
		return add_mount(o, arg);
	} else if (strcmp(name, "env") == 0) {
		return add_env(o, arg);
	} else if (strcmp(name, "cwd") == 0) {
		if (nacre_config_cwd(o->config, arg) < 0)
			return bad("invalid directory '%s': %s", arg, nacre_config_error(o->config));
	} else if (strcmp(name, "deny-path") == 0) {
		if (nacre_config_deny(o->config, arg, NACRE_ACCESS_READ | NACRE_ACCESS_WRITE) < 0)
			return bad("invalid pattern '%s': %s", arg, nacre_config_error(o->config));
	} else if (strcmp(name, "session") == 0) {
		o->session = arg;
	} else if (strcmp(name, "changes") == 0) {
		o->changes = arg;
	} else if (strcmp(name, "diff") == 0) {
		o->diff = arg;
	} else if (strcmp(name, "record") == 0) {
		o->record = arg;
	} else if (strcmp(name, "timeout") == 0) {
		int64_t ns;

		if (!cli_parse_duration(arg, &ns))
			return bad("invalid time '%s': it must be a number with a unit, such as 500ms, 30s or 1m; 0 for none%s",
				   arg, "");
		if (nacre_config_limit(o->config, NACRE_LIMIT_WALL_NS, (uint64_t)ns) < 0)
			return bad("invalid time '%s': %s", arg, nacre_config_error(o->config));
	} else if (strcmp(name, "trace") == 0 || strcmp(name, "audit") == 0) {
		*(name[0] == 't' ? &o->trace : &o->audit) = arg;
		if (nacre_config_records(o->config, RECORDS) < 0)
			return bad("%s%s", nacre_config_error(o->config), "");
	} else if (strcmp(name, "keep") == 0) {
		static const char *const names[] = {"head", "tail", "both"};
		unsigned i = 0;

		o->captured = "keep";
		while (i < 3 && strcmp(names[i], arg) != 0)
			i++;
		if (i == 3 || nacre_config_keep(o->config, (enum nacre_keep)i) < 0)
			return bad("invalid part '%s': it must be head, tail or both%s", arg, "");
	} else if (strcmp(name, "spill") == 0) {
		o->captured = "spill";
		if (nacre_config_spill(o->config, arg, (uint64_t)64 << 20) < 0)
			return bad("invalid directory '%s': %s", arg, nacre_config_error(o->config));
	} else if (strcmp(name, "profile") == 0) {
		if (nacre_config_profile(o->config, arg) < 0)
			return bad("%s%s", nacre_config_error(o->config), "");
	} else if (strcmp(name, "mode") == 0) {
		if (strcmp(arg, "read-only") != 0 && strcmp(arg, "remediation") != 0)
			return bad("invalid mode '%s': it must be read-only or remediation%s", arg, "");
		if (nacre_config_profile(o->config, strcmp(arg, "remediation") == 0 ? arg : "restricted") < 0)
			return bad("%s%s", nacre_config_error(o->config), "");
	} else if (strcmp(name, "allowed-paths") == 0) {
		return each_entry(o, arg, allow_path);
	} else if (strcmp(name, "allowed-commands") == 0) {
		return allow_commands(o, arg);
	} else if (strcmp(name, "proc-path") == 0) {
		return bad("--proc-path '%s' is not supported: ps shows the sandbox's own processes, of no host%s", arg, "");
	} else if (strcmp(name, "policy") == 0) {
		return read_policy(o, arg);
	} else if (strcmp(name, "memory") == 0) {
		if (!cli_parse_bytes(arg, &n))
			return bad("invalid size '%s': it must be a number of bytes, or one with K, M or G%s", arg, "");
		if (nacre_config_limit(o->config, NACRE_LIMIT_MEMORY, n) < 0)
			return bad("invalid size '%s': %s", arg, nacre_config_error(o->config));
	} else if (strcmp(name, "max-procs") == 0) {
		if (!cli_parse_bytes(arg, &n) || nacre_config_limit(o->config, NACRE_LIMIT_PROCS, n) < 0)
			return bad("invalid number of processes '%s'%s", arg, "");
	} else if (strcmp(name, "output-limit") == 0) {
		if (!cli_parse_bytes(arg, &n) || n == 0 || nacre_config_limit(o->config, NACRE_LIMIT_OUTPUT, n) < 0)
			return bad("invalid output limit '%s': it must be a number of bytes above 0, or one with K, M or G%s",
				   arg, "");
	}
	return CLI_RUN;
}

static enum cli_parse long_option(struct cli_options *o, const char *arg, char **next, int *used)
{
	static const struct {
		const char *name;
		bool argument;
	} known[] = {{"command", true}, {"mount", true},   {"cwd", true},       {"env", true},          {"deny-path", true},
		     {"policy", true},  {"profile", true}, {"mode", true},      {"allowed-paths", true}, {"allowed-commands", true},
		     {"trace", true},    {"audit", true},  {"keep", true},     {"spill", true},  {"text", false},
		     {"proc-path", true}, {"allow-all-commands", false},
		     {"timeout", true}, {"memory", true},  {"max-procs", true}, {"output-limit", true}, {"json", false},
		     {"session", true}, {"changes", true}, {"diff", true},    {"commit", false},
		     {"record", true},  {"help", false},   {"version", false}};
	size_t n = strcspn(arg, "=");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].name) != n || strncmp(known[i].name, arg, n) != 0)
			continue;
		if (known[i].argument) {
			const char *value = arg[n] ? arg + n + 1 : *next;

			if (!value)
				return bad("option '--%s' requires an argument%s", known[i].name, "");
			*used += arg[n] ? 0 : 1;
			return set_option(o, known[i].name, value);
		}
		if (arg[n])
			return bad("option '--%s' doesn't allow an argument%s", known[i].name, "");
		if (strcmp(known[i].name, "json") == 0 || strcmp(known[i].name, "text") == 0) {
			*(known[i].name[0] == 'j' ? &o->json : &o->text) = true;
			if (o->json && nacre_config_records(o->config, RECORDS) < 0)
				return bad("%s%s", nacre_config_error(o->config), "");
			return CLI_RUN;
		}
		if (strcmp(known[i].name, "allow-all-commands") == 0)
			return nacre_config_allow_all_commands(o->config) < 0 ? bad("out of memory%s%s", "", "") : CLI_RUN;
		if (strcmp(known[i].name, "commit") == 0) {
			o->commit = true;
			return CLI_RUN;
		}
		if (strcmp(known[i].name, "help") == 0)
			fputs(usage, stdout);
		else
			printf("nacre %s\n", nacre_version());
		return CLI_EXIT_OK;
	}
	return bad("unrecognized option '--%s'%s", arg, "");
}

static enum cli_parse short_option(struct cli_options *o, const char *arg, char **next, int *used)
{
	char text[2] = {arg[0], '\0'};

	switch (arg[0]) {
	case 'c':
		if (arg[1]) {
			o->script = arg + 1;
		} else if (*next) {
			o->script = *next;
			*used += 1;
		} else {
			return bad("option requires an argument -- 'c'%s%s", "", "");
		}
		return CLI_RUN;
	case 'p':
		if (!arg[1] && !*next)
			return bad("option requires an argument -- 'p'%s%s", "", "");
		*used += !arg[1];
		return each_entry(o, arg[1] ? arg + 1 : *next, allow_path);
	case 'v':
	case 'h':
		if (!arg[1])
			return long_option(o, arg[0] == 'v' ? "version" : "help", next, used);
		/* fall through */
	default: return bad("invalid option -- '%s'%s", text, "");
	}
}

/* Output that is passed on is not kept, so nothing can be said of what is kept. */
static enum cli_parse check_whole(const struct cli_options *o)
{
	if (o->json && o->text)
		return bad("--json and --text are two forms of one result%s%s", "", "");
	if (o->captured && !o->json && !o->text && (o->script || o->file || !isatty(0)))
		return bad("--%s needs --json or --text%s", o->captured, "");
	return CLI_RUN;
}

/* What a recording does not hold must not be on standard output beside what it holds. */
static enum cli_parse check_record(const struct cli_options *o)
{
	if (!o->script && !o->file && isatty(0))
		return bad("--record needs a script%s%s", "", "");
	if ((o->changes && strcmp(o->changes, "-") == 0) || (o->diff && strcmp(o->diff, "-") == 0))
		return bad("--record needs --changes and --diff to go to files%s%s", "", "");
	return CLI_RUN;
}

enum cli_parse cli_options_parse(struct cli_options *o, int argc, char **argv)
{
	bool explain = argc > 1 && strcmp(argv[1], "explain") == 0;
	bool prompt = argc > 1 && strcmp(argv[1], "prompt") == 0;
	int i = explain || prompt ? 2 : 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		int used = 1;
		enum cli_parse r;

		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		r = argv[i][1] == '-' ? long_option(o, argv[i] + 2, &argv[i + 1], &used)
				      : short_option(o, argv[i] + 1, &argv[i + 1], &used);
		if (r != CLI_RUN)
			return r;
		i += used;
	}
	if (explain) {
		if (i + 1 != argc || o->script)
			return bad("explain needs one path, URL or command%s%s", "", "");
		o->explain = argv[i];
		return CLI_RUN;
	}
	if (prompt && (o->script || argc - i > 1))
		return bad("prompt takes one subject%s%s", "", "");
	o->prompt = prompt;
	if (!o->script && i < argc)
		o->file = argv[i++];
	o->args = argv + i;
	if (!prompt && check_whole(o) != CLI_RUN)
		return CLI_EXIT_USAGE;
	return o->record ? check_record(o) : CLI_RUN;
}
