#!/usr/bin/env python3
"""Promises that hold for every command and for the shell as a whole, by their acceptance ids.

    contract.py BUILD

What a single command prints is recorded in tests/cmd; here every one of them is asked the same
questions, and the shell's basic habits are checked from outside, as an agent meets them.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, finish, run_script  # noqa: E402
# Commands that take any word for an operand, as the real ones do.
NO_OPTIONS = {'[', 'echo', 'false', 'printf', 'test', 'true', 'expr', 'yes'}


def gives(name, script, out, status=0, err=None, flags=()):
    got = run_script(script, *flags)
    check(f'{name}: {script[:90]}', got[0] == status and got[1] == out and (err is None or re.search(err, got[2])), got)


def commands():
    names = run_script('ls /bin')[1].split()
    check('CMD-04 /bin and /usr/bin are the same', run_script('ls /usr/bin')[1].split() == names)
    check('CMD-04 there are commands', len(names) > 80 and {'cat', 'grep', 'bash', 'sed'} <= set(names), names)
    check('CMD-04 which agrees', run_script('cd /bin; for c in *; do which "$c"; done')[1].split() == ['/usr/bin/' + n for n in names],
          run_script('which cat'))
    for script in ('echo x > /bin/new', 'echo x > /bin/cat', 'cp /etc/passwd /bin/p', 'touch /bin/t', 'rm /bin/cat', 'mv /bin/cat /bin/dog', 'ln -s /bin/cat /bin/c'):
        code, _, err = run_script(script)
        check(f'CMD-04 /bin cannot be written: {script}', code == 1 and re.search('Permission denied|Read-only file system', err), code, err)
    script = 'for c in $(ls /bin); do "$c" --no-such-option-at-all < /dev/null > /dev/null 2> e; echo "$c $? $(head -n1 e)"; done'
    for line in run_script(script)[1].splitlines():
        name, status, *text = line.split(' ')
        if name in NO_OPTIONS:
            continue
        # CMD-02 has the words; guests and a few others have their own.
        check(f'CMD-01 {name} refuses an unknown option', status not in ('0', '124', '137') and text, line)
    script = 'for c in $(ls /bin); do "/bin/$c" --help < /dev/null > o 2> e; echo "$c $? $(head -c1 o | wc -c) $(head -c1 e | wc -c)"; done'
    for line in run_script(script)[1].splitlines():
        name, status, out, err = line.split()
        if name in ('[', 'echo', 'false', 'test', 'true', 'printf', 'yes', 'expr') and status in ('0', '1', '2'):
            continue
        if name == 'sqlite3':  # the real one's help goes to standard error
            out, err = err, out
        check(f'CMD-03 {name} --help', status == '0' and out == '1' and err == '0', line)
    builtins = set(run_script('compgen -b')[1].split()) - {':', '[', 'bind', 'echo', 'false', 'test', 'true'}
    for name in sorted(builtins - {'exec'}):
        code, out, err = run_script(f'{name} --help; echo $?')
        check(f'CMD-03 the builtin {name} --help', out.startswith(f'{name}: {name}') and out.endswith('\n2\n'), out, err)
    code, _, err = run_script('cut --nope')
    check('CMD-03 a hint, and status 1', code == 1 and err.endswith("Try 'cut --help' for more information.\n"), code, err)
    check('CMD-03 grep: 2', run_script('grep --nope')[0] == 2)


def options():
    """CMD-02, on commands with different parsers behind them."""
    gives('CMD-02 grouped', 'printf "b\\na\\nb\\n" | sort -ru', 'b\na\n')
    gives('CMD-02 attached', 'seq 9 | head -n2', '1\n2\n')
    gives('CMD-02 long=', 'seq 9 | head --lines=2', '1\n2\n')
    gives('CMD-02 abbreviated', 'seq 9 | head --li 2', '1\n2\n')
    gives('CMD-02 --', 'echo x > -n; cat -- -n; rm -- -n', 'x\n')
    gives('CMD-02 mixed', 'seq 3 > f; head f -n 1; ls f -d', '1\nf\n')
    gives('CMD-02 lone -', 'echo in | cat -', 'in\n')
    gives('CMD-02 negative numbers', 'seq -2 0', '-2\n-1\n0\n')
    for script, text in (('wc -y', r"wc: invalid option -- 'y'"), ('head -n', r"head: option requires an argument -- 'n'"),
                         ('head --nope', r"head: unrecognized option '--nope'"), ('wc --lines=3', r"wc: option '--lines' doesn't allow an argument"),
                         ('head --lines', r"head: option '--lines' requires an argument"), ('ls --s', r"ls: option '--s' is ambiguous; possibilities: ")):
        code, _, err = run_script(script)
        check(f'CMD-02 {script}', code != 0 and re.match(text, err), code, err)


def statuses():
    gives('CMD-07', 'echo a > f; grep a f >/dev/null; echo $?; grep b f; echo $?; grep a nosuch 2>/dev/null; echo $?', '0\n1\n2\n')
    gives('CMD-07', 'echo a > f; cp f g; echo b > h; diff f g; echo $?; diff -q f h; echo $?; diff f nosuch 2>/dev/null; echo $?',
          '0\nFiles f and h differ\n1\n2\n')
    gives('CMD-07', 'echo a > f; cp f g; echo b > h; cmp f g; echo $?; cmp -s f h; echo $?; cmp f nosuch 2>/dev/null; echo $?', '0\n1\n2\n')
    gives('CMD-07', 'false; echo $?; [ a = a ]; echo $?; [ a = b ]; echo $?; /bin/test a -foo b 2>/dev/null; echo $?', '1\n0\n1\n2\n')
    gives('CMD-05', "printf 'a b\\n' | wc; cat nosuch; ls nosuch; mkdir /etc; rmdir /nosuch; cd /nosuch", '      1       2       4\n', 1,
          r"cat: nosuch: No such file or directory\nls: cannot access 'nosuch': No such file or directory\nmkdir: cannot create directory '/etc': File exists\n"
          r"rmdir: failed to remove '/nosuch': No such file or directory\nbash: line 1: cd: /nosuch: No such file or directory\n")


def shell():
    gives('SH-01', 'seq 5 | grep -v 3 | sort -r > f; cat < f | head -n1; cat <<E\nhere $((1+1))\nE\nv=x; f() { echo "f:$1:$v"; }; f "$(echo sub)"; echo f*; '
          'echo "g() { echo sourced; }" > s; source ./s; g; cd /tmp; cd - >/dev/null; pwd; set -o pipefail; false | true; echo $?',
          '5\nhere 2\nf:sub:x\nf\nsourced\n/workspace\n1\n')
    gives('SH-02 process substitution works; the restricted profile refuses it (SH-08)', 'diff <(seq 3) <(seq 4) | tail -n1; seq 3 > >(tac > f; echo done > g); while ! [ -s g ]; do sleep 0.01; done; cat f; wc -l < <(seq 7)',
          '> 4\n3\n2\n1\n7\n')
    gives('SH-03 the order of descriptors', 'ls /nosuch . > f 2>&1; wc -l < f; ls /nosuch 2>&1 > f | wc -l; wc -c < f; exec 3> g; echo a >&3; echo b >&3; exec 4>&3; echo c >&4; cat g',
          '3\n1\n0\na\nb\nc\n')
    gives('SH-04', 'echo a > f; echo b >> f; cat < f; ls /nosuch 2> e; ls /nosuch 2>> e; wc -l < e; true &&\necho and; false ||\necho or; echo p |\ncat; echo x > o1 > o2; cat o1 o2',
          'a\nb\n2\nand\nor\np\nx\n')
    gives('SH-05', '''X='a  b'; printf '<%s>' $X; printf '<%s>' "$X"; printf '<%s>' '$X' a\\ b ""$X; A=1 env | grep ^A=; export E=2; env | grep ^E=; unset E; env | grep -c ^E=; false; echo $?''',
          '<a><b><a  b><$X><a b><a><b>A=1\nE=2\n0\n1\n')
    gives('SH-12', '> empty; wc -c < empty; a=1 | cat; echo ${PIPESTATUS[*]}; b=$(false); echo $?', '0\n0 0\n1\n')
    gives('SH-12', 'echo before; if', '', 2, 'syntax error')
    gives('SEC-04', 'echo before; echo ${x!y}; echo after', 'before\n', 1, 'bad substitution')
    gives('OUT-16', 'nosuch; echo $?', '127\n', 0, 'nosuch: command not found')


def files():
    gives('FS-01', 'ls /nosuch; cat /root/x; ls /proc/1 2>/dev/null | grep -c exe; test -e /home/other; echo $?', '0\n1\n', 0, 'No such file or directory')
    gives('FS-12', 'pwd; echo x > f && cat /workspace/f', '/workspace\nx\n')
    gives('FS-15', 'echo gone > /dev/null; cat /dev/null; ls -d /dev/null', '/dev/null\n')
    gives('LIM-02 a capture that is full cuts nothing else', 'seq 100000 > f; wc -l < f; seq 100000 | wc -l; seq 100000', '100000\n100000\n', 0, 'dropped',
          flags=('--output-limit', '14'))
    gives('LIM-02 a reader that leaves stops the writer', 'yes | head -n1; echo ${PIPESTATUS[*]}', 'y\n141 0\n')
    code, _, err = run_script('x=$(yes | head -c 200000000)', '--memory', '50M')
    check('LIM-04 memory', code == 137 and 'memory' in err, code, err)


def main():
    for part in (commands, options, statuses, shell, files):
        part()
    return finish()


sys.exit(main())
