"""Sockets as far as there are any: pairs, made of two pipes. Whatever needs a network says that there is none."""
import errno as _errno
import os as _os

AF_UNSPEC, AF_UNIX, AF_INET, AF_INET6 = 0, 1, 2, 10
SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_NONBLOCK, SOCK_CLOEXEC = 1, 2, 3, 0o4000, 0o2000000
SOL_SOCKET, SO_REUSEADDR, SO_TYPE, SO_ERROR, SO_BROADCAST, SO_SNDBUF, SO_RCVBUF, SO_KEEPALIVE, SO_LINGER, SO_REUSEPORT = 1, 2, 3, 4, 6, 7, 8, 9, 13, 15
IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6, IPPROTO_ICMP = 0, 6, 17, 41, 1
TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, IPV6_V6ONLY = 1, 4, 5, 6, 26
SHUT_RD, SHUT_WR, SHUT_RDWR = 0, 1, 2
SOMAXCONN = 4096
MSG_PEEK, MSG_DONTWAIT, MSG_WAITALL, MSG_NOSIGNAL, MSG_OOB = 2, 0x40, 0x100, 0x4000, 1
AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST, AI_NUMERICSERV, AI_ADDRCONFIG, AI_V4MAPPED = 1, 2, 4, 0x400, 0x20, 8
NI_NUMERICHOST, NI_NUMERICSERV, NI_NAMEREQD, NI_DGRAM = 1, 2, 8, 16
EAI_FAIL, EAI_FAMILY, EAI_NONAME, EAI_SERVICE, EAI_AGAIN = -4, -6, -2, -8, -3
INADDR_ANY, INADDR_LOOPBACK, INADDR_BROADCAST = 0, 0x7f000001, 0xffffffff
has_ipv6 = False
_timeout = None

error = OSError
timeout = TimeoutError


class herror(OSError):
    pass


class gaierror(OSError):
    pass


NO_NETWORK = 'Network is unreachable (Python has no network here; use curl, as far as the sandbox allows it)'


def _refuse():
    raise OSError(_errno.ENETUNREACH, NO_NETWORK)


def _refuse_for(socket):
    if socket.family == AF_UNIX:
        raise PermissionError(_errno.EPERM, 'there are no sockets with names in this sandbox; socketpair() and os.mkfifo() work')
    _refuse()


class socket:
    """One end of a pair, or a socket that cannot be connected."""

    __slots__ = 'family', 'type', 'proto', '_ends', '_timeout'

    def __init__(self, family=-1, type=-1, proto=-1, fileno=None):
        # Its subclass has properties of these names.
        socket.family.__set__(self, AF_INET if family == -1 else family)
        socket.type.__set__(self, SOCK_STREAM if type == -1 else type)
        self.proto = 0 if proto == -1 else proto
        self._ends = None
        self._timeout = _timeout
        if fileno is not None:
            if isinstance(fileno, tuple):
                self._ends = fileno
            else:
                raise OSError(_errno.ENOTSOCK, _os.strerror(_errno.ENOTSOCK))

    def _end(self, i):
        if self._ends is None:
            _refuse()
        if self._ends[0] < 0:
            raise OSError(_errno.EBADF, _os.strerror(_errno.EBADF))
        return self._ends[i]

    def fileno(self):
        return self._ends[0] if self._ends else -1

    def detach(self):
        ends, self._ends = self._ends, (-1, -1)
        return ends

    def close(self):
        if self._ends and self._ends[0] >= 0:
            for fd in self._ends:
                _os.close(fd)
            self._ends = (-1, -1)

    def setblocking(self, flag):
        self.settimeout(None if flag else 0.0)

    def getblocking(self):
        return self._timeout != 0.0

    def settimeout(self, value):
        self._timeout = value
        if self._ends:
            for fd in self._ends:
                _os.set_blocking(fd, value is None)

    def gettimeout(self):
        return self._timeout

    def _wait(self, i):
        if self._timeout:
            import select
            r = select.select([self._end(0)] if i == 0 else [], [self._end(1)] if i else [], [], self._timeout)
            if not (r[0] or r[1]):
                raise TimeoutError('timed out')

    def recv(self, n, flags=0):
        self._end(0)
        self._wait(0)
        return _os.read(self._end(0), n)

    def recv_into(self, buffer, nbytes=0, flags=0):
        view = memoryview(buffer).cast('B')
        data = self.recv(nbytes or len(view))
        view[:len(data)] = data
        return len(data)

    def send(self, data, flags=0):
        self._end(1)
        self._wait(1)
        return _os.write(self._end(1), data)

    def sendall(self, data, flags=0):
        data = memoryview(data).cast('B')
        while data:
            data = data[self.send(data):]

    def shutdown(self, how):
        self._end(0)

    def connect(self, address):
        _refuse_for(self)

    def connect_ex(self, address):
        return _errno.EPERM if self.family == AF_UNIX else _errno.ENETUNREACH

    def bind(self, address):
        _refuse_for(self)

    listen = accept = _accept = recvfrom = sendto = recvmsg = sendmsg = recvfrom_into = getsockname = getpeername = \
        lambda self, *args: _refuse()

    def setsockopt(self, *args):
        if len(args) not in (3, 4):
            raise TypeError('setsockopt() takes 3 or 4 arguments')

    def getsockopt(self, level, option, size=0):
        if (level, option) == (SOL_SOCKET, SO_TYPE):
            return socket.type.__get__(self)
        if (level, option) == (SOL_SOCKET, SO_ERROR):
            return 0
        raise OSError(_errno.ENOPROTOOPT, _os.strerror(_errno.ENOPROTOOPT))

    @property
    def timeout(self):
        return self._timeout

    def __del__(self):
        try:
            self.close()
        except (OSError, TypeError, AttributeError):
            pass


