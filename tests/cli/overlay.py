#!/usr/bin/env python3
"""Overlays from the command line: what real bash makes of a directory, an overlay commits and its patch says.

    overlay.py BUILD

Every script runs in real bash on one copy of a tree and in nacre on an overlay over another. While nothing is
committed the copy below is untouched; after --commit both are the same; `git apply` of the patch, on a third
copy, gives the same files.
"""
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import NACRE, check, finish, run_program  # noqa: E402

SCRIPTS = [
    'sed -i "s/^7$/seven/; s/^25$/x/" src/n; echo more >> a',
    'mv src lib; echo 2 > lib/new; rm a; chmod +x "b c"',
    'rm -r src; mkdir src; cp a src/a2; ln -sf a src/l',
    'rm -r src; seq 3 > src',
    'rm a; mkdir a; echo x > a/x',
    'mv a t; mv "b c" a; mv t "b c"',
    'mv src/deep d2; mv src d2/src; rmdir empty',
    'mv src old; mkdir src; mv old/n src/n; echo end >> src/n; rm -r old',
    'ln -s src/n link2; ln -sf nowhere l; ln a hard; echo z >> hard',
    'truncate -s 5 src/n; truncate -s 100 a; : > "b c"',
    'printf "\\0\\1" > bin; cp src/n copy; touch -d @1000000000 src/n',
    'chmod 700 src; chmod 600 src/n; mkdir -p x/y/z; echo 1 > x/y/z/1',
    'for i in $(seq 200); do echo $i > src/f$i; done; rm src/f1*; mv src/f2 src/f1',
    'printf "no newline" >> a; printf "" > empty_file; sed -i "\\$d" src/n',
    'cp -r src src2; diff -r src src2 && rm -r src; mv src2/deep/er src2/er',
    'find . -name "*n*" -type f -exec sed -i "1s/^/top: /" {} +; find . -type d -empty -delete',
    'mkdir n1; mv src n1/s; mv n1 n2; echo q > n2/s/q; mv n2/s/n .; rm -rf n2/s/deep',
    'exec 3< a; echo appended >> a; cat <&3 > seen; exec 3<&-',
    'printf x > "sp ace"; printf y > "q\\"uote"; mv l "new\nline"; printf z > é',
]


def plant(root):
    os.makedirs(os.path.join(root, 'src', 'deep', 'er'))
    os.mkdir(os.path.join(root, 'empty'))
    for name, text in (('a', 'a\n'), ('b c', 'spaced\n'), ('src/n', ''.join(f'{i}\n' for i in range(1, 31))), ('src/deep/er/f', 'f\n')):
        with open(os.path.join(root, name), 'w') as f:
            f.write(text)
        os.chmod(os.path.join(root, name), 0o644)
        os.utime(os.path.join(root, name), (1600000000, 1600000000))
    os.symlink('a', os.path.join(root, 'l'))


def tree(root, modes=True, dirs=True):
    found = {}
    for where, names, files in os.walk(root):
        for n in names + files:
            path = os.path.join(where, n)
            st = os.lstat(path)
            rel = os.path.relpath(path, root)
            if stat.S_ISLNK(st.st_mode):
                found[rel] = ('link', os.readlink(path))
            elif stat.S_ISDIR(st.st_mode):
                if dirs:
                    found[rel] = ('dir', oct(st.st_mode) if modes else '')
            else:
                with open(path, 'rb') as f:
                    found[rel] = (oct(st.st_mode) if modes else st.st_mode & 0o100, f.read())
    return found


