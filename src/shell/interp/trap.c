/*
 * trap.c - traps: signals, EXIT, DEBUG, ERR and RETURN.
 *
 * A caught signal only marks itself pending in the kernel; the shell looks between commands
 * (trap_poll) and runs the action then, as bash does. Actions run to their end on the native
 * stack, in a unit of their own. DEBUG, ERR and RETURN are not inherited by functions unless
 * functrace or errtrace says so: special_traps has the bits of those in force here.
 */
#include "../syntax/print.h"
#include "interp.h"

#define BIT(which) ((uint8_t)(1u << ((which)-TRAP_DEBUG)))

/* ---- Names ---------------------------------------------------------------------- */

struct signal {
	int number;
	const char *name, *text;
};

static const struct signal signals[] = {
        {1, "HUP", "Hangup"},
        {2, "INT", "Interrupt"},
        {3, "QUIT", "Quit"},
        {4, "ILL", "Illegal instruction"},
        {5, "TRAP", "Trace/breakpoint trap"},
        {6, "ABRT", "Aborted"},
        {7, "BUS", "Bus error"},
        {8, "FPE", "Floating point exception"},
        {9, "KILL", "Killed"},
        {10, "USR1", "User defined signal 1"},
        {11, "SEGV", "Segmentation fault"},
        {12, "USR2", "User defined signal 2"},
        {13, "PIPE", "Broken pipe"},
        {14, "ALRM", "Alarm clock"},
        {15, "TERM", "Terminated"},
        {16, "STKFLT", "Stack fault"},
        {17, "CHLD", "Child exited"},
        {18, "CONT", "Continued"},
        {19, "STOP", "Stopped (signal)"},
        {20, "TSTP", "Stopped"},
        {21, "TTIN", "Stopped (tty input)"},
        {22, "TTOU", "Stopped (tty output)"},
        {23, "URG", "Urgent I/O condition"},
        {24, "XCPU", "CPU time limit exceeded"},
        {25, "XFSZ", "File size limit exceeded"},
        {26, "VTALRM", "Virtual timer expired"},
        {27, "PROF", "Profiling timer expired"},
        {28, "WINCH", "Window changed"},
        {29, "IO", "I/O possible"},
        {30, "PWR", "Power failure"},
        {31, "SYS", "Bad system call"},
        {34, "RTMIN", "Real-time signal 0"},
        {35, "RTMIN+1", NULL},
        {36, "RTMIN+2", NULL},
        {37, "RTMIN+3", NULL},
        {38, "RTMIN+4", NULL},
        {39, "RTMIN+5", NULL},
        {40, "RTMIN+6", NULL},
        {41, "RTMIN+7", NULL},
        {42, "RTMIN+8", NULL},
        {43, "RTMIN+9", NULL},
        {44, "RTMIN+10", NULL},
        {45, "RTMIN+11", NULL},
        {46, "RTMIN+12", NULL},
        {47, "RTMIN+13", NULL},
        {48, "RTMIN+14", NULL},
        {49, "RTMIN+15", NULL},
        {50, "RTMAX-14", NULL},
        {51, "RTMAX-13", NULL},
        {52, "RTMAX-12", NULL},
        {53, "RTMAX-11", NULL},
        {54, "RTMAX-10", NULL},
        {55, "RTMAX-9", NULL},
        {56, "RTMAX-8", NULL},
        {57, "RTMAX-7", NULL},
        {58, "RTMAX-6", NULL},
        {59, "RTMAX-5", NULL},
        {60, "RTMAX-4", NULL},
        {61, "RTMAX-3", NULL},
        {62, "RTMAX-2", NULL},
        {63, "RTMAX-1", NULL},
        {64, "RTMAX", NULL},
};
static const struct signal specials[] = {
        {TRAP_EXIT, "EXIT", NULL},
        {TRAP_DEBUG, "DEBUG", NULL},
        {TRAP_ERR, "ERR", NULL},
        {TRAP_RETURN, "RETURN", NULL},
};

static bool same_name(const char *a, const char *b)
{
	while (*a && ascii_toupper((unsigned char)*a) == *b) {
		a++;
		b++;
	}
	return *a == '\0' && *b == '\0';
}

