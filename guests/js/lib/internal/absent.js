// Modules that can be loaded but do nothing here: each of their functions says why.
const { notHere } = require('internal/errors');
const NO_NETWORK = 'the network is not granted in this sandbox';
exports.network = (name, functions, classes = [], values = {}) => exports.module(name, NO_NETWORK, functions, classes, values);
exports.module = (name, why, functions, classes = [], values = {}) => {
  const m = { ...values };
  for (const f of functions) m[f] = { [f]() { throw notHere(`${name}.${f}`, why); } }[f];
  for (const c of classes) m[c] = { [c]: class { constructor() { throw notHere(`${name}.${c}`, why); } } }[c];
  return m;
};