SocketType = socket


def _pair(family, type, proto):
    a_read, b_write = _os.pipe()
    b_read, a_write = _os.pipe()
    return (a_read, a_write), (b_read, b_write)


def socketpair(family=AF_UNIX, type=SOCK_STREAM, proto=0):
    a, b = _pair(family, type, proto)
    return socket(family, type, proto, a), socket(family, type, proto, b)


def gethostname():
    return _os.uname().nodename


def sethostname(name):
    raise PermissionError(_errno.EPERM, _os.strerror(_errno.EPERM))


def gethostbyname(name):
    if name in ('localhost', '127.0.0.1', ''):
        return '127.0.0.1' if name else '0.0.0.0'
    raise gaierror(EAI_AGAIN, 'Temporary failure in name resolution (Python has no network here)')


def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
    name = host.decode() if isinstance(host, bytes) else host
    parts = (name or '127.0.0.1').split('.')
    if name == 'localhost':
        parts = ['127', '0', '0', '1']
    if len(parts) == 4 and all(p.isdigit() and int(p) < 256 for p in parts):
        return [(AF_INET, type or SOCK_STREAM, proto or IPPROTO_TCP, '', ('.'.join(parts), int(port or 0)))]
    raise gaierror(EAI_AGAIN, 'Temporary failure in name resolution (Python has no network here)')


def gethostbyname_ex(name):
    return name, [], [gethostbyname(name)]


def gethostbyaddr(address):
    raise herror(1, 'Unknown host')


def getnameinfo(address, flags):
    return address[0], str(address[1])


def getservbyname(name, protocol=None):
    try:
        return {'http': 80, 'https': 443, 'ftp': 21, 'ssh': 22, 'smtp': 25, 'domain': 53}[name]
    except KeyError:
        raise OSError('service/proto not found') from None


def getservbyport(port, protocol=None):
    for name, n in (('http', 80), ('https', 443), ('ftp', 21), ('ssh', 22), ('smtp', 25), ('domain', 53)):
        if n == port:
            return name
    raise OSError('port/proto not found')


def getprotobyname(name):
    try:
        return {'ip': 0, 'icmp': 1, 'tcp': 6, 'udp': 17}[name]
    except KeyError:
        raise OSError('protocol not found') from None


def getdefaulttimeout():
    return _timeout


def setdefaulttimeout(value):
    global _timeout
    _timeout = value


def close(fd):
    _os.close(fd)


def dup(fd):
    raise OSError(_errno.ENOTSOCK, _os.strerror(_errno.ENOTSOCK))


def htons(n):
    return (n & 0xff) << 8 | n >> 8 & 0xff


def htonl(n):
    return int.from_bytes(n.to_bytes(4, 'little'), 'big')


ntohs, ntohl = htons, htonl


def inet_aton(text):
    parts = text.split('.')
    if len(parts) != 4 or not all(p.isdigit() and int(p) < 256 for p in parts):
        raise OSError('illegal IP address string passed to inet_aton')
    return bytes(map(int, parts))


def inet_ntoa(packed):
    if len(packed) != 4:
        raise OSError('packed IP wrong length')
    return '.'.join(map(str, packed))


def inet_pton(family, text):
    import ipaddress
    try:
        return (ipaddress.IPv4Address(text) if family == AF_INET else ipaddress.IPv6Address(text)).packed
    except ValueError:
        raise OSError('illegal IP address string passed to inet_pton') from None


def inet_ntop(family, packed):
    import ipaddress
    return str(ipaddress.IPv4Address(packed) if family == AF_INET else ipaddress.IPv6Address(packed))


def if_nameindex():
    return [(1, 'lo')]


CAPI = None
