module.exports = require('internal/process').process;
