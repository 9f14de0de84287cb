// URL, URLSearchParams, and the older url.parse.
const p = require('internal/url_parser');
const { inspect } = require('internal/inspect');
const { withCode, invalidArgType } = require('internal/errors');
const { Buffer } = require('buffer');
const path = require('path');

// ---- URLSearchParams ----------------------------------------------------------------------------------

const plus = (s) => {
  const t = s.replaceAll('+', ' ');
  return t.includes('%') ? decode(t) : t;
};
function decode(s) {
  const b = [];
  const bytes = Buffer.from(s);
  for (let i = 0; i < bytes.length; i++) {
    const hex = bytes[i] === 37 ? /^[0-9a-fA-F]{2}$/.exec(String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0)) : null;
    if (hex) b.push(parseInt(hex[0], 16)), i += 2;
    else b.push(bytes[i]);
  }
  return Buffer.from(b).toString();
}
const form = (s) => encodeURIComponent(s.toWellFormed()).replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`).replaceAll('%20', '+');

class URLSearchParams {
  #list = [];
  #url = null;
  constructor(init) {
    if (init === undefined || init === null) return;
    if (typeof init === 'object' || typeof init === 'function') {
      const it = init[Symbol.iterator];
      if (it === this[Symbol.iterator] && init instanceof URLSearchParams) {
        this.#list = init.#list.map((x) => [...x]);
      } else if (it !== undefined && it !== null) {
        if (typeof it !== 'function') throw withCode(TypeError, 'ERR_ARG_NOT_ITERABLE', 'Query pairs must be iterable');
        for (const pair of init) {
          if (pair === null || typeof pair !== 'object' || typeof pair[Symbol.iterator] !== 'function') throw withCode(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          const [...t] = pair;
          if (t.length !== 2) throw withCode(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
          this.#list.push([`${t[0]}`.toWellFormed(), `${t[1]}`.toWellFormed()]);
        }
      } else {
        for (const k of Reflect.ownKeys(init)) if (Object.getOwnPropertyDescriptor(init, k)?.enumerable) this.#list.push([`${k}`.toWellFormed(), `${init[k]}`.toWellFormed()]);
      }
    } else {
      this.#parse(`${init}`.replace(/^\?/, ''));
    }
  }
  #parse(s) {
    this.#list = s === '' ? [] : s.split('&').filter((x) => x !== '').map((x) => {
      const at = x.indexOf('=');
      return at < 0 ? [plus(x), ''] : [plus(x.slice(0, at)), plus(x.slice(at + 1))];
    });
  }
  static of(url, query) {
    const r = new URLSearchParams();
    r.#url = url;
    r.#parse(query ?? '');
    return r;
  }
  static again(r, query) { r.#parse(query ?? ''); }
  #changed() { if (this.#url) this.#url(this.toString()); }
  get size() { return this.#list.length; }
  append(k, v) { this.#list.push([`${k}`, `${v}`]); this.#changed(); }
  delete(k, v) { this.#list = this.#list.filter((x) => x[0] !== `${k}` || (v !== undefined && x[1] !== `${v}`)); this.#changed(); }
  get(k) { return this.#list.find((x) => x[0] === `${k}`)?.[1] ?? null; }
  getAll(k) { return this.#list.filter((x) => x[0] === `${k}`).map((x) => x[1]); }
  has(k, v) { return this.#list.some((x) => x[0] === `${k}` && (v === undefined || x[1] === `${v}`)); }
  set(k, v) {
    const i = this.#list.findIndex((x) => x[0] === `${k}`);
    if (i < 0) this.#list.push([`${k}`, `${v}`]);
    else {
      this.#list[i][1] = `${v}`;
      this.#list = this.#list.filter((x, j) => j <= i || x[0] !== `${k}`);
    }
    this.#changed();
  }
  sort() { this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this.#changed(); }
  forEach(f, self) { for (const [k, v] of this.#list) f.call(self, v, k, this); }
  *entries() { for (const x of this.#list) yield [...x]; }
  *keys() { for (const x of this.#list) yield x[0]; }
  *values() { for (const x of this.#list) yield x[1]; }
  toString() { return this.#list.map(([k, v]) => `${form(k)}=${form(v)}`).join('&'); }
  [inspect.custom](depth, options) {
    const parts = this.#list.map(([k, v]) => `${inspect(k, options)} => ${inspect(v, options)}`);
    const length = parts.reduce((n, s) => n + s.length + 2, -2);
    if (length > (options?.breakLength ?? 80)) return `URLSearchParams {\n  ${parts.join(',\n  ')} }`;
    return parts.length ? `URLSearchParams { ${parts.join(', ')} }` : 'URLSearchParams {}';
  }
}
URLSearchParams.prototype[Symbol.iterator] = URLSearchParams.prototype.entries;
Object.defineProperty(URLSearchParams.prototype, Symbol.iterator, { enumerable: false });
Object.defineProperty(URLSearchParams.prototype, Symbol.toStringTag, { value: 'URLSearchParams', configurable: true });
const paramsOf = URLSearchParams.of, again = URLSearchParams.again;
delete URLSearchParams.of;
delete URLSearchParams.again;

// ---- URL -----------------------------------------------------------------------------------------------------

function invalid(input, base) {
  const e = withCode(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
  e.input = input;
  if (base !== undefined) e.base = base;
  return e;
}

class URL {
  #u;
  #params = null;
  constructor(input, base) {
    if (arguments.length === 0) throw withCode(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
    input = `${input}`;
    const b = base === undefined ? null : p.parse(`${base}`, null);
    const u = base !== undefined && b === null ? null : p.parse(input, b);
    if (u === null) throw invalid(input, base === undefined ? undefined : `${base}`);
    this.#u = u;
  }
  static canParse(input, base) {
    const b = base === undefined ? null : p.parse(`${base}`, null);
    return !(base !== undefined && b === null) && p.parse(`${input}`, b) !== null;
  }
  static createObjectURL() { throw require('internal/errors').notHere('URL.createObjectURL'); }
  static revokeObjectURL() {}
  get #special() { return this.#u.protocol in p.SPECIAL; }
  get href() { return p.serialize(this.#u); }
  set href(v) {
    const u = p.parse(`${v}`, null);
    if (u === null) throw invalid(`${v}`);
    this.#u = u;
    if (this.#params) again(this.#params, u.query);
  }
  get origin() {
    const u = this.#u;
    if (u.protocol === 'blob:') {
      const inner = p.parse(p.pathname(u), null);
      return inner && /^https?:$/.test(inner.protocol) ? `${inner.protocol}//${inner.hostname}${inner.port ? `:${inner.port}` : ''}` : 'null';
    }
    return this.#special && u.protocol !== 'file:' ? `${u.protocol}//${this.host}` : 'null';
  }
  get protocol() { return this.#u.protocol; }
  set protocol(v) {
    const m = /^([a-zA-Z][a-zA-Z0-9+.-]*):?/.exec(`${v}`);
    if (!m) return;
    const n = `${m[1].toLowerCase()}:`;
    if ((n in p.SPECIAL) !== this.#special || (n === 'file:' && (this.#u.username || this.#u.port))) return;
    this.#u.protocol = n;
    if (this.#u.port === p.SPECIAL[n]) this.#u.port = '';
  }
  get username() { return this.#u.username; }
  set username(v) { if (this.#u.hostname && this.#u.protocol !== 'file:') this.#u.username = p.encode(`${v}`, p.USER); }
  get password() { return this.#u.password; }
  set password(v) { if (this.#u.hostname && this.#u.protocol !== 'file:') this.#u.password = p.encode(`${v}`, p.USER); }
  get host() { return (this.#u.hostname ?? '') + (this.#u.port ? `:${this.#u.port}` : ''); }
  set host(v) {
    if (this.#u.opaque !== null) return;
    const u = { ...this.#u }, text = `${v}`.replace(this.#special ? /[/\\?#].*$/s : /[/?#].*$/s, '');
    if (!text.includes('@') && text !== '' && p.authority(u, text, this.#special)) this.#u = u;
  }
  get hostname() { return this.#u.hostname ?? ''; }
  set hostname(v) {
    if (this.#u.opaque !== null) return;
    const h = p.host(`${v}`.replace(/[/?#].*$/s, ''), this.#special);
    if (h !== null && (h !== '' || !this.#special)) this.#u.hostname = h;
  }
  get port() { return this.#u.port; }
  set port(v) {
    if (!this.#u.hostname || this.#u.protocol === 'file:') return;
    const m = /^\d+/.exec(`${v}`);
    if (`${v}` === '') this.#u.port = '';
    else if (m && Number(m[0]) <= 65535) this.#u.port = String(Number(m[0])) === p.SPECIAL[this.#u.protocol] ? '' : String(Number(m[0]));
  }
  get pathname() { return p.pathname(this.#u); }
  set pathname(v) {
    if (this.#u.opaque !== null) return;
    this.#u.path = p.pathSegments(`${v}`.replace(this.#special ? /^[/\\]/ : /^\//, '').replaceAll('?', '%3F').replaceAll('#', '%23'), this.#special, null, this.#u.protocol === 'file:');
  }
  get search() { return this.#u.query ? `?${this.#u.query}` : ''; }
  set search(v) {
    const s = `${v}`.replace(/^\?/, '');
    this.#u.query = `${v}` === '' ? null : p.encode(s, this.#special ? p.SPECIAL_QUERY : p.QUERY);
    if (this.#params) again(this.#params, this.#u.query);
  }
  get searchParams() {
    this.#params ??= paramsOf((text) => { this.#u.query = text === '' ? null : text; }, this.#u.query);
    return this.#params;
  }
  get hash() { return this.#u.fragment ? `#${this.#u.fragment}` : ''; }
  set hash(v) { this.#u.fragment = `${v}` === '' ? null : p.encode(`${v}`.replace(/^#/, ''), p.FRAGMENT); }
  toString() { return this.href; }
  toJSON() { return this.href; }
  [inspect.custom](depth, options) {
    const o = {};
    for (const k of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash']) o[k] = this[k];
    if (typeof depth === 'number' && depth < 0) return this.toString();
    return `${this.constructor.name} ${inspect(o, options)}`;
  }
}
for (const k of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash', 'toString', 'toJSON']) Object.defineProperty(URL.prototype, k, { enumerable: true });
Object.defineProperty(URL.prototype, Symbol.toStringTag, { value: 'URL', configurable: true });

function fileURLToPath(url) {
  if (typeof url === 'string') url = new URL(url);
  else if (!(url instanceof URL)) throw invalidArgType('path', ['string', 'URL'], url);
  if (url.protocol !== 'file:') throw withCode(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
  if (url.hostname !== '') throw withCode(TypeError, 'ERR_INVALID_FILE_URL_HOST', 'File URL host must be "localhost" or empty on linux');
  if (/%2f/i.test(url.pathname)) throw withCode(TypeError, 'ERR_INVALID_FILE_URL_PATH', 'File URL path must not include encoded / characters');
  return url.pathname.includes('%') ? decodeURIComponent(url.pathname) : url.pathname;
}
function pathToFileURL(file) {
  let full = path.resolve(file);
  if (file.endsWith('/') && !full.endsWith('/')) full += '/';
  return new URL(`file://${full.replaceAll('%', '%25').replaceAll('\\', '%5C').replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('\t', '%09').replaceAll('?', '%3F').replaceAll('#', '%23')}`);
}
const urlToHttpOptions = (u) => ({ __proto__: null, protocol: u.protocol, hostname: u.hostname.replace(/^\[|\]$/g, ''), hash: u.hash, search: u.search, pathname: u.pathname, path: u.pathname + u.search, href: u.href,
  ...(u.port !== '' && { port: Number(u.port) }), ...((u.username || u.password) && { auth: `${decodeURIComponent(u.username)}:${decodeURIComponent(u.password)}` }) });

// ---- The older interface ----------------------------------------------------------------------------------------

function Url() {
  for (const k of ['protocol', 'slashes', 'auth', 'host', 'port', 'hostname', 'hash', 'search', 'query', 'pathname', 'path', 'href']) this[k] = null;
}
const withSlashes = (proto) => proto in p.SPECIAL;

function parse(text, asQuery, slashesDenoteHost) {
  if (text instanceof Url) return text;
  if (typeof text !== 'string') throw invalidArgType('url', 'string', text);
  const u = new Url();
  let s = text.trim();
  const hash = s.indexOf('#');
  if (hash >= 0) u.hash = s.slice(hash), s = s.slice(0, hash);
  const q = s.indexOf('?');
  if (q >= 0) u.search = s.slice(q), u.query = s.slice(q + 1), s = s.slice(0, q);
  const proto = /^([a-z0-9.+-]+:)/i.exec(s);
  if (proto) u.protocol = proto[0].toLowerCase(), s = s.slice(proto[0].length);
  if (s.startsWith('//') && (u.protocol !== 'javascript:') && (proto || slashesDenoteHost)) {
    u.slashes = true;
    s = s.slice(2);
    const end = s.search(/[/\\]/);
    let auth = end < 0 ? s : s.slice(0, end);
    s = end < 0 ? '' : s.slice(end).replaceAll('\\', '/');
    const at = auth.lastIndexOf('@');
    if (at >= 0) u.auth = decodeURIComponent(auth.slice(0, at)), auth = auth.slice(at + 1);
    const port = /:([0-9]*)$/.exec(auth);
    if (port) {
      if (port[1] !== '') u.port = port[1];
      auth = auth.slice(0, -port[0].length);
    }
    u.hostname = auth.replace(/^\[|\]$/g, '').toLowerCase();
    u.host = auth.toLowerCase() + (u.port ? `:${u.port}` : '');
  }
  if (s) u.pathname = s.replace(/[ "<>`{}|\\^']/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  if (withSlashes(u.protocol) && u.hostname !== null && !u.pathname) u.pathname = '/';
  if (u.pathname || u.search) u.path = (u.pathname ?? '') + (u.search ?? '');
  if (asQuery) {
    u.query = require('querystring').parse(u.query ?? '');
    if (u.search === null) u.search = '';
  }
  u.href = format(u);
  return u;
}
function format(u, options) {
  if (typeof u === 'string') u = parse(u);
  if (u instanceof URL) {
    if (!options) return u.href;
    let s = u.protocol + (u.hostname || u.protocol === 'file:' ? '//' : '');
    if (options.auth !== false && (u.username || u.password)) s += `${u.username}${u.password ? `:${u.password}` : ''}@`;
    return s + u.host + u.pathname + (options.search !== false ? u.search : '') + (options.fragment !== false ? u.hash : '');
  }
  let protocol = u.protocol ?? '', host = '', search = u.search ?? '';
  if (protocol && !protocol.endsWith(':')) protocol += ':';
  const auth = u.auth ? `${encodeURIComponent(u.auth).replace(/%3A/i, ':')}@` : '';
  if (u.host) host = auth + u.host;
  else if (u.hostname) host = auth + (u.hostname.includes(':') ? `[${u.hostname}]` : u.hostname) + (u.port ? `:${u.port}` : '');
  if (u.query !== null && typeof u.query === 'object' && !search) {
    const text = require('querystring').stringify(u.query);
    search = text ? `?${text}` : '';
  }
  let pathname = (u.pathname ?? '').replaceAll('?', '%3F').replaceAll('#', '%23'), hash = u.hash ?? '';
  if (u.slashes || ((protocol === '' || withSlashes(protocol)) && host)) {
    host = `//${host}`;
    if (pathname && !pathname.startsWith('/')) pathname = `/${pathname}`;
  }
  if (hash && !hash.startsWith('#')) hash = `#${hash}`;
  if (search && !search.startsWith('?')) search = `?${search}`;
  return protocol + host + pathname + search.replaceAll('#', '%23') + hash;
}
Url.prototype.format = function () { return format(this); };
function resolve(from, to) {
  const base = parse(from);
  if (base.protocol) {
    try {
      return new URL(to, from).href;
    } catch {
      return to;
    }
  }
  const u = new URL(to, new URL(from, 'resolve://x/'));
  return u.protocol === 'resolve:' ? u.pathname + u.search + u.hash : u.href;
}
const domainToASCII = (d) => p.host(d, true) ?? '';

module.exports = { Url, parse, resolve, resolveObject: (a, b) => parse(resolve(a, b)), format, URL, URLSearchParams, domainToASCII, domainToUnicode: domainToASCII, pathToFileURL, fileURLToPath, urlToHttpOptions };
