#!/usr/bin/env python3
"""Builds the guests: fetch, compile to WebAssembly, translate to C, compile to one object each.

    build.py [GUEST...]        those that are not built yet; none given: all
    build.py --quick           all but those that take minutes (SLOW in their recipes)
    build.py --objects         the objects that are there for the present sources, one a line
    build.py --fetch           only fetches

Results lie in build-guests/GUEST-KEY/, where KEY is a hash of all that went into them: what did not
change is not built again. Sources come from the Debian mirror this machine's apt uses (or from
NACRE_DEBIAN_MIRROR), are kept in build-guests/fetched, and are refused unless their SHA-256 is the
one in sources.txt. A guest is a folder here with a recipe.py, whose `wasm(b)` makes b.out/NAME.wasm.
"""
import glob
import hashlib
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
OUT = os.path.join(ROOT, 'build-guests')
FETCHED = os.path.join(OUT, 'fetched')
CLANG, LD, AR = 'clang-22', '/usr/bin/wasm-ld-22', 'llvm-ar-22'
BUILTINS = '/usr/lib/llvm-22/lib/clang/22/lib/wasi/libclang_rt.builtins-wasm32.a'
TARGET = 'wasm32-wasip1'
# Floating point must not be contracted or reordered: a guest computes the same everywhere.
NATIVE = ['-O2', '-g0', '-fPIC', '-fvisibility=hidden', '-fno-strict-aliasing', '-fno-math-errno', '-ffp-contract=off', '-fwrapv',
          '-fstack-clash-protection', '-w']


class Failed(Exception):
    pass


def run(argv, **how):
    r = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', **how)
    if r.returncode:
        raise Failed(f'{" ".join(argv[:6])} ... failed:\n{r.stdout[-3000:]}')
    return r.stdout


# ---- Sources ---------------------------------------------------------------------------------

def sources():
    table = {}
    with open(os.path.join(HERE, 'sources.txt'), encoding='utf-8') as f:
        for line in f:
            if line.strip() and not line.startswith('#'):
                name, path, digest = line.split()
                table[name] = (path, digest)
    return table


def mirrors():
    """The roots of Debian archives that apt knows here."""
    given = os.environ.get('NACRE_DEBIAN_MIRROR')
    if given:
        return [given.rstrip('/')]
    found = []
    for name in ['/etc/apt/sources.list', *sorted(glob.glob('/etc/apt/sources.list.d/*'))]:
        try:
            with open(name, encoding='utf-8', errors='replace') as f:
                text = f.read()
        except OSError:
            continue
        for line in text.split('\n'):
            words = re.sub(r'\[[^]]*\]', '', line).split()
            if words and words[0] in ('deb', 'deb-src', 'URIs:'):
                found += [w.rstrip('/') for w in words[1:] if w.startswith(('http:', 'https:', 'file:', 'mirror+'))]
    return [m for m in dict.fromkeys(found) if 'security' not in m and re.search(r'debian/?$', m)]


def digest_of(path):
    h = hashlib.sha256()
    with open(path, 'rb') as f:
        while chunk := f.read(1 << 20):
            h.update(chunk)
    return h.hexdigest()


def fetch(name):
    """The file of a source, fetched when it is not there yet."""
    path, digest = sources()[name]
    to = os.path.join(FETCHED, os.path.basename(path))
    if os.path.exists(to) and digest_of(to) == digest:
        return to
    os.makedirs(FETCHED, exist_ok=True)
    errors = []
    for mirror in mirrors():
        try:
            # apt's own downloader: its proxies, its certificates.
            run(['/usr/lib/apt/apt-helper', 'download-file', f'{mirror}/{path}', to + '.part'])
        except Failed as e:
            errors.append(str(e))
            continue
        if digest_of(to + '.part') == digest:
            os.rename(to + '.part', to)
            return to
        errors.append(f'{path}: its SHA-256 is not the one in guests/sources.txt')
        os.remove(to + '.part')
    raise Failed(f'cannot fetch {name} ({path}) from the Debian mirror of this machine (NACRE_DEBIAN_MIRROR names another):\n' +
                 '\n'.join(errors or ['apt names no Debian mirror']))


