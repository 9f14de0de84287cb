/* lines.c - lines in formats of the caller's: --old-line-format and its kin. */
#include "diff.h"

static void print_one(struct diff *d, const char *format, int f, size_t i)
{
	const struct diff_line *l = &d->f[f].line[i];
	bool ended = !(d->f[f].no_newline && i + 1 == d->f[f].n);

	for (const char *s = format; *s; s++) {
		char spec[16], c;
		size_t n;

		if (*s != '%') {
			u_putc(d->out, *s);
			continue;
		}
		n = 1 + strspn(s + 1, "-'0123456789.");
		c = s[n];
		if (n == 1 && (c == 'l' || c == 'L')) {
			diff_put_line(d, l->ptr, l->len);
			if (c == 'L' && ended)
				u_putc(d->out, '\n');
		} else if (n == 1 && c == '%') {
			u_putc(d->out, '%');
		} else if (n == 1 && c == 'c' && s[2] == '\'' && s[3] && s[4] == '\'') {
			u_putc(d->out, s[3]);
			n = 4;
		} else if (n < 8 && c && strchr("doxX", c) && s[n + 1] == 'n') {
			memcpy(spec, s, n);
			fmt_buf(spec + n, sizeof(spec) - n, "ll%c", c);
			u_printf(d->out, spec, (long long)i + 1);
			n++;
		} else {
			u_putc(d->out, '%');
			continue;
		}
		s += n;
	}
}

void diff_print_formats(struct diff *d)
{
	const struct diff_opts *o = d->o;
	size_t i = 0;

	for (size_t k = 0; k <= d->nchanges; k++) {
		const struct diff_change *c = k < d->nchanges ? &d->change[k] : NULL;
		size_t end = c ? c->at[0] : d->f[0].n;

		for (; i < end; i++)
			print_one(d, o->same_format, 0, i);
		if (!c)
			break;
		for (; i < c->at[0] + c->n[0]; i++)
			print_one(d, c->ignored ? o->same_format : o->old_format, 0, i);
		for (size_t j = c->at[1]; j < c->at[1] + c->n[1] && !c->ignored; j++)
			print_one(d, o->new_format, 1, j);
	}
}
