"""fork_exec for a system without fork: the program is started by one call of the host's."""
import os

import _nacre

__all__ = ['fork_exec']


def _report(errpipe_write, number, text=b''):
    # As the child of a fork would say it: the exception's name, its number in hexadecimal, where it was.
    os.write(errpipe_write, b'OSError:%x:%s' % (number, text))
    # No such child: whoever waits for it finds that out.
    return 0x7ffffffe


def fork_exec(args, executable_list, close_fds, pass_fds, cwd, env, p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite,
              errpipe_read, errpipe_write, restore_signals, start_new_session, process_group, gid, extra_groups, uid, umask, preexec_fn,
              allow_vfork=True, /):
    if preexec_fn is not None:
        raise RuntimeError('preexec_fn is not supported here: there is no fork between parent and child')
    for wanted, mine in ((uid, os.getuid()), (gid, os.getgid())):
        if wanted is not None and wanted != mine:
            return _report(errpipe_write, 1)
    moves = tuple((fd, to) for fd, to in ((p2cread, 0), (c2pwrite, 1), (errwrite, 2)) if fd != -1)
    keep = tuple(fd for fd in pass_fds if fd != errpipe_write)
    group = -1 if start_new_session or process_group == 0 else process_group if process_group > 0 else 0
    if cwd is not None:
        try:
            os.stat(os.path.join(os.fsencode(cwd), b'.'))
        except OSError as e:
            return _report(errpipe_write, e.errno, b'noexec:chdir')
    if not isinstance(args, (tuple, list)):
        args = tuple(args)
    argv = tuple(os.fsencode(a) for a in args)
    old = os.umask(umask) if umask >= 0 else None
    result = -2
    try:
        for path in executable_list:
            result = _nacre.spawn(path, argv, env, moves, group, None if cwd is None else os.fsdecode(cwd), bool(close_fds), keep)
            if result not in (-2, -20):
                break
    finally:
        if old is not None:
            os.umask(old)
    return result if result >= 0 else _report(errpipe_write, -result)
