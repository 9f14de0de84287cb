// util.inspect and util.format: how values look.
const custom = Symbol.for('nodejs.util.inspect.custom');
const DEFAULTS = { showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000,
  breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false };

const CODES = { reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], blink: [5, 25], inverse: [7, 27], hidden: [8, 28],
  strikethrough: [9, 29], doubleunderline: [21, 24], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39],
  magenta: [35, 39], cyan: [36, 39], white: [37, 39], bgBlack: [40, 49], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49],
  bgMagenta: [45, 49], bgCyan: [46, 49], bgWhite: [47, 49], gray: [90, 39], grey: [90, 39], redBright: [91, 39], greenBright: [92, 39],
  yellowBright: [93, 39], blueBright: [94, 39], magentaBright: [95, 39], cyanBright: [96, 39], whiteBright: [97, 39] };
const STYLES = { special: 'cyan', number: 'yellow', bigint: 'yellow', boolean: 'yellow', undefined: 'grey', null: 'bold', string: 'green',
  symbol: 'green', date: 'magenta', regexp: 'red', module: 'underline' };

const plainKey = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const ansi = /\u001b\[[0-9;]*[A-Za-z]|\u001b\][^\u0007]*\u0007/g;
const stripColors = (s) => s.replace(ansi, '');

// ---- Strings -----------------------------------------------------------------------------------------

