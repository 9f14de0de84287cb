"""Files as memory: their bytes are read when they are mapped, and what was changed is written at flush() and when the map is closed.

There are no shared pages here, so what others write meanwhile is not seen, nor do others see what was not flushed.
"""
import os as _os

ACCESS_DEFAULT, ACCESS_READ, ACCESS_WRITE, ACCESS_COPY = range(4)
MAP_SHARED, MAP_PRIVATE, MAP_ANON, MAP_ANONYMOUS = 1, 2, 32, 32
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_DONTNEED = range(5)
PAGESIZE = ALLOCATIONGRANULARITY = 4096
error = OSError


class mmap:
    def __init__(self, fileno, length, flags=MAP_SHARED, prot=PROT_WRITE | PROT_READ, access=ACCESS_DEFAULT, offset=0, *, trackfd=True):
        self._bytes = None
        if length < 0:
            raise OverflowError('memory mapped length must be positive')
        if offset < 0:
            raise OverflowError('memory mapped offset must be positive')
        if access != ACCESS_DEFAULT and (flags != MAP_SHARED or prot != PROT_WRITE | PROT_READ):
            raise ValueError("mmap can't specify both access and flags, prot.")
        if not ACCESS_DEFAULT <= access <= ACCESS_COPY:
            raise ValueError('mmap invalid access parameter.')
        if offset % PAGESIZE:
            raise OSError(22, 'Invalid argument')
        self._readonly = access == ACCESS_READ or (access == ACCESS_DEFAULT and not prot & PROT_WRITE)
        self._copy = access == ACCESS_COPY or bool(flags & MAP_PRIVATE) or fileno == -1
        self._resizable = access in (ACCESS_DEFAULT, ACCESS_WRITE) and not self._copy and trackfd
        self._at, self._offset, self._fd = 0, offset, -1
        self._first, self._last = None, 0
        if fileno == -1:
            if length == 0:
                raise ValueError('cannot mmap an empty file')
            self._bytes = bytearray(length)
            return
        size = _os.fstat(fileno).st_size
        if length == 0:
            if size == 0:
                raise ValueError('cannot mmap an empty file')
            if offset >= size:
                raise ValueError('mmap offset is greater than file size')
            length = size - offset
        elif offset > size or size - offset < length:
            raise ValueError('mmap length is greater than file size')
        if not self._readonly and not self._copy:
            # As the system's own call: what is to be written back must be open for both.
            import fcntl
            if fcntl.fcntl(fileno, fcntl.F_GETFL) & _os.O_RDWR != _os.O_RDWR:
                raise PermissionError(13, 'Permission denied')
        self._bytes = bytearray(length)
        done = 0
        while done < length:
            part = _os.pread(fileno, min(length - done, 1 << 20), offset + done)
            if not part:
                break
            self._bytes[done:done + len(part)] = part
            done += len(part)
        self._fd = _os.dup(fileno)

    def _live(self):
        if self._bytes is None:
            raise ValueError('mmap closed or invalid')
        return self._bytes

    def _changed(self, start, end):
        self._first = start if self._first is None else min(self._first, start)
        self._last = max(self._last, end)

    def _writable(self):
        self._live()
        if self._readonly:
            raise TypeError("mmap can't modify a readonly memory map.")

    @property
    def closed(self):
        return self._bytes is None

    def close(self):
        if self._bytes is None:
            return
        try:
            self.flush()
            bytearray.clear(self._bytes)
        except BufferError:
            raise BufferError('cannot close exported pointers exist') from None
        self._bytes = None
        if self._fd >= 0:
            _os.close(self._fd)
            self._fd = -1

    def __del__(self):
        try:
            self.close()
        except (BufferError, OSError, TypeError):
            pass

    def __enter__(self):
        self._live()
        return self

    def __exit__(self, *exc):
        self.close()

    def flush(self, offset=0, size=None, flags=0):
        view = self._live()
        if size is None:
            size = len(view) - offset
        if offset < 0 or size < 0 or offset + size > len(view):
            raise ValueError('flush values out of range')
        if self._fd < 0 or self._copy or self._readonly:
            return None
        if self._exported:
            self._changed(0, len(view))
        if self._first is not None:
            at = self._first
            while at < self._last:
                at += _os.pwrite(self._fd, view[at:self._last], self._offset + at)
            self._first, self._last = None, 0
        return None

    _exported = False

    def __buffer__(self, flags):
        view = memoryview(self._live())
        if self._readonly:
            return view.toreadonly()
        self._exported = self._exported or bool(flags & 1)
        return view

    def __len__(self):
        return len(self._live())

    def __getitem__(self, i):
        view = self._live()
        if isinstance(i, slice):
            return bytes(view[i])
        try:
            return view[i]
        except IndexError:
            raise IndexError('mmap index out of range') from None

    def __setitem__(self, i, value):
        view = self._live()
        self._writable()
        if isinstance(i, slice):
            start, stop, step = i.indices(len(view))
            if len(range(start, stop, step)) != len(memoryview(value).cast('B')):
                raise IndexError('mmap slice assignment is wrong size')
            view[i] = value
            self._changed(0 if step < 0 else start, len(view) if step < 0 else max(start, stop))
            return
        try:
            view[i] = value
        except IndexError:
            raise IndexError('mmap index out of range') from None
        i = i + len(view) if i < 0 else i
        self._changed(i, i + 1)

    def __iter__(self):
        # Bytes, where an index gives a number.
        for i in range(len(self)):
            yield self[i:i + 1]

    def __repr__(self):
        if self._bytes is None:
            return '<mmap.mmap closed=True>'
        access = 'ACCESS_READ' if self._readonly else 'ACCESS_COPY' if self._copy and self._fd >= 0 else 'ACCESS_DEFAULT'
        return f'<mmap.mmap closed=False, access={access}, length={len(self._bytes)}, pos={self._at}, offset={self._offset}>'

    def _range(self, start, end, default):
        n = len(self._live())
        start = default if start is None else max(start + n, 0) if start < 0 else min(start, n)
        end = n if end is None else max(end + n, 0) if end < 0 else min(end, n)
        return start, end

    def find(self, view, start=None, end=None):
        return self._live().find(view, *self._range(start, end, self._at))

    def rfind(self, view, start=None, end=None):
        return self._live().rfind(view, *self._range(start, end, self._at))

    def read(self, n=None):
        view = self._live()
        end = len(view) if n is None or n < 0 else min(self._at + n, len(view))
        part = bytes(view[self._at:end])
        self._at = max(self._at, end)
        return part

    def read_byte(self):
        if self._at >= len(self._live()):
            raise ValueError('read byte out of range')
        self._at += 1
        return self._bytes[self._at - 1]

    def readline(self):
        end = self._live().find(b'\n', self._at)
        return self.read(None if end < 0 else end + 1 - self._at)

    def write(self, data):
        self._writable()
        data = memoryview(data).cast('B')
        if self._at + len(data) > len(self._bytes):
            raise ValueError('data out of range')
        self._bytes[self._at:self._at + len(data)] = data
        self._changed(self._at, self._at + len(data))
        self._at += len(data)
        return len(data)

    def write_byte(self, byte):
        self._writable()
        if self._at >= len(self._bytes):
            raise ValueError('write byte out of range')
        self._bytes[self._at] = byte
        self._changed(self._at, self._at + 1)
        self._at += 1

    def seek(self, pos, whence=0):
        n = len(self._live())
        if whence not in (0, 1, 2):
            raise ValueError('unknown seek type')
        to = pos + (0, self._at, n)[whence]
        if not 0 <= to <= n:
            raise ValueError('seek out of range')
        self._at = to
        return to

    def seekable(self):
        return True

    def tell(self):
        self._live()
        return self._at

    def size(self):
        self._live()
        return len(self._bytes) if self._fd < 0 else _os.fstat(self._fd).st_size

    def move(self, dest, src, count):
        self._writable()
        n = len(self._bytes)
        if dest < 0 or src < 0 or count < 0 or n - dest < count or n - src < count:
            raise ValueError('source, destination, or count out of range')
        self._bytes[dest:dest + count] = self._bytes[src:src + count]
        self._changed(dest, dest + count)

    def resize(self, newsize):
        self._live()
        if not self._resizable:
            raise TypeError("mmap can't resize a readonly or copy-on-write memory map.")
        self.flush()
        _os.ftruncate(self._fd, self._offset + newsize)
        if newsize < len(self._bytes):
            del self._bytes[newsize:]
        else:
            self._bytes.extend(bytes(newsize - len(self._bytes)))

    def madvise(self, option, start=0, length=None):
        self._live()
