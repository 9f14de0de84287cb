/* types.c - the file types of -t and -T, and how they are asked for. */
#include "rg.h"

/* As ripgrep 13 lists them (rg --type-list), by name. */
const struct rg_type rg_types[] = {
	{"agda", "*.agda, *.lagda"},
	{"aidl", "*.aidl"},
	{"amake", "*.bp, *.mk"},
	{"asciidoc", "*.adoc, *.asc, *.asciidoc"},
	{"asm", "*.S, *.asm, *.s"},
	{"asp", "*.ascx, *.ascx.cs, *.ascx.vb, *.aspx, *.aspx.cs, *.aspx.vb"},
	{"ats", "*.ats, *.dats, *.hats, *.sats"},
	{"avro", "*.avdl, *.avpr, *.avsc"},
	{"awk", "*.awk"},
	{"bazel", "*.BUILD, *.bazel, *.bazelrc, *.bzl, BUILD, WORKSPACE"},
	{"bitbake", "*.bb, *.bbappend, *.bbclass, *.conf, *.inc"},
	{"brotli", "*.br"},
	{"buildstream", "*.bst"},
	{"bzip2", "*.bz2, *.tbz2"},
	{"c", "*.[chH], *.[chH].in, *.cats"},
	{"cabal", "*.cabal"},
	{"cbor", "*.cbor"},
	{"ceylon", "*.ceylon"},
	{"clojure", "*.clj, *.cljc, *.cljs, *.cljx"},
	{"cmake", "*.cmake, CMakeLists.txt"},
	{"coffeescript", "*.coffee"},
	{"config", "*.cfg, *.conf, *.config, *.ini"},
	{"coq", "*.v"},
	{"cpp", "*.[ChH], *.[ChH].in, *.[ch]pp, *.[ch]pp.in, *.[ch]xx, *.[ch]xx.in, *.cc, *.cc.in, *.hh, *.hh.in, *.inl"},
	{"creole", "*.creole"},
	{"crystal", "*.cr, Projectfile"},
	{"cs", "*.cs"},
	{"csharp", "*.cs"},
	{"cshtml", "*.cshtml"},
	{"css", "*.css, *.scss"},
	{"csv", "*.csv"},
	{"cython", "*.pxd, *.pxi, *.pyx"},
	{"d", "*.d"},
	{"dart", "*.dart"},
	{"dhall", "*.dhall"},
	{"diff", "*.diff, *.patch"},
	{"docker", "*Dockerfile*"},
	{"dvc", "*.dvc, Dvcfile"},
	{"ebuild", "*.ebuild"},
	{"edn", "*.edn"},
	{"elisp", "*.el"},
	{"elixir", "*.eex, *.ex, *.exs"},
	{"elm", "*.elm"},
	{"erb", "*.erb"},
	{"erlang", "*.erl, *.hrl"},
	{"fidl", "*.fidl"},
	{"fish", "*.fish"},
	{"flatbuffers", "*.fbs"},
	{"fortran", "*.F, *.F77, *.F90, *.F95, *.f, *.f77, *.f90, *.f95, *.pfo"},
	{"fsharp", "*.fs, *.fsi, *.fsx"},
	{"fut", ".fut"},
	{"gap", "*.g, *.gap, *.gd, *.gi, *.tst"},
	{"gn", "*.gn, *.gni"},
	{"go", "*.go"},
	{"gradle", "*.gradle"},
	{"groovy", "*.gradle, *.groovy"},
	{"gzip", "*.gz, *.tgz"},
	{"h", "*.h, *.hpp"},
	{"haml", "*.haml"},
	{"haskell", "*.c2hs, *.cpphs, *.hs, *.hsc, *.lhs"},
	{"hbs", "*.hbs"},
	{"hs", "*.hs, *.lhs"},
	{"html", "*.ejs, *.htm, *.html"},
	{"idris", "*.idr, *.lidr"},
	{"java", "*.java, *.jsp, *.jspx, *.properties"},
	{"jinja", "*.j2, *.jinja, *.jinja2"},
	{"jl", "*.jl"},
	{"js", "*.js, *.jsx, *.vue"},
	{"json", "*.json, composer.lock"},
	{"jsonl", "*.jsonl"},
	{"julia", "*.jl"},
	{"jupyter", "*.ipynb, *.jpynb"},
	{"k", "*.k"},
	{"kotlin", "*.kt, *.kts"},
	{"less", "*.less"},
	{"license",
	 "*[.-]LICEN[CS]E*, AGPL-*[0-9]*, APACHE-*[0-9]*, BSD-*[0-9]*, CC-BY-*, COPYING, COPYING[.-]*, "
	 "COPYRIGHT, COPYRIGHT[.-]*, EULA, EULA[.-]*, GFDL-*[0-9]*, GNU-*[0-9]*, GPL-*[0-9]*, LGPL-*[0-9]*, "
	 "LICEN[CS]E, LICEN[CS]E[.-]*, MIT-*[0-9]*, MPL-*[0-9]*, NOTICE, NOTICE[.-]*, OFL-*[0-9]*, PATENTS, "
	 "PATENTS[.-]*, UNLICEN[CS]E, UNLICEN[CS]E[.-]*, agpl[.-]*, gpl[.-]*, lgpl[.-]*, licen[cs]e, "
	 "licen[cs]e.*"},
	{"lisp", "*.el, *.jl, *.lisp, *.lsp, *.sc, *.scm"},
	{"lock", "*.lock, package-lock.json"},
	{"log", "*.log"},
	{"lua", "*.lua"},
	{"lz4", "*.lz4"},
	{"lzma", "*.lzma"},
	{"m4", "*.ac, *.m4"},
	{"make",
	 "*.mak, *.mk, [Gg][Nn][Uu]makefile, [Gg][Nn][Uu]makefile.am, [Gg][Nn][Uu]makefile.in, [Mm]akefile, "
	 "[Mm]akefile.am, [Mm]akefile.in"},
	{"mako", "*.mako, *.mao"},
	{"man", "*.[0-9][cEFMmpSx], *.[0-9lnpx]"},
	{"markdown", "*.markdown, *.md, *.mdown, *.mkdn"},
	{"matlab", "*.m"},
	{"md", "*.markdown, *.md, *.mdown, *.mkdn"},
	{"meson", "meson.build, meson_options.txt"},
	{"minified", "*.min.css, *.min.html, *.min.js"},
	{"mint", "*.mint"},
	{"mk", "mkfile"},
	{"ml", "*.ml"},
	{"msbuild", "*.csproj, *.fsproj, *.proj, *.props, *.targets, *.vcxproj"},
	{"nim", "*.nim, *.nimble, *.nimf, *.nims"},
	{"nix", "*.nix"},
	{"objc", "*.h, *.m"},
	{"objcpp", "*.h, *.mm"},
	{"ocaml", "*.ml, *.mli, *.mll, *.mly"},
	{"org", "*.org, *.org_archive"},
	{"pascal", "*.dpr, *.inc, *.lpr, *.pas, *.pp"},
	{"pdf", "*.pdf"},
	{"perl", "*.PL, *.perl, *.pl, *.plh, *.plx, *.pm, *.t"},
	{"php", "*.php, *.php3, *.php4, *.php5, *.phtml"},
	{"po", "*.po"},
	{"pod", "*.pod"},
	{"postscript", "*.eps, *.ps"},
	{"protobuf", "*.proto"},
	{"ps", "*.cdxml, *.ps1, *.ps1xml, *.psd1, *.psm1"},
	{"puppet", "*.erb, *.pp, *.rb"},
	{"purs", "*.purs"},
	{"py", "*.py"},
	{"qmake", "*.prf, *.pri, *.pro"},
	{"qml", "*.qml"},
	{"r", "*.R, *.Rmd, *.Rnw, *.r"},
	{"racket", "*.rkt"},
	{"rdoc", "*.rdoc"},
	{"readme", "*README, README*"},
	{"red", "*.r, *.red, *.reds"},
	{"robot", "*.robot"},
	{"rst", "*.rst"},
	{"ruby", "*.gemspec, *.rb, *.rbw, .irbrc, Gemfile, Rakefile, config.ru"},
	{"rust", "*.rs"},
	{"sass", "*.sass, *.scss"},
	{"scala", "*.sbt, *.scala"},
	{"sh",
	 "*.bash, *.bashrc, *.csh, *.cshrc, *.ksh, *.kshrc, *.sh, *.tcsh, *.zsh, .bash_login, .bash_logout, "
	 ".bash_profile, .bashrc, .cshrc, .kshrc, .login, .logout, .profile, .tcshrc, .zlogin, .zlogout, "
	 ".zprofile, .zshenv, .zshrc, bash_login, bash_logout, bash_profile, bashrc, profile, zlogin, "
	 "zlogout, zprofile, zshenv, zshrc"},
	{"slim", "*.skim, *.slim, *.slime"},
	{"smarty", "*.tpl"},
	{"sml", "*.sig, *.sml"},
	{"soy", "*.soy"},
	{"spark", "*.spark"},
	{"spec", "*.spec"},
	{"sql", "*.psql, *.sql"},
	{"stylus", "*.styl"},
	{"sv", "*.h, *.sv, *.svh, *.v, *.vg"},
	{"svg", "*.svg"},
	{"swift", "*.swift"},
	{"swig", "*.def, *.i"},
	{"systemd",
	 "*.automount, *.conf, *.device, *.link, *.mount, *.path, *.scope, *.service, *.slice, *.socket, "
	 "*.swap, *.target, *.timer"},
	{"taskpaper", "*.taskpaper"},
	{"tcl", "*.tcl"},
	{"tex", "*.bib, *.cls, *.dtx, *.ins, *.ltx, *.sty, *.tex"},
	{"textile", "*.textile"},
	{"tf", "*.tf"},
	{"thrift", "*.thrift"},
	{"toml", "*.toml, Cargo.lock"},
	{"ts", "*.ts, *.tsx"},
	{"twig", "*.twig"},
	{"txt", "*.txt"},
	{"typoscript", "*.ts, *.typoscript"},
	{"vala", "*.vala"},
	{"vb", "*.vb"},
	{"vcl", "*.vcl"},
	{"verilog", "*.sv, *.svh, *.v, *.vh"},
	{"vhdl", "*.vhd, *.vhdl"},
	{"vim", "*.vim"},
	{"vimscript", "*.vim"},
	{"webidl", "*.idl, *.webidl, *.widl"},
	{"wiki", "*.mediawiki, *.wiki"},
	{"xml", "*.dtd, *.rng, *.sch, *.xhtml, *.xjb, *.xml, *.xml.dist, *.xsd, *.xsl, *.xslt"},
	{"xz", "*.txz, *.xz"},
	{"yacc", "*.y"},
	{"yaml", "*.yaml, *.yml"},
	{"yang", "*.yang"},
	{"z", "*.Z"},
	{"zig", "*.zig"},
	{"zsh", "*.zsh, .zlogin, .zlogout, .zprofile, .zshenv, .zshrc, zlogin, zlogout, zprofile, zshenv, zshrc"},
	{"zstd", "*.zst, *.zstd"},
};
const size_t rg_ntypes = COUNTOF(rg_types);

