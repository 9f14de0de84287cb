#!/usr/bin/env python3
"""Which options of the commands no recorded case exercises.

    option_cases.py            the table by command, and the options without a case
    option_cases.py --check    fails where an option has none and tools/option_exceptions.txt does not name it, or names one that has

Options are those of docs/commands, which is written from the descriptors. A case exercises an option when a script of
tests/cmd or tests/guest calls its command with it, also within a cluster (-xvf), by an unambiguous beginning of the long name or out of
a loop (for o in -a -b). Either name of an option will do. Commands that are one program under several names are taken together.
"""
import collections
import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXCEPTIONS = os.path.join(ROOT, 'tools', 'option_exceptions.txt')
SAME = {'egrep': 'grep', 'fgrep': 'grep', 'gunzip': 'gzip', 'zcat': 'gzip', 'bunzip2': 'bzip2', 'bzcat': 'bzip2', 'unxz': 'xz', 'xzcat': 'xz',
        'lzma': 'xz', 'unlzma': 'xz', 'lzcat': 'xz', 'unzstd': 'zstd', 'zstdcat': 'zstd', 'gawk': 'awk', 'dir': 'ls', 'vdir': 'ls', 'hd': 'hexdump',
        'node': 'js', 'python': 'python3', 'more': 'less', 'sha1sum': 'md5sum', 'sha224sum': 'md5sum', 'sha256sum': 'md5sum',
        'sha384sum': 'md5sum', 'sha512sum': 'md5sum', '[': 'test', 'zless': 'less', 'zmore': 'less', 'rename.ul': 'rename'}
# Words that may stand before a command; those with a number take as many words more.
BEFORE = {'if', 'then', 'else', 'elif', 'while', 'until', 'do', '!', '{', 'time', 'command', 'exec', 'env', 'nohup', 'xargs', 'nice', 'builtin', 'sudo'}


class Option:
    def __init__(self, names, takes):
        self.names, self.takes, self.seen = names, takes, False

    def __str__(self):
        return ', '.join(self.names)


def options_of(page):
    """The options of one page of docs/commands."""
    found = []
    body = page.split('OPTIONS\n', 1)[1] if 'OPTIONS\n' in page else page
    for line in body.split('\n'):
        if re.match(r'^\S', line) and not line.startswith(('```', '#')) and 'OPTIONS' in page and found:
            break
        m = re.match(r'^ {2,10}(-NUM|-[^\s,=\[-])?(?:, )?(--[a-z0-9][-a-z0-9.]*)?(\[?[= ]?[A-Z\'"]\S*)?(?=\s|$)', line)
        if not m or not (m[1] or m[2]):
            continue
        names = [n for n in (m[1], m[2]) if n]
        if names in (['--help'], ['--version']):
            continue
        optional = bool(m[3]) and m[3].startswith('[')
        found.append(Option(names, 'maybe' if optional else bool(m[3])))
    return found


def tables():
    commands = {}
    for path in sorted(glob.glob(os.path.join(ROOT, 'docs', 'commands', '*.md'))):
        name = os.path.basename(path)[:-3]
        if name == 'README':
            continue
        with open(path, encoding='utf-8') as f:
            commands['[' if name == 'lbracket' else name] = options_of(f.read())
    return commands


def words(script):
    """The simple commands of a script, roughly: lists of words, quotes taken off."""
    out, word, quote, i, have, outer = [[]], '', None, 0, False, []

    def end():
        nonlocal word, have
        if word or have:
            out[-1].append(word)
        word, have = '', False

    while i < len(script):
        c = script[i]
        if quote == "'":
            if c == "'":
                quote = None
            else:
                word += c
        elif script.startswith(('$(', '<(', '>('), i) or c == '`':
            end()
            out.append([])
            if c != '`':
                outer.append(quote)
                quote = None
            i += c != '`'
        elif quote == '"':
            if c == '"':
                quote = None
            elif c == '\\' and i + 1 < len(script):
                i += 1
                word += script[i]
            else:
                word += c
        elif c in '\'"':
            quote, have = c, True
        elif c == '\\' and i + 1 < len(script):
            i += 1
            word += script[i]
        elif c in ' \t':
            end()
        elif c in '\n;|&()' and not (c == '&' and word.endswith('>')):
            end()
            out.append([])
            if c == ')' and outer:
                quote = outer.pop()
        else:
            word += c
        i += 1
    end()
    return [w for w in out if w]


