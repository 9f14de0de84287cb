// async_hooks: what can be told without following promises.
const { notHere } = require('internal/errors');
class AsyncResource {
  constructor(type) { this.type = type; }
  runInAsyncScope(f, self, ...args) { return f.apply(self, args); }
  emitDestroy() { return this; }
  asyncId() { return 1; }
  triggerAsyncId() { return 0; }
  bind(f) { return f.bind(null); }
  static bind(f) { return f; }
}
class AsyncLocalStorage { constructor() { throw notHere('AsyncLocalStorage', 'what belongs to which promise is not followed'); } }
module.exports = { AsyncResource, AsyncLocalStorage, executionAsyncId: () => 1, triggerAsyncId: () => 0, executionAsyncResource: () => ({}), createHook: () => { throw notHere('async_hooks.createHook'); } };
