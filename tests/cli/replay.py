#!/usr/bin/env python3
"""nacre --record FILE and nacre replay FILE: the same bytes and the same status, with nothing of the host; what was damaged or
does not go as recorded is said (issue: deterministic record and replay).

    replay.py BUILD
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import NACRE, check, finish  # noqa: E402

HEAD = 32


def run(*args, stdin=b'', cwd=None, kill=None):
    p = subprocess.Popen([NACRE, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd, env={'TZ': 'Asia/Tokyo'} if cwd else None)
    if kill:
        first = os.read(p.stdout.fileno(), 1)
        p.send_signal(kill)
        out, err = p.communicate(timeout=120)
        return p.returncode, first + out, err
    try:
        out, err = p.communicate(stdin, timeout=120)
    except subprocess.TimeoutExpired:
        p.kill()
        return -1, *p.communicate()
    return p.returncode, out, err


def tree(path):
    os.makedirs(os.path.join(path, 'sub', 'deep'))
    for i in range(300):
        with open(os.path.join(path, f'file{i}'), 'w') as f:
            f.write(f'line {i}\n' * (i % 7 + 1))
    with open(os.path.join(path, 'sub', 'large'), 'wb') as f:
        f.write(random.Random(1).randbytes(700000))
    os.symlink('../file1', os.path.join(path, 'sub', 'link'))
    os.symlink('nowhere', os.path.join(path, 'dangling'))
    with open(os.path.join(path, b'odd \xff\n name'.decode('utf-8', 'surrogateescape')), 'w') as f:
        f.write('odd\n')


MOUNTED = ('ls -laR --full-time /m; find /m -printf "%p %s %T@ %i %n %m %u\\n"; cat /m/file1 /m/sub/link; sha256sum /m/sub/large; '
           'cat /m/none; stat /m/sub; df /m | tail -n1; head -c 10 /m/sub/large | od -An -tx1; wc -c /m/file*; test -w /m/file2; echo $?')
CHANGING = ('cd /m; echo new > new; echo more >> file1; mkdir -p a/b; mv file2 a/b/; rm file3; ln file4 hard; ln -s file5 soft; chmod 600 file6; '
            'touch -d @1000000000 file7; truncate -s 3 file8; cat > file9; rmdir a; rm -r a/b; cp sub/large copy; cmp sub/large copy && ls -l; cat new file1 file8 file9')

CASES = {
    'time': (['-c', 'date +%s%N; date; printf "%(%s)T\\n"; echo $SECONDS $EPOCHREALTIME; sleep 0.2; date +%N; touch f; stat -c %Y f; time :'], b''),
    'chance': (['-c', 'echo $RANDOM $RANDOM $SRANDOM; head -c 64 /dev/urandom | od -tx1; shuf -i 1-100 | head; mktemp; ls -i /tmp; sort -R /etc/passwd; echo $$ $BASHPID'], b''),
    'stdin': (['-c', 'read a; echo "got $a"; cat | tr a-z A-Z; wc -c'], b'first\nsecond\nthird' * 2000),
    'stdin, a little': (['-c', 'while read -r -n 3 x; do echo "[$x]"; done'], b'abcdefghij'),
    'script from stdin': ([], b'echo one; date +%N\necho two >&2; exit 4\n'),
    'both streams': (['-c', 'for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done; no_such; exit 5'], b''),
    'procs': (['-c', 'for i in 1 2 3 4; do (sleep 0.0$i; echo $i) & done; wait; seq 100000 | sort -R | head -n 3; yes | head -n 5; wait -n; jobs'], b''),
    'timers': (['-c', 'timeout 0.1 sleep 5; echo $?; read -t 0.1 x < <(sleep 3); echo $?; (trap "echo term" TERM; sleep 3 & wait) & sleep 0.05; kill %1; wait; echo end'], b''),
    'deadline': (['--timeout', '300ms', '-c', 'echo begun; while :; do :; done'], b''),
    'deadline asleep': (['--timeout', '300ms', '-c', 'echo begun; sleep 100'], b''),
    'memory': (['--memory', '8M', '-c', 'echo begun; x=a; while :; do x=$x$x; done'], b''),
    'output limit': (['--output-limit', '1000', '-c', 'seq 10000; seq 1000 >&2'], b''),
    'json': (['--json', '-c', 'date +%N; echo error >&2; cat /etc/shadow | wc; exit 9'], b''),
    'text': (['--text', '--deny-path', '/etc/shadow', '-c', 'date +%N; cat /etc/shadow; seq 10000'], b''),
    'does not parse': (['-c', 'if; then'], b''),
    'deterministic': (['--policy', 'POLICY', '-c', 'date +%s%N; echo $RANDOM; sleep 100; date'], b''),
    'arguments': (['--env', 'A=b', '--cwd', '/tmp', '-c', 'echo "$0" "$@" "$A" "$PWD"', 'name', 'x y', ''], b''),
    'a warning': (['--allowed-paths', 'TREE,/nonexistent/path', '--allow-all-commands', '-c', 'echo hi; date +%N'], b''),
    'mounted ro': (['--mount', 'TREE:/m:ro', '-c', MOUNTED + '; echo x > /m/y'], b''),
    'mounted rw': (['--mount', 'TREE:/m', '-c', CHANGING], b'input\n'),
    'mounted overlay': (['--mount', 'TREE:/m:overlay', '-c', CHANGING + '; ' + MOUNTED], b'input\n'),
    'python': (['--mount', 'TREE:/m:ro', '-c', 'python3 -c "import random, time, os; print(random.random(), time.time(), os.listdir(\'/m\')[:9], hash(\'a\'))"'], b''),
    'js': (['-c', 'js -e "console.log(Math.random(), Date.now())"'], b''),
}


def put_in(args, tmp):
    return [a.replace('TREE', os.path.join(tmp, 'tree')).replace('POLICY', os.path.join(tmp, 'policy')) for a in args]


def cases(tmp, kept):
    log, away = os.path.join(tmp, 'log'), os.path.join(tmp, 'away')
    os.makedirs(away)
    with open(os.path.join(tmp, 'policy'), 'w') as f:
        f.write('{"version": 1, "deterministic": {"seed": 5, "start": 1000}}')
    for name, (args, stdin) in CASES.items():
        where = os.path.join(tmp, 'tree')
        shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where)
        tree(where)
        had = run('--record', log, *put_in(args, tmp), stdin=stdin)
        shutil.rmtree(where)
        check(f'{name}: is recorded', os.path.exists(log), had)
        if not os.path.exists(log):
            continue
        for i in range(2):
            has = run('replay', log, cwd=away)
            check(f'{name}: the same again', has == had, had, has)
        check(f'{name}: nothing is left', not os.listdir(away) and not os.path.exists(where))
        with open(log, 'rb') as f:
            kept[name] = f.read(), had
        os.remove(log)


def signals(tmp):
    log = os.path.join(tmp, 'log')
    for sig, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        had = run('--record', log, '-c', 'printf xy; trap "" INT TERM; while :; do :; done', kill=sig)
        has = run('replay', log)
        check(f'signal {sig}', had[0] == status and has == had and had[1] == b'xy', had, has)


def sessions(tmp):
    log, session = os.path.join(tmp, 'log'), os.path.join(tmp, 'session')
    run('--session', session, '-c', 'x=kept; f() { echo "f $x"; }; echo file > f; cd /tmp')
    had = run('--session', session, '--record', log, '-c', 'f; cat /workspace/f; pwd; x=new; date +%N')
    os.remove(session)
    check('a session', run('replay', log) == had and had[1].startswith(b'f kept\nfile\n/tmp\n'), had)
    check('... is not written by a replay', not os.path.exists(session))


def refusals(tmp):
    log = os.path.join(tmp, 'log')
    for args, text in ((['--changes', '-'], b'to go to files'), (['--diff', '-'], b'to go to files')):
        had = run('--record', log, *args, '-c', ':')
        check(f'refused: {args}', had[0] == 2 and text in had[2], had)
    for args in (['replay'], ['replay', 'a', 'b'], ['replay', '-x']):
        had = run(*args)
        check(f'refused: {args}', had[0] == 2 and b"Try 'nacre replay --help'" in had[2], had)
    check('help', run('replay', '--help')[1].startswith(b'Usage: nacre replay FILE\n'))
    had = run('replay', os.path.join(tmp, 'none'))
    check('no such file', had[0] == 2 and b'No such file or directory' in had[2], had)
    had = run('replay', tmp)
    check('a directory', had[0] == 2 and b'Is a directory' in had[2], had)
    had = run('--record', '/nonexistent/log', '-c', 'echo x; exit 3')
    check('a recording that cannot be written leaves the status', had[:2] == (3, b'x\n') and b'No such file' in had[2], had)
    check('... but for 0', run('--record', '/nonexistent/log', '-c', 'echo x')[0] == 1)
    if os.path.exists(log):
        os.remove(log)
    had = run('--record', log, '--mount', '/dev/null:/m', '-c', ':')
    check('nothing ran, nothing is recorded', had[0] == 2 and not os.path.exists(log), had)
    with open(os.path.join(tmp, 'huge'), 'wb') as f:
        f.truncate(300 << 20)
    had = run('--record', log, '--mount', tmp + ':/m:ro', '-c', 'wc -c < /m/huge; cat /m/huge | wc -c')
    check('a recording has a ceiling', had[0] == 1 and had[1] == b'%d\n%d\n' % (300 << 20, 300 << 20) and b'larger than 268435456 bytes' in had[2] and
          not os.path.exists(log), had)


def checksum(data):
    h, mask = 0x9e3779b97f4a7c15 ^ len(data), (1 << 64) - 1
    for i in range(0, len(data), 8):
        h = ((h ^ int.from_bytes(data[i:i + 8], 'little')) * 0xff51afd7ed558ccd) & mask
        h ^= h >> 32
    return h


def sealed(body):
    return b'NACRELOG' + bytes([1, 0, 0, 0, 0, 0, 0, 0]) + (len(body) + HEAD).to_bytes(8, 'little') + checksum(body).to_bytes(8, 'little') + body


def damage(tmp, kept):
    log = os.path.join(tmp, 'damaged')
    rng = random.Random(7)

    def replay(data):
        with open(log, 'wb') as f:
            f.write(data)
        return run('replay', log)

    for name in ('time', 'both streams', 'mounted overlay'):
        whole, had = kept[name]
        check(f'{name}: the checksum is the one this test knows', sealed(whole[HEAD:]) == whole)
        for i in range(12):
            at = rng.randrange(len(whole))
            bad = replay(whole[:at] + bytes([whole[at] ^ 1 << rng.randrange(8)]) + whole[at + 1:])
            check(f'{name}: a flipped bit is noticed', bad[:2] == (2, b'') and bad[2], at, bad)
            bad = replay(whole[:at])
            check(f'{name}: an end that is missing is noticed', bad[:2] == (2, b'') and bad[2], at, bad)
        other = replay(whole[:8] + b'\2' + whole[9:])
        check(f'{name}: another version', other[0] == 2 and b'of version 2' in other[2], other)
        # Past the checksum: never a crash, never another output with a good ending.
        for i in range(60):
            body = bytearray(whole[HEAD:])
            for _ in range(rng.choice((1, 1, 2, 8))):
                body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
            if rng.random() < 0.2:
                del body[rng.randrange(len(body)):]
            bad = replay(sealed(bytes(body)))
            said = bad[0] in (2, 125) and b'nacre: ' in bad[2]
            check(f'{name}: a log that lies', said or bad[0] == had[0], i, bad)
            if said and bad[0] == 125:
                check(f'{name}: says where', b'does not go as recorded: event ' in bad[2], bad)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        kept = {}
        cases(tmp, kept)
        signals(tmp)
        sessions(tmp)
        refusals(tmp)
        damage(tmp, kept)
    return finish()


if __name__ == '__main__':
    sys.exit(main())
