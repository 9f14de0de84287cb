// Buffer: a Uint8Array with the encodings of text and numbers.
const { inspect } = require('internal/inspect');
const { invalidArgType, outOfRange, withCode, invalidArgValue } = require('internal/errors');

const MAX = 2 ** 31 - 1;
const ENCODINGS = { utf8: 0, 'utf-8': 0, latin1: 1, binary: 1, ascii: 2, utf16le: 3, 'utf-16le': 3, ucs2: 3, 'ucs-2': 3, hex: 4, base64: 5, base64url: 6 };

function encodingNumber(encoding) {
  if (encoding === undefined || encoding === null || encoding === '') return 0;
  const n = ENCODINGS[encoding] ?? ENCODINGS[String(encoding).toLowerCase()];
  if (n === undefined) throw withCode(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
  return n;
}

class FastBuffer extends Uint8Array {
  constructor(a, b, c) { super(a, b, c); }
}

let warned = false;
function Buffer(arg, encodingOrOffset, length) {
  if (!warned) {
    warned = true;
    process.emitWarning('Buffer() is deprecated due to security and usability issues. Please use the Buffer.alloc(), Buffer.allocUnsafe(), or Buffer.from() methods instead.', 'DeprecationWarning', 'DEP0005');
  }
  if (typeof arg === 'number') {
    if (typeof encodingOrOffset === 'string') throw invalidArgType('string', 'string', arg);
    return Buffer.alloc(arg);
  }
  return Buffer.from(arg, encodingOrOffset, length);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = FastBuffer.prototype;
Object.defineProperty(Buffer.prototype, 'constructor', { value: Buffer, writable: true, configurable: true, enumerable: false });
Object.defineProperty(Buffer, Symbol.species, { configurable: true, get: () => FastBuffer });

function size(n) {
  if (typeof n !== 'number') throw invalidArgType('size', 'number', n);
  if (!(n >= 0 && n <= MAX)) throw outOfRange('size', '>= 0 && <= 4294967296', n);
}

Buffer.from = function from(value, encodingOrOffset, length) {
  if (typeof value === 'string') return new FastBuffer(host.encode(value, encodingNumber(encodingOrOffset)));
  if (typeof value === 'object' && value !== null) {
    if (value instanceof ArrayBuffer || (typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer)) {
      const offset = encodingOrOffset === undefined ? 0 : +encodingOrOffset || 0;
      const room = value.byteLength - offset;
      if (room < 0) throw withCode(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"offset" is outside of buffer bounds');
      if (length === undefined) return new FastBuffer(value, offset, room);
      const n = +length > 0 ? +length : 0;
      if (n > room) throw withCode(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', '"length" is outside of buffer bounds');
      return new FastBuffer(value, offset, n);
    }
    const primitive = value.valueOf && value.valueOf();
    if (primitive != null && primitive !== value && (typeof primitive === 'string' || typeof primitive === 'object')) return Buffer.from(primitive, encodingOrOffset, length);
    if (ArrayBuffer.isView(value) || Array.isArray(value)) return new FastBuffer(value);
    if (value.length !== undefined || host.classOf(value.buffer) === 'ArrayBuffer') return typeof value.length !== 'number' ? new FastBuffer(0) : new FastBuffer(Array.from(value));
    if (value.type === 'Buffer' && Array.isArray(value.data)) return new FastBuffer(value.data);
    if (typeof value[Symbol.toPrimitive] === 'function') {
      const p = value[Symbol.toPrimitive]('string');
      if (typeof p === 'string') return Buffer.from(p, encodingOrOffset);
    }
  }
  throw firstArgument(value);
};
function firstArgument(value) {
  const e = invalidArgType('first argument', 'string', value);
  return withCode(TypeError, 'ERR_INVALID_ARG_TYPE', e.message.replace('of type string.', 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.'));
}
Buffer.copyBytesFrom = (view, offset = 0, length) => Buffer.from(view.slice(offset, length === undefined ? undefined : offset + length).buffer);
Buffer.of = (...items) => new FastBuffer(items);
Buffer.alloc = function alloc(n, fill, encoding) {
  size(n);
  const b = new FastBuffer(n);
  return fill !== undefined && fill !== 0 && n > 0 ? b.fill(fill, encoding) : b;
};
Buffer.allocUnsafe = Buffer.allocUnsafeSlow = function allocUnsafe(n) { size(n); return new FastBuffer(n); };
Buffer.isBuffer = (b) => b instanceof Buffer;
Buffer.isEncoding = (e) => typeof e === 'string' && e !== '' && ENCODINGS[e.toLowerCase()] !== undefined;
Buffer.byteLength = function byteLength(value, encoding) {
  if (typeof value !== 'string') {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
    throw invalidArgType('string', ['string', 'Buffer', 'ArrayBuffer'], value);
  }
  switch (ENCODINGS[String(encoding).toLowerCase()]) {
    case 1:
    case 2: return value.length;
    case 3: return value.length * 2;
    case 4: return value.length >>> 1;
    case 5:
    case 6: return (value.replace(/=+$/, '').length * 3) >>> 2;
    default: return host.utf8Size(value);
  }
};
Buffer.compare = function compare(a, b) {
  if (!(a instanceof Uint8Array)) throw invalidArgType('buf1', ['Buffer', 'Uint8Array'], a);
  if (!(b instanceof Uint8Array)) throw invalidArgType('buf2', ['Buffer', 'Uint8Array'], b);
  return host.compare(a.buffer, a.byteOffset, a.length, b.buffer, b.byteOffset, b.length);
};
Buffer.concat = function concat(list, length) {
  if (!Array.isArray(list)) throw invalidArgType('list', 'Array', list);
  if (length === undefined) length = list.reduce((n, b) => n + b.length, 0);
  const out = new FastBuffer(length);
  let at = 0;
  list.forEach((b, i) => {
    if (!(b instanceof Uint8Array)) throw invalidArgType(`list[${i}]`, ['Buffer', 'Uint8Array'], b);
    if (at >= length) return;
    out.set(b.length > length - at ? b.subarray(0, length - at) : b, at);
    at += b.length;
  });
  return out;
};
Buffer.poolSize = 8192;

const P = Buffer.prototype;
const method = (name, f) => Object.defineProperty(P, name, { value: f, writable: true, configurable: true, enumerable: true });

Object.defineProperty(P, 'parent', { enumerable: true, get() { return this instanceof Buffer ? this.buffer : undefined; } });
Object.defineProperty(P, 'offset', { enumerable: true, get() { return this instanceof Buffer ? this.byteOffset : undefined; } });

method('toString', function toString(encoding, start, end) {
  const n = encoding === undefined ? 0 : encodingNumber(encoding);
  start = start === undefined || start <= 0 || start !== start ? 0 : Math.min(Math.trunc(start), this.length);
  end = end === undefined || end > this.length ? this.length : Math.trunc(end);
  return end > start ? host.decode(this.buffer, this.byteOffset + start, end - start, n) : '';
});
method('toLocaleString', P.toString);
method('equals', function equals(other) {
  if (!(other instanceof Uint8Array)) throw invalidArgType('otherBuffer', ['Buffer', 'Uint8Array'], other);
  return this.length === other.length && Buffer.compare(this, other) === 0;
});
method('compare', function compare(target, ts = 0, te = target.length, ss = 0, se = this.length) {
  if (!(target instanceof Uint8Array)) throw invalidArgType('target', ['Buffer', 'Uint8Array'], target);
  return Buffer.compare(this.subarray(ss, se), target.subarray(ts, te));
});
method('toJSON', function toJSON() { return { type: 'Buffer', data: Array.from(this) }; });
method('inspect', undefined);
P[inspect.custom] = function (depth, ctx) {
  const max = module.exports.INSPECT_MAX_BYTES, shown = Math.min(max, this.length);
  let text = this.hexSlice(0, shown).replace(/(.{2})/g, '$1 ').trim();
  if (this.length > max) text += ` ... ${this.length - max} more byte${this.length - max > 1 ? 's' : ''}`;
  const extra = Object.keys(this).filter((k) => !/^\d+$/.test(k));
  if (extra.length) text += `${this.length ? ', ' : ''}${extra.map((k) => `${k}: ${inspect(this[k], ctx)}`).join(', ')}`;
  return `<${this.constructor.name}${text ? ` ${text}` : ''}>`;
};
delete P.inspect;
method('inspect', P[inspect.custom]);

method('slice', function slice(start, end) {
  const n = this.length;
  const at = (v, other) => (v === undefined ? other : (v = Math.trunc(+v) || 0) < 0 ? Math.max(0, v + n) : Math.min(v, n));
  const from = at(start, 0), to = at(end, n);
  return new FastBuffer(this.buffer, this.byteOffset + from, to > from ? to - from : 0);
});
method('subarray', P.slice);

method('copy', function copy(target, at = 0, start = 0, end = this.length) {
  if (!(target instanceof Uint8Array)) throw invalidArgType('target', ['Buffer', 'Uint8Array'], target);
  at = Math.trunc(at) || 0, start = Math.trunc(start) || 0;
  if (start < 0 || start > this.length) throw outOfRange('sourceStart', `>= 0 && <= ${this.length}`, start);
  if (at < 0) throw outOfRange('targetStart', '>= 0', at);
  const n = Math.min(Math.min(end, this.length) - start, target.length - at);
  if (n <= 0) return 0;
  target.set(Uint8Array.prototype.subarray.call(this, start, start + n), at);
  return n;
});

method('write', function write(string, offset, length, encoding) {
  if (typeof offset === 'string') encoding = offset, offset = undefined, length = undefined;
  else if (typeof length === 'string') encoding = length, length = undefined;
  if (typeof string !== 'string') throw invalidArgType('argument', 'string', string);
  offset = offset === undefined ? 0 : offset >>> 0;
  if (offset > this.length) throw outOfRange('offset', `>= 0 && <= ${this.length}`, offset);
  const room = Math.min(length === undefined ? Infinity : length, this.length - offset);
  const n = encodingNumber(encoding);
  if (n === 0) return host.utf8Into(string, this.buffer, this.byteOffset + offset, room)[1];
  let bytes = new Uint8Array(host.encode(string, n));
  if (bytes.length > room) bytes = bytes.subarray(0, n === 3 ? room & ~1 : room);
  Uint8Array.prototype.set.call(this, bytes, offset);
  return bytes.length;
});

method('fill', function fill(value, offset, end, encoding) {
  if (typeof offset === 'string') encoding = offset, offset = undefined, end = undefined;
  else if (typeof end === 'string') encoding = end, end = undefined;
  offset = offset === undefined ? 0 : offset, end = end === undefined ? this.length : end;
  if (offset < 0 || offset > this.length) throw outOfRange('offset', `>= 0 && <= ${this.length}`, offset);
  if (end < 0 || end > this.length) throw outOfRange('end', `>= 0 && <= ${this.length}`, end);
  if (typeof value === 'string' || value instanceof Uint8Array) {
    const pattern = typeof value === 'string' ? Buffer.from(value, encoding) : value;
    if (typeof value === 'string' && value === '') return Uint8Array.prototype.fill.call(this, 0, offset, end);
    if (pattern.length === 0) throw invalidArgValue('value', value);
    for (let i = offset, k = 0; i < end; i++, k = k + 1 === pattern.length ? 0 : k + 1) this[i] = pattern[k];
    return this;
  }
  return Uint8Array.prototype.fill.call(this, typeof value === 'boolean' ? +value : value & 255, offset, end);
});

function search(b, value, from, encoding, last) {
  if (typeof from === 'string') encoding = from, from = undefined;
  from = +from;
  if (from !== from) from = last ? b.length : 0;
  from = Math.trunc(from);
  if (from < 0) from = Math.max(last ? -1 : 0, from + b.length);
  if (typeof value === 'number') return last ? Uint8Array.prototype.lastIndexOf.call(b, value & 255, from) : Uint8Array.prototype.indexOf.call(b, value & 255, from);
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) throw invalidArgType('value', ['number', 'string', 'Buffer', 'Uint8Array'], value);
  const what = typeof value === 'string' ? Buffer.from(value, encoding) : value;
  if (!last) {
    if (from > b.length) return what.length === 0 ? b.length : -1;
    if (what.length === 0) return from;
    const at = host.find(b.buffer, b.byteOffset + from, b.length - from, what.buffer, what.byteOffset, what.length);
    return at < 0 ? -1 : at + from;
  }
  for (let i = Math.min(from, b.length - what.length); i >= 0; i--) {
    if (host.compare(b.buffer, b.byteOffset + i, what.length, what.buffer, what.byteOffset, what.length) === 0) return i;
  }
  return -1;
}
method('indexOf', function indexOf(v, from, encoding) { return search(this, v, from, encoding, false); });
method('lastIndexOf', function lastIndexOf(v, from, encoding) { return search(this, v, from, encoding, true); });
method('includes', function includes(v, from, encoding) { return search(this, v, from, encoding, false) !== -1; });

for (const [name, e] of [['utf8', 0], ['latin1', 1], ['ascii', 2], ['ucs2', 3], ['utf16le', 3], ['hex', 4], ['base64', 5], ['base64url', 6]]) {
  method(`${name}Slice`, function (start = 0, end = this.length) { return host.decode(this.buffer, this.byteOffset + start, Math.max(0, Math.min(end, this.length) - start), e); });
  method(`${name}Write`, function (string, offset, length) { return this.write(string, offset, length, name); });
}

// ---- Numbers -----------------------------------------------------------------------------------------

function place(b, offset, n) {
  if (typeof offset !== 'number') throw invalidArgType('offset', 'number', offset);
  if (offset >= 0 && offset + n <= b.length && Number.isInteger(offset)) return;
  if (!Number.isInteger(offset)) throw outOfRange('offset', 'an integer', offset);
  if (b.length - n < 0) throw withCode(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
  throw outOfRange('offset', `>= 0 and <= ${b.length - n}`, offset);
}

function checkNumber(value, min, max, n) {
  if (value > max || value < min) {
    const big = typeof min === 'bigint' ? 'n' : '';
    throw outOfRange('value', n > 4 || big ? (min === 0 || min === 0n ? `>= 0${big} and < 2${big} ** ${n * 8}${big}` : `>= -(2${big} ** ${n * 8 - 1}${big}) and < 2${big} ** ${n * 8 - 1}${big}`) : `>= ${min} and <= ${max}`, value);
  }
}

function numbers() {
  const view = (b) => new DataView(b.buffer, b.byteOffset, b.byteLength);
  const alias = (name) => name.includes('UInt') ? method(name.replace('UInt', 'Uint'), P[name]) : undefined;
  for (const [name, type, n, min, max] of [['UInt8', 'Uint8', 1, 0, 255], ['Int8', 'Int8', 1, -128, 127], ['UInt16', 'Uint16', 2, 0, 65535],
    ['Int16', 'Int16', 2, -32768, 32767], ['UInt32', 'Uint32', 4, 0, 4294967295], ['Int32', 'Int32', 4, -2147483648, 2147483647],
    ['Float', 'Float32', 4], ['Double', 'Float64', 8], ['BigInt64', 'BigInt64', 8, -(2n ** 63n), 2n ** 63n - 1n], ['BigUInt64', 'BigUint64', 8, 0n, 2n ** 64n - 1n]]) {
    for (const order of n === 1 ? [''] : ['LE', 'BE']) {
      const little = order === 'LE';
      method(`read${name}${order}`, function (offset = 0) { place(this, offset, n); return view(this)[`get${type}`](offset, little); });
      method(`write${name}${order}`, function (value, offset = 0) {
        if (max !== undefined) {
          if (typeof max === 'bigint' && typeof value !== 'bigint') throw invalidArgType('value', 'bigint', value);
          if (typeof max === 'number') value = +value;
          checkNumber(value, min, max, n);
        }
        place(this, offset, n);
        view(this)[`set${type}`](offset, value, little);
        return offset + n;
      });
      alias(`read${name}${order}`);
      alias(`write${name}${order}`);
    }
  }
  for (const order of ['LE', 'BE']) {
    const bytes = (n) => (order === 'LE' ? [...Array(n).keys()] : [...Array(n).keys()].reverse());
    const width = (n) => {
      if (typeof n !== 'number') throw invalidArgType('byteLength', 'number', n);
      if (!(n >= 1 && n <= 6)) throw outOfRange('byteLength', '>= 1 and <= 6', n);
    };
    method(`readUInt${order}`, function (offset, n) {
      width(n);
      place(this, offset, n);
      return bytes(n).reduce((v, i, k) => v + this[offset + i] * 2 ** (8 * k), 0);
    });
    method(`readInt${order}`, function (offset, n) {
      const v = this[`readUInt${order}`](offset, n);
      return v >= 2 ** (8 * n - 1) ? v - 2 ** (8 * n) : v;
    });
    method(`writeUInt${order}`, function (value, offset, n) {
      width(n);
      value = +value;
      checkNumber(value, 0, 2 ** (8 * n) - 1, n);
      place(this, offset, n);
      for (const i of bytes(n)) { this[offset + i] = value % 256; value = Math.floor(value / 256); }
      return offset + n;
    });
    method(`writeInt${order}`, function (value, offset, n) {
      width(n);
      value = +value;
      checkNumber(value, -(2 ** (8 * n - 1)), 2 ** (8 * n - 1) - 1, n);
      return this[`writeUInt${order}`](value < 0 ? value + 2 ** (8 * n) : value, offset, n);
    });
    alias(`readUInt${order}`);
    alias(`writeUInt${order}`);
  }
}
numbers();

for (const n of [2, 4, 8]) {
  method(`swap${n * 8}`, function () {
    if (this.length % n) throw withCode(RangeError, 'ERR_INVALID_BUFFER_SIZE', `Buffer size must be a multiple of ${n * 8}-bits`);
    for (let i = 0; i < this.length; i += n) Uint8Array.prototype.subarray.call(this, i, i + n).reverse();
    return this;
  });
}

// ---- The rest of the module -----------------------------------------------------------------------------

function atob(text) {
  const clean = `${text}`.replace(/[\t\n\f\r ]/g, '');
  const bare = clean.length % 4 === 0 ? clean.replace(/={1,2}$/, '') : clean;
  if (/[^A-Za-z0-9+/]/.test(bare) || bare.length % 4 === 1) throw new DOMException('The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
  return Buffer.from(bare, 'base64').toString('latin1');
}

function btoa(text) {
  const s = `${text}`;
  if (/[^\x00-\xff]/.test(s)) throw new DOMException('Invalid character', 'InvalidCharacterError');
  return Buffer.from(s, 'latin1').toString('base64');
}

const utf8 = (b) => host.decode(b.buffer ?? b, b.byteOffset ?? 0, b.byteLength, 0, true) !== undefined;
module.exports = { Buffer, SlowBuffer: Buffer, kMaxLength: MAX, kStringMaxLength: 2 ** 30 - 1, constants: { MAX_LENGTH: MAX, MAX_STRING_LENGTH: 2 ** 30 - 1 },
  INSPECT_MAX_BYTES: 50, atob, btoa, isUtf8: utf8, isAscii: (b) => new Uint8Array(b.buffer ?? b, b.byteOffset ?? 0, b.byteLength).every((c) => c < 128),
  transcode: (b, from, to) => Buffer.from(Buffer.from(b).toString(from), to), encodingNumber,
  get Blob() { return globalThis.Blob; }, get File() { return globalThis.File; } };
Object.defineProperty(module.exports, 'encodingNumber', { enumerable: false });
