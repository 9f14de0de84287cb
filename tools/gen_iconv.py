#!/usr/bin/env python3
"""Writes the tables of src/cmd/iconv from what the C library's iconv does on this machine.

    python3 tools/gen_iconv.py charsets > src/cmd/iconv/charsets_table.c
    python3 tools/gen_iconv.py translit > src/cmd/iconv/translit_table.c

charsets: for each eight-bit charset the characters of its upper half, what it writes as a character and a mark
after it, and the names it goes by. translit: what //TRANSLIT puts in place of a character, in the order of
preference; the order is checked against every charset.
"""
import ctypes
import glob
import locale
import re
import sys

C = ctypes.CDLL(None, use_errno=True)
C.iconv_open.restype = C.iconv.restype = ctypes.c_ssize_t
C.iconv.argtypes = [ctypes.c_ssize_t] + [ctypes.c_void_p] * 4
C.iconv_close.argtypes = [ctypes.c_ssize_t]
locale.setlocale(locale.LC_ALL, 'C.UTF-8')

SINGLE = ['ISO-8859-%d' % i for i in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)] + ['CP%d' % i for i in range(1250, 1259)] + [
    'KOI8-R', 'KOI8-U', 'KOI8-RU', 'KOI8-T', 'IBM437', 'CP737', 'CP775', 'IBM850', 'IBM852', 'IBM855', 'IBM857', 'IBM858', 'IBM860', 'IBM861',
    'IBM862', 'IBM863', 'IBM865', 'IBM866', 'IBM869', 'IBM874', 'MACINTOSH', 'MAC-CYRILLIC', 'MAC-CENTRALEUROPE', 'MAC-UK',
    'TIS-620', 'GEORGIAN-PS', 'PT154', 'HP-ROMAN8']
PAIRED = ['CP1255', 'CP1258']
WIDE = {'ASCII': 'ASCII', 'UTF-8': 'UTF8', 'UTF-16': 'UTF16', 'UTF-16LE': 'UTF16LE', 'UTF-16BE': 'UTF16BE', 'UTF-32': 'UTF32', 'UTF-32LE': 'UTF32LE',
        'UTF-32BE': 'UTF32BE', 'UCS-2': 'UCS2', 'UCS-2LE': 'UCS2LE', 'UCS-2BE': 'UCS2BE', 'UCS-4': 'UCS4', 'UCS-4LE': 'UCS4LE', 'UCS-4BE': 'UCS4BE',
        'UNICODE': 'UNICODE', 'WCHAR_T': 'WCHAR'}


OPEN = {}


def iconv(data, source, target):
    """None where something could not be converted."""
    key = (source, target)
    # What has a byte order in its state is opened anew.
    if key not in OPEN or 'UTF' in target or 'U' in source:
        if key in OPEN and OPEN[key] != -1:
            C.iconv_close(OPEN[key])
        OPEN[key] = C.iconv_open(target.encode(), source.encode())
    cd = OPEN[key]
    if cd == -1:
        return None
    C.iconv(cd, None, None, None, None)
    held, room = ctypes.create_string_buffer(data, max(1, len(data))), ctypes.create_string_buffer(len(data) * 16 + 64)
    at, left = ctypes.c_void_p(ctypes.addressof(held)), ctypes.c_size_t(len(data))
    to, free = ctypes.c_void_p(ctypes.addressof(room)), ctypes.c_size_t(len(room))
    ref = ctypes.byref
    if C.iconv(cd, ref(at), ref(left), ref(to), ref(free)) == -1 or C.iconv(cd, None, None, ref(to), ref(free)) == -1:
        return None
    return room.raw[:len(room) - free.value]


def by_byte(charset):
    """The characters of single bytes, None where there is none."""
    out = []
    for b in range(256):
        got = iconv(bytes([b]), charset, 'UTF-32LE')
        out.append(int.from_bytes(got, 'little') if got and len(got) == 4 else None)
    return out


def names():
    """{name: the module's name for it}, of the modules' own lists."""
    out = {}
    for path in ['/usr/lib/x86_64-linux-gnu/gconv/gconv-modules'] + sorted(glob.glob('/usr/lib/x86_64-linux-gnu/gconv/gconv-modules.d/*.conf')):
        with open(path, encoding='ascii', errors='replace') as f:
            for line in f:
                w = line.split('#')[0].split()
                if w and w[0] == 'alias':
                    out[w[1].rstrip('/')] = w[2].rstrip('/')
                elif w and w[0] == 'module':
                    for n in w[1:3]:
                        if n != 'INTERNAL':
                            out.setdefault(n.rstrip('/'), n.rstrip('/'))
    return out


