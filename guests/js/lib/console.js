module.exports = require('internal/console').console;