int signal_by_name(const char *s, bool with_special)
{
	const char *bare = s;

	if (ascii_digit((unsigned char)*s)) {
		const char *end;
		int64_t n = num_i64(s, &end, 10, NULL);

		if (*end != '\0' || n < 0 || n > 64 || n == 32 || n == 33 ||
		    (n == 0 && !with_special))
			return -1;
		return (int)n;
	}
	for (size_t i = 0; with_special && i < COUNTOF(specials); i++)
		if (same_name(s, specials[i].name))
			return specials[i].number;
	if (ascii_toupper((unsigned char)s[0]) == 'S' &&
	    ascii_toupper((unsigned char)s[1]) == 'I' && ascii_toupper((unsigned char)s[2]) == 'G')
		bare = s + 3;
	for (size_t i = 0; i < COUNTOF(signals); i++)
		if (same_name(bare, signals[i].name))
			return signals[i].number;
	return -1;
}

const char *signal_name(int sig)
{
	for (size_t i = 0; i < COUNTOF(specials); i++)
		if (specials[i].number == sig)
			return specials[i].name;
	for (size_t i = 0; i < COUNTOF(signals); i++)
		if (signals[i].number == sig)
			return signals[i].name;
	return NULL;
}

const char *signal_text(int sig)
{
	for (size_t i = 0; i < COUNTOF(signals); i++)
		if (signals[i].number == sig)
			return signals[i].text;
	return NULL;
}

/* ---- What is set ------------------------------------------------------------------- */

static bool active(const struct shell *sh, unsigned which)
{
	const struct vstr *v = trap_get(sh->st, which);

	return v && v->len;
}

/* In a function: whether the traps that functions do not inherit are in force in it. */
static uint8_t inherited(const struct shell *sh)
{
	const struct frame *f = frame_find(sh->st, FRAME_FUNCTION);
	uint8_t bits = BIT(TRAP_DEBUG) | BIT(TRAP_ERR) | BIT(TRAP_RETURN);

	if (!f)
		return bits;
	if (!set_is(sh, SET_FUNCTRACE) && !(f->func && (f->func->flags & VAR_TRACE)))
		bits &= (uint8_t) ~(BIT(TRAP_DEBUG) | BIT(TRAP_RETURN));
	if (!set_is(sh, SET_ERRTRACE))
		bits &= (uint8_t)~BIT(TRAP_ERR);
	return bits;
}

static uint8_t active_specials(struct shell *sh)
{
	uint8_t bits = 0;

	for (unsigned i = TRAP_DEBUG; i <= TRAP_RETURN; i++)
		if (active(sh, i))
			bits |= BIT(i);
	return bits;
}

void trap_changed(struct shell *sh)
{
	sh->trapped = 0;
	sh->special_traps = 0;
	if (!sh->st->traps)
		return;
	sh->trapped = active(sh, TRAP_EXIT) ? 1 : 0;
	for (unsigned i = 1; i < SYS_NSIG - 1; i++)
		if (active(sh, i))
			sh->trapped |= (uint64_t)1 << i;
	sh->special_traps = active_specials(sh) & sh->trap_mask;
}

void trap_allow(struct shell *sh, unsigned which)
{
	if (which >= TRAP_DEBUG && which <= TRAP_RETURN)
		sh->trap_mask |= BIT(which);
	trap_changed(sh);
}

void trap_now_set(struct shell *sh, unsigned which)
{
	for (struct task *t = sh->top; t && which >= TRAP_DEBUG && which <= TRAP_RETURN; t = t->up)
		if (t->kind == TASK_CALL)
			((struct task_call *)(void *)t)->trap_mask |= BIT(which);
	trap_allow(sh, which);
}

bool trap_hidden(const struct shell *sh, unsigned which)
{
	return which >= TRAP_DEBUG && which <= TRAP_RETURN && !(sh->trap_mask & BIT(which));
}

void trap_call(struct shell *sh, const struct func *f)
{
	(void)f;
	/* What is not set yet is not kept from the function: it may set it, for its callers as well. */
	sh->trap_mask &= inherited(sh) | (uint8_t)~active_specials(sh);
	sh->special_traps &= sh->trap_mask;
}

