/*
 * user.h - the program library: what commands and the shell are written with.
 *
 * Commands are short because this exists: one output buffer, one line reader, one
 * option parser, one number and size formatter, one walker, one way to word an error.
 *
 * What a command is (struct cmd) is in user/cmd.h: the shell, whose tree has a struct cmd of
 * its own, includes this header alone.
 *
 * Layer     user; base and abi only
 * Threads   the fiber of `p` only
 * Errors    allocation never fails (the proc ends); fatal errors do not return
 */
#ifndef NACRE_USER_USER_H
#define NACRE_USER_USER_H

#include "../abi/sys.h"
#include "../base/fmt.h"
#include "../base/num.h"
#include "../base/utf8.h"

/* ---- Memory ---------------------------------------------------------------- */

static inline void *u_alloc(struct proc *p, size_t n) { return arena_alloc(&sys_self(p)->arena, n); }
static inline void *u_zalloc(struct proc *p, size_t n) { return arena_zalloc(&sys_self(p)->arena, n); }
/* An array of n elements; dies on overflow. */
static inline void *u_array(struct proc *p, size_t n, size_t size) { return u_alloc(p, size_mul(n, size)); }
static inline char *u_strdup(struct proc *p, const char *s) { return arena_strndup(&sys_self(p)->arena, s, strlen(s)); }
static inline char *u_strndup(struct proc *p, const char *s, size_t n) { return arena_strndup(&sys_self(p)->arena, s, n); }
/* A formatted string. */
char *u_format(struct proc *p, const char *fmt, ...) PRINTF(2, 3);

/* A byte buffer that grows (doubling) in the arena up to `max` bytes; beyond it the program
 * ends with "NAME: memory exhausted". Always NUL-terminated at ptr[len]. */
struct u_buf {
	struct proc *p;
	char *ptr;
	size_t len, cap, max;
};
void u_buf_init(struct u_buf *b, struct proc *p, size_t max);	/* max 0: SIZE_MAX / 4 */
void u_buf_reserve(struct u_buf *b, size_t more);		/* room for `more` bytes and a NUL */
void u_buf_put(struct u_buf *b, const char *ptr, size_t n);
void u_buf_puts(struct u_buf *b, const char *s);
void u_buf_printf(struct u_buf *b, const char *fmt, ...) PRINTF(2, 3);
static inline void u_buf_putc(struct u_buf *b, char c)
{
	if (UNLIKELY(b->len + 1 >= b->cap))
		u_buf_reserve(b, 1);
	b->ptr[b->len++] = c;
	b->ptr[b->len] = '\0';
}

/* ---- Output ---------------------------------------------------------------- */

/* A buffered descriptor. A failed write is remembered in err and further output dropped. */
struct u_out {
	struct proc *p;
	int fd;
	int err;		/* 0, or the first -NACRE_E... */
	char *buf;		/* NULL: to be made, of `want` bytes, when something comes */
	size_t n, cap, want;
};
struct u_out *u_stdout(struct proc *p);			/* the proc's one for fd 1; flushed by cmd_run */
/* The same; the first call decides the size of its buffer, which is made by the first write and never moved
 * (0: 32 KiB). Who resets the arena to a mark must have called one of the two before taking it (cmd_run has). */
struct u_out *u_stdout_sized(struct proc *p, size_t cap);
void u_out_init(struct u_out *o, struct proc *p, int fd, size_t cap); /* cap 0: 32 KiB */
/* sys_read_slice of what a command filters. Under stdbuf -oL and -o0 what it has printed is written out before. */
int64_t u_read_slice(struct proc *p, int fd, size_t max, struct sys_slice *s) MAY_SUSPEND;
int u_flush_lines(struct u_out *o) MAY_SUSPEND;	/* up to the last newline */
int u_flush(struct u_out *o) MAY_SUSPEND;		/* o->err */
void u_put(struct u_out *o, const char *ptr, size_t n) MAY_SUSPEND;
void u_puts(struct u_out *o, const char *s) MAY_SUSPEND;	/* without a newline */
void u_printf(struct u_out *o, const char *fmt, ...) PRINTF(2, 3) MAY_SUSPEND;
void u_vprintf(struct u_out *o, const char *fmt, va_list ap) MAY_SUSPEND;
void u_out_room(struct u_out *o) MAY_SUSPEND;		/* for u_putc: the buffer is full, or not made yet */
static inline void u_putc(struct u_out *o, char c)
{
	if (UNLIKELY(o->n == o->cap))
		u_out_room(o);
	if (o->n < o->cap)
		o->buf[o->n++] = c;
}
/* Writes everything or returns -E; unbuffered. */
int u_write_all(struct proc *p, int fd, const char *ptr, size_t n) MAY_SUSPEND;

