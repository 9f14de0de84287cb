"""The sqlite3 shell, SQLite 3.46.1 with FTS5, R-trees and mathematical functions, on the same source as Python's module."""
import os
import subprocess

PIECES = 24
NATIVE = ['-O1']
OPTIONS = ['-DSQLITE_THREADSAFE=0', '-DSQLITE_OMIT_LOAD_EXTENSION', '-DSQLITE_ENABLE_FTS4', '-DSQLITE_ENABLE_FTS5', '-DSQLITE_ENABLE_RTREE',
           '-DSQLITE_ENABLE_MATH_FUNCTIONS', '-DSQLITE_ENABLE_COLUMN_METADATA', '-DSQLITE_ENABLE_DBSTAT_VTAB', '-DSQLITE_ENABLE_BYTECODE_VTAB', '-DSQLITE_ENABLE_DBPAGE_VTAB',
           '-DSQLITE_ENABLE_STMTVTAB', '-DSQLITE_ENABLE_UNKNOWN_SQL_FUNCTION', '-DSQLITE_ENABLE_EXPLAIN_COMMENTS', '-DSQLITE_ENABLE_OFFSET_SQL_FUNC',
           '-DSQLITE_OMIT_WAL', '-DSQLITE_MAX_MMAP_SIZE=0', '-DSQLITE_TEMP_STORE=2', '-DSQLITE_OS_OTHER=0', '-DSQLITE_OS_UNIX=1', '-DSQLITE_HAVE_ISNAN=1',
           '-DSQLITE_DEFAULT_UNIX_VFS="unix-none"', '-DHAVE_USLEEP=1', '-D_WASI_EMULATED_MMAN']


def sources(b):
    """sqlite3.c and shell.c, which SQLite makes of its parts."""
    source = b.source('sqlite3')

    def run(argv, folder):
        r = subprocess.run(argv, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace')
        if r.returncode:
            raise b.Failed(f'{" ".join(argv[:4])} ... failed:\n{r.stdout[-3000:]}')

    def make(folder):
        run([f'{source}/configure', '-q', '--disable-tcl', '--disable-shared', '--disable-readline'], folder)
        run(['make', f'-j{b.jobs}', 'sqlite3.c', 'sqlite3.h', 'shell.c'], folder)
    return b.step('sqlite3-shell', make, source)


def wasm(b):
    made = sources(b)
    flags = [*OPTIONS, f'-I{made}', f'-I{b.common}', f'-I{os.path.join(b.here, "include")}', '-include', os.path.join(b.here, 'shims.h')]
    b.compile([os.path.join(made, 'sqlite3.c'), (os.path.join(made, 'shell.c'), ['-Dmain=shell_main']), os.path.join(b.here, 'guest.c')], flags)
    b.compile([os.path.join(b.common, 'start.c')], [])
    b.link(stack=4 << 20)
