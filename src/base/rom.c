/* rom.c - finding a file in a rom. See rom.h. */
#include "rom.h"

static int compare(const struct rom *r, const struct rom_node *n, const char *name, size_t len)
{
	int c = memcmp(rom_name(r, n), name, MIN((size_t)n->name_len, len));

	return c ? c : (n->name_len > len) - (n->name_len < len);
}

const struct rom_node *rom_look(const struct rom *r, const struct rom_node *dir, const char *name, size_t n)
{
	size_t lo = 0, hi = dir->size;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct rom_node *at = &r->node[dir->at + mid];
		int c = compare(r, at, name, n);

		if (c == 0)
			return at;
		if (c > 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

const struct rom_node *rom_find(const struct rom *r, const char *path)
{
	const struct rom_node *n = &r->node[0];

	while (n && *path) {
		size_t len = strcspn(path, "/");

		n = rom_is_dir(n) ? rom_look(r, n, path, len) : NULL;
		path += len + (path[len] == '/');
	}
	return n;
}
