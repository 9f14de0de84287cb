#!/usr/bin/env python3
"""Writes src/user/zones_table.c from the zone files of this machine.

    python3 tools/gen_zones.py [/usr/share/zoneinfo] > src/user/zones_table.c

The tz database (https://www.iana.org/time-zones) is in the public domain. Kept are all names,
and for each zone the changes since 1970 that its POSIX rule does not foretell.
"""
import os
import struct
import sys
from datetime import datetime, timedelta, timezone

ROOT = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/zoneinfo"
SKIP = {"posixrules", "localtime", "Factory"}


def read_files():
    files = {}
    for folder, dirs, names in os.walk(ROOT):
        rel = os.path.relpath(folder, ROOT)
        if rel == ".":
            dirs[:] = [d for d in dirs if d not in ("posix", "right")]
        for name in names:
            with open(os.path.join(folder, name), "rb") as f:
                data = f.read()
            full = os.path.normpath(os.path.join(rel, name))
            if data[:4] == b"TZif" and full not in SKIP:
                files[full] = data
    return files


def block(data, at, size):
    isut, isstd, leap, times, types, chars = struct.unpack(">6I", data[at + 20 : at + 44])
    at += 44
    when = struct.unpack(f">{times}{'q' if size == 8 else 'i'}", data[at : at + times * size])
    at += times * size
    which = data[at : at + times]
    at += times
    raw = [struct.unpack(">iBB", data[at + 6 * i : at + 6 * i + 6]) for i in range(types)]
    at += 6 * types
    text = data[at : at + chars]
    at += chars + leap * (size + 4) + isstd + isut
    kinds = [(o, d, text[n : text.index(b"\0", n)].decode()) for o, d, n in raw]
    return [(t, kinds[k]) for t, k in zip(when, which)], kinds, at


def rule_day(rule, year):
    """The local second since 1970 of a rule's moment."""
    rule, _, clock = rule.partition("/")
    seconds = hms(clock) if clock else 7200
    if rule[0] == "M":
        month, week, day = (int(x) for x in rule[1:].split("."))
        d = datetime(year, month, 1)
        d += timedelta((day - d.isoweekday() % 7) % 7 + (week - 1) * 7)
        while d.month != month:
            d -= timedelta(7)
    elif rule[0] == "J":
        d = datetime(year, 1, 1) + timedelta(int(rule[1:]) - 1)
        leap = year % 4 == 0 and (year % 100 or year % 400 == 0)
        if leap and int(rule[1:]) >= 60:
            d += timedelta(1)
    else:
        d = datetime(year, 1, 1) + timedelta(int(rule))
    return int(d.replace(tzinfo=timezone.utc).timestamp()) + seconds


def hms(text):
    sign = -1 if text[0] == "-" else 1
    parts = [int(x) for x in text.lstrip("+-").split(":")] + [0, 0]
    return sign * (parts[0] * 3600 + parts[1] * 60 + parts[2])


def split_name(text):
    if text[0] == "<":
        end = text.index(">")
        return text[1:end], text[end + 1 :]
    i = 0
    while i < len(text) and text[i].isalpha():
        i += 1
    return text[:i], text[i:]


def split_offset(text):
    i = 0
    while i < len(text) and (text[i].isdigit() or text[i] in "+-:"):
        i += 1
    return text[:i], text[i:]


def foretold(footer, first_year, last_year):
    """The changes a POSIX rule makes: [(moment, kind)]; and its standard kind."""
    main, *rules = footer.split(",")
    name, rest = split_name(main)
    offset, rest = split_offset(rest)
    std = (-hms(offset), 0, name)
    if not rest:
        return [], std
    name, rest = split_name(rest)
    dst = (-hms(rest) if rest else std[0] + 3600, 1, name)
    out = []
    for year in range(first_year, last_year + 1):
        out.append((rule_day(rules[0], year) - std[0], dst))
        out.append((rule_day(rules[1], year) - dst[0], std))
    return sorted(out), std


def reduce(data):
    _, _, at = block(data, 0, 4)
    changes, kinds, at = block(data, at, 8)
    footer = data[at:].strip().decode()
    before = [k for t, k in changes if t <= 0]
    first = before[-1] if before else next((k for k in kinds if not k[1]), kinds[0])
    changes = [(t, k) for t, k in changes if t > 0]
    told, std = foretold(footer, 1969, 2037)
    # From a change on, the rule says all that comes: then nothing after it need be kept.
    while len(changes) > 1:
        t, kind = changes[-2]
        later = [c for c in told if c[0] > t and c[0] <= changes[-1][0]]
        past = [k for m, k in told if m <= t]
        if later != changes[-1:] or (past[-1] if past else std) != kind:
            break
        changes.pop()
    return first, tuple(changes), footer


def c_string(text):
    return '"' + text + '"'


class Pool:
    def __init__(self):
        self.items, self.index = [], {}

    def add(self, item):
        if item not in self.index:
            self.index[item] = len(self.items)
            self.items.append(item)
        return self.index[item]


def wrap(words):
    lines, line = [], "\t"
    for word in words:
        if len(line) + 7 + len(word) > 96:
            lines.append(line.rstrip())
            line = "\t"
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


def main():
    zones = Pool()
    names = {name: zones.add(reduce(data)) for name, data in read_files().items()}
    kinds, footers = Pool(), Pool()
    when, which, rows, kind_rows = [], [], [], []
    for first, changes, footer in zones.items:
        own = Pool()
        own.add(first)
        start = len(when)
        for t, kind in changes:
            when.append(t)
            which.append(own.add(kind))
        rows.append((start, len(changes), len(kind_rows), len(own.items), footers.add(footer)))
        kind_rows += [kinds.add(k) for k in own.items]
    print("/* zones_table.c - time zones since 1970.")
    print(" *")
    print(" * Made by tools/gen_zones.py from the tz database, which is in the public domain; not to be edited.")
    print(" * See tz.c for its use. */")
    print('#include "zones_table.h"\n')
    print("const struct zone_name zone_names[] = {")
    print(wrap(f"{{{c_string(n)}, {names[n]}}}," for n in sorted(names, key=str.encode)))
    print(f"}};\nconst size_t zone_names_count = {len(names)};\n")
    print("const struct zone_row zone_rows[] = {")
    print(wrap("{" + ", ".join(map(str, r)) + "}," for r in rows))
    print("};\n\nconst struct zone_kind zone_kinds[] = {")
    print(wrap(f"{{{o}, {d}, {c_string(n)}}}," for o, d, n in kinds.items))
    print("};\n\nconst uint16_t zone_row_kinds[] = {")
    print(wrap(f"{k}," for k in kind_rows))
    print("};\n\nconst char *const zone_rules[] = {")
    print(wrap(f"{c_string(f)}," for f in footers.items))
    print("};\n\nconst uint32_t zone_when[] = {")
    print(wrap(f"{t}u," for t in when))
    print("};\n\nconst uint8_t zone_which[] = {")
    print(wrap(f"{k}," for k in which))
    print("};")
    assert max(when) < 2**32 and len(when) < 65536 and len(kind_rows) < 65536
    print(f"{len(names)} names, {len(rows)} zones, {len(when)} changes, {len(kinds.items)} kinds", file=sys.stderr)


if __name__ == "__main__":
    main()
