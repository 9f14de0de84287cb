#!/usr/bin/env python3
"""Runs generated scripts (gen.py) in the real bash and in nacre and compares what they did.

    run.py [--count N] [--seed S] [--jobs J] [--shrink] [--stderr] [--nacre PROGRAM] [FILE...]

Every script runs twice, each time in a throwaway directory of its own with gen.TREE in it: once in
bash, once in nacre with the directory mounted. Compared are standard output, the exit status and
the files left behind. Standard error is compared loosely (the program's name and line numbers do
not count) and reported apart, with --stderr. --shrink looks for the smallest script that still
differs. With FILEs these scripts are run in place of generated ones. Scripts whose difference is
no mistake are counted by kind; the last line is "N passed, N failed".
"""
import argparse
import atexit
import collections
import concurrent.futures
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import gen  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENV = {'LC_ALL': 'C.UTF-8', 'LANG': 'C.UTF-8', 'TZ': 'UTC', 'PATH': '/usr/local/bin:/usr/bin:/bin', 'HOME': '/home/user', 'TERM': 'dumb', 'USER': 'user'}
LIMIT = 10
PLACE = None if 'TMPDIR' in os.environ or not os.access('/dev/shm', os.W_OK) else '/dev/shm'  # memory: a tree costs little


def plant(where):
    for name, text in gen.TREE.items():
        path = os.path.join(where, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)


def harvest(where):
    found = {}
    for base, dirs, files in os.walk(where):
        dirs.sort()
        for name in dirs:
            found[os.path.relpath(os.path.join(base, name), where) + '/'] = b''
        for name in files:
            path = os.path.join(base, name)
            if os.path.islink(path):
                found[os.path.relpath(path, where)] = b'-> ' + os.fsencode(os.readlink(path))
                continue
            with open(path, 'rb') as f:
                found[os.path.relpath(path, where)] = f.read()
    return found


def loose(err, where):
    """The messages of a script without what must differ."""
    text = err.decode('utf-8', 'replace').replace('‘', "'").replace('’', "'").replace(where, '/w')
    lines = []
    for line in text.split('\n'):
        line = re.sub(r'^(bash|nacre|environment|/\S+): (line \d+: )?', '', line)
        lines.append(re.sub(r'\bline \d+\b', 'line N', line))
    return [line for line in lines if line and not re.match(r'^(real|user|sys)\s', line)]


class Outcome:
    def __init__(self, out, err, status, files, where):
        self.out, self.status = out.replace(where.encode(), b'/w'), status
        self.err = loose(err, where)
        self.files = {name: data.replace(where.encode(), b'/w') for name, data in files.items()}
        for name in self.files:
            if name in ('err.txt', 'both.txt', 'new.txt', 'out.txt', 'sub/n.txt', 'q r') or b': line ' in self.files[name]:  # may hold messages
                self.files[name] = '\n'.join(loose(self.files[name], where)).encode()


def execute(argv, where):
    try:
        r = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, cwd=where, env=ENV, timeout=LIMIT)
        return r.stdout, r.stderr, 128 - r.returncode if r.returncode < 0 else r.returncode
    except subprocess.TimeoutExpired as e:
        return e.stdout or b'', e.stderr or b'', 'timed out'


def run_one(argv_of, empty=()):
    """An Outcome of argv_of(directory), run in a tree of its own, with these files there beforehand."""
    top = tempfile.mkdtemp(prefix='difftest.', dir=PLACE)
    where = os.path.join(top, 'w')
    os.mkdir(where)
    try:
        plant(where)
        for name in empty:
            os.makedirs(os.path.dirname(os.path.join(where, name)), exist_ok=True)
            open(os.path.join(where, name), 'w', encoding='utf-8').close()
        out, err, status = execute(argv_of(where, top), where)
        return Outcome(out, err, status, harvest(where), where)
    finally:
        shutil.rmtree(top, ignore_errors=True)


