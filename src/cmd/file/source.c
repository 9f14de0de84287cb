/* source.c - texts known by what stands in them: scripts by their first line, markup, program sources. */
#include "file.h"

#define LOOK_MAX 8192u

struct text {
	struct proc *p;
	const char *s;
	size_t n;		/* at most LOOK_MAX */
};

static bool starts(const char *s, size_t n, const char *with)
{
	size_t k = strlen(with);

	return n >= k && memcmp(s, with, k) == 0;
}

static bool starts_icase(const char *s, size_t n, const char *with)
{
	size_t i = 0;

	while (with[i] && i < n && ascii_tolower((unsigned char)s[i]) == with[i])
		i++;
	return !with[i];
}

static bool ends_word(const char *s, const char *end)
{
	return s == end || !(ascii_alnum((unsigned char)*s) || *s == '_');
}

/* ---- Scripts ------------------------------------------------------------------------------ */

struct interpreter {
	const char *name, *text, *mime;
	bool by_env;		/* also known behind /usr/bin/env */
	enum file_tail tail;
};

static const struct interpreter interpreters[] = {
	{"sh", "POSIX shell script", "text/x-shellscript", false, FILE_TAIL_EXECUTABLE},
	{"bash", "Bourne-Again shell script", "text/x-shellscript", true, FILE_TAIL_EXECUTABLE},
	{"zsh", "Paul Falstad's zsh script", "text/x-shellscript", true, FILE_TAIL_EXECUTABLE},
	{"ksh", "Korn shell script", "text/x-shellscript", false, FILE_TAIL_EXECUTABLE},
	{"csh", "C shell script", "text/x-shellscript", false, FILE_TAIL_EXECUTABLE},
	{"tcsh", "Tenex C shell script", "text/x-shellscript", true, FILE_TAIL_EXECUTABLE},
	{"ash", "Neil Brown's ash script", "text/x-shellscript", false, FILE_TAIL_EXECUTABLE},
	{"fish", "fish shell script", "text/x-shellscript", true, FILE_TAIL_EXECUTABLE},
	{"awk", "awk script", "text/x-awk", false, FILE_TAIL_EXECUTABLE},
	{"gawk", "GNU awk script", "text/x-gawk", false, FILE_TAIL_EXECUTABLE},
	{"nawk", "new awk script", "text/x-nawk", false, FILE_TAIL_EXECUTABLE},
	{"perl", "Perl script text executable", "text/x-perl", true, FILE_TAIL_NONE},
	{"python", "Python script", "text/x-script.python", true, FILE_TAIL_EXECUTABLE},
	{"ruby", "Ruby script", "text/x-ruby", true, FILE_TAIL_EXECUTABLE},
	{"php", "PHP script", "text/x-php", false, FILE_TAIL_EXECUTABLE},
	{"node", "Node.js script executable", "application/javascript", true, FILE_TAIL_TEXT},
	{"lua", "Lua script", "text/x-lua", true, FILE_TAIL_EXECUTABLE},
	{"tclsh", "Tcl/Tk script", "text/x-tcl", true, FILE_TAIL_EXECUTABLE},
};

static const struct interpreter *interpreter(const char *name, size_t n)
{
	for (size_t i = 0; i < COUNTOF(interpreters); i++) {
		const struct interpreter *k = &interpreters[i];
		size_t len = strlen(k->name);

		if (n < len || memcmp(name, k->name, len) != 0)
			continue;
		/* python3.11 and lua5.4 are their families. */
		if (n == len || ((streq(k->name, "python") || streq(k->name, "lua") || streq(k->name, "perl")) && ascii_digit(name[len])))
			return k;
	}
	return NULL;
}

static bool script(const struct text *t, struct file_kind *k)
{
	const char *s = t->s + 2, *end, *word, *slash;
	const struct interpreter *i = NULL;
	size_t n;
	bool env;

	if (!starts(t->s, t->n, "#!"))
		return false;
	end = memchr(s, '\n', t->n - 2);
	if (!end)
		end = t->s + t->n;
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	while (end > s && ascii_space(end[-1]))
		end--;
	n = 0;
	while (s + n < end && s[n] != ' ' && s[n] != '\t')
		n++;
	env = n == 12 && memcmp(s, "/usr/bin/env", 12) == 0 && s + n < end;
	word = s;
	if (env) {
		word = s + n + 1;
		for (n = 0; word + n < end && word[n] != ' ' && word[n] != '\t';)
			n++;
	} else if ((slash = memrchr(s, '/', n)) != NULL && starts(s, n, "/")) {
		size_t dir = (size_t)(slash - s);

		/* Only the usual places are known. */
		if ((dir == 4 && memcmp(s, "/bin", 4) == 0) || (dir == 8 && memcmp(s, "/usr/bin", 8) == 0) ||
		    (dir == 14 && memcmp(s, "/usr/local/bin", 14) == 0))
			i = interpreter(slash + 1, n - dir - 1);
	}
	if (env && (i = interpreter(word, n)) && !i->by_env)
		i = NULL;
	if (i)
		*k = (struct file_kind){i->text, i->mime, NULL, i->tail};
	else
		*k = (struct file_kind){u_format(t->p, "a %.*s script", (int)(end - word), word), "text/plain", NULL, FILE_TAIL_EXECUTABLE};
	return true;
}

