// crypto: digests, HMAC, chance. Ciphers and keys are not there.
const { Buffer } = require('buffer');
const { Transform } = require('stream');
const { withCode, invalidArgType, notHere, needInteger, outOfRange } = require('internal/errors');

const KINDS = { md5: 0, sha1: 1, sha224: 2, sha256: 3, sha384: 4, sha512: 5, blake2b512: 6 };
const ALIAS = { 'rsa-md5': 'md5', 'rsa-sha1': 'sha1', 'rsa-sha256': 'sha256', 'rsa-sha512': 'sha512', 'sha-1': 'sha1', 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' };
const BLOCK = { md5: 64, sha1: 64, sha224: 64, sha256: 64, sha384: 128, sha512: 128, blake2b512: 128 };

function nameOf(algorithm, what = 'algorithm') {
  if (typeof algorithm !== 'string') throw invalidArgType(what, 'string', algorithm);
  const n = ALIAS[algorithm.toLowerCase()] ?? algorithm.toLowerCase();
  return n in KINDS ? n : null;
}

function bytesOf(data, encoding, name = 'data') {
  if (typeof data === 'string') return Buffer.from(data, encoding === 'buffer' ? 'utf8' : encoding);
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  throw invalidArgType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
}

function digest(name, pieces) {
  const args = [KINDS[name]];
  for (const p of pieces) args.push(p.buffer, p.byteOffset, p.length);
  return Buffer.from(host.digest(...args));
}
const out = (b, encoding) => (encoding && encoding !== 'buffer' ? b.toString(encoding) : b);

class Hash extends Transform {
  #name;
  #pieces = [];
  #size = 0;
  #done = false;
  constructor(algorithm) {
    super();
    this.#name = nameOf(algorithm);
    if (!this.#name) throw new Error('Digest method not supported');
  }
  update(data, encoding) {
    if (this.#done) throw withCode(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    const b = bytesOf(data, encoding);
    // Kept as they are: the caller may change its buffer.
    this.#pieces.push(typeof data === 'string' ? b : Buffer.from(b));
    this.#size += b.length;
    if (this.#pieces.length > 5000) this.#pieces = [Buffer.concat(this.#pieces)];
    return this;
  }
  digest(encoding) {
    if (this.#done) throw withCode(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#done = true;
    return out(digest(this.#name, this.#pieces), encoding);
  }
  copy() {
    if (this.#done) throw withCode(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    const h = new Hash(this.#name);
    h.#pieces = [...this.#pieces];
    return h;
  }
  _transform(chunk, encoding, cb) { this.update(chunk, encoding); cb(); }
  _flush(cb) { this.push(this.digest()); cb(); }
}

function hmac(name, key, pieces) {
  const size = BLOCK[name];
  let k = key.length > size ? digest(name, [key]) : key;
  k = Buffer.concat([k, Buffer.alloc(size - k.length)]);
  const pad = (x) => Buffer.from(k.map((b) => b ^ x));
  return digest(name, [pad(0x5c), digest(name, [pad(0x36), ...pieces])]);
}

class Hmac extends Transform {
  #name;
  #key;
  #pieces = [];
  #done = false;
  constructor(algorithm, key) {
    super();
    this.#name = nameOf(algorithm, 'hmac');
    if (!this.#name) throw withCode(Error, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
    this.#key = key instanceof KeyObject ? key.export() : bytesOf(key, 'utf8', 'key');
  }
  update(data, encoding) {
    if (this.#done) throw withCode(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
    this.#pieces.push(Buffer.from(bytesOf(data, encoding)));
    return this;
  }
  digest(encoding) {
    if (this.#done) return out(Buffer.alloc(0), encoding);
    this.#done = true;
    return out(hmac(this.#name, this.#key, this.#pieces), encoding);
  }
  _transform(chunk, encoding, cb) { this.update(chunk, encoding); cb(); }
  _flush(cb) { this.push(this.digest()); cb(); }
}

class KeyObject {
  #bytes;
  constructor(bytes) { this.#bytes = bytes; }
  get type() { return 'secret'; }
  get symmetricKeySize() { return this.#bytes.length; }
  export(options) { return options?.format === 'jwk' ? { kty: 'oct', k: this.#bytes.toString('base64url') } : Buffer.from(this.#bytes); }
  equals(other) { return other instanceof KeyObject && this.#bytes.equals(other.export()); }
}

function pbkdf2Sync(password, salt, iterations, keylen, algorithm) {
  const name = nameOf(algorithm, 'digest');
  if (!name) throw withCode(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
  needInteger(iterations, 'iterations', 1);
  needInteger(keylen, 'keylen', 0);
  const p = bytesOf(password, 'utf8', 'password'), s = bytesOf(salt, 'utf8', 'salt'), parts = [];
  for (let i = 1, n = 0; n < keylen; i++) {
    const index = Buffer.alloc(4);
    index.writeUInt32BE(i);
    let u = hmac(name, p, [s, index]);
    const t = Buffer.from(u);
    for (let k = 1; k < iterations; k++) {
      u = hmac(name, p, [u]);
      for (let j = 0; j < t.length; j++) t[j] ^= u[j];
    }
    parts.push(t);
    n += t.length;
  }
  return Buffer.concat(parts).subarray(0, keylen);
}

function hkdfSync(algorithm, key, salt, info, keylen) {
  const name = nameOf(algorithm, 'digest');
  if (!name) throw withCode(TypeError, 'ERR_CRYPTO_INVALID_DIGEST', `Invalid digest: ${algorithm}`);
  const size = digest(name, []).length, s = bytesOf(salt);
  const prk = hmac(name, s.length ? s : Buffer.alloc(size), [key instanceof KeyObject ? key.export() : bytesOf(key)]);
  let t = Buffer.alloc(0);
  const parts = [];
  for (let i = 1, n = 0; n < keylen; i++, n += size) parts.push(t = hmac(name, prk, [t, bytesOf(info), Buffer.from([i])]));
  const r = Buffer.from(Buffer.concat(parts).subarray(0, keylen));
  return r.buffer.slice(r.byteOffset, r.byteOffset + r.length);
}

// ---- Chance ------------------------------------------------------------------------------------------

function randomFillSync(buffer, offset = 0, size) {
  const view = ArrayBuffer.isView(buffer) ? buffer : new Uint8Array(buffer);
  const unit = view.BYTES_PER_ELEMENT ?? 1, at = offset * unit, n = size === undefined ? view.byteLength - at : size * unit;
  if (at < 0 || at > view.byteLength) throw outOfRange('offset', `>= 0 && <= ${view.byteLength}`, offset);
  if (n < 0 || at + n > view.byteLength) throw outOfRange('size + offset', `<= ${view.byteLength}`, n + at);
  host.random(view.buffer, view.byteOffset + at, n);
  return buffer;
}
function randomBytes(size, cb) {
  if (typeof size !== 'number') throw invalidArgType('size', 'number', size);
  if (!(size >= 0 && size <= 2147483647)) throw outOfRange('size', '>= 0 && <= 2147483647', size);
  const b = randomFillSync(Buffer.alloc(size));
  if (typeof cb !== 'function') return b;
  require('internal/loop').pending(() => cb(null, b));
  return undefined;
}
function randomInt(min, max, cb) {
  if (max === undefined || typeof max === 'function') cb = max, max = min, min = 0;
  if (!Number.isSafeInteger(min)) throw invalidArgType('min', ['a safe integer'], min);
  if (!Number.isSafeInteger(max)) throw invalidArgType('max', ['a safe integer'], max);
  if (max <= min) throw outOfRange('max', `greater than the value of "min" (${min})`, max);
  const range = max - min;
  if (range > 2 ** 48 - 1) throw outOfRange('max - min', '<= 281474976710655', range);
  const limit = 2 ** 48 - (2 ** 48 % range);
  let v;
  do v = randomFillSync(Buffer.alloc(6)).readUIntBE(0, 6); while (v >= limit);
  const n = (v % range) + min;
  if (typeof cb !== 'function') return n;
  process.nextTick(cb, undefined, n);
  return undefined;
}
function randomUUID() {
  const b = randomBytes(16);
  b[6] = (b[6] & 0x0f) | 0x40;
  b[8] = (b[8] & 0x3f) | 0x80;
  const h = b.toString('hex');
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
}
function timingSafeEqual(a, b) {
  const x = bytesOf(a, undefined, 'buf1'), y = bytesOf(b, undefined, 'buf2');
  if (x.length !== y.length) throw withCode(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
  let d = 0;
  for (let i = 0; i < x.length; i++) d |= x[i] ^ y[i];
  return d === 0;
}

const later = (f) => (...args) => {
  const cb = args.pop();
  if (typeof cb !== 'function') throw invalidArgType('callback', 'function', cb);
  require('internal/loop').pending(() => {
    let r;
    try {
      r = f(...args);
    } catch (e) {
      cb(e);
      return;
    }
    cb(null, r);
  });
};
const absent = (name) => () => { throw notHere(`crypto.${name}`, 'only digests, HMAC, key derivation and random numbers are there'); };

const subtle = { async digest(algorithm, data) {
  await new Promise((resolve) => require('internal/loop').pending(resolve));
  const name = nameOf(typeof algorithm === 'string' ? algorithm : algorithm.name);
  if (!name) throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
  const b = digest(name, [bytesOf(data)]);
  return b.buffer.slice(b.byteOffset, b.byteOffset + b.length);
} };
for (const k of ['encrypt', 'decrypt', 'sign', 'verify', 'generateKey', 'importKey', 'exportKey', 'deriveKey', 'deriveBits', 'wrapKey', 'unwrapKey']) subtle[k] = async () => absent(`subtle.${k}`)();
const webcrypto = { getRandomValues(a) {
  if (a.byteLength > 65536) throw new DOMException(`The requested length exceeds 65,536 bytes`, 'QuotaExceededError');
  return randomFillSync(a);
}, randomUUID, subtle };

module.exports = { Hash, Hmac, KeyObject, createHash: (a) => new Hash(a), createHmac: (a, k) => new Hmac(a, k), getHashes: () => [...Object.keys(KINDS)],
  hash: (a, data, encoding = 'hex') => new Hash(a).update(data).digest(encoding), randomBytes, pseudoRandomBytes: randomBytes, randomInt, randomUUID, randomFillSync,
  randomFill: (b, ...rest) => { const cb = rest.pop(); randomFillSync(b, ...rest); process.nextTick(cb, null, b); }, timingSafeEqual, pbkdf2Sync, pbkdf2: later(pbkdf2Sync), hkdfSync, hkdf: later(hkdfSync),
  createSecretKey: (k, encoding) => new KeyObject(bytesOf(k, encoding)), getCiphers: () => [], getCurves: () => [], getFips: () => 0, webcrypto, subtle, getRandomValues: webcrypto.getRandomValues, constants: {} };
for (const k of ['createCipheriv', 'createDecipheriv', 'createSign', 'createVerify', 'sign', 'verify', 'generateKeyPair', 'generateKeyPairSync', 'generateKey', 'generateKeySync', 'createPublicKey',
  'createPrivateKey', 'publicEncrypt', 'privateDecrypt', 'createDiffieHellman', 'createECDH', 'scrypt', 'scryptSync', 'X509Certificate']) module.exports[k] = absent(k);
