#!/usr/bin/env python3
"""From what wasm2c (1.0.32) wrote to the C that is compiled: in pieces, for our runtime.

    translate.py NAME IN.c OUTDIR PIECES ROM_AT

- every loop counts down the guest's fuel, every function that calls also checks the stack;
- memory is addressed from the instance, which lies at a fixed distance below it: no pointer is
  loaded for an access;
- types of functions are constants, and the table of functions holds distances, not addresses: nothing
  of it is relocated when a program starts, or filled when a cage is made;
- nothing is left that is written but the instance;
- bounds of memory are the cage's (a fault), bounds of bulk operations are checked.

Anything that does not look as expected is an error: a guest must not be half translated.
"""
import os
import re
import sys


def die(text):
    sys.exit(f'translate.py: {text}')


def one(text, old, new, count=1):
    if text.count(old) < 1 or (count and text.count(old) != count):
        die(f'{text.count(old)} times, not {count}: {old!r}')
    return text.replace(old, new)


def constant_types(text):
    """func_types[] filled at start by registering signatures -> without it, and the numbers themselves."""
    numbers, values = {}, []
    for m in re.finditer(r'^  func_types\[(\d+)\] = wasm_rt_register_func_type\((.*)\);$', text, re.M):
        if int(m[1]) != len(values):
            die('func_types out of order')
        values.append(numbers.setdefault(m[2], len(numbers) + 1))
    text, n = re.subn(r'^static void init_func_types\(void\) \{\n(?:  func_types.*\n)*\}\n', '', text, flags=re.M)
    if n != 1 or not values:
        die('init_func_types')
    text, n = re.subn(r'^static u32 func_types\[\d+\];\n', '', text, flags=re.M)
    if n != 1:
        die('func_types')
    return text, values


def constant_table(text, types):
    """What init_tables() fills -> without it, its size, and a constant one (struct guest_entry) that is the same."""
    made = re.search(r'wasm_rt_allocate_funcref_table\(&instance->w2c_T0, (\d+), (\d+)\)', text)
    fill = re.search(r'^static void init_tables\(.*?\) \{\n(.*?)^\}\n', text, re.M | re.S)
    if not made or not fill or made[1] != made[2]:
        die('the table')
    segment = re.compile(r'^static const wasm_elem_segment_expr_t (\w+)\[\] = \{\n((?:  .*\n)*)\};\n', re.M)
    segments = {m[1]: m[2].splitlines() for m in segment.finditer(text)}
    entries = ['0, 0'] * int(made[1])
    for line in fill[1].splitlines()[1:]:
        m = re.fullmatch(r'  funcref_table_init\(&instance->w2c_T0, (\w+), (\d+), (\d+)u, 0, \2, instance, func_types\);', line)
        if not m or len(segments[m[1]]) != int(m[2]) or int(m[2]) + int(m[3]) > len(entries):
            die(f'how the table is filled: {line}')
        for i, entry in enumerate(segments[m[1]], int(m[3])):
            e = re.fullmatch(r'  \{(\d+), \(wasm_rt_function_ptr_t\)&(w2c_\w+), 0\},', entry)
            if not e:
                die(f'an entry of the table: {entry}')
            entries[i] = f'{types[int(e[1])]}, {e[2]} - w2c_table'
    text = one(segment.sub('', text), fill[0], '')
    text = one(text, '\n  init_tables(instance);', '')
    # In assembly: to C a difference of addresses is no constant.
    lines = ['.pushsection .rodata', '.balign 8', '.globl w2c_table', '.hidden w2c_table', 'w2c_table:',
             *(f'.long {e}' for e in entries), '.popsection']
    return text, len(entries), '__asm__(' + ''.join(f'"{line}\\n"\n' for line in lines) + ');\n'


