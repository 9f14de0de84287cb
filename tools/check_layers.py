#!/usr/bin/env python3
"""The include fence: refuses an #include that tools/layers.txt does not allow.

    check_layers.py [ROOT]      checks the tree; exit 1 and one line a forbidden include

A file belongs to the longest folder of the table that holds it. Relative includes are
resolved; <...> includes must be pure C headers unless the folder has "os" or names them.
"""
import os
import re
import sys

PURE = {'stdarg.h', 'stdbool.h', 'stddef.h', 'stdint.h', 'string.h', 'limits.h', 'math.h', 'float.h',
        'stdalign.h', 'stdnoreturn.h', 'inttypes.h', 'stdatomic.h',
        'immintrin.h', 'emmintrin.h', 'nmmintrin.h', 'wmmintrin.h', 'cpuid.h', 'arm_neon.h'}
# Annotations only; they exist when the build is instrumented.
SANITIZER = {'sanitizer/asan_interface.h', 'sanitizer/common_interface_defs.h', 'sanitizer/tsan_interface.h',
             'valgrind/valgrind.h', 'valgrind/memcheck.h'}
INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)


def read_table(path):
    table = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            line = line.split('#')[0].strip()
            if line:
                folder, _, allowed = line.partition(':')
                table[folder.rstrip('!')] = allowed.split()
    return table


def owner(table, path):
    best = None
    for folder in table:
        if (path == folder or path.startswith(folder + '/')) and (best is None or len(folder) > len(best)):
            best = folder
    return best


def forbidden(root, table):
    for top in sorted({f.split('/')[0] for f in table}):
        for where, dirs, names in os.walk(os.path.join(root, top)):
            dirs.sort()
            for name in sorted(names):
                if not name.endswith(('.c', '.h', '.def', '.S')):
                    continue
                path = os.path.relpath(os.path.join(where, name), root)
                layer = owner(table, path)
                if layer is None:
                    continue
                allowed = table[layer]
                with open(os.path.join(root, path), 'rb') as f:
                    text = f.read()
                for m in INCLUDE.finditer(text):
                    kind, target = m.group(1), m.group(2).decode()
                    line = text.count(b'\n', 0, m.start()) + 1
                    if kind == b'<':
                        if target.startswith('nacre/'):
                            target = 'include/' + target
                        elif 'os' in allowed or f'<{target}>' in allowed or target in PURE or target in SANITIZER:
                            continue
                        else:
                            yield f'{path}:{line}: <{target}> is not a pure C header ({layer} has no "os")'
                            continue
                    else:
                        target = os.path.normpath(os.path.join(os.path.dirname(path), target))
                        if not os.path.exists(os.path.join(root, target)):
                            yield f'{path}:{line}: "{m.group(2).decode()}" does not exist'
                            continue
                    to = owner(table, target)
                    if to == layer or any(target == a or target.startswith(a + '/') for a in allowed):
                        continue
                    yield f'{path}:{line}: {layer} may not include {target}'


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    bad = list(forbidden(root, read_table(os.path.join(root, 'tools', 'layers.txt'))))
    for line in bad:
        print(line)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
