// stream/promises.
const { finished, pipeline } = require('stream');
exports.finished = (stream, options) => new Promise((resolve, reject) => finished(stream, options, (e) => (e ? reject(e) : resolve())));
exports.pipeline = (...streams) => {
  const last = streams[streams.length - 1];
  if (last && typeof last === 'object' && !last.on && !last[Symbol.asyncIterator] && !last[Symbol.iterator]) streams.pop();
  return new Promise((resolve, reject) => pipeline(...streams, (e, v) => (e ? reject(e) : resolve(v))));
};
