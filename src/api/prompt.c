/* prompt.c - what a model should be told of a sandbox, made from its configuration.
 *
 * The texts say what holds for these settings and no more: a command that was taken away is in none of them. */
#include "api.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../guest/guest.h"
#include "../shell/syntax/feature.h"

#define COLUMNS 78u

struct prompt {
	FILE *f;
	const struct settings *s;
	const struct program *v; /* its programs, sorted */
	size_t n;
};

static bool has(const struct prompt *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (streq(p->v[i].name, name))
			return true;
	return false;
}

/* Words of a paragraph, broken into lines. */
struct flow {
	FILE *f;
	size_t column;
};

static void flow_word(struct flow *w, const char *word)
{
	size_t n = strlen(word);

	if (w->column && w->column + 1 + n > COLUMNS) {
		fputc('\n', w->f);
		w->column = 0;
	}
	fprintf(w->f, "%s%s", w->column ? " " : "", word);
	w->column += n + (w->column > 0);
}

static void put_overview(const struct prompt *p)
{
	fputs("You have a shell in a sandbox: bash's language and the GNU commands, inside one process. Nothing of\n"
	      "a host machine can be reached but what is said to be mounted; there are no other processes than\n"
	      "those you start, no package manager, and nothing can be installed.\n",
	      p->f);
	fprintf(p->f, "Scripts start in %s.\n", p->s->cwd);
}

static void put_shell(const struct prompt *p)
{
	uint64_t refused = profile_of(p->s)->refused | p->s->refused;
	struct flow w = {p->f, 0};

	fputs("The shell is like bash 5.2. A script that does not parse is not run at all (status 2).\n", p->f);
	if (!refused)
		return;
	fputs("These constructs are refused before anything of the script runs:\n", p->f);
	for (size_t i = 0; i < FEATURE_COUNT; i++)
		if (refused >> i & 1)
			flow_word(&w, feature_table[i].name);
	fputc('\n', p->f);
}

static void put_commands(const struct prompt *p)
{
	struct flow w = {p->f, 0};

	if (!p->n) {
		fputs("No command may be run but the shell's own builtins.\n", p->f);
		return;
	}
	fputs("Commands, beside the shell's builtins; each has --help:\n", p->f);
	for (size_t i = 0; i < p->n; i++)
		flow_word(&w, p->v[i].name);
	fputc('\n', p->f);
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].main == invocation_main)
			fprintf(p->f, "%s: %s\n", p->v[i].name, registry_summary(&p->v[i]));
}

static void put_files(const struct prompt *p)
{
	static const char *const kinds[] = {[NACRE_MOUNT_READ_ONLY] = "can be read", [NACRE_MOUNT_READ_WRITE] = "can be read and written",
					    [NACRE_MOUNT_OVERLAY] = "can be read and written; the original stays as it is until it is reviewed",
					    [NACRE_MOUNT_MEMORY] = "empty at first, can be written"};
	static const char *const denied[] = {"", "reading", "writing", "reading and writing"};

	if (!p->s->closed)
		fputs("Files are kept in memory: /workspace, /tmp and the home directory can be written.\n", p->f);
	else
		fputs("Nothing can be reached but the commands and these directories:\n", p->f);
	for (size_t i = 0; i < p->s->nmounts; i++) {
		const struct api_mount *m = &p->s->mounts[i];

		fprintf(p->f, "%s: %s\n", m->at, kinds[profile_of(p->s)->read_only ? NACRE_MOUNT_READ_ONLY : (enum nacre_mount_flags)m->flags]);
	}
	for (size_t i = 0; i < p->s->ndenies; i++)
		fprintf(p->f, "Refused: %s %s\n", denied[p->s->denies[i].access & 3], p->s->denies[i].pattern);
}

static void put_guest(const struct prompt *p, const char *name, const struct guest_code *code, const char *text)
{
	if (code && has(p, name))
		fputs(text, p->f);
}

static void put_python(const struct prompt *p)
{
	put_guest(p, "python3", &guest_code_python,
		  "python3 is CPython with its standard library. There is no pip; sockets, threads and subprocesses do\n"
		  "not work, files are the sandbox's.\n");
}

static void put_js(const struct prompt *p)
{
	put_guest(p, "js", &guest_code_js,
		  "js FILE and js -e CODE (also as node) run JavaScript: require, fs, path, process and console as in Node,\n"
		  "files are the sandbox's. There is no npm, and fetch reaches nothing.\n");
}

static void put_jq(const struct prompt *p)
{
	put_guest(p, "jq", &guest_code_jq, "jq is the real one, for JSON.\n");
}

static void put_sqlite(const struct prompt *p)
{
	put_guest(p, "sqlite3", &guest_code_sqlite3, "sqlite3 is the real one; databases are files of the sandbox.\n");
}

static void put_network(const struct prompt *p)
{
	fputs("There is no network.\n", p->f);
}

static void put_session(const struct prompt *p)
{
	fputs(p->s->persist ? "From one script to the next everything stays: files, the directory, variables, functions, options.\n"
			    : "Each script starts anew in the same directory and environment; only files stay.\n",
	      p->f);
}

static void put_limits(const struct prompt *p)
{
	const uint64_t *l = p->s->limits;

	if (l[NACRE_LIMIT_WALL_NS])
		fprintf(p->f, "A script may run for %g s; then it is stopped, with status %d.\n", (double)l[NACRE_LIMIT_WALL_NS] / 1e9,
			(int)l[NACRE_LIMIT_TIMEOUT_STATUS]);
	if (l[NACRE_LIMIT_MEMORY])
		fprintf(p->f, "Memory, files in memory included: %llu MiB.\n", (unsigned long long)l[NACRE_LIMIT_MEMORY] >> 20);
	fprintf(p->f, "Of stdout and stderr %llu bytes each are seen; write more into files.\n", (unsigned long long)l[NACRE_LIMIT_OUTPUT]);
}

static const struct chunk {
	const char *name;
	void (*put)(const struct prompt *p);
} chunks[] = {{"overview", put_overview}, {"shell", put_shell},	  {"commands", put_commands}, {"files", put_files},
	      {"python", put_python},	  {"js", put_js},	  {"jq", put_jq},	      {"sqlite3", put_sqlite},
	      {"network", put_network},	  {"session", put_session}, {"limits", put_limits}};

const char *nacre_prompt_chunk(size_t i)
{
	return i < COUNTOF(chunks) ? chunks[i].name : NULL;
}

int nacre_config_prompt(char **text, size_t *len, nacre_config *cfg, const char *chunk)
{
	struct prompt p = {.s = cfg->now};
	struct program *v;
	size_t n, at = 0;
	bool bad;

	*text = NULL;
	while (chunk && at < COUNTOF(chunks) && !streq(chunks[at].name, chunk))
		at++;
	if (at == COUNTOF(chunks))
		return config_fail(cfg, -NACRE_EINVAL, "there is no text about '%s'", chunk);
	p.v = v = registry_table(p.s, &p.n);
	p.f = v ? open_memstream(text, &n) : NULL;
	for (size_t i = 0; p.f && i < COUNTOF(chunks); i++)
		if (!chunk || i == at)
			chunks[i].put(&p);
	bad = !p.f || fclose(p.f) != 0;
	free(v);
	if (bad) {
		free(*text);
		*text = NULL;
		return config_no_memory(cfg);
	}
	if (len)
		*len = n;
	return config_done(cfg);
}
