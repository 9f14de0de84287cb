#!/usr/bin/env python3
"""Builds the libFuzzer targets (clang, ASan, UBSan) and runs each for some seconds.

    fuzz.py SECONDS [TARGET...]

Inputs that were worth keeping go to build-fuzz/corpus/TARGET; tests/fuzz/seeds/TARGET* seeds
them. A finding is left as build-fuzz/TARGET-crash-...; its input belongs into the tests.
"""
import glob
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, 'build-fuzz')


def one(target, seconds):
    name = os.path.basename(target).replace('fuzz_fuzz_', '')
    corpus = os.path.join(BUILD, 'corpus', name)
    os.makedirs(corpus, exist_ok=True)
    seeds = sorted(glob.glob(os.path.join(ROOT, 'tests', 'fuzz', 'seeds', name + '*')))
    r = subprocess.run([target, f'-max_total_time={seconds}', '-timeout=20', '-rss_limit_mb=4096', '-max_len=65536', '-verbosity=0',
                        f'-artifact_prefix={BUILD}/{name}-', corpus, *[s for s in seeds if os.path.isdir(s)]],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    text = r.stdout.decode('utf-8', 'replace')
    return name, r.returncode == 0, text


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    if not os.path.exists(os.path.join(BUILD, 'build.ninja')):
        subprocess.run(['meson', 'setup', BUILD, '-Dfuzz=true', '-Db_sanitize=address,undefined', '-Ddebug_arena=true', '-Db_lundef=false',
                        '-Doptimization=1'], cwd=ROOT, env={**os.environ, 'CC': 'clang-14'}, check=True, stdout=subprocess.DEVNULL)
    r = subprocess.run(['ninja', '-C', BUILD], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if r.returncode:
        print(r.stdout.decode('utf-8', 'replace')[-6000:])
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
