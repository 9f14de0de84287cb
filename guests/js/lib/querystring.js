// querystring.
const { Buffer } = require('buffer');
const keep = /[A-Za-z0-9\-_.!~*'()]/;
function escape(s) {
  if (typeof s !== 'string') s = typeof s === 'object' ? String(s) : `${s}`;
  try {
    return encodeURIComponent(s);
  } catch {
    throw require('internal/errors').withCode(URIError, 'ERR_INVALID_URI', 'URI malformed');
  }
}
function unescapeBuffer(s) {
  const out = [];
  const b = Buffer.from(String(s));
  for (let i = 0; i < b.length; i++) {
    const hex = b[i] === 37 ? /^[0-9a-fA-F]{2}$/.exec(String.fromCharCode(b[i + 1] ?? 0, b[i + 2] ?? 0)) : null;
    out.push(hex ? parseInt(hex[0], 16) : b[i]);
    if (hex) i += 2;
  }
  return Buffer.from(out);
}
function unescape(s) {
  try {
    return decodeURIComponent(s);
  } catch {
    return unescapeBuffer(s).toString();
  }
}
const text = (v) => (typeof v === 'string' ? v : typeof v === 'number' && Number.isFinite(v) ? `${v}` : typeof v === 'bigint' || typeof v === 'boolean' ? `${v}` : '');
function stringify(o, sep = '&', eq = '=', options) {
  if (o === null || typeof o !== 'object') return '';
  const enc = options?.encodeURIComponent ?? module.exports.escape;
  return Object.keys(o).map((k) => {
    const name = enc(text(k)) + eq, v = o[k];
    return Array.isArray(v) ? v.map((x) => name + enc(text(x))).join(sep) : name + enc(text(v));
  }).filter((s) => s !== '').join(sep);
}
function parse(s, sep = '&', eq = '=', options) {
  const out = Object.create(null);
  if (typeof s !== 'string' || s.length === 0) return out;
  const dec = options?.decodeURIComponent ?? module.exports.unescape, max = options?.maxKeys ?? 1000;
  let parts = s.split(sep || '&').filter((p) => p !== '');
  if (max > 0) parts = parts.slice(0, max);
  for (const p of parts) {
    const at = p.indexOf(eq || '=');
    const read = (x) => { const y = x.replaceAll('+', ' '); try { return dec(y); } catch { return unescape(y); } };
    const k = read(at < 0 ? p : p.slice(0, at)), v = at < 0 ? '' : read(p.slice(at + (eq || '=').length));
    if (!(k in out)) out[k] = v;
    else if (Array.isArray(out[k])) out[k].push(v);
    else out[k] = [out[k], v];
  }
  return out;
}
module.exports = { escape, unescape, unescapeBuffer, stringify, encode: stringify, parse, decode: parse };
