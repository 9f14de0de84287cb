// The names every program finds: those of the web that Node has too.
const { Buffer, atob, btoa } = require('buffer');
const timers = require('timers');
const { inspect } = require('internal/inspect');
const { withCode, invalidArgType, notHere } = require('internal/errors');
const { URL, URLSearchParams } = require('url');

const hidden = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
const shown = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
const lazy = (name, file, key = name) => Object.defineProperty(globalThis, name, { configurable: true, enumerable: false, get() {
  const value = require(file)[key];
  hidden(name, value);
  return value;
}, set(value) { hidden(name, value); } });

// ---- Text ----------------------------------------------------------------------------------------------

class TextEncoder {
  get encoding() { return 'utf-8'; }
  encode(text = '') { return new Uint8Array(host.encode(`${text}`, 0)); }
  encodeInto(text, to) {
    const [read, written] = host.utf8Into(`${text}`, to.buffer, to.byteOffset, to.byteLength);
    return { read, written };
  }
}

const LABELS = { 'utf-8': 0, utf8: 0, 'unicode-1-1-utf-8': 0, 'utf-16le': 3, 'utf-16': 3, unicode: 3, latin1: 1, 'iso-8859-1': 1, ascii: 1, 'us-ascii': 1, 'windows-1252': 1 };
const NAMES = { 0: 'utf-8', 1: 'windows-1252', 3: 'utf-16le' };
class TextDecoder {
  #encoding;
  #fatal;
  #keepMark;
  #rest = new Uint8Array(0);
  #begun = false;
  constructor(label = 'utf-8', options = {}) {
    this.#encoding = LABELS[`${label}`.trim().toLowerCase()];
    if (this.#encoding === undefined) throw withCode(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
    this.#fatal = !!options.fatal;
    this.#keepMark = !!options.ignoreBOM;
  }
  get encoding() { return NAMES[this.#encoding]; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#keepMark; }
  decode(input = new Uint8Array(0), options = {}) {
    if (!ArrayBuffer.isView(input) && !(input instanceof ArrayBuffer)) throw invalidArgType('list', ['ArrayBuffer', 'ArrayBufferView'], input);
    let bytes = ArrayBuffer.isView(input) ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
    if (this.#rest.length) bytes = Buffer.concat([this.#rest, bytes]);
    let n = bytes.length;
    if (options.stream) n = this.#encoding === 0 ? wholeCharacters(bytes) : this.#encoding === 3 ? n & ~1 : n;
    this.#rest = bytes.slice(n);
    let text = host.decode(bytes.buffer, bytes.byteOffset, n, this.#encoding, this.#fatal);
    if (text === undefined) throw withCode(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', `The encoded data was not valid for encoding ${this.encoding}`);
    if (!this.#begun && !this.#keepMark && text.startsWith('\ufeff')) text = text.slice(1);
    this.#begun = !!options.stream && (this.#begun || text.length > 0);
    return text;
  }
}

// How many of the bytes are whole characters of UTF-8, as far as they go.
function wholeCharacters(b) {
  for (let back = 1; back <= 3 && back <= b.length; back++) {
    const c = b[b.length - back];
    if (c < 0x80) return b.length;
    if (c >= 0xc0) return (c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2) > back ? b.length - back : b.length;
  }
  return b.length;
}

// ---- Events ------------------------------------------------------------------------------------------------

class Event {
  #type;
  #prevented = false;
  #stopped = false;
  constructor(type, options = {}) {
    if (arguments.length === 0) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
    this.#type = `${type}`;
    this.bubbles = !!options?.bubbles;
    this.cancelable = !!options?.cancelable;
    this.composed = !!options?.composed;
    this.timeStamp = performance.now();
    this.target = null;
    this.currentTarget = null;
    this.eventPhase = 0;
    for (const k of ['bubbles', 'cancelable', 'composed', 'timeStamp', 'target', 'currentTarget', 'eventPhase']) Object.defineProperty(this, k, { enumerable: false });
  }
  get type() { return this.#type; }
  get defaultPrevented() { return this.#prevented; }
  get returnValue() { return !this.#prevented; }
  get srcElement() { return this.target; }
  get isTrusted() { return false; }
  preventDefault() { if (this.cancelable) this.#prevented = true; }
  stopPropagation() {}
  stopImmediatePropagation() { this.#stopped = true; }
  composedPath() { return this.currentTarget ? [this.currentTarget] : []; }
  static stopped(e) { return e.#stopped; }
  get [Symbol.toStringTag]() { return 'Event'; }
  [inspect.custom](depth, options) {
    return `${this.constructor.name} ${inspect({ type: this.type, defaultPrevented: this.defaultPrevented, cancelable: this.cancelable, timeStamp: this.timeStamp }, options)}`;
  }
}
const stopped = Event.stopped;
delete Event.stopped;
class CustomEvent extends Event {
  #detail;
  constructor(type, options) { super(type, options); this.#detail = options?.detail ?? null; }
  get detail() { return this.#detail; }
}
class MessageEvent extends Event {
  constructor(type, options) { super(type, options); this.data = options?.data; }
}

const kListeners = Symbol('kEvents');
class EventTarget {
  constructor() { Object.defineProperty(this, kListeners, { value: new Map(), enumerable: false }); }
  addEventListener(type, f, options) {
    if (f === null || f === undefined) return;
    if (typeof options === 'boolean') options = { capture: options };
    const list = this[kListeners].get(`${type}`) ?? [];
    if (list.some((l) => l.f === f && l.capture === !!options?.capture)) return;
    const signal = options?.signal;
    if (signal?.aborted) return;
    list.push({ f, once: !!options?.once, capture: !!options?.capture });
    this[kListeners].set(`${type}`, list);
    signal?.addEventListener('abort', () => this.removeEventListener(type, f, options), { once: true });
  }
  removeEventListener(type, f, options) {
    const capture = !!(typeof options === 'boolean' ? options : options?.capture);
    const list = this[kListeners].get(`${type}`);
    if (list) this[kListeners].set(`${type}`, list.filter((l) => l.f !== f || l.capture !== capture));
  }
  dispatchEvent(e) {
    if (!(e instanceof Event)) throw invalidArgType('event', 'Event', e);
    e.target = this;
    e.currentTarget = this;
    e.eventPhase = 2;
    const own = this[`on${e.type}`];
    const list = [...(typeof own === 'function' ? [{ f: own }] : []), ...(this[kListeners].get(e.type) ?? [])];
    for (const l of list) {
      if (l.once) this.removeEventListener(e.type, l.f, l);
      try {
        if (typeof l.f === 'function') l.f.call(this, e);
        else l.f.handleEvent(e);
      } catch (err) {
        process.nextTick(() => { throw err; });
      }
      if (stopped(e)) break;
    }
    e.currentTarget = null;
    e.eventPhase = 0;
    return !e.defaultPrevented;
  }
}
Object.defineProperty(EventTarget.prototype, Symbol.toStringTag, { value: 'EventTarget', configurable: true });

class DOMException extends Error {
  #name;
  #code;
  constructor(message = '', name = 'Error') {
    super(message);
    if (typeof name === 'object' && name !== null) {
      if ('cause' in name) Object.defineProperty(this, 'cause', { value: name.cause, writable: true, configurable: true, enumerable: false });
      name = name.name ?? 'Error';
    }
    this.#name = `${name}`;
    this.#code = CODES[this.#name] ?? 0;
    if (this.stack) this.stack = this.stack.replace(/^Error/, this.#name);
    Object.defineProperty(this, 'stack', { enumerable: false });
  }
  get name() { return this.#name; }
  get code() { return this.#code; }
  get [Symbol.toStringTag]() { return 'DOMException'; }
}
const CODES = { IndexSizeError: 1, HierarchyRequestError: 3, InvalidCharacterError: 5, NotFoundError: 8, NotSupportedError: 9, InvalidStateError: 11, SyntaxError: 12,
  InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20, URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, DataCloneError: 25 };

class AbortSignal extends EventTarget {
  #aborted = false;
  #reason;
  constructor(key) {
    if (key !== kListeners) throw withCode(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    super();
    this.onabort = null;
    Object.defineProperty(this, 'onabort', { enumerable: false });
  }
  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }
  throwIfAborted() { if (this.#aborted) throw this.#reason; }
  static fire(s, reason = new DOMException('This operation was aborted', 'AbortError')) {
    if (s.#aborted) return;
    s.#aborted = true;
    s.#reason = reason;
    s.dispatchEvent(new Event('abort'));
  }
  static abort(reason) { const s = new AbortSignal(kListeners); fire(s, reason); return s; }
  static timeout(ms) {
    const s = new AbortSignal(kListeners);
    timers.setTimeout(() => fire(s, new DOMException('The operation was aborted due to timeout', 'TimeoutError')), ms).unref();
    return s;
  }
  static any(list) {
    const s = new AbortSignal(kListeners);
    for (const x of list) {
      if (x.aborted) { fire(s, x.reason); break; }
      x.addEventListener('abort', () => fire(s, x.reason), { once: true });
    }
    return s;
  }
  [inspect.custom](depth, options) { return `AbortSignal ${inspect({ aborted: this.#aborted }, options)}`; }
}
const fire = AbortSignal.fire;
delete AbortSignal.fire;
class AbortController {
  #signal = new AbortSignal(kListeners);
  get signal() { return this.#signal; }
  abort(reason) { fire(this.#signal, reason); }
  [inspect.custom](depth, options) { return `AbortController ${inspect({ signal: this.signal }, options)}`; }
}

// ---- Copies, time, the network ----------------------------------------------------------------------------------

function structuredClone(value, options) {
  if (arguments.length === 0) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "value" argument must be specified');
  const r = require('internal/clone')(value, DOMException);
  for (const b of options?.transfer ?? []) if (b instanceof ArrayBuffer) host.detach(b);
  return r;
}

const performance = { timeOrigin: 0, start: 0,
  now() { return host.now(1) - this.start; },
  mark(name) { const e = { name, entryType: 'mark', startTime: this.now(), duration: 0 }; marks.set(name, e); return e; },
  measure(name, a, b) {
    const from = marks.get(a)?.startTime ?? 0, to = b === undefined ? this.now() : marks.get(b).startTime;
    return { name, entryType: 'measure', startTime: from, duration: to - from };
  },
  clearMarks() { marks.clear(); }, clearMeasures() {}, getEntries: () => [...marks.values()], getEntriesByName: (n) => [...marks.values()].filter((e) => e.name === n),
  getEntriesByType: (t) => (t === 'mark' ? [...marks.values()] : []), timerify: (f) => f, eventLoopUtilization() { throw notHere('performance.eventLoopUtilization'); },
  toJSON() { return { timeOrigin: this.timeOrigin }; } };
const marks = new Map();
Object.defineProperty(performance, 'start', { enumerable: false });
performance.now = performance.now.bind(performance);

// One sentence, wherever the network is asked for.
const NO_NETWORK = 'the network is not granted in this sandbox';
const { fetch } = require('internal/added');

const queueMicrotask = (f) => {
  if (typeof f !== 'function') throw invalidArgType('callback', 'function', f);
  host.enqueue(() => {
    try {
      f();
    } catch (e) {
      require('internal/fatal').uncaught(e);
    }
  });
};
Object.defineProperty(queueMicrotask, 'name', { value: 'queueMicrotask' });

hidden('console', require('internal/console').console);
hidden('process', require('internal/process').process);
shown('global', globalThis);
hidden('Buffer', Buffer);
for (const k of ['clearImmediate', 'setImmediate', 'clearInterval', 'clearTimeout', 'setInterval', 'setTimeout']) shown(k, timers[k]);
shown('queueMicrotask', queueMicrotask);
shown('structuredClone', structuredClone);
shown('atob', atob);
shown('btoa', btoa);
shown('performance', performance);
shown('fetch', fetch);
for (const c of [URL, URLSearchParams, TextEncoder, TextDecoder, Event, CustomEvent, MessageEvent, EventTarget, DOMException, AbortSignal, AbortController]) hidden(c.name, c);
for (const n of ['Headers', 'Request', 'Response', 'FormData', 'Blob', 'File']) lazy(n, 'internal/web');
for (const n of ['ReadableStream', 'WritableStream', 'TransformStream', 'ByteLengthQueuingStrategy', 'CountQueuingStrategy']) lazy(n, 'stream/web');
Object.defineProperty(globalThis, 'crypto', { configurable: true, enumerable: true, get: () => require('crypto').webcrypto });
hidden('navigator', { hardwareConcurrency: 1, language: 'en-US', languages: ['en-US'], platform: 'linux', userAgent: 'Node.js/20' });
Object.defineProperty(globalThis, Symbol.toStringTag, { value: 'global', configurable: true });

module.exports = { NO_NETWORK, begin() {
  performance.start = host.now(1);
  performance.timeOrigin = host.now(0);
} };
