"""Linux's error numbers for wasm: linux_errno.h and errno_map.h. Run by the Python that was built for this machine.

    errnos.py WASI_ERRNO_VALUES_H WASI_API_H OUTDIR
"""
import errno
import os
import re
import sys


def main():
    values, api, out = sys.argv[1:]
    with open(api) as f:
        numbers = {m[1]: int(m[2]) for m in re.finditer(r'^#define __WASI_ERRNO_(\w+) \(UINT16_C\((\d+)\)\)', f.read(), re.M)}
    with open(values) as f:
        names = {m[1]: numbers[m[2]] for m in re.finditer(r'^#define (E\w+) __WASI_ERRNO_(\w+)', f.read(), re.M)}
    linux = {n: getattr(errno, n) for n in dir(errno) if n.startswith('E') and n != 'ENOTCAPABLE'}
    with open(os.path.join(out, 'linux_errno.h'), 'w') as f:
        for name in sorted(names.keys() | linux.keys()):
            f.write(f'#undef {name}\n')
        for name, n in sorted(linux.items()):
            f.write(f'#define {name} {n}\n')
    with open(os.path.join(out, 'errno_map.h'), 'w') as f:
        f.write('static const unsigned char wasi_numbers[] = {')
        for name, n in names.items():
            f.write(f'[{n}] = {linux.get(name, linux["EPERM" if name == "ENOTCAPABLE" else "EIO"])}, ')
        f.write('};\nstatic const char *const linux_texts[] = {\n')
        for n in sorted({0, *linux.values()}):
            f.write(f'\t[{n}] = "{os.strerror(n)}",\n')
        f.write('};\n')


main()