/* Moves the offset of a regular file on by n bytes, at most to its end, without reading them. How far; 0 where
 * that cannot be done: what is left of n must be read. */
uint64_t u_seek_on(struct proc *p, int fd, uint64_t n);

/* ---- Errors ----------------------------------------------------------------- */

/* "NAME: text: Strerror\n" to fd 2 (no strerror when err is 0), after stdout was flushed.
 * The wording of the text is the caller's: GNU's, e.g. u_warn(p, e, "cannot open %s for reading", u_quote(p, path)). */
void u_warn(struct proc *p, int err, const char *fmt, ...) PRINTF(3, 4) MAY_SUSPEND;
void u_warn_v(struct proc *p, int err, const char *fmt, va_list ap) MAY_SUSPEND;
NORETURN void u_die(struct proc *p, int status, int err, const char *fmt, ...) PRINTF(4, 5);
/* "NAME: text\nTry 'NAME --help' for more information.\n", then exit with the command's usage status. */
NORETURN void u_usage(struct proc *p, const char *fmt, ...) PRINTF(2, 3);
/* The second line alone, for a message already printed. */
NORETURN void u_try_help(struct proc *p);
NORETURN void u_try_help_as(struct proc *p, int status);
/* Prints the command's --help and exits successfully. */
NORETURN void u_help(struct proc *p);
/* The same with --version. */
NORETURN void u_version(struct proc *p);
/* Flushes stdout and ends the proc; with u_failure_status after "NAME: write error: ..." when output was lost. */
NORETURN void u_exit(struct proc *p, int status);
/* That output was lost has been said: u_exit does not say it again. */
void u_output_told(struct proc *p);
/* As head and tail end: a write that failed before the last of it ("error writing 'standard output'") is told from one at the end. */
void u_end_of_copy(struct proc *p) MAY_SUSPEND;
/* The status of a failure that is nobody's usage error: the command's failure_status, else its usage_status, else 1. */
int u_failure_status(struct proc *p);
const char *u_name(struct proc *p);			/* what messages start with */

/* u_quote: 'x' as GNU's quote() in the C locale, for words in sentences. u_quote_file: shell-escape style of ls and friends ('a b', 'it'\''s' -> "it's", ''$'\n') always quoted;
 * u_quote_if_needed: only when the shell would need it. */
const char *u_quote(struct proc *p, const char *s);
const char *u_quote_file(struct proc *p, const char *s);
const char *u_quote_if_needed(struct proc *p, const char *s);
const char *u_quote_n(struct proc *p, const char *s, size_t n);

/* ---- Environment -------------------------------------------------------------- */

const char *u_getenv(struct proc *p, const char *name);	/* NULL when not set */
bool u_utf8(struct proc *p);	/* whether text is UTF-8: by LC_ALL, LC_CTYPE, LANG; unset means UTF-8 */

/* ---- Input: lines over slices ------------------------------------------------- */

/* Reads a descriptor line by line without copying: a line is handed out in place when it
 * lies in one slice, joined in a buffer otherwise. Lines longer than max_line (0: 1 GiB) end the
 * program with "NAME: line too long" (status 2).
 *
 *	u_lines_init(&r, p, fd, '\n');
 *	while (u_lines_next(&r, &line)) ... line.ptr, line.len without the delimiter; r.ended tells whether it had one
 *	if (r.err) ...
 *	u_lines_stop(&r);   // gives unread bytes back to the file (head, read)
 */
