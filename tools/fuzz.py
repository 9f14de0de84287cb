#!/usr/bin/env python3
"""Builds the libFuzzer targets (clang, ASan, UBSan) and runs each for some seconds.

    fuzz.py SECONDS [TARGET...]     what was not tried before, from a corpus that grows
    fuzz.py --repeat [TARGET...]    the same inputs every time: what CI runs

Inputs that were worth keeping go to build-fuzz/corpus/TARGET; tests/fuzz/seeds/TARGET* seeds them (the
scripts of tests/shell and tests/cmd those of "script"), tests/fuzz/TARGET.dict has the words of its language. A finding is left as build-fuzz/TARGET-crash-...; its input belongs into the tests.

With --repeat a run starts at the seeds, with one seed for its random numbers and a number of runs
(RUNS) instead of a time, so that a build which passed passes again: what is red is so by a change,
and whoever made it sees it before CI does.
"""
import glob
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'cmd'))
from run import parse  # noqa: E402

BUILD = os.path.join(ROOT, 'build-fuzz')
# About half a minute each on one core; a target that is not named here gets the least.
RUNS = {'expand': 3000, 'format': 80000, 'parser': 150000, 'path': 100000, 'pcre': 300000, 'policy': 250000, 'printf': 30000, 'regex': 70000,
        'save': 15000, 'script': 3500}
RUNS_OTHER = 2000
CEILING = 180  # seconds, on a slow machine


def scripts():
    """The scripts of the recorded cases as a directory of seeds."""
    out = os.path.join(BUILD, 'seeds', 'script')
    os.makedirs(out, exist_ok=True)
    for path in sorted(glob.glob(os.path.join(ROOT, 'tests', 'shell', '*.test')) + glob.glob(os.path.join(ROOT, 'tests', 'cmd', '*.test'))):
        for case in parse(path)[0]:
            with open(os.path.join(out, f'{os.path.basename(path)[:-5]}-{case.line}'), 'w', encoding='utf-8') as f:
                f.write('\n'.join(case.script))
    return out


def one(target, seconds):
    name = os.path.basename(target).replace('fuzz_fuzz_', '')
    seeds = [s for s in sorted(glob.glob(os.path.join(ROOT, 'tests', 'fuzz', 'seeds', name + '*'))) if os.path.isdir(s)]
    seeds += [scripts()] if name == 'script' else []
    words = os.path.join(ROOT, 'tests', 'fuzz', name + '.dict')
    corpus = os.path.join(BUILD, 'corpus' if seconds else 'repeat', name)
    if seconds:
        extent = [f'-max_total_time={seconds}', '-timeout=20']
    else:
        shutil.rmtree(corpus, ignore_errors=True)
        extent = [f'-runs={RUNS.get(name, RUNS_OTHER)}', '-seed=1', '-reload=0', f'-max_total_time={CEILING}', '-timeout=60']
    if os.path.exists(words):
        extent.append(f'-dict={words}')
    os.makedirs(corpus, exist_ok=True)
    # Addresses find their way into what is tried: with --repeat they are the same every time, where the machine allows it.
    still = [] if seconds or subprocess.run(['setarch', '-R', 'true'], stderr=subprocess.DEVNULL).returncode else ['setarch', '-R']
    r = subprocess.run([*still, target, *extent, '-rss_limit_mb=4096', '-max_len=65536', '-verbosity=0', '-print_final_stats=1',
                        f'-artifact_prefix={BUILD}/{name}-', corpus, *seeds],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    text = r.stdout.decode('utf-8', 'replace')
    return name, r.returncode == 0, text


def built():
    if not os.path.exists(os.path.join(BUILD, 'build.ninja')):
        subprocess.run(['meson', 'setup', BUILD, '-Dfuzz=true', '-Db_sanitize=address,undefined', '-Ddebug_arena=true', '-Db_lundef=false',
                        '-Doptimization=1'], cwd=ROOT, env={**os.environ, 'CC': 'clang-14'}, check=True, stdout=subprocess.DEVNULL)
    names = [os.path.basename(f)[:-2] for f in glob.glob(os.path.join(ROOT, 'tests', 'fuzz', 'fuzz_*.c'))]
    r = subprocess.run(['ninja', '-C', BUILD, *[f'tests/fuzz_{name}' for name in names]], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if r.returncode:
        print(r.stdout.decode('utf-8', 'replace')[-6000:])
    return r.returncode == 0


def main():
    first = sys.argv[1] if len(sys.argv) > 1 else '60'
    seconds = 0 if first == '--repeat' else int(first)
    if not built():
        print('0 passed, 1 failed')
        return 1
    targets = [t for t in sorted(glob.glob(os.path.join(BUILD, 'tests', 'fuzz_fuzz_*')))
               if os.path.isfile(t) and os.access(t, os.X_OK) and (len(sys.argv) < 3 or any(w in t for w in sys.argv[2:]))]
    good = bad = 0
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, ok, text in pool.map(lambda t: one(t, seconds), targets):
            good, bad = good + ok, bad + (not ok)
            if not ok:
                print(f'FAIL {name}\n' + text[-4000:])
    print(f'{good} passed, {bad} failed')
    return 0 if good and not bad else 1


if __name__ == '__main__':
    sys.exit(main())
