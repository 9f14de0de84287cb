/* elf.c - what an ELF file is: its class, kind and machine, how it is linked, what its notes say. */
#include "file.h"

#define PARTS_MAX 512	/* program and section headers looked at */

struct elf {
	struct proc *p;
	const char *s;
	size_t n;
	bool wide, big;
	uint64_t phoff, shoff, phsize, shsize, phnum, shnum;
	const char *interpreter;
	bool dynamic, gnu_pie;
	struct u_buf notes;
};

static uint64_t get(const struct elf *e, uint64_t at, int bytes)
{
	return at > e->n ? 0 : file_number(e->s, e->n, (size_t)at, bytes, e->big);
}

static const char *machine(uint64_t m)
{
	switch (m) {
	case 2: return "SPARC";
	case 3: return "Intel 80386";
	case 8: return "MIPS";
	case 20: return "PowerPC or cisco 4500";
	case 21: return "64-bit PowerPC or cisco 7500";
	case 22: return "IBM S/390";
	case 40: return "ARM";
	case 62: return "x86-64";
	case 183: return "ARM aarch64";
	case 243: return "UCB RISC-V";
	case 247: return "eBPF";
	default: return "unknown arch";
	}
}

/* The notes between two offsets: the build's number and the system it is for. */
static void read_notes(struct elf *e, uint64_t at, uint64_t end)
{
	end = MIN(end, (uint64_t)e->n);
	while (at < end && end - at >= 12) {
		uint64_t name_size = get(e, at, 4), size = get(e, at + 4, 4), type = get(e, at + 8, 4);
		uint64_t name = at + 12, data = name + ((name_size + 3) & ~UINT64_C(3));

		sys_checkpoint(e->p);
		if (name_size > 64 || size > 65536 || data > end || size > end - data)
			return;
		if (name_size == 4 && memcmp(e->s + name, "GNU", 4) == 0) {
			if (type == 3 && size <= 64) {
				u_buf_puts(&e->notes, size == 20 ? ", BuildID[sha1]=" : size == 16 ? ", BuildID[md5/uuid]=" : ", BuildID=");
				for (uint64_t i = 0; i < size; i++)
					u_buf_printf(&e->notes, "%02x", (unsigned char)e->s[data + i]);
			} else if (type == 1 && size == 16 && get(e, data, 4) == 0) {
				u_buf_printf(&e->notes, ", for GNU/Linux %u.%u.%u", (unsigned)get(e, data + 4, 4),
					     (unsigned)get(e, data + 8, 4), (unsigned)get(e, data + 12, 4));
			}
		}
		at = data + ((size + 3) & ~UINT64_C(3));
	}
}

static void read_dynamic(struct elf *e, uint64_t at, uint64_t size)
{
	uint64_t step = e->wide ? 16 : 8;

	for (uint64_t i = 0; i + step <= size && i < 65536; i += step) {
		uint64_t tag = get(e, at + i, e->wide ? 8 : 4), v = get(e, at + i + step / 2, e->wide ? 8 : 4);

		if (tag == 0)
			return;
		if (tag == 0x6ffffffb && v & 0x08000000)
			e->gnu_pie = true;
	}
}

static void read_segments(struct elf *e)
{
	for (uint64_t i = 0; i < MIN(e->phnum, (uint64_t)PARTS_MAX); i++) {
		uint64_t h = e->phoff + i * e->phsize, type = get(e, h, 4);
		uint64_t at = e->wide ? get(e, h + 8, 8) : get(e, h + 4, 4), size = e->wide ? get(e, h + 32, 8) : get(e, h + 16, 4);

		if (at > e->n || size > e->n - at)
			continue;
		if (type == 2) {
			e->dynamic = true;
			read_dynamic(e, at, size);
		} else if (type == 3 && size < 256) {
			e->interpreter = u_strndup(e->p, e->s + at, size);
		} else if (type == 4) {
			read_notes(e, at, at + size);
		}
	}
}

/* 1: a symbol table; 2: debugging information. */
static unsigned read_sections(const struct elf *e)
{
	uint64_t names_header = e->shoff + get(e, e->wide ? 62 : 50, 2) * e->shsize;
	uint64_t names = e->wide ? get(e, names_header + 24, 8) : get(e, names_header + 16, 4);
	unsigned found = 0;

	for (uint64_t i = 0; i < MIN(e->shnum, (uint64_t)PARTS_MAX); i++) {
		uint64_t h = e->shoff + i * e->shsize, name = names + get(e, h, 4);

		if (get(e, h + 4, 4) == 2)
			found |= 1;
		if (name < e->n && e->n - name > 11 && memcmp(e->s + name, ".debug_info", 11) == 0)
			found |= 2;
	}
	return found;
}

static void describe(struct elf *e, uint64_t type, struct file_kind *k)
{
	static const char *const types[] = {"no file type", "relocatable", "executable", "shared object", "core file"};
	static const char *const mimes[] = {"application/octet-stream", "application/x-object", "application/x-executable",
					    "application/x-sharedlib", "application/x-coredump"};
	struct u_buf b;
	uint64_t system = get(e, 7, 1);
	unsigned found;
	bool pie;

	read_segments(e);
	pie = type == 3 && (e->gnu_pie || e->interpreter);
	found = read_sections(e);
	u_buf_init(&b, e->p, 0);
	u_buf_printf(&b, "ELF %s %s %s, %s, version %u (%s)", e->wide ? "64-bit" : "32-bit", e->big ? "MSB" : "LSB",
		     pie ? "pie executable" : type < COUNTOF(types) ? types[type] : "processor-specific", machine(get(e, 18, 2)),
		     (unsigned)get(e, 20, 4), system == 3 ? "GNU/Linux" : system == 9 ? "FreeBSD" : "SYSV");
	if (type == 2 || type == 3) {
		u_buf_puts(&b, e->dynamic ? ", dynamically linked" : ", statically linked");
		if (e->interpreter)
			u_buf_printf(&b, ", interpreter %s", e->interpreter);
		u_buf_puts(&b, e->notes.ptr);
	}
	if (type >= 1 && type <= 3)
		u_buf_printf(&b, "%s%s", found & 2 ? ", with debug_info" : "", found & 1 ? ", not stripped" : ", stripped");
	*k = (struct file_kind){b.ptr, pie ? "application/x-pie-executable" : mimes[type < COUNTOF(mimes) ? type : 0], NULL, FILE_TAIL_NONE};
}

bool file_elf(struct proc *p, const char *s, size_t n, struct file_kind *k)
{
	struct elf e = {.p = p, .s = s, .n = n};

	if (n < 20 || memcmp(s, "\177ELF", 4) != 0)
		return false;
	e.wide = s[4] == 2;
	e.big = s[5] == 2;
	u_buf_init(&e.notes, p, 4096);
	u_buf_puts(&e.notes, "");
	e.phoff = e.wide ? get(&e, 32, 8) : get(&e, 28, 4);
	e.shoff = e.wide ? get(&e, 40, 8) : get(&e, 32, 4);
	e.phsize = get(&e, e.wide ? 54 : 42, 2);
	e.phnum = get(&e, e.wide ? 56 : 44, 2);
	e.shsize = get(&e, e.wide ? 58 : 46, 2);
	e.shnum = get(&e, e.wide ? 60 : 48, 2);
	describe(&e, get(&e, 16, 2), k);
	return true;
}
