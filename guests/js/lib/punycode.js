// punycode.
const p = require('internal/url_parser');
const toASCII = (s) => s.split('.').map((l) => (/[^\x00-\x7f]/.test(l) ? `xn--${p.punycode(l)}` : l)).join('.');
module.exports = { toASCII, encode: p.punycode, ucs2: { decode: (s) => Array.from(s, (c) => c.codePointAt(0)), encode: (a) => String.fromCodePoint(...a) }, version: '2.1.0' };
