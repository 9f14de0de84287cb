// StringDecoder: bytes that come in pieces to text, whole characters at a time.
const { Buffer } = require('buffer');
const { withCode } = require('internal/errors');
const NAMES = { utf8: 'utf8', 'utf-8': 'utf8', ucs2: 'utf16le', 'ucs-2': 'utf16le', utf16le: 'utf16le', 'utf-16le': 'utf16le', latin1: 'latin1', binary: 'latin1', base64: 'base64', base64url: 'base64url', ascii: 'ascii', hex: 'hex' };

// How many bytes at the end are the beginning of what is not whole.
function unfinished(b, encoding) {
  const n = b.length;
  if (encoding === 'utf8') {
    for (let back = 1; back <= 3 && back <= n; back++) {
      const c = b[n - back];
      if (c < 0x80) return 0;
      if (c >= 0xc0) {
        const size = c >= 0xf5 ? 0 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 0;
        return size > back ? back : 0;
      }
    }
    return 0;
  }
  if (encoding === 'utf16le') {
    const odd = n % 2, last = n >= 2 + odd ? b[n - 1 - odd] : 0;
    return last >= 0xd8 && last <= 0xdb ? odd + 2 : odd;
  }
  return encoding.startsWith('base64') ? n % 3 : 0;
}

class StringDecoder {
  constructor(encoding) {
    this.encoding = NAMES[`${encoding ?? 'utf8'}`.toLowerCase()];
    if (!this.encoding) throw withCode(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${encoding}`);
    Object.defineProperty(this, 'rest', { value: Buffer.alloc(0), writable: true, enumerable: false });
  }
  write(chunk) {
    if (typeof chunk === 'string') return chunk;
    let b = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this.rest.length) b = Buffer.concat([this.rest, b]);
    const n = b.length - unfinished(b, this.encoding);
    this.rest = Buffer.from(b.subarray(n));
    return b.toString(this.encoding, 0, n);
  }
  end(chunk) {
    const text = (chunk === undefined ? '' : this.write(chunk)) + this.rest.toString(this.encoding);
    this.rest = Buffer.alloc(0);
    return text;
  }
  get lastNeed() { return this.rest.length; }
}
module.exports = { StringDecoder };
