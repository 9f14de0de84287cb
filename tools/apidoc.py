#!/usr/bin/env python3
"""docs/api.md: the API reference, from the declarations and comments of the headers in include/nacre.

    apidoc.py           writes the page
    apidoc.py --check   exit 1 when the page is not what the header says

A header is cut at its "---- Title ---" lines; a comment before a declaration is its description, declarations without
one belong to those before them.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADERS = ['nacre.h', 'objects.h', 'parse.h']
PAGE = os.path.join(ROOT, 'docs', 'api.md')
RULED = re.compile(r'^/\* -{4} (.*?) -+ \*/$')
SKIP = ('#if', '#endif', '#else', '#define NACRE_API', '#include', '#ifndef', '#define NACRE_NACRE_H', '#define NACRE_OBJECTS_H', '#define NACRE_PARSE_H', 'extern "C"')


def text_of(comment):
    lines = [re.sub(r'^\s*(/\*+|\*/|\*)\s?', '', l).removesuffix('*/').rstrip() for l in comment]
    return '\n'.join(lines).strip()


def paragraphs(lines):
    """(comment, code) pairs: a comment at the margin begins a new one."""
    comment, code, inside = [], [], False
    for line in lines:
        if line.startswith('/*') and not inside:
            if code and ''.join(code).strip():
                yield comment, code
                comment, code = [], []
            inside = True
        if inside:
            comment.append(line)
            inside = '*/' not in line
        elif not line.startswith(SKIP):
            code.append(line)
    if code and ''.join(code).strip():
        yield comment, code


def header(name):
    with open(os.path.join(ROOT, 'include', 'nacre', name), encoding='utf-8') as f:
        source = f.read().split('\n')
    end = next(i for i, l in enumerate(source) if l.startswith(' */'))
    out = [f'# {name}', '', '```', text_of(source[:end + 1]), '```', '']
    sections, body = [], []
    for line in source[end + 1:]:
        m = RULED.match(line)
        if m:
            sections.append(body)
            body = [m.group(1)]
        else:
            body.append(line)
    sections.append(body)
    for i, section in enumerate(sections):
        if i or len(sections) > 1:
            out += [f'## {section[0] if i else "General"}', '']
        for comment, code in paragraphs(section[1:] if i else section):
            declaration = '\n'.join(code).strip('\n').replace('NACRE_API ', '')
            if declaration.strip() in ('', '}'):
                continue
            description = text_of(comment)
            if description:
                out += [description, '']
            out += ['```c', declaration, '```', '']
    return out


def page():
    out = ['# API reference', '', 'Made from the headers in `include/nacre` by `tools/apidoc.py`. How the parts are used together: docs/embedding.md.', '']
    for name in HEADERS:
        out += header(name)
    return '\n'.join(out).rstrip() + '\n'


def main():
    new = page()
    if '--check' in sys.argv:
        with open(PAGE, encoding='utf-8') as f:
            if f.read() != new:
                print('docs/api.md is out of date: run tools/apidoc.py')
                return 1
        return 0
    with open(PAGE, 'w', encoding='utf-8') as f:
        f.write(new)
    return 0


if __name__ == '__main__':
    sys.exit(main())
