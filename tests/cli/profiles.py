#!/usr/bin/env python3
"""Profiles: what each takes away, refused before anything runs.

    profiles.py BUILD
"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import NACRE, check, finish, run, run_program  # noqa: E402
tmp = None


def restricted(script, *more, mode='read-only', commands='--allow-all-commands', **how):
    return run('--mode', mode, commands, '-p', f'{tmp}/ro,{tmp}/rw:rw', *more, '-c', script, **how)


def gives(name, script, out, status=0, err='', **how):
    code, stdout, stderr = restricted(script, **how)
    check(name, (code, stdout) == (status, out) and (err in stderr if err else stderr == ''), code, stdout[-500:], stderr[-500:])


# SH-06: the construct, and the byte it begins at.
SUBSET = (('echo *.c', 5, 'filename patterns'), ('echo a?', 6, 'filename patterns'), ('echo [ab]', 5, 'filename patterns'), ('echo $(ls)', 5, 'command substitution'),
          ('echo `ls`', 5, 'backquote substitution'), ('cat <<E\nx\nE', 4, 'here-documents'), ('ls &', 3, 'running in the background'), ('echo a; (ls)', 8, 'subshells'),
          ('{ ls; }', 0, 'command groups'), ('cd ~', 3, 'tilde expansion'), ('echo $1', 5, 'positional parameters'), ('echo "a$$"', 7, 'special parameters'),
          ('echo $_', 5, 'special parameters'), ('echo ${5}', 5, 'positional parameters'), ("echo $'a'", 5, "$'...' quoting"), ('echo $"a"', 5, '$"..." quoting'),
          ('x+=1', 0, 'appending assignment'), ('! ls', 0, '!'), ('echo a\necho b && echo *', 22, 'filename patterns'), ('echo $((1))', 5, 'arithmetic expansion'),
          ('echo {a,b}', 5, 'brace expansion'), ('if ls; then ls; fi', 0, 'if'), ('f() { ls; }', 0, 'functions'), ('ls | while read x; do ls; done', 5, 'loops'))


def subset():
    for script, byte, what in SUBSET:
        code, out, err = run('--profile', 'strict-subset', '-c', 'echo ran\n' + script)
        ok = code == 2 and out == '' and f'{what} ' in err and f'not supported (byte {byte + 9})' in err
        check(f'SH-06 {script!r}', ok, code, out, err)
    code, out, _ = run('--profile', 'strict-subset', '--json', '-c', "echo a 'b\nc")
    check('SH-06 an unterminated quote tells where it was opened', code == 2 and ', byte 7: ' in json.loads(out)['error'], out)
    for script, want in (('x=1; y="$x ${x}"; echo $y | tr 1 2 && false || echo $?', '2 2\n1\n'), ("A=b env | grep ^A; echo 'a*' \"b?\" c\\*", 'A=b\na* b? c*\n'),
                         ('ls /none > f 2>&1; wc -l < f; ls /none 2>> f; export Z=1; unset Z; cat f | head -n 1 > g', '1\n')):
        code, out, err = run('--profile', 'strict-subset', '-c', script)
        check(f'SH-06 still runs: {script}', code in (0, 2) and out == want, code, out, err)
    code, out, _ = run('--profile', 'strict-subset', '-c', "eval 'echo *'; echo $?; bash -c 'echo $(ls)'; echo $?; alias q='echo *'; . /dev/stdin", )
    check('SH-06 also in text that comes later', out == '2\n2\n', out)


def accepted():
    """SH-07."""
    for script, out in (('V=a; echo "$V" ${V} $?', 'a a 0\n'), ('X=1 env | grep ^X', 'X=1\n'), ('echo "$(printf "a\\n\\n")" `echo b`', 'a b\n'), ('echo "$(<f)"', 'in ro\n'),
                        ('for i in a b; do echo $i; done', 'a\nb\n'), ('if false; then echo a; elif true; then echo b; else echo c; fi', 'b\n'),
                        ('true && echo a || echo b; ! false; echo $?', 'a\n0\n'), ('{ echo a; }; (cd ..; V=x); echo $V-', 'a\n-\n'), ('cat < f | cat', 'in ro\n'),
                        ('cat <<E\na $V\nE\ncat <<-E\n\tb\n\tE', 'a \nb\n'), ('echo a >/dev/null; ls none 2>/dev/null; echo b &>/dev/null; echo c >>/dev/null', ''),
                        ('echo a 2>&1; echo b >&2', 'a\n'), ('echo f* ?  [a-z] [!a]', 'f fifo f f f\n'), ("echo 'a' \"b\" c\\ d \\\n e # no", 'a b c d e\n'),
                        ('i=a; while test $i = a; do i=b; echo $i; done; until test $i = b; do :; done', 'b\n')):
        code, got, err = restricted(script)
        check(f'SH-07 {script!r}', code in (0, 1, 2) and got == out and 'not supported' not in err, code, got, err)


REFUSED = ('echo $((1))', '((x++))', 'a=(1)', 'a[0]=1', 'echo ${a[0]}', 'x+=1', 'echo ${#v}', 'echo ${v:-a}', 'echo ${v:=a}', 'echo ${v:?a}', 'echo ${v:+a}', 'echo ${v:1}',
           'echo ${v/a/b}', 'echo ${v#a}', 'echo ${v%a}', 'echo ${!v}', 'echo ${!v*}', 'echo ${v^^}', 'echo ${v,,}', 'echo $1', 'echo "$9"', 'echo $@', 'echo "$*"', 'echo $#', 'echo $0',
           'echo $!', 'echo $LINENO', 'case a in a) ;; esac', 'select x in a; do :; done', 'for ((;;)); do :; done', 'for x; do :; done', 'f() { :; }', 'function f { :; }', 'ls |& cat', 'cat <<< x', 'cat <> f',
           'cat <&3', 'echo a >&3', 'echo a 3>&1', 'echo @(a)', 'echo ~', 'ls ~root', 'cat <(ls)', 'tee >(cat)', 'ls &', 'coproc ls', 'time ls', '[[ a ]]', 'declare x', 'export x', 'local x', 'readonly x',
           'let x=1', 'typeset x', 'echo $$', 'echo $-', 'echo "${v:-$(ls)}"', 'echo $(echo $((1)))', 'cat <<E\n$((1))\nE', '(ls &)', 'if ls; then ls & fi', 'echo a >| f', 'echo {a,b}')


def refused():
    """SH-08: before anything runs."""
    for script in REFUSED:
        code, out, err = restricted('echo ran; ' + script)
        check(f'SH-08 {script!r}', code == 2 and out == '' and ('is not supported' in err or 'are not supported' in err), code, out, err)


def redirections():
    """SH-09, FS-06, FS-07."""
    for op in ('>', '>>', '2>', '&>', '&>>'):
        code, out, err = restricted(f'echo ran; echo x {op} {tmp}/rw/new')
        check(f'SH-09 read-only {op}', code == 2 and out == '' and 'redirection to a file is not supported' in err, code, out, err)
        code, out, err = restricted(f'echo x {op} {tmp}/rw/new; cat {tmp}/rw/new >/dev/null; echo $?; echo x {op} {tmp}/ro/new; echo $?; echo x {op} /elsewhere; echo $?', mode='remediation')
        lines = [s for s in out.split('\n') if s != 'x']
        check(f'SH-09 remediation {op}', lines == ['0', '1', '1', ''] and err.count('ermission denied') == 2 and os.path.exists(f'{tmp}/rw/new') and not os.path.exists(f'{tmp}/ro/new'), code, out, err)
        os.unlink(f'{tmp}/rw/new')
    gives('SH-09 a target known only later', f'f={tmp}/rw/late; echo x > $f; echo $?', '1\n', err='Permission denied')
    for mode in ('read-only', 'remediation'):
        gives(f'SH-09 <> {mode}', 'cat <> f', '', 2, 'not supported', mode=mode)
        gives(f'SH-09 /dev/null {mode}', 'echo x > /dev/null; d=/dev/null; echo y > $d; echo $?', '0\n', mode=mode)
    gives('FS-06 nothing else is there', 'cat /etc/passwd; ls / /tmp /workspace; cd /; cat f', 'in ro\n', err='Permission denied')
    gives('FS-06 read-only is the default', f'touch {tmp}/ro/x; rm {tmp}/ro/f; cat f', 'in ro\n', err='Permission denied', mode='remediation')
    code, out, err = run('--profile', 'remediation', '--allow-all-commands', '-p', f'{tmp}/rw:rw,{tmp}/rw/sub:ro', '-c', f'echo a > {tmp}/rw/a; echo b > {tmp}/rw/sub/b; mv {tmp}/rw/sub {tmp}/rw/moved; cat {tmp}/rw/a')
    check('FS-06 the most specific root counts', out == 'a\n' and err.count('denied') + err.count('busy') == 2 and os.listdir(f'{tmp}/rw/sub') == [], out, err)
    os.unlink(f'{tmp}/rw/a')
    code, out, err = restricted(f'cat {tmp}/rw/link; for t in link hard dir/x; do echo x > {tmp}/rw/$t; done; touch {tmp}/rw/link; chmod 777 {tmp}/rw/hard; truncate -s0 {tmp}/rw/hard; mkdir {tmp}/rw/dir/d; '
                                f'cat {tmp}/rw/hard', '--json', mode='remediation')
    r = json.loads(out)
    check('FS-07 reading follows links, writing does not', r['stdout'] == 'in ro\nhard\n' and {d['rule_id'] for d in r['denials']} == {'links', 'allowed_paths'} and
          'symlinks are not supported as write targets' in {d['rule'] for d in r['denials']}, r)
    gives('FS-07 rm takes one name away', f'rm {tmp}/rw/hard2; cat {tmp}/rw/hard; echo x > {tmp}/rw/hard; cat {tmp}/rw/hard', 'hard\nx\n', mode='remediation')
    gives('FS-07 at most 10 links', f'cat {tmp}/rw/l10; cat {tmp}/rw/l11', 'in ro\n', 1, 'Too many levels')
    code, out, err = run('--profile', 'restricted', '--allow-all-commands', '-p', f'{tmp}/ro,{tmp}/none,{tmp}/ro/f', '-c', 'cat f')
    check('API-09 FS-06 what is not there is skipped with a warning', code == 0 and out == 'in ro\n' and
          err == f"nacre: warning: skipping '{tmp}/none': No such file or directory\nnacre: warning: skipping '{tmp}/ro/f': Not a directory\n", code, out, err)
    closed = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search', '--inh-caps', '-dac_override,-dac_read_search'] if os.getuid() == 0 else []
    os.mkdir(f'{tmp}/closed')
    if closed:
        os.chown(f'{tmp}/closed', 65534, 65534)
    os.chmod(f'{tmp}/closed', 0o700 if closed else 0)
    code, out, err = run_program([*closed, NACRE, '--profile', 'restricted', '--allow-all-commands', '-p', f'{tmp}/ro,{tmp}/closed', '-c', 'cat f; cat f'])
    check('API-09 where nobody may look is skipped with a warning, told once', code == 0 and out == 'in ro\nin ro\n' and
          err == f"nacre: warning: skipping '{tmp}/closed': Permission denied\n", code, out, err)
    os.chmod(f'{tmp}/closed', 0o700)
    code, out, err = restricted(f'cat {tmp}/ro/fifo; echo a; cat < {tmp}/ro/fifo; echo b; grep x {tmp}/ro/fifo; echo c', '--timeout', '10s')
    check('FS-08 a FIFO of the host hangs nobody', code == 0 and out == 'a\nb\nc\n', code, out, err)


def environment():
    """SH-10."""
    code, out, err = restricted('env; echo "[$IFS]"', '--env', 'GIVEN=1', env={**os.environ, 'LEAK': '1'})
    check('SH-10 the environment', sorted(out.split('\n')[:2]) == [f'ALLOWED_PATHS={tmp}/ro:{tmp}/rw', 'GIVEN=1'] and out.endswith('[ \t\n]\n') and out.count('\n') == 4, out, err)


def clock():
    """SH-11: the time is captured once a run."""
    code, out, err = restricted(f'date +%s%N; sleep 0.01; date +%s%N; cp f {tmp}/rw/t; find {tmp}/rw/t -mmin -1 | wc -l; ls -l {tmp}/rw/t | cut -c1; rm {tmp}/rw/t', mode='remediation')
    lines = out.split('\n')
    check('SH-11 one time', len(lines) > 3 and lines[0] == lines[1] and lines[2:4] == ['1', '-'], out, err)


def options():
    """CLI-08, EXT-09."""
    for bad, why in (('cat', 'rshell:NAME'), ('', 'rshell:NAME'), ('rshell:', 'not a command'), ('rshell:a:b', 'not a command'), ('other:cat', 'namespace')):
        code, out, err = run('--allowed-commands', bad, '-c', 'echo ran')
        check(f'EXT-09 {bad!r}', code == 2 and out == '' and why in err, code, out, err)
    gives('CLI-08 listed commands', 'cat f; wc f; echo a; false', 'in ro\n', 127, ' false: command not allowed', commands='--allowed-commands=rshell:cat')
    code, out, err = run('--profile', 'restricted', '-c', 'echo a')
    check('CLI-08 nothing is allowed by default', code == 127 and out == '' and 'echo: command not allowed' in err, code, out, err)
    code, out, err = restricted('find . -exec wc {} +; echo f | xargs wc; eval ls; . f; exec wc; cd /; trap ls EXIT; set -x; builtin echo a; command wc; exit 3', commands='--allowed-commands=rshell:find,rshell:xargs')
    check('EXT-08 find and xargs start only what is listed', code == 3 and out == '', code, out, err)
    for mode in ('other', ''):
        code, out, err = run('--mode', mode, '-c', ':')
        check('CLI-08 an unknown mode', code == 2 and 'read-only or remediation' in err, err)
    code, out, err = run('--proc-path', '/proc', '-c', ':')
    check('CLI-08 --proc-path is refused with the reason', code == 2 and 'own processes' in err, err)
    code, out, err = run('--profile', 'none', '-c', ':')
    check('an unknown profile', code == 2 and "there is no profile 'none'" in err, err)
    code, out, err = restricted('help; help array; help cat', commands='--allowed-commands=rshell:cat')
    check('help says what there is', code == 0 and 'Commands:\n  cat\n' in out and f'Allowed paths: {tmp}/ro:{tmp}/rw' in out and 'arrays are not supported' in out and 'cat --help' in out, out, err)
    policy = os.path.join(tmp, 'p.json')
    with open(policy, 'w') as f:
        json.dump({'env': {'A': '1'}, 'profile': 'remediation', 'commands': ['cat'], 'allowed_paths': [f'{tmp}/ro', f'{tmp}/rw:rw'], 'refuse_syntax': ['loop']}, f)
    code, out, err = run('--policy', policy, '-c', 'echo $A; cat f; cat f > ../rw/g; cat ../rw/g')
    check('a profile in a policy', code == 0 and out == 'in ro\nin ro\n' and 'echo: command not allowed' in err, code, out, err)
    code, out, err = run('--policy', policy, '-c', 'for i in a; do cat f; done')
    check('a construct refused by a policy', code == 2 and 'loops are not supported' in err, code, out, err)
    with open(policy, 'w') as f:
        json.dump({'refuse_syntax': ['nosuch']}, f)
    code, out, err = run('--policy', policy, '-c', ':')
    check('an unknown construct', code == 2 and "refuse_syntax[0]: there is no construct called 'nosuch'" in err, err)


def make_tree():
    for d in ('ro', 'rw', 'rw/sub', 'outer'):
        os.mkdir(os.path.join(tmp, d))
    with open(f'{tmp}/ro/f', 'w') as f:
        f.write('in ro\n')
    with open(f'{tmp}/rw/hard', 'w') as f:
        f.write('hard\n')
    os.chmod(f'{tmp}/rw/hard', 0o666)
    os.link(f'{tmp}/rw/hard', f'{tmp}/rw/hard2')
    os.symlink('../ro/f', f'{tmp}/rw/link')
    os.symlink('../ro', f'{tmp}/rw/dir')
    os.mkfifo(f'{tmp}/ro/fifo')
    for i in range(1, 12):
        os.symlink(f'l{i - 1}' if i > 1 else '../ro/f', f'{tmp}/rw/l{i}')


def main():
    global tmp
    with tempfile.TemporaryDirectory() as tmp:
        make_tree()
        for part in (subset, accepted, refused, redirections, environment, clock, options):
            part()
    return finish()


if __name__ == '__main__':
    sys.exit(main())