def compare(tmp, script):
    roots = [os.path.join(tmp, n) for n in ('real', 'low', 'patched')]
    for r in roots:
        plant(r)
    real, low, patched = roots
    before, patch = tree(low), os.path.join(tmp, 'patch')
    code = run_program(['bash', '-c', 'umask 022; ' + script], cwd=real)[0]
    args = [NACRE, '--mount', f'{low}:/w:overlay', '--cwd', '/w']
    got = run_program([*args, '--diff', patch, '-c', f'{script}\nexit 0'])
    check(f'the script behaves: {script}', got[0] == 0, code, got)
    check(f'FS-14 below nothing changes: {script}', tree(low) == before)
    if os.path.getsize(patch):
        applied = run_program(['git', 'apply', '--unsafe-paths', '-p1', patch], cwd=patched)
        binary = b'Binary files' in open(patch, 'rb').read()
        check(f'git apply takes the patch: {script}', binary or (applied[0] == 0 and tree(patched, False, False) == tree(real, False, False)),
              applied, tree(patched, False, False), tree(real, False, False), open(patch, 'rb').read().decode('utf-8', 'replace'))
    got = run_program([*args, '--commit', '-c', f'{script}\nexit 0'])
    check(f'committed, it is what bash made: {script}', got[0] == 0 and tree(low) == tree(real), got, tree(low), tree(real))
    # What was not touched kept its time.
    check(f'times: {script}', all(os.lstat(os.path.join(low, n)).st_mtime == os.lstat(os.path.join(real, n)).st_mtime
                                  for n in tree(real) if n in before and before[n] == tree(real)[n] and before[n][0] not in ('dir', 'link')))
    for r in roots:
        shutil.rmtree(r)


def random_script(seed):
    """A few commands over few names, so that they meet."""
    pick = random.Random(seed)
    names = ['a', 'src', 'src/n', 'src/deep', 'empty', 'x', 'src/x', 'empty/y', 'm', 'deep2', '"b c"']
    lines = []
    for _ in range(pick.randrange(3, 9)):
        p, q = pick.choice(names), pick.choice(names)
        lines.append(pick.choice([f'mv -T {p} {q}', f'mv {p} {q}', f'rm -rf {p}', f'mkdir -p {p}', *([] if q.startswith(p) else [f'cp -r {p} {q}']), f'echo {pick.random()} > {p}',
                                  f'echo more >> {p}', f'ln -sfn nowhere {q}', f'[ -d {p} ] || chmod 755 {p}', f'mv -n {p} {q}', f'rmdir {p}', f'seq 5 > {p}/s']))
    return '\n'.join(lines)


def conflicts(tmp):
    low = os.path.join(tmp, 'low')
    plant(low)
    args = [NACRE, '--mount', f'{low}:/w:overlay', '--cwd', '/w']
    other = f'while [ ! -e {low}/go ]; do sleep 0.02; done; echo other > {low}/a; touch {low}/went'
    p = subprocess.Popen(['bash', '-c', other])
    code, out, err = run_program([*args, '--commit', '--changes', '-', '-c', 'cat a; echo mine > a; mkdir d; exit 0'])
    p.terminate()
    p.wait()
    check('a commit without a conflict', code == 0 and open(os.path.join(low, 'a')).read() == 'mine\n', out, err)
    # The same with the other process in between: nacre's script waits for it through a second, plain mount.
    p = subprocess.Popen(['bash', '-c', other])
    code, out, err = run_program([NACRE, '--mount', f'{low}:/w:overlay', '--mount', f'{low}:/plain', '--commit', '--changes', '-', '-c',
                          'cd /w; cat a; : > /plain/go; while [ ! -e /plain/went ]; do sleep 0.02; done; echo newer > a; echo n > n'])
    p.wait()
    check('a conflict is listed', 'M! /w/a\n' in out, out, err)
    check('and refuses the commit, all of it', code == 1 and "'/w/a' was changed on the host meanwhile" in err and
          open(os.path.join(low, 'a')).read() == 'other\n' and not os.path.exists(os.path.join(low, 'n')), code, err)
    code, out, err = run_program([*args, '--commit', '-c', 'echo x > y; exit 3'])
    check('a script that fails commits nothing', code == 3 and not os.path.exists(os.path.join(low, 'y')) and 'nothing was committed' in err, err)
    code, out, err = run_program([NACRE, '--mount', f'{low}:/w:overlai', '-c', 'true'])
    check('a wrong mode is refused', code == 2 and 'HOST:PATH:overlay' in err, err)
    if os.getuid() == 0:
        os.chown(os.path.join(low, 'a'), 1234, 1234)
        run_program([*args, '--commit', '-c', 'echo owned > a'])
        check('a file keeps its owner', os.stat(os.path.join(low, 'a')).st_uid == 1234 and open(os.path.join(low, 'a')).read() == 'owned\n')
    os.mkfifo(os.path.join(low, 'fifo'))
    code, out, err = run_program([*args, '--timeout', '5s', '-c', 'cat fifo; echo x > fifo; mv fifo f2; rm f2; ls'])
    check('FS-08 a FIFO below cannot hang anything', code == 0 and 'Permission denied' in err and 'fifo' not in out, code, out, err)


