#!/usr/bin/env python3
"""docs/commands: a page for every command, as its descriptor has it.

    command_docs.py [NACRE]           writes docs/commands anew (default: build/nacre)
    command_docs.py --check [NACRE]   says what is not current, and fails then

The text is that of `man NAME` in the sandbox, which prints the descriptor (src/user/cmd.h): summary, usage, options,
what is not supported, examples. The examples are run as tests.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WHERE = os.path.join(ROOT, 'docs', 'commands')
MARK = '\f'


def names():
    """The commands, by name: those of commands.def, [ under its own name."""
    with open(os.path.join(ROOT, 'src/cmd/commands.def'), encoding='utf-8') as f:
        found = re.findall(r'^NACRE_CMD\((\w+)\)', f.read(), re.M)
    return [{'lbracket': '[', 'rename_ul': 'rename.ul'}.get(n, n) for n in found]


def pages(nacre, commands):
    script = ''.join(f"man '{c}'; printf '\\f'; whatis '{c}'; printf '\\f'\n" for c in commands)
    r = subprocess.run([nacre, '--timeout', '120s', '-c', script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    parts = r.stdout.decode().split(MARK)
    return {c: (parts[2 * i], parts[2 * i + 1].strip().split(' - ', 1)[1]) for i, c in enumerate(commands)}


def file_of(command):
    return ('lbracket' if command == '[' else command) + '.md'


def written(nacre):
    """File name to text."""
    commands = names()
    made = {}
    index = ['# Commands', '', 'Written by `tools/command_docs.py` from the commands\' descriptors; `man NAME` prints the same in the sandbox.', '']
    for command, (page, summary) in pages(nacre, commands).items():
        made[file_of(command)] = f'# {command}\n\n{summary}\n\n```\n{page.strip()}\n```\n'
        index.append(f'- [{command}]({file_of(command)}) — {summary}')
    made['README.md'] = '\n'.join(index) + '\n'
    return made


def main():
    args = [a for a in sys.argv[1:] if a != '--check']
    nacre = os.path.abspath(args[0] if args else os.path.join(ROOT, 'build', 'nacre'))
    made = written(nacre)
    os.makedirs(WHERE, exist_ok=True)
    there = set(os.listdir(WHERE))
    stale = sorted(there - set(made))
    for name, text in sorted(made.items()):
        path = os.path.join(WHERE, name)
        old = open(path, encoding='utf-8').read() if name in there else None
        if old != text:
            stale.append(name)
            if '--check' not in sys.argv:
                with open(path, 'w', encoding='utf-8') as f:
                    f.write(text)
    if '--check' in sys.argv:
        for name in stale:
            print(f'FAIL docs/commands/{name} is not current: run tools/command_docs.py')
        print(f'{len(made) - len(stale)} passed, {len(stale)} failed')
        return 1 if stale else 0
    for name in there - set(made):
        os.remove(os.path.join(WHERE, name))
    print(f'{len(made)} pages, {len(stale)} changed')
    return 0


if __name__ == '__main__':
    sys.exit(main())
