"""Hostile archives (SEC-05): whatever is in one, nothing outside the destination changes, and time and memory stay bounded.

The archives are made here, byte by byte where no well-behaved tool would make them.
"""
import bz2
import io
import lzma
import os
import random
import struct
import tarfile
import tempfile
import zipfile
import zlib


def member(name, data=b'', kind=tarfile.REGTYPE, link='', size=None, mode=0o644, raw_size=None):
    """One tar member as bytes; size: what the header claims."""
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode, info.uname, info.gname = kind, link, mode, 'root', 'root'
    info.size = len(data) if size is None else size
    head = bytearray(info.tobuf(tarfile.GNU_FORMAT)[-512:] if len(name) < 100 else info.tobuf(tarfile.GNU_FORMAT))
    if raw_size is not None:
        head[124:136] = raw_size
        head[148:156] = b' ' * 8
        head[148:156] = b'%06o\0 ' % sum(head)
    return bytes(head) + data + b'\0' * (-len(data) % 512)


END = b'\0' * 1024


def tars():
    """name -> bytes, of archives that try to reach outside or to cost too much."""
    sym, hard = tarfile.SYMTYPE, tarfile.LNKTYPE
    yield 'dotdot', member('../evil', b'x') + member('a/../../evil', b'x') + member('a/b/../../../evil', b'x')
    yield 'absolute', member('/evil', b'x') + member('//evil2', b'x')
    yield 'link then through', member('l', kind=sym, link='..') + member('l/evil', b'x') + member('m', kind=sym, link='/w') + member('m/evil', b'x')
    yield 'link replaced by directory', member('l', kind=sym, link='../') + member('l', kind=tarfile.DIRTYPE) + member('l/evil', b'x')
    yield 'link chain', member('a', kind=sym, link='.') + member('b', kind=sym, link='a/..') + member('b/evil', b'x') + \
        member('c', kind=sym, link='a/a/a/../../..') + member('c/evil', b'x')
    yield 'hard link to outside', member('h', kind=hard, link='../secret') + member('h', b'x') + member('g', kind=hard, link='/w/secret') + member('g', b'x')
    yield 'hard link to a waiting link', member('l', kind=sym, link='../secret') + member('h', kind=hard, link='l') + member('h', b'x')
    yield 'link over itself', member('l', kind=sym, link='l') + member('l/evil', b'x')
    yield 'file then through', member('f', b'x') + member('f/../../evil', b'x')
    yield 'devices', member('null', kind=tarfile.CHRTYPE) + member('disk', kind=tarfile.BLKTYPE) + member('fifo', kind=tarfile.FIFOTYPE) + member('ok', b'x')
    yield 'huge size', member('big', size=(1 << 33) - 1)
    yield 'huger size', member('big', raw_size=b'\x80\0\0\0\x7f' + b'\xff' * 7)
    yield 'too huge size', member('big', raw_size=b'\x80' + b'\xff' * 11) + member('after', b'x')
    yield 'negative size', member('big', raw_size=b'\xff' * 12) + member('after', b'x')
    yield 'size that is no number', member('big', raw_size=b'zzzzzzzzzzz\0')
    yield 'long name of 4 GiB', member('././@LongLink', kind=b'L', size=1 << 32)
    yield 'long name of many', b''.join(member('././@LongLink', b'a' * 60000, kind=b'L') for _ in range(50)) + member('f', b'x')
    yield 'long name without end', member('././@LongLink', b'../' * 300 + b'evil', kind=b'L') + member('f', b'x')
    yield 'pax of 4 GiB', member('pax', kind=b'x', size=1 << 32)
    for text in (b'9999 path=../evil\n', b'18 path=../evil\n', b'0 path=x\n', b'99999999999999999999999 path=x\n', b'12 path\n', b'\n', b' ', b'x',
                 b'20 size=999999999999\n', b'17 size=99999999\n', b'12 mtime=1e9\n', b'30 mtime=99999999999999999999\n',
                 b'25 GNU.sparse.map=0,1,2,3\n', b'24 GNU.sparse.size=99999\n', b'22 GNU.sparse.major=1\n', b'26 linkpath=/w/secret/../x\n'):
        yield f'pax {text[:30]!r}', member('pax', text, kind=b'x') + member('f', b'x' * 10) + member('g', b'y')
    yield 'sparse 1.0 of a million pieces', member('pax', b'22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n', kind=b'x') + \
        member('f', b'1000000\n' + b'0\n1\n' * 1000)
    sparse = bytearray(member('s', b'x' * 512, kind=b'S'))
    sparse[386:482] = (b'77777777777\0' * 8)
    sparse[483:495] = b'77777777777\0'
    sparse[148:156] = b' ' * 8
    sparse[148:156] = b'%06o\0 ' % sum(sparse[:512])
    yield 'old sparse out of range', bytes(sparse)
    yield 'newline in a name', member('a\nb', b'x') + member('c\x1b[31m', b'x')
    yield 'deep', member('d/' * 2000 + 'f', b'x')
    yield 'many', b''.join(member(f'm/{i}', b'') for i in range(3000))


