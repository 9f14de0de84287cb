// timers/promises.
const timers = require('timers');
const { AbortError } = require('internal/errors');

function wait(start, clear, value, options) {
  const signal = options?.signal;
  return new Promise((resolve, reject) => {
    const fail = () => {
      clear(t);
      reject(new AbortError(undefined, { cause: signal.reason }));
    };
    let t;
    if (signal?.aborted) {
      reject(new AbortError(undefined, { cause: signal.reason }));
      return;
    }
    t = start(() => {
      signal?.removeEventListener('abort', fail);
      resolve(value);
    });
    if (options?.ref === false) t.unref();
    signal?.addEventListener('abort', fail, { once: true });
  });
}
exports.setTimeout = (ms, value, options) => wait((f) => timers.setTimeout(f, ms), timers.clearTimeout, value, options);
exports.setImmediate = (value, options) => wait((f) => timers.setImmediate(f), timers.clearImmediate, value, options);
exports.setInterval = async function* setInterval(ms, value, options) {
  for (;;) yield exports.setTimeout(ms, value, options);
};
exports.scheduler = { wait: (ms, options) => exports.setTimeout(ms, undefined, options), yield: () => exports.setImmediate() };
