"""Compiles the library: compile.py LISTING OUTDIR PLACE. Run by the Python that was built for this machine."""
import importlib.util
import os
import sys
from importlib._bootstrap_external import _code_to_hash_pyc


def main():
    listing, out, place = sys.argv[1:]
    with open(listing, encoding='utf-8') as f:
        for line in f:
            name, path = line.rstrip('\n').split('\0')
            if not name.endswith('.py'):
                continue
            with open(path, 'rb') as source:
                data = source.read()
            code = compile(data, f'{place}/{name}', 'exec', dont_inherit=True, optimize=0)
            where, base = os.path.split(name)
            to = os.path.join(out, where, '__pycache__', base[:-3] + '.cpython-313.pyc')
            os.makedirs(os.path.dirname(to), exist_ok=True)
            # Not compared with the source: the two never change.
            with open(to, 'wb') as f2:
                f2.write(_code_to_hash_pyc(code, importlib.util.source_hash(data), checked=False))


main()
