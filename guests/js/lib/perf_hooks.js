// perf_hooks.
class PerformanceObserver { observe() {} disconnect() {} }
module.exports = { performance: globalThis.performance, PerformanceObserver, constants: {}, monitorEventLoopDelay: () => ({ enable() {}, disable() {}, min: 0, max: 0, mean: 0, stddev: 0, percentile: () => 0 }) };
