/* likeness.c - the program each command behaves as: scripts look for "GNU" and a number in --version to choose how they
 * go on, so the first line is that program's; the second says whose it is. */
#include "user.h"
#include "state.h"
#include "../base/version.h"

static const struct {
	const char *names; /* each between blanks */
	const char *line;  /* % is the command's name */
	bool letter;       /* -V says it too */
} likenesses[] = {
	{" arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date df dir dircolors dirname du echo env "
	 "expand expr factor false fmt fold groups head hostid id install join link ln logname ls md5sum mkdir mkfifo mv nice nl nohup "
	 "nproc numfmt od paste pathchk pr printenv printf ptx pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum sha384sum "
	 "sha512sum shred shuf sleep sort split stat stdbuf sum sync tac tail tee timeout touch tr true truncate tsort tty uname unexpand uniq "
	 "unlink users vdir wc who whoami yes [ ",
	 "% (GNU coreutils) 9.1", false},
	{" mktemp ", "% (GNU coreutils) 9.1", true},
	{" dd ", "% (coreutils) 9.1", false},
	{" awk gawk ", "GNU Awk 5.2.1", true},
	{" sed ", "% (GNU sed) 4.9", false},
	{" grep egrep fgrep ", "grep (GNU grep) 3.8", true},
	{" find xargs ", "% (GNU findutils) 4.9.0", false},
	{" diff cmp ", "% (GNU diffutils) 3.8", false},
	{" patch ", "GNU patch 2.7.6", false},
	{" tar ", "tar (GNU tar) 1.34", false},
	{" cpio ", "cpio (GNU cpio) 2.13", false},
	{" gzip ", "gzip 1.12", true},
	{" gunzip zcat ", "% (gzip) 1.12", true},
	{" zgrep zdiff zcmp ", "% (gzip) 1.12", false},
	{" xz unxz xzcat lzma unlzma lzcat ", "xz (XZ Utils) 5.4.1", true},
	{" zstd unzstd zstdcat ", "*** Zstandard CLI (64-bit) v1.5.4 ***", true},
	{" bc ", "bc 1.07.1", false},
	{" dc ", "dc (GNU bc 1.07.1) 1.4.1", true},
	{" ar strings ", "GNU % (GNU Binutils) 2.40", true},
	{" iconv ", "iconv (GNU libc) 2.36", true},
	{" uudecode uuencode ", "% (GNU sharutils) 4.15.2", true},
	{" envsubst ", "envsubst (GNU gettext-runtime) 0.21", false},
	{" colrm column getopt hd hexdump look more rename rename.ul rev setsid ", "% from util-linux 2.38.1", true},
	{" free kill pgrep pkill ps uptime w ", "% from procps-ng 4.0.2", true},
	{" less ", "less 590", true},
	{" man apropos whatis ", "% 2.11.2", true},
	{" hostname ", "hostname 3.23", true},
	{" file ", "file-5.44", false},
	{" rg ", "ripgrep 13.0.0", true},
	{" tree ", "tree v2.1.0", false},
};

static const struct u_likeness none = {"% (nacre) " NACRE_VERSION_TEXT, false};

struct u_likeness u_likeness(const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < COUNTOF(likenesses); i++) {
		for (const char *s = likenesses[i].names; (s = strstr(s, name)) != NULL; s++) {
			if (s[-1] == ' ' && s[n] == ' ')
				return (struct u_likeness){likenesses[i].line, likenesses[i].letter};
		}
	}
	return none;
}

void u_print_version(struct proc *p, const struct cmd *c)
{
	struct u_likeness like = u_likeness(c->name);
	struct u_out *o = u_stdout(p);

	for (const char *s = like.line; *s; s++) {
		if (*s == '%')
			u_puts(o, c->name);
		else
			u_putc(o, *s);
	}
	u_putc(o, '\n');
	if (like.line != none.line)
		u_puts(o, "nacre " NACRE_VERSION_TEXT ": a program of its own that behaves as the one named above\n");
}
