// v8.
const { notHere } = require('internal/errors');
module.exports = require('internal/absent').module('v8', 'the engine is QuickJS', ['getHeapSnapshot', 'writeHeapSnapshot', 'serialize', 'deserialize', 'takeCoverage'], ['Serializer', 'Deserializer'],
  { getHeapStatistics: () => ({ total_heap_size: host.memoryUsage()[1], used_heap_size: host.memoryUsage()[0], heap_size_limit: 64 << 20 }), setFlagsFromString() { throw notHere('v8.setFlagsFromString', 'the engine is QuickJS'); }, cachedDataVersionTag: () => 0 });
