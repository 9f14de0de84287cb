module.exports = require('internal/cjs').Module;
