// readline: lines of a stream, questions, an (async) iterator of lines.
const EventEmitter = require('events');
const { StringDecoder } = require('string_decoder');
const { AbortError, withCode } = require('internal/errors');

class Interface extends EventEmitter {
  #rest = '';
  #decoder = new StringDecoder('utf8');
  #question = null;
  #cr = false;
  #iterated = null;
  constructor(input, output, completer, terminal) {
    super();
    const o = input && typeof input.on !== 'function' ? input : { input, output, completer, terminal };
    this.input = o.input;
    this.output = o.output;
    this.terminal = !!o.terminal;
    this.line = '';
    this.cursor = 0;
    this.closed = false;
    this.history = [];
    this.crlfDelay = o.crlfDelay ?? 100;
    let prompt = o.prompt ?? '> ';
    this.setPrompt = (p) => { prompt = `${p}`; };
    this.getPrompt = () => prompt;
    this.prompt = () => {
      if (this.paused) this.resume();
      this.output?.write(prompt);
    };
    for (const k of ['setPrompt', 'getPrompt', 'prompt', 'terminal', 'closed', 'cursor', 'line']) Object.defineProperty(this, k, { enumerable: false });
    this.onData = (chunk) => this.#data(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk));
    this.onEnd = () => {
      if (this.#rest !== '') {
        const last = this.#rest;
        this.#rest = '';
        this.#line(last);
      }
      this.close();
    };
    this.onError = (e) => { if (this.#iterated) this.#iterated.fail(e); else this.emit('error', e); };
    this.input.on('data', this.onData);
    this.input.on('end', this.onEnd);
    this.input.on('error', this.onError);
    o.signal?.addEventListener('abort', () => this.close(), { once: true });
    if (o.signal?.aborted) process.nextTick(() => this.close());
    this.input.resume();
  }
  #data(text) {
    if (this.#cr && text.startsWith('\n')) text = text.slice(1);
    this.#cr = text.endsWith('\r');
    const lines = (this.#rest + text).split(/\r\n|\n|\r|\u2028|\u2029/);
    this.#rest = lines.pop();
    for (let i = 0; i < lines.length; i++) {
      if (this.closed) return;
      if (this.paused && !this.#iterated) {
        // What was read already is given out later.
        const rest = lines.slice(i);
        this.once('resume', () => this.#data(`${rest.join('\n')}\n`));
        return;
      }
      this.#line(lines[i]);
    }
  }
  #line(text) {
    if (this.#question) {
      const q = this.#question;
      this.#question = null;
      q(text);
    } else {
      this.emit('line', text);
    }
  }
  question(query, options, cb) {
    if (typeof options === 'function') cb = options, options = {};
    if (this.closed) throw withCode(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
    if (options?.signal?.aborted) return;
    this.output?.write(query);
    this.#question = cb;
    if (this.paused) this.resume();
  }
  pause() {
    if (this.paused) return this;
    this.input.pause();
    this.paused = true;
    this.emit('pause');
    return this;
  }
  resume() {
    if (!this.paused) return this;
    this.paused = false;
    this.input.resume();
    this.emit('resume');
    return this;
  }
  close() {
    if (this.closed) return;
    this.pause();
    this.closed = true;
    this.input.removeListener('data', this.onData);
    this.input.removeListener('end', this.onEnd);
    this.emit('close');
  }
  write(text) { if (text) this.#data(`${text}`); }
  getCursorPos() { return { rows: 0, cols: 0 }; }
  [Symbol.asyncIterator]() {
    const queue = [], waiting = [];
    let error = null, done = this.closed;
    this.#iterated = { fail: (e) => { error = e; end(); } };
    const end = () => {
      done = true;
      for (const w of waiting.splice(0)) if (error) w.reject(error); else w.resolve({ value: undefined, done: true });
    };
    this.on('line', (l) => (waiting.length ? waiting.shift().resolve({ value: l, done: false }) : queue.push(l)));
    this.on('close', end);
    return {
      next: () => {
        if (queue.length) return Promise.resolve({ value: queue.shift(), done: false });
        if (error) return Promise.reject(error);
        if (done) return Promise.resolve({ value: undefined, done: true });
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      },
      return: () => {
        this.close();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() { return this; },
    };
  }
  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() { this.close(); }
}

const code = (stream, text, cb) => {
  const ok = stream?.write(text) ?? true;
  if (typeof cb === 'function') process.nextTick(cb, null);
  return ok;
};
function InterfaceFunction(...args) { return Reflect.construct(Interface, args, new.target ?? Interface); }
InterfaceFunction.prototype = Interface.prototype;
Interface.prototype[require('util').promisify.custom] = undefined;
delete Interface.prototype[require('util').promisify.custom];
Object.defineProperty(Interface.prototype.question, require('util').promisify.custom, { value(query, options) {
  return new Promise((resolve, reject) => {
    options?.signal?.addEventListener('abort', () => reject(new AbortError(undefined, { cause: options.signal.reason })), { once: true });
    this.question(query, options ?? {}, resolve);
  });
} });
module.exports = { Interface: InterfaceFunction, createInterface: (...args) => new Interface(...args),
  clearLine: (s, dir, cb) => code(s, dir < 0 ? '\x1b[1K' : dir > 0 ? '\x1b[0K' : '\x1b[2K', cb), clearScreenDown: (s, cb) => code(s, '\x1b[0J', cb),
  cursorTo: (s, x, y, cb) => (typeof y === 'function' ? code(s, `\x1b[${x + 1}G`, y) : code(s, y === undefined ? `\x1b[${x + 1}G` : `\x1b[${y + 1};${x + 1}H`, cb)),
  moveCursor: (s, dx, dy, cb) => code(s, (dx < 0 ? `\x1b[${-dx}D` : dx > 0 ? `\x1b[${dx}C` : '') + (dy < 0 ? `\x1b[${-dy}A` : dy > 0 ? `\x1b[${dy}B` : ''), cb),
  emitKeypressEvents() { throw require('internal/errors').notHere('readline.emitKeypressEvents', 'there is no terminal'); } };
Object.defineProperty(module.exports, 'promises', { enumerable: true, get: () => require('readline/promises') });
