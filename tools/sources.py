#!/usr/bin/env python3
"""Lists the C sources of each library layer, lowest first, for the build.

    sources.py            one line a layer: NAME:FILE FILE...
    sources.py --stamp F  rewrites F only when the list changed (so that Ninja reconfigures then)
"""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_layers import owner, read_table  # noqa: E402


def layers(root):
    table = read_table(os.path.join(root, 'tools', 'layers.txt'))
    found = {folder: [] for folder in table if folder.startswith('src/')}
    for where, dirs, names in os.walk(os.path.join(root, 'src')):
        dirs.sort()
        for name in sorted(names):
            path = os.path.relpath(os.path.join(where, name), root)
            layer = owner(table, path)
            if layer is None:
                raise SystemExit(f'sources.py: {path} belongs to no layer of tools/layers.txt')
            if name.endswith(('.c', '.S')):
                found[layer].append(path)
    return found


def main():
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = ''.join(f'{layer}:{" ".join(files)}\n' for layer, files in layers(root).items() if files)
    if len(sys.argv) == 3 and sys.argv[1] == '--stamp':
        # The guests' objects have their content in their names.
        text += subprocess.run([sys.executable, os.path.join(root, 'guests', 'build.py'), '--objects'], check=True, capture_output=True,
                               text=True).stdout
        try:
            with open(sys.argv[2], encoding='utf-8') as f:
                old = f.read()
        except OSError:
            old = None
        if old != text:
            os.makedirs(os.path.dirname(sys.argv[2]) or '.', exist_ok=True)
            with open(sys.argv[2], 'w', encoding='utf-8') as f:
                f.write(text)
        return
    sys.stdout.write(text)


if __name__ == '__main__':
    main()
