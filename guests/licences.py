#!/usr/bin/env python3
"""The licences of all that is linked into a nacre built here, one text after the other: licences.py OUT

Run by the build: of the guests that are there from their sources, of the system's libraries from their packages. A text that is
missing is an error: it would have to be passed on.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build  # noqa: E402

# Of each guest: the sources it is made of, with the file that holds their licence.
LIBC = ('wasi-libc', 'usr/share/doc/wasi-libc/copyright')
SOURCES = {
    'jq': [('jq', 'COPYING'), ('oniguruma', 'COPYING'), LIBC],
    'js': [('quickjs', 'LICENSE'), LIBC],
    'python': [('python', 'LICENSE'), ('python', 'Doc/license.rst'), ('zlib', 'LICENSE'), ('bzip2', 'LICENSE'), ('xz', 'COPYING'), ('xz', 'COPYING.0BSD'),
               ('sqlite3', 'LICENSE.md'), LIBC],
    'sqlite3': [('sqlite3', 'LICENSE.md'), LIBC],
}
GUESTS = ['wabt', 'libclang-rt-22-dev-wasm32']  # in all of them
SYSTEM = ['libpcre2-dev', 'zlib1g-dev', 'libbz2-dev', 'liblzma-dev', 'libzstd-dev']
PROMPT = ['libedit-dev', 'libbsd-dev', 'libmd-dev', 'libtinfo6', 'libncurses-dev']  # of the program, where it has one


def package(name, needed=True):
    path = f'/usr/share/doc/{name}/copyright'
    return [(f'{name} (Debian)', path)] if needed or os.path.exists(path) else []


def texts():
    built = [n for n in build.names() if os.path.exists(build.object_of(n))]
    found = {}
    for guest in built:
        for source, file in SOURCES[guest]:
            folder = os.path.join(build.OUT, 'sources', f'{source}-{build.sources()[source][1][:12]}')
            found.setdefault((f'{source}: {file}', os.path.join(folder, file)), []).append(guest)
    for name in GUESTS if built else []:
        for item in package(name):
            found[item] = built
    for name in SYSTEM:
        for item in package(name, needed=False):
            found[item] = ['nacre']
    for name in PROMPT:
        for item in package(name, needed=False):
            found[item] = ['the prompt of nacre']
    return found


def main():
    with open(sys.argv[1], 'w', encoding='utf-8') as out:
        out.write('What is linked into this nacre and was made by others, with its licences. nacre itself: LICENSE.\n')
        for (name, path), users in texts().items():
            with open(path, encoding='utf-8', errors='replace') as f:
                out.write(f'\n{"=" * 78}\n{name} - in {", ".join(users)}\n{"=" * 78}\n\n{f.read().rstrip()}\n')


main()
