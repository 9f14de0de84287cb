#!/usr/bin/env python3
"""QuickJS's own tests, from the source the guest was built from, against the JavaScript in its cage.

    js_own.py BUILD

Each of a file's test functions is called in a run of its own. Not used: test_std, test_bjson and test_worker, which are for
modules that Node does not have.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NACRE = os.path.abspath(os.path.join(sys.argv[1] if len(sys.argv) > 1 else 'build', 'nacre'))
FILES = ('test_builtin', 'test_language', 'test_closure', 'test_loop', 'test_bigint')
CALL = re.compile(r'^(\w+)\(\);$', re.M)
# Of QuickJS's own modules what the tests need; its interpreter has --expose-gc's gc as well.
OWN = 'const std = { gc: () => gc() }, os = { setTimeout };\n'
# With the reason.
KNOWN = {
    'test_builtin test_json': 'errors of JSON are those of V8',
    'test_builtin test_line_column_numbers': 'errors say where they are as V8 does',
}


def cases(folder):
    for name in FILES:
        with open(os.path.join(folder, name + '.js'), encoding='utf-8') as f:
            text = f.read()
        calls = CALL.findall(text)
        rest = CALL.sub('', text)
        for call in calls:
            yield f'{name} {call}', f'{rest}\n{OWN if "std." in text else ""}{call}();\n'


def right(folder, case):
    name, text = case
    with tempfile.TemporaryDirectory() as tmp:
        with open(os.path.join(tmp, 'test.js'), 'w', encoding='utf-8') as f:
            f.write(text)
        r = subprocess.run([NACRE, '--mount', f'{tmp}:/t:ro', '--timeout', '120s', '-c', 'js --expose-gc /t/test.js'], stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return name, r.returncode == 0, r.stdout.decode('utf-8', 'replace')


def modules(folder):
    r = subprocess.run([NACRE, '--mount', f'{folder}:/t:ro', '--timeout', '60s', '-c', 'cp /t/*cyclic* /t/assert.js .; echo "{\\"type\\": \\"module\\"}" > package.json; js test_cyclic_import.js'],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return 'test_cyclic_import', r.returncode == 0, r.stdout.decode('utf-8', 'replace')


def main():
    found = glob.glob(os.path.join(ROOT, 'build-guests', 'sources', 'quickjs-*', 'tests'))
    if not found:
        print('FAIL JavaScript was built from no source here\n0 passed, 1 failed')
        return 1
    passed = failed = 0
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        results = [*pool.map(lambda c: right(found[0], c), cases(found[0])), modules(found[0])]
    for name, ok, text in results:
        if ok == (name not in KNOWN):
            passed += 1
        else:
            failed += 1
            print(f'FAIL {name}: {"passes now" if ok else text[-600:]}')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
