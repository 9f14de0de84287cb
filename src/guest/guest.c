/* guest.c - how a guest is started, stopped, and what becomes of its faults. See guest.h. */
#include "guest.h"

#include "../user/cmd.h"
#include "../user/user.h"

#define PAGE      65536u
#define FUEL      2000    /* checkpoints of the code between two of ours */
#define FUEL_COST 1000u   /* what they count as */
#define STACK     (64u << 10) /* what must be left when the code is asked whether it may go on */
#define MEMORY    65535u  /* pages: the size must fit 32 bits */

static void *instance_of(struct guest *g)
{
	return (char *)g + GUEST_INSTANCE;
}

/* ---- While it runs ------------------------------------------------------------------- */

void guest_pause(struct guest *g)
{
	sys_checkpoint_n(g->p, FUEL_COST);
	g->fuel = FUEL;
	/* Where it is, it is between two of its own steps: as a signal would, its function runs here. */
	if (g->code->signal && !g->booting && sys_signal_waiting(g->p))
		g->code->signal(instance_of(g));
}

void guest_stack(struct guest *g)
{
	if (!sys_stack(g->p, STACK))
		guest_trap(g, GUEST_STACK);
	g->stack_low = sys_self(g->p)->stack_ok + STACK;
}

void guest_trap(struct guest *g, enum guest_trap why)
{
	static const char *const texts[] = {
		[GUEST_OUT_OF_BOUNDS] = "memory access out of bounds",
		[GUEST_OVERFLOW] = "integer overflow",
		[GUEST_DIVISION] = "division by zero",
		[GUEST_CONVERSION] = "invalid conversion to integer",
		[GUEST_UNREACHABLE] = "aborted",
		[GUEST_BAD_CALL] = "call through a bad pointer",
		[GUEST_STACK] = "stack overflow",
	};
	const char *text = u_format(g->p, "%s: %s\n", sys_self(g->p)->name, texts[why]);

	(void)!u_write_all(g->p, 2, text, strlen(text));
	sys_exit(g->p, 134);
}

static void fault(void *base)
{
	guest_trap(base, GUEST_OUT_OF_BOUNDS);
}

uint32_t guest_grow(struct guest *g, uint32_t pages)
{
	uint32_t now = (uint32_t)(g->size / PAGE);
	uint64_t most = g->booting ? 0 : sys_limit(g->p, SYS_LIMIT_GUEST_MEMORY);

	if (pages > MEMORY - now || (most && g->size + (uint64_t)pages * PAGE > most) || sys_cage_grow(g->p, g->size + (uint64_t)pages * PAGE) < 0)
		return UINT32_MAX;
	g->size += (uint64_t)pages * PAGE;
	return now;
}

/* ---- Images that the build made --------------------------------------------------------- */

const struct guest_image *guest_image_of(const struct guest_code *code)
{
	const struct {
		const char *name;
		const struct guest_image *image;
	} v[] = {{"jq", &guest_image_jq}, {"js", &guest_image_js}, {"python", &guest_image_python}, {"sqlite3", &guest_image_sqlite3}};

	for (size_t i = 0; i < COUNTOF(v); i++)
		if (strcmp(v[i].name, code->name) == 0)
			return v[i].image;
	return NULL;
}

/* All of it but what the head begins with, which is the process's. */
static int write_image(struct guest *g)
{
	struct guest_image head = {.size = g->size};

	memcpy(head.instance, instance_of(g), sizeof(head.instance));
	g->code->unbind(head.instance);
	while (head.zeros + PAGE <= g->size && !g->memory[head.zeros] && memcmp(g->memory + head.zeros, g->memory + head.zeros + 1, PAGE - 1) == 0)
		head.zeros += PAGE;
	return u_write_all(g->p, 1, (const char *)&head, sizeof(head)) < 0 || u_write_all(g->p, 1, g->memory + head.zeros, (size_t)(g->size - head.zeros)) < 0;
}

/* ---- Its start ------------------------------------------------------------------------ */

static void take(struct guest *g, struct proc *p, const struct guest_code *code, uint64_t size)
{
	g->p = p;
	g->code = code;
	g->memory = (char *)g + SYS_CAGE_HEAD;
	g->size = size;
	g->fuel = FUEL;
	g->stack_low = sys_self(p)->stack_ok + STACK;
	g->dirs = NULL;
	g->booting = 0;
}

static bool boot(struct guest *g, bool cold)
{
	bool up;

	g->booting = 1;
	g->code->instantiate(instance_of(g), g);
	g->code->initialize(instance_of(g));
	up = cold || g->code->init(instance_of(g)) == 0;
	g->booting = 0;
	return up;
}