struct u_lines {
	struct proc *p;
	int fd;
	char delim;
	bool ended;		/* the last line handed out had its delimiter */
	bool eof;
	int err;		/* -E of a failed read; the end is reported then */
	const char *at, *end;	/* rest of the slice in hand */
	struct u_buf join;
	size_t max_line;
};
void u_lines_init(struct u_lines *r, struct proc *p, int fd, char delim);
bool u_lines_next(struct u_lines *r, struct str *line) MAY_SUSPEND;
/* All whole lines left in the slice in hand (delimiters included), at least one: for bulk work (grep, wc).
 * The last line of the input may lack its delimiter. false at the end. */
bool u_lines_block(struct u_lines *r, struct str *block) MAY_SUSPEND;
void u_lines_stop(struct u_lines *r);

/* Opens an operand for reading: "-" is fd 0. On failure prints GNU's "NAME: FILE: Strerror" and
 * returns -E. Directories open and fail on read (EISDIR), as in GNU. */
MUST_USE int u_open_operand(struct proc *p, const char *path) MAY_SUSPEND;
/* Closes what u_open_operand gave (not fd 0). */
void u_close_operand(struct proc *p, int fd) MAY_SUSPEND;
/* The whole of a file in memory, at most max bytes (-NACRE_EFBIG beyond). */
MUST_USE int u_read_all(struct proc *p, int fd, size_t max, struct str *out) MAY_SUSPEND;

/* A line of standard input: yes when it begins with y or Y. u_ask puts the question on standard error before. */
bool u_answer(struct proc *p) MAY_SUSPEND;
bool u_ask(struct proc *p, const char *text) MAY_SUSPEND;

/* ---- Numbers and sizes --------------------------------------------------------- */

/* GNU's xstrtoumax: decimal digits, then an optional suffix from `suffixes` ("bcEGkKMPTwYZ0", NULL:
 * none; KiB-type and kB-type endings where 'B' multiplication applies). 0, -NACRE_EINVAL, -NACRE_EOVERFLOW (*out is UINT64_MAX). */
MUST_USE int u_parse_size(const char *s, const char *suffixes, uint64_t *out);
/* As u_parse_size, or dies: "NAME: invalid WHAT: 'S'" (+ ": Value too large for defined data type"). */
uint64_t u_size_or_die(struct proc *p, const char *s, const char *suffixes, const char *what);

/* GNU's human_readable: 1.5K, 12M, 1023; ceil rounding as ls and du. base 1024 or 1000. buf of 32 bytes. */
const char *u_human(char *buf, uint64_t n, int base);

/* "drwxr-xr-x" into buf of 11 bytes. */
void u_mode_string(uint32_t mode, char *buf);
/* chmod's mode language: octal or symbolic ([ugoa]*[-+=][rwxXstugo]*,...). Parsed once, applied often. NULL if malformed. */
struct u_mode;
const struct u_mode *u_mode_parse(struct proc *p, const char *s);
uint32_t u_mode_apply(const struct u_mode *m, uint32_t old, bool is_dir, uint32_t umask);

/* ---- Paths ---------------------------------------------------------------------- */

const char *u_basename(struct proc *p, const char *path);	/* POSIX: "/" for slashes only, "" -> "" */
char *u_dirname(struct proc *p, const char *path);
/* path as seen from the directory dir, both absolute and clean: "../a", ".". */
char *u_relative_path(struct proc *p, const char *path, const char *dir);
char *u_join(struct proc *p, const char *dir, const char *name); /* one slash between */
/* Whether a component is "..": such a name of an archive may lead anywhere. */
bool u_has_dot_dot(const char *path);

/* Walks a tree depth first (find, rm -r, cp -r, chmod -R, du, grep -r, ls -R). Bounded depth; path buffer is the walker's. */
enum u_walk_event { U_WALK_FILE, U_WALK_DIR_PRE, U_WALK_DIR_POST, U_WALK_ERROR, U_WALK_CYCLE };
enum u_walk_flags {
	U_WALK_FOLLOW = 1u << 0,	/* follow every link (-L) */
	U_WALK_FOLLOW_ROOT = 1u << 1,	/* only those given as roots (-H) */
	U_WALK_SORTED = 1u << 2,	/* entries by name even on a host mount */
	U_WALK_ONE_FS = 1u << 3,
	U_WALK_NO_STAT = 1u << 4,	/* st is not filled for files below the root when readdir gives the type (st.mode has the type) */
};
struct u_walk_entry {
	enum u_walk_event event;
	const char *path;	/* as built from the root given */
	const char *name;	/* its last component */
	int depth;		/* 0 for a root */
	int err;		/* U_WALK_ERROR: what failed (stat or opening the directory) */
	struct sys_stat st;	/* of the file, or of the link's target when followed */
};
struct u_walk;
struct u_walk *u_walk_new(struct proc *p, const char *root, unsigned flags);
bool u_walk_next(struct u_walk *w, struct u_walk_entry *e) MAY_SUSPEND; /* false: done */
void u_walk_skip(struct u_walk *w);	/* do not enter the directory just given by DIR_PRE (no DIR_POST for it) */

