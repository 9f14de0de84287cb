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

	if (pages > MEMORY - now || sys_cage_grow(g->p, g->size + (uint64_t)pages * PAGE) < 0)
		return UINT32_MAX;
	g->size += (uint64_t)pages * PAGE;
	return now;
}

/* ---- Its start ------------------------------------------------------------------------ */

static bool boot(struct guest *g, bool cold)
{
	g->booting = 1;
	g->code->instantiate(instance_of(g), g);
	g->code->initialize(instance_of(g));
	if (!cold && g->code->init(instance_of(g)) != 0)
		return false;
	g->booting = 0;
	return sys_cage_freeze(g->p, GUEST_TABLE) == 0;
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

int guest_run(struct proc *p, const struct guest_code *code, bool cold, int argc, char **argv)
{
	char *const *env = sys_self(p)->env, *cwd[1] = {(char *)(uintptr_t)sys_getcwd(p)};
	struct sys_cage cage;
	struct guest *g;
	uint32_t args, vars, dir;
	size_t nenv = 0;

	/* The two starts have an image each. Preparing pays from the second run on. */
	cold |= code->slow && !sys_cage_frozen(p, code) && !sys_cage_frozen(p, &code->init);
	if (sys_cage_open(p, cold ? (const void *)&code->init : code, fault, &cage) < 0)
		no_memory(p);
	g = (struct guest *)(void *)cage.base;
	g->p = p;
	g->code = code;
	g->memory = cage.base + SYS_CAGE_HEAD;
	g->size = cage.size;
	g->fuel = FUEL;
	g->stack_low = sys_self(p)->stack_ok + STACK;
	g->dirs = NULL;
	if (!cage.frozen && !boot(g, cold))
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
