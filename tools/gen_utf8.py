#!/usr/bin/env python3
"""Writes src/base/utf8_table.c from the C library's own view of C.UTF-8.

bash and the GNU tools classify characters with isw*(), towupper() and wcwidth(), so those
functions of this machine's libc are asked for every code point. Run it on glibc:

    python3 tools/gen_utf8.py > src/base/utf8_table.c

Two tables of two levels each: a page number for every 128 characters, then pages of record
numbers. One table gives class bits and width, the other the distances to the other cases.
"""
import ctypes
import locale
import sys

CLASSES = "alpha alnum upper lower digit xdigit space blank punct print graph cntrl".split()
LIMIT = 0x110000
PAGE = 128


def ask():
    libc = ctypes.CDLL(None)
    locale.setlocale(locale.LC_ALL, "C.UTF-8")
    tests = [getattr(libc, "isw" + name) for name in CLASSES]
    props, cases = [], []
    for c in range(LIMIT):
        if 0xD800 <= c < 0xE000:
            props.append((0, -1))
            cases.append((0, 0))
            continue
        bits = sum(1 << i for i, test in enumerate(tests) if test(c))
        props.append((bits, libc.wcwidth(c)))
        cases.append((libc.towlower(c) - c, libc.towupper(c) - c))
    return props, cases


def fold(values):
    records, pages, index = [], [], []
    record_of, page_of = {}, {}
    for start in range(0, LIMIT, PAGE):
        page = []
        for v in values[start : start + PAGE]:
            if v not in record_of:
                record_of[v] = len(records)
                records.append(v)
            page.append(record_of[v])
        page = tuple(page)
        if page not in page_of:
            page_of[page] = len(pages)
            pages.append(page)
        index.append(page_of[page])
    return records, pages, index


def numbers(values):
    out, line = [], "\t"
    for v in values:
        word = f"{v},"
        if len(line) + 7 + len(word) > 98:
            out.append(line.rstrip())
            line = "\t"
        line += word + " "
    out.append(line.rstrip())
    return "\n".join(out)


def emit(name, values, record_text, struct):
    records, pages, index = fold(values)
    small = "uint8_t" if len(records) <= 256 else "uint16_t"
    wide = "uint8_t" if len(pages) <= 256 else "uint16_t"
    print(f"const struct {struct} utf8_{name}[] = {{")
    print("\n".join("\t" + record_text(r) for r in records))
    print("};\n")
    print(f"const {wide} utf8_{name}_index[] = {{\n{numbers(index)}\n}};\n")
    flat = [v for page in pages for v in page]
    print(f"const {small} utf8_{name}_page[] = {{\n{numbers(flat)}\n}};")
    print(f"{name}: {len(records)} records {small}, {len(pages)} pages {wide}", file=sys.stderr)


def main():
    props, cases = ask()
    print("/* utf8_table.c - classes, widths and cases of all characters.")
    print(" *")
    print(" * Made by tools/gen_utf8.py from glibc's C.UTF-8; not to be edited. See utf8.c for its use. */")
    print('#include "utf8_table.h"\n')
    emit("prop", props, lambda r: f"{{0x{r[0]:03x}, {r[1]}}},", "utf8_prop")
    print()
    emit("case", cases, lambda r: f"{{{r[0]}, {r[1]}}},", "utf8_case")


if __name__ == "__main__":
    main()
