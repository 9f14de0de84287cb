#!/usr/bin/env python3
"""Records what the C library's regular expressions do with the cases of cases.txt.

    record_regex.py            writes cases.out
    record_regex.py --check    exit 1 if cases.out is not what the library does now

A case is "DIALECT FLAGS<tab>PATTERN<tab>TEXT...", with the escapes of C. Flags: i ignore case,
u UTF-8, n REG_NEWLINE, m anchors at newlines, B and E no line start or end, - none. The
output has a line for each text: the case, and "start,end" of the match and its groups,
"none", or the error message.
"""
import ctypes
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
C = ctypes.CDLL(None)

BK_ESC, PLUS_QM, CLASSES, INDEP_ANCH, INDEP_OPS, INVALID_OPS, DOT_NL, DOT_NOT_NULL, HAT_NOT_NL, INTERVALS, \
    LIMITED, NL_ALT, NO_BRACES, NO_PARENS, NO_REFS, NO_VBAR, NO_EMPTY, UNMATCHED_ORD, _BACKTRACK, NO_GNU, _DEBUG, \
    BAD_INTERVAL_ORD, ICASE, CARET_HERE, INVALID_DUP, NO_SUB = (1 << i for i in range(26))

POSIX = CLASSES | DOT_NL | DOT_NOT_NULL | INTERVALS | NO_EMPTY
BASIC = POSIX | PLUS_QM | INVALID_DUP
EXTENDED = POSIX | INDEP_ANCH | INDEP_OPS | NO_BRACES | NO_PARENS | NO_VBAR | INVALID_OPS | UNMATCHED_ORD
DIALECTS = {
    'bre': BASIC,
    'ere': EXTENDED,
    'grep': (BASIC | NL_ALT) & ~(INVALID_DUP | DOT_NOT_NULL),
    'egrep': (EXTENDED | BAD_INTERVAL_ORD | NL_ALT) & ~(INVALID_OPS | DOT_NOT_NULL),
    'sed': BASIC & ~DOT_NOT_NULL,
    'sed-E': EXTENDED & ~(UNMATCHED_ORD | DOT_NOT_NULL),
    'awk': (EXTENDED | BK_ESC | BAD_INTERVAL_ORD) & ~(DOT_NOT_NULL | INDEP_OPS | INVALID_OPS),
    'posix-awk': EXTENDED | BK_ESC | NO_GNU | BAD_INTERVAL_ORD,
    'old-awk': BK_ESC | DOT_NOT_NULL | NO_PARENS | NO_REFS | NO_VBAR | NO_EMPTY | DOT_NL | INDEP_ANCH | CLASSES |
    UNMATCHED_ORD | NO_GNU,
    'find': DOT_NL,
    'emacs': 0,
    'posix-minimal': POSIX | LIMITED,
}
REGS_ALLOCATED, NOT_BOL, NOT_EOL, NEWLINE_ANCHOR = 3 << 1, 1 << 5, 1 << 6, 1 << 7  # bits of re_pattern_buffer


class Pattern(ctypes.Structure):
    _fields_ = [('buffer', ctypes.c_void_p), ('allocated', ctypes.c_size_t), ('used', ctypes.c_size_t),
                ('syntax', ctypes.c_ulong), ('fastmap', ctypes.c_void_p), ('translate', ctypes.c_void_p),
                ('nsub', ctypes.c_size_t), ('bits', ctypes.c_uint)]


class Registers(ctypes.Structure):
    _fields_ = [('n', ctypes.c_uint), ('start', ctypes.POINTER(ctypes.c_int)), ('end', ctypes.POINTER(ctypes.c_int))]


C.re_compile_pattern.restype = ctypes.c_char_p
C.re_compile_pattern.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Pattern)]
C.re_set_syntax.argtypes = [ctypes.c_ulong]
C.re_set_syntax.restype = ctypes.c_ulong
C.re_search.argtypes = [ctypes.POINTER(Pattern), ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int,
                        ctypes.POINTER(Registers)]



def raw(field):
    """The bytes of a field: only \\n \\t \\0 \\xHH and a doubled backslash are escapes."""
    b, out, i = field.encode('utf-8'), bytearray(), 0
    while i < len(b):
        if b[i] != 0x5c:
            out.append(b[i])
            i += 1
            continue
        c = chr(b[i + 1])
        if c == 'x':
            out.append(int(b[i + 2:i + 4], 16))
            i += 4
            continue
        out.append({'n': 10, 't': 9, '0': 0, '\\': 0x5c}[c])
        i += 2
    return bytes(out)


def results(dialect, flags, pattern, texts):
    C.setlocale(0, b'C.UTF-8' if 'u' in flags else b'C')
    syntax = DIALECTS[dialect]
    if 'i' in flags:
        syntax |= ICASE
    if 'n' in flags:
        syntax = syntax & ~DOT_NL | HAT_NOT_NL
    C.re_set_syntax(syntax)
    p = Pattern()
    message = C.re_compile_pattern(pattern, len(pattern), ctypes.byref(p))
    for text in texts:
        if message:
            yield message.decode()
            continue
        p.bits &= ~(NEWLINE_ANCHOR | NOT_EOL | NOT_BOL | REGS_ALLOCATED)
        p.bits |= NEWLINE_ANCHOR if set('nm') & set(flags) else 0
        p.bits |= (NOT_BOL if 'B' in flags else 0) | (NOT_EOL if 'E' in flags else 0)
        r = Registers()
        found = C.re_search(ctypes.byref(p), text, len(text), 0, len(text), ctypes.byref(r))
        if found < 0:
            yield 'none'
        else:
            yield ' '.join(f'{r.start[i]},{r.end[i]}' for i in range(p.nsub + 1))


def main():
    out = []
    with open(os.path.join(HERE, 'cases.txt'), encoding='utf-8') as f:
        for line in f:
            line = line.rstrip('\n')
            if not line or line.startswith('#'):
                continue
            head, pattern, *texts = line.split('\t')
            dialect, flags = head.split(' ')
            for text, result in zip(texts, results(dialect, flags, raw(pattern), [raw(t) for t in texts])):
                out.append(f'{dialect}\t{flags}\t{pattern}\t{text}\t{result}\n')
    path = os.path.join(HERE, 'cases.out')
    if sys.argv[1:] == ['--check']:
        with open(path, encoding='utf-8') as f:
            old = f.readlines()
        bad = [f'recorded {a}now      {b}' for a, b in zip(old, out) if a != b]
        if bad or len(old) != len(out):
            sys.exit(''.join(bad) + f'{len(bad) or 1} recordings differ')
        return
    with open(path, 'w', encoding='utf-8') as f:
        f.writelines(out)


if __name__ == '__main__':
    main()
