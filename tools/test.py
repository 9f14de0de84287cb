#!/usr/bin/env python3
"""make test: everything CI runs, in stages; the last line is "N passed, N failed".

    test.py [STAGE...]      only these stages (guests, build, arch, unit, api, recordings, cmd, shell, cages,
                            difftest, cli, escape, threads, torture, fuzz); all without an argument

Builds: build (plain, gcc), build-asan (AddressSanitizer, UndefinedBehaviourSanitizer, every
allocation a real one), build-tsan (clang), build-fuzz (clang, libFuzzer). Fuzzing repeats the same
inputs; FUZZ_SECONDS=N looks for new ones instead, N seconds a target.
"""
import glob
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
JOBS = os.cpu_count() or 2
SUMMARY = re.compile(r'^(\d+) passed, (\d+) failed', re.M)
SAN = {'ASAN_OPTIONS': 'detect_stack_use_after_return=0:abort_on_error=0:exitcode=99:detect_leaks=1',
       'UBSAN_OPTIONS': 'print_stacktrace=1:halt_on_error=1', 'TSAN_OPTIONS': 'halt_on_error=1:exitcode=98'}
passed = failed = 0


def note(name, ok, text='', counts=None):
    """Counts a result; `counts` are (passed, failed) found in its output."""
    global passed, failed
    if counts and (ok or counts[1]):
        passed += counts[0]
        failed += counts[1]
    elif ok:
        passed += 1
    else:
        failed += 1
    if not ok:
        lines = text.strip().split('\n')
        print(f'FAIL {name}')
        print('    ' + '\n    '.join(lines[:15] + (['...'] + lines[-45:] if len(lines) > 60 else lines[15:])), flush=True)


def run(argv, timeout=900, env=None, cwd=ROOT):
    try:
        r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=cwd, timeout=timeout,
                           env={**os.environ, **SAN, **(env or {})}, stdin=subprocess.DEVNULL)
        return r.returncode, r.stdout.decode('utf-8', 'replace')
    except subprocess.TimeoutExpired as e:
        return -1, (e.stdout or b'').decode('utf-8', 'replace') + f'\ntimed out after {timeout} s'


def check(name, argv, timeout=900, env=None):
    code, text = run(argv, timeout, env)
    m = SUMMARY.findall(text)
    note(name, code == 0, text, (int(m[-1][0]), int(m[-1][1])) if m else None)
    return code == 0


def build(directory, *options, compiler=None, targets=()):
    env = {'CC': compiler} if compiler else {}
    if not os.path.exists(os.path.join(ROOT, directory, 'build.ninja')):
        code, text = run(['meson', 'setup', directory, *options], env=env)
        if code:
            note(f'{directory} is set up', False, text)
            return False
    code, text = run(['ninja', '-C', directory, '-j', str(JOBS), *targets], timeout=3000)
    note(f'{directory} builds without a warning', code == 0, text)
    return code == 0


def programs(directory, prefix):
    return sorted(p for p in glob.glob(os.path.join(ROOT, directory, 'tests', prefix + '_*'))
                  if os.access(p, os.X_OK) and os.path.isfile(p))


def run_programs(directory, prefix, timeout=600):
    found = programs(directory, prefix)
    note(f'{directory} has {prefix} tests', bool(found))
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(lambda p: check(f'{directory}: {os.path.basename(p)}', [p], timeout), found))


def nacre(directory):
    return f'{directory}/nacre {{env}} --timeout 60s -c {{script}}'


def corpus(which, directory):
    runner = [sys.executable, 'tests/cmd/run.py']
    files = sorted(glob.glob(os.path.join(ROOT, 'tests', which, '*.test')))
    note(f'tests/{which} has cases', bool(files))
    if files:
        check(f'tests/{which} in {directory}', [*runner, '--shell', nacre(os.path.join(ROOT, directory)), *files], 1800)


def stage_guests():
    """Built before nacre is, so that it has them."""
    code, text = run([sys.executable, 'guests/build.py'], timeout=3000)
    note('the guests are built', code == 0, text)
    run([sys.executable, 'tools/sources.py', '--stamp', 'build-sources.stamp'])
    return code == 0


def stage_build():
    return build('build') and build('build-asan', '-Db_sanitize=address,undefined', '-Ddebug_arena=true', '-Db_lundef=false',
                                    '-Doptimization=1')


def stage_arch():
    check('make arch', [sys.executable, 'tests/arch/run.py', 'build'])
    check('docs/commands', [sys.executable, 'tools/command_docs.py', '--check', 'build/nacre'])


def stage_unit():
    run_programs('build', 'unit')
    run_programs('build-asan', 'unit')


def stage_api():
    run_programs('build', 'api')
    run_programs('build-asan', 'api')
    for path in sorted(glob.glob(os.path.join(ROOT, 'examples', '*.out'))):
        name = os.path.basename(path)[:-4]
        code, text = run([os.path.join('build-asan', 'tests', f'example_{name}')])
        with open(path) as f:
            note(f'examples/{name}.c prints examples/{name}.out', code == 0 and text == f.read(), text)
    code, text = run(['sh', 'tests/api/install.sh', 'build'])
    note('an installed nacre compiles and links a host program, static and shared, as C and C++', code == 0, text)


