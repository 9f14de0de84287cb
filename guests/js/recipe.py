"""JavaScript: QuickJS 2025.04.26, changed by patches.py, with the library in lib/ as text in it."""
import glob
import importlib.util
import os

PIECES = 12


def changes(here):
    spec = importlib.util.spec_from_file_location('patches', os.path.join(here, 'patches.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CHANGES


def patched(b, source):
    """The folder of copies of the sources that are changed."""
    texts = {}
    for name, old, new in changes(b.here):
        if name not in texts:
            with open(os.path.join(source, name), encoding='utf-8') as f:
                texts[name] = f.read()
        if texts[name].count(old) != 1:
            raise SystemExit(f'guests: js: {texts[name].count(old)} times, not once, in {name}:\n{old}')
        texts[name] = texts[name].replace(old, new)
    for name, text in texts.items():
        b.write(os.path.join('i', name), text)
    return os.path.join(b.out, 'i')


STEP = 65536  # the library's room grows in such steps: what moves nothing else is quickly built again


def library(b):
    """lib/*.js as one piece: name, 0, length (4 bytes), text, 0; an empty name at the end."""
    data = b''
    for path in sorted(glob.glob(os.path.join(b.here, 'lib', '**', '*.js'), recursive=True)):
        with open(path, 'rb') as f:
            text = f.read()
        data += os.path.relpath(path, os.path.join(b.here, 'lib'))[:-3].encode() + b'\0' + len(text).to_bytes(4, 'little') + text + b'\0'
    with open(os.path.join(b.out, 'i', 'library.bin'), 'wb') as f:
        f.write(data.ljust((len(data) // STEP + 1) * STEP, b'\0'))


def wasm(b):
    source = b.source('quickjs')
    made = patched(b, source)
    library(b)
    base = os.path.join(b.here, '..', '..', 'src', 'base')
    flags = [f'--embed-dir={made}', '-DCONFIG_VERSION="2025-04-26"', f'-I{made}', f'-I{b.here}', f'-I{source}', f'-I{os.path.dirname(base)}', '-fno-strict-aliasing', '-fwrapv']
    b.compile([os.path.join(b.here, 'engine.c'), os.path.join(made, 'dtoa.c')] +
              [os.path.join(source, s + '.c') for s in ('libregexp', 'libunicode', 'cutils')] +
              sorted(glob.glob(os.path.join(b.here, 'host_*.c'))) +
              [os.path.join(base, s + '.c') for s in ('digest', 'sha')] +
              [os.path.join(b.here, 'guest.c'), os.path.join(b.common, 'start.c')], flags)
    b.link(stack=16 << 20)
