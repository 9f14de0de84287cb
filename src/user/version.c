/* version.c - comparing version numbers inside names (sort -V, ls -v): GNU's filevercmp order.
 *
 * Names are compared without their file suffixes first: runs of digits as numbers, "~"
 * before everything, letters before other characters; ties by the whole name. */
#include "user.h"

/* The length without the suffix (\.[A-Za-z~][A-Za-z0-9~]*)*$. */
static size_t without_suffix(const char *s, size_t n)
{
	size_t end = n;
	bool letter_needed = false;

	for (size_t i = n; i-- > 0;) {
		int c = (unsigned char)s[i];

		if (ascii_alpha(c) || c == '~') {
			letter_needed = true;
		} else if (ascii_digit(c)) {
			letter_needed = false;
		} else if (c == '.' && letter_needed) {
			end = i;
			letter_needed = false;
		} else {
			break;
		}
	}
	return end;
}

static int order(const char *s, size_t at, size_t n)
{
	int c;

	if (at == n)
		return -1;
	c = (unsigned char)s[at];
	if (ascii_digit(c))
		return 0;
	if (ascii_alpha(c))
		return c;
	return c == '~' ? -2 : c + 256;
}

static int compare(const char *a, size_t na, const char *b, size_t nb)
{
	size_t i = 0, j = 0;

	while (i < na || j < nb) {
		int first = 0;

		while ((i < na && !ascii_digit(a[i])) || (j < nb && !ascii_digit(b[j]))) {
			int x = order(a, i, na), y = order(b, j, nb);

			if (x != y)
				return x - y;
			i++;
			j++;
		}
		while (i < na && a[i] == '0')
			i++;
		while (j < nb && b[j] == '0')
			j++;
		while (i < na && j < nb && ascii_digit(a[i]) && ascii_digit(b[j])) {
			if (!first)
				first = a[i] - b[j];
			i++;
			j++;
		}
		if (i < na && ascii_digit(a[i]))
			return 1;
		if (j < nb && ascii_digit(b[j]))
			return -1;
		if (first)
			return first;
	}
	return 0;
}

int u_version_compare(const char *a, size_t na, const char *b, size_t nb)
{
	size_t pa, pb;
	int r;

	if (na == 0 || nb == 0)
		return (na != 0) - (nb != 0);
	/* "." and ".." come first, then the hidden files. */
	if (a[0] == '.' || b[0] == '.') {
		if (a[0] != b[0])
			return a[0] == '.' ? -1 : 1;
		if (na == 1 || nb == 1)
			return (na != 1) - (nb != 1);
		if ((na == 2 && a[1] == '.') || (nb == 2 && b[1] == '.'))
			return !(na == 2 && a[1] == '.') - !(nb == 2 && b[1] == '.');
	}
	pa = without_suffix(a, na);
	pb = without_suffix(b, nb);
	r = compare(a, pa, b, pb);
	if (r == 0 && (pa != na || pb != nb))
		r = compare(a, na, b, nb);
	return r;
}
