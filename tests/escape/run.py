#!/usr/bin/env python3
"""Things that must fail: what a script tries to reach outside, and what a bomb must not do.

    run.py BUILD
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from archives import hostile
from depth import deep
from programs import sweep
from races import extremes, races

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import NACRE, check, finish, run  # noqa: E402


def system_calls():
    """SEC-01: no fork, exec, thread, socket, whatever the script does."""
    if not shutil.which('strace'):
        check('strace is there', False)
        return
    with tempfile.TemporaryDirectory() as tmp:
        trace, tmp = os.path.join(tmp, 'trace'), os.path.join(tmp, 'mounted')
        os.mkdir(tmp)
        with open(os.path.join(tmp, 'f'), 'w') as f:
            f.write('b\na\nb\n')
        script = ('cat f | grep -v zzz | sort | uniq -c | sort -rn | head -n 1; (echo sub) & wait; x=$(ls); for i in 1 2; do echo $i; done | cat; '
                  'diff <(echo a) <(echo b) >/dev/null; find . -type f -exec cat {} +; echo a | xargs -n1 echo; bash -c "echo inner"; sleep 0.01; '
                  'python3 -c 1; curl http://127.0.0.1/; ssh x; kill -9 1; exec ls')
        r = subprocess.run(['strace', '-f', '-o', trace, NACRE, '--mount', f'{tmp}:/w', '--cwd', '/w', '-c', script],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        with open(trace) as f:
            text = f.read()
        calls = re.findall(r'^\d+ +(\w+)\(', text, re.M)
        bad = [c for c in calls if c in ('fork', 'vfork', 'clone', 'clone3', 'socket', 'connect', 'bind', 'ptrace', 'mount', 'setns', 'unshare',
                                         'kill', 'tkill', 'tgkill', 'openat2_') or c == 'execve']
        check('SEC-01 the only execve is nacre itself', bad == ['execve'], bad)
        check('SEC-01 one process, one thread', len(set(re.findall(r'^(\d+) ', text, re.M))) == 1)
        check('the script ran', b'2 b' in r.stdout and b'inner' in r.stdout, r.stdout, r.stderr)
        opened = re.findall(r'openat\((?:AT_FDCWD|\d+), "([^"]+)"', text)
        outside = [p for p in opened if not p.startswith(('/lib', '/usr/lib', '/etc/ld.so', '/proc/self', tmp)) and p.startswith('/')]
        check('no host path was opened but the mount', not outside, outside)
        beneath = re.findall(r'openat2\(.*', text)
        check('the mount is reached by openat2 beneath it', beneath and all('RESOLVE_BENEATH' in c for c in beneath), beneath[:3])


def outside():
    with tempfile.TemporaryDirectory() as tmp:
        root, secret = os.path.join(tmp, 'root'), os.path.join(tmp, 'secret')
        os.mkdir(root)
        with open(secret, 'w') as f:
            f.write('TOPSECRET\n')
        os.symlink(secret, os.path.join(root, 'abs'))
        os.symlink('../secret', os.path.join(root, 'rel'))
        os.symlink('..', os.path.join(root, 'up'))
        os.symlink('/proc/self/root', os.path.join(root, 'proc'))
        os.mkfifo(os.path.join(root, 'fifo'))
        s = socket.socket(socket.AF_UNIX)
        s.bind(os.path.join(root, 'sock'))
        tries = ['cat abs', 'cat rel', 'cat up/secret', 'cat ../secret', 'cat /w/../secret', f'cat {secret}', 'cat proc/etc/hostname',
                 'cat proc/../secret', 'cd up && cat secret', 'ln -s ../secret l && cat l', f'ln {secret} h', 'ln rel h2 && cat h2',
                 'cp rel c', 'mv rel ../x', 'find -L . -name secret -exec cat {} +', 'grep -r TOP -R .', 'ls up/', 'tac rel',
                 'bash rel', 'source rel', 'exec 3< rel', 'echo x > rel', 'echo x > ../new', 'mkdir ../d', 'rm ../secret', 'touch ../t',
                 'sed -i s/T/t/ rel', 'sort rel -o rel', 'dd if=rel', 'cat fifo', 'echo x > fifo', 'cat sock', 'chmod 777 ../secret',
                 'read x < rel; echo $x', 'mapfile a < rel; echo ${a[@]}', 'cat < /proc/1/environ', 'cat /etc/shadow', 'cat /dev/mem', 'cat /dev/sda',
                 'echo < /dev/tcp/127.0.0.1/22', 'cat /proc/self/maps', 'cat "$(printf "..\\057secret")"', 'cat ./././../secret',
                 'tee ../new <<< x', 'truncate -s 0 rel', 'touch -r rel -- n; stat -c %Y n', 'stat -L rel', '[ -e rel ] && echo TOPSECRET',
                 'cp -r up copy', 'tar cf - up', 'xargs -a rel echo', 'head -c 5 rel', 'wc rel', 'od -c rel', 'realpath -e rel && cat rel']
        for script in tries:
            code, out, err = run('--mount', f'{root}:/w', '--cwd', '/w', '--timeout', '5s', '-c', script)
            check(f'FS-02 {script}', 'TOPSECRET' not in out + err and open(secret).read() == 'TOPSECRET\n' and
                  not [n for n in os.listdir(tmp) if n not in ('root', 'secret')], code, out, err)
            check(f'{script}: ended by itself', code != 124, code, err)
        s.close()
        code, out, err = run('--mount', f'{root}:/w:ro', '--cwd', '/w', '-c', 'echo x > n; mkdir d; rm abs; mv abs b; touch abs; chmod 0 fifo; ln -s a b')
        check('FS-03 a read-only mount', sorted(os.listdir(root)) == sorted(os.listdir(root)) and 'n' not in os.listdir(root) and
              err.count('Read-only file system') >= 5, err)


def denied():
    with tempfile.TemporaryDirectory() as tmp:
        os.makedirs(os.path.join(tmp, 'a', 'secrets', 'deep'))
        for name in ('a/secrets/key', 'a/secrets/deep/k', 'a/.env', 'a/ok'):
            with open(os.path.join(tmp, name), 'w') as f:
                f.write('TOPSECRET\n' if name != 'a/ok' else 'fine\n')
        os.symlink('secrets/key', os.path.join(tmp, 'a', 'link'))
        args = ['--mount', f'{tmp}:/w', '--cwd', '/w/a', '--deny-path', 'secrets', '--deny-path', '/w/**/.env']
        for script in ('cat secrets/key', 'cat link', 'cat .env', 'cat ./secrets/../secrets/key', 'cd secrets && cat key', 'cat secrets/deep/k',
                       'mv secrets s2; cat s2/key', 'mv ../a ../b; cat ../b/secrets/key', 'ln secrets/key h; cat h', 'ln -s secrets s; cat s/key',
                       'cp -r secrets c; cat c/key', 'rm -rf secrets', 'grep -r TOP .', 'find . -type f -exec cat {} +', 'mv .env e; cat e',
                       'echo x > .env', 'echo x > secrets/new', 'mkdir secrets/d', 'tar cf - . | cat', 'cat < .env', 'sed -i s/T/t/ .env',
                       'cp ok .env', 'ln -f ok .env', 'mv ok .env', 'cat sec*/k*', 'for f in secrets/*; do cat "$f"; done', 'tac .env', 'sort .env',
                       'head .env', 'bash .env', 'source ./.env', 'while read l; do echo $l; done < .env', 'echo "$(<.env)"', 'mapfile x < .env; echo $x'):
            code, out, err = run(*args, '-c', script)
            intact = all(os.path.exists(os.path.join(tmp, n)) and open(os.path.join(tmp, n)).read() == 'TOPSECRET\n'
                         for n in ('a/secrets/key', 'a/secrets/deep/k', 'a/.env'))
            check(f'FS-04 FS-05 {script}', 'TOPSECRET' not in out + err and intact, code, out, err)
        code, out, _ = run(*args, '-c', 'ls -a; cat ok')
        check('FS-04 a denied name is still listed', 'secrets' in out and '.env' in out and 'fine' in out, out)


def peak_kib(pid):
    """The process's own high-water mark (what wait4 tells counts the time before exec, too)."""
    try:
        with open(f'/proc/{pid}/status') as f:
            return int(re.search(r'VmHWM:\s+(\d+)', f.read()).group(1))
    except (OSError, AttributeError):
        return 0


