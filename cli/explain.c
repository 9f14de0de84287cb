/* explain.c - nacre explain: what the policy says of a path, a URL or a command. */
#include "cli.h"

#include <stdio.h>

static void print(void *payload, const nacre_decision *d)
{
	(void)payload;
	printf("%s %s: ", d->operation, d->subject);
	if (!d->error)
		puts("allowed");
	else if (*d->rule_id)
		printf("refused by %s%s%s: %s\n", d->rule_id, *d->rule ? " " : "", d->rule, nacre_strerror(d->error));
	else
		printf("%s\n", nacre_strerror(d->error));
}

int cli_explain(nacre_sandbox *sb, const char *subject)
{
	return nacre_explain(sb, subject, print, NULL) == 0 ? 0 : 1;
}
