#!/usr/bin/env python3
"""Writes src/regex/tables.c: the character classes and case pairs of the C.UTF-8 locale.

    regex_tables.py > src/regex/tables.c

Asks the C library of the machine it runs on (iswctype, towupper), so that patterns class
characters as the host's GNU tools do.
"""
import ctypes

CLASSES = ['alpha', 'upper', 'lower', 'space', 'blank', 'punct', 'print', 'graph', 'cntrl']
TOP = 0x110000
LONGEST = 2048


def ranges_of(test):
    out, start = [], None
    for c in range(0x80, TOP + 1):
        inside = c < TOP and test(c)
        if inside and start is None:
            start = c
        elif not inside and start is not None:
            out.append((start, c - 1))
            start = None
    return out


def rows(words):
    for i in range(0, len(words), 8):
        yield '\t' + ', '.join(words[i:i + 8]) + ','


def main():
    c = ctypes.CDLL(None)
    if not c.setlocale(0, b'C.UTF-8'):
        raise SystemExit('regex_tables.py: no C.UTF-8 locale')
    c.wctype.restype = ctypes.c_ulong
    c.iswctype.argtypes = [ctypes.c_uint, ctypes.c_ulong]
    out = ['/*', ' * tables.c - the character classes and case pairs of the C.UTF-8 locale beyond ASCII.', ' *',
           ' * Written by tools/regex_tables.py; do not edit. A range is its first character in the',
           ' * upper 21 bits and its length less one in the lower 11; long runs take several.', ' */',
           '#include "runes.h"', '']
    for name in CLASSES:
        kind = c.wctype(name.encode())
        words = []
        for lo, hi in ranges_of(lambda ch: c.iswctype(ch, kind) != 0):
            while lo <= hi:
                n = min(hi - lo + 1, LONGEST)
                words.append('0x%x' % (lo << 11 | (n - 1)))
                lo += n
        out += [f'static const uint32_t {name}[] = {{', *rows(words), '};', '']
    out += ['const struct rune_table rune_tables[RUNE_TABLES] = {']
    out += [f'\t[RUNE_{n.upper()}] = {{{n}, COUNTOF({n})}},' for n in CLASSES] + ['};', '']
    pairs = [(ch, c.towupper(ch)) for ch in range(TOP) if ch >= 0x80 and c.towupper(ch) != ch]
    runs = []
    for ch, up in pairs:
        if runs:
            r = runs[-1]
            step = ch - r['hi']
            if up - ch == r['delta'] and step in (1, 2) and r['step'] in (0, step):
                r['hi'], r['step'] = ch, step
                continue
        runs.append({'lo': ch, 'hi': ch, 'delta': up - ch, 'step': 0})
    out += ['/* first, last, distance to the upper case form, step between members */',
            'const struct rune_case rune_cases[] = {']
    words = ['{0x%x, 0x%x, %d, %d}' % (r['lo'], r['hi'], r['delta'], r['step'] or 1) for r in runs]
    for i in range(0, len(words), 4):
        out.append('\t' + ', '.join(words[i:i + 4]) + ',')
    out += ['};', '', 'const size_t rune_ncases = COUNTOF(rune_cases);', '']
    print('\n'.join(out), end='')


if __name__ == '__main__':
    main()
