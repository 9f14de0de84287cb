// inspector.
module.exports = require('internal/absent').module('inspector', 'there is no debugger', ['open'], ['Session'], { url: () => undefined, close() {}, console });
