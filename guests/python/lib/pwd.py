"""Users, from /etc/passwd."""
from collections import namedtuple as _namedtuple

struct_passwd = _namedtuple('struct_passwd', 'pw_name pw_passwd pw_uid pw_gid pw_gecos pw_dir pw_shell')


def getpwall():
    result = []
    try:
        with open('/etc/passwd', encoding='utf-8', errors='surrogateescape') as f:
            for line in f:
                fields = line.rstrip('\n').split(':')
                if len(fields) == 7 and fields[2].isdigit() and fields[3].isdigit():
                    result.append(struct_passwd(fields[0], fields[1], int(fields[2]), int(fields[3]), *fields[4:]))
    except OSError:
        pass
    return result


def getpwnam(name, /):
    if not isinstance(name, str):
        raise TypeError(f'getpwnam() argument must be str, not {type(name).__name__}')
    for entry in getpwall():
        if entry.pw_name == name:
            return entry
    raise KeyError(f"getpwnam(): name not found: {name!r}")


def getpwuid(uid, /):
    if not isinstance(uid, int):
        raise TypeError(f'uid should be integer, not {type(uid).__name__}')
    for entry in getpwall():
        if entry.pw_uid == uid:
            return entry
    raise KeyError(f"getpwuid(): uid not found: {uid}")
