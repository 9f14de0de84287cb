// https.
const { Agent } = require('http');
module.exports = require('internal/absent').network('https', ['request', 'get', 'createServer'], ['Server'], { Agent, globalAgent: new Agent() });