def scripts():
    for path in sorted(glob.glob(os.path.join(ROOT, 'tests', 'cmd', '*.test')) + glob.glob(os.path.join(ROOT, 'tests', 'guest', '*.test'))):
        with open(path, encoding='utf-8') as f:
            text = []
            for line in f:
                if line.startswith('@ '):
                    yield '\n'.join(text)
                    text = []
                elif not line.startswith(('#', ': ', '> ', '>\n', '! ', '!\n', '= ')):
                    text.append(line.rstrip('\n'))
            yield '\n'.join(text)


def mark(options, argv):
    by_name = {n: o for o in options for n in o.names}
    skip = False
    for w in argv:
        if skip:
            skip = False
        elif w == '--':
            break
        elif w.startswith('--'):
            name = w.split('=', 1)[0]
            full = [n for n in by_name if n.startswith(name)]
            hit = by_name.get(name) or (by_name[full[0]] if len({by_name[n] for n in full}) == 1 else None)
            if hit:
                hit.seen = True
                skip = hit.takes is True and '=' not in w
        elif re.match(r'^[-+]\d', w) and '-NUM' in by_name:
            by_name['-NUM'].seen = True
        elif w.startswith('-') and len(w) > 1:
            for k, letter in enumerate(w[1:], 1):
                hit = by_name.get('-' + letter)
                if not hit:
                    if letter.isdigit() and '-NUM' in by_name:
                        by_name['-NUM'].seen = True
                    continue
                hit.seen = True
                if hit.takes:
                    skip = hit.takes is True and k == len(w) - 1
                    break


def survey():
    commands = tables()
    for script in scripts():
        calls = words(script)
        loops = {c[1]: c[3:] for c in calls if len(c) > 3 and c[0] == 'for' and c[2] == 'in'}
        for call in calls:
            argv = []
            for w in call:
                m = re.match(r'^(.*)\$\{?(\w+)\}?$', w)
                if m and m[2] in loops:
                    argv += [x for value in loops[m[2]] for x in (m[1] + value).split()]
                else:
                    argv.append(w)
            # A command may stand anywhere: after env, xargs, find -exec, timeout 5.
            for i, w in enumerate(argv):
                if w in commands and (i == 0 or '=' in argv[i - 1] or not w.startswith('-')):
                    rest = argv[i + 1:]
                    if SAME.get(w, w) in ('tar', 'ar', 'unzip', 'zip') and rest and re.match(r'^[a-zA-Z]+$', rest[0]) and w == 'tar':
                        rest = ['-' + c for c in rest[0]] + rest[1:]
                    for other in {w, SAME.get(w, w)} | {a for a, b in SAME.items() if b == SAME.get(w, w)}:
                        if other in commands:
                            mark(commands[other], rest)
    return commands


def main():
    commands = survey()
    lacking = sorted(f'{c} {o}' for c, options in commands.items() if SAME.get(c, c) == c for o in options if not o.seen)
    total = sum(len(o) for c, o in commands.items() if SAME.get(c, c) == c)
    allowed = set()
    if os.path.exists(EXCEPTIONS):
        with open(EXCEPTIONS, encoding='utf-8') as f:
            allowed = {line.split('\t')[0].strip() for line in f if line.strip() and not line.startswith('#')}
    if '--check' in sys.argv:
        bad = [f'{x}: no case exercises it' for x in lacking if x not in allowed]
        bad += [f'{x}: is an exception in tools/option_exceptions.txt, but has a case' for x in sorted(allowed - set(lacking))]
        print(*[f'FAIL {b}' for b in bad], sep='\n', end='\n' if bad else '')
        print(f'{total - len(bad)} passed, {len(bad)} failed')
        return 1 if bad else 0
    for x in lacking:
        print(x)
    print(f'{total - len(lacking)} of {total} options have a case')
    return 0


if __name__ == '__main__':
    sys.exit(main())