def in_bash(script, empty=()):
    return run_one(lambda where, top: ['bash', '-c', script, 'bash'], empty)


def in_nacre(script, nacre, more=()):
    env = [a for k, v in ENV.items() for a in ('--env', f'{k}={v}')]
    return run_one(lambda where, top: [nacre, *env, '--mount', f'{where}:/w', *more, '--cwd', '/w', '--timeout', f'{LIMIT - 2}s', '-c', script, 'bash'])


# ---- Races ----
#
# What `find . | sort >list` finds, and which of a pipeline's stages dies of SIGPIPE, is chance in bash. So bash is
# asked again in ways that make another order likely; what it says in one of them is right. One way is to have the
# files that the script makes there before it begins.

def hindered(script, late):
    """bash, where the programs in `late` start a moment later."""
    def argv(where, top):
        slow = os.path.join(top, 'bin')
        os.mkdir(slow)
        for name in late:
            with open(os.path.join(slow, name), 'w', encoding='utf-8') as f:
                f.write(f'#!/bin/sh\nPATH={ENV["PATH"]}\n/bin/sleep 0.05\nexec {shutil.which(name)} "$@"\n')
                os.chmod(os.path.join(slow, name), 0o755)
        return ['env', f'PATH={slow}:{ENV["PATH"]}', 'bash', '-c', script, 'bash']
    return argv


READERS = [name for name in ('find', 'ls', 'cat', 'grep', 'seq', 'sed') if shutil.which(name)]
SLOW = [name for name in (*READERS, 'sort', 'head', 'tail', 'tr', 'wc', 'tee', 'awk', 'cut', 'uniq', 'xargs', 'paste', 'rev', 'tac', 'nl')
        if shutil.which(name)]


def chances(script, made):
    """Outcomes of bash, each time hindered otherwise."""
    one_cpu = ['taskset', '-c', '0'] if shutil.which('taskset') else []
    yield in_bash(script)
    for name in made:
        yield in_bash(script, [name])
    if len(made) > 1:
        yield in_bash(script, made)
    if 'rm -f out.txt' in script and 'out.txt' in made:
        yield in_bash(script.replace('rm -f out.txt', ': -f out.txt'), ['out.txt'])
    for late in (READERS, [n for n in SLOW if n not in READERS], SLOW):
        yield run_one(hindered(script, late))
    for nice in ('0', '19', '10', '5', '0', '0', '0', '0'):
        yield run_one(lambda where, top: [*one_cpu, 'nice', '-n', nice, 'bash', '-c', script, 'bash'])


# ---- What is compared otherwise ----

AT_ROOT = re.compile(r'/["\']*[$*?\[]')


@functools.lru_cache(maxsize=None)
def root_of(nacre):
    """A directory with the names that the root directory of a sandbox has, made of the machine's; and what nacre is to mount beside."""
    names = subprocess.run([nacre, '--mount', f'{ROOT}:/w:ro', '--cwd', '/w', '-c', 'ls -A /'], capture_output=True, text=True, check=True).stdout.split()
    root = tempfile.mkdtemp(prefix='difftest-root.', dir=PLACE)
    atexit.register(shutil.rmtree, root, True)
    for name in {*names, 'lib64'}:
        source = os.path.join('/', name)
        if os.path.islink(source):
            os.symlink(os.readlink(source), os.path.join(root, name))
        else:
            os.mkdir(os.path.join(root, name))
    return root, ('--mount', f'{root}/mnt:/lib64:ro')


def in_root(script, nacre):
    """bash where / has the names that it has in nacre."""
    root, _ = root_of(nacre)
    binds = [name for name in ('usr', 'etc', 'dev', 'proc', 'tmp') if os.path.isdir(os.path.join('/', name))]
    inside = (f'set -e; for d in {" ".join(binds)}; do mount --rbind /$d {root}/$d; done; mount --bind "$1" {root}/w; shift; '
              f'exec {shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin")} {root} /bin/sh -c \'cd /w; exec "$@"\' sh "$@"')
    user = [] if os.geteuid() == 0 else ['-r']
    return run_one(lambda where, top: ['unshare', *user, '-m', 'sh', '-c', inside, 'sh', where, 'bash', '-c', script, 'bash'])


