"""What the test programs of tests/{cli,escape,guest} share: running nacre, counting checks, the summary.

They are called as PROGRAM [BUILD]; NACRE is the program of that build.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NACRE = os.path.abspath(os.path.join(sys.argv[1] if len(sys.argv) > 1 else 'build', 'nacre'))
FACT_MAX = 3000
passed = failed = 0


def check(name, ok, *facts):
    """Counts one check; of one that fails the facts are shown."""
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print(f'FAIL {name}', *[f'\n    {fact!r:.{FACT_MAX}}' for fact in facts], flush=True)


def finish():
    """The last line that tools/test.py counts; the status to exit with."""
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


def run_bytes(*args, stdin=b'', timeout=180, program=NACRE, **how):
    """(status, stdout, stderr) as bytes of `nacre ARGS`."""
    r = subprocess.run([program, *args], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout, **how)
    return r.returncode, r.stdout, r.stderr


def run_program(argv, **how):
    """(status, stdout, stderr) as text of any program."""
    status, out, err = run_bytes(*argv[1:], program=argv[0], **how)
    return status, out.decode('utf-8', 'replace'), err.decode('utf-8', 'replace')


def run(*args, **how):
    """(status, stdout, stderr) as text of `nacre ARGS`."""
    return run_program([NACRE, *args], **how)


def run_script(script, *flags, **how):
    return run(*flags, '-c', script, **how)


def matches(err, text):
    """Whether a stream is as expected: err is a regular expression, '' for nothing at all."""
    return re.search(err, text) is not None if err else text == ''
