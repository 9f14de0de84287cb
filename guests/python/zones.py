"""The zones that nacre knows (src/user/zones_table.c) as the files that zoneinfo reads: {name: bytes}."""
import re
import struct

# The kinds of local time of zones: seconds east, whether it is daylight saving time, the name.
KIND = re.compile(r'\{(-?\d+), ([01]), "([^"]*)"\}')


def tables(path):
    with open(path, encoding='utf-8') as f:
        text = f.read()

    def table(name):
        return re.search(r'\b' + name + r'\[\] = \{(.*?)\n\};', text, re.S)[1]

    def numbers(name):
        return [int(n) for n in re.findall(r'-?\d+', table(name))]
    names = [(n, int(row)) for n, row in re.findall(r'\{"([^"]+)", (\d+)\}', table('zone_names'))]
    rows = [tuple(map(int, r)) for r in re.findall(r'\{(\d+), (\d+), (\d+), (\d+), (\d+)\}', table('zone_rows'))]
    kinds = [(int(o), int(d), n) for o, d, n in KIND.findall(table('zone_kinds'))]
    rules = re.findall(r'"([^"]*)"', table('zone_rules'))
    return names, rows, kinds, rules, numbers('zone_row_kinds'), numbers('zone_when'), numbers('zone_which')


def block(when, which, kinds, wide):
    chars, at = b'', []
    for _, _, name in kinds:
        at.append(len(chars))
        chars += name.encode() + b'\0'
    head = struct.pack('>4sc15x6I', b'TZif', b'2', 0, 0, 0, len(when), len(kinds), len(chars))
    return head + struct.pack(f'>{len(when)}{"q" if wide else "i"}', *when) + bytes(which) + b''.join(
        struct.pack('>iBB', offset, dst, i) for (offset, dst, _), i in zip(kinds, at)) + chars


def files(path):
    names, rows, kinds, rules, row_kinds, all_when, all_which = tables(path)
    made = []
    for first, n, kinds_at, kinds_n, rule in rows:
        mine = [kinds[k] for k in row_kinds[kinds_at:kinds_at + kinds_n]]
        # The first kind holds before the first change, also where it is daylight saving time.
        when, which = [-2208988800, *all_when[first:first + n]], [0, *all_which[first:first + n]]
        made.append(block((), (), mine[:1], False) + block(when, which, mine, True) + f'\n{rules[rule]}\n'.encode())
    zones = {'tzdata/zoneinfo/' + name: made[row] for name, row in names}
    zones['tzdata/zones'] = ''.join(name + '\n' for name, _ in names).encode()
    zones['tzdata/__init__.py'] = b'"""Time zones since 1970."""\n'
    return zones
