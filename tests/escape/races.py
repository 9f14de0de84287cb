"""What another process does to a mounted directory meanwhile, and names and depths that no sane tree has."""
import ctypes
import os
import subprocess
import sys
import tempfile

ROUNDS = int(os.environ.get('ESCAPE_ROUNDS', '2000'))

ATTACKER = r'''
import ctypes, os, sys
root, outside = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
def swap(a, b):
    return libc.syscall(316, -100, os.fsencode(os.path.join(root, a)), -100, os.fsencode(os.path.join(root, b)), 2)  # renameat2, exchange
n = 0
while True:
    swap('d', 'dlink'); swap('f', 'flink'); swap('d', 'dlink'); swap('deep/x/y', 'ylink'); swap('f', 'flink'); swap('deep/x/y', 'ylink')
    n += 1
    if n % 50 == 0:
        # The root itself is renamed away, and a link to outside put in its place.
        os.rename(root, root + '.moved'); os.symlink(outside, root); os.unlink(root); os.rename(root + '.moved', root)
'''

SCRIPT = r'''
cd /w; i=0
while (( i++ < ROUNDS )); do
    read -r x < d/f; case $x in *SECRET*) echo "LEAK d/f";; esac
    read -r x < f; case $x in *SECRET*) echo "LEAK f";; esac
    read -r x < deep/x/y/f; case $x in *SECRET*) echo "LEAK deep";; esac
    echo mine > d/out; echo mine >> f; echo mine > deep/x/y/out; echo mine > d/new$((i % 3))
    [ -e d/only_outside ] && echo "LEAK only_outside"
    if (( i % 16 == 0 )); then
        cat d/* f deep/x/y/* | grep SECRET; grep -r SECRET .; find -L . -name 'only_outside*'; cp -r d c 2>/dev/null; grep -r SECRET c; rm -rf c
        mkdir d/made 2>/dev/null; touch d/f f; chmod 600 d/out f; ln -sf x d/link; mv d/new1 d/moved; rm -f d/new2 d/only_outside; truncate -s 3 f
        sed -i s/in/on/ d/f; (cd d && cat f && echo sub > out && rm -f only_outside) | grep SECRET; tar cf - . 2>/dev/null | grep -a SECRET
    fi
done 2>/dev/null
echo finished
'''


def plant(tmp):
    root, outside = os.path.join(tmp, 'root'), os.path.join(tmp, 'outside')
    for d in (root, outside, os.path.join(root, 'd'), os.path.join(root, 'deep', 'x', 'y')):
        os.makedirs(d)
    for path, text in (('root/f', 'in\n'), ('root/d/f', 'in\n'), ('root/deep/x/y/f', 'in\n'), ('outside/f', 'TOPSECRET\n'), ('outside/out', 'TOPSECRET\n'),
                       ('outside/only_outside', 'TOPSECRET\n')):
        with open(os.path.join(tmp, path), 'w') as f:
            f.write(text)
    os.symlink('../outside', os.path.join(root, 'dlink'))
    os.symlink(os.path.join(outside, 'f'), os.path.join(root, 'flink'))
    os.symlink(outside, os.path.join(root, 'ylink'))
    return root, outside


def untouched(outside):
    return sorted(os.listdir(outside)) == ['f', 'only_outside', 'out'] and all(
        open(os.path.join(outside, n)).read() == 'TOPSECRET\n' and os.stat(os.path.join(outside, n)).st_mode & 0o777 == 0o644 for n in os.listdir(outside))


def races(run, check):
    for mode in ('rw', 'ro', 'overlay'):
        with tempfile.TemporaryDirectory() as tmp:
            os.umask(0o022)
            root, outside = plant(tmp)
            attacker = subprocess.Popen([sys.executable, '-c', ATTACKER, root, outside])
            code, out, err = run('--mount', f'{root}:/w:{mode}', '--timeout', '0', '-c', SCRIPT.replace('ROUNDS', str(ROUNDS)), timeout=3600)
            alive = attacker.poll() is None
            attacker.kill()
            attacker.wait()
            check(f'FS-02 {ROUNDS} rounds against swapped links, {mode}: nothing of outside is read', alive and out == 'finished\n', out[-500:], err[-500:])
            check(f'FS-02 FS-09 {ROUNDS} rounds against swapped links, {mode}: nothing outside is changed', untouched(outside), os.listdir(outside))


def extremes(run, check):
    """Names and depths: an answer, no hang, no crash, the same with and without an overlay."""
    for mode in ('rw', 'overlay'):
        with tempfile.TemporaryDirectory() as tmp:
            root = os.path.join(tmp, 'root')
            os.mkdir(root)
            names = [b'new\nline', b'\xff\xfe', b'-rf', b'\x1b[31m', b' ', b'*', b'..x', b'a' * 255, b'\\', b'$(touch pwned)', b'e\xcc\x81', b'\xc3\xa9', b'FILE', b'file']
            for n in names:
                with open(os.path.join(os.fsencode(root), n), 'wb') as f:
                    f.write(n)
            # 10,000 levels, made from inside, as no path leads there.
            libc, fd = ctypes.CDLL(None), os.open(root, os.O_RDONLY)
            for _ in range(10000):
                os.mkdir('d', dir_fd=fd)
                below = os.open('d', os.O_RDONLY, dir_fd=fd)
                os.close(fd)
                fd = below
            os.close(fd)
            del libc
            mount = ['--mount', f'{root}:/w:{mode}', '--cwd', '/w', '--timeout', '60s']
            code, out, err = run(*mount, '-c', 'n=0; for f in * ..x; do [ -f "$f" ] || continue; [ "$(cat -- "$f"; echo .)" = "$f." ] || echo "bad: $f"; n=$((n+1)); done; echo $n; ls -A | wc -l; cmp FILE file')
            check(f'strange names, {mode}', code == 1 and out.splitlines()[:2] == [str(len(names) + 0), str(len(names) + 2)] and 'bad' not in out, out, err)
            # cp once overran its stack here. What goes to the bottom takes long, as every step names the whole path.
            for script in ('ls -R | tail -n 1', 'for i in {1..300}; do cd d || break; done; pwd | wc -c; ls ..', 'mv d e; ls; mv e d',
                           'x=$(printf "d/%.0s" {1..3000}); cat $x/f; ls $x; mkdir -p $x', 'p=/tmp/$(printf "d/%.0s" {1..500}); mkdir -p $p; cp -r /tmp/d c; mv c /tmp/c; rm -r /tmp/c'):
                code, out, err = run(*mount, '-c', script, timeout=300)
                check(f'10,000 levels, {mode}: {script}', code not in (124, 125, 139, 134, 137, -11, -6), code, out[-300:], err[-300:])
            long = '/w/' + 'a' * 255 + '/' + '/'.join(['b' * 255] * 14)
            script = f'x={long}; echo ${{#x}}; for n in 4090 4095 4096 5000; do y=$x; while [ ${{#y}} -lt $n ]; do y+=/; y+=c; done; y=${{y:0:n}}; {{ cat "$y"; echo x > "$y"; mkdir "$y"; ln -s "$y" l$n; }} 2>&1 | sed "s/.*: //"; done'
            code, out, err = run(*mount, '-c', script)
            check(f'4,096-byte paths, {mode}', 'File name too long' in out and code == 0, out[-600:], err[-300:])
            subprocess.run(['rm', '-rf', root], check=True)