def prelude(head, name):
    """The macros and inline functions before the module."""
    # The inline functions get the instance: were it a member's address, that would be kept in a register as well.
    head = one(head, '&mem->data[addr]', '(uint8_t *)mem + (addr + (GUEST_HEAD - GUEST_INSTANCE))', 2)
    head = re.sub(r'wasm_rt_memory_t ?\* ?mem\b', 'void *mem', head)
    head = head.replace('wasm_asm("" ::"r"(result));', '')
    head, n = re.subn(r'#define TRAP\(x\) .*', '#define TRAP(x) (guest_trap(GUEST(instance), GUEST_##x), 0)', head)
    names = (('OOB', 'OUT_OF_BOUNDS'), ('INT_OVERFLOW', 'OVERFLOW'), ('DIV_BY_ZERO', 'DIVISION'), ('INVALID_CONVERSION', 'CONVERSION'),
             ('CALL_INDIRECT', 'BAD_CALL'))
    for old, new in names:
        head = head.replace(f'TRAP({old})', f'TRAP({new})')
    head = re.sub(r'#define CALL_INDIRECT\(.*?\n\n', '''#define CALL_INDIRECT(t, ft, x, ...)                                           \\
	(LIKELY((x) < TABLE_SIZE && w2c_table[x].type == (ft)) || TRAP(BAD_CALL), \\
	 ((t)((char *)w2c_table + w2c_table[x].to))(__VA_ARGS__))

''', head, flags=re.S)
    head = re.sub(r'#define RANGE_CHECK\(mem, offset, len\).*?\n\n', '''#define RANGE_CHECK(mem, offset, len)                                        \\
	do {                                                                 \\
		if (UNLIKELY((offset) + (uint64_t)(len) > GUEST(mem)->size)) \\
			guest_trap(GUEST(mem), GUEST_OUT_OF_BOUNDS);         \\
	} while (0);

''', head, flags=re.S)
    return head


# Instead of the bulk operations of wasm2c, which know memory and table as pointers.
BULK = '''
static inline void memory_fill(void *mem, u32 d, u32 val, u32 n)
{
	RANGE_CHECK(mem, d, n);
	memset(GUEST_MEMORY(mem) + d, (int)val, n);
}

static inline void memory_copy(void *dest, const void *src, u32 d, u32 s, u32 n)
{
	(void)src;
	RANGE_CHECK(dest, s, n);
	RANGE_CHECK(dest, d, n);
	memmove(GUEST_MEMORY(dest) + d, GUEST_MEMORY(dest) + s, n);
}
'''


def body(text):
    """One function: checkpoints, table, memory, own instance."""
    text = re.sub(r'CALL_INDIRECT\(instance->w2c_T0, (.*?), (\d+), (\w+), instance->w2c_T0\.data\[\3\]\.module_instance',
                  lambda m: f'CALL_INDIRECT({m[1]}, TYPE_{m[2]}, {m[3]}, instance', text)
    if 'w2c_T0' in text:
        die('a use of the table: ' + re.search(r'.*w2c_T0.*', text)[0])
    calls = re.search(r'\bw2c_\w+\(instance\b|CALL_INDIRECT|guest_\w+\(instance', text.split('{', 1)[1])
    text = one(text, 'FUNC_PROLOGUE;', 'GUEST_ENTER(instance);' if calls else '', 1)
    text = re.sub(r'\n *FUNC_EPILOGUE;', '', text)
    text = re.sub(r'^( *w2c_L\d+:) *$', r'\1 GUEST_CHECKPOINT(instance);', text, flags=re.M)
    # A cage may be a copy of another: nothing of the instance points to a place.
    text = re.sub(r'instance->Z_\w+_instance\b', 'GUEST(instance)', text)
    text = text.replace('instance->w2c_memory.pages', '(u32)(GUEST(instance)->size >> 16)')
    text = re.sub(r'wasm_rt_grow_memory\(\(?&?instance->w2c_memory\)?, ', 'guest_grow(GUEST(instance), ', text)
    text = text.replace('(&instance->w2c_memory, &instance->w2c_memory, ', '(instance, instance, ').replace('(&instance->w2c_memory, ', '(instance, ')
    if 'w2c_memory' in text:
        die('a use of the memory: ' + re.search(r'.*w2c_memory.*', text)[0])
    return text


def imports(text):
    """The functions a guest imports, by the names they have in src/guest."""
    text = re.sub(r'Z_(wasi_snapshot_preview1|env)_instance_t\b', 'guest', text)
    return text.replace('Z_wasi_snapshot_preview1Z_', 'guest_wasi_').replace('Z_envZ_', 'guest_env_')


