// assert.
const { inspect } = require('internal/inspect');
const equality = require('internal/equal');
const { withCode, invalidArgType, invalidArgValue } = require('internal/errors');

const shown = (v) => inspect(v, { compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, showProxy: false, sorted: true, getters: true, breakLength: Infinity });

const HEADS = { deepStrictEqual: 'Expected values to be strictly deep-equal:', strictEqual: 'Expected values to be strictly equal:', deepEqual: 'Expected values to be loosely deep-equal:',
  notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:', notStrictEqual: 'Expected "actual" to be strictly unequal to:',
  notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:', notIdentical: 'Values identical but not reference-equal:', notDeepEqualUnequal: 'Expected values not to be loosely deep-equal:' };

// Lines of both with + and -, those that are the same without; at most some of those around.
function difference(actual, expected, operator) {
  const a = shown(actual).split('\n'), e = shown(expected).split('\n');
  if (operator === 'strictEqual' && ((typeof actual === 'object' && actual !== null && typeof expected === 'object' && expected !== null) || (typeof actual === 'function' && typeof expected === 'function'))) {
    if (a.join('\n') === e.join('\n')) return `${HEADS.notIdentical}\n\n${a.join('\n')}\n`;
  }
  if (a.length === 1 && e.length === 1 && a[0] !== e[0]) {
    const simple = (v) => typeof v !== 'object' || v === null;
    if (a[0].length + e[0].length <= 12 && simple(actual) && simple(expected) && !(actual === 0 && expected === 0)) return `${HEADS[operator]}\n\n${a[0]} !== ${e[0]}\n`;
    if (simple(actual) && simple(expected) && a[0].length < 80 && e[0].length < 80) {
      let i = 0;
      while (a[0][i] === e[0][i]) i++;
      const mark = i > 2 ? `\n  ${' '.repeat(i)}^` : '';
      return `${HEADS[operator]}\n+ actual - expected\n\n+ ${a[0]}\n- ${e[0]}${mark}${mark ? '\n' : ''}`;
    }
  }
  const lines = common(a, e);
  return `${HEADS[operator]}\n+ actual - expected${lines.cut ? ' ... Lines skipped' : ''}\n\n${lines.join('\n')}`;
}

// The longest common subsequence, of not too many lines.
function common(a, e) {
  let start = 0, end = 0;
  while (start < a.length && start < e.length && same(a[start], e[start])) start++;
  while (end < a.length - start && end < e.length - start && same(a[a.length - 1 - end], e[e.length - 1 - end])) end++;
  const x = a.slice(start, a.length - end), y = e.slice(start, e.length - end), out = [];
  for (const l of a.slice(0, start)) out.push(`  ${l}`);
  if (x.length * y.length < 250000) {
    const t = Array.from({ length: x.length + 1 }, () => new Uint32Array(y.length + 1));
    for (let i = x.length - 1; i >= 0; i--) for (let j = y.length - 1; j >= 0; j--) t[i][j] = same(x[i], y[j]) ? t[i + 1][j + 1] + 1 : Math.max(t[i + 1][j], t[i][j + 1]);
    let i = 0, j = 0;
    while (i < x.length || j < y.length) {
      if (i < x.length && j < y.length && same(x[i], y[j])) out.push(`  ${x[i]}`), i++, j++;
      else if (i < x.length && (j === y.length || t[i + 1][j] >= t[i][j + 1])) out.push(`+ ${x[i++]}`);
      else out.push(`- ${y[j++]}`);
    }
  } else {
    out.push(...x.map((l) => `+ ${l}`), ...y.map((l) => `- ${l}`));
  }
  for (const l of a.slice(a.length - end)) out.push(`  ${l}`);
  return out;
}
const same = (a, b) => a === b || (a !== undefined && b !== undefined && a.replace(/,$/, '') === b.replace(/,$/, ''));

class AssertionError extends Error {
  constructor(options) {
    if (options === null || typeof options !== 'object') throw invalidArgType('options', 'Object', options);
    const { message, operator, actual, expected, stackStartFn } = options;
    let text = message === undefined || message === null ? options.said : String(message);
    if (text !== undefined && (operator === 'strictEqual' || operator === 'deepStrictEqual')) text += difference(actual, expected, operator).slice(HEADS[operator].length);
    if (text === undefined) {
      if (operator === 'deepEqual') {
        const [a, e] = [actual, expected].map((v) => { const s = shown(v); return s.length > 512 ? `${s.slice(0, 509)}...` : s; });
        text = `${HEADS.deepEqual}\n\n${a}\n\nshould loosely deep-equal\n\n${e}`;
      } else if (operator in HEADS && !operator.startsWith('not')) text = difference(actual, expected, operator);
      else if (operator in HEADS) {
        const lines = shown(actual).split('\n');
        text = lines.length === 1 ? `${HEADS[operator]}${lines[0].length > 5 ? '\n\n' : ' '}${lines[0]}` : `${HEADS[operator]}\n\n${lines.join('\n')}\n`;
      } else {
        const a = inspect(actual), e = inspect(expected);
        text = `${a.length > 128 ? `${a.slice(0, 125)}...` : a} ${operator} ${e.length > 128 ? `${e.slice(0, 125)}...` : e}`;
      }
    }
    super(text);
    this.generatedMessage = message === undefined || message === null;
    Object.defineProperty(this, 'name', { value: 'AssertionError [ERR_ASSERTION]', enumerable: false, writable: true, configurable: true });
    this.code = 'ERR_ASSERTION';
    this.actual = actual;
    this.expected = expected;
    this.operator = operator;
    Error.captureStackTrace(this, stackStartFn);
    void this.stack;
    this.name = 'AssertionError';
  }
  toString() { return `${this.name} [${this.code}]: ${this.message}`; }
  [inspect.custom](depth, ctx) { return inspect(this, { ...ctx, customInspect: false, depth: 0 }); }
}

function fail(actual, expected, message, operator, stackStartFn) {
  if (message instanceof Error) throw message;
  throw new AssertionError({ actual, expected, message, operator, stackStartFn });
}

function ok(...args) { truth(ok, args.length, ...args); }
function truth(f, count, value, message) {
  if (value) return;
  let generated = false;
  if (count === 0) {
    message = 'No value argument passed to `assert.ok()`';
    generated = true;
  } else if (message === undefined || message === null) {
    generated = true;
    message = 'The expression evaluated to a falsy value:\n\n  ' + expression(f);
  } else if (message instanceof Error) {
    throw message;
  }
  const e = new AssertionError({ actual: value, expected: true, message, operator: '==', stackStartFn: f });
  e.generatedMessage = generated;
  throw e;
}

// The text of the call that failed, from the source of the file that made it.
function expression(f) {
  const o = {};
  host.captureStackTrace(o, f);
  const m = /\n {4}at (?:.* \()?((?:\/|file:|\[)[^\n]*?):(\d+):(\d+)\)?(?=\n|$)/.exec(o.stack);
  const text = m && require('internal/fatal').sources.get(m[1]);
  if (!text) return 'assert.ok(...)\n';
  let lines = text.split('\n').slice(Number(m[2]) - 1);
  let column = Number(m[3]) - 1;
  const head = /[\w$.]*$/.exec(lines[0].slice(0, column))[0];
  let rest = lines.join('\n').slice(column - head.length), depth = 0;
  for (let i = 0; i < rest.length; i++) {
    if (rest[i] === '(') depth++;
    else if (rest[i] === ')' && --depth === 0) {
      rest = rest.slice(0, i + 1);
      break;
    }
  }
  return `${rest}\n`;
}

const assert = function assert(...args) { truth(assert, args.length, ...args); };
const missing = (n, need) => { if (n < need) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified'); };

function equal(a, b, message) { missing(arguments.length, 2); if (!(a == b || (a !== a && b !== b))) fail(a, b, message, '==', equal); }
function notEqual(a, b, message) { missing(arguments.length, 2); if (a == b || (a !== a && b !== b)) fail(a, b, message, '!=', notEqual); }
function strictEqual(a, b, message) { missing(arguments.length, 2); if (!Object.is(a, b)) fail(a, b, message, 'strictEqual', strictEqual); }
function notStrictEqual(a, b, message) { missing(arguments.length, 2); if (Object.is(a, b)) fail(a, b, message, 'notStrictEqual', notStrictEqual); }
function deepEqual(a, b, message) { missing(arguments.length, 2); if (!equality.loose(a, b)) fail(a, b, message, 'deepEqual', deepEqual); }
function notDeepEqual(a, b, message) { missing(arguments.length, 2); if (equality.loose(a, b)) fail(a, b, message, 'notDeepEqual', notDeepEqual); }
function deepStrictEqual(a, b, message) { missing(arguments.length, 2); if (!equality.strict(a, b)) fail(a, b, message, 'deepStrictEqual', deepStrictEqual); }
function notDeepStrictEqual(a, b, message) { missing(arguments.length, 2); if (equality.strict(a, b)) fail(a, b, message, 'notDeepStrictEqual', notDeepStrictEqual); }

// Is what was thrown what was expected: a class, a pattern, an object of properties, a function that says so.
function expectThrown(e, expected, message, f) {
  if (expected === undefined) return;
  if (typeof expected === 'function') {
    if (expected.prototype !== undefined && e instanceof expected) return;
    if (Object.prototype.isPrototypeOf.call(Error, expected) || expected === Error) {
      if (message instanceof Error) throw message;
      throw new AssertionError({ actual: e, expected, operator: f.name, stackStartFn: f,
        message: message ?? `The error is expected to be an instance of "${expected.name}". Received ${host.classOf(e) === 'Error' ? `"${e.constructor.name}"\n\nError message:\n\n${e.message}` : `"${inspect(e, { depth: -1 })}"`}` });
    }
    const r = Reflect.apply(expected, {}, [e]);
    if (r === true) return;
    throw new AssertionError({ actual: e, expected, operator: f.name, stackStartFn: f,
      message: message ?? `The ${expected.name ? `"${expected.name}" validation function` : 'validation function'} is expected to return "true". Received ${inspect(r)}\n\nCaught error:\n\n${e}` });
  }
  if (expected instanceof RegExp) {
    if (expected.test(String(e))) return;
    throw new AssertionError({ actual: e, expected, operator: f.name, stackStartFn: f, said: `The input did not match the regular expression ${inspect(expected)}. Input:\n\n${inspect(String(e))}\n`, message });
  }
  if (typeof expected !== 'object' || expected === null) throw invalidArgType('expected', ['Function', 'Error', 'RegExp', 'Object'], expected);
  const keys = Object.keys(expected);
  if (expected instanceof Error) keys.push('name', 'message');
  else if (keys.length === 0) throw invalidArgValue('error', expected, 'may not be an empty object');
  for (const k of keys) {
    if (typeof e?.[k] === 'string' && expected[k] instanceof RegExp && expected[k].test(e[k])) continue;
    if (e !== null && typeof e === 'object' && k in e && equality.strict(e[k], expected[k])) continue;
    if (message !== undefined) fail(e, expected, message, f.name, f);
    const pick = (o, real) => Object.fromEntries(keys.filter((x) => x in o).map((x) => [x, real && expected[x] instanceof RegExp && typeof o[x] === 'string' && expected[x].test(o[x]) ? expected[x] : o[x]]));
    const a = pick(Object(e), true), b = pick(expected);
    const err = new AssertionError({ actual: a, expected: b, operator: 'deepStrictEqual', stackStartFn: f });
    err.actual = e;
    err.expected = expected;
    err.operator = f.name;
    throw err;
  }
}

const NOTHING = {};
function thrown(f) {
  if (typeof f !== 'function') throw invalidArgType('fn', 'function', f);
  try {
    f();
  } catch (e) {
    return e;
  }
  return NOTHING;
}
async function rejection(p) {
  const promise = typeof p === 'function' ? p() : p;
  if (promise === null || typeof promise !== 'object' || typeof promise.then !== 'function') {
    throw typeof p === 'function' ? withCode(TypeError, 'ERR_INVALID_RETURN_VALUE', `Expected instance of Promise to be returned from the "promiseFn" function but got ${promise === undefined ? 'undefined' : `type ${typeof promise}`}.`) : invalidArgType('promiseFn', ['Function', 'Promise'], p);
  }
  try {
    await promise;
  } catch (e) {
    return e;
  }
  return NOTHING;
}
function expectsError(f, e, expected, message) {
  if (typeof expected === 'string') message = expected, expected = undefined;
  if (e === NOTHING) {
    const details = expected?.name ? ` (${expected.name})` : '';
    fail(undefined, expected, `Missing expected ${f.name === 'rejects' ? 'rejection' : 'exception'}${details}${message ? `: ${message}` : '.'}`, f.name, f);
  }
  expectThrown(e, expected, message, f);
}
function expectsNone(f, e, expected, message) {
  if (e === NOTHING) return;
  if (typeof expected === 'string') message = expected, expected = undefined;
  if (!expected || (expected instanceof RegExp ? expected.test(String(e)) : e instanceof expected)) {
    fail(e, expected, `Got unwanted ${f.name === 'doesNotReject' ? 'rejection' : 'exception'}${message ? `: ${message}` : '.'}\nActual message: "${e?.message}"`, f.name, f);
  }
  throw e;
}
function throws(f, expected, message) { expectsError(throws, thrown(f), expected, message); }
function doesNotThrow(f, expected, message) { expectsNone(doesNotThrow, thrown(f), expected, message); }
async function rejects(p, expected, message) { expectsError(rejects, await rejection(p), expected, message); }
async function doesNotReject(p, expected, message) { expectsNone(doesNotReject, await rejection(p), expected, message); }
function ifError(e) {
  if (e === null || e === undefined) return;
  let message = 'ifError got unwanted exception: ';
  message += typeof e === 'object' && typeof e.message === 'string' ? (e.message.length === 0 && e.constructor ? e.constructor.name : e.message) : inspect(e);
  throw new AssertionError({ actual: e, expected: null, operator: 'ifError', message, stackStartFn: ifError });
}
const matching = (name, want) => ({ [name](s, re, message) {
  if (!(re instanceof RegExp)) throw invalidArgType('regexp', 'RegExp', re);
  if (typeof s === 'string' && re.test(s) === want) return;
  if (message instanceof Error) throw message;
  throw new AssertionError({ actual: s, expected: re, operator: name, stackStartFn: module.exports[name],
    message, said: (typeof s !== 'string' ? `The "string" argument must be of type string. Received type ${typeof s} (${inspect(s)})` : want ? `The input did not match the regular expression ${inspect(re)}. Input:\n\n${inspect(s)}\n` : `The input was expected to not match the regular expression ${inspect(re)}. Input:\n\n${inspect(s)}\n`) });
} })[name];

Object.assign(assert, { ok, equal, notEqual, strictEqual, notStrictEqual, deepEqual, notDeepEqual, deepStrictEqual, notDeepStrictEqual, throws, doesNotThrow, rejects, doesNotReject, ifError,
  match: matching('match', true), doesNotMatch: matching('doesNotMatch', false), AssertionError,
  fail(message = 'Failed') {
    if (message instanceof Error) throw message;
    const e = new AssertionError({ message, operator: 'fail', stackStartFn: assert.fail });
    e.generatedMessage = arguments.length === 0;
    throw e;
  } });
const strict = function strict(...args) { truth(strict, args.length, ...args); };
Object.assign(strict, assert, { equal: strictEqual, notEqual: notStrictEqual, deepEqual: deepStrictEqual, notDeepEqual: notDeepStrictEqual });
assert.strict = strict.strict = strict;
module.exports = assert;
