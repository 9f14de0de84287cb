// What the language's own objects lack of what V8 has.
Object.defineProperty(Error, 'captureStackTrace', { value: function captureStackTrace(target, above) {
  host.captureStackTrace(target, typeof above === 'function' ? above : undefined);
}, writable: true, configurable: true });
Error.stackTraceLimit = 10;

// No threads: what is shared is shared with nobody, and waiting is sleeping.
const isInts = (a) => ArrayBuffer.isView(a) && !(a instanceof DataView) && !(a instanceof Float32Array) && !(a instanceof Float64Array);
function at(a, i) {
  if (!isInts(a)) throw new TypeError('[object Array] is not an integer typed array.');
  if (!(i >= 0 && i < a.length)) throw new RangeError('Invalid atomic access index');
}
const changing = (f) => function (a, i, v) {
  at(a, i);
  const old = a[i];
  a[i] = f(old, v);
  return old;
};
const methods = {
  add: changing((x, y) => x + y), sub: changing((x, y) => x - y), and: changing((x, y) => x & y), or: changing((x, y) => x | y),
  xor: changing((x, y) => x ^ y), exchange: changing((x, y) => y),
  load(a, i) { at(a, i); return a[i]; },
  store(a, i, v) { at(a, i); a[i] = v; return v; },
  compareExchange(a, i, expected, v) { at(a, i); const old = a[i]; if (old === expected) a[i] = v; return old; },
  isLockFree(n) { return [1, 2, 4, 8].includes(n); },
  notify(a, i) { at(a, i); return 0; },
  wait(a, i, v, timeout = Infinity) {
    at(a, i);
    if (a[i] !== v) return 'not-equal';
    if (timeout === Infinity) throw new Error('Atomics.wait would wait for ever: there are no other threads');
    host.sleep(Math.max(0, timeout));
    return 'timed-out';
  },
};
if (globalThis.Atomics === undefined) {
  const Atomics = {};
  for (const k of Object.keys(methods)) Object.defineProperty(Atomics, k, { value: methods[k], writable: true, configurable: true });
  Object.defineProperty(Atomics, Symbol.toStringTag, { value: 'Atomics', configurable: true });
  Object.defineProperty(globalThis, 'Atomics', { value: Atomics, writable: true, configurable: true });
}

// JSON.parse says what V8 says.
const { parse } = JSON;
Object.defineProperty(JSON, 'parse', { value: { parse(text, reviver) {
  try {
    return parse(text, reviver);
  } catch (e) {
    if (!(e instanceof SyntaxError)) throw e;
    const s = `${text}`;
    const message = typeof text !== 'string' && ['undefined', '[object Object]'].includes(s) ? `"${s}" is not valid JSON` : require('internal/json_errors')(s);
    if (message === null) throw e;
    const better = new SyntaxError(message);
    host.captureStackTrace(better, JSON.parse);
    throw better;
  }
} }.parse, writable: true, configurable: true, enumerable: false });
