/*
 * redirect.c - redirections, applied to the shell's own descriptors and taken back.
 *
 * One mechanism for builtins, functions, compound commands and programs: apply left to right,
 * keep what was there on descriptors from 10 up (close-on-exec, so programs never see them),
 * run, undo in reverse. What is to be undone is one chain for the whole shell, newest first;
 * a command remembers the head it found. `exec` and subshells apply without a chain.
 */
#include "interp.h"

#define FIRST_SAVED 10
#define FD_MAX      1023

/* ---- Undo ------------------------------------------------------------------ */

/* A descriptor was closed: -E says that what was written could not be kept (an object store), which is an error of the command. */
static bool kept(struct shell *sh, int r)
{
	if (LIKELY(r >= 0) || r == -NACRE_EBADF || r == -NACRE_EMFILE || r == -NACRE_ENOMEM || r == -NACRE_EKILLED)
		return true;
	sys_close_failed(sh->p);
	shell_error(sh, "write error: %s", errno_text(r));
	return false;
}

bool redir_undo(struct shell *sh, struct redir_undo *until)
{
	bool ok = true;

	while (sh->undo != until) {
		struct redir_undo *u = sh->undo;
		int r;

		sh->undo = u->next;
		if (u->procsub || u->saved < 0) {
			ok &= kept(sh, sys_close(sh->p, u->fd));
			continue;
		}
		r = sys_dup2(sh->p, u->saved, u->fd);
		ok &= kept(sh, r);
		if (r >= 0 && u->cloexec)
			sys_set_cloexec(sh->p, u->fd, true);
		sys_close(sh->p, u->saved);
	}
	return ok;
}

bool redir_forget(struct shell *sh, struct redir_undo *until)
{
	bool ok = true;

	while (sh->undo != until) {
		struct redir_undo *u = sh->undo;

		sh->undo = u->next;
		if (u->procsub || u->saved >= 0)
			ok &= kept(sh, sys_close(sh->p, u->procsub ? u->fd : u->saved));
	}
	return ok;
}

void redir_close_later(struct shell *sh, int fd)
{
	struct redir_undo *u = u_alloc(sh->p, sizeof *u);

	*u = (struct redir_undo){.next = sh->undo, .fd = fd, .saved = -1, .procsub = true};
	sh->undo = u;
}

/* A script may name a descriptor on which something is kept: keep that elsewhere. */
static void make_room(struct shell *sh, int fd)
{
	for (struct redir_undo *u = sh->undo; u; u = u->next) {
		if (u->saved == fd) {
			int to = sys_dup(sh->p, fd, fd + 1, true);

			if (to >= 0)
				u->saved = to;
		}
	}
}

static void keep(struct shell *sh, int fd)
{
	struct redir_undo *u = u_alloc(sh->p, sizeof *u);
	int flags = sys_fd_flags(sh->p, fd);

	u->fd = fd;
	u->procsub = false;
	u->cloexec = flags >= 0 && (flags & (int)SYS_O_CLOEXEC);
	u->saved = flags < 0 ? -1 : sys_dup(sh->p, fd, FIRST_SAVED, true);
	u->next = sh->undo;
	sh->undo = u;
}

/* An error in the expansion of a target: what exits or unwinds does so, the rest fails the command.
 */
static bool expand_failed(struct shell *sh)
{
	if (sh->x.error == EXPAND_EXIT || sh->x.error == EXPAND_UNWIND ||
	    sh->x.error == EXPAND_FAIL || sh->x.error == EXPAND_ARITH || sh->x.error == EXPAND_TOP)
		machine_expand_failed(sh);
	sh->x.error = EXPAND_NONE;
	return false;
}

void redir_replace(struct shell *sh, int fd, int from)
{
	keep(sh, fd);
	if (from >= 0 && from != fd) {
		(void)!sys_dup2(sh->p, from, fd);
		sys_close(sh->p, from);
	}
}

/* ---- One redirection -------------------------------------------------------- */

static bool fail(struct shell *sh, const char *what, int err)
{
	shell_error(sh, "%s: %s", what, errno_text(err));
	return false;
}

