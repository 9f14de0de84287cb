"""Descriptors' flags. There are no locks between procs here: asking for one is an error."""
import errno
import os

import _nacre

F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW = 0, 1, 2, 3, 4, 5, 6, 7
F_DUPFD_CLOEXEC = 1030
F_RDLCK, F_WRLCK, F_UNLCK = 0, 1, 2
FD_CLOEXEC = 1
LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8


def _number(fd):
    return fd if isinstance(fd, int) else fd.fileno()


def _refuse(what):
    raise OSError(errno.ENOSYS, f'{os.strerror(errno.ENOSYS)} ({what} in the sandbox)')


def fcntl(fd, cmd, arg=0):
    if cmd in (F_GETLK, F_SETLK, F_SETLKW):
        _refuse('there are no file locks')
    if not isinstance(arg, int):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return _nacre.fcntl(_number(fd), cmd, arg)


def ioctl(fd, request, arg=0, mutate_flag=True):
    os.fstat(_number(fd))
    raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))


def flock(fd, operation):
    os.fstat(_number(fd))
    _refuse('there are no file locks')


def lockf(fd, cmd, len=0, start=0, whence=0):
    os.fstat(_number(fd))
    _refuse('there are no file locks')
