"""CPython 3.13 with zlib, bzip2, liblzma and SQLite. Its C is not patched: what wasi-libc lacks is in guests/common/posix.c, what
CPython leaves out for WASI is in lib/, changes to files of its library are in patches.py.

Three steps are kept apart from the rest, since they take minutes and change seldom: a Python for the
machine that builds (it freezes modules and compiles the library), the configuration for wasm, and the compilation.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import rom  # noqa: E402
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compression  # noqa: E402
import patches  # noqa: E402
import zones  # noqa: E402

SLOW = True
PIECES = 48
ROM_AT = '/usr/lib/python3.13'
# What -O2 adds to the interpreter's speed, without the time it takes to compile 85 MB of C.
NATIVE = ['-O1', '-fpeephole2', '-fipa-ra', '-fcaller-saves', '-foptimize-sibling-calls', '-fthread-jumps', '-freorder-blocks-and-partition']
# Modules whose files the library leaves out: what they need is not there (a display, the tests' own C modules, pip).
LEFT_OUT = {'test', 'tests', 'idlelib', 'tkinter', 'turtledemo', 'turtle.py', 'ensurepip', 'venv', 'idle_test', 'ctypes', 'curses', '__phello__',
            '__pycache__'}
ZLIB = 'adler32 compress crc32 deflate infback inffast inflate inftrees trees uncompr zutil'.split()
SQLITE = ['-DSQLITE_THREADSAFE=0', '-DSQLITE_OMIT_LOAD_EXTENSION', '-DSQLITE_ENABLE_FTS4', '-DSQLITE_ENABLE_FTS5', '-DSQLITE_ENABLE_RTREE',
          '-DSQLITE_ENABLE_MATH_FUNCTIONS', '-DSQLITE_ENABLE_COLUMN_METADATA', '-DSQLITE_ENABLE_DBSTAT_VTAB', '-DSQLITE_ENABLE_SESSION',
          '-DSQLITE_ENABLE_PREUPDATE_HOOK', '-DSQLITE_OMIT_WAL', '-DSQLITE_MAX_MMAP_SIZE=0', '-DSQLITE_DEFAULT_MEMSTATUS=0',
          '-DSQLITE_TEMP_STORE=2', '-DSQLITE_OS_OTHER=0', '-DSQLITE_OS_UNIX=1', '-D_WASI_EMULATED_MMAN',
          # Connections of one program wait for each other; its locks of the system's kind always succeed (guests/common/posix.c).
          '-DSQLITE_DEFAULT_UNIX_VFS="unix"']
WRAPPED = '''access chdir chmod close faccessat fchmod fchmodat fcntl fstat fstatat fstatvfs getcwd ioctl isatty lstat mkdir mkdirat open openat poll
posix_fadvise posix_fallocate clock_nanosleep uname raise read signal stat statvfs write abort fma fpathconf futimens localtime_r mktime opendir
pathconf readv setlocale sysconf utimensat writev Py_FinalizeEx Py_Exit'''.split()
EMULATED = ['-D_WASI_EMULATED_SIGNAL=1', '-D_WASI_EMULATED_GETPID=1', '-D_WASI_EMULATED_PROCESS_CLOCKS=1']
TIME = 1749600000  # of all files in the library


def run(b, argv, cwd, **env):
    r = subprocess.run(argv, cwd=cwd, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
    if r.returncode:
        raise b.Failed(f'{" ".join(argv[:4])} ... failed:\n{r.stdout[-3000:]}')


def ccache(compiler):
    return f'ccache {compiler}' if shutil.which('ccache') else compiler


def native(b):
    """A Python for this machine, without anything that need not be there to compile and freeze."""
    source = b.source('python')

    def make(folder):
        run(b, [f'{source}/configure', '-q', '--disable-test-modules', '--without-ensurepip'], folder, CC=ccache('gcc'), CFLAGS='-O0', OPT='-DNDEBUG')
        run(b, ['make', f'-j{b.jobs}', 'python'], folder)
    return b.step('python-native', make, source)


def configured(b, python):
    source, lib = b.source('python'), f'{b.sysroot}/lib/{b.TARGET}'
    compiler = f'{b.CLANG} --target={b.TARGET} --sysroot={b.sysroot}'

    def make(folder):
        run(b, [f'{source}/configure', '-q', '--host=wasm32-unknown-wasip1', '--build=x86_64-pc-linux-gnu', f'--with-build-python={python}/python',
                '--prefix=/usr', '--disable-test-modules', '--with-pymalloc', '--without-ensurepip', '--enable-big-digits=30'], folder,
            CONFIG_SITE=f'{source}/Tools/wasm/config.site-wasm32-wasi', CC=ccache(compiler), CPP=f'{b.CLANG} -E --target={b.TARGET} --sysroot={b.sysroot}',
            AR=b.AR, RANLIB='llvm-ranlib-22', HOSTRUNNER='/bin/true', ac_cv_func_dlopen='no', PKG_CONFIG_PATH='', PKG_CONFIG_LIBDIR='/nonexistent',
            LDFLAGS=f'-nostdlib -fuse-ld={b.LD} {lib}/crt1-command.o -L{lib} -lc {b.BUILTINS}', CFLAGS='-g0', OPT='-O2 -DNDEBUG',
            ZLIB_CFLAGS=f'-I{b.source("zlib")}', ZLIB_LIBS='-lm')
        # Its socket module is for sockets that somebody else has opened; ours is lib/_socket.py.
        setup = os.path.join(folder, 'Modules', 'Setup.stdlib')
        with open(setup, encoding='utf-8') as f:
            text = f.read()
        with open(setup, 'w', encoding='utf-8') as f:
            f.write(text.replace('\n_socket ', '\n#_socket '))
    return b.step('python-configured', make, source, python, b.sysroot, b.source('zlib'), b.BUILTINS)


def numbers(b, python):
    include = f'{b.sysroot}/include/{b.TARGET}'
    script = os.path.join(b.here, 'errnos.py')
    return b.step('python-errno', lambda folder: run(b, [f'{python}/python', script, f'{include}/__errno_values.h', f'{include}/wasi/api.h', folder],
                                                     folder), script, b.sysroot, python)


def flags(b, errnos):
    return ['-include', os.path.join(b.common, 'posix.h'), f'-I{errnos}', f'-I{os.path.join(b.common, "include")}', '-D_GNU_SOURCE=1', *EMULATED, '-w']


def compiled_with(b, errnos):
    # configure's -fno-strict-overflow is for pointers as well: they would be added to before each access to a member.
    return [*flags(b, errnos), '-fno-wrapv-pointer']


def compiled(b, python, before, errnos):
    """CPython itself: libpython3.13.a."""
    def make(folder):
        run(b, ['cp', '-a', before + '/.', folder], folder)
        os.remove(os.path.join(folder, 'done'))
        run(b, ['make', f'-j{b.jobs}', 'MACHDEP=linux', r'MULTIARCH_CPPFLAGS=-DMULTIARCH=\"x86_64-linux-gnu\"',
                'CFLAGS_NODIST=' + ' '.join(compiled_with(b, errnos)), 'libpython3.13.a'], folder)
    return b.step('python-compiled', make, before, errnos, ' '.join(compiled_with(b, errnos)), os.path.join(b.common, 'posix.h'),
                  *(os.path.join(b.common, 'include', name) for name in ('sched.h', 'sys/sendfile.h', 'sys/syscall.h', 'sys/wait.h')))


def amalgamation(b):
    """SQLite in one file."""
    source = b.source('sqlite3')

    def make(folder):
        run(b, [f'{source}/configure', '-q', '--disable-tcl', '--disable-shared', '--disable-readline'], folder)
        run(b, ['make', f'-j{b.jobs}', 'sqlite3.c', 'sqlite3.h'], folder)
    return b.step('sqlite3-amalgamation', make, source)


def library(b, python):
    """What is at /usr/lib/python3.13: {path: bytes}, sources and their compiled form."""
    files = {}

    def add(folder, left_out):
        for where, dirs, names in os.walk(folder):
            dirs[:] = sorted(d for d in dirs if d not in left_out)
            for name in sorted(n for n in names if n not in left_out and not n.endswith(('.pyc', '.exe', '.rst', '.sh', '.in'))):
                path = os.path.join(where, name)
                files[os.path.relpath(path, folder)] = path
    add(os.path.join(b.source('python'), 'Lib'), LEFT_OUT)
    add(os.path.join(b.here, 'lib'), {'__pycache__'})
    made = os.path.join(b.out, 'library')
    for name in patches.PATCHES:
        with open(files[name], 'rb') as f:
            text = patches.patched(name, f.read()).decode()
        files[name] = b.write('patched/' + name, text)
    listing = b.write('library.txt', ''.join(f'{name}\0{path}\n' for name, path in sorted(files.items())))
    run(b, [f'{python}/python', os.path.join(b.here, 'compile.py'), listing, made, ROM_AT], b.out)
    tree = {}
    for name, path in files.items():
        with open(path, 'rb') as f:
            tree[name] = f.read()
    for where, _, names in os.walk(made):
        for name in names:
            path = os.path.join(where, name)
            with open(path, 'rb') as f:
                tree[os.path.relpath(path, made)] = f.read()
    tree['lib-dynload/'] = b''
    tree.update(zones.files(os.path.join(os.path.dirname(os.path.dirname(b.here)), 'src', 'user', 'zones_table.c')))
    shutil.rmtree(made)
    return tree


def wasm(b):
    python = native(b)
    errnos = numbers(b, python)
    core = compiled(b, python, configured(b, python), errnos)
    source, sqlite = b.source('python'), amalgamation(b)
    with open(os.path.join(b.here, 'start.py'), encoding='utf-8') as f:
        text = f.read()
    b.write('i/start.inc', ''.join(f'{c}, ' for c in text.encode()))
    posix = flags(b, errnos)
    python_flags = [*posix, f'-I{core}', f'-I{source}/Include', f'-I{b.common}', f'-I{b.out}/i', '-fno-strict-overflow', '-fno-wrapv-pointer']
    b.compile([os.path.join(b.source('zlib'), s + '.c') for s in ZLIB], [])
    b.compile([os.path.join(sqlite, 'sqlite3.c')], [*SQLITE, *posix])
    coders = compression.compile_libraries(b)
    module = os.path.join(source, 'Modules', '_sqlite')
    b.compile(sorted(os.path.join(module, n) for n in os.listdir(module) if n.endswith('.c')),
              [*python_flags, f'-I{sqlite}', f'-I{source}/Include/internal', '-DPy_BUILD_CORE_MODULE=1', '-DPY_SQLITE_HAVE_SERIALIZE=1'])
    for name in ('_bz2module.c', '_lzmamodule.c'):
        b.compile([os.path.join(source, 'Modules', name)], [*python_flags, f'-I{source}/Include/internal', '-DPy_BUILD_CORE_MODULE=1', *coders])
    b.compile([os.path.join(b.common, 'errno.c')], [f'-I{errnos}'])
    b.compile([os.path.join(b.common, 'posix.c'), os.path.join(b.common, 'start.c'), os.path.join(b.here, 'guest.c'), os.path.join(b.here, 'immortal.c'),
               os.path.join(b.here, 'nacre.c')],
              [*python_flags, f'-I{source}/Include/internal', f'-DHOST_MACHINE="{os.uname().machine}"'])
    archives = [os.path.join(core, 'libpython3.13.a')] + [os.path.join(where, n) for where, _, names in os.walk(os.path.join(core, 'Modules'))
                                                          for n in sorted(names) if n.endswith('.a')]
    b.link(stack=4 << 20, more=[*archives, *(f'-Wl,--wrap={f}' for f in WRAPPED)])
    with open(os.path.join(b.out, b.name + '.rom'), 'wb') as f:
        f.write(rom.pack(library(b, python), TIME))
