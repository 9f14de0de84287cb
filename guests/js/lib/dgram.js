// dgram.
module.exports = require('internal/absent').network('dgram', ['createSocket'], ['Socket']);