/* ---- Choosing ------------------------------------------------------------------------------------ */

/* The globs of a type after the first `upto` of --type-add ("name:glob", "name:include:other,other") and --type-clear
 * ("!name"); NULL: there is no such type. */
static const char *globs_of(struct rg *g, const char *name, size_t upto);

static void append(struct u_buf *b, const char *globs)
{
	if (!globs[0])
		return;
	if (b->len > 0)
		u_buf_puts(b, ", ");
	u_buf_puts(b, globs);
}

static void append_included(struct rg *g, struct u_buf *b, const char *names, size_t upto)
{
	if (!sys_stack(g->p, 4096))
		rg_die(g, "file types include one another too deeply");
	while (*names) {
		size_t n = strcspn(names, ",");
		const char *name = u_strndup(g->p, names, n), *globs = globs_of(g, name, upto);

		if (!globs)
			rg_die(g, "unrecognized file type: %s", name);
		append(b, globs);
		sys_checkpoint(g->p);
		names += n + (names[n] == ',');
	}
}

static const char *globs_of(struct rg *g, const char *name, size_t upto)
{
	size_t n = strlen(name);
	bool known = false;
	struct u_buf b;

	u_buf_init(&b, g->p, 0);
	u_buf_reserve(&b, 1);
	b.ptr[0] = '\0';
	for (size_t i = 0; i < rg_ntypes; i++) {
		if (streq(rg_types[i].name, name)) {
			append(&b, rg_types[i].globs);
			known = true;
		}
	}
	for (size_t i = 0; i < upto; i++) {
		const char *s = g->types_added.v[i];

		if (s[0] == '!' && streq(s + 1, name)) {
			b.len = 0;
			b.ptr[0] = '\0';
			known = false;
		} else if (strncmp(s, name, n) == 0 && s[n] == ':') {
			known = true;
			if (strncmp(s + n + 1, "include:", 8) == 0)
				append_included(g, &b, s + n + 9, i);
			else
				append(&b, s + n + 1);
		}
	}
	return known ? b.ptr : NULL;
}

