#!/usr/bin/env python3
"""The nacre program as its user sees it: options, statuses, streams, signals, the prompt.

    run.py BUILD
"""
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

from roundtrip import roundtrips

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import NACRE, check, finish, run_bytes  # noqa: E402


def expect(name, args, status=0, out=None, err=None, **how):
    code, stdout, stderr = run_bytes(*args, **how)
    ok = code == status
    if out is not None:
        ok = ok and stdout == out
    if err is not None:
        ok = ok and (re.search(err, stderr) is not None if err else stderr == b'')
    check(name, ok, code, stdout[-500:], stderr[-500:])


def options():
    expect('CLI-01 -c runs a script', ['-c', 'echo hi'], out=b'hi\n', err=b'')
    expect('CLI-01 --command', ['--command', 'exit 7'], status=7)
    expect('CLI-01 --command=', ['--command=echo x'], out=b'x\n')
    code, out, _ = run_bytes('--version')
    check('CLI-01 --version', code == 0 and re.fullmatch(rb'nacre \d+\.\d+\.\d+\n', out), out)
    code, out, _ = run_bytes('--help')
    check('--help names every option', code == 0 and all(o in out for o in (
        b'--mount', b'--cwd', b'--env', b'--deny-path', b'--timeout', b'--memory', b'--max-procs', b'--output-limit', b'--json')), out)
    expect('a frequent program that is not here', ['-c', 'git status; echo $?; command -v git || echo none'], out=b'127\nnone\n',
           err=rb'^bash: line 1: git: command not found\nnacre: git: there is no version control')
    expect('the files that later stages of a pipeline write are there before the first stage looks',
           ['-c', 'ls | cat >l1; cat l1; ls | { cat; } >>l2; cat l2; find . -type f | sort | cat &>l3; cat l3; echo x | cat | cat >l4; cat l4'],
           out=b'l1\nl1\nl2\n./l1\n./l2\n./l3\nx\n')
    expect('$0 and arguments after -c', ['-c', 'echo "$0|$1|$#"', 'me', 'a b'], out=b'me|a b|1\n')
    expect('script from stdin', [], stdin=b'echo from; echo stdin\n', out=b'from\nstdin\n')
    expect('an empty script', ['-c', ''], out=b'', err=b'')
    expect('stdin reaches the script', ['-c', 'read a; echo "<$a>"; cat'], stdin=b'one\ntwo\n', out=b'<one>\ntwo\n')
    expect('stderr is passed on', ['-c', 'echo oops >&2'], out=b'', err=rb'^oops\n$')
    expect('a missing file', ['/nonexistent/script.sh'], status=127, err=rb'No such file or directory')
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, 's.sh')
        with open(path, 'w') as f:
            f.write('echo "$1-$2"\nexit 3\n')
        expect('a script file with arguments', [path, 'x', 'y'], status=3, out=b'x-y\n')
        expect('CLI-02 a mount is read-write', ['--mount', f'{tmp}:/w', '--cwd', '/w', '-c', 'echo new > n; cat n'], out=b'new\n')
        check('CLI-02 the host sees what was written', open(os.path.join(tmp, 'n')).read() == 'new\n')
        expect('FS-03 :ro refuses writing', ['--mount', f'{tmp}:/w:ro', '-c', 'echo x > /w/n'], status=1, err=rb'Read-only file system')
        check('FS-03 nothing was written', open(os.path.join(tmp, 'n')).read() == 'new\n')
        expect('CLI-03 --deny-path', ['--mount', f'{tmp}:/w:ro', '--deny-path', 'n', '-c', 'ls /w; cat /w/n'], status=1,
               out=b'n\ns.sh\n', err=rb'Permission denied')
        for bad in (tmp, f'{tmp}:', f'{tmp}:rel', ':/x', f'{tmp}:/', f'{tmp}:/a/../b', f'{tmp}:/x:rx', f'{tmp}:/dev'):
            expect(f'CLI-02 bad mount {bad[len(tmp):]!r}', ['--mount', bad, '-c', ':'], status=2, out=b'', err=rb'mount')
        expect('a mount that does not exist', ['--mount', f'{tmp}/none:/x', '-c', ':'], status=2, err=rb"cannot mount '.*none' at /x: No such file")
        expect('the same mount point twice', ['--mount', f'{tmp}:/x', '--mount', f'{tmp}:/x', '-c', ':'], status=2, err=rb'already')
        expect('a file as mount', ['--mount', f'{path}:/x', '-c', ':'], status=2, err=rb'Not a directory')
    expect('--env', ['--env', 'A=b c', '-c', 'echo "$A"; env | grep ^A='], out=b'b c\nA=b c\n')
    expect('bad --env', ['--env', 'A', '-c', ':'], status=2, err=rb'NAME=VALUE')
    expect('--cwd that is not there', ['--cwd', '/none', '-c', ':'], status=2, err=rb"'/none': No such file")
    expect('relative --cwd', ['--cwd', 'x', '-c', ':'], status=2, err=rb'absolute')
    for bad in ('-1s', 'x', '30', '5x', '', '1e3s'):
        expect(f'CLI-04 bad time {bad!r}', ['--timeout', bad, '-c', ':'], status=2, err=rb'500ms, 30s or 1m')
    for good in ('500ms', '30s', '1m', '1m30s', '0', '1.5s'):
        expect(f'CLI-04 time {good}', ['--timeout', good, '-c', 'echo ok'], out=b'ok\n')
    for bad in ('0', '-5', 'many', ''):
        expect(f'CLI-05 bad output limit {bad!r}', ['--output-limit', bad, '-c', ':'], status=2, err=rb'output limit')
    for bad in ('?x', 'a[b]', '', 'a\\b'):
        expect(f'FS-04 bad pattern {bad!r}', ['--deny-path', bad, '-c', ':'], status=2, err=rb'pattern')
    expect('bad --memory', ['--memory', 'lots', '-c', ':'], status=2, err=rb'size')
    expect('unknown long option', ['--nope'], status=2, err=rb"unrecognized option '--nope'")
    expect('unknown short option', ['-x'], status=2, err=rb"invalid option -- 'x'")
    expect('a missing argument', ['--mount'], status=2, err=rb"option '--mount' requires an argument")
    expect('an argument too many', ['--json=1'], status=2, err=rb"doesn't allow an argument")


