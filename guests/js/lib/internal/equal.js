// Deep equality, as assert and util.isDeepStrictEqual have it.
const types = require('util/types');

function keysOf(v, strict) {
  const keys = Object.keys(v);
  if (strict) for (const s of Object.getOwnPropertySymbols(v)) if (Object.prototype.propertyIsEnumerable.call(v, s)) keys.push(s);
  return keys;
}

function equal(a, b, strict, seen) {
  if (a === b) return a !== 0 || !strict || Object.is(a, b);
  if (strict) {
    if (typeof a !== 'object' || typeof b !== 'object') return typeof a === 'number' && a !== a && b !== b;
    if (a === null || b === null) return false;
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  } else {
    const oa = a !== null && typeof a === 'object', ob = b !== null && typeof b === 'object';
    if (!oa || !ob) return !oa && !ob ? a == b || (a !== a && b !== b) : false;
  }
  const cls = host.classOf(a);
  if (cls !== host.classOf(b)) return false;
  if (Array.isArray(a) && a.length !== b.length) return false;
  switch (cls) {
    case 'Date': if (a.getTime() !== b.getTime() && !(a.getTime() !== a.getTime() && b.getTime() !== b.getTime())) return false; break;
    case 'RegExp': if (String(a) !== String(b) || a.lastIndex !== b.lastIndex) return false; break;
    case 'Error': if (a.message !== b.message || a.name !== b.name || !equal(a.cause, b.cause, strict, seen) || !equal(a.errors, b.errors, strict, seen)) return false; break;
    case 'Number': case 'String': case 'Boolean': case 'BigInt': case 'Symbol': if (!Object.is(a.valueOf(), b.valueOf())) return false; break;
    case 'TypedArray':
      if (a.length !== b.length || a.constructor.name !== b.constructor.name) return false;
      for (let i = 0; i < a.length; i++) if (strict ? !Object.is(a[i], b[i]) : a[i] != b[i]) return false;
      return true;
    case 'ArrayBuffer': case 'SharedArrayBuffer': return equal(new Uint8Array(a), new Uint8Array(b), strict, seen);
    case 'WeakMap': case 'WeakSet': case 'Promise': case 'WeakRef': return false;
    default:
  }
  const ka = keysOf(a, strict), kb = keysOf(b, strict);
  if (ka.length !== kb.length) return false;
  for (const k of ka) if (!Object.prototype.propertyIsEnumerable.call(b, k)) return false;
  seen ??= new Map();
  const before = seen.get(a);
  if (before !== undefined) return before === b;
  seen.set(a, b);
  let ok = true;
  if (types.isSet(a)) ok = sets(a, b, strict, seen);
  else if (types.isMap(a)) ok = maps(a, b, strict, seen);
  for (let i = 0; ok && i < ka.length; i++) ok = equal(a[ka[i]], b[ka[i]], strict, seen);
  seen.delete(a);
  return ok;
}

const isObject = (v) => v !== null && typeof v === 'object';

function sets(a, b, strict, seen) {
  if (a.size !== b.size) return false;
  const rest = [...b];
  for (const x of a) {
    if (b.has(x) && (!isObject(x) || rest.includes(x))) {
      rest.splice(rest.findIndex((y) => Object.is(y, x) || y === x), 1);
      continue;
    }
    if (strict && !isObject(x)) return false;
    const i = rest.findIndex((y) => (strict ? isObject(y) : true) && equal(x, y, strict, seen));
    if (i < 0) return false;
    rest.splice(i, 1);
  }
  return true;
}

function maps(a, b, strict, seen) {
  if (a.size !== b.size) return false;
  const rest = new Map(b);
  for (const [k, v] of a) {
    if (rest.has(k) && equal(v, rest.get(k), strict, seen)) {
      rest.delete(k);
      continue;
    }
    if (strict && !isObject(k)) return false;
    let found;
    for (const [k2, v2] of rest) {
      if ((strict ? isObject(k2) : true) && equal(k, k2, strict, seen) && equal(v, v2, strict, seen)) {
        found = k2;
        rest.delete(k2);
        break;
      }
    }
    if (found === undefined) return false;
  }
  return true;
}

module.exports = { strict: (a, b) => equal(a, b, true), loose: (a, b) => equal(a, b, false) };
