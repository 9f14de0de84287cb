// net.
const isIPv4 = (s) => /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(s);
const isIPv6 = (s) => typeof s === 'string' && s.includes(':') && URL.canParse(`http://[${s.replace(/%.*$/, '')}]/`);
module.exports = require('internal/absent').network('net', ['connect', 'createConnection', 'createServer'], ['Socket', 'Server', 'Stream'],
  { isIPv4, isIPv6, isIP: (s) => (isIPv4(s) ? 4 : isIPv6(s) ? 6 : 0) });
