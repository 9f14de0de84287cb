// dns.
module.exports = require('internal/absent').network('dns', ['lookup', 'lookupService', 'resolve', 'resolve4', 'resolve6', 'reverse', 'setServers'], ['Resolver'], { getServers: () => [] });
Object.defineProperty(module.exports, 'promises', { enumerable: true, get: () => require('dns/promises') });