def bombs():
    """LIM: each ends with the right outcome soon after its limit, in bounded memory."""
    memory, slack = 64, 32
    for name, script, statuses in (
            ('busy loop', 'while :; do :; done', (124,)),
            ('pipe', 'yes | tr a b > /dev/null', (124,)),
            ('sort of endless input', 'sort /dev/zero > /dev/null', (124, 137, 2)),
            ('endless capture', 'x=$(yes)', (124, 137, 1)),
            ('recursion', 'f() { f; }; f', (124, 137, 1, 2)),
            ('fork bomb', 'f(){ f|f& }; f', (0, 124, 254, 1)),
            ('fork bomb, waited for', ':(){ :|:; }; :', (0, 124, 254, 1, 137)),
            ('growing variable', 'x=a; while :; do x=$x$x; done', (124, 137, 1)),
            ('growing array', 'while :; do a+=(xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx); done', (124, 137, 1)),
            ('growing file', 'while :; do cat f f >> g 2>/dev/null; mv g f; done < /dev/null; yes > f', (124, 137, 1)),
            ('file of everything', 'yes > f', (124, 1)),
            ('many files', 'i=0; while :; do : > f$((i++)); done', (124, 1, 137)),
            ('many background jobs', 'while :; do sleep 9 & done', (124, 254, 1)),
            ('brace bomb', 'echo {1..99999}{1..99999}', (1, 124, 137)),
            ('glob bomb', 'set -f; x=$(printf "*%.0s" {1..3000}); [[ $(printf "a%.0s" {1..3000}) == $x"b" ]]', (0, 1, 124)),
            ('arithmetic bomb', 'a=b b=a; echo $((a))', (1,)),
            ('regex bomb', 'x=$(printf "a%.0s" {1..2000}); [[ $x =~ (a*)*b ]]', (0, 1, 124)),
            ('printf width', "printf '%999999999d' 1 > /dev/null", (0, 1, 124, 137)),
            ('read forever', 'read -r x < /dev/zero', (0, 1, 124, 137)),
            ('here-document', 'while :; do cat <<< "$(yes | head -c 1000000)" > /dev/null; done', (124,)),
            ('sleep', 'sleep 1000', (124,)),
            ('trap', "trap 'while :; do :; done' EXIT; exit 0", (124,)),
            ('eval', 'x="eval \\$x"; eval "$x"', (124, 1, 2, 137)),
            ('source itself', 'echo ". ./s" > s; . ./s', (124, 1, 2, 137)),
            ('grep of zero', 'grep -c x /dev/zero', (124, 137, 2)),
            ('tail of zero', 'tail -n 1 /dev/zero', (124, 137, 1)),
    ):
        # A file, not a pipe: nothing reads while it runs, and a full pipe would stall the run in write(2).
        errors = tempfile.TemporaryFile()
        p = subprocess.Popen([NACRE, '--memory', f'{memory}M', '--max-procs', '200', '--timeout', '1s', '-c', script], stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=errors)
        start = time.time()
        peak = 0
        while p.poll() is None:
            peak = max(peak, peak_kib(p.pid))
            time.sleep(0.02)
        errors.seek(0)
        err = errors.read()
        errors.close()
        code = p.returncode
        took = time.time() - start
        check(f'LIM {name}: outcome', code in statuses, code, err.decode('utf-8', 'replace')[-300:])
        # Generous: the machine may be busy. The bound itself (200 ms) is measured by make bench.
        check(f'LIM {name}: ends soon', took < 4, took)
        if '-asan' not in NACRE:
            check(f'LIM {name}: memory', peak < (memory + slack) * 1024, peak)

    for fd in (1, 2):
        # A reader that never reads cannot hold the run, nor the closing message, past the deadline.
        p = subprocess.Popen([NACRE, '--timeout', '1s', '-c', f'while :; do echo xxxxxxxxxxxxxxxx >&{fd}; done'], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            code = p.wait(timeout=20)
        except subprocess.TimeoutExpired:
            p.kill()
            code = p.wait()
        p.stdout.close()
        p.stderr.close()
        check(f'LIM stalled reader of {fd}: ends', code == 124, code)


def archives():
    hostile(run, check)


def programs():
    sweep(NACRE, run, check)


def nesting():
    deep(NACRE, check)


def raced():
    races(run, check)


def extreme():
    extremes(run, check)


def main():
    for part in (system_calls, outside, denied, bombs, archives, programs, nesting, raced, extreme):
        part()
    return finish()


sys.exit(main())
