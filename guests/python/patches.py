"""Changes to files of Python's library, whose own way needs threads, fork or OpenSSL: {file: [(old, new)...]}. Each
text must be there exactly once."""

ASYNCIO = ('''        loop = events.get_running_loop()
        thread = threading.Thread(target=self._do_waitpid,
                                  name=f"asyncio-waitpid-{next(self._pid_counter)}",
                                  args=(loop, pid, callback, args),
                                  daemon=True)
        self._threads[pid] = thread
        thread.start()
''', '''        # Asked for again and again: there are no threads that could wait.
        self._look(events.get_running_loop(), pid, callback, args, 0.0005)

    def _look(self, loop, pid, callback, args, delay):
        try:
            found, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            found, returncode = pid, 255
            logger.warning("Unknown child process pid %d, will report returncode 255", pid)
        else:
            returncode = waitstatus_to_exitcode(status)
        if not found:
            loop.call_later(delay, self._look, loop, pid, callback, args, min(delay * 2, 0.02))
        else:
            callback(pid, returncode, *args)
''')
HTTPS = ('''except ImportError:
    pass
else:
    class HTTPSConnection(HTTPConnection):
''', '''except ImportError:
    def _create_https_context(http_version):
        return None

    class HTTPSConnection(HTTPConnection):
        "There is no network; asking for one says so."

        default_port = HTTPS_PORT

        def __init__(self, host, port=None, *, timeout=socket._GLOBAL_DEFAULT_TIMEOUT, source_address=None, context=None, blocksize=8192):
            super().__init__(host, port, timeout, source_address, blocksize=blocksize)

    __all__.append("HTTPSConnection")
else:
    class HTTPSConnection(HTTPConnection):
''')
# What cannot be started never was a child; as a fork's it would have exited with 255.
NO_CHILD = ('''                except ChildProcessError:
                    pass
''', '''                except ChildProcessError:
                    self.returncode = 255
''')
PATCHES = {
    'asyncio/unix_events.py': [ASYNCIO],
    'hashlib.py': [('    from _hashlib import pbkdf2_hmac\n', '    from _kdf import pbkdf2_hmac\n'),
                   ('    from _hashlib import scrypt', '    from _kdf import scrypt')],
    'http/client.py': [HTTPS],
    'subprocess.py': [NO_CHILD],
    'multiprocessing/popen_fork.py': [('        self.pid = os.fork()\n', '''        raise NotImplementedError("there are no processes that share Python's memory in this sandbox: use subprocess")
''')],
}


def patched(name, data):
    for old, new in PATCHES.get(name, ()):
        if data.count(old.encode()) != 1:
            raise ValueError(f'{name}: {data.count(old.encode())} times: {old[:60]!r}')
        data = data.replace(old.encode(), new.encode())
    return data
