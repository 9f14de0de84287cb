#!/usr/bin/env python3
"""CPython's own tests, from the source the guest was built from, against the Python in its cage.

    python_own.py BUILD [NAME...]     a file counts as passed when all of its cases pass or are skipped

KNOWN are the files that have failing cases, with the reason (docs/differences.md); one that passes all of a sudden is
reported as well.
"""
import glob
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NACRE = os.path.abspath(os.path.join(sys.argv[1] if len(sys.argv) > 1 else 'build', 'nacre'))
NAMES = '''abc argparse array ast base64 binascii bisect bool bytes calendar cmath codecs collections compile complex configparser contextlib
copy csv dataclasses datetime decimal deque dict difflib enum exceptions float fnmatch fractions fstring functools generators genericpath
glob grammar gzip hashlib heapq html int io itertools json keyword list long math memoryview operator os pathlib pickle pprint queue
random range re set shelve shutil sqlite3 statistics string struct subprocess tempfile textwrap tuple typing unicode urlparse
zipfile zlib'''.split()
KNOWN = {}


def outcome(tests, name):
    script = f'cd /tmp; PYTHONPATH=/t python3 -m unittest -q test.test_{name}'
    r = subprocess.run([NACRE, '--mount', f'{tests}:/t/test:ro', '--timeout', '300s', '--memory', '1G', '--output-limit', '64M', '-c', script],
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = r.stdout.decode('utf-8', 'replace')
    bad = sorted(set(re.findall(r'^(?:FAIL|ERROR): (\w+)', text, re.M)))
    return name, r.returncode == 0, bad or text[-300:]


def main():
    found = glob.glob(os.path.join(ROOT, 'build-guests', 'sources', 'python-*', 'Lib', 'test'))
    if not found:
        print('FAIL Python was built from no source here\n0 passed, 1 failed')
        return 1
    names = sys.argv[2:] or NAMES
    passed = failed = 0
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, ok, what in pool.map(lambda n: outcome(found[0], n), names):
            if ok == (name not in KNOWN):
                passed += 1
            else:
                failed += 1
                print(f'FAIL test_{name}: {what if not ok else "passes now"}')
    print(f'{len(names) - len(KNOWN)} of {len(names)} files pass entirely')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


sys.exit(main())
