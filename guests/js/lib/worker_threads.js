// worker_threads: there is the main thread, and no other.
module.exports = require('internal/absent').module('worker_threads', 'there are no threads', [], ['Worker', 'MessageChannel', 'MessagePort', 'BroadcastChannel'],
  { isMainThread: true, parentPort: null, workerData: null, threadId: 0, resourceLimits: {}, SHARE_ENV: Symbol.for('nodejs.worker_threads.SHARE_ENV'), getEnvironmentData: () => undefined, setEnvironmentData() {}, markAsUntransferable() {} });
