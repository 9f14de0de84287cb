// structuredClone.
module.exports = function clone(value, DOMException) {
  const seen = new Map();
  const refuse = (v) => { throw new DOMException(`${typeof v === 'symbol' ? String(v) : typeof v === 'function' ? Function.prototype.toString.call(v) : '#<Object>'} could not be cloned.`, 'DataCloneError'); };
  const copy = (v) => {
    if (typeof v === 'symbol' || typeof v === 'function') refuse(v);
    if (v === null || typeof v !== 'object') return v;
    if (seen.has(v)) return seen.get(v);
    const keep = (r) => { seen.set(v, r); return r; };
    switch (host.classOf(v)) {
      case 'Number': case 'String': case 'Boolean': case 'BigInt': return keep(Object(v.valueOf()));
      case 'Symbol': return refuse(v.valueOf());
      case 'Date': return keep(new Date(v.getTime()));
      case 'RegExp': return keep(new RegExp(v.source, v.flags));
      case 'ArrayBuffer': return keep(v.slice(0));
      case 'DataView': return keep(new DataView(copy(v.buffer), v.byteOffset, v.byteLength));
      case 'TypedArray': {
        const C = globalThis[Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get.call(v)];
        return keep(new C(copy(v.buffer), v.byteOffset, v.length));
      }
      case 'Map': { const r = keep(new Map()); for (const [k, x] of [...v]) r.set(copy(k), copy(x)); return r; }
      case 'Set': { const r = keep(new Set()); for (const x of [...v]) r.add(copy(x)); return r; }
      case 'Error': {
        const C = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }[v.name] ?? Error;
        const r = keep(Object.create(C.prototype) && new C(v.message));
        Object.defineProperty(r, 'stack', { value: v.stack, writable: true, configurable: true, enumerable: false });
        if (Object.prototype.hasOwnProperty.call(v, 'cause')) Object.defineProperty(r, 'cause', { value: copy(v.cause), writable: true, configurable: true, enumerable: false });
        return r;
      }
      case 'Array': {
        const r = keep(new Array(v.length));
        for (const k of Object.keys(v)) r[k] = copy(v[k]);
        return r;
      }
      case 'Promise': case 'WeakMap': case 'WeakSet': case 'WeakRef': case 'Generator': case 'Proxy': return refuse(v);
      default: {
        const r = keep({});
        for (const k of Object.keys(v)) r[k] = copy(v[k]);
        return r;
      }
    }
  };
  return copy(value);
};
