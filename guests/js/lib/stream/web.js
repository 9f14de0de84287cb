// Streams of the web, as far as reading and writing one after another goes.
class ReadableStream {
  #queue = [];
  #waiting = [];
  #closed = false;
  #error = null;
  #source;
  #pulling = false;
  constructor(source = {}) {
    this.#source = source;
    this.locked = false;
    this.controller = { enqueue: (c) => this.#give(c), close: () => this.#end(), error: (e) => this.#end(e), desiredSize: 1 };
    Object.defineProperty(this, 'controller', { enumerable: false });
    Promise.resolve(source.start?.(this.controller)).then(() => { this.started = true; if (this.#waiting.length) this.#pull(); }, (e) => this.#end(e));
    Object.defineProperty(this, 'started', { value: false, writable: true, enumerable: false });
  }
  #give(c) { if (this.#waiting.length) this.#waiting.shift().resolve({ value: c, done: false }); else this.#queue.push(c); }
  #end(e) {
    this.#closed = true;
    this.#error = e ?? null;
    for (const w of this.#waiting.splice(0)) if (e) w.reject(e); else w.resolve({ value: undefined, done: true });
  }
  async #pull() {
    if (this.#pulling || !this.#source.pull || this.#closed) return;
    this.#pulling = true;
    try {
      await this.#source.pull(this.controller);
    } catch (e) {
      this.#end(e);
    }
    this.#pulling = false;
    if (this.#waiting.length) this.#pull();
  }
  #read() {
    if (this.#queue.length) return Promise.resolve({ value: this.#queue.shift(), done: false });
    if (this.#error) return Promise.reject(this.#error);
    if (this.#closed) return Promise.resolve({ value: undefined, done: true });
    const p = new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    if (this.started) this.#pull();
    return p;
  }
  getReader() {
    if (this.locked) throw new TypeError('Invalid state: ReadableStream is locked');
    this.locked = true;
    return { read: () => this.#read(), releaseLock: () => { this.locked = false; }, cancel: (r) => this.cancel(r), closed: Promise.resolve() };
  }
  async cancel(reason) { this.#end(); await this.#source.cancel?.(reason); }
  async *values() {
    for (let r; !(r = await this.#read()).done;) yield r.value;
  }
  [Symbol.asyncIterator]() { return this.values(); }
  async pipeTo(to) {
    const w = to.getWriter();
    for await (const c of this) await w.write(c);
    await w.close();
  }
  pipeThrough({ readable, writable }) { this.pipeTo(writable); return readable; }
  static from(it) {
    const i = it[Symbol.asyncIterator]?.() ?? it[Symbol.iterator]();
    return new ReadableStream({ async pull(c) { const r = await i.next(); if (r.done) c.close(); else c.enqueue(await r.value); } });
  }
}
class WritableStream {
  #sink;
  #last = Promise.resolve();
  constructor(sink = {}) {
    this.#sink = sink;
    this.locked = false;
    // What the sink says has failed, every later write says as well.
    this.#last = Promise.resolve(sink.start?.({ error: (e) => { this.#last = Promise.reject(e); this.#last.catch(() => {}); } }));
  }
  getWriter() {
    this.locked = true;
    const then = (f) => (this.#last = this.#last.then(f));
    return { write: (c) => then(() => this.#sink.write?.(c, {})), close: () => then(() => this.#sink.close?.()), abort: (r) => then(() => this.#sink.abort?.(r)), releaseLock: () => { this.locked = false; }, ready: Promise.resolve(), closed: this.#last, desiredSize: 1 };
  }
  async close() { await this.getWriter().close(); }
}
class TransformStream {
  constructor(t = {}) {
    let c;
    this.readable = new ReadableStream({ start(x) { c = x; } });
    const controller = { enqueue: (v) => c.enqueue(v), terminate: () => c.close(), error: (e) => c.error(e) };
    this.writable = new WritableStream({ start: () => t.start?.(controller), write: (v) => (t.transform ? t.transform(v, controller) : controller.enqueue(v)), async close() { await t.flush?.(controller); c.close(); } });
  }
}
class CountQueuingStrategy { constructor({ highWaterMark }) { this.highWaterMark = highWaterMark; } size() { return 1; } }
class ByteLengthQueuingStrategy { constructor({ highWaterMark }) { this.highWaterMark = highWaterMark; } size(c) { return c.byteLength; } }
module.exports = { ReadableStream, WritableStream, TransformStream, CountQueuingStrategy, ByteLengthQueuingStrategy, fromReadable: (s) => ReadableStream.from(s) };
