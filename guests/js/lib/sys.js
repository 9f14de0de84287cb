module.exports = require('util');
