// The WHATWG's URL parser, as far as ASCII hosts (and Punycode of others) go.
const { Buffer } = require('buffer');
const SPECIAL = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };

// Which characters are written as %XX where.
const C0 = /[\x00-\x1f\x7f-\u{10ffff}]/gu;
const FRAGMENT = /[\x00-\x20"<>`\x7f-\u{10ffff}]/gu;
const QUERY = /[\x00-\x20"#<>\x7f-\u{10ffff}]/gu;
const SPECIAL_QUERY = /[\x00-\x20"#<>'\x7f-\u{10ffff}]/gu;
const PATH = /[\x00-\x20"#<>?`{}^\x7f-\u{10ffff}]/gu;
const USER = /[\x00-\x20"#<>?`{}/:;=@[\\\]^|\x7f-\u{10ffff}]/gu;

const bytes = (c) => Array.from(Buffer.from(c), (b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('');
const encode = (s, set) => s.replace(set, bytes);

// ---- Hosts -----------------------------------------------------------------------------------------

function punycode(label) {
  const points = Array.from(label, (c) => c.codePointAt(0)), basic = points.filter((c) => c < 128);
  let out = String.fromCodePoint(...basic), n = 128, delta = 0, bias = 72, done = basic.length;
  const b = done;
  if (b) out += '-';
  const adapt = (d, count, first) => {
    d = first ? Math.floor(d / 700) : d >> 1;
    d += Math.floor(d / count);
    let k = 0;
    for (; d > 455; k += 36) d = Math.floor(d / 35);
    return k + Math.floor((36 * d) / (d + 38));
  };
  while (done < points.length) {
    const m = Math.min(...points.filter((c) => c >= n));
    delta += (m - n) * (done + 1);
    n = m;
    for (const c of points) {
      if (c < n) delta++;
      if (c !== n) continue;
      let q = delta;
      for (let k = 36; ; k += 36) {
        const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (q < t) break;
        const digit = t + ((q - t) % (36 - t));
        out += String.fromCharCode(digit < 26 ? digit + 97 : digit + 22);
        q = Math.floor((q - t) / (36 - t));
      }
      out += String.fromCharCode(q < 26 ? q + 97 : q + 22);
      bias = adapt(delta, done + 1, done === b);
      delta = 0;
      done++;
    }
    delta++;
    n++;
  }
  return out;
}

function ipv4(host) {
  const parts = host.split('.');
  if (parts[parts.length - 1] === '' && parts.length > 1) parts.pop();
  const last = parts[parts.length - 1];
  if (!/^(\d+|0x[0-9a-f]*)$/i.test(last)) return host; // not a number: a name
  if (parts.length > 4) return null;
  const numbers = parts.map((p) => (p === '' ? NaN : /^0x[0-9a-f]*$/i.test(p) ? parseInt(p.slice(2) || '0', 16) : /^0[0-7]*$/.test(p) ? parseInt(p, 8) : /^\d+$/.test(p) ? (p[0] === '0' ? NaN : Number(p)) : NaN));
  if (numbers.some((n) => Number.isNaN(n))) return null;
  if (numbers.slice(0, -1).some((n) => n > 255) || numbers[numbers.length - 1] >= 256 ** (5 - numbers.length)) return null;
  let v = numbers.pop();
  numbers.forEach((n, i) => { v += n * 256 ** (3 - i); });
  return [24, 16, 8, 0].map((s) => Math.floor(v / 2 ** s) % 256).join('.');
}

function ipv6(text) {
  let tail = [];
  const m = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  if (m) {
    const n = m.slice(2).map(Number);
    if (n.some((x) => x > 255)) return null;
    tail = [n[0] * 256 + n[1], n[2] * 256 + n[3]];
    text = m[1] === '::' || m[1].endsWith('::') ? m[1] : m[1].slice(0, -1);
  }
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const words = (s) => (s === '' ? [] : s.split(':').map((w) => (/^[0-9a-f]{1,4}$/i.test(w) ? parseInt(w, 16) : NaN)));
  const left = words(halves[0]), right = halves.length === 2 ? [...words(halves[1]), ...tail] : [];
  let all = halves.length === 2 ? [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill(0), ...right] : [...left, ...tail];
  if (all.length !== 8 || all.some((x) => Number.isNaN(x)) || (halves.length === 2 && left.length + right.length > 7)) return null;
  let best = [-1, 1];
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (i + n < 8 && all[i + n] === 0) n++;
    if (n > best[1]) best = [i, n];
  }
  all = all.map((x) => x.toString(16));
  return best[0] < 0 ? all.join(':') : `${all.slice(0, best[0]).join(':')}::${all.slice(best[0] + best[1]).join(':')}`;
}

function host(text, special) {
  if (text.startsWith('[')) {
    if (!text.endsWith(']')) return null;
    const v = ipv6(text.slice(1, -1));
    return v === null ? null : `[${v}]`;
  }
  if (!special) return /[\x00\t\n\r #/<>?@[\\\]^|]/.test(text) ? null : encode(text, C0);
  let name;
  try {
    name = decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    return null;
  }
  name = name.normalize('NFKC').toLowerCase().replace(/[\u3002\uff0e\uff61]/g, '.').replace(/\u00ad/g, '');
  name = name.split('.').map((l) => (/[^\x00-\x7f]/.test(l) ? `xn--${punycode(l)}` : l)).join('.');
  if (name === '' || /[\x00-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(name)) return null;
  return ipv4(name);
}

// ---- The parts ----------------------------------------------------------------------------------------

const isDrive = (s) => /^[a-zA-Z][:|]$/.test(s);

function pathSegments(text, special, base, isFile) {
  const out = base ? base.slice() : [];
  const parts = text.split(special ? /[/\\]/ : '/');
  parts.forEach((p, i) => {
    const last = i === parts.length - 1, plain = p.replace(/%2e/gi, '.');
    if (plain === '..') {
      if (!(isFile && out.length === 1 && /^[a-zA-Z]:$/.test(out[0]))) out.pop();
      if (last) out.push('');
    } else if (plain === '.') {
      if (last) out.push('');
    } else {
      out.push(isFile && out.length === 0 && isDrive(p) ? `${p[0]}:` : encode(p, PATH));
    }
  });
  return out;
}

function authority(u, text, special) {
  const at = text.lastIndexOf('@');
  if (at >= 0) {
    const user = text.slice(0, at), colon = user.indexOf(':');
    u.username = encode(colon < 0 ? user : user.slice(0, colon), USER);
    u.password = colon < 0 ? '' : encode(user.slice(colon + 1), USER);
    text = text.slice(at + 1);
    if (text === '') return false;
  }
  const m = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(text);
  if (!m) return false;
  if (m[1] === '' && special && u.protocol !== 'file:') return false;
  if (u.protocol === 'file:' && m[2] !== undefined) return false;
  u.hostname = m[1] === '' ? '' : host(m[1], special);
  if (u.hostname === null) return false;
  if (u.protocol === 'file:' && u.hostname === 'localhost') u.hostname = '';
  if (m[2]) {
    if (!/^\d+$/.test(m[2]) || Number(m[2]) > 65535) return false;
    u.port = String(Number(m[2])) === SPECIAL[u.protocol] ? '' : String(Number(m[2]));
  }
  return true;
}

const fresh = (protocol) => ({ protocol, username: '', password: '', hostname: null, port: '', path: [], opaque: null, query: null, fragment: null });

// The parts of a URL, or null.
function parse(input, base) {
  let s = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
  let fragment = null, query = null;
  const hash = s.indexOf('#');
  if (hash >= 0) fragment = encode(s.slice(hash + 1), FRAGMENT), s = s.slice(0, hash);
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(s);
  const protocol = scheme ? scheme[0].toLowerCase() : null;
  const special = protocol !== null ? protocol in SPECIAL : base !== null && base.protocol in SPECIAL;
  const cut = () => {
    const q = s.indexOf('?');
    if (q >= 0) query = encode(s.slice(q + 1), special ? SPECIAL_QUERY : QUERY), s = s.slice(0, q);
  };
  const finish = (u) => Object.assign(u, { query, fragment });
  if (protocol !== null && !(special && base && base.protocol === protocol && !/^[/\\]{2}/.test(s.slice(protocol.length)) && protocol !== 'file:')) {
    s = s.slice(protocol.length);
    cut();
    const u = fresh(protocol);
    if (protocol === 'file:') return fileURL(u, s, base && base.protocol === 'file:' ? base : null, finish);
    if (special) s = `//${s.replace(/^[/\\]*/, '')}`;
    if (s.startsWith('//')) {
      const end = special ? s.slice(2).search(/[/\\]/) : s.indexOf('/', 2) - 2;
      const auth = end < 0 ? s.slice(2) : s.slice(2, end + 2);
      if (!authority(u, auth, special)) return null;
      const rest = end < 0 ? '' : s.slice(2 + auth.length);
      u.path = rest === '' ? (special ? [''] : []) : pathSegments(rest.slice(1), special, null, false);
    } else if (s.startsWith('/')) {
      u.path = pathSegments(s.slice(1), special, null, false);
    } else {
      u.opaque = encode(s, C0);
    }
    return finish(u);
  }
  if (base === null) return null;
  if (protocol !== null) s = s.slice(protocol.length);
  if (base.opaque !== null) {
    if (s !== '') return null;
    return { ...base, fragment };
  }
  cut();
  const u = { ...base, path: base.path.slice() };
  if (base.protocol === 'file:') return fileURL(fresh('file:'), s, base, finish);
  const slash = special ? /^[/\\]/ : /^\//;
  if ((special ? /^[/\\]{2}/ : /^\/\//).test(s)) return parse(base.protocol + s + (query === null ? '' : `?${query}`) + (fragment === null ? '' : `#${fragment}`), null);
  if (slash.test(s)) u.path = pathSegments(s.slice(1), special, null, false);
  else if (s !== '') u.path = pathSegments(s, special, base.path.slice(0, -1), false);
  else if (query === null) query = base.query;
  return finish(u);
}

function fileURL(u, s, base, finish) {
  u.hostname = '';
  if (/^[/\\]{2}/.test(s)) {
    const end = s.slice(2).search(/[/\\]/);
    const auth = end < 0 ? s.slice(2) : s.slice(2, end + 2);
    let rest = end < 0 ? '' : s.slice(2 + auth.length);
    if (isDrive(auth)) rest = `/${s.slice(2)}`;
    else if (!authority(u, auth, true)) return null;
    u.path = pathSegments(rest.slice(1), true, null, true);
    return finish(u);
  }
  if (base) u.hostname = base.hostname;
  if (/^[/\\]/.test(s)) {
    u.path = pathSegments(s.slice(1), true, null, true);
  } else if (base) {
    if (s === '') {
      u.path = base.path.slice();
      const r = finish(u);
      if (r.query === null) r.query = base.query;
      return r;
    }
    u.path = pathSegments(s, true, base.path.slice(0, -1), true);
  } else {
    u.path = pathSegments(s, true, null, true);
  }
  return finish(u);
}

const pathname = (u) => (u.opaque !== null ? u.opaque : u.path.length ? `/${u.path.join('/')}` : '');

function serialize(u, withoutFragment) {
  let s = u.protocol;
  if (u.hostname !== null) {
    s += '//';
    if (u.username || u.password) s += `${u.username}${u.password ? `:${u.password}` : ''}@`;
    s += u.hostname + (u.port ? `:${u.port}` : '');
  } else if (u.opaque === null && u.path.length > 1 && u.path[0] === '') {
    s += '/.';
  }
  s += pathname(u);
  if (u.query !== null) s += `?${u.query}`;
  if (u.fragment !== null && !withoutFragment) s += `#${u.fragment}`;
  return s;
}

module.exports = { parse, serialize, pathname, pathSegments, authority, host, encode, SPECIAL, FRAGMENT, QUERY, SPECIAL_QUERY, USER, PATH, C0, punycode };