def unpack(name):
    """The folder of a source."""
    archive = fetch(name)
    to = os.path.join(OUT, 'sources', f'{name}-{sources()[name][1][:12]}')
    if os.path.isdir(to):
        return to
    shutil.rmtree(to + '.part', ignore_errors=True)
    os.makedirs(to + '.part')
    if archive.endswith('.deb'):
        run(['dpkg-deb', '-x', archive, to + '.part'])
    else:
        run(['tar', '-xf', archive, '-C', to + '.part', '--strip-components=1'])
    os.rename(to + '.part', to)
    return to


# ---- One guest --------------------------------------------------------------------------------

class Build:
    """What a recipe has at hand."""
    Failed, TARGET, CLANG, LD, AR, BUILTINS = Failed, TARGET, CLANG, LD, AR, BUILTINS

    def __init__(self, name, out, jobs):
        self.name, self.out, self.jobs = name, out, jobs
        self.here, self.common = os.path.join(HERE, name), os.path.join(HERE, 'common')
        self.sysroot = os.path.join(unpack('wasi-libc'), 'usr')
        self.objects = []

    def source(self, name):
        return unpack(name)

    def step(self, name, make, *inputs):
        """The folder that make(folder) has filled; done once for the same inputs (strings, or files that are
        there)."""
        h = hashlib.sha256(inspect.getsource(make).encode())
        for i in inputs:
            h.update((digest_of(i) if os.path.isfile(i) else i).encode() + b'\0')
        folder = os.path.join(OUT, 'steps', f'{name}-{h.hexdigest()[:16]}')
        if not os.path.exists(os.path.join(folder, 'done')):
            print(f'    {name}', flush=True)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            make(folder)
            open(os.path.join(folder, 'done'), 'w').close()
        return folder

    def write(self, name, text):
        path = os.path.join(self.out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return path

    def compile(self, files, flags):
        """To objects that link() takes. A file is a path, or (path, more flags)."""
        base = [*cached(CLANG), f'--target={TARGET}', f'--sysroot={self.sysroot}', '-O2', '-g0', '-D_GNU_SOURCE', '-DNDEBUG', '-w',
                '-D_WASI_EMULATED_SIGNAL', '-D_WASI_EMULATED_PROCESS_CLOCKS', '-D_WASI_EMULATED_GETPID']

        def one(item):
            path, more = item if isinstance(item, tuple) else (item, [])
            to = os.path.join(self.out, 'o', hashlib.sha256(path.encode()).hexdigest()[:8] + '-' + os.path.basename(path) + '.o')
            run([*base, *flags, *more, '-c', path, '-o', to])
            return to
        os.makedirs(os.path.join(self.out, 'o'), exist_ok=True)
        with ThreadPoolExecutor(self.jobs) as pool:
            self.objects += pool.map(one, files)

    def link(self, stack, more=()):
        lib = os.path.join(self.sysroot, 'lib', TARGET)
        run([CLANG, f'--target={TARGET}', '-mexec-model=reactor', '-nostdlib', f'-fuse-ld={LD}', os.path.join(lib, 'crt1-reactor.o'),
             *self.objects, *more, f'-L{lib}', '-lc', '-lm', '-lwasi-emulated-signal', '-lwasi-emulated-process-clocks', '-lwasi-emulated-getpid',
             BUILTINS, f'-Wl,-z,stack-size={stack}', '-Wl,--stack-first', '-Wl,--strip-all', '-o',
             os.path.join(self.out, self.name + '.wasm')])


def cached(compiler):
    """With ccache, where it is."""
    return ['ccache', compiler] if shutil.which('ccache') else [compiler]


def recipe(name):
    spec = importlib.util.spec_from_file_location(f'recipe_{name}', os.path.join(HERE, name, 'recipe.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def key(name):
    h = hashlib.sha256()
    files = [os.path.join(HERE, f) for f in ('build.py', 'translate.py', 'rom.py', 'wasm-rt.h', 'sources.txt')]
    files.append(os.path.join(ROOT, 'src', 'guest', 'code.h'))
    files.append(os.path.join(ROOT, 'src', 'base', 'rom.h'))
    for folder in (name, 'common'):
        for where, dirs, names in os.walk(os.path.join(HERE, folder)):
            dirs[:] = sorted(d for d in dirs if d != '__pycache__')
            files += [os.path.join(where, n) for n in sorted(names)]
    for path in files:
        h.update(os.path.relpath(path, ROOT).encode() + b'\0' + digest_of(path).encode())
    h.update(os.uname().machine.encode())
    return h.hexdigest()[:16]


def names():
    return sorted(os.path.basename(os.path.dirname(p)) for p in glob.glob(os.path.join(HERE, '*', 'recipe.py')))


def object_of(name):
    return os.path.join(OUT, f'{name}-{key(name)}', f'{name}.o')


def rom_object(b):
    """The rom that the recipe has made, as guest_rom_NAME."""
    text = b.write('rom.S', f'''
    .section .rodata
    .balign 16
    .globl guest_rom_{b.name}
guest_rom_{b.name}:
    .incbin "{os.path.join(b.out, b.name + '.rom')}"
    .section .note.GNU-stack,"",%progbits
''')
    run(['gcc', '-c', text, '-o', text + '.o'])
    return text + '.o'


def translate(b):
    """The .wasm to an object with one global name, guest_code_NAME."""
    c = os.path.join(b.out, 'c')
    os.makedirs(c, exist_ok=True)
    run(['wasm2c', '-n', b.name, '-o', os.path.join(c, b.name + '.c'), os.path.join(b.out, b.name + '.wasm')])
    run([sys.executable, os.path.join(HERE, 'translate.py'), b.name, os.path.join(c, b.name + '.c'), os.path.join(b.out, 't'),
         str(getattr(recipe(b.name), 'PIECES', 8)), getattr(recipe(b.name), 'ROM_AT', '')])
    pieces = sorted(glob.glob(os.path.join(b.out, 't', '*.c')), key=os.path.getsize, reverse=True)
    # With relative names: what has not changed comes out of the compiler's cache, though the folder is another.
    flags = NATIVE + getattr(recipe(b.name), 'NATIVE', [])

    def one(path):
        run([*cached('gcc'), '-std=gnu17', *flags, f'-I{HERE}', f'-I{os.path.join(ROOT, "src")}', '-It', '-c', os.path.relpath(path, b.out),
             '-o', path + '.o'], cwd=b.out)
        return path + '.o'
    with ThreadPoolExecutor(b.jobs) as pool:
        objects = list(pool.map(one, pieces))
    if os.path.exists(os.path.join(b.out, b.name + '.rom')):
        objects.append(rom_object(b))
    whole = os.path.join(b.out, 'whole.o')
    run(['ld', '-r', '-o', whole, *objects])
    run(['objcopy', f'--keep-global-symbol=guest_code_{b.name}', whole, os.path.join(b.out, b.name + '.o.part')])


def build(name, jobs):
    target = object_of(name)
    if os.path.exists(target):
        return
    out = os.path.dirname(target)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    print(f'building the guest {name}', flush=True)
    b = Build(name, out, jobs)
    recipe(name).wasm(b)
    translate(b)
    for folder in ('o', 'c', 't'):
        shutil.rmtree(os.path.join(out, folder), ignore_errors=True)
    os.remove(os.path.join(out, 'whole.o'))
    os.rename(os.path.join(out, name + '.o.part'), target)
    for old in glob.glob(os.path.join(OUT, name + '-*')):
        if old != out:
            shutil.rmtree(old, ignore_errors=True)


def main():
    if sys.argv[1:] == ['--objects']:
        print('\n'.join(o for o in map(object_of, names()) if os.path.exists(o)))
        return 0
    try:
        if sys.argv[1:] == ['--fetch']:
            for name in sources():
                fetch(name)
            return 0
        for tool in (CLANG, LD, 'wasm2c', 'gcc', 'objcopy'):
            if not shutil.which(tool):
                raise Failed(f'{tool} is missing (tools/deps.sh guests installs what is needed)')
        wanted = [n for n in names() if not getattr(recipe(n), 'SLOW', False)] if sys.argv[1:] == ['--quick'] else sys.argv[1:] or names()
        for name in wanted:
            if name not in names():
                raise Failed(f'no guest {name}; there are: {" ".join(names())}')
            build(name, os.cpu_count() or 2)
    except Failed as e:
        print(f'guests: {e}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
