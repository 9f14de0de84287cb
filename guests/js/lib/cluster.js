// cluster.
module.exports = require('internal/absent').module('cluster', 'there are no threads and no network', ['fork', 'setupPrimary'], [], { isMaster: true, isPrimary: true, isWorker: false, workers: {} });