def main():
    name, source, out, pieces, rom_at = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5]
    instance = f'Z_{name}_instance_t'
    with open(source) as f:
        text = imports(f.read())
    with open(source[:-2] + '.h') as f:
        header = imports(f.read())
    text, types = constant_types(text)
    text, table_size, table = constant_table(text, types)
    text = one(text, 'static bool s_module_initialized = false;\n', '')
    start = re.search(r'^static \w+ w2c_\w+\(' + instance + r'\*', text, re.M).start()
    head, rest = text[:start], text[start:]
    lines = rest.split('\n')
    prototypes, functions, other, data = [], [], [], []
    i = 0
    is_function = re.compile(r'^static (?:inline )?\w+ w2c_\w+\(' + instance + r'\*')
    while i < len(lines):
        if is_function.match(lines[i]):
            end = i
            while not lines[end].endswith(('{', ';')):
                end += 1
            if lines[end].endswith(';'):
                prototypes.append('\n'.join(lines[i:end + 1])[7:])
            else:
                while lines[end] != '}':
                    end += 1
                functions.append(body('\n'.join(lines[i:end + 1])[7:]))
            i = end + 1
        else:
            other.append(lines[i])
            i += 1
    other = '\n'.join(other)
    # Instantiation: the memory is there already.
    m = re.search(r'wasm_rt_allocate_memory\(\(?&instance->w2c_memory\)?, (\d+), (\d+)\)', other)
    if not m:
        die('the memory')
    other = other.replace(m[0], f'if (guest_grow(GUEST(instance), {m[1]}) != 0) TRAP(OUT_OF_BOUNDS)')
    other = other.replace('assert(wasm_rt_is_initialized());', '').replace('assert(s_module_initialized);', '')
    other = re.sub(r'^void Z_' + name + r'_init_module\(void\) \{.*?^\}\n', '', other, flags=re.M | re.S)
    other = re.sub(r'^void Z_' + name + r'_free\(.*?^\}\n', '', other, flags=re.M | re.S)
    other = re.sub(r'\n *init_exports\(instance\);', '', other)
    other = re.sub(r'\n *(FUNC_PROLOGUE|FUNC_EPILOGUE);', '', other)
    other = other.replace('LOAD_DATA(instance->w2c_memory, ', 'LOAD_DATA(instance, ')
    if 's_module_initialized' in other or 'wasm_rt_free' in other or 'w2c_T0' in other:
        die('a rest of the module')
    head = prelude(head, name)
    head = head[:head.index('static inline void memory_fill(')]
    head = re.sub(r'#define LOAD_DATA\(m, o, i, s\) +\\\n  do \{ +\\\n    RANGE_CHECK\(\(&m\), o, s\); +\\\n.*?while \(0\)\n',
                  '#define LOAD_DATA(m, o, i, s) do { RANGE_CHECK(m, o, s); load_data(GUEST_MEMORY(m) + (o), i, s); } while (0)\n', head, flags=re.S)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, 'common.h'), 'w') as f:
        f.write('/* Made by guests/translate.py. */\n' + head + BULK + f'\n#define TABLE_SIZE {table_size}u\nextern const struct guest_entry w2c_table[TABLE_SIZE];\n' +
                ''.join(f'#define TYPE_{k} {v}u\n' for k, v in enumerate(types)) + '\n'.join(prototypes) + '\n')
    with open(os.path.join(out, name + '.h'), 'w') as f:
        f.write(header)
    export = 'Z_' + name + 'Z_'
    has_signal = export + 'guest_signal' in header
    signalled = f'static void signalled(void *instance)\n{{\n\t{export}guest_signal(instance);\n}}\n' if has_signal else ''
    code = f'''
/* The calls that guest.c makes. */
static void start(void *instance, struct guest *g)
{{
	Z_{name}_instantiate(instance, (void *)g{', (void *)g' if 'Z_env_instance' in header else ''});
}}

static void bind(void *instance, struct guest *g)
{{
	init_instance_import(instance, (void *)g{', (void *)g' if 'Z_env_instance' in header else ''});
}}

static void unbind(void *instance)
{{
	init_instance_import(instance, 0{', 0' if 'Z_env_instance' in header else ''});
}}

static void initialize(void *instance)
{{
	{export}_initialize(instance);
}}

static u32 init(void *instance)
{{
	return {export}guest_init(instance);
}}

static u32 alloc(void *instance, u32 n)
{{
	return {export}guest_alloc(instance, n);
}}

{signalled}
static u32 enter(void *instance, u32 argc, u32 argv, u32 env, u32 cwd)
{{
	return {export}guest_main(instance, argc, argv, env, cwd);
}}

_Static_assert(sizeof({instance}) <= GUEST_USED - GUEST_INSTANCE, "the instance has its place");
{f'extern const struct rom guest_rom_{name};' if rom_at else ''}
const struct guest_code guest_code_{name} = {{"{name}", start, bind, unbind, initialize, init, alloc, {'signalled' if has_signal else '0'}, enter, {f'&guest_rom_{name}, "{rom_at}", 1' if rom_at else '0, 0, 0'}}};
'''
    with open(os.path.join(out, 'piece_0.c'), 'w') as f:
        f.write('#include "common.h"\n' + table + other + code)
    total, size, k, part = sum(map(len, functions)), 0, 1, []
    for n, function in enumerate(functions):
        part.append(function)
        size += len(function)
        if size >= total / pieces or n + 1 == len(functions):
            with open(os.path.join(out, f'piece_{k}.c'), 'w') as f:
                f.write('#include "common.h"\n' + '\n\n'.join(part) + '\n')
            part, size, k = [], 0, k + 1


if __name__ == '__main__':
    main()
