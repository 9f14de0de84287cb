// What the host of the sandbox adds to programs: functions that are globals, an answer to fetch, a prelude. Asked for in every run.
const { parse, stringify } = JSON;

const BODY_MAX = 32 << 20;
let hasFetch = false;

const text = (buffer) => host.decode(buffer, 0, buffer.byteLength, 0, false);

// What the host said with another status than 0 (src/api/jscall.c).
function failure(name, said) {
  const s = text(said);
  if (s[0] !== '\0') return new Error(s.trimEnd() || `${name}: failed`);
  const at = s.indexOf('\0', 1);
  const e = new Error(s.slice(at + 1));
  if (at > 1) e.code = s.slice(1, at);
  return e;
}

function ask(name, words, bytes) {
  const r = bytes ? host.ask(name, words, bytes.buffer, bytes.byteOffset, bytes.byteLength) : host.ask(name, words);
  if (typeof r === 'number') throw new Error(`${name}: the host cannot be asked`);
  if (r[0] !== 0) throw failure(name, r[2]);
  return r;
}

function make(name) {
  const last = name.slice(name.lastIndexOf('.') + 1);
  return { [last](...args) {
    const answer = text(ask(name, stringify(args))[1]);
    if (answer === '') return undefined;
    try {
      return parse(answer);
    } catch {
      throw new Error(`${name}: what the host answered is not JSON`);
    }
  } }[last];
}

function define(name) {
  const segments = name.split('.'), last = segments.pop();
  let at = globalThis;
  for (const s of segments) {
    if (!Object.hasOwn(at, s)) Object.defineProperty(at, s, { value: {}, writable: true, configurable: true, enumerable: true });
    at = at[s];
  }
  Object.defineProperty(at, last, { value: make(name), writable: true, configurable: true, enumerable: true });
}

// The prelude, undefined when there is none.
function begin() {
  const offer = host.offer();
  hasFetch = offer[0] === '1';
  if (offer === '') return undefined;
  const end = offer.indexOf('\0\0', 1), names = offer.slice(2, Math.max(end, 2));
  for (const name of names.split('\0')) if (name) define(name);
  const prelude = offer.slice(end + 2);
  return prelude === '' ? undefined : prelude;
}

// ---- fetch ------------------------------------------------------------------------------------------------

function failed(cause) {
  const e = new TypeError('fetch failed');
  e.cause = cause;
  return e;
}

async function fetch(input, init = {}) {
  if (!hasFetch) throw failed(Object.assign(new Error('network unavailable: the network is not granted in this sandbox'), { code: 'ENETUNREACH', syscall: 'connect' }));
  const request = new Request(input, init);
  const { signal } = request, url = request.url.replace(/#.*/s, '');
  if (signal.aborted) throw signal.reason;
  const body = Buffer.from(await request.arrayBuffer());
  if (body.length && (request.method === 'GET' || request.method === 'HEAD')) throw new TypeError('Request with GET/HEAD method cannot have body.');
  let r;
  try {
    r = ask('fetch', stringify({ url, method: request.method, headers: [...request.headers] }), body);
    if (r[1].byteLength > BODY_MAX) throw Object.assign(new Error('the response is larger than 32 MiB'), { code: 'ERR_RESPONSE_TOO_LARGE' });
  } catch (e) {
    throw failed(e);
  }
  if (signal.aborted) throw signal.reason;
  const [status, ...lines] = text(r[2]).split('\n');
  const headers = new Headers();
  for (const l of lines) headers.append(l.slice(0, l.indexOf(':')), l.slice(l.indexOf(':') + 1));
  const code = Number(status || 200), none = code === 204 || code === 205 || code === 304 || request.method === 'HEAD';
  const response = new Response(none ? null : r[1], { status: code, statusText: require('http').STATUS_CODES[code] ?? '', headers });
  Object.defineProperty(response, 'url', { value: url, configurable: true, enumerable: true });
  return response;
}

module.exports = { begin, fetch };
