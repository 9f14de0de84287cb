"""Groups, from /etc/group."""
from collections import namedtuple as _namedtuple

struct_group = _namedtuple('struct_group', 'gr_name gr_passwd gr_gid gr_mem')


def getgrall():
    result = []
    try:
        with open('/etc/group', encoding='utf-8', errors='surrogateescape') as f:
            for line in f:
                fields = line.rstrip('\n').split(':')
                if len(fields) == 4 and fields[2].isdigit():
                    result.append(struct_group(fields[0], fields[1], int(fields[2]), [m for m in fields[3].split(',') if m]))
    except OSError:
        pass
    return result


def getgrnam(name):
    for entry in getgrall():
        if entry.gr_name == name:
            return entry
    raise KeyError(f"getgrnam(): name not found: {name!r}")


def getgrgid(id):
    for entry in getgrall():
        if entry.gr_gid == id:
            return entry
    raise KeyError(f"getgrgid(): gid not found: {id}")