def order():
    """Both streams in one place of the host: what was written first comes first."""
    script = 'echo a; echo b >&2; echo c; ls /none; printf d; echo e >&2; (echo f; echo g >&2) | cat >&2; exec 2>&-; echo h'
    want = b"a\nb\nc\nls: cannot access '/none': No such file or directory\nde\n"
    pipe = subprocess.run([NACRE, '-c', script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    check('order on a pipe', pipe.startswith(want) and sorted(pipe[len(want):].split()) == [b'f', b'g', b'h'], pipe)
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, 'log')
        for mode in ('wb', 'ab'):
            with open(path, mode) as f:
                subprocess.run([NACRE, '-c', script], stdout=f, stderr=subprocess.STDOUT)
        got = open(path, 'rb').read()
        check('order in a file', got.startswith(want) and got[len(pipe):].startswith(want) and len(got) == 2 * len(pipe), got)
        with open(path, 'wb') as f, open(path + '2', 'wb') as g:
            subprocess.run([NACRE, '-c', 'echo a; echo b >&2'], stdout=f, stderr=g)
        check('two files stay two', (open(path).read(), open(path + '2').read()) == ('a\n', 'b\n'))


KINDS = b"""echo "src=${BASH_SOURCE[0]} 0=$0 flags=$- ex=${BASH_EXECUTION_STRING+set} args=$*"
main() { echo "main from ${FUNCNAME[1]} ${BASH_SOURCE[1]} ${BASH_LINENO[0]}"; caller 0; }
if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main "$@"; fi
nosuch
set -u; (echo $unset); echo "${x?why}"; return 3
echo end
"""


def kinds():
    """The text of a file, of standard input and of -c are told apart by scripts, and by messages, as by bash."""
    with tempfile.TemporaryDirectory() as tmp:
        for name, text in (('main.sh', KINDS), ('wrong.sh', b'if x; fi\n'), ('unfinished.sh', b'{ echo a\n')):
            with open(os.path.join(tmp, name), 'wb') as f:
                f.write(text)
            for args, stdin in (([name, 'a', 'b c'], b''), ([], text)):
                got, want = run_bytes(*args, stdin=stdin, cwd=tmp), run_bytes(*args, stdin=stdin, cwd=tmp, program='bash')
                check(f'{name} as {"a file" if args else "standard input"}', got == want, got, want)
        record = os.path.join(tmp, 'r')
        got = run_bytes('--record', record, 'main.sh', 'x', cwd=tmp)
        check('a file, recorded and replayed', run_bytes('replay', record) == got and b'main from main main.sh 3' in got[1], got)


def outcomes():
    expect('CLI-09 timed out', ['--timeout', '300ms', '-c', 'echo a; while :; do :; done'], status=124, out=b'a\n', err=rb'timed out after 0.3s')
    expect('OUT-06 not found', ['-c', 'nosuch'], status=127, err=rb'nosuch: command not found')
    expect('a script that does not parse runs nothing', ['-c', 'echo a\nif true; then'], status=2, out=b'', err=rb'syntax error')
    expect('output limit', ['--output-limit', '10', '-c', 'yes | head -n 100'], out=b'y\n' * 5, err=rb'190 bytes dropped')
    expect('without a limit everything is passed on', ['-c', 'yes | head -c 9000000 | cat'], out=b'y\n' * 4500000)
    expect('OUT-10 statuses are mod 256', ['-c', 'exit 300'], status=44)


def as_json():
    def j(*args, **how):
        code, out, err = run_bytes('--json', *args, **how)
        try:
            return code, json.loads(out), err
        except ValueError:
            check('--json prints JSON', False, out, err)
            return code, {}, err
    code, r, err = j('-c', 'echo out; echo err >&2; exit 5')
    check('OUT-01 --json', (code, r.get('outcome'), r.get('exit_code'), r.get('stdout'), r.get('stderr'), r.get('truncated'), err) ==
          (5, 'completed', 5, 'out\n', 'err\n', False, b''), r)
    for script, outcome, status in (('nosuch 2>/dev/null', 'command not found', 127), ('nosuch || exit 127', 'completed', 127),
                                    ('echo "x: command not found"; exit 127', 'completed', 127), ('exit 300', 'completed', 44),
                                    ('((', 'invalid request', 2), ('false', 'completed', 1), ('nosuch; true', 'completed', 0)):
        code, r, _ = j('-c', script)
        check(f'OUT-02 OUT-06 OUT-07 OUT-12 {script}', (code, r.get('outcome'), r.get('exit_code')) == (status, outcome, status), r)
    _, r, _ = j('-c', 'echo "a\nb')
    check('an invalid script tells line and column', re.search(r'line \d+, column \d+', r.get('error', '')), r)
    code, r, _ = j('--timeout', '200ms', '-c', "trap 'exit 3' TERM INT; echo kept; sleep 9")
    check('OUT-08 timed out whatever was trapped', (code, r.get('outcome'), r.get('stdout')) == (124, 'timed out', 'kept\n'), r)
    _, r, _ = j('--output-limit', '100', '-c', 'yes | head -n 1000')
    check('OUT-05 truncated and completed', (r.get('outcome'), r.get('truncated'), r.get('stdout_dropped'), len(r.get('stdout', ''))) ==
          ('completed', True, 1900, 100), r)
    _, r, _ = j('--deny-path', '/etc/passwd', '-c', 'cat /etc/passwd')
    d = (r.get('denials') or [{}])[0]
    check('OUT-09 a denial is the command\'s failure, and an event', (r.get('outcome'), r.get('exit_code'), d.get('path'), d.get('command'),
          d.get('rule')) == ('completed', 1, '/etc/passwd', 'cat', '/etc/passwd'), r)
    _, r, _ = j('-c', "printf '\\377\\0x'")
    check('bytes that are not UTF-8', r.get('stdout_base64') == '/wB4', r)
    _, r, _ = j('--memory', '20M', '-c', 'x=$(yes | head -c 60000000); echo no')
    check('LIM memory', r.get('outcome') == 'limit exceeded' and r.get('reason') == 'memory' and r.get('exit_code') == 137, r)
    check('OUT-03 a limit is no error, but has a message', r.get('error') == '' and 'memory' in r.get('message', ''), r)
    check('metrics', r.get('metrics', {}).get('wall_ns', 0) > 0 and r['metrics']['commands'] >= 2, r)


def signals():
    for sig, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        p = subprocess.Popen([NACRE, '-c', 'echo ready; sleep 30'], stdout=subprocess.PIPE)
        p.stdout.readline()
        p.send_signal(sig)
        p.wait(10)
        check(f'CLI-07 {sig.name}', p.returncode == status, p.returncode)
        p.stdout.close()
    p = subprocess.Popen([NACRE, '-c', 'for i in 1 2 3; do echo $i; sleep 0.2; done'], stdout=subprocess.PIPE)
    first = time.time()
    p.stdout.readline()
    early = time.time() - first
    p.communicate()
    check('output is passed on as it is produced', early < 0.35 or p.returncode == 0, early)
    p = subprocess.Popen([NACRE, '-c', 'yes'], stdout=subprocess.PIPE)
    p.stdout.read(10)
    p.stdout.close()
    check('a closed pipe ends it', p.wait(10) is not None)


def prompt():
    """CLI-06: a conversation on a terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ['TERM'] = 'dumb'
        os.execv(NACRE, [NACRE, '--output-limit', '20'])
    seen = b''

    def until(pattern, seconds=15):
        nonlocal seen
        end = time.time() + seconds
        while time.time() < end:
            if re.search(pattern, seen):
                return True
            r, _, _ = select.select([fd], [], [], 0.1)
            if r:
                try:
                    seen += os.read(fd, 4096)
                except OSError:
                    break
        return re.search(pattern, seen) is not None

    def say(text, pattern, name):
        nonlocal seen
        seen = b''
        os.write(fd, text)
        check(name, until(pattern), seen)

    check('CLI-06 banner and prompt', until(rb'(?s)nacre \d.*nacre\$ '), seen)
    say(b'x=5; echo $((x+1))\n', rb'\n6\r?\n.*nacre\$ ', 'CLI-06 a line runs')
    say(b'echo $x\n', rb'\n5\r?\n', 'CLI-06 the session keeps variables')
    say(b'false\n', rb'\(exit code 1\)', 'CLI-06 a status is shown')
    say(b'if true; then\n', rb'> ', 'CLI-06 an unfinished line is continued')
    say(b'echo yes; fi\n', rb'\nyes\r?\n', 'CLI-06 and runs when finished')
    say(b'yes | head -n 50\n', rb'truncated: 80 bytes dropped \(see --output-limit\)', 'CLI-05 truncation is told')
    seen = b''
    os.write(fd, b'echo sl; sleep 60\n')
    check('CLI-06 output is shown while the line runs', until(rb'\nsl\r?\n'), seen)
    os.kill(pid, signal.SIGINT)
    check('CLI-07 SIGINT stops the script, the prompt survives', until(rb'130\)[^$]*nacre\$ '), seen)
    say(b'echo alive\n', rb'\nalive\r?\n', 'CLI-07 and goes on')
    os.write(fd, b'exit 4\n')
    until(rb'$^', 1)
    _, status = os.waitpid(pid, 0)
    check('CLI-06 exit leaves with its status', os.waitstatus_to_exitcode(status) == 4, status)
    os.close(fd)


def hostile():
    expect('100,000 parentheses', [], stdin=b'(' * 100000, status=2, err=rb'.')
    code, out, _ = run_bytes(stdin=b'echo ' + b'x' * (10 << 20) + b'\n')
    check('a line of 10 MiB', code == 0 and len(out) == (10 << 20) + 1, code, len(out))
    expect('NUL bytes in a script are dropped', [], stdin=b'ec\0ho a\0b\n', out=b'ab\n')
    expect('invalid UTF-8 passes', [], stdin=b'echo \xff\xfe | od -An -tx1 || echo "\xff"\n')
    code, out, _ = run_bytes(stdin=b"printf '%s' '\xff\xc3'")
    check('invalid UTF-8 is kept', out == b'\xff\xc3', out)
    code, out, err = run_bytes(stdin=b'$((' * 20000)
    check('nested arithmetic', code == 2 and out == b'', code, err[-200:])
    code, out, err = run_bytes(stdin=b'f(){ f; }; f')
    check('endless recursion ends with a message', code not in (0, -11, -6) and err, code, err[-200:])


def archives():
    roundtrips(NACRE, check)


def not_root():
    """What GNU prints to whoever is not root, which the recordings would want to be made by."""
    tree = 'mkdir -p a/s b/s a/t; echo 1 > a/f; echo 2 > b/f; '
    told = 'diff -r a/f b/f\n1c1\n< 1\n---\n> 2\nOnly in a: t\n'.encode()
    for name in 'a/s', 'b/s':
        expect(f'diff -r: {name} may not be read', ['-c', f'{tree}chmod 000 {name}; diff -r a b'], 2, told, f'^diff: {name}: Permission denied\n$'.encode())


def main():
    for part in (options, order, kinds, outcomes, as_json, signals, prompt, hostile, archives, not_root):
        part()
    return finish()


sys.exit(main())