def wide_kind(name):
    probes = ['a', 'ab\u0100', 'a\u0100\U0001f600']
    raw = [b'a\0\0\0', b'\0a\0\0', b'\xfe\xff\0a', b'\0\0\0a', b'\0\0\x20\0', b'\0\x20\0\0', b'\0\xd8\0\0', b'\0\0\xd8\0', b'\xff\xff\xff\xff']
    return str([iconv(t.encode(), 'UTF-8', name) for t in probes] + [iconv(b, name, 'UCS-4LE') for b in raw])


def pairs_of(charset, upper):
    """[(whole, first, mark)]: two characters that are read as one; what the library writes for whole comes first."""
    def read(b):
        got = iconv(bytes(b), charset, 'UTF-32LE')
        return int.from_bytes(got, 'little') if got and len(got) == 4 else None

    writes = {cp: list(iconv(chr(cp).encode(), 'UTF-8', charset) or b'') for cp in range(0x80, 0x10000) if not 0xd800 <= cp < 0xe000}
    level = [[b] for b in range(256) if upper[b] is not None]
    out = []
    while level:
        longer = []
        for b in level:
            for mark in range(0x80, 256):
                whole = read(b + [mark]) if upper[mark] is not None else None
                if whole is not None:
                    out.append((writes[whole] != b + [mark], whole, read(b), upper[mark]))
                    longer.append(b + [mark])
        level = longer
    many = [cp for cp, b in writes.items() if len(b) > 1]
    # Written as a pair that reads as something else.
    for cp in set(cp for cp, b in writes.items() if len(b) > 1) - {o[1] for o in out}:
        same = [o for o in out if writes[o[1]] == writes[cp]][0]
        out.append((True, cp) + same[2:])
    out += [(True, cp, upper[b[0]], 0) for cp, b in writes.items() if len(b) == 1 and upper[b[0]] != cp]
    return [o[1:] for o in sorted(set(out))]


def head(name, what):
    print(f'/* {name} - {what}')
    print(' *')
    print(' * Made by tools/gen_iconv.py from the C library\'s iconv; not to be edited. */')
    print('#include "iconv.h"\n')


# What the library has built in goes by names that no file lists.
BUILT_IN = ['ANSI_X3.4-1968', 'ISO-IR-6', 'ANSI_X3.4-1986', 'ISO_646.IRV:1991', 'ASCII', 'ISO646-US', 'US-ASCII', 'US', 'IBM367', 'CP367', 'CSASCII', 'OSF00010020',
            'UTF8', 'UTF-8', 'ISO-IR-193', 'OSF05010001', 'UCS-2', 'UCS2', 'ISO-10646', 'OSF00010100', 'OSF00010101', 'OSF00010102', 'UCS-2LE', 'UCS-2BE',
            'UNICODELITTLE', 'UNICODEBIG', 'UCS-4', 'UCS4', 'UCS-4BE', 'UCS-4LE', 'CSUCS4', '10646-1:1993', 'OSF00010104', 'OSF00010105', 'OSF00010106', 'WCHAR_T',
            'UTF16', 'UTF-16', 'UTF16LE', 'UTF-16LE', 'UTF16BE', 'UTF-16BE', 'UTF32', 'UTF-32', 'UTF32LE', 'UTF-32LE', 'UTF32BE', 'UTF-32BE', 'UNICODE', 'CSUNICODE']