/* Names of /etc/passwd and /etc/group; NULL when there is none (print the number then). */
const char *u_user_name(struct proc *p, uint32_t uid) MAY_SUSPEND;
const char *u_group_name(struct proc *p, uint32_t gid) MAY_SUSPEND;
/* By name; false when there is none. */
bool u_user_id(struct proc *p, const char *name, uint32_t *uid) MAY_SUSPEND;
bool u_group_id(struct proc *p, const char *name, uint32_t *gid) MAY_SUSPEND;

/* ---- Patterns -------------------------------------------------------------------- */

/* Shell patterns (fnmatch): * ? [..] [:class:] backslash. */
enum u_glob_flags {
	U_GLOB_PATHNAME = 1u << 0,	/* * ? [ do not match / */
	U_GLOB_PERIOD = 1u << 1,	/* a leading . must be matched by itself */
	U_GLOB_ICASE = 1u << 2,
	U_GLOB_NOESCAPE = 1u << 3,
	U_GLOB_EXTENDED = 1u << 4,	/* ?(..) *(..) +(..) @(..) !(..): u_glob_match_in only */
	U_GLOB_LEADING_DIR = 1u << 5,	/* match may end before a / */
	U_GLOB_BYTES = 1u << 6,		/* not UTF-8 */
};
/* Linear memory-free matching; without U_GLOB_EXTENDED (which it ignores). */
bool u_glob_match(const char *pattern, size_t np, const char *s, size_t ns, unsigned flags);
/* The same with U_GLOB_EXTENDED: polynomial time whatever the pattern, working memory from the arena and given
 * back; groups nested deeper than 64 match nothing. */
bool u_glob_match_in(struct proc *p, const char *pattern, size_t np, const char *s, size_t ns, unsigned flags);
/* The character class or set [...] at pattern[0] == '[': its length in the pattern (0: not a set, a literal '['),
 * and whether `c` is in it. For those who write their own matcher. */
size_t u_glob_bracket(const char *pattern, size_t np, uint32_t c, unsigned flags, bool *in);

/* Order of names with version numbers in them (sort -V, ls -v), as GNU: <0, 0, >0. */
int u_version_compare(const char *a, size_t na, const char *b, size_t nb);

/* ---- Signals (signals.c) --------------------------------------------------- */

/* "TERM" of 15, NULL where it has no name; 15 of "TERM", "SIGTERM", "term", "15"; -1. */
const char *u_signal_name(int sig);
int u_signal_number(const char *s);

/* ---- Time ------------------------------------------------------------------------- */

struct u_tm {	/* broken-down time; as struct tm, with a 64-bit year (full, 2024) and nanoseconds */
	int64_t year;
	int mon, mday, hour, min, sec;	/* mon 1-12 */
	int wday, yday;			/* wday 0 = Sunday; yday 0-365 */
	int32_t nsec;
	int32_t offset;			/* seconds east of UTC */
	int isdst;
	char zone[16];
};
struct u_tz;	/* a time zone: a file under /usr/share/zoneinfo, a known name (right since 1970), a POSIX rule, else UTC */
const struct u_tz *u_tz_get(struct proc *p, const char *spec /* NULL: TZ */);
void u_time_split(const struct u_tz *tz, struct sys_time t, struct u_tm *out);
struct sys_time u_time_join(const struct u_tz *tz, const struct u_tm *tm); /* normalises */
/* strftime with GNU date's flags and widths (%-d %_H %^a %10Y %N %3N %:z %s...). */
void u_time_format(struct u_buf *b, const char *fmt, size_t n, const struct u_tm *tm);
/* GNU's date -d language (absolute, ISO, RFC 2822, @N, relative items, weekdays, zones). false if not understood. */
bool u_time_parse(struct proc *p, const char *s, struct sys_time now, const struct u_tz *tz, struct sys_time *out);
/* The same, telling on fd 2 how it was understood (date --debug). zone: TZ, or NULL. */
bool u_time_parse_aloud(struct proc *p, const char *s, struct sys_time now, const char *zone, struct sys_time *out);

