// fs.createReadStream and createWriteStream.
const { Readable, Writable } = require('stream');
const { names: fs, pathOf } = require('internal/fs_sync');
const loop = require('internal/loop');
const { Buffer } = require('buffer');
const { outOfRange, invalidArgType } = require('internal/errors');

const options = (o) => (typeof o === 'string' ? { encoding: o } : o ?? {});

// What is done when the loop comes to it.
function later(f, cb) {
  loop.pending(() => {
    let r;
    try {
      r = f();
    } catch (e) {
      cb(e);
      return;
    }
    cb(null, r);
  });
}

class ReadStream extends Readable {
  constructor(path, o) {
    o = options(o);
    super({ highWaterMark: 65536, ...o, read: undefined, construct: undefined, destroy: undefined });
    this.path = path === null || path === undefined ? undefined : pathOf(path);
    this.fd = o.fd ?? null;
    if (this.fd?.fd !== undefined) this.fd = this.fd.fd;
    this.flags = o.flags ?? 'r';
    this.mode = o.mode ?? 0o666;
    this.start = o.start;
    this.end = o.end ?? Infinity;
    if (this.start !== undefined && typeof this.start !== 'number') throw invalidArgType('start', 'number', this.start);
    if (this.start > this.end) throw outOfRange('start', `<= "end" (here: ${this.end})`, this.start);
    this.autoClose = o.autoClose ?? true;
    this.bytesRead = 0;
    Object.defineProperty(this, 'at', { value: this.start, writable: true, enumerable: false });
  }
  _construct(cb) {
    if (typeof this.fd === 'number') {
      cb();
      return;
    }
    later(() => fs.openSync(this.path, this.flags, this.mode), (e, fd) => {
      if (e) {
        cb(e);
        return;
      }
      this.fd = fd;
      cb();
      this.emit('open', fd);
      this.emit('ready');
    });
  }
  _read(n) {
    if (this.at !== undefined) n = Math.min(n, this.end - this.at + 1);
    else if (this.end !== Infinity) n = Math.min(n, this.end - this.bytesRead + 1);
    if (n <= 0) {
      this.push(null);
      return;
    }
    const b = Buffer.alloc(n);
    later(() => fs.readSync(this.fd, b, 0, n, this.at ?? null), (e, got) => {
      if (this.destroyed) return;
      if (e) {
        this.destroy(e);
        return;
      }
      if (this.at !== undefined) this.at += got;
      this.bytesRead += got;
      this.push(got === 0 ? null : b.subarray(0, got));
    });
  }
  _destroy(e, cb) {
    const fd = this.fd;
    this.fd = null;
    if (typeof fd === 'number' && this.autoClose) later(() => fs.closeSync(fd), (x) => cb(e ?? x));
    else cb(e);
  }
  close(cb) {
    if (cb) this.once('close', cb);
    this.destroy();
  }
  get pending() { return this.fd === null; }
}

class WriteStream extends Writable {
  constructor(path, o) {
    o = options(o);
    super({ ...o, decodeStrings: true, write: undefined, construct: undefined, destroy: undefined, final: undefined });
    if (o.encoding) this.setDefaultEncoding(o.encoding);
    this.path = path === null || path === undefined ? undefined : pathOf(path);
    this.fd = o.fd ?? null;
    if (this.fd?.fd !== undefined) this.fd = this.fd.fd;
    this.flags = o.flags ?? 'w';
    this.mode = o.mode ?? 0o666;
    this.start = o.start;
    this.pos = o.start;
    this.autoClose = o.autoClose ?? true;
    this.bytesWritten = 0;
  }
  _construct(cb) { ReadStream.prototype._construct.call(this, cb); }
  _write(chunk, encoding, cb) {
    later(() => fs.writeSync(this.fd, chunk, 0, chunk.length, this.pos), (e, n) => {
      if (e) {
        cb(e);
        return;
      }
      this.bytesWritten += n;
      if (this.pos !== undefined) this.pos += n;
      cb();
    });
  }
  _writev(list, cb) { this._write(Buffer.concat(list.map((w) => w.chunk)), 'buffer', cb); }
  _destroy(e, cb) { ReadStream.prototype._destroy.call(this, e, cb); }
  close(cb) {
    if (cb) this.once('close', cb);
    if (this.writableEnded || this.destroyed) this.destroy();
    else this.end();
  }
  get pending() { return this.fd === null; }
}
WriteStream.prototype.destroySoon = WriteStream.prototype.end;

const callable = (C) => new Proxy(C, { apply: (t, self, args) => new C(...args) });
module.exports = { ReadStream: callable(ReadStream), WriteStream: callable(WriteStream), createReadStream: (p, o) => new ReadStream(p, o), createWriteStream: (p, o) => new WriteStream(p, o) };
