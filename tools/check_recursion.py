#!/usr/bin/env python3
"""Every function that calls itself, directly or through others, asks for stack or has a reason not to.

    check_recursion.py BUILD [EXCEPTIONS [OBJECT]]    with OBJECT only those of that name

A fiber's stack is small, and what a script nests it nests as deep as it likes. Each cycle of calls in the
objects of the layers (not of the guests and the libraries) must have a member that calls sys_stack, or a helper that
does, or stand in tools/recursion.txt with what bounds it: "FILE FUNCTION: reason", FUNCTION being any member. Calls
through pointers are not seen.
"""
import collections
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUNCTION = re.compile(r'^[0-9a-f]+ <([^>+]+)>:$')
CALL = re.compile(r'\b(?:call|jmp)\s+[0-9a-f]+ <([^>]+)>$')
RELOCATION = re.compile(r'R_X86_64_(?:PLT32|PC32)\s+(?:\.text\.)?([A-Za-z_][\w.]*)-0x4$')
OBJECT = re.compile(r'^(\S+\.o):\s+file format')
LOCAL = re.compile(r'^[0-9a-f]+ l     F \S+\s+[0-9a-f]+ (\S+)$')
PART = re.compile(r'\.(?:part|isra|constprop)\.?\d*')


def read(paths, calls, places):
    """Adds the calls of some objects: functions of one alone are known by its name and theirs."""
    text = subprocess.run(['objdump', '-t', '-dr', '--no-show-raw-insn', *paths], capture_output=True, text=True, check=True).stdout
    name, own, at = '', set(), None

    def key(function):
        plain = PART.sub('', function)
        return (name, plain) if function in own or plain in own else ('', plain)

    lines = text.split('\n')
    for line, following in zip(lines, lines[1:] + ['']):
        m = OBJECT.match(line)
        if m:
            name, own, at = os.path.basename(m[1]).replace('.c.o', '.c'), set(), None
            continue
        m = LOCAL.match(line)
        if m:
            own.add(m[1])
            continue
        m = FUNCTION.match(line)
        if m:
            at = key(m[1])
            places.setdefault(at, name)
            continue
        m = CALL.search(line)
        if not m or not at:
            continue
        if 'R_X86_64' in following:  # what the line itself names is where the object's own code goes on
            m = RELOCATION.search(following)
        if m and '+' not in m[1] and (key(m[1]) != at or '\tcall' in line):
            calls[at].add(key(m[1]))


def cycles(calls):
    """Strongly connected parts with more than one member, or that call themselves (Tarjan)."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for root in list(calls):
        if root in index:
            continue
        work = [(root, iter(sorted(calls[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            v, rest = work[-1]
            for w in rest:
                if w not in calls:
                    continue
                if w not in index:
                    index[w] = low[w] = len(index)
                    stack.append(w)
                    on.add(w)
                    work.append((w, iter(sorted(calls[w]))))
                    break
                if w in on:
                    low[v] = min(low[v], index[w])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[v])
                if low[v] == index[v]:
                    part = []
                    while not part or part[-1] != v:
                        part.append(stack.pop())
                        on.discard(part[-1])
                    if len(part) > 1 or v in calls[v]:
                        found.append(part)
    return found


def exceptions(path):
    known = {}
    with open(path, encoding='utf-8') as f:
        for line in f:
            m = re.match(r'(\S+) (\S+): \S', line)
            if m:
                known[m[1], m[2]] = False
            elif line.strip() and not line.startswith('#'):
                sys.exit(f'{path}: not "FILE FUNCTION: reason": {line.strip()}')
    return known


def main():
    build = sys.argv[1]
    known = exceptions(sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, 'tools', 'recursion.txt'))
    calls, places = collections.defaultdict(set), {}
    objects = sorted(glob.glob(os.path.join(build, 'libnacre_*.a.p', sys.argv[3] if len(sys.argv) > 3 else '*.o')))
    for at in range(0, len(objects), 64):
        read(objects[at:at + 64], calls, places)
    asked = {v for v in set(calls) | {w for c in calls.values() for w in c} if v[1] in ('sys_stack', 'sys_stack_more')}
    ask = asked | {v for v in calls if calls[v] & asked}
    faults = 0
    for part in cycles(calls):
        names = [(places[v].replace('src_', '', 1), v[1]) for v in sorted(part)]
        named = [n for n in names if n in known]
        for n in named:
            known[n] = True
        if not named and not any(calls[v] & ask for v in part):
            faults += 1
            print('calls itself without asking for stack: ' + ', '.join(f'{f} {g}' for f, g in names[:12]))
    for (name, function), met in known.items():
        if not met:
            faults += 1
            print(f'tools/recursion.txt: {name} {function} does not call itself any more')
    return 1 if faults or not objects else 0


if __name__ == '__main__':
    sys.exit(main())
