#!/usr/bin/env python3
"""The tree checks itself: includes, objects, lists. Each check is shown to refuse its fixture.

    run.py BUILD      BUILD is a plain (unsanitized) build
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIXTURES = os.path.join(ROOT, 'tests', 'arch', 'fixtures')
sys.path.insert(0, os.path.join(ROOT, 'tools'))
from check_layers import read_table  # noqa: E402

passed = failed = 0


def check(name, ok, text=''):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f'FAIL {name}')
        if text.strip():
            print('  ' + '\n  '.join(text.strip().split('\n')[:40]))


def run(*argv):
    r = subprocess.run(argv, capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def program_objects(build):
    """The objects of layers marked "!" in layers.txt."""
    with open(os.path.join(ROOT, 'tools', 'layers.txt'), encoding='utf-8') as f:
        marked = [l.split(':')[0].rstrip('!') for l in f if re.match(r'^src/[^:]*!:', l)]
    found = []
    for layer in marked:
        name = layer.replace('src/', 'nacre_').replace('/', '_')
        found += glob.glob(os.path.join(build, f'lib{name}.a.p', '*.o'))
    return sorted(found)


def fence():
    code, text = run(sys.executable, os.path.join(ROOT, 'tools', 'check_layers.py'))
    check('includes follow tools/layers.txt', code == 0, text)
    with tempfile.TemporaryDirectory() as tmp:
        os.makedirs(os.path.join(tmp, 'tools'))
        shutil.copy(os.path.join(ROOT, 'tools', 'layers.txt'), os.path.join(tmp, 'tools'))
        for name in ('src/cmd', 'src/kernel', 'src/base'):
            os.makedirs(os.path.join(tmp, name))
        with open(os.path.join(tmp, 'src/kernel/kernel.h'), 'w') as f:
            f.write('int x;\n')
        for fixture in ('include_kernel.c', 'include_stdio.c', 'include_missing.c'):
            target = os.path.join(tmp, 'src/cmd', fixture)
            shutil.copy(os.path.join(FIXTURES, fixture), target)
            code, text = run(sys.executable, os.path.join(ROOT, 'tools', 'check_layers.py'), tmp)
            check(f'the include fence refuses {fixture}', code == 1 and fixture in text, text)
            os.remove(target)


def objects(build):
    allow = os.path.join(ROOT, 'tools', 'allow_symbols.txt')
    tool = os.path.join(ROOT, 'tools', 'check_objects.py')
    objs = program_objects(build)
    check('there are program objects to check', len(objs) > 20, f'{len(objs)} found in {build}')
    if objs:
        code, text = run(sys.executable, tool, allow, *objs)
        check('program objects reach the world through sys_* only', code == 0, text)
    with tempfile.TemporaryDirectory() as tmp:
        obj = os.path.join(tmp, 'bad.o')
        code, text = run('gcc', '-O1', '-c', os.path.join(FIXTURES, 'bad_object.c'), '-o', obj)
        check('the object fixture compiles', code == 0, text)
        code, text = run(sys.executable, tool, allow, obj)
        for reason in ('forbidden symbol: printf', 'forbidden symbol: open', 'writable static data', 'system-call instruction'):
            check(f'the object check refuses: {reason}', code == 1 and reason in text, text)
    code, text = run(sys.executable, tool, allow)
    check('the object check refuses to check nothing', code == 2, text)


def lists():
    with open(os.path.join(ROOT, 'src/cmd/commands.def'), encoding='utf-8') as f:
        names = re.findall(r'^NACRE_CMD\((\w+)\)', f.read(), re.M)
    order = sorted(names, key=lambda n: '[' if n == 'lbracket' else n)
    check('commands.def is sorted by the commands\' names', names == order, ' '.join(names))
    defined = {}
    for path in glob.glob(os.path.join(ROOT, 'src/cmd/**/*.c'), recursive=True):
        with open(path, encoding='utf-8') as f:
            for name in re.findall(r'^const struct cmd cmd_(\w+)\b', f.read(), re.M):
                defined[name] = path
    check('commands.def lists what src/cmd defines', sorted(defined) == sorted(names),
          f'only defined: {sorted(set(defined) - set(names))}; only listed: {sorted(set(names) - set(defined))}')


def exports(build):
    so = os.path.join(build, 'libnacre.so')
    archive = os.path.join(build, 'libnacre.a')
    check('both libraries are there to look at', os.path.exists(so) and os.path.exists(archive))
    if os.path.exists(so):
        _, text = run('nm', '-D', '--defined-only', '-P', so)
        other = [l.split()[0] for l in text.splitlines() if l.split()[1] in 'TDBRW' and not l.startswith('nacre_')]
        check('libnacre.so exports nacre_* only', not other, ' '.join(other))
    if os.path.exists(archive):
        _, text = run('nm', '-g', '--defined-only', '-P', archive)
        other = [l.split()[0] for l in text.splitlines()
                 if len(l.split()) > 1 and l.split()[1] in 'TDBRVW' and not l.startswith('nacre_')]
        check('libnacre.a exports nacre_* only', not other, ' '.join(other[:20]))
    headers = sorted(os.listdir(os.path.join(ROOT, 'include/nacre')))
    for header in headers:
        compiles_alone(os.path.join(ROOT, 'include/nacre', header))


def compiles_alone(header):
    for compiler, std in (('gcc', 'c99'), ('gcc', 'c17'), ('g++', 'c++11'), ('g++', 'c++17')):
        lang = 'c++' if compiler == 'g++' else 'c'
        if shutil.which(compiler):
            code, text = run(compiler, f'-std={std}', '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-fsyntax-only',
                             '-I', os.path.join(ROOT, 'include'), '-x', lang, header)
            check(f'{os.path.basename(header)} compiles alone as {std}', code == 0, text)


def recursion(build):
    tool = os.path.join(ROOT, 'tools', 'check_recursion.py')
    code, text = run(sys.executable, tool, build)
    check('what calls itself asks for stack', code == 0, text)
    code, text = run(sys.executable, tool, build, os.path.join(FIXTURES, 'recursion.txt'), 'src_cmd_factor.c.o')
    check('a function that calls itself, and an exception nothing needs, are found',
          code == 1 and 'cmd_factor.c split' in text and 'no_such.c f does not call itself any more' in text, text)


def pages():
    code, text = run(sys.executable, os.path.join(ROOT, 'tools', 'acceptance.py'), '--check')
    check('docs/acceptance.md says what the tests say', code == 0, text)
    code, text = run(sys.executable, os.path.join(ROOT, 'tools', 'apidoc.py'), '--check')
    check('docs/api.md says what the header says', code == 0, text)
    code, text = run(sys.executable, os.path.join(ROOT, 'tools', 'option_cases.py'), '--check')
    check('every option of every command has a recorded case, or is an exception', code == 0, text)


def sizes():
    """Files over 600 lines need a line in tools/exceptions.txt; the list may only shrink."""
    allowed = {}
    with open(os.path.join(ROOT, 'tools', 'exceptions.txt'), encoding='utf-8') as f:
        for line in f:
            line = line.split('#')[0].split()
            if line:
                allowed[line[0]] = int(line[1])
    for top in ('src', 'cli', 'include'):
        for path in sorted(glob.glob(os.path.join(ROOT, top, '**', '*.[ch]'), recursive=True)):
            rel = os.path.relpath(path, ROOT)
            with open(path, encoding='utf-8') as f:
                text = f.read()
            n = text.count('\n')
            if 'Generated by tools/' in text[:400]:
                continue
            if n > allowed.get(rel, 600):
                check(f'{rel} has at most {allowed.get(rel, 600)} lines', False, f'{n} lines')
            elif rel in allowed and n <= 600:
                check(f'{rel} left tools/exceptions.txt', False, f'{n} lines: remove its line')
    check('file sizes were looked at', True)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, 'build')
    read_table(os.path.join(ROOT, 'tools', 'layers.txt'))
    fence()
    objects(build)
    lists()
    exports(build)
    recursion(build)
    pages()
    sizes()
    print(f'{passed} passed, {failed} failed')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
