/* netrule.c - entries of a network list: a host, *.HOST, an address, a range of addresses. */
#include "api.h"

static bool label(const char *s, size_t n)
{
	if (n == 0 || n > 63 || s[0] == '-' || s[n - 1] == '-')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!ascii_alnum((unsigned char)s[i]) && s[i] != '-')
			return false;
	return true;
}

static bool number(const char **s, unsigned max)
{
	const char *begin = *s;
	unsigned v = 0;

	while (ascii_digit((unsigned char)**s) && *s - begin < 3)
		v = v * 10 + (unsigned)(*(*s)++ - '0');
	return *s > begin && v <= max && !(begin[0] == '0' && *s - begin > 1);
}

/* "10.1.2.3" up to *s. */
static bool dotted(const char **s)
{
	for (int i = 0; i < 4; i++)
		if ((i && *(*s)++ != '.') || !number(s, 255))
			return false;
	return true;
}

/* An IPv6 address up to *s: at most eight groups, "::" once. */
static bool colons(const char **s)
{
	int groups = 0;
	bool gap = false;

	while (**s && **s != '/') {
		const char *begin = *s;

		if (strncmp(*s, "::", 2) == 0) {
			if (gap)
				return false;
			gap = true;
			*s += 2;
			continue;
		}
		if (groups && **s == ':' && (*s)[-1] != ':')
			begin = ++*s;
		while (ascii_xdigit((unsigned char)**s) && *s - begin < 4)
			(*s)++;
		if (**s == '.') { /* the last 32 bits, dotted */
			*s = begin;
			if (!dotted(s))
				return false;
			groups++;
		} else if (*s == begin) {
			return false;
		}
		groups++;
	}
	return gap ? groups < 8 : groups == 8;
}

static const char *address_fault(const char *s, bool six)
{
	if (!(six ? colons(&s) : dotted(&s)))
		return "not an address";
	if (*s == '/') {
		s++;
		if (!number(&s, six ? 128 : 32))
			return "the length of a range is a number of bits";
	}
	return *s ? "not an address" : NULL;
}

static bool is_numeric(const char *s)
{
	return s[strspn(s, "0123456789./")] == '\0';
}

const char *network_fault(const char *entry)
{
	const char *s = entry;

	if (!*s)
		return "an entry must not be empty";
	if (strstr(s, "://"))
		return "an entry is a host, *.HOST, an address or a range, not a URL";
	if (strchr(s, ':'))
		return address_fault(s, true);
	if (is_numeric(s))
		return address_fault(s, false);
	if (strlen(s) > 253)
		return "the name is too long";
	if (strncmp(s, "*.", 2) == 0)
		s += 2;
	for (;;) {
		size_t n = strcspn(s, ".");

		if (memchr(s, '*', n))
			return "\"*\" stands for subdomains, at the beginning only";
		if (!label(s, n))
			return "not a host's name";
		s += n;
		if (!*s)
			return NULL;
		s++;
	}
}