def zip_entry(name, data=b'x', mode=0o100644, claims=None, method=0, packed=None):
    packed = data if packed is None else packed
    crc, size = zlib.crc32(data), len(data) if claims is None else claims
    raw = name.encode()
    local = struct.pack('<IHHHHHIIIHH', 0x04034b50, 20, 0, method, 0, 33, crc, len(packed), size, len(raw), 0) + raw + packed
    central = struct.pack('<IHHHHHHIIIHHHHHII', 0x02014b50, 3 << 8 | 20, 20, 0, method, 0, 33, crc, len(packed), size, len(raw), 0, 0, 0, 0, mode << 16, 0)
    return local, central, raw


def make_zip(*entries, count=None, at=None):
    body, directory = b'', b''
    for local, central, raw in entries:
        directory += central[:-4] + struct.pack('<I', len(body)) + raw
        body += local
    n = len(entries) if count is None else count
    return body + directory + struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, n & 0xffff, n & 0xffff, len(directory), len(body) if at is None else at, 0)


def deflate(data):
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    return c.compress(data) + c.flush()


def zips():
    link = 0o120777
    yield 'zip dotdot', make_zip(zip_entry('../evil'), zip_entry('a/../../evil'), zip_entry('..\\evil'))
    yield 'zip absolute', make_zip(zip_entry('/evil'), zip_entry('//w/evil'))
    yield 'zip link then through', make_zip(zip_entry('l', b'..', link), zip_entry('l/evil'), zip_entry('m', b'/w', link), zip_entry('m/evil'))
    yield 'zip size lies', make_zip(zip_entry('f', b'x', claims=0xfffffffe), zip_entry('g', b'x', claims=0))
    yield 'zip bomb that lies', make_zip(zip_entry('f', b'0' * 50000000, claims=10, method=8, packed=deflate(b'0' * 50000000)))
    yield 'zip count lies', make_zip(zip_entry('f'), count=60000)
    yield 'zip directory offset lies', make_zip(zip_entry('f'), at=1 << 31)
    one = zip_entry('f', b'0' * 1000)
    body = one[0]
    directory = b''.join(one[1] + one[2] for _ in range(2000))
    yield 'zip overlapping entries', body + directory + struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, 2000, 2000, len(directory), len(body), 0)
    yield 'zip method', make_zip(zip_entry('f', method=99), zip_entry('g', method=8, packed=b'\xff\xff\xff\xff'))
    yield 'zip names', make_zip(zip_entry('a\nb'), zip_entry('\x1b[31m'), zip_entry('x' * 300), zip_entry(''), zip_entry('.'), zip_entry('..'))


