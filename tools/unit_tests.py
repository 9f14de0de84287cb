#!/usr/bin/env python3
"""Lists the C test programs for the build: one line a program, NAME:FILE FILE...

Each tests/{unit,torture,api,fuzz}/**/{test,fuzz}_*.c is a program; the other .c files of
its folder (and of its layer's folder in tests/unit) are linked into each of that folder's programs.
"""
import glob
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    kind = sys.argv[1]
    for path in sorted(glob.glob(os.path.join(ROOT, 'tests', kind, '**', '*.c'), recursive=True)):
        name = os.path.basename(path)
        if not name.startswith(('test_', 'fuzz_')):
            continue
        folder = os.path.dirname(path)
        helpers = [h for h in sorted(glob.glob(os.path.join(folder, '*.c')))
                   if not os.path.basename(h).startswith(('test_', 'fuzz_'))]
        label = os.path.relpath(path, os.path.join(ROOT, 'tests'))[:-2].replace('/', '_')
        print(label + ':' + ' '.join(os.path.relpath(p, os.path.join(ROOT, 'tests')) for p in [path] + helpers))


if __name__ == '__main__':
    main()
