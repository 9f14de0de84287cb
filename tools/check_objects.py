#!/usr/bin/env python3
"""The object check: programs reach the world through sys_* only.

    check_objects.py ALLOW OBJECT...      exit 1 and one line a finding

For each object: undefined symbols must match ALLOW (one extended regular expression a line)
or be defined by another object given; no writable static data (.data, .bss, .tdata, .tbss,
constructors); no system-call instruction. Needs a plain build: an LTO, sanitizer or
coverage object is refused because its sections and symbols do not tell. This guards
against mistakes; it is not a security boundary.
"""
import re
import subprocess
import sys

WRITABLE = re.compile(r'^\.(data|bss|tdata|tbss|init_array|fini_array|ctors|dtors)')
SYSCALL = re.compile(r'\t(syscall|sysenter|int\s+\$0x80|svc)\b')
INSTRUMENTED = re.compile(r'^(__asan|__ubsan|__tsan|__msan|__sanitizer|__gcov|__llvm_profile)')


def run(*argv):
    return subprocess.run(argv, check=True, capture_output=True, text=True, errors='replace').stdout


def symbols(obj):
    """Undefined and defined names of an object."""
    undefined, defined = set(), set()
    for line in run('nm', '-P', obj).splitlines():
        fields = line.split()
        (undefined if fields[1] in 'Uvw' else defined).add(fields[0])
    return undefined, defined


def findings(obj, names, allow):
    sections = [re.sub(r'^ *\[ *\d+\] *', '', l).split() for l in run('readelf', '-SW', obj).splitlines()]
    sections = [s for s in sections if len(s) > 4 and s[0].startswith('.')]
    if any(s[0].startswith('.gnu.lto_') or s[0].startswith('.llvmbc') for s in sections):
        yield 'an LTO object cannot be checked'
        return
    for name in sorted(names):
        if INSTRUMENTED.match(name):
            yield 'an instrumented object cannot be checked'
            return
        if not allow.fullmatch(name):
            yield f'forbidden symbol: {name}'
    for s in sections:
        if WRITABLE.match(s[0]) and not s[0].startswith('.data.rel.ro') and int(s[4], 16):
            yield f'writable static data: {s[0]} ({int(s[4], 16)} bytes)'
    if SYSCALL.search(run('objdump', '-d', '--no-show-raw-insn', obj)):
        yield 'a system-call instruction'


def main():
    if len(sys.argv) < 3:
        print('check_objects.py: no objects given', file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding='utf-8') as f:
        allow = [l.strip() for l in f if l.strip() and not l.startswith('#')]
    allow = re.compile('|'.join(f'(?:{a})' for a in allow))
    tables = {obj: symbols(obj) for obj in sys.argv[2:]}
    known = set().union(*(defined for _, defined in tables.values()))
    bad = 0
    for obj, (undefined, _) in tables.items():
        for text in findings(obj, undefined - known, allow):
            print(f'{obj}: {text}')
            bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main())