def true_lines(script):
    """The script with the number of its line in the place of every $LINENO."""
    return '\n'.join(line.replace('$LINENO', str(k)) for k, line in enumerate(script.split('\n'), 1))


CALL = re.compile(r'(^|[\s;(])(f|g|helper)\d+ ')


def true_callers(script, out):
    """Whether what `caller` has printed are lines that call a function."""
    calls = {k for k, line in enumerate(script.split('\n'), 1) if CALL.search(line)}
    return all(int(line) in calls for line in re.findall(rb'(?m)^(\d+) NULL$', out))


def otherwise(script, a, b, nacre, stderr):
    """Outcomes of bash and of nacre in which what bash cannot know is given to both, and what that was; None."""
    lines, callers, root = '$LINENO' in script, 'caller;' in script, bool(AT_ROOT.search(script))
    if not lines and not callers and not root:
        return None
    told = true_lines(script)
    if lines and compare(in_nacre(told, nacre), b, stderr) or callers and not true_callers(script, b.out):
        return None  # nacre has told a line that is not the true one
    if callers:
        told = told.replace('caller;', 'echo caller;')
        b = in_nacre(told, nacre)
    if root:
        return in_root(told, nacre), in_nacre(told, nacre, root_of(nacre)[1]), 'root directory'
    return in_bash(told), b, 'LINENO'


tally = collections.Counter()


def difference(script, nacre, stderr):
    """'' or what differs first."""
    a, b = in_bash(script), in_nacre(script, nacre)
    text = compare(a, b, stderr)
    if not text:
        return ''
    why = explained(script, a, b)
    if why:
        tally[why] += 1
        return ''
    changed = otherwise(script, a, b, nacre, stderr)
    if changed and not compare(changed[0], changed[1], stderr):
        tally[changed[2]] += 1
        return ''
    made = [name for name in b.files if name not in gen.TREE and not name.endswith('/')][:4]
    if any(not compare(other, b, stderr) for other in chances(script, made)):
        tally['chance'] += 1
        return ''
    return text


def explained(script, a, b):
    """What differs and is no mistake, or ''; docs/difftest.md says why."""
    if not parses(script):
        return 'syntax error'  # one that a look at the messages did not tell
    if b'BASHOPTS=' in a.out or any(b'BASHOPTS=' in data for data in a.files.values()):
        return 'all variables'  # which are others in bash
    if b'\x01' in a.out:
        return 'empty IFS'  # bash leaves marks of its own in what ${a[@]%x} gives
    if b'wait_for: No record of process' in '\n'.join(a.err).encode() or any(b'wait_for: No record of process' in data for data in a.files.values()):
        return 'bash lost a process'  # its own, in a stage that ran the EXIT trap
    if re.search(r'IFS=(""|\'\')?;', script) and re.search(r'\$\{\w+\[[@*]\][%#/^,@~]', script):
        return 'empty IFS'  # the same joined by blanks
    if any('Invalid or incomplete multibyte' in line for line in a.err):
        return 'rev of what is no UTF-8'  # docs/differences.md
    in_background = re.search(r'(^|[^&<>|])&([^&>]|$)|[<>]\(', script)
    if in_background and a.status == b.status and sorted(a.out) == sorted(b.out):
        return 'order of jobs'
    return ''