static void choose(struct rg *g, const char *globs, bool negated)
{
	if (g->ntypes == g->types_cap) {
		size_t cap = g->types_cap ? g->types_cap * 2 : 8;

		g->types = arena_grow(&sys_self(g->p)->arena, g->types, g->types_cap * sizeof(*g->types),
				      size_mul(cap, sizeof(*g->types)));
		g->types_cap = cap;
	}
	g->types[g->ntypes++] = (struct rg_type_choice){globs, negated};
	g->types_positive += !negated;
}

void rg_types_choose(struct rg *g)
{
	for (size_t i = 0; i < g->type_words.n; i++) {
		const char *word = g->type_words.v[i], *name = word + 1, *globs;

		if (streq(name, "all")) {
			for (size_t k = 0; k < rg_ntypes; k++)
				choose(g, globs_of(g, rg_types[k].name, g->types_added.n), word[0] == 'T');
			continue;
		}
		globs = globs_of(g, name, g->types_added.n);
		if (!globs)
			rg_die(g, "unrecognized file type: %s", name);
		choose(g, globs, word[0] == 'T');
	}
}

static bool any_glob(const char *globs, const char *name)
{
	while (*globs) {
		const char *end = strstr(globs, ", ");
		size_t n = end ? (size_t)(end - globs) : strlen(globs);

		if (u_glob_match(globs, n, name, strlen(name), 0))
			return true;
		globs += n + (end ? 2 : 0);
	}
	return false;
}

int rg_types_match(const struct rg *g, const char *name)
{
	for (size_t i = g->ntypes; i-- > 0;) {
		if (any_glob(g->types[i].globs, name))
			return g->types[i].negated ? -1 : 1;
	}
	return g->types_positive > 0 ? -1 : 0;
}

/* Type names that only --type-add knows go where they belong in the list. */
void rg_types_print(struct rg *g)
{
	const char *last = "";

	for (;;) {
		const char *next = NULL, *globs;

		for (size_t i = 0; i < rg_ntypes; i++) {
			if (strcmp(rg_types[i].name, last) > 0 && (!next || strcmp(rg_types[i].name, next) < 0))
				next = rg_types[i].name;
		}
		for (size_t i = 0; i < g->types_added.n; i++) {
			const char *s = g->types_added.v[i], *name = u_strndup(g->p, s, strcspn(s, ":"));

			if (s[0] != '!' && strcmp(name, last) > 0 && (!next || strcmp(name, next) < 0))
				next = name;
		}
		if (!next)
			return;
		globs = globs_of(g, next, g->types_added.n);
		if (globs)
			u_printf(g->out, "%s: %s\n", next, globs);
		last = next;
	}
}
