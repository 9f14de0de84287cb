// http2.
module.exports = require('internal/absent').network('http2', ['connect', 'createServer', 'createSecureServer'], [], { constants: {} });
