// process.stdin, stdout, stderr as streams.
const { Readable, Writable } = require('stream');
const loop = require('internal/loop');
const { systemError } = require('internal/errors');

class Output extends Writable {
  constructor(fd) {
    super({ decodeStrings: false, emitClose: false, autoDestroy: true });
    this.fd = fd;
    this._type = host.isatty(fd) ? 'tty' : 'pipe';
    this._isStdio = true;
    if (host.isatty(fd)) {
      this.isTTY = true;
      this.columns = Number(process.env.COLUMNS) || 80;
      this.rows = Number(process.env.LINES) || 24;
    }
    this.destroySoon = this.destroy;
  }
  _write(chunk, encoding, cb) {
    const r = typeof chunk === 'string' && (encoding === 'utf8' || encoding === 'utf-8') ? host.writeText(this.fd, chunk)
      : (() => {
        const b = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
        return host.write(this.fd, b.buffer, b.byteOffset, b.byteLength, -1);
      })();
    cb(r < 0 ? systemError(r, 'write') : null);
  }
  _destroy(e, cb) { cb(e); }
  getColorDepth() { return this.isTTY ? 4 : 1; }
  hasColors(n = 16) { return 2 ** this.getColorDepth() >= (typeof n === 'number' ? n : 16); }
  getWindowSize() { return [this.columns, this.rows]; }
  cursorTo(x, y, cb) { return require('readline').cursorTo(this, x, y, cb); }
  moveCursor(x, y, cb) { return require('readline').moveCursor(this, x, y, cb); }
  clearLine(dir, cb) { return require('readline').clearLine(this, dir, cb); }
  clearScreenDown(cb) { return require('readline').clearScreenDown(this, cb); }
}

// Reads when it is asked to and the descriptor has something.
class Input extends Readable {
  #watch = null;
  #ref = true;
  constructor(fd) {
    super({ highWaterMark: 65536, emitClose: false });
    this.fd = fd;
    if (host.isatty(fd)) this.isTTY = true;
  }
  _read(n) {
    if (this.#watch) return;
    this.#watch = loop.watch(this.fd, () => {
      this.#stop();
      const b = Buffer.alloc(65536);
      const r = host.read(this.fd, b.buffer, 0, b.length, -1);
      if (r < 0) this.destroy(systemError(r, 'read'));
      else this.push(r === 0 ? null : b.subarray(0, r));
    });
    this.#watch.ref = this.#ref;
  }
  #stop() {
    if (this.#watch) loop.unwatch(this.#watch);
    this.#watch = null;
  }
  pause() {
    super.pause();
    this.#stop();
    return this;
  }
  resume() {
    super.resume();
    if (this._readableState.reading && !this.#watch && !this.destroyed) this._read(0); // it had been stopped in it
    return this;
  }
  _destroy(e, cb) { this.#stop(); cb(e); }
  ref() { this.#ref = true; if (this.#watch) this.#watch.ref = true; return this; }
  unref() { this.#ref = false; if (this.#watch) this.#watch.ref = false; return this; }
  setRawMode() { return this; }
}

module.exports = (fd) => (fd === 0 ? new Input(0) : new Output(fd));
module.exports.Input = Input;
module.exports.Output = Output;
