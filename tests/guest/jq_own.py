#!/usr/bin/env python3
"""jq's own tests, from the source the guest was built from, against the jq in its cage.

    jq_own.py BUILD
"""
import glob
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NACRE = os.path.abspath(os.path.join(sys.argv[1] if len(sys.argv) > 1 else 'build', 'nacre'))
FILES = ('jq.test', 'onig.test', 'man.test', 'base64.test', 'optional.test')


def cases(path):
    """(program, input, wanted lines), or (program, None, None) when it must not compile."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().split('\n') + ['']
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        if not line.strip() or line.startswith('#'):
            continue
        fails = line.startswith('%%FAIL')
        program = lines[i] if fails else line
        given = lines[i]
        i += 1
        wanted = []
        while lines[i].strip() and not lines[i].startswith('#'):
            wanted.append(lines[i])
            i += 1
        yield (program, None, None) if fails else (program, given, wanted)


def same(got, wanted):
    try:
        return [json.loads(x) for x in got] == [json.loads(x) for x in wanted]
    except ValueError:
        return got == wanted


def right(tests, case):
    program, given, wanted = case
    r = subprocess.run([NACRE, '--mount', f'{tests}:/t:ro', '--env', 'PAGER=less', '--timeout', '60s', '-c', 'cd /t; jq -L /t/modules -c "$1"', 'jq', program],
                       input=(given or 'null').encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if wanted is None:
        return r.returncode == 3
    return same(r.stdout.decode('utf-8', 'replace').split('\n')[:-1], wanted)


def main():
    found = glob.glob(os.path.join(ROOT, 'build-guests', 'sources', 'jq-*', 'tests'))
    if not found:
        print('FAIL jq was built from no source here')
        print('0 passed, 1 failed')
        return 1
    passed = failed = 0
    for name in FILES:
        all_cases = list(cases(os.path.join(found[0], name)))
        with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            for case, ok in zip(all_cases, pool.map(lambda c: right(found[0], c), all_cases)):
                passed, failed = passed + ok, failed + (not ok)
                if not ok:
                    print(f'FAIL {name}: {case}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


sys.exit(main())
