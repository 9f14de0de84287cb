#!/usr/bin/env python3
"""docs/acceptance.md: each acceptance id and the tests that name it.

    acceptance.py           rewrites the table from the ids in it and the tests
    acceptance.py --check   exit 1 when the table is not what the tests say

A test proves a statement by naming its id (FS-04, OUT-06...) in its text.
"""
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, 'docs', 'acceptance.md')
ID = re.compile(r'\b((?:OUT|CLI|API|SH|CMD|FS|PY|JS|JQ|GUEST|NET|LIM|EXT|HX|SEC)-\d\d)\b')


def named():
    found = {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'tests', '**', '*'), recursive=True)):
        if not os.path.isfile(path) or '/fuzz/seeds/' in path or path.endswith('.pyc'):
            continue
        with open(path, encoding='utf-8', errors='replace') as f:
            for name in ID.findall(f.read()):
                found.setdefault(name, set()).add(os.path.relpath(path, ROOT))
    return found


def main():
    with open(PAGE, encoding='utf-8') as f:
        old = f.read()
    head, _, rows = old.partition('| --- | --- | --- |\n')
    tests = named()
    out = []
    unknown = set(tests)
    for row in rows.splitlines():
        cells = [c.strip() for c in row.strip().strip('|').split('|')]
        if len(cells) < 3:
            continue
        unknown.discard(cells[0])
        where = ', '.join(sorted(tests.get(cells[0], ()))) or 'not yet'
        out.append(f'| {cells[0]} | {cells[1]} | {where} |')
    if unknown:
        print('tests name ids that docs/acceptance.md does not list: ' + ' '.join(sorted(unknown)))
        return 1
    new = head + '| --- | --- | --- |\n' + '\n'.join(out) + '\n'
    if '--check' in sys.argv:
        if new != old:
            print('docs/acceptance.md is out of date: run tools/acceptance.py')
            return 1
        return 0
    with open(PAGE, 'w', encoding='utf-8') as f:
        f.write(new)
    return 0


if __name__ == '__main__':
    sys.exit(main())
