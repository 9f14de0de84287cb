"""The limits a process has, which are the sandbox's own kind of (ulimit), and what it has used."""
import errno as _errno
import os as _os
import time as _time
from collections import namedtuple as _namedtuple

import _nacre

error = OSError
RLIM_INFINITY = -1
RUSAGE_SELF, RUSAGE_CHILDREN, RUSAGE_THREAD = 0, -1, 1
(RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_STACK, RLIMIT_CORE, RLIMIT_RSS, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_AS, _LOCKS,
 RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE, RLIMIT_NICE, RLIMIT_RTPRIO, _RTTIME) = range(16)
RLIMIT_OFILE = RLIMIT_NOFILE
# The host's numbers (enum sys_rlimit_kind) of those that there are.
_KINDS = {RLIMIT_CORE: 0, RLIMIT_DATA: 1, RLIMIT_RSS: 2, RLIMIT_AS: 3, RLIMIT_FSIZE: 4, RLIMIT_MEMLOCK: 5, RLIMIT_NOFILE: 6, RLIMIT_CPU: 7, RLIMIT_NPROC: 8}

struct_rusage = _namedtuple('struct_rusage', 'ru_utime ru_stime ru_maxrss ru_ixrss ru_idrss ru_isrss ru_minflt ru_majflt ru_nswap ru_inblock '
                                             'ru_oublock ru_msgsnd ru_msgrcv ru_nsignals ru_nvcsw ru_nivcsw')


def _kind(resource):
    if not isinstance(resource, int):
        raise TypeError(f"'{type(resource).__name__}' object cannot be interpreted as an integer")
    if not 0 <= resource < 16:
        raise ValueError('invalid resource specified')
    return _KINDS.get(resource)


def getrlimit(resource, /):
    kind = _kind(resource)
    return (RLIM_INFINITY, RLIM_INFINITY) if kind is None else _nacre.getrlimit(kind)


def setrlimit(resource, limits, /):
    kind = _kind(resource)
    limits = tuple(limits)
    if len(limits) != 2:
        raise ValueError('expected a tuple of 2 integers')
    if kind is None:
        if limits == (RLIM_INFINITY, RLIM_INFINITY):
            return
        raise OSError(_errno.ENOSYS, f'{_os.strerror(_errno.ENOSYS)} (there is no such limit in the sandbox)')
    number = _nacre.setrlimit(kind, *limits)
    if number == _errno.EINVAL:
        raise ValueError('current limit exceeds maximum limit')
    if number == _errno.EPERM:
        raise ValueError('not allowed to raise maximum limit')


def prlimit(pid, resource, limits=None, /):
    if pid not in (0, _os.getpid()):
        raise PermissionError(_errno.EPERM, _os.strerror(_errno.EPERM))
    old = getrlimit(resource)
    if limits is not None:
        setrlimit(resource, limits)
    return old


def getrusage(who, /):
    if who not in (RUSAGE_SELF, RUSAGE_CHILDREN, RUSAGE_THREAD):
        raise ValueError('invalid who parameter')
    memory = 0
    if who != RUSAGE_CHILDREN:
        with open('/proc/self/status', encoding='ascii', errors='replace') as f:
            for line in f:
                if line.startswith(('VmHWM:', 'VmRSS:')):
                    memory = max(memory, int(line.split()[1]))
    times = _os.times()
    used = (times.children_user, times.children_system) if who == RUSAGE_CHILDREN else (_time.process_time(), 0.0)
    return struct_rusage(*used, memory, *[0] * 13)


def getpagesize():
    return 4096