/* ---- Markup ------------------------------------------------------------------------------- */

static bool markup(const struct text *t, struct file_kind *k)
{
	static const char *const tags[] = {"<!doctype html", "<html", "<head", "<title", "<script", "<style", "<table", "<a href="};
	size_t n = MIN(t->n, 4096u);

	for (size_t i = 0; i < n; i++) {
		if (t->s[i] == '<' && starts(t->s + i, n - i, "<svg")) {
			*k = (struct file_kind){"SVG Scalable Vector Graphics image", "image/svg+xml", "svg", FILE_TAIL_NONE};
			return true;
		}
	}
	if (starts(t->s, n, "<?xml version=")) {
		const char *v = t->s + 15, *end = memchr(v, t->s[14], t->n - 15);

		*k = (struct file_kind){u_format(t->p, "XML %.*s document", end && end - v < 8 ? (int)(end - v) : 3, v), "text/xml", NULL, FILE_TAIL_TEXT};
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t m = 0; t->s[i] == '<' && m < COUNTOF(tags); m++) {
			if (starts_icase(t->s + i, n - i, tags[m])) {
				*k = (struct file_kind){"HTML document", "text/html", NULL, FILE_TAIL_TEXT};
				return true;
			}
		}
	}
	return false;
}

/* ---- Texts that begin with something ------------------------------------------------------ */

static const struct {
	const char *with;
	struct file_kind kind;
} beginnings[] = {
	{"<?php", {"PHP script", "text/x-php", "php", FILE_TAIL_TEXT}},
	{"diff ", {"diff output", "text/x-diff", "diff/patch", FILE_TAIL_TEXT}},
	{"Only in ", {"diff output", "text/x-diff", "diff/patch", FILE_TAIL_TEXT}},
	{".\\\"", {"troff or preprocessor input", "text/troff", NULL, FILE_TAIL_TEXT}},
	{".TH ", {"troff or preprocessor input", "text/troff", NULL, FILE_TAIL_TEXT}},
	{".SH ", {"troff or preprocessor input", "text/troff", NULL, FILE_TAIL_TEXT}},
	{"\\documentclass", {"LaTeX 2e document", "text/x-tex", NULL, FILE_TAIL_TEXT}},
	{"-----BEGIN CERTIFICATE-----", {"PEM certificate", "text/plain", NULL, FILE_TAIL_NONE}},
	{"-----BEGIN RSA PRIVATE KEY-----", {"PEM RSA private key", "text/plain", NULL, FILE_TAIL_NONE}},
	{"-----BEGIN OPENSSH PRIVATE KEY-----", {"OpenSSH private key", "text/plain", NULL, FILE_TAIL_NONE}},
	{"ssh-rsa ", {"OpenSSH RSA public key", "text/plain", NULL, FILE_TAIL_NONE}},
	{"ssh-ed25519 ", {"OpenSSH ED25519 public key", "text/plain", NULL, FILE_TAIL_NONE}},
	{"BEGIN:VCALENDAR", {"vCalendar calendar file", "text/calendar", "ics", FILE_TAIL_NONE}},
	{"{\\rtf1", {"Rich Text Format data, version 1", "text/rtf", "rtf", FILE_TAIL_NONE}},
	{"%!PS-Adobe-3.0", {"PostScript document text conforming DSC level 3.0", "application/postscript", "ps", FILE_TAIL_NONE}},
	{"Received:", {"RFC 822 mail", "message/rfc822", NULL, FILE_TAIL_TEXT}},
	{"Return-Path:", {"SMTP mail", "message/rfc822", NULL, FILE_TAIL_TEXT}},
	{"From:", {"news or mail", "message/rfc822", NULL, FILE_TAIL_TEXT}},
	{"\"use strict\"", {"JavaScript source", "application/javascript", "js", FILE_TAIL_TEXT}},
	{"\"\"\"", {"Python script", "text/plain", NULL, FILE_TAIL_EXECUTABLE}},
};

static bool beginning(const struct text *t, struct file_kind *k)
{
	for (size_t i = 0; i < COUNTOF(beginnings); i++) {
		if (!starts(t->s, t->n, beginnings[i].with))
			continue;
		*k = beginnings[i].kind;
		if (streq(beginnings[i].with, "diff ") && memmem(t->s, t->n, "\n--- ", 5) && memmem(t->s, t->n, "\n+++ ", 5))
			k->text = "unified diff output";
		return true;
	}
	if (starts(t->s, t->n, "--- ") && memmem(t->s, t->n, "\n+++ ", 5) && memmem(t->s, t->n, "\n@@ ", 4)) {
		*k = (struct file_kind){"unified diff output", "text/x-diff", "diff/patch", FILE_TAIL_TEXT};
		return true;
	}
	return false;
}

/* ---- Program sources: what one of the first lines says --------------------------------------- */