/* source without functrace. */
bool trap_put_debug_aside(struct shell *sh)
{
	if (set_is(sh, SET_FUNCTRACE) || !(sh->special_traps & BIT(TRAP_DEBUG)))
		return false;
	sh->trap_mask &= (uint8_t)~BIT(TRAP_DEBUG);
	trap_changed(sh);
	return true;
}

/* ---- Running actions ------------------------------------------------------------------- */

/* $BASH_COMMAND in an action, laid out as bash prints commands. */
struct str trap_command_text(struct shell *sh)
{
	const struct cmd *c = sh->noted;

	if (!c || (c->kind != CMD_SIMPLE && c->kind != CMD_COND && c->kind != CMD_ARITH && c->kind != CMD_SUBSHELL))
		return sh->st->command.ptr ? (struct str){u_strndup(sh->p, sh->st->command.ptr, sh->st->command.len), sh->st->command.len}
		                           : sh->st->command;
	return print_command(&sys_self(sh->p)->arena, c);
}

/* Runs the action with $? as it is, and puts $? back. A `return` or an error in it goes on
 * unwinding. */
static void run(struct shell *sh, unsigned which, const char *input, uint32_t line)
{
	struct vstr *v = trap_get(sh->st, which);
	struct arena *a = &sys_self(sh->p)->arena;
	struct arena_mark mark = arena_mark(a);
	int status = sh->st->status, trap_status = sh->trap_status;
	const struct pipe_status *ps = sh->st->pipestatus;
	size_t npipe = ps ? ps->n : 1;
	uint8_t *pipe = u_alloc(sh->p, npipe);
	uint32_t saved_line = sh->st->line;
	uint16_t noerr = sh->noerr;
	uint8_t depth = sh->trace_depth;
	struct str text, command;

	if (!v || v->len == 0)
		return;
	memcpy(pipe, ps ? ps->v : &sh->st->pipe_one, npipe);
	text = str_from(u_strndup(sh->p, v->s, v->len));
	sh->trap_status = status;
	command = trap_command_text(sh);
	if (depth < TRACE_DEPTH_MAX)
		sh->trace_depth++;
	unit_run(sh, UNIT_TRAP, text, input, line, command.ptr ? &command : NULL);
	sh->trace_depth = depth;
	sh->trap_status = trap_status;
	sh->noerr = noerr;
	if (sh->flow == FLOW_NONE) {
		sh->st->status = status;
		state_set_pipestatus(sh->st, pipe, npipe);
	}
	sh->st->line = saved_line;
	arena_reset(a, mark);
}

/* ---- Signals that end the shell ---------------------------------------------------------- */

static const uint8_t fatal[] = {SYS_SIGHUP,  SYS_SIGINT,  SYS_SIGUSR1,
                                SYS_SIGUSR2, SYS_SIGALRM, SYS_SIGTERM};

bool trap_is_fatal(int sig)
{
	return memchr(fatal, sig, sizeof fatal) != NULL;
}

void trap_catch_fatal(struct shell *sh, bool catch)
{
	for (size_t i = 0; i < sizeof fatal; i++) {
		int sig = fatal[i];

		if (trap_get(sh->st, (unsigned)sig))
			continue;
		if (sys_signal(sh->p, sig, catch ? SYS_SIG_CATCH : SYS_SIG_DEFAULT) ==
		    SYS_SIG_IGNORE)
			sys_signal(sh->p, sig, SYS_SIG_IGNORE);
	}
}

/* The EXIT trap runs, then the signal does what it does. */
static void end_by(struct shell *sh, unsigned sig)
{
	if (!sh->exiting) {
		sh->exiting = 1;
		trap_exit(sh);
	}
	u_flush(&sh->out);
	sys_signal(sh->p, (int)sig, SYS_SIG_DEFAULT);
	(void)!sys_kill(sh->p, sys_getpid(sh->p), (int)sig);
}

static bool ends(const struct shell *sh, unsigned sig)
{
	return (sh->trapped & 1) && !trap_get(sh->st, sig) && trap_is_fatal((int)sig);
}

void trap_interrupted(struct shell *sh)
{
	uint64_t pending = sys_signals(sh->p);

	for (size_t i = 0; i < sizeof fatal; i++)
		if ((pending >> fatal[i] & 1) && ends(sh, fatal[i]))
			end_by(sh, fatal[i]);
	sh->held |= pending;
}

