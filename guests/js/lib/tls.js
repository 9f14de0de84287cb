// tls.
module.exports = require('internal/absent').network('tls', ['connect', 'createServer', 'createSecureContext'], ['TLSSocket', 'Server'], { rootCertificates: [] });
