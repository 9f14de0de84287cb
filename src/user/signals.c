/* signals.c - names of signals, for kill and timeout. */
#include "user.h"

static const char names[][8] = {
	"EXIT", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT",
	"CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
};

const char *u_signal_name(int sig)
{
	return sig >= 0 && (size_t)sig < COUNTOF(names) ? names[sig] : NULL;
}

int u_signal_number(const char *s)
{
	char up[16];
	size_t n = 0;

	if (ascii_digit((unsigned char)*s)) {
		const char *end;
		bool overflow = false;
		uint64_t v = num_u64(s, &end, 10, &overflow);

		return !*end && !overflow && v < SYS_NSIG ? (int)v : -1;
	}
	for (; s[n] && n + 1 < sizeof(up); n++)
		up[n] = (char)ascii_toupper((unsigned char)s[n]);
	up[n] = '\0';
	if (s[n])
		return -1;
	for (size_t i = 0; i < COUNTOF(names); i++)
		if (strcmp(names[i], strncmp(up, "SIG", 3) == 0 ? up + 3 : up) == 0)
			return (int)i;
	return -1;
}
