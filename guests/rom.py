"""Packs files into a rom (src/base/rom.h): pack({path: bytes}, time) -> bytes."""
import struct

DIR = 0x8000
HEAD = struct.Struct('<8sIIq')
NODE = struct.Struct('<IHHII')


def tree_of(files):
    root = {}
    for path, data in files.items():
        *dirs, name = path.split('/')
        at = root
        for d in dirs:
            at = at.setdefault(d, {})
        if name:
            at[name] = data
    return root


def pack(files, time):
    """A path that ends in a slash is an empty directory."""
    nodes = [(b'', tree_of(files))]
    done = 0
    firsts = {}
    while done < len(nodes):
        _, what = nodes[done]
        if isinstance(what, dict):
            firsts[done] = len(nodes)
            nodes += sorted(((name.encode(), below) for name, below in what.items()), key=lambda e: e[0])
        done += 1
    at = HEAD.size + NODE.size * len(nodes)
    table, blob = [], []
    for i, (name, what) in enumerate(nodes):
        bytes_at = at + len(name)
        if isinstance(what, dict):
            table.append(NODE.pack(at, len(name), DIR, firsts[i], len(what)))
            blob.append(name)
        else:
            table.append(NODE.pack(at, len(name), 0, bytes_at, len(what)))
            blob += [name, what]
            bytes_at += len(what)
        at = bytes_at
    return HEAD.pack(b'nacrerom', at, len(nodes), time) + b''.join(table) + b''.join(blob)