def compare(a, b, stderr):
    if a.status == 'timed out':
        return ''
    if any('syntax error near' in line or 'syntax error: unexpected end' in line for line in a.err):
        return ''  # bash runs what stands before it; nacre does not begin a script that does not parse
    # where output and messages share a stream they are compared loosely
    out_a, out_b = a.out, b.out
    if out_a != out_b and loose(out_a, '\0') != loose(out_b, '\0') or (out_a != out_b and b': line ' not in out_a):
        return f'stdout\n--- bash\n{show(a.out, b.out)}\n--- nacre\n{show(b.out, a.out)}\n--- stderr, bash: {a.err[:4]}\n--- stderr, nacre: {b.err[:4]}'
    if a.status != b.status:
        return f'status: bash {a.status}, nacre {b.status}\n--- stderr, bash: {a.err[:4]}\n--- stderr, nacre: {b.err[:4]}'
    if a.files != b.files:
        names = sorted(n for n in {*a.files, *b.files} if a.files.get(n) != b.files.get(n))
        return 'files\n' + '\n'.join(f'{n}: bash {a.files.get(n)!r:.300}, nacre {b.files.get(n)!r:.300}' for n in names)
    if stderr and a.err != b.err:
        only = [(x, y) for x, y in zip(a.err + [''] * 20, b.err + [''] * 20) if x != y]
        return f'stderr\n--- bash:  {only[0][0]}\n--- nacre: {only[0][1]}'
    return ''


def show(mine, other):
    """The lines around the first difference."""
    m, o = mine.split(b'\n'), other.split(b'\n')
    at = next((k for k, (x, y) in enumerate(zip(m, o)) if x != y), min(len(m), len(o)))
    return '\n'.join(repr(line)[2:-1] for line in m[max(0, at - 1):at + 4])


def parses(script):
    return subprocess.run(['bash', '-O', 'extglob', '-n', '-c', script], capture_output=True, env=ENV).returncode == 0


def kind(text):
    return text.split('\n')[0].split(':')[0]


def shrink(chunks, nacre, stderr):
    """Fewer chunks, then fewer lines, then fewer words, while the same kind of thing differs."""
    want = kind(compare(in_bash('\n'.join(chunks)), in_nacre('\n'.join(chunks), nacre), stderr))
    budget = [250]

    def still(parts, glue):
        budget[0] -= 1
        text = glue.join(parts)
        return budget[0] > 0 and parses(text) and kind(compare(in_bash(text), in_nacre(text, nacre), stderr)) == want

    for glue in ('\n', '\n', ' '):
        parts = '\n'.join(chunks).split(' ') if glue == ' ' else chunks
        size = max(1, len(parts) // 2)
        while size:
            at = 0
            while at < len(parts):
                fewer = parts[:at] + parts[at + size:]
                if fewer and still(fewer, glue):
                    parts = fewer
                else:
                    at += size
            size //= 2
        chunks = glue.join(parts).split('\n')
    return '\n'.join(chunks)


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=300)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--jobs', type=int, default=os.cpu_count() or 2)
    p.add_argument('--shrink', action='store_true')
    p.add_argument('--stderr', action='store_true')
    p.add_argument('--nacre', default=os.path.join(ROOT, 'build', 'nacre'))
    p.add_argument('files', nargs='*')
    o = p.parse_args()
    o.nacre = os.path.abspath(o.nacre)
    # A bash that was started with signals ignored (nohup, &) lists them as traps.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    if o.files:
        work = []
        for name in o.files:
            with open(name, encoding='utf-8') as f:
                work.append((name, f.read().split('\n')))
    else:
        work = [(f'seed {s}', gen.script(s)) for s in range(o.seed, o.seed + o.count)]

    def one(item):
        name, chunks = item
        text = difference('\n'.join(chunks), o.nacre, o.stderr)
        if text and o.shrink:
            small = shrink(chunks, o.nacre, o.stderr)
            text = difference(small, o.nacre, o.stderr) or text
            return name, text, small
        return name, text, '\n'.join(chunks)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for name, text, script in pool.map(one, work):
            if text:
                failed += 1
                print(f'=== {name}: {text}\n--- script\n{script}\n', flush=True)
    if tally:
        print('no mistake, by kind: ' + ', '.join(f'{why} {n}' for why, n in sorted(tally.items())))
    print(f'{len(work) - failed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
