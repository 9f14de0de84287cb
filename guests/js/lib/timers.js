// setTimeout and its kind.
const loop = require('internal/loop');
const { needFunction } = require('internal/errors');

const byId = new Map();
let nextId = 1;
const kId = Symbol('id');

class Timeout {
  constructor(call, ms, args, repeat) {
    ms = +ms;
    if (!(ms >= 1 && ms <= 2147483647)) {
      if (ms > 2147483647) process.emitWarning(`${ms} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`, 'TimeoutOverflowWarning');
      ms = 1;
    }
    this._idleTimeout = Math.trunc(ms);
    this._onTimeout = call;
    this._timerArgs = args.length ? args : undefined;
    this._repeat = repeat ? this._idleTimeout : null;
    this._destroyed = false;
    Object.defineProperty(this, 'entry', { writable: true, enumerable: false, value: null });
    Object.defineProperty(this, kId, { writable: true, enumerable: false, value: 0 });
    this.start(true);
  }
  start(ref) {
    this.entry = loop.addTimer(this._idleTimeout, () => this.fire(), ref);
  }
  fire() {
    const ref = this.entry.ref;
    if (this._repeat !== null) this.start(ref);
    else this._destroyed = true;
    try {
      this._onTimeout(...(this._timerArgs ?? []));
    } finally {
      if (this._repeat === null && this._destroyed) this.forget();
    }
  }
  forget() { if (this[kId]) byId.delete(this[kId]); }
  close() { clearTimeout(this); return this; }
  ref() { this.entry.ref = true; return this; }
  unref() { this.entry.ref = false; return this; }
  hasRef() { return this.entry.ref; }
  refresh() {
    const ref = this.entry.ref;
    this.entry.alive = false;
    this._destroyed = false;
    this.start(ref);
    return this;
  }
  [Symbol.toPrimitive]() {
    if (!this[kId]) byId.set(this[kId] = nextId++, this);
    return this[kId];
  }
  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() { clearTimeout(this); }
}
for (const k of ['start', 'fire', 'forget']) Object.defineProperty(Timeout.prototype, k, { enumerable: false });

function setTimeout(call, ms, ...args) {
  needFunction(call, 'callback');
  return new Timeout(call, ms, args, false);
}
function setInterval(call, ms, ...args) {
  needFunction(call, 'callback');
  return new Timeout(call, ms, args, true);
}
function clearTimeout(t) {
  if (typeof t === 'number' || typeof t === 'string') t = byId.get(Number(t));
  if (!(t instanceof Timeout)) return;
  t.entry.alive = false;
  t._destroyed = true;
  t._repeat = null;
  t.forget();
}

class Immediate {
  constructor(call, args) {
    Object.defineProperty(this, 'entry', { enumerable: false, value: loop.immediate(() => call(...args)) });
    this._onImmediate = call;
    this._argv = args.length ? args : undefined;
  }
  ref() { this.entry.ref = true; return this; }
  unref() { this.entry.ref = false; return this; }
  hasRef() { return this.entry.ref; }
  [Symbol.dispose ?? Symbol.for('nodejs.dispose')]() { clearImmediate(this); }
}
function setImmediate(call, ...args) {
  needFunction(call, 'callback');
  return new Immediate(call, args);
}
function clearImmediate(i) {
  if (i instanceof Immediate) i.entry.alive = false;
}

module.exports = { setTimeout, clearTimeout, setInterval, clearInterval: clearTimeout, setImmediate, clearImmediate };
Object.defineProperty(module.exports, 'promises', { enumerable: true, get: () => require('timers/promises') });
const custom = Symbol.for('nodejs.util.promisify.custom');
for (const name of ['setTimeout', 'setImmediate']) Object.defineProperty(module.exports[name], custom, { enumerable: true, get: () => require('timers/promises')[name] });
