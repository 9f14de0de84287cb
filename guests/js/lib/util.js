// util.
const ins = require('internal/inspect');
const { needFunction, invalidArgType, systemError, byNumber } = require('internal/errors');
const types = require('util/types');

const kCustom = Symbol.for('nodejs.util.promisify.custom');

function promisify(f) {
  needFunction(f, 'original');
  if (f[kCustom]) {
    const own = f[kCustom];
    needFunction(own, 'util.promisify.custom');
    return Object.defineProperty(own, kCustom, { value: own, configurable: true });
  }
  function promised(...args) {
    return new Promise((resolve, reject) => {
      Reflect.apply(f, this, [...args, (e, ...values) => {
        if (e) reject(e);
        else if (f === require('child_process').exec) resolve({ stdout: values[0], stderr: values[1] });
        else resolve(values[0]);
      }]);
    });
  }
  Object.setPrototypeOf(promised, Object.getPrototypeOf(f));
  Object.defineProperty(promised, kCustom, { value: promised, configurable: true });
  return Object.defineProperties(promised, Object.getOwnPropertyDescriptors(f));
}
promisify.custom = kCustom;

function callbackify(f) {
  needFunction(f, 'original');
  return function (...args) {
    const cb = args.pop();
    needFunction(cb, 'last argument');
    f.apply(this, args).then((v) => process.nextTick(cb, null, v), (e) => process.nextTick(cb, e || Object.assign(new Error('Promise was rejected with falsy value'), { reason: e, code: 'ERR_FALSY_VALUE_REJECTION' })));
  };
}

function inherits(ctor, parent) {
  needFunction(ctor, 'ctor');
  needFunction(parent, 'superCtor');
  Object.defineProperty(ctor, 'super_', { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(ctor.prototype, parent.prototype);
}

const warned = new Set();
function deprecate(f, message, code) {
  let said = false;
  function deprecated(...args) {
    if (!said) {
      said = true;
      if (!code || !warned.has(code)) process.emitWarning(message, 'DeprecationWarning', code, deprecated);
      warned.add(code);
    }
    return new.target ? Reflect.construct(f, args, new.target) : Reflect.apply(f, this, args);
  }
  Object.setPrototypeOf(deprecated, f);
  if (f.prototype) deprecated.prototype = f.prototype;
  return deprecated;
}

function debuglog(section) {
  const on = new RegExp(`(^|,)${section.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}(,|$)`, 'i').test(process.env.NODE_DEBUG ?? '');
  const log = (...args) => { if (on) process.stderr.write(`${section.toUpperCase()} ${process.pid}: ${ins.format(...args)}\n`); };
  log.enabled = on;
  return log;
}

function styleText(style, text) {
  const list = Array.isArray(style) ? style : [style];
  let head = '', tail = '';
  for (const s of list) {
    const c = ins.CODES[s];
    if (!c) throw require('internal/errors').invalidArgValue('format', s, `must be one of: ${Object.keys(ins.CODES).map((k) => `'${k}'`).join(', ')}`);
    head += `\u001b[${c[0]}m`;
    tail = `\u001b[${c[1]}m${tail}`;
  }
  return head + text + tail;
}

class MIMEType {
  constructor(text) {
    const m = /^\s*([^/\s;]+)\/([^;\s]+)\s*(?:;(.*))?$/.exec(String(text));
    if (!m) throw require('internal/errors').withCode(TypeError, 'ERR_INVALID_MIME_SYNTAX', `The MIME syntax for a type in "${text}" is invalid`);
    this.type = m[1].toLowerCase();
    this.subtype = m[2].toLowerCase();
    this.params = new Map((m[3] ?? '').split(';').map((p) => p.trim().split('=')).filter((p) => p.length === 2).map(([k, v]) => [k.toLowerCase(), v.replace(/^"|"$/g, '')]));
  }
  get essence() { return `${this.type}/${this.subtype}`; }
  toString() { return [this.essence, ...[...this.params].map(([k, v]) => `${k}=${v}`)].join(';'); }
}

module.exports = {
  inspect: ins.inspect, format: ins.format, formatWithOptions: (options, ...args) => ins.formatWithOptions(options, ...args), stripVTControlCharacters: (s) => {
    if (typeof s !== 'string') throw invalidArgType('str', 'string', s);
    return ins.stripColors(s);
  },
  promisify, callbackify, inherits, deprecate, debuglog, debug: debuglog, types, styleText, MIMEType,
  isDeepStrictEqual: (a, b) => require('internal/equal').strict(a, b),
  getSystemErrorName: (n) => byNumber.get(-n)?.[0] ?? `Unknown system error ${n}`,
  getSystemErrorMap: () => new Map([...byNumber].map(([n, v]) => [-n, v])),
  toUSVString: (s) => `${s}`.toWellFormed(),
  aborted: (signal) => new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }))),
  parseArgs: (config) => require('internal/parse_args')(config),
  parseEnv: (text) => require('internal/dotenv')(text),
  get TextEncoder() { return globalThis.TextEncoder; }, get TextDecoder() { return globalThis.TextDecoder; },
  isArray: Array.isArray, isBoolean: (v) => typeof v === 'boolean', isNull: (v) => v === null, isNullOrUndefined: (v) => v == null, isNumber: (v) => typeof v === 'number',
  isString: (v) => typeof v === 'string', isSymbol: (v) => typeof v === 'symbol', isUndefined: (v) => v === undefined, isRegExp: types.isRegExp,
  isObject: (v) => v !== null && typeof v === 'object', isDate: types.isDate, isError: (v) => v instanceof Error || types.isNativeError(v),
  isFunction: (v) => typeof v === 'function', isPrimitive: (v) => v === null || (typeof v !== 'object' && typeof v !== 'function'),
  isBuffer: (v) => require('buffer').Buffer.isBuffer(v), log: (...args) => console.log(`${new Date().toTimeString().slice(0, 8)} - ${ins.format(...args)}`),
  _errnoException: (n, syscall) => systemError(n, syscall), _extend: (a, b) => Object.assign(a, b),
};
