// console.
const { inspect, format, formatWithOptions, width } = require('internal/inspect');

const streams = { 1: null, 2: null }; // process.stdout and stderr, once somebody has asked for them

class Console {
  #out;
  #err;
  #counts = new Map();
  #times = new Map();
  #indent = '';
  #options;
  constructor(stdout, stderr) {
    if (stdout && typeof stdout.write !== 'function') ({ stdout, stderr, inspectOptions: this.#options } = stdout);
    this.#out = stdout ?? 1;
    this.#err = stderr ?? (stdout === undefined ? 2 : stdout);
    // Methods are used without their object.
    for (const k of Object.getOwnPropertyNames(Console.prototype)) {
      if (k !== 'constructor') Object.defineProperty(this, k, { value: this[k].bind(this), writable: true, configurable: true, enumerable: true });
    }
  }
  #write(to, text) {
    if (this.#indent) text = this.#indent + text.replaceAll('\n', `\n${this.#indent}`);
    text += '\n';
    const stream = typeof to === 'number' ? streams[to] : to;
    if (stream) stream.write(text);
    else host.writeText(to, text);
  }
  #format(args) { return this.#options ? formatWithOptions(this.#options, ...args) : format(...args); }
  log(...args) { this.#write(this.#out, this.#format(args)); }
  info(...args) { this.#write(this.#out, this.#format(args)); }
  debug(...args) { this.#write(this.#out, this.#format(args)); }
  error(...args) { this.#write(this.#err, this.#format(args)); }
  warn(...args) { this.#write(this.#err, this.#format(args)); }
  dir(object, options) { this.#write(this.#out, inspect(object, { customInspect: false, ...options })); }
  dirxml(...args) { this.log(...args); }
  trace(...args) {
    const e = { name: 'Trace', message: this.#format(args) };
    host.captureStackTrace(e, this.trace);
    this.error(e.stack);
  }
  assert(ok, ...args) {
    if (ok) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    this.warn(...args);
  }
  clear() {
    const stream = typeof this.#out === 'number' ? require('internal/process').process.stdout : this.#out;
    if (stream.isTTY && require('internal/process').process.env.TERM !== 'dumb') stream.write('\x1b[1;1H\x1b[0J');
  }
  count(label = 'default') {
    const n = (this.#counts.get(`${label}`) ?? 0) + 1;
    this.#counts.set(`${label}`, n);
    this.log(`${label}: ${n}`);
  }
  countReset(label = 'default') {
    if (!this.#counts.delete(`${label}`)) process.emitWarning(`Count for '${label}' does not exist`);
  }
  group(...args) {
    if (args.length) this.log(...args);
    this.#indent += '  ';
  }
  groupCollapsed(...args) { this.group(...args); }
  groupEnd() { this.#indent = this.#indent.slice(2); }
  time(label = 'default') {
    if (this.#times.has(`${label}`)) process.emitWarning(`Label '${label}' already exists for console.time()`);
    else this.#times.set(`${label}`, host.now(1));
  }
  timeEnd(label = 'default') {
    this.timeLog(label);
    this.#times.delete(`${label}`);
  }
  timeLog(label = 'default', ...args) {
    const start = this.#times.get(`${label}`);
    if (start === undefined) {
      process.emitWarning(`No such label '${label}' for console.timeEnd()`);
      return;
    }
    this.log('%s: %s', label, elapsed(host.now(1) - start), ...args);
  }
  table(data, columns) {
    if (data === null || typeof data !== 'object') this.log(data);
    else this.log(table(data, columns));
  }
  timeStamp() {}
  profile() {}
  profileEnd() {}
}

function elapsed(ms) {
  if (ms >= 3600000 || ms >= 60000) {
    const h = Math.floor(ms / 3600000), m = Math.floor(ms / 60000) % 60, s = (ms / 1000) % 60, pad = (n) => String(n).padStart(2, '0');
    return h ? `${h}:${pad(m)}:${pad(Math.floor(s))} (h:mm:ss)` : `${m}:${s.toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
  }
  return ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${Number(ms.toFixed(3))}ms`;
}

function table(data, only) {
  const show = (v) => inspect(v, { maxArrayLength: 3, breakLength: Infinity, colors: false, depth: v !== null && typeof v === 'object' && !Array.isArray(v) && Object.keys(v).length > 2 ? -1 : 0 });
  const isMap = data instanceof Map, isSet = data instanceof Set;
  const head = isMap || isSet ? '(iteration index)' : '(index)';
  const rows = [];
  if (isMap) [...data].forEach(([k, v], i) => rows.push([i, { Key: k, Values: v }, true]));
  else if (isSet) [...data].forEach((v, i) => rows.push([i, v]));
  else for (const k of Object.keys(data)) rows.push([k, data[k]]);
  const columns = [];
  let hasValues = false;
  const cells = rows.map(([k, v]) => {
    const row = { '': String(k) };
    if (v === null || (typeof v !== 'object' && typeof v !== 'function')) {
      row.value = show(v);
      hasValues = true;
    } else {
      row.of = {};
      for (const c of only ?? Object.keys(v)) {
        if (!columns.includes(c)) columns.push(c);
        if (Object.prototype.hasOwnProperty.call(v, c)) row.of[c] = show(v[c]);
      }
    }
    return row;
  });
  const titles = [head, ...columns, ...(hasValues ? ['Values'] : [])];
  const lines = cells.map((r) => [r[''], ...columns.map((c) => r.of?.[c] ?? ''), ...(hasValues ? [r.value ?? ''] : [])]);
  const widths = titles.map((t, i) => Math.max(width(t), ...lines.map((l) => width(l[i]))) + 2);
  const rule = (l, m, r) => l + widths.map((w) => '─'.repeat(w)).join(m) + r;
  const line = (l) => `│${l.map((c, i) => ` ${c}${' '.repeat(widths[i] - width(c) - 1)}`).join('│')}│`;
  return [rule('┌', '┬', '┐'), line(titles), rule('├', '┼', '┤'), ...lines.map(line), rule('└', '┴', '┘')].join('\n');
}

const console = new Console();
Object.defineProperty(console, 'Console', { value: Console, writable: true, configurable: true });
Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
module.exports = { console, Console, streams };