/* From the image that the build has made. */
static bool load(struct guest *g, const struct guest_image *image)
{
	struct proc *p = g->p;
	const struct guest_code *code = g->code;

	memcpy(instance_of(g), image->instance, sizeof(image->instance));
	code->bind(instance_of(g), g);
	if (sys_cage_freeze_as(p, GUEST_USED, image->bytes, image->zeros, image->size) < 0)
		return false;
	take(g, p, code, image->size);
	return true;
}

static bool begin(struct guest *g, bool cold)
{
	const struct guest_image *image = cold ? NULL : guest_image_of(g->code);
	const struct guest_code *code = g->code;
	struct proc *p = g->p;

	if (image)
		return load(g, image);
	if (!boot(g, cold) || sys_cage_freeze(p, GUEST_USED) < 0)
		return false;
	take(g, p, code, g->size); /* of the image, which may be another proc's */
	return true;
}

/* Copies of the strings and an array of their addresses; 0 without memory. */
static uint32_t put_strings(struct guest *g, char *const *v, size_t n)
{
	size_t size = (n + 1) * 4, at;
	uint32_t array;
	char *to;

	for (size_t i = 0; i < n; i++)
		size += strlen(v[i]) + 1;
	if (size > UINT32_MAX / 2)
		return 0;
	array = g->code->alloc(instance_of(g), (uint32_t)size);
	to = array ? guest_at(g, array, size) : NULL;
	if (!to)
		return 0;
	at = (n + 1) * 4;
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(v[i]) + 1;
		uint32_t address = array + (uint32_t)at;

		memcpy(to + i * 4, &address, 4);
		memcpy(to + at, v[i], len);
		at += len;
		sys_checkpoint(g->p);
	}
	memset(to + n * 4, 0, 4);
	return array;
}

static NORETURN void no_memory(struct proc *p)
{
	u_die(p, 137, NACRE_ENOMEM, "cage");
}

static struct guest *open_cage(struct proc *p, const struct guest_code *code, bool cold, bool *frozen)
{
	struct sys_cage cage;

	int r = sys_cage_open(p, cold ? (const void *)&code->init : code, fault, &cage);

	if (r == -NACRE_EAGAIN)
		u_die(p, 137, 0, "no room in this process for another engine: its addresses (RLIMIT_AS) or mappings (vm.max_map_count) are used up");
	if (r < 0)
		no_memory(p);
	take((struct guest *)(void *)cage.base, p, code, cage.size);
	*frozen = cage.frozen;
	return (struct guest *)(void *)cage.base;
}

int guest_run(struct proc *p, const struct guest_code *code, bool cold, int argc, char **argv)
{
	char *const *env = sys_self(p)->env, *cwd[1] = {(char *)(uintptr_t)sys_getcwd(p)};
	struct guest *g;
	uint32_t args, vars, dir;
	size_t nenv = 0;
	bool frozen;

	if (sys_admit(p, code->name) < 0)
		u_die(p, 130, -NACRE_EINTR, "not started");
	/* The two starts have an image each. To prepare one here pays from the second run on. */
	cold |= code->slow && !guest_image_of(code) && !sys_cage_frozen(p, code) && !sys_cage_frozen(p, &code->init);
	g = open_cage(p, code, cold, &frozen);
	if (!frozen && !begin(g, cold))
		no_memory(p);
	while (env && env[nenv])
		nenv++;
	args = put_strings(g, argv, (size_t)argc);
	vars = put_strings(g, env, nenv);
	dir = put_strings(g, cwd, 1);
	if (!args || !vars || !dir)
		no_memory(p);
	return (int)(code->main(instance_of(g), (uint32_t)argc, args, vars, dir + 8) & 0xff);
}

int guest_freeze(struct proc *p, const struct guest_code *code)
{
	bool frozen;
	struct guest *g = open_cage(p, code, false, &frozen);

	return boot(g, false) ? write_image(g) : 1;
}

int guest_command(struct proc *p, const struct cmd_args *a, const struct guest_code *code, bool cold)
{
	char **argv = u_alloc(p, ((size_t)a->argc + 2) * sizeof(*argv));

	if (!code) {
		u_warn(p, 0, "not built into this nacre (`make guests` builds it, then `make`)");
		return 127;
	}
	argv[0] = (char *)(uintptr_t)sys_self(p)->name;
	memcpy(argv + 1, a->argv, ((size_t)a->argc + 1) * sizeof(*argv));
	return guest_run(p, code, cold, a->argc + 1, argv);
}