def sessions(tmp):
    """--session: what one run of the program leaves, the next goes on with; a review of an overlay may come later."""
    low, file = os.path.join(tmp, 'slow'), os.path.join(tmp, 'session')
    plant(low)
    args = [NACRE, '--session', file, '--mount', f'{low}:/w:overlay']
    code, out, err = run_program([*args, '-c', 'x=1; f() { echo "f $x $LINENO"; }; cd /w/src; rm n; echo new > new; echo home > ~/h; alias a=b; exit 5'])
    check('a session is kept', code == 5 and os.path.exists(file) and not os.path.exists(os.path.join(low, 'src', 'new')), code, err)
    code, out, err = run_program([*args, '--changes', '-', '-c', 'f; pwd; ls; cat ~/h; alias; x=2'])
    check('and gone on with', code == 0 and out == "f 1 1\n/w/src\ndeep\nnew\nhome\nalias a='b'\nD  /w/src/n\nA  /w/src/new\n", code, out, err)
    code, out, err = run_program([*args, '--commit', '-c', 'echo $x'])
    check('committed later', code == 0 and out == '2\n' and os.path.exists(os.path.join(low, 'src', 'new')) and
          not os.path.exists(os.path.join(low, 'src', 'n')), code, out, err)
    data = open(file, 'rb').read()
    for name, bad in (('cut', data[:len(data) // 2]), ('changed', data[:200] + bytes([data[200] ^ 1]) + data[201:]), ('empty', b''), ('other', b'#!/bin/sh\n')):
        with open(file, 'wb') as f:
            f.write(bad)
        code, out, err = run_program([*args, '-c', 'echo ran'])
        check(f'a session file that is {name} is refused and left alone', code == 2 and 'ran' not in out and file in err and
              open(file, 'rb').read() == bad, code, out, err)


def many(tmp):
    """What a commit and a patch cost does not grow with the product of what was renamed and what was changed."""
    low = os.path.join(tmp, 'many')
    os.makedirs(os.path.join(low, 'd'))
    n = 2000
    for i in range(n):
        for name in ('a', 'c', 'd/f'):
            with open(os.path.join(low, f'{name}{i}'), 'w') as f:
                f.write(f'{name}{i}\n')
    patch = os.path.join(tmp, 'many.patch')
    code, _, err = run_program([NACRE, '--mount', f'{low}:/w:overlay', '--cwd', '/w', '--commit', '--diff', patch, '-c',
                                f'mv d e; for ((i = 0; i < {n}; i++)); do mv a$i b$i; echo x >> c$i; done'])
    text = open(patch).read()
    check('thousands of renames and changes', code == 0 and text.count('\nrename from ') == 2 * n and text.count('\n+x\n') == n, code, err)
    check('and committed', sorted(os.listdir(low)) == sorted(['e'] + [f'{c}{i}' for c in 'bc' for i in range(n)]) and
          all(open(os.path.join(low, f'c{i}')).read() == f'c{i}\nx\n' and open(os.path.join(low, f'b{i}')).read() == f'a{i}\n' and
              open(os.path.join(low, 'e', f'f{i}')).read() == f'd/f{i}\n' for i in range(n)))


def main():
    with tempfile.TemporaryDirectory() as tmp:
        for script in SCRIPTS:
            compare(tmp, script)
        for seed in range(int(os.environ.get('OVERLAY_SEEDS', '60'))):
            compare(tmp, random_script(seed))
        conflicts(tmp)
        sessions(tmp)
        many(tmp)
    return finish()


sys.exit(main())
