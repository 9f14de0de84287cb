// EventEmitter.
const { inspect } = require('internal/inspect');
const { invalidArgType, needFunction, withCode, AbortError } = require('internal/errors');

const kCapture = Symbol('kCapture');

function EventEmitter(options) {
  EventEmitter.init.call(this, options);
}

EventEmitter.init = function (options) {
  if (this._events === undefined || this._events === Object.getPrototypeOf(this)._events) {
    this._events = Object.create(null);
    this._eventsCount = 0;
  }
  this._maxListeners = this._maxListeners || undefined;
  Object.defineProperty(this, kCapture, { value: !!options?.captureRejections, writable: true, configurable: true, enumerable: false });
};

const P = EventEmitter.prototype;
P._events = undefined;
P._eventsCount = 0;
P._maxListeners = undefined;
EventEmitter.defaultMaxListeners = 10;

P.setMaxListeners = function setMaxListeners(n) {
  this._maxListeners = n;
  return this;
};
P.getMaxListeners = function getMaxListeners() {
  return this._maxListeners ?? EventEmitter.defaultMaxListeners;
};

P.emit = function emit(type, ...args) {
  const handler = this._events?.[type];
  if (type === 'error') {
    const monitors = this._events?.[EventEmitter.errorMonitor];
    if (monitors !== undefined) this.emit(EventEmitter.errorMonitor, ...args);
    if (handler === undefined) {
      const e = args[0];
      if (e instanceof Error) throw e;
      const shown = e === undefined ? 'undefined' : inspect(e);
      const wrapped = withCode(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${typeof e === 'string' ? inspect(e) : shown})`);
      wrapped.context = e;
      throw wrapped;
    }
  }
  if (handler === undefined) return false;
  if (typeof handler === 'function') {
    run(this, handler, args);
  } else {
    for (const f of handler.slice()) run(this, f, args);
  }
  return true;
};

function run(emitter, f, args) {
  const r = f.apply(emitter, args);
  if (r !== undefined && r !== null && emitter[kCapture] && typeof r.then === 'function') r.then(undefined, (e) => process.nextTick(() => emitter.emit('error', e)));
}

function add(emitter, type, f, first) {
  checkListener(f);
  let events = emitter._events;
  if (events === undefined) {
    events = emitter._events = Object.create(null);
    emitter._eventsCount = 0;
  } else if (events.newListener !== undefined) {
    emitter.emit('newListener', type, f.listener ?? f);
    events = emitter._events;
  }
  const there = events[type];
  if (there === undefined) {
    events[type] = f;
    emitter._eventsCount++;
    return emitter;
  }
  const list = typeof there === 'function' ? (events[type] = first ? [f, there] : [there, f]) : there;
  if (typeof there !== 'function') {
    if (first) there.unshift(f);
    else there.push(f);
  }
  const max = emitter.getMaxListeners();
  if (max > 0 && list.length > max && !list.warned) {
    list.warned = true;
    process.emitWarning(`Possible EventEmitter memory leak detected. ${list.length} ${String(type)} listeners added to ${inspect(emitter, { depth: -1 })}. MaxListeners is ${max}. Use emitter.setMaxListeners() to increase limit`,
      'MaxListenersExceededWarning');
  }
  return emitter;
}

function checkListener(f) {
  if (typeof f !== 'function') throw invalidArgType('listener', 'function', f);
}

function onceWrap(emitter, type, f) {
  let fired = false;
  const wrapped = function (...args) {
    if (fired) return undefined;
    fired = true;
    emitter.removeListener(type, wrapped);
    return f.apply(emitter, args);
  };
  wrapped.listener = f;
  return wrapped;
}

P.addListener = P.on = function addListener(type, f) { return add(this, type, f, false); };
P.prependListener = function prependListener(type, f) { return add(this, type, f, true); };
P.once = function once(type, f) { checkListener(f); return this.on(type, onceWrap(this, type, f)); };
P.prependOnceListener = function prependOnceListener(type, f) { checkListener(f); return this.prependListener(type, onceWrap(this, type, f)); };

P.removeListener = P.off = function removeListener(type, f) {
  checkListener(f);
  const events = this._events, list = events?.[type];
  if (list === undefined) return this;
  if (list === f || list.listener === f) {
    delete events[type];
    this._eventsCount--;
    if (events.removeListener) this.emit('removeListener', type, list.listener ?? f);
  } else if (typeof list !== 'function') {
    let i = list.length - 1;
    while (i >= 0 && list[i] !== f && list[i].listener !== f) i--;
    if (i < 0) return this;
    list.splice(i, 1);
    if (list.length === 1) events[type] = list[0];
    if (events.removeListener !== undefined) this.emit('removeListener', type, f.listener ?? f);
  }
  return this;
};

P.removeAllListeners = function removeAllListeners(type) {
  const events = this._events;
  if (events === undefined) return this;
  if (type === undefined) {
    if (events.removeListener !== undefined) for (const k of Reflect.ownKeys(events)) if (k !== 'removeListener') this.removeAllListeners(k);
    this._events = Object.create(null);
    this._eventsCount = 0;
  } else if (events[type] !== undefined) {
    const list = events[type];
    if (events.removeListener !== undefined) {
      for (const f of (typeof list === 'function' ? [list] : list.slice()).reverse()) this.removeListener(type, f);
    } else {
      delete events[type];
      this._eventsCount--;
    }
  }
  return this;
};

function listeners(emitter, type, unwrap) {
  const list = emitter._events?.[type];
  if (list === undefined) return [];
  const all = typeof list === 'function' ? [list] : list.slice();
  return unwrap ? all.map((f) => f.listener ?? f) : all;
}
P.listeners = function (type) { return listeners(this, type, true); };
P.rawListeners = function (type) { return listeners(this, type, false); };
P.listenerCount = function (type, f) {
  return f === undefined ? listeners(this, type).length : listeners(this, type, true).filter((x) => x === f).length;
};
P.eventNames = function () { return this._eventsCount > 0 ? Reflect.ownKeys(this._events) : []; };

EventEmitter.listenerCount = (emitter, type) => emitter.listenerCount(type);
EventEmitter.errorMonitor = Symbol('events.errorMonitor');
EventEmitter.captureRejectionSymbol = Symbol.for('nodejs.rejection');
EventEmitter.captureRejections = false;

function isTarget(x) {
  return typeof x?.addEventListener === 'function' && typeof x.on !== 'function';
}

EventEmitter.once = async function once(emitter, name, options) {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new AbortError(undefined, { cause: signal.reason }));
      return;
    }
    if (isTarget(emitter)) {
      emitter.addEventListener(name, (...args) => resolve(args), { once: true });
      return;
    }
    const onError = (e) => {
      emitter.removeListener(name, onEvent);
      reject(e);
    };
    const onEvent = (...args) => {
      emitter.removeListener('error', onError);
      resolve(args);
    };
    emitter.once(name, onEvent);
    if (name !== 'error') emitter.once('error', onError);
    signal?.addEventListener('abort', () => {
      emitter.removeListener(name, onEvent);
      emitter.removeListener('error', onError);
      reject(new AbortError(undefined, { cause: signal.reason }));
    }, { once: true });
  });
};

EventEmitter.on = function on(emitter, name, options) {
  const waiting = [], queue = [];
  let error = null, done = false;
  const push = (...args) => (waiting.length ? waiting.shift().resolve({ value: args, done: false }) : queue.push(args));
  const fail = (e) => {
    error = e;
    if (waiting.length) waiting.shift().reject(error);
    finish();
  };
  const finish = () => {
    emitter.removeListener(name, push);
    emitter.removeListener('error', fail);
    done = true;
    for (const w of waiting.splice(0)) w.resolve({ value: undefined, done: true });
    return Promise.resolve({ value: undefined, done: true });
  };
  emitter.on(name, push);
  if (name !== 'error') emitter.on('error', fail);
  for (const c of options?.close ?? []) emitter.on(c, finish);
  options?.signal?.addEventListener('abort', () => fail(new AbortError(undefined, { cause: options.signal.reason })), { once: true });
  return {
    next() {
      if (queue.length) return Promise.resolve({ value: queue.shift(), done: false });
      if (error) {
        const e = error;
        error = null;
        return Promise.reject(e);
      }
      if (done) return Promise.resolve({ value: undefined, done: true });
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    return: finish,
    throw(e) { fail(e); },
    [Symbol.asyncIterator]() { return this; },
  };
};

EventEmitter.setMaxListeners = (n = 10, ...targets) => {
  if (targets.length === 0) EventEmitter.defaultMaxListeners = n;
  for (const t of targets) t.setMaxListeners?.(n);
};
EventEmitter.getEventListeners = (emitter, type) => emitter.listeners(type);
EventEmitter.addAbortListener = (signal, listener) => {
  needFunction(listener, 'listener');
  if (signal.aborted) queueMicrotask(listener);
  else signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() { signal.removeEventListener('abort', listener); } };
};
EventEmitter.EventEmitter = EventEmitter;
EventEmitter.usingDomains = false;
class EventEmitterAsyncResource extends EventEmitter {}
EventEmitter.EventEmitterAsyncResource = EventEmitterAsyncResource;
module.exports = EventEmitter;