def good():
    """Well-made archives, to be damaged."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT) as t:
        for name in ('d/f', 'ü' * 60, 'd/' + 'y' * 120):
            info = tarfile.TarInfo(name)
            info.size, info.mtime = 700, 1.5
            t.addfile(info, io.BytesIO(b'abcdefg' * 100))
        info = tarfile.TarInfo('l')
        info.type, info.linkname = tarfile.SYMTYPE, 'd/f'
        t.addfile(info)
    tar = out.getvalue()[:6144]
    yield 'tar', tar
    out = io.BytesIO()
    with zipfile.ZipFile(out, 'w', zipfile.ZIP_DEFLATED) as z:
        z.writestr('d/f', 'abcdefg' * 300)
        z.writestr('g', 'short')
    yield 'zip', out.getvalue()
    yield 'gz', zlib.compress(tar, wbits=31)
    yield 'bz2', bz2.compress(tar)
    yield 'xz', lzma.compress(tar)
    yield 'lzma', lzma.compress(tar, format=lzma.FORMAT_ALONE)


def mutations(data, seed, count):
    rng = random.Random(seed)
    for _ in range(count):
        b = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            b[rng.randrange(len(b))] = rng.randrange(256)
        yield bytes(b[:rng.randrange(1, len(b))] if rng.random() < 0.2 else b)


UNPACK = {'tar': 'tar xf', 'zip': 'unzip -qqo', 'gz': 'gzip -dkf', 'bz2': 'bzip2 -dkf', 'xz': 'xz -dkf', 'lzma': 'xz -dkf'}


def hostile(run, check):
    with tempfile.TemporaryDirectory() as tmp:
        root = os.path.join(tmp, 'root')
        dest = os.path.join(root, 'w', 'dest')
        os.makedirs(dest)

        def attempt(name, kind, archives, timeout='20s'):
            """Unpacks each in a directory of its own below dest; what is beside dest must stay as it is."""
            with open(os.path.join(root, 'secret'), 'w') as f:
                f.write('as it was')
            with open(os.path.join(root, 'w', 'secret'), 'w') as f:
                f.write('as it was')
            for i, data in enumerate(archives):
                os.makedirs(os.path.join(dest, str(i)))
                with open(os.path.join(dest, str(i), 'a.' + kind), 'wb') as f:
                    f.write(data)
            script = f'for d in */; do (cd $d; {UNPACK[kind]} a.{kind}; exit 0); done; echo done'
            code, out, err = run('--mount', f'{root}:/w:rw', '--cwd', '/w/w/dest', '--memory', '64M', '--timeout', timeout, '-c', script, timeout=120)
            seen = sorted(os.listdir(root) + os.listdir(os.path.join(root, 'w')))
            with open(os.path.join(root, 'secret')) as f, open(os.path.join(root, 'w', 'secret')) as g:
                kept = f.read() + g.read()
            check(f'archive {name}: nothing outside', seen == ['dest', 'secret', 'secret', 'w'] and kept == 'as it was' * 2, seen, kept, err[-500:])
            check(f'archive {name}: ends by itself', code == 0 and out.endswith('done\n'), code, err[-800:])
            os.system(f'chmod -R u+rwx {dest}; rm -rf {dest}/*')
            return err

        for name, data in tars():
            attempt(name, 'tar', [data + END])
            attempt(name + ', cut', 'tar', [data[:-100]])
        for name, data in zips():
            attempt(name, 'zip', [data])
        for kind, data in good():
            attempt(f'mutated {kind}', kind, list(mutations(data, kind, 60)), timeout='60s')
        bombs(run, check, root)


def bombs(run, check, root):
    c = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b''.join(c.compress(b'\0' * (1 << 24)) for _ in range(64)) + c.flush()
    files = {'bomb.gz': bomb, 'bomb.tgz': zlib.compress(member('z', b'\0' * (100 << 20)) + END, wbits=31),
             'dict.lzma': b'\x5d\xff\xff\xff\xff' + b'\xff' * 8 + b'\0' * 20, 'window.zst': b'\x28\xb5\x2f\xfd\x00\xa8' + b'\0' * 20}
    for name, data in files.items():
        with open(os.path.join(root, name), 'wb') as f:
            f.write(data)
    for script, words in (('zcat /w/bomb.gz > /tmp/x', ('space', 'memory', 'limit', 'large')), ('tar xf /w/bomb.tgz -C /tmp', ('space', 'memory', 'limit', 'large', 'EOF')),
                          ('xz -dc /w/dict.lzma', ('limit',)), ('zstd -dc /w/window.zst', ('too much memory',)),
                          ('zcat /w/bomb.gz | zcat', ('not in gzip',)), ('zcat /w/bomb.gz | head -c 10', ('',))):
        code, out, err = run('--mount', f'{root}:/w:ro', '--memory', '64M', '--timeout', '20s', '-c', script, timeout=60)
        check(f'bomb: {script}: refused or cut off in words', code != 124 and any(w in err for w in words), code, err)
