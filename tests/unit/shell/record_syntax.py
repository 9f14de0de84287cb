#!/usr/bin/env python3
"""Records what bash says about the scripts of test_syntax.c.

    record_syntax.py          rewrites syntax_errors.txt and syntax_functions.out
    record_syntax.py --check  fails when a recording is not what bash says now

In syntax_errors.txt a block is "#### name", the script, "==== bash" and bash's messages
without their "NAME: " prefix. "==== nacre" marks an expectation of our own, with the reason
in the name; it is left alone.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ENV = {**os.environ, 'LC_ALL': 'C.UTF-8'}


def messages(script):
    r = subprocess.run(['bash', '-n', '-c', script, 'bash'], capture_output=True, text=True, env=ENV,
                       stdin=subprocess.DEVNULL)
    lines = [re.sub(r'^bash: (-c: )?(?=line \d)', '', line) for line in r.stderr.split('\n')[:-1]]
    return ''.join(line + '\n' for line in sorted(lines, key=lambda s: ': warning: ' not in s))


def errors(text):
    blocks = re.split(r'(?m)^(?=#### )', text)
    out = blocks[0]
    for block in blocks[1:]:
        head, rest = block.split('\n', 1)
        script, kind, _ = re.split(r'(?m)^==== (\w+)\n', rest, maxsplit=1)
        out += block if kind != 'bash' else f'{head}\n{script}==== bash\n{messages(script[:-1])}'
    return out


def functions(source):
    names = re.findall(r'(?m)^(f\d+) ?\(\)', source)
    script = source + '\n' + ''.join(f'declare -f {name}\n' for name in names)
    return subprocess.run(['bash', '-O', 'extglob', '-c', script], capture_output=True, text=True, env=ENV,
                          check=True).stdout


def main():
    version = subprocess.run(['bash', '--version'], capture_output=True, text=True).stdout
    if 'version 5.2' not in version:
        print('record_syntax.py: this is not bash 5.2; nothing was compared')
        return
    bad = 0
    for name, source, made in (('syntax_errors.txt', 'syntax_errors.txt', errors),
                               ('syntax_functions.out', 'syntax_functions.sh', functions)):
        with open(os.path.join(HERE, source), encoding='utf-8') as f:
            new = made(f.read())
        path = os.path.join(HERE, name)
        old = open(path, encoding='utf-8').read() if os.path.exists(path) else ''
        if '--check' in sys.argv:
            bad += new != old
            print(f'{name}: {"differs from what bash says" if new != old else "as recorded"}')
        elif new != old:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(new)
    sys.exit(bad != 0)


if __name__ == '__main__':
    main()