def charsets():
    maps = {c: by_byte(c) for c in SINGLE}
    for c, m in maps.items():
        assert m[:0x80] == list(range(0x80)), c
    extra = {}
    for c in SINGLE:
        extra[c] = pairs_of(c, maps[c]) if c in PAIRED else []
    aliases = {}
    listed = names()
    table = {tuple(m): c for c, m in reversed(maps.items())}
    for n, module in listed.items():
        m = tuple(by_byte(n)) if n not in BUILT_IN else None
        if m in table:
            aliases[n] = table[m]
    kinds = {wide_kind(n): n for n in reversed(WIDE)}
    for n in BUILT_IN:
        k = wide_kind(n)
        if k in kinds:
            aliases[n] = kinds[k]
        else:
            sys.stderr.write(f'not taken: {n}\n')
    todo = sorted(aliases, key=lambda n: [(0, int(x), '') if x.isdigit() else (1, 0, x) for x in re.findall(r'\d+|\D+', n)])
    head('charsets_table.c', 'eight-bit charsets, and the names of all.')
    used = [c for c in SINGLE]
    print('static const uint16_t upper[][128] = {')
    for c in used:
        print(f'\t/* {c} */\n\t{{')
        for i in range(0x80, 0x100, 16):
            print('\t\t' + ' '.join('0x%04x,' % (maps[c][k] or 0) for k in range(i, i + 16)))
        print('\t},')
    print('};\n')
    for c in used:
        if extra[c]:
            print(f'static const struct iconv_pair pairs_{c.replace("-", "_").lower()}[] = {{')
            row = ['{0x%04x, 0x%04x, 0x%04x},' % e for e in extra[c]]
            for i in range(0, len(row), 6):
                print('\t' + ' '.join(row[i:i + 6]))
            print('};\n')
    print('const struct iconv_charset iconv_charsets[] = {')
    order = {}
    for n, kind in WIDE.items():
        order[n] = len(order)
        print(f'\t{{"{n}", ICONV_{kind}, NULL, NULL, 0}},')
    for k, c in enumerate(used):
        order[c] = len(order)
        name = f'pairs_{c.replace("-", "_").lower()}'
        print(f'\t{{"{c}", ICONV_SINGLE, upper[{k}], ' + (f'{name}, COUNTOF({name})}},' if extra[c] else 'NULL, 0},'))
    print('};\n')
    print('const struct iconv_alias iconv_aliases[] = {')
    row = ['{"%s", %d},' % (n, order[aliases[n]]) for n in todo if n in aliases]
    for i in range(0, len(row), 4):
        print('\t' + ' '.join(row[i:i + 4]))
    print('};\n')
    print('const size_t iconv_naliases = COUNTOF(iconv_aliases);')

def translit():
    everything = [c for c in range(0x80, 0x20000) if not 0xd800 <= c < 0xe000]
    text = '\n'.join(map(chr, everything)).encode()
    seen = {}
    for target in ['ASCII'] + SINGLE:
        got = iconv(text, 'UTF-8', target + '//TRANSLIT')
        parts = iconv(got, target, 'UTF-8').decode().split('\n')
        can = set(c for c in by_byte(target) if c is not None)
        assert len(parts) == len(everything), target
        for c, out in zip(everything, parts):
            if out != '?' and out != chr(c) and not (target in PAIRED and iconv(chr(c).encode(), 'UTF-8', target)):
                seen.setdefault(c, []).append((out, can))
    pool, rows = '', []
    for c, observed in sorted(seen.items()):
        order, left = [], {o for o, _ in observed}
        while left:
            # First is who is chosen wherever it can be.
            first = [x for x in left if all(o == x or o in order or any(ord(ch) not in can for ch in x) for o, can in observed)]
            if not first:
                sys.exit(f'no order for {c:#x}: {left}')
            order.append(first[0])
            left.remove(first[0])
        rows.append((c, order))
    head('translit_table.c', 'what is written for a character that the charset does not have.')
    print('const struct iconv_translit iconv_translits[] = {')
    lines = []
    for c, order in rows:
        for k, o in enumerate(order):
            at = pool.find(o)
            if at < 0:
                at, pool = len(pool), pool + o
            lines.append('{0x%05x, %d, %d},' % (c, at, len(o)))
    for i in range(0, len(lines), 5):
        print('\t' + ' '.join(lines[i:i + 5]))
    print('};\n\nconst size_t iconv_ntranslits = COUNTOF(iconv_translits);\n\nconst uint16_t iconv_translit_text[] = {')
    assert all(ord(c) < 0x10000 for c in pool)
    for i in range(0, len(pool), 16):
        print('\t' + ' '.join('0x%04x,' % ord(c) for c in pool[i:i + 16]))
    print('};')


if __name__ == '__main__':
    {'charsets': charsets, 'translit': translit}[sys.argv[1]]()
