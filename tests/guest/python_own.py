#!/usr/bin/env python3
"""CPython's own tests, from the source the guest was built from, against the Python in its cage.

    python_own.py BUILD [NAME...]

A file counts as passed when all of its cases pass or are skipped. As on every platform without threads the suite's own switch for
those is off (threading_helper.can_start_thread); modules of CPython's that only test its C interface are not built, cases that need
them are skipped. KNOWN are the cases that fail, with the reason (docs/differences.md); one that passes all of a sudden is reported.
NACRE_OWN_TESTS=all runs all files, otherwise those of LONG are left out.
"""
import glob
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NACRE = os.path.abspath(os.path.join(sys.argv[1] if len(sys.argv) > 1 else 'build', 'nacre'))
NAMES = '''abc argparse array ast base64 binascii bisect bool bytes bz2 calendar cmath codecs collections compile complex configparser contextlib
copy csv dataclasses datetime decimal deque dict difflib enum exceptions float fnmatch fractions fstring functools generators genericpath
glob grammar gzip hashlib heapq html int io itertools json keyword list long lzma math memoryview operator os pathlib pickle pprint queue
random range re set shelve shutil sqlite3 statistics str string struct subprocess tempfile textwrap tuple typing urlparse zipfile zlib
zoneinfo'''.split()
# Ten seconds and more, most of it in a few cases.
LONG = set('ast decimal fstring hashlib io itertools json long math pickle str subprocess'.split())
# Modules that a file imports and that are not there: of each only what is used is missing.
STAND_INS = {'bytes': '_testlimitedcapi', 'compile': '_testinternalcapi'}
THREADS, FORK = 'needs a thread', 'needs code of its own between fork and exec'
KNOWN = {
    'compile': {'the whole file is skipped': '_testinternalcapi is not built'},
    'exceptions': {'test_file_source': 'the line of a source that is not UTF-8 is shown as it is stored'},
    'fstring': dict.fromkeys(('test_fstring_nested_too_deeply', 'test_mismatched_parens'), 'the parser nests less deep'),
    'io': {'test_optional_abilities': THREADS},
    'os': {**dict.fromkeys(('test_invalid_offset', 'test_keywords', 'test_offset_overflow', 'test_send_at_certain_offset', 'test_send_whole_file'), 'sends to a socket'),
           'test_urandom_failure': 'os.urandom opens no file'},
    'queue': {'the whole file is skipped': THREADS},
    'sqlite3': {'test_ctx_mgr_rollback_if_commit_failed': 'a lock between two programs'},
    'subprocess': {**dict.fromkeys(('test_double_close_on_error', 'test_threadsafe_wait'), THREADS),
                   **dict.fromkeys(('test_close_fds_after_preexec', 'test_preexec', 'test_preexec_at_exit', 'test_preexec_errpipe_does_not_double_close_pipes',
                                    'test_preexec_exception', 'test_preexec_gc_module_failure', 'test_surrogates_error_message'), FORK),
                   **dict.fromkeys(('test_fork_exec', 'test_fork_exec_sorted_fd_sanity_check'), 'calls _posixsubprocess as it is elsewhere'),
                   'test_preexec_fork_failure': FORK, 'test_start_new_session': 'sessions'},
}
RUN = '''
import sys, types, unittest
import test.support.threading_helper
test.support.threading_helper.can_start_thread = False
def missing(name):
    if name.startswith('__'):
        raise AttributeError(name)
    def skip(*args, **named):
        raise unittest.SkipTest('of a module that is not built')
    return skip
for name in sys.argv[2:]:
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__getattr__ = missing
unittest.main(module=None, argv=['test', '-q', 'test.test_' + sys.argv[1]])
'''


def outcome(tests, name):
    argv = [NACRE, '--mount', f'{tests}:/usr/lib/python3.13/test:ro', '--timeout', '1700s', '--memory', '1G', '--output-limit', '64M', '--env', f'RUN={RUN}',
            '-c', f'cd /tmp; python3 -c "$RUN" {name} {STAND_INS.get(name, "")}']
    r = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = r.stdout.decode('utf-8', 'replace')
    bad = set(re.findall(r'^(?:FAIL|ERROR): (\w+)', text, re.M))
    if 'unittest.case.SkipTest' in text and not bad:
        return name, {'the whole file is skipped'}, text
    return name, bad if r.returncode == 0 or bad else {f'status {r.returncode}'}, text


def main():
    found = glob.glob(os.path.join(ROOT, 'build-guests', 'sources', 'python-*', 'Lib', 'test'))
    if not found:
        print('FAIL Python was built from no source here\n0 passed, 1 failed')
        return 1
    names = sys.argv[2:] or [n for n in NAMES if os.environ.get('NACRE_OWN_TESTS') == 'all' or n not in LONG]
    passed = failed = whole = 0
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, bad, text in pool.map(lambda n: outcome(found[0], n), names):
            whole += not bad
            if bad == set(KNOWN.get(name, ())):
                passed += 1
                continue
            failed += 1
            known = set(KNOWN.get(name, ()))
            print(f'FAIL test_{name}: fail: {sorted(bad - known)}, pass now: {sorted(known - bad)}\n    ' + '\n    '.join(text.split('\n')[-12:]))
    print(f'{whole} of {len(names)} files pass entirely')
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