void trap_poll_slow(struct shell *sh)
{
	uint64_t pending = sys_signals(sh->p) | sh->held;

	sh->held = 0;
	while (pending) {
		unsigned sig = (unsigned)__builtin_ctzll(pending);
		uint64_t bit = (uint64_t)1 << sig;

		pending &= ~bit;
		if (ends(sh, sig))
			end_by(sh, sig);
		if (!(sh->trapped & bit) || (sh->in_signal_trap & bit))
			continue;
		sh->in_signal_trap |= bit;
		sh->last_signal = (int)sig;
		run(sh, sig, "trap", 1);
		sh->in_signal_trap &= ~bit;
	}
}

static void run_special(struct shell *sh, unsigned which, const char *input)
{
	uint8_t bit = BIT(which);

	if (sh->in_trap & bit)
		return;
	sh->in_trap |= bit;
	run(sh, which, input, sh->st->line);
	sh->in_trap &= (uint8_t)~bit;
}

/* The end of what bash shows of a compound command: its head. */
static uint32_t head_end(const struct cmd *cmd)
{
	if (cmd->kind == CMD_FOR || cmd->kind == CMD_SELECT) {
		const struct cmd_for *c = AST_CONST(cmd_for, cmd);

		if (c->nwords) {
			const struct word *w = &c->words[c->nwords - 1];

			return w->off + w->raw_len;
		}
	}
	if (cmd->kind == CMD_CASE) {
		const struct word *w = AST_CONST(cmd_case, cmd)->word;

		return w->off + w->raw_len + 4;
	}
	return cmd->end;
}

/* $BASH_COMMAND: the text of the command in the unit that holds it. */
void trap_note_command(struct shell *sh, const struct cmd *cmd)
{
	const struct frame *f = sh->st->frame;
	uint32_t end = cmd->kind == CMD_SIMPLE ? cmd->end : head_end(cmd);

	while (f && !f->unit)
		f = f->up;
	sh->noted = cmd;
	if (f && end >= cmd->off && end <= f->unit->text.len)
		sh->st->command = (struct str){f->unit->text.ptr + cmd->off, end - cmd->off};
}

bool trap_debug_slow(struct shell *sh, const struct cmd *cmd)
{
	if (sh->in_trap & BIT(TRAP_DEBUG))
		return false;
	if (cmd)
		trap_note_command(sh, cmd);
	run_special(sh, TRAP_DEBUG, "debug trap");
	return sh->flow != FLOW_NONE;
}

void trap_error(struct shell *sh)
{
	if ((sh->special_traps & BIT(TRAP_ERR)) && !(sh->in_trap & BIT(TRAP_ERR)))
		run_special(sh, TRAP_ERR, "error trap");
}

bool trap_has_error(const struct shell *sh)
{
	return (sh->special_traps & BIT(TRAP_ERR)) != 0;
}

void trap_check_call(struct shell *sh, bool had_error)
{
	uint8_t in = sh->in_trap;

	if (!had_error)
		sh->in_trap |= BIT(TRAP_ERR);
	machine_check(sh);
	sh->in_trap = in;
}

void trap_return(struct shell *sh)
{
	if (sh->special_traps & BIT(TRAP_RETURN))
		run_special(sh, TRAP_RETURN, "return trap");
}

void trap_returned(struct shell *sh)
{
	int status = sh->st->status;

	if (!(sh->special_traps & BIT(TRAP_RETURN)))
		return;
	sh->st->status = sh->before_return;
	trap_return(sh);
	if (sh->flow == FLOW_NONE)
		sh->st->status = status;
}

void trap_exit(struct shell *sh)
{
	struct vstr *v = trap_get(sh->st, TRAP_EXIT);
	struct str text;

	if (!v || v->len == 0)
		return;
	text = str_from(u_strndup(sh->p, v->s, v->len));
	trap_set(sh->st, TRAP_EXIT, NULL);
	sh->flow = FLOW_NONE;
	sh->nested = 0;
	sh->noerr = 0;
	sh->trap_status = sh->st->status;
	if (sh->exit_deeper && sh->trace_depth < TRACE_DEPTH_MAX)
		sh->trace_depth++;
	unit_run(sh, UNIT_TRAP, text, "exit trap", 1, NULL);
}