/* ---- Running other programs (xargs, find -exec, env, timeout) ----------------------- */

/* Finds `name` by PATH as execvp: the path, or NULL (126/127 by *status). */
const char *u_find_program(struct proc *p, const char *name, int *status) MAY_SUSPEND;
/* What to do instead of a program that scripts expect and a sandbox does not have; NULL for other names. */
const char *u_absent(const char *name);
/* Runs argv and waits. Exit status as a shell would show it (128+signal), or 126/127 after printing
 * "NAME: failed to run command ..." is left to the caller: *err has the -E then. stdin_null: fd 0 is /dev/null. */
int u_run(struct proc *p, char *const *argv, bool stdin_null, int *err) MAY_SUSPEND;
/* The same without waiting: the pid, or -1 with *err. */
int u_start(struct proc *p, char *const *argv, bool stdin_null, int *err) MAY_SUSPEND;

/* ---- Cores shared by commands and builtins -------------------------------------------- */

/* test and [: 0, 1, or 2 with a message "NAME: ..." printed by warn. argv without the name and the closing ]. */
struct u_test_host {
	struct proc *p;
	void (*warn)(struct u_test_host *h, const char *text);
	/* -v NAME, -o OPTION, -R NAME; NULL in the command, which then refuses them as GNU does. */
	bool (*is_set)(struct u_test_host *h, const char *name);
	bool (*option)(struct u_test_host *h, const char *name);
	bool (*is_ref)(struct u_test_host *h, const char *name);
	bool gnu_style;		/* the command's wording, and no -v -o -R */
};
int u_test(struct u_test_host *h, int argc, char *const *argv) MAY_SUSPEND;
/* One unary file or string test by letter (shared with [[ ]]): 1 true, 0 false. */
int u_test_unary(struct proc *p, char op, const char *arg) MAY_SUSPEND;
/* -nt -ot -ef */
int u_test_files(struct proc *p, const char *a, const char *op, const char *b) MAY_SUSPEND;

/* echo's escapes: appends to b; false when \c asked for silence. */
bool u_echo_escape(struct u_buf *b, const char *s, size_t n, bool bash_style);

/* printf: formats once over all args, reusing the format. warn gets messages ("`x': invalid number"); returns the status.
 * bash_style: %q %b %(fmt)T, \u, bash's wording; otherwise GNU printf's. *stop: \c or %b's \c was met. */
struct u_printf_host {
	struct proc *p;
	struct u_buf *out;
	bool bash_style;
	void (*warn)(struct u_printf_host *h, const char *text);
	int64_t (*shell_start)(struct u_printf_host *h);	/* seconds, for %(fmt)T with -2; NULL: none */
	/* Takes what is in out (and empties it) whenever that is a lot; NULL: it is kept (printf -v). */
	void (*spill)(struct u_printf_host *h);
	/* %n: the variable gets the number of bytes so far; NULL: %n is refused. */
	bool (*set_count)(struct u_printf_host *h, const char *name, int64_t n); /* false: refused, after a message */
	const char *tz;		/* the zone of %(fmt)T; NULL: TZ of the environment */
};
int u_printf_run(struct u_printf_host *h, const char *format, int argc, char *const *argv);

/* Shell quoting of %q and ${x@Q}: backslashes or $'...'; and single quotes (@Q, declare -p style). */
void u_shell_quote(struct u_buf *b, const char *s, size_t n);		/* printf %q */
void u_shell_quote_single(struct u_buf *b, const char *s, size_t n);	/* ${x@Q} */
void u_shell_quote_double(struct u_buf *b, const char *s, size_t n);	/* declare -p: "..." or $'...' */

#endif
