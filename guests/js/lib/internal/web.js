// Headers, Request, Response, FormData, Blob: what can be held without a network.
const { Buffer } = require('buffer');
const { inspect } = require('internal/inspect');
const { notHere } = require('internal/errors');

class Headers {
  #map = new Map();
  constructor(init) {
    if (init === undefined || init === null) return;
    for (const [k, v] of typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init)) this.append(k, v);
  }
  #key(k) {
    const s = `${k}`.toLowerCase();
    if (!/^[!#$%&'*+\-.^_`|~0-9a-z]+$/.test(s)) throw new TypeError(`Headers.append: ${k} is an invalid header name.`);
    return s;
  }
  append(k, v) { const n = this.#key(k); this.#map.set(n, this.#map.has(n) ? `${this.#map.get(n)}, ${`${v}`.trim()}` : `${v}`.trim()); }
  set(k, v) { this.#map.set(this.#key(k), `${v}`.trim()); }
  get(k) { return this.#map.get(this.#key(k)) ?? null; }
  has(k) { return this.#map.has(this.#key(k)); }
  delete(k) { this.#map.delete(this.#key(k)); }
  getSetCookie() { return this.has('set-cookie') ? [this.get('set-cookie')] : []; }
  forEach(f, self) { for (const [k, v] of this) f.call(self, v, k, this); }
  *entries() { yield* [...this.#map].sort(([a], [b]) => (a < b ? -1 : 1)); }
  *keys() { for (const [k] of this) yield k; }
  *values() { for (const [, v] of this) yield v; }
  [Symbol.iterator]() { return this.entries(); }
  get [Symbol.toStringTag]() { return 'Headers'; }
  [inspect.custom](depth, options) { return `Headers ${inspect(Object.fromEntries(this), options)}`; }
}

class Blob {
  #bytes;
  #type;
  constructor(parts = [], options = {}) {
    this.#bytes = Buffer.concat([...parts].map((p) => (p instanceof Blob ? p.#bytes : ArrayBuffer.isView(p) ? Buffer.from(p.buffer, p.byteOffset, p.byteLength) : p instanceof ArrayBuffer ? Buffer.from(p) : Buffer.from(`${p}`))));
    this.#type = `${options.type ?? ''}`.toLowerCase();
  }
  get size() { return this.#bytes.length; }
  get type() { return this.#type; }
  async text() { return this.#bytes.toString(); }
  async arrayBuffer() { return this.#bytes.buffer.slice(this.#bytes.byteOffset, this.#bytes.byteOffset + this.#bytes.length); }
  async bytes() { return new Uint8Array(await this.arrayBuffer()); }
  slice(a, b, type) { return new Blob([this.#bytes.subarray(a, b)], { type }); }
  get [Symbol.toStringTag]() { return 'Blob'; }
  [inspect.custom](depth, options) { return `Blob ${inspect({ size: this.size, type: this.type }, options)}`; }
}
class File extends Blob {
  #name;
  #time;
  constructor(parts, name, options = {}) { super(parts, options); this.#name = `${name}`; this.#time = options.lastModified ?? Date.now(); }
  get name() { return this.#name; }
  get lastModified() { return this.#time; }
}

// As a form sends it: the bytes, and the type that names the boundary.
function multipart(form) {
  const boundary = `----formdata-${require('crypto').randomUUID()}`, parts = [];
  const quoted = (s) => s.replace(/\r\n|\r|\n/g, '%0D%0A').replace(/"/g, '%22');
  for (const [k, v] of form) {
    const file = v instanceof Blob ? `; filename="${quoted(v.name ?? 'blob')}"\r\nContent-Type: ${v.type || 'application/octet-stream'}` : '';
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(k)}"${file}\r\n\r\n`, v, '\r\n');
  }
  return [new Blob([...parts, `--${boundary}--\r\n`]), `multipart/form-data; boundary=${boundary}`];
}

// What a body is sent as, and the type it has when none is given.
function extracted(body) {
  if (body === null || body === undefined) return [null, null];
  if (body instanceof FormData) return multipart(body);
  if (body instanceof URLSearchParams) return [`${body}`, 'application/x-www-form-urlencoded;charset=UTF-8'];
  if (body instanceof Blob) return [body, body.type || null];
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) return [body, null];
  if (typeof body === 'object' && (Symbol.asyncIterator in body || typeof body.getReader === 'function')) throw notHere('a stream as a body');
  return [`${body}`, 'text/plain;charset=UTF-8'];
}

class Body {
  #body;
  #used = false;
  constructor(body) { this.#body = body; }
  static of(b) { return b.#body; }
  get bodyUsed() { return this.#used; }
  get body() {
    if (this.#body === null || this.#body === undefined) return null;
    const take = () => this.#take();
    return new ReadableStream({ async start(c) { c.enqueue(new Uint8Array(await take())); c.close(); } });
  }
  clone() {
    if (this.#used) throw new TypeError(`${this.constructor.name}.clone: Body has already been consumed.`);
    return this.constructor === Request ? new Request(this, { body: this.#body ?? undefined }) : new Response(this.#body, this);
  }
  async #take() {
    if (this.#used) throw new TypeError('Body is unusable: Body has already been read');
    this.#used = true;
    const b = this.#body;
    if (b === null || b === undefined) return Buffer.alloc(0);
    if (b instanceof Blob) return Buffer.from(await b.arrayBuffer());
    if (ArrayBuffer.isView(b)) return Buffer.from(b.buffer, b.byteOffset, b.byteLength);
    if (b instanceof ArrayBuffer) return Buffer.from(b);
    return Buffer.from(`${b}`);
  }
  async text() { return (await this.#take()).toString(); }
  async json() { return JSON.parse(await this.text()); }
  async arrayBuffer() { const b = await this.#take(); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); }
  async blob() { return new Blob([await this.#take()]); }
}
const bodyOf = Body.of;
delete Body.of;
class Request extends Body {
  constructor(input, init = {}) {
    const [body, type] = extracted(init.body ?? (input instanceof Request ? bodyOf(input) : undefined));
    super(body);
    this.url = new URL(typeof input === 'object' && input.url ? input.url : `${input}`).href;
    this.method = (init.method ?? input.method ?? 'GET').toUpperCase();
    this.headers = new Headers(init.headers ?? input.headers);
    if (type && !this.headers.has('content-type')) this.headers.set('content-type', type);
    this.signal = init.signal ?? new AbortController().signal;
  }
}
class Response extends Body {
  constructor(body, init = {}) {
    const [bytes, type] = extracted(body);
    super(bytes);
    this.status = init.status ?? 200;
    if (!(this.status >= 200 && this.status <= 599)) throw new RangeError('init["status"] must be in the range of 200 to 599, inclusive.');
    this.statusText = init.statusText ?? '';
    this.headers = new Headers(init.headers);
    if (type && !this.headers.has('content-type')) this.headers.set('content-type', type);
    this.type = 'default';
    this.url = '';
    this.redirected = false;
  }
  get ok() { return this.status >= 200 && this.status < 300; }
  static json(data, init = {}) { return new Response(JSON.stringify(data), { ...init, headers: { 'content-type': 'application/json', ...Object.fromEntries(new Headers(init.headers)) } }); }
  static error() { const r = new Response(null); r.status = 0; r.type = 'error'; return r; }
}
class FormData {
  #list = [];
  append(k, v, name) {
    const file = () => (v instanceof File && name === undefined ? v : new File([v], name ?? v.name ?? 'blob', { type: v.type }));
    this.#list.push([`${k}`, v instanceof Blob ? file() : `${v}`]);
  }
  set(k, v, name) { this.delete(k); this.append(k, v, name); }
  get(k) { return this.#list.find((x) => x[0] === `${k}`)?.[1] ?? null; }
  getAll(k) { return this.#list.filter((x) => x[0] === `${k}`).map((x) => x[1]); }
  has(k) { return this.#list.some((x) => x[0] === `${k}`); }
  delete(k) { this.#list = this.#list.filter((x) => x[0] !== `${k}`); }
  *entries() { yield* this.#list.map((x) => [...x]); }
  *keys() { for (const x of this.#list) yield x[0]; }
  *values() { for (const x of this.#list) yield x[1]; }
  forEach(f, self) { for (const [k, v] of this.#list) f.call(self, v, k, this); }
  [Symbol.iterator]() { return this.entries(); }
}
module.exports = { Headers, Request, Response, FormData, Blob, File };