enum language { NONE, JAVA, CPP, C, MAKEFILE, PYTHON, JAVASCRIPT, RUBY, PERL_MODULE, LANGUAGES };

static const struct file_kind languages[LANGUAGES] = {
	[JAVA] = {"Java source", "text/x-java", NULL, FILE_TAIL_TEXT},
	[CPP] = {"C++ source", "text/x-c++", NULL, FILE_TAIL_TEXT},
	[C] = {"C source", "text/x-c", NULL, FILE_TAIL_TEXT},
	[MAKEFILE] = {"makefile script", "text/x-makefile", NULL, FILE_TAIL_TEXT},
	[PYTHON] = {"Python script", "text/x-script.python", NULL, FILE_TAIL_EXECUTABLE},
	[JAVASCRIPT] = {"JavaScript source", "application/javascript", "js", FILE_TAIL_TEXT},
	[RUBY] = {"Ruby script", "text/x-ruby", NULL, FILE_TAIL_TEXT},
	[PERL_MODULE] = {"Perl5 module source", "text/plain", NULL, FILE_TAIL_TEXT},
};

static const char *after_space(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

static bool last_is(const char *s, const char *end, char c)
{
	while (end > s && ascii_space((unsigned char)end[-1]))
		end--;
	return end > s && end[-1] == c;
}

static bool has(const char *s, const char *end, const char *what)
{
	return memmem(s, (size_t)(end - s), what, strlen(what)) != NULL;
}

/* main(...) with something before it, and a brace or nothing after it. */
static bool defines_main(const char *s, const char *end)
{
	const char *m = memmem(s, (size_t)(end - s), "main(", 5), *close;

	if (!m || m == s || ascii_space((unsigned char)*s) || ends_word(m - 1, end) == false || !(close = memrchr(m, ')', (size_t)(end - m))))
		return false;
	close = after_space(close + 1, end);
	return close == end || *close == '{' || *close == '\r';
}

static enum language language_of(const char *s, const char *end)
{
	size_t n = (size_t)(end - s);
	const char *in = after_space(s, end);
	size_t m = (size_t)(end - in);

	if (starts(s, n, "import java"))
		return JAVA;
	if ((has(s, end, "public static void main") || (starts(s, n, "public class ") && has(s, end, "main"))))
		return JAVA;
	if ((starts(in, m, "class ") && last_is(s, end, '{')) || starts(in, m, "template<") || starts(in, m, "template <") ||
	    starts(in, m, "using namespace ") || (starts(s, n, "namespace ") && last_is(s, end, '{')) || starts(in, m, "public:") ||
	    starts(in, m, "private:") || starts(in, m, "protected:"))
		return CPP;
	if (starts(s, n, "#include") || starts(s, n, "#ifndef ") || starts(s, n, "#ifdef ") || starts(s, n, "#pragma ") ||
	    starts(s, n, "extern ") || (starts(s, n, "struct ") && last_is(s, end, '{')) || defines_main(s, end))
		return C;
	if (starts(s, n, "all:") || starts(s, n, "CFLAGS") || starts(s, n, "LDFLAGS") || starts(s, n, "VPATH") || starts(s, n, ".PRECIOUS"))
		return MAKEFILE;
	if ((starts(in, m, "def ") && has(in, end, "(") && last_is(s, end, ':')) || (starts(s, n, "class ") && last_is(s, end, ':')) ||
	    (starts(s, n, "from ") && has(s, end, " import ")) || starts(s, n, "if __name__ ==") || starts(s, n, "except "))
		return PYTHON;
	if (has(s, end, "require(\"") || has(s, end, "require('") || starts(s, n, "module.exports") || starts(s, n, "export default ") ||
	    (starts(s, n, "import ") && (has(s, end, " from \"") || has(s, end, " from '"))))
		return JAVASCRIPT;
	if (starts(s, n, "package ") && last_is(s, end, ';'))
		return PERL_MODULE;
	return NONE;
}

static bool source(const struct text *t, struct file_kind *k)
{
	enum language best = NONE;
	bool perl = memmem(t->s, t->n, "\nuse ", 5) != NULL;

	for (size_t i = 0; i < t->n;) {
		const char *nl = memchr(t->s + i, '\n', t->n - i), *end = nl ? nl : t->s + t->n;
		enum language l = language_of(t->s + i, end);

		sys_checkpoint(t->p);
		if (l == PERL_MODULE && !perl)
			l = NONE;
		if (l != NONE && (best == NONE || l < best))
			best = l;
		i = (size_t)(end - t->s) + 1;
	}
	if (best == NONE && memmem(t->s, t->n, "\nend\n", 5) && (starts(t->s, t->n, "module ") || starts(t->s, t->n, "class ") ||
								  starts(t->s, t->n, "require ")))
		best = RUBY;
	if (best == NONE)
		return false;
	*k = languages[best];
	return true;
}

bool file_source(struct proc *p, const char *s, size_t n, struct file_kind *k)
{
	struct text t = {p, s, MIN(n, LOOK_MAX)};

	return script(&t, k) || markup(&t, k) || beginning(&t, k) || source(&t, k);
}