static int open_clobber(struct shell *sh, const char *path)
{
	struct sys_stat st;
	int fd;

	if (set_is(sh, SET_NOCLOBBER)) {
		if (sys_stat(sh->p, path, 0, &st) == 0) {
			if ((st.mode & SYS_S_TYPE) == SYS_S_FILE)
				return -NACRE_EEXIST;
			return sys_open(sh->p, path, SYS_O_WRITE | SYS_O_CREATE, 0666);
		}
		fd = sys_open(sh->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_EXCL, 0666);
		return fd;
	}
	return sys_open(sh->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
}

static int open_target(struct shell *sh, enum redir_op op, const char *path)
{
	switch (op) {
	case REDIR_IN: return sys_open(sh->p, path, SYS_O_READ, 0);
	case REDIR_OUT:
	case REDIR_BOTH: return open_clobber(sh, path);
	case REDIR_CLOBBER:
		return sys_open(sh->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_TRUNC, 0666);
	case REDIR_APPEND:
	case REDIR_BOTH_APPEND:
		return sys_open(sh->p, path, SYS_O_WRITE | SYS_O_CREATE | SYS_O_APPEND, 0666);
	case REDIR_RDWR:
		return sys_open(sh->p, path, SYS_O_READ | SYS_O_WRITE | SYS_O_CREATE, 0666);
	default: return -NACRE_EINVAL;
	}
}

/* Moves the fresh descriptor `from` to `fd`. */
static bool settle(struct shell *sh, int from, int fd)
{
	if (from == fd)
		return true;
	if (sys_dup2(sh->p, from, fd) < 0) {
		sys_close(sh->p, from);
		shell_error(sh, "%d: %s", fd, errno_text(NACRE_EBADF));
		return false;
	}
	sys_close(sh->p, from);
	return true;
}

/* Before `fd` changes hands: what stood there is kept when it is to come back. */
static bool claim(struct shell *sh, int fd, bool undo)
{
	if (fd < 0 || fd > FD_MAX) {
		shell_error(sh, "%d: %s", fd, errno_text(NACRE_EBADF));
		return false;
	}
	if (fd >= FIRST_SAVED)
		make_room(sh, fd);
	if (undo)
		keep(sh, fd);
	return true;
}

static bool to_file(struct shell *sh, const struct redir *r, const char *path, int fd, bool undo)
{
	bool both = r->op == REDIR_BOTH || r->op == REDIR_BOTH_APPEND || r->op == REDIR_DUP_OUT;
	int from;

	if (!claim(sh, fd, undo) || (both && !claim(sh, 2, undo)))
		return false;
	from = open_target(sh, r->op == REDIR_DUP_OUT ? REDIR_BOTH : (enum redir_op)r->op, path);
	if (from < 0) {
		if (from == -NACRE_EEXIST && set_is(sh, SET_NOCLOBBER)) {
			shell_error(sh, "%s: cannot overwrite existing file", path);
			return false;
		}
		return fail(sh, path, from);
	}
	if (!settle(sh, from, fd))
		return false;
	if (both && sys_dup2(sh->p, fd, 2) < 0)
		return fail(sh, path, NACRE_EBADF);
	return true;
}

static bool to_text(struct shell *sh, struct str text, int fd, bool undo)
{
	int from;

	if (!claim(sh, fd, undo))
		return false;
	from = sys_memfile(sh->p, text.ptr, text.len);
	if (from < 0) {
		shell_error(sh, "cannot create temp file for here-document: %s", errno_text(from));
		return false;
	}
	return settle(sh, from, fd);
}

/* `what` is how a message names the source. */
static bool to_dup(struct shell *sh, int from, int fd, bool move, const char *what, bool undo)
{
	if (sys_fd_flags(sh->p, from) < 0)
		return fail(sh, what, NACRE_EBADF);
	if (from == fd)
		return sys_set_cloexec(sh->p, fd, false) >= 0;
	if (!claim(sh, fd, undo))
		return false;
	if (sys_dup2(sh->p, from, fd) < 0)
		return fail(sh, what, NACRE_EBADF);
	if (move) {
		if (!claim(sh, from, undo))
			return false;
		sys_close(sh->p, from);
	}
	return true;
}

static bool to_nothing(struct shell *sh, int fd, bool undo)
{
	return claim(sh, fd, undo) && kept(sh, sys_close(sh->p, fd));
}

/* Decimal digits only: a descriptor; -1 otherwise. */
static int fd_number(const char *s, const char **end)
{
	int n = 0;

	*end = s;
	while (ascii_digit(**end) && n < 1000000)
		n = n * 10 + (*(*end)++ - '0');
	return *end == s ? -1 : n;
}

/* <&word and >&word whose word was not a number in the script. */
static bool dup_word(struct shell *sh, const struct redir *r, int fd, bool undo)
{
	struct str target;
	const char *s, *end;
	int from;

	if (!expand_target(&sh->x, r->target, &target))
		return expand_failed(sh);
	s = u_strndup(sh->p, target.ptr, target.len);
	if (streq(s, "-"))
		return to_nothing(sh, fd, undo);
	from = fd_number(s, &end);
	if (from >= 0 && *end == '\0')
		return to_dup(sh, from, fd, false,
		              u_strndup(sh->p, r->target->raw, r->target->raw_len), undo);
	if (from >= 0 && streq(end, "-"))
		return to_dup(sh, from, fd, true, s, undo);
	if (r->op == REDIR_DUP_OUT && fd == 1 && r->varname.len == 0)
		return to_file(sh, r, s, fd, undo);
	shell_error(sh, "%.*s: ambiguous redirect", (int)r->target->raw_len, r->target->raw);
	return false;
}

static bool here_text(struct shell *sh, const struct redir *r, struct str *text)
{
	if (!expand_joined(&sh->x, r->target, r->op == REDIR_HERESTR ? JOIN_VALUE : JOIN_DOCUMENT, text))
		return expand_failed(sh);
	if (r->op == REDIR_HERESTR) {
		char *s = u_alloc(sh->p, size_add(text->len, 2));

		memcpy(s, text->ptr, text->len);
		s[text->len++] = '\n';
		text->ptr = s;
	}
	return true;
}

static bool apply_to(struct shell *sh, const struct redir *r, int fd, bool undo)
{
	struct str text;

	switch ((enum redir_op)r->op) {
	case REDIR_HEREDOC:
	case REDIR_HERESTR:
		if (!here_text(sh, r, &text))
			return false;
		return to_text(sh, text, fd, undo);
	case REDIR_DUP_IN:
	case REDIR_DUP_OUT:
		if (r->flags & REDIR_CLOSE)
			return to_nothing(sh, fd, undo);
		if (r->flags & (REDIR_DUP_NUMBER | REDIR_MOVE))
			return to_dup(sh, r->from, fd, (r->flags & REDIR_MOVE) != 0,
			              u_format(sh->p, "%d", r->from), undo);
		return dup_word(sh, r, fd, undo);
	default: break;
	}
	if (!expand_target(&sh->x, r->target, &text))
		return expand_failed(sh);
	return to_file(sh, r, u_strndup(sh->p, text.ptr, text.len), fd, undo);
}

/* The target of {name} or {name[sub]} as text for assign_text. */
static struct str named_target(struct shell *sh, const struct redir *r)
{
	if (!r->varsub)
		return r->varname;
	return str_from(u_format(sh->p, "%.*s[%.*s]", (int)r->varname.len, r->varname.ptr,
	                         (int)r->varsub->raw.len, r->varsub->raw.ptr));
}

/* A free descriptor from 10 up. */
static int free_fd(struct shell *sh)
{
	for (int fd = FIRST_SAVED; fd <= FD_MAX; fd++)
		if (sys_fd_flags(sh->p, fd) < 0)
			return fd;
	return -NACRE_EMFILE;
}

/* {name}>…: the descriptor is chosen here, kept in the variable, and not taken back after
 * the command, as in bash (unless varredir_close is on). */
static bool apply_named(struct shell *sh, const struct redir *r, bool undo)
{
	struct str target = named_target(sh, r), value;
	const char *end;
	char text[24];
	int fd;

	if (r->flags & REDIR_CLOSE) {
		fd = -1;
		if (get_text(&sh->x, target, &value)) {
			fd = fd_number(u_strndup(sh->p, value.ptr, value.len), &end);
			if (*end != '\0')
				fd = -1;
		}
		sh->x.error = EXPAND_NONE;
		if (fd < 0) {
			shell_error(sh, "%.*s: ambiguous redirect", (int)target.len, target.ptr);
			return false;
		}
		return to_nothing(sh, fd, false);
	}
	fd = free_fd(sh);
	if (fd < 0) {
		shell_error(sh, "%.*s: cannot assign fd to variable", (int)target.len, target.ptr);
		return false;
	}
	if (!apply_to(sh, r, fd, undo && shopt_is(sh, SHOPT_VARREDIR_CLOSE)))
		return false;
	if (assign_text(&sh->x, target, (struct str){text, num_put_i64(text, fd)}, VAR_VISIBLE, 0))
		return true;
	sh->x.error = EXPAND_NONE;
	shell_error(sh, "%.*s: cannot assign fd to variable", (int)target.len, target.ptr);
	sys_close(sh->p, fd);
	return false;
}

static bool apply_each(struct shell *sh, const struct redir *r, bool undo)
{
	struct redir_undo *before = sh->undo;

	for (; r; r = r->next) {
		if (r->varname.len ? apply_named(sh, r, undo) : apply_to(sh, r, r->fd, undo))
			continue;
		redir_undo(sh, before);
		return false;
	}
	return true;
}

/* The words of redirections do not see the x=1 before their command. */
static bool looks_behind(const struct shell *sh, const struct redir *r)
{
	const struct frame *f = sh->st->frame;

	if (!f || f->kind != FRAME_TEMPENV || !f->nsaved)
		return false;
	while (r && (!r->target || (r->target->flags & WORD_LITERAL)))
		r = r->next;
	return r != NULL;
}

bool redir_apply_all(struct shell *sh, const struct redir *r, bool undo)
{
	bool ok, behind = UNLIKELY(looks_behind(sh, r));

	if (behind)
		frame_hide(sh->st);
	ok = apply_each(sh, r, undo);
	if (behind)
		frame_hide(sh->st);
	return ok;
}
