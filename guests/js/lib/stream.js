// Streams: Readable, Writable, Duplex, Transform, PassThrough; pipeline and finished.
const EE = require('events');
const { withCode, invalidArgType, AbortError } = require('internal/errors');
const { Buffer } = require('buffer');

function Stream(options) { EE.call(this, options); }
Object.setPrototypeOf(Stream.prototype, EE.prototype);
Object.setPrototypeOf(Stream, EE);

const errorOrDestroy = (s, e) => (s.destroyed ? undefined : s.destroy(e));

// ---- Destruction, the same for all ----------------------------------------------------------------------

function destroy(e, cb) {
  const r = this._readableState, w = this._writableState;
  if ((r ?? w).destroyed) {
    if (typeof cb === 'function') cb();
    return this;
  }
  if (r) r.destroyed = true;
  if (w) w.destroyed = true;
  if (e) {
    if (r && !r.errored) r.errored = e;
    if (w && !w.errored) w.errored = e;
  }
  let called = false;
  const done = (err) => {
    if (called) return;
    called = true;
    err = err ?? e ?? null;
    if (err) {
      if (r && !r.errored) r.errored = err;
      if (w && !w.errored) w.errored = err;
    }
    if (typeof cb === 'function') cb(err);
    process.nextTick(() => {
      if (err && !(r ?? w).errorEmitted) {
        if (r) r.errorEmitted = true;
        if (w) w.errorEmitted = true;
        this.emit('error', err);
      }
      if (r) r.closed = true;
      if (w) w.closed = true;
      if ((r ?? w).emitClose) this.emit('close');
    });
  };
  try {
    this._destroy(e ?? null, done);
  } catch (x) {
    done(x);
  }
  return this;
}

function abortable(stream, signal) {
  if (!signal) return;
  const stop = () => stream.destroy(new AbortError(undefined, { cause: signal.reason }));
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
}

// ---- Readable --------------------------------------------------------------------------------------------

function Readable(options = {}) {
  if (!(this instanceof Readable)) return new Readable(options);
  Stream.call(this, options);
  initReadable(this, options);
}
Object.setPrototypeOf(Readable.prototype, Stream.prototype);
Object.setPrototypeOf(Readable, Stream);

function initReadable(s, o) {
  const objectMode = !!(o.objectMode || o.readableObjectMode);
  s._readableState = { objectMode, highWaterMark: o.readableHighWaterMark ?? o.highWaterMark ?? (objectMode ? 16 : 16384), buffer: [], length: 0, flowing: null, ended: false,
    endEmitted: false, reading: false, pipes: [], awaiting: new Set(), destroyed: false, closed: false, errored: null, errorEmitted: false, emitClose: o.emitClose !== false,
    autoDestroy: o.autoDestroy !== false, encoding: null, decoder: null, needReadable: false, readableListening: false, resumeScheduled: false, emittedReadable: false, constructed: true, dataEmitted: false };
  if (typeof o.read === 'function') s._read = o.read;
  if (typeof o.destroy === 'function') s._destroy = o.destroy;
  if (typeof o.construct === 'function') s._construct = o.construct;
  if (o.encoding) s.setEncoding(o.encoding);
  construct(s, s._readableState);
  abortable(s, o.signal);
}

function construct(s, state) {
  if (typeof s._construct !== 'function' || s.constructing) return;
  Object.defineProperty(s, 'constructing', { value: true, writable: true, enumerable: false });
  state.constructed = false;
  process.nextTick(() => s._construct((e) => {
    if (s._readableState) s._readableState.constructed = true;
    if (s._writableState) s._writableState.constructed = true;
    if (e) {
      s.destroy(e);
      return;
    }
    s.emit('constructed');
  }));
}

