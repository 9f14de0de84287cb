// worker_threads: there is the main thread, and no other.
const data = new Map();
module.exports = require('internal/absent').module('worker_threads', 'there are no threads', [], ['Worker', 'MessageChannel', 'MessagePort', 'BroadcastChannel'],
  { isMainThread: true, parentPort: null, workerData: null, threadId: 0, resourceLimits: {}, SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'), getEnvironmentData: (k) => data.get(k),
    setEnvironmentData(k, v) { if (v === undefined) data.delete(k); else data.set(k, v); }, markAsUntransferable() {} }); // nothing is ever transferred
