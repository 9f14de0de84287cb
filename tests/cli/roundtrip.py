"""Archives both ways: what one of nacre and the real tools packs, the other unpacks to the same tree."""
import os
import shutil
import subprocess
import tempfile

# name, how a tree t is packed into a, how a is unpacked into a directory o
FORMATS = [
    ('tar', 'tar cf a t', 'mkdir o; tar xf a -C o'),
    ('tar ustar', 'tar cf a --format=ustar t', 'mkdir o; tar xf a -C o'),
    ('tar pax', 'tar cf a --format=pax t', 'mkdir o; tar xf a -C o'),
    ('tar v7', 'tar cf a --format=v7 t/sub', 'mkdir o; tar xf a -C o'),
    ('tar.gz', 'tar czf a t', 'mkdir o; tar xzf a -C o'),
    ('tar.bz2', 'tar cjf a t', 'mkdir o; tar xjf a -C o'),
    ('tar.xz', 'tar cJf a t', 'mkdir o; tar xJf a -C o'),
    ('tar.zst', 'tar cf a --zstd t', 'mkdir o; tar xf a --zstd -C o'),
    ('tar.lzma', 'tar cf a --lzma t', 'mkdir o; tar xf a --lzma -C o'),
    ('tar appended', 'tar cf a t/sub; tar rf a t/data', 'mkdir o; tar xf a -C o'),
    ('zip', 'zip -qry a.zip t; mv a.zip a', 'unzip -q a -d o'),
    ('zip stored', 'zip -qry0 a.zip t; mv a.zip a', 'unzip -q a -d o'),
    ('zip streamed', 'zip -qry - t > a', 'unzip -q a -d o'),
] + [(f'{z} {o}', f'{z} {o} -c t/data > a', f'mkdir -p o/t; {z} -dc a > o/t/data')
     for z in ('gzip', 'bzip2', 'xz', 'zstd') for o in ('-1', '-9')]


def plant(root):
    os.makedirs(os.path.join(root, 't/sub/empty'))
    with open(os.path.join(root, 't/data'), 'wb') as f:
        f.write(b''.join(b'%d %x line\n' % (i, i * i) for i in range(40000)) + os.urandom(70000))
    for name, text in (('t/sub/zero', ''), ('t/sub/one', 'x'), ('t/sub/' + 'n' * 90, 'long name'), ('t/sub/grün', 'ü\n'), ('t/sub/a b', 'blank')):
        with open(os.path.join(root, name), 'w') as f:
            f.write(text)
    os.chmod(os.path.join(root, 't/sub/one'), 0o755)
    os.symlink('one', os.path.join(root, 't/sub/link'))
    os.utime(os.path.join(root, 't/data'), (1600000000, 1600000000))


def tree(root):
    """What is below root, as far as archives keep it."""
    found = {}
    for where, dirs, names in os.walk(root):
        for name in dirs + names:
            path = os.path.join(where, name)
            rel = os.path.relpath(path, root)
            if os.path.islink(path):
                found[rel] = os.readlink(path)
            elif os.path.isdir(path):
                found[rel] = 'directory'
            else:
                with open(path, 'rb') as f:
                    found[rel] = (os.stat(path).st_mode & 0o111, f.read())
    return found


def roundtrips(nacre, check):
    for name, pack, unpack in FORMATS:
        for packer, unpacker in (('nacre', 'real'), ('real', 'nacre')):
            with tempfile.TemporaryDirectory() as root:
                plant(root)
                before = tree(root)
                facts = []
                for who, script in ((packer, pack), (unpacker, unpack)):
                    argv = ['bash', '-c', script] if who == 'real' else [nacre, '--mount', f'{root}:/w', '--cwd', '/w', '-c', script]
                    r = subprocess.run(argv, cwd=root, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
                    facts.append((who, script, r.returncode, r.stderr[-300:]))
                after = tree(os.path.join(root, 'o')) if os.path.isdir(os.path.join(root, 'o')) else {}
                part = {k: v for k, v in before.items() if k in after}
                wanted = 1 if ' -' in name else len(before) - 1 - (name == 'tar v7')
                if ' -' in name:
                    part = {k: v for k, v in part.items()}
                same = all(after[k] == v or (' -' in name and v[1] == after[k][1]) for k, v in part.items() if v != 'directory')
                check(f'{name}: {packer} packs, {unpacker} unpacks', same and len([k for k in part]) >= wanted and all(f[2] == 0 for f in facts),
                      facts, sorted(set(before) ^ set(after))[:9])
                shutil.rmtree(os.path.join(root, 'o'), ignore_errors=True)
