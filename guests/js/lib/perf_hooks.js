// perf_hooks.
const { notHere } = require('internal/errors');
class PerformanceObserver { constructor() { throw notHere('perf_hooks.PerformanceObserver'); } }
module.exports = { performance: globalThis.performance, PerformanceObserver, constants: {}, monitorEventLoopDelay() { throw notHere('perf_hooks.monitorEventLoopDelay'); } };