def stage_recordings():
    """The recorded expectations still are what the real tools print."""
    for which in ('cmd', 'shell'):
        files = sorted(glob.glob(os.path.join(ROOT, 'tests', which, '*.test')))
        if files:
            check(f'the recordings of tests/{which} against the real tools',
                  [sys.executable, 'tests/cmd/run.py', '--shell', 'bash -c {script}', '--tries', '5', *files], 1800)


def stage_cmd():
    corpus('cmd', 'build-asan')


def stage_shell():
    corpus('shell', 'build-asan')


def stage_difftest():
    """Generated scripts in bash and in nacre; docs/difftest.md."""
    check('generated scripts', [sys.executable, 'tests/difftest/run.py', '--seed', '111', '--count', '300', '--jobs', str(JOBS)])
    check('generated command lines', [sys.executable, 'tests/difftest/commands.py', '--seed', '1', '--count', '100', '--jobs', str(JOBS)])


def cages(directory):
    check(f'tests/guest in {directory}', [sys.executable, 'tests/guest/run.py', directory])
    check(f'tests/guest/*.test in {directory}', [sys.executable, 'tests/cmd/run.py', '--shell', nacre(os.path.join(ROOT, directory)),
                                                 *sorted(glob.glob(os.path.join(ROOT, 'tests', 'guest', '*.test')))], 1800)


def stage_cages():
    """What the guests do, and what they cannot do. Their own code is not instrumented: attacks run in the plain build."""
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(cages, ('build', 'build-asan')))
    check('policy through every way of a guest', [sys.executable, 'tests/guest/policy.py', 'build'], 1800)
    check('JavaScript in the sandbox', [sys.executable, 'tests/guest/js_sandbox.py', 'build'], 1800)
    check("jq's own tests", [sys.executable, 'tests/guest/jq_own.py', 'build'])
    check("QuickJS's own tests", [sys.executable, 'tests/guest/js_own.py', 'build'])
    check("CPython's own tests", [sys.executable, 'tests/guest/python_own.py', 'build'], 1800)


def stage_cli():
    check('the nacre program', [sys.executable, 'tests/cli/run.py', 'build'])
    check('policies', [sys.executable, 'tests/cli/policy.py', 'build'])
    check('what policies do not allow', [sys.executable, 'tests/cli/cases.py', 'build'])
    check('recordings and replays', [sys.executable, 'tests/cli/replay.py', 'build'])
    check('records', [sys.executable, 'tests/cli/records.py', 'build'])
    check('profiles', [sys.executable, 'tests/cli/profiles.py', 'build'])
    check('profiles, sanitized', [sys.executable, 'tests/cli/profiles.py', 'build-asan'])
    check('nacre fmt, nacre parse', [sys.executable, 'tests/cli/formatting.py', 'build'])
    check('promises about every command', [sys.executable, 'tests/cli/contract.py', 'build'])
    check('/proc', [sys.executable, 'tests/cli/proc.py', 'build'])
    check('overlays', [sys.executable, 'tests/cli/overlay.py', 'build-asan'])
    check('the nacre program, sanitized', [sys.executable, 'tests/cli/run.py', 'build-asan'])


def stage_escape():
    check('tests/escape', [sys.executable, 'tests/escape/run.py', 'build'])


def stage_threads():
    if build('build-tsan', '-Db_sanitize=thread', '-Db_lundef=false', '-Doptimization=1', compiler='clang-14',
             targets=['tests/api_test_threads']):
        check('several threads, ThreadSanitizer', ['build-tsan/tests/api_test_threads'])


def stage_torture():
    """One process a file of cases, the longest first, so that every core has its part."""
    scripts = os.path.join(ROOT, 'build-asan', 'tests', 'torture_test_scripts')
    files = sorted(glob.glob('tests/cmd/*.test') + glob.glob('tests/shell/*.test'), key=os.path.getsize, reverse=True)
    jobs = [[p] for p in programs('build-asan', 'torture') if p != scripts] + [[scripts, f] for f in files]
    note('there is something to torture', bool(files) and os.path.exists(scripts))
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(lambda argv: check(' '.join(os.path.relpath(a, ROOT) for a in argv), argv, 1500), jobs))


def stage_fuzz():
    """The same inputs every time; FUZZ_SECONDS=N looks for new ones, N seconds a target."""
    check('fuzz targets', [sys.executable, 'tools/fuzz.py', os.environ.get('FUZZ_SECONDS', '--repeat')], 3000)


def main():
    # What is run here must not inherit ignored signals (a shell gives them to what it runs in the background): scripts see them.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    stages = {name[6:]: f for name, f in globals().items() if name.startswith('stage_')}
    wanted = sys.argv[1:] or list(stages)
    os.chdir(ROOT)
    run([sys.executable, 'tools/sources.py', '--stamp', 'build-sources.stamp'])
    for name in wanted:
        start = time.time()
        before = (passed, failed)
        ok = stages[name]()
        print(f'{name}: {passed - before[0]} passed, {failed - before[1]} failed ({time.time() - start:.0f} s)', flush=True)
        if name == 'build' and not ok:
            break
    print(f'{passed} passed, {failed} failed')
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
