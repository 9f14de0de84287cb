// util.types: what an object really is.
const is = (...classes) => (v) => classes.includes(host.classOf(v));
const typed = (name) => (v) => host.classOf(v) === 'TypedArray' && tag(v) === name;
const tag = (v) => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get.call(v);
Object.assign(exports, {
  isAnyArrayBuffer: is('ArrayBuffer', 'SharedArrayBuffer'), isArrayBuffer: is('ArrayBuffer'), isSharedArrayBuffer: is('SharedArrayBuffer'),
  isArrayBufferView: ArrayBuffer.isView, isArgumentsObject: is('Arguments'), isAsyncFunction: is('AsyncFunction', 'AsyncGeneratorFunction'),
  isGeneratorFunction: is('GeneratorFunction', 'AsyncGeneratorFunction'), isGeneratorObject: is('Generator', 'AsyncGenerator'),
  isBigInt64Array: typed('BigInt64Array'), isBigUint64Array: typed('BigUint64Array'), isFloat32Array: typed('Float32Array'), isFloat64Array: typed('Float64Array'),
  isInt8Array: typed('Int8Array'), isInt16Array: typed('Int16Array'), isInt32Array: typed('Int32Array'), isUint8Array: typed('Uint8Array'),
  isUint8ClampedArray: typed('Uint8ClampedArray'), isUint16Array: typed('Uint16Array'), isUint32Array: typed('Uint32Array'), isTypedArray: is('TypedArray'),
  isBooleanObject: is('Boolean'), isNumberObject: is('Number'), isStringObject: is('String'), isSymbolObject: is('Symbol'), isBigIntObject: is('BigInt'),
  isBoxedPrimitive: is('Boolean', 'Number', 'String', 'Symbol', 'BigInt'), isDataView: is('DataView'), isDate: is('Date'), isMap: is('Map'), isSet: is('Set'),
  isMapIterator: is('Map Iterator'), isSetIterator: is('Set Iterator'), isWeakMap: is('WeakMap'), isWeakSet: is('WeakSet'), isPromise: is('Promise'),
  isProxy: is('Proxy'), isRegExp: is('RegExp'), isNativeError: is('Error'), isModuleNamespaceObject: is('Module'), isExternal: () => false,
  isKeyObject: () => false, isCryptoKey: () => false,
});
