#!/usr/bin/env python3
"""The image a guest starts from, as an object with one name, guest_image_NAME: freeze.py FREEZER NAME OUT.o CC...

Run by the build of nacre; FREEZER is guests/freeze.c.
"""
import os
import subprocess
import sys


def main():
    freezer, name, out, *cc = sys.argv[1:]
    image, text = out + '.image', out + '.S'
    with open(image, 'wb') as f:
        status = subprocess.run([freezer, name], stdout=f, stdin=subprocess.DEVNULL).returncode
    if status:
        sys.exit(f'freeze.py: {name} cannot be initialised: status {status}')
    with open(text, 'w', encoding='utf-8') as f:
        f.write(f'''
    .section .rodata
    .balign 64
    .globl guest_image_{name}
    .hidden guest_image_{name}
guest_image_{name}:
    .incbin "{os.path.abspath(image)}"
    .section .note.GNU-stack,"",%progbits
''')
    status = subprocess.run([*cc, '-c', text, '-o', out]).returncode
    os.remove(image)
    os.remove(text)
    sys.exit(status)


main()
