// dns/promises.
module.exports = require('internal/absent').network('dns', ['lookup', 'resolve', 'resolve4', 'resolve6', 'reverse'], ['Resolver']);
for (const k of ['lookup', 'resolve', 'resolve4', 'resolve6', 'reverse']) { const f = module.exports[k]; module.exports[k] = async () => f(); }
