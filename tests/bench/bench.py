#!/usr/bin/env python3
"""make bench: ours beside bash and GNU in one run; prints ratios and the targets.

    bench.py BUILD [latency] [throughput] [startup] [python] [rows=WORD]

rows=WORD: only the rows of throughput with WORD in their names.

CPU times are the minimum of interleaved runs: absolute times vary with the machine, ratios less.
Nothing here gates: the figures go to docs/performance.md.
"""
import math
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENV = {'PATH': os.environ['PATH'], 'LC_ALL': 'C.UTF-8', 'TZ': 'UTC', 'HOME': '/'}

# script for warm bash (one process, many turns), turns; the target of ours in ns
LATENCY = [
    ('create', 'create a sandbox', None, 0, 500),
    ('echo', 'echo hello', 'echo hello >/dev/null', 20000, 1500),
    ('mkdir-echo-cat', 'mkdir + echo > f + cat f', 'mkdir -p d; echo x > d/f; cat d/f >/dev/null', 200, 5000),
    ('cat-grep-wc', 'cat f | grep x | wc -l', 'cat f | grep x | wc -l >/dev/null', 200, 10000),
    ('loop-1000', '1,000 turns of [ and $(( ))', 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done', 20, 400000),
    ('subst-100', '100 x $(echo)', 'j=0; while ((j++ < 100)); do x=$(echo); done', 5, 100000),
    ('read-10000', '10,000-line while read', 'n=0; while read -r l; do n=$((n+1)); done < lines', 3, None),
    ('fib-20', 'recursive fib(20)',
     'fib() { if (($1 < 2)); then r=$1; else fib $(($1-1)); local a=$r; fib $(($1-2)); r=$((r+a)); fi; }; fib 20', 2, None),
    ('parse-1MiB', 'parse a script of 1 MiB', None, 0, 20000000),
    ('cat-head', 'cat 64MiB | head -n1', 'cat big | head -n1 >/dev/null', 20, 20000),
]

THROUGHPUT = [
    ('grep -c literal', 'grep -c timeout log'), ('grep -c none', 'grep -c zzzqqq log'),
    ('grep -ci', 'grep -ci TIMEOUT log'), ('grep -E', "grep -cE 'user=[0-9]+ .*timeout' log"),
    ('grep -E words', "grep -cE 'alpha|bravo|charlie|delta|echo' log"), ('grep -v', 'grep -cv INFO log'),
    ('wc -l', 'wc -l log'), ('wc -w', 'wc -w log'), ('wc', 'wc log'),
    ('sort', 'sort log'), ('sort -k', 'sort -k6 log'), ('sort -n', 'sort -t= -k2 -n log'), ('sort -u', 'cut -d" " -f3 log | sort -u'),
    ('uniq -c', 'uniq -c field'), ('sort | uniq -c | sort', 'sort field | uniq -c | sort -rn'), ('cut -f', 'cut -d" " -f3 log'), ('cut -c', 'cut -c1-20 log'),
    ('sed s///', "sed 's/user/USER/' log"), ('sed s///g', "sed 's/[0-9][0-9]*/N/g' log"), ('sed -n /p', "sed -n '/timeout/p' log"),
    ('tr', 'tr a-z A-Z < log'), ('tr -d', 'tr -d 0-9 < log'), ('head', 'head -n 500000 log'), ('tail', 'tail -n 5 log'),
    ('cat', 'cat log'), ('tac', 'tac log'), ('rev', 'rev log'), ('nl', 'nl log'),
    ('paste', 'paste log log'), ('fold', 'fold -w 40 log'),
    ('awk sum', "awk '{s+=$4} END{print s}' log"), ('awk count', "awk '{c[$3]++} END{for(k in c) print k, c[k]}' log"),
    ('sha256sum', 'sha256sum log'), ('md5sum', 'md5sum log'), ('base64', 'base64 log'), ('gzip', 'gzip -c log'), ('gunzip', 'gunzip -c log.gz'),
    ('find -name', "find tree -name '*7.c'"), ('find -size', 'find tree -type f -size +1k'), ('diff 10 MiB', 'diff left right'),
    ('diff -u 10 MiB', 'diff -u left right'),
    # beside ripgrep itself
    ('rg literal', 'rg -c timeout log'), ('rg -i', 'rg -ci TIMEOUT log'), ('rg classes', "rg -c 'user=\\d+ .*timeout' log"), ('rg -o', "rg -o 'user=[0-9]+' log"),
    ('rg --files', 'rg --files --sort path tree'), ('rg tree', 'rg --sort path -l needle tree'),
]


def make_log(path, size=64 << 20):
    rng = random.Random(1)
    words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel', 'india', 'timeout', 'refused', 'ok']
    level = ['INFO'] * 8 + ['WARN', 'ERROR']
    lines = []
    for i in range(20000):
        lines.append('2024-05-%02dT%02d:%02d:%02d host%d %s %d user=%d %s %s key%06d\n' % (
            i % 28 + 1, i % 24, i % 60, rng.randrange(60), rng.randrange(40), rng.choice(level), rng.randrange(100000),
            rng.randrange(10000), rng.choice(words), rng.choice(words), rng.randrange(1000000)))
    with open(path, 'w') as f:
        written = 0
        while written < size:
            rng.shuffle(lines)
            chunk = ''.join(lines)
            f.write(chunk)
            written += len(chunk)


def make_inputs(tmp):
    """The log, a column of it, two files of 10 MiB that differ in every 200th line, and a tree of 50,000 files."""
    log = os.path.join(tmp, 'log')
    make_log(log)
    with open(log) as f, open(os.path.join(tmp, 'field'), 'w') as field, open(os.path.join(tmp, 'left'), 'w') as left, \
            open(os.path.join(tmp, 'right'), 'w') as right:
        size = 0
        for i, line in enumerate(f):
            field.write(line.split(' ')[2] + '\n')
            if size < 10 << 20:
                left.write(line)
                right.write(line if i % 200 else line.upper())
                size += len(line)
    subprocess.run(['gzip', '-k', log], check=True)
    for d in range(500):
        where = os.path.join(tmp, 'tree', f'd{d % 25:02}', f'sub{d}')
        os.makedirs(where)
        for i in range(100):
            with open(os.path.join(where, f'file{i}.c'), 'w') as f:
                f.write(f'int f{i}(void);\n' * (i * d % 150) + ('needle\n' if i == d % 100 else ''))


def cpu(argv, cwd=None, out=subprocess.DEVNULL):
    """(CPU seconds, peak KiB, status) of one run."""
    p = subprocess.Popen(argv, cwd=cwd, stdout=out, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=ENV)
    _, status, ru = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return ru.ru_utime + ru.ru_stime, ru.ru_maxrss, p.returncode


def latency(build, tmp):
    out = subprocess.run([os.path.join(build, 'tests', 'bench_latency')], stdout=subprocess.PIPE, text=True, check=True).stdout
    ours = dict((l.split()[0], float(l.split()[1])) for l in out.splitlines())
    with open(os.path.join(tmp, 'f'), 'w') as f:
        f.write('ax\nb\nxc\n')
    with open(os.path.join(tmp, 'lines'), 'w') as f:
        f.write(''.join(f'{i}\n' for i in range(1, 10001)))
    with open(os.path.join(tmp, 'big'), 'w') as f:
        f.write(('a' * 63 + '\n') * (1 << 20))
    print(f'{"":34}{"ours":>12}{"warm bash":>12}{"bash process":>14}{"bash/ours":>11}{"target":>10}')
    print(f'{"idle memory of a sandbox":34}{ours["idle"]:>10.0f} B{"":>12}{"":>14}{"":>11}{"1024 B":>10}')
    for key, name, script, turns, target in LATENCY:
        warm = cold = None
        if script:
            for _ in range(3):
                start = time.perf_counter()
                subprocess.run(['bash', '-c', f'for ((t=0; t<{turns}; t++)); do {script}; done'], cwd=tmp, env=ENV, check=True,
                               stdout=subprocess.DEVNULL)
                took = (time.perf_counter() - start) / turns * 1e9
                warm = min(warm or took, took)
            for _ in range(5):
                start = time.perf_counter()
                subprocess.run(['bash', '-c', script], cwd=tmp, env=ENV, check=True, stdout=subprocess.DEVNULL)
                took = (time.perf_counter() - start) * 1e9
                cold = min(cold or took, took)
        show = lambda ns: '' if ns is None else f'{ns / 1000:.2f} us'
        print(f'{name:34}{show(ours[key]):>12}{show(warm):>12}{show(cold):>14}{(f"{warm / ours[key]:.1f}" if warm else ""):>11}'
              f'{show(target):>10}{"" if target is None or ours[key] <= target else "  MISSED"}')


def startup(build, tmp):
    best = {}
    for _ in range(30):
        for name, argv in (('nacre', [os.path.join(build, 'nacre'), '-c', ':']), ('bash', ['bash', '-c', ':'])):
            start = time.perf_counter()
            subprocess.run(argv, env=ENV, stdin=subprocess.DEVNULL)
            best[name] = min(best.get(name, 9), time.perf_counter() - start)
    print(f'start-up: nacre -c : {best["nacre"] * 1e3:.2f} ms, bash -c : {best["bash"] * 1e3:.2f} ms')


# One statement of each, repeated for about as long; the same for both.
PYTHON = [
    ('calls', 'def f(n): return n if n < 2 else f(n-1) + f(n-2)\nf(23)'), ('dict, str', 'd = {}\nfor i in range(200000): d[str(i)] = i'),
    ('json', 'import json\nfor i in range(30): json.loads(json.dumps(list(range(10000))))'),
    ('re', 'import re\nfor i in range(10): re.findall(r"(\\w+)@(\\w+)", "user@host " * 10000)'),
    ('sort', 'x = [(i * 7919) % 100003 for i in range(100000)]\nfor i in range(5): sorted(x)'),
    ('float', 's = 0.0\nfor i in range(1000000): s += i * 0.5'), ('sha256, zlib', 'import hashlib, zlib\nb = bytes(4 << 20)\nhashlib.sha256(b); zlib.compress(b)'),
]


def python(build, tmp):
    """Latency inside one process, and CPU time beside the machine's own python3 (another version, usually)."""
    nacre = [os.path.join(build, 'nacre'), '--memory', '2G', '--timeout', '300s', '-c']
    script = 't() { local a=$EPOCHREALTIME b; python3 -c "print(1)" >/dev/null; b=$EPOCHREALTIME; echo $((${b/./} - ${a/./})); }; for i in {1..200}; do t; done'
    us = list(map(int, subprocess.run(nacre + [script], stdout=subprocess.PIPE, text=True, env=ENV).stdout.split()))
    real = min(cpu(['python3', '-c', 'print(1)'])[0] for _ in range(10))
    print(f"python3 -c 'print(1)': first {us[0] / 1000:.1f} ms (target 60), second (prepares the image) {us[1] / 1000:.1f} ms, "
          f'warm {min(us[2:]) / 1000:.2f} ms (target 1); a python3 process {real * 1e3:.1f} ms')
    floor = [min(cpu(nacre + ['python3 -c pass'])[0] for _ in range(3)), min(cpu(['python3', '-c', 'pass'])[0] for _ in range(3))]
    for name, text in PYTHON:
        ours = min(cpu(nacre + [f'python3 -c {shlex.quote(text)}'])[0] for _ in range(3)) - floor[0]
        real = min(cpu(['python3', '-c', text])[0] for _ in range(3)) - floor[1]
        print(f'{name:22}{ours * 1e3:>9.0f} ms{real * 1e3:>9.0f} ms{ours / max(real, 1e-4):>8.2f}')


def throughput(build, tmp, only=None):
    make_inputs(tmp)
    nacre = [os.path.join(build, 'nacre'), '--mount', f'{tmp}:/b:ro', '--cwd', '/b', '--memory', '4G', '--timeout', '300s', '-c']
    print(f'{"64 MiB log, CPU ms":22}{"ours":>9}{"GNU":>9}{"ratio":>8}{"busybox":>9}{"mawk":>8}   ours: memory above start-up')
    _, floor, _ = cpu(nacre + [':'])
    # Not /dev/null: GNU grep and cat notice it and do less.
    sink = tempfile.TemporaryFile(dir='/dev/shm' if os.path.isdir('/dev/shm') else None)
    ratios = []
    for name, script in THROUGHPUT:
        if only and only not in name:
            continue
        if script.startswith('rg ') and not shutil.which('rg'):
            continue
        times = {}
        ours_rss = 0
        status = {}
        for _ in range(3):
            for who, argv in (('ours', nacre + [script]), ('gnu', ['bash', '-c', script.replace('awk ', 'gawk ', 1) if script.startswith('awk') else script])):
                sink.seek(0)
                sink.truncate()
                t, rss, code = cpu(argv, cwd=tmp, out=sink)
                times[who] = min(times.get(who, 1e9), t)
                status[who] = code
                if who == 'ours':
                    ours_rss = rss
        if script.startswith('awk') and shutil.which('mawk'):
            times['mawk'] = min(cpu(['bash', '-c', script.replace('awk', 'mawk', 1)], cwd=tmp)[0] for _ in range(2))
        if shutil.which('busybox') and '|' not in script and not script.startswith('rg '):
            times['busybox'] = cpu(['bash', '-c', 'busybox ' + script], cwd=tmp)[0]
        bad = '' if status['ours'] == status['gnu'] else f'  status {status["ours"]}, GNU {status["gnu"]}'
        col = lambda k: f'{times[k] * 1e3:.0f}' if k in times else ''
        print(f'{name:22}{col("ours"):>9}{col("gnu"):>9}{times["ours"] / max(times["gnu"], 1e-4):>8.2f}{col("busybox"):>9}{col("mawk"):>8}'
              f'   {max(0, ours_rss - floor)} KiB{bad}', flush=True)
        ratios.append(times['ours'] / max(times['gnu'], 1e-4))
    print(f'geometric mean of {len(ratios)} ratios: {math.exp(sum(map(math.log, ratios)) / max(1, len(ratios))):.2f}')


def main():
    build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'build'))
    rows = [a[5:] for a in sys.argv[2:] if a.startswith('rows=')]
    wanted = [a for a in sys.argv[2:] if not a.startswith('rows=')] or ['latency', 'startup', 'throughput', 'python']
    with tempfile.TemporaryDirectory() as tmp:
        for name in wanted:
            if name == 'throughput':
                throughput(build, tmp, rows[0] if rows else None)
                continue
            {'latency': latency, 'startup': startup, 'python': python}[name](build, tmp)
            print()


if __name__ == '__main__':
    main()