const R = Readable.prototype;
R.destroy = destroy;
R._destroy = function (e, cb) { cb(e); };
R._read = function () { throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _read() method is not implemented'); };
R.setEncoding = function (encoding) {
  const st = this._readableState;
  const { StringDecoder } = require('string_decoder');
  st.decoder = new StringDecoder(encoding);
  st.encoding = st.decoder.encoding;
  const text = st.buffer.map((b) => st.decoder.write(b)).join('');
  st.buffer = text ? [text] : [];
  st.length = text.length;
  return this;
};

R.push = function (chunk, encoding) { return add(this, chunk, encoding, false); };
R.unshift = function (chunk, encoding) { return add(this, chunk, encoding, true); };

function add(s, chunk, encoding, first) {
  const st = s._readableState;
  if (!first) st.reading = false;
  if (chunk === null) {
    if (!st.ended) {
      if (st.decoder) {
        const rest = st.decoder.end();
        if (rest) {
          st.buffer.push(rest);
          st.length += rest.length;
        }
      }
      st.ended = true;
      tell(s);
    }
    return false;
  }
  if (!st.objectMode) {
    if (typeof chunk === 'string') {
      if (!st.decoder || encoding) chunk = st.encoding && (encoding ?? 'utf8') === st.encoding ? chunk : Buffer.from(chunk, encoding);
    } else if (chunk instanceof Uint8Array) {
      if (!(chunk instanceof Buffer)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    } else if (chunk !== undefined) {
      errorOrDestroy(s, invalidArgType('chunk', ['string', 'Buffer', 'Uint8Array'], chunk));
      return false;
    }
  }
  if (!st.objectMode && (chunk === undefined || chunk.length === 0)) {
    more(s);
    return false;
  }
  if (st.ended && !first) {
    errorOrDestroy(s, withCode(Error, 'ERR_STREAM_PUSH_AFTER_EOF', 'stream.push() after EOF'));
    return false;
  }
  if (st.destroyed) return false;
  if (st.decoder && typeof chunk !== 'string' && !first) chunk = st.decoder.write(chunk);
  if (!st.objectMode && chunk.length === 0) {
    more(s);
    return false;
  }
  if (st.flowing && st.length === 0 && s.listenerCount('data') > 0 && !first && !st.sync) {
    st.dataEmitted = true;
    s.emit('data', chunk);
  } else {
    st.length += st.objectMode ? 1 : chunk.length;
    if (first) st.buffer.unshift(chunk);
    else st.buffer.push(chunk);
    tell(s);
  }
  more(s);
  return !st.ended && (st.length < st.highWaterMark || st.length === 0);
}

// Something to read, or the end.
function tell(s) {
  const st = s._readableState;
  if (st.flowing && !st.readableListening) {
    if (!st.flowScheduled) {
      st.flowScheduled = true;
      process.nextTick(() => {
        st.flowScheduled = false;
        flow(s);
        finishReading(s);
      });
    }
    return;
  }
  if (!st.emittedReadable) {
    st.emittedReadable = true;
    process.nextTick(() => {
      st.emittedReadable = false;
      if (!st.destroyed && !st.errored && (st.length > 0 || st.ended)) s.emit('readable');
      if (st.flowing) flow(s);
      finishReading(s);
    });
  }
}

function more(s) {
  const st = s._readableState;
  if (st.moreScheduled) return;
  st.moreScheduled = true;
  process.nextTick(() => {
    st.moreScheduled = false;
    if (!st.reading && !st.ended && !st.destroyed && st.length < st.highWaterMark && (st.flowing || st.readableListening || st.needReadable)) fetch(s);
  });
}

function fetch(s) {
  const st = s._readableState;
  if (st.reading || st.ended || st.destroyed || st.errored) return;
  if (!st.constructed) {
    s.once('constructed', () => fetch(s));
    return;
  }
  st.reading = true;
  st.sync = true;
  try {
    s._read(st.highWaterMark);
  } catch (e) {
    errorOrDestroy(s, e);
  }
  st.sync = false;
}

R.read = function (n) {
  const st = this._readableState;
  if (n !== undefined) n = Math.trunc(n);
  if (n > st.highWaterMark) st.highWaterMark = n;
  if (n === 0) {
    if (st.length < st.highWaterMark) fetch(this);
    if (st.ended && st.length === 0) finishReading(this);
    return null;
  }
  if (st.length < st.highWaterMark || (n !== undefined && st.length < n)) fetch(this);
  if (st.length === 0) {
    st.needReadable = true;
    if (st.ended) finishReading(this);
    return null;
  }
  if (n !== undefined && !st.objectMode && n > st.length) {
    if (!st.ended) {
      st.needReadable = true;
      return null;
    }
    n = st.length;
  }
  let out;
  if (st.objectMode) {
    out = st.buffer.shift();
    st.length--;
  } else if (n === undefined || n >= st.length) {
    if (st.flowing && n === undefined) {
      out = st.buffer.shift();
      st.length -= out.length;
    } else {
      out = st.buffer.length === 1 ? st.buffer[0] : st.decoder ? st.buffer.join('') : Buffer.concat(st.buffer);
      st.buffer = [];
      st.length = 0;
    }
  } else {
    const all = st.decoder ? st.buffer.join('') : Buffer.concat(st.buffer);
    out = all.slice(0, n);
    st.buffer = [all.slice(n)];
    st.length -= n;
  }
  if (st.length < st.highWaterMark) more(this);
  if (st.length === 0) {
    if (!st.ended) st.needReadable = true;
    else finishReading(this);
  }
  st.dataEmitted = true;
  this.emit('data', out);
  return out;
};

function finishReading(s) {
  const st = s._readableState;
  if (!st.ended || st.length > 0 || st.endEmitted || st.endScheduled || st.destroyed || st.errored) return;
  st.endScheduled = true;
  process.nextTick(() => {
    if (st.endEmitted || st.length > 0 || st.errored || st.destroyed) return;
    st.endEmitted = true;
    s.emit('end');
    const w = s._writableState;
    if (w && s.allowHalfOpen === false && !w.ending) s.end();
    if (st.autoDestroy && (!w || w.finished)) s.destroy();
  });
}

function flow(s) {
  const st = s._readableState;
  while (st.flowing && !st.destroyed && s.read() !== null);
}

R.on = function (name, f) {
  Stream.prototype.on.call(this, name, f);
  const st = this._readableState;
  if (name === 'data') {
    st.readableListening = this.listenerCount('readable') > 0;
    if (st.flowing !== false) this.resume();
  } else if (name === 'readable' && !st.endEmitted && !st.readableListening) {
    st.readableListening = true;
    st.needReadable = true;
    st.flowing = false;
    if (st.length > 0 || st.ended) tell(this);
    else if (!st.reading) process.nextTick(() => this.read(0));
  }
  return this;
};
R.addListener = R.on;
R.removeListener = function (name, f) {
  Stream.prototype.removeListener.call(this, name, f);
  if (name === 'readable') process.nextTick(() => {
    const st = this._readableState;
    st.readableListening = this.listenerCount('readable') > 0;
    if (!st.readableListening && this.listenerCount('data') > 0) this.resume();
  });
  return this;
};
R.off = R.removeListener;
R.resume = function () {
  const st = this._readableState;
  if (!st.flowing) {
    st.flowing = !st.readableListening;
    if (!st.resumeScheduled) {
      st.resumeScheduled = true;
      process.nextTick(() => {
        st.resumeScheduled = false;
        if (!st.reading) this.read(0);
        this.emit('resume');
        flow(this);
        if (st.flowing && !st.reading) this.read(0);
      });
    }
  }
  st.paused = false;
  return this;
};
R.pause = function () {
  const st = this._readableState;
  if (st.flowing !== false) {
    st.flowing = false;
    this.emit('pause');
  }
  st.paused = true;
  return this;
};
R.isPaused = function () { return this._readableState.paused === true || this._readableState.flowing === false; };

R.pipe = function (to, options) {
  const st = this._readableState;
  st.pipes.push(to);
  const end = options?.end !== false && to !== process.stdout && to !== process.stderr;
  const onData = (chunk) => {
    if (to.write(chunk) === false) {
      st.awaiting.add(to);
      this.pause();
    }
  };
  const onDrain = () => {
    st.awaiting.delete(to);
    if (st.awaiting.size === 0 && this.listenerCount('data')) {
      st.flowing = false;
      this.resume();
    }
  };
  const onEnd = () => to.end();
  const stop = () => this.unpipe(to);
  const onError = (e) => {
    this.unpipe(to);
    if (to.listenerCount('error') === 0) errorOrDestroy(to, e);
  };
  const cleanup = (from) => {
    if (from !== this) return;
    this.removeListener('data', onData);
    this.removeListener('end', onEnd);
    to.removeListener('drain', onDrain);
    to.removeListener('error', onError);
    to.removeListener('close', stop);
    to.removeListener('finish', stop);
    to.removeListener('unpipe', cleanup);
    if (st.awaiting.has(to)) onDrain();
  };
  to.on('unpipe', cleanup);
  to.on('drain', onDrain);
  to.prependListener('error', onError);
  to.once('close', stop);
  to.once('finish', stop);
  if (end) {
    if (st.endEmitted) process.nextTick(onEnd);
    else this.once('end', onEnd);
  }
  this.on('data', onData);
  to.emit('pipe', this);
  if (!st.flowing) this.resume();
  return to;
};
R.unpipe = function (to) {
  const st = this._readableState;
  const list = to ? [to] : st.pipes;
  st.pipes = st.pipes.filter((p) => !list.includes(p));
  if (st.pipes.length === 0 && to === undefined) this.pause();
  for (const p of list) p.emit('unpipe', this, { hasUnpiped: false });
  return this;
};
R.wrap = function (old) {
  old.on('data', (c) => { if (!this.push(c)) old.pause?.(); });
  old.on('end', () => this.push(null));
  old.on('error', (e) => errorOrDestroy(this, e));
  this._read = () => old.resume?.();
  return this;
};

R[Symbol.asyncIterator] = function () { return iterate(this); };
R.iterator = function (options) { return iterate(this, options); };

async function* iterate(s, options) {
  let wake = null, error = null, done = false;
  const poke = () => { if (wake) wake(); wake = null; };
  s.on('readable', poke);
  const stop = finished(s, { writable: false }, (e) => {
    error = e ?? null;
    done = true;
    poke();
  });
  try {
    for (;;) {
      const chunk = s.destroyed ? null : s.read();
      if (chunk !== null) yield chunk;
      else if (error) throw error;
      else if (done) return;
      else await new Promise((resolve) => { wake = resolve; });
    }
  } finally {
    stop();
    s.removeListener('readable', poke);
    if (!done && options?.destroyOnReturn !== false) s.destroy();
    else if (done && s._readableState.autoDestroy && !s.destroyed) s.destroy();
  }
}

const state = (name, f) => Object.defineProperty(R, name, { configurable: true, enumerable: false, get() { return this._readableState && f(this._readableState); }, set() {} });
state('readable', (st) => !st.destroyed && !st.errored && !st.endEmitted);
state('readableFlowing', (st) => st.flowing);
state('readableLength', (st) => st.length);
state('readableHighWaterMark', (st) => st.highWaterMark);
state('readableObjectMode', (st) => st.objectMode);
state('readableEncoding', (st) => st.encoding);
state('readableEnded', (st) => st.endEmitted);
state('readableAborted', (st) => (st.destroyed || !!st.errored) && !st.endEmitted);
state('readableDidRead', (st) => st.dataEmitted);
state('destroyed', (st) => st.destroyed);
state('closed', (st) => st.closed);
state('errored', (st) => st.errored);

Readable.from = function (source, options) {
  if (typeof source === 'string' || source instanceof Uint8Array) {
    return new Readable({ objectMode: true, ...options, read() { this.push(source); this.push(null); } });
  }
  const it = source[Symbol.asyncIterator]?.() ?? source[Symbol.iterator]?.();
  if (!it) throw invalidArgType('iterable', ['Iterable'], source);
  let busy = false;
  return new Readable({ objectMode: true, highWaterMark: 1, ...options, async read() {
    if (busy) return;
    busy = true;
    try {
      for (;;) {
        const { value, done } = await it.next();
        if (done) {
          this.push(null);
          break;
        }
        const v = await value;
        if (v === null) throw withCode(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
        if (!this.push(v)) break;
      }
    } catch (e) {
      this.destroy(e);
    }
    busy = false;
  }, destroy(e, cb) { Promise.resolve(it.return?.()).then(() => cb(e), (x) => cb(e ?? x)); } });
};
Readable.toWeb = (s) => require('stream/web').fromReadable(s);
Readable.fromWeb = (s, options) => Readable.from(s, options);

// What arrays have, on what is read.
const helpers = {
  async *map(f) { let i = 0; for await (const x of this) yield f(x, { signal: undefined }, i++); },
  async *filter(f) { for await (const x of this) if (await f(x)) yield x; },
  async *flatMap(f) { for await (const x of this) yield* await f(x); },
  async *take(n) { if (n > 0) for await (const x of this) { yield x; if (--n <= 0) return; } },
  async *drop(n) { for await (const x of this) if (n-- <= 0) yield x; },
};
for (const k of Object.keys(helpers)) R[k] = function (...args) { return Readable.from(helpers[k].apply(this, args)); };
R.toArray = async function () { const list = []; for await (const x of this) list.push(x); return list; };
R.forEach = async function (f) { for await (const x of this) await f(x); };
R.some = async function (f) { for await (const x of this) if (await f(x)) return true; return false; };
R.every = async function (f) { for await (const x of this) if (!await f(x)) return false; return true; };
R.find = async function (f) { for await (const x of this) if (await f(x)) return x; return undefined; };
R.reduce = async function (f, ...init) {
  let has = init.length > 0, acc = init[0];
  for await (const x of this) {
    acc = has ? await f(acc, x) : x;
    has = true;
  }
  if (!has) throw new TypeError('Reduce of an empty stream requires an initial value');
  return acc;
};

// ---- Writable ------------------------------------------------------------------------------------------------

function Writable(options = {}) {
  if (!(this instanceof Writable) && !(this instanceof Duplex)) return new Writable(options);
  Stream.call(this, options);
  initWritable(this, options);
}
Object.setPrototypeOf(Writable.prototype, Stream.prototype);
Object.setPrototypeOf(Writable, Stream);
Object.defineProperty(Writable, Symbol.hasInstance, { value(o) {
  if (Function.prototype[Symbol.hasInstance].call(this, o)) return true;
  return this === Writable && !!o?._writableState && o instanceof Stream;
} });

function initWritable(s, o) {
  const objectMode = !!(o.objectMode || o.writableObjectMode);
  s._writableState = { objectMode, highWaterMark: o.writableHighWaterMark ?? o.highWaterMark ?? (objectMode ? 16 : 16384), queue: [], length: 0, writing: false, needDrain: false,
    ending: false, ended: false, finished: false, prefinished: false, corked: 0, destroyed: false, closed: false, errored: null, errorEmitted: false, emitClose: o.emitClose !== false,
    autoDestroy: o.autoDestroy !== false, decodeStrings: o.decodeStrings !== false, defaultEncoding: o.defaultEncoding ?? 'utf8', constructed: true };
  for (const k of ['write', 'writev', 'final', 'destroy', 'construct']) if (typeof o[k] === 'function') s[`_${k}`] = o[k];
  construct(s, s._writableState);
  abortable(s, o.signal);
}

const W = Writable.prototype;
W.destroy = destroy;
W._destroy = function (e, cb) { cb(e); };
W._write = function (chunk, encoding, cb) {
  if (this._writev) this._writev([{ chunk, encoding }], cb);
  else throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _write() method is not implemented');
};
W.pipe = function () { errorOrDestroy(this, withCode(Error, 'ERR_STREAM_CANNOT_PIPE', 'Cannot pipe, not readable')); };

W.write = function (chunk, encoding, cb) {
  const st = this._writableState;
  if (typeof encoding === 'function') cb = encoding, encoding = undefined;
  encoding = encoding ?? st.defaultEncoding;
  if (chunk === null) throw withCode(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
  if (!st.objectMode) {
    if (typeof chunk === 'string') {
      if (st.decodeStrings) {
        chunk = Buffer.from(chunk, encoding);
        encoding = 'buffer';
      }
    } else if (chunk instanceof Uint8Array) {
      if (!(chunk instanceof Buffer)) chunk = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      encoding = 'buffer';
    } else {
      throw invalidArgType('chunk', ['string', 'Buffer', 'Uint8Array'], chunk);
    }
  }
  let e = null;
  if (st.ending) e = withCode(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
  else if (st.destroyed) e = withCode(Error, 'ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed');
  if (e) {
    process.nextTick(() => {
      if (cb) cb(e);
      if (e.code === 'ERR_STREAM_WRITE_AFTER_END' && this.destroyed && !st.errorEmitted) {
        st.errorEmitted = true;
        this.emit('error', e);
      }
      errorOrDestroy(this, e);
    });
    return false;
  }
  const size = st.objectMode ? 1 : chunk.length;
  st.length += size;
  const ok = st.length < st.highWaterMark;
  if (!ok) st.needDrain = true;
  st.queue.push({ chunk, encoding, cb, size });
  if (!st.writing && st.corked === 0) pumpOut(this);
  return ok && !st.errored && !st.destroyed;
};

function pumpOut(s) {
  const st = s._writableState;
  if (st.writing || st.destroyed || st.corked) return;
  if (!st.constructed) {
    s.once('constructed', () => pumpOut(s));
    return;
  }
  if (st.queue.length === 0) {
    finishWriting(s);
    return;
  }
  const many = s._writev && st.queue.length > 1 ? st.queue.splice(0) : [st.queue.shift()];
  st.writing = true;
  let sync = true, called = false;
  const done = (e) => {
    if (called) {
      errorOrDestroy(s, withCode(Error, 'ERR_MULTIPLE_CALLBACK', 'Callback called multiple times'));
      return;
    }
    called = true;
    st.writing = false;
    for (const w of many) st.length -= w.size;
    const after = () => {
      if (e) {
        for (const w of many) w.cb?.(e);
        st.errored = e;
        errorOrDestroy(s, e);
        return;
      }
      if (st.needDrain && st.length === 0 && !st.ending && !st.destroyed) {
        st.needDrain = false;
        s.emit('drain');
      }
      for (const w of many) w.cb?.(null);
      pumpOut(s);
    };
    if (!sync) after();
    else if (!e && st.queue.length === 0 && !st.needDrain && !st.ending && !many.some((w) => w.cb)) pumpOut(s);
    else process.nextTick(after);
  };
  try {
    if (many.length > 1) s._writev(many.map((w) => ({ chunk: w.chunk, encoding: w.encoding })), done);
    else s._write(many[0].chunk, many[0].encoding, done);
  } catch (e) {
    st.writing = false;
    errorOrDestroy(s, e);
  }
  sync = false;
}

function finishWriting(s) {
  const st = s._writableState;
  if (!st.ending || st.finished || st.finishing || st.writing || st.length > 0 || st.destroyed || st.errored) return;
  st.finishing = true;
  const finish = (e) => {
    if (e) {
      st.onFinish?.forEach((f) => f(e));
      errorOrDestroy(s, e);
      return;
    }
    process.nextTick(() => {
      if (st.destroyed || st.errored) return;
      st.prefinished = true;
      s.emit('prefinish');
      st.finished = true;
      st.onFinish?.forEach((f) => f());
      s.emit('finish');
      const r = s._readableState;
      if (st.autoDestroy && (!r || r.endEmitted || !r.autoDestroy)) s.destroy();
    });
  };
  if (typeof s._final === 'function') {
    process.nextTick(() => {
      try {
        s._final(finish);
      } catch (e) {
        finish(e);
      }
    });
  } else {
    finish();
  }
}

W.end = function (chunk, encoding, cb) {
  const st = this._writableState;
  if (typeof chunk === 'function') cb = chunk, chunk = undefined, encoding = undefined;
  else if (typeof encoding === 'function') cb = encoding, encoding = undefined;
  if (chunk !== null && chunk !== undefined) this.write(chunk, encoding);
  if (st.corked) {
    st.corked = 1;
    this.uncork();
  }
  let e = null;
  if (st.finished || (st.ending && chunk === undefined && false)) e = withCode(Error, 'ERR_STREAM_ALREADY_FINISHED', 'Cannot call end after a stream was finished');
  else if (st.destroyed) e = withCode(Error, 'ERR_STREAM_DESTROYED', 'Cannot call end after a stream was destroyed');
  if (!e && !st.ending) {
    st.ending = true;
    st.ended = true;
    if (!st.writing) pumpOut(this);
  }
  if (typeof cb === 'function') {
    if (e) process.nextTick(cb, e);
    else if (st.finished) process.nextTick(cb);
    else (st.onFinish ??= []).push(cb);
  }
  return this;
};
W.cork = function () { this._writableState.corked++; };
W.uncork = function () {
  const st = this._writableState;
  if (st.corked && --st.corked === 0) pumpOut(this);
};
W.setDefaultEncoding = function (e) { this._writableState.defaultEncoding = e; return this; };

const writableState = {
  writable: (st) => !st.destroyed && !st.errored && !st.ending && !st.ended, writableEnded: (st) => st.ending, writableFinished: (st) => st.finished,
  writableLength: (st) => st.length, writableHighWaterMark: (st) => st.highWaterMark, writableObjectMode: (st) => st.objectMode, writableCorked: (st) => st.corked,
  writableNeedDrain: (st) => !st.destroyed && !st.ending && st.needDrain, writableBuffer: (st) => st.queue, writableAborted: (st) => (st.destroyed || !!st.errored) && !st.finished };
const both = { destroyed: (st) => st.destroyed, closed: (st) => st.closed, errored: (st) => st.errored };
const define = (P, table) => {
  for (const k of Object.keys(table)) Object.defineProperty(P, k, { configurable: true, enumerable: false, get() { return this._writableState && table[k](this._writableState); }, set() {} });
};
define(W, { ...writableState, ...both });

// ---- Duplex, Transform -----------------------------------------------------------------------------------------

function Duplex(options = {}) {
  if (!(this instanceof Duplex)) return new Duplex(options);
  Stream.call(this, options);
  this.allowHalfOpen = options?.allowHalfOpen !== false;
  initReadable(this, options ?? {});
  initWritable(this, options ?? {});
  if (options?.readable === false) {
    this._readableState.ended = this._readableState.endEmitted = true;
    this.push = () => false;
  }
  if (options?.writable === false) Object.assign(this._writableState, { ending: true, ended: true, finished: true });
}
Object.setPrototypeOf(Duplex.prototype, Readable.prototype);
Object.setPrototypeOf(Duplex, Readable);
for (const k of ['write', 'end', 'cork', 'uncork', 'setDefaultEncoding', '_write']) Duplex.prototype[k] = W[k];
define(Duplex.prototype, writableState);
Duplex.from = (source) => {
  if (source && typeof source.readable === 'object' && source.writable) {
    return new Duplex({ read() { source.readable.on('data', (c) => this.push(c) || 0).on('end', () => this.push(null)); }, write(c, e, cb) { source.writable.write(c, e, cb); }, final(cb) { source.writable.end(cb); } });
  }
  return Readable.from(source);
};

function Transform(options = {}) {
  if (!(this instanceof Transform)) return new Transform(options);
  Duplex.call(this, options);
  if (typeof options?.transform === 'function') this._transform = options.transform;
  if (typeof options?.flush === 'function') this._flush = options.flush;
  Object.defineProperty(this, 'held', { value: null, writable: true, enumerable: false });
}
Object.setPrototypeOf(Transform.prototype, Duplex.prototype);
Object.setPrototypeOf(Transform, Duplex);
Transform.prototype._transform = function () { throw withCode(Error, 'ERR_METHOD_NOT_IMPLEMENTED', 'The _transform() method is not implemented'); };
Transform.prototype._write = function (chunk, encoding, cb) {
  const r = this._readableState;
  const before = r.length;
  this._transform(chunk, encoding, (e, value) => {
    if (e) {
      cb(e);
      return;
    }
    if (value !== null && value !== undefined) this.push(value);
    // Nothing more is taken while nobody takes what came of it.
    if (this._writableState.ended || before === r.length || r.length < r.highWaterMark) cb();
    else this.held = cb;
  });
};
Transform.prototype._read = function () {
  const cb = this.held;
  this._readableState.reading = false;
  if (cb) {
    this.held = null;
    cb();
  }
};
Transform.prototype._final = function (cb) {
  if (typeof this._flush === 'function' && !this.destroyed) {
    this._flush((e, value) => {
      if (e) {
        cb(e);
        return;
      }
      if (value !== null && value !== undefined) this.push(value);
      this.push(null);
      cb();
    });
  } else {
    this.push(null);
    cb();
  }
};

function PassThrough(options) {
  if (!(this instanceof PassThrough)) return new PassThrough(options);
  Transform.call(this, options);
}
Object.setPrototypeOf(PassThrough.prototype, Transform.prototype);
Object.setPrototypeOf(PassThrough, Transform);
PassThrough.prototype._transform = (chunk, encoding, cb) => cb(null, chunk);

// ---- finished, pipeline --------------------------------------------------------------------------------------------

function finished(stream, options, cb) {
  if (typeof options === 'function') cb = options, options = {};
  options = options ?? {};
  const r = stream._readableState, w = stream._writableState;
  const wantRead = options.readable !== false && !!r && !(r.ended && r.endEmitted && false), wantWrite = options.writable !== false && !!w;
  let reading = wantRead && !r.endEmitted, writing = wantWrite && !w.finished, called = false;
  const done = (e) => {
    if (called) return;
    called = true;
    cb.call(stream, e);
  };
  const onEnd = () => { reading = false; if (!writing) done(); };
  const onFinish = () => { writing = false; if (!reading) done(); };
  const onError = (e) => done(e);
  const onClose = () => {
    const e = r?.errored ?? w?.errored;
    if (e) done(e);
    else if ((reading && !r.endEmitted) || (writing && !w.finished)) done(withCode(Error, 'ERR_STREAM_PREMATURE_CLOSE', 'Premature close'));
    else done();
  };
  stream.on('end', onEnd);
  stream.on('finish', onFinish);
  if (options.error !== false) stream.on('error', onError);
  stream.on('close', onClose);
  const st = r ?? w;
  if (st?.closed || (st?.errored && st?.errorEmitted)) process.nextTick(onClose);
  else if (!reading && !writing && (r || w)) process.nextTick(done);
  else if (!r && !w && stream.destroyed) process.nextTick(done);
  const stop = () => {
    stream.removeListener('end', onEnd);
    stream.removeListener('finish', onFinish);
    stream.removeListener('error', onError);
    stream.removeListener('close', onClose);
  };
  options.signal?.addEventListener('abort', () => done(new AbortError(undefined, { cause: options.signal.reason })), { once: true });
  return stop;
}

const isStream = (s) => !!s && typeof s === 'object' && typeof s.on === 'function' && (typeof s.pipe === 'function' || typeof s.write === 'function');

function pipeline(...streams) {
  const cb = streams.pop();
  if (Array.isArray(streams[0]) && streams.length === 1) streams = streams[0];
  if (streams.length < 2) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "streams" argument must be specified');
  let error = null, value, open = 0, called = false;
  const chain = [];
  const finish = (e) => {
    if (e && (!error || error.code === 'ERR_STREAM_PREMATURE_CLOSE')) error = e;
    if (error) for (const s of chain) if (!s.destroyed) s.destroy(error);
    if (--open > 0 && !error) return;
    if (called) return;
    called = true;
    process.nextTick(() => cb(error ?? undefined, value));
  };
  let current = null;
  streams.forEach((s, i) => {
    const last = i === streams.length - 1;
    if (typeof s === 'function') {
      const made = i === 0 ? s({}) : s(current, {});
      if (made && typeof made[Symbol.asyncIterator] === 'function' && !last) {
        current = Readable.from(made);
        watch(current, true, false);
      } else if (last) {
        open++;
        Promise.resolve(made?.[Symbol.asyncIterator] ? (async () => { for await (const x of made); })() : made).then((v) => { value = v; finish(); }, finish);
      } else {
        current = Readable.from(made);
        watch(current, true, false);
      }
      return;
    }
    if (!isStream(s)) s = Readable.from(s);
    if (i > 0) {
      const from = isStream(current) ? current : Readable.from(current);
      from.pipe(s, { end: true });
      if (s === process.stdout || s === process.stderr) {
        open++;
        from.on('end', () => finish());
      }
    }
    if (s !== process.stdout && s !== process.stderr) watch(s, i < streams.length - 1, i > 0);
    current = s;
  });
  function watch(s, readable, writable) {
    open++;
    chain.push(s);
    s.on('error', () => {});
    finished(s, { readable, writable }, finish);
  }
  return current;
}

Stream.Stream = Stream;
Object.assign(Stream, { Readable, Writable, Duplex, Transform, PassThrough, finished, pipeline,
  addAbortSignal(signal, stream) { abortable(stream, signal); return stream; },
  compose: (...s) => s.reduce((a, b) => a.pipe(b)), destroy: (s, e) => s.destroy(e), isDisturbed: (s) => !!s?._readableState?.dataEmitted,
  isErrored: (s) => !!(s?._readableState?.errored ?? s?._writableState?.errored), isReadable: (s) => !!s?.readable,
  getDefaultHighWaterMark: (o) => (o ? 16 : 16384),
  setDefaultHighWaterMark() { throw require('internal/errors').notHere('stream.setDefaultHighWaterMark', 'a stream takes highWaterMark'); } });
Stream.prototype.pipe = R.pipe;
Object.defineProperty(Stream, 'promises', { enumerable: true, get: () => require('stream/promises') });
const custom = Symbol.for('nodejs.util.promisify.custom');
Object.defineProperty(finished, custom, { get: () => require('stream/promises').finished });
Object.defineProperty(pipeline, custom, { get: () => require('stream/promises').pipeline });
module.exports = Stream;
