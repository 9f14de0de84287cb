"""Keys from passwords: what hashlib takes from OpenSSL elsewhere."""
import _nacre


def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
    import hashlib
    if not isinstance(hash_name, str):
        raise TypeError(f'pbkdf2_hmac() argument 1 must be str, not {type(hash_name).__name__}')
    inner, outer = hashlib.new(hash_name), hashlib.new(hash_name)
    block, password, salt = inner.block_size, bytes(memoryview(password)), bytes(memoryview(salt))
    if iterations < 1:
        raise ValueError('iteration value must be greater than 0.')
    if dklen is None:
        dklen = outer.digest_size
    if dklen < 1:
        raise ValueError('key length must be greater than 0.')
    if len(password) > block:
        password = hashlib.new(hash_name, password).digest()
    password = password.ljust(block, b'\0')
    inner.update(bytes(b ^ 0x36 for b in password))
    outer.update(bytes(b ^ 0x5c for b in password))
    start, end, number = inner.copy, outer.copy, int.from_bytes

    def prf(message):
        i, o = start(), end()
        i.update(message)
        o.update(i.digest())
        return o.digest()
    key = b''
    while len(key) < dklen:
        u = prf(salt + (len(key) // inner.digest_size + 1).to_bytes(4, 'big'))
        total = number(u, 'big')
        for _ in range(iterations - 1):
            u = prf(u)
            total ^= number(u, 'big')
        key += total.to_bytes(inner.digest_size, 'big')
    return key[:dklen]


def scrypt(password, *, salt=None, n=None, r=None, p=None, maxmem=0, dklen=64):
    for name, value in (('salt', salt), ('n', n), ('r', r), ('p', p)):
        if value is None:
            raise TypeError(f'{name} is required')
    if n < 2 or n & (n - 1):
        raise ValueError('n must be a power of 2.')
    if not 0 <= maxmem <= 0x7fffffff:
        raise ValueError('maxmem must be positive and smaller than 2147483647')
    if r < 1 or p < 1 or dklen < 1:
        raise ValueError('Invalid parameter combination for n, r, p, maxmem.')
    if 128 * r * (n + p + 2) > (maxmem or 32 << 20):
        raise ValueError('[digital envelope routines] memory limit exceeded')
    blocks = bytearray(pbkdf2_hmac('sha256', password, salt, 1, 128 * r * p))
    for i in range(p):
        _nacre.scrypt_mix(memoryview(blocks)[128 * r * i:128 * r * (i + 1)], n)
    return pbkdf2_hmac('sha256', password, blocks, 1, dklen)