const named = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r', '\\': '\\\\' };
const needsEscape = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const escapes = /[\x00-\x1f\x27\x5c\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function quoted(s) {
  let quote = "'";
  if (!needsEscape.test(s)) return `'${s}'`;
  if (s.includes("'")) {
    if (!s.includes('"')) quote = '"';
    else if (!s.includes('`') && !s.includes('${')) quote = '`';
  }
  const body = s.replace(escapes, (c) => {
    if (c === "'") return quote === "'" ? "\\'" : "'";
    if (named[c]) return named[c];
    const code = c.charCodeAt(0);
    return code > 0xff ? `\\u${code.toString(16).toUpperCase()}` : `\\x${code.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  return quote + body + quote;
}

// How many columns it takes: wide characters two, combining ones none.
function width(s, remove = true) {
  if (remove && s.includes('\u001b')) s = stripColors(s);
  if (/^[\x20-\x7e]*$/.test(s)) return s.length;
  let n = 0;
  for (const ch of s.normalize('NFC')) {
    const c = ch.codePointAt(0);
    if (c < 32 || (c >= 0x7f && c < 0xa0) || (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200f) || (c >= 0xfe00 && c <= 0xfe0f) || c === 0xe0100) continue;
    const wide = c >= 0x1100 && (c <= 0x115f || c === 0x2329 || c === 0x232a || (c >= 0x2e80 && c <= 0x3247 && c !== 0x303f) || (c >= 0x3250 && c <= 0x4dbf) ||
      (c >= 0x4e00 && c <= 0xa4c6) || (c >= 0xa960 && c <= 0xa97c) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe10 && c <= 0xfe19) ||
      (c >= 0xfe30 && c <= 0xfe6b) || (c >= 0xff01 && c <= 0xff60) || (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1b000 && c <= 0x1b001) ||
      (c >= 0x1f200 && c <= 0x1f251) || (c >= 0x1f300 && c <= 0x1f64f) || (c >= 0x1f680 && c <= 0x1f6ff) || (c >= 0x1f900 && c <= 0x1f9ff) || (c >= 0x20000 && c <= 0x3fffd));
    n += wide ? 2 : 1;
  }
  return n;
}

// ---- Primitives ----------------------------------------------------------------------------------------

function separated(text) {
  return text.replace(/\B(?=(\d{3})+$)/g, '_');
}

function number(ctx, v) {
  if (!ctx.numericSeparator) return Object.is(v, -0) ? '-0' : `${v}`;
  const [, sign, whole, rest] = /^(-?)([^.e]*)(.*)$/.exec(Object.is(v, -0) ? '-0' : `${v}`);
  const fraction = rest.startsWith('.') && !rest.includes('e') ? `.${rest.slice(1).replace(/(\d{3})(?=\d)/g, '$1_')}` : rest;
  return sign + separated(whole) + fraction;
}

function primitive(ctx, v, keyed) {
  switch (typeof v) {
    case 'string': {
      let tail = '';
      if (v.length > ctx.maxStringLength) {
        const rest = v.length - ctx.maxStringLength;
        v = v.slice(0, ctx.maxStringLength);
        tail = `... ${rest} more character${rest > 1 ? 's' : ''}`;
      }
      // Long text of several lines: a line each.
      if (ctx.compact !== true && v.length > 16 && v.length > ctx.breakLength - ctx.indent - 4) {
        const lines = v.split(/(?<=\n)/);
        if (lines.length > 1) return lines.map((l) => ctx.style(quoted(l), 'string')).join(` +\n${' '.repeat(ctx.indent + 2)}`) + tail;
      }
      return ctx.style(quoted(v), 'string') + tail;
    }
    case 'number': return ctx.style(number(ctx, v), 'number');
    case 'bigint': return ctx.style(`${ctx.numericSeparator ? separated(`${v}`) : v}n`, 'bigint');
    case 'boolean': return ctx.style(`${v}`, 'boolean');
    case 'undefined': return ctx.style('undefined', 'undefined');
    case 'symbol': return ctx.style(symbolText(v), 'symbol');
    default: return ctx.style('null', 'null');
  }
}

function symbolText(s) {
  const text = Symbol.prototype.toString.call(s);
  return needsEscape.test(text) ? text.replace(escapes, (c) => (c === "'" ? c : named[c] ?? `\\x${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)) : text;
}

// ---- Names of classes -------------------------------------------------------------------------------------

// The name of the nearest constructor whose prototype it is; null for an object without.
function constructorName(obj) {
  let o = obj, hops = 0;
  while (o) {
    const d = Object.getOwnPropertyDescriptor(o, 'constructor');
    if (d !== undefined && typeof d.value === 'function' && d.value.name !== '' && isInstance(obj, d.value)) return d.value.name;
    o = Object.getPrototypeOf(o);
    if (++hops > 1000) break;
  }
  return null;
}

function isInstance(obj, f) {
  try {
    return obj instanceof f;
  } catch {
    return false;
  }
}

function prefix(name, tag, fallback, size = '') {
  if (name === null) {
    if (tag !== '' && fallback !== tag) return `[${fallback}${size}: null prototype] [${tag}] `;
    return `[${fallback}${size}: null prototype] `;
  }
  return tag !== '' && name !== tag ? `${name}${size} [${tag}] ` : `${name}${size} `;
}

function functionBase(f, cls, name, tag) {
  const source = cls === 'Function' ? Function.prototype.toString.call(f) : '';
  if (source.startsWith('class') && source.endsWith('}')) {
    const own = Object.prototype.hasOwnProperty.call(f, 'name') && f.name !== '' ? f.name : '(anonymous)';
    let base = `[class ${own}`;
    if (name !== 'Function' && name !== null) base += ` [${name}]`;
    if (tag !== '' && name !== tag) base += ` [${tag}]`;
    if (name !== null) {
      const parent = Object.getPrototypeOf(f).name;
      if (parent) base += ` extends ${parent}`;
    } else {
      base += ' extends [null prototype]';
    }
    return `${base}]`;
  }
  let base = `[${cls}`;
  if (name === null) base += ' (null prototype)';
  base += f.name === '' || typeof f.name !== 'string' ? ' (anonymous)' : `: ${f.name}`;
  base += ']';
  if (name !== cls && name !== null) base += ` ${name}`;
  if (tag !== '' && name !== tag) base += ` [${tag}]`;
  return base;
}

// ---- Errors ---------------------------------------------------------------------------------------------

function errorText(ctx, e, name, keys) {
  let stack = e.stack;
  stack = typeof stack === 'string' && stack ? stack : Error.prototype.toString.call(e);
  // What the trace shows already is no property to list.
  if (!ctx.showHidden) {
    for (const k of ['name', 'message', 'stack']) {
      const at = keys.indexOf(k);
      if (at >= 0 && (typeof e[k] !== 'string' || stack.includes(e[k]))) keys.splice(at, 1);
    }
  }
  if ('cause' in e && Object.prototype.hasOwnProperty.call(e, 'cause') && !keys.includes('cause')) keys.push('cause');
  if (Array.isArray(e.errors) && Object.prototype.hasOwnProperty.call(e, 'errors') && !keys.includes('errors')) keys.push('errors');
  // The name of its class belongs to it, where the trace does not say it already.
  const begin = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack) ?? /^([a-z_A-Z0-9-]*Error)$/.exec(stack);
  const said = begin ? begin[1] : '';
  if (name === null) {
    if (said) stack = `[${said}: null prototype]${stack.slice(said.length)}`;
  } else if (name !== 'Error' && said && !stack.includes(name)) {
    stack = `${name.includes(said) ? name : `${name} [${said}]`}${stack.slice(said.length)}`;
  }
  const at = stack.indexOf('\n    at');
  if (at < 0) stack = `[${stack}]`;
  if (ctx.indent) stack = stack.replace(/\n/g, `\n${' '.repeat(ctx.indent)}`);
  return stack;
}

// ---- Objects ----------------------------------------------------------------------------------------------

function keysOf(v, hidden) {
  const symbols = Object.getOwnPropertySymbols(v);
  if (hidden) return [...Object.getOwnPropertyNames(v), ...symbols];
  const keys = Object.keys(v);
  for (const s of symbols) if (Object.prototype.propertyIsEnumerable.call(v, s)) keys.push(s);
  return keys;
}

const isIndex = (k) => typeof k === 'string' && /^(0|[1-9][0-9]{0,9})$/.test(k) && Number(k) < 4294967295;

function format(ctx, v, level, keyed = false) {
  if ((typeof v !== 'object' && typeof v !== 'function') || v === null) return primitive(ctx, v, keyed);
  const given = v;
  const proxy = host.proxyDetails(v);
  if (proxy !== undefined) {
    if (ctx.showProxy) return formatProxy(ctx, proxy, level);
    let inner = proxy[0];
    for (let more; inner !== null && (more = host.proxyDetails(inner)) !== undefined;) inner = more[0];
    if (inner === null) return '<Revoked Proxy>';
    v = inner;
  }
  if (ctx.customInspect) {
    const f = v[custom];
    if (typeof f === 'function' && f !== inspect && !(v.constructor && v.constructor.prototype === v)) {
      const depth = ctx.depth === null ? null : ctx.depth - level;
      const { seen, indent, level: l, budget, circular, style, ...options } = ctx;
      const r = f.call(given, depth, { ...options, stylize: ctx.style }, inspect);
      if (r !== given) {
        if (typeof r !== 'object' && typeof r !== 'function' || r === null) return typeof r === 'string' ? r.replaceAll('\n', `\n${' '.repeat(ctx.indent)}`) : `${r}`;
        return format(ctx, r, level);
      }
    }
  }
  if (ctx.seen.includes(v)) {
    if (!ctx.circular.has(v)) ctx.circular.set(v, ctx.circular.size + 1);
    return ctx.style(`[Circular *${ctx.circular.get(v)}]`, 'special');
  }
  return formatObject(ctx, v, level, keyed);
}

function formatProxy(ctx, [target, handler], level) {
  if (target === null) return '<Revoked Proxy>';
  if (level > ctx.depth && ctx.depth !== null) return ctx.style('Proxy [Array]', 'special');
  ctx.indent += 2;
  const parts = [format(ctx, target, level + 1), format(ctx, handler, level + 1)];
  ctx.indent -= 2;
  return layout(ctx, parts, '', ['Proxy [', ']'], true, level);
}

function typedName(v) {
  return Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get.call(v);
}

const getSize = (P, v) => Object.getOwnPropertyDescriptor(P.prototype, 'size').get.call(v);

// What kind of thing it is: {braces, base, parts (its elements), array, keys}; or a string that is all.
function shape(ctx, v, name, tag, level) {
  const cls = host.classOf(v);
  const hidden = ctx.showHidden;
  const named = (n) => n === name || name === null;
  const otherKeys = () => keysOf(v, hidden).filter((k) => !isIndex(k));
  switch (cls) {
    case 'Array': {
      const p = name !== 'Array' || tag !== '' ? prefix(name, tag, 'Array', `(${v.length})`) : '';
      const keys = otherKeys().filter((k) => !(hidden && k === 'length' && false));
      const shown = hidden ? keys : keys.filter((k) => k !== 'length');
      if (v.length === 0 && shown.length === 0) return `${p}[]`;
      return { braces: [`${p}[`, ']'], parts: () => arrayParts(ctx, v, level), array: true, keys: shown, grouped: true };
    }
    case 'Set': {
      const size = getSize(Set, v), p = prefix(name, tag, 'Set', `(${size})`), keys = keysOf(v, hidden);
      if (size === 0 && keys.length === 0) return `${p}{}`;
      return { braces: [`${p}{`, '}'], parts: () => setParts(ctx, Set.prototype.values.call(v), size, level), keys };
    }
    case 'Map': {
      const size = getSize(Map, v), p = prefix(name, tag, 'Map', `(${size})`), keys = keysOf(v, hidden);
      if (size === 0 && keys.length === 0) return `${p}{}`;
      return { braces: [`${p}{`, '}'], parts: () => mapParts(ctx, Map.prototype.entries.call(v), size, level), keys };
    }
    case 'TypedArray': {
      const fallback = typedName(v), p = prefix(name, tag, fallback, `(${v.length})`), keys = otherKeys();
      if (v.length === 0 && keys.length === 0 && !hidden) return `${p}[]`;
      return { braces: [`${p}[`, ']'], parts: () => typedParts(ctx, v, level), array: true, keys, grouped: true };
    }
    case 'Map Iterator':
    case 'Set Iterator': {
      const keys = keysOf(v, hidden), base = cls.slice(0, 3);
      const [rest, kind] = host.iteratorDetails(v);
      const text = kind === 2 ? `[${base} Entries]` : `[${tag === '' ? cls : tag}]`;
      return { braces: [`${name === cls || name === null || name === 'Object' || name === 'Iterator' ? '' : prefix(name, '', cls)}${text} {`, '}'],
        parts: () => limited(ctx, rest.map(([k, x]) => (kind === 2 ? () => pairText(ctx, k, x, level) : () => indented(ctx, kind === 0 || base === 'Set' ? k : x, level)))), keys };
    }
    default: return shapeOther(ctx, v, name, tag, level, cls);
  }
}

function shapeOther(ctx, v, name, tag, level, cls) {
  const keys = keysOf(v, ctx.showHidden);
  const base = (text) => (keys.length === 0 ? text : { braces: ['{', '}'], base: text, parts: () => [], keys });
  switch (cls) {
    case 'Arguments': return keys.length === 0 ? '[Arguments] {}' : { braces: ['[Arguments] {', '}'], parts: () => [], keys };
    case 'Function':
    case 'GeneratorFunction':
    case 'AsyncFunction':
    case 'AsyncGeneratorFunction': {
      const text = functionBase(v, cls, name, tag);
      return keys.length === 0 ? ctx.style(text, 'special') : { braces: ['{', '}'], base: text, parts: () => [], keys };
    }
    case 'RegExp': {
      const text = RegExp.prototype.toString.call(v);
      const p = prefix(name, tag, 'RegExp');
      return base((p !== 'RegExp ' ? p : '') + ctx.style(text, 'regexp'));
    }
    case 'Date': {
      const p = prefix(name, tag, 'Date');
      const text = Number.isNaN(Date.prototype.getTime.call(v)) ? Date.prototype.toString.call(v) : Date.prototype.toISOString.call(v);
      return base((p !== 'Date ' ? p : '') + ctx.style(text, 'date'));
    }
    case 'Error': {
      const text = errorText(ctx, v, name, keys);
      return base(text);
    }
    case 'ArrayBuffer':
    case 'SharedArrayBuffer':
      return { braces: [`${prefix(name, tag, cls)}{`, '}'], parts: () => bufferParts(ctx, v), keys: ctx.showHidden ? keys : keys };
    case 'DataView':
      return { braces: [`${prefix(name, tag, cls)}{`, '}'], keys,
        parts: () => ['byteLength', 'byteOffset', 'buffer'].map((k) => `${k}: ${indented(ctx, v[k], level)}`) };
    case 'Promise': {
      return { braces: [`${prefix(name, tag, cls)}{`, '}'], keys, parts: () => {
        const [state, result] = host.promiseDetails(v);
        if (state === 0) return [ctx.style('<pending>', 'special')];
        const text = indented(ctx, result, level);
        return [state === 2 ? `${ctx.style('<rejected>', 'special')} ${text}` : text];
      } };
    }
    case 'WeakSet':
    case 'WeakMap':
      return { braces: [`${prefix(name, tag, cls)}{`, '}'], parts: () => [ctx.style('<items unknown>', 'special')], keys };
    case 'WeakRef':
      return { braces: [`${prefix(name, tag, cls)}{`, '}'], parts: () => [indented(ctx, v.deref(), level)], keys };
    case 'Module':
      return { braces: [`${prefix(name, tag, 'Module')}{`.replace(/^\[Module: null prototype\] (\[Module\] )?/, '[Module: null prototype] '), '}'], parts: () => [], keys };
    case 'Generator':
    case 'AsyncGenerator':
      return keys.length === 0 ? `Object [${cls}] {}` : { braces: [`Object [${cls}] {`, '}'], parts: () => [], keys };
    case 'Number':
    case 'String':
    case 'Boolean':
    case 'Symbol':
    case 'BigInt': return boxed(ctx, v, cls, name, tag, keys);
    default: {
      if (keys.length === 0 && ctx.showHidden === false && name === 'Object' && tag === '') return '{}';
      const p = name === 'Object' && tag === '' ? '' : prefix(name, tag, 'Object');
      return keys.length === 0 ? `${p}{}` : { braces: [`${p}{`, '}'], parts: () => [], keys };
    }
  }
}

function boxed(ctx, v, cls, name, tag, keys) {
  const P = { Number, String, Boolean, Symbol, BigInt }[cls].prototype;
  const value = P.valueOf.call(v);
  let base = `[${cls}`;
  if (cls !== name) base += name === null ? ' (null prototype)' : ` (${name})`;
  const plain = { ...ctx, style: (s) => s };
  base += `: ${primitive(plain, value)}]`;
  if (tag !== '' && tag !== name) base += ` [${tag}]`;
  const more = cls === 'String' ? keys.filter((k) => !isIndex(k)) : keys;
  base = ctx.style(base, cls.toLowerCase());
  return more.length === 0 ? base : { braces: ['{', '}'], base, parts: () => [], keys: more };
}

function formatObject(ctx, v, level, keyed) {
  const name = constructorName(v);
  let tag = '';
  try {
    tag = v[Symbol.toStringTag];
  } catch { /* a getter of somebody's */ }
  if (typeof tag !== 'string' || tag === '' || (ctx.showHidden ? Object.prototype.hasOwnProperty : Object.prototype.propertyIsEnumerable).call(v, Symbol.toStringTag)) tag = '';
  const cls = host.classOf(v);
  if (['Generator', 'AsyncGenerator', 'Module', 'Map Iterator', 'Set Iterator'].includes(cls)) tag = '';
  const s = shape(ctx, v, name, tag, level);
  if (typeof s === 'string') return s;
  if (ctx.depth !== null && level > ctx.depth) {
    const short = prefix(name, tag, s.array ? 'Array' : 'Object').slice(0, -1);
    if (s.base !== undefined && cls === 'Error') return s.base;
    return ctx.style(`[${s.array && name === 'Array' ? 'Array' : short}]`, 'special');
  }
  ctx.seen.push(v);
  ctx.level = level;
  const parts = s.parts();
  for (const k of s.keys) parts.push(property(ctx, v, k, level, s.array ? 1 : 0));
  ctx.seen.pop();
  if (ctx.circular.size && ctx.circular.has(v)) {
    const mark = ctx.style(`<ref *${ctx.circular.get(v)}>`, 'special');
    if (ctx.compact !== true) s.base = s.base === undefined ? mark : `${mark} ${s.base}`;
    else s.braces[0] = `${mark} ${s.braces[0]}`;
  }
  if (ctx.sorted) {
    const by = ctx.sorted === true ? undefined : ctx.sorted;
    if (!s.grouped) parts.sort(by);
    else if (s.keys.length > 1) parts.splice(parts.length - s.keys.length, s.keys.length, ...parts.slice(-s.keys.length).sort(by));
  }
  return layout(ctx, parts, s.base ?? '', s.braces, s.grouped, level, v);
}

function indented(ctx, v, level) {
  ctx.indent += 2;
  const text = format(ctx, v, level + 1);
  ctx.indent -= 2;
  return text;
}

function more(rest) {
  return `... ${rest} more item${rest > 1 ? 's' : ''}`;
}

function limited(ctx, makers, total = makers.length) {
  const max = Math.min(Math.max(0, ctx.maxArrayLength), makers.length);
  const parts = makers.slice(0, max).map((f) => f());
  if (total > max) parts.push(more(total - max));
  return parts;
}

function arrayParts(ctx, v, level) {
  const parts = [], n = v.length;
  const max = Math.min(Math.max(0, ctx.maxArrayLength), n);
  let i = 0;
  while (i < n && parts.length < max) {
    if (!Object.prototype.hasOwnProperty.call(v, i)) {
      let end = i;
      while (end < n && !Object.prototype.hasOwnProperty.call(v, end)) end++;
      parts.push(ctx.style(`<${end - i} empty item${end - i > 1 ? 's' : ''}>`, 'undefined'));
      i = end;
    } else {
      parts.push(property(ctx, v, String(i), level, 2));
      i++;
    }
  }
  if (n > i) parts.push(more(n - i));
  return parts;
}

function typedParts(ctx, v, level) {
  const max = Math.min(Math.max(0, ctx.maxArrayLength), v.length), parts = new Array(max);
  for (let i = 0; i < max; i++) parts[i] = primitive(ctx, v[i]);
  if (v.length > max) parts.push(more(v.length - max));
  if (ctx.showHidden) for (const k of ['BYTES_PER_ELEMENT', 'length', 'byteLength', 'byteOffset', 'buffer']) parts.push(`[${k}]: ${indented(ctx, v[k], level)}`);
  return parts;
}

function setParts(ctx, values, size, level) {
  const makers = [];
  for (const x of values) {
    if (makers.length >= ctx.maxArrayLength) break;
    makers.push(() => indented(ctx, x, level));
  }
  return limited(ctx, makers, size);
}

function pairText(ctx, k, x, level) {
  ctx.indent += 2;
  const a = format(ctx, k, level + 1), b = format(ctx, x, level + 1);
  ctx.indent -= 2;
  return layout(ctx, [a, b], '', ['[', ']'], true, level);
}

function mapParts(ctx, entries, size, level) {
  const makers = [];
  for (const [k, x] of entries) {
    if (makers.length >= ctx.maxArrayLength) break;
    makers.push(() => `${indented(ctx, k, level)} => ${indented(ctx, x, level)}`);
  }
  return limited(ctx, makers, size);
}

function bufferParts(ctx, v) {
  const bytes = new Uint8Array(v), max = Math.min(Math.max(0, ctx.maxArrayLength), bytes.length);
  let text = Array.from(bytes.subarray(0, max), (b) => b.toString(16).padStart(2, '0')).join(' ');
  if (bytes.length > max) text += ` ... ${bytes.length - max} more byte${bytes.length - max > 1 ? 's' : ''}`;
  return [`${ctx.style('[Uint8Contents]', 'special')}: <${text}>`, `byteLength: ${primitive(ctx, v.byteLength)}`];
}

// kind: 0 of an object, 1 a named one of an array, 2 an element
function property(ctx, v, key, level, kind) {
  const d = Object.getOwnPropertyDescriptor(v, key) ?? { value: v[key], configurable: true, enumerable: true };
  let text;
  if (d.value !== undefined || (!d.get && !d.set)) {
    const step = ctx.compact !== true || kind !== 0 ? 2 : 3;
    ctx.indent += step;
    text = format(ctx, d.value, level + 1, true);
    if (step === 3 && width(text) > ctx.breakLength) text = `\n${' '.repeat(ctx.indent)}${text}`;
    ctx.indent -= step;
  } else if (d.get) {
    const label = d.set ? 'Getter/Setter' : 'Getter';
    text = ctx.style(`[${label}]`, 'special');
    if (ctx.getters && (ctx.getters === true || (ctx.getters === 'get' && !d.set) || (ctx.getters === 'set' && d.set))) {
      try {
        const got = d.get.call(v);
        ctx.indent += 2;
        text = got === null || typeof got !== 'object' ? `${ctx.style(`[${label}:`, 'special')} ${primitive(ctx, got)}${ctx.style(']', 'special')}` : `${text} ${format(ctx, got, level + 1)}`;
        ctx.indent -= 2;
      } catch (e) {
        text = `[${label}: <Inspection threw (${e.message})>]`;
      }
    }
  } else {
    text = ctx.style('[Setter]', 'special');
  }
  if (kind === 2) return text;
  let name;
  if (typeof key === 'symbol') name = `[${ctx.style(symbolText(key), 'symbol')}]`;
  else if (key === '__proto__') name = "['__proto__']";
  else if (d.enumerable === false) name = `[${key.replace(escapes, (c) => (c === "'" ? c : named[c] ?? c))}]`;
  else if (plainKey.test(key)) name = ctx.style(key, 'name');
  else name = ctx.style(quoted(key), 'string');
  return `${name}: ${text}`;
}

// ---- Lines ---------------------------------------------------------------------------------------------------

// The parts between the braces: on one line where they are few and short, else a line each (of arrays: in columns).
function layout(ctx, parts, base, braces, isArray, level, value) {
  if (ctx.compact === true) {
    const length = parts.length + braces[0].length + base.length + 10;
    if (fits(ctx, parts, length, base)) return `${base ? `${base} ` : ''}${braces[0]} ${parts.join(', ')} ${braces[1]}`;
    const between = `\n${' '.repeat(ctx.indent)}`;
    const lead = base === '' && braces[0].length === 1 ? ' ' : `${base ? ` ${base}` : ''}\n${' '.repeat(ctx.indent)}  `;
    return `${braces[0]}${lead}${parts.join(`,${between}  `)} ${braces[1]}`;
  }
  if (typeof ctx.compact === 'number' && ctx.compact >= 1) {
    const before = parts.length;
    if (isArray && before > 6) parts = columns(ctx, parts, value);
    // Only the innermost levels go on one line.
    if (ctx.level - level < ctx.compact && before === parts.length) {
      const start = parts.length + ctx.indent + braces[0].length + base.length + 10;
      if (fits(ctx, parts, start, base)) {
        const joined = parts.join(', ');
        if (!joined.includes('\n')) return `${base ? `${base} ` : ''}${braces[0]} ${joined} ${braces[1]}`;
      }
    }
  }
  const line = `\n${' '.repeat(ctx.indent)}`;
  return `${base ? `${base} ` : ''}${braces[0]}${line}  ${parts.join(`,${line}  `)}${line}${braces[1]}`;
}

function fits(ctx, parts, start, base) {
  let total = parts.length + start;
  if (total + parts.length > ctx.breakLength) return false;
  for (const p of parts) {
    total += ctx.colors ? stripColors(p).length : p.length;
    if (total > ctx.breakLength) return false;
  }
  return base === '' || !base.includes('\n');
}

// Elements of about the same length side by side.
function columns(ctx, parts, value) {
  const extra = ctx.maxArrayLength < parts.length ? 1 : 0;
  const n = parts.length - extra;
  const lengths = parts.slice(0, n).map((p) => width(p, ctx.colors));
  const longest = Math.max(...lengths), total = lengths.reduce((a, b) => a + b + 2, 0), cell = longest + 2;
  if (!(cell * 3 + ctx.indent < ctx.breakLength && (total / cell > 5 || longest <= 6))) return parts;
  const bias = Math.sqrt(cell - total / parts.length);
  const biased = Math.max(cell - 3 - bias, 1);
  const want = Math.round(Math.sqrt(2.5 * biased * n) / biased);
  const count = Math.min(want, Math.floor((ctx.breakLength - ctx.indent) / cell), ctx.compact * 4, 15);
  if (count <= 1) return parts;
  const widths = [];
  for (let c = 0; c < count; c++) {
    let w = 0;
    for (let i = c; i < n; i += count) w = Math.max(w, lengths[i]);
    widths.push(w + 2);
  }
  let right = true;
  if (value !== undefined) for (let i = 0; i < parts.length && right; i++) right = typeof value[i] === 'number' || typeof value[i] === 'bigint';
  const lines = [];
  for (let i = 0; i < n; i += count) {
    const end = Math.min(i + count, n);
    let line = '';
    for (let j = i; j < end; j++) {
      const last = j === end - 1, text = last ? parts[j] : `${parts[j]}, `;
      const room = widths[j - i] - lengths[j] - 2;
      if (right) line += ' '.repeat(Math.max(0, room)) + text;
      else line += last ? text : text + ' '.repeat(Math.max(0, room));
    }
    lines.push(line);
  }
  if (extra) lines.push(parts[n]);
  return lines;
}

// ---- inspect, format -------------------------------------------------------------------------------------------

function inspect(value, options, ...old) {
  const ctx = { ...DEFAULTS, seen: [], circular: new Map(), indent: 0, level: 0, style: (s) => s };
  if (typeof options === 'boolean') {
    ctx.showHidden = options;
    if (old[0] !== undefined) ctx.depth = old[0];
    if (old[1] !== undefined) ctx.colors = old[1];
  } else if (typeof options === 'object' && options !== null) {
    for (const k of Object.keys(options)) if (k in DEFAULTS) ctx[k] = options[k];
      else if (k === 'stylize') ctx.style = options[k];
  }
  if (ctx.colors) {
    ctx.style = (s, kind) => {
      const c = CODES[STYLES[kind]];
      return c ? `\u001b[${c[0]}m${s}\u001b[${c[1]}m` : s;
    };
  }
  if (ctx.depth === Infinity) ctx.depth = null;
  if (ctx.maxArrayLength === null) ctx.maxArrayLength = Infinity;
  if (ctx.maxStringLength === null) ctx.maxStringLength = Infinity;
  return format(ctx, value, 0);
}

function hasOwnToString(v) {
  let o = v;
  if (!('toString' in v)) return true; // no prototype
  if (Object.prototype.hasOwnProperty.call(o, 'toString')) return false;
  do o = Object.getPrototypeOf(o); while (o && !Object.prototype.hasOwnProperty.call(o, 'toString'));
  const d = o && Object.getOwnPropertyDescriptor(o, 'constructor');
  return !!d && typeof d.value === 'function' && ['Object', 'Array', 'Map', 'Set', 'Promise', 'Error', 'Function', 'ArrayBuffer'].includes(d.value.name) && d.value.name in globalThis && d.value === globalThis[d.value.name] && d.value !== Error;
}

const firstLine = (s) => s.split('\n', 1)[0];
const numeric = (v, of) => (typeof v === 'bigint' ? `${v}n` : typeof v === 'symbol' ? 'NaN' : number(DEFAULTS, of(v)));

function directive(c, v) {
  const short = (x, o) => inspect(x, { ...o, compact: 3, colors: false });
  switch (c) {
    case 's':
      if (typeof v === 'number') return number(DEFAULTS, v);
      if (typeof v === 'bigint') return `${v}n`;
      if ((typeof v !== 'object' && typeof v !== 'function') || v === null) return String(v);
      if (typeof v === 'object' && hasOwnToString(v)) return short(v, { depth: 0 });
      return String(v);
    case 'd':
      return typeof v === 'object' && v !== null ? number(DEFAULTS, Number(v)) : numeric(v, Number);
    case 'i': return typeof v === 'object' && v !== null ? number(DEFAULTS, parseInt(v)) : numeric(v, parseInt);
    case 'f': return typeof v === 'symbol' ? 'NaN' : number(DEFAULTS, parseFloat(v));
    case 'j':
      try {
        return String(JSON.stringify(v));
      } catch (e) {
        if (/circular/i.test(e.message)) return '[Circular]';
        throw e;
      }
    case 'o': return inspect(v, { showHidden: true, showProxy: true, depth: 4 });
    case 'O': return inspect(v);
    default: return '';
  }
}

function formatWithOptions(options, ...args) {
  if (args.length === 0) return '';
  if (args.length === 1 && typeof args[0] === 'string') return args[0];
  let text = '', used = 0;
  if (typeof args[0] === 'string' && args.length > 1) {
    used = 1;
    text = args[0].replace(/%([sdifjoOc%])/g, (all, c) => {
      if (c === '%') return '%';
      if (used >= args.length) return all;
      return directive(c, args[used++]);
    });
  } else if (typeof args[0] === 'string') {
    used = 1;
    text = args[0];
  }
  for (; used < args.length; used++) {
    if (used > 0) text += ' ';
    text += typeof args[used] === 'string' ? args[used] : inspect(args[used], options);
  }
  return text;
}

inspect.custom = custom;
inspect.defaultOptions = DEFAULTS;
inspect.colors = CODES;
inspect.styles = STYLES;
module.exports = { inspect, format: (...args) => formatWithOptions(undefined, ...args), formatWithOptions, stripColors, width, CODES, firstLine };
