/* ask.c - questions of commands that are careful (rm -i, cp -i, rename -i). */
#include "user.h"

bool u_answer(struct proc *p)
{
	char c, first = 0;
	bool any = false;

	while (sys_read(p, 0, &c, 1) == 1 && c != '\n') {
		if (!any)
			first = c;
		any = true;
	}
	return first == 'y' || first == 'Y';
}

bool u_ask(struct proc *p, const char *text)
{
	u_flush(u_stdout(p));
	u_write_all(p, 2, text, strlen(text));
	return u_answer(p);
}
