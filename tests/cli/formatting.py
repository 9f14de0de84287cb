#!/usr/bin/env python3
"""nacre fmt and nacre parse: their options, and every recorded case laid out, compared, laid out again.

    formatting.py BUILD
"""
import glob
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import ROOT, check, finish, run_bytes  # noqa: E402


def expect(name, args, want, stdin=b'', cwd=None):
    got = run_bytes(*args, stdin=stdin, cwd=cwd)
    check(name, got == want, got, want)


def options(tmp):
    def write(name, text):
        with open(os.path.join(tmp, name), 'wb') as f:
            f.write(text)

    write('good', b'a\n')
    write('bad', b'a  ;b\n')
    write('wrong', b'if x; fi\n')
    os.chmod(os.path.join(tmp, 'bad'), 0o750)
    expect('fmt: standard input', ['fmt'], (0, b'a\nb\n', b''), stdin=b'a;b')
    expect('fmt: files', ['fmt', 'good', 'bad'], (0, b'a\na\nb\n', b''), cwd=tmp)
    expect('fmt -l', ['fmt', '-l', 'good', 'bad'], (0, b'bad\n', b''), cwd=tmp)
    expect('fmt -d', ['fmt', '-d', 'good', 'bad'], (1, b'--- bad\n+++ bad\n@@ -1,1 +1,2 @@\n-a  ;b\n+a\n+b\n', b''), cwd=tmp)
    expect('fmt -i', ['fmt', '-i', '2'], (0, b'{\n  a\n}\n', b''), stdin=b'{ a\n}')
    expect('fmt --space-redirects --case-indent', ['fmt', '--space-redirects', '--case-indent'], (0, b'case x in\n\ta) b > c ;;\nesac\n', b''),
           stdin=b'case x in a) b >c;;\nesac')
    expect('fmt: a mistake', ['fmt', 'wrong', 'good'], (2, b'a\n', b"wrong:1:7: syntax error near unexpected token `fi'\n"), cwd=tmp)
    expect('fmt: no such file', ['fmt', 'none'], (2, b'', b'nacre: none: No such file or directory\n'), cwd=tmp)
    expect('fmt: a directory', ['fmt', '.'], (2, b'', b'nacre: .: Is a directory\n'), cwd=tmp)
    expect('fmt: a wrong option', ['fmt', '-x'], (2, b'', b"nacre fmt: unrecognized option '-x'\nTry 'nacre fmt --help' for more information.\n"))
    expect('fmt: a wrong number', ['fmt', '-i', '99'], (2, b'', b"nacre fmt: invalid indentation '99'\nTry 'nacre fmt --help' for more information.\n"))
    expect('fmt -w needs a file', ['fmt', '-w'], (2, b'', b"nacre fmt: standard input cannot be written to '-w'\n"
                                                         b"Try 'nacre fmt --help' for more information.\n"))
    expect('fmt -w', ['fmt', '-w', 'bad', 'wrong'], (2, b'', b"wrong:1:7: syntax error near unexpected token `fi'\n"), cwd=tmp)
    with open(os.path.join(tmp, 'bad'), 'rb') as f:
        check('fmt -w wrote it', f.read() == b'a\nb\n')
    with open(os.path.join(tmp, 'wrong'), 'rb') as f:
        check('fmt -w leaves a mistake as it is', f.read() == b'if x; fi\n')
    check('fmt -w keeps the mode, leaves nothing else', os.stat(os.path.join(tmp, 'bad')).st_mode & 0o777 == 0o750 and
          sorted(os.listdir(tmp)) == ['bad', 'good', 'wrong'])
    expect('parse', ['parse'], (0, b'', b''), stdin=b'a')
    expect('parse: a mistake', ['parse', '--json'], (2, b'', b"standard input:1:1: syntax error near unexpected token `)'\n"), stdin=b')')
    expect('parse --touches', ['parse', '--touches'], (0, b'1\tcommand\tbuiltin\tcd\n1\tpath\t-\t/a\\tb\n2\tcommand\tdynamic\t$x\n', b''),
           stdin=b"cd '/a\tb'\n$x")
    expect('parse: too much', ['parse', 'a', 'b'], (2, b'', b"nacre parse: extra operand 'b'\nTry 'nacre parse --help' for more information.\n"))
    for name in ('fmt', 'parse'):
        code, out, err = run_bytes(name, '--help')
        check(f'{name} --help', code == 0 and out.startswith(f'Usage: nacre {name}'.encode()) and not err)


def cases():
    for path in sorted(glob.glob(os.path.join(ROOT, 'tests', 'shell', '*.test')) + glob.glob(os.path.join(ROOT, 'tests', 'cmd', '*.test'))):
        with open(path, 'rb') as f:
            lines = f.read().split(b'\n')
        script = None
        for line in lines:
            mark = re.match(rb'[>!=:]( |$)', line)
            if script and (line[:1] == b'@' or mark):
                yield os.path.basename(path), b'\n'.join(script) + b'\n'
            if line[:1] == b'@':
                script = []
            elif mark:
                script = None
            elif script is not None:
                script.append(line)


def corpus():
    """nacre fmt compares trees and comments itself: status 0 says that they are the same."""
    number = 0
    for name, script in cases():
        code, tree, _ = run_bytes('parse', '--json', stdin=script)
        if code == 2:
            continue
        number += 1
        json.loads(tree)
        code, once, err = run_bytes('fmt', stdin=script)
        check(f'fmt: a case of {name} keeps its meaning', code == 0, script, err)
        code, twice, err = run_bytes('fmt', stdin=once)
        check(f'fmt: a case of {name} laid out stays as it is', code == 0 and once == twice, script, once, twice)
    check('there are cases', number > 1000, number)


if __name__ == '__main__':
    with tempfile.TemporaryDirectory() as tmp:
        options(tmp)
    corpus()
    sys.exit(finish())
